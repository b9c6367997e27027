"""What `RankingScorer` requires of scikit-learn's class of scorers, which has no public
name. If a newer scikit-learn changes the class, these tests fail first.

The tests of responses, queries and requests check what the base class calls, and with
which arguments.
"""

import ast
import inspect

from sklearn import metrics

from sklearn_ap import get_scorer, precision_at_k_score
from sklearn_ap._core.scorers import _NOT_PUBLIC, RankingScorer

# Found as `_core/scorers` finds it: by the type of a scorer.
Base = type(metrics.make_scorer(precision_at_k_score))


def test_consumers_recognise_a_scorer_by_its_class():
    assert isinstance(get_scorer("precision@10"), Base)


def test_the_constructor_keeps_its_arguments():
    """The arguments have this order, and these are the attributes that this package and
    consumers read.
    """
    names = ["score_func", "sign", "kwargs", "response_method"]
    assert list(inspect.signature(Base).parameters) == names
    given = [precision_at_k_score, 1, {"k": 3}, "predict_proba"]
    kept = {f"_{name}": value for name, value in zip(names, given, strict=True)}
    assert kept.items() <= vars(Base(*given)).items()


def test_methods_have_the_signatures_that_ours_have():
    for method, signature in {
        Base._score: "(self, method_caller, estimator, X, y_true, **kwargs)",
        Base.set_score_request: "(self, **kwargs)",
    }.items():
        assert str(inspect.signature(method)) == signature


def test_scorers_touch_no_other_private_name():
    inherited = {*dir(metrics.make_scorer(precision_at_k_score))}
    (kind,) = ast.parse(inspect.getsource(RankingScorer)).body
    touched = {x.attr for x in ast.walk(kind) if isinstance(x, ast.Attribute)}
    touched |= {x.name for x in kind.body if isinstance(x, ast.FunctionDef)}
    private = {name for name in touched if not name.startswith("__")} & inherited
    assert {name for name in private if name[0] == "_"} == {*_NOT_PUBLIC}

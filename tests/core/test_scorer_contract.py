"""What `RankingScorer` needs of scikit-learn's scorer class, which has no public name
or description: a newer scikit-learn that changes the class fails here first.

What the base calls, and with what, the tests of answers, queries and requests ask.
"""

import inspect

from sklearn import metrics

from sklearn_ap import get_scorer, precision_at_k_score

# Found as `_core/scorers` finds it: by the type of a scorer.
Base = type(metrics.make_scorer(precision_at_k_score))


def test_the_class_is_what_consumers_know_a_scorer_by():
    assert isinstance(get_scorer("precision@10"), Base)


def test_the_constructor_keeps_its_arguments():
    """In this order, and under the names that we and consumers read."""
    names = ["score_func", "sign", "kwargs", "response_method"]
    assert list(inspect.signature(Base).parameters) == names
    given = [precision_at_k_score, 1, {"k": 3}, "predict_proba"]
    kept = {f"_{name}": value for name, value in zip(names, given, strict=True)}
    assert kept.items() <= vars(Base(*given)).items()


def test_methods_have_the_signatures_that_ours_have():
    for method, signature in {
        Base._score: "(self, method_caller, estimator, X, y_true, **kwargs)",
        Base._warn_overlap: "(self, message, kwargs)",
        Base.set_score_request: "(self, **kwargs)",
    }.items():
        assert str(inspect.signature(method)) == signature

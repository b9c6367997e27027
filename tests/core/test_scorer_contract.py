"""What `RankingScorer` needs of scikit-learn's scorer class, which has no public name
or description: a newer scikit-learn that changes the class fails here first.
"""

import inspect

import numpy as np
import pytest
import sklearn
from sklearn import metrics
from sklearn.base import clone
from sklearn.model_selection import cross_validate

from scoring import IGNORED, LOGISTIC, X, Y
from sklearn_ap import get_scorer, precision_at_k_score

pytestmark = pytest.mark.filterwarnings(*IGNORED)

# Found as `_core/scorers` finds it: by the type of a scorer.
Base = type(metrics.make_scorer(precision_at_k_score))
WEIGHT = np.linspace(0.5, 2, Y.size)
QUERY = np.arange(Y.size) // 10


class Recording(Base):
    """Notes how the base calls the methods that `RankingScorer` overrides, and then
    does as the base.
    """

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.calls = []

    def _score(self, *arguments, **metadata):
        self.calls.append(("_score", arguments, metadata))
        return super()._score(*arguments, **metadata)

    def _warn_overlap(self, *arguments, **named):
        self.calls.append(("_warn_overlap", arguments, named))
        return super()._warn_overlap(*arguments, **named)


def recording(k):
    return Recording(precision_at_k_score, 1, {"k": k}, "predict_proba")


@pytest.fixture(scope="module")
def fitted():
    return clone(LOGISTIC).fit(X, Y)


def test_the_class_is_what_consumers_know_a_scorer_by():
    assert isinstance(get_scorer("precision@10"), Base)


def test_the_constructor_keeps_its_arguments():
    """In this order, and under the names that we and consumers read."""
    names = ["score_func", "sign", "kwargs", "response_method"]
    assert list(inspect.signature(Base).parameters) == names
    kept = {
        "_score_func": precision_at_k_score,
        "_sign": 1,
        "_kwargs": {"k": 3},
        "_response_method": "predict_proba",
    }
    plain = metrics.make_scorer(
        precision_at_k_score, k=3, response_method="predict_proba"
    )
    assert kept.items() <= vars(recording(3)).items()
    assert kept.items() <= vars(plain).items()


def test_methods_have_the_signatures_that_ours_have():
    for method, signature in {
        Base._score: "(self, method_caller, estimator, X, y_true, **kwargs)",
        Base._warn_overlap: "(self, message, kwargs)",
        Base.set_score_request: "(self, **kwargs)",
    }.items():
        assert str(inspect.signature(method)) == signature


def test_a_call_is_a_call_of_score(fitted):
    """With a caller of methods and the metadata by name; the base's `_score` then looks
    for overlaps.
    """
    scorer = recording(3)
    with sklearn.config_context(enable_metadata_routing=True):
        value = scorer(fitted, X, Y, sample_weight=WEIGHT, query_id=QUERY)
    y_score = fitted.predict_proba(X)[:, 1]
    expected = precision_at_k_score(
        Y, y_score, k=3, sample_weight=WEIGHT, query_id=QUERY
    )
    assert value == pytest.approx(expected, abs=1e-15)
    (name, (method_caller, *arguments), metadata), overlap = scorer.calls
    assert name == "_score"
    assert callable(method_caller)
    assert [id(one) for one in arguments] == [id(one) for one in (fitted, X, Y)]
    assert metadata.keys() == {"sample_weight", "query_id"}
    np.testing.assert_array_equal(metadata["sample_weight"], WEIGHT)
    np.testing.assert_array_equal(metadata["query_id"], QUERY)
    assert names_in(overlap) == {"sample_weight", "query_id"}


def test_several_scorers_share_a_caller(fitted):
    """They are called by `_score`, not as functions."""
    scorers = {"three": recording(3), "five": recording(5)}
    cross_validate(fitted, X, Y, cv=2, scoring=scorers)
    calls = (
        [call for call in one.calls if call[0] == "_score"] for one in scorers.values()
    )
    callers = [[arguments[0] for _, arguments, _ in made] for made in calls]
    assert [len(made) for made in callers] == [2, 2]
    assert all(three is five for three, five in zip(*callers, strict=True))


@sklearn.config_context(enable_metadata_routing=True)
def test_requests_are_set_on_the_scorer():
    """The base looks for overlaps there, too, and warns of them."""
    scorer = recording(3)
    assert scorer.set_score_request(sample_weight=True) is scorer
    assert scorer.get_metadata_routing().score.requests["sample_weight"] is True
    assert names_in(scorer.calls[0]) == {"sample_weight"}
    with pytest.warns(UserWarning, match="Overlapping parameters are: {'k'}"):
        scorer.set_score_request(k=True)


def names_in(call):
    """The names of the metadata that `_warn_overlap(message, kwargs)` was called
    with.
    """
    name, arguments, named = call
    assert name == "_warn_overlap"
    given = (
        inspect.signature(Base._warn_overlap).bind(None, *arguments, **named).arguments
    )
    assert isinstance(given["message"], str)
    return given["kwargs"].keys()

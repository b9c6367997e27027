"""The scorer as an object: its name and text, what it refuses, and what takes it apart."""

import pickle

import pytest
from sklearn import metrics
from sklearn.base import clone

from scoring import IGNORED, LOGISTIC, X, Y
from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    get_scorer,
    get_scorer_names,
    make_scorer,
    precision_at_k_score,
)

pytestmark = pytest.mark.filterwarnings(*IGNORED)


@pytest.mark.parametrize("name", get_scorer_names())
def test_pickled_cloned_fresh(name):
    scorer = get_scorer(name)
    fitted = LOGISTIC.fit(X, Y)
    for copy in (pickle.loads(pickle.dumps(scorer)), clone(scorer, safe=False)):
        assert copy(fitted, X, Y) == scorer(fitted, X, Y)
        assert repr(copy) == repr(scorer)
        assert copy.__name__ == name
    assert get_scorer(name) is not scorer


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("average_precision", "make_scorer(average_precision_score)"),
        ("precision@100", "make_scorer(precision_at_k_score, k=100)"),
        ("recall@0.05", "make_scorer(recall_at_k_score, k=0.05)"),
    ],
)
def test_repr_says_what_it_computes(name, text):
    assert repr(get_scorer(name)) == text


def test_repr_of_all_options():
    scorer = make_scorer(
        average_precision_at_k_score, k=3, ties="expected", response_method="predict_proba", query_id="index"
    )
    assert repr(scorer) == (
        "make_scorer(average_precision_at_k_score, k=3, ties='expected', response_method='predict_proba', "
        "query_id='index')"
    )


@pytest.mark.parametrize(
    "name", ["voc_ap", "average_precision@", "precision", "precision@0", "precision@1.5", 3, ""]
)
def test_unknown_names(name):
    with pytest.raises(ValueError, match=r"^name must be one of \['average_precision', .*; got "):
        get_scorer(name)


def test_wrong_arguments_are_refused_when_the_scorer_is_made():
    with pytest.raises(
        TypeError, match="precision_at_k_score takes no argument 'normalizer'; it takes k, ties"
    ):
        make_scorer(precision_at_k_score, normalizer="k")
    with pytest.raises(TypeError, match="accuracy_score takes no argument 'query_id'"):
        make_scorer(metrics.accuracy_score, query_id="groups")
    with pytest.raises(ValueError, match="average=None gives several values"):
        make_scorer(average_precision_score, average=None)
    with pytest.raises(ValueError, match="'response_method' parameter of make_scorer"):
        make_scorer(average_precision_score, response_method="guess")
    for query_id in (7, ["a"], "", "two words"):
        with pytest.raises(ValueError, match=r"^query_id must be 'index' or the name of the metadata"):
            make_scorer(average_precision_score, query_id=query_id)
    for options in ({"n_positives": 5, "query_id": "groups"}, {"n_positives": {1: 5}}):
        with pytest.raises(ValueError, match=r"^n_positives of a scorer must be a mapping"):
            make_scorer(average_precision_score, **options)

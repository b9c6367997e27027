"""Pickled scorers, results and errors are equal to the originals."""

import pickle
from dataclasses import asdict, is_dataclass

import numpy as np
import pytest
from sklearn.base import clone

import sklearn_ap
from scoring import IGNORED, LOGISTIC, X, Y
from sklearn_ap import (
    average_precision_score,
    compatibility,
    distributed,
    estimate_score,
    get_scorer,
    get_scorer_names,
    make_scorer,
    precision_at_k_score,
    read_lists,
)
from sklearn_ap.compatibility import (
    CONVENTIONS,
    NoNumberError,
    compare_conventions,
    identify,
)
from tests.project.test_result_texts import RESULTS as RESULTS_SHOWN

pytestmark = pytest.mark.filterwarnings(*IGNORED)

PUBLIC = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in (sklearn_ap, compatibility, distributed)
    for name in module.__all__
}
SCORERS = {
    **{name: get_scorer(name) for name in get_scorer_names()},
    "routed": make_scorer(
        average_precision_score, query_id="groups", n_positives={1: 5}
    ),
    "by index": make_scorer(
        precision_at_k_score, k=2, query_id="index", response_method="predict_proba"
    ),
}
Y_MATRIX = np.tile([[1, 0], [0, 1], [1, 0], [0, 0]], (5, 1))
RESULTS = {
    **RESULTS_SHOWN,
    "columns": estimate_score("average_precision", Y_MATRIX, 1 - Y_MATRIX),
    "perfect": estimate_score("average_precision", Y_MATRIX, Y_MATRIX),
    "comparison": compare_conventions([1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6]),
    "identification": identify("0.7240", [1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6]),
    "error": NoNumberError("why"),
    "lists": read_lists({1: [3, 4]}, {1: [4]}),
    "records": CONVENTIONS,
}


def copy_of(obj):
    return pickle.loads(pickle.dumps(obj))


def test_public_names():
    for path, member in PUBLIC.items():
        if callable(member):
            assert copy_of(member) is member, path


@pytest.mark.parametrize("scorer", SCORERS.values(), ids=SCORERS)
def test_scorers(scorer):
    copy = copy_of(scorer)
    assert type(copy) is type(scorer)
    assert (copy.__name__, repr(copy)) == (scorer.__name__, repr(scorer))
    if scorer._query_id is None:
        fitted = clone(LOGISTIC).fit(X, Y)
        assert copy(fitted, X, Y) == scorer(fitted, X, Y)


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
def test_results(result):
    copy = copy_of(result)
    assert type(copy) is type(result)
    assert str(copy) == str(result)
    if is_dataclass(result):
        assert repr(asdict(copy)) == repr(asdict(result))

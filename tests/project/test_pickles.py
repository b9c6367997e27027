"""Pickled scorers, results and errors are equal to the originals."""

import pickle
from dataclasses import asdict, is_dataclass

import pytest
from sklearn.base import clone

import sklearn_ap as ap
from doors import MODULES
from scoring import IGNORED, LOGISTIC, X, Y
from sklearn_ap import get_scorer, get_scorer_names, make_scorer
from tests.project.test_result_texts import RESULTS, result_of

pytestmark = pytest.mark.filterwarnings(*IGNORED)

SCORERS = [
    *map(get_scorer, get_scorer_names()),
    make_scorer(ap.average_precision_score, query_id="groups", n_positives={1: 5}),
    make_scorer(ap.precision_at_k_score, k=2, query_id="index"),
]
OTHERS = [
    "ap.estimate_score(AP, *[np.c_[rows, rows] for rows in ROWS])",
    "ap.compatibility.compare_conventions(*ROWS)",
    "ap.compatibility.identify('0.7240', *ROWS)",
    "ap.compatibility.identify_function(AP)",
    "ap.compatibility.NoNumberError('why')",
    "ap.read_lists({1: [3, 4]}, {1: [4]})",
    "[*ap.compatibility.CONVENTIONS.values()]",
]


def copy_of(obj):
    return pickle.loads(pickle.dumps(obj))


def test_public_names():
    for module in MODULES:
        for member in map(vars(module).get, module.__all__):
            if callable(member):
                assert copy_of(member) is member


@pytest.mark.parametrize("scorer", SCORERS, ids=repr)
def test_scorers(scorer):
    copy = copy_of(scorer)
    assert type(copy) is type(scorer)
    assert (copy.__name__, repr(copy)) == (scorer.__name__, repr(scorer))
    if scorer._query_id is None:
        fitted = clone(LOGISTIC).fit(X, Y)
        assert copy(fitted, X, Y) == scorer(fitted, X, Y)


@pytest.mark.parametrize("call", [*RESULTS, *OTHERS])
def test_results(call):
    result = result_of(call)
    copy = copy_of(result)
    assert type(copy) is type(result)
    assert str(copy) == str(result)
    if is_dataclass(result):
        assert repr(asdict(copy)) == repr(asdict(result))

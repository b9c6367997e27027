"""Rows that are ranked have weights above 0, on every way there: kernels keep the label as the sign."""

import sys

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import sklearn_ap
from metrics import CURVES, WEIGHED
from samples import covering_product
from sklearn_ap import _api
from sklearn_ap._ranking._plain import plain_kernel
from sklearn_ap._ranking._rank import rank
from sklearn_ap._ranking._rankings import Rows
from sklearn_ap.compatibility import (
    CONVENTIONS,
    Convention,
    Thresholds,
    compare_conventions,
    identify,
    score_as,
)

mpl.use("Agg")

pytestmark = pytest.mark.filterwarnings(
    "ignore:(No positive class found|y_true contains no positive):UserWarning"
)

_RNG = np.random.default_rng(12)
SIZE = 60
Y, S = _RNG.integers(0, 2, SIZE), _RNG.integers(0, 20, SIZE) / 20
QUERY, ITEM = _RNG.integers(0, 6, SIZE), _RNG.permutation(SIZE)
Y_COLUMNS, S_COLUMNS = _RNG.integers(0, 2, (SIZE, 3)), _RNG.integers(0, 20, (SIZE, 3)) / 20
CLASSES = np.arange(SIZE) % 3
WEIGHTS = {
    "whole": [0.0, 1.0, 2.0, 3.0],
    "mostly zero": [0.0] * 4 + [0.3, 0.7],
    "of both signs of zero": [-0.0, 0.0, 0.5, 1.5],
    "tiny": [0.0, 1e-150, 2e-149, 1e-120],
    "far apart": [0.0, 1e-150, 1e-60, 1.0, 1e60, 1e150],
}
# Labels, scores, and what the caller may pass beside weights.
LAYOUTS = {
    "one ranking": (Y, S, {}),
    "queries": (Y, S, {"query_id": QUERY}),
    "queries, pooled": (Y, S, {"query_id": QUERY, "average": "micro"}),
    **{
        f"{kind}, {average}": (labels, S_COLUMNS, {"average": average})
        for kind, labels in (("columns", Y_COLUMNS), ("classes", CLASSES))
        for average in ("macro", "micro", "weighted", "samples", None)
    },
}


@pytest.fixture
def seen(monkeypatch):
    """All rows that are ranked, by whichever room of the package."""
    ranked: list[Rows] = []

    def recorded(rows, **options):
        ranked.append(rows)
        return rank(rows, **options)

    for name, module in list(sys.modules.items()):
        if name.startswith("sklearn_ap") and getattr(module, "rank", None) is rank:
            monkeypatch.setattr(module, "rank", recorded)

    def recorded_plain(positive, score, weight):
        ranked.append(Rows(positive, score, weight, np.array([0, score.size])))
        return plain_kernel(positive, score, weight)

    monkeypatch.setattr(_api, "plain_kernel", recorded_plain)
    return ranked


def drawn(name: str) -> np.ndarray:
    """Weights of one kind, zeros and unequal ones among them."""
    rng = np.random.default_rng(3)
    weight = rng.choice(WEIGHTS[name], SIZE)
    assert (weight == 0).any()
    assert len(set(weight[weight > 0])) > 1
    return weight


def check(seen: list[Rows], *, weighted: bool = True) -> None:
    """Every row has a weight above 0, none of which was lost or made infinite on the way."""
    assert seen
    of_rows = [rows.weight for rows in seen if rows.weight is not None]
    assert bool(of_rows) == weighted
    for weight in of_rows:
        assert (weight > 0).all()
        assert np.isfinite(weight).all()


@pytest.mark.parametrize(("function", "layout", "weights"), covering_product(WEIGHED, LAYOUTS, WEIGHTS))
def test_scores(seen, function, layout, weights):
    labels, scores, options = LAYOUTS[layout]
    function(labels, scores, sample_weight=drawn(weights), **options)
    # A row that is a ranking has no weights inside, and its own weight may be 0.
    check(seen, weighted=options.get("average") != "samples")


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("ties", ["proportional", "stable"])
@pytest.mark.parametrize("k", [1, 20, 0.5, None])
def test_cuts(seen, k, ties, weights):
    for function in (
        sklearn_ap.average_precision_at_k_score,
        sklearn_ap.precision_at_k_score,
        sklearn_ap.recall_at_k_score,
    ):
        function(Y, S, k=k, ties=ties, sample_weight=drawn(weights), query_id=QUERY)
    check(seen)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.__name__)
def test_curves(seen, curve, weights):
    curve(Y, S, sample_weight=drawn(weights))
    check(seen)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize(
    "display",
    [
        sklearn_ap.AveragePrecisionDisplay,
        sklearn_ap.HitCurveDisplay,
    ],
)
def test_displays(seen, display, weights):
    display.from_predictions(Y, S, sample_weight=drawn(weights))
    check(seen)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_scorers(seen, weights):
    X = S[:, np.newaxis]
    scorer = sklearn_ap.get_scorer("average_precision")
    scorer(LogisticRegression().fit(X, Y), X, Y, sample_weight=drawn(weights))
    check(seen)


OWN = [
    Convention(name="merged", thresholds=Thresholds(5, rule="merged")),
    Convention(name="above", thresholds=Thresholds(5, rule="above")),
    Convention(name="strictly above", thresholds=Thresholds(5, rule="strictly above")),
    Convention(name="grid of scores", thresholds=Thresholds(5)),
    Convention(name="reversed", ties="reversed"),
    Convention(name="by item", ties="item_id"),
    Convention(name="mean over queries", queries="mean", total="stated"),
]


@pytest.mark.parametrize("weights", ["whole", "mostly zero", "of both signs of zero", "tiny"])
@pytest.mark.parametrize("with_totals", [False, True])
@pytest.mark.parametrize("query_id", [None, QUERY], ids=["one ranking", "queries"])
def test_records(seen, query_id, with_totals, weights):
    options = {
        "sample_weight": drawn(weights),
        "query_id": query_id,
        "item_id": ITEM,
        "n_positives": 500 if with_totals else None,
        "k": 3,
    }
    compare_conventions(Y, S, conventions=[*CONVENTIONS, *OWN], **options)
    check(seen)
    seen.clear()
    score_as("scikit-learn", Y, S, sample_weight=options["sample_weight"], query_id=query_id)
    check(seen)
    seen.clear()
    identify(0.5, Y, S, **options)
    check(seen)

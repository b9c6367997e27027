"""What may not be asked for together: public calls and records break every rule."""

import re

import numpy as np
import pytest

import sklearn_ap
from sklearn_ap import AveragePrecisionDisplay, HitCurveDisplay
from sklearn_ap.compatibility import NoNumberError, score_as

Y, S = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6]
COLUMNS, SCORES = [[1, 0], [0, 1], [1, 1]], [[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]]
DIFFERENT, EQUAL, QUERY = [1, 2, 3, 4], [2, 2, 2, 2], ["a", "a", "b", "b"]

RANK = "a rank counts rows"
ORDER = "an order of equal scores has no weights"
MISSED = "missed positives have no weights"
COLUMN = "a column is a ranking, and cannot be several queries"
ROW = "a row is a ranking with samples, and cannot belong to a query"
TOTALS = "totals by query need queries"
JOINED = "missed positives have no points to join"
ROWS = "missed positives have no rows among rows with weights"


def drawn_area(*given, **options):
    """The number in the legend of a display."""
    return AveragePrecisionDisplay.from_predictions(*given, **options).average_precision


def drawn_prevalence(*given, **options):
    """The share of positives at which a random ranking of a display ends."""
    return HitCurveDisplay.from_predictions(*given, **options).prevalence


# For each rule, a public score with arguments that break it.
CALLS = {
    RANK: (sklearn_ap.reciprocal_rank_score, (Y, S), {"sample_weight": DIFFERENT}),
    ORDER: (sklearn_ap.precision_at_k_score, (Y, S), {"ties": "optimistic", "sample_weight": DIFFERENT}),
    MISSED: (
        sklearn_ap.average_precision_at_k_score,
        (Y, S),
        {"k": 3, "sample_weight": DIFFERENT, "n_positives": 9},
    ),
    COLUMN: (sklearn_ap.average_precision_score, (COLUMNS, SCORES), {"query_id": ["a", "a", "b"]}),
    ROW: (sklearn_ap.average_precision_score, (Y, S), {"query_id": QUERY, "average": "samples"}),
    TOTALS: (sklearn_ap.average_precision_score, (Y, S), {"n_positives": {"a": 3}}),
    JOINED: (drawn_area, (Y, S), {"area": "linear", "n_positives": 9}),
    ROWS: (drawn_prevalence, (Y, S), {"sample_weight": DIFFERENT, "n_positives": 9}),
}
# For each rule, one change after which the same call has a number.
ALLOWED = {
    RANK: {"sample_weight": EQUAL},
    ORDER: {"sample_weight": EQUAL},
    MISSED: {"normalizer": "hits"},
    COLUMN: {"query_id": None},
    ROW: {"average": "macro"},
    TOTALS: {"n_positives": 3},
    JOINED: {"area": "step"},
    ROWS: {"sample_weight": EQUAL},
}
# For each rule that looks at a record's own choices, a record with arguments that break it.
RECORDS = {
    RANK: ("reciprocal rank", {"sample_weight": DIFFERENT}),
    ORDER: ("AP@k, optimistic ties", {"k": 3, "sample_weight": DIFFERENT}),
    MISSED: ("AP@k over min(k, R)", {"k": 3, "sample_weight": DIFFERENT, "n_positives": 9}),
}

TEXTS = {
    RANK: "sample_weight must be equal inside each ranking, since a rank counts rows, so weights would not "
    "change it; leave sample_weight out, or pass weights of 0 and 1 to drop rows.",
    ORDER: "ties='optimistic' needs weights that are equal inside each ranking; use ties='proportional' or "
    "'stable'.",
    MISSED: "normalizer='min' with n_positives needs equal weights, since the weights of missed positives "
    "are unknown; use normalizer='n_positives', 'k' or 'hits'.",
    COLUMN: "query_id requires binary y_true: multilabel and multiclass labels already are one ranking per "
    "column; pass one column at a time.",
    ROW: "average='samples' makes every row a ranking, but with query_id a ranking is a query; use 'macro' "
    "(the mean over queries), 'weighted', 'micro' or None.",
    TOTALS: "n_positives maps query ids to totals, but query_id is None; got {'a': 3}.",
    JOINED: "n_positives requires one of the areas 'step', 'interpolated', 'eleven-point'; got "
    "area='linear', which would join points to positives that were missed.",
    ROWS: "n_positives needs equal weights here: the axis counts rows, and with unequal weights the number "
    "of rows that were missed is unknown; got 9.",
}


@pytest.mark.parametrize("rule", CALLS)
def test_a_public_call_breaks_the_rule(rule):
    score, given, options = CALLS[rule]
    with pytest.raises(ValueError, match=f"^{re.escape(TEXTS[rule])}$"):
        score(*given, **options)
    assert 0 < score(*given, **{**options, **ALLOWED[rule]}) <= 1


@pytest.mark.parametrize("rule", RECORDS)
def test_a_record_breaks_the_rule(rule):
    name, options = RECORDS[rule]
    text = f"sample_weight must be equal inside each ranking for {name!r}: {rule}."
    with pytest.raises(NoNumberError, match=f"^{re.escape(text)}$"):
        score_as(name, Y, S, **options)
    assert 0 < score_as(name, Y, S, **{**options, "sample_weight": EQUAL, "n_positives": None}) <= 1


def test_the_usual_breaks_no_rule():
    options = {"sample_weight": DIFFERENT, "query_id": QUERY}
    assert np.isfinite(sklearn_ap.average_precision_score(Y, S, **options))
    assert np.isfinite(sklearn_ap.precision_at_k_score(Y, S, k=3, **options))

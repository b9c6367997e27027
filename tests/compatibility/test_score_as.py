"""The number of a convention: known numbers, values in place of a number, orders of equal
scores, containers, and errors.
"""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import sklearn_ap
from scores import used_by
from sklearn_ap.compatibility import (
    CONVENTIONS,
    NoNumberError,
    score_as,
)
from sklearn_ap.compatibility._records import Convention, Thresholds

# A number that is NaN comes with a warning, which one test of `score_as` asks for.
pytestmark = pytest.mark.filterwarnings("ignore:The number of .* is NaN")

CONTINUOUS = (
    3 - np.log(3 / 2) - np.log(4 / 3)
) / 3  # Davis and Goadrich from (tp, fp) = (1, 1) on
STEP = (1 + 2 / 3 + 0.75) / 3
BEST_BEYOND = (1 + 0.75 + 0.75) / 3
JOINED = (1 + (1 / 2 + 2 / 3) / 2 + (2 / 3 + 3 / 4) / 2) / 3
# A number by hand for each record of a package that was not run: the labels are 1, 0, 1,
# 1 from the best score down, so R = 3.
FROM_SOURCE = {
    # A recall of 1/3 reaches the levels 0, .1, .2 and .3.
    "VOC 2007": 1 * 4 / 11 + 0.75 * 7 / 11,
    "VOC 2010": BEST_BEYOND,
    "gluoncv": BEST_BEYOND,
    # A recall of 1/3 reaches 13/40.
    "40 levels j/40": (13 * 1 + 27 * 0.75) / 40,
    "PRROC auc.integral": CONTINUOUS,
    "PRROC auc.davis.goadrich": JOINED,
    "yardstick average_precision": STEP,
    "yardstick pr_auc": JOINED,
    "precrec": CONTINUOUS,
    # This is the mean of the precisions at all four rows, positive or not.
    "Elliot MAP": (1 + 1 / 2 + 2 / 3 + 3 / 4) / 4,
    "mean of P@k at every rank": (1 + 1 / 2 + 2 / 3 + 3 / 4) / 4,
    # The first three rows, as many as there are positives.
    "gist 7337391, average_precision_score(k)": (1 + 2 / 3) / 3,
    "eleven precisions over 10": 1 * 4 / 10 + 0.75 * 7 / 10,
    "Spark areaUnderPR < 2.3": JOINED,
    "burn AucPrMetric": STEP,
    "burn AucPrMetric < 2026-09": STEP,
    "pairs sorted together": STEP,
    "Market-1501": JOINED,
    "OGB MRR": 1.0,
    "HashNet mAP@k": STEP,
    "AP@k over hits, stable ties": STEP,
    "ragas context_precision": STEP,
    # The threshold with a recall of .8 retrieves all rows.
    "balanced_precision(0.8)": 1 / (1 + 1),
}


def test_each_record_from_source_has_a_number_by_hand():
    assert {*FROM_SOURCE} == {name for name, one in CONVENTIONS.items() if not one.run}


CUT = [name for name, one in CONVENTIONS.items() if one.cut == "k"]


@pytest.mark.parametrize("name", CUT)
def test_a_cut_at_a_share_of_rows_divides_each_query(name):
    """Half of the rows are three of the first query, and two of the second one."""
    first = [0, 1, 1, 1, 0, 1], [6, 5, 4, 3, 2, 1]
    second = [1, 0, 1, 0], [4, 3, 2, 1]
    expected = [score_as(name, *first, k=3), score_as(name, *second, k=2)]
    if CONVENTIONS[name].queries == "refused":
        found = [score_as(name, *rows, k=0.5) for rows in (first, second)]
    else:
        rows = (one + other for one, other in zip(first, second, strict=True))
        found = score_as(name, *rows, k=0.5, query_id=[*"aaaaaabbbb"], average=None)
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", FROM_SOURCE)
def test_records_from_source_by_hand(name):
    value = score_as(name, [1, 0, 1, 1], [4, 3, 2, 1], **used_by(name, k=4))
    assert value == pytest.approx(FROM_SOURCE[name], abs=1e-12)


# Areas, and conditions to reach a level, that count rows.
COUNTS_ROWS = {
    *("reciprocal rank", "success", "precisions", "reciprocal of the mean rank"),
    *("linear, fewest retrieved", "davis-goadrich, unit steps"),
    *("documents", "rounded documents", "nearest positives"),
}


@pytest.mark.parametrize("total", ["found", "stated"])
def test_a_weight_is_a_number_of_copies(total):
    """That is so for every definition, or its weights must be equal."""
    y_true, query = np.array([0, 1, 0, 1, 1, 0, 1, 0]), np.array([*"aaaaabbb"])
    y_score, weight = np.array([8, 7, 7, 6, 6, 6, 5, 3]) / 10, [1, 2, 0, 3, 1, 2, 1, 2]
    copies = [rows.repeat(weight) for rows in (y_true, y_score)]
    totals = {"n_positives": {"a": 9, "b": 2.5}} if total == "stated" else {}
    fields = {"weights": "used", "ties": "proportional", "queries": "mean"}
    fields |= {"cut": None, "capped": False, "normalizer": "n_positives"}
    weighted = {"query_id": query, "sample_weight": weight, **totals}
    repeated = {"query_id": query.repeat(weight), **totals}
    for convention in CONVENTIONS.values():
        record = replace(convention, total=total, **fields)
        if (record.grid.met_by if record.grid else record.area) in COUNTS_ROWS:
            with pytest.raises(NoNumberError, match=r"^sample_weight must be equal"):
                score_as(record, y_true, y_score, **weighted)
            continue
        expected = score_as(record, *copies, **repeated)
        found = score_as(record, y_true, y_score, **weighted)
        assert found == pytest.approx(expected), record.name


# --- thresholds -----------------------------------------------------------------------

EVEN = [0.0, 0.25, 0.5, 0.75, 1.0]


@pytest.mark.parametrize(
    ("thresholds", "scores", "places"),
    [
        # Two groups of five scores have two scores each, and the last one is left.
        (Thresholds(2, "merged"), [5, 4, 3, 2, 1], [3, 3, 2, 2, 1]),
        (Thresholds(2, "merged"), [3, 2, 2, 1, 0], [3, 3, 3, 2, 2]),
        # As in Spark, the quotient 5 / 3 is a whole number: groups of one score.
        (Thresholds(3, "merged"), [5, 4, 3, 2, 1], [5, 4, 3, 2, 1]),
        # The thresholds are 0, 0.5 and 1. Scores of -1 are never retrieved.
        (Thresholds(3, "at or above"), EVEN, [0, 0, 1, 1, 2]),
        (Thresholds(3, "above"), EVEN, [0, 0, 0, 1, 1]),
        (Thresholds(3, "strictly above"), EVEN, [-1, 0, 0, 1, 1]),
    ],
)
def test_scores_become_places(thresholds, scores, places):
    record = Convention(name="x", thresholds=thresholds)
    for labels in product((0, 1), repeat=5):
        if any(labels):
            found = np.multiply(labels, np.greater_equal(places, 0))
            expected = sklearn_ap.average_precision_score(
                found, places, n_positives=sum(labels)
            )
            assert score_as(record, labels, scores) == pytest.approx(expected)

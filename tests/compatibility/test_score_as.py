"""The number of a convention: known numbers, values in place of a number, orders of equal
scores, containers, and errors.
"""

from functools import partial
from itertools import product
from math import nan

import numpy as np
import pytest
from scipy.special import expit

import sklearn_ap
from scores import FAMILY_S, FAMILY_Y, TIED_S, TIED_Y, used_by
from sklearn_ap.compatibility import (
    CONVENTIONS,
    NoNumberError,
    compare_conventions,
    identify,
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
    "ragas context_precision": STEP,
    # The threshold with a recall of .8 retrieves all rows.
    "balanced_precision(0.8)": 1 / (1 + 1),
}
# The same for records with a cut, which is above positives here: it is after two of the
# labels 1, 0, 1, 1, or of 0, 0, 1, 1 for scores of the first positive.
FROM_SOURCE_AT_2 = {
    "Elliot MAP": ([1, 0, 1, 1], (1 + 1 / 2) / 2),
    "gist 7337391, average_precision_score(k)": ([1, 0, 1, 1], 1 / 3),
    "HashNet mAP@k": ([1, 0, 1, 1], 1.0),
}


def test_each_record_from_source_has_a_number_by_hand():
    assert {*FROM_SOURCE} == {name for name, one in CONVENTIONS.items() if not one.run}
    with_cut = {name for name in FROM_SOURCE if CONVENTIONS[name].cut == "k"}
    assert {*FROM_SOURCE_AT_2} == with_cut


@pytest.mark.parametrize("name", FROM_SOURCE_AT_2)
def test_records_from_source_end_at_their_cut(name):
    labels, expected = FROM_SOURCE_AT_2[name]
    value = score_as(name, labels, [4, 3, 2, 1], k=2)
    assert value == pytest.approx(expected, abs=1e-12)


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


@pytest.mark.parametrize(
    ("name", "labels", "scores", "value"),
    [
        ("PRROC auc.integral", [0, 0], [2, 1], nan),
        # The curve is horizontal up to the first tied group.
        ("PRROC auc.davis.goadrich", [1, 1, 0, 0], [1, 1, 1, 0], 2 / 3),
        ("gluoncv", [1, 0], [1, 1], 0.5),
        ("VOC 2010", [1, 0], [1, 1], 1.0),
        ("HashNet mAP@k", [0, 1], [2, 1], nan),
        # Positives first distinguish it from the records with the number STEP.
        ("pairs sorted together", [0, 0, 1], [1, 1, 1], 1.0),
        # The first positive is in the middle of ranks 1 and 2.
        ("OGB MRR", [1, 0, 0], [1, 1, 0], 2 / 3),
        ("ragas context_precision", [0, 0], [2, 1], 0.0),
    ],
)
def test_odd_inputs_of_records_from_source_by_hand(name, labels, scores, value):
    found = score_as(name, labels, scores, **used_by(name, k=1))
    assert found == pytest.approx(value, nan_ok=True)


def test_queries_without_a_hit_leave_the_mean_of_hashnet():
    score = partial(
        score_as,
        "HashNet mAP@k",
        *([0, 0, 1, 0, 1, 1, 0, 0], [4, 3, 2, 4, 3, 2, 2, 1]),
        query_id=[1, 1, 1, 2, 2, 2, 3, 3],
    )
    assert score(k=2) == 1 / 2
    np.testing.assert_array_equal(score(k=2, average=None), [nan, 1 / 2, nan])


def test_ragas_divides_by_what_was_retrieved():
    value = (1 / 2 + 2 / 3) / (2 + 1e-10)
    found = score_as("ragas context_precision", [0, 1, 1], [3, 2, 1])
    assert found == pytest.approx(value, abs=1e-9)


ROWS = {"y_true": [1, 0, 1, 1], "y_score": [4, 3, 2, 1]}
QUERY = {"query_id": ["a", "a", "b", "b"]}


def test_a_query_whose_rows_have_weight_0_keeps_its_total():
    given = {"n_positives": {"a": 4, "b": 4}, "sample_weight": [1, 1, 0, 0]}
    found = score_as("average precision", **ROWS, **QUERY, **given)
    assert found == sklearn_ap.average_precision_score(**ROWS, **QUERY, **given)


def test_the_number_of_each_query():
    """A query without rows counts if it has a total."""
    labels, scores, query = [1, 0, 0, 1, 0, 0], [2, 2, 1, 3, 1, 1], [*"bbbaac"]
    rows = {"query_id": query, "n_positives": {"a": 4, "b": 2, "c": 0, "0": 3}}
    # Among equal scores, y ranks before x.
    rows["item_id"] = [*"xyzxyz"]
    score = partial(score_as, "trec_eval map")
    found = sklearn_ap.score_by_query(score, labels, scores, **rows)
    assert found == {"0": 0.0, "a": 1 / 4, "b": 1 / 2 / 2, "c": 0.0}
    assert list(found) == ["0", "a", "b", "c"]
    mean = score(labels, scores, **rows)
    assert mean == pytest.approx((1 / 4 + 1 / 4) / 4, abs=1e-15)


def test_a_total_is_of_each_query_for_every_convention():
    with pytest.raises(ValueError, match=r"n_positives must not be below .* for 'b', "):
        compare_conventions(**ROWS, **QUERY, n_positives={"a": 4, "b": 1})


@pytest.mark.parametrize(
    ("name", "labels", "items", "value"),
    [
        ("trec_eval map", [1, 0], ["d9", "d10"], 1.0),
        ("trec_eval map", [1, 0], np.array([9, 10]), 1.0),
        ("sentence-transformers map@k", [0, 1], ["d9", "d10"], 1.0),
    ],
)
def test_order_of_equal_scores_by_item_id_text(name, labels, items, value):
    """As strcmp compares them, "d9" is above "d10"."""
    options = used_by(name, k=2, item_id=items)
    assert score_as(name, labels, [1, 1], **options) == value


def test_the_order_of_equal_scores_below_a_cut_may_be_open():
    rows = [1, 0, 1, 0], [3, 2, 1, 1]
    assert score_as("ranx map@k", *rows, k=2) == 1 / 2
    assert score_as("HashNet mAP@k", *rows, k=2) == 1
    # A record without a cut takes all rows, although others are cut.
    found = compare_conventions(*rows, k=2, conventions="torchmetrics RetrievalMAP")
    assert found.rows[0].value is None


def test_weights_that_differ_leave_the_range_over_orders_unknown():
    """The range is that over orders of rows of equal weight."""
    record = Convention(name="mine", ties="unspecified")
    with pytest.raises(NoNumberError, match="leaves their order open") as caught:
        score_as(record, [1, 0, 1, 0], [2, 2, 1, 0], sample_weight=[1, 2, 3, 1])
    assert caught.value.low is None


def test_items_of_rows_of_weight_0_do_not_count():
    record = Convention(name="weighted", ties="item_id")
    weights = {"sample_weight": [1, 0, 1], "item_id": ["b", "a", "c"]}
    assert score_as(record, [0, 0, 1], [1, 1, 1], **weights) == 1.0


def test_if_no_query_counts_the_number_is_that_of_one_without_positives():
    outside = {"left_out": True, "without_positives": 0.25, "without_negatives": 0.5}
    record = Convention(name="none left", queries="mean", **outside)
    assert score_as(record, [1, 0], [1, 1], query_id=[1, 2]) == 0.25


FAMILY, TIED = (FAMILY_Y, FAMILY_S), (TIED_Y, TIED_S)


@pytest.mark.parametrize(
    ("name", "rows", "options", "text"),
    [
        ("ml_metrics apk", FAMILY, {}, "k is required: 'ml_metrics apk' cuts"),
        ("trec_eval map", TIED, {}, "item_id is required: .* pass one id per row"),
        (
            "trec_eval map",
            TIED,
            {"item_id": [1, None] * 3},
            "item_id is missing in row 1",
        ),
        (
            "reciprocal rank",
            TIED,
            {"sample_weight": range(6)},
            "sample_weight must be equal inside each ranking for 'reciprocal rank': a rank counts rows",
        ),
        ("ranx map", TIED, {}, "y_score contains equal scores .* 'ranx map'"),
        (
            *("COCO", (np.eye(3, dtype=int), np.eye(3)), {}),
            r"^y_true must be binary; .* interpolated_average_precision_score\(.*, "
            "recall_levels=np",
        ),
    ],
)
def test_errors_name_the_argument(name, rows, options, text):
    with pytest.raises(ValueError, match=text):
        score_as(name, *rows, **options)


@pytest.mark.parametrize(
    ("value", "tol", "text"),
    [
        ("many", None, "value must be a number, .*; got 'many'"),
        (nan, None, "value must be a number"),
        (10**400, None, "value must be a number"),
        (0.5, 10**400, "tol must be None or a number"),
        (0.5, -1, "tol must be None or a number >= 0; got -1"),
    ],
)
def test_arguments_that_identify_cannot_use_raise_an_error(value, tol, text):
    with pytest.raises(ValueError, match=text):
        identify(value, *FAMILY, tol=tol)


def test_names_of_conventions_are_text():
    with pytest.raises(ValueError, match=r"^convention must be a name in CONV"):
        compare_conventions(*FAMILY, conventions=3)


# A document of two chunks has two rows.
TWICE = {"y_true": [1, 1, 0, 0], "y_score": [4, 3, 2, 1]}


@pytest.mark.parametrize(
    ("queries", "items", "text"),
    [
        (list("qqrr"), list("aabc"), "'a' in several rows of query 'q'"),
        ([1, 2, 1, 1], [b"a", b"b", b"b", b"a"], "'a' in several rows of query 1"),
        (None, [1, 2, 1, 3], "'1' in several rows of the ranking"),
    ],
)
def test_an_item_occurs_once_per_ranking(queries, items, text):
    with pytest.raises(ValueError, match=f"^item_id must name an item once.*{text}"):
        identify(1.0, **TWICE, query_id=queries, item_id=items)


def test_an_item_may_occur_in_each_query():
    ids = {"query_id": list("qrqr"), "item_id": list("aabb")}
    assert score_as("trec_eval map", **TWICE, **ids) == 1.0


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


def test_scores_below_0_are_taken_through_a_sigmoid():
    name, labels, scores = "torchmetrics, thresholds=5", [1, 0, 1], [-0.3, 0.2, 0.9]
    assert score_as(name, labels, scores) == score_as(name, labels, expit(scores))
    # Two probabilities are below the threshold 1/4; their sigmoids are beyond 1/2.
    assert score_as(name, labels, [0.1, 0.2, 0.9]) == pytest.approx(5 / 6)
    # 0 and 1 are probabilities. Their sigmoids are in one bin with those of others.
    assert score_as("torchmetrics, thresholds=100", [1, 0], [1, 0.99]) == 1
    assert score_as("torchmetrics, thresholds=100", [1, 0], [0.02, 0]) == 1


@pytest.mark.parametrize(
    ("distance", "same"),
    [(0.99e-8, [1, 1, 0, 0]), (1.01e-8, [3, 2, 1, 0])],
)
def test_catboost_ties_scores_within_1e_8(distance, same):
    score = partial(score_as, "CatBoost PRAUC", [1, 0, 1, 0])
    assert score([distance, 0, -0.5 + distance, -0.5]) == score(same)
    assert score([1, 1, 0, 0]) != score([3, 2, 1, 0])


@pytest.mark.parametrize(
    ("name", "scores", "value"),
    [
        # In float32, the first two scores are infinite.
        ("burn AucPrMetric", [1e300, 1e299, 0], 1 / 2),
        # In float64, the distance of the first two scores is infinite.
        ("CatBoost PRAUC", [1.7e308, -1.7e308, -1.7e308], 1),
    ],
)
def test_scores_that_overflow_as_in_the_packages_give_no_warning(name, scores, value):
    assert score_as(name, [1, 0, 0], scores) == value


def test_a_number_that_is_nan_says_why():
    with pytest.warns(UserWarning, match="'Market-1501' is NaN, .* no positives"):
        score_as("Market-1501", [1, 0, 0], [3, 2, 1], query_id=[0, 0, 1])


def test_without_a_cut_the_hits_are_all_positives_in_any_order():
    with pytest.raises(NoNumberError) as info:
        score_as("torchmetrics RetrievalMAP", [1, 0], [0.5, 0.5])
    assert (info.value.low, info.value.high) == (1 / 2, 1)

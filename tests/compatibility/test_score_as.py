"""The number of a convention: known ones, odd answers, orders, containers, errors."""

import re
from functools import partial
from math import isnan, nan

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

import sklearn_ap
from scores import FAMILY_S, FAMILY_Y, TIED_S, TIED_Y
from sklearn_ap import interpolated_average_precision_score
from sklearn_ap.compatibility import (
    CONVENTIONS,
    compare_conventions,
    identify,
    score_as,
)
from sklearn_ap.compatibility._records import Convention, even_thresholds

CONTINUOUS = (
    3 - np.log(3 / 2) - np.log(4 / 3)
) / 3  # Davis and Goadrich from (tp, fp) = (1, 1) on
STEP = (1 + 2 / 3 + 0.75) / 3
BEST_BEYOND = (1 + 0.75 + 0.75) / 3
JOINED = (1 + (1 / 2 + 2 / 3) / 2 + (2 / 3 + 3 / 4) / 2) / 3
# Of records that no package was run for: one value each by hand, of 1, 0, 1, 1 with R =
# 3 (or as told).
FROM_SOURCE = {
    "VOC 2007": 1 * 4 / 11 + 0.75 * 7 / 11,  # 0, .1, .2 and .3 are met by 1/3
    "VOC 2010": BEST_BEYOND,
    "gluoncv": BEST_BEYOND,
    "40 levels j/40": (13 * 1 + 27 * 0.75) / 40,  # 13/40 is below 1/3
    "trec_eval 11pt, version 10": (1 * 5 + 0.75 * 6)
    / 11,  # round(.4 * 3) is 1, round(.5 * 3) is 2
    "PRROC auc.integral": CONTINUOUS,
    "PRROC auc.davis.goadrich": JOINED,
    "yardstick average_precision": STEP,
    "yardstick pr_auc": JOINED,
    "precrec": CONTINUOUS,
    "Elliot MAP": (1 + 1 / 2 + 2 / 3 + 3 / 4)
    / 4,  # the precision at each of four rows, hits or not
    "Spark areaUnderPR, before 2.3": JOINED,
    "torchmetrics RetrievalMAP < 1.7.4": STEP,
    "MAP@R": (1 + 2 / 3) / 3,
    "RePlay MAP": STEP,
    "PyTorch Geometric LinkPredMAP": STEP,
    "MTEB MRR@k": 1.0,
    "burn AucPrMetric": STEP,
    "burn AucPrMetric, earlier": STEP,
    "Market-1501": JOINED,
    "torchmetrics RetrievalHitRate, top_k": 1.0,
    "OGB MRR": 1.0,
    "HashNet mAP@k": STEP,
    "ragas context_precision": STEP,
    "balanced_precision(0.8)": 1 / (1 + 1),  # all rows are retrieved there
}


def test_records_from_source_by_hand():
    y_true, y_score = [1, 0, 1, 1], [4, 3, 2, 1]
    assert set(FROM_SOURCE) == {
        name for name, one in CONVENTIONS.items() if not one.run
    }
    for name, value in FROM_SOURCE.items():
        assert score_as(name, y_true, y_score, k=4) == pytest.approx(
            value, abs=1e-12
        ), name
    assert isnan(score_as("PRROC auc.integral", [0, 0], [2, 1]))
    for labels in ([0, 0], [1, 1]):
        with pytest.raises(ValueError, match="is an error for 'precrec'"):
            score_as("precrec", labels, [2, 1])
    # a first group is flat
    tied = score_as("PRROC auc.davis.goadrich", [1, 1, 0, 0], [1, 1, 1, 0])
    assert tied == pytest.approx(2 / 3)
    assert score_as("gluoncv", [1, 0], [1, 1]) == 0.5
    assert score_as("VOC 2010", [1, 0], [1, 1]) == 1.0


def test_ogb_and_pykeen_take_the_mean_rank_among_ties():
    """Not the mean of the reciprocals, which `reciprocal_rank_score` has."""
    y_true, y_score, edge = [1, 0, 0, 0, 1], [2, 2, 2, 3, 1], [1, 1, 1, 1, 2]
    mean_rank = ((1 + 1) + (1 + 3)) / 2
    for name in ("OGB MRR", "PyKEEN MRR, realistic"):
        found = score_as(name, y_true, y_score, query_id=edge)
        assert found == pytest.approx((1 / mean_rank + 1) / 2)
    assert score_as("OGB MRR", [1, 0, 0], [1, 1, 1]) == 1 / 2
    mean = sklearn_ap.reciprocal_rank_score([1, 0, 0], [1, 1, 1])
    assert mean == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)


def test_queries_without_a_hit_leave_the_mean_of_hashnet():
    y_true, y_score = [0, 0, 1, 0, 1, 1, 0, 0], [4, 3, 2, 4, 3, 2, 2, 1]
    query = [1, 1, 1, 2, 2, 2, 3, 3]
    rows = {"y_true": y_true, "y_score": y_score, "query_id": query}
    assert score_as("HashNet mAP@k", **rows, k=2) == 1 / 2
    each = score_as("HashNet mAP@k", **rows, k=2, average=None)
    assert np.array_equal(each, [nan, 1 / 2, nan], equal_nan=True)
    whole = score_as("HashNet mAP@k", **rows, k=3)
    assert whole == pytest.approx((1 / 3 + (1 / 2 + 2 / 3) / 2) / 2)
    assert isnan(score_as("HashNet mAP@k", [0, 1], [2, 1], k=1))


def test_ragas_divides_by_what_was_retrieved():
    verdicts = [0, 1, 1]
    value = (1 / 2 + 2 / 3) / (2 + 1e-10)
    found = score_as("ragas context_precision", verdicts, [3, 2, 1], n_positives=9)
    assert found == pytest.approx(
        value, abs=CONVENTIONS["ragas context_precision"].error
    )
    assert score_as("ragas context_precision", [0, 0], [2, 1]) == 0.0
    assert "ragas context_precision" in str(identify(value, verdicts, [3, 2, 1]))


def test_balanced_precision_is_that_of_equally_frequent_classes():
    y_true, y_score = [1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0], np.arange(11, 0, -1)
    # 4 of 5 positives and 1 of 6 negatives
    value = (4 / 5) / (4 / 5 + 1 / 6)
    found = score_as("balanced_precision(0.8)", y_true, y_score)
    assert found == pytest.approx(value, abs=1e-15)
    ours = sklearn_ap.precision_at_recall_score(
        y_true, y_score, recall=0.8, prevalence=0.5
    )
    assert found == ours


def test_oxford_compute_ap_joins_points_from_precision_1():
    """Over all positives of the ground truth."""
    for labels, area in (([1, 0, 1, 1], JOINED * 3 / 5), ([0, 1], (0 + 1 / 2) / 2 / 5)):
        scores = range(len(labels), 0, -1)
        found = score_as("Oxford compute_ap", labels, scores, n_positives=5)
        assert found == pytest.approx(area, abs=1e-15)


def test_a_total_is_of_each_query_for_every_convention():
    """As in our functions; pooled rankings add the totals up."""
    given = {"query_id": ["a", "a", "b", "b"], "n_positives": {"a": 4, "b": 4}}
    labels, scores = [1, 0, 1, 1], [4, 3, 2, 1]
    pooled = Convention(name="pooled", total="stated")
    assert score_as(pooled, labels, scores, **given) == score_as(
        pooled, labels, scores, n_positives=8
    )
    weighted = {**given, "sample_weight": [1, 1, 0, 0]}  # b has no row that counts
    expected = sklearn_ap.average_precision_score(labels, scores, **weighted)
    assert (
        score_as("average precision", labels, scores, **weighted) == expected == 0.125
    )
    for totals, text in (
        (4, "must be .* a mapping .*; got 4"),
        ({"a": 4, "b": 1}, "must not be below .* for 'b', where 2"),
        ({"a": 4}, "contains no total for query 'b'"),
    ):
        given["n_positives"] = totals
        with pytest.raises(ValueError, match=f"n_positives {text}"):
            compare_conventions(labels, scores, **given)


def test_order_of_equal_scores_by_item_id_text():
    """As strcmp: "d9" is above "d10", and capitals are below small letters."""
    ascending = "sentence-transformers map@k"
    for name, labels, items, value in (
        ("trec_eval map", [1, 0], ["d9", "d10"], 1.0),
        ("trec_eval map", [1, 0], ["D9", "d10"], 0.5),
        ("trec_eval map", [1, 0], np.array([9, 10]), 1.0),
        (ascending, [1, 0], ["d9", "d10"], 0.5),
        (ascending, [0, 1], ["d9", "d10"], 1.0),
    ):
        assert score_as(name, labels, [1, 1], k=2, item_id=items) == value
    weights = {"sample_weight": [1, 0, 1], "item_id": ["c", "a", "b"]}
    assert (
        score_as(
            Convention(name="weighted", ties="item_id"), [0, 0, 1], [1, 1, 1], **weights
        )
        == 0.5
    )
    assert score_as("trec_eval map", [1, 0, 1], [3, 2, 1]) == average_precision_score(
        [1, 0, 1], [3, 2, 1]
    )


FAMILY, TIED = (FAMILY_Y, FAMILY_S), (TIED_Y, TIED_S)


@pytest.mark.parametrize(
    ("name", "rows", "options", "text"),
    [
        ("COCOA", FAMILY, {}, "convention must be .*; did you mean .*'COCO'"),
        (7, FAMILY, {}, "convention must be .*got 7"),
        ("ml_metrics apk", FAMILY, {}, "k is required: 'ml_metrics apk' cuts"),
        ("ml_metrics apk", FAMILY, {"k": 0}, "k must be None, an integer >= 1"),
        ("trec_eval map", TIED, {}, "item_id is required: .* pass one id per row"),
        ("trec_eval map", TIED, {"item_id": [1]}, "item_id must be one id for each"),
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
            "COCO",
            FAMILY,
            {"sample_weight": [2] * 10, "n_positives": 30},
            "n_positives is a total weight if sample_weight is passed, but 'COCO' ignores sample_weight",
        ),
        ("COCO", FAMILY, {"n_positives": 2}, "n_positives must not be below"),
        ("COCO", (np.eye(3, dtype=int), np.eye(3)), {}, "y_true must be binary"),
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
def test_what_identify_refuses(value, tol, text):
    with pytest.raises(ValueError, match=text):
        identify(value, *FAMILY, tol=tol)


def test_names_of_conventions_are_text():
    with pytest.raises(ValueError, match="conventions must be names in CONV"):
        compare_conventions(*FAMILY, conventions=3)


TWICE = {"y_true": [1, 1, 0, 0], "y_score": [4, 3, 2, 1]}  # a document of two chunks


@pytest.mark.parametrize(
    ("queries", "items", "text"),
    [
        (list("qqrr"), list("aabc"), "'a' in several rows of query 'q'"),
        ([1, 2, 1, 1], [b"a", b"b", b"b", b"a"], "'a' in several rows of query 1"),
        (
            [("q", 1)] * 4,
            [1.5, 0.5, 0.5, 0.5],
            "'0.5' in several rows of query ('q', 1)",
        ),
        (None, [1, 2, 1, 3], "'1' in several rows of the ranking"),
    ],
)
def test_an_item_occurs_once_per_ranking(queries, items, text):
    for call in (
        partial(score_as, "trec_eval map"),
        partial(compare_conventions, conventions="VOC 2007"),
        partial(identify, 1.0),
    ):
        options = {"query_id": queries and np.fromiter(queries, object)}
        with pytest.raises(ValueError, match=re.escape(text)) as caught:
            call(**TWICE, **options, item_id=items)
        assert str(caught.value).startswith("item_id must name an item once per")
    by_query = score_as(
        "trec_eval map", **TWICE, query_id=list("qrqr"), item_id=list("aabb")
    )
    assert by_query == 1.0


def test_mteb_orders_equal_scores_by_descending_id_and_examples_without_positives_are_left_out():
    rows = {
        "y_true": [1, 0, 0, 0],
        "y_score": [1, 1, 2, 1],
        "query_id": ["a", "a", "b", "b"],
        "k": 2,
    }
    assert score_as("MTEB MRR@k", **rows, item_id=["d2", "d1", "d1", "d2"]) == 0.5
    assert score_as("MTEB MRR@k", **rows, item_id=["d1", "d2", "d1", "d2"]) == 0.25
    assert score_as("PyTorch Geometric LinkPredMAP", **rows) == 1.0


# --- thresholds -----------------------------------------------------------------------


@pytest.mark.parametrize("count", [100, 200, 1000])
def test_even_thresholds_are_computed_from_both_ends(count):
    """A float32 step, added up from 0 for the lower half and taken off 1 for the upper
    half.
    """
    step = float(np.float32(1 / (count - 1)))
    lower = [np.float32(place * step) for place in range(count // 2)]
    upper = [
        np.float32(1 - place * step) for place in reversed(range(count - count // 2))
    ]
    assert even_thresholds(count).tolist() == [*lower, *upper]
    assert even_thresholds(count).tolist() != [
        np.float32(place * step) for place in range(count)
    ]


@pytest.mark.parametrize(
    "record", [name for name, one in CONVENTIONS.items() if one.thresholds is not None]
)
def test_thresholds_rank_many_rows_as_few(record):
    """As many rows as are sorted by packed scores, whose range is that of the
    thresholds.
    """
    rng = np.random.default_rng(0)
    y_true = (rng.random(2_000) < 0.3).astype(int)
    y_score = 3 * (rng.normal(size=2_000) + y_true)
    few = score_as(record, y_true, y_score)
    assert score_as(record, np.tile(y_true, 30), np.tile(y_score, 30)) == pytest.approx(
        few, rel=1e-9
    )


def test_the_descent_to_recall_1_is_a_triangle():
    rows = [1, 0, 1], [3, 2, 1]
    record = Convention(
        name="descent", area="interpolated", last_point="(1, 0)", total="stated"
    )
    # Half of all positives are found at precision 2/3, which falls to 0 over the other
    # half.
    expected = (
        interpolated_average_precision_score(*rows, n_positives=4) + 2 / 3 / 2 / 2
    )
    assert score_as(record, *rows, n_positives=4) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("distance", "is_tied"), [(0.99e-8, True), (1.01e-8, False), (1.9e-8, False)]
)
def test_catboost_ties_scores_within_1e_8(distance, is_tied):
    tied = score_as("CatBoost PRAUC", [1, 0, 1, 0], [1, 1, 0, 0])
    apart = score_as("CatBoost PRAUC", [1, 0, 1, 0], [3, 2, 1, 0])
    scores = [distance, 0, -0.5 + distance, -0.5]
    found = score_as("CatBoost PRAUC", [1, 0, 1, 0], scores)
    assert found == (tied if is_tied else apart)
    assert tied != apart


def test_keras_never_retrieves_a_score_of_0():
    """Its lowest threshold is 0, and a score must exceed it."""
    y_true, y_score = [1, 1, 1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6, 0.5, 0.0]
    assert score_as("Keras PrecisionAtRecall(0.8)", y_true, y_score) == 1.0
    assert score_as("Keras PrecisionAtRecall(0.8)", y_true[1:], y_score[1:]) == 0.0
    ours = sklearn_ap.precision_at_recall_score(y_true[1:], y_score[1:], recall=0.8)
    assert ours == pytest.approx(4 / 5)

"""`sklearn_ap.compatibility` as a user meets it: records, numbers, tables, errors, and the page."""

import ast
import csv
import doctest
import inspect
import io
import json
import re
from dataclasses import FrozenInstanceError, fields, replace
from decimal import Decimal
from html import escape
from html.parser import HTMLParser
from math import isnan, nan
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, label_ranking_average_precision_score
from test_scikit_learn_versions import HISTORY

import sklearn_ap
from sklearn_ap import compatibility
from sklearn_ap.compatibility import (
    CHOICES,
    CONVENTIONS,
    OPTIONS,
    Convention,
    Grid,
    Thresholds,
    compare,
    identify,
    score_as,
)
from sklearn_ap.compatibility._page import page
from sklearn_ap.compatibility._records import FAMILY, GROUPS
from sklearn_ap.compatibility._rendering import FORMATS

DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)

FAMILY_Y, FAMILY_S = [1, 0, 1, 1, 0, 0, 1, 0, 0, 1], [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
MCCANN_Y, MCCANN_S = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1], [0.99, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3]
TIED_Y, TIED_S = [1, 0, 1, 1, 0, 0], [0.9, 0.5, 0.5, 0.5, 0.5, 0.1]
RNG = np.random.default_rng(5)
LARGE_Y, LARGE_S = RNG.random(300) < 0.2, RNG.random(300).round(2)
WEIGHT = RNG.integers(0, 5, 300) / 4
QUERY = RNG.integers(0, 9, 300)


# --- records ---------------------------------------------------------------------------------------------


def test_records_the_issue_asks_for_and_their_words():
    assert len(CONVENTIONS) == sum(map(len, GROUPS.values()))
    for name, one in CONVENTIONS.items():
        assert one.name == name
        assert len(name) <= 37, "or the table is wider than a terminal"
        if one not in FAMILY:
            assert one.source
            assert one.peculiarity.endswith(".")
        if one.not_reproduced:
            assert one.not_reproduced.endswith(".")


def test_defaults_are_scikit_learn_s():
    assert CONVENTIONS["scikit-learn"].choices == Convention(name="mine").choices
    assert str(Convention(name="mine")) == "AP[precision at each threshold, times the recall gained]"
    assert list(Convention(name="mine").changes(CONVENTIONS["scikit-learn"])) == []


def test_records_are_frozen_and_every_choice_is_a_field():
    with pytest.raises(FrozenInstanceError):
        CONVENTIONS["COCO"].area = "step"
    choices = [field for names in CHOICES.values() for field in names]
    told = {"name", "versions", "source", "peculiarity", "not_reproduced", "run"}
    assert {field.name for field in fields(Convention)} == set(choices) | told
    assert set(OPTIONS) <= set(choices)
    for name, options in OPTIONS.items():
        assert next(iter(options)) == getattr(Convention(name="default"), name)


@pytest.mark.parametrize(
    ("choices", "text"),
    [
        ({"area": "steps"}, "area must be one of 'step', .*; got 'steps'"),
        ({"ties": None}, "ties must be one of 'proportional'"),
        ({"score_dtype": "float16"}, "score_dtype must be one of None, 'float32'"),
        ({"area": ["step"]}, r"area must be one of .*; got \['step'\]"),
        ({"grid": 11}, "grid must be a Grid or None; got 11"),
        ({"thresholds": 100}, "thresholds must be a Thresholds or None; got 100"),
        ({"cut": 0}, "cut must be None, 'k', 'n_positives', an integer >= 1 .*; got 0"),
        ({"cut": []}, r"cut must be None, .*; got \[\]"),
        ({"left_out": "no"}, "left_out must be a bool; got 'no'"),
        ({"without_positives": True}, "without_positives must be a number or 'error'; got True"),
        ({"without_negatives": float("inf")}, "without_negatives must be a number or 'error'; got inf"),
        ({"without_positives": "nan"}, "without_positives must be a number or 'error'; got 'nan'"),
        ({"without_positives": None}, "without_positives must be a number or 'error'; got None"),
        ({"area": "linear", "grid": Grid("two levels", 2)}, "grid needs area 'step' or 'interpolated'; got"),
        ({"area": "interpolated", "cut": "k"}, "cut and normalizer need area 'step' or 'hits'; got"),
        ({"area": "interpolated", "normalizer": "hits"}, "cut and normalizer need area 'step' or 'hits'"),
        ({"cut": 3, "grid": Grid("two levels", 2)}, "cut and normalizer go without a grid"),
        ({"cut": 3, "thresholds": Thresholds(9)}, "cut and normalizer go without thresholds"),
        (
            {"cut": "n_positives"},
            "cut='n_positives' of area 'step' needs weights .*; got cut='n_positives'.$",
        ),
        (
            {"cut": "n_positives", "area": "hits", "normalizer": "k"},
            "cut='n_positives' needs normalizer 'n_p",
        ),
        ({"cut": "n_positives", "area": "hits", "ties": "expected"}, "cut='n_positives' goes without ties"),
        ({"ties": "expected", "area": "linear"}, "ties='expected' needs area 'step' or 'hits'"),
        ({"ties": "expected", "grid": Grid("two levels", 2)}, "ties='expected' goes without a grid"),
        ({"area": "davis-goadrich, unit steps"}, "area='davis-goadrich, unit steps' needs weights 'ignored'"),
        ({"first_point": "none"}, "first_point needs area 'linear'"),
        ({"last_point": "(1, 0)"}, "last_point needs area 'interpolated'"),
        (
            {"weights": "ignored", "grid": CONVENTIONS["KITTI R40"].grid},
            "'nearest positives' needs area 'int",
        ),
        (
            {"area": "interpolated", "grid": CONVENTIONS["KITTI R40"].grid},
            "met_by='nearest positives' needs weights 'ignored'",
        ),
    ],
)
def test_choices_that_do_not_go_together(choices, text):
    with pytest.raises(ValueError, match=text):
        Convention(name="wrong", **choices)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Convention(name=3), "name must be a str; got 3"),
        (lambda: Grid("none", None), "levels must be an integer >= 2, or increasing recall .*; got None"),
        (lambda: Grid("one", 1), "levels must be an integer >= 2, or recall levels; got 1"),
        (lambda: Grid("bool", True), "levels must be an integer >= 2, or recall levels; got True"),
        (lambda: Grid("far", (0.5, 1.5)), r"levels must be .* in \[0, 1\]; got \(0.5, 1.5\)"),
        (lambda: Grid("NaN", (0.5, nan)), "levels must be an integer >= 2, or increasing"),
        (lambda: Grid("falling", (0.5, 0.2)), "levels must be an integer >= 2, or increasing"),
        (lambda: Grid("empty", ()), "levels must be an integer >= 2, or increasing"),
        (lambda: Grid("uneven", (0, 0.1, 1), weights="trapezoid"), "weights='trapezoid' needs even levels"),
        (lambda: Grid("lone", (0.5,), weights="trapezoid"), "weights='trapezoid' needs even levels"),
        (
            lambda: Grid("near", (0.5, 0.51), "nearest positives"),
            "met_by='nearest positives' needs levels j/40",
        ),
        (lambda: Grid("near", 11, "nearest positives"), "met_by='nearest positives' needs levels j/40"),
        (lambda: Grid("met", 11, "precision"), "met_by must be one of 'recall'"),
        (lambda: Grid("heavy", 11, weights="heavy"), "weights must be one of 'equal'"),
        (lambda: Thresholds(1), "count must be an integer >= 2; got 1"),
        (lambda: Thresholds(True), "count must be an integer >= 2; got True"),
        (lambda: Thresholds(10, "below"), "rule must be one of 'at or above'"),
    ],
)
def test_parts_of_a_record_are_checked(make, text):
    with pytest.raises(ValueError, match=text):
        make()


def test_levels_in_any_sequence():
    levels = [0.0, 0.5, 1.0]
    grids = [Grid("three", levels), Grid("three", np.array(levels)), Grid("three", tuple(levels))]
    assert len(set(grids)) == 1
    for grid in grids:
        convention = Convention(name="three", area="interpolated", grid=grid)
        (row,) = compare(FAMILY_Y, FAMILY_S, conventions=convention).rows
        assert row.value == sklearn_ap.interpolated_average_precision_score(
            FAMILY_Y, FAMILY_S, recall_levels=levels
        )


def test_one_row_is_not_a_share_of_one():
    one, all_rows = Convention(name="one", cut=1), Convention(name="all", cut=1.0)
    rows = compare(FAMILY_Y, FAMILY_S, conventions=[one, all_rows]).rows
    assert [row.value for row in rows] == [
        score_as(one, FAMILY_Y, FAMILY_S),
        score_as(all_rows, FAMILY_Y, FAMILY_S),
    ]
    assert rows[0].value != rows[1].value
    assert [row.stops[0].words for row in rows] == ["the first row", "the first 100% of the rows"]
    assert list(one.changes(all_rows)) == [("cut", "the first row")]


def test_a_user_s_own_record_works_the_same():
    ours = Convention(name="ours", score_dtype="float32", area="interpolated", grid=Grid("five levels", 5))
    expected = sklearn_ap.interpolated_average_precision_score(FAMILY_Y, FAMILY_S, recall_levels=5)
    assert score_as(ours, FAMILY_Y, FAMILY_S) == expected
    (row,) = compare(FAMILY_Y, FAMILY_S, conventions=ours).rows
    assert (row.name, row.value) == ("ours", expected)
    assert str(ours) == "AP[scores rounded to float32, best precision at each recall or beyond, five levels]"


# --- numbers ---------------------------------------------------------------------------------------------

FUNCTIONS = {
    "average precision": (sklearn_ap.average_precision_score, {}),
    "interpolated, all recalls": (sklearn_ap.interpolated_average_precision_score, {}),
    "interpolated, 101 levels": (sklearn_ap.interpolated_average_precision_score, {"recall_levels": 101}),
    "eleven-point": (sklearn_ap.eleven_point_average_precision_score, {}),
    "PR AUC, linear": (sklearn_ap.pr_auc_score, {}),
    "PR AUC, Davis-Goadrich": (sklearn_ap.pr_auc_score, {"interpolation": "davis-goadrich"}),
    "AP@k over min(k, R)": (sklearn_ap.average_precision_at_k_score, {"k": 7}),
    "AP@k over R": (sklearn_ap.average_precision_at_k_score, {"k": 7, "normalizer": "n_positives"}),
    "AP@k over k": (sklearn_ap.average_precision_at_k_score, {"k": 7, "normalizer": "k"}),
    "AP@k over hits": (sklearn_ap.average_precision_at_k_score, {"k": 7, "normalizer": "hits"}),
    **{
        f"AP@k, {ties} ties": (sklearn_ap.average_precision_at_k_score, {"k": 7, "ties": ties})
        for ties in ("expected", "stable", "optimistic", "pessimistic")
    },
    "precision@k": (sklearn_ap.precision_at_k_score, {"k": 7}),
    "recall@k": (sklearn_ap.recall_at_k_score, {"k": 7}),
    "R-precision": (sklearn_ap.r_precision_score, {}),
}
INPUTS = {
    "plain": {},
    "weights": {"sample_weight": WEIGHT},
    "equal weights": {"sample_weight": np.full(300, 0.1)},
    "queries": {"query_id": QUERY},
    "missed positives": {"n_positives": 100},
    "missed by query": {"query_id": QUERY, "n_positives": dict.fromkeys(range(10), 40)},
}


def test_our_own_numbers_are_all_there():
    assert list(FUNCTIONS) == [one.name for one in FAMILY]


@pytest.mark.parametrize("given", INPUTS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_our_own_numbers_are_those_of_our_functions(name, given):
    function, options = FUNCTIONS[name]
    arguments = INPUTS[given]
    taken = {key: value for key, value in arguments.items() if key in inspect.signature(function).parameters}
    ordered = options.get("ties") in ("expected", "optimistic", "pessimistic")
    if ordered and given == "weights":
        with pytest.raises(ValueError, match="sample_weight must be equal inside each ranking"):
            score_as(name, LARGE_Y, LARGE_S, k=7, **arguments)
        return
    expected = function(LARGE_Y, LARGE_S, **options, **taken)
    assert score_as(name, LARGE_Y, LARGE_S, k=7, **arguments) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_the_reference_is_the_installed_scikit_learn(weight):
    expected = average_precision_score(LARGE_Y, LARGE_S, sample_weight=weight)
    comparison = compare(LARGE_Y, LARGE_S, sample_weight=weight, query_id=QUERY)
    for row in comparison.rows:
        assert row.scikit_learn == pytest.approx(expected, abs=1e-12)


def test_label_ranking_is_a_mean_over_queries():
    labels, scores = RNG.integers(0, 2, (20, 5)), RNG.integers(0, 4, (20, 5)) / 4
    expected = label_ranking_average_precision_score(labels, scores)
    query = np.repeat(np.arange(20), 5)
    found = score_as("scikit-learn LRAP", labels.ravel(), scores.ravel(), query_id=query)
    assert found == pytest.approx(expected, abs=1e-12)


def test_published_numbers_of_perfect_detectors():
    assert score_as("Ultralytics", [1, 1, 1], [3, 2, 1], n_positives=10) == pytest.approx(0.295)
    assert score_as("Ultralytics, earlier", [1, 1, 1], [3, 2, 1], n_positives=10) == pytest.approx(0.65)
    assert score_as("Ultralytics", [1, 1, 1], [3, 2, 1]) == pytest.approx(0.995)
    for n in (1, 7, 40):
        assert score_as("KITTI R40", [1] * n, range(n, 0, -1)) == pytest.approx((n - 1) / 40)
    assert score_as("40 levels j/40", [1] * 7, range(7, 0, -1)) == pytest.approx(1)
    assert score_as("MLmetrics PRAUC", [1, 1, 1, 0, 0, 0], range(6, 0, -1)) == pytest.approx(2 / 3)
    assert score_as("ignite", MCCANN_Y, MCCANN_S) == pytest.approx(0.7333, abs=5e-5)
    assert score_as("scikit-learn < 0.19", [1] + [0] * 9, [0.5] * 10) == pytest.approx(0.55)
    y_true, y_score = [1, 0, 1, 1, 1], [5, 4, 3, 2, 1]
    for name, value in (("ml_metrics apk", 0.556), ("trec_eval map_cut", 0.417)):
        assert score_as(name, y_true, y_score, k=3) == pytest.approx(value, abs=5e-4)
    assert score_as("torchmetrics RetrievalMAP, top_k", y_true, y_score, k=3) == pytest.approx(0.8333333)


# Of records that no package was run for: one value each by hand, of 1, 0, 1, 1 with R = 3 (or as told).
FROM_SOURCE = {
    "VOC 2007": 1 * 4 / 11 + 0.75 * 7 / 11,  # 0, .1, .2 and .3 are met by 1/3
    "VOC 2010": (1 + 0.75 + 0.75) / 3,
    "gluoncv": (1 + 0.75 + 0.75) / 3,
    "40 levels j/40": (13 * 1 + 27 * 0.75) / 40,  # 13/40 is below 1/3
    "trec_eval 11pt, version 10": (1 * 5 + 0.75 * 6) / 11,  # round(.4 * 3) is 1, round(.5 * 3) is 2
    "PRROC auc.integral": (1 + (1 - np.log(3 / 2)) + (1 - np.log(4 / 3) + 0)) / 3,
    "PRROC auc.davis.goadrich": 0.0,
    "yardstick average_precision": (1 + 2 / 3 + 0.75) / 3,
    "yardstick pr_auc": (1 + (1 / 2 + 2 / 3) / 2 + (2 / 3 + 0.75) / 2) / 3,
    "precrec": 0.0,
    "Spark areaUnderPR, before 2.3": (1 + (1 / 2 + 2 / 3) / 2 + (2 / 3 + 0.75) / 2) / 3,
    "torchmetrics RetrievalMAP < 1.7.4": (1 + 2 / 3 + 0.75) / 3,
    "MAP@R": (1 + 2 / 3) / 3,
}


def test_records_from_source_by_hand():
    """Davis and Goadrich from (tp, fp) = (1, 1) on: tp + 1 over tp + 2 with a point at each positive."""
    y_true, y_score = [1, 0, 1, 1], [4, 3, 2, 1]
    continuous = (1 + (1 - np.log(3 / 2)) + (1 - np.log(4 / 3))) / 3
    joined = (1 + (1 / 2 + 2 / 3) / 2 + (2 / 3 + 3 / 4) / 2) / 3
    by_hand = FROM_SOURCE | {
        "PRROC auc.integral": continuous,
        "precrec": continuous,
        "PRROC auc.davis.goadrich": joined,
    }
    assert set(by_hand) == {name for name, one in CONVENTIONS.items() if not one.run}
    for name, value in by_hand.items():
        assert score_as(name, y_true, y_score) == pytest.approx(value, abs=1e-12), name
    for name in (
        "PRROC auc.integral",
        "PRROC auc.davis.goadrich",
        "yardstick pr_auc",
        "yardstick average_precision",
    ):
        assert isnan(score_as(name, [0, 0], [2, 1]))
    for labels in ([0, 0], [1, 1]):
        with pytest.raises(ValueError, match="'precrec' is an error"):
            score_as("precrec", labels, [2, 1])
    tied = score_as("PRROC auc.davis.goadrich", [1, 1, 0, 0], [1, 1, 1, 0])  # a first group is flat
    assert tied == pytest.approx(2 / 3)
    assert score_as("gluoncv", [1, 0], [1, 1]) == 0.5
    assert score_as("VOC 2010", [1, 0], [1, 1]) == 1.0


def test_answers_without_positives():
    answers = {name: score_as(name, [0, 0], [2, 1], k=1) for name in CONVENTIONS if _has_answer(name)}
    assert answers["LightGBM average_precision"] == answers["ml_metrics apk"] == 1.0
    assert answers["COCO"] == -1.0
    assert isnan(answers["VOC 2010"])
    assert isnan(answers["XGBoost aucpr"])
    assert isnan(score_as("XGBoost aucpr", [1, 1], [2, 1]))
    for name in ("CatBoost PRAUC", "ROCR aucpr", "MLmetrics PRAUC", "mapcalc"):
        with pytest.raises(ValueError, match=f"y_true holds no positive, without which '{name}' is an error"):
            score_as(name, [0, 0], [2, 1])
    with pytest.raises(ValueError, match="y_true holds no negative"):
        score_as("ROCR aucpr", [1, 1], [2, 1])


def _has_answer(name: str) -> bool:
    return CONVENTIONS[name].without_positives != "error"


def test_means_over_queries_count_or_leave_out_what_has_no_positive():
    labels, scores, query = [1, 0, 0, 0], [4, 3, 2, 1], ["a", "a", "b", "b"]
    means = {"trec_eval map": 0.5, "rectools MAP": 1.0, "recommenders map": 1.0, "ml_metrics apk": 1.0}
    for name, mean in means.items():
        assert score_as(name, labels, scores, query_id=query, k=2) == mean
    assert isnan(score_as("Metrics apk", labels, scores, query_id=query, k=2))
    assert isnan(score_as("rectools MAP", [0, 0], [2, 1], query_id=["a", "b"], k=2))
    assert score_as("recommenders map", [0, 0], [2, 1], query_id=["a", "b"], k=2) == 0.0


def test_scores_of_any_type_are_compared_as_numbers():
    for dtype in (np.int8, np.int64, np.uint8, np.float16, np.longdouble):
        scores = np.array([100, 0, 50, 25], dtype=dtype)
        for name in (
            "CatBoost PRAUC",
            "XGBoost aucpr",
            "Keras AUC(curve='PR')",
            "torchmetrics average_precision",
        ):
            assert score_as(name, [1, 0, 0, 1], scores) == score_as(name, [1, 0, 0, 1], scores.astype(float))
    assert score_as("CatBoost PRAUC", [1, 0], np.int8([100, -100])) == 1.0
    assert score_as("CatBoost PRAUC", [1, 0], [1.7e308, -1.7e308]) == 1.0
    assert score_as("XGBoost aucpr", [1, 0], [1e300, -1e300]) == 1.0


def test_ties_of_catboost_are_nearer_than_1e_8():
    for gap, tied in ((0.9e-8, True), (1.1e-8, False), (2e-8, False)):
        value = score_as("CatBoost PRAUC", [0, 1], [0.5, 0.5 + gap])
        assert value == (0.75 if tied else 1.0), gap
    chain = [0.5, 0.5 + 0.9e-8, 0.5 + 1.8e-8]
    assert score_as("CatBoost PRAUC", [0, 0, 1], chain) == pytest.approx((1 + 1 / 3) / 2)


def test_a_lone_score_outside_squashes_all_of_torchmetrics():
    name = "torchmetrics average_precision"
    assert score_as(name, [0, 1, 1], [1.0, 0.5, 0.25]) == average_precision_score([0, 1, 1], [3, 2, 1])
    assert score_as(name, [0, 1, 1], [30.0, 20.0, 0.25]) == average_precision_score([0, 1, 1], [3, 3, 1])


def test_positives_alone_within_rounding():
    weights = {"sample_weight": [0.1, 0.2, 0.3, 0.7, 1.1]}
    assert isnan(score_as("XGBoost aucpr", [1] * 5, [5, 4, 3, 2, 1], **weights))


def test_a_total_is_of_each_query_for_every_convention():
    """As in our functions; pooled rankings add the totals up."""
    given = {"query_id": ["a", "a", "b", "b"], "n_positives": 4}
    named = {"query_id": ["a", "a", "b", "b"], "n_positives": {"a": 4, "b": 4}}
    labels, scores = [1, 0, 1, 1], [4, 3, 2, 1]
    for name in ("average precision", "COCO", "trec_eval map"):
        assert score_as(name, labels, scores, **given) == score_as(name, labels, scores, **named)
    assert score_as("VOC 2010", labels, scores, **given) == score_as(
        "VOC 2010", labels, scores, n_positives=8
    )
    with pytest.raises(ValueError, match=r"n_positives must not be below .* for 'b', where 2"):
        compare(labels, scores, query_id=given["query_id"], n_positives=1)
    with pytest.raises(ValueError, match="n_positives names no total for query 'b'"):
        compare(labels, scores, query_id=given["query_id"], n_positives={"a": 4})


def test_order_of_equal_scores_by_item_id_text():
    """As strcmp: "d9" is above "d10", and capitals are below small letters."""
    assert score_as("trec_eval map", [1, 0], [1, 1], item_id=["d9", "d10"]) == 1.0
    assert score_as("trec_eval map", [1, 0], [1, 1], item_id=["D9", "d10"]) == 0.5
    assert score_as("trec_eval map", [1, 0], [1, 1], item_id=np.array([9, 10])) == 1.0
    weights = {"sample_weight": [1, 0, 1], "item_id": ["c", "a", "b"]}
    assert score_as(Convention(name="weighted", ties="item_id"), [0, 0, 1], [1, 1, 1], **weights) == 0.5
    assert score_as("trec_eval map", [1, 0, 1], [3, 2, 1]) == average_precision_score([1, 0, 1], [3, 2, 1])


@pytest.mark.parametrize(
    "convert",
    [list, np.array, pd.Series, lambda values: np.array(values)[:, np.newaxis]],
    ids=["list", "array", "series", "column"],
)
@pytest.mark.parametrize("name", CONVENTIONS)
def test_containers_give_the_same_number_and_are_not_modified(name, convert):
    given = [convert(values) for values in (MCCANN_Y, MCCANN_S)]
    before = [np.array(values) for values in given]
    if convert is np.array:
        for values in given:
            values.flags.writeable = False
    expected = score_as(name, MCCANN_Y, MCCANN_S, k=3)
    assert score_as(name, *given, k=3) == expected
    for values, copy in zip(given, before, strict=True):
        np.testing.assert_array_equal(np.array(values), copy)


def test_labels_of_text():
    text = ["yes" if label else "no" for label in FAMILY_Y]
    for name in ("eleven-point", "XGBoost aucpr", "COCO"):
        assert score_as(name, text, FAMILY_S, pos_label="yes") == score_as(name, FAMILY_Y, FAMILY_S)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: score_as("CoCo", FAMILY_Y, FAMILY_S), "convention must be .*; did you mean 'COCO'"),
        (
            lambda: score_as("!", FAMILY_Y, FAMILY_S),
            "convention must be a Convention or a name in CONVENTIONS",
        ),
        (lambda: score_as(7, FAMILY_Y, FAMILY_S), "convention must be .*got 7"),
        (lambda: score_as("ml_metrics apk", FAMILY_Y, FAMILY_S), "k is needed: 'ml_metrics apk' cuts"),
        (lambda: score_as("ml_metrics apk", FAMILY_Y, FAMILY_S, k=0), "k must be None, an integer >= 1"),
        (lambda: score_as("trec_eval map", TIED_Y, TIED_S), "item_id is needed: .* pass one id a row"),
        (
            lambda: score_as("trec_eval map", TIED_Y, TIED_S, item_id=[1]),
            "item_id must be one id for each",
        ),
        (
            lambda: score_as("trec_eval map", TIED_Y, TIED_S, item_id=[1, 2, 3, None, 5, 6]),
            "item_id is missing in row 3",
        ),
        (
            lambda: score_as("ranx map", TIED_Y, TIED_S),
            "y_score holds equal scores .* 'ranx map'",
        ),
        (
            lambda: score_as("COCO", FAMILY_Y, FAMILY_S, sample_weight=[2] * 10, n_positives=30),
            "n_positives is a weight beside sample_weight, which 'COCO' ignores",
        ),
        (lambda: score_as("COCO", FAMILY_Y, FAMILY_S, n_positives=2), "n_positives must not be below"),
        (lambda: score_as("COCO", np.eye(3, dtype=int), np.eye(3)), "y_true must be binary"),
        (lambda: score_as("COCO", [0, 1, 2], np.eye(3)), "y_true must be binary"),
        (lambda: score_as("COCO", [0, 1], [0.5]), "inconsistent numbers of samples"),
        (lambda: score_as("COCO", [0, 1], [0.5, nan]), "contains NaN"),
        (
            lambda: compare(FAMILY_Y, FAMILY_S, conventions=["VOC"]),
            "did you mean .*'VOC 2010'",
        ),
        (lambda: compare(FAMILY_Y, FAMILY_S, conventions=3), "conventions must be names in CONVENTIONS"),
        (lambda: compare(FAMILY_Y, FAMILY_S, n_positives=2), "n_positives must not be below"),
        (lambda: identify("many", FAMILY_Y, FAMILY_S), "value must be a number, .*; got 'many'"),
        (lambda: identify("", FAMILY_Y, FAMILY_S), "value must be a number"),
        (lambda: identify(nan, FAMILY_Y, FAMILY_S), "value must be a number"),
        (lambda: identify("nan", FAMILY_Y, FAMILY_S), "value must be a number"),
        (lambda: identify(True, FAMILY_Y, FAMILY_S), "value must be a number"),
        (lambda: identify("1e400", FAMILY_Y, FAMILY_S), "value must be a number"),
        (lambda: identify("1e-999999999", FAMILY_Y, FAMILY_S), "value must be a number"),
        (lambda: identify(10**400, FAMILY_Y, FAMILY_S), "value must be a number"),
        (lambda: identify(0.5, FAMILY_Y, FAMILY_S, tol=10**400), "tol must be None or a number"),
        (lambda: identify(0.5, FAMILY_Y, FAMILY_S, tol=-1), "tol must be None or a number >= 0; got -1"),
        (lambda: identify(0.5, FAMILY_Y, FAMILY_S, tol="small"), "tol must be None or a number >= 0"),
    ],
)
def test_errors_name_the_argument(call, text):
    with pytest.raises(ValueError, match=text):
        call()


# --- comparisons -----------------------------------------------------------------------------------------


def test_family_of_the_ranking_that_shows_all_differences():
    values = {row.name: row.value for row in compare(FAMILY_Y, FAMILY_S).rows}
    expected = [0.698, 0.714, 0.740, 0.660, 0.664]
    names = [FAMILY[place].name for place in (0, 1, 3, 4, 5)]
    assert [values[name] for name in names] == pytest.approx(expected, abs=5e-4)


def test_reasons_of_a_known_difference():
    (row,) = compare(MCCANN_Y, MCCANN_S, conventions="VOC 2007").rows
    assert [stop.choice for stop in row.stops] == ["ties", "weights", "area", "grid", "stated total"]
    (reason,) = row.reasons
    assert (reason.choice, reason.part) == ("grid", pytest.approx(row.difference, abs=1e-12))
    assert row.why == "11 levels, 0:0.1:1 +0.0121"
    assert reason.convention.grid == CONVENTIONS["VOC 2007"].grid
    assert score_as(reason.convention, MCCANN_Y, MCCANN_S) == reason.value


def test_no_number_gets_a_sentence_and_no_parts():
    conventions = ["COCO", "VOC 2010", "CatBoost PRAUC", "XGBoost aucpr"]
    comparison = compare([0, 0], [2, 1], conventions=conventions)
    for row in comparison.rows:
        assert (row.value, row.difference, row.stops, row.reasons) == (None, None, (), ())
        assert row.why == row.note
        assert row.note.endswith(".")
        assert row.name in row.note
    assert "answers -1, since a ranking holds no positive" in comparison.rows[0].note
    assert "answers nan" in comparison.rows[1].note


def test_a_stop_without_a_number_goes_with_the_next_choice():
    """An order with positives first means nothing while weights are used."""
    one = Convention(name="no weights", ties="optimistic", weights="ignored")
    (row,) = compare(TIED_Y, TIED_S, sample_weight=[1, 2, 3, 4, 5, 6], conventions=one).rows
    assert [stop.choice for stop in row.stops] == ["ties and weights"]
    assert row.stops[0].words == "positives first among equal scores, sample weights ignored"
    assert row.stops[0].part == pytest.approx(row.difference, abs=1e-15)


def test_table_fits_a_terminal_and_names_the_cut():
    given = {"item_id": list("fedcba"), "n_positives": 9, "query_id": list("aaabbb")}
    for arguments in ({}, given, {"sample_weight": [1, 2, 3, 4, 5, 6]}):
        lines = str(compare(TIED_Y, TIED_S, k=3, conventions=CONVENTIONS, **arguments)).splitlines()
        assert max(map(len, lines)) <= 80
    assert any(line.startswith("AP@3 over R ") for line in lines)
    assert str(compare(TIED_Y, TIED_S, k=0.5)).count("AP@0.5 over") == 4
    assert "AP@k over R" in str(compare(TIED_Y, TIED_S, k=None))


def test_frame():
    comparison = compare(FAMILY_Y, FAMILY_S, conventions=["eleven-point", "ml_metrics apk", "COCO"])
    frame = comparison.to_frame()
    assert (frame.dtypes["value"], frame.dtypes["difference"]) == (float, float)
    assert compare([0, 0], [2, 1], conventions="COCO").to_frame()["value"].isna().all()
    assert list(frame.columns) == ["value", "scikit_learn", "difference", "why"]
    assert list(frame.index) == ["eleven-point", "ml_metrics apk", "COCO"]
    assert frame.loc["COCO", "value"] == score_as("COCO", FAMILY_Y, FAMILY_S)
    assert frame.loc["ml_metrics apk", "why"] == comparison.rows[1].why


def test_frame_of_stops():
    comparison = compare(TIED_Y, TIED_S, k=3, conventions=["VOC 2007", "Metrics apk"])
    frame = comparison.to_frame(stops=True)
    assert list(frame.columns) == ["choice", "words", "value", "part"]
    parts = frame.groupby(level=0)["part"].sum()
    for row in comparison.rows:
        assert parts[row.name] == pytest.approx(row.difference, abs=1e-12)
        assert list(frame.loc[row.name, "value"]) == [stop.value for stop in row.stops]


def test_small_parts_are_reasons_and_rounding_is_none():
    scores = [0.5 + 1e-9, 0.5, *([0.1] * 2000)]
    labels = [1, 0, *([0, 1] * 1000)]
    (row,) = compare(labels, scores, conventions=["torcheval binary_auprc"]).rows
    assert [stop.choice for stop in row.reasons] == ["score precision"]
    assert 1e-5 < abs(row.difference) < 1e-3
    rounding = replace(row.stops[0], part=-1e-17)
    assert replace(row, stops=(rounding,)).reasons == ()
    assert "-0.0000" not in str(compatibility.Comparison((replace(row, value=row.scikit_learn - 1e-17),)))


def test_results_show_themselves_at_a_prompt():
    comparison, found = compare(FAMILY_Y, FAMILY_S), identify("0.7", FAMILY_Y, FAMILY_S)
    assert repr(comparison) == str(comparison)
    assert repr(found) == str(found)
    assert found._repr_html_() == f"<pre>{escape(str(found))}</pre>"


def test_a_frame_needs_pandas(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(ImportError, match="to_frame needs pandas: pip install pandas"):
        compare(FAMILY_Y, FAMILY_S).to_frame()


class Cells(HTMLParser):
    """The texts of a table, cell by cell."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.open = [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, _):
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):  # a table has no other text
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.rows[-1][-1] += data


def test_html_for_notebooks():
    hostile = Convention(name="a<b & <i>c", ties="unspecified")
    comparison = compare(TIED_Y, TIED_S, conventions=["scikit-learn < 0.19", "eleven-point", hostile])
    rows = Cells(comparison._repr_html_()).rows
    assert rows[0] == ["score", "value", "scikit-learn AP", "difference"]
    assert [row[0] for row in rows if len(row) == 4 and not row[0].startswith("\u2003")][1:] == [
        row.name for row in comparison.rows
    ]
    stops = [row for row in rows if row[0].startswith("\u2003") and len(row) == 4]
    told = [(f"\u2003{stop.words}", f"{stop.value:.4f}") for row in comparison.rows for stop in row.reasons]
    assert [tuple(row[:2]) for row in stops] == told
    assert rows[-1] == [f"\u2003{comparison.rows[-1].note}"]


def test_machine_readable_forms_hold_all_digits():
    comparison = compare(TIED_Y, TIED_S, conventions=["eleven-point", "ranx map", "Metrics apk"])
    told = json.loads(FORMATS["json"](comparison.rows))
    assert [row["value"] for row in told] == [row.value for row in comparison.rows]
    assert [stop["part"] for stop in told[0]["why"]] == [stop.part for stop in comparison.rows[0].stops]
    assert told[1]["note"] == comparison.rows[1].note
    (first, *_) = csv.DictReader(io.StringIO(FORMATS["csv"](comparison.rows)))
    assert float(first["value"]) == comparison.rows[0].value
    odd = replace(comparison.rows[0], name="a|b\nc")
    lines = FORMATS["markdown"]((odd, *comparison.rows)).splitlines()
    assert len(lines) == 2 + 4
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {6}


# --- which one is it? ------------------------------------------------------------------------------------


def names_of(group) -> list[str]:
    return [convention.name for convention in group.conventions]


def test_a_number_of_a_voc_script():
    found = identify("0.7955", MCCANN_Y, MCCANN_S)
    assert names_of(found.groups[0])[:2] == ["VOC 2007", "voc_ap, use_07_metric"]
    assert len(found.groups) == 1
    assert names_of(identify("0.8030", MCCANN_Y, MCCANN_S).groups[0])[0] == "eleven-point"
    assert identify("79.55%", MCCANN_Y, MCCANN_S).groups == found.groups


def test_tied_data_tell_orders_apart():
    y_true, y_score = [0, 1, 1, 0, 0, 0, 1], [9, 5, 5, 5, 5, 5, 1]
    values = {name: score_as(name, y_true, y_score) for name in ("scikit-learn", "VOC 2010", "gluoncv")}
    assert len(set(values.values())) == 3
    for name, value in values.items():
        nearest, *_ = identify(value, y_true, y_score).groups
        assert name in names_of(nearest)
        assert not (set(values) - {name}) & set(names_of(nearest))
        assert nearest.off == pytest.approx(0, abs=1e-12)


def test_tolerance_of_the_digits():
    assert identify("0.69", FAMILY_Y, FAMILY_S).tol == 0.005
    assert identify("7e-1", FAMILY_Y, FAMILY_S).tol == 0.05
    assert identify(Decimal("0.700"), FAMILY_Y, FAMILY_S).tol == 0.0005
    assert identify(np.float32(0.7), FAMILY_Y, FAMILY_S, tol=np.float32(0.5)).tol == 0.5
    assert identify("69.8 %", FAMILY_Y, FAMILY_S).tol == pytest.approx(0.0005)
    assert identify(0.69, FAMILY_Y, FAMILY_S).tol == 1e-6
    assert identify("0.69", FAMILY_Y, FAMILY_S, tol=0.1).tol == 0.1
    values = [group.value for group in identify("0.7", FAMILY_Y, FAMILY_S).groups]
    assert all(0.65 <= value <= 0.75 for value in values)
    offs = [abs(group.off) for group in identify("0.7", FAMILY_Y, FAMILY_S).groups]
    assert offs == sorted(offs)


def test_half_a_unit_is_near_enough_and_more_is_not():
    y_true, y_score = [1, 0, 1, 0], [4, 3, 2, 1]
    assert score_as("R-precision", y_true, y_score) == 0.5
    for asked, found in (("0.5", True), ("0.49", False), ("0.51", False), ("0.505", False), ("1", True)):
        groups = identify(asked, y_true, y_score).groups
        assert any("R-precision" in names_of(group) for group in groups) == found, asked


def test_cuts_are_searched_only_with_k():
    value = score_as("ml_metrics apk", FAMILY_Y, FAMILY_S, k=3)
    assert not any(
        "apk" in name for group in identify(value, FAMILY_Y, FAMILY_S).groups for name in names_of(group)
    )
    assert "ml_metrics apk" in names_of(identify(value, FAMILY_Y, FAMILY_S, k=3).groups[0])
    expected = sklearn_ap.average_precision_at_k_score(TIED_Y, TIED_S, k=3, ties="expected", normalizer="k")
    assert "AP@k over k, expected ties" in names_of(identify(expected, TIED_Y, TIED_S, k=3).groups[0])


def test_groups_are_disjoint_and_hold_every_convention_that_has_a_number():
    found = identify("0.7", FAMILY_Y, FAMILY_S, k=3)
    names = [name for group in (*found.groups, *found.others) for name in names_of(group)]
    assert len(names) == len(set(names))
    assert set(names) >= set(CONVENTIONS)
    assert sorted(group.value for group in (*found.groups, *found.others)) == sorted(
        {group.value for group in (*found.groups, *found.others)}
    )


def test_conventions_without_a_number_are_told():
    found = identify("0.7", TIED_Y, TIED_S)
    names = [name for name, _ in found.without_number]
    assert {"voc_ap", "Ultralytics", "ranx map", "trec_eval map"} <= set(names)
    assert all(why.endswith(".") for _, why in found.without_number)
    assert str(found).splitlines()[-1] == f"{len(names)} more have no number here: see without_number."
    assert "voc_ap" not in found.to_frame().index


def test_an_answer_that_is_no_number_can_be_asked_for():
    (group,) = identify(-1, [0, 0], [2, 1]).groups
    assert names_of(group) == ["COCO", "supervision", "torchmetrics MeanAveragePrecision"]


def test_frame_of_an_identification():
    found = identify("0.7", FAMILY_Y, FAMILY_S)
    frame = found.to_frame()
    assert list(frame.columns) == ["value", "off", "near"]
    assert frame["near"].sum() == sum(len(group.conventions) for group in found.groups)
    assert list(frame["off"].abs()) == sorted(frame["off"].abs())


def test_a_percentage_is_hinted_at():
    text = "Above 1 it may be a percentage: pass '69.8%'"
    assert text in str(identify(69.8, FAMILY_Y, FAMILY_S))
    assert identify("69.8%", FAMILY_Y, FAMILY_S).groups


def test_nothing_near_enough_says_so():
    found = identify(0.123456, FAMILY_Y, FAMILY_S)
    assert found.groups == ()
    assert str(found).startswith("No convention gives 0.123456 within 1e-06.\nThe nearest:\n")
    assert max(map(len, str(found).splitlines())) <= 80


# --- the page, and the promises by name ------------------------------------------------------------------


def test_page_is_what_the_records_say():
    stored = Path(__file__).parent.parent / "docs" / "compatibility.md"
    assert stored.read_text() == page(), "print it anew: python -m sklearn_ap.compatibility"
    for name in CONVENTIONS:
        assert f"| {name} |" in page()


def test_page_goes_stale_with_a_record(monkeypatch):
    stored = page()
    spoiled = replace(CONVENTIONS["COCO"], peculiarity="Nothing.")
    monkeypatch.setitem(GROUPS, "Object detection", (spoiled,))
    assert page() != stored


def test_order_of_the_walk():
    assert list(CHOICES) == [
        "score precision",
        "input transform",
        "queries",
        "ties",
        "weights",
        "area",
        "grid",
        "stated total",
        "cut",
        "normalizer",
        "without positives",
    ]


def test_no_code_knows_a_package_by_name():
    """The records name packages; what computes them must not."""
    package = Path(compatibility.__file__).parent
    words = {word for name in CONVENTIONS for word in re.findall(r"[A-Za-z_]{4,}", name)}
    words -= set(
        "average precision recall recalls score levels point interpolated linear hits over ties expected stable "
        "optimistic pessimistic before earlier version curve thresholds bins mean integral Davis Goadrich davis "
        "goadrich scikit learn".split()
    )
    for file in (
        "_convention",
        "_transforms",
        "_scores",
        "_reductions",
        "_engine",
        "_walk",
        "_row",
        "_rendering",
    ):
        tree = ast.parse((package / f"{file}.py").read_text())
        docs = {
            ast.get_docstring(node, clean=False) for node in ast.walk(tree) if isinstance(node, DOCUMENTED)
        }
        texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)} - docs
        assert not [
            (word, text) for text in texts for word in words if isinstance(text, str) and word in text
        ], file


def test_versions_on_the_page_are_those_of_the_history():
    table = page().partition("## Across the versions")[2]
    told = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if "|" in line
    ]
    assert len(told) == 2 + 8
    for version, *cells in told[2:]:
        for function, cell in zip(("average_precision_score", "precision_recall_curve"), cells, strict=True):
            changed = [changes for name, _, changes in HISTORY if name == function and version in changes]
            assert not cell or changed, (version, function)


def test_page_tells_the_order_of_the_walk():
    places = [page().index(f"\n| {choice} | `{names[0]}` |") for choice, names in CHOICES.items()]
    assert places == sorted(places)


def test_all_holds_every_public_name():
    assert set(compatibility.__all__) == {name for name in vars(compatibility) if not name.startswith("_")}
    assert len(compatibility.__all__) == len(set(compatibility.__all__))


@pytest.mark.parametrize("name", compatibility.__all__)
def test_public_names_are_documented_and_their_examples_run(name):
    member = getattr(compatibility, name)
    if not callable(member):
        return
    for found in doctest.DocTestFinder().find(member, name, globs={}):
        assert doctest.DocTestRunner().run(found).failed == 0
    doc = inspect.getdoc(member)
    if inspect.isfunction(member):
        for section in ("Parameters", "Returns", "Raises", "See Also", "Examples"):
            assert f"\n{section}\n{'-' * len(section)}\n" in doc
        told = re.findall(r"^(\w+) : ", doc.partition("Returns\n---")[0], re.MULTILINE)
        assert told == list(inspect.signature(member).parameters)
        assert ".. versionadded:: 0.1" in doc

"""What records do with queries, which are the classes of object detection: each record by its policy."""

import html
import math

import numpy as np
import pytest

from sklearn_ap import interpolated_average_precision_score
from sklearn_ap.compatibility import (
    CONVENTIONS,
    OPTIONS,
    NoNumberError,
    compare_conventions,
    identify,
    score_as,
)
from sklearn_ap.compatibility._records import GROUPS

QUERY = np.array(list("abcaabbab"))
Y = np.array([1, 0, 0, 0, 1, 1, 1, 0, 0])
S = np.array([0.91, 0.82, 0.77, 0.63, 0.58, 0.49, 0.36, 0.24, 0.15])
TOTALS = {"a": 2, "b": 3, "c": 0, "d": 1}  # no object of c, no detection of d
ISSUE = {"y_true": [1, 0, 1, 0], "y_score": [0.9, 0.8, 0.7, 0.6]}
CLASSES = {"query_id": list("aabb"), "n_positives": {"a": 2, "b": 2}}


def alone(record, query: str) -> float:
    """The answer for the rows of one query, or infinity where that is an error."""
    rows = query == QUERY
    totals = {"n_positives": TOTALS[query]} if record.total == "stated" else {}
    try:
        return score_as(record, Y[rows], S[rows], k=2, **totals)
    except NoNumberError:
        return math.inf


def mean_of(record, weigh) -> float:
    """The mean of the answers, each query alone; without those that the record leaves out."""
    values = {query: alone(record, query) for query in "abc"}
    if record.left_out:
        del values["c"]
    counts = [weigh(query) for query in values]
    sums = np.dot(counts, list(values.values())), sum(counts)
    if record.total == "stated":  # nothing of d was found: no package gives it a point
        sums = sums[0], sums[1] + 1
    return sums[0] / sums[1]


def pooled(record) -> float:
    return score_as(record, Y, S, k=2)


POLICIES = {
    "pooled": pooled,
    "mean": lambda record: mean_of(record, lambda _: 1),
    "mean by rows": lambda record: mean_of(record, lambda query: (query == QUERY).sum()),
    "refused": None,
}


def test_every_policy_is_known_and_used():
    assert set(POLICIES) == set(OPTIONS["queries"]) == {one.queries for one in CONVENTIONS.values()}


@pytest.mark.parametrize("name", CONVENTIONS)
def test_each_record_treats_queries_by_its_policy(name):
    record, policy = CONVENTIONS[name], POLICIES[CONVENTIONS[name].queries]
    totals = {"n_positives": TOTALS} if record.total == "stated" else {}
    given = {"query_id": QUERY, "k": 2, **totals}
    if policy is None:
        with pytest.raises(NoNumberError, match=r"^query_id is not supported by .*, which takes one ranking"):
            score_as(name, Y, S, **given)
    elif math.isinf(expected := policy(record)):
        with pytest.raises(NoNumberError, match="is an error for"):
            score_as(name, Y, S, **given)
    else:
        assert score_as(name, Y, S, **given) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("group", ["Object detection", "Retrieval and recommendation", "sklearn_ap"])
def test_packages_of_many_rankings_average(group):
    assert {one.queries for one in GROUPS[group]} == {"mean"}


def test_classes_are_averaged_as_each_alone():
    coco = score_as("COCO", **ISSUE, **CLASSES)
    one_class = score_as("COCO", [1, 0], [0.9, 0.8], n_positives=2)
    ours = interpolated_average_precision_score(**ISSUE, **CLASSES, recall_levels=np.linspace(0, 1, 101))
    assert coco == pytest.approx(one_class, abs=1e-12)
    assert coco == pytest.approx(ours, abs=1e-12)
    assert round(coco, 5) == 0.50495


def test_a_mean_over_classes_is_identified():
    found = identify("0.505", **ISSUE, **CLASSES)
    assert "COCO" in [one.name for group in found.groups for one in group.conventions]


def test_a_table_says_how_many_rankings_are_averaged_and_which_number_is_not_a_mean():
    comparison = compare_conventions(
        **ISSUE, **CLASSES, conventions=["COCO", "CatBoost PRAUC", "MLmetrics PRAUC"]
    )
    said = (
        "Means over 2 queries. scikit-learn's AP, and others that know no queries, take all rows as one "
        "ranking."
    )
    assert comparison.means == said
    assert " ".join(str(comparison).split()).endswith(comparison.means)
    assert said in html.unescape(comparison._repr_html_())
    assert compare_conventions(**ISSUE, **CLASSES, conventions=["COCO", "scikit-learn"]).means == said
    assert [row.value is None for row in comparison.rows] == [False, False, True]
    assert "is not supported by 'MLmetrics PRAUC'" in comparison.rows[2].note
    assert "ranking." not in str(compare_conventions(**ISSUE, conventions="COCO"))
    more = compare_conventions(
        **ISSUE, query_id=list("aabb"), n_positives={"a": 2, "b": 2, "c": 1}, conventions="COCO"
    )
    assert more.rows[0].value == pytest.approx(2 / 3 * comparison.rows[0].value)
    assert more.means.startswith("Means over 3 queries.")

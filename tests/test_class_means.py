"""What records do with queries, which are the classes of object detection: each record by its policy."""

import math

import numpy as np
import pytest

from sklearn_ap import interpolated_average_precision_score
from sklearn_ap.compatibility import (
    CONVENTIONS,
    NoNumberError,
    score_as,
)

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


def test_classes_are_averaged_as_each_alone():
    coco = score_as("COCO", **ISSUE, **CLASSES)
    one_class = score_as("COCO", [1, 0], [0.9, 0.8], n_positives=2)
    ours = interpolated_average_precision_score(**ISSUE, **CLASSES, recall_levels=np.linspace(0, 1, 101))
    assert coco == pytest.approx(one_class, abs=1e-12)
    assert coco == pytest.approx(ours, abs=1e-12)
    assert round(coco, 5) == 0.50495

"""Every interface raises the error for labels and scores of two runs."""

import pytest

from sklearn_ap import (
    compare_many,
    compare_scores,
    estimate_score,
    operating_point,
    report,
)
from sklearn_ap._core.reading.names import RunColumn

AP = "average_precision"
QUERY = {"query_id": ["q", "q", "r", "r"]}


def column(values, documents):
    """A column of a run that retrieved these documents, in this order."""
    made = RunColumn(values)
    made.rows = QUERY["query_id"], documents
    return made


LABEL = column([True, False, True, False], ["a", "x", "b", "y"])
SCORE = column([3, 2, 3, 2], ["a", "x", "b", "y"])
OTHER = column([3, 2, 3, 2], ["x", "a", "b", "y"])


@pytest.mark.parametrize(
    "function",
    [
        lambda: estimate_score(AP, LABEL, OTHER, **QUERY),
        lambda: compare_scores(AP, LABEL, SCORE, OTHER, **QUERY),
        lambda: compare_many(AP, LABEL, {"a": SCORE, "b": OTHER}, **QUERY),
        lambda: operating_point(LABEL, OTHER, k=2),
        lambda: report(LABEL, OTHER, **QUERY),
        lambda: report(LABEL, SCORE, compare=OTHER, **QUERY),
    ],
)
def test_labels_and_scores_of_two_runs_raise_an_error(function):
    with pytest.raises(ValueError, match="compare_by_query compares two runs"):
        function()

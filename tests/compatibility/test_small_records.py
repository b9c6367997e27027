"""The number of a record for two queries, of all small rankings."""

from itertools import product
from math import nan

import pytest

from brief import covering
from oracles import scores as oracle
from sklearn_ap.compatibility import NoNumberError, score_as
from sklearn_ap.compatibility._records import Convention

# A number that is NaN comes with a warning, which one test of `score_as` asks for.
pytestmark = pytest.mark.filterwarnings("ignore:The number of .* is NaN")

QUERIES = [labels for size in (1, 2) for labels in product((0, 1), repeat=size)]
CHOICES = {
    "queries": ("mean", "mean by rows"),
    "one_row": (None, "perfect"),
    "without_positives": (0.0, nan, "error"),
    "without_negatives": (None, 0.5, "error"),
    "left_out": (False, True),
}


def value_of(labels, record):
    """Return the value of a query, and whether a mean excludes it."""
    if len(labels) == 1 and record.one_row == "perfect":
        return 1.0, False
    if not any(labels):
        return record.without_positives, record.left_out
    if all(labels) and record.without_negatives is not None:
        return record.without_negatives, record.left_out
    return float(oracle.step(oracle.ranking(labels, [2, 1][: len(labels)]))), False


def mean_of(queries, record):
    """Return the mean over queries, or an error if the value of a query that counts is
    an error. If no query counts, return the value of the first one without positives,
    or else of the first one.
    """
    values_of_queries = [value_of(labels, record) for labels in queries]
    counted = [i for i, (_, left_out) in enumerate(values_of_queries) if not left_out]
    counted = counted or [next((i for i in (0, 1) if not any(queries[i])), 0)]
    values = [values_of_queries[i][0] for i in counted]
    if "error" in values:
        return None
    by_rows = record.queries == "mean by rows" and len(counted) > 1
    sizes = [len(queries[i]) if by_rows else 1 for i in counted]
    return sum(map(float.__mul__, values, map(float, sizes))) / sum(sizes)


@pytest.mark.parametrize(
    "fields", covering([*product(*CHOICES.values())], is_brief=True), ids=str
)
def test_values_of_two_queries_become_one(fields):
    record = Convention(name="x", **dict(zip(CHOICES, fields, strict=True)))
    for queries in product(QUERIES, repeat=2):
        rows = [
            (label, -place, query)
            for query, labels in enumerate(queries)
            for place, label in enumerate(labels)
        ]
        labels, scores, ids = zip(*rows, strict=True)
        expected = mean_of(queries, record)
        if expected is None:
            with pytest.raises(NoNumberError, match="is an error for 'x'"):
                score_as(record, labels, scores, query_id=ids)
        else:
            found = score_as(record, labels, scores, query_id=ids)
            assert found == pytest.approx(expected, abs=1e-12, nan_ok=True), queries

"""The table of `compare_conventions`: each number is that of the function in its name."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score as theirs

from metrics import ALL_SCORES, calls, counts_weight
from sklearn_ap._core.registry import NUMBERS
from sklearn_ap.compatibility import compare_conventions

RNG = np.random.default_rng(0)
ROWS = RNG.integers(0, 2, 60), RNG.integers(0, 30, 60) / 32
WEIGHT = RNG.integers(1, 9, 60) / 4
AVERAGE_OVER_TIES = {
    f"AP@k, {ties} ties" for ties in ("expected", "optimistic", "pessimistic")
}
ONLY_BY_NAME = AVERAGE_OVER_TIES | {
    *("AP@k, stable ties", "reciprocal rank@k"),
    *("AP@k over R", "AP@k over k", "AP@k over hits"),
}


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["rows", "weights"])
def test_every_row_of_the_table(weight):
    """The table contains one AP@k; the others can be named in Python."""
    unequal = AVERAGE_OVER_TIES | {
        number.name for number in NUMBERS if not counts_weight(number.score)
    }
    expected = {
        name: None
        if weight is not None and name in unequal
        else score(*ROWS, **given, sample_weight=weight)
        for name, (score, given) in calls(k=5).items()
    }
    by_name = compare_conventions(
        *ROWS, k=5, conventions=ONLY_BY_NAME, sample_weight=weight
    )
    for row in by_name.rows:
        assert row.value == expected.pop(row.convention.name)
    table = compare_conventions(*ROWS, k=5, sample_weight=weight).rows
    assert {row.convention.name: row.value for row in table} == expected
    assert {row.scikit_learn for row in table} == {theirs(*ROWS, sample_weight=weight)}


def test_every_public_score_is_in_the_table():
    rows = compare_conventions([1, 0], [2, 1]).rows
    shown = {row.convention.source.partition("(")[0] for row in rows}
    assert shown == {score.__name__ for score in ALL_SCORES}

"""Totals of positives (`n_positives`) of several rankings: by query, column or class.

A mapping contains them by name, in any order, and an array in the order of the
rankings. Each query of `query_id` needs a total, even if all of its rows have weight 0.
"""

import numpy as np
import pandas as pd
import pytest

import sklearn_ap as ap
from sklearn_ap._core.reading.per_ranking import totals_as_counts

LABELS = pd.DataFrame({"a": [1, 0, 1, 0, 1, 0, 1, 0], "b": [0, 0, 1, 1, 0, 0, 0, 1]})
SCORES = pd.DataFrame({"a": [9, 7, 2, 5, 3, 4, 1, 8], "b": [4, 9, 3, 2, 6, 7, 8, 5]})
SCORES_OF_CLASSES = np.array([*SCORES.to_numpy().T, [2, 5, 6, 8, 1, 9, 4, 3]]).T


# --- columns and classes --------------------------------------------------------------

# Each takes rows and the totals of their columns, and returns numbers of each column.
CALLS = {
    "scores": lambda rows, n: ap.r_precision_score(*rows, n_positives=n, average=None),
    "curves": lambda rows, n: ap.precision_recall_curve(*rows, n_positives=n)[1],
    "interpolated curves": lambda rows, n: ap.precision_recall_curve(
        *rows, n_positives=n, interpolated=True
    )[1],
}
# The names of the columns or classes, the labels and the scores.
ROWS_OF = {
    "frames": ([*"ab"], LABELS, SCORES),
    "named scores": ([*"ab"], LABELS.to_numpy(), SCORES),
    "numbers": ([0, 1], LABELS.to_numpy(), SCORES.to_numpy()),
    "classes": ([*"xyz"], [*"xyzzyxxz"], SCORES_OF_CLASSES),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("rows", ROWS_OF.values(), ids=ROWS_OF)
def test_a_total_belongs_to_a_column_or_class(call, rows):
    names, *rows = rows
    totals = [5, 8, 6][: len(names)]
    by_name = dict(zip(names[::-1], totals[::-1], strict=True))
    expected = repr(call(rows, totals))
    assert repr(call(rows, totals[::-1])) != expected
    # The default index of the last Series is no name, so its values are in order.
    for passed in (by_name, pd.Series(by_name), pd.Series(totals)):
        assert repr(call(rows, passed)) == expected
    other_index = pd.Series(totals, index=range(1, len(names) + 1))
    for passed in ({**by_name, "other": 5}, {names[0]: 5}, other_index):
        with pytest.raises(ValueError, match=r"^n_positives must be one number"):
            call(rows, passed)


# --- sums that are rounded ------------------------------------------------------------


def test_a_total_may_be_too_low_by_4_epsilons_per_row():
    """Sums of weights are rounded, both in this package and in the code of the caller."""
    weights, slack = [1.0, 0.7, 0.3, 0.9], 4 * np.finfo(np.float64).eps

    def score(epsilons):
        return ap.average_precision_score(
            *([1, 1, 1, 0], [4, 3, 2, 1]),
            sample_weight=weights,
            n_positives=sum(weights[:3]) * (1 - epsilons * slack),
        )

    assert score(3.9) == 1
    with pytest.raises(ValueError, match="must not be below"):
        score(4.2)


def test_a_total_of_rows_is_not_rounded_to_the_positives_found():
    """Of weights, a total that differs by so little is that of the positives found."""
    found = np.array([1e8])
    assert totals_as_counts(found + 1, found, n_rows=found).tolist() == [1e8 + 1]
    # The quotient is a bit below 3.
    total, one, tenth = (np.array([number]) for number in (0.3, 1.0, 0.1))
    counts = totals_as_counts(total, one, n_rows=one, count_weight=tenth)
    assert counts.tolist() == [3]


def test_a_fractional_total_decides_which_levels_are_reached():
    """The first of 1.1 positives has recall 10/11 = 30/33, so it reaches 31 of 34."""
    value = ap.interpolated_average_precision_score(
        [1, 0], [2, 1], n_positives=1.1, recall_levels=34
    )
    assert value == pytest.approx(31 / 34)


def test_a_total_that_overflows_as_a_count_keeps_scores_finite():
    rows = {"sample_weight": [1e-100] * 3, "n_positives": 1e300}
    assert 0 <= ap.average_precision_score([1, 0, 1], [3, 2, 1], **rows) < 1e-300

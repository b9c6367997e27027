"""Step average precision of whole rankings and up to a cut, with the rules for equal
scores at the cut.
"""

from functools import partial

import numpy as np

from ..ranking.rankings import Steps
from ..typing import FloatArray, IntArray, TiePolicy
from .area import Area, Cuts, mean_over_positives


def gain_within(cuts: Cuts, ties: TiePolicy, steps: Steps) -> FloatArray:
    """Return, for each step, the sum of the precisions at its positives above the cut.
    If the cut divides a tied group, `ties` determines the sum over the positives of
    this group.
    """
    if ties == "expected":
        return _expected_gain(cuts, steps)
    # If equal scores have an order, each row is a group of its own, which no cut
    # divides.
    return _proportional_gain(cuts, steps)


def _proportional_gain(cuts: Cuts, steps: Steps) -> FloatArray:
    """Return, for each tied group, its positives above the cut times the precision at
    its last row above the cut.

    If the cut divides a group, the weight of each of its rows is multiplied by the
    share of the group that is above the cut.
    """
    if (
        steps.to_rows_above is None
        and cuts.end.size == 1
        and steps.retrieved.item(0) <= cuts.end.item()
    ):
        # The cut is below all steps, so the cut divides none of them, and the shares of
        # groups above the cut need not be computed. This is done for counts only: with
        # weights, the result could differ from the general one below by a rounding
        # error.
        return _step_gain(steps)
    share = cuts.share_within(steps)
    gained = share * steps.gained
    return gained * (
        (steps.tp_above + gained) / (steps.above + share * steps.group_weight)
    )


def _expected_gain(cuts: Cuts, steps: Steps) -> FloatArray:
    r"""Return the expected sum of precisions at the positives in the first `m` rows of
    each group.

    .. math::
        \frac{r}{size} \sum_{i=1}^{m}
        \frac{C + 1 + (i - 1) \frac{r - 1}{size - 1}}{N + i}

    for `r` positives among `size` rows of equal score, where the `N` rows above them
    contain `C` positives. The terms are added one by one, since a difference of digamma
    functions has an error of up to 8e-10.
    """
    size, within = steps.group_rows, steps.rows_within(cuts.end)
    # If one row of a group is positive, each other row of the group is positive with
    # this probability.
    share_of_others = np.divide(
        steps.gained - 1, size - 1, out=np.zeros_like(size), where=size > 1
    )
    # Groups below the cut have no rows above the cut, so their sum is 0.
    reached = np.flatnonzero(within)
    sums = np.zeros(size.size)
    if reached.size:
        number, before, start = places_of_groups(within[reached])
        group = reached[number]
        hits = steps.tp_above[group] + 1 + before * share_of_others[group]
        terms = hits / (steps.rows_above[group] + 1 + before)
        sums[reached] = np.add.reduceat(terms, start)
    return steps.gained / size * sums


def places_of_groups(n_rows: FloatArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return, for groups with these numbers of rows, the group of each row, the place
    of each row in its group (from 0), and the first row of each group.

    With the first rows, `reduceat` adds up the values of each group without a Python
    loop.
    """
    rows = n_rows.astype(np.int64)
    start = np.cumsum(rows) - rows
    group = np.repeat(np.arange(rows.size), rows)
    return group, np.arange(group.size) - start[group], start


def _step_gain(steps: Steps) -> FloatArray:
    """Return the precision at each step, times the positives gained at the step."""
    gain = steps.precision()
    if not steps.gains_one:
        gain *= steps.tp - steps.tp_above
    return gain


STEP = Area(
    name="step",
    description="precision at each threshold, times the recall gained",
    score_full=partial(mean_over_positives, _step_gain),
    gain_to_cut=gain_within,
)

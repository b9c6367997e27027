"""Reciprocal rank: one over the number of rows down to the first positive."""

from functools import partial

import numpy as np

from .._ranking._rankings import Rankings
from .._ranking._steps import Steps
from .._typing import FloatArray
from ._area import Area, Cut

_PLACES, _MOST_PLACES = 8, 32_768  # of a tied group: looked at first, and at once
_NEGLIGIBLE = 2.0**-60  # a chance below which the places further down do not change the last bit of the mean


def one_over_first_rank(rankings: Rankings) -> FloatArray:
    """One over the rank of the first positive."""
    return reciprocal_rank_within_cut(rankings, Cut(rankings.n_rows))


def reciprocal_rank_within_cut(rankings: Rankings, cut: Cut, _: str = "expected") -> FloatArray:
    """One over the rank of the first positive, or 0 if this rank is below the cut.

    It is the mean over all orders of equal scores. If equal scores have one order, each row is a group of its
    own, and that order is the only one.
    """
    return rankings.total(partial(_at_first, cut))


def _at_first(cut: Cut, steps: Steps) -> FloatArray:
    """Return the mean at the step with the first positive of each ranking, and 0 at all other steps."""
    values = np.zeros(steps.tp.size)
    first = np.flatnonzero(steps.tp_above == 0)
    if first.size:  # most blocks of a long ranking have none, and need not look up the rows above
        above, size = steps.rows_above[first], steps.group_rows[first]
        within = steps.rows_within(cut.depth)[first]
        means = within / (above + 1)  # of a group of one row
        tied = np.flatnonzero((size > 1) & (within > 0))
        if tied.size:
            groups = above[tied], size[tied], steps.gained[first[tied]], within[tied]
            means[tied] = _mean_over_orders(*groups)
        values[first] = means
    return values


def _mean_over_orders(
    above: FloatArray, size: FloatArray, positives: FloatArray, within: FloatArray
) -> FloatArray:
    r"""Return the mean of one over the rank of the first positive, over all orders of each tied group.

    .. math::
        \sum_{i=1}^{m} \frac{1}{N + i} \frac{r}{size - i + 1}
        \prod_{j=1}^{i-1} \frac{size - r - j + 1}{size - j + 1}

    for `r` positives among `size` rows of equal score, below `N` rows. The cut keeps `m` of the rows. All
    terms are positive, so no digits are lost, as they would be in differences of log-gamma functions. A
    group is left as soon as its first positive almost surely stands above: with `r` positives, that is after
    about 42 `size / r` places.
    """
    means, missed = np.zeros(above.size), np.ones(above.size)  # the chance that no positive stands above
    going, begin, width = np.arange(above.size), 0, _PLACES
    while going.size:
        # A row per group. Every group sees the same stretches of places, whatever other groups there are.
        before = np.arange(begin, begin + width, dtype=np.float64)
        left = np.maximum(size[going, np.newaxis] - before, 1.0)
        others = np.maximum(left - positives[going, np.newaxis], 0.0)
        none_down_to = missed[going, np.newaxis] * np.cumprod(others / left, axis=1)
        none_above = np.concatenate((missed[going, np.newaxis], none_down_to[:, :-1]), axis=1)
        first_here = none_above * (positives[going, np.newaxis] / left)
        terms = np.where(before < within[going, np.newaxis], first_here, 0.0)
        means[going] += (terms / (above[going, np.newaxis] + 1 + before)).sum(axis=1)
        missed[going] = none_down_to[:, -1]
        begin, width = begin + width, min(2 * width, _MOST_PLACES)
        going = going[(within[going] > begin) & (missed[going] > _NEGLIGIBLE)]
    return means


RECIPROCAL_RANK = Area(
    name="reciprocal rank",
    noun="RR",
    description="one over the rows down to the first positive",
    score_full=one_over_first_rank,
    sum_to_cut=reciprocal_rank_within_cut,
    counts_weight=False,
)

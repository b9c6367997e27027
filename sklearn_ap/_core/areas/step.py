"""Step average precision, of whole rankings and up to a cut, and what equal scores at
the cut contribute.
"""

from typing import assert_never

import numpy as np

from ..ranking.rankings import Steps
from ..typing import FloatArray, IntArray, TiePolicy
from .area import Area, Curvature, DrawnPath, RankingEnd, Slopes


def gain_within(cut: RankingEnd, ties: TiePolicy, steps: Steps) -> FloatArray:
    """Return the precisions at the positives of each step above the cut, in sum; a tied
    group at the cut counts in part.
    """
    match ties:
        case "expected":
            return _expected_gain(cut, steps)
        # If equal scores are in an order, each row is a group of its own.
        case "proportional" | "stable" | "optimistic" | "pessimistic":
            return _proportional_gain(cut, steps)
        case _:
            assert_never(ties)


def _proportional_gain(cut: RankingEnd, steps: Steps) -> FloatArray:
    """Return the precision at the share of each group above the cut, times the
    positives gained by it.
    """
    if (
        steps.rows is None
        and cut.depth.size == 1
        and steps.retrieved.item(0) <= cut.depth.item()
    ):
        # The cut divides no step. Counts of a short call then need no shares, which
        # would round sums of weights in another way.
        return _gain(steps)
    share = cut.share_within(steps)
    gained = share * steps.gained
    return gained * (
        (steps.tp_above + gained) / (steps.above + share * steps.group_weight)
    )


def _expected_gain(cut: RankingEnd, steps: Steps) -> FloatArray:
    r"""Return the expected sum of precisions at the positives in the first `m` rows of
    each group.

    .. math::
        \frac{r}{size} \sum_{i=1}^{m} \frac{C + 1 + (i - 1) \frac{r - 1}{size - 1}}{N + i}

    for `r` positives among `size` rows of equal score, below `N` rows with `C`
    positives. The terms are added one by one, since a difference of digamma functions
    is off by 8e-10.
    """
    size, within = steps.group_rows, steps.rows_within(cut.depth)
    # Share of positives among the other rows of a group, in any order of them.
    share_of_others = np.divide(
        steps.gained - 1, size - 1, out=np.zeros_like(size), where=size > 1
    )
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
    """Return the group and the place, from 0, of each row of groups of so many rows,
    and where each group starts: reduceat then adds them up without a Python loop.
    """
    rows = n_rows.astype(np.int64)
    start = np.cumsum(rows) - rows
    group = np.repeat(np.arange(rows.size), rows)
    return group, np.arange(group.size) - start[group], start


def _gain(steps: Steps) -> FloatArray:
    """Return the precision at each step, times the positives gained there."""
    gain = steps.tp / steps.retrieved
    gain *= steps.gained
    return gain


def step_slopes(steps: Steps) -> Slopes:
    r"""Return the slopes of :math:`a A / B`, with `A` and `B` as the counts at or above
    the score.
    """
    precision, gained = steps.tp / steps.retrieved, steps.gained
    share = gained / steps.retrieved
    gain = gained * precision
    negative = share * precision  # how much a negative lowers the gain
    above = share - negative
    precision += above
    # A negative has the same effect at this score and above it: `tied` is None.
    return Slopes(
        gain=gain,
        positive=precision,
        tied=None,
        positive_above=above,
        negative_above=np.negative(negative, out=negative),
    )


def _curvature(steps: Steps, slopes: Slopes) -> Curvature:
    """Return half the second derivatives of :math:`a A / B`.

    All rows at or above the score change `A` and `B`; the positives of this score also
    change `a`.
    """
    per_row = -1 / steps.retrieved
    return Curvature(
        gained=(steps.tp / steps.retrieved - 1) * per_row,
        positive=slopes.positive_above * per_row,
        negative=slopes.negative_above * per_row,
    )


def _path(points: DrawnPath, _: object) -> DrawnPath:
    return points._replace(drawstyle="steps-post")


STEP = Area(
    name="step",
    noun="AP",
    description="precision at each threshold, times the recall gained",
    gain=_gain,
    gain_to_cut=gain_within,
    slopes=step_slopes,
    curvature=_curvature,
    path=_path,
)

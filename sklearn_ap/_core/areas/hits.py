"""Hits: the positives above a cut or a precision, without their precision, and where
the first one stands.
"""

from functools import partial

import numpy as np

from ..ranking.levels import levels_reached, rounding_of_precision
from ..ranking.rankings import Rankings, Steps, ratio
from ..ranking.runs import running
from ..typing import FloatArray, Levels
from .area import Area, RankingEnd
from .step import places_of_groups


def hits_within(cut: RankingEnd, _: str, steps: Steps) -> FloatArray:
    """Return the positives of each step above the cut; a tied group there counts in
    part, its mean over all orders.
    """
    return cut.share_within(steps) * steps.gained


def _gain(steps: Steps) -> FloatArray:
    return steps.gained


HITS = Area(
    name="hits",
    noun="share",
    description="positives counted, not their precision",
    gain=_gain,
    gain_to_cut=hits_within,
)


def best_recall_at_level(rankings: Rankings, levels: Levels) -> FloatArray:
    """Best recall of the steps whose precision reaches the only level, 0 if no step
    does.

    Scores that only negatives have are not steps. Their recall is that of the step
    above them, and their precision is lower, so they are never the best.
    """
    count = partial(np.less_equal, np.asarray(levels).item())
    rounding = rounding_of_precision(rankings)

    best_tp = np.zeros(rankings.n_positives.size)
    for steps in rankings.kernel.blocks():
        tp, per_step = steps.tp, steps.per_step
        is_reached = levels_reached(count, tp, steps.retrieved, rounding, per_step)
        # A long ranking takes several blocks: its best step so far is compared with
        # later ones.
        in_block = np.maximum.reduceat(np.where(is_reached, tp, 0.0), steps.start)
        best_tp[steps.ranking] = np.maximum(best_tp[steps.ranking], in_block)
        del steps, tp, per_step  # before the next block is made, to save its memory
    return ratio(best_tp, rankings.n_positives)


RECALL_AT_PRECISION = Area(
    name="recall at precision",
    noun="recall",
    description="best recall where the precision reaches a level",
    score_at_levels=best_recall_at_level,
    at_one_level=True,
)


def _at_first(cut: RankingEnd, _: str, steps: Steps, *, by_rank: bool) -> FloatArray:
    """Return the mean at the step with the first positive of each ranking, and 0 at all
    other steps, and if it is not above the cut.

    It is the mean of one over the rank of this positive or, unless `by_rank`, of 1,
    over all orders of equal scores. If equal scores have one order, each row is a group
    of its own, and that order is the only one.
    """
    values = np.zeros(steps.tp.size)
    # Steps without a positive are left out, so exactly one step per ranking has no
    # positive above it: the step with the first positive.
    first = np.flatnonzero(steps.tp_above == 0)
    # Most blocks of a long ranking have no such step, and need not look up the rows
    # above.
    if first.size:
        above = steps.rows_above[first]
        size = steps.group_rows[first]
        within = steps.rows_within(cut.depth)[first]
        # This is the mean of a group of one row; tied groups replace it.
        if by_rank:
            means = within / (above + 1)
        else:
            means = np.minimum(within, 1.0)
        tied = np.flatnonzero((size > 1) & (within > 0))
        if tied.size:
            groups = above[tied], size[tied], steps.gained[first[tied]], within[tied]
            means[tied] = _mean_over_orders(*groups, by_rank=by_rank)
        values[first] = means
    return values


def _mean_over_orders(
    above: FloatArray,
    size: FloatArray,
    positives: FloatArray,
    within: FloatArray,
    *,
    by_rank: bool,
) -> FloatArray:
    r"""Return the mean of one over the rank of the first positive, over all orders of
    each tied group.

    .. math::
        \sum_{i=1}^{m} \frac{1}{N + i} \frac{r}{size - i + 1}
        \prod_{j=1}^{i-1} \frac{size - r - j + 1}{size - j + 1}

    for `r` positives among `size` rows of equal score, below `N` rows. The cut keeps
    `m` of the rows. Unless `by_rank`, it is the mean of 1: the first fraction is left
    out. All terms are positive, so no digits are lost, as they would be in differences
    of log-gamma functions.
    """
    group, place, start = places_of_groups(within)
    left = size[group] - place
    none_above = np.maximum(left - positives[group], 0.0) / left
    with np.errstate(under="ignore"):  # far down, chances are 0
        running(np.multiply, none_above, np.diff(start, append=group.size))
        none_above[1:] = none_above[:-1]
        none_above[start] = 1.0
        terms = none_above * (positives[group] / left)
        if by_rank:
            terms /= above[group] + 1 + place
        return np.add.reduceat(terms, start)


RECIPROCAL_RANK = Area(
    name="reciprocal rank",
    noun="RR",
    description="one over the rows down to the first positive",
    gain_to_cut=partial(_at_first, by_rank=True),
    counts_weight=False,
)
SUCCESS = Area(
    name="success",
    noun="success",
    description="1 if a positive is above the cut",
    gain_to_cut=partial(_at_first, by_rank=False),
    counts_weight=False,
)

"""Areas that count positives (above a cut, or at the best threshold of a precision),
and areas of the first positive (its rank, or whether it is above a cut).
"""

from functools import partial

import numpy as np

from ..ranking.levels import largest_quotients, rounding_of_precision
from ..ranking.rankings import Rankings, Steps, ratio
from ..ranking.runs import running
from ..typing import FloatArray, Levels
from .area import Area, Cuts
from .step import places_of_groups


def hits_within(cuts: Cuts, _: str, steps: Steps) -> FloatArray:
    """Return the number of positives of each step that are above the cut.

    If the cut divides a tied group, its positives are multiplied by the share of the
    group above the cut. Without weights, this is the mean of their number over all
    orders of the tied rows.
    """
    return cuts.share_within(steps) * steps.gained


HITS = Area(
    name="hits",
    noun="share",
    description="each positive adds 1, not its precision",
    gain_to_cut=hits_within,
)


def best_recall_at_level(rankings: Rankings, levels: Levels) -> FloatArray:
    """Return the best recall among the steps whose precision reaches the level, or 0 if
    no step reaches it.

    Thresholds at scores that only negatives have are not steps. Such a threshold has
    the recall of the step above it and a lower precision, so it is never the best one.
    """
    level = np.asarray(levels).item()
    rounding = rounding_of_precision(rankings)
    best_tp = np.zeros(rankings.n_positives.size)
    for steps in rankings.kernel.blocks():
        precision = largest_quotients(
            steps.tp, steps.retrieved, rounding, steps.per_step
        )
        # A long ranking is split into several blocks, so the best step of this block is
        # compared with the best step of the earlier blocks.
        reaching_tp = np.where(precision >= level, steps.tp, 0.0)
        in_block = np.maximum.reduceat(reaching_tp, steps.start)
        best_tp[steps.ranking] = np.maximum(best_tp[steps.ranking], in_block)
    return ratio(best_tp, rankings.n_positives)


RECALL_AT_PRECISION = Area(
    name="recall at precision",
    noun="recall",
    description="best recall where the precision reaches a level",
    score_at_levels=best_recall_at_level,
)


def _at_first(cuts: Cuts, _: str, steps: Steps, *, by_rank: bool) -> FloatArray:
    r"""Return the score of each ranking at the step of its first positive, and 0 at all
    other steps.

    If the first positive is above the cut, the score is 1 / rank or, unless `by_rank`,
    1; else it is 0. With equal scores, the mean of this score over all their orders is
    returned. If equal scores have a fixed order, each row is a group of its own.

    .. math::
        \sum_{i=1}^{m} \frac{1}{N + i} \frac{r}{size - i + 1}
        \prod_{j=1}^{i-1} \frac{size - r - j + 1}{size - j + 1}

    is the mean for `r` positives among `size` rows of equal score, with `N` rows above
    them and `m` of them above the cut. Unless `by_rank`, the first fraction is omitted.
    All terms are positive, so the sum loses no digits. A difference of log-gamma
    functions would lose some.
    """
    values = np.zeros(steps.tp.size)
    # Each step has a positive, so exactly one step per ranking has no positive above
    # it: the step with the first positive.
    first = np.flatnonzero(steps.tp_above == 0)
    # Most blocks of a long ranking do not contain the first positive.
    if not first.size:
        return values
    within = steps.rows_within(cuts.end)[first]
    # The sum of a single row has one term, or none below the cut.
    values[first] = within / (steps.rows_above[first] + 1) if by_rank else within
    is_tied = (steps.group_rows[first] > 1) & (within > 0)
    if not is_tied.any():
        return values
    number, place, start = places_of_groups(within[is_tied])
    tied = first[is_tied]
    group = tied[number]
    left = steps.group_rows[group] - place
    positives = steps.gained[group]
    # The probability that a row is negative if all rows above it in the group are
    # negative. The running product is the probability that the group has no positive so
    # far. Where no negative is left, a factor is 0, and so is the product from there
    # on.
    none_so_far = (left - positives) / left
    # Far down in a large group, this probability underflows to 0.
    with np.errstate(under="ignore"):
        running(np.multiply, none_so_far, np.diff(start, append=group.size))
        # Shift by one row, since the rows above a row do not include the row itself.
        none_above = np.append(1.0, none_so_far[:-1])
        none_above[start] = 1.0
        terms = none_above * (positives / left)
        if by_rank:
            terms /= steps.rows_above[group] + 1 + place
        values[tied] = np.add.reduceat(terms, start)
    return values


RECIPROCAL_RANK = Area(
    name="reciprocal rank",
    noun="RR",
    description="one over the rank of the first positive",
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

"""Step average precision, of whole rankings and up to a cut, and what equal scores at the cut contribute."""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from .._ranking._rankings import Rankings, share_of_positives
from .._ranking._steps import Reduction, Steps, ratio
from .._typing import FloatArray, Ties
from ._area import Area, Curvature, CurvePoints, Cut, Path, Slopes
from ._hits import hits_within


def within_cut(rankings: Rankings, cut: Cut, ties: Ties) -> FloatArray:
    """Sum of the precisions at the positives above the cut."""
    return expected(rankings, cut) if ties == "expected" else proportional(rankings, cut)


def proportional(rankings: Rankings, cut: Cut) -> FloatArray:
    """Sum of the precision at each step, times the positives gained; a group at the cut counts in part."""
    return rankings.total(partial(_proportional_gain, cut))


def _proportional_gain(cut: Cut, steps: Steps) -> FloatArray:
    share = cut.share_within(steps)
    gained = share * steps.gained
    return gained * ((steps.tp_above + gained) / (steps.above + share * steps.group_weight))


def expected(rankings: Rankings, cut: Cut) -> FloatArray:
    """Sum of the precision at each positive, on average over all orders of equal scores."""
    return rankings.total(partial(_expected_gain, cut))


def _expected_gain(cut: Cut, steps: Steps) -> FloatArray:
    r"""Return the expected sum of precisions at the positives in the first `m` rows of each group.

    .. math::
        \frac{r}{size} \sum_{i=1}^{m} \frac{C + 1 + (i - 1) \frac{r - 1}{size - 1}}{N + i}

    for `r` positives among `size` rows of equal score, below `N` rows with `C` positives. The terms are
    added one by one, since a difference of digamma functions is off by 8e-10.
    """
    size, within = steps.group_rows, steps.rows_within(cut.depth)
    others = np.divide(steps.gained - 1, size - 1, out=np.zeros_like(size), where=size > 1)
    reached = np.flatnonzero(within)
    sums = np.zeros(size.size)
    if reached.size:
        # One element per term of every group, so that reduceat adds up each group without a Python loop.
        rows = within[reached].astype(np.int64)
        group, start = np.repeat(reached, rows), np.cumsum(rows) - rows
        before = np.arange(group.size) - np.repeat(start, rows)  # i - 1
        terms = (steps.tp_above[group] + 1 + before * others[group]) / (steps.rows_above[group] + 1 + before)
        sums[reached] = np.add.reduceat(terms, start)
    return steps.gained / size * sums


def mean_over_hits(rankings: Rankings, cut: Cut) -> FloatArray:
    """Mean, over all orders of equal scores, of the sum of precisions divided by the positives found.

    How many positives are found depends on the order only in the tied group at the cut. There it is the mean
    of a ratio, not a ratio of means.
    """
    gained = rankings.total(partial(_expected_of_whole_groups, cut))
    values = ratio(gained, hits_within(rankings, cut))
    # A cut goes through one group per ranking at most, so this loop writes each value once.
    for group in groups_at_cut(rankings, cut.depth):
        values[group.ranking] = _mean_in_group(gained[group.ranking], group)
    return values


def _expected_of_whole_groups(cut: Cut, steps: Steps) -> FloatArray:
    return np.where(steps.rows_retrieved <= steps.each(cut.depth), _expected_gain(cut, steps), 0.0)


class GroupAtCut(NamedTuple):
    """A tied group that the cut of its ranking divides."""

    ranking: int
    size: float  # rows
    positives: float
    within: float  # rows above the cut
    tp_above: float
    rows_above: float


def groups_at_cut(rankings: Rankings, depth: FloatArray) -> Iterator[GroupAtCut]:
    """Yield the tied group at the cut of each ranking that has one."""
    columns = rankings.kernel.reduced(Reduction(partial(_groups_in_block, depth), "each"))
    return (GroupAtCut(int(ranking), *numbers) for ranking, *numbers in columns.T)


def _groups_in_block(depth: FloatArray, steps: Steps) -> FloatArray:
    within = steps.rows_within(depth)
    ranking = np.repeat(steps.ranking, steps.length)
    columns = ranking, steps.group_rows, steps.gained, within, steps.tp_above, steps.rows_above
    at_cut = np.flatnonzero((within > 0) & (within < steps.group_rows))
    return np.array([values[at_cut] for values in columns], dtype=np.float64)


def _mean_in_group(gained_above: float, group: GroupAtCut) -> float:
    """Mean of the ratio over the possible numbers of hits in the rows of a group above the cut."""
    _, size, positives, within, tp_above, rows_above = group
    hits = np.arange(max(0, within - (size - positives)), min(positives, within) + 1)
    depth = rows_above + np.arange(1, within + 1)
    # Given the number of hits, each row is a hit with probability hits / within. If it is one, each row
    # before it in the group is a hit with probability `pairs`.
    first, others = (1 / depth).sum(), (np.arange(within) / depth).sum()
    pairs = (hits - 1) / (within - 1) if within > 1 else np.zeros_like(hits)
    gained = gained_above + hits / within * ((tp_above + 1) * first + pairs * others)
    return float(_hypergeometric(hits, size, positives, within) @ ratio(gained, tp_above + hits))


def _hypergeometric(hits: FloatArray, size: float, positives: float, within: float) -> FloatArray:
    """Return the probability of each number of positives in the first `within` rows of a group.

    Quotients of neighbours are multiplied from the mode outwards, since differences of log-gamma lose digits
    in large groups. In this direction each factor is at most 1, so a product may underflow but not overflow.
    """
    low = hits[:-1]
    up = (positives - low) * (within - low) / ((low + 1) * (size - positives - within + low + 1))
    mode = np.count_nonzero(up >= 1)
    with np.errstate(under="ignore"):
        below, above = np.cumprod(1 / up[:mode][::-1])[::-1], np.cumprod(up[mode:])
        weight = np.concatenate((below, [1.0], above))
        return np.asarray(weight / weight.sum())


def _gain(steps: Steps) -> FloatArray:
    """Return the precision at each step, times the positives gained there."""
    gain = steps.tp / steps.retrieved
    gain *= steps.gained
    return gain


def step_to_recall(rankings: Rankings, max_recall: float) -> FloatArray:
    """Sum of the precision at each step, times the recall gained, up to a recall; divided by that recall."""
    end = rankings.n_positives * max_recall  # in positives
    return ratio(rankings.total(partial(_gain_to, end)), end)


def _gain_to(end: FloatArray, steps: Steps) -> FloatArray:
    ends = steps.each(end)
    return (np.minimum(steps.tp, ends) - np.minimum(steps.tp_above, ends)) * (steps.tp / steps.retrieved)


def step_slopes(steps: Steps) -> Slopes:
    r"""Return the slopes of :math:`a A / B`, with `A` and `B` as the counts at or above the score."""
    precision, gained = steps.tp / steps.retrieved, steps.gained
    share = gained / steps.retrieved
    gain, negative = gained * precision, share * precision
    above = share - negative
    precision += above
    return Slopes(gain, precision, None, above, np.negative(negative, out=negative))


def _curvature(steps: Steps, slopes: Slopes) -> Curvature:
    """All rows at or above the score move `A` and `B`; the positives of this score also move `a`."""
    each = -1 / steps.retrieved
    gained = (steps.tp / steps.retrieved - 1) * each
    return Curvature(gained, slopes.positive_above * each, slopes.negative_above * each)


def _path(points: CurvePoints, _: object) -> Path:
    return Path(points.recall, points.precision, drawstyle="steps-post")


STEP = Area(
    name="step",
    noun="AP",
    description="precision at each threshold, times the recall gained",
    score_full=partial(share_of_positives, _gain),
    score_at_levels=step_to_recall,
    step_gain=_gain,
    sum_to_cut=within_cut,
    mean_over_hits=mean_over_hits,
    slopes=step_slopes,
    curvature=_curvature,
    path=_path,
)

"""How far an open order of equal scores may move a number: exact bounds over all orders."""

import numpy as np

from .._areas._area import Cut
from .._areas._hits import hits_within
from .._areas._step_at_k import proportional
from .._ranking import Rankings, Steps, ratio
from .._typing import FloatArray

ROUNDING = 1e-12  # of a sum; numbers that differ by less are one number


def range_words(low: float, high: float, between: str = " to ") -> str:
    """Return both ends with four decimals, or with as many as tell them apart."""
    ends = [(f"{low:.{decimals}f}", f"{high:.{decimals}f}") for decimals in (4, 6, 9, 15)]
    return between.join(next((pair for pair in ends if pair[0] != pair[1]), ends[-1]))


def extremes_over_hits(
    tied: Rankings, last: Rankings, first: Rankings, depth: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the least and greatest sum of precisions in the first `depth` rows over the hits there.

    Only the group at the cut varies how many hits there are. For each possible number of them the divisor is
    fixed, and the sum is greatest with the positives first in every group, least with the positives last.

    Parameters
    ----------
    tied, last, first : Rankings
        The same rows with equal scores as one threshold, with positives last and with positives first.
    depth : ndarray of shape (n_rankings,)
        How many rows count.
    """
    at_cut = _groups_at_cut(tied, depth)
    above = depth.copy()  # rows in front of the group at the cut; without such a group, all that count
    for ranking, steps, i in at_cut:
        above[ranking] = steps.rows_above[i]
    found = hits_within(tied, Cut(above))
    some = np.maximum(above, 1)  # a precision needs a row
    sums = [np.where(above > 0, proportional(ordered, Cut(some)), 0.0) for ordered in (last, first)]
    low, high = (ratio(gained, found) for gained in sums)
    for ranking, steps, i in at_cut:
        found_in_group, least, greatest = _sums_in_group(steps, i, int(depth[ranking] - above[ranking]))
        divisor = steps.tp_above[i] + found_in_group
        low[ranking] = ratio(sums[0][ranking] + least, divisor).min()
        high[ranking] = ratio(sums[1][ranking] + greatest, divisor).max()
    return low, high


def _groups_at_cut(tied: Rankings, depth: FloatArray) -> list[tuple[int, Steps, int]]:
    """Return the tied groups with a positive that the cut goes through: ranking, block and place in it."""
    cut = []
    for steps in tied.blocks():
        within = steps.rows_within(depth)
        ranking = np.repeat(steps.ranking, steps.length)
        places = np.flatnonzero((within > 0) & (within < steps.group_rows)).tolist()
        cut += [(int(ranking[i]), steps, i) for i in places]
    return cut


def _sums_in_group(steps: Steps, i: int, within: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the hits that the first `within` rows of a group may hold, and the sums of their precisions.

    One more hit at the end, where all hits stand last, adds its own precision and raises that of all hits
    below it by one over their rows: only positive terms, so that no digits are lost.
    """
    positives, size = int(steps.gained[i]), int(steps.group_rows[i])
    tp_above, rows_above = steps.tp_above[i], steps.rows_above[i]
    found = np.arange(max(0, within - (size - positives)), min(positives, within) + 1)
    place = np.arange(found[-1])
    first = (tp_above + 1 + place) / (rows_above + 1 + place)
    from_end = 1 / (rows_above + within - place)
    last = (tp_above + 1) * from_end + np.cumsum(from_end) - from_end
    least, greatest = (np.append(0.0, np.cumsum(terms))[found] for terms in (last, first))
    return found.astype(np.float64), least, greatest

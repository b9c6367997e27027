r"""Influence of a row on a number that reads a ranking down to a cut: hits, precision,
R-precision and average precision at k, precision at a recall, and sums over rows in an
order of equal scores.

Another copy of a row inside the cut moves another row out of it. How many hits this
costs depends on the precision just at the cut, which that of the :math:`2 \sqrt k` rows
on either side estimates.
"""

from math import ceil, sqrt
from typing import NamedTuple

import numpy as np

from .._core.areas.hits import HITS
from .._core.definition import Definition
from .._core.ranking.cut import cut_depth
from .._core.ranking.keys import order_of
from .._core.rounding import EQUAL
from .._core.typing import FloatArray, IntArray
from .ends import Facts
from .influence import Influences, RankedCells

_LEAST_ROWS = 5  # on either side of a cut, whose precision is that at the cut


class _RankedRows(NamedTuple):
    """The rows of a single ranking, the best first."""

    order: IntArray  # places of the rows before they were ranked
    group: IntArray  # number of the tied group of each row, 0 for the best
    tp: FloatArray  # weight of each row, if it is a positive, else 0
    weight: FloatArray
    n_positives: float  # weight of all positives, found or missed
    factor: float  # of negatives, which makes the prevalence

    def of_groups(self, values: FloatArray) -> FloatArray:
        """Add up the values of each tied group."""
        return np.bincount(self.group, values).astype(np.float64, copy=False)

    def within(self, size: FloatArray, depth: float) -> FloatArray:
        """Return the share of each row that lies within a depth of the sizes of rows:
        rows of a tied group lie there in part.
        """
        in_group = self.of_groups(size)
        above = np.cumsum(in_group) - in_group
        share = np.clip((depth - above) / np.maximum(in_group, 5e-324), 0, 1)
        return np.asarray(share[self.group])

    def at(self, depth: float) -> tuple[float, float]:
        """Return the mean weight of positives, and of rows, around a depth in rows."""
        reach = max(ceil(2 * sqrt(depth)), _LEAST_ROWS)
        ones = np.ones(self.weight.size)
        near = self.within(ones, depth + reach) - self.within(ones, depth - reach)
        total = near.sum()
        return float(near @ self.tp / total), float(near @ self.weight / total)


def influence_at_cut(definition: Definition, ranking: RankedCells) -> Influences:
    """Return what each row of a single ranking does to a number at a cut, or at a
    recall, per weight.
    """
    rows = _ranked(definition, ranking)
    if definition.level is not None:
        score, of_rows, of_missed, divisor = _at_recall(definition, rows)
        other = divisor
    elif definition.cut == "n_positives":
        score, of_rows, of_missed, divisor, other = _r_precision(rows)
    elif definition.area is HITS:
        score, of_rows, of_missed, divisor, other = _hits(definition, rows)
    else:
        score, of_rows, of_missed, divisor = _area(definition, rows)
        other = divisor
    negative = rows.tp == 0
    if definition.prevalence is not None and negative.any():
        # each row moves the factor of all negatives
        moved = float(of_rows[negative].sum())
        of_rows[negative] -= moved * rows.weight[negative] / rows.weight[negative].sum()
        of_rows += moved * rows.tp / rows.n_positives
        of_missed += moved / rows.n_positives
    per_weight = np.empty(rows.order.size)
    given = ranking.rows.weight
    per_weight[rows.order] = of_rows
    if given is not None:
        per_weight /= given
    facts = Facts(score=score, divisor=divisor, other=other)
    return Influences(per_weight, of_missed, ranking.n_missed, facts)


def _ranked(definition: Definition, ranking: RankedCells) -> _RankedRows:
    """Rank the rows, the best first."""
    rows = ranking.rows
    bounds = rows.score.min(initial=0), rows.score.max(initial=0)
    order, in_order = order_of(rows, definition.tie_order, bounds)
    order, in_order = order[::-1], in_order[::-1]
    starts = np.append(False, in_order[1:] != in_order[:-1])[: order.size]
    if definition.tie_order is not None:  # each row has its own place
        starts = np.arange(order.size) > 0
    positive = rows.positive[order]
    weight = np.ones(order.size) if rows.weight is None else rows.weight[order]
    found, negatives = float(weight[positive].sum()), float(weight[~positive].sum())
    n_positives, factor = found + ranking.n_missed, 1.0
    if definition.prevalence is not None and negatives:
        factor = n_positives * (1 / definition.prevalence - 1) / negatives
        weight = np.where(positive, weight, factor * weight)
    tp = np.where(positive, weight, 0.0)
    return _RankedRows(order, np.cumsum(starts), tp, weight, n_positives, factor)


def _depth(definition: Definition, rows: _RankedRows) -> float:
    """Return how many of the rows lie within the cut."""
    n_rows = np.array([float(rows.order.size)])
    return float(np.minimum(cut_depth(n_rows, definition.k), n_rows)[0])


def _hits(
    definition: Definition, rows: _RankedRows
) -> tuple[float, FloatArray, float, float, float]:
    r"""Differentiate hits: :math:`\sum t / \sum w` over the rows within the cut, or the
    same sum divided by all positives.
    """
    n_rows, depth = rows.order.size, _depth(definition, rows)
    within = rows.within(np.ones(n_rows), depth)
    beyond = within - depth / n_rows  # rows that another copy moves out
    of_positives, of_all = rows.at(depth)
    hits = float(within @ rows.tp)
    of_hits = within * rows.tp - of_positives * beyond
    if definition.normalizer != "k":
        score = hits / rows.n_positives
        of_rows = (of_hits - score * rows.tp) / rows.n_positives
        return score, of_rows, -score / rows.n_positives, rows.n_positives, depth
    total = float(within @ rows.weight)
    of_total = within * rows.weight - of_all * beyond
    score = hits / total
    of_rows = (of_hits - score * of_total) / total
    # a ranking of fewer rows is divided as if it went on
    part = depth / max(cut_depth(np.array([float(n_rows)]), definition.k).item(), 1.0)
    divisor = depth / part
    return score * part, of_rows * part, 0.0, divisor, rows.n_positives


def _r_precision(
    rows: _RankedRows,
) -> tuple[float, FloatArray, float, float, float]:
    """Differentiate the hits within as much weight as the positives have."""
    n_positives = rows.n_positives
    within = rows.within(rows.weight, n_positives)
    of_positives, of_all = rows.at(float(within.sum()))
    score = float(within @ rows.tp) / n_positives
    precision = of_positives / of_all
    of_hits = within * rows.tp + precision * (rows.tp - within * rows.weight)
    of_missed = (precision - score) / n_positives
    of_rows = (of_hits - score * rows.tp) / n_positives
    return score, of_rows, of_missed, n_positives, n_positives


def _area(
    definition: Definition, rows: _RankedRows
) -> tuple[float, FloatArray, float, float]:
    """Differentiate the sum of the precision at each positive within the cut."""
    n_rows = rows.order.size
    depth = float(n_rows) if definition.cut is None else _depth(definition, rows)
    within = rows.within(np.ones(n_rows), depth)
    inside = rows.of_groups(within) / rows.of_groups(np.ones(n_rows))
    gained = inside * rows.of_groups(rows.tp)
    tp, retrieved = np.cumsum(gained), np.cumsum(inside * rows.of_groups(rows.weight))
    precision = tp / np.maximum(retrieved, 5e-324)
    total = float(gained @ precision)
    per_row = gained / np.maximum(retrieved, 5e-324)
    to_all = -_from_each_on(per_row * precision)
    to_positives = _from_each_on(per_row) + precision
    group = rows.group
    of_rows = within * (rows.tp * to_positives[group] + rows.weight * to_all[group])
    of_positives, _ = rows.at(depth)
    last = max(int(np.count_nonzero(inside)) - 1, 0)
    of_rows -= of_positives * precision[last] * (within - depth / n_rows)
    n_positives, of_missed = rows.n_positives, 0.0
    if definition.normalizer == "k":
        divisor = of_divisor = depth
    elif definition.normalizer == "hits":
        divisor = of_divisor = max(float(tp[-1]), 1.0)
    else:
        divisor = of_divisor = n_positives
        if definition.normalizer == "min" and depth < n_positives:
            divisor = of_divisor = depth
    score = total / divisor
    if of_divisor == n_positives:
        of_rows -= score * rows.tp
        of_missed = -score / divisor
    return score, of_rows / divisor, of_missed, min(depth, n_positives)


def _from_each_on(values: FloatArray) -> FloatArray:
    return np.cumsum(values[::-1])[::-1]


def _at_recall(
    definition: Definition, rows: _RankedRows
) -> tuple[float, FloatArray, float, float]:
    """Differentiate the precision where a recall is reached: how many rows stand above
    it moves with the recall.
    """
    level, n_positives = definition.level, rows.n_positives
    assert level is not None, definition
    least = float(rows.tp[rows.tp > 0].min(initial=n_positives))
    hits = max(level * n_positives * (1 - EQUAL), least)
    tp = np.cumsum(rows.of_groups(rows.tp))
    retrieved = np.cumsum(rows.of_groups(rows.weight))
    reached = tp >= hits * (1 - EQUAL)
    score = float((tp / retrieved)[reached].max(initial=0.0))
    if not score:
        return 0.0, np.zeros(rows.order.size), 0.0, n_positives
    group = int(reached.argmax())
    within = (rows.group <= group).astype(np.float64)
    of_positives, of_all = rows.at(float(within.sum()))
    # half a row more of either class
    near = 2 * max(ceil(2 * sqrt(within.sum())), _LEAST_ROWS)
    precision = (near * of_positives + 0.5) / (near * of_all + 1)
    above = max(float(tp[group]), hits) / score
    share = hits / n_positives
    lacking = (share - within) * rows.tp / precision
    of_rows = (share * rows.tp - score * (within * rows.weight + lacking)) / above
    return score, of_rows, share * (1 - score / precision) / above, above

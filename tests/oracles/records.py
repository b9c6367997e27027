"""Areas as packages define them, at their levels and with their end points, in exact
fractions. Levels are compared in floats, as the packages compare them.

A value is None if it is not defined.
"""

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from itertools import pairwise

from oracles import scores as oracle
from oracles.scores import Ranking

_Counts = tuple[Fraction, Fraction]  # the positives and the rows down to a threshold


def _interpolated_lines(ranking: Ranking) -> Fraction:
    """Return the area of lines between the best precisions at each threshold or a lower
    one.
    """
    precisions = ranking.precisions
    heights = [max(precisions[n:]) for n in range(len(precisions))]
    points = zip(ranking.recalls, heights, strict=True)
    return oracle.trapezoids([(Fraction(0), Fraction(1)), *points])


def _sorted_by_recall(ranking: Ranking) -> Fraction:
    """Return the area of lines from the first threshold of each recall to the last one
    of the next recall.
    """
    of_recall = {}
    for recall, precision in zip(ranking.recalls, ranking.precisions, strict=True):
        first, _ = of_recall.setdefault(recall, (precision, precision))
        of_recall[recall] = first, precision
    height, points = Fraction(1), []
    left = Fraction(0)
    for recall, (first, last) in of_recall.items():
        if recall:
            points += [(left, height), (recall, last)]
            left, height = recall, first
    return oracle.trapezoids(points)


def _between(start: _Counts, end: _Counts, n: int) -> list[_Counts]:
    """Return the n counts of positives and rows on the line from one threshold to
    another.
    """
    ways = [(a, (b - a) / n) for a, b in zip(start, end, strict=True)]
    return [tuple(a + step * place for a, step in ways) for place in range(1, n + 1)]


def _joined(ranking: Ranking, counts: list[_Counts], start: Fraction) -> Fraction:
    points = [(tp / ranking.positives, tp / rows) for tp, rows in counts]
    return oracle.trapezoids([(Fraction(0), start), *points])


def _unit_steps(ranking: Ranking) -> Fraction:
    """Return the area of lines between points at every positive. Only the line of a
    first group is horizontal.
    """
    counts = []
    for start, end in pairwise([(Fraction(0), Fraction(0)), *ranking.points]):
        counts += _between(start, end, max(int(end[0] - start[0]), 1))
    return _joined(ranking, counts, counts[0][0] / counts[0][1])


def _fewest_retrieved(ranking: Ranking) -> Fraction:
    """Return the area of lines between the first thresholds of each recall. As in ROCR,
    groups of more than two positives are divided at every positive.
    """
    counts, start = [], (Fraction(0), Fraction(0))
    for end in ranking.points:
        gained = int(end[0] - start[0])
        if gained:
            counts += _between(start, end, gained if gained > 2 else 1)
            start = end
    return _joined(ranking, counts, Fraction(1))


def _mean_rank(ranking: Ranking) -> Fraction:
    """Return one over the mean of the first positive's best and worst rank among
    negatives.
    """
    above = Fraction(0)
    for tp, retrieved in ranking.points:
        if tp:
            return 1 / ((above + 1 + retrieved - tp + 1) / 2)
        above = retrieved
    raise AssertionError(ranking)


def _precisions(ranking: Ranking) -> Fraction:
    """Return the mean of the precisions at each row. The hits of a tied group are
    spread evenly over its rows.
    """
    counts = []
    for start, end in pairwise([(Fraction(0), Fraction(0)), *ranking.points]):
        counts += _between(start, end, int(end[1] - start[1]))
    return sum(tp / rows for tp, rows in counts) / len(counts)


_WHOLE = {
    "step": oracle.step,
    "interpolated": oracle.interpolated,
    "linear": oracle.linear,
    "davis-goadrich": oracle.davis_goadrich,
    "hits": lambda ranking: ranking.found / ranking.positives,
    "reciprocal rank": lambda ranking: oracle.reciprocal_rank(
        ranking, None, "expected"
    ),
    "success": lambda ranking: Fraction(1),
    "linear, interpolated": _interpolated_lines,
    "linear, fewest retrieved": _fewest_retrieved,
    "linear, sorted by recall": _sorted_by_recall,
    "davis-goadrich, unit steps": _unit_steps,
    "reciprocal of the mean rank": _mean_rank,
    "precisions": _precisions,
}
AREAS = [*_WHOLE, "recall at precision"]


def area(ranking: Ranking, name: str, ends: tuple[str, str], grid) -> Fraction | None:
    """Return the area with this name, with the first and the last point of `ends`."""
    if name == "recall at precision":
        return _point(ranking, ends, grid)
    if grid is not None:
        return _at_grid(ranking, name, ends, grid)
    if ends == ("(0, 1)", "none"):
        return _WHOLE[name](ranking)
    if ends == ("(0, 1)", "(1, 0)") and name == "interpolated":
        triangle = ranking.precisions[-1] * (1 - ranking.recalls[-1]) / 2
        return oracle.interpolated(ranking) + triangle
    if ends[1] == "none" and name == "linear":
        points = _curve(ranking)
        return oracle.trapezoids(points if ends[0] == "(0, p1)" else points[1:])
    return None


def _curve(ranking: Ranking) -> list[tuple[Fraction, Fraction]]:
    """Return recall and precision at each threshold, from recall 0 and the first
    precision.
    """
    points = list(zip(ranking.recalls, ranking.precisions, strict=True))
    return [(Fraction(0), points[0][1]), *points]


def _point(ranking: Ranking, ends: tuple[str, str], grid) -> Fraction | None:
    plain = grid and (grid.met_by, grid.weights, grid.floor) == ("recall", "equal", 0)
    if not plain or ends != ("(0, 1)", "none") or len(_levels(grid)) != 1:
        return None
    return oracle.recall_at_precision(ranking, *_levels(grid))


# --- at the levels of a grid ----------------------------------------------------------


def _at_grid(
    ranking: Ranking, name: str, ends: tuple[str, str], grid
) -> Fraction | None:
    """Return the sum of the heights above the floor at each level, times the weight of
    a level.
    """
    heights = None
    if name == "linear" and ends == ("(0, p1)", "none") and grid.met_by == "recall":
        heights = [_height_of_line(ranking, level) for level in _levels(grid)]
    elif grid.met_by == "nearest positives":
        if name == "interpolated" and ends == ("(0, 1)", "none"):
            heights = _kitti(ranking, grid)
    elif name == "step" and ends == ("(0, 1)", "none"):
        heights = [_first_precision(ranking, level, grid) for level in _levels(grid)]
    elif name == "interpolated" and ends == ("(0, 1)", "none"):
        heights = [_best_precision(ranking, level, grid) for level in _levels(grid)]
    elif name == "interpolated" and ends == ("(0, 1)", "(1, 0)"):
        if grid.met_by not in ("recall", "greater recall"):
            return None
        heights = [
            _best_precision(ranking, level, grid) or _descent(ranking, level)
            for level in _levels(grid)
        ]
    if heights is None:
        return None
    floor = Fraction(grid.floor)
    weights = _weights(grid)
    above = [max(height - floor, Fraction(0)) / (1 - floor) for height in heights]
    return sum(map(Fraction.__mul__, weights, above), Fraction(0))


def _levels(grid) -> list[float]:
    if isinstance(grid.levels, int):
        return [j / (grid.levels - 1) for j in range(grid.levels)]
    return sorted(grid.levels)


def _weights(grid) -> list[Fraction]:
    levels = list(map(Fraction, _levels(grid)))
    n = len(levels)
    if grid.weights == "equal":
        return [Fraction(1, n)] * n
    if grid.weights == "gaps":
        return [Fraction(1, n - 1)] * n
    if grid.weights == "differences":
        return [b - a for a, b in pairwise([levels[0], *levels])]
    return [Fraction(1, (n - 1) * (1 + (j in (0, n - 1)))) for j in range(n)]


def _is_met(ranking: Ranking, tp: Fraction, level: float, met_by: str) -> bool:
    n = float(ranking.positives)
    if met_by == "recall":
        return float(tp) / n >= level
    if met_by == "greater recall":
        return float(tp) / n > level
    if met_by == "documents":
        return tp >= int(level * n + 0.9)
    return tp >= Decimal(level * n).quantize(Decimal(1), ROUND_HALF_UP)


def _first_precision(ranking: Ranking, level: float, grid) -> Fraction:
    """Return the precision at the first threshold that gains positives and reaches a
    level.
    """
    points = zip(ranking.points, ranking.precisions, strict=True)
    heights = (
        precision
        for (tp, _), precision in points
        if tp and _is_met(ranking, tp, level, grid.met_by)
    )
    return next(heights, Fraction(0))


def _best_precision(ranking: Ranking, level: float, grid) -> Fraction:
    """Return the best precision from the first threshold on that reaches a level."""
    return oracle.best_where(
        ranking, lambda tp: _is_met(ranking, tp, level, grid.met_by)
    )


def _descent(ranking: Ranking, level: float) -> Fraction:
    """Return the height at a level of the line from the last point to recall 1 and
    precision 0.
    """
    left = 1 - ranking.recalls[-1]
    if not left:
        return Fraction(0)
    return ranking.precisions[-1] * (1 - Fraction(level)) / left


def _height_of_line(ranking: Ranking, level: float) -> Fraction:
    """Return the height of the line at a recall. The lowest threshold of each recall is
    used, and the line is 0 beyond the last recall.
    """
    curve = _curve(ranking)
    at_level = [height for recall, height in curve if float(recall) == level]
    if at_level:
        return at_level[-1]
    for (left, start), (right, end) in pairwise(curve):
        if float(left) < level < float(right):
            return start + (end - start) * (Fraction(level) - left) / (right - left)
    return Fraction(0)


def _kitti(ranking: Ranking, grid) -> list[Fraction]:
    """Return the best precision at each slot of the grid or beyond. The loop is that of
    KITTI's `getThresholds`, which assigns thresholds to slots.
    """
    n = float(ranking.positives)
    scores = sorted((row.score for row in ranking.rows if row.label), reverse=True)
    thresholds, current_recall = [], 0.0
    for i, score in enumerate(scores):
        left, right = (i + 1) / n, (i + 2) / n
        is_last = i == len(scores) - 1
        if not is_last and right - current_recall < current_recall - left:
            continue
        thresholds.append(score)
        current_recall += 1 / 40
    heights = [Fraction(0)] * 41
    for slot, threshold in enumerate(thresholds[:41]):
        heights[slot] = oracle.point_at(ranking, threshold).precision
    return [max(heights[round(40 * level) :]) for level in _levels(grid)]

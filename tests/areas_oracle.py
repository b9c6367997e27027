"""The area of one ranking as its record words it: slow, in exact fractions.

Beside `oracle`, which has the definitions of the papers, this has the areas of other
packages. It reads the fields of a record and shares no code with the package.
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from inspect import signature
from itertools import pairwise

import oracle
from metrics import LEVELS
from oracle import Ranking
from sklearn_ap._registry import NUMBERS
from sklearn_ap.compatibility._areas import Grid
from sklearn_ap.compatibility._records import Convention

Cut = int | float | str | None
Point = tuple[Fraction, Fraction]  # recall and precision


class RefusedError(Exception):
    """The convention has no number for these rows."""


def of_ranking(
    convention: Convention, ranking: Ranking, k: int | float | None
) -> Fraction | Decimal:
    """The number of one ranking that has positives."""
    cut = k if convention.cut == "k" else convention.cut
    if convention.max_recall is not None:
        return getattr(oracle, f"{convention.area}_to_recall")(
            ranking, convention.max_recall
        )
    if convention.area in WITH_CHOICES:
        return WITH_CHOICES[convention.area](convention, ranking, cut)
    if convention.area in OF_RANKING_ALONE:
        return OF_RANKING_ALONE[convention.area](ranking)
    name = convention.area.replace(" ", "_").replace("-", "_")
    define = getattr(oracle, name, None) or getattr(oracle, f"{name}_at_k")
    takes = list(signature(define).parameters)[1:]
    if not takes:
        return define(ranking)
    if options := _options_of(convention, takes):
        return define(ranking, **options)
    if "k" not in takes:
        # at levels of its own, all of which are above 0: without levels, all rows count
        levels = (
            [(Fraction(0), Fraction(1))]
            if convention.grid is None
            else _levels(convention.grid)
        )
        return sum(
            (weight * define(ranking, float(level)) for level, weight in levels),
            Fraction(0),
        )
    # Of ranks: the rows stand in the order of the convention already.
    return define(
        ranking, cut, "expected" if convention.ties == "expected" else "stable"
    )


def _options_of(convention: Convention, takes: list[str]) -> dict[str, object]:
    """Return the options of a definition that are neither levels nor cuts, as the row
    of this number in the registry has them.
    """
    known = {level for required in LEVELS.values() for level in required} | {
        "k",
        "ties",
    }
    [options] = [one.options for one in NUMBERS if one.name == convention.name] or [{}]
    for option in set(takes) - known - options.keys():
        raise NotImplementedError(
            f"{convention.name!r} does not say its {option}: pass it in its row of "
            "NUMBERS in sklearn_ap/_registry.py, such as\n"
            f"    _number({convention.name!r}, ..., {option}=1.0),"
        )
    return {option: options[option] for option in takes if option not in known}


# --- areas that other choices of a record change --------------------------------------


def _step(convention: Convention, ranking: Ranking, cut: Cut) -> Fraction:
    """Precision at each threshold, times the recall gained."""
    if convention.grid is not None:
        return _at_grid(convention.grid, ranking, interpolate=False)
    ties = "expected" if convention.ties == "expected" else "proportional"
    if cut == "n_positives":
        return oracle.average_precision_at_k(
            ranking, int(ranking.positives), ties, "n_positives"
        )
    _refuse_unknown_weights(convention, ranking, cut)
    return oracle.average_precision_at_k(ranking, cut, ties, convention.normalizer)


def _refuse_unknown_weights(convention: Convention, ranking: Ranking, cut: Cut) -> None:
    """Unequal weights do not say what a missed positive weighs, which "min" would have
    to compare.
    """
    unequal = len({row.weight for row in ranking.rows}) > 1
    if (
        unequal
        and convention.normalizer == "min"
        and cut is not None
        and ranking.total is not None
    ):
        raise RefusedError("weights of missed positives")


def _interpolated(convention: Convention, ranking: Ranking, _: Cut) -> Fraction:
    """Best precision at each recall or beyond."""
    grid = convention.grid
    area = (
        oracle.interpolated(ranking)
        if grid is None
        else _at_grid(grid, ranking, interpolate=True)
    )
    return area + (_descent(ranking, grid) if convention.last_point == "(1, 0)" else 0)


def _descent(ranking: Ranking, grid: Grid | None) -> Fraction:
    """From the last operating point straight to recall 1 and precision 0."""
    tp, retrieved = ranking.points[-1] if ranking.rows else (Fraction(0), Fraction(1))
    recall, precision = tp / ranking.positives, tp / retrieved
    if recall == 1:
        return Fraction(0)
    if grid is None:
        return precision * (1 - recall) / 2
    # as levels are met: 3/5 is not beyond the float 0.6
    reached = float(tp) / float(ranking.positives)
    below = (
        (level, weight) for level, weight in _levels(grid) if float(level) >= reached
    )
    return sum(
        (weight * precision * (1 - level) / (1 - recall) for level, weight in below),
        Fraction(0),
    )


def _linear(convention: Convention, ranking: Ranking, _: Cut) -> Fraction:
    """Points joined by straight lines."""
    curve = _joined(ranking, convention.first_point)
    return (
        _trapezoids(curve)
        if convention.grid is None
        else _joined_at_grid(convention.grid, curve)
    )


def _joined(ranking: Ranking, first_point: str) -> list[Point]:
    """The operating points, after the first point that the convention puts before
    them.
    """
    curve = list(zip(ranking.recalls, ranking.precisions, strict=True))
    if not curve or first_point == "none":
        return curve
    return [
        (Fraction(0), {"(0, 1)": Fraction(1), "(0, p1)": curve[0][1]}[first_point]),
        *curve,
    ]


def _trapezoids(curve: Iterable[Point]) -> Fraction:
    return sum(
        ((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(curve)), Fraction(0)
    )


def _joined_at_grid(grid: Grid, curve: Sequence[Point]) -> Fraction:
    """The mean height of the line at the levels, of what is above the floor."""
    area, floor = Fraction(0), Fraction(grid.floor)
    for level, weight in _levels(grid):
        area += (
            weight * max(_height_at(curve, level) - floor, Fraction(0)) / (1 - floor)
        )
    return area


def _height_at(curve: Sequence[Point], level: Fraction) -> Fraction:
    """The height of the line at a level, the last of several points there; 0 beside the
    line.
    """
    before = [n for n, (recall, _) in enumerate(curve) if float(recall) <= level]
    if not before:
        return Fraction(0)
    recall, height = curve[before[-1]]
    if before[-1] + 1 < len(curve):
        recall_after, height_after = curve[before[-1] + 1]
        return height + (height_after - height) * (level - recall) / (
            recall_after - recall
        )
    return Fraction(0) if float(recall) < level else height


def _precisions(_: Convention, ranking: Ranking, cut: Cut) -> Fraction:
    """The mean of the precisions at 1, 2, ... rows; a tied group gives its share of
    hits.
    """
    depth = oracle.depth(ranking, cut)
    found = []
    for n in range(1, depth + 1):
        curve = oracle.cut_points(ranking, n)
        found.append((curve[-1][0] if curve else Fraction(0)) / n)
    return sum(found, Fraction(0)) / depth if depth else Fraction(0)


def _hits(convention: Convention, ranking: Ranking, cut: Cut) -> Fraction:
    """Positives in the cut, not their precision."""
    if cut == "n_positives":
        return oracle.r_precision(ranking, "proportional")
    _refuse_unknown_weights(convention, ranking, cut)
    curve = oracle.cut_points(ranking, oracle.depth(ranking, cut))
    divisor = oracle.normalization(ranking, curve, cut, convention.normalizer)
    found = curve[-1][0] if curve else Fraction(0)
    return found / divisor if divisor else Fraction(0)


# --- areas of a ranking alone ---------------------------------------------------------


def _linear_interpolated(ranking: Ranking) -> Fraction:
    """Trapezoids between the best precisions at each threshold or a lower one, from (0,
    1).
    """
    heights = [max(ranking.precisions[n:]) for n in range(len(ranking.points))]
    return _trapezoids(
        [(Fraction(0), Fraction(1)), *zip(ranking.recalls, heights, strict=True)]
    )


def _reciprocal_of_mean_rank(ranking: Ranking) -> Fraction:
    """Of the first positive: it is beaten by negatives above, and by half of those of
    its score.
    """
    best = max(row.score for row in ranking.rows if row.label)
    above = [row.score > best for row in ranking.rows].count(True)
    tied = [row.score == best and not row.label for row in ranking.rows].count(True)
    optimistic, pessimistic = above + 1, above + tied + 1
    return 1 / (Fraction(optimistic + pessimistic) / 2)


def _unit_steps(ranking: Ranking) -> Fraction:
    """Davis and Goadrich's points at every positive, joined by straight lines; a first
    group is flat.
    """
    area, (tp_above, above) = Fraction(0), (Fraction(0), Fraction(0))
    for tp, retrieved in ranking.points:
        if tp > tp_above:
            points = _unit_points(tp_above, above, tp, retrieved)
            first = tp_above / above if above else tp / retrieved
            area += _trapezoids(enumerate([first, *points]))
        tp_above, above = tp, retrieved
    return area / ranking.positives


def _unit_points(
    tp_above: Fraction, above: Fraction, tp: Fraction, retrieved: Fraction
) -> list[Fraction]:
    """The precision at every positive of a tied group, negatives coming in evenly."""
    gap = int(tp - tp_above)
    return [
        (tp_above + n) / (above + n * (retrieved - above) / gap)
        for n in range(1, gap + 1)
    ]


def _fewest_retrieved(ranking: Ranking) -> Fraction:
    """Lines between the first points of each recall; unit points in gaps of more than
    two.
    """
    fewest = [(Fraction(0), Fraction(0))]
    for tp, retrieved in ranking.points:
        if tp > fewest[-1][0]:
            fewest.append((tp, retrieved))
    area = Fraction(0)
    for (tp_above, above), (tp, retrieved) in pairwise(fewest):
        first = tp_above / above if above else Fraction(1)
        if tp - tp_above > 2:
            area += _trapezoids(
                enumerate([first, *_unit_points(tp_above, above, tp, retrieved)])
            )
        else:
            area += (tp - tp_above) * (first + tp / retrieved) / 2
    return area / ranking.positives


def _sorted_by_recall(ranking: Ranking) -> Fraction:
    """Trapezoids of all points, sorted by recall where lower thresholds come first; the
    point (0, 1) is the last of recall 0.
    """
    points = [
        (tp / ranking.positives, -retrieved, tp / retrieved)
        for tp, retrieved in ranking.points
    ]
    points.append((Fraction(0), Fraction(0), Fraction(1)))
    return sum(
        (
            (right - left) * (low + high) / 2
            for (left, _, low), (right, _, high) in pairwise(sorted(points))
        ),
        Fraction(0),
    )


# --- grids ----------------------------------------------------------------------------


@lru_cache
def _levels(grid: Grid) -> list[tuple[Fraction, Fraction]]:
    """Each level and what it weighs."""
    levels = [Fraction(level) for level in grid.levels]
    gaps = len(levels) - 1
    weights = {
        "equal": [Fraction(1, len(levels))] * len(levels),
        # half the weight at both ends
        "trapezoid": [
            Fraction(1 + (0 < j < gaps), 2 * gaps or 1) for j in range(gaps + 1)
        ],
        # the first level has none before it, and weighs nothing
        "differences": [Fraction(0), *(b - a for a, b in pairwise(levels))],
    }
    return list(zip(levels, weights[grid.weights], strict=True))


def _at_grid(grid: Grid, ranking: Ranking, *, interpolate: bool) -> Fraction:
    """The weighted mean of the precisions where each level is first met, or of the best
    there or beyond.
    """
    if grid.met_by == "nearest positives":
        return _at_nearest_positives(grid, ranking)
    if interpolate and (grid.met_by, grid.weights) == ("recall", "equal"):
        # the grids that `oracle` defines
        if isinstance(grid.levels, int):
            return oracle.at_levels(ranking, grid.levels)
        return oracle.at_given_levels(ranking, grid.levels)
    if any(row.weight.denominator > 1 for row in ranking.rows):
        raise oracle.AmbiguousError  # packages compare rounded sums with the levels
    area = Fraction(0)
    for level, weight in _levels(grid):
        # from the best scores on
        met = [
            precision
            for (tp, _), precision in zip(
                ranking.points, ranking.precisions, strict=True
            )
            if tp and _meets(grid, tp, ranking.positives, float(level))
        ]
        if met:
            area += weight * (max(met) if interpolate else met[0])
    return area


def _meets(grid: Grid, tp: Fraction, of: Fraction, level: float) -> bool:
    match grid.met_by:
        case "recall":
            return float(tp) / float(of) >= level
        case "greater recall":
            return float(tp) / float(of) > level
        case "documents":
            return tp >= int(level * float(of) + 0.9)
        case _:
            asked = level * float(of)
            return tp >= int(asked) + (asked - int(asked) >= 0.5)


def _at_nearest_positives(grid: Grid, ranking: Ranking) -> Fraction:
    """KITTI: the best precision in each slot or beyond, a slot being a positive that
    was taken.
    """
    precisions = [
        next(tp / retrieved for tp, retrieved in ranking.points if tp >= n)
        for n in _nearest_positives(ranking)
    ]
    heights = [max(precisions[slot:], default=Fraction(0)) for slot in range(41)]
    counted = [round(40 * level) for level in grid.levels]
    return sum((heights[slot] for slot in counted), Fraction(0)) / len(counted)


def _nearest_positives(ranking: Ranking) -> list[int]:
    """At each j / 40 the next positive unless the one after it is nearer, and the last
    one always.
    """
    of, found = float(ranking.positives), int(ranking.found)
    taken, recall = [], 0.0
    for n in range(1, found + 1):
        if n == found or (n + 1) / of - recall >= recall - n / of:
            taken.append(n)
            recall += 1 / 40
    return taken


# Areas whose function reads other choices too: (convention, ranking, cut) -> the
# number.
WITH_CHOICES = {
    "step": _step,
    "interpolated": _interpolated,
    "linear": _linear,
    "precisions": _precisions,
    "hits": _hits,
}
# Areas that no other choice of a record changes. What stands in neither table is a
# function of `oracle` under the name of the area, perhaps at k: "davis-goadrich" is
# `oracle.davis_goadrich`.
OF_RANKING_ALONE = {
    "davis-goadrich, unit steps": _unit_steps,
    "linear, fewest retrieved": _fewest_retrieved,
    "linear, sorted by recall": _sorted_by_recall,
    "linear, interpolated": _linear_interpolated,
    "reciprocal of the mean rank": _reciprocal_of_mean_rank,
}

"""The number of a convention as its record words it: slow, row by row, in exact fractions.

Beside `oracle`, which has the definitions of the papers, this has what other packages do to the input, and
their areas. It reads the fields of a record and shares no code with the package.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np
from scipy.special import expit

import oracle
from oracle import Ranking, Row
from sklearn_ap.compatibility import Convention, Grid


@dataclass(frozen=True)
class Data:
    """Rows as a user passes them; `None` is not passed."""

    labels: list[int]
    scores: list[float]
    weights: list[float] | None = None
    queries: list[str] | None = None
    items: list[str] | None = None
    n_positives: int | dict[str, int] | None = None
    k: int | float | None = None

    def arguments(self) -> dict[str, object]:
        return {
            "k": self.k,
            "sample_weight": self.weights,
            "query_id": self.queries,
            "n_positives": self.n_positives,
            "item_id": self.items,
        }


class RefusedError(Exception):
    """The convention has no number for these rows."""


Number = Fraction | Decimal | float


def value(convention: Convention, data: Data) -> Number:
    """The number, NaN where that is the answer."""
    least, greatest = extremes(convention, data)
    if least != greatest and not (math.isnan(least) and math.isnan(greatest)):
        raise RefusedError("the order of equal scores is open, and decides")
    return least


def extremes(convention: Convention, data: Data) -> tuple[Number, Number]:
    """The least and the greatest number over all orders of equal scores, where their order is open."""
    if convention.cut == "k" and data.k is None:
        raise RefusedError("k")
    rankings = sorted(_rankings(convention, data), key=lambda one: bool(one.positives))
    _refuse_orders_without_bounds(convention, data, rankings)
    least, greatest = [], []
    for ranking in rankings:
        labels = {row.label for row in ranking.rows}
        if not ranking.positives:
            values, odd = [convention.without_positives], True
        elif False not in labels and convention.without_negatives is not None:
            values, odd = [convention.without_negatives], True
        else:
            orders = _orders(convention, ranking, known=_order_is_known(convention, data))
            values, odd = [_of_ranking(convention, one, data.k) for one in orders], False
        least.append((min(values), odd))
        greatest.append((max(values), odd))
    return _over_rankings(convention, least), _over_rankings(convention, greatest)


def _over_rankings(convention: Convention, values: list[tuple[Number | str, bool]]) -> Number:
    """The mean of the rankings' numbers and answers; those that are `odd` may be left out."""
    if any(answer == "error" for answer, _ in values):
        raise RefusedError("one class")
    kept = [answer for answer, odd in values if not (odd and convention.left_out)]
    if not kept:
        return values[0][0]
    if any(isinstance(answer, float) and math.isnan(answer) for answer in kept):
        return math.nan
    return sum(map(_exact, kept), Fraction(0)) / len(kept)


def _exact(number: Fraction | Decimal | float) -> Fraction:
    return Fraction(number)


# --- rows ------------------------------------------------------------------------------------------------


def _rankings(convention: Convention, data: Data) -> list[Ranking]:
    """The rankings that the convention sees, equal scores in the order of its ids, if it has one."""
    n = len(data.labels)
    weights = [1.0] * n if data.weights is None or convention.weights == "ignored" else data.weights
    rows = [row for row in range(n) if weights[row]]
    scores = dict(zip(rows, _scores(convention, [data.scores[row] for row in rows]), strict=True))
    labels = {row: bool(data.labels[row]) for row in rows}
    if convention.transform == "above 0":
        squashed = _rounded(convention, data.scores)
        labels = {row: labels[row] and squashed[row] > 0 for row in rows}
    stated = data.n_positives if convention.total == "stated" else None
    if stated is not None and data.weights is not None and convention.weights == "ignored":
        raise RefusedError("counts beside weights")
    groups: dict[str, list[int]] = {"": rows}
    if data.queries is not None and convention.queries == "mean":
        groups = {query: [row for row in rows if data.queries[row] == query] for query in set(data.queries)}
        groups = {query: members for query, members in groups.items() if members}
        if isinstance(stated, dict):
            groups = {query: groups.get(query, []) for query in stated}
    if isinstance(stated, dict) and "" in groups:
        stated = sum(stated.values())
    rankings = []
    for query, members in groups.items():
        ordered = sorted(members, key=lambda row: _place(convention, data, row))
        total = stated[query] if isinstance(stated, dict) else stated
        if total is None and any(labels[row] and scores[row] is None for row in ordered):
            total = sum(Fraction(weights[row]) for row in ordered if labels[row])
        ranking = Ranking(
            tuple(_row(labels[row], scores[row], Fraction(weights[row])) for row in ordered),
            None if total is None else Fraction(total),
        )
        rankings.append(ranking)
    return rankings


def _row(label: bool, score: float | None, weight: Fraction) -> Row:
    """What meets no threshold stands last, and is found by none."""
    return Row(False, -1, weight) if score is None else Row(label, score, weight)


def _place(convention: Convention, data: Data, row: int) -> object:
    """What sorts the rows such that a stable sort by score leaves equal scores in the convention's order."""
    if convention.ties == "reversed":
        return -row
    if convention.ties == "item_id" and data.items is not None:
        return [-ord(letter) for letter in data.items[row]] + [1]  # a longer id of the same letters is larger
    return row


def _order_is_known(convention: Convention, data: Data) -> bool:
    return convention.ties != "unspecified" and not (convention.ties == "item_id" and data.items is None)


def _refuse_orders_without_bounds(convention: Convention, data: Data, rankings: list[Ranking]) -> None:
    """Orders of unequal weights, and of a curve whose first segment is dropped, are not looked into."""
    unequal = any(len({row.weight for row in ranking.rows}) > 1 for ranking in rankings)
    if convention.ties in ("expected", "optimistic", "pessimistic") and unequal:
        raise RefusedError("unequal weights")
    if not _order_is_known(convention, data) and (unequal or convention.first_point == "none"):
        for ranking in rankings:
            for group in oracle.tied_groups(ranking):
                if len({row.label for row in group}) == 2:
                    raise RefusedError("ties")


def _orders(convention: Convention, ranking: Ranking, *, known: bool) -> Iterator[Ranking]:
    """The ranking in its order of equal scores; in every order of them, where that is open."""
    ties = convention.ties
    if known and ties in ("proportional", "expected"):
        yield ranking
        return
    order = ties if ties in ("optimistic", "pessimistic") else "stable"
    for rows in oracle.orders(ranking, order if known else "every"):
        yield Ranking(tuple(Row(row.label, -n, row.weight) for n, row in enumerate(rows)), ranking.total)


def _rounded(convention: Convention, scores: Sequence[float]) -> np.ndarray:
    return np.array(scores, dtype=convention.score_dtype or "float64")


def _scores(convention: Convention, scores: Sequence[float]) -> list[float | None]:
    """Scores as they are compared; None reaches no threshold."""
    rounded = _rounded(convention, scores)
    if convention.transform == "input order":
        rounded = -np.arange(len(scores))
    if convention.transform == "sigmoid" and not all(0 <= score <= 1 for score in rounded):
        rounded = expit(rounded)
    if convention.transform == "near":
        groups: dict[float, float] = {}
        for score in sorted(set(rounded.tolist())):
            near = [other for other in groups if score - other < 1e-8]
            groups[score] = groups[max(near)] if near else score
        rounded = np.array([groups[score] for score in rounded.tolist()])
    thresholds = convention.thresholds
    if thresholds is None:
        return rounded.tolist()
    count = thresholds.count
    if thresholds.rule == "merged":
        distinct = sorted(set(rounded.tolist()), reverse=True)
        width = max(len(distinct) // count, 1)
        return [-(distinct.index(score) // width) for score in rounded.tolist()]
    if thresholds.rule == "above":
        clipped = np.clip(rounded, 0, 1).astype(np.float32)
        return [max(math.ceil(np.float32(count - 1) * score) - 1, 0) for score in clipped]
    step = Fraction(float(np.float32(1 / (count - 1))))
    grid = [step * j if j < count // 2 else 1 - step * (count - 1 - j) for j in range(count)]
    places = [float(np.float32(float(place))) for place in grid]
    reached = [[j for j, place in enumerate(places) if score >= place] for score in rounded.tolist()]
    return [max(places_reached) if places_reached else None for places_reached in reached]


# --- areas -----------------------------------------------------------------------------------------------


def _of_ranking(convention: Convention, ranking: Ranking, k: int | float | None) -> Fraction | Decimal:
    """The number of one ranking that has positives."""
    cut = k if convention.cut == "k" else convention.cut
    ties = "expected" if convention.ties == "expected" else "proportional"
    match convention.area:
        case "step" if convention.grid is not None:
            return _at_grid(convention.grid, ranking, interpolate=False)
        case "step" if cut == "n_positives":
            return oracle.average_precision_at_k(ranking, int(ranking.positives), ties, "n_positives")
        case "step":
            _refuse_unknown_weights(convention, ranking, cut)
            return oracle.average_precision_at_k(ranking, cut, ties, convention.normalizer)
        case "interpolated":
            grid = convention.grid
            area = oracle.interpolated(ranking) if grid is None else _at_grid(grid, ranking, interpolate=True)
            return area + (_descent(ranking, grid) if convention.last_point == "(1, 0)" else 0)
        case "linear":
            return _linear(ranking, convention.first_point)
        case "hits":
            return _hits(convention, ranking, cut)
    return OF_RANKING_ALONE[convention.area](ranking)


def _refuse_unknown_weights(convention: Convention, ranking: Ranking, cut: object) -> None:
    unequal = len({row.weight for row in ranking.rows}) > 1
    if unequal and convention.normalizer == "min" and cut is not None and ranking.total is not None:
        raise RefusedError("weights of missed positives")


def _hits(convention: Convention, ranking: Ranking, cut: object) -> Fraction:
    if cut == "n_positives":
        return oracle.r_precision(ranking, "proportional")
    if convention.normalizer == "min":
        _refuse_unknown_weights(convention, ranking, cut)
    curve = oracle.cut_points(ranking, oracle.depth(ranking, cut))
    divisor = oracle.normalization(ranking, curve, cut, convention.normalizer)
    found = curve[-1][0] if curve else Fraction(0)
    return found / divisor if divisor else Fraction(0)


def _linear(ranking: Ranking, first_point: str) -> Fraction:
    """Trapezoids between operating points, from the first point that the convention puts before them."""
    curve = [(tp / ranking.positives, tp / retrieved) for tp, retrieved in oracle.points(ranking)]
    if not curve:
        return Fraction(0)
    first = {"(0, 1)": [(Fraction(0), Fraction(1))], "(0, p1)": [(Fraction(0), curve[0][1])], "none": []}
    joined = [*first[first_point], *curve]
    return sum(((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(joined)), Fraction(0))


def _unit_steps(ranking: Ranking) -> Fraction:
    """Davis and Goadrich's points at every positive, joined by straight lines; a first group is flat."""
    area, (tp_above, above) = Fraction(0), (Fraction(0), Fraction(0))
    for tp, retrieved in oracle.points(ranking):
        if tp > tp_above:
            points = _unit_points(tp_above, above, tp, retrieved)
            first = tp_above / above if above else tp / retrieved
            area += sum(((a + b) / 2 for a, b in pairwise([first, *points])), Fraction(0))
        tp_above, above = tp, retrieved
    return area / ranking.positives


def _unit_points(tp_above: Fraction, above: Fraction, tp: Fraction, retrieved: Fraction) -> list[Fraction]:
    """The precision at every positive of a tied group, negatives coming in evenly."""
    gap = int(tp - tp_above)
    return [(tp_above + n) / (above + n * (retrieved - above) / gap) for n in range(1, gap + 1)]


def _fewest_retrieved(ranking: Ranking) -> Fraction:
    """Lines between the first points of each recall; unit points in gaps of more than two."""
    fewest = [(Fraction(0), Fraction(0))]
    for tp, retrieved in oracle.points(ranking):
        if tp > fewest[-1][0]:
            fewest.append((tp, retrieved))
    area = Fraction(0)
    for (tp_above, above), (tp, retrieved) in pairwise(fewest):
        first = tp_above / above if above else Fraction(1)
        if tp - tp_above > 2:
            points = _unit_points(tp_above, above, tp, retrieved)
            area += sum(((a + b) / 2 for a, b in pairwise([first, *points])), Fraction(0))
        else:
            area += (tp - tp_above) * (first + tp / retrieved) / 2
    return area / ranking.positives


def _levels(grid: Grid) -> list[tuple[Fraction, Fraction]]:
    """Each level and what it weighs."""
    if isinstance(grid.levels, int):
        levels = [Fraction(j, grid.levels - 1) for j in range(grid.levels)]
    else:
        levels = [Fraction(level) for level in grid.levels]
    n = len(levels)
    if grid.weights == "trapezoid":
        halves = [1 if j in (0, n - 1) else 2 for j in range(n)]
        return [(level, Fraction(half, 2 * (n - 1))) for level, half in zip(levels, halves, strict=True)]
    if grid.weights == "differences":
        return [(level, level - levels[j - 1] if j else Fraction(0)) for j, level in enumerate(levels)]
    return [(level, Fraction(1, n)) for level in levels]


def _at_grid(grid: Grid, ranking: Ranking, *, interpolate: bool) -> Fraction:
    if grid.met_by == "nearest positives":
        return _at_nearest_positives(grid, ranking)
    if interpolate and grid.met_by == "recall" and grid.weights == "equal":
        if isinstance(grid.levels, int):
            return oracle.at_levels(ranking, grid.levels)
        return oracle.at_given_levels(ranking, grid.levels)
    curve = [(tp, tp / retrieved) for tp, retrieved in oracle.points(ranking) if tp]
    if any(row.weight.denominator > 1 for row in ranking.rows):
        raise oracle.AmbiguousError
    area = Fraction(0)
    for level, weight in _levels(grid):
        met = [precision for tp, precision in curve if _meets(grid, tp, ranking.positives, float(level))]
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


def _descent(ranking: Ranking, grid: Grid | None) -> Fraction:
    """From the last operating point straight to recall 1 and precision 0."""
    tp, retrieved = oracle.points(ranking)[-1] if ranking.rows else (Fraction(0), Fraction(1))
    recall, precision = tp / ranking.positives, tp / retrieved
    if recall == 1:
        return Fraction(0)
    if grid is None:
        return precision * (1 - recall) / 2
    reached = float(tp) / float(ranking.positives)  # as levels are met: 3/5 is not beyond the float 0.6
    below = ((level, weight) for level, weight in _levels(grid) if float(level) >= reached)
    return sum((weight * precision * (1 - level) / (1 - recall) for level, weight in below), Fraction(0))


def _at_nearest_positives(grid: Grid, ranking: Ranking) -> Fraction:
    """KITTI: at each j / 40 the next positive unless the one after it is nearer, and no threshold else."""
    of, found = float(ranking.positives), int(ranking.found)
    taken, recall = [], 0.0
    for n in range(1, found + 1):
        if n == found or (n + 1) / of - recall >= recall - n / of:
            taken.append(n)
            recall += 1 / 40
    precisions = []
    for n in taken:
        precisions.append(next(tp / retrieved for tp, retrieved in oracle.points(ranking) if tp >= n))
    heights = [max(precisions[slot:], default=Fraction(0)) for slot in range(41)]
    counted = [round(40 * level) for level in grid.levels]
    return sum((heights[slot] for slot in counted), Fraction(0)) / len(counted)


# Areas that no other choice of a record changes.
OF_RANKING_ALONE = {
    "davis-goadrich": oracle.davis_goadrich,
    "davis-goadrich, unit steps": _unit_steps,
    "linear, fewest retrieved": _fewest_retrieved,
}

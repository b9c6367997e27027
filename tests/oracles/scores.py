"""Definitions as papers print them: slow, for one ranking at a time, in exact
fractions.

Nothing here uses blocks, steps or numpy. A value is None if the definition divides 0 by
0.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property, partial, wraps
from itertools import combinations, groupby, pairwise, product
from operator import mul
from typing import Any, NamedTuple

EPS = Fraction(1, 2**52)


@dataclass(frozen=True)
class Row:
    label: bool
    score: object
    weight: Fraction = Fraction(1)
    amount: Fraction = Fraction(0)  # its amount, which does not change its rank


def weight_of(rows: Iterable[Row], *, label: bool | None = None) -> Fraction:
    """Return the weight of rows, or of those with one label."""
    weights = (row.weight for row in rows if label in (None, row.label))
    return sum(weights, Fraction(0))


@dataclass(frozen=True)
class Ranking:
    """Rows of one ranking, and the total of its positives if it is larger than their
    weight.

    Definitions use its sums many times, so each sum is computed once.
    """

    rows: tuple[Row, ...]
    total: Fraction | None = None

    @cached_property
    def results(self) -> dict[Any, Any]:
        """Results of functions that `_once_per_ranking` wraps."""
        return {}

    @cached_property
    def found(self) -> Fraction:
        return weight_of(self.rows, label=True)

    @cached_property
    def positives(self) -> Fraction:
        return self.found if self.total is None else self.total

    @cached_property
    def points(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """Return the operating points (true positives, retrieved) in weight, one per
        distinct score, best first.
        """
        tp = retrieved = Fraction(0)
        curve = []
        for group in tied_groups(self):
            tp += weight_of(group, label=True)
            retrieved += weight_of(group)
            curve.append((tp, retrieved))
        return tuple(curve)

    @cached_property
    def precisions(self) -> tuple[Fraction, ...]:
        return tuple(tp / retrieved for tp, retrieved in self.points)

    @cached_property
    def recalls(self) -> tuple[Fraction, ...]:
        return tuple(tp / self.positives for tp, _ in self.points)


def ranking(
    labels: Iterable[object],
    scores: Iterable[object],
    weights: Iterable[float] | None = None,
    total: float | None = None,
    amounts: Iterable[float] | None = None,
) -> Ranking:
    """Return the rows of weight above 0 as a ranking. Rows whose amount is 0 are kept.

    Each float is read as the fraction that it is exactly.
    """
    labels, scores = list(labels), list(scores)
    weights = [1] * len(labels) if weights is None else list(weights)
    amounts = [0] * len(labels) if amounts is None else list(amounts)
    columns = zip(labels, scores, weights, amounts, strict=True)
    rows = tuple(
        Row(bool(label), score, Fraction(weight), Fraction(amount))
        for label, score, weight, amount in columns
        if weight
    )
    return Ranking(rows, None if total is None else Fraction(total))


def _none_without_positives(define: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with the value None for rankings without positives, since it
    would divide by 0.
    """

    @wraps(define)
    def defined(ranking: Ranking, *args: Any, **options: Any) -> Any:
        return define(ranking, *args, **options) if ranking.positives else None

    return defined


def _once_per_ranking(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function, which computes each result only once: several scores of a
    ranking have the same orders and cuts.
    """

    @wraps(function)
    def result_of(ranking: Ranking, *args: Any) -> Any:
        key = (function.__name__, *args)
        if key not in ranking.results:
            ranking.results[key] = function(ranking, *args)
        return ranking.results[key]

    return result_of


# --- the curve ------------------------------------------------------------------------


@_once_per_ranking
def tied_groups(ranking: Ranking) -> list[list[Row]]:
    """Return the tied groups by descending score. Rows of a group are in the given
    order.
    """
    rows = sorted(ranking.rows, key=lambda row: row.score, reverse=True)
    return [list(group) for _, group in groupby(rows, key=lambda row: row.score)]


def step(ranking: Ranking) -> Fraction | None:
    """Return AP, the sum of (R_n - R_{n-1}) P_n."""
    return _area(ranking, ranking.precisions)


@_none_without_positives
def _area(ranking: Ranking, heights: Sequence[Fraction]) -> Fraction | None:
    gains = (
        after - before for before, after in pairwise((Fraction(0), *ranking.recalls))
    )
    return sum(map(mul, gains, heights), Fraction(0))


def best_precision(ranking: Ranking, n: int) -> Fraction:
    """Return the best precision at the recall of the n-th operating point or beyond."""
    least = ranking.points[n][0]
    return max(
        precision
        for (tp, _), precision in zip(ranking.points, ranking.precisions, strict=True)
        if tp >= least
    )


def best_where(ranking: Ranking, reaches: Callable[[Fraction], bool]) -> Fraction:
    """Return the best precision of all operating points from the first one on whose
    true positives meet a condition; 0 if no point meets it.
    """
    reached = [n for n, (tp, _) in enumerate(ranking.points) if reaches(tp)]
    return best_precision(ranking, reached[0]) if reached else Fraction(0)


def interpolated(ranking: Ranking) -> Fraction | None:
    """Return the integral of the best precision at each recall or beyond."""
    heights = [best_precision(ranking, n) for n in range(len(ranking.points))]
    return _area(ranking, heights)


@_none_without_positives
def at_levels(ranking: Ranking, levels: int) -> Fraction | None:
    """Return the mean of the best precision at the recalls j / (levels - 1) or beyond;
    0 at a recall that is not reached.

    Weights that are all equal are counts. If a recall is not a quotient of whole
    numbers, it also reaches a level that is higher by at most 4 n epsilons.
    """
    ranking = _as_counts(ranking)
    reaching = [partial(_reaches, ranking, levels - 1, j) for j in range(levels)]
    return average_of([best_where(ranking, reaches) for reaches in reaching])


def average_of(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def _reaches(ranking: Ranking, last: int, j: int, tp: Fraction) -> bool:
    if _is_whole(tp) and _is_whole(ranking.positives):
        return tp * last >= j * ranking.positives
    margin = tp * last - j * ranking.positives * (1 - 4 * len(ranking.rows) * EPS)
    if abs(margin) <= 2 * EPS * j * ranking.positives and j:
        raise AmbiguousError
    return margin >= 0


def _is_whole(weight: Fraction) -> bool:
    """Return whether a sum of weights is a whole number that float64 represents
    exactly.
    """
    return weight.denominator == 1 and weight <= 2**53


def _as_counts(ranking: Ranking) -> Ranking:
    weights = {row.weight for row in ranking.rows}
    if len(weights) != 1 or weights == {1}:
        return ranking
    (unit,) = weights
    rows = tuple(replace(row, weight=Fraction(1)) for row in ranking.rows)
    return Ranking(rows, None if ranking.total is None else ranking.total / unit)


class AmbiguousError(Exception):
    """The definition compares rounded sums, and the result depends on the order in
    which they are rounded.
    """


@_none_without_positives
def at_given_levels(ranking: Ranking, levels: Sequence[float]) -> Fraction | None:
    """Return the mean of the best precision at given levels, which are compared with
    quotients of counts in floats.
    """
    ranking = _as_counts(ranking)
    _refuse_rounded_levels(ranking, ranking.recalls, levels)
    total = ranking.positives
    reaching = [lambda tp, least=level: float(tp / total) >= least for level in levels]
    return average_of([best_where(ranking, reaches) for reaches in reaching])


def _refuse_rounded_levels(
    ranking: Ranking,
    values: Iterable[Fraction],
    levels: Sequence[float],
    *,
    recalls: bool = True,
) -> None:
    """Raise AmbiguousError if sums of weights are rounded, since this may decide
    whether a level is reached.
    """
    summed = [row.weight for row in ranking.rows if row.label or not recalls]
    if all(map(_is_whole, (ranking.positives, *summed))):
        return
    slack = 4 * len(ranking.rows) * EPS
    if any(
        abs(value - Fraction(level)) <= slack for value in values for level in levels
    ):
        raise AmbiguousError


def precision_at_recall(ranking: Ranking, recall: float) -> Fraction | None:
    """Return the best precision at thresholds whose recall, as a float, is at least the
    given one; 0 if there are none.
    """
    return at_given_levels(ranking, [recall])


@_none_without_positives
def recall_at_precision(ranking: Ranking, precision: float) -> Fraction | None:
    """Return the best recall at thresholds whose precision, as a float, is at least the
    given one; 0 if there are none.
    """
    ranking = _as_counts(ranking)
    _refuse_rounded_levels(ranking, ranking.precisions, [precision], recalls=False)
    pairs = zip(ranking.precisions, ranking.recalls, strict=True)
    return max(
        (best for at, best in pairs if float(at) >= precision), default=Fraction(0)
    )


@_none_without_positives
def linear(ranking: Ranking) -> Fraction | None:
    """Return the area of the trapezoids under the curve that starts at (recall 0,
    precision 1).
    """
    curve = zip(ranking.recalls, ranking.precisions, strict=True)
    return trapezoids([(Fraction(0), Fraction(1)), *curve])


def trapezoids(points: Sequence[tuple[Fraction, Fraction]]) -> Fraction:
    """Return the area under a line through points of recall and precision."""
    parts = ((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points))
    return sum(parts, Fraction(0))


@_none_without_positives
def davis_goadrich(ranking: Ranking) -> Decimal | None:
    """Return the integral of tp / (tp + fp) over tp. Between operating points, fp is a
    linear function of tp.
    """
    curve = [(Fraction(0), Fraction(0)), *ranking.points]
    with localcontext() as context:
        weights = [row.weight for row in ranking.rows]
        context.prec = 60 + 4 * len(
            str(int(max(weights, default=1) / min(weights, default=1)))
        )
        area = Decimal(0)
        for (tp_a, n_a), (tp_b, n_b) in pairwise(curve):
            if tp_b > tp_a:
                k = (n_b - n_a) / (tp_b - tp_a)
                c = n_a - k * tp_a
                area += _decimal((tp_b - tp_a) / k)
                if c:
                    area -= _decimal(c / k**2) * (_decimal(n_b / n_a)).ln()
        return area / _decimal(ranking.positives)


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


# --- another prevalence ---------------------------------------------------------------


def at_prevalence(ranking: Ranking, prevalence: float | None) -> Ranking:
    """Return the ranking with its negatives reweighted, so that positives, found or
    missed, have this share.

    Weights that are all equal are counts, and positives remain counts.
    """
    ranking = _as_counts(ranking)
    negatives = weight_of(ranking.rows, label=False)
    if prevalence is None or not negatives or not ranking.positives:
        return ranking
    share = Fraction(prevalence)
    wanted = ranking.positives * (1 - share) / share
    rows = tuple(
        row if row.label else replace(row, weight=row.weight * wanted / negatives)
        for row in ranking.rows
    )
    # float64 does not hold weights that are further apart.
    if min(row.weight for row in rows) * 2**2000 < wanted + ranking.positives:
        raise AmbiguousError
    return Ranking(rows, ranking.total)


# --- the first k rows -----------------------------------------------------------------


def depth(ranking: Ranking, k: int | float | None) -> int:
    n = len(ranking.rows)
    if k is None:
        return n
    return max(round(n * k), 1) if isinstance(k, float) else k


def orders(ranking: Ranking, ties: str) -> Iterator[list[Row]]:
    """Return the orders of the rows that a policy for equal scores allows."""
    groups = tied_groups(ranking)
    if ties == "stable":
        yield [row for group in groups for row in group]
    elif ties in ("optimistic", "pessimistic"):
        yield [
            row
            for group in groups
            for row in _by_label(group, first=ties == "optimistic")
        ]
    elif ties == "expected":
        for labelled in product(*map(_labellings, groups)):
            yield [row for group in labelled for row in group]
    else:
        raise NotImplementedError(f"define the order of ties={ties!r}")


def _by_label(group: Sequence[Row], *, first: bool) -> list[Row]:
    """Return a tied group with the rows of one label first, and otherwise in the given
    order.
    """
    return sorted(group, key=lambda row: row.label != first)


def _labellings(group: Sequence[Row]) -> list[list[Row]]:
    """Return copies of a tied group, with its positives in all places that they can
    take.
    """
    n_positives = sum(row.label for row in group)
    return [
        [Row(place in places, row.score, row.weight) for place, row in enumerate(group)]
        for places in combinations(range(len(group)), n_positives)
    ]


def shares_within(
    ranking: Ranking, limit: float, size_of: Callable[[list[Row]], float] = len
) -> Iterator[tuple[list[Row], Fraction]]:
    """Yield each tied group and the share of it that is within the first rows: their
    number or, by another `size_of`, their weight is `limit`.
    """
    left = Fraction(limit)
    for group in tied_groups(ranking):
        size = size_of(group)
        yield group, min(max(left / size, Fraction(0)), Fraction(1))
        left -= size


@_once_per_ranking
def cut_points(ranking: Ranking, k: int) -> list[tuple[Fraction, Fraction]]:
    """Return the operating points down to depth k, with a point at the cut: the tied
    group there counts by its share above the cut.
    """
    curve, tp, retrieved = [], Fraction(0), Fraction(0)
    for group, share in shares_within(ranking, k):
        if share:
            tp += share * weight_of(group, label=True)
            retrieved += share * weight_of(group)
            curve.append((tp, retrieved))
    return curve


@_once_per_ranking
def _gains(ranking: Ranking, k: int) -> Fraction:
    """Return the sum over operating points down to depth k of the precision times the
    true positives gained.
    """
    gained, before = Fraction(0), Fraction(0)
    for tp, retrieved in cut_points(ranking, k):
        gained += (tp - before) * tp / retrieved
        before = tp
    return gained


def in_order(rows: Sequence[Row]) -> Ranking:
    return Ranking(
        tuple(Row(row.label, -place, row.weight) for place, row in enumerate(rows))
    )


@_once_per_ranking
def _in_orders(ranking: Ranking, ties: str) -> Sequence[Ranking]:
    """Return the ranking with its ties or, for policies other than "proportional", one
    ranking without ties per order.
    """
    if ties == "proportional":
        return [ranking]
    return [*map(in_order, orders(ranking, ties))]


@_none_without_positives
def average_precision_at_k(
    ranking: Ranking, k: int | float | None, ties: str, normalizer: str
) -> Fraction | None:
    rows = depth(ranking, k)
    values = []
    for one in _in_orders(ranking, ties):
        curve = cut_points(one, rows)
        divisor = normalization(ranking, curve, k, normalizer)
        values.append(_gains(one, rows) / divisor if divisor else Fraction(0))
    return average_of(values)


def normalization(
    ranking: Ranking,
    curve: Sequence[tuple[Fraction, Fraction]],
    k: int | float | None,
    normalizer: str,
) -> Fraction:
    if normalizer == "n_positives" or (normalizer == "min" and k is None):
        return ranking.positives
    if normalizer == "hits":
        return curve[-1][0] if curve else Fraction(0)
    rows = depth(ranking, k)
    if normalizer == "k":
        return _weight_of_full_cut(ranking, curve, rows)
    return _most_positives(ranking, rows)


def _most_positives(ranking: Ranking, rows: int) -> Fraction:
    """Return the largest weight that the positives among this number of rows can have."""
    if ranking.total is not None:
        unit = ranking.rows[0].weight if ranking.rows else Fraction(1)
        return min(rows * unit, ranking.positives)
    return sum(
        sorted((row.weight for row in ranking.rows if row.label), reverse=True)[:rows],
        Fraction(0),
    )


def _weight_of_full_cut(
    ranking: Ranking, curve: Sequence[tuple[Fraction, Fraction]], rows: int
) -> Fraction:
    if not curve:
        return Fraction(rows)
    return curve[-1][1] * Fraction(rows, min(rows, len(ranking.rows)))


def _mean_hits(ranking: Ranking, rows: int, ties: str) -> Fraction:
    found = [
        curve[-1][0] if (curve := cut_points(one, rows)) else Fraction(0)
        for one in _in_orders(ranking, ties)
    ]
    return average_of(found)


@_none_without_positives
def precision_at_k(
    ranking: Ranking, k: int | float | None, ties: str
) -> Fraction | None:
    rows = depth(ranking, k)
    if not ranking.rows:
        return Fraction(0)
    # Only equal weights have several orders.
    curve = cut_points(next(iter(_in_orders(ranking, ties))), rows)
    return _mean_hits(ranking, rows, ties) / _weight_of_full_cut(ranking, curve, rows)


@_none_without_positives
def recall_at_k(
    ranking: Ranking,
    k: int | float | None,
    ties: str,
    normalizer: str = "n_positives",
) -> Fraction | None:
    rows = depth(ranking, k)
    most = ranking.positives
    if normalizer == "min" and k is not None:
        most = _most_positives(ranking, rows)
    return _mean_hits(ranking, rows, ties) / most


@_none_without_positives
def r_precision(ranking: Ranking, ties: str) -> Fraction | None:
    """Return the positives among the first rows that have the weight of all positives,
    divided by this weight.
    """
    found = [_found_within(one, ranking.positives) for one in _in_orders(ranking, ties)]
    return average_of(found) / ranking.positives


def _found_within(ranking: Ranking, weight: Fraction) -> Fraction:
    parts = shares_within(ranking, weight, weight_of)
    found = (share * weight_of(group, label=True) for group, share in parts)
    return sum(found, Fraction(0))


def _ranks_of_first(ranking: Ranking, k: int | float | None, ties: str) -> list[int]:
    """Return the rank of the first positive in each order; 0 if it is below the cut."""
    return [
        next((rank for rank, row in enumerate(rows, start=1) if row.label), 0)
        for rows in (one[: depth(ranking, k)] for one in orders(ranking, ties))
    ]


@_none_without_positives
def reciprocal_rank(
    ranking: Ranking, k: int | float | None, ties: str
) -> Fraction | None:
    """Return the mean over the orders of one over the rank of the first positive, with
    0 for orders in which it is below the cut.
    """
    ranks = _ranks_of_first(ranking, k, ties)
    return average_of([Fraction(bool(rank), rank or 1) for rank in ranks])


@_none_without_positives
def success_at_k(ranking: Ranking, k: int | float | None, ties: str) -> Fraction | None:
    """Return the share of the orders that have a positive in their first k rows."""
    ranks = _ranks_of_first(ranking, k, ties)
    return average_of([Fraction(bool(rank)) for rank in ranks])


# --- scores whose options choose a definition -----------------------------------------


def interpolated_average_precision(
    ranking: Ranking, recall_levels: int | Sequence[float] | None
) -> Fraction | None:
    if recall_levels is None:
        return interpolated(ranking)
    if isinstance(recall_levels, int):
        return at_levels(ranking, recall_levels)
    return at_given_levels(ranking, recall_levels)


average_precision = step
eleven_point_average_precision = partial(at_levels, levels=11)


def pr_auc(ranking: Ranking, interpolation: str) -> Fraction | Decimal | None:
    if interpolation == "linear":
        return linear(ranking)
    return davis_goadrich(ranking)


# --- one threshold --------------------------------------------------------------------


@dataclass(frozen=True)
class Point:
    """The rows that one threshold retrieves."""

    threshold: object
    tp: Fraction
    retrieved: Fraction
    rows: int
    positives: Fraction
    negatives: Fraction

    @property
    def of_negatives(self) -> tuple[Fraction, Fraction]:
        """Return the weight of the negatives below the threshold, and of all negatives.
        Their quotient is the specificity.
        """
        return self.negatives - (self.retrieved - self.tp), self.negatives

    @property
    def below(self) -> tuple[Fraction, Fraction]:
        """Return the weight of the negatives below the threshold, and of all rows below
        it, including missed positives.
        """
        part, _ = self.of_negatives
        return part, part + self.positives - self.tp

    @property
    def precision(self) -> Fraction:
        return self.tp / self.retrieved

    @property
    def recall(self) -> Fraction:
        return self.tp / self.positives if self.positives else Fraction(0)

    def f_score(self, beta: float) -> Fraction:
        if beta == float("inf"):
            return self.recall
        square = Fraction(beta) ** 2
        return (1 + square) * self.tp / (square * self.positives + self.retrieved)


def operating_points(ranking: Ranking) -> list[Point]:
    """Return a point for every threshold that is a score."""
    return [
        point_at(ranking, threshold)
        for threshold in {row.score for row in ranking.rows}
    ]


def point_at(ranking: Ranking, threshold: object) -> Point:
    """Return the point of a threshold, by a comparison with all rows."""
    rows = [row for row in ranking.rows if row.score >= threshold]
    tp, negatives = weight_of(rows, label=True), weight_of(ranking.rows, label=False)
    n_rows, positives = len(rows), ranking.positives
    return Point(threshold, tp, weight_of(rows), n_rows, positives, negatives)


def n_false_alarms(ranking: Ranking, point: Point) -> int:
    """Return the number of negative rows at or above the threshold, whatever their
    weight.
    """
    return sum(not row.label and row.score >= point.threshold for row in ranking.rows)


class Found(NamedTuple):
    """The positives of some rows: their number, their weight, and the sum of their
    weight times their amount.
    """

    number: Fraction
    weight: Fraction
    amount: Fraction


def positives_of(rows: Iterable[Row], part: Fraction = Fraction(1)) -> Found:
    """Return this share of each positive of some rows."""
    positives = [row for row in rows if row.label]
    return Found(
        part * len(positives),
        part * weight_of(positives),
        part * sum((row.weight * row.amount for row in positives), Fraction(0)),
    )


def within_budget(ranking: Ranking, k: float) -> tuple[int, Found]:
    """Return the number of rows of a budget, and the positives among them. Each row of
    the tied group at the cut counts by the same share.
    """
    n_rows = int(min(depth(ranking, k), len(ranking.rows)))
    found = [positives_of(*part) for part in shares_within(ranking, n_rows)]
    return n_rows, Found(*map(sum, zip(*found, strict=True)))


# --- several rankings -----------------------------------------------------------------


def mean(
    values: Sequence[Fraction | Decimal | None],
    weights: Sequence[Fraction] | None = None,
    zero_division: float = 0.0,
) -> float:
    """Return the mean of the values. An undefined value counts as `zero_division`, or
    is ignored if that is NaN.
    """
    weights = [Fraction(1)] * len(values) if weights is None else weights
    filled = [zero_division if value is None else value for value in values]
    counted = [
        (Fraction(one), weight)
        for one, weight in zip(filled, weights, strict=True)
        if one == one
    ]
    divisor = sum(weight for _, weight in counted)
    if not divisor:
        return float(zero_division)
    return float(sum(value * weight for value, weight in counted) / divisor)

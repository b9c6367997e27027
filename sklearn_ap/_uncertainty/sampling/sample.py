"""From a call of a score to what its sample shows: the rankings of its rows, the units
of the rows, and the evidence of each ranking.

A unit is a row, a cluster of rows, a query, or a row of a label matrix.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isnan
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..._core.definition import Definition
from ..._core.evaluate import rankings_in
from ..._core.ranking.keys import RowOrder, rows_in_order
from ..._core.ranking.prevalence import reweighted
from ..._core.ranking.rankings import Rankings, Rows
from ..._core.reading.options import ORDERS_BY_LABEL
from ..._core.reading.per_ranking import per_ranking, queries_of
from ..._core.reading.read import CheckedRows
from ..._core.rounding import EQUAL
from ..._core.typing import AnyArray, FloatArray, IntArray, TieOrder
from .contributions import (
    Evidence,
    Ranking,
    evidence_of,
    evidence_of_mean,
    evidence_of_units,
)
from .score_call import ScoreCall
from .sums import KNOWN_AREAS, KNOWN_FIELDS, levels_of

# Greatest share of the recall levels that the first positive may reach. Above it, the
# score depends mostly on the first few rows, and its errors are far from normal: with
# five levels, intervals of a convex curve cover .71.
_MOST_AT_FIRST = 0.12
# The greatest number of positives that a negative may outweigh. If it outweighed more,
# fourth powers of contributions would overflow.
_MOST_OUTWEIGHED = 2.0**230


class Units(NamedTuple):
    """The units of the rows of a call."""

    # Number of the unit of each row. None if each row is a unit or, for a mean over
    # queries, if each query is a unit.
    of_rows: IntArray | None = None
    # Number of queries, if every sample has the same queries; else 0.
    n_fixed_queries: int = 0


class Sample(NamedTuple):
    """What the rows of a call show about its score, with facts about their units for
    results and warnings.
    """

    call: ScoreCall
    evidence: Evidence
    # Effective number of positives, units or rankings, in the ranking in which it is
    # smallest; and what these are, for a message such as "too few positives".
    fewest: float
    noun: str
    # Number of queries, if every sample has the same queries and units are drawn; else
    # 0.
    n_fixed_queries: int = 0
    # The rankings of the score. Empty if it is a mean over drawn rankings.
    rankings: tuple[Ranking, ...] = ()
    # Share of the recall levels that the first positive reaches; 0 without levels.
    share_at_first: float = 0.0

    @property
    def n_rows(self) -> int:
        """Number of rows of the sample. The rounding error of a score grows with it."""
        return self.call.checked.positive.size


def sample_of(call: ScoreCall, units: Units) -> Sample:
    """Return what the rows of a call show about its score."""
    if call.is_mean and not units.n_fixed_queries:
        return _sample_of_mean(call, units.of_rows)
    if call.average == "micro" and call.definition.tie_order is None:
        # Both the score and its contributions need the order of a single ranking.
        call = replace(call, order=order_of(call.given, None))
    # Compute the score first, so that its own errors are raised first.
    score = call.score
    _check_has_interval(call)
    _check_missed_positives(call)
    rankings = [*_rankings_of(call, units)]
    # `n_positives` may name queries that have no rows.
    n_fixed = units.n_fixed_queries
    if n_fixed and call.is_mean:
        n_fixed = len(rankings)
    # A ranking without positives has the same score in every sample. It is not a part
    # of the mean if rankings are weighted by their positives, or if its score is NaN.
    if call.average == "weighted" or isnan(call.undefined):
        rankings = [each for each in rankings if each.n_positives]
    _check_order_in_units(call.definition, rankings[0])
    return _sample_of_rankings(call, score, rankings, n_fixed)


def _sample_of_rankings(
    call: ScoreCall,
    score: float,
    rankings: Sequence[Ranking],
    n_fixed_queries: int = 0,
) -> Sample:
    """Return what the rankings of a call show about its score."""
    parts = [evidence_of(call.definition, each) for each in rankings]
    by_positives = call.average == "weighted"
    shares = np.full(len(parts), 1 / len(parts))
    if by_positives:
        totals = np.array([each.n_positives for each in rankings])
        shares = totals / totals.sum()
    evidence = parts[0]
    if len(parts) > 1:
        units = [each.units for each in rankings]
        evidence = evidence_of_mean(parts, units, shares, by_positives=by_positives)
    noun = "positives"
    if not rankings[0].by_rows:
        noun = "units that contain a positive"
    # A ranking without found positives has the same score in every sample.
    found = [
        part.n_effective
        for part, each in zip(parts, rankings, strict=True)
        if each.positive.any()
    ]
    fewest = min(found, default=evidence.n_effective)
    if fewest < evidence.n_effective:
        part = "column"
        if n_fixed_queries:
            part = "query"
        noun += f" in one {part}"
    return Sample(
        call,
        replace(evidence, score=score),
        fewest,
        noun,
        n_fixed_queries,
        tuple(rankings),
        _share_at_first(call, rankings, shares),
    )


def counted_sample(call: ScoreCall) -> Sample:
    """Return what a single ranking without weights shows about its score, from its
    steps.
    """
    definition = call.definition
    rankings, _ = rankings_in(call.checked, None, average="micro")
    score = definition.compute(reweighted(rankings, definition.prevalence)).item()
    ranking = _at_prevalence(_counted_ranking(rankings), definition.prevalence)
    sample = _sample_of_rankings(call, score, [ranking])
    # The ranking has one value for all rows that count alike, but each row is a unit.
    return sample._replace(evidence=replace(sample.evidence, n_units=sample.n_rows))


def _counted_ranking(rankings: Rankings) -> Ranking:
    """Return a single ranking with one value for all rows that count alike: the
    negatives between two steps, the positives of a step, or the negatives of a step.
    """
    edges = [
        np.stack((steps.tp, steps.tp_above, steps.retrieved, steps.above))
        for steps in rankings.kernel.blocks()
    ]
    # Steps have the worst score first.
    tp, tp_above, retrieved, above = np.concatenate(edges, axis=1)[:, ::-1]
    n_above, n_at_or_above = above - tp_above, retrieved - tp
    n_negatives = rankings.total_weight.item() - tp[-1]
    # Number of negatives between each step and the better step before it, and of the
    # positives and the negatives of the step. The last line has the negatives below all
    # steps.
    counts = np.zeros((tp.size + 1, 3))
    counts[:, 0] = np.append(n_above, n_negatives) - np.append(0.0, n_at_or_above)
    counts[:-1, 1], counts[:-1, 2] = tp - tp_above, n_at_or_above - n_above
    copies = counts.ravel()
    kept = np.flatnonzero(copies)
    return Ranking(
        positive=kept % 3 == 1,
        weight=np.ones(kept.size),
        # The negatives of a step are in the tied group of its positives.
        starts=np.flatnonzero(kept % 3 != 2),
        unit=np.arange(kept.size),
        units=np.arange(kept.size),
        n_units=kept.size,
        by_rows=True,
        copies=copies[kept],
    )


def _at_prevalence(ranking: Ranking, prevalence: float | None) -> Ranking:
    """Return the ranking with this share of positives, found or missed. To reach it, the
    weights of all negatives are multiplied by one factor.
    """
    negative = ~ranking.positive
    negatives = float((ranking.copies * ranking.weight)[negative].sum())
    if prevalence is None or not min(negatives, ranking.n_positives):
        return ranking
    factor = ranking.n_positives * ((1 - prevalence) / prevalence) / negatives
    if factor > _MOST_OUTWEIGHED:
        raise ValueError(
            f"prevalence must not make a negative weigh {factor:.3g} positives, "
            "because the standard error would overflow: pass a higher prevalence."
        )
    return replace(ranking, weight=ranking.weight * np.where(negative, factor, 1.0))


def order_of(rows: CheckedRows, tie_order: TieOrder | None) -> RowOrder:
    """Return the rows of a single ranking in their order, the worst one first."""
    ends = np.array((0, rows.positive.size))
    given = Rows(rows.positive, rows.score, None, ends)
    return rows_in_order(given, tie_order, rows.bounds)


def _rankings_of(call: ScoreCall, units: Units) -> Iterator[Ranking]:
    """Yield each ranking: of each fixed query, of each column, or of all rows."""
    rows, unit = call.checked, units.of_rows
    if call.is_mean and unit is not None:
        yield from _rankings_of_queries(call, unit)
        return
    # Without a total, no positive was missed.
    n_positives = 0.0
    if call.totals is not None:
        n_positives = call.totals.numbers.item() / call.scale
    # If queries are pooled into one ranking and there is no `unit_id`, they are units.
    if rows.query is not None and unit is None:
        unit = rows.query.place
    positive, score, weight = rows.positive, rows.score, rows.weight
    if positive.ndim == 1 or call.average != "micro":
        for of_column, scores in zip(*map(_columns, (positive, score)), strict=True):
            column = rows._replace(positive=of_column, score=scores)
            yield _ranking(call, column, unit, n_positives)
        return
    # The columns are one ranking. `reshape` keeps the values of a row together.
    n_rows, n_columns = positive.shape
    unit = np.repeat(np.arange(n_rows) if unit is None else unit, n_columns)
    weight = None if weight is None else np.repeat(weight, n_columns)
    flat = positive.reshape(-1), score.reshape(-1), rows.bounds, weight
    yield _ranking(call, CheckedRows(*flat), unit, n_positives)


def _columns(values: AnyArray) -> AnyArray:
    """Return the columns of a matrix; a vector is a single column."""
    return np.atleast_2d(values.T)


def _rankings_of_queries(call: ScoreCall, unit: IntArray) -> Iterator[Ranking]:
    """Yield the ranking of each query that has rows, missed positives, or both."""
    rows = call.checked
    assert rows.query is not None, call.average
    queries = queries_of(rows.query, rows.passed_query, call.totals)
    has_rows = queries.has_rows[queries.is_ranked]
    totals = np.zeros(has_rows.size)
    if call.totals is not None:
        totals = per_ranking(call.totals, queries) / call.scale
    members, n_units = iter(members_of(rows.query.place)), int(unit.max()) + 1
    for is_found, n_positives in zip(has_rows, totals.tolist(), strict=True):
        # A query without rows has missed positives only.
        places = next(members) if is_found else np.zeros(0, dtype=np.int64)
        units, own = np.unique(unit[places], return_inverse=True)
        ranking = _ranking(call, rows.take(places), own, n_positives)
        # All queries have the same units, and each has rows of some of them.
        yield replace(ranking, units=units, n_units=n_units)


def _ranking(
    call: ScoreCall,
    rows: CheckedRows,
    unit: IntArray | None,
    n_positives: float,
) -> Ranking:
    """Return a ranking of a call. `n_positives` is the number of all positives."""
    definition = call.definition
    order = call.order or order_of(rows, definition.tie_order)
    # With an order of equal scores, no rows are tied.
    if definition.tie_order is not None:
        order = order._replace(is_tied=np.zeros_like(order.is_tied))
    ranking = ranking_of_rows(rows, order, unit, n_positives)
    return _at_prevalence(ranking, definition.prevalence)


def ranking_of_rows(
    rows: CheckedRows,
    order: RowOrder,
    unit: IntArray | None,
    n_positives: float,
) -> Ranking:
    """Return rows as one ranking. `n_positives` is the number of all positives, found or
    missed; it is ignored if more positives were found.
    """
    best_first, n_rows = order.place[::-1], rows.positive.size
    positive, weight = rows.positive[best_first], np.ones(n_rows)
    if rows.weight is not None:
        weight = rows.weight[best_first].astype(np.float64)
    # A query without rows has no unit.
    n_units = n_rows if unit is None else int(unit.max(initial=-1)) + 1
    starts_group = np.append(True, ~order.is_tied[::-1])[:n_rows]
    n_found = float(weight[positive].sum())
    n_missed = n_positives - n_found
    # A total that is larger by rounding only misses no positive.
    if n_missed < EQUAL * n_found:
        n_missed = 0.0
    return Ranking(
        positive=positive,
        weight=weight,
        starts=np.flatnonzero(starts_group),
        unit=best_first if unit is None else unit[best_first],
        units=np.arange(n_units),
        n_units=n_units,
        by_rows=unit is None,
        n_missed=n_missed,
    )


def _share_at_first(
    call: ScoreCall,
    rankings: Sequence[Ranking],
    shares: FloatArray,
) -> float:
    """Return the share of the recall levels that the first positive of a ranking
    reaches, or its first unit that contains positives; 0 for scores without levels.
    Raise ValueError if it is large: then the score depends mostly on the first few rows.

    `shares` are the shares of the rankings in the mean.
    """
    levels = levels_of(call.definition)
    if levels is None or levels.size == 1:
        return 0.0
    # Effective number of positives, found or missed, of each ranking.
    numbers = [ranking.n_found + ranking.n_missed for ranking in rankings]
    reached = np.multiply.outer(numbers, levels) <= 1 + EQUAL
    share = float(shares @ reached.mean(axis=1))
    if share > _MOST_AT_FIRST:
        raise ValueError(
            f"{call.name} has no interval here: the first positive reaches {share:.0%} "
            "of the recall levels, where the best precision is that of a few rows, "
            "however many rows there are. An interval requires that it reaches at most "
            f"{_MOST_AT_FIRST:.0%}. interpolated_average_precision_score without "
            "recall_levels, at every recall, has an interval."
        )
    return share


def _sample_of_mean(call: ScoreCall, unit: IntArray | None) -> Sample:
    """Return the sample of a call whose score is a mean over queries, or over the rows
    of a label matrix.
    """
    values, averaging = call.values
    values = np.where(averaging.has_positives, values, call.undefined)
    weight = np.ones(values.size) if averaging.weights is None else averaging.weights
    counted = ~np.isnan(values) & (weight > 0)
    if not counted.any():
        raise ValueError(
            "y_true must contain a positive in a ranking whose weight in the mean is "
            "above 0; got none."
        )
    if unit is not None:
        if call.checked.query is not None:
            query = call.checked.query.place
            if call.checked.query.distinct.size < values.size:
                raise ValueError(
                    "unit_id requires rows of each query that n_positives names, "
                    "because the unit of other queries is unknown; got "
                    f"{call.inputs.n_positives!r}. Omit unit_id, or these queries."
                )
            # All rows of a query have the same unit, so its first row shows it.
            _, first_rows = np.unique(query, return_index=True)
            unit = unit[first_rows]
        _, unit = np.unique(unit[counted], return_inverse=True)
    evidence = evidence_of_units(call.score, values[counted], weight[counted], unit)
    return Sample(call, evidence, evidence.n_effective, "rankings to average")


def _check_has_interval(call: ScoreCall) -> None:
    """Raise ValueError if the contributions of the rows to the score are not defined."""
    call.definition.check_fields(KNOWN_FIELDS, "the contribution of a row")
    if call.definition.area not in KNOWN_AREAS:
        raise ValueError(
            f"{call.name} has no interval here: how much a row changes it is not "
            "defined. A mean over queries has one: pass query_id, without a unit_id "
            "that divides queries."
        )


def _check_missed_positives(call: ScoreCall) -> None:
    """Raise ValueError if the effect of missed positives on the score is unknown."""
    rows = call.checked
    is_pooled = rows.query is not None and not call.is_mean
    is_known = (
        rows.weight is None
        and call.definition.tie_order is None
        and rows.positive.ndim == 1
        and not is_pooled
    )
    if not is_known and call.inputs.n_positives is not None:
        raise ValueError(
            "with n_positives, an interval requires equal weights, ties='proportional' "
            "or 'expected', and a single ranking or a mean over queries, because "
            "otherwise the weight, rank or unit of missed positives is unknown; got "
            f"n_positives={call.inputs.n_positives!r}. Omit n_positives."
        )


def _check_order_in_units(definition: Definition, ranking: Ranking) -> None:
    """Raise ValueError if positives rank first or last among equal scores, and units
    have several rows.
    """
    if not ranking.by_rows and definition.tie_order in ORDERS_BY_LABEL:
        raise ValueError(
            "ties must be 'proportional' or 'stable' if units have several rows, "
            "because otherwise the standard error would depend on the order of equal "
            f"rows; got {definition.ties!r}. Omit ties or unit_id."
        )


def unit_numbers(unit_id: ArrayLike | None, rows: CheckedRows) -> IntArray | None:
    """Return the number of the unit of each row, in the order of the ids of the units.
    `unit_id` has an id for each row that was passed, or is None.
    """
    if unit_id is None:
        return None
    return rows.read_ids(unit_id, "unit_id").place


def members_of(group: IntArray) -> list[IntArray]:
    """Return the places of the members of each group. `group` is the number of the
    group at each place, and the list is in the order of these numbers.
    """
    by_group = group.argsort(kind="stable")
    ends = np.cumsum(np.bincount(group))
    # `np.split` takes the places at which one group ends and the next one begins. The
    # last group ends at no such place.
    return np.split(by_group, ends[:-1])

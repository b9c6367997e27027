"""The units of a sample, and the influence of each unit on the score.

A unit is a row, a cluster of rows, a query, or a row of a label matrix. These functions
return a `Sample`:

- `ranked_sample`, if rows belong to units: for a single ranking, the columns of a
  matrix, or fixed queries
- `sample_of_mean`, if rankings belong to units: for a mean over queries, or over the
  rows of a label matrix
- `counted_sample`, if rows are units and only the steps of a single ranking are known
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import nan
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .._core.areas.hits import HITS, RECALL_AT_PRECISION
from .._core.areas.joined import DAVIS_GOADRICH
from .._core.areas.step import STEP
from .._core.definition import Definition
from .._core.ranking.prevalence import reweighted
from .._core.ranking.rankings import Rankings
from .._core.reading.ids import distinct_queries
from .._core.reading.per_ranking import per_ranking, queries_of
from .._core.reading.read import CheckedRows
from .._core.typing import FloatArray, IntArray, Levels
from .at_cut import influence_at_cut
from .at_levels import influence_at_levels, share_of_first
from .calls import ScoreCall
from .cells import sums_of_units
from .endpoints import FixedRankings, IntervalInputs, Negatives
from .influence import (
    Influences,
    RankedCells,
    bias_over_units,
    has_slopes,
    influence_of_rows,
    n_effective_of,
    n_equal,
    with_share_kept,
)
from .paired import PairedScore
from .ranked_rows import RankedRows

# Greatest share of the recall levels that the first positive may reach. Above it, the
# score depends mostly on the first few rows, and its errors are far from normal.
_MOST_AT_FIRST = 0.12
_BOOTSTRAP = (
    "scipy.stats.bootstrap((y_true, y_score), f, paired=True) returns one for any "
    "function f"
)


@dataclass(frozen=True, eq=False)
class RankedUnits:
    """One or several rankings of the same sampled units, such as customers.

    A unit may have rows in each ranking. The rankings are a single one, the columns of
    a matrix, or fixed queries.
    """

    definition: Definition
    rankings: list[RankedCells]
    # Number of units. Missed positives are no units, since they have no rows.
    n_found: int
    # Whether the mean weights each ranking by its positives.
    by_positives: bool = False
    # The influences of each ranking, if they were computed before. Empty otherwise.
    known_parts: tuple[Influences, ...] = ()
    # The recall levels, if the score is a mean over several of them. Then `definition`
    # is that of the area at every recall. None for other scores.
    grid: Levels | None = None

    @cached_property
    def found(self) -> list[RankedCells]:
        """The rankings whose rows contain a positive."""
        return [each for each in self.rankings if each.positive.any()]

    @cached_property
    def is_single(self) -> bool:
        """Whether the score is that of one ranking, and not a mean over several."""
        return len(self.rankings) == 1

    @property
    def has_fixed_shares(self) -> bool:
        """Whether there are several rankings, and the share of each ranking in the mean
        does not depend on the sample.
        """
        return not (self.is_single or self.by_positives)

    @cached_property
    def has_slopes(self) -> bool:
        """Whether the score of each ranking has a derivative with respect to the weight
        of each of its rows.
        """
        return has_slopes(self.definition)

    @cached_property
    def _parts(self) -> list[Influences]:
        """For each ranking, the influence of its rows on its score, per weight of the
        row.
        """
        if self.known_parts:
            return [*self.known_parts]
        influence: Callable[[Definition, RankedCells], Influences]
        influence = influence_of_rows if self.has_slopes else influence_at_cut
        if self.grid is not None:
            influence = partial(influence_at_levels, grid=self.grid)
        parts = [influence(self.definition, each) for each in self.rankings]
        if self.definition.prevalence is not None:
            parts = list(map(with_share_kept, parts, self.rankings))
        return parts

    @property
    def scores(self) -> FloatArray:
        """The score of each ranking."""
        return np.array([part.inputs.score for part in self._parts])

    @property
    def score(self) -> float:
        """The mean of the scores of the rankings, weighted by their shares."""
        return float(self.shares.dot(self.scores))

    @cached_property
    def shares(self) -> FloatArray:
        """Share of each ranking in the mean. The shares add up to 1."""
        weights = np.ones(len(self.rankings))
        if self.by_positives:
            weights = np.array([each.n_positives for each in self.rankings])
        return np.asarray(weights / weights.sum())

    @property
    def share_at_first(self) -> float:
        """The share of the recall levels that the first positive of a ranking reaches,
        as a mean over the rankings; 0 for scores without levels.
        """
        if self.grid is None:
            return 0.0
        shares = [share_of_first(self.grid, each) for each in self.rankings]
        return float(self.shares.dot(shares))

    def influences(self) -> Influences:
        """Return the influence of each unit on the mean, and the inputs of the interval
        of the mean.
        """
        by_shares = np.zeros(len(self.rankings))
        # If the mean weights rankings by their positives, each positive also changes
        # the shares of the rankings.
        if self.by_positives:
            n_positives = [each.n_positives for each in self.rankings]
            by_shares = self.shares * (self.scores - self.score) / n_positives
        of_units = np.zeros(1)
        of_rankings = zip(
            self.rankings, self._parts, self.shares, by_shares, strict=True
        )
        for ranking, part, share, by_share in of_rankings:
            of_rows = share * part.of_units + by_share * ranking.positive
            of_units = of_units + sums_of_units(
                of_rows * ranking.weight, ranking.unit, self.n_found
            )
        bias = nan
        # The bias is known if rows are drawn one by one, and if neither the shares of
        # the rankings nor the weights of negatives depend on the sample.
        is_fixed = not self.by_positives and self.definition.prevalence is None
        if is_fixed and self.rankings[0].unit is None:
            bias = self._mean_bias()
        return Influences(
            of_units,
            self.shares * [part.of_missed for part in self._parts] + by_shares,
            np.array([each.n_missed for each in self.rankings]),
            self._interval_inputs(),
            bias,
            # Only a single ranking may consist of cells with several rows.
            self._parts[0].copies,
        )

    def _interval_inputs(self) -> IntervalInputs:
        """Return the inputs of the interval that follow from the influences. Those of a
        mean combine the inputs of its rankings.
        """
        if self.is_single:
            return self._parts[0].inputs
        of_rankings = [part.inputs.negatives for part in self._parts]
        negatives = Negatives(
            loss=float(self.shares.dot([each.loss for each in of_rankings])),
            outweighed=max(each.outweighed for each in of_rankings),
            df=float(sum(each.df for each in of_rankings)),
        )
        bias = 0.0
        # A mean of shares of hits has no bias. If the bias of the area has no formula,
        # the bias of step AP is used instead.
        if self.definition.area is not HITS:
            has_formula = self.has_slopes and self.definition.area.curvature
            bias = (self if has_formula else self.of_step())._mean_bias()
        return IntervalInputs(negatives=negatives, rankings=FixedRankings(bias))

    def _mean_bias(self) -> float:
        """Return the mean bias of the rankings; NaN if it is unknown."""
        return float(
            self.shares.dot([*map(bias_over_units, self._parts, self.rankings)])
        )

    def of_step(self) -> Self:
        """Return the same rankings, scored by step AP."""
        step = Definition(STEP, prevalence=self.definition.prevalence)
        return replace(self, definition=step, known_parts=(), grid=None)

    @property
    def fewest(self) -> float:
        """Return the effective number of units that contain a positive, of the ranking
        in which this number is smallest. Rankings without a positive are ignored.
        """
        return min(each.n_effective for each in self.found)

    def singles(self) -> list[Self]:
        """Return each ranking alone, as a mean over this single ranking."""
        return [
            replace(self, rankings=[ranking], known_parts=(part,))
            for ranking, part in zip(self.rankings, self._parts, strict=True)
        ]


@dataclass(frozen=True, eq=False, kw_only=True)
class Sample:
    """The score of a sample, the numbers that describe its units, and the influence of
    each unit on the score.
    """

    score: float
    # Number of rows that the score adds up, from which `rounding_of` computes a bound
    # of its rounding error.
    n_rows: int
    # Number of units. Missed positives are no units, since they have no rows.
    n_units: int
    # Effective number of units that contain a positive; for a mean, effective number of
    # units.
    n_positives: float
    # Noun of a message such as "too few positives": the objects whose effective number
    # is `n_positives`.
    noun: str = "units that contain a positive"
    # Number of queries, if every sample has the same queries and units are drawn; else
    # 0.
    n_fixed_queries: int = 0
    # Share of positives in the sample, if the score is that of a single ranking. None
    # for other scores, and without negatives.
    share: float | None = None
    # The argument `prevalence` of the caller: the share of positives for which the
    # score is computed. None if it is computed for the share in the sample.
    prevalence: float | None = None
    # The call of the score; None if the sample comes from counts.
    call: ScoreCall | None = None
    # The rankings of the score; None if the score is a mean over units.
    ranked: RankedUnits | None = None
    influences: Influences

    @cached_property
    def ranking_of_area(self) -> RankedCells | None:
        """The single ranking whose whole area is the score; None for other scores."""
        ranked = self.ranked
        # A score with slopes is the area of a whole ranking (`has_slopes`).
        if ranked is None or not (ranked.is_single and ranked.has_slopes):
            return None
        return ranked.rankings[0]

    def paired(self) -> PairedScore:
        """Return the score with the influences and numbers that the rules of a
        difference need, without the rows.
        """
        paired = PairedScore(
            self.score,
            self.influences,
            self.n_positives,
            lost_positive=self._lost_positive(),
        )
        ranking = self.ranking_of_area
        if self.ranked is None or ranking is None:
            return paired
        of_units = sums_of_units(
            ranking.weight_of_positives, ranking.unit, self.ranked.n_found
        )
        return paired._replace(
            is_area=True,
            share_of_positives=of_units / ranking.n_positives,
            share_of_missed=1 / ranking.n_positives,
            is_at_levels=self.ranked.grid is not None,
            # If there are neither weights nor a prevalence, `weight` is the number 1,
            # and not an array.
            has_equal_rows=not np.ndim(ranking.weight),
        )

    def _lost_positive(self) -> float:
        """Return the amount by which the score of a single ranking would fall if one
        more positive were ranked last; 0 for a mean.
        """
        if self.ranked is None or not self.ranked.is_single:
            return 0.0
        return self.influences.inputs._replace(
            score=self.score, chance=self.chance, n_positives=self.n_positives
        ).lost_positive

    @property
    def chance(self) -> float:
        """The score that random rankings approach as rows increase: the prevalence if
        one was passed, else the share of positives.

        It is 0 if no rule needs it: at a cut, for a mean over units, and for a mean
        over columns or fixed queries that have the same share in the mean in every
        sample, since their shares of positives differ.
        """
        ranked, at_cut = self.ranked, self.influences.inputs.at_cut
        if ranked is None or ranked.has_fixed_shares or at_cut is not None:
            return 0.0
        return self.prevalence or self.share or 0.0


def _check_has_interval(call: ScoreCall) -> None:
    """Raise ValueError if the influences of the rows on the score are not defined. The
    error names another way to an interval.
    """
    area = call.definition.area
    if area is HITS or area.slopes is not None:
        return
    if area is DAVIS_GOADRICH:
        remedy = (
            f"{_BOOTSTRAP}. interpolation='linear' has an interval, but it is another "
            "area"
        )
    elif area is RECALL_AT_PRECISION:
        remedy = (
            "recall at a precision may depend on a single threshold that reaches the "
            "precision by chance. operating_point(..., threshold=...) returns the "
            "intervals of recall and precision at a threshold"
        )
    elif not area.counts_weight:
        remedy = (
            "it depends on the rank of one positive, so a single ranking does not show "
            "how much it varies. Pass query_id for a mean over queries, without a "
            "unit_id that divides queries"
        )
    else:
        remedy = f"how much a row changes it is not defined. {_BOOTSTRAP}"
    raise ValueError(f"{call.name} has no interval here: {remedy}.")


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


def _check_levels(call: ScoreCall, ranked: RankedUnits) -> None:
    """Raise ValueError if a mean over recall levels depends on the first few rows."""
    share = ranked.share_at_first
    if share > _MOST_AT_FIRST:
        raise ValueError(
            f"{call.name} has no interval here: the first positive reaches {share:.0%} "
            "of the recall levels, where the best precision is that of a few rows, "
            "however many rows there are. An interval requires that it reaches at most "
            f"{_MOST_AT_FIRST:.0%}. interpolated_average_precision_score without "
            "recall_levels, at every recall, has an interval."
        )


def _check_order_in_units(definition: Definition, unit: IntArray | None) -> None:
    """Raise ValueError if positives rank first or last among equal scores, and units
    have several rows.
    """
    if unit is not None and definition.tie_order in ("optimistic", "pessimistic"):
        raise ValueError(
            "ties must be 'proportional' or 'stable' if units have several rows, "
            "because otherwise the standard error would depend on the order of equal "
            f"rows; got {definition.ties!r}. Omit ties or unit_id."
        )


def _rankings_of_columns(call: ScoreCall, unit: IntArray | None) -> list[RankedCells]:
    """Return a single ranking of all rows or, for a label matrix that is not pooled, a
    ranking per column.
    """
    rows = call.checked
    # Without a total, no positive was missed.
    totals, n_positives = call.totals, 0.0
    if totals is not None:
        n_positives = totals.numbers.item() / call.scale
    # If queries are pooled into one ranking and there is no `unit_id`, the queries are
    # the units.
    if rows.query is not None and unit is None:
        _, unit = distinct_queries(rows.query)
    positive, score, weight = rows.positive, rows.score, rows.weight
    if positive.ndim == 1:
        return [RankedCells.of_rows(rows, unit, n_positives)]
    # For a micro average, pool the columns into one ranking. `reshape` keeps the values
    # of a row together, so the number of the unit of a row is repeated for each column.
    if call.average == "micro":
        n_rows, n_columns = positive.shape
        unit = np.repeat(np.arange(n_rows) if unit is None else unit, n_columns)
        if weight is not None:
            rows = rows.with_weight(np.repeat(weight, n_columns))
        positive, score = positive.reshape(-1, 1), score.reshape(-1, 1)
    return [
        RankedCells.of_rows(rows._replace(positive=p, score=s), unit, n_positives)
        for p, s in zip(positive.T, score.T, strict=True)
    ]


def _rankings_of_queries(call: ScoreCall, unit: IntArray) -> list[RankedCells]:
    """Return the ranking of each query that has rows, missed positives, or both."""
    checked = call.checked
    assert checked.query is not None, call.average
    queries = queries_of(checked.query, checked.passed_query, call.totals)
    has_rows = queries.has_rows[queries.is_ranked]
    totals = np.zeros(has_rows.size)
    if call.totals is not None:
        totals = per_ranking(call.totals, queries) / call.scale
    _, query = distinct_queries(checked.query)
    members = iter(members_of(query))
    rankings = list[RankedCells]()
    for is_found, n_positives in zip(has_rows, totals.tolist(), strict=True):
        # A query without rows has missed positives only.
        places = next(members) if is_found else np.zeros(0, dtype=np.int64)
        rows = checked.take(places)
        rankings.append(RankedCells.of_rows(rows, unit[places], n_positives))
    return rankings


def _sample_of_units(ranked: RankedUnits, **others: Any) -> Sample:
    """Return the sample of rankings with rows of the same units. `others` are the
    fields of `Sample` that do not follow from the rankings.
    """
    first, *_ = ranked.rankings
    # If no row of any ranking is positive, all positives were missed.
    n_positives = first.n_missed
    if ranked.found:
        n_positives = n_effective_of(ranked.found, ranked.n_found)
    if ranked.is_single:
        others["share"] = first.share
    return Sample(
        n_units=ranked.n_found,
        n_positives=n_positives,
        noun="positives" if first.unit is None else Sample.noun,
        prevalence=ranked.definition.prevalence,
        ranked=ranked,
        influences=ranked.influences(),
        **others,
    )


def samples_of_rankings(ranked: RankedUnits) -> list[Sample]:
    """Return the sample of each ranking of a mean, scored alone."""
    return [
        _sample_of_units(
            single, score=single.score, n_rows=single.rankings[0].positive.size
        )
        for single in ranked.singles()
    ]


def ranked_sample(
    call: ScoreCall,
    unit: IntArray | None,
    n_fixed_queries: int,
) -> Sample:
    """Return the sample of a call whose rows belong to units."""
    # Both the score and its influences need the order of the rows of a single ranking,
    # unless the score has an order of equal scores.
    rows, order = RankedRows.of(call.given), None
    if call.average == "micro" and call.definition.tie_order is None:
        order = rows.order
    call = replace(call, given=rows, order=order)
    # Compute the score first, so that its own errors are raised first.
    score = call.score
    _check_has_interval(call)
    _check_missed_positives(call)
    if unit is not None and n_fixed_queries and call.is_mean:
        rankings = _rankings_of_queries(call, unit)
        # `n_positives` may name queries that have no rows.
        n_fixed_queries = len(rankings)
    else:
        rankings = _rankings_of_columns(call, unit)
    definition = call.definition
    by_positives = call.average == "weighted"
    # A ranking without positives has the same score in every sample. It is not a part
    # of the mean if rankings are weighted by their positives, or if its score is NaN.
    are_excluded = by_positives or np.isnan(call.undefined)
    rankings = [
        each.at_prevalence(definition.prevalence)
        for each in rankings
        if each.n_positives or not are_excluded
    ]
    # If queries or columns are pooled into one ranking, its rows belong to units.
    if unit is None:
        unit = rankings[0].unit
    _check_order_in_units(definition, unit)
    # Units are numbered from 0, and each of them has a row.
    n_found = len(call.checked.positive) if unit is None else int(unit.max()) + 1
    grid = None
    if definition.level is None:
        grid, definition = definition.grid, replace(definition, grid=None)
    ranked = RankedUnits(definition, rankings, n_found, by_positives, grid=grid)
    _check_levels(call, ranked)
    return _sample_of_units(
        ranked,
        score=score,
        n_rows=call.checked.positive.size,
        n_fixed_queries=n_fixed_queries,
        call=call,
    )


def counted_sample(definition: Definition, ranking: Rankings) -> Sample:
    """Return the sample of a single ranking without weights, from its steps."""
    n_rows = ranking.offsets.item(-1)
    at_share = reweighted(ranking, definition.prevalence)
    cells = RankedCells.of_ranking(ranking).at_prevalence(definition.prevalence)
    return _sample_of_units(
        RankedUnits(definition, [cells], n_rows),
        score=definition.compute(at_share).item(),
        n_rows=n_rows,
    )


def sample_of_mean(call: ScoreCall, unit: IntArray | None) -> Sample:
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
            names, query = distinct_queries(call.checked.query)
            if len(names) < values.size:
                raise ValueError(
                    "unit_id requires rows of each query that n_positives names, "
                    "because the unit of other queries is unknown; got "
                    f"{call.inputs.n_positives!r}. Omit unit_id, or these queries."
                )
            # All rows of a query have the same unit, so its first row shows it.
            _, first_rows = np.unique(query, return_index=True)
            unit = unit[first_rows]
        _, unit = np.unique(unit[counted], return_inverse=True)
    values, weight = values[counted], weight[counted]
    of_units = sums_of_units(weight, unit)
    mean = np.average(values, weights=weight)
    of_values = (values - mean) * (weight / weight.sum())
    return Sample(
        score=call.score,
        n_rows=call.checked.positive.size,
        n_units=of_units.size,
        n_positives=n_equal(of_units),
        noun="rankings to average",
        call=call,
        influences=Influences(
            sums_of_units(of_values, unit), inputs=IntervalInputs(is_mean=True)
        ),
    )


def unit_numbers(unit_id: ArrayLike | None, rows: CheckedRows) -> IntArray | None:
    """Return the number of the unit of each row, in the order of the ids of the units.
    `unit_id` has an id for each row that was passed, or is None.
    """
    if unit_id is None:
        return None
    _, unit = distinct_queries(rows.read_ids(unit_id, "unit_id"))
    return unit


def members_of(group: IntArray) -> list[IntArray]:
    """Return the places of the members of each group. `group` is the number of the
    group at each place, and the list is in the order of these numbers.
    """
    by_group = group.argsort(kind="stable")
    ends = np.cumsum(np.bincount(group))
    # `np.split` takes the places at which one group ends and the next one begins. The
    # last group ends at no such place.
    return np.split(by_group, ends[:-1])

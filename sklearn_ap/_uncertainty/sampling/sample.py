"""From a call of a score to what its sample shows: the rankings of its rows, and what
their units contribute to the score.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from ..._core.evaluate import laid_out, rankings_in
from ..._core.ranking.keys import rows_in_order
from ..._core.ranking.prevalence import at_prevalence
from ..._core.reading.ids import as_list
from ..._core.reading.options import ORDERS_BY_LABEL
from ..._core.rounding import EQUAL
from ..._core.typing import AnyArray, BoolArray, FloatArray
from .. import rules
from .alike import can_be_counted, counted_ranking
from .by_unit import n_equal, sums_of
from .contributions import (
    Contributions,
    RankingMean,
    contributions_of_drawn,
    contributions_of_mean,
    score_ranking,
)
from .levels import levels_of
from .pairs import as_if_cut_stayed, contributions_of_pairs
from .ranking import Ranking, rankings_of
from .score import KNOWN_AREAS
from .score_call import ScoreCall
from .units import (
    PairUnits,
    Units,
    error_about_missed_positives,
    error_about_missing_units,
)

NO_RANKINGS = RankingMean((), np.zeros(0))


class Sample(NamedTuple):
    """What the rows of a call show about its score, with facts about their units for
    results and warnings.
    """

    call: ScoreCall
    contributions: Contributions
    # Effective number of positives, units or rankings, in the ranking in which it is
    # smallest, and their noun, for a warning such as "too few positives (1.92)".
    least_n_effective: float
    noun_of_least: str
    units: Units | PairUnits
    # The rankings of the score. Empty if it is a mean over drawn rankings. A comparison
    # removes them from samples that it has read, except for the last one.
    rankings_mean: RankingMean = NO_RANKINGS
    # Share of the recall levels that the first positive reaches; 0 without levels.
    share_at_first: float = 0.0
    # The id of each unit, in the order of the contributions; None if units have no ids.
    ids: AnyArray | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows, or of elements of a label matrix. The rounding error of a
        score grows with it.
        """
        return self.call.rows.positive.size

    @property
    def n_fixed_queries(self) -> int:
        """Number of queries, if every sample has the same queries; else 0."""
        # Queries that are drawn are not needed here, and take time to list.
        if not self.units.queries_are_fixed or self.call.queries is None:
            return 0
        return self.call.queries.ids.size

    @property
    def n_units_per_row(self) -> int:
        """Number of units that each row belongs to."""
        return 2 if isinstance(self.units, PairUnits) else 1

    @property
    def units_of_queries(self) -> Mapping[Any, Any]:
        """The unit of each query, both by their ids. Empty unless units contain whole
        queries, and are drawn with them.
        """
        queries, units = self.call.queries, self.units
        if isinstance(units, PairUnits) or units.queries_are_fixed:
            return {}
        if queries is None or units.unit_of_query is None:
            return {}
        ids: Any = units.ids
        unit_ids = as_list(ids[units.unit_of_query])
        return dict(zip(queries.names, unit_ids, strict=True))

    def n_distinct(self, rows: BoolArray) -> int:
        """Return the number of these rows. Rows of a cluster with equal scores are one,
        since a row may be written twice.
        """
        units = self.units
        if isinstance(units, PairUnits) or units.unit_of_row is None:
            return int(np.count_nonzero(rows))
        _, score = np.unique(self.call.rows.score[rows], return_inverse=True)
        unit = units.unit_of_row[rows.nonzero()[0]]
        # Rows have the same number here if they have the same unit and score.
        return len(np.unique(unit * rows.size + score))


def sample_of(
    call: ScoreCall, units: Units | PairUnits, *, each_unit: bool = True
) -> Sample:
    """Return what the rows of a call show about its score.

    Unless `each_unit`, a value may be that of several units, which saves time
    (`alike`). A comparison needs the value of each unit.
    """
    if isinstance(units, PairUnits):
        return _sample_of_pairs(call, units)
    if call.is_mean_of_queries and not units.queries_are_fixed:
        return _sample_of_drawn_rankings(call, units)
    if not each_unit and units.unit_of_row is None and can_be_counted(call):
        return _sample_of_counts(call, units)
    return _sample_of_rankings(call, units)


def _sample_of_rankings(call: ScoreCall, units: Units) -> Sample:
    """Return the sample of a call whose rankings are in every sample: of all rows, of
    each column, or of each fixed query.
    """
    if call.average == "micro" and call.definition.tie_order is None:
        # Both the score and its contributions need the order of a single ranking.
        rows, *_ = laid_out(call.rows, "micro")
        call = replace(call, order=rows_in_order(rows, None, call.rows.bounds))
    # Compute the score first, so that its own errors are raised first.
    score = call.score
    _check_has_interval(call, units)
    _check_missed_positives(call, units)
    rankings = [*rankings_of(call, units)]
    # A ranking without positives has the same score in every sample. It is not a part
    # of the mean if rankings are weighted by their positives, or if its score is NaN.
    if call.average == "weighted" or isnan(call.undefined):
        rankings = [each for each in rankings if each.n_positives]
    definition = call.definition
    if not rankings[0].by_rows and definition.tie_order in ORDERS_BY_LABEL:
        raise ValueError(
            "ties must be 'proportional' or 'stable' if units have several rows, "
            "because otherwise the standard error would depend on the order of equal "
            f"rows; got {definition.ties!r}. Omit ties or unit_id."
        )
    ids = units.ids
    # A single query may have rows of some units only, and no other units count.
    if len(rankings) == 1 and ids is not None:
        ids = ids[rankings[0].unit_numbers]
    return _scored(call, score, rankings, units, ids)


def _sample_of_counts(call: ScoreCall, units: Units) -> Sample:
    """Return the sample of a call with one ranking of plain rows, from its steps."""
    definition = call.definition
    rankings, _ = rankings_in(call.scaled_rows, average="micro")
    score = definition.compute(at_prevalence(rankings, definition.prevalence)).item()
    ranking = counted_ranking(rankings).at_prevalence(definition.prevalence)
    return _scored(call, score, [ranking], units)


def _scored(
    call: ScoreCall,
    score: float,
    rankings: Sequence[Ranking],
    units: Units,
    ids: AnyArray | None = None,
) -> Sample:
    """Return what the rankings of a call show about its score."""
    by_positives = call.average == "weighted"
    shares = np.full(len(rankings), 1 / len(rankings))
    if by_positives:
        totals = np.array([each.n_positives for each in rankings])
        shares = totals / totals.sum()
    parts = tuple(score_ranking(call.definition, each) for each in rankings)
    n_units = len(call.rows.positive) if ids is None else ids.size
    mean = RankingMean(parts, shares, n_units, by_positives)
    contributions = contributions_of_mean(mean, score)
    noun = "positives"
    if not rankings[0].by_rows:
        noun = "units that contain a positive"
    # A ranking without found positives has the same score in every sample.
    with_found = [part.ranking for part in parts if part.ranking.positive.any()]
    scarcest = min(with_found, key=attrgetter("n_effective_found"))
    if scarcest.n_effective_found < contributions.n_effective:
        kind = "query" if units.queries_are_fixed else "column"
        noun += f" in {kind} {scarcest.name!r}"
    return Sample(
        call=call,
        contributions=contributions,
        least_n_effective=scarcest.n_effective_found,
        noun_of_least=noun,
        units=units,
        rankings_mean=mean,
        share_at_first=_share_at_first(call, mean),
        ids=ids,
    )


def _share_at_first(call: ScoreCall, mean: RankingMean) -> float:
    """Return the share of the recall levels that the first positive of a ranking
    reaches, or its first unit that contains positives; 0 for scores without levels.
    Raise ValueError if it is large: then the score depends mostly on the first rows.
    """
    levels = levels_of(call.definition)
    if levels is None or levels.size == 1:
        return 0.0
    n_effective = [part.ranking.n_effective_of_all for part in mean.parts]
    # The first positive reaches the recall 1 / n.
    is_reached = np.multiply.outer(n_effective, levels) <= 1 + EQUAL
    share = float(mean.shares @ is_reached.mean(axis=1))
    if share > rules.MOST_AT_FIRST:
        raise ValueError(
            f"{call.name} has no interval here: the first positive reaches {share:.1%} "
            "of the recall levels, where the best precision is that of a few rows, "
            "however many rows there are. An interval requires that it reaches at most "
            f"{rules.MOST_AT_FIRST:.0%}. interpolated_average_precision_score without "
            "recall_levels, at every recall, has an interval."
        )
    return share


def _sample_of_drawn_rankings(call: ScoreCall, units: Units) -> Sample:
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
    unit_of_ranking, ids = units.unit_of_query, units.ids
    # Without queries, rankings are rows of a label matrix, which may be in clusters.
    if unit_of_ranking is None:
        unit_of_ranking = units.unit_of_row
    # Otherwise, rankings are units.
    if unit_of_ranking is None:
        unit_of_ranking = np.arange(values.size)
    if ids is None:
        ids = averaging.ids
    kept, unit = np.unique(unit_of_ranking[counted], return_inverse=True)
    contributions = contributions_of_drawn(
        call.score, values[counted], weight[counted], unit
    )
    return Sample(
        call=call,
        contributions=contributions,
        least_n_effective=contributions.n_effective,
        noun_of_least="rankings to average",
        units=units,
        ids=None if ids is None else ids[kept],
    )


def _sample_of_pairs(call: ScoreCall, pairs: PairUnits) -> Sample:
    """Return the sample of a call whose rows belong to two units each (`pairs`).

    Facts that pairs do not have are those of one column: its rankings, which have the
    units of this column, and `share_at_first`.
    """
    n_units = pairs.ids.size

    def by_number(column: Sample, values: FloatArray) -> FloatArray:
        # The ids of a column are the numbers of its units among those of both columns,
        # and the id `n_units` is of no unit.
        numbers: Any = column.ids
        return sums_of(values, numbers, n_units)[:n_units]

    def if_cut_stayed(column: Sample) -> FloatArray:
        own, mean = column.contributions, column.rankings_mean
        return by_number(column, as_if_cut_stayed(own, mean, call.definition.k))

    columns = [sample_of(call, units) for units in pairs.columns]
    if not pairs.undirected:
        of_columns = [by_number(each, each.contributions.of_units) for each in columns]
        # The column with fewer units decides what is known.
        n_effective = min(each.contributions.n_effective for each in columns)
    else:
        # A unit that has fewer rows in a column, or none, moves a cut by as much as
        # others. So rows contribute as if the cut stayed, and the mean is subtracted.
        of_columns = [each - each.mean() for each in map(if_cut_stayed, columns)]
        weights = [
            by_number(each, each.contributions.divisor_weights) for each in columns
        ]
        n_effective = n_equal(np.sum(weights, axis=0))
    with_itself = np.zeros(n_units)
    if pairs.with_itself is not None:
        with_itself = if_cut_stayed(sample_of(call, pairs.with_itself))
    # If a column draws queries, so do pairs, and its facts are taken.
    column = next(
        (each for each in columns if not each.units.queries_are_fixed), columns[0]
    )
    return Sample(
        call=call,
        contributions=contributions_of_pairs(
            call.score, of_columns, with_itself, n_effective
        ),
        least_n_effective=n_effective,
        noun_of_least="units",
        units=pairs,
        rankings_mean=column.rankings_mean,
        share_at_first=column.share_at_first,
        ids=pairs.ids,
    )


def _check_has_interval(call: ScoreCall, units: Units) -> None:
    """Raise ValueError if the contributions of rows to the score are not defined."""
    if call.definition.area not in KNOWN_AREAS:
        advice = "A mean over drawn queries has one: pass query_id."
        if units.queries_are_fixed:
            advice = (
                "Without unit_id, it is that of other queries with the same documents: "
                "too narrow if documents were drawn, too. Means of average_precision "
                "and of precision@k have one here; precision@1 equals success@1."
            )
        raise ValueError(
            f"{call.name} has no interval here: how much a row changes it is not "
            f"defined. {advice}"
        )


def _check_missed_positives(call: ScoreCall, units: Units) -> None:
    """Raise ValueError if the effect of missed positives on the score is unknown."""
    rows, totals = call.scaled_rows, call.rows.totals
    if totals is None:
        return
    is_pooled = rows.query is not None and not call.is_mean_of_queries
    has_units = units.ids is not None
    is_known = (
        rows.weight is None
        and call.definition.tie_order is None
        and rows.positive.ndim == 1
        and not is_pooled
        and not (has_units and isinstance(call.definition.k, int))
    )
    if not is_known:
        raise error_about_missed_positives(totals.passed)
    if has_units and units.totals is None:
        raise error_about_missing_units(
            totals.passed, has_queries=call.is_mean_of_queries
        )

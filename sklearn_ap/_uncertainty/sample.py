"""The units of a sample: how a score depends on each of them, and how to draw them
again.

A unit is a row, a cluster of rows, a query, or a row of a label matrix. A `Sample` knows
what each unit does to the score, and the score of any bootstrap sample. Four functions
make one: `ranked_sample` of rankings whose rows belong to units (one, the columns of a
matrix, or fixed queries), `sample_of_mean` of rankings that are units, and `row_sample` of
cuts of weighted rows and orders of equal scores, which depend on each row.
`counted_sample` knows the steps of a single ranking alone, and has influences only.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import compress
from math import nan
from typing import Any, Self

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, vstack

from .._core.areas.hits import HITS, RECALL_AT_PRECISION
from .._core.areas.step import STEP
from .._core.definition import Definition
from .._core.ranking.cut import cut_depth
from .._core.ranking.prevalence import at_prevalence
from .._core.ranking.rankings import Rankings, Rows
from .._core.reading.ids import distinct_queries, read_numbered
from .._core.reading.options import is_real, short_repr
from .._core.reading.per_ranking import Stated, per_ranking, queries_of
from .._core.rounding import EQUAL
from .._core.typing import AnyArray, FloatArray, IntArray
from .calls import ScoreCall
from .cells import ReweightedKernel, steps_of_cells
from .ends import AtPrecision, Classes, Facts, mean_of
from .influence import (
    Influences,
    RankedCells,
    has_slopes,
    influence_of_rows,
    n_effective_of,
    n_equal,
    sums_of_units,
)

SeedOrGenerator = int | RandomState | Generator | None  # of random numbers
# numbers in memory at a time: 1 MB, which fits the caches of most processors
_AT_ONCE = 2**17
_LEAST = 1e-300  # squared standard error, so that nothing is divided by 0
# below so many rows per cell, drawing rows takes less time than drawing cells
# (measured)
_FULL = 3


def _generator_of(random_state: SeedOrGenerator) -> Generator:
    """Return a generator of random numbers; a RandomState of scikit-learn seeds it."""
    if isinstance(random_state, RandomState):
        return np.random.default_rng(
            random_state.randint(2**32, size=4, dtype=np.uint32)
        )
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            "random_state must be None, an integer >= 0, a RandomState or a Generator of numpy; "
            f"got {random_state!r}."
        ) from None


def _read_n_resamples(n_resamples: object) -> int:
    """Check the number of bootstrap samples: an integer of at least 1."""
    if (
        is_real(n_resamples)
        and 1 <= n_resamples < np.inf
        and n_resamples == int(n_resamples)
    ):
        return int(n_resamples)
    raise ValueError(f"n_resamples must be an integer >= 1; got {n_resamples!r}.")


class Draws:
    """Number of bootstrap samples, and the source of random numbers."""

    def __init__(self, n_resamples: object, random_state: SeedOrGenerator) -> None:
        self.n_resamples = _read_n_resamples(n_resamples)
        self._rng = None if random_state is None else _generator_of(random_state)

    @cached_property
    def rng(self) -> Generator:
        """The random numbers; to seed them by the system takes as long as a short
        score.
        """
        return _generator_of(self._rng)


def counts_of_cells(
    size: IntArray,
    n_resamples: int,
    rng: Generator,
    groups: Sequence[IntArray] | None,
) -> Iterator[IntArray]:
    """Yield how many rows each bootstrap sample draws from cells of `size` rows: a row
    per sample. Of each of the `groups` of single rows, it draws as many as there are.
    """
    n_rows = int(size.sum())
    at_once = max(_AT_ONCE // size.size, 1)
    for done in range(0, n_resamples, at_once):
        n_samples = min(at_once, n_resamples - done)
        if groups is not None:
            counts = np.zeros((n_samples, n_rows), dtype=np.int64)
            for rows in groups:
                counts[:, rows] = _counts_of_rows(rows.size, n_samples, rng)
            yield counts
        elif (size == 1).all():  # to draw rows takes a fifth of the time
            yield _counts_of_rows(n_rows, n_samples, rng)
        else:
            yield rng.multinomial(n_rows, size / n_rows, size=n_samples)


def _counts_of_rows(n_rows: int, n_samples: int, rng: Generator) -> IntArray:
    """Return how often each sample draws each row."""
    row = rng.integers(n_rows, size=(n_samples, n_rows))
    row += n_rows * np.arange(n_samples)[:, np.newaxis]
    return np.bincount(row.ravel(), minlength=row.size).reshape(row.shape)


@dataclass(frozen=True, eq=False, kw_only=True)
class Sample:
    """Facts of units that were drawn and of their score, and two functions: what each
    unit does to the score, and the scores of bootstrap samples.
    """

    score: float
    n_rows: int  # that the score adds up, and rounds
    n_units: int  # each missed positive is one
    n_known_units: int  # those that the caller knows: a missed object is not an image
    # How many units of equal weight the positives count for; of a mean, how many units
    # count.
    n_positives: float
    noun: str = "units that contain a positive"  # what `n_positives` counts
    n_missed: float = 0.0  # positives without a row
    n_fixed_queries: int = 0  # the same queries in every sample, while units are drawn
    units_of_queries: Sequence[IntArray] = ()  # of rows that are scored again, if fixed
    is_share: bool = (
        True  # whether all values lie from 0 to 1, and so does a difference
    )
    share: float = nan  # of positives; NaN of columns, and of means with totals
    prevalence: float | None = None  # the share that the score is at
    call: ScoreCall | None = None  # that was read; None of given values or counts
    ranked: "RankedUnits | None" = None  # unless the score is of a mean or of rows
    # None of scores that jump where rows change places
    find_influences: Callable[[], Influences] | None = None
    # of bootstrap samples with these counts of units; NaN without positives
    scores_of_counts: Callable[..., FloatArray] | None = None

    @property
    def fewest(self) -> float:
        """The positives of the column, or fixed query, that has the fewest."""
        if self.ranked is None or self.ranked.is_single:
            return self.n_positives
        return min(self.ranked.n_positives)

    @property
    def has_influences(self) -> bool:
        """Whether the score has a derivative by the weight of each unit."""
        return self.find_influences is not None

    @cached_property
    def influences(self) -> Influences:
        """What each unit does to the score."""
        if self.find_influences is None:
            assert self.call is not None, self.score
            raise ValueError(
                "score_func must be the area of a ranking, or a mean over queries "
                f"or samples, for method='influence'; got {self.call.name}, which has method='percentile' "
                "alone."
            )
        return self.find_influences()

    @cached_property
    def facts(self) -> Facts:
        """What influences say of the score."""
        return self.influences.moments()

    @property
    def heavy_negatives(self) -> float:
        """Effective number of negatives: how many of equal weight would leave the score
        as uncertain as the heavy ones do.
        """
        if not self.has_influences:
            return np.inf
        return self.influences.facts.df_of_negatives + 1

    def perfect(self) -> tuple[Classes, ...] | float:
        """Return the facts of a sample that scores 1: its rankings or, of a mean, how
        many units score 1. Empty of shares, which budgets of all rows always find.
        """
        if self.facts.of_mean:
            return self.n_positives
        return () if self.ranked is None else self.ranked.perfect()

    def defined_by(self, definition: Definition) -> Self:
        """Return the same sample with another number, which has influences."""
        assert self.ranked is not None, self.call
        ranked = replace(self.ranked, definition=definition)
        score = float(ranked.shares.dot(ranked.scores))
        return replace(
            self, score=score, ranked=ranked, find_influences=ranked.influences
        )


def facts_of_percentiles(sample: Sample) -> Facts:
    """Return what an interval needs besides the scores of bootstrap samples."""
    call, ranked = sample.call, sample.ranked
    assert call is not None, sample.score
    definition = call.definition
    if definition.cut is not None:
        is_single = not call.is_mean and call.checked.positive.ndim == 1
        return _facts_of_cut(sample, call) if is_single else Facts()
    if ranked is None:
        return Facts()
    facts = Facts(has_levels=definition.grid is not None)
    area, level = definition.area, definition.level
    if level is None or not ranked.is_single:
        return facts
    is_precision = area.slopes is not None and definition.prevalence is None
    if is_precision and ranked.is_plain and sample.score:
        # the hits at a recall are divided by the rows above it
        n_positives = sample.n_positives + sample.n_missed
        hits = max(np.ceil(level * n_positives * (1 - EQUAL)), 1.0)
        divisor = float(hits) / sample.score
        facts = facts._replace(divisor=divisor, other=divisor)
    [ranking] = ranked.rankings
    if area is not RECALL_AT_PRECISION or ranking.rows.positive.all():
        return facts
    weight = ranking.cells.sums(ranking.rows.weight)
    steps = steps_of_cells(weight)
    classes = ranking.classes(definition.prevalence, ranked.n_found)
    fallout = (steps.retrieved - steps.tp) / (weight.sum() - classes[0])
    recall = steps.tp / classes[0]
    of_steps = AtPrecision(level, recall, fallout, classes, sample.n_missed)
    return facts._replace(at_precision=of_steps)


def _facts_of_cut(sample: Sample, call: ScoreCall) -> Facts:
    """Return the facts of a score at a cut.

    Hits are at most the rows above the cut and at most the positives; the score divides
    by one of both, the divisor.
    """
    cut = call.definition
    divisor = other = nan
    # R-precision has no k
    depth = n_positives = sample.n_positives + sample.n_missed
    if cut.k is not None:
        depth = float(cut_depth(np.array([sample.n_rows]), cut.k)[0])
    is_area = cut.area.slopes is not None
    if is_area:
        divisor = other = min(depth, n_positives)
    elif cut.area is HITS:
        divisor, other = n_positives, depth
        if cut.normalizer == "k":
            divisor, other = depth, n_positives
    return Facts(is_cut_area=is_area, divisor=divisor, other=other)


def _refuse_totals(call: ScoreCall) -> None:
    """Refuse totals of positives if their effect on the score is unknown."""
    positive, _, _, weight, query, *_ = call.checked
    if isinstance(call.definition.cut, Stated):
        raise ValueError(
            "k must be one number where rows of a query are drawn, or of a matrix; got "
            f"{short_repr(call.definition.cut.passed)}: leave out unit_id, so that queries are drawn."
        )
    is_pooled = positive.ndim == 2 or (query is not None and not call.is_mean)
    is_known = weight is None and call.fits_cells and not is_pooled
    if not is_known and call.inputs.n_positives is not None:
        raise ValueError(
            "n_positives requires equal weights, no order of equal scores, and a single ranking or a mean "
            "over queries, since missed positives have no known weight, rank or unit; got "
            f"{call.inputs.n_positives!r}."
        )


def _rankings_of_columns(call: ScoreCall, unit: IntArray | None) -> list[RankedCells]:
    """Return a single ranking of all rows, or the columns of a matrix."""
    positive, y_score, _, weight, query, *_ = call.checked
    totals, n_positives = call.totals, 0.0
    if totals is not None:
        n_positives = totals.numbers.item() / call.scale
    missed = max(n_positives - np.count_nonzero(positive), 0.0)
    if query is not None and unit is None:  # pooled: queries are the units
        unit = distinct_queries(query)[1]
    # row by row, units one after the other
    if positive.ndim == 2 and call.average == "micro":
        n_rows, n_columns = positive.shape
        unit = np.repeat(np.arange(n_rows) if unit is None else unit, n_columns)
        weight = None if weight is None else np.repeat(weight, n_columns)
        positive = positive.reshape(-1)
        y_score = y_score.reshape(-1)
    columns = zip(np.atleast_2d(positive.T), np.atleast_2d(y_score.T), strict=True)
    return [RankedCells.of_columns(*column, weight, unit, missed) for column in columns]


def _rankings_of_queries(call: ScoreCall, unit: IntArray) -> list[RankedCells]:
    """Return the ranking of each query, which has rows, positives that were missed, or
    both.
    """
    checked, rankings = call.checked, list[RankedCells]()
    assert checked.query is not None, call.average
    names, query = distinct_queries(checked.query)
    queries = queries_of(checked.query, names, checked.weightless, call.totals)
    totals = np.zeros(np.count_nonzero(queries.is_ranked))
    if call.totals is not None:
        totals = per_ranking(call.totals, totals.size, queries) / call.scale
    members = dict(zip(names, members_of(query), strict=True))
    empty = np.zeros(0, dtype=np.int64)
    ranked = compress(queries.names, queries.is_ranked)
    for name, n_positives in zip(ranked, totals.tolist(), strict=True):
        rows = members.get(name, empty)
        positive, score, _, weight, *_ = checked.take(rows)
        missed = max(n_positives - np.count_nonzero(positive), 0.0)
        rankings.append(
            RankedCells.of_columns(positive, score, weight, unit[rows], missed)
        )
    return rankings


@dataclass(frozen=True, eq=False)
class RankedUnits:
    """Rankings with rows of the same units: one, the columns of a matrix, or queries
    that are fixed.
    """

    definition: Definition
    rankings: list[RankedCells]
    n_found: int  # units that have rows
    by_positives: bool = False  # whether rankings count by their positives in the mean
    undefined: float = nan  # the number of rankings without positives

    @property
    def found(self) -> list[RankedCells]:
        """The rankings that have positives among their rows."""
        return [each for each in self.rankings if each.rows.positive.any()]

    @property
    def is_single(self) -> bool:
        """Whether this is a single ranking."""
        return len(self.rankings) == 1

    @property
    def is_plain(self) -> bool:
        """Whether rows of equal weight, in a single ranking, are the units."""
        [*others, ranking] = self.rankings
        return not others and ranking.unit is None and ranking.rows.weight is None

    @property
    def n_negative_units(self) -> float:
        """How many equal units, which were passed, would contain the negatives."""
        [ranking] = self.rankings
        if ranking.unit is None or ranking.rows.positive.all():
            return np.inf
        return ranking.classes(None, self.n_found)[3]

    @property
    def kinds(self) -> IntArray:
        """The cell of each row, or that of missed positives: rows of equal weight in a
        cell are alike.
        """
        [ranking] = self.rankings
        cells, missed = ranking.cells, round(ranking.n_missed)
        return np.append(cells.cell, np.full(missed, cells.n_cells))

    @cached_property
    def _parts(self) -> list[Influences]:
        """What the rows of each ranking do to its score, per weight."""
        return [influence_of_rows(self.definition, each) for each in self.rankings]

    @property
    def scores(self) -> FloatArray:
        """The score of each ranking."""
        return np.array([part.facts.score for part in self._parts])

    @property
    def shares(self) -> FloatArray:
        """Share of each ranking in the mean."""
        weights = np.ones(len(self.rankings))
        if self.by_positives:
            weights = np.array([each.n_positives for each in self.rankings])
        return np.asarray(weights / weights.sum())

    def _influences_of_rows(self) -> list[Influences]:
        """Return what each row of each ranking does to the mean, per weight."""
        scores, shares, moved = self.scores, self.shares, np.zeros(len(self._parts))
        if self.by_positives:  # each positive also moves the shares
            n_positives = [each.n_positives for each in self.rankings]
            moved = shares * (scores - shares.dot(scores)) / n_positives
        return [
            part._replace(
                of_units=share * part.of_units + more * each.rows.positive,
                of_missed=share * part.of_missed + more,
            )
            for each, share, part, more in zip(
                self.rankings, shares, self._parts, moved, strict=True
            )
        ]

    def influences(self) -> Influences:
        """Return what each unit does to the score."""
        parts, shares = self._parts, self.shares
        facts = parts[0].facts
        if not self.is_single:
            facts = mean_of([part.facts for part in parts], shares)
            # the known part of the bias of a mean
            if self.definition.area.curvature is None:
                step = replace(self.definition, area=STEP)
                parts = replace(self, definition=step)._parts
            known_bias = float(shares.dot([part.facts.bias for part in parts]))
            facts = facts._replace(known_bias=known_bias)
        is_known = not self.by_positives and self.definition.prevalence is None
        bias = nan
        if is_known and self.rankings[0].unit is None:
            bias = float(shares.dot([part.facts.bias for part in self._parts]))
        each = list(map(self._by_unit, self._influences_of_rows(), self.rankings))
        return each[0]._replace(
            of_units=sum((one.of_units for one in each), np.zeros(1)),
            of_missed=np.array([one.of_missed for one in each]),
            n_missed=np.array([one.n_missed for one in each]),
            facts=facts._replace(bias=bias),
        )

    @property
    def n_positives(self) -> list[float]:
        """How many equal units would contain the positives of each ranking that has
        some.
        """
        return [n_effective_of([each], self.n_found) for each in self.found]

    def correlations(self) -> FloatArray:
        """Return the correlations of what units do to the rankings."""
        each = list(map(self._by_unit, self._parts, self.rankings))
        squares = [influences.moments().second for influences in each]
        of_units: Any = [influences.of_units for influences in each]
        if self.rankings[0].unit is None:
            of_units = np.stack(of_units)
        else:  # most units have rows in few queries
            of_units = vstack([csr_array(values[np.newaxis]) for values in of_units])
        scale = 1 / np.sqrt(np.maximum(squares, _LEAST))
        shared = of_units @ of_units.T
        shared = shared if isinstance(shared, np.ndarray) else shared.toarray()
        correlations = shared * scale * scale[:, np.newaxis]
        np.fill_diagonal(correlations, 1.0)
        return correlations

    def sample_of(self, place: int) -> Sample:
        """Return the sample of a single ranking."""
        ranking = self.rankings[place]
        ranked = replace(self, rankings=[ranking])
        vars(ranked)["_parts"] = [self._parts[place]]
        rows, missed = ranking.rows, ranking.n_missed
        total = rows.score.size if rows.weight is None else float(rows.weight.sum())
        sample = _sample_of_units(
            ranked,
            score=float(ranked.scores[0]),
            n_rows=rows.score.size,
            share=ranking.n_positives / (total + missed),
        )
        return sample if ranked.found else replace(sample, n_positives=missed)

    def _by_unit(self, influences: Influences, ranking: RankedCells) -> Influences:
        """Return what each unit does, from what each row of a ranking does per
        weight.
        """
        of_rows, weight = influences.of_units, ranking.rows.weight
        of_rows = of_rows if weight is None else of_rows * weight
        return influences._replace(
            of_units=sums_of_units(of_rows, ranking.unit, self.n_found)
        )

    def perfect(self) -> tuple[Classes, ...]:
        """Return the rankings of a sample that scores 1, unless all samples do."""
        prevalence = self.definition.prevalence
        classes = [each.classes(prevalence, self.n_found) for each in self.found]
        return tuple(classes) if all(negatives for *_, negatives, _ in classes) else ()

    @cached_property
    def _to_cells(self) -> list[csr_array]:
        """Matrices of the rows that each unit has in the cells of each ranking, best
        first, and then among its missed positives.
        """
        matrices = []
        missed = np.array([each.n_missed for each in self.rankings])
        if not (missed == missed.round()).all():
            raise ValueError(
                "n_positives must be a whole number of positives for a bootstrap, which draws those that "
                f"were missed; got {missed.sum()} more than were found."
            )
        ends = self.n_found + missed.cumsum().astype(np.int64)
        for ranking, n_missed, end in zip(self.rankings, missed, ends, strict=True):
            rows, cells = ranking.rows, ranking.cells
            of_missed = np.arange(end - int(n_missed), end)
            unit = ranking.unit
            unit = np.arange(cells.cell.size) if unit is None else unit
            best_first = cells.n_cells - 1 - cells.cell
            cell = np.append(best_first, np.full_like(of_missed, cells.n_cells))
            weight = np.ones_like(unit) if rows.weight is None else rows.weight
            weights = np.append(weight, np.ones_like(of_missed))
            shape = ends[-1], cells.n_cells + 1
            places = np.append(unit, of_missed), cell
            matrices.append(csr_array((weights, places), shape=shape))
        return matrices

    def scores_of_counts(
        self, counts: IntArray, units: IntArray | None = None
    ) -> FloatArray:
        """Return the scores of samples with these counts of `units`; some may lose a
        ranking's positives.
        """
        scores, positives = np.empty((2, len(self.rankings), len(counts)))
        for i, (ranking, to_cells) in enumerate(
            zip(self.rankings, self._to_cells, strict=True)
        ):
            weight = counts @ (to_cells if units is None else to_cells[units])
            rankings = self._reweighted(ranking.rows, weight)
            values = self.definition.compute(rankings)
            positives[i] = rankings.n_positives
            scores[i] = np.where(positives[i] > 0, values, self.undefined)
        shares = positives if self.by_positives else 1.0 - np.isnan(scores)
        total = np.nansum(shares * scores, axis=0)
        share = shares.sum(axis=0)
        nothing = np.full(len(counts), nan)
        return np.asarray(
            np.divide(total, share, out=nothing, where=positives.sum(axis=0) > 0)
        )

    def _reweighted(self, rows: Rows, weight: AnyArray) -> Rankings:
        """Return a ranking with these weights of cells and, last, of missed positives:
        one per row of weights.
        """
        kernel = ReweightedKernel(weight[:, :-1])
        # Sums of weights would say nothing about their rounding.
        n_rows = kernel.total_weight
        weighted = None
        if rows.weight is not None:
            n_rows = np.full(len(weight), rows.weight.size)
            weighted = rows
        offsets = np.append(0, np.cumsum(n_rows)).astype(np.int64)
        found = kernel.found_weight
        rankings = Rankings(kernel, offsets, weighted, found, found + weight[:, -1])
        return at_prevalence(rankings, self.definition.prevalence)


def _sample_of_units(ranked: RankedUnits, **others: Any) -> Sample:
    """Return a sample of rankings with rows of the same units."""
    rankings, definition = ranked.rankings, ranked.definition
    n_units = ranked.n_found + sum(round(each.n_missed) for each in rankings)
    is_by_rows = rankings[0].unit is None
    return Sample(
        n_units=n_units,
        n_known_units=n_units if is_by_rows else ranked.n_found,
        n_positives=n_effective_of(ranked.found or rankings, ranked.n_found),
        noun="positives" if is_by_rows else Sample.noun,
        n_missed=sum(each.n_missed for each in rankings),
        prevalence=definition.prevalence,
        ranked=ranked,
        find_influences=ranked.influences if has_slopes(definition) else None,
        scores_of_counts=ranked.scores_of_counts,
        **others,
    )


def ranked_sample(
    call: ScoreCall, unit: IntArray | None, n_fixed_queries: int
) -> Sample:
    """Return the sample of rankings with rows of the same units."""
    score = call.score  # first, so that its errors come first
    _refuse_totals(call)
    if unit is not None and n_fixed_queries and call.is_mean:
        rankings = _rankings_of_queries(call, unit)
        n_fixed_queries = len(rankings)  # `n_positives` may name others
    else:
        rankings = _rankings_of_columns(call, unit)
    by_positives = call.average == "weighted"
    undefined = nan if by_positives else call.undefined
    # Without positives, rankings are left out or have the same score in every sample.
    rankings = [
        each for each in rankings if each.n_positives or not np.isnan(undefined)
    ]
    n_found = n_rows = len(call.checked.positive)
    # pooled rows and columns have units, too
    unit = rankings[0].unit if unit is None and rankings else unit
    if unit is not None:
        n_found = int(unit.max()) + 1
    ranked = RankedUnits(call.definition, rankings, n_found, by_positives, undefined)
    return _sample_of_units(
        ranked,
        score=score,
        # pooled columns have a row per cell
        n_rows=max(n_rows, ranked.found[0].rows.score.size),
        n_fixed_queries=n_fixed_queries,
        share=call.share_of_positives(sum(each.n_missed for each in rankings)),
        call=call,
    )


def counted_sample(definition: Definition, ranking: Rankings) -> Sample:
    """Return the sample of a single ranking of counts, whose rows may be gone."""
    n_rows = ranking.offsets.item(-1)
    found, n_positives = ranking.found_weight.item(), ranking.n_positives.item()
    at_share = at_prevalence(ranking, definition.prevalence)
    return _sample_of_units(
        RankedUnits(definition, [RankedCells.of_steps(ranking)], n_rows),
        score=definition.compute(at_share).item(),
        n_rows=n_rows,
        share=n_positives / (n_rows - found + n_positives) if n_rows > found else nan,
    )


def resampled(samples: Sequence[Sample], draws: Draws) -> FloatArray:
    """Return the scores of each model on the same bootstrap samples: a row per
    model.
    """
    size, functions = drawn_units(samples)
    groups = _drawn_groups(samples[0])
    counts = counts_of_cells(size, draws.n_resamples, draws.rng, groups)
    scores = [
        [scores_of_counts(each) for scores_of_counts in functions] for each in counts
    ]
    return np.concatenate(scores, axis=1)


def _drawn_groups(sample: Sample) -> list[IntArray] | None:
    """Return the units inside each fixed query; a sample draws as many as the query has.
    None if queries are drawn, or if units have rows in several of them.
    """
    groups = list(sample.units_of_queries)
    if sample.n_fixed_queries and sample.ranked is not None:
        groups = [np.diff(each.indptr).nonzero()[0] for each in sample.ranked._to_cells]
    units = np.concatenate(groups or [np.zeros(2, dtype=np.int64)])
    return groups if np.unique(units).size == units.size else None


def drawn_units(
    samples: Sequence[Sample],
) -> tuple[IntArray, list[Callable[..., FloatArray]]]:
    """Return how many units of each kind there are, and the scores of each model for
    counts of them.

    Rows that share their cells in all rankings are alike. Twenty positives among 20,000
    rows leave a few hundred pairs of cells of two models, which take a fiftieth of the
    time of rows.
    """
    functions: Any = [sample.scores_of_counts for sample in samples]
    plain = [each.ranked for each in samples if each.ranked and each.ranked.is_plain]
    # rows hardly share the cells of many models
    if len(plain) == len(samples) <= 2:
        kinds = [ranked.kinds for ranked in plain]
        shared = np.ravel_multi_index(kinds, [kind.max() + 1 for kind in kinds])
        _, units, size = np.unique(shared, return_index=True, return_counts=True)
        if size.size * _FULL <= shared.size:
            return size, [partial(function, units=units) for function in functions]
    return np.ones(samples[0].n_units, dtype=int), functions


def mean_sample(
    values: FloatArray,
    weight: FloatArray | None = None,
    unit: IntArray | None = None,
) -> Sample:
    """Return the sample of a mean over rankings; a ranking is a unit or part of one, as
    a query belongs to a user.
    """
    weight = np.ones(values.size) if weight is None else weight
    weight = weight / weight.max()
    of_units = sums_of_units(weight, unit)
    n_positives = n_equal(of_units)
    of_values = values - np.average(values, weights=weight)
    of_values *= weight / weight.sum()
    influences = sums_of_units(of_values, unit)

    def means_of_counts(counts: IntArray) -> FloatArray:
        of_values = counts if unit is None else counts[:, unit]
        weights = of_values * weight
        return np.asarray((weights * values).sum(axis=1) / weights.sum(axis=1))

    return Sample(
        score=float(np.average(values, weights=weight)),
        n_rows=values.size,
        n_units=of_units.size,
        n_known_units=of_units.size,
        n_positives=n_positives,
        noun="rankings to average",
        is_share=bool(((values >= 0) & (values <= 1)).all()),
        find_influences=partial(Influences, influences, facts=Facts(of_mean=True)),
        scores_of_counts=means_of_counts,
    )


def sample_of_mean(call: ScoreCall, unit: IntArray | None) -> Sample:
    """Return the sample of a mean over queries, or over the rows of a label matrix."""
    values, averaging = call.values
    values = np.where(averaging.has_positives, values, call.undefined)
    weight = np.ones(values.size) if averaging.weights is None else averaging.weights
    counted = ~np.isnan(values) & (weight > 0)
    if not counted.any():
        raise ValueError(
            "y_true must contain a positive in a ranking that counts in the mean."
        )
    if unit is not None:
        if call.checked.query is not None:
            names, query = distinct_queries(call.checked.query)
            if len(names) < values.size:
                raise ValueError(
                    "unit_id requires rows of each query that n_positives names; got "
                    f"{call.inputs.n_positives!r}."
                )
            _, first = np.unique(query, return_index=True)
            unit = unit[first]
        unit = np.unique(unit[counted], return_inverse=True)[1]
    return replace(
        mean_sample(values[counted], weight[counted], unit),
        score=call.score,
        n_rows=call.checked.positive.size,
        share=call.share_of_positives(0.0),
        prevalence=call.definition.prevalence,
        call=call,
    )


def row_sample(call: ScoreCall, unit: IntArray | None, n_fixed_queries: int) -> Sample:
    """Return the sample of a score that depends on each row: it is computed again from
    the rows of the drawn units, repeated as drawn.
    """
    score = call.score
    _refuse_totals(call)
    positive, _, _, _, query, *_ = call.checked
    # samples do not warn
    inputs = call.inputs._replace(zero_division=call.undefined)
    silent = replace(call, inputs=inputs)
    n_rows = len(positive)
    unit_of_rows = np.arange(n_rows) if unit is None else unit
    units_of_queries = list[IntArray]()
    if query is not None:
        queries = distinct_queries(query)[1]
        if n_fixed_queries:
            rows_of_queries = members_of(queries)
            units_of_queries = [np.unique(unit_of_rows[x]) for x in rows_of_queries]
        elif unit is None:
            unit_of_rows = queries
    has_positive = np.asarray(positive.reshape(n_rows, -1).any(axis=1))
    n_units = int(unit_of_rows.max()) + 1
    n_positives = float(np.unique(unit_of_rows[has_positive]).size)

    def score_of(count: IntArray) -> float:
        # As many copies of each row stay in order: "stable" ties keep it.
        rows = np.repeat(np.arange(n_rows), count)
        if not has_positive[rows].any():
            return nan
        # Queries are fixed here, or their rows are pooled: means over drawn queries are
        # `sample_of_mean`. A sample may lose the positives of a column, but not the column.
        return replace(silent, given=silent.given.take(rows)).score

    def scores_of_counts(counts: IntArray) -> FloatArray:
        return np.array([score_of(count.take(unit_of_rows)) for count in counts])

    return Sample(
        score=score,
        n_rows=n_rows,
        n_units=n_units,
        n_known_units=n_units,
        n_positives=n_positives,
        n_fixed_queries=n_fixed_queries,
        units_of_queries=units_of_queries,
        share=call.share_of_positives(0.0),
        prevalence=call.definition.prevalence,
        call=call,
        scores_of_counts=scores_of_counts,
    )


def unit_numbers(unit_id: ArrayLike, n_rows: int) -> IntArray:
    """Return the number of the unit of each row, in the order of their ids."""
    ids = read_numbered(unit_id, n_rows, name="unit_id")
    return np.asarray(distinct_queries(ids)[1], dtype=np.int64)


def members_of(group: IntArray) -> list[IntArray]:
    """Return the places of the members of each group."""
    return np.split(group.argsort(kind="stable"), np.cumsum(np.bincount(group))[:-1])

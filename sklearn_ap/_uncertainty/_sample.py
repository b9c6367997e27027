"""The units of a sample: how a score depends on each of them, and how to draw them
again.

A unit is a row, a cluster of rows, a query, or a row of a label matrix. A sample knows
what each unit does to the score (`influences`), and the score of any bootstrap sample
(`scores_of_counts`), in one of three ways: `RankedSample` for rankings whose rows
belong to units (one, the columns of a matrix, or fixed queries), `MeanSample` for means
over rankings that are units, and `RowSample` for cuts of weighted rows and orders of equal
scores, which depend on each row: the score is computed again from the rows of every
bootstrap sample.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Self

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from .._areas._hits import HITS, RECALL_AT_PRECISION
from .._areas._step import STEP
from .._definition import Definition
from .._ranking._cells import Cells, ReweightedKernel, cells_of, steps_of_cells
from .._ranking._cut import cut_depth
from .._ranking._prevalence import at_prevalence
from .._ranking._rankings import Rankings, Rows
from .._reading._options import is_real
from .._reading._queries import (
    distinct_queries,
    read_numbered,
)
from .._rounding import EQUAL
from .._typing import (
    AnyArray,
    BoolArray,
    FloatArray,
    IntArray,
)
from ._calls import ScoreCall
from ._ends import AtPrecision, Classes, Facts, mean_of
from ._influence import (
    Influences,
    Ranking,
    floor_of,
    influence_of_rows,
    missed_weight,
    n_effective_of,
    n_equal,
    sums_of_units,
)

SeedOrGenerator = int | RandomState | Generator | None  # of random numbers
# numbers in memory at a time: 1 MB, which fits the caches of most processors
_AT_ONCE = 2**17
# below so many rows per cell, drawing rows takes less time than drawing cells
# (measured)
_FULL = 3


def generator_of(random_state: SeedOrGenerator) -> Generator:
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


def read_n_resamples(n_resamples: object) -> int:
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
        self.n_resamples = read_n_resamples(n_resamples)
        self._rng = None if random_state is None else generator_of(random_state)

    @cached_property
    def rng(self) -> Generator:
        """The random numbers; to seed them by the system takes as long as a short
        score.
        """
        return generator_of(self._rng)


def batches(n_draws: int, width: int) -> Iterator[int]:
    """Yield how many draws of so many numbers to make at once, until there are
    `n_draws`.
    """
    at_once = max(_AT_ONCE // width, 1)
    for done in range(0, n_draws, at_once):
        yield min(at_once, n_draws - done)


def counts_of_cells(
    size: IntArray, n_resamples: int, rng: Generator
) -> Iterator[IntArray]:
    """Yield how many rows each bootstrap sample draws from cells of `size` rows: a row
    per sample.
    """
    n_rows = int(size.sum())
    for n_samples in batches(n_resamples, size.size):
        if (size == 1).all():  # to draw rows takes a fifth of the time
            row = rng.integers(n_rows, size=(n_samples, n_rows))
            row += n_rows * np.arange(n_samples)[:, np.newaxis]
            yield np.bincount(row.ravel(), minlength=row.size).reshape(row.shape)
        else:
            yield rng.multinomial(n_rows, size / n_rows, size=n_samples)


class Sample(ABC):
    """Units that were drawn, and a score of them.

    Parameters
    ----------
    score : float
        The score of this sample.

    call : ScoreCall or None
        The call that was read; None of a mean of given values.

    n_rows : int
        Number of rows that the score adds up, and rounds.

    n_units : int
        Number of units; each missed positive is one.

    n_positives : float
        How many units of equal weight the positives count for; of a mean, how many
        units count.

    fewest : float, default=None
        The same of the column that has the fewest.

    n_missed : ndarray, default=()
        Positives without a row, of each ranking.

    noun : str
        What `n_positives` counts.
    """

    has_influences: bool = False
    is_single: bool = False  # whether this is a single ranking
    # whether it is a single ranking, and its rows are the units
    has_row_units: bool = False
    is_plain: bool = False  # whether these rows also have equal weights
    # equal units that would contain the negatives of a ranking with `unit_id`
    n_negative_units: float = np.inf
    n_fixed_queries: int = 0  # the same queries in every sample, while units are drawn
    n_maxima: int = 0  # rankings whose best precisions at recall levels are averaged

    def __init__(
        self,
        score: float,
        call: ScoreCall | None,
        n_rows: int,
        n_units: int,
        n_positives: float,
        *,
        fewest: float | None = None,
        n_missed: FloatArray | tuple[()] = (),
        noun: str = "units that contain a positive",
    ) -> None:
        self.score = score
        self.call = call
        self._cut = None if call is None else call.cut
        self.is_cut_area = self._cut is not None and self._cut.area.slopes is not None
        self.n_rows, self.n_units, self.n_positives = n_rows, n_units, n_positives
        # Those that the caller knows: a missed object is not an image.
        self.n_known_units = n_units
        self.n_missed = float(np.sum(n_missed))
        self.is_whole = bool(np.equal(n_missed, np.round(n_missed)).all())
        self.fewest, self.noun = n_positives if fewest is None else fewest, noun

    @property
    def heavy_negatives(self) -> float:
        """Effective number of negatives: how many of equal weight would leave the score
        as uncertain as the heavy ones do.
        """
        if not self.has_influences:
            return np.inf
        return self.influences().facts.df_of_negatives + 1

    @property
    def perfect(self) -> tuple[Classes, ...] | float:
        """Facts about a sample that scores 1: its rankings or, of a mean, how many units
        score 1.
        """
        return ()

    @property
    def is_share(self) -> bool:
        """Whether the score lies from 0 to 1, so that no difference is beyond 1."""
        return self.call is not None

    def share_of(self) -> tuple[float, float]:
        """Return two numbers that both contain the hits above a cut: the divisor of the
        score, which is rows or positives, and the other of these.
        """
        if self._cut is None or not (self.is_cut_area or self._cut.area is HITS):
            return np.nan, np.nan
        depth = n_positives = self.n_positives + self.n_missed  # R-precision has no k
        if self._cut.k is not None:
            depth = float(cut_depth(np.array([self.n_rows]), self._cut.k)[0])
        if self.is_cut_area:
            return (min(depth, n_positives),) * 2
        return (
            (depth, n_positives)
            if self._cut.normalizer == "k"
            else (n_positives, depth)
        )

    def missed(self) -> float:
        """Return half the weight of a heavy positive that the sample may lack, over the
        weight of positives that divides a score at a cut.
        """
        cut = self._cut
        if (
            self.call is None
            or cut is None
            or cut.k is None
            or cut.normalizer != "n_positives"
        ):
            return 0.0
        positive, score, _, weight, *_ = self.call.checked
        return missed_weight(
            single_ranking(positive, score, weight), cells_of(positive, score)
        )

    def facts_of_percentiles(self) -> Facts:
        """Return what an interval needs besides the scores of bootstrap samples."""
        divisor, other = self.share_of()
        return Facts(
            is_cut_area=self.is_cut_area,
            divisor=divisor,
            other=other,
            missed=self.missed(),
        )

    def influences(self) -> Influences:
        """Return what each unit does to the score, or refuse scores that jump where
        rows change places.
        """
        raise ValueError(
            "method='influence' needs a score with influence values: the area of a whole ranking, or a mean "
            "over queries or samples; use method='percentile'."
        )

    @abstractmethod
    def scores_of_counts(self, counts: IntArray) -> FloatArray:
        """Return the scores of bootstrap samples with these `counts` of units; NaN
        without positives.
        """


def _rankings_of_columns(call: ScoreCall, unit: IntArray | None) -> list[Ranking]:
    """Return a single ranking of all rows, or the columns of a matrix."""
    positive, y_score, weight, missed = *call.checked[:2], call.checked.weight, 0.0
    if call.inputs.n_positives is not None:
        if positive.ndim == 2 or call.checked.query is not None:
            raise ValueError(
                "n_positives must be left out where rows of a matrix or pooled queries are the units: nobody "
                f"knows whose positives were missed; got {call.inputs.n_positives!r}."
            )
        missed = call.rankings()[0].n_positives.item() - np.count_nonzero(positive)
    if call.checked.query is not None and unit is None:  # pooled: queries are the units
        unit = distinct_queries(call.checked.query)[1]
    # row by row, units one after the other
    if positive.ndim == 2 and call.average == "micro":
        n_rows, n_columns = positive.shape
        unit = np.repeat(np.arange(n_rows) if unit is None else unit, n_columns)
        weight = None if weight is None else np.repeat(weight, n_columns)
        positive = positive.reshape(-1)
        y_score = y_score.reshape(-1)
    columns = [(positive, y_score)]
    if positive.ndim == 2:
        columns = [
            *zip(
                np.ascontiguousarray(positive.T),
                np.ascontiguousarray(y_score.T),
                strict=True,
            )
        ]
    return [
        Ranking(single_ranking(*column, weight), unit, missed) for column in columns
    ]


def _rankings_of_queries(call: ScoreCall, unit: IntArray) -> list[Ranking]:
    """Return the ranking of each query, which has rows, positives that were missed, or
    both.
    """
    checked, rankings = call.checked, list[Ranking]()
    totals: Any = call.totals  # by query, if there are any
    assert checked.query is not None, call.average
    names, query = distinct_queries(checked.query)
    rows_of_queries = dict.fromkeys(totals or (), np.zeros(0, dtype=np.int64))
    rows_of_queries |= dict(zip(names, members_of(query), strict=True))
    for name, rows in rows_of_queries.items():
        positive, score, _, weight, *_ = checked.take(rows)
        missed = max(totals[name] - np.count_nonzero(positive), 0.0) if totals else 0.0
        in_mean = 1.0 if checked.query_weight is None else checked.query_weight[name]
        rankings.append(
            Ranking(
                single_ranking(positive, score, weight), unit[rows], missed, in_mean
            )
        )
    return rankings


class RankedSample(Sample):
    """Rankings with rows of the same units: one, the columns of a matrix, or queries
    that are fixed.
    """

    def __init__(
        self,
        score: float,
        call: ScoreCall,
        unit: IntArray | None,
        n_fixed_queries: int = 0,
    ) -> None:
        if unit is not None and n_fixed_queries and call.is_mean:
            rankings = _rankings_of_queries(call, unit)
            n_fixed_queries = len(rankings)  # `n_positives` may name others
        else:
            rankings = _rankings_of_columns(call, unit)
        if call.inputs.n_positives is not None and call.checked.weight is not None:
            raise ValueError(
                "n_positives with weights that differ leaves open what missed positives weigh; "
                f"got {call.inputs.n_positives!r}. Leave one of them out."
            )
        self._definition = call.definition
        self._by_positives = call.average == "weighted"
        self._undefined = np.nan if self._by_positives else call.undefined
        self.n_fixed_queries = n_fixed_queries
        # Without positives, rankings are left out or have the same score in every
        # sample.
        is_defined = not np.isnan(self._undefined)
        rankings = [
            each
            for each in rankings
            if each.weight and (is_defined or each.n_positives)
        ]
        found = [each for each in rankings if each.rows.positive.any()]
        if not found:
            raise ValueError(
                "y_true must contain a positive in a ranking that counts in the mean."
            )
        unit = found[0].unit if unit is None else unit
        n_rows = len(call.checked.positive)
        self._rankings = rankings
        self._n_found = n_rows if unit is None else int(unit.max()) + 1
        super().__init__(
            score,
            call,
            max(n_rows, found[0].rows.score.size),  # pooled columns have a row per cell
            self._n_found + sum(round(ranking.n_missed) for ranking in rankings),
            n_effective_of(found, self._n_found),
            fewest=min(n_effective_of([ranking], self._n_found) for ranking in found)
            if found[1:]
            else None,
            n_missed=np.array([ranking.n_missed for ranking in rankings]),
            noun="positives" if unit is None else "units that contain a positive",
        )
        if unit is not None:
            self.n_known_units = self._n_found
        self.has_influences = call.has_slopes
        self.is_single = len(rankings) == 1
        self._has_levels = (
            not self._definition.reads_all_recalls and self._definition.cut is None
        )
        self.n_maxima = len(rankings) * (self._has_levels and not self.is_single)
        self.has_row_units = self.is_single and unit is None
        self.is_plain = self.has_row_units and call.checked.weight is None
        is_area = self.is_single and self.has_influences
        if is_area and unit is not None and not found[0].rows.positive.all():
            self.n_negative_units = self._classes_of(found[0])[3]

    @cached_property
    def _cells(self) -> list[Cells]:
        return [
            cells_of(ranking.rows.positive, ranking.rows.score)
            for ranking in self._rankings
        ]

    @cached_property
    def _to_cells(self) -> list[csr_array]:
        """Matrices of the rows that each unit has in the cells of each ranking, best
        first, and then among its missed positives.
        """
        matrices, n_units = [], self._n_found
        for ranking, cells in zip(self._rankings, self._cells, strict=True):
            missed = np.arange(n_units, n_units + round(ranking.n_missed))
            n_units += missed.size
            unit = np.arange(cells.cell.size) if ranking.unit is None else ranking.unit
            cell = np.append(
                cells.n_cells - 1 - cells.cell, np.full_like(missed, cells.n_cells)
            )
            places = np.append(unit, missed), cell
            weight = (
                np.ones_like(unit)
                if ranking.rows.weight is None
                else ranking.rows.weight
            )
            shape = self.n_units, cells.n_cells + 1
            matrices.append(
                csr_array(
                    (np.append(weight, np.ones_like(missed)), places), shape=shape
                )
            )
        return matrices

    def floor(self, facts: Facts) -> Self | None:
        """Return the sample of another number whose lower end is a bound, if any."""
        below = floor_of(self._definition, facts)
        return None if below is None else self._defined_by(below)

    def at_level(self, level: float) -> float:
        """Return the same number at a single level."""
        sample = copy(self)
        sample._definition = replace(self._definition, grid=np.array([level]))
        once = np.ones((1, self.n_units), dtype=int)
        return float(sample.scores_of_counts(once)[0])

    @property
    def n_levels(self) -> int:
        """Number of equally spaced recall levels; 0 for other levels."""
        grid = self._definition.grid
        return grid if isinstance(grid, int) else 0

    def _defined_by(self, definition: Definition) -> Self:
        """Return the same rankings with an area of all recalls."""
        sample = copy(self)
        for name in ("_parts", "influences_of_rows", "_influences", "known_bias"):
            vars(sample).pop(name, None)
        sample._definition, sample.has_influences = definition, True
        scores, shares, _ = sample._parts
        sample.score = float(shares.dot(scores))
        return sample

    def share_of(self) -> tuple[float, float]:
        """Return the two numbers of the base class; precision at a recall is the hits
        at this recall divided by the rows above it.
        """
        definition = self._definition
        is_precision = (
            definition.area.slopes is not None and definition.prevalence is None
        )
        if definition.level is None or not (
            is_precision and self.is_plain and self.score
        ):
            return super().share_of()
        hits = max(
            np.ceil(
                definition.level * (self.n_positives + self.n_missed) * (1 - EQUAL)
            ),
            1.0,
        )
        return (float(hits) / self.score,) * 2

    def facts_of_percentiles(self) -> Facts:
        """Return the facts of the base class, with those about recall levels."""
        return (
            super()
            .facts_of_percentiles()
            ._replace(has_levels=self._has_levels, at_precision=self._at_precision())
        )

    def _at_precision(self) -> AtPrecision | None:
        """Return the steps, if recall is read at a precision."""
        ranking, level = self._rankings[0], self._definition.level
        is_this = self._definition.area is RECALL_AT_PRECISION and self.is_single
        if level is None or not is_this or ranking.rows.positive.all():
            return None
        weight = self._cells[0].sums(ranking.rows.weight)
        steps = steps_of_cells(weight)
        classes = self._classes_of(ranking)
        fallout = (steps.retrieved - steps.tp) / (weight.sum() - classes[0])
        return AtPrecision(
            level, steps.tp / classes[0], fallout, classes, self.n_missed
        )

    @cached_property
    def _parts(self) -> tuple[FloatArray, FloatArray, tuple[Influences, ...]]:
        """The score of each ranking, its share in the mean, and what its rows do to its
        score, per weight.
        """
        parts_of = map(
            partial(influence_of_rows, self._definition), self._rankings, self._cells
        )
        scores, parts = zip(*parts_of, strict=True)
        weights = np.array([each.weight for each in self._rankings])
        if self._by_positives:
            weights *= [each.n_positives for each in self._rankings]
        return np.array(scores), weights / weights.sum(), parts

    @cached_property
    def influences_of_rows(self) -> list[Influences]:
        """Influence of each row of each ranking on the mean, per weight."""
        (scores, shares, parts), moved = self._parts, np.zeros(len(self._rankings))
        if self._by_positives:  # each positive also moves the shares
            moved = (
                shares
                * (scores - shares.dot(scores))
                / [each.n_positives for each in self._rankings]
            )
        return [
            Influences(
                share * part.of_units + more * each.rows.positive,
                share * part.of_missed + more,
            )
            for each, share, part, more in zip(
                self._rankings, shares, parts, moved, strict=True
            )
        ]

    @cached_property
    def _influences(self) -> Influences:
        (scores, shares, parts), rankings = self._parts, self._rankings
        of_units: Any = sum(
            each.of_units
            for each in map(self._by_unit, self.influences_of_rows, rankings)
        )
        of_each = list(map(self._facts_of, parts, rankings, self._cells, scores))
        facts = mean_of(of_each, shares, self.score)
        facts = facts._replace(known_bias=self.known_bias)
        is_known = not self._by_positives and self._definition.prevalence is None
        if is_known and rankings[0].unit is None:
            bias = float(shares.dot([each.bias for each in of_each]))
            facts = facts._replace(bias=bias)
        of_missed = np.array([part.of_missed for part in self.influences_of_rows])
        n_missed = np.array([each.n_missed for each in rankings])
        return Influences(of_units, of_missed, n_missed, facts)

    def _facts_of(
        self, part: Influences, ranking: Ranking, cells: Cells, score: float
    ) -> Facts:
        """Return the facts of a ranking; its variance is needed where there is a
        rise.
        """
        of_units = self._by_unit(part, ranking) if part.facts.rise else part
        return of_units.moments()._replace(
            score=score, missed=missed_weight(ranking.rows, cells)
        )

    @cached_property
    def known_bias(self) -> float:
        """The known part of the bias of a mean of rankings; 0 for a single one."""
        if self.is_single:
            return 0.0
        parts = self._parts[2]
        if self._definition.area.curvature is None:
            parts = self._defined_by(replace(self._definition, area=STEP))._parts[2]
        biases = [part.facts.bias for part in parts]
        return float(self._parts[1].dot(biases))

    @property
    def heavy_negatives_of_each(self) -> float:
        """The same of one of several rankings, on harmonic average."""
        dfs = np.array([part.facts.df_of_negatives for part in self._parts[2]])
        return 1 + 1 / max(float((1 / dfs[dfs > 0]).mean()), EQUAL)

    def _by_unit(self, influences: Influences, ranking: Ranking) -> Influences:
        """Return what each unit does, from what each row of a ranking does per
        weight.
        """
        of_rows, weight = influences.of_units, ranking.rows.weight
        of_rows = of_rows if weight is None else of_rows * weight
        return influences._replace(
            of_units=sums_of_units(of_rows, ranking.unit, self._n_found)
        )

    def influences(self) -> Influences:
        """Return what each unit does to the score."""
        return self._influences if self.has_influences else super().influences()

    @property
    def perfect(self) -> tuple[Classes, ...]:
        """Rankings of a sample that scores 1."""
        defined = [ranking for ranking in self._rankings if ranking.rows.positive.any()]
        if any(ranking.rows.positive.all() for ranking in defined):  # without negatives
            return ()
        return tuple(map(self._classes_of, defined))

    def _classes_of(self, ranking: Ranking) -> Classes:
        """Return the weight of the positives, how many equal units would contain it,
        and both again.
        """
        rows = ranking.rows
        reverse = ranking._replace(rows=rows._replace(positive=~rows.positive))
        positives, negatives = (
            float(each.weights_of_positives.sum()) for each in (ranking, reverse)
        )
        if self._definition.prevalence is not None:
            negatives = positives * (1 / self._definition.prevalence - 1)
        n_positives, n_negatives = (
            n_effective_of([each], self._n_found) for each in (ranking, reverse)
        )
        return positives, n_positives, negatives, n_negatives

    def scores_of_counts(
        self, counts: IntArray, units: IntArray | None = None
    ) -> FloatArray:
        """Return the scores of samples with these counts of `units`; some may lose a
        ranking's positives.
        """
        scores, positives = np.empty((2, len(self._rankings), len(counts)))
        for i, (ranking, to_cells) in enumerate(
            zip(self._rankings, self._to_cells, strict=True)
        ):
            weight = counts @ (to_cells if units is None else to_cells[units])
            scores[i], positives[i] = self._scores_of_ranking(
                ranking.rows, weight[:, :-1], weight[:, -1]
            )
        # rankings that lost all positives
        scores = np.where(np.isnan(scores), self._undefined, scores)
        shares = positives if self._by_positives else 1.0 - np.isnan(scores)
        shares = shares * np.array([[ranking.weight] for ranking in self._rankings])
        total = np.where(shares > 0, shares * scores, 0.0).sum(axis=0)
        share = shares.sum(axis=0)
        nothing = np.full(len(counts), np.nan)
        return np.asarray(
            np.divide(total, share, out=nothing, where=positives.sum(axis=0) > 0)
        )

    def _scores_of_ranking(
        self, ranking: Rows, weight: AnyArray, missed: AnyArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the scores of one ranking with these weights of cells, and the weight
        of its positives.
        """
        kernel = ReweightedKernel(weight)
        # Sums of weights would say nothing about their rounding.
        n_rows = (
            kernel.total_weight
            if ranking.weight is None
            else np.full(len(weight), ranking.weight.size)
        )
        offsets = np.append(0, np.cumsum(n_rows)).astype(np.int64)
        weighted = None if ranking.weight is None else ranking
        rankings = Rankings(
            kernel, offsets, weighted, kernel.found_weight, kernel.found_weight + missed
        )
        rankings = at_prevalence(rankings, self._definition.prevalence)
        positives = rankings.n_positives
        return np.where(
            positives > 0, self._definition.compute(rankings), np.nan
        ), positives

    @property
    def kinds(self) -> IntArray:
        """The cell of each row, or that of missed positives: rows of equal weight in a
        cell are alike.
        """
        [cells] = self._cells
        return np.append(
            cells.cell, np.full(self.n_units - cells.cell.size, cells.n_cells)
        )


def resampled(samples: Sequence[Sample], draws: Draws) -> FloatArray:
    """Return the scores of each model on the same bootstrap samples: a row per
    model.
    """
    size, functions = drawn_units(samples)
    counts = counts_of_cells(size, draws.n_resamples, draws.rng)
    scores = [
        [scores_of_counts(each) for scores_of_counts in functions] for each in counts
    ]
    return np.concatenate(scores, axis=1)


def drawn_units(
    samples: Sequence[Sample],
) -> tuple[IntArray, list[Callable[[IntArray], FloatArray]]]:
    """Return how many units of each kind there are, and the scores of each model for
    counts of them.

    Rows that share their cells in all rankings are alike. Twenty positives among 20,000
    rows leave a few hundred pairs of cells of two models, which take a fiftieth of the
    time of rows.
    """
    if not samples[0].is_whole:
        raise ValueError(
            "n_positives must be a whole number of positives for a bootstrap, which draws those that "
            f"were missed; got {samples[0].n_missed} more than were found."
        )
    plain = [
        sample
        for sample in samples
        if isinstance(sample, RankedSample) and sample.is_plain
    ]
    if len(plain) == len(samples) <= 2:  # rows hardly share the cells of many models
        kinds = [sample.kinds for sample in plain]
        shared = np.ravel_multi_index(kinds, [kind.max() + 1 for kind in kinds])
        _, units, size = np.unique(shared, return_index=True, return_counts=True)
        if size.size * _FULL <= shared.size:
            return size, [
                partial(sample.scores_of_counts, units=units) for sample in plain
            ]
    return np.ones(samples[0].n_units, dtype=int), [
        sample.scores_of_counts for sample in samples
    ]


class MeanSample(Sample):
    """The mean over rankings; a ranking is a unit or part of one, as a query belongs to
    a user.
    """

    has_influences = True

    def __init__(
        self,
        score: float,
        values: FloatArray,
        weight: FloatArray,
        unit: IntArray | None,
        n_rows: int,
    ) -> None:
        self._values, self._unit, self._weight = values, unit, weight / weight.max()
        of_units = sums_of_units(self._weight, unit)
        super().__init__(
            score,
            None,
            n_rows,
            of_units.size,
            n_equal(of_units),
            noun="rankings to average",
        )

    @classmethod
    def of_call(cls, score: float, call: ScoreCall, unit: IntArray | None) -> Self:
        """Return the sample of a mean over queries, or over the rows of a label
        matrix.
        """
        rankings, averaging = call.rankings()
        values = np.where(
            averaging.defined, call.definition.compute(rankings), call.undefined
        )
        weight = (
            np.ones(values.size) if averaging.weights is None else averaging.weights
        )
        counted = ~np.isnan(values) & (weight > 0)
        if not counted.any():
            raise ValueError(
                "y_true must contain a positive in a ranking that counts in the mean."
            )
        if unit is not None:
            unit = np.unique(
                call.units_of_rankings(unit, values.size)[counted], return_inverse=True
            )[1]
        sample = cls(
            score, values[counted], weight[counted], unit, call.checked.positive.size
        )
        sample.call = call
        return sample

    def influences(self) -> Influences:
        """Return what each unit does to the mean."""
        of_values = self._values - np.average(self._values, weights=self._weight)
        of_values *= self._weight / self._weight.sum()
        return Influences(
            sums_of_units(of_values, self._unit), facts=Facts(of_mean=True)
        )

    @property
    def perfect(self) -> float:
        """Number of units of a mean of 1, which all score 1."""
        return self.n_positives

    @property
    def is_share(self) -> bool:
        """Whether all values lie from 0 to 1."""
        return bool(((self._values >= 0) & (self._values <= 1)).all())

    def scores_of_counts(self, counts: IntArray) -> FloatArray:
        """Return the means of bootstrap samples."""
        weight = (
            counts if self._unit is None else counts[:, self._unit]
        ) * self._weight
        return np.asarray((weight * self._values).sum(axis=1) / weight.sum(axis=1))


class RowSample(Sample):
    """A sample of a score that depends on each row: it is computed again from the rows
    of the drawn units, repeated as drawn.
    """

    def __init__(self, score: float, call: ScoreCall, unit: IntArray | None) -> None:
        if call.inputs.n_positives is not None:
            raise ValueError(
                f"n_positives must be left out for this score; got {call.inputs.n_positives!r}: missed "
                "positives have no rows that could be drawn."
            )
        positive, _, _, _, query, *_ = call.checked
        n_rows = len(positive)
        if unit is None:
            unit = np.arange(n_rows) if query is None else distinct_queries(query)[1]
        self._call, self._unit = call, unit
        self._has_positive = positive.reshape(n_rows, -1).any(axis=1)
        n_positives = np.count_nonzero(np.bincount(unit[self._has_positive]))
        super().__init__(score, call, n_rows, int(unit.max()) + 1, float(n_positives))

    def scores_of_counts(self, counts: IntArray) -> FloatArray:
        """Return the scores of bootstrap samples."""
        return np.array([self._score_of(count.take(self._unit)) for count in counts])

    def _score_of(self, count: IntArray) -> float:
        """Return the score of as many copies of each row, which stay in order: "stable"
        ties keep it.
        """
        rows = np.repeat(np.arange(count.size), count)
        if not self._has_positive[rows].any():
            return np.nan
        # Queries are fixed here, or their rows are pooled: means over drawn queries are
        # `MeanSample`. A sample may lose the positives of a column, but not the column.
        call = self._call._replace(checked=self._call.checked.take(rows))
        rankings, averaging = call.rankings()
        values = call.definition.compute(rankings)
        mean: Any = averaging.average(
            values, zero_division=call.undefined, caller="", reference=None
        )
        return float(mean)


def unit_numbers(name: str, ids: ArrayLike, n_rows: int) -> IntArray:
    """Return the number of the unit of each row, in the order of their ids."""
    return np.asarray(
        distinct_queries(read_numbered(ids, n_rows, name=name))[1], dtype=np.int64
    )


def members_of(group: IntArray) -> list[IntArray]:
    """Return the places of the members of each group."""
    return np.split(group.argsort(kind="stable"), np.cumsum(np.bincount(group))[:-1])


def single_ranking(
    positive: BoolArray, score: AnyArray, weight: FloatArray | None
) -> Rows:
    """Return the rows of a single ranking."""
    return Rows(positive, score, weight, np.array((0, score.size)))

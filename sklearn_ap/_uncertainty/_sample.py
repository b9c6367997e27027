"""The units of a sample: how a score depends on each of them, and how to draw them
again.

A unit is a row, a cluster of rows, a query, or a row of a label matrix. A sample knows
what each unit does to the score (`influences`), and the score of any bootstrap sample
(`scores_of_counts`), in one of three ways: `RankedSample` for rankings whose rows
belong to units (one, the columns of a matrix, or fixed queries), `MeanSample` for means
over rankings that are units, and `RowSample` for cuts of weighted rows and orders of equal
scores, which depend on each row: the score is computed again from the rows of every
bootstrap sample. `CountedSample` knows the steps of a single ranking alone, and has
influences only.
"""

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
from .._ranking._cells import ReweightedKernel, steps_of_cells
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
    has_slopes,
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


class Sample:
    """Units that were drawn, and a score of them."""

    score: float
    n_rows: int  # that the score adds up, and rounds
    n_units: int  # each missed positive is one
    n_known_units: int  # those that the caller knows: a missed object is not an image
    # How many units of equal weight the positives count for; of a mean, how many units
    # count. The fewest are those of the column that has the fewest.
    n_positives: float
    fewest: float
    noun = "units that contain a positive"  # what `n_positives` counts
    call: ScoreCall | None = None  # that was read; None of given values or counts
    has_influences = False
    is_single = False  # whether this is a single ranking
    is_plain = False  # whether rows of equal weight, in a single ranking, are the units
    # rows, or pairs of cells, that the bootstrap of a pair draws, if rows are the units
    n_drawn: float = np.inf
    is_share = True  # whether all values lie from 0 to 1, and so does a difference
    n_missed = 0.0  # positives without a row
    is_whole = True  # whether each ranking misses a whole number
    # equal units that would contain the negatives of a ranking with `unit_id`
    n_negative_units = np.inf
    n_fixed_queries = 0  # the same queries in every sample, while units are drawn

    @property
    def heavy_negatives(self) -> float:
        """Effective number of negatives: how many of equal weight would leave the score
        as uncertain as the heavy ones do.
        """
        if not self.has_influences:
            return np.inf
        return self.influences.facts.df_of_negatives + 1

    @cached_property
    def facts(self) -> Facts:
        """What influences say of the score."""
        return self.influences.moments()

    def perfect(self) -> tuple[Classes, ...] | float:
        """Return the facts of a sample that scores 1: its rankings or, of a mean, how
        many units score 1.
        """
        return self.n_positives

    def facts_of_percentiles(self) -> Facts:
        """Return what an interval needs besides the scores of bootstrap samples."""
        call = self.call
        if call is None or call.is_mean or call.checked.positive.ndim > 1:
            return Facts()
        cut = call.definition
        if cut.cut is None:
            return Facts()
        missed, divisor, other = 0.0, np.nan, np.nan
        # Two numbers contain the hits: the divisor, which is rows or positives, and the
        # other of these.
        depth = n_positives = self.n_positives + self.n_missed  # R-precision has no k
        if cut.k is not None:
            depth = float(cut_depth(np.array([self.n_rows]), cut.k)[0])
            if cut.normalizer == "n_positives":
                positive, score, _, weight, *_ = call.checked
                missed = missed_weight(Ranking.of_columns(positive, score, weight))
        is_area = cut.area.slopes is not None
        if is_area:
            divisor = other = min(depth, n_positives)
        elif cut.area is HITS:
            divisor, other = n_positives, depth
            if cut.normalizer == "k":
                divisor, other = depth, n_positives
        return Facts(is_cut_area=is_area, divisor=divisor, other=other, missed=missed)

    @cached_property
    def influences(self) -> Influences:
        """What each unit does to the score; scores that jump where rows change places
        are refused.
        """
        assert self.call is not None, self.score
        raise ValueError(
            "score_func must be the area of a whole ranking, or a mean over queries or samples, for a sample "
            f"size or method='influence'; got {self.call.name}, which has method='percentile' alone."
        )

    def scores_of_counts(self, counts: IntArray) -> FloatArray:
        """Return the scores of bootstrap samples with these `counts` of units; NaN
        without positives.
        """
        raise NotImplementedError


def _refuse_totals(call: ScoreCall) -> None:
    """Refuse totals of positives if their effect on the score is unknown."""
    positive, _, _, weight, query, *_ = call.checked
    is_pooled = positive.ndim == 2 or (query is not None and not call.is_mean)
    is_known = weight is None and call.fits_cells and not is_pooled
    if not is_known and call.inputs.n_positives is not None:
        raise ValueError(
            "n_positives requires equal weights, no order of equal scores, and a single ranking or a mean "
            "over queries, since missed positives have no known weight, rank or unit; got "
            f"{call.inputs.n_positives!r}."
        )


def _rankings_of_columns(call: ScoreCall, unit: IntArray | None) -> list[Ranking]:
    """Return a single ranking of all rows, or the columns of a matrix."""
    positive, y_score, _, weight, query, *_ = call.checked
    totals: Any = call.totals
    n_positives = 0.0 if totals is None else totals.item() / call.scale
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
    return [Ranking.of_columns(*column, weight, unit, missed) for column in columns]


def _rankings_of_queries(call: ScoreCall, unit: IntArray) -> list[Ranking]:
    """Return the ranking of each query, which has rows, positives that were missed, or
    both.
    """
    checked, rankings = call.checked, list[Ranking]()
    totals: Any = call.totals or {}  # by query
    assert checked.query is not None, call.average
    names, query = distinct_queries(checked.query)
    rows_of_queries = dict.fromkeys(totals, np.zeros(0, dtype=np.int64))
    rows_of_queries |= dict(zip(names, members_of(query), strict=True))
    for name, rows in rows_of_queries.items():
        positive, score, _, weight, *_ = checked.take(rows)
        n_positives = totals.get(name, 0.0) / call.scale
        missed = max(n_positives - np.count_nonzero(positive), 0.0)
        in_mean = 1.0 if checked.query_weight is None else checked.query_weight[name]
        rankings.append(
            Ranking.of_columns(positive, score, weight, unit[rows], missed, in_mean)
        )
    return rankings


class RankedSample(Sample):
    """Rankings with rows of the same units: one, the columns of a matrix, or queries
    that are fixed.
    """

    _by_positives = False  # whether rankings count by their positives in the mean
    _n_found = 0  # units that have rows

    def __init__(
        self, call: ScoreCall, unit: IntArray | None, n_fixed_queries: int = 0
    ) -> None:
        self.score = call.score  # first, so that its errors come first
        _refuse_totals(call)
        if unit is not None and n_fixed_queries and call.is_mean:
            rankings = _rankings_of_queries(call, unit)
            n_fixed_queries = len(rankings)  # `n_positives` may name others
        else:
            rankings = _rankings_of_columns(call, unit)
        self.call = call
        self.n_fixed_queries = n_fixed_queries
        self._by_positives = call.average == "weighted"
        self._undefined = np.nan if self._by_positives else call.undefined
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
        # pooled columns have a row per cell
        self.n_rows = max(n_rows, found[0].rows.score.size)
        self._n_found = n_rows if unit is None else int(unit.max()) + 1
        n_missed = np.array([ranking.n_missed for ranking in rankings])
        self.n_missed = float(n_missed.sum())
        self.is_whole = bool((n_missed == n_missed.round()).all())
        self.n_units = self._n_found + int(n_missed.round().sum())
        self.n_known_units = self.n_units if unit is None else self._n_found
        self.n_positives = self.fewest = n_effective_of(found, self._n_found)
        if found[1:]:
            self.fewest = min(n_effective_of([each], self._n_found) for each in found)
        self.n_rankings = len(rankings)
        self.is_single = self.n_rankings == 1
        self._rankings = rankings
        self._define(call.definition)
        if unit is None:
            self.noun = "positives"
            self.is_plain = self.is_single and call.checked.weight is None
            if self.is_plain:
                # a ranking has 3 P + 1 cells
                self.n_drawn = min(n_rows, (3 * self.n_positives + 1) ** 2)
            elif self.is_single:
                self.n_drawn = n_rows
        elif (
            self.is_single and self.has_influences and not found[0].rows.positive.all()
        ):
            self.n_negative_units = found[0].classes(None, self._n_found)[3]

    def _define(self, definition: Definition) -> None:
        """Set the definition of the score."""
        self.definition = definition
        self.has_influences = has_slopes(definition)
        self.has_levels = definition.grid is not None and definition.cut is None

    def defined_by(self, definition: Definition) -> Self:
        """Return the same rankings with another number."""
        sample = copy(self)
        for name in ("facts", "_parts", "influences"):
            vars(sample).pop(name, None)
        sample._define(definition)
        if sample.has_influences:
            sample.score = float(sample._shares.dot(sample._scores))
        return sample

    @cached_property
    def _to_cells(self) -> list[csr_array]:
        """Matrices of the rows that each unit has in the cells of each ranking, best
        first, and then among its missed positives.
        """
        matrices, n_units = [], self._n_found
        for rows, cells, of_rows, n_missed, *_ in self._rankings:
            missed = np.arange(n_units, n_units + round(n_missed))
            n_units += missed.size
            unit = np.arange(cells.cell.size) if of_rows is None else of_rows
            best_first = cells.n_cells - 1 - cells.cell
            cell = np.append(best_first, np.full_like(missed, cells.n_cells))
            weight = np.ones_like(unit) if rows.weight is None else rows.weight
            weights = np.append(weight, np.ones_like(missed))
            places = np.append(unit, missed), cell
            shape = self.n_units, cells.n_cells + 1
            matrices.append(csr_array((weights, places), shape=shape))
        return matrices

    def facts_of_percentiles(self) -> Facts:
        """Return the facts of the base class, with those of recall levels, or of recall
        at a precision.
        """
        facts = super().facts_of_percentiles()._replace(has_levels=self.has_levels)
        area, level = self.definition.area, self.definition.level
        if level is None or not self.is_single:
            return facts
        is_precision = area.slopes is not None and self.definition.prevalence is None
        if is_precision and self.is_plain and self.score:
            # the hits at a recall are divided by the rows above it
            n_positives = self.n_positives + self.n_missed
            hits = max(np.ceil(level * n_positives * (1 - EQUAL)), 1.0)
            divisor = float(hits) / self.score
            facts = facts._replace(divisor=divisor, other=divisor)
        [ranking] = self._rankings
        if area is not RECALL_AT_PRECISION or ranking.rows.positive.all():
            return facts
        weight = ranking.cells.sums(ranking.rows.weight)
        steps = steps_of_cells(weight)
        classes = ranking.classes(self.definition.prevalence, self._n_found)
        fallout = (steps.retrieved - steps.tp) / (weight.sum() - classes[0])
        recall = steps.tp / classes[0]
        of_steps = AtPrecision(level, recall, fallout, classes, self.n_missed)
        return facts._replace(at_precision=of_steps)

    @cached_property
    def _parts(self) -> list[Influences]:
        """What the rows of each ranking do to its score, per weight."""
        return [influence_of_rows(self.definition, each) for each in self._rankings]

    @property
    def _scores(self) -> FloatArray:
        return np.array([part.facts.score for part in self._parts])

    @property
    def _shares(self) -> FloatArray:
        """Share of each ranking in the mean."""
        weights = np.array([each.weight for each in self._rankings])
        if self._by_positives:
            weights *= [each.n_positives for each in self._rankings]
        return np.asarray(weights / weights.sum())

    def influences_of_rows(self) -> list[Influences]:
        """Return what each row of each ranking does to the mean, per weight."""
        scores, shares, moved = self._scores, self._shares, np.zeros(len(self._parts))
        if self._by_positives:  # each positive also moves the shares
            n_positives = [each.n_positives for each in self._rankings]
            moved = shares * (scores - shares.dot(scores)) / n_positives
        return [
            part._replace(
                of_units=share * part.of_units + more * each.rows.positive,
                of_missed=share * part.of_missed + more,
            )
            for each, share, part, more in zip(
                self._rankings, shares, self._parts, moved, strict=True
            )
        ]

    @cached_property
    def influences(self) -> Influences:
        """What each unit does to the score."""
        if not self.has_influences:
            return super().influences
        of_rankings = list(
            map(self._by_unit, self.influences_of_rows(), self._rankings)
        )
        of_each = [
            # its variance is needed where there is a rise
            (self._by_unit(part, each) if part.facts.rise else part)
            .moments()
            ._replace(missed=missed_weight(each))
            for part, each in zip(self._parts, self._rankings, strict=True)
        ]
        shares = self._shares
        facts = mean_of(of_each, shares, self.score)
        if not self.is_single:
            # the known part of the bias of a mean
            parts = self._parts
            if self.definition.area.curvature is None:
                parts = self.defined_by(replace(self.definition, area=STEP))._parts
            known_bias = shares.dot([part.facts.bias for part in parts])
            facts = facts._replace(known_bias=float(known_bias))
        is_known = not self._by_positives and self.definition.prevalence is None
        if is_known and self._rankings[0].unit is None:
            bias = float(shares.dot([each.bias for each in of_each]))
            facts = facts._replace(bias=bias)
        return Influences(
            sum((each.of_units for each in of_rankings), np.zeros(1)),
            np.array([each.of_missed for each in of_rankings]),
            np.array([each.n_missed for each in self._rankings]),
            facts,
        )

    def _by_unit(self, influences: Influences, ranking: Ranking) -> Influences:
        """Return what each unit does, from what each row of a ranking does per
        weight.
        """
        of_rows, weight = influences.of_units, ranking.rows.weight
        of_rows = of_rows if weight is None else of_rows * weight
        return influences._replace(
            of_units=sums_of_units(of_rows, ranking.unit, self._n_found)
        )

    def perfect(self) -> tuple[Classes, ...]:
        """Return the rankings of a sample that scores 1, unless all samples do."""
        defined = [each for each in self._rankings if each.rows.positive.any()]
        prevalence = self.definition.prevalence
        share = self.definition.max_recall or 1.0  # of the positives that count
        classes = [each.classes(prevalence, self._n_found) for each in defined]
        if share < 1:
            classes = [(share * p, share * n, q, m) for p, n, q, m in classes]
        return tuple(classes) if all(negatives for *_, negatives, _ in classes) else ()

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
            rankings = self._reweighted(ranking.rows, weight)
            values = self.definition.compute(rankings)
            positives[i] = rankings.n_positives
            scores[i] = np.where(positives[i] > 0, values, self._undefined)
        shares = positives if self._by_positives else 1.0 - np.isnan(scores)
        shares = shares * np.array([[ranking.weight] for ranking in self._rankings])
        total = np.nansum(shares * scores, axis=0)
        share = shares.sum(axis=0)
        nothing = np.full(len(counts), np.nan)
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

    @property
    def kinds(self) -> IntArray:
        """The cell of each row, or that of missed positives: rows of equal weight in a
        cell are alike.
        """
        cells = self._rankings[0].cells
        return np.append(
            cells.cell, np.full(self.n_units - cells.cell.size, cells.n_cells)
        )


class CountedSample(RankedSample):
    """A single ranking of counts, whose rows may be gone."""

    noun = "positives"
    is_single = True

    def __init__(self, definition: Definition, ranking: Rankings) -> None:
        prevalence = definition.prevalence
        self.score = definition.compute(at_prevalence(ranking, prevalence)).item()
        self.n_rows = ranking.offsets.item(-1)
        self.n_positives = self.fewest = ranking.found_weight.item()
        self._all_positives = ranking.n_positives.item()
        missed = self._all_positives - self.n_positives
        self.n_units = self.n_known_units = self.n_rows + round(missed)
        self._rankings = [Ranking.of_steps(ranking)]
        self._define(definition)

    @cached_property
    def influences(self) -> Influences:
        """What each row does to the score."""
        [influences] = self._parts
        facts, prevalence = influences.facts, self.definition.prevalence
        negatives = self.n_rows - self.n_positives
        if negatives:
            share = self._all_positives / (negatives + self._all_positives)
            facts = facts._replace(share=share)
        if prevalence is not None:
            facts = facts._replace(bias=np.nan, prevalence=prevalence)
        return influences._replace(facts=facts)


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
    # rows hardly share the cells of many models
    if len(samples) <= 2 and all(sample.is_plain for sample in samples):
        plain: Any = samples
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
    noun = "rankings to average"

    def __init__(
        self,
        values: FloatArray,
        weight: FloatArray | None = None,
        unit: IntArray | None = None,
    ) -> None:
        weight = np.ones(values.size) if weight is None else weight
        self._values, self._unit, self._weight = values, unit, weight / weight.max()
        of_units = sums_of_units(self._weight, unit)
        self.score = float(np.average(values, weights=weight))
        self.n_rows = values.size
        self.n_units = self.n_known_units = of_units.size
        self.n_positives = self.fewest = n_equal(of_units)
        self.is_share = bool(((values >= 0) & (values <= 1)).all())

    @classmethod
    def of_call(cls, call: ScoreCall, unit: IntArray | None) -> Self:
        """Return the sample of a mean over queries, or over the rows of a label
        matrix.
        """
        values, averaging = call.values
        values = np.where(averaging.has_positives, values, call.undefined)
        weight = (
            np.ones(values.size) if averaging.weights is None else averaging.weights
        )
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
        sample = cls(values[counted], weight[counted], unit)
        sample.score = call.score
        sample.n_rows = call.checked.positive.size
        sample.call = call
        return sample

    @cached_property
    def influences(self) -> Influences:
        """What each unit does to the mean."""
        of_values = self._values - np.average(self._values, weights=self._weight)
        of_values *= self._weight / self._weight.sum()
        return Influences(
            sums_of_units(of_values, self._unit), facts=Facts(of_mean=True)
        )

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

    def __init__(
        self, call: ScoreCall, unit: IntArray | None, n_fixed_queries: int
    ) -> None:
        self.score = call.score
        _refuse_totals(call)
        self.n_fixed_queries = n_fixed_queries
        positive, _, _, _, query, *_ = call.checked
        self.call = call
        # samples do not warn
        inputs = call.inputs._replace(zero_division=call.undefined)
        self._silent = replace(call, inputs=inputs)
        self.n_rows = len(positive)
        if unit is None:
            rows = np.arange(self.n_rows)
            unit = rows if query is None else distinct_queries(query)[1]
        self._unit = unit
        has_positive = positive.reshape(self.n_rows, -1).any(axis=1)
        self._has_positive: BoolArray = np.asarray(has_positive)
        self.n_units = self.n_known_units = int(unit.max()) + 1
        n_positives = np.count_nonzero(np.bincount(unit[self._has_positive]))
        self.n_positives = self.fewest = float(n_positives)

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
        return replace(self._silent, given=self._silent.given.take(rows)).score


def unit_numbers(name: str, ids: ArrayLike, n_rows: int) -> IntArray:
    """Return the number of the unit of each row, in the order of their ids."""
    return np.asarray(
        distinct_queries(read_numbered(ids, n_rows, name=name))[1], dtype=np.int64
    )


def members_of(group: IntArray) -> list[IntArray]:
    """Return the places of the members of each group."""
    return np.split(group.argsort(kind="stable"), np.cumsum(np.bincount(group))[:-1])

"""What was drawn: the units of a sample, how a score depends on each of them, and how to draw them again.

A unit is a row, a cluster of rows, a query, or a row of a label matrix. A sample knows what each unit does to
the score (`influences`), and the score of any bootstrap sample (`scores_of_counts`), in one of three ways:
`RankedSample` for rankings whose rows are the units, `MeanSample` for means over rankings that are units, and
`AnySample` for any callable, which is called with the rows of every bootstrap sample.
"""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from sklearn.utils import check_consistent_length

from .._areas._hits import HITS
from .._definition import Definition
from .._ranking._cells import Cells, ReweightedKernel, StepPositions, cells_of
from .._ranking._cut import cut_depth
from .._ranking._prevalence import at_prevalence
from .._ranking._rankings import Rankings, Rows
from .._reading._options import is_real
from .._reading._queries import distinct_queries, read_numbered
from .._reading._values import on_host
from .._rounding import EQUAL
from .._typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreFunction
from ._influence import Influences, Unseen, has_slopes, influence_of_rows, noise_of, sums_of_units
from ._results import Classes

Source = int | RandomState | Generator | None  # of random numbers
_AT_ONCE = 2**17  # numbers in memory at a time: 1 MB, which fits the caches of most processors
_FULL = 3  # below so many rows per cell, drawing rows takes less time than drawing cells (measured)


def generator_of(random_state: Source) -> Generator:
    """Return a generator of random numbers; a RandomState of scikit-learn seeds it."""
    if isinstance(random_state, RandomState):
        return np.random.default_rng(random_state.randint(2**32, size=4, dtype=np.uint32))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            "random_state must be None, an integer >= 0, a RandomState or a Generator of numpy; "
            f"got {random_state!r}."
        ) from None


def read_n_resamples(n_resamples: object) -> int:
    """Check the number of bootstrap samples: an integer of at least 1."""
    if is_real(n_resamples) and 1 <= n_resamples < np.inf and n_resamples == int(n_resamples):
        return int(n_resamples)
    raise ValueError(f"n_resamples must be an integer >= 1; got {n_resamples!r}.")


class Draws:
    """How often to draw samples or permutations, and by which random numbers."""

    def __init__(self, n_resamples: object, random_state: Source) -> None:
        self.n_resamples = read_n_resamples(n_resamples)
        self._rng = None if random_state is None else generator_of(random_state)

    @cached_property
    def rng(self) -> Generator:
        """The random numbers; to seed them by the system takes as long as a short score."""
        return generator_of(self._rng)


def batches(n_draws: int, width: int) -> Iterator[int]:
    """Yield how many draws of so many numbers to make at once, until there are `n_draws`."""
    at_once = max(_AT_ONCE // width, 1)
    for done in range(0, n_draws, at_once):
        yield min(at_once, n_draws - done)


def counts_of_cells(size: IntArray, n_resamples: int, rng: Generator) -> Iterator[IntArray]:
    """Yield how many rows each bootstrap sample draws from cells of `size` rows: a row per sample."""
    n_rows = int(size.sum())
    for n_samples in batches(n_resamples, size.size):
        if (size == 1).all():  # to draw rows takes a fifth of the time
            row = rng.integers(n_rows, size=(n_samples, n_rows))
            row += n_rows * np.arange(n_samples)[:, np.newaxis]
            yield np.bincount(row.ravel(), minlength=row.size).reshape(row.shape)
        else:
            yield rng.multinomial(n_rows, size / n_rows, size=n_samples)


ScoresOfCounts = Callable[[IntArray], FloatArray]


class Drawing(NamedTuple):
    """What a bootstrap draws: how many units of each cell, and the scores that such counts have."""

    size: IntArray  # how many units each cell has
    cell: IntArray | None  # the cell of each unit; None if each cell is one
    scores_of_counts: ScoresOfCounts


class Sample(ABC):
    """Units that were drawn, and a score of them.

    Parameters
    ----------
    score : float
        The score of this sample.

    n_rows : int
        Number of rows that the score adds up, and rounds.

    n_units : int
        Number of units; each missed positive is one.

    n_positives : float
        How many units of equal weight the positives count for; of a mean, how many units count.

    fewest : float, default=None
        The same of the column that has the fewest.

    n_missed : float, default=0
        Positives without a row.

    noun : str
        What `n_positives` counts.

    cut : Definition, default=None
        The definition of a single ranking that is cut.
    """

    has_influences: bool = False
    is_single: bool = False  # whether this is a single ranking
    has_row_units: bool = False  # whether it is a single ranking, and its rows are the units
    is_plain: bool = False  # whether these rows also weigh the same

    def __init__(
        self,
        score: float,
        n_rows: int,
        n_units: int,
        n_positives: float,
        *,
        fewest: float | None = None,
        n_missed: float = 0.0,
        noun: str = "units that contain a positive",
        cut: Definition | None = None,
    ) -> None:
        self.score, self.n_rows, self.n_units, self.n_missed = score, n_rows, n_units, n_missed
        self.n_positives, self.fewest = n_positives, n_positives if fewest is None else fewest
        self.noun, self._cut = noun, cut

    @property
    def heavy_negatives(self) -> float:
        """How many equal negatives would do as much to the score, if each stands for several."""
        return np.inf

    @property
    def perfect(self) -> tuple[Classes, ...] | float:
        """What a sample that scores 1 says: its rankings or, of a mean, how many units score 1."""
        return ()

    @property
    def n_negative_units(self) -> float:
        """How many equal units would contain the negatives of a ranking with `unit_id`."""
        return np.inf

    @property
    def is_cut_area(self) -> bool:
        """Whether this is the area of a single ranking up to a cut."""
        return self._cut is not None and self._cut.area.slopes is not None

    @property
    def at_all_recalls(self) -> "Sample | None":
        """The sample if precision is read at every recall, not at levels."""
        return None

    def share_of(self) -> tuple[float, float]:
        """Return what divides hits above a cut, rows or positives, and the other, which contains them too."""
        if self._cut is None or not (self.is_cut_area or self._cut.area is HITS):
            return np.nan, np.nan
        depth = n_positives = self.n_positives + self.n_missed  # R-precision has no k
        if self._cut.k is not None:
            depth = float(cut_depth(np.array([self.n_rows]), self._cut.k)[0])
        if self.is_cut_area:
            return (min(depth, n_positives),) * 2
        return (depth, n_positives) if self._cut.normalizer == "k" else (n_positives, depth)

    def excess(self, bias: float) -> float:
        """Return by how much the score may be too high, which has this bias in a bootstrap."""
        return max(2 * bias, 0.0) if self.is_cut_area else 0.0

    def influences(self) -> Influences:
        """Return what each unit does to the score, or refuse scores that jump where rows change places."""
        raise ValueError(
            "method='influence' needs a score with influence values: the area of a whole ranking, or a mean "
            "over queries or samples; use method='percentile', or method='bootstrap' for many models."
        )

    @abstractmethod
    def scores_of_counts(self, counts: IntArray) -> FloatArray:
        """Return the scores of bootstrap samples with these `counts` of units; NaN without positives."""

    @property
    def drawing_units(self) -> Drawing:
        """What is drawn if each unit is counted, so that two models can be scored on the same samples."""
        if self.n_missed != round(self.n_missed):
            raise ValueError(
                "n_positives must be a whole number of positives for a bootstrap, which draws those that "
                f"were missed; got {self.n_missed} more than were found."
            )
        return Drawing(np.ones(self.n_units, dtype=int), None, self.scores_of_counts)

    @property
    def drawing(self) -> Drawing:
        """What is drawn if only the scores are wanted: the fastest way to draw the same samples."""
        return self.drawing_units


def resampled(samples: Sequence[Sample], draws: Draws) -> FloatArray:
    """Return the scores of bootstrap samples, or the differences of the scores that two models have there."""
    drawing = samples[0].drawing if len(samples) == 1 else drawing_of_pair(*samples)
    counts = counts_of_cells(drawing.size, draws.n_resamples, draws.rng)
    return np.concatenate([drawing.scores_of_counts(of_samples) for of_samples in counts])


def drawing_of_pair(first: Sample, second: Sample) -> Drawing:
    """Return what is drawn if both models are scored on the same samples.

    Rows that share their cells in both rankings are alike to the difference. Twenty positives among 20,000
    rows leave a few hundred such pairs of cells, which take a fiftieth of the time of rows.
    """
    a, b = first.drawing, second.drawing
    if a.cell is not None and b.cell is not None:
        pairs, cell = np.unique(a.cell * b.size.size + b.cell, return_inverse=True)
        if pairs.size * _FULL <= cell.size:
            cell_a, cell_b = np.divmod(pairs, b.size.size)
            return Drawing(np.bincount(cell), cell, _difference(_of_parts(a, cell_a), _of_parts(b, cell_b)))
    a, b = first.drawing_units, second.drawing_units
    return a._replace(scores_of_counts=_difference(a.scores_of_counts, b.scores_of_counts))


def _difference(first: ScoresOfCounts, second: ScoresOfCounts) -> ScoresOfCounts:
    return lambda counts: first(counts) - second(counts)


def _of_parts(drawing: Drawing, cell: IntArray) -> ScoresOfCounts:
    """Return the scores of counts of parts of cells, each part in this cell."""
    shape = cell.size, drawing.size.size
    to_cells = csr_array((np.ones_like(cell), cell, np.arange(cell.size + 1)), shape=shape)
    return lambda counts: drawing.scores_of_counts(counts @ to_cells)


class RankedSample(Sample):
    """Rankings of the same rows: one, or the columns of a matrix, `undefined` without positives."""

    def __init__(
        self,
        score: float,
        definition: Definition,
        rankings: list[Rows],
        unit: IntArray | None = None,
        *,
        n_missed: float = 0.0,
        by_positives: bool = False,
        undefined: float = np.nan,
        is_cut: bool = False,
    ) -> None:
        self._definition, self._unit, self._by_positives = definition, unit, by_positives
        self._rankings = [ranking for ranking in rankings if ranking.positive.any()]
        self._undefined = np.nan if by_positives else undefined
        self._n_undefined = 0 if np.isnan(self._undefined) else len(rankings) - len(self._rankings)
        n_rows = self._rankings[0].score.size
        self._n_found = n_rows if unit is None else int(unit.max()) + 1
        super().__init__(
            score,
            n_rows,
            self._n_found + round(n_missed),
            _n_effective(self._rankings, unit),
            fewest=min(_n_effective([ranking], unit) for ranking in self._rankings),
            n_missed=n_missed,
            noun="positives" if unit is None else "units that contain a positive",
            cut=definition if is_cut else None,
        )
        self.has_influences = has_slopes(definition)
        self.is_single = self._n_averaged == 1
        self.has_row_units = self.is_single and unit is None
        self.is_plain = self.has_row_units and self._rankings[0].weight is None

    @cached_property
    def _cells(self) -> list[Cells]:
        return [cells_of(ranking.positive, ranking.score) for ranking in self._rankings]

    @cached_property
    def _in_order(self) -> list[tuple[IntArray, StepPositions]]:
        """The rows of each ranking in order, worst first, and where its steps stand."""
        return [cells.in_order() for cells in self._cells]

    @property
    def _n_averaged(self) -> int:
        return len(self._rankings) + self._n_undefined

    @property
    def at_all_recalls(self) -> Sample | None:
        """The sample if precision is read at every recall, not at levels."""
        definition = replace(self._definition, grid=None, max_recall=None)
        if self._definition.reads_all_recalls or not has_slopes(definition):
            return None
        sample = copy(self)
        sample._definition, sample.has_influences = definition, True
        sample.score = sample.score_of_rows()
        return sample

    def score_of_rows(self) -> float:
        """Return the score of the rows as they are."""
        return float(self.scores_of_counts(np.ones((1, self.n_units), dtype=int))[0])

    def share_of(self) -> tuple[float, float]:
        """Return the same; precision at a recall is the share of so many hits among the rows above it."""
        definition = self._definition
        is_precision = definition.area.slopes is not None and definition.prevalence is None
        if definition.level is None or not (is_precision and self.is_plain and self.score):
            return super().share_of()
        hits = max(np.ceil(definition.level * (self.n_positives + self.n_missed) * (1 - EQUAL)), 1.0)
        return (float(hits) / self.score,) * 2

    def excess(self, bias: float) -> float:
        """Return the same: the best of many noisy precisions is too high, and so is AP.

        A bootstrap draws no negative above the first rows that the sample lacks, which is 1 for plain rows.
        """
        if not self.is_cut_area and not self._definition.reads_all_recalls:
            return max(bias, 0.0)
        if not (self.is_cut_area and self.is_plain):
            return super().excess(bias)
        ranking = self._rankings[0]
        positive, y_score = np.append(ranking.positive, False), np.append(ranking.score, np.inf)
        rows = [single_ranking(positive, y_score, None)]
        longer = RankedSample(np.nan, self._definition, rows, n_missed=self.n_missed)
        return max(2 * bias, self.score - longer.score_of_rows())

    @property
    def n_negative_units(self) -> float:
        """How many equal units would contain the negatives of a ranking with `unit_id`."""
        ranking = self._rankings[0]
        if self._unit is None or not (self.is_single and self.has_influences) or ranking.positive.all():
            return np.inf
        return self._classes_of(ranking)[3]

    @property
    def heavy_negatives(self) -> float:
        """How many equal negatives would do as much to the score, if each stands for several."""
        weighs_one = self._definition.prevalence is None and self._rankings[0].weight is None
        if not self.has_influences or (weighs_one and self._unit is None):
            return np.inf
        return self.influence_of_rows.unseen.df + 1

    @cached_property
    def influence_of_rows(self) -> Influences:
        """What each row does to the score, per weight; its bias is known if each row is a unit."""
        pairs = zip(self._rankings, self._cells, strict=True)
        scores, columns = zip(
            *(influence_of_rows(self._definition, *pair, self.n_missed, self._unit) for pair in pairs),
            strict=True,
        )
        weights = np.array([_weights_of_positives(ranking).sum() for ranking in self._rankings])
        shares = np.full(weights.size, 1 / self._n_averaged)
        if self._by_positives:
            shares = weights / weights.sum()
        of_rows = (shares[:, np.newaxis] * [column.of_units for column in columns]).sum(axis=0)
        if self._by_positives:
            for score, ranking in zip(scores - (shares * scores).sum(), self._rankings, strict=True):
                of_rows += ranking.positive * (score / weights.sum())
        bias = np.nan if self._by_positives else float((shares * [column.bias for column in columns]).sum())
        losses, dfs = np.array([(column.unseen.loss, column.unseen.df) for column in columns]).T
        noise = [noise_of(column.unseen.excess, self._by_unit(column).moments().second) for column in columns]
        unseen = Unseen(float((shares * noise).sum()), float((shares * losses).sum()), float(dfs.sum()))
        if self._n_averaged > 1 and bias > 0:
            # Errors of columns average out, their bias does not: and of few positives, half of it is known.
            unseen = Unseen(min(2 * bias, float(np.mean(scores)) / 2), df=unseen.df)
        bias = bias if self._unit is None else np.nan
        return Influences(of_rows, columns[0].of_missed, self.n_missed, bias=bias, unseen=unseen)

    def _by_unit(self, influences: Influences) -> Influences:
        """Return what each unit does, from what each row does per weight."""
        of_rows, weight = influences.of_units, self._rankings[0].weight
        of_rows = of_rows if weight is None else of_rows * weight
        return influences._replace(of_units=sums_of_units(of_rows, self._unit))

    def influences(self) -> Influences:
        """Return what each unit does to the score."""
        return self._by_unit(self.influence_of_rows) if self.has_influences else super().influences()

    @property
    def perfect(self) -> tuple[Classes, ...]:
        """What a sample that scores 1 says: its rankings."""
        if any(ranking.positive.all() for ranking in self._rankings):  # without negatives
            return ()
        return tuple(map(self._classes_of, self._rankings))

    def _classes_of(self, ranking: Rows) -> Classes:
        """Return the weight of the positives, how many equal units would contain it, and both again."""
        reverse = ranking._replace(positive=~ranking.positive)
        positives, negatives = (float(_weights_of_positives(one).sum()) for one in (ranking, reverse))
        if self._definition.prevalence is not None:
            negatives = positives * (1 / self._definition.prevalence - 1)
        return positives, _n_effective([ranking], self._unit), negatives, _n_effective([reverse], self._unit)

    def scores_of_counts(self, counts: IntArray) -> FloatArray:
        """Return the scores of bootstrap samples; some may lose all positives of a column."""
        missed = counts[:, self._n_found :].sum(axis=1)
        scores, positives = np.empty((2, len(self._rankings), len(counts)))
        for i, (ranking, (order, places)) in enumerate(zip(self._rankings, self._in_order, strict=True)):
            weight: AnyArray = counts.take(order if self._unit is None else self._unit.take(order), axis=1)
            if ranking.weight is not None:
                weight = weight * ranking.weight.take(order)
            scores[i], positives[i] = self._scores_of_ranking(ranking, weight, places, missed)
        scores = np.where(np.isnan(scores), self._undefined, scores)  # columns that lost all positives
        shares = positives if self._by_positives else 1.0 - np.isnan(scores)
        total, share = np.where(shares > 0, shares * scores, 0.0).sum(axis=0), shares.sum(axis=0)
        if self._n_undefined:
            total, share = total + self._n_undefined * self._undefined, share + self._n_undefined
        nothing = np.full(len(counts), np.nan)
        return np.asarray(np.divide(total, share, out=nothing, where=positives.sum(axis=0) > 0))

    def _scores_of_ranking(
        self, ranking: Rows, weight: AnyArray, places: StepPositions, missed: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the scores of one ranking with these weights of rows or cells, and the positives' weight."""
        kernel = ReweightedKernel(weight, places)
        # Sums of weights would say nothing about their rounding.
        n_rows = kernel.total_weight if ranking.weight is None else np.full(len(weight), ranking.weight.size)
        offsets = np.append(0, np.cumsum(n_rows)).astype(np.int64)
        weighted = None if ranking.weight is None else ranking._replace(offsets=offsets)
        rankings = Rankings(kernel, offsets, weighted, kernel.found_weight, kernel.found_weight + missed)
        rankings = at_prevalence(rankings, self._definition.prevalence)
        positives = rankings.n_positives
        return np.where(positives > 0, self._definition.compute(rankings), np.nan), positives

    @property
    def drawing(self) -> Drawing:
        """What is drawn if only scores are wanted: counts of cells, if rows of equal weight are the units."""
        units = self.drawing_units
        if not self.is_plain or self._cells[0].n_cells * _FULL > self.n_rows:
            return units
        cells, n_missed = self._cells[0], self.n_units - self._n_found
        size = np.append(np.bincount(cells.cell, minlength=cells.n_cells), n_missed)
        cell = np.append(cells.cell, np.full(n_missed, cells.n_cells))
        return Drawing(size, cell, self._scores_of_cells)

    def _scores_of_cells(self, counts: IntArray) -> FloatArray:
        """Return the scores of samples from counts of rows per cell, and of missed positives behind them."""
        cells = self._cells[0]
        places, of_cells, missed = cells.places, counts[:, : cells.n_cells], counts[:, cells.n_cells :]
        return self._scores_of_ranking(self._rankings[0], of_cells, places, missed.sum(axis=1))[0]


class MeanSample(Sample):
    """The mean over rankings; a ranking is a unit or part of one, as a query belongs to a user."""

    has_influences = True

    def __init__(
        self, score: float, values: FloatArray, weight: FloatArray, unit: IntArray | None, n_rows: int
    ) -> None:
        self._values, self._unit, self._weight = values, unit, weight / weight.max()
        of_units = sums_of_units(self._weight, unit)
        n_effective = float(of_units.sum() ** 2 / (of_units**2).sum())
        super().__init__(score, n_rows, of_units.size, n_effective, noun="rankings to average")

    def influences(self) -> Influences:
        """Return what each unit does to the mean."""
        of_values = self._values - np.average(self._values, weights=self._weight)
        of_values *= self._weight / self._weight.sum()
        return Influences(sums_of_units(of_values, self._unit), of_mean=True)

    @property
    def perfect(self) -> float:
        """What a mean of 1 says: that all units score 1."""
        return self.n_positives

    def parts(self) -> FloatArray:
        """Return what each unit adds to the mean; their sum is the mean."""
        return sums_of_units(self._values * (self._weight / self._weight.sum()), self._unit)

    def scores_of_counts(self, counts: IntArray) -> FloatArray:
        """Return the means of bootstrap samples."""
        weight = (counts if self._unit is None else counts[:, self._unit]) * self._weight
        return np.asarray((weight * self._values).sum(axis=1) / weight.sum(axis=1))


def _as_rows(name: str, values: Any) -> Any:
    return values.tocsr() if hasattr(values, "tocsr") else np.asarray(on_host(name, values))


class AnySample(Sample):
    """A sample of any callable: each call gets the rows of the drawn units, repeated as drawn."""

    def __init__(
        self,
        score: float,
        score_func: ScoreFunction,
        y_true: ArrayLike,
        y_score: ArrayLike,
        params: Mapping[str, Any],
        *,
        unit: IntArray | None,
        positive: BoolArray | None = None,
        cut: Definition | None = None,
    ) -> None:
        check_consistent_length(y_true, y_score)
        call: Any = score_func
        while isinstance(call, partial) and not call.args:  # it may bind values of rows
            call, params = call.func, {**call.keywords, **params}
        if params.get("n_positives") is not None:
            raise ValueError(
                f"n_positives must be left out for this score; got {params['n_positives']!r}: missed "
                "positives have no rows that could be drawn."
            )
        self._score_func, self._params = call, params
        self._labels, self._scores = _as_rows("y_true", y_true), _as_rows("y_score", y_score)
        n_rows, self._of_rows = len(self._scores), dict[str, AnyArray]()
        if params.get("sample_weight") is not None:
            self._of_rows["sample_weight"] = _as_rows("sample_weight", params["sample_weight"])
        if params.get("query_id") is not None:
            self._of_rows["query_id"] = unit_numbers("query_id", params["query_id"], n_rows)
        self._unit = self._of_rows.get("query_id", np.arange(n_rows)) if unit is None else unit
        self.positive = _larger_of_two(self._labels) if positive is None else positive
        n_positives = np.nan
        if self.positive is not None:
            n_positives = float(np.count_nonzero(np.bincount(self._unit[self.positive])))
        super().__init__(score, n_rows, int(self._unit.max()) + 1, n_positives, cut=cut)

    def scores_of_counts(self, counts: IntArray) -> FloatArray:
        """Return the scores of bootstrap samples."""
        return np.array([self._score_of(count.take(self._unit)) for count in counts])

    def _score_of(self, count: IntArray) -> float:
        """Return the score of as many copies of each row, which stay in order: "stable" ties keep it."""
        rows = np.repeat(np.arange(count.size), count)
        if self.positive is not None and not self.positive[rows].any():
            return np.nan
        drawn = {name: values[rows] for name, values in self._of_rows.items()}
        if "query_id" in drawn:  # a query that was drawn twice is two queries
            copy = np.arange(rows.size) - np.repeat(np.cumsum(count) - count, count)
            drawn["query_id"] += copy * (self._of_rows["query_id"].max() + 1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # said once, of the sample itself
            params = {**self._params, **drawn}
            return float(self._score_func(self._labels[rows], self._scores[rows], **params))


def _larger_of_two(labels: Any) -> BoolArray | None:
    """Return which labels are the larger of two, or None if there are not two."""
    if not isinstance(labels, np.ndarray) or labels.ndim > 1:
        return None
    kinds = np.unique(labels)
    return np.equal(labels, kinds[-1]) if kinds.size == 2 else None


def unit_numbers(name: str, ids: ArrayLike, n_rows: int) -> IntArray:
    """Return the number of the unit of each row, in the order of their ids."""
    return np.asarray(distinct_queries(read_numbered(ids, n_rows, name=name))[1], dtype=np.int64)


def members_of(group: IntArray) -> list[IntArray]:
    """Return the places of the members of each group."""
    return np.split(group.argsort(kind="stable"), np.cumsum(np.bincount(group))[:-1])


def single_ranking(positive: BoolArray, score: AnyArray, weight: FloatArray | None) -> Rows:
    """Return the rows of a single ranking."""
    return Rows(positive, score, weight, np.array((0, score.size)))


def _n_effective(rankings: list[Rows], unit: IntArray | None) -> float:
    """Return how many equal units would contain the positives; those that contain more count for more."""
    if unit is None and rankings[0].weight is None:
        return float(np.count_nonzero(np.logical_or.reduce([ranking.positive for ranking in rankings])))
    weight = np.asarray(sum(sums_of_units(_weights_of_positives(ranking), unit) for ranking in rankings))
    weight = np.ldexp(weight, -np.frexp(weight.max())[1])  # squares of light weights would underflow
    return float(weight.sum() ** 2 / np.square(weight).sum())


def _weights_of_positives(ranking: Rows) -> FloatArray:
    """Return the weight of each positive, and 0 for negatives."""
    return np.multiply(ranking.positive, 1.0 if ranking.weight is None else ranking.weight, dtype=np.float64)

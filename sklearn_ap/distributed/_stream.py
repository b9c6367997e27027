"""A ranking whose rows come sorted, from a file or from workers: one kernel reduces the sorted parts.

`GroupBuilder` turns sorted rows into `Groups`: one record per distinct score of a positive, with the weight
of the negatives between it and the record before. `StoredGroups` stores the records of one part in a
temporary file. `SortedStream` is a `Kernel` over all parts, so every `Definition` computes its score.
"""

import math
import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from .._ranking._blocks import starts_of_runs
from .._ranking._prevalence import factor_of_negatives
from .._ranking._rankings import Kernel, Rankings, side_by_side
from .._ranking._steps import Envelope, Reduction, Steps
from .._typing import AnyArray, FloatArray, TieOrder
from ._batches import Batch, Roles

_SPOOL_BYTES = 2**24  # of groups in memory; more go to disk
_WEIGHT_READ_BYTES = 2**24  # of weights that are read at a time
_BEST_ROW_BYTES = 64  # of a row of the best, while others are compared with them
_LEAST_BEST_BYTES = 64 * 10**6  # which a sort would take, too
_ORDERED_STEPS = 2**17  # in a block, where an order of ties makes each positive a step

Result = TypeVar("Result")  # of a function that is called on each part


class Weights(NamedTuple):
    """Weights of the positives and negatives of some rows, and the number of rows."""

    positives: float = 0.0
    negatives: float = 0.0
    rows: float = 0.0


class Groups(NamedTuple):
    """Neighbouring tied groups of one ranking, worst score first.

    Groups without positives are counted in `negatives_below` of the next better group, unless the builder
    keeps them. Without weights, each row has weight 1 and the numbers of rows are None.
    """

    positives: FloatArray  # weight of the positives with this score
    negatives: FloatArray
    negatives_below: FloatArray  # weight of the negatives between this group and the worse one before it
    rows: FloatArray | None = None
    rows_below: FloatArray | None = None
    score: AnyArray | None = None

    def counted(self, count_weight: float) -> "Groups":
        """Return the same groups as counts of rows, which all have this weight."""
        positives, negatives, below = (np.rint(column / count_weight) for column in self[:3])
        return Groups(positives, negatives, below, score=self.score)

    def sums(self) -> Weights:
        """Return the weights of all groups together.

        They are added in the order of `steps`: sums that are rounded otherwise would let recall end near 1
        and miss a level of 1.
        """
        positives = float(_sums_from_best(self.positives)[0])
        negatives = float(_sums_from_best(self.negatives + self.negatives_below)[0])
        if self.rows is None or self.rows_below is None:
            return Weights(positives, negatives, positives + negatives)
        return Weights(positives, negatives, float(self.rows.sum() + self.rows_below.sum()))

    def steps(self, above_part: Weights, above: Weights, factor: float) -> Steps:
        """Return the steps of a ranking with these groups; `factor` multiplies the weight of negatives.

        `above` is in the same part. Sums run from the best score down, as in memory, so that light rows at
        the top keep their digits. The sums of a part, and then those above the part, are added last.
        """
        tp = above_part.positives + (above.positives + _sums_from_best(self.positives))
        negatives_above = above_part.negatives + (
            above.negatives + _sums_from_best(self.negatives + self.negatives_below)[1:]
        )
        negatives = negatives_above + self.negatives
        rows, rows_above = tp[:-1] + negatives, tp[1:] + negatives_above
        if self.rows is not None and self.rows_below is not None:
            rows_in_part = above.rows + _sums_from_best(self.rows + self.rows_below)[1:]
            rows_above = above_part.rows + rows_in_part
            rows = rows_above + self.rows
        return Steps(
            tp[:-1],
            tp[1:],
            tp[:-1] + factor * negatives,
            lambda: tp[1:] + factor * negatives_above,
            rows=(lambda: rows, lambda: rows_above),
        )


def _sums_from_best(values: FloatArray) -> FloatArray:
    """Return the sum of each value and all after it, then 0."""
    return np.cumsum(np.append(0.0, values[::-1]))[::-1]


class GroupBuilder:
    """Groups of rows that come batch by batch, worst score first; equal scores may span batches.

    Parameters
    ----------
    weighted : bool
        Whether rows have weights; otherwise each row has weight 1.
    keeps_negatives : bool
        Whether groups of negatives alone are kept, with the score of each group.
    """

    def __init__(self, *, weighted: bool, keeps_negatives: bool = False) -> None:
        self._weighted, self._keeps_negatives = weighted, keeps_negatives
        # The score and the sums of the best group so far, which the next batch may continue.
        self._open: tuple[AnyArray, FloatArray] | None = None
        self._below = np.zeros(2)  # weight and rows of the negatives above the last stored group

    def add(self, batch: Batch) -> Groups | None:
        """Return the groups that end within these rows, which must not rank below earlier rows."""
        starts = starts_of_runs(batch.score)
        score = batch.score[starts]
        if batch.weight is None and batch.n_rows is None:  # counts take a third of the time
            n_rows = np.diff(starts, append=batch.score.size).astype(np.float64)
            positives = np.add.reduceat(batch.positive, starts, dtype=np.float64)
            sums = np.stack((positives, n_rows - positives, n_rows))
        else:
            n_rows = np.ones(batch.score.size) if batch.n_rows is None else batch.n_rows.astype(np.float64)
            weight = n_rows if batch.weight is None else batch.weight * n_rows
            class_weights = np.where([batch.positive, ~batch.positive], weight, 0.0)
            sums = np.add.reduceat(np.append(class_weights, [n_rows], axis=0), starts, axis=1)
        # Only the last group of the batch before may go on in this one, as the first of it.
        if self._open is not None:
            open_score, open_sums = self._open
            if open_score[0] == score[0]:
                sums[:, 0] += open_sums[:, 0]
            else:
                score, sums = np.append(open_score, score), np.append(open_sums, sums, axis=1)
        self._open = score[-1:], sums[:, -1:]
        return self._to_groups(score[:-1], sums[:, :-1])

    def finish(self) -> tuple[Groups | None, Weights]:
        """Return the best group, and the negatives above all groups."""
        groups = None if self._open is None else self._to_groups(*self._open)
        self._open = None
        return groups, Weights(0.0, *self._below.tolist())

    def _to_groups(self, score: AnyArray, sums: FloatArray) -> Groups | None:
        """Return the groups of these scores; negatives that are not groups go to the next better group."""
        positives, negatives, rows = sums
        # `between` keeps the negatives that are not groups, so each row is added to exactly one group.
        indices = np.arange(score.size) if self._keeps_negatives else np.flatnonzero(positives)
        between = np.stack((negatives, rows))
        between[:, indices] = 0.0
        if not indices.size:
            self._below += between.sum(axis=1)
            return None
        end = indices[-1] + 1
        below = np.add.reduceat(between[:, :end], np.append(0, indices[:-1] + 1), axis=1)
        below[:, 0] += self._below
        self._below = between[:, end:].sum(axis=1)
        scores = score[indices] if self._keeps_negatives else None
        groups = Groups(positives[indices], negatives[indices], below[0], score=scores)
        return groups._replace(rows=rows[indices], rows_below=below[1]) if self._weighted else groups


class View(NamedTuple):
    """The arguments of a reduction of the groups of one part."""

    above_part: Weights = Weights()
    factor: float = 1.0  # of the weight of negatives
    count_weight: float | None = None  # of each row, if rows have equal weights
    tie_order: TieOrder | None = None
    best_precision: float = 0.0  # of all worse parts
    keeps_negatives: bool = False  # whether groups without positives are steps


class Summary(NamedTuple):
    """The sums and the extremes of the weights of a part."""

    sums: Weights
    n_bytes: int = 0  # of the groups
    least_weight: float = math.inf
    greatest_weight: float = 0.0


class StoredGroups:
    """The groups of one part, in memory or in temporary files that are removed with the object."""

    def __init__(self) -> None:
        self._file: Any = SpooledTemporaryFile(max_size=_SPOOL_BYTES)  # noqa: SIM115  # as long as the object
        # The weight of each positive, for `heaviest_weights`.
        self._weights: Any = SpooledTemporaryFile(max_size=_SPOOL_BYTES)  # noqa: SIM115  # the same
        self._sums: list[Weights] = []  # of each stored batch of groups
        self._extremes = math.inf, 0.0  # of all weights
        self.above_best = Weights()  # negatives above the best group

    @classmethod
    def of_batches(cls, batches: Iterator[Batch], *, weighted: bool, keeps_negatives: bool) -> "StoredGroups":
        """Return the groups of rows that are sorted by score."""
        stored, builder = cls(), GroupBuilder(weighted=weighted, keeps_negatives=keeps_negatives)
        for batch in batches:
            if batch.score.size:
                stored.append(builder.add(batch))
                stored._append_weights(batch)
        groups, stored.above_best = builder.finish()
        stored.append(groups)
        return stored

    def __del__(self) -> None:
        """Close the files; else Python warns of each."""
        self._file.close()
        self._weights.close()

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for another process, with the files as bytes."""
        state = self.__dict__.copy()
        for name in ("_file", "_weights"):
            state[name].seek(0)
            state[name] = state[name].read()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name in ("_file", "_weights"):
            file: Any = SpooledTemporaryFile(max_size=_SPOOL_BYTES)  # noqa: SIM115  # as long as the object
            file.write(state[name])
            setattr(self, name, file)

    def append(self, groups: Groups | None) -> None:
        """Store the next groups."""
        if groups is not None:
            self._sums.append(groups.sums())
            pickle.dump(groups, self._file, pickle.HIGHEST_PROTOCOL)

    def _append_weights(self, batch: Batch) -> None:
        if batch.weight is not None:
            least, greatest = self._extremes
            self._extremes = min(least, float(batch.weight.min())), max(greatest, float(batch.weight.max()))
            weight = batch.weight[batch.positive]
            n_rows = np.ones(weight.size) if batch.n_rows is None else batch.n_rows[batch.positive]
            self._weights.write(np.column_stack((weight, n_rows)).tobytes())

    def heaviest_weights(self, n_rows: int) -> FloatArray:
        """Return the weights of the heaviest positives, in order, and the number of rows of each."""
        heaviest = np.zeros((0, 2))
        self._weights.seek(0)
        while data := self._weights.read(_WEIGHT_READ_BYTES):
            heaviest = heaviest_rows(np.append(heaviest, np.frombuffer(data).reshape(-1, 2), axis=0), n_rows)
        return heaviest

    def __iter__(self) -> Iterator[Groups]:
        """Yield the groups as they were stored, worst score first."""
        offset = 0
        for _ in self._sums:
            self._file.seek(offset)  # another iterator may have moved on
            groups: Groups = pickle.load(self._file)
            offset = self._file.tell()
            yield groups

    def summary(self) -> Summary:
        """Return the sums and the extremes of the weights of the part."""
        n_bytes = self._file.seek(0, os.SEEK_END) + self._weights.seek(0, os.SEEK_END)
        return Summary(self._sums_down_to_batches(None)[0], n_bytes, *self._extremes)

    def _sums_down_to_batches(self, count_weight: float | None) -> list[Weights]:
        """Return the sums from the best row of the part down to each batch, then those above all groups."""
        sums = np.array([*self._sums, self.above_best], dtype=np.float64)
        if count_weight is not None:
            sums[:, :2] = np.rint(sums[:, :2] / count_weight)
        return [Weights(*row) for row in np.cumsum(sums[::-1], axis=0)[::-1].tolist()]

    def blocks(self, view: View) -> Iterator[tuple[Steps, AnyArray | None]]:
        """Yield the steps and their scores, worst first; scores are None without groups of negatives."""
        for stored, above in zip(self, self._sums_down_to_batches(view.count_weight)[1:], strict=True):
            groups = stored if view.count_weight is None else stored.counted(view.count_weight)
            steps, score = groups.steps(view.above_part, above, view.factor), groups.score
            if not view.keeps_negatives:  # a positive that is too light to change the sums is not a step
                steps, score = _part_of(steps, np.flatnonzero(steps.gained)), None
            if not steps.tp.size:
                continue
            if view.tie_order is None:
                yield steps, score
            else:
                yield from ((ordered, None) for ordered in _in_order(steps, view.tie_order))


def _part_of(steps: Steps, indices: AnyArray) -> Steps:
    if indices.size == steps.tp.size:
        return steps
    columns = steps.tp, steps.tp_above, steps.retrieved, steps.above, steps.rows_retrieved, steps.rows_above
    tp, tp_above, retrieved, above, rows, rows_above = (column[indices] for column in columns)
    return Steps(tp, tp_above, retrieved, lambda: above, rows=(lambda: rows, lambda: rows_above))


def _in_order(steps: Steps, tie_order: TieOrder) -> Iterator[Steps]:
    """Yield one step per positive, in blocks; the negatives of its group are all below it, or all above."""
    ends = np.cumsum(steps.gained)  # counts: with weights that differ, there is no order of ties
    negatives = steps.above - steps.tp_above if tie_order == "optimistic" else steps.retrieved - steps.tp
    # `ends` counts positives up to each group, worst first: positive n is in the first
    # group that ends behind it.
    for first in range(0, int(ends[-1]), _ORDERED_STEPS):
        positive = np.arange(first, min(first + _ORDERED_STEPS, int(ends[-1])))
        group = np.searchsorted(ends, positive, side="right")
        tp = steps.tp[group] - (positive - (ends - steps.gained)[group])
        retrieved = tp + negatives[group]
        yield Steps(tp, tp - 1, retrieved, partial(np.subtract, retrieved, 1))


class Parts(Protocol):
    """The parts of a sorted ranking, worst first, wherever they are."""

    def map(self, function: Callable[[StoredGroups, View], Result], views: Sequence[View]) -> list[Result]:
        """Call a function on each part with its view, where the part is; only its results move."""

    def fetched(self) -> Iterator[StoredGroups]:
        """Bring one part after the other to this process."""


class LocalParts(NamedTuple):
    """Parts in this process."""

    groups: Sequence[StoredGroups]

    def map(self, function: Callable[[StoredGroups, View], Result], views: Sequence[View]) -> list[Result]:
        """Call a function on each part with its view."""
        return list(map(function, self.groups, views))

    def fetched(self) -> Iterator[StoredGroups]:
        """Yield the parts."""
        return iter(self.groups)


class SortedStream(Kernel):
    """A single ranking in parts that are sorted by score.

    Parameters
    ----------
    parts : Parts
        Where the groups are.
    summaries : list of Summary
        Of each part.
    """

    def __init__(self, parts: Parts, summaries: Sequence[Summary]) -> None:
        self._parts = parts
        least = min(summary.least_weight for summary in summaries)
        greatest = max(summary.greatest_weight for summary in summaries)
        self.weighted = least < greatest  # rows of equal weights are counted
        # The weight of a row that counts 1; None for rows without weights.
        self.count_weight: float | None = least if least == greatest else 1.0 if self.weighted else None
        self._sums = np.array([summary.sums for summary in summaries], dtype=np.float64)
        if not self.weighted and self.count_weight is not None:
            self._sums[:, :2] = np.rint(self._sums[:, :2] / self.count_weight)
        self._tie_order: TieOrder | None = None
        self._best_precisions: dict[Any, list[float]] = {}  # of each part, for each factor and order
        self.found_weight, self._negatives, n_rows = np.cumsum(self._sums[::-1], axis=0)[-1:].T
        self.n_rows = int(n_rows[0])
        self._set_factor(1.0)

    @classmethod
    def of_groups(cls, groups: StoredGroups) -> "SortedStream":
        """Return the ranking of groups in this process."""
        return cls(LocalParts([groups]), [groups.summary()])

    @classmethod
    def of_parts(cls, parts: Parts, summaries: Sequence[Summary], limit: int) -> "SortedStream":
        """Return the ranking of parts elsewhere; groups within the limit are fetched: no more jobs."""
        if sum(summary.n_bytes for summary in summaries) <= limit:
            # Often: only scores of positives have a group. One call brings all parts.
            parts = LocalParts(parts.map(_stored_groups, [View()] * len(summaries)))
        return cls(parts, summaries)

    def _set_factor(self, factor: float) -> None:
        self._factor = factor
        self.total_weight = self.found_weight + factor * self._negatives

    def ranking(self, tie_order: TieOrder | None = None) -> Rankings:
        """Return the ranking, in an order of equal scores or with tied groups for None."""
        stream = copy(self)
        stream._tie_order = None if self.weighted else tie_order  # weights refuse an order later
        weighted_rows = stream if self.weighted else None
        return Rankings(
            stream, np.array((0, self.n_rows)), weighted_rows, self.found_weight, self.found_weight
        )

    def at_prevalence(self, ranking: Rankings, prevalence: float | None) -> Rankings:
        """Return a ranking of this stream with this share of positives."""
        if prevalence is None:
            return ranking
        factor = factor_of_negatives(ranking.n_positives, self._negatives, prevalence)
        kernel: Any = copy(ranking.kernel)
        kernel._set_factor(factor.item())
        return ranking._replace(kernel=kernel)

    def _views(self, *, keeps_negatives: bool = False) -> list[View]:
        # Above a part are all parts after it; nothing is above the last one.
        above = np.cumsum(np.append(self._sums[1:], np.zeros((1, 3)), axis=0)[::-1], axis=0)[::-1]
        tie_order = None if keeps_negatives else self._tie_order
        count_weight = None if self.weighted else self.count_weight
        return [
            View(Weights(*row), self._factor, count_weight, tie_order, keeps_negatives=keeps_negatives)
            for row in above.tolist()
        ]

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive, in this process. May be called again."""
        for groups, view in zip(self._parts.fetched(), self._views(), strict=True):
            for steps, _ in groups.blocks(view):
                yield steps

    def reduce(self, reduction: Reduction) -> FloatArray:
        """Return the sum or the greatest value of all steps, or the values of each."""
        return self._reduced(reduction, self._views())

    def _reduced(self, reduction: Reduction, views: list[View]) -> FloatArray:
        if reduction.enveloped and len(views) > 1:
            views = self._with_best_precision(views)
        results = self._parts.map(partial(_reduce, reduction), views)
        if reduction.combine == "each":
            return side_by_side([values for blocks in results for values in blocks])
        return np.array([max(results) if reduction.combine == "greatest" else math.fsum(results)])

    def _with_best_precision(self, views: list[View]) -> list[View]:
        """Return the views with the best precision of all worse parts; all numbers of the stream share it."""
        key = self._factor, views[0].tie_order
        if key not in self._best_precisions:
            self._best_precisions[key] = self._parts.map(_best_precision, views)
        # Parts are worst first, so a part sees the best precision of the parts before it.
        precisions = np.maximum.accumulate(np.append(0.0, self._best_precisions[key][:-1])).tolist()
        return [view._replace(best_precision=best) for view, best in zip(views, precisions, strict=True)]

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows; a tied group at the cut adds its share."""
        if not self.weighted:
            return super().weight_of_best(depth)
        return self._reduced(Reduction(partial(_weight_within, depth)), self._views(keeps_negatives=True))

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the summed weight of the `depth` heaviest positives."""
        n_rows = int(min(depth.item(), self.n_rows))
        parts = self._parts.map(partial(_heaviest_weights, n_rows), self._views())
        weight, counts = heaviest_rows(np.concatenate(parts), n_rows).T
        return np.array([(weight * counts).sum()])

    def map_points(self, function: Callable[[StoredGroups, View], Result]) -> list[Result]:
        """Call a function on each part, where all groups are steps."""
        return self._parts.map(function, self._views(keeps_negatives=True))


class Source(Protocol):
    """The rows of a file, a table or a cluster.

    Call `gather` first: it reads and checks the rows. Call `best`, `stream` or `reduce_queries` only if it
    returned None, and `close` in the end.
    """

    name: str
    roles: Roles
    limit: int
    reads_again: bool  # whether rows can be asked for once more

    def close(self) -> None:
        """Let the engine drop the rows."""

    def gather(self) -> Batch | None:
        """Return all rows, or None if they do not fit into memory."""

    def best(self, n_rows: int) -> Batch:
        """Return `best_rows` of all rows: no sort."""

    def stream(self, *, keeps_negatives: bool) -> SortedStream:
        """Return the ranking of all rows, sorted by score by the engine."""

    def reduce_queries(self, function: Callable[..., Result]) -> list[Result]:
        """Call a function on the rows of each part, sorted by query and score; no query is in two parts.

        A source need not sort rows if it passes the function a `chunk_rows` that no part reaches.
        """


def stream_of(
    source: Source, n_best: int | None, *, finds_first: bool = False, keeps_negatives: bool
) -> SortedStream:
    """Return the ranking of all rows; with `n_best`, only so many of the best rows must be in order.

    The others are in one group, or in two. If the caller asks for the first positive, it is not among them.
    """
    if n_best is not None and n_best * _BEST_ROW_BYTES <= max(source.limit, _LEAST_BEST_BYTES):
        rows = source.best(n_best).distinct()
        is_first_known = not finds_first or not rows.positive.any()
        if is_first_known or rows.take(rows.score > rows.score[rows.positive].max()).size < n_best:
            weighted = rows.weight is not None
            return SortedStream.of_groups(
                StoredGroups.of_batches(iter([rows]), weighted=weighted, keeps_negatives=keeps_negatives)
            )
    return source.stream(keeps_negatives=keeps_negatives)


def heaviest_rows(pairs: FloatArray, n_rows: int) -> FloatArray:
    """Return weights with their numbers of rows, heaviest first, up to so many rows."""
    weight, counts = pairs[np.argsort(-pairs[:, 0], kind="stable")].T
    before = np.cumsum(counts) - counts
    counts = np.minimum(counts, n_rows - before)  # 0 or less for weights after the last of these rows
    first: FloatArray = np.column_stack((weight, counts))[counts > 0]
    return first


def _stored_groups(groups: StoredGroups, _: View) -> StoredGroups:
    return groups


def _heaviest_weights(n_rows: int, groups: StoredGroups, _: View) -> FloatArray:
    return groups.heaviest_weights(n_rows)


def _weight_within(depth: FloatArray, steps: Steps) -> FloatArray:
    return steps.share_within(depth) * steps.group_weight


def _best_precision(groups: StoredGroups, view: View) -> float:
    precisions = (steps.tp / steps.retrieved for steps, _ in groups.blocks(view))
    return max((float(precision.max()) for precision in precisions), default=0.0)


def _reduce(reduction: Reduction, groups: StoredGroups, view: View) -> Any:
    """Return the result of a reduction for one part, whose blocks come worst score first."""
    envelope = Envelope(view.best_precision)  # at a step, the best precision at this step or below
    values = (reduction.values_of(steps, envelope) for steps, _ in groups.blocks(view))
    match reduction.combine:
        case "each":
            return list(values)
        case "greatest":
            return max((float(block.max()) for block in values), default=0.0)  # a part may have no positive
        case _:  # numpy adds up a block pairwise, and fsum adds blocks without rounding
            return math.fsum(float(np.add.reduce(block)) for block in values)

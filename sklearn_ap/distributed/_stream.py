"""A ranking whose rows come sorted, from a file or from workers: one kernel reduces its groups.

`groups_of` turns sorted rows into `Groups`: one record per distinct score of a positive, with the weight of
the negatives between it and the record before. `SortedStream` stores the records in a temporary file. It is a
`Kernel`, so every `Definition` computes its score.
"""

import math
import pickle
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from copy import copy
from functools import partial
from itertools import chain
from tempfile import SpooledTemporaryFile
from typing import Literal, NamedTuple, Protocol, TypeVar

import numpy as np

from .._api import with_total
from .._ranking._blocks import starts_of_runs
from .._ranking._prevalence import factor_of_negatives
from .._ranking._rankings import Kernel, Rankings
from .._ranking._steps import Envelope, Reduction, Steps
from .._reading._totals import PositiveTotals
from .._typing import AnyArray, FloatArray, TieOrder
from ._batches import Batch, Roles, SourceError, best_rows

_SPOOL_BYTES = 2**24  # of groups in memory; more go to disk
_MAX_BEST_ROWS = 2**20  # of a part of the rows, which are compared in this process; a deeper cut is sorted
_ORDERED_STEPS = 2**17  # in a block, where an order of ties makes each positive a step

Item = TypeVar("Item")
Order = Literal["score", "query, score"]  # of rows, worst score first


class Source(Protocol):
    """The rows of a file, a table or a cluster.

    Call `gather` first: it reads and checks the rows. Call `map_parts` only if it returned None, and `close`
    in the end.
    """

    name: str
    roles: Roles
    limit: int
    reads_again: bool  # whether rows can be asked for once more

    def close(self) -> None:
        """Let the engine drop the rows."""

    def gather(self) -> Batch | None:
        """Return all rows, or None if they do not fit into memory."""

    def map_parts(
        self, function: Callable[[Iterator[Batch]], Iterable[Item]], order: Order | None
    ) -> Generator[Item]:
        """Call a function on the batches of each part, where the part is; yield its results here.

        In an order of scores, parts come worst first, and no score is in two parts. In an order of queries,
        no query is in two parts; a source need not sort rows if it passes the function a `chunk_rows` that
        no part reaches.
        """


class Groups(NamedTuple):
    """Neighbouring tied groups of one ranking, worst score first, of one batch of rows.

    Groups without positives are counted in `below` of the next better group, unless they are kept. The first
    axis of sums is the weight of rows, then their number; without weights, it is the number alone.
    """

    score: AnyArray
    tied: FloatArray  # of shape (n_kinds, 2, n_groups): positives, and negatives, with this score
    below: (
        FloatArray  # of shape (n_kinds, n_groups): negatives between this group and the worse one before it
    )
    weights: tuple[float, float] | None = (
        None  # the least and the greatest of the rows, if these have weights
    )
    heaviest: FloatArray | None = None  # of shape (2, n_positives): weights, and the number of rows of each

    def sums(self) -> FloatArray:
        """Return the sums of positives and of negatives, of shape (n_kinds, 2).

        They are added in the order of `steps`: sums that are rounded otherwise would let recall end near 1
        and miss a level of 1.
        """
        positives, negatives = self.tied[:, 0], self.tied[:, 1] + self.below
        return np.stack((_sums_from_best(positives)[:, 0], _sums_from_best(negatives)[:, 0]), axis=1)

    def steps(self, above: FloatArray, factor: float, kind: int) -> Steps:
        """Return the steps of a ranking with these groups; `factor` multiplies the weight of negatives.

        Sums run from the best score down, as in memory, so that light rows at the top keep their digits. The
        sums `above` all groups are added last. The weight of a row is its weight or, if `kind` is -1, 1.
        """
        positives, negatives = self.tied[kind]
        tp = above[kind, 0] + _sums_from_best(positives)
        negatives_above = above[kind, 1] + _sums_from_best(negatives + self.below[kind])[1:]
        rows = self.tied[-1].sum(axis=0)
        rows_above = above[-1].sum() + _sums_from_best(rows + self.below[-1])[1:]
        return Steps(
            tp[:-1],
            tp[1:],
            tp[:-1] + factor * (negatives_above + negatives),
            lambda: tp[1:] + factor * negatives_above,
            rows=(lambda: rows_above + rows, lambda: rows_above),
        )


def _sums_from_best(values: FloatArray) -> FloatArray:
    """Return the sum of each value and all after it, then 0, along the last axis."""
    nothing = np.zeros((*values.shape[:-1], 1))
    sums: FloatArray = np.cumsum(np.concatenate((nothing, values[..., ::-1]), axis=-1), axis=-1)
    return sums[..., ::-1]


def groups_of(batches: Iterable[Batch], *, keeps_negatives: bool) -> Iterator[Groups]:
    """Yield the groups that end in each batch of rows, which come worst score first, then the best group.

    Equal scores may span batches. Groups of negatives alone are only kept if this is asked for.
    """
    # The score and the sums of the best group so far, which the next batch may continue.
    best: tuple[AnyArray, FloatArray] | None = None
    below = np.zeros(0)
    for batch in batches:
        if not batch.score.size:
            continue
        score, tied = _tied_sums(batch)
        if best is None:
            below = np.zeros((tied.shape[0], 1))  # the negatives above the last group that was kept
        elif best[0][0] == score[0]:  # only this group may go on in the batch, as its first
            tied[..., :1] += best[1]
        else:
            score, tied = np.append(best[0], score), np.append(best[1], tied, axis=-1)
        best = score[-1:], tied[..., -1:]
        kept = np.arange(score.size - 1) if keeps_negatives else np.flatnonzero(tied[-1, 0, :-1])
        groups, below = _kept_groups(score[:-1], tied[..., :-1], below, kept)
        if batch.weight is not None:
            groups = groups._replace(weights=(float(batch.weight.min()), float(batch.weight.max())))
        if batch.weight is not None and keeps_negatives:  # as for a cut, which the heaviest rows may fill
            positives = batch.take(batch.positive)
            groups = groups._replace(heaviest=np.stack((positives.weight, positives.counts)))
        yield groups
    if best is not None:  # it may have no positives
        yield _kept_groups(*best, below, np.zeros(1, dtype=int))[0]


def _tied_sums(batch: Batch) -> tuple[AnyArray, FloatArray]:
    """Return the distinct scores of sorted rows, and the sums of each class, of (n_kinds, 2, n_groups)."""
    starts = starts_of_runs(batch.score)
    if batch.weight is None and batch.n_rows is None:  # takes a third of the time
        n_rows = np.diff(starts, append=batch.score.size).astype(np.float64)
        positives = np.add.reduceat(batch.positive, starts, dtype=np.float64)
        return batch.score[starts], np.stack((positives, n_rows - positives))[np.newaxis]
    counts = batch.counts.astype(np.float64)
    kinds = [counts] if batch.weight is None else [batch.weight * counts, counts]
    classes = np.where([batch.positive, ~batch.positive], np.array(kinds)[:, np.newaxis], 0.0)
    return batch.score[starts], np.add.reduceat(classes, starts, axis=-1)


def _kept_groups(
    score: AnyArray, tied: FloatArray, below: FloatArray, kept: AnyArray
) -> tuple[Groups, FloatArray]:
    """Return some groups, whose `below` counts the negatives of others, and the negatives above them."""
    between = tied[:, 1].copy()
    between[:, kept] = 0.0
    # With a place for the negatives before and one behind, each group ends a run, and a run follows the last.
    between = np.concatenate((below, between, np.zeros_like(below)), axis=1)
    runs = np.add.reduceat(between, np.append(0, kept + 2), axis=1)
    return Groups(score[kept], tied[..., kept], runs[:, :-1]), runs[:, -1:]


class _GroupFile(SpooledTemporaryFile[bytes]):
    """A file in memory or, once it is large, on disk; it is removed with the object."""

    def __del__(self) -> None:
        """Close the file; else Python warns of it."""
        self.close()


class SortedStream(Kernel):
    """A single ranking of groups that are sorted by score, in a temporary file once they are many.

    Parameters
    ----------
    groups : iterable of Groups
        All groups, worst score first.
    """

    def __init__(self, groups: Iterable[Groups]) -> None:
        self._file = _GroupFile(max_size=_SPOOL_BYTES)  # as long as there is a ranking that reads it
        least, greatest, sums = math.inf, 0.0, []
        for part in groups:
            pickle.dump(part, self._file, pickle.HIGHEST_PROTOCOL)
            sums.append(part.sums())
            if part.weights is not None:
                least, greatest = min(least, part.weights[0]), max(greatest, part.weights[1])
        # From the best row down to each part, and above all of them.
        from_best = np.cumsum([np.zeros_like(sums[0]), *sums[::-1]], axis=0)[::-1]
        self._above = from_best[1:]
        self.weighted = least < greatest  # rows of equal weights are counted
        # The weight of a row that counts 1; None for rows without weights.
        self.count_weight: float | None = 1.0 if self.weighted else None if least > greatest else least
        self._kind = 0 if self.weighted else -1
        self.found_weight, self._negatives = from_best[0, self._kind, :, np.newaxis]
        self.n_rows = int(from_best[0, -1].sum())
        self._factor, self._tie_order = 1.0, None
        self.total_weight = self.found_weight + self._negatives

    def ranking(
        self,
        total: PositiveTotals | None = None,
        prevalence: float | None = None,
        tie_order: TieOrder | None = None,
    ) -> Rankings:
        """Return the ranking with a total of positives, at a prevalence, in an order of equal scores."""
        kernel = copy(self)
        kernel._tie_order = None if self.weighted else tie_order
        offsets, found = np.array((0, self.n_rows)), self.found_weight
        ranking = Rankings(kernel, offsets, kernel if self.weighted else None, found, found)
        ranking = with_total(ranking, total, self.count_weight)
        if prevalence is not None:
            kernel._factor = factor_of_negatives(ranking.n_positives, self._negatives, prevalence).item()
            kernel.total_weight = found + kernel._factor * self._negatives
        return ranking

    def _stored(self) -> Iterator[Groups]:
        offset = 0
        for _ in self._above:
            self._file.seek(offset)  # another iterator may have moved on
            groups: Groups = pickle.load(self._file)
            offset = self._file.tell()
            yield groups

    def tied_groups(self) -> Iterator[tuple[AnyArray, Steps]]:
        """Yield all groups that were kept as steps, with their scores."""
        for groups, above in zip(self._stored(), self._above, strict=True):
            if groups.score.size:
                yield groups.score, groups.steps(above, self._factor, self._kind)

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps that have a positive. May be called again."""
        for _, steps in self.tied_groups():
            # A positive that is too light to change the sums is not a step.
            gaining = _some_steps(steps, np.flatnonzero(steps.gained))
            if not gaining.tp.size:
                continue
            if self._tie_order is None:
                yield gaining
            else:
                yield from _in_order(gaining, self._tie_order)

    def reduce(self, reduction: Reduction) -> FloatArray:
        """Return the sum or the greatest value of all steps, or the values of each."""
        if reduction.combine != "sum":
            return super().reduce(reduction)
        envelope = Envelope()  # at a step, the best precision at this step or below
        # numpy adds up a block pairwise, and fsum adds blocks without rounding.
        sums = (np.add.reduce(reduction.values_of(steps, envelope)) for steps in self.blocks())
        return np.array([math.fsum(sums)])

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows; a tied group at the cut adds its share."""
        if not self.weighted:
            return super().weight_of_best(depth)
        shares = ((steps.share_within(depth) * steps.group_weight).sum() for _, steps in self.tied_groups())
        return np.array([math.fsum(shares)])

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the summed weight of the `depth` heaviest positives."""
        heaviest = np.zeros((2, 0))
        for groups in self._stored():
            if groups.heaviest is not None:
                heaviest = np.append(heaviest, groups.heaviest, axis=1)
                heaviest = heaviest[:, np.argsort(-heaviest[0], kind="stable")]
                before = np.cumsum(heaviest[1]) - heaviest[1]
                heaviest[1] = np.minimum(heaviest[1], depth - before)
                heaviest = heaviest[:, heaviest[1] > 0]  # others come after the last of these rows
        return np.array([(heaviest[0] * heaviest[1]).sum()])


def _some_steps(steps: Steps, indices: AnyArray) -> Steps:
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


def stream_of(
    source: Source, n_best: int | None, *, finds_first: bool = False, keeps_negatives: bool
) -> SortedStream:
    """Return the ranking of all rows; with `n_best`, only so many of the best rows must be in order.

    The others are in one group, or in two. If the caller asks for the first positive, it is not among them.
    """
    if n_best is not None and n_best <= _MAX_BEST_ROWS:
        with closing(source.map_parts(partial(_best_of_part, n_best), None)) as parts:
            rows = best_rows(parts, n_best).distinct()
        is_first_known = not finds_first or not rows.positive.any()
        if is_first_known or rows.take(rows.score > rows.score[rows.positive].max()).counts.sum() < n_best:
            return SortedStream(groups_of([rows], keeps_negatives=keeps_negatives))
    store = partial(groups_of, keeps_negatives=keeps_negatives)
    with temporary_file_errors(source.name), closing(source.map_parts(store, "score")) as groups:
        return SortedStream(groups)


def _best_of_part(n_rows: int, batches: Iterator[Batch]) -> Iterator[Batch]:
    first = next(batches, None)
    if first is not None:
        yield best_rows(chain([first], batches), n_rows)


@contextmanager
def temporary_file_errors(name: str) -> Iterator[None]:
    """Raise what the system says of temporary files as one line."""
    try:
        yield
    except OSError as error:
        raise SourceError(f"{name}: cannot write temporary files: {error.strerror}") from None

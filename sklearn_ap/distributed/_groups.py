"""The tied groups of one ranking whose rows come sorted by score, and their sums.

`groups_of` turns sorted rows into `Groups`: one record per distinct score of a
positive, with the weight of the negatives between it and the record before.
"""

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from .._core.ranking.prevalence import count_weights_of_classes
from .._core.ranking.rankings import Steps
from .._core.ranking.runs import starts_of_runs
from .._core.typing import AnyArray, BoolArray, FloatArray
from .._rows.batches import Batch


class WeightRanges(NamedTuple):
    """The weights of the positives, and of the negatives: an array of two of each."""

    least: FloatArray  # infinity without rows of the class
    greatest: FloatArray  # 0 without rows
    are_whole: BoolArray  # whether all are whole numbers

    def joined(self, other: "WeightRanges") -> "WeightRanges":
        """Return the weights of the rows of both."""
        return WeightRanges(
            np.minimum(self.least, other.least),
            np.maximum(self.greatest, other.greatest),
            self.are_whole & other.are_whole,
        )


def ranges_of(batch: Batch) -> WeightRanges:
    """Return the weights of each class; rows without weights have 1, and so have
    classes without rows then.
    """
    if batch.weight is None:
        return WeightRanges(np.ones(2), np.ones(2), np.ones(2, bool))
    of_classes = np.array([batch.positive, ~batch.positive])
    is_whole = batch.weight == np.floor(batch.weight)  # % takes ten times as long
    return WeightRanges(
        np.where(of_classes, batch.weight, math.inf).min(axis=1),
        np.where(of_classes, batch.weight, 0.0).max(axis=1),
        (~of_classes | is_whole).all(axis=1),
    )


class Units(NamedTuple):
    """What the sums of a ranking count, as `counted_rows` decides in memory."""

    unit: float  # caller's weight of 1
    factor: float  # of the sums of negatives
    # Whether sums of a class are numbers of rows, not weights.
    counts_positives: bool
    counts_negatives: bool

    def of_classes(self, sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the sums of positives, and all sums of negatives; the first axes are
        those of `Groups.sums`.
        """
        of_positives = sums[-1 if self.counts_positives else 0, 0]
        of_negatives = sums[-1 if self.counts_negatives else 0, 1:]
        return of_positives, of_negatives


def units_of(ranges: WeightRanges) -> Units:
    """Return the units of a ranking whose classes have these weights."""
    # NaN where the weights of a class differ, 0 where it has no rows.
    weights = np.where(ranges.least < ranges.greatest, math.nan, ranges.greatest)
    by_class, unit, factor = (
        array.item() for array in count_weights_of_classes(*weights[:, np.newaxis])
    )
    if by_class:
        return Units(unit, factor, counts_positives=True, counts_negatives=True)
    return Units(unit, 1 / unit, counts_positives=unit != 1, counts_negatives=False)


NO_ROWS = np.empty((2, 0))


class Groups(NamedTuple):
    """Neighbouring tied groups of one ranking, worst score first, of one batch of rows.

    Groups without positives are counted below the next better group, unless they are
    kept.
    """

    score: AnyArray
    # Positives with each score, negatives with it, and negatives between it and the
    # worse score before it; in weight, if rows have weights, and in rows. The shape is
    # (1 or 2, 3, n_groups).
    sums: FloatArray
    ranges: WeightRanges
    # Weights of positives, and numbers of their rows, of shape (2, n_positives); only
    # where they may fill a cut.
    heaviest: FloatArray = NO_ROWS

    def take(self, groups: slice) -> "Groups":
        """Return some of the groups, with all of `ranges` and `heaviest`."""
        return self._replace(score=self.score[groups], sums=self.sums[..., groups])

    def totals(self) -> FloatArray:
        """Return the sums of positives and of negatives over all groups.

        They are added in the order of `steps`: sums that are rounded otherwise would
        let recall end near 1 and miss a level of 1.
        """
        return np.array(
            [
                (sums_from_best(positives)[0], sums_from_best(at_score + below)[0])
                for positives, at_score, below in self.sums
            ]
        )

    def sums_from_top(self, above: FloatArray, units: Units) -> FloatArray:
        """Return the sums from the best score of the ranking down to each group, as
        `steps_of` takes them.

        They are added from the best score down, as in memory, so that light rows at the
        top keep their digits. The totals `above` all groups are added last.
        """
        positives, negatives = units.of_classes(self.sums)
        positives_above, negatives_above = units.of_classes(above)
        tp = positives_above + sums_from_best(positives)
        negatives_above = negatives_above + sums_from_best(negatives.sum(axis=0))[1:]
        rows = self.sums[-1].sum(axis=0)
        rows_above = above[-1].sum() + sums_from_best(rows)[1:]
        return np.array(
            [
                tp[:-1],
                tp[1:],
                tp[:-1] + units.factor * (negatives_above + negatives[0]),
                tp[1:] + units.factor * negatives_above,
                rows_above + self.sums[-1, :2].sum(axis=0),
                rows_above,
            ]
        )


def steps_of(sums: FloatArray) -> Steps:
    """Return groups as steps: positives at or above each score and above it, all rows
    so, and numbers of rows so.
    """
    tp, tp_above, retrieved, above, rows_retrieved, rows_above = sums
    rows = (lambda: rows_retrieved, lambda: rows_above)
    return Steps(tp, tp_above, retrieved, lambda: above, rows=rows)


def sums_from_best(values: FloatArray) -> FloatArray:
    """Return the sum of each value and all after it, then 0."""
    return np.cumsum(np.append(0.0, values[::-1]))[::-1]


def groups_of(batches: Iterable[Batch], *, keeps_negatives: bool) -> Iterator[Groups]:
    """Yield the groups of each batch of rows, which come worst score first.

    Equal scores may span batches (`joined_groups`). Groups of negatives alone are only
    kept if this is asked for, or if they are the first or the last of a batch.
    """
    for batch in batches:
        score, at_score = tied_sums(batch)
        below = np.zeros_like(at_score[:, 1:])
        if not keeps_negatives:
            is_kept = at_score[-1, 0] > 0
            is_kept[[0, -1]] = True
            kept = np.flatnonzero(is_kept)
            # Each group that is kept ends a run of others, whose negatives it counts.
            between = np.where(is_kept, 0.0, at_score[:, 1:])
            below = np.add.reduceat(between, np.append(0, kept[:-1] + 1), axis=-1)
            # `take` keeps the order in memory; brackets made scores take 1.8 times as long.
            score, at_score = score[kept], at_score.take(kept, axis=-1)
        sums = np.append(at_score, below, axis=1)
        groups = Groups(score, sums, ranges_of(batch))
        # The heaviest rows may fill a cut, which needs all groups.
        if keeps_negatives and batch.weight is not None:
            pairs = batch.weight[batch.positive], batch.counts[batch.positive]
            groups = groups._replace(heaviest=np.stack(pairs))
        yield groups


def tied_sums(batch: Batch) -> tuple[AnyArray, FloatArray]:
    """Return the distinct scores of sorted rows, and the sums of each class, of
    (n_kinds, 2, n_groups).
    """
    weights: list[AnyArray] = [batch.counts]
    if batch.weight is not None:
        weights.insert(0, batch.weight * batch.counts)
    of_classes = np.array([batch.positive, ~batch.positive])
    by_class = np.where(of_classes, np.array(weights)[:, np.newaxis], 0.0)
    return summed_by_score(batch.score, by_class)


def summed_by_score(score: AnyArray, sums: FloatArray) -> tuple[AnyArray, FloatArray]:
    """Return the distinct ones of sorted scores, and the sums of each."""
    starts = starts_of_runs(score)
    return score[starts], np.add.reduceat(sums, starts, axis=-1)


def joined_groups(groups: Iterable[Groups]) -> Iterator[Groups]:
    """Yield the groups of all batches of a ranking: the best score of a batch may go on
    in the next one.
    """
    best: Groups | None = None  # so far
    for part in groups:
        if best is not None and best.score[0] == part.score[0]:
            part.sums[..., :1] += best.sums
        elif best is not None:
            yield best
        yield part.take(slice(-1))
        best = part.take(slice(-1, None))._replace(heaviest=NO_ROWS)
    if best is not None:
        yield best

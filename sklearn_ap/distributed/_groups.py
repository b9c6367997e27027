"""The tied groups of one ranking whose rows come sorted by score, and their sums.

`groups_of` turns sorted rows into `Groups`: one record per distinct score of a
positive, with the weight of the negatives between it and the record before.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from .._ranking._blocks import starts_of_runs
from .._ranking._rankings import Steps
from .._typing import AnyArray, FloatArray
from ._batches import Batch

# the extremes of rows without weights
_EQUAL = np.array([[-1.0, 1.0, 0.0]] * 2)


class Groups(NamedTuple):
    """Neighbouring tied groups of one ranking, worst score first, of one batch of rows.

    Groups without positives are counted in `below` of the next better group, unless
    they are kept. The first axis of sums is the weight of rows, if they have weights,
    and their number.
    """

    score: AnyArray
    # positives and negatives with this score, of shape (n_kinds, 2, n_groups)
    tied: FloatArray
    # negatives between a group and the worse one before it, (n_kinds, n_groups or 1)
    below: FloatArray
    # Of the weights of each class: the least one, negated, the greatest one, and the
    # greatest fraction of one; zeros and -inf without rows. Shape (2, 3).
    weights: FloatArray
    # weights of positives, and numbers of their rows, (2, n_positives)
    heaviest: FloatArray | None = None

    def take(self, groups: slice) -> "Groups":
        """Return some of the groups, with all of `weights` and `heaviest`."""
        return self._replace(
            score=self.score[groups],
            tied=self.tied[..., groups],
            below=self.below[:, groups],
        )

    def sums(self) -> FloatArray:
        """Return the sums of positives and of negatives, of shape (n_kinds, 2).

        They are added in the order of `steps`: sums that are rounded otherwise would
        let recall end near 1 and miss a level of 1.
        """
        of_classes = self.tied[:, 0], self.tied[:, 1] + self.below
        by_class = np.stack(of_classes, axis=1)
        # the last of the sums, if there are groups
        sums: FloatArray = np.cumsum(by_class[..., ::-1], axis=-1)[..., -1:].sum(
            axis=-1
        )
        return sums

    def steps(self, above: FloatArray, factor: float, kinds: tuple[int, int]) -> Steps:
        """Return the steps of a ranking with these groups; `factor` multiplies the
        weight of negatives.

        Sums run from the best score down, as in memory, so that light rows at the top
        keep their digits. The sums `above` all groups are added last. The weight of a
        row of a class is its weight or, if the kind of the class is -1, 1.
        """
        of_positives, of_negatives = kinds
        positives = self.tied[of_positives, 0]
        negatives = self.tied[of_negatives, 1]
        tp = above[of_positives, 0] + sums_from_best(positives)
        below = self.below[of_negatives]
        negatives_above = above[of_negatives, 1] + sums_from_best(negatives + below)[1:]

        rows = self.tied[-1].sum(axis=0)
        rows_above = above[-1].sum() + sums_from_best(rows + self.below[-1])[1:]
        return Steps(
            tp[:-1],
            tp[1:],
            tp[:-1] + factor * (negatives_above + negatives),
            lambda: tp[1:] + factor * negatives_above,
            rows=(lambda: rows_above + rows, lambda: rows_above),
        )


def sums_from_best(values: FloatArray) -> FloatArray:
    """Return the sum of each value and all after it, then 0."""
    return np.cumsum(np.append(0.0, values[::-1]))[::-1]


def groups_of(
    batches: Iterable[Batch],
    *,
    keeps_negatives: bool,
    change: Callable[[Batch], Batch] | None = None,
) -> Iterator[Groups]:
    """Yield the groups of each batch of rows, which come worst score first, after a
    change of their weights.

    Equal scores may span batches (`joined_groups`). Groups of negatives alone are only
    kept if this is asked for, or if they are the first or the last of a batch.
    """
    for batch in batches if change is None else map(change, batches):
        if not batch.score.size:
            continue
        score, tied = tied_sums(batch)
        below = np.zeros_like(tied[:, 1])
        if not keeps_negatives:
            is_kept = tied[-1, 0] > 0
            is_kept[[0, -1]] = True
            kept = np.flatnonzero(is_kept)
            # each group that is kept ends a run of others, whose negatives it counts
            between = np.where(is_kept, 0.0, tied[:, 1])
            below = np.add.reduceat(between, np.append(0, kept[:-1] + 1), axis=1)
            score, tied = score[kept], tied[..., kept]
        groups = Groups(score, tied, below, extremes_of(batch))
        # as for a cut, which the heaviest rows may fill
        if keeps_negatives and batch.weight is not None:
            pairs = batch.weight[batch.positive], batch.counts[batch.positive]
            groups = groups._replace(heaviest=np.stack(pairs))
        yield groups


def extremes_of(batch: Batch) -> FloatArray:
    """Return what `Groups` say of the weights of each class."""
    if batch.weight is None:
        return _EQUAL
    of_classes = batch.weight[batch.positive], batch.weight[~batch.positive]
    return np.array(
        [
            (
                -w.min(initial=np.inf),
                w.max(initial=0.0),
                (w - np.floor(w)).max(initial=0.0),
            )
            for w in of_classes
        ]
    )


def tied_sums(batch: Batch) -> tuple[AnyArray, FloatArray]:
    """Return the distinct scores of sorted rows, and the sums of each class, of
    (n_kinds, 2, n_groups).
    """
    starts = starts_of_runs(batch.score)
    weights: list[AnyArray] = [batch.counts]
    if batch.weight is not None:
        weights.insert(0, batch.weight * batch.counts)
    of_classes = batch.positive, ~batch.positive
    by_class = [
        np.where(of_class, weight, 0.0) for weight in weights for of_class in of_classes
    ]
    sums = np.array([np.add.reduceat(weight, starts) for weight in by_class])
    return batch.score[starts], sums.reshape(len(weights), 2, -1)


def joined_groups(groups: Iterable[Groups]) -> Iterator[Groups]:
    """Yield the groups of all batches of a ranking: the best score of a batch may go on
    in the next one.
    """
    best: Groups | None = None  # so far
    for part in groups:
        joined = part
        if best is not None:
            # also the number of its groups
            is_tied = int(best.score[0] == part.score[0])
            others = part.take(slice(is_tied, None))
            tied = np.append(best.tied, others.tied, axis=-1)
            tied[..., :is_tied] += part.tied[..., :is_tied]
            joined = part._replace(
                score=np.append(best.score, others.score),
                tied=tied,
                below=np.append(best.below, others.below, axis=-1),
            )
        best = joined.take(slice(-1, None))._replace(heaviest=None)
        yield joined.take(slice(-1))
    if best is not None:
        yield best


def in_units(extremes: FloatArray) -> tuple[float, tuple[int, int], float]:
    """Return the weight that counts 1, the kinds of the sums of positives and of
    negatives, and the factor of the negatives.
    """
    (least, greatest, fraction), (lightest, heaviest, _) = (
        (-low, high, part) for low, high, part in extremes.tolist()
    )
    if least >= greatest and lightest >= heaviest:
        # A class without rows has the weight of the other one.
        unit = lightest if least == math.inf else least
        return unit, (-1, -1), 1.0 if lightest == math.inf else lightest / unit
    if least == greatest and fraction:
        return least, (-1, 0), 1 / least
    return 1.0, (0, 0), 1.0

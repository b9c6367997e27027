"""The tied groups of one ranking whose rows arrive sorted by score, and sums over them.

`groups_of` returns the `TiedGroups` of sorted rows: for each distinct score of a
positive, the sums over the rows with this score, and over the negatives between this
score and the next lower score of a positive.
"""

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from .._core.ranking.prevalence import count_weights_of_classes
from .._core.ranking.rankings import Steps
from .._core.ranking.runs import starts_of_runs
from .._core.typing import AnyArray, BoolArray, FloatArray, IntArray
from .._rows.batches import Batch

# Axes of arrays of sums. The first axis contains the sums of weights (if rows have
# weights) and, last, the numbers of rows. Without weights, it only contains the numbers
# of rows, so both places are the same.
WEIGHTS, N_ROWS = 0, -1
# The second axis contains the sums of the positives and, after them, one or two sums of
# negatives.
POSITIVES, NEGATIVES = 0, slice(1, None)


class WeightRanges(NamedTuple):
    """The range of the weights of each class: arrays with one value for the positives
    and one for the negatives.
    """

    # The least weight; infinity if the class has no rows.
    least: FloatArray
    # The greatest weight; 0 if the class has no rows.
    greatest: FloatArray
    # Whether all weights are whole numbers; True if the class has no rows.
    are_whole: BoolArray

    def joined(self, other: "WeightRanges") -> "WeightRanges":
        """Return the ranges over the rows of both parts."""
        return WeightRanges(
            np.minimum(self.least, other.least),
            np.maximum(self.greatest, other.greatest),
            self.are_whole & other.are_whole,
        )


def ranges_of(batch: Batch) -> WeightRanges:
    """Return the range of the weights of each class.

    Rows without weights have weight 1. The range of each class is then 1 to 1, also for
    a class without rows.
    """
    if batch.weight is None:
        return WeightRanges(np.ones(2), np.ones(2), np.ones(2, bool))
    of_classes = np.array([batch.positive, ~batch.positive])
    # A test with the operator % takes ten times as long as this comparison.
    is_whole = batch.weight == np.floor(batch.weight)
    return WeightRanges(
        np.where(of_classes, batch.weight, math.inf).min(axis=1),
        np.where(of_classes, batch.weight, 0.0).max(axis=1),
        (~of_classes | is_whole).all(axis=1),
    )


class CountWeights(NamedTuple):
    """Whether rankings use numbers of rows or sums of weights: for positives, and for
    negatives.

    The rules are those of `counted_rows` for rows in memory.
    """

    # The caller's weight that counts as 1.
    count_weight: float
    # The sums of negatives are multiplied by this factor.
    factor: float
    # Whether the sums of the positives, and those of the negatives, are numbers of rows
    # (True) or weights (False).
    counts_positives: bool
    counts_negatives: bool

    def of_classes(self, sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the sums of positives, and all sums of negatives, from an array whose
        first two axes are those of `TiedGroups.sums`.
        """
        of_positives = sums[N_ROWS if self.counts_positives else WEIGHTS, POSITIVES]
        of_negatives = sums[N_ROWS if self.counts_negatives else WEIGHTS, NEGATIVES]
        return of_positives, of_negatives


def count_weights_of(ranges: WeightRanges) -> CountWeights:
    """Return whether a ranking uses numbers of rows or weights, for classes whose
    weights have these ranges.
    """
    # The weight of each class: NaN if its weights differ, and 0 if it has no rows.
    weights = np.where(ranges.least < ranges.greatest, math.nan, ranges.greatest)
    # `count_weights_of_classes` returns arrays with one value per ranking. Here, there
    # is one ranking.
    has_one_weight_per_class, count_weight, factor = (
        array.item() for array in count_weights_of_classes(*weights[:, np.newaxis])
    )
    if has_one_weight_per_class:
        return CountWeights(
            count_weight, factor, counts_positives=True, counts_negatives=True
        )
    # The weights of at least one class differ. Positives are counted if they all have
    # one weight that is not a whole number, since sums of this weight would be rounded.
    # Then the weights of negatives are divided by this weight.
    return CountWeights(
        count_weight,
        1 / count_weight,
        counts_positives=count_weight != 1,
        counts_negatives=False,
    )


# `TiedGroups.heaviest` without rows: neither weights nor numbers of rows.
NO_ROWS = np.empty((2, 0))


class TiedGroups(NamedTuple):
    """Neighbouring tied groups of one ranking, from one batch of rows. The worst score
    comes first.

    Negatives whose score no positive has form a group only if the score needs all
    groups. Otherwise, they are counted below the next better group.
    """

    score: AnyArray
    # For each group, the sums over its positives, over its negatives, and over the
    # negatives between this group and the worse group before it. The sums are weights
    # (if rows have weights) and numbers of rows: the shape is (1 or 2, 3, n_groups).
    sums: FloatArray
    ranges: WeightRanges
    # Weights of positives and numbers of their rows, of shape (2, n). Empty unless a
    # cut may need the heaviest positives.
    heaviest: FloatArray = NO_ROWS

    def take(self, groups: slice) -> "TiedGroups":
        """Return some of the groups, with the same `ranges` and `heaviest`."""
        return self._replace(score=self.score[groups], sums=self.sums[..., groups])

    def totals(self) -> FloatArray:
        """Return the sums of positives and of negatives over all groups, of shape
        (1 or 2, 2).

        The values are added in the same order as in `steps_below`. In another order,
        the sums would be rounded in another way, and the last recall could be below 1.
        """
        return np.array(
            [
                (sums_from_best(positives)[0], sums_from_best(at_score + below)[0])
                for positives, at_score, below in self.sums
            ]
        )

    def steps_below(
        self, above: FloatArray, count_weights: CountWeights, *, all_groups: bool
    ) -> Steps:
        """Return the groups that have a positive, or all groups, as steps.

        `above` contains the totals above all of these groups, which are added last. As
        in memory, sums are added from the best score down, so that light rows at the
        top keep their digits.
        """
        positives, (negatives_at_score, negatives_below) = count_weights.of_classes(
            self.sums
        )
        total_positives_above, total_negatives_above = count_weights.of_classes(above)
        positives_from_best = total_positives_above + sums_from_best(positives)
        tp, tp_above = positives_from_best[:-1], positives_from_best[1:]
        negatives = negatives_at_score + negatives_below
        negatives_above = total_negatives_above + sums_from_best(negatives)[1:]
        negatives_retrieved = negatives_above + negatives_at_score
        rows_positive, rows_at_score, rows_below = self.sums[N_ROWS]
        rows_tied = rows_positive + rows_at_score
        total_rows_above = above[N_ROWS].sum()
        rows_above = total_rows_above + sums_from_best(rows_tied + rows_below)[1:]
        # If the positives of a group are too light to change `tp`, the group is not a
        # step.
        kept = all_groups | (tp > tp_above)
        weight_above = (tp_above + count_weights.factor * negatives_above)[kept]
        return Steps(
            tp[kept],
            tp_above[kept],
            (tp + count_weights.factor * negatives_retrieved)[kept],
            lambda: weight_above,
            rows=(lambda: (rows_above + rows_tied)[kept], lambda: rows_above[kept]),
        )


def sums_from_best(values: FloatArray) -> FloatArray:
    """Return, for values of groups with the worst score first, the sum of each value
    and all values after it. The sum after the last value, which is 0, is appended.
    """
    return np.cumsum(np.append(0.0, values[::-1]))[::-1]


def groups_of(
    batches: Iterable[Batch], *, keeps_negatives: bool
) -> Iterator[TiedGroups]:
    """Yield the tied groups of each batch of rows. The worst score comes first.

    Rows with equal scores may be in two batches; `joined_groups` joins their groups.
    With `keeps_negatives`, groups without a positive are kept. Without it, only the
    first and the last group of a batch are kept if they have no positive.
    """
    for batch in batches:
        # The sums over the positives and over the negatives at each score.
        score, at_score = tied_sums(batch)
        below = np.zeros_like(at_score[:, NEGATIVES])
        if not keeps_negatives:
            kept, below = _kept_groups(at_score)
            # `take` returns an array in C order. An index in brackets returns another
            # order, with which a score would take 1.8 times as long.
            score, at_score = score[kept], at_score.take(kept, axis=-1)
        sums = np.append(at_score, below, axis=1)
        groups = TiedGroups(score, sums, ranges_of(batch))
        # Scores that need all groups may be divided by the score of a perfect ranking,
        # which has the heaviest positives above the cut.
        if keeps_negatives and batch.weight is not None:
            pairs = batch.weight[batch.positive], batch.counts[batch.positive]
            groups = groups._replace(heaviest=np.stack(pairs))
        yield groups


def _kept_groups(at_score: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the places of the groups to keep: those with positives, and the first and
    the last group of a batch. Also return, for each kept group, the sums over the
    negatives of the dropped groups between it and the next lower kept group.
    """
    is_kept = at_score[N_ROWS, POSITIVES] > 0
    # The neighbouring batches may have more rows with these two scores.
    is_kept[[0, -1]] = True
    kept = np.flatnonzero(is_kept)
    # The sum of each kept group starts after the kept group before it.
    dropped = np.where(is_kept, 0.0, at_score[:, NEGATIVES])
    starts = np.append(0, kept[:-1] + 1)
    return kept, np.add.reduceat(dropped, starts, axis=-1)


class SumsByScore(NamedTuple):
    """Distinct scores, and the sums of each class at each of them."""

    score: AnyArray
    # Weights (if rows have weights) and numbers of rows: the shape is
    # (1 or 2, 2, n_scores).
    sums: FloatArray


def tied_sums(batch: Batch) -> SumsByScore:
    """Return the distinct scores of sorted rows, and the sums of each class."""
    summed: list[AnyArray] = [batch.counts]
    if batch.weight is not None:
        summed.insert(0, batch.weight * batch.counts)
    of_classes = np.array([batch.positive, ~batch.positive])
    by_class = np.where(of_classes, np.array(summed)[:, np.newaxis], 0.0)
    return summed_by_score(batch.score, by_class)


def summed_by_score(score: AnyArray, sums: FloatArray) -> SumsByScore:
    """Return the distinct values of sorted scores, and the sum over the rows of each."""
    starts = starts_of_runs(score)
    return SumsByScore(score[starts], np.add.reduceat(sums, starts, axis=-1))


def joined_groups(groups: Iterable[TiedGroups]) -> Iterator[TiedGroups]:
    """Yield the groups of all batches of a ranking. The best group of a batch is joined
    to the first group of the next batch if they have the same score.
    """
    # The best group so far. The next batch may have more rows with its score.
    best: TiedGroups | None = None
    for part in groups:
        if best is not None and best.score[0] == part.score[0]:
            part.sums[..., :1] += best.sums
        elif best is not None:
            yield best
        # The best group comes last. `heaviest` is kept with the other groups, so that
        # it is not counted twice.
        yield part.take(slice(-1))
        best = part.take(slice(-1, None))._replace(heaviest=NO_ROWS)
    if best is not None:
        yield best

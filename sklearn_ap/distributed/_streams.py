"""The kernel of a ranking whose rows exceed memory, and arrive sorted by score.

`SortedStream` stores the tied groups of the ranking in a temporary file. It is a
`Kernel`, so every `Definition` can compute its score.
"""

import pickle
from collections.abc import Iterable, Iterator
from copy import copy
from functools import partial, reduce
from tempfile import SpooledTemporaryFile
from typing import Any

import numpy as np

from .._core.evaluate import with_totals
from .._core.ranking.prevalence import factor_of_negatives
from .._core.ranking.rankings import Kernel, Rankings, Steps
from .._core.typing import BoolArray, FloatArray, TieOrder
from ._tied_groups import (
    N_ROWS,
    NO_ROWS,
    TiedGroups,
    WeightRanges,
    count_weights_of,
    joined_groups,
)

# Bytes of tied groups that are kept in memory. More are written to disk.
_SPOOL_BYTES = 2**24
# Steps in a block, if equal scores have an order, so that each positive is a step.
_ORDERED_STEPS = 2**17


class _GroupFile(SpooledTemporaryFile[bytes]):
    """A temporary file in memory, which is moved to disk once it is large."""

    def __del__(self) -> None:
        """Close the file, since Python warns of files that were not closed."""
        self.close()


class SortedStream(Kernel):
    """The kernel of a single ranking, whose sorted tied groups are in a temporary file.

    Parameters
    ----------
    groups : iterable of TiedGroups
        All tied groups of the ranking. The worst score comes first. The last group of
        an item and the first group of the next item may have the same score.
    """

    def __init__(self, groups: Iterable[TiedGroups]) -> None:
        # Copies of this kernel share the file, which is removed with the last copy.
        self._file = _GroupFile(max_size=_SPOOL_BYTES)
        totals, ranges = [], []
        for part in joined_groups(groups):
            pickle.dump(part, self._file, pickle.HIGHEST_PROTOCOL)
            totals.append(part.totals())
            ranges.append(part.ranges)
        # The totals over each part and all parts with better scores, followed by zeros.
        no_rows = np.zeros_like(totals[0])
        from_best = np.cumsum([no_rows, *totals[::-1]], axis=0)[::-1]
        total, self._above = from_best[0], from_best[1:]
        self._ranges = reduce(WeightRanges.joined, ranges)
        self._count_weights = count_weights_of(self._ranges)
        # If rows have weights, there are two kinds of totals: weights and numbers of
        # rows.
        has_weights = len(total) > 1
        self.count_weight = None
        if has_weights:
            self.count_weight = np.array([self._count_weights.count_weight])
        self.factor = None
        if self._count_weights.factor != 1:
            self.factor = np.array([self._count_weights.factor])
        self.weighted = (
            self.factor is not None or not self._count_weights.counts_negatives
        )
        found, self._negatives = self._count_weights.of_classes(total)
        self.found_weight = np.array([found])
        self.n_rows = int(total[N_ROWS].sum())
        self._tie_order: TieOrder | None = None

    def ranking(
        self,
        total: FloatArray | None,
        prevalence: float | None,
        tie_order: TieOrder | None,
    ) -> Rankings:
        """Return the ranking with this total of positives, at this prevalence, and with
        this order of equal scores. All three may be None.
        """
        kernel = copy(self)
        # If weights differ, the order is None, since definitions with an order of equal
        # scores require equal weights.
        kernel._tie_order = tie_order
        # Sums are rounded only if rows have different weights. `Rankings` takes the
        # kernel of such rows, or None.
        weighted_rows = None
        if not self._count_weights.counts_negatives:
            weighted_rows = kernel
        offsets, found = np.array((0, self.n_rows)), self.found_weight
        ranking = Rankings(kernel, offsets, weighted_rows, found, found)
        if total is not None:
            ranking = with_totals(ranking, total, self.count_weight)
        if prevalence is not None:
            kernel.factor = factor_of_negatives(
                ranking.n_positives, self._negatives, prevalence
            )
            kernel._count_weights = self._count_weights._replace(
                factor=kernel.factor.item()
            )
        return ranking

    @property
    def total_weight(self) -> FloatArray:  # type: ignore[override]  # it has a factor
        """Weight of all samples."""
        return self.found_weight + self.negative_weight

    @property
    def negative_weight(self) -> FloatArray:
        """Weight of the negatives, multiplied by their factor."""
        return self._count_weights.factor * self._negatives

    def fractions_of_classes(self) -> BoolArray:
        """Return, for positives and for negatives, whether their sums are rounded
        because weights are not whole numbers. Numbers of rows are not rounded.
        """
        are_counts = (
            self._count_weights.counts_positives,
            self._count_weights.counts_negatives,
        )
        return ~(self._ranges.are_whole | are_counts)[:, np.newaxis]

    def _stored(self) -> Iterator[TiedGroups]:
        """Yield all groups in the file. The worst score comes first."""
        offset = 0
        for _ in self._above:
            # Another iterator may have moved the position in the file.
            self._file.seek(offset)
            groups: TiedGroups = pickle.load(self._file)
            offset = self._file.tell()
            yield groups

    def _steps(self, *, all_groups: bool) -> Iterator[Steps]:
        """Yield the groups in the file that have a positive, or all groups, as steps.
        The worst score comes first.
        """
        for groups, above in zip(self._stored(), self._above, strict=True):
            yield groups.steps_below(above, self._count_weights, all_groups=all_groups)

    def blocks(self) -> Iterator[Steps]:
        """Yield the steps of the groups that have a positive. Each call reads the file
        from its beginning.
        """
        for steps in self._steps(all_groups=False):
            if not steps.tp.size:
                continue
            if self._tie_order is None:
                yield steps
            else:
                yield from _ordered_steps(steps, self._tie_order)

    def weight_of_best(self, depth: FloatArray) -> FloatArray:
        """Return the weight of the first `depth` rows. For a tied group that the cut
        divides, the share of its weight above the cut is added.
        """
        if not self.weighted:
            return super().weight_of_best(depth)
        shares = (
            (steps.share_within(depth) * steps.group_weight).sum()
            for steps in self._steps(all_groups=True)
        )
        return np.array([sum(shares)])

    def heaviest_positives(self, depth: FloatArray) -> FloatArray:
        """Return the sum of the weights of the `depth` heaviest positives."""
        heaviest = NO_ROWS
        for groups in self._stored():
            weight, n_rows = np.append(heaviest, groups.heaviest, axis=1)
            order = np.argsort(-weight, kind="stable")
            weight, n_rows = weight[order], n_rows[order]
            # Keep only the `depth` heaviest rows: for each weight, at most the number
            # of rows that remains after all heavier rows.
            n_heavier = np.cumsum(n_rows) - n_rows
            n_rows = n_rows.clip(max=depth - n_heavier)
            heaviest = np.stack([weight, n_rows])[:, n_rows > 0]
        weight, n_rows = heaviest
        total: Any = (weight * n_rows).sum()
        return np.asarray(total / self.count_weight)


def _ordered_steps(steps: Steps, tie_order: TieOrder) -> Iterator[Steps]:
    """Yield one step per positive, in blocks. The order of equal scores ranks all
    negatives of a tied group below its positives, or all above.
    """
    # All sums of `steps` are numbers of rows, since an order of equal scores requires
    # equal weights.
    ends = np.cumsum(steps.gained)
    # `resolve_score` raises an error for ties="stable", the order of the rows.
    assert tie_order != "stable", tie_order
    negatives = steps.above - steps.tp_above
    if tie_order == "pessimistic":
        negatives = steps.retrieved - steps.tp
    # Positives are numbered from 0, and the worst score comes first. `ends` contains
    # the number of positives up to each group, so positive n is in the first group
    # whose end is greater than n.
    first_of_group = ends - steps.gained
    n_positives = int(ends[-1])
    for start in range(0, n_positives, _ORDERED_STEPS):
        positive = np.arange(start, min(start + _ORDERED_STEPS, n_positives))
        group = np.searchsorted(ends, positive, side="right")
        place_in_group = positive - first_of_group[group]
        tp = steps.tp[group] - place_in_group
        retrieved = tp + negatives[group]
        yield Steps(tp, tp - 1, retrieved, partial(np.subtract, retrieved, 1))

"""Ranges of rows that an engine gathers on its workers, which rank them and return sums.

A scan has counted rows in bins, so what stands above each range is known before it is gathered. A worker
then knows the steps of its range, and what each adds to any score. Interpolation also needs the best
precision of all worse ranges, which other workers find at the same time. The bins bound it: a step that rises
above both bounds adds the same whatever it is, and the few steps between the bounds are sent as they are.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..._ranking._ranges import AnyRange, Asked, Bounds, CommonWalk, Taken
from ..._ranking._steps import Steps
from ..._ranking._table import from_each_on
from ..._reading._read import Checked
from ..._typing import AnyArray, FloatArray
from .._states._rows import AllRows
from .._states._sums import AnyBins
from ._job import EVERYWHERE, Inside, Window
from ._slices import LeftOut, Ranges, Slice

_SLACK = 2.0**-40  # far more than a precision is rounded by

Rank = Callable[[Slice, AllRows | None, LeftOut | None], AnyRange]
Counts = tuple[int, int]


def exchanged(ranges: Ranges, rank: Rank, asked: list[Asked]) -> list[FloatArray] | None:
    """Answer all that is asked by exchanges; None for a single range, or without workers.

    Each exchange reads all rows, and brings as many ranges together as the workers have room for.
    """
    gathered, job = [one for one in ranges.slices if one.tied is None], ranges.job
    room = job.source.room()
    if room is None or len(ranges.slices) < 2:
        return None
    bounds = list(zip(*(_bounds(ranges, gathered, one) for one in asked), strict=True))
    works = [
        # The window may hold as many numbers as there are bins, and the worker does not need it.
        _RankRange(one._replace(window=EVERYWHERE), ranges.left_out_of(one), rank, asked, of_walks)
        for one, of_walks in zip(gathered, bounds, strict=True)
    ]
    rounds = _rounds([sum(one.counts) * job.row_bytes for one in gathered], room)
    job.expect(len(rounds))
    found = []
    for these in rounds:
        into = Inside(_Numbered.of_slices(ranges.bins, gathered[these]), EVERYWHERE, job.views)
        found += job.exchange(into, works[these])
    common, results = CommonWalk(asked), iter(found)
    for one in ranges.slices:
        if one.tied is not None:
            common.add(rank(one, None, None))
            continue
        result = next(results)
        if isinstance(result, tuple):
            raise ranges.changed(one, result)
        common.join(result)
    return common.answers()


def _rounds(sizes: list[int], room: float) -> list[slice]:
    """Return runs of neighbours that take the room together, or one that takes more."""
    firsts, held = list[int](), 0
    for number, size in enumerate(sizes):
        held += size
        if not firsts or held > room:
            firsts.append(number)
            held = size
    return [slice(*both) for both in pairwise([*firsts, len(sizes)])]


@dataclass(frozen=True)
class _RankRange:
    """What a worker does: rank a range, given what stands above it, and return what was asked."""

    one: Slice
    left_out: LeftOut | None
    rank: Rank
    asked: list[Asked]
    bounds: Sequence[Bounds]

    def __call__(self, rows: AllRows | None) -> list[Taken] | Counts:
        """Return what each walk takes, or other counts than the first scan found."""
        if rows is None or rows.counts != self.one.counts:
            return (0, 0) if rows is None else rows.counts
        common = CommonWalk(self.asked, self.bounds)
        common.add(self.rank(self.one, rows, self.left_out))
        return common.taken()


@dataclass(frozen=True)
class _Numbered:
    """The rows of each slice, by its number."""

    bins: AnyBins
    of_bin: AnyArray  # below -1 where several slices divide the bin
    divided: Mapping[int, list[tuple[int, Window]]]  # the slices of such a number, and their inner windows

    @classmethod
    def of_slices(cls, bins: AnyBins, slices: Sequence[Slice]) -> "_Numbered":
        """Return the cut of rows into slices, which are numbered as they come."""
        of_bin, divided = np.full(bins.n_bins, -1, dtype=np.int32), dict[int, list[tuple[int, Window]]]()
        for number, one in enumerate(slices):
            (_, first, stop, wanted), *inner = one.window
            here = slice(first, stop)
            if inner:
                of_bin[here] = -2 - first
                divided.setdefault(-2 - first, []).append((number, tuple(inner)))
            else:
                of_bin[here] = number if wanted is None else np.where(wanted[here], number, -1)
        return cls(bins, of_bin, divided)

    def __call__(self, checked: Checked) -> dict[int, AllRows]:
        """Return the rows of each slice that has some."""
        number = self.of_bin[self.bins.of(checked.score)]
        for bin_, slices in self.divided.items():
            in_bin = np.flatnonzero(number == bin_)
            for one, window in slices:
                rows = in_bin
                for level in window:
                    rows = rows[level.holds(checked.score[rows])]
                number[rows] = one
        order = np.argsort(number, kind="stable")
        numbers, first = np.unique(number[order], return_index=True)
        pieces = zip(numbers.tolist(), np.split(order, first[1:]), strict=True)
        return {one: AllRows.of_rows(checked.take(rows)) for one, rows in pieces if one >= 0}


def _bounds(ranges: Ranges, slices: Sequence[Slice], asked: Asked) -> list[Bounds]:
    """Return bounds of the best precision of all ranges that are worse than each slice."""
    if not asked.walk.enveloped:
        return [Bounds()] * len(slices)
    sums = ranges.sums.rows if ranges.sums.weights is None else ranges.sums.weights.exact()
    positives, negatives = (from_each_on(one).astype(np.float64) for one in sums)
    filled = np.flatnonzero(ranges.sums.rows[0])
    tp, negatives = positives[filled], asked.factor * negatives

    def best_up_to(of_negatives: FloatArray) -> FloatArray:
        """Return the best precision of all bins before each, where each has so many negatives."""
        steps = Steps(tp, positives[filled + 1], tp + of_negatives, lambda: tp)  # nobody asks what is above
        steps = asked.walk.seen(steps)
        return np.append(0.0, np.maximum.accumulate(steps.tp / steps.retrieved))

    # The lowest positive of a bin has no more rows above it than the bin ends with, and no step of the bin
    # has fewer negatives, or more positives, than all bins above and the positives of this one.
    least, most = best_up_to(negatives[filled]), best_up_to(negatives[filled + 1])
    first = np.array([one.window[0].first for one in slices], dtype=np.int64)
    # Other slices of a divided bin may be worse.
    divided = np.array([len(one.window) > 1 for one in slices], dtype=np.int64)
    low, high = least[filled.searchsorted(first)], most[filled.searchsorted(first + divided)]
    bounds = zip((low * (1 - _SLACK)).tolist(), (high * (1 + _SLACK)).tolist(), strict=True)
    return [Bounds(*one) for one in bounds]

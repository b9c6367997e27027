"""The functions that reduce the rows of a pass over the data, without a sort of all
rows. They run in the process that has the rows.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from .._core.typing import AnyArray, FloatArray
from .._shown.sources import SourceError
from ._batches import Rows, chunks, concatenate

# Rows that are looked up at once.
_CHUNK_ROWS = 2**19
# A row above a cut takes this many bytes.
ROW_BYTES = 64
# If the same weights are added in different orders, the sums differ by less than this
# share.
_ROUNDING = 1e-9


@dataclass
class Totals:
    """The numbers of rows of weight above 0 and their weights. Each array has an element
    for the negatives and one for the positives.
    """

    n_rows: FloatArray = field(default_factory=lambda: np.zeros(2))
    weight: FloatArray = field(default_factory=lambda: np.zeros(2))

    def add(self, other: "Totals") -> None:
        """Add the rows of another part."""
        self.n_rows += other.n_rows
        self.weight += other.weight

    def check(self, second: "Totals") -> None:
        """Raise SourceError unless a second pass has found the same rows."""
        rows_are_same = np.array_equal(self.n_rows, second.n_rows)
        if rows_are_same and np.allclose(
            self.weight, second.weight, rtol=_ROUNDING, atol=0
        ):
            return
        first, again = (
            f"{totals.n_rows.sum():,.0f} rows and {totals.n_rows[1]:,.0f} positives"
            for totals in (self, second)
        )
        raise SourceError(
            f"data: has {first} in a first pass and {again} in a second one, but rows "
            "that exceed memory_limit are read twice: pass data that can be read again, "
            "or add each batch to a RankingState"
        )


def counted(batches: Iterable[Rows], totals: Totals) -> Iterator[Rows]:
    """Yield the rows of weight above 0 of each batch, without ids of queries, and add
    them to the totals.
    """
    for batch in batches:
        rows = batch._replace(query=None)
        if rows.weight is not None:
            rows = rows.take(rows.weight > 0)
        n_positives = np.count_nonzero(rows.positive)
        n_rows = np.array([rows.score.size - n_positives, n_positives], dtype=float)
        weight = n_rows
        if rows.weight is not None:
            weight = np.bincount(rows.positive, rows.weight, minlength=2)
        totals.add(Totals(n_rows, weight))
        if rows.score.size:
            yield rows


def only_totals(batches: Iterable[Rows]) -> None:
    """Read all rows, of which only the totals are needed."""
    for _ in batches:
        pass


def scores_of_positives(
    batches: Iterable[Rows], most: int
) -> tuple[AnyArray, FloatArray]:
    """Return the sorted distinct scores of positives and the weight at each of them."""
    so_far = np.empty(0), np.empty(0)
    positives = (rows.take(rows.positive) for rows in batches)
    # A chunk and the scores so far take about one and a half times the memory of `most`
    # scores.
    for rows in chunks(positives, most // 2):
        weight = np.ones(rows.score.size) if rows.weight is None else rows.weight
        so_far = summed([so_far, (rows.score, weight)])
        check_scores(so_far[0].size, most)
    return so_far


def check_scores(n_scores: int, most: int) -> None:
    """Raise SourceError if there are more distinct scores than memory has room for."""
    if n_scores > most:
        raise SourceError(
            f"data: the positives have more than {most:,} distinct scores, which exceed "
            "memory_limit; pass a higher limit, or round the scores"
        )


def summed(parts: list[tuple[AnyArray, FloatArray]]) -> tuple[AnyArray, FloatArray]:
    """Return the sorted distinct scores of all parts, and the sum at each of them."""
    # A part without scores may have another type.
    filled = [part for part in parts if part[0].size]
    if not filled:
        return np.empty(0), np.empty(0)
    scores, sums = zip(*filled, strict=True)
    score = np.concatenate(scores)
    order = np.argsort(score, kind="stable")
    score = score[order]
    start = np.flatnonzero(np.append(True, score[1:] != score[:-1]))
    return score[start], np.add.reduceat(np.concatenate(sums)[order], start)


def negatives_between(batches: Iterable[Rows], score: AnyArray) -> FloatArray:
    """Return the weight of the negatives below the first score, at it, between it and
    the next score, at the next score, and so on.
    """
    sums = np.zeros(2 * score.size + 1)
    for rows in chunks(batches, max(_CHUNK_ROWS, sums.size)):
        value, order = rows.score[~rows.positive], None
        if rows.weight is None:
            value.sort()
        else:
            order = np.argsort(value)
            value = value[order]
        # It is faster to look up each score in the sorted rows than to look up each row
        # among the scores.
        sides = value.searchsorted(score), value.searchsorted(score, "right")
        stops = np.append(np.stack(sides, axis=1), value.size)
        counts = np.diff(stops, prepend=0)
        if rows.weight is None:
            sums += counts
            continue
        # Where no row is between two scores, `reduceat` would return the weight of the
        # next row.
        (filled,) = counts.nonzero()
        weight = rows.weight[~rows.positive][order]
        sums[filled] += np.add.reduceat(weight, (stops - counts)[filled])
    return sums


def best_rows(batches: Iterable[Rows], n_rows: int, most: int) -> Rows | None:
    """Return the `n_rows` best rows and all rows tied with the last of them; None
    without rows.
    """
    best: Rows | None = None
    for rows in chunks(batches, max(_CHUNK_ROWS, n_rows)):
        best = rows if best is None else concatenate([best, rows])
        if best.score.size > n_rows:
            at_cut = np.partition(best.score, -n_rows)[-n_rows]
            best = best.take(best.score >= at_cut)
            check_rows(best.score.size, most)
    return best


def check_rows(n_rows: int, most: int) -> None:
    """Raise SourceError if memory has no room for the rows up to a cut."""
    if n_rows > most:
        raise SourceError(
            f"data: {n_rows:,} rows above the cut or tied at it exceed memory_limit; "
            f"pass memory_limit={n_rows * ROW_BYTES} or more"
        )

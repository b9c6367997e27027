"""The functions that reduce the rows of a pass over the data, without a sort of all
rows. They run in the process that has the rows.
"""

from collections import deque
from collections.abc import Iterable

import numpy as np

from .._core.typing import AnyArray, FloatArray
from .._shown.sources import SourceError
from ._batches import Rows, chunks, joined

# Rows that are looked up at once.
_CHUNK_ROWS = 2**19
# A row above a cut takes this many bytes.
ROW_BYTES = 64
# Sorted distinct scores, and a sum of weights at each of them.
Sums = tuple[AnyArray, FloatArray]


def no_rows(batches: Iterable[Rows]) -> None:
    """Read all rows, of which only the totals are needed."""
    deque(batches, maxlen=0)


def scores_of_positives(batches: Iterable[Rows], most: int) -> Sums:
    """Return the sorted distinct scores of positives and the weight at each of them."""
    sums = np.empty(0), np.empty(0)
    positives = (rows.take(rows.y_true) for rows in batches)
    # A chunk and the scores so far take about one and a half times the memory of `most`
    # scores.
    for rows in chunks(positives, most // 2):
        weight = rows.sample_weight
        if weight is None:
            weight = np.ones(rows.y_score.size)
        sums = summed([sums, (rows.y_score, weight)])
        check_scores(sums[0].size, most)
    return sums


def check_scores(n_scores: int, most: int) -> None:
    """Raise SourceError if there are more distinct scores than memory has room for."""
    if n_scores > most:
        raise SourceError(
            f"data: the positives have more than {most:,} distinct scores, which exceed "
            "memory_limit; pass a higher limit, or round the scores"
        )


def summed(parts: list[Sums]) -> Sums:
    """Return the sorted distinct scores of all parts, and the sum at each of them."""
    # A part without scores may have another type.
    filled = [part for part in parts if part[0].size] or parts[:1]
    scores, sums = map(np.concatenate, zip(*filled, strict=True))
    order = np.argsort(scores, kind="stable")
    score, start = np.unique(scores[order], return_index=True)
    return score, np.add.reduceat(sums[order], start)


def negatives_between(batches: Iterable[Rows], score: AnyArray) -> FloatArray:
    """Return the weight of the negatives below the first score, at it, between it and
    the next score, at the next score, and so on.
    """
    sums = np.zeros(2 * score.size + 1)
    for rows in chunks(batches, max(_CHUNK_ROWS, sums.size)):
        negatives = rows.take(~rows.y_true)
        value, weight = negatives.y_score, negatives.sample_weight
        if weight is None:
            value.sort()
        else:
            order = np.argsort(value)
            value, weight = value[order], weight[order]
        # It is faster to look up each score in the sorted rows than to look up each row
        # among the scores.
        sides = value.searchsorted(score), value.searchsorted(score, "right")
        stops = np.append(np.stack(sides, axis=1), value.size)
        counts = np.diff(stops, prepend=0)
        if weight is None:
            sums += counts
            continue
        # Where no row is between two scores, `reduceat` would return the weight of the
        # next row.
        (filled,) = counts.nonzero()
        sums[filled] += np.add.reduceat(weight, (stops - counts)[filled])
    return sums


def best_rows(batches: Iterable[Rows], n_rows: int, most: int) -> Rows | None:
    """Return the `n_rows` best rows and all rows tied with the last of them; None
    without rows.
    """
    best: Rows | None = None
    for rows in chunks(batches, max(_CHUNK_ROWS, n_rows)):
        best = rows if best is None else joined(deque([best, rows]))
        if best.y_score.size > n_rows:
            at_cut = np.partition(best.y_score, -n_rows)[-n_rows]
            best = best.take(best.y_score >= at_cut)
            check_rows(best.y_score.size, most)
    return best


def check_rows(n_rows: int, most: int) -> None:
    """Raise SourceError if memory has no room for the rows up to a cut."""
    if n_rows > most:
        raise SourceError(
            f"data: {n_rows:,} rows above the cut or tied at it exceed memory_limit; "
            f"pass memory_limit={n_rows * ROW_BYTES} or more"
        )

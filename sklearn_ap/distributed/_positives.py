"""The tied groups of a ranking by two passes over its rows, without a sort of all rows.

The first pass collects the distinct scores of positives. The second pass counts the
rows at these scores and between them. Neither pass writes to disk. On a cluster, the
scores are sent to the executors.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import NamedTuple

import numpy as np

from .._core.typing import AnyArray, FloatArray
from .._rows.batches import Batch, concatenate
from .._rows.exact_scores import InexactError, cast_exactly, concatenate_scores
from .._shown.sources import SourceError
from ._batches import Source, chunks, merged, rows_of_one_ranking
from ._tied_groups import (
    NEGATIVES,
    POSITIVES,
    SumsByScore,
    TiedGroups,
    WeightRanges,
    ranges_of,
    summed_by_score,
    tied_sums,
)

# The scores of positives may take this many bytes even if the limit is lower, since a
# sort would take more.
_LEAST_BYTES = 2**24
# Bytes of a distinct score, and of each kind of its sums (weights, numbers of rows).
_SCORE_BYTES, _KIND_BYTES = 8, 32
# Rows of a chunk, which is sorted at once. Chunks are large, because all scores are
# looked up in each chunk.
_CHUNK_ROWS = 2**20
# Tied groups in a part of the ranking.
_BLOCK_GROUPS = 2**17
# If the same weights are added in different orders, the sums differ by less than this
# share.
_ROUNDING = 1e-9


class _SumsBetween(NamedTuple):
    """Sums over the rows at some scores and between them, and the ranges of weights."""

    # The sums over the rows below the first score, at it, between it and the second
    # score, at the second score, and so on. The shape is
    # (n_kinds, n_classes, 2 * n_scores).
    sums: FloatArray
    ranges: WeightRanges

    def added(self, other: "_SumsBetween") -> "_SumsBetween":
        """Return the sums over the rows of both parts."""
        return _SumsBetween(self.sums + other.sums, self.ranges.joined(other.ranges))


def groups_by_positives(source: Source) -> Iterator[TiedGroups] | None:
    """Return the tied groups of all scores of positives.

    Return None if rows must be sorted instead: if positives have too many distinct
    scores, or if the type of their scores does not represent another score exactly.
    """
    most = most_scores(source)
    find = partial(scores_of_positives, most=most)
    score, first_sums = _joined(list(source.map_parts(find, None)))
    if score.size > most:
        return None
    chunk_rows = max(_CHUNK_ROWS, 2 * score.size)
    count = partial(rows_between, score=score, chunk_rows=chunk_rows)
    counted = _added(source.map_parts(count, None))
    # Without sums, the type of the collected scores would round another score.
    if counted is None:
        return None
    # Sums below the scores and at the scores alternate.
    below, at_score = counted.sums[..., ::2], counted.sums[..., 1::2]
    is_same = partial(np.allclose, rtol=_ROUNDING, atol=0)
    # The sums of positives at each score, and the total of each class, must equal the
    # sums of the first pass.
    if not (
        is_same(first_sums[:, POSITIVES], at_score[:, POSITIVES])
        and is_same(first_sums.sum(axis=-1), counted.sums.sum(axis=-1))
    ):
        raise SourceError(f"{source.name}: changed while it was read")
    sums = np.append(at_score, below[:, NEGATIVES], axis=1)
    groups = TiedGroups(score, sums, counted.ranges)
    return (
        groups.take(slice(first, first + _BLOCK_GROUPS))
        for first in range(0, score.size, _BLOCK_GROUPS)
    )


def most_scores(source: Source) -> int:
    """Return the greatest number of distinct scores of positives that two passes may
    keep in memory.
    """
    score_bytes = _SCORE_BYTES + _KIND_BYTES
    if source.roles.sample_weight is not None:
        score_bytes += _KIND_BYTES
    return max(source.limit, _LEAST_BYTES) // score_bytes


def scores_of_positives(batches: Iterable[Batch], most: int) -> Iterator[SumsByScore]:
    """Yield the distinct scores of positives and the best score, with sums over rows.

    The function stops once there are more than `most` scores. Only the total of the
    negatives is needed, so all negatives of a batch are added at the best score of the
    batch. The function runs in the process that has the rows.
    """
    so_far: SumsByScore | None = None
    with_positives = map(_with_merged_negatives, rows_of_one_ranking(batches))
    # A chunk has about half of `most` scores. Together with the scores so far, to which
    # they are joined, they take about one and a half times the memory of `most` scores.
    for rows in chunks(with_positives, most // 2):
        in_order = rows.take(np.argsort(rows.score))
        of_chunk = tied_sums(in_order)
        so_far = of_chunk if so_far is None else _joined([so_far, of_chunk])
        if so_far.score.size > most:
            break
    # Without rows of weight above 0, there are no scores.
    if so_far is not None:
        yield so_far


def _with_merged_negatives(batch: Batch) -> Batch:
    """Return the positives, and one row for all negatives with the best score of the
    batch.
    """
    negative = merged(batch, ~batch.positive)
    best = np.full_like(negative.score, batch.score.max())
    return concatenate([batch.take(batch.positive), negative._replace(score=best)])


def _joined(parts: list[SumsByScore]) -> SumsByScore:
    """Return the sorted distinct scores of all parts and, for each score, the sums over
    all parts.
    """
    scores, sums = zip(*parts, strict=True)
    score = concatenate_scores(scores)
    order = np.argsort(score, kind="stable")
    return summed_by_score(score[order], np.concatenate(sums, axis=-1)[..., order])


def rows_between(
    batches: Iterable[Batch], score: AnyArray, chunk_rows: int
) -> Iterator[_SumsBetween]:
    """Yield the sums over the rows at the scores and between them, or nothing if the
    type of `score` would round the score of a row.

    The function runs in the process that has the rows.
    """
    exact = (
        batch._replace(score=cast_exactly(batch.score, score.dtype))
        for batch in rows_of_one_ranking(batches)
    )
    with suppress(InexactError):
        counted = _added(_counted(score, rows) for rows in chunks(exact, chunk_rows))
        if counted is not None:
            yield counted


def _added(parts: Iterable[_SumsBetween]) -> _SumsBetween | None:
    """Return the sum of all parts, or None if there are no parts. Only one part at a
    time is in memory.
    """
    total: _SumsBetween | None = None
    for part in parts:
        total = part if total is None else total.added(part)
    return total


def _counted(score: AnyArray, rows: Batch) -> _SumsBetween:
    """Return the number or the weight of the rows of each class at each value of
    `score` and in each gap below it (`_sums_between`), and the ranges of weights.
    """
    of_classes = rows.take(rows.positive), rows.take(~rows.positive)
    sums = [_sums_between(score, of_class) for of_class in of_classes]
    return _SumsBetween(np.stack(sums, axis=1), ranges_of(rows))


def _sums_between(score: AnyArray, rows: Batch) -> FloatArray:
    """Return the sums over the rows below the first score, at it, between it and the
    second score, and so on, of shape (n_kinds, 2 * n_scores).
    """
    # It is faster to sort the rows and look up each score in them than to look up each
    # row among the scores.
    if rows.weight is None:
        in_order = np.sort(rows.score)
    else:
        order = np.argsort(rows.score)
        in_order = rows.score.take(order)
    n_below = in_order.searchsorted(score, "left")
    n_to_score = in_order.searchsorted(score, "right")
    # For each score, the places in the sorted rows where the rows below the score end,
    # and where the rows with this score end. Rows above the best score are not counted.
    # If there are some, the rows have changed since the first pass, so the totals
    # differ, and the caller raises an error.
    stops = np.stack([n_below, n_to_score], axis=1).ravel()
    counts = np.diff(stops, prepend=0)
    if rows.weight is None:
        return counts[np.newaxis].astype(np.float64)
    # Add up the rows of each sum, since a difference of two running sums would lose
    # digits.
    weight = rows.weight.take(order[: stops[-1]])
    sums = np.zeros(stops.size)
    # Where no row is between two scores, `reduceat` would return the weight of the next
    # row.
    (filled,) = counts.nonzero()
    sums[filled] = np.add.reduceat(weight, (stops - counts)[filled])
    return np.stack([sums, counts])

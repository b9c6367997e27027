"""The tied groups of a ranking by two passes over its rows, without a sort of all rows.

The first pass collects the distinct scores of positives. The second pass counts the
rows at these scores and between them. It writes nothing to disk. On a cluster, the
scores are sent to the executors.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial

import numpy as np

from .._core.typing import AnyArray, FloatArray
from .._rows.batches import Batch, concatenate
from .._rows.exact_scores import InexactError, cast_exactly, concatenate_scores
from .._shown.sources import SourceError
from ._batches import Source, chunks, merged, rows_of_one_ranking
from ._tied_groups import (
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
# Rows that are sorted at once. These chunks are large, because all scores are looked up
# in each of them.
_CHUNK_ROWS = 2**20
# Tied groups in a part of the ranking.
_BLOCK_GROUPS = 2**17
# Two sums of the same weights, added in different orders, differ by less than this
# share.
_ROUNDING = 1e-9

# Distinct scores, and the sums over the rows of each. The shape of the sums is
# (n_kinds, n_classes, n_scores).
_SumsByScore = tuple[AnyArray, FloatArray]
# The sums over the rows below the first score, at it, between it and the second score,
# at the second score, and so on, of shape (n_kinds, n_classes, 2 * n_scores); and the
# ranges of weights.
_SumsBetween = tuple[FloatArray, WeightRanges]


def groups_by_positives(source: Source) -> Iterator[TiedGroups] | None:
    """Return the tied groups of all scores of positives.

    Return None if rows must be sorted instead: if positives have too many distinct
    scores, or if the type of their scores does not represent another score exactly.
    """
    most = most_scores(source)
    find = partial(scores_of_positives, most=most)
    score, sums = _joined(list(source.map_parts(find, None)))
    if score.size > most:
        return None
    chunk_rows = max(_CHUNK_ROWS, 2 * score.size)
    count = partial(rows_between, score=score, chunk_rows=chunk_rows)
    counted = _added(source.map_parts(count, None))
    # The type of the collected scores would round another score.
    if counted is None:
        return None
    all_sums, ranges = counted
    totals = all_sums.sum(axis=-1)
    below, at_score = all_sums[..., ::2], all_sums[..., 1::2]
    is_same = partial(np.allclose, rtol=_ROUNDING, atol=0)
    # The sums of positives at each score, and the total of each class, must be those of
    # the first pass.
    if not (is_same(sums[:, 0], at_score[:, 0]) and is_same(sums.sum(axis=-1), totals)):
        raise SourceError(f"{source.name}: changed while it was read")
    groups = TiedGroups(score, np.append(at_score, below[:, 1:], axis=1), ranges)
    return (
        groups.take(slice(first, first + _BLOCK_GROUPS))
        for first in range(0, score.size, _BLOCK_GROUPS)
    )


def most_scores(source: Source) -> int:
    """Return the greatest number of distinct scores of positives for two passes."""
    score_bytes = _SCORE_BYTES + _KIND_BYTES
    if source.roles.sample_weight is not None:
        score_bytes += _KIND_BYTES
    return max(source.limit, _LEAST_BYTES) // score_bytes


def scores_of_positives(batches: Iterable[Batch], most: int) -> Iterator[_SumsByScore]:
    """Yield the distinct scores of positives and the best score, with sums over rows.

    It stops once there are more than `most` scores. Only the total of the negatives is
    needed, so those of a batch all count at its best score. It runs in the process that
    has the rows.
    """
    scores = list[_SumsByScore]()
    for rows in chunks(
        map(_with_merged_negatives, rows_of_one_ranking(batches)), most // 2
    ):
        in_order = rows.take(np.argsort(rows.score))
        scores = [_joined([*scores, tied_sums(in_order)])]
        if scores[0][0].size > most:
            break
    yield from scores


def _with_merged_negatives(batch: Batch) -> Batch:
    """Return the positives, and one row for all negatives with the best score of the
    batch.
    """
    negative = merged(batch, ~batch.positive)
    best = np.full_like(negative.score, batch.score.max())
    return concatenate([batch.take(batch.positive), negative._replace(score=best)])


def _joined(parts: list[_SumsByScore]) -> _SumsByScore:
    """Return the distinct scores of all parts, sorted, and the sums of each of them
    over all parts.
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

    It runs in the process that has the rows.
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
        if total is None:
            total = part
            continue
        total = total[0] + part[0], total[1].joined(part[1])
    return total


def _counted(score: AnyArray, rows: Batch) -> _SumsBetween:
    """Return the sums over the rows of each class at the scores and between them, and
    the ranges of weights.
    """
    of_classes = rows.take(rows.positive), rows.take(~rows.positive)
    sums = [_sums_between(score, of_class) for of_class in of_classes]
    return np.stack(sums, axis=1), ranges_of(rows)


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
    ends = [in_order.searchsorted(score, side) for side in ("left", "right")]
    # Rows above the best score are not counted. If there are some, the rows have
    # changed since the first pass, so the totals differ, and the caller raises an
    # error.
    stops = np.stack(ends, axis=1).ravel()
    counts = np.diff(stops, prepend=0)
    if rows.weight is None:
        return counts[np.newaxis].astype(np.float64)
    # Each sum is computed from its own rows, since a difference of two running sums
    # would lose digits.
    weight = rows.weight.take(order[: stops[-1]])
    sums = np.zeros(stops.size)
    filled = counts.nonzero()[0]
    sums[filled] = np.add.reduceat(weight, (stops - counts)[filled])
    return np.stack([sums, counts])

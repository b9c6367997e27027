"""The groups of a ranking by two passes over its rows: only positives need an order.

The first pass finds the distinct scores of positives, the second counts the rows
between them; nothing is written to disk. On a cluster, the scores are sent to the rows.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial

import numpy as np

from .._core.typing import AnyArray, FloatArray
from .._rows.batches import (
    Batch,
    InexactError,
    cast_exactly,
    concatenate,
    concatenate_scores,
)
from .._shown.sources import SourceError
from ._batches import Source, chunks, merged, rows_of_one_ranking
from ._groups import Groups, WeightRanges, ranges_of, summed_by_score, tied_sums

_LEAST_BYTES = 2**24  # for scores, whatever the limit: a sort takes more
# Bytes of a distinct score, and of each kind of sums at and below it.
_SCORE_BYTES, _KIND_BYTES = 8, 32
# Rows are sorted so many at once, since all scores are looked up each time.
_CHUNK_ROWS = 2**20
_BLOCK_GROUPS = 2**17  # become steps at once
_ROUNDING = 1e-9  # sums of equal weights, added in another order, differ by less

# Distinct scores, and the sums of their rows by kind and class.
_ScoreSums = tuple[AnyArray, FloatArray]
# Sums of kinds and classes in the gap below each score and, next to it, at the score;
# and the ranges of weights.
_Counted = tuple[FloatArray, WeightRanges]


def groups_by_positives(source: Source) -> Iterator[Groups] | None:
    """Return the groups of all scores of positives; None where rows must be sorted: for
    many scores, or scores of types that differ.
    """
    most = most_scores(source)
    find = partial(scores_of_positives, most=most)
    score, sums = _joined(list(source.map_parts(find, None)))
    if score.size > most:
        return None
    chunk_rows = max(_CHUNK_ROWS, 2 * score.size)
    count = partial(rows_between, score=score, chunk_rows=chunk_rows)
    counted = _added(source.map_parts(count, None))
    if counted is None:  # a type would round a score
        return None
    cells, ranges = counted
    totals = cells.sum(axis=-1)
    below, at_score = cells[..., ::2], cells[..., 1::2]
    is_same = partial(np.allclose, rtol=_ROUNDING, atol=0)
    if not (is_same(sums[:, 0], at_score[:, 0]) and is_same(sums.sum(axis=-1), totals)):
        raise SourceError(f"{source.name}: changed while it was read")
    groups = Groups(score, np.append(at_score, below[:, 1:], axis=1), ranges)
    return (
        groups.take(slice(first, first + _BLOCK_GROUPS))
        for first in range(0, score.size, _BLOCK_GROUPS)
    )


def most_scores(source: Source) -> int:
    """Return how many distinct scores of positives two passes may take."""
    score_bytes = _SCORE_BYTES + _KIND_BYTES
    if source.roles.sample_weight is not None:
        score_bytes += _KIND_BYTES
    return max(source.limit, _LEAST_BYTES) // score_bytes


def scores_of_positives(batches: Iterable[Batch], most: int) -> Iterator[_ScoreSums]:
    """Yield the distinct scores of positives and the best score, of at most `most`
    scores or a few more; other negatives count as rows of the best score of a batch.

    It runs where the rows are.
    """
    scores = list[_ScoreSums]()
    for rows in chunks(map(_positives_alone, rows_of_one_ranking(batches)), most // 2):
        in_order = rows.take(np.argsort(rows.score))
        scores = [_joined([*scores, tied_sums(in_order)])]
        if scores[0][0].size > most:
            break
    yield from scores


def _positives_alone(batch: Batch) -> Batch:
    """Return the positives, and one row for all negatives, with the best score."""
    negative = merged(batch, ~batch.positive)
    best = np.full_like(negative.score, batch.score.max())
    return concatenate([batch.take(batch.positive), negative._replace(score=best)])


def _joined(parts: list[_ScoreSums]) -> _ScoreSums:
    scores, sums = zip(*parts, strict=True)
    score = concatenate_scores(scores)
    order = np.argsort(score, kind="stable")
    return summed_by_score(score[order], np.concatenate(sums, axis=-1)[..., order])


def rows_between(
    batches: Iterable[Batch], score: AnyArray, chunk_rows: int
) -> Iterator[_Counted]:
    """Yield the sums of the rows below and at each score; nothing if the type of these
    scores would round another score.

    It runs where the rows are.
    """
    exact = (
        batch._replace(score=cast_exactly(batch.score, score.dtype))
        for batch in rows_of_one_ranking(batches)
    )
    with suppress(InexactError):
        counted = _added(_counted(score, rows) for rows in chunks(exact, chunk_rows))
        if counted is not None:
            yield counted


def _added(parts: Iterable[_Counted]) -> _Counted | None:
    """Return the sum of all parts, of which only one is in memory; None without any."""
    total: _Counted | None = None
    for part in parts:
        if total is None:
            total = part
            continue
        total = total[0] + part[0], total[1].joined(part[1])
    return total


def _counted(score: AnyArray, rows: Batch) -> _Counted:
    of_classes = rows.take(rows.positive), rows.take(~rows.positive)
    sums = [_sums_between(score, of_class) for of_class in of_classes]
    return np.stack(sums, axis=1), ranges_of(rows)


def _sums_between(score: AnyArray, rows: Batch) -> FloatArray:
    """Return the sums of the rows below and at each score, of shape (n_kinds, 2 n)."""
    # Scores are looked up in rows, since a sort of the rows takes less time than a
    # search of each.
    if rows.weight is None:
        in_order = np.sort(rows.score)
    else:
        order = np.argsort(rows.score)
        in_order = rows.score.take(order)
    ends = [in_order.searchsorted(score, side) for side in ("left", "right")]
    # Rows above the best score, which the first pass did not have, are left out.
    stops = np.stack(ends, axis=1).ravel()
    counts = np.diff(stops, prepend=0)
    if rows.weight is None:
        return counts[np.newaxis].astype(np.float64)
    # No sum is the difference of two running sums, so none loses a digit.
    weight = rows.weight.take(order[: stops[-1]])
    sums = np.zeros(stops.size)
    filled = counts.nonzero()[0]
    sums[filled] = np.add.reduceat(weight, (stops - counts)[filled])
    return np.stack([sums, counts])

"""The rows of as many queries as fit into memory, and how many rows all others have."""

from typing import Any, NamedTuple

import numpy as np

from ..._reading import Checked, QueryIds
from ..._typing import AnyArray, BoolArray, FloatArray, IntArray
from .._states._columns import cast, common_type, held
from ._query_ids import buckets_of, joined_ids

# Share of the rows that fit which is kept where a scan gathered too many; a smaller one copies less often.
_PRUNED = 0.75


class Buckets(NamedTuple):
    """Which buckets of queries a scan gathers."""

    n_buckets: int
    first: int
    stop: int
    n_rows: int | None  # the first scan counts all rows, and gathers fewer buckets if it has more than these


class _Rows(NamedTuple):
    """Rows of a part."""

    bucket: AnyArray
    positive: BoolArray
    score: AnyArray
    weight: FloatArray | None
    query: QueryIds

    def take(self, is_kept: BoolArray) -> "_Rows":
        """Return some of the rows."""
        if is_kept.all():
            return self
        rows = np.flatnonzero(is_kept)
        weight = None if self.weight is None else self.weight[rows]
        return _Rows(self.bucket[rows], self.positive[rows], self.score[rows], weight, self.query[rows])


class Share(NamedTuple):
    """The rows of some buckets and, after the first scan, how many rows each bucket has in all.

    Parts may also hold rows of later buckets; they are dropped when memory runs short.
    """

    parts: tuple[_Rows, ...]
    counts: IntArray
    stop: int
    total_weight: float
    most: Buckets

    @classmethod
    def of_rows(cls, checked: Checked, most: Buckets) -> "Share":
        """Return those of the rows of a part."""
        query: Any = checked.query
        bucket = buckets_of(query, most.n_buckets)
        rows = _Rows(bucket, checked.positive, held(checked.score), checked.weight, query)
        total = float(checked.score.size if checked.weight is None else checked.weight.sum())
        rows = rows.take((bucket >= most.first) & (bucket < most.stop))
        is_first = most.n_rows is not None
        counts = np.bincount(bucket, minlength=most.n_buckets) if is_first else np.empty(0, dtype=np.int64)
        return cls((rows,) if rows.bucket.size else (), counts, most.stop, total, most)._fitted()

    @property
    def n_held(self) -> int:
        """Number of rows in memory."""
        return sum(part.bucket.size for part in self.parts)

    def joined(self, other: "Share") -> "Share":
        """Return those of both."""
        total = self.total_weight + other.total_weight
        if not np.isfinite(total):
            raise ValueError(
                "sample_weight adds up to infinity; divide it by a constant, which changes no score."
            )
        parts, counts = self.parts + other.parts, self.counts + other.counts
        return Share(parts, counts, min(self.stop, other.stop), total, self.most)._fitted()

    def _fitted(self) -> "Share":
        """Return the share with fewer buckets if it holds too many rows."""
        most = self.most.n_rows
        if most is None or self.n_held <= most:
            return self
        stop = min(stop_of(self.counts, 0, most * _PRUNED), self.stop)
        if self.counts[:stop].sum() == self.n_held:  # a single bucket, which is not cut
            return self
        return self._replace(parts=self._below(stop), stop=stop)

    def _below(self, stop: int) -> tuple[_Rows, ...]:
        kept = (part.take(part.bucket < stop) for part in self.parts)
        return tuple(part for part in kept if part.bucket.size)

    def checked(self) -> Checked:
        """Return the rows of the buckets before `stop`, in the order of the parts, or raise ValueError."""
        parts = self._below(self.stop)
        dtype = parts[0].score.dtype
        for part in parts:
            dtype = common_type(dtype, part.score.dtype, lambda: min(int(one.score.min()) for one in parts))
        score = np.concatenate([cast(part.score, dtype) for part in parts])
        weights = [part.weight for part in parts if part.weight is not None]
        return Checked(
            np.concatenate([part.positive for part in parts]),
            score,
            (score.min(), score.max()),
            np.concatenate(weights) if weights else None,
            joined_ids([part.query for part in parts]),
        )


def stop_of(counts: IntArray, first: int, n_rows: float) -> int:
    """Return where buckets stop that have at most so many rows; one bucket with rows is always among them."""
    within = np.cumsum(counts[first:])
    fit = int(within.searchsorted(n_rows, side="right"))
    least = int(within.searchsorted(0, side="right")) + 1
    return first + min(max(fit, least), within.size)

"""The rows of as many queries as fit into memory, and how many rows all others have.

Ids fall into buckets: `buckets_of` puts an id into the same bucket everywhere, so a scan knows which rows
it gathers before anyone has seen all ids.
"""

from collections.abc import Iterator
from numbers import Number
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from ..._reading._queries import ObjectIds, QueryIds
from ..._reading._read import Checked
from ..._typing import AnyArray, IntArray
from .._states._columns import held
from ._part import joined_rows, numbered

# Share of the rows that fit which is kept where a scan gathered too many; a smaller one copies less often.
_PRUNED = 0.75
_SMALL = 2**61 - 1  # smaller integers are their own hash, but for -1


def buckets_of(query: QueryIds, n_buckets: int) -> AnyArray:
    """Return which of at most 2**16 buckets each row falls into.

    Equal ids of any type fall into the same one, in all processes and on all machines.
    """
    bits = _bits(query)
    # Neighbouring ids shall stand far apart, so this is the finaliser of splitmix64.
    mixed = bits ^ (bits >> np.uint64(30))
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return np.asarray(mixed % np.uint64(n_buckets)).astype(np.uint16)


def _bits(query: QueryIds) -> AnyArray:
    """Return 64 bits per id: those of Python's hash, which numbers of any type share if they are equal."""
    if not isinstance(query, ObjectIds):
        if query.dtype.kind in "mM":
            # Coarser units are multiplied, and what overflows wraps around: the same for equal dates.
            return query.astype(f"{query.dtype.kind}8[ns]").view(np.uint64)
        with np.errstate(invalid="ignore"):  # what is no integer differs below
            whole = query.astype(np.int64)
        # The usual ids, without a hash per row.
        if (whole == query).all() and whole.min() > -_SMALL and whole.max() < _SMALL:
            whole[whole == -1] = hash(-1)
            return whole.view(np.uint64)
    distinct, number = numbered(query)
    bits = np.fromiter(map(_bits_of_object, distinct), np.uint64, len(distinct))
    return np.asarray(bits[number])


def _bits_of_object(one: Any) -> int:
    """Return 64 bits of a Python object. Python's hash of text differs from process to process."""
    if isinstance(one, Number):
        return hash(one) % 2**64
    if isinstance(one, tuple):
        one = str([_bits_of_object(item) for item in one])
    elif not isinstance(one, str | bytes):
        one = repr(one)
    return crc32(one.encode("utf-8", "surrogatepass") if isinstance(one, str) else one)


class Buckets(NamedTuple):
    """Which buckets of queries a scan gathers."""

    n_buckets: int
    first: int
    stop: int
    n_rows: int | None  # the first scan counts all rows, and gathers fewer buckets if it has more than these


class Share(NamedTuple):
    """The rows of some buckets and, after the first scan, how many rows each bucket has in all.

    Parts may also hold rows of later buckets; they are dropped when memory runs short.
    """

    parts: tuple[tuple[AnyArray, Checked], ...]  # the bucket of each row, and the rows
    counts: IntArray
    stop: int
    total_weight: float
    most: Buckets

    @classmethod
    def of_rows(cls, checked: Checked, most: Buckets) -> "Share":
        """Return the rows of a part that are in the buckets."""
        query: Any = checked.query
        bucket = buckets_of(query, most.n_buckets)
        # Later scans know the counts from the first one, and do not send them again.
        is_first = most.n_rows is not None
        counts = np.bincount(bucket, minlength=most.n_buckets) if is_first else np.empty(0, dtype=np.int64)
        total = float(checked.score.size if checked.weight is None else checked.weight.sum())
        rows = checked._replace(score=held(checked.score))
        share = cls(((bucket, rows),), counts, most.stop, total, most)
        return share._replace(parts=tuple(share._between(most.first, most.stop)))._fitted()

    @property
    def n_held(self) -> int:
        """Number of rows in memory."""
        return sum(bucket.size for bucket, _ in self.parts)

    def joined(self, other: "Share") -> "Share":
        """Return the rows of both shares."""
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
        return self._replace(parts=tuple(self._between(0, stop)), stop=stop)

    def _between(self, first: int, stop: int) -> Iterator[tuple[AnyArray, Checked]]:
        """Yield the rows of some buckets; parts of which all rows stay are not copied."""
        for bucket, rows in self.parts:
            kept = np.flatnonzero((bucket >= first) & (bucket < stop))
            if kept.size:
                yield (bucket, rows) if kept.size == bucket.size else (bucket[kept], rows.take(kept))

    def checked(self) -> Checked:
        """Return the rows of the buckets before `stop`, in the order of the parts, or raise ValueError."""
        return joined_rows([rows for _, rows in self._between(0, self.stop)])


def stop_of(counts: IntArray, first: int, n_rows: float) -> int:
    """Return the end of the buckets that hold at most `n_rows` rows, or one bucket with more."""
    within = np.cumsum(counts[first:])
    fit = int(within.searchsorted(n_rows, side="right"))
    least = int(within.searchsorted(0, side="right")) + 1
    return first + min(max(fit, least), within.size)

"""The rows of as many queries as fit into memory, and how many rows all others have.

Ids come in parts: `joined_ids` makes one array of them, and `buckets_of` puts an id into the same bucket
everywhere.
"""

import struct
from collections.abc import Sequence
from numbers import Number
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from ..._reading._queries import ObjectIds, QueryIds, listed
from ..._reading._read import Checked
from ..._typing import AnyArray, BoolArray, FloatArray, IntArray
from .._states._columns import cast, common_type, held

# Share of the rows that fit which is kept where a scan gathered too many; a smaller one copies less often.
_PRUNED = 0.75
_NUMBERS = set("biuf")


def buckets_of(query: QueryIds, n_buckets: int) -> AnyArray:
    """Return which of at most 2**16 buckets each row falls into.

    Equal ids of any type fall into the same one, in all processes and on all machines.

    Python's own hash will not do: that of text differs from process to process.
    """
    if isinstance(query, ObjectIds):
        bits = np.fromiter(map(_bits_of_object, query.distinct), np.uint64, len(query.distinct))
        return _mixed(bits, n_buckets)[query.number]
    return _mixed(_bits(query), n_buckets)


def _mixed(bits: AnyArray, n_buckets: int) -> AnyArray:
    """Return buckets in which neighbouring ids stand far apart, by the finaliser of splitmix64."""
    mixed = bits ^ (bits >> np.uint64(30))
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return np.asarray(mixed % np.uint64(n_buckets)).astype(np.uint16)


def _bits(ids: AnyArray) -> AnyArray:
    """Return 64 bits per id of an array: whole numbers as they are, whatever their type is."""
    if ids.dtype.kind in "mM":
        # Coarser units are multiplied, and what overflows wraps around: the same for equal dates.
        return ids.astype(f"{ids.dtype.kind}8[ns]").view(np.uint64)
    if ids.dtype.kind != "f":
        return ids.astype(np.uint64)
    values = ids.astype(np.float64) + 0.0  # 0.0 for -0.0, which is equal
    bits = values.view(np.uint64).copy()
    signed = (values == np.floor(values)) & (values >= -(2.0**63)) & (values < 2.0**63)
    bits[signed] = values[signed].astype(np.int64).view(np.uint64)
    large = (values >= 2.0**63) & (values < 2.0**64)
    bits[large] = values[large].astype(np.uint64)
    return bits


def _bits_of_object(one: Any) -> int:
    """Return 64 bits of a Python object; a number has the bits that it has in an array."""
    if isinstance(one, str):
        return crc32(one.encode("utf-8", "surrogatepass"))
    if isinstance(one, bytes):
        return crc32(one)
    if isinstance(one, Number) and not isinstance(one, complex):
        return _bits_of_number(one)
    if isinstance(one, tuple):
        return crc32(struct.pack(f"<{len(one)}Q", *map(_bits_of_object, one)))
    return crc32(repr(one).encode("utf-8", "surrogatepass"))


def _bits_of_number(one: Any) -> int:
    try:
        whole = int(one)
    except OverflowError:  # infinity
        whole = 0
    if whole == one and -(2**63) <= whole < 2**64:
        return whole % 2**64
    bits: int = struct.unpack("<Q", struct.pack("<d", float(one)))[0]
    return bits


def joined_ids(parts: Sequence[QueryIds]) -> QueryIds:
    """Return the ids of all parts, one after the other, as one array if it holds the very same ids."""
    arrays = [one for one in parts if not isinstance(one, ObjectIds)]
    same = _one_array(arrays) if len(arrays) == len(parts) else None
    if same is not None:
        return same
    numbers: dict[Any, int] = {}
    joined = []
    for part in parts:
        distinct, number = _numbered_part(part)
        known = [numbers.setdefault(one, len(numbers)) for one in distinct]
        joined.append(np.array(known, dtype=np.int64)[number])
    return ObjectIds(list(numbers), np.concatenate(joined))


def _numbered_part(part: QueryIds) -> tuple[list[Any], AnyArray]:
    if isinstance(part, ObjectIds):
        return part.distinct, part.number
    ids, number = np.unique(part, return_inverse=True)
    return listed(ids), number


def _one_array(parts: Sequence[AnyArray]) -> AnyArray | None:
    """Return the ids as an array, or None if no type holds all of them exactly."""
    types = {part.dtype for part in parts}
    if len(types) == 1:
        return np.concatenate(parts)
    kinds = {one.kind for one in types}
    if not kinds <= _NUMBERS and len(kinds) > 1:
        return None
    dtype = np.result_type(*types)
    if dtype.kind == "f" and kinds <= set("biu"):  # int64 and uint64
        if any(part.dtype == np.uint64 and part.max() >= 2**63 for part in parts):
            return None
        dtype = np.dtype(np.int64)
    with np.errstate(invalid="ignore"):
        converted = [part.astype(dtype) for part in parts]
        exact = all(
            np.array_equal(one.astype(part.dtype), part) for one, part in zip(converted, parts, strict=True)
        )
    return np.concatenate(converted) if exact else None


class Buckets(NamedTuple):
    """Which buckets of queries a scan gathers."""

    n_buckets: int
    first: int
    stop: int
    n_rows: int | None  # the first scan counts all rows, and gathers fewer buckets if it has more than these


class _RowsOfPart(NamedTuple):
    """Rows of a part."""

    bucket: AnyArray
    positive: BoolArray
    score: AnyArray
    weight: FloatArray | None
    query: QueryIds

    def take(self, is_kept: BoolArray) -> "_RowsOfPart":
        """Return some of the rows."""
        if is_kept.all():
            return self
        rows = np.flatnonzero(is_kept)
        weight = None if self.weight is None else self.weight[rows]
        return _RowsOfPart(self.bucket[rows], self.positive[rows], self.score[rows], weight, self.query[rows])


class Share(NamedTuple):
    """The rows of some buckets and, after the first scan, how many rows each bucket has in all.

    Parts may also hold rows of later buckets; they are dropped when memory runs short.
    """

    parts: tuple[_RowsOfPart, ...]
    counts: IntArray
    stop: int
    total_weight: float
    most: Buckets

    @classmethod
    def of_rows(cls, checked: Checked, most: Buckets) -> "Share":
        """Return the rows of a part that are in the buckets."""
        query: Any = checked.query
        bucket = buckets_of(query, most.n_buckets)
        rows = _RowsOfPart(bucket, checked.positive, held(checked.score), checked.weight, query)
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
        return self._replace(parts=self._below(stop), stop=stop)

    def _below(self, stop: int) -> tuple[_RowsOfPart, ...]:
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
    """Return the end of the buckets that hold at most `n_rows` rows, or one bucket with more."""
    within = np.cumsum(counts[first:])
    fit = int(within.searchsorted(n_rows, side="right"))
    least = int(within.searchsorted(0, side="right")) + 1
    return first + min(max(fit, least), within.size)

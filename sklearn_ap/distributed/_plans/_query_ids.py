"""Ids of queries that come in parts: one array for all of them, and a bucket that is the same everywhere."""

import struct
from collections.abc import Sequence
from numbers import Number
from typing import Any
from zlib import crc32

import numpy as np

from ..._reading import ObjectIds, QueryIds, listed
from ..._typing import AnyArray

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
    """Return the same of a Python object; numbers have those of arrays."""
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
        distinct, number = _numbered(part)
        known = [numbers.setdefault(one, len(numbers)) for one in distinct]
        joined.append(np.array(known, dtype=np.int64)[number])
    return ObjectIds(list(numbers), np.concatenate(joined))


def _numbered(part: QueryIds) -> tuple[list[Any], AnyArray]:
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

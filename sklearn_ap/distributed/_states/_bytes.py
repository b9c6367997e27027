"""A state as bytes: a header in JSON and compressed arrays, with a checksum over all of it. Never a pickle.

Ascending numbers are written as differences, and numbers as planes of their first bytes, second bytes and so
on, which zlib then shortens: differences of a million float32 scores need one byte each.
"""

import json
import struct
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..._typing import AnyArray
from ._columns import TYPES

VERSION = 1
_MAGIC = b"SKAPRS"
_PREFIX = struct.Struct("<6sHQI")  # magic, version, length of everything, length of the header
_CHECK = struct.Struct("<I")
_LEVEL = 6
_BLOCK = 2**16  # numbers or bytes that are turned at once: more would cost memory, and leave the cache


def to_bytes(words: dict[str, Any], arrays: dict[str, AnyArray]) -> bytes:
    """Return the bytes of a state: words and numbers, and arrays by name; those of scores must be ascending.

    Equal states give equal bytes if the same zlib compresses them.
    """
    planes = {name: _compressed(array) for name, array in arrays.items()}
    shapes = [[name, array.dtype.name, array.size, len(planes[name])] for name, array in arrays.items()]
    # Sizes stand in the header, so a reader knows what memory the arrays take before it makes any.
    header = json.dumps({**words, "arrays": shapes}, sort_keys=True).encode()
    length = _PREFIX.size + len(header) + sum(map(len, planes.values())) + _CHECK.size
    body = b"".join([_PREFIX.pack(_MAGIC, VERSION, length, len(header)), header, *planes.values()])
    return body + _CHECK.pack(zlib.crc32(body))


def from_bytes(data: object, memory_limit: int) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """Return words and arrays, or raise ValueError if a byte differs or arrays take more than the limit."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"data must be bytes that to_bytes returned; got {type(data).__name__}.")
    # Neither view copies: a state may take half of the memory.
    whole = memoryview(data).cast("B")
    magic = bytes(whole[: len(_MAGIC)])
    if len(whole) < _PREFIX.size + _CHECK.size or magic != _MAGIC:
        raise ValueError(
            f"data must be bytes that to_bytes returned, which begin with {_MAGIC!r}; got {len(whole)} bytes "
            f"that begin with {magic!r}."
        )
    _, version, length, of_header = _PREFIX.unpack_from(whole)
    if version != VERSION:
        raise ValueError(f"data must have version {VERSION}; got {version}, of another version or damaged.")
    if length != len(whole):
        raise ValueError(f"data must have {length} bytes, as it says; got {len(whole)}.")
    body, (stated,) = whole[: -_CHECK.size], _CHECK.unpack(whole[-_CHECK.size :])
    if zlib.crc32(body) != stated:
        raise ValueError(
            f"data must have the checksum {stated:08x}; got {zlib.crc32(body):08x}: a damaged copy."
        )
    try:
        # The checksum says that nothing was damaged, not that it was `to_bytes` that wrote it.
        header, listed = _header(bytes(body[_PREFIX.size : _PREFIX.size + of_header]))
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"data must be bytes that to_bytes returned; got others, {error!r}.") from None
    n_bytes = sum(one.size * one.dtype.itemsize for one in listed)
    if n_bytes > memory_limit:
        raise ValueError(f"memory_limit must hold arrays of {n_bytes} bytes; got {memory_limit} bytes.")
    return header, _arrays(body[_PREFIX.size + of_header :], listed)


class _Listed(NamedTuple):
    """An array as the header lists it."""

    name: str
    dtype: np.dtype[Any]
    size: int
    length: int  # of its compressed bytes


def _header(text: bytes) -> tuple[dict[str, Any], list[_Listed]]:
    header = json.loads(text)
    if not isinstance(header, dict):
        raise TypeError(f"a header of type {type(header).__name__}")
    listed = [_Listed(name, TYPES[dtype], *sizes) for name, dtype, *sizes in header.pop("arrays")]
    for one in listed:
        if type(one.size) is not int or type(one.length) is not int or min(one.size, one.length) < 0:
            raise ValueError(f"an array of {one.size!r} numbers in {one.length!r} bytes")
    if len({one.name for one in listed}) < len(listed):
        raise ValueError("two arrays of one name")
    return header, listed


def _arrays(planes: memoryview, listed: list[_Listed]) -> dict[str, AnyArray]:
    arrays: dict[str, AnyArray] = {}
    for one in listed:
        arrays[one.name] = _array_of_planes(planes[: one.length], one)
        planes = planes[one.length :]
    if planes:
        raise ValueError(f"data must end with its last array; got {len(planes)} bytes more.")
    return arrays


def _array_of_planes(compressed: memoryview, listed: _Listed) -> AnyArray:
    """Return an array; beside it, no more than a block is held."""
    size, dtype = listed.size, listed.dtype
    planes = np.empty((size, dtype.itemsize), dtype=np.uint8)
    try:
        found, ends = _read_planes(compressed, planes)
    except zlib.error as error:
        raise ValueError(f"data must hold compressed arrays; got others, {error!r}.") from None
    if found != planes.size or not ends:
        raise ValueError(f"data must hold {size} numbers of {dtype} as {listed.name!r}; got {found} bytes.")
    whole = planes.reshape(-1).view(f"<u{dtype.itemsize}").astype(f"u{dtype.itemsize}", copy=False)
    np.cumsum(whole, out=whole, dtype=whole.dtype)
    for block in _blocks(whole):
        block[:] = _out_of_order(block, dtype).view(whole.dtype)
    return whole.view(dtype)


def _read_planes(compressed: memoryview, planes: AnyArray) -> tuple[int, bool]:
    """Fill the columns one by one; return how many bytes there are, one too many at most, and if they end."""
    stream, fed, found = zlib.decompressobj(), 0, 0
    while found < planes.size:
        # zlib copies at each call what it has not read yet, so it gets a piece at a time.
        piece: bytes | memoryview = stream.unconsumed_tail
        if not piece:
            piece, fed = compressed[fed : fed + _BLOCK], fed + _BLOCK
        column, row = divmod(found, len(planes))
        plain = stream.decompress(piece, min(_BLOCK, len(planes) - row))
        if not plain and (stream.eof or not piece):
            return found, stream.eof
        planes[row : row + len(plain), column] = np.frombuffer(plain, dtype=np.uint8)
        found += len(plain)
    found += len(stream.decompress(stream.unconsumed_tail + compressed[fed:], 1))
    return found, stream.eof and not stream.unused_data


def _compressed(array: AnyArray) -> bytes:
    """Return what `_array_of_planes` reads; beside it, one copy of the array is held."""
    dtype, last = np.dtype(f"<u{array.dtype.itemsize}"), 0
    differences = np.empty(array.size, dtype=dtype)
    for block, numbers in zip(_blocks(differences), _blocks(array), strict=True):
        whole = into_order(numbers)
        block[:] = np.diff(whole, prepend=whole.dtype.type(last))  # wraps around where numbers fall
        last = whole[-1]
    planes = differences.view(np.uint8).reshape(-1, dtype.itemsize)
    stream = zlib.compressobj(_LEVEL)
    return b"".join([*(stream.compress(plane.tobytes()) for plane in planes.T), stream.flush()])


def _blocks(array: AnyArray) -> Iterator[AnyArray]:
    return (array[first : first + _BLOCK] for first in range(0, array.size, _BLOCK))


def into_order(array: AnyArray) -> AnyArray:
    """Return unsigned integers in the order of the numbers."""
    size = array.dtype.itemsize
    if array.dtype.kind == "u":
        return array
    signed = array.view(f"i{size}")
    if array.dtype.kind == "f":
        signed = (array + 0.0).view(f"i{size}")  # 0.0 for -0.0, which is equal
        signed ^= _mask(signed)  # in place: a block less, where numpy does not see that it may
    return np.asarray(signed.view(f"u{size}") ^ _highest(size))


def _out_of_order(whole: AnyArray, dtype: np.dtype[Any]) -> AnyArray:
    """Return the numbers that `into_order` made integers of."""
    if dtype.kind == "u":
        return whole
    signed = (whole ^ _highest(dtype.itemsize)).view(f"i{dtype.itemsize}")
    if dtype.kind == "f":
        signed ^= _mask(signed)  # the mask depends on the sign alone, which stays
    return signed.view(dtype)


def _mask(signed: AnyArray) -> AnyArray:
    """Return all bits but the sign for negative numbers, and none for others."""
    mask = np.asarray(signed >> (8 * signed.itemsize - 1))
    mask &= np.iinfo(signed.dtype).max
    return mask


def _highest(size: int) -> AnyArray:
    return np.array(1 << (8 * size - 1), dtype=f"u{size}")

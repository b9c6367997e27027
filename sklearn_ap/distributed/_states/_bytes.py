"""A state as bytes: a header in JSON and compressed arrays, with a checksum over all of it. Never a pickle.

Ascending numbers are written as differences, and numbers as planes of their first bytes, second bytes and so
on, which zlib then shortens: differences of a million float32 scores need one byte each.
"""

import json
import struct
import zlib
from typing import Any, NamedTuple

import numpy as np

from ..._typing import AnyArray
from ._exactly import TYPES

__all__ = ["VERSION", "Written", "from_bytes", "into_order", "to_bytes"]

VERSION = 1
_MAGIC = b"SKAPRS"
_PREFIX = struct.Struct("<6sHQI")  # magic, version, length of everything, length of the header
_CHECK = struct.Struct("<I")
_LEVEL = 6


class Written(NamedTuple):
    """What is written: words and numbers, and arrays by name. Arrays of scores must be ascending."""

    header: dict[str, Any]
    arrays: dict[str, AnyArray]


def to_bytes(written: Written) -> bytes:
    """Return the bytes of a state; equal states give equal bytes."""
    planes = {name: zlib.compress(_planes(array), _LEVEL) for name, array in written.arrays.items()}
    shapes = [
        [name, array.dtype.name, array.size, len(planes[name])] for name, array in written.arrays.items()
    ]
    header = json.dumps({**written.header, "arrays": shapes}, sort_keys=True).encode()
    length = _PREFIX.size + len(header) + sum(map(len, planes.values())) + _CHECK.size
    body = b"".join([_PREFIX.pack(_MAGIC, VERSION, length, len(header)), header, *planes.values()])
    return body + _CHECK.pack(zlib.crc32(body))


def from_bytes(data: object) -> Written:
    """Return what was written, or raise ValueError if a single byte differs."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"data must be bytes that to_bytes returned; got {type(data).__name__}.")
    data = bytes(data)
    if len(data) < _PREFIX.size + _CHECK.size or data[: len(_MAGIC)] != _MAGIC:
        raise ValueError(
            f"data must be bytes that to_bytes returned, which begin with {_MAGIC!r}; got {len(data)} bytes "
            f"that begin with {data[: len(_MAGIC)]!r}."
        )
    _, version, length, of_header = _PREFIX.unpack_from(data)
    if version != VERSION:
        raise ValueError(f"data must have version {VERSION}; got {version}, of another version or damaged.")
    if length != len(data):
        raise ValueError(f"data must have {length} bytes, as it says; got {len(data)}.")
    body, (stated,) = data[: -_CHECK.size], _CHECK.unpack(data[-_CHECK.size :])
    if zlib.crc32(body) != stated:
        raise ValueError(
            f"data must have the checksum {stated:08x}; got {zlib.crc32(body):08x}: a damaged copy."
        )
    try:
        return _read(body, _PREFIX.size, of_header)
    except (KeyError, TypeError, ValueError, zlib.error) as error:
        raise ValueError(f"data must be bytes that to_bytes returned; got others, {error!r}.") from None


def _read(body: bytes, place: int, of_header: int) -> Written:
    header = json.loads(body[place : place + of_header])
    place += of_header
    arrays = {}
    for name, dtype, size, length in header.pop("arrays"):
        arrays[name] = _array(body[place : place + length], TYPES[dtype], size)
        place += length
    if place != len(body):
        raise ValueError(f"{len(body) - place} bytes are left over")
    return Written(header, arrays)


def _array(compressed: bytes, dtype: np.dtype[Any], size: int) -> AnyArray:
    stream = zlib.decompressobj()
    plain = stream.decompress(compressed, size * dtype.itemsize + 1)  # never more than was stated
    if len(plain) != size * dtype.itemsize or stream.unused_data:
        raise ValueError(f"an array of {size} numbers has {len(plain)} bytes")
    planes = np.frombuffer(plain, dtype=np.uint8).reshape(dtype.itemsize, size)
    whole = np.ascontiguousarray(planes.T).reshape(-1).view(f"<u{dtype.itemsize}")
    whole = np.cumsum(whole, dtype=f"u{dtype.itemsize}")
    return _out_of_order(whole, dtype)


def _planes(array: AnyArray) -> bytes:
    size = array.dtype.itemsize
    whole = into_order(array)
    differences = whole.copy()
    differences[1:] -= whole[:-1]  # wraps around where numbers fall, and back when they are added up
    planes = differences.astype(f"<u{size}", copy=False).view(np.uint8).reshape(-1, size)
    return planes.T.tobytes()


def into_order(array: AnyArray) -> AnyArray:
    """Return unsigned integers in the order of the numbers."""
    size = array.dtype.itemsize
    if array.dtype.kind == "u":
        return array
    signed = array.view(f"i{size}")
    if array.dtype.kind == "f":
        signed = (array + 0.0).view(f"i{size}")  # 0.0 for -0.0, which is equal
        signed = signed ^ _mask(signed)
    return np.asarray(signed.view(f"u{size}") ^ _highest(size))


def _out_of_order(whole: AnyArray, dtype: np.dtype[Any]) -> AnyArray:
    """Return the numbers that `into_order` made integers of."""
    if dtype.kind == "u":
        return whole
    signed = (whole ^ _highest(dtype.itemsize)).view(f"i{dtype.itemsize}")
    if dtype.kind == "f":
        signed = signed ^ _mask(signed)  # the mask depends on the sign alone, which stays
    return signed.view(dtype)


def _mask(signed: AnyArray) -> AnyArray:
    """Return all bits but the sign for negative numbers, and none for others."""
    return np.asarray((signed >> (8 * signed.itemsize - 1)) & np.iinfo(signed.dtype).max)


def _highest(size: int) -> AnyArray:
    return np.array(1 << (8 * size - 1), dtype=f"u{size}")

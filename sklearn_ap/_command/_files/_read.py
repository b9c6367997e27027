"""Read a file or standard input: CSV or Parquet, plain or compressed by gzip."""

import gzip
import io
import re
import sys
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from ._column import Column, FileError, Role, shown
from ._csv import csv_columns
from ._parquet import parquet_columns

__all__ = ["read"]

_PARQUET, _GZIP = b"PAR1", b"\x1f\x8b"
_FOREIGN = {  # the first bytes of other kinds of files
    rb"\x1f\x8b": "packed by gzip twice",
    rb"PK\x03\x04": "a zip archive, as Excel files are",
    rb"BZh[1-9]1AY&SY": "packed by bzip2",
    rb"\xfd7zXZ\x00": "packed by xz",
    rb"\x28\xb5\x2f\xfd": "packed by zstd",
    rb"ARROW1\x00": "an Arrow file",
    rb"\xff\xfe|\xfe\xff": "not UTF-8 text but UTF-16 or UTF-32",
}


def read(path: str, names: Mapping[Role, str]) -> dict[Role, Column]:
    """Return the column of each role; `names` gives its name in the file. The path ``-`` is standard input.

    The format is found by the content of the file, since standard input has no name.
    """
    try:
        with _opened(path) as file:
            packed = _begins(file, _GZIP)
            content = cast(BinaryIO, gzip.GzipFile(fileobj=file)) if packed else file
            # By its name too: a broken Parquet file should get pyarrow's error, not one about CSV.
            if _begins(content, _PARQUET) or path.lower().endswith((".parquet", ".pq")):
                columns = parquet_columns(_in_memory(content) if packed else content, path, names)
            else:
                _refuse_foreign(content, path)
                columns = csv_columns(content, path, names)
    except (OSError, EOFError, zlib.error) as error:
        url = "; URLs are not read, pass a file of this machine" if "://" in path else ""
        raise FileError(f"{shown(path)}: {getattr(error, 'strerror', None) or error}{url}") from None
    if not len(next(iter(columns.values())).cells):
        raise FileError(f"{shown(path)}: holds no rows")
    return columns


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    """Open a file here, so that no library takes its name for a network address."""
    if path == "-":
        if sys.stdin is None:
            raise FileError("'-': standard input is closed")
        yield io.BytesIO(sys.stdin.buffer.read())
    else:
        with Path(path).open("rb") as file:
            yield file if file.seekable() else _in_memory(file)  # a pipe cannot go back to its first bytes


def _in_memory(file: BinaryIO) -> BinaryIO:
    return io.BytesIO(file.read())


def _begins(file: BinaryIO, with_these: bytes) -> bool:
    head = file.read(len(with_these))
    file.seek(0)
    return head == with_these


def _refuse_foreign(file: BinaryIO, path: str) -> None:
    head = file.read(16)
    file.seek(0)
    for pattern, what in _FOREIGN.items():
        if re.match(pattern, head):
            raise FileError(f"{shown(path)}: is {what}; pass CSV in UTF-8, plain or gzipped, or Parquet")

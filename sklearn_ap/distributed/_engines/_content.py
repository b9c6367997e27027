"""The bytes of a file or of standard input, unzipped, as often as they are asked for; and their format."""

import gzip
import io
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, BinaryIO, cast

from .._source import SourceError, shown

_GZIP = b"\x1f\x8b"
_HEAD = 2**9  # bytes, which hold most headers
_BINARY = {b"PAR1": "parquet", b"ARROW1": "ipc"}
_NAMES = {".parquet": "parquet", ".pq": "parquet", ".arrow": "ipc", ".feather": "ipc", ".ipc": "ipc"}
_FOREIGN = {  # the first bytes of other kinds of files
    rb"\x1f\x8b": "packed by gzip twice",
    rb"PK\x03\x04": "a zip archive, as Excel files are",
    rb"BZh[1-9]1AY&SY": "packed by bzip2",
    rb"\xfd7zXZ\x00": "packed by xz",
    rb"\x28\xb5\x2f\xfd": "packed by zstd",
    rb"\xff\xfe|\xfe\xff": "not UTF-8 text but UTF-16 or UTF-32",
}


def guarded(name: str, signature: Callable[[], object]) -> Callable[[str], AbstractContextManager[None]]:
    """Return a guard of what reads a file: it refuses a file that has changed from now on.

    The guard takes the words for when that was, such as "between two scans".
    """
    before = signature()

    @contextmanager
    def guard(during: str) -> Iterator[None]:
        try:
            yield
        except SourceError as error:
            if signature() == before:
                raise
            raise SourceError(f"{name}: changed {during}") from error
        if signature() != before:
            raise SourceError(f"{name}: changed {during}")

    return guard


class Content:
    """What a file holds; standard input and pipes, which are there once, are held in memory."""

    def __init__(self, path: str) -> None:
        self.path, self.name = path, shown(path)
        self._held: bytes | None = None
        self._is_packed = False
        with self.opened() as file:
            self.head = file.read(_HEAD)
        self.format = self._format()

    @property
    def is_plain(self) -> bool:
        """Whether other libraries can open the content by its path, which must be UTF-8 for them."""
        is_utf8 = os.fsencode(self.path).decode(errors="replace") == self.path
        return self._is_as_stored and is_utf8

    @property
    def _is_as_stored(self) -> bool:
        return self._held is None and not self._is_packed

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """Open the content, without its compression."""
        try:
            with self._bytes() as file:
                self._is_packed = file.read(len(_GZIP)) == _GZIP
                file.seek(0)
                yield cast(BinaryIO, gzip.GzipFile(fileobj=file)) if self._is_packed else file
        except (OSError, EOFError, zlib.error) as error:
            raise SourceError(f"{self.name}: {getattr(error, 'strerror', None) or error}") from None

    @property
    def n_bytes(self) -> int | None:
        """How many bytes there are, or None if they must be unzipped, are held, or are gone."""
        told = self.signature()
        return told[0] if self._is_as_stored and len(told) > 1 else None

    def signature(self) -> tuple[Any, ...]:
        """Return what changes with the content."""
        if self._held is not None:
            return ()
        try:
            told = os.stat(self.path)
        except OSError as error:
            return (error.errno,)
        return told.st_size, told.st_mtime_ns

    @contextmanager
    def _bytes(self) -> Iterator[BinaryIO]:
        """Open a file here, so that no library takes its name for a network address."""
        if self._held is None and self.path == "-":
            if sys.stdin is None:
                raise SourceError("'-': standard input is closed")
            self._held = sys.stdin.buffer.read()
        if self._held is not None:
            yield io.BytesIO(self._held)
            return
        with open(self.path, "rb") as file:
            if file.seekable():
                yield file
            else:  # a pipe cannot go back to its first bytes
                self._held = file.read()
                yield io.BytesIO(self._held)

    def _format(self) -> str:
        """Return the format, which is found by the content, since names are often wrong or missing."""
        for start, name in _BINARY.items():
            if self.head.startswith(start):
                return name
        # By its name too: a broken Parquet file should get pyarrow's error, not one about CSV.
        named = next((name for end, name in _NAMES.items() if self.path.lower().endswith(end)), None)
        if named:
            return named
        for pattern, what in _FOREIGN.items():
            if re.match(pattern, self.head):
                raise SourceError(
                    f"{self.name}: is {what}; pass CSV in UTF-8, plain or gzipped, Parquet or Arrow"
                )
        return "csv"

"""Open a file or standard input: plain or compressed by gzip, and once more if it is asked for again."""

import gzip
import io
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from ._column import FileError, shown

__all__ = ["Content", "File"]

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


class Content(NamedTuple):
    """What an open file holds, without its compression."""

    file: BinaryIO
    is_parquet: bool


class File:
    """A file of the user; standard input and pipes, which are there once, are held in memory."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._held: bytes | None = None

    @property
    def is_held(self) -> bool:
        """Whether the file was there once, and its bytes are in memory now."""
        return self._held is not None

    @contextmanager
    def opened(self) -> Iterator[Content]:
        """Open the file; its format is found by its content, since standard input has no name."""
        try:
            with self._bytes() as file:
                packed = _begins(file, _GZIP)
                content = cast(BinaryIO, gzip.GzipFile(fileobj=file)) if packed else file
                # By its name too: a broken Parquet file should get pyarrow's error, not one about CSV.
                if _begins(content, _PARQUET) or self.path.lower().endswith((".parquet", ".pq")):
                    yield Content(io.BytesIO(content.read()) if packed else content, is_parquet=True)
                else:
                    _refuse_foreign(content, self.path)
                    yield Content(content, is_parquet=False)
        except (OSError, EOFError, zlib.error) as error:
            url = "; URLs are not read, pass a file of this machine" if "://" in self.path else ""
            said = getattr(error, "strerror", None) or error
            raise FileError(f"{shown(self.path)}: {said}{url}") from None

    @contextmanager
    def _bytes(self) -> Iterator[BinaryIO]:
        """Open a file here, so that no library takes its name for a network address."""
        if self._held is None and self.path == "-":
            if sys.stdin is None:
                raise FileError("'-': standard input is closed")
            self._held = sys.stdin.buffer.read()
        if self._held is not None:
            yield io.BytesIO(self._held)
            return
        with Path(self.path).open("rb") as file:
            if file.seekable():
                yield file
            else:  # a pipe cannot go back to its first bytes
                self._held = file.read()
                yield io.BytesIO(self._held)


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

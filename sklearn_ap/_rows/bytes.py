"""The bytes of files, decompressed, within limits: a small gzipped file can contain
more than fits into memory.
"""

import gzip
import io
import re
from contextlib import suppress
from pathlib import Path

from .._shown.sources import SourceError, format_value

# A line of a file, and a row whose quoted fields contain line ends, may have this many
# bytes.
LINE_BYTES = 2**24
# A file that is read at once may have this share of the available memory, since the
# smallest objects of JSON take ten times the bytes of their text.
_SHARE_OF_MEMORY = 8
# The available memory in bytes to assume, if the system does not report it.
_UNKNOWN_MEMORY = 4 * 2**30


def available_memory(meminfo: Path = Path("/proc/meminfo")) -> int:
    """Return the number of bytes of memory that can be used without swapping."""
    with suppress(OSError):
        # Linux has this file. The number includes caches, which the system can free.
        found = re.search(r"(?m)^MemAvailable:\s+(\d+) kB", meminfo.read_text())
        if found:
            return int(found[1]) * 1024
    return _UNKNOWN_MEMORY


def open_bytes(path: str) -> gzip.GzipFile | io.BufferedReader:
    """Return an open file, which is decompressed if it is gzipped."""
    with open(path, "rb") as file:
        is_gzip = file.read(2) == b"\x1f\x8b"
    if is_gzip:
        return gzip.open(path)
    return open(path, "rb")


class LimitedBytes(io.BufferedIOBase):
    """The bytes of a file. Lines have at most 16 MB, unless `limits_lines` is False,
    and what is read at once has at most an eighth of the available memory.
    """

    # TextIOWrapper asks at each line. The answer of the base class takes as long as the
    # line.
    closed = False

    def __init__(self, path: str, *, limits_lines: bool = True) -> None:
        self._file, self._where = open_bytes(path), format_value(path)
        self._limit = available_memory() // _SHARE_OF_MEMORY
        self._line_limit = LINE_BYTES if limits_lines else self._limit
        self._n_lines, self._n_bytes = 0, 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def read1(self, size: int = -1, /) -> bytes:
        """Return the next bytes. Raise SourceError if they continue a line that is too
        long.
        """
        block = self._file.read1(size)
        # Some files have lines that end with a carriage return only.
        last = max(block.rfind(b"\n"), block.rfind(b"\r"))
        if last >= 0:
            self._n_lines += block.count(b"\n") or block.count(b"\r")
            self._n_bytes = 0
        self._n_bytes += len(block) - last - 1
        if self._n_bytes > self._line_limit:
            line = f"line {self._n_lines + 1:,} has"
            raise self._error(line, self._line_limit, "write one row per line")
        return block

    def read(self, _size: int | None = -1, /) -> bytes:
        """Return all bytes that are left. Raise SourceError if they are too many."""
        blocks, n_bytes = list[bytes](), 0
        while block := self.read1():
            n_bytes += len(block)
            if n_bytes > self._limit:
                advice = "write one row per line, in smaller files"
                raise self._error("has", self._limit, advice)
            blocks.append(block)
        return b"".join(blocks)

    def _error(self, what: str, limit: int, advice: str) -> SourceError:
        reason = ""
        if limit == self._limit:
            reason = ", an eighth of the available memory"
        return SourceError(
            f"{self._where}: {what} more than {limit >> 20:,} MB{reason}; {advice}"
        )

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()
        self.closed = True

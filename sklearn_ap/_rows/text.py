"""Text files with a header, whose columns are separated by commas, semicolons or tabs.

Each field is read as text, so that no type is guessed from the first rows.
"""

import csv
import gzip
import io
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

import numpy as np

from .._core.typing import AnyArray
from .._shown.sources import SourceError, format_value, is_number
from .batches import BATCH_ROWS
from .columns import Columns, columns_of
from .decimals import Decimals
from .missing_values import is_missing_text
from .roles import column_error

# A row of fields with this text is added at the end of each file. If it is not read as
# a row, a quote was not closed.
_LAST_FIELD = "the last row of this file"
_HEADER_BYTES = 2**20
_LINE_BYTES = 2**24
_DELIMITERS = ",;\t"


def open_bytes(path: str) -> gzip.GzipFile | io.BufferedReader:
    """Return an open file, which is decompressed if it is gzipped."""
    with open(path, "rb") as file:
        is_gzip = file.read(2) == b"\x1f\x8b"
    if is_gzip:
        return gzip.open(path)
    return open(path, "rb")


class LimitedLines(io.BufferedIOBase):
    """The bytes of a file whose lines have at most `_LINE_BYTES` bytes each.

    A small gzipped file can contain a line that does not fit into memory.
    """

    def __init__(self, path: str) -> None:
        self._file, self._where = open_bytes(path), format_value(path)
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
        if self._n_bytes > _LINE_BYTES:
            raise SourceError(
                f"{self._where}: line {self._n_lines + 1:,} has more than 16 MB; write "
                "one row per line"
            )
        return block

    def read(self, _size: int | None = -1, /) -> bytes:
        """Return all bytes that are left."""
        return b"".join(iter(self.read1, b""))

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()


def text_header(path: str, names: Sequence[str]) -> tuple[list[str], str]:
    """Return the names of the columns in the header, and the delimiter of the file."""
    with open_bytes(path) as file:
        line = file.readline(_HEADER_BYTES)
    header = line.decode("utf-8-sig").split("\r", 1)[0].rstrip("\n")
    columns = {
        delimiter: next(csv.reader([header], delimiter=delimiter), [])
        for delimiter in _DELIMITERS
    }
    # Choose the delimiter with which the header contains all names. If no delimiter
    # does, choose the one with the most columns, since the error about a missing column
    # lists them.
    delimiter = max(
        columns, key=lambda each: (set(names) <= set(columns[each]), len(columns[each]))
    )
    return columns[delimiter], delimiter


def text_columns(path: str, names: Sequence[str], /) -> tuple[list[str], list[str]]:
    """Return the names of the columns, and the types of the fields in the first row."""
    columns, delimiter = text_header(path, names)
    fields = _first_row(path, delimiter)
    if delimiter != ",":
        fields = [field.replace(",", ".") for field in fields]
    return columns, [
        "float" if is_number(field.strip()) else "text" for field in fields
    ]


def _first_row(path: str, delimiter: str) -> list[str]:
    """Return the fields of the first row below the header."""
    with open_bytes(path) as file:
        # Do not read the end of a very long row.
        start = file.read(_HEADER_BYTES).decode("utf-8-sig", "replace")
    # newline=None makes StringIO accept all kinds of line ends.
    rows = csv.reader(io.StringIO(start, newline=None), delimiter=delimiter)
    # The module csv raises its Error for a field that is too long.
    with suppress(csv.Error):
        next(rows, None)
        return next((row for row in rows if row), [])
    return []


def read_text(path: str, names: Sequence[str]) -> Iterator[Columns]:
    """Yield the named columns as text, in batches. numpy reads the quotes and the line
    ends, and finds rows with another number of fields.
    """
    where = format_value(path)
    columns, delimiter = text_header(path, names)
    # Rows may have more delimiters at their end than the header has. The fields after
    # the last name must be empty. If not, `_next_rows` raises the error about the
    # number of fields.
    after_last = _first_row(path, delimiter)[len(columns) :]
    n_fields = len(columns)
    if not any(after_last):
        n_fields += len(after_last)
    # Columns are selected by position, since the name of another column may occur
    # twice.
    places = [columns.index(name) for name in names]
    nameless = range(len(columns), n_fields)
    read = {*places, *nameless}
    # To save memory, fields of other columns are cut to one character.
    kinds = [(f"c{i}", "O" if i in read else "U1") for i in range(n_fields)]
    decimals = {} if delimiter == "," else {name: Decimals() for name in names}
    # Python's gzip compares the checksum when the end of the file is read.
    # The type of `TextIOWrapper` asks for methods that it does not call here.
    file: Any
    with (
        LimitedLines(path) as file,
        io.TextIOWrapper(file, "utf-8-sig", newline="") as text,
    ):
        for rows in _rows_below_header(text, kinds, f"c{places[0]}", delimiter, where):
            for place in nameless:
                if not is_missing_text(rows[f"c{place}"]).all():
                    raise SourceError(f"{where}: has more fields than the header")
            fields = {
                name: rows[f"c{place}"]
                for name, place in zip(names, places, strict=True)
            }
            yield columns_of(fields, where, is_text=True, decimals=decimals)
        for name, column in decimals.items():
            if problem := column.problem(at_end=True):
                raise column_error(where, name, problem)


def _rows_below_header(
    text: Iterable[str],
    kinds: Sequence[tuple[str, str]],
    whole_field: str,
    delimiter: str,
    where: str,
) -> Iterator[AnyArray]:
    """Yield the rows below the header in batches. `kinds` are the names and types of
    the fields, and `whole_field` is the name of a field that is not cut.

    Raise SourceError if a quote has no end, or a row has another number of fields than
    the header.
    """
    # If a quote is not closed, numpy reads all following rows as one field, without an
    # error. Then the last row, which is added here, is not read as a row.
    last_row = delimiter.join([_LAST_FIELD] * len(kinds))
    lines = chain(text, [last_row])
    # Skip the header. A name in quotes may extend over two lines.
    next(csv.reader(lines, delimiter=delimiter))
    n_before = 0
    is_last = False
    while not is_last:
        rows = _next_rows(lines, np.dtype([*kinds]), delimiter, where, n_before)
        n_before += len(rows)
        is_last = len(rows) > 0 and rows[whole_field][-1] == _LAST_FIELD
        # Check for an open quote before numbers are read. Otherwise, the field with the
        # open quote, which contains the rest of the file, would raise an error about a
        # number.
        if is_last:
            rows = rows[:-1]
        elif len(rows) < BATCH_ROWS:
            raise SourceError(f"{where}: a quote has no end")
        yield rows


def _next_rows(
    lines: Iterator[str],
    kinds: np.dtype[np.void],
    delimiter: str,
    where: str,
    n_before: int,
) -> AnyArray:
    """Return the next rows. Raise SourceError if a row has another number of fields."""
    try:
        with warnings.catch_warnings():
            # numpy warns if there is no further row.
            warnings.simplefilter("ignore")
            return np.loadtxt(
                lines,
                kinds,
                comments=None,
                delimiter=delimiter,
                quotechar='"',
                max_rows=BATCH_ROWS,
                ndmin=1,
            )
    except ValueError as error:
        counts = re.search(r"requires (\d+) columns but (\d+) .* row (\d+)", str(error))
        # Any other error is about the encoding.
        if counts is None:
            raise
        expected, n_fields, row = map(int, counts.groups())
        raise SourceError(
            f"{where}: cannot be read: row {n_before + row:,} has {n_fields} fields, "
            f"and the header has {expected}"
        ) from None

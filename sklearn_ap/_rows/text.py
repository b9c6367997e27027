"""Text files with a header, whose columns are separated by commas, semicolons or tabs.

Each field is read as text, so that no type is guessed from the first rows.
"""

import csv
import io
import re
import warnings
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from .._core.typing import AnyArray
from .._shown.sources import SourceError, format_value, is_number
from .batches import BATCH_ROWS
from .bytes import LINE_BYTES, LimitedBytes, open_bytes
from .columns import Columns, columns_of
from .decimals import Decimals
from .missing_values import is_missing_text
from .roles import column_error

_HEADER_BYTES = 2**20
_DELIMITERS = ",;\t"
# Bytes are checked in blocks of at most this size.
_BLOCK_BYTES = 2**20
# Matches complete rows as numpy reads them. Inside of a field that begins with a quote,
# two quotes are one character. Inside of another field, a quote is a character.
_FIELD = r'(?:"(?:[^"]++|"")*+"|(?!"))[^,\r\n]*+'
_ROWS = rf"(?:{_FIELD}(?:,{_FIELD})*+[\r\n])*+"


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
        _RowBytes(path, delimiter) as file,
        io.TextIOWrapper(file, "utf-8-sig", newline="") as text,
    ):
        for rows in _rows_below_header(text, kinds, delimiter, where):
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


class _RowBytes(LimitedBytes):
    """The bytes of a text file. The lines of a row have at most 16 MB, and each quote
    has an end.

    numpy would read all lines after an open quote as one field, without an error.
    """

    def __init__(self, path: str, delimiter: str) -> None:
        super().__init__(path)
        pattern = _ROWS.replace(",", delimiter).encode()
        self._complete_rows: Any = re.compile(pattern).match
        self._begins_field = np.isin(np.arange(256), [*map(ord, f"\r\n{delimiter}")])
        # The bytes from the row whose end was not read, or None before the first block.
        self._rest: bytes | None = None

    def read1(self, _size: int = -1, /) -> bytes:
        """Return the next bytes, or raise SourceError."""
        block = super().read1(_BLOCK_BYTES)
        rest = block.removeprefix(BOM_UTF8)
        if self._rest is not None:
            rest = self._rest + block
        # The last line of a file may have no end.
        self._rest = rest[self._end_of_rows(rest if block else rest + b"\n") :]
        is_too_long = len(self._rest) > LINE_BYTES
        if is_too_long or (self._rest and not block):
            n_lines = self._rest.count(b"\n") or self._rest.count(b"\r")
            # If a file mixes both kinds of line ends, the number is too low.
            line = max(self._n_lines - n_lines + 1, 1)
            within = " within 16 MB" if is_too_long else ""
            raise SourceError(
                f"{self._where}: line {line:,}: a quote has no end{within}; close it"
            )
        return block

    def _end_of_rows(self, text: bytes) -> int:
        """Return the number of bytes of the complete rows."""
        end = max(text.rfind(b"\n"), text.rfind(b"\r")) + 1
        codes = np.frombuffer(text, np.uint8, end)
        quotes = np.flatnonzero(codes == ord('"'))
        # No quote is open if the first, third, fifth ... quotes begin fields: a quote
        # that is part of a field would follow another one. This takes a seventh of the
        # time of the pattern. Before the first byte is the last one, a line end.
        before = codes[quotes[::2] - 1]
        if quotes.size % 2 == 0 and self._begins_field[before].all():
            return end
        return int(self._complete_rows(text).end())


def _rows_below_header(
    text: io.TextIOBase, kinds: Sequence[tuple[str, str]], delimiter: str, where: str
) -> Iterator[AnyArray]:
    """Yield the rows below the header in batches. `kinds` are the names and types of
    the fields.

    Raise SourceError if a quote has no end, or a row has another number of fields than
    the header.
    """
    # Skip the header. A name in quotes may extend over two lines.
    next(csv.reader(text, delimiter=delimiter))
    n_before = 0
    while len(rows := _next_rows(text, np.dtype([*kinds]), delimiter, where, n_before)):
        n_before += len(rows)
        yield rows


def _next_rows(
    lines: Iterable[str],
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

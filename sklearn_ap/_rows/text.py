"""Files of text: columns between delimiters, below a header."""

import csv
import gzip
import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain

import numpy as np

from .._core.typing import AnyArray
from .._shown.sources import SourceError, format_value, is_number
from .batches import BATCH_ROWS, Columns, column_error, columns_of, is_missing_text
from .decimals import Decimals

_LAST_CELL = "the last row of this file"  # is added to text
_HEADER_BYTES = 2**20
_DELIMITERS = ",;\t"


def open_bytes(path: str) -> gzip.GzipFile | io.BufferedReader:
    """Open a file, also one that is gzipped."""
    with open(path, "rb") as file:
        is_gzip = file.read(2) == b"\x1f\x8b"
    if is_gzip:
        return gzip.open(path)
    return open(path, "rb")


def text_header(path: str, names: Sequence[str]) -> tuple[list[str], str]:
    """Return the columns of the header, split by the delimiter that gives all names,
    and this.
    """
    with open_bytes(path) as file:
        line = file.readline(_HEADER_BYTES)
    header = line.decode("utf-8-sig").split("\r", 1)[0].rstrip("\n")
    columns = {
        delimiter: next(csv.reader([header], delimiter=delimiter), [])
        for delimiter in _DELIMITERS
    }
    # One that gives all names, or else most cells, which an error then lists.
    delimiter = max(
        columns, key=lambda each: (set(names) <= set(columns[each]), len(columns[each]))
    )
    return columns[delimiter], delimiter


def text_columns(path: str, names: Sequence[str], /) -> tuple[list[str], list[str]]:
    """Return the columns of the header, and the types of the first row's fields."""
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
        # A long row is read in part.
        start = file.read(_HEADER_BYTES).decode("utf-8-sig", "replace")
    # This reads all kinds of line ends.
    rows = csv.reader(io.StringIO(start, newline=None), delimiter=delimiter)
    with suppress(csv.Error):  # a field is too long
        next(rows, None)
        return next((row for row in rows if row), [])
    return []


def read_text(path: str, names: Sequence[str]) -> Iterator[Columns]:
    """Yield some columns as text; quotes, line ends and broken rows are numpy's to
    read.
    """
    where = format_value(path)
    columns, delimiter = text_header(path, names)
    # Rows may end in delimiters that the header lacks.
    after_last = _first_row(path, delimiter)[len(columns) :]
    n_fields = len(columns) + len(after_last) * (not any(after_last))
    # By position, since names may occur twice.
    places = [columns.index(name) for name in names]
    nameless = range(len(columns), n_fields)
    read = {*places, *nameless}
    # Of columns that nobody asked for, a character is kept.
    kinds = [(f"c{i}", "O" if i in read else "U1") for i in range(n_fields)]
    last_row = delimiter.join([_LAST_CELL] * n_fields)
    decimals = {} if delimiter == "," else {name: Decimals() for name in names}
    n_before = 0
    # Python's gzip compares the sums of a file when its end is read.
    with (
        open_bytes(path) as file,
        io.TextIOWrapper(file, "utf-8-sig", newline="") as text,
    ):
        # numpy takes all rows behind a quote without an end as one cell, and says
        # nothing: then one more row is missing, too.
        lines = chain(text, [last_row])
        next(csv.reader(lines, delimiter=delimiter))  # a name may have two lines
        is_last = False
        while not is_last:
            rows = _rows_of(lines, np.dtype(kinds), delimiter, where, n_before)
            n_before += len(rows)
            is_last = len(rows) > 0 and rows[f"c{places[0]}"][-1] == _LAST_CELL
            if is_last:
                # A cell that goes on to the end must not be read as a number first.
                rows = rows[:-1]
            elif len(rows) < BATCH_ROWS:
                raise SourceError(f"{where}: a quote has no end")
            for place in nameless:
                if not is_missing_text(rows[f"c{place}"]).all():
                    raise SourceError(f"{where}: has more cells than the header")
            fields = {
                name: rows[f"c{place}"]
                for name, place in zip(names, places, strict=True)
            }
            yield columns_of(fields, where, is_text=True, decimals=decimals)
        for name, column in decimals.items():
            if problem := column.problem(at_end=True):
                raise column_error(where, name, problem)


def _rows_of(
    lines: Iterator[str],
    kinds: np.dtype[np.void],
    delimiter: str,
    where: str,
    n_before: int,
) -> AnyArray:
    """Return the next rows; refuse one with another number of cells."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # where no row is left
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
        if counts is None:  # an encoding
            raise
        expected, n_cells, row = map(int, counts.groups())
        raise SourceError(
            f"{where}: cannot be read: row {n_before + row:,} has {n_cells} cells, and "
            f"the header {expected}"
        ) from None

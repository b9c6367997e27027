"""Files of text: columns between delimiters, below a header."""

import csv
import gzip
import io
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

from .._shown.sources import SourceError, format_value, is_number
from ._batches import Columns, columns_of

_LAST_CELL = "the last row of this file"  # is added to text; see `_EndedFile`
_MISSING_CELLS = ["", "nan", "NaN"]  # as pandas and numpy write NaN
_HEADER_BYTES = 2**20
START_BYTES = 256  # show the format of a file
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
    where = format_value(path)
    with open_bytes(path) as file:
        line = file.readline(_HEADER_BYTES)
    try:
        header = line.decode("utf-8-sig").split("\r", 1)[0].rstrip("\n")
    except UnicodeDecodeError:
        raise SourceError(
            f"{where}: is neither Parquet nor text in UTF-8; write text in UTF-16 or Latin-1 as UTF-8"
        ) from None
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
    """Return the columns of the header, and what the cells of the first row are."""
    columns, delimiter = text_header(path, names)
    cells = _first_row(path, delimiter)
    return columns, ["float" if is_number(cell.strip()) else "text" for cell in cells]


def _first_row(path: str, delimiter: str) -> list[str]:
    """Return the cells of the line after the header."""
    with open_bytes(path) as file:
        file.readline(_HEADER_BYTES)
        # A row is read no further than a cell may be long.
        row = file.readline(csv.field_size_limit()).decode("utf-8", "replace")
    return next(csv.reader(row.splitlines()[:1], delimiter=delimiter), [])


def read_text(path: str, names: Sequence[str]) -> Iterator[Columns]:
    """Yield some columns as text; quotes, line ends and broken rows are Arrow's to
    read.
    """
    import pyarrow  # noqa: PLC0415  # an extra, imported where it is used
    from pyarrow import csv as arrow_csv  # noqa: PLC0415  # the same

    where = format_value(path)
    columns, delimiter = text_header(path, names)
    # Rows may end in a delimiter that the header lacks.
    n_cells = len(columns) + (_first_row(path, delimiter)[len(columns) :] == [""])
    # By position, since names may occur twice.
    every = [f"c{index}" for index in range(n_cells)]
    selected = [every[columns.index(name)] for name in names]
    selected += every[len(columns) :]
    last_row = f"\n{delimiter.join([_LAST_CELL] * n_cells)}\n".encode()
    # Python's gzip compares the sums of a file when its end is read.
    with open_bytes(path) as file:
        reader = arrow_csv.open_csv(
            pyarrow.PythonFile(_EndedFile(file, last_row), "r"),
            # A name may have two lines. Only one thread knows the numbers of rows.
            arrow_csv.ReadOptions(
                column_names=every, skip_rows_after_names=1, use_threads=False
            ),
            arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(selected, pyarrow.string()),
                include_columns=selected,
                null_values=_MISSING_CELLS,
                strings_can_be_null=True,
            ),
        )
        for batch, following in pairwise(chain(reader, [None])):
            rows = batch
            if following is None:
                # A cell that goes on to the end must not be read as a number first.
                if not (batch.num_rows and batch[0][-1].as_py() == _LAST_CELL):
                    raise SourceError(f"{where}: a quote has no end")
                rows = batch[:-1]
            for nameless in rows.columns[len(names) :]:
                if nameless.null_count < rows.num_rows:
                    raise SourceError(f"{where}: has more cells than the header")
            yield columns_of(
                dict(zip(names, rows.columns, strict=False)), where, is_text=True
            )


class _EndedFile:
    """A file of text with one more row.

    Arrow takes all rows behind a quote without an end as one cell, and says nothing:
    then this row is missing, too.
    """

    closed = False

    def __init__(self, file: io.BufferedIOBase, last_row: bytes) -> None:
        self._file, self._last_row = file, last_row

    def read(self, n_bytes: int) -> bytes:
        """Return so many bytes, or what is left."""
        last_row = self._last_row
        content = self._file.read(n_bytes - len(last_row))
        if len(content) == n_bytes - len(last_row):
            return content
        self._last_row = b""
        return content + last_row

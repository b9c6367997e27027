"""Columns of text files, as text: cells are apart by commas, semicolons or tabs."""

import csv
import io
from array import array
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import BinaryIO

import numpy as np

from ._column import CODED, Coded, Column, FileError, Located, Role, listed, places, shown

__all__ = ["CsvTable", "header", "lines_in"]

_CHUNK = 2**20  # bytes that are counted at once
_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}


class CsvTable:
    """The columns of text files with a header each."""

    def __init__(self, names: Mapping[Role, str]) -> None:
        self.n_rows = 0
        self._names = names
        self._cells: dict[Role, _Cells] = {role: _Codes() if role in CODED else [] for role in names}

    def add(self, file: BinaryIO, path: str, partitions: Mapping[str, str], done: Callable[[], None]) -> None:
        """Read the columns of a file behind those of earlier ones.

        Bytes that are not UTF-8 text are an error in these columns, which names the row. In other columns
        they do not matter.
        """
        asked = [name for name in self._names.values() if name not in partitions]
        with (
            # surrogateescape keeps such bytes, so that the row is known when they are refused.
            io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="") as text,
            _cells_of_any_length(),
        ):
            # Strict: otherwise an open quote swallows the rest of the file.
            reader = csv.reader(text, strict=True, delimiter=_delimiter(text, path, asked))
            header: list[str] = []
            rows = _Rows(path)
            try:
                header = [name.strip() for name in next((row for row in reader if row), [])]
                stated = {name: value for name, value in partitions.items() if name not in header}
                at = _places(path, [*header, *(stated if header else ())], self._names.values())
                rows.fill(reader, len(header), self._filled(at), list(stated.values()))
            except csv.Error as error:
                where = f"row {rows.n_rows + 1}" if header else "the header"
                raise FileError(f"{shown(path)}: {where}, up to line {reader.line_num}: {error}") from None
        self._check(path)
        self.n_rows += rows.n_rows
        done()

    def _filled(self, at: list[int]) -> "list[tuple[Callable[[str], None], int]]":
        """Return where the cell of each place of a row goes."""
        return [(cells.append, place) for cells, place in zip(self._cells.values(), at, strict=True)]

    def _check(self, path: str) -> None:
        """Refuse a file with a cell that is not UTF-8 text."""
        for role, cells in self._cells.items():
            new = cells.new() if isinstance(cells, _Codes) else cells[self.n_rows :]
            # The joined text is checked first, since one check is much faster than one per cell.
            if not _is_utf8("".join(new)):
                own: list[str] | Coded = new
                if isinstance(cells, _Codes):
                    own = Coded(list(cells.place), np.array(cells.code[self.n_rows :]))
                column = Column(Located.of(path), self._names[role], own)
                column.refuse({cell for cell in new if not _is_utf8(cell)}, "{} is not UTF-8 text")

    def columns(self, located: Located) -> dict[Role, Column]:
        """Return the column of each role, of all files."""
        return {
            role: Column(located, self._names[role], cells.coded() if isinstance(cells, _Codes) else cells)
            for role, cells in self._cells.items()
        }


class _Codes:
    """Distinct cells, and the number of each row's own."""

    def __init__(self) -> None:
        self.place: dict[str, int] = {}
        self.code = array("i")
        self._n_checked = 0

    def append(self, cell: str) -> None:
        self.code.append(self.place.setdefault(cell, len(self.place)))

    def new(self) -> list[str]:
        """Return the cells that were not there before."""
        new = list(islice(self.place, self._n_checked, None))
        self._n_checked = len(self.place)
        return new

    def coded(self) -> Coded:
        return Coded(list(self.place), np.frombuffer(self.code, dtype=np.intc))


_Cells = _Codes | list[str]


class _Rows:
    """The rows of a file, which are counted while they are read."""

    def __init__(self, path: str) -> None:
        self.path, self.n_rows = path, 0

    def fill(
        self,
        reader: Iterator[list[str]],
        width: int,
        filled: list[tuple[Callable[[str], None], int]],
        stated: list[str],
    ) -> None:
        """Append the cells at these places of each row; a blank line is not a row."""
        for row in reader:
            if len(row) == width:
                row.extend(stated)
                for append, place in filled:
                    append(row[place])
                self.n_rows += 1
            elif row:
                has = f"row {self.n_rows + 1} has {len(row)} field{'s' * (len(row) != 1)}"
                raise FileError(f"{shown(self.path)}: {has}, but the header has {width}")


def lines_in(file: BinaryIO) -> int:
    """Return the number of lines, which is at least that of rows."""
    n_lines = 1  # the last one may have no end
    while chunk := file.read(_CHUNK):
        n_lines += max(chunk.count(b"\n"), chunk.count(b"\r"))
    return n_lines


def header(file: BinaryIO) -> list[str]:
    """Return the columns as the likeliest character splits them."""
    with (
        io.TextIOWrapper(file, encoding="utf-8-sig", errors="backslashreplace", newline="") as text,
        _cells_of_any_length(),
    ):
        headers = _headers(text)
    return headers[_likeliest(headers)]


def _headers(text: io.TextIOWrapper) -> dict[str, list[str]]:
    """Return the columns that each character makes of the header."""
    headers = {}
    for delimiter in _DELIMITERS:
        text.seek(0)
        try:
            rows = csv.reader(text, strict=True, delimiter=delimiter)
            headers[delimiter] = [name.strip() for name in next((row for row in rows if row), [])]
        except csv.Error:  # told by the reader of the rows, with its place
            headers[delimiter] = []
    text.seek(0)
    return headers


def _likeliest(headers: dict[str, list[str]]) -> str:
    """Return the character that makes most columns: commas, if they cannot split the header."""
    return max(headers, key=lambda one: len(headers[one])) if headers[","] else ","


def _delimiter(text: io.TextIOWrapper, path: str, names: Collection[str]) -> str:
    """Return what separates cells: the character that splits the header into the columns asked for."""
    headers = _headers(text)
    fitting = [delimiter for delimiter, header in headers.items() if set(names) <= set(header)]
    if len(fitting) > 1:
        kinds = " and by ".join(_DELIMITERS[delimiter] for delimiter in fitting)
        raise FileError(
            f"{shown(path)}: the header holds {listed(list(names))} both split by {kinds}; "
            "a file has one kind of separator, so rename a column"
        )
    if fitting:
        return fitting[0]
    return _likeliest(headers)  # errors show what it makes of the header


def _places(path: str, header: list[str], names: Collection[str]) -> list[int]:
    if not header:
        raise FileError(f"{shown(path)}: is empty")
    if not set(names) <= set(header) and not _is_utf8("".join(header)):
        raise FileError(f"{shown(path)}: is not UTF-8 text")
    return places(path, header, names)


@contextmanager
def _cells_of_any_length() -> Iterator[None]:
    """Let cells be of any length: long text may be in a column that is not asked for."""
    limit = csv.field_size_limit(2**31 - 1)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def _is_utf8(text: str) -> bool:
    """Whether all bytes were decoded; the others stand in the text as surrogates, which do not encode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True

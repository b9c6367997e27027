"""Columns of a text file, as text: cells are apart by commas, semicolons or tabs."""

import csv
import io
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import BinaryIO

from ._column import Column, FileError, Role, listed, places, shown

__all__ = ["csv_columns"]

_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}


def csv_columns(file: BinaryIO, path: str, names: Mapping[Role, str]) -> dict[Role, Column]:
    """Return the column of each role.

    Bytes that are not UTF-8 text are an error in these columns, which names the row. In other columns they do
    not matter.
    """
    with (
        # surrogateescape keeps such bytes, so that the row is known when they are refused.
        io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="") as text,
        _cells_of_any_length(),
    ):
        delimiter = _delimiter(text, path, names.values())
        reader = csv.reader(
            text, strict=True, delimiter=delimiter
        )  # otherwise an open quote swallows the rest of the file
        header: list[str] = []
        columns: list[list[str]] = [[] for _ in names]
        try:
            header = [name.strip() for name in next((row for row in reader if row), [])]
            _fill(columns, reader, path, _places(path, header, names.values()), len(header))
        except csv.Error as error:
            where = f"row {len(columns[0]) + 1}" if header else "the header"
            raise FileError(f"{shown(path)}: {where}, up to line {reader.line_num}: {error}") from None
    named = zip(names.items(), columns, strict=True)
    return {role: _decoded(Column(path, name, cells)) for (role, name), cells in named}


def _delimiter(text: io.TextIOWrapper, path: str, names: Collection[str]) -> str:
    """Return what separates cells: the character that splits the header into the columns asked for."""
    headers = {}
    for delimiter in _DELIMITERS:
        text.seek(0)
        try:
            rows = csv.reader(text, strict=True, delimiter=delimiter)
            headers[delimiter] = [name.strip() for name in next((row for row in rows if row), [])]
        except csv.Error:  # told by the reader of the rows, with its place
            headers[delimiter] = []
    text.seek(0)
    fitting = [delimiter for delimiter, header in headers.items() if set(names) <= set(header)]
    if len(fitting) > 1:
        kinds = " and by ".join(_DELIMITERS[delimiter] for delimiter in fitting)
        raise FileError(
            f"{shown(path)}: the header holds {listed(list(names))} both split by {kinds}; "
            "a file has one kind of separator, so rename a column"
        )
    if fitting:
        return fitting[0]
    # Errors show what the likeliest character makes of the header: commas, if they cannot split it.
    return max(headers, key=lambda one: len(headers[one])) if headers[","] else ","


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


def _fill(
    columns: list[list[str]], reader: Iterator[list[str]], path: str, at: list[int], width: int
) -> None:
    """Append the cells at these places of each row; a blank line is not a row."""
    filled = list(zip(columns, at, strict=True))
    for row in reader:
        if len(row) == width:
            for cells, place in filled:
                cells.append(row[place])
        elif row:
            has = f"row {len(columns[0]) + 1} has {len(row)} field{'s' * (len(row) != 1)}"
            raise FileError(f"{shown(path)}: {has}, but the header has {width}")


def _decoded(column: Column) -> Column:
    """Refuse a column with a cell that is not UTF-8 text."""
    # The joined text is checked first, since one check is much faster than one per cell.
    if not _is_utf8("".join(column.cells)):
        column.refuse({cell for cell in column.cells if not _is_utf8(cell)}, "{} is not UTF-8 text")
    return column


def _is_utf8(text: str) -> bool:
    """Whether all bytes were decoded; the others stand in the text as surrogates, which do not encode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True

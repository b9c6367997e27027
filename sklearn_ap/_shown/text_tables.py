"""Tables of text. All numbers of a column have the same number of decimals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from .numbers import count_text

# A name in a table has at least this number of characters, if it is so long.
_LEAST_NAME = 30


class NumberCell(NamedTuple):
    """A cell of numbers, such as the endpoints of an interval."""

    numbers: Sequence[float]
    # The number of decimals that the numbers need.
    decimals: int
    # The text between two numbers.
    between: str


Cell = str | NumberCell
# The cells of a line, by the titles of their columns.
TextRow = dict[str, Cell]


def number_cell(
    numbers: Sequence[float],
    texts: Sequence[str],
    between: str = " to ",
    least: int = 0,
) -> Cell:
    """Return a cell of numbers, with the most decimals that one of their texts has, and
    with at least `least`. If a text contains letters or a sign such as "<", return the
    joined texts.
    """
    if not all(re.fullmatch(r"[\d,.-]+", text) for text in texts):
        return between.join(texts)
    decimals = max(least, *(len(text.partition(".")[2]) for text in texts))
    return NumberCell(numbers, decimals, between)


def count_cell(*values: float) -> Cell:
    """Return a cell with a number, or with a part and the whole, such as "3 of 10"."""
    return number_cell(values, list(map(count_text, values)), " of ")


def text_table(first_title: str, rows: Sequence[TextRow]) -> list[list[str]]:
    """Return the lines of a table, as lists of texts. The first line contains the
    titles.

    `first_title` is the title of the names of the rows, whose key in each row is "".
    Columns without a value are omitted.
    """
    columns = []
    for title in _titles_in_order(rows):
        cells = [row.get(title, "-") for row in rows]
        needed = (cell.decimals for cell in cells if isinstance(cell, NumberCell))
        decimals = max(needed, default=0)
        texts = [_text_of(cell, decimals) for cell in cells]
        if {*texts} != {"-"}:
            columns.append([title or first_title, *texts])
    return [*map(list, zip(*columns, strict=True))]


def _titles_in_order(rows: Sequence[TextRow]) -> list[str]:
    """Return the titles of all rows, each after the title that is before it in a row.
    A row may lack columns: the first model has no difference, and a class with one
    positive no interval.
    """
    titles = list[str]()
    for row in rows:
        place = 0
        for title in row:
            if title not in titles:
                titles.insert(place, title)
            place = titles.index(title) + 1
    return titles


def _text_of(cell: Cell, decimals: int) -> str:
    """Return the text of a cell. Its numbers are rounded to this number of decimals."""
    if isinstance(cell, str):
        return cell
    # Adding 0.0 changes -0.0 to 0.0.
    rounded = [round(float(number), decimals) + 0.0 for number in cell.numbers]
    return cell.between.join(f"{number:,.{decimals}f}" for number in rounded)


def shorten_names(
    names: list[str],
    columns: Sequence[Sequence[str]],
    known: dict[str, str],
    most: int,
) -> list[str]:
    """Replace names that would make the lines of a table longer than `most` characters
    by short forms. Return the names that have got one, which it adds to `known`.
    """
    room = most - sum(2 + max(map(len, column)) for column in columns)
    new = []
    for place, name in enumerate(names):
        if len(name) > max(room, _LEAST_NAME):
            if name not in known:
                known[name] = _short_name(name, known)
                new.append(name)
            names[place] = known[name]
    return new


def _short_name(name: str, known: Mapping[str, str]) -> str:
    """Return a name without its middle, other than all short names in `known`."""
    size = _LEAST_NAME // 2
    while (short := f"{name[: size - 2]}..{name[-size:]}") in known.values():
        size += 1
    return short


def lines_of_table(table: Sequence[Sequence[str]], most: int) -> Iterator[str]:
    """Yield the aligned lines of columns of text. Columns beyond this number of
    characters follow below, with the first column repeated.
    """
    names, *columns = [
        [text.rjust(max(map(len, column))) for text in column] for column in table
    ]
    # Numbers are aligned at their right ends, and the names of rows at their left ends.
    names = [name.strip().ljust(len(name)) for name in names]
    tables = [names]
    for column in columns:
        width = len(tables[-1][0]) + len("  ") + len(column[0])
        # A table has at least one column, even if it is too wide.
        if width > most and tables[-1] is not names:
            tables.append(names)
        tables[-1] = [
            f"{line}  {text}" for line, text in zip(tables[-1], column, strict=True)
        ]
    for lines in tables:
        yield from map(str.rstrip, lines)

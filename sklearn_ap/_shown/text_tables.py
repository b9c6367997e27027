"""Tables of text: numbers of one column have as many decimals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

from .numbers import part_of

# A text; or numbers, the decimals that they need, and what joins them.
Cell = str | tuple[Sequence[float], int, str]
TextRow = dict[str, Cell]  # the cells of a line by their titles


def number_cell(
    numbers: Sequence[float], texts: Sequence[str], between: str = " to "
) -> Cell:
    """Return numbers with the decimals of their texts; or the texts, if one of them has
    letters or a sign of inequality.
    """
    if not all(re.fullmatch(r"[\d,.-]+", text) for text in texts):
        return between.join(texts)
    return numbers, max(len(text.partition(".")[2]) for text in texts), between


def count_cell(*values: float) -> Cell:
    """Return a number, or a part and the whole, which may be sums of fractions."""
    return number_cell(values, part_of(*values).split(" of "), " of ")


def text_table(first_title: str, rows: Sequence[TextRow]) -> list[list[str]]:
    """Return a table, whose first line has the titles, without columns of dashes; all
    numbers of a column have as many decimals. The names of its rows are under "".
    """
    # The last model has more columns than the first one, which differs from none.
    columns = []
    for title in dict.fromkeys(chain.from_iterable(reversed(rows))):
        cells = [row.get(title, "-") for row in rows]
        decimals = max((0, *(cell[1] for cell in cells if not isinstance(cell, str))))
        texts = [_text_of(cell, decimals) for cell in cells]
        if {*texts} != {"-"}:
            columns.append([title or first_title, *texts])
    return [*map(list, zip(*columns, strict=True))]


def _text_of(cell: Cell, decimals: int) -> str:
    """Return a cell of a column whose numbers have so many decimals."""
    if isinstance(cell, str):
        return cell
    numbers, _, between = cell
    # Adding 0.0 takes the sign from a negative zero.
    rounded = [round(float(number), decimals) + 0.0 for number in numbers]
    return between.join(f"{number:,.{decimals}f}" for number in rounded)

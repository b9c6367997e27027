"""Tables of text. All numbers of a column have the same number of decimals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

from .numbers import part_of

# A text; or numbers, the number of decimals that they need, and the text between them.
Cell = str | tuple[Sequence[float], int, str]
# The cells of a line, by the titles of their columns.
TextRow = dict[str, Cell]


def number_cell(
    numbers: Sequence[float], texts: Sequence[str], between: str = " to "
) -> Cell:
    """Return a cell of numbers, with as many decimals as their texts have; or a cell of
    these texts, if one of them contains letters or a sign such as "<".
    """
    if not all(re.fullmatch(r"[\d,.-]+", text) for text in texts):
        return between.join(texts)
    return numbers, max(len(text.partition(".")[2]) for text in texts), between


def count_cell(*values: float) -> Cell:
    """Return a cell with a number, or with a part and the whole."""
    return number_cell(values, part_of(*values).split(" of "), " of ")


def text_table(first_title: str, rows: Sequence[TextRow]) -> list[list[str]]:
    """Return the lines of a table, as lists of texts. The first line contains the
    titles.

    `first_title` is the title of the names of the rows, whose key in each row is "".
    Columns without a value are omitted.
    """
    # The last row has the most columns, in the order to show: the first model is not
    # compared with another one, so its row has no difference.
    columns = []
    for title in dict.fromkeys(chain.from_iterable(reversed(rows))):
        cells = [row.get(title, "-") for row in rows]
        decimals = max((0, *(cell[1] for cell in cells if not isinstance(cell, str))))
        texts = [_text_of(cell, decimals) for cell in cells]
        if {*texts} != {"-"}:
            columns.append([title or first_title, *texts])
    return [*map(list, zip(*columns, strict=True))]


def _text_of(cell: Cell, decimals: int) -> str:
    """Return the text of a cell, with this number of decimals."""
    if isinstance(cell, str):
        return cell
    numbers, _, between = cell
    # Adding 0.0 changes -0.0 to 0.0.
    rounded = [round(float(number), decimals) + 0.0 for number in numbers]
    return between.join(f"{number:,.{decimals}f}" for number in rounded)

"""Tables of one row per query or per number, as text, JSON or CSV."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from math import isnan

Cell = str | int | float | None
Row = Mapping[str, Cell]


def in_format(rows: Sequence[Row], name: str | None) -> str:
    """Return the table; text shows four decimals, other formats all digits."""
    if name == "json":
        return json.dumps([{key: _without_nan(cell) for key, cell in row.items()} for row in rows], indent=2)
    if name == "csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(rows[0])
        writer.writerows([_without_nan(cell) for cell in row.values()] for row in rows)
        return text.getvalue().removesuffix("\n")
    cells = [list(rows[0]), *([_cell_text(cell) for cell in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    places = [f"{{:<{widths[0]}}}", *(f"{{:>{width}}}" for width in widths[1:])]
    return "\n".join("  ".join(places).format(*one).rstrip() for one in cells)


def _without_nan(cell: Cell) -> Cell:
    return None if isinstance(cell, float) and isnan(cell) else cell


def _cell_text(cell: Cell) -> str:
    if _without_nan(cell) is None:
        return "-"
    return f"{cell:.4f}" if isinstance(cell, float) else str(cell)

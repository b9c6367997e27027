"""The rows of a comparison as text for a terminal, HTML, Markdown, CSV and JSON."""

import csv
import io
import json
import textwrap
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from ._walk import ComparisonRow, share_of_difference

if TYPE_CHECKING:
    from pandas import DataFrame


# Columns of data frames that are float even if no row has a number.
_NUMBERS = ("value", "low", "high", "scikit_learn", "difference", "part", "off")
# The attributes of a row that CSV and data frames hold besides its name.
COLUMNS = ("value", "low", "high", "scikit_learn", "difference", "why")
_HEADING = ("score", "value", "scikit-learn AP", "difference")


def four_decimals(value: float | None, sign: str = "") -> str:
    """Return four decimals, or a dash if there is no number."""
    text = "-" if value is None else f"{value:{sign}.4f}"
    # A rounding error below 0 must not be shown as -0.0000.
    return text.replace("-0.0000", f"{sign}0.0000")


def text(rows: Sequence[ComparisonRow]) -> str:
    """Return the table; below each row stand its reasons, with the number at each stop and its change."""
    width = max([43, *(len(row.name) + 2 for row in rows)])

    def line(*cells: str) -> str:
        return f"{cells[0]:<{width}}{cells[1]:>8}{cells[2]:>17}{cells[3]:>12}"

    lines = [line(*_HEADING)]
    for row in rows:
        lines.append(line(row.name, *_numbers_of_row(row)))
        for stop in row.reasons:
            *first, last = textwrap.wrap(stop.words, width - 2)  # numbers stand beside the last line of words
            lines += [f"  {part}" for part in first]
            lines.append(line(f"  {last}", four_decimals(stop.value), "", share_of_difference(stop.part)))
        lines += textwrap.wrap(row.note, width + 37, initial_indent="  ", subsequent_indent="  ")
    return "\n".join(lines)


def means_over(n_queries: int, n_without_rows: int, rows: Sequence[ComparisonRow] = ()) -> str:
    """Say how many rankings a table averages, and which of its numbers are not means."""
    missed = f", {n_without_rows} of them without rows" if n_without_rows else ""
    queries = "1 query" if n_queries == 1 else f"{n_queries} queries"
    pooled = [repr(row.name) for row in rows if row.convention.queries == "pooled"]
    others = [name for name in pooled if name != "'scikit-learn'"]
    too = f", and so {'does' if len(others) == 1 else 'do'} {' and '.join(others)}" if others else ""
    return f"Means over {queries}{missed}. scikit-learn's AP takes all rows as one ranking{too}."


def html(rows: Sequence[ComparisonRow]) -> str:
    """Return an HTML table with one line per row and one per reason, like the text."""
    lines = [_html_line("th", _HEADING)]
    for row in rows:
        lines.append(_html_line("td", (row.name, *_numbers_of_row(row))))
        for stop in row.reasons:
            words = f"\u2003{stop.words}"  # an em space, since HTML drops plain ones
            lines.append(
                _html_line("td", (words, four_decimals(stop.value), "", share_of_difference(stop.part)))
            )
        if row.note:
            lines.append(f'<tr><td colspan="4">\u2003{escape(row.note)}</td></tr>')
    return f"<table>{''.join(lines)}</table>"


def _html_line(tag: str, cells: Iterable[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def markdown(rows: Sequence[ComparisonRow]) -> str:
    """Return a Markdown table."""
    lines = [f"| {' | '.join((*_HEADING, 'why'))} |", "|---|---:|---:|---:|---|"]
    for row in rows:
        cells = (
            " ".join(cell.replace("|", "\\|").split()) for cell in (row.name, *_numbers_of_row(row), row.why)
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def comma_separated(rows: Sequence[ComparisonRow]) -> str:
    """Return CSV with all digits."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(("score", *COLUMNS))
    writer.writerows(text_cells(row) for row in rows)
    return buffer.getvalue().rstrip("\n")


def as_json(rows: Sequence[ComparisonRow]) -> str:
    """Return JSON with all digits, and every stop of the walks."""
    return json.dumps([_fields(row) for row in rows], indent=2)


def text_cells(row: ComparisonRow) -> tuple[object, ...]:
    """Return the name of a row and its `COLUMNS`."""
    return (row.name, *(getattr(row, column) for column in COLUMNS))


def _numbers_of_row(row: ComparisonRow) -> tuple[str, ...]:
    return four_decimals(row.value), four_decimals(row.scikit_learn), four_decimals(row.difference, "+")


def _fields(row: ComparisonRow) -> dict[str, object]:
    return {
        "score": row.name,
        "value": row.value,
        "low": row.low,
        "high": row.high,
        "scikit_learn": row.scikit_learn,
        "difference": row.difference,
        "why": [
            {"choice": stop.choice, "is": stop.words, "value": stop.value, "part": stop.part}
            for stop in row.stops
        ],
        "note": row.note,
    }


FORMATS = {"table": text, "json": as_json, "markdown": markdown, "csv": comma_separated}


def frame(rows: Sequence[tuple[object, ...]], columns: list[str]) -> "DataFrame":
    """Return a pandas DataFrame, indexed by its first column."""
    try:
        from pandas import DataFrame  # noqa: PLC0415  # an extra, imported where it is used
    except ImportError:
        raise ImportError("to_frame needs pandas: pip install pandas") from None
    made = DataFrame(rows, columns=columns)
    return made.astype({name: float for name in columns if name in _NUMBERS}).set_index(columns[0])

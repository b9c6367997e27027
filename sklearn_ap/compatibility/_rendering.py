"""How rows of a comparison look: as text for a terminal, HTML, Markdown, CSV and JSON."""

import csv
import io
import json
import textwrap
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._comparison import ComparisonRow

_HEADING = ("score", "value", "scikit-learn AP", "difference")
_WIDTH = 80


def number(value: float | None, sign: str = "") -> str:
    """Return four decimals, or a dash where there is no number."""
    text = "-" if value is None else f"{value:{sign}.4f}"
    return text.replace("-0.0000", f"{sign}0.0000")


def part(value: float) -> str:
    """Return a part of a difference: four decimals, or one digit of what is less."""
    return f"{value:+.4f}" if abs(value) >= 0.00005 else f"{value:+.0e}"


def text(rows: Sequence["ComparisonRow"]) -> str:
    """Return the table with the reasons below each row."""
    width = max(28, *(len(row.name) + 2 for row in rows)) if rows else 28
    lines = [f"{_HEADING[0]:<{width}}{_HEADING[1]:>10}{_HEADING[2]:>18}{_HEADING[3]:>13}"]
    for row in rows:
        lines.append(
            f"{row.name:<{width}}{number(row.value):>10}{number(row.scikit_learn):>18}"
            f"{number(row.difference, '+'):>13}"
        )
        said = [f"{part(stop.part):>9}  {stop.words}" for stop in row.reasons] or [row.note]
        for line in filter(None, said):
            lines += textwrap.wrap(line, _WIDTH, initial_indent="  ", subsequent_indent=" " * 13)
    return "\n".join(lines)


def html(rows: Sequence["ComparisonRow"]) -> str:
    """Return an HTML table; the reasons stand in the last column."""
    heading = "".join(f"<th>{cell}</th>" for cell in (*_HEADING, "why"))
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in _cells(row)) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{heading}</tr></thead><tbody>{body}</tbody></table>"


def markdown(rows: Sequence["ComparisonRow"]) -> str:
    """Return a Markdown table."""
    lines = [f"| {' | '.join((*_HEADING, 'why'))} |", "|---|---:|---:|---:|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(_cells(row))} |" for row in rows)])


def comma_separated(rows: Sequence["ComparisonRow"]) -> str:
    """Return CSV with all digits."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(("score", "value", "scikit_learn", "difference", "why"))
    writer.writerows((row.name, row.value, row.scikit_learn, row.difference, row.why) for row in rows)
    return buffer.getvalue().rstrip("\n")


def as_json(rows: Sequence["ComparisonRow"]) -> str:
    """Return JSON with all digits, and every stop of the walks."""
    return json.dumps([_fields(row) for row in rows], indent=2)


def _cells(row: "ComparisonRow") -> list[str]:
    return [row.name, number(row.value), number(row.scikit_learn), number(row.difference, "+"), row.why]


def _fields(row: "ComparisonRow") -> dict[str, Any]:
    return {
        "score": row.name,
        "value": row.value,
        "scikit_learn": row.scikit_learn,
        "difference": row.difference,
        "why": [
            {"choice": stop.choice, "is": stop.words, "value": stop.value, "part": stop.part}
            for stop in row.stops
        ],
        "note": row.note,
    }


FORMATS = {"table": text, "json": as_json, "markdown": markdown, "csv": comma_separated}

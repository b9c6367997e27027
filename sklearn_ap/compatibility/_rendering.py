"""How rows of a comparison look: as text for a terminal, HTML, Markdown, CSV and JSON."""

import csv
import io
import json
import textwrap
from collections.abc import Sequence
from html import escape
from typing import Any

from ._row import ComparisonRow, part_of

_HEADING = ("score", "value", "scikit-learn AP", "difference")


def number(value: float | None, sign: str = "") -> str:
    """Return four decimals, or a dash where there is no number."""
    text = "-" if value is None else f"{value:{sign}.4f}"
    return text.replace("-0.0000", f"{sign}0.0000")


def text(rows: Sequence[ComparisonRow]) -> str:
    """Return the table, with the reasons and their parts of the difference below each row."""
    width = max([28, *(len(row.name) + 2 for row in rows)])
    lines = [f"{_HEADING[0]:<{width}}{_HEADING[1]:>10}{_HEADING[2]:>18}{_HEADING[3]:>13}"]
    for row in rows:
        values = (number(row.value), number(row.scikit_learn), number(row.difference, "+"))
        lines.append("{:<{width}}{:>10}{:>18}{:>13}".format(row.name, *values, width=width))
        reasons = [(stop.words, part_of(stop.part)) for stop in row.reasons]
        for words, of_it in reasons or [(row.note, "")]:
            *first, last = textwrap.wrap(words, width + 26) or [""]
            lines += [f"  {line}" for line in first]
            lines += [f"  {last:<{width + 26}}{of_it:>13}".rstrip()] if last else []
    return "\n".join(lines)


def html(rows: Sequence[ComparisonRow]) -> str:
    """Return an HTML table; the reasons stand in the last column."""
    heading = "".join(f"<th>{cell}</th>" for cell in (*_HEADING, "why"))
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in _cells(row)) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{heading}</tr></thead><tbody>{body}</tbody></table>"


def markdown(rows: Sequence[ComparisonRow]) -> str:
    """Return a Markdown table."""
    lines = [f"| {' | '.join((*_HEADING, 'why'))} |", "|---|---:|---:|---:|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(_cells(row))} |" for row in rows)])


def comma_separated(rows: Sequence[ComparisonRow]) -> str:
    """Return CSV with all digits."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(("score", "value", "scikit_learn", "difference", "why"))
    writer.writerows((row.name, row.value, row.scikit_learn, row.difference, row.why) for row in rows)
    return buffer.getvalue().rstrip("\n")


def as_json(rows: Sequence[ComparisonRow]) -> str:
    """Return JSON with all digits, and every stop of the walks."""
    return json.dumps([_fields(row) for row in rows], indent=2)


def _cells(row: ComparisonRow) -> list[str]:
    return [row.name, number(row.value), number(row.scikit_learn), number(row.difference, "+"), row.why]


def _fields(row: ComparisonRow) -> dict[str, Any]:
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

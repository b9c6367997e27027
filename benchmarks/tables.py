"""Print tables as Markdown, under the machine that they were measured on."""

import sys
from collections.abc import Iterable, Iterator

from . import machine

Row = list[str]


def show(title: str, text: str) -> None:
    print(f"## {title}\n\n{text.strip()}\n", flush=True)


def show_machine(*more: str) -> None:
    show("Measured on", "\n".join([*machine.lines(), *more]))


def told(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the rows, and print each to standard error: a table is printed when its
    last row is there.
    """
    for row in rows:
        print(row, file=sys.stderr, flush=True)
        yield row


def table(headers: tuple[str, ...], rows: Iterable[Row]) -> str:
    """Return a Markdown table: the first column is aligned left, the others right."""
    lines = [headers, (":--", *["--:"] * (len(headers) - 1)), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def share(value: float) -> str:
    """Return a share with three digits, and without the zero before the point."""
    sign = "-" if value < 0 else ""
    return sign + f"{abs(value):.3f}".removeprefix("0")

"""Print tables as Markdown, under the machine that they were measured on."""

import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import sklearn_ap

Row = list[str]


class Table(NamedTuple):
    """A table with one row or several for each setting, which samples are drawn of."""

    title: str
    headers: tuple[str, ...]
    settings: Sequence[Any]
    rows_of: Callable[[Any, int], Iterable[Row]]  # a setting, and how many samples


class Several(NamedTuple):
    """Settings that are one row or several, as if they were one setting."""

    name: str
    settings: Sequence[Any]


def show_tables(tables: Iterable[Table], only: str, replications: int) -> list[Row]:
    """Print each table with the settings of this name, and return all rows."""
    shown = []
    for title, headers, settings, rows_of in tables:
        chosen = (one for one in settings if only in f"{title}, {one.name}")
        found = (row for one in chosen for row in rows_of(one, replications))
        rows = list(told(found))
        if rows:
            show(title, table(headers, rows))
        shown += rows
    return shown


def show(title: str, text: str) -> None:
    print(f"## {title}\n\n{text.strip()}\n", flush=True)


def show_machine(*more: str) -> None:
    """Print the processor, its vector instructions in use, and versions."""
    processor, cpu = platform.processor(), Path("/proc/cpuinfo")
    if cpu.exists():
        named = cpu.read_text().partition("model name\t: ")[2]
        processor = named.partition("\n")[0]
    simd = np.show_config(mode="dicts")["SIMD Extensions"]
    simd = " ".join([*simd.get("baseline", []), *simd.get("found", [])])
    names = "numpy", "scikit-learn", "scipy"
    versions = ", ".join(f"{name} {version(name)}" for name in (*names, *more))
    lines = [
        f"* {processor}, {platform.system()}, Python {platform.python_version()}",
        f"* numpy's vector instructions: {simd}",
        f"* sklearn_ap {sklearn_ap.__version__}, {versions}",
    ]
    show("Measured on", "\n".join(lines))


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
    return f"{value:.3f}".replace("0.", ".", 1)

"""Print tables as Markdown, under the machine that they were measured on."""

import platform
import re
from collections.abc import Callable
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sklearn


class Table(NamedTuple):
    """A table of coverage."""

    # Return the settings by the title of their part of the table.
    settings: Callable[..., Any]
    # Return the rows for some settings and the number of samples of each.
    rows_of: Callable[..., Any]
    replications: int
    headers: tuple[str, ...]
    footnote: str = ""


def lines_of(table):
    """Yield the fields of each line of a table of settings, with numbers as numbers.
    At least two spaces separate fields.
    """
    for line in table.strip().splitlines():
        yield [number_of(field) for field in re.split("  +", line.strip())]


def number_of(field):
    """Return a field as an integer or a float, if it is one."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(field)
    return field


def show(title, headers, rows):
    """Print each row of a table once it is computed, and return the rows. The first
    column is aligned left, and the others right.
    """
    head = [*headers]
    print(f"\n## {title}\n")
    shown = []
    for row in chain([head, [":--", *["--:"] * (len(head) - 1)]], rows):
        print(f"| {' | '.join(row)} |", flush=True)
        shown.append(row)
    return shown[2:]


def show_machine():
    """Print the processor, the vector instructions that numpy uses, and versions."""
    cpu = Path("/proc/cpuinfo")
    if cpu.exists():
        print(cpu.read_text().partition("model name\t: ")[2].partition("\n")[0])
    print(f"Python {platform.python_version()}, scikit-learn {sklearn.__version__}")
    vectors = np.show_config(mode="dicts")["SIMD Extensions"]
    print(f"numpy {np.__version__}, {vectors}")


def share(value):
    """Return a share with three digits, and without the zero before the point."""
    return re.sub(r"\b0\.", ".", f"{value:.3f}")

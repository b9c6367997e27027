"""Print the tables of speed as Markdown: `python -m benchmarks --help`."""

import argparse
import warnings

import numpy as np

from . import cases, imports, report
from .tables import show, show_machine, table, told


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--seconds", type=float, default=4.0, help="time for each case (default: 4)"
    )
    parser.add_argument(
        "--only",
        default="",
        help="cases with this text in their name, and no other table",
    )
    options = parser.parse_args()
    show_machine()
    warnings.simplefilter("ignore", UserWarning)  # few positives
    rng = np.random.default_rng(0)
    chosen = (
        case
        for group in cases.GROUPS
        for case in group(rng)
        if options.only in case.name
    )
    rows = told(report.row_of(case, options.seconds) for case in chosen)
    show("Speed and memory", report.COLUMNS + table(report.HEADERS, rows))
    if not options.only:
        show("Import", table(imports.HEADERS, imports.rows()))


if __name__ == "__main__":
    main()

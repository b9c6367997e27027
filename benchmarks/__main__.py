"""Print the tables of speed as Markdown: `python -m benchmarks --help`."""

import argparse
import warnings

import numpy as np

from . import cases, imports
from .tables import show, show_machine


def main():
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
    chosen = (
        case.row(options.seconds)
        for case in cases.cases(np.random.default_rng(0))
        if options.only in case.name
    )
    show("Speed and memory", cases.HEADERS, chosen)
    print(cases.FOOTNOTE)
    if not options.only:
        show("Import", imports.HEADERS, [imports.row()])


if __name__ == "__main__":
    main()

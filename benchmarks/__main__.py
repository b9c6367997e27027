"""Print the tables as Markdown: `python -m benchmarks --help`."""

import argparse
import os
import subprocess
import sys
from collections.abc import Iterable

import numpy as np

from . import cases, goals, imports, machine, paths, report
from .tables import show, table


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--seconds", type=float, help="time for each case (default: 4, with --goals 1)")
    parser.add_argument(
        "--goals",
        action="store_true",
        help="add goals, whether they are met, and a last table: goals of files, intervals and chance",
    )
    only = (
        "cases with this text in their name, and no other table; with --goals, such lines of its last table"
    )
    parser.add_argument("--only", default="", help=only)
    parser.add_argument("--paths", action="store_true", help="only what each special path costs and saves")
    parser.add_argument("--sorts", action="store_true", help="only what depends on the sort, with goals")
    options = parser.parse_args()
    show("Measured on", "\n".join(machine.lines()))
    seconds = options.seconds or (1.0 if options.goals else 4.0)
    if options.paths:
        show("Special paths", table(paths.HEADERS, paths.rows(seconds)))
        return
    if options.goals and options.only:
        found = goals.rows(options.only, goals.Sizes(seconds=seconds))
        if found:
            show("Goals", table(goals.HEADERS, found))
            return
    with_goals = options.goals or options.sorts
    headers = report.HEADERS + (report.GOALS if with_goals else ())
    groups = (cases.sorts,) if options.sorts else cases.GROUPS
    rows = speed(groups, options.only, seconds, with_goals=with_goals)
    show("Speed and memory", report.COLUMNS + table(headers, rows))
    if options.only or options.sorts:
        return
    if options.goals:
        show_other_sorts(seconds)
    show("Import", table(imports.HEADERS, imports.rows()))
    if options.goals:
        show("Goals", table(goals.HEADERS, goals.rows("", goals.Sizes(seconds=seconds))))


def show_other_sorts(seconds: float) -> None:
    """Print the cases of sorts by processes of their own: numpy chooses its sort once."""
    for name, switched_off in machine.OTHER_SORTS.items():
        command = [sys.executable, "-m", "benchmarks", "--sorts", "--seconds", str(seconds)]
        setting = {**os.environ, "NPY_DISABLE_CPU_FEATURES": switched_off}
        printed = subprocess.run(command, check=True, env=setting, stdout=subprocess.PIPE, text=True)
        show(f"If numpy sorts with {name}", printed.stdout.replace("## ", "### "))


def speed(groups: Iterable[cases.Group], only: str, seconds: float, *, with_goals: bool) -> list[list[str]]:
    rng = np.random.default_rng(0)
    rows = []
    for group in groups:
        for case in group(rng):
            if only in case.name:
                rows.append(report.row_of(case, seconds, with_goals=with_goals))
                print(rows[-1], file=sys.stderr, flush=True)
    return rows


if __name__ == "__main__":
    main()

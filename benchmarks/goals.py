"""The goals of speed, each measured by the benchmark it belongs to: `python -m benchmarks --goals`."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from . import cases, chance, machine, scale, uncertainty_speed
from .measure import side_by_side

HEADERS = ("case", "measured", "goal", "met")
RARE = ("0.1% positive", "1.0% positive")
QUERIES = 1_000  # whose seconds of chance are printed
REPEATS = 2  # processes of each reader


class Sizes(NamedTuple):
    """How much is measured."""

    rows: int = 1_000_000
    text_rows: int = 4_000_000
    queries: int = 200
    draws: int = 10_000
    seconds: float = 1.0  # of each pair of calls


class Goal(NamedTuple):
    """A case, and a call that measures its number and the limit: a limit may be what a competitor takes."""

    case: str
    unit: str
    measure: Callable[[], tuple[float, float | None]]
    at_least: bool = False

    def row(self) -> list[str]:
        try:
            number, limit = self.measure()
        except ModuleNotFoundError as absent:
            return [self.case, "", "", f"{absent.name} is not installed"]
        measured = f"{number:.3g} {self.unit}"
        if limit is None:
            return [self.case, measured, "", "rival not installed"]
        met = number >= limit if self.at_least else number <= limit
        sign = ">=" if self.at_least else "<="
        return [self.case, measured, f"{sign} {limit:.3g}", "yes" if met else "no"]


def rows(only: str, sizes: Sizes) -> list[list[str]]:
    """Return a line of the table for each goal whose case contains the text."""
    found = []
    for goal in goals(sizes):
        if only in goal.case:
            found.append(goal.row())
            print(found[-1], file=sys.stderr, flush=True)
    return found


def goals(sizes: Sizes) -> Iterator[Goal]:
    yield from _of_sorts(sizes)
    name = f"weights in files, {2 * sizes.rows:,} rows"
    yield Goal(name, "CPU / in memory", partial(of_weights, 2 * sizes.rows))
    name = f"sklearn-ap of text, {sizes.text_rows:,} rows"
    for clock in ("CPU", "wall"):
        yield Goal(f"{name}, {clock}", "/ select of DuckDB", partial(_text, sizes.text_rows, clock.lower()))
    for n, kind, limit in ((1_000, "distinct", 1.8), (100_000, "weighted", 2), (1_000_000, "weighted", 2)):
        measure = partial(_interval, min(n, sizes.rows), kind, limit, sizes.seconds)
        yield Goal(f"interval of {n:,} rows, {kind}", "/ AP", measure)
    name = f"chance of {QUERIES:,} sizes, {sizes.draws:,} draws each, goal: {chance.COPAIRS}"
    yield Goal(name, "CPU s", partial(_chance, sizes.queries, sizes.draws))


def _of_sorts(sizes: Sizes) -> Iterator[Goal]:
    """Each is a process of its own, since numpy chooses its sort once."""
    for case in cases.sorts(np.random.default_rng(0), sizes.rows):
        if case.at_least:
            for sort in ("", *(machine.OTHER_SORTS if case.name.endswith(RARE) else ())):
                name = f"{case.name}, numpy sorts with {sort}" if sort else case.name
                measure = partial(in_a_process, sort, case.name, sizes.rows, sizes.seconds)
                yield Goal(name, f"x {cases.SCIKIT_LEARN}", measure, at_least=True)


def in_a_process(sort: str, *arguments: str | float) -> tuple[float, float]:
    command = [sys.executable, "-m", "benchmarks.goals", json.dumps(arguments)]
    setting = {"NPY_DISABLE_CPU_FEATURES": machine.OTHER_SORTS[sort]} if sort else {}
    ran = subprocess.run(
        command, check=True, env={**os.environ, **setting}, stdout=subprocess.PIPE, text=True
    )
    return tuple(json.loads(ran.stdout))


def called(name: str, rows: int, seconds: float) -> tuple[float, float]:
    """Return the ratio and the goal of a case."""
    case = next(one for one in cases.sorts(np.random.default_rng(0), rows) if one.name == name)
    ((rival, limit),) = case.at_least.items()
    times = side_by_side({"ours": case.ours, rival: case.rivals[rival]}, seconds=seconds)
    return times[rival] / times["ours"], limit


def of_weights(rows: int) -> tuple[float, float]:
    ours, by_hand = _in_files(("weights", "weights, in memory by hand"), rows)
    return ours.cpu / by_hand.cpu, 2


def _text(rows: int, clock: str) -> tuple[float, float]:
    command, select = _in_files(("command", "text, DuckDB's select"), rows)
    return getattr(command, clock) / getattr(select, clock), 2


def _in_files(names: tuple[str, ...], rows: int) -> list[scale.Measured]:
    with tempfile.TemporaryDirectory() as folder:
        return [scale.measured(scale.BY_NAME[name], rows, Path(folder), REPEATS) for name in names]


def _interval(rows: int, kind: str, limit: float, seconds: float) -> tuple[float, float]:
    """Return the largest ratio of several shares of positives."""
    rng = np.random.default_rng(0)
    times = [
        uncertainty_speed.interval_times(rng, rows, positive, kind, seconds)
        for positive in uncertainty_speed.SHARES
    ]
    return max(one["interval"] / one["AP"] for one in times), limit


def _chance(queries: int, draws: int) -> tuple[float, float | None]:
    packages = [chance.OURS, *([chance.COPAIRS] if importlib.util.find_spec(chance.COPAIRS) else [])]
    found = [chance.in_a_process(one, "profiles", queries, draws, False).cpu for one in packages]
    ours, rival = (*(seconds * QUERIES / queries for seconds in found), None)[:2]
    return ours, rival


if __name__ == "__main__":
    print(json.dumps(called(*json.loads(sys.argv[1]))))

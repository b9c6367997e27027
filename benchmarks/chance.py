"""Chance of many queries, beside copairs (`pip install copairs`): `python -m benchmarks.chance --help`."""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any, NamedTuple

import numpy as np

from . import machine
from .scale import cpu_seconds, peak_bytes
from .tables import show, table

# Least and most positives, and least and most rows, of a query.
SIZES = {"few": (2, 6, 20, 100), "profiles": (2, 20, 50, 600), "long": (20, 100, 1000, 3000)}
GROUP = 10  # queries
OURS, COPAIRS = "sklearn_ap", "copairs"
HEADERS = ("sizes", "p-values of", "package", "CPU s", "wall s", "peak MB", "difference", "in errors")
FOOTNOTE = """
Every line is a process of its own, and counts no imports. copairs has a thread per core, and an empty cache.
The last columns are the largest difference between the p-values of both packages, and the largest in standard
errors of a difference of two Monte Carlo p-values.
"""


class Queries(NamedTuple):
    """How many positives and rows each query has, and what it scores."""

    n_positives: np.ndarray
    n_samples: np.ndarray
    score: np.ndarray


class Measured(NamedTuple):
    cpu: float  # seconds, of all threads
    wall: float
    peak: float  # bytes
    pvalues: list[float]


def queries(sizes: str, n_queries: int) -> Queries:
    """Return queries of different sizes, and the average precision of a random order of each."""
    rng = np.random.default_rng(0)
    few, many, short, long = SIZES[sizes]
    pairs = rng.permutation([(p, n) for p in range(few, many + 1) for n in range(short, long + 1)])[
        :n_queries
    ]
    scores = []
    for p, n in pairs.tolist():
        rank = 1 + np.sort(rng.choice(n, p, replace=False))
        scores.append(np.mean(np.arange(1, p + 1) / rank))
    return Queries(*pairs.T, np.array(scores))


def of_ours(given: Queries, n_draws: int, *, in_groups: bool) -> np.ndarray:
    from sklearn_ap import ChanceLevel

    group = np.arange(given.score.size) // GROUP if in_groups else None
    chance = ChanceLevel.from_counts(given.n_positives, given.n_samples)
    return chance.pvalue(given.score, n_resamples=n_draws, random_state=0, group_id=group)


def of_copairs(given: Queries, n_draws: int, *, in_groups: bool) -> np.ndarray:
    import pandas as pd
    from copairs import compute
    from copairs.map.map import get_map_pvalue

    sizes = np.stack([given.n_positives, given.n_samples], axis=1)
    if not in_groups:
        return compute.p_values(given.score, sizes, n_draws, 0, progress_bar=False)
    columns = {"average_precision": given.score, "n_pos_pairs": sizes[:, 0], "n_total_pairs": sizes[:, 1]}
    frame = pd.DataFrame({**columns, "group": np.arange(given.score.size) // GROUP})
    frame["normalized_average_precision"] = 0.0
    return get_map_pvalue(frame, ["group"], n_draws, 0, progress_bar=False)["p_value"].to_numpy()


def called(package: str, sizes: str, n_queries: int, n_draws: int, in_groups: bool) -> Measured:
    """Call a package in this process, which should have done nothing before."""
    given, call = queries(sizes, n_queries), of_ours if package == OURS else of_copairs
    call(Queries(*(of[:GROUP] for of in given)), 10, in_groups=in_groups)  # imports
    begin, busy = time.perf_counter(), cpu_seconds()
    pvalues = call(given, n_draws, in_groups=in_groups)
    return Measured(cpu_seconds() - busy, time.perf_counter() - begin, peak_bytes(), pvalues.tolist())


def in_a_process(*arguments: Any) -> Measured:
    command = [sys.executable, "-m", "benchmarks.chance", "--call", json.dumps(arguments)]
    with tempfile.TemporaryDirectory() as home:  # where copairs keeps what it has drawn
        ran = subprocess.run(
            command, check=True, capture_output=True, text=True, env={**os.environ, "HOME": home}
        )
    return Measured(*json.loads(ran.stdout))


def rows_of(
    sizes: str, packages: list[str], n_queries: int, n_draws: int, in_groups: bool
) -> list[list[str]]:
    """Return a line of the table for each package."""
    found = {one: in_a_process(one, sizes, n_queries, n_draws, in_groups) for one in packages}
    ours, rows = np.array(found[OURS].pvalues), []
    error = np.sqrt(ours * (1 - ours) * 2 / n_draws) + 1 / n_draws
    for package, one in found.items():
        apart = np.abs(np.array(one.pvalues) - ours)
        row = [
            sizes,
            f"means of {GROUP}" if in_groups else "each",
            package,
            f"{one.cpu:.2f}",
            f"{one.wall:.2f}",
        ]
        rows.append([*row, f"{one.peak / 1e6:,.0f}", f"{apart.max():.0e}", f"{(apart / error).max():.1f}"])
        print(rows[-1], file=sys.stderr, flush=True)
    return rows


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chance", description=__doc__)
    parser.add_argument("--queries", type=int, default=200, help="sizes of queries (default: 200)")
    parser.add_argument("--draws", type=int, default=100_000, help="random orders of each (default: 100,000)")
    parser.add_argument("--sizes", nargs="+", default=list(SIZES), choices=list(SIZES))
    parser.add_argument("--ours", action="store_true", help="without copairs")
    parser.add_argument("--call", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.call:
        print(json.dumps(called(*options.call)))
        return
    packages = [OURS]
    if not options.ours and importlib.util.find_spec(COPAIRS):
        packages.append(COPAIRS)
    show("Measured on", "\n".join(machine.lines()))
    rows = [
        row
        for sizes in options.sizes
        for in_groups in (False, True)
        for row in rows_of(sizes, packages, options.queries, options.draws, in_groups)
    ]
    show(f"Chance of {options.queries:,} queries, {options.draws:,} draws each", table(HEADERS, rows))
    print(FOOTNOTE.strip())


if __name__ == "__main__":
    main()

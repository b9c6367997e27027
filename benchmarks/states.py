"""What states of many days cost to read and merge: `python -m benchmarks.states --help`."""

import argparse
import json
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from sklearn_ap.distributed import RankingState

from .scale import peak_bytes
from .tables import show, table

KINDS: dict[str, dict[str, Any]] = {
    "all rows": {},
    "k=1000": {"k": 1000},
    "bins": {"bins": (0, 1, 2**20)},
    "bins, weights": {"bins": (0, 1, 2**20)},
}
HEADERS = ("state", "held MB", "a day, MB", "read: peak / held", "generator: MB", "all at once: MB", "CPU s")
FOOTNOTE = """

{days} days of {rows:,} rows, 2 % positive, with float32 scores. The first peak is that of `from_bytes`, of
the merged state. The others are those of a process that merges the days, above its peak before: from a
generator, `merge(map(RankingState.from_bytes, days))`, and with all states at once, `merge(*map(...))`. CPU
seconds are those of the generator.
"""


def written(kind: str, days: int, rows: int, folder: Path) -> None:
    rng = np.random.default_rng(0)
    for day in range(days):
        y_true = rng.random(rows) < 0.02
        y_score = (1 / (1 + np.exp(4 - rng.normal(size=rows) - 2 * y_true))).astype(np.float32)
        weight = rng.random(rows) + 0.1 if "weights" in kind else None
        state = RankingState(**KINDS[kind]).update(y_true, y_score, sample_weight=weight)
        (folder / f"{day:04}").write_bytes(state.to_bytes())


def merged(kind: str, folder: str, at_once: bool) -> dict[str, float]:
    """Merge the days in this process, which should have done nothing before."""
    before, begin = peak_bytes(), time.process_time()
    days = (RankingState.from_bytes(path.read_bytes()) for path in sorted(Path(folder).iterdir()))
    state = RankingState(**KINDS[kind]).merge(*[list(days)] if at_once else [days])
    seconds, peak = time.process_time() - begin, peak_bytes() - before
    data, held = state.to_bytes(), state.nbytes
    del state
    tracemalloc.start()
    RankingState.from_bytes(data)
    return {"peak": peak, "cpu": seconds, "held": held, "read": tracemalloc.get_traced_memory()[1] / held}


def row_of(kind: str, days: int, rows: int) -> list[str]:
    with TemporaryDirectory() as folder:
        written(kind, days, rows, Path(folder))
        size = max(path.stat().st_size for path in Path(folder).iterdir())
        found = []
        for at_once in (False, True):
            command = [sys.executable, "-m", "benchmarks.states", "--call"]
            command.append(json.dumps([kind, folder, at_once]))
            found.append(json.loads(subprocess.run(command, check=True, capture_output=True).stdout))
    fold, whole = found
    peaks = (f"{one['peak'] / 1e6:,.0f}" for one in (fold, whole))
    sizes = f"{fold['held'] / 1e6:.2f}", f"{size / 1e6:.2f}", f"{fold['read']:.1f}"
    return [kind, *sizes, *peaks, f"{fold['cpu']:.1f}"]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.states", description=__doc__)
    parser.add_argument("--days", type=int, default=365, help="states that are merged (default: 365)")
    parser.add_argument("--rows", type=int, default=20_000, help="rows of each day (default: 20,000)")
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=KINDS, help="kinds of states")
    parser.add_argument("--call", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.call:
        print(json.dumps(merged(*options.call)))
        return
    rows = [row_of(kind, options.days, options.rows) for kind in options.kinds]
    show(
        "States of many days",
        table(HEADERS, rows) + "\n" + FOOTNOTE.format(days=options.days, rows=options.rows),
    )


if __name__ == "__main__":
    main()

"""What an interval costs beside the score: `python -m benchmarks.uncertainty_speed --help`."""

import argparse
import sys
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator
from sklearn.metrics import average_precision_score as scikit_learn

from sklearn_ap import average_precision_score, estimate_score

from . import machine
from .measure import Call, side_by_side
from .tables import show, table

SIZES = (1_000, 100_000, 1_000_000)
SHARES = (0.01, 0.1, 0.5)
KINDS = ("distinct", "101 distinct scores", "weighted")
INTERVAL = ("rows", "positive", "scores", "AP, ms", "interval, ms", "interval / AP")
RESAMPLED = ("positive", "1,000 replicates, ms", "a naive replicate, ms", "naive / ours")
RARE = (0.001, 0.02, 0.5)
FOOTNOTE = """
Calls take turns with one thread, and the least CPU time of each counts. An interval is
`estimate_score(average_precision_score, y, s).confidence_interval()`. A naive replicate draws rows with
`rng.integers` and calls scikit-learn's `average_precision_score`; its time is multiplied by the replicates.
"""


def interval(y_true: np.ndarray, y_score: np.ndarray, **options: Any) -> object:
    return estimate_score(average_precision_score, y_true, y_score, **options).confidence_interval()


def problem(rng: Generator, size: int, positive: float, kind: str) -> tuple[Any, Any, dict[str, Any]]:
    """Return labels, scores and options; positives have better scores."""
    y_true = (rng.random(size) < positive).astype(int)
    y_score = 1 / (1 + np.exp(2 - rng.normal(size=size) - 1.5 * y_true))
    if kind == "101 distinct scores":
        y_score = y_score.round(2)
    return y_true, y_score, {"sample_weight": rng.random(size) + 0.1} if kind == "weighted" else {}


def interval_times(rng: Generator, size: int, positive: float, kind: str, seconds: float) -> dict[str, float]:
    """Return the seconds of the score and of its interval."""
    y_true, y_score, options = problem(rng, size, positive, kind)
    calls: dict[str, Call] = {
        "AP": partial(average_precision_score, y_true, y_score, **options),
        "interval": partial(interval, y_true, y_score, **options),
    }
    return side_by_side(calls, seconds=seconds)


def interval_row(rng: Generator, size: int, positive: float, kind: str, seconds: float) -> list[str]:
    times = interval_times(rng, size, positive, kind, seconds)
    milliseconds = [f"{time * 1e3:.3g}" for time in times.values()]
    row = [f"{size:,}", f"{positive:.0%}", kind, *milliseconds, f"{times['interval'] / times['AP']:.2f}"]
    print(row, file=sys.stderr, flush=True)
    return row


def naive(rng: Generator, y_true: np.ndarray, y_score: np.ndarray) -> float:
    """One replicate, as most people write it."""
    rows = rng.integers(y_true.size, size=y_true.size)
    return float(scikit_learn(y_true[rows], y_score[rows]))


def resampled_row(rng: Generator, size: int, positive: float, n_resamples: int, seconds: float) -> list[str]:
    y_true, y_score, _ = problem(rng, size, positive, "distinct")
    options = {"method": "percentile", "n_resamples": n_resamples, "random_state": 0}
    calls: dict[str, Call] = {
        "ours": partial(estimate_score, average_precision_score, y_true, y_score, **options),
        "naive": partial(naive, rng, y_true, y_score),
    }
    times = side_by_side(calls, seconds=seconds)
    ratio = n_resamples * times["naive"] / times["ours"]
    row = [f"{positive:.1%}", f"{times['ours'] * 1e3:,.0f}", f"{times['naive'] * 1e3:.3g}", f"{ratio:,.0f}"]
    print(row, file=sys.stderr, flush=True)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.uncertainty_speed", description=__doc__)
    parser.add_argument("--seconds", type=float, default=4.0, help="time for each case (default: 4)")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    show("Measured on", "\n".join(machine.lines()))
    rows = [
        interval_row(rng, size, positive, kind, options.seconds)
        for kind in KINDS
        for size in SIZES
        for positive in SHARES
    ]
    show("An interval beside the score", table(INTERVAL, rows))
    rows = [resampled_row(rng, 100_000, positive, 1_000, options.seconds) for positive in RARE]
    show("A bootstrap of 100,000 rows beside a naive one", table(RESAMPLED, rows))
    print(FOOTNOTE.strip())


if __name__ == "__main__":
    main()

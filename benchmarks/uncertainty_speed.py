"""What an interval costs next to the score: `python -m benchmarks.coverage --table
speed`.
"""

import argparse
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator

from sklearn_ap import average_precision_score, estimate_score

from .measure import Call, side_by_side
from .tables import show, table, told

SIZES = (1_000, 1_000_000)
SHARES = (0.01, 0.1, 0.5)
KINDS = ("distinct", "weighted")
GOALS = {(1_000, "distinct"): 10, (1_000_000, "distinct"): 6}  # of interval / AP
HEADERS = (
    "rows",
    "positive",
    "scores",
    "AP, ms",
    "interval, ms",
    "interval / AP",
    "goal",
)


def interval(y_true: np.ndarray, y_score: np.ndarray, **options: Any) -> object:
    return estimate_score(
        average_precision_score, y_true, y_score, **options
    ).confidence_interval()


def row_of(
    rng: Generator, size: int, positive: float, kind: str, seconds: float
) -> list[str]:
    """Time a score and its interval; positives have better scores."""
    y_true = (rng.random(size) < positive).astype(int)
    y_score = 1 / (1 + np.exp(2 - rng.normal(size=size) - 1.5 * y_true))
    options = {"sample_weight": rng.random(size) + 0.1} if kind == "weighted" else {}
    calls: dict[str, Call] = {
        "AP": partial(average_precision_score, y_true, y_score, **options),
        "interval": partial(interval, y_true, y_score, **options),
    }
    times = side_by_side(calls, seconds=seconds)
    milliseconds = [f"{time * 1e3:.3g}" for time in times.values()]
    goal = GOALS.get((size, kind))
    ratio = f"{times['interval'] / times['AP']:.2f}"
    return [
        f"{size:,}",
        f"{positive:.0%}",
        kind,
        *milliseconds,
        ratio,
        f"<= {goal}" if goal else "",
    ]


def show_tables(options: argparse.Namespace) -> None:
    rng = np.random.default_rng(0)
    cases = (
        (size, share, kind) for kind in KINDS for size in SIZES for share in SHARES
    )
    rows = told(
        row_of(rng, *case, options.seconds) for case in cases if options.only in case[2]
    )
    show("An interval beside the score", table(HEADERS, rows))
    print("Calls take turns with one thread, and the least CPU time of each counts.")

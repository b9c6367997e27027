"""The cases that must be fast, each with its competitors, and what is told of each."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator
from sklearn.metrics import average_precision_score as scikit_learn

import sklearn_ap
from sklearn_ap import average_precision_score as step

from .measure import Call, peak_bytes, side_by_side

# queries of a loop over scikit-learn: all would take minutes, so the time is scaled
LOOPED = 1000
SIZE = 1_000_000
SHORT = 10_000  # rows: up to here, a call is also timed among other work
HEADERS = "case", "ms", "ours / np.sort", "scikit-learn / ours", "bytes per row"
FOOTNOTE = f"""
The columns hold the milliseconds of our call, and ratios of times. Of short calls, the second ratio is that
of a single call after other work, when code and data are not in the caches. Bytes are the most that a call
allocates at once beside its input, for large calls only. Calls take turns with one thread each, and the least
CPU time of each counts. For queries, scikit-learn was timed on {LOOPED:,} of them, and its time
multiplied.
"""


@dataclass(frozen=True)
class Case:
    """A call of ours, and a sort of its scores and scikit-learn's call beside it."""

    name: str
    ours: Call
    y_score: np.ndarray
    scikit_learn: Call | None = None
    looped: float = 1.0  # what the time of a loop over scikit-learn is multiplied by

    def row(self, seconds: float) -> list[str]:
        """Return the times, and the memory of a large call."""
        calls = {"ours": self.ours, "sort": partial(np.sort, self.y_score)}
        if self.scikit_learn is not None:
            calls["scikit-learn"] = self.scikit_learn
        times = side_by_side(calls, seconds=seconds)
        timed, bytes_per_row = [times], ""
        if self.y_score.size <= SHORT:
            timed.append(side_by_side(calls, seconds=seconds, among_other_work=True))
        else:
            bytes_per_row = f"{peak_bytes(self.ours) / self.y_score.size:.1f}"
        of_scikit_learn = " / ".join(
            f"{each['scikit-learn'] * self.looped / each['ours']:,.1f}"
            for each in timed
            if "scikit-learn" in each
        )
        milliseconds = f"{times['ours'] * 1e3:,.3g}"
        of_sort = f"{times['ours'] / times['sort']:.2f}"
        return [self.name, milliseconds, of_sort, of_scikit_learn, bytes_per_row]


def binary(
    rng: Generator, size: int, share: float = 0.5
) -> tuple[np.ndarray, np.ndarray]:
    """Labels as integers and scores in [0, 1)."""
    return (rng.random(size) < share).astype(int), rng.random(size)


def of_step(name: str, *rows: np.ndarray, **options: Any) -> Case:
    """A case of step AP against scikit-learn."""
    ours, theirs = (partial(call, *rows, **options) for call in (step, scikit_learn))
    return Case(name, ours, rows[1], theirs)


def cases(rng: Generator) -> Iterator[Case]:
    """Few rows, a million and more, and the mean over thousands of short queries."""
    for size in (100, 1_000, 10_000):
        yield of_step(f"{size:,} rows", *binary(rng, size))
    for share in (0.5, 0.001):
        yield of_step(f"1e6, {share:.1%} positive", *binary(rng, SIZE, share))
    y_true, y_score = binary(rng, SIZE)
    yield of_step("1e6, weighted", y_true, y_score, sample_weight=rng.random(SIZE))
    at_10 = partial(sklearn_ap.average_precision_at_k_score, y_true, y_score, k=10)
    yield Case("1e6, AP@10", at_10, y_score)
    yield of_step("1e7, half positive", *binary(rng, 10 * SIZE))
    n_queries = 20_000
    length = rng.integers(20, 101, n_queries)
    y_true, y_score = binary(rng, length.sum(), 0.2)
    query = np.repeat(np.arange(n_queries), length)
    ours = partial(step, y_true, y_score, zero_division=0.0, query_id=query)
    name = f"MAP of {n_queries:,} queries"
    first = loop(y_true, y_score, length[:LOOPED])
    yield Case(name, ours, y_score, first, n_queries / LOOPED)


def loop(y_true: np.ndarray, y_score: np.ndarray, length: np.ndarray) -> Call:
    """The mean of scikit-learn's scores of the first queries, one by one."""
    ends = np.cumsum(length)
    *first, _ = zip(np.split(y_true, ends), np.split(y_score, ends), strict=True)
    return lambda: np.mean([scikit_learn(*arrays) for arrays in first])

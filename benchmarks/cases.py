"""Calls whose time and memory are measured, next to a sort and to scikit-learn."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.metrics import average_precision_score as scikit_learn

import sklearn_ap
from sklearn_ap import average_precision_at_k_score as at_k
from sklearn_ap import average_precision_score as step

from .measure import Call, peak_bytes, side_by_side

# A loop over scikit-learn takes minutes for all queries. So this number of queries is
# timed, and the time is multiplied.
LOOPED = 1000
SIZE = 1_000_000
# Calls with at most this number of rows are also timed with cold caches.
SHORT = 10_000
HEADERS = "case", "ms", "ours / np.sort", "scikit-learn / ours", "bytes per row"
FOOTNOTE = f"""
The columns hold the milliseconds of our call, and ratios of times. Half of the rows are positive, and 20 % of
those of queries, unless a case says otherwise. Of short calls, the second ratio is that
of a single call after other work, when code and data are not in the caches. Bytes are the most that a call
allocates at once beside its input, for large calls only. Calls take turns with one thread each, and the least
CPU time of each counts. For queries, scikit-learn was timed on {LOOPED:,} of them, and its time
multiplied.
"""


@dataclass(frozen=True)
class Case:
    """A call of our package, its scores, and the same call of scikit-learn."""

    name: str
    ours: Call
    y_score: np.ndarray
    scikit_learn: Call | None = None
    # The time of scikit-learn is multiplied by this number.
    looped: float = 1.0

    def row(self, seconds):
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


def binary(rng, size, share=0.5):
    """Draw labels and uniform scores."""
    return (rng.random(size) < share).astype(int), rng.random(size)


def of_step(name, *rows, **options):
    """Return a case of average precision."""
    ours, theirs = (partial(call, *rows, **options) for call in (step, scikit_learn))
    return Case(name, ours, np.asarray(rows[1]), theirs)


def scores_of(rng, y_true):
    """Draw uniform scores, and scores like those of models, by name."""
    log_odds = rng.normal(size=y_true.size) + y_true
    probability = 1 / (1 + np.exp(-log_odds))
    return {
        "uniform": rng.random(y_true.size),
        "log-odds": log_odds,
        "float32": probability.astype("f4"),
        "float32 log-odds": log_odds.astype("f4"),
        "two digits": probability.round(2),
    }


def cases(rng):
    """Yield the cases in the order of the table."""
    import pandas as pd

    rows = binary(rng, 100)
    yield of_step("100 rows", *rows)
    yield of_step("100 rows, two Series", *map(pd.Series, rows))
    for size in (1_000, SHORT, SIZE):
        y_true, y_score = binary(rng, size)
        scores = scores_of(rng, y_true)
        for name, score in scores.items():
            yield of_step(f"{size:,} rows, {name}", y_true, score)
    weight = rng.random(SIZE)
    for name, score in scores.items():
        yield of_step(f"1e6, weighted, {name}", y_true, score, sample_weight=weight)
    for k in (10, 0.01):
        yield Case(f"1e6, AP@{k}", partial(at_k, y_true, y_score, k=k), y_score)
    yield of_step("1e6, 0.1 % positive", *binary(rng, SIZE, 0.001))
    yield of_step("1e7, uniform", *binary(rng, 10 * SIZE))
    for length in (rng.integers(20, 101, 20_000), np.full(LOOPED, 1000)):
        y_true, y_score = binary(rng, length.sum(), 0.2)
        query = np.repeat(np.arange(length.size), length)
        ours = partial(step, y_true, y_score, zero_division=0.0, query_id=query)
        name = f"MAP of {length.size:,} queries"
        first = loop(y_true, y_score, length[:LOOPED])
        yield Case(name, ours, y_score, first, length.size / LOOPED)
    for name, call in (("AP@5", at_k), ("budget of 5 rows", sklearn_ap.budget_totals)):
        ours = partial(call, y_true, y_score, k=5, query_id=query)
        yield Case(f"{name}, 1,000 queries", ours, y_score)


def loop(y_true, y_score, length):
    """Return a call that scores the first queries by scikit-learn, one by one."""
    ends = np.cumsum(length)
    *first, _ = zip(np.split(y_true, ends), np.split(y_score, ends), strict=True)
    return lambda: np.mean([scikit_learn(*arrays) for arrays in first])

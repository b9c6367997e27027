"""Calls whose time and memory are measured, next to a sort and to scikit-learn."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.metrics import average_precision_score as scikit_learn

from sklearn_ap import average_precision_at_k_score as at_k
from sklearn_ap import average_precision_score as step

from .measure import Call, in_turn, page_faults, peak_bytes, side_by_side

# A loop over scikit-learn takes minutes for all queries. So this number of queries is
# timed, and the time is multiplied.
LOOPED = 1000
SIZE = 1_000_000
# Short calls are also timed with this number of data sets in turn.
DATA_SETS = 300
HEADERS = "case", "ms", "ours / np.sort", "scikit-learn / ours", "B/row", "page faults"
FOOTNOTE = f"""
The columns hold the milliseconds of our call, and ratios of times. Half of the rows are
positive, and 20 % of those of queries, unless a case says otherwise. Second numbers are
those of {DATA_SETS} data sets in turn: a processor remembers the branches of one. Bytes
are the most that a call allocates at once beside its input, and page faults are those
of each call. Calls take turns with one thread each, and the least CPU time counts. For
queries, scikit-learn was timed on {LOOPED:,} of them, and its time multiplied.
"""


@dataclass(frozen=True)
class Case:
    """A call of our package, its scores, and the same call of scikit-learn, for each of
    several data sets.
    """

    name: str
    ours: Sequence[Call]
    y_score: Sequence[np.ndarray]
    scikit_learn: Sequence[Call] = ()
    # The time of scikit-learn is multiplied by this number.
    looped: float = 1.0

    def times(self, n_data_sets, seconds):
        """Return the time of each call with the first data sets in turn."""
        sorts = [partial(np.sort, score) for score in self.y_score]
        calls = {"ours": self.ours, "sort": sorts, "scikit-learn": self.scikit_learn}
        in_turns = {
            name: in_turn(several[:n_data_sets])
            for name, several in calls.items()
            if several
        }
        return side_by_side(in_turns, seconds=seconds)

    def row(self, seconds):
        """Return the times, and the memory."""
        cells = []
        for n_data_sets in sorted({1, len(self.ours)}):
            times = self.times(n_data_sets, seconds)
            ours = times["ours"]
            cells.append([f"{ours * 1e3:,.3g}", f"{ours / times['sort']:.2f}", ""])
            if self.scikit_learn:
                cells[-1][2] = f"{self.looped * times['scikit-learn'] / ours:,.1f}"
        call = self.ours[0]
        n_bytes = f"{peak_bytes(call) / self.y_score[0].size:.1f}"
        shown = map(" / ".join, zip(*cells, strict=True))
        return [self.name, *shown, n_bytes, f"{page_faults(call):.0f}"]


def binary(rng, size, share=0.5):
    """Draw labels and uniform scores."""
    return (rng.random(size) < share).astype(int), rng.random(size)


def of_step(name, *data_sets, **options):
    """Return a case of average precision."""
    ours, theirs = (
        [partial(call, *rows, **options) for rows in data_sets]
        for call in (step, scikit_learn)
    )
    return Case(name, ours, [np.asarray(y_score) for _, y_score in data_sets], theirs)


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
    for size in (100, 1_000, 10_000):
        data_sets = [binary(rng, size) for _ in range(DATA_SETS)]
        weight = rng.random(size)
        yield of_step(f"{size:,} rows", *data_sets)
        yield of_step(f"{size:,} rows, weighted", *data_sets, sample_weight=weight)
    y_true, y_score = binary(rng, SIZE)
    weight = rng.random(SIZE)
    for name, score in scores_of(rng, y_true).items():
        rows = y_true, score
        yield of_step(f"1e6, {name}", rows)
        yield of_step(f"1e6, weighted, {name}", rows, sample_weight=weight)
    for k in (10, 0.01):
        yield Case(f"1e6, AP@{k}", [partial(at_k, y_true, y_score, k=k)], [y_score])
    yield of_step("1e6, 0.1 % positive", binary(rng, SIZE, 0.001))
    yield of_step("1e7, uniform", binary(rng, 10 * SIZE))
    for length in (rng.integers(20, 101, 20_000), np.full(LOOPED, 1000)):
        y_true, y_score = binary(rng, length.sum(), 0.2)
        query = np.repeat(np.arange(length.size), length)
        ours = partial(step, y_true, y_score, zero_division=0.0, query_id=query)
        name = f"MAP of {length.size:,} queries"
        first = loop(y_true, y_score, length[:LOOPED])
        yield Case(name, [ours], [y_score], [first], length.size / LOOPED)
    ours = partial(at_k, y_true, y_score, k=5, query_id=query)
    yield Case("AP@5, 1,000 queries", [ours], [y_score])


def loop(y_true, y_score, length):
    """Return a call that scores the first queries by scikit-learn, one by one."""
    ends = np.cumsum(length)
    *first, _ = zip(np.split(y_true, ends), np.split(y_score, ends), strict=True)
    return lambda: np.mean([scikit_learn(*arrays) for arrays in first])

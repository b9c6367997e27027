"""What each kernel saves in time, next to numpy as a user writes it."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from sklearn_ap._core.areas.step import STEP
from sklearn_ap._core.definition import Definition
from sklearn_ap._core.ranking.rank import rank
from sklearn_ap._core.ranking.rankings import Rankings, Rows

from .measure import Call, side_by_side

HEADERS = ("kernel", "case", "with it", "by hand", "gain")
SIZE = 1_000_000
SHORTER = 100, 1_000, 10_000, 100_000
_average_precision = Definition(STEP).compute


class KernelPath(NamedTuple):
    """Rows that a kernel sorts, and what a user writes instead of it."""

    case: str
    rows: Rows
    by_hand: Callable[[Rows], object]

    @property
    def name(self) -> str:
        return type(_ranked(self.rows).kernel).__name__

    def calls(self) -> dict[str, Call]:
        with_it = partial(_total, self.rows)
        return {"with": with_it, "without": partial(self.by_hand, self.rows)}


def rows(seconds: float, size: int = SIZE) -> Iterator[list[str]]:
    """Time all paths; the calls of a path take turns."""
    for path in paths(np.random.default_rng(0), size):
        times = side_by_side(path.calls(), seconds=seconds)
        shown = [f"{time * 1e6:,.0f} us" for time in times.values()]
        gain = times["without"] / times["with"]
        yield [path.name, path.case, *shown, f"{gain:.2f}"]


def paths(rng: Generator, size: int) -> Iterator[KernelPath]:
    """Yield cases of each kernel, and the same rows by hand."""
    for n_rows in (*(n for n in SHORTER if n < size), size):
        for case, rows_of_case in _single_rankings(rng, n_rows):
            name = f"one ranking of {n_rows:,} rows, {case}"
            yield KernelPath(name, rows_of_case, _by_hand)
    # of a size that 50 divides
    offsets = np.arange(0, size + 1, 50)
    counted = _random_rows(rng, size)._replace(offsets=offsets)
    weighed = counted._replace(weight=rng.random(size) + 0.1)
    yield KernelPath("rankings of 50 rows", counted, _by_lexsort)
    yield KernelPath("rankings of 50 rows, weights", weighed, _by_lexsort)


def _single_rankings(rng: Generator, size: int) -> Iterator[tuple[str, Rows]]:
    for name, share in (("half positive", 0.5), ("10 %", 0.1), ("1 %", 0.01)):
        yield name, _random_rows(rng, size, share)
    weighed = _random_rows(rng, size)._replace(weight=rng.random(size) + 0.1)
    yield "weights", weighed
    yield "weights, 101 scores", weighed._replace(score=weighed.score.round(2))


def _random_rows(rng: Generator, size: int, share: float = 0.5) -> Rows:
    """Return a ranking of random scores with this share of positives."""
    positive = rng.random(size) < share
    positive[0] = True
    return Rows(positive, rng.random(size), None, np.array([0, size]))


def _ranked(rows: Rows) -> Rankings:
    return rank(rows, with_points=False)


def _total(rows: Rows) -> object:
    return _average_precision(_ranked(rows))


def _by_hand(rows: Rows) -> object:
    """Average precision of one ranking as a user writes it in numpy."""
    positive, score, weight = rows.flat()
    if weight is None:
        found = np.sort(score[positive])
        tp = found.size - found.searchsorted(found)
        return (tp / (score.size - np.sort(score).searchsorted(found))).mean()
    order = np.argsort(score)[::-1]
    ordered = score[order]
    is_last = np.append(ordered[1:] != ordered[:-1], True)
    tp = np.cumsum((weight * positive)[order])[is_last]
    retrieved = np.cumsum(weight[order])[is_last]
    return (np.diff(tp, prepend=0.0) * tp / retrieved).sum() / tp[-1]


def _by_lexsort(rows: Rows) -> object:
    """The mean over rankings of equal lengths without ties, as a user writes it."""
    positive, score, weight = rows.flat()
    n_rankings = rows.offsets.size - 1
    ranking = np.repeat(np.arange(n_rankings), np.diff(rows.offsets))
    order = np.lexsort((-score, ranking)).reshape(n_rankings, -1)
    weights = np.ones(score.size) if weight is None else weight
    found = (weights * positive)[order]
    tp, retrieved = found.cumsum(axis=1), weights[order].cumsum(axis=1)
    return (found * tp / retrieved).sum(axis=1) / np.maximum(tp[:, -1], 1e-300)

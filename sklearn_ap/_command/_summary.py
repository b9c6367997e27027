"""The first lines for a file: its average precision beside chance, and what it holds, in plain words."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from math import floor, isnan, log10
from typing import NamedTuple

import numpy as np

from .. import chance_level
from .._ranking import cut_depth
from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from ..compatibility._row import ComparisonRow
from . import _files

__all__ = ["Given", "facts", "headline", "in_rows"]

_NEAREST = 6  # decimals at most: beyond them, sums are rounded


class Given(NamedTuple):
    """What the file and the options gave."""

    positive: BoolArray
    score: AnyArray
    weight: FloatArray | None
    query: IntArray | None  # a number per distinct id
    totals: Mapping[int, float] | float | None  # stated positives: of each query, or of all rows
    k: int | float
    empty: float = 0.0  # what a query without positives counts as; NaN leaves it out

    def rankings(self) -> Iterator["Given"]:
        """Yield the rows of weight above 0, query after query."""
        rows: list[list[int]] = [[]]
        if self.query is not None:
            rows = [[] for _ in range(int(self.query.max()) + 1)]
        counted = np.arange(self.positive.size) if self.weight is None else np.flatnonzero(self.weight)
        for row, query in zip(
            counted.tolist(),
            [0] * counted.size if self.query is None else self.query[counted].tolist(),
            strict=True,
        ):
            rows[query].append(row)
        for query, kept in enumerate(rows):
            if kept:
                weight = None if self.weight is None else self.weight[kept]
                total = self.totals[query] if isinstance(self.totals, Mapping) else self.totals
                yield Given(self.positive[kept], self.score[kept], weight, None, total, self.k, self.empty)

    @property
    def stated(self) -> float | None:
        """All stated positives."""
        if isinstance(self.totals, Mapping):
            return sum(self.totals.values())
        if self.totals is None or self.query is None:
            return self.totals
        return self.totals * (int(self.query.max()) + 1)


def headline(path: str, given: Given, rows: Sequence[ComparisonRow]) -> str:
    """Return the average precision, its level of chance, and what the first k rows hold."""
    if not given.positive.any():
        return f"{_files.shown(path)}: no row is positive, so average precision says nothing."
    value = {row.name: row.value for row in rows if row.value is not None}
    score, recall = value["average precision"], value[f"recall@{given.k}"]
    chance = [one for one in map(_chance_of, given.rankings()) if not isnan(one)]
    name = "AP" if given.query is None else "Mean AP of the queries"
    said = f"{name} {_short(score)} where chance is {_short(sum(chance) / len(chance))}"
    return f"{_files.shown(path)}: {said}; {_found(given, recall)}."


def _chance_of(given: Given) -> float:
    """Return the mean of a random ranking or, with weights, the share of the positives in all weight."""
    if not given.positive.any():
        return 0.0 if given.stated else given.empty
    if given.weight is not None:
        found = float(given.weight[given.positive].sum())
        level = found / float(given.weight.sum())
    else:
        found = float(given.positive.sum())
        level = chance_level(given.positive, given.score).mean
    return level if given.stated is None else level * found / given.stated  # missed positives add nothing


def _found(given: Given, recall: float) -> str:
    """Return how many positives the first k rows hold."""
    n, is_share = given.positive.size, not isinstance(given.k, int)
    first = f"first {100 * given.k:g}% of the rows" if is_share else f"first {given.k} rows"
    first = "first row" if first == "first 1 rows" else first
    hold = "holds" if first == "first row" else "hold"
    if given.query is not None:
        return f"the {first} of a query {hold} {_short(recall)} of its positives, on average"
    depth = int(cut_depth(np.array([n]), given.k).item())
    rows = f"the {first} ({depth})" if is_share else f"the {first}" if given.k < n else f"all {n} rows"
    if given.weight is not None:
        return f"{rows} {hold} {_short(recall)} of the weight of the positives"
    total = float(given.positive.sum()) if given.stated is None else given.stated
    return f"{rows} {hold} {_count(recall * total)} of {_count(total)} positives"


def facts(given: Given, ks: Sequence[int | float] | None) -> str:
    """Return n, R, the prevalence and k."""
    n, found, stated = given.positive.size, int(given.positive.sum()), given.stated
    queries = "" if given.query is None else f" in {int(given.query.max()) + 1} queries"
    total = f"R = {found} positives"
    if stated is not None:
        total = f"R = {_count(stated)} positives, {found} of them in the file"
    prevalence = f"prevalence {_short(found / n)}"
    if given.weight is not None:
        prevalence = f"prevalence {_short(given.weight[given.positive].sum() / given.weight.sum())} by weight"
    k = in_rows(given.k) + ", the default of -k" if ks is None else ", ".join(map(in_rows, ks))
    said = f"n = {n} rows{queries}, {total}, {prevalence}, k = {k}."
    if given.query is not None:
        said += " scikit-learn's AP takes all rows as one ranking."
    return "\n".join(textwrap.wrap(said, 80, break_on_hyphens=False))


def in_rows(k: int | float) -> str:
    """Return a cut with its unit."""
    return f"{k} rows" if isinstance(k, int) else f"{k} of the rows"


def _short(value: float) -> str:
    """Return a share with two digits of its distance from 0 or from 1, whichever is nearer."""
    nearest = min(abs(value), abs(1 - value))
    if nearest <= 10.0**-_NEAREST:
        return f"{value:.2g}" if 0 < value < 0.5 else f"{value:.2f}"
    return f"{value:.{max(2, min(_NEAREST, 1 - floor(log10(nearest))))}f}"


def _count(value: float) -> str:
    """Return a count; equal scores at the cut share it, which leaves a part of a row."""
    nearest = round(value)
    return str(nearest) if abs(value - nearest) < 1e-6 else f"{value:.1f}"

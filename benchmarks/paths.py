"""What each special path costs in lines and saves in time, next to plain numpy."""

import textwrap
from collections.abc import Iterator
from functools import partial
from inspect import getsource
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from sklearn_ap._areas._step import STEP
from sklearn_ap._ranking import _class_weights, _cut, _keys, _merged, _packed, _weighted
from sklearn_ap._ranking._rank import rank
from sklearn_ap._ranking._rankings import Rows, together

from .house import size_of
from .measure import Call, side_by_side

HEADERS = ("path", "lines", "case", "with it", "plain numpy", "gain")
SIZE = 1_000_000


class SpecialPath(NamedTuple):
    """A path, where it stands, and a call with it and without it."""

    name: str
    holders: tuple[Any, ...]  # modules and functions that only this path needs
    case: str
    with_it: Call
    without: Call


def rows(seconds: float, size: int = SIZE) -> Iterator[list[str]]:
    """Time all paths; the calls of a path take turns."""
    return (row_of(path, seconds) for path in paths(np.random.default_rng(0), size))


def row_of(path: SpecialPath, seconds: float) -> list[str]:
    times = side_by_side({"with": path.with_it, "without": path.without}, seconds=seconds)
    lines = sum(size_of(textwrap.dedent(getsource(holder))).code_lines for holder in path.holders)
    shown = [f"{times[name] * 1e6:,.0f} us" for name in ("with", "without")]
    return [path.name, str(lines), path.case, *shown, f"{times['without'] / times['with']:.2f}"]


def paths(rng: Generator, size: int) -> Iterator[SpecialPath]:
    """Yield the special paths, each with a case that it is for, and the plain sort of the same rows."""
    single, score = np.array([0, size]), rng.random(size)
    half = rng.random(size) < 0.5
    weight, by_class = rng.random(size) + 0.1, np.where(half, 3.0, 0.6)
    counted, weighed = Rows(half, score, None, single), Rows(half, score, weight, single)
    tied, balanced = weighed._replace(score=score.round(2)), weighed._replace(weight=by_class)
    for name, holders, case, rows_of_case in (
        ("packed", (_packed, _keys), "half positive", counted),
        ("merged", (_merged,), "weights, 101 scores", tied),
        ("class weights", (_class_weights,), "one weight per class", balanced),
        ("packed rows", (_weighted,), "weights that differ", weighed),
    ):
        plain = partial(_total, rows_of_case, kernel="plain")
        yield SpecialPath(name, holders, case, partial(_total, rows_of_case, kernel=name), plain)
    first, whole = partial(_first, counted, 10), partial(_first, counted, None, kernel="plain")
    yield SpecialPath("cut", (_cut,), "10 of all rows, the sort alone", first, whole)
    query = rng.permutation(np.arange(size) // 50)
    mixed = Rows(half, score, None, np.append(np.arange(0, size, 50), size), query)
    yield SpecialPath(
        "placed",
        (_packed._keys_by_ranking,),
        "queries of 50 rows, mixed",
        partial(_total, mixed),
        lambda: _total(together(mixed)),
    )


def _total(rows: Rows, **options: Any) -> object:
    return STEP.score_full(rank(rows, **options))


def _first(rows: Rows, k: int | None, **options: Any) -> object:
    """The steps of rows that can be among the first k, or of all rows."""
    return [steps.tp[-10:] for steps in rank(rows, k=k, **options).blocks()]

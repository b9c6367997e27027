"""What each special path costs in lines and saves in time: a call with it, and without it."""

import ast
import textwrap
from collections.abc import Iterator
from functools import partial
from inspect import getsource
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

import sklearn_ap._entrance as entrance
from sklearn_ap._areas._step import STEP
from sklearn_ap._definition import Definition
from sklearn_ap._ranking import (
    _class_weights,
    _cut,
    _few,
    _few_distinct,
    _keys,
    _packed,
    _rare,
    _sort,
    _weighted,
)
from sklearn_ap._ranking._rank import rank
from sklearn_ap._ranking._rankings import Rows, together
from sklearn_ap._reading._read import Checked

from .measure import Call, side_by_side

HEADERS = ("path", "lines", "case", "with it", "without it", "gain")
SIZE = 1_000_000
_RADIX = ("radix_is_faster", "_is_tied", "_sort_block", "_above", "_Bins", "_bins_of", "_sort_by_bins")


class SpecialPath(NamedTuple):
    """A path, where it stands, and a call with it and without it."""

    name: str
    holders: tuple[Any, ...]  # modules and functions that only this path needs
    case: str
    with_it: Call
    without: Call


def rows(seconds: float, size: int = SIZE) -> list[list[str]]:
    """Time all paths; the calls of a path take turns."""
    return [_row(path, seconds) for path in paths(np.random.default_rng(0), size)]


def _row(path: SpecialPath, seconds: float) -> list[str]:
    times = side_by_side({"with": path.with_it, "without": path.without}, seconds=seconds)
    lines = sum(map(lines_of, path.holders))
    shown = [f"{times[name] * 1e6:,.0f} us" for name in ("with", "without")]
    return [path.name, str(lines), path.case, *shown, f"{times['without'] / times['with']:.2f}"]


def lines_of(holder: Any) -> int:
    """Return the lines of code of a module or a function, without docstrings, comments and blank lines."""
    holder = getattr(holder, "__wrapped__", holder)  # of a cache
    tree: ast.AST = ast.parse(textwrap.dedent(getsource(holder)))
    kept: set[int] = set()
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.stmt) and not is_text:
            last = node.lineno if hasattr(node, "body") else node.end_lineno or node.lineno
            kept |= set(range(node.lineno, last + 1))
    return len(kept)


def paths(rng: Generator, size: int) -> Iterator[SpecialPath]:
    """Yield the special paths, each with a case that it is for."""
    lone, score = np.array([0, size]), rng.random(size)
    half, rare = rng.random(size) < 0.5, rng.random(size) < 0.001
    weight, by_class = rng.random(size) + 0.1, np.where(half, 3.0, 0.6)
    yield from _short(rng)
    counted, weighed = Rows(half, score, None, lone), Rows(half, score, weight, lone)
    rare_rows = counted._replace(positive=rare)
    tied, balanced = weighed._replace(score=score.round(2)), weighed._replace(weight=by_class)
    # Without the path, `rank` takes the kernel that it would fall back to.
    for name, holders, case, given, other in (
        ("packed", (_packed, _keys), "half positive", counted, "lexsort"),
        ("rare", (_rare,), ".1 % positive", rare_rows, "packed"),
        ("few distinct", (_few_distinct,), "weights, 101 scores", tied, "packed rows"),
        ("class weights", (_class_weights,), "one weight per class", balanced, "packed rows"),
        ("packed rows", (_weighted,), "weights that differ", weighed, "lexsort"),
    ):
        yield SpecialPath(name, holders, case, partial(_total, given), partial(_total, given, kernel=other))
    radix = tuple(vars(_sort)[name] for name in _RADIX)
    plain = partial(_total, radix=False)
    yield SpecialPath("radix", radix, "half positive", partial(_total, counted), partial(plain, counted))
    yield SpecialPath(
        "radix", radix, "weights that differ", partial(_total, weighed), partial(plain, weighed)
    )
    first, whole = (partial(_first, counted, k) for k in (10, None))
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


def _short(rng: Generator) -> Iterator[SpecialPath]:
    definition, n = Definition(STEP), 100
    positive, score, weight = rng.random(n) < 0.5, rng.random(n), rng.random(n) + 0.1
    for kind, weights, other in (("", None, "packed"), (", weights", weight, "packed rows")):
        checked = Checked(positive, score, (score.min(), score.max()), weights)
        yield SpecialPath(
            f"short way{kind}",
            (_few, entrance._short_score, entrance.short_value),
            f"100 rows{kind}",
            partial(entrance._short_score, definition, checked),
            partial(_total, Rows(positive, score, weights, np.array([0, n])), kernel=other),
        )


def _total(given: Rows, **options: Any) -> object:
    return STEP.whole(rank(given, **options))


def _first(given: Rows, k: int | None) -> object:
    """The steps of rows that can be among the first k, or of all rows."""
    return [steps.tp[-10:] for steps in rank(given, k=k).blocks()]

"""What each kernel costs in nodes and saves in time, next to numpy as a user writes
it.
"""

import ast
import textwrap
from collections.abc import Callable, Iterator
from functools import partial
from inspect import getsource
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from sklearn_ap._core.areas.step import STEP
from sklearn_ap._core.definition import Definition
from sklearn_ap._core.ranking import cut, kernels, keys, merged, prevalence, runs
from sklearn_ap._core.ranking.rank import rank
from sklearn_ap._core.ranking.rankings import Rankings, Rows

from .measure import Call, side_by_side

# Each kernel, and what only it needs.
PATHS = {
    kernels.PlainKernel: ("plain", (kernels.PlainKernel,)),
    kernels.KeyedKernel: ("keyed", (kernels.KeyedKernel, keys, runs)),
    kernels.SummedKernel: ("summed", (kernels.SummedKernel, keys, runs)),
}
CLASS_WEIGHTS = prevalence.ClassWeightKernel, prevalence.counted_rows
HEADERS = ("path", "nodes", "case", "with it", "by hand", "gain")
_average_precision = Definition(STEP).compute
SIZE = 1_000_000
SHORTER = 100, 1_000, 10_000, 100_000
_WITH_DOCSTRING = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef
_UNCOUNTED = ast.expr_context, ast.operator, ast.boolop, ast.unaryop, ast.cmpop


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
    times = side_by_side(
        {"with": path.with_it, "without": path.without}, seconds=seconds
    )
    nodes = sum(
        nodes_of(ast.parse(textwrap.dedent(getsource(holder))))
        for holder in path.holders
    )
    shown = [f"{times[name] * 1e6:,.0f} us" for name in ("with", "without")]
    return [
        path.name,
        f"{nodes:,}",
        path.case,
        *shown,
        f"{times['without'] / times['with']:.2f}",
    ]


def nodes_of(tree: ast.AST) -> int:
    """Return the number of nodes without docstrings, contexts and operators: the same
    on every Python and in every format.
    """
    docstrings = {
        node
        for body in ast.walk(tree)
        if isinstance(body, _WITH_DOCSTRING) and ast.get_docstring(body) is not None
        for node in ast.walk(body.body[0])
    }
    return sum(
        node not in docstrings and not isinstance(node, _UNCOUNTED)
        for node in ast.walk(tree)
    )


def paths(rng: Generator, size: int) -> Iterator[SpecialPath]:
    """Yield the special paths, each with a case that it is for, and the same rows by
    hand.
    """
    for n_rows in (*(n for n in SHORTER if n < size), size):
        yield from _of_single_rankings(rng, n_rows)
    yield from _of_a_cut(rng, size)
    yield from _of_many_rankings(rng, size)


def _of_single_rankings(rng: Generator, size: int) -> Iterator[SpecialPath]:
    cases = [
        (name, _random_rows(rng, size, share), _total)
        for name, share in (("half positive", 0.5), ("10 %", 0.1), ("1 %", 0.01))
    ]
    weight = rng.random(size) + 0.1
    weighed = _random_rows(rng, size)._replace(weight=weight)
    tied = weighed._replace(score=weighed.score.round(2))
    cases += [("weights", weighed, _total), ("weights, 101 scores", tied, _total)]
    rare = _random_rows(rng, size, 0.01)._replace(weight=weight)
    cases.append(("weights, 1 %", rare, _total))
    balanced = weighed._replace(weight=np.where(weighed.positive, 3.0, 0.6))
    cases.append(("one weight per class", balanced, _total_by_class))
    for name, rows_of_case, total in cases:
        ways = partial(total, rows_of_case), partial(by_hand, rows_of_case)
        path = _path_of(rows_of_case, total)
        yield SpecialPath(*path, f"one ranking of {size:,} rows, {name}", *ways)


def _path_of(rows: Rows, total: Callable[[Rows], object]) -> tuple[str, tuple]:
    """Return the name and the code of the path that a ranking takes."""
    if total is _total_by_class:
        return "class weights", CLASS_WEIGHTS
    if rows.weight is not None and merged.merged_rows(rows) is not rows:
        return "merged", (merged,)
    return PATHS[type(_ranked(rows).kernel)]


def _of_a_cut(rng: Generator, size: int) -> Iterator[SpecialPath]:
    counted = _random_rows(rng, size)
    ways = partial(_first, counted, 10), partial(_first, counted, None)
    case = "one ranking, its first 10, the sort alone"
    yield SpecialPath("cut", (cut,), case, *ways)


def _of_many_rankings(rng: Generator, size: int) -> Iterator[SpecialPath]:
    offsets = np.arange(0, size + 1, 50)  # of a size that 50 divides
    counted = _random_rows(rng, size)._replace(offsets=offsets)
    weighed = counted._replace(weight=rng.random(size) + 0.1)
    for case, rows_of_case in (("rankings", counted), ("rankings, weights", weighed)):
        ways = partial(_total, rows_of_case), partial(_by_lexsort, rows_of_case)
        path = PATHS[type(_ranked(rows_of_case).kernel)]
        yield SpecialPath(*path, f"{case} of 50 rows", *ways)


def _random_rows(rng: Generator, size: int, share: float = 0.5) -> Rows:
    """Return a ranking of random scores with this share of positives."""
    positive = rng.random(size) < share
    positive[0] = True
    return Rows(positive, rng.random(size), None, np.array([0, size]))


def _ranked(rows: Rows) -> Rankings:
    return rank(rows, with_points=False)


def _total(rows: Rows) -> object:
    return _average_precision(_ranked(rows))


def _total_by_class(rows: Rows) -> object:
    counted = prevalence.counted_rows(rows)
    return _average_precision(
        prevalence.with_factor(_ranked(counted.rows), counted.factor)
    )


def by_hand(rows: Rows) -> object:
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


def _first(rows: Rows, k: int | None) -> object:
    """The steps of rows that can be among the first k, or of all rows."""
    return [
        steps.tp[-10:] for steps in rank(rows, k=k, with_points=False).kernel.blocks()
    ]

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
from sklearn_ap._core.ranking import cut, prevalence, unweighted, weighted
from sklearn_ap._core.ranking.blocks import BLOCK_ROWS
from sklearn_ap._core.ranking.rank import rank
from sklearn_ap._core.ranking.rankings import Rankings, Rows, together
from sklearn_ap._core.ranking.weighted import SummedKernel, sorted_by_lexsort

from .measure import Call, side_by_side

PACKED = (
    unweighted.Packing,
    unweighted.packing_of,
    unweighted.PackedKernel,
    unweighted.positives_of,
    unweighted._labelled_keys,
    unweighted._labelled,
    unweighted._keys_by_ranking,
)
PACKED_ROWS = weighted.sorted_by_packed_rows, weighted._sort_alike
CLASS_WEIGHTS = prevalence.ClassWeightKernel, prevalence.rows_in_units
MERGED = (
    weighted.merged_rows,
    weighted._hash_of,
    weighted._bits_of,
    weighted._distinct,
)
NEAR = weighted.rows_near_positives, weighted._bins_between
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
    for name, share in (("weights, 1 %", 0.01), ("weights, 0.1 %", 0.001)):
        rare = _random_rows(rng, size, share)._replace(weight=weight)
        cases.append((name, rare, _steps_total))
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
    if isinstance(rank(rows, steps_only=True).kernel, SummedKernel):
        return "packed rows", PACKED_ROWS
    kernel = rank(rows).kernel
    paths = {
        unweighted.PackedKernel: ("packed", PACKED),
        unweighted.PlainKernel: ("plain", (unweighted.PlainKernel,)),
        SummedKernel: ("near positives", NEAR),
    }
    merged = "merged", MERGED
    if rows.score.size <= BLOCK_ROWS:
        merged = "order by keys", (unweighted.order_by_keys,)
    return paths.get(type(kernel), merged)


def _of_a_cut(rng: Generator, size: int) -> Iterator[SpecialPath]:
    counted = _random_rows(rng, size)
    ways = partial(_first, counted, 10), partial(_first, counted, None)
    case = "one ranking, its first 10, the sort alone"
    yield SpecialPath("cut", (cut,), case, *ways)


def _of_many_rankings(rng: Generator, size: int) -> Iterator[SpecialPath]:
    offsets = np.append(np.arange(0, size, 50), size)
    counted = _random_rows(rng, size)._replace(offsets=offsets)
    weighed = counted._replace(weight=rng.random(size) + 0.1)
    for name, holders, case, rows_of_case in (
        ("packed", PACKED, "rankings of 50 rows", counted),
        ("packed rows", PACKED_ROWS, "rankings of 50 rows, weights", weighed),
    ):
        ways = partial(_total, rows_of_case), partial(_by_lexsort, rows_of_case)
        yield SpecialPath(name, holders, case, *ways)
    mixed = counted._replace(ranking=rng.permutation(np.arange(size) // 50))
    ways = partial(_total, mixed), lambda: _total(together(mixed))
    yield SpecialPath(
        "placed", (unweighted._keys_by_ranking,), "rankings of 50 rows, mixed", *ways
    )


def _random_rows(rng: Generator, size: int, share: float = 0.5) -> Rows:
    """Return a ranking of random scores with this share of positives."""
    positive = rng.random(size) < share
    positive[0] = True
    return Rows(positive, rng.random(size), None, np.array([0, size]))


def _total(rows: Rows) -> object:
    return _average_precision(rank(rows))


def _steps_total(rows: Rows) -> object:
    return _average_precision(rank(rows, steps_only=True))


def _total_by_class(rows: Rows) -> object:
    counted = prevalence.rows_in_units(rows)
    rankings = prevalence.with_factor(rank(counted.rows), counted.factor)
    return _average_precision(rankings)


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
    kernel = SummedKernel(*sorted_by_lexsort(rows, None), rows)
    found = kernel.found_weight
    return _average_precision(Rankings(kernel, rows.offsets, None, found, found))


def _first(rows: Rows, k: int | None) -> object:
    """The steps of rows that can be among the first k, or of all rows."""
    return [steps.tp[-10:] for steps in rank(rows, k=k).kernel.blocks()]

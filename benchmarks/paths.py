"""What each special path costs in nodes and saves in time, next to plain numpy."""

import ast
import textwrap
from collections.abc import Iterator
from functools import partial
from inspect import getsource
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from sklearn_ap import _api
from sklearn_ap._areas._step import STEP
from sklearn_ap._definition import Definition
from sklearn_ap._ranking import _cut, _prevalence, _rank, _unweighted, _weighted
from sklearn_ap._ranking._rank import rank
from sklearn_ap._ranking._rankings import Rows, together
from sklearn_ap._reading._read import Checked

from .measure import Call, side_by_side

PACKED = (
    _unweighted.Packing,
    _unweighted.packing_of,
    _unweighted.PackedKernel,
    _unweighted._rows_above,
    _unweighted.positives_of,
    _unweighted._labelled_keys,
    _unweighted._labelled,
    _unweighted._keys_by_ranking,
)
PACKED_ROWS = _weighted.sorted_by_packed_rows, _weighted._sort_alike
CLASS_WEIGHTS = _prevalence.ClassWeightKernel, _prevalence.to_sort
MERGED = (
    _weighted.merged_rows,
    _weighted._hash_of,
    _weighted._bits_of,
    _weighted._distinct,
)
HEADERS = ("path", "nodes", "case", "with it", "plain numpy", "gain")
SIZE = 1_000_000
_AP = Definition(STEP)
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
    """Yield the special paths, each with a case that it is for, and the plain sort of
    the same rows.
    """
    yield from _of_single_rankings(rng, size)
    yield from _of_short_rankings(rng)
    yield from _of_many_rankings(rng, size)


def _of_single_rankings(rng: Generator, size: int) -> Iterator[SpecialPath]:
    counted, weighed = _random_rows(rng, size)
    tied = weighed._replace(score=weighed.score.round(2))
    balanced = weighed._replace(weight=np.where(weighed.positive, 3.0, 0.6))
    for name, holders, case, rows_of_case in (
        ("packed", PACKED, "one ranking, half positive", counted),
        ("merged", MERGED, "one ranking, weights, 101 scores", tied),
        ("packed rows", PACKED_ROWS, "one ranking, weights that differ", weighed),
    ):
        plain = partial(_total, rows_of_case, kernel="plain")
        yield SpecialPath(
            name, holders, case, partial(_total, rows_of_case, kernel=name), plain
        )
    ways = partial(_total_by_class, balanced), partial(_total, balanced, kernel="plain")
    case = "one ranking, one weight per class"
    yield SpecialPath("class weights", CLASS_WEIGHTS, case, *ways)
    first = partial(_first, counted, 10)
    whole = partial(_first, counted, None, kernel="plain")
    yield SpecialPath(
        "cut", (_cut,), "one ranking, its first 10, the sort alone", first, whole
    )


def _of_short_rankings(rng: Generator) -> Iterator[SpecialPath]:
    short, _ = _random_rows(rng, 1_000)
    holders = (_rank.short_ranking, _api._score_of_short_ranking)
    read = short.positive, short.score, (short.score.min(), short.score.max())
    ways = partial(_short_way, Checked(*read)), partial(_long_way, Checked(*read))
    yield SpecialPath("short way", holders, "one ranking of 1,000 rows", *ways)
    counted, weighed = _random_rows(rng, 10_000)
    for name, holder, case, rows_of_case in (
        (
            "keyed",
            _unweighted.KeyedKernel,
            "one ranking of 10,000 rows, half positive",
            counted,
        ),
        (
            "order by keys",
            _unweighted.order_by_keys,
            "one ranking of 10,000 rows, weights",
            weighed,
        ),
    ):
        ways = (
            partial(_total, rows_of_case),
            partial(_total, rows_of_case, kernel="plain"),
        )
        yield SpecialPath(name, (holder,), case, *ways)


def _of_many_rankings(rng: Generator, size: int) -> Iterator[SpecialPath]:
    offsets = np.append(np.arange(0, size, 50), size)
    counted, weighed = (
        rows._replace(offsets=offsets) for rows in _random_rows(rng, size)
    )
    for name, holders, case, rows_of_case in (
        ("packed", PACKED, "rankings of 50 rows", counted),
        (
            "packed rows",
            PACKED_ROWS,
            "rankings of 50 rows, weights that differ",
            weighed,
        ),
    ):
        plain = partial(_total, rows_of_case, kernel="lexsort")
        yield SpecialPath(
            name, holders, case, partial(_total, rows_of_case, kernel=name), plain
        )
    mixed = counted._replace(ranking=rng.permutation(np.arange(size) // 50))
    ways = partial(_total, mixed), lambda: _total(together(mixed))
    yield SpecialPath(
        "placed", (_unweighted._keys_by_ranking,), "rankings of 50 rows, mixed", *ways
    )


def _random_rows(rng: Generator, size: int) -> tuple[Rows, Rows]:
    """Return a ranking of random scores, half of it positive, without and with
    weights.
    """
    rows = Rows(rng.random(size) < 0.5, rng.random(size), None, np.array([0, size]))
    return rows, rows._replace(weight=rng.random(size) + 0.1)


def _short_way(checked: Checked) -> object:
    return _api._score_of_short_ranking(_AP, checked)


def _long_way(checked: Checked) -> object:
    return _AP.compute(
        _api.rankings_in(checked, None, average="macro", definition=_AP)[0]
    )


def _total(rows: Rows, **options: Any) -> object:
    return STEP.score_full(rank(rows, **options))


def _total_by_class(rows: Rows) -> object:
    counted = _prevalence.to_sort(rows)
    rankings = _prevalence.with_factor(rank(counted.rows), counted.factor)
    return STEP.score_full(rankings)


def _first(rows: Rows, k: int | None, **options: Any) -> object:
    """The steps of rows that can be among the first k, or of all rows."""
    return [steps.tp[-10:] for steps in rank(rows, k=k, **options).blocks()]

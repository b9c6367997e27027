"""The output of `sklearn-ap` for a file: the table or what was identified, warnings and errors."""

import argparse
import re
import sys
import textwrap
from collections.abc import Iterable
from dataclasses import replace
from math import isnan
from typing import Any, TypedDict, get_args

import numpy as np

from .._family import FAMILY as NUMBERS
from .._family import K
from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from ..compatibility import CONVENTIONS, Convention, Identification, compare, identify
from ..compatibility._records import FAMILY
from ..compatibility._rendering import FORMATS
from ..compatibility._row import ComparisonRow
from . import _files
from ._summary import Given, facts, headline, in_rows

__all__ = ["in_words", "option_of", "print_answer", "say"]


_ROLES: tuple[_files.Role, ...] = get_args(_files.Role)
# Our numbers that are not defined without positives.
_UNDEFINED = {number.name for number in NUMBERS if number.takes("zero_division")}
_LONGEST_LINE = 1000  # characters; errors are cut there


class _Arguments(TypedDict, total=False):
    """What `compare` and `identify` are called with, beside labels and scores."""

    k: int | float
    n_positives: float | dict[Any, float] | None
    sample_weight: FloatArray
    query_id: AnyArray
    item_id: IntArray


def print_answer(options: argparse.Namespace) -> None:
    """Print the table, or what was identified."""
    names = {role: one for role in _ROLES if isinstance(one := getattr(options, role), str)}
    columns = _files.read(options.file, names)
    y_true = _files.positives(columns["y_true"], options.pos_label)
    y_score = _files.scores(columns["y_score"])
    ks = options.k or [K]
    arguments: _Arguments = {"k": ks[0], "n_positives": options.n_positives}
    if "sample_weight" in columns:
        arguments["sample_weight"] = _files.weights(columns["sample_weight"])
    if "item_id" in columns:
        arguments["item_id"] = _files.items(columns["item_id"])
    query = _files.queries(columns["query_id"]) if "query_id" in columns else None
    totals = options.n_positives
    if "n_positives" in columns:
        arguments["n_positives"] = totals = _files.totals(columns["n_positives"], columns.get("query_id"))
    if query is not None:
        # Numbers are faster than ids. But n_positives can be wrong for a query, and that error names its id.
        own = options.n_positives is not None
        arguments["query_id"] = np.array(columns["query_id"].values, dtype=object) if own else query
        if isinstance(totals, dict):  # ids have numbers in the order of their first rows
            totals = dict(enumerate(totals.values()))
    weight = arguments.get("sample_weight")
    _warn_without_positives(options, y_true, query, weight)
    given = Given(y_true, y_score, weight, query, totals, ks[0], float(options.zero_division or 0))
    if options.identify is None:
        _print_compared(options, given, arguments)
        return
    found = [identify(options.identify, y_true, y_score, **(arguments | {"k": k})) for k in ks]
    print(facts(given, options.k))
    for k, one in zip(ks, found, strict=True):
        if len(ks) > 1:
            print(f"\nk = {in_rows(k)}:")
        _print_identified(options, one)


def _print_compared(options: argparse.Namespace, given: Given, arguments: _Arguments) -> None:
    """Print every number beside scikit-learn's."""
    empty = options.zero_division
    asked: Iterable[Convention] = CONVENTIONS.values() if options.all else FAMILY
    if empty is not None:
        asked = [_counting(one, float(empty)) if one.name in _UNDEFINED else one for one in asked]
    rows = compare(given.positive, given.score, conventions=asked, **arguments).rows
    rows = tuple(replace(row, note=in_words(row.note, options)) for row in rows)
    if options.format in (None, "table"):
        _print_table(options, given, rows)
    else:
        print(FORMATS[options.format](rows))


def _counting(convention: Convention, empty: float) -> Convention:
    """Return a convention of ours in which queries without positives count as this number, or not at all."""
    return replace(convention, without_positives=empty, left_out=isnan(empty))


def _print_table(options: argparse.Namespace, given: Given, rows: tuple[ComparisonRow, ...]) -> None:
    """Print the first lines and the table; the reasons for differences only if they are asked for."""
    print(headline(options.file, given, rows))
    print(facts(given, options.k), end="\n\n")
    if options.why:
        print(FORMATS["table"](rows))
        return
    print(FORMATS["table"](tuple(replace(row, stops=()) for row in rows)))
    print("\n--why tells which choice of the definition makes which part of a difference.")


def _warn_without_positives(
    options: argparse.Namespace, y_true: BoolArray, query: IntArray | None, weight: FloatArray | None
) -> None:
    """Warn on standard error about rankings without a positive: only a convention gives them a score."""
    if weight is not None:  # rows of weight 0 do not count, nor do queries that have no other rows
        y_true, query = y_true[weight > 0], None if query is None else query[weight > 0]
    if not y_true.any():
        row = "row" if weight is None else "row of weight above 0"
        label = _files.shown("1" if options.pos_label is None else options.pos_label)
        problem = f"no {row} has the positive label {label}, so no score says anything about the ranking"
    elif query is not None and options.n_positives is None:
        n_queries, n_with = np.unique(query).size, np.unique(query[y_true]).size
        if n_with == n_queries:
            return
        empty = options.zero_division or "0"
        counted = "are left out of" if empty == "nan" else f"count as {empty} in"
        problem = f"{n_queries - n_with} of {n_queries} queries have no positive, and {counted} our means"
    else:
        return
    say("warning", f"{_files.shown(options.file)}: column {_files.shown(options.y_true)}: {problem}")


def _print_identified(options: argparse.Namespace, found: Identification) -> None:
    """Print the conventions that print the number."""
    for line in in_words(found, options).splitlines():
        print(textwrap.fill(line, 80, subsequent_indent="  ", break_on_hyphens=False))


def in_words(message: object, options: argparse.Namespace) -> str:
    """Return a message of the library that names columns and options instead of arguments."""

    def word(argument: re.Match[str]) -> str:
        if argument[1] is None:  # quoted text: the name of a convention, or a value of the file
            return argument[0]
        column = getattr(options, argument[0]) if argument[0] in _ROLES else None
        named = isinstance(column, str)  # n_positives may also be a number
        return f"column {_files.shown(column)}" if named else option_of(argument[0])

    # Not replaced: words in quotes, and words in the names of conventions, such as "AP@k over n_positives".
    arguments = "|".join((*_ROLES, "pos_label"))
    quoted = r"""(?<!\w)(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")"""
    return re.sub(rf"{quoted}|(?<!over )\b({arguments})\b", word, str(message))


def option_of(argument: str) -> str:
    """Return the command line option for an argument."""
    return "-k" if argument == "k" else f"--{argument.replace('_', '-')}"


def say(kind: str, message: str) -> None:
    """Print one line on standard error, without characters that control a terminal."""
    first, *_ = message.split("\n")
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in first)
    if sys.stderr is not None:
        print(f"sklearn_ap: {kind}: {line[:_LONGEST_LINE]}", file=sys.stderr)

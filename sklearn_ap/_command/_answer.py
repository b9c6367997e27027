"""The output of `sklearn-ap` for a file: the table or what was identified, warnings and errors."""

import argparse
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from typing import Any, TypedDict

import numpy as np

from .._family import FAMILY as NUMBERS
from .._family import K
from .._typing import AnyArray, FloatArray, IntArray
from ..compatibility import CONVENTIONS, Convention, Identification, compare, identify
from ..compatibility._records import FAMILY
from ..compatibility._rendering import FORMATS
from ..compatibility._walk import ComparisonRow
from ..distributed._memory import read_memory_limit
from . import _files
from ._beyond_memory import Memory, print_beyond_memory
from ._memory import bytes_needed
from ._progress import Progress
from ._summary import Facts, Given, facts, headline, in_rows
from ._totals import totals_of_file
from ._words import ROLES, in_words, warn_without_positives

__all__ = ["print_answer"]

# Our numbers that are not defined without positives.
_UNDEFINED = {number.name for number in NUMBERS if number.takes("zero_division")}
# `compare` keeps the rows in each order of equal scores. From here on, one order at a time is asked for: a
# tenth less memory, for half as much time again.
_MANY_ROWS = 1_000_000


class _Arguments(TypedDict, total=False):
    """What `compare` and `identify` are called with, beside labels and scores."""

    k: int | float
    n_positives: float | dict[Any, float] | None
    sample_weight: FloatArray
    query_id: AnyArray
    item_id: IntArray


def print_answer(options: argparse.Namespace, files: _files.Files) -> None:
    """Print the table, or what was identified."""
    names = {role: one for role in ROLES if isinstance(one := getattr(options, role), str)}
    if options.totals is not None:  # the column is in that file
        del names["n_positives"]
    how_many = _files.counted(files)
    limit = read_memory_limit("auto") if options.memory_limit is None else options.memory_limit
    needed = bytes_needed(how_many, names)
    if needed > limit:
        print_beyond_memory(options, files, names, Memory(needed, limit))
        return
    with Progress("reading") as told:
        columns = _files.read(files, names, how_many, told)
    given, arguments = _read_roles(options, columns)
    del columns  # labels are not needed twice
    _warn_without_positives(options, files.name, given)
    if options.identify is None:
        _print_compared(options, files, given, arguments)
        return
    ks = options.k or [K]
    found = [identify(options.identify, given.positive, given.score, **(arguments | {"k": k})) for k in ks]
    print(facts(Facts.of(given), options.k, files.noun))
    for k, one in zip(ks, found, strict=True):
        if len(ks) > 1:
            print(f"\nk = {in_rows(k)}:")
        _print_identified(options, one)


def _read_roles(
    options: argparse.Namespace, columns: dict[_files.Role, _files.Column]
) -> tuple[Given, _Arguments]:
    """Return what the columns hold: for the first lines, and for the numbers."""
    y_true = _files.positives(columns.pop("y_true"), options.pos_label)
    y_score = _files.scores(columns.pop("y_score"))
    k = (options.k or [K])[0]
    arguments: _Arguments = {"k": k, "n_positives": options.n_positives}
    if "sample_weight" in columns:
        arguments["sample_weight"] = _files.weights(columns.pop("sample_weight"))
    if "item_id" in columns:
        arguments["item_id"] = _files.items(columns.pop("item_id"))
    query = _files.queries(columns["query_id"]) if "query_id" in columns else None
    totals = options.n_positives
    if "n_positives" in columns:
        arguments["n_positives"] = totals = _files.totals(columns["n_positives"], columns.get("query_id"))
    if options.totals is not None:
        columns["query_id"], totals = totals_of_file(options, columns["query_id"])
        arguments["n_positives"] = totals
    if query is not None:
        # Numbers are faster than ids. But n_positives can be wrong for a query, and that error names its id.
        own = options.n_positives is not None
        arguments["query_id"] = _ids(columns["query_id"].coded) if own else query
        if isinstance(totals, dict):  # ids have numbers in the order of their first rows
            totals = dict(enumerate(totals.values()))
    weight = arguments.get("sample_weight")
    return Given(y_true, y_score, weight, query, totals, k, float(options.zero_division or 0)), arguments


def _ids(coded: _files.Coded) -> AnyArray:
    """Return the id of each row as an object."""
    distinct = np.empty(len(coded.distinct), dtype=object)
    distinct[:] = coded.distinct
    return distinct[coded.code]


def _print_compared(
    options: argparse.Namespace, files: _files.Files, given: Given, arguments: _Arguments
) -> None:
    """Print every number beside scikit-learn's."""
    empty = options.zero_division
    asked: Sequence[Convention] = list(CONVENTIONS.values()) if options.all else FAMILY
    if empty is not None:
        asked = [_counting(one, float(empty)) if one.name in _UNDEFINED else one for one in asked]
    groups: list[Sequence[Convention]] = [asked]
    if given.positive.size > _MANY_ROWS and not options.all:
        orders = dict.fromkeys(one.ties for one in asked)
        groups = [[one for one in asked if one.ties == order] for order in orders]
    row_of: dict[str, ComparisonRow] = {}
    for group in groups:
        rows = compare(given.positive, given.score, conventions=group, **arguments).rows
        row_of |= {row.convention.name: replace(row, note=in_words(row.note, options)) for row in rows}
    rows = tuple(row_of[one.name] for one in asked)
    if options.format in (None, "table"):
        _print_table(options, files, given, rows)
    else:
        print(FORMATS[options.format](rows))


def _counting(convention: Convention, empty: float) -> Convention:
    """Return a convention of ours in which queries without positives count as this number, or not at all."""
    return replace(convention, without_positives=empty, left_out=isnan(empty))


def _print_table(
    options: argparse.Namespace, files: _files.Files, given: Given, rows: tuple[ComparisonRow, ...]
) -> None:
    """Print the first lines and the table; the reasons for differences only if they are asked for."""
    print(headline(files.name, given, rows))
    print(facts(Facts.of(given), options.k, files.noun, rows), end="\n\n")
    if options.why:
        print(FORMATS["table"](rows))
        return
    print(FORMATS["table"](tuple(replace(row, stops=()) for row in rows)))
    print("\n--why tells which choice of the definition makes which part of a difference.")


def _warn_without_positives(options: argparse.Namespace, name: str, given: Given) -> None:
    """Warn about rankings without a positive; rows of weight 0 do not count, nor do queries of no others."""
    positive, query, weight = given.positive, given.query, given.weight
    if weight is not None:
        positive, query = positive[weight > 0], None if query is None else query[weight > 0]
    n_queries = n_with = int(positive.any())
    if query is not None:
        n_queries, n_with = np.unique(query).size, np.unique(query[positive]).size
    warn_without_positives(options, name, n_queries, n_with, weighted=weight is not None)


def _print_identified(options: argparse.Namespace, found: Identification) -> None:
    """Print the conventions that print the number."""
    for line in in_words(found, options).splitlines():
        print(textwrap.fill(line, 80, subsequent_indent="  ", break_on_hyphens=False))

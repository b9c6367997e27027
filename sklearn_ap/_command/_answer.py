"""The output of `sklearn-ap` for a file: the table or what was identified, warnings and errors."""

import argparse
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan
from typing import Any, TypedDict

import numpy as np

from .._family import FAMILY as NUMBERS
from .._family import K
from .._reading._queries import distinct_queries
from .._typing import AnyArray, FloatArray, IntArray
from ..compatibility import CONVENTIONS, Convention, Identification, compare, identify
from ..compatibility._records._lookup import FAMILY
from ..compatibility._rendering import FORMATS
from ..compatibility._walk import ComparisonRow
from ..distributed._engines._batches import give_back
from ..distributed._engines._files import Files, of_paths
from ..distributed._engines._text import Pieces
from ..distributed._source import SourceError, read_memory_limit, shown
from ._beyond_memory import Memory, print_beyond_memory
from ._labels import item_numbers, positive_label
from ._rows import FileRows, Role, bytes_needed, rows_of_source
from ._summary import Facts, Given, facts, headline, in_rows
from ._totals import texts_of, totals_of_file
from ._words import ROLES, Progress, in_words, noun_of, option_of, warn_of_no_positive

# Our numbers that are not defined without positives.
_UNDEFINED = {number.name for number in NUMBERS if number.takes("zero_division")}
# `compare` keeps the rows in each order of equal scores. From here on, one order at a time is asked for: a
# tenth less memory, for half as much time again.
_MANY_ROWS = 1_000_000
_PIECES = Pieces(2**19)  # half of what `distributed` reads at once: several parts take a tenth of all memory


class _Arguments(TypedDict, total=False):
    """What `compare` and `identify` are called with, beside labels and scores."""

    k: int | float
    n_positives: float | dict[Any, float] | None
    sample_weight: FloatArray
    query_id: AnyArray
    item_id: IntArray


def print_answer(options: argparse.Namespace) -> None:
    """Print the table, or what was identified; an error is one line that names the files."""
    names = {role: one for role in ROLES if isinstance(one := getattr(options, role), str)}
    if options.totals is not None:  # the column is in that file
        del names["n_positives"]
    others = [one for role, one in names.items() if role != "item_id"]
    items = [one for role, one in names.items() if role == "item_id" and one not in others]
    source = of_paths(options.file, None, list(names.values()), items, _PIECES)
    try:
        _check_named_columns(options, source)
        _print_rows(options, source, names)
    except ImportError as error:
        raise SourceError(str(error)) from None
    except SourceError:
        raise
    except ValueError as error:  # of the library, in the words of options
        raise SourceError(f"{source.name}: {in_words(error, options)}") from error


def _check_named_columns(options: argparse.Namespace, source: Files) -> None:
    """Refuse a call that leaves open which columns hold the labels and the scores."""
    missing = [option_of(name) for name in ("y_true", "y_score") if getattr(options, name) is None]
    if missing:
        columns = list(source.columns())
        listed = ", ".join(map(shown, columns[:10])) + (", ..." if len(columns) > 10 else "")
        needed = " and ".join(missing)
        raise SourceError(f"{source.name}: a file needs {needed}; the columns are {listed}")


def _print_rows(options: argparse.Namespace, source: Files, names: Mapping[Role, str]) -> None:
    limit = read_memory_limit("auto") if options.memory_limit is None else options.memory_limit
    with Progress("reading") as told:
        rows = rows_of_source(source, names, limit, told)
    positive = positive_label(source.name, names["y_true"], rows.labels, options.pos_label)
    if rows.arrays is None:
        memory = Memory(bytes_needed(rows.n, names), limit)
        print_beyond_memory(options, source, names, (rows, positive), memory)
        return
    given, arguments = _given(options, source, rows, positive)
    del rows  # parts are not needed beside the whole
    give_back()
    _warn_without_positives(options, source.name, given)
    if options.identify is None:
        _print_compared(options, source, given, arguments)
        return
    ks = options.k or [K]
    found = [identify(options.identify, given.positive, given.score, **(arguments | {"k": k})) for k in ks]
    print(facts(Facts.of(given), options.k, noun_of(source)))
    for k, one in zip(ks, found, strict=True):
        if len(ks) > 1:
            print(f"\nk = {in_rows(k)}:")
        _print_identified(options, one)


def _given(
    options: argparse.Namespace, source: Files, rows: FileRows, positive: Any
) -> tuple[Given, _Arguments]:
    """Return what the rows hold: for the first lines, and for the numbers."""
    arrays = rows.gathered()
    y_true = np.array([label == positive for label in arrays.labels])[arrays.code]
    k = (options.k or [K])[0]
    arguments: _Arguments = {"k": k, "n_positives": options.n_positives}
    if arrays.weight is not None:
        arguments["sample_weight"] = arrays.weight
    if arrays.item is not None:
        arguments["item_id"] = item_numbers(arrays.item)
    totals = {one: total.value for one, total in rows.totals.items()}
    stated: Any = options.n_positives if not totals else totals.get(None)
    query = None
    if arrays.query is not None:
        # Numbers are faster than ids. But n_positives can be wrong for a query, and that error names its id.
        ids, query = distinct_queries(arrays.query)
        if options.totals is not None:
            totals, ids = totals_of_file(options, ids, source.name), texts_of(ids)
        arguments["query_id"] = query if options.n_positives is None else _ids_as_objects(ids, query)
        if totals:  # of these queries, and then of those without rows
            names = dict.fromkeys([*ids, *totals])
            stated = {place: totals[one] for place, one in enumerate(names)}
    arguments["n_positives"] = totals if totals and arrays.query is not None else stated
    empty = float(options.zero_division or 0)
    return Given(y_true, arrays.score, arrays.weight, query, stated, k, empty), arguments


def _ids_as_objects(ids: Sequence[Any], query: AnyArray) -> AnyArray:
    """Return the id of each row as an object."""
    distinct = np.empty(len(ids), dtype=object)
    distinct[:] = ids
    return distinct[query]


def _print_compared(options: argparse.Namespace, source: Files, given: Given, arguments: _Arguments) -> None:
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
        _print_table(options, source, given, rows)
    else:
        print(FORMATS[options.format](rows))


def _counting(convention: Convention, empty: float) -> Convention:
    """Return a convention of ours in which queries without positives count as this number, or not at all."""
    return replace(convention, without_positives=empty, left_out=isnan(empty))


def _print_table(
    options: argparse.Namespace, source: Files, given: Given, rows: tuple[ComparisonRow, ...]
) -> None:
    """Print the first lines and the table; the reasons for differences only if they are asked for."""
    print(headline(source.name, given, rows))
    print(facts(Facts.of(given), options.k, noun_of(source), rows), end="\n\n")
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
    warn_of_no_positive(options, name, n_queries, n_with, weighted=weight is not None)


def _print_identified(options: argparse.Namespace, found: Identification) -> None:
    """Print the conventions that print the number."""
    for line in in_words(found, options).splitlines():
        print(textwrap.fill(line, 80, subsequent_indent="  ", break_on_hyphens=False))

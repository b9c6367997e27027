"""The output of `sklearn-ap` for files: the first answer, a table or what was identified.

Of rows that do not fit into memory, only the first answer is printed, from scans of the files.
"""

import argparse
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from .._by_query import score_by_query
from .._family import FAMILY as NUMBERS
from .._family import K
from .._reading._queries import distinct_queries
from .._typing import AnyArray, ScoreByQuery
from ..compatibility import CONVENTIONS, ComparisonRow, Convention, identify
from ..compatibility._comparison import FORMATS, rows_beside
from ..compatibility._records._lookup import FAMILY
from ..compatibility._scores import Scores
from ..distributed._engines._files import Files, of_paths
from ..distributed._engines._text import Pieces
from ..distributed._source import SourceError, give_back, read_memory_limit, shown
from ._first import AnyRows, RowsInMemory, RowsInScans, first_answer
from ._rows import (
    Arrays,
    FileRows,
    QueryCounts,
    Role,
    Stated,
    bytes_needed,
    in_units,
    positive_label,
    rows_of_source,
)
from ._summary import Facts, Given, Yardstick, counts, cuts, facts_of, mean_chance, table_opening
from ._tables import Row, in_format
from ._words import ROLES, in_words, option_of, warn_of_no_positive, warnings_told

# Our numbers that are not defined without positives.
_UNDEFINED = {number.name for number in NUMBERS if number.takes("zero_division")}
# What a table of queries shows: our numbers of these names.
_BY_QUERY = ("average precision", "reciprocal rank", "precision@k", "R-precision", "recall@k")
# From here on, the rows are held in one order of equal scores at a time: a tenth less memory.
_MANY_ROWS = 1_000_000
_PIECES = Pieces(2**19)  # half of what `distributed` reads at once: several parts take a tenth of all memory


class _Call(NamedTuple):
    """The rows of a call, and the numbers that it asks for."""

    options: argparse.Namespace
    source: Files
    names: Mapping[Role, str]  # of columns
    positive: Any  # label
    memory_limit: int

    @property
    def k(self) -> int | float:
        """The cut."""
        k: int | float = self.options.k or K
        return k

    @property
    def empty(self) -> float:
        """What a query without positives counts as in our means."""
        return float(self.options.zero_division or 0)

    def facts_of(self, rows: FileRows, queries: QueryCounts | None, stated: Stated) -> Facts:
        """Count the rows, and warn of rankings without a positive."""
        weighted = "sample_weight" in self.names
        known = facts_of(rows, self.positive, queries, stated, self.k, weighted=weighted)
        n_with = int(known.counted > 0) if queries is None else queries.with_positive
        n_counted = 1 if queries is None else queries.weighed
        warn_of_no_positive(self.options, self.source.name, n_counted, n_with, weighted=weighted)
        return known


def print_answer(options: argparse.Namespace) -> None:
    """Print the table, or what was identified; an error is one line that names the files."""
    names = {role: one for role in ROLES if isinstance(one := getattr(options, role), str)}
    try:
        source = of_paths(options.file, None, list(names.values()), _PIECES)
    except ImportError as error:
        raise SourceError(str(error)) from None
    try:
        _check_named_columns(options, source)
        _print_rows(options, source, names)
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
        of_trec = any(len(one.split()) in (4, 6) for one in columns)
        runs = "; --trec QRELS RUN reads files of TREC" if of_trec else ""
        raise SourceError(f"{source.name}: a file needs {needed}; the columns are {listed}{runs}")


def _print_rows(options: argparse.Namespace, source: Files, names: Mapping[Role, str]) -> None:
    limit = read_memory_limit("auto") if options.memory_limit is None else options.memory_limit
    rows = rows_of_source(source, names, limit)
    positive = positive_label(source.name, names["y_true"], rows.labels, options.pos_label)
    call = _Call(options, source, names, positive, limit)
    totals = {query: total.value for query, total in rows.totals.items()}
    stated = totals.get(None, totals) if totals else options.n_positives
    if rows.arrays is None:
        _print_beyond_memory(call, rows, stated)
        return
    arrays, rows = rows.gathered(), rows._replace(arrays=None)  # parts are not needed beside the whole
    give_back()
    given, arguments = _given(call, arrays, stated)
    queries = None if given.query is None else QueryCounts.of(given.query, given.positive, given.weight)
    known = call.facts_of(rows, queries, arguments["n_positives"])
    if options.identify is not None:
        _print_identified(call, known, given, arguments)
        return
    if options.by_query:
        _print_by_query(call, known, given, arguments)
        return
    yardstick = ("chance", mean_chance(given)) if known.found else None
    if not options.shows_table:
        more = arguments if given.query is None else {**arguments, "zero_division": call.empty}
        _print_first(call, known, RowsInMemory(given, more), yardstick)
        return
    table = _beside_scikit_learn(options, given, arguments | {"k": known.k})
    _print_table(call, known, table, yardstick)


def _given(call: _Call, arrays: Arrays, stated: Any) -> tuple[Given, dict[str, Any]]:
    """Return what the rows hold: for the first lines, and as arguments beside labels and scores."""
    options = call.options
    y_true = np.array([label == call.positive for label in arrays.labels])[arrays.code]
    columns, arguments = arrays.columns, dict[str, Any]()
    weight = columns.get("sample_weight")
    if weight is not None:
        arguments["sample_weight"] = weight
    query, totals = None, stated
    if "query_id" in columns:
        # Numbers are faster than ids. But n_positives can be wrong for a query, and that error names its id.
        ids, query = distinct_queries(columns["query_id"])
        named = options.by_query or stated is not None
        arguments["query_id"] = _ids_as_objects(ids, query) if named else query
        if isinstance(stated, Mapping):
            totals = [stated[one] for one in ids]
    arguments["n_positives"] = stated
    unit = distinct_queries(columns["unit_id"])[1] if "unit_id" in columns else None
    scores = columns["y_score"], columns.get("y_score_b")
    given = Given(y_true, scores[0], weight, query, totals, call.empty, scores[1], unit)
    return given, arguments


def _ids_as_objects(ids: Sequence[Any], query: AnyArray) -> AnyArray:
    """Return the id of each row as an object."""
    distinct = np.empty(len(ids), dtype=object)
    distinct[:] = ids
    return distinct[query]


def _beside_scikit_learn(
    options: argparse.Namespace, given: Given, arguments: dict[str, Any]
) -> list[ComparisonRow]:
    """Return every number beside scikit-learn's."""
    asked = list(CONVENTIONS.values() if options.all else FAMILY)
    if options.zero_division is not None:
        asked = [_counting(one, given.empty) if one.name in _UNDEFINED else one for one in asked]
    scores = Scores("compare_conventions", given.positive, given.score, pos_label=1, **arguments)
    walks = options.why or options.format not in (None, "table")
    sparing = given.positive.size > _MANY_ROWS and not options.all
    return [_in_words(row, options) for row in rows_beside(scores, asked, walks=walks, sparing=sparing)]


def _counting(convention: Convention, empty: float) -> Convention:
    """Return a convention of ours in which queries without positives count as this number, or not at all."""
    return replace(convention, without_positives=empty, left_out=isnan(empty))


def _in_words(row: ComparisonRow, options: argparse.Namespace) -> ComparisonRow:
    return replace(row, note=in_words(row.note, options))


def _print_table(call: _Call, known: Facts, rows: Sequence[ComparisonRow], yardstick: Yardstick) -> None:
    """Print the rows; a table has first lines and a last one."""
    options = call.options
    if options.format not in (None, "table"):
        print(FORMATS[options.format](rows))
        return
    first, *more = table_opening(call.source.name, known, rows, yardstick, is_default=options.k is None)
    print(first)  # paths have any length
    print(_within_screen(" ".join(more)), end="\n\n")
    distinct = [row for row in rows if not _repeats(row, rows)]
    print(FORMATS["table"](distinct))
    if len(distinct) < len(rows):
        same = ", ".join(
            row.name.removeprefix(f"AP@{known.k} ").removeprefix(f"AP@{known.k}, ")
            for row in rows
            if row not in distinct
        )
        print()
        print(_within_screen(f"Here AP@{known.k} is the same {same}."))
    if not options.why:
        print("\n--why tells which choice of the definition makes which part of a difference.")


def _within_screen(text: str, indent: str = "") -> str:
    return textwrap.fill(text, 80, subsequent_indent=indent, break_on_hyphens=False)


def _repeats(row: ComparisonRow, rows: Sequence[ComparisonRow]) -> bool:
    """Whether AP@k is the same by another divisor or order of equal scores as by those of an earlier row."""
    cut = [one for one in rows if one.convention.area == "step" and one.convention.cut is not None]
    return row in cut[1:] and row.value is not None and row.value == cut[0].value


def _print_identified(call: _Call, known: Facts, given: Given, arguments: dict[str, Any]) -> None:
    """Print the conventions that print the number."""
    options = call.options
    found = identify(options.identify, given.positive, given.score, k=call.k, **arguments)
    print(_within_screen(f"{counts(known)}; {cuts(known, is_default=options.k is None)}"))
    for line in in_words(found, options).splitlines():
        print(_within_screen(line, "  "))


def _print_first(call: _Call, known: Facts, rows: AnyRows, yardstick: Yardstick) -> None:
    """Print the first answer, and before it the warnings of the library."""
    told: list[str] = []
    with warnings_told(call.source.name, call.options):
        told = first_answer(call.source.name, known, rows, call.options, yardstick)
    print(told[0])
    for one in told[1:]:
        print(_within_screen(one))


def _print_by_query(call: _Call, known: Facts, given: Given, arguments: dict[str, Any]) -> None:
    """Print the scores of each query."""
    columns = {name: arguments[name] for name in ("query_id", "sample_weight") if name in arguments}
    found: dict[str, ScoreByQuery] = {}
    for one in NUMBERS:
        if one.name in _BY_QUERY:
            said: dict[str, Any] = {"k": known.k, "zero_division": call.empty}
            said["n_positives"] = arguments["n_positives"]
            taken = {name: value for name, value in said.items() if one.takes(name) and value is not None}
            name = one.name.replace("@k", f"@{known.k}")
            found[name] = score_by_query(
                one.score, given.positive, given.score, **{**one.options, **taken}, **columns
            )
    ids = next(iter(found.values()))
    rows: list[Row] = [{"query": str(one), **{name: of[one] for name, of in found.items()}} for one in ids]
    print(in_format(rows, call.options.format))


def _print_beyond_memory(call: _Call, rows: FileRows, stated: Any) -> None:
    """Print the first answer, from scans of the files."""
    options, source = call.options, call.source
    needed, allowed = in_units(bytes_needed(rows.n, call.names)), in_units(call.memory_limit)
    memory = f"all rows in memory, about {needed} where {allowed} are allowed"
    asked = ["identify", "shows_table", "by_query", "y_score_b", "unit_id"]
    if options.prevalence is not None or {"query_id", "sample_weight"} & call.names.keys():
        asked.append("threshold_at")
    for option in asked:
        if getattr(options, option):
            name = "--table" if option == "shows_table" else option_of(option)
            raise SourceError(f"{source.name}: {name} needs {memory}; raise --memory-limit")
    queries = rows.count_queries(call.positive) if "query_id" in call.names else None
    known = call.facts_of(rows, queries, stated)
    roles: tuple[Role, ...] = ("y_true", "y_score", "sample_weight", "query_id")
    where: dict[str, Any] = {str(role): call.names[role] for role in roles if role in call.names}
    columns: dict[str, Any] = {name: where.pop(name) for name in roles[2:] if name in where}
    where |= {"data": source, "pos_label": call.positive, "memory_limit": call.memory_limit}
    where["progress"] = sys.stderr is not None and sys.stderr.isatty()
    arguments: dict[str, Any] = {} if stated is None else {"n_positives": stated}
    if known.queries is not None:
        arguments["zero_division"] = call.empty
    _print_first(call, known, RowsInScans(where, columns, arguments), _yardstick(known))


def _yardstick(known: Facts) -> Yardstick:
    """Return what the score is compared with, and its name.

    Chance depends on which scores are equal, unless rows have weights. Then, missed positives add nothing.
    """
    if known.queries is not None:
        return None
    if known.weighted:
        missed = 1.0 if known.stated is None else known.counted / known.stated
        return "chance", known.share * missed
    return ("the prevalence", known.share) if known.stated is None else None

"""The output of `sklearn-ap` for files: the first answer, a table or what was identified.

Of rows that do not fit into memory, only our own numbers are printed, from scans of the files.
"""

import argparse
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from .._by_query import score_by_query
from .._definition import needs_equal_weights
from .._reading._queries import distinct_queries
from .._registry import FAMILY as NUMBERS
from .._registry import K, Number
from .._typing import ScoreByQuery, ScoreFunction
from ..compatibility import CONVENTIONS, ComparisonRow, Convention, identify
from ..compatibility._comparison import FORMATS, rows_beside
from ..compatibility._records._lookup import FAMILY
from ..compatibility._scores import Scores
from ..distributed import scores as scores_of_data
from ..distributed._engines._files import Files, of_paths
from ..distributed._engines._text import Pieces
from ..distributed._open_rows import RowOptions, job_of
from ..distributed._plans._queries import by_query
from ..distributed._question import question_of
from ..distributed._source import SourceError, Told, give_back, read_memory_limit, shown
from ._first import AnyRows, RowsInMemory, RowsInScans, first_answer
from ._rows import (
    Arrays,
    FileRows,
    QueryCounts,
    Role,
    Stated,
    bytes_needed,
    in_units,
    item_numbers,
    positive_label,
    rows_of_source,
    texts_of,
    totals_of_file,
)
from ._summary import Facts, Given, Yardstick, counts, cuts, facts_of, in_rows, mean_chance, table_opening
from ._tables import Row, in_format
from ._words import ROLES, in_words, option_of, progress, say, warn_of_no_positive, warnings_told

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
    def ks(self) -> list[int | float]:
        """The cuts; `identify` takes several."""
        return list(self.options.k or [K])

    @property
    def empty(self) -> float:
        """What a query without positives counts as in our means."""
        return float(self.options.zero_division or 0)

    def facts_of(self, rows: FileRows, queries: QueryCounts | None, stated: Stated) -> Facts:
        """Count the rows, and warn of rankings without a positive."""
        weighted = "sample_weight" in self.names
        known = facts_of(rows, self.positive, queries, stated, self.ks[0], weighted=weighted)
        n_with = int(known.counted > 0) if queries is None else queries.with_positive
        n_counted = 1 if queries is None else queries.weighed
        warn_of_no_positive(self.options, self.source.name, n_counted, n_with, weighted=weighted)
        return known


def print_answer(options: argparse.Namespace) -> None:
    """Print the table, or what was identified; an error is one line that names the files."""
    names = {role: one for role in ROLES if isinstance(one := getattr(options, role), str)}
    if options.totals is not None:  # the column is in that file
        del names["n_positives"]
    others = [one for role, one in names.items() if role != "item_id"]
    items = [one for role, one in names.items() if role == "item_id" and one not in others]
    try:
        source = of_paths(options.file, None, list(names.values()), items, _PIECES)
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
    with progress("reading") as told:
        rows = rows_of_source(source, names, limit, told)
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
        columns = {name: arguments[name] for name in ("query_id", "sample_weight") if name in arguments}
        asked = _scores_of_queries(call, arguments["n_positives"])
        found = [score_by_query(one, given.positive, given.score, **columns) for one in asked]
        _print_by_query(call, known, found)
        return
    yardstick = ("chance", mean_chance(given)) if known.found_weighed else None
    if not options.shows_table:
        more = arguments if given.query is None else {**arguments, "zero_division": call.empty}
        _print_first(call, known, RowsInMemory(given, more), yardstick)
        return
    table = _beside_scikit_learn(options, given, arguments | {"k": known.k})
    last = "--why tells which choice of the definition makes which part of a difference."
    _print_table(call, known, table, yardstick, "" if options.why else last)


def _given(call: _Call, arrays: Arrays, stated: Any) -> tuple[Given, dict[str, Any]]:
    """Return what the rows hold: for the first lines, and as arguments beside labels and scores."""
    options = call.options
    y_true = np.array([label == call.positive for label in arrays.labels])[arrays.code]
    columns, arguments = arrays.columns, dict[str, Any]()
    weight = columns.get("sample_weight")
    if weight is not None:
        arguments["sample_weight"] = weight
    if "item_id" in columns:
        arguments["item_id"] = item_numbers(columns["item_id"])
    query, totals = None, stated
    if "query_id" in columns:
        # Numbers are faster than ids. But n_positives can be wrong for a query, and that error names its id.
        ids, query = distinct_queries(columns["query_id"])
        if options.totals is not None:
            stated, ids = totals_of_file(options, ids, call.source.name), texts_of(ids)
        named = options.by_query or stated is not None
        arguments["query_id"] = np.array(ids, dtype=object)[query] if named else query
        if isinstance(stated, Mapping):  # of these queries, and then of those without rows
            totals = [stated[one] for one in dict.fromkeys([*ids, *stated])]
    arguments["n_positives"] = stated
    unit = distinct_queries(columns["unit_id"])[1] if "unit_id" in columns else None
    scores = columns["y_score"], columns.get("y_score_b")
    given = Given(y_true, scores[0], weight, query, totals, call.empty, scores[1], unit)
    return given, arguments


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


def _print_table(
    call: _Call, known: Facts, rows: Sequence[ComparisonRow], yardstick: Yardstick, last: str
) -> None:
    """Print the rows; a table has first lines and a last one."""
    options = call.options
    if options.format not in (None, "table"):
        print(FORMATS[options.format](rows))
        return
    first, *more = table_opening(call.source.name, known, rows, options.k, yardstick)
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
        print(_within_screen(f"Left out, since they equal the first AP@{known.k}: {same}."))
    if last:
        print("\n" + _within_screen(last))


def _within_screen(text: str, indent: str = "") -> str:
    return textwrap.fill(text, 80, subsequent_indent=indent, break_on_hyphens=False)


def _repeats(row: ComparisonRow, rows: Sequence[ComparisonRow]) -> bool:
    """Whether AP@k is the same by another divisor or order of equal scores as by those of an earlier row."""
    cut = [one for one in rows if one.convention.area == "step" and one.convention.cut is not None]
    return row in cut[1:] and row.value is not None and row.value == cut[0].value


def _print_identified(call: _Call, known: Facts, given: Given, arguments: dict[str, Any]) -> None:
    """Print the conventions that print the number, for each cut."""
    options, ks = call.options, call.ks
    found = [identify(options.identify, given.positive, given.score, k=k, **arguments) for k in ks]
    print(_within_screen(f"{counts(known)}; {cuts(known, options.k)}"))
    for k, one in zip(ks, found, strict=True):
        if len(ks) > 1:
            print(f"\nk = {in_rows(k)}:")
        for line in in_words(one, options).splitlines():
            print(_within_screen(line, "  "))


def _print_first(call: _Call, known: Facts, rows: AnyRows, yardstick: Yardstick) -> None:
    """Print the first answer, and before it the warnings of the library."""
    told: list[str] = []
    with warnings_told(call.source.name, call.options):
        told = first_answer(call.source.name, known, rows, call.options, yardstick)
    print(told[0])
    for one in told[1:]:
        print(_within_screen(one))


def _scores_of_queries(call: _Call, stated: Any) -> list[ScoreFunction]:
    return [_score(one, call.ks[0], call.empty, stated) for one in NUMBERS if one.name in _BY_QUERY]


def _print_by_query(call: _Call, known: Facts, found: Sequence[ScoreByQuery]) -> None:
    """Print the scores of each query; one without rows has those that count its missed positives."""
    names = [one.name.replace("@k", f"@{known.k}") for one in NUMBERS if one.name in _BY_QUERY]
    of_query = [(one, [of.get(one) for of in found]) for one in found[0]]
    rows: list[Row] = [{"query": str(one), **dict(zip(names, of, strict=True))} for one, of in of_query]
    print(in_format(rows, call.options.format))


def _print_beyond_memory(call: _Call, rows: FileRows, stated: Any) -> None:
    """Print our own numbers, and what is left out."""
    options, source = call.options, call.source
    needed, allowed = in_units(bytes_needed(rows.n, call.names)), in_units(call.memory_limit)
    memory = f"all rows in memory, about {needed} where {allowed} are allowed"
    for option in ("identify", "why", "totals", "y_score_b", "unit_id"):
        if getattr(options, option):
            raise SourceError(f"{source.name}: {option_of(option)} needs {memory}; raise --memory-limit")
    queries = rows.count_queries(call.positive) if "query_id" in call.names else None
    known = call.facts_of(rows, queries, stated)
    with progress("ranking") as told:
        if options.by_query:
            questions = [question_of(one, {}) for one in _scores_of_queries(call, stated)]
            _print_by_query(call, known, by_query(job_of(RowOptions(**_where(call, told))), questions))
            return
        if not options.shows_table:
            _print_first(call, known, _in_scans(call, known, stated, told), _yardstick(known))
            return
        table = _rows_of_ours(call, known, stated, told)
    left_out = f"onventions of other packages need {memory}: --memory-limit raises it."
    _print_table(call, known, table, _yardstick(known), f"C{left_out}")
    if options.format not in (None, "table"):
        say("warning", f"{source.name}: c{left_out}")


def _in_scans(call: _Call, known: Facts, stated: Any, told: Told) -> RowsInScans:
    """Return what answers questions of the files."""
    arguments: dict[str, Any] = {} if stated is None else {"n_positives": stated}
    if known.queries is not None:
        arguments["zero_division"] = call.empty
    rows = _where(call, told)
    columns = {name: column for name in ("sample_weight", "query_id") if (column := rows.pop(name))}
    return RowsInScans(rows, columns, arguments)


def _where(call: _Call, told: Told) -> dict[str, Any]:
    """Return the arguments of `distributed` that say where the rows are."""
    roles: tuple[Role, ...] = ("y_true", "y_score", "sample_weight", "query_id")
    names: dict[str, Any] = {role: call.names.get(role) for role in roles}
    how = {"pos_label": call.positive, "memory_limit": call.memory_limit, "progress": told}
    return {"data": call.source, "filter": None, **names, **how}


def _rows_of_ours(call: _Call, known: Facts, stated: Any, told: Told) -> list[ComparisonRow]:
    """Return every number of ours; a note tells why some have none here."""
    notes = [_note(number, known) for number in NUMBERS]
    asked = [number for number, note in zip(NUMBERS, notes, strict=True) if not note]
    scores = [_score(one, known.k, call.empty, stated) for one in asked]
    found = iter(scores_of_data(score_funcs=scores, **_where(call, told)).values())
    values = [None if note else next(found) for note in notes]
    reference = values[0] or 0.0
    if known.queries is not None:  # there, all rows are one ranking
        plain: dict[Role, str] = {role: name for role, name in call.names.items() if role != "query_id"}
        pooled = _score(NUMBERS[0], known.k, 0.0, None)
        where = _where(call._replace(names=plain), told)
        (reference,) = scores_of_data(score_funcs=[pooled], **where).values()
    elif known.stated is not None and known.found_weighed:  # there, missed positives do not count
        reference *= known.stated / known.counted
    rows = [
        ComparisonRow(
            name=one.name.replace("@k", f"@{known.k}"),
            convention=one,
            value=value,
            scikit_learn=reference,
            note=note,
        )
        for one, value, note in zip(FAMILY, values, notes, strict=True)
    ]
    return [_in_words(row, call.options) for row in rows]


def _note(number: Number, known: Facts) -> str:
    """Return why a number is not computed from parts of the rows, if it is not."""
    one = number.definition
    if one.ties == "stable":
        return f"The order of rows decides in {number.name!r}, and needs all rows in memory."
    stated = known.stated is not None and number.takes("n_positives")
    needs = needs_equal_weights(one.area, one.ties, one.normalizer, one.cut, states_totals=stated)
    return needs.of_record(number.name) if needs is not None and known.weighted else ""


def _score(number: Number, k: int | float, empty: float, n_positives: Any) -> ScoreFunction:
    """Return a score with all its arguments but those of rows."""
    said = {"k": k} if number.is_cut else {}
    said |= {"zero_division": empty} if number.takes("zero_division") else {}
    if n_positives is not None and number.takes("n_positives"):
        said["n_positives"] = n_positives
    return partial(number.score, **{**number.options, **said})


def _yardstick(known: Facts) -> Yardstick:
    """Return what the score is compared with, and its name.

    Chance depends on which scores are equal, unless rows have weights. Then, missed positives add nothing.
    """
    if known.queries is not None or not known.found_weighed:
        return None
    if known.weighted:
        missed = known.counted / known.stated if known.stated else 1.0  # the score refuses a total of 0
        return "chance", known.share * missed
    return ("the prevalence", known.share) if known.stated is None else None

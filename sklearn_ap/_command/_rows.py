"""The rows of a call, by one scan of a source: checked and counted, and gathered as arrays if these fit.

Whether they fit changes no value and no error: wrong rows are refused before any number is computed. Dates,
integers and text are what `distributed` makes of them, since it reads the same source.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from .._reading._queries import QueryIds, distinct_queries
from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from ..distributed._engines._files import Files, of_paths
from ..distributed._numerals import number_of
from ..distributed._plans._part import (
    joined_ids,
    numbered,
    read_queries,
    refuse_ids,
    refuse_missing,
    refuse_numbers,
)
from ..distributed._source import Part, Place, SourceError, Told, refuse_unknown_columns, shown
from ..distributed._states._columns import concatenated

State = TypeVar("State")

# Bytes per row, measured for 2 million rows as the growth of the process: a label and a score of float64
# while all numbers are computed, and what other columns add.
_OF_ROW = 55
_OF_COLUMN = {
    "sample_weight": 30,
    "query_id": 25,
    "item_id": 300,
    "n_positives": 30,
    "y_score_b": 40,
    "unit_id": 25,
}

# Arguments that columns fill.
Role = Literal[
    "y_true", "y_score", "sample_weight", "query_id", "item_id", "n_positives", "y_score_b", "unit_id"
]
_SCORES: tuple[Role, ...] = ("y_score", "y_score_b")
_IDS: tuple[Role, ...] = ("query_id", "item_id", "unit_id")
_CONTRARY = (("false", "true"), ("no", "yes"), ("f", "t"), ("n", "y"), ("0", "1"), ("-1", "1"))  # in any case
_MOST_LABELS = 6  # as many as an error shows: two are wanted


class OfLabel(NamedTuple):
    """The rows that have a label."""

    n: int
    weighed: int  # those of weight above 0, which alone count
    weight: float
    place: Place  # of the first of these rows

    def joined(self, other: "OfLabel") -> "OfLabel":
        """Return what rows behind these add."""
        n, weighed, weight = self.n + other.n, self.weighed + other.weighed, self.weight + other.weight
        return OfLabel(n, weighed, weight, self.place)


class Arrays(NamedTuple):
    """Columns of rows; labels are numbers of `labels`."""

    labels: list[Any]
    code: AnyArray
    columns: Mapping[Role, Any]  # scores and weights as arrays, and ids


class QueryCounts(NamedTuple):
    """How many queries there are."""

    n: int
    weighed: int  # those with a row of weight above 0 ...
    with_positive: int  # ... and those of them where such a row is positive

    @classmethod
    def of(cls, query: AnyArray, positive: BoolArray, weight: FloatArray | None) -> "QueryCounts":
        """Count the queries of rows; `query` numbers them from 0 on."""
        weighed = np.ones(query.size, dtype=bool) if weight is None else weight > 0
        counts = (np.unique(query[rows]).size for rows in (weighed, weighed & positive))
        return cls(int(query.max()) + 1, *counts)


class Total(NamedTuple):
    """The total of positives that rows state."""

    value: float
    place: Place  # of the first of these rows


Totals = Mapping[Any, Total]  # by query; under None without queries
Stated = Mapping[Any, float] | float | None  # positives in all: of each query, or of all rows


class FileRows(NamedTuple):
    """What the rows of some parts hold."""

    n: int
    labels: dict[Any, OfLabel]  # the first few, in the order of their first rows
    totals: Totals
    arrays: tuple[Arrays, ...] | None  # of each part; None if they do not fit
    # By label, where arrays do not fit; those of rows of weight 0 under None.
    queries: dict[Any, frozenset[Any]]

    def gathered(self) -> "Arrays":
        """Return all rows as one array per column, with the labels of the whole."""
        assert self.arrays, self.n
        labels = list(self.labels)
        place = {label: number for number, label in enumerate(labels)}
        codes = [np.array([place[one] for one in part.labels], np.int8)[part.code] for part in self.arrays]
        columns: dict[Role, Any] = {}
        for role in self.arrays[0].columns:
            parts = [part.columns[role] for part in self.arrays]
            join = concatenated if role in _SCORES else joined_ids if role in _IDS else np.concatenate
            columns[role] = join(parts)
        return Arrays(labels, np.concatenate(codes), columns)

    def counted(self) -> "FileRows":
        """Return the counts alone."""
        by_label = [dict(_queries_by_label(part)) for part in self.arrays or ()]
        return self._replace(arrays=None, queries=_united([self.queries, *by_label]))

    def count_queries(self, positive: Any) -> QueryCounts:
        """Count the queries of rows that do not fit."""
        weighed = frozenset().union(*(ids for label, ids in self.queries.items() if label is not None))
        everyone = weighed.union(*self.queries.values())
        return QueryCounts(len(everyone), len(weighed), len(self.queries.get(positive, ())))


def _united(parts: Iterable[Mapping[Any, frozenset[Any]]]) -> dict[Any, frozenset[Any]]:
    queries: dict[Any, frozenset[Any]] = {}
    for part in parts:
        for label, ids in part.items():
            queries[label] = queries.get(label, frozenset()) | ids
    return queries


def _queries_by_label(part: Arrays) -> Iterator[tuple[Any, frozenset[Any]]]:
    query, weight = part.columns.get("query_id"), part.columns.get("sample_weight")
    if query is None:
        return
    code = part.code if weight is None else np.where(weight > 0, part.code, -1)
    for number, label in [(-1, None), *enumerate(part.labels)]:
        ids = query[np.flatnonzero(code == number)]
        yield label, frozenset(numbered(ids)[0])


def rows_of_source(source: Files, names: Mapping[Role, str], limit: int, told: Told) -> FileRows:
    """Return what all rows hold, or raise SourceError for the first row that is refused."""
    refuse_unknown_columns(source.name, list(source.columns()), names.values())
    n_rows = source.n_rows()
    fits = n_rows is None or bytes_needed(n_rows, names) <= limit
    reader = _Reader(names, limit if fits else 0)
    found = _scanned(source, list(names.values()), reader.read, reader.joined, told)
    weight = sum(one.weight for one in found.labels.values())
    problem = ": all rows weigh 0" if weight == 0 else " adds up to infinity; divide it by a constant"
    if "sample_weight" in names and not 0 < weight < inf and len(found.labels) < _MOST_LABELS:
        raise SourceError(f"{source.name}: column {shown(names['sample_weight'])}{problem}")
    return found


def _scanned(
    source: Files,
    columns: Sequence[str],
    read: Callable[[Part], State],
    joined: Callable[[Sequence[State]], State],
    told: Told,
) -> State:
    """Return what all parts hold; the first one that is refused raises once all of them were read."""

    def step(part: Part) -> State | SourceError:
        try:
            return read(part)
        except SourceError as error:
            return error

    def combine(parts: Sequence[State | SourceError]) -> State | SourceError:
        good: list[State] = []
        for part in parts:
            if isinstance(part, SourceError):
                break
            good.append(part)
        try:
            found = joined(good)
        except SourceError as error:
            return error
        return found if len(good) == len(parts) else parts[len(good)]

    found = source.scan(list(dict.fromkeys(columns)), step, combine, told)
    if isinstance(found, SourceError):
        raise found
    if found is None:
        raise SourceError(f"{source.name}: hold{'s' * (source.n_files == 1)} no rows")
    return found


class _Reader(NamedTuple):
    """How parts are read and joined."""

    names: Mapping[Role, str]
    limit: int  # bytes that all rows may take

    def joined(self, parts: Sequence[FileRows]) -> FileRows:
        """Return what several parts hold."""
        totals = joined_totals([part.totals for part in parts], self.names.get("n_positives", ""))
        n = sum(part.n for part in parts)
        arrays: tuple[Arrays, ...] | None = None
        if self._fit(n) and all(part.arrays is not None for part in parts):
            arrays = tuple(array for part in parts for array in part.arrays or ())
        else:
            parts = [part.counted() for part in parts]
        labels: dict[Any, OfLabel] = {}
        for label, one in ((label, one) for part in parts for label, one in part.labels.items()):
            first = labels.get(label)
            if first is not None:
                labels[label] = first.joined(one)
            elif len(labels) < _MOST_LABELS:
                labels[label] = one
        return FileRows(n, labels, totals, arrays, _united(part.queries for part in parts))

    def _fit(self, n: int) -> bool:
        return bytes_needed(n, self.names) <= self.limit

    def read(self, part: Part) -> FileRows:
        """Return what a part holds, or raise SourceError."""
        names = self.names
        refuse_ids(part, [name for role, name in names.items() if role not in (*_IDS, "n_positives")])
        labels, code, first = _labels(part, names["y_true"])
        columns: dict[Role, Any] = {role: part.columns[names[role]] for role in _SCORES if role in names}
        for role in columns:
            refuse_numbers(part, names[role], negative=True)
        weight = None
        if "sample_weight" in names:
            refuse_numbers(part, names["sample_weight"], negative=False)
            weight = part.columns[names["sample_weight"]].astype(np.float64, copy=False)
            columns["sample_weight"] = weight
        for role in _IDS:
            if role in names:
                columns[role] = (_items if role == "item_id" else read_queries)(part, names[role])
        query = columns.get("query_id")
        totals = totals_in(part, names["n_positives"], query) if "n_positives" in names else {}
        sums: list[AnyArray] = [np.bincount(code)] * 3
        if weight is not None:  # `rows_of_source` refuses an infinite sum
            sums[1:] = np.bincount(code[weight > 0], minlength=sums[0].size), np.bincount(code, weight)
        found = zip(*(one.tolist() for one in sums), map(part.place.at, first), strict=True)
        by_label = {label: OfLabel(*one) for label, one in zip(labels, found, strict=True)}
        rows = FileRows(len(code), by_label, totals, (Arrays(labels, code, columns),), {})
        return rows if self._fit(rows.n) else rows.counted()


def _labels(part: Part, column: str) -> tuple[list[Any], AnyArray, list[int]]:
    """Return the first few distinct labels, the number of each row's own, and their first rows."""
    values = part.columns[column]
    refuse_missing(part, column, values)
    if values.dtype == object:  # by a dictionary: numpy would compare text without zeros at its end
        numbers: defaultdict[Any, int] = defaultdict()
        numbers.default_factory = numbers.__len__
        code = np.fromiter(map(numbers.__getitem__, values), np.int32, values.size)
        labels = list(numbers)[:_MOST_LABELS]
        missing = [place for place, one in enumerate(numbers) if str(one).strip().lower() == "nan"]
        if missing:
            raise part.place.error(column, "no value", int(np.argmax(code == missing[0])))
        code = np.minimum(code, _MOST_LABELS - 1, out=code).astype(np.int8)
    else:
        labels, code = [], np.zeros(values.size, dtype=np.int8)
        left = np.ones(values.size, dtype=bool)
        while len(labels) < _MOST_LABELS and left.any():
            label = values[np.argmax(left)]
            same = values == label
            code[same] = len(labels)
            labels.append(label.item())
            left &= ~same
    return labels, code, [int(np.argmax(code == place)) for place in range(len(labels))]


def _items(part: Part, column: str) -> QueryIds:
    """Return the items, which are compared as text; values of other kinds have many spellings."""
    values = part.columns[column]
    if values.dtype.kind not in "iu" and not all(isinstance(one, str) for one in values[:1].tolist()):
        raise part.place.error(column, f"is of type {values.dtype}, which is none of integer, text")
    return read_queries(part, column)


def bytes_needed(n_rows: int, roles: Collection[str]) -> int:
    """Return about how much memory all numbers of so many rows take."""
    return n_rows * (_OF_ROW + sum(_OF_COLUMN.get(role, 0) for role in roles))


def in_units(size: float) -> str:
    """Return a number of bytes as people write it."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size:.0f} bytes"


def totals_in(part: Part, column: str, query: QueryIds | None) -> Totals:
    """Return the total of each query, which all of its rows repeat."""
    refuse_ids(part, [column])
    refuse_numbers(part, column, negative=False, what="total")
    total = part.columns[column].astype(np.float64, copy=False)
    ids, place = ([None], np.zeros(total.size, np.intp)) if query is None else distinct_queries(query)
    first = np.unique(place, return_index=True)[1]
    differs = np.flatnonzero(total != total[first[place]])[:1]  # `joined_totals` refuses it
    rows = np.append(first, differs).tolist()
    found = [{ids[place[row]]: Total(float(total[row]), part.place.at(row))} for row in rows]
    return joined_totals(found, column)


def joined_totals(parts: Iterable[Totals], column: str) -> Totals:
    """Return the totals of several parts, or raise where two of one query differ."""
    totals: dict[Any, Total] = {}
    for part in parts:
        for query, total in part.items():
            said = totals.setdefault(query, total)
            if said.value != total.value:
                of = "" if query is None else f" for query {shown(query)}"
                where = "" if said.place.name == total.place.name else f" of {said.place.name}"
                beside = f"row {said.place.first_row + 1}{where} has {said.value:g}"
                problem = f"{total.value:g}{of}, but {beside}: all rows of a ranking repeat its total"
                raise total.place.error(column, problem, 0)
    return totals


def totals_of_file(options: argparse.Namespace, ids: Sequence[Any], name: str) -> dict[str, float]:
    """Return the total of each id as text: first those of the rows in the files of this name.

    Text is what the ids of two files have in common: one file may hold numbers where the other holds their
    digits.
    """
    columns = [options.query_id, options.n_positives]
    source = of_paths([options.totals], None, columns)

    def read(part: Part) -> Totals:
        return totals_in(part, options.n_positives, read_queries(part, options.query_id))

    def joined(parts: Sequence[Totals]) -> Totals:
        return joined_totals(parts, options.n_positives)

    found = _scanned(source, columns, read, joined, lambda *_: None)
    others = dict(zip(texts_of(found), (total.value for total in found.values()), strict=True))
    unknown = [one for one in texts_of(ids) if one not in others]
    if unknown:
        listed = ", ".join(map(shown, unknown[:5])) + (", ..." if len(unknown) > 5 else "")
        raise SourceError(
            f"{source.name}: column {shown(options.query_id)} lacks {listed}, but {name} has rows of it: "
            "--totals needs a total for each query"
        )
    own = {one: others.pop(one) for one in texts_of(ids)}
    return own | others


def texts_of(ids: Iterable[Any]) -> list[str]:
    """Return ids as text: a column of floats and one of integers have the same text for a number."""
    return [str(int(one) if isinstance(one, float) and one.is_integer() else one) for one in ids]


def positive_label(name: str, column: str, found: Mapping[Any, OfLabel], pos_label: str | None) -> Any:
    """Return the positive label. It need not be in the column if the only label is 0 or -1: then it is 1.

    Without an option, it is 1, or the word that says so, alone or beside its contrary.
    """
    for label, one in found.items():
        if isinstance(label, float) and not label.is_integer():
            raise one.place.error(column, f"{label} is not a label: labels are whole numbers or text", 0)
    labels = sorted(found)
    where = f"{name}: column {shown(column)}"
    if len(labels) > 2:
        text = ", ".join(map(shown, labels[:5])) + (", ..." if len(labels) > 5 else "")
        number = f"{len(labels)} labels" if len(labels) <= 5 else "more than 5 labels"
        raise SourceError(f"{where}: holds {number} ({text}), but two are wanted")
    positive = _by_words(labels) if pos_label is None else _as_typed(labels, pos_label)
    if positive in labels or (positive == 1 and labels in ([0], [-1])):
        return positive
    holds = f"{where}: holds the label{'s' * (len(labels) > 1)} {', '.join(map(shown, labels))}"
    if pos_label is None:
        raise SourceError(f"{holds}: name the positive one with --pos-label")
    near = [one for one in labels if str(one).strip().casefold() == pos_label.strip().casefold()]
    hint = "".join(f"; {shown(one)} differs in case or blanks only" for one in near)
    raise SourceError(f"{holds}, but --pos-label is {shown(pos_label)}{hint}")


def _by_words(labels: list[Any]) -> Any:
    """Return the label that says that it is positive, if one does; 1 may be missing."""
    words = {str(label).strip().lower(): label for label in labels}
    for negative, word in _CONTRARY:
        if word in words and set(words) <= {negative, word}:
            return words[word]
    return None if isinstance(labels[0], str) else 1


def _as_typed(labels: list[Any], pos_label: str) -> Any:
    """Return what was typed as the column's own kind of label."""
    if isinstance(labels[0], str):
        return pos_label
    of_booleans = {"false": False, "true": True} if isinstance(labels[0], bool) else {}
    positive = of_booleans.get(pos_label.strip().lower(), number_of(pos_label))
    return next((label for label in labels if label == positive), positive)


def item_numbers(items: QueryIds) -> IntArray:
    """Return one number per distinct id; as text, the numbers have the same order as the ids."""
    distinct, code = numbered(items)
    texts = list(map(str, distinct))
    first = 10 ** len(str(len(texts)))  # all numbers get the same length, so text order is their order
    place = {text: first + rank for rank, text in enumerate(sorted(set(texts)))}
    number: IntArray = np.array([place[text] for text in texts])
    return number[code]

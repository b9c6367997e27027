"""The rows of a call, by one scan of a source: checked and counted, and gathered as arrays if these fit.

Whether they fit changes no value and no error: what is refused is refused here, before any number is
computed. Dates, integers and text are what `distributed` makes of them, since it reads the same source.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import inf
from typing import Any, Literal, NamedTuple

import numpy as np

from .._reading._queries import ObjectIds, QueryIds, listed
from .._typing import AnyArray, FloatArray
from ..distributed._engines._files import Files
from ..distributed._plans._part import joined_ids, read_queries, refuse_ids, refuse_missing, refuse_numbers
from ..distributed._source import Part, Place, SourceError, Told, shown
from ..distributed._states._columns import cast, common_type
from ._totals import Totals, joined_totals, totals_in

# Bytes per row, measured for 2 million rows as the growth of the process: a label and a score of float64
# while all numbers are computed, and what other columns add.
_OF_ROW = 55
_OF_COLUMN = {"sample_weight": 30, "query_id": 25, "item_id": 300, "n_positives": 30}

# Arguments that columns fill.
Role = Literal["y_true", "y_score", "sample_weight", "query_id", "item_id", "n_positives"]
_NUMBERS: tuple[Role, ...] = ("y_true", "y_score", "sample_weight")
_MOST_LABELS = 6  # as many as an error shows: two are wanted


class OfLabel(NamedTuple):
    """The rows that have a label."""

    n: int
    weight: float
    place: Place  # of the first of these rows


class Arrays(NamedTuple):
    """Columns of rows; labels are numbers of `labels`."""

    labels: list[Any]
    code: AnyArray
    score: AnyArray
    weight: FloatArray | None
    query: QueryIds | None
    item: QueryIds | None


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
        return Arrays(
            labels,
            np.concatenate(codes),
            _joined_scores([part.score for part in self.arrays]),
            None if self.arrays[0].weight is None else np.concatenate(list(_of_each(self.arrays, "weight"))),
            None if self.arrays[0].query is None else joined_ids(list(_of_each(self.arrays, "query"))),
            None if self.arrays[0].item is None else joined_ids(list(_of_each(self.arrays, "item"))),
        )

    def counted(self) -> "FileRows":
        """Return the counts alone."""
        queries = dict(self.queries)
        for part in self.arrays or ():
            for label, ids in _queries_by_label(part):
                queries[label] = queries.get(label, frozenset()) | ids
        return self._replace(arrays=None, queries=queries)


def _joined_scores(parts: list[AnyArray]) -> AnyArray:
    """Return all scores in one type, which rounds none of them."""
    if {part.dtype.name for part in parts} <= {"int64", "uint64"}:
        dtype = parts[0].dtype
        for part in parts[1:]:
            dtype = common_type(dtype, part.dtype, lambda: min(int(one.min()) for one in parts))
        parts = [cast(part, dtype) for part in parts]
    return np.concatenate(parts)


def _of_each(parts: Sequence[Arrays], name: str) -> Iterator[Any]:
    return (getattr(part, name) for part in parts)


def _queries_by_label(part: Arrays) -> Iterator[tuple[Any, frozenset[Any]]]:
    if part.query is None:
        return
    code = part.code if part.weight is None else np.where(part.weight > 0, part.code, -1)
    for number, label in [(-1, None), *enumerate(part.labels)]:
        ids = part.query[np.flatnonzero(code == number)]
        distinct = ids.distinct if isinstance(ids, ObjectIds) else listed(np.unique(ids))
        yield label, frozenset(distinct)


def rows_of_source(source: Files, names: Mapping[Role, str], limit: int, told: Told) -> FileRows:
    """Return what all rows hold, or raise SourceError for the first row that is refused."""
    columns = source.columns()
    for name in names.values():
        if name not in columns:
            raise column_missing(source.name, name, list(columns))
    n_rows = source.n_rows()
    fits = n_rows is None or bytes_needed(n_rows, names) <= limit
    step = _CheckedPart(dict(names), limit if fits else 0)
    found: FileRows | str | None = source.scan(list(dict.fromkeys(names.values())), step, step.joined, told)
    if found is None:
        raise SourceError(f"{source.name}: hold{'s' * (source.n_files == 1)} no rows")
    if isinstance(found, str):
        raise SourceError(found)
    weight = sum(one.weight for one in found.labels.values())
    problem = ": all rows weigh 0" if weight == 0 else " adds up to infinity; divide it by a constant"
    if "sample_weight" in names and not 0 < weight < inf and len(found.labels) < _MOST_LABELS:
        raise SourceError(f"{source.name}: column {shown(names['sample_weight'])}{problem}")
    return found


def column_missing(where: str, name: str, available: Sequence[str]) -> SourceError:
    """Return the error about a column that is not there."""
    first = ", ".join(map(shown, available[:10])) + (", ..." if len(available) > 10 else "")
    return SourceError(f"{where}: column {shown(name)} is missing; the columns are {first}")


@dataclass(frozen=True)
class _CheckedPart:
    """What is done with a part; errors are results, and the first one is raised."""

    names: dict[Role, str]
    limit: int  # bytes that all rows may take

    def __call__(self, part: Part) -> FileRows | str:
        try:
            rows = self._rows(part)
        except SourceError as error:
            return str(error)
        return rows if self._fit(rows.n) else rows.counted()

    def joined(self, parts: Sequence[FileRows | str]) -> FileRows | str:
        """Return what several parts hold."""
        wrong = next((part for part in parts if isinstance(part, str)), None)
        before = takewhile(lambda part: not isinstance(part, str), parts)
        good = [part for part in before if not isinstance(part, str)]
        try:
            totals = joined_totals([part.totals for part in good], self.names.get("n_positives", ""))
        except SourceError as error:
            return str(error)
        if wrong is not None:
            return wrong
        n = sum(part.n for part in good)
        fits = all(part.arrays is not None for part in good) and self._fit(n)
        if not fits:
            good = [part.counted() for part in good]
        labels: dict[Any, OfLabel] = {}
        queries: dict[Any, frozenset[Any]] = {}
        for part in good:
            for label, one in part.labels.items():
                first = labels.get(label)
                if first is not None:
                    labels[label] = first._replace(n=first.n + one.n, weight=first.weight + one.weight)
                elif len(labels) < _MOST_LABELS:
                    labels[label] = one
            for label, ids in part.queries.items():
                queries[label] = queries.get(label, frozenset()) | ids
        arrays = tuple(array for part in good for array in part.arrays or ()) if fits else None
        return FileRows(n, labels, totals, arrays, queries)

    def _fit(self, n: int) -> bool:
        return bytes_needed(n, self.names) <= self.limit

    def _rows(self, part: Part) -> FileRows:
        names = self.names
        refuse_ids(
            part, [name for role, name in names.items() if role not in ("query_id", "item_id", "n_positives")]
        )
        labels, code, first = _labels(part, names["y_true"])
        refuse_numbers(part, names["y_score"], negative=True)
        weight = None
        if "sample_weight" in names:
            refuse_numbers(part, names["sample_weight"], negative=False)
            weight = part.columns[names["sample_weight"]].astype(np.float64, copy=False)
        query = read_queries(part, names["query_id"]) if "query_id" in names else None
        item = _items(part, names["item_id"]) if "item_id" in names else None
        totals = totals_in(part, names["n_positives"], query) if "n_positives" in names else {}
        by_label = {}
        for place, (label, row) in enumerate(zip(labels, first, strict=True)):
            own = code == place
            n = int(np.count_nonzero(own))
            with np.errstate(over="ignore"):  # `rows_of_source` refuses such weights
                sums = n if weight is None else float(weight[own].sum())
            by_label[label] = OfLabel(n, sums, _at(part.place, row))
        score = part.columns[names["y_score"]]
        arrays = Arrays(labels, code, score, weight, query, item)
        return FileRows(len(code), by_label, totals, (arrays,), {})


def _at(place: Place, row: int) -> Place:
    return place._replace(first_row=place.first_row + row)


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
        return labels, code, [int(np.argmax(code == place)) for place in range(len(labels))]
    labels, first, code = [], [], np.zeros(values.size, dtype=np.int8)
    left = np.ones(values.size, dtype=bool)
    while len(labels) < _MOST_LABELS and left.any():
        first.append(int(np.argmax(left)))
        same = values == values[first[-1]]
        code[same] = len(labels)
        labels.append(values[first[-1]].item())
        left &= ~same
    return labels, code, first


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

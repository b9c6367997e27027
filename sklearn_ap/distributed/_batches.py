"""The batches of an engine as narrow arrays, whose values are checked."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._core.reading.options import short_repr
from .._core.reading.read import read
from .._core.reading.values import LEAST_WEIGHT, MOST_WEIGHT
from .._core.typing import AnyArray, BoolArray, FloatArray, IntArray, Label, PassedRows
from .._shown.sources import SourceError, format_value

if TYPE_CHECKING:
    from pyarrow import Array, RecordBatch

# A column with more labels than this contains ids or numbers, so its other labels are
# not counted.
_MOST_LABELS = 100
# The problems of values.
_MISSING = "missing or NaN"
_WRONG_WEIGHT = "negative, or not in 2**-500 to 2**500,"
# If the same weights are added in different orders, the sums differ by less than this
# share.
_ROUNDING = 1e-9


class Columns(NamedTuple):
    """The names of the columns to read, and the positive label."""

    y_true: str
    y_score: str
    sample_weight: str | None
    query_id: str | None
    pos_label: Label

    @property
    def names(self) -> list[str]:
        """All columns, each once."""
        return list(dict.fromkeys(name for name in self[:4] if name is not None))

    def check(self) -> None:
        """Raise TypeError if the name of a column is not a text."""
        for role, column in self._asdict().items():
            is_absent = column is None and role in ("sample_weight", "query_id")
            if not (role == "pos_label" or is_absent or isinstance(column, str)):
                raise TypeError(
                    f"{role} must be the name of a column; got {short_repr(column)}."
                )

    def check_in(self, available: Iterable[str]) -> None:
        """Raise SourceError unless each column occurs once in the data."""
        listed = [*available]
        for name in self.names:
            if listed.count(name) != 1:
                raise SourceError(
                    f"data: column {format_value(name)} occurs {listed.count(name)} "
                    "times; the columns are "
                    f"{', '.join(map(format_value, listed))}"
                )


class Rows(NamedTuple):
    """Rows as arguments of a function in memory."""

    # Whether each row is positive.
    y_true: BoolArray
    y_score: AnyArray
    sample_weight: FloatArray | None = None
    query_id: AnyArray | None = None

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays."""
        return sum(column.nbytes for column in self if column is not None)

    def take(self, places: AnyArray) -> Rows:
        """Return the rows at these places, without ids of queries."""
        weight = self.sample_weight
        if weight is not None:
            weight = weight[places]
        return Rows(self.y_true[places], self.y_score[places], weight)


def joined(parts: deque[Rows]) -> Rows:
    """Return the rows of all parts. Each part is removed once it was copied, so that
    rows are not in memory twice.
    """
    columns = [deque(column) for column in zip(*parts, strict=True)]
    parts.clear()
    return Rows(*map(_joined_column, columns))


def _joined_column(parts: deque[Any]) -> Any:
    """Return one array with all parts, which are removed; None without this column."""
    if parts[0] is None:
        return None
    column = np.empty(sum(part.size for part in parts), parts[0].dtype)
    start = 0
    while parts:
        part = parts.popleft()
        column[start : start + part.size] = part
        start += part.size
    return column


def chunks(batches: Iterable[Rows], n_rows: int) -> Iterator[Rows]:
    """Yield the rows of weight above 0, without ids of queries. Batches are joined until
    they have at least `n_rows` rows; the last chunk may have fewer.
    """
    pending, n_pending = deque[Rows](), 0
    for batch in batches:
        rows = batch._replace(query_id=None)
        if rows.sample_weight is not None:
            rows = rows.take(rows.sample_weight > 0)
        pending.append(rows)
        n_pending += rows.y_score.size
        if n_pending >= n_rows:
            yield joined(pending)
            n_pending = 0
    if pending:
        yield joined(pending)


# --- streams of Arrow -----------------------------------------------------------------


def arrow_batches(data: Any, columns: Columns) -> Iterator[RecordBatch]:
    """Yield the batches of a frame, a table, a relation, a dataset or a reader."""
    try:
        from pyarrow import RecordBatchReader
    except ImportError:
        raise ImportError(
            "pyarrow is missing, which reads the rows: pip install 'sklearn-ap[arrow]'"
        ) from None
    for stream in _narrow_streams(data, columns):
        with RecordBatchReader.from_stream(stream) as reader:
            columns.check_in(reader.schema.names)
            yield from reader


def _narrow_streams(data: Any, columns: Columns) -> Iterable[Any]:
    """Return the streams of the rows. They contain only the needed columns, if it would
    cost time to read the others, too.
    """
    if hasattr(data, "collect_batches"):
        # A LazyFrame of polars. Names that look like patterns are names here.
        from polars.selectors import by_name

        columns.check_in(data.collect_schema())
        batches: Iterable[Any] = data.select(by_name(*columns.names)).collect_batches()
        return batches
    if hasattr(data, "scanner"):
        columns.check_in(data.schema.names)
        return [data.scanner(columns=columns.names).to_reader()]
    if not hasattr(data, "__arrow_c_stream__"):
        raise TypeError(
            "data must be a frame of pandas, polars or Spark, a relation of DuckDB, or "
            "another table, dataset or stream that Arrow reads (__arrow_c_stream__), "
            "such as duckdb.read_parquet(path) or polars.scan_parquet(path); got "
            f"{type(data).__name__}."
        )
    if hasattr(data, "iloc"):
        # pandas converts each column, and fails if it cannot convert one. It would
        # convert its index to another column.
        columns.check_in(data.columns)
        return [data[columns.names].reset_index(drop=True)]
    if hasattr(data, "to_arrow_reader"):
        # A relation of DuckDB, which ignores case, so that it could select another
        # column with such a name.
        columns.check_in(data.columns)
        if len({name.casefold() for name in data.columns}) == len(data.columns):
            quoted = (name.replace('"', '""') for name in columns.names)
            return [data.select(*(f'"{name}"' for name in quoted))]
    return [data]


# --- checked values -------------------------------------------------------------------


@dataclass
class Pass:
    """One pass over the rows, or over a part of them. It reads batches as checked rows,
    and collects their labels, wrong values and totals.
    """

    columns: Columns
    # The distinct labels as keys, in the order of their first rows.
    labels: dict[Any, None] = field(default_factory=dict)
    # The number of rows of each column and problem.
    problems: Counter[tuple[str, str]] = field(default_factory=Counter)
    # The numbers of negatives and positives of weight above 0, and their weights.
    n_rows: FloatArray = field(default_factory=lambda: np.zeros(2))
    weight: FloatArray = field(default_factory=lambda: np.zeros(2))

    def read(self, batches: Iterable[RecordBatch]) -> Generator[Rows]:
        """Yield the rows of each batch until a value is wrong."""
        for batch in batches:
            if len(self.labels) > _MOST_LABELS:
                return
            rows = self._rows_of(batch)
            if not self.problems.total():
                self._count(rows)
                yield rows

    def _rows_of(self, batch: RecordBatch) -> Rows:
        """Return the rows of a batch, and collect its labels and wrong values. Only rows
        without wrong values may be used.
        """
        y_true, y_score, sample_weight, query_id, pos_label = self.columns
        weight = query = None
        names, codes = self._coded(batch, y_true)
        labels = names.tolist()
        self.labels.update(dict.fromkeys(labels))
        is_positive = np.array([label == pos_label for label in labels], dtype=bool)
        score = self._numbers(batch, y_score)
        if sample_weight is not None:
            weight = self._numbers(batch, sample_weight).astype(np.float64, copy=False)
            is_within = (weight >= LEAST_WEIGHT) & (weight <= MOST_WEIGHT)
            is_wrong = np.isfinite(weight) & (weight != 0) & ~is_within
            self.problems[sample_weight, _WRONG_WEIGHT] += int(
                np.count_nonzero(is_wrong)
            )
        if query_id is not None:
            names, codes_of_ids = self._coded(batch, query_id)
            # Equal ids of a batch are one object.
            query = names.take(codes_of_ids)
        return Rows(is_positive.take(codes), score, weight, query)

    def _present(self, batch: RecordBatch, name: str) -> Array:
        """Return the values of a column that are not missing, and count the missing
        ones. Raise SourceError for lists and structs.
        """
        from pyarrow import types

        column = batch.column(name)
        if types.is_dictionary(column.type):
            column = column.dictionary_decode()
        if types.is_nested(column.type):
            raise SourceError(
                f"data: column {format_value(name)} must contain one value per row; it "
                f"has the type {column.type}"
            )
        self.problems[name, _MISSING] += column.null_count
        return column.drop_null()

    def _coded(self, batch: RecordBatch, name: str) -> tuple[AnyArray, IntArray]:
        """Return the distinct values of a column, and the place of the value of each row
        among them.
        """
        encoded = self._present(batch, name).dictionary_encode()
        names = encoded.dictionary.to_numpy(zero_copy_only=False)
        codes = encoded.indices.to_numpy()
        if names.dtype.kind == "f":
            is_missing = np.isnan(names).take(codes)
            self.problems[name, _MISSING] += int(np.count_nonzero(is_missing))
        return names, codes

    def _numbers(self, batch: RecordBatch, name: str) -> AnyArray:
        """Return a column of numbers, and count its wrong values. Decimals become the
        nearest float64. Raise SourceError for other types.
        """
        from pyarrow import types

        column = self._present(batch, name)
        if types.is_decimal(column.type) or types.is_null(column.type):
            # A cast without the text would round some decimals to the second nearest
            # float.
            column = column.cast("string").cast("float64")
        # Without a copy, the array would keep all columns of its batch in memory.
        numbers: AnyArray = column.to_numpy(zero_copy_only=False).copy()
        if numbers.dtype.kind not in "biuf":
            raise SourceError(
                f"data: column {format_value(name)} must contain numbers; it has the "
                f"type {column.type}"
            )
        self.problems[name, _MISSING] += int(np.count_nonzero(np.isnan(numbers)))
        self.problems[name, "infinite"] += int(np.count_nonzero(np.isinf(numbers)))
        return numbers

    def _count(self, rows: Rows) -> None:
        """Add rows to the totals."""
        positive, weight = rows.y_true, rows.sample_weight
        n_positives = np.count_nonzero(positive)
        n_rows = weights = np.array([positive.size - n_positives, n_positives], float)
        if weight is not None:
            n_rows = np.bincount(positive, weight > 0, minlength=2)
            weights = np.bincount(positive, weight, minlength=2)
        self.n_rows += n_rows
        self.weight += weights

    def add(self, part: Pass) -> None:
        """Add what the pass over another part has collected."""
        self.labels.update(part.labels)
        self.problems.update(part.problems)
        self.n_rows += part.n_rows
        self.weight += part.weight

    def check(self) -> None:
        """Raise SourceError if values are wrong, or if the labels are not binary."""
        texts = [
            f"column {format_value(name)} is {problem} in {n_rows:,} "
            f"row{'' if n_rows == 1 else 's'}"
            for (name, problem), n_rows in self.problems.items()
            if n_rows
        ]
        if texts:
            raise SourceError(
                f"data: {', '.join(texts)}: fill these values, or drop these rows"
            )
        if not self.labels:
            raise SourceError("data: contains no rows")
        if not self.n_rows.any():
            name = format_value(self.columns.sample_weight)
            raise SourceError(f"data: column {name}: all weights are 0")
        label = f"data: column {format_value(self.columns.y_true)}"
        labels = [*self.labels]
        if len(labels) > 2:
            raise SourceError(f"{label} must have two labels; got {short_repr(labels)}")
        pos_label = self.columns.pos_label
        passed = PassedRows(labels, np.zeros(len(labels)), pos_label=pos_label)
        try:
            # The functions in memory decide whether `pos_label` belongs to the labels.
            read(passed, caller="distributed.score")
        except ValueError as error:
            raise SourceError(f"{label}: {error}") from None

    def check_again(self, second: Pass) -> None:
        """Raise SourceError unless a second pass has found the same rows."""
        if np.array_equal(self.n_rows, second.n_rows) and np.allclose(
            self.weight, second.weight, rtol=_ROUNDING, atol=0
        ):
            return
        first, again = (
            f"{found.n_rows.sum():,.0f} rows and {found.n_rows[1]:,.0f} positives"
            for found in (self, second)
        )
        raise SourceError(
            f"data: has {first} in a first pass and {again} in a second one, but rows "
            "that exceed memory_limit are read twice: pass data that can be read again, "
            "or add each batch to a RankingState"
        )

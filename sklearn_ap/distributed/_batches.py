"""The batches of an engine as narrow arrays, whose values are checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._core.reading.errors import labels_in_words
from .._core.reading.options import short_repr
from .._core.reading.read import read
from .._core.reading.values import LEAST_WEIGHT, MOST_WEIGHT
from .._core.typing import AnyArray, BoolArray, FloatArray, IntArray, Label, PassedRows
from .._shown.sources import SourceError, format_value

if TYPE_CHECKING:
    import pyarrow

# A column with more labels than this contains ids or numbers, so its other labels are
# not counted.
_MOST_LABELS = 100
# The problems of values.
_MISSING = "missing or NaN"
_WRONG_WEIGHT = "negative, or not in 2**-500 to 2**500,"


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
        for role in ("y_true", "y_score", "sample_weight", "query_id"):
            column = getattr(self, role)
            is_absent = column is None and role in ("sample_weight", "query_id")
            if not (is_absent or isinstance(column, str)):
                raise TypeError(
                    f"{role} must be the name of a column; got {short_repr(column)}."
                )

    def check_in(self, available: Sequence[str]) -> None:
        """Raise SourceError unless each column occurs once in the data."""
        for name in self.names:
            n_columns = [*available].count(name)
            if n_columns != 1:
                problem = "is missing"
                if n_columns:
                    problem = f"occurs {n_columns} times"
                listed = ", ".join(map(format_value, available))
                raise SourceError(
                    f"data: column {format_value(name)} {problem}; the columns are "
                    f"{listed}"
                )


class Rows(NamedTuple):
    """Some rows of the data."""

    positive: BoolArray
    score: AnyArray
    weight: FloatArray | None = None
    query: AnyArray | None = None

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays."""
        return sum(column.nbytes for column in self if column is not None)

    def take(self, places: AnyArray | slice) -> Rows:
        """Return the rows at these places, without ids of queries."""
        weight = None if self.weight is None else self.weight[places]
        return Rows(self.positive[places], self.score[places], weight)


def concatenate(parts: Sequence[Rows]) -> Rows:
    """Return the rows of all parts, without ids of queries."""
    positive, score, weight, _ = zip(*parts, strict=True)
    return Rows(
        np.concatenate(positive),
        np.concatenate(score),
        None if weight[0] is None else np.concatenate(weight),
    )


def chunks(batches: Iterable[Rows], n_rows: int) -> Iterator[Rows]:
    """Yield batches that are joined until they have at least `n_rows` rows; the last
    one may have fewer.
    """
    pending, n_pending = list[Rows](), 0
    for rows in batches:
        pending.append(rows)
        n_pending += rows.score.size
        if n_pending >= n_rows:
            yield concatenate(pending)
            pending, n_pending = [], 0
    if pending:
        yield concatenate(pending)


# --- streams of Arrow -----------------------------------------------------------------


def arrow_batches(data: Any, columns: Columns) -> Iterator[pyarrow.RecordBatch]:
    """Yield the batches of a frame, a table, a relation, a dataset or a reader."""
    try:
        import pyarrow
    except ImportError:
        raise ImportError(
            "pyarrow is missing, which reads the rows: pip install 'sklearn-ap[arrow]'"
        ) from None
    if hasattr(data, "collect_batches"):
        # A LazyFrame of polars. Names that look like patterns are names here.
        from polars.selectors import by_name

        columns.check_in(data.collect_schema().names())
        for frame in data.select(by_name(*columns.names)).collect_batches():
            yield from pyarrow.RecordBatchReader.from_stream(frame)
    elif hasattr(data, "scanner"):
        columns.check_in(data.schema.names)
        yield from data.scanner(columns=columns.names).to_reader()
    elif hasattr(data, "__arrow_c_stream__"):
        narrow = _narrow(data, columns)
        with pyarrow.RecordBatchReader.from_stream(narrow) as reader:
            columns.check_in(reader.schema.names)
            yield from reader
    else:
        raise TypeError(
            "data must be a frame of pandas, polars or Spark, a relation of DuckDB, or "
            "another table, dataset or stream that Arrow reads (__arrow_c_stream__), "
            "such as duckdb.read_parquet(path) or polars.scan_parquet(path); got "
            f"{type(data).__name__}."
        )


def _narrow(data: Any, columns: Columns) -> Any:
    """Return only the needed columns, if it costs time to read the others, too."""
    if hasattr(data, "iloc"):
        # pandas converts each column, and fails if it cannot convert one. It would
        # convert its index to another column.
        columns.check_in([*data.columns])
        return data[columns.names].reset_index(drop=True)
    if hasattr(data, "to_arrow_reader"):
        # A relation of DuckDB, which ignores case, so that it could select another
        # column with such a name.
        columns.check_in(data.columns)
        if len({name.casefold() for name in data.columns}) == len(data.columns):
            quoted = (name.replace('"', '""') for name in columns.names)
            return data.select(*(f'"{name}"' for name in quoted))
    return data


# --- checked values -------------------------------------------------------------------


@dataclass
class Found:
    """The labels and the wrong values of all rows that were read so far."""

    # The number of rows of each label.
    labels: Counter[Any] = field(default_factory=Counter)
    # The number of rows of each column and problem.
    problems: Counter[tuple[str, str]] = field(default_factory=Counter)
    # The sum of weights; without weights, the number of rows.
    weight: float = 0.0

    def add(self, other: Found) -> None:
        """Add the rows of another part."""
        self.labels.update(other.labels)
        self.problems.update(other.problems)
        self.weight += other.weight

    def check(self, columns: Columns) -> None:
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
        if not self.weight:
            name = format_value(columns.sample_weight)
            raise SourceError(f"data: column {name}: all weights are 0")
        label = f"data: column {format_value(columns.y_true)}"
        if len(self.labels) > 2:
            raise SourceError(
                f"{label} must have two labels; got {labels_in_words(self.labels)}"
            )
        names = [*self.labels]
        passed = PassedRows(names, np.zeros(len(names)), "macro", columns.pos_label)
        try:
            # The functions in memory decide whether `pos_label` belongs to the labels.
            read(passed, caller="distributed.score")
        except ValueError as error:
            raise SourceError(f"{label}: {error}") from None


def read_rows(
    batches: Iterable[pyarrow.RecordBatch], columns: Columns, found: Found
) -> Generator[Rows]:
    """Yield the rows of each batch until a value is wrong. Add the labels and the wrong
    values of all batches to `found`.
    """
    for batch in batches:
        if len(found.labels) > _MOST_LABELS:
            return
        if batch.num_rows:
            rows = _rows_of(batch, columns, found)
            if not found.problems.total():
                yield rows


def _rows_of(batch: pyarrow.RecordBatch, columns: Columns, found: Found) -> Rows:
    """Return the rows of a batch, and add its labels and wrong values to `found`. Only
    rows without wrong values may be used.
    """
    y_true, y_score, sample_weight, query_id, pos_label = columns
    weight = query = None
    names, codes = _coded(batch, y_true, found)
    labels = names.tolist()
    n_rows = np.bincount(codes, minlength=len(labels)).tolist()
    found.labels.update(dict(zip(labels, n_rows, strict=True)))
    is_positive = np.array([label == pos_label for label in labels], dtype=bool)
    score = _numbers(batch, y_score, found)
    if sample_weight is not None:
        weight = _numbers(batch, sample_weight, found).astype(np.float64, copy=False)
        is_valid = (weight == 0) | ((weight >= LEAST_WEIGHT) & (weight <= MOST_WEIGHT))
        n_wrong = int(np.count_nonzero(np.isfinite(weight) & ~is_valid))
        found.problems[sample_weight, _WRONG_WEIGHT] += n_wrong
        found.weight += weight.sum()
    else:
        found.weight += batch.num_rows
    if query_id is not None:
        names, codes_of_ids = _coded(batch, query_id, found)
        # Equal ids of a batch are one object.
        query = names.take(codes_of_ids)
    return Rows(is_positive.take(codes), score, weight, query)


def _column(batch: pyarrow.RecordBatch, name: str) -> pyarrow.Array:
    """Return a column with one value per row. Raise SourceError for lists and structs."""
    from pyarrow import types

    column = batch.column(name)
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if types.is_nested(column.type):
        raise SourceError(
            f"data: column {format_value(name)} must contain one value per row; it has "
            f"the type {column.type}"
        )
    return column


def _coded(
    batch: pyarrow.RecordBatch, name: str, found: Found
) -> tuple[AnyArray, IntArray]:
    """Return the distinct values of a column, and the place of the value of each row
    among them. Count missing values, which are left out.
    """
    column = _column(batch, name)
    encoded = column.drop_null().dictionary_encode()
    names = encoded.dictionary.to_numpy(zero_copy_only=False)
    codes = encoded.indices.to_numpy()
    n_missing = column.null_count
    if names.dtype.kind == "f":
        n_missing += int(np.count_nonzero(np.isnan(names).take(codes)))
    found.problems[name, _MISSING] += n_missing
    return names, codes


def _numbers(batch: pyarrow.RecordBatch, name: str, found: Found) -> AnyArray:
    """Return a column of numbers, and count its wrong values. Decimals become the
    nearest float64. Raise SourceError for other types.
    """
    import pyarrow
    from pyarrow import types

    column = _column(batch, name)
    if types.is_boolean(column.type):
        column = column.cast(pyarrow.uint8())
    if types.is_decimal(column.type) or types.is_null(column.type):
        # A cast without the text would round some decimals to the second nearest float.
        column = column.cast(pyarrow.string()).cast(pyarrow.float64())
    # Missing numbers become NaN. Without a copy, the array would keep all columns of its
    # batch in memory.
    numbers: AnyArray = column.to_numpy(zero_copy_only=False).copy()
    if numbers.dtype.kind not in "iuf":
        raise SourceError(
            f"data: column {format_value(name)} must contain numbers; it has the type "
            f"{column.type}"
        )
    if numbers.dtype.kind == "f":
        found.problems[name, _MISSING] += int(np.count_nonzero(np.isnan(numbers)))
        found.problems[name, "infinite"] += int(np.count_nonzero(np.isinf(numbers)))
    return numbers

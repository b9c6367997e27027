"""Batches of narrow columns, which every engine yields, checked where they are read.

A `BatchReader` turns the columns of one batch into a `Batch`: scores in their own type,
labels as booleans, weights, and the ids of queries. For a wrong value, it raises an
error of one line that names the file and the column.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from .._core.reading.fields import what_is
from .._core.reading.values import LEAST_WEIGHT, MOST_WEIGHT
from .._core.typing import AnyArray, BoolArray, FloatArray, IntArray, Label
from .._shown.sources import SourceError, format_value, is_number
from .decimals import Decimals
from .missing_columns import other_columns

DType = np.dtype[np.generic]
# An array of pyarrow, or an array of numpy that contains text.
Values = Any

# Readers yield at most this many rows at once.
BATCH_ROWS = 2**17
# Bytes of an id that is text: its Python object, and a pointer to it.
_ID_BYTES = 64
# float64 never rounds a decimal that has at most this many digits.
_DIGITS = 15
# A batch is searched for this many distinct labels, since a third label is an error.
_MAX_LABELS = 3
# The types of Arrow that have NaN.
_FLOATS = "halffloat", "float", "double"
_TEXTS = "string", "large_string", "string_view"
# An error shows at most this many items of a list.
_N_SHOWN = 3
_is_integer = re.compile(r"[+-]?[0-9]+").fullmatch
# Text that `str` would also return for the integer: 7, but not 007 or +7.
_is_integer_id = re.compile(r"-?[1-9][0-9]{0,17}|0").fullmatch


_MISSING_FIELDS = frozenset([None, "", "nan", "NaN"])
# pandas reads these words as missing values, too. They are missing only in columns of
# numbers, since an id or a label may be called NA or None.
_MISSING_WORDS = (
    "#N/A #NA -1.#IND -1.#QNAN -NaN -nan 1.#IND 1.#QNAN <NA> N/A NA NULL None n/a null"
)
_MISSING_NUMBERS = _MISSING_FIELDS.union(_MISSING_WORDS.split())
_OPTIONS_OF_IDS = "--query-id", "--per", "--unit-id"
# A character that no finite number in text contains.
_has_others = re.compile(r"[^0-9eE.+-]").search
_is_infinite = re.compile(r"[+-]?(inf|infinity|nan)", re.IGNORECASE).fullmatch


def is_missing_text(
    values: AnyArray, missing: frozenset[str | None] = _MISSING_FIELDS
) -> BoolArray:
    """Return which fields are one of these texts. By default, these are the empty
    field, and NaN as pandas and numpy write it.
    """
    fields = values.tolist()
    if missing.isdisjoint(fields):
        return np.zeros(values.size, dtype=bool)
    return np.fromiter(map(missing.__contains__, fields), bool, values.size)


class MissingColumnError(SourceError):
    """A file does not have a column. Another file may have it."""


class ThirdLabelError(SourceError):
    """A column of labels has more than two distinct values."""


class InexactError(ValueError):
    """A type would round a score, or every single type would round one of the scores."""


def column_error(where: str, column: str, problem: str) -> SourceError:
    """Return an error about a column. `where` is the path in quotes, or another name of
    the rows.
    """
    return SourceError(f"{where}: column {format_value(column)}: {problem}")


class Roles(NamedTuple):
    """The names of the columns to read, the positive label, and rules for other values."""

    y_true: str
    y_score: str
    sample_weight: str | None = None
    query_id: str | None = None
    pos_label: Label = 1
    # The positive labels, if one of several classes is scored against the others. Then
    # `pos_label` has no effect, and all other labels are negative.
    of_class: frozenset[Label] | None = None
    # The column of the amount of each row, such as money.
    amount: str | None = None
    # The option that names each column on a command line, by the name of the column.
    options: Mapping[str, str] = {}
    # Whether rows without a value in a column of `options` are dropped.
    drops_missing: bool = False
    # Whether several labels may be negative, because a user has named the positive one.
    takes_others: bool = False

    @property
    def columns(self) -> list[str]:
        """The names of all columns to read, each once."""
        names: tuple[str | None, ...]
        names = *self[:3], self.amount, self.query_id
        if self.drops_missing:
            names = *names, *self.options
        return list(dict.fromkeys(name for name in names if name is not None))

    def missing_fields(self, column: "Column") -> frozenset[str | None]:
        """Return the texts that mean a missing value in a column of text."""
        option = self.options.get(column.name)
        has_words = column.name == self.query_id or option in _OPTIONS_OF_IDS
        if column.name == self.y_true and column.is_text:
            others = {*column.values.tolist()} - _MISSING_NUMBERS
            labels = [self.pos_label, *map(typed_label, others)]
            has_words = any(isinstance(label, str) for label in labels)
        return _MISSING_FIELDS if has_words else _MISSING_NUMBERS

    def check_columns(
        self, where: str, available: Iterable[str], types: Iterable[object] = ()
    ) -> None:
        """Raise SourceError unless each name is the name of exactly one column. Upper
        and lower case differ.

        The types, of any library, show which columns contain numbers.
        """
        names = list(available)
        for name in self.columns:
            count = names.count(name)
            problem = f"occurs {count} times; names of columns, and of folders such as day=1, must be unique"
            if not count:
                has_roles = not {self.y_true, self.y_score}.isdisjoint(names)
                others = other_columns(name, names, types, has_roles=has_roles)
                problem = (
                    f"is missing; pass another name by {self.option_of(name)}; {others}"
                )
                parts = name.split(",")
                if len(parts) > 1 and {*parts} <= {*names}:
                    problem = (
                        f"is {len(parts)} columns; write one that joins them, with "
                        f"values such as {' '.join(parts)}"
                    )
            if count != 1:
                kind = SourceError if count else MissingColumnError
                raise kind(f"{where}: column {format_value(name)} {problem}")

    def option_of(self, name: str) -> str:
        """Return the option or the argument that names a column."""
        roles = {getattr(self, role): role for role in self._fields[:4]}
        return self.options.get(name, roles.get(name, "amount"))

    def concatenate(self, batches: Sequence["Batch"], where: str) -> "Batch":
        """Return the rows of all batches of a source. Raise SourceError if each single
        type would round a score.
        """
        try:
            return concatenate(batches)
        except InexactError as error:
            raise column_error(where, self.y_score, f"contains {error}") from None


class Batch(NamedTuple):
    """Checked rows without those of weight 0.

    The reader of a source keeps one row of weight 0 per query, so that the id of a
    query without other rows is not lost.
    """

    # Finite numbers.
    score: AnyArray
    positive: BoolArray
    weight: FloatArray | None = None
    # Ids: numbers, dates, or text as objects.
    query: AnyArray | None = None
    # The number of equal rows that each row represents; None if each represents itself.
    n_rows: IntArray | None = None
    # The amount of each row, such as money.
    amount: FloatArray | None = None

    def counted(self) -> "Batch":
        """Return the rows whose weight is not 0."""
        if self.weight is None or self.weight.all():
            return self
        return self.take(np.flatnonzero(self.weight))

    def take(self, rows: slice | AnyArray) -> "Batch":
        """Return some of the rows."""
        return Batch(**{name: column[rows] for name, column in self.columns().items()})

    def ranked(self) -> "Batch":
        """Return the rows without the columns that a single ranking does not need."""
        return self._replace(query=None, amount=None)

    def columns(self) -> dict[str, AnyArray]:
        """Return the columns that are not None, by name."""
        return {
            name: column
            for name, column in self._asdict().items()
            if column is not None
        }

    @property
    def counts(self) -> IntArray:
        """Number of equal rows that each row represents."""
        if self.n_rows is None:
            return np.ones(self.score.size, dtype=np.int64)
        return self.n_rows

    @property
    def nbytes(self) -> int:
        """Memory of the rows in bytes. An id that is text is an object of Python."""
        columns = self.columns().values()
        return sum(
            column.nbytes + column.size * _ID_BYTES * (column.dtype == object)
            for column in columns
        )

    def distinct(self) -> "Batch":
        """Return each distinct combination of score, label and weight with its number
        of rows, sorted by score.
        """
        keys = [self.score, ~self.positive]
        if self.weight is not None:
            keys.append(self.weight)
        # This sort is fast for sorted runs, such as those of merged states.
        order = np.lexsort(keys[::-1])
        rows = self.ranked().take(order)
        # Equal rows are neighbours in this order, so a row is a new one if any key
        # differs from the row before.
        is_new = np.any([np.diff(key[order]) != 0 for key in keys], axis=0)
        starts = np.flatnonzero(np.append(True, is_new)[: order.size])
        n_rows = np.add.reduceat(rows.counts, starts)
        rows = rows.take(starts)._replace(n_rows=None)
        if (n_rows > 1).any():
            rows = rows._replace(n_rows=n_rows)
        return rows


class Column(NamedTuple):
    """The values of a column as they were read, with its name and source for errors."""

    values: Values
    name: str
    # The path in quotes, or another name of the rows.
    where: str
    # Whether `values` is an array of text, as in CSV files and names of folders. A
    # missing value is None in it.
    is_text: bool = False
    # None if commas separate the columns, so that a number contains no comma.
    decimals: Decimals | None = None

    def error(self, problem: str) -> SourceError:
        """Return an error about this column."""
        return column_error(self.where, self.name, problem)

    def texts(self) -> tuple[AnyArray, list[str]] | None:
        """Return the index of each row's text, and the distinct texts. Return None if
        the values are not text.
        """
        values = self.values
        if self.is_text:
            code_of = {text: i for i, text in enumerate(dict.fromkeys(values.tolist()))}
            codes = map(code_of.__getitem__, values.tolist())
            return np.fromiter(codes, np.int64, values.size), [*code_of]
        if str(values.type) in _TEXTS:
            values = values.dictionary_encode()
        # Types of lists have a `value_type`, too, but their arrays have no codes.
        if not hasattr(values, "indices") or str(values.type.value_type) not in _TEXTS:
            return None
        codes = values.indices.to_numpy(zero_copy_only=False)
        return codes, values.dictionary.to_pylist()

    def array(self, expected: str | None = None) -> AnyArray:
        """Return the values as an array of numpy. Raise SourceError if numpy has no
        type for them; `expected` describes the values that this column needs.
        """
        values = self.values
        if str(values.type).startswith("decimal"):
            return self._floats_of_decimals()
        array: AnyArray = values.to_numpy(zero_copy_only=False)
        if array.dtype == object and array.size:
            field = array[0]
            if expected is None:
                expected = (
                    "numbers, text or dates; pass "
                    f"CAST({self.name} AS VARCHAR), or frame[{self.name!r}].astype(str)"
                )
            problem = f"contains {format_value(field)}; expected {expected}"
            if isinstance(field, np.ndarray | list):
                shown = format_value(np.asarray(field)[:_N_SHOWN].tolist())
                problem = f"contains {shown}, which is {what_is(field)}"
                if isinstance(next(iter(field), None), str):
                    problem += "; sklearn_ap.read_lists takes lists of ids"
            raise self.error(problem)
        return array

    def _floats_of_decimals(self) -> AnyArray:
        """Return decimals of pyarrow as the nearest float64. Raise SourceError if a
        decimal has more digits than float64 can represent.
        """
        from pyarrow import compute

        decimals = self.values
        # Arrow's own cast may return a neighbour of the nearest float64, and a
        # conversion by objects of Python takes eight times as long as one by text.
        floats = decimals.cast("string").cast("float64")
        if decimals.type.precision > _DIGITS:
            shortest = floats.cast("string").cast(decimals.type)
            others = decimals.filter(compute.not_equal(shortest, decimals))
            if len(others):
                raise self.error(
                    f"contains {others[0].as_py():f}, which float64 would round; pass "
                    f"round({self.name}, n) of at most {_DIGITS} digits"
                )
        array: AnyArray = floats.to_numpy(zero_copy_only=False)
        return array

    def numbers(self) -> AnyArray:
        """Return finite numbers in a type that represents them exactly. Raise
        SourceError if there are other values.
        """
        if self.is_text:
            return self._numbers_of_text()
        numbers = self.array(
            f"one number per row, such as frame[{self.name!r}].astype(float), or .str[-1] "
            "of lists"
        )
        if numbers.dtype.kind not in "biuf":
            raise self.error(f"has type {numbers.dtype}; expected numbers")
        self.check_finite(numbers)
        # The engines cannot sort booleans or half floats.
        dtype = {"b1": "i1", "f2": "f4"}.get(numbers.dtype.str[1:], numbers.dtype)
        # Adding 0 turns -0.0 into 0.0, so that equal scores have equal bits.
        return np.add(numbers, 0, dtype=dtype)

    def check_finite(self, numbers: AnyArray) -> None:
        """Raise SourceError if a number is infinite or NaN, such as -nan in text."""
        # If a number is not finite, neither is the minimum or the maximum. This needs
        # no copy.
        if numbers.size and not (
            np.isfinite(numbers.min()) and np.isfinite(numbers.max())
        ):
            first = numbers[~np.isfinite(numbers)][0]
            raise self.error(f"contains {first}; numbers must be finite")

    def is_missing(self, fields: frozenset[str | None]) -> BoolArray:
        """Return which values are missing or NaN. In a column of text, these fields are
        missing values.
        """
        if self.is_text:
            return is_missing_text(self.values, fields)
        values, kind = self.values, str(self.values.type)
        # Older versions of Arrow do not find NaN among half floats.
        if kind == "halffloat":
            halves = values.to_numpy(zero_copy_only=False)
            return np.asarray(np.isnan(halves.astype(np.float32)))
        missing = values.is_null(nan_is_null=kind in _FLOATS)
        return np.asarray(missing.to_numpy(zero_copy_only=False))

    def take(self, rows: BoolArray) -> "Column":
        """Return the values of some rows."""
        values = self.values
        if self.is_text:
            return self._replace(values=values[rows])
        # Arrow cannot select rows of this type.
        if str(values.type) == "string_view":
            values = values.cast("large_string")
        return self._replace(values=values.take(np.flatnonzero(rows)))

    def _numbers_of_text(self) -> AnyArray:
        """Return numbers in text as float64, or as integers if float64 might round one.

        Raise SourceError for other text, and if no single type represents all numbers
        exactly.
        """
        texts = self.values
        joined = "".join(texts.tolist())
        has_others = _has_others(joined) is not None
        if has_others:
            texts = np.array([text.strip(" \t") for text in texts], dtype=object)
        if self.decimals is not None:
            texts = self.decimals.with_points(texts, joined)
        for text in texts if has_others else ():
            if not (is_number(text) or _is_infinite(text)):
                raise self._no_number(text)
        try:
            numbers: AnyArray = texts.astype(np.float64)
        except ValueError:
            wrong = next(text for text in texts if not is_number(text))
            raise self._no_number(wrong) from None
        if self.decimals is not None and (problem := self.decimals.problem()):
            raise self.error(problem)
        self.check_finite(numbers)
        # A float64 of 2**53 may be the rounded integer 2**53 + 1.
        large = np.abs(numbers) >= 2**53
        if large.any():
            integers = self._integers(texts, large)
            if integers is not None:
                return integers
        return np.add(numbers, 0.0)

    def _integers(self, texts: AnyArray, large: BoolArray) -> AnyArray | None:
        """Return numbers in text as integers of 64 bits, or None if some are no such
        integers. In this case, raise SourceError if float64 would round an integer.
        """
        if all(map(_is_integer, texts)):
            integers = [*map(int, texts)]
            for dtype in (np.int64, np.uint64):
                limits = np.iinfo(dtype)
                if limits.min <= min(integers) and max(integers) <= limits.max:
                    return np.array(integers, dtype)
        for text in texts[large]:
            if _is_integer(text) and int(text) != int(float(text)):
                raise self.error(
                    f"contains {format_value(text)}, which float64 would round; integers beyond 2**53 must "
                    "fit into 64 bits, in a column without fractions"
                )
        return None

    def _no_number(self, text: str) -> SourceError:
        return self.error(f"{format_value(text)} is {what_is(text)}")

    def labels(self) -> AnyArray:
        """Return labels that are not text. Raise SourceError for dates, NaN and
        infinity.
        """
        labels = self.array()
        if labels.dtype.kind not in "biuf":
            raise self.error(f"has type {labels.dtype}; expected numbers or text")
        self.check_finite(labels)
        return labels

    def rows_by_label(self) -> Counter[Label]:
        """Return the number of rows of each label as it is written, in order of
        appearance.
        """
        encoded = self.texts()
        if encoded is None:
            return Counter(self.labels().tolist())
        codes, texts = encoded
        rows = Counter[int](codes.tolist())
        return Counter({texts[code]: n_rows for code, n_rows in rows.items()})

    def typed_labels(self) -> list[Label]:
        """Return the distinct labels. If all labels of a text file can be read as
        numbers, return numbers.
        """
        labels = [*self.rows_by_label()]
        typed = [*map(typed_label, labels)] if self.is_text else labels
        return labels if any(isinstance(label, str) for label in typed) else typed


def typed_label(text: Label) -> Label:
    """Return the text of a file as a number if it can be read as one."""
    stripped = str(text).strip(" \t")
    if not is_number(stripped):
        return text
    number = float(stripped)
    return int(number) if number.is_integer() else number


# Advice for an error about missing values: a line that drops the rows without a value.
# `check_missing` fills in the names. Spark has the same method as pandas.
ADVICE_OF_PANDAS = "frame.dropna(subset={names})"
# In polars, NaN is not a missing value.
ADVICE_OF_POLARS = "frame.fill_nan(None).drop_nulls({names})"
# isnan() of DuckDB fails for integers and text. The comparison also drops NULL, for
# which it is not true.
ADVICE_OF_DUCKDB = 'duckdb.sql("""FROM {rows} WHERE {conditions}""")'
# The columns of some rows, by name.
Columns = Mapping[str | None, Column]


def columns_of(
    arrays: Mapping[str, Values],
    where: str,
    *,
    is_text: bool = False,
    decimals: Mapping[str, Decimals] = MappingProxyType({}),
) -> Columns:
    """Return arrays of pyarrow, or arrays of numpy that contain text, as columns."""
    return {
        name: Column(values, name, where, is_text, decimals.get(name))
        for name, values in arrays.items()
    }


def _first_distinct(values: AnyArray) -> list[Label]:
    """Return at most three distinct labels in order of appearance, as objects of
    Python.
    """
    distinct: list[Label] = []
    while values.size and len(distinct) < _MAX_LABELS:
        distinct += values[:1].tolist()
        values = values[values != values[0]]
    return distinct


def quoted(name: str) -> str:
    """Return the name of a column in the quotes of SQL."""
    return '"' + name.replace('"', '""') + '"'


class BatchReader:
    """Reader of the batches of a source. All batches must have the same label of
    negatives, and ids of the same kind.

    Parameters
    ----------
    roles : Roles
        The columns to read.
    """

    def __init__(self, roles: Roles) -> None:
        self.roles = roles
        # Rows with a weight above 0, and rows with the weight 0.
        self.n_rows, self.n_left_out = 0, 0
        # Rows of each file.
        self.n_read = Counter[str]()
        # Rows with a missing value: in total, by column, and by file and column.
        self.n_incomplete = 0
        self.n_missing = Counter[str]()
        self._missing_in = Counter[tuple[str, str]]()
        # Words for missing numbers that were read, such as NA.
        self._missing_texts = set[str]()
        # The first negative labels of each batch.
        self.negative_labels = dict[Label, None]()
        # The types that all ids so far can have.
        self._id_types = {"text", "integers", "others"}
        # The first id with its file, for errors, and whether this id is text. If it is,
        # all ids must be text.
        self._first_id = ""
        self._has_text: bool | None = None

    def read(self, columns: Columns) -> Batch:
        """Return the checked rows of a batch that have no missing value. Raise
        SourceError for wrong values.
        """
        roles, columns = self.roles, self.complete(columns)
        # An empty column may have no type, so it is not checked.
        if not len(columns[roles.y_score].values):
            return Batch(np.empty(0), np.empty(0, bool))
        score = columns[roles.y_score].numbers()
        positive = self._read_positives(columns[roles.y_true])
        weight = _read_weights(columns.get(roles.sample_weight))
        query = None
        if roles.query_id is not None:
            query = self._read_ids(columns[roles.query_id])
        amount = _read_weights(columns.get(roles.amount))
        batch = Batch(score, positive, weight, query, amount=amount)
        rows = batch.counted()
        n_left_out = score.size - rows.score.size
        self.n_rows += rows.score.size
        self.n_left_out += n_left_out
        if not n_left_out or query is None:
            return rows
        # A query whose rows all have weight 0 must keep its id, so one such row stays.
        without = batch.take(np.flatnonzero(batch.weight == 0))
        _, first = np.unique(np.asarray(without.query), return_index=True)
        return concatenate([rows, without.take(first)])

    def complete(self, columns: Columns) -> Columns:
        """Return the rows that have a value in each column, and count the others.

        `check_missing` raises an error for them after the last batch, so that the
        error can show their number.
        """
        is_complete = np.array(True)
        for column in columns.values():
            missing = column.is_missing(self.roles.missing_fields(column))
            is_complete = is_complete & ~missing
            if missing.any():
                n_missing = int(missing.sum())
                if column.is_text:
                    texts = {*column.values[missing].tolist()}
                    self._missing_texts |= texts - _MISSING_FIELDS
                self.n_missing[column.name] += n_missing
                self._missing_in[column.where, column.name] += n_missing
        self.n_read[column.where] += is_complete.size
        if is_complete.all():
            return columns
        self.n_incomplete += int(np.count_nonzero(~is_complete))
        return {name: column.take(is_complete) for name, column in columns.items()}

    def check_missing(self, rows: str, advice: str) -> None:
        """Raise SourceError if rows with a missing value were counted, unless such rows
        are dropped.

        `rows` is the source in SQL. The names of columns with missing values are filled
        into `advice`.
        """
        if self.roles.drops_missing or not self._missing_in:
            return
        where, name = next(iter(self._missing_in))
        n_missing, n_rows = self._missing_in[where, name], self.n_read[where]
        problem = f"contains missing values in {n_missing:,} of {n_rows:,} rows"
        for (file, column), n_others in self._missing_in.items():
            if file == where and column != name:
                problem += f", {format_value(column)} in {n_others:,}"
        names = [*self.n_missing]
        if texts := self._missing_texts:
            rows = f"read_csv({rows}, nullstr={['', *sorted(texts)]})"
        conditions = [f"lower({quoted(name)}::text) <> 'nan'" for name in names]
        line = advice.format(
            names=names, rows=rows, conditions=" AND ".join(conditions)
        )
        problem += f"; fill them, or drop these rows: {line}"
        raise column_error(where, name, problem)

    def join(self, other: "BatchReader", where: str) -> None:
        """Add the counts of another reader. Raise ThirdLabelError if its negatives have
        another label.
        """
        self.n_rows += other.n_rows
        self.n_left_out += other.n_left_out
        self.n_incomplete += other.n_incomplete
        self.n_read += other.n_read
        self.n_missing += other.n_missing
        self._missing_in += other._missing_in
        self._missing_texts |= other._missing_texts
        for label in other.negative_labels:
            self._add_label(label, where)

    def check_has_rows(self, where: str) -> None:
        """Raise SourceError if there are no rows, or only rows of weight 0."""
        if self.n_rows:
            return
        if self.roles.sample_weight is not None and self.n_left_out:
            raise column_error(where, self.roles.sample_weight, "all weights are 0")
        problem = "contains no rows"
        if self.n_incomplete:
            problem += f": each of {self.n_incomplete:,} lacks a value"
        raise SourceError(f"{where}: {problem}")

    def with_typed_ids(self, batch: Batch) -> Batch:
        """Return the rows with ids as integers, if all ids are integers or text that
        prints like an integer.
        """
        query = batch.query
        if query is None or query.dtype != object or "integers" not in self._id_types:
            return batch
        # int64 is too small for some unsigned integers.
        with suppress(OverflowError):
            return batch._replace(query=query.astype(np.int64))
        return batch._replace(query=np.array([*map(int, query)], dtype=object))

    def _add_label(self, label: Label, where: str) -> None:
        """Store a label of negatives. Raise ThirdLabelError if it is another one."""
        self.negative_labels[label] = None
        if len(self.negative_labels) > 1 and not self.roles.takes_others:
            raise ThirdLabelError(
                f"{where}: column {format_value(self.roles.y_true)}: "
                f"{format_value(label)} is a third label after pos_label="
                f"{format_value(self.roles.pos_label)} and "
                f"{format_value(next(iter(self.negative_labels)))}; labels must be binary"
            )

    def _read_positives(self, column: Column) -> BoolArray:
        """Return which labels are positive. Raise ThirdLabelError if there are three
        labels.
        """
        encoded = column.texts()
        if encoded is not None:
            # This checks only distinct texts, which are two in most files.
            codes, texts = encoded
            return np.array(
                [self._is_positive(text, column) for text in texts], dtype=bool
            )[codes]
        labels, of_class = column.labels(), self.roles.of_class
        if of_class is not None:
            return np.isin(labels, [x for x in of_class if not isinstance(x, str)])
        for label in _first_distinct(labels):
            self._is_positive(label, column)
        return np.asarray(labels == self.roles.pos_label, dtype=bool)

    def _is_positive(self, label: Label, column: Column) -> bool:
        """Return whether a label is positive. If `pos_label` is a number, text of a
        file is read as a number, too.
        """
        pos_label, of_class = self.roles.pos_label, self.roles.of_class
        if of_class is not None:
            return label in of_class
        if not isinstance(pos_label, str) and column.is_text:
            label = typed_label(label)
        if isinstance(label, str) != isinstance(pos_label, str):
            raise column.error(
                f"contains {format_value(label)}; got pos_label={pos_label!r}: pass one "
                "of the labels in this column"
            )
        if label != pos_label:
            self._add_label(label, column.where)
        return label == pos_label

    def _read_ids(self, column: Column) -> AnyArray:
        """Return one id per row. Raise SourceError if the type of the ids is wrong."""
        encoded = column.texts()
        if encoded is not None:
            codes, texts = encoded
            words = texts
            if column.is_text:
                words = [text for text in texts if not _is_integer_id(text)]
            types = {"text"} if words else {"text", "integers"}
            self._check_type_of_ids(types, column, (words or texts)[0])
            if self._has_text:
                return np.array(texts, dtype=object)[codes]
            return np.array([*map(int, texts)])[codes]
        ids = column.array()
        # DuckDB treats some different durations as equal.
        if ids.dtype.kind == "m":
            raise column.error(
                f"has type {ids.dtype}; ids must be numbers, text or dates"
            )
        types = {"integers", "others"} if ids.dtype.kind in "iu" else {"others"}
        self._check_type_of_ids(types, column, ids[0])
        return ids.astype(str).astype(object) if self._has_text else ids

    def _check_type_of_ids(
        self, types: set[str], column: Column, first: object
    ) -> None:
        """Raise SourceError if ids are text in one file, and numbers or dates in
        another.
        """
        shown = format_value(first)
        if self._has_text is None:
            self._has_text = isinstance(first, str)
            self._first_id = f"{shown} in {column.where}"
        self._id_types &= types
        if not self._id_types:
            raise column.error(
                f"contains {shown}, but the first id is {self._first_id}; "
                f"{self.roles.option_of(column.name)} must be text in all files, or "
                "numbers such as 7 (not 007)"
            )


def _read_weights(column: Column | None) -> FloatArray | None:
    """Return weights or amounts. Raise SourceError if one is negative, or too small or
    too large for scores in memory.
    """
    if column is None:
        return None
    weight: FloatArray = column.numbers().astype(np.float64, copy=False)
    is_within = (weight >= LEAST_WEIGHT) & (weight <= MOST_WEIGHT)
    negative, extreme = weight[weight < 0], weight[~is_within & (weight > 0)]
    if negative.size:
        raise column.error(
            f"contains {negative[0]}, but weights and amounts must not be negative; "
            "drop rows such as refunds, or set their amounts to 0"
        )
    if extreme.size:
        raise column.error(
            f"contains {extreme[0]}, but weights and amounts must be 0 or from 2**-500 "
            "(3e-151) to 2**500 (3e150); divide all of them by a constant"
        )
    return weight


def cast_exactly(score: AnyArray, dtype: DType) -> AnyArray:
    """Return scores in another type. Raise InexactError if it would round one."""
    if score.dtype == dtype:
        return score
    with np.errstate(invalid="ignore", over="ignore"):
        others: AnyArray = score.astype(dtype)
        # A conversion there and back is not enough: between two types of integers, a
        # number may wrap around twice, and so may 2**63 between float64 and int64.
        same = (others.astype(score.dtype) == score) & (others == score)
    floats = [array for array in (score, others) if array.dtype.kind == "f"]
    if len(floats) == 1:
        same &= np.abs(floats[0]) < 2.0**63
    if not same.all():
        raise InexactError(
            f"{format_value(score[np.argmin(same)])} of type {score.dtype}, which {dtype} would round; "
            "convert all scores to one type"
        )
    return others


def score_types(types: Iterable[DType]) -> list[DType]:
    """Return the types to try for scores of several types, in this order. Engines sort
    these four types only.
    """
    dtype = np.result_type(*types)
    first = [kind for kind in ("i8", "u8", "f4") if np.can_cast(dtype, kind)][:1]
    return list(dict.fromkeys(map(np.dtype, (*first, "f8", "i8", "u8"))))


def concatenate_scores(scores: Sequence[AnyArray]) -> AnyArray:
    """Return scores as one array in a type that rounds none of them. Raise InexactError
    if there is none.
    """
    types = {score.dtype for score in scores}
    if len(types) == 1:
        return np.concatenate(scores)
    problem = InexactError()
    for dtype in score_types(types):
        try:
            return np.concatenate([cast_exactly(score, dtype) for score in scores])
        except InexactError as error:
            problem = error
    raise problem


def concatenate(batches: Sequence[Batch]) -> Batch:
    """Return the rows of all batches. Raise InexactError if no type represents all
    scores exactly.
    """
    columns = {}
    for name in {name: None for batch in batches for name in batch.columns()}:
        parts = [
            # A batch without weights has the weight 1 in all rows, and the same holds
            # for numbers of rows.
            batch.columns().get(name, np.ones(batch.score.size, dtype=np.int64))
            for batch in batches
        ]
        # numpy would turn signed and unsigned integers into floats.
        if name == "query" and len({part.dtype.kind for part in parts}) > 1:
            parts = [part.astype(object) for part in parts]
        join = concatenate_scores if name == "score" else np.concatenate
        columns[name] = join(parts)
    return Batch(**columns)

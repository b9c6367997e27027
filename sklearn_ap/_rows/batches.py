"""Batches of narrow columns, which every engine yields, checked where they are read.

A `BatchReader` turns the columns of one batch into a `Batch`: scores in their own type,
labels as booleans, weights, and the ids of queries. Wrong values are refused here, in
one line with the file and the column.
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
Values = Any  # an array of pyarrow, or text of numpy

BATCH_ROWS = 2**17  # that readers yield at once
_ID_BYTES = 64  # of an id that is text: its Python object, and a pointer to it
_DIGITS = 15  # of a decimal that float64 never rounds
_MAX_LABELS = 3  # a third label is refused
_FLOATS = "halffloat", "float", "double"  # types of Arrow that have NaN
_TEXTS = "string", "large_string", "string_view"
_N_SHOWN = 3  # of a list
_is_integer = re.compile(r"[+-]?[0-9]+").fullmatch
_is_integer_id = re.compile(r"-?[1-9][0-9]{0,17}|0").fullmatch  # as an integer prints


_MISSING_CELLS = frozenset([None, "", "nan", "NaN"])
# Among numbers, also what pandas reads so; an id or a label may be called NA or None.
_MISSING_WORDS = (
    "#N/A #NA -1.#IND -1.#QNAN -NaN -nan 1.#IND 1.#QNAN <NA> N/A NA NULL None n/a null"
)
_MISSING_NUMBERS = _MISSING_CELLS.union(_MISSING_WORDS.split())
_OPTIONS_OF_IDS = "--query-id", "--per", "--unit-id"
# What finite numbers in text have none of.
_has_others = re.compile(r"[^0-9eE.+-]").search
_is_infinite = re.compile(r"[+-]?(inf|infinity|nan)", re.IGNORECASE).fullmatch


def is_missing_text(
    values: AnyArray, missing: frozenset[str | None] = _MISSING_CELLS
) -> BoolArray:
    """Whether each cell is empty, or NaN as pandas and numpy write it, or another text
    for a missing value.
    """
    cells = values.tolist()
    if missing.isdisjoint(cells):
        return np.zeros(values.size, dtype=bool)
    return np.fromiter(map(missing.__contains__, cells), bool, values.size)


class MissingColumnError(SourceError):
    """A file lacks a column, which another may have."""


class ThirdLabelError(SourceError):
    """Labels are not binary."""


class InexactError(ValueError):
    """No single type represents all scores exactly, or the type that was tried does
    not.
    """


def column_error(where: str, column: str, problem: str) -> SourceError:
    """Return the error about a column; `where` is the file, quoted, or another name of
    the rows.
    """
    return SourceError(f"{where}: column {format_value(column)}: {problem}")


class Roles(NamedTuple):
    """The names of the columns to read, and the positive label."""

    y_true: str
    y_score: str
    sample_weight: str | None = None
    query_id: str | None = None
    pos_label: Label = 1
    # Labels of one of several classes, in place of pos_label; others are negative.
    of_class: frozenset[Label] | None = None
    amount: str | None = None  # what a row is worth
    # Columns that a command line names, each with its option.
    options: Mapping[str, str] = {}
    # Whether a row that lacks a value in one of `options` is dropped.
    drops_missing: bool = False
    # Whether several labels are negative, since a user named the positive one.
    takes_others: bool = False

    @property
    def columns(self) -> list[str]:
        """The names of all columns to read, each once."""
        names: tuple[str | None, ...]
        names = *self[:3], self.amount, self.query_id
        if self.drops_missing:
            names = *names, *self.options
        return list(dict.fromkeys(name for name in names if name is not None))

    def missing_cells(self, column: "Column") -> frozenset[str | None]:
        """Return the texts that say that a column of text has no value."""
        option = self.options.get(column.name)
        has_words = column.name == self.query_id or option in _OPTIONS_OF_IDS
        if column.name == self.y_true and column.is_text:
            others = {*column.values.tolist()} - _MISSING_NUMBERS
            labels = [self.pos_label, *map(typed_label, others)]
            has_words = any(isinstance(label, str) for label in labels)
        return _MISSING_CELLS if has_words else _MISSING_NUMBERS

    def refuse_unknown(
        self, where: str, available: Iterable[str], types: Iterable[object] = ()
    ) -> None:
        """Refuse names that are not those of one column each; upper and lower case
        differ. The types, of any library, say which columns contain numbers.
        """
        names = list(available)
        for name in self.columns:
            count = names.count(name)
            problem = f"occurs {count} times; names of columns, and of folders such as day=1, must be unique"
            if not count:
                has_roles = not {self.y_true, self.y_score}.isdisjoint(names)
                others = other_columns(name, names, types, has_roles=has_roles)
                problem = f"is missing; name one by {self.option_of(name)}; {others}"
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
        """Return the rows of all batches of a source; refuse scores that no type
        represents.
        """
        try:
            return concatenate(batches)
        except InexactError as error:
            raise column_error(where, self.y_score, f"contains {error}") from None


class Batch(NamedTuple):
    """Checked rows, without those of weight 0; only the readers of a source keep one per
    query, so that its id is not lost.
    """

    score: AnyArray  # finite numbers
    positive: BoolArray
    weight: FloatArray | None = None
    query: AnyArray | None = None  # numbers, dates, or text as objects
    # Number of equal rows that each stands for; None for 1.
    n_rows: IntArray | None = None
    amount: FloatArray | None = None  # what each is worth

    def counted(self) -> "Batch":
        """Return the rows that have a weight."""
        if self.weight is None or self.weight.all():
            return self
        return self.take(np.flatnonzero(self.weight))

    def take(self, rows: slice | AnyArray) -> "Batch":
        """Return some of the rows."""
        return Batch(**{name: column[rows] for name, column in self.columns().items()})

    def ranked(self) -> "Batch":
        """Return the rows without what a single ranking does not read."""
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
        """Number of rows that each row stands for."""
        if self.n_rows is None:
            return np.ones(self.score.size, dtype=np.int64)
        return self.n_rows

    @property
    def nbytes(self) -> int:
        """Bytes that the rows take; ids that are text are objects of Python."""
        columns = self.columns().values()
        return sum(
            column.nbytes + column.size * _ID_BYTES * (column.dtype == object)
            for column in columns
        )

    def distinct(self) -> "Batch":
        """Return each score, label and weight once with its number of rows, sorted by
        score.
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
    """The values of a column as they were read, and what errors about them say."""

    values: Values
    name: str
    where: str  # the file, quoted, or another name of the rows
    # Whether values are an array of text, as in CSV files and names of folders; None is
    # missing.
    is_text: bool = False
    # None where a comma separates columns, and so is never a part of a number.
    decimals: Decimals | None = None

    def error(self, problem: str) -> SourceError:
        """Return the error about this column."""
        return column_error(self.where, self.name, problem)

    def texts(self) -> tuple[AnyArray, list[str]] | None:
        """Return the distinct texts, and a code for each row, if values are text of
        pyarrow.
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
        """Return the values as an array of numpy; refuse those that numpy has no type
        for.
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
        """Return decimals of pyarrow as the nearest float64, or refuse one that has
        more digits than float64.
        """
        from pyarrow import compute

        decimals = self.values
        # Through text: Arrow's own cast misses the nearest by a bit, and objects of
        # Python take eight times as long.
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
        """Return finite numbers in a type that represents them exactly."""
        if self.is_text:
            return self._numbers_of_text()
        numbers = self.array(
            f"one number per row, such as frame[{self.name!r}].astype(float), or .str[-1] "
            "of lists"
        )
        if numbers.dtype.kind not in "biuf":
            raise self.error(f"has type {numbers.dtype}; expected numbers")
        self.refuse_not_finite(numbers)
        # Engines sort neither booleans nor halves.
        dtype = {"b1": "i1", "f2": "f4"}.get(numbers.dtype.str[1:], numbers.dtype)
        # -0.0 becomes 0.0; both are equal.
        return np.add(numbers, 0, dtype=dtype)

    def refuse_not_finite(self, numbers: AnyArray) -> None:
        """Refuse infinity, and text such as -nan."""
        # The extremes show both in one pass without a copy.
        if numbers.size and not (
            np.isfinite(numbers.min()) and np.isfinite(numbers.max())
        ):
            refused = numbers[~np.isfinite(numbers)][0]
            raise self.error(f"contains {refused}; numbers must be finite")

    def is_missing(self, cells: frozenset[str | None]) -> BoolArray:
        """Whether each value is missing, or NaN, or of text one of these."""
        if self.is_text:
            return is_missing_text(self.values, cells)
        values, kind = self.values, str(self.values.type)
        if kind == "halffloat":  # Older Arrow sees no NaN in these.
            halves = values.to_numpy(zero_copy_only=False)
            return np.asarray(np.isnan(halves.astype(np.float32)))
        missing = values.is_null(nan_is_null=kind in _FLOATS)
        return np.asarray(missing.to_numpy(zero_copy_only=False))

    def take(self, rows: BoolArray) -> "Column":
        """Return the values of some rows."""
        values = self.values
        if self.is_text:
            return self._replace(values=values[rows])
        if str(values.type) == "string_view":  # of which Arrow takes no rows
            values = values.cast("large_string")
        return self._replace(values=values.take(np.flatnonzero(rows)))

    def _numbers_of_text(self) -> AnyArray:
        """Return text as float64, or as integers if float64 may round one; refuse
        integers that no type has with the others.
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
        self.refuse_not_finite(numbers)
        large = np.abs(numbers) >= 2**53  # 2**53 may be 2**53 + 1, rounded
        if large.any():
            integers = self._integers(texts, large)
            if integers is not None:
                return integers
        return np.add(numbers, 0.0)

    def _integers(self, texts: AnyArray, large: BoolArray) -> AnyArray | None:
        """Return text as integers of 64 bits, or None for other numbers, of which
        float64 must not round an integer.
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
        """Return labels that are not text as an array; refuse dates and NaN."""
        labels = self.array()
        if labels.dtype.kind not in "biuf":
            raise self.error(f"has type {labels.dtype}; expected numbers or text")
        self.refuse_not_finite(labels)
        return labels

    def rows_by_label(self) -> Counter[Label]:
        """Return the number of rows of each label as it is, in the order of the rows."""
        encoded = self.texts()
        if encoded is None:
            return Counter(self.labels().tolist())
        codes, texts = encoded
        rows = Counter[int](codes.tolist())
        return Counter({texts[code]: n_rows for code, n_rows in rows.items()})

    def typed_labels(self) -> list[Label]:
        """Return the distinct labels; text of files is a number if all of it could be
        numbers.
        """
        labels = [*self.rows_by_label()]
        typed = [*map(typed_label, labels)] if self.is_text else labels
        return labels if any(isinstance(label, str) for label in typed) else typed


def typed_label(text: Label) -> Label:
    """Return text of a file as a number if it is one, and else as it is."""
    stripped = str(text).strip(" \t")
    if not is_number(stripped):
        return text
    number = float(stripped)
    return int(number) if number.is_integer() else number


# The line that leaves out rows without a value, or an option; see `refuse_missing`.
ADVICE_OF_PANDAS = "frame.dropna(subset={names})"  # also of Spark
ADVICE_OF_POLARS = "frame.fill_nan(None).drop_nulls({names})"  # where NaN is a value
# isnan() takes no integers or text; of NULL, the comparison is not true either.
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
    """Return arrays as columns: of pyarrow, or text of numpy."""
    return {
        name: Column(values, name, where, is_text, decimals.get(name))
        for name, values in arrays.items()
    }


def _first_distinct(values: AnyArray) -> list[Label]:
    """Return the first distinct labels, as objects of Python."""
    distinct: list[Label] = []
    while values.size and len(distinct) < _MAX_LABELS:
        distinct += values[:1].tolist()
        values = values[values != values[0]]
    return distinct


def quoted(name: str) -> str:
    """Return the name of a column as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


class BatchReader:
    """Reads the batches of a source; the label of negatives and the kind of ids must
    agree in all of them.

    Parameters
    ----------
    roles : Roles
        The columns that take part.
    """

    def __init__(self, roles: Roles) -> None:
        self.roles = roles
        self.n_rows, self.n_left_out = 0, 0  # rows of weight above 0, and others
        self.n_read = Counter[str]()  # rows of each file
        # Rows that lack a value: all, by column, and by file and column.
        self.n_incomplete = 0
        self.n_missing = Counter[str]()
        self._missing_in = Counter[tuple[str, str]]()
        self._missing_texts = set[str]()  # of numbers, such as NA
        self.negative_labels = dict[Label, None]()  # the first ones of each batch
        # What all ids may be, and the first one.
        self._id_types = {"text", "integers", "others"}
        self._first_id = ""
        self._has_text: bool | None = None  # whether this is text, and so all ids are

    def read(self, columns: Columns) -> Batch:
        """Return the complete rows of a batch, or raise SourceError."""
        roles, columns = self.roles, self.complete(columns)
        if not len(columns[roles.y_score].values):  # which may have no type
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
        # One row of weight 0 per query keeps its id.
        without = batch.take(np.flatnonzero(batch.weight == 0))
        _, first = np.unique(np.asarray(without.query), return_index=True)
        return concatenate([rows, without.take(first)])

    def complete(self, columns: Columns) -> Columns:
        """Return the rows that have a value in each column, and count the others.

        These are refused once all rows were counted, unless they are dropped.
        """
        is_complete = np.array(True)
        for column in columns.values():
            missing = column.is_missing(self.roles.missing_cells(column))
            is_complete = is_complete & ~missing
            if missing.any():
                n_missing = int(missing.sum())
                if column.is_text:
                    texts = {*column.values[missing].tolist()}
                    self._missing_texts |= texts - _MISSING_CELLS
                self.n_missing[column.name] += n_missing
                self._missing_in[column.where, column.name] += n_missing
        self.n_read[column.where] += is_complete.size
        if is_complete.all():
            return columns
        self.n_incomplete += int(np.count_nonzero(~is_complete))
        return {name: column.take(is_complete) for name, column in columns.items()}

    def refuse_missing(self, rows: str, advice: str) -> None:
        """Refuse rows that lack a value, which were counted, unless they are dropped.

        The advice is formatted with the columns that lack values.
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
        problem += f"; fill them, or leave these rows out: {line}"
        raise column_error(where, name, problem)

    def join(self, other: "BatchReader", where: str) -> None:
        """Count the rows of another reader, whose negatives must have the same
        label.
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

    def refuse_no_rows(self, where: str) -> None:
        """Refuse sources without rows, or with rows of weight 0 alone."""
        if self.n_rows:
            return
        if self.roles.sample_weight is not None and self.n_left_out:
            raise column_error(where, self.roles.sample_weight, "all weights are 0")
        problem = "contains no rows"
        if self.n_incomplete:
            problem += f": each of {self.n_incomplete:,} lacks a value"
        raise SourceError(f"{where}: {problem}")

    def with_typed_ids(self, batch: Batch) -> Batch:
        """Return rows whose ids are integers if all ids are, or are text of files that
        Python would print so.
        """
        query = batch.query
        if query is None or query.dtype != object or "integers" not in self._id_types:
            return batch
        with suppress(OverflowError):  # of unsigned integers next to text
            return batch._replace(query=query.astype(np.int64))
        return batch._replace(query=np.array([*map(int, query)], dtype=object))

    def _add_label(self, label: Label, where: str) -> None:
        """Remember a label of negatives, or refuse a third label."""
        self.negative_labels[label] = None
        if len(self.negative_labels) > 1 and not self.roles.takes_others:
            raise ThirdLabelError(
                f"{where}: column {format_value(self.roles.y_true)}: "
                f"{format_value(label)} is a third label after pos_label="
                f"{format_value(self.roles.pos_label)} and "
                f"{format_value(next(iter(self.negative_labels)))}; labels must be binary"
            )

    def _read_positives(self, column: Column) -> BoolArray:
        """Return which labels are positive; a third label is refused."""
        encoded = column.texts()
        if encoded is not None:
            codes, texts = encoded  # only distinct texts are read: two in most files
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
        """Whether a label is the positive one; text of a file is a number if the
        positive label is one.
        """
        pos_label, of_class = self.roles.pos_label, self.roles.of_class
        if of_class is not None:
            return label in of_class
        if not isinstance(pos_label, str) and column.is_text:
            label = typed_label(label)
        if isinstance(label, str) != isinstance(pos_label, str):
            raise column.error(
                f"contains {format_value(label)}; got pos_label={pos_label!r}: name one "
                "of its labels"
            )
        if label != pos_label:
            self._add_label(label, column.where)
        return label == pos_label

    def _read_ids(self, column: Column) -> AnyArray:
        """Return one id per row; refuse missing ids."""
        encoded = column.texts()
        if encoded is not None:
            codes, texts = encoded
            words = texts
            if column.is_text:
                words = [text for text in texts if not _is_integer_id(text)]
            types = {"text"} if words else {"text", "integers"}
            self._refuse_two_types(types, column, (words or texts)[0])
            if self._has_text:
                return np.array(texts, dtype=object)[codes]
            return np.array([*map(int, texts)])[codes]
        ids = column.array()
        if ids.dtype.kind == "m":  # DuckDB joins some durations
            raise column.error(
                f"has type {ids.dtype}; ids must be numbers, text or dates"
            )
        types = {"integers", "others"} if ids.dtype.kind in "iu" else {"others"}
        self._refuse_two_types(types, column, ids[0])
        return ids.astype(str).astype(object) if self._has_text else ids

    def _refuse_two_types(self, types: set[str], column: Column, first: object) -> None:
        """Refuse text next to numbers or dates of other files: they have no order."""
        shown = format_value(first)
        if self._has_text is None:
            self._has_text = isinstance(first, str)
            self._first_id = f"{column.where} {shown}"
        self._id_types &= types
        if not self._id_types:
            raise column.error(
                f"contains {shown}, and that of {self._first_id}; "
                f"{self.roles.option_of(column.name)} must be text in all files, or "
                "numbers such as 7 (not 007)"
            )


def _read_weights(column: Column | None) -> FloatArray | None:
    """Return weights that are 0 or within the limits of weights in memory."""
    if column is None:
        return None
    weight: FloatArray = column.numbers().astype(np.float64, copy=False)
    is_within = (weight >= LEAST_WEIGHT) & (weight <= MOST_WEIGHT)
    negative, extreme = weight[weight < 0], weight[~is_within & (weight > 0)]
    if negative.size:
        raise column.error(
            f"contains {negative[0]}, but weights and amounts must not be negative; "
            "leave rows such as refunds out, or set them to 0"
        )
    if extreme.size:
        raise column.error(
            f"contains {extreme[0]}, but weights and amounts must be 0 or from 2**-500 "
            "(3e-151) to 2**500 (3e150); divide all of them by a constant"
        )
    return weight


def cast_exactly(score: AnyArray, dtype: DType) -> AnyArray:
    """Return scores in another type, or raise InexactError if it would round one."""
    if score.dtype == dtype:
        return score
    with np.errstate(invalid="ignore", over="ignore"):
        others: AnyArray = score.astype(dtype)
        # Integers wrap around to each other and back, and so does 2**63 as float64.
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
    """Return the types to try for scores of several types, in this order; engines sort
    four types.
    """
    dtype = np.result_type(*types)
    first = [kind for kind in ("i8", "u8", "f4") if np.can_cast(dtype, kind)][:1]
    return list(dict.fromkeys(map(np.dtype, (*first, "f8", "i8", "u8"))))


def concatenate_scores(scores: Sequence[AnyArray]) -> AnyArray:
    """Return scores as one array in a type that rounds none of them, or raise
    InexactError.
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
    """Return the rows of all batches, or raise InexactError if no type represents all
    scores.
    """
    columns = {}
    for name in {name: None for batch in batches for name in batch.columns()}:
        parts = [
            # Rows without weights or numbers have 1 of each.
            batch.columns().get(name, np.ones(batch.score.size, dtype=np.int64))
            for batch in batches
        ]
        # Integers of two signs would become floats.
        if name == "query" and len({part.dtype.kind for part in parts}) > 1:
            parts = [part.astype(object) for part in parts]
        join = concatenate_scores if name == "score" else np.concatenate
        columns[name] = join(parts)
    return Batch(**columns)

"""Batches of narrow columns, which every engine yields, checked where they are read.

A `BatchReader` turns the columns of one batch into a `Batch`: scores in their own type, labels as booleans,
weights, and the ids of queries. Wrong values are refused here, in one line with the file and the column.
"""

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._reading._options import is_real
from .._reading._values import LEAST_WEIGHT, MOST_WEIGHT, is_missing
from .._typing import AnyArray, BoolArray, FloatArray, IntArray, Label

MemoryLimit = int | float | str

_PENDING_ROWS = 2**19  # are looked at together for the best of them
_AVAILABLE_SHARE = 4  # rows take one part in four of the memory that is available, by default
_UNKNOWN_MEMORY = 4 * 2**30  # bytes, assumed to be available where the system does not report them
_ID_BYTES = 64  # of an id that is text: its Python object, and a pointer to it
_MAX_VALUE_LENGTH = 100  # characters of a value that an error shows
_MAX_COLUMNS_LISTED = 10  # columns that an error lists
# Python's own readers of numbers also take 1_0, nan, 0x1F, and the digits of other scripts.
is_number = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,6})?").fullmatch
_is_integer_id = re.compile(r"-?[1-9][0-9]{0,17}|0").fullmatch  # as an integer prints


class SourceError(ValueError):
    """Rows cannot be read; the message is one line with the file, the column and the value.

    .. versionadded:: 0.1

    See Also
    --------
    score : Raises it; its docstring lists the refused rows.

    Examples
    --------
    >>> from sklearn_ap import distributed
    >>> try:
    ...     distributed.score("average_precision", "no_such.parquet")
    ... except distributed.SourceError as error:
    ...     print(error)
    'no_such.parquet': no such file or folder
    """


def format_value(value: object) -> str:
    """Return a user's value as short text on one line."""
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= _MAX_VALUE_LENGTH else f"{text[:70]}...{text[-27:]}"


def column_error(where: str, column: str, problem: str) -> SourceError:
    """Return the error about a column; `where` is the file, quoted, or another name of the rows."""
    return SourceError(f"{where}: column {format_value(column)}: {problem}")


def refuse_unknown_columns(where: str, available: Sequence[str], names: Iterable[str]) -> None:
    """Refuse names that are not those of one column each; upper and lower case differ."""
    for name in names:
        count = list(available).count(name)
        if count > 1:
            problem = f"occurs {count} times; column names must be unique"
            raise SourceError(f"{where}: column {format_value(name)} {problem}")
        if not count:
            more = ", ..." if len(available) > _MAX_COLUMNS_LISTED else ""
            listed = ", ".join(map(format_value, available[:_MAX_COLUMNS_LISTED]))
            close = get_close_matches(name, available, 1)
            suggestion = f"; did you mean {format_value(close[0])}?" if close else ""
            problem = f"is missing; the columns are {listed}{more}{suggestion}"
            raise SourceError(f"{where}: column {format_value(name)} {problem}")


class Roles(NamedTuple):
    """The names of the columns to read, and the positive label."""

    y_true: str
    y_score: str
    sample_weight: str | None = None
    query_id: str | None = None
    pos_label: Label = 1
    keeps_weightless: bool = False  # whether rows of weight 0 stay, since their queries may have no others

    @property
    def columns(self) -> list[str]:
        """The names of all columns, each once."""
        return list(dict.fromkeys(name for name in self[:4] if name is not None))


class Batch(NamedTuple):
    """Checked rows, without those of weight 0 unless each query has a value of its own."""

    score: AnyArray  # finite numbers
    positive: BoolArray
    weight: FloatArray | None = None
    query: AnyArray | None = None  # numbers, dates, or text as objects
    n_rows: IntArray | None = None  # number of equal rows that each stands for; None for 1

    def take(self, rows: slice | AnyArray) -> "Batch":
        """Return some of the rows."""
        taken = {name: column[rows] for name, column in self.columns().items()}
        return Batch(**taken)

    def columns(self) -> dict[str, AnyArray]:
        """Return the columns that are not None, by name."""
        return {name: column for name, column in self._asdict().items() if column is not None}

    @property
    def size(self) -> int:
        """Number of rows that these stand for."""
        return self.score.size if self.n_rows is None else int(self.n_rows.sum())

    @property
    def nbytes(self) -> int:
        """Bytes that the rows take."""
        return sum(map(memory_of, self.columns().values()))

    def slices(self, size: int) -> Iterator["Batch"]:
        """Yield batches of at most `size` rows."""
        return (self.take(slice(first, first + size)) for first in range(0, self.score.size, size))

    def distinct(self) -> "Batch":
        """Return each score, label and weight once with its number of rows, sorted by score."""
        keys = [self.score, ~self.positive, *([] if self.weight is None else [self.weight])]
        order = np.lexsort(keys[::-1])  # fast for sorted runs, such as those of merged states
        keys = [key[order] for key in keys]
        # Equal rows are neighbours now, so a row is a new one if any key differs from the row before.
        changes = np.any([key[1:] != key[:-1] for key in keys], axis=0)
        starts = np.flatnonzero(np.append(True, changes)[: order.size])
        weight = None if self.weight is None else keys[2][starts]
        if self.n_rows is None and starts.size == order.size:  # all rows differ: nothing to copy or count
            return Batch(keys[0], ~keys[1], weight)
        n_rows = np.diff(starts, append=order.size)
        if self.n_rows is not None:
            n_rows = np.add.reduceat(self.n_rows[order], starts) if order.size else self.n_rows
        counted = None if (n_rows == 1).all() else n_rows
        return Batch(keys[0][starts], ~keys[1][starts], weight, n_rows=counted)

    def above(self, cut: Any) -> "Batch":
        """Return the rows of higher scores, one row per class for this score, and one for lower scores."""
        merged = []
        for rows in (self.score == cut, self.score < cut):
            merged += [self._merged(rows & of_class) for of_class in (self.positive, ~self.positive)]
        return concatenate([self.take(self.score > cut), *(batch for batch in merged if batch is not None)])

    def _merged(self, rows: BoolArray) -> "Batch | None":
        """Return some rows of one class as one row of their mean weight, or None if there are none."""
        first = int(rows.argmax())
        if not rows[first]:
            return None
        merged = self.take(slice(first, first + 1))
        n_rows = np.ones(0) if self.n_rows is None else self.n_rows[rows]
        if self.weight is not None:
            weight = self.weight[rows]
            if weight.min() < weight.max():  # else the mean might be rounded
                mean = np.average(weight, weights=n_rows if n_rows.size else None)
                merged = merged._replace(weight=np.array([mean]))
        n_merged = int(n_rows.sum()) if n_rows.size else np.count_nonzero(rows)
        return merged._replace(n_rows=np.array([n_merged]))


def best_rows(batches: Iterable[Batch], n_rows: int) -> Batch:
    """Return the first `n_rows` rows of all batches; at most four rows stand for the others."""
    kept: list[Batch] = []
    cut = None
    for batch in batches:
        rows = batch._replace(query=None)
        kept.append(rows if cut is None else rows.above(cut))
        if sum(part.score.size for part in kept) > n_rows + _PENDING_ROWS:
            together = concatenate(kept)
            cut = np.partition(together.score, -n_rows)[-n_rows]
            kept = [together.above(cut)]
    together = concatenate(kept)
    if together.score.size <= n_rows:
        return together
    return together.above(np.partition(together.score, -n_rows)[-n_rows])


def memory_of(column: AnyArray) -> int:
    """Return the bytes that a column takes; ids that are text are objects of Python."""
    return column.nbytes + (column.size * _ID_BYTES if column.dtype == object else 0)


class InexactError(ValueError):
    """No single type represents all scores exactly, or the type that was tried does not."""


class BatchReader:
    """Reads the batches of a source; the label of negatives and the kind of ids must agree in all of them.

    Parameters
    ----------
    roles : Roles
        The columns that take part.
    """

    def __init__(self, roles: Roles) -> None:
        self.roles = roles
        self.n_rows, self._n_read = 0, 0  # rows of weight above 0, and all rows
        self.negative_label: Any = None
        self._ids_are_text = False  # whether ids are text of files
        self._integer_ids = True  # whether all of this text could be integers

    def read(self, columns: Mapping[str, Any], where: str, *, text_columns: Set[str] = frozenset()) -> Batch:
        """Return the rows of a batch, or raise SourceError.

        Parameters
        ----------
        columns : mapping of str to array
            Arrays of numpy or pyarrow, by name.
        where : str
            The file, quoted, or another name of the rows, for errors.
        text_columns : set of str
            The columns whose numbers are text, as in CSV files.
        """
        roles = self.roles
        score = read_numbers(columns[roles.y_score], where, roles.y_score, text_columns)
        positive = self.read_positives(columns[roles.y_true], where, text_columns)
        weight, query, weighted_rows = None, None, None
        if roles.sample_weight is not None:
            weight = read_numbers(columns[roles.sample_weight], where, roles.sample_weight, text_columns)
            weight = self.read_weights(weight.astype(np.float64, copy=False), where)
            weighted_rows = np.flatnonzero(weight) if np.count_nonzero(weight) < weight.size else None
        if roles.query_id is not None:
            query = self.read_ids(columns[roles.query_id], where, text_columns)
        batch = Batch(score, positive, weight, query)
        self.count_rows(positive.size, positive.size if weighted_rows is None else weighted_rows.size)
        return batch if weighted_rows is None or roles.keeps_weightless else batch.take(weighted_rows)

    def count_rows(self, n_read: int, n_rows: int) -> None:
        """Count rows of a batch: all that were read, and those of weight above 0."""
        self._n_read, self.n_rows = self._n_read + n_read, self.n_rows + n_rows

    def refuse_no_rows(self, where: str) -> None:
        """Refuse sources without rows, or with rows of weight 0 alone."""
        if self.n_rows == 0 and self._n_read and self.roles.sample_weight is not None:
            raise column_error(where, self.roles.sample_weight, "all weights are 0")
        if self.n_rows == 0:
            positive_weight = "" if self.roles.sample_weight is None else " of weight above 0"
            raise SourceError(f"{where}: contains no rows{positive_weight}")

    def typed_ids(self, ids: AnyArray) -> AnyArray:
        """Return ids of text files as integers if all of them are written as Python prints integers."""
        return ids.astype(np.int64) if self._ids_are_text and self._integer_ids else ids

    def add_label(self, label: Any, where: str) -> None:
        """Remember the label of negatives, or refuse a third label."""
        if self.negative_label is None:
            self.negative_label = label
        elif label != self.negative_label:
            both = f"pos_label={format_value(self.roles.pos_label)} and {format_value(self.negative_label)}"
            problem = f"{format_value(label)} is a third label after {both}; labels must be binary"
            raise column_error(where, self.roles.y_true, problem)

    def read_positives(self, labels: Any, where: str, text_columns: Set[str]) -> BoolArray:
        """Return which labels are positive; a third label is refused."""
        pos_label, column = self.roles.pos_label, self.roles.y_true
        if _is_arrow_text(labels):
            codes, texts = _encoded(labels, where, column)
            # Only distinct texts are parsed: two in most files, whatever the number of rows.
            parsed = [_label_of_text(text, pos_label, where, column, text_columns) for text in texts]
            for label in parsed:
                if label != pos_label:
                    self.add_label(label, where)
            return np.array([label == pos_label for label in parsed], dtype=bool)[codes]
        values = _to_numpy(labels, where, column)  # labels that are not text of Arrow
        if values.dtype.kind not in "biufOSU":
            raise column_error(where, column, f"has type {values.dtype}; expected numbers or text")
        if values.dtype.kind == "f":
            _finite(values, where, column)
        positive = np.asarray(values == pos_label, dtype=bool)
        others = np.flatnonzero(~positive)
        if others.size:
            # The first other label is the negative one, which all batches must share; a third is refused.
            negative = values[others[0]]
            if values.dtype.kind == "O":
                _refuse_missing_values(sum(map(is_missing, values[others])), values.size, where, column)
            if isinstance(negative, str) != isinstance(pos_label, str):
                raise _unfit_label(negative, pos_label, where, column)
            self.add_label(negative.item() if isinstance(negative, np.generic) else negative, where)
            third = np.flatnonzero(values[others] != negative)
            if third.size:
                self.add_label(values[others[third[0]]], where)
        return positive

    def read_weights(self, weight: FloatArray, where: str) -> FloatArray:
        """Return weights that are 0 or within the limits of weights in memory."""
        column = str(self.roles.sample_weight)
        if weight.min(initial=0.0) < 0:
            raise column_error(where, column, f"{weight.min()} is below 0; weights must not be negative")
        least = weight.min(where=weight > 0, initial=MOST_WEIGHT)
        if least < LEAST_WEIGHT or weight.max(initial=0.0) > MOST_WEIGHT:
            refused = least if least < LEAST_WEIGHT else weight.max()
            problem = f"{refused} must be 0 or from 2**-500 to 2**500; divide the weights by a constant"
            raise column_error(where, column, problem)
        return weight

    def read_ids(self, ids: Any, where: str, text_columns: Set[str]) -> AnyArray:
        """Return one id per row; refuse missing ids."""
        column = str(self.roles.query_id)
        if _is_arrow_text(ids):
            codes, texts = _encoded(ids, where, column)
            self._ids_are_text = self._ids_are_text or column in text_columns
            self._integer_ids &= column in text_columns and all(map(_is_integer_id, texts))
            return np.array(texts, dtype=object)[codes]
        self._integer_ids = False  # text of other batches stays text too
        values = _to_numpy(ids, where, column)
        if values.dtype.kind == "m":  # DuckDB joins some durations
            raise column_error(where, column, f"has type {values.dtype}; ids must be numbers, text or dates")
        if values.dtype.kind == "O":
            _refuse_missing_values(sum(map(is_missing, values)), values.size, where, column)
        if values.dtype.kind == "O" and values.size and hasattr(values[0], "to_datetime64"):
            # Times of pandas with a time zone; DuckDB would cut them at microseconds and join queries.
            values = np.array([time.to_datetime64() for time in values])
        return values.astype(object) if values.dtype.kind in "SU" else values


def _refuse_missing_values(n_missing: int, n_rows: int, where: str, column: str) -> None:
    """Refuse missing values; batches are read one by one, so later rows may lack values too."""
    if n_missing:
        problem = f"contains missing values in {n_missing} of the {n_rows} rows read at once"
        raise column_error(where, column, problem)


def _is_arrow_text(values: Any) -> bool:
    """Whether values are text of pyarrow, perhaps in a dictionary."""
    kind = getattr(values, "type", None)
    if kind is None or isinstance(values, np.ndarray):
        return False
    kind = getattr(kind, "value_type", None) or kind
    return str(kind) in ("string", "large_string", "string_view")


def _encoded(texts: Any, where: str, column: str) -> tuple[AnyArray, list[str]]:
    """Return a code for each text of pyarrow, and the distinct texts."""
    _refuse_missing_values(texts.null_count, len(texts), where, column)
    encoded = texts if hasattr(texts, "indices") else texts.dictionary_encode()
    return encoded.indices.to_numpy(zero_copy_only=False), encoded.dictionary.to_pylist()


def distinct_labels(labels: Any, where: str, column: str, text_columns: Set[str]) -> list[Label]:
    """Return the distinct labels of some rows in the order of their rows; text of files may be numbers."""
    if not _is_arrow_text(labels):
        return list(dict.fromkeys(_to_numpy(labels, where, column).tolist()))
    _, texts = _encoded(labels, where, column)
    if column not in text_columns or not all(is_number(text.strip(" \t")) for text in texts):
        return list(texts)
    numbers = map(float, texts)
    return [int(number) if number.is_integer() else number for number in numbers]


def _label_of_text(text: str, pos_label: Label, where: str, column: str, text_columns: Set[str]) -> Any:
    """Return a label; text of a file is a number if the positive label is a number."""
    if isinstance(pos_label, str):
        return text
    stripped = text.strip(" \t")
    if column not in text_columns or not is_number(stripped):
        raise _unfit_label(text, pos_label, where, column)
    return float(stripped)


def _unfit_label(label: Any, pos_label: Label, where: str, column: str) -> SourceError:
    kinds = "text" if isinstance(label, str) else "numbers"
    problem = f"contains {kinds} such as {format_value(label)}; got pos_label={pos_label!r}: name one of them"
    return column_error(where, column, problem)


def read_numbers(values: Any, where: str, column: str, text_columns: Set[str]) -> AnyArray:
    """Return finite numbers in a type that represents them exactly."""
    if column in text_columns and _is_arrow_text(values):
        return _numbers_of_text(values, where, column)
    numbers = _to_numpy(values, where, column)
    if numbers.dtype.kind == "O":
        numbers = _numbers_of_objects(numbers, where, column)
    if numbers.dtype.kind not in "biuf":
        raise column_error(where, column, f"has type {numbers.dtype}; expected numbers")
    if numbers.dtype.kind == "f":
        numbers = _finite(numbers, where, column)
        if numbers.dtype.itemsize not in (4, 8):  # float16, and long doubles, which no engine sorts
            wide = numbers.astype(np.float32 if numbers.dtype.itemsize == 2 else np.float64)
            if not np.array_equal(wide, numbers):
                raise column_error(where, column, f"has type {numbers.dtype}, which float64 would round")
            numbers = wide
        return np.add(numbers, 0.0, dtype=numbers.dtype)  # -0.0 becomes 0.0; both are equal
    return numbers.astype(np.int8) if numbers.dtype.kind == "b" else numbers


def _finite(numbers: AnyArray, where: str, column: str) -> AnyArray:
    # The extremes show NaN and infinity in one pass without a copy.
    if numbers.size and not (np.isfinite(numbers.min()) and np.isfinite(numbers.max())):
        _refuse_missing_values(int(np.isnan(numbers).sum()), numbers.size, where, column)
        infinite = numbers[np.isinf(numbers)][0]
        raise column_error(where, column, f"contains {infinite}; numbers must be finite")
    return numbers


def _numbers_of_objects(values: AnyArray, where: str, column: str) -> AnyArray:
    """Return Python's integers, decimals and floats in the first type that represents all of them."""
    _refuse_missing_values(sum(map(is_missing, values)), values.size, where, column)
    text = next((value for value in values if isinstance(value, str | bytes)), None)
    if text is not None:
        raise column_error(where, column, f"contains text such as {format_value(text)}; expected numbers")
    if all(isinstance(value, int) for value in values):
        for dtype in (np.int64, np.uint64):
            with suppress(OverflowError):
                return values.astype(dtype)
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise column_error(where, column, f"cannot be read as numbers: {error}") from None


def _to_numpy(values: Any, where: str, column: str) -> AnyArray:
    """Return an array of numpy or pyarrow as one of numpy; refuse missing values, and lists as values."""
    array = _as_array(values, where, column)
    if array.dtype.kind == "O":
        unhashable = next((value for value in array if not isinstance(value, Hashable)), None)
        if unhashable is not None:
            problem = f"contains {format_value(unhashable)}; expected numbers, text or dates"
            raise column_error(where, column, problem)
    return array


def _as_array(values: Any, where: str, column: str) -> AnyArray:
    if isinstance(values, np.ndarray):
        return values
    if not hasattr(values, "null_count"):
        return np.asarray(values)
    _refuse_missing_values(values.null_count, len(values), where, column)
    if str(values.type).startswith("decimal"):
        values = values.cast("float64")
    array: AnyArray = values.to_numpy(zero_copy_only=False)
    return array


def _numbers_of_text(texts: Any, where: str, column: str) -> AnyArray:
    """Return text of pyarrow as float64, or as integers if float64 would round one."""
    from pyarrow import ArrowInvalid, compute  # noqa: PLC0415  # optional, imported where it is used

    _refuse_missing_values(texts.null_count, len(texts), where, column)
    try:
        numbers: AnyArray = compute.cast(texts, "float64").to_numpy()
    except ArrowInvalid:  # blanks and a leading plus, which the fast reader refuses, or not a number
        stripped = [text.strip(" \t") for text in texts.to_pylist()]
        other = next((text for text in stripped if not is_number(text)), None)
        if other is not None:
            problem = f"{format_value(other)} is not a finite number such as 12, -0.5 or 1e-3"
            raise column_error(where, column, problem) from None
        numbers, texts = np.array(stripped, dtype=np.float64), stripped
    numbers = _finite(numbers, where, column)
    large = np.flatnonzero(np.abs(numbers) >= 2**53)  # 2**53 may be 2**53 + 1, rounded
    if large.size and (numbers % 1 == 0).all():
        digits = texts if isinstance(texts, list) else texts.to_pylist()
        with suppress(ValueError):  # 1e300 is not an integer in text
            return _numbers_of_objects(np.array([int(text) for text in digits], object), where, column)
    return np.add(numbers, 0.0)


def cast_exactly(score: AnyArray, dtype: np.dtype[Any]) -> AnyArray:
    """Return scores in another type, or raise InexactError if it would round one."""
    if score.dtype == dtype:
        return score
    with np.errstate(invalid="ignore", over="ignore"):
        others = score.astype(dtype)
        same = others.astype(score.dtype) == score
    if dtype.kind in "iu" and score.dtype.kind in "iu":  # both wrap around to each other and back
        same &= (others < 0) == (score < 0)
    if dtype.kind in "iu" and score.dtype.kind == "f":  # 2**63 as float64 wraps around
        same &= np.abs(score) < 2.0**63
    elif dtype.kind == "f" and score.dtype.kind in "iu":
        same &= np.abs(others) < 2.0**63
    if not same.all():
        raise InexactError(
            f"{format_value(score[np.argmin(same)])} of type {score.dtype}, which {dtype} would round; "
            "convert all scores to one type"
        )
    return others


def common_type(types: Iterable[np.dtype[Any]]) -> np.dtype[Any]:
    """Return the type to try first for scores of several types."""
    dtype = np.result_type(*types)
    # Smaller types gain nothing: engines sort four types.
    if dtype.kind in "iu":
        return np.dtype(np.uint64 if dtype == np.uint64 else np.int64)
    return np.dtype(np.float32 if dtype.itemsize < 8 else np.float64)


def concatenate_scores(scores: Sequence[AnyArray]) -> AnyArray:
    """Return scores as one array in a type that rounds none of them, or raise InexactError."""
    types = {score.dtype for score in scores}
    if len(types) == 1:
        return np.concatenate(scores)
    tried = [common_type(types), *map(np.dtype, (np.float64, np.int64, np.uint64))]
    for dtype in tried[:-1]:
        with suppress(InexactError):
            return np.concatenate([cast_exactly(score, dtype) for score in scores])
    return np.concatenate([cast_exactly(score, tried[-1]) for score in scores])


def concatenate_ids(ids: Sequence[AnyArray]) -> AnyArray:
    """Return ids as one array; ids of several kinds become objects."""
    kinds = {part.dtype.kind for part in ids}
    is_one_kind = len(kinds) == 1 or np.result_type(*ids).kind in "iu"  # of int64 and uint64 it is a float
    return np.concatenate(ids if is_one_kind else [part.astype(object) for part in ids])


def concatenate(batches: Sequence[Batch]) -> Batch:
    """Return the rows of all batches, or raise InexactError if no type represents all scores."""
    columns: dict[str, AnyArray] = {"score": concatenate_scores([batch.score for batch in batches])}
    for name in dict.fromkeys(name for batch in batches for name in batch.columns() if name != "score"):
        # Rows without weights or numbers have 1 of each.
        parts = [batch.columns().get(name, np.ones(batch.score.size, dtype=np.int64)) for batch in batches]
        columns[name] = np.concatenate(parts) if name == "weight" else concatenate_ids(parts)
    return Batch(**columns)


def read_memory_limit(memory_limit: object) -> int:
    """Return a limit in bytes: a number of them, text such as '500MB' or '2GiB', or 'auto'."""
    if memory_limit == "auto":
        return _available() // _AVAILABLE_SHARE
    if isinstance(memory_limit, str):
        match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(?:([kmgt])(i?))?b?\s*", memory_limit.lower())
        if match and float(match[1]) > 0:
            power = " kmgt".index(match[2] or " ")
            return int(float(match[1]) * (1024 if match[3] else 1000) ** power)
    elif is_real(memory_limit) and 1 <= memory_limit < 2**63:
        return int(memory_limit)
    raise ValueError(
        "memory_limit must be 'auto', a number of bytes or text such as '500MB' or '2GiB'; got "
        f"{memory_limit!r}."
    )


def _available() -> int:
    """Return the bytes that can be used without swapping, as far as the system reports them."""
    available = [_UNKNOWN_MEMORY]
    with suppress(OSError):  # Linux, where caches count as available
        match = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text(encoding="ascii"))
        available = [int(match[1]) * 1024] if match else available
    return max(min(available + _available_in_groups()), _AVAILABLE_SHARE)


def _available_in_groups(
    root: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")
) -> list[int]:
    """Return the bytes that each control group of this process leaves: of a job, and of its container."""
    available, groups = list[int](), [root]
    with suppress(OSError):  # a line such as 0::/system.slice/job.scope; the path is relative to the root
        paths = re.findall(r"^0::/(.+)$", own.read_text(encoding="utf-8"), re.MULTILINE)
        groups += [root / path for whole in paths for path in (whole, *map(str, Path(whole).parents))]
    for group in groups:
        with suppress(OSError, ValueError):  # without a limit, the text is "max"
            limit, used = (int((group / name).read_text()) for name in ("memory.max", "memory.current"))
            # The system takes files that nobody uses out of its cache before memory runs out.
            cache = re.search(r"^inactive_file (\d+)", (group / "memory.stat").read_text(), re.MULTILINE)
            available.append(max(limit - used + (int(cache[1]) if cache else 0), 0))
    return available

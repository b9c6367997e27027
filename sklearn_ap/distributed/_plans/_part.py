"""The columns of a part become checked labels, scores and weights; wrong rows are refused here.

Whatever engine the rows come from, a wrong value gets the same line, with its file, column and row.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from ..._reading._queries import ObjectIds, QueryIds, listed, read_numbered
from ..._reading._read import Checked, is_curve, read, read_curve, recognise, unclear_label
from ..._reading._values import is_missing
from ..._typing import AnyArray, FloatArray, Label
from .._numerals import NUMBER, number_of
from .._source import Part, Place, SourceError, shown
from .._states._columns import concatenated

_LOOKED_AT = 2**14  # labels at once; most parts have a negative among the first ones


class Roles(NamedTuple):
    """The columns that take part."""

    y_true: str
    y_score: str
    sample_weight: str | None = None
    query_id: str | None = None
    pos_label: Label | None = 1  # None, of curves alone: 1 beside 0 or -1
    is_curve: bool = False  # curves take all labels but the positive one for negative

    @property
    def columns(self) -> list[str]:
        """All of them, each once."""
        return list(dict.fromkeys([one for one in self[:4] if one is not None]))

    @property
    def scores(self) -> tuple[str, ...]:
        """The columns of scores."""
        return (self.y_score,)


class ColumnRoles(NamedTuple):
    """The columns that take part where there are several rankings: one per column of scores."""

    y_true: tuple[str, ...]  # one column of 0 and 1 for each column of scores, or a single one of classes
    y_score: tuple[str, ...]
    sample_weight: str | None = None

    @property
    def columns(self) -> list[str]:
        """All of them, each once."""
        weight = () if self.sample_weight is None else (self.sample_weight,)
        return list(dict.fromkeys((*self.y_true, *self.y_score, *weight)))

    @property
    def scores(self) -> tuple[str, ...]:
        """The columns of scores."""
        return self.y_score

    @property
    def query_id(self) -> None:
        """No column: queries go with one column of scores."""
        return None

    @property
    def is_multiclass(self) -> bool:
        """Whether labels are classes in a single column."""
        return len(self.y_true) == 1


class CheckedColumns(NamedTuple):
    """Checked rows of several columns; rows of weight 0 are among them."""

    labels: tuple[AnyArray, ...]  # where each column is 1, or the classes
    scores: tuple[AnyArray, ...]
    weight: FloatArray | None


class Negative(NamedTuple):
    """The label of negatives, and where it stands first."""

    label: Label
    place: Place
    row: int
    # What a curve that names its positive label has seen so far; None once it has seen this one.
    absent_from: frozenset[Label] | None = None


def read_part_of_source(part: Part, roles: Roles) -> tuple[Checked | None, Negative | None]:
    """Return checked rows, None if all weigh 0, and the label of their negatives, or raise SourceError."""
    refuse_ids(part, [name for name in roles[:3] if name is not None])
    labels, score = (part.columns[name] for name in roles[:2])
    weight = None if roles.sample_weight is None else part.columns[roles.sample_weight]
    # The usual rows take one pass. What may be wrong is read again, to find its row.
    pos_label = 1 if roles.pos_label is None else roles.pos_label
    checked = recognise(labels, score, weight, average="macro", pos_label=pos_label)
    if checked is None or (roles.is_curve and not is_curve(checked, labels, roles.pos_label)):
        _refuse(part, roles)
        checked = _read_as_scores_do(labels, score, weight, part, roles)
    if roles.query_id is not None:
        query = read_queries(part, roles.query_id)
        if checked is not None:
            # Rows of weight 0 are gone from what was checked, and their ids go, too.
            if weight is not None and checked.score.size < weight.size:
                query = query[np.flatnonzero(weight)]
            checked = checked._replace(query=query)
    return checked, _negative_in(labels, part, roles)


def read_columns(part: Part, roles: ColumnRoles) -> CheckedColumns:
    """Return checked rows of several columns, or raise SourceError."""
    refuse_ids(part, roles.columns)
    for column in (*roles.y_score, roles.sample_weight):
        if column is not None:
            refuse_numbers(part, column, negative=column != roles.sample_weight)
    read_labels = _read_classes if roles.is_multiclass else _read_indicator
    labels = tuple(read_labels(part, column) for column in roles.y_true)
    # Rows of weight 0 stay: with average="samples", they are rankings that count nothing in the mean.
    weight = None if roles.sample_weight is None else part.columns[roles.sample_weight].astype(np.float64)
    return CheckedColumns(labels, tuple(part.columns[column] for column in roles.y_score), weight)


def _read_indicator(part: Part, column: str) -> AnyArray:
    """Return where a column of 0 and 1 is 1."""
    values = part.columns[column]
    refuse_missing(part, column, values)
    ones = np.asarray(values == 1)
    _refuse_where(part, column, ~(ones | np.asarray(values == 0)), "is not 0 or 1")
    return ones


def _read_classes(part: Part, column: str) -> AnyArray:
    """Return class labels: whole numbers or text."""
    values = part.columns[column]
    refuse_missing(part, column, values)
    # Text comes as objects, among which may be others, and integers beside missing values as floats.
    if values.dtype.kind == "O":
        wrong = np.array([not isinstance(one, str) for one in values.tolist()])
    elif values.dtype.kind == "f":
        wrong = values != np.floor(values)
    else:
        wrong = np.full(values.size, values.dtype.kind not in "biuSU")
    _refuse_where(part, column, wrong, "is not a class, which is an integer or text")
    return values


def same_labels(one: Negative | None, other: Negative | None, roles: Roles | ColumnRoles) -> Negative | None:
    """Return the label of negatives in both, or raise SourceError if they differ."""
    if one is None or other is None:
        return other if one is None else one
    if one.absent_from is not None and other.absent_from is not None:
        return one._replace(absent_from=one.absent_from | other.absent_from)
    # Labels of several columns have no second label: they are 0 and 1, or classes.
    if one.label != other.label and isinstance(roles, Roles):
        if roles.pos_label is None:
            unclear = unclear_label(np.unique([one.label, 1, other.label]))
            raise other.place.error(roles.y_true, str(unclear), other.row)
        first = one.place.at(one.row)
        at = f" of {first.name}, row {first.first_row + 1}"
        problem = f"{shown(other.label)} {_is_third(one.label, roles, at)}"
        raise other.place.error(roles.y_true, problem, other.row)
    return one._replace(absent_from=None)


def refuse_absent_label(found: Negative | None, roles: Roles | ColumnRoles, name: str) -> None:
    """Refuse a curve whose positive label is none of several that all parts hold."""
    if found is not None and found.absent_from is not None and len(found.absent_from) > 1:
        listed = ", ".join(map(shown, np.unique(list(found.absent_from)).tolist()))
        raise SourceError(
            f"{name}: column {shown(roles.y_true)}: pos_label={shown(found.label)} is not a valid label. It "
            f"should be one of {listed}"
        )


def _read_as_scores_do(
    labels: AnyArray, score: AnyArray, weight: AnyArray | None, part: Part, roles: Roles
) -> Checked | None:
    """Read rows as scores do; rows of weight 0 do not count, even where all of a part weigh 0."""
    if weight is not None and np.count_nonzero(weight) < weight.size:
        kept = np.flatnonzero(weight)
        if not kept.size:
            return None
        labels, score, weight = labels[kept], score[kept], weight[kept]
    try:
        if roles.is_curve or roles.pos_label is None:
            return _read_of_curve(labels, score, weight, roles.pos_label)
        return read(labels, score, "macro", roles.pos_label, weight, caller="average_precision_score")
    except (TypeError, ValueError) as error:
        names = {"y_true": roles.y_true, "y_score": roles.y_score, "sample_weight": roles.sample_weight}
        # `read` knows no columns, but names its arguments; only the first line is about the value.
        text = str(error).split("\n", 1)[0]
        column = next((column for name, column in names.items() if column and name in text), roles.y_true)
        raise part.place.error(column, text) from None


def _read_of_curve(
    labels: AnyArray, score: AnyArray, weight: AnyArray | None, pos_label: Label | None
) -> Checked:
    """Read rows as curves do; other parts may hold the positive label."""
    absent = pos_label is not None and not np.count_nonzero(labels == pos_label)
    checked = read_curve(labels, score, labels[0] if absent else pos_label, weight, caller="hit_curve")
    return checked._replace(positive=np.zeros_like(checked.positive)) if absent else checked


def joined_rows(parts: Sequence[Checked]) -> Checked:
    """Return the rows of all parts in their order, or raise ValueError if no type holds all scores."""
    score = concatenated([part.score for part in parts])
    weights = [part.weight for part in parts if part.weight is not None]
    queries = [part.query for part in parts if part.query is not None]
    return Checked(
        np.concatenate([part.positive for part in parts]),
        score,
        (score.min(), score.max()),
        np.concatenate(weights) if weights else None,
        joined_ids(queries) if queries else None,
    )


def joined_ids(parts: Sequence[QueryIds]) -> QueryIds:
    """Return the ids of all parts, one after the other, as one array if it holds the very same ids."""
    arrays = [one for one in parts if not isinstance(one, ObjectIds)]
    kinds = {one.dtype.kind for one in parts}
    # Within a kind, numpy finds a type that holds all ids. Between kinds it would round large integers.
    if len(arrays) == len(parts) and len(kinds) == 1:
        finest = np.result_type(*arrays)
        # But nanoseconds end in the year 2262: numpy 2.5 refuses dates beyond, and older ones wrap around.
        types = [finest, np.dtype(f"{finest.kind}8[us]")] if finest.kind in "mM" else [finest]
        for dtype in types:
            others = (one for one in arrays if one.dtype != dtype)
            with suppress(OverflowError):
                if all(np.array_equal(one.astype(dtype).astype(one.dtype), one) for one in others):
                    return np.concatenate(arrays, dtype=dtype, casting="unsafe")
    # Equal ids get one number, in whatever type a part holds them.
    numbers: dict[Any, int] = {}
    joined = []
    for part in parts:
        distinct, number = numbered(part)
        known = [numbers.setdefault(one, len(numbers)) for one in distinct]
        joined.append(np.array(known, dtype=np.int64)[number])
    return ObjectIds(list(numbers), np.concatenate(joined))


def numbered(ids: QueryIds) -> tuple[list[Any], AnyArray]:
    """Return the distinct ids as Python objects, and the number of each row's own among them."""
    if isinstance(ids, ObjectIds):
        return ids.distinct, ids.number
    distinct, number = np.unique(ids, return_inverse=True)
    return listed(distinct), number


def read_queries(part: Part, column: str) -> QueryIds:
    """Return the query of each row."""
    ids = part.columns[column]
    # Arrays of text drop zeros at the end, so the ids would not be those of other parts.
    try:
        return read_numbered(ids.astype(object) if ids.dtype.kind in "SU" else ids, ids.size, name=column)
    except ValueError as error:
        row = next((row for row, one in enumerate(ids.tolist()) if is_missing(one)), None)
        raise part.place.error(column, str(error) if row is None else "no value", row) from None


def _refuse(part: Part, roles: Roles) -> None:
    """Raise for the first value that is missing or wrong, column by column."""
    labels = part.columns[roles.y_true]
    refuse_missing(part, roles.y_true, labels)
    others = np.asarray(labels != roles.pos_label)
    # A missing label would have differed from both, so it was refused before.
    second = labels[np.argmax(others)]  # the positive label if there are no others
    if not roles.is_curve:
        third = others & np.asarray(labels != second)
        _refuse_where(part, roles.y_true, third, _is_third(second, roles))
    for column in (roles.y_score, roles.sample_weight):
        if column is not None:
            refuse_numbers(part, column, negative=column == roles.y_score)


def refuse_numbers(part: Part, column: str, *, negative: bool, what: str = "weight") -> None:
    """Refuse values that are not finite numbers, and negative ones unless `negative` accepts them."""
    values = part.columns[column]
    refuse_missing(part, column, values)
    if values.dtype.kind not in "biufO" or any(isinstance(one, str) for one in values[:1].tolist()):
        raise _no_number(part, column, values)
    _refuse_where(part, column, np.abs(values) == np.inf, f"is not a {NUMBER}")
    if not negative:
        _refuse_where(part, column, values < 0, f"is below 0, but a {what} is 0 or more")


def _refuse_where(part: Part, column: str, wrong: AnyArray, problem: str) -> None:
    """Refuse the first value of a column that is wrong, if there is one."""
    if np.count_nonzero(wrong):
        row = int(np.argmax(wrong))
        raise part.place.error(column, f"{shown(_python_value(part.columns[column][row]))} {problem}", row)


def _no_number(part: Part, column: str, values: AnyArray) -> SourceError:
    """Return the error about the first text that is not a number: one such cell makes a column text."""
    # A reader of text has seen the whole column, and a part may hold only numbers of it.
    if column in part.texts:
        place, cell = part.texts[column]
        return place.error(column, f"{cell} is not a {NUMBER}", 0)
    texts = map(str, values.tolist())
    row = next((row for row, one in enumerate(texts) if number_of(one) is None), None)
    if row is None:
        return part.place.error(column, f"{shown(values[0])} is text; a column of numbers is wanted", 0)
    return part.place.error(column, f"{shown(values[row])} is not a {NUMBER}", row)


def refuse_ids(part: Part, columns: Sequence[str]) -> None:
    """Refuse dates, times, durations and bytes where numbers or labels are wanted; they are ids only."""
    for column in columns:
        values = part.columns[column]
        is_time = values.dtype.kind in "mM"
        if is_time or (values.dtype == object and isinstance(values[0], bytes)):
            what = "dates or times" if is_time else "bytes"
            raise part.place.error(column, f"holds {what}, which are not labels, scores or weights")


def refuse_missing(part: Part, column: str, values: AnyArray) -> None:
    missing = np.asarray(values != values)  # NaN alone differs from itself
    if np.count_nonzero(missing):
        raise part.place.error(column, "no value", int(np.argmax(missing)))


def _is_third(second: Any, roles: Roles, place: str = "") -> str:
    both = f"pos_label={shown(roles.pos_label)} and {shown(_python_value(second))}{place}"
    return f"is a third label, beside {both}; pos_label must name one of two labels"


def _negative_in(labels: AnyArray, part: Part, roles: Roles) -> Negative | None:
    if roles.is_curve and roles.pos_label is not None:
        found = np.count_nonzero(labels == roles.pos_label)
        return Negative(roles.pos_label, part.place, 0, None if found else frozenset(labels.tolist()))
    pos_label = 1 if roles.pos_label is None else roles.pos_label
    # A part with a single label has none of negatives: that of another part is compared.
    for low in range(0, len(labels), _LOOKED_AT):
        others = labels[low : low + _LOOKED_AT] != pos_label
        row = int(np.argmax(others))
        if others[row]:
            return Negative(_python_value(labels[low + row]), part.place, low + row)
    return None


def _python_value(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value

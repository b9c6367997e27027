"""Data frames: columns are matched by name, and rows are paired by place, with a
warning of indexes in two orders.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..typing import AnyArray
from ..user_messages import warn_user
from .options import short_repr
from .values import is_missing


def column_names(
    values: object, others: Sequence[Any] | None = None
) -> list[Any] | None:
    """Return the names of the columns of a data frame; None for other values, and if
    its columns have no names. `others` are the names that they are matched with.
    """
    # Most values are arrays of numpy, which have no names.
    if isinstance(values, np.ndarray):
        return None
    # The attribute `columns` of a table of Arrow contains the values.
    schema: Any = getattr(values, "schema", None)
    columns = getattr(schema, "names", None)
    # The schema of other libraries has no such list.
    if not isinstance(columns, list):
        columns = getattr(values, "columns", None)
    # If `columns` is a method, the object is no data frame.
    if columns is None or callable(columns):
        return None
    # NaN is not equal to itself.
    names = [
        None if not isinstance(name, tuple) and is_missing(name) else name
        for name in columns
    ]
    return None if _are_places(names, columns, others) else names


def _are_places(names: list[Any], columns: Any, others: Sequence[Any] | None) -> bool:
    """Return whether names are 0, 1, 2, ..., which pandas gives to columns without
    names. `columns` contains the names in the type of the frame.

    They are names if the caller has chosen them, and if `others` are the same numbers
    in another order: then they pair other columns than the places do.
    """
    # False and True are equal to 0 and 1, but the caller has chosen them.
    if names != list(range(len(names))) or bool in {*map(type, names)}:
        return False
    # The columns that pandas numbers itself have a RangeIndex. Names that the caller
    # chose have an index of another class. The columns of other libraries are a list.
    were_chosen = hasattr(columns, "equals") and type(columns).__name__ != "RangeIndex"
    if others is None or not were_chosen:
        return True
    return list(others) == names or {*others} != {*names}


def columns_by_name(
    scores: AnyArray,
    passed: object,
    names: Sequence[Any] | None,
    *,
    argument: str,
    kind_of_names: str,
) -> AnyArray:
    """Return the columns of scores in the order of `names`, if the data frame that was
    passed has columns with these names. Without such names, columns are paired by
    place.

    Names are compared as values: 1 is not "1". Raise ValueError if only some names
    match, or if all names match as text in another order.
    Errors describe the names by `kind_of_names`, such as "classes of y_true".
    """
    columns = column_names(passed, names)
    # If the numbers of columns differ, the check of shapes raises an error.
    if columns is None or names is None or len(columns) != len(names):
        return scores
    # Names of polars and Arrow are text, so 1 becomes "1", and 1.0 "1" or "1.0".
    as_text, names_as_text = (
        [str(name).removesuffix(".0") for name in listed] for listed in (columns, names)
    )
    places = {name: place for place, name in enumerate(columns)}
    # Columns are paired by place if their names are the same as text, in the same
    # order, or if they are names of another kind: no column name equals any of `names`,
    # and all names together are not the same as text.
    are_in_order = as_text == names_as_text
    are_other_names = places.keys().isdisjoint(names) and (
        sorted(as_text) != sorted(names_as_text)
    )
    if are_in_order or are_other_names:
        return scores
    # The same names have another order. A name that occurs twice has no single place.
    if places.keys() == {*names} and len(places) == len(columns):
        return scores[:, [places[name] for name in names]]
    raise ValueError(
        f"{argument} must have all {kind_of_names}, {short_repr(list(names))}, as "
        "names of its columns, in any order, or none of them; got "
        f"{short_repr(columns)}. Rename them, or pass np.asarray of columns in that "
        "order."
    )


def warn_of_other_order(rows: Mapping[str, Any]) -> None:
    """Warn if an argument has the same index as the first argument with an index, but
    in another order, since rows are paired by place.
    """
    indexes = {name: rows[name].index for name in rows if _names_rows(rows[name])}
    for name, other in indexes.items():
        first, *_ = indexes
        index = indexes[first]
        if index.equals(other) or not _have_same_values(index, other):
            continue
        pairing = f"write {name}.loc[{first}.index]"
        if not index.is_unique:
            pairing = "join them by an id that occurs once"
        warn_user(
            f"{first} and {name} have the same values in their indexes, in two orders: "
            f"{short_repr(index.tolist())} and {short_repr(other.tolist())}. Rows are "
            f"paired by place: {pairing} to match them by index, or pass "
            f"np.asarray({name}) if the places are right."
        )


def _have_same_values(index: Any, other: Any) -> bool:
    """Return whether two indexes have the same values in any order."""
    values, others = np.asarray(index), np.asarray(other)
    # Sums of integers take far less time than a sort of their hashes.
    are_integers = values.dtype.kind == others.dtype.kind == "i"
    if are_integers and values.sum() != others.sum():
        return False
    return sorted(map(hash, index)) == sorted(map(hash, other))


def _names_rows(values: Any) -> bool:
    """Return whether values have an index of pandas that contains names of rows.

    The index 0, 1, 2, ... of a frame, or of a Series without a name, such as
    Series(list), contains the numbers of its rows and no names.
    """
    index = getattr(values, "index", None)
    # Other libraries have no index, and the index of a list is a method.
    if not hasattr(index, "equals"):
        return False
    rows = np.asarray(index)
    is_number = rows.dtype.kind in "iu"
    has_name = getattr(values, "name", None) is not None
    return has_name or not (is_number and np.array_equal(rows, np.arange(rows.size)))

"""Names in data frames: columns are matched by name, while rows are paired by place."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from os.path import commonprefix
from typing import Any

import numpy as np

from ..typing import AnyArray
from ..user_messages import warn_user
from .options import short_repr
from .values import is_missing


def column_names(values: object) -> list[Any] | None:
    """Return the names of the columns of a data frame; None for other values.

    Also return None if the names are 0, 1, 2, ..., which pandas gives to columns
    without names.
    """
    # Most values are arrays of numpy, which have no names.
    if isinstance(values, np.ndarray):
        return None
    # Read the schema of a table of Arrow, whose attribute `columns` contains the
    # values.
    schema: Any = getattr(values, "schema", None)
    names = getattr(schema, "names", None)
    # The schema of other libraries has no such list.
    if not isinstance(names, list):
        names = getattr(values, "columns", None)
    # If `columns` is a method, the object is no data frame.
    if names is None or callable(names):
        return None
    listed = [None if _is_nan(name) else name for name in names]
    # False and True are equal to 0 and 1, but the caller has chosen them as names.
    if listed == list(range(len(listed))) and bool not in {*map(type, listed)}:
        return None
    return listed


def _is_nan(name: object) -> bool:
    """Return whether a name is missing, such as NaN, which is not equal to itself."""
    return not isinstance(name, tuple) and is_missing(name)


def names_to_match(
    values: object, others: Sequence[Any] | None, argument: str
) -> list[Any] | None:
    """Return the names of the columns of a data frame, to match them with the names
    `others`; None for other values.

    The names 0, 1, 2, ... are returned only if the caller chose them, and if `others`
    are these names in another order. Names of a default index were not chosen by the
    caller, so such columns are paired by place, with a warning.
    """
    names = column_names(values)
    columns: Any = getattr(values, "columns", None)
    if names is not None or others is None or not hasattr(columns, "equals"):
        return names
    numbers = list(range(len(columns)))
    if list(others) == numbers or {*others} != {*numbers}:
        return None
    if type(columns).__name__ != "RangeIndex":
        return numbers
    warn_user(
        f"Columns of {argument} have a default index, which does not name them, so "
        f"they are paired with columns {short_repr(list(others))} by place: name them "
        f"to match them by name, or pass np.asarray of {argument} if the places are "
        "right."
    )
    return None


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
    match. Also raise it if columns have all names as text, in another order, such as
    "1" for 1 (in polars, Arrow and files) or "p_1". Errors describe the names by
    `kind_of_names`, such as "classes of y_true".
    """
    columns = names_to_match(passed, names, argument)
    if columns is None or names is None:
        return scores
    # If the numbers of columns differ, the check of shapes raises an error.
    if len(columns) != len(names) or columns == list(names):
        return scores
    places = {name: place for place, name in enumerate(columns)}
    matched = [name for name in names if name in places]
    if not matched and not _is_reordered_text(columns, names):
        return scores
    is_repeated = len(set(names)) < len(names) or len(places) < len(columns)
    if len(matched) < len(names) or is_repeated:
        raise ValueError(
            f"{argument} must have all {kind_of_names}, {short_repr(list(names))}, as "
            "names of its columns, in any order, or none of them; got "
            f"{short_repr(columns)}. Rename them, or pass np.asarray of columns in "
            "that order."
        )
    return scores[:, [places[name] for name in names]]


def _is_reordered_text(columns: Sequence[Any], names: Sequence[Any]) -> bool:
    """Return whether columns and names are the same texts in two orders.

    Case, spaces, and a text at the beginning or end of all of them, such as p_, are
    ignored.
    """
    bare_columns = without_shared_ends([*map(_as_text, columns)])
    bare_names = without_shared_ends([*map(_as_text, names)])
    return bare_columns != bare_names and sorted(bare_columns) == sorted(bare_names)


def without_shared_ends(texts: Sequence[str]) -> list[str]:
    """Remove the longest suffix that all texts share, and then the longest prefix that
    the rest of all texts share. Return the shortened texts.
    """
    backwards = [text[::-1] for text in texts]
    n_at_end = len(commonprefix(backwards))  # noqa: RUF071  # these are not paths
    shorter = [text[n_at_end:][::-1] for text in backwards]
    n_at_start = len(commonprefix(shorter))  # noqa: RUF071  # these are not paths
    return [text[n_at_start:] for text in shorter]


def _as_text(name: Any) -> str:
    """Return a name as text in lower case without spaces. Equal numbers have the same
    text.
    """
    with suppress(TypeError, ValueError, OverflowError):
        if not isinstance(name, bool | bytes):
            name = float(name)
    return "".join(str(name).casefold().split())


class RunColumn(list[Any]):
    """A column of a run of a search engine, with the query and the document of each row
    as `rows`.
    """

    rows: tuple[list[Any], list[Any]]


def check_same_run(y_true: object, y_score: object) -> None:
    """Raise ValueError if labels and scores are columns of two runs with different
    documents in their rows.
    """
    if not (isinstance(y_true, RunColumn) and isinstance(y_score, RunColumn)):
        return
    if y_true.rows != y_score.rows:
        raise ValueError(
            "y_score must have the documents of y_true, row by row; got columns of two "
            "runs, which retrieved different documents, or in a different order. "
            "Pass each run to score_by_query to compare their scores by query."
        )


def warn_of_other_order(rows: Mapping[str, object]) -> None:
    """Warn if an argument has the same index as the first argument, but in another
    order, since rows are paired by place.
    """
    indexes = {name: getattr(values, "index", None) for name, values in rows.items()}
    indexed = [name for name in indexes if hasattr(indexes[name], "equals")]
    for name in indexed[1:]:
        first = indexed[0]
        if _is_reordered(indexes[first], indexes[name]):
            warn_user(_text_of_orders(first, indexes[first], name, indexes[name]))


def _is_reordered(first: Any, second: Any) -> bool:
    """Return whether two indexes have the same values in two orders, and neither is a
    default index.
    """
    if first.equals(second) or len(first) != len(second):
        return False
    # pandas cannot compare indexes with different numbers of levels.
    if first.nlevels != second.nlevels:
        return False
    if _is_default(first) or _is_default(second):
        return False
    return bool(first.isin(second).all() and second.isin(first).all())


def _is_default(index: Any) -> bool:
    """Return whether an index is 0, 1, 2, ... in order."""
    values = np.asarray(index)
    return values.dtype.kind in "iu" and np.array_equal(values, np.arange(len(values)))


def _text_of_orders(first: str, index: Any, name: str, other: Any) -> str:
    """Return the warning that `first` and `name` have two orders of the same index."""
    pairing = f"write {name}.loc[{first}.index]"
    if not index.is_unique:
        pairing = "join them by an id that occurs once"
    return (
        f"{first} and {name} have the same values in their indexes, in two orders: "
        f"{short_repr(index.tolist())} and {short_repr(other.tolist())}. Rows are "
        f"paired by place: {pairing} to match them by index, or pass np.asarray({name}) "
        "if the places are right."
    )

"""Advice for the error about a missing column, from the names and types of the columns
that the rows have.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches

from .._shown.sources import format_value, is_number

# An error lists at most this many columns.
_MAX_NAMES = 20
# If more columns than this contain numbers, these may be the scores of classes, not of
# models.
_MAX_MODELS = 3
# Types of numbers by their names in pandas, polars, Arrow, DuckDB, Spark and Python.
_is_numeric = re.compile(
    "u?(tiny|small|big|huge)?int(?!erval)|float|double|halffloat|decimal|real"
).match


def other_columns(
    name: str, names: Sequence[str], types: Iterable[object], *, has_roles: bool
) -> str:
    """Return a list of the available columns, with columns of numbers first, and advice
    on what to write in place of `name`.

    `has_roles` is True if the column of labels or of scores was found.
    """
    kinds = [str(kind).lower() for kind in types]
    numeric = [
        column for column, kind in zip(names, kinds, strict=False) if _is_numeric(kind)
    ]
    distinct = list(dict.fromkeys([*numeric, *names]))
    listed = ", ".join(map(format_value, distinct[:_MAX_NAMES]))
    if len(distinct) > _MAX_NAMES:
        listed += f" and {len(distinct) - _MAX_NAMES} others"
    # In pandas, the names of columns may be numbers.
    words = [str(column) for column in distinct]
    has_classes = len(numeric) > _MAX_MODELS and not has_roles
    advice = [
        *_advice_on_names(name, words),
        *_advice_on_types(kinds, has_classes=has_classes),
        *_advice_on_curves(words),
    ]
    return "; ".join([f"the columns are {listed}", *advice])


def _advice_on_names(name: str, names: Sequence[str]) -> Iterator[str]:
    """Yield advice for a name that is similar to the name of a column, and for files
    without a header or with other separators.
    """
    close = get_close_matches(name, names, 1)
    if len(names) > 1 and close:
        yield f"did you mean {format_value(close[0])}?"
    # If a file has no header, the names are the fields of its first row. The second
    # field of files of TREC is 0 in judgements, and Q0 in runs.
    fields = " ".join(names).split()
    if len(fields) > 1 and fields[1] in ("0", "Q0"):
        yield "to read files of TREC, call sklearn_ap.read_trec(qrels, runs)"
    elif any(map(is_number, names)):
        yield "if the first line is a row, write a line with names of columns above it"
    if len(names) == 1 and (separator := re.search(r"[|:^~ ]", names[0])):
        yield (
            "columns are separated by commas, semicolons or tabs, not by "
            f"{separator[0]!r}"
        )


def _advice_on_types(kinds: Sequence[str], *, has_classes: bool) -> Iterator[str]:
    """Yield advice for lists of ids, or for a table with a column per class."""
    if any("list" in kind for kind in kinds):
        yield (
            "to turn lists of ids into rows, call sklearn_ap.read_lists(relevant, "
            "retrieved) in Python, and for other lists frame.explode(column)"
        )
    elif has_classes:
        yield (
            "if there is one column per class, write one row per class by "
            "frame.melt(id) of labels and of scores, or pass both frames to "
            "sklearn_ap.report in Python"
        )


def _advice_on_curves(names: Sequence[str]) -> Iterator[str]:
    """Yield advice for a table that contains the points of a curve."""
    if {"precision", "recall"} <= {column.lower() for column in names}:
        yield (
            "points of a curve are not rows: pass the label and the score of each row "
            "from which the curve was computed"
        )

"""Advice for the error about a missing column, from the names and types of the columns
that the rows have.
"""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from .._shown.sources import format_value, is_number

# An error lists at most this many columns.
_MAX_NAMES = 20
# More columns of numbers than this may be the scores of classes, not of models.
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
    names = list(dict.fromkeys([*numeric, *names]))
    listed = ", ".join(map(format_value, names[:_MAX_NAMES]))
    if len(names) > _MAX_NAMES:
        listed += f" and {len(names) - _MAX_NAMES} others"
    advice = f"the columns are {listed}"
    if len(names) > 1 and (close := get_close_matches(name, map(str, names), 1)):
        advice += f"; did you mean {format_value(close[0])}?"
    fields = " ".join(map(str, names)).split()
    if fields[1:2] in (["0"], ["Q0"]):
        advice += "; to read files of TREC, call sklearn_ap.read_trec(qrels, runs)"
    elif any(map(is_number, map(str, names))):
        advice += (
            "; if the first line is a row, write a line with names of columns above it"
        )
    if len(names) == 1 and (signs := re.findall(r"[|:^~ ]", str(names[0]))):
        advice += f"; columns are separated by commas, semicolons or tabs, not by {signs[0]!r}"
    if any("list" in kind for kind in kinds):
        advice += (
            "; to turn lists of ids into rows, call sklearn_ap.read_lists(relevant, retrieved) in "
            "Python, and for other lists frame.explode(column)"
        )
    elif len(numeric) > _MAX_MODELS and not has_roles:
        advice += (
            "; if there is one column per class, write one row per class by frame.melt(id) of "
            "labels and of scores, or pass both frames to sklearn_ap.report in Python"
        )
    if {"precision", "recall"} <= {str(column).lower() for column in names}:
        advice += (
            "; points of a curve are not rows: pass the label and the score of each row "
            "from which the curve was computed"
        )
    return advice

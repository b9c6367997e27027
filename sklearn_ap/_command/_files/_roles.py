"""One function per role of a column: labels, scores, weights, queries and items."""

from decimal import Decimal
from typing import Any

import numpy as np

from ..._typing import AnyArray, BoolArray, FloatArray, IntArray
from ._column import Column, listed, shown
from ._numerals import NUMBER, exact, number_of

__all__ = ["items", "positive_labels", "positives", "queries", "scores", "totals", "weights"]

_CONTRARY = (("false", "true"), ("no", "yes"), ("f", "t"), ("n", "y"))  # in any case
_Label = str | bool | int | float | Decimal


def scores(column: Column) -> AnyArray:
    """Return finite numbers, with the same order and the same ties as in the file."""
    if not isinstance(column.cells, np.ndarray):
        return exact(column)
    finite = np.isfinite(column.cells)
    if not finite.all():
        row = int(finite.argmin())
        raise column.error(f"{column.value(row)} is not a {NUMBER}", row=row)
    return column.cells


def weights(column: Column) -> FloatArray:
    """Return the weights; none is below 0, and at least one is above 0."""
    weight = scores(column).astype(np.float64, copy=False)
    if weight.min() < 0:
        row = int((weight < 0).argmax())
        raise column.error(f"{shown(column.value(row))} is below 0, but a weight is 0 or more", row=row)
    if not weight.any():
        raise column.error("every weight is 0, but one at least must be above 0")
    return weight


def totals(column: Column, query: Column | None) -> dict[Any, float] | float:
    """Return the total of positives of each query or, without queries, of all rows.

    Every row of a query repeats its total.
    """
    total = scores(column).astype(np.float64, copy=False)
    code = np.zeros(total.size, dtype=np.intp) if query is None else query.coded.code
    _, first = np.unique(code, return_index=True)  # codes count from 0 in the order of first rows
    differs = total != total[first[code]]
    wrong = differs | (total < 0)
    if wrong.any():
        row = int(wrong.argmax())
        if total[row] < 0:
            raise column.error(f"{shown(column.value(row))} is below 0, but a total is 0 or more", row=row)
        place = int(first[code[row]])
        of = "" if query is None else f" for query {shown(query.value(row))}"
        said = f"{shown(column.value(row))}{of}, but {_place_beside(column, row, place)}"
        raise column.error(f"{said}: all rows of a ranking repeat its total", row=row)
    totals: list[float] = total[first].tolist()
    return totals[0] if query is None else dict(zip(query.coded.distinct, totals, strict=True))


def _place_beside(column: Column, row: int, first: int) -> str:
    """Return what an earlier row holds, with its file if that is another one."""
    path, place = column.located.place(first)
    of_file = "" if path == column.located.place(row)[0] else f" of {shown(path)}"
    return f"row {place + 1}{of_file} has {shown(column.value(first))}"


def positives(column: Column, pos_label: str | None) -> BoolArray:
    """Return which rows are positive: their label equals `pos_label` or, if it is None, 1, true or yes."""
    which: BoolArray = np.array(positive_labels(column, pos_label))[column.coded.code]
    return which


def positive_labels(column: Column, pos_label: str | None) -> list[bool]:
    """Return which of the distinct labels are positive: several may be spellings of one.

    If all labels are numbers, they are compared as exact numbers; otherwise as text.
    """
    distinct = column.coded.distinct
    column.refuse({cell for cell in distinct if _is_missing(cell, also="nan")}, "no value")
    label_of = {cell: number_of(cell) if isinstance(cell, str) else cell for cell in distinct}
    if None in label_of.values():  # one label is not a number: then "1" and "1.0" differ as text
        label_of = {cell: cell for cell in distinct}
    # The same label may have several spellings, such as 1 and 1.0: errors show the first one.
    first_of: dict[Any, object] = {}
    for cell, label in label_of.items():
        first_of.setdefault(label, cell)
    written = [first_of[label] for label in sorted(first_of)]
    if len(written) > 2:
        raise column.error(f"holds {len(written)} labels ({listed(written)}), but two are wanted")
    fractions = {cell for cell in distinct if not _is_whole(label_of[cell])}
    column.refuse(fractions, "{} is not a label: labels are whole numbers or text")
    positive = _positive(column, sorted(first_of), written, pos_label)
    return [bool(label_of[cell] == positive) for cell in distinct]


def _is_missing(cell: object, *, also: str = "") -> bool:
    return isinstance(cell, str) and cell.strip().lower() in ("", also)


def _is_whole(label: object) -> bool:
    """Whether a label is text or a whole number."""
    if isinstance(label, Decimal):
        return label == label.to_integral_value()
    return not isinstance(label, float) or label.is_integer()


def _positive(column: Column, labels: list[_Label], written: list[object], pos_label: str | None) -> object:
    """Return the positive label. It need not be in the column if the only label is 0 or -1: then it is 1.

    Without an option, it is 1, or the word that says so, alone or beside its contrary.
    """
    holds = f"holds the label{'s' * (len(written) > 1)} {listed(written)}"
    if pos_label is None:
        if 1 in labels or labels in ([0], [-1]):
            return 1
        words = {str(label).strip().lower(): label for label in labels}
        for negative, word in _CONTRARY:
            if word in words and set(words) <= {negative, word}:
                return words[word]
        raise column.error(f"{holds}: name the positive one, --pos-label")
    positive: object = pos_label
    if not isinstance(labels[0], str):  # the option is text: read it as the column's own kind of label
        of_booleans = {"False": False, "True": True} if isinstance(labels[0], bool) else {}
        positive = of_booleans.get(pos_label, number_of(pos_label))
    if positive in labels or (positive == 1 and labels in ([0], [-1])):
        return positive
    near = [cell for cell in written if str(cell).strip().casefold() == pos_label.strip().casefold()]
    hint = "".join(f"; {shown(cell)} differs in case or blanks only" for cell in near)
    raise column.error(f"{holds}, but --pos-label is {shown(pos_label)}{hint}")


def queries(column: Column) -> AnyArray:
    """Return one number per distinct id, counted from 0 in the order of first rows."""
    distinct, code = column.coded
    column.refuse({cell for cell in distinct if _is_missing(cell)}, "no value")
    return code


def items(column: Column) -> IntArray:
    """Return one number per distinct id; as text, the numbers have the same order as the ids."""
    distinct, code = column.coded
    column.refuse({cell for cell in distinct if _is_missing(cell)}, "no value")
    texts = list(map(str, distinct))
    first = 10 ** len(str(len(texts)))  # all numbers get the same length, so text order is their order
    place = {text: first + rank for rank, text in enumerate(sorted(set(texts)))}
    number: IntArray = np.array([place[text] for text in texts])
    return number[code]

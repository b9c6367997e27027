"""Which label is positive, and the order of items: what the command makes of columns."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._reading._queries import ObjectIds, QueryIds, listed
from .._typing import IntArray
from ..distributed._numerals import number_of
from ..distributed._source import SourceError, shown
from ._rows import OfLabel

_CONTRARY = (("false", "true"), ("no", "yes"), ("f", "t"), ("n", "y"), ("0", "1"), ("-1", "1"))  # in any case


def positive_label(name: str, column: str, found: Mapping[Any, OfLabel], pos_label: str | None) -> Any:
    """Return the positive label. It need not be in the column if the only label is 0 or -1: then it is 1.

    Without an option, it is 1, or the word that says so, alone or beside its contrary.
    """
    for label, one in found.items():
        if isinstance(label, float) and not label.is_integer():
            raise one.place.error(column, f"{label} is not a label: labels are whole numbers or text", 0)
    labels = sorted(found)
    where = f"{name}: column {shown(column)}"
    if len(labels) > 2:
        text = ", ".join(map(shown, labels[:5])) + (", ..." if len(labels) > 5 else "")
        number = f"{len(labels)} labels" if len(labels) <= 5 else "more than 5 labels"
        raise SourceError(f"{where}: holds {number} ({text}), but two are wanted")
    positive = _by_words(labels) if pos_label is None else _as_typed(labels, pos_label)
    if positive in labels or (positive == 1 and labels in ([0], [-1])):
        return positive
    holds = f"{where}: holds the label{'s' * (len(labels) > 1)} {', '.join(map(shown, labels))}"
    if pos_label is None:
        raise SourceError(f"{holds}: name the positive one, --pos-label")
    near = [one for one in labels if str(one).strip().casefold() == pos_label.strip().casefold()]
    hint = "".join(f"; {shown(one)} differs in case or blanks only" for one in near)
    raise SourceError(f"{holds}, but --pos-label is {shown(pos_label)}{hint}")


def _by_words(labels: list[Any]) -> Any:
    """Return the label that says that it is positive, if one does; 1 may be missing."""
    words = {str(label).strip().lower(): label for label in labels}
    for negative, word in _CONTRARY:
        if word in words and set(words) <= {negative, word}:
            return words[word]
    return None if isinstance(labels[0], str) else 1


def _as_typed(labels: list[Any], pos_label: str) -> Any:
    """Return what was typed as the column's own kind of label."""
    if isinstance(labels[0], str):
        return pos_label
    of_booleans = {"false": False, "true": True} if isinstance(labels[0], bool) else {}
    positive = of_booleans.get(pos_label.strip().lower(), number_of(pos_label))
    return next((label for label in labels if label == positive), positive)


def item_numbers(items: QueryIds) -> IntArray:
    """Return one number per distinct id; as text, the numbers have the same order as the ids."""
    if isinstance(items, ObjectIds):
        distinct, code = items.distinct, items.number
    else:
        values, code = np.unique(items, return_inverse=True)
        distinct = listed(values)
    texts = list(map(str, distinct))
    first = 10 ** len(str(len(texts)))  # all numbers get the same length, so text order is their order
    place = {text: first + rank for rank, text in enumerate(sorted(set(texts)))}
    number: IntArray = np.array([place[text] for text in texts])
    return number[code]

"""The rows of a state. Equal rows are one entry with their number."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._core.reading.frames import warn_of_other_order
from .._core.reading.options import short_repr
from .._core.reading.read import labels_on_host, read, read_labels, read_weights
from .._core.reading.values import read_on_host, shape_of, without_float16
from .._core.rounding import LARGEST_EXACT
from .._core.typing import (
    AnyArray,
    BoolArray,
    FloatArray,
    IntArray,
    Label,
    PassedRows,
)


class Entries(NamedTuple):
    """Rows of a state. Each entry stands for several equal rows."""

    score: AnyArray
    positive: BoolArray
    # The weight of each row of the entry.
    weight: FloatArray
    # The number of rows of the entry.
    counts: IntArray

    def take(self, index: IntArray | slice) -> "Entries":
        """Return these entries, in this order."""
        return Entries._make(column[index] for column in self)


# An entry of no rows, for tables that need at least one entry.
EMPTY_ENTRY = Entries(np.zeros(1), np.zeros(1, bool), np.ones(1), np.zeros(1, np.int64))
NO_ENTRIES = EMPTY_ENTRY.take(slice(0))


# --- reading --------------------------------------------------------------------------


def read_rows(
    inputs: PassedRows, counts: ArrayLike | None = None, *, caller: str
) -> tuple[Entries, tuple[Label, ...]]:
    """Return checked rows with their counts, and a tuple with the label of the
    negatives; without negatives, it is that of the positives, in the type of the
    labels. Rows with weight 0 or count 0 are dropped.
    """
    columns = inputs.y_true, inputs.y_score, inputs.sample_weight, counts
    if all(shape_of(column)[:1] == (0,) for column in columns if column is not None):
        # An engine may hand over a batch or a partition without rows.
        return _types_of_no_rows(inputs)
    # `read` raises an error if all weights are 0. Here, other updates may have weights
    # above 0, so weights are read below.
    positive, score, *_ = read(inputs._replace(sample_weight=None), caller=caller)
    if positive.ndim > 1:
        raise ValueError(
            "y_true must be binary, since a state is one ranking; got "
            f"{positive.shape[1]} columns or classes. Keep a state for each of them."
        )
    warn_of_other_order(
        {
            "y_true": inputs.y_true,
            "sample_weight": inputs.sample_weight,
            "counts": counts,
        }
    )
    weight, n_rows = np.ones(score.size), np.ones(score.size, dtype=np.int64)
    if inputs.sample_weight is not None:
        weight = read_weights("sample_weight", inputs.sample_weight, score.size)
    if counts is not None:
        n_rows = _read_counts(counts, score.size)
    neg_labels = _negative_labels(inputs, positive)
    rows = Entries(score, positive, weight, n_rows)
    # Taking rows copies them, since the caller may change its arrays later.
    kept = np.flatnonzero((n_rows > 0) & (weight > 0))
    return rows.take(kept), neg_labels


def read_arrays(arrays: Mapping[str, Any]) -> Entries:
    """Return the entries of the arrays of a state, which may be empty."""
    inputs = PassedRows(
        arrays["positive"],
        arrays["y_score"],
        "macro",
        True,
        arrays.get("sample_weight"),
    )
    rows, neg_labels = read_rows(
        inputs, arrays.get("counts"), caller="RankingState.from_arrays"
    )
    if {*neg_labels} - {False, True}:
        raise ValueError(
            "positive must be True or False for each row, or 1 or 0; got "
            f"{neg_labels[0]!r}."
        )
    return rows


def _types_of_no_rows(inputs: PassedRows) -> tuple[Entries, tuple[Label, ...]]:
    """Return no rows, with scores of the type of `y_score`, and a tuple with the label
    of the positives, in the type of `y_true`. Lists and objects have no type.
    """
    label: Any = inputs.pos_label
    labels = np.asarray(read_on_host("y_true", inputs.y_true))
    if labels.dtype.kind in "biuf" and not isinstance(inputs.y_true, list):
        # Labels of some types cannot equal that of the positives.
        with suppress(ValueError, OverflowError):
            typed = labels.dtype.type(label).item()
            if typed == label:
                label = typed
    score = np.asarray(read_on_host("y_score", inputs.y_score))
    no_scores = NO_ENTRIES.score
    if score.dtype.kind in "biuf":
        no_scores = without_float16(np.zeros(0, np.result_type(score)))
    return NO_ENTRIES._replace(score=no_scores), (label,)


def _negative_labels(inputs: PassedRows, positive: BoolArray) -> tuple[Label, ...]:
    """Return a tuple with the label of the negatives; without negatives, it is that of
    the positives. Raise ValueError if there is a third label, which a score in memory
    may count as negative, too.
    """
    labels = read_labels(labels_on_host(inputs.y_true))[0].ravel()
    negatives = labels[~positive]
    # `tolist` turns numbers of numpy into those of Python.
    neg_labels: list[Label] = negatives[:1].tolist()
    others = negatives[negatives != negatives[:1]].tolist()
    if others:
        raise ValueError(
            f"y_true must contain two labels; got {neg_labels[0]!r} and "
            f"{others[0]!r} next to pos_label={inputs.pos_label!r}."
        )
    return tuple(neg_labels or labels[:1].tolist())


def _read_counts(counts: ArrayLike, size: int) -> IntArray:
    """Return the number of rows of each entry."""
    # Some databases return sums of integers as floats.
    n_rows = read_weights("counts", counts, size)
    # A larger sum may have been rounded down to this one.
    if (n_rows % 1).any() or n_rows.sum() >= LARGEST_EXACT:
        raise ValueError(
            f"counts must be a whole number for each of {size} rows, with a sum below "
            f"2**53; got {short_repr(counts)}."
        )
    return n_rows.astype(np.int64)


def read_label(name: str, label: object) -> Label:
    """Return a label as a value of Python. Raise ValueError if it is missing, or is not
    a single label.
    """
    value: Any = None
    # Lists of different lengths are no label.
    with suppress(ValueError):
        value = np.asarray(label).tolist()
    if not isinstance(value, int | float | str) or value != value:
        raise ValueError(
            f"{name} must be one int, float, bool or str; got {short_repr(label)}."
        )
    return value


def label_of_column(name: str, labels: ArrayLike) -> Label:
    """Return the label that a column has in all rows."""
    column = np.ravel(labels)
    if column.size and (column == column[0]).all():
        return read_label(name, column[0])
    return read_label(name, labels)


# --- equal rows -----------------------------------------------------------------------


def check_types(parts: Sequence[Entries]) -> None:
    """Raise ValueError if the common type of all scores would round a score."""
    scores = [part.score for part in parts if part.score.size]
    common = np.result_type(bool, *scores)
    for score in scores:
        # Of the types of scores, only float64 rounds, and only integers of 64 bits.
        if common.kind == "f" and score.dtype.kind in "iu":
            largest = max(int(score.min()), int(score.max()), key=abs)
            if abs(largest) > LARGEST_EXACT:
                raise ValueError(
                    f"y_score must have a type that represents all scores; {common}, "
                    f"the common type of all updates, would round {largest}."
                )


def count_equal_rows(parts: Sequence[Entries]) -> Entries:
    """Return each distinct combination of score, label and weight with its number of
    rows, sorted by score, with positives first.
    """
    # A part without rows may have another type of scores.
    filled = [part for part in parts if part.score.size] or parts[:1]
    rows = Entries._make(map(np.concatenate, zip(*filled, strict=True)))
    # `lexsort` sorts by its last key first. It is fast for rows that consist of a few
    # sorted parts, such as the rows of merged states.
    rows = rows.take(np.lexsort((rows.weight, ~rows.positive, rows.score)))
    # Equal rows are neighbours in this order, so a row is new if it differs from the
    # previous one.
    keys = rows.score, rows.positive, rows.weight
    is_new = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    start = np.flatnonzero(np.append(True, is_new)[: rows.score.size])
    n_rows = np.add.reduceat(rows.counts, start)
    return rows.take(start)._replace(counts=n_rows)

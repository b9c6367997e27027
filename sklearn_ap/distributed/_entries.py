"""The rows of a state. Equal rows are one entry with their number.

In a state that knows the scores of all positives, an entry is a cell: all rows of one
label at one place among these scores.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._core.reading.options import short_repr
from .._core.reading.read import labels_on_host, read, read_labels, read_weights
from .._core.typing import (
    AnyArray,
    BoolArray,
    FloatArray,
    IntArray,
    Label,
    PassedRows,
)

# float64 represents all whole numbers up to this one.
_MAX_COUNT = 2**53


class Entries(NamedTuple):
    """Rows of a state. Each entry stands for several equal rows."""

    # The score of the rows, or their place among the scores of positives. Places rank
    # and tie positives and negatives as scores do.
    score: AnyArray
    positive: BoolArray
    # The weight of each row of the entry, or their mean.
    weight: FloatArray
    # The number of rows of the entry.
    counts: IntArray
    # Whether rows of one class had different weights, of which cells keep the means.
    has_mean_weights: bool = False

    def take(self, index: IntArray | slice) -> "Entries":
        """Return these entries, in this order."""
        return Entries(
            self.score[index],
            self.positive[index],
            self.weight[index],
            self.counts[index],
            self.has_mean_weights,
        )


def no_entries(dtype: type = np.float64) -> Entries:
    """Return no entries, with this type of scores."""
    return Entries(
        np.empty(0, dtype), np.empty(0, bool), np.empty(0), np.empty(0, np.int64)
    )


# --- reading --------------------------------------------------------------------------


def read_rows(
    inputs: PassedRows, counts: ArrayLike | None = None, *, caller: str
) -> tuple[Entries, tuple[Label, ...]]:
    """Return checked rows with their counts, and the label of the negatives, if there
    are negatives. Rows with weight 0 or count 0 are dropped.
    """
    weight = None
    if inputs.sample_weight is not None:
        weight = read_weights("sample_weight", inputs.sample_weight)
        # `read` raises an error if all weights are 0. Here, other updates may have
        # weights above 0. So let `read` check the number of weights only.
        inputs = inputs._replace(sample_weight=np.ones_like(weight))
    positive, score, *_ = read(inputs, caller=caller)
    if positive.ndim > 1:
        raise ValueError(
            "y_true must be binary, since a state is one ranking; got "
            f"{positive.shape[1]} columns or classes. Keep a state for each of them."
        )
    if weight is None:
        weight = np.ones(score.size)
    n_rows = np.ones(score.size, dtype=np.int64)
    if counts is not None:
        n_rows = _read_counts(counts, score.size)
    neg_labels = _negative_labels(inputs, positive)
    rows = Entries(score, positive, weight, n_rows)
    # Taking rows copies them, since the caller may change its arrays later.
    kept = np.flatnonzero((n_rows > 0) & (weight > 0))
    return rows.take(kept), neg_labels


def read_arrays(arrays: Mapping[str, Any], positive_scores: AnyArray | None) -> Entries:
    """Return the entries of the arrays of a state, which may be empty."""
    score = arrays["y_score" if positive_scores is None else "place"]
    weight = arrays.get("mean_weight", arrays.get("sample_weight"))
    positive, counts = arrays["positive"], arrays.get("counts")
    columns = positive, score, weight, counts
    # `read` raises an error for rows of which there are none.
    if {np.size(column) for column in columns if column is not None} == {0}:
        return no_entries(np.float64 if positive_scores is None else np.int64)
    inputs = PassedRows(positive, score, "macro", True, weight)
    rows, neg_labels = read_rows(inputs, counts, caller="RankingState.from_arrays")
    if {*neg_labels} - {False}:
        raise ValueError(
            "positive must be True or False for each row, or 1 or 0; got "
            f"{neg_labels[0]!r}."
        )
    if positive_scores is None:
        return rows
    return _at_places(rows, positive_scores.size)._replace(
        has_mean_weights="mean_weight" in arrays
    )


def _negative_labels(inputs: PassedRows, positive: BoolArray) -> tuple[Label, ...]:
    """Return the label of the negatives, if there are negatives. Raise ValueError if
    there is a third label, which a score in memory may count as negative, too.
    """
    labels, *_ = read_labels(labels_on_host(inputs.y_true))
    negatives = labels.ravel()[~positive]
    # `tolist` turns numbers of numpy into those of Python.
    neg_labels: list[Label] = negatives[:1].tolist()
    others = negatives[negatives != negatives[:1]]
    if others.size:
        raise ValueError(
            f"y_true must contain two labels; got {neg_labels[0]!r} and "
            f"{others[0]!r} next to pos_label={inputs.pos_label!r}."
        )
    return tuple(neg_labels)


def _read_counts(counts: ArrayLike, size: int) -> IntArray:
    """Return the number of rows of each entry."""
    # Some databases return sums of integers as floats.
    n_rows = read_weights("counts", counts)
    if n_rows.size != size or (n_rows % 1).any() or n_rows.sum() > _MAX_COUNT:
        raise ValueError(
            f"counts must be a whole number for each of {size} rows, with a sum up to "
            f"2**53; got {short_repr(counts)}."
        )
    return n_rows.astype(np.int64)


def read_positive_scores(scores: ArrayLike) -> AnyArray:
    """Return the distinct scores, sorted. Raise ValueError for NaN."""
    n_scores = np.size(scores)
    if not n_scores:
        return np.empty(0)
    inputs = PassedRows(np.ones(n_scores, dtype=bool), scores, "macro", True)
    try:
        _, score, *_ = read(inputs, caller="RankingState")
    except (TypeError, ValueError) as error:
        error.add_note("These are the scores in positive_scores.")
        raise
    return np.unique(score)


def read_label(name: str, labels: ArrayLike) -> Label:
    """Return the only label that an array contains. Raise ValueError if it contains
    several labels, none, or a missing value.
    """
    values: list[Any] = []
    # Lists of different lengths are no labels.
    with suppress(ValueError):
        values = np.ravel(labels).tolist()
    are_labels = all(
        isinstance(label, int | float | str) and label == label for label in values
    )
    if not are_labels or len({*values}) != 1:
        raise ValueError(
            f"{name} must be one int, float, bool or str; got {short_repr(labels)}."
        )
    label: Label = values[0]
    return label


# --- equal rows -----------------------------------------------------------------------


def check_types(before: Sequence[Entries], added: Sequence[Entries]) -> None:
    """Raise ValueError if the common type of all scores would round a score.

    The scores of `before` were checked together, so only another type may round them.
    """
    common = _common_type([*before, *added])
    to_check = added if common == _common_type(before) else [*before, *added]
    for score in (part.score for part in to_check):
        # Of the types of scores, only float64 rounds, and only integers of 64 bits.
        if score.size and common.kind == "f" and score.dtype.kind in "iu":
            largest = max(int(score.min()), int(score.max()), key=abs)
            if abs(largest) > _MAX_COUNT:
                raise ValueError(
                    f"y_score must have a type that represents all scores; {common}, "
                    f"the common type of all updates, would round {largest}."
                )


def _common_type(parts: Sequence[Entries]) -> np.dtype[Any]:
    """Return the type of the scores of all parts with rows; bool if there are none."""
    return np.result_type(bool, *(part.score for part in parts if part.score.size))


def joined(parts: Sequence[Entries]) -> Entries:
    """Return each distinct combination of score, label and weight with its number of
    rows, sorted by score, with positives first.
    """
    rows = _concatenated(parts)
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


def _concatenated(parts: Sequence[Entries]) -> Entries:
    """Return the entries of all parts."""
    # A part without rows may have another type of scores.
    filled = [part for part in parts if part.score.size] or parts[:1]
    score, positive, weight, counts = (
        np.concatenate([part[column] for part in filled]) for column in range(4)
    )
    return Entries(score, positive, weight, counts)


# --- cells ----------------------------------------------------------------------------


def with_places(rows: Entries, positive_scores: AnyArray) -> Entries:
    """Return rows with their places among the scores of positives: 0 below the first of
    them, 1 at it, 2 between it and the second one, 3 at the second one, and so on.

    Raise ValueError if these scores lack the score of a positive, or if no type
    represents them together with the scores of the rows.
    """
    check_types([rows], [no_entries()._replace(score=positive_scores)])
    # Looking up scores in ascending order takes a sixth of the time.
    rows = rows.take(np.argsort(rows.score))
    below = positive_scores.searchsorted(rows.score)
    is_inside = below < positive_scores.size
    is_tied = np.zeros(rows.score.size, dtype=bool)
    is_tied[is_inside] = positive_scores[below[is_inside]] == rows.score[is_inside]
    others = rows.score[rows.positive & ~is_tied]
    if others.size:
        raise ValueError(
            "positive_scores must contain the scores of all positives; got y_score="
            f"{others.item(0)!r} of a positive, which is not in "
            f"{short_repr(positive_scores)}."
        )
    return rows._replace(score=2 * below + is_tied)


def _at_places(rows: Entries, n_scores: int) -> Entries:
    """Return rows whose scores are places. Raise ValueError if one is not a place among
    so many scores of positives, or not a place of positives.
    """
    place = rows.score
    is_place = np.isin(place, np.arange(2 * n_scores + 1))
    others = place[~is_place | (rows.positive & (place % 2 == 0))]
    if others.size:
        raise ValueError(
            f"place must be a whole number from 0 to {2 * n_scores}, since there are "
            f"{n_scores} positive_scores, and odd for positives; got {others.item(0)!r}."
        )
    return rows._replace(score=place.astype(np.int64))


def joined_cells(parts: Sequence[Entries]) -> Entries:
    """Return each place and label with its number of rows and their mean weight, sorted
    by place, with positives first.
    """
    n_cells = 2 + 2 * max(part.score.max(initial=0) for part in parts)
    counts, weight = np.zeros(n_cells, np.int64), np.zeros(n_cells)
    has_mean_weights = not _have_weight_per_class(parts)
    for part in parts:
        cell = 2 * part.score + ~part.positive
        np.add.at(counts, cell, part.counts)
        if has_mean_weights:
            np.add.at(weight, cell, part.weight * part.counts)
        else:
            # A mean would round the weight that all rows of a cell have.
            weight[cell] = part.weight
    (filled,) = counts.nonzero()
    counts, weight = counts[filled], weight[filled]
    if has_mean_weights:
        weight /= counts
    return Entries(filled // 2, filled % 2 == 0, weight, counts, has_mean_weights)


def _have_weight_per_class(parts: Sequence[Entries]) -> bool:
    """Return whether all positives have one weight, and all negatives have one."""
    for label in (False, True):
        weights = [part.weight[part.positive == label] for part in parts]
        weight = np.concatenate(weights)
        if (weight != weight[:1]).any():
            return False
    return not any(part.has_mean_weights for part in parts)

"""Labels, scores and weights of a part, in types that hold them exactly."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..._reading._read import Checked, read, unboxed
from ..._reading._values import gathered, on_host, refuse_mask
from ..._typing import AnyArray, IntArray, Label

# The types that a state holds: smaller ones become the first that fits.
TYPES = {name: np.dtype(name) for name in ("int32", "int64", "uint64", "float32", "float64")}

_MOST_REPEATED = 2**20  # rows that counts become at a time


def held(score: AnyArray) -> AnyArray:
    """Return checked scores in one of the types that a state holds."""
    # Few types, so that parts of any engine meet in one of them.
    kind, size = score.dtype.kind, score.dtype.itemsize
    if kind in "biu" and size <= 8:
        wanted = score.dtype if size == 8 else TYPES["int64" if score.dtype == np.uint32 else "int32"]
    elif kind == "f" and size <= 8:
        wanted = TYPES["float64" if size == 8 else "float32"]
    else:  # long doubles, and objects such as fractions and decimals
        whole = kind == "O" and all(isinstance(one, int) for one in score)
        return _whole(score) if whole else cast(score, TYPES["float64"])
    return np.asarray(score, dtype=wanted)


def _whole(score: AnyArray) -> AnyArray:
    for name in ("int64", "uint64"):
        try:
            return score.astype(name)
        except OverflowError:
            pass
    raise ValueError(f"y_score must fit into 64 bits; got integers from {score.min()} to {score.max()}.")


def common_type(one: np.dtype[Any], other: np.dtype[Any], lowest: Callable[[], int]) -> np.dtype[Any]:
    """Return the type for scores of both types; `lowest` gives the lowest score if both are integers."""
    if one == other:
        return one
    names = {one.name, other.name}
    if any(name.startswith("float") for name in names):
        return TYPES["float64"]  # an int32 is not exact in float32
    return TYPES["uint64" if "uint64" in names and lowest() >= 0 else "int64"]


def cast(score: AnyArray, dtype: np.dtype[Any]) -> AnyArray:
    """Return the scores in another type, and refuse one that would be rounded."""
    if score.dtype == dtype:
        return score
    with np.errstate(invalid="ignore", over="ignore"):
        others = score.astype(dtype)
        # An integer that overflows on its way back to the type of `score` does not become equal again.
        same = others == score if score.dtype.kind in "fO" else others.astype(score.dtype) == score
    if dtype.kind in "iu" and score.dtype.kind in "iu":
        same &= (others < 0) == (score < 0)  # int64 and uint64 wrap around to each other and back
    if not np.all(same):
        row = int(np.argmin(same))
        raise ValueError(
            f"y_score must be exact in one type for all rows; got {score.flat[row]!s} of {score.dtype}, "
            f"which {dtype} would round. Convert all scores to one type."
        )
    return others


def concatenated(scores: Sequence[AnyArray], axis: int = 0) -> AnyArray:
    """Return scores as one array, in the smallest type that rounds none of them."""
    dtype = scores[0].dtype
    for one in scores[1:]:
        dtype = common_type(dtype, one.dtype, lambda: min(int(array.min()) for array in scores))
    return np.concatenate([cast(one, dtype) for one in scores], axis=axis)


class Labels:
    """The positive label, and the label of negatives once one was seen."""

    def __init__(self, pos_label: Label, negative: Label | None = None) -> None:
        self.pos_label, self.negative = pos_label, negative

    def joined(self, other: "Labels") -> "Labels":
        """Return the labels of both, or raise if they are more than two."""
        if type(self.pos_label) is not type(other.pos_label) or self.pos_label != other.pos_label:
            raise ValueError(
                f"pos_label must be the same in states that are merged; got {self.pos_label!r} and "
                f"{other.pos_label!r}."
            )
        return self.with_negative(other.negative)

    def with_negative(self, negative: Label | None) -> "Labels":
        """Return labels with this negative one, or raise if another one was seen."""
        if negative is None or self.negative is None:
            return Labels(self.pos_label, self.negative if negative is None else negative)
        if negative != self.negative:
            raise ValueError(
                f"y_true must hold the same two labels in all updates; got {negative!r} after "
                f"{self.negative!r}, with pos_label={self.pos_label!r}."
            )
        return self


def read_pos_label(pos_label: Any) -> Label:
    """Return a positive label as Python's own object, or raise if it is of no type that labels have."""
    if not isinstance(pos_label, int | float | str | np.bool_ | np.integer) or pos_label != pos_label:
        raise ValueError(f"pos_label must be an int, a float, a bool or a str; got {pos_label!r}.")
    # States are written as JSON, which knows no number of numpy.
    label: Label = pos_label.item() if isinstance(pos_label, np.generic) else pos_label
    return label


def read_part(y_true: Any, y_score: Any, sample_weight: Any, labels: Labels) -> tuple[Checked, Labels]:
    """Check the rows of an update as scores do, and return them with the labels seen so far."""
    held = gathered(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    y_true, y_score, sample_weight = held.values()
    pos_label, caller = labels.pos_label, "RankingState.update"
    checked = read(y_true, y_score, "macro", pos_label, sample_weight, caller=caller)
    if checked.positive.ndim > 1:
        raise ValueError(
            "y_true must be binary, since a state is one ranking; got "
            f"{checked.positive.shape[1]} columns or classes. Keep a state for each of them."
        )
    return checked, labels.with_negative(_negative_label(y_true, labels.pos_label))


def repeated(checked: Checked, counts: Any) -> Iterator[Checked]:
    """Yield rows as often as they count, in parts of bounded size; one count may be a billion."""
    last = np.cumsum(_read_counts(counts, checked.score.size))
    for first in range(0, int(last[-1]), _MOST_REPEATED):
        start, stop = (bisect_left(last, row) for row in (first + 1, first + _MOST_REPEATED))
        ends = np.minimum(last[start : stop + 1], first + _MOST_REPEATED)
        yield checked.take(np.repeat(np.arange(start, start + ends.size), np.diff(ends, prepend=first)))


def _read_counts(counts: Any, size: int) -> IntArray:
    refuse_mask("counts", counts)
    given = np.asarray(on_host("counts", counts))
    # Sums of integers are floats in some databases.
    fits = given.shape == (size,) and given.dtype.kind in "iuf" and (given >= 0).all()
    if not (fits and 1 <= given.sum(dtype=np.float64) <= 2**53 and (given % 1 == 0).all()):
        raise ValueError(
            f"counts must hold a whole number from 0 on for each of {size} rows, with a sum from 1 to 2**53; "
            f"got {counts!r}."
        )
    return given.astype(np.int64)


def _negative_label(y_true: Any, pos_label: Label) -> Label | None:
    given = np.asarray(y_true.toarray() if hasattr(y_true, "toarray") else on_host("y_true", y_true)).ravel()
    given = unboxed(given) if given.dtype == object else given
    # The first one is enough: that there are no others was checked with the rows.
    others = given != pos_label
    row = int(np.argmax(others))
    if not others[row]:
        return None
    label: Label = given[row].item() if isinstance(given[row], np.generic) else given[row]
    return label

"""One type for the scores of all parts, which rounds none of them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._typing import AnyArray

# The types that a state holds: smaller ones become the first that fits.
TYPES = {name: np.dtype(name) for name in ("int32", "int64", "uint64", "float32", "float64")}


def held(score: AnyArray) -> AnyArray:
    """Return checked scores in one of the types that a state holds."""
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
            f"y_score must be exact in one type for all rows; got {score[row]!s} of {score.dtype}, which "
            f"{dtype} would round. Convert all scores to one type."
        )
    return others

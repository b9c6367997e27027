"""Types of scores: the casts and joins that round no score."""

from collections.abc import Iterable, Sequence

import numpy as np

from .._core.typing import AnyArray
from .._shown.sources import format_value

DType = np.dtype[np.generic]


class InexactError(ValueError):
    """A type would round a score, or every type would round at least one of the scores."""


def cast_exactly(score: AnyArray, dtype: DType) -> AnyArray:
    """Return scores in another type. Raise InexactError if this type would round a
    score.
    """
    if score.dtype == dtype:
        return score
    with np.errstate(invalid="ignore", over="ignore"):
        cast: AnyArray = score.astype(dtype)
        # A conversion to the type and back is not a sufficient test: between two types
        # of integers, a number may wrap around twice, and so may 2**63 between float64
        # and int64.
        same = (cast.astype(score.dtype) == score) & (cast == score)
    # Between floats and integers, a number beyond the range of int64 may seem to be
    # unchanged, since numpy compares the number and its cast as floats.
    floats = [array for array in (score, cast) if array.dtype.kind == "f"]
    if len(floats) == 1:
        same &= np.abs(floats[0]) < 2.0**63
    if not same.all():
        raise InexactError(
            f"{format_value(score[np.argmin(same)])} of type {score.dtype}, which "
            f"{dtype} would round; convert all scores to one type"
        )
    return cast


def score_types(types: Iterable[DType]) -> list[DType]:
    """Return the types to try for scores of several types, in this order. The types are
    among int64, uint64, float32 and float64, since DuckDB and Spark sort only these.
    """
    dtype = np.result_type(*types)
    # If one of these types represents all values of the joint type, try it first.
    suitable = [code for code in ("i8", "u8", "f4") if np.can_cast(dtype, code)]
    codes = (*suitable[:1], "f8", "i8", "u8")
    return list(dict.fromkeys(map(np.dtype, codes)))


def concatenate_scores(scores: Sequence[AnyArray]) -> AnyArray:
    """Return scores as one array in a type that rounds none of them. Raise InexactError
    if every type would round a score.
    """
    types = {score.dtype for score in scores}
    if len(types) == 1:
        return np.concatenate(scores)
    problem = InexactError()
    for dtype in score_types(types):
        try:
            return np.concatenate([cast_exactly(score, dtype) for score in scores])
        except InexactError as error:
            problem = error
    raise problem

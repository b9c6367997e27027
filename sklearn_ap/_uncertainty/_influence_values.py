"""What each row does to a score."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._typing import FloatArray, ScoreFunction
from ._asked import influence_of_rows, read_rows

__all__ = ["influence_values"]


def influence_values(
    score_func: ScoreFunction, y_true: ArrayLike, y_score: ArrayLike, **score_func_params: Any
) -> FloatArray:
    """DOC"""
    score_func(y_true, y_score, **score_func_params)  # so that errors and warnings are those of the score
    rows = read_rows(score_func, y_true, y_score, score_func_params)
    if rows is None:
        raise ValueError(f"score_func must be a score of this package; got {score_func!r}.")
    return influence_of_rows(rows)

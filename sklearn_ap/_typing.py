"""Type aliases of the package: its arrays, its options, and the keyword arguments of scores."""

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "AnyArray",
    "AreaOptions",
    "Average",
    "AveragedBy",
    "BoolArray",
    "ComplexArray",
    "DrawnArea",
    "FloatArray",
    "IntArray",
    "Interpolation",
    "Label",
    "Normalizer",
    "RankingOptions",
    "ScoreOptions",
    "Ties",
    "Totals",
    "ZeroDivision",
]

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
ComplexArray = NDArray[np.complex128]
AnyArray = NDArray[Any]

AveragedBy = Literal["macro", "micro", "weighted", "samples"]
Average = AveragedBy | None
Label = bool | int | float | str
Ties = Literal["proportional", "expected", "stable", "optimistic", "pessimistic"]
Normalizer = Literal["min", "n_positives", "k", "hits"]
DrawnArea = Literal["step", "interpolated", "eleven-point", "linear", "davis-goadrich"]
Interpolation = Literal["linear", "davis-goadrich"]
ZeroDivision = Literal["warn"] | float
Totals = float | ArrayLike | Mapping[Any, float]


class RankingOptions(TypedDict, total=False):
    """Keyword arguments of every score, for type checkers; signatures spell them out."""

    pos_label: Label
    sample_weight: ArrayLike | None
    query_id: ArrayLike | None


class AreaOptions(RankingOptions, total=False):
    """Keyword arguments of scores that are undefined without positives."""

    zero_division: ZeroDivision


class ScoreOptions(AreaOptions, total=False):
    """Keyword arguments of scores that also count missed positives."""

    n_positives: Totals | None

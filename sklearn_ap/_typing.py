"""Type aliases of the package: what the arrays that travel between the rooms hold."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
Interpolation = Literal["linear", "davis-goadrich"]
ZeroDivision = Literal["warn"] | float
Totals = float | ArrayLike | Mapping[Any, float]

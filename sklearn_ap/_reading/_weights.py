"""Read sample weights through scikit-learn's validators: not negative, with a finite sum."""

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_array, column_or_1d

from .._typing import AnyArray, FloatArray


def one_per_row(sample_weight: ArrayLike | None) -> AnyArray | None:
    """Return weights, or a column of them, as a vector; scikit-learn's error would call them y."""
    if sample_weight is None:
        return None
    if np.ndim(sample_weight) == 1 or (np.ndim(sample_weight) == 2 and np.shape(sample_weight)[1] == 1):
        return np.asarray(column_or_1d(sample_weight))
    raise ValueError(
        f"sample_weight should be a 1d array, got an array of shape {np.shape(sample_weight)} instead."
    )


def read_weight(sample_weight: ArrayLike | None, *, copies: int = 1) -> FloatArray | None:
    """Return weights as float64; `copies` is how many times each weight enters a sum."""
    given = one_per_row(sample_weight)
    if given is None:
        return None
    weight: FloatArray = check_array(
        given,
        ensure_2d=False,
        dtype=[np.float64, np.float32],
        input_name="sample_weight",
    ).astype(np.float64)
    if (weight < 0).any():
        row = int(np.argmax(weight < 0))
        raise ValueError(f"sample_weight must not be negative; got {weight[row]} in row {row}.")
    if not weight.any():  # the text is scikit-learn's
        raise ValueError("Sample weights must contain at least one non-zero number.")
    # Finite weights may still add up to infinity, and scores divide by their sum.
    with np.errstate(over="ignore"):
        if not np.isfinite(weight.sum() * copies):
            raise ValueError(
                f"sample_weight adds up to infinity, with weights up to {weight.max()}; divide it by a "
                "constant, which changes no score."
            )
    return weight

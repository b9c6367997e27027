"""Read scores through scikit-learn's validators: finite, in native byte order, and not rounded."""

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import assert_all_finite, check_array, column_or_1d

from .._typing import AnyArray, BoolArray
from ._unrounded import unboxed, unrounded


def read_vector(y_score: ArrayLike) -> AnyArray:
    """Return the scores of rows: one ranking, or one per query."""
    score = column_or_1d(unrounded(y_score))
    assert_all_finite(score)
    return _orderable(np.asarray(score))


def read_matrix(y_score: ArrayLike, positive: BoolArray, kind: str) -> AnyArray:
    """Return one column of scores per column of labels."""
    if kind == "multiclass" and np.shape(y_score) != positive.shape:
        raise ValueError(
            "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains multiple "
            f"classes. Got `y_score.shape={np.shape(y_score)}`."
        )
    given = unrounded(y_score)
    score: AnyArray = check_array(given)
    if isinstance(given, np.ndarray) and given.dtype == object:
        exact = unboxed(given)
        if (exact != score.astype(object)).any():  # scikit-learn rounds objects to float64
            score = exact
    if score.shape != positive.shape:
        raise ValueError(
            f"y_score has shape {score.shape}, but y_true has shape {positive.shape}; give one column of "
            "scores per label."
        )
    return _orderable(np.asarray(score))


def _orderable(score: AnyArray) -> AnyArray:
    """Return numbers in native byte order; objects (fractions, huge integers) keep their exact order."""
    if score.dtype == object:
        score = unboxed(score)
        try:
            if any(isinstance(value, str | bytes) for value in score.flat):
                raise ValueError("strings were given")
            # Only a copy is rounded to float64, to find NaN and infinity. The objects are ranked.
            assert_all_finite(score.astype(np.float64))
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"y_score must hold real numbers; {str(error).rstrip('.')}.") from None
    elif score.dtype.kind not in "biuf":
        raise ValueError(f"y_score must hold real numbers; got dtype {score.dtype}.")
    return np.asarray(score, dtype=score.dtype.newbyteorder("="))

"""The input that nearly every call has, recognised in a few passes over it.

`recognise` takes plain numbers that are obviously what a score expects, and leaves the rest, odd or wrong,
to scikit-learn's validators, whose errors are theirs. Reading with them alone takes longer than ranking.
"""

from typing import Any

import numpy as np

from ._typing import AnyArray, BoolArray, FloatArray

_AVERAGES = ("macro", "micro", "weighted", "samples")


def recognise(
    y_true: Any, y_score: Any, sample_weight: Any, *, average: Any, pos_label: Any
) -> tuple[BoolArray, AnyArray, FloatArray | None, tuple[Any, Any]] | None:
    """Return positive labels, scores, weights and the lowest and highest score, or None for a closer look.

    Recognised are two whole labels or two strings in a vector, or 0 and 1 in a matrix of at least two
    columns, with as many finite scores; and weights above 0 whose sum cannot overflow.
    """
    labels, score = _plain(y_true), _plain(y_score)
    if labels is None or score is None or labels.shape != score.shape or not labels.size:
        return None
    if not (average is None or (isinstance(average, str) and average in _AVERAGES)):
        return None
    if score.dtype.kind not in "biuf" or not score.dtype.isnative:
        return None
    bounds = np.minimum.reduce(score, axis=None), np.maximum.reduce(score, axis=None)
    if not (-np.inf < bounds[0] and bounds[1] < np.inf):  # one of them is NaN or infinite where a score is
        return None
    positive = _where_positive(labels, pos_label)
    if positive is None or sample_weight is None:
        return None if positive is None else (positive, score, None, bounds)
    weight = _plain(sample_weight)
    if weight is None or weight.shape != labels.shape[:1] or not _safe_weights(weight, score.size):
        return None
    return positive, score, weight.astype(np.float64, copy=False), bounds


def _plain(values: Any) -> AnyArray | None:
    """Return lists and what offers itself as an array, such as a Series, as one; no masks, no subclasses."""
    if type(values) is np.ndarray:
        return values
    if type(values) is list:
        try:
            return np.asarray(values)
        except ValueError:  # ragged
            return None
    if hasattr(values, "__array__") and hasattr(values, "dtype") and not isinstance(values, np.ndarray):
        return np.asarray(values)
    return None


def _safe_weights(weight: AnyArray, n_terms: int) -> bool:
    if weight.dtype.kind not in "fiu" or weight.dtype.itemsize > 8:
        return False
    return bool(0 < weight.min() and float(weight.max()) < 1e300 / n_terms)


def _where_positive(labels: AnyArray, pos_label: Any) -> BoolArray | None:
    """Return which labels are `pos_label`, where all others are one label and both are whole or strings."""
    if labels.ndim > 2 or (labels.ndim == 2 and labels.shape[1] == 1):
        return None
    if labels.dtype.kind in "biuf" and pos_label == 1:
        ones: BoolArray = labels == 1
        if np.count_nonzero(labels) == np.count_nonzero(ones):
            return ones
    return _of_two_labels(labels, pos_label) if labels.ndim == 1 else None


def _of_two_labels(labels: AnyArray, pos_label: Any) -> BoolArray | None:
    if labels.dtype.kind in "biuf":
        known = isinstance(pos_label, int | float) and isinstance(labels[0].item(), int | float)
    else:
        known = isinstance(pos_label, str) and labels.dtype.kind in "OU" and isinstance(labels[0], str)
    if not known:
        return None
    try:
        positive = labels == pos_label
        other = labels[positive.argmin()]
        n_others = labels.size - np.count_nonzero(positive)
        if n_others and np.count_nonzero(labels == other) != n_others:
            return None
    except TypeError:  # a missing value, which has no truth value
        return None
    return positive if all(map(_is_whole_or_text, (other, labels[positive.argmax()]))) else None


def _is_whole_or_text(label: Any) -> bool:
    return isinstance(label, str) or (not isinstance(label, bytes) and bool(label % 1 == 0))

"""Recognise the plain input of nearly every call in a few passes over it.

`recognise` accepts only plain numbers that need no interpretation. Everything else, unusual or wrong, goes
through scikit-learn's validators, which alone take longer than ranking.
"""

from array import array
from typing import Any, SupportsFloat

import numpy as np

from .._typing import AnyArray, BoolArray
from ._array_api import is_foreign
from ._checked import Checked
from ._gathered import is_dask
from ._options import is_average

# Made once: a union of types and an attribute of numpy cost as much as a check of a short array.
_LABEL = (int, float, str, np.bool_, np.integer)
_INFINITY = float("inf")
_BLOCK = 131_072  # values that are read twice while they are in the cache; smaller blocks cost more calls


def recognise(
    y_true: object, y_score: object, sample_weight: object, *, average: object, pos_label: object
) -> Checked | None:
    """Return plain input as `Checked`, or None if the input needs scikit-learn's validators.

    Plain input is a vector of two labels (both whole numbers or both strings) or a 0/1 matrix of two or more
    columns, with finite scores of the same shape, and weights > 0 whose sum cannot overflow.
    """
    labels, score = y_true, y_score
    if not type(labels) is type(score) is np.ndarray:
        labels, score = _plain(y_true, any_type=True), _plain(y_score)
    if labels is None or score is None or labels.shape != score.shape or not labels.size:
        return None
    known = is_average(average) and isinstance(pos_label, _LABEL)
    if not known or score.dtype.kind not in "biuf" or not score.dtype.isnative:
        return None
    # Least and greatest score prove that all are finite, and ranking needs them, too.
    bounds = _bounds(score)
    finite = bounds[0] > -_INFINITY and bounds[1] < _INFINITY  # each is NaN if a score is NaN
    # In a list with floats, numpy has rounded integers beyond 2**53.
    exact = type(y_score) is not list or score.dtype.kind != "f" or max(-bounds[0], bounds[1]) < 2.0**53
    positive = _where_positive(labels, pos_label) if finite and exact else None
    if positive is None:
        return None
    if sample_weight is None:
        return Checked(positive, score, bounds)
    weight = _plain(sample_weight)
    if weight is None or weight.shape != labels.shape[:1] or not _is_safe_weight(weight, score.size):
        return None
    return Checked(positive, score, bounds, weight.astype(np.float64, copy=False))


def _bounds(score: AnyArray) -> tuple[Any, Any]:
    """Return the lowest and the highest score; both are NaN where a score is."""
    if score.size <= _BLOCK or not score.flags.c_contiguous:
        return np.minimum.reduce(score, axis=None), np.maximum.reduce(score, axis=None)
    flat = score.reshape(-1)
    parts = [flat[low : low + _BLOCK] for low in range(0, flat.size, _BLOCK)]
    extremes = np.array([(np.minimum.reduce(part), np.maximum.reduce(part)) for part in parts])
    return np.minimum.reduce(extremes[:, 0]), np.maximum.reduce(extremes[:, 1])


def _ones(labels: AnyArray) -> tuple[BoolArray, int]:
    """Return which labels are 1, and how many are neither 0 nor 1."""
    if labels.size <= _BLOCK or not labels.flags.c_contiguous:
        ones: BoolArray = labels == 1
        return ones, int(np.count_nonzero(labels) - np.count_nonzero(ones))
    ones, n_others = np.empty(labels.shape, dtype=bool), 0
    flat, flat_ones = labels.reshape(-1), ones.reshape(-1)
    for low in range(0, flat.size, _BLOCK):
        part = flat[low : low + _BLOCK]
        of_part = np.equal(part, 1, out=flat_ones[low : low + _BLOCK])
        n_others += int(np.count_nonzero(part) - np.count_nonzero(of_part))
    return ones, n_others


def _plain(values: object, *, any_type: bool = False) -> AnyArray | None:
    """Return a list, or an object that holds an array such as a Series, as an array; None for other input.

    Subclasses of ndarray are refused, since a masked array hides entries. Extension types (such as pandas'
    nullable integers) are accepted as labels only: as scores they may be exact where scikit-learn rounds.
    """
    if type(values) is np.ndarray:
        return values
    if type(values) is list:
        try:
            if values and type(values[0]) is int:
                # Takes two thirds of the time of np.asarray(values).
                return np.asarray(array("q", values)).view(np.int64)
        except (TypeError, OverflowError, DeprecationWarning):  # not all are integers, or one exceeds 64 bits
            pass
        try:
            return np.asarray(values)
        except ValueError:  # ragged
            return None
    if not hasattr(values, "__array__") or isinstance(values, np.ndarray):
        return None
    dtype = None if is_foreign(values) or is_dask(values) else getattr(values, "dtype", None)
    return np.asarray(values) if isinstance(dtype, np.dtype) or (any_type and dtype is not None) else None


def _is_safe_weight(weight: AnyArray, n_terms: int) -> bool:
    """Whether all weights are above 0 and far from overflow; comparisons with NaN are False."""
    if weight.dtype.kind not in "fiu" or weight.dtype.itemsize > 8:
        return False
    # The methods min() and max() take twice as long in a short call.
    least, most = np.minimum.reduce(weight), np.maximum.reduce(weight)
    return bool(least > 0 and float(most) < 1e300 / n_terms)


def _where_positive(labels: AnyArray, pos_label: object) -> BoolArray | None:
    """Return which labels are `pos_label`, or None if the others are not plain."""
    if labels.ndim not in (1, 2) or (labels.ndim == 2 and labels.shape[1] == 1):
        return None
    if labels.dtype.kind in "biuf" and pos_label == 1:
        # If as many labels differ from 0 as equal 1, all are 0 or 1. Counting is faster than np.unique.
        ones, n_others = _ones(labels)
        if not n_others:
            return ones
    return _where_positive_of_two(labels, pos_label) if labels.ndim == 1 else None


def _where_positive_of_two(labels: AnyArray, pos_label: object) -> BoolArray | None:
    """Return which labels are `pos_label`, or None unless all others are equal, and both whole or strings."""
    numbers = labels.dtype.kind in "biuf" and labels.dtype.itemsize <= 8
    strings = labels.dtype.kind in "OU" and isinstance(labels[0], str)
    if not (numbers or strings) or isinstance(pos_label, str) != strings:
        return None
    try:
        positive: BoolArray = labels == pos_label
        # The first label that is not `pos_label`, and the first that is; the same one if only one is present.
        present = labels[positive.argmin()], labels[positive.argmax()]
        others = np.count_nonzero(labels == present[0]) if not positive.all() else 0
    except TypeError:  # a missing value, which has no truth value
        return None
    covered = others + np.count_nonzero(positive) == labels.size
    as_expected = _is_text if strings else _is_whole
    return positive if covered and all(map(as_expected, present)) else None


def _is_text(label: object) -> bool:
    return isinstance(label, str)


def _is_whole(label: SupportsFloat) -> bool:
    return float(label).is_integer() and abs(float(label)) < 2**63

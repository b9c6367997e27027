"""All that a score or a curve is given, read and checked; plain arrays take a short way."""

from array import array
from collections.abc import Callable
from numbers import Real
from typing import Any, NamedTuple, SupportsFloat

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.metrics import average_precision_score, precision_recall_curve
from sklearn.utils import check_consistent_length

from .._typing import AnyArray, Average, BoolArray, Bounds, FloatArray, IntArray, Label
from ._columns import (
    check_present,
    inferred_pos_label,
    one_per_row,
    positives_in,
    read_labels,
    read_matrix,
    read_vector,
    read_weight,
)
from ._options import is_average
from ._queries import QueryIds, check_lone, read_numbered, read_query
from ._values import gathered, is_dask, is_foreign, on_host, refuse_mask


class Checked(NamedTuple):
    """Labels, scores and weights that every later module may trust.

    `positive` and `score` have the shape (n_samples,), or (n_samples, n_columns) for multilabel and
    multiclass labels. Rows of weight 0 are gone. They stay only with ``average="samples"``, where each row is
    a ranking and has its weight in the mean.
    """

    positive: BoolArray
    score: AnyArray  # finite, native byte order
    bounds: Bounds  # no score lies outside
    weight: FloatArray | None = None  # (n_samples,), finite, not negative
    query: QueryIds | None = None  # (n_samples,), nothing missing

    def take(self, rows: slice | IntArray) -> "Checked":
        """Return some of the rows, or all of them in another order."""
        return self._replace(
            positive=self.positive[rows],
            score=self.score[rows],
            weight=None if self.weight is None else self.weight[rows],
            query=None if self.query is None else self.query[rows],
        )


def without_weightless_rows(checked: Checked) -> Checked:
    """Drop the rows of weight 0, so no later module has to look for them."""
    weight = checked.weight
    # Counting takes half as long as all() in a short call.
    if weight is None or np.count_nonzero(weight) == weight.size:
        return checked
    return checked.take(np.flatnonzero(weight))


def check_like(reference: Callable[..., object], caller: str, **given: object) -> None:
    """If scikit-learn's decorator would refuse a parameter, raise the same error.

    The class of this error (both a ValueError and a TypeError) is private. So the reference itself is called
    with the wrong value, and valid other arguments, to raise it.
    """
    for name, value in given.items():
        refuse_mask(name, value)
        # Only a wrong value reaches the reference: a call for each valid one would be slow.
        if _well_typed(name, value, pos_label_optional=reference is precision_recall_curve):
            continue
        try:
            reference(**{"y_true": [0, 1], "y_score": [0.0, 1.0], name: value})
        except ValueError as error:
            raise type(error)(str(error).replace(reference.__name__, caller)) from None


def _well_typed(name: str, value: object, *, pos_label_optional: bool) -> bool:
    match name:
        case "average":
            return is_average(value)
        case "pos_label":
            return isinstance(value, Real | str | np.bool_) or (value is None and pos_label_optional)
        case "sample_weight" if value is None:
            return True
        case "y_true" if issparse(value):  # scores and weights must not be sparse
            return True
        case _:  # scikit-learn's definition of an array-like; values are checked later
            sized = any(hasattr(value, has) for has in ("__len__", "shape", "__array__"))
            return sized and not issparse(value) and not np.isscalar(value)


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


def read(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    caller: str,
    average: Average,
    pos_label: Label,
    sample_weight: ArrayLike | None,
    query_id: ArrayLike | None,
) -> Checked:
    """Check what a score was given; `caller` is the public function, for scikit-learn's error texts."""
    checked = recognise(y_true, y_score, sample_weight, average=average, pos_label=pos_label)
    is_plain = checked is not None  # then all weights are above 0
    if checked is None or query_id is not None:  # a plain call has nothing to gather
        held = gathered(y_true=y_true, y_score=y_score, sample_weight=sample_weight, query_id=query_id)
        query_id = held.pop("query_id")
        if checked is None:
            checked = _read_unusual(_on_host(**held), caller, average=average, pos_label=pos_label)
    if query_id is not None:
        checked = checked._replace(query=read_query(query_id, checked.positive, average))
    # A row that is a ranking stays, whatever its weight: the weight counts in the mean over rankings.
    if is_plain or (average == "samples" and checked.positive.ndim == 2):
        return checked
    return without_weightless_rows(checked)


def _read_unusual(given: dict[str, Any], caller: str, *, average: Average, pos_label: Label) -> Checked:
    """Read what is not plain as given: as numpy's arrays or, last, through scikit-learn's validators."""
    checked = recognise(*given.values(), average=average, pos_label=pos_label)
    if checked is not None:
        return checked
    check_like(average_precision_score, caller, **given, average=average, pos_label=pos_label)
    return _read_carefully(**given, pos_label=pos_label)


def _on_host(y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None) -> dict[str, Any]:
    given = {"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight}
    return {name: on_host(name, values) for name, values in given.items()}


def _read_carefully(
    y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None, pos_label: Label
) -> Checked:
    """Read labels, scores and weights through scikit-learn's validators."""
    sample_weight = one_per_row(sample_weight)
    labels, kind = read_labels(y_true)
    positive = positives_in(labels, kind, pos_label)
    check_consistent_length(labels, y_score, sample_weight)
    score = read_vector(y_score) if positive.ndim == 1 else read_matrix(y_score, positive, kind)
    weight = read_weight(sample_weight, copies=positive[0].size)  # one copy per column
    return Checked(positive, score, (score.min(), score.max()), weight)


def read_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    caller: str,
    pos_label: Label | None,
    sample_weight: ArrayLike | None,
    query_id: ArrayLike | None = None,
) -> Checked:
    """Check what a curve was given; `caller` is the public function, for scikit-learn's error texts."""
    held = gathered(y_true=y_true, y_score=y_score, sample_weight=sample_weight, query_id=query_id)
    query_id = held.pop("query_id")
    given = _on_host(**held)
    # Labels are mostly in {0, 1} or {-1, 1}. So 1 is tried first, and `_is_curve` says whether it was right.
    checked = recognise(*given.values(), average=None, pos_label=1 if pos_label is None else pos_label)
    if checked is None or not _is_curve(checked, given["y_true"], pos_label):
        check_like(precision_recall_curve, caller, pos_label=pos_label, **given)
        checked = _read_curve_carefully(**given, pos_label=pos_label)
    if query_id is not None:
        checked = checked._replace(query=read_numbered(query_id, checked.positive.size))
    # Rows go only after ids were read, one per row as given. A query whose rows all weigh 0 does not count.
    checked = without_weightless_rows(checked)
    if checked.query is not None:
        check_lone(checked.query)
    return checked


def _is_curve(checked: Checked, labels: ArrayLike, pos_label: Label | None) -> bool:
    """Whether the input is one ranking, and it is clear which label is positive."""
    if checked.positive.ndim != 1 or pos_label is not None:
        return checked.positive.ndim == 1
    # `recognise` found at most one label beside 1. As in scikit-learn's curves, it must be 0 or -1.
    labels = np.asarray(labels)
    return bool(labels.min() >= -1 and labels.max() <= 1)


def _read_curve_carefully(
    y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None, pos_label: Label | None
) -> Checked:
    """Read labels, scores and weights through scikit-learn's validators."""
    sample_weight = one_per_row(sample_weight)
    labels, kind = read_labels(y_true)
    # With `pos_label`, all other labels are negative, however many there are.
    if kind != "binary" and not (kind == "multiclass" and pos_label is not None):
        raise ValueError(f"{kind} format is not supported")
    labels = labels.ravel()
    if pos_label is not None:
        check_present(pos_label, np.unique(labels))
    positive = labels == (inferred_pos_label(labels) if pos_label is None else pos_label)
    check_consistent_length(labels, y_score, sample_weight)
    weight, score = read_weight(sample_weight), read_vector(y_score)
    return Checked(positive, score, (score.min(), score.max()), weight)

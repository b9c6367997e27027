"""The arrays of a score or a curve, read once and checked; plain arrays take a short way.

Every argument is read once, to a type that represents it exactly. No later module checks it again.
"""

from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any, NamedTuple, SupportsFloat, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.metrics import average_precision_score, precision_recall_curve
from sklearn.utils import assert_all_finite, check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import type_of_target

from .._typing import (
    AnyArray,
    Average,
    AveragedBy,
    BoolArray,
    Bounds,
    FloatArray,
    IntArray,
    Label,
    QueryId,
    QueryWeight,
    Targets,
    Totals,
    ZeroDivision,
)
from ._queries import QueryIds, read_numbered, read_query_weight, refuse_other_queries, refuse_queries
from ._values import LEAST_WEIGHT, MOST_WEIGHT, is_missing, on_host, refuse_mask

_AVERAGES = get_args(AveragedBy)


class Input(NamedTuple):
    """Labels, scores and what goes with them, as the caller of a score or a curve passed them."""

    y_true: ArrayLike
    y_score: ArrayLike
    average: Average = "macro"
    pos_label: Label | None = 1  # None for curves alone
    sample_weight: ArrayLike | None = None
    query_id: ArrayLike | None = None
    query_weight: QueryWeight | None = None
    n_positives: Totals | None = None
    zero_division: ZeroDivision = 0.0


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
    weightless: QueryIds | None = None  # ids of rows of weight 0, if each query has a value of its own
    query_weight: dict[QueryId, float] | None = None  # of each query in the mean over queries

    def take(self, rows: slice | IntArray) -> "Checked":
        """Return some of the rows, or all of them in another order."""
        return self._replace(
            positive=self.positive[rows],
            score=self.score[rows],
            weight=None if self.weight is None else self.weight[rows],
            query=None if self.query is None else self.query[rows],
        )


# Made once: a union of types and an attribute of numpy cost as much as a check of a short array.
_LABEL = (int, float, str, np.bool_, np.integer)
_INFINITY = float("inf")
_LEAST_ROUNDED = 2.0**53  # the least integer that float64 does not tell from the next one
_LABEL_1 = np.array(True)  # 1 in the type of any labels; numpy takes longer to read a 1 of Python


def _recognise(
    y_true: object,
    y_score: object,
    sample_weight: object,
    average: object,
    pos_label: object,
    *,
    as_curve: bool,
) -> Checked | None:
    """Return plain input as `Checked`, or None if the input needs scikit-learn's validators.

    Plain input is a vector of two labels (both whole numbers or both strings) or a 0/1 matrix of two or more
    columns, with finite scores of the same shape, and weights above 0 within the limits.
    """
    labels, score = y_true, y_score
    if not type(labels) is type(score) is np.ndarray:
        labels, score = _plain(y_true), _plain(y_score)
    if labels is None or score is None or labels.shape != score.shape or not labels.size:
        return None
    if as_curve and (pos_label is None or labels.ndim == 2):
        pos_label = 1 if _are_usual(labels) else None
    has_options = _is_average(average) and isinstance(pos_label, _LABEL)
    if not has_options or score.dtype.kind not in "biuf" or not score.dtype.isnative:
        return None
    # Least and greatest score prove that all are finite, and ranking needs them, too.
    bounds = np.minimum.reduce(score, axis=None), np.maximum.reduce(score, axis=None)
    limit = _INFINITY
    if type(y_score) is list and score.dtype.kind == "f":
        limit = _LEAST_ROUNDED  # from here on, integers of the list may have been rounded
    finite = bounds[0] > -limit and bounds[1] < limit  # each is NaN if a score is NaN
    positive = _where_positive(labels, pos_label) if finite else None
    if positive is None:
        return None
    if sample_weight is None:
        return Checked(positive, score, bounds)
    weight = _plain(sample_weight)
    if weight is None or weight.shape != labels.shape[:1] or not _is_safe_weight(weight):
        return None
    return Checked(positive, score, bounds, weight.astype(np.float64, copy=False))


def _are_usual(labels: AnyArray) -> bool:
    """Whether labels of a curve are from -1 to 1, so that its `pos_label` may be 1 if they are two."""
    return labels.ndim == 1 and labels.dtype.kind in "biuf" and labels.min() >= -1 and labels.max() <= 1


def _plain(values: object) -> AnyArray | None:
    """Return a list or a Series as an array, and no subclass, since a masked array hides entries."""
    if type(values) is np.ndarray:
        return values
    if type(values) is list:
        try:
            return np.asarray(values)
        except ValueError:  # ragged
            return None
    is_array = hasattr(values, "__array__") and hasattr(values, "dtype")
    return np.asarray(values) if is_array and not isinstance(values, np.ndarray) else None


def _is_safe_weight(weight: AnyArray) -> bool:
    """Whether all weights are above 0 and within the limits; comparisons with NaN are False."""
    if weight.dtype.kind not in "fiu" or weight.dtype.itemsize > 8:
        return False
    # The methods min() and max() take twice as long in a short call.
    lightest, heaviest = float(np.minimum.reduce(weight)), float(np.maximum.reduce(weight))
    return bool(lightest >= LEAST_WEIGHT and heaviest <= MOST_WEIGHT)


def _where_positive(labels: AnyArray, pos_label: object) -> BoolArray | None:
    """Return which labels are `pos_label`, or None if the others are not plain."""
    if labels.ndim not in (1, 2) or (labels.ndim == 2 and labels.shape[1] == 1):
        return None
    if labels.dtype.kind in "biuf" and pos_label == 1:
        # If as many labels differ from 0 as equal 1, all are 0 or 1. Counting is faster than np.unique.
        ones: BoolArray = labels == _LABEL_1
        if np.count_nonzero(labels) == np.count_nonzero(ones):
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
    for label in present:
        if not (isinstance(label, str) if strings else _is_whole(label)):
            return None
    return positive if others + np.count_nonzero(positive) == labels.size else None


def _is_whole(label: SupportsFloat) -> bool:
    return float(label).is_integer() and abs(float(label)) < 2**63


def _is_average(value: object) -> bool:
    """Whether a value is one of the averages; it need not be hashable."""
    return value is None or (isinstance(value, str) and value in _AVERAGES)


def read(inputs: Input, *, caller: str, as_curve: bool = False) -> Checked:
    """Check labels, scores, weights and queries; `caller` is the public function, for scikit-learn's errors.

    Labels of a curve are those of :func:`sklearn.metrics.precision_recall_curve`: one ranking, where None as
    `pos_label` means 1 among {0, 1} or {-1, 1}, and all labels other than a given one are negative. Of
    `n_positives`, only the names of queries are read, which `query_weight` may name, too.
    """
    average, pos_label, query_id = inputs.average, inputs.pos_label, inputs.query_id
    labels, score = on_host("y_true", inputs.y_true), on_host("y_score", inputs.y_score)
    weight = on_host("sample_weight", inputs.sample_weight)
    checked = _recognise(labels, score, weight, average, pos_label, as_curve=as_curve)
    if checked is not None and query_id is None and inputs.query_weight is None:
        return checked  # all weights are above 0
    if checked is None:
        arrays = {"y_true": labels, "y_score": score, "sample_weight": weight}
        options = {"average": average, "pos_label": pos_label}
        _refuse_like_scikit_learn({**arrays, **options}, caller, as_curve=as_curve)
        checked = _read_carefully(labels, score, weight, pos_label, as_curve=as_curve)
    several_columns = checked.positive.ndim == 2
    if query_id is not None:
        refuse_queries(several_columns=several_columns, average=average)
        checked = checked._replace(query=read_numbered(query_id, checked.positive.size))
    if inputs.query_weight is not None:
        weights = read_query_weight(inputs.query_weight, checked.query, average, query_id)
        if checked.query is not None and hasattr(inputs.query_weight, "items"):
            refuse_other_queries(weights, checked.query, inputs.n_positives)
        checked = checked._replace(query_weight=weights)
    weight = checked.weight
    # A row that is a ranking stays, whatever its weight: the weight counts in the mean over rankings.
    of_rankings = average == "samples" and several_columns
    # Counting takes half as long as all() in a short call.
    if weight is None or of_rankings or np.count_nonzero(weight) == weight.size:
        return checked
    rest = checked.take(np.flatnonzero(weight))
    if average is not None or checked.query is None:
        return rest
    return rest._replace(weightless=checked.query[np.flatnonzero(weight == 0)])


def _refuse_like_scikit_learn(arguments: Mapping[str, object], caller: str, *, as_curve: bool) -> None:
    """If scikit-learn's decorator would refuse a parameter, raise the same error.

    The class of this error (both a ValueError and a TypeError) is private. So the reference itself is called
    with the wrong value, and valid other arguments, to raise it.
    """
    reference: Callable[..., object] = precision_recall_curve if as_curve else average_precision_score
    for name, value in arguments.items():
        refuse_mask(name, value)
        # Only a wrong value reaches the reference: a call for each valid one would be slow.
        if _well_typed(name, value, pos_label_optional=as_curve):
            continue
        try:
            reference(**{"y_true": [0, 1], "y_score": [0.0, 1.0], name: value})
        except ValueError as error:
            raise type(error)(str(error).replace(reference.__name__, caller)) from None


def _well_typed(name: str, value: object, *, pos_label_optional: bool) -> bool:
    match name:
        case "average":
            return _is_average(value)
        case "pos_label":
            return isinstance(value, Real | str | np.bool_) or (value is None and pos_label_optional)
        case "sample_weight" if value is None:
            return True
        case "y_true" if issparse(value):  # scores and weights must not be sparse
            return True
        case _:  # scikit-learn's definition of an array-like; values are checked later
            sized = any(hasattr(value, has) for has in ("__len__", "shape", "__array__"))
            return sized and not issparse(value) and not np.isscalar(value)


def _read_carefully(
    y_true: ArrayLike,
    y_score: ArrayLike,
    sample_weight: ArrayLike | None,
    pos_label: Label | None,
    *,
    as_curve: bool,
) -> Checked:
    """Read labels, scores and weights through scikit-learn's validators."""
    weight = None if sample_weight is None else _weight_vector(sample_weight)
    labels, kind = _read_labels(y_true)
    positive = _positives_in(labels, kind, pos_label, as_curve=as_curve)
    check_consistent_length(labels, y_score, weight)
    score = _read_scores(y_score, positive, kind)
    if weight is not None:
        weight = _read_weight(weight)
    return Checked(positive, score, (score.min(), score.max()), weight)


def _read_labels(y_true: Targets) -> tuple[AnyArray, str]:
    """Return the labels as an array, and scikit-learn's name for their kind."""
    if issparse(y_true):
        y_true = y_true.toarray()
    try:
        labels = np.asarray(y_true)
    except ValueError:  # ragged: scikit-learn names the kind, or raises
        return np.empty(0), type_of_target(y_true, input_name="y_true")
    if labels.ndim and not labels.size:
        raise ValueError(f"y_true is empty: got shape {labels.shape}, but at least one sample is required.")
    if labels.dtype == object:  # scikit-learn accepts objects only if they are strings
        labels = unboxed(labels)
    if labels.dtype.kind in "mM":
        raise ValueError(f"y_true must contain numbers or text; got dtype {labels.dtype}.")
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y_true")
    return labels, type_of_target(labels if labels.ndim else y_true, input_name="y_true")


def unboxed(labels: AnyArray) -> AnyArray:
    """Return labels stored as objects as bools, integers or floats, if each label equals one."""
    if any(is_missing(label) for label in labels.flat):
        raise ValueError("Input y_true contains NaN.")
    # Mixed labels, such as 1 and "1", would become strings here, so they stay objects.
    plain = np.array(labels.ravel().tolist())
    return plain.reshape(labels.shape) if plain.dtype.kind in "biuf" and plain.ndim == 1 else labels


def _positives_in(labels: AnyArray, kind: str, pos_label: Label | None, *, as_curve: bool) -> BoolArray:
    """Return where the labels are positive: a vector, or one column per label or class."""
    # In a curve with `pos_label`, all other labels are negative, however many there are.
    if as_curve and kind != "binary" and (kind != "multiclass" or pos_label is None):
        raise ValueError(f"{kind} format is not supported")
    present = np.unique(labels)
    if as_curve or kind == "binary":
        if pos_label is None:
            _check_usual(present)
            pos_label = 1
        elif present.size > 1 and pos_label not in present:  # rows of one label may all be negative
            raise ValueError(f"pos_label={pos_label} is not a valid label. It should be one of {present}")
        return np.asarray(labels.ravel() == pos_label)
    if kind not in ("multiclass", "multilabel-indicator"):
        raise ValueError(f"{kind} format is not supported")
    if pos_label != 1:
        raise ValueError(
            f"Parameter pos_label is fixed to 1 for {kind} y_true. "
            "Do not set pos_label or set pos_label to 1."
        )
    return np.asarray(labels == 1 if kind == "multilabel-indicator" else labels.reshape(-1, 1) == present)


def _check_usual(present: AnyArray) -> None:
    """Refuse labels outside {0, 1} and {-1, 1}, as scikit-learn does; 1 is the positive one."""
    usual = ([0, 1], [-1, 1], [0], [-1], [1])
    if present.dtype.kind in "OUS" or not any(np.array_equal(present, labels) for labels in usual):
        raise unclear_label(present)


def unclear_label(present: AnyArray) -> ValueError:
    """Return scikit-learn's error where it is unclear which label is positive."""
    values = ", ".join(map(repr, present.tolist()))
    return ValueError(
        f"y_true takes value in {{{values}}} and pos_label is not specified: either make y_true take "
        "value in {0, 1} or {-1, 1} or pass pos_label explicitly."
    )


def _weight_vector(sample_weight: ArrayLike) -> AnyArray:
    """Return weights, or a column of them, as a vector; scikit-learn's error would call them y."""
    shape = np.shape(sample_weight)
    if len(shape) == 1 or (len(shape) == 2 and shape[1] == 1):
        return np.asarray(column_or_1d(sample_weight))
    raise ValueError(f"sample_weight should be a 1d array, got an array of shape {shape} instead.")


def _read_weight(sample_weight: AnyArray) -> FloatArray:
    """Return weights as float64."""
    types = [np.float64, np.float32]
    weight: FloatArray = check_array(
        sample_weight, ensure_2d=False, dtype=types, input_name="sample_weight"
    ).astype(np.float64)
    if (weight < 0).any():
        row = int(np.argmax(weight < 0))
        raise ValueError(f"sample_weight must not be negative; got {weight[row]} in row {row}.")
    if not weight.any():  # the text is scikit-learn's
        raise ValueError("Sample weights must contain at least one non-zero number.")
    extreme = (weight > 0) & ((weight < LEAST_WEIGHT) | (weight > MOST_WEIGHT))
    if extreme.any():
        row = int(np.argmax(extreme))
        raise ValueError(
            f"sample_weight must be 0 or from 2**-500 (3e-151) to 2**500 (3e150); got {weight[row]} in row "
            f"{row}; divide the weights by a constant, which changes no score."
        )
    return weight


def _read_scores(y_score: ArrayLike, positive: BoolArray, kind: str) -> AnyArray:
    """Return scores of rows, or one column of scores per column of labels, in native byte order."""
    if positive.ndim == 1:
        score = np.asarray(column_or_1d(y_score))
    else:
        if kind == "multiclass" and np.shape(y_score) != positive.shape:
            raise ValueError(
                "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains multiple "
                f"classes. Got `y_score.shape={np.shape(y_score)}`."
            )
        score = check_array(y_score)
    if score.dtype == object:  # decimals, fractions and integers beyond 64 bits
        try:
            if any(isinstance(value, str | bytes) for value in score.flat):  # numpy would read "1.5" as 1.5
                raise ValueError("got strings")
            score = score.astype(np.float64)
            assert_all_finite(score)
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"y_score must contain real numbers; {str(error).rstrip('.')}.") from None
    assert_all_finite(score)
    if isinstance(y_score, list) and score.dtype.kind == "f":
        _refuse_rounded_integers(y_score, score)
    if score.dtype.kind not in "biuf":
        raise ValueError(f"y_score must contain real numbers; got dtype {score.dtype}.")
    if score.shape != positive.shape:
        raise ValueError(
            f"y_score has shape {score.shape}, but y_true has shape {positive.shape}; give one column of "
            "scores per label."
        )
    return np.asarray(score, dtype=score.dtype.newbyteorder("="))


def _refuse_rounded_integers(y_score: list[Any], score: FloatArray) -> None:
    """Refuse integers of a list that float64 rounds: numpy has no type for them and the other scores."""
    passed = np.array(y_score, dtype=object).ravel()
    for value, rounded in zip(passed.tolist(), score.ravel().tolist(), strict=True):
        if isinstance(value, int) and int(rounded) != value:
            raise ValueError(
                f"y_score must not contain integers that float64 rounds; got {value} in a list with other "
                "numbers. Pass an array of one integer type, or floats."
            )

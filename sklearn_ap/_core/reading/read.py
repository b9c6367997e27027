"""The arrays of a score or a curve, read once and checked; plain arrays take a short
way.

Every argument is read once, to a type that represents it exactly. No later module
checks it again.
"""

from collections.abc import Callable
from contextlib import suppress
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.metrics import average_precision_score, precision_recall_curve
from sklearn.utils import (
    assert_all_finite,
    check_array,
    check_consistent_length,
    column_or_1d,
)
from sklearn.utils.multiclass import type_of_target

from ..typing import (
    AnyArray,
    BoolArray,
    Bounds,
    FloatArray,
    IntArray,
    Label,
    PassedRows,
    Targets,
)
from .ids import QueryIds, read_numbered, refuse_queries
from .names import column_names, order_of_columns, warn_of_other_order
from .notes import note_on_scores, shape_of
from .options import AVERAGES, short_repr
from .values import (
    LEAST_WEIGHT,
    MOST_WEIGHT,
    is_missing,
    on_host,
    refuse_mask,
)


class CheckedRows(NamedTuple):
    """Labels, scores and weights that every later module may trust.

    `positive` and `score` have the shape (n_samples,), or (n_samples, n_columns) for
    multilabel and multiclass labels. Rows of weight 0 are gone. They stay only with
    ``average="samples"``, where each row is a ranking and has its weight in the mean.
    """

    positive: BoolArray
    score: AnyArray  # finite, native byte order
    bounds: Bounds  # no score lies outside
    weight: FloatArray | None = None  # (n_samples,), finite, not negative
    query: QueryIds | None = None  # (n_samples,), nothing missing
    # Ids of the rows of weight 0, which are gone.
    weightless: QueryIds | None = None

    def take(self, rows: slice | IntArray) -> "CheckedRows":
        """Return some of the rows, or all of them in another order."""
        return self._replace(
            positive=self.positive[rows],
            score=self.score[rows],
            weight=None if self.weight is None else self.weight[rows],
            query=None if self.query is None else self.query[rows],
        )


_TEXT_OR_DATE = (str, bytes, date, timedelta, np.datetime64, np.timedelta64)
# Types that labels have. The tuple is made once, since making it takes as long as a
# short check.
_LABEL = (
    int,
    float,
    str,
    np.bool_,
    np.integer,
)
_WITHOUT_INDEX = {np.ndarray, list, type(None)}
_INFINITY = float("inf")
_SHORT_ROWS = 10_000  # up to here, numpy's calls take longer than their work
_LEAST_ROUNDED = 2.0**53  # float64 has every smaller integer
_LISTS_OF_IDS = (
    "Lists of ids, one per query, become rows by sklearn_ap.read_lists(relevant, "
    "retrieved)."
)
_ONE_CLASS = (
    "Take one class: a column of y_true and of y_score or, of several labels, "
    "np.asarray(y_true) == label and the scores of this label."
)
_NO_LABELS = (
    "y_true must contain labels, and y_score scores: swap them if they are not."
)
_WITHOUT_LABEL = (  # it begins with scikit-learn's text
    "Input y_true contains NaN. Leave out rows without a label, such as by "
    "frame.dropna(subset=['label']) of pandas. Where cells of a matrix lack labels, "
    "pass the labelled cells in one vector, their columns as query_id, and "
    "zero_division=np.nan."
)
# 1 in the type of any labels; numpy takes longer to read a 1 of Python
_LABEL_1 = np.array(True)


def _recognise(inputs: PassedRows, *, as_curve: bool) -> CheckedRows | None:
    """Return plain input as `CheckedRows`, or None if the input needs scikit-learn's
    validators.

    Plain input is a vector of two labels (both whole numbers or both strings) or a 0/1
    matrix of two or more columns, with finite scores of the same shape, or a vector of
    three or more classes with a column of scores for each; and weights above 0 within
    the limits.
    """
    labels = _plain("y_true", inputs.y_true)
    score = _plain("y_score", inputs.y_score)
    pos_label, weight = inputs.pos_label, None
    if labels is None or score is None or not labels.size:
        return None
    if as_curve and (labels.ndim == 2 or pos_label is None):
        # As in scikit-learn's curves, 1 is then the positive label if the other one is
        # 0 or -1.
        are_usual = (
            labels.ndim == 1 and labels.dtype.kind in "biuf" and labels.min() >= -1
        )
        pos_label = 1 if are_usual and labels.max() <= 1 else None
    elif score.ndim == 2 and labels.ndim == 1 and pos_label == 1:
        labels = _columns_of_classes(labels, score.shape[1])
    if (
        labels.shape != score.shape
        or not isinstance(pos_label, _LABEL)
        or score.dtype.kind not in "biuf"
        or not score.dtype.isnative
    ):
        return None
    # Least and greatest score prove that all are finite, and ranking needs them, too.
    bounds = _bounds_of(score)
    # In a list, numpy may have rounded large integers.
    limit = _INFINITY
    if isinstance(inputs.y_score, list) and score.dtype == np.float64:
        limit = _LEAST_ROUNDED
    # Both bounds are NaN if a score is NaN, and comparisons with NaN are False.
    finite = bounds[0] > -limit and bounds[1] < limit
    positive = _where_positive(labels, pos_label) if finite else None
    if inputs.sample_weight is not None:
        weight = _plain_weight(inputs.sample_weight, labels.shape[0])
        if weight is None:
            return None
    if positive is None:
        return None
    return CheckedRows(positive, score, bounds, weight)


def _columns_of_classes(labels: AnyArray, n_columns: int) -> AnyArray:
    """Return a column per class, three or more, that says whether a row has it; the
    labels themselves if they are not whole numbers or text, or not so many.
    """
    if n_columns < 3 or labels.dtype.kind not in "iuU":
        return labels
    classes = np.unique(labels)
    if classes.size != n_columns:
        return labels
    columns: BoolArray = labels[:, np.newaxis] == classes
    return columns


def _bounds_of(score: AnyArray) -> Bounds:
    """Return the least and the greatest score; both are NaN if a score is."""
    # Their places take a third of the time in a short call, but longer in long arrays
    # whose rows do not stand together.
    if score.ndim == 1 and score.size <= _SHORT_ROWS:
        return score.item(score.argmin()), score.item(score.argmax())
    return np.minimum.reduce(score, axis=None), np.maximum.reduce(score, axis=None)


def _plain(name: str, values: object) -> AnyArray | None:
    """Return an array, a list or a Series as an array; None for others, and for what
    hides entries.
    """
    if type(values) is np.ndarray:
        return values
    if type(values) is not list:
        values = on_host(name, values)
        is_array = hasattr(values, "__array__") and hasattr(values, "dtype")
        if not is_array or isinstance(values, np.ma.MaskedArray):
            return None
    try:
        return np.asarray(values)
    except ValueError:  # ragged
        return None


def _plain_weight(sample_weight: object, n_rows: int) -> FloatArray | None:
    """Return a vector of weights above 0 and within the limits, or None for others."""
    weight = _plain("sample_weight", sample_weight)
    if weight is None or weight.shape != (n_rows,) or weight.dtype.kind not in "biuf":
        return None
    # The methods min() and max() take twice as long in a short call; comparisons with
    # NaN are False.
    lightest = float(np.minimum.reduce(weight))
    heaviest = float(np.maximum.reduce(weight))
    is_safe = lightest >= LEAST_WEIGHT and heaviest <= MOST_WEIGHT
    if is_safe:
        return weight.astype(np.float64, copy=False)
    return None


def _where_positive(
    labels: AnyArray, pos_label: Label | np.bool_ | np.integer
) -> BoolArray | None:
    """Return which labels are `pos_label`, or None unless all others are equal, and
    both whole or strings.
    """
    is_numeric = labels.dtype.kind in "biuf"
    if (
        is_numeric
        and pos_label == 1
        and labels.ndim in (1, 2)
        and labels.shape[1:] != (1,)
    ):
        # If as many labels differ from 0 as equal 1, all are 0 or 1. Counting is faster
        # than np.unique.
        ones: BoolArray = labels == _LABEL_1
        if np.count_nonzero(labels) == np.count_nonzero(ones):
            return ones
    is_text = labels.dtype.kind in "OU"
    if (
        labels.ndim != 1
        or not (is_numeric or is_text)
        or is_text != isinstance(pos_label, str)
    ):
        return None
    try:
        positive: BoolArray = labels == pos_label
        # This is the first label that is not `pos_label`, if there is one.
        other = labels[positive.argmin()]
        n_plain = np.count_nonzero(positive) + np.count_nonzero(labels == other)
    except TypeError:  # a missing value, which has no truth value
        return None
    if is_text:
        is_plain = isinstance(other, str)
    else:
        is_plain = _is_whole(other) and _is_whole(pos_label)
    if is_plain and n_plain >= labels.size:
        return positive
    return None


def _is_whole(label: float | str | np.bool_ | np.integer) -> bool:
    return float(label).is_integer() and abs(float(label)) < 2**63


def _is_average(value: object) -> bool:
    """Whether a value is one of the averages; it need not be hashable."""
    return value is None or (isinstance(value, str) and value in AVERAGES)


def read(
    inputs: PassedRows, *, caller: str, as_curve: bool = False, order_only: bool = False
) -> CheckedRows:
    """Check labels, scores, weights and queries; `caller` is the public function, for
    scikit-learn's errors.

    Labels of a curve are those of :func:`sklearn.metrics.precision_recall_curve`: one
    ranking, where None as `pos_label` means 1 among {0, 1} or {-1, 1}, and all labels
    other than a given one are negative. Where only the order of scores matters
    (`order_only`), ranks replace numbers that differ in more digits than float64 has.
    """
    average = inputs.average
    query_id = inputs.query_id
    types = {type(inputs.y_score), type(inputs.sample_weight), type(query_id)}
    if not types <= _WITHOUT_INDEX:
        rows = "y_true", "y_score", "sample_weight", "query_id"
        warn_of_other_order({name: getattr(inputs, name) for name in rows})
    checked = _recognise(inputs, as_curve=as_curve) if _is_average(average) else None
    if checked is not None and query_id is None:
        return checked  # all weights are above 0
    if checked is None:
        labels = on_host("y_true", inputs.y_true)
        score = on_host("y_score", inputs.y_score)
        sample_weight = on_host("sample_weight", inputs.sample_weight)
        inputs = inputs._replace(
            y_true=labels, y_score=score, sample_weight=sample_weight
        )
        _refuse_like_scikit_learn(inputs, caller, as_curve=as_curve)
        with np.errstate(invalid="ignore"):  # scikit-learn adds up inf and -inf
            checked = _read_carefully(inputs, as_curve=as_curve, order_only=order_only)
    several_columns = checked.positive.ndim == 2
    if query_id is not None:
        refuse_queries(several_columns=several_columns, average=average)
        checked = checked._replace(query=read_numbered(query_id, checked.positive.size))
    weight = checked.weight
    # A row that is a ranking stays, whatever its weight: the weight counts in the mean
    # over rankings.
    if weight is None or (average == "samples" and several_columns) or weight.all():
        return checked
    kept = checked.take(np.flatnonzero(weight))
    if checked.query is None:
        return kept
    return kept._replace(weightless=checked.query[np.flatnonzero(weight == 0)])


def rows_kept(sample_weight: ArrayLike | None) -> slice | IntArray:
    """Return which of the caller's rows `read` keeps: those with a weight."""
    if sample_weight is None:
        return slice(None)
    weight: Any = on_host("sample_weight", sample_weight)
    return np.flatnonzero(np.asarray(weight, dtype=np.float64))


def _refuse_like_scikit_learn(
    inputs: PassedRows, caller: str, *, as_curve: bool
) -> None:
    """If scikit-learn's decorator would refuse a parameter, raise the same error.

    The class of this error (both a ValueError and a TypeError) is private. So the
    reference itself is called with the wrong value, and valid other arguments, to raise
    it.
    """
    reference: Callable[..., object] = (
        precision_recall_curve if as_curve else average_precision_score
    )
    y_true, y_score, average, pos_label, sample_weight, *_ = inputs
    is_well_typed = {
        "y_true": issparse(y_true) or _is_array_like(y_true),
        "y_score": _is_array_like(y_score),
        "sample_weight": sample_weight is None or _is_array_like(sample_weight),
        "average": _is_average(average),
        "pos_label": isinstance(pos_label, Real | str | np.bool_)
        or (as_curve and pos_label is None),
    }
    for name, may_pass in is_well_typed.items():
        value = getattr(inputs, name)
        refuse_mask(name, value)
        if may_pass:  # a call of the reference for each such value would be slow
            continue
        try:
            reference(**{"y_true": [0, 1], "y_score": [0.0, 1.0], name: value})
        except ValueError as error:
            raise type(error)(str(error).replace(reference.__name__, caller)) from None


def _is_array_like(value: object) -> bool:
    """Whether a value has a length and may have elements, as scikit-learn's decorator
    asks.
    """
    has_length = any(hasattr(value, name) for name in ("__len__", "shape", "__array__"))
    return has_length and not issparse(value) and not np.isscalar(value)


def _read_carefully(
    inputs: PassedRows, *, as_curve: bool, order_only: bool
) -> CheckedRows:
    """Read labels, scores and weights through scikit-learn's validators."""
    weight = None
    if inputs.sample_weight is not None:
        weight = read_weights("sample_weight", inputs.sample_weight)
        if not weight.any():  # the text is scikit-learn's
            raise ValueError(
                "Sample weights must contain at least one non-zero number."
            )
    y_score, pos_label = inputs.y_score, inputs.pos_label
    labels, kind = _read_labels(inputs.y_true)
    if kind == "multiclass" and _names_a_class(
        labels, pos_label, y_score, as_curve=as_curve
    ):
        kind = "binary"  # all other labels are negative, however many there are
    try:
        positive = _positives_in(labels, kind, pos_label, as_curve=as_curve)
        check_consistent_length(labels, y_score, weight)
        score = _read_scores(
            y_score, positive, kind, as_curve=as_curve, order_only=order_only
        )
    except ValueError as error:  # scikit-learn's texts stay, but name no argument
        note = note_on_scores(str(error), y_score, labels, kind, pos_label)
        if note:
            error.add_note(note)
        raise
    if score.ndim == 2:
        names, of = column_names(inputs.y_true), "columns of y_true"
        if kind == "multiclass":
            names, of = np.unique(labels).tolist(), "classes of y_true"
        order = order_of_columns(y_score, names, argument="y_score", of=of)
        if order is not None:
            score = score[:, order]
    return CheckedRows(positive, score, (score.min(), score.max()), weight)


def _read_labels(y_true: Targets) -> tuple[AnyArray, str]:
    """Return the labels as an array, and scikit-learn's name for their kind."""
    if issparse(y_true):
        y_true = y_true.toarray()
    try:
        labels = np.asarray(y_true)
    except ValueError:  # ragged: scikit-learn names the kind, or raises
        try:
            return np.empty(0), type_of_target(y_true, input_name="y_true")
        except ValueError as error:
            error.add_note(_LISTS_OF_IDS)
            raise
    if labels.ndim and not labels.size:
        raise ValueError(
            f"y_true is empty: got shape {labels.shape}, but at least one sample is "
            "required."
        )
    if labels.dtype == object:  # scikit-learn accepts objects only if they are strings
        labels = unboxed(labels)
    if labels.dtype.kind in "mMT":
        cast = "; pass y_true.tolist()" * (labels.dtype.kind == "T")
        raise ValueError(
            f"y_true must contain numbers or text; got dtype {labels.dtype}{cast}."
        )
    if labels.dtype.kind == "f":
        if np.isnan(labels).any():
            raise ValueError(_WITHOUT_LABEL)
        assert_all_finite(labels, input_name="y_true")
    return labels, type_of_target(
        labels if labels.ndim else y_true, input_name="y_true"
    )


def unboxed(labels: AnyArray) -> AnyArray:
    """Return labels stored as objects, such as decimals, as bools, integers or floats,
    if each label equals one.
    """
    if any(is_missing(label) for label in labels.flat):
        raise ValueError(_WITHOUT_LABEL)
    # Mixed labels, such as 1 and "1", would become strings here, so they stay objects.
    plain = np.array(labels.ravel().tolist())
    if all(isinstance(label, Decimal | Fraction) for label in labels.flat):
        plain = plain.astype(np.float64)
        if not (plain == labels.ravel()).all():
            plain = labels
    if plain.dtype.kind in "biuf" and plain.ndim == 1:
        return plain.reshape(labels.shape)
    return labels


def _names_a_class(
    labels: AnyArray, pos_label: Label | None, y_score: ArrayLike, *, as_curve: bool
) -> bool:
    """Whether one of three classes or more is positive: in a curve any that is named,
    in a score one that is text, of one column of scores.

    Whole numbers are refused there, as in scikit-learn: 1 is the default.
    """
    if as_curve:
        return pos_label is not None
    is_text = isinstance(pos_label, str) and labels.dtype.kind in "OUS"
    return is_text and shape_of(y_score)[1:] in ((), (1,))


def _positives_in(
    labels: AnyArray, kind: str, pos_label: Label | None, *, as_curve: bool
) -> BoolArray:
    """Return where the labels are positive: a vector, or one column per label or
    class.
    """
    present = np.unique(labels)
    if kind == "binary":
        if pos_label is None:
            return _usual_positives(labels, present)
        # Rows of one label may all be negative.
        if present.size > 1 and pos_label not in present:
            raise ValueError(
                f"pos_label={pos_label} is not a valid label. It should be one of "
                f"{present}"
            )
        return np.asarray(labels.ravel() == pos_label)
    if as_curve or kind not in ("multiclass", "multilabel-indicator"):
        error = ValueError(f"{kind} format is not supported")
        # The text is scikit-learn's; a note stands below it.
        if kind.startswith("continuous"):
            error.add_note(_NO_LABELS)
        elif as_curve:
            error.add_note(_ONE_CLASS)
        else:
            error.add_note(f"{_ONE_CLASS} {_LISTS_OF_IDS}")
        raise error
    if pos_label != 1:
        raise ValueError(
            f"Parameter pos_label is fixed to 1 for {kind} y_true. "
            "Do not set pos_label or set pos_label to 1."
        )
    if kind == "multiclass":
        return np.asarray(labels.reshape(-1, 1) == present)
    return np.asarray(labels == 1)


def _usual_positives(labels: AnyArray, present: AnyArray) -> BoolArray:
    """Return which labels are 1; refuse labels outside {0, 1} and {-1, 1} with
    scikit-learn's error.
    """
    usual = ([0, 1], [-1, 1], [0], [-1], [1])
    if present.dtype.kind in "OUS" or present.tolist() not in usual:
        raise ValueError(
            f"y_true takes value in {{{', '.join(map(repr, present.tolist()))}}} and "
            "pos_label is not specified: either make y_true take value in {0, 1} or "
            "{-1, 1} or pass pos_label explicitly."
        )
    return np.asarray(labels.ravel() == 1)


def read_weights(name: str, values: ArrayLike) -> FloatArray:
    """Return weights or amounts, or a column of them, as a vector of float64."""
    try:
        shape = np.shape(values)
    except ValueError:
        raise ValueError(
            f"{name} must contain one number per row; got lists of different lengths."
        ) from None
    if not shape or shape[1:] > (1,):  # scikit-learn's error would call them y
        raise ValueError(
            f"{name} should be a 1d array, got an array of shape {shape} instead."
        )
    weight: FloatArray = column_or_1d(values)
    _refuse_text(name, weight)
    weight = check_array(
        weight,
        ensure_2d=False,
        dtype=[np.float64, np.float32],
        input_name=name,
    )
    weight = weight.astype(np.float64)
    is_within = (weight == 0) | ((weight >= LEAST_WEIGHT) & (weight <= MOST_WEIGHT))
    if not is_within.all():
        row = int(is_within.argmin())
        got = f"got {weight[row]} in row {row}"
        if weight[row] < 0:
            raise ValueError(
                f"{name} must not be negative; {got}. Leave rows such as refunds out, "
                "or set them to 0."
            )
        raise ValueError(
            f"{name} must be 0 or from 2**-500 (3e-151) to 2**500 (3e150); {got}; "
            "divide all of them by a constant, which changes no score."
        )
    return weight


def _refuse_text(name: str, values: AnyArray) -> None:
    """Refuse text and dates, which numpy would read as numbers."""
    if values.dtype.kind not in "biufO":
        cast = ""
        if values.dtype.kind in "UST":
            with suppress(ValueError):  # words
                values.astype(float)
                cast = f"; pass np.asarray({name}, dtype=float)"
        raise ValueError(
            f"{name} must contain real numbers; got dtype {values.dtype}{cast}."
        )
    for value in values.flat if values.dtype == object else ():
        if isinstance(value, _TEXT_OR_DATE):
            raise ValueError(
                f"{name} must contain real numbers; got {short_repr(value)}."
            )


def _read_scores(
    y_score: ArrayLike,
    positive: BoolArray,
    kind: str,
    *,
    as_curve: bool,
    order_only: bool,
) -> AnyArray:
    """Return scores of rows, or one column of scores per column of labels, in native
    byte order.
    """
    y_score = _unrounded(y_score)
    if positive.ndim == 1:
        score = np.asarray(column_or_1d(y_score))
    else:
        if kind == "multiclass" and np.shape(y_score) != positive.shape:
            raise ValueError(
                "`y_score` needs to be of shape `(n_samples, n_classes)`, since "
                "`y_true` contains multiple classes. Got "
                f"`y_score.shape={np.shape(y_score)}`."
            )
        # "numeric" would round objects to float64
        is_object = np.asarray(y_score).dtype == object
        score = check_array(y_score, dtype=None if is_object else "numeric")
    if score.dtype == object:
        score = _integers_of(score)
    if score.dtype == object:  # decimals, fractions and integers beyond 64 bits
        _refuse_text("y_score", score)
        try:
            score = _floats_of(score, as_curve=as_curve, order_only=order_only)
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(
                f"y_score must contain real numbers; {str(error).rstrip('.')}."
            ) from None
    # First, since numpy before 2.5 does not know its own text as a kind of number.
    _refuse_text("y_score", score)
    assert_all_finite(score)
    if score.shape != positive.shape:
        raise ValueError(
            f"y_score has shape {score.shape}, but y_true has shape {positive.shape}; "
            "give one column of scores per label."
        )
    return np.asarray(score, dtype=score.dtype.newbyteorder("="))


def _unrounded(values: ArrayLike) -> Any:
    """Return a list of numbers as objects if numpy would round an integer in it, a
    frame of numbers as an array, and anything else as it is.

    numpy makes float64 of integers beside fractions, and of some beyond 2**63.
    scikit-learn refuses frames that are sparse, or have two columns of one name.
    """
    if hasattr(values, "columns"):
        array = np.asarray(values)
        return values if array.dtype == object else array
    if not isinstance(values, list | tuple):
        return values
    floats = _plain("y_score", list(values))
    if floats is None or floats.dtype != np.float64:
        return values
    objects = np.array(values, dtype=object)
    large = objects[np.abs(floats) >= _LEAST_ROUNDED]
    has_integer = any(isinstance(value, Integral) for value in large)
    if has_integer:
        return objects
    return values


def _integers_of(objects: AnyArray) -> AnyArray:
    """Return integers of Python or numpy in a type of 64 bits that has all of them;
    other objects as they are, but for numpy's numbers.
    """
    # numpy compares its own integers with floats in float64
    numbers = [
        value.item() if isinstance(value, np.generic) else value
        for value in objects.flat
    ]
    plain = np.fromiter(numbers, object, objects.size).reshape(objects.shape)
    if {*map(type, numbers)} == {int}:
        for dtype in (np.int64, np.uint64):
            with suppress(OverflowError):
                return plain.astype(dtype)
    return plain


def _floats_of(objects: AnyArray, *, as_curve: bool, order_only: bool) -> AnyArray:
    """Return objects as float64, or as ranks where only their order matters; refuse
    those that float64 makes equal.
    """
    floats: AnyArray = objects.astype(np.float64)
    assert_all_finite(floats)
    if as_curve:
        # A threshold must not lie above its row, or `score >= threshold` loses it.
        lower = np.nextafter(floats, -np.inf)
        floats = np.where(floats > objects, lower, floats)
    if len(set(objects.flat)) == np.unique(floats).size:
        return floats
    if order_only:
        return np.unique(objects, return_inverse=True)[1].reshape(objects.shape)
    raise ValueError(
        f"float64 makes some of {short_repr(objects.tolist())} equal: pass "
        "np.asarray(y_score, dtype=np.float64) for that"
    )

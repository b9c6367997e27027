"""The arrays of a score or a curve, which are read once and checked.

Each argument is converted to a type that represents it exactly. No later module checks
it again. What a plain call runs comes first: arrays of numpy and lists, with labels and
scores that numpy reads as numbers. `unusual` reads other values, and `errors` contains
the errors.
"""

from collections.abc import Callable
from numbers import Real
from typing import Any, NamedTuple, Self

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
from .errors import (
    error_about_classes,
    error_about_fixed_label,
    error_about_kind,
    error_about_pos_label,
    error_about_weight,
    note_on_query,
    note_on_scores,
)
from .ids import QueryIds, check_query_options, distinct_queries, read_numbered
from .names import (
    check_same_run,
    column_names,
    columns_by_name,
    names_to_match,
    warn_of_other_order,
)
from .options import AVERAGES
from .unusual import (
    check_no_text,
    check_not_blank,
    kind_of_lists,
    like_labels,
    scores_as_numbers,
    unrounded,
    unusual_labels,
)
from .values import (
    LEAST_WEIGHT,
    MOST_WEIGHT,
    check_not_masked,
    on_host,
    shape_of,
)

# The types of a single label that need no further check as `pos_label`.
_LABEL = (
    int,
    float,
    str,
    np.bool_,
    np.integer,
)
_PLAIN = {np.ndarray, list}
_WITHOUT_INDEX = {*_PLAIN, type(None)}
_INFINITY = float("inf")
# Up to this number of rows, `argmin` finds the lowest score in less time than
# `np.minimum.reduce`.
_FEW_ROWS = 10_000
# The label 1. Numpy compares it with labels of any type without a cast.
_LABEL_1 = np.array(True)


class CheckedRows(NamedTuple):
    """Labels, scores and weights, which are valid, so that no later module checks them.

    `positive` and `score` have the shape (n_samples,), or (n_samples, n_columns) for
    multilabel and multiclass labels. Rows of weight 0 were dropped, except with
    ``average="samples"``, where each row is a ranking and has its weight in the mean.
    """

    positive: BoolArray
    # Finite, and in native byte order.
    score: AnyArray
    # All scores are between these two numbers.
    bounds: Bounds
    # Shape (n_samples,), finite and not negative.
    weight: FloatArray | None = None
    # Shape (n_samples,), without missing ids.
    query: QueryIds | None = None
    # The ids of all rows that were passed, if rows of weight 0 were dropped.
    passed_query: QueryIds | None = None
    # The names of the columns, or the classes; None if they have no names.
    columns: list[Any] | None = None
    # Whether each row that was passed is one of these rows, if rows were dropped.
    kept: BoolArray | None = None

    @property
    def n_passed(self) -> int:
        """Number of rows that were passed, with those of weight 0."""
        return len(self.positive) if self.kept is None else self.kept.size

    def of_kept(self, values: AnyArray) -> AnyArray:
        """Return the values of these rows, from one value per row that was passed."""
        return values if self.kept is None else values[self.kept]

    def read_ids(self, ids: ArrayLike, name: str) -> QueryIds:
        """Return the ids of these rows, from an id for each row that was passed."""
        read: Any = read_numbered(ids, self.n_passed, name=name)
        return self.of_kept(read)

    def numbers_of_queries(self) -> IntArray:
        """Return the number of the query of each row; 0 for each row without queries."""
        if self.query is None:
            return np.zeros(len(self.positive), dtype=np.int64)
        _, number = distinct_queries(self.query)
        return number

    def with_scores(self, score: AnyArray) -> "CheckedRows":
        """Return the same rows with the scores of another model."""
        return self._replace(score=score, bounds=(score.min(), score.max()))

    def with_weight(self, weight: FloatArray | None) -> Self:
        """Return the same rows with other weights."""
        return self._replace(weight=weight)

    def take(self, rows: slice | IntArray) -> "CheckedRows":
        """Return these rows, in this order."""
        return self._replace(
            positive=self.positive[rows],
            score=self.score[rows],
            weight=None if self.weight is None else self.weight[rows],
            query=None if self.query is None else self.query[rows],
        )


def read(inputs: PassedRows, *, caller: str, as_curve: bool = False) -> CheckedRows:
    """Return checked labels, scores, weights and queries. `caller` is the name of the
    public function in scikit-learn's errors.

    With `as_curve`, labels are read as in
    :func:`sklearn.metrics.precision_recall_curve`: there is one ranking,
    ``pos_label=None`` means 1 if the labels are {0, 1} or {-1, 1}, and all labels other
    than `pos_label` are negative.
    """
    y_true, y_score, average, pos_label, sample_weight, query_id, *_ = inputs
    # Arrays of numpy and lists have no index and no device, so with options of valid
    # types they need no other check. This saves time in a short call.
    if not (
        {type(y_true), type(y_score)} <= _PLAIN
        and {type(sample_weight), type(query_id)} <= _WITHOUT_INDEX
        and (isinstance(pos_label, _LABEL) or (as_curve and pos_label is None))
        and _is_average(average)
    ):
        inputs = _as_plain(inputs, caller, as_curve=as_curve)
    checked = _read_arrays(inputs, as_curve=as_curve)
    several_columns = checked.positive.ndim == 2
    if query_id is not None:
        check_query_options(several_columns=several_columns, average=average)
        checked = checked._replace(query=read_numbered(query_id, checked.positive.size))
    # If each row is a ranking, rows of weight 0 are kept: these rankings have weight 0
    # in the mean.
    if checked.weight is None or (average == "samples" and several_columns):
        return checked
    return _without_weightless(checked, checked.weight)


def _read_arrays(inputs: PassedRows, *, as_curve: bool) -> CheckedRows:
    """Return checked labels, scores and weights. If scikit-learn raises an error for
    the same arguments, the error has scikit-learn's text.
    """
    y_true, y_score = inputs.y_true, inputs.y_score
    pos_label, weight = inputs.pos_label, None
    if inputs.sample_weight is not None:
        weight = read_weights("sample_weight", inputs.sample_weight)
        if weight.size and weight[0] == 0 and not np.count_nonzero(weight):
            raise ValueError(
                "Sample weights must contain at least one non-zero number."
            )
    labels, kind, ones = read_labels(y_true)
    if kind == "multiclass" and _names_a_class(
        labels, pos_label, y_score, as_curve=as_curve
    ):
        # All labels other than `pos_label` are negative, whatever their number.
        kind = "binary"
        if labels.dtype.kind in "OU":
            check_not_blank(labels)
    positive = ones
    classes = np.unique(labels) if kind == "multiclass" else None
    # In a score, label 1 is positive by default, and `ones` is the result. A curve must
    # also check that the labels are a vector.
    if positive is None or as_curve or pos_label != 1:
        positive = _positives_in(labels, kind, pos_label, classes, as_curve=as_curve)
    score = _with_rows_of(positive, y_score, weight, labels, classes)
    try:
        score, bounds = _read_scores(y_score, score, positive, as_curve=as_curve)
    except ValueError as error:
        if note := note_on_scores(str(error), y_score, positive, labels, pos_label):
            error.add_note(note)
        raise
    columns = None
    if score.ndim == 2:
        score, columns = _by_names(score, y_true, y_score, classes)
    return CheckedRows(positive, score, bounds, weight, columns=columns)


def read_labels(y_true: Targets) -> tuple[AnyArray, str, BoolArray | None]:
    """Return the labels as an array, scikit-learn's name for their kind and, if all of
    them are 0 or 1, a mask of those that are 1.
    """
    if issparse(y_true):
        y_true = y_true.toarray()
    try:
        labels = np.asarray(y_true)
    except ValueError:
        # The labels are lists of different lengths.
        return np.empty(0), kind_of_lists(y_true), None
    is_vector = labels.ndim == 1 or labels.shape[1:] == (1,)
    if labels.dtype.kind in "biuf" and labels.ndim in (1, 2) and labels.size:
        # If the number of labels that are not 0 is the number of labels that are 1, all
        # labels are 0 or 1.
        ones: BoolArray = labels == _LABEL_1
        if np.count_nonzero(labels) == np.count_nonzero(ones):
            if is_vector:
                return labels, "binary", ones.ravel()
            return labels, "multilabel-indicator", ones
    if is_vector and (kind := _kind_of_vector(labels.ravel())):
        return labels, kind, None
    return *unusual_labels(labels, y_true), None


def _kind_of_vector(labels: AnyArray) -> str | None:
    """Return the kind of a vector of labels: "binary" for two whole numbers or words,
    and "multiclass" for more.

    Return None for other labels, whose kind scikit-learn determines in 100 us.
    """
    kind = labels.dtype.kind
    if kind not in "biufOU" or not labels.size:
        return None
    first: Any = labels[0]
    try:
        is_first = labels == first
        # `other` is the first label that differs from `first`. If all labels are equal,
        # it is `first`, and each label is counted twice.
        other = labels[is_first.argmin()]
        n_two = np.count_nonzero(is_first) + np.count_nonzero(labels == other)
    except TypeError:
        # The comparison with pandas' NA has no truth value.
        return None
    # Floats and objects of more than two values may also be measured values, for which
    # scikit-learn has other names.
    if n_two < labels.size:
        return "multiclass" if kind in "iuU" else None
    is_plain = kind in "biuU" or (_is_plain_label(first) and _is_plain_label(other))
    return "binary" if is_plain else None


def _is_plain_label(label: Any) -> bool:
    """Return whether a label is text, or a float that is a whole number of 64 bits."""
    if isinstance(label, np.floating):
        return label.is_integer() and bool(abs(label) < 2**63)
    return isinstance(label, str)


def _names_a_class(
    labels: AnyArray, pos_label: Label | None, y_score: ArrayLike, *, as_curve: bool
) -> bool:
    """Return whether `pos_label` chooses one of three or more classes as positive.

    In a curve, any label chooses a class. In a score, any label except the default 1
    chooses a class if there is a single column of scores. For a matrix of scores,
    scikit-learn's tests require an error.
    """
    if as_curve:
        return pos_label is not None
    is_text = labels.dtype.kind in "OUS"
    is_named = isinstance(pos_label, str) == is_text and pos_label != 1
    # After the number of rows, the shape of a vector is (), and of a single column (1,).
    return is_named and shape_of(y_score)[1:] in ((), (1,))


def _positives_in(
    labels: AnyArray,
    kind: str,
    pos_label: Label | None,
    classes: AnyArray | None,
    *,
    as_curve: bool,
) -> BoolArray:
    """Return whether each label is positive: a vector, or one column per label or
    class.
    """
    if kind == "binary":
        labels = labels.ravel()
        if pos_label is None:
            if not _are_usual(labels):
                raise error_about_pos_label(labels, pos_label)
            pos_label = 1
        positive = np.asarray(labels == (_LABEL_1 if pos_label == 1 else pos_label))
        # If all labels are the same, all rows may be negative.
        if not np.count_nonzero(positive) and (labels != labels[0]).any():
            raise error_about_pos_label(labels, pos_label)
        return positive
    if as_curve or kind not in ("multiclass", "multilabel-indicator"):
        raise error_about_kind(labels, kind, as_curve=as_curve)
    if pos_label != 1:
        raise error_about_fixed_label(labels, kind)
    if classes is not None:
        return np.asarray(labels.reshape(-1, 1) == classes)
    return np.asarray(labels == _LABEL_1)


def _are_usual(labels: AnyArray) -> bool:
    """Return whether labels are {0, 1} or {-1, 1}, or a single one of these."""
    # There are at most two different labels: the lowest and the highest one.
    usual = ((0, 1), (-1, 1), (0, 0), (-1, -1), (1, 1))
    is_number = labels.dtype.kind in "biuf"
    return is_number and (labels.min(), labels.max()) in usual


def _with_rows_of(
    positive: BoolArray,
    y_score: ArrayLike,
    weight: FloatArray | None,
    labels: AnyArray,
    classes: AnyArray | None,
) -> AnyArray:
    """Return scores as an array. Raise scikit-learn's error if labels, scores and
    weights have different numbers of rows.
    """
    n_rows = positive.shape[:1]
    try:
        score = np.asarray(y_score)
    except ValueError as error:
        # scikit-learn checks the number of rows first.
        check_consistent_length(positive, y_score, weight)
        error.add_note("y_score must not contain lists of different lengths.")
        raise
    # For several classes, scikit-learn compares shapes before numbers of rows.
    if classes is not None and score.shape != positive.shape:
        raise error_about_classes(labels, score)
    if score.shape[:1] != n_rows or (weight is not None and weight.shape != n_rows):
        check_consistent_length(positive, y_score, weight)
    return score


def _read_scores(
    y_score: ArrayLike,
    score: AnyArray,
    positive: BoolArray,
    *,
    as_curve: bool,
) -> tuple[AnyArray, Bounds]:
    """Return checked scores in native byte order, and the lowest and the highest score.

    The scores are a vector, or have one column per column of labels.
    """
    if isinstance(y_score, list | tuple) and score.dtype == np.float64:
        score = unrounded(y_score, score)
    if score.shape != positive.shape:
        score = like_labels(positive, y_score, score)
    if score.dtype.kind not in "biuf":
        score = scores_as_numbers(y_score, score, as_curve=as_curve)
    if not score.dtype.isnative:
        score = score.astype(score.dtype.newbyteorder("="))
    # If the lowest and the highest score are finite, all scores are. The ranking needs
    # these two scores, too.
    lowest, highest = bounds = _bounds_of(score)
    # Both bounds are NaN if a score is NaN, and comparisons with NaN are False.
    if not (lowest > -_INFINITY and highest < _INFINITY):
        # scikit-learn adds up the scores, and inf - inf gives a warning.
        with np.errstate(invalid="ignore"):
            assert_all_finite(score)
    return score, bounds


def _bounds_of(values: AnyArray) -> Bounds:
    """Return the lowest and the highest value; both are NaN if a value is NaN."""
    # In a short array, argmin and argmax take a third of the time of the two calls of
    # `reduce`. In long arrays that are not contiguous, argmin and argmax take more
    # time.
    if values.ndim == 1 and values.size <= _FEW_ROWS:
        return values.item(values.argmin()), values.item(values.argmax())
    return np.minimum.reduce(values, axis=None), np.maximum.reduce(values, axis=None)


def read_weights(name: str, values: ArrayLike) -> FloatArray:
    """Return weights or amounts as a checked vector of float64."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(
            f"{name} must contain one number per row; got lists of different lengths."
        ) from None
    shape = array.shape
    # Vectors and single columns are valid. The error of scikit-learn would call other
    # weights y.
    if not shape or shape[1:] > (1,):
        raise ValueError(
            f"{name} should be a 1d array, got an array of shape {shape} instead."
        )
    if array.dtype.kind not in "biuf":
        array = column_or_1d(on_host(name, values))
        check_no_text(name, array)
        array = check_array(array, ensure_2d=False, dtype=np.float64, input_name=name)
    weight: FloatArray = array.ravel().astype(np.float64, copy=False)
    # Without rows, the check of the labels raises an error. With NaN, both comparisons
    # are False.
    if not weight.size:
        return weight
    lightest, heaviest = _bounds_of(weight)
    if lightest >= LEAST_WEIGHT and heaviest <= MOST_WEIGHT:
        return weight
    check_array(weight, ensure_2d=False, input_name=name)
    is_within = (weight == 0) | ((weight >= LEAST_WEIGHT) & (weight <= MOST_WEIGHT))
    if not is_within.all():
        row = int(is_within.argmin())
        raise error_about_weight(name, weight[row], row)
    return weight


def _by_names(
    score: AnyArray, y_true: Targets, y_score: ArrayLike, classes: AnyArray | None
) -> tuple[AnyArray, list[Any] | None]:
    """Return the columns of scores, matched by name to the classes or to the columns of
    labels, and their names; None if there are no names.
    """
    columns = column_names(y_score)
    if classes is None:
        names, kind = names_to_match(y_true, columns, "y_true"), "columns of y_true"
    else:
        names, kind = classes.tolist(), "classes of y_true"
    score = columns_by_name(
        score, y_score, names, argument="y_score", kind_of_names=kind
    )
    return score, names or columns


def _without_weightless(checked: CheckedRows, weight: FloatArray) -> CheckedRows:
    """Return the rows whose weight is not 0. If rows are dropped, the ids of all rows
    are kept as `passed_query`.
    """
    # Weights are not negative, and this takes less time than counting zeros.
    if weight.item(weight.argmin()):
        return checked
    kept = checked.take(np.flatnonzero(weight))
    return kept._replace(passed_query=checked.query, kept=weight > 0)


# --- arguments of other types ---------------------------------------------------------


def _as_plain(inputs: PassedRows, caller: str, *, as_curve: bool) -> PassedRows:
    """Return the arguments with arrays of other libraries as arrays of numpy on the
    host. Check the types of all arguments, and the order of indexes.
    """
    y_true, y_score, sample_weight = inputs.y_true, inputs.y_score, inputs.sample_weight
    check_same_run(y_true, y_score)
    rows = "y_true", "y_score", "sample_weight", "query_id"
    warn_of_other_order({name: getattr(inputs, name) for name in rows})
    _check_like_scikit_learn(inputs, caller, as_curve=as_curve)
    return inputs._replace(
        y_true=on_host("y_true", y_true),
        y_score=on_host("y_score", y_score),
        sample_weight=on_host("sample_weight", sample_weight),
    )


def _is_average(value: object) -> bool:
    """Return whether a value, which may not be hashable, is one of the averages."""
    return value is None or (isinstance(value, str) and value in AVERAGES)


def _check_like_scikit_learn(
    inputs: PassedRows, caller: str, *, as_curve: bool
) -> None:
    """Raise the error that scikit-learn's decorator would raise about a parameter, if
    it would raise one.

    The class of this error (both a ValueError and a TypeError) is private. So a
    function of scikit-learn is called with the wrong value and other valid arguments,
    and raises the error. If it does not, such as with `skip_parameter_validation`, the
    value is checked again where it is read.
    """
    reference: Callable[..., object] = (
        precision_recall_curve if as_curve else average_precision_score
    )
    y_true, y_score, average, pos_label, sample_weight, *_ = inputs
    well_typed = {
        "y_true": issparse(y_true) or _is_array_like(y_true),
        "y_score": _is_array_like(y_score),
        "sample_weight": sample_weight is None or _is_array_like(sample_weight),
        "average": _is_average(average),
        "pos_label": isinstance(pos_label, Real | str | np.bool_)
        or (as_curve and pos_label is None),
    }
    for name, is_well_typed in well_typed.items():
        value = getattr(inputs, name)
        check_not_masked(name, value)
        # Calling scikit-learn's function for valid values, too, would take long.
        if is_well_typed:
            continue
        try:
            reference(**{"y_true": [0, 1], "y_score": [0.0, 1.0], name: value})
        except ValueError as error:
            named = type(error)(str(error).replace(reference.__name__, caller))
            if note := note_on_query(name, value):
                named.add_note(note)
            raise named from None


def _is_array_like(value: object) -> bool:
    """Return whether scikit-learn's decorator would accept a value as an array: it has
    a length or a shape, and is neither sparse nor a scalar.
    """
    has_length = (
        hasattr(value, "__len__")
        or hasattr(value, "shape")
        or hasattr(value, "__array__")
    )
    return has_length and not issparse(value) and not np.isscalar(value)

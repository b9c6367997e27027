"""The arrays of a score or a curve, which are read once and checked.

What is valid becomes one canonical form, `CheckedRows`, and no later module checks it
again. What is not valid raises `Refused`: then scikit-learn is called with the same
arguments, and its error is raised (`errors`). So there is no copy of scikit-learn's
checks and texts here.
"""

from contextlib import suppress
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.utils import check_consistent_length
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
from .errors import (
    Refused,
    note_on_classes,
    note_on_columns,
    note_on_labels,
    note_on_pos_label,
    note_on_values,
    raise_refusal,
)
from .ids import Ids, check_query_options, distinct_queries, read_numbered
from .names import (
    column_names,
    columns_by_name,
    names_to_match,
    warn_of_other_order,
)
from .numbers import numbers_of, unboxed
from .options import AVERAGES
from .values import (
    LEAST_WEIGHT,
    MOST_WEIGHT,
    is_missing,
    on_host,
    rows_in_words,
    shape_of,
    sortable,
)

# Values of these types have no index, no names and no device.
_PLAIN = {np.ndarray, list, type(None)}
_LABEL = (int, float, str, np.bool_, np.integer)
_INFINITY = float("inf")
# Up to this number of rows, `argmin` finds the lowest score in less time than
# `np.minimum.reduce`.
_FEW_ROWS = 10_000
# The label 1. Numpy compares it with labels of any type without a cast.
_LABEL_1 = np.array(True)
_USUAL = (0, 1), (-1, 1), (0, 0), (-1, -1), (1, 1)


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
    query: Ids | None = None
    # The ids of all rows that were passed, if rows of weight 0 were dropped.
    passed_query: Ids | None = None
    # The names of the columns, or the classes; None if they have no names.
    columns: list[Any] | None = None
    # Whether each row that was passed is one of these rows, if rows were dropped.
    kept: BoolArray | None = None
    # Whether the scores were passed as floats of 16 bits, which are read as float32.
    are_half: bool = False

    @property
    def n_passed(self) -> int:
        """Number of rows that were passed, with those of weight 0."""
        return len(self.positive) if self.kept is None else self.kept.size

    def of_kept(self, values: AnyArray) -> AnyArray:
        """Return the values of these rows, from one value per row that was passed."""
        return values if self.kept is None else values[self.kept]

    def read_ids(self, ids: ArrayLike, name: str) -> Ids:
        """Return the ids of these rows, from an id for each row that was passed."""
        of_passed = read_numbered(ids, self.n_passed, name=name)
        return of_passed if self.kept is None else of_passed[self.kept]

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

    def take(self, rows: slice | IntArray | BoolArray) -> "CheckedRows":
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
    y_true, y_score, average, _, sample_weight, query_id, *_ = inputs
    if not {type(y_true), type(y_score), type(sample_weight), type(query_id)} <= _PLAIN:
        inputs = _as_plain(inputs)
    try:
        checked = _read_arrays(inputs, as_curve=as_curve)
    except Refused as refused:
        raise_refusal(refused, inputs, caller, as_curve=as_curve)
    several_columns = checked.positive.ndim == 2
    if query_id is not None:
        check_query_options(several_columns=several_columns, average=average)
        checked = checked._replace(query=read_numbered(query_id, checked.positive.size))
    # If each row is a ranking, rows of weight 0 are kept: these rankings have weight 0
    # in the mean.
    if checked.weight is None or (average == "samples" and several_columns):
        return checked
    # Weights are not negative, and this takes less time than counting zeros.
    if checked.weight.item(checked.weight.argmin()):
        return checked
    kept = checked.weight > 0
    return checked.take(kept)._replace(passed_query=checked.query, kept=kept)


def _as_plain(inputs: PassedRows) -> PassedRows:
    """Return the arguments with arrays of other libraries as arrays of numpy on the
    host. Warn of indexes in two orders.
    """
    rows = "y_true", "y_score", "sample_weight", "query_id"
    warn_of_other_order({name: getattr(inputs, name) for name in rows})
    return inputs._replace(
        y_true=on_host("y_true", inputs.y_true),
        y_score=on_host("y_score", inputs.y_score),
        sample_weight=on_host("sample_weight", inputs.sample_weight),
    )


def _read_arrays(inputs: PassedRows, *, as_curve: bool) -> CheckedRows:
    """Return checked labels, scores and weights."""
    y_true, y_score, average, pos_label, sample_weight, *_ = inputs
    _check_options(average, pos_label, as_curve=as_curve)
    weight = None
    if sample_weight is not None:
        weight = read_weights("sample_weight", sample_weight)
        if weight.size and not weight[0] and not np.count_nonzero(weight):
            raise ValueError(
                "Sample weights must contain at least one non-zero number."
            )
    labels, kind, ones = read_labels(y_true)
    if kind == "multiclass" and _names_a_class(labels, pos_label, y_score, as_curve):
        # All labels other than `pos_label` are negative, whatever their number.
        kind = "binary"
    positive, classes = ones, None
    if positive is None or as_curve or pos_label != 1:
        positive, classes = _positives_in(labels, kind, pos_label, as_curve=as_curve)
    try:
        score, bounds = _read_scores(
            y_score, positive, weight, has_classes=classes is not None
        )
    except Refused as refused:
        # The labels are valid, so scikit-learn's error must be about the scores.
        if classes is not None:
            refused.labels, refused.note = labels, note_on_classes(labels)
        else:
            refused.labels, refused.pos_label = positive.astype(int), 1
            if positive.ndim == 1 and len(shape_of(y_score)) == 2:
                refused.note = note_on_columns(y_score, labels, pos_label)
        raise
    columns = None
    if score.ndim == 2:
        score, columns = _by_names(score, y_true, y_score, classes)
    checked = CheckedRows(positive, score, bounds, weight, columns=columns)
    if score.dtype.char == "e":
        return checked._replace(score=sortable(score), are_half=True)
    return checked


def _check_options(average: object, pos_label: object, *, as_curve: bool) -> None:
    """Check the options whose types scikit-learn checks."""
    if not (average is None or (isinstance(average, str) and average in AVERAGES)):
        raise Refused(f"average must be None or one of {AVERAGES}; got {average!r}.")
    if not isinstance(pos_label, _LABEL) and not (as_curve and pos_label is None):
        raise Refused(f"pos_label must be a label; got {pos_label!r}.")


# --- labels ---------------------------------------------------------------------------


def read_labels(y_true: Targets) -> tuple[AnyArray, str, BoolArray | None]:
    """Return the labels as an array, scikit-learn's name for their kind and, if all of
    them are 0 or 1, a mask of those that are 1.
    """
    if issparse(y_true):
        y_true = y_true.toarray()
    try:
        labels = np.asarray(y_true)
    except ValueError:
        raise Refused(
            "y_true has lists of different lengths.", note_on_labels(None)
        ) from None
    if labels.ndim and not labels.size:
        raise ValueError(f"y_true is empty: got shape {labels.shape}.")
    if labels.dtype.kind not in "biufU":
        labels = _as_labels(labels)
    labels = sortable(labels)
    is_vector = labels.ndim == 1 or labels.shape[1:] == (1,)
    if labels.dtype.kind in "biuf" and labels.ndim in (1, 2):
        # If the number of labels that are not 0 is the number of labels that are 1, all
        # labels are 0 or 1.
        ones: BoolArray = labels == _LABEL_1
        if np.count_nonzero(labels) == np.count_nonzero(ones):
            if is_vector:
                return labels, "binary", ones.ravel()
            return labels, "multilabel-indicator", ones
    return labels, _kind_of(labels, is_vector=is_vector), None


def _as_labels(labels: AnyArray) -> AnyArray:
    """Return labels that are objects, or of a type of another library, as numbers or
    text. Raise ValueError about dates and missing labels.
    """
    labels = unboxed(np.asarray(on_host("y_true", labels)))
    if labels.dtype.kind in "mMT":
        cast = "; pass y_true.tolist()" if labels.dtype.kind == "T" else ""
        raise ValueError(
            f"y_true must contain numbers or text; got dtype {labels.dtype}{cast}."
        )
    return labels


def _kind_of(labels: AnyArray, *, is_vector: bool) -> str:
    """Return scikit-learn's name for the kind of the labels. It takes 100 us to find
    this name, and sorts all labels, so it is asked about two values if a vector has no
    others, and not at all about integers and text in a vector.
    """
    is_plain, shown = is_vector and labels.dtype.kind in "iuU", labels
    if is_vector:
        values = labels.ravel()
        # A comparison with pandas' NA has no truth value.
        with suppress(TypeError):
            is_first = values == values[0]
            pair = values[[0, int(is_first.argmin())]]
            if np.count_nonzero(is_first | (values == pair[1])) == values.size:
                shown = pair
    if is_plain:
        return "multiclass" if shown is labels else "binary"
    if shown.dtype.kind in "fO" and any(map(is_missing, shown.flat)):
        missing = np.array([is_missing(label) for label in labels.flat])
        raise Refused("Input y_true contains NaN.", _drop_rows("y_true", missing))
    try:
        return str(type_of_target(shown, input_name="y_true"))
    except ValueError as error:
        raise Refused(str(error), note_on_labels(labels)) from None


def _drop_rows(name: str, is_affected: BoolArray) -> str:
    return f"{name} is missing in {rows_in_words(is_affected)}: drop these rows."


def _names_a_class(
    labels: AnyArray, pos_label: Label | None, y_score: ArrayLike, as_curve: bool
) -> bool:
    """Return whether `pos_label` chooses one of three or more classes as positive.

    In a curve, any label chooses a class. In a score, any label except the default 1
    chooses a class if there is a single column of scores. For a matrix of scores,
    scikit-learn's tests require an error.
    """
    if as_curve:
        return pos_label is not None
    is_text = labels.dtype.kind in "OU"
    is_named = isinstance(pos_label, str) == is_text and pos_label != 1
    return is_named and shape_of(y_score)[1:] in ((), (1,))


def _positives_in(
    labels: AnyArray, kind: str, pos_label: Label | None, *, as_curve: bool
) -> tuple[BoolArray, AnyArray | None]:
    """Return whether each label is positive, as a vector or with one column per label
    or class, and the classes if there are more than two.
    """
    if kind == "binary":
        return _positives_of_two(labels.ravel(), pos_label), None
    if as_curve or kind not in ("multiclass", "multilabel-indicator"):
        note = note_on_labels(labels, kind, as_curve=as_curve)
        # scikit-learn reads a single word or a set by itself.
        shown = labels if labels.ndim else None
        raise Refused(f"{kind} format is not supported", note, shown)
    if pos_label != 1:
        note = note_on_classes(labels) if kind == "multiclass" else ""
        text = (
            f"Parameter pos_label is fixed to 1 for {kind} y_true. Do not set pos_label "
            "or set pos_label to 1."
        )
        raise Refused(text, note)
    if kind == "multilabel-indicator":
        return np.asarray(labels == _LABEL_1), None
    classes = np.unique(labels)
    return np.asarray(labels.reshape(-1, 1) == classes), classes


def _positives_of_two(labels: AnyArray, pos_label: Label | None) -> BoolArray:
    """Return whether each label is `pos_label`. Raise an error if it does not occur
    although two labels do.
    """
    if pos_label is None:
        is_number = labels.dtype.kind in "biuf"
        if not (is_number and (labels.min(), labels.max()) in _USUAL):
            raise Refused("pos_label is not specified", note_on_pos_label(labels))
        pos_label = 1
    positive = np.asarray(labels == (_LABEL_1 if pos_label == 1 else pos_label))
    if not np.count_nonzero(positive) and (labels != labels[0]).any():
        text = (
            f"pos_label={pos_label} is not a valid label. It should be one of "
            f"{np.unique(labels)}"
        )
        raise Refused(text, note_on_pos_label(labels))
    return positive


# --- scores and weights ---------------------------------------------------------------


def _read_scores(
    y_score: ArrayLike,
    positive: BoolArray,
    weight: FloatArray | None,
    *,
    has_classes: bool,
) -> tuple[AnyArray, Bounds]:
    """Return finite scores in native byte order and in the shape of the labels, and the
    lowest and the highest score.
    """
    try:
        score = np.asarray(y_score)
    except ValueError as error:
        check_consistent_length(positive, y_score, weight)
        error.add_note("y_score must not contain lists of different lengths.")
        raise
    _check_shape(score, positive, weight, has_classes=has_classes)
    if score.dtype.kind not in "biuf":
        score = numbers_of("y_score", score)
    if not score.dtype.isnative:
        score = score.astype(score.dtype.newbyteorder("="))
    lowest, highest = bounds = _bounds_of(score.reshape(positive.shape))
    # Both bounds are NaN if a score is NaN, and comparisons with NaN are False.
    if not (lowest > -_INFINITY and highest < _INFINITY):
        raise Refused("y_score must be finite.", note_on_values(score))
    return score.reshape(positive.shape), bounds


def _check_shape(
    score: AnyArray,
    positive: BoolArray,
    weight: FloatArray | None,
    *,
    has_classes: bool,
) -> None:
    """Check that scores and weights have the shape and the rows of the labels."""
    shape, n_rows = positive.shape, positive.shape[:1]
    if not score.ndim:
        raise Refused("y_score must be an array.")
    is_long = score.shape[:1] == n_rows and (weight is None or weight.shape == n_rows)
    # For several classes, scikit-learn compares shapes before numbers of rows.
    if not is_long and (score.shape == shape or not has_classes):
        check_consistent_length(positive, score, weight)
    if score.shape == shape or (len(shape) == 1 and score.shape == (*n_rows, 1)):
        return
    text = (
        f"y_score has shape {score.shape}, but y_true has shape {shape}; pass one "
        "column of scores per label."
    )
    # scikit-learn ignores labels without scores.
    if len(shape) == score.ndim == 2 and not has_classes:
        raise ValueError(text)
    raise Refused(text)


def _bounds_of(values: AnyArray) -> Bounds:
    """Return the lowest and the highest value; both are NaN if a value is NaN."""
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
    if not array.ndim:
        raise Refused(f"{name} must be an array; got {values!r}.")
    if array.shape[1:] > (1,):
        raise ValueError(
            f"{name} should be a 1d array, got an array of shape {array.shape} instead."
        )
    if array.dtype.kind not in "biuf":
        array = numbers_of(name, np.asarray(on_host(name, values)))
    weight: FloatArray = array.ravel().astype(np.float64, copy=False)
    # Without rows, the check of the labels raises an error.
    if not weight.size:
        return weight
    lightest, heaviest = _bounds_of(weight)
    # With NaN, both comparisons are False.
    if lightest >= LEAST_WEIGHT and heaviest <= MOST_WEIGHT:
        return weight
    is_within = (weight == 0) | ((weight >= LEAST_WEIGHT) & (weight <= MOST_WEIGHT))
    if not is_within.all():
        _raise_weight(name, weight, int(is_within.argmin()))
    return weight


def _raise_weight(name: str, weight: FloatArray, row: int) -> None:
    """Raise the error about the weight of a row."""
    if not np.isfinite(weight[row]):
        what = "NaN" if np.isnan(weight[row]) else "infinity"
        raise Refused(f"Input {name} contains {what}; got {weight[row]} in row {row}.")
    if weight[row] < 0:
        raise ValueError(
            f"{name} must not be negative; got {weight[row]} in row {row}."
        )
    raise ValueError(
        f"{name} must be 0 or from 2**-500 (3e-151) to 2**500 (3e150); got "
        f"{weight[row]} in row {row}; multiply all of them by a constant, which does "
        "not change the score."
    )


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

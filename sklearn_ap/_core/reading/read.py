"""The arrays of a score or a curve, which are read once and checked.

What is valid becomes one canonical form, `CheckedRows`. No later module checks labels,
scores, weights and ids again. Totals are numbers here; later, they are matched to
rankings (`per_ranking`) and to units, and compared with the positives found.

Labels, scores and options that are not valid raise `RefusedError`: then scikit-learn is
called with the same arguments, and its error is raised (`errors`).
"""

from collections.abc import Mapping
from math import inf
from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.utils import assert_all_finite

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
    LISTS,
    RefusedError,
    error_about,
    note_on_classes,
    note_on_columns,
    note_on_values,
)
from .frames import column_names, columns_by_name, warn_of_other_order
from .ids import Ids, read_ids, read_units
from .labels import LABEL_1, as_numbers_or_text, kind_of, positives_in
from .numbers import numbers_of
from .options import AVERAGES, short_repr
from .per_ranking import PassedTotals, read_totals
from .values import LEAST_WEIGHT, MOST_WEIGHT, read_on_host, shape_of, without_float16

# Values of these types have no index, no names and no device.
_PLAIN = {np.ndarray, list, type(None)}
# The types of labels; the usual ones come first, since they are compared in less time.
_LABEL = (int, float, str, np.bool_, Real)


class CheckedRows(NamedTuple):
    """Labels, scores, weights and ids, which are valid, so that no later module checks
    them; and totals, which are numbers.

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
    # The ids of units: none, or those in one column or in two.
    units: tuple[Ids, ...] = ()
    # The totals that were passed as `n_positives`, before they are matched to rankings.
    totals: PassedTotals | None = None
    # The ids of all rows that were passed, if rows of weight 0 were dropped.
    passed_query: Ids | None = None
    # The names of the columns, or the classes; None if they have no names.
    columns: list[Any] | None = None
    # Whether each row that was passed is one of these rows, if rows were dropped.
    kept: BoolArray | None = None
    # Whether the scores were passed as floats of 16 bits, which are read as float32.
    are_half: bool = False

    @property
    def passed_score(self) -> AnyArray:
        """The scores in the type that was passed."""
        return self.score.astype(np.float16) if self.are_half else self.score

    @property
    def n_passed(self) -> int:
        """Number of rows that were passed, with those of weight 0."""
        return len(self.positive) if self.kept is None else self.kept.size

    def of_kept(self, values: AnyArray) -> AnyArray:
        """Return the values of these rows, from one value per row that was passed."""
        return values if self.kept is None else values[self.kept]

    def numbers_of_queries(self) -> IntArray:
        """Return the number of the query of each row; without queries, it is 0."""
        if self.query is None:
            return np.zeros(len(self.positive), dtype=np.int64)
        return self.query.place

    def with_scores(self, score: AnyArray) -> Self:
        """Return the same rows with the scores of another model."""
        return self._replace(score=score, bounds=(score.min(), score.max()))

    def take(self, rows: slice | IntArray | BoolArray) -> Self:
        """Return these rows, in this order, and the units as they are."""
        return self._replace(
            positive=self.positive[rows],
            score=self.score[rows],
            weight=None if self.weight is None else self.weight[rows],
            query=None if self.query is None else self.query[rows],
        )


def read(inputs: PassedRows, *, caller: str, one_column: bool = False) -> CheckedRows:
    """Return checked labels, scores, weights, ids and totals. `caller` is the name of
    the public function in scikit-learn's errors.

    With `one_column`, labels are read as in
    :func:`sklearn.metrics.precision_recall_curve`: `y_true` is a single column,
    ``pos_label=None`` means 1 if the labels are {0, 1} or {-1, 1}, and all labels other
    than `pos_label` are negative.
    """
    y_true, y_score, average, _, sample_weight, query_id, n_positives, unit_id = inputs
    arrays = inputs
    types = {*map(type, (y_true, y_score, sample_weight, query_id, unit_id))}
    if not types <= _PLAIN:
        arrays = _on_host(inputs)
    try:
        checked = _read_arrays(arrays, one_column=one_column)
    except RefusedError as refused:
        raise error_about(refused, arrays, caller, one_column=one_column) from None
    several_columns = checked.positive.ndim == 2
    if several_columns:
        checked = _in_order_of_names(checked, y_true, y_score)
    if query_id is not None:
        if several_columns or average == "samples":
            raise ValueError(
                "query_id requires binary y_true, and another average than 'samples', "
                "since each column, or each row, is a ranking already; got y_true of "
                f"shape {np.shape(y_true)} and average={average!r}."
            )
        checked = checked._replace(query=read_ids(query_id, checked.positive.size))
    if unit_id is not None:
        checked = checked._replace(units=read_units(unit_id, len(checked.positive)))
    if n_positives is not None:
        by_unit = bool(checked.units) and query_id is None and not several_columns
        checked = checked._replace(
            totals=read_totals(n_positives, checked.query, by_unit=by_unit)
        )
    # If each row is a ranking, rows of weight 0 are kept: these rankings have weight 0
    # in the mean.
    weight = checked.weight
    if weight is None or (average == "samples" and several_columns):
        return checked
    if weight.item(weight.argmin()) > 0:
        return checked
    kept = weight > 0
    return checked.take(kept)._replace(
        passed_query=checked.query,
        units=tuple(ids[kept] for ids in checked.units),
        kept=kept,
    )


def _on_host(inputs: PassedRows) -> PassedRows:
    """Return the arguments with arrays of other libraries as arrays of numpy. Warn of
    indexes in two orders.
    """
    if isinstance(inputs.y_score, Mapping):
        raise ValueError(
            "y_score must be the scores of one model; got the mapping "
            f"{short_repr(inputs.y_score)}. compare_many, or compare= of a report, "
            "takes several models. Of mappings by query, such as qrels and a run, pass "
            "**sklearn_ap.read_lists(y_true, y_score)."
        )
    rows = "y_true", "y_score", "sample_weight", "query_id", "unit_id"
    warn_of_other_order({name: getattr(inputs, name) for name in rows})
    return inputs._replace(
        y_true=labels_on_host(inputs.y_true),
        y_score=read_on_host("y_score", inputs.y_score),
        sample_weight=read_on_host("sample_weight", inputs.sample_weight),
    )


def labels_on_host(y_true: Targets) -> Targets:
    """Return labels of another library, or in a sparse matrix, as an array of numpy."""
    if issparse(y_true):
        return y_true.toarray()
    return read_on_host("y_true", y_true)


def _read_arrays(inputs: PassedRows, *, one_column: bool) -> CheckedRows:
    """Return checked labels, scores and weights."""
    y_true, y_score, average, pos_label, sample_weight, *_ = inputs
    _check_options(average, pos_label, one_column=one_column)
    labels, kind, positive = read_labels(y_true)
    if kind == "multiclass" and _names_a_class(labels, pos_label, y_score, one_column):
        # All labels other than `pos_label` are negative, whatever their number. So one
        # class against the rest is read as labels of two values.
        kind = "binary"
    classes = None
    if positive is None or one_column or pos_label != 1:
        positive, classes = positives_in(labels, kind, pos_label, one_column=one_column)
    try:
        score, bounds = read_scores(y_score, positive, has_classes=classes is not None)
        weight = None
        if sample_weight is not None:
            weight = _read_weight_of_rows(sample_weight, len(positive))
    except RefusedError as refused:
        # The labels are valid, so scikit-learn's error must not be about them.
        if classes is not None:
            refused.arguments["y_true"] = labels
            refused.note = refused.note or note_on_classes(labels)
        else:
            refused.arguments |= {"y_true": positive, "pos_label": 1}
            if positive.ndim == 1 and len(shape_of(y_score)) == 2:
                note = note_on_columns(y_score, labels, pos_label)
                refused.note = refused.note or note
        raise
    names = None if classes is None else classes.tolist()
    checked = CheckedRows(positive, score, bounds, weight, columns=names)
    if score.dtype.char == "e":
        return checked._replace(score=without_float16(score), are_half=True)
    return checked


def _check_options(average: object, pos_label: object, *, one_column: bool) -> None:
    """Refuse options whose types scikit-learn refuses."""
    if not (average is None or (isinstance(average, str) and average in AVERAGES)):
        raise RefusedError(
            f"average must be None or one of {AVERAGES}; got {average!r}."
        )
    if not isinstance(pos_label, _LABEL) and not (one_column and pos_label is None):
        raise RefusedError(f"pos_label must be a label; got {pos_label!r}.")


def _names_a_class(
    labels: AnyArray, pos_label: Label | None, y_score: ArrayLike, one_column: bool
) -> bool:
    """Return whether `pos_label` chooses one of three or more classes as positive.

    In a curve, any label chooses a class. In a score, any label except the default 1
    chooses a class if there is a single column of scores. For a matrix of scores,
    scikit-learn's tests require an error.
    """
    if one_column:
        return pos_label is not None
    is_text = labels.dtype.kind in "OU"
    is_named = isinstance(pos_label, str) == is_text and pos_label != 1
    return is_named and shape_of(y_score)[1:] in ((), (1,))


def _read_weight_of_rows(sample_weight: ArrayLike, n_rows: int) -> FloatArray:
    """Return checked weights of the rows, of which one is above 0."""
    weight = _weights_of("sample_weight", sample_weight, n_rows)
    if not weight[0] and not np.count_nonzero(weight):
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return weight


def _in_order_of_names(
    checked: CheckedRows, y_true: Targets, y_score: ArrayLike
) -> CheckedRows:
    """Return the rows with their columns of scores matched by name to the classes or to
    the columns of labels, and with the names of the columns; None if there are none.
    """
    names, kind = checked.columns, "classes of y_true"
    columns = column_names(y_score)
    if names is None:
        names, kind = column_names(y_true, columns), "columns of y_true"
    score = columns_by_name(
        checked.score, y_score, names, argument="y_score", kind_of_names=kind
    )
    return checked._replace(score=score, columns=names or columns)


# --- labels ---------------------------------------------------------------------------


def read_labels(y_true: Targets) -> tuple[AnyArray, str, BoolArray | None]:
    """Return the labels as an array, scikit-learn's name for their kind and, if all of
    them are 0 or 1, a mask of those that are 1.
    """
    try:
        labels = np.asarray(y_true)
    except ValueError as error:
        raise RefusedError(str(error), LISTS) from None
    if not labels.ndim:
        raise RefusedError(f"y_true must be an array; got {short_repr(y_true)}.")
    if not labels.size:
        raise ValueError(
            f"y_true is empty: got shape {labels.shape}, but at least one sample is "
            "required."
        )
    if labels.dtype.kind not in "biufU":
        labels = as_numbers_or_text(labels)
    labels = without_float16(labels)
    is_vector = labels.ndim == 1 or labels.shape[1:] == (1,)
    if labels.dtype.kind in "biuf" and labels.ndim in (1, 2):
        # If the number of labels that are not 0 is the number of labels that are 1, all
        # labels are 0 or 1.
        ones = labels == LABEL_1
        if np.count_nonzero(labels) == np.count_nonzero(ones):
            if is_vector:
                return labels, "binary", ones.ravel()
            return labels, "multilabel-indicator", ones
    return labels, kind_of(labels, is_vector=is_vector), None


# --- scores and weights ---------------------------------------------------------------


def read_scores(
    y_score: ArrayLike, positive: BoolArray, *, has_classes: bool
) -> tuple[AnyArray, Bounds]:
    """Return finite scores in native byte order and in the shape of the labels, and the
    lowest and the highest score.
    """
    try:
        score = np.asarray(y_score)
    except ValueError as error:
        note = "y_score must not contain lists of different lengths."
        raise RefusedError(str(error), note) from None
    _check_shape(score, positive.shape, has_classes=has_classes)
    if score.dtype.kind not in "biuf":
        score = numbers_of("y_score", score)
    if not score.dtype.isnative:
        score = score.astype(score.dtype.newbyteorder("="))
    if score.shape != positive.shape:
        score = score.reshape(positive.shape)
    lowest, highest = bounds = _bounds_of(score)
    # Both bounds are NaN if a score is NaN, and comparisons with NaN are False.
    is_finite = lowest > -inf and highest < inf
    if not (is_finite or get_config()["assume_finite"]):
        raise RefusedError(
            "y_score must be finite.", note_on_values(score), y_score=score
        )
    return score, bounds


def _check_shape(score: AnyArray, shape: tuple[int, ...], *, has_classes: bool) -> None:
    """Refuse scores whose shape is not that of the labels. One column is a vector."""
    if score.shape == shape or (len(shape) == 1 and score.shape == (*shape, 1)):
        return
    text = (
        f"y_score has shape {score.shape}, but y_true has shape {shape}; pass one "
        "column of scores per label."
    )
    # scikit-learn ignores labels without scores.
    if len(shape) == score.ndim == 2 and not has_classes and len(score) == shape[0]:
        raise ValueError(text)
    raise RefusedError(text)


def _bounds_of(values: AnyArray) -> Bounds:
    """Return the lowest and the highest value; both are NaN if a value is NaN."""
    # `min` and `max` are slower for short arrays. A view in the order of the memory is
    # read without a copy.
    in_memory = values.ravel("K")
    return in_memory.item(in_memory.argmin()), in_memory.item(in_memory.argmax())


def read_weights(name: str, values: ArrayLike, n_rows: int) -> FloatArray:
    """Return the weight, amount or count of each row, which scikit-learn's functions do
    not take.
    """
    try:
        return _weights_of(name, read_on_host(name, values), n_rows)
    except RefusedError as refused:
        raise ValueError(str(refused)) from None


def _weights_of(name: str, values: ArrayLike, n_rows: int) -> FloatArray:
    """Return weights or amounts as a checked vector of float64."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(
            f"{name} must contain one number per row; got lists of different lengths."
        ) from None
    if not array.ndim:
        text = f"{name} must contain one number per row; got {short_repr(values)}."
        # scikit-learn's error asks for an array of any length, so the text of this
        # package is also the note below that error.
        raise RefusedError(text, text)
    # After the number of rows, the shape of a vector is (), and of one column (1,).
    if array.shape[1:] > (1,):
        raise ValueError(
            f"{name} should be a 1d array, got an array of shape {array.shape} instead."
        )
    if array.dtype.kind not in "biuf":
        array = numbers_of(name, array)
    weight = array.ravel().astype(np.float64, copy=False)
    if weight.size != n_rows:
        raise RefusedError(
            f"{name} must contain one number for each of {n_rows} samples; got "
            f"{weight.size}."
        )
    # Without rows, the check of the labels raises an error.
    if not weight.size:
        return weight
    lightest, heaviest = _bounds_of(weight)
    # With NaN, both comparisons are False.
    if not (lightest >= LEAST_WEIGHT and heaviest <= MOST_WEIGHT):
        _check_weights(name, weight)
    return weight


def _check_weights(name: str, weight: FloatArray) -> None:
    """Raise ValueError about the first weight that is neither 0 nor within bounds."""
    assert_all_finite(weight, input_name=name)
    is_within = (weight == 0) | ((weight >= LEAST_WEIGHT) & (weight <= MOST_WEIGHT))
    if is_within.all():
        return
    row = int(is_within.argmin())
    value = weight[row]
    if value < 0:
        raise ValueError(f"{name} must not be negative; got {value} in row {row}.")
    raise ValueError(
        f"{name} must be 0 or from 2**-500 (3e-151) to 2**500 (3e150); got {value} in "
        f"row {row}; multiply all of them by a constant, unless the largest one is "
        "more than 2**1000 times the least one above 0."
    )

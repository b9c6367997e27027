"""The cause of an error about rows, and what to pass instead. Advice on scores depends
on their shape, since `predict_proba` and `decision_function` return several shapes.
"""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..typing import AnyArray, Label, PassedRows
from .fields import what_is
from .labels import BY_LABEL, are_lists, labels_in_words, ways_to_two
from .names import column_names
from .options import short_repr
from .values import on_host, rows_in_words

# If a column contains lists, the name of its type in numpy, pandas, polars or Arrow
# begins in one of these ways.
_has_objects = re.compile(
    r"object|(large_|fixed_size_)?list|array\(|struct", re.IGNORECASE
).match
# The beginning of scikit-learn's text about values that are missing or not finite.
_NOT_FINITE = "Input contains"
_WITHOUT_SCORE = (
    "Drop the rows without a score from all arguments. To count their positives as missed, "
    "pass n_positives, the number of all positives."
)
# Errors of these functions keep scikit-learn's text, with the advice in a note below
# it.
_LIKE_SCIKIT_LEARN = {
    "average_precision_score",
    "precision_recall_curve",
    "interpolated_precision_recall_curve",
    "from_predictions",
    "from_estimator",
}


class _Cause(str):
    """A note that describes the labels. It contains the cause of an error, so it
    replaces the error's text.
    """

    __slots__ = ()


def explained(
    error: Exception, inputs: PassedRows, caller: str
) -> ValueError | TypeError | None:
    """Return the error to raise in place of `error`; None if `error` itself should be
    raised.

    If the type of an argument or of its fields is the cause, the cause replaces the
    text. Otherwise, the notes that `error` has become part of its text. If scikit-learn
    also has the function `caller`, scikit-learn's text is kept, and the cause is a note
    below it; only texts about the fields of a column are always replaced.
    """
    keeps_text = caller in _LIKE_SCIKIT_LEARN
    for name in ("y_true", "y_score", "sample_weight"):
        values = getattr(inputs, name)
        if cause := _cause_in_type(values, name):
            if not keeps_text:
                return ValueError(cause)
            error.add_note(cause)
            return None
        # Texts about fields are those of numpy or pandas, also in scikit-learn, and do
        # not name the argument. So they are always replaced.
        if cause := _cause_in_fields(values, name):
            return ValueError(cause)
    notes = getattr(error, "__notes__", [])
    if keeps_text or not notes or not isinstance(error, ValueError | TypeError):
        return None
    if isinstance(notes[0], _Cause):
        return type(error)(" ".join(notes))
    text = f"{str(error).rstrip('.')}."
    return type(error)(" ".join([text, *notes]))


def _cause_in_type(values: Any, name: str) -> str:
    """Return why the type of an argument cannot be a column of numbers, and what to
    pass; empty if it can.
    """
    # Queries of polars and Spark have no length before they are run.
    if hasattr(values, "collect") and not hasattr(values, "__len__"):
        return f"{name} is a query that was not run: pass {name}.collect()."
    if isinstance(values, Mapping):
        return (
            f"{name} is a mapping of {short_repr([*values])}: pass one model at a time "
            "(to a display, with name= and the same ax= for all), or several models to "
            "compare_many or report(compare=...)."
        )
    return ""


def _cause_in_fields(values: Any, name: str) -> str:
    """Return why numpy cannot convert the values of a column to numbers, and what to
    pass; empty if no such cause is found.
    """
    columns = {name: values}
    # The columns of a data frame, by the code that selects each of them.
    if hasattr(values, "columns") and hasattr(values, "dtypes"):
        columns = {f"{name}[{column!r}]": values[column] for column in values.columns}
    for column, fields in columns.items():
        # Columns of Arrow have the attribute `type`, and others `dtype`.
        kind = str(getattr(fields, "dtype", getattr(fields, "type", "")))
        if kind.endswith("Int128"):
            return (
                f"{column} has the type {kind}, which numpy does not have: pass "
                f"{column}.cast(polars.Int64), or polars.Float64 for larger numbers."
            )
        first = None
        if _has_objects(kind) and getattr(fields, "ndim", 1) == 1:
            first = next(iter(fields[:1]), None)
        if hasattr(first, "__len__") and not isinstance(first, str | bytes):
            return (
                f"{column} contains {short_repr(first)}, which is {what_is(first)}; if "
                "rows have two numbers, as predict_proba returns them, pass "
                f"np.stack({column})[:, 1]."
            )
    return ""


def shape_of(y_score: Any) -> tuple[int, ...]:
    """Return the shape of scores, which may be a list of one matrix per output."""
    y_score = on_host("y_score", y_score)
    is_list = isinstance(y_score, list | tuple) and len(y_score) > 0
    try:
        # Matrices of different widths have no joint shape, so use the shape of the
        # first one.
        if is_list and all(np.ndim(output) == 2 for output in y_score):
            return (len(y_score), *np.shape(y_score[0]))
        return np.shape(y_score)
    except ValueError:
        # Lists of different lengths have no shape.
        return ()


def note_on_scores(
    text: str, y_score: ArrayLike, labels: AnyArray, kind: str, pos_label: Label | None
) -> str | None:
    """Return what to pass in place of scores that caused an error with this text, for
    labels of this kind; None if there is no advice.
    """
    if text.startswith(_NOT_FINITE):
        return _note_on_values(y_score)
    shape = shape_of(y_score)
    # Errors about the positive class contain the word `pos_label`.
    if "pos_label" in text:
        # Two labels need no advice on scores.
        if kind != "multiclass":
            return None
        classes = np.unique(labels).tolist()
        if shape == (len(labels), len(classes)):
            return _note_on_class(y_score, classes, pos_label)
    return _note_on_shape(y_score, shape, labels, kind, pos_label)


def note_on_labels(labels: AnyArray) -> str:
    """Return the number of rows of each label, and advice for a user who has more than
    two labels.
    """
    values, n_rows = np.unique(labels, return_counts=True)
    rows = dict(zip(values.tolist(), n_rows.tolist(), strict=True))
    ways = ways_to_two(rows, "np.asarray(y_true)")
    swapped = ""
    if labels.dtype.kind == "f" and 2 * len(rows) > labels.size:
        swapped = " If y_true contains the scores, swap it with y_score."
    return _Cause(
        f"y_true has {len(rows):,} values: {labels_in_words(rows)}. "
        f"{ways[:1].upper()}{ways[1:]}.{swapped}"
    )


def _note_on_class(
    y_score: ArrayLike, classes: list[Label], pos_label: Label | None
) -> str | None:
    """Return what to pass to score one class against the others; None if `pos_label` is
    not a class.
    """
    if pos_label not in classes:
        return None
    column = _code_of_column(y_score, classes.index(pos_label), pos_label)
    start = f"For {pos_label!r} against the other classes, pass "
    # A word as `pos_label` also chooses the labels of its class. The number 1 does not,
    # since it is the default. So if `pos_label` is a number, the advice is to compare
    # the labels with it.
    if isinstance(pos_label, str):
        return f"{start}{column}."
    return (
        f"{start}np.asarray(y_true) == {pos_label!r} and {column}, without pos_label."
    )


def _note_on_shape(
    y_score: ArrayLike,
    shape: tuple[int, ...],
    labels: AnyArray,
    kind: str,
    pos_label: Label | None,
) -> str | None:
    """Return what to pass in place of scores of this shape; None if there is no advice."""
    n_rows, n_labels = _rows_and_columns(labels.shape)
    if len(shape) == 3 and shape[:2] == (n_labels, n_rows):
        return _note_on_outputs(y_score, n_labels)
    # Transposed scores must fit: one row of scores per column of labels, or per class.
    fitting = {n_labels, len({*labels.ravel().tolist()})} - {n_rows}
    if shape[1:] == (n_rows,) and shape[0] in fitting:
        return "y_score has samples in columns: pass np.transpose(y_score)."
    # All other advice is about the number of columns, for scores with the right number
    # of rows.
    has_rows = shape[:1] == (n_rows,) and len(shape) <= 2
    _, n_columns = _rows_and_columns(shape)
    match kind:
        case "multiclass" if has_rows:
            return _note_on_classes(y_score, n_columns, labels.ravel())
        case "binary" if has_rows and n_columns > 1:
            return _note_on_columns(y_score, n_columns, np.unique(labels), pos_label)
        case "multilabel-indicator" if has_rows and n_columns == 1:
            return _Cause(
                f"y_true has {n_labels} columns: pass a column of scores for each."
            )
    return None


def _rows_and_columns(shape: tuple[int, ...]) -> tuple[int, int]:
    """Return the numbers of rows and columns of an array of this shape. An axis that
    the array does not have is taken to have length 1.
    """
    n_rows, n_columns, *_ = *shape, 1, 1
    return n_rows, n_columns


def _note_on_values(y_score: ArrayLike) -> str:
    """Return which rows have scores that are missing or not finite."""
    values = np.asarray(y_score)
    if values.dtype.kind != "f":
        return f"Some of y_score are missing. {_WITHOUT_SCORE}"
    is_finite = np.isfinite(values).reshape(len(values), -1).all(axis=1)
    note = f"y_score is not finite in {rows_in_words(~is_finite)}."
    return f"{note} {_WITHOUT_SCORE}" if np.isnan(values).any() else note


def _code_of_column(y_score: ArrayLike, place: int | str, name: object = None) -> str:
    """Return code for a column of scores: by its name if there is a column `name`, and
    otherwise by its place, which may be code.
    """
    names = column_names(y_score)
    if names is not None and name in names:
        return f"y_score[{name!r}]"
    if hasattr(y_score, "iloc"):
        return f"y_score.iloc[:, {place}]"
    if isinstance(y_score, np.ndarray):
        return f"y_score[:, {place}]"
    return f"np.asarray(y_score)[:, {place}]"


def _note_on_columns(
    y_score: ArrayLike, n_columns: int, present: AnyArray, pos_label: Label | None
) -> str:
    """Return which of several columns of scores to pass for binary labels."""
    positive: Label = 1 if pos_label is None else pos_label
    classes = present.tolist()
    columns = f"y_score has {n_columns} columns, as predict_proba has one per class: "
    # Labels that are True or False may mark one class of several, which has another
    # name in `classes_`.
    if present.dtype.kind == "b" and n_columns != len(classes):
        return f"{columns}pass the column of the class that is True in y_true."
    place: int | str = f"list(estimator.classes_).index({positive!r})"
    if n_columns == len(classes) and positive in classes:
        place = classes.index(positive)
    column = _code_of_column(y_score, place, positive)
    if n_columns == 2 and isinstance(place, int):
        sums = np.sum(np.asarray(y_score, dtype=float), axis=1)
        if not np.allclose(sums, 1, atol=0.01):
            other = _code_of_column(y_score, 1 - place, classes[1 - place])
            return (
                "y_score has 2 columns, and its rows do not sum to 1, as those of "
                f"logits: pass {column} - {other}, which ranks as their softmax does."
            )
    return f"{columns}pass {column}, the scores of class {positive!r}."


def _note_on_outputs(y_score: Any, n_labels: int) -> str:
    """Return what to pass for a list of one matrix per label, which `predict_proba` of
    forests returns.
    """
    if n_labels == 1:
        return "y_score is a list of one matrix per label: pass y_score[0]."
    widths = {np.shape(output)[1] for output in y_score}
    columns = "[output[:, 1] for output in y_score]"
    # A label that was constant in training has a single column.
    if widths != {2}:
        columns = (
            "[output[:, -1] * (classes[-1] == 1) for output, classes in "
            "zip(y_score, estimator.classes_)]"
        )
    return (
        f"y_score has {n_labels} matrices, as predict_proba of several labels has one "
        f"per label: pass np.column_stack({columns})."
    )


def _note_on_classes(
    y_score: ArrayLike, n_columns: int, labels: AnyArray
) -> str | None:
    """Return what to pass for multiclass labels and this number of score columns."""
    classes = np.unique(labels)
    n_classes = classes.size
    # Scores accept one column per class. So the error comes from a curve, which needs a
    # single class, or has another cause.
    if n_columns == n_classes:
        return _Cause(
            f"y_true has {n_classes} classes: take np.asarray(y_true) == label and the "
            "column of this label in y_score."
        )
    if n_columns == 1:
        predicted = ""
        if np.isin(y_score, classes).all():
            predicted = (
                " If y_score contains labels from predict, pass "
                "estimator.predict_proba(X)."
            )
        return _Cause(note_on_labels(labels) + predicted)
    if n_columns < n_classes and are_lists(classes.tolist()):
        return f"y_true contains lists of labels: {BY_LABEL}."
    if n_columns < n_classes:
        return (
            f"y_score has {n_columns} columns for {n_classes} classes: drop the rows "
            "of classes that the estimator was not trained on, where np.isin(y_true, "
            "estimator.classes_) is False."
        )
    columns = _code_of_column(y_score, "np.isin(estimator.classes_, y_true)")
    if set(classes.tolist()) <= set(column_names(y_score) or ()):
        columns = "y_score[np.unique(y_true).tolist()]"
    pairs = ""
    if n_columns == n_classes * (n_classes - 1) // 2:
        pairs = (
            " If each column is for a pair of classes, set "
            "decision_function_shape='ovr'."
        )
    return (
        f"y_score has {n_columns} columns, and y_true {n_classes} classes: pass "
        f"{columns}.{pairs}"
    )

"""What to pass instead of scores that are refused, by the shapes that `predict_proba`
and `decision_function` have.
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

# Types that lists have in numpy and pandas, polars, and Arrow.
_has_objects = re.compile(
    r"object|(large_|fixed_size_)?list|array\(|struct", re.IGNORECASE
).match
# These keep scikit-learn's text, with the advice in a note below it.
_LIKE_SCIKIT_LEARN = {
    "average_precision_score",
    "interpolated_precision_recall_curve",
    "from_predictions",
    "from_estimator",
}


def explained(
    error: Exception, inputs: PassedRows, caller: str
) -> ValueError | TypeError | None:
    """Return the error to raise in place of one about rows; None if that error stays.

    numpy's and pandas' texts are replaced by the cause. Notes become a part of the text,
    unless `caller` is a function that scikit-learn has, too.
    """
    keeps_text = caller in _LIKE_SCIKIT_LEARN
    for name in ("y_true", "y_score", "sample_weight"):
        values = getattr(inputs, name)
        if cause := _cause_in_type(values, name):
            if not keeps_text:
                return ValueError(cause)
            error.add_note(cause)
            return None
        if cause := _cause_in_fields(values, name):
            return ValueError(cause)
    notes = getattr(error, "__notes__", [])
    if keeps_text or not notes or not isinstance(error, ValueError | TypeError):
        return None
    text = f"{str(error).rstrip('.')}."
    # Here the note begins with the labels that there are.
    if notes[0].startswith("y_true has "):
        text = ""
    return type(error)(" ".join([text, *notes]).strip())


def _cause_in_type(values: Any, name: str) -> str:
    """Return why an argument is not one column of numbers, and what to pass; empty if it
    may be one.
    """
    # Queries of polars and Spark
    if hasattr(values, "collect") and not hasattr(values, "__len__"):
        return f"{name} is a query that was not run: pass {name}.collect()."
    if isinstance(values, Mapping):
        return (
            f"{name} is a mapping of {short_repr([*values])}: pass one model at a time (in "
            "displays each with name= and the same ax=), or several models to compare_many "
            "or report(compare=...)."
        )
    return ""


def _cause_in_fields(values: Any, name: str) -> str:
    """Return why numpy has no numbers for the values of a column, and what to pass; empty
    if it may have.
    """
    columns = {name: values}
    if hasattr(values, "columns") and hasattr(values, "dtypes"):
        columns = {f"{name}[{column!r}]": values[column] for column in values.columns}
    for column, fields in columns.items():
        kind = str(getattr(fields, "dtype", getattr(fields, "type", "")))
        if kind.endswith("Int128"):
            return (
                f"{column} has the type {kind}, which numpy lacks: pass "
                f"{column}.cast(polars.Int64), or polars.Float64 for larger numbers."
            )
        first = None
        if _has_objects(kind) and getattr(fields, "ndim", 1) == 1:
            first = next(iter(fields[:1]), None)
        if hasattr(first, "__len__") and not isinstance(first, str | bytes):
            return (
                f"{column} contains {short_repr(first)}, which is {what_is(first)}; of two "
                "numbers per row, as predict_proba returns them, pass "
                f"np.stack({column})[:, 1]."
            )
    return ""


def shape_of(y_score: Any) -> tuple[int, ...]:
    """Return the shape of scores, which may be a list of one matrix per output."""
    y_score = on_host("y_score", y_score)
    is_list = isinstance(y_score, list | tuple) and len(y_score) > 0
    try:
        if is_list and all(np.ndim(output) == 2 for output in y_score):
            return (len(y_score), *np.shape(y_score[0]))
        return np.shape(y_score)
    except ValueError:  # lists of different lengths
        return ()


def note_on_scores(
    text: str, y_score: ArrayLike, labels: AnyArray, kind: str, pos_label: Label | None
) -> str | None:
    """Return what to pass instead of scores that are refused with this text, for labels
    of this kind.
    """
    if text.startswith("Input contains"):
        return _note_on_values(y_score)
    shape = shape_of(y_score)
    if "pos_label" in text and kind != "multiclass":
        return None
    classes = np.unique(labels).tolist()
    if "pos_label" in text and shape == (len(labels), len(classes)):
        return _note_on_class(y_score, classes, pos_label)
    return _note_on_shape(y_score, shape, labels, kind, pos_label)


def note_on_labels(labels: AnyArray) -> str:
    """Return how many rows each label has, and how labels of several values become
    two.
    """
    values, n_rows = np.unique(labels, return_counts=True)
    rows = dict(zip(values.tolist(), n_rows.tolist(), strict=True))
    ways = ways_to_two(rows, "np.asarray(y_true)")
    swapped = ""
    if labels.dtype.kind == "f" and 2 * len(rows) > labels.size:
        swapped = " If y_true contains the scores, swap it with y_score."
    return (
        f"y_true has {len(rows):,} values: {labels_in_words(rows)}. "
        f"{ways[:1].upper()}{ways[1:]}.{swapped}"
    )


def _note_on_class(
    y_score: ArrayLike, classes: list[Label], pos_label: Label | None
) -> str | None:
    if pos_label not in classes:
        return None
    column = _column(y_score, classes.index(pos_label), pos_label)
    start = f"For {pos_label!r} against the other classes, pass "
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
    n_rows, n_labels = (*labels.shape, 1, 1)[:2]
    n_columns = (*shape, 1, 1)[1]
    note = None
    if len(shape) == 3 and shape[:2] == (n_labels, n_rows):
        note = _note_on_outputs(y_score, n_labels)
    elif shape[1:] == (n_rows,) and shape[0] != n_rows:
        note = "y_score has samples in columns: pass np.transpose(y_score)."
    elif shape[:1] != (n_rows,) or len(shape) > 2:
        note = None
    elif kind == "multiclass":
        note = _note_on_classes(y_score, n_columns, labels.ravel())
    elif kind == "binary" and n_columns > 1:
        note = _note_on_columns(y_score, n_columns, np.unique(labels), pos_label)
    elif kind == "multilabel-indicator" and n_columns == 1:
        note = f"y_true has {n_labels} columns: pass a column of scores for each."
    return note


def _note_on_values(y_score: ArrayLike) -> str:
    values = np.asarray(y_score)
    if values.dtype.kind != "f":
        return "Some of y_score are missing."
    is_finite = np.isfinite(values).reshape(len(values), -1).all(axis=1)
    return f"y_score is not finite in {rows_in_words(~is_finite)}."


def _column(y_score: ArrayLike, place: int | str, name: object = None) -> str:
    """Return how to write a column of scores, by its name if it has it; `place` may be
    code.
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
    positive: Label = 1 if pos_label is None else pos_label
    classes = present.tolist()
    columns = f"y_score has {n_columns} columns, as predict_proba has one per class: "
    if present.dtype.kind == "b" and n_columns != len(classes):
        return f"{columns}pass that of the class that is True in y_true."
    place: int | str = f"list(estimator.classes_).index({positive!r})"
    if n_columns == len(classes) and positive in classes:
        place = classes.index(positive)
    column = _column(y_score, place, positive)
    return f"{columns}pass {column}, the scores of class {positive!r}."


def _note_on_outputs(y_score: Any, n_labels: int) -> str:
    """Return the columns of label 1 in a list of one matrix per label, as forests
    return it.
    """
    if n_labels == 1:
        return "y_score has a matrix of its own per label: pass y_score[0]."
    widths = {np.shape(output)[1] for output in y_score}
    columns = "[output[:, 1] for output in y_score]"
    if widths != {2}:  # a label that was constant in training has one column
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
    classes = np.unique(labels)
    n_classes = classes.size
    if n_columns == n_classes:  # of a curve, or another fault
        return (
            f"y_true has {n_classes} classes: take np.asarray(y_true) == label and the "
            "column of this label in y_score."
        )
    if n_columns == 1:
        predicted = ""
        if np.isin(y_score, classes).all():
            predicted = " For labels of predict, pass estimator.predict_proba(X)."
        return note_on_labels(labels) + predicted
    if n_columns < n_classes and are_lists(classes.tolist()):
        return f"y_true contains lists of labels: {BY_LABEL}."
    if n_columns < n_classes:
        return (
            f"y_score has {n_columns} columns for {n_classes} classes: leave out the "
            "rows of classes that the estimator was not trained on, where "
            "np.isin(y_true, estimator.classes_) is False."
        )
    columns = _column(y_score, "np.isin(estimator.classes_, y_true)")
    if set(classes.tolist()) <= set(column_names(y_score) or ()):
        columns = "y_score[np.unique(y_true).tolist()]"
    pairs = ""
    if n_columns == n_classes * (n_classes - 1) // 2:
        pairs = " If columns are of pairs, set decision_function_shape='ovr'."
    return (
        f"y_score has {n_columns} columns, and y_true {n_classes} classes: pass "
        f"{columns}.{pairs}"
    )

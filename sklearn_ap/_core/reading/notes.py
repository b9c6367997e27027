"""What to pass instead of scores that are refused, by the shapes that `predict_proba`
and `decision_function` have.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..typing import AnyArray, Label
from .names import column_names
from .values import on_host, rows_in_words


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
    columns_of_classes = shape[:1] == labels.shape[:1] and (
        shape[1:] in ((), (1,), (np.unique(labels).size,))
    )
    if "pos_label" in text and columns_of_classes:
        return _note_on_class(y_score, shape, np.unique(labels).tolist(), pos_label)
    return _note_on_shape(y_score, shape, labels, kind, pos_label)


def _note_on_class(
    y_score: ArrayLike,
    shape: tuple[int, ...],
    classes: list[Label],
    pos_label: Label | None,
) -> str | None:
    if pos_label not in classes:
        return None
    pass_, alone = [], ""
    if not isinstance(pos_label, str):
        pass_, alone = [f"np.asarray(y_true) == {pos_label!r}"], ", without pos_label"
    if shape[1:] == (len(classes),):
        pass_.append(_column(y_score, classes.index(pos_label), pos_label))
    return (
        f"For {pos_label!r} against the other classes, pass {' and '.join(pass_)}"
        f"{alone}."
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
        note = _note_on_classes(y_score, n_columns, np.unique(labels))
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
    y_score: ArrayLike, n_columns: int, classes: AnyArray
) -> str | None:
    n_classes = classes.size
    if n_columns == n_classes:  # another fault
        return None
    if n_columns == 1:
        one = "np.asarray(y_true) == label"
        if classes.dtype.kind in "OUS":
            one = f"pos_label, such as pos_label={str(classes[0])!r}"
        predicted = ""
        if np.isin(y_score, classes).all():
            predicted = " For labels of predict, pass estimator.predict_proba(X)."
        return f"For the scores of one class against the others, pass {one}.{predicted}"
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

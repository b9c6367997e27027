"""Labels other than 0 and 1: their kind, in the words of scikit-learn, and which of
them are positive.
"""

import numpy as np
from sklearn.utils.multiclass import type_of_target

from ..typing import AnyArray, BoolArray, Label
from .errors import (
    CELLS,
    LISTS,
    RefusedError,
    note_on_classes,
    note_on_kind,
    note_on_pos_label,
    noted_error,
)
from .options import short_repr
from .values import is_missing, read_on_host, rows_in_words

# The label 1. Numpy compares it with labels of any type without a cast.
LABEL_1 = np.array(True)
# In these sets of labels, 1 is positive without `pos_label`. Each set is given by its
# lowest and its highest label.
_USUAL = (0, 1), (-1, 1), (0, 0), (-1, -1), (1, 1)


def as_numbers_or_text(labels: AnyArray) -> AnyArray:
    """Return labels that are objects, or of a type of another library, as numbers if
    they are numbers; otherwise unchanged. Raise ValueError about dates, and about
    lists in place of labels.
    """
    labels = np.asarray(read_on_host("y_true", labels))
    if labels.dtype.kind in "mMTV":
        cast = "; pass y_true.tolist()" if labels.dtype.kind == "T" else ""
        raise ValueError(
            f"y_true must contain numbers or text; got dtype {labels.dtype}{cast}."
        )
    if labels.dtype != object:
        return labels
    _check_not_missing(labels)
    for row, label in enumerate(labels.ravel()):
        if isinstance(label, list | tuple | np.ndarray):
            raise noted_error(
                f"y_true must contain one label per row; got {short_repr(label)} in "
                f"row {row}.",
                LISTS,
            )
    plain = np.array(labels.ravel().tolist())
    if plain.dtype.kind in "biuf":
        return plain.reshape(labels.shape)
    return labels


def _check_not_missing(labels: AnyArray) -> None:
    """Raise scikit-learn's error if a label is missing, and note the rows."""
    missing = np.array([is_missing(label) for label in labels.flat])
    if missing.any():
        rows = np.logical_or.reduce(missing.reshape(len(labels), -1), axis=1)
        advice = "Drop these rows from all arguments."
        # Most rows of a matrix have other labels.
        if labels.shape[1:] > (1,):
            advice = f"With keep = ~np.isnan(np.asarray(y_true, dtype=float)), {CELLS}"
        raise noted_error(
            "Input y_true contains NaN.",
            f"y_true is missing in {rows_in_words(rows)}. {advice}",
        )


def kind_of(labels: AnyArray, *, is_vector: bool) -> str:
    """Return scikit-learn's name for the kind of the labels. scikit-learn sorts all
    labels, which takes long, so it is asked about two values if a vector has no others,
    and not at all about integers and text in a vector.
    """
    shown = labels
    if is_vector:
        values = labels.ravel()
        is_first = values == values[0]
        pair = values[[0, int(is_first.argmin())]]
        n_in_pair = np.count_nonzero(is_first | (values == pair[1]))
        are_two = n_in_pair == values.size
        if labels.dtype.kind in "iuU":
            return "binary" if are_two else "multiclass"
        if are_two:
            shown = pair
    if shown.dtype.kind == "f" and np.isnan(shown).any():
        _check_not_missing(labels)
    try:
        return str(type_of_target(shown, input_name="y_true"))
    except ValueError as error:
        raise RefusedError(str(error)) from None
    except TypeError as error:
        # Labels of two types cannot be sorted, and bytes are no labels.
        error.add_note(
            "y_true must contain numbers or text, all of one kind; got shape "
            f"{labels.shape} and dtype {labels.dtype}."
        )
        raise


def positives_in(
    labels: AnyArray, kind: str, pos_label: Label | None, *, one_column: bool
) -> tuple[BoolArray, AnyArray | None]:
    """Return whether each label is positive, as a vector or with one column per label
    or class, and the classes if there are more than two.
    """
    if kind == "binary":
        labels = labels.ravel()
        return _positives_of_two(labels, pos_label, one_column=one_column), None
    if one_column or kind not in ("multiclass", "multilabel-indicator"):
        note = note_on_kind(labels, kind, one_column=one_column)
        raise RefusedError(f"{kind} format is not supported", note)
    if pos_label != 1:
        note = note_on_classes(labels) if kind == "multiclass" else ""
        raise RefusedError(f"pos_label must be 1 for {kind} y_true.", note)
    if kind == "multilabel-indicator":
        return np.asarray(labels == LABEL_1), None
    classes = np.unique(labels)
    return np.asarray(labels.reshape(-1, 1) == classes), classes


def _positives_of_two(
    labels: AnyArray, pos_label: Label | None, *, one_column: bool
) -> BoolArray:
    """Return whether each label is `pos_label`. Refuse a `pos_label` that does not
    occur although two labels do.
    """
    if pos_label is None:
        is_number = labels.dtype.kind in "biuf"
        if not (is_number and (labels.min(), labels.max()) in _USUAL):
            raise RefusedError("pos_label must be given.", note_on_pos_label(labels))
        pos_label = 1
    positive = np.asarray(labels == (LABEL_1 if pos_label == 1 else pos_label))
    if np.count_nonzero(positive) or (labels == labels[0]).all():
        return positive
    text = (
        f"pos_label={pos_label} is not a valid label. It should be one of "
        f"{np.unique(labels)}"
    )
    note = note_on_pos_label(labels)
    # scikit-learn accepts such a label of a curve, with a warning.
    if one_column:
        raise noted_error(text, note)
    raise RefusedError(text, note)

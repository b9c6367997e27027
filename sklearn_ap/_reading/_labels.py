"""Read labels through scikit-learn's validators, and find the positives."""

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import type_of_target

from .._typing import AnyArray, BoolArray, Label, Targets
from ._missing import is_missing


def read_labels(y_true: Targets) -> tuple[AnyArray, str]:
    """Return the labels as an array, and scikit-learn's name for their kind."""
    if issparse(y_true):
        y_true = y_true.toarray()
    try:
        labels = np.asarray(y_true)
    except ValueError:  # ragged: scikit-learn names the kind, or raises
        return np.empty(0), type_of_target(y_true, input_name="y_true")
    if labels.ndim and not labels.size:
        raise ValueError(f"y_true is empty: got shape {labels.shape}, at least one sample is needed.")
    if labels.dtype == object:  # scikit-learn accepts objects only if they are strings
        labels = _unboxed(labels)
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y_true")
    return labels, type_of_target(labels if labels.ndim else y_true, input_name="y_true")


def _unboxed(labels: AnyArray) -> AnyArray:
    """Return labels stored as objects as bools, integers or floats, if they all are."""
    if any(is_missing(label) for label in labels.flat):
        raise ValueError("Input y_true contains NaN.")
    # Mixed labels, such as 1 and "1", would become strings here, so they stay objects.
    unboxed = np.array(labels.tolist())
    return unboxed if unboxed.dtype.kind in "biuf" and unboxed.shape == labels.shape else labels


def positives_in(labels: AnyArray, kind: str, pos_label: Label) -> BoolArray:
    """Return where the labels are positive: a vector, or one column per label or class."""
    present = np.unique(labels)
    if kind == "binary":
        labels = labels.ravel()
        check_present(pos_label, present)
        return np.asarray(labels == pos_label)
    if kind not in ("multiclass", "multilabel-indicator"):
        raise ValueError(f"{kind} format is not supported")
    if pos_label != 1:
        raise ValueError(
            f"Parameter pos_label is fixed to 1 for {kind} y_true. "
            "Do not set pos_label or set pos_label to 1."
        )
    return np.asarray(labels == 1 if kind == "multilabel-indicator" else labels.reshape(-1, 1) == present)


def check_present(pos_label: Label, present: AnyArray) -> None:
    """Refuse a positive label that none of several labels is; rows of one label may all be negative."""
    if present.size > 1 and pos_label not in present:  # the text is scikit-learn's
        raise ValueError(f"pos_label={pos_label} is not a valid label. It should be one of {present}")


def inferred_pos_label(labels: AnyArray) -> int:
    """Return 1 if the labels are in {0, 1} or {-1, 1}, as scikit-learn's curves do; else refuse."""
    present = np.unique(labels)
    usual = ([0, 1], [-1, 1], [0], [-1], [1])
    if present.dtype.kind in "OUS" or not any(np.array_equal(present, labels) for labels in usual):
        values = ", ".join(map(repr, present.tolist()))
        raise ValueError(
            f"y_true takes value in {{{values}}} and pos_label is not specified: either make y_true take "
            "value in {0, 1} or {-1, 1} or pass pos_label explicitly."
        )
    return 1

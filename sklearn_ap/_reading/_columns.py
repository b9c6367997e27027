"""Labels, scores and weights: read once, to the type that holds them exactly."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.utils import assert_all_finite, check_array, column_or_1d
from sklearn.utils.multiclass import type_of_target

from .._typing import AnyArray, BoolArray, FloatArray, Label, Targets
from ._options import LARGEST
from ._values import is_missing


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


def one_per_row(sample_weight: ArrayLike | None) -> AnyArray | None:
    """Return weights, or a column of them, as a vector; scikit-learn's error would call them y."""
    if sample_weight is None:
        return None
    if np.ndim(sample_weight) == 1 or (np.ndim(sample_weight) == 2 and np.shape(sample_weight)[1] == 1):
        return np.asarray(column_or_1d(sample_weight))
    raise ValueError(
        f"sample_weight should be a 1d array, got an array of shape {np.shape(sample_weight)} instead."
    )


def read_weight(sample_weight: ArrayLike | None, *, copies: int = 1) -> FloatArray | None:
    """Return weights as float64; `copies` is how many times each weight enters a sum."""
    given = one_per_row(sample_weight)
    if given is None:
        return None
    weight: FloatArray = check_array(
        given,
        ensure_2d=False,
        dtype=[np.float64, np.float32],
        input_name="sample_weight",
    ).astype(np.float64)
    if (weight < 0).any():
        row = int(np.argmax(weight < 0))
        raise ValueError(f"sample_weight must not be negative; got {weight[row]} in row {row}.")
    if not weight.any():  # the text is scikit-learn's
        raise ValueError("Sample weights must contain at least one non-zero number.")
    # Finite weights may still add up to infinity, and scores divide by their sum.
    with np.errstate(over="ignore"):
        if not np.isfinite(weight.sum() * copies):
            raise ValueError(
                f"sample_weight adds up to infinity, with weights up to {weight.max()}; divide it by a "
                "constant, which changes no score."
            )
    return weight


def read_vector(y_score: ArrayLike) -> AnyArray:
    """Return the scores of rows: one ranking, or one per query."""
    score = column_or_1d(unrounded(y_score))
    assert_all_finite(score)
    return _orderable(np.asarray(score))


def read_matrix(y_score: ArrayLike, positive: BoolArray, kind: str) -> AnyArray:
    """Return one column of scores per column of labels."""
    if kind == "multiclass" and np.shape(y_score) != positive.shape:
        raise ValueError(
            "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains multiple "
            f"classes. Got `y_score.shape={np.shape(y_score)}`."
        )
    given = unrounded(y_score)
    score: AnyArray = check_array(given)
    if isinstance(given, np.ndarray) and given.dtype == object:
        exact = unboxed(given)
        if (exact != score.astype(object)).any():  # scikit-learn rounds objects to float64
            score = exact
    if score.shape != positive.shape:
        raise ValueError(
            f"y_score has shape {score.shape}, but y_true has shape {positive.shape}; give one column of "
            "scores per label."
        )
    return _orderable(np.asarray(score))


def _orderable(score: AnyArray) -> AnyArray:
    """Return numbers in native byte order; objects (fractions, huge integers) keep their exact order."""
    if score.dtype == object:
        score = unboxed(score)
        try:
            if any(isinstance(value, str | bytes) for value in score.flat):
                raise ValueError("strings were given")
            # Only a copy is rounded to float64, to find NaN and infinity. The objects are ranked.
            assert_all_finite(score.astype(np.float64))
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"y_score must hold real numbers; {str(error).rstrip('.')}.") from None
    elif score.dtype.kind not in "biuf":
        raise ValueError(f"y_score must hold real numbers; got dtype {score.dtype}.")
    return np.asarray(score, dtype=score.dtype.newbyteorder("="))


def unrounded(values: ArrayLike) -> ArrayLike:
    """Return scores as an exact array where others would round them, else as they are."""
    if isinstance(values, list | tuple):
        return _of_list(values)
    columns = _columns_of_frame(values)
    return _of_column(values) if columns is None else _of_frame(values, columns)


def unboxed(objects: AnyArray) -> AnyArray:
    """Return an array of objects whose integers and floats are Python's, which compare exactly."""
    flat = [one.item() if isinstance(one, np.generic) else one for one in objects.flat]
    exact = np.empty(len(flat), dtype=object)
    exact[:] = flat
    return exact.reshape(objects.shape)


def _of_list(values: Sequence[Any]) -> ArrayLike:
    try:
        array = np.asarray(values)
    except ValueError:  # ragged
        return values
    if array.dtype.kind != "f" or not _is_beyond(array):
        return values
    objects = np.array(values, dtype=object)
    rounded = any(isinstance(one, Integral) and abs(int(one)) > LARGEST for one in objects.flat)
    return objects if rounded else values


def _of_column(values: Any) -> ArrayLike:
    """Return integers of pandas' extension types as numpy's; missing ones are left to be refused."""
    exact = getattr(getattr(values, "dtype", None), "numpy_dtype", None)
    if exact is None or np.dtype(exact).kind not in "iu" or values.isna().any():
        return values  # type: ignore[no-any-return]
    return np.asarray(values.to_numpy(dtype=exact))


def _of_frame(values: ArrayLike, columns: Sequence[Any]) -> ArrayLike:
    arrays = [np.asarray(_of_column(column)) for column in columns]
    kinds = {array.dtype.kind for array in arrays}
    if not kinds <= {*"biuf"} or not kinds & {*"iu"}:
        return values
    if np.result_type(*arrays).kind == "f":
        if not any(array.dtype.kind in "iu" and _is_beyond(array) for array in arrays):
            return values
        arrays = [array.astype(object) for array in arrays]
    return np.stack(arrays, axis=1)


def _columns_of_frame(values: Any) -> Sequence[Any] | None:
    """Return the columns of a frame of pandas, polars or pyarrow; None for anything else."""
    if getattr(values, "ndim", 2) != 2:
        return None
    if hasattr(values, "iloc"):
        return [values.iloc[:, place] for place in range(values.shape[1])]
    for name in ("get_columns", "itercolumns"):  # polars; pyarrow
        if hasattr(values, name):
            return list(getattr(values, name)())
    return None


def _is_beyond(numbers: AnyArray) -> bool:
    # Equal, too: as a float, 2**53 may have been 2**53 + 1.
    return bool(numbers.size and (numbers.max() >= LARGEST or numbers.min() <= -LARGEST))

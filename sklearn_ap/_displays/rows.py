"""The rows of curves, whose scores are passed or computed by an estimator."""

from collections.abc import Mapping
from itertools import chain
from typing import Any, NamedTuple, Self, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import indexable
from sklearn.utils.multiclass import type_of_target

from .._core.curves import read_columns
from .._core.estimators import labelled, response_of
from .._core.reading.frames import column_names, warn_of_other_order
from .._core.reading.options import check_option
from .._core.reading.read import CheckedRows
from .._core.reading.values import is_multilabel, read_on_host
from .._core.typing import (
    Estimator,
    Features,
    IntArray,
    Label,
    PassedRows,
    ResponseMethod,
)
from .styles import import_pyplot

_Value = TypeVar("_Value")


class CurveRows(NamedTuple):
    """The rows of one or several curves, with the positive class of each curve."""

    # The rows of each curve, with the total of its positives if the caller passed it.
    curves: list[CheckedRows]
    # The positive class that the labels of the axes show. None if each curve has a
    # class of its own.
    pos_label: Label | None
    # The class of each curve, or the label of each column of a matrix. None for a
    # single curve.
    classes: list[Label] | None

    @classmethod
    def read(
        cls,
        inputs: PassedRows,
        *,
        positive_class: Label | None = None,
        classes: list[Label] | None = None,
    ) -> Self:
        """Return the rows of one ranking, or of each class against the rest.

        For scores of an estimator, the caller passes its `positive_class` or the
        `classes` of its columns. The labels may then be booleans, which do not show the
        class.
        """
        pos_label = inputs.pos_label
        if pos_label is not None and is_multilabel(inputs.y_score):
            raise ValueError(
                "pos_label must be omitted for several columns of y_score; got "
                f"{pos_label!r}."
            )
        curves = read_columns(inputs, "from_predictions")
        if len(curves) > 1 and classes is None:
            classes = curves[0].columns
            if is_multilabel(inputs.y_true):
                # Columns without names are numbered.
                classes = column_names(inputs.y_true) or list(range(len(curves)))
        if classes is None and positive_class is None:
            positive_class = 1 if pos_label is None else pos_label
        return cls(curves, positive_class, classes)


def rows_of_estimator(
    estimator: Estimator,
    X: Features,  # scikit-learn's name
    y: ArrayLike,
    response_method: ResponseMethod,
    pos_label: Label | None,
    **options: Any,
) -> CurveRows:
    """Return the rows of `X` and `y` with scores that an estimator computes. The method
    of the estimator is chosen as by the scorers of this package, and the positive class
    as by scikit-learn's displays: the second of two classes.
    """
    # Raise the error of a missing matplotlib before the estimator is called.
    import_pyplot()
    check_option("response_method", response_method, get_args(ResponseMethod))
    methods: Any = response_method
    if response_method == "auto":
        methods = "predict_proba", "decision_function"
    if pos_label is None and not is_multilabel(y):
        pos_label = _second_class(estimator)
    response = response_of(estimator, X, methods, pos_label)
    warn_of_other_order({"y": y, "response": response, **options})
    rows = labelled(estimator, response, y, pos_label)
    inputs = PassedRows(rows.labels, rows.scores, pos_label=pos_label, **options)
    # If the estimator has classes, `rows.labels` are booleans, which do not contain
    # `pos_label`.
    if rows.positive_class is not None:
        inputs = inputs._replace(pos_label=None)
    return CurveRows.read(
        inputs, positive_class=rows.positive_class, classes=rows.classes
    )


def _second_class(estimator: Estimator) -> Label | None:
    """Return the second of two classes of an estimator. Return None if it has no
    classes, another number of them, or several labels with two classes each.
    """
    classes: Any = read_on_host("classes_", getattr(estimator, "classes_", ()))
    if len(classes) != 2 or np.ndim(classes[0]) > 0:
        return None
    # In a list, the label is a number of Python and not of numpy.
    second: Label = np.asarray(classes).tolist()[1]
    return second


def rows_of_folds(
    cv_results: Mapping[str, Any],
    X: Features,
    y: ArrayLike,
    response_method: ResponseMethod,
    *,
    pos_label: Label | None,
    sample_weight: ArrayLike | None,
) -> CurveRows:
    """Return the rows of each test fold of `cross_validate`, with the scores of the
    estimator that was trained on the other rows.
    """
    _check_folds(cv_results, X, y)
    columns = indexable(X, y, sample_weight)
    curves = []
    for estimator, fold in zip(
        cv_results["estimator"], cv_results["indices"]["test"], strict=True
    ):
        samples, labels, weight = (_take(column, fold) for column in columns)
        rows = rows_of_estimator(
            estimator,
            samples,
            labels,
            response_method,
            pos_label,
            sample_weight=weight,
        )
        curves += rows.curves
    # All folds have the same positive class.
    return CurveRows(curves, rows.pos_label, None)


def _check_folds(cv_results: Mapping[str, Any], X: Features, y: ArrayLike) -> None:
    """Raise ValueError if a result of `cross_validate` lacks its folds, or if they do
    not fit the data. The errors begin with the words of scikit-learn.
    """
    keys = [*cv_results] if isinstance(cv_results, Mapping) else [type(cv_results)]
    if "estimator" not in keys or "indices" not in keys:
        raise ValueError(
            "`cv_results` does not contain one of the following required keys: "
            f"'estimator', 'indices'; got {keys}. Pass the result of "
            "cross_validate(..., return_estimator=True, return_indices=True)."
        )
    # Folds may leave out rows, as those of TimeSeriesSplit do. But if no fold contains
    # the last rows of `X`, the cross-validation most likely had other data.
    folds = chain.from_iterable(cv_results["indices"].values())
    expected = 1 + max(map(np.max, folds))
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if n_rows != expected:
        raise ValueError(
            f"`X` does not contain the correct number of samples. Expected {expected}, "
            f"got {n_rows}. Pass the X and y of cross_validate, up to the last row "
            "that a fold contains."
        )
    if (kind := type_of_target(y)) != "binary":
        raise ValueError(
            f"The target `y` is not binary. Got {kind} type of target. To draw one "
            "class, pass y == label to cross_validate and to from_cv_results."
        )


def _take(values: Any, rows: IntArray) -> Any:
    """Return rows of an array, a data frame, a sparse matrix or a list; or None."""
    if values is None:
        return None
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    # Tables and columns of pyarrow have no `dtype`.
    if hasattr(values, "take") and not hasattr(values, "dtype"):
        return values.take(rows)
    if hasattr(values, "shape"):
        return values[rows]
    return [values[row] for row in rows]


def unwrap_single(values: list[_Value]) -> _Value | list[_Value]:
    """Return the element of a list of length 1, or the list itself if it is longer. As
    in scikit-learn's displays, an attribute is a list only if there are several curves.
    """
    if len(values) == 1:
        return values[0]
    return values


def number_per_curve(name: str, values: ArrayLike | None, n_curves: int) -> list[float]:
    """Return a list with one number per curve, which is empty if `values` is None.
    Raise ValueError if the list has another length. `name` is the name of the argument.
    """
    if values is None:
        return []
    numbers: list[float] = np.ravel(values).tolist()
    if len(numbers) != n_curves:
        raise ValueError(
            f"{name} must contain a number for each of {n_curves} curves; got "
            f"{values!r}."
        )
    return numbers

"""The rows of a curve, with scores that an estimator computes."""

from typing import Any, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike

from .._core.curves import CurveRows
from .._core.estimators import labelled, response_of
from .._core.reading.names import warn_of_other_order
from .._core.reading.options import check_option
from .._core.reading.values import on_host
from .._core.typing import (
    Estimator,
    Features,
    Label,
    PassedRows,
    ResponseMethod,
)
from .figure import import_pyplot

_Value = TypeVar("_Value")


def rows_of_estimator(
    estimator: Estimator,
    X: Features,  # scikit-learn's name
    y: ArrayLike,
    response_method: ResponseMethod,
    pos_label: Label | None,
    **options: Any,
) -> CurveRows:
    """Return the rows of `X` and `y` with scores that an estimator computes. The method
    of the estimator and the positive class are chosen as by the scorers of this
    package.
    """
    # Raise the error of a missing matplotlib before the estimator is called.
    import_pyplot()
    check_option("response_method", response_method, get_args(ResponseMethod))
    methods: Any = response_method
    if response_method == "auto":
        methods = "predict_proba", "decision_function"
    y = on_host("y", y)
    response = response_of(estimator, X, methods, pos_label)
    warn_of_other_order({"y": y, "response": response, **options})
    rows = labelled(estimator, response, y, pos_label)
    inputs = PassedRows(rows.labels, rows.scores, pos_label=pos_label, **options)
    # If the estimator has classes, `rows.labels` are booleans, which do not contain
    # `pos_label`.
    if rows.positive is not None:
        inputs = inputs._replace(pos_label=None)
    return CurveRows.read(inputs, positive=rows.positive, classes=rows.classes)


def unwrap_single(values: list[_Value]) -> _Value | list[_Value]:
    """Return the element of a list of length 1, or the list itself if it is longer. As
    in scikit-learn's displays, an attribute is a list only if there are several curves.
    """
    if len(values) == 1:
        return values[0]
    return values


def number_per_curve(
    name: str, values: ArrayLike | None, n_curves: int
) -> list[float] | None:
    """Return a list with one number per curve, or None if `values` is None. Raise
    ValueError if the list has another length. `name` is the name of the argument.
    """
    if values is None:
        return None
    numbers: list[float] = np.ravel(values).tolist()
    if len(numbers) != n_curves:
        raise ValueError(
            f"{name} must contain a number for each of {n_curves} curves; got "
            f"{values!r}."
        )
    return numbers

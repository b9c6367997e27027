"""What an estimator predicts: by the rules of the scorers, and fold by fold."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from .._estimators import is_multilabel, labelled, positive_class, response_of
from .._inputs import check_option
from .._typing import AnyArray, Label

_METHODS = {
    "auto": ("predict_proba", "decision_function"),
    "predict_proba": ("predict_proba",),
    "decision_function": ("decision_function",),
}


class Response(NamedTuple):
    """Labels and scores of an estimator, the label to name, and the one to compare the labels with."""

    labels: AnyArray
    scores: AnyArray
    positive: Label
    pos_label: Label | None  # None where the labels are bools


def binary_response(
    estimator: Any,
    X: Any,  # scikit-learn's name
    y: Any,
    *,
    response_method: str,
    pos_label: Label | None,
) -> Response:
    """Return labels and scores by the rules of this package's scorers."""
    check_option("response_method", response_method, _METHODS)
    classes = getattr(estimator, "classes_", None)
    if is_multilabel(y) or (classes is not None and len(classes) > 2):
        known = "several columns in y" if classes is None or is_multilabel(y) else f"the classes {classes}"
        raise ValueError(
            f"estimator must be a binary classifier; got {type(estimator).__name__} and {known}. Draw one "
            "class against the rest by from_predictions(y == label, scores_of_label)."
        )
    answer = response_of(estimator, X, _METHODS[response_method])
    labels, scores, stated = labelled(estimator, answer, y, pos_label)
    if classes is None:  # an outlier detector
        return Response(labels, scores, 1 if stated is None else stated, stated)
    return Response(labels, scores, positive_class(np.ravel(classes), pos_label), None)


def folds_of(cv_results: Mapping[str, Any], X: Any, y: Any, sample_weight: Any) -> Iterator[tuple[Any, Any]]:
    """Pair the estimator of each fold with its test rows."""
    for key in ("estimator", "indices"):
        if key not in cv_results:
            raise ValueError(
                f"cv_results must hold {key!r}: make it by cross_validate(..., return_estimator=True, "
                f"return_indices=True); got the keys {list(cv_results)}."
            )
    needed = 1 + max(int(np.max(rows)) for part in cv_results["indices"].values() for rows in part)
    for name, values in (("X", X), ("y", y)):
        n_rows = values.shape[0] if hasattr(values, "shape") else len(values)
        if n_rows < needed:
            raise ValueError(
                f"{name} must be what cv_results was made with, of at least {needed} rows; got {n_rows}."
            )
    if sample_weight is not None and np.shape(sample_weight) != (n_rows,):
        raise ValueError(
            f"sample_weight must be a 1-D array, a weight for each of the {n_rows} rows of y; got one of "
            f"shape {np.shape(sample_weight)}."
        )
    return zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True)


def rows_of(values: Any, rows: Any) -> Any:
    """Return some rows of an array, a data frame, a sparse matrix or a list."""
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if issparse(values):
        return values.tocsr()[rows]
    return [values[row] for row in rows] if isinstance(values, list | tuple) else values[rows]

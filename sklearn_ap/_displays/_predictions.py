"""Labels and scores of an estimator, by the rules of the scorers; and of each fold of a cross-validation."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from .._estimators import is_multilabel, labelled, positive_class, response_of
from .._reading import check_option, gathered, on_host, refuse_mask
from .._typing import AnyArray, DrawnArea, Estimator, Features, Label, ResponseMethod, Totals
from ._areas import Ranked, ranked
from ._figure import one_each
from ._given import GivenRows

__all__ = ["Fold", "Response", "binary_response", "ranked_folds", "responses_of_folds"]

_METHODS: dict[ResponseMethod, tuple[str, ...]] = {
    "auto": ("predict_proba", "decision_function"),
    "predict_proba": ("predict_proba",),
    "decision_function": ("decision_function",),
}


class Response(NamedTuple):
    """Labels and scores of an estimator, and its positive class."""

    labels: ArrayLike
    scores: AnyArray
    positive: Label  # for the axis labels
    pos_label: Label | None  # which of `labels` is positive; None if they are already bools

    def rows(
        self,
        sample_weight: ArrayLike | None = None,
        query_id: ArrayLike | None = None,
        n_positives: Totals | None = None,
    ) -> GivenRows:
        """Return what is to be ranked."""
        return GivenRows(self.labels, self.scores, self.pos_label, sample_weight, query_id, n_positives)


def binary_response(
    estimator: Estimator,
    X: Features,  # scikit-learn's name
    y: ArrayLike,
    *,
    response_method: ResponseMethod,
    pos_label: Label | None,
) -> Response:
    """Return labels and scores by the rules of this package's scorers."""
    check_option("response_method", response_method, get_args(ResponseMethod))
    refuse_mask("y", y)
    y, classes = on_host("y", gathered(y=y)["y"]), on_host("classes_", getattr(estimator, "classes_", None))
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


def ranked_folds(
    cv_results: Mapping[str, Any],
    X: Features,  # scikit-learn's name
    y: ArrayLike,
    *,
    area: DrawnArea,
    sample_weight: ArrayLike | None,
    n_positives: ArrayLike | None,
    response_method: ResponseMethod,
    pos_label: Label | None,
) -> tuple[list[Ranked], Label]:
    """Return one ranking per fold, of its test rows, and the positive label for the axes."""
    folds = responses_of_folds(
        cv_results,
        X,
        y,
        sample_weight=sample_weight,
        n_positives=n_positives,
        response_method=response_method,
        pos_label=pos_label,
    )
    rankings = [ranked(fold.rows, caller="from_cv_results", areas=[area]) for fold in folds]
    return rankings, folds[-1].response.positive


class Fold(NamedTuple):
    """What a fold's estimator says of its test rows, and these rows with all that is known of them."""

    response: Response
    rows: GivenRows


def responses_of_folds(
    cv_results: Mapping[str, Any],
    X: Features,  # scikit-learn's name
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None,
    n_positives: ArrayLike | None,
    response_method: ResponseMethod,
    pos_label: Label | None,
) -> list[Fold]:
    """Let the estimator of each fold score its test rows."""
    pairs = _folds_of(cv_results, X, y, sample_weight)
    totals: Sequence[float | None] | None = one_each("n_positives", n_positives, len(pairs))
    folds = []
    for (estimator, rows), total in zip(pairs, totals or [None] * len(pairs), strict=True):
        response = binary_response(
            estimator,
            _rows_of(X, rows),
            _rows_of(y, rows),
            response_method=response_method,
            pos_label=pos_label,
        )
        weight = None if sample_weight is None else _rows_of(sample_weight, rows)
        folds.append(Fold(response, response.rows(weight, None, total)))
    return folds


def _folds_of(
    cv_results: Mapping[str, Any], X: Features, y: ArrayLike, sample_weight: ArrayLike | None
) -> list[tuple[Estimator, AnyArray]]:
    """Pair the estimator of each fold with its test rows, and refuse data of another size."""
    for key in ("estimator", "indices"):
        if key not in cv_results:
            raise ValueError(
                f"cv_results must hold {key!r}: make it by cross_validate(..., return_estimator=True, "
                f"return_indices=True); got the keys {list(cv_results)}."
            )
    indices = {part: [_row_numbers(rows) for rows in each] for part, each in cv_results["indices"].items()}
    # The splits hold row numbers only, so other data of the same size cannot be noticed.
    needed = 1 + max(int(np.max(rows)) for each in indices.values() for rows in each)
    n_rows = {name: _n_rows(values) for name, values in (("X", X), ("y", y))}
    for name, given in n_rows.items():
        if given < needed:
            raise ValueError(
                f"{name} must be the data that cv_results was made with, at least {needed} rows; got {given}."
            )
    if n_rows["X"] != n_rows["y"]:
        raise ValueError(f"X and y must have the same number of rows; got {n_rows['X']} and {n_rows['y']}.")
    if sample_weight is not None and np.shape(sample_weight) != (given,):
        raise ValueError(
            f"sample_weight must be a 1-D array, one weight for each of the {given} rows of y; got an array "
            f"of shape {np.shape(sample_weight)}."
        )
    return list(zip(cv_results["estimator"], indices["test"], strict=True))


def _row_numbers(rows: AnyArray) -> AnyArray:
    """Return row numbers; some splitters give a mask over all rows instead."""
    return np.flatnonzero(rows) if np.asarray(rows).dtype == bool else rows


def _n_rows(values: Features) -> int:
    return int(values.shape[0]) if hasattr(values, "shape") else len(values)


def _rows_of(values: Features, rows: AnyArray) -> Features:
    """Return some rows of an array, a data frame, a sparse matrix or a list."""
    if hasattr(values, "iloc"):  # plain indexing of a data frame would select columns
        return values.iloc[rows]
    if issparse(values):  # not every sparse format can be indexed
        return values.tocsr()[rows]
    return [values[row] for row in rows] if isinstance(values, list | tuple) else values[rows]

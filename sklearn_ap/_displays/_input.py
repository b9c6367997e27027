"""What a display was given: rows, arrays, or estimators and the folds of a cross-validation."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from .._areas._area import CurvePoints
from .._estimators import is_multilabel, labelled, positive_class, response_of
from .._reading._options import check_option
from .._reading._read import Checked, read_curve
from .._reading._values import gathered, on_host, refuse_mask
from .._scorers import make_scorer
from .._typing import AnyArray, Estimator, Features, FloatArray, Label, ResponseMethod, ScoreFunction, Totals
from ._figure import one_each

ROUNDING = 1e-9  # what sums of weights may be off by, since users may have computed them otherwise


class GivenRows(NamedTuple):
    """The rows of a lone ranking, as the caller passed them."""

    y_true: ArrayLike
    y_score: ArrayLike
    pos_label: Label | None
    sample_weight: ArrayLike | None = None
    query_id: ArrayLike | None = None
    n_positives: Totals | None = None

    def gathered(self) -> "GivenRows":
        """Return the rows in memory, for displays that read them more than once."""
        names = ("y_true", "y_score", "sample_weight", "query_id")
        return self._replace(**gathered(**{name: getattr(self, name) for name in names}))

    def read(self, caller: str) -> Checked:
        """Check the rows; `caller` is the public method, for scikit-learn's error texts."""
        given = self.y_true, self.y_score, self.pos_label, self.sample_weight, self.query_id
        return read_curve(*given, caller=caller)


def shares_of(name: str, values: ArrayLike, shape: tuple[int, ...], wanted: str) -> FloatArray:
    """Return numbers in [0, 1] of the wanted shape."""
    if np.shape(values) != shape or len(shape) != 1:
        raise ValueError(f"{name} must be {wanted}; got one of shape {np.shape(values)}.")
    array: FloatArray = np.asarray(values, dtype=np.float64)
    if not ((array >= -ROUNDING) & (array <= 1 + ROUNDING)).all():
        raise ValueError(f"{name} must hold shares, from 0 to 1; got {first_and_last(array)}.")
    return array


def first_and_last(array: FloatArray) -> str:
    """Return the first and last numbers of an array."""
    return np.array2string(array, threshold=10)


def share_each(name: str, values: ArrayLike | None, n_curves: int) -> list[float] | None:
    """Return one share per curve, or None."""
    shares = one_each(name, values, n_curves)
    if shares is not None:
        shares_of(name, shares, (n_curves,), "a number for each curve")
    return shares


def points_of(
    precision: Sequence[ArrayLike] | None,
    recall: Sequence[ArrayLike] | None,
    detected: Sequence[ArrayLike] | None,
) -> list[CurvePoints]:
    """Check the operating points of each curve."""
    given = {"precision": precision, "recall": recall, "detected": detected}
    for name in ("precision", "recall"):
        if given[name] is None:
            raise ValueError(f"{name} must be given, as precision_recall_curve returns it; got None.")
    several = {name: curves for name, curves in given.items() if curves is not None}
    wanted = [(np.size(one),) for one in several["precision"]]
    for name, curves in several.items():
        shapes = [np.shape(one) for one in curves]
        if shapes != wanted or min(wanted) < (2,):
            raise ValueError(
                f"{name} must be a 1-D array, one value per threshold and one for the closing point, of the "
                f"size of precision; or a list of such arrays. Got {shapes}; precision has {wanted}."
            )
    arrays = {
        name: [shares_of(name, one, np.shape(one), "a 1-D array") for one in curves]
        for name, curves in several.items()
    }
    # Recall and the share detected fall as the threshold rises; precision may go up and down.
    for name in set(arrays) - {"precision"}:
        for one in arrays[name]:
            if one[-1] != 0 or (np.diff(one) > ROUNDING).any():
                raise ValueError(
                    f"{name} must fall to 0, at the closing point that precision_recall_curve adds; got "
                    f"{first_and_last(one)}."
                )
    return [CurvePoints(*one) for one in zip(*arrays.values(), strict=True)]


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
    pairs = _tested_folds(cv_results, X, y, sample_weight)
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


def _tested_folds(
    cv_results: Mapping[str, Any], X: Features, y: ArrayLike, sample_weight: ArrayLike | None
) -> list[tuple[Estimator, AnyArray]]:
    """Pair the estimator of each fold with its test rows, and refuse data of another size."""
    for key in ("estimator", "indices"):
        if key not in cv_results:
            raise ValueError(
                f"cv_results must hold {key!r}: make it by cross_validate(..., return_estimator=True, "
                f"return_indices=True); got the keys {list(cv_results)}."
            )
    indices = {
        part: [_numbers_of_mask(rows) for rows in each] for part, each in cv_results["indices"].items()
    }
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


def _numbers_of_mask(rows: AnyArray) -> AnyArray:
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


_NAMES = {"Pr auc": "PR AUC", "R precision": "R-precision", "<lambda>": "Score"}


class Responses(NamedTuple):
    """Labels, the scores of each model, and the positive class that all of them have."""

    labels: ArrayLike
    scores: dict[str, AnyArray]
    positive: Label  # for the axis labels
    pos_label: Label | None  # which of `labels` is positive; None if they are already bools


def estimators_of(estimator: Estimator | Mapping[str, Estimator], name: str | None) -> dict[str, Estimator]:
    """Return one estimator per name; a single one has the name of its class, unless another is given."""
    models = (
        dict(estimator) if isinstance(estimator, Mapping) else {name or type(estimator).__name__: estimator}
    )
    if not models:
        raise ValueError(f"estimator must map names to estimators; got {estimator!r}.")
    return models


def responses_of(
    models: Mapping[str, Estimator],
    X: Features,  # scikit-learn's name
    y: ArrayLike,
    response_method: ResponseMethod,
    pos_label: Label | None,
) -> Responses:
    """Let each model score the rows; all have the same positive class, which is 1 or `pos_label`."""
    responses = {
        one: binary_response(model, X, y, response_method=response_method, pos_label=pos_label)
        for one, model in models.items()
    }
    first = next(iter(responses.values()))
    scores = {one: response.scores for one, response in responses.items()}
    return Responses(first.labels, scores, first.positive, first.pos_label)


def name_of_score(score_func: ScoreFunction, params: Mapping[str, object]) -> str:
    """Return the name of a score for an axis: that of its scorer, as in "Average precision@10"."""
    cut: dict[str, Any] = {"k": params["k"]} if "k" in params else {}
    words = make_scorer(score_func, **cut).__name__.replace("_", " ")
    name = words[:1].upper() + words[1:]
    return _NAMES.get(name, name)


def within_sentence(name: str) -> str:
    """Return a name with a small letter in front, unless it is an acronym or a symbol."""
    return name[:1].lower() + name[1:] if name[1:2].islower() else name

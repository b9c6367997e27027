"""What a display was given: rows, arrays, or estimators and the folds of a cross-validation."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from .._areas._area import CurvePoints
from .._estimators import is_multilabel, labelled, positive_class, response_of, rows_of, tested_folds
from .._reading._options import check_option
from .._reading._read import Checked, read_curve
from .._reading._values import gathered, on_host
from .._registry import LEVELS
from .._scorers import make_scorer
from .._typing import Estimator, Features, FloatArray, Label, ResponseMethod, ScoreFunction, Totals
from ._figure import import_pyplot

ROUNDING = 1e-9  # what sums of weights may be off by, since users may have computed them otherwise


class GivenRows(NamedTuple):
    """The rows of a lone ranking, as the caller passed them."""

    y_true: ArrayLike
    y_score: Any  # an array, or one of each model by its name
    pos_label: Label | None
    sample_weight: ArrayLike | None = None
    query_id: ArrayLike | None = None
    n_positives: Totals | None = None
    of_class: Label | None = None  # the positive class of an estimator; the labels may be bools already

    @property
    def positive(self) -> Label:
        """The positive class, for the labels of axes."""
        return next((one for one in (self.of_class, self.pos_label) if one is not None), 1)

    def gathered(self) -> "GivenRows":
        """Return the rows in memory, for displays that read them more than once."""
        names = ("y_true", "y_score", "sample_weight", "query_id")
        return self._replace(**gathered(**{name: getattr(self, name) for name in names}))

    def read(self) -> Checked:
        """Check the rows."""
        given = self.y_true, self.y_score, self.pos_label, self.sample_weight, self.query_id
        return read_curve(*given, caller="from_predictions")


def one_each(name: str, values: Any, n_curves: int) -> list[float] | None:
    """Return one number per curve, or None."""
    if values is None:
        return None
    numbers = [values] if np.ndim(values) == 0 else list(values)
    if len(numbers) != n_curves:
        raise ValueError(f"{name} must hold a number for each of {n_curves} curves; got {values!r}.")
    return numbers


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


def points_of(precision: Any, recall: Any, detected: Any) -> list[CurvePoints]:
    """Check the operating points of one curve, or of each curve if these are lists of arrays."""
    for name, values in (("precision", precision), ("recall", recall)):
        if values is None:
            raise ValueError(f"{name} must be given, as precision_recall_curve returns it; got None.")
    given = {"precision": precision, "recall": recall, "detected": detected}
    curves = {name: _listed(values) for name, values in given.items() if values is not None}
    wanted = [(np.size(one),) for one in curves["precision"]]
    arrays = {}
    for name, several in curves.items():
        shapes = [np.shape(one) for one in several]
        if shapes != wanted or min(wanted) < (2,):
            raise ValueError(
                f"{name} must be a 1-D array, one value per threshold and one for the closing point, of the "
                f"size of precision; or a list of such arrays. Got {shapes}; precision has {wanted}."
            )
        arrays[name] = [shares_of(name, one, np.shape(one), "a 1-D array") for one in several]
        for one in arrays[name] if name != "precision" else ():  # which may go up and down
            if one[-1] != 0 or (np.diff(one) > ROUNDING).any():
                raise ValueError(
                    f"{name} must fall to 0, at the closing point that precision_recall_curve adds; got "
                    f"{first_and_last(one)}."
                )
    return [CurvePoints(*one) for one in zip(*arrays.values(), strict=True)]


def _listed(arrays: Any) -> Sequence[ArrayLike]:
    """Return the arrays of one or several curves as a list."""
    several = isinstance(arrays, list | tuple) and len(arrays) > 0 and np.ndim(arrays[0]) > 0
    return arrays if several else [arrays]


def rows_of_estimator(
    estimator: Estimator,
    X: Features,  # scikit-learn's name
    y: ArrayLike,
    response_method: ResponseMethod,
    pos_label: Label | None,
) -> GivenRows:
    """Let an estimator score the rows, by the rules of this package's scorers."""
    import_pyplot()  # before the estimator works in vain
    check_option("response_method", response_method, get_args(ResponseMethod))
    y, classes = on_host("y", gathered(y=y)["y"]), on_host("classes_", getattr(estimator, "classes_", None))
    if is_multilabel(y) or (classes is not None and len(classes) > 2):
        known = "several columns in y" if classes is None or is_multilabel(y) else f"the classes {classes}"
        raise ValueError(
            f"estimator must be a binary classifier; got {type(estimator).__name__} and {known}. Draw one "
            "class against the rest by from_predictions(y == label, scores_of_label)."
        )
    methods = ("predict_proba", "decision_function") if response_method == "auto" else response_method
    answer = labelled(estimator, response_of(estimator, X, methods), y, pos_label)
    positive = None if classes is None else positive_class(np.ravel(classes), pos_label)  # of a classifier
    return GivenRows(*answer, of_class=positive)


def rows_of_models(
    estimator: Estimator | Mapping[str, Estimator],
    X: Features,  # scikit-learn's name
    y: ArrayLike,
    response_method: ResponseMethod,
    pos_label: Label | None,
    *,
    name: str | None,
) -> GivenRows:
    """Let each model score the rows; a single one has the name of its class, unless another is given."""
    single = not isinstance(estimator, Mapping)
    models = {name or type(estimator).__name__: estimator} if single else estimator
    if not models:
        raise ValueError(f"estimator must map names to estimators; got {estimator!r}.")
    each = [rows_of_estimator(model, X, y, response_method, pos_label) for model in models.values()]
    return each[0]._replace(y_score=dict(zip(models, (one.y_score for one in each), strict=True)))


def rows_of_folds(
    cv_results: Mapping[str, Any],
    X: Features,  # scikit-learn's name
    y: ArrayLike,
    response_method: ResponseMethod,
    pos_label: Label | None,
    *,
    sample_weight: ArrayLike | None,
    n_positives: ArrayLike | None,
) -> list[GivenRows]:
    """Let the estimator of each fold score its test rows."""
    pairs = tested_folds(cv_results, X, y, sample_weight=sample_weight)
    totals: Sequence[float | None] | None = one_each("n_positives", n_positives, len(pairs))
    folds = []
    for (estimator, rows), total in zip(pairs, totals or [None] * len(pairs), strict=True):
        fold = rows_of_estimator(estimator, rows_of(X, rows), rows_of(y, rows), response_method, pos_label)
        weight = None if sample_weight is None else rows_of(sample_weight, rows)
        folds.append(fold._replace(sample_weight=weight, n_positives=total))
    return folds


_NAMES = {"Pr auc": "PR AUC", "R precision": "R-precision", "<lambda>": "Score"}


def name_of_score(score_func: str | ScoreFunction, params: Mapping[str, object]) -> str:
    """Return the name of a score for an axis: that of its scorer, as in "Average precision@10"."""
    named: dict[str, Any] = {name: params[name] for name in ("k", *LEVELS.values()) if name in params}
    words = make_scorer(score_func, **named).__name__.replace("_", " ")
    name = words[:1].upper() + words[1:]
    return _NAMES.get(name, name)


def within_sentence(name: str) -> str:
    """Return a name with a small letter in front, unless it is an acronym or a symbol."""
    return name[:1].lower() + name[1:] if name[1:2].islower() else name

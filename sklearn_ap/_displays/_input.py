"""The arguments of displays: labels and scores, estimators, and the folds of a cross-validation."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from .._estimators import is_multilabel, labelled, positive_class, response_of, rows_of, tested_folds
from .._reading._options import check_option
from .._reading._read import Checked, Input, read
from .._reading._values import on_host, refuse_mask
from .._registry import SCORER_NAMES
from .._scorers import make_scorer
from .._typing import Estimator, Features, Label, ResponseMethod, ScoreFunction, Totals
from ._figure import import_pyplot


class RankedRows(NamedTuple):
    """The rows of a single ranking, as the caller passed them."""

    y_true: ArrayLike
    y_score: ArrayLike
    pos_label: Label | None
    sample_weight: ArrayLike | None = None
    query_id: ArrayLike | None = None
    n_positives: Totals | None = None
    estimator_class: Label | None = None  # the positive class of the estimator; `y_true` may be booleans
    classes: Sequence[Label] | None = None  # of the columns of `y_true`, if these are classes

    @property
    def positive(self) -> Label:
        """The positive class, for the labels of axes."""
        classes = (self.estimator_class, self.pos_label)
        return next((label for label in classes if label is not None), 1)

    def read(self) -> Checked:
        """Check the rows."""
        inputs = Input(self.y_true, self.y_score, "macro", self.pos_label, self.sample_weight, self.query_id)
        return read(inputs, caller="from_predictions", as_curve=True)

    def by_class(self) -> list["RankedRows"]:
        """Return the rows of each class against the rest, named in `classes`; one ranking if binary."""
        refuse_mask("y_true", self.y_true)
        refuse_mask("y_score", self.y_score)
        y_true: Any = self.y_true
        labels: Any = y_true.toarray() if issparse(y_true) else on_host("y_true", y_true)
        labels, scores = np.asarray(labels), np.asarray(on_host("y_score", self.y_score))
        names = self.classes
        if labels.ndim == 1 and scores.ndim == 2 and len(values := np.unique(labels)) > 2:
            labels, names = labels[:, np.newaxis] == values, values.tolist()
        elif not is_multilabel(labels):
            return [self]
        if labels.shape != scores.shape:
            raise ValueError(
                f"y_score must have the shape {labels.shape}, one column per class or label; got an array of "
                f"shape {scores.shape}."
            )
        if self.pos_label is not None:
            raise ValueError(
                "pos_label must be left out for several classes or labels, which are all drawn; got "
                f"{self.pos_label!r}."
            )
        totals = number_per_curve("n_positives", self.n_positives, len(scores.T)) or [None] * len(scores.T)
        columns = zip(labels.T, scores.T, totals, names or range(len(scores.T)), strict=True)
        return [self._replace(y_true=y, y_score=s, n_positives=n, classes=[c]) for y, s, n, c in columns]


def rank_by_estimator(
    estimator: Estimator,
    X: Features,  # scikit-learn's name
    y: ArrayLike,
    response_method: ResponseMethod,
    pos_label: Label | None,
    **options: Any,
) -> RankedRows:
    """Score the rows by an estimator, with the rules of this package's scorers."""
    import_pyplot()  # raises before the estimator is called
    check_option("response_method", response_method, get_args(ResponseMethod))
    y = on_host("y", y)
    classes: Any = on_host("classes_", getattr(estimator, "classes_", None))
    has_several = is_multilabel(y) or (classes is not None and len(classes) > 2)
    methods = ("predict_proba", "decision_function") if response_method == "auto" else response_method
    rows = labelled(estimator, response_of(estimator, X, methods), y, pos_label)
    if has_several:
        present = None if is_multilabel(y) else classes[np.isin(classes, y)].tolist()  # as `labelled` keeps
        return RankedRows(*rows, classes=present, **options)
    # Outlier detectors have no classes.
    positive = None if classes is None else positive_class(np.ravel(classes), pos_label)
    return RankedRows(*rows, estimator_class=positive, **options)


def rank_folds(
    cv_results: Mapping[str, Any],
    X: Features,  # scikit-learn's name
    y: ArrayLike,
    response_method: ResponseMethod,
    pos_label: Label | None,
    *,
    sample_weight: ArrayLike | None,
    n_positives: ArrayLike | None,
) -> list[RankedRows]:
    """Score the test rows of each fold by its estimator."""
    folds = tested_folds(cv_results, X, y, sample_weight=sample_weight)
    totals = number_per_curve("n_positives", n_positives, len(folds)) or [None] * len(folds)
    rankings = []
    for (estimator, rows), total in zip(folds, totals, strict=True):
        weight = None if sample_weight is None else rows_of(sample_weight, rows)
        ranking = rank_by_estimator(
            estimator, rows_of(X, rows), rows_of(y, rows), response_method, pos_label, n_positives=total
        )
        if np.ndim(ranking.y_score) > 1:
            raise ValueError(
                "y must be binary, since a curve per class and fold would hide each other; got "
                f"{np.shape(ranking.y_score)[1]} classes or labels. Pool the folds: from_predictions(y, "
                "cross_val_predict(estimator, X, y, method='predict_proba'))."
            )
        rankings.append(ranking._replace(sample_weight=weight))
    return rankings


def number_per_curve(name: str, values: Any, n_curves: int) -> list[Any] | None:
    """Return one number per curve, or None."""
    if values is None:
        return None
    numbers = [values] if np.ndim(values) == 0 else list(values)
    if len(numbers) != n_curves:
        raise ValueError(f"{name} must contain a number for each of {n_curves} curves; got {values!r}.")
    return numbers


# Names that capitalising the name of a scorer gets wrong.
_SPELLINGS = {"Pr auc": "PR AUC", "R precision": "R-precision", "<lambda>": "Score"}


def axis_name(score_func: str | ScoreFunction, params: Mapping[str, object]) -> str:
    """Return the name of a score for an axis: that of its scorer, as in "Average precision@10"."""
    in_names = {argument for _, argument in SCORER_NAMES.values()}
    cuts: dict[str, Any] = {name: value for name, value in params.items() if name in in_names}
    scorer_name = make_scorer(score_func, **cuts).__name__.replace("_", " ")
    name = scorer_name[:1].upper() + scorer_name[1:]
    return _SPELLINGS.get(name, name)


def within_sentence(name: str) -> str:
    """Return a name with a small letter in front, unless it is an acronym or a symbol."""
    return name[:1].lower() + name[1:] if name[1:2].islower() else name

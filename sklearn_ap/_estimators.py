"""What an estimator says of each class: asked by scorers and by displays, and read by the same rules."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, OutlierMixin, is_outlier_detector

from ._reading import on_host, refuse_mask
from ._typing import AnyArray, Label

# What estimators answered, by (id of the estimator, method, id of the data). The estimator and the data stand
# beside each answer: while they live, no other object has their ids.
Answers = dict[tuple[int, str, int], tuple[Any, Any, Any]]


class Labelled(NamedTuple):
    """Labels, their scores, and the positive label that a score function still has to be told."""

    labels: Any
    scores: AnyArray
    pos_label: Label | None  # None where the labels are bools, or nobody stated one


class _AnswerTable(OutlierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Asked in an estimator's place, so that whoever keeps answers for several scorers keeps ours, too.

    While scikit-learn calls several scorers, it keeps what an estimator answers under the name of the method.
    Of a classifier, that is the column of the first scorer's positive class, which is of no use to the next
    scorer. Of an outlier detector, it is the answer as it stands: here a table, which the scorers fill.
    """

    def sklearn_ap_answers(self, _: Any) -> Answers:
        """Return an empty table; whoever keeps it hands it to the next scorer."""
        return {}


def answers_kept_by(method_caller: Callable[..., Any], X: Any) -> Answers:
    """Return the table that a scorer's `method_caller` keeps as long as it keeps answers, or a new one."""
    try:
        kept = method_caller(_AnswerTable(), "sklearn_ap_answers", X)
    except Exception:  # a caller of other manners: then each scorer asks for itself
        return {}
    return kept if isinstance(kept, dict) else {}


def response_of(estimator: Any, X: Any, methods: str | Sequence[str], answers: Answers | None = None) -> Any:
    """Return what the first of the methods gives that the estimator has; ask only if `answers` lacks it."""
    method = _first_method(estimator, (methods,) if isinstance(methods, str) else methods)
    answers = {} if answers is None else answers
    key = (id(estimator), method, id(X))
    if key not in answers:
        answers[key] = (getattr(estimator, method)(X), estimator, X)
    response = answers[key][0]
    if method == "decision_function" and np.ndim(response) == 2 and _scores_pairs(estimator):
        raise ValueError(
            "decision_function_shape='ovo' gives scores of pairs of classes, but each class needs a column; "
            "use decision_function_shape='ovr'."
        )
    return response


def _first_method(estimator: Any, methods: Sequence[str]) -> str:
    for method in methods:
        if getattr(estimator, method, None) is not None:
            return method
    name = type(estimator).__name__
    text = f"{name} has none of the following attributes: {', '.join(methods)}."  # scikit-learn's words
    others = [one for one in ("decision_function", "predict_proba") if hasattr(estimator, one)]
    if others:
        text += f" It has {others[0]}: pass response_method={others[0]!r}."
    elif hasattr(estimator, "predict") and hasattr(estimator, "classes_"):
        text += " Its predict gives labels, which do not rank: use a classifier that has one of them."
    elif hasattr(estimator, "predict"):
        text += (
            " If its predict gives scores, as that of a ranker or a regressor does, use make_scorer(..., "
            'response_method="predict"), or from_predictions(y, estimator.predict(X)) of a display.'
        )
    raise AttributeError(text)


def _scores_pairs(estimator: Any) -> bool:
    """Whether the columns are pairs of classes; of three classes there are as many pairs."""
    last = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
    return getattr(last, "decision_function_shape", None) == "ovo"


def is_multilabel(y_true: Any) -> bool:
    """Whether there is more than one column; `classes_` cannot tell, it is arange(L) in OneVsRest."""
    shape = y_true.shape if issparse(y_true) else np.shape(y_true)
    return len(shape) == 2 and shape[1] > 1


def labelled(estimator: Any, response: Any, y_true: Any, pos_label: Label | None) -> Labelled:
    """Return labels and scores of the positive class, of each class that the fold has, or of each label.

    `pos_label` is the class that the caller stated. The labels of an estimator without classes are left as
    they are. Outlier detectors score inliers high: where outliers, -1, are positive, the score is negated.
    """
    refuse_mask("y", y_true)
    y_true, response = on_host("y", y_true), on_host("response", response)
    classes: Any = on_host("classes_", getattr(estimator, "classes_", None))
    outputs = isinstance(classes, list | tuple) and bool(classes) and np.ndim(classes[0]) == 1
    if is_multilabel(y_true):
        return Labelled(y_true, _columns(classes, response) if outputs else np.asarray(response), pos_label)
    if outputs:
        if len(classes) > 1:
            raise ValueError(f"the estimator knows {len(classes)} labels, but y has one column.")
        (classes,) = classes
        if isinstance(response, list):
            (response,) = response
    labels, scores = np.asarray(y_true).ravel(), np.asarray(response)
    if classes is not None:
        return _by_class(np.asarray(classes), scores, labels, pos_label)
    if scores.ndim > 1 and scores.size > labels.size:
        raise ValueError(
            f"the estimator gives scores of shape {scores.shape}, but has no classes_ to tell its columns "
            "apart."
        )
    outliers = pos_label == -1 and _detects_outliers(estimator)
    return Labelled(labels, -scores if outliers else scores, pos_label)


def _detects_outliers(estimator: Any) -> bool:
    try:
        return bool(is_outlier_detector(estimator))
    except AttributeError:  # scikit-learn 1.8 refuses what is not derived from its classes; 1.7 warns
        return False


def _columns(classes: Sequence[AnyArray], response: Any) -> AnyArray:
    """Return the scores of label 1 in each output: a matrix as it is, or a list of the classes' scores.

    Forests give a list, with one column where a label was constant.
    """
    if not isinstance(response, list):
        return np.asarray(response)
    each = [_scores_of(1, np.asarray(c), np.asarray(r)) for r, c in zip(response, classes, strict=True)]
    return np.stack(each, axis=1)


def _by_class(classes: AnyArray, scores: AnyArray, labels: AnyArray, pos_label: Label | None) -> Labelled:
    words = [one for one in scores.ravel()[:1].tolist() if isinstance(one, str | bytes)]
    if words:
        raise ValueError(
            f"the estimator gives labels such as {words[0]!r}, which do not rank: let response_method be a "
            "method that gives numbers."
        )
    unseen = labels[~np.isin(labels, classes)].tolist()
    if unseen:
        raise ValueError(
            f"y holds the class {unseen[0]!r}, which the estimator was not trained on; it knows {classes}."
        )
    if classes.size > 2:
        if scores.shape != (labels.size, classes.size):
            raise _wrong_shape(classes, scores)
        present = np.isin(classes, labels)
        return Labelled(
            (labels[:, np.newaxis] == classes[present]).astype(int), scores[:, present], pos_label
        )
    positive = positive_class(classes, pos_label)
    return Labelled(labels == positive, _scores_of(positive, classes, scores), None)


def positive_class(classes: AnyArray, pos_label: Label | None) -> Any:
    """Return the class that `pos_label` names; without it 1 if it is one of them, else the second of two."""
    if pos_label is not None:
        if pos_label not in classes:
            raise ValueError(
                f"pos_label={pos_label!r} is not a valid label: the estimator knows {classes}. (Before "
                "scikit-learn 1.9, LogisticRegressionCV may show its scorers -1 and 1 in their place.)"
            )
        return pos_label
    if 1 in classes:
        return 1
    if classes.size < 2:
        raise ValueError(
            f"the estimator knows one class, {classes.tolist()[0]!r}: name the positive one by pos_label."
        )
    return classes[1]


def _scores_of(label: Any, classes: AnyArray, scores: AnyArray) -> AnyArray:
    """Return the scores of one class, or zeros if the class was absent in training.

    A single column scores the last class, as `decision_function` does: the first of two classes is what it
    scores low. Of one class, XGBoost and LightGBM give two columns, the first of which is its own.
    """
    places = np.flatnonzero(classes == label)
    if not places.size:
        return np.zeros(scores.shape[:1])
    if scores.ndim == 2 and (scores.shape[1] == classes.size or classes.size == 1):
        return scores[:, places[0]]
    if scores.shape[:1] != (scores.size,) or classes.size > 2:
        raise _wrong_shape(classes, scores)
    scores = scores.ravel()
    if places[0] == classes.size - 1:
        return scores
    # ~ reverses the order of all integers, where - wraps the unsigned ones.
    return ~scores if scores.dtype.kind in "biu" else -scores


def _wrong_shape(classes: AnyArray, scores: AnyArray) -> ValueError:
    return ValueError(
        f"the estimator gives scores of shape {scores.shape}, but each of its {classes.size} classes needs a "
        "column."
    )

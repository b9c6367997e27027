"""What an estimator says of each class: asked once, for scorers and for displays."""

from typing import Any

import numpy as np
from scipy.sparse import issparse

from ._typing import AnyArray


def response_of(estimator: Any, X: Any, methods: str | tuple[str, ...]) -> Any:
    """Return what the first of the methods gives that the estimator has."""
    methods = (methods,) if isinstance(methods, str) else tuple(methods)
    for method in methods:
        if hasattr(estimator, method):
            response = getattr(estimator, method)(X)
            if method == "decision_function" and np.ndim(response) == 2 and _scores_pairs(estimator):
                raise ValueError(
                    "decision_function_shape='ovo' gives scores of pairs of classes, but each class needs a "
                    "column; use decision_function_shape='ovr'."
                )
            return response
    wanted = ", ".join(methods)
    raise AttributeError(f"{type(estimator).__name__} has none of the following attributes: {wanted}.")


def is_multilabel(y_true: Any) -> bool:
    """Whether there is more than one column; `classes_` cannot tell, it is arange(L) in OneVsRest."""
    shape = y_true.shape if issparse(y_true) else np.shape(y_true)
    return len(shape) == 2 and shape[1] > 1


def _scores_pairs(estimator: Any) -> bool:
    """Whether the columns are pairs of classes; of three classes there are as many pairs."""
    last = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
    return getattr(last, "decision_function_shape", None) == "ovo"


def multilabel(classes: Any, response: Any, y_true: Any) -> tuple[Any, AnyArray]:
    """Return indicators and their scores; forests give a list, with one column where a label was constant."""
    if isinstance(response, list):
        columns = [_column(r, c, 1) for r, c in zip(response, classes, strict=True)]
        return y_true, np.stack(columns, axis=1)
    return y_true, np.asarray(response)


def _column(response: AnyArray, classes: AnyArray, label: Any) -> AnyArray:
    """Return the scores of one class; one that training never saw has 0."""
    places = np.flatnonzero(np.asarray(classes) == label)
    return response[:, places[0]] if places.size else np.zeros(len(response))


def by_class(
    classes: Any, response: Any, y_true: Any, arguments: dict[str, Any]
) -> tuple[AnyArray, AnyArray]:
    """Return the positive class against the rest, or a column for each class that the fold has."""
    labels, scores = np.asarray(y_true).ravel(), np.asarray(response)
    if classes is None:  # an outlier detector, or a regressor as a ranker
        return labels, scores
    classes = np.asarray(classes)
    unseen = labels[~np.isin(labels, classes)].tolist()
    if unseen:
        raise ValueError(
            f"y holds the class {unseen[0]!r}, which the estimator was not trained on; it knows {classes}."
        )
    if classes.size > 2:
        if scores.shape != (labels.size, classes.size):
            raise ValueError(
                f"the estimator gives scores of shape {scores.shape}, but each of its {classes.size} classes "
                "needs a column."
            )
        present = np.isin(classes, labels)
        return (labels[:, np.newaxis] == classes[present]).astype(int), scores[:, present]
    pos_label = positive_class(classes, arguments)
    if scores.ndim == 2:
        scores = _column(scores, classes, pos_label)
    elif pos_label == classes[0] and classes.size == 2:
        scores = -scores.astype(np.float64)
    return labels == pos_label, scores


def positive_class(classes: AnyArray, arguments: dict[str, Any]) -> Any:
    """Return the class that `pos_label` names, which is taken out; else 1, or else the second of two."""
    if "pos_label" in arguments:
        pos_label = arguments.pop("pos_label")
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
            f"the estimator knows one class, {classes[0]!r}: name the positive one by pos_label."
        )
    return classes[1]

"""The scores of an estimator for each class. Scorers and displays read these scores by
the same rules.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_outlier_detector

from .reading.frames import column_names, columns_by_name
from .reading.values import is_multilabel, read_on_host
from .typing import AnyArray, Estimator, Features, Label, Targets
from .user_messages import warn_user

# The responses of estimators. The key is (id of the estimator, method, id of the data).
# Each response is stored with its estimator and its data, since no other object can
# have their ids as long as these two exist.
Responses = dict[tuple[int, str, int], tuple[ArrayLike, Estimator, Features]]

# When scikit-learn calls several scorers for one estimator, it passes the same
# `method_caller` to all of them. After these calls, this object no longer exists.
_RESPONSES_BY_CALLER: WeakKeyDictionary[Callable[..., object], Responses] = (
    WeakKeyDictionary()
)


def shared_responses(method_caller: Callable[..., object]) -> Responses:
    """Return the responses that scorers with the same `method_caller` share.

    Responses are shared only by a `partial`, which exists during one call of
    scikit-learn. A function may exist for longer.
    """
    if isinstance(method_caller, partial):
        return _RESPONSES_BY_CALLER.setdefault(method_caller, {})
    return {}


def response_of(
    estimator: Estimator,
    X: Features,
    methods: str | Sequence[str],
    pos_label: Label | None,
    responses: Responses | None = None,
) -> ArrayLike:
    """Return the response of the first method that the estimator has. If `responses`
    contains it, the method is not called.

    Raise ValueError if the response does not show which class `pos_label` is.
    """
    if isinstance(methods, str):
        methods = (methods,)
    method = next(
        (name for name in methods if getattr(estimator, name, None) is not None), None
    )
    if method is None:
        # This is the text of scikit-learn.
        error = AttributeError(
            f"{type(estimator).__name__} has none of the following attributes: "
            f"{', '.join(methods)}."
        )
        error.add_note(
            "A scorer of a ranker or a regressor needs response_method='predict'."
        )
        raise error
    if responses is None:
        responses = {}
    # An estimator and its data may have no hash and no comparison, so the key contains
    # their ids.
    key = (id(estimator), method, id(X))
    if key not in responses:
        responses[key] = (getattr(estimator, method)(X), estimator, X)
    response, _, _ = responses[key]
    # RidgeClassifierCV predicts each row by a model that was fitted without this row.
    # It passes these predictions to its scorer in place of the data, and in place of
    # the estimator an object that returns them and has no `fit`.
    is_data = response is X and not hasattr(estimator, "fit")
    _check_classes_known(estimator, pos_label, response_is_data=is_data)
    _check_no_pairs(estimator, method, response)
    return response


def _check_classes_known(
    estimator: Estimator, pos_label: Label | None, *, response_is_data: bool
) -> None:
    """Raise ValueError if the positive class must be chosen, and the estimator has the
    numbers 0, 1, 2, ... in place of its classes.

    Two searches of scikit-learn pass such estimators to their scorers. Without this
    error, a number could be taken for another class, or every model could have a score
    of 1.
    """
    # LogisticRegressionCV makes a LogisticRegression without fitting it. This model
    # has the attribute `multi_class` before scikit-learn 1.8, and classes since then.
    may_be_numbered = response_is_data or (
        hasattr(estimator, "multi_class") and not hasattr(estimator, "n_features_in_")
    )
    if not may_be_numbered:
        return
    classes = list(getattr(estimator, "classes_", ()))
    # With two classes, RidgeClassifierCV passes an estimator whose `classes_` is [0].
    is_chosen = len(classes) == 1 or (pos_label is not None and len(classes) > 2)
    if is_chosen and classes == list(range(len(classes))):
        raise ValueError(
            f"the estimator must know its classes, but has {np.array(classes)} in "
            "their place: with its default cv=None, RidgeClassifierCV does not pass "
            "classes to its scorer, so pass cv=5 to it. Before scikit-learn 1.8, "
            "neither does LogisticRegressionCV: use GridSearchCV."
        )


def _check_no_pairs(estimator: Estimator, method: str, response: ArrayLike) -> None:
    """Raise ValueError if each column of decision values is for a pair of classes.

    The number of columns does not always show this, since three classes have three
    pairs.
    """
    if (
        method == "decision_function"
        and np.ndim(response) == 2
        and getattr(_innermost(estimator), "decision_function_shape", None) == "ovo"
    ):
        raise ValueError(
            "decision_function_shape='ovo' returns pairwise scores; one column per "
            "class is required: use decision_function_shape='ovr'."
        )


def _innermost(estimator: Any) -> Any:
    """Return the estimator whose decision values a pipeline, a search or another
    meta-estimator returns.
    """
    # AdaBoost computes its own decision values from the votes of its estimators.
    if hasattr(estimator, "estimator_weights_"):
        return estimator
    if hasattr(estimator, "steps"):
        _, last_step = estimator.steps[-1]
        return _innermost(last_step)
    for name in ("best_estimator_", "final_estimator_", "estimator_"):
        if hasattr(estimator, name):
            return _innermost(getattr(estimator, name))
    return estimator


class LabelledScores(NamedTuple):
    """The labels of rows, and the scores of an estimator for them, in one of three
    forms:

    - One class is scored, `positive_class`: `labels` are whether each row has it.
    - Several classes are scored, `classes`: the columns of `labels` are whether each
      row has the class of the column.
    - Both are None, since `y` has several columns, or the estimator has no classes:
      `labels` are `y` as it was passed.
    """

    labels: ArrayLike
    # One score per row, or one column per class or column of `y`.
    scores: AnyArray
    positive_class: Label | None = None
    # The class of each column.
    classes: list[Label] | None = None


def labelled(
    estimator: Estimator,
    response: ArrayLike,
    y_true: Targets,
    pos_label: Label | None,
) -> LabelledScores:
    """Return labels and scores of the positive class, of each class in the fold, or of
    each column of labels.

    `pos_label` scores one class against the rest. Without it, class 1 is the positive
    class of two classes, and each of several classes is a ranking. If `y` has several
    columns, or the estimator has no classes, the labels are returned unchanged. Columns
    of a data frame are matched by name.
    """
    # An array of numpy has no names of columns, so `y_true` and `response` are kept.
    y_on_host = read_on_host("y", y_true)
    classes, scores = _columns(estimator, read_on_host("response", response), y_on_host)
    in_order = partial(columns_by_name, scores, response, argument="the response")
    if is_multilabel(y_on_host):
        names = column_names(y_true, column_names(response))
        return LabelledScores(y_on_host, in_order(names, kind_of_names="columns of y"))
    labels = np.asarray(y_on_host).ravel()
    if classes is None:
        return LabelledScores(
            labels, _without_classes(estimator, scores, labels, pos_label)
        )
    scores = in_order(classes.tolist(), kind_of_names="classes of the estimator")
    _check_response(classes, scores, labels)
    if classes.size > 2 and pos_label is None:
        # Classes without a row in the fold are excluded.
        present = classes[np.isin(classes, labels)]
        columns = [_scores_of_class(label, classes, scores) for label in present]
        is_of_class = labels[:, np.newaxis] == present
        return LabelledScores(
            is_of_class, np.stack(columns, axis=1), classes=present.tolist()
        )
    positive_class = _positive_class(classes, pos_label)
    return LabelledScores(
        labels == positive_class,
        _scores_of_class(positive_class, classes, scores),
        positive_class,
    )


def _columns(
    estimator: Estimator, response: Any, y_true: Targets
) -> tuple[AnyArray | None, AnyArray]:
    """Return the classes of an estimator, or None, and its scores as an array.

    The array has one column per class, a single column for two classes, or one column
    per label, with the scores of the label 1. Estimators of several labels have one
    array of classes per label. Forests return one matrix per label, with one column per
    class, or with a single column if the label was constant in training.
    """
    classes: Any = read_on_host("classes_", getattr(estimator, "classes_", None))
    is_of_labels = getattr(_innermost(estimator), "multilabel_", False)
    if is_of_labels and not is_multilabel(y_true):
        raise _error_about_columns(len(classes))
    # Here, `classes` contains one array of classes per label.
    if isinstance(classes, list | tuple) and classes and np.ndim(classes[0]) == 1:
        if is_multilabel(y_true):
            return None, _scores_of_labels(classes, response)
        if len(classes) > 1:
            raise _error_about_columns(len(classes))
        # The estimator was trained on a matrix with a single column.
        (classes,) = classes
        if isinstance(response, list):
            (response,) = response
    return None if classes is None else np.asarray(classes), np.asarray(response)


def _scores_of_labels(classes: Sequence[AnyArray], response: Any) -> AnyArray:
    """Return one column of scores per label, from a matrix or from a list with one
    matrix per label. `classes` contains one array of classes per label.
    """
    if not isinstance(response, list):
        return np.asarray(response)
    columns = [
        _scores_of_class(1, np.asarray(classes_of_label), np.asarray(scores))
        for classes_of_label, scores in zip(classes, response, strict=True)
    ]
    return np.stack(columns, axis=1)


def _error_about_columns(n_labels: int) -> ValueError:
    """Return the error that `y` has one column for an estimator of several labels."""
    return ValueError(
        f"y must have {n_labels} columns, one per label of the estimator; got one "
        "column."
    )


def _without_classes(
    estimator: Estimator, scores: AnyArray, labels: AnyArray, pos_label: Label | None
) -> AnyArray:
    """Return one score per row of a ranker, a regressor or an outlier detector.

    An outlier detector gives inliers high scores. If ``pos_label=-1``, outliers are
    positive, and the scores are negated.
    """
    if scores.ndim > 1 and scores.size > labels.size:
        raise ValueError(
            "the estimator must have classes_, which name the columns of its "
            f"scores; got scores of shape {scores.shape} without classes_."
        )
    # scikit-learn 1.8 raises AttributeError for estimators without tags of
    # scikit-learn; 1.7 only warns.
    with suppress(AttributeError):
        if is_outlier_detector(estimator):
            if pos_label == -1:
                return -scores
            # The label of inliers is 1, and most rows are inliers. If few rows have the
            # label 1, it may mark the outliers.
            if 0 < np.count_nonzero(labels == 1) < labels.size / 2:
                warn_user(
                    f"{type(estimator).__name__} gives outliers low scores, and few "
                    "rows have the label 1, which means an inlier here. If 1 marks the "
                    "outliers, label them -1 and other rows 1, and pass pos_label=-1 "
                    "when you make the scorer or the display."
                )
    return scores


def _check_response(classes: AnyArray, scores: AnyArray, labels: AnyArray) -> None:
    """Raise ValueError if the estimator returned labels in place of scores, or if rows
    belong to a class on which it was not trained.
    """
    first = scores.item(0) if scores.size else None
    if isinstance(first, str | bytes):
        raise ValueError(
            f"the estimator must return scores; got labels such as {first!r}: use a "
            "response_method that returns numbers."
        )
    unseen = labels[~np.isin(labels, classes)].tolist()
    if unseen:
        raise ValueError(
            f"y contains the class {unseen[0]!r}, which the estimator was not trained "
            f"on; its classes are {classes}."
        )


def _positive_class(classes: AnyArray, pos_label: Label | None) -> Label:
    """Return the positive class: `pos_label` if it was passed, and otherwise class 1.

    Raise ValueError if the estimator does not have this class.
    """
    if pos_label is not None:
        if pos_label not in classes:
            raise ValueError(
                f"pos_label={pos_label!r} is not a valid label: it should be one of "
                f"{classes}. (Before scikit-learn 1.8, LogisticRegressionCV passes "
                "numbers in place of classes to its scorer.)"
            )
        return pos_label
    if 1 in classes:
        return 1
    # Any ranking of a single class would have a score of 1.
    if len(classes) == 1:
        raise ValueError(
            f"pos_label=1 is not a valid label: It should be one of {classes}. The "
            "estimator knows a single class, so there is nothing to rank."
        )
    # Average precision depends on which class is positive, so a rule such as "the
    # second class" must not choose between words.
    labels = classes.tolist()
    raise ValueError(
        "pos_label must name the positive class: the estimator has the classes "
        f"{' and '.join(map(repr, labels))}, and neither is 1. Write "
        f"{' or '.join(map('pos_label={!r}'.format, labels))} when you make the scorer."
    )


def _scores_of_class(label: Label, classes: AnyArray, scores: AnyArray) -> AnyArray:
    """Return the scores of one class, or zeros if the class did not occur in training.

    A single column contains the scores of the last class, as in `decision_function`. So
    its scores are reversed for the first of two classes. XGBoost and LightGBM return
    two columns even for a single class, whose scores are in the first column.
    """
    places = np.flatnonzero(classes == label)
    if not places.size:
        return np.zeros(scores.shape[:1])
    # Classes are distinct, so there is one place.
    place = places[0]
    if scores.ndim == 2 and (scores.shape[1] == classes.size or classes.size == 1):
        return scores[:, place]
    if scores.shape[:1] != (scores.size,) or classes.size > 2:
        raise ValueError(
            "the estimator must return one column of scores for each of its "
            f"{classes.size} classes; got scores of shape {scores.shape}."
        )
    scores = scores.ravel()
    if place == classes.size - 1:
        return scores
    # ~ reverses the order of all integers, while - wraps around for unsigned integers.
    if scores.dtype.kind in "biu":
        return ~scores
    return -scores

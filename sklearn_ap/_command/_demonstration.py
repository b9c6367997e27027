"""A demonstration on data that ships with scikit-learn: tune models by AP@20, then print all their APs.

In both tasks the positives are few and hard to find, so the definitions of average precision disagree.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_diabetes, load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from .. import average_precision_at_k_score
from .._typing import AnyArray, BoolArray, Estimator, FloatArray
from ..compatibility import compare

K = 20


class Task(NamedTuple):
    """A rare class to find, a model, and the parameter values to try."""

    title: str
    features: FloatArray
    rare: BoolArray
    model: Estimator
    grid: Mapping[str, Sequence[float]]


def _tasks() -> Iterator[Task]:
    features, digit = load_digits(return_X_y=True)
    # Only every fifth eight is kept, to make the class rare.
    kept = (digit != 8) | (np.cumsum(digit == 8) % 5 == 0)
    yield Task(
        "Digits: every fifth eight among all other digits, logistic regression",
        features[kept],
        digit[kept] == 8,
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        {"logisticregression__C": [0.001, 0.01, 0.1, 1, 10, 100]},
    )
    features, progression = load_diabetes(return_X_y=True)
    yield Task(
        "Diabetes: patients who progress beyond 250, nearest neighbours",
        features,
        progression > 250,
        make_pipeline(StandardScaler(), KNeighborsClassifier()),
        {"kneighborsclassifier__n_neighbors": [5, 11, 21, 41, 81]},
    )


def _held_out_scores(task: Task) -> tuple[GridSearchCV, AnyArray, FloatArray]:
    """Tune on three quarters of the rows; return the search, and the labels and scores of the rest."""
    x_train, x_test, y_train, y_test = train_test_split(
        task.features, task.rare, test_size=0.25, stratify=task.rare, random_state=0
    )
    scorer = make_scorer(average_precision_at_k_score, k=K, response_method="predict_proba")
    search = GridSearchCV(task.model, task.grid, scoring=scorer).fit(x_train, y_train)
    return search, y_test, search.predict_proba(x_test)[:, 1]


def run() -> None:
    """Tune the model of each task, and print its table."""
    for task in _tasks():
        search, y_test, y_score = _held_out_scores(task)
        (name, value), *_ = search.best_params_.items()
        chosen = f"{name.split('__')[1]} = {value}"
        print(task.title)
        print(f"{task.rare.size} rows, {task.rare.sum()} of them positive; a quarter is held out")
        print(f"GridSearchCV by AP@{K}: {chosen}, mean of 5 folds {search.best_score_:.4f}\n")
        print(compare(y_test, y_score, k=K), end="\n\n")

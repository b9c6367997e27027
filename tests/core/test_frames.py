"""Columns of data frames are matched by name, in any order. Rows are paired by place,
and a warning reports indexes in two orders.

`tests/project/test_names_of_columns.py` tests the functions of other subpackages that
read columns.
"""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from sklearn_ap import (
    average_precision_score,
    get_scorer,
    precision_recall_curve,
)
from tests.core.test_reading import Wrapped

AP = average_precision_score
N_ROWS = 30
CLASSES = {
    "text": ["ant", "cat", "dog", "eel"],
    "numbers": [1, 2, 5, 7],
    "labels": ["a", "b", "c", "d"],
}


class ForeignFrame(Wrapped):
    """A frame of another library, which is converted by its array protocol."""

    def __init__(self, columns):
        self.columns = [*columns]
        super().__init__(np.column_stack([*columns.values()]))

    def __array_namespace__(self):
        return np


class Returning(ClassifierMixin, BaseEstimator):
    """A classifier that returns its data as probabilities."""

    def __init__(self, classes=()):
        self.classes_ = np.array(classes)

    def fit(self, *_):
        return self

    def predict_proba(self, X):
        return X


def scores_of(kind, y_true, y_score):
    averages = [None, "micro"] + ["samples"] * (kind == "labels")
    return np.hstack([AP(y_true, y_score, average=average) for average in averages])


def scored(kind, y_true, y_score):
    estimator, scorer = Returning(CLASSES[kind]), get_scorer("average_precision")
    score = scorer(estimator, y_score, y_true)
    if kind == "labels":
        # A forest has the classes of each label.
        estimator.classes_ = [np.array([0, 1])] * y_score.shape[1]
        assert scorer(estimator, y_score, y_true) == score
    return score


# One call of each function of the core that reads columns.
CALLS = {
    "score": scores_of,
    "curve": lambda _, *rows: precision_recall_curve(*rows),
    "scorer": scored,
}
KINDS = [
    ("text", pl.DataFrame),
    ("numbers", pd.DataFrame),
    ("labels", pa.table),
    ("numbers", ForeignFrame),
    ("labels", ForeignFrame),
]
# The columns of scores in another order.
ORDER = [2, 0, 3, 1]


def rows_of(kind, seed=0):
    """Return labels of this kind, each with a positive, and scores."""
    rng = np.random.default_rng(seed)
    y_score = rng.integers(6, size=(N_ROWS, 4)) / 5
    if kind == "labels":
        y_true = rng.integers(2, size=(N_ROWS, 4))
        y_true[y_true.sum(axis=1) == 0] = 1
        return pd.DataFrame(y_true, columns=CLASSES[kind]), y_score
    return np.resize(CLASSES[kind], N_ROWS), y_score


def check_columns_in_any_order(call, kind, frame):
    y_true, y_score = rows_of(kind)
    expected = call(kind, y_true, y_score)
    if kind == "labels":
        y_true = frame({label: y_true[label].to_numpy() for label in y_true})
    names = CLASSES[kind]
    reordered = frame({names[place]: y_score[:, place] for place in ORDER})
    np.testing.assert_equal(call(kind, y_true, reordered), expected)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize(("kind", "frame"), KINDS)
def test_named_columns_may_have_any_order(kind, frame, call):
    check_columns_in_any_order(call, kind, frame)


# --- indexes --------------------------------------------------------------------------

LABELS = pd.Series([1, 0, 1, 0, 1, 0], index=[3, 1, 2, 0, 5, 4])
SCORES = pd.Series([0.9, 0.1, 0.8, 0.2, 0.7, 0.3], index=[0, 2, 1, 3, 4, 5])


@pytest.mark.parametrize(
    "index",
    [
        LABELS.index,
        range(6),
        np.arange(6, dtype=np.uint64),
        [10, 11, 12, 13, 14, 15],
        pd.MultiIndex.from_product([range(6), ["a"]]),
    ],
)
def test_other_indexes_cause_no_warning(index):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # An index 0, 1, 2, ... of a Series without a name is that of a list.
        other = pd.Series(SCORES.to_numpy(), index=index)
        assert AP(LABELS, other) == 1
        assert AP(pd.Series(LABELS.to_numpy(), index=index), LABELS) == 1

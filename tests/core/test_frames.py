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

AP = average_precision_score
N_ROWS = 30
CLASSES = {
    "text": ["ant", "cat", "dog", "eel"],
    "numbers": [1, 2, 5, 7],
    "labels": ["a", "b", "c", "d"],
}
FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "table": pa.table,
    "batch": pa.RecordBatch.from_pydict,
}


class ForeignFrame:
    """A frame of another library, which is converted by its array protocol."""

    def __init__(self, columns):
        self.columns = [*columns]
        self.values = np.column_stack([*columns.values()])
        self.shape = self.values.shape

    def __len__(self):
        return len(self.values)

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype=dtype)

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


def check_numbers_as_names(call):
    """Numbers are names if the caller chose them. A default index is not a name."""
    y_true, y_score = rows_of("labels")
    expected = call("labels", y_true.to_numpy(), y_score)
    scores = pd.DataFrame(y_score[:, ORDER], columns=ORDER)
    # The columns of a pivoted table have the class of the column that was pivoted.
    for index in (pd.Index, pd.CategoricalIndex):
        y_true.columns = index([*range(4)])
        np.testing.assert_equal(call("labels", y_true, scores), expected)
    y_true = pd.DataFrame(y_true.to_numpy())
    by_place = call("labels", y_true.to_numpy(), scores.to_numpy())
    np.testing.assert_equal(call("labels", y_true, scores), by_place)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize(("kind", "frame"), KINDS)
def test_named_columns_may_have_any_order(kind, frame, call):
    check_columns_in_any_order(call, kind, frame)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_numbers_are_names_only_if_the_caller_chose_them(call):
    check_numbers_as_names(call)


each_call = pytest.mark.parametrize("call", [scores_of, scored])


@each_call
@pytest.mark.parametrize(
    ("kind", "columns"),
    [(kind, [*CLASSES[kind][:3], "other"]) for kind in CLASSES],
)
def test_names_of_some_columns_raise(kind, columns, call):
    y_true, y_score = rows_of(kind)
    frame = pd.DataFrame(y_score, columns=columns)
    with pytest.raises(ValueError, match=r"must have all (classes|columns) of "):
        call(kind, y_true, frame)


@each_call
@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.parametrize("kind", ["numbers", "labels"])
@pytest.mark.parametrize("form", ["{}", "{}.0"])
def test_names_as_text_in_another_order_raise(library, kind, form, call):
    """1 is not "1". So neither an order by name nor the order of the places would be
    right for certain.
    """
    y_true, y_score = rows_of(kind)
    if kind == "labels":
        y_true.columns = CLASSES["numbers"]
    names = [form.format(number) for number in CLASSES["numbers"]]
    columns = dict(zip(names, y_score.T, strict=True))
    found = call(kind, y_true, FRAMES[library](columns))
    np.testing.assert_array_equal(found, call(kind, y_true, y_score))
    backwards = FRAMES[library]({name: columns[name] for name in names[::-1]})
    with pytest.raises(ValueError, match=f"got .'{names[-1]}', '{names[-2]}', "):
        call(kind, y_true, backwards)


@pytest.mark.parametrize(
    ("kind", "columns"),
    [
        ("labels", None),
        ("numbers", None),  # 0, 1, 2 and 3, although 1 and 2 are classes
        ("numbers", ["0", "1", "2", "3"]),  # these numbers in files and in Arrow
        ("text", ["p_ant", "p_cat", "p_dog", "p_eel"]),
        ("text", ["p_dog", "p_cat", "p_ant", "p_other"]),
        ("text", ["Dog ", "ANT", "CAT", "EEL"]),
    ],
)
def test_columns_with_other_names_are_paired_by_place(kind, columns):
    y_true, y_score = rows_of(kind)
    assert AP(y_true, pd.DataFrame(y_score, columns=columns)) == AP(y_true, y_score)


def test_names_of_scores_have_no_effect_if_labels_have_none():
    y_true, y_score = rows_of("labels")
    named = pd.DataFrame(y_score, columns=[*"dcba"])
    assert AP(y_true.to_numpy(), named) == AP(y_true, y_score)


NAMES = {
    "levels": pd.MultiIndex.from_tuples([(*"ab",), (*"aa",), ("a", np.nan)]),
    "categories": pd.CategoricalIndex([*"bdca"]),
    "booleans": pd.Index([False, True]),
    "with NaN": pd.Index([0.0, 1.0, np.nan]),
    "with None": pd.Index(["a", None, "b"]),
    "with NaT": pd.to_datetime(["2020-01-01", None]),
    "bytes": pd.Index([b"b", b"a", b"c"]),
    "mixed": pd.Index(["1", 1, (1,)]),
}


@pytest.mark.parametrize("columns", NAMES.values(), ids=NAMES)
def test_names_of_any_kind_are_matched(columns):
    """A copy of NaN is the same name, although NaN is not equal to itself."""
    y_true = np.resize([1, 0, 0, 1, 1], (9, len(columns)))
    y_score = np.random.default_rng(0).integers(4, size=y_true.shape)
    scores = pd.DataFrame(y_score, columns=columns).iloc[:, ::-1]
    assert AP(y_true, y_score[:, ::-1]) != AP(y_true, y_score)
    for names in (columns, columns.copy(deep=True)):
        assert AP(pd.DataFrame(y_true, columns=names), scores) == AP(y_true, y_score)


def test_a_name_of_two_columns_is_valid_only_in_the_same_order():
    """scikit-learn 1.9 raises an error for such names."""
    y_true, y_score = rows_of("labels")
    y_true.columns = [*"aabc"]
    for names in ("aabc", "xxyz"):
        scores = pd.DataFrame(y_score, columns=[*names])
        assert AP(y_true, scores) == AP(y_true.to_numpy(), y_score)
    for names in ("abac", "aabb", "abcd"):
        scores = pd.DataFrame(y_score, columns=[*names])
        with pytest.raises(ValueError, match="y_score must have all columns of y_true"):
            AP(y_true, scores)


@pytest.mark.parametrize("fill_value", [0, np.nan])
def test_columns_of_sparse_frames_are_matched(fill_value):
    y_true, y_score = rows_of("labels")
    dtype = pd.SparseDtype(float, fill_value)
    sparse = pd.DataFrame(y_score, columns=[*"abcd"])[[*"dbca"]].astype(dtype)
    labels = y_true.astype("Sparse[int]")
    assert AP(y_true, sparse) == AP(labels, sparse) == AP(y_true, y_score)
    assert AP(y_true[["a"]], sparse[["a"]]) == AP(y_true["a"], y_score[:, 0])


def test_a_binary_scorer_reads_the_column_of_the_positive_class():
    frame = pd.DataFrame({"yes": [0.9, 0.8, 0.1], "no": [0.1, 0.2, 0.9]})
    scorer = get_scorer("average_precision", pos_label="yes")
    y_true = np.array(["yes", "yes", "no"])
    assert scorer(Returning(["no", "yes"]), frame, y_true) == 1


# --- indexes --------------------------------------------------------------------------

LABELS = pd.Series([1, 0, 1, 0, 1, 0], index=[3, 1, 2, 0, 5, 4])
SCORES = pd.Series([0.9, 0.1, 0.8, 0.2, 0.7, 0.3], index=[0, 2, 1, 3, 4, 5])


def test_the_warning_of_two_orders_advises_code_that_pairs_the_rows():
    with pytest.warns(UserWarning, match="in two orders") as caught:
        AP(LABELS, SCORES)
    line = str(caught[0].message).split("write ")[1].split(" to match", maxsplit=1)[0]
    paired = eval(line, {"y_true": LABELS, "y_score": SCORES})
    # pandas pairs columns by index.
    by_index = pd.DataFrame({"label": LABELS, "score": SCORES})
    assert AP(LABELS, paired) == AP(by_index["label"], by_index["score"])


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


@pytest.mark.parametrize("by", ["label", "score"])
def test_a_column_with_the_index_0_1_2_is_compared_with_its_sorted_rows(by):
    frame = pd.DataFrame({"label": [1, 0, 1], "score": [0.2, 0.9, 0.1]})
    columns = {name: frame[name] for name in frame} | {by: frame[by].sort_values()}
    with pytest.warns(UserWarning, match=r"in two orders: \[") as caught:
        AP(columns["label"], columns["score"])
    line = str(caught[0].message).split("write ")[1].split(" to match", maxsplit=1)[0]
    paired = eval(line, {"y_true": columns["label"], "y_score": columns["score"]})
    assert AP(columns["label"], paired) == AP([1, 0, 1], [0.2, 0.9, 0.1])


@pytest.mark.parametrize(
    "index", [[*"qqrrss"], pd.MultiIndex.from_arrays([[*"abcdef"]] * 2)]
)
def test_indexes_of_any_kind_are_compared(index):
    y_true = pd.Series(LABELS.to_numpy(), index=index)
    with pytest.warns(UserWarning, match="in two orders"):
        AP(y_true, pd.Series(SCORES.to_numpy(), index=y_true.index[::-1]))

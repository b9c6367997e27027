"""Columns that have names go by these; indexes in two orders are reported."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from doors import DOORS
from sklearn_ap import (
    AveragePrecisionDisplay,
    average_precision_score,
    budget_totals,
    compare_many,
    estimate_score,
    get_scorer,
    interpolated_precision_recall_curve,
    report,
)
from sklearn_ap.compatibility import identify

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


class Answering(ClassifierMixin, BaseEstimator):
    """A classifier whose probabilities are what it is given."""

    def __init__(self, classes=()):
        self.classes_ = np.array(classes)

    def fit(self, *_):
        return self

    def predict_proba(self, X):
        return X


def drawn(display):
    return [line.get_xydata() for line in np.ravel(display.line_)]


def scores_of(kind, y_true, y_score):
    averages = [None, "micro"] + ["samples"] * (kind == "labels")
    return np.hstack([AP(y_true, y_score, average=average) for average in averages])


def compared(_, y_true, y_score):
    models = {"a": y_score, "b": np.zeros((N_ROWS, 4))}
    return str(compare_many(AP, y_true, models))


def from_estimator(kind, y_true, y_score):
    answering = Answering(CLASSES[kind])
    return drawn(AveragePrecisionDisplay.from_estimator(answering, y_score, y_true))


def scored(kind, y_true, y_score):
    return get_scorer("average_precision")(Answering(CLASSES[kind]), y_score, y_true)


# One call of each way in which columns are read.
OF_COLUMNS = {
    "score": scores_of,
    "curve": lambda _, *rows: interpolated_precision_recall_curve(*rows),
    "compare_many": compared,
    "identify": lambda _, *rows: str(identify("0.4", *rows)),
    "display": lambda _, *rows: drawn(AveragePrecisionDisplay.from_predictions(*rows)),
    "report": lambda _, *rows: report(*rows, compare={"b": rows[1]}).answer,
    "estimator": from_estimator,
    "scorer": scored,
}


def rows_of(kind, seed=0):
    """Labels of this kind, each with a positive, and scores."""
    rng = np.random.default_rng(seed)
    y_score = rng.integers(6, size=(N_ROWS, 4)) / 5
    if kind == "labels":
        y_true = rng.integers(2, size=(N_ROWS, 4))
        y_true[y_true.sum(axis=1) == 0] = 1
        return pd.DataFrame(y_true, columns=CLASSES[kind]), y_score
    return np.resize(CLASSES[kind], N_ROWS), y_score


@pytest.mark.parametrize("door", OF_COLUMNS)
@pytest.mark.parametrize(
    ("kind", "frame"),
    [("text", pl.DataFrame), ("numbers", pd.DataFrame), ("labels", pa.table)],
)
@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_named_columns_stand_in_any_order(kind, frame, door):
    y_true, y_score = rows_of(kind)
    expected = OF_COLUMNS[door](kind, y_true, y_score)
    if kind == "labels":
        y_true = frame({label: y_true[label].to_numpy() for label in y_true})
    names = CLASSES[kind]
    shuffled = frame({names[place]: y_score[:, place] for place in (2, 0, 3, 1)})
    np.testing.assert_equal(OF_COLUMNS[door](kind, y_true, shuffled), expected)


@pytest.mark.parametrize(
    ("kind", "columns"),
    [(kind, [*CLASSES[kind][:3], "other"]) for kind in CLASSES]
    + [("text", ["Dog ", "ANT", "CAT", "EEL"])],
)
@pytest.mark.parametrize("door", ["score", "scorer"])
def test_names_of_some_columns_or_in_other_case_are_refused(kind, columns, door):
    y_true, y_score = rows_of(kind)
    frame = pd.DataFrame(y_score, columns=columns)
    with pytest.raises(ValueError, match=r"must have all (classes|columns) of "):
        OF_COLUMNS[door](kind, y_true, frame)


@pytest.mark.parametrize(
    ("kind", "columns"),
    [
        ("labels", None),
        ("numbers", None),  # 0, 1, 2, 3, of which 1 and 2 are classes
        ("numbers", ["0", "1", "2", "3"]),  # the same, as files and Arrow have them
        ("text", ["p_ant", "p_cat", "p_dog", "p_eel"]),
        ("text", ["p_dog", "p_cat", "p_ant", "p_other"]),
    ],
)
def test_columns_without_names_of_classes_go_by_place(kind, columns):
    y_true, y_score = rows_of(kind)
    assert AP(y_true, pd.DataFrame(y_score, columns=columns)) == AP(y_true, y_score)


def test_names_of_scores_alone_count_for_nothing():
    y_true, y_score = rows_of("labels")
    named = pd.DataFrame(y_score, columns=[*"dcba"])
    assert AP(y_true.to_numpy(), named) == AP(y_true, y_score)


@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.parametrize("kind", ["numbers", "labels"])
@pytest.mark.parametrize("form", ["{}", "{}.0", "p_{}", "class {} score"])
@pytest.mark.parametrize("door", ["score", "scorer"])
def test_names_as_other_text_in_another_order_are_refused(library, kind, form, door):
    """1 is not "p_1", so the number must be neither that of names nor that of places."""
    y_true, y_score = rows_of(kind)
    if kind == "labels":
        y_true.columns = CLASSES["numbers"]
    names = [form.format(number) for number in CLASSES["numbers"]]
    columns = dict(zip(names, y_score.T, strict=True))
    expected = OF_COLUMNS[door](kind, y_true, y_score)
    assert np.array_equal(
        OF_COLUMNS[door](kind, y_true, FRAMES[library](columns)), expected
    )
    reversed_ = FRAMES[library]({name: columns[name] for name in names[::-1]})
    with pytest.raises(ValueError, match=f"got .'{names[-1]}', '{names[-2]}', ") as no:
        OF_COLUMNS[door](kind, y_true, reversed_)
    assert str(no.value).endswith("pass np.asarray of columns in that order.")


@pytest.mark.parametrize("door", OF_COLUMNS)
@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_numbers_are_names_only_where_somebody_chose_them(door):
    y_true, y_score = rows_of("labels")
    expected = OF_COLUMNS[door]("labels", y_true.to_numpy(), y_score)
    numbers, order = pd.Index([*range(4)]), [2, 0, 3, 1]
    scores = pd.DataFrame(y_score[:, order], columns=order)
    y_true.columns = numbers
    np.testing.assert_equal(OF_COLUMNS[door]("labels", y_true, scores), expected)
    y_true = pd.DataFrame(y_true.to_numpy())  # a default index
    by_place = OF_COLUMNS[door]("labels", y_true.to_numpy(), scores.to_numpy())
    with pytest.warns(UserWarning, match="have a default index"):
        np.testing.assert_equal(OF_COLUMNS[door]("labels", y_true, scores), by_place)


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
def test_names_of_any_kind_are_read(columns):
    """Also as another object, of which NaN equals none."""
    y_true = np.resize([1, 0, 0, 1, 1], (9, len(columns)))
    y_score = np.random.default_rng(0).integers(4, size=y_true.shape)
    scores = pd.DataFrame(y_score, columns=columns).iloc[:, ::-1]
    assert AP(y_true, y_score[:, ::-1]) != AP(y_true, y_score)
    for names in (columns, columns.copy(deep=True)):
        assert AP(pd.DataFrame(y_true, columns=names), scores) == AP(y_true, y_score)


def test_a_name_of_two_columns_counts_only_in_the_same_order():
    """scikit-learn 1.9 refuses such names."""
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
def test_sparse_frames_are_read(fill_value):
    y_true, y_score = rows_of("labels")
    dtype = pd.SparseDtype(float, fill_value)
    sparse = pd.DataFrame(y_score, columns=[*"abcd"])[[*"dbca"]].astype(dtype)
    labels = y_true.astype("Sparse[int]")
    assert AP(y_true, sparse) == AP(labels, sparse) == AP(y_true, y_score)
    assert AP(y_true[["a"]], sparse[["a"]]) == AP(y_true["a"], y_score[:, 0])


def test_a_binary_scorer_reads_the_column_of_its_class():
    frame = pd.DataFrame({"yes": [0.9, 0.8, 0.1], "no": [0.1, 0.2, 0.9]})
    scorer = get_scorer("average_precision", pos_label="yes")
    y_true = np.array(["yes", "yes", "no"])
    assert scorer(Answering(["no", "yes"]), frame, y_true) == 1


# --- indexes ------------------------------------------------------------------------

LABELS = pd.Series([1, 0, 1, 0, 1, 0], index=[3, 1, 2, 0, 5, 4])
VALUES = pd.Series([0.9, 0.1, 0.8, 0.2, 0.7, 0.3], index=[0, 2, 1, 3, 4, 5])
RANKED = np.arange(6)
# Beside scores, what else comes with an index.
INDEXED = DOORS | {
    "scorer": lambda y, weight: get_scorer("average_precision")(
        Answering([0, 1]), np.eye(2)[y], y, sample_weight=weight
    ),
    "unit_id": lambda y, units: estimate_score(AP, y, RANKED, unit_id=units),
    "amount": lambda y, amount: budget_totals(
        y, RANKED, k=1, query_id=RANKED // 3, amount=amount
    ),
    "amount of report": lambda y, amount: report(y, RANKED, amount=amount),
    "units of report": lambda y, units: report(y, RANKED, unit_id=units),
}


@pytest.mark.parametrize("door", INDEXED)
@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_indexes_in_two_orders_are_reported(door):
    shown = "in two orders: 3, 1, 2, ... and 0, 2, 1, ...".replace(".", r"\.")
    with pytest.warns(UserWarning, match=shown):
        INDEXED[door](LABELS, VALUES)


def test_what_the_report_of_two_orders_says_to_write_pairs_the_rows():
    with pytest.warns(UserWarning, match="in two orders") as caught:
        AP(LABELS, VALUES)
    line = str(caught[0].message).split("write ")[1].split(" to match", maxsplit=1)[0]
    paired = eval(line, {"y_true": LABELS, "y_score": VALUES})
    by_index = pd.DataFrame({"label": LABELS, "score": VALUES})  # pandas pairs by index
    assert AP(LABELS, paired) == AP(by_index["label"], by_index["score"])


@pytest.mark.parametrize(
    "index",
    [
        LABELS.index,
        range(6),
        [10, 11, 12, 13, 14, 15],
        pd.MultiIndex.from_product([range(6), ["a"]]),
    ],
)
def test_other_indexes_say_nothing(index):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        other = pd.Series(VALUES.to_numpy(), index=index)
        assert AP(LABELS, other) == 1
        assert AP(pd.Series(LABELS.to_numpy(), index=index), LABELS) == 1


@pytest.mark.parametrize(
    "index", [[*"qqrrss"], pd.MultiIndex.from_arrays([[*"abcdef"]] * 2)]
)
def test_indexes_of_any_kind_are_compared(index):
    y_true = pd.Series(LABELS.to_numpy(), index=index)
    with pytest.warns(UserWarning, match="in two orders"):
        AP(y_true, pd.Series(VALUES.to_numpy(), index=y_true.index[::-1]))

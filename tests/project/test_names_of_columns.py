"""Columns that have names go by these; indexes in two orders are reported."""

import warnings
from inspect import isfunction, signature

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import sklearn_ap
from sklearn_ap import (
    AveragePrecisionDisplay,
    HitCurveDisplay,
    average_precision_score,
    budget_totals,
    chance_level,
    compare_many,
    compare_scores,
    compatibility,
    estimate_score,
    get_scorer,
    hit_curve,
    interpolated_precision_recall_curve,
    operating_point,
    report,
    score_by_query,
)
from sklearn_ap.compatibility import compare_conventions, identify, score_as
from sklearn_ap.distributed import RankingState
from tests.metrics import ALL_SCORES, LEVELS

N_ROWS = 30
QUERIES = np.arange(N_ROWS) // 10
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

    def predict_proba(self, X):
        return X


def scores_of(score):
    def door(kind, y_true, y_score):
        level = LEVELS.get(score.__name__, {})
        averages = [None, "micro"] + ["samples"] * (kind == "labels")
        return np.hstack(
            [score(y_true, y_score, average=name, **level) for name in averages]
        )

    return door


def drawn(display):
    return [line.get_xydata() for line in np.ravel(display.line_)]


def from_estimator(_, y_true, y_score):
    estimator = Answering(CLASSES["numbers"] if _ == "numbers" else CLASSES["text"])
    return drawn(AveragePrecisionDisplay.from_estimator(estimator, y_score, y_true))


def scored(kind, y_true, y_score):
    return get_scorer("average_precision")(Answering(CLASSES[kind]), y_score, y_true)


DOORS = {score.__name__: scores_of(score) for score in ALL_SCORES} | {
    "interpolated_precision_recall_curve": lambda _, *rows: (
        interpolated_precision_recall_curve(*rows)
    ),
    "hit_curve": lambda _, *rows: hit_curve(*rows),
    "estimate_score": lambda _, *rows: str(
        estimate_score(average_precision_score, *rows)
    ),
    "compare_scores": lambda _, y_true, y_score: str(
        compare_scores(average_precision_score, y_true, y_score, np.zeros((N_ROWS, 4)))
    ),
    "compare_many": lambda _, y_true, y_score: str(
        compare_many(
            average_precision_score,
            y_true,
            {"a": y_score, "b": np.zeros((N_ROWS, 4))},
        )
    ),
    "identify": lambda _, *rows: str(identify("0.4", *rows)),
    "display": lambda _, *rows: drawn(AveragePrecisionDisplay.from_predictions(*rows)),
    "report": lambda _, *rows: report(*rows, compare={"b": rows[1]}).answer,
    "estimator": from_estimator,
    "scorer": scored,
}


# These take one ranking, or one per query, and refuse columns. Of the others,
# compare_estimates and compare_by_query take results, whose queries are paired by name;
# functions of `distributed` take the name of each column.
REFUSING = {
    "budget_totals": lambda *rows: budget_totals(*rows, k=1, query_id=QUERIES),
    "chance_level": chance_level,
    "compare_conventions": compare_conventions,
    "operating_point": lambda *rows: operating_point(*rows, recall=0.5),
    "score_as": lambda *rows: score_as("scikit-learn", *rows),
    "score_by_query": lambda *rows: score_by_query(
        average_precision_score, *rows, query_id=QUERIES
    ),
    "state": RankingState().update,
    "hit display": HitCurveDisplay.from_predictions,
}


def test_the_tables_name_each_function_of_labels_and_scores():
    public = [
        getattr(module, name)
        for module in (sklearn_ap, compatibility)
        for name in module.__all__
    ]
    functions = {
        function.__name__
        for function in public
        if isfunction(function)
        and {"y_true", "y_score"} <= {*signature(function).parameters}
    }
    assert "report" in functions
    assert functions <= {*DOORS, *REFUSING}


@pytest.mark.parametrize("door", REFUSING)
@pytest.mark.parametrize("kind", CLASSES)
def test_doors_of_one_ranking_refuse_columns(kind, door):
    y_true, y_score = rows_of(kind, np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"binary|not supported"):
        REFUSING[door](y_true, pd.DataFrame(y_score, columns=CLASSES[kind][::-1]))


def rows_of(kind, rng):
    """Labels of this kind, each with a positive, and scores."""
    y_score = rng.integers(6, size=(N_ROWS, 4)) / 5
    if kind == "labels":
        y_true = rng.integers(2, size=(N_ROWS, 4))
        y_true[y_true.sum(axis=1) == 0] = 1
        return pd.DataFrame(y_true, columns=CLASSES[kind]), y_score
    return np.resize(CLASSES[kind], N_ROWS), y_score


@pytest.mark.parametrize("name", DOORS)
@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@given(st.integers(0, 2**32), st.permutations(range(4)), st.sampled_from([*FRAMES]))
@settings(max_examples=2)
def test_named_columns_stand_in_any_order(kind, name, seed, order, library):
    y_true, y_score = rows_of(kind, np.random.default_rng(seed))
    frame = FRAMES["pandas" if kind == "numbers" else library](
        {CLASSES[kind][place]: y_score[:, place] for place in order}
    )
    expected = DOORS[name](kind, y_true, y_score)
    if kind == "labels":
        y_true = FRAMES[library]({label: y_true[label].to_numpy() for label in y_true})
    np.testing.assert_equal(DOORS[name](kind, y_true, frame), expected)


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("door", ["average_precision_score", "scorer"])
def test_names_of_some_columns_are_refused(kind, door):
    y_true, y_score = rows_of(kind, np.random.default_rng(0))
    names = [*CLASSES[kind][:3], "other"]
    frame = pd.DataFrame(y_score, columns=names)
    with pytest.raises(ValueError, match=r"must have all (classes|columns) of "):
        DOORS[door](kind, y_true, frame)


@pytest.mark.parametrize(
    ("kind", "columns"),
    [
        ("text", None),
        ("labels", None),
        ("numbers", None),  # 0, 1, 2, 3, of which 1 and 2 are classes
        ("numbers", ["0", "1", "2", "3"]),  # the same, as files and Arrow have them
        ("text", ["p_ant", "p_cat", "p_dog", "p_eel"]),
        ("text", ["p_dog", "p_cat", "p_ant", "p_other"]),
    ],
)
def test_columns_without_names_of_classes_go_by_place(kind, columns):
    y_true, y_score = rows_of(kind, np.random.default_rng(0))
    frame = pd.DataFrame(y_score, columns=columns)
    assert average_precision_score(y_true, frame) == average_precision_score(
        y_true, y_score
    )
    if kind == "labels":
        named = pd.DataFrame(y_score, columns=[*"dcba"])
        assert average_precision_score(
            y_true.to_numpy(), named
        ) == average_precision_score(y_true, y_score)


@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.parametrize("kind", ["numbers", "labels"])
@pytest.mark.parametrize("dtype", [int, float])
@pytest.mark.parametrize("form", ["{}", "{}.0", "p_{}", "class {} score"])
@pytest.mark.parametrize("door", ["average_precision_score", "scorer"])
def test_names_as_other_text_in_another_order_are_refused(
    library, kind, dtype, form, door
):
    """1 is not "p_1", so the number must be neither that of names nor that of places."""
    y_true, y_score = rows_of(kind, np.random.default_rng(0))
    numbers = np.array(CLASSES["numbers"], dtype=dtype)
    if kind == "labels":
        y_true.columns = numbers
    elif door == "average_precision_score":
        y_true = y_true.astype(dtype)
    names = [form.format(number) for number in CLASSES["numbers"]]
    expected = DOORS[door](kind, y_true, y_score)
    in_order = FRAMES[library](dict(zip(names, y_score.T, strict=True)))
    assert np.array_equal(DOORS[door](kind, y_true, in_order), expected)
    shuffled = FRAMES[library](
        {names[place]: y_score[:, place] for place in (1, 0, 3, 2)}
    )
    with pytest.raises(ValueError, match=f"got .'{names[1]}', '{names[0]}', ") as error:
        DOORS[door](kind, y_true, shuffled)
    assert str(error.value).endswith("pass np.asarray of columns in that order.")
    array = np.asarray(shuffled)[:, [1, 0, 3, 2]]
    assert np.array_equal(DOORS[door](kind, y_true, array), expected)


def test_text_around_all_names_in_another_order_is_refused():
    y_true, y_score = rows_of("text", np.random.default_rng(0))
    frame = pd.DataFrame(y_score, columns=["p_cat", "p_ant", "p_dog", "p_eel"])
    with pytest.raises(ValueError, match="y_score must have all classes of y_true"):
        average_precision_score(y_true, frame)


NAMES = {
    "levels": pd.MultiIndex.from_tuples([(*"ab",), (*"aa",), (*"ba",), ("a", np.nan)]),
    "categories": pd.CategoricalIndex([*"bdca"]),
    "booleans": pd.Index([False, True]),
    "booleans as objects": pd.Index([False, True], dtype=object),
    "with NaN": pd.Index([0.0, 1.0, np.nan]),
    "with None": pd.Index(["a", None, "b"]),
    "with NaT": pd.to_datetime(["2020-01-01", None]),
    "bytes": pd.Index([b"b", b"a", b"c"]),
    "intervals": pd.interval_range(0, 3),
    "mixed": pd.Index(["1", 1, (1,)]),
    "floats": pd.Index([0.5, 2.0, 1.0]),
}


@pytest.mark.parametrize("names", NAMES)
@given(st.integers(0, 2**32), st.randoms(use_true_random=False))
@settings(max_examples=5)
def test_names_of_any_kind_are_read(names, seed, random):
    columns = NAMES[names]
    rng = np.random.default_rng(seed)
    shape = 9, len(columns)
    y_true, y_score = rng.integers(2, size=shape), rng.integers(4, size=shape)
    y_true[0] = 1
    order = [*range(len(columns))]
    random.shuffle(order)
    named = [
        pd.DataFrame(y_true, columns=columns),
        pd.DataFrame(y_score, columns=columns).iloc[:, order],
    ]
    expected = average_precision_score(y_true, y_score)
    assert average_precision_score(*named) == expected
    # the same names of another object, of which NaN equals none
    named[0].columns = columns.copy(deep=True)
    assert average_precision_score(*named) == expected


def test_a_name_of_two_columns_counts_only_in_the_same_order():
    """scikit-learn 1.9 refuses such names."""
    y_true, y_score = rows_of("labels", np.random.default_rng(0))
    y_true.columns = [*"aabc"]
    expected = average_precision_score(y_true.to_numpy(), y_score)
    for names in ("aabc", "xxyz"):
        named = pd.DataFrame(y_score, columns=[*names])
        assert average_precision_score(y_true, named) == expected
    for names in ("abac", "aabb", "abcd"):
        named = pd.DataFrame(y_score, columns=[*names])
        with pytest.raises(ValueError, match="y_score must have all columns of y_true"):
            average_precision_score(y_true, named)


@pytest.mark.parametrize("fill_value", [0, np.nan])
def test_sparse_frames_are_read(fill_value):
    y_true, y_score = rows_of("labels", np.random.default_rng(0))
    sparse = pd.DataFrame(y_score, columns=[*"abcd"])[[*"dbca"]].astype(
        pd.SparseDtype(float, fill_value)
    )
    expected = average_precision_score(y_true, y_score)
    assert average_precision_score(y_true, sparse) == expected
    assert average_precision_score(y_true.astype("Sparse[int]"), sparse) == expected
    assert average_precision_score(
        y_true[["a"]], sparse[["a"]]
    ) == average_precision_score(y_true["a"], y_score[:, 0])


def test_a_binary_scorer_reads_the_column_of_its_class():
    frame = pd.DataFrame({"yes": [0.9, 0.8, 0.1], "no": [0.1, 0.2, 0.9]})
    scorer = get_scorer("average_precision", pos_label="yes")
    y_true = np.array(["yes", "yes", "no"])
    assert scorer(Answering(["no", "yes"]), frame, y_true) == 1


# --- indexes ------------------------------------------------------------------------

LABELS = pd.Series([1, 0, 1, 0, 1, 0], index=[3, 1, 2, 0, 5, 4])
VALUES = pd.Series([0.9, 0.1, 0.8, 0.2, 0.7, 0.3], index=[0, 2, 1, 3, 4, 5])
INDEXED = {
    "average_precision_score": average_precision_score,
    "estimate_score": lambda *rows: estimate_score(average_precision_score, *rows),
    "curve": interpolated_precision_recall_curve,
    "score_as": lambda *rows: score_as("scikit-learn", *rows),
    "operating_point": lambda *rows: operating_point(*rows, recall=0.5),
    "display": AveragePrecisionDisplay.from_predictions,
    "scorer": lambda y, weight: get_scorer("average_precision")(
        Answering([0, 1]), np.eye(2)[y], y, sample_weight=weight
    ),
    "unit_id": lambda y, units: estimate_score(
        average_precision_score, y, np.arange(6), unit_id=units
    ),
    "query_id": lambda y, query: average_precision_score(
        y, np.arange(6), query_id=query, zero_division=0
    ),
    "amount": lambda y, amount: budget_totals(
        y, np.arange(6), k=1, query_id=np.arange(6) // 3, amount=amount
    ),
}
IN_TWO_ORDERS = r"have the same values in their indexes, in two orders: 3, 1, 2, \.\.\. and 0, 2, 1, "


@pytest.mark.parametrize("door", INDEXED)
@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_indexes_in_two_orders_are_reported(door):
    with pytest.warns(UserWarning, match=IN_TWO_ORDERS):
        INDEXED[door](LABELS, VALUES)


def test_what_the_report_of_two_orders_says_to_write_pairs_the_rows():
    with pytest.warns(UserWarning, match=IN_TWO_ORDERS) as caught:
        average_precision_score(LABELS, VALUES)
    text = str(caught[0].message)
    line = text.split("write ")[1].split(" to pair", maxsplit=1)[0]
    names = {"y_true": LABELS, "y_score": VALUES}
    paired = average_precision_score(LABELS, eval(line, names))
    by_index = pd.DataFrame({"label": LABELS, "score": VALUES})  # pandas pairs by index
    assert paired == average_precision_score(by_index["label"], by_index["score"])
    line = text.split("pass ")[1].split(" if ", maxsplit=1)[0]
    average_precision_score(LABELS, eval(line, {"np": np, **names}))


@pytest.mark.parametrize(
    "index",
    [
        LABELS.index,
        range(6),
        [10, 11, 12, 13, 14, 15],
        [*"abcdef"],
        [(number, "a") for number in range(6)],
    ],
)
def test_other_indexes_say_nothing(index):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = pd.Series(VALUES.to_numpy(), index=index)
        assert average_precision_score(LABELS, scores) == 1


@pytest.mark.parametrize(
    "index", [[*"qqrrss"], pd.MultiIndex.from_arrays([[*"abcdef"]] * 2)]
)
def test_indexes_of_any_kind_are_compared(index):
    y_true = pd.Series(LABELS.to_numpy(), index=index)
    scores = pd.Series(VALUES.to_numpy(), index=y_true.index[::-1])
    with pytest.warns(UserWarning, match="in two orders"):
        sklearn_ap.average_precision_score(y_true, scores)


# --- shapes of predict_proba and decision_function -------------------------------------

X = np.random.default_rng(0).normal(size=(40, 3))
LABEL_MATRIX = (X[:, :2] > 0).astype(int)
OF_TEXT = np.array(["ant", "cat", "dog", "eel"])[np.arange(40) % 4]


@pytest.mark.parametrize("constant", [False, True])
def test_the_note_on_matrices_of_several_labels_gives_the_number_of_a_scorer(constant):
    trained_on = LABEL_MATRIX * [1, not constant]
    forest = RandomForestClassifier(5, random_state=0).fit(X, trained_on)
    y_score = forest.predict_proba(X)
    with pytest.raises(ValueError, match="inconsistent numbers") as refusal:
        average_precision_score(LABEL_MATRIX, y_score)
    line = refusal.value.__notes__[0].split(" pass ")[1].rstrip(".")
    passed = eval(line, {"np": np, "y_score": y_score, "estimator": forest})
    expected = get_scorer("average_precision")(forest, X, LABEL_MATRIX)
    assert average_precision_score(LABEL_MATRIX, passed) == expected
    with pytest.raises(ValueError, match="inconsistent numbers") as refusal:
        average_precision_score(LABEL_MATRIX, passed.T)
    line = refusal.value.__notes__[0].split(" pass ")[1].rstrip(".")
    transposed = eval(line, {"np": np, "y_score": passed.T})
    assert average_precision_score(LABEL_MATRIX, transposed) == expected


def test_the_note_on_columns_of_absent_classes_gives_the_number_of_a_scorer():
    model = LogisticRegression().fit(X, OF_TEXT)
    fold = OF_TEXT != "cat"
    y_true, y_score = OF_TEXT[fold], model.predict_proba(X[fold])
    with pytest.raises(ValueError, match="y_score") as refusal:
        average_precision_score(y_true, y_score)
    line = refusal.value.__notes__[0].split(" pass ")[1].rstrip(".")
    names = {"np": np, "y_score": y_score, "y_true": y_true, "estimator": model}
    expected = get_scorer("average_precision")(model, X[fold], y_true)
    assert average_precision_score(y_true, eval(line, names)) == expected


def test_a_text_class_is_ranked_against_the_others():
    model = LogisticRegression().fit(X, OF_TEXT)
    y_score = model.predict_proba(X)
    expected = average_precision_score(OF_TEXT == "dog", y_score[:, 2])
    rows = OF_TEXT, y_score[:, 2]
    assert average_precision_score(*rows, pos_label="dog") == expected
    estimate = estimate_score(average_precision_score, *rows, pos_label="dog")
    assert estimate.score == expected
    assert (
        get_scorer("average_precision", pos_label="dog")(model, X, OF_TEXT) == expected
    )
    with pytest.raises(ValueError, match="fixed to 1 for multiclass") as refusal:
        average_precision_score(OF_TEXT, y_score, pos_label="dog")
    assert refusal.value.__notes__ == [
        "For 'dog' against the other classes, pass y_score[:, 2]."
    ]
    grades = np.arange(40) % 3
    with pytest.raises(ValueError, match="fixed to 1 for multiclass"):
        average_precision_score(grades, y_score[:, 2], pos_label=2)
    with pytest.raises(ValueError, match="fixed to 1 for multiclass"):
        get_scorer("average_precision", pos_label=2)(
            LogisticRegression().fit(X, grades), X, grades
        )
    with pytest.raises(ValueError, match="must contain two labels"):
        RankingState(pos_label="dog").update(*rows)

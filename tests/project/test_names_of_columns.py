"""Columns that have names go by these; indexes in two orders are reported."""

import warnings

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
    average_precision_score,
    budget_totals,
    compare_many,
    compare_scores,
    estimate_score,
    get_scorer,
    hit_curve,
    interpolated_precision_recall_curve,
    operating_point,
)
from sklearn_ap.compatibility import identify, score_as
from sklearn_ap.distributed import RankingState
from tests.metrics import ALL_SCORES, LEVELS

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
    "curve": lambda _, *rows: interpolated_precision_recall_curve(*rows),
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
    "estimator": from_estimator,
    "scorer": scored,
}


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
    answers = DOORS[name](kind, y_true, frame), DOORS[name](kind, y_true, y_score)
    np.testing.assert_equal(*answers)


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
        ("numbers", ["1", "5", "2", "7"]),  # text is not a number
        ("numbers", None),  # 0, 1, 2, 3, of which 1 and 2 are classes
        ("text", ["p_dog", "p_cat", "p_ant", "p_eel"]),
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

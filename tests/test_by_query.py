"""The score of each query, by its id: the values of `average=None`, and which query each belongs to."""

import datetime
import math
from functools import partial

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import oracle
import problems
from metrics import CALLED
from sklearn_ap import average_precision_score, precision_at_k_score, score_by_query

Y_TRUE, Y_SCORE = [1, 0, 0, 1, 0, 1], [6, 5, 4, 3, 2, 1]
QUERY = ["b", "b", "a", "a", "c", "c"]
VALUES = {"a": 0.5, "b": 1.0, "c": 0.5}
NO_POSITIVE = "ignore:(No positive class found|y_true contains no positive):UserWarning"


def by_query(y_score=Y_SCORE, y_true=Y_TRUE, query_id=QUERY, **params):
    return score_by_query(average_precision_score, y_true, y_score, query_id=query_id, **params)


# --- the values, and whose they are ------------------------------------------------------------------------


@pytest.mark.filterwarnings(NO_POSITIVE)
@pytest.mark.parametrize("name", problems.MEASURES)
@settings(max_examples=25)
@given(data=st.data())
def test_each_query_has_the_value_of_its_definition(name, data):
    """The oracle ranks the rows of each query alone, so a value beside another name would be seen."""
    measure = data.draw(problems.MEASURES[name])
    problem = data.draw(problems.queries(measure.takes_totals and data.draw(st.booleans())))
    arguments = {**problem.arguments, **measure.options}
    if measure.refuses(problem) or arguments.pop("average") == "micro":
        reject()
    weight, totals = arguments["sample_weight"], arguments.get("n_positives")
    rows = problems.QueryRows(problem.y_true, problem.y_score, weight, arguments["query_id"])
    names = sorted(totals) if isinstance(totals, dict) else rows.names
    try:
        values = [oracle.mean([measure.define(one)], None, 0.0) for one in problem.rankings]
    except oracle.AmbiguousError:
        reject()
    found = score_by_query(measure.function, problem.y_true, problem.y_score, **arguments)
    assert list(found) == names
    assert list(found.values()) == pytest.approx(values, abs=1e-12, rel=0)


@pytest.mark.parametrize("score", CALLED, ids=lambda score: score.__name__)
def test_every_score_of_the_family(score):
    values = score_by_query(score, Y_TRUE, Y_SCORE, query_id=QUERY)
    assert list(values) == ["a", "b", "c"]
    assert list(values.values()) == score(Y_TRUE, Y_SCORE, query_id=QUERY, average=None).tolist()
    assert np.mean(list(values.values())) == score(Y_TRUE, Y_SCORE, query_id=QUERY)


def test_values_and_keys_are_plain_python():
    values = by_query(query_id=np.array([7, 7, 3, 3, 9, 9]))
    assert values == {3: 0.5, 7: 1.0, 9: 0.5}
    assert {type(one) for one in (*values, *values.values())} == {int, float}


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, 2),
        (("x", 1), ("x", 2)),
        (datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)),
        (np.datetime64("2020", "ns"), np.datetime64("2021", "ns")),
        (b"a", b"b"),
    ],
)
def test_ids_of_any_kind(a, b):
    assert by_query([4, 3, 2, 1], [1, 0, 0, 1], [b, b, a, a]) == {a: 0.5, b: 1.0}


def test_rows_may_come_in_any_order():
    order = [5, 2, 0, 4, 3, 1]
    shuffled = (np.array(one)[order].tolist() for one in (Y_SCORE, Y_TRUE, QUERY))
    assert by_query(*shuffled) == VALUES


def test_a_single_query():
    assert by_query(query_id=["all"] * 6) == {"all": average_precision_score(Y_TRUE, Y_SCORE)}


def test_pandas_series_and_frames_are_one_call_away():
    series = pd.Series(by_query())
    assert series.index.tolist() == ["a", "b", "c"]
    frame = pd.DataFrame(by_query({"old": Y_SCORE, "new": [1, 2, 3, 4, 5, 6]}))
    assert frame.columns.tolist() == ["old", "new"]
    assert frame.loc["b"].tolist() == [1.0, 0.5]


# --- queries that come and go ------------------------------------------------------------------------------


def test_a_query_without_weight_is_none():
    assert by_query(sample_weight=[1, 1, 0, 0, 2, 2]) == {"b": 1.0, "c": 0.5}


def test_a_query_without_rows_has_a_stated_total():
    totals = {"z": 3, "b": 2, "a": 1, "c": 1, "B": 0}
    with pytest.warns(UserWarning, match="No positive class found"):
        values = by_query(n_positives=totals)
    assert values == {"B": 0.0, "a": 0.5, "b": 0.5, "c": 0.5, "z": 0.0}
    assert list(values) == ["B", "a", "b", "c", "z"]


def test_what_a_partial_binds_counts():
    score = partial(
        average_precision_score, sample_weight=[1, 1, 0, 0, 2, 2], n_positives={"b": 2, "c": 2, "d": 1}
    )
    with pytest.raises(ValueError, match="n_positives must not be below"):
        score_by_query(score, Y_TRUE, Y_SCORE, query_id=QUERY, n_positives=0)
    values = score_by_query(score, Y_TRUE, Y_SCORE, query_id=QUERY)
    assert values == {"b": 0.5, "c": 0.5, "d": 0.0}


@pytest.mark.parametrize("zero_division", [0.0, 1.0, math.nan])
def test_queries_without_positives(zero_division):
    values = by_query(y_true=[1, 0, 0, 0, 0, 1], zero_division=zero_division)
    assert list(values) == ["a", "b", "c"]
    assert values["a"] == pytest.approx(zero_division, nan_ok=True)


@pytest.mark.parametrize("params", [{}, {"zero_division": "warn"}])
@pytest.mark.parametrize("y_score", [Y_SCORE, {"one": Y_SCORE, "two": Y_SCORE, "three": Y_SCORE}])
def test_one_warning_for_all_models(y_score, params):
    with pytest.warns(UserWarning, match="No positive class found in y_true") as caught:
        values = by_query(y_score, [1, 0, 0, 0, 0, 1], **params)
    assert [one.filename for one in caught] == [__file__]
    expected = {"a": 0.0, "b": 1.0, "c": 0.5}
    assert values in (expected, dict.fromkeys(["one", "two", "three"], expected))


def test_a_bound_zero_division_holds_for_every_model():
    score = partial(average_precision_score, zero_division=1.0)
    values = score_by_query(score, [0, 0], {"one": [1, 2], "two": [2, 1]}, query_id=["a", "a"])
    assert values == {"one": {"a": 1.0}, "two": {"a": 1.0}}


# --- several models ----------------------------------------------------------------------------------------


def test_several_models():
    y_score = {"new": [1, 2, 3, 4, 5, 6], "old": Y_SCORE}
    values = by_query(y_score)
    assert list(values) == ["new", "old"]
    assert values == {name: by_query(scores) for name, scores in y_score.items()}


def test_what_the_caller_passed_stays():
    y_score = {"old": np.array(Y_SCORE, dtype=float)}
    y_score["old"].flags.writeable = False
    params = {"zero_division": "warn", "n_positives": {"a": 1, "b": 1, "c": 1}}
    by_query(y_score, **params)
    assert params == {"zero_division": "warn", "n_positives": {"a": 1, "b": 1, "c": 1}}
    assert list(y_score) == ["old"]


def test_a_function_of_the_user():
    def best_of_query(y_true, y_score, *, query_id, average="macro"):
        return precision_at_k_score(y_true, y_score, k=1, query_id=query_id, average=average)

    values = score_by_query(best_of_query, Y_TRUE, Y_SCORE, query_id=QUERY)
    assert values == {"a": 0.0, "b": 1.0, "c": 0.0}

    def anything(y_true, y_score, *, sign=1, **params):
        return average_precision_score(y_true, np.multiply(sign, y_score), **params)

    assert score_by_query(anything, Y_TRUE, Y_SCORE, query_id=QUERY, pos_label=1) == VALUES


# --- errors ------------------------------------------------------------------------------------------------


def test_a_score_without_queries():
    with pytest.raises(
        TypeError, match=r"^score_func must take 'query_id' here; got <function average_precis"
    ):
        score_by_query(sklearn.metrics.average_precision_score, Y_TRUE, Y_SCORE, query_id=QUERY)


def test_an_argument_that_the_score_does_not_take():
    with pytest.raises(
        TypeError, match=r"^score_func must take 'zero_division' here; .* which takes k, ties, "
    ):
        score_by_query(precision_at_k_score, Y_TRUE, Y_SCORE, query_id=QUERY, zero_division=0.0)


@pytest.mark.parametrize("average", [None, "macro"])
def test_average_is_left_out(average):
    with pytest.raises(ValueError, match=rf"^average must be left out: .*; got {average!r}"):
        by_query(average=average)


def test_no_ids():
    with pytest.raises(ValueError, match=r"^query_id must contain the query of each sample; got None"):
        by_query(query_id=None)


def test_no_models():
    with pytest.raises(ValueError, match=r"^y_score must map the names of models to their scores; got \{\}"):
        by_query({})


def test_one_value_for_all_queries():
    def mean(y_true, y_score, *, query_id, average):  # noqa: ARG001  # the fault that is tested
        return average_precision_score(y_true, y_score, query_id=query_id)

    with pytest.raises(
        ValueError, match=r"^score_func must return one value for each of 3 queries .*; got 0\.6"
    ):
        score_by_query(mean, Y_TRUE, Y_SCORE, query_id=QUERY)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"query_id": ["a", "b"]}, "query_id must be one id for each of 6 samples"),
        ({"y_score": [1, 2]}, "inconsistent numbers of samples"),
        ({"y_score": {"old": Y_SCORE, "new": [1, 2]}}, "inconsistent numbers of samples"),
        ({"y_true": ["a", "b", "a", "b", "a", "b"]}, "pos_label=1 is not a valid label"),
        ({"n_positives": {"a": 1}}, "n_positives contains no total for query 'b'"),
        ({"y_true": np.eye(6), "y_score": np.eye(6)}, "query_id requires binary y_true"),
        ({"zero_division": 2}, "zero_division must be"),
    ],
)
def test_errors_are_those_of_the_score(changed, message):
    with pytest.raises(ValueError, match=message) as ours:
        by_query(**changed)
    given_ = {"y_true": Y_TRUE, "y_score": Y_SCORE, "query_id": QUERY, **changed}
    if isinstance(given_["y_score"], dict):
        given_["y_score"] = given_["y_score"]["new"]
    with pytest.raises(ValueError, match=message) as theirs:
        average_precision_score(**given_)
    assert str(ours.value) == str(theirs.value)

"""A cut of its own for each ranking: precision at L/5 of each protein, recall at the
slots of each desk.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from sklearn.model_selection import KFold, cross_validate

import problems
import sklearn_ap as ap
from oracles import scores as oracle
from scoring import LOGISTIC, QUERY, X, Y
from sizes import low_sizes, sizes
from sklearn_ap import distributed

NAMES = [name for name in problems.MEASURES if name.endswith("at_k")]
NAMES.append("reciprocal_rank")
NO_POSITIVE = "ignore:(No positive class found|y_true contains no positive):UserWarning"
Y_TRUE, SCORES = [1, 0, 1, 1, 0, 1, 0], [7, 6, 5, 4, 3, 2, 1]
DAY = ["b", "b", "b", "a", "a", "a", "a"]
PRECISION = ap.precision_at_k_score


@pytest.mark.filterwarnings(NO_POSITIVE)
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60)
@given(data=st.data())
def test_each_ranking_ends_at_its_own_k(name, data):
    """Each value is the definition's at the k of its ranking; the mean is theirs."""
    measure, problem = data.draw(problems.calls(name))
    average = problem.arguments.get("average", "micro")
    k = [data.draw(st.integers(1, 6)) for _ in problem.rankings]
    measure.options["k"] = k
    if average == "micro" or measure.refuses(problem):
        reject()
    query = problem.arguments.get("query_id")
    of_each = k
    if query is not None:
        rows = problems.QueryRows(
            problem.y_true, problem.y_score, problem.arguments["sample_weight"], query
        )
        named = set(query if average is None else rows.names)
        named |= set(problem.arguments.get("n_positives") or ())
        by_query = dict(zip(sorted(named), k, strict=True))
        of_each = data.draw(
            st.sampled_from([k, by_query, pd.Series(by_query, dtype=object)])
        )
        if average is not None and set(query) != set(rows.names):
            of_each = by_query  # an array follows the queries of average=None
    options = {**measure.options, "k": of_each}
    with sizes(data.draw(low_sizes())):
        value = measure.function(
            problem.y_true, problem.y_score, **problem.arguments, **options
        )
    define, fixed = getattr(oracle, name), {**measure.options}
    del fixed["k"]
    values = [
        define(one, k=of_one, **fixed)
        for one, of_one in zip(problem.rankings, k, strict=True)
    ]
    expected = [oracle.mean([one], None, 0.0) for one in values]
    if average is not None:
        expected = oracle.mean(values, problem.ranking_weights, 0.0)
    assert value == pytest.approx(expected, abs=1e-12, rel=0)


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_an_estimate_takes_budgets_by_query():
    k = {"b": 2, "a": 1}
    estimate = ap.estimate_score(PRECISION, Y_TRUE, SCORES, query_id=DAY, k=k)
    assert estimate.score == pytest.approx((1.0 + 0.5) / 2)


def test_a_fifth_of_five_is_one_row():
    """L / 5 is a float, which as a single k would be a share: all rows."""
    length = {"a": 5, "b": 10}
    k = {name: of_one / 5 for name, of_one in length.items()}
    found = ap.score_by_query(PRECISION, Y_TRUE, SCORES, query_id=DAY, k=k)
    assert found == {"a": 1.0, "b": 0.5}
    assert PRECISION(Y_TRUE, SCORES, k=1.0) == pytest.approx(4 / 7)


def test_budgets_of_each_day_add_up():
    k, amount = {"a": 3, "b": 1}, [1, 2, 3, 4, 5, 6, 7]
    both = ap.budget_totals(Y_TRUE, SCORES, query_id=DAY, k=k, amount=amount)
    assert (both.n_retrieved, both.positives_found, both.n_samples) == (4, 3, 7)
    assert both.amount_found == 1 + 4 + 6
    assert both.k.tolist() == both.to_dict()["k"] == [3, 1]
    assert str(both).startswith("1 to 3 rows per query over 2 queries find")
    same = ap.budget_totals(Y_TRUE, SCORES, query_id=DAY, k=[1, 1])
    assert str(same).startswith("1 row per query over 2 queries finds")


def test_days_without_rows_or_weight_need_no_budget():
    # they stand before and between the others
    rows = {"query_id": [*DAY, "0"], "sample_weight": [1] * 7 + [0]}
    totals = ap.budget_totals([*Y_TRUE, 1], [*SCORES, 9], k={"a": 3, "b": 1}, **rows)
    assert totals.by_query["n_retrieved"].tolist() == [0, 3, 1]
    in_order = ap.budget_totals([*Y_TRUE, 1], [*SCORES, 9], k=[5, 3, 1], **rows)
    assert in_order.by_query["n_retrieved"].tolist() == [0, 3, 1]
    rows["n_positives"] = {"a": 2, "b": 2, "aa": 1}
    k = {"a": 3, "b": 1, "0": 7, "aa": 8}
    values = ap.score_by_query(
        ap.recall_at_k_score, [*Y_TRUE, 1], [*SCORES, 9], k=k, zero_division=0.0, **rows
    )
    assert values == {"0": 0.0, "a": 1.0, "aa": 0.0, "b": 0.5}


def test_folds_take_the_budgets_of_their_queries():
    k = {name: 1 + place % 3 for place, name in enumerate(dict.fromkeys(QUERY))}
    scorer = ap.make_scorer(PRECISION, k=k, query_id="index")
    y = pd.Series(Y, index=QUERY)
    found = cross_validate(
        LOGISTIC, X, y, cv=KFold(3), scoring=scorer, return_estimator=True,
        return_indices=True, error_score="raise",
    )  # fmt: skip
    for model, test, value in zip(
        found["estimator"], found["indices"]["test"], found["test_score"], strict=True
    ):
        scores, query = model.decision_function(X[test]), np.array(QUERY)[test]
        of_fold = {name: k[name] for name in query}
        expected = PRECISION(Y[test], scores, query_id=query, k=of_fold)
        assert value == pytest.approx(expected, abs=1e-12)
    assert "precision_at_k" in scorer.__name__


FRAME = pd.DataFrame({"label": Y_TRUE, "score": SCORES, "day": DAY})
ROWS = {"query_id": DAY}
K = {"a": 1, "b": 2}
REFUSED = {
    "k must name queries of query_id, not 'c' .1 such": lambda score: score(
        Y_TRUE, SCORES, k={**K, "c": 3}, **ROWS
    ),
    "k contains no number of rows for query 'b' .1 such": lambda score: score(
        Y_TRUE, SCORES, k={"a": 1}, **ROWS
    ),
    "k must be one number where all rows are one ranking; .* .2 here.* got .'a': 1": lambda score: (
        score(Y_TRUE, SCORES, k=K, average="micro", **ROWS)
    ),
    "k must be one number where all rows are one ranking; .* query_id .* got .2": (
        lambda score: score(Y_TRUE, SCORES, k=[2])
    ),
    "k must be one number .* one per ranking in .* .2 here.*; got .1, 2, 3": (
        lambda score: score(Y_TRUE, SCORES, k=[1, 2, 3], **ROWS)
    ),
    "k must contain whole numbers of rows, .* got .'a': 1.4": lambda score: score(
        Y_TRUE, SCORES, k={"a": 1.4, "b": 2}, **ROWS
    ),
    "k must contain whole numbers of rows, .* got .0, 2": lambda score: score(
        Y_TRUE, SCORES, k=[0, 2], **ROWS
    ),
    "k must contain whole numbers of rows, .* got .True, 2": lambda score: score(
        Y_TRUE, SCORES, k=[True, 2], **ROWS
    ),
    "(k must be one number where rows of a query are|.*_score has no interval)": lambda score: (
        ap.estimate_score(
            score, Y_TRUE, SCORES, k=K, unit_id=[1, 2, 3, 1, 2, 3, 4], **ROWS
        )
    ),
    "k of a scorer requires query_id where the scorer is made, .* a mapping": lambda score: (
        ap.make_scorer(score, k=K)
    ),
    "k must be one number here, .* got .'a': 1": lambda score: distributed.score(
        score, FRAME, query_id="day", k=K
    ),
}


@pytest.mark.parametrize("text", REFUSED)
@pytest.mark.parametrize("name", NAMES)
def test_refused(name, text):
    with pytest.raises(ValueError, match=f"^{text}"):
        REFUSED[text](getattr(ap, f"{name}_score"))


@pytest.mark.parametrize(
    "k", [{**K, "c": 3}, {"a": 1}, [1], [0, 1], {"a": 0.2, "b": 1}]
)
def test_budgets_refuse_the_same(k):
    with pytest.raises(ValueError, match=r"^k "):
        ap.budget_totals(Y_TRUE, SCORES, k=k, query_id=DAY)

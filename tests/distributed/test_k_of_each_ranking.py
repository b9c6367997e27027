"""A cut of its own for each ranking: precision at L/5 of each protein, recall at the
slots of each desk.
"""

import pandas as pd
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression

import problems
import sklearn_ap as ap
from oracles import scores as oracle
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
    of_each = k = [data.draw(st.integers(1, 6)) for _ in problem.rankings]
    measure.options["k"] = k
    if average == "micro" or measure.refuses(problem):
        reject()
    if "query_id" in problem.arguments:
        totals = problem.arguments.get("n_positives") or ()
        names = sorted({*problem.arguments["query_id"], *totals})
        if len(names) > len(k):  # some weigh 0, see test_values_of_queries.py
            reject()
        of_each = dict(zip(names, k, strict=True))
    options = {key: value for key, value in measure.options.items() if key != "k"}
    with sizes(data.draw(low_sizes())):
        value = measure.function(
            problem.y_true, problem.y_score, **problem.arguments, **options, k=of_each
        )
    values = [
        getattr(oracle, name)(ranking, k=of_one, **options)
        for ranking, of_one in zip(problem.rankings, k, strict=True)
    ]
    expected = [oracle.mean([one], None, 0.0) for one in values]
    if average is not None:
        expected = oracle.mean(values, problem.ranking_weights, 0.0)
    assert value == pytest.approx(expected, abs=1e-12, rel=0)


def test_a_fifth_of_five_is_one_row():
    """L / 5 is a float, which as a single k would be a share: all rows."""
    k = {"a": 5 / 5, "b": 10 / 5}
    found = ap.score_by_query(PRECISION, Y_TRUE, SCORES, query_id=DAY, k=k)
    assert found == {"a": 1.0, "b": 0.5}


def test_queries_without_rows_or_weight_keep_their_k():
    # they stand before and between the others
    values = ap.score_by_query(
        ap.recall_at_k_score,
        [*Y_TRUE, 1],
        [*SCORES, 9],
        query_id=[*DAY, "0"],
        sample_weight=[1] * 7 + [0],
        n_positives={"a": 2, "b": 2, "aa": 1},
        k={"a": 3, "b": 1, "0": 7, "aa": 8},
        zero_division=0.0,
    )
    assert values == {"0": 0.0, "a": 1.0, "aa": 0.0, "b": 0.5}


def test_a_fold_takes_the_k_of_its_queries():
    scorer = ap.make_scorer(
        PRECISION, k={"a": 1, "b": 2}, query_id="index", response_method="predict"
    )
    same = LinearRegression().fit([[0], [1]], [0, 1])
    assert scorer(same, [[3], [2], [1]], pd.Series([0, 1, 1], index=["b"] * 3)) == 0.5
    assert "precision_at_k" in scorer.__name__


K = {"a": 1, "b": 2}
WHOLE = "k must contain whole numbers of rows, .* got "
REFUSED = [
    ({"k": {**K, "c": 3}}, "k must name queries of query_id, not 'c' .1 such"),
    ({"k": {"a": 1}}, "k contains no number of rows for query 'b' .1 such"),
    (
        {"k": K, "average": "micro"},
        "k must be one number where all rows are one ranking; .* .2 here.* got .'a': 1",
    ),
    (
        {"k": [2], "query_id": None},
        "k must be one number where all rows are one ranking; .* query_id .* got .2",
    ),
    ({"k": [1, 2, 3]}, "k must be one number .* one per ranking in .* got .1, 2, 3"),
    ({"k": {"a": 1.4, "b": 2}}, f"{WHOLE}.'a': 1.4"),
    ({"k": [0, 2]}, f"{WHOLE}.0, 2"),
    ({"k": [True, 2]}, f"{WHOLE}.True, 2"),
]


@pytest.mark.parametrize(("changed", "text"), REFUSED)
@pytest.mark.parametrize("name", NAMES)
def test_refused(name, changed, text):
    with pytest.raises(ValueError, match=f"^{text}"):
        getattr(ap, f"{name}_score")(Y_TRUE, SCORES, **{"query_id": DAY, **changed})


FRAME = pd.DataFrame({"label": Y_TRUE, "score": SCORES, "day": DAY})
UNITS = {"query_id": DAY, "unit_id": [1, 2, 3, 1, 2, 3, 4]}


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: ap.estimate_score(PRECISION, Y_TRUE, SCORES, k=K, **UNITS),
            "k must be one number where rows of a query are",
        ),
        (
            lambda: ap.make_scorer(PRECISION, k=K),
            "k of a scorer requires query_id where the scorer is made, .* a mapping",
        ),
        (
            lambda: distributed.score(PRECISION, FRAME, query_id="day", k=K),
            "k must be one number here, .* got .'a': 1",
        ),
    ],
)
def test_calls_that_take_one_k(call, text):
    with pytest.raises(ValueError, match=f"^{text}"):
        call()

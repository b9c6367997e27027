"""Weights of queries in estimates, scorers, records and files, and queries whose rows all
weigh 0; `tests/core/test_query_weight.py` has those of scores.
"""

import io

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.metrics import label_ranking_average_precision_score
from sklearn.model_selection import GroupKFold, cross_validate

from scoring import IGNORED, LOGISTIC, QUERY, X, Y
from shell import json_of, run, said
from sklearn_ap import (
    average_precision_score,
    chance_level,
    compare_scores,
    estimate_cv_results,
    estimate_score,
    make_scorer,
    report,
    score_by_query,
)
from sklearn_ap.compatibility import identify, score_as
from sklearn_ap.distributed import budget_totals
from tests.core.test_query_weight import (
    QUERIES,
    ROWS,
    VALUES,
    WEIGHTS,
    Y_SCORE,
    Y_TRUE,
    close,
)

AP = "average_precision"
pytestmark = pytest.mark.filterwarnings(*IGNORED)


def test_single_queries_have_no_mean_to_weigh():
    with pytest.raises(ValueError, match=r"^query_weight requires a mean over queries"):
        score_by_query(AP, **ROWS, query_weight=WEIGHTS)


def test_estimates_are_those_of_a_weighted_mean():
    """Each query does w (x - mean) to the mean, with w as its share of all weights."""
    rng = np.random.default_rng(0)
    query, y_true = np.repeat(np.arange(40), 5), np.tile([1, 0, 0, 1, 0], 40)
    models = rng.random((2, 200))
    weights = rng.integers(1, 5, 40)
    share = weights / weights.sum()
    values, others = (
        np.array([*score_by_query(AP, y_true, scores, query_id=query).values()])
        for scores in models
    )
    arguments = {"query_id": query, "query_weight": dict(enumerate(weights.tolist()))}
    estimate = estimate_score(AP, y_true, models[0], **arguments)
    assert estimate.score == close(values @ share)
    influences = share * (values - values @ share)
    # As for 'weighted' means: a sum of squares over n - 1 units, of as many equal ones.
    n_units = 1 / np.sum(share**2)
    expected = np.sqrt(np.sum(influences**2) * n_units / (n_units - 1))
    assert estimate.standard_error == pytest.approx(expected)
    comparison = compare_scores(AP, y_true, *models, **arguments)
    assert comparison.difference == close((values - others) @ share)


@pytest.mark.parametrize("kind", [dict, pd.Series, None])
def test_scorers_weigh_queries(kind):
    """A mapping is stated once for all folds; one weight per row is routed, and cut to
    the fold.
    """
    weights = {query: 1.0 + query // 5 for query in np.unique(QUERY).tolist()}
    of_rows = np.array([weights[query] for query in QUERY.tolist()])
    of_scorer, of_call = {}, {"query_weight": of_rows}
    if kind is not None:
        of_scorer, of_call = {"query_weight": kind(weights)}, {}
    scorer = make_scorer(AP, query_id="groups", **of_scorer)
    with sklearn.config_context(enable_metadata_routing=True):
        if of_call:
            scorer.set_score_request(query_weight=True)
        options = {
            "scoring": scorer,
            "params": {"groups": QUERY, **of_call},
            "return_estimator": True,
            "return_indices": True,
        }
        results = cross_validate(LOGISTIC, X, Y, cv=GroupKFold(3), **options)
    rows = {"query_id": QUERY, "query_weight": of_rows, "zero_division": 0.0}
    pooled, expected = np.empty(len(Y)), []
    for model, test in zip(
        results["estimator"], results["indices"]["test"], strict=True
    ):
        pooled[test] = model.decision_function(X[test])
        of_fold = {**rows, "query_id": QUERY[test], "query_weight": of_rows[test]}
        expected.append(average_precision_score(Y[test], pooled[test], **of_fold))
    assert results["test_score"].tolist() == expected
    rows |= of_scorer
    estimate = estimate_cv_results(AP, results, X, Y, **rows)
    assert estimate.score == average_precision_score(Y, pooled, **rows)


@pytest.mark.parametrize(
    "name",
    [
        "average precision",
        "LightGBM map@k",
        "XGBoost map@k",
        "scikit-learn LRAP",
        "CatBoost MAP:top=k",
    ],
)
def test_records_weigh_queries_as_their_package_does(name):
    value = score_as(name, **ROWS, k=3, query_weight=WEIGHTS)
    expected = 7 / 12 if name.startswith("CatBoost") else 17 / 24
    assert value == pytest.approx(expected, abs=5e-5)
    if name == "scikit-learn LRAP":
        labels, scores = np.reshape(Y_TRUE, (2, 3)), np.reshape(Y_SCORE, (2, 3))
        lrap = label_ranking_average_precision_score(
            labels, scores, sample_weight=[3, 1]
        )
        assert value == close(lrap)


def test_identify_finds_a_mean_by_weights_of_queries():
    (group, *_) = identify(".7083", **ROWS, k=3, query_weight=[3, 3, 3, 1, 1, 1]).groups
    names = {convention.name for convention in group.conventions}
    assert {"LightGBM map@k", "XGBoost map@k", "scikit-learn LRAP"} <= names


def test_a_query_without_weight_keeps_its_place_outside_means():
    rows = {**ROWS, "sample_weight": [0, 0, 0, 1, 1, 1]}
    for zero_division in (0.0, 1.0, np.nan):
        given = {**rows, "zero_division": zero_division}
        values = average_precision_score(**given, average=None)
        np.testing.assert_array_equal(values, [zero_division, VALUES["b"]])
        by_query = score_by_query(AP, **given)
        assert list(by_query) == ["a", "b"]
        np.testing.assert_array_equal([*by_query.values()], values)
    chance = chance_level(Y_TRUE, query_id=QUERIES, sample_weight=rows["sample_weight"])
    assert np.isnan(chance).tolist() == [True, False]
    assert average_precision_score(**rows) == VALUES["b"]
    for name in ("average precision", "trec_eval map"):  # with weights, and without
        assert len(score_as(name, **rows, average=None)) == 2


@pytest.mark.parametrize("memory_limit", ["1GB", 1])
def test_the_budget_of_a_query_without_weight_is_zero_and_no_unit(memory_limit):
    rows = pd.DataFrame({"label": [1, 1, 0] * 2, "score": range(6)})
    rows = rows.assign(query=list("aabbcc"), weight=[0, 0, 1, 1, 1, 1])
    columns = {"k": 1, "query_id": "query", "sample_weight": "weight"}
    totals, expected = (
        budget_totals(frame, **columns, memory_limit=memory_limit)
        for frame in (rows, rows[rows["weight"] > 0])
    )
    assert totals.by_query["query"].tolist() == ["a", "b", "c"]
    for name, column in expected.by_query.items():
        first, *others = totals.by_query[name].tolist()
        assert others == column.tolist()
        assert name == "query" or first == 0
    assert totals.share_of_weight.n_units == 2
    assert str(totals.share_of_weight) == str(expected.share_of_weight)


def test_the_command_keeps_the_place_of_a_query_without_weight(saved):
    """Its scores are those of `score_by_query`; the mean and its
    words leave it out.
    """
    arrays = {
        "y_true": [1, 0, 1, 0, 0, 1, 0, 0],
        "y_score": [3, 2, 3, 2, 4, 3, 5, 1],
        "query_id": list("aabbccdd"),
        "sample_weight": [0, 0, 1, 1, 1, 2, 1, 1],
    }
    names = dict(zip(arrays, ("label", "score", "q", "w"), strict=True))
    line = [saved(pd.DataFrame(arrays).rename(columns=names)), "--sample-weight", "w"]
    line += ["--query-id", "q"]
    words = said(*line)
    assert "not counting 2 rows whose w is 0, all rows of 1 query." in words
    assert "counted as 0: 1 of 3 queries, d. Left out, MAP over the 2 other" in words
    counts = report(**arrays).answer["counts"]
    assert counts == json_of(*line)["counts"] | {"weight_name": "weight"}
    for zero_division in (0, 1, np.nan):
        more = "--by-query", "--format", "csv", "--zero-division", zero_division
        found = pd.read_csv(io.StringIO(run(*line, *more).out), index_col=0)
        assert list(found.index) == list("abcd")
        assert found.loc["a"].iloc[:5].tolist() == [0] * 5
        for title, params in (
            ("average precision", {"zero_division": zero_division}),
            ("precision@10", {}),
            ("R-precision", {"zero_division": zero_division}),
        ):
            name = title.lower().replace(" ", "_").replace("-", "_")
            expected = [*score_by_query(name, **arrays, **params).values()]
            np.testing.assert_allclose(found[f"{title}, weighted by w"], expected)

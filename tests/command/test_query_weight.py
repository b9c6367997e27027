"""Weights of queries: means by them, and queries whose rows all weigh 0, in calls of
several subpackages; `tests/core/test_query_weight.py` has the others.
"""

import io

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.metrics import label_ranking_average_precision_score
from sklearn.model_selection import GroupKFold, cross_validate

from scoring import IGNORED, LOGISTIC, QUERY, X, Y
from shell import COLUMNS, json_of, run
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

pytestmark = pytest.mark.filterwarnings(*IGNORED)


def test_single_queries_have_no_mean_to_weigh():
    with pytest.raises(ValueError, match=r"^query_weight requires a mean over queries"):
        score_by_query("average_precision", **ROWS, query_weight=WEIGHTS)


def test_estimates_are_those_of_a_weighted_mean():
    """Each query does w (x - mean) to the mean, with w as its share of all weights."""
    rng = np.random.default_rng(0)
    query = np.repeat(np.arange(40), 5)
    y_true, scores, other = (
        np.tile([1, 0, 0, 1, 0], 40),
        rng.random(200),
        rng.random(200),
    )
    weights = dict(enumerate(rng.integers(1, 5, 40).tolist()))
    values, others = (
        np.array(
            list(
                score_by_query(
                    "average_precision", y_true, one, query_id=query
                ).values()
            )
        )
        for one in (scores, other)
    )
    share = np.array(list(weights.values())) / sum(weights.values())
    arguments = {"query_id": query, "query_weight": weights}
    estimate = estimate_score("average_precision", y_true, scores, **arguments)
    assert estimate.score == close(values @ share)
    influences = share * (values - values @ share)
    # As for 'weighted' means: a sum of squares over n - 1 units, of as many equal ones.
    n_units = 1 / np.sum(share**2)
    expected = np.sqrt(np.sum(influences**2) * n_units / (n_units - 1))
    assert estimate.standard_error == pytest.approx(expected)
    comparison = compare_scores("average_precision", y_true, scores, other, **arguments)
    assert comparison.difference == close((values - others) @ share)


@pytest.mark.parametrize("kind", [dict, pd.Series, "rows"])
def test_scorers_weigh_queries(kind):
    """A mapping is stated once for all folds; one weight per row is routed, and cut to
    the fold.
    """
    weights = {query: 1.0 + query // 5 for query in np.unique(QUERY).tolist()}
    params = {"groups": QUERY}
    scorer = make_scorer("average_precision", query_id="groups")
    if kind == "rows":
        params["query_weight"] = np.array([weights[query] for query in QUERY.tolist()])
    else:
        scorer = make_scorer(
            "average_precision", query_id="groups", query_weight=kind(weights)
        )
    with sklearn.config_context(enable_metadata_routing=True):
        if kind == "rows":
            scorer.set_score_request(query_weight=True)
        options = {
            "scoring": scorer,
            "params": params,
            "return_estimator": True,
            "return_indices": True,
        }
        results = cross_validate(LOGISTIC, X, Y, cv=GroupKFold(3), **options)
    found, pooled = results["test_score"], np.empty(len(Y))
    expected = []
    for train, test in GroupKFold(3).split(X, Y, QUERY):
        pooled[test] = scores = (
            clone(LOGISTIC).fit(X[train], Y[train]).decision_function(X[test])
        )
        of_fold = {query: weights[query] for query in QUERY[test].tolist()}
        rows = {"query_id": QUERY[test], "query_weight": of_fold, "zero_division": 0.0}
        expected.append(average_precision_score(Y[test], scores, **rows))
    assert found.tolist() == expected
    rows = {
        "query_id": QUERY,
        "query_weight": params.get("query_weight", weights),
        "zero_division": 0.0,
    }
    estimate = estimate_cv_results("average_precision", results, X, Y, **rows)
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
    assert value == pytest.approx(
        0.5833 if name.startswith("CatBoost") else 0.7083, abs=5e-5
    )
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
        values = average_precision_score(
            **rows, average=None, zero_division=zero_division
        )
        np.testing.assert_array_equal(values, [zero_division, VALUES["b"]])
        by_query = score_by_query(
            "average_precision", **rows, zero_division=zero_division
        )
        assert list(by_query) == ["a", "b"]
        np.testing.assert_array_equal([*by_query.values()], values)
    chance = chance_level(Y_TRUE, query_id=QUERIES, sample_weight=rows["sample_weight"])
    assert np.isnan(chance.mean).tolist() == [True, False]
    for score in (chance.pvalue(values), chance.normalize(values)):
        assert np.isnan(score).tolist() == [True, False]
    assert str(chance).endswith("(1 rankings)")
    assert average_precision_score(**rows) == VALUES["b"]
    for name in ("average precision", "trec_eval map"):  # with weights, and without
        assert len(score_as(name, **rows, average=None)) == 2


@pytest.mark.parametrize("memory_limit", ["1GB", 1])
def test_the_budget_of_a_query_without_weight_is_zero_and_no_unit(memory_limit):
    rows = pd.DataFrame(
        {
            "label": [1, 1, 0, 1, 1, 0],
            "score": range(6),
            "query": list("aabbcc"),
            "weight": [0, 0, 1, 1, 1, 1],
        }
    )
    kept = rows[rows["weight"] > 0]
    columns = {"k": 1, "query_id": "query", "memory_limit": memory_limit}
    totals = budget_totals(rows, sample_weight="weight", **columns)
    expected = budget_totals(kept, sample_weight="weight", **columns)
    assert totals.by_query["query"].tolist() == ["a", "b", "c"]
    for name, column in expected.by_query.items():
        assert totals.by_query[name].tolist()[1:] == column.tolist()
    assert not any(
        totals.by_query[name][0] for name in expected.by_query if name != "query"
    )
    assert totals.share_of_weight.n_units == 2
    assert str(totals.share_of_weight) == str(expected.share_of_weight)


@pytest.mark.parametrize("limit", ["1GB", "1"])
def test_the_command_keeps_the_place_of_a_query_without_weight(limit, tmp_path):
    """In memory and beyond, its scores are those of `score_by_query`; the mean and its
    words leave it out.
    """
    frame = pd.DataFrame(
        {
            "label": [1, 0, 1, 0, 0, 1, 0, 0],
            "score": [3, 2, 3, 2, 4, 3, 5, 1],
            "q": list("aabbccdd"),
            "w": [0, 0, 1, 1, 1, 2, 1, 1],
        }
    )
    path = tmp_path / "rows.csv"
    frame.to_csv(path, index=False)
    line = [path, *COLUMNS, "--sample-weight", "w", "--query-id", "q"]
    line += ["--memory-limit", limit]
    words = "not counting 2 rows whose w is 0, all rows of 1 query."
    said = run(*line).words
    assert words in said
    assert "counted as 0: 1 of 3 queries, d. Left out, MAP over the 2 other" in said
    arrays = {
        "y_true": frame["label"],
        "y_score": frame["score"],
        "sample_weight": frame["w"],
        "query_id": frame["q"],
    }
    counts = report(**arrays).answer["counts"]
    assert counts == json_of(*line)["counts"] | {"weight_name": "weight"}
    for zero_division in (0, 1, np.nan):
        table = run(
            *line, "--by-query", "--format", "csv", "--zero-division", zero_division
        ).out
        found = pd.read_csv(io.StringIO(table), index_col=0)
        assert list(found.index) == list("abcd")
        assert found.loc["a"].iloc[:5].tolist() == [0] * 5
        for title, name in (
            ("average precision", "average_precision"),
            ("precision@10", "precision@10"),
            ("R-precision", "r_precision"),
        ):
            params = {"zero_division": zero_division} if "@" not in name else {}
            expected = score_by_query(name, **arrays, **params)
            values = found[f"{title}, weighted by w"]
            np.testing.assert_allclose(values, list(expected.values()))

"""Scores per query of two models, paired by id, against scipy's paired test and against all sign flips."""

from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from sklearn_ap import average_precision_score, compare_by_query, compare_scores, score_by_query
from uncertainty_oracle import drawn

few = pytest.mark.filterwarnings("ignore:The sample has only")
AP = average_precision_score
NAN = float("nan")


def of_queries(n=30, seed=0):
    """Two mappings with the same ids, in different orders."""
    rng = np.random.default_rng(seed)
    first, second = rng.random((2, n)).tolist()
    ids = [f"q{i}" for i in range(n)]
    order = rng.permutation(n).tolist()
    return dict(zip(ids, first, strict=True)), {ids[i]: second[i] for i in order}


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_pairs_by_id_as_scipy_compares_them(alternative):
    first, second = of_queries()
    found = compare_by_query(first, second, alternative=alternative)
    theirs = ttest_rel(list(first.values()), [second[one] for one in first], alternative=alternative)
    assert found.statistic == pytest.approx(theirs.statistic, rel=1e-10, abs=0)
    assert found.pvalue == pytest.approx(theirs.pvalue, rel=1e-9, abs=0)
    assert (found.df, found.n_units, found.method) == (29, 30, "influence")
    assert found.scores == pytest.approx([np.mean(list(one.values())) for one in (first, second)])
    theirs = theirs.confidence_interval(0.9)
    np.testing.assert_allclose(found.confidence_interval(0.9), [theirs.low, theirs.high], rtol=1e-9)


@few
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_permutations_are_sign_flips_of_the_pairs(alternative):
    first, second = of_queries(8)
    found = compare_by_query(
        first, second, method="permutation", alternative=alternative, n_resamples=4_000, random_state=0
    )
    d = np.array([first[one] - second[one] for one in first]) / 8
    flipped = np.array([np.dot(signs, d) for signs in product((-1, 1), repeat=8)])
    far = {"two-sided": np.abs, "less": np.negative, "greater": np.positive}[alternative]
    exact = np.mean(far(flipped) >= far(d.sum()) - 1e-12)
    assert found.pvalue == pytest.approx(exact, abs=4 * np.sqrt(0.25 / 4_000))
    assert set(found.null_distribution.round(9)) <= set(flipped.round(9))


@pytest.mark.parametrize("method", ["auto", "percentile", "permutation"])
def test_says_what_the_rows_say(method):
    y_true, first = drawn(1, 240, 0.4)
    scores = {"a": first, "b": first + np.random.default_rng(0).random(240)}
    query, options = np.arange(240) % 20, {"method": method, "n_resamples": 400, "random_state": 0}
    of_rows = compare_scores(AP, y_true, *scores.values(), query_id=query, **options)
    found = compare_by_query(*score_by_query(AP, y_true, scores, query_id=query).values(), **options)
    for name in ("difference", "scores", "standard_error", "statistic", "pvalue"):
        assert getattr(found, name) == pytest.approx(getattr(of_rows, name), rel=1e-11, abs=1e-15)


def test_queries_that_one_model_lacks():
    first, second = of_queries(12)
    del first["q3"], second["q5"]
    filled = compare_by_query(first, second, missing=0.0)
    assert filled == compare_by_query(first | {"q3": 0.0}, second | {"q5": 0.0})
    assert filled.n_units == 12
    for name, one in (("scores_a", "'q3'"), ("scores_b", "'q5'")):
        other = {"scores_a": (first, second | {"q5": 0}), "scores_b": (first | {"q3": 0}, second)}[name]
        with pytest.raises(
            ValueError, match=rf"^{name} must have .*; 1 of 12 have none: {one}\. missing=0\.0"
        ):
            compare_by_query(*other)


def test_undefined_queries_are_left_out_in_pairs():
    first, second = of_queries(12)
    both = compare_by_query(first | {"q1": NAN}, second | {"q1": NAN})
    first.pop("q1")
    second.pop("q1")
    assert both == compare_by_query(first, second)
    with pytest.raises(ValueError, match=r"^scores_a must have .* 1 of 11 have none: 'q2'"):
        compare_by_query(first | {"q2": NAN}, second)


def test_a_refusal_names_few_queries():
    first, _ = of_queries(500)
    with pytest.raises(ValueError, match=r"493 of 500 have none: 'q7', 'q8', 'q9', 'q10', 'q11', \.\.\.\. m"):
        compare_by_query(first, {one: first[one] for one in list(first)[:7]})


def test_large_scores_do_not_overflow():
    first, second = of_queries()
    large = compare_by_query(
        *({query: score * 2.0**230 for query, score in one.items()} for one in (first, second))
    )
    assert (large.pvalue, large.difference) == (
        compare_by_query(first, second).pvalue,
        compare_by_query(first, second).difference * 2.0**230,
    )


def test_fractions_are_scores():
    first, second = of_queries(30)
    exact = {query: Fraction(score) for query, score in first.items()}
    assert compare_by_query(exact, second) == compare_by_query(first, second)


@pytest.mark.parametrize(
    ("scores", "options", "match"),
    [
        ([0.5, 0.6], {}, r"^scores_a must map queries to scores, .*; got list"),
        ({"q": "high"}, {}, r"^scores_a\['q'\] must be a number from -1e70 to 1e70, or NaN; got 'high'"),
        ({"q": np.inf}, {}, r"^scores_a\['q'\] must be a number from -1e70 to 1e70, or NaN; got inf"),
        ({"q": 1e308}, {}, r"^scores_a\['q'\] must be a number from -1e70 to 1e70, or NaN; got 1e\+308"),
        ({"q": pd.NA}, {}, r"^scores_a\['q'\] must be a number from -1e70 to 1e70, or NaN; got <NA>"),
        ({"q": 10**400}, {}, r"^scores_a\['q'\] must be .*; got 10{17}\.\.\.0{19}\.$"),
        ({"q": np.arange(900.0)}, {}, r"^scores_a\['q'\] must be .{,60}; got array.{,60}$"),
        ({}, {}, r"^scores_a and scores_b must hold a query with a score; got none"),
        ({"q": 1.0}, {"missing": "0"}, r"^missing must be None or a number from -1e70 to 1e70, .*; got '0'"),
        ({"q": 1.0}, {"missing": 1e71}, r"^missing must be None or a number from .*; got 1e\+71"),
        ({"q": 1.0}, {"missing": NAN}, r"^missing must be None or a number from -1e70 to 1e70, .*; got nan"),
        ({"q": 1.0}, {"method": "bca"}, r"^method must be one of .*'bca'"),
    ],
)
def test_wrong_scores_are_named(scores, options, match):
    with pytest.raises(ValueError, match=match):
        compare_by_query(scores, scores, **options)


@pytest.mark.filterwarnings("ignore:The sample has only")
def test_one_query_does_not_tell():
    found = compare_by_query({"q": 1.0}, {"q": 0.5})
    assert found.difference == 0.5
    assert np.isnan(found.pvalue)

"""Tests of `compare_by_query`: scores are matched by the ids of queries, and the test of
their differences is that of scipy.
"""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from sklearn_ap import (
    compare_by_query,
)


def test_scores_of_the_same_queries_in_other_forms():
    rng, ids = np.random.default_rng(0), [f"q{i}" for i in range(30)]
    first, second = (
        dict(zip(rng.permutation(ids).tolist(), rng.random(30).tolist(), strict=True))
        for _ in range(2)
    )
    wanted = compare_by_query(first, second)
    # A query that is undefined for both models.
    undefined = {"q99": float("nan")}
    incomplete = {query: first[query] for query in ids if query != "q3"}
    # The bounds of scores overflowed in this case.
    singles = {query: np.float32(score) for query, score in first.items()}
    for a, b, missing in (
        (pd.Series(first), second, None),
        (first | undefined, second | undefined, None),
        (incomplete, second, first["q3"]),
        (singles, second, None),
    ):
        found = compare_by_query(a, b, missing=missing)
        back = compare_by_query(b, a, missing=missing)
        for sign, result in ((1, found), (-1, back)):
            numbers = sign * result.difference, result.pvalue, result.n_units
            assert numbers == pytest.approx((wanted.difference, wanted.pvalue, 30))


@pytest.mark.parametrize("shift", [-0.1, 0.0, 0.1])
def test_pairs_are_tested_as_scipy_tests_their_differences(shift):
    rng = np.random.default_rng(0)
    first, second = rng.random(40), rng.random(40) + shift
    both = dict(enumerate(first)), dict(reversed([*enumerate(second)]))
    found = compare_by_query(*both)
    assert (found.df, found.n_units) == (39, 40)
    wanted = ttest_1samp(first - second, 0)
    assert found.scores == pytest.approx((first.mean(), second.mean()))
    assert found.statistic == pytest.approx(wanted.statistic, rel=1e-10, abs=0)
    assert found.pvalue == pytest.approx(wanted.pvalue, rel=1e-8, abs=0)
    for confidence_level in (0.9, 0.95):
        theirs = wanted.confidence_interval(confidence_level)
        np.testing.assert_allclose(
            found.confidence_interval(confidence_level),
            [theirs.low, theirs.high],
            rtol=1e-9,
        )


def test_models_that_agree_on_every_query_have_the_statistic_0():
    scores = dict(zip("abc", (0.25, 0.5, 1.0), strict=True))
    found = compare_by_query(scores, scores)
    assert (found.difference, found.statistic, found.pvalue) == (0, 0, 1)
    assert (found.standard_error, found.df) == (0, 2)


@pytest.mark.parametrize("difference", [0.25, -0.25])
def test_queries_with_the_same_difference_have_no_pvalue(difference):
    """Their variation is unknown. A p-value of 0 would claim certainty."""
    second = dict(zip("abc", (0.25, 0.5, 0.5), strict=True))
    first = {query: score + difference for query, score in second.items()}
    with pytest.warns(UserWarning, match=rf"same difference of {difference}, so"):
        found = compare_by_query(first, second)
    assert found.statistic == np.copysign(np.inf, difference)
    assert np.isnan(found.pvalue)
    assert found.df == 2

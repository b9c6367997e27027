"""The level of chance of many rankings at once: alone, as the mean of a group, and in little memory."""

import math
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import digamma

from orders import values_of
from sklearn_ap import ChanceLevel, average_precision_score, chance_level

QUERIES = {  # labels and scores of each query, some of them tied
    "a": ([1, 0, 0, 1, 0], [5, 4, 3, 2, 1]),
    "b": ([1, 0, 0], [1, 1, 0]),
    "c": ([0, 0, 1, 1, 0], [1, 2, 3, 4, 5]),
    "d": ([1, 1], [1, 2]),
    "e": ([1, 0, 0, 0, 1, 1, 0, 0], [4, 4, 4, 3, 3, 2, 1, 1]),
}


def of_queries(part):
    return np.concatenate([of[part] for of in QUERIES.values()])


QUERY_ID = np.repeat(list(QUERIES), [len(of[0]) for of in QUERIES.values()])


@pytest.mark.parametrize("has_scores", [False, True])
def test_each_query_has_the_level_that_it_has_alone(has_scores):
    order = np.random.default_rng(0).permutation(QUERY_ID.size)
    y_true, y_score, query_id = of_queries(0)[order], of_queries(1)[order], QUERY_ID[order]
    together = chance_level(y_true, y_score if has_scores else None, query_id=query_id)
    alone = [chance_level(labels, scores if has_scores else None) for labels, scores in QUERIES.values()]
    for name in ("mean", "standard_deviation", "minimum", "n_positives", "n_samples"):
        assert getattr(together, name).tolist() == [getattr(one, name) for one in alone], name
    score = average_precision_score(y_true, y_score, query_id=query_id, average=None)
    expected = [
        one.pvalue(of, n_resamples=99, random_state=0) for one, of in zip(alone, score.tolist(), strict=True)
    ]
    assert together.pvalue(score, n_resamples=99, random_state=0).tolist() == expected
    with pytest.warns(UserWarning, match="positives only"):
        assert together.normalize(score)[[0, 3]] == pytest.approx(
            [alone[0].normalize(score[0]), np.nan], nan_ok=True
        )
    if not has_scores:
        assert together == ChanceLevel.from_counts([2, 1, 2, 2, 3], [5, 3, 5, 2, 8])


@pytest.mark.parametrize("has_scores", [False, True])
@pytest.mark.parametrize("names", [["a", "c"], ["a", "b", "d"], ["a", "c", "e"]], ids="".join)
def test_pvalue_of_a_group_counts_all_combinations_of_orders(names, has_scores):
    """In fractions; queries of the same size are drawn independently."""
    means = [Fraction(0)]
    for name in names:
        labels, scores = QUERIES[name]
        sizes = (
            np.unique(-np.array(scores), return_counts=True)[1].tolist() if has_scores else [1] * len(scores)
        )
        values = values_of(sizes, sum(labels))
        means = [mean + value / len(names) for mean in means for value in values]
    rows = np.isin(QUERY_ID, names)
    chance = chance_level(
        of_queries(0)[rows], of_queries(1)[rows] if has_scores else None, query_id=QUERY_ID[rows]
    )
    for level in (chance.mean, (chance.mean + 1) / 2, (2 * chance.mean + chance.minimum) / 3):
        exact = np.mean([value >= Fraction(level.mean()) for value in means])
        found = chance.pvalue(level, n_resamples=20_000, random_state=1, group_id=["all"] * len(names))
        assert found.shape == (1,)
        assert found[0] == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 20_000) + 1e-4)


def test_draws_are_not_held_in_memory():
    chance = ChanceLevel.from_counts([3, 4, 5], [300, 400, 500])
    tracemalloc.start()
    try:
        chance.pvalue(
            chance.mean, n_resamples=2_000_000, random_state=0
        )  # as doubles, one null distribution takes 16 MB
        assert tracemalloc.get_traced_memory()[1] < 12e6
    finally:
        tracemalloc.stop()


def test_rows_that_are_only_counted_take_no_memory():
    positives, rows = 2 * 10**7, 3 * 10**7
    tracemalloc.start()
    try:
        chance = ChanceLevel.from_counts(positives, rows)
        assert tracemalloc.get_traced_memory()[1] < 50e6
    finally:
        tracemalloc.stop()
    negatives = rows - positives
    below = digamma(rows + 1) - digamma(negatives + 1)  # the sum of 1 / rank over the last ranks
    assert chance.minimum == pytest.approx(1 - negatives / positives * below, rel=1e-12)
    most = ChanceLevel.from_counts(np.uint64(5), np.uint64(2**64 - 1))
    assert most.minimum == pytest.approx(3 / 2**64, rel=1e-12)
    assert most.mean == pytest.approx((np.log(2.0**64) + np.euler_gamma + 4) / 2**64, rel=1e-12)


@pytest.mark.parametrize(
    ("score", "group_id", "said"),
    [
        ([0.5], None, r"^score must be one score for each of 2 rankings; got shape \(1,\)\.$"),
        (0.5, None, r"^score must be one score for each of 2 rankings; got shape \(\)\.$"),
        ([0.5, 2.0], None, r"^score must be a step average precision"),
        ([0.5, 0.5], ["x"], r"^group_id must be one id for each of 2 samples; got shape \(1,\)\.$"),
        ([0.5, 0.5], ["x", None], r"^group_id .* missing"),
    ],
)
def test_refused_scores_and_groups(score, group_id, said):
    with pytest.raises(ValueError, match=said):
        ChanceLevel.from_counts([1, 2], 5).pvalue(score, n_resamples=9, random_state=0, group_id=group_id)


def test_queries_without_positives_are_refused():
    with pytest.raises(ValueError, match=r"the label 1, in each ranking; got 2 of 3 without one\."):
        chance_level([1, 0, 0, 0], query_id=[1, 1, 2, 3])
    with pytest.raises(ValueError, match=r"^group_id needs several rankings; got one\. Pass query_id"):
        chance_level([1, 0]).pvalue(0.5, group_id=[1])

"""The level of chance of many rankings at once: alone, as the mean of a group, and in little memory."""

import math
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest

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


def test_queries_without_positives_are_refused():
    with pytest.raises(ValueError, match=r"the label 1, in each ranking; got 2 of 3 without one\."):
        chance_level([1, 0, 0, 0], query_id=[1, 1, 2, 3])
    with pytest.raises(ValueError, match=r"^group_id needs several rankings; got one\. Pass query_id"):
        chance_level([1, 0]).pvalue(0.5, group_id=[1])

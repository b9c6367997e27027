"""The level of chance: all orders in exact fractions, queries, and every refusal."""

import itertools
import math

import numpy as np
import pytest

from oracles import scores as oracle
from sklearn_ap import chance_level


def labels_of(n_positives, n):
    return [1] * n_positives + [0] * (n - n_positives)


def patterns(n):
    """All ways to tie n rows, best group first: the sizes of the groups."""
    for cuts in itertools.product([False, True], repeat=n - 1):
        ends = [row for row, cut in enumerate(cuts, start=1) if cut] + [n]
        yield [end - start for start, end in itertools.pairwise([0, *ends])]


def scores_of(sizes):
    return [-group for group, size in enumerate(sizes) for _ in range(size)]


def mean_of(sizes, n_positives):
    """The mean average precision of all orders, in fractions."""
    n, y_score = sum(sizes), scores_of(sizes)
    values = [
        oracle.step(oracle.ranking([row in rows for row in range(n)], y_score))
        for rows in itertools.combinations(range(n), n_positives)
    ]
    return sum(values) / len(values)


# --- the mean -------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(1, 8))
def test_level_is_the_mean_of_all_orders(n):
    for sizes, n_positives in itertools.product(patterns(n), range(1, n + 1)):
        labels = labels_of(n_positives, n)
        mean = float(mean_of(sizes, n_positives))
        chance = chance_level(labels, scores_of(sizes))
        assert chance == pytest.approx(mean, rel=1e-14, abs=0)
        if len(sizes) == n:
            assert chance_level(labels) == chance


def test_a_million_rows_in_closed_form():
    n = 1_000_000
    # of one positive, whose average precision is one over its rank
    mean = math.fsum(1 / np.arange(1.0, n + 1)) / n
    assert chance_level(labels_of(1, n)) == pytest.approx(mean, rel=1e-13, abs=0)


# --- refusals -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ([0, 0],),
            r"^y_true must contain a positive, the label 1, in each ranking; got 1 of 1 ",
        ),
        (
            ([0, 1], [1, 2], [1, 0]),
            r"^y_true must contain a positive, the label 1, in each ranking; got 1 of 1 ",
        ),
        (
            ([0, 1, 2],),
            r"^y_true must be binary, .*; got multiclass labels\. Pass one column",
        ),
        (
            ([[0, 1], [1, 0]],),
            r"^y_true must be binary, .*; got multilabel-indicator labels\.",
        ),
        (([1, np.nan],), "y_true contains NaN"),
        (
            ([1, 0, 0], None, [1, 2, 2]),
            r"^sample_weight must be equal .*; got weights from 1.0 to 2.0\. Score shuffled",
        ),
    ],
)
def test_refused_rows(arguments, said):
    y_true, y_score, sample_weight = (*arguments, None, None)[:3]
    with pytest.raises(ValueError, match=said):
        chance_level(y_true, y_score, sample_weight=sample_weight)


def test_queries_without_positives_are_refused():
    with pytest.raises(
        ValueError, match=r"the label 1, in each ranking; got 2 of 3 without one\."
    ):
        chance_level([1, 0, 0, 0], query_id=[1, 1, 2, 3])


# --- many rankings at once ------------------------------------------------------------


@pytest.mark.parametrize("has_scores", [False, True])
def test_each_query_has_the_level_that_it_has_alone(has_scores):
    rng = np.random.default_rng(0)
    query = rng.permutation(np.repeat([*"abcde"], [5, 3, 6, 2, 8]))
    y_true, y_score = rng.random(24) < 0.5, rng.integers(0, 4, 24)
    y_true[np.unique(query, return_index=True)[1]] = True
    scores = y_score if has_scores else None
    alone = [
        chance_level(y_true[rows], scores[rows] if has_scores else None)
        for rows in (query == name for name in "abcde")
    ]
    assert chance_level(y_true, scores, query_id=query).tolist() == alone

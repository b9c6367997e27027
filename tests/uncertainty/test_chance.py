"""The level of chance: all orders in exact fractions, queries, and every refusal."""

import itertools
import math
from functools import partial

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


def mean_of(sizes, n_positives, score):
    """The mean of a score over all orders, in fractions."""
    n, y_score = sum(sizes), scores_of(sizes)
    values = [
        score(oracle.ranking([row in rows for row in range(n)], y_score))
        for rows in itertools.combinations(range(n), n_positives)
    ]
    return sum(values) / len(values)


# --- the mean -------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(1, 8))
def test_level_is_the_mean_of_all_orders(n):
    for sizes, n_positives in itertools.product(patterns(n), range(1, n + 1)):
        labels = labels_of(n_positives, n)
        mean = float(mean_of(sizes, n_positives, oracle.step))
        chance = chance_level(labels, scores_of(sizes))
        assert chance == pytest.approx(mean, rel=1e-14, abs=0)
        if len(sizes) == n:
            assert chance_level(labels) == chance


def test_a_million_rows_in_closed_form():
    n = 1_000_000
    # of one positive, whose average precision is one over its rank
    mean = math.fsum(1 / np.arange(1.0, n + 1)) / n
    assert chance_level(labels_of(1, n)) == pytest.approx(mean, rel=1e-13, abs=0)


@pytest.mark.parametrize("k", [1, 3])
def test_precision_at_k_is_by_chance_the_share_of_positives(k):
    score = partial(oracle.precision_at_k, k=k, ties="expected")
    for sizes, n_positives in itertools.product(patterns(5), range(1, 6)):
        assert mean_of(sizes, n_positives, score) * 5 == n_positives


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
        (([0.5, 1.5],), r"^y_true must be binary, .*; got continuous labels\."),
        (([1, np.nan],), "y_true contains NaN"),
        (([],), "^y_true is empty"),
        ((["a", "b"],), r"^pos_label=1 is not a valid label"),
        (
            ([1, 0, 0], None, [1, 2, 2]),
            r"^sample_weight must be equal .*; got weights from 1.0 to 2.0\. Score shuffled",
        ),
        (([1, 0], None, [1, -1]), r"^sample_weight must not be negative"),
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
    y_true, y_score, query_id = (
        of_queries(0)[order],
        of_queries(1)[order],
        QUERY_ID[order],
    )
    together = chance_level(y_true, y_score if has_scores else None, query_id=query_id)
    alone = [
        chance_level(labels, scores if has_scores else None)
        for labels, scores in QUERIES.values()
    ]
    assert together.tolist() == alone

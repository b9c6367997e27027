"""All orders of a few rows: their average precision in fractions, and draws of them."""

import itertools

import numpy as np

import oracle
from sklearn_ap._uncertainty._random_rankings import Orders

# By counts of tied groups, and by ranks.
DRAWN = [
    ([6, 6], 10),
    ([2, 10], 10),
    ([1] * 17, 2),
    ([3, 1, 1, 2, 5, 6], 2),
    ([1] * 10, 1),
    ([1] * 8, 3),
    ([1] * 7, 5),
    ([2, 1, 1, 3], 3),
]


def patterns(n):
    """All ways to tie n rows, best group first: the sizes of the groups."""
    for cuts in itertools.product([False, True], repeat=n - 1):
        ends = [row for row, cut in enumerate(cuts, start=1) if cut] + [n]
        yield [end - start for start, end in itertools.pairwise([0, *ends])]


def scores_of(sizes):
    return [-group for group, size in enumerate(sizes) for _ in range(size)]


def values_of(sizes, n_positives):
    """Average precision of each order, in fractions."""
    n, y_score = sum(sizes), scores_of(sizes)
    return [
        oracle.step(oracle.ranking([row in rows for row in range(n)], y_score))
        for rows in itertools.combinations(range(n), n_positives)
    ]


def drawn_scores(n_positives, n, ends, n_draws, seed):
    return Orders(n_positives, n, ends).scores(n_draws, np.random.default_rng(seed))


def labels_of(n_positives, n):
    return [1] * n_positives + [0] * (n - n_positives)

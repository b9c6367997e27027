"""All orders of a few rows, and their average precision in fractions."""

import itertools

from oracles import scores as oracle


def patterns(n):
    """All ways to tie n rows, best group first: the sizes of the groups."""
    for cuts in itertools.product([False, True], repeat=n - 1):
        ends = [row for row, cut in enumerate(cuts, start=1) if cut] + [n]
        yield [end - start for start, end in itertools.pairwise([0, *ends])]


def scores_of(sizes):
    return [-group for group, size in enumerate(sizes) for _ in range(size)]


def values_of(sizes, n_positives, score=oracle.step):
    """Average precision, or another score, of each order, in fractions."""
    n, y_score = sum(sizes), scores_of(sizes)
    return [
        score(oracle.ranking([row in rows for row in range(n)], y_score))
        for rows in itertools.combinations(range(n), n_positives)
    ]

"""Every score of every small ranking, with every value of its options. The rankings are
listed, so that no rule is tested by chance only.
"""

import math
from collections.abc import Iterator
from functools import partial
from itertools import chain, product
from typing import Any

import numpy as np
import pytest

from brief import IS_BRIEF, covering, every_third, one_in, pairs_of
from metrics import (
    ALL_SCORES,
    counts_weight,
    example_of,
    normalizers_of,
    options_of,
)
from oracles import scores as oracle
from problems import Measure, Problem, name_of, of_matrix, of_queries
from sklearn_ap._core.reading.options import RANKED_TIES, TIES

VALUES = {
    "interpolation": ["linear", "davis-goadrich"],
    "k": [1, 2, 3, 9, 0.6, None],
    "precision": [0.0, 1 / 3, 0.5, 2 / 3, 1.0],
    "recall": [0.0, 0.25, 1 / 3, 0.5, 2 / 3, 1.0],
    "recall_levels": [None, 2, 3, 4, 11, [0.5, 0.2, 1.0]],
    "ties": TIES,
}
Rows = tuple[tuple[int, ...], ...]  # labels, scores and weights


def rankings(*sizes: int) -> Iterator[Rows]:
    """Yield all labels of this number of rows, with all places at which tied groups may
    end.
    """
    for size in sizes:
        for labels in product((0, 1), repeat=size):
            for ends in product((0, 1), repeat=size - 1):
                scores = tuple(sum(ends[place:]) for place in range(size))
                yield labels, scores, (1,) * size


def measures_of(score: Any) -> Iterator[Measure]:
    """Return the score with all values of its options that can be combined."""
    values = {
        name: VALUES.get(name, [example_of(name, score)[0]])
        for name in options_of(score)
    }
    if "normalizer" in values:
        values["normalizer"] = normalizers_of(score)
    if "ties" in values and not counts_weight(score):
        values["ties"] = RANKED_TIES
    define = getattr(oracle, name_of(score))
    for row in product(*values.values()):
        options = dict(zip(values, row, strict=True))
        if (options.get("ties"), options.get("normalizer")) != ("expected", "hits"):
            yield Measure(score, partial(define, **options), options)


def pairs_of_options(measure: Measure) -> set[Any]:
    return pairs_of(map(str, measure.options.values()))


MEASURES = {
    name_of(score): covering([*measures_of(score)], pairs_of_options)
    for score in ALL_SCORES
}
each_score = pytest.mark.parametrize("measures", MEASURES.values(), ids=MEASURES)
SHORT = list(rankings(1, 2, 3))
ALL = [*SHORT, *every_third(rankings(4))]
UNEQUAL = [
    (*rows, weights)
    for *rows, ones in SHORT
    for weights in product((1, 2), repeat=len(ones))
    if len(set(weights)) > 1
]


def alone(rows: Rows) -> Problem:
    labels, scores, weights = map(np.array, rows)
    arguments = {} if {*weights} == {1} else {"sample_weight": weights}
    return Problem(labels, scores, arguments, [oracle.ranking(*rows)])


def together(listed: list[Rows], average: str | None = None, missed=None) -> Problem:
    """Return the rankings as queries. `missed` is the number of missed positives of
    each.
    """
    labels, scores, weights = (
        [*chain(*column)] for column in zip(*listed, strict=True)
    )
    query = [name for name, rows in enumerate(listed) for _ in rows[0]]
    stated = None
    if missed is not None:
        found = (oracle.ranking(*rows).found for rows in listed)
        stated = {name: float(one + missed) for name, one in enumerate(found)}
    weight = None if {*weights} == {1} else weights
    return of_queries(labels, scores, weight, query, average, stated)


@each_score
def test_rankings(measures):
    # equal inside each query
    equal = [(*rows, (2 + n % 2,) * len(ones)) for n, (*rows, ones) in enumerate(SHORT)]
    listed = [together(rows) for rows in (ALL, equal, UNEQUAL)]
    totals = [together(rows, missed=2) for rows in (SHORT, UNEQUAL[::3])]
    single = [alone(rows) for rows in (*SHORT, *UNEQUAL[::9])]
    for place, measure in enumerate(measures):
        problems = [*listed, *totals * measure.takes("n_positives"), *single]
        if IS_BRIEF and len(measures) > 3:
            problems = problems[place % 3 :: 3]
        for problem in problems:
            measure.check(problem)


each_mean = pytest.mark.parametrize("zero_division", [0.0, 1.0, math.nan])
[AVERAGE_PRECISION] = MEASURES["average_precision"]


@each_mean
def test_means_of_two_queries(zero_division):
    for average in ("macro", "micro", "weighted"):
        for pair in product(rankings(1, 2), repeat=2):
            AVERAGE_PRECISION.check(together([*pair], average), zero_division)


@each_mean
def test_means_of_two_columns(zero_division):
    tables = [np.reshape(cells, (2, 2)) for cells in product((0, 1), repeat=4)]
    cases = one_in(9, product(tables, tables, (None, [1, 2])))
    for average in ("macro", "micro", "weighted", "samples", None):
        for labels, scores, weight in cases:
            problem = of_matrix(labels, labels == 1, scores, weight, average)
            AVERAGE_PRECISION.check(problem, zero_division)

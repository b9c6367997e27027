"""Every score of every small ranking, with every value of its options. The rankings are
listed, so that no rule is tested by chance only.
"""

from collections.abc import Iterator
from itertools import chain, product
from typing import Any

import pytest

from brief import covering, one_in, pairs_of
from metrics import ALL_SCORES, counts_weight, example_of, normalizers_of, options_of
from oracles import scores as oracle
from problems import Measure, Problem, measure_of, name_of, of_queries
from sklearn_ap._core.reading.options import RANKED_TIES, TIES

VALUES = {
    "interpolation": ["linear", "davis-goadrich"],
    "k": [1, 2, 3, 9, 0.6, None],
    "precision": [0.0, 1 / 3, 0.5, 2 / 3, 1.0],
    "recall": [0.0, 0.25, 1 / 3, 0.5, 2 / 3, 1.0],
    "recall_levels": [None, 2, 3, 4, 11, [0.5, 0.2, 1.0]],
    "ties": TIES,
}


def measures_of(score: Any) -> Iterator[Measure]:
    """Yield the score with all values of its options that can be combined."""
    own = {"normalizer": normalizers_of(score)}
    if not counts_weight(score):
        own["ties"] = RANKED_TIES
    values = [
        (VALUES | own).get(name, [example_of(name, score)[0]])
        for name in options_of(score)
    ]
    for row in product(*values):
        options = dict(zip(options_of(score), row, strict=True))
        if (options.get("ties"), options.get("normalizer")) != ("expected", "hits"):
            yield measure_of(score, options)


def queries(weights: tuple[int, ...], n_missed: int | None) -> Problem:
    """Return a call whose queries are all rankings of one to three rows: all labels,
    and tied groups that end at any rows. Of several weights, each third ranking is
    taken. Each query misses this number of positives.
    """
    listed = [
        (labels, [sum(ends[place:]) for place in range(size)], weight)
        for size in (1, 2, 3)
        for labels in product((0, 1), repeat=size)
        for ends in product((0, 1), repeat=size - 1)
        for weight in product(weights, repeat=size)
    ][:: 2 * len(weights) - 1]
    columns = [[*chain(*column)] for column in zip(*listed, strict=True)]
    query = [name for name, rows in enumerate(listed) for _ in rows[0]]
    totals = None
    if n_missed is not None:
        found = (oracle.ranking(*rows).found for rows in listed)
        totals = {name: float(one + n_missed) for name, one in enumerate(found)}
    return of_queries(*columns, query, None, totals)


# In brief, either all labels, or weights and missed positives.
@pytest.mark.parametrize(
    ("weights", "n_missed"), one_in(3, product([(1,), (1, 2)], [None, 2]))
)
@pytest.mark.parametrize("score", ALL_SCORES, ids=name_of)
def test_small_rankings(score, weights, n_missed):
    def choices(measure: Measure) -> set[Any]:
        return pairs_of(map(str, measure.options.values()))

    problem = queries(weights, n_missed)
    for measure in covering([*measures_of(score)], choices, is_brief=True):
        if n_missed is None or measure.takes("n_positives"):
            measure.check(problem)

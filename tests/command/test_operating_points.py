"""One threshold: that of the fewest rows in exact fractions, and what was asked first in
sentences, of the command too; `tests/decisions/test_operating_points.py`
has the others.
"""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from pandas import DataFrame

from oracles import scores as oracle
from shell import run
from sklearn_ap import operating_point
from tests.decisions.test_operating_points import (
    LEVELS,
    NO_POSITIVE,
    exactly,
    found_by,
    numbers_of,
    problems,
)


@pytest.mark.filterwarnings(NO_POSITIVE)
@settings(max_examples=60)
@given(problems(rounded=False), LEVELS)
def test_the_fewest_rows_that_reach_a_recall(problem, recall):
    y_true, y_score, arguments, _, low = problem
    ranking = oracle.ranking(y_true, y_score, *arguments.values())
    first = oracle.first_point(ranking, recall)
    asked = {"recall": recall, "prefer": "fewest"}
    point = found_by(y_true, y_score, arguments, asked, low)
    if first is None:
        assert str(point).startswith("recall must be at most ")
        return
    assert numbers_of(point) == exactly(ranking, first.threshold)


@pytest.mark.parametrize("weight", [None, 2.0])
def test_the_best_row_reaches_a_recall_of_0(weight):
    rng = np.random.default_rng(0)
    score = rng.normal(size=20_000)
    label = (rng.random(20_000) < 0.01) & (score < 2)
    weights = None if weight is None else np.full(score.size, weight)
    point = operating_point(
        label, score, recall=0.0, prefer="fewest", sample_weight=weights
    )
    assert (point.threshold, point.n_retrieved) == (score.max(), 1)


@pytest.mark.parametrize(
    ("asked", "begins"),
    [
        ({"recall": 0.6}, "recall 0.75 and precision 0.6"),
        ({"precision": 0.6}, "precision 0.6 and recall 0.75"),
        ({"specificity": 0.6}, "specificity 0.6667, precision 0.6 and recall 0.75"),
        ({"alarms": 3}, "2 false alarms, precision 0.6 and recall 0.75"),
        ({"beta": 1}, "F1 0.6667, precision 0.6 and recall 0.75"),
        ({"beta": 0.0}, "precision 1 and recall 0.25"),
        ({"beta": np.inf}, "recall 1 and precision 0.4"),
        ({"miss_cost": 2}, "a cost of 4 false alarms, precision 0.6 and recall 0.75"),
        ({"k": 5}, "precision 0.6 and recall 0.75"),
        ({"threshold": 6}, "precision 0.60, 95 % interval"),
    ],
    ids=str,
)
def test_what_was_asked_stands_first(asked, begins, saved):
    """In sentences and tables, and by the command."""
    y_true, y_score = [1, 0, 1, 0, 1, 0, 0, 0, 0, 1], np.arange(10.0, 0, -1)
    point = operating_point(y_true, y_score, **asked)
    words = " ".join(str(point).split())
    assert re.search(f" ha(ve|s):? {begins}", words)
    first = re.split(r" [\d.]", begins)[0]
    assert next(iter(point.table())) in (first, "precision")
    path = saved(DataFrame({"label": y_true, "score": y_score}))
    [(name, level)] = asked.items()
    if name != "beta":
        option = f"{name.replace('_', '-')}={level}"
        assert f" {option}: {words}" in run(path, "--threshold-at", option).words

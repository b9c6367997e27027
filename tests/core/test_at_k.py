"""The first k rows: defaults, a large tied group at the cut, and the names
of tie policies. `test_small_rankings` combines the options.
"""

import numpy as np
import pytest

from oracles import scores as oracle
from problems import name_of
from sklearn_ap import (
    average_precision_at_k_score,
    precision_at_k_score,
    recall_at_k_score,
)
from sklearn_ap._core.reading.options import RANKED_TIES
from sklearn_ap._core.registry import NUMBERS

DEFAULTS = {
    average_precision_at_k_score: {"normalizer": "min"},
    precision_at_k_score: {},
    recall_at_k_score: {"normalizer": "n_positives"},
}
# Three rows share the score at the cut, and nine positives are missed.
LABELS, SCORES = [*map(int, "1011010010010")], [*range(20, 11, -1), 5, 5, 5, 1]
N_POSITIVES = LABELS.count(1) + 9


@pytest.mark.parametrize(
    ("score", "defaults"), DEFAULTS.items(), ids=map(name_of, DEFAULTS)
)
def test_defaults_are_those_of_the_definition(score, defaults):
    """A cut has no default."""
    ranking = oracle.ranking(LABELS, SCORES, None, N_POSITIVES)
    define = getattr(oracle, name_of(score))
    expected = define(ranking, k=10, ties="proportional", **defaults)
    value = score(LABELS, SCORES, k=10, n_positives=N_POSITIVES)
    assert value == pytest.approx(float(expected), abs=1e-15)


def test_large_tied_group_at_the_cut():
    """Differences of digamma or log-gamma functions would have an error of 8e-10 here."""
    labels = np.zeros(200_000, dtype=int)
    labels[:60_000] = 1
    scores = np.repeat([3, 2, 1], [20_000, 160_000, 20_000])
    r, size, above, within = 40_000, 160_000, 20_000, 80_000
    i = np.arange(1, within + 1)
    terms = r / size * (above + 1 + (i - 1) * (r - 1) / (size - 1)) / (above + i)
    expected = (20_000 + np.sum(terms)) / 60_000
    value = average_precision_at_k_score(labels, scores, k=100_000, ties="expected")
    assert value == pytest.approx(expected, abs=1e-12)


def test_numbers_of_a_tie_policy_have_it():
    policies = {number.name: number.definition.ties for number in NUMBERS}
    for ties in RANKED_TIES:
        assert policies[f"AP@k, {ties} ties"] == ties


@pytest.mark.parametrize("average", ["macro", "samples"])
def test_rows_of_weight_0_take_no_place_of_a_vector(average):
    rows = {"y_true": [0, 1, 1], "y_score": [3, 2, 1], "sample_weight": [0, 1, 1]}
    assert average_precision_at_k_score(**rows, k=1, average=average) == 1

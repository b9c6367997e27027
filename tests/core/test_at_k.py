"""The first k rows: a large tied group at the cut, and the names of tie policies."""

import numpy as np
import pytest

from sklearn_ap import average_precision_at_k_score
from sklearn_ap._core.reading.options import RANKED_TIES
from sklearn_ap._core.registry import NUMBERS


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

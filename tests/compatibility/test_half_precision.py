"""No record sorts floats of 16 bits."""

from contextlib import suppress

import numpy as np
import pytest

from half_precision import half_scores, watched
from sklearn_ap.compatibility import CONVENTIONS, compare_conventions, score_as


@pytest.mark.parametrize("queries", [False, True])
def test_no_floats_of_16_bits_are_sorted(queries):
    labels, score = half_scores()
    query = np.arange(labels.size) % 7 if queries else None
    with watched():
        compare_conventions(labels, score, query_id=query)
        for name in CONVENTIONS:
            # Some records take one ranking, and others take queries.
            with suppress(ValueError):
                score_as(name, labels, score, query_id=query)

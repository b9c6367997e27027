"""A test that fails says what is wrong: the numbers, the score, its options and rows."""

from fractions import Fraction

import numpy as np
import pytest

import sklearn_ap
from oracles import scores as oracle
from problems import Measure, Problem


def test_a_law_that_fails_shows_its_numbers_and_its_call():
    score = sklearn_ap.precision_at_k_score
    measure = Measure(score, lambda _: Fraction(1, 4), {"k": 2})
    rows = Problem(
        np.array([1, 0]), [0.75, 0.125], {}, [oracle.ranking([1, 0], [2, 1])]
    )
    with pytest.raises(AssertionError) as caught:
        measure.check(rows)
    [note] = caught.value.__notes__
    assert "0.5 == 0.25" in str(caught.value)
    for part in ("precision_at_k", "{'k': 2}", "array([1, 0])", "[0.75, 0.125]"):
        assert part in note

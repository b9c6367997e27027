"""Errors of the core. Our texts begin with the argument and show the value. scikit-learn's
texts are kept, with at most one note, which names the argument and shows the rows or
values.
"""

from fractions import Fraction
from inspect import signature
from itertools import product

import numpy as np
import pytest

from metrics import CALLED
from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    interpolated_average_precision_score,
    precision_at_k_score,
    precision_at_recall_score,
    recall_at_k_score,
    recall_at_precision_score,
)
from sklearn_ap._core.advice import advised


def test_a_keyword_that_the_function_takes_has_no_advice():
    with pytest.raises(TypeError, match="y_true") as caught:
        advised(lambda y_true, *, k: (y_true, k))(k=1)
    assert not hasattr(caught.value, "__notes__")


# --- values that an option does not take ------------------------------------------------

AT_K = [average_precision_at_k_score, precision_at_k_score, recall_at_k_score]
NO_LEVELS = [-0.1, 1.1, np.nan, "0.5", None, True, [0.5]]
NO_SHARES = [0, 1.0, -0.1, 30, np.nan, np.inf, True, "0.1", [0.1], Fraction(1, 10**400)]
NO_CUTS = [0, -1, 1.5, 0.0, 2.0, True, "10", np.nan, [[3]], np.inf, 2**53]
NO_LISTS_OF_LEVELS = [
    *(True, 1, 2**53, 1.5, [], [[0.5]], [0.5, 1.1], [-0.1], [np.nan], "all", [None]),
    *({"a": 1}, [b"0.5"], np.array([0.5 + 1j]), np.array([0], dtype="M8[s]")),
]
OUTSIDE = [
    (
        [interpolated_average_precision_score],
        "recall_levels must be None, an integer from 2 ",
        NO_LISTS_OF_LEVELS,
    ),
    (
        [average_precision_score],
        r"zero_division must be 'warn', 0\.0, 1\.0 or nan",
        ["raise", 0.5, 2, None, [0], "nan", 1 + 0j],
    ),
    (AT_K, "k must be None, an integer >= 1", NO_CUTS),
    (
        [precision_at_recall_score],
        r"recall must be a number in \[0, 1\]",
        NO_LEVELS,
    ),
    (
        [recall_at_precision_score],
        r"precision must be a number in \[0, 1\]",
        NO_LEVELS,
    ),
    (
        [score for score in CALLED if "prevalence" in signature(score).parameters],
        "prevalence must be None or a share ",
        NO_SHARES,
    ),
]


@pytest.mark.parametrize(("scores", "text", "values"), OUTSIDE)
def test_values_outside_an_option(scores, text, values):
    for score, value in product(scores, values):
        with pytest.raises(ValueError, match=f"^{text}.*; got "):
            score([1, 0], [2, 1], **{text.split()[0]: value})

"""Tests of comparisons of two models on the same rows: warnings, errors and cases without
a p-value.
"""

from contextlib import nullcontext

import numpy as np
import pytest

from oracles.uncertainty import few, warns_of
from sklearn_ap import average_precision_score, compare_scores

AP = average_precision_score
MODELS = np.random.default_rng(0).normal(size=(2, 31))


def moved(n_positives, n_negatives):
    """Return 400 rows with 40 positives, and two models that differ in some rows."""
    y_true = np.arange(400) < 40
    first = np.random.default_rng(3).normal(size=400) + 3.0 * y_true
    second = first.copy()
    second[:n_positives] -= 3
    second[40 : 40 + n_negatives] += 3
    return y_true, first, second


@pytest.mark.parametrize("rows", [(4, 30), (1, 1), (0, 3), (5, 0), (0, 0), (40, 0)])
def test_models_that_differ_in_few_positives_warn(rows):
    message = rf"too few positives whose scores differ \({rows[0]}\) to"
    is_few = rows[0] < 5 and rows != (0, 0)
    with warns_of("few_positives", message) if is_few else nullcontext():
        compare_scores(AP, *moved(*rows))


@pytest.mark.parametrize("place", [0, 1])
def test_an_error_names_its_model(place):
    scores = [[4.0, 3.0, 2.0, 1.0], [4.0, 3.0, 1.0, 2.0]]
    scores[place][1] = np.nan
    with pytest.raises(ValueError, match=r"NaN\. y_score .* in row 1") as caught:
        compare_scores("average_precision", [1, 0, 1, 0], *scores)
    name = "ab"[place]
    assert caught.value.__notes__ == [f"The scores are those of y_score_{name}."]


@few
def test_a_difference_of_shares_is_within_1():
    found = compare_scores(AP, [1, 1, 0], [1, 2, 3], [3, 2, 1])
    assert found.confidence_interval() == (-1.0, 1.0)
    assert str(found).startswith("0.58 - 1.00 = -0.42, 95 % interval -1.00 to 1.00")


@few
@pytest.mark.parametrize(
    ("rows", "options"),
    [
        (([1] + [0] * 30, *MODELS), {}),
        # Low scores, and a single unit that contains a positive.
        (
            ([1, 1] + [0] * 29, *MODELS),
            {"unit_id": [0, 0, *range(1, 30)]},
        ),
        # No row has an influence on the first score. Its standard error of 0 was a divisor.
        (([0, 1, 0], [3, 2, 0], [3, 2, 3]), {"prevalence": 0.05}),
    ],
)
def test_one_positive_gives_no_pvalue(rows, options):
    """Python's `min(1.0, nan)` is 1.0, a p-value of models that agree on every unit."""
    with pytest.warns(UserWarning, match="p-value is NaN: there is a single unit"):
        found = compare_scores(AP, *rows, **options)
    assert np.isnan(found.pvalue)
    assert found.standard_error > 0

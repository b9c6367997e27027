"""Laws of intervals and differences that allow for one more positive, ranked last or
first, and for units whose rows are alike or not.
"""

import numpy as np
import pytest
from scipy.stats import t

from sklearn_ap import average_precision_score as AP
from sklearn_ap import compare_scores, estimate_score


def perfect(n_positives, n_negatives):
    y_true = np.repeat([1, 0], [n_positives, n_negatives])
    return y_true, -np.arange(y_true.size, dtype=float)


# --- perfect samples, and positives that are missing ----------------------------------


@pytest.mark.parametrize(
    ("score", "least"),
    [
        # The cut lies where the positives end, so that it may be below them in another
        # sample.
        ("precision@10", 0.3),
        ("recall@10", 0.24),
        ("recall@30", 0.66),
        ("average_precision@10", 0.2),
        ("average_precision", 0.5),
        ("interpolated_average_precision", 0.5),
    ],
)
def test_a_perfect_sample_is_wide(score, least):
    """Clopper and Pearson's interval of ten hits in ten rows begins at .69."""
    low, high = estimate_score(score, *perfect(10, 90)).confidence_interval()
    assert least < low < 0.7
    assert high == 1


def test_two_perfect_models_may_lose_one_more_positive():
    y_true, y_score = perfect(20, 30)
    found = compare_scores(AP, y_true, y_score, 2 * y_score)
    assert str(found) == (
        "1.000 against 1.000, difference 0.00, 95 % interval -0.06 to 0.06, p = 1.00 "
        "(two-sided; same rows; the two models agree on every unit of the sample)"
    )
    lost = 1 - AP(np.append(y_true, 1), np.append(y_score, -99.0))
    reach = t.ppf(0.975, 19) * lost
    assert found.confidence_interval() == pytest.approx((-reach, reach))


def test_one_pair_in_the_wrong_order_is_more_than_rounding():
    y_true, y_score = np.arange(20_000) < 10_000, -np.arange(20_000.0)
    y_score[9_999:10_001] = y_score[[10_000, 9_999]]
    found = estimate_score(AP, y_true, y_score)
    assert found.standard_error == pytest.approx(2**0.5 * (1 - found.score), rel=1e-3)

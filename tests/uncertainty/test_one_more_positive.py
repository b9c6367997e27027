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


# --- units ----------------------------------------------------------------------------


def test_each_unit_has_its_part_of_a_cut_of_k_rows():
    """If k is a number, a sample of more rows has a higher threshold, so the error
    differs from that of the same k as a share of the rows. Units of one size have the
    same number of rows in every sample.
    """
    rng = np.random.default_rng(0)
    for sizes, is_same in (([1, 4, 25], False), ([10], True)):
        n_rows = rng.choice(sizes, 40)
        unit = np.repeat(np.arange(40), n_rows)
        y_true = rng.random(unit.size) < 0.2
        y_score = rng.normal(size=unit.size) + y_true
        k = unit.size // 5
        by_number, by_share = (
            estimate_score(f"recall@{cut}", y_true, y_score, unit_id=unit)
            for cut in (k, k / unit.size)
        )
        assert by_number.score == by_share.score
        is_equal = by_number.standard_error == pytest.approx(by_share.standard_error)
        assert is_equal == is_same


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


def test_heavy_rows_and_units_make_the_interval_of_a_perfect_sample_longer():
    y_true, y_score = perfect(50, 80)

    def endpoints(**options):
        return estimate_score(AP, y_true, y_score, **options).confidence_interval()

    plain = endpoints()
    heavy = endpoints(sample_weight=np.where(y_true, 1, 99 * 50 / 80))
    assert heavy == pytest.approx(endpoints(prevalence=0.01), abs=1e-12)
    for wider in (heavy, endpoints(unit_id=np.arange(130) // 10)):
        assert wider.low < plain.low


def test_two_perfect_models_may_lose_one_more_positive():
    y_true, y_score = perfect(20, 30)
    found = compare_scores(AP, y_true, y_score, 2 * y_score)
    assert str(found) == (
        "1.00 - 1.00 = 0.00, 95 % interval -0.06 to 0.06, p = 1 (two-sided; same rows; "
        "the two models agree on every unit)"
    )
    lost = 1 - AP(np.append(y_true, 1), np.append(y_score, -99.0))
    reach = t.ppf(0.975, 19) * lost
    assert found.confidence_interval() == pytest.approx((-reach, reach))


def test_one_pair_in_the_wrong_order_is_more_than_rounding():
    y_true, y_score = np.arange(20_000) < 10_000, -np.arange(20_000.0)
    y_score[9_999:10_001] = y_score[[10_000, 9_999]]
    found = estimate_score(AP, y_true, y_score)
    assert found.standard_error == pytest.approx(2**0.5 * (1 - found.score), rel=1e-3)

"""At a step of the curve, an interval contains both sides of the step, since the
threshold of a recall or of the first rows is at another place in each sample.
"""

from math import comb, sqrt

import numpy as np
import pytest

from brief import one_in
from sklearn_ap import estimate_score
from sklearn_ap._uncertainty.intervals.places import Place, endpoints_of_places
from sklearn_ap._uncertainty.sampling.one_more import NO_CHANGES

# 50 positives are above all other rows, and 50 are between 900 negatives.
BELOW = np.tile([0] * 9 + [1] + [0] * 9, 50)
STEP = np.concatenate([np.ones(50, dtype=int), BELOW])
SCORES = -np.arange(STEP.size, dtype=float)


def endpoints(score, y_true=STEP, y_score=SCORES, **options):
    return tuple(
        estimate_score(score, y_true, y_score, **options).confidence_interval()
    )


def test_the_first_rows_may_be_as_good_as_they_are_but_do_not_decide():
    """Four positives are above all others, and one row of eight below is negative."""
    y_true = np.repeat([1, *[0, 1] * 25, 0], [4, *[1, 7] * 25, 200])
    low, high = endpoints("precision_at_recall", y_true, -np.arange(404), recall=0.04)
    assert low > 0.8
    assert high > 0.99


# A score, its value in the population, and its options.
AT_A_STEP = [
    ("precision@6", 1, {}),
    ("precision@0.25", 1, {}),
    ("recall@6", 0.5, {}),
    ("precision_at_recall", 1, {"recall": 0.45}),
    ("average_precision@6", 1, {}),
    ("precision_at_recall", 1, {"recall": 0.5}),
    ("precision_at_recall", 0.5, {"recall": 0.55}),
]


@pytest.mark.parametrize(("score", "truth", "options"), one_in(6, AT_A_STEP))
def test_coverage_of_all_samples_at_a_step(score, truth, options):
    """A quarter of the population are positives that rank first. The others are tied,
    and a third of them are positive. All samples of 24 rows are counted.
    """
    covered = total = 0.0
    for n_top in range(25):
        for n_other in range(25 - n_top):
            numbers = n_top, n_other, 24 - n_top - n_other
            ways = comb(24, n_top) * comb(24 - n_top, n_other)
            probability = ways / 2 ** (2 * n_top + 2 * n_other + numbers[2])
            # One positive alone has no interval.
            if probability < 1e-4 or n_top + n_other < 2:
                continue
            y_true, y_score = (np.repeat(x, numbers) for x in ([1, 1, 0], [3, 2, 2]))
            low, high = endpoints(score, y_true, y_score, **options)
            total += probability
            covered += probability * (low <= truth <= high)
    assert total > 0.99
    assert covered / total > 0.94


def test_on_a_straight_line_the_error_is_the_root_of_both_squares():
    away = np.linspace(-4, 4, 33).tolist()
    places = [Place(0.5 + 0.003 * y, 0.004, NO_CHANGES, y) for y in away]
    low, high = endpoints_of_places(places, 0.5, 1e9, 0.95)
    reach = 1.96 * sqrt(0.003**2 + 0.004**2)
    assert (low, high) == pytest.approx((0.5 - reach, 0.5 + reach), abs=0.01 * reach)


def test_no_threshold_may_reach_a_recall_if_positives_were_missed():
    low, high = endpoints("precision_at_recall", recall=0.95, n_positives=105)
    assert low == 0
    assert high > 0.1
    assert endpoints("precision_at_recall", recall=1.0)[0] > 0

"""Laws of samples of few rows with very unequal weights: an interval contains those of
lower levels, no choice of signs has a p-value below its own share, and no number
overflows.
"""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brief import examples
from sklearn_ap import average_precision_score, compare_scores, estimate_score
from sklearn_ap._uncertainty.intervals.differences import shares_of
from sklearn_ap._uncertainty.sampling.sample import sample_of
from sklearn_ap._uncertainty.sampling.score_call import read_call
from sklearn_ap._uncertainty.sampling.units import units_of

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
LEVELS = 1e-300, 0.01, 0.2, 0.37, 0.49, 0.6, 0.8, 0.9, 0.95, 0.98, 0.99, 0.9999
NAMES = [
    "average_precision",
    "precision@0.2",
    "recall@0.3",
    "pr_auc_linear",
    "interpolated_average_precision",
    "precision_at_recall@0.5",
    "precision@1",
    "precision@3",
    "recall@2",
    "average_precision@3",
    "r_precision",
]
WITH_TOTALS = [name for name in NAMES if not name.startswith(("pr_auc", "precision@"))]
WEIGHTS = [[1.0, 1e3], [1.0, 10, 300, 1e-3], [2.0**-500, 1, 2.0**500], [1.0]]


def drawn_rows(rng):
    """Draw labels, the scores of two models, and options with very unequal weights."""
    n = int(rng.integers(3, 14))
    y_true = (rng.random(n) < rng.choice([0.2, 0.5])).astype(int)
    y_true[0] = 1
    options = {"sample_weight": rng.choice(WEIGHTS[rng.integers(len(WEIGHTS))], n)}
    layout = rng.integers(3)
    if layout:
        options["unit_id"] = rng.integers(0, 5, n)
    if layout == 2:
        options["query_id"] = rng.integers(0, 4, n)
    return y_true, *rng.integers(0, 9, (2, n)), options


def assert_levels_are_nested(found, score):
    """Assert that an interval contains those of lower levels, and the score."""
    low, high = np.transpose([found.confidence_interval(level) for level in LEVELS])
    assert not low[0] > score
    assert not high[0] < score
    assert not (np.diff(low) > 1e-11).any()
    assert not (np.diff(high) < -1e-11).any()


@examples(60, 300)
@given(seed=st.integers(0, 2**32 - 1))
def test_an_interval_contains_those_of_lower_levels(seed):
    rng = np.random.default_rng(seed)
    y_true, first, second, options = drawn_rows(rng)
    name = str(rng.choice(NAMES))
    if name in WITH_TOTALS and rng.random() < 0.5:
        unit = options.get("unit_id")
        options = {"n_positives": y_true.size}
        if unit is not None and "@" not in name:
            # All rows of units might be positive.
            options = {"n_positives": Counter(unit.tolist()), "unit_id": unit}
    found = estimate_score(name, y_true, first, **options)
    assert_levels_are_nested(found, found.score)
    low, high = found.confidence_interval()
    assert not low < 0
    assert not high > 1
    pair = compare_scores(name, y_true, first, second, **options)
    assert_levels_are_nested(pair, pair.difference)
    if np.isinf(pair.df) and "n_positives" not in options:
        assert pair.pvalue >= 2 / 2**pair.n_units * (1 - 1e-12)


def test_weights_that_differ_by_a_thousand_bits_do_not_overflow():
    weight = [2.0**-500, 2.0**500, 1, 1]
    rows = [1, 0, 1, 0], [4, 3, 2, 1]
    found = estimate_score(
        "precision@1", *rows, sample_weight=weight, unit_id=[1, 1, 2, 2]
    )
    assert not np.isnan(found._changes).any()
    assert np.isfinite(found.standard_error)


def test_signs_reach_a_difference_if_a_query_has_no_positives():
    """Both signs of three units are 2 of the 8 choices of signs."""
    pair = compare_scores(
        "interpolated_average_precision",
        [1, 1, 0, 0],
        [1, 7, 3, 5],
        [5, 2, 0, 8],
        unit_id=[1, 2, 2, 0],
        query_id=[1, 1, 1, 0],
    )
    assert pair.pvalue == pytest.approx(0.5)


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_shares_of_units_add_up_to_1(average):
    """Also if some queries have no positives, and others have missed ones."""
    rng = np.random.default_rng(0)
    query = np.arange(60) % 5
    y_true = (rng.random(60) < 0.3) & (query < 3)
    totals = {(i % 5, i): int(n) for i, n in enumerate(y_true)}
    totals |= {(i, 60): 9 * (i < 3) for i in range(5)}
    options = {"n_positives": totals, "average": average, "query_id": query}
    call = read_call(
        average_precision_score, y_true, rng.random(60), options, unit_id=np.arange(60)
    )
    mean = sample_of(call, units_of(call)).rankings_mean
    assert shares_of(mean).sum() == pytest.approx(1)

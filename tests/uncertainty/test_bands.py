"""Bands of curves have the intervals of the precision at each recall."""

import warnings
from contextlib import nullcontext
from unittest.mock import patch

import numpy as np
import pytest
from scipy.stats import norm

from brief import every_third
from sklearn_ap import estimate_score, precision_at_recall_score
from sklearn_ap._core.reading.read import read
from sklearn_ap._core.typing import PassedRows
from sklearn_ap._uncertainty import band_of_rows
from sklearn_ap._uncertainty.intervals import estimates

RNG = np.random.default_rng(0)
MANY_LABELS = RNG.random(3000) < 0.2
MANY_SCORES = RNG.normal(size=3000) + 1.5 * MANY_LABELS
MANY_WEIGHTS = RNG.lognormal(size=3000, sigma=0.5)
# The first 300 rows, with equal scores.
Y_TRUE, Y_SCORE = MANY_LABELS[:300], MANY_SCORES[:300].round(1)


def band_of(
    y_true,
    y_score,
    *,
    sample_weight=None,
    n_positives=None,
    unit_id=None,
    confidence_level=0.95,
    n_levels=11,
):
    """Return a band, by default of fewer recalls than in a display."""
    rows = PassedRows(
        y_true,
        y_score,
        sample_weight=sample_weight,
        n_positives=n_positives,
        unit_id=unit_id,
    )
    with patch.object(estimates, "_N_LEVELS", n_levels or estimates._N_LEVELS):
        return band_of_rows(read(rows, caller="band"), confidence_level)


@pytest.mark.parametrize("seed", every_third(range(10)))
def test_a_total_that_is_larger_by_rounding_misses_no_positive(seed):
    """Equal weights, added up one by one, differ from a product in their last digits."""
    y_true, weight = MANY_LABELS[:300], np.full(300, MANY_WEIGHTS[seed])
    total = weight[y_true].cumsum()[-1]
    band = band_of(y_true, MANY_SCORES[:300], sample_weight=weight)
    assert band[0][-1] == 1
    same = band_of(y_true, MANY_SCORES[:300], sample_weight=weight, n_positives=total)
    np.testing.assert_array_equal(band[:3], same[:3])


def test_units_of_alike_negatives_make_the_band_wider():
    """40 single positives have the same score, above 30 units of ten negatives whose
    rows are alike. So an event of false alarms has ten rows.
    """
    y_true = np.r_[np.ones(40), np.zeros(300)]
    unit = np.r_[np.arange(40), np.repeat(np.arange(40, 70), 10)]
    scores = np.where(y_true, 100, unit - 100)
    _, low, high, _ = band_of(y_true, scores, unit_id=unit)
    _, of_rows, _, _ = band_of(y_true, scores)
    assert low[5] < 0.7 < 0.8 < of_rows[5]
    assert high[5] == 1


def test_only_positives():
    _, low, high, _ = band_of([1] * 20, range(20))
    assert (high == 1).all()
    # Other samples may have negatives above this recall.
    assert (low < 0.9).all()


ROW = np.arange(660)
# Heavy positives count as few positives, and heavy negatives as few negatives.
HEAVY = np.where(ROW < 60, np.resize([1.0, 8.0], 660), 8.0)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"sample_weight": HEAVY},
        {"n_positives": 80},
        {"unit_id": ROW % 220, "sample_weight": 0.01 * HEAVY},
    ],
)
def test_a_band_has_the_intervals_of_precision_at_each_recall(options):
    y_true, place = ROW < 60, np.where(ROW < 60, ROW, ROW - 60)
    y_score = norm.ppf((place + 0.5) / np.where(y_true, 60, 600)) + 1.5 * y_true
    recall, *endpoints, _ = band_of(y_true, y_score, **options, confidence_level=0.9)
    for place in (2, 4, 6, 8, 10):
        found = estimate_score(
            precision_at_recall_score, y_true, y_score, recall=recall[place], **options
        )
        expected = found.confidence_interval(0.9)
        assert (endpoints[0][place], endpoints[1][place]) == pytest.approx(
            tuple(expected), rel=1e-9
        )


def test_missed_positives_take_no_memory():
    """They are alike, so one value stands for all of them. No memory has room for a value
    of each.
    """
    _, low, high, _ = band_of(Y_TRUE, Y_SCORE, n_positives=2**52)
    assert (low <= high).all()


def test_a_band_contains_its_curve_at_any_level():
    options = {"n_positives": 90}
    with pytest.raises(
        ValueError, match=r"a band has no interval with both; got 90\. Omit one"
    ):
        band_of(Y_TRUE, Y_SCORE, **options, unit_id=Y_TRUE)
    band = band_of(Y_TRUE, Y_SCORE, **options, confidence_level=1e-6)
    for recall, low, high in zip(*band[:3], strict=True):
        score = precision_at_recall_score(Y_TRUE, Y_SCORE, recall=recall, **options)
        assert low <= score <= high


# Labels and units, and the words of the error or the warning; "-" without one.
FEW = [
    ([1, 0, 0], None, "at least two positives, .* got 1. Add"),
    ([1, 1, 0], [0, 0, 1], "at least two units that contain a positive, .* got 1. "),
    ([1] * 9 + [0], None, r"too few positives \(9\)"),
    ([1] * 18 + [0], [*range(9), *range(10)], r"too few units .* positive \(9\)"),
    # Eight units of one positive, and one of two, are like 100 / 12 units.
    ([1] * 10 + [0], [0, *range(9), 9], r"too few units .* positive \(8.33\)"),
    ([1] * 10 + [0], None, "-"),
]


@pytest.mark.parametrize(("labels", "unit", "words"), FEW)
def test_a_band_of_few_positives(labels, unit, words):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with nullcontext() if words == "-" else pytest.raises(Exception, match=words):
            band_of(labels, range(len(labels)), unit_id=unit, n_levels=1)


def test_a_band_with_missed_positives_requires_equal_weights():
    rows = [1, 1, 0], [3, 2, 1]
    for weight in ([1, 3, 1], [2, 2, 3]):
        with pytest.raises(ValueError, match="an interval requires equal weights"):
            band_of(*rows, sample_weight=weight, n_positives=9)


# A band, and a number of it. Missed positives have the weight of a row.
BANDS = [
    ("[3]", {}, "95 % band, pointwise"),
    ("[3]", {"confidence_level": 0.123456789}, "12.3457 % band, pointwise"),
    ("[0].size", {"n_levels": 0}, 101),
    ("[0][-1]", {"n_positives": 4}, 0.5),
    ("[0][-1]", {"n_positives": 8, "sample_weight": [2] * 5}, 0.5),
    ("[0][-1]", {"n_positives": 4, "sample_weight": [1, 1, 1, 1, 0]}, 0.5),
]


@pytest.mark.filterwarnings("ignore:The sample has too few")
@pytest.mark.parametrize(("text", "options", "expected"), BANDS)
def test_numbers_of_a_band(text, options, expected):
    band = band_of([1, 0, 1, 0, 0], range(5, 0, -1), **options)
    assert eval(f"band{text}", {"band": band}) == expected

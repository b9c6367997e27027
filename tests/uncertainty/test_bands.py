"""Bands of curves are close to the percentiles of the curves of bootstrap samples."""

import numpy as np
import pytest
from scipy.stats import norm

from brief import every_third
from sklearn_ap import estimate_score, precision_at_recall_score
from sklearn_ap._core.reading.read import read
from sklearn_ap._core.typing import PassedRows
from sklearn_ap._uncertainty import band_of_rows

RNG = np.random.default_rng(0)
MANY_LABELS = RNG.random(3000) < 0.2
MANY_SCORES = RNG.normal(size=3000) + 1.5 * MANY_LABELS
MANY_WEIGHTS = RNG.lognormal(size=3000, sigma=0.5)
# The first 300 rows, with equal scores.
Y_TRUE, Y_SCORE, WEIGHT = (
    MANY_LABELS[:300],
    MANY_SCORES[:300].round(1),
    MANY_WEIGHTS[:300],
)
LEVELS = np.linspace(0, 1, 101)


def band_of(
    y_true,
    y_score,
    *,
    sample_weight=None,
    n_positives=None,
    unit_id=None,
    confidence_level=0.95,
):
    checked = read(
        PassedRows(y_true, y_score, sample_weight=sample_weight), caller="band"
    )
    return band_of_rows(
        checked,
        n_positives,
        confidence_level=confidence_level,
        unit_id=unit_id,
    )


@pytest.mark.parametrize("weight", [None, MANY_WEIGHTS], ids=["plain", "weighted"])
def test_a_band_is_near_that_of_a_naive_bootstrap(weight):
    recall, *endpoints, _ = band_of(MANY_LABELS, MANY_SCORES, sample_weight=weight)
    places = np.arange(20, 91, 10)
    np.testing.assert_allclose(recall, LEVELS)
    rng = np.random.default_rng(7)
    curves = []
    for _ in range(400):
        rows = rng.integers(3000, size=3000)
        curves.append(step_precision(rows, LEVELS[places], weight))
    expected = np.quantile(curves, [0.025, 0.975], axis=0)
    width = (expected[1] - expected[0]).mean()
    off = np.abs(np.array(endpoints)[:, places] - expected)
    assert (off.mean(axis=1) < width / 6).all()


@pytest.mark.parametrize("seed", every_third(range(10)))
def test_a_total_that_is_larger_by_rounding_misses_no_positive(seed):
    """The weights of the positives add up to other last digits in another order."""
    y_true, weight = MANY_LABELS[:300], MANY_WEIGHTS[seed : seed + 300]
    total = weight[y_true][::-1].sum()
    band = band_of(y_true, MANY_SCORES[:300], sample_weight=weight)
    assert band[0][-1] == 1
    same = band_of(y_true, MANY_SCORES[:300], sample_weight=weight, n_positives=total)
    np.testing.assert_array_equal(band[:3], same[:3])


def step_precision(rows, recalls, weight=None):
    """Return the precision at the highest threshold that reaches each recall."""
    order = rows[np.argsort(-MANY_SCORES[rows], kind="stable")]
    of = np.ones(order.size) if weight is None else weight[order]
    tp, retrieved = np.cumsum(of * MANY_LABELS[order]), np.cumsum(of)
    first = np.searchsorted(tp, recalls * tp[-1] * (1 - 1e-12))
    return tp[first] / retrieved[first]


@pytest.mark.parametrize("weight", [np.ones(300), WEIGHT], ids=["plain", "weighted"])
def test_units_are_drawn_whole(weight):
    """The band does not change if each row occurs twice, and both copies are a unit."""
    twice = [np.tile(one, 2) for one in (Y_TRUE, Y_SCORE)]
    once, again = {"sample_weight": weight}, {"sample_weight": np.tile(weight, 2)}
    alone = band_of(Y_TRUE, Y_SCORE, **once)
    pairs = band_of(*twice, unit_id=[*range(300)] * 2, **again)
    for found, expected in zip(pairs[:3], alone[:3], strict=True):
        np.testing.assert_allclose(found[20:80], expected[20:80], rtol=1e-9)
    rows = band_of(*twice, **again)
    assert 1.2 < width_of(pairs) / width_of(rows) < 1.6


def test_units_of_alike_negatives_make_the_band_wider():
    """40 single positives have the same score, above 30 units of ten negatives whose
    rows are alike. So an event of false alarms has ten rows.
    """
    y_true = np.r_[np.ones(40), np.zeros(300)]
    unit = np.r_[np.arange(40), np.repeat(np.arange(40, 70), 10)]
    scores = np.where(y_true, 100, unit - 100)
    _, low, high, _ = band_of(y_true, scores, unit_id=unit)
    _, of_rows, _, _ = band_of(y_true, scores)
    assert low[50] < 0.7 < 0.8 < of_rows[50]
    assert high[50] == 1


def width_of(band):
    return (band[2] - band[1])[10:90].mean()


def test_only_positives():
    _, low, high, _ = band_of([1] * 20, range(20))
    assert (high == 1).all()
    # Other samples may have negatives above this recall.
    assert (low < 0.9).all()


@pytest.mark.parametrize("n_missed", [0, 20])
@pytest.mark.parametrize("weight", [1.0, 8.0])
def test_a_band_has_the_intervals_of_precision_at_each_recall(weight, n_missed):
    """Heavy negatives count as few negatives."""
    n = 60, 600
    y_true = np.repeat([1, 0], n)
    y_score = np.concatenate([norm.ppf((np.arange(x) + 0.5) / x) for x in n])
    y_score += 1.5 * y_true
    # So do heavy positives, as few positives.
    of_positives = np.resize([1.0, weight], y_true.size)
    options = {"sample_weight": np.where(y_true, of_positives, weight)}
    if n_missed:
        options = {"n_positives": 60 + n_missed}
    recall, *endpoints, _ = band_of(y_true, y_score, **options, confidence_level=0.9)
    for place in (20, 40, 60, 80, 100):
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

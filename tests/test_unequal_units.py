"""Units that hold more than their share of the positives count for it; equal rows stay as they are."""

import numpy as np
import pytest

from sklearn_ap import average_precision_score, compare_scores, estimate_score, influence_values


def drawn(seed=0, n=120):
    rng = np.random.default_rng(seed)
    y_true = (rng.random(n) < 0.3).astype(int)
    return y_true, rng.normal(size=n) + y_true, rng


def test_rows_named_as_units_are_rows():
    y_true, y_score, rng = drawn()
    units = rng.permutation(y_true.size)
    alone = estimate_score(average_precision_score, y_true, y_score)
    named = estimate_score(average_precision_score, y_true, y_score, unit_id=units)
    assert named.standard_error == pytest.approx(alone.standard_error, rel=1e-12)
    assert named.df == pytest.approx(alone.df, rel=1e-12)
    assert named.n_positives == pytest.approx(alone.n_positives)


@pytest.mark.filterwarnings("ignore:The sample has only")
@pytest.mark.parametrize("weighted", [False, True])
def test_standard_error_of_clusters(weighted):
    y_true, y_score, rng = drawn()
    unit = np.sort(rng.integers(0, 15, y_true.size)) ** 2
    weight = rng.random(y_true.size) + 0.1 if weighted else np.ones(y_true.size)
    options = {"sample_weight": weight} if weighted else {}
    influence = influence_values(average_precision_score, y_true, y_score, **options)
    of_units = np.array([(influence * weight)[unit == one].sum() for one in np.unique(unit)])
    held = np.array([(y_true * weight)[unit == one].sum() for one in np.unique(unit)]) / (y_true @ weight)
    equal = np.sum((y_true * weight / (y_true @ weight)) ** 2)
    corrected = of_units * np.sqrt(np.maximum((1 - equal) / (1 - held), 1))
    found = estimate_score(average_precision_score, y_true, y_score, unit_id=unit, **options)
    assert found.standard_error == pytest.approx(np.sqrt(np.sum(corrected**2)), rel=1e-9)
    assert found.n_positives == pytest.approx(1 / np.sum(held**2))


def test_a_heavy_positive_makes_the_score_less_sure():
    y_true, y_score, _ = drawn()
    weight = np.ones(y_true.size)
    weight[np.flatnonzero(y_true)[0]] = 10
    influence = influence_values(average_precision_score, y_true, y_score, sample_weight=weight)
    plain = np.sqrt(np.sum((influence * weight) ** 2))
    found = estimate_score(average_precision_score, y_true, y_score, sample_weight=weight)
    assert plain < found.standard_error < 1.5 * plain
    assert found.n_positives < np.count_nonzero(y_true)


def test_weights_keep_their_scale_free_error():
    y_true, y_score, rng = drawn()
    weight = rng.random(y_true.size) + 0.1
    one, other = (
        estimate_score(average_precision_score, y_true, y_score, sample_weight=scale * weight)
        for scale in (1, 1000)
    )
    assert one.standard_error == pytest.approx(other.standard_error, rel=1e-12)


def test_difference_of_clusters_takes_the_same_correction():
    y_true, y_score, _ = drawn()
    unit = np.arange(y_true.size) // 6
    constant = np.zeros(y_true.size)  # its influence on the difference is that of the prevalence
    found = compare_scores(average_precision_score, y_true, y_score, constant, unit_id=unit)
    influence = influence_values(average_precision_score, y_true, y_score)
    influence = influence - influence_values(average_precision_score, y_true, constant)
    of_units = np.bincount(unit, influence)
    held = np.bincount(unit, y_true) / y_true.sum()
    corrected = of_units * np.sqrt(np.maximum((1 - 1 / y_true.sum()) / (1 - held), 1))
    assert found.standard_error == pytest.approx(np.sqrt(np.sum(corrected**2)), rel=1e-9)

"""Clusters and weights: what the standard error is made of, and how many units the positives count for."""

import numpy as np
import pytest

from sklearn_ap import average_precision_score, compare_scores, estimate_score, influence_values


def drawn():
    rng = np.random.default_rng(0)
    y_true = (rng.random(120) < 0.3).astype(int)
    return y_true, rng.normal(size=120) + y_true, rng


def test_rows_named_as_units_are_rows():
    y_true, y_score, rng = drawn()
    units = rng.permutation(y_true.size)
    alone = estimate_score(average_precision_score, y_true, y_score)
    named = estimate_score(average_precision_score, y_true, y_score, unit_id=units)
    assert named.standard_error == pytest.approx(alone.standard_error, rel=1e-12, abs=0)
    assert named.df == pytest.approx(alone.df, rel=1e-12, abs=0)
    assert named.n_positives == pytest.approx(alone.n_positives)


@pytest.mark.filterwarnings("ignore:The sample has only")
@pytest.mark.parametrize("weighted", [False, True])
def test_clusters_count_for_the_positives_that_they_hold(weighted):
    y_true, y_score, rng = drawn()
    unit = np.sort(rng.integers(0, 15, y_true.size)) ** 2
    weight = rng.random(y_true.size) + 0.1 if weighted else np.ones(y_true.size)
    options = {"sample_weight": weight} if weighted else {}
    influence = influence_values(average_precision_score, y_true, y_score, **options)
    of_units = np.array([(influence * weight)[unit == one].sum() for one in np.unique(unit)])
    held = np.array([(y_true * weight)[unit == one].sum() for one in np.unique(unit)])
    found = estimate_score(average_precision_score, y_true, y_score, unit_id=unit, **options)
    assert found.standard_error == pytest.approx(np.sqrt(np.sum(of_units**2)), rel=1e-9, abs=0)
    assert found.n_positives == pytest.approx(held.sum() ** 2 / np.sum(held**2))
    assert found.n_positives < np.count_nonzero(held)
    assert found.df <= found.n_positives - 1


def test_clusters_of_a_difference():
    y_true, y_score, _ = drawn()
    unit = np.arange(y_true.size) // 6
    constant = np.zeros(y_true.size)  # its influence is that of the prevalence
    found = compare_scores(average_precision_score, y_true, y_score, constant, unit_id=unit)
    influence = influence_values(average_precision_score, y_true, y_score)
    influence = influence - influence_values(average_precision_score, y_true, constant)
    assert found.standard_error == pytest.approx(
        np.sqrt(np.sum(np.bincount(unit, influence) ** 2)), rel=1e-9, abs=0
    )


def test_scale_of_weights_does_not_matter():
    y_true, y_score, rng = drawn()
    weight = rng.random(y_true.size) + 0.1
    one, other = (
        estimate_score(average_precision_score, y_true, y_score, sample_weight=scale * weight)
        for scale in (1, 1000)
    )
    assert one.standard_error == pytest.approx(other.standard_error, rel=1e-12, abs=0)
    assert one.n_positives == pytest.approx(other.n_positives, rel=1e-12, abs=0)

"""Clusters and weights: what the standard error is made of, and how many units the positives count for."""

import re
from functools import partial

import numpy as np
import pytest

from sklearn_ap import average_precision_score, compare_scores, estimate_score, influence_values


def drawn():
    rng = np.random.default_rng(0)
    y_true = (rng.random(120) < 0.3).astype(int)
    return y_true, rng.normal(size=120) + y_true, rng


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


def test_clusters_of_more_negatives_than_positives_at_the_top_warn():
    """Intervals cover .71 where 300 of 420 negatives are of one cluster, whose level is one draw."""
    y_true, y_score = np.append(np.arange(150) % 5 == 0, np.zeros(300)), np.random.default_rng(0).random(450)
    y_score[:150] += y_true[:150]
    estimate = partial(estimate_score, average_precision_score, y_true, y_score)
    compare = partial(compare_scores, average_precision_score, y_true, y_score, y_score**3)
    score = average_precision_score(y_true, y_score)
    for n_clusters, held in ((1, 90120 / 420), (3, 30120 / 420)):  # the mean over negatives
        unit_id = np.append(np.arange(150), 150 + np.arange(300) % n_clusters)
        text = f"about {30 * score:.2g} positives at the top, but units hold about {held:.2g} negatives"
        for call in (estimate, compare):
            with pytest.warns(UserWarning, match=re.escape(text)):
                call(unit_id=unit_id)
    assert 45 * score > (120 + 15 * 20**2) / 420
    estimate(unit_id=np.append(np.arange(150), 150 + np.arange(300) // 20))
    # As many by weights of any scale, and where half of the positives are missed.
    unit_id, weight = np.append(np.arange(150), 150 + np.arange(300) % 3), np.repeat([2.0, 1.0, 3.0], 150)
    for options in ({"sample_weight": weight * 1e-3}, {"sample_weight": weight * 1e3}, {"n_positives": 60}):
        with pytest.warns(UserWarning, match=re.escape(text)):
            estimate(unit_id=unit_id, **options)

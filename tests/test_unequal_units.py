"""Clusters and weights: what the standard error is made of, and how many units the positives count for."""

from functools import partial

import numpy as np
import pytest

from sklearn_ap import (
    UncertaintyWarning,
    average_precision_score,
    compare_scores,
    estimate_score,
    influence_values,
)


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


def clusters_of_negatives(n_clusters, spread=1.0):
    """150 rows, a fifth of them positive, and 300 negatives in clusters whose scores have a common part."""
    rng = np.random.default_rng(0)
    y_true = np.append(np.arange(150) % 5 == 0, np.zeros(300, dtype=bool))
    cluster = np.arange(300) % n_clusters
    y_score = rng.normal(size=450) + 1.5 * y_true
    y_score[150:] += spread * rng.normal(size=n_clusters)[cluster]
    return y_true, y_score, np.append(np.arange(150), 150 + cluster)


def test_few_units_of_negatives_warn():
    """Intervals cover .78 where 300 of 420 negatives are of one cluster, whose level is one draw."""
    for n_clusters, is_few in ((1, True), (3, False)):
        y_true, y_score, unit_id = clusters_of_negatives(n_clusters, 0.0)
        for call in (
            partial(estimate_score, average_precision_score, y_true, y_score),
            partial(compare_scores, average_precision_score, y_true, y_score, y_score**3),
        ):
            if not is_few:
                call(unit_id=unit_id)
                continue
            with pytest.warns(
                UncertaintyWarning, match="^The sample has only 2 units of negatives"
            ) as caught:
                call(unit_id=unit_id)
            assert [warning.message.code for warning in caught] == ["missing_negatives"]


def test_units_of_negatives_count_by_what_they_do_to_the_score():
    """Their effective number bounds the degrees of freedom, and what they count for lowers the lower end."""
    y_true, y_score, unit_id = clusters_of_negatives(6)
    estimate = estimate_score(average_precision_score, y_true, y_score, unit_id=unit_id)
    influence = influence_values(average_precision_score, y_true, y_score)
    of_rows = -np.where(y_true, 0, influence + 0)
    of_negatives = of_rows[~y_true]
    n_rows = of_negatives.sum() ** 2 / (of_negatives**2).sum()
    of_units = np.bincount(unit_id, of_rows)
    n_units = of_units.sum() ** 2 / (of_units**2).sum()
    each = n_rows / n_units
    assert estimate.df == pytest.approx((n_units - 1) / (1 - 1 / each), rel=1e-9)
    more = np.append(y_true, False), np.append(y_score, 99), np.append(np.ones(450), each / 2)
    lost = estimate.score - average_precision_score(*more[:2], sample_weight=more[2])
    share = 1 - np.sqrt(estimate.df / (estimate.n_positives - 1))
    assert estimate._inputs.lower_shift == pytest.approx(share * lost, rel=1e-9)

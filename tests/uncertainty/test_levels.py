"""Scores at several recall levels: the influence of each row, the test of two models, and
where there is no interval.
"""

import warnings

import numpy as np
import pytest
from scipy.stats import laplace

from oracles.uncertainty import drawn_weights, sample_of, warns_of
from sklearn_ap import (
    compare_scores,
    estimate_score,
    interpolated_average_precision_score,
)

ELEVEN = "eleven_point_average_precision"
AT_LEVELS = interpolated_average_precision_score


def rows_of(seed, n=600, n_positives=60, shift=1.5):
    y_true = np.arange(n) < n_positives
    return y_true, np.random.default_rng(seed).normal(size=n) + shift * y_true


def influences_of_rows(y_true, y_score, levels):
    """Return the influence of each row, level by level, without ties and weights."""
    order = (-y_score).argsort()
    positive = y_true[order]
    tp, rows = positive.cumsum(), np.arange(1, positive.size + 1)
    precision = tp / rows
    n = tp[-1]
    # Three quarters of a row are added, with the precision of the first ten rows.
    of_first = (tp[9] + 0.5) / 11

    def reach(recall):
        """Return the first row with this recall, and the best row from there on."""
        first = np.flatnonzero(tp >= max(recall * n - 1e-9, 1))[0]
        return first, first + precision[first:].argmax()

    total = np.zeros(positive.size)
    for level in levels:
        first, vertex = reach(level)
        with_added = (tp[vertex] + 0.75 * of_first) / (rows[vertex] + 0.75)
        total += (rows <= rows[vertex]) * (positive - with_added) / rows[vertex]
        if 0 < level < 1:
            beyond = min(level + 2 * np.sqrt(level * (1 - level) / n), 1)
            _, other = reach(beyond)
            slope = (precision[other] - precision[vertex]) / (beyond - level)
            total += slope * positive * (level - (rows <= rows[first])) / n
    influence = np.empty(positive.size)
    influence[order] = total / len(levels)
    return influence


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "grid", [11, 101, np.array([0.1, 0.5]), np.array([0.8, 0.2, 0.5])], ids=str
)
def test_influences_are_those_of_each_level(seed, grid):
    levels = np.linspace(0, 1, grid) if isinstance(grid, int) else grid
    y_true, first = rows_of(seed)
    _, second = rows_of(seed + 100)
    x, y = (influences_of_rows(y_true, each, levels) for each in (first, second))
    found = estimate_score(AT_LEVELS, y_true, first, recall_levels=grid)
    assert found.score == AT_LEVELS(y_true, first, recall_levels=grid)
    assert found.standard_error == pytest.approx(np.linalg.norm(x), rel=1e-9)
    pair = compare_scores(AT_LEVELS, y_true, first, second, recall_levels=grid)
    assert pair.standard_error == pytest.approx(np.linalg.norm(x - y), rel=1e-9)
    # The test is that of the difference, on the scale of the scores.
    wanted = pair.difference / pair.standard_error
    assert pair.statistic == pytest.approx(wanted, rel=1e-12)


def test_the_scale_of_weights_and_the_layout_of_units_have_no_effect():
    y_true, y_score = rows_of(0)
    weight, unit = drawn_weights(1, 600), np.arange(600)
    errors = [
        estimate_score(
            ELEVEN, np.tile(y_true, times), np.tile(y_score, times), **options
        ).standard_error
        for times, options in (
            (1, {}),
            (1, {"sample_weight": np.full(600, 0.003)}),
            (1, {"unit_id": unit[::-1]}),
            (2, {"unit_id": np.tile(unit, 2)}),
        )
    ]
    assert errors == pytest.approx([errors[0]] * 4, rel=1e-9)
    by_scale = [
        estimate_score(ELEVEN, y_true, y_score, sample_weight=scale * weight)
        for scale in (1, 1000)
    ]
    assert by_scale[0].standard_error == pytest.approx(
        by_scale[1].standard_error, rel=1e-9
    )


@pytest.mark.parametrize("case", ["ties", "weights", "missed", "prevalence"])
def test_the_standard_error_is_near_that_of_a_bootstrap(case):
    y_true, y_score = rows_of(3, shift=1.8)
    options, rng, n_missed = {}, np.random.default_rng(0), 0
    weight = np.ones(600)
    if case == "ties":
        y_score = y_score.round(1)
    if case == "weights":
        weight = rng.uniform(0.5, 2, 600)
        options["sample_weight"] = weight
    if case == "missed":
        n_missed = 20
        options["n_positives"] = 80
    if case == "prevalence":
        options["prevalence"] = 0.05
    found = estimate_score(ELEVEN, y_true, y_score, **options)
    scores = []
    for _ in range(200):
        # Missed positives are drawn like rows.
        drawn = rng.integers(0, 600 + n_missed, 600 + n_missed)
        rows = drawn[drawn < 600]
        if case == "weights":
            options["sample_weight"] = weight[rows]
        if case == "missed":
            options["n_positives"] = y_true[rows].sum() + np.sum(drawn >= 600)
        score = AT_LEVELS(y_true[rows], y_score[rows], recall_levels=11, **options)
        scores.append(score)
    assert 0.75 < found.standard_error / np.std(scores) < 1.3


def test_equal_models_are_seldom_different():
    """Tests that used the influences of the score at every recall rejected .16."""
    rejected = 0
    for seed in range(200):
        rng = np.random.default_rng([5, seed])
        y_true = rng.random(1000) < 0.1
        pair = (laplace.rvs(size=1000, random_state=rng) + 1.2 * y_true for _ in "ab")
        rejected += compare_scores(ELEVEN, y_true, *pair).pvalue <= 0.05
    assert rejected <= 0.08 * 200


def test_a_model_is_equal_to_itself():
    y_true, y_score = rows_of(0)
    found = compare_scores(ELEVEN, y_true, y_score, y_score)
    assert (found.pvalue, found.standard_error) == (1, 0)


@pytest.mark.parametrize(
    ("grid", "n_positives", "share"),
    [
        (2, 200, "50%"),
        (8, 200, "12%"),
        (np.array([0, 0.5]), 200, "50%"),
        # The first of ten positives reaches the levels 0 and .1.
        (11, 10, "18%"),
        (np.array([0.1, 0.5]), 10, "50%"),
    ],
    ids=str,
)
def test_few_levels_or_positives_have_no_interval_and_no_test(grid, n_positives, share):
    y_true, y_score = rows_of(0, n_positives=n_positives)
    match = f"no interval here: the first positive reaches {share} of the recall levels"
    with pytest.raises(ValueError, match=match):
        estimate_score(AT_LEVELS, y_true, y_score, recall_levels=grid)
    with pytest.raises(ValueError, match=match):
        compare_scores(AT_LEVELS, y_true, y_score, y_score, recall_levels=grid)
    # One more level, or one more positive, and there is one.
    more = {2: 9, 8: 9}.get(grid, grid) if isinstance(grid, int) else grid + 0.3
    y_true, y_score = rows_of(0, n_positives=n_positives + 1)
    assert estimate_score(AT_LEVELS, y_true, y_score, recall_levels=more).df > 1


def test_a_mean_over_columns_depends_on_the_levels_of_all_columns():
    """A column whose first positive reaches many levels is a small part of the mean."""
    y_true, y_score = rows_of(0)
    few = np.arange(600) < 5
    columns = [y_true, y_true[::-1], np.roll(y_true, 100), few]
    scores = np.random.default_rng(0).normal(size=(600, 4)) + np.transpose(columns)
    options = {"average": "macro", "recall_levels": 14}
    found = estimate_score(AT_LEVELS, np.transpose(columns), scores, **options)
    assert found.standard_error > 0
    with pytest.raises(ValueError, match="no interval here"):
        estimate_score(AT_LEVELS, few, y_score, recall_levels=14)


@pytest.mark.parametrize(
    ("grid", "n_positives", "warns"),
    [(11, 301, True), (11, 300, False), (101, 400, False)],
)
def test_many_positives_at_few_levels_warn(grid, n_positives, warns):
    y_true, first = rows_of(0, 2000, n_positives)
    _, second = rows_of(1, 2000, n_positives)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compare_scores(AT_LEVELS, y_true, first, second, recall_levels=grid)
    codes = [warning.message.code for warning in caught]
    assert codes == ["few_levels"] * warns
    if warns:
        with warns_of("few_levels", "Compare average_precision_score, or 101"):
            compare_scores(ELEVEN, y_true, first, second)


def test_levels_do_not_change_the_other_numbers_of_an_interval():
    """The lower endpoint begins at step AP, if it is lower, as at every recall."""
    y_true, y_score = rows_of(0)
    at_all, at_levels = (
        sample_of(AT_LEVELS, y_true, y_score, recall_levels=grid).influences.inputs
        for grid in (None, 11)
    )
    assert at_levels == at_all._replace(score=at_levels.score)

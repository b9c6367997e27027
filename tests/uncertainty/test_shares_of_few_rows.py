"""Intervals of scores at a cut, at a recall and at recall levels."""

from contextlib import nullcontext
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from brief import every_third
from oracles.uncertainty import (
    bias_of,
    drawn_weights,
    error_of,
    warns_of,
)
from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    compare_scores,
    estimate_score,
    precision_at_k_score,
    r_precision_score,
    recall_at_k_score,
)
from sklearn_ap._core.reading.options import NORMALIZERS

# --- derivatives, units and order -----------------------------------------------------


# The cuts are inside a tied group of 26 rows.
IN_GROUPS = -np.repeat([0, 1, 2, 3], [4, 26, 6, 4])
TWELVE = np.isin(np.arange(40), [0, 1, 3, 8, 11, 12, 20, 27, 28, 31, 35, 39])


def slopes_by_copies(score, weight, n_missed, k=None, **options):
    """Return the influence of each row, and of each missed positive, by definition: the
    slope of the score by its number of copies. Each row has many copies, and `k` is the
    same share of all rows.
    """
    many, step = 40, 8

    def of(copies):
        rows = np.repeat(np.arange(40), copies[:40])
        inputs = {"sample_weight": None if weight is None else weight[rows]}
        if n_missed:
            inputs["n_positives"] = int(copies @ np.append(TWELVE, [1] * n_missed))
        if k is not None:
            # A cut below all rows does not move if there are more missed positives.
            drawn = copies if k < 40 else copies[:40]
            is_share = isinstance(k, float)
            inputs["k"] = k if is_share else k * int(drawn.sum()) // drawn.size
        return score(TWELVE[rows], IN_GROUPS[rows], **inputs, **options)

    more = step * np.eye(40 + n_missed, dtype=int)
    return np.array([of(many + one) - of(many - one) for one in more]) * many / 2 / step


@pytest.mark.parametrize(
    ("asked", "layout"),
    every_third(
        product(
            [
                (precision_at_k_score, {"k": 14}),
                (recall_at_k_score, {"k": 14}),
                (recall_at_k_score, {"k": 0.35}),
                (r_precision_score, {}),
                *(
                    (average_precision_at_k_score, {"k": k, "normalizer": name})
                    for k, name in product((14, 60), NORMALIZERS)
                ),
            ],
            [(False, 0), (True, 0), (False, 16), (False, 50)],
        )
    ),
)
def test_errors_at_a_cut_are_those_of_copies_of_rows(asked, layout):
    """The influence of a unit is the sum over its rows. Missed positives are drawn, too."""
    (score, options), (weighted, n_missed) = asked, layout
    weight = drawn_weights(2, 40) if weighted else None
    slopes = slopes_by_copies(score, weight, n_missed, **options)
    options = options | {"sample_weight": weight}
    if n_missed:
        options["n_positives"] = 12 + n_missed
    for unit in (np.arange(40), np.arange(40) % 10):
        of_units = np.append(np.bincount(unit, slopes[:40]), slopes[40:])
        wanted = error_of(of_units)
        found = estimate_score(score, TWELVE, IN_GROUPS, unit_id=unit, **options)
        assert found.standard_error == pytest.approx(wanted, rel=0.05)


NUMBERS = [
    ("precision@20", {}),
    ("recall@0.1", {}),
    ("average_precision@30", {}),
    ("average_precision@30", {"normalizer": "k"}),
    ("average_precision@30", {"normalizer": "hits"}),
    ("r_precision", {}),
    ("precision_at_recall@0.6", {}),
    ("average_precision@200", {"ties": "stable"}),
]


@pytest.mark.parametrize(
    ("score", "options"), [*NUMBERS, ("average_precision@30", {"ties": "optimistic"})]
)
@pytest.mark.parametrize(("undefined", "share"), [(0.0, 2 / 3), (np.nan, 1.0)])
def test_the_mean_of_two_equal_columns_has_the_interval_of_one(
    score, options, undefined, share
):
    """One more event is in both columns, since they vary together. Only the mean is lower
    by its bias. A third column without positives has the same score in every sample, or
    is not a part of the mean.
    """
    y_true, y_score = rows_with_shift(3, 200, 40)
    one = estimate_score(score, y_true, y_score, **options)
    columns = np.stack((y_true, y_true, y_true < 0)).T, np.stack([y_score] * 3).T
    if score == "precision@20":
        share = 2 / 3
    else:
        options = options | {"zero_division": undefined}
    found = estimate_score(score, *columns, **options)
    assert found.score == pytest.approx(share * one.score)
    assert found.standard_error == pytest.approx(share * one.standard_error)
    bias = bias_of(score, y_true, y_score, **options)
    wanted = *one._changes[:3], max(bias, 0.0)
    assert found._changes == pytest.approx([share * each for each in wanted])


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_one_more_event_is_in_one_of_independent_queries(average):
    """Their mean has half of each change, and the whole bias."""
    y_true, y_score = rows_with_shift(3, 200, 40)
    one = estimate_score("average_precision", y_true, y_score)
    ids = {"query_id": np.repeat([0, 1], 200), "unit_id": np.arange(400)}
    rows = np.tile(y_true, 2), np.tile(y_score, 2)
    found = estimate_score("average_precision", *rows, **ids, average=average)
    wanted = [each / 2 for each in one._changes[:3]]
    bias = bias_of("average_precision", y_true, y_score)
    assert found._changes == pytest.approx([*wanted, bias])


def test_the_bias_of_a_difference_of_means_moves_the_endpoint_on_its_side():
    y_true, first = rows_with_shift(3, 200, 40)
    second = rows_with_shift(4, 200, 40, 0.5)[1]
    columns = [np.stack([each, np.roll(each, 9)]).T for each in (y_true, first, second)]
    pair = compare_scores("average_precision", *columns)
    biases = [
        estimate_score("average_precision", columns[0], each)._changes.elsewhere
        for each in columns[1:]
    ]
    without = replace(pair, _bias=0.0).confidence_interval()
    low, high = pair.confidence_interval()
    apart = biases[0] - biases[1]
    assert abs(apart) > 1e-4
    assert low == pytest.approx(without.low - max(apart, 0))
    assert high == pytest.approx(without.high - min(apart, 0))


def test_a_low_score_may_lack_a_positive_in_front_of_all_rows():
    """Its gain f counts by the part f / (f + T - c) of the score above chance."""
    y_true, y_score = np.arange(400) % 40 == 39, -np.arange(400.0)
    found = estimate_score("average_precision", y_true, y_score)
    rows = np.append(y_true, True), np.append(y_score, 1.0)
    gain = average_precision_score(*rows) - found.score
    above_chance = gain + max(found.score - 10 / 400, 0)
    assert found._changes.found == pytest.approx(gain**2 / above_chance)


def rows_with_shift(seed, n=800, n_positives=40, shift=1.5):
    y_true = np.arange(n) < n_positives
    return y_true, np.random.default_rng(seed).normal(size=n) + shift * y_true


# --- the first of eleven levels -------------------------------------------------------


@pytest.mark.parametrize(
    ("seed", "shift", "warns"),
    [
        # The best precision, 1, is far above the precision at the next level.
        (42, 1.0, False),
        (194, 1.0, True),
        # It is .22 or .29, far below 1.
        (96, 0.5, False),
        (41, 0.5, True),
    ],
)
def test_level_0_decides_if_its_uncertainty_exceeds_the_standard_error(
    seed, shift, warns
):
    """In these samples, both are almost equal."""
    rows = rows_with_shift(seed, shift=shift)
    message = "^The score depends mostly on recall level 0: the best precision at any"
    with warns_of("few_positives", message) if warns else nullcontext():
        estimate_score("eleven_point_average_precision", *rows)

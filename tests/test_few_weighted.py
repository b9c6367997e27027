"""The kernel of few weighted rows yields the steps of the definition, and the bits of the general kernels."""

import numpy as np
import pytest

import sklearn_ap
from rankings import HARD_SCORES, exact_steps, ranked, steps_of
from sklearn_ap import average_precision_score
from sklearn_ap._ranking._blocks import BLOCK_ROWS
from sklearn_ap._ranking._rankings import Rankings, curve_of
from sklearn_ap._ranking._summed import GroupKernel, SummedKernel

SIZES = [1, 2, 3, 60, 255, 5000]


def whole(score: np.ndarray, kernel: str | None, seed: int = 0) -> Rankings:
    """The scores, with labels and whole weights, whose sums are exact."""
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 9, score.size).astype(float)
    return ranked(rng.random(score.size) < 0.4, score, weight, np.array([0, score.size]), kernel=kernel)


def uneven(score: np.ndarray, kernel: str | None, seed: int = 0) -> Rankings:
    """The scores, with labels and weights whose sums are rounded: each order of additions has its own."""
    rng = np.random.default_rng(seed)
    weight = rng.lognormal(0, 3, score.size)
    return ranked(rng.random(score.size) < 0.4, score, weight, np.array([0, score.size]), kernel=kernel)


@pytest.mark.parametrize("size", [1, 2, 60])
@pytest.mark.parametrize("name", HARD_SCORES)
def test_steps_are_those_of_the_definition(name, size):
    score = HARD_SCORES[name](np.random.default_rng(size), size)
    rankings = whole(score, "few weighted")
    assert type(rankings.kernel) is GroupKernel
    rows = rankings.weighted_rows
    expected = exact_steps(rows.positive, rows.score, rows.weight, rows.offsets, None)
    assert steps_of(rankings) == expected
    assert steps_of(rankings) == expected  # blocks() may be called again
    assert rankings.n_found.tolist() == [rows.weight[rows.positive].sum()]
    assert rankings.n_samples.tolist() == [rows.weight.sum()]


@pytest.mark.parametrize("name", HARD_SCORES)
def test_everything_has_the_bits_of_the_general_kernel(name):
    for seed, size in enumerate(SIZES):
        score = HARD_SCORES[name](np.random.default_rng(seed), size)
        few, general = uneven(score, "few weighted", seed), uneven(score, "lexsort", seed)
        assert type(general.kernel) is SummedKernel
        assert steps_of(few) == steps_of(general)
        for total in ("n_found", "n_samples", "n_positives", "n_rows"):
            assert getattr(few, total).tolist() == getattr(general, total).tolist()
        for depth in (1.0, 2.0, size / 2, float(size), size + 9.0):
            depths = np.array([depth])
            assert few.weight_of_best(depths) == general.weight_of_best(depths)
            assert few.heaviest_positives(depths) == general.heaviest_positives(depths)
        for ours, theirs in zip(curve_of(few).points, curve_of(general).points, strict=True):
            assert ours.dtype == theirs.dtype
            assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("digits", [1, 3, 17])
def test_a_full_block_has_the_bits_of_the_general_kernel(digits):
    score = np.random.default_rng(2).normal(size=BLOCK_ROWS).round(digits)
    few = uneven(score, None)
    assert type(few.kernel) is GroupKernel
    for kernel in ("packed rows", "lexsort"):
        assert steps_of(few) == steps_of(uneven(score, kernel))
    one_more = np.append(score, 0.5)
    assert type(uneven(one_more, "few weighted").kernel) is SummedKernel


def test_a_positive_too_light_for_the_sums_is_no_step():
    weight, score = np.exp(-np.arange(60.0)), np.arange(60.0)[::-1]
    for of_pairs in (score, score // 2):
        few, general = (
            ranked(np.ones(60, dtype=bool), of_pairs, weight, np.array([0, 60]), kernel=kernel)
            for kernel in ("few weighted", "lexsort")
        )
        steps = steps_of(few)
        assert steps == steps_of(general)
        assert all(tp > above for tp, above in zip(steps["tp"], steps["tp_above"], strict=True))
        assert len(steps["tp"]) < 45


def test_without_positives_there_are_no_steps():
    for score in (np.arange(9.0), np.arange(9) // 2):
        rankings = ranked(np.zeros(9, dtype=bool), score, np.arange(9) + 1.0, np.array([0, 9]))
        assert type(rankings.kernel) is GroupKernel
        assert list(rankings.blocks()) == []
        assert rankings.n_found.tolist() == [0.0]


def test_nothing_passed_is_modified():
    rng = np.random.default_rng(3)
    for score in (rng.random(50), rng.integers(0, 5, 50)):
        arrays = rng.random(50) < 0.5, score, rng.random(50) + 0.1, np.array([0, 50])
        for array in arrays:
            array.flags.writeable = False
        before = [array.tobytes() for array in arrays]
        rankings = ranked(*arrays, kernel="few weighted")
        steps_of(rankings)
        rankings.weight_of_best(np.array([9.0]))
        curve_of(rankings)
        assert [array.tobytes() for array in arrays] == before


@pytest.mark.parametrize("shape", [(60,), (20, 3)])
def test_cells_of_a_matrix_are_one_ranking_row_by_row(shape):
    rng = np.random.default_rng(4)
    score, positive = rng.integers(0, 9, shape), rng.random(shape) < 0.4
    weight = np.broadcast_to(rng.random(shape[-1]) + 0.1, shape)
    offsets = np.array([0, score.size])
    few = ranked(positive, np.asfortranarray(score), weight, offsets, kernel="few weighted")
    assert steps_of(few) == steps_of(ranked(positive, score, weight, offsets, kernel="lexsort"))


def test_a_lone_ranking_has_the_value_that_it_has_among_others():
    rng = np.random.default_rng(5)
    lengths = [100, 1, 5000, 40, 30_000]
    query = np.repeat(np.arange(len(lengths)), lengths)
    y_true, weight = rng.random(query.size) < 0.4, rng.lognormal(0, 3, query.size)
    for y_score in (rng.random(query.size), rng.random(query.size).round(2)):
        together = average_precision_score(
            y_true, y_score, sample_weight=weight, query_id=query, average=None, zero_division=0.0
        )
        for i, value in enumerate(together):
            rows = query == i
            alone = average_precision_score(
                y_true[rows], y_score[rows], sample_weight=weight[rows], zero_division=0.0
            )
            assert alone == value


@pytest.mark.parametrize("score", [average_precision_score, sklearn_ap.interpolated_average_precision_score])
@pytest.mark.parametrize("scale", [5e-324, 2.0**-600, 2.0**600])
def test_no_scale_of_the_weights_changes_a_score(score, scale):
    rng = np.random.default_rng(9)
    y_true, y_score, weight = rng.random(60) < 0.4, rng.random(60), rng.integers(1, 9, 60).astype(float)
    assert score(y_true, y_score, sample_weight=weight * scale) == score(
        y_true, y_score, sample_weight=weight
    )

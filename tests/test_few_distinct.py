"""The kernel of few distinct scores: the steps of the definition, whatever a score's bits and its place."""

import math
from itertools import pairwise

import numpy as np
import pytest

from rankings import HARD_SCORES, exact_steps, ranked, steps_of
from sklearn_ap import average_precision_score
from sklearn_ap._areas._step import STEP
from sklearn_ap._ranking import _few_distinct
from sklearn_ap._ranking._blocks import BLOCK_ROWS
from sklearn_ap._ranking._class_weights import ClassWeightKernel
from sklearn_ap._ranking._few_distinct import (
    _MOST,
    _bits_of_scores,
    _hash_of,
    _scores_of_bits,
    few_distinct,
)
from sklearn_ap._ranking._rankings import JoinedKernel, Rankings, Rows, curve_of
from sklearn_ap._ranking._summed import GroupKernel, SummedKernel

LONG = BLOCK_ROWS + 1


def lone(score: np.ndarray, kernel: str | None, seed: int = 0, **options) -> Rankings:
    """The scores as one ranking, with labels and whole weights, whose sums are exact."""
    rng = np.random.default_rng(seed)
    weight, offsets = rng.integers(1, 9, score.size).astype(float), np.array([0, score.size])
    return ranked(rng.random(score.size) < 0.4, score, weight, offsets, kernel=kernel, **options)


@pytest.mark.parametrize("size", [1, 2, 60])
@pytest.mark.parametrize("name", HARD_SCORES)
def test_steps_are_those_of_the_definition(name, size):
    score = HARD_SCORES[name](np.random.default_rng(size), size)
    for block_rows in (1, 7, BLOCK_ROWS):
        rankings = lone(score, "few distinct", block_rows=block_rows)
        assert type(rankings.kernel) is (SummedKernel if name == "longdouble" else GroupKernel)
        rows = rankings.weighted_rows
        expected = exact_steps(rows.positive, rows.score, rows.weight, rows.offsets, None)
        assert steps_of(rankings) == expected
        assert steps_of(rankings) == expected  # blocks() may be called again
        assert rankings.n_found.tolist() == [rows.weight[rows.positive].sum()]
        assert rankings.n_samples.tolist() == [rows.weight.sum()]


@pytest.mark.parametrize("block_rows", [8, 1000, BLOCK_ROWS])
@pytest.mark.parametrize("name", HARD_SCORES)
def test_everything_is_that_of_the_general_kernel(name, block_rows):
    score = HARD_SCORES[name](np.random.default_rng(1), 300)[np.random.default_rng(2).integers(0, 300, 3000)]
    ours, theirs = lone(score, "few distinct", block_rows=block_rows), lone(score, "lexsort")
    assert steps_of(ours) == steps_of(theirs)
    for depth in (1.0, 2.0, 1500.0, 3000.0, 9999.0):
        depths = np.array([depth])
        np.testing.assert_allclose(ours.weight_of_best(depths), theirs.weight_of_best(depths), rtol=1e-15)
        assert ours.heaviest_positives(depths) == theirs.heaviest_positives(depths)
    for of_ours, of_theirs in zip(curve_of(ours).points, curve_of(theirs).points, strict=True):
        assert of_ours.dtype == of_theirs.dtype
        assert of_ours.tolist() == of_theirs.tolist()


@pytest.mark.parametrize("name", HARD_SCORES)
def test_bits_tell_scores_apart_and_give_them_back(name):
    score = HARD_SCORES[name](np.random.default_rng(3), 500)
    if score.dtype != np.longdouble:
        bits = _bits_of_scores(score)
        assert np.unique(bits).size == np.unique(score).size
        assert (_scores_of_bits(bits, score.dtype) == score).all()
        assert _scores_of_bits(bits, score.dtype).dtype == score.dtype


# Scores that no sample shows: rows between those that are looked at, in the first block or the last.
UNSEEN = {
    "none": [],
    "one": [1],
    "one per block": list(range(1, 3 * LONG, BLOCK_ROWS)),
    "in the last row": [3 * LONG - 1],
    "many at the end": list(range(3 * LONG - 300, 3 * LONG)),
}


@pytest.mark.parametrize("name", UNSEEN)
def test_scores_that_the_sample_misses_are_found(name):
    score = np.random.default_rng(4).integers(0, 100, 3 * LONG) / 100
    score[UNSEEN[name]] = 5 + np.arange(len(UNSEEN[name]))
    found = lone(score, None)
    assert type(found.kernel) is GroupKernel
    assert steps_of(found) == steps_of(lone(score, "lexsort"))


@pytest.mark.parametrize(("distinct", "kernel"), [(_MOST, GroupKernel), (_MOST + 1, SummedKernel)])
@pytest.mark.parametrize("late", [False, True])
def test_many_distinct_scores_are_sorted(distinct, kernel, late):
    score = np.arange(2 * LONG) % distinct
    if late:  # the last distinct scores stand in the last rows only
        score = np.append(np.arange(2 * LONG) % 50, np.arange(distinct))
    found = lone(score.astype(float), None)
    assert type(found.kernel) is kernel
    assert steps_of(found) == steps_of(lone(score.astype(float), "lexsort"))


@pytest.mark.parametrize("name", HARD_SCORES)
def test_no_two_known_scores_share_a_hash(name):
    score = HARD_SCORES[name](np.random.default_rng(5), _MOST)
    if score.dtype != np.longdouble:
        known = np.unique(_bits_of_scores(score))
        assert _hash_of(known).numbers(known).tolist() == list(range(known.size))


def test_a_score_with_the_hash_of_another_is_not_taken_for_it():
    scores = np.arange(10) / 10
    others = np.random.default_rng(6).random(100_000)
    number = _hash_of(_bits_of_scores(scores)).numbers(_bits_of_scores(others))
    alike = others[number > 0][:300]  # each has its hash in common with a score other than the first
    assert alike.size > 20
    score = np.append(np.resize(scores, 3 * LONG), alike)
    found = lone(score, None)
    assert type(found.kernel) is GroupKernel
    assert steps_of(found) == steps_of(lone(score, "lexsort"))


@pytest.mark.parametrize("factors", [[], [np.uint64(0)]])
def test_without_a_hash_the_rows_are_sorted(monkeypatch, factors):
    score = np.arange(LONG) % 7
    monkeypatch.setattr(_few_distinct, "_FACTORS", factors)
    found = lone(score, None)
    assert type(found.kernel) is SummedKernel
    assert steps_of(found) == steps_of(lone(score, "lexsort"))


@pytest.mark.parametrize("n_scores", [2, 101])
def test_sums_keep_their_digits(n_scores):
    rng = np.random.default_rng(7)
    positive, score = rng.random(400_000) < 0.4, rng.integers(0, n_scores, 400_000)
    for weight in (rng.random(400_000), rng.lognormal(0, 3, 400_000)):
        kernel = few_distinct(Rows(positive, score, weight, np.array([0, 400_000])))
        assert kernel.steps().rows_retrieved[0] == 400_000
        sums = zip(*kernel.points(), strict=True)
        for i, (threshold, *found) in enumerate(sums):
            assert threshold == i
            if i % 20:  # exact sums of all rows take time
                continue
            exact = math.fsum(weight[positive & (score >= i)]), math.fsum(weight[score >= i])
            assert found == pytest.approx(exact, rel=1e-13, abs=0)


def test_a_positive_too_light_for_the_sums_is_no_step():
    positive, score = np.ones(LONG, dtype=bool), np.arange(LONG) % 60
    weight = np.exp(score - 60.0)
    steps = steps_of(ranked(positive, score, weight, np.array([0, LONG])))
    assert all(tp > above for tp, above in zip(steps["tp"], steps["tp_above"], strict=True))
    assert len(steps["tp"]) < 45


def test_weights_of_classes_multiply_counts_instead():
    score, positive = np.arange(LONG) % 7, np.arange(LONG) % 3 == 0
    rankings = ranked(positive, score, np.where(positive, 0.1, 0.3), np.array([0, LONG]))
    assert type(rankings.kernel) is ClassWeightKernel


# --- beside other rankings ------------------------------------------------------------------------------

LENGTHS = [0, 5, LONG, 0, 2 * LONG, 300, 0, LONG + 9, LONG, 0, 0]
FEW = {2, 8}  # which of them have few distinct scores


def together(kernel: str | None = None, **options) -> tuple[Rankings, list[Rankings | None]]:
    """All rankings of one call, and each alone."""
    rng = np.random.default_rng(8)
    offsets = np.cumsum([0, *LENGTHS])
    parts = [rng.random(n).round(1) if i in FEW else rng.random(n) for i, n in enumerate(LENGTHS)]
    positive, score, weight = (
        rng.random(offsets[-1]) < 0.4,
        np.concatenate(parts),
        rng.lognormal(0, 3, offsets[-1]),
    )
    alone = [
        ranked(positive[a:b], score[a:b], weight[a:b], np.array([0, b - a])) if b > a else None
        for a, b in pairwise(offsets)
    ]
    return ranked(positive, score, weight, offsets, kernel=kernel, **options), alone


def test_a_ranking_has_its_own_sums_whatever_else_is_ranked():
    rankings, alone = together()
    assert type(rankings.kernel) is JoinedKernel
    assert {
        i for i in range(len(LENGTHS)) if LENGTHS[i] >= LONG and type(alone[i].kernel) is GroupKernel
    } == FEW
    depths = np.arange(len(LENGTHS)) * 50.0 + 1
    values, best = STEP.whole(rankings), rankings.weight_of_best(depths)
    for i, one in enumerate(alone):
        own = 0.0 if one is None else STEP.whole(one)[0]
        assert values[i] == own
        for quantity in ("n_found", "n_samples", "n_rows"):
            assert getattr(rankings, quantity)[i] == (0.0 if one is None else getattr(one, quantity)[0])
        assert best[i] == (0.0 if one is None else one.weight_of_best(depths[i : i + 1])[0])


def test_a_ranking_beside_one_of_few_scores_is_sorted_as_beside_any_other():
    """Also if it stands alone between them, and its weights are those of classes."""
    rng = np.random.default_rng(11)
    positive, score = rng.random(2 * LONG) < 0.4, rng.random(2 * LONG)
    weight, offsets = np.where(positive, 0.1, 0.3), np.array([0, LONG, 2 * LONG])
    weight[:LONG] = rng.random(LONG) + 0.1
    few = np.append(score[:LONG].round(1), score[LONG:])
    beside_few, beside_any = (ranked(positive, of_both, weight, offsets) for of_both in (few, score))
    assert type(beside_few.kernel) is JoinedKernel
    assert type(beside_any.kernel) is SummedKernel
    assert STEP.whole(beside_few)[1] == STEP.whole(beside_any)[1]


def test_steps_of_joined_rankings_are_in_order():
    rankings, _ = together()
    ours, theirs = steps_of(rankings), steps_of(together("lexsort")[0])
    assert ours["ranking"] == theirs["ranking"]
    for quantity in ours:
        np.testing.assert_allclose(ours[quantity], theirs[quantity], rtol=1e-12)


def test_only_long_rankings_are_looked_at(monkeypatch):
    seen = []
    monkeypatch.setattr(
        "sklearn_ap._ranking._rank.few_distinct", lambda rows, _: seen.append(rows.score.size)
    )
    rankings, _ = together()
    assert seen[:4] == [n for n in LENGTHS if n > BLOCK_ROWS]
    assert type(rankings.kernel) is SummedKernel
    seen.clear()
    together(tie_order="stable")
    assert seen == [n for n in LENGTHS if n > BLOCK_ROWS]  # each ranking alone, without an order


def test_joined_rankings_have_no_operating_points():
    with pytest.raises(TypeError, match=r"lone ranking, .* got 11 rankings"):
        curve_of(together()[0])


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", None])
def test_columns_have_the_values_that_they_have_alone(average):
    rng = np.random.default_rng(9)
    shape = (LONG, 3)
    y_true, y_score, weight = rng.random(shape) < 0.3, rng.random(shape), rng.random(LONG) + 0.1
    y_score[:, 1] = y_score[:, 1].round(1)
    y_true = y_true.astype(int)
    options = {"sample_weight": weight, "average": average}
    value = average_precision_score(y_true, y_score, **options)
    columns = [average_precision_score(y_true[:, i], y_score[:, i], sample_weight=weight) for i in range(3)]
    if average is None:
        assert value.tolist() == columns
    elif average == "micro":
        repeated = np.repeat(weight, 3)
        assert value == average_precision_score(y_true.ravel(), y_score.ravel(), sample_weight=repeated)
    else:
        heavy = None if average == "macro" else (y_true * weight[:, np.newaxis]).sum(axis=0)
        assert value == pytest.approx(np.average(columns, weights=heavy), rel=1e-14, abs=0)


def test_nothing_passed_is_modified():
    rng = np.random.default_rng(10)
    arrays = rng.random(LONG) < 0.5, rng.integers(0, 5, LONG) / 4, rng.random(LONG) + 0.1, np.array([0, LONG])
    for array in arrays:
        array.flags.writeable = False
    before = [array.tobytes() for array in arrays]
    rankings = ranked(*arrays)
    steps_of(rankings)
    rankings.weight_of_best(np.array([9.0]))
    curve_of(rankings)
    assert [array.tobytes() for array in arrays] == before

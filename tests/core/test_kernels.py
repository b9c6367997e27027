"""Every kernel, forced by name, yields the steps of the definition: on scores that are
hard to sort.
"""

from itertools import product
from typing import get_args

import numpy as np
import pytest

import sklearn_ap
from rankings import HARD_SCORES, exact_steps, hard_scores, ranked_by, steps_of
from samples import covering
from sizes import block_rows
from sklearn_ap._core.ranking.prevalence import (
    ClassWeightKernel,
    rows_in_units,
    with_factor,
)
from sklearn_ap._core.ranking.rank import rank
from sklearn_ap._core.ranking.rankings import Rows
from sklearn_ap._core.ranking.unweighted import packing_of
from sklearn_ap._core.typing import TieOrder

ORDERS = get_args(TieOrder)
BLOCK = 12
# Lengths of rankings: alone, of every size around the powers of two that pad them, with
# nothing in some.
LAYOUTS = {
    "single": [5 * BLOCK],
    "single and a row": [5 * BLOCK + 1],
    "equal": [BLOCK] * 5,
    "ragged": [0, 1, 2, 3, 0, 5, 8, 9, 0, 0, 16, 17, 1, 0],
    "one long": [1, 2, 45, 1, 1, 0, 1],
}
LABELS = ("two fifths", "one class per block", "last only", "none")


def one_ranking(positive, score, weight=None) -> Rows:
    return Rows(positive, score, weight, np.array([0, score.size]))


def draw(name: str, lengths: list[int], seed: int, labels: str = "two fifths") -> Rows:
    """Rows with whole weights, whose sums are exact."""
    rng = np.random.default_rng(seed)
    size = sum(lengths)
    score, place = hard_scores(rng, size)[name], np.arange(size)
    if labels == "one class per block":
        score = np.sort(score)
    positive = {
        "two fifths": rng.random(size) < 0.4,
        "one class per block": place // BLOCK % 2 == 0,
        "last only": place == size - 1,
        "none": place < 0,
    }[labels]
    weight = rng.integers(1, 6, size).astype(float)
    return Rows(positive, score, weight, np.cumsum([0, *lengths]))


WITHOUT_PACKING = (
    "longdouble",
    "int64 extremes",
    "uint64 from 0",
    "smallest and largest",
    "every magnitude",
    "every magnitude and sign",
    "float32 of every magnitude",  # but with scores beyond 2**101
)
# Which kernel takes which orders, with weights or without; the other orders are
# undecided with weights.
TAKES = {
    "plain": [(None, False), (None, True)],
    "merged": [(None, True)],
    "near": [(None, True)],
    "lexsort": [(None, True), ("stable", True), *product((None, *ORDERS), [False])],
    "packed": [(None, False), ("optimistic", False), ("pessimistic", False)],
    "packed rows": [(None, False), (None, True), ("stable", False), ("stable", True)],
}


def takes(kernel: str, name: str, layout: str) -> bool:
    if kernel in ("plain", "merged", "near"):
        return layout.startswith("single")
    return kernel == "lexsort" or name not in WITHOUT_PACKING


CASES = [
    case for case in product(TAKES, HARD_SCORES, LAYOUTS, LABELS) if takes(*case[:3])
]


@pytest.mark.parametrize(("kernel", "name", "layout", "labels"), covering(CASES))
def test_steps_are_those_of_the_definition(kernel, name, layout, labels):
    for seed, (ties, with_weights) in enumerate(TAKES[kernel]):
        rows = draw(name, LAYOUTS[layout], seed, labels)
        if not with_weights:
            rows = rows._replace(weight=None)
        expected = exact_steps(rows, ties)
        assert steps_of(ranked_by(kernel, rows, ties)) == expected
        for block in (1, 7, BLOCK):
            with block_rows(block):
                assert steps_of(ranked_by(kernel, rows, ties)) == expected


# name: scores of the rows that are ranked, and bounds that rows of weight 0 have left
WIDE_BOUNDS = {
    "a few powers of two away": (np.linspace(0, 1, 60), (-5.0, 5.0)),
    "of another sign": (np.linspace(3, 9, 60), (-1e-300, 1e3)),
    "of every magnitude": (np.linspace(-9, 9, 60), (-1e300, 1e300)),
    "integers of few bits": (np.arange(60), (-(2**40), 2**40)),
}


@pytest.mark.parametrize("kernel", ["packed", "packed rows"])
@pytest.mark.parametrize("name", WIDE_BOUNDS)
def test_bounds_may_be_those_of_rows_that_were_dropped(kernel, name):
    """Rows of weight 0 may hold the extremes, and are gone when the others are
    ranked.
    """
    score, bounds = WIDE_BOUNDS[name]
    rows = one_ranking(np.arange(60) % 3 == 0, score)
    assert steps_of(ranked_by(kernel, rows, bounds=bounds)) == exact_steps(rows)


def test_a_positive_too_light_for_the_sums_is_no_step():
    weight = np.exp(-np.arange(60.0))
    positive, score = np.ones(60, dtype=bool), np.arange(60.0)[::-1]
    for kernel in ("plain", "merged", "near", "lexsort", "packed rows"):
        steps = steps_of(ranked_by(kernel, one_ranking(positive, score, weight)))
        assert (np.array(steps["tp"]) > steps["tp_above"]).all()
    assert sklearn_ap.r_precision_score(positive, score, sample_weight=weight) == 1
    assert sklearn_ap.pr_auc_score(
        positive, score, sample_weight=weight, interpolation="davis-goadrich"
    ) == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize("weights", [None, np.arange(1.0, 5)])
def test_an_unknown_order_of_equal_scores_is_refused(weights):
    """Code that lists the orders must list a new one too, and not rank it as another."""
    rows = one_ranking(np.arange(4) < 2, np.zeros(4), weights)
    with pytest.raises((AssertionError, KeyError), match="worst"):
        ranked_by(None, rows, "worst")


# --- rare positives -------------------------------------------------------------------


@pytest.mark.parametrize("name", HARD_SCORES)
def test_negatives_between_rare_positives_need_no_order(name):
    rng = np.random.default_rng(0)
    score = hard_scores(rng, 20_000)[name]
    weight = rng.integers(1, 9, score.size).astype(float)
    for n_positives in (0, 1, 30, 300):
        rows = one_ranking(np.arange(score.size) < n_positives, score, weight)
        assert steps_of(ranked_by("near", rows)) == steps_of(ranked_by("lexsort", rows))


def test_many_rows_with_weights_and_rare_positives_are_not_all_sorted():
    rng = np.random.default_rng(0)
    size = 40_000
    rows = one_ranking(np.arange(size) < 100, rng.random(size), rng.random(size))
    assert rank(rows, steps_only=True).kernel._score.size < size / 4
    assert rank(rows).kernel.points().threshold.size == size


# --- equal keys -----------------------------------------------------------------------

# A key of 63 bits holds the number of the row, 17 bits of 70,000 rows, and what is left
# of the score: 46 bits. One score far below all others spreads the keys, so scores next
# to each other have equal ones.
FAR_BELOW = -1e9
N_KEYS = 70_000


def colliding(scores: str, rng: np.random.Generator) -> np.ndarray:
    match scores:
        case "a few":  # forty rows of one key, of nine scores
            score = rng.random(N_KEYS)
            score[100:140] = 0.5 + rng.integers(0, 9, 40) * 2.0**-53
        case "most":  # they differ in the last 20 of 52 bits only
            score = 1 + rng.integers(0, 2**20, N_KEYS) * 2.0**-52
        # a thousand scores next to each other, all of one key, that rise again and
        # again
        case _:
            score = 1 - (1000 - np.arange(200_000) % 1000) * 2.0**-53
    score[:9] = FAR_BELOW
    return score


@pytest.mark.parametrize("scores", ["a few", "most", "long runs"])
def test_scores_of_equal_keys_are_told_apart(scores):
    rng = np.random.default_rng(1)
    score = colliding(scores, rng)
    positive = (
        score > 1 - 32 * 2.0**-53
        if scores == "long runs"
        else rng.random(score.size) < 0.5
    )
    rows = one_ranking(positive, score, rng.integers(1, 9, score.size).astype(float))
    for ties in (None, "stable"):
        packed, sorted_rows = (
            ranked_by(kernel, rows, ties) for kernel in ("packed rows", "lexsort")
        )
        assert steps_of(packed) == steps_of(sorted_rows)


# --- weights of classes ---------------------------------------------------------------


@pytest.mark.parametrize("name", HARD_SCORES)
def test_weights_of_classes_multiply_counts(name):
    rows, of_positives = draw(name, [60], 6), [2.0, 0.1][len(name) % 2]
    weighted = rows._replace(weight=np.where(rows.positive, of_positives, 3.0))
    counted = rows_in_units(weighted)
    kernel = with_factor(rank(counted.rows), counted.factor)
    assert type(kernel.kernel) is ClassWeightKernel
    # in units of what a positive weighs
    in_units = rows._replace(weight=np.where(rows.positive, 1.0, counted.factor))
    reference = ranked_by("lexsort", in_units)
    expected, found = exact_steps(in_units), steps_of(kernel)
    for quantity in found:
        assert found[quantity] == pytest.approx(expected[quantity], rel=1e-15, abs=0)
    for ours, theirs in zip(numbers_of(kernel), numbers_of(reference), strict=True):
        np.testing.assert_allclose(ours.astype(float), theirs.astype(float), rtol=1e-14)


def numbers_of(rankings):
    """Totals, points, and what a cut can hold."""
    yield from (rankings.n_rows, rankings.total_weight, rankings.n_positives)
    yield from rankings.kernel.points()
    for depth in map(np.array, ([1.0], [7.0], [60.0], [99.0])):
        yield rankings.kernel.weight_of_best(depth)
        yield rankings.heaviest_positives(depth)


# --- packing --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("least", "most", "fits"),
    [
        (0, 2**62 - 2**51 - 1, True),
        (0, 2**62 - 2**51, False),
        (-(2**61), 2**61 - 2**51 - 1, True),
        (-(2**63), -(2**62) - 2**51 - 1, True),
        (-(2**63), -(2**62), False),
        (2**62 + 2**51, 2**63 - 1, True),
        (-(2**29), 2**29 - 1, True),
        (-(2**29), 2**29, True),
    ],
)
def test_keys_of_integers_are_finite_as_floats(least, most, fits):
    score = np.array([least, least + 1, most - 1, most])
    packing = packing_of(score, least, most)
    assert (packing is not None) == fits
    if fits:
        keys = packing.keys(score)
        assert (keys[1:] > keys[:-1]).all()
        assert np.isfinite((keys | 1).astype(np.int64).view(np.float64)).all()
        assert packing.scores(keys, score.dtype).tolist() == score.tolist()

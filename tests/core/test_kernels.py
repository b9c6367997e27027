"""Every kernel, forced by name, yields the steps of the definition: on scores that are
hard to sort.
"""

from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import pytest

import sklearn_ap
from rankings import HARD_SCORES, exact_steps, ranked_by, steps_of
from samples import covering
from sizes import block_rows
from sklearn_ap._core.ranking.prevalence import (
    ClassWeightKernel,
    rows_in_units,
    with_factor,
)
from sklearn_ap._core.ranking.rank import rank
from sklearn_ap._core.ranking.rankings import Rankings, Rows
from sklearn_ap._core.ranking.unweighted import packing_of
from sklearn_ap._core.typing import TieOrder

ORDERS = get_args(TieOrder)


@dataclass(frozen=True)
class Case:
    """Rows, and the order of equal scores."""

    positive: np.ndarray
    score: np.ndarray
    weight: np.ndarray | None
    offsets: np.ndarray
    ties: str | None = None

    def by(self, kernel: str | None, bounds: Any = None) -> Rankings:
        """These rows, ranked by a kernel."""
        rows = Rows(self.positive, self.score, self.weight, self.offsets)
        if kernel is None:
            return rank(rows, tie_order=self.ties, bounds=bounds)
        return ranked_by(kernel, rows, self.ties, bounds)


# Lengths of rankings: alone, of every size around the powers of two that pad them, with
# nothing in some.
LAYOUTS = {
    "single": [60],
    "equal": [12] * 5,
    "ragged": [0, 1, 2, 3, 0, 5, 8, 9, 0, 0, 16, 17, 1, 0],
    "one long": [1, 2, 45, 1, 1, 0, 1],
}


def draw(name: str, lengths: list[int], seed: int, **changes: Any) -> Case:
    rng = np.random.default_rng(seed)
    size = sum(lengths)
    weight = rng.integers(1, 6, size).astype(float)
    rows = Case(
        rng.random(size) < 0.4,
        HARD_SCORES[name](rng, size),
        weight,
        np.cumsum([0, *lengths]),
    )
    return Case(**{**rows.__dict__, **changes})


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
    "lexsort": [
        (None, False),
        (None, True),
        ("stable", True),
        *((ties, False) for ties in ORDERS),
    ],
    "packed": [(None, False), ("optimistic", False), ("pessimistic", False)],
    "packed rows": [(None, False), (None, True), ("stable", False), ("stable", True)],
}


def takes(kernel: str, name: str, layout: str) -> bool:
    if kernel in ("plain", "merged", "near"):
        return layout == "single"
    return kernel == "lexsort" or name not in WITHOUT_PACKING


CASES = [
    (kernel, name, layout)
    for kernel in TAKES
    for name in HARD_SCORES
    for layout in LAYOUTS
    if takes(kernel, name, layout)
]


@pytest.mark.parametrize(("kernel", "name", "layout"), covering(CASES))
def test_steps_are_those_of_the_definition(kernel, name, layout):
    for seed, (ties, with_weights) in enumerate(TAKES[kernel]):
        changes = {} if with_weights else {"weight": None}
        rows = draw(name, LAYOUTS[layout], seed, ties=ties, **changes)
        rankings = rows.by(kernel)
        expected = exact_steps(
            rows.positive, rows.score, rows.weight, rows.offsets, ties
        )
        assert steps_of(rankings) == expected
        for block in (1, 7):
            with block_rows(block):
                assert steps_of(rows.by(kernel)) == expected


# --- edges of blocks ------------------------------------------------------------------

BLOCK = 32_768  # the usual size
# name: (random generator, size, rows of a block) -> scores
AT_EDGES = {
    "continuous": lambda rng, n, block: rng.random(n),
    "of both signs": lambda rng, n, block: rng.normal(size=n) * 4,
    "few": lambda rng, n, block: rng.random(n).round(2),
    "two": lambda rng, n, block: (rng.random(n) < 0.5).astype(float),
    "tied runs across blocks": lambda rng, n, block: np.arange(n) // (block - 1) / 10,
    "tied pairs": lambda rng, n, block: np.arange(n) // 2 / n,
    "alike once cut short": lambda rng, n, block: (
        1 + rng.integers(0, 2**20, n) * 2.0**-52
    ),
    "alike once cut short, often": lambda rng, n, block: (
        1 + rng.integers(0, 8, n) * 2.0**-52 + rng.random(n).round(3)
    ),
}
# name: (random generator, size, rows of a block) -> labels
LABELS = {
    "half": lambda rng, n, block: rng.random(n) < 0.5,
    "one class per block": lambda rng, n, block: np.arange(n) // block % 2 == 0,
    "rare": lambda rng, n, block: rng.random(n) < 0.001,
    "last only": lambda rng, n, block: np.arange(n) == n - 1,
    "none": lambda rng, n, block: np.zeros(n, dtype=bool),
}


def at_edges(scores: str, labels: str, size: int, block: int) -> tuple[Case, Case]:
    """A ranking without weights, and the same with whole weights, whose sums are
    exact.
    """
    rng = np.random.default_rng(size)
    score, positive = (
        AT_EDGES[scores](rng, size, block),
        LABELS[labels](rng, size, block),
    )
    if labels == "one class per block":
        score = np.sort(score)
    weight, offsets = rng.integers(1, 9, size).astype(float), np.array([0, size])
    return Case(positive, score, None, offsets), Case(positive, score, weight, offsets)


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
    rows = Case(np.arange(60) % 3 == 0, score, None, np.array([0, 60]))
    expected = exact_steps(rows.positive, rows.score, None, rows.offsets, None)
    assert steps_of(rows.by(kernel, bounds=bounds)) == expected


def test_a_positive_too_light_for_the_sums_is_no_step():
    weight = np.exp(-np.arange(60.0))
    positive, score = np.ones(60, dtype=bool), np.arange(60.0)[::-1]
    for kernel in ("plain", "merged", "near", "lexsort", "packed rows"):
        steps = steps_of(Case(positive, score, weight, np.array([0, 60])).by(kernel))
        assert all(
            tp > above for tp, above in zip(steps["tp"], steps["tp_above"], strict=True)
        )
    assert sklearn_ap.r_precision_score(positive, score, sample_weight=weight) == 1
    assert sklearn_ap.pr_auc_score(
        positive, score, sample_weight=weight, interpolation="davis-goadrich"
    ) == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize("weights", [None, np.arange(1.0, 5)])
def test_an_unknown_order_of_equal_scores_is_refused(weights):
    """Code that lists the orders must list a new one too, and not rank it as another."""
    rows = Case(np.arange(4) < 2, np.zeros(4), weights, np.array([0, 4]), "worst")
    with pytest.raises((AssertionError, KeyError), match="worst"):
        rows.by(None)


# --- rare positives -------------------------------------------------------------------

RARE = {
    "between 0 and 1": lambda rng, n: rng.random(n),
    "of both signs": lambda rng, n: rng.normal(size=n),
    "of every magnitude": lambda rng, n: np.exp(20 * rng.normal(size=n)),
    "mostly 0": lambda rng, n: np.maximum(rng.random(n) - 0.9, 0.0),
    "integers": lambda rng, n: rng.integers(-(2**60), 2**60, n),
    "largest": lambda rng, n: rng.uniform(-1, 1, n) * 1.7e308,
}


@pytest.mark.parametrize("scores", RARE)
@pytest.mark.parametrize("n_positives", [0, 1, 30, 300])
def test_negatives_between_rare_positives_need_no_order(scores, n_positives):
    rng = np.random.default_rng(n_positives)
    size = 40_000
    score, positive = RARE[scores](rng, size), np.arange(size) < n_positives
    weight = rng.integers(1, 9, size).astype(float)
    rows = Case(positive, score, weight, np.array([0, size]))
    assert steps_of(rows.by("near")) == steps_of(rows.by("lexsort"))


def test_many_rows_with_weights_and_rare_positives_are_not_all_sorted():
    rng = np.random.default_rng(0)
    size = 40_000
    rows = Rows(
        np.arange(size) < 100, rng.random(size), rng.random(size), np.array([0, size])
    )
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
    weight = rng.integers(1, 9, score.size).astype(float)
    for ties in (None, "stable"):
        rows = Case(positive, score, weight, np.array([0, score.size]), ties)
        assert steps_of(rows.by("packed rows")) == steps_of(rows.by("lexsort"))


# --- weights of classes ---------------------------------------------------------------


@pytest.mark.parametrize("name", HARD_SCORES)
def test_weights_of_classes_multiply_counts(name):
    rows, of_positives = draw(name, [60], 6), [2.0, 0.1][len(name) % 2]
    weight = np.where(rows.positive, of_positives, 3.0)
    weighted = Rows(rows.positive, rows.score, weight, rows.offsets)
    counted = rows_in_units(weighted)
    kernel = with_factor(rank(counted.rows), counted.factor)
    assert type(kernel.kernel) is ClassWeightKernel
    # in units of what a positive weighs
    in_units = Case(
        rows.positive,
        rows.score,
        np.where(rows.positive, 1.0, counted.factor),
        rows.offsets,
    )
    reference = in_units.by("lexsort")
    expected = exact_steps(
        rows.positive, rows.score, in_units.weight, rows.offsets, None
    )
    found = steps_of(kernel)
    for quantity in found:
        assert found[quantity] == pytest.approx(expected[quantity], rel=1e-15, abs=0)
    for total in ("n_rows", "total_weight", "n_positives"):
        np.testing.assert_allclose(
            getattr(kernel, total), getattr(reference, total), rtol=1e-14
        )
    for depth in map(np.array, ([1.0], [7.0], [60.0], [99.0])):
        for ours, theirs in (
            (kernel.kernel.weight_of_best, reference.kernel.weight_of_best),
            (kernel.heaviest_positives, reference.heaviest_positives),
        ):
            np.testing.assert_allclose(ours(depth), theirs(depth), rtol=1e-14)
    for ours, theirs in zip(
        kernel.kernel.points(), reference.kernel.points(), strict=True
    ):
        np.testing.assert_allclose(ours.astype(float), theirs.astype(float), rtol=1e-14)


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


@pytest.mark.parametrize("size", [8, 17])
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("scores", AT_EDGES)
def test_edges_of_small_blocks_are_those_of_the_definition(scores, labels, size):
    counted, whole = at_edges(scores, labels, size, block=8)
    for rows, kernels in (
        (counted, TAKES),
        (whole, ("plain", "merged", "lexsort", "packed rows")),
    ):
        expected = exact_steps(
            rows.positive, rows.score, rows.weight, rows.offsets, None
        )
        for kernel in kernels:
            with block_rows(8):
                assert steps_of(rows.by(kernel)) == expected

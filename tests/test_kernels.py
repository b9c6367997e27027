"""Every kernel, forced by name, yields the steps of the definition: on scores that are hard to sort."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from problems import block_rows
from rankings import HARD_SCORES, exact_steps, steps_of
from sklearn_ap._ranking import cut_depth, rank
from sklearn_ap._ranking._class_weights import ClassWeightedRankings, class_weights
from sklearn_ap._ranking._cut import CutRankings, FirstRows
from sklearn_ap._ranking._keys import packing_of
from sklearn_ap._ranking._packed import PackedRankings
from sklearn_ap._ranking._sorted import SortedRankings
from sklearn_ap._ranking._two_sorts import TwoSortRankings
from sklearn_ap._ranking._weighted import WeightedRankings

ORDERS = ("stable", "optimistic", "pessimistic")


@dataclass(frozen=True)
class Rows:
    """What `rank` takes."""

    positive: np.ndarray
    score: np.ndarray
    weight: np.ndarray | None
    offsets: np.ndarray
    ties: str | None = None

    @property
    def packing(self) -> Any:
        return packing_of(self.score, self.score.min(), self.score.max())


def plain(rows: Rows) -> SortedRankings:
    return SortedRankings(rows.positive, rows.score, rows.weight, rows.offsets, ties=rows.ties)


def packed(rows: Rows) -> PackedRankings | None:
    if rows.packing is None or rows.weight is not None or rows.ties == "stable":
        return None
    return PackedRankings(rows.positive, rows.score, rows.offsets, packing=rows.packing, ties=rows.ties)


def two_sorts(rows: Rows) -> TwoSortRankings | None:
    if rows.weight is not None or rows.ties is not None or rows.offsets.size > 2:
        return None
    return TwoSortRankings(rows.positive, rows.score)


def weighted(rows: Rows) -> WeightedRankings | None:
    if rows.packing is None or rows.ties in ("optimistic", "pessimistic"):
        return None
    bounds = np.array([rows.score.min(), rows.score.max()], dtype=rows.score.dtype)
    how = {"packing": rows.packing, "bounds": bounds, "ties": rows.ties}
    return WeightedRankings(rows.positive, rows.score, rows.weight, rows.offsets, **how)


KERNELS: dict[str, Callable[[Rows], Any]] = {
    "plain": plain,
    "packed": packed,
    "two sorts": two_sorts,
    "weighted": weighted,
}
# Lengths of rankings: alone, of every size around the powers of two that pad them, with nothing in some.
LAYOUTS = {
    "lone": [60],
    "equal": [12] * 5,
    "ragged": [0, 1, 2, 3, 0, 5, 8, 9, 0, 0, 16, 17, 1, 0],
    "one long": [1, 2, 45, 1, 1, 0, 1],
}


def draw(name: str, lengths: list[int], seed: int, **changes: Any) -> Rows:
    rng = np.random.default_rng(seed)
    size = sum(lengths)
    weight = rng.integers(1, 6, size).astype(float)
    rows = Rows(rng.random(size) < 0.4, HARD_SCORES[name](rng, size), weight, np.cumsum([0, *lengths]))
    return Rows(**{**rows.__dict__, **changes})


@pytest.mark.parametrize("ties", [None, *ORDERS])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", HARD_SCORES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_steps_are_those_of_the_definition(kernel, name, layout, ties):
    weights = [{"weight": None}]
    if ties in (None, "stable"):  # unequal weights leave the other orders undecided, and are refused
        weights.append({})
    for seed, changes in enumerate(weights):
        rows = draw(name, LAYOUTS[layout], seed, ties=ties, **changes)
        rankings = KERNELS[kernel](rows)
        if rankings is None:
            continue
        expected = exact_steps(rows.positive, rows.score, rows.weight, rows.offsets, ties)
        assert steps_of(rankings) == expected
        for block in (1, 2, 7):
            with block_rows(block):
                assert steps_of(KERNELS[kernel](rows)) == expected


@pytest.mark.parametrize("name", HARD_SCORES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_operating_points_are_the_distinct_scores(kernel, name):
    rows = draw(name, [60], 3, weight=None)
    rankings = KERNELS[kernel](rows)
    if rankings is None:
        return
    points = rankings.points()
    assert points.threshold.dtype == rows.score.dtype
    assert points.threshold.tolist() == np.unique(rows.score).tolist()
    for threshold, tp, retrieved in zip(*points, strict=True):
        assert retrieved == np.count_nonzero(rows.score >= threshold)
        assert tp == np.count_nonzero(rows.positive[rows.score >= threshold])


# --- blocks of the usual size ---------------------------------------------------------------------------

BLOCK = 32_768
LARGE = {
    "continuous": lambda rng, n: rng.random(n),
    "of both signs": lambda rng, n: rng.normal(size=n) * 4,
    "few": lambda rng, n: rng.random(n).round(2),
    "two": lambda rng, n: (rng.random(n) < 0.5).astype(float),
    "tied runs across blocks": lambda rng, n: np.arange(n) // (BLOCK - 1) / 10,
    "tied pairs": lambda rng, n: np.arange(n) // 2 / n,
    "alike once cut short": lambda rng, n: 1 + rng.integers(0, 2**20, n) * 2.0**-52,
    "alike once cut short, often": lambda rng, n: (
        1 + rng.integers(0, 8, n) * 2.0**-52 + rng.random(n).round(3)
    ),
}
LABELS = {
    "half": lambda rng, n: rng.random(n) < 0.5,
    "one class a block": lambda rng, n: np.arange(n) // BLOCK % 2 == 0,
    "rare": lambda rng, n: rng.random(n) < 0.001,
    "last only": lambda rng, n: np.arange(n) == n - 1,
    "none": lambda rng, n: np.zeros(n, dtype=bool),
}


@pytest.mark.parametrize("size", [BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 1])
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("scores", LARGE)
def test_kernels_agree_at_the_edges_of_blocks(scores, labels, size):
    rng = np.random.default_rng(size)
    score, positive = LARGE[scores](rng, size), LABELS[labels](rng, size)
    if labels == "one class a block":
        score = np.sort(score)
    counted = Rows(positive, score, None, np.array([0, size]))
    expected = steps_of(plain(counted))
    # Counts from Python's point of view: of each score, and of each score of a positive.
    values, rows_of = np.unique(score, return_counts=True)
    assert expected["rows_retrieved"] == (
        np.cumsum(rows_of[::-1])[::-1][np.isin(values, score[positive])].tolist()
    )
    for kernel in (packed, two_sorts, weighted):
        assert steps_of(kernel(counted)) == expected
    whole = Rows(positive, score, rng.integers(1, 9, size).astype(float), np.array([0, size]))
    assert steps_of(weighted(whole)) == steps_of(plain(whole))


@pytest.mark.parametrize("kernel", [packed, weighted])
def test_rankings_of_every_length_at_once(kernel):
    rng = np.random.default_rng(8)
    lengths = [*range(70), 2047, 2048, 2049, 0, 4095, 4096, 4097, 1, BLOCK, 3, 2 * BLOCK + 5, 2]
    size = sum(lengths)
    for score in (rng.random(size), rng.random(size).round(1), rng.integers(0, 2**20, size) * 2.0**-52 + 1):
        rows = Rows(rng.random(size) < 0.3, score, None, np.cumsum([0, *lengths]))
        assert steps_of(kernel(rows)) == steps_of(plain(rows))


@pytest.mark.parametrize("ties", [None, *ORDERS])
@pytest.mark.parametrize("kernel", [packed, weighted])
def test_columns_of_a_matrix(kernel, ties):
    rng = np.random.default_rng(9)
    positive, score = rng.random((5000, 11)) < 0.4, rng.random((5000, 11)).round(3)
    rows = Rows(positive.T, score.T, None, np.arange(12) * 5000, ties)
    if (rankings := kernel(rows)) is not None:
        assert steps_of(rankings) == steps_of(plain(rows))


@pytest.mark.parametrize("kernel", KERNELS)
def test_nothing_passed_is_modified(kernel):
    for ties in (None, *ORDERS):
        rows = draw("decision values", [60], 5, weight=None, ties=ties)
        for array in (rows.positive, rows.score, rows.offsets):
            array.setflags(write=False)
        rankings = KERNELS[kernel](rows)
        assert rankings is None or list(rankings.blocks())


# --- which kernel ---------------------------------------------------------------------------------------

N = 40_000
X, RARE = np.random.default_rng(0).random(N), np.arange(N) % 50 == 0
ALONE, HALVES = np.array([0, N]), np.array([0, N // 2, N])


@pytest.mark.parametrize(
    ("kernel", "arguments", "options"),
    [
        (PackedRankings, (X > 0.5, X, None, ALONE), {}),
        (PackedRankings, (X > 0.5, -9 * X, None, ALONE), {"ties": "optimistic"}),
        (PackedRankings, (RARE, X, None, HALVES), {}),
        (PackedRankings, (RARE[:900], X[:900], None, np.array([0, 900])), {}),
        (TwoSortRankings, (RARE, X, None, ALONE), {}),
        (TwoSortRankings, (X > 0.5, X.astype(np.longdouble), None, ALONE), {}),
        (WeightedRankings, (X > 0.5, X, X + 1, ALONE), {}),
        (WeightedRankings, (X > 0.5, X, X + 1, HALVES), {"ties": "stable"}),
        (WeightedRankings, (X > 0.5, X, None, ALONE), {"ties": "stable"}),
        (ClassWeightedRankings, (RARE, X, RARE + 0.5, ALONE), {}),
        (WeightedRankings, (RARE, X, RARE + 0.5, ALONE), {"ties": "stable"}),
        (SortedRankings, (X > 0.5, X.astype(np.longdouble), X + 1, ALONE), {}),
        (SortedRankings, (X > 0.5, X.astype(np.longdouble), None, HALVES), {}),
        (CutRankings, (X > 0.5, X, None, ALONE), {"k": 10}),
        (CutRankings, (X > 0.5, X, X + 1, HALVES), {"k": 0.05}),
        (PackedRankings, (X > 0.5, X, None, ALONE), {"k": N}),
    ],
)
def test_rank_takes_the_kernel_for_the_case(kernel, arguments, options):
    assert type(rank(*arguments, **options)) is kernel


def test_collisions_beyond_a_few_are_left_to_the_plain_sort(monkeypatch):
    rng = np.random.default_rng(1)
    score = 1 + rng.integers(0, 2**20, 70_000) * 2.0**-52  # 17 bits number the rows, 46 are left to 52
    score[:9] = -1e9
    rows = Rows(rng.random(score.size) < 0.5, score, rng.random(score.size), np.array([0, score.size]))
    mended = []
    monkeypatch.setattr(WeightedRankings, "_mend", lambda *_: mended.append(1))
    assert steps_of(weighted(rows)) == steps_of(plain(rows))
    assert not mended


def test_few_collisions_are_mended():
    rng = np.random.default_rng(1)
    score = rng.random(70_000)
    score[:9] = -1e9
    score[100:140] = 0.5 + rng.integers(0, 9, 40) * 2.0**-53
    rows = Rows(
        rng.random(score.size) < 0.5, score, rng.integers(1, 9, score.size) * 1.0, np.array([0, 70_000])
    )
    for ties in (None, "stable"):
        tied = Rows(**{**rows.__dict__, "ties": ties})
        kernel = weighted(tied)
        assert kernel._is_cut
        assert steps_of(kernel) == steps_of(plain(tied))


# --- weights of classes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("of_positives", [2.0, 0.1])
@pytest.mark.parametrize("name", HARD_SCORES)
def test_weights_of_classes_multiply_counts(name, of_positives):
    rows = draw(name, [60], 6)
    rows = Rows(rows.positive, rows.score, np.where(rows.positive, of_positives, 3.0), rows.offsets)
    kernel, reference = rank(rows.positive, rows.score, rows.weight, rows.offsets), plain(rows)
    assert type(kernel) is ClassWeightedRankings
    expected = exact_steps(rows.positive, rows.score, rows.weight, rows.offsets, None)
    found = steps_of(kernel)
    for quantity in found:
        assert found[quantity] == pytest.approx(expected[quantity], rel=1e-15)
    for total in ("n_rows", "n_samples", "n_positives"):
        np.testing.assert_allclose(getattr(kernel, total), getattr(reference, total), rtol=1e-14)
    for depth in ([1.0], [7.0], [60.0], [99.0]):
        for question in ("weight_of_best", "heaviest_positives"):
            ours, theirs = (getattr(one, question)(np.array(depth)) for one in (kernel, reference))
            np.testing.assert_allclose(ours, theirs, rtol=1e-14)
    for ours, theirs in zip(kernel.points(), reference.points(), strict=True):
        np.testing.assert_allclose(ours.astype(float), theirs.astype(float), rtol=1e-14)
    assert kernel.with_n_positives(np.array([99.0])).n_positives.tolist() == [99.0]


def test_weights_of_classes_are_found_only_where_they_are():
    positive = np.arange(70_000) % 3 == 0
    weight = np.where(positive, 2.0, 0.5)
    assert class_weights(positive, weight) == (2.0, 0.5)
    for row in (0, 1, 69_998, 69_999):
        changed = weight.copy()
        changed[row] += 1
        assert class_weights(positive, changed) is None


# --- packing --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HARD_SCORES)
def test_keys_keep_the_order_and_give_the_score_back(name):
    score = np.unique(HARD_SCORES[name](np.random.default_rng(7), 500))
    packing = packing_of(score, score.min(), score.max())
    unpackable = ("longdouble", "int64 extremes", "uint64 from 0", "smallest and largest")
    unpackable += ("every magnitude and sign",)
    assert (packing is None) == (name in unpackable)
    if packing is not None:
        keys = packing.keys(score)
        assert (keys[1:] > keys[:-1]).all()
        assert not (keys & 1).any()
        assert packing.scores(keys, score.dtype).tolist() == score.tolist()
        assert packing.scores(keys | 1, score.dtype).dtype == score.dtype


def test_small_scores_have_small_keys():
    for score in (np.float32([-7, 1e6]), np.float16([-7, 1]), np.int64([5, 10**9]), np.array([True, False])):
        assert packing_of(score, score.min(), score.max()).key == np.int32


# --- cuts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", [[3000], [1000, 0, 2500, 7, 1200]])
@pytest.mark.parametrize("digits", [1, 3, 15])
@pytest.mark.parametrize("k", [1, 2, 30, 0.01, 5000])
def test_first_rows_hold_all_that_the_cut_can_see(k, digits, layout):
    rng = np.random.default_rng(3)
    size = sum(layout)
    positive, score = rng.random(size) < 0.3, rng.random(size).round(digits)
    weight = rng.integers(1, 9, size).astype(float)
    offsets = np.cumsum([0, *layout])
    for weights in (None, weight):
        whole = rank(positive, score, weights, offsets)
        rows = FirstRows(score, offsets, k)
        first = rank(
            rows.of(positive), rows.of(score), None if weights is None else rows.of(weights), rows.offsets
        )
        cut = CutRankings(first, rows, positive, weights)
        for name in ("n_rows", "n_positives", "n_samples"):
            assert getattr(cut, name).tolist() == getattr(whole, name).tolist()
        depth = cut_depth(whole.n_rows, k)
        best = whole.weight_of_best(depth).tolist()
        assert cut.weight_of_best(depth).tolist() == pytest.approx(best, rel=1e-14)
        assert cut.heaviest_positives(depth).tolist() == whole.heaviest_positives(depth).tolist()
        assert visible(cut, depth) == visible(whole, depth)
        assert cut.with_n_positives(whole.n_rows).n_positives.tolist() == whole.n_rows.tolist()


def visible(rankings: Any, depth: np.ndarray) -> list[tuple]:
    """The steps that have a row within the first `depth` of their ranking."""
    steps = steps_of(rankings)
    rows = zip(
        *(steps[name] for name in ("ranking", "rows_above", "tp", "tp_above", "retrieved")), strict=True
    )
    return [row for row in rows if row[1] < depth[row[0]]]


# --- without SIMD ---------------------------------------------------------------------------------------


def test_all_of_this_holds_without_simd():
    """Numpy sorts by other code where the machine has no vector instructions."""
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    tests = [
        __file__,
        "-q",
        "-p",
        "no:cacheprovider",
        "-k",
        "definition or edges or every_length or keys_keep",
    ]
    subprocess.run(
        [sys.executable, "-m", "pytest", *tests],
        check=True,
        env={**os.environ, "NPY_DISABLE_CPU_FEATURES": " ".join(found)},
    )

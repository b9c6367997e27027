"""The short way of lone, short rankings comes to the same as the long one, bit by bit."""

import os
import subprocess
import sys
from functools import partial
from itertools import product

import numpy as np
import pytest

from rankings import HARD_SCORES, exact_steps, ranked, steps_of
from sklearn_ap import _averaging, average_precision_score
from sklearn_ap._family import FAMILY
from sklearn_ap._ranking import FEW_ROWS, _rank, curve_of
from sklearn_ap._ranking._few import FewKernel
from sklearn_ap._ranking._keys import packing_of
from sklearn_ap._ranking._packed import PackedKernel

PACKED = [
    name for name, draw in HARD_SCORES.items() if draw(np.random.default_rng(0), 2).dtype != "longdouble"
]
SIZES = (1, 2, 3, 60)


def drawn(name, size, share=0.4):
    """Labels and scores; every generator draws anew for a size."""
    rng = np.random.default_rng(size)
    return rng.random(size) < share, HARD_SCORES[name](rng, size)


def sorted_by(kernel, positive, score):
    return ranked(positive, score, None, np.array([0, score.size]), kernel=kernel)


@pytest.mark.parametrize(("name", "share"), list(product(PACKED, (0.4, 0, 1))))
def test_steps_are_those_of_the_definition(name, share):
    for size in SIZES:
        positive, score = drawn(name, size, share)
        if packing_of(score, score.min(), score.max()) is None:
            continue
        few = sorted_by("few", positive, score)
        assert type(few.kernel) is FewKernel
        assert steps_of(few) == exact_steps(positive, score, None, [0, size], None)
        packed = sorted_by("packed", positive, score)
        for kernel, other in zip(curve_of(few).points, curve_of(packed).points, strict=True):
            assert kernel.dtype == other.dtype
            assert kernel.tolist() == other.tolist()
        for depth in (0.0, 1.0, size - 0.5, size + 1.0):
            best = [ranking.weight_of_best(np.array([depth])).tolist() for ranking in (few, packed)]
            assert best[0] == best[1]
        assert few.kernel.n_samples.tolist() == packed.kernel.n_samples.tolist() == [size]


@pytest.mark.parametrize("size", [FEW_ROWS - 1, FEW_ROWS])
@pytest.mark.parametrize("digits", [1, 3, 17])
def test_the_longest_short_rankings(size, digits):
    rng = np.random.default_rng(size)
    positive, score = rng.random(size) < 0.5, rng.random(size).round(digits)
    assert steps_of(sorted_by("few", positive, score)) == steps_of(sorted_by("packed", positive, score))
    everywhere = np.ones(size, dtype=bool)
    assert steps_of(sorted_by("few", everywhere, score)) == steps_of(sorted_by("packed", everywhere, score))


def test_only_lone_short_rankings_without_weights_or_order_are_few():
    rng = np.random.default_rng(0)
    positive, score, weight = rng.random(5000) < 0.5, rng.random(5000), rng.random(5000)
    lone = np.array([0, FEW_ROWS])
    first = positive[:FEW_ROWS], score[:FEW_ROWS]
    assert type(ranked(*first, None, lone).kernel) is FewKernel
    assert type(ranked(*first, None, np.array([0, 9, FEW_ROWS])).kernel) is PackedKernel
    assert type(ranked(*first, None, lone, tie_order="optimistic").kernel) is PackedKernel
    assert type(ranked(positive, score, None, np.array([0, 5000])).kernel) is PackedKernel
    more = slice(FEW_ROWS + 1)
    assert type(ranked(positive[more], score[more], None, np.array([0, FEW_ROWS + 1])).kernel) is PackedKernel
    assert type(ranked(*first, weight[:FEW_ROWS], lone).kernel) is not FewKernel
    columns = positive[:10].reshape(5, 2), score[:10].reshape(5, 2)
    assert type(ranked(*columns, None, np.array([0, 10])).kernel) is PackedKernel


def by_both_ways(monkeypatch, function, *arguments, **options):
    """What the short way and the long way answer."""
    ask = partial(function, *arguments, **options)
    short = ask()
    with monkeypatch.context() as patch:
        patch.setattr(_averaging, "FEW_ROWS", 0)
        patch.setattr(_rank, "FEW_ROWS", 0)
        return short, ask()


@pytest.mark.parametrize("number", FAMILY, ids=lambda number: number.name)
@pytest.mark.parametrize("name", PACKED)
def test_every_score_is_the_same_to_the_bit(number, name, monkeypatch):
    for size in (*SIZES, 300):
        positive, score = drawn(name, size)
        positive[0] = True
        short, long = by_both_ways(monkeypatch, number.score, positive, score, **number.options)
        assert short == long
        assert type(short) is type(long) is float


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", "samples", None])
@pytest.mark.parametrize(
    "labels", [np.array([0, 1, 1, 0]), np.zeros(4), np.array([[0, 1], [1, 0], [1, 1], [0, 1]])]
)
def test_averages_are_the_same(labels, average, monkeypatch):
    score = np.array([0.1, 0.4, 0.35, 0.4])
    score = score if labels.ndim == 1 else np.stack((score, 1 - score), axis=1)
    short, long = by_both_ways(
        monkeypatch, average_precision_score, labels, score, average=average, zero_division=0.0
    )
    assert np.array_equal(short, long)
    assert type(short) is type(long)


def test_the_short_way_does_not_rank_at_length(monkeypatch):
    monkeypatch.setattr(_averaging, "rankings_in", None)
    score = np.linspace(0, 1, FEW_ROWS + 1)
    assert average_precision_score(score[1:] > 0.5, score[1:]) == 1
    with pytest.raises(TypeError, match="not callable"):
        average_precision_score(score > 0.5, score)


def test_counts_that_rankings_share_cannot_be_written_to():
    few = sorted_by("few", np.array([True, False]), np.array([0.5, 0.25]))
    for steps in few.blocks():
        with pytest.raises(ValueError, match="read-only"):
            steps.tp[0] = 7


def test_all_of_this_holds_without_simd():
    """Numpy sorts by other code where the machine has no vector instructions."""
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    command = [sys.executable, "-m", "pytest", __file__, "-q", "-p", "no:cacheprovider", "-k", "not simd"]
    subprocess.run(command, check=True, env={**os.environ, "NPY_DISABLE_CPU_FEATURES": " ".join(found)})

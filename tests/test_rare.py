"""Rare positives: only rows near one of them are sorted, and the steps are those of all rows."""

import numpy as np
import pytest

from rankings import HARD_SCORES, LARGEST, ranked, steps_of
from sklearn_ap._ranking._rankings import Rows, curve_of
from sklearn_ap._ranking._rare import RareKernel, _as_bits, _as_floats, bins_of

N = 20_000
LONE = np.array([0, N])


def rare(score, seed=0, share=0.002):
    """Rows with positives among the lowest and the highest scores, and in tied groups."""
    positive = np.random.default_rng(seed).random(score.size) < share
    positive[[score.argmin(), score.argmax()]] = True
    return positive


@pytest.mark.parametrize("name", HARD_SCORES)
def test_steps_are_those_of_every_other_kernel(name):
    score = HARD_SCORES[name](np.random.default_rng(1), N)
    for labels in (rare(score), ~rare(score), np.zeros(N, dtype=bool)):
        expected = ranked(labels, score, None, LONE, kernel="lexsort")
        for block in (7, 32_768):
            rankings = ranked(labels, score, None, LONE, kernel="rare", block_rows=block)
            assert type(rankings.kernel) is RareKernel
            assert steps_of(rankings) == steps_of(expected)
            assert rankings.n_found == expected.n_found
    found, wanted = (curve_of(one).points for one in (rankings, expected))
    for values, others in zip(found, wanted, strict=True):
        assert values.tolist() == others.tolist()
        assert values.dtype == others.dtype


def normal(rng):
    return rng.normal(size=N)


# name: (scores, how bins read them, or None if bins do not keep rows apart)
SPREADS = {
    "probabilities": (lambda rng: rng.random(N), _as_floats),
    "decision values": (lambda rng: 3 * normal(rng), _as_floats),
    "float32": (lambda rng: normal(rng).astype(np.float32), _as_floats),
    "float16": (lambda rng: normal(rng).astype(np.float16), _as_floats),
    "subnormals": (lambda rng: rng.random(N) * 1e-310, _as_floats),
    "integers": (lambda rng: rng.integers(-(2**62), 2**62, N), _as_floats),
    "unsigned integers": (lambda rng: rng.integers(2**63, 2**64 - 1, N, dtype=np.uint64), _as_floats),
    "far from 0": (lambda rng: 1e9 + rng.random(N), _as_floats),
    "longdouble": (lambda rng: 1e9 + rng.random(N).astype(np.longdouble), _as_floats),
    "probabilities crowded at 0": (lambda rng: 1 / (1 + np.exp(12 - 3 * normal(rng))), _as_bits),
    "crowded, float32": (lambda rng: np.exp(8 * normal(rng)).astype(np.float32), _as_bits),
    "heavy tails of both signs": (lambda rng: rng.standard_cauchy(N) ** 5, None),
    "the whole range of floats": (lambda rng: np.append(1, 2 * rng.random(N - 1) - 1) * LARGEST, None),
    "constant": (lambda rng: np.full(N, 0.3), None),
}


@pytest.mark.parametrize("name", SPREADS)
def test_most_rows_are_not_sorted_where_bins_keep_them_apart(name):
    draw, read = SPREADS[name]
    score = draw(np.random.default_rng(2))
    positive = rare(score)
    bins = bins_of(Rows(positive, score, None, LONE), (score.min(), score.max()))
    assert (bins and bins.read) == read
    if bins is None:
        assert RareKernel(Rows(positive, score, None, LONE), bins)._near.size == N
    else:
        in_order = np.sort(score)
        place = bins.of(in_order)
        assert (np.diff(place) >= 0).all()
        assert 0 <= place[0] <= place[-1] < bins.held.size
        near, _ = bins.near(score)
        assert positive.sum() <= near.size < N / 4
        assert set(score[positive]) <= set(near)


def test_positives_that_are_not_rare_leave_no_row_apart():
    rng = np.random.default_rng(3)
    score, labels = rng.random(N), rng.random(N)
    for share, apart in ((0.001, True), (0.02, True), (0.3, False)):
        bins = bins_of(Rows(labels < share, score, None, LONE), (score.min(), score.max()))
        assert (bins is not None) == apart

"""Scores multiplied by a power of two: used where that rounds nothing, and found out
where it does.
"""

import numpy as np
import pytest

from rankings import exact_steps, ranked, steps_of
from sklearn_ap._ranking._unweighted import PackedKernel, packing_of


def packed(positive, score, **options):
    return ranked(
        positive, score, None, np.array([0, score.size]), kernel="packed", **options
    )


def is_scaled(rankings):
    return (
        isinstance(rankings.kernel, PackedKernel)
        and rankings.kernel._packing.scale is not None
    )


# The smallest number that a product may be, where the largest score becomes .5 to 1:
# divided by its exponent.
LARGE = {
    np.float64: (1.5 * 2.0**700, 701 - 1022),
    np.float32: (1.5 * 2.0**99, 100 - 126),
}


@pytest.mark.parametrize("dtype", LARGE)
@pytest.mark.parametrize("sign", [-1, 1])
def test_products_that_were_rounded_are_found_out(dtype, sign):
    """Also one that was rounded up, to the smallest normal number, on which another
    score may stand.
    """
    largest, exponent = LARGE[dtype]
    smallest = np.ldexp(dtype(1), exponent)
    below, above = np.nextafter(smallest, dtype(0)), np.nextafter(smallest, dtype(1))
    scale = packing_of(np.array([largest], dtype), -largest, largest).scale
    assert below * scale == smallest * scale != above * scale
    for tiny, exact in (
        ([above], True),
        ([above, 0.0, -0.0], True),
        ([0.0, -0.0], True),
        ([smallest], False),
        ([below], False),
        ([below, smallest], False),
        ([below / 2, 0.0], False),
        ([below / 2**30], False),
        ([np.nextafter(dtype(0), dtype(1))], False),
    ):
        score = np.array([*tiny, largest, -largest, 1.0], dtype=dtype) * dtype(sign)
        positive = np.arange(score.size) % 2 == 0
        for labels in (positive, ~positive):
            rankings = packed(labels, score)
            assert is_scaled(rankings) == exact
            expected = exact_steps(labels, score, None, [0, score.size], None)
            assert steps_of(rankings) == expected


@pytest.mark.parametrize(
    ("dtype", "masked", "spread"),
    [
        (np.float32, np.float32, 1.0),
        (np.float64, np.float32, 1e-3),
        (np.float64, np.float64, 1.0),
        (np.float64, np.float64, 1e200),
    ],
)
def test_candidates_that_are_masked_by_the_least_float(dtype, masked, spread):
    rng = np.random.default_rng(8)
    positive, score = rng.random(60) < 0.4, (spread * rng.normal(size=60)).astype(dtype)
    score[::7] = np.finfo(masked).min
    for offsets in (np.array([0, 60]), np.array([0, 25, 60])):
        rankings = ranked(positive, score, None, offsets, kernel="packed")
        # Products next to the least float64 are rounded, unless they are of its
        # magnitude.
        assert is_scaled(rankings) == (masked == np.float32 or spread == 1e200)
        assert steps_of(rankings) == exact_steps(positive, score, None, offsets, None)
    assert (
        packed(positive, score).kernel.points().threshold.tolist()
        == np.unique(score).tolist()
    )

"""Scores multiplied by a power of two: used where that rounds nothing, and found out
where it does.
"""

import numpy as np
import pytest

from rankings import exact_steps, ranked_by, steps_of
from sklearn_ap._core.ranking.unweighted import PackedKernel, packing_of
from tests.core.test_kernels import one_ranking


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
            rows = one_ranking(labels, score)
            rankings = ranked_by("packed", rows)
            assert is_scaled(rankings) == exact
            assert steps_of(rankings) == exact_steps(rows)

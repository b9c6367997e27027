"""Keys of each run are sorted in place, and only among themselves."""

import numpy as np
import pytest

from sklearn_ap._ranking._blocks import BLOCK_ROWS, sort_runs

LONG = 2 * BLOCK_ROWS + 1


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize(
    "lengths", [[5], [LONG], [3] * 9, [4096] * 5, [0, 1, 4096, 17, LONG, 2, 2048, 2049, 0], [LONG] * 3]
)
def test_each_run_is_sorted_alone(lengths, dtype):
    """The greatest integer also pads short runs."""
    offsets = np.cumsum([0, *lengths])
    ends = np.iinfo(dtype)
    keys = np.random.default_rng(1).integers(ends.min, ends.max, offsets[-1], dtype=dtype, endpoint=True)
    keys[::5] = ends.max
    expected = np.concatenate([np.sort(part) for part in np.split(keys, offsets[1:-1])])
    sort_runs(keys, offsets)
    assert (keys == expected).all()

"""Numpy sorts by other code if a machine has no vector instructions. The kernels work
with this code, too.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
# What rests on a sort of numpy, or on the bits of a sum
SELECTED = "of_the_definition or same_steps or equal_keys"


@pytest.mark.slow
def test_kernels_sort_without_vector_instructions():
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    finished = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "-k", SELECTED, "test_kernels.py"],
        check=False,
        capture_output=True,
        text=True,
        cwd=HERE,
        env={**os.environ, "NPY_DISABLE_CPU_FEATURES": " ".join(found)},
    )
    assert finished.returncode == 0, finished.stdout[-5000:]

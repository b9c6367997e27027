"""Numpy sorts by other code where the machine has no vector instructions: run tests again that way."""

import os
import subprocess
import sys

import numpy as np


def hold(file: str, select: str) -> None:
    """Run the selected tests of a file again, in a process whose numpy uses no vector instructions."""
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    subprocess.run(
        [sys.executable, "-m", "pytest", file, "-q", "-p", "no:cacheprovider", "-k", select],
        check=True,
        env={**os.environ, "NPY_DISABLE_CPU_FEATURES": " ".join(found)},
    )

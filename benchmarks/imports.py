"""CPU time of the import of a score after `import sklearn.metrics`, for `python -m
benchmarks`.
"""

import compileall
import subprocess
import sys
from pathlib import Path

import numpy as np

import sklearn_ap

BEFORE = "sklearn.metrics"
OURS = "from sklearn_ap import average_precision_score, get_scorer"
HEADERS = "statement", "CPU milliseconds", f"share of `import {BEFORE}`"
_CODE = f"""\
from time import process_time
begin = process_time()
import {BEFORE}
between = process_time()
{OURS}
print(between - begin, process_time() - between)"""


def row(repeats=15):
    """Return the median CPU time in fresh processes, with compiled bytecode at hand."""
    compileall.compile_dir(Path(sklearn_ap.__file__).parent, quiet=1)
    command = [sys.executable, "-c", _CODE]
    runs = [subprocess.check_output(command, text=True) for _ in range(repeats)]
    before, ours = np.median([np.array(run.split(), float) for run in runs], axis=0)
    return [OURS, f"{ours * 1e3:.1f}", f"{ours / before:.3f}"]

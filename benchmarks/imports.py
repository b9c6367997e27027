"""What `import sklearn_ap` costs after `import sklearn.metrics`, for `python -m benchmarks`."""

import compileall
import re
import subprocess
import sys
from pathlib import Path
from statistics import median

import sklearn_ap

BEFORE = "sklearn.metrics"
HEADERS = ("statement", "milliseconds", f"share of `import {BEFORE}`", "goal, ms")
GOAL = 60  # on top of `import sklearn.metrics`, which takes some 1,100
_TOTAL = r"^import time: +\d+ \| +(\d+) \| {}$"


def rows(repeats: int = 9) -> list[list[str]]:
    """Return the median costs in fresh processes, by `-X importtime`, with compiled bytecode at hand."""
    compileall.compile_dir(Path(sklearn_ap.__file__).parent, quiet=1)
    command = [sys.executable, "-X", "importtime", "-c", f"import {BEFORE}\nimport sklearn_ap"]
    runs = [
        subprocess.run(command, check=True, capture_output=True, text=True).stderr for _ in range(repeats)
    ]
    before, ours = (
        median(int(re.findall(_TOTAL.format(re.escape(name)), run, re.MULTILINE)[0]) / 1e3 for run in runs)
        for name in (BEFORE, "sklearn_ap")
    )
    return [["import sklearn_ap", f"{ours:.1f}", f"{ours / before:.3f}", f"<= {GOAL}"]]

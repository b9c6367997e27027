"""Peak memory of a process that scores rows beyond `memory_limit`."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sklearn_ap import average_precision_score

N_ROWS, LIMIT = 1_000_000, 2_000_000  # half of the bytes of the scores
# Bytes above imports and the limit: parts that are read and stepped through, and counts or sums in bins.
# Lists of Python would take 200 bytes per row and column.
ALLOWED = {"": 150_000_000, "w": 220_000_000}  # measured: 95 and 150

PEAK = """
import re, sys
import pyarrow.parquet, pyarrow.dataset
from sklearn_ap import distributed

def told(name):
    return 1024 * int(re.search(name + r":\\s+(\\d+) kB", open("/proc/self/status").read())[1])

path, limit, columns = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
rows = pyarrow.table({"label": [0, 1], "score": [0.1, 0.9], "w": [1.0, 2.0]})
for column in columns:
    column = column or None
    distributed.average_precision_score(rows, sample_weight=column, memory_limit=1)  # what is imported late
    open("/proc/self/clear_refs", "w").write("5")  # the peak begins anew
    before = told("VmHWM")
    value = distributed.average_precision_score(path, sample_weight=column, memory_limit=limit)
    print(value, told("VmHWM") - before)
"""


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """Rows of which one in three is positive, so that negatives cannot stay counts."""
    path, rng = tmp_path_factory.mktemp("rows") / "rows.parquet", np.random.default_rng(0)
    score = rng.random(N_ROWS, dtype=np.float32)
    label, weight = rng.random(N_ROWS) < 0.3, rng.random(N_ROWS) + 0.5
    table = pa.table({"label": label, "score": score, "w": weight})
    pq.write_table(table, path, row_group_size=125_000)
    return path, label, score, weight


def peaks(path, columns, limit: int) -> list[tuple[float, float]]:
    """Return scores in a new process, and the bytes that each took above what was there before."""
    command = [sys.executable, "-c", PEAK, str(path), str(limit), *columns]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [tuple(map(float, line.split())) for line in found.splitlines()]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere, nothing tells the peak")
def test_peak_stays_near_the_limit(rows):
    path, label, score, weight = rows
    for column, (value, taken) in zip(ALLOWED, peaks(path, ALLOWED, LIMIT), strict=True):
        expected = average_precision_score(label, score, sample_weight=weight if column else None)
        assert value == pytest.approx(expected, rel=1e-12, abs=0)
        assert taken < LIMIT + ALLOWED[column]

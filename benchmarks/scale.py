"""Time and memory of `sklearn_ap.distributed` for rows of a Parquet file that DuckDB reads.

python -m benchmarks.scale [ROWS]
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path

import numpy as np

HERE = Path(__file__).parents[1]
SHARES, LIMITS = (0.02, 0.1), (2**30, 5e7)
_CHUNK = 2_000_000


def write_rows(folder, n_rows, share):
    """Write rows to a Parquet file, and return its path."""
    import pyarrow as pa
    from pyarrow import parquet

    rng, path = np.random.default_rng(7), Path(folder, f"{share}.parquet")
    schema = pa.schema({"label": pa.int8(), "score": pa.float64()})
    with parquet.ParquetWriter(path, schema) as file:
        for start in range(0, n_rows, _CHUNK):
            size = min(_CHUNK, n_rows - start)
            label = rng.random(size) < share
            score = rng.normal(size=size) + 1.5 * label
            rows = {"label": label.astype(np.int8), "score": score}
            file.write_table(pa.table(rows, schema))
    return str(path)


def measured(path, limit):
    """Return the score, the CPU time and the growth of the peak of memory in MB."""
    import resource

    import duckdb

    from sklearn_ap import distributed

    rows = duckdb.read_parquet(path)
    # Import what the call imports.
    distributed.score("average_precision", rows.limit(1), zero_division=0.0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    value = distributed.score("average_precision", rows, memory_limit=limit)
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return value, seconds, (peak - before) / 1024


def in_a_process(path, limit):
    """Return what `measured` returns in a new process, so that peaks are its own."""
    command = [sys.executable, "-m", "benchmarks.scale", path, str(limit)]
    threads = {"OMP_NUM_THREADS": "1"}
    environment = os.environ | threads
    output = subprocess.run(
        command, cwd=HERE, env=environment, check=True, capture_output=True, text=True
    )
    return json.loads(output.stdout)


def main(n_rows=10_000_000):
    print("| case | CPU s | peak MB |\n|:---|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for limit, share in product(LIMITS, SHARES):
            path = write_rows(folder, n_rows, share)
            _, seconds, peak = in_a_process(path, limit)
            where = "" if limit == max(LIMITS) else ", beyond memory"
            print(
                f"| {100 * share:.0f} % positive{where} | {seconds:.2f} | {peak:.0f} |"
            )


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(measured(sys.argv[1], float(sys.argv[2]))))
    else:
        main(*map(int, sys.argv[1:]))

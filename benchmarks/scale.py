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
SHARES, WAYS = (0.02, 0.1), ("columns", "state")
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


def _score(rows, way):
    """Return AP of the rows of an engine: of their columns, or of a state that knows the
    scores of positives.
    """
    from sklearn_ap import average_precision_score
    from sklearn_ap.distributed import RankingState

    if way == "columns":
        columns = rows.fetchnumpy()
        return average_precision_score(columns["label"], columns["score"])
    at = rows.filter("label = 1").select("score").distinct().fetchnumpy()["score"]
    state = RankingState(positive_scores=at)
    for batch in rows.to_arrow_reader(100_000):
        state.update(batch["label"], batch["score"])
    return state.score("average_precision")


def measured(path, way):
    """Return the score, the CPU time and the growth of the peak of memory in MB."""
    import resource

    import duckdb

    rows = duckdb.read_parquet(path)
    # Import what the call imports.
    _score(rows.filter("label = 1").limit(1), way)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    value = _score(rows, way)
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return value, seconds, (peak - before) / 1024


def in_a_process(path, way):
    """Return what `measured` returns in a new process, so that peaks are its own."""
    command = [sys.executable, "-m", "benchmarks.scale", path, way]
    threads = {"OMP_NUM_THREADS": "1"}
    environment = os.environ | threads
    output = subprocess.run(
        command, cwd=HERE, env=environment, check=True, capture_output=True, text=True
    )
    return json.loads(output.stdout)


def main(n_rows=10_000_000):
    print("| case | CPU s | peak MB |\n|:---|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for way, share in product(WAYS, SHARES):
            path = write_rows(folder, n_rows, share)
            _, seconds, peak = in_a_process(path, way)
            print(
                f"| {100 * share:.0f} % positive, {way} | {seconds:.2f} | {peak:.0f} |"
            )


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(measured(*sys.argv[1:])))
    else:
        main(*map(int, sys.argv[1:]))

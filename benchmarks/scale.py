"""Time and memory of distinct scores in a Parquet file: of rows in memory, and of the
places among the scores of positives that DuckDB counts.

python -m benchmarks.scale [ROWS ...]
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
SHARES = 0.01, 0.2
_CHUNK = 1_000_000
# DuckDB stores on disk what does not fit.
_MEMORY_OF_DUCKDB = "500MB"


def write_rows(folder, n_rows, share):
    """Write rows to a Parquet file, and return its path."""
    import pyarrow as pa
    from pyarrow import parquet

    rng, path = np.random.default_rng(7), Path(folder, f"{n_rows}_{share}.parquet")
    schema = pa.schema({"label": pa.bool_(), "score": pa.float64()})
    with parquet.ParquetWriter(path, schema) as file:
        for start in range(0, n_rows, _CHUNK):
            size = min(_CHUNK, n_rows - start)
            label = rng.random(size) < share
            score = rng.normal(size=size) + 1.5 * label
            file.write_table(pa.table({"label": label, "score": score}, schema))
    return str(path)


def _rows(con, path):
    """Return all rows."""
    return con.sql(f"select label, score from '{path}'").fetchnumpy()


def _places(con, path):
    """Return the places of all rows, as the page *Rows beyond memory* does."""
    return con.sql(f"""
        with cuts as (select score, row_number() over (order by score) i
            from (select distinct score from '{path}' where label))
        select label, count(*) n, if(isfinite(r.score),
            coalesce(2 * i - (r.score = cuts.score)::int, 0), null) score
        from '{path}' r asof left join cuts on r.score >= cuts.score
        group by all""").fetchnumpy()


WAYS = {"rows in memory": _rows, "places": _places}


def _score(con, path, way):
    """Return average precision."""
    from sklearn_ap import average_precision_score

    columns = WAYS[way](con, path)
    return average_precision_score(
        columns["label"], columns["score"], sample_weight=columns.get("n")
    )


def measured(path, way):
    """Return the score, the CPU time and the growth of the peak of memory in MB."""
    import resource

    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        options = {"memory_limit": _MEMORY_OF_DUCKDB, "temp_directory": folder}
        con = duckdb.connect(config=options | {"threads": 2})
        # Import what the call imports.
        _score(con, write_rows(folder, 100, 0.2), way)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.process_time()
        value = _score(con, path, way)
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


def main(*sizes):
    sizes = sizes or (1_000_000, 10_000_000, 100_000_000)
    print("| case |", " | ".join(f"{n_rows:.0e} rows" for n_rows in sizes), "|")
    print("|:---|", "--:|" * len(sizes), sep="")
    with tempfile.TemporaryDirectory() as folder:
        for way, share in product(WAYS, SHARES):
            cells = []
            for n_rows in sizes:
                path = Path(folder, f"{n_rows}_{share}.parquet")
                if not path.exists():
                    write_rows(folder, n_rows, share)
                _, seconds, peak = in_a_process(str(path), way)
                cells.append(f"{seconds:.1f} s, {peak:.0f} MB")
            print(f"| {way}, {100 * share:.0f} % |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    if sys.argv[2:] and sys.argv[2] in WAYS:
        print(json.dumps(measured(*sys.argv[1:])))
    else:
        main(*map(int, sys.argv[1:]))

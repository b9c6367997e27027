"""Time and memory for rows in files and on clusters: `python -m benchmarks.scale
--help`.
"""

import argparse
import os
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .tables import show, show_machine

ROWS = 10_000_000
GROUP = 1_000_000  # rows of a row group
FEW = 1_000  # rows that a process scores before
QUERY_ROWS = 100  # of a query, on average
SCORED = """
SELECT label, 1 / (1 + exp(2 - noise - 1.5 * label)) AS score FROM (
    SELECT (random() < .01)::TINYINT AS label,
    sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()) AS noise FROM range({})
)
"""  # noise is normal, by Box and Muller
LARGEST_LIMIT = 300_000_000  # bytes of `memory_limit`, whatever the number of rows
HEADERS = "case", "rows", "CPU s", "wall s", "peak MB", "written MB"
FOOTNOTE = """
Every line is a process of its own. CPU time is that of all threads and processes of the call, without
imports. The peak is that of the whole process, which starts at {imports} MB, or that of a cluster's driver.
Written is what this process wrote: what DuckDB spilled, and the groups of the sorted stream. One row in a
hundred is positive; scores are float32, and float64 in text.
"""


class Case(NamedTuple):
    """How the rows of a file are scored."""

    name: str
    is_text: bool = False
    # Columns in addition to label and score.
    columns: tuple[str, ...] = ()
    # Bytes of `memory_limit` per row; None if all rows fit into memory.
    limit: float | None = None
    is_spark: bool = False


CASES = (
    Case("Parquet"),
    Case("Parquet, beyond memory", limit=3),
    Case("Parquet, weights beyond memory", columns=("weight",), limit=10),
    Case("Parquet, queries beyond memory", columns=("query",), limit=6),
    Case("text", is_text=True),
)
CLUSTERS = (Case("Spark", limit=3, is_spark=True),)


class Measured(NamedTuple):
    """The time and memory of a call, in a process of its own."""

    cpu: float
    wall: float
    peak: float  # bytes
    written: float
    value: float


def write_rows(folder, n_rows, *, is_text):
    """Return a file of random rows, in which positives have higher scores. Write the
    file if it does not exist.
    """
    import duckdb

    path = folder / f"rows-{n_rows}.{'csv' if is_text else 'parquet'}"
    columns, options = "label, score", ""
    if not is_text:
        columns = "label, score::FLOAT AS score, (random() + .1)::FLOAT AS weight, "
        columns += f"(random() * {n_rows // QUERY_ROWS})::INT AS query"
        options = f"(ROW_GROUP_SIZE {GROUP})"
    if not path.exists():
        rows = f"SELECT {columns} FROM ({SCORED.format(n_rows)})"
        duckdb.sql(f"COPY ({rows}) TO '{path}' {options}")
    return path


def called(case, path, few, n_rows):
    """Score a file in this process, which should be new."""
    from sklearn_ap import distributed

    roles = {"weight": "sample_weight", "query": "query_id"}
    options: dict[str, Any] = {roles[column]: column for column in case.columns}
    options |= {"zero_division": 0.0} if "query" in case.columns else {}
    scored = partial(distributed.score, "average_precision", **options)
    # Import all modules before the time is measured.
    for limit in (2**40, 1):
        scored(few, memory_limit=limit)
    limit = 2**40
    if case.limit is not None:
        limit = max(int(min(case.limit * n_rows, LARGEST_LIMIT)), 1)
    opened = spark_of if case.is_spark else nullcontext
    with opened(path) as data:
        written = of_process("io", "wchar")
        begin, busy = time.perf_counter(), cpu_seconds(case)
        value = scored(data, memory_limit=limit)
        cpu = cpu_seconds(case) - busy
        wall = time.perf_counter() - begin
        written = of_process("io", "wchar") - written
        peak = of_process("status", "VmHWM") * 1024
        return Measured(cpu, wall, peak, written, value)


def cpu_seconds(case):
    """Return the CPU time of this process and of the processes that Spark started."""
    if not case.is_spark:
        return time.process_time()
    import psutil

    started = psutil.Process().children(recursive=True)
    return time.process_time() + sum(
        sum(process.cpu_times()[:4]) for process in started
    )


@contextmanager
def spark_of(path):
    """Yield a DataFrame of a local session with small limits of the driver."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    options = {
        "spark.driver.memory": "3g",
        "spark.driver.maxResultSize": "256m",
        "spark.ui.enabled": "false",
    }
    session = (
        SparkSession.builder.master("local[2,4]").config(map=options).getOrCreate()
    )
    try:
        yield session.read.parquet(path)
    finally:
        session.stop()


def of_process(file, name):
    """Return a number of this process, on Linux; NaN elsewhere."""
    counts = Path("/proc/self") / file
    if not counts.exists():
        return np.nan
    return float(counts.read_text().partition(f"{name}:")[2].split()[0])


def in_a_process(*arguments):
    with ProcessPoolExecutor(1, get_context("spawn")) as executor:
        return executor.submit(called, *arguments).result()


def row_of(case, n_rows, folder):
    """Return a line of the table: of two calls, the one with less CPU time."""
    path, few = (
        str(write_rows(folder, n, is_text=case.is_text)) for n in (n_rows, FEW)
    )
    took = min(in_a_process(case, path, few, n_rows) for _ in range(2))
    megabytes = (f"{n_bytes / 1e6:,.0f}" for n_bytes in (took.peak, took.written))
    seconds = f"{took.cpu:.2f}", f"{took.wall:.1f}"
    return [case.name, f"{n_rows:,}", *seconds, *megabytes]


def main():
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scale", description=__doc__
    )
    rows_help = f"rows of each file (default: {ROWS:,})"
    parser.add_argument("--rows", type=float, default=ROWS, help=rows_help)
    parser.add_argument("--only", default="", help="cases with this text in their name")
    parser.add_argument("--clusters", action="store_true", help="rows of Spark instead")
    options = parser.parse_args()
    show_machine()
    cases = CLUSTERS if options.clusters else CASES
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        chosen = (
            row_of(case, int(options.rows), folder)
            for case in cases
            if options.only in case.name
        )
        show("Rows in files and on clusters", HEADERS, chosen)
        few = str(write_rows(folder, FEW, is_text=False))
        imports = in_a_process(CASES[0], few, few, FEW).peak
    print(FOOTNOTE.format(imports=round(imports / 1e6)))


if __name__ == "__main__":
    main()

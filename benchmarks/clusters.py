"""The same file scored in memory, by Dask and by Spark: `python -m benchmarks.clusters --help`."""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sklearn_ap import average_precision_score, distributed

from .scale import Case, folder_of, in_memory, written
from .tables import show, table

HEADERS = ("rows", "engine", "average precision", "difference", "wall s")
FOOTNOTE = """

The rows are {positive:.0%} positive, with float32 scores, in Parquet. Dask has two workers of one thread
each, and Spark runs as `local[2,4]`. The difference is that of the number from the one in memory. Times are
those of the call, which starts the Python workers of Spark.
"""


@contextmanager
def dask_workers(**options: Any) -> Iterator[Any]:
    """Yield the client of a cluster of two workers, which computes what Dask is asked for meanwhile."""
    from distributed import Client, LocalCluster

    options |= {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        yield client


@contextmanager
def dask_of(path: Path) -> Iterator[Any]:
    """Yield a DataFrame on such a cluster."""
    import dask.dataframe

    with dask_workers():
        yield dask.dataframe.read_parquet(path, split_row_groups=4)


@contextmanager
def spark_of(path: Path) -> Iterator[Any]:
    """Yield a DataFrame of a local session."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    options = {"spark.driver.memory": "3g", "spark.driver.maxResultSize": "2g", "spark.ui.enabled": "false"}
    session = SparkSession.builder.master("local[2,4]").config(map=options).getOrCreate()
    try:
        yield session.read.parquet(str(path))
    finally:
        session.stop()


ENGINES: dict[str, Callable[[Path], Any]] = {"dask": dask_of, "spark": spark_of}


def rows_of(case: Case, path: Path, engines: list[str]) -> Iterator[list[str]]:
    """Yield a row of the table for each engine."""
    begin = time.perf_counter()
    expected = in_memory(str(path), average_precision_score, None)
    size = f"{case.rows:,}"
    yield [size, "memory", f"{expected:.17g}", "0", f"{time.perf_counter() - begin:.1f}"]
    for name in engines:
        with ENGINES[name](path) as frame:
            begin = time.perf_counter()
            value = distributed.average_precision_score(frame)
            wall = time.perf_counter() - begin
        difference = f"{value - expected:.0e}" if value != expected else "0"
        yield [size, name, f"{value:.17g}", difference, f"{wall:.1f}"]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.clusters", description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--positive", type=float, default=0.01, help="share of the rows (default: 0.01)")
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--folder", type=Path, help="where files are kept (default: a temporary folder)")
    options = parser.parse_args(arguments)
    case = Case(options.rows, options.positive, "float32")
    with folder_of(options.folder) as folder:
        lines = list(rows_of(case, written(case, folder), options.engines))
    show("Rows of Dask and of Spark", table(HEADERS, lines) + FOOTNOTE.format(positive=options.positive))


if __name__ == "__main__":
    main()

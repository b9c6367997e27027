"""Small clusters on this machine, for `python -m benchmarks.scale --clusters`."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def dask_of(path: str) -> Iterator[Any]:
    """Yield a DataFrame of a cluster of two workers."""
    import dask.dataframe
    from distributed import Client, LocalCluster

    options = {
        "n_workers": 2,
        "threads_per_worker": 1,
        "memory_limit": "700MB",
        "dashboard_address": ":0",
    }
    with LocalCluster(**options) as cluster, Client(cluster):
        yield dask.dataframe.read_parquet(path, split_row_groups=1)


@contextmanager
def spark_of(path: str) -> Iterator[Any]:
    """Yield a DataFrame of a local session, whose driver takes few results."""
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


ENGINES: dict[str, Callable[[str], Any]] = {"dask": dask_of, "spark": spark_of}

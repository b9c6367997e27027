"""A small cluster on this machine, for `python -m benchmarks.scale --clusters`."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


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


ENGINES: dict[str, Callable[[str], Any]] = {"spark": spark_of}

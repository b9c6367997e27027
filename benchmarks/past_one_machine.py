"""The goals for rows past one machine: `python -m benchmarks.past_one_machine --help`."""

import argparse
import time
import traceback
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sklearn_ap import average_precision_score, distributed

from . import clusters, machine, plans, scale, states
from .goals import HEADERS, SCORES, Goal, of_scans, of_weights
from .tables import show, table

FOOTNOTE = """

Dask has two workers of one thread each. Each scan makes its partitions again, from a seed; the seconds are
those of the call. The bytes are those of the largest state that 1e11 rows in 10,000 partitions send to the
caller in one scan, by the model of `python -m benchmarks.plans`. States are merged from a generator, as
`python -m benchmarks.states` does. Small limits are three quarters of the bytes of all scores.
"""
PARTITIONS = 8  # of Spark


class Sizes(NamedTuple):
    """How much is measured."""

    rows: int = 10_000_000  # of Dask under a memory limit
    worker: str = "350MB"  # memory of each worker
    part: int = 250_000  # rows of a partition there
    parts: int = 10_000  # partitions of 1,000 rows
    spark_rows: int = 200_000
    file_rows: int = 2_000_000
    files: int = 5_000
    days: int = 365
    day: int = 20_000  # rows of each day


QUICK = Sizes(20_000, "350MB", 5_000, 20, 2_000, 20_000, 20, 4, 500)


def goals(sizes: Sizes) -> Iterator[Goal]:
    small = partial(_dask, sizes.rows // sizes.part, sizes.part, sizes.worker)
    name = f"Dask, {sizes.rows:,} rows, two workers of {sizes.worker}"
    # The limit "auto" gave no answer once; 100 MB took 81 s for 1e8 rows.
    yield Goal(name, "s", lambda: (small().seconds, max(81, 81e-8 * sizes.rows)))
    yield Goal(name, "from memory", lambda: (small().difference, 1e-14))
    yield Goal(f"{name}, without rows", "MB of a worker", lambda: (small().empty, 250))
    yield Goal(name, "of a worker's memory", lambda: (small().share, 0.95))  # where Dask kills it
    yield Goal(f"Spark, {PARTITIONS} partitions", "task starts", partial(_spark, sizes.spark_rows))
    yield Goal("10,000 partitions, a scan (model)", "MB to the caller", _sent)
    name = f"{len(SCORES)} scores under a small limit, goal: the dearest alone"
    yield Goal(name, "scans", partial(of_scans, sizes.file_rows))
    days = partial(_days, sizes.days, sizes.day)
    name = f"{sizes.days} days of 2**20 bins"
    yield Goal(f"{name}, merged", "MB", lambda: (days()[0], 50))
    yield Goal(f"{name}, read", "/ held", lambda: (days()[1], 2))
    many = partial(_dask, sizes.parts, 1_000, "2GB")
    yield Goal(f"Dask, {sizes.parts:,} partitions", "s", lambda: (many().seconds, 60))
    yield Goal(f"{sizes.files:,} files", "s", partial(_files, sizes.files))
    name = f"weights that differ, {sizes.file_rows:,} rows"
    yield Goal(name, "CPU / in memory", partial(of_weights, sizes.file_rows))


class Answer(NamedTuple):
    seconds: float
    difference: float  # from the number in memory
    empty: float  # megabytes of the largest worker before it has any rows
    share: float  # of its memory that a worker took at most


def columns_of(number: int, rows: int) -> dict[str, np.ndarray]:
    case = scale.Case(rows, 0.5, "float64")
    return scale.row_group(np.random.default_rng(number), case, rows)


def part_of(number: int, rows: int) -> Any:
    import pandas as pd

    return pd.DataFrame(columns_of(number, rows))


@cache
def _dask(parts: int, rows: int, memory: str) -> Answer:
    """Score partitions that workers make when they read them, on workers of so much memory."""
    with clusters.dask_workers(memory_limit=memory) as client:
        import dask.dataframe

        frame = dask.dataframe.from_map(part_of, range(parts), rows=rows, meta=part_of(0, 2))
        distributed.average_precision_score(dask.dataframe.from_map(part_of, range(8), rows=1_000))
        empty = max(client.run(_resident).values())
        begin = time.perf_counter()
        try:
            value = distributed.average_precision_score(frame, memory_limit="auto")
        except BaseException:
            traceback.print_exc()  # here, since a cluster that cannot be closed raises another error
            raise
        seconds = time.perf_counter() - begin
        share = max(client.run(_resident, peak=True).values()) * 1e6 / _limit(client)
    each = [columns_of(number, rows) for number in range(parts)]
    label, score = (np.concatenate([one[name] for one in each]) for name in ("label", "score"))
    difference = abs(value - average_precision_score(label, score))
    return Answer(seconds, difference, empty, share)


def _limit(client: Any) -> int:
    return min(one["memory_limit"] for one in client.scheduler_info()["workers"].values())


def _resident(*, peak: bool = False) -> float:
    """Return the megabytes of memory that this process has now, or has had at most."""
    name = "VmHWM" if peak else "VmRSS"
    status = Path("/proc/self/status").read_text()
    return float(status.split(f"{name}:")[1].split()[0]) * 1024 / 1e6


def _spark(rows: int) -> tuple[float, float]:
    """Return how many tasks were started for each partition of a score, and the least that it needs."""
    import pyspark  # noqa: F401  # said to be absent before a file is written

    with scale.folder_of(None) as folder:
        path = scale.written(scale.Case(rows, 0.5, "float32"), folder)
        with clusters.spark_of(path) as frame:
            started = frame.sparkSession.sparkContext.accumulator(0)

            def tallied(batches: Iterator[Any]) -> Iterator[Any]:
                started.add(1)
                yield from batches

            counted = frame.repartition(PARTITIONS).mapInArrow(tallied, frame.schema)
            distributed.average_precision_score(counted)
            return started.value, PARTITIONS


def _sent() -> tuple[float, float]:
    did = plans.imagined(10**11, 10_000, plans.LIMIT, elsewhere=True)
    return max(one.sent for one in did) / 1e6, 100


@cache
def _days(days: int, rows: int) -> tuple[float, float]:
    """Return the megabytes of a merge, and the peak of reading a state as a multiple of the state."""
    row = dict(zip(states.HEADERS, states.row_of("bins", days, rows), strict=True))
    return float(row["generator: MB"].replace(",", "")), float(row["read: peak / held"])


def _files(n: int) -> tuple[float, float]:
    import pyarrow  # noqa: F401  # as above

    with scale.folder_of(None) as folder:
        path = scale.written_as_files(n, "parquet", folder)
        return scale.measured_text(path, (scale.SCORE,), 1)[scale.SCORE].wall, 4


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.past_one_machine", description=__doc__)
    parser.add_argument("--only", default="", help="measure only goals whose case contains this text")
    parser.add_argument("--quick", action="store_true", help="few rows: whether it runs, not what it takes")
    parser.add_argument("--rows", type=int, help=f"rows on small Dask workers (default: {Sizes().rows:,})")
    parser.add_argument("--worker", help=f"memory of each of them (default: {Sizes().worker})")
    options = parser.parse_args(arguments)
    given = {name: value for name in ("rows", "worker") if (value := getattr(options, name))}
    sizes = (QUICK if options.quick else Sizes())._replace(**given)
    print("\n".join(machine.lines()), flush=True)
    rows = []
    for goal in goals(sizes):
        if options.only in goal.case:
            rows.append(goal.row())
            print(*rows[-1], sep=" | ", flush=True)
    show("Past one machine", table(HEADERS, rows) + FOOTNOTE)


if __name__ == "__main__":
    main()

"""Dask on small workers: order, news of parts, memory, and workers that are killed in every phase."""

import os
import re
import sys
import time
from functools import partial

import numpy as np
import pandas as pd
import pytest

import sklearn_ap
from arrow_files import written_ranges
from dask_rows import (
    FRAME,
    N_PARTS,
    Collect,
    Count,
    ImmovableCount,
    Killed,
    KilledJoin,
    N,
    broken,
    collected,
    joined,
    kill,
    kill_once,
    silent,
    stop,
    total,
    values,
    written,
)
from sklearn_ap import get_scorer_names
from sklearn_ap._reading._read import Checked
from sklearn_ap.distributed import average_precision_score, scores
from sklearn_ap.distributed._engines._dask import _killed, _pieces_of, opened
from sklearn_ap.distributed._engines._dask_memory import give_back_holes
from sklearn_ap.distributed._source import SourceError
from sklearn_ap.distributed._states._best import BestRows
from sklearn_ap.distributed._states._rows import AllRows

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

# Dask 2026.8 reads Parquet with arguments that pandas 3.1 warns of. A filter by text, as older pandas have no
# such class of warnings.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")

WORKER = 500_000_000  # bytes of each worker, where Python with its libraries takes half


@pytest.fixture(scope="module")
def parquet(tmp_path_factory):
    return written(tmp_path_factory.mktemp("parquet"))


@pytest.fixture
def small():
    return dd.from_pandas(FRAME, npartitions=4)


class KillsAtTheEnd(distributed.Nanny):
    """Kill a worker as soon as the cluster closes, and wait until it is gone.

    Dask lets workers close by themselves, and raises after 5 s: one that is being started may need longer.
    """

    async def close(self, **_):
        if self.pid:
            kill(self.pid)
        return await super().close(timeout=600)


@pytest.fixture(scope="module")
def cluster():
    # Workers that die do so on purpose; two may die at a task before it is given up. Dask gives up one
    # that is missing 15 s after it died, even if it was started anew in between and was killed once more.
    settings = {
        "distributed.scheduler.allowed-failures": 1,
        "distributed.logging.distributed": "critical",
        "distributed.comm.timeouts.connect": "10 minutes",
        # Imports once, not for each that died.
        "distributed.worker.multiprocessing-method": "forkserver" if hasattr(os, "fork") else "spawn",
        "distributed.deploy.lost-worker-timeout": "1 hour",
    }
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=2,
            worker_class=KillsAtTheEnd,
            threads_per_worker=1,
            dashboard_address=":0",
            memory_limit=WORKER,
            processes=True,
            silence_logs=50,
        ) as started,
    ):
        yield started


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as one:
        one.wait_for_workers(2, timeout=600)
        yield one


def test_a_cluster_gives_the_same_in_the_same_order(client, parquet):
    seen = []
    found = opened(dd.read_parquet(parquet)).scan(
        ["y", "score"], Collect(), joined, lambda *one: seen.append(one)
    )
    assert [name for name, _ in found] == [f"partition {number}" for number in range(N_PARTS)]
    np.testing.assert_array_equal(values(found, "score"), FRAME["score"])
    assert seen == [(done, N_PARTS) for done in range(1, N_PARTS + 1)]
    assert not client.futures


def test_errors_of_a_cluster(client, small):
    frame = pd.DataFrame({"y": pd.array([1] * 7 + [None], dtype="Int64")})
    with pytest.raises(SourceError) as caught:
        collected(opened(dd.from_pandas(frame, npartitions=2)), ["y"])
    assert str(caught.value) == "partition 1: column 'y', row 4: no value"
    assert caught.value.__cause__ is caught.value.__context__ is None
    source = opened(small.map_partitions(broken, meta=FRAME))
    with pytest.raises(SourceError, match=r"it cannot be computed; ZeroDivisionError: division by zero$"):
        collected(source, ["y"])

    with pytest.raises(RuntimeError, match="enough"):
        opened(small).scan(["y"], Count(), total, stop)
    assert not client.futures


class Heavy(Count):
    """A step that carries as many bytes as bins do."""

    def __init__(self):
        self.bins = np.zeros(2**21)

    def __call__(self, part):
        return super().__call__(part) + int(self.bins[-1])


@pytest.mark.usefixtures("client")
def test_a_step_that_carries_megabytes(small):
    """It is sent once, and Dask does not warn of a large graph."""
    assert opened(small).scan(["y"], Heavy(), total, silent) == N


@pytest.mark.usefixtures("client")
def test_a_worker_that_is_killed_in_a_join(parquet, tmp_path):
    marker = tmp_path / "join"
    assert opened(dd.read_parquet(parquet)).scan(["y"], Count(), KilledJoin(marker), silent) == N
    assert marker.exists()


@pytest.mark.usefixtures("client")
def test_a_straggler_and_a_worker_that_is_killed_in_the_scan_of_a_range(tmp_path):
    """The bounds, the bins and the range are scans of their own."""
    exact = sklearn_ap.average_precision_score(FRAME["y"], FRAME["score"])

    def slow(frame):
        log = tmp_path / "log"
        with log.open("a") as file:
            file.write(".")
        time.sleep(0.2)
        if log.stat().st_size == 3:
            kill_once(tmp_path / "marker")
        return frame

    first, *others = (dd.from_pandas(FRAME[n : n + 46], npartitions=1) for n in range(0, N, 46))
    frame = dd.concat([first.map_partitions(slow, meta=FRAME), *others])
    told = []
    found = average_precision_score(
        frame, "y", "score", memory_limit=600, progress=lambda *one: told.append(one)
    )
    assert found == pytest.approx(exact, rel=1e-15)
    n_scans = told.count((5, 5))
    assert n_scans == 3
    assert (tmp_path / "log").stat().st_size == n_scans + 1


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize(("weight", "n_scans"), [(None, 3), ("weight", 5)])
def test_workers_rank_the_ranges_and_give_the_floats_of_files(tmp_path, weight, n_scans):
    """Every score, by the bounds, the bins and one exchange; a rank has no weights."""
    path, told = written_ranges(tmp_path / "rows.parquet"), []
    names = [name for name in get_scorer_names() if weight is None or "reciprocal" not in name]
    asked = partial(scores, names, sample_weight=weight)
    frame = dd.read_parquet(path, split_row_groups=1)
    found = asked(frame, memory_limit=1_000, progress=lambda *one: told.append(one))
    assert found == asked(path, memory_limit=1_000)
    assert found == pytest.approx(asked(path), rel=1e-14)
    assert told.count((6, 6)) <= n_scans


@pytest.mark.usefixtures("client")
def test_a_worker_that_is_killed_in_the_first_scan_of_a_score(tmp_path):
    """Which reads rows that may be too many; bins and ranges follow."""
    log, n_parts = tmp_path / "log", 5

    def read(number):
        with log.open("a") as file:
            file.write(f"{number}\n")
        if number == 3:
            kill_once(tmp_path / "marker")
        return FRAME[number * 46 : number * 46 + 46]

    told = []
    frame = dd.from_map(read, range(n_parts), meta=FRAME)
    found = average_precision_score(
        frame, "y", "score", memory_limit=600, progress=lambda *one: told.append(one)
    )
    assert found == pytest.approx(sklearn_ap.average_precision_score(FRAME["y"], FRAME["score"]), rel=1e-15)
    assert (tmp_path / "marker").exists()
    n_scans = told.count((n_parts, n_parts))
    assert n_scans == 3
    reads = log.read_text().split()
    first = reads[: reads.index("3")]
    assert len(first) == len(set(first))  # no part was read twice before
    assert reads.count("3") == n_scans + 1


class Numbered:
    """Cut the rows of a part: those of an even label, and others."""

    def __call__(self, part):
        of_each = [part.columns["score"][part.columns["y"] == number] for number in (0, 1)]
        return {number: piece for number, piece in enumerate(of_each) if piece.size}


class Concatenated:
    def __init__(self, marker=None):
        self.marker = marker

    def __call__(self, pieces):
        if self.marker:
            kill_once(self.marker)
        return np.concatenate(pieces) if pieces else None


@pytest.mark.filterwarnings("ignore:Running on a single-machine scheduler")  # Dask before 2025.2
@pytest.mark.usefixtures("client")
def test_pieces_meet_in_order_though_a_worker_is_killed_meanwhile(parquet, tmp_path):
    works = Concatenated(), Concatenated(tmp_path / "marker"), Concatenated()
    for frame in (dd.read_parquet(parquet), dd.from_pandas(FRAME, npartitions=128)):
        found = opened(frame).exchange(["y", "score"], Numbered(), works, silent)
        for number in (0, 1):
            np.testing.assert_array_equal(found[number], FRAME["score"][FRAME["y"] == number])
        assert found[2] is None
    missing = dd.from_pandas(FRAME.astype({"y": "Int64"}).where(FRAME["unused"] < 0.5), npartitions=4)
    with pytest.raises(SourceError, match=r"^partition 0: column 'y', row \d+: no value$"):
        opened(missing).exchange(["y", "score"], Numbered(), works, silent)


def test_what_a_cluster_holds_is_read_there(client, small):
    """It is no task of ours, and is not computed again."""
    for held in (small.persist(), dd.from_delayed(client.map(lambda n: FRAME[n::4], range(4)), meta=FRAME)):
        assert opened(held).scan(["y"], Count(), total, silent) == N


@pytest.mark.filterwarnings("ignore:Running on a single-machine scheduler")  # Dask before 2025.2
@pytest.mark.usefixtures("client")
def test_what_workers_have_for_rows_limits_results(small):
    """Dask pauses them at 80 % of their memory."""
    source = opened(small)
    assert 2_000_000 <= source.largest_result() <= (0.8 * WORKER - 240_000_000) / 8
    room = source.room()
    with dask.config.set({"distributed.worker.memory.spill": False}):
        assert 0 < 8 * source.room() < room
    with dask.config.set(scheduler="threads"):
        assert source.largest_result() is source.room() is None


def test_dask_knows_how_large_the_states_on_workers_are():
    """So that it moves them to disk, and no more of them at a time than fit."""
    from dask.sizeof import sizeof  # noqa: PLC0415  # absent where this module is skipped

    rows = Checked(np.arange(1_000) % 3 == 0, np.arange(1_000.0), (0, 999))
    for state in (AllRows.of_rows(rows), BestRows.of_rows(rows, 900)):
        for held in (state, [state], _pieces_of({2: [state]}, 2)):
            assert state.nbytes < sizeof(held) < state.nbytes + 1_000


@pytest.mark.usefixtures("client")
def test_no_worker_is_overlooked(cluster, small):
    """Dask itself asks about none now and then, and that answer was taken for ours."""
    with (
        dask.config.set({"distributed.client.scheduler-info-interval": "1ms"}),
        distributed.Client(cluster),
    ):
        assert {len(opened(small)._workers()) for _ in range(100)} == {2}


def test_workers_without_memory_for_rows(small):
    with (
        distributed.LocalCluster(1, processes=False, dashboard_address=":0", memory_limit="250MB") as tiny,
        distributed.Client(tiny),
        pytest.raises(SourceError) as caught,
    ):
        average_precision_score(small, "y", "score")
    text = str(caught.value)
    assert text.startswith(
        "Dask DataFrame: no worker has memory for rows: the largest has 250 MB, Dask pauses it "
    )
    assert re.search(
        r"at 200 MB, and .* takes [\d,]+ MB; start workers with a memory_limit of [\d,]+ MB", text
    )


def test_workers_that_are_gone(small):
    """Dask would wait for ever for others."""
    local_cluster = distributed.LocalCluster(1, processes=False, dashboard_address=":0")
    with local_cluster, distributed.Client(local_cluster) as one:
        one.retire_workers(list(one.nthreads()))
        assert opened(small).n_rows() == N  # which no worker has to tell
        with pytest.raises(SourceError, match=r"^the cluster has had no worker for 1 s; workers that run"):
            opened(small, patience=0.1).scan(["y"], Count(), total, silent)


ROWS = 150_000


def wide(_):
    """Return rows of 281 bytes that no process holds longer than a task."""
    rng = np.random.default_rng(0)
    label, others = rng.random(ROWS) < 0.3, pd.DataFrame(np.ones((ROWS, 34)))
    return others.add_prefix("feature ").assign(label=label, score=rng.normal(size=ROWS) + label)


def test_workers_that_are_smaller_than_the_data(client):
    """The rows exceed the memory of both workers, and the scores what results may take."""
    n_parts, told, one = 24, [], wide(0)
    assert n_parts * one.memory_usage().sum() > 2 * WORKER
    before = client.nthreads().keys()
    frame = dd.from_map(wide, range(n_parts), meta=one[:2])
    assert n_parts * one["score"].nbytes > opened(frame).largest_result()
    found = average_precision_score(frame, progress=lambda *one: told.append(one))
    # Every row is there as often, so precision is that of one part at every recall.
    assert found == pytest.approx(sklearn_ap.average_precision_score(one["label"], one["score"]), rel=1e-14)
    assert told.count((n_parts, n_parts)) == 3  # rows that may fit, bins, and one exchange
    assert client.nthreads().keys() == before  # none was killed
    assert sum(client.run(lambda dask_worker: len(dask_worker.data)).values()) == 0  # and none holds rows


def fill(number):
    """Hold so much, in each worker, that Dask pauses it but does not kill it, and end once it is paused."""
    import psutil  # noqa: PLC0415  # which Dask needs

    if not hasattr(sys, "held"):
        give_back_holes()  # now, since the scan does so too
        sys.held = np.ones(max(int(0.87 * WORKER) - psutil.Process().memory_info().rss, 0), dtype=np.int8)
    # Else a worker may do all tasks meanwhile. One that is not paused at all ends, and the test fails.
    last = time.monotonic() + 300
    while distributed.get_worker().status.name != "paused" and time.monotonic() < last:
        time.sleep(0.01)
    return FRAME[number::8]


def test_workers_that_are_all_paused(client):
    """Dask would wait for ever for what they hold beside results."""
    source = opened(dd.from_map(fill, range(8), meta=FRAME), patience=2)
    with pytest.raises(SourceError) as caught:
        average_precision_score(source, "y", "score")
    client.run(lambda: delattr(sys, "held"))
    text = r"no task has run for 2 s, since 2 of 2 workers are paused for lack of memory: one holds 4"
    assert re.match(text, str(caught.value))


@pytest.mark.usefixtures("client")
def test_a_result_that_cannot_be_moved(small):
    """Dask would compute it again for ever."""
    with pytest.raises(SourceError) as caught:
        opened(small.partitions[:1]).scan(["y"], ImmovableCount(), total, silent)
    text = str(caught.value)
    assert text.startswith("partition 0 was read 3 times, since the workers that held its result died. ")


@pytest.mark.usefixtures("client")
def test_a_worker_that_is_killed_every_time():
    frame = dd.from_map(lambda n: FRAME[n : n + 1], range(128), meta=FRAME)
    with pytest.raises(SourceError) as caught:
        opened(frame).scan(["y"], Killed(3), total, silent)
    text = str(caught.value)
    # Dask suspects all tasks that wait on the worker, not only the one that killed it.
    given_up = r"Dask DataFrame: (one of partitions \d+ to \d+|a task) is given up, since 2 workers died "
    assert re.match(given_up, text)
    assert text.endswith("Workers are often killed for lack of memory: use smaller partitions.")
    assert "\n" not in text
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(("key", "said"), [("part-ab-7", "partition 7 is"), ("join-ab-1-7", "a task is")])
def test_what_was_given_up(key, said):
    from distributed.scheduler import WorkerState  # noqa: PLC0415  # absent where this module is skipped

    worker = WorkerState.__new__(WorkerState)
    worker.address = "tcp://here:1"
    text = _killed(distributed.KilledWorker(f"sklearn_ap_{key}", worker, 1))
    assert text.startswith(
        f"{said} given up, since 2 workers died while they had it, the last at tcp://here:1"
    )

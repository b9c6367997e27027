"""Frames of Dask, in this process and on a cluster: partitions of any kind, faults, and
workers that die.
"""

import asyncio
import gc
import os
import time
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sklearn_ap
from distributed_rows import (
    DASK_WARNINGS,
    EXCEEDS,
    FITS,
    N_ROWS,
    assert_every_score,
    assert_one_line,
    dask_cluster,
    rows_of,
    to_dask,
)
from sklearn_ap.distributed import (
    SourceError,
    _local,
    estimate_score,
    operating_point,
    score,
    score_by_query,
)

dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")
psutil = pytest.importorskip("psutil")  # which Dask needs
pytestmark = DASK_WARNINGS

ROWS = rows_of("float32")
N_PARTS = 5
EXACT = sklearn_ap.average_precision_score(ROWS["label"], ROWS["score"])
ap = partial(score, "average_precision", zero_division=0.0)


@pytest.fixture(scope="module")
def cluster():
    with dask_cluster() as started:
        yield started


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as connected:
        connected.wait_for_workers(2, timeout=600)
        yield connected


@pytest.fixture(params=["process", "cluster"])
def place(request):
    """Without a client, and with one, where nothing may be left."""
    if request.param == "process":
        yield
        return
    started = request.getfixturevalue("client")
    yield
    for _ in range(200):  # Dask forgets in the background
        if not started.run_on_scheduler(
            lambda dask_scheduler: len(dask_scheduler.tasks)
        ):
            return
        gc.collect()  # an error may hold what is cancelled, until its cycle is found
        time.sleep(0.05)
    pytest.fail("the scheduler still has tasks")


def read(number, rows=ROWS):
    """Return one of five partitions, of which the third has no rows."""
    edges = [0, 70, 160, 160, 161, len(rows)]
    return rows.iloc[edges[number] : edges[number + 1]]


def frame_of(change=lambda number, part: part, rows=ROWS):
    """A frame whose partitions are changed where they are computed; a fork of Dask sees
    the function.
    """
    return dd.from_map(
        lambda number: change(number, read(number, rows)),
        range(N_PARTS),
        meta=change(-1, rows.iloc[:0]),
    )


# --- numbers --------------------------------------------------------------------------


@pytest.mark.usefixtures("client")
def test_every_score():
    assert_every_score(to_dask)


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("limit", [FITS, EXCEEDS])
def test_what_is_not_a_score_is_that_of_memory(limit):
    frame, columns = frame_of(), (ROWS["label"], ROWS["score"])
    expected = sklearn_ap.estimate_score("pr_auc", *columns, method="influence")
    actual = estimate_score("pr_auc", frame, memory_limit=limit)
    assert actual.score == pytest.approx(expected.score, rel=1e-14)
    assert actual.standard_error == pytest.approx(expected.standard_error, rel=1e-12)
    conditions = (
        {"recall": 0.7},
        {"precision": 0.17},
        {"k": 41},
        {"k": 0.2},
        {"beta": 2.0},
    )
    for condition in (*conditions, {"miss_cost": 9}, {"threshold": 0.5}):
        expected = sklearn_ap.operating_point(*columns, **condition)
        actual = operating_point(frame, **condition, memory_limit=limit)
        assert (actual.threshold, actual.n_retrieved) == (
            expected.threshold,
            expected.n_retrieved,
        )
        assert actual.weight_found == expected.weight_found
        for name, row in actual.table().items():
            assert row == pytest.approx(expected.table()[name], rel=1e-13, nan_ok=True)
    queries, options = ROWS["query"].to_numpy(), {"zero_division": 1.0}
    expected = sklearn_ap.score_by_query(
        "recall@5", *columns, query_id=queries, **options
    )
    actual = score_by_query(
        "recall@5", frame, query_id="query", memory_limit=limit, **options
    )
    assert list(actual.items()) == list(expected.items())  # in the order of the ids


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("limit", [FITS, EXCEEDS])
def test_types_of_pandas(limit):
    texts = np.where(ROWS["label"], "spam", "ham")
    labels = {
        "Int64": ROWS["label"],
        "boolean": ROWS["label"] > 0,
        "category": texts,
        "string": texts,
    }
    ids = [
        ROWS["query"].astype(str),
        pd.to_datetime(ROWS["query"], utc=True),
        ROWS["query"].astype("Int32"),
    ]
    for (kind, label), dtype in zip(
        labels.items(), ("Float32", "float[pyarrow]", "float32", "Float64"), strict=True
    ):
        rows = pd.DataFrame(
            {
                "label": pd.Series(label).astype(kind),
                "score": ROWS["score"].astype(dtype),
            }
        )
        pos_label = "spam" if kind in ("category", "string") else 1
        frame = frame_of(rows=rows)
        assert ap(frame, pos_label=pos_label, memory_limit=limit) == pytest.approx(
            EXACT, rel=1e-14
        ), kind
    for query in ids:
        frame = frame_of(rows=ROWS.assign(query=query))
        expected = sklearn_ap.average_precision_score(
            ROWS["label"], ROWS["score"], query_id=query.to_numpy(), zero_division=0.0
        )
        actual = ap(frame, query_id="query", memory_limit=limit)
        assert actual == pytest.approx(expected, rel=1e-14), query.dtype


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("limit", [FITS, EXCEEDS])
def test_a_partition_is_computed_once_and_without_other_columns(limit, tmp_path):
    def logged(number, part):
        if number >= 0:  # not where Dask looks for columns
            with (tmp_path / "log").open("a") as file:
                file.write(f"{number} ")
        return part

    values = score(
        ["r_precision", "average_precision"], frame_of(logged), memory_limit=limit
    )
    assert values["average_precision"] == pytest.approx(EXACT, rel=1e-14)
    assert sorted((tmp_path / "log").read_text().split()) == [*"01234"]
    for number in range(N_PARTS):
        columns = ["label", "score"] if number == 1 else list(ROWS)
        read(number)[columns].to_parquet(tmp_path / f"{number}.parquet", index=False)
    assert ap(
        dd.read_parquet(tmp_path / "*.parquet"), memory_limit=limit
    ) == pytest.approx(EXACT, rel=1e-14)


@pytest.mark.usefixtures("client")
def test_a_query_without_positives_is_told_of_by_every_partition():
    for lacking in ROWS["query"].unique():
        rows = ROWS.assign(label=ROWS["query"] != lacking)
        with pytest.warns(UserWarning, match="No positive class found"):
            score(
                "average_precision",
                to_dask(rows),
                query_id="query",
                memory_limit=EXCEEDS,
            )


@pytest.mark.usefixtures("client")
def test_a_cut_is_not_sorted(monkeypatch):
    """More partitions than one task looks at, of which some have no rows and one has
    another type.
    """
    monkeypatch.setattr(_local, "sorted_batches", None)  # cannot be called
    rows = pd.DataFrame(
        {"label": np.arange(900) % 7 == 0, "score": np.arange(900) * 37 % 50}
    )
    parts = [rows[first : first + 25] for first in range(0, 900, 25)] + [rows[:0]]
    parts[5] = parts[5].assign(score=parts[5]["score"] + 0.5)
    frame = dd.from_map(lambda number: parts[number], range(len(parts)))
    rows = pd.concat(parts)
    columns = rows["label"], rows["score"]
    for name in ("average_precision@100", "recall@899", "precision@7"):
        expected = score(name, rows)
        assert score(name, frame, memory_limit=EXCEEDS) == pytest.approx(
            expected, abs=1e-14
        )
    expected = sklearn_ap.operating_point(*columns, k=200)
    assert operating_point(frame, k=200, memory_limit=EXCEEDS) == expected


# --- what is refused ------------------------------------------------------------------


def changed(column, value, dtype=None):
    """Rows with a value in the second partition; its type may hold it in all
    partitions.
    """
    rows = ROWS.astype({column: dtype or ROWS[column].dtype})
    rows.loc[rows.index[100], column] = value
    return rows


BAD = {
    "no score": (changed("score", np.nan), "partition 1: column 'score'.*missing"),
    "NA": (changed("label", pd.NA, "Int64"), "partition 1: column 'label'.*missing"),
    "infinity": (changed("score", -np.inf), "partition 1: column 'score'.*-inf"),
    "text": (changed("score", "high", object), r"partition \d: column 'score'.*text"),
    "third label": (
        changed("label", 2),
        "partition 1: column 'label'.*2 is a third label",
    ),
    "negative weight": (changed("weight", -0.5), "partition 1: column 'weight'.*-0.5"),
    "tiny weight": (changed("weight", 1e-200), "partition 1: column 'weight'.*1e-200"),
    "huge weight": (changed("weight", 1e200), r"partition 1: column 'weight'.*1e\+200"),
    "no id": (changed("query", None, object), "partition 1: column 'query'.*missing"),
    "times": (
        ROWS.assign(score=pd.Timestamp(0)),
        r"partition \d: column 'score'.*datetime64",
    ),
    "label by label": (
        ROWS.assign(
            label=np.where(
                np.arange(N_ROWS) < 70, 1, np.where(np.arange(N_ROWS) < 161, 0, -1)
            )
        ),
        "partition 4: column 'label'.*-1 is a third label",
    ),
    "weights of 0": (ROWS.assign(weight=0.0), "weight"),
    "no rows": (ROWS.iloc[:0], "Dask DataFrame: contains no rows"),
}


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("kind", BAD)
def test_rows_that_are_refused(kind):
    rows, words = BAD[kind]
    frame = frame_of(rows=rows)
    for limit in (FITS, EXCEEDS):
        call = partial(
            ap, frame, sample_weight="weight", query_id="query", memory_limit=limit
        )
        assert_one_line(call, words)


@pytest.mark.usefixtures("place")
def test_frames_that_are_refused():
    frame, bag = frame_of(), pytest.importorskip("dask.bag")
    missing = r"^Dask DataFrame: column 'Score' is missing.*'label', 'score'"
    assert_one_line(partial(ap, frame, y_score="Score"), missing)
    twice = frame.rename(columns={"equal": "score"})
    assert_one_line(
        partial(ap, twice), r"^Dask DataFrame: column 'score' occurs 2 times"
    )
    others = (
        frame["score"],
        frame.to_dask_array(),
        frame.to_delayed()[0],
        frame[["score"]].sum(),
    )
    for other in (*others, bag.from_sequence([1, 2])):
        with pytest.raises(TypeError, match=f"^data.*Dask; got {type(other).__name__}"):
            ap(other)


@pytest.mark.usefixtures("place")
def test_a_partition_that_cannot_be_computed():
    def broken(error, number, part):
        if number == 3:
            raise error("so\nit is")
        return part

    for error, limit in ((ZeroDivisionError, FITS), (TypeError, EXCEEDS)):
        words = f"^partition 3: cannot be computed: {error.__name__}: so it is$"
        # Dask keeps a frame by its token, so a function must not change with the loop.
        assert_one_line(
            partial(ap, frame_of(partial(broken, error)), memory_limit=limit), words
        )


def test_an_asynchronous_client_is_refused(cluster):
    async def ask():
        async with distributed.Client(cluster.scheduler_address, asynchronous=True):
            ap(frame_of())

    with pytest.raises(
        SourceError, match=r"^Dask DataFrame: the client is asynchronous"
    ):
        asyncio.run(ask())


# --- workers that die -----------------------------------------------------------------


def kill(marker, number, part):
    """Kill the worker that computes the second partition: once, if there is a marker,
    or every time.
    """
    if number == 1 and not (marker and Path(marker).exists()):
        if marker:
            Path(marker).touch()
        psutil.Process(os.getpid()).kill()
    return part


CALLS = {
    "gathered": (partial(ap, memory_limit=FITS), EXACT),
    "sorted": (partial(ap, memory_limit=EXCEEDS), EXACT),
    "queries": (
        partial(ap, query_id="query", memory_limit=EXCEEDS),
        sklearn_ap.average_precision_score(
            ROWS["label"],
            ROWS["score"],
            query_id=ROWS["query"].to_numpy(),
            zero_division=0.0,
        ),
    ),
}


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize("call", CALLS)
def test_a_worker_that_dies_while_it_computes_a_partition(call, tmp_path):
    ask, expected = CALLS[call]
    assert ask(frame_of(partial(kill, tmp_path / "marker"))) == pytest.approx(
        expected, rel=1e-14
    )
    assert (tmp_path / "marker").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "step"), [("gathered", 2), ("sorted", 2), ("sorted", 7), ("queries", 7)]
)
def test_a_worker_that_dies_between_two_steps(call, step, client, monkeypatch):
    """The checked rows that it held are computed again."""
    (ask, expected), gather, steps = CALLS[call], distributed.Client.gather, []

    def counted(self, *arguments, **options):
        steps.append(None)
        if len(steps) == step:
            psutil.Process(next(iter(client.run(os.getpid).values()))).kill()
        return gather(self, *arguments, **options)

    monkeypatch.setattr(distributed.Client, "gather", counted)
    assert ask(frame_of()) == pytest.approx(expected, rel=1e-14)
    assert len(steps) >= step


@pytest.mark.usefixtures("client")
def test_workers_that_die_every_time():
    words = r"KilledWorker.*lack of memory: use smaller partitions"
    assert_one_line(partial(ap, frame_of(partial(kill, None))), words)

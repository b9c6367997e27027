"""Frames of Spark: types, faults of rows and of tasks, workers that die, and a grid search
of pyspark.ml.
"""
# ruff: noqa: PLC0415  # pyspark is optional, and imported where it is used

import os
import signal
from contextlib import closing
from functools import partial, partialmethod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sklearn_ap
from brief import not_in_brief
from distributed_rows import (
    EXCEEDS,
    FITS,
    KINDS,
    LAYOUTS,
    LIMITS,
    SPARK_WARNINGS,
    assert_one_line,
    assert_score_by_query,
    assert_scores,
    needs_java,
    options_of,
    rows_of,
    scores_for,
    spark_session,
)
from sklearn_ap._rows.roles import Roles
from sklearn_ap.distributed import (
    _positives,
    _spark,
    score,
    score_by_query,
)

pytest.importorskip("pyspark")
pytestmark = [needs_java, *SPARK_WARNINGS]

PAGE = Path(__file__).parents[2] / "docs" / "data_that_does_not_fit.md"
N_ROWS = 1_000
ap = partial(score, "average_precision")


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    with spark_session(tmp_path_factory.mktemp("warehouse")) as started:
        yield started


@pytest.fixture
def spark(session):
    """Yield the session, and check that a call leaves no persisted frame in it, whether
    it returns or raises.
    """
    yield session
    persisted = session.sparkContext._jsc.getPersistentRDDs()
    assert persisted.size() == 0, persisted


@pytest.fixture
def frame(spark):
    """Return rows in six partitions. The last two are empty."""
    score = "float((id * 7919) % 1000 / 1000) as score"
    columns = (
        "id",
        "id % 23 = 0 as label",
        score,
        "double(id % 7 + 1) as weight",
        "id % 10 as query",
    )
    return spark.range(0, 1_500, 1, 6).where(f"id < {N_ROWS}").selectExpr(*columns)


ID = np.arange(N_ROWS)
LABEL, SCORE, QUERY = ID % 23 == 0, np.float32((ID * 7919 % 1000) / 1000), ID % 10
EXACT = sklearn_ap.average_precision_score(LABEL, SCORE)
EXACT_OF_QUERIES = sklearn_ap.average_precision_score(LABEL, SCORE, query_id=QUERY)


def test_rows_of_one_score_go_to_several_tasks(spark, monkeypatch):
    monkeypatch.setattr(_spark, "_PARTITION_ROWS", 4_000)
    rows = spark.range(0, 20_000, 1, 4).selectExpr(
        "id % 3 = 0 as label", "if(id % 5 < 3, 0.0D, double(id)) as score"
    )
    with closing(_spark.open_spark(rows, Roles("label", "score"), 1)) as source:
        assert source.gather() is None
        count = partial(map, lambda part: part.score.size)
        sizes = list(source.map_parts(lambda parts: [sum(count(parts))], "score"))
    assert sum(sizes) == 20_000
    assert max(sizes) < 6_000


def counted(spark, frame):
    """Return the frame, and an accumulator that counts computed partitions."""
    n_computed = spark.sparkContext.accumulator(0)

    def compute(batches):
        n_computed.add(1)
        yield from batches

    return frame.mapInArrow(compute, frame.schema), n_computed


def sorted_frames(monkeypatch):
    """Return a list to which each frame is added that Spark sorts within partitions."""
    from pyspark.sql.classic.dataframe import DataFrame

    frames, sort = [], DataFrame.sortWithinPartitions
    monkeypatch.setattr(
        DataFrame,
        "sortWithinPartitions",
        lambda self, *names: frames.append(self) or sort(self, *names),
    )
    return frames


def changed(frame, column, value, row=502):
    """Return the frame with a new value in the row of an id. Row 502 is in the third
    partition.
    """
    return frame.selectExpr(
        *(
            f"if(id = {row}, {value}, {name}) as {name}" if name == column else name
            for name in frame.columns
        )
    )


# --- numbers --------------------------------------------------------------------------


def test_every_score(spark):
    """The layouts are a third of all, since Spark takes .3 s for each reduction.

    Most of the partitions have no rows.
    """
    for turn, layout in [*enumerate(LAYOUTS)][::3]:
        kind = [*KINDS][turn % len(KINDS)]
        rows = spark.createDataFrame(rows_of(kind)).repartition(3)
        scores, limit = scores_for(layout)[turn::24], LIMITS[turn % 2 * 2]
        assert_scores(rows, rows_of(kind), options_of(layout, kind), scores, limit)


def test_the_score_of_each_query(spark):
    data = spark.createDataFrame(rows_of("float32")).repartition(3)
    assert_score_by_query(data, "totals of queries", EXCEEDS)


def test_a_cut_is_not_sorted(frame, monkeypatch):
    sorts = sorted_frames(monkeypatch)
    beyond = partial(score, data=frame, memory_limit=EXCEEDS)
    beyond("precision@250")
    pooled = beyond("recall@300", query_id="query", average="micro")
    assert pooled == sklearn_ap.recall_at_k_score(LABEL, SCORE, k=300)
    assert not sorts


LABELS = {
    "double(label)": 1,
    "cast(label as int) / 1.0": 1,  # a decimal
    "if(label, 'spam', 'ham')": "spam",
    "tinyint(label)": True,
}


@pytest.mark.parametrize(("room", "orders"), [(2**24, [None, None]), (800, ["score"])])
def test_few_positives_are_sent_to_all_rows(frame, room, orders, monkeypatch):
    """The number of positives is estimated from the first rows. The scores of 44
    positives, of 40 bytes each, just fit.
    """
    passes = []
    map_parts = _spark.SparkSource.map_parts

    def recorded(source, function, order):
        passes.append(order)
        return map_parts(source, function, order)

    monkeypatch.setattr(_spark.SparkSource, "map_parts", recorded)
    monkeypatch.setattr(_positives, "_LEAST_BYTES", room)
    assert ap(frame, memory_limit=EXCEEDS) == pytest.approx(EXACT, rel=1e-14)
    assert passes == orders


def test_types_of_columns(frame):
    """Scores of each type are ranked exactly. Labels of each type equal those of
    Python.
    """
    rank = ID * 7919 % 1000
    columns = [
        ("int(id * 7919 % 100)", rank % 100),
        ("label", LABEL),
        ("9007199254740992 + id * 7919 % 1000", rank),  # bigint, which floats round
        ("cast(id * 7919 % 1000 / 1000 as decimal(10, 3))", SCORE),
    ]
    for (column, values), label in zip(columns, LABELS, strict=True):
        rows = frame.selectExpr(f"{label} as `a.b``c d`", f"{column} as score")
        # packages of typed frames have such a class
        subclass = type("Typed", (type(rows),), {})
        typed = subclass(rows._jdf, rows.sparkSession)
        found = ap(typed, "a.b`c d", pos_label=LABELS[label], memory_limit=EXCEEDS)
        expected = sklearn_ap.average_precision_score(LABEL, values)
        assert found == pytest.approx(expected, rel=1e-12), (column, label)


@pytest.mark.parametrize("limit", [FITS, EXCEEDS])
def test_a_partition_is_computed_once(spark, frame, limit):
    rows, n_computed = counted(spark, frame.select("label", "score"))
    assert ap(rows, memory_limit=limit) == pytest.approx(EXACT, rel=1e-14)
    assert n_computed.value == 6


@pytest.mark.parametrize("partition_rows", [2**22, 190])
def test_queries_are_ranked_without_a_sort(spark, frame, monkeypatch, partition_rows):
    """Spark computes the rows to count them, and to rank them; few or many tasks have
    whole queries.
    """
    monkeypatch.setattr(_spark, "_PARTITION_ROWS", partition_rows)
    sorts = sorted_frames(monkeypatch)
    rows, n_computed = counted(spark, frame)
    found = ap(rows, query_id="query", memory_limit=EXCEEDS)
    assert found == pytest.approx(EXACT_OF_QUERIES, rel=1e-14)
    assert not sorts
    assert n_computed.value == 12


@not_in_brief
@pytest.mark.parametrize("limit", [2_000_000, EXCEEDS])
def test_twelve_ranges_are_fetched_by_one_job_or_by_a_task_each(
    spark, frame, monkeypatch, limit
):
    """A job per range over all ranges would take 144 tasks."""
    monkeypatch.setattr(_spark, "_PARTITION_ROWS", N_ROWS // 10)
    count = partialmethod(lambda self: setattr(self, "_n_rows", self._rows.count()))
    monkeypatch.setattr(_spark.SparkSource, "gather", count)
    tracker = spark.sparkContext.statusTracker()
    spark.sparkContext.setJobGroup(f"limit {limit}", "")
    assert ap(frame, memory_limit=limit) == pytest.approx(EXACT, rel=1e-14)
    jobs = map(tracker.getJobInfo, tracker.getJobIdsForGroup(f"limit {limit}"))
    stages = [tracker.getStageInfo(stage) for job in jobs for stage in job.stageIds]
    assert sum(stage.numCompletedTasks for stage in stages) <= 80


def test_rows_are_gathered_up_to_the_limit(frame):
    """The limit counts 16 bytes per row, for a label and a score."""
    for limit, is_gathered in ((16 * N_ROWS, True), (16 * N_ROWS - 1, False)):
        roles = Roles("label", "score")
        with closing(_spark.SparkSource(frame, roles, limit)) as source:
            assert (source.gather() is not None) == is_gathered


@pytest.mark.slow
def test_groups_that_are_larger_than_a_cell(spark):
    """Of 16 MB, in which the groups of a partition travel."""
    number = np.arange(800_000)
    rows = spark.range(0, number.size, 1, 2).selectExpr(
        "id % 50 > 0 as label",
        "double(id * 7919 % 800011) as score",
        "double(id % 7 + 1) as weight",
    )
    expected = sklearn_ap.average_precision_score(
        number % 50 > 0, number * 7919 % 800011, sample_weight=number % 7 + 1.0
    )
    actual = ap(rows, sample_weight="weight", memory_limit=EXCEEDS)
    assert actual == pytest.approx(expected, rel=1e-12)


# --- errors ---------------------------------------------------------------------------


BAD = [
    ("query", "null", "missing", FITS),
    ("score", "float('-inf')", "-inf", FITS),
    ("label", "null", "missing", EXCEEDS),
    ("weight", "-0.5", "-0.5", EXCEEDS),
]


@not_in_brief
@pytest.mark.parametrize(("column", "value", "words", "limit"), BAD)
def test_rows_that_raise_an_error(frame, column, value, words, limit):
    call = partial(
        ap, changed(frame, column, value), sample_weight="weight", query_id="query"
    )
    assert_one_line(
        partial(call, memory_limit=limit),
        f"^Spark DataFrame: column '{column}'.*{words}",
    )


@not_in_brief
@pytest.mark.parametrize("limit", [FITS, EXCEEDS])
def test_a_missing_id_of_pooled_queries_raises_an_error(frame, limit):
    rows = changed(frame, "query", "null")
    call = partial(ap, rows, query_id="query", average="micro", memory_limit=limit)
    assert_one_line(call, "^Spark DataFrame: column 'query'.*missing")


@not_in_brief
def test_labels_and_frames_that_raise_an_error(spark, frame):
    labels = "if(id % 23 = 0, 1, -query % 2) as label"
    of_queries = frame.selectExpr(labels, "score", "query % 2 * 2 as query")
    queries = partial(ap, query_id="query", memory_limit=EXCEEDS)
    weighted = partial(ap, sample_weight="id")
    wrong = [
        (ap, of_queries, "column 'label': (0|-1) is a third label"),
        (queries, of_queries, "column 'label': (0|-1) is a third label"),
        (ap, frame.where("id < 0"), "contains no rows$"),
        # This frame has no partitions, either.
        (ap, frame.limit(0), "contains no rows$"),
        (weighted, frame.where("id = 0"), ".*all weights are 0"),
        (ap, frame.selectExpr("label", "score", "id as score"), ".* 'score' .* 2 tim"),
        (ap, spark.readStream.format("rate").load(), "a stream has no end"),
        (ap, frame.selectExpr("label", "1 / (id - 5) as score"), ".*[Dd]ivision by ze"),
    ]
    for call, rows, words in wrong:
        assert_one_line(partial(call, rows), f"^Spark DataFrame: {words}")
    for other in (frame.score, frame.rdd):
        with pytest.raises(TypeError, match=f"^data .*{type(other).__name__}"):
            ap(other)


@pytest.mark.slow
def test_ids_that_are_larger_than_the_driver_takes_at_once(frame):
    rows = frame.selectExpr(
        "label", "score", "concat(id, repeat('x', 100000)) as query"
    )
    options = {"query_id": "query", "zero_division": 0.0}
    assert len(score_by_query("average_precision", rows, **options)) == N_ROWS


# --- workers that die -----------------------------------------------------------------


def killed(frame, *, once):
    """The frame, of which the second partition kills its worker; a local function is
    sent as it is.
    """

    def kill(batches):
        from pyspark import TaskContext

        context = TaskContext.get()
        if context.partitionId() == 1 and not (once and context.attemptNumber()):
            os.kill(os.getpid(), signal.SIGKILL)
        yield from batches

    schema = "label boolean, score float, query long"
    return frame.select("label", "score", "query").mapInArrow(kill, schema)


CALLS = {
    "gathered": (partial(ap, memory_limit=FITS), EXACT),
    "sorted": (partial(ap, memory_limit=EXCEEDS), EXACT),
    "queries": (partial(ap, query_id="query", memory_limit=EXCEEDS), EXACT_OF_QUERIES),
}


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
def test_a_task_whose_worker_dies_is_run_again(frame, call):
    ask, expected = CALLS[call]
    assert ask(killed(frame, once=True)) == pytest.approx(expected, rel=1e-14)


@not_in_brief
def test_a_worker_that_dies_every_time(frame):
    words = "^Spark DataFrame: .*Python worker exited.*; often for lack of memory: raise spark.executor"
    assert_one_line(partial(ap, killed(frame, once=False)), words)


@not_in_brief
def test_a_package_that_executors_lack(frame):
    def broken(_):
        import sklearn_ap_that_is_not_there  # noqa: F401

    rows = frame.select("label", "score").mapInArrow(
        broken, "label boolean, score float"
    )
    words = "No module named 'sklearn_ap_that_is_not_there'; the executors need sklearn-ap and pyarrow"
    assert_one_line(partial(ap, rows), words)


NOT_STARTED = """An error occurred while calling o87.toArrow.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 failed
Error from python worker:
  Traceback (most recent call last):
    File "<frozen runpy>", line 198, in _run_module_as_main
  ModuleNotFoundError: No module named 'pyarrow'
PYTHONPATH was:
  /opt/spark/python
org.apache.spark.SparkException: EOFException occurred while reading the port number
"""
LED_TO = """Traceback (most recent call last):
  File "rows.py", line 2
KeyError: 'a'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "rows.py", line 4
ValueError: the cause
"""


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            RuntimeError(NOT_STARTED),
            "ModuleNotFoundError: No module named 'pyarrow'; the executors",
        ),
        (RuntimeError(LED_TO), "ValueError: the cause"),
        (ConnectionRefusedError(111, "refused"), r"\[Errno 111\] refused"),  # by a JVM
    ],
)
def test_the_cause_of_an_error_is_named(error, words):
    def fail():
        with _spark._spark_errors():
            raise error

    assert_one_line(fail, f"^Spark DataFrame: {words}")


# --- the search of pyspark.ml ---------------------------------------------------------


@pytest.mark.slow
def test_the_evaluator_of_the_page_scores_as_memory(frame, tmp_path):
    from pyspark.ml.functions import array_to_vector

    scores = array_to_vector("scores").alias("rawPrediction")
    rows = frame.selectExpr("double(label) as label", "array(-score, score) as scores")
    [lines] = [
        lines for lines in PAGE.read_text().split("```") if "import Evaluator" in lines
    ]
    written: dict[str, Any] = {"__name__": __name__}
    exec(lines.partition("\n")[2], written)
    evaluator = written["AveragePrecision"]()
    expected = sklearn_ap.average_precision_at_k_score(LABEL, SCORE, k=100)
    found = evaluator.evaluate(rows.select("label", scores))
    assert found == pytest.approx(expected, rel=1e-14)
    evaluator.save(str(tmp_path / "evaluator"))  # as searches do

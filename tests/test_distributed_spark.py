"""Spark as an engine: a real session, workers that are killed, and the evaluator in Spark's own tuning."""
# ruff: noqa: ARG001, PLC0415  # a step may leave its part alone; pyspark is optional, and imported where it is used

import gc
import itertools
import os
import pickle
import re
import shutil
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import sklearn_ap
from sklearn_ap import distributed
from sklearn_ap.distributed._engines import _spark
from sklearn_ap.distributed._source import Part, Scans, SourceError

pyspark = pytest.importorskip("pyspark")
pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),  # sockets of pyspark 4.0
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark runs on Java"),
    # The pool of a CrossValidator is never closed.
    pytest.mark.filterwarnings("ignore:unclosed running multiprocessing pool:ResourceWarning"),
    pytest.mark.filterwarnings(
        "ignore:PySpark does not yet fully support pandas"
    ),  # of pyspark 4 with pandas 3
]

N_ROWS, N_PARTITIONS = 1_000, 4
PATHS = [str(Path(sklearn_ap.__file__).parents[1]), str(Path(__file__).parents[1])]


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    """The one session: two cores, and two attempts for a task (`local[2]` has one, a cluster four)."""
    from pyspark.sql import SparkSession

    options = {
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # a short run
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.maxResultSize": "64m",
        "spark.driver.memory": "1g",
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(PATHS),
        "spark.log.level": "OFF",
        "spark.python.daemon.module": "tests.spark_daemon",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        session = SparkSession.builder.master("local[2,2]").config(map=options).getOrCreate()
        yield session
        session.stop()


@pytest.fixture(scope="module")
def frame(spark):
    """Rows in four partitions, whose number is known by their id."""
    return spark.range(0, N_ROWS, 1, N_PARTITIONS).selectExpr(
        "id",
        "cast(id % 3 = 0 as double) as label",
        "cast((id * 7919) % 1000 as float) / 1000 as score",
        "double(id % 7 + 1) as weight",
    )


class Seen(NamedTuple):
    """What a step saw of a part."""

    place: str
    first_row: int
    columns: dict[str, Any]


def see(part: Part) -> list[Seen]:
    return [Seen(part.place.name, part.place.first_row, {k: v.copy() for k, v in part.columns.items()})]


def joined(states):
    return [one for state in states for one in state]


def no_one(*done):
    """Hear of progress, and do nothing."""


def scan(data, columns, step=see, combine=joined):
    return _spark.opened(data).scan(columns, step, combine, no_one)


def all_of(seen, column):
    return np.concatenate([one.columns[column] for one in seen])


# What a DataFrame is, and what a scan returns


def test_other_data_is_not_opened():
    for data in (None, "rows.parquet", [1, 2], np.arange(3), object()):
        assert _spark.opened(data) is None


def test_a_scan_returns_all_rows_in_the_order_of_partitions(frame):
    told = []
    source = _spark.opened(frame)
    seen = source.scan(["id", "score"], see, joined, lambda *done: told.append(done))
    assert [one.place for one in seen] == [f"partition {number}" for number in range(N_PARTITIONS)]
    np.testing.assert_array_equal(all_of(seen, "id"), np.arange(N_ROWS))
    expected = [row.score for row in frame.select("score").collect()]
    np.testing.assert_array_equal(all_of(seen, "score"), expected)
    assert told == [(N_PARTITIONS, N_PARTITIONS)]
    assert source.reads_again
    assert source.n_rows() is None  # since a count would compute the rows
    assert source.extremes("score") is None
    assert source.largest_result() == 16 * 10**6  # a quarter of what the driver takes


def test_partitions_are_those_that_spark_counts(frame):
    from pyspark.sql.functions import spark_partition_id

    shuffled = frame.repartition(3, "id").withColumn("partition", spark_partition_id())
    for one in scan(shuffled, ["partition"]):
        assert {f"partition {number}" for number in one.columns["partition"]} == {one.place}


def test_partitions_without_rows_are_left_out(frame):
    assert [one.place for one in scan(frame.where("id >= 750"), ["id"])] == ["partition 3"]


def test_no_rows_have_no_state(frame):
    assert scan(frame.where("id < 0"), ["id"]) is None


def test_columns_tell_the_types_of_their_arrays(spark):
    types = {
        "byte": np.int8, "short": np.int16, "int": np.int32, "long": np.int64, "float": np.float32,
        "double": np.float64, "boolean": np.bool_, "string": object, "decimal(5,2)": np.float64,
        "timestamp": "M8[us]", "date": "M8[D]", "timestamp_ntz": "M8[us]", "interval day": "m8[us]",
        "decimal(5,0)": np.int64,
    }  # fmt: skip
    values = dict.fromkeys(types, "1") | {
        "date": "'2026-11-21'", "timestamp_ntz": "'2026-11-21'", "interval day": "'3'"
    }  # fmt: skip
    casts = [f"cast({values[name]} as {name}) as `{name}`" for name in types]
    others = ["array(1) as list", "interval 1 month as months"]
    data = spark.range(1).selectExpr(*casts, *others)
    columns = dict(_spark.opened(data).columns())
    assert columns.pop("list") is None
    assert columns.pop("months") is None
    assert columns == {name: np.dtype(dtype) for name, dtype in types.items()}
    found = scan(data, list(types))[0].columns
    assert {name: array.dtype for name, array in found.items()} == columns


def test_names_may_hold_dots_and_backquotes(spark):
    strange = spark.range(3).toDF("a.b`c d")
    np.testing.assert_array_equal(all_of(scan(strange, ["a.b`c d"]), "a.b`c d"), [0, 1, 2])


def test_large_partitions_come_in_several_parts(spark):
    rows = _spark._ROWS + 20_000
    seen = scan(spark.range(0, rows, 1, 1), ["id"])
    sizes = [one.columns["id"].size for one in seen]
    assert len(seen) == 2
    assert [one.first_row for one in seen] == [0, sizes[0]]
    np.testing.assert_array_equal(all_of(seen, "id"), np.arange(rows))


class Noise(NamedTuple):
    """Make states of so many random bytes, in turn; zlib does not shorten them."""

    sizes: tuple[int, ...]

    def __call__(self, part: Part) -> list[bytes]:
        number = int(part.place.name.removeprefix("partition "))
        return [np.random.default_rng(number).bytes(self.sizes[number])]


def test_large_states_travel_in_chunks(spark):
    sizes = _spark._CHUNK + 1_000, 10
    states = scan(spark.range(0, 2, 1, 2), ["id"], Noise(sizes))
    assert states == [np.random.default_rng(number).bytes(size) for number, size in enumerate(sizes)]


def test_more_than_the_driver_takes_is_one_line(spark):
    advice = "set spark.driver.maxResultSize, such as '4g', where the session is built"
    message = assert_one_line(spark.range(1), Noise((70_000_000,)), f"(64.0 MiB); {advice}")
    assert message.startswith("Spark DataFrame: Total size of serialized results of 1 tasks (")


def tallied(batches, seen):
    """Pass rows on, and count how often a partition is computed."""
    seen.add(1)
    yield from batches


def describe(part):
    from pyspark import TaskContext

    return TaskContext.get().getLocalProperty("spark.job.description")


def test_a_job_says_which_scan_it_is(frame):
    told, source = Scans(no_one), _spark.opened(frame)
    told.begin()
    assert source.scan(["id"], describe, min, told) == "sklearn_ap"
    told.begin()
    told.expect(3)
    assert source.scan(["id"], describe, min, told) == "sklearn_ap scan 2 of 4"


def test_rows_are_computed_once(spark, frame):
    seen = spark.sparkContext.accumulator(0)
    schema = "label double, score double"
    rows = frame.select("label", "score").mapInArrow(lambda batches: tallied(batches, seen), schema)
    assert distributed.average_precision_score(rows) == distributed.average_precision_score(frame)
    assert seen.value == N_PARTITIONS


class First(NamedTuple):
    """The numbers of the first and the last partition, and eight megabytes of noise."""

    first: int
    last: int
    noise: bytes

    @classmethod
    def of(cls, part: Part) -> "First":
        number = int(part.place.name.removeprefix("partition "))
        return cls(number, number, np.random.default_rng(number).bytes(8_000_000))

    @staticmethod
    def combine(states: "list[First]") -> "First":
        for one, other in itertools.pairwise(states):
            if one.last + 1 != other.first:
                raise SourceError(f"{one.last} before {other.first}")
        return states[0]._replace(last=states[-1].last)


def test_states_that_the_driver_would_refuse_are_combined_on_executors(spark):
    """Ten of eight megabytes each, where it takes 64; and one scan of the rows."""
    seen = spark.sparkContext.accumulator(0)
    rows = spark.range(0, 10, 1, 10).mapInArrow(lambda batches: tallied(batches, seen), "id long")
    state = scan(rows, ["id"], First.of, First.combine)
    assert (state.first, state.last) == (0, 9)
    assert seen.value == 10


class Add(NamedTuple):
    """Count the values of a column beside an array that is larger than what Spark sends with a task."""

    start: np.ndarray

    def __call__(self, part: Part) -> np.ndarray:
        counts = self.start.copy()
        np.add.at(counts, part.columns["id"], 1)
        return counts


def test_counts_are_compressed_on_their_way(spark):
    """Counts of 24 MB per partition would be 192 MB, beyond `maxResultSize`."""
    start = np.zeros(3_000_000, dtype=np.int64)
    counts = scan(spark.range(0, start.size, 1_000, 8), ["id"], Add(start), sum)
    np.testing.assert_array_equal(np.flatnonzero(counts), np.arange(0, start.size, 1_000))
    assert counts.max() == 1


# Vectors of spark.ml


def vectors(spark, *rows):
    from pyspark.ml.linalg import VectorUDT
    from pyspark.sql.types import StructField, StructType

    return spark.createDataFrame([(row,) for row in rows], StructType([StructField("v", VectorUDT())]))


def test_the_second_number_of_a_vector_is_its_score(spark):
    from pyspark.ml.linalg import Vectors

    data = vectors(spark, Vectors.dense([0.3, 0.7]), Vectors.sparse(2, [0], [1.0]))
    assert _spark.opened(data).columns() == {"v": np.dtype(np.float64)}
    np.testing.assert_array_equal(all_of(scan(data.coalesce(1), ["v"]), "v"), [0.7, 0.0])


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([0.1, 0.2, 0.7], "a vector of length 3; the score of the second of two classes needs length 2"),
        (None, "no value"),
    ],
)
def test_other_vectors_are_refused_by_their_row(spark, bad, message):
    from pyspark.ml.linalg import Vectors

    rows = [Vectors.dense([0.3, 0.7]), None if bad is None else Vectors.dense(bad)]
    with pytest.raises(SourceError) as error:
        scan(vectors(spark, *rows).coalesce(1), ["v"])
    assert str(error.value) == f"partition 0: column 'v', row 2: {message}"


# Bad input


@pytest.mark.parametrize("name", ["nope", "Score"])
def test_missing_columns_are_named(frame, name):
    with pytest.raises(SourceError, match=f"^Spark DataFrame: column '{name}' is missing; .* are 'id', 'lab"):
        scan(frame, [name])


def test_a_name_of_two_columns_is_refused(frame):
    with pytest.raises(SourceError, match=r"^Spark DataFrame: column 'a' is there 2 times; give columns"):
        scan(frame.selectExpr("id as a", "score as a"), ["a"])


def test_the_first_row_without_a_value_is_named(frame):
    from pyspark.sql.functions import expr

    nulls = frame.withColumn("score", expr("case when id in (502, 760) then null else score end"))
    with pytest.raises(SourceError) as error:
        scan(nulls, ["id", "score"])
    assert str(error.value) == "partition 2: column 'score', row 3: no value"
    assert error.value.__cause__ is None
    assert error.value.__suppress_context__ or error.value.__context__ is None


@pytest.mark.parametrize(
    ("expression", "name"),
    [("array(id)", "array<bigint>"), ("interval 1 month", "interval month"), ("binary('1')", "binary")],
)
def test_wrong_types_are_named(frame, expression, name):
    with pytest.raises(SourceError) as error:
        scan(frame.selectExpr(f"{expression} as a"), ["a"])
    kinds = "booleans, integers, floats, decimals, text, dates, times and vectors"
    assert str(error.value) == f"Spark DataFrame: column 'a': is of type '{name}', which is none of {kinds}"


def test_streams_are_refused(spark):
    with pytest.raises(SourceError, match=r"^Spark DataFrame: a stream has no end"):
        _spark.opened(spark.readStream.format("rate").load())


# Failures


def assert_one_line(data, step, said):
    with pytest.raises(SourceError) as error:
        scan(data.coalesce(1), data.columns[:1], step)
    message = str(error.value)
    assert message.startswith("Spark DataFrame: ")
    assert said in message
    assert len(message.splitlines()) == 1
    assert "\tat " not in message
    assert error.value.__cause__ is None
    assert error.value.__suppress_context__
    return message


def is_first_attempt():
    from pyspark import TaskContext

    return TaskContext.get().attemptNumber() == 0


class KilledOnce(NamedTuple):
    """See a part, but kill the worker of the partition at its first attempt."""

    place: str

    def __call__(self, part: Part) -> list[Seen]:
        if part.place.name == self.place and is_first_attempt():
            os.kill(os.getpid(), signal.SIGKILL)
        return see(part)


def test_a_killed_worker_changes_nothing(frame):
    seen = scan(frame, ["id", "score"], KilledOnce(f"partition {N_PARTITIONS - 1}"))
    assert pickle.dumps(seen) == pickle.dumps(scan(frame, ["id", "score"]))


def kill(part):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_worker_that_is_killed_always_is_one_error(frame):
    assert_one_line(frame, kill, "Python worker exited unexpectedly (crashed); often for lack of memory")


def want_what_is_not_there(part):
    import sklearn_ap_that_is_not_there  # noqa: F401


def test_a_package_that_executors_lack_is_named(frame):
    said = "No module named 'sklearn_ap_that_is_not_there'; the executors need sklearn-ap and pyarrow"
    assert_one_line(frame, want_what_is_not_there, said)


def test_a_file_that_is_gone_is_one_line(spark, frame, tmp_path):
    frame.write.parquet(str(tmp_path / "rows"))
    rows = spark.read.parquet(str(tmp_path / "rows"))
    for file in (tmp_path / "rows").glob("*.parquet"):
        file.unlink()
    message = assert_one_line(rows, see, "File does not exist")
    assert str(tmp_path / "rows") in message


def test_an_error_of_spark_itself_is_one_line(frame):
    assert_one_line(frame.selectExpr("1 / (id - 5) as ratio"), see, "Division by zero")


# Scores of a DataFrame


def killed_once(batches):
    """Pass rows on, but kill the worker of the first partition at the first attempt of every scan."""
    from pyspark import TaskContext

    if TaskContext.get().partitionId() == 0 and is_first_attempt():
        os.kill(os.getpid(), signal.SIGKILL)
    yield from batches


@pytest.fixture(scope="module")
def in_memory(frame):
    """Labels, scores and weights of the rows."""
    rows = frame.select("label", "score", "weight").collect()
    return [np.array(one) for one in zip(*rows, strict=True)]


def test_decimals_of_spark_rank_by_all_their_digits(spark):
    """Labels are what `x / 1.0` yields, and scores have 18 digits, of which floats hold 16."""
    y_true, units = np.arange(200) % 3 == 0, 123456789012345600 + np.arange(200) * 37 % 101
    score = "(123456789012345600 + (id * 37) % 101) * 0.000001 as score"
    rows = spark.range(0, 200, 1, 4).selectExpr("int(id % 3 = 0) / 1.0 as label", score)
    assert rows.dtypes[1] == ("score", "decimal(27,6)")
    expected = pytest.approx(sklearn_ap.average_precision_score(y_true, units), rel=1e-15)
    assert distributed.average_precision_score(rows) == expected
    ranked = [one / 10**6 for one in sorted(set(units.tolist()), reverse=True)]
    assert distributed.hit_curve(rows, memory_limit=3_000)[2].tolist() == [np.inf, *ranked]


def test_scores_are_those_in_memory_though_workers_are_killed(frame, in_memory):
    """One in each of several scans."""
    y_true, y_score, _ = in_memory
    faulty = frame.select("label", "score").mapInArrow(killed_once, "label double, score double")
    told = []
    found = distributed.average_precision_score(
        faulty, memory_limit=6_000, progress=lambda *done: told.append(done)
    )
    assert len(told) == 3
    assert found == pytest.approx(sklearn_ap.average_precision_score(y_true, y_score), rel=1e-15, abs=0)


@pytest.mark.parametrize(("weight", "n_scans"), [(None, 3), ("weight", 5)])
def test_executors_rank_the_ranges_and_give_the_floats_of_files(spark, tmp_path, weight, n_scans):
    """Every score, by the bounds, the bins and one exchange; a rank has no weights."""
    from arrow_files import written_ranges

    path, told = written_ranges(tmp_path / "rows.parquet"), []
    names = [name for name in sklearn_ap.get_scorer_names() if weight is None or "reciprocal" not in name]
    asked = partial(distributed.scores, names, sample_weight=weight, memory_limit=1_000)
    frame = spark.read.parquet(str(path)).repartition(4)
    assert asked(frame, progress=lambda *one: told.append(one)) == asked(path)
    assert len(told) <= n_scans


def test_rows_that_are_refused_are_named_as_those_of_files(frame):
    from pyspark.sql.functions import expr

    bad = frame.withColumn("score", expr("case when id = 502 then double('nan') else score end"))
    with pytest.raises(ValueError, match=r"^partition 2: column 'score', row 3: no value$"):
        distributed.average_precision_score(bad)
    third = frame.withColumn("label", expr("case when id = 760 then 2.0 else label end"))
    with pytest.raises(ValueError, match=r"^partition 3: column 'label', row 11: 2.0 is a third label"):
        distributed.average_precision_score(third)
    with pytest.raises(ValueError, match=r"^Spark DataFrame: holds no rows$"):
        distributed.average_precision_score(frame.where("id < 0"))


# The evaluator


@pytest.fixture
def evaluator():
    return distributed.AveragePrecisionEvaluator(rawPredictionCol="score")


def test_the_evaluator_gives_the_score_in_memory(frame, in_memory, evaluator):
    y_true, y_score, weight = in_memory
    assert evaluator.isLargerBetter()
    assert evaluator.evaluate(frame) == pytest.approx(
        sklearn_ap.average_precision_score(y_true, y_score), rel=1e-15, abs=0
    )
    at_k = sklearn_ap.average_precision_at_k_score(y_true, y_score, k=20)
    assert evaluator.evaluate(frame, {evaluator.metricName: "average_precision@20"}) == pytest.approx(at_k)
    assert evaluator.getMetricName() == "average_precision"
    expected = sklearn_ap.average_precision_score(y_true, -weight, sample_weight=weight)
    other = evaluator.copy().setScoreCol("other").setWeightCol("weight")
    assert other.evaluate(frame.selectExpr("*", "-weight as other")) == pytest.approx(
        expected, rel=1e-14, abs=0
    )
    assert not evaluator.isDefined(evaluator.weightCol)


def test_the_evaluator_names_a_column_that_is_missing(frame):
    with pytest.raises(SourceError, match=r"^Spark DataFrame: column 'rawPrediction' is missing; the colu"):
        distributed.AveragePrecisionEvaluator().evaluate(frame)


def test_the_evaluator_is_saved_under_its_public_name(spark, tmp_path):
    saved = distributed.AveragePrecisionEvaluator(metricName="recall@0.05", labelCol="y")
    saved.save(str(tmp_path / "evaluator"))
    loaded = distributed.AveragePrecisionEvaluator.load(str(tmp_path / "evaluator"))
    assert type(loaded) is distributed.AveragePrecisionEvaluator
    assert loaded.uid == saved.uid
    assert {p.name: v for p, v in loaded.extractParamMap().items()} == {
        p.name: v for p, v in saved.extractParamMap().items()
    }
    [written] = (tmp_path / "evaluator" / "metadata").glob("part-*")
    assert '"class":"sklearn_ap.distributed.AveragePrecisionEvaluator"' in written.read_text()


# The page about data that does not fit, whose code needs Spark

PAGE = Path(__file__).parent.parent / "docs" / "data_that_does_not_fit.md"


def test_code_of_the_page_runs_in_spark(spark):
    """And Spark's own search scores each fold as memory does; the folds are given, and models are kept."""
    from pyspark.ml.linalg import Vectors

    [code] = re.findall(r"^```\{code-block\} python\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    known = code.replace("numFolds=2", "numFolds=2, foldCol='fold', collectSubModels=True")
    assert known != code
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.3).astype(float)
    X = rng.normal(size=(400, 2)) + y[:, np.newaxis]
    rows = [
        (Vectors.dense(x), float(label), row % 2) for row, (x, label) in enumerate(zip(X, y, strict=True))
    ]
    data = spark.createDataFrame(rows, ["features", "label", "fold"]).coalesce(1).cache()
    names = {"data": data}
    exec(known, names)
    found = pd.DataFrame(map(tuple, names["scored"].collect()), columns=["label", "score"])
    gc.collect()  # here, and not in another test, whose warnings are errors
    assert len(found) == 400
    assert names["whole"] == pytest.approx(
        sklearn_ap.average_precision_score(found["label"], found["score"]), rel=1e-14, abs=0
    )
    expected = sklearn_ap.average_precision_at_k_score(found["label"], found["score"], k=100)
    assert names["value"] == pytest.approx(expected, rel=1e-14, abs=0)
    assert 0.3 < names["value"] < 1
    scores = np.empty((2, 2))
    for fold, one_per_grid in enumerate(names["best"].subModels):
        for column, one in enumerate(one_per_grid):
            tested = one.transform(data.where(data.fold == fold)).select("label", "rawPrediction").collect()
            labels, raw = zip(*((row.label, row.rawPrediction[1]) for row in tested), strict=True)
            scores[fold, column] = sklearn_ap.average_precision_at_k_score(labels, raw, k=100)
    np.testing.assert_allclose(names["best"].avgMetrics, scores.mean(axis=0), rtol=1e-14)
    np.testing.assert_allclose(names["best"].stdMetrics, scores.std(axis=0), rtol=1e-9)
    assert len(set(scores.ravel())) > 1

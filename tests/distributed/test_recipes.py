"""The recipes of the page *Rows beyond memory* have the scores of all rows in memory.
Tests of the page run its examples with prompts. Here, these examples read drawn tables, and
the blocks without prompts run.
"""
# ruff: noqa: PLC0415  # optional packages are imported where they are used

import os
import re
import shutil
import sys
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pyarrow  # noqa: F401  # a recipe uses it
import pytest

import sklearn_ap
from brief import IS_BRIEF
from sklearn_ap import average_precision_at_k_score, average_precision_score
from sklearn_ap.distributed import RankingState

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "rows_beyond_memory.md").read_text(encoding="utf-8")
BLOCKS = [
    re.sub(r"^(?:>>>|\.\.\.) ?", "", block, flags=re.MULTILINE)
    for block in re.findall(r"```(?:\{code-block\} )?python\n(.*?)```", PAGE, re.DOTALL)
]
WITHOUT_CUT = [
    (sklearn_ap.average_precision_score, {}),
    (sklearn_ap.average_precision_score, {"prevalence": 0.01}),
    (sklearn_ap.precision_at_recall_score, {"recall": 0.7}),
    (sklearn_ap.r_precision_score, {}),
]
WITH_CUT = ["average_precision@7", "recall@0.3", "reciprocal_rank"]


def block_with(word):
    """Return the block of the page that contains this word, without prompts."""
    [block] = [block for block in BLOCKS if word in block]
    return block


def run(code, **variables):
    """Run code, and return its variables."""
    variables = {**globals(), **variables}
    exec(code, variables)
    return variables


# --- drawn tables ---------------------------------------------------------------------


def drawn_table(seed):
    """Draw rows of up to nine queries, of which one has no positive, with scores that
    repeat or are distinct.
    """
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 300))
    day = rng.integers(0, rng.integers(1, 9), size)
    label = (rng.random(size) < rng.choice([0.02, 0.2, 0.7])) & (day != 3)
    score = (rng.normal(size=size) + label).astype(rng.choice(["f4", "f8"]))
    if rng.random() < 0.5:
        score = score.round(int(rng.integers(0, 3)))
    weight = rng.random(size) * (rng.random(size) < 0.9)
    weight[0] = 1
    return pl.DataFrame({"label": label, "score": score, "weight": weight, "day": day})


[SUM] = re.findall(r"`(sum\(if.*?)`", PAGE)
SQL = {
    way: re.findall(r'f"""(.*?)"""', block_with(word), re.DOTALL)[0]
    for way, word in (("score", "select label, score, count"), ("place", "asof"))
}
SUM_OF_POLARS = 'pl.when(pl.col("weight") >= 0).then("weight").otherwise(np.nan).sum()'
# What the page says for queries.
BY_QUERY = {
    "score": {"label, score": "day, label, score"},
    "place": {
        "select label": "select r.day, label",
        "distinct score": "distinct day, score",
        "select score": "select day, score",
        "over (": "over (partition by day ",
        "on r.score": "on r.day = cuts.day and r.score",
    },
}


def by_duckdb(path, way, *, weighted=False, by_query=False):
    query = SQL[way].replace("{path}", str(path))
    if weighted:
        query = query.replace("count(*)", SUM)
    if by_query:
        for words, others in BY_QUERY[way].items():
            assert words in query
            query = query.replace(words, others)
    return duckdb.sql(query).fetchnumpy()


def by_polars(path, *, weighted=False, at='["score"]'):
    code = block_with("search_sorted").replace('["score"]', at, 1)
    if weighted:
        code = code.replace("pl.len()", SUM_OF_POLARS)
    return run(code, path=path, ap=None)["few"]


def scored(rows, column, query_id=None, **options):
    """Return the scores without a cut, also of rows with missed positives."""
    missed = {"n_positives": 300}
    if query_id is not None:
        options["query_id"] = rows[query_id]
        missed["n_positives"] = dict.fromkeys(range(9), 300)
    return [
        score(rows["label"], rows[column], zero_division=0.0, **own, **options)
        for score, own in [*WITHOUT_CUT, (average_precision_score, missed)]
    ]


def check_scores(rows, few, column, *, weighted, **options):
    """Check the scores of groups of rows, and those with a cut if they are counted."""
    weight, tolerance = ("weight", 1e-12) if weighted else (None, 1e-14)
    expected, found = (
        scored(table, of_table, sample_weight=w and table[w], **options)
        for table, of_table, w in ((rows, "score", weight), (few, column, "n"))
    )
    assert found == pytest.approx(expected, rel=tolerance, abs=0)
    if weighted or options:
        return
    arrays = {"positive": few["label"], "y_score": few[column], "counts": few["n"]}
    counted = RankingState.from_arrays({**arrays, "pos_label": True})
    in_memory = RankingState(pos_label=True).update(rows["label"], rows["score"])
    expected = in_memory.score(WITH_CUT, zero_division=0.0)
    found = counted.score(WITH_CUT, zero_division=0.0)
    assert found == pytest.approx(expected, rel=tolerance, abs=0)


@pytest.mark.filterwarnings("ignore:No positive class found")  # on the page
@pytest.mark.parametrize("seed", range(5 if IS_BRIEF else 100))
def test_duckdb_and_polars(tmp_path, seed):
    rows, path = drawn_table(seed), tmp_path / "rows.parquet"
    rows.write_parquet(path)
    n_positives = rows["label"].sum()
    for weighted in (False, True):
        few = by_polars(path, weighted=weighted)
        check_scores(rows, few, "place", weighted=weighted)
        assert few.height <= 3 * n_positives + 1
        for way in SQL:
            few = by_duckdb(path, way, weighted=weighted)
            check_scores(rows, few, way, weighted=weighted)
            few = by_duckdb(path, way, weighted=weighted, by_query=True)
            check_scores(rows, few, way, weighted=weighted, query_id="day")


MISSING = [
    ("score", None),
    ("score", np.nan),
    ("score", np.inf),
    ("label", None),
    ("weight", None),
    ("weight", -1.0),
    ("weight", np.nan),
]


def with_missing(column, value, *, label):
    """Return rows of which one with this label has no value, or one that a score
    refuses.
    """
    rows = drawn_table(4)
    values = rows[column].to_list()
    values[rows["label"].to_list().index(label)] = value
    return rows.with_columns(pl.Series(column, values))


@pytest.mark.parametrize("label", [True, False])
@pytest.mark.parametrize(("column", "value"), MISSING)
def test_missing_values_are_an_error(tmp_path, column, value, label):
    """A search ranks NaN first, and a sum skips NULL and hides negative weights."""
    path, rows = tmp_path / "rows.parquet", with_missing(column, value, label=label)
    rows.write_parquet(path)
    for way in SQL:
        few = by_duckdb(path, way, weighted=True)
        with pytest.raises(ValueError, match=r"NaN|masked|infinity"):
            scored(few, way, sample_weight=few["n"])
    with pytest.raises(ValueError, match=r"NaN|missing"):
        by_polars(path, weighted=True)
    [condition] = re.findall(r"`(where [^`]* label is null)`", PAGE)
    n_missing = int(column != "weight" and value not in (np.inf, -1.0))
    assert len(duckdb.sql(f"from rows {condition}")) == n_missing


def test_places_of_other_rows_are_an_error(tmp_path):
    path = tmp_path / "rows.parquet"
    drawn_table(4).write_parquet(path)
    with pytest.raises(AssertionError):
        by_polars(path, at='["score"].head(-1)')


@pytest.mark.filterwarnings("ignore:y_true contains no positives:UserWarning")
def test_rows_of_queries_up_to_a_cut(tmp_path):
    code = block_with("qualify")
    for seed in range(10):
        rows = drawn_table(seed)
        rows.write_parquet(tmp_path / "rows.parquet")
        printed = []
        run(
            code.replace("100", "5").replace("%.4f", "%.17f"),
            path=tmp_path / "rows.parquet",
            print=printed.append,
        )
        expected = average_precision_at_k_score(
            rows["label"], rows["score"], k=5, query_id=rows["day"], zero_division=0.0
        )
        assert float(*printed) == pytest.approx(expected, rel=1e-14)


# --- Spark ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    """A session of Spark with two cores."""
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("Spark runs on Java")
    settings = {
        # a short run
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(
            map(str, (ROOT, ROOT / "tests"))
        ),
        "spark.log.level": "OFF",
        "spark.python.daemon.module": "tests.distributed.spark_daemon",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        builder = sql.SparkSession.builder.master("local[2]").config(map=settings)
        session = builder.getOrCreate()
        yield session
        session.stop()


# pyspark 4.0 leaves sockets open, and 4.3 warns of pandas 3.
on_spark = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning",
    "ignore:unclosed <socket:ResourceWarning",
    "ignore:PySpark does not yet fully support pandas",
)


def by_spark(table, *, weighted=False, at=slice(None)):
    """Run the recipe of the page, with a sum of weights or with another `at`."""
    from pyspark.sql.functions import expr

    code, last = block_with("def placed"), block_with("mapInArrow")
    if weighted:
        code = code.replace("place]", 'place, batch["weight"]]')
        code = code.replace('"place"]', '"place", "weight"]')
        last = last.replace('"score")', '"score", "weight")')
        last = last.replace("place long", "place long, weight double")
        last = last.replace(".count()", f'.agg(expr("{SUM}").alias("count"))')
    variables = run(code, rows=table, expr=expr)
    variables["at"] = variables["at"][at]
    exec(last, variables)
    return variables["few"].rename_columns(["label", "place", "n"])


@on_spark
@pytest.mark.parametrize("seed", range(2 if IS_BRIEF else 20))
def test_spark(spark, seed):
    """Some partitions are empty, since rows of a day are in one."""
    rows, n_partitions = drawn_table(seed), (4, 1, 40)[seed % 3]
    table = spark.createDataFrame(rows.to_arrow()).repartition(n_partitions, "day")
    for weighted in (False, True):
        few = by_spark(table, weighted=weighted)
        check_scores(rows, few, "place", weighted=weighted)
    of_queries = table.withColumnRenamed("day", "query")
    mean = run(block_with("applyInArrow"), rows=of_queries)["mean"]
    expected = average_precision_at_k_score(
        rows["label"], rows["score"], query_id=rows["day"], k=10, zero_division=0.0
    )
    assert mean == pytest.approx(expected, rel=1e-14)


@on_spark
@pytest.mark.parametrize(("column", "value"), MISSING[:2] + MISSING[3:6])
def test_missing_values_are_an_error_on_spark(spark, column, value):
    table = spark.createDataFrame(with_missing(column, value, label=False).to_arrow())
    with pytest.raises(ValueError, match=r"NaN|missing"):
        by_spark(table, weighted=True)
    if column == "score":
        with pytest.raises(AssertionError):
            by_spark(spark.createDataFrame(drawn_table(4).to_arrow()), at=slice(-1))


@on_spark
def test_spark_counts_no_row_twice(spark, tmp_path):
    """A micro-batch may be empty."""
    rows = drawn_table(4)
    expected = average_precision_score(rows["label"], rows["score"])
    source = tmp_path / "source"
    source.mkdir()
    for number, part in enumerate(rows.iter_slices(rows.height // 3 + 1)):
        part.write_parquet(source / f"{number}.parquet")
    part.clear().write_parquet(source / "none.parquet")
    schema = spark.read.parquet(str(source)).schema
    stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
    code = block_with("foreachBatch").replace(
        ".start()", ".trigger(availableNow=True).start().awaitTermination()"
    )
    states = run(code, stream=stream.parquet(str(source)))["states"]
    total = sum(states.values(), start=RankingState(pos_label=True))
    assert total.score() == pytest.approx(expected, rel=1e-14)

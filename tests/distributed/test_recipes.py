"""The recipes of the page *Rows beyond memory* have the scores of all rows in memory.
Tests of the page run its examples with prompts. Here, these examples read drawn tables, and
the blocks without prompts run.
"""
# ruff: noqa: PLC0415  # optional packages are imported where they are used

import os
import re
import shutil
import sys
from datetime import date, timedelta  # noqa: F401  # recipes use them
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
    weight = (10 * weight).astype(rng.choice(["f4", "f8", "i4"]))
    return pl.DataFrame({"label": label, "score": score, "weight": weight, "day": day})


# How each engine adds up weights.
SUMS = dict(re.findall(r"^\|(.*?)\|`(.*?)`", PAGE, re.MULTILINE))
SUM, SUM_OF_POLARS = SUMS["DuckDB, Spark"], SUMS["Polars"]
# Below the table: the weights of pandas, the check of its labels, and its labels.
OF_PANDAS = re.findall(r"`((?:assert )?rows\.(?:weight|label).*?)`", PAGE)[:3]
SQL = {
    way: re.findall(r'"""(.*?)"""', block_with(word), re.DOTALL)[0]
    for way, word in (("score", "select label, score, count"), ("place", "asof"))
}
# The rows with boolean labels, and the search for missing values.
READ, FIND = block_with("missing =").split("missing =")
FIND = f"missing ={FIND}"
# What a user writes for other labels.
CHANGES = {
    "signs": {"when 0": "when -1", '"label") == 0': '"label") == -1'},
    "text": {
        "when 1": "when 'spam'",
        "when 0": "when 'ham'",
        '"label") == 1': '"label") == "spam"',
        '"label") == 0': '"label") == "ham"',
    },
}
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


def by_duckdb(path, way, *, weighted=False, by_query=False, changed=()):
    query, read = SQL[way], READ.replace("score, day", "score, weight, day")
    for words, others in dict(changed).items():
        read = read.replace(words, others)
    rows = run(read, path=path)["rows"]  # noqa: F841  # the query reads it
    if weighted:
        query = query.replace("count(*)", SUM)
    if by_query:
        for words, others in BY_QUERY[way].items():
            assert words in query
            query = query.replace(words, others)
    return duckdb.sql(query).fetchnumpy()


def by_polars(path, *, weighted=False, at='["score"]', changed=()):
    code = block_with("search_sorted").replace('["score"]', at, 1)
    for words, others in dict(changed).items():
        code = code.replace(words, others)
    if weighted:
        code = code.replace("pl.len()", SUM_OF_POLARS)
    return run(code, path=path, ap=None)["few"]


def by_pandas(rows):
    """Return the sums of weights, of a type whose sums and `all` skip missing values."""
    rows = rows.to_pandas(use_pyarrow_extension_array=True)
    is_valid = SUMS["pandas"].removeprefix("assert ")
    assert SUMS["Dask"].replace(".compute()", "") == f"assert {is_valid}"
    assert eval(is_valid, {"rows": rows}), "weights"
    weight, label, are_positive = OF_PANDAS
    assert eval(label.removeprefix("assert "), {"rows": rows}), "labels"
    rows["weight"] = eval(weight, {"rows": rows})
    rows["label"] = eval(are_positive, {"rows": rows})
    groups = rows.groupby(["label", "score"], dropna=False)
    return pl.from_pandas(groups["weight"].sum().reset_index(name="n"))


def scored(rows, column, query_id=None, **options):
    """Return the scores without a cut, also of rows with missed positives."""
    missed = {"n_positives": 3000}
    if query_id is not None:
        options["query_id"] = rows[query_id]
        missed["n_positives"] = dict.fromkeys(range(9), 3000)
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
    check_scores(rows, by_pandas(rows), "score", weighted=True)
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
    ("label", np.nan),
    ("label", 2.0),
]


def with_missing(column, value, *, label):
    """Return rows of which one with this label has no value, or one that a score
    refuses. Labels that may be NaN are floats.
    """
    rows = drawn_table(4)
    if isinstance(value, float):
        rows = rows.cast({column: pl.Float64})
    values = rows[column].to_list()
    values[rows["label"].to_list().index(label)] = value
    return rows.with_columns(pl.Series(column, values))


@pytest.mark.parametrize("label", [True, False])
@pytest.mark.parametrize(("column", "value"), MISSING)
def test_missing_values_are_an_error(tmp_path, column, value, label):
    """A search ranks NaN first, and a sum skips NULL and hides negative weights. A label
    that is NaN does not equal 1.
    """
    path, rows = tmp_path / "rows.parquet", with_missing(column, value, label=label)
    rows.write_parquet(path)
    for way in SQL:
        few = by_duckdb(path, way, weighted=True)
        with pytest.raises(ValueError, match=r"NaN|masked|infinity"):
            scored(few, way, sample_weight=few["n"])
    with pytest.raises(ValueError, match=r"NaN|missing"):
        by_polars(path, weighted=True)
    if column != "score":
        with pytest.raises(AssertionError, match=f"{column}s"):
            by_pandas(rows)
    if column != "weight" and value != np.inf:
        with pytest.raises(AssertionError):
            run(READ + FIND, path=path)


LABELS = {"numbers": [0, 1], "signs": [-1, 1], "text": ["ham", "spam"]}


def relabeled(rows, labels):
    """Return the rows with other labels, and the words that a user changes for them."""
    [negative, positive] = LABELS[labels]
    label = pl.when("label").then(pl.lit(positive)).otherwise(pl.lit(negative))
    return rows.with_columns(label=label), CHANGES.get(labels, {})


@pytest.mark.filterwarnings("ignore:y_true contains no positives:UserWarning")
@pytest.mark.parametrize("labels", LABELS)
def test_labels_of_any_type(tmp_path, labels):
    """As a condition, DuckDB takes -1 for true."""
    rows, path = drawn_table(4), tmp_path / "rows.parquet"
    of_type, changed = relabeled(rows, labels)
    of_type.write_parquet(path)
    check_scores(rows, by_polars(path, changed=changed), "place", weighted=False)
    for way in SQL:
        few = by_duckdb(path, way, changed=changed)
        check_scores(rows, few, way, weighted=False)
    check_cut(rows, path, changed)


def test_places_of_other_rows_are_an_error(tmp_path):
    path = tmp_path / "rows.parquet"
    drawn_table(4).write_parquet(path)
    with pytest.raises(AssertionError):
        by_polars(path, at='["score"].head(-1)')


def check_cut(rows, path, changed=()):
    """Check the recipe of queries with a cut, in a table of other labels."""
    code = block_with("qualify").replace("100", "5").replace("%.4f", "%.17f")
    read, printed = READ, []
    for words, others in dict(changed).items():
        read = read.replace(words, others)
    run(read + FIND + code, path=path, print=printed.append)
    expected = average_precision_at_k_score(
        rows["label"], rows["score"], k=5, query_id=rows["day"], zero_division=0.0
    )
    assert float(*printed) == pytest.approx(expected, rel=1e-14)


@pytest.mark.filterwarnings("ignore:y_true contains no positives:UserWarning")
def test_rows_of_queries_up_to_a_cut(tmp_path):
    for seed in range(10):
        rows = drawn_table(seed)
        rows.write_parquet(tmp_path / "rows.parquet")
        check_cut(rows, tmp_path / "rows.parquet")


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


# How the page makes labels boolean on Spark.
BOOLEAN = re.search(r"`(rows\.withColumn\(.*?)`", PAGE)[1]
# pyspark 4.0 leaves sockets open, and 4.3 warns of pandas 3.
on_spark = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning",
    "ignore:unclosed <socket:ResourceWarning",
    "ignore:PySpark does not yet fully support pandas",
)


def by_spark(table, *, weighted=False, at=slice(None)):
    """Run the recipe of the page, with a sum of weights or with another `at`."""
    from pyspark.sql.functions import expr

    if dict(table.dtypes)["label"] != "boolean":
        table = run(f"{READ.splitlines()[0]}\nrows = {BOOLEAN}", rows=table, expr=expr)[
            "rows"
        ]
    code, last = block_with("def placed"), block_with("mapInArrow")
    if weighted:
        code = code.replace("place]", 'place, batch["weight"]]')
        code = code.replace('"place"]', '"place", "weight"]')
        last = last.replace('"score")', '"score", "weight")')
        last = last.replace("place long", "place long, weight double")
        last = last.replace(".count()", f'.agg(expr("{SUM}").alias("count"))')
    variables = run(FIND.split("\n")[0] + "\n" + code, rows=table, expr=expr)
    variables["at"] = variables["at"][at]
    exec(last, variables)
    return variables["few"].rename_columns(["label", "place", "n"])


@on_spark
@pytest.mark.parametrize("seed", range(2 if IS_BRIEF else 20))
def test_spark(spark, seed):
    """Some partitions are empty, since rows of a day are in one."""
    rows = drawn_table(seed).cast({"weight": pl.Float64})
    n_partitions = (4, 1, 40)[seed % 3]
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
@pytest.mark.parametrize(("column", "value"), MISSING[:2] + MISSING[3:6] + MISSING[7:])
def test_missing_values_are_an_error_on_spark(spark, column, value):
    table = spark.createDataFrame(with_missing(column, value, label=False).to_arrow())
    with pytest.raises((ValueError, AssertionError), match=r"NaN|missing|^$"):
        by_spark(table, weighted=True)
    if column == "score":
        with pytest.raises(AssertionError):
            by_spark(spark.createDataFrame(drawn_table(4).to_arrow()), at=slice(-1))


@on_spark
@pytest.mark.parametrize("queries", [[1, None], [np.nan, 1.0], ["a", None]])
def test_a_missing_query_is_an_error_on_spark(spark, queries):
    rows = pl.DataFrame({"label": True, "score": 0.5, "query": queries})
    with pytest.raises(AssertionError):
        run(block_with("applyInArrow"), rows=spark.createDataFrame(rows.to_arrow()))


@on_spark
def test_a_stream_counts_each_row_once(spark, tmp_path):
    """A batch may be empty, and each comes again, as after an interruption. Spark keeps
    the place in the stream when it starts again; earlier variables are lost.
    """
    rows, code = drawn_table(4), block_with("foreachBatch")
    rows = rows.cast({"score": pl.Float32})
    code = code.replace("date.today()", "today()")
    code = code.replace("(count)", "(lambda *batch: [count(*batch) for _ in range(2)])")
    source, folder = tmp_path / "source", tmp_path / "folder"
    source.mkdir()
    folder.mkdir()
    code = code.replace(
        ".start()", ".trigger(availableNow=True).start().awaitTermination()"
    )
    for day, part in enumerate(rows.iter_slices(rows.height // 3 + 1), start=10):
        part.write_parquet(source / f"{day}.parquet")
        part.clear().write_parquet(source / f"{day}_empty.parquet")
        schema = spark.read.parquet(str(source)).schema
        stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
        variables = {
            "stream": stream.parquet(str(source)),
            "folder": folder,
            "checkpoint": str(tmp_path / "checkpoint"),
            "today": lambda day=day: date(2026, 12, day),
        }
        run(code, **variables)
    for today, taken in ((12, rows), (18, part)):
        code = block_with("read_parquet(folder)")
        code = code.replace("date.today()", f"date(2026, 12, {today})")
        found = run(code, folder=folder)
        expected = average_precision_score(taken["label"], taken["score"])
        assert found["ap"] == pytest.approx(expected, rel=1e-14)

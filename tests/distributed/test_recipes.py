"""The recipes of the page *Rows beyond memory* have the scores of all rows in memory.
Tests of the page run its examples with prompts. The blocks without prompts run here.
"""
# ruff: noqa: PLC0415  # optional packages are imported where they are used

import multiprocessing
import os
import pickle  # noqa: F401  # a recipe uses it
import re
import shutil
import socket
import sys
from pathlib import Path

import duckdb
import joblib  # noqa: F401  # a recipe uses it
import numpy as np
import polars as pl
import pyarrow  # noqa: F401  # a recipe uses it
import pytest

import sklearn_ap
from sklearn_ap import average_precision_at_k_score, average_precision_score
from sklearn_ap.distributed import RankingState

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "rows_beyond_memory.md").read_text(encoding="utf-8")
WITHOUT_CUT = [
    (sklearn_ap.average_precision_score, {}),
    (sklearn_ap.average_precision_score, {"prevalence": 0.01}),
    (sklearn_ap.interpolated_average_precision_score, {"recall_levels": 11}),
    (sklearn_ap.pr_auc_score, {"interpolation": "davis-goadrich"}),
    (sklearn_ap.precision_at_recall_score, {"recall": 0.7}),
    (sklearn_ap.recall_at_precision_score, {"precision": 0.4}),
    (sklearn_ap.r_precision_score, {}),
]


def run(word, **variables):
    """Run the block of the page that contains this word, and return its variables."""
    blocks = re.findall(r"```\{code-block\} python\n(.*?)```", PAGE, re.DOTALL)
    [block] = [block for block in blocks if word in block]
    variables = {**globals(), **variables}
    exec(block, variables)
    return variables


def test_a_recipe_has_at_most_eight_lines():
    blocks = re.findall(r"```(?:\{code-block\} )?python\n(.*?)```", PAGE, re.DOTALL)
    for block in blocks:
        # A block with prompts also contains what it prints.
        lines = re.findall(r"^(?:>>>|\.\.\.) .*", block, re.MULTILINE)
        lines = [line for line in lines or block.split("\n") if line.strip()]
        assert len(lines) - block.count("import ") <= 8, block


# --- DuckDB and Polars ----------------------------------------------------------------


@pytest.fixture(params=[0, 1, 2])
def rows(request):
    """Rows of seven queries, of which one has no positive, and of one with one row."""
    rng = np.random.default_rng(request.param)
    query = rng.integers(0, 7, 400)
    label = (rng.random(400) < 0.2) & (query != 3)
    query[5] = 9
    return pl.DataFrame(
        {
            "label": label,
            "score": (rng.normal(size=400) + label).round(request.param),
            "weight": rng.random(400),
            "query": query,
        }
    )


FEW = {
    "DuckDB": lambda rows: duckdb.sql(
        "select query, label, score, count(*) n, sum(weight) w from rows group by all"
    ).pl(),
    "Polars": lambda rows: (
        rows.lazy()
        .group_by("query", "label", "score")
        .agg(n=pl.len(), w=pl.sum("weight"))
        .collect(engine="streaming")
    ),
}


@pytest.mark.parametrize("engine", FEW)
@pytest.mark.parametrize(("score", "options"), WITHOUT_CUT)
@pytest.mark.parametrize("average", ["macro", "weighted", "micro", None])
def test_equal_rows_are_counted(rows, engine, score, options, average):
    few = FEW[engine](rows)
    options = options | {"average": average, "zero_division": 0.0}
    for weight, sums in ((None, "n"), ("weight", "w")):
        values = []
        for table, name in ((rows, weight), (few, sums)):
            arguments = dict(options)
            if average != "micro":
                arguments["query_id"] = table["query"]
            if name is not None:
                arguments["sample_weight"] = table[name]
            values.append(score(table["label"], table["score"], **arguments))
        assert values[1] == pytest.approx(values[0], rel=1e-12, abs=0)


def test_the_score_of_each_query(rows):
    few, options = FEW["DuckDB"](rows), {"zero_division": 0.0}
    expected, found, of_part = (
        sklearn_ap.score_by_query(
            *(average_precision_score, table["label"], table["score"]),
            query_id=table["query"],
            **options | more,
        )
        for table, more in (
            (rows, {}),
            (few, {"sample_weight": few["n"]}),
            (duckdb.sql("from rows where hash(query) % 2 = 0").pl(), {}),
        )
    )
    assert [*found] == [*expected]
    assert found == pytest.approx(expected, rel=1e-14)
    assert of_part == {query: expected[query] for query in of_part}


@pytest.mark.parametrize("k", [1, 5, 30])
@pytest.mark.parametrize("normalizer", ["min", "n_positives"])
@pytest.mark.parametrize("ties", ["proportional", "expected", "pessimistic"])
def test_rows_of_queries_up_to_a_cut(rows, k, normalizer, ties):
    best = duckdb.sql(
        "select * from rows "
        f"qualify rank() over (partition by query order by score desc) <= {k}"
    ).pl()
    totals = "select query, count(*) filter (label) from rows group by query"
    n_positives = dict(duckdb.sql(totals).fetchall())
    options = {"k": k, "normalizer": normalizer, "ties": ties, "zero_division": 0.0}
    expected, found = (
        average_precision_at_k_score(
            table["label"], table["score"], query_id=table["query"], **options | more
        )
        for table, more in ((rows, {}), (best, {"n_positives": n_positives}))
    )
    assert found == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("weight", [None, "weight"])
def test_batches_of_polars_and_duckdb(rows, weight):
    at = duckdb.sql("select distinct score from rows where label").fetchnumpy()["score"]
    for batches in (
        duckdb.sql("from rows").to_arrow_reader(64),
        rows.lazy().collect_batches(chunk_size=64),
    ):
        state = RankingState(pos_label=True, positive_scores=at)
        for batch in batches:
            of_rows = batch[weight] if weight else None
            state.update(batch["label"], batch["score"], sample_weight=of_rows)
        of_rows = rows[weight] if weight else None
        for score, options in WITHOUT_CUT:
            expected = score(
                rows["label"], rows["score"], sample_weight=of_rows, **options
            )
            assert state.score(score, **options) == pytest.approx(expected, rel=1e-12)


def test_missing_scores_are_an_error_and_are_counted():
    rows = pl.DataFrame({"label": [True, False, False], "score": [0.5, np.nan, 0.1]})
    few = rows.group_by("label", "score").agg(n=pl.len())
    with pytest.raises(ValueError, match="NaN"):
        average_precision_score(few["label"], few["score"], sample_weight=few["n"])
    [query] = re.findall(r"`(select [^`]* where isnan[^`]*)`", PAGE)
    assert duckdb.sql(query).fetchall() == [(1,)]


# --- Spark ----------------------------------------------------------------------------

N_ROWS = 1_000
ID = np.arange(N_ROWS)
LABEL, QUERY = ID % 23 == 0, ID % 10
# Scores that repeat, and distinct ones.
SCORES = {
    "id * 7919 % 100 / 100D": ID * 7919 % 100 / 100,
    "id * 7919 % 1009 / 1009D": ID * 7919 % 1009 / 1009,
}


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    """A session of Spark with two cores."""
    sql = pytest.importorskip("pyspark.sql")
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
        "spark.python.daemon.module": "tests.spark_daemon",
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


@pytest.mark.skipif(shutil.which("java") is None, reason="Spark runs on Java")
@pytest.mark.parametrize("expression", SCORES)
# sockets of pyspark 4.0
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
# 4 with pandas 3
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")
def test_spark(spark, expression):
    """Run the recipes on rows in six partitions, of which two are empty."""
    rows = (
        spark.range(0, 1_500, 1, 6)
        .where(f"id < {N_ROWS}")
        .selectExpr(
            "id % 23 = 0 as label", f"{expression} as score", "id % 10 as query"
        )
    )
    score = SCORES[expression]
    variables = run("few = ", rows=rows)
    assert variables["ap"] == pytest.approx(average_precision_score(LABEL, score))
    state = run("mapInArrow", rows=rows, at=variables["at"])["state"]
    expected = RankingState(pos_label=True).update(LABEL, score)
    for name in ("average_precision", "precision@100", "reciprocal_rank"):
        assert state.score(name) == pytest.approx(expected.score(name), rel=1e-14)
    assert state.n_samples == N_ROWS
    mean = average_precision_at_k_score(LABEL, score, query_id=QUERY, k=10)
    assert run("applyInArrow", rows=rows)["mean"] == pytest.approx(mean, rel=1e-14)


# --- processes ------------------------------------------------------------------------


def test_joblib(tmp_path):
    paths = [tmp_path / f"{part}.npy" for part in range(3)]
    score = ID * 7919 % 100
    for path, part in zip(paths, np.array_split(ID, 3), strict=True):
        np.save(path, np.stack([LABEL[part], score[part]]))

    def count(path):
        return RankingState(pos_label=True).update(*np.load(path))

    found = run("joblib", paths=paths, count=count)["ap"]
    assert found == pytest.approx(average_precision_score(LABEL, score), rel=1e-14)


def in_process(rank, port, results):
    import torch

    address = f"tcp://127.0.0.1:{port}"
    torch.distributed.init_process_group(
        "gloo", init_method=address, rank=rank, world_size=2
    )
    state = RankingState()
    for part in np.array_split(ID, 7)[rank::2]:
        label, score = torch.tensor(LABEL[part]), torch.tensor(ID[part] * 7919 % 100)
        state.update(label, score)
    results.put(run("all_gather_object", torch=torch, state=state)["ap"])
    torch.distributed.destroy_process_group()


def test_processes_of_torch():
    pytest.importorskip("torch")
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    processes = [
        context.Process(target=in_process, args=(rank, port, results))
        for rank in (0, 1)
    ]
    for process in processes:
        process.start()
    found = [results.get(timeout=60) for _ in processes]
    for process in processes:
        process.join()
    expected = average_precision_score(LABEL, ID * 7919 % 100)
    assert found == [pytest.approx(expected, rel=1e-14)] * 2

"""Frames of Spark: both passes run on the executors, and their scores are those in memory,
however the rows are divided.
"""
# ruff: noqa: PLC0415  # pyspark is optional, and imported where it is used

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sklearn_ap
from brief import not_in_brief
from distributed_rows import (
    AT_7,
    EXCEEDS,
    FITS,
    KINDS,
    LAYOUTS,
    SPARK_WARNINGS,
    assert_score_by_query,
    assert_scores,
    in_arrays,
    is_refused,
    needs_java,
    options_of,
    rows_of,
    scores_for,
    spark_session,
)
from sklearn_ap.distributed import SourceError, score, score_by_query

pytest.importorskip("pyspark")
pytestmark = [needs_java, *SPARK_WARNINGS]

PAGE = Path(__file__).parents[2] / "docs" / "rows_beyond_memory.md"
N_ROWS = 1_000
ap = partial(score, "average_precision")
beyond = partial(ap, memory_limit=EXCEEDS)


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    with spark_session(tmp_path_factory.mktemp("warehouse")) as started:
        yield started


@pytest.fixture
def frame(spark):
    """Return rows in six partitions. The last two are empty."""
    columns = (
        "id",
        "id % 23 = 0 as label",
        "float((id * 7919) % 1000 / 1000) as score",
        "double(id % 7 + 1) as weight",
        "id % 10 as query",
    )
    return spark.range(0, 1_500, 1, 6).where(f"id < {N_ROWS}").selectExpr(*columns)


ID = np.arange(N_ROWS)
LABEL, SCORE, QUERY = ID % 23 == 0, np.float32((ID * 7919 % 1000) / 1000), ID % 10
EXACT = sklearn_ap.average_precision_score(LABEL, SCORE)


def test_every_score(spark):
    """A score of each layout, since Spark takes a second for each of them."""
    for turn, layout in enumerate(LAYOUTS):
        kind = [*KINDS][turn % len(KINDS)]
        rows, options = rows_of(kind), options_of(layout, kind)
        data = spark.createDataFrame(rows).repartition(3)
        scores = scores_for(layout)
        if "query_id" not in options or options.get("average") == "micro":
            scores = [one for one in scores if not is_refused(one, options)]
        limits = [EXCEEDS, FITS][: 1 + (turn % 4 == 0)]
        assert_scores(data, rows, options, scores[turn :: max(len(scores), 1)], limits)


@pytest.mark.parametrize("n_parts", [1, 4, 40])
def test_partitions_do_not_change_the_number(frame, n_parts):
    rows = frame.repartition(n_parts)
    assert beyond(rows) == pytest.approx(EXACT, rel=1e-14)
    assert score("recall@100", rows, memory_limit=EXCEEDS) == pytest.approx(
        sklearn_ap.recall_at_k_score(LABEL, SCORE, k=100), rel=1e-14
    )


@pytest.mark.parametrize("layout", ["totals of queries", "weights of queries"])
def test_the_score_of_each_query(spark, layout):
    data = spark.createDataFrame(rows_of("float32")).repartition(3)
    assert_score_by_query(data, layout, EXCEEDS)


def test_no_rows_come_to_the_driver_beyond_the_limit(frame, monkeypatch):
    """The driver gets one row per partition; Spark divides queries among partitions."""
    from pyspark.sql.classic.dataframe import DataFrame

    sizes, to_arrow = [], DataFrame.toArrow

    def recorded(self):
        table = to_arrow(self)
        sizes.append(table.num_rows)
        return table

    monkeypatch.setattr(DataFrame, "toArrow", recorded)
    beyond(frame)
    assert sizes == [6, 6]
    beyond(frame, query_id="query")
    assert sizes[2:] <= [2]
    ap(frame)
    assert sizes[3:] == [N_ROWS]


@not_in_brief
def test_types_and_names_of_columns(frame):
    rank = ID * 7919 % 1000
    columns = [
        ("int(id * 7919 % 100)", rank % 100, "double(label)", 1),
        ("9007199254740992 + id * 7919 % 1000", rank, "tinyint(label)", True),
        ("cast(id * 7919 % 1000 / 1000 as decimal(10, 3))", SCORE, "label", 1),
        ("float(id)", ID, "if(label, 'spam', 'ham')", "spam"),
    ]
    for column, values, label, pos_label in columns:
        rows = frame.selectExpr(
            f"{label} as `a.b``c d`", f"{column} as score", "1 as S"
        )
        expected = sklearn_ap.average_precision_score(LABEL, values)
        found = beyond(rows, "a.b`c d", pos_label=pos_label)
        assert found == pytest.approx(expected, rel=1e-12), column


def changed(frame, column, value):
    """Return the frame with a new value in a row of the third partition."""
    return frame.selectExpr(
        *(
            f"if(id = 502, {value}, {name}) as {name}" if name == column else name
            for name in frame.columns
        )
    )


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("query", "null", "is missing or NaN in 1 row:"),
        ("score", "float('-inf')", "is infinite in 1 row:"),
        ("weight", "-0.5", "is negative, "),
    ],
)
def test_wrong_values(frame, column, value, words):
    rows = changed(frame, column, value)
    options = {"sample_weight": "weight", "query_id": "query"}
    for average in ("macro", "micro"):
        with pytest.raises(SourceError, match=f"^data: column '{column}' {words}"):
            beyond(rows, average=average, **options)


@not_in_brief
def test_frames_that_raise_an_error(frame):
    labels = frame.selectExpr("if(label, 1, -query % 3) as label", "score", "query")
    wrong = [
        (labels, {}, "column 'label' must have two labels; got"),
        (labels, {"query_id": "query"}, "column 'label' must have two labels; got"),
        (
            frame.selectExpr("label", "string(score) as score"),
            {},
            "must contain numbers",
        ),
        (frame.where("id < 0"), {}, "contains no rows"),
        (frame.limit(0), {}, "contains no rows"),
        (
            frame.selectExpr("label", "score", "id as score"),
            {},
            "'score' occurs 2 times",
        ),
        (frame.where("id = 0"), {"sample_weight": "id"}, "all weights are 0"),
    ]
    for rows, options, words in wrong:
        with pytest.raises(SourceError, match=words):
            beyond(rows, **options)
    with pytest.raises(ValueError, match="contains no total for query 1 "):
        beyond(frame, query_id="query", n_positives={0: 100})
    with pytest.raises(ValueError, match="n_positives must be a mapping"):
        beyond(frame, query_id="query", n_positives=100)
    for other in (frame.score, frame.rdd):
        with pytest.raises(TypeError, match=f"^data .*{type(other).__name__}"):
            ap(other)


def test_an_error_of_the_engine_is_its_own(frame):
    from pyspark.errors import PySparkException

    rows = frame.selectExpr("label", "float(raise_error('of the rows')) as score")
    with pytest.raises(PySparkException, match="of the rows"):
        beyond(rows)


def test_queries_without_positives_and_weights(spark):
    rows = rows_of("float32")
    data = spark.createDataFrame(rows)
    arrays = in_arrays(rows, {"query_id": "query"})
    expected = sklearn_ap.score_by_query(
        AT_7.func, rows["label"], rows["score"], k=7, zero_division=1.0, **arrays
    )
    found = score_by_query(
        AT_7.func, data, query_id="query", k=7, zero_division=1.0, memory_limit=EXCEEDS
    )
    assert found == pytest.approx(expected, rel=1e-14)
    with pytest.warns(UserWarning, match="no positives in 2 of 9 rankings"):
        beyond(data, query_id="query")


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

"""Rows of every kind, how their columns are used, and the engines that tests run: for
tests beyond memory.
"""

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sklearn_ap
from problems import noted
from sklearn_ap import distributed
from sklearn_ap._core.registry import NUMBERS

N_ROWS = 300
FITS, EXCEEDS = 10**9, 1  # limits of memory

# --- rows -----------------------------------------------------------------------------

_Scores = Callable[[np.random.Generator], Any]
_LABELS = np.random.default_rng(1).random(N_ROWS) < 0.2

# Scores, labels and ids of one test each. Neighbours of 2**53 are one number in
# float64.
KINDS: dict[str, tuple[_Scores, Any, str]] = {
    "float32": (lambda rng: rng.random(N_ROWS, dtype=np.float32), _LABELS, "integers"),
    "float64": (lambda rng: rng.normal(size=N_ROWS), _LABELS, "text"),
    "few scores": (
        lambda rng: rng.choice([-0.5, -0.0, 0.0, 0.25, 1e300], N_ROWS),
        _LABELS,
        "text",
    ),
    "integers beyond 2**53": (
        lambda rng: 2**53 + rng.integers(0, 90, N_ROWS),
        _LABELS,
        "integers",
    ),
    "negative integers": (
        lambda rng: rng.integers(-(2**62), 5, N_ROWS),
        _LABELS,
        "text",
    ),
    "only positives": (
        lambda rng: rng.random(N_ROWS).round(2),
        _LABELS | True,
        "text",
    ),
    "only negatives": (
        lambda rng: rng.random(N_ROWS).round(2),
        _LABELS & False,
        "integers",
    ),
}
_IDS: dict[str, Callable[[Any], Any]] = {
    "integers": lambda number: number * 3 - 4,  # from -4 on, 10 behind 5
    "text": lambda number: np.array([f"ü 0{name}" for name in number], dtype=object),
}


@cache
def rows_of(kind: str) -> pd.DataFrame:
    """All columns of some rows: nine queries, of which one has no positive, one has a
    single row, and one has no weight.

    A fifth of the weights are 0, and each batch of rows has some; equal weights are no
    binary fraction.
    """
    rng = np.random.default_rng(8)
    scores, labels, ids = KINDS[kind]
    query = np.where(np.arange(N_ROWS) == 150, 8, rng.integers(0, 8, N_ROWS))
    return pd.DataFrame(
        {
            "label": (labels & ((query != 3) | labels.all())).astype(np.int8),
            "score": scores(rng),
            "weight": np.where(rng.random(N_ROWS) < 0.2, 0.0, rng.random(N_ROWS) * 10)
            * (query != 5),
            "equal": np.full(N_ROWS, 0.1),
            "of negatives": np.where(labels, 0.1, rng.choice([0.2, 0.5, 3.0], N_ROWS)),
            "query": _IDS[ids](query),
            "unused": np.full(N_ROWS, "x,\n"),
        }
    )


# --- what is asked of them ------------------------------------------------------------

# Arguments of a call, with names of columns.
LAYOUTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "weights": {"sample_weight": "weight"},
    "equal weights": {"sample_weight": "equal"},
    "weights of negatives": {"sample_weight": "of negatives"},
    "prevalence": {"prevalence": 0.03},
    "weights at a prevalence": {"sample_weight": "weight", "prevalence": 0.5},
    "total": {"n_positives": 2000.5},
    "total of weights": {"n_positives": 2000.5, "sample_weight": "weight"},
    "queries": {"query_id": "query"},
    "queries by their positives": {"query_id": "query", "average": "weighted"},
    "each query": {"query_id": "query", "average": None},
    "pooled queries": {"query_id": "query", "average": "micro"},
    "weights of queries": {"query_id": "query", "sample_weight": "weight"},
    "equal weights of queries": {
        "query_id": "query",
        "sample_weight": "equal",
        "average": "weighted",
    },
    "queries at a prevalence": {"query_id": "query", "prevalence": 0.03},
    "total of pooled queries": {
        "query_id": "query",
        "n_positives": 200_000,
        "average": "micro",
    },
    "totals of queries": {"query_id": "query", "n_positives": "each"},
    "totals of queries by their positives": {
        "query_id": "query",
        "n_positives": "each",
        "average": "weighted",
    },
    "totals of each query": {
        "query_id": "query",
        "n_positives": "each",
        "average": None,
    },
    "totals of weights of queries": {
        "query_id": "query",
        "n_positives": "each",
        "sample_weight": "weight",
    },
}
OF_ROWS = [layout for layout in LAYOUTS if "query_id" not in LAYOUTS[layout]]
OF_QUERIES = [
    "queries",
    "weights of queries",
    "totals of queries",
    "totals of weights of queries",
]
AT_7 = partial(
    sklearn_ap.average_precision_at_k_score,
    k=7,
    normalizer="n_positives",
    zero_division=1.0,
)
COLUMNS = ("sample_weight", "query_id")
UNEQUAL = ("weight", "of negatives")  # weights that differ in a class
CUTS = (7, 0.3)


def options_of(layout: str, kind: str) -> dict[str, Any]:
    """Arguments of a call; totals of queries name one without rows, too."""
    options = dict(LAYOUTS[layout])
    if options.get("n_positives") == "each":
        names = _IDS[KINDS[kind][2]](np.arange(10))
        options["n_positives"] = dict.fromkeys(names.tolist(), 400.0)
    return options


@cache
def scores_for(layout: str) -> tuple[Any, ...]:
    """Every number of the family that takes the arguments; each cut by rows and by a
    share of rows.

    ``ties='stable'`` requires an order of rows. Weights that differ are an error
    with other orders of ties, with ranks and, together with a total, with the
    normalizer 'min'.
    """
    options, members = LAYOUTS[layout], []
    for number in NUMBERS:
        arguments = number.options | (
            {"zero_division": 0.0} if number.takes("zero_division") else {}
        )
        is_error = arguments.get("ties") == "stable" or not all(
            number.takes(name)
            for name in ("prevalence", "n_positives")
            if name in options
        )
        if options.get("sample_weight") in UNEQUAL:
            is_error |= "ties" in arguments or not number.definition.area.counts_weight
            normalizer = arguments.get(
                "normalizer", "min" if number.takes("normalizer") else None
            )
            is_error |= normalizer == "min" and "n_positives" in options
        if not is_error:
            cuts = [{"k": k} for k in CUTS] if number.is_cut else [{}]
            members += [partial(number.score, **{**arguments, **cut}) for cut in cuts]
    return tuple(members)


def in_arrays(rows: pd.DataFrame, options: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a call in memory, where those beyond memory name columns."""
    return {
        name: rows[value].to_numpy() if name in COLUMNS else value
        for name, value in options.items()
    }


def is_refused(score: Any, options: Mapping[str, Any]) -> bool:
    """Whether the score of a stream beyond the limit of memory needs all rows: the table
    of the page.
    """
    definition, _ = score.func.bind([], [], **score.keywords)
    is_cut = definition.cut not in (None, "n_positives")
    return bool(
        ("query_id" in options and options.get("average") != "micro")
        or (is_cut and "sample_weight" in options)
        or (not is_cut and not definition.area.counts_weight)
        or (not is_cut and definition.ties != "proportional")
    )


def assert_scores(
    data: Any,
    rows: pd.DataFrame,
    options: Mapping[str, Any],
    scores: Sequence[Any],
    limits: Sequence[float] = (FITS, EXCEEDS),
) -> None:
    """Scores of rows in their place are those in memory, to the rounding that the page
    promises, whether or not the rows fit into memory.
    """
    tolerance = 1e-12 if options.get("sample_weight") in UNEQUAL else 1e-14
    arrays = in_arrays(rows, options)
    is_state = isinstance(data, distributed.RankingState)
    is_spark = "pyspark" in type(data).__module__
    for score in scores:
        expected = score(rows["label"].to_numpy(), rows["score"].to_numpy(), **arrays)
        for limit in limits:
            with noted(score=score, options=options, limit=limit, rows=rows):
                if is_state:
                    stated = {
                        name: options[name] for name in options if name not in COLUMNS
                    }
                    found = data.score(score, **stated)
                elif limit == EXCEEDS and not is_spark and is_refused(score, options):
                    with pytest.raises(distributed.SourceError, match="memory_limit"):
                        distributed.score(score, data, memory_limit=limit, **options)
                    continue
                else:
                    found = distributed.score(
                        score, data, memory_limit=limit, **options
                    )
                assert isinstance(found, type(expected))
                assert found == pytest.approx(
                    expected, rel=tolerance, abs=0, nan_ok=True
                )


def assert_score_by_query(data: Any, layout: str, limit: float) -> None:
    """The score of each query is that in memory, by the same ids in the same order."""
    rows, options = rows_of("float32"), options_of(layout, "float32")
    arrays = in_arrays(rows, options)
    expected = sklearn_ap.score_by_query(AT_7, rows["label"], rows["score"], **arrays)
    found = distributed.score_by_query(AT_7, data, memory_limit=limit, **options)
    assert list(found) == list(expected)
    assert found == pytest.approx(expected, rel=1e-12, abs=0)


# --- engines --------------------------------------------------------------------------

needs_java = pytest.mark.skipif(
    shutil.which("java") is None, reason="Spark runs on Java"
)
SPARK_WARNINGS = [
    # sockets of pyspark 4.0
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
    # The pool of a CrossValidator is never closed.
    pytest.mark.filterwarnings(
        "ignore:unclosed running multiprocessing pool:ResourceWarning"
    ),
    # 4 with pandas 3
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
]


@contextmanager
def spark_session(warehouse: Path) -> Iterator[Any]:
    """A session of Spark: two cores, and two attempts for a task (`local[2]` has one, a
    cluster four).
    """
    from pyspark.sql import SparkSession  # noqa: PLC0415  # optional, imported where it is used

    paths = [str(Path(sklearn_ap.__file__).parents[1]), str(Path(__file__).parents[1])]
    settings = {
        # a short run
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.maxResultSize": "64m",
        "spark.driver.memory": "1g",
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(paths),
        "spark.log.level": "OFF",
        "spark.python.daemon.module": "tests.spark_daemon",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(warehouse),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        session = (
            SparkSession.builder.master("local[2,2]").config(map=settings).getOrCreate()
        )
        try:
            yield session
        finally:
            session.stop()

"""Wrong arguments, wrong values and scores that need all rows: an error names the argument
or the column, and shows the value or the number of rows.
"""

import sys
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sklearn_ap
from distributed_rows import EXCEEDS, FITS
from sklearn_ap import distributed
from sklearn_ap.distributed import SourceError, _few_rows, _passes

LIMITS = pytest.mark.parametrize("limit", [FITS, EXCEEDS])
IN_QUERIES = {"query_id": "query"}
score = partial(distributed.score, "average_precision")
ROWS = pd.DataFrame(
    {"label": [1, 0, 1, 0], "score": [4, 3, 2, 1], "query": ["a", "a", "b", "b"]}
)
WRONG = [
    # The class of the error, a pattern of its message, and the arguments that differ
    # from those of a valid call.
    *(
        (ValueError, f"memory_limit .*{limit!r}", {"memory_limit": limit})
        for limit in ("2GB", 0, None, True, 2**63, np.nan)
    ),
    (TypeError, "y_true .* 3", {"y_true": 3}),
    (TypeError, r"y_score .*\['score'\]", {"y_score": ["score"]}),
    (TypeError, r"sample_weight .*array\(\[1., 1.", {"sample_weight": np.ones(4)}),
    (TypeError, "query_id .* a", {"query_id": ROWS["query"]}),
    *(
        (TypeError, f"data .*{type(data).__name__}", {"data": data})
        for data in (3, "rows.parquet", [ROWS], np.ones(3), None)
    ),
    (ValueError, "score_func .* sum", {"score_func": sum}),
    (ValueError, "k .*-2", {"score_func": sklearn_ap.precision_at_k_score, "k": -2}),
    (ValueError, "ties='stable'.* order", {"score_func": "recall@3", "ties": "stable"}),
    (TypeError, "pos_labell", {"pos_labell": 1}),
    (ValueError, "average='samples'", {"average": "samples", **IN_QUERIES}),
    (ValueError, "n_positives .*{'a': 3}", {"n_positives": {"a": 3}}),
    (ValueError, "n_positives .* got 1, where 2", {"n_positives": 1}),
    (
        ValueError,
        "n_positives .* got 1, where 2",
        {"score_func": "recall@1", "n_positives": 1},
    ),
    (ValueError, "prevalence .*2", {"prevalence": 2}),
    (ValueError, "zero_division", {"zero_division": 3}),
]


@LIMITS
@pytest.mark.parametrize(("error", "words", "arguments"), WRONG)
def test_a_wrong_argument_is_named_with_its_value(limit, error, words, arguments):
    call = {"score_func": "average_precision", "data": ROWS, "memory_limit": limit}
    with pytest.raises(error, match=f"(?s){words}") as caught:
        distributed.score(**call | arguments)
    assert type(caught.value) is error


def test_scores_of_queries_require_their_column():
    with pytest.raises(ValueError, match="query_id"):
        distributed.score_by_query("recall@1", ROWS, query_id=None)


def test_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install 'sklearn-ap\[arrow\]'"):
        score(pl.from_pandas(ROWS))


# --- columns and values ---------------------------------------------------------------

# Columns that replace those of ROWS, and the problem of the first one.
VALUES = {
    "missing labels": ({"label": [1, None, 1, 0]}, "is missing or NaN in 1 row"),
    "missing ids": ({"query": ["a", None, None, "b"]}, "is missing or NaN in 2 rows"),
    "missing scores": ({"score": [None] * 4}, "is missing or NaN in 4 rows"),
    "NaN": ({"score": pa.array([1.0, float("nan"), None, 2.0])}, "NaN in 2 rows"),
    "infinity": ({"score": [1.0, float("inf"), 2.0, 3.0]}, "is infinite in 1 row"),
    "text": ({"score": ["0.1"] * 4}, "must contain numbers; it has the type"),
    "lists": (
        {"score": [[0.1]] * 4},
        "must contain one value per row; it has the type",
    ),
    "negative weights": ({"w": [1.0, -1.0, 1.0, -2.0]}, "is negative, .* in 2 rows"),
    "huge weights": ({"w": [1.0, 1e200, 1.0, 1.0]}, r"2\*\*500, in 1 row"),
    "infinite weights": ({"w": [1.0, float("inf"), 1.0, 1.0]}, "is infinite in 1 row"),
    "weights of 0": ({"w": [0.0] * 4}, "all weights are 0"),
    "a third label": (
        {"label": [0, 1, 2, 0]},
        r"two labels; got \[0, 1, 2\]",
    ),
    "labels of text": (
        {"label": ["no", "yes"] * 2},
        "pos_label=1 is not a valid label",
    ),
    "many labels": ({"label": [*range(4)]}, "two labels; got"),
    "another column": ({"scores": [1, 2, 3, 4], "score": None}, "occurs 0 times"),
}


@LIMITS
@pytest.mark.parametrize("case", VALUES)
def test_wrong_values_are_counted_by_column(case, limit):
    columns, problem = VALUES[case]
    rows = pa.Table.from_pandas(ROWS).to_pydict() | {"w": [1.0] * 4} | columns
    rows = pa.table(
        {name: values for name, values in rows.items() if values is not None}
    )
    # Batches of one row: the error is about all of them.
    data = pa.concat_tables([rows.slice(place, 1) for place in range(4)])
    name = "score" if case == "another column" else next(iter(columns))
    options = IN_QUERIES | {"sample_weight": "w", "average": "micro"}
    with pytest.raises(SourceError, match=f"^data: column '{name}'.*{problem}"):
        score(data, memory_limit=limit, **options)


def test_an_error_counts_the_wrong_values_of_all_columns():
    rows = ROWS.assign(score=[np.nan, np.inf, 1, 2], w=[1, -1, np.nan, 1])
    words = (
        "^data: column 'score' is missing or NaN in 1 row, column 'score' is infinite in "
        "1 row, column 'w' is missing or NaN in 1 row, column 'w' is negative, or not in"
    )
    with pytest.raises(SourceError, match=words):
        score(rows, sample_weight="w")


@LIMITS
def test_a_column_occurs_twice_and_there_are_no_rows(limit):
    twice = pa.table([[1], [2], [3]], names=["label", "score", "score"])
    with pytest.raises(SourceError, match="column 'score' occurs 2 times; the columns"):
        score(twice, memory_limit=limit)
    with pytest.raises(SourceError, match="contains no rows"):
        score(ROWS[:0], memory_limit=limit)


# --- beyond memory --------------------------------------------------------------------

REFUSED = {
    # The table of the page.
    "sample_weight with a cut k": ("recall@2", {"sample_weight": "score"}),
    "k=None": ("reciprocal_rank", {"k": None}),
    "k=None with ties='expected'": (
        "average_precision@2",
        {"k": None, "ties": "expected", "normalizer": "n_positives"},
    ),
    "query_id='query' needs all rows": ("recall@1", IN_QUERIES),
}


@pytest.mark.parametrize("words", REFUSED)
def test_a_score_that_needs_all_rows_is_named(words):
    name, options = REFUSED[words]
    if name == "average_precision@2":
        name = sklearn_ap.average_precision_at_k_score
    if name == "reciprocal_rank":
        name = sklearn_ap.reciprocal_rank_score
    distributed.score(name, ROWS, **options)
    with pytest.raises(SourceError, match=words):
        distributed.score(name, ROWS, memory_limit=EXCEEDS, **options)


def test_scores_of_queries_name_score_by_query():
    with pytest.raises(SourceError, match="call score_by_query for parts of"):
        distributed.score_by_query("recall@1", ROWS, memory_limit=EXCEEDS, **IN_QUERIES)


def test_positives_may_have_too_many_scores(monkeypatch):
    monkeypatch.setattr(_few_rows, "_LEAST_BYTES", 4_000)
    monkeypatch.setattr(_passes, "_CHUNK_ROWS", 7)
    rows = pd.DataFrame({"label": [1] * 101, "score": range(101)})
    assert score(rows[:100], memory_limit=EXCEEDS) == 1.0
    with pytest.raises(SourceError, match="more than 100 distinct scores"):
        score(rows, memory_limit=EXCEEDS)


def test_too_many_rows_may_be_tied_at_a_cut(monkeypatch):
    monkeypatch.setattr(_few_rows, "_LEAST_BYTES", 640)
    rows = pd.DataFrame({"label": [1] * 11, "score": [0] * 11})
    beyond = partial(distributed.score, memory_limit=EXCEEDS)
    assert beyond("recall@3", rows[:10]) == pytest.approx(0.3)
    for name in ("recall@3", "recall@11", "recall@0.9"):
        with pytest.raises(SourceError, match=r"11 rows .* pass memory_limit=704"):
            beyond(name, rows)


@LIMITS
def test_a_ranking_without_positives_gives_the_warning_of_memory(limit):
    rows = pd.DataFrame({"label": [0, 0], "score": [1, 2]})
    with pytest.warns(UserWarning, match="No positive class"):
        assert score(rows, memory_limit=limit) == 0.0
    assert np.isnan(score(rows, memory_limit=limit, zero_division=np.nan))
    # A positive below the cut is a positive.
    rows = pd.DataFrame({"label": [0, 0, 1], "score": [1, 2, 0]})
    options = {"memory_limit": limit, "zero_division": np.nan}
    for name in ("reciprocal_rank@2", "success@1", "recall@1", "average_precision@1"):
        assert distributed.score(name, rows, **options) == 0.0

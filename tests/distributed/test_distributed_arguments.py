"""Arguments of the functions of `distributed`: an error names the wrong argument and its
value.
"""

import sys
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sklearn_ap
from rows_read import EXCEEDS, FITS, missing_words
from sklearn_ap import distributed
from sklearn_ap.distributed import SourceError, _api, _sort
from tests.distributed.test_distributed_contract import PLACES

LIMITS = pytest.mark.parametrize("limit", [FITS, EXCEEDS])
IN_QUERIES = {"query_id": "query"}
score = partial(distributed.score, "average_precision")


ROWS = pd.DataFrame(
    {"label": [1, 0, 1, 0], "score": [4, 3, 2, 1], "query": ["a", "a", "b", "b"]}
)
WRONG = [
    # Each case: the class of the error, words of its message, and the arguments that
    # differ from those of a valid call.
    *(
        (ValueError, f"memory_limit ... {limit!r}", {"memory_limit": limit})
        for limit in ("2GB", 0, None, True, 2**63, np.nan)
    ),
    (TypeError, "y_true ... 3", {"y_true": 3}),
    (TypeError, "y_score ... ['score']", {"y_score": ["score"]}),
    (TypeError, "sample_weight ... array([1., 1.", {"sample_weight": np.ones(4)}),
    (TypeError, "query_id ... 0 a 1 a", {"query_id": ROWS["query"]}),
    *(
        (TypeError, f"data ... {type(data).__name__}", {"data": data})
        for data in (3, [ROWS], [], np.ones(3), None, pl.LazyFrame())
    ),
    (ValueError, "score_func ... sum", {"score_func": sum}),
    (ValueError, "k ... -2", {"score_func": sklearn_ap.precision_at_k_score, "k": -2}),
    (
        ValueError,
        "ties='stable' ... order",
        {"score_func": "precision@3", "ties": "stable"},
    ),
    (ValueError, "average ... 'samples'", {"average": "samples", **IN_QUERIES}),
    (
        ValueError,
        "n_positives ... {'a': 3}",
        {"n_positives": {"a": 3}, "memory_limit": EXCEEDS},
    ),
    (ValueError, "n_positives ... 'b'", {"n_positives": {"a": 3}, **IN_QUERIES}),
    (ValueError, "n_positives", {"n_positives": 1}),
    (ValueError, "prevalence ... 2", {"prevalence": 2}),
    (ValueError, "zero_division", {"zero_division": 3}),
]


@LIMITS
@pytest.mark.parametrize(("error", "words", "arguments"), WRONG)
def test_a_wrong_argument_is_named_with_its_value(limit, error, words, arguments):
    call = {"score_func": "average_precision", "data": ROWS, "memory_limit": limit}
    with pytest.raises(error) as caught:
        distributed.score(**call | arguments)
    assert missing_words(str(caught.value), words) == []
    assert type(caught.value) is error


def test_scores_of_queries_require_their_column():
    with pytest.raises(ValueError, match="query_id"):
        distributed.score_by_query("recall@1", ROWS, query_id=None)


@pytest.mark.parametrize("limit", [34, 2e9, np.int64(40)])
def test_limits_of_memory(limit):
    assert score(ROWS, memory_limit=limit) == pytest.approx(5 / 6)


def test_the_default_limit_is_a_gibibyte(monkeypatch):
    limits, open_local = [], _api.open_local

    def recording(data, roles, limit):
        limits.append(limit)
        return open_local(data, roles, limit)

    monkeypatch.setattr(_api, "open_local", recording)
    score(ROWS)
    distributed.score_by_query("recall@1", ROWS, **IN_QUERIES)
    assert limits == [2**30, 2**30]


def test_duckdb_is_needed_only_for_a_sort(monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert score(ROWS, memory_limit=EXCEEDS) == pytest.approx(5 / 6)
    with pytest.raises(ImportError, match=r"duckdb is missing, which the extra `f"):
        score(ROWS, memory_limit=EXCEEDS, **IN_QUERIES)


NAMED = pd.DataFrame({"name": ["a"], "label": [1], "p": [0.5], "query": ["x"]})


@pytest.mark.parametrize("place", PLACES)
def test_an_error_of_a_missing_column_lists_those_of_numbers_first(place, tmp_path):
    words = r"by y_score; the columns are 'label', 'p', 'name', 'query'($|; files)"
    with pytest.raises(SourceError, match=words):
        score(PLACES[place](NAMED, tmp_path))


def test_a_connection_prints_no_progress():
    """In a pipe, a progress bar would be printed into the output."""
    with _sort.connect(10**9, "") as connection:
        settings = connection.sql("select current_setting('enable_progress_bar_print')")
        assert settings.fetchall() == [(False,)]


def test_the_error_about_totals_of_pooled_queries_names_the_memory():
    totals = {"a": 2, "b": 1}
    micro = partial(score, ROWS, query_id="query", average="micro", n_positives=totals)
    problem = "a number where rows exceed memory_limit and queries are pooled"
    with pytest.raises(ValueError, match=f"{problem}.* pass memory_limit=324") as error:
        micro(memory_limit=323)  # four rows of 8, 1 and 8 + 64 bytes
    assert type(error.value) is ValueError
    assert micro(memory_limit=324) == micro(memory_limit=10**9)


def test_queries_without_positives_give_the_warning_of_memory():
    rows = pd.DataFrame({"y": [1, 0, 0, 0], "s": [3, 2, 1, 0], "q": [0, 0, 1, 1]})
    words = "y_true contains no positives in 1 of 2 rankings, which score 0.0; pass "
    columns = {"y_true": "y", "y_score": "s", "query_id": "q"}
    with pytest.warns(UserWarning, match=words):
        assert distributed.score("average_precision", rows, **columns) == 0.5

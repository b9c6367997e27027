"""Types of ids and of scores that an engine would mix up, round or read twice."""

from functools import partial

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from sklearn_ap import distributed
from sklearn_ap.distributed import SourceError

LARGE = 2**53
limits = pytest.mark.parametrize("limit", [10**9, 1])
by_query = partial(distributed.score_by_query, "average_precision", query_id="query")


def to_parquet(folder, *queries):
    """Write a positive and a negative of each query to a file."""
    for number, query in enumerate(queries):
        rows = {"label": [1, 0], "score": [2.0, 1.0], "query": query}
        parquet.write_table(pa.table(rows), folder / f"{number}.parquet")


@limits
@pytest.mark.parametrize("name", ["-.csv", "rows.csv"])
def test_integers_of_three_types_stay_apart(limit, name, tmp_path):
    """The ids of the CSV file are text. The file is read first or last."""
    to_parquet(tmp_path, np.int64([2**53] * 2), np.uint64([2**53 + 1] * 2))
    (tmp_path / name).write_text("label,score,query\n1,2,-7\n0,1,-7\n0,3,2\n")
    values = by_query(tmp_path, memory_limit=limit, zero_division=0.0)
    assert values == {-7: 1, 2: 0, 2**53: 1, 2**53 + 1: 1}


@limits
def test_ids_may_be_dates(limit, tmp_path):
    dates = np.array(["2024-02-28", "2024-02-29"], "M8[us]")
    to_parquet(tmp_path, dates)
    values = by_query(tmp_path, memory_limit=limit, zero_division=0.0)
    assert list(values) == dates.tolist()


def test_the_error_about_ids_of_several_types_names_the_memory(tmp_path):
    to_parquet(tmp_path, [1, 2], [1.5, 2.0])
    words = r"ids of queries must have one type .* or pass memory_limit=68$"
    with pytest.raises(SourceError, match=words):
        by_query(tmp_path, memory_limit=67)  # four rows of 8, 1 and 8 bytes
    values = by_query(tmp_path, memory_limit=68, zero_division=0.0)
    assert values == {1: 1.0, 1.5: 1.0, 2: 0.0}


def one_file(folder, name, label, values):
    path = folder / name
    parquet.write_table(pa.table({"label": label, "score": values}), path)
    return path


def several(*pairs):
    """Return a function that writes a Parquet file per row. Each row is a label and a
    score, and the scores have different types.
    """

    def write(folder):
        for place, (label, value) in enumerate(pairs):
            one_file(folder, f"{place}.parquet", [label], [value])
        return folder

    return write


SCORES = {
    # case: (function that writes files of several types, average precision or words of
    # the error)
    "neighbours of float32": (several((1, 1 + 2.0**-40), (0, np.float32(1))), 1),
    "neighbours of float32 that come first": (
        several((1, np.float32(1)), (1, 1 + 2.0**-40), (0, 1 + 2.0**-41)),
        5 / 6,
    ),
    "integers next to floats": (
        several((1, LARGE + 1), (0, float(LARGE)), (0, np.float32(-1))),
        1,
    ),
    "types on which only positives agree": (
        lambda folder: [
            one_file(folder, "a.parquet", [1, 0, 0], [2.0**54, 3, 1]),
            one_file(folder, "b.parquet", [1, 0], [LARGE + 4, LARGE + 3]),
        ],
        1,
    ),
    "integers of both kinds": (several((1, 2**63 - 1), (0, np.uint64(2**63 - 2))), 1),
    "objects beyond int64": (
        lambda _: pd.DataFrame(
            {"label": [0, 1, 1], "score": [2**63, 2**63 - 1, 2**63 + 1]}, dtype=object
        ),
        5 / 6,
    ),
    "integers apart": (several((1, np.uint64(2**63 + 5)), (0, -3)), "would round"),
    "no common type": (several((1, LARGE + 1), (0, 0.5)), "0.5 of type float64"),
}


@limits
@pytest.mark.parametrize("case", SCORES)
def test_scores_of_several_types_are_exact_or_an_error(case, limit, tmp_path):
    write, expected = SCORES[case]
    data = write(tmp_path)
    call = partial(distributed.score, "average_precision", memory_limit=limit)
    if isinstance(expected, str):
        with pytest.raises(SourceError, match=f"'score': contains .*{expected}"):
            call(data)
    else:
        assert call(data) == pytest.approx(expected, rel=1e-15)


@limits
def test_a_relation_is_run_once(limit):
    connection, calls = duckdb.connect(), []
    counted = ("counted", lambda x: calls.append(x) or x, ["DOUBLE"], "DOUBLE")
    connection.create_function(*counted, side_effects=True)
    relation = connection.sql(
        "SELECT i % 2 AS label, counted(i) AS score FROM range(9) t(i)"
    )
    assert 0 < distributed.score("average_precision", relation, memory_limit=limit) < 1
    assert len(calls) == 9


def test_counts_with_weights_take_no_memory_per_row():
    arrays = {"positive": [True, False], "y_score": [2.0, 1.0], "pos_label": 1}
    state = distributed.RankingState.from_arrays(arrays | {"counts": [10**9] * 2})
    state.update([1], [3.0], sample_weight=[2.0])
    assert state.score("average_precision@2", normalizer="min") == 1

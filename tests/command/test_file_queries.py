"""Queries in files: ids of all kinds, and their totals from another file."""

import numpy as np
import pandas as pd
import pytest

from shell import error_of, json_of, values_of
from sklearn_ap import chance_level

QUERIES = ["--query-id", "query"]
# Five classes, the last of which was never found: with all objects, MAP is 0.72 over the
# four others and 0.58 over all, also as VOC interpolates.
BOXES = pd.DataFrame(
    {
        "label": [1, 0, 1, 1, 1, 0, 1, 1, 0, 1],
        "score": [9, 8, 7, 9, 8, 9, 8, 9, 8, 7],
        "query": ["a", "a", "a", "b", "b", "c", "c", "d", "d", "d"],
    }
)
TOTALS = [3, 2, 1, 2, 4.5]
IDS = {
    "text": list("abcde"),
    "numbers": [3, 1, 12, 5, 2],
    "dates": pd.date_range("2026-02-27", periods=5).date,
}


@pytest.mark.parametrize("kind", IDS)
def test_a_class_without_a_row_counts(kind, tmp_path):
    ids = dict(zip("abcde", IDS[kind], strict=True))
    path, totals = tmp_path / "boxes.parquet", tmp_path / "totals"
    BOXES.assign(query=BOXES["query"].map(ids)).to_parquet(path, index=False)
    objects = pd.DataFrame({"objects": TOTALS, "query": IDS[kind]})
    objects.to_csv(totals, sep=";", index=False)
    line = path, *QUERIES, "--n-positives", totals
    answer = json_of(*line)
    counts = answer["counts"]
    assert (counts["queries"], counts["queries_without_rows"]) == (5, 1)
    assert counts["all_positives"] == 12.5
    mean = (5 / 9 + 1 + 1 / 2 + 5 / 6 + 0) / 5
    assert answer["score"]["value"] == pytest.approx(mean, abs=1e-15)
    # No precision is below a later one, so interpolation changes nothing.
    of_tables = values_of(*line)["interpolated, all recalls"]
    assert of_tables == pytest.approx(mean, abs=1e-15)


SPELT = {
    # The type of the ids of the rows, and of those in the file of totals.
    "integers of Parquet, and of text": ([1, 2], ["1", "2", "3"]),
    "text of Parquet, and integers": (["1", "2"], ["1", "2", "3"]),
    "text that one total makes text": (["1", "2"], ["1", "2", "all"]),
    "text that one row makes text": (["1", "07"], ["1", "07", "3"]),
}


@pytest.mark.parametrize("kind", SPELT)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_ids_of_totals_are_read_as_those_of_the_rows(kind, suffix, tmp_path):
    of_rows, of_totals = SPELT[kind]
    path, totals = tmp_path / f"rows.{suffix}", tmp_path / "totals.csv"
    rows = pd.DataFrame({"label": [1, 1], "score": [2, 1], "query": of_rows})
    getattr(rows, f"to_{suffix}")(path, index=False)
    totals.write_text("query,n\n" + "".join(f"{id_},1\n" for id_ in of_totals))
    line = path, *QUERIES, "--n-positives", totals
    counts = json_of(*line)["counts"]
    assert (counts["queries"], counts["queries_without_rows"]) == (3, 1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("query,n\na,9\n", "--n-positives contains no total for query 'b'"),
        ("query,n\na,9\nb,8\na,9\n", "'n': must have one total per query; got 3 for 2"),
        (
            "query,n\na,9\nb,-9\nc,9\nd,9\n",
            "--n-positives must contain numbers >= 0",
        ),
        ("query,n\na,\n", "column 'n': contains missing values"),
        (
            "query,kind,n\na,a,9\n",
            "must have two columns, 'query' and the totals; got 'query', 'kind', 'n'",
        ),
        ("query,n\n", "contains no rows"),
    ],
)
def test_files_of_totals_that_are_errors(text, words, saved):
    totals = saved(text, "totals.csv")
    assert words in error_of(saved(BOXES), *QUERIES, "--n-positives", totals)


def test_a_query_without_weight_is_left_out_of_means(saved):
    """With a total, the query counts, as a query without rows does."""
    rows = "label,score,query,w\n1,3,a,0\n1,3,b,1\n0,2,b,1\n0,4,c,1\n1,3,c,2\n0,5,d,1\n"
    line = saved(rows), *QUERIES, "--sample-weight", "w"
    totals = saved("query,n\na,1\nb,1\nc,2\nd,0\n", "totals.csv")
    for options, sizes in (([], (3, 0)), (["--n-positives", totals], (4, 1))):
        counts = json_of(*line, *options)["counts"]
        assert (counts["queries"], counts["queries_without_rows"]) == sizes


def test_classes_without_objects_are_left_out_of_each_mean(saved):
    path = saved("label,score,kind\n1,2,-1\n0,3,-1\n0,3,10\n")
    totals = saved("kind,n\n-1,1\n10,0\n-2,2\n3,0\n", "totals.csv")
    line = path, "--per", "kind", "--n-positives", totals
    found = json_of(*line)
    assert found["score"]["value"] == values_of(*line)["average precision"] == 0.25
    assert [part["name"] for part in found["classes"]] == ["-2", "-1", "10"]


@pytest.mark.parametrize(
    ("option", "zero_division"), [("--query-id", 0.0), ("--per", np.nan)]
)
def test_the_mean_of_queries_is_that_of_the_command(option, zero_division, tmp_path):
    """The command takes queries without a positive as 0, and excludes such days."""
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(
        {"label": rng.random(60) < 0.1, "score": rng.normal(size=60), "day": 0}
    ).assign(day=np.arange(60) % 20)
    rows.to_csv(tmp_path / "a.csv", index=False)
    levels = chance_level(
        rows.label, rows.score, query_id=rows.day, zero_division=zero_division
    )
    assert len(levels) == 20
    mean = np.nanmean([*levels.values()])
    assert json_of(tmp_path / "a.csv", option, "day")["chance"] == pytest.approx(mean)

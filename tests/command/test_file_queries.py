"""Queries in files: ids of all kinds, and totals from a file or a column."""

import pandas as pd
import pytest

from shell import error_of, json_of, run, values_of
from sklearn_ap import interpolated_average_precision_score, report
from sklearn_ap.compatibility import compare_conventions

QUERIES = ["--query-id", "query"]
FRAME = pd.DataFrame(
    {
        "label": [0, 1, 0, 1, 1, 0, 1, 0, 0, 1],
        "score": [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
        "query": [7, 7, 9, 9, 8, 8, 7, 7, 9, 9],
        "total": [3, 3, 2.5, 2.5, 1, 1, 3, 3, 2.5, 2.5],
        "same": 6,
    }
)


@pytest.fixture(params=[pd.DataFrame.to_csv, pd.DataFrame.to_parquet])
def path(request, tmp_path):
    request.param(FRAME, tmp_path / "a", index=False)
    return tmp_path / "a"


def test_totals_are_those_of_every_score(path, saved):
    totals = saved("query,total\n7,3\n8,1\n9,2.5\n", "totals.csv")
    line = path, *QUERIES, "--n-positives", totals
    columns = {"query_id": FRAME["query"], "n_positives": {7: 3, 8: 1, 9: 2.5}}
    rows = compare_conventions(FRAME.label, FRAME.score, k=2, **columns).rows
    assert values_of(*line, "-k", "2") == {row.name: row.value for row in rows}
    counts = json_of(*line)["counts"]
    assert (counts["all_positives"], counts["first_without_positives"]) == (6.5, [])


def test_a_column_of_totals_repeats_the_total_of_each_query(path, saved):
    totals = saved("query,total\n7,3\n8,1\n9,2.5\n", "totals.csv")
    of_file, of_column = (
        run(path, *QUERIES, "--n-positives", name) for name in (totals, "total")
    )
    assert of_column == of_file
    assert of_column.code == 0
    repeated, number = (values_of(path, "--n-positives", x) for x in ("same", "6"))
    assert repeated == number


# Five classes, the last of which was never found: with all objects, MAP is 0.72 over the
# four others and 0.58 over all, also as VOC interpolates.
BOXES = pd.DataFrame(
    {
        "label": [1, 0, 1, 1, 1, 0, 1, 1, 0, 1],
        "score": [9, 8, 7, 9, 8, 9, 8, 9, 8, 7],
        "query": ["a", "a", "a", "b", "b", "c", "c", "d", "d", "d"],
    }
)
TOTALS = {"a": 3, "b": 2, "c": 1, "d": 2, "e": 4.5}
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
    objects = pd.DataFrame({"objects": TOTALS.values(), "query": ids.values()})
    objects.to_csv(totals, sep=";", index=False)
    line = path, *QUERIES, "--n-positives", totals
    answer = json_of(*line)
    counts = answer["counts"]
    assert (counts["queries"], counts["queries_without_rows"]) == (5, 1)
    assert counts["all_positives"] == 12.5
    mean = (5 / 9 + 1 + 1 / 2 + 5 / 6 + 0) / 5
    assert answer["score"]["value"] == pytest.approx(mean, abs=1e-15)
    by_hand = interpolated_average_precision_score(
        BOXES["label"], BOXES["score"], query_id=BOXES["query"], n_positives=TOTALS
    )
    found = values_of(*line)["interpolated, all recalls"]
    assert found == pytest.approx(by_hand, abs=1e-15)


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("query,n\n7,9\n8,9\n", QUERIES, "--n-positives contains no total for query 9"),
        (
            "query,n\n7,9\n8,9\n9,9\n9,8\n",
            QUERIES,
            "column 'n': must repeat one total in all rows of a ranking",
        ),
        (
            "query,n\n7,9\n8,-9\n9,9\n",
            QUERIES,
            "--n-positives must contain numbers >= 0",
        ),
        ("query,n\n7,\n8,9\n9,9\n", QUERIES, "column 'n': contains missing values"),
        (
            "query,kind,n\n7,a,9\n",
            QUERIES,
            "that --query-id or --per names; got 'query', 'kind', 'n'",
        ),
        ("class,n\n7,9\n", QUERIES, "must have two columns, the totals and the one "),
        ("query,n\n", QUERIES, "contains no rows"),
        ("query,n\n7,9\n", [], "--query-id or --per names; got"),
    ],
)
def test_files_of_totals_that_are_refused(text, options, words, path, saved):
    totals = saved(text, "totals.csv")
    assert words in error_of(path, *options, "--n-positives", totals)


def test_a_query_without_weight_is_left_out_of_means(saved):
    arrays = {
        "y_true": [1, 0, 1, 0, 0, 1, 0, 0],
        "y_score": [3, 2, 3, 2, 4, 3, 5, 1],
        "query_id": list("aabbccdd"),
        "sample_weight": [0, 0, 1, 1, 1, 2, 1, 1],
    }
    names = dict(zip(arrays, ("label", "score", "query", "w"), strict=True))
    line = [saved(pd.DataFrame(arrays).rename(columns=names)), *QUERIES]
    line += ["--sample-weight", "w"]
    counts = report(**arrays).answer["counts"]
    assert counts == json_of(*line)["counts"] | {"weight_name": "weight"}
    assert (counts["rows_left_out"], counts["queries_without_weight"]) == (2, 1)
    # With a total, it counts, as a query without rows does.
    totals = saved("query,n\na,1\nb,1\nc,2\nd,0\n", "totals.csv")
    counts = json_of(*line, "--n-positives", totals)["counts"]
    names = "queries", "queries_without_rows", "queries_without_weight"
    assert [counts[name] for name in names] == [4, 1, 0]

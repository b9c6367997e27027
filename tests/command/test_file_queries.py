"""Queries in files: ids of all kinds, and totals from a file or a column."""

import io
from pathlib import Path

import pandas as pd
import pytest

from metrics import calls
from shell import error_of, run, values_of
from sklearn_ap import interpolated_average_precision_score

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


@pytest.fixture(params=["csv", "parquet"])
def path(request, tmp_path):
    getattr(FRAME, f"to_{request.param}")(tmp_path / "a", index=False)
    return tmp_path / "a"


def test_totals_are_those_of_every_score(path, tmp_path):
    (tmp_path / "totals.csv").write_text("query,total\n7,3\n8,1\n9,2.5\n")
    totals = ["--n-positives", tmp_path / "totals.csv"]
    found = values_of(path, *QUERIES, *totals, "-k", "2")
    expected = {
        name.replace("@k", "@2"): score(
            FRAME.label,
            FRAME.score,
            **given,
            query_id=FRAME["query"],
            n_positives={7: 3, 8: 1, 9: 2.5},
        )
        for name, (score, given) in calls(k=2).items()
        if "n_positives" in score.__annotations__
    }
    assert {name: found[name] for name in expected} == pytest.approx(
        expected, abs=1e-15
    )
    said = run(path, *QUERIES, *totals).words
    assert "10 rows in 3 queries with a row, 5 positive (50 %) of 6.5 in all." in said


@pytest.mark.parametrize("name", ["rows", "positives", "chance"])
@pytest.mark.parametrize("table", ["csv", "table"])
def test_queries_of_a_column_that_is_called_as_one_of_the_table(name, table, tmp_path):
    FRAME.rename(columns={"query": name}).to_csv(tmp_path / "a.csv", index=False)
    by_query = ["--by-query", "--format", table]
    lines = run(tmp_path / "a.csv", "--per", name, *by_query).out.splitlines()
    cells = [line.replace(",", " ").split() for line in lines]
    assert [line[0] for line in cells] == ["query", "7", "8", "9"]
    assert cells[0].count(name) == 1


def test_a_column_of_totals_goes_before_a_file(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("totals.csv").write_text("query,total\n7,3\n8,1\n9,2.5\n")
    Path("total").write_text("query,n\n7,9\n8,9\n9,9\n")
    of_file, of_column = (
        run(path, *QUERIES, "--n-positives", name) for name in ("totals.csv", "total")
    )
    assert of_column == of_file
    assert of_column.code == 0
    assert values_of(path, "--n-positives", "same") == values_of(
        path, "--n-positives", "6"
    )


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
DAYS = dict(zip("abcde", pd.date_range("2026-02-27", periods=5).date, strict=True))


@pytest.mark.parametrize("limit", [[], ["--memory-limit", "1"]], ids=["in", "beyond"])
@pytest.mark.parametrize(
    "ids",
    [
        dict(zip("abcde", "abcde", strict=True)),
        dict(zip("abcde", [3, 1, 12, 5, 2], strict=True)),
        DAYS,
    ],
    ids=["text", "numbers", "dates"],
)
def test_a_class_without_a_row_counts(ids, limit, tmp_path):
    frame = BOXES.assign(query=BOXES["query"].map(ids))
    frame.to_parquet(tmp_path / "boxes.parquet", index=False)
    pd.DataFrame({"objects": TOTALS.values(), "query": ids.values()}).to_csv(
        tmp_path / "totals", sep=";", index=False
    )
    options = [*QUERIES, "--n-positives", tmp_path / "totals"]
    path = tmp_path / "boxes.parquet"
    expected = {"a": 5 / 9, "b": 1, "c": 1 / 2, "d": 5 / 6, "e": 0}
    said = run(path, *options, *limit).words
    assert "10 rows in 4 of 5 queries, 7 positive (70 %) of 12.5 in all." in said
    assert "(MAP) over the queries is 0.58, 95 % interval " in said
    by_query = run(path, *options, *limit, "--by-query", "--format", "csv").out
    table = pd.read_csv(io.StringIO(by_query), index_col="query", dtype={"query": str})
    found = table["average precision"].to_dict()
    assert found == pytest.approx({str(ids[c]): expected[c] for c in ids}, abs=1e-15)
    if not limit:
        assert table["rows"].to_dict()[str(ids["e"])] == 0
        by_hand = interpolated_average_precision_score(
            BOXES["label"], BOXES["score"], query_id=BOXES["query"], n_positives=TOTALS
        )
        found = values_of(path, *options)["interpolated, all recalls"]
        assert found == pytest.approx(by_hand, abs=1e-15)


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("query,n\n7,9\n8,9\n", QUERIES, "n_positives contains no total for query 9"),
        (
            "query,n\n7,9\n8,9\n9,9\n9,8\n",
            QUERIES,
            "column 'n': must repeat one total in all rows of a ranking",
        ),
        ("query,n\n7,9\n8,-9\n9,9\n", QUERIES, "n_positives must contain numbers >= 0"),
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
def test_files_of_totals_that_are_refused(text, options, words, path, tmp_path):
    (tmp_path / "totals.csv").write_text(text)
    assert words in error_of(path, *options, "--n-positives", tmp_path / "totals.csv")

"""Queries in files: totals from a column, what a query without positives counts as, and several cuts."""

import json

import numpy as np
import pandas as pd
import pytest

from command import COLUMNS, error_of, run, values_of
from metrics import calls
from sklearn_ap.compatibility import identify

QUERIES = [*COLUMNS, "--query-id", "query"]
FRAME = pd.DataFrame(
    {
        "label": [0, 1, 0, 1, 0, 0, 1, 0, 0, 1],
        "score": [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
        "query": [7, 7, 9, 9, 8, 8, 7, 7, 9, 9],
        "total": [3, 3, 2.5, 2.5, 0, 0, 3, 3, 2.5, 2.5],
        "same": 6,
    }
)


@pytest.fixture(params=["csv", "parquet"])
def path(request, tmp_path):
    getattr(FRAME, f"to_{request.param}")(tmp_path / "a", index=False)
    return tmp_path / "a"


def expected(**options):
    """Every number whose function takes these options, by its name in the table."""
    queries = {"query_id": FRAME["query"]} if "query_id" not in options else {}
    return {
        name.replace("@k", "@2"): score(FRAME.label, FRAME.score, **given, **queries, **options)
        for name, (score, given) in calls(k=2).items()
        if set(options) <= set(score.__annotations__)
    }


def test_totals_of_a_column(path):
    found = values_of(path, *QUERIES, "--n-positives", "total", "-k", "2", "--zero-division", "0")
    by_query = expected(n_positives={7: 3, 8: 0, 9: 2.5}, zero_division=0.0)
    assert by_query
    assert {name: found[name] for name in by_query} == by_query
    said = " ".join(run(path, *QUERIES, "--n-positives", "total", "--table").out.split())
    assert "4 of 5.5 positive" in said
    assert values_of(path, *COLUMNS, "--n-positives", "same") == values_of(
        path, *COLUMNS, "--n-positives", "6"
    )


@pytest.fixture(params=["csv", "parquet"])
def totals(request, tmp_path):
    """Totals of the three queries, in another order, and of two that have no row."""
    frame = pd.DataFrame({"query": [10, 9, 8, 7, 11], "n_positives": [4, 2.5, 0, 3, 0]})
    getattr(frame, f"to_{request.param}")(tmp_path / "totals", index=False)
    return tmp_path / "totals"


@pytest.mark.parametrize("empty", [0.0, 1.0, np.nan])
def test_totals_of_a_file_count_queries_without_rows(path, totals, empty):
    given = [path, *QUERIES, "--totals", totals]
    found = values_of(*given, "-k", "2", "--zero-division", f"{empty:g}")
    by_query = expected(n_positives={7: 3, 8: 0, 9: 2.5, 10: 4, 11: 0}, zero_division=empty)
    assert {name: found[name] for name in by_query} == pytest.approx(by_query, abs=1e-15)
    said = " ".join(run(*given, "--zero-division", f"{empty:g}", "--table").out.split())
    assert "Means over 5 queries, 2 of them without rows. scikit-learn's AP takes all rows as one" in said
    assert "10 rows in 3 queries, 4 of 9.5 positive" in said
    # By query: both orders of 7 and of 9 are permutations of two positives in four rows, .6805 on average.
    chance = np.nanmean([2 / 3 * 0.680556, empty, 2 / 2.5 * 0.680556, 0, empty])
    assert f"; chance is {chance:.2f}." in said


def test_a_class_without_rows_does_not_vanish(tmp_path):
    (tmp_path / "a.csv").write_text("label,score,query\n1,3,car\n0,2,car\n1,1,dog\n")
    (tmp_path / "t.csv").write_text("name;query;all\nx;cat;5\ny;car;2\nz;dog;1\n")
    given = [tmp_path / "a.csv", *QUERIES, "--totals", tmp_path / "t.csv", "--n-positives", "all"]
    assert values_of(*given)["average precision"] == pytest.approx((0.5 + 1 + 0) / 3)
    assert values_of(*given[:-4])["average precision"] == 1.0
    _, car, cat, _ = run(*given, "--by-query", "--format", "csv").out.splitlines()
    assert car == "car,0.5,0.1,0.5,0.5,1.0"
    assert cat == "cat,0.0,,0.0,0.0,0.0"  # its precision would be that of no row
    assert "101 levels" in run(*given, "--identify", "0.5017").out
    refused = {
        ("cat;5\ndog;1", ()): "t.csv': column 'query' lacks 'car', but '",
        ("car;2\ndog;-1", ()): "t.csv': column 'all', row 2: -1 is below 0, but a total is 0 or more",
        (
            "car;0\ndog;1",
            (),
        ): "column 'all' must not be below the positives in column 'label'; got 0 for 'c",
        ("car;2\n ;3\ndog;1", ()): "t.csv': column 'query', row 2: no value",
        ("car;2\ncar;3\ndog;1", ()): "row 2: 3 for query 'car', but row 1 has 2: ",
        ("car;2\ndog;1", ("--memory-limit", "1")): "--totals needs all rows in memory",
    }
    for (rows, options), text in refused.items():
        (tmp_path / "t.csv").write_text(f"query;all\n{rows}\n")
        assert text in error_of(*given, *options)


def test_totals_name_ids_that_are_numbers_in_any_type(tmp_path):
    (tmp_path / "t.csv").write_text("query,n_positives\n1,2\n2,1\n")
    (tmp_path / "a.csv").write_text("label,score,query\n1,3,1.0\n0,2,1.0\n1,1,2\n")
    found = values_of(tmp_path / "a.csv", *QUERIES, "--totals", tmp_path / "t.csv")
    assert found["average precision"] == 0.75


def test_totals_of_a_file_need_queries_and_a_column(path, totals):
    assert "--totals has a row per query, so it needs --query-id" in error_of(
        path, *COLUMNS, "--totals", totals
    )
    assert "--n-positives names the column of the totals beside --totals; got 6" in error_of(
        path, *QUERIES, "--totals", totals, "--n-positives", "6"
    )
    missing = error_of(path, *QUERIES, "--totals", totals, "--n-positives", "all")
    assert "totals': column 'all' is missing; the columns are 'query', 'n_positives'" in missing


@pytest.mark.parametrize("empty", [0.0, 1.0, np.nan])
def test_what_a_query_without_positives_counts_as(path, empty):
    found = values_of_quiet(path, "--zero-division", f"{empty:g}")
    wanted = expected(zero_division=empty)
    assert {name: found[name] for name in wanted} == pytest.approx(wanted, abs=1e-15)
    same = values_of_quiet(path)
    for name in found.keys() - wanted.keys():  # precision of the first rows needs no positive
        assert found[name] == same[name]
    if empty == 0:
        assert found == same


def values_of_quiet(path, *options):
    """Values of the table in JSON, from a run that warns of queries without positives."""
    finished = run(path, *QUERIES, "-k", "2", "--format", "json", *options)
    counted = {"1": "count as 1 in", "nan": "are left out of"}.get("".join(options[1:]), "count as 0 in")
    assert finished.err.endswith(f"1 of 3 queries have no positive, and {counted} our means\n")
    return {row["score"]: row["value"] for row in json.loads(finished.out)}


def test_chance_counts_such_queries_alike(path):
    chance = [
        float(run(path, *QUERIES, "--zero-division", empty).out.split("chance is ")[1].split()[0].rstrip("."))
        for empty in ("0", "1", "nan")
    ]
    assert chance[1] - chance[0] == pytest.approx(1 / 3, abs=0.01)
    assert chance[2] == pytest.approx(chance[0] * 3 / 2, abs=0.01)


@pytest.mark.parametrize(
    ("totals", "text"),
    [
        ("3 3 2 -1", "row 4: -1 is below 0, but a total is 0 or more"),
        ("3 3 2 5", "row 4: 5 for query 'b', but row 3 has 2: all rows of a ranking repeat its total"),
        ("3 x 2 2", "row 2: 'x' is not a finite number"),
        ("3 3  2", "row 3: no value"),
    ],
)
def test_totals_that_are_refused(totals, text, tmp_path):
    rows = [f"{n % 2},{n},{'aabb'[n]},{total}\n" for n, total in enumerate(totals.split(" "))]
    (tmp_path / "a.csv").write_text("label,score,query,total\n" + "".join(rows))
    message = error_of(tmp_path / "a.csv", *QUERIES, "--n-positives", "total")
    assert f"a.csv': column 'total', {text}" in message


def test_a_total_below_what_was_found_names_the_columns(tmp_path):
    (tmp_path / "a.csv").write_text("label,score,query,total\n1,2,a,1\n1,1,a,1\n0,1,b,0\n")
    message = error_of(tmp_path / "a.csv", *QUERIES, "--n-positives", "total")
    assert message.endswith(
        "a.csv': column 'total' must not be below the positives in column 'label'; got 1 for 'a', where 2 "
        "were found."
    )
    message = error_of(tmp_path / "a.csv", *COLUMNS, "--n-positives", "query")
    assert "column 'query', row 1: 'a' is not a finite number" in message


def test_several_cuts(path):
    found = run(path, *COLUMNS, "--identify", "0.5", "-k", "1,2,50%")
    assert (found.code, found.err) == (0, "")
    blocks = found.out.split("\nk = ")
    assert (
        blocks[0]
        .replace("\n", " ")
        .endswith("10 rows, 4 positive (40 %); k = 1 rows, 2 rows, 0.5 of the rows. ")
    )
    for k, block in zip((1, 2, 0.5), blocks[1:], strict=True):
        assert block.startswith(f"{k} {'of the rows' if k == 0.5 else 'rows'}:\n")
        group = identify("0.5", FRAME.label, FRAME.score, k=k).groups[0]
        assert group.conventions[-1].name.split()[-1] in block
    assert "-k takes several cuts with --identify only; got 10, 20" in error_of(path, *COLUMNS, "-k", "10,20")
    assert "argument -k: 'x' is neither" in error_of(path, *COLUMNS, "-k", "10,x", "--identify", "1")


def test_words_of_zero_division(path):
    assert "argument --zero-division: invalid choice: '2'" in error_of(path, *QUERIES, "--zero-division", "2")
    refused = error_of(path, *QUERIES, "--zero-division", "1", "--identify", "0.5")
    assert "leave out --zero-division" in refused

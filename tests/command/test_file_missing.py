"""Rows that lack a value: refused with their number, or left out and counted."""

from functools import partial

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from distributed_rows import EXCEEDS, FITS
from shell import error_of, json_of, run
from sklearn_ap import distributed
from sklearn_ap.distributed import SourceError

N_ROWS = 120
LIMITS = pytest.mark.parametrize("limit", [FITS, EXCEEDS])
WRITERS = {
    "a.csv": partial(pd.DataFrame.to_csv, index=False),
    "nan.csv": partial(pd.DataFrame.to_csv, index=False, na_rep="nan"),
    "a.jsonl": partial(pd.DataFrame.to_json, orient="records", lines=True),
    "a.parquet": pd.DataFrame.to_parquet,
}


@pytest.fixture(scope="module")
def rows():
    """Rows of which some lack one value or several."""
    rng = np.random.default_rng(0)
    label = rng.random(N_ROWS) < 0.4
    frame = pd.DataFrame(
        {
            "label": np.where(label, "bad", "good"),
            "score": rng.normal(size=N_ROWS) + label,
            "other": rng.normal(size=N_ROWS),
            "day": rng.choice(["mo", "tu", "we"], N_ROWS),
            "shop": rng.choice(["x", "y", "z", "u", "v"], N_ROWS),
            "euros": rng.gamma(2, size=N_ROWS),
            "weight": rng.integers(0, 3, N_ROWS).astype(float),
            "unused": rng.normal(size=N_ROWS),
        }
    ).round(3)
    for place, name in enumerate(frame):
        frame.loc[rng.choice(N_ROWS, 4 + place, replace=False), name] = None
    return frame


CALLS = {
    "a ranking": [],
    "a budget": ["--amount", "euros", "--per", "day", "-k", "3"],
    "weights": ["--sample-weight", "weight"],
    "a pair": ["--compare", "other", "--unit-id", "shop"],
    "classes": ["--y-score", "score,other", "--compare", "euros,other"],
    "a table": ["--item-id", "shop", "--per", "day", "--identify", "0.5"],
    "queries": ["--per", "day", "--by-query"],
}
BEYOND = "a ranking", "a budget", "weights", "queries"


def columns_of(options):
    """The columns that options name, besides the label and the score."""
    words = ",".join(map(str, options)).split(",")
    names = ["label", "score", "other", "day", "shop", "euros", "weight"]
    return [name for name in names if name in {"label", "score", *words}]


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize(
    ("call", "limit"),
    [(call, FITS) for call in CALLS] + [(call, EXCEEDS) for call in BEYOND],
)
def test_rows_without_a_value_are_left_out_together(name, call, limit, rows, tmp_path):
    options = [*CALLS[call], "--memory-limit", limit]
    if call != "classes":
        options += ["--pos-label", "bad"]
    names = columns_of(options)
    complete = rows.dropna(subset=names)
    if call == "a table":  # an item occurs once in its ranking
        complete = complete.drop_duplicates(["day", "shop"])
        rows = pd.concat([complete, rows[rows[names].isna().any(axis=1)]])
    folders = tmp_path / "all", tmp_path / "complete"
    for folder, frame in zip(folders, (rows, complete), strict=True):
        folder.mkdir()
        WRITERS[name](frame, folder / name)
    found = json_of(folders[0] / name, *options, "--drop-missing")
    expected = json_of(folders[1] / name, *options)
    if found["kind"] == "answer":
        for answer in (found, *found["classes"]):
            counts = answer["counts"]
            assert counts["rows_dropped"] == len(rows) - len(complete)
            missing = rows[names].isna().sum()
            assert counts["missing_values"] == missing[missing > 0].to_dict()
            counts |= {"rows_dropped": 0, "missing_values": {}}
            answer["model"] = expected["model"]  # the name of the file
        found["name"] = expected["name"]
    assert found == expected


def test_the_answer_counts_rows_without_a_value(rows, tmp_path):
    rows.to_csv(tmp_path / "a.csv", index=False)
    options = [tmp_path / "a.csv", "--pos-label", "bad", "--drop-missing"]
    words = "not counting 9 rows without a value (4 lack label, 5 lack score)"
    assert words in run(*options).words
    against = run(*options, "--against", tmp_path / "a.csv")
    assert "It has 9 rows without a value (4 lack label" in against.words
    json_of(*options, "--against", tmp_path / "a.csv")
    assert "note: " in run(*options, "--per", "day", "--by-query").err
    page = tmp_path / "page.html"
    assert words in run(*options, "--report", page).words
    assert words in page.read_text()


def test_a_file_in_which_each_row_lacks_a_value_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("label,score\n1,\n,1\n")
    message = error_of(tmp_path / "a.csv", "--drop-missing")
    assert message.endswith("contains no rows: each of 2 lacks a value")
    (tmp_path / "b.csv").write_text("label,score,day\n1,2,a\n0,1,a\n")
    (tmp_path / "n.csv").write_text("day,n\na,\n")
    totals = ["--per", "day", "--n-positives", tmp_path / "n.csv"]
    message = error_of(tmp_path / "b.csv", *totals, "--drop-missing")
    assert "column 'n': contains missing values in 1 of 1 rows" in message


@LIMITS
def test_errors_count_the_rows_of_a_file_of_many_batches(limit, tmp_path):
    rows = pd.DataFrame({"label": [1.0, 0.0] * 150_000, "score": 0.25})
    rows.loc[::3, "score"] = np.nan
    rows.loc[299_999, "label"] = np.nan
    rows.to_csv(tmp_path / "a.csv", index=False)
    message = error_of(tmp_path / "a.csv", "--memory-limit", limit)
    assert message.endswith(
        "column 'score': contains missing values in 100,000 of 300,000 rows, 'label' "
        "in 1; fill them, or leave these rows out: --drop-missing"
    )
    columns = ["--y-true", "label", "--y-score", "score", "--memory-limit", limit]
    counts = json_of(tmp_path / "a.csv", *columns, "--drop-missing")["counts"]
    assert counts["missing_values"] == {"label": 1, "score": 100_000}


@LIMITS
@pytest.mark.parametrize("is_nan", [False, True])
@pytest.mark.parametrize(
    "kind", ["pandas", "polars", "duckdb", "arrow", "a.csv", "a.parquet"]
)
def test_the_line_that_an_error_names_leaves_these_rows_out(
    kind, is_nan, limit, tmp_path
):
    table = pa.table({"label": [1, 0, 1, None], "my score": [4.0, None, 2.0, 1.0]})
    if is_nan:
        table = table.set_column(1, "my score", pa.array([4.0, np.nan, 2.0, 1.0]))
    frame = table.to_pandas()
    data = {
        "pandas": frame,
        "polars": pl.from_arrow(table),
        "duckdb": duckdb.from_arrow(table),
        "arrow": table,
    }.get(kind, tmp_path / kind)
    if kind in WRITERS:
        WRITERS[kind](frame, data)
    call = partial(
        distributed.score,
        "average_precision",
        y_score="my score",
        memory_limit=limit,
    )
    with pytest.raises(SourceError) as refusal:
        call(data)
    line = str(refusal.value).partition("leave these rows out: ")[2]
    names = {"duckdb": duckdb, "frame": data, "data": data}
    assert call(eval(line, names)) == 1.0

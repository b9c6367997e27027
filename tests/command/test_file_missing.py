"""Rows that lack a value: refused with their number, or left out and counted."""

import numpy as np
import pandas as pd
import pytest

from shell import error_of, json_of, run

N_ROWS = 120


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
    "a table": ["--per", "day", "--identify", "0.5"],
}


def columns_of(options):
    """The columns that options name, besides the label and the score."""
    words = ",".join(map(str, options)).split(",")
    names = ["label", "score", "other", "day", "shop", "euros", "weight"]
    return [name for name in names if name in {"label", "score", *words}]


@pytest.mark.parametrize("call", CALLS)
def test_rows_without_a_value_are_left_out_together(call, rows, saved):
    options = [*CALLS[call]]
    if call != "classes":
        options += ["--pos-label", "bad"]
    names = columns_of(options)
    complete = rows.dropna(subset=names)
    expected = json_of(saved(complete), *options)
    found = json_of(saved(rows), *options, "--drop-missing")
    if found["kind"] == "answer":
        missing = rows[names].isna().sum()
        dropped = {
            "rows_dropped": len(rows) - len(complete),
            "missing_values": missing[missing > 0].to_dict(),
        }
        classes = expected["classes"] if call == "classes" else []
        for answer in (expected, *classes):
            answer["counts"] |= dropped
    assert found == expected


def test_the_answer_counts_rows_without_a_value(rows, saved):
    path = saved(rows)
    line = path, "--pos-label", "bad", "--drop-missing", "--against", path
    dropped = {"rows_dropped": 9, "missing_values": {"label": 4, "score": 5}}
    answer = json_of(*line)
    for counts in (answer["counts"], answer["against"]):
        assert {name: counts[name] for name in dropped} == dropped
    words = "9 rows without a value (label: 4, score: 5)"
    assert run(*line).words.count(words) == 2


def test_a_file_in_which_each_row_lacks_a_value_is_refused(saved):
    message = error_of(saved("label,score\n1,\n,1\n"), "--drop-missing")
    assert message.endswith("contains no rows: each of 2 lacks a value")
    path = saved("label,score,day\n1,2,a\n0,1,a\n")
    totals = "--per", "day", "--n-positives", saved("day,n\na,\n", "n.csv")
    message = error_of(path, *totals, "--drop-missing")
    assert "column 'n': contains missing values in 1 of 1 rows" in message

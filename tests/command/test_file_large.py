"""Rows that do not fit into memory: the same numbers by sorting on disk, and what is
refused.
"""

import re

import numpy as np
import pandas as pd
import pytest

from shell import error_of, json_of, said

RNG = np.random.default_rng(0)
N_ROWS = 3000
FRAME = pd.DataFrame(
    {
        "label": (RNG.random(N_ROWS) < 0.1).astype(int),
        "score": RNG.integers(0, 1000, N_ROWS) / 1024,
        "weight": RNG.integers(0, 4, N_ROWS) / 2,
        "query": RNG.integers(0, 40, N_ROWS),
    }
)
SMALL = ["--memory-limit", "4kB"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The rows in two files."""
    folder = tmp_path_factory.mktemp("parquet")
    for name, rows in {"1": FRAME[:1000], "2": FRAME[1000:]}.items():
        rows.to_parquet(folder / f"{name}.parquet", index=False)
    return folder


def numbers_of(*arguments):
    """The numbers of an answer by their names. The intervals of shares are not said
    beyond memory, nor the least digits of thresholds known, and chance is that of ties.
    """
    answer = json_of(*arguments)
    answer["thresholds"] = dict(enumerate(answer["thresholds"]))
    [numbers] = pd.json_normalize(answer).to_dict("records")
    unlike = r"cut\.share\.(low|high|n_.*)|of_boxes.*|.*text|chance|beyond_memory"
    return {x: numbers[x] for x in numbers if not re.fullmatch(unlike, x)}


INTERVAL = {f"score.{name}" for name in ("low", "high", "n_units", "n_fixed_queries")}


@pytest.mark.parametrize(
    ("options", "words", "missing"),
    [
        ([], None, set()),
        (["-k", "5%", "--n-positives", "500"], "the level of chance", set()),
        (["--prevalence", "0.1"], None, set()),
        (
            ["--threshold-at", "recall=80%", "--sample-weight", "weight"],
            "the interval, the number of positives in the first rows",
            {*INTERVAL, "cut.positives"},
        ),
        (
            ["--query-id", "query", "--n-positives", "390"],
            "the means that detection prints",
            set(),
        ),
        (["--pos-label", "0"], None, set()),
        (
            ["--query-id", "query", "--threshold-at", "k=20"],
            "the level of chance",
            set(),
        ),
        (
            ["--amount", "weight", "--threshold-at", "miss-cost=9"],
            "the amount in the first rows",
            {"cut.amount_found"},
        ),
    ],
)
def test_the_answer_is_the_same(folder, options, words, missing):
    """But for what a sentence names as not computed."""
    line = folder, *options, *["-k", "10"] * ("-k" not in options)
    inside, beyond = (numbers_of(*line, *limit) for limit in ([], SMALL))
    unknown = {x for x in inside if (inside[x] is None) < (beyond[x] is None)}
    assert unknown == missing
    for name in inside.keys() - missing:
        assert beyond[name] == pytest.approx(inside[name]), name
    sentence = r" Not computed for rows beyond --memory-limit: (.*?)\."
    assert re.findall(sentence, said(*line, *SMALL)) == [words] * (words is not None)


@pytest.mark.parametrize("limit", [[], SMALL], ids=["in", "beyond"])
def test_a_budget_below_the_rows_of_the_highest_score(saved, limit):
    path = saved(FRAME.assign(score=FRAME["score"].clip(upper=0.5)))
    text = "no threshold retrieves so few, since more rows share the highest score."
    assert text in said(path, "--per", "query", "--threshold-at", "k=1", *limit)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        (["--compare", "weight"], "--compare"),
        (["--unit-id", "query"], "--unit-id"),
        (["--identify", "0.5"], "--identify"),
        (["--table"], "a table"),
        (["--format", "csv"], "a table"),
        (["--report", "report.html"], "--report"),
        (["--lower-is-better"], "--lower-is-better"),
        (["--n-positives", "query"], "a column of --n-positives"),
        (["--per", "query", "--fail-each", "--fail-below", "0.1"], "--fail-each"),
    ],
)
def test_what_needs_all_rows(folder, options, name):
    message = error_of(folder, *options, *SMALL)
    words = "requires all rows in memory; raise --memory-limit beyond 4,000 bytes"
    assert f"{folder.name}': {name} {words}" in message


def test_an_error_names_the_only_file_of_a_folder(saved):
    folder = saved(FRAME, "only.csv").parent
    message = error_of(folder, "--unit-id", "query", *SMALL)
    assert "only.csv': --unit-id requires all rows in memory" in message

"""Rows that do not fit into memory: the same numbers by sorting on disk, and what is
refused.
"""

import re

import numpy as np
import pandas as pd
import pytest

from shell import error_of, json_of, run

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
def folders(tmp_path_factory):
    """The rows in two files, of each kind."""
    found = [tmp_path_factory.mktemp(kind) for kind in ("csv", "parquet")]
    for name, rows in {"1": FRAME[:1000], "2": FRAME[1000:]}.items():
        rows.to_csv(found[0] / f"{name}.csv", index=False)
        rows.to_parquet(found[1] / f"{name}.parquet", index=False)
    return found


def said(*arguments):
    finished = run(*arguments)
    assert (finished.code, finished.err) == (0, "")
    return finished.words


OPTIONS = [
    [],
    ["-k", "5%", "--n-positives", "500"],
    ["--prevalence", "0.1"],
    ["--threshold-at", "recall=80%", "--sample-weight", "weight"],
    ["--query-id", "query", "--n-positives", "390"],
    ["--pos-label", "0"],
]


NOT_COMPUTED = {
    "500": "the level of chance",
    "390": "the means that detection prints",
    "weight": "the interval, the number of positives in the first rows",
}


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_the_answer_is_the_same(folders, options):
    """But for what the score is compared with, for what a sentence names as not
    computed, and for next steps, of which some need the rows in memory.
    """
    folder = folders[OPTIONS.index(options) % 2]
    cut = [] if "-k" in options else ["-k", "10"]
    level = r"; (chance|the prevalence) is [\d.]+(?=\. )"
    inside, beyond = (
        re.sub(level, "", said(folder, *cut, *options, *limit)).partition(" Next: ")[0]
        for limit in ([], SMALL)
    )
    found = re.search(r" Not computed for rows beyond --memory-limit: (.*?)\.", beyond)
    missing = found and found[1]
    assert missing == NOT_COMPUTED.get("".join(options[-1:]))
    beyond = beyond.replace(
        f" Not computed for rows beyond --memory-limit: {missing}.", ""
    )
    if "weight" in options:
        # An interval decides the digits of its score, too.
        inside, beyond = (
            re.sub(r" is 0\.\d+(, 95 % interval 0\.\d+ to 0\.\d+)?", "", text)
            for text in (inside, beyond)
        )
        hits = r"\S+ of (the weight of the|\d+) positives .*? in the first 10 rows"
        inside, beyond = (re.sub(hits, "", text) for text in (inside, beyond))
    inside = re.sub(r" As detection prints the mean: .*?COCO [\d.]+\.", "", inside)
    threshold = r"[\d.]+(?= or more|\))"  # shorter if all scores are at hand
    numbers = [
        [float(number) for number in re.findall(threshold, text)]
        for text in (inside, beyond)
    ]
    assert numbers[0] == pytest.approx(numbers[1], abs=1e-3)
    assert re.sub(threshold, "", beyond) == re.sub(threshold, "", inside)


@pytest.mark.parametrize(
    "options",
    [
        ["--query-id", "query", "--threshold-at", "k=20"],
        ["--amount", "weight", "--threshold-at", "miss-cost=9"],
    ],
    ids=["budgets", "costs"],
)
def test_thresholds_of_budgets_and_of_costs(folders, options):
    """They are those in memory, but for the digits of the sentence."""
    arguments = [folders[0], *options]
    inside, beyond = (
        json_of(*arguments, *limit)["thresholds"][0]["threshold"]
        for limit in ([], SMALL)
    )
    assert 1 < inside["n_retrieved"] < N_ROWS
    for numbers in inside, beyond:
        del numbers["text"]
    assert beyond == inside


@pytest.mark.parametrize("limit", [[], SMALL], ids=["in", "beyond"])
def test_a_budget_below_the_rows_of_the_highest_score(tmp_path, limit):
    file = tmp_path / "a.csv"
    FRAME.assign(score=FRAME["score"].clip(upper=0.5)).to_csv(file, index=False)
    options = ["--per", "query", "--threshold-at", "k=1", *limit]
    text = "no threshold retrieves so few, since more rows share the highest score."
    assert text in said(file, *options)


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
def test_what_needs_all_rows(folders, options, name):
    message = error_of(folders[0], *options, *SMALL)
    assert (
        f": {name} requires all rows in memory; raise --memory-limit beyond 4,000 bytes"
        in message
    )


def test_an_error_names_the_only_file_of_a_folder_or_the_folder(folders, tmp_path):
    FRAME.to_csv(tmp_path / "only.csv", index=False)
    for folder, named in ((tmp_path, "only.csv'"), (folders[0], f"{folders[0].name}'")):
        message = error_of(folder, "--unit-id", "query", *SMALL)
        assert f"{named}: --unit-id requires all rows in memory" in message

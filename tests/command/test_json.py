"""What `--format json` prints: every output keeps the documented schema."""

import json
import os
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator
from shell import COLUMNS, SCHEMA, json_of, run

from sklearn_ap import report
from sklearn_ap._report import fields

RNG = np.random.default_rng(0)
N = 300
LABEL = (RNG.random(N) < 0.3).astype(int)
FRAME = pd.DataFrame(
    {
        "label": LABEL,
        "score": RNG.normal(size=N) + LABEL,
        "other": RNG.normal(size=N) + LABEL / 2,
        "day": np.arange(N) // 20,
        "item": np.arange(N),
        "amount": RNG.integers(0, 9, N) / 2,
        "negative": np.zeros(N, int),
        "class": np.array(["cat", "dog", "owl"])[np.arange(N) % 3],
        **{
            name: RNG.normal(size=N) + (np.arange(N) % 3 == i)
            for i, name in enumerate(("cat", "dog", "owl"))
        },
    }
)
OUTPUTS = [
    ["-k", "20", "--fail-below", "0.1"],
    ["--compare", "other", "--threshold-at", "recall=0.8", "--threshold-at", "k=1"],
    ["--compare", "score", "-k", "5%", "--unit-id", "day"],
    ["--query-id", "day", "--n-positives", "30"],
    ["--sample-weight", "amount", "--prevalence", "0.01"],
    ["--amount", "amount", "-k", "20", "--threshold-at", "threshold=0.5"],
    ["--amount", "amount", "-k", "3", "--per", "day", "--compare", "other"],
    ["--amount", "amount", "-k", "3", "--per", "day", "--memory-limit", "1"],
    ["--y-true", "negative", "--per", "day"],
    ["--n-positives", "400"],
    ["--memory-limit", "1"],
    ["--table"],
    ["--all", "--query-id", "day"],
    ["--by-query", "--query-id", "day"],
    ["--identify", "0.5"],
    ["--y-true", "class", "--y-score", "cat,dog,owl", "-k", "20", "--unit-id", "day"],
    [
        "--y-true",
        "class",
        "--y-score",
        "owl,dog,cat",
        "--compare",
        "cat,dog,owl",
        "--prevalence",
        "0.1",
    ],
]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "scores.csv"
    FRAME.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def trec(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trec")
    judged = [
        f"q{q} 0 d{d} {RNG.integers(0, 2)}\n" for q in range(30) for d in range(10)
    ]
    (folder / "qrels").write_text("".join(judged))
    good = {
        line.split()[0] + line.split()[2] for line in judged if line.endswith("1\n")
    }
    for name, gain in (("a", 0.0), ("b", 0.3), ("c", 3.0)):
        scores = {
            (q, d): gain * (f"q{q}d{d}" in good) + RNG.random()
            for q in range(30)
            for d in range(10)
        }
        lines = (f"q{q} Q0 d{d} 1 {score} {name}\n" for (q, d), score in scores.items())
        (folder / name).write_text("".join(lines))
    return [folder / name for name in ("qrels", "a", "b", "c")]


def test_schema_is_a_schema():
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("options", OUTPUTS, ids=" ".join)
def test_every_output_keeps_the_schema(path, options):
    assert json_of(path, *options)["schema"] == fields.SCHEMA_VERSION == 2


def test_one_threshold_has_one_precision(path):
    """At another prevalence, too."""
    found = json_of(path, "--prevalence", "0.01", "-k", "50", "--threshold-at", "k=50")
    assert found["cut"]["threshold"] == found["thresholds"][0]["threshold"]


def test_names_are_as_they_are(tmp_path):
    """Also in titles; sentences escape what would control a terminal."""
    name = "a'b\x1b"
    FRAME.rename(columns={"other": name}).to_csv(tmp_path / "it's.csv", index=False)
    found = json_of(tmp_path / "it's.csv", "--compare", name)
    assert (found["name"], found["comparisons"][0]["name"]) == (
        str(tmp_path / "it's.csv"),
        name,
    )
    assert "\na'b\\x1b has " in run(tmp_path / "it's.csv", "--compare", name).out
    table = run(tmp_path / "it's.csv", "--per", name, "--by-query").out
    assert table.startswith("a'b\\x1b ")


@pytest.mark.parametrize("n_runs", [1, 2, 3])
def test_every_output_of_trec_keeps_the_schema(trec, n_runs):
    paths = trec[: n_runs + 1]
    found = json_of("--trec", *paths)
    assert len(found["differences"]) == 7 * n_runs * (n_runs - 1) // 2
    by_query = json_of("--trec", *paths, "--by-query")["rows"]
    values = {
        (row["query"], row["run"]): row["value"]
        for row in by_query
        if row["score"] == "MAP"
    }
    runs, queries = (
        list(map(str, paths[1:])),
        list(dict.fromkeys(query for query, _ in values)),
    )
    first = [values[query, runs[0]] * (n_runs > 1) for query in queries]
    losses = [
        values[query, runs[-1]] - other
        for query, other in zip(queries, first, strict=True)
    ]
    assert losses == sorted(losses)


def test_answer_has_the_numbers_of_the_sentences(path):
    found = json_of(path, "--compare", "other", "-k", "20")
    answer = report(
        FRAME.label, FRAME.score, compare={"other": FRAME.other}, k=20, name="score"
    ).answer
    assert found == {**answer, "name": str(path)}


def test_report_of_a_file(path, tmp_path):
    page = tmp_path / "report.html"
    options = ["--compare", "other", "--item-id", "item", "-k", "20"]
    finished = run(path, *options, "--report", page)
    assert (finished.code, finished.err) == (0, "")
    columns = {"item_id": FRAME["item"], "compare": {"other": FRAME.other}}
    expected = report(FRAME.label, FRAME.score, k=20, name=str(path), **columns).html
    pages = page.read_text(), expected
    data = [
        text.partition('application/json">')[2].partition("</script>")[0]
        for text in pages
    ]
    assert data[0] == data[1] != ""


def test_a_pipe_needs_no_dash(path, monkeypatch):
    arguments = [sys.executable, "-m", "sklearn_ap", "--format", "json"]
    finished = subprocess.run(
        arguments, input=path.read_bytes(), capture_output=True, check=True
    )
    assert json.loads(finished.stdout)["counts"]["rows"] == N
    with open(os.devnull) as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        assert "error: standard input: contains no rows" in run("--format", "json").err


def test_reports_of_several_threads_leave_the_filters_of_warnings():
    """The filters belong to the process, so a thread must not restore those of another
    one.
    """
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    with warnings.catch_warnings():
        before = list(warnings.filters)
        with ThreadPoolExecutor(8) as pool:
            pages = list(
                pool.map(
                    lambda _: report(FRAME.label[:90], FRAME.score[:90], k=5).html,
                    range(16),
                )
            )
        after = list(warnings.filters)
    sys.setswitchinterval(interval)
    assert len(set(pages)) == 1
    assert after == before


def test_a_page_of_two_models_whose_positives_were_all_missed():
    """Both score 0, which says nothing about their difference."""
    page = report([0, 0, 0], [3, 2, 1], compare=[1, 2, 3], n_positives=2)
    assert page.answer["comparisons"] == []
    assert "The uncertainty of the difference is undefined" in page.html


@pytest.mark.parametrize("number", ["0.987654321", "98.7654321"])
def test_a_number_that_nothing_gives_is_a_table_without_rows(path, number):
    """JSON and CSV say how a number above 1 was read, and what was not searched."""
    line = [path, *COLUMNS, "--identify", number]
    found = json_of(*line)
    is_percentage = float(number) > 1
    assert found["number"] == pytest.approx(0.987654321)
    assert found["rows"] == []
    words = f"{number} is read as it stands and, as no convention gives that, as "
    assert found["notes"][0].startswith(words) == is_percentage
    table = run(*line, "--format", "csv")
    assert (table.code, table.out) == (0, "name,value,low,high\n")
    assert table.err == "".join(f"sklearn_ap: note: {x}\n" for x in found["notes"])

"""Several budgets: the command and a report have the numbers of each budget alone."""

import os
import pty
import sys

import numpy as np
import pytest

from shell import LABEL, MODELS, PLACE, error_of, json_of, run, said
from sklearn_ap import report
from sklearn_ap.__main__ import main

BUDGETS = ["-k", "3", "-k", "5%", "-k", "20"]
ALONE = [BUDGETS[:2], BUDGETS[2:4], BUDGETS[4:]]
DAY = PLACE // 30


@pytest.mark.parametrize("options", [[], ["--per", "day"], ["--compare", "old"]])
def test_each_budget_has_the_numbers_that_it_has_alone(path, options):
    answer = json_of(path, *BUDGETS, *options)
    alone = [json_of(path, *budget, *options) for budget in ALONE]
    assert answer["cuts"] == [one["cut"] for one in alone]
    assert answer["cut"] == answer["cuts"][0]
    for place, part in enumerate(answer["classes"]):
        assert part["cuts"] == [one["classes"][place]["cut"] for one in alone]
    for other in answer["comparisons"]:
        cuts = [one["comparisons"][0]["cut"] for one in alone]
        assert (other["cut"], other["cuts"]) == (cuts[0], cuts)
    tables = [one["table"] for one in answer["statements"] if one["place"] == "budget"]
    [table] = filter(None, tables)
    names = ["3 rows", "5 % of the rows", "20 rows"]
    if "--per" in options:
        names = [f"{name} per day" for name in names]
    assert [row[0] for row in table[1:]] == names
    found = [float(row[table[0].index("found")]) for row in table[1:]]
    assert found == pytest.approx(
        [cut["positives"] for cut in answer["cuts"]], abs=0.05
    )


def test_a_report_takes_a_list():
    query = {"query_id": DAY}
    made = report(LABEL, MODELS["score"], k=[3, 0.05, np.int64(20)], **query)
    for k, cut in zip((3, 0.05, 20), made.answer["cuts"], strict=True):
        alone = report(LABEL, MODELS["score"], k=k, **query)
        assert cut == alone.answer["cut"]
    assert report(LABEL, MODELS["score"], k=[]).answer["cuts"] == []
    with pytest.raises(ValueError, match=r"k must be one budget .* got \[3, 4\]"):
        report(LABEL, MODELS["score"], k=[3, 4], amount=LABEL)


@pytest.mark.parametrize(
    "options",
    ["--amount amount", "--table", "--identify 0.5", "--fail-below 0.5"],
)
def test_some_options_take_one_budget(path, options):
    option = options.split()[0]
    error = error_of(path, *BUDGETS, *options.split())
    assert f"{option} takes one -k; got 3: run one command for each" in error


def test_tables_are_as_wide_as_a_terminal(path, monkeypatch):
    """Sentences have lines of 79 characters there, too, as everything has in a pipe."""
    line = [path, "--per", "day", "--compare", "old", "-k", "3"]
    assert max(map(len, run(*line).out.splitlines())) <= 79
    monkeypatch.setenv("COLUMNS", "120")
    ours, of_command = pty.openpty()
    with open(of_command, "w") as terminal:
        monkeypatch.setattr(sys, "stdout", terminal)
        main(list(map(str, line)))
        terminal.write("end")
        terminal.flush()
        text = ""
        while not text.endswith("end"):
            text += os.read(ours, 10_000).decode()
    os.close(ours)
    lines = text.replace("\r", "").splitlines()
    tables = [row for row in lines if "  " in row]
    assert 79 < max(map(len, tables)) <= 120
    assert max(len(row) for row in lines if row not in tables) <= 79
    # A table that fits is one block.
    assert sum(row.startswith("day ") for row in tables) == 1


def test_the_first_budget_is_in_the_large_digits(path, tmp_path):
    page = tmp_path / "a.html"
    for options, digits in (
        (["-k", "20", "-k", "3"], "found in 20 rows"),
        (["-k", "20", "--amount", "amount"], "of the amount, found in 20 rows"),
        (["-k", "2", "--per", "day"], "found in 2 rows per day"),
    ):
        said(path, *options, "--report", page)
        first, second = page.read_text().split('<p class="big">')[1:3]
        assert digits in first.partition("</p>")[0]
        assert "AP</small>" in second.partition("</p>")[0]

"""A gate fails if and only if the one-sided interval excludes its value."""

import re

import numpy as np
import pandas as pd
import pytest

from shell import LABEL, ROWS, error_of, json_of, run, said, said_where_it_turns
from sklearn_ap import compare_estimates, compare_scores, estimate_score

AP = "average_precision"
MODELS = ROWS.score, ROWS.old


@pytest.mark.filterwarnings("ignore:Both estimates have the same labels")
def test_a_difference_fails_where_a_one_sided_test_rejects(path, saved):
    options = {"prevalence": LABEL.mean()}
    estimates = [estimate_score(AP, LABEL, scores, **options) for scores in MODELS]
    pair, files = compare_scores(AP, LABEL, *MODELS), compare_estimates(*estimates)
    earlier = saved(ROWS.assign(score=ROWS.old))
    for test, *other in ((pair, "--compare", "old"), (files, "--against", earlier)):
        line = path, *other, "--fail-p", 0.001, "--fail-if-lower"
        limit = -test.confidence_interval(1 - 0.002).high
        assert ", level 0.001)" in said_where_it_turns(limit, *line)
        [check] = json_of(*line, "0")["checks"]
        pvalue = pytest.approx(test.pvalue / 2, rel=1e-6, abs=1e-11)
        assert check["pvalue"] == (pvalue if test.difference < 0 else 1 - pvalue)
        assert check["level"] == 0.001


def test_a_score_fails_below_the_upper_endpoint_of_its_interval(path):
    line = path, "--fail-below"
    _, high = estimate_score(AP, LABEL, ROWS.score).confidence_interval(0.9)
    assert ", level 0.05)" in said_where_it_turns(high, *line)
    [check] = json_of(*line, f"{high:.9f}")["checks"]
    assert check["pvalue"] == pytest.approx(0.05, rel=1e-5)


def test_equal_scores_are_not_lower(path):
    """An exact difference of 0 passes at a margin of 0, although no interval can be
    computed.
    """
    for other in (["--against", path], ["--compare", "score"]):
        said(path, *other, "--fail-if-lower", "0")
    gates = "--fail-below", "90%", "--compare", "old", "--fail-if-lower", "1"
    checks = json_of(path, *gates)["checks"]
    assert [check["failed"] for check in checks] == [True, False]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--fail-p 0.01", "--fail-p requires --fail-if-lower or --fail-below"),
        ("--fail-below 1 --fail-p 0", "from 1e-06 to 0.49; got '0'"),
        ("--fail-below 1 --fail-p 0.5", "from 1e-06 to 0.49; got '0.5'"),
        ("--fail-below 2", "must be a number from 0 to 1; got '2'"),
        ("--fail-if-lower 0", "requires --against or --compare"),
        ("--fail-each --fail-below 0", "requires --per, the column of the classes or"),
        ("--fail-each --per day", "--fail-each requires --fail-if-lower or --fail-b"),
    ],
)
def test_errors_of_gates(path, options, message):
    assert message in error_of(path, *options.split())


@pytest.mark.parametrize(
    ("first", "options", "message"),
    [
        (
            "0",
            "--n-positives 2 --compare b --fail-if-lower 0",
            "No answer: all positives were missed",
        ),
        (
            "1",
            "--fail-below 0.5",
            "no interval that shows whether the score is below 0.5",
        ),
        (
            "1",
            "--compare b --fail-if-lower 0",
            "whether AP of score is lower than that of b by more than 0",
        ),
    ],
)
def test_rows_that_leave_a_gate_without_an_answer(saved, first, options, message):
    """A gate cannot be decided if all positives were missed, or if a single positive
    determines no interval.
    """
    path = saved(f"label,score,b\n{first},3,2\n0,2,3\n0,1,1\n")
    finished = run(path, *options.split())
    assert finished.code == 4
    assert message in finished.words
    # The reason is given once.
    *_, gate, value = options.split()
    assert finished.err.endswith(f"sklearn_ap: error: {gate} {value} has no answer\n")


def test_an_answer_without_positives_gives_the_reason_once(saved, tmp_path):
    """The verdict is marked, and no other sentence repeats its reason."""
    page = tmp_path / "page.html"
    line = saved("label,score\n0,1\n0,2\n"), "--report", page
    for options, n_verdicts in (((), 0), (("--fail-below", "0.1"), 1)):
        finished = run(*line, *options)
        assert finished.words.lower().count("no row is positive") == 1
        assert "positive" not in finished.err
        _, _, shown = page.read_text().partition("<main>")
        assert shown.lower().count("no row is positive") == 1
        assert shown.count('<p class="no-answer">No answer: ') == n_verdicts


def test_verdicts_come_first(path, tmp_path):
    """Verdicts are the first lines of the text, the first bands of the page, and the
    first statements of the JSON.
    """
    page = tmp_path / "a.html"
    gates = "--fail-below", "90%", "--compare", "old", "--fail-if-lower", "1"
    finished = run(path, *gates, "--report", page)
    assert finished.code == 3
    assert finished.out.startswith("Fails: AP of score is below 0.9, statistically ")
    places = [each["place"] for each in json_of(path, *gates)["statements"]]
    assert places[:3] == ["gate", "gate", "headline"]
    article = page.read_text().partition("</h1>")[2]
    assert article.strip().startswith('<p class="fails">Fails: ')
    assert '<p class="passes">Passes: ' in article


def test_a_gate_does_not_pass_on_too_few_positives(saved):
    """Four rows show nothing, but two positives below all others show enough to fail."""
    few = saved("label,score\n1,4\n0,3\n1,2\n0,1\n")
    finished = run(few, "--fail-below", 0.5)
    assert finished.code == 4
    assert "No answer: too few positives to show whether the score is below" in (
        finished.words
    )
    rows = "".join(f"0,{score}\n" for score in range(3, 400))
    low = saved(f"label,score\n1,2\n1,1\n{rows}", "low.csv")
    assert run(low, "--fail-below", 0.9).code == 4
    assert run(low, "--fail-below", 0.99999).code == 3


def test_a_difference_of_few_positives_does_not_change_other_gates(saved):
    frame = ROWS[["label", "score"]].copy()
    frame["old"] = frame.score
    frame.loc[frame.label[frame.label == 1].index[:2], "old"] -= 1
    frame.loc[0, "old"] -= 0.1
    path = saved(frame)
    assert run(path, "--compare", "old", "--fail-if-lower", 0).code == 4
    assert run(path, "--compare", "old", "--fail-below", 0.1).code == 0


def test_parts_with_few_positives_do_not_decide(saved):
    frame = ROWS[["label", "score"]].assign(kind="many", item=np.arange(len(ROWS)))
    few = pd.DataFrame({"label": [1, 0, 1, 0], "score": [4, 3, 2, 1], "kind": "few"})
    few["item"] = -np.arange(4)
    path = saved(pd.concat([frame, few]))
    line = path, "--per", "kind", "--unit-id", "item", "--fail-each", "--fail-below"
    finished = run(*line, 0.05)
    assert finished.code == 0
    assert "too few positives of AP of kind few" in finished.words
    assert run(*line, 0.99).code == 3


def test_a_gate_that_passes_shows_what_it_cannot_see(path):
    words = run(path, "--compare", "old", "--fail-if-lower", 0.5).words
    assert re.search(
        r"Passes: no evidence .*\(90 % interval of the difference -?\d", words
    )

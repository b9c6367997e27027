"""Gates of AP fail from the end of its interval on, and not before."""

import re

import numpy as np
import pandas as pd
import pytest

from shell import error_of, json_of, said, said_where_it_turns
from sklearn_ap import compare_estimates, compare_scores, estimate_score

AP = "average_precision"
RNG = np.random.default_rng(4)
N = 900
LABEL = (RNG.random(N) < 0.4).astype(int)
FRAME = pd.DataFrame(
    {
        "label": LABEL,
        "score": (RNG.normal(size=N) + 0.8 * LABEL).round(1),
        "old": (RNG.normal(size=N) + 1.6 * LABEL).round(1),
    }
)
MODELS = FRAME.score, FRAME.old


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gates")
    FRAME.to_csv(folder / "rows.csv", index=False)
    FRAME.assign(score=FRAME.old).to_csv(folder / "earlier.csv", index=False)
    return folder


@pytest.mark.parametrize("risk", [0.05, 0.001])
def test_ap_fails_where_a_one_sided_test_rejects(folder, risk):
    path = folder / "rows.csv"
    options = {"prevalence": LABEL.mean()}
    estimates = [estimate_score(AP, LABEL, scores, **options) for scores in MODELS]
    for other, less in (
        (
            ["--compare", "old"],
            compare_scores(AP, LABEL, *MODELS, alternative="less"),
        ),
        (
            ["--against", folder / "earlier.csv"],
            compare_estimates(*estimates, alternative="less"),
        ),
    ):
        limit = -less.confidence_interval(1 - risk).high
        gate = *other, "--fail-p", risk, "--fail-if-lower"
        words = said_where_it_turns(limit, path, *gate)
        assert f", level {risk:g})" in words
        [check] = json_of(path, *gate, "0")["checks"]
        assert check["pvalue"] == pytest.approx(less.pvalue, rel=1e-6, abs=1e-11)
        assert check["level"] == risk
    _, high = estimate_score(AP, LABEL, FRAME.score).confidence_interval(1 - 2 * risk)
    said_where_it_turns(high, path, "--fail-p", risk, "--fail-below")
    [check] = json_of(path, "--fail-below", f"{high:.9f}")["checks"]
    assert check["pvalue"] == pytest.approx(risk, rel=1e-5)


def test_equal_scores_are_not_lower(folder):
    """By no margin, although nothing says how sure that is."""
    path = folder / "rows.csv"
    for other in (["--against", path], ["--compare", "score"]):
        said(path, *other, "--fail-if-lower", "0")
    gates = "--fail-below", "90%", "--compare", "old", "--fail-if-lower", "1"
    checks = json_of(path, *gates)["checks"]
    assert [check["failed"] for check in checks] == [True, False]


BELOW = ["--fail-below", "0.5"]
LOWER = ["--compare", "old", "--fail-if-lower", "0"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--fail-p", "0.01"], "--fail-p requires --fail-if-lower or --fail-below"),
        *(
            ([*LOWER, "--fail-p", risk], f"from 1e-06 to 0.49; got '{risk}'")
            for risk in ("0", "0.5")
        ),
        (["--fail-below", "2"], "must be a number from 0 to 1; got '2'"),
        (["--fail-if-lower", "0"], "requires --against or --compare"),
    ],
)
def test_refusals(folder, monkeypatch, options, message):
    monkeypatch.chdir(folder)
    error = error_of("rows.csv", *options)
    assert re.search(message, error), error


def test_scores_of_missed_positives_have_no_difference(saved):
    path = saved("label,score,b\n0,3,2\n0,2,3\n")
    message = error_of(
        path, "--n-positives", "2", "--compare", "b", "--fail-if-lower", "0", code=4
    )
    assert "the score has no other one of positive rows to compare with" in message


def test_one_positive_determines_no_interval(saved):
    path = saved("label,score,b\n1,3,2\n0,2,3\n0,1,1\n")
    for gate, words in (
        (BELOW, "no interval that says whether the score is below 0.5"),
        (
            ["--compare", "b", "--fail-if-lower", "0"],
            "whether the score is lower than that of b by more than 0",
        ),
    ):
        assert words in error_of(path, *gate, code=4)

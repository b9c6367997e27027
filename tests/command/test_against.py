"""Earlier rows, whose share of positives may be another one, and the level at which a
build fails.
"""

import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from command import json_of, run
from sklearn_ap import compare_estimates, estimate_score

DOCS = Path(__file__).parents[2] / "docs"
SHARES = {"before": (0.04, 2.0), "now": (0.02, 2.0), "worse": (0.2, 1.5)}


@pytest.fixture(scope="module")
def shares(tmp_path_factory):
    """Files of 20,000 rows in five days, with different shares of positives; the model
    is the same before and now, and ranks worse in the third one.
    """
    folder, frames = tmp_path_factory.mktemp("shares"), {}
    rng, noise = np.random.default_rng(0), np.random.default_rng(1)
    for name, (share, shift) in SHARES.items():
        y_true = (np.arange(20_000) < 20_000 * share).astype(int)
        score = rng.normal(size=y_true.size) + shift * y_true
        frames[name] = pd.DataFrame(
            {
                "label": y_true,
                "score": score.round(5),
                "noisy": (score + noise.normal(size=y_true.size)).round(5),
                "day": rng.integers(0, 5, 20_000),
            }
        )
        frames[name].to_csv(folder / f"{name}.csv", index=False)
    return folder, frames


def estimates_of_shares(frames, now, *, at, own=False, **columns):
    """Both estimates at one share of positives, or each at its own."""
    options = {} if own else {"prevalence": at}
    return [
        estimate_score(
            "average_precision",
            frames[name].label,
            frames[name].score,
            **options,
            **{role: frames[name][column] for role, column in columns.items()},
        )
        for name in (now, "before")
    ]


@pytest.mark.filterwarnings("ignore:The samples have different shares")
@pytest.mark.parametrize("memory", [[], ["--memory-limit", "1"]])
@pytest.mark.parametrize(
    ("options", "columns", "title"),
    [
        ([], {}, "AP at 4 % positive"),
        (["--per", "day"], {"query_id": "day"}, "MAP at 4 % positive in each day"),
    ],
)
@pytest.mark.parametrize(("now", "code"), [("now", 0), ("worse", 3)])
def test_earlier_rows_with_another_share_of_positives(
    shares, monkeypatch, now, code, options, columns, title, memory
):
    """Equal models pass although AP falls with the share, and a worse model fails
    although its share is higher.
    """
    folder, frames = shares
    monkeypatch.chdir(folder)
    command = [
        f"{now}.csv",
        "--against",
        "before.csv",
        "--fail-if-lower",
        "0.02",
        *options,
        *memory,
    ]
    finished = run(*command)
    assert (finished.code, finished.err) == (code, "")
    out = finished.words
    at_share = compare_estimates(*estimates_of_shares(frames, now, at=0.04, **columns))
    own = compare_estimates(
        *estimates_of_shares(frames, now, at=0.04, own=True, **columns)
    )
    before, here = own.scores[1], f"{100 * SHARES[now][0]:g} % positive"
    # A check at the share of each file would say the opposite.
    assert (own.confidence_interval(0.9).high < -0.02) == (code == 0)
    assert (
        f"Against before.csv, which has {before:.2f} and 4 % positive (here {here}), {title} is "
        in out
    )
    assert (
        f"; at the share of each file, it is {'lower' if now == 'now' else 'higher'} by "
        in out
    )
    assert ("Labels that come late look like a lower share of positives." in out) == (
        now == "now"
    )
    against = json_of(*command)["against"]
    assert against["difference"] == pytest.approx(at_share.difference)
    assert against["pvalue"] == pytest.approx(at_share.pvalue)
    assert against["at_own_shares"]["difference"] == pytest.approx(own.difference)
    assert against["at_own_shares"]["pvalue"] == pytest.approx(own.pvalue)
    assert (against["prevalence"], against["share"]) == (0.04, SHARES[now][0])
    assert against["score"] == pytest.approx(at_share.scores[1])


def test_the_rule_that_a_metric_every_day_shows(shares, monkeypatch, tmp_path):
    page = (DOCS / "metric_every_day.md").read_text()
    [rule] = re.findall(r"^sklearn-ap (month.csv .*)$", page, re.MULTILINE)
    level = float(rule.rpartition(" ")[2])
    assert 0.04 / 60 < level < 0.05 / 60
    monkeypatch.chdir(tmp_path)
    for name, code in (("now", 0), ("worse", 3)):
        shares[1]["before"].to_csv("reference.csv", index=False)
        shares[1][name].to_csv("month.csv", index=False)
        finished = run(*rule.split())
        assert (finished.code, finished.err) == (code, "")
        assert f"(one-sided p <= {level})" in finished.words


def test_an_earlier_file_at_the_prevalence_of_the_caller(shares, monkeypatch):
    folder, frames = shares
    monkeypatch.chdir(folder)
    finished = run("worse.csv", "--against", "before.csv", "--prevalence", "0.3")
    compared = compare_estimates(*estimates_of_shares(frames, "worse", at=0.3))
    words = (
        f"which has {compared.scores[1]:.2f}, AP at a prevalence of 0.3 is lower by "
    )
    out = finished.words
    assert words in out
    assert "share" not in out


def test_shares_of_weight_and_of_missed_positives(shares, monkeypatch, tmp_path):
    """The share is that of `prevalence`."""
    monkeypatch.chdir(tmp_path)
    frame = shares[1]["now"]
    weights = 1 + np.arange(len(frame)) % 3
    frame.assign(weight=weights).to_csv("a.csv", index=False)
    positive = frame.label == 1
    share = weights[positive].sum() / weights.sum()
    for options, expected in (
        (["--sample-weight", "weight"], share),
        (["--n-positives", "600"], 600 / (600 + 19_600)),
    ):
        against = json_of("a.csv", "--against", "a.csv", *options)["against"]
        assert against["prevalence"] == pytest.approx(expected, rel=1e-14)
        assert against["difference"] == 0


def test_earlier_rows_of_standard_input(shares, monkeypatch):
    folder, _ = shares
    monkeypatch.chdir(folder)
    command = ["now.csv", "--fail-if-lower", "0.02", "--against"]
    of_file = run(*command, "before.csv").words
    with open("before.csv") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        of_pipe = run(*command, "-").words
    assert of_pipe == of_file.replace("before.csv", "standard input")


def test_earlier_rows_without_negatives(shares, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("label,score\n1,2\n1,1\n")
    shares[1]["now"].to_csv("b.csv", index=False)
    finished = run("b.csv", "--against", "a.csv")
    assert finished.code == 2
    assert "a.csv must contain positives and negatives" in finished.err

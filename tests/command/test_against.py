"""Differences from earlier rows, which may have another prevalence, and the gates on
them.
"""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from shell import ROWS, error_of, json_of, run
from sklearn_ap import average_precision_score, compare_estimates, estimate_score

DOCS = Path(__file__).parents[2] / "docs"
SHARES = {"before": (0.04, 2.0), "now": (0.02, 2.0), "worse": (0.2, 1.5)}


@pytest.fixture(scope="module")
def shares(tmp_path_factory):
    """Files of 20,000 rows with different prevalences. The model of the first two is
    the same; that of the third ranks worse.
    """
    folder, frames = tmp_path_factory.mktemp("shares"), {}
    rng = np.random.default_rng(0)
    for name, (share, shift) in SHARES.items():
        y_true = (np.arange(20_000) < 20_000 * share).astype(int)
        score = (rng.normal(size=y_true.size) + shift * y_true).round(5)
        frames[name] = pd.DataFrame({"label": y_true, "score": score})
        frames[name].to_csv(folder / f"{name}.csv", index=False)
    return folder, frames


def compared(frames, now, **options):
    """The difference between two files, each at the prevalence of its own rows unless
    options are passed.
    """
    estimates = (
        estimate_score("average_precision", frame.label, frame.score, **options)
        for frame in (frames[now], frames["before"])
    )
    return compare_estimates(*estimates)


@pytest.mark.filterwarnings("ignore:The samples have different shares")
@pytest.mark.parametrize(("now", "code"), [("now", 0), ("worse", 3)])
def test_earlier_rows_with_another_share_of_positives(shares, monkeypatch, now, code):
    """With the rule of the page *Every day*, equal models pass although AP falls with
    the prevalence, and a worse model fails although its prevalence is higher.
    """
    folder, frames = shares
    monkeypatch.chdir(folder)
    page = (DOCS / "metric_every_day.md").read_text()
    [rule] = re.findall(r"^sklearn-ap month.csv (.*)$", page, re.MULTILINE)
    command = [f"{now}.csv", *rule.replace("reference.csv", "before.csv").split()]
    finished = run(*command)
    assert (finished.code, finished.err) == (code, "")
    assert f", level {command[-1]})" in finished.words
    at_share = compared(frames, now, prevalence=0.04)
    # A gate that keeps the prevalence of each file would decide the opposite.
    own = compared(frames, now)
    assert (own.confidence_interval(0.9).high < 0) == (code == 0)
    against = json_of(*command)["against"]
    assert against["difference"] == pytest.approx(at_share.difference)
    assert against["score"] == pytest.approx(at_share.scores[1])
    assert (against["prevalence"], against["share"]) == (0.04, SHARES[now][0])


def test_shares_of_weight_and_of_missed_positives(shares, saved):
    """The prevalences of both files are in weight, and include the missed positives."""
    frame = shares[1]["now"]
    weights = 1 + np.arange(len(frame)) % 3
    path = saved(frame.assign(weight=weights))
    share = weights[frame.label == 1].sum() / weights.sum()
    at_share = ["--sample-weight", "weight"]
    of_totals = ["--n-positives", "600"]
    of_all = 600 / (600 + 19_600)
    for options, numbers in ((at_share, [share] * 3), (of_totals, [of_all] * 2)):
        against = json_of(path, "--against", path, *options)["against"]
        names = "share", "earlier_share", "prevalence"
        found = [against[name] for name in names if against[name] is not None]
        assert found == pytest.approx(numbers, rel=1e-14)
        assert against["difference"] == 0


def test_false_alarms_of_a_model_that_emits_its_rows_lower_its_score(saved):
    """At the same prevalence for both files, weights would cancel the number of false
    alarms.
    """
    rng = np.random.default_rng(0)
    label = np.arange(600) < 150
    score = rng.normal(size=label.size) + 1.5 * label
    before = pd.DataFrame({"label": label.astype(int), "score": score})
    now = pd.concat([before, *[before[~label]] * 2])
    line = saved(now), "--against", saved(before, "old.csv"), "--n-positives", 200
    finished = run(*line, "--fail-if-lower", 0.02)
    assert finished.code == 3
    scores = [
        average_precision_score(rows.label, rows.score, n_positives=200)
        for rows in (now, before)
    ]
    against = json_of(*line)["against"]
    assert against["difference"] == pytest.approx(scores[0] - scores[1])
    assert "30.8 % positive (here 12.9 % positive). With each" in finished.words
    at_one_share = json_of(*line, "--prevalence", 0.1)["against"]
    assert at_one_share["difference"] == pytest.approx(0, abs=1e-9)


def test_earlier_rows_without_negatives(shares, saved):
    message = error_of(
        shares[0] / "now.csv", "--against", saved("label,score\n1,2\n1,1\n")
    )
    assert "a.csv must contain positives and negatives" in message


def test_a_warning_of_earlier_rows_names_them(shares, saved):
    earlier = saved("label,score\n1,3\n0,2\n1,1\n")
    warnings = run(shares[0] / "now.csv", "--against", earlier).err
    assert warnings.count("\n") == warnings.count(f"Against {earlier}: ") > 0


SAME_LABELS = "but have the same labels in the same order: if these are the same"
NUMBERS = "independent: place counts the rows, so it was not taken for an id."


@pytest.mark.parametrize(
    ("moved", "options", "text"),
    [
        (0, ["--query-id", "day"], "Paired: 20 of 20 queries are in both."),
        (10, ["--query-id", "day"], "Paired: 10 of 30 queries are in both."),
        (
            20,
            ["--per", "day"],
            "Both files are taken as independent: no day is in both.",
        ),
        (0, ["--unit-id", "item"], "Paired: 600 of 600 items are in both."),
        (0, ["--unit-id", "place"], "Paired: 600 of 600 places are in both."),
        (0, [], SAME_LABELS),
    ],
)
def test_units_in_both_files_are_paired(saved, moved, options, text):
    rng = np.random.default_rng(0)
    now = ROWS.assign(place=np.arange(600), item=rng.permutation(600))
    path = saved(now)
    earlier = saved(now.assign(score=now.old, day=now.day + moved), "old.csv")
    line = path, "--against", earlier, *options
    assert text in run(*line).words
    answer = json_of(*line)
    against = answer["against"]
    assert any(text in statement["text"] for statement in answer["statements"])
    assert (against["units"] is None) == (not options)
    if "--unit-id" in options:
        pair = json_of(path, "--compare", "old", *options)["comparisons"][0]
        assert against["difference"] == pytest.approx(-pair["difference"])
        assert against["units_in_both"] == against["units"]


def test_numbers_of_rows_are_not_ids(saved):
    now = ROWS.assign(place=np.arange(600))
    other = now.assign(label=now.label.to_numpy()[::-1])
    line = saved(now), "--against", saved(other, "old.csv"), "--unit-id", "place"
    assert NUMBERS in run(*line).words
    against = json_of(*line)["against"]
    assert against["units"] is against["units_in_both"] is None


def test_the_page_reports_what_was_paired(saved, tmp_path):
    now = ROWS.assign(item=np.arange(600)[::-1])
    page = tmp_path / "page.html"
    earlier = saved(now.assign(score=now.old), "old.csv")
    run(saved(now), "--against", earlier, "--unit-id", "item", "--report", page)
    assert "Paired: 600 of 600 items are in both." in page.read_text()


def test_numbers_of_sorted_rows_are_not_ids(tmp_path, monkeypatch):
    """Equal models, whose sorted exports were numbered; one row was dropped."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    for name in "new", "old":
        label = (rng.random(601) < 0.15).astype(int)
        frame = pd.DataFrame({"label": label, "score": rng.normal(size=601) + label})
        frame = frame.sort_values(["label", "score"], ascending=False)
        frame.insert(0, "id", np.arange(601))
        frame.drop(index=rng.integers(601)).to_csv(f"{name}.csv", index=False)
    line = "new.csv", "--against", "old.csv", "--unit-id", "id", "--fail-if-lower", 0
    found = run(*line)
    assert found.code == 0
    assert (
        "Both files are taken as independent: neighbours in the order of id are alike, "
        "as in sorted rows that were numbered, so it was not taken for an id; if both "
        "files have the same rows, write both scores into one file, and use --compare."
    ) in found.words
    assert json_of(*line)["against"]["units_in_both"] is None


def test_ids_in_two_spellings_are_paired(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"label": np.arange(99) % 3 // 2, "score": rng.random(99)})
    frame["id"] = rng.permutation(99)
    frame.to_csv("new.csv", index=False)
    frame["id"] = frame.id.map("{:05}.0".format)
    frame.to_csv("old.csv", index=False)
    words = run("new.csv", "--against", "old.csv", "--unit-id", "id").words
    assert (
        "99 of 99 values of id are in both. Their ids are spelled differently" in words
    )


@pytest.fixture
def callers(tmp_path, monkeypatch):
    """Two files with the same 400 variants and 60 or 240 false calls; and a third one,
    whose model also ranks worse.
    """
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    true, variants = rng.normal(size=400) + 1.7, rng.permutation(1000)[:400]
    for name, n_false, shift in ("old", 60, 0), ("new", 240, 0), ("worse", 240, -1.5):
        score = np.append(true + shift, rng.normal(size=n_false))
        label = np.repeat([1, 0], [400, n_false])
        order = rng.permutation(label.size)
        # A false call of one file is not in the other file.
        ids = np.append(variants, rng.permutation(1000)[:n_false] + len(name) / 8)
        frame = pd.DataFrame({"id": ids, "label": label, "score": score})
        frame.iloc[order].to_csv(f"{name}.csv", index=False)


@pytest.mark.usefixtures("callers")
def test_false_calls_lower_the_score_at_the_share_of_each_file():
    """The share of positives of the earlier file is right if the share changed by itself,
    and wrong if the model makes the rows. The user knows.
    """
    line = "new.csv", "--against", "old.csv", "--fail-if-lower", 0
    alone, paired = run(*line), run(*line, "--unit-id", "id")
    for finished in alone, paired:
        assert "At that share, AP here is" in finished.words
        assert "At the share of each file, it is lower by 0.0" in finished.words
        assert (
            "counts if a model made the rows, as a detector or a search"
            in finished.words
        )
    # Without ids, the share of another month may have changed.
    assert alone.code == 0
    assert paired.code == 4
    assert "No answer: the score is lower than that of old.csv at the share of" in (
        paired.words
    )
    assert "write --prevalence 0.87; if a model made the rows" in paired.words
    assert "write --n-positives, which counts the positives" in paired.words
    decided = [
        run(*line, "--unit-id", "id", option, value)
        for option, value in (("--prevalence", 0.87), ("--n-positives", 400))
    ]
    assert [each.code for each in decided] == [0, 3]
    assert "share of each file, it" not in decided[0].words
    answer = json_of(*line)["against"]
    files = [pd.read_csv(name) for name in ("new.csv", "old.csv")]
    scores = [average_precision_score(frame.label, frame.score) for frame in files]
    assert answer["own"]["difference"] == pytest.approx(scores[0] - scores[1])
    assert answer["own"]["own"] is None
    assert np.isnan(float(answer["own"]["prevalence"] or "nan"))


@pytest.mark.usefixtures("callers")
def test_a_model_that_is_worse_at_both_shares_fails():
    line = "worse.csv", "--against", "old.csv", "--fail-if-lower", 0
    finished = run(*line, "--unit-id", "id")
    assert finished.code == 3
    assert (
        "Fails: the score is lower than that of old.csv by more than 0"
        in finished.words
    )


@pytest.mark.usefixtures("callers")
def test_each_class_is_tested_at_both_shares():
    """Holm's procedure tests both differences of a class."""
    for name in "new", "old":
        frame = pd.read_csv(f"{name}.csv")
        pd.concat([frame.assign(kind=kind) for kind in "ab"]).to_csv(f"{name}.csv")
    line = "new.csv", "--against", "old.csv", "--per", "kind", "--unit-id", "id"
    finished = run(*line, "--fail-if-lower", 0, "--fail-each")
    assert finished.code == 3
    assert "lower than that of old.csv at the share of each file" in finished.words

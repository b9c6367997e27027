"""Checks of each class of the command: their limits are those of Python, by Holm."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from command import error_of, json_of, run
from sklearn_ap import compare_estimates, compare_scores, estimate_score

RNG = np.random.default_rng(0)
KINDS = {"car": 2.0, "dog": 0.2, "owl": 0.6}
BOXES = pd.DataFrame(
    [
        (image, kind, label, RNG.normal() + shift * label, RNG.normal() + 1.6 * label)
        for image in range(90)
        for kind, shift in KINDS.items()
        for label in (RNG.random(3) < 0.4).astype(int)
    ],
    columns=["image", "kind", "label", "score", "old"],
).round(3)
OPTIONS = ["--per", "kind", "--unit-id", "image", "--fail-each"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("boxes")
    BOXES.to_csv(folder / "boxes.csv", index=False)
    BOXES.assign(score=BOXES.old).to_csv(folder / "earlier.csv", index=False)
    (folder / "totals.csv").write_text("kind,n\ncar,150\ndog,150\nowl,150\nbus,5\n")
    (folder / "found.csv").write_text("kind,n\ncar,150\ndog,150\nowl,150\nbus,0\n")
    return folder


def failing(folder, *options):
    """The classes that fail."""
    checks = json_of(folder / "boxes.csv", *OPTIONS, *options)["checks"]
    names = [word for check in checks for word in check["why"].split()]
    return [name for name in (*KINDS, "bus") if name in names]


def estimates(score="score", **params):
    return {
        kind: estimate_score(
            "average_precision", rows.label, rows[score], unit_id=rows.image, **params
        )
        for kind, rows in BOXES.groupby("kind")
    }


def test_a_class_that_is_left_out_of_the_mean_is_not_one_of_the_fixed_ones(folder):
    command = [folder / "boxes.csv", "--per", "kind", "--unit-id", "image"]
    empty = pd.concat([BOXES, BOXES.head(2).assign(kind="bus", label=0)])
    empty.to_csv(folder / "empty.csv", index=False)
    for path, totals in (
        (command[0], []),
        (command[0], ["--n-positives", folder / "found.csv"]),
        (folder / "empty.csv", []),
    ):
        words = run(path, *command[1:], *totals).words
        assert "(3 fixed kinds, 90 units drawn)" in words
        assert ("Without positives, and left out: 1 of 4 kinds" in words) == (
            bool(totals) or path != command[0]
        )


def test_a_score_of_each_class(folder):
    """The worst class has a third of the risk; the next one has half of it."""
    of = estimates()
    first = of["dog"].confidence_interval(1 - 0.05 / 3).high
    second = of["owl"].confidence_interval(1 - 0.05 / 2).high
    alone = of["owl"].confidence_interval(1 - 0.05 / 3).high
    assert first < second < alone
    steps = {first - 1e-4: [], first + 1e-4: ["dog"], second - 1e-4: ["dog"]}
    steps[second + 1e-4] = ["dog", "owl"]  # by Bonferroni, it would pass
    for value, names in steps.items():
        assert failing(folder, "--fail-below", f"{value:.6f}") == names


def test_a_fall_of_each_class_from_a_second_model(folder):
    rows = BOXES[BOXES.kind == "dog"]
    comparison = compare_scores(
        "average_precision", rows.label, rows.score, rows.old, unit_id=rows.image
    )
    limit = -comparison.confidence_interval(1 - 2 * 0.01 / 3).high
    options = ["--compare", "old", "--fail-p", "0.01", "--fail-if-lower"]
    assert failing(folder, *options, f"{limit + 1e-4:.6f}") == []
    assert failing(folder, *options, f"{limit - 1e-4:.6f}") == ["dog"]


def test_a_fall_of_each_class_from_an_earlier_file(folder):
    """At the share of positives of the class in the earlier file."""
    shares = BOXES.groupby("kind").label.mean()
    of_dog = (
        estimates(score, prevalence=shares["dog"])["dog"] for score in ("score", "old")
    )
    limit = -compare_estimates(*of_dog).confidence_interval(1 - 0.1 / 3).high
    options = ["--against", folder / "earlier.csv", "--fail-if-lower"]
    assert failing(folder, *options, f"{limit + 1e-4:.6f}") == []
    assert failing(folder, *options, f"{limit - 1e-4:.6f}") == ["dog"]


def test_a_class_of_which_nothing_was_found_fails(folder, tmp_path):
    """Its score of 0 takes no risk from the others; without objects, it has no score."""
    totals = {"car": 150, "dog": 150, "owl": 150}
    rows = BOXES[BOXES.kind == "dog"]
    of_dog = estimate_score(
        "average_precision",
        rows.label,
        rows.score,
        unit_id=rows.image,
        n_positives=totals["dog"],
    )
    high = of_dog.confidence_interval(1 - 0.05 / 3).high
    options = ["--n-positives", folder / "totals.csv", "--fail-below"]
    assert failing(folder, *options, f"{high - 1e-4:.6f}") == ["bus"]
    assert failing(folder, *options, f"{high + 1e-4:.6f}") == ["dog", "bus"]
    out = run(folder / "boxes.csv", *OPTIONS, *options, "0.01").out
    assert "Fails: no positive of bus was found.\nNext" in out
    # A class that has a row, but no positive, fails too.
    wrong = pd.DataFrame([(0, "bus", 0, 1.0, 1.0)], columns=BOXES.columns)
    pd.concat([BOXES, wrong]).to_csv(tmp_path / "boxes.csv", index=False)
    assert failing(tmp_path, *options, f"{high - 1e-4:.6f}") == ["bus"]
    options[1] = folder / "found.csv"
    for path in (folder, tmp_path):
        out = run(path / "boxes.csv", *OPTIONS, *options, "0.01").out
        assert "Passes: no kind fails --fail-below 0.01, by Holm over 3 kinds." in out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ["--per", "kind", "--fail-on", "MAP"],
            "--fail-each requires AP as the measure",
        ),
        (
            ["--unit-id", "image"],
            "--fail-each requires --per, a column of classes or regions",
        ),
        (
            ["--per", "image", "--unit-id", "image"],
            "each image of --unit-id has one image, so these are drawn",
        ),
        (
            ["--per", "kind", "--unit-id", "image", "--fail-on", "positives-found"],
            "--fail-each requires AP as the measure",
        ),
    ],
)
def test_what_is_drawn_has_no_check_of_its_own(folder, options, words):
    options = [*options, "--fail-each", "--fail-below", "0.5"]
    assert words in error_of(folder / "boxes.csv", *options)
    alone = ["--per", "kind", "--unit-id", "image", "--fail-each"]
    words = "--fail-each requires --fail-if-lower or --fail-below"
    assert words in error_of(folder / "boxes.csv", *alone)


def test_a_class_without_an_interval_is_named(tmp_path):
    single = BOXES[
        (BOXES.kind != "car") | (BOXES.index == BOXES[BOXES.label == 1].index[0])
    ]
    single.to_csv(tmp_path / "a.csv", index=False)
    message = error_of(tmp_path / "a.csv", *OPTIONS, "--fail-below", "0.5")
    assert "no interval that says whether AP of car is below 0.5" in message


def test_the_line_that_detection_shows(folder, monkeypatch, tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "detection.md").read_text()
    [line] = re.findall(r"- run: >\n +sklearn-ap (.*?)\n```", page, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    names = {"label": "matched", "score": "new"}
    BOXES.rename(columns=names).to_csv("boxes.csv", index=False)
    Path("objects.csv").write_text((folder / "found.csv").read_text())
    finished = run(*line.split())
    assert (finished.code, finished.err) == (3, "")
    words = (
        "AP of dog is lower than that of old by more than 0.02 (one-sided p <= 0.0167)"
    )
    rows = BOXES[BOXES.kind == "dog"]
    compared = compare_scores(
        "average_precision",
        rows.label,
        rows.score,
        rows.old,
        unit_id=rows.image,
        n_positives=150,
    )
    bound = -compared.confidence_interval(1 - 2 * 0.05 / 3).high
    own, other = compared.scores
    words += (
        f": {own:.2f} against {other:.2f}, lower by {other - own:.3g}, at least by "
    )
    assert f"Fails: {words}{bound:.3g}, p < 0.0001." in finished.words
    found = json_of(*line.split())
    assert words in found["checks"][0]["why"]
    classes = {answer["name"]: answer for answer in found["classes"]}
    assert list(classes) == list(KINDS)
    assert classes["dog"]["score"]["value"] == own
    assert classes["dog"]["comparisons"][0]["score"] == other


def test_a_class_that_is_gone_fails_and_a_new_one_passes(folder):
    of_two = folder / "two.csv"
    BOXES[BOXES.kind != "owl"].to_csv(of_two, index=False)
    all_kinds = folder / "boxes.csv"
    gate = [*OPTIONS, "--fail-if-lower", "0.5"]
    lost = run(of_two, *gate, "--against", all_kinds)
    assert lost.code == 3
    assert "Fails: no positive of owl was found." in lost.words
    new = run(all_kinds, *gate, "--against", of_two)
    assert (new.code, "Passes: no kind fails" in new.out) == (0, True)

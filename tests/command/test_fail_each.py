"""The checks of each class by the command have the limits that Python computes by Holm."""

import numpy as np
import pandas as pd
import pytest

from shell import error_of, json_of, run, said
from sklearn_ap import compare_estimates, estimate_score

AP = "average_precision"
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
DOG = BOXES[BOXES.kind == "dog"]
OPTIONS = ["--per", "kind", "--unit-id", "image"]
EACH = [*OPTIONS, "--fail-each"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("boxes")
    wrong = BOXES.head(2).assign(kind="bus", label=0)
    rows = {
        "boxes": BOXES,
        "earlier": BOXES.assign(score=BOXES.old),
        "two": BOXES[BOXES.kind != "owl"],
        "none": BOXES.assign(label=BOXES.label * (BOXES.kind != "owl")),
        "empty": pd.concat([BOXES, wrong]),
    }
    for name, frame in rows.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    for name, n in (("totals", 5), ("found", 0)):
        totals = f"kind,n\ncar,150\ndog,150\nowl,150\nbus,{n}\n"
        (folder / f"{name}.csv").write_text(totals)
    return folder


def failing(path, *options):
    """Names of the classes that fail."""
    checks = json_of(path, *EACH, *options)["checks"]
    return [name for name in (*KINDS, "bus") if f" of kind {name} " in str(checks)]


def estimate_of(rows, score="score", **params):
    return estimate_score(AP, rows.label, rows[score], unit_id=rows.image, **params)


def test_a_score_of_each_class(folder):
    """The worst of three classes is tested at a third of the level, the next one at
    half of it.
    """
    of = {kind: estimate_of(rows) for kind, rows in BOXES.groupby("kind")}
    first = of["dog"].confidence_interval(1 - 0.1 / 3).high
    second = of["owl"].confidence_interval(1 - 0.1 / 2).high
    for value, names in (
        (first - 1e-4, []),
        (first + 1e-4, ["dog"]),
        (second - 1e-4, ["dog"]),
        # Bonferroni would let this class pass.
        (second + 1e-4, ["dog", "owl"]),
    ):
        assert failing(folder / "boxes.csv", "--fail-below", f"{value:.6f}") == names


def test_a_fall_of_each_class_from_an_earlier_file(folder):
    """Each class is compared at the prevalence that it has in the earlier file."""
    share = {"prevalence": DOG.label.mean()}
    test = compare_estimates(
        estimate_of(DOG, **share), estimate_of(DOG, "old", **share)
    )
    limit = -test.confidence_interval(1 - 2 * 0.01 / 3).high
    gate = ["--against", folder / "earlier.csv", "--fail-p", 0.01, "--fail-if-lower"]
    for margin, names in ((limit + 1e-4, []), (limit - 1e-4, ["dog"])):
        assert failing(folder / "boxes.csv", *gate, f"{margin:.6f}") == names


def test_a_class_of_which_nothing_was_found_fails(folder):
    """A class whose positives were all missed fails, with rows and without, and leaves
    the whole risk to the others. A class without objects has no score.
    """
    of_dog = estimate_of(DOG, n_positives=150)
    high = of_dog.confidence_interval(1 - 0.1 / 3).high
    for path in (folder / "boxes.csv", folder / "empty.csv"):
        totals = "--n-positives", folder / "totals.csv", "--fail-below"
        assert failing(path, *totals, f"{high - 1e-4:.6f}") == ["bus"]
        assert failing(path, *totals, f"{high + 1e-4:.6f}") == ["dog", "bus"]
        none = "--n-positives", folder / "found.csv", "--fail-below", "0.01"
        words = said(path, *EACH, *none)
        assert "Passes: no kind fails --fail-below 0.01, by Holm over 3 kinds." in words


def test_a_class_that_no_model_finds_is_a_note_unless_it_must_reach_a_value(folder):
    gate = [folder / "boxes.csv", *EACH, "--n-positives", folder / "totals.csv"]
    gate += ["--compare", "old", "--fail-if-lower", "0.5"]
    assert "; no positive of kind bus is found, now or before." in said(*gate)
    out = run(*gate, "--fail-below", "0.01").out
    assert "Fails: no positive of kind bus was found.\n" in out


def test_a_class_that_is_gone_fails_and_a_new_one_passes(folder):
    """A class whose rows contain no positive is not gone."""
    boxes, of_two = folder / "boxes.csv", folder / "two.csv"
    gate = ["--fail-if-lower", "0.5", "--against"]
    assert failing(of_two, *gate, boxes) == ["owl"]
    none = folder / "none.csv"
    for path, earlier in ((boxes, of_two), (none, boxes), (of_two, none)):
        assert "Passes: no kind fails" in said(path, *EACH, *gate, earlier)


def test_classes_that_are_drawn_have_no_checks_of_their_own(folder, saved):
    below = "--fail-each", "--fail-below", "0.5"
    line = folder / "boxes.csv", "--unit-id", "image", "--per", "image", *below
    assert "units of --unit-id, in each image" in error_of(*line)
    rows = saved("label,score,day\n1,2,a\n0,1,b\n")
    assert "requires several rows" in error_of(rows, "--per", "day", *below)


def test_rows_of_each_class_are_drawn_without_units(folder):
    gate = folder / "boxes.csv", "--compare", "old", "--fail-if-lower", 0.02
    found = json_of(*gate, "--per", "kind", "--fail-each")
    assert found["score"]["n_units"] == len(BOXES)
    assert found["checks"][0]["level"] == 0.05 / 3

"""Gates on what desks promise: numbers of a fixed threshold, of the first rows, and of
detectors, each by its own interval.
"""

import re

import numpy as np
import pandas as pd
import pytest

from command import error_of, json_of, run
from sklearn_ap import (
    compare_scores,
    estimate_score,
    interpolated_average_precision_score,
    operating_point,
    precision_at_k_score,
    report,
)
from sklearn_ap.compatibility import score_as

RNG = np.random.default_rng(4)
N = 900
KIND, IMAGE = np.repeat(["car", "dog", "owl"], N // 3), np.arange(N) % 150
LABEL = (RNG.random(N) < 0.4).astype(int)
FRAME = pd.DataFrame(
    {
        "kind": KIND,
        "image": IMAGE,
        "label": LABEL,
        "score": (RNG.normal(size=N) + 1.2 * LABEL).round(1),
        "old": (RNG.normal(size=N) + 1.6 * LABEL).round(1),
    }
)
TOTALS = {"car": 150, "dog": 140, "owl": 160, "bus": 9, "none": 0}
BOXES = {
    "VOC 2007": np.arange(0, 1.1, 0.1),
    "VOC 2010": None,
    "COCO": np.linspace(0, 1, 101),
}
DETECTOR = ["--per", "kind", "--unit-id", "image", "--n-positives"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gates")
    FRAME.to_csv(folder / "rows.csv", index=False)
    lines = [f"{kind},{total}" for kind, total in TOTALS.items()]
    (folder / "totals.csv").write_text("\n".join(["kind,n", *lines]))
    return folder


def assert_fails_from(high, path, *options):
    """A gate fails if and only if the upper end lies below its value."""
    for value, code in ((high + 1e-5, 3), (high - 1e-5, 0)):
        finished = run(path, *options, "--fail-below", f"{value:.7f}")
        assert finished.code == code, finished
    return finished.words


@pytest.mark.parametrize("number", ["precision", "recall", "specificity"])
@pytest.mark.parametrize("unit", [None, "image"])
def test_a_number_of_a_fixed_threshold(folder, number, unit):
    units = {} if unit is None else {"unit_id": IMAGE}
    point = operating_point(LABEL, FRAME.score, threshold=0.7, **units)
    _, high = point.confidence_interval(number)
    options = ["--threshold-at", "threshold=0.7", "--fail-on", number]
    options += [] if unit is None else ["--unit-id", unit]
    words = assert_fails_from(high, folder / "rows.csv", *options)
    assert f"the interval of {number} at threshold=0.7 does not lie below" in words


def test_each_fixed_threshold_is_checked(folder):
    options = ["--threshold-at", "threshold=0.7", "--threshold-at", "threshold=1.4"]
    gate = ["--fail-on", "precision", "--fail-below", "0.8"]
    checks = json_of(folder / "rows.csv", *options, *gate)["checks"]
    assert [check["failed"] for check in checks] == [True, False]


@pytest.mark.parametrize("name", ["precision@100", "recall@100", "P@100"])
@pytest.mark.parametrize("per", [[], ["--per", "kind"]])
def test_a_number_of_the_first_rows(folder, name, per):
    score = name.replace("P@", "precision@")
    query = {"query_id": KIND} if per else {}
    estimate = estimate_score(score, LABEL, FRAME.score, **query, random_state=0)
    _, high = estimate.confidence_interval()
    path = folder / "rows.csv"
    words = assert_fails_from(high, path, *per, "--fail-on", name)
    assert f"the interval of {name} does not lie below" in words
    pair = compare_scores(
        score, LABEL, FRAME.score, FRAME.old, **query, random_state=0, n_resamples=9999
    )
    limit = -pair.confidence_interval(0.9).high
    gate = [*per, "--fail-on", name, "--compare", "old", "--fail-if-lower"]
    for margin, code in ((limit + 0.01, 0), (limit - 0.01, 3)):
        if margin > 0:
            assert run(path, *gate, f"{margin:.6f}").code == code


@pytest.mark.parametrize("name", BOXES)
def test_a_mean_of_detectors(folder, name):
    """It is the number of the code, and its interval that of the same levels."""
    found = json_of(
        folder / "rows.csv", *DETECTOR, folder / "totals.csv", "--compare", "old"
    )
    for model in ("score", "old"):
        values = [
            score_as(name, LABEL[rows], FRAME[model][rows], n_positives=TOTALS[kind])
            for kind in ("car", "dog", "owl")
            for rows in [kind == KIND]
        ]
        mean = sum(values) / 4  # a bus was missed, and of the last kind there is none
        assert found["of_boxes"][name][model] == pytest.approx(mean, rel=1e-12)
    columns = {}
    for model in ("score", "old"):
        order = np.argsort(-FRAME[model].to_numpy(), kind="stable")
        columns[model] = np.empty(N)
        columns[model][order] = np.arange(N, 0, -1)
    params = {
        "query_id": KIND,
        "unit_id": IMAGE,
        "n_positives": TOTALS,
        "recall_levels": BOXES[name],
        "zero_division": np.nan,
        "random_state": 0,
    }
    score = interpolated_average_precision_score
    _, high = estimate_score(
        score, LABEL, columns["score"], **params
    ).confidence_interval()
    options = *DETECTOR, folder / "totals.csv", "--fail-on"
    spelled = name.replace(" ", "").lower()
    words = assert_fails_from(high, folder / "rows.csv", *options, spelled)
    assert f"the interval of {name} does not lie below" in words
    # The fall from another model, by images
    pair = compare_scores(score, LABEL, *columns.values(), **params, n_resamples=9999)
    limit = -pair.confidence_interval(0.9).high
    for margin, code in ((limit - 1e-4, 3), (limit + 1e-4, 0)):
        gate = [*options, name, "--compare", "old", "--fail-if-lower", f"{margin:.6f}"]
        assert run(folder / "rows.csv", *gate).code == code


def test_the_page_of_a_detector_has_the_means():
    rows = {"query_id": KIND, "n_positives": TOTALS, "zero_division": np.nan}
    page = report(LABEL, FRAME.score, compare={"old": FRAME.old}, **rows)
    means = page.answer["of_boxes"]["VOC 2010"]
    words = f"VOC 2010 {means['scores']:.4f} (old {means['old']:.4f})"
    assert words in page.html
    assert words in " ".join(str(page).split())
    assert report(LABEL, FRAME.score, query_id=KIND).answer["of_boxes"] == {}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--fail-on", "recall", "--threshold-at", "recall=0.8"],
            "--fail-on recall: these rows chose the threshold of recall=0.8, .*; write "
            r"--threshold-at threshold=-?[\d.]+, and check other rows",
        ),
        (
            ["--fail-on", "precision", "--threshold-at", "k=1"],
            "(these rows chose the threshold of k=1|no threshold has k=1)",
        ),
        (
            ["--fail-on", "precision"],
            r"requires --threshold-at threshold=0\.5.* precision@100",
        ),
        (["--fail-on", "specificity"], "and --fail-below$"),
        (["--fail-on", "coco"], "--fail-on coco requires --per and --n-positives"),
        (["--fail-on", "precision@0"], "k must be .*got 0"),
        (
            ["--fail-on", "precision@x"],
            "--fail-on precision@x: 'x' is not a number such as 12, 0.05 or 5%",
        ),
        (
            ["--fail-on", "recall@5", "--prevalence", "0.1"],
            "--prevalence is not valid with --fail-on recall@5",
        ),
    ],
)
def test_refusals(folder, options, message):
    error = error_of(folder / "rows.csv", *options, "--fail-below", "0.5")
    assert re.search(message, error), error


def test_other_rows_are_compared_by_ap_alone(folder):
    gate = ["--fail-on", "precision@50", "--fail-if-lower", "0.1"]
    error = error_of(folder / "rows.csv", *gate, "--against", folder / "rows.csv")
    assert (
        "there is no other precision@50 to compare with; --against compares AP" in error
    )
    assert precision_at_k_score(LABEL, FRAME.score, k=50) > 0

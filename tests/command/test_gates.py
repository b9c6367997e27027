"""Gates: each fails from the end of the interval of its number on, and not before: AP,
what desks promise of a fixed threshold and of the first rows, what budgets find, and the
means of detectors.
"""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

from shell import error_of, json_of, run, said, said_where_it_turns
from sklearn_ap import (
    average_precision_score,
    budget_totals,
    compare_budgets,
    compare_estimates,
    compare_scores,
    estimate_score,
    interpolated_average_precision_score,
    operating_point,
    report,
)
from sklearn_ap.compatibility import score_as

AP = average_precision_score
RNG = np.random.default_rng(4)
N = 900
KIND, IMAGE = np.repeat(["car", "dog", "owl"], N // 3), np.arange(N) % 150
LABEL = (RNG.random(N) < 0.4).astype(int)
FRAME = pd.DataFrame(
    {
        "kind": KIND,
        "image": IMAGE,
        "label": LABEL,
        "score": (RNG.normal(size=N) + 0.8 * LABEL).round(1),
        "old": (RNG.normal(size=N) + 1.6 * LABEL).round(1),
        "amount": RNG.integers(1, 9, N) / 2,
    }
)
MODELS = FRAME.score, FRAME.old
TOTALS = {"car": 150, "dog": 140, "owl": 160, "bus": 9, "none": 0}
BOXES = {
    "VOC 2007": np.arange(0, 1.1, 0.1),
    "VOC 2010": None,
    "COCO": np.linspace(0, 1, 101),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gates")
    FRAME.to_csv(folder / "rows.csv", index=False)
    FRAME.assign(score=FRAME.old).to_csv(folder / "earlier.csv", index=False)
    lines = [f"{kind},{total}" for kind, total in TOTALS.items()]
    (folder / "totals.csv").write_text("\n".join(["kind,n", *lines]))
    return folder


def limit_of(pair, risk=0.05):
    """Return the margin by which the first of two is lower at most, at this risk."""
    return -pair.confidence_interval(1 - 2 * risk).high


@pytest.mark.parametrize("risk", [0.05, 0.001])
def test_ap_fails_where_a_one_sided_test_rejects(folder, risk):
    path = folder / "rows.csv"
    options = {"prevalence": LABEL.mean()}
    estimates = [estimate_score(AP, LABEL, scores, **options) for scores in MODELS]
    for other, less in (
        (
            ["--compare", "old"],
            compare_scores(AP, LABEL, *MODELS, alternative="less", random_state=0),
        ),
        (
            ["--against", folder / "earlier.csv"],
            compare_estimates(*estimates, alternative="less"),
        ),
    ):
        limit = -less.confidence_interval(1 - risk).high
        gate = *other, "--fail-p", risk, "--fail-if-lower"
        words = said_where_it_turns(limit, path, *gate)
        assert f"(one-sided p <= {risk})" in words
    _, high = estimate_score(AP, LABEL, FRAME.score).confidence_interval()
    said_where_it_turns(high, path, "--fail-below")


def test_equal_scores_are_not_lower_and_each_check_is_said(folder):
    """By no margin, although nothing says how sure that is."""
    path = folder / "rows.csv"
    for other in (["--against", path], ["--compare", "score"]):
        said(path, *other, "--fail-if-lower", "0")
    gates = "--fail-below", "90%", "--compare", "old", "--fail-if-lower", "1"
    checks = json_of(path, *gates)["checks"]
    assert [check["failed"] for check in checks] == [True, False]
    for check, start in zip(checks, ("Fails", "Passes"), strict=True):
        assert f"{start}: {check['why']}" in run(path, *gates).words


@pytest.mark.parametrize("number", ["precision", "recall", "specificity"])
@pytest.mark.parametrize("unit", [None, "image"])
def test_a_number_of_a_fixed_threshold(folder, number, unit):
    units = {} if unit is None else {"unit_id": IMAGE}
    point = operating_point(LABEL, FRAME.score, threshold=0.7, **units)
    _, high = point.confidence_interval(number)
    options = ["--threshold-at", "threshold=0.7"]
    options += [] if unit is None else ["--unit-id", unit]
    gate = folder / "rows.csv", *options, "--fail-on", number, "--fail-below"
    words = said_where_it_turns(high, *gate)
    assert f"the interval of {number} at threshold=0.7 does not lie below" in words


def test_each_fixed_threshold_is_checked(folder):
    options = ["--threshold-at", "threshold=0.7", "--threshold-at", "threshold=1.8"]
    gate = ["--fail-on", "precision", "--fail-below", "0.75"]
    checks = json_of(folder / "rows.csv", *options, *gate)["checks"]
    assert [check["failed"] for check in checks] == [True, False]


@pytest.mark.parametrize("name", ["precision@100", "recall@100", "P@100"])
@pytest.mark.parametrize("per", [[], ["--per", "kind"]])
def test_a_number_of_the_first_rows(folder, name, per):
    score = name.replace("P@", "precision@")
    options = {"query_id": KIND if per else None, "random_state": 0}
    _, high = estimate_score(score, LABEL, FRAME.score, **options).confidence_interval()
    gate = folder / "rows.csv", *per, "--fail-on", name
    words = said_where_it_turns(high, *gate, "--fail-below")
    assert f"the interval of {name} does not lie below" in words
    pair = compare_scores(score, LABEL, *MODELS, **options, n_resamples=9999)
    said_where_it_turns(limit_of(pair), *gate, "--compare", "old", "--fail-if-lower")


def test_what_budgets_find(folder):
    options = {"k": 2, "query_id": IMAGE, "amount": FRAME.amount}
    totals, other = (budget_totals(LABEL, scores, **options) for scores in MODELS)
    gate = [folder / "rows.csv", "-k", "2", "--per", "image", "--amount", "amount"]
    gate += ["--fail-on", "amount-found", "--compare", "old"]
    _, high = totals.share_of_amount.confidence_interval()
    said_where_it_turns(high, *gate, "--fail-below")
    limit = limit_of(compare_budgets(totals, other))
    words = said_where_it_turns(limit, *gate, "--fail-if-lower")
    assert "amount-found is lower than that of old by more" in words


@pytest.mark.parametrize("name", BOXES)
def test_a_mean_of_detectors(folder, name):
    """It is the number of the code, and its interval that of the same levels."""
    gate = [folder / "rows.csv", "--per", "kind", "--unit-id", "image"]
    gate += ["--n-positives", folder / "totals.csv"]
    means = json_of(*gate, "--compare", "old")["of_boxes"][name]
    in_row_order = {}
    for model in ("score", "old"):
        values = [
            score_as(name, LABEL[rows], FRAME[model][rows], n_positives=TOTALS[kind])
            for kind in ("car", "dog", "owl")
            for rows in [kind == KIND]
        ]
        mean = sum(values) / 4  # a bus was missed, and of the last kind there is none
        assert means[model] == pytest.approx(mean, rel=1e-12)
        in_row_order[model] = -rankdata(-FRAME[model], "ordinal")
    params = {
        "query_id": KIND,
        "unit_id": IMAGE,
        "n_positives": TOTALS,
        "recall_levels": BOXES[name],
        "zero_division": np.nan,
        "random_state": 0,
    }
    score = interpolated_average_precision_score
    own = estimate_score(score, LABEL, in_row_order["score"], **params)
    gate += ["--fail-on", name.replace(" ", "").lower(), "--compare", "old"]
    words = said_where_it_turns(own.confidence_interval().high, *gate, "--fail-below")
    assert f"the interval of {name} does not lie below" in words
    # The fall from another model, by images
    pair = compare_scores(
        score, LABEL, *in_row_order.values(), **params, n_resamples=9999
    )
    said_where_it_turns(limit_of(pair), *gate, "--fail-if-lower")


def test_the_page_of_a_detector_has_the_means():
    rows = {"query_id": KIND, "n_positives": TOTALS, "zero_division": np.nan}
    page = report(LABEL, FRAME.score, compare={"old": FRAME.old}, **rows)
    means = page.answer["of_boxes"]["VOC 2010"]
    words = f"VOC 2010 {means['scores']:.4f} (old {means['old']:.4f})"
    assert words in page.html
    assert words in " ".join(str(page).split())
    assert report(LABEL, FRAME.score, query_id=KIND).answer["of_boxes"] == {}


BELOW = ["--fail-below", "0.5"]
LOWER = ["--compare", "old", "--fail-if-lower", "0"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--fail-on", "recall", "--threshold-at", "recall=0.8", *BELOW],
            "--fail-on recall: these rows chose the threshold of recall=0.8, .*; write "
            r"--threshold-at threshold=-?[\d.]+, and check other rows",
        ),
        (
            ["--fail-on", "precision", "--threshold-at", "k=1", *BELOW],
            "(these rows chose the threshold of k=1|no threshold has k=1)",
        ),
        (
            ["--fail-on", "precision", *BELOW],
            r"requires --threshold-at threshold=0\.5.* precision@100",
        ),
        (["--fail-on", "specificity", *BELOW], "and --fail-below$"),
        (
            ["--fail-on", "coco", *BELOW],
            "--fail-on coco requires --per and --n-positives",
        ),
        (["--fail-on", "precision@0", *BELOW], "k must be .*got 0"),
        (
            ["--fail-on", "precision@x", *BELOW],
            "--fail-on precision@x: 'x' is not a number such as 12, 0.05 or 5%",
        ),
        (
            ["--fail-on", "recall@5", "--prevalence", "0.1", *BELOW],
            "--prevalence is not valid with --fail-on recall@5",
        ),
        (
            ["--fail-on", "amount-found", *BELOW],
            "requires -k and --per, a budget of each day, and --amount",
        ),
        (
            [
                *("--fail-on", "positives-found", "-k", "2", "--per", "image"),
                *("--amount", "amount", *LOWER),
            ],
            "there is no other positives-found to compare with",
        ),
        (
            [
                *("--fail-on", "precision@50", "--fail-if-lower", "0"),
                *("--against", "rows.csv"),
            ],
            "there is no other precision@50 to compare with; --against compares AP",
        ),
        (["--fail-p", "0.01"], "--fail-p requires --fail-if-lower"),
        *(
            ([*LOWER, "--fail-p", risk], f"from 1e-06 to 0.49; got '{risk}'")
            for risk in ("0", "0.5", "1")
        ),
        (["--fail-below", "2"], "must be a number from 0 to 1; got '2'"),
        (["--fail-if-lower", "0"], "requires --against or --compare"),
    ],
)
def test_refusals(folder, monkeypatch, options, message):
    monkeypatch.chdir(folder)
    error = error_of("rows.csv", *options)
    assert re.search(message, error), error


def test_one_positive_determines_no_interval(saved):
    path = saved("label,score,b\n1,3,2\n0,2,3\n0,1,1\n")
    for gate, words in (
        (BELOW, "no interval that says whether the score is below 0.5"),
        (
            ["--compare", "b", "--fail-if-lower", "0"],
            "whether the score is lower than that of b by more than 0",
        ),
    ):
        assert words in error_of(path, *gate)

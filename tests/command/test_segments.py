"""Fixed groups that part the rows, such as regions: rows or patients are drawn inside
each group, and each group is checked by its own.
"""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from command import error_of, json_of, run
from oracles import scores as oracle
from oracles.uncertainty import heavier
from sklearn_ap import (
    average_precision_score,
    compare_estimates,
    compare_many,
    compare_scores,
    estimate_score,
    report,
)

AP = average_precision_score
RNG = np.random.default_rng(7)
SIZES = {"a": 300, "b": 500, "c": 400}
GROUP = np.repeat(list(SIZES), list(SIZES.values()))
N = GROUP.size
LABEL = (RNG.random(N) < 0.15).astype(int)
SCORE = (RNG.normal(size=N) + 1.8 * LABEL).round(3)
OTHER = (SCORE + 0.5 * RNG.normal(size=N)).round(3)
ROWS = {"query_id": GROUP, "unit_id": np.arange(N)}
WEIGHTS = {"a": 1, "b": 2, "c": 0.5}
of_weights = pytest.mark.parametrize(
    "weights", [None, WEIGHTS], ids=["mean", "weights"]
)


def share_of(weights):
    """The share of each group in the mean, as a fraction."""
    weights = {name: Fraction((weights or {}).get(name, 1)) for name in SIZES}
    return {name: weight / sum(weights.values()) for name, weight in weights.items()}


@of_weights
def test_the_weighted_mean_and_its_slopes_in_fractions(weights):
    """Twelve rows of each group: the slope of the mean by each row, exactly."""
    rows = np.concatenate([np.flatnonzero(name == GROUP)[:40] for name in SIZES])
    h, score, slopes = Fraction(1, 10**6), Fraction(0), []
    for name, share in share_of(weights).items():
        places = rows[GROUP[rows] == name]
        ranking = oracle.ranking(LABEL[places].tolist(), SCORE[places].tolist())
        score += share * oracle.step(ranking)
        for row in range(places.size):
            up, down = (oracle.step(heavier(ranking, row, step)) for step in (h, -h))
            slopes.append(float(share * (up - down) / (2 * h)))
    found = estimate_score(
        AP,
        LABEL[rows],
        SCORE[rows],
        query_id=GROUP[rows],
        unit_id=rows,
        query_weight=weights,
    )
    assert found.score == pytest.approx(float(score), rel=1e-14)
    assert found.standard_error == pytest.approx(
        np.sqrt(np.square(slopes).sum()), rel=1e-6
    )
    assert (found.n_units, found.n_fixed_queries) == (120, 3)


@of_weights
def test_a_bootstrap_inside_each_group(weights):
    """Its spread is that of the mean; one over all rows would draw the sizes, too."""
    rng, drawn = np.random.default_rng(0), np.zeros(400)
    for name, share in share_of(weights).items():
        rows = np.flatnonzero(name == GROUP)
        for i in range(drawn.size):
            again = rng.choice(rows, rows.size)
            drawn[i] += float(share) * AP(LABEL[again], SCORE[again])
    found = estimate_score(AP, LABEL, SCORE, **ROWS, query_weight=weights)
    assert found.standard_error == pytest.approx(drawn.std(), rel=0.1)


def test_groups_are_independent():
    """The variance is that of each group, by its share; so is that of a difference."""
    singles, pairs = [], []
    for name in SIZES:
        rows = name == GROUP
        singles.append(estimate_score(AP, LABEL[rows], SCORE[rows]))
        pairs.append(compare_scores(AP, LABEL[rows], SCORE[rows], OTHER[rows]))
    found = estimate_score(AP, LABEL, SCORE, **ROWS)
    errors = [single.standard_error for single in singles]
    assert found.standard_error == pytest.approx(np.linalg.norm(errors) / 3, rel=1e-12)
    pair = compare_scores(AP, LABEL, SCORE, OTHER, **ROWS)
    errors = [each.standard_error for each in pairs]
    assert pair.standard_error == pytest.approx(np.linalg.norm(errors) / 3, rel=1e-12)
    models = {"first": SCORE, "other": OTHER}
    many = compare_many(AP, LABEL, models, **ROWS)
    assert many.pvalue.item() == pair.pvalue
    assert "3 fixed queries, 1,200 units drawn" in str(many)


def test_units_lie_inside_groups():
    """Patients of each group: four rows each."""
    patient = np.arange(N) // 4
    found = estimate_score(AP, LABEL, SCORE, query_id=GROUP, unit_id=patient)
    errors = [
        estimate_score(
            AP, LABEL[rows], SCORE[rows], unit_id=patient[rows]
        ).standard_error
        for rows in (name == GROUP for name in SIZES)
    ]
    assert found.standard_error == pytest.approx(np.linalg.norm(errors) / 3, rel=1e-12)
    assert (found.n_units, found.n_fixed_queries) == (N // 4, 3)


def test_a_unit_of_one_row_is_the_row():
    rows = estimate_score(AP, LABEL, SCORE)
    named = estimate_score(AP, LABEL, SCORE, unit_id=[f"row {i}" for i in range(N)])
    assert named.standard_error == pytest.approx(rows.standard_error, rel=1e-14)
    ends = named.confidence_interval()
    assert ends == pytest.approx(rows.confidence_interval(), rel=1e-13)


def test_a_report_says_what_was_drawn():
    page = report(LABEL, SCORE, **ROWS, compare={"other": OTHER})
    estimate = estimate_score(AP, LABEL, SCORE, **ROWS)
    score = page.answer["score"]
    assert (score["low"], score["high"]) == estimate.confidence_interval()
    assert "(3 fixed queries, 1,200 rows drawn)" in " ".join(str(page).split())
    # A section of each group has its own interval, next to the curve of all rows.
    assert page.html.count('<details class="class"><summary>') == 3
    table = page.html.partition("<h2>Queries</h2>")[2].partition("</table>")[0]
    rows = GROUP == "b"
    single = estimate_score(AP, LABEL[rows], SCORE[rows])
    low, high = single.confidence_interval()
    assert f"<td>{single.score:.3f} ({low:.3f} to {high:.3f})</td>" in table
    assert "The curve takes all rows as one ranking" in page.html
    matrix = np.column_stack([SCORE, OTHER, -SCORE])
    classes = report(np.arange(N) % 3, matrix)
    assert "(3 fixed classes, 1,200 rows drawn)" in " ".join(str(classes).split())


# --- the command ----------------------------------------------------------------------

FRAME = pd.DataFrame({"region": GROUP, "label": LABEL, "score": SCORE, "old": OTHER})
GATE = ["--per", "region", "--fail-each"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Last month, and a month in which the positives of region c lose 1.4."""
    folder, rng = tmp_path_factory.mktemp("regions"), np.random.default_rng(0)
    for name, loss in (("old", 0.0), ("new", 1.4)):
        region = np.repeat(list("abc"), 500)
        label = (rng.random(1500) < 0.15).astype(int)
        score = rng.normal(size=1500) + (1.8 - loss * (region == "c")) * label
        frame = pd.DataFrame({"region": region, "label": label, "score": score})
        frame.to_csv(folder / f"{name}.csv", index=False)
    FRAME.to_csv(folder / "rows.csv", index=False)
    return folder


def test_a_fall_of_one_region_is_found(folder):
    against = [
        folder / "new.csv",
        "--against",
        folder / "old.csv",
        "--fail-if-lower",
        0.02,
    ]
    by_mean = run(*against, "--per", "region")
    assert by_mean.code == 0
    assert (
        "; 3 regions drawn show little: --per and --fail-each check each one."
        in by_mean.words
    )
    found = run(*against, *GATE)
    assert (found.code, found.err) == (3, "")
    assert "(3 fixed regions, 1,500 rows drawn)" in found.words
    both = []
    for name in ("new", "old"):
        frame = pd.read_csv(folder / f"{name}.csv")
        both.append(frame[frame.region == "c"])
    share = both[1].label.mean()
    of_c = [estimate_score(AP, x.label, x.score, prevalence=share) for x in both]
    test = compare_estimates(*of_c)
    own, other = (estimate.score for estimate in of_c)
    limit = -test.confidence_interval(1 - 0.1 / 3).high
    assert test.pvalue < 1e-4
    assert (
        "Fails: AP of c is lower than that of "
        f"{folder / 'old.csv'} by more than 0.02 (one-sided p <= 0.0167): {own:.2f} against "
        f"{other:.2f}, lower by {other - own:.3g}, at least by {limit:.3g}, p < 0.0001."
    ) in found.words
    assert "of a is" not in found.words
    classes = json_of(*against, *GATE)["classes"]
    alone = estimate_score(AP, both[0].label, both[0].score)
    assert classes[2]["name"] == "c"
    assert (classes[2]["score"]["low"], classes[2]["score"]["high"]) == (
        alone.confidence_interval()
    )


def test_regions_by_holm(folder):
    """The worst region has a third of the risk; the next one has half of it."""
    of = {}
    for name in SIZES:
        rows = FRAME[FRAME.region == name]
        of[name] = estimate_score(AP, rows.label, rows.score)
    worst, second, _ = sorted(of, key=lambda name: of[name].confidence_interval().high)
    first = of[worst].confidence_interval(1 - 0.05 / 3).high
    then = of[second].confidence_interval(1 - 0.05 / 2).high
    alone = of[second].confidence_interval(1 - 0.05 / 3).high
    assert first < then < alone
    steps = {first - 1e-4: [], first + 1e-4: [worst], then - 1e-4: [worst]}
    steps[then + 1e-4] = sorted([worst, second])
    for value, names in steps.items():
        checks = json_of(folder / "rows.csv", *GATE, "--fail-below", f"{value:.6f}")[
            "checks"
        ]
        failing = [
            check["why"].split(" of ")[2][0] for check in checks if check["failed"]
        ]
        assert sorted(failing) == names


def test_a_group_without_positives_is_undefined(folder, tmp_path):
    none = FRAME.assign(label=np.where(GROUP == "c", 0, LABEL))
    none.to_csv(tmp_path / "none.csv", index=False)
    gate = [*GATE, "--fail-below", "0.01"]
    found = run(tmp_path / "none.csv", *gate, "--against", folder / "rows.csv")
    assert found.code == 0
    assert "Without positives, and left out: 1 of 3 regions, c." in found.words
    assert "(2 fixed regions, 1,200 rows drawn)" in found.words
    # A region whose rows are gone fails.
    FRAME[GROUP != "c"].to_csv(tmp_path / "gone.csv", index=False)
    gone = run(tmp_path / "gone.csv", *gate, "--against", folder / "rows.csv")
    assert (gone.code, "Fails: no positive of c was found." in gone.words) == (3, True)
    # One positive says nothing.
    single = none.copy()
    single.loc[N - 1, "label"] = 1
    single.to_csv(tmp_path / "single.csv", index=False)
    message = error_of(tmp_path / "single.csv", *gate)
    assert "no interval that says whether AP of c is below 0.01" in message


def test_a_group_with_one_positive_is_named(tmp_path):
    frame = pd.DataFrame(
        {"region": GROUP, "label": LABEL, "score": SCORE, "other": OTHER}
    )
    first = frame.index[(frame.region == "b") & (frame.label == 1)][0]
    frame.loc[(frame.region == "b") & (frame.index != first), "label"] = 0
    frame.to_csv(tmp_path / "rows.csv", index=False)
    gate = ["--per", "region", "--fail-each", "--fail-if-lower", "0"]
    error = error_of(tmp_path / "rows.csv", *gate, "--compare", "other")
    assert error.endswith("(b has 1 positive): leave out its rows")


def test_rows_beyond_memory_are_refused(folder):
    message = error_of(
        folder / "rows.csv", *GATE, "--fail-below", "0.1", "--memory-limit", "1"
    )
    assert "--fail-each requires all rows in memory; raise --memory-limit" in message

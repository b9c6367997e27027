"""The first answer of the command: each of its numbers is the library's own, of the same rows."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from command import COLUMNS, error_of, run
from sklearn_ap import (
    average_precision_score,
    chance_level,
    compare_scores,
    estimate_score,
    operating_point,
    precision_at_k_score,
    recall_at_k_score,
    score_by_query,
)

README = Path(__file__).parent.parent / "README.md"
RNG = np.random.default_rng(0)
N = 400
LABEL = (RNG.random(N) < 0.2).astype(int)
FRAME = pd.DataFrame(
    {
        "label": LABEL,
        "score": np.round(RNG.normal(size=N) + LABEL, 3),
        "score_b": np.round(RNG.normal(size=N) + 2 * LABEL, 3),
        "amount": RNG.integers(1, 9, N) / 2,
        "day": np.arange(N) // 20,
    }
)
DATA = FRAME.label, FRAME.score


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "scores.csv"
    FRAME.to_csv(path, index=False)
    return path


def said(*arguments):
    finished = run(*arguments)
    assert (finished.code, finished.err) == (0, "")
    assert len(finished.out.splitlines()) <= 10
    assert max(map(len, finished.out.splitlines()[1:])) <= 80
    return " ".join(finished.out.split()).partition("': ")[2]


def ends(interval, digits="f"):
    return " to ".join(f"{end:.2{digits}}" for end in interval)


def test_a_ranking(path):
    estimate, point = estimate_score(average_precision_score, *DATA), operating_point(*DATA, k=10)
    held = round(10 * precision_at_k_score(*DATA, k=10))
    assert said(path, *COLUMNS) == (
        f"400 rows, {LABEL.sum()} positive ({LABEL.mean():.1%})".replace("%", " %")
        + f". Average precision (AP) is {estimate.score:.2f}, 95 % interval "
        f"{ends(estimate.confidence_interval())}; chance is {chance_level(*DATA).mean:.2f}. "
        f"The first 10 rows hold {held} of {LABEL.sum()} positives; they score {point.threshold:g} or more. "
        "Next: --compare COLUMN (another model), -k N (another budget), --table (all AP)."
    )
    assert f"The first 50 rows hold {round(LABEL.sum() * recall_at_k_score(*DATA, k=50))} of" in said(
        path, *COLUMNS, "-k", "50"
    )


def test_weights_are_said_beside_rows(path):
    weight = FRAME.amount
    found = said(path, *COLUMNS, "--sample-weight", "amount", "-k", "50")
    share = recall_at_k_score(*DATA, k=50, sample_weight=weight)
    rows = round(LABEL.sum() * recall_at_k_score(*DATA, k=50))
    assert (
        f"The first 50 rows hold {rows} of {LABEL.sum()} positives, {100 * share:.3g} % of their weight; they"
        in found
    )
    assert f"they are {100 * weight[LABEL == 1].sum() / weight.sum():.3g} % of the weight." in found
    assert f"(AP) by weight is {average_precision_score(*DATA, sample_weight=weight):.2f}, 95 %" in found


def test_rows_of_weight_0_do_not_count(tmp_path):
    (tmp_path / "a.csv").write_text("label,score,w,none\n1,3,1,0\n0,2,2,1\n1,1,0,0\n0,2,0,3\n")
    stated = ["--n-positives", "3", "--sample-weight"]
    for limit in (["--memory-limit", "1GB"], ["--memory-limit", "1"]):
        given = [tmp_path / "a.csv", *COLUMNS, *limit]
        found = run(*given, *stated, "w").out
        assert "4 rows, 2 positive (50 %); they are 33.3 % of the weight" in found
        assert "Average precision (AP) by weight is 0.33; chance is 0.11.\nAll 2 rows hold" in found
        for options in (["--sample-weight"], stated, ["--n-positives", "0", "--sample-weight"]):
            for table in ([], ["--table"]):
                finished = run(*given, *options, "none", *table)
                assert (finished.code, finished.out.count("no row of weight above 0 is positive, so")) == (
                    0,
                    1,
                )
                assert "no row of weight above 0 has the positive label" in finished.err


@pytest.mark.parametrize("twice", [True, False])
@pytest.mark.parametrize("unit", [None, "day"])
def test_a_second_model(path, twice, unit):
    options = ["--y-score", "score_b"] if twice else ["--compare", "score_b"]
    options += [] if unit is None else ["--unit-id", unit]
    units = None if unit is None else FRAME[unit]
    compared = compare_scores(average_precision_score, FRAME.label, FRAME.score_b, FRAME.score, unit_id=units)
    found = said(path, *COLUMNS, *options)
    assert f"'score_b' has {compared.scores[0]:.2f}: the first 10 rows hold " in found
    interval = ends(compared.confidence_interval(), "g")
    assert f"It is higher by {compared.difference:.2g} (95 % interval {interval}, p = " in found
    assert "which is more than chance." in found
    lower = said(path, "--y-true", "label", "--y-score", "score_b", "--compare", "score")
    assert f"It is lower by {compared.difference:.2g} (95 % interval " in lower


def test_two_models_that_these_rows_do_not_tell_apart(tmp_path):
    few = FRAME[:60].assign(score_b=FRAME.score + RNG.normal(size=N) / 2)
    few.to_csv(tmp_path / "few.csv", index=False)
    assert "do not tell which is better" in said(tmp_path / "few.csv", *COLUMNS, "--compare", "score_b")


def test_the_output_that_the_readme_shows(tmp_path, monkeypatch):
    before, _, after = README.read_text().partition("$ sklearn-ap ")
    rng = np.random.default_rng(0)
    rows = (rng.random(500) < 0.1).astype(int)
    new = rng.normal(size=500) + 1.5 * rows
    monkeypatch.chdir(tmp_path)
    columns = {"rows": rows, "new": new, "old": new + rng.normal(size=500)}
    exec(re.findall(r"`(np\.savetxt\(.*\))`", before)[0], {"np": np, **columns})  # as a reader does
    command, _, out = after.partition("```")[0].partition("\n")
    assert run(*command.split()) == (0, out, "")


def test_thresholds(path):
    found = said(path, *COLUMNS, *(f"--threshold-at={one}" for one in ("recall=80%", "precision=.5", "k=7")))
    for condition in ({"recall": 0.8}, {"precision": 0.5}, {"k": 7}):
        point = operating_point(*DATA, **condition)
        ((name, level),) = condition.items()
        assert (
            f"{name}={level:g}: the {point.n_retrieved} rows that score {point.threshold} or more have "
            f"precision {point.precision:.2f}, recall " in found
        )


def test_a_threshold_is_short_and_retrieves_the_same_rows(tmp_path):
    score = FRAME.score + RNG.normal(size=N) / 1e6
    score[:9] = score.max() + np.arange(1, 10) / 1e9  # these need more digits
    FRAME.assign(score=score).to_csv(tmp_path / "long.csv", index=False)
    for k in (*range(1, 10), 77, 400):
        found = said(tmp_path / "long.csv", *COLUMNS, f"-k{k}", "--threshold-at", f"k={k}")
        short = re.search(r"(?:they score|it scores) (\S+) or more", found)
        threshold = short[1]
        assert f"the {k} rows that score {threshold} or more" in found
        assert (score >= float(threshold)).sum() == k
        assert len(threshold) <= (7 if k > 9 else 12)


def test_fewer_rows_than_the_budget(tmp_path):
    FRAME[:30].to_csv(tmp_path / "few.csv", index=False)
    found = run(tmp_path / "few.csv", *COLUMNS, "-k", "99").out
    assert f"All 30 rows hold {LABEL[:30].sum()} of {LABEL[:30].sum()} positives; they score " in found


def test_a_budget_of_each_day(path):
    found = said(path, *COLUMNS, "--query-id", "day", "--threshold-at", "k=5")
    point = operating_point(*DATA, k=5, query_id=FRAME.day)
    assert (
        f"k=5: the {point.n_retrieved} rows that score {point.threshold} or more (no query has more than 5)"
        in found
    )


def test_ties_at_the_budget(tmp_path):
    rows = pd.DataFrame({"label": [1, 0] * 12, "score": [3] + [2] * 15 + [1] * 8})
    rows.to_csv(tmp_path / "tied.csv", index=False)
    found = said(tmp_path / "tied.csv", *COLUMNS)
    assert "hold 5.2 of 12 positives; 1 of them score 3 or more, and the others are tied." in found
    rows.assign(score=1, other=range(24)).to_csv(tmp_path / "all.csv", index=False)
    found = said(tmp_path / "all.csv", *COLUMNS, "--threshold-at", "k=5", "--compare", "other")
    assert found.count("no threshold retrieves so few, since more rows share") == 2
    assert found.endswith("Next: -k N (another budget), --table (all AP).")


def test_another_prevalence(path):
    found = said(path, *COLUMNS, "--prevalence", "2%", "--threshold-at", "recall=0.5")
    estimate = estimate_score(average_precision_score, *DATA, prevalence=0.02)
    assert f"(AP) at a prevalence of 0.02 is {estimate.score:.2f}, 95 % interval" in found
    point = operating_point(*DATA, recall=0.5, prevalence=0.02)
    assert f"rows that score {point.threshold} or more have precision {point.precision:.3f}, recall" in found
    assert "chance is 0.020." in found


@pytest.mark.parametrize("limit", [[], ["--memory-limit", "8kB"]])
def test_the_score_of_each_query(path, limit):
    out = run(path, *COLUMNS, "--query-id", "day", "--by-query", "--format", "csv", *limit).out
    rows = list(csv.DictReader(out.splitlines()))
    for name, score, options in (
        ("average precision", average_precision_score, {}),
        ("precision@10", precision_at_k_score, {"k": 10}),
    ):
        expected = score_by_query(score, *DATA, query_id=FRAME.day, **options)
        assert {int(row["query"]): float(row[name]) for row in rows} == pytest.approx(expected, abs=1e-15)


def test_a_file_is_written_when_all_is_there(path, tmp_path):
    target = tmp_path / "queries.json"
    queries = ["--query-id", "day", "--by-query", "--format", "json", "--output", target]
    assert run(path, *COLUMNS, *queries) == (0, "", "")
    written = target.read_text()
    assert len(json.loads(written)) == 20
    assert run(path, "--y-true", "nothing", "--y-score", "score", *queries).code == 2
    assert target.read_text() == written


@pytest.mark.parametrize("options", [[], ["--n-positives", "200"], ["--prevalence", "0.1"], ["-k", "5%"]])
def test_beyond_memory_the_answer_is_the_same(path, options):
    inside, beyond = (said(path, *COLUMNS, *options, *limit) for limit in ([], ["--memory-limit", "4kB"]))
    level = r"; (chance|the prevalence) is [\d.]+(?=\. The)"
    assert re.sub(level, "", beyond) == re.sub(level, "", inside)


@pytest.mark.parametrize(
    ("condition", "options"),
    [
        ("k=5", ["--query-id", "day", "--sample-weight", "amount"]),
        ("k=5", ["--query-id", "day", "--n-positives", "all"]),
        ("recall=80%", ["--sample-weight", "amount", "--prevalence", "0.1"]),
    ],
)
def test_beyond_memory_thresholds_are_the_same(tmp_path, condition, options):
    FRAME.assign(all=30).to_csv(tmp_path / "rows.csv", index=False)
    answers = [
        said(tmp_path / "rows.csv", *COLUMNS, *options, "--threshold-at", condition, *limit)
        for limit in ([], ["--memory-limit", "4kB"])
    ]
    sentence = re.compile(rf"{condition.partition('=')[0]}=[\d.]+: the .*? have precision .*?\. Next")
    inside, beyond = (sentence.search(one)[0] for one in answers)
    assert beyond == inside


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--compare", "score"], "--y-score and --compare name the same column, 'score'"),
        (["--compare", "a", "--compare", "b"], "--compare is given twice, as 'a' and 'b'"),
        (
            ["--y-score", "a", "--y-score", "b"],
            "two models are compared, 'score' and 'a': leave out --y-score 'b'",
        ),
        (["--prevelance", "2%"], "; did you mean --prevalence? see --help"),
        (
            ["--compare", "score_b", "--table"],
            "--compare is for the first answer, and a table takes its place",
        ),
        (
            ["--prevalence", "0.1", "--identify", "0.5"],
            "--prevalence is for the first answer, and --identify",
        ),
        (
            ["--prevalence", "1.5"],
            "--prevalence: '1.5' is not a share above 0 and below 1, such as 0.02 or 2%",
        ),
        (["--threshold-at", "f1"], "'f1' is not a condition such as recall=0.8, precision=0.9 or k=500"),
        (["--threshold-at", "recall=2"], "recall must be"),
        (["--prevalence", "1e-300"], "prevalence must not make a negative weigh"),
        (["--by-query"], "--by-query needs --query-id, the column of the queries"),
        (["--threshold-at", "recall=.5", "--query-id", "day"], "--threshold-at recall takes all rows as one"),
        (["--unit-id", "day", "--query-id", "day"], "leave out --unit-id or --query-id"),
        (["--compare", "nothing"], "column 'nothing' is missing"),
        (["--unit-id", "day", "--memory-limit", "1kB"], "--unit-id needs all rows in memory"),
    ],
)
def test_what_is_refused(path, options, message):
    assert message in error_of(path, *COLUMNS, *options)

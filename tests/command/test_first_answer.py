"""The first answer of the command: each of its numbers is the library's own, of the
same rows.
"""

import html
import io
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics import average_precision_score as sklearn_average_precision_score
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from shell import COLUMNS, json_of, run
from sklearn_ap import (
    average_precision_score,
    budget_totals,
    chance_level,
    compare_budgets,
    estimate_score,
    operating_point,
    precision_at_k_score,
    recall_at_k_score,
    score_by_query,
)
from sklearn_ap._core.rounding import decimals_of, with_decimals
from sklearn_ap._report.sentences import short_share
from sklearn_ap.compatibility import compare_conventions, identify

README = Path(__file__).parents[2] / "README.md"
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
    assert len(finished.out.splitlines()) <= 14
    # A path may be longer.
    assert all(len(line) <= 80 for line in finished.out.splitlines() if " " in line)
    return finished.words.partition(": ")[2]


def ends(interval):
    return " to ".join(f"{end:.2f}" for end in interval)


def test_a_ranking(path):
    estimate, point = (
        estimate_score(average_precision_score, *DATA),
        operating_point(*DATA, k=10),
    )
    held = round(10 * precision_at_k_score(*DATA, k=10))
    assert said(path, *COLUMNS) == (
        f"400 rows, {LABEL.sum()} positive ({LABEL.mean():.1%})".replace("%", " %")
        + f". Average precision (AP) is {estimate.score:.2f}, 95 % interval "
        f"{ends(estimate.confidence_interval())}; chance is {chance_level(*DATA).mean:.2f}. "
        "Next: -k 20 (a budget), --threshold-at recall=0.8 (a threshold), --compare "
        "COLUMN (another model), --report report.html (a page), --table (all AP)."
    )
    hits = f"{held} of {LABEL.sum()} positives are in the first 10 rows (score >= {point.threshold:g})."
    assert f" {hits} Next: --threshold-at recall=0.8 (a threshold), --comp" in said(
        path, *COLUMNS, "-k", "10"
    )


def test_weights_are_said_beside_rows(path):
    weight = FRAME.amount
    found = said(path, *COLUMNS, "--sample-weight", "amount", "-k", "50")
    share = recall_at_k_score(*DATA, k=50, sample_weight=weight)
    rows = round(LABEL.sum() * recall_at_k_score(*DATA, k=50))
    hits = f"{rows} of {LABEL.sum()} positives ({100 * share:.3g} % of the amount"
    assert f"{hits} of all positives) are in the first 50 rows" in found
    of_missed = run(
        path, *COLUMNS, "--sample-weight", "amount", "-k", "50", "--n-positives", "2000"
    )
    found_weight = share * weight[LABEL == 1].sum()
    words = f"({found_weight / 20:.3g} % of the amount of all positives) are in"
    assert words in of_missed.words
    assert (
        f"they are {100 * weight[LABEL == 1].sum() / weight.sum():.3g} % of the amount."
        in found
    )
    assert (
        f"(AP) weighted by amount is {average_precision_score(*DATA, sample_weight=weight):.2f}, 95 %"
        in found
    )


def test_thresholds(path):
    levels = {
        "recall=80%": 0.8,
        "precision=.5": 0.5,
        "k=7": 7,
        "miss-cost=3": 3,
        "alarms=12345678": 12345678,
    }
    for option, level in levels.items():
        name = option.partition("=")[0]
        found = said(path, *COLUMNS, "--threshold-at", option, "--threshold-at=k=9")
        point = operating_point(*DATA, **{name.replace("-", "_"): level})
        assert f" {name}={level}: {point} k=9: " in found


@pytest.mark.parametrize("limit", ["1GB", "1"])
@pytest.mark.parametrize("prevalence", [None, 0.02])
def test_the_table_of_a_threshold_that_was_fixed(path, prevalence, limit):
    """Text and JSON have the numbers of Python, also beyond memory, and for units."""
    options = ["--threshold-at", "threshold=1.25", "--memory-limit", limit]
    options += [] if prevalence is None else ["--prevalence", str(prevalence)]
    units = {"unit_id": FRAME.day} if limit == "1GB" else {}
    options += ["--unit-id", "day"] if units else []
    point = operating_point(*DATA, threshold=1.25, prevalence=prevalence, **units)
    assert f" threshold=1.25: {point} Next: " in said(path, *COLUMNS, *options)
    answer = json_of(path, *COLUMNS, *options)
    table = answer["thresholds"][0]["threshold"]["table"]
    assert {name: tuple(row.values()) for name, row in table.items()} == {
        name: pytest.approx(row) for name, row in point.table().items()
    }


def test_a_threshold_is_short_and_retrieves_the_same_rows(tmp_path):
    score = FRAME.score + RNG.normal(size=N) / 1e6
    score[:9] = score.max() + np.arange(1, 10) / 1e9  # these need more digits
    FRAME.assign(score=score).to_csv(tmp_path / "long.csv", index=False)
    for k in (*range(1, 10), 77, 400):
        found = said(
            tmp_path / "long.csv", *COLUMNS, f"-k{k}", "--threshold-at", f"k={k}"
        )
        threshold = re.search(r"\(score >= (\S+)\)", found)[1]
        assert re.search(
            rf"{k} rows? with (a score|scores) of {threshold} or more ", found
        )
        assert (score >= float(threshold)).sum() == k
        assert len(threshold) <= (7 if k > 9 else 12)


def in_money(totals):
    return str(totals).replace("query over 20 queries", "day")


def test_the_money_that_a_budget_of_each_day_finds(path):
    """A share of all the money, and not the mean of daily shares."""
    found = said(
        path,
        *COLUMNS,
        "-k",
        "3",
        "--per",
        "day",
        "--amount",
        "amount",
        "--compare",
        "score_b",
    )
    days = {"k": 3, "query_id": FRAME.day, "amount": FRAME.amount}
    totals = budget_totals(*DATA, **days)
    shares = [
        str(x).removesuffix(" (influence)")
        for x in (totals.share_of_positives, totals.share_of_amount)
    ]
    of_days = in_money(totals)
    assert f"{of_days} Share: {'; of the amount '.join(shares)}." in found
    second = in_money(budget_totals(FRAME.label, FRAME.score_b, **days))
    assert f": {second} Its share of the amount is higher by " in found
    both = [
        budget_totals(FRAME.label, score, **days)
        for score in (FRAME.score_b, FRAME.score)
    ]
    compared = compare_budgets(*both)
    difference = re.search(r"= (.*) \(two-sided", str(compared))[1]
    assert f"Its share of the amount is higher by {difference}, " in found
    by_day = run(
        path,
        *COLUMNS,
        "-k",
        "3",
        "--per",
        "day",
        "--amount",
        "amount",
        "--by-query",
        "--format",
        "csv",
    )
    table = pd.read_csv(io.StringIO(by_day.out))
    columns = [
        "day",
        "rows",
        "positives",
        "found in first 3",
        "amount of positives",
        "amount found",
    ]
    assert list(table)[:6] == columns
    names = (
        "query",
        "n_samples",
        "n_positives",
        "positives_found",
        "amount_of_positives",
        "amount_found",
    )
    for title, name in zip(columns, names, strict=True):
        np.testing.assert_allclose(
            table[title].astype(float), totals.by_query[name].astype(float)
        )


def test_amounts_rank_no_row_beyond_memory_and_of_weights(tmp_path):
    path = tmp_path / "fraud.csv"
    path.write_text(FRAUD)
    options = ["--per", "day", "-k", "2"]
    beyond = run(path, *options, "--amount", "euros", "--memory-limit", "1").words
    assert (
        " 2 rows per day find 2 of 4 positives, and of the euros 70 of 130." in beyond
    )
    in_memory, beyond = (
        [
            line.split()
            for line in run(path, *options, "--by-query", "--amount", "euros", *limit)
            .out.strip()
            .split("\n")
        ]
        for limit in ([], ["--memory-limit", "1"])
    )
    # Whether rows are tied is not known beyond memory, and so is chance.
    assert [line[:-1] for line in in_memory] == beyond
    assert in_memory[2] == ["2", "3", "2", "1", "40", "0", "0.5833", "0.8056"]
    weighted = run(path, *options, "--by-query", "--sample-weight", "score").out
    assert "  average precision, weighted by score\n" in weighted


def test_days_are_called_by_their_column(path, tmp_path):
    options, report = (
        [*COLUMNS, "--per", "day", "--threshold-at", "k=5"],
        tmp_path / "report.html",
    )
    found = said(path, *options, "--report", report)
    assert found.startswith("400 rows in 20 days, ")
    assert "(MAP) over the days is " in found
    assert " k=5 per day: " in found
    assert not re.search("quer(y|ies)", found)
    page = html.unescape(report.read_text())
    assert "<dt>Rows per day<dd>" in page
    assert '<th scope="col">day' in page
    assert "<h2>Days that score least</h2>" in page
    budget = said(path, *options[:-2], "-k", "5", "--memory-limit", "1")
    assert " 5 rows per day find " in budget


@pytest.mark.parametrize(
    ("totals", "limit"), [(False, "1GB"), (False, "1"), (True, "1GB")]
)
@pytest.mark.parametrize(
    ("options", "counted", "words"),
    [
        (
            ["--per"],
            np.nan,
            "Without positives, and left out: 2 of 20 days, 0, 1. Counted as 0, MAP over "
            "all 20 days is {}.",
        ),
        (
            ["--query-id"],
            0,
            "Without positives, and counted as 0: 2 of 20 queries, 0, 1. Left out, MAP "
            "over the 18 other queries is {}.",
        ),
        (
            ["--zero-division", "1", "--per"],
            1,
            "and counted as 1: 2 of 20 days, 0, 1. Left out, MAP over the 18 other days "
            "is {}.",
        ),
    ],
)
def test_days_without_positives(tmp_path, options, counted, words, totals, limit):
    """The answer says how many there are, which, and what they count as; missed
    positives are positives.
    """
    frame = FRAME.assign(label=((FRAME.label == 1) & (FRAME.day > 1)).astype(int))
    frame.to_csv(tmp_path / "a.csv", index=False)
    doubled = 2 * frame.groupby("day").label.sum()
    doubled.to_csv(tmp_path / "totals.csv")
    by_day = doubled.to_dict() if totals else None
    expected, other = (
        average_precision_score(
            frame.label,
            frame.score,
            query_id=frame.day,
            zero_division=zero_division,
            n_positives=by_day,
        )
        for zero_division in (counted, 0 if np.isnan(counted) else np.nan)
    )
    words = words.format(short_share(other))
    arguments = [tmp_path / "a.csv", *COLUMNS, *options, "day", "--memory-limit", limit]
    arguments += ["--n-positives", tmp_path / "totals.csv"] * totals
    finished = run(*arguments)
    assert (finished.err, words in finished.words) == ("", True)
    answer = json_of(*arguments)
    assert answer["score"]["value"] == pytest.approx(expected, abs=1e-15)
    by_day = {"average precision": [], "chance": []}
    for row in json_of(*arguments, "--by-query")["rows"]:
        by_day.setdefault(row["score"], []).append(row["value"])
    shown = None if np.isnan(counted) else counted
    assert by_day["average precision"][0] == shown
    if totals or limit == "1":
        assert by_day["chance"] == []
        return
    # The chance of days is that of the days that count.
    rest = frame[frame.day > 1]
    levels = chance_level(rest.label, rest.score, query_id=rest.day).mean
    assert by_day["chance"] == [shown, shown, *levels]
    mean = np.nanmean([counted, counted, *levels])
    assert answer["chance"] == pytest.approx(mean)


@pytest.mark.parametrize("limit", ["1GB", "1"])
def test_a_negative_zero_is_printed_as_zero(limit, tmp_path):
    (tmp_path / "a.csv").write_text("label,score\n" + "1,-0\n0,-1\n" * 12)
    options = [
        *COLUMNS,
        "-k",
        "12",
        "--threshold-at",
        "recall=1",
        "--memory-limit",
        limit,
    ]
    out = run(tmp_path / "a.csv", *options).out
    assert "(score >= 0.0)" in out
    assert "scores of 0.0 or more" in out


def test_another_prevalence(path):
    found = said(path, *COLUMNS, "--prevalence", "2%")
    estimate = estimate_score(average_precision_score, *DATA, prevalence=0.02)
    assert (
        f"(AP) at a prevalence of 0.02 is {estimate.score:.2f}, 95 % interval" in found
    )
    # the title has it
    assert " is 0.020" not in found.replace("a prevalence of 0.02 is", "")


def test_causes_and_names_of_numbers_are_those_of_the_functions(path):
    why = run(path, *COLUMNS, "--why").out
    assert str(compare_conventions(*DATA, k=10)) in why
    named = run(path, *COLUMNS, "--identify", "0.5").out.split()
    expected = str(identify("0.5", *DATA, k=10)).split()
    assert named[-len(expected) :] == expected


def test_a_table_says_that_days_without_positives_count(tmp_path):
    (tmp_path / "a.csv").write_text("label,score,day\n0,1,a\n1,2,b\n0,3,b\n")
    words = run(tmp_path / "a.csv", "--table", "--per", "day").words
    assert (
        "left out: 1 of 2 days, a. Counted as 0, MAP over all 2 days is 0.25. In the "
        "table, each convention has its own" in words
    )


@pytest.mark.parametrize("options", [[], ["-k", "1"], ["--per", "day"]])
def test_rows_without_positives_have_no_score(options, tmp_path):
    (tmp_path / "a.csv").write_text("label,score,day\n0,1,a\n0,2,a\n0,3,b\n")
    finished = run(tmp_path / "a.csv", *COLUMNS, *options)
    assert finished.code == 0
    words = "no row is positive; average precision is undefined."
    assert words in finished.words
    assert "\n\n\n" not in finished.out
    table = run(tmp_path / "a.csv", *COLUMNS, "--table", *options)
    assert "warning: " in finished.err == table.err


@pytest.fixture
def clean_day(tmp_path):
    """A file whose labels are text, without a positive one, and one with some."""
    (tmp_path / "day.csv").write_text("label,score,day\nok,1,a\nok,2,a\nok,3,b\n")
    rows = "".join(f"{label},{i},a\n" for i, label in enumerate(["ok", "Fraud"] * 20))
    (tmp_path / "before.csv").write_text("label,score,day\n" + rows)
    return tmp_path / "day.csv"


ASKED = ["--pos-label", "Fraud"]
NO_FRAUD = "no label is 'Fraud'; labels: 'ok'"
LIMITS = pytest.mark.parametrize(
    "limit", [[], ["--memory-limit", "1"]], ids=["in", "beyond"]
)


@LIMITS
@pytest.mark.parametrize(
    "options", [["-k", "1"], ["--per", "day"], ["--per", "day", "--by-query"]]
)
def test_text_labels_without_the_positive_one_are_a_day_without_positives(
    options, limit, clean_day
):
    finished = run(clean_day, *ASKED, *options, *limit)
    assert finished.code == 0
    assert NO_FRAUD in finished.err
    if "--by-query" not in options:
        assert f"{NO_FRAUD}; average precision is undefined." in finished.words
        counts = json_of(clean_day, *ASKED, *options, *limit)["counts"]
        assert [counts["pos_label"], counts["negative_label"]] == ["Fraud", "ok"]


@pytest.mark.parametrize(
    ("label", "pos_label"), [("2", "3"), ("2.5", "3"), ("False", "True")]
)
def test_labels_without_the_positive_one_may_be_numbers(label, pos_label, tmp_path):
    (tmp_path / "a.csv").write_text(f"label,score\n{label},1\n{label},2\n")
    finished = run(tmp_path / "a.csv", "--pos-label", pos_label)
    assert (finished.code, "undefined" in finished.out) == (0, True)


def test_a_file_without_positives_has_no_difference(clean_day):
    before = clean_day.with_name("before.csv")
    finished = run(clean_day, *ASKED, "--against", before)
    assert (finished.code, f"no difference; {NO_FRAUD}." in finished.words) == (0, True)
    assert json_of(clean_day, *ASKED, "--against", before)["against"] is None
    other = run(before, *ASKED, "--against", clean_day, "--fail-below", "0.1")
    assert (other.code, f"day.csv, {NO_FRAUD}." in other.words) == (0, True)
    refused = run(before, *ASKED, "--against", clean_day, "--fail-if-lower", "0.1")
    assert (refused.code, NO_FRAUD in refused.err) == (2, True)


@pytest.mark.parametrize(
    "options",
    [
        ["--fail-below", "0.1"],
        ["--compare", "score", "--fail-if-lower", "0.1"],
        ["--per", "day", "--unit-id", "score", "--fail-each", "--fail-below", "0.1"],
    ],
)
def test_a_check_without_positives_is_refused_with_the_reason(options, clean_day):
    finished = run(clean_day, *ASKED, *options)
    assert (finished.code, finished.out) == (2, "")
    assert f"requires a score: {NO_FRAUD}" in finished.err


@LIMITS
def test_queries_without_positives_have_their_rows(limit, tmp_path):
    (tmp_path / "a.csv").write_text("label,score,day\n0,1,a\n0,2,a\n0,3,b\n")
    finished = run(tmp_path / "a.csv", "--by-query", "--query-id", "day", *limit)
    assert (finished.code, finished.err) == (0, "")
    lines = [line.split()[:4] for line in finished.out.splitlines()[1:]]
    assert lines == [["a", "2", "0", "0"], ["b", "1", "0", "0"]]


def test_the_example_tunes_by_ap_at_20_and_prints_the_numbers_of_scikit_learn():
    finished = run("--example")
    images, digits = load_digits(return_X_y=True)
    data = train_test_split(
        images, digits == 8, test_size=0.5, random_state=0, stratify=digits
    )
    model = GaussianNB(
        var_smoothing=float(
            re.search(r"var_smoothing=(\S+) to find", finished.words)[1]
        )
    ).fit(*data[::2])
    default = GaussianNB().fit(*data[::2])
    for each in (model, default):
        score = sklearn_average_precision_score(
            data[3], each.predict_proba(data[1])[:, 1]
        )
        assert f" {score:.2f}" in finished.out
    tuned = model.predict_proba(data[1])[:, 1]
    assert str(
        compare_conventions(data[3], tuned, k=20, conventions="AP@k over min(k, R)")
    ).splitlines()[1] in (finished.out)
    assert (finished.code, finished.err) == (0, "")
    assert max(map(len, finished.out.splitlines())) <= 80


def test_labels_may_be_names_of_folders(path, tmp_path):
    for label, rows in FRAME.groupby("label"):
        (tmp_path / f"label={label}").mkdir()
        rows.drop(columns="label").to_csv(
            tmp_path / f"label={label}" / "a.csv", index=False
        )
    found = said(tmp_path, *COLUMNS, "-k", "10")
    assert found == said(path, *COLUMNS, "-k", "10")


def test_no_warning_about_numbers_that_are_not_printed(tmp_path):
    """300 queries of 10 rows: ten rows of each are all rows, whose share is 1 and has
    no interval.
    """
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"query": np.repeat(np.arange(300), 10), "label": np.tile([1, 1, 0, 0, 0], 600)}
    )
    frame["score"] = rng.normal(size=3000) + frame.label
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert "95 % interval" in said(tmp_path / "a.csv", "--query-id", "query")
    assert (
        "The confidence interval is NaN"
        in run(tmp_path / "a.csv", "--query-id", "query", "-k", "10").err
    )


@pytest.mark.parametrize(
    ("value", "low", "high", "texts"),
    [
        (0.4, 3.5e-7, 1.0, ["0.40", "0.00", "1.00"]),
        (0.7, 0.42, 0.986, ["0.70", "0.42", "0.99"]),
        (0.193, 0.188, 0.201, ["0.193", "0.188", "0.201"]),
        (0.066, -0.14, 0.25, ["0.07", "-0.14", "0.25"]),
        (0.001, -0.001, 0.15, ["0.00", "0.00", "0.15"]),
        (1234.5, 1100.0, 1400.0, ["1234", "1100", "1400"]),
        (0.5, np.nan, np.nan, ["0.5", "nan", "nan"]),
        (-0.0094, -0.04, np.inf, ["-0.01", "-0.04", "inf"]),
        (0.5, 0.5, 0.5, ["0.5", "0.5", "0.5"]),
        (5e-8, 1e-9, 4e-7, ["5e-08", "1e-09", "4e-07"]),
    ],
)
def test_digits_follow_the_width_of_the_interval(value, low, high, texts):
    assert with_decimals(decimals_of(value, low, high), value, low, high) == texts
    # The sign of a difference is shown.
    decimals = decimals_of(-0.02104, -0.04161, -0.00047, is_difference=True)
    assert with_decimals(decimals, -0.04161, -0.00047) == ["-0.0416", "-0.0005"]
    # numpy rounds it to .88, and the table of a notebook said so next to a sentence
    assert with_decimals(2, np.float64(0.885), 0.885) == ["0.89", "0.89"]


# Six payments of two days; the second one is worth nothing, and is reviewed, too.
FRAUD = (
    "label,score,day,euros\n1,.9,1,70\n0,.8,1,0\n1,.7,1,20\n"
    "0,.6,2,10\n1,.5,2,0\n1,.4,2,40\n"
)
# Files whose first answer was wrong once: what the command says of them now, with its
# options.
SAID = {
    "a threshold above all scores": (
        "label,score\n1,0.45\n0,0.3\n1,0.2\n0,0.1\n",
        ["--threshold-at", "threshold=0.5"],
        "0 rows with scores of 0.5 or more have precision undefined; recall 0.00",
    ),
    "rows of amount 0": (
        "label,score,amount,day\n1,9,0,1\n1,7,50,1\n0,6,20,1\n1,5,10,1\n0,4,0,2\n1,3,30,2\n",
        ["--amount", "amount", "-k", "2", "--per", "day"],
        "6 rows in 2 days, 4 positive (66.7 %); they are 81.8 % of the amount.",
    ),
    "an amount that was a weight": (
        FRAUD,
        ["--amount", "euros", "-k", "2", "--per", "day"],
        " 2 rows per day find 2 of 4 positives, and of the euros 70 of 130.",
    ),
    "a threshold of each day that was of money": (
        FRAUD,
        ["--amount", "euros", "--threshold-at", "k=2", "--per", "day"],
        "2 rows with scores of 0.8 or more have precision 0.5 and recall 0.25, and of the euros 70 of 130.",
    ),
    "a cut whose rows were weights": (
        FRAUD,
        ["--amount", "euros", "-k", "3"],
        "2 of 4 positives are in the first 3 rows, and of the euros 90 of 130 (score >= 0.7).",
    ),
    "costs of amounts": (
        FRAUD,
        ["--amount", "euros", "--threshold-at", "miss-cost=0.01"],
        "miss-cost=0.01: 1 row with a score of 0.9 or more has cost in false alarms 0.6; precision 1; "
        "recall 0.25, and of the euros 70 of 130.",
    ),
    "equal scores that find other money": (
        "label,score,b,day,w\n"
        + "".join(f"1,2,1,{day},9\n0,1,2,{day},9\n" for day in "xz")
        + "".join(f"1,1,2,{day},1\n0,2,1,{day},1\n" for day in "yu"),
        ["--per", "day", "--compare", "b", "-k", "1", "--amount", "w"],
        "b has MAP 0.75: 1 row per day finds 2 of 4 positives, and of the w 2 of 20. Its share of the w is "
        "lower by 0.80, 95 % interval -0.70 to 1.00, p = 0.12, not significant. Its MAP is the same.",
    ),
    "a difference that is the same everywhere": (
        "label,score,b,day\n"
        + "".join(f"1,3,2,{day}\n0,2,3,{day}\n0,1,1,{day}\n" for day in range(8)),
        ["--per", "day", "--compare", "b"],
        "Its MAP is lower by 0.5; the uncertainty is undefined for these rows.",
    ),
    "weights that add up to the positives": (
        "label,score,w,day\n1,3,2,a\n0,2,1,a\n1,1,0.5,b\n0,0,1,b\n1,0,0.5,b\n",
        ["--amount", "w", "-k", "1", "--per", "day"],
        "1 row per day finds 2 of 3 positives, and of the w 2.5 of 3.",
    ),
    "no positive among the rows, but missed ones": (
        "label,score\n0,0.9\n0,0.8\n0,0.1\n",
        ["--n-positives", "5", "-k", "2"],
        "0 positive (0 %) of 5 in all. Average precision (AP) is 0.00. 0 of 5 positives are in the first 2",
    ),
    "ties at the cut of a day": (
        "label,score,day\n1,3,a\n0,3,a\n1,3,b\n0,1,b\n",
        ["--per", "day", "-k", "1"],
        "finds 1.5 of 2 positives, on average over the orders of tied rows. Share: 0.75",
    ),
    "totals that are no counts": (
        "label,score\n1,3\n0,2\n1,2\n0,2\n1,1\n",
        ["--n-positives", "3.5", "-k", "2"],
        "1.333 of 3.5 positives are in the first 2 rows, on average over the orders of "
        "tied rows; 1 row with a score of 3.0 or more has precision 1 and recall 0.2857.",
    ),
    "queries that are drawn with their units": (
        "label,score,q,u\n"
        + "".join(f"{i % 2},{i % 7},{i // 6},{i // 12}\n" for i in range(60)),
        ["--query-id", "q", "--unit-id", "u"],
        " (5 units drawn); chance is 0.",
    ),
    "days that are drawn, but for those that are left out": (
        "label,score,day\n"
        + "".join(f"{i % 2},{i % 7},{i // 6}\n" for i in range(60))
        + "0,1,99\n",
        ["--per", "day"],
        " (10 days drawn); chance is 0.",
    ),
    "ties of another model": (
        "label,score,b\n1,3,1\n0,2,1\n1,1,1\n",
        ["--compare", "b", "-k", "2"],
        "b has AP 0.67: 1.333 of 2 positives are in the first 2 rows, on average over the",
    ),
    "thousands of rows, and a share of them": (
        "label,score,day\n" + "".join(f"{i % 2},{i},{i % 3}\n" for i in range(9000)),
        ["--per", "day", "-k", "50%"],
        "50 % of the rows per day find 2,250 of 4,500 positives",
    ),
    "a mean over times that few rows share": (
        "label,score,time\n1,2,09:00\n0,1,09:00\n1,3,09:01\n1,2,09:02\n0,2,09:03\n",
        ["--per", "time"],
        "Most of the 4 times have a single row, so a mean over them says little",
    ),
    "a label that nobody could guess": (
        "label,score\n2,1\n1,2\n1,3\n2,2\n",
        [],
        "4 rows, 2 positive (50 %). The positive label is 1. Average",
    ),
    "labels that are words": (
        "label,score,b\nNo,1,2\nYes,2,2\nYes,3,3\nNo,2,1\n",
        ["--compare", "b"],
        "4 rows, 2 positive (50 %). The positive label is 'Yes'. Average",
    ),
    "a label that the caller turned": (
        "label,score\n0,1\n1,2\n1,3\n0,2\n",
        ["--pos-label", "0"],
        "4 rows, 2 positive (50 %). The positive label is 0. Average",
    ),
    "booleans": (
        "label,score\nTRUE,1\nFalse,2\n",
        [],
        "2 rows, 1 positive (50 %). Average",
    ),
    "signs": (
        "label,score\n-1,1\n1,2\n",
        [],
        "2 rows, 1 positive (50 %). Average",
    ),
    "a column of days": (
        "label,score,days\n1,2,1\n0,1,1\n1,1,2\n0,2,2\n",
        ["--per", "days"],
        "4 rows in 2 days,",
    ),
}


@pytest.mark.parametrize(("text", "options", "words"), SAID.values(), ids=SAID)
def test_what_was_said_wrongly_once(text, options, words, tmp_path):
    (tmp_path / "a.csv").write_text(text)
    finished = run(tmp_path / "a.csv", *options, "--report", tmp_path / "a.html")
    assert finished.code == 0, finished.err
    assert words in finished.words
    if "uncertainty" in words:
        assert (
            "The uncertainty of the difference is undefined for these rows."
            in (tmp_path / "a.html").read_text()
        )


def test_hard_labels_of_the_second_model_are_named_as_the_file_has_them(tmp_path):
    hard = FRAME.assign(hard=(FRAME.score > 1).astype(int))
    hard.to_csv(tmp_path / "a.csv", index=False)
    finished = run(tmp_path / "a.csv", "--compare", "hard")
    assert "Scores are nothing but the labels 0 and 1: " in finished.err


def test_large_integers_are_thresholds_without_rounding(tmp_path):
    (tmp_path / "a.csv").write_text(
        "label,score\n" + "".join(f"{i % 2},{2**60 + i}\n" for i in range(6))
    )
    answer = json_of(tmp_path / "a.csv", "--threshold-at", "k=2")
    assert answer["thresholds"][0]["threshold"]["threshold"] == 2**60 + 4


def test_a_share_below_a_millionth_keeps_its_digits(tmp_path):
    weight = [1e-3, 4e6, 1e6]
    rows = pd.DataFrame({"label": [1, 0, 0], "score": [1, 2, 3], "weight": weight})
    rows.to_csv(tmp_path / "a.csv", index=False)
    out = run(tmp_path / "a.csv", "--sample-weight", "weight").words
    assert "(AP) weighted by weight is 2e-10; the prevalence is 2e-10." in out


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ([], ["-k", "--threshold-at", "--compare", "--report", "--table"]),
        (["-k", "5", "--threshold-at", "k=5"], ["--compare", "--report"]),
        (
            ["--per", "day"],
            ["-k", "--compare", "--by-query", "--report", "--table"],
        ),
        (["--per", "day", "--compare", "b", "-k", "5"], ["--by-query", "--report"]),
        (
            ["--per", "day", "--memory-limit", "1"],
            ["-k", "--by-query"],
        ),
        (
            ["--prevalence", "0.01", "--compare", "b"],
            ["-k", "--threshold-at", "--report"],
        ),
        (
            ["--sample-weight", "amount"],
            ["-k", "--threshold-at", "--compare", "--report", "--table"],
        ),
    ],
    ids=" ".join,
)
def test_next_names_options_that_were_not_given(tmp_path, options, names):
    """Each can be added to the same line."""
    FRAME.assign(b=-FRAME.score).to_csv(tmp_path / "a.csv", index=False)
    words = run(tmp_path / "a.csv", *COLUMNS, *options).words
    added = words.partition("Next: ")[2].removesuffix(".")
    added = [text.partition(" (")[0] for text in added.split("), ")]
    assert [text.split()[0] for text in added] == names
    for text in added:
        option, *value = text.replace("COLUMN", "b").split()
        if value == ["report.html"]:
            value = [tmp_path / "report.html"]
        finished = run(tmp_path / "a.csv", *COLUMNS, *options, option, *value)
        assert finished.code == 0, finished.err
        assert f" {option} " not in finished.words.partition("Next: ")[2]


def test_queries_of_two_models_stand_side_by_side(tmp_path):
    """Those where the second model is furthest behind come first, and those without a
    score last.
    """
    frame = FRAME.assign(b=-FRAME.score, label=FRAME.label * (FRAME.day > 1))
    frame.to_csv(tmp_path / "a.csv", index=False)
    options = [tmp_path / "a.csv", *COLUMNS, "--per", "day", "--by-query"]
    by_model = [
        score_by_query(
            "average_precision",
            frame.label,
            scores,
            query_id=frame.day,
            zero_division=np.nan,
        )
        for scores in (frame.score, frame.b)
    ]
    first, *lines, _, last = run(*options, "--compare", "b").out.splitlines()
    titles = [f"average precision {name}" for name in ("score", "b", "difference")]
    assert first.split("  ") == ["day", "positives", *titles]
    assert last.split()[2:] == ["-", "-", "-"]
    differences = []
    for line in lines:
        day, _, *numbers = line.split()
        one, other = (scores[int(day)] for scores in by_model)
        assert numbers == [f"{x:.4f}" for x in (one, other, other - one)]
        differences.append(other - one)
    assert differences == sorted(differences)
    assert len(differences) == 18
    rows = json_of(*options, "--compare", "b")["rows"]
    assert {row["run"] for row in rows} == {"score", "b"}
    table = pd.read_csv(
        io.StringIO(run(*options, "--compare", "b", "--format", "csv").out)
    )
    assert [title for title in table if "rows" in title] == ["rows"]
    assert "precision@10 difference" in table

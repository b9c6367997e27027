"""The first answer of the command: each of its numbers is the library's own, of the
same rows.
"""

import html
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics import average_precision_score as sklearn_average_precision_score
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from shell import LABEL, ROWS, json_of, rows_of, run, said
from sklearn_ap import (
    average_precision_score,
    budget_totals,
    chance_level,
    compare_budgets,
    estimate_score,
    operating_point,
    precision_at_k_score,
    recall_at_k_score,
)
from sklearn_ap._report.sentences import short_share
from sklearn_ap._shown.numbers import decimals_of, with_decimals
from sklearn_ap.compatibility import compare_conventions, identify
from sklearn_ap.compatibility._comparison import COLUMNS

DATA = LABEL, ROWS.score


def answer_of(*arguments):
    """The sentences after the name of the rows, which fit a terminal."""
    finished = run(*arguments)
    assert (finished.code, finished.err) == (0, "")
    lines = finished.out.splitlines()
    assert len(lines) <= 14
    # A path may be longer.
    assert all(len(line) <= 80 for line in lines if " " in line)
    return finished.words.partition(": ")[2]


def test_a_ranking(path):
    estimate = estimate_score(average_precision_score, *DATA)
    low, high = estimate.confidence_interval()
    assert answer_of(path) == (
        f"600 rows, {LABEL.sum()} positive ({100 * LABEL.mean():.3g} %). Average "
        f"precision (AP) is {estimate.score:.2f}, 95 % interval {low:.2f} to "
        f"{high:.2f}; chance is {chance_level(*DATA):.2f}. "
        "Next: -k (a budget), --threshold-at, --compare, --table, --report (a page)."
    )
    held = round(10 * precision_at_k_score(*DATA, k=10))
    threshold = operating_point(*DATA, k=10).threshold
    assert (
        f" {held} of {LABEL.sum()} positives are in the first 10 rows (score >= "
        f"{threshold:g}). Next: -k (a budget), "
    ) in answer_of(path, "-k", "10")


def test_weights_are_said_beside_rows(path):
    weight = ROWS.amount
    of_positives = weight[LABEL == 1].sum()
    options = ["--sample-weight", "amount", "-k", "50"]
    share = recall_at_k_score(*DATA, k=50, sample_weight=weight)
    rows = round(LABEL.sum() * recall_at_k_score(*DATA, k=50))
    score = average_precision_score(*DATA, sample_weight=weight)
    found = answer_of(path, *options)
    for words in (
        f"{rows} of {LABEL.sum()} positives ({100 * share:.3g} % of the amount of all "
        "positives) are in the first 50 rows",
        f"they are {100 * of_positives / weight.sum():.3g} % of the amount.",
        f"(AP) weighted by amount is {score:.2f}, 95 %",
    ):
        assert words in found
    assert "; the prevalence is 0." in found
    of_missed = run(path, *options, "--n-positives", "2000").words
    assert "prevalence" not in of_missed
    words = f"({share * of_positives / 20:.3g} % of the amount of all positives) are in"
    assert words in of_missed


def test_levels_of_thresholds_may_be_written_in_several_ways(path):
    levels = {"recall=80%": 0.8, "precision=.5": 0.5, "alarms=12345678": 12345678}
    for option, level in levels.items():
        name = option.partition("=")[0]
        found = answer_of(path, "--threshold-at", option, "--threshold-at=k=9")
        point = operating_point(*DATA, **{name: level})
        assert f" {name}={level}: {point} k=9: " in found


@pytest.mark.parametrize(
    ("options", "given"),
    [
        (["--unit-id", "day"], {"unit_id": ROWS.day}),
        (["--prevalence", "0.02"], {"prevalence": 0.02}),
    ],
)
def test_the_table_of_a_threshold_that_was_fixed(path, options, given):
    """Text and JSON have the numbers of Python, also for units."""
    line = path, "--threshold-at", "threshold=1.25", *options
    point = operating_point(*DATA, threshold=1.25, **given)
    words = " ".join(str(point).split())
    assert f" threshold=1.25: {words} Next: " in answer_of(*line)
    table = json_of(*line)["thresholds"][0]["threshold"]["table"]
    found = {name: tuple(row.values()) for name, row in table.items()}
    expected = point.table()
    assert found == {name: pytest.approx(expected[name]) for name in expected}


def test_the_money_that_a_budget_of_each_day_finds(path):
    """A share of all the money, and not the mean of daily shares."""
    line = path, "-k", "3", "--per", "day", "--amount", "amount"
    found = answer_of(*line, "--compare", "old")
    days = {"k": 3, "query_id": ROWS.day, "amount": ROWS.amount}
    totals, old = (
        budget_totals(LABEL, scores, **days) for scores in (ROWS.score, ROWS.old)
    )
    first, second = (
        str(each).replace("query over 20 queries", "day") for each in (totals, old)
    )
    shares = [
        str(share) for share in (totals.share_of_positives, totals.share_of_amount)
    ]
    difference = re.search(r"= (.*) \(two-sided", str(compare_budgets(old, totals)))[1]
    assert f"{first} Share: {'; of the amount '.join(shares)}." in found
    assert f": {second} Its share of the amount is higher by {difference}, " in found


def test_amounts_rank_no_row_and_of_weights(saved):
    line = saved(FRAUD), "--per", "day", "-k", "2"
    words = " 2 rows per day find 2 of 4 positives; euros found: 70 of 130."
    assert words in run(*line, "--amount", "euros").words


def test_days_are_called_by_their_column(path, tmp_path):
    report = tmp_path / "report.html"
    options = ["--per", "day", "--report", report]
    found = answer_of(path, *options)
    assert found.startswith("600 rows in 20 days, ")
    assert "(MAP) over the days is " in found
    assert not re.search("quer(y|ies)", found)
    page = html.unescape(report.read_text())
    assert "<dt>Rows per day<dd>" in page
    assert " 5 rows per day find " in answer_of(path, "--per", "day", "-k", "5")


@pytest.mark.parametrize("has_totals", [False, True])
@pytest.mark.parametrize(
    ("options", "counted", "words"),
    [
        (
            ["--per", "day"],
            np.nan,
            "2 of 20 days have no positive and are left out: 0, 1. Counted as 0, MAP over "
            "all 20 days is {}.",
        ),
        (
            ["--query-id", "day"],
            0,
            "2 of 20 queries have no positive and are counted as 0: 0, 1. Left out, MAP "
            "over the 18 other queries is {}.",
        ),
    ],
)
def test_days_without_positives(saved, options, counted, words, has_totals):
    """The answer says how many there are, which, and what they count as; missed
    positives are positives.
    """
    frame = ROWS.assign(label=LABEL * (ROWS.day > 1))
    line = [saved(frame), *options]
    given = {"query_id": frame.day}
    if has_totals:
        totals = 2 * frame.groupby("day").label.sum()
        line += ["--n-positives", saved(totals.reset_index(), "totals.csv")]
        given["n_positives"] = totals.to_dict()
    expected, other = (
        average_precision_score(frame.label, frame.score, **given, zero_division=value)
        for value in (counted, 0 if np.isnan(counted) else np.nan)
    )
    assert words.format(short_share(other)) in said(*line)
    answer = json_of(*line)
    assert answer["score"]["value"] == pytest.approx(expected, abs=1e-15)
    # The chance of days is that of the days that count.
    rest = frame[frame.day > 1]
    levels = chance_level(rest.label, rest.score, query_id=rest.day)
    mean = None if has_totals else np.nanmean([counted, counted, *levels])
    assert answer["chance"] == pytest.approx(mean)


def test_a_negative_zero_is_printed_as_zero(saved):
    path = saved("label,score\n" + "1,-0\n0,-1\n" * 12)
    words = said(path, "-k", "12", "--threshold-at", "recall=1")
    assert "(score >= 0.0)" in words
    assert "scores of 0.0 or more" in words


def test_another_prevalence(path):
    found = answer_of(path, "--prevalence", "2%")
    score = average_precision_score(*DATA, prevalence=0.02)
    assert f"(AP) at a prevalence of 2 % is {score:.2f}, 95 % interval" in found
    assert "; chance is 0.020. " in found


def test_causes_and_names_of_numbers_are_those_of_the_functions(path):
    shown = rows_of(path)
    for row, expected in zip(shown, compare_conventions(*DATA).rows, strict=True):
        columns = {name: getattr(expected, name) for name in COLUMNS}
        assert row == {"score": expected.name, **columns}
    named = said(path, "--identify", "0.5").split()
    expected = str(identify("0.5", *DATA, k=10)).split()
    assert named[-len(expected) :] == expected


def test_a_table_says_that_days_without_positives_count(saved):
    path = saved("label,score,day\n0,1,a\n1,2,b\n0,3,b\n")
    assert (
        "1 of 2 days has no positive and is left out: a. Counted as 0, MAP over all 2 days is 0.25. In the "
        "table, each convention has its own"
    ) in run(path, "--table", "--per", "day").words


# --- rows without positives -----------------------------------------------------------

NO_FRAUD = "no label is 'Fraud'; labels: 'ok'"


@pytest.fixture
def clean_day(saved):
    """A file whose labels are text, without a positive one, beside one with some."""
    rows = "".join(f"{label},{i},a\n" for i, label in enumerate(["ok", "Fraud"] * 20))
    saved("label,score,day\n" + rows, "before.csv")
    return saved("label,score,day\nok,1,a\nok,2,a\nok,3,b\n", "day.csv")


@pytest.mark.parametrize("options", [["-k", "1"], ["--per", "day"]])
def test_rows_without_positives_have_no_score(options, clean_day, saved):
    """Labels of numbers are 0 alone; those of text lack the one that is asked for."""
    zeros = saved("label,score,day\n0,1,a\n0,2,a\n0,3,b\n")
    for line, why in (
        ([zeros], "no row is positive"),
        ([clean_day, "--pos-label", "Fraud"], NO_FRAUD),
    ):
        finished = run(*line, *options)
        assert finished.code == 0
        assert f"{why}; average precision is undefined." in finished.words
        assert why in finished.err
        assert "\n\n\n" not in finished.out
        table = run(*line, "--table", *options)
        assert "warning: " in finished.err
        assert table.err == finished.err
    counts = json_of(clean_day, "--pos-label", "Fraud", *options)["counts"]
    assert [counts["pos_label"], counts["negative_label"]] == ["Fraud", "ok"]


@pytest.mark.parametrize(
    ("label", "pos_label"), [("2", "3"), ("2.5", "3"), ("False", "True")]
)
def test_labels_without_the_positive_one_may_be_numbers(label, pos_label, saved):
    path = saved(f"label,score\n{label},1\n{label},2\n")
    finished = run(path, "--pos-label", pos_label)
    assert (finished.code, "undefined" in finished.out) == (0, True)


def test_a_file_without_positives_has_no_difference(clean_day):
    before = clean_day.with_name("before.csv")
    options = ["--pos-label", "Fraud", "--against"]
    finished = run(clean_day, *options, before)
    assert (finished.code, f"no difference; {NO_FRAUD}." in finished.words) == (0, True)
    assert json_of(clean_day, *options, before)["against"] is None
    other = run(before, *options, clean_day, "--fail-below", "0.1")
    assert (other.code, f"day.csv, {NO_FRAUD}." in other.words) == (0, True)
    refused = run(before, *options, clean_day, "--fail-if-lower", "0.1")
    assert (refused.code, NO_FRAUD in refused.err) == (4, True)


@pytest.mark.parametrize(
    "options",
    [
        ["--fail-below", "0.1"],
        ["--compare", "score", "--fail-if-lower", "0.1"],
        ["--per", "day", "--unit-id", "score", "--fail-each", "--fail-below", "0.1"],
    ],
)
def test_a_check_without_positives_is_refused_with_the_reason(options, clean_day):
    finished = run(clean_day, "--pos-label", "Fraud", *options)
    assert (finished.code, finished.out) == (4, "")
    assert f"no score: {NO_FRAUD}; join days" in finished.err


def test_a_budget_beyond_the_rows_says_so(saved):
    path = saved("label,score,day\n1,4,a\n0,3,a\n1,2,b\n0,1,b\n0,0,b\n")
    words = run(path, "-k", "7").words
    assert (
        "2 of 2 positives are in the first 5 rows, which are all, fewer than 7" in words
    )
    words = run(path, "-k", "3", "--per", "day").words
    assert "(some days have fewer than 3 rows: 5 in place of 6). Share" in words
    assert "fewer" not in run(path, "-k", "2", "--per", "day").words


def test_units_have_the_name_of_their_column(saved):
    rows = "".join(f"{i % 3 == 0:d},{i % 7},p{i // 2}\n" for i in range(60))
    path = saved("label,score,patient\n" + rows)
    assert "(30 patients drawn); chance" in run(path, "--unit-id", "patient").words


def test_the_example_tunes_by_ap_at_20_and_prints_the_numbers_of_scikit_learn():
    finished = run("--example")
    assert (finished.code, finished.err) == (0, "")
    assert max(map(len, finished.out.splitlines())) <= 80
    images, digits = load_digits(return_X_y=True)
    train, test, y_train, y_test = train_test_split(
        images, digits == 8, test_size=0.5, random_state=0, stratify=digits
    )
    smoothing = re.search(r"var_smoothing=(\S+) to find", finished.words)[1]
    tuned, default = (
        model.fit(train, y_train).predict_proba(test)[:, 1]
        for model in (GaussianNB(var_smoothing=float(smoothing)), GaussianNB())
    )
    for scores in (tuned, default):
        score = sklearn_average_precision_score(y_test, scores)
        assert f" {score:.2f}" in finished.out
    one = compare_conventions(y_test, tuned, k=20, conventions="AP@k over min(k, R)")
    assert str(one).splitlines()[1] in finished.out


def test_labels_may_be_names_of_folders(path, tmp_path):
    for label, rows in ROWS.groupby("label"):
        (tmp_path / f"label={label}").mkdir()
        part = tmp_path / f"label={label}" / "a.csv"
        rows.drop(columns="label").to_csv(part, index=False)
    assert answer_of(tmp_path, "-k", "10") == answer_of(path, "-k", "10")


def test_no_warning_about_numbers_that_are_not_printed(saved):
    """300 queries of 10 rows: ten rows of each are all rows, whose share is 1 and has
    no interval.
    """
    label = np.tile([1, 1, 0, 0, 0], 600)
    score = np.random.default_rng(0).normal(size=3000) + label
    frame = pd.DataFrame({"q": np.arange(3000) // 10, "label": label, "score": score})
    line = saved(frame), "--query-id", "q"
    assert "95 % interval" in said(*line)
    assert " Share: 1.00. " in said(*line, "-k", "10")


@pytest.mark.parametrize(
    ("value", "low", "high", "texts"),
    [
        (0.4, 3.5e-7, 1.0, ["0.40", "0.00", "1.00"]),
        (0.7, 0.42, 0.986, ["0.70", "0.42", "0.99"]),
        (0.066, -0.14, 0.25, ["0.07", "-0.14", "0.25"]),
        (0.001, -0.001, 0.15, ["0.00", "0.00", "0.15"]),
        (1234.5, 1100.0, 1400.0, ["1234", "1100", "1400"]),
        (0.5, np.nan, np.nan, ["0.5", "nan", "nan"]),
        (-0.0094, -0.04, np.inf, ["-0.01", "-0.04", "inf"]),
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
        "0 rows with scores of 0.5 or more have: precision undefined recall 0.00",
    ),
    "rows of amount 0": (
        "label,score,amount,day\n1,9,0,1\n1,7,50,1\n0,6,20,1\n1,5,10,1\n0,4,0,2\n1,3,30,2\n",
        ["--amount", "amount", "-k", "2", "--per", "day"],
        "6 rows in 2 days, 4 positive (66.7 %); they are 81.8 % of the amount.",
    ),
    "an amount that was a weight": (
        FRAUD,
        ["--amount", "euros", "-k", "2", "--per", "day"],
        " 2 rows per day find 2 of 4 positives; euros found: 70 of 130.",
    ),
    "a cut whose rows were weights": (
        FRAUD,
        ["--amount", "euros", "-k", "3"],
        "2 of 4 positives are in the first 3 rows; euros found: 90 of 130 (score >= 0.7).",
    ),
    "costs of rows with amounts": (
        FRAUD,
        ["--amount", "euros", "--threshold-at", "miss-cost=0.4"],
        "miss-cost=0.4: 1 row with a score of 0.9 or more has a cost of 1.2 false alarms, precision 1 "
        "and recall 0.25.",
    ),
    "equal scores that find other money": (
        "label,score,b,day,w\n"
        + "".join(f"1,2,1,{day},9\n0,1,2,{day},9\n" for day in "xz")
        + "".join(f"1,1,2,{day},1\n0,2,1,{day},1\n" for day in "yu"),
        ["--per", "day", "--compare", "b", "-k", "1", "--amount", "w"],
        "b has MAP 0.75: 1 row per day finds 2 of 4 positives; w found: 2 of 20. Its share of the w is "
        "lower by 0.80, 95 % interval -1.00 to 1.00, p = 0.56, not significant. Its MAP is the same.",
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
        "1 row per day finds 2 of 3 positives; w found: 2.5 of 3.",
    ),
    "budgets of days where customers are drawn": (
        "label,score,day,customer\n1,3,a,x\n0,2,a,y\n1,1,b,x\n0,0,b,z\n1,0,b,y\n",
        ["--unit-id", "customer", "-k", "1", "--per", "day"],
        "1 row per day finds 2 of 3 positives. Share: 0.67.",
    ),
    "positives without a row that no budget of a day can find": (
        "label,score,day,all\n1,3,a,4\n0,2,a,4\n1,1,b,2\n0,0,b,2\n1,0,b,2\n",
        ["--n-positives", "all", "-k", "1", "--per", "day"],
        "1 row per day finds 2 of 3 positives of these rows. Share: 0.67,",
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
        " (5 values of u drawn); chance is 0.",
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
def test_what_was_said_wrongly_once(text, options, words, saved):
    path = saved(text)
    finished = run(path, *options, "--report", path.with_suffix(".html"))
    assert finished.code == 0, finished.err
    assert words in finished.words


def test_hard_labels_of_the_second_model_are_named_as_the_file_has_them(saved):
    path = saved(ROWS.assign(hard=(ROWS.score > 1).astype(int)))
    finished = run(path, "--compare", "hard")
    assert "Scores are nothing but the labels 0 and 1: " in finished.err


def test_large_integers_are_thresholds_without_rounding(saved):
    lines = (f"{i % 2},{2**60 + i}\n" for i in range(6))
    answer = json_of(saved("label,score\n" + "".join(lines)), "--threshold-at", "k=2")
    assert answer["thresholds"][0]["threshold"]["threshold"] == 2**60 + 4


def test_a_share_below_a_millionth_keeps_its_digits(saved):
    path = saved("label,score,weight\n1,1,1e-3\n0,2,4e6\n0,3,1e6\n")
    out = run(path, "--sample-weight", "weight").words
    assert "(AP) with weights is 2e-10; the prevalence is 2e-10." in out


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ([], ["-k", "--threshold-at", "--compare", "--table", "--report"]),
        (["--per", "day"], ["-k", "--compare", "--report"]),
        (
            ["--y-true", "class", "--y-score", "cat,dog,owl"],
            ["-k", "--compare", "--report"],
        ),
    ],
    ids=" ".join,
)
def test_next_names_options_that_each_line_of_its_kind_takes(
    path, tmp_path, monkeypatch, options, names
):
    monkeypatch.chdir(tmp_path)
    words = run(path, *options).words.partition("Next: ")[2]
    assert re.findall("-[-a-z]+", words) == names
    other = "dog,owl,cat" if "class" in options else "old"
    values = {
        "-k": 5,
        "--report": "a.html",
        "--threshold-at": "recall=0.8",
        "--compare": other,
    }
    for name in names:
        value = [values[name]] if name in values else []
        assert run(path, *options, name, *value).code == 0

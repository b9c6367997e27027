"""Each number of the first answer of the command is that of the library for the same
rows.
"""

import re
from itertools import chain

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import average_precision_score as sklearn_average_precision_score
from sklearn.model_selection import train_test_split

from shell import LABEL, ROWS, json_of, rows_of, run, said, values_of
from sklearn_ap import (
    average_precision_score,
    chance_level,
    operating_point,
    report,
)
from sklearn_ap.compatibility import compare_conventions, identify

DATA = LABEL, ROWS.score
# Options, with the same arguments for `report`.
ANSWERS = {
    "-k 10": {"k": 10},
    "-k 5%": {"k": 0.05},
    "--compare old --compare none": {
        "compare": ROWS[["old", "none"]].to_dict("series")
    },
    "-k 50 --sample-weight weight": {"k": 50, "sample_weight": ROWS.weight},
    "--prevalence 2%": {"prevalence": 0.02},
    "--unit-id day --n-positives 300": {"unit_id": ROWS.day, "n_positives": 300},
    "-k 3 --query-id day --amount amount --compare old": {
        "k": 3,
        "query_id": ROWS.day,
        "amount": ROWS.amount,
        "compare": {"old": ROWS.old},
    },
    "--per day --unit-id item": {
        "query_id": ROWS.day,
        "unit_id": ROWS["item"],
        "zero_division": np.nan,
    },
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("options", ANSWERS)
def test_the_answer_is_that_of_python(path, options):
    found = json_of(path, *options.split())
    made = report(*DATA, name="score", title=str(path), **ANSWERS[options]).answer
    for answer in (found, made):
        # The command names columns in its statements, and Python does not.
        del answer["statements"]
        for name in ("query_name", "unit_name", "label_column", "score_column"):
            del answer["counts"][name]
        # The command has an answer for each value of --per.
        del answer["classes"]
    assert found == made


@pytest.mark.parametrize(
    ("condition", "asked"),
    [
        ("recall=0.7", {"recall": 0.7}),
        ("beta=0.5", {"beta": 0.5}),
        ("precision=.5", {"precision": 0.5}),
        ("specificity=0.6", {"specificity": 0.6}),
        ("alarms=12345678", {"alarms": 12345678}),
        ("miss-cost=2", {"miss_cost": 2}),
        ("threshold=1.25 --unit-id day", {"threshold": 1.25, "unit_id": ROWS.day}),
        ("threshold=1.25 --prevalence 0.02", {"threshold": 1.25, "prevalence": 0.02}),
    ],
)
def test_thresholds_are_those_of_python(path, condition, asked):
    line = path, "--threshold-at", *condition.split()
    point = operating_point(*DATA, **asked)
    answer = json_of(*line)
    [found] = answer["thresholds"]
    assert found["threshold"] == {"text": str(point), **point._numbers()}
    sentence, *table = str(point).split("\n")
    words = said(*line)
    assert f": {sentence}" in words
    lines = [each["table"][1:] for each in answer["statements"] if each["table"]]
    # All numbers of a column have the most decimals that one of them needs.
    for (name, *cells), text in zip(chain(*lines), table, strict=True):
        assert text.strip().startswith(name)
        shown = re.findall(r"[\d.]+", " ".join(cells))
        needed = re.findall(r"[\d.]+", text.replace("95 %", "").replace("F1", ""))
        assert len(shown) == len(needed)
        for longer, shorter in zip(shown, needed, strict=True):
            decimals = len(shorter.partition(".")[2])
            assert abs(float(longer) - float(shorter)) <= 0.6 * 10**-decimals


@pytest.mark.parametrize(
    ("asked", "argument", "words"),
    [
        ("sensitivity=80%", {"recall": 0.8}, "have sensitivity {recall:.2f} and prec"),
        ("tpr=0.5", {"recall": 0.5}, "have tpr {recall:.2f} and precision "),
        ("ppv=0.5", {"precision": 0.5}, "have ppv {precision:.2f} and recall "),
        # 1 - 0.9 is not 0.1 in floats.
        ("fpr=0.9", {"specificity": 0.1}, "have fpr {fpr:.2f}, precision "),
    ],
)
def test_an_answer_has_the_word_of_the_condition(path, asked, argument, words):
    point = operating_point(*DATA, **argument)
    line = path, "--threshold-at", asked
    [found] = json_of(*line)["thresholds"]
    name, _, level = asked.partition("=")
    assert found["condition"] == {name: 0.8 if "%" in level else float(level)}
    assert found["threshold"]["threshold"] == point.threshold
    numbers = {**point._numbers(), "fpr": 1 - point.specificity}
    assert words.format(**numbers) in said(*line)


@pytest.mark.parametrize(
    ("option", "counted", "treated"),
    [
        (
            "--per",
            np.nan,
            "which are excluded; if they scored 0, MAP would be {other}.",
        ),
        ("--query-id", 0, "which score 0; MAP of the others is {other}."),
    ],
)
def test_days_without_positives(saved, option, counted, treated):
    frame = ROWS.assign(label=LABEL * (ROWS.day > 1))
    line = saved(frame), option, "day"
    rows = {"y_true": frame.label, "y_score": frame.score, "query_id": frame.day}
    mean = average_precision_score(**rows, zero_division=counted)
    answer = json_of(*line)
    assert answer["score"]["value"] == pytest.approx(mean, abs=1e-15)
    by_other_rule = {"--per": 0, "--query-id": np.nan}[option]
    other = average_precision_score(**rows, zero_division=by_other_rule)
    assert f" (0, 1), {treated.format(other=f'{other:.2f}')}" in said(*line)
    assert values_of(*line)["average precision"] == pytest.approx(mean)
    n_days = {"--per": "18 days", "--query-id": "20 queries"}[option]
    assert f"Means over {n_days}. " in said(*line, "--table")
    # The chance level of a mean over days is that of the days that count.
    rest = frame[frame.day > 1]
    levels = chance_level(rest.label, rest.score, query_id=rest.day)
    assert answer["chance"] == pytest.approx(
        np.nanmean([counted, counted, *levels.values()])
    )


def test_causes_and_names_of_numbers_are_those_of_the_functions(path):
    expected = compare_conventions(*DATA).to_frame().reset_index()
    assert rows_of(path) == expected.replace({np.nan: None}).to_dict("records")
    words = " ".join(str(identify("0.5", *DATA, k=10)).split())
    assert said(path, "--identify", "0.5").endswith(words)


# --- rows without positives -----------------------------------------------------------

CLEAN = "label,score,day\nok,1,a\nok,2,a\nok,3,b\n"
FRAUDS = "label,score,day\n" + "ok,1,a\nFraud,2,a\n" * 20
NO_FRAUD = "no row has the label 'Fraud'"


@pytest.mark.parametrize(
    ("labels", "option", "why"),
    [
        ("ok", "--pos-label Fraud", NO_FRAUD),
        ("0", "--pos-label 1", "no row is positive"),
        ("0", "--pos-label true", "no row is positive"),
        ("2.5", "--pos-label 3", "no row has the label 3"),
        ("False", "", "no row is positive"),
        ("N", "", "no row has the label 'y'"),
    ],
)
def test_rows_without_positives_have_no_score(labels, option, why, saved):
    rows = f"label,score,day\n{labels},1,a\n{labels},2,b\n"
    line = saved(rows), *option.split(), "--per", "day", "-k", "1"
    finished = run(*line)
    assert finished.code == 0
    why = why.replace("no row", "No row")
    assert f"{why}; average precision is undefined." in finished.words
    assert finished.err == run(*line, "--table").err == ""
    assert json_of(*line)["score"] is None


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("day.csv --against before.csv", 0),
        ("before.csv --against day.csv --fail-below 0.1", 0),
        ("before.csv --against day.csv --fail-if-lower 0.1", 4),
        (
            "before.csv --against day.csv --fail-if-lower 0.1 --fail-below 0.999 "
            "--lower-is-better",
            4,
        ),
        ("day.csv --fail-below 0.1", 4),
        ("day.csv --compare score --fail-if-lower 0.1", 4),
        ("day.csv --per day --unit-id score --fail-each --fail-below 0.1", 4),
    ],
)
def test_a_file_without_positives_has_no_difference_and_no_check(
    line, code, saved, monkeypatch
):
    monkeypatch.chdir(saved(FRAUDS, "before.csv").parent)
    saved(CLEAN, "day.csv")
    line = *line.split(), "--pos-label", "Fraud"
    finished = run(*line)
    assert finished.code == code
    assert NO_FRAUD.lower() in finished.words.lower()
    assert json_of(*line)["against"] is None


def test_the_example_prints_the_numbers_of_scikit_learn():
    finished = run("--example")
    assert (finished.code, finished.err) == (0, "")
    images, digits = load_digits(return_X_y=True)
    train, test, y_train, y_test = train_test_split(
        images, digits == 8, train_size=0.1, random_state=0, stratify=digits
    )
    alpha = re.search(r"chose alpha=(\S+)\. On", finished.words)[1]
    for model in (RidgeClassifier(alpha=float(alpha)), RidgeClassifier()):
        scores = model.fit(train, y_train).decision_function(test)
        assert f" {sklearn_average_precision_score(y_test, scores):.2f}" in finished.out


# Six payments on two days. The second one has amount 0, and uses up the budget like the
# others.
FRAUD = (
    "label,score,day,euros\n1,.9,1,70\n0,.8,1,0\n1,.7,1,20\n"
    "0,.6,2,10\n1,.5,2,0\n1,.4,2,40\n"
)
# Files whose first answer has been wrong, with options and the correct sentence.
SAID = {
    "a threshold above all scores": (
        "label,score\n1,0.45\n0,0.3\n1,0.2\n0,0.1\n",
        "--threshold-at threshold=0.5",
        "0 rows with scores of 0.5 or more have these numbers: number value 95 % interval "
        "precision undefined - recall 0.00",
    ),
    "an amount that was a weight": (
        FRAUD,
        "--amount euros -k 2 --per day",
        "euros of them AP 95 % interval found in 2 rows 1 3 2 90 0.83 0.00 to 1.00 1",
    ),
    "costs of rows with amounts": (
        FRAUD,
        "--amount euros --threshold-at miss-cost=0.4",
        "miss-cost=0.4: 1 row with a score of 0.9 or more has a cost of 1.2 false alarms, precision 1.00 "
        "and recall 0.25.",
    ),
    "a single false alarm": (
        "label,score\n0,2\n1,1\n",
        "--threshold-at alarms=1",
        "alarms=1: 2 rows with scores of 1 or more have 1 false alarm, precision 0.5",
    ),
    "equal scores that find other money": (
        "label,score,b,day,w\n"
        + "".join(f"1,2,1,{day},9\n0,1,2,{day},9\n" for day in "xz")
        + "".join(f"1,1,2,{day},1\n0,2,1,{day},1\n" for day in "yu"),
        "--per day --compare b -k 1 --amount w",
        "b has MAP 0.75, which is the same. Its share of the w is lower by 0.80, 95 % interval -1.00 to "
        "1.00, p = 0.26, not significant. model MAP 95 % interval found in 1 row per day w found score 0.75",
    ),
    "a difference that is the same everywhere": (
        "label,score,b,day\n"
        + "".join(f"1,3,2,{day}\n0,2,3,{day}\n0,1,1,{day}\n" for day in range(8)),
        "--per day --compare b",
        "which is lower by 0.5; the uncertainty is undefined for these rows.",
    ),
    "budgets of days where customers are drawn": (
        "label,score,day,customer\n1,3,a,x\n0,2,a,y\n1,1,b,x\n0,0,b,z\n1,0,b,y\n",
        "--unit-id customer -k 1 --per day",
        "1 row per day finds 2 of 3 positives. Share of the positives: 0.67, 1.7 times what a random "
        "order finds. Share of the days with positives in which at least one is found: 1.00. As one ranking, "
        "all rows have AP 0.76, 95 %",
    ),
    "positives without a row that no budget of a day can find": (
        "label,score,day\n1,3,a\n0,2,a\n1,1,b\n0,0,b\n1,0,b\n",
        "--n-positives all.csv -k 1 --per day",
        "1 row per day finds 2 of 6 positives. Share of the positives: 0.33.",
    ),
    "no positive among the rows, but missed ones": (
        "label,score\n0,0.9\n0,0.8\n0,0.1\n",
        "--n-positives 5 -k 2",
        "0 positive (0 %) of 5 in all. Average precision (AP) is 0.00. 0 of 5 positives are in the first 2",
    ),
    "ties at the cut of a day": (
        "label,score,day\n1,3,a\n0,3,a\n1,3,b\n0,1,b\n",
        "--per day -k 1",
        "finds 1.5 of 2 positives, on average over the orders of tied rows. Share of the "
        "positives: 0.75",
    ),
    "totals that are no counts": (
        "label,score\n1,3\n0,2\n1,2\n0,2\n1,1\n",
        "--n-positives 3.5 -k 2",
        "1.333 of 3.5 positives are in the first 2 rows, on average over the orders of "
        "tied rows; 1 row with a score of 3 or more has precision 1.00 and recall 0.29.",
    ),
    "a label that nobody could guess": (
        "label,score\n2,1\n1,2\n1,3\n2,2\n",
        "",
        "4 rows, 2 positive (50 %). The positive label is 1. Average",
    ),
    "one label against others": (
        "label,score\na,4\nb,3\nd,2\ne,2\nc,1\n",
        "--pos-label c",
        "The positive label is 'c'; 4 rows have other labels, such as a, b, d. Average",
    ),
    "one number against others": (
        "label,score\n0,4\n1,3\n1,2\n2,1\n",
        "--pos-label 1.0",
        "2 positive (50 %). The positive label is 1; 2 rows have other labels, such as 0, 2.",
    ),
    "a negative zero": (
        "label,score\n" + "1,-0\n0,-1\n" * 12,
        "-k 12",
        "(score >= 0)",
    ),
    "a share below a millionth": (
        "label,score,clicks\n1,1,1e-3\n0,2,4e6\n0,3,1e6\n",
        "--sample-weight clicks",
        "they are 2e-08 % of the clicks. Average precision (AP) weighted by clicks is 2e-10.",
    ),
}


@pytest.mark.parametrize(("text", "options", "words"), SAID.values(), ids=SAID)
def test_sentences_that_have_been_wrong(text, options, words, saved, monkeypatch):
    path = saved(text)
    monkeypatch.chdir(saved("day,n\na,4\nb,2\n", "all.csv").parent)
    page = path.with_suffix(".html")
    finished = run(path, *options.split(), "--report", page)
    assert finished.code == 0, finished.err
    assert words in finished.words
    assert finished.words.endswith(f" Wrote {page}.")


@pytest.mark.parametrize("sign", [[], ["--lower-is-better"]])
def test_a_level_out_of_reach_has_a_line_of_its_own(tmp_path, sign):
    score = np.repeat([9.5, 1], [6, 40]) - 0.01 * np.arange(46).clip(6)
    frame = pd.DataFrame({"label": np.arange(46) % 2, "score": score})
    if sign:
        frame["score"] *= -1
    frame.to_csv(tmp_path / "ties.csv", index=False)
    line = [tmp_path / "ties.csv", *sign, "--threshold-at"]
    levels = ["specificity=0.999", "precision=0.99", "recall=0.5", "k=2"]
    finished = run(*line, *" --threshold-at ".join(levels).split())
    assert finished.code == 0
    for words in (
        "specificity=0.999: no row is retrieved, since a threshold must be above all",
        "precision=0.99: precision must be at most 0.5",
        "recall=0.5: ",
        "k=2: no threshold retrieves so few",
    ):
        assert words in finished.words
    answer = json_of(*line, *" --threshold-at ".join(levels).split())
    first, second, *_ = answer["thresholds"]
    assert first["threshold"]["threshold"] is None
    assert first["threshold"]["recall"] == 0
    assert second["threshold"] is None
    assert second["no_threshold"].startswith("precision must be at most 0.5")

"""Scores that run the other way: a sentence says so, and `--lower-is-better` negates
them once, and shows each of them as the file has it.
"""

import json
import re

import numpy as np
import pandas as pd
import pytest

from shell import CLASSES, LABEL, ROWS, error_of, json_of, run, said
from sklearn_ap import average_precision_score, operating_point, report
from sklearn_ap._shown.numbers import opposite

# Scores of the user are the negatives of those that rank the rows.
FRAME = ROWS.assign(
    energy=-ROWS.score,
    other=-ROWS.old,
    place=(-ROWS.score).argsort(kind="stable").argsort(),
    unsigned=(1000 - 100 * ROWS.score).astype(np.uint16),
    **{name: -ROWS[name] for name in CLASSES},
)
NEGATED = FRAME.assign(
    **{name: 0 - FRAME[name] for name in ("energy", "other", *CLASSES)}
)
LOW = "--lower-is-better"
OPTIONS = [
    ["-k", "20", "--compare", "other"],
    ["-k", "5%", "--threshold-at", "recall=0.8", "--threshold-at", "k=30"],
    ["--per", "day", "-k", "3", "--amount", "amount", "--compare", "other"],
    ["--sample-weight", "weight", "--prevalence", "0.1", "--unit-id", "day"],
    ["--against", "low.csv", "--fail-below", "0.3"],
    ["--query-id", "day"],
    ["--identify", "0.5"],
    ["--y-true", "class", "--y-score", "cat,dog,owl"],
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("low")
    FRAME.to_csv(folder / "low.csv", index=False)
    NEGATED.to_csv(folder / "high.csv", index=False)
    FRAME.to_parquet(folder / "low.parquet")
    return folder


def data_of(page):
    """The numbers of the script of a page."""
    return json.loads(re.search(r'application/json">(.*?)</script>', page)[1])


def in_own_sign(value):
    """An answer about negated scores, as one about the scores of the file."""
    if isinstance(value, list):
        return list(map(in_own_sign, value))
    if not isinstance(value, dict):
        return value
    value = {key: in_own_sign(part) for key, part in value.items()}
    if "lower_is_better" in value:
        value["lower_is_better"] = True
    if "table" in value:
        value["threshold"] = -value["threshold"]
        value["text"] = re.sub(
            r"of (\S+) or more",
            lambda match: f"of {opposite(match[1])} or less",
            value["text"],
        )
    return value


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_numbers_are_those_of_negated_scores(folder, monkeypatch, options):
    monkeypatch.chdir(folder)
    columns = ["--format", "json", *["--y-score", "energy"] * ("class" not in options)]
    low = run("low.csv", LOW, *columns, *options)
    high = run(
        "high.csv",
        *columns,
        *("high.csv" if option == "low.csv" else option for option in options),
    )
    assert not low.err, low.err
    assert low.code == high.code
    assert json.loads(low.out.replace("low.csv", "high.csv")) == in_own_sign(
        json.loads(high.out)
    )


@pytest.mark.parametrize("column", ["energy", "place", "unsigned"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_threshold_retrieves_the_rows_that_it_names(folder, column, suffix):
    """Also of integers, and in the digits that the text shows."""
    path, scores = folder / f"low.{suffix}", FRAME[column]
    levels = ["recall=0.8", "k=25", "precision=0.9", f"threshold={scores.median():g}"]
    levels = [part for level in levels for part in ("--threshold-at", level)]
    answer = json_of(path, LOW, "--y-score", column, *levels)
    high = -scores.astype(float)
    assert answer["score"]["value"] == average_precision_score(LABEL, high)
    for chosen in answer["thresholds"]:
        threshold = chosen["threshold"]
        retrieved = scores <= threshold["threshold"]
        assert threshold["n_retrieved"] == retrieved.sum()
        [short] = re.findall(r" of (\S+) or less have", threshold["text"])
        assert (scores <= float(short)).equals(retrieved)
        assert threshold["recall"] == LABEL[retrieved].sum() / LABEL.sum()
    best = operating_point(LABEL, high, recall=0.8)
    assert answer["thresholds"][0]["threshold"]["threshold"] == -best.threshold
    assert answer["thresholds"][3]["threshold"]["threshold"] == scores.median()


def test_sentences_say_or_less(folder, saved):
    words = said(folder / "low.csv", LOW, "--y-score", "energy", "-k", "20")
    [threshold] = re.findall(r"in the first 20 rows \(score <= (\S+)\)", words)
    assert np.count_nonzero(FRAME.energy <= float(threshold)) == 20
    tied = saved("label,score\n1,-2\n0,-2\n0,-2\n1,-3\n")
    words = "1 row with a score of -3.0 or less has precision 1 and recall 0.5."
    assert words in run(tied, LOW, "-k", "2").words


def test_a_score_of_zero_has_no_sign(saved):
    path = saved("label,score\n1,0\n0,1\n1,2.5\n0,3\n")
    threshold = json_of(path, LOW, "-k", "1")["cut"]["threshold"]
    assert str(threshold["threshold"]) == "0.0"
    assert " of 0.0 or less " in threshold["text"]


def test_a_page_in_the_sign_of_the_file(folder, monkeypatch):
    """The script compares the negated scores; texts are those of the file."""
    monkeypatch.chdir(folder)
    ends = [f"Retrieve rows that score at {end}" for end in ("most", "least")]
    numbers = []
    for name, options, said_end in (("low", [LOW], 0), ("high", [], 1)):
        line = f"{name}.csv", *options, "--y-score", "energy", "-k", "20"
        said(*line, "--report", f"{name}.html")
        page = (folder / f"{name}.html").read_text()
        assert [end in page for end in ends] == [said_end == 0, said_end == 1]
        numbers.append(data_of(page))
    low, high = numbers
    assert (low.pop("sign"), high.pop("sign")) == (-1, 1)
    high["texts"][0] = list(map(opposite, high["texts"][0]))
    assert low == high


BELOW = (
    "The whole interval lies below chance. Likeliest first: if low scores are better, "
    "pass --lower-is-better, or negate the scores"
)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--y-score", "other"], BELOW),
        (["--y-score", "other", "--per", "day"], BELOW),
        (["--y-score", "other", "--table"], BELOW),
        (["--y-score", "other", "--prevalence", "0.3"], BELOW),
        (["--y-score", "other", LOW], None),
        # One row may be most of the money, and then AP says little.
        (["--y-score", "other", "--sample-weight", "weight"], None),
        ([], None),
        (
            [LOW],
            "lies below chance: if high scores are better, leave out --lower-is-better.",
        ),
        (
            ["--y-true", "class", "--y-score", "cat,dog,owl"],
            BELOW.replace("interval", "interval of cat, dog, owl"),
        ),
    ],
)
def test_intervals_below_chance(folder, options, sentence):
    out = run(folder / "low.csv", *options).words
    assert sentence is None or sentence in out
    assert out.count("--lower-is-better") == (sentence is not None)


LOW_NAMES = "rank", "Distance", "ENERGY", "loss", "docking_energy", "rank 1", "log.loss"
OTHER_NAMES = "score", "Frank", "ranking", "glossy", "energyless"


@pytest.mark.parametrize("name", [*LOW_NAMES, *OTHER_NAMES])
def test_names_of_low_scores(saved, name):
    """Whole words alone, in any case, if AP is not below chance."""
    rows = pd.DataFrame({"label": LABEL, name: ROWS.score})
    out = said(saved(rows), "--y-score", name)
    words = f"The scores are called {name}: {BELOW.partition(': ')[2]}."
    assert (words in out) == (name in LOW_NAMES)
    assert out.count("--lower-is-better") == (name in LOW_NAMES)
    rows[name] = -rows[name]
    assert "--lower-is-better" not in said(saved(rows), "--y-score", name, LOW)


@pytest.mark.parametrize(
    ("value", "dtype"), [(-(2**63), np.int64), (2**64 - 1, np.uint64)]
)
def test_refusals(value, dtype, tmp_path):
    path = tmp_path / "a.parquet"
    score = np.array([value, 1, 2], dtype)
    pd.DataFrame({"label": [1, 0, 1], "score": score}).to_parquet(path)
    assert run(path).code == 0
    message = f"contains {value}, which --lower-is-better cannot negate"
    assert message in error_of(path, LOW)


@pytest.mark.parametrize(
    ("scores", "causes"),
    [
        (lambda p: 1 - p, ["another_class", "lower_is_better", "confidence"]),
        (
            lambda p: np.maximum(p / 2, 1 - p / 2),
            ["confidence", "lower_is_better", "another_class"],
        ),
        (lambda p: -3 * p, ["lower_is_better", "another_class", "confidence"]),
        (lambda p: 100 - 100 * p, ["lower_is_better", "another_class", "confidence"]),
    ],
    ids=["another class", "confidence", "negated", "percent"],
)
def test_causes_of_a_score_below_chance(scores, causes, saved):
    """All three are named, the likeliest first, on the page and in files, too."""
    rng = np.random.default_rng(1)
    p = rng.beta(1, 3, 800)
    label, score = (rng.random(800) < p).astype(int), scores(p)
    starts = {
        "lower_is_better": "if low scores are better",
        "another_class": "if the column is the probability of another class",
        "confidence": "if it is the confidence of a predicted label",
    }
    found = report(label, score)
    assert found.answer["causes"] == causes
    words = " ".join(str(found).split())
    places = [words.index(starts[cause]) for cause in causes]
    assert places == sorted(places)
    assert f"lies below chance. Likeliest first: {starts[causes[0]]}" in words
    assert f"Likeliest first: {starts[causes[0]]}" in found.html
    path = saved(pd.DataFrame({"label": label, "score": score}))
    assert words.partition(". ")[2] in said(path)
    assert report(label, p).answer["causes"] == []

"""Low scores that are better: a sentence reports them, and `--lower-is-better` negates
scores once, and shows them as they are in the file.
"""

import json
import re

import numpy as np
import pandas as pd
import pytest

from shell import CLASSES, ROWS, error_of, json_of, run, said
from sklearn_ap import report
from sklearn_ap._shown.numbers import opposite

SCORES = {"energy": "score", "other": "old", **{name: name for name in CLASSES}}
NEGATED = ROWS.assign(**{name: ROWS[column] for name, column in SCORES.items()})
# The user's scores are the negatives of those that rank the rows.
FRAME = ROWS.assign(
    **{name: 0 - NEGATED[name] for name in SCORES},
    unsigned=(1000 - 100 * ROWS.score).astype(np.uint16),
)
LOW = "--lower-is-better"
OPTIONS = [
    "--y-score energy -k 20 --compare other",
    "--y-score energy -k 5% --threshold-at recall=0.8 --threshold-at k=30",
    "--y-score energy --per day -k 3 --amount amount --compare other",
    "--y-score energy --sample-weight weight --prevalence 0.1 --unit-id day",
    "--y-score energy --against low.csv --fail-below 0.3",
    "--y-score energy --identify 0.5",
    "--y-true class --y-score cat,dog,owl",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("low")
    FRAME.to_csv(folder / "low.csv", index=False)
    NEGATED.to_csv(folder / "high.csv", index=False)
    # Parquet keeps the types of integers.
    FRAME.to_parquet(folder / "low.parquet")
    return folder


def in_own_sign(fields):
    """Fields of an answer about negated scores, with the sign of the scores in the
    file.
    """
    if "lower_is_better" in fields:
        fields["lower_is_better"] = True
    fields.pop("statements", None)
    if "n_retrieved" in fields and "threshold" in fields:
        fields["threshold"] *= -1
        fields["text"] = re.sub(
            r"of (\S+) or more",
            lambda match: f"of {opposite(match[1])} or less",
            fields["text"],
        )
    return fields


@pytest.mark.parametrize("options", OPTIONS)
def test_numbers_are_those_of_negated_scores(folder, monkeypatch, options):
    monkeypatch.chdir(folder)
    line = f"--format json {options}".split()
    low = run("low.csv", LOW, *line)
    high = run("high.csv", *(word.replace("low.csv", "high.csv") for word in line))
    assert (low.code, low.err) == (high.code, "")
    found = json.loads(low.out.replace("low.csv", "high.csv"))
    found.pop("statements", None)
    assert found == json.loads(high.out, object_hook=in_own_sign)


@pytest.mark.parametrize("column", ["energy", "unsigned"])
def test_a_threshold_retrieves_the_rows_that_it_names(folder, column):
    """The threshold is valid for integers, and with the digits that the text shows."""
    scores = FRAME[column]
    levels = (
        "--threshold-at",
        "k=25",
        "--threshold-at",
        f"threshold={scores.median():g}",
    )
    answer = json_of(folder / "low.parquet", LOW, "--y-score", column, *levels)
    thresholds = [chosen["threshold"] for chosen in answer["thresholds"]]
    for threshold in thresholds:
        retrieved = scores <= threshold["threshold"]
        assert threshold["n_retrieved"] == retrieved.sum()
        [short] = re.findall(r" of (\S+) or less have", threshold["text"])
        assert (scores <= float(short)).equals(retrieved)
    assert thresholds[1]["threshold"] == scores.median()


def test_a_score_of_zero_has_no_sign(saved):
    path = saved("label,score\n1,0\n0,1\n1,2.5\n0,3\n")
    threshold = json_of(path, LOW, "-k", "1")["cut"]["threshold"]
    assert str(threshold["threshold"]) == "0.0"
    assert " of 0 or less " in threshold["text"]


def test_a_page_in_the_sign_of_the_file(folder, tmp_path):
    """The page is the same as that of Python. Its script compares negated scores, and
    its texts have the sign of the file.
    """
    page = tmp_path / "page.html"
    line = folder / "low.csv", LOW, "--y-score", "energy", "--compare", "other"
    said(*line, "-k", 20, "--report", page)
    made = report(ROWS.label, ROWS.score, compare={"other": ROWS.old}, k=20).html
    low, high = (
        json.loads(re.search(r'application/json">(.*?)</script>', text)[1])
        for text in (page.read_text(), made)
    )
    assert (low.pop("sign"), high.pop("sign")) == (-1, 1)
    high["texts"][0] = list(map(opposite, high["texts"][0]))
    assert low == high


@pytest.mark.parametrize("value", [-(2**63), 2**64 - 1])
def test_errors(value, tmp_path):
    path = tmp_path / "a.parquet"
    pd.DataFrame({"label": [1, 0, 1], "score": [value, 1, 2]}).to_parquet(path)
    message = f"contains {value}, which --lower-is-better cannot negate"
    assert message in error_of(path, LOW)


def test_scores_that_rank_the_other_way_are_named(folder):
    line = folder / "low.csv", "--y-true", "class", "--y-score", "cat,dog,owl"
    seen = "Positives of cat, dog, owl have lower scores than the other rows"
    advice = "if low scores are better, pass --lower-is-better"
    assert f"{seen}, by more than chance: {advice}" in said(*line)
    assert "Positives" not in said(*line, LOW)
    high = folder / "high.csv", "--y-score", "energy", LOW
    advice = "if high scores are better, omit --lower-is-better"
    assert (
        f"have higher scores than the other rows, by more than chance: {advice}"
        in said(*high)
    )

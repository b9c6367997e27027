"""Rows with missing values raise an error that shows their number, or are dropped and
counted.
"""

import numpy as np
import pandas as pd
import pytest

from shell import ROWS, error_of, json_of, run, said


@pytest.fixture(scope="module")
def rows():
    """Rows, some of which have one or several missing values."""
    rng = np.random.default_rng(0)
    names = [
        "label",
        "score",
        "old",
        "day",
        "item",
        "amount",
        "weight",
        "class",
        "none",
    ]
    frame = ROWS[names].head(120).astype(object)
    for place, name in enumerate(names):
        frame.loc[rng.choice(120, 4 + place, replace=False), name] = None
    return frame


# Options with the columns that they name.
CALLS = [
    ("", "label score"),
    ("--amount amount --query-id day -k 3", "label score amount day"),
    ("--sample-weight weight", "label score weight"),
    ("--compare old --unit-id item", "label score old item"),
    ("--y-true class --y-score score,old,amount", "class score old amount"),
    ("--per day --identify 0.5", "label score day"),
]


@pytest.mark.parametrize(("options", "columns"), CALLS)
def test_rows_without_a_value_are_dropped_from_all_columns(
    options, columns, rows, saved
):
    line, names = options.split(), columns.split()
    complete = rows.dropna(subset=names)
    expected = json_of(saved(complete), *line)
    found = json_of(saved(rows), *line, "--drop-missing")
    if "counts" in found:
        del expected["statements"][0], found["statements"][0]
        found["statements"] = [
            each
            for each in found["statements"]
            if "rows without a value are positive" not in each["text"]
        ]
        missing = rows[names].isna().sum().to_dict()
        dropped = len(rows) - len(complete)
        for answer in (expected, *expected["classes"]):
            answer["counts"] |= {"rows_dropped": dropped, "missing_values": missing}
        # `test_positives_that_are_dropped` has the numbers of positives.
        for answer in (expected, found, *expected["classes"], *found["classes"]):
            del answer["counts"]["positives_dropped"]
    assert found == expected


@pytest.mark.parametrize("word", ["NA", "None", "null", "<NA>"])
def test_words_are_missing_values_only_among_numbers(word, rows, saved):
    """Words such as NA, which pandas reads as missing, may be the name of a day, or a
    label next to other text.
    """
    frame = rows[["label", "score", "old", "amount"]].assign(day=word)
    line = ["--compare", "old", "--per", "day", "--amount", "amount", "--drop-missing"]
    expected = json_of(saved(frame), *line)
    filled = frame.map(lambda cell: word if pd.isna(cell) else cell)
    assert json_of(saved(filled), *line) == expected
    texts = frame.map(lambda cell: 0 if pd.isna(cell) else cell).assign(
        label=np.where(frame.label == 1, "fraud", word)
    )
    answer = json_of(saved(texts), "--pos-label", "fraud")
    assert answer["counts"]["rows_dropped"] == 0
    assert "contains missing values in" in error_of(saved(filled))


def test_the_answer_counts_rows_without_a_value(rows, saved):
    path = saved(rows)
    line = path, "--drop-missing", "--against", path
    dropped = {"rows_dropped": 9, "missing_values": {"label": 4, "score": 5}}
    against = json_of(*line)["against"]
    assert {name: against[name] for name in dropped} == dropped
    words = "9 rows without a value (label: 4, score: 5)"
    assert run(*line).words.count(words) == 2


def test_a_file_without_a_complete_row_is_an_error(saved):
    message = error_of(saved("label,score\n1,\n,1\n"), "--drop-missing")
    assert message.endswith("contains no rows without missing values (dropped: 2)")


def test_positives_that_are_dropped(saved):
    """A model that gives no score to the positives that it misses."""
    missed = ROWS.label.eq(1) & (np.arange(len(ROWS)) % 3 == 0)
    frame = ROWS[["label", "score"]].astype(object)
    for value in np.nan, ".":
        path = saved(frame.assign(score=frame.score.mask(missed, value)))
        words = said(path, "--drop-missing")
        n_missed, n_positives = missed.sum(), ROWS.label.sum()
        assert f"(score: {n_missed}), {n_missed} of them positive." in words
        assert (
            f"{n_missed} of {n_missed} rows without a value are positive, a larger share "
            "than of the others. If they have no score because the model missed them, "
            f"pass --n-positives {n_positives}, which counts them."
        ) in words
        line = path, "--drop-missing", "--n-positives", n_positives
        assert "larger share" not in run(*line).words
    # Rows that are dropped by chance, and rows without a label.
    frame["score"] = frame.score.mask(np.arange(len(ROWS)) % 9 == 0)
    frame["label"] = frame.label.mask(np.arange(len(ROWS)) % 7 == 0)
    dropped = frame.label[frame.score.isna() & frame.label.notna()].sum()
    words = said(saved(frame), "--drop-missing")
    assert f"{dropped} of them positive" in words


def test_positives_of_text_labels_that_are_dropped(saved):
    frame = ROWS[["class", "score"]].astype(object)
    lost = np.arange(len(ROWS)) % 5 == 0
    frame["score"] = frame.score.mask(lost)
    line = "--y-true", "class", "--pos-label", "dog", "--drop-missing"
    n_lost = (frame["class"][lost] == "dog").sum()
    assert f", {n_lost} of them positive" in said(saved(frame), *line)

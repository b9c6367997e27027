"""Notes of an answer about its rows: each look has a case with a note, and a similar
case without one.

`pytest -m slow -s tests/command/test_looks_drawn.py` prints how often looks raise false
alarms, and how often they find faults.
"""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from sklearn_ap import report
from sklearn_ap._report.fields import Counts, FirstAnswer, ShownScore
from sklearn_ap._report.looks import columns_to_look_at, rows_seen
from sklearn_ap._report.scored_rows import ScoredRows

N = 200
RNG = np.random.default_rng(0)
NOISE = RNG.normal(size=N)
LABELS = np.arange(N) < 30
SCORES = NOISE + 1.5 * LABELS
THREE = np.arange(N) < 3
CLASS = np.arange(N) % 3
OF_CLASSES = RNG.normal(size=(N, 3)) + 1.5 * (CLASS[:, np.newaxis] == range(3))
FREQUENT = np.arange(N) < 0.95 * N
QUERY = np.arange(N) // 20
ODD = np.arange(N) % 7 == 1
UPSIDE_DOWN = "lower scores than the other rows, by more than chance"


def seen_in(y_true, y_score, **options):
    """The notes of an answer about its rows. Notes never change the score."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = report(y_true, y_score, **options)
    texts = [
        each["text"]
        for each in made.answer["statements"]
        if each["place"] == "note" and not each["table"]
    ]
    for text in texts:
        assert text in " ".join(str(made).split())
        # The note uses the words of Python.
        assert "--" not in text
    return " ".join(texts)


NOTICED = {
    "equal scores": ("All scores are equal", (LABELS, np.full(N, 0.3))),
    "upside down": (UPSIDE_DOWN, (LABELS, -SCORES)),
    "upside down, 3 positives": (UPSIDE_DOWN, (THREE, -NOISE - 3 * THREE)),
    "upside down in queries": (
        UPSIDE_DOWN,
        # The queries have different mean scores. Only the ranks within a query are
        # upside down.
        (LABELS[::-1], NOISE - 2 * LABELS[::-1] + 9 * QUERY, {"query_id": QUERY}),
    ),
    "upside down, weights": (
        UPSIDE_DOWN,
        (LABELS, -SCORES, {"sample_weight": np.arange(1, N + 1)}),
    ),
    "one class upside down": (
        "Positives of 1 have lower",
        (CLASS, OF_CLASSES * [1, -1, 1]),
    ),
    "a frequent label": (
        "95 % of the rows are positive, so AP is high for any scores. If you look for "
        "the rare label, pass pos_label.",
        (FREQUENT, NOISE + FREQUENT),
    ),
    "units upside down": (
        UPSIDE_DOWN,
        (LABELS, -SCORES, {"unit_id": np.arange(N) // 3}),
    ),
    "a split as queries": (
        "100 rows of the file have split train.",
        (ODD, SCORES, {"query_id": pd.Series(["train", "test"] * 100, name="split")}),
    ),
    "a placeholder below all scores": (
        "5 % of the rows have the score -999, unlike all others: if it means that they "
        "were not scored, drop them, or pass n_positives",
        (LABELS, np.where(np.arange(N) % 20, SCORES, -999)),
    ),
    "a placeholder above all scores": (
        "2 % of the rows have the score 9999",
        (LABELS, np.where(np.arange(N) % 50, SCORES, 9999)),
    ),
    "a placeholder between scores": (
        "10 % of the rows have the score 0, unlike",
        (LABELS, np.where(np.arange(N) % 10, SCORES, 0)),
    ),
    "the largest numbers": (
        "5 % of the rows have the score -1.7e+308, unlike",
        (LABELS, np.where(np.arange(N) % 20, SCORES * 1e305 + 1e308, -1.7e308)),
    ),
    "runs by name": (
        "All values of seed have the same numbers of rows and",
        (np.arange(N) % 20 < 3, SCORES, {"query_id": pd.Series(QUERY, name="seed")}),
    ),
}
LEVELS = NOISE[:, np.newaxis]
NOTICED |= {
    "logits of three classes": (
        "The scores of all classes are high in the same rows, as logits are",
        (CLASS, OF_CLASSES + 4 * LEVELS),
    ),
}
UNNOTICED = {
    "columns of labels of one level": (OF_CLASSES > 1, OF_CLASSES + 4 * LEVELS),
    "shares of classes": (CLASS, expit(OF_CLASSES + 4 * LEVELS)),
    "scores that are cut off": (LABELS, SCORES.clip(0)),
    "scores of few levels": (LABELS, np.round(SCORES.clip(0, 1)) * 9),
    "rounded scores": (LABELS, np.round(SCORES, 1)),
    "two scores of many rows": (
        LABELS,
        np.where(np.arange(N) % 10 < 2, np.arange(N) % 10 - 0.5, SCORES),
    ),
    "one score far from the others": (LABELS, np.where(np.arange(N), SCORES, -999)),
    "units of unequal size": (
        np.repeat([1, 0], [100, N - 100]),
        np.where(np.arange(N) < 100, NOISE - 9, NOISE),
        {"unit_id": np.arange(N).clip(100)},
    ),
    "near-duplicates in queries": (
        np.arange(N) % 20 < 9,
        np.where(np.arange(N) % 20 < 9, NOISE[QUERY] - 0.4, NOISE),
        {"query_id": QUERY},
    ),
    "two scores": (LABELS, (SCORES > 1) * 1.0),
    "no skill": (LABELS, NOISE),
    "the right way": (LABELS, SCORES),
    "queries of other levels": (
        LABELS[::-1],
        NOISE + 2 * LABELS[::-1] - 9 * QUERY,
        {"query_id": QUERY},
    ),
    "few units upside down": (
        np.arange(N) < 100,
        np.repeat([2, 1, 2.1, 3], 50) + NOISE / 1e3,
        {"unit_id": np.arange(N) // 50},
    ),
    "classes": (CLASS, OF_CLASSES),
    "a name of low scores": (LABELS, pd.Series(SCORES, name="CAL Rank")),
    "a label that is not as frequent": (np.arange(N) < 0.9 * N, NOISE),
    "one label": (np.ones(N, int), NOISE),
    "boxes, most of them right": (FREQUENT, NOISE + FREQUENT, {"n_positives": 300}),
    "queries of equal sizes": (
        np.arange(N) % 20 < 3,
        SCORES,
        {"query_id": pd.Series(QUERY, name="user")},
    ),
    "models of other rows": (
        LABELS,
        SCORES,
        {"query_id": pd.Series(QUERY, name="model")},
    ),
    "two prompts": (
        np.arange(N) % 100 < 3,
        SCORES,
        {"query_id": pd.Series(QUERY // 5, name="prompt")},
    ),
}


@pytest.mark.parametrize(("words", "call"), NOTICED.values(), ids=NOTICED)
def test_looks_that_have_a_note(words, call):
    y_true, y_score, *options = call
    assert words in seen_in(y_true, y_score, **dict(*options))


@pytest.mark.parametrize("call", UNNOTICED.values(), ids=UNNOTICED)
def test_looks_that_have_no_note(call):
    y_true, y_score, *options = call
    seen = seen_in(y_true, y_score, **dict(*options))
    assert not seen.partition("No positive is in")[0].strip(), seen


def test_rows_of_few_units_may_be_upside_down_by_chance():
    """Without units, the same rows have a note."""
    y_true, y_score, _ = UNNOTICED["few units upside down"]
    assert UPSIDE_DOWN in seen_in(y_true, y_score)


@pytest.mark.parametrize(
    ("zero_division", "words", "other"),
    [
        (0.0, "which score 0; MAP of the others is {}.", np.nan),
        (np.nan, "which are excluded; if they scored 0, MAP would be {}.", 0.0),
        (1.0, "which score 1; MAP of the others is {}.", np.nan),
    ],
)
def test_the_mean_by_the_other_rule(zero_division, words, other):
    y_true = np.eye(4, dtype=int)[CLASS]  # The last class has no positive.
    y_score = RNG.normal(size=(N, 4)) + y_true
    mean = report(y_true, y_score, zero_division=other).answer["score"]["value"]
    seen = seen_in(y_true, y_score, zero_division=zero_division)
    assert f"1 of 4 classes (3), {words.format(f'{mean:.2f}')}" in seen


def test_page_and_text_have_the_same_sentence():
    made = report(LABELS, -SCORES)
    assert UPSIDE_DOWN in " ".join(str(made).split())
    assert UPSIDE_DOWN in made.html


def test_rows_without_positives_are_not_looked_at():
    made = report(np.zeros(9), np.zeros(9))
    assert "All scores" not in str(made)


def rows_of_a_file(low, high, others=None):
    """Rows with scores from `low` to `high`, and other columns of their file."""
    return ScoredRows(
        counts=Counts(rows=N, positives=30, label_column="truth"),
        y_true=LABELS,
        scores={"score": np.linspace(low, high, N)},
        others=others or {},
    )


# The score is above the chance level, so the rows are not upside down.
ANSWER = FirstAnswer(
    name="rows",
    counts=rows_of_a_file(0.0, 1.0).counts,
    prevalence=None,
    score=ShownScore(0.9),
    chance=0.2,
)


ALWAYS = ["id", "fold", "split", "is_train"]


@pytest.mark.parametrize(
    ("low", "high", "needed"),
    [
        (0.1, 1.0, [*ALWAYS, "truth", "prediction", "guess"]),
        (10, 100, [*ALWAYS, "truth", "prediction", "guess"]),
        # These scores are not the confidence of a predicted label.
        (0.09, 1.0, ALWAYS),
        (0.1, 1.01, ALWAYS),
        (0.5, 0.5, ALWAYS),
    ],
)
def test_columns_that_looks_need(low, high, needed):
    names = [*ALWAYS, "prediction", "guess", "decision", "customer", "my_id"]
    rows = rows_of_a_file(low, high)
    assert columns_to_look_at(names, rows) == needed
    # With units, copies of a row are known.
    assert columns_to_look_at(["id"], replace(rows, unit_id=LABELS)) == []


def test_other_columns_of_a_file():
    words = {"cat": 120, "dog": 80}
    split = {"train": 150, "test": 50}

    def seen(low=0.5, **others):
        rows = rows_of_a_file(low, 1.0, {"truth": words, **others})
        return " ".join(rows_seen(rows, ANSWER))

    assert seen(split=split).startswith("150 rows of the file have split train. How")
    assert seen(fold={"1": 90, "2": 110}, split=split).startswith("150 rows")
    assert seen(is_train={"0": 80, "1": 120}).startswith("120 rows of the file have is")
    assert seen(train={"False": 80, "True": 120}).startswith(
        "120 rows of the file have"
    )
    assert seen(cohort={"derivation": 1, "validation": 9}).startswith("1 rows of the f")
    confidence = "The column guess has the labels of truth, and no score is below 0.5"
    assert seen(guess=words).startswith(confidence)
    assert seen(pred_time={"8": 1, "9": 9}, guess=words).startswith(confidence)
    ids = dict.fromkeys(range(40), 5)
    assert seen(id=ids).startswith("Each id is in 5 rows. If they are copies of a row")
    for other in (
        seen(split={"val": 150, "test": 50}),
        seen(name=split),
        seen(guess=words, low=0.49),
        seen(guess={"cat": 200}),
        seen(guess={"cat": 100, "fox": 100}),
        seen(decision=words),
        seen(train={"1": 9, "2": 9, "3": 9}),
        seen(train={"0": 200}),
        seen(id=ids | {7: 4}),
        seen(id=dict.fromkeys(range(200), 1)),
        seen(id=dict.fromkeys(range(5), 40)),
        seen(user=ids),
    ):
        assert not other

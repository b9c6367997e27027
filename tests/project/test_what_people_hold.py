"""Inputs of users who come from other packages, spreadsheets and databases: inputs that
raise an error, each with its cause and a line that runs, and inputs that are read.
"""

# ruff: noqa: E501  # an input is a line, which a reader copies

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import sklearn_ap as ap
from doors import text_of

N = 40
PLACE = np.arange(N)
RNG = np.random.default_rng(7)
y = (PLACE % 3 == 0).astype(int)
s = np.clip(RNG.normal(0.4 + 0.2 * y, 0.2), 0.01, 0.99).round(3)
p = np.column_stack([1 - s, s])
grades = PLACE % 4
three = np.array(["ant", "bee", "cat"])[PLACE % 3]
attack = np.where(
    y, np.array(["smurf.", "neptune.", "back."])[PLACE // 3 % 3], "normal."
)
unsure = np.where(PLACE % 5 == 0, -1, y)
raters = PLACE % 4 / 3
genres = np.array(["drama", "drama comedy", "comedy", "drama action"])[PLACE % 4]
matrix = np.column_stack([y, 1 - y, PLACE % 2])
scores3 = np.column_stack([s, 1 - s, s**2])
# Each input, words of its error (the cause, and what to write), and a line that runs.
REFUSED = [
    # labels of several values
    (
        "ap.average_precision_score(grades, s)",
        ["0 (10 rows)", ">= 2"],
        "ap.average_precision_score(np.asarray(grades) >= 2, s)",
    ),
    (
        "ap.precision_at_k_score(unsure, s, k=5)",
        ["-1 (8 rows)", "!= -1"],
        "ap.precision_at_k_score(unsure[unsure != -1], s[unsure != -1], k=5)",
    ),
    (
        "ap.estimate_score('average_precision', attack, s)",
        ["'normal.'", "np.asarray(y_true) != 'normal.'"],
        "ap.estimate_score('average_precision', np.asarray(attack) != 'normal.', s)",
    ),
    (
        "ap.r_precision_score(raters, s)",
        ["shares", ">= 0.5"],
        "ap.r_precision_score(np.asarray(raters) >= 0.5, s)",
    ),
    (
        "ap.average_precision_score(genres, s)",
        ["lists of labels", "MultiLabelBinarizer"],
        "ap.average_precision_score(matrix, scores3)",
    ),
    ("ap.pr_auc_score(s, y)", ["swap"], "ap.pr_auc_score(y, s)"),
    (
        "ap.report(three, s)",
        ["y_true has 3 values", "pos_label='ant'"],
        "ap.report(three, s, pos_label='ant')",
    ),
    # words of other packages
    (
        "ap.compare_scores('average_precision', y, s, s**2 - y, n_resamples=999)",
        ["compare_scores takes no argument 'n_resamples'", "draw no samples"],
        "ap.compare_scores('average_precision', y, s, s**2 - y)",
    ),
    (
        "ap.average_precision_score(y, s, k=10)",
        [
            "average_precision_score takes no argument 'k'",
            "average_precision_at_k_score(k=...)",
        ],
        "ap.average_precision_at_k_score(y, s, k=10)",
    ),
    (
        "ap.precision_at_k_score(y, s, top_k=10)",
        ["precision_at_k_score takes no argument 'top_k'", "k=top_k"],
        "ap.precision_at_k_score(y, s, k=10)",
    ),
    (
        "ap.recall_at_k_score(y, s, n_relevant=30)",
        ["recall_at_k_score takes no argument 'n_relevant'", "n_positives=n_relevant"],
        "ap.recall_at_k_score(y, s, n_positives=30)",
    ),
    # values in Python
    (
        "ap.average_precision_score(np.where(PLACE[:, None] == 2, np.nan, matrix), scores3)",
        ["NaN", "np.nonzero(keep)"],
        "ap.average_precision_score(matrix[matrix >= 0], scores3[matrix >= 0], query_id=np.nonzero(matrix >= 0)[1])",
    ),
    (
        "ap.average_precision_score(matrix, scores3, sample_weight=matrix)",
        ["sample_weight", "np.nonzero(keep)"],
        "ap.average_precision_score(matrix[matrix > 0], scores3[matrix > 0], query_id=np.nonzero(matrix > 0)[1])",
    ),
    (
        "ap.AveragePrecisionDisplay.from_predictions(y, s, name=5)",
        ["name must be", "5"],
        "ap.AveragePrecisionDisplay.from_predictions(y, s, name='5')",
    ),
    (
        "ap.distributed.RankingState().update([], [], sample_weight=[])",
        ["empty"],
        "ap.distributed.RankingState().update([1, 0], [2, 1], sample_weight=[1, 1])",
    ),
]

if hasattr(pl, "Int128"):  # from polars 1.18 on
    REFUSED.append(
        (
            "ap.average_precision_score(y, pl.Series(range(N), dtype=pl.Int128))",
            ["y_score", "Int128", "cast("],
            "ap.average_precision_score(y, pl.Series(range(N), dtype=pl.Int128).cast(pl.Int64))",
        )
    )

# Each input that is read, and its plain form, which has the same answer.
READ = [
    (
        "ap.average_precision_score(grades >= 2, s)",
        "ap.average_precision_score((grades >= 2).tolist(), s.tolist())",
    ),
    (
        "ap.average_precision_score(three, s, pos_label='bee')",
        "ap.average_precision_score(three == 'bee', s)",
    ),
    (
        "ap.operating_point(grades, s, recall=.5, pos_label=2).recall",
        "ap.operating_point(grades == 2, s, recall=.5).recall",
    ),
]


# The names that the code of an input may use.
NAMES = globals() | {"ap": ap, "pl": pl, "pa": pa}


def value_of(code):
    return eval(code, NAMES)


@pytest.mark.parametrize(("code", "words", "line"), REFUSED)
def test_an_error_says_the_cause_and_a_line_that_runs(code, words, line):
    with pytest.raises((ValueError, TypeError)) as caught:
        value_of(code)
    text = text_of(caught.value)
    assert [word for word in words if word not in text] == [], text
    value_of(line)


@pytest.mark.parametrize(("code", "other"), READ)
def test_what_is_read_as_its_plain_form(code, other):
    assert value_of(code) == value_of(other)

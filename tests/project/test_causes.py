"""Errors show what a value is and what to write: for fields, labels, words of other
packages, and values in Python.
"""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sklearn_ap as ap
from doors import text_of
from sklearn_ap import distributed
from sklearn_ap._core.reading.fields import what_is
from sklearn_ap._core.reading.labels import ways_to_two

Y, S = np.arange(6) % 2, np.linspace(0, 1, 6)
FIELDS = {
    "a list": ["[0.5, 0.5]", "[0.5 0.5]", "(0.1, 0.9)", [0.5, 0.5], pl.Series([1])],
    "a mapping": ["{'yes': 0.5}", {"yes": 0.5}],
    "the text of an object": ["tensor(0.47)", "np.float64(0.4)", "Decimal('0.5')"],
    "a number in brackets": ["(0.9)"],
    "a number whose thousands": [
        "4,151.93",
        "4.151,93",
        "12 345,6",
        "1,234,567",
        "1'234",
    ],
    "a percentage": ["87,5 %", "87%"],
    "a decimal comma, or": ["0,35", "-,5", "1,234"],
    "a yes or no": ["True", "no"],
    "a bound": ["<0.001", ">= 1"],
    "a number with a unit": ["0.5 ms", "€ 5"],
    "not a number": ["abc", "-", "#DIV/0!", "0x1F", "1_000"],
}
WAYS = {
    "for grades, pass y >= 2 or another level; for one": {0: 5, 1: 5, 2: 5, 3: 5},
    "if -1 marks rows without a label, keep those where y != -1": {-1: 2, 0: 5, 1: 5},
    "for shares, such as those of raters, pass y >= 0.5": {0.0: 3, 0.5: 2, 1.0: 4},
    "for measured values, pass y >= 0.7 or": {0.1: 1, 0.7: 1, 3.5: 1},
    "for lists of labels, MultiLabelBinarizer": {"a b": 2, "b c": 2, "c": 1},
    "for one label against the others, pass pos_label='bot'; for all labels but one, pass "
    "y != 'normal'": {"bot": 1, "normal": 9, "worm": 1},
}
WORDS = {
    "estimate_score .* write unit_id=groups": lambda: ap.estimate_score(
        "recall@2", Y, S, groups=Y
    ),
    "pr_auc_score .* write query_id=groups": lambda: ap.pr_auc_score(Y, S, groups=Y),
    "estimate_score .* write average_precision_at_k": lambda: ap.estimate_score(
        "average_precision", Y, S, k=3
    ),
    "operating_point .* specificity=1 - fpr": lambda: ap.operating_point(Y, S, fpr=0.1),
    "compare_scores .* did you mean query_id": lambda: ap.compare_scores(
        "average_precision", Y, S, S, querry_id=Y
    ),
    "from_predictions .* curve_kwargs={'alpha': ...}": lambda: (
        ap.HitCurveDisplay.from_predictions(Y, S, alpha=0.5)
    ),
    "chance_level .* it takes y_true, y_score, pos_label": lambda: ap.chance_level(
        Y, zz=3
    ),
}
FRAME = pd.DataFrame({"label": [[1], [0]], "score": [[0.5, 0.5], [0.1, 0.9]]})
VALUES = {
    r"y_score contains .* list of 2.*np.stack\(y_score\)\[:, 1\]": lambda: (
        ap.pr_auc_score(Y, pd.Series([[0.5, 0.5]] * 6))
    ),
    r"y_score\['a'\] contains .* list of 2": lambda: ap.pr_auc_score(
        Y, pd.DataFrame({"a": [[0.5, 0.5]] * 6})
    ),
    "inconsistent.*y_score is a mapping of": lambda: ap.average_precision_score(
        Y, {"a": S}
    ),
    "^y_score is a mapping of": lambda: ap.precision_at_k_score(Y, {"a": S}),
    "y_true is a query that was not run": lambda: ap.hit_curve(
        pl.DataFrame({"y": Y}).lazy(), S
    ),
    "data is a query that was not run, LazyFrame: pass data.collect": lambda: (
        distributed.score("average_precision", pl.DataFrame({"y": Y}).lazy())
    ),
    "^y_true has 3 values: 0 .2 rows.": lambda: ap.operating_point(
        np.arange(6) // 2, S, recall=0.5
    ),
    "column 'score': contains .* list of 2": lambda: distributed.score(
        "average_precision", FRAME.assign(label=[1, 0])
    ),
}


@pytest.mark.parametrize("what", FIELDS)
def test_a_field_is_called_what_it_is(what):
    assert [x for x in FIELDS[what] if not what_is(x).startswith(what)] == []


@pytest.mark.parametrize("way", WAYS)
def test_labels_of_several_values_become_two(way):
    assert way in ways_to_two(WAYS[way], "y")


@pytest.mark.parametrize("text", WORDS)
def test_words_of_other_packages(text):
    with pytest.raises(TypeError, match=f"{text}.*"):
        WORDS[text]()


@pytest.mark.parametrize("text", VALUES)
def test_values_of_other_shapes(text):
    with pytest.raises((ValueError, TypeError)) as caught:
        VALUES[text]()
    assert re.search(text, text_of(caught.value)), text_of(caught.value)


def test_decimals_of_one_column_have_one_sign_in_all_batches(tmp_path):
    """Rows of the first batch have a point, and those of the second one a comma."""
    points, commas = "1;0.5\n0;0.25\n" * 2**16, "1;0,5\n"
    path = tmp_path / "rows.csv"
    path.write_text(f"label;score\n{points}{commas}")
    with pytest.raises(
        distributed.SourceError, match=r"'0\.5' and '0,5': write decimals"
    ):
        distributed.score("average_precision", path)


def test_a_later_batch_shows_what_commas_mean(tmp_path):
    path = tmp_path / "rows.csv"
    rows = "1;1,234\n0;0\n" * 2**16
    path.write_text(f"label;score\n{rows}")
    with pytest.raises(distributed.SourceError, match=r"'1,234', .* 1\.234 or 1234"):
        distributed.score("average_precision", path)
    path.write_text(f"label;score\n{rows}1;87,5\n")
    assert distributed.score("average_precision", path) == 1.0

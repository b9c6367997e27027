"""Errors show what a value is and what to write: for fields, labels, words of other
packages, and values in Python.
"""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sklearn_ap as ap
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
}


@pytest.mark.parametrize("description", FIELDS)
def test_errors_describe_a_field(description):
    for field in FIELDS[description]:
        assert what_is(field).startswith(description), field


@pytest.mark.parametrize("advice", WAYS)
def test_advice_on_two_labels(advice):
    assert advice in ways_to_two(WAYS[advice], "y")


@pytest.mark.parametrize("text", VALUES)
def test_values_of_other_shapes(text):
    with pytest.raises((ValueError, TypeError)) as caught:
        VALUES[text]()
    message = " ".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
    assert re.search(text, message), message


def test_words_of_other_packages():
    with pytest.raises(TypeError, match=r"pr_auc_score .* write query_id=groups"):
        ap.pr_auc_score(Y, S, groups=Y)


@pytest.mark.parametrize(
    ("y_true", "shape", "fits"),
    [
        ([0, 1, 2, 1, 2], (3, 5), True),
        (np.eye(4)[[0, 1, 2, 3, 1]], (4, 5), True),
        ([0, 1, 1, 0], (1, 4), True),
        ([0, 1, 1, 0], (2, 4), True),
        # Transposed, these would have a column too many.
        ([0, 1, 2], (4, 3), False),
        ([0, 1, 1, 0], (3, 4), False),
    ],
)
def test_scores_are_to_be_transposed_only_if_they_fit_then(y_true, shape, fits):
    scores = np.random.default_rng(0).random(shape)
    with pytest.raises(ValueError, match=r"shape|inconsistent") as caught:
        ap.average_precision_score(y_true, scores)
    notes = " ".join(getattr(caught.value, "__notes__", []))
    assert ("pass np.transpose(y_score)" in notes) == fits
    if fits:
        ap.average_precision_score(
            y_true, scores.T[:, -1] if shape[0] < 3 else scores.T
        )

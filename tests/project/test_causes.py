"""Errors of functions above the core show what a value is and what to write."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sklearn_ap as ap
from doors import text_of

Y, S = np.arange(6) % 2, np.linspace(0, 1, 6)
WORDS = {
    "estimate_score .* write unit_id=groups": lambda: ap.estimate_score(
        "recall@2", Y, S, groups=Y
    ),
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
    "data is a query that was not run, LazyFrame: pass data.collect": lambda: (
        ap.distributed.score("average_precision", pl.DataFrame({"y": Y}).lazy())
    ),
    "^y_true has 3 values: 0 .2 rows.": lambda: ap.operating_point(
        np.arange(6) // 2, S, recall=0.5
    ),
    "column 'score': contains .* list of 2": lambda: ap.distributed.score(
        "average_precision", FRAME.assign(label=[1, 0])
    ),
}


@pytest.mark.parametrize("text", WORDS)
def test_words_of_other_packages(text):
    with pytest.raises(TypeError, match=f"{text}.*"):
        WORDS[text]()


@pytest.mark.parametrize("text", VALUES)
def test_values_of_other_shapes(text):
    with pytest.raises((ValueError, TypeError)) as caught:
        VALUES[text]()
    assert re.search(text, text_of(caught.value)), text_of(caught.value)


def test_all_batches_of_a_column_have_the_same_decimal_sign(tmp_path):
    """Rows of the first batch have a point, and those of the second one a comma."""
    points, commas = "1;0.5\n0;0.25\n" * 2**16, "1;0,5\n"
    path = tmp_path / "rows.csv"
    path.write_text(f"label;score\n{points}{commas}")
    with pytest.raises(
        ap.distributed.SourceError, match=r"'0\.5' and '0,5': write decimals"
    ):
        ap.distributed.score("average_precision", path)


def test_a_later_batch_shows_what_commas_mean(tmp_path):
    path = tmp_path / "rows.csv"
    rows = "1;1,234\n0;0\n" * 2**16
    path.write_text(f"label;score\n{rows}")
    with pytest.raises(ap.distributed.SourceError, match=r"'1,234', .* 1\.234 or 1234"):
        ap.distributed.score("average_precision", path)
    path.write_text(f"label;score\n{rows}1;87,5\n")
    assert ap.distributed.score("average_precision", path) == 1.0

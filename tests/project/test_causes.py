"""Errors of functions above the core show what a value is and what to write."""

import re

import numpy as np
import pandas as pd
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
    "^y_true has 3 values: 0 .2 rows.": lambda: ap.operating_point(
        np.arange(6) // 2, S, recall=0.5
    ),
    "column 'score' must contain one value per row; .* list": lambda: (
        ap.distributed.score("average_precision", FRAME.assign(label=[1, 0]))
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

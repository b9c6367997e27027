"""Errors about wrong arguments, which name the argument."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

from oracles.uncertainty import drawn, drawn_matrix, drawn_weights
from sklearn_ap import (
    chance_average_precision,
    compare_many,
    compare_scores,
    estimate_score,
)
from sklearn_ap._core.areas.step import STEP
from sklearn_ap._core.definition import define
from sklearn_ap._core.evaluate import scored
from sklearn_ap._uncertainty import standard_errors

NAN = float("nan")
THIRD = np.arange(60) // 20
LABELS, SCORES = drawn(1, 60, 0.5)
MATRIX = dict(zip(("y_true", "y_score"), drawn_matrix(1, 60), strict=True))
MODEL = {"score_func": "average_precision", "y_true": LABELS, "y_score": SCORES}
TWO = {"score_func": "average_precision", "y_true": LABELS}


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"unit_id": [1, 2, 3]}, r"^unit_id must .* got shape \(3,\)"),
        ({"prevalence": 1e-300}, "^prevalence must not make a negative weigh"),
        *(
            ({"n_positives": 1e61} | more, r"^n_positives must be at most 1e\+60 above")
            for more in ({}, {"score_func": "recall@5"}, {"unit_id": THIRD})
        ),
        *(
            ({"n_positives": 90} | more, r"^with n_positives, an interval requires.*90")
            for more in (
                {"sample_weight": drawn_weights(1, 60)},
                {"query_id": THIRD, "average": "micro"},
                {"score_func": "average_precision@5", "ties": "stable"},
                {"n_positives": [90] * 3, **MATRIX},
            )
        ),
        (
            {
                **{"y_true": [[1, 0], [0, 0]], "y_score": [[1, 2], [3, 4]]},
                **{"average": "samples", "sample_weight": [0, 1]},
                "zero_division": NAN,
            },
            "^y_true must contain a positive in a ranking whose weight .* got none",
        ),
        (
            {"unit_id": [7] * 60, "query_id": [7] * 60, "n_positives": {7: 60, 9: 1}},
            r"^unit_id requires rows of each query that .*got {7: 60, 9: 1}",
        ),
        *(
            ({"score_func": score}, match)
            for score, match in {
                metrics.roc_auc_score: r"^score_func .*scipy\.stats\.bootstrap\(",
                partial(metrics.f1_score): r"^score_func .*scipy\.stats\.bootstrap\(",
                "pr_auc_davis_goadrich": r"_score has no interval here: .*query_id",
                "recall_at_precision@0.5": r"_score has no interval here: .*query_id",
                "reciprocal_rank": r"_score has no interval here: .*query_id",
            }.items()
        ),
        # The order of two tied rows would decide which of their units has the hit.
        *(
            ({"score_func": "average_precision@20", "ties": ties} | unit, "^ties must")
            for ties in ("optimistic", "pessimistic")
            for unit in ({"unit_id": THIRD}, {"query_id": THIRD, "average": "micro"})
        ),
    ],
)
def test_wrong_arguments_of_estimate_score_are_named(changed, match):
    with pytest.raises(ValueError, match=match):
        estimate_score(**MODEL | changed)


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"y_score": [1, 2]}, r"^y_score must map .* list \[1, 2\]\."),
        ({"y_score": {"a": SCORES}}, r"^y_score must .* dict {'a': arr"),
        # A data frame with a single column.
        ({"y_score": pd.DataFrame({"a": SCORES})}, r"^y_score must .* dict {'a': 0 "),
        ({"reference": "b"}, r"^reference must .* \['m0', .*; got 'b'"),
    ],
)
def test_wrong_arguments_of_compare_many_are_named(changed, match):
    with pytest.raises(ValueError, match=match):
        compare_many(**TWO | {"y_score": {"m0": SCORES, "m1": -SCORES}} | changed)


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"zero_division": 0.5}, "zero_division .* got 0.5"),
        ({"y_true": [1, NAN]}, "y_true contains NaN"),
        (
            {"sample_weight": [1, 2, 2]},
            r"^sample_weight must be equal .*; got weights from 1.0 to 2.0\. Score",
        ),
    ],
)
def test_wrong_arguments_of_chance_average_precision_are_named(changed, match):
    with pytest.raises(ValueError, match=match):
        chance_average_precision(**{"y_true": [1, 0, 0]} | changed)


@pytest.mark.parametrize(
    ("limits", "words"),
    [({"highest": np.inf}, "0 to inf"), ({"lowest": -1.0}, "-1 to 1")],
)
@pytest.mark.parametrize("query", [{}, {"query_id": THIRD}])
def test_a_score_whose_endpoints_are_unknown_has_no_interval(
    limits, words, query, monkeypatch
):
    """A mean over queries needs no influence of rows, but its interval would end at 1."""

    @scored
    def lift_score(y_true, y_score, *, query_id=None, average="macro"):  # noqa: ARG001  # `scored` reads them
        return define(replace(STEP, **limits))

    known = (*standard_errors.SCORES, lift_score)
    monkeypatch.setattr(standard_errors, "SCORES", known)
    text = f"^lift_score has no interval here: .* has values from {words}"
    with pytest.raises(ValueError, match=text):
        estimate_score(lift_score, LABELS, SCORES, **query)
    with pytest.raises(ValueError, match=text):
        compare_scores(lift_score, LABELS, SCORES, -SCORES, **query)

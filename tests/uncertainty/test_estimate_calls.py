"""Tests of the arguments of `estimate_score`, and of the methods of its results."""

import json
import pickle
from functools import partial

import numpy as np
import pytest
from sklearn import metrics

from oracles.uncertainty import (
    drawn,
    drawn_matrix,
    warns_of,
)
from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    estimate_score,
    pr_auc_score,
)

AP = average_precision_score


def estimate(*rows, **options):
    return estimate_score(AP, *rows, **options)


# --- samples without an interval, and few positives -----------------------------------


def test_few_positives_warn():
    """With 3 positives or with units, simulated intervals of areas cover as often as they
    should.
    """
    y_score = np.random.default_rng(0).random(100)
    # If the positives had low scores, there would be a second warning.
    y_score[:2] = 3, 2
    for n in (1, 2):
        with warns_of("few_positives", rf"positives \({n}\) to"):
            estimate(np.arange(100) < n, y_score)
    estimate(np.arange(100) < 3, y_score)
    unit = np.arange(100) % 50
    estimate(np.arange(100) < 2, y_score, unit_id=unit)
    with warns_of("few_positives", r"units that contain a positive \(2\) to"):
        estimate_score(
            "interpolated_average_precision",
            *(np.arange(100) < 2, y_score),
            unit_id=unit,
            recall_levels=[0.5],
        )


@pytest.mark.parametrize("labels", [(-1, 1), (False, True), (2, 1)], ids=str)
def test_labels_in_the_place_of_scores_warn(labels):
    """`cross_val_predict` returns labels unless its `method` is passed, and the AP of
    labels is not that of the model.
    """
    y_true, y_score = drawn(1, 400, 0.3)
    positive, hard = (np.where(x, *labels[::-1]) for x in (y_true, y_score > 0.8))
    call = partial(estimate, positive, pos_label=labels[1])
    text = "nothing but the labels {:g} and {:g}, so".format(*sorted(labels))
    for unit_id in (None, np.arange(400) // 2):
        with pytest.warns(UserWarning, match=text):
            call(hard, unit_id=unit_id)
    # Two scores that are not the labels give no warning.
    call(hard + 0.5)
    call(np.append(hard[:-1], 0.5))


def test_average_precision_of_scikit_learn_is_ours():
    rows = drawn(1, 60, 0.5)
    theirs = partial(metrics.average_precision_score, pos_label=0)
    wanted = estimate(*rows, pos_label=0)
    assert estimate_score(theirs, *rows).to_dict() == wanted.to_dict()


# --- results --------------------------------------------------------------------------


def test_results_are_tabled():
    found = estimate(*drawn_matrix(1, 90))
    frame = found.to_frame()
    assert len(frame) == 1
    assert frame["score"].tolist() == [found.score]
    assert tuple(frame[["low", "high"]].iloc[0]) == found.confidence_interval()


AT_10 = partial(average_precision_at_k_score, k=10)


@pytest.mark.parametrize(
    ("score", "params", "name", "options"),
    [
        (AT_10, {"ties": "expected"}, "average_precision@10", {"ties": "expected"}),
        (
            pr_auc_score,
            {"prevalence": np.float32(0.25), "interpolation": "linear"},
            "pr_auc_linear",
            {"prevalence": 0.25},
        ),
        (AP, {"sample_weight": np.ones(60)}, "average_precision", {}),
        ("precision@5", {"pos_label": np.True_}, "precision@5", {"pos_label": True}),
    ],
)
def test_results_name_their_score_and_its_options(score, params, name, options):
    """A pickled copy has the same names, and no result keeps an array of rows."""
    found = estimate_score(score, *drawn(1, 60, 0.5), **params)
    numbers = pickle.loads(pickle.dumps(found)).to_dict()
    assert (numbers["score_name"], numbers["options"]) == (name, options)
    assert json.loads(json.dumps(numbers)) == numbers

"""One dictionary of common keywords serves every score."""

from inspect import signature

import numpy as np
import pytest

import sklearn_ap
from metrics import ALL_SCORES, CALLED

COMMON = {
    "average": "weighted",
    "pos_label": "yes",
    "sample_weight": [2.0, 2.0, 2.0, 0.5, 0.5, 0.0],
    "query_id": ["a", "a", "a", "b", "b", "b"],
    "query_weight": {"a": 3, "b": 1, "c": 2},
    "n_positives": {"a": 4, "b": 1, "c": 2},
    "zero_division": 0.0,
}
WITHOUT_MEANING = {"pr_auc_score": {"n_positives"}, "precision_at_k_score": {"zero_division"}}


@pytest.mark.parametrize("score", CALLED, ids=lambda score: score.__name__)
def test_one_dictionary_serves_every_score(score):
    left_out = WITHOUT_MEANING.get(score.__name__, set())
    keywords = {name: value for name, value in COMMON.items() if name not in left_out}
    if "n_positives" in left_out:  # which alone names query c
        keywords["query_weight"] = {"a": 3, "b": 1}
    assert left_out.isdisjoint(signature(score).parameters)
    labels, scores = ["yes", "no", "yes", "no", "yes", "no"], [6, 5, 4, 3, 2, 1]
    value = score(labels, scores, **keywords)
    keywords["average"] = keywords["query_weight"] = None
    a, b = score(labels, scores, **keywords)[:2]
    positives = {"a": 4, "b": 1, "c": 2} if "n_positives" in keywords else {"a": 4, "b": 0.5, "c": 0}
    weights = [COMMON["query_weight"][query] * count for query, count in positives.items()]
    assert value == pytest.approx(np.average([a, b, 0.0], weights=weights), abs=1e-15)


def test_cuts_and_ties_have_one_default_or_a_reason():
    for name, usual in (("k", 10), ("ties", "proportional")):
        takes = [score for score in ALL_SCORES if name in signature(score).parameters]
        others = {score.__name__ for score in takes if signature(score).parameters[name].default != usual}
        assert others == {"reciprocal_rank_score"}
    doc = sklearn_ap.reciprocal_rank_score.__doc__
    assert "by default nowhere, since" in doc
    assert "not ``'proportional'``, since" in doc


def test_a_query_without_rows_has_precision_0():
    """As ``trec_eval -c`` has it."""
    rows = {"y_true": [1, 0, 1], "y_score": [3, 2, 1], "query_id": ["a", "a", "b"], "k": 1}
    totals = {"a": 2, "b": 1, "c": 5}
    assert sklearn_ap.precision_at_k_score(**rows, n_positives=totals, average=None).tolist() == [1, 1, 0]
    assert sklearn_ap.precision_at_k_score(**rows, n_positives=totals) == 2 / 3
    assert sklearn_ap.precision_at_k_score(**rows, n_positives=totals, average="weighted") == 3 / 8

"""Names of scorers, and the scores that an error suggests for names used elsewhere."""

import re

import pytest

from sklearn_ap import get_scorer, make_scorer
from sklearn_ap._core.reading.options import NORMALIZERS
from sklearn_ap._core.registry import SCORES
from sklearn_ap._core.scorer_names import SCORER_NAMES


def test_every_score_has_a_name():
    assert {score for score, _ in SCORER_NAMES.values()} == set(SCORES)


@pytest.fixture(autouse=True)
def _only_the_names_of_the_core(monkeypatch):
    """The tests of `compatibility` check which records an error suggests."""
    monkeypatch.setattr("sklearn_ap._core.scorers._NAMERS", [])


def suggestions(call, name):
    """Return the arguments that an error suggests in place of this name."""
    try:
        call(name)
    except ValueError as error:
        problem, _, suggested = str(error).partition("did you mean ")
    else:
        pytest.fail(
            f"{name!r} is the name of a record or of a scorer, so no error suggests a "
            "score: remove it from _SPOKEN_NAMES"
        )
    assert re.search(r"must be .*; got ", problem)
    return re.split(" or (?=')", suggested[:-1])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("map_cut_10", ["'average_precision@10', normalizer='n_positives'"]),
        ("mAP@5", [f"'average_precision@5', normalizer={n!r}" for n in NORMALIZERS]),
        ("precision_at_k_score", ["'precision@10'"]),
        ("recal@0.05", ["'recall@0.05'", "'recall@0.05', normalizer='min'"]),
        # 1.0 is a share, all rows, and not one row.
        ("recal@1.0", ["'recall@1.0'", "'recall@1.0', normalizer='min'"]),
        ("R_cap@10", ["'recall@10', normalizer='min'"]),
        ("recall@5%", ["'recall@0.05'", "'recall@0.05', normalizer='min'"]),
        ("recall@500%", [""]),
        ("lift@10", ["'precision@10'"]),
        ("average_precision_weighted", ["'average_precision', average='weighted'"]),
        ("precision@1.5", [""]),
        ("precision@10.0", ["'precision@10'"]),
        ("recall_at_precision_0.9", ["'recall_at_precision@0.9'"]),
        ("roc_auc_curve", [""]),
    ],
)
def test_suggestions_contain_every_option(name, expected):
    assert sorted(suggestions(get_scorer, name)) == sorted(expected)


@pytest.mark.parametrize(
    "name",
    [
        "tpr_at_fpr",
        "TPR at FPR=0.01",
        "recall_at_fpr@.01",
        "recall_at_specificity_0.99",
        "sensitivity_at_specificity@0.99",
    ],
)
@pytest.mark.parametrize("call", [get_scorer, make_scorer])
def test_recall_at_a_false_positive_rate_has_a_recipe(call, name):
    with pytest.raises(
        ValueError, match=r"recall at a false positive rate.*operating"
    ) as e:
        call(name)
    assert "did you mean" not in str(e.value)

"""Names of scorers, and the names that an error suggests."""

import pytest

from sklearn_ap import get_scorer, get_scorer_names
from sklearn_ap._core.registry import SCORES
from sklearn_ap._core.scorer_names import SCORER_NAMES


def test_every_score_has_a_name():
    assert {score for score, _ in SCORER_NAMES.values()} == set(SCORES)


@pytest.fixture(autouse=True)
def _only_the_names_of_the_core(monkeypatch):
    """The tests of `compatibility` check which records an error suggests."""
    monkeypatch.setattr("sklearn_ap._core.scorers._NAMERS", [])


@pytest.mark.parametrize(
    ("name", "similar"),
    [
        ("averge_precision", "; did you mean 'average_precision'?"),
        ("precison@10", "; did you mean 'precision@10'?"),
        ("recal@0.05", "; did you mean 'recall@0.05'?"),
        # A number that the score does not take is not suggested.
        ("precision_at_recal@20", "."),
        ("precision@1.5", "."),
        # These are names of other numbers.
        ("mAP@0.5", "."),
        ("average_precision_50", "."),
        ("average_precision_micro", "."),
        ("auroc", "."),
    ],
)
def test_only_a_name_with_the_same_number_is_suggested(name, similar):
    with pytest.raises(ValueError, match=r"^scoring must be") as caught:
        get_scorer(name)
    assert str(caught.value).endswith(f"; got {name!r}{similar}")
    assert all(repr(known) in str(caught.value) for known in get_scorer_names())

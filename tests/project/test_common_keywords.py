"""All scores take the common keywords."""

from inspect import signature

import pytest

import sklearn_ap as ap
from metrics import ALL_SCORES, CASES, CURVES, ROWS, options_for


@pytest.mark.parametrize(("score", "keyword"), CASES)
@pytest.mark.filterwarnings(
    "ignore:No positive class|y_true contains no positives:UserWarning"
)
def test_each_keyword_changes_a_number_or_is_refused_by_name(score, keyword):
    """A score must not accept a keyword and ignore it."""
    needed, value = options_for(keyword, score)
    before = score(*ROWS, **needed)
    try:
        after = score(*ROWS, **needed | {keyword: value})
    except ValueError as error:
        assert keyword in str(error)  # noqa: PT017  # an error that names the keyword is right, too
        return
    assert after != pytest.approx(before, rel=1e-12)


def test_a_keyword_has_one_default_in_all_functions_of_a_kind():
    for score in ALL_SCORES:
        parameters = signature(score).parameters
        assert parameters["pos_label"].default == 1
        if "k" in parameters:
            assert parameters["k"].default in (None, parameters["k"].empty)
    for function in (*CURVES, ap.operating_point, ap.budget_totals):
        assert signature(function).parameters["pos_label"].default is None


# Arguments that `estimate_score`, `compare_scores` and `compare_many` may get. They pass
# all other arguments on to a score.
RESERVED = {"method", "alternative", "confidence_level", "random_state", "n_jobs"}


def test_no_score_takes_a_reserved_word():
    taken = {name for score in ALL_SCORES for name in signature(score).parameters}
    assert not taken & RESERVED

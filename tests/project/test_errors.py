"""Errors of each function that reads rows. `tests/core/test_errors.py` has the others."""

import numpy as np
import pytest

import sklearn_ap as ap
from doors import DOORS, NAMES, result_of
from refusals import assert_raises
from scoring import X, Y

S, AP = X[:, 0], ap.average_precision_score
# Scores, a part of scikit-learn's error or of ours, and what the error says to do.
WRONG = {
    "both classes": (
        np.column_stack([1 - S, S]),
        "y should be a 1d array, got an array of shape",
        "pass y_score[:, 1], the scores of class 1",
    ),
    "NaN": (
        np.where(np.isin(np.arange(S.size), [3, 7]), np.nan, S),
        "Input contains NaN.",
        "y_score is not finite in row 3 and 1 more.",
    ),
}


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.parametrize("door", DOORS)
def test_an_error_of_wrong_scores_says_what_to_do(door, case):
    scores, error, advice = WRONG[case]
    parts = assert_raises(NAMES | {"y": Y, "s": scores}, door, "", error)
    # Where several models are passed, the advice names the scores of one of them.
    named = advice.replace("y_score", "y_score['b']")
    assert any(text in " ".join(parts) for text in (advice, named))


# Each call gets `unit_id` and `n_positives`, and raises an error that leads to totals of
# units or, if the call takes none, to one of both arguments.
PASS, OMIT = (
    "Pass {unit: total}, such as objects.groupby('image').size().",
    "has no interval with both",
)
OF_PAIRS = "ass {(query, unit): total}, such as objects.groupby(['class', 'image'])"
TOTALS = [
    ("ap.estimate_score(AP, y, s, **of)", PASS),
    ("ap.estimate_score('recall@0.5', y, s, **of)", PASS),
    ("ap.estimate_score(AP, y, s, query_id=s > 0, **of)", OF_PAIRS),
    ("ap.compare_scores(AP, y, s, -s, **of)", PASS),
    ("ap.compare_many(AP, y, {'a': s, 'b': -s}, **of)", PASS),
    ("ap.compare_samples(AP, *[dict(y_true=y, y_score=s) | of] * 2, paired=False)", PASS),
    ("ap.compare_samples(AP, *[dict(y_true=y, y_score=s) | of] * 2, paired=True)", PASS),
    ("ap.operating_point(y, s, threshold=0.5, **of)", PASS),
    ("ap.PrecisionRecallDisplay.from_predictions(y, s, plot_band=True, **of)", OMIT),
    ("ap.report(y, s, **of)", OMIT),
    ("ap.report(y, s, threshold_at=[('threshold', 0.5)], **of)", OMIT),
    ("ap.report(y, s, query_id=s > 0, **of)", OMIT),
]  # fmt: skip


@pytest.mark.parametrize("n_positives", [900, [900]])
@pytest.mark.parametrize(("door", "advice"), TOTALS)
def test_totals_are_those_of_units(door, advice, n_positives):
    if "query_id" in door:
        n_positives = {False: 900, True: 900}
    of = {"unit_id": np.arange(len(Y)) // 3, "n_positives": n_positives}
    with pytest.raises(ValueError, match=r"^n_positives must ") as raised:
        result_of(door, Y, S, of=of)
    assert f"; got {n_positives}. " in str(raised.value)
    assert advice in str(raised.value)


def test_an_estimate_of_a_record_names_the_call_that_has_its_number():
    assert 0 < ap.compatibility.score_as("VOC 2007", Y, S) < 1
    match = r"^score_func .*'VOC 2007'.* score_as\('VOC 2007', y_true"
    with pytest.raises(ValueError, match=match):
        ap.estimate_score("VOC 2007", Y, S)

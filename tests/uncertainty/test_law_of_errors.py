"""The law of errors: the standard error of each score is near that of a bootstrap, or an
error says that there is none. A new score must obey it, too.
"""

from dataclasses import fields, replace

import numpy as np
import pytest

from sklearn_ap import average_precision_score, estimate_score, get_scorer_names
from sklearn_ap._core.definition import Definition
from sklearn_ap._core.registry import NUMBERS
from sklearn_ap._core.scorer_names import function_of
from sklearn_ap._uncertainty.sampling.sample import sample_of
from sklearn_ap._uncertainty.sampling.score_call import read_call
from sklearn_ap._uncertainty.sampling.units import Units

N_ROWS, N_SAMPLES = 600, 200
# The cut is after a tenth of the rows: k = 10 would be the first 1.7 %.
SCORES = {name: (name.replace("@10", "@60"), {}) for name in get_scorer_names()} | {
    f"at levels {grid}": (
        "interpolated_average_precision",
        {"recall_levels": grid},
    )
    for grid in ([0, 0.5], 2, 11, 101)
}
# These scores must have an interval. An error may say that others have none.
WITH_INTERVAL = {
    "average_precision",
    "average_precision@10",
    "eleven_point_average_precision",
    "interpolated_average_precision",
    "pr_auc_linear",
    "precision@10",
    "precision_at_recall@0.8",
    "r_precision",
    "recall@10",
    "at levels 11",
    "at levels 101",
}


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    y_true = (rng.random(N_ROWS) < 0.2).astype(int)
    y_score = rng.normal(size=N_ROWS) + 1.2 * y_true
    return y_true, y_score, rng.integers(0, N_ROWS, (N_SAMPLES, N_ROWS))


def estimate_or_none(function, y_true, y_score, options):
    """Return the estimate of a score; None if an error says that it has no interval."""
    try:
        return estimate_score(function, y_true, y_score, **options)
    except ValueError as error:
        if "has no interval here" not in str(error):
            raise
        return None


@pytest.mark.parametrize("name", SCORES)
def test_the_standard_error_is_near_that_of_a_bootstrap(name, rows):
    y_true, y_score, samples = rows
    score, options = SCORES[name]
    function, options = function_of(score, options)
    found = estimate_or_none(function, y_true, y_score, options)
    if found is None:
        assert name not in WITH_INTERVAL
        return
    of_samples = [function(y_true[i], y_score[i], **options) for i in samples]
    assert 0.75 < found.standard_error / np.std(of_samples) < 1.3


def test_an_area_without_derivatives_has_no_interval():
    call = read_call(average_precision_score, [1, 0, 1], [3, 2, 1], {})
    area = replace(call.definition.area, name="F-beta")
    other = replace(call, definition=replace(call.definition, area=area))
    with pytest.raises(ValueError, match="how much a row changes it is not defined"):
        sample_of(other, Units())


def test_the_formulas_account_for_every_field_of_a_definition():
    """If this test fails, `sums` and `contributions` must use the new field. Intervals of
    means do not ask for formulas: they end at 0 and 1, as every score does.
    """
    known = {"area", "levels", "cut", "ties", "normalizer", "prevalence"}
    assert {field.name for field in fields(Definition)} == known
    assert {number.definition.area.highest for number in NUMBERS} == {1}

"""Results print one line each, with the interval if there is one."""

import json

import numpy as np
import pytest

import sklearn_ap as ap

AP = ap.average_precision_score

RNG = np.random.default_rng(3)
Y_TRUE = (RNG.random(100) < 0.3).astype(int)
Y_SCORE = RNG.normal(size=100) + Y_TRUE
ROWS = Y_TRUE, Y_SCORE


def compared():
    second = 0.6 * Y_SCORE + np.random.default_rng(3).random(100)
    return ap.compare_scores(AP, *ROWS, second)


MANY = "ap.compare_many(AP, Y_TRUE, {'new': Y_SCORE, '<b>old</b>': -Y_SCORE})"
# A call of each kind of result, which looks up the function by its name.
RESULTS = [
    "ap.estimate_score(AP, *ROWS)",
    "ap.estimate_score(AP, [1] * 20, range(20))",
    "compared()",
    "ap.operating_point(*ROWS, recall=0.5)",
    "ap.operating_point(*ROWS, threshold=0.5)",
    "ap.budget_totals(*ROWS, k=2, query_id=np.arange(100) % 5)",
    MANY,
]
of_each = pytest.mark.parametrize("call", RESULTS)


def result_of(call):
    return eval(call)


@of_each
def test_a_result_shows_its_class_its_score_and_its_text(call):
    found = result_of(call)
    score = found.to_dict().get("score_name")
    of_score = f" of {score}" if score else ""
    end = "\n>" if "\n" in str(found) else ">"
    assert repr(found) == f"<{type(found).__name__}{of_score}: {found}{end}"


# Keys of each result.
OWN = "schema", "kind", "confidence_level"
KINDS = {
    "BudgetTotals": "budget_totals",
    "ManyComparisons": "many_comparisons",
    "OperatingPoint": "operating_point",
    "ScoreComparison": "score_comparison",
    "ScoreEstimate": "score_estimate",
}


@of_each
@pytest.mark.filterwarnings("ignore:The confidence interval is NaN")
def test_json_has_the_kind_of_a_result_and_no_nan(call):
    """The folders of the subpackages test the numbers."""
    found = result_of(call)
    numbers = found.to_dict()
    assert json.loads(json.dumps(numbers, allow_nan=False)) == numbers
    assert [numbers[key] for key in OWN] == [1, KINDS[type(found).__name__], 0.95]

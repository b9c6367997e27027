"""Several models at once: the command, a report and its page have the numbers of
`compare_many`.
"""

import numpy as np
import pytest

from shell import LABEL, MODELS, PLACE, ROWS, json_of
from sklearn_ap import (
    average_precision_score,
    budget_totals,
    compare_budgets,
    compare_many,
    compare_scores,
    estimate_score,
    report,
)

AP = average_precision_score
DAY = PLACE // 30
FIRST = MODELS["score"]
OTHERS = {name: scores for name, scores in MODELS.items() if name != "score"}
COMPARE = [word for name in OTHERS for word in ("--compare", name)]


@pytest.mark.parametrize("options", [{}, {"query_id": DAY}, {"prevalence": 0.01}])
def test_numbers_are_those_of_compare_many(options):
    made = report(LABEL, FIRST, compare=OTHERS, name="score", **options)
    many = compare_many(AP, LABEL, MODELS, reference="score", **options)
    rows = zip(many.difference, many.pvalue, *many.confidence_interval(), strict=True)
    for name, row, found in zip(OTHERS, rows, made.answer["comparisons"], strict=True):
        numbers = [found[key] for key in ("difference", "pvalue", "low", "high")]
        assert numbers == pytest.approx(row, rel=1e-12)
        estimate = estimate_score(AP, LABEL, MODELS[name], **options)
        assert found["estimate"]["value"] == found["score"] == estimate.score
        ends = found["estimate"]["low"], found["estimate"]["high"]
        assert (found["name"], ends) == (name, estimate.confidence_interval())


def by_holm(pvalues):
    """Three p-values in rising order, adjusted."""
    return pytest.approx(
        np.maximum.accumulate(np.sort(pvalues) * [3, 2, 1]).clip(max=1)
    )


def test_differences_of_budgets_and_of_sites_allow_for_their_number(path, saved):
    comparisons = json_of(path, *COMPARE, "--per", "day", "-k", "5")["comparisons"]
    totals = {
        name: budget_totals(LABEL, scores, query_id=DAY, k=5)
        for name, scores in MODELS.items()
    }
    pvalues = [compare_budgets(totals[x], totals["score"]).pvalue for x in OTHERS]
    assert sorted(found["found"]["pvalue"] for found in comparisons) == by_holm(pvalues)
    frame = ROWS.assign(site=DAY % 3)
    line = saved(frame), "--compare", "old"
    pvalues = [
        compare_scores(AP, rows.label, rows.old, rows.score).pvalue
        for _, rows in frame.groupby("site")
    ]
    classes = json_of(*line, "--per", "site")["classes"]
    found = sorted(part["comparisons"][0]["pvalue"] for part in classes)
    assert found == by_holm(pvalues)
    assert json_of(*line, "--query-id", "site")["classes"] == []  # of no interest

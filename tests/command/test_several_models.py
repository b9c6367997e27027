"""Several models at once: the command, a report and its page have the numbers of
`compare_many`.
"""

import html
import re

import numpy as np
import pytest

from shell import LABEL, MODELS, PLACE, ROWS, json_of, run
from sklearn_ap import (
    average_precision_score,
    budget_totals,
    compare_budgets,
    compare_many,
    estimate_score,
    report,
)

AP = average_precision_score
DAY = PLACE // 30
FIRST = MODELS["score"]
OTHERS = {name: scores for name, scores in MODELS.items() if name != "score"}
COMPARE = [word for name in OTHERS for word in ("--compare", name)]


def assert_compared(comparisons, many):
    """Each other model has its difference of `many`."""
    rows = many.difference, many.pvalue, *many.confidence_interval()
    for found, row in zip(comparisons, zip(*rows, strict=True), strict=True):
        numbers = [found[name] for name in ("difference", "pvalue", "low", "high")]
        assert numbers == pytest.approx(row, rel=1e-12)


@pytest.mark.parametrize("options", [{}, {"query_id": DAY}, {"prevalence": 0.01}])
def test_numbers_are_those_of_compare_many(options):
    page = report(LABEL, FIRST, compare=OTHERS, name="score", **options)
    comparisons = page.answer["comparisons"]
    assert [found["name"] for found in comparisons] == list(OTHERS)
    params = {"reference": "score", **options}
    assert_compared(comparisons, compare_many(AP, LABEL, MODELS, **params))
    for found, scores in zip(comparisons, OTHERS.values(), strict=True):
        estimate = estimate_score(AP, LABEL, scores, **options)
        assert found["estimate"]["value"] == found["score"] == estimate.score
        ends = found["estimate"]["low"], found["estimate"]["high"]
        assert ends == estimate.confidence_interval()


def test_a_table_has_a_row_per_model(path):
    made = report(LABEL, FIRST, compare=OTHERS, name="score", k=50)
    table = str(made).partition("\nDifferences are those from score")[2]
    assert table in run(path, *COMPARE, "-k", 50).out
    # The page has the same table.
    section = made.html.partition("<h2>Models</h2>")[2].partition("</section>")[0]
    for found in made.answer["comparisons"]:
        line = re.search(rf"^{found['name']} .*", table, re.MULTILINE)[0].split()
        assert line[1] == f"{found['score']:.2f}"
        assert line[-1] == f"{found['cut']['positives']:g}"
        assert f"<td>{html.escape(found['name'])}</td><td>{line[1]}</td>" in section


def test_a_budget_of_each_query(path):
    options = [*COMPARE, "--per", "day", "-k", "5", "--amount", "amount"]
    comparisons = json_of(path, *options)["comparisons"]
    totals = {
        name: budget_totals(LABEL, scores, query_id=DAY, k=5, amount=ROWS.amount)
        for name, scores in MODELS.items()
    }
    for found in comparisons:
        numbers = found["cut"]["totals"]
        for name in ("positives_found", "amount_found"):
            assert numbers[name] == getattr(totals[found["name"]], name)
    # by Holm
    pvalues = [compare_budgets(totals[x], totals["score"]).pvalue for x in OTHERS]
    adjusted = sorted(found["found"]["pvalue"] for found in comparisons)
    steps = np.minimum(np.sort(pvalues) * [3, 2, 1], 1)
    assert adjusted == pytest.approx(np.maximum.accumulate(steps))


def test_each_model_may_name_the_columns_of_classes(path):
    names = "cat,dog,owl", "score,old,<b>", "<b>,score,old"
    a, b, c = names
    options = ["--y-true", "class", "--y-score", a, "--compare", b, "--compare", c]
    answer = json_of(path, *options)
    matrices = {name: ROWS[name.split(",")].to_numpy() for name in names}
    many = compare_many(AP, ROWS["class"], matrices, reference=a)
    assert_compared(answer["comparisons"], many)
    for place, numbers in enumerate(answer["classes"]):
        scores = {name: matrix[:, place] for name, matrix in matrices.items()}
        of_class = compare_many(AP, place == PLACE % 3, scores, reference=a)
        assert_compared(numbers["comparisons"], of_class)

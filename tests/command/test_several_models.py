"""Several models at once: the command, a report and its page have the numbers of
`compare_many`.
"""

import re

import numpy as np
import pandas as pd
import pytest

from shell import LABEL, MODELS, PLACE, ROWS, error_of, json_of, run
from sklearn_ap import (
    average_precision_score,
    budget_totals,
    compare_budgets,
    compare_many,
    estimate_score,
    report,
)
from sklearn_ap._shown.numbers import part_of

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
    # A single model is compared at its own level.
    single = report(LABEL, FIRST, compare={"old": OTHERS["old"]}, **options)
    [alone] = single.answer["comparisons"]
    assert alone["pvalue"] <= comparisons[0]["pvalue"]
    assert comparisons[0]["low"] < alone["low"] < alone["high"] < comparisons[0]["high"]


def test_a_table_has_what_each_model_finds_in_money(tmp_path):
    amount = np.arange(LABEL.size) % 7
    frame = pd.DataFrame({"label": LABEL, **MODELS, "euros": amount, "day": DAY})
    frame.to_csv(tmp_path / "a.csv", index=False)
    for options in ([], ["--per", "day"]):
        line = [tmp_path / "a.csv", *COMPARE, "-k", 5, "--amount", "euros", *options]
        query = DAY if options else np.zeros(LABEL.size)
        found = [
            budget_totals(
                LABEL, scores, k=5, query_id=query, amount=amount
            ).amount_found
            for scores in MODELS.values()
        ]
        title, *rows = run(*line).out.partition("  95 % interval")[2].splitlines()[:5]
        assert title.endswith(f"euros found of {part_of(amount[LABEL == 1].sum())}")
        assert [row.split()[-1] for row in rows] == [*map(part_of, found)]


def test_a_table_has_a_row_per_model(path):
    answer = json_of(path, *COMPARE, "-k", 50)
    made = report(LABEL, FIRST, compare=OTHERS, name="score", k=50)
    assert answer == {**made.answer, "name": str(path)}
    out = run(path, *COMPARE, "-k", 50).out
    _, title, table = out.partition("\nDifferences are those from score")
    assert title + table.partition("\nNext")[0] in str(made)
    for found in answer["comparisons"]:
        line = re.search(rf"^{found['name']} .*", table, re.MULTILINE)[0].split()
        assert line[1] == f"{found['score']:.2f}"
        assert line[-1] == f"{found['cut']['positives']:g}"
        assert f"{found['difference']:.2f}" in line
    # The page has the same table, and a curve of each model.
    section = made.html.partition("<h2>Models</h2>")[2].partition("</section>")[0]
    assert section.count("<tr>") == 5
    assert "<td>&lt;b&gt;</td>" in section
    assert made.html.count('class="second" d="M0 ') == 3 + 3  # and in the key
    styles = re.findall(r'd="M0 5H26" (style=".*?")', made.html)
    assert len(set(styles)) == 2
    assert "If both models were equally good" not in made.html


def test_a_budget_of_each_query(path):
    options = [*COMPARE, "--per", "day", "-k", "5"]
    comparisons = json_of(path, *options)["comparisons"]
    totals = {
        name: budget_totals(LABEL, scores, query_id=DAY, k=5)
        for name, scores in MODELS.items()
    }
    pvalues = [compare_budgets(totals[x], totals["score"]).pvalue for x in OTHERS]
    for found in comparisons:
        assert (
            found["cut"]["totals"]["positives_found"]
            == totals[found["name"]].positives_found
        )
    # by Holm
    adjusted = sorted(found["found"]["pvalue"] for found in comparisons)
    steps = np.minimum(np.sort(pvalues) * [3, 2, 1], 1)
    assert adjusted == pytest.approx(np.maximum.accumulate(steps))
    assert "p  found in 5 rows per day\n" in run(path, *options).out


def test_each_model_may_name_the_columns_of_classes(path, tmp_path):
    names = "cat,dog,owl", "score,old,<b>", "<b>,score,old"
    a, b, c = names
    options = ["--y-true", "class", "--y-score", a, "--compare", b, "--compare", c]
    page = tmp_path / "classes.html"
    answer = json_of(path, *options, "--report", page)
    matrices = {name: ROWS[name.split(",")].to_numpy() for name in names}
    many = compare_many(AP, ROWS["class"], matrices, reference=a)
    assert_compared(answer["comparisons"], many)
    for place, numbers in enumerate(answer["classes"]):
        scores = {name: matrix[:, place] for name, matrix in matrices.items()}
        of_class = compare_many(AP, place == PLACE % 3, scores, reference=a)
        assert_compared(numbers["comparisons"], of_class)
    assert "curve, dashed: score,old,&lt;b&gt;, &lt;b&gt;,score,old" in page.read_text()
    message = error_of(path, *options[:-1], "cat,dog")
    assert f"each name as many different columns; got {a} and {b} and cat" in message

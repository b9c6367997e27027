"""Several models at once: the command, a report and its page have the numbers of
`compare_many`.
"""

import re

import numpy as np
import pandas as pd
import pytest
from shell import error_of, json_of, run

from sklearn_ap import (
    average_precision_score,
    budget_totals,
    compare_budgets,
    compare_by_query,
    compare_many,
    estimate_score,
    read_trec,
    report,
    score_by_query,
)

RNG = np.random.default_rng(0)
N = 600
LABEL = (RNG.random(N) < 0.2).astype(int)
DAY = np.arange(N) // 30
CLASSES = np.arange(N) % 3
SCORES = {
    name: RNG.normal(size=N) + gain * LABEL
    for name, gain in {"new": 2, "old": 1.5, "<older>": 1.4, "none": 0}.items()
}
OF_CLASSES = {
    f"{model}_{name}": RNG.normal(size=N) + gain * (place == CLASSES)
    for model, gain in (("a", 2), ("b", 1.5), ("c", 1))
    for place, name in enumerate(("cat", "dog", "owl"))
}
FRAME = pd.DataFrame(
    {
        "label": LABEL,
        "day": DAY,
        "class": np.array(["cat", "dog", "owl"])[CLASSES],
        **SCORES,
        **OF_CLASSES,
    }
)
OTHERS = {name: scores for name, scores in SCORES.items() if name != "new"}
COMPARE = [word for name in OTHERS for word in ("--compare", name)]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "rows.csv"
    FRAME.to_csv(path, index=False)
    return path


def assert_compared(comparisons, many):
    """Each other model has its difference of `many`."""
    ends = zip(*many.confidence_interval(), strict=True)
    rows = zip(many.difference, many.pvalue, ends, strict=True)
    for found, (difference, pvalue, (low, high)) in zip(comparisons, rows, strict=True):
        assert found["difference"] == pytest.approx(difference, rel=1e-12)
        assert found["pvalue"] == pytest.approx(pvalue, rel=1e-12)
        assert (found["low"], found["high"]) == pytest.approx((low, high), rel=1e-12)


@pytest.mark.parametrize("options", [{}, {"query_id": DAY}, {"prevalence": 0.01}])
def test_numbers_are_those_of_compare_many(options):
    page = report(LABEL, SCORES["new"], compare=OTHERS, name="new", **options)
    comparisons = page.answer["comparisons"]
    assert [found["name"] for found in comparisons] == list(OTHERS)
    score = average_precision_score
    params = {"reference": "new", "random_state": 0, **options}
    assert_compared(comparisons, compare_many(score, LABEL, SCORES, **params))
    for found, scores in zip(comparisons, OTHERS.values(), strict=True):
        estimate = estimate_score(score, LABEL, scores, **options)
        assert found["estimate"]["value"] == found["score"] == estimate.score
        ends = found["estimate"]["low"], found["estimate"]["high"]
        assert ends == estimate.confidence_interval()
    # A single model is compared at its own level.
    single = report(LABEL, SCORES["new"], compare={"old": OTHERS["old"]}, **options)
    [alone] = single.answer["comparisons"]
    assert alone["pvalue"] <= comparisons[0]["pvalue"]
    assert comparisons[0]["low"] < alone["low"] < alone["high"] < comparisons[0]["high"]


def test_a_table_has_a_row_per_model(path):
    answer = json_of(path, "--y-score", "new", *COMPARE, "-k", 50)
    made = report(LABEL, SCORES["new"], compare=OTHERS, name="new", k=50)
    assert answer == {**made.answer, "name": str(path), "counts": answer["counts"]}
    out = run(path, "--y-score", "new", *COMPARE, "-k", 50).out
    table = out[out.index("Differences are those from new") :]
    assert table.startswith(str(made)[-len(table.partition("Next")[0].rstrip()) :])
    for found in answer["comparisons"]:
        line = re.search(rf"^{found['name']} .*", table, re.MULTILINE)[0].split()
        assert line[1] == f"{found['score']:.2f}"
        assert line[-1] == f"{found['cut']['positives']:g}"
        assert f"{found['difference']:.2f}" in line
    # The page has the same table, and a curve of each model.
    section = made.html.partition("<h2>Models</h2>")[2].partition("</section>")[0]
    assert section.count("<tr>") == 5
    assert "<td>&lt;older&gt;</td>" in section
    assert made.html.count('class="second" d="M0 ') - 3 == 3  # and in the key
    styles = re.findall(r'd="M0 5H26" (style=".*?")', made.html)
    assert len(set(styles)) == 2
    assert "If both models were equally good" not in made.html


def test_a_budget_of_each_query(path):
    options = ["--y-score", "new", *COMPARE, "--per", "day", "-k", "5"]
    answer = json_of(path, *options)
    first = budget_totals(LABEL, SCORES["new"], query_id=DAY, k=5)
    pvalues = []
    for found in answer["comparisons"]:
        totals = budget_totals(LABEL, SCORES[found["name"]], query_id=DAY, k=5)
        assert found["cut"]["totals"]["positives_found"] == totals.positives_found
        pvalues.append(compare_budgets(totals, first).pvalue)
    # by Holm
    steps = np.sort(pvalues) * [3, 2, 1]
    adjusted = sorted(found["found"]["pvalue"] for found in answer["comparisons"])
    assert adjusted == pytest.approx(np.maximum.accumulate(np.minimum(steps, 1)))
    assert "p  found in 5 rows per day\n" in run(path, *options).out
    rows = json_of(path, *options, "--by-query")["rows"]
    by_model = {
        (row["run"], row["query"]): row["value"]
        for row in rows
        if row["score"] == "average precision"
    }
    for name, scores in SCORES.items():
        values = score_by_query(
            average_precision_score, LABEL, scores, query_id=DAY
        ).items()
        for day, value in values:
            assert by_model[name, day] == pytest.approx(value, nan_ok=True)


def test_each_model_may_name_the_columns_of_classes(path, tmp_path):
    a, b, c = (
        ",".join(name for name in OF_CLASSES if name.startswith(model))
        for model in "abc"
    )
    options = ["--y-true", "class", "--y-score", a, "--compare", b, "--compare", c]
    page = tmp_path / "classes.html"
    answer = json_of(path, *options, "--report", page)
    matrices = {name: FRAME[name.split(",")].to_numpy() for name in (a, b, c)}
    many = compare_many(
        average_precision_score, FRAME["class"], matrices, reference=a, random_state=0
    )
    assert_compared(answer["comparisons"], many)
    for place, numbers in enumerate(answer["classes"]):
        scores = {name: matrix[:, place] for name, matrix in matrices.items()}
        of_class = compare_many(
            average_precision_score, place == CLASSES, scores, reference=a
        )
        assert_compared(numbers["comparisons"], of_class)
    assert f"curve, dashed: {b}, {c}" in page.read_text()
    message = error_of(path, *options[:-1], "c_cat,c_dog")
    assert f"each name as many different columns; got {a} and {b} and c_cat" in message


def write_runs(folder):
    """Forty queries, and three runs."""
    rng = np.random.default_rng(3)
    rows = [
        (f"q{i}", f"d{j}", int(rng.random() < 0.3))
        for i in range(40)
        for j in "abcdefghij"
    ]
    qrels = "".join(f"{q} 0 {d} {level}\n" for q, d, level in rows)
    (folder / "qrels").write_text(qrels)
    for name, gain in (("one", 0.5), ("two", 1.5), ("three", 1.0)):
        lines = [f"{q} Q0 {d} 1 {rng.normal() + gain * x!r} a\n" for q, d, x in rows]
        (folder / name).write_text("".join(lines))
    return ["qrels", "one", "two", "three"]


def test_three_runs_share_a_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = write_runs(tmp_path)
    answer = json_of("--trec", *files, "-k", "3", "--report", "page.html")
    runs = read_trec(*files)
    scores = {}
    for name, columns in runs.items():
        y_true, y_score, query, _, totals, _ = columns
        scores[name] = score_by_query(
            "average_precision",
            y_true,
            y_score,
            query_id=query,
            n_positives=totals,
            zero_division=0.0,
        )
    for found in answer["comparisons"]:
        test = compare_by_query(scores[found["name"]], scores["one"])
        assert found["difference"] == test.difference
        # Holm over two differences
        assert test.pvalue <= found["pvalue"] <= 2 * test.pvalue
        low, high = test.confidence_interval(0.975)
        assert (found["low"], found["high"]) == pytest.approx((low, high))
    page = (tmp_path / "page.html").read_text()
    means = [f"<td>{np.mean(list(x.values())):.4f}</td>" for x in scores.values()]
    assert f"<td>MAP</td>{''.join(means)}</tr>" in page
    assert "<h2>Models</h2>" in page


def test_a_gate_of_runs_leaves_its_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    qrels, one, two, _ = write_runs(tmp_path)
    gate = ["--trec", qrels, two, one, "--fail-on", "P@3", "-k", "3"]
    gate += ["--fail-if-lower", "0.001"]
    alone = run(*gate)
    finished = run(*gate, "--report", "page.html")
    before, fails, _ = alone.out.partition("\nFails: P@3 is lower")
    assert (finished.code, finished.err) == (3, "")
    assert finished.out.startswith(before + fails)
    page = (tmp_path / "page.html").read_text()
    assert "two on qrels" in page
    assert "one has MAP" in page
    wrong = run(*gate[:4], "--fail-on", "ndcg", *gate[6:], "--report", "other.html")
    assert wrong.code == 2
    assert not (tmp_path / "other.html").exists()

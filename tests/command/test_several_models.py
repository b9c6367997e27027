"""Several models at once: the command, a report and its page have the numbers of
`compare_many`.
"""

import os

import numpy as np
import pytest

from shell import LABEL, MODELS, PLACE, ROWS, error_of, json_of, run
from sklearn_ap import (
    average_precision_score,
    budget_totals,
    compare_budgets,
    compare_many,
    compare_scores,
    estimate_score,
    report,
)
from sklearn_ap._command.files import NamedFiles

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


def by_bonferroni(pvalues):
    """Return three p-values in ascending order, each times three."""
    return pytest.approx((3 * np.sort(pvalues)).clip(max=1))


def test_differences_of_budgets_and_of_sites_allow_for_their_number(path, saved):
    comparisons = json_of(path, *COMPARE, "--per", "day", "-k", "5")["comparisons"]
    totals = {
        name: budget_totals(LABEL, scores, query_id=DAY, k=5)
        for name, scores in MODELS.items()
    }
    pvalues = [compare_budgets(totals[x], totals["score"]).pvalue for x in OTHERS]
    assert sorted(found["found"]["pvalue"] for found in comparisons) == by_bonferroni(
        pvalues
    )
    frame = ROWS.assign(site=DAY % 3)
    line = saved(frame), "--compare", "old"
    pvalues = [
        compare_scores(AP, rows.label, rows.old, rows.score).pvalue
        for _, rows in frame.groupby("site")
    ]
    classes = json_of(*line, "--per", "site")["classes"]
    found = sorted(part["comparisons"][0]["pvalue"] for part in classes)
    assert found == by_bonferroni(pvalues)
    # With --query-id, the queries have no answers of their own.
    assert json_of(*line, "--query-id", "site")["classes"] == []


@pytest.mark.parametrize("options", ["--compare b", "--unit-id b"])
def test_all_columns_are_of_the_same_rows(options, tmp_path, monkeypatch):
    """A file may be replaced while the command reads one column after the other, even
    by another file of the same size and time.
    """
    path, gather = tmp_path / "rows.csv", NamedFiles.gather
    path.write_text("label,a,b\n1,3,30\n0,2,2\n0,1,1\n")

    def rewritten(files, roles):
        other, status = tmp_path / "other.csv", path.stat()
        other.write_text("label,a,b\n0,1,1\n0,2,2\n1,3,30\n")
        os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
        other.replace(path)
        return gather(files, roles)

    monkeypatch.setattr(NamedFiles, "gather", rewritten)
    error = error_of(path, "--y-true", "label", "--y-score", "a", *options.split())
    assert "rows.csv': changed while it was read" in error


@pytest.mark.parametrize("option", ["--y-score", "--compare"])
@pytest.mark.parametrize("text", ["=a", "a=", "="])
def test_a_model_without_a_name_or_a_column_is_an_error(option, text, path):
    line = [path, "--y-true", "label", option, text]
    assert f"must be a column, or NAME=COLUMN; got '{text}'" in error_of(*line)


@pytest.mark.parametrize("option", ["--y-score", "--compare"])
def test_a_column_with_an_equals_sign_is_read_below_a_name(option, saved):
    path = saved("label,score,a=b\n1,3,30\n0,2,2\n0,1,1\n")
    error = error_of(path, option, "a=b")
    assert "column 'b' is missing; " in error
    assert (
        f"pass another name by {option} (NAME='a=b' for a column called 'a=b')" in error
    )
    assert json_of(path, option, "NAME=a=b")


def test_all_columns_are_of_the_same_files(tmp_path, monkeypatch):
    """A file may be added to a folder while the command reads it."""
    gather, text = NamedFiles.gather, "label,a,b\n1,3,30\n0,2,2\n0,1,1\n"
    (tmp_path / "1.csv").write_text(text)

    def added(files, roles):
        (tmp_path / "2.csv").write_text(text)
        return gather(files, roles)

    monkeypatch.setattr(NamedFiles, "gather", added)
    error = error_of(tmp_path, "--y-true", "label", "--y-score", "a", "--compare", "b")
    assert "2.csv': changed while it was read" in error


def test_a_rule_is_compared_at_its_own_number_of_rows(saved):
    """The command names no method of Python."""
    rows = [
        f"{row % 3 == 0:d},{row % 3 * -1 + row / 99},{row % 5 == 0:d}"
        for row in range(60)
    ]
    path = saved("\n".join(["label,score,rule", *rows]))
    err = " ".join(run(path, "--compare", "rule").err.split())
    assert "as of a rule, which retrieves 12 rows: compare at its own number" in err
    assert "pass -k 12. If a classifier predicted them, pass its scores instead." in err
    assert "predict_proba" not in err

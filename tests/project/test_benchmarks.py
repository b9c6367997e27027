"""The benchmarks run what they name, and name a peer that is absent.

No time is a test.
"""

import ast
import sys

import numpy as np
import pytest

from benchmarks import cases, paths, peers, report


def test_every_group_of_cases_calls_what_it_names():
    rng = np.random.default_rng(0)
    for case in cases.small_calls(rng):
        assert case.ours() == pytest.approx(
            case.rivals[cases.SCIKIT_LEARN](), abs=1e-12
        )


def test_packages_are_compared_or_named_as_absent(monkeypatch):
    for name in (
        "torch",
        "torchmetrics",
        "torcheval",
        "xgboost",
        "lightgbm",
        "ranx",
        "pytrec_eval",
    ):
        monkeypatch.setitem(sys.modules, name, None)
    rows = peers.rows(seconds=0.0, sizes=(500,), n_queries=20)
    installed = [row for row in rows if "not installed" not in row]
    assert {row[0].split(",")[0] for row in installed} == {
        "scikit-learn",
        "numpy",
        "polars",
        "DuckDB",
    }
    assert len(rows) - len(installed) == 6
    assert all(float(row[-1]) < 1e-12 for row in installed)


def test_nodes_leave_docstrings_blanks_and_comments_out():
    source = '"""One.\n\nTwo.\n"""\n\nfrom a import (\n    b,  # why\n)\n\n__all__ = ["f"]\n\n\n'
    source += 'def f():  # f\n    """Three."""\n    # Four.\n    return -b\n'
    # a module, an import and its alias, an assignment of a list of a text to a name,
    # and a function with its arguments, a return, a minus and a name
    assert paths.nodes_of(ast.parse(source)) == 12


def test_each_special_path_and_what_it_replaces_give_one_number():
    found = list(paths.paths(np.random.default_rng(0), 70_000))
    assert len({path.case for path in found}) == len(found) > 10
    for path in found:
        if path.name == "cut":  # its results are steps
            continue
        np.testing.assert_allclose(path.with_it(), path.without(), rtol=1e-12)


def test_a_case_says_which_goals_it_meets():
    rivals = {cases.SORT: print, cases.SCIKIT_LEARN: print}
    limits = {
        "at_most": {cases.SORT: 2.0},
        "at_least": {cases.SCIKIT_LEARN: 10},
        "bytes_at_most": 14,
    }
    case = cases.Case("a case", print, rivals, 100, looped=3, **limits)
    ratios = report.ratios(
        case, {"ours": 1.0, cases.SORT: 0.5, cases.SCIKIT_LEARN: 3.0}
    )
    assert ratios == {cases.SORT: 0.5, cases.SCIKIT_LEARN: 9.0}
    goals = "<= 2 np.sort, >= 10 x scikit-learn, <= 14 bytes"
    assert report.goals_of(case, ratios, 14.5) == (goals, "yes, no, no")

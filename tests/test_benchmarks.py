"""The benchmarks run what they name, and name a peer that is absent.

No time is a test.
"""

import sys

import numpy as np
import pytest

from benchmarks import cases, house, paths, peers, report


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


def test_size_leaves_docstrings_blanks_and_comments_out():
    source = '"""One.\n\nTwo.\n"""\n\nfrom a import (\n    b,  # why\n)\n\n__all__ = ["f"]\n\n\n'
    source += 'def f():  # f\n    """Three."""\n    # Four.\n    return -b\n'
    # a module, an import and its alias, an assignment of a list of a text to a name,
    # and a function with its arguments, a return, a minus and a name
    size = house.Size(nodes=12, code_lines=6, tokens=20, files=1, functions=1)
    assert house.size_of(source) == size


def test_rooms_stay_within_their_budgets():
    by_room = house.sizes()
    assert house.too_large(by_room) == []
    by_room["distributed"] = by_room["distributed"]._replace(nodes=10**5)
    assert len(house.too_large(by_room)) == 1


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

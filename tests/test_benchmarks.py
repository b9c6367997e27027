"""The benchmarks run what they name, and a peer that is absent is told as such. No time is a test."""

import sys
import warnings

import numpy as np
import pytest

from benchmarks import (
    cases,
    chance,
    goals,
    house,
    measure,
    paths,
    peers,
    scale,
)


def test_every_group_of_cases_calls_what_it_names():
    rng = np.random.default_rng(0)
    for case in cases.small_calls(rng):
        for name in {cases.SCIKIT_LEARN, cases.BY_HAND} & set(case.rivals):
            assert case.ours() == pytest.approx(case.rivals[name](), abs=1e-12)


def test_packages_are_compared_or_named_as_absent(monkeypatch):
    absent = ["torch", "torchmetrics", "torcheval", "xgboost", "lightgbm", "ranx", "pytrec_eval"]
    for name in absent:
        monkeypatch.setitem(sys.modules, name, None)
    rows = peers.rows(seconds=0.0, sizes=(500,), n_queries=20)
    installed = [row for row in rows if "not installed" not in row]
    assert {row[0].split(",")[0] for row in installed} == {"scikit-learn", "numpy", "polars", "DuckDB"}
    assert len(rows) - len(installed) == 6
    assert all(float(row[-1]) < 1e-12 for row in installed)


def test_lines_of_code_leave_docstrings_blanks_and_comments_out():
    source = '"""One.\n\nTwo.\n"""\n\nfrom a import (\n    b,  # why\n)\n\n__all__ = ["f"]\n\n\n'
    source += 'def f():  # f\n    """Three."""\n    # Four.\n    return b\n'
    assert house.size_of(source) == house.Size(code_lines=6, files=1, functions=1)


def test_rooms_stay_within_their_budgets():
    """The budget of each room, or what it has today, stands in `pyproject.toml`."""
    assert house.too_large(house.sizes()) == []
    for room, limits in house.budgets().items():
        assert limits.get("today", limits["budget"] + 1) > limits["budget"], room


def test_each_special_path_and_what_it_replaces_give_one_number():
    """Also the lines of a path are those of code: neither blank, nor a comment, nor a docstring."""
    named = {}
    for path in paths.paths(np.random.default_rng(0), 70_000):
        one, other = path.with_it(), path.without()
        if path.name not in ("cut",):  # these are kernels and steps
            np.testing.assert_allclose(one, other, rtol=1e-12)
        named[path.name] = sum(map(paths.lines_of, path.holders))
    assert min(named.values()) > 5
    assert {"packed", "merged", "class weights", "packed rows", "cut"} < set(named)
    assert paths.lines_of(measure.peak_bytes) == 9


def test_every_goal_is_measured_by_its_benchmark(monkeypatch):
    """In this process: most lines of the table are processes of their own."""
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(goals, "in_a_process", lambda _, *arguments: goals.called(*arguments))
    pytest.importorskip("duckdb")
    for module in (scale, chance):
        monkeypatch.setattr(module, "in_a_process", module.called)
    monkeypatch.setattr(chance, "COPAIRS", "a package that nobody has")
    tiny = goals.Sizes(rows=2_000, text_rows=5_000, queries=5, draws=50, seconds=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # an interval of few positives
        rows = goals.rows("", tiny)
    assert len({row[0] for row in rows}) == len(rows) == 21
    for case, measured, goal, met in rows[:-1]:
        assert float(measured.split()[0]) > 0, case
        assert float(goal.split()[1]) > 0, case
        assert met in ("yes", "no")
    assert rows[-1][2:] == ["", "rival not installed"]
    assert sum(row[2].startswith(">=") for row in rows) == 14  # those beside scikit-learn

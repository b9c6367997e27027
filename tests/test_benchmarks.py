"""The benchmarks run what they name, and a peer that is absent is told as such. No time is a test."""

import sys
import warnings
from fractions import Fraction
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from benchmarks import (
    accuracy,
    cases,
    chance,
    goals,
    house,
    imports,
    machine,
    measure,
    paths,
    peers,
    report,
    scale,
)
from benchmarks.__main__ import main
from sklearn_ap import average_precision_score

OURS = partial(average_precision_score, [0, 1], [1, 2])


def test_calls_take_turns():
    turns = []
    times = measure.side_by_side(
        {name: partial(turns.append, name) for name in "abc"}, seconds=0.0, clock="perf_counter"
    )
    assert set(times) == set("abc")
    assert all(time > 0 for time in times.values())
    changes = [one for one, following in pairwise(turns) if one != following]
    assert "".join(changes).startswith("abc" * 3)


def test_peak_counts_what_a_call_holds_at_once():
    assert 8_000_000 <= measure.peak_bytes(lambda: np.ones(1_000_000)) < 8_100_000
    assert measure.peak_bytes(lambda: None) < 100_000  # other threads may take some


@pytest.mark.parametrize(("limit", "met"), [(0.0, "no"), (1e9, "yes")])
def test_row_tells_which_goals_are_met(limit, met):
    case = cases.Case(
        "name",
        OURS,
        {cases.SORT: lambda: np.sort([1, 2]), cases.SCIKIT_LEARN: OURS},
        100_000,
        at_most={cases.SORT: limit},
        at_least={cases.SCIKIT_LEARN: 0.0 if met == "yes" else 1e9},
        bytes_at_most=limit,
        scale={cases.SCIKIT_LEARN: 50},
    )
    row = report.row_of(case, seconds=0.0, with_goals=True)
    assert len(row) == len(report.HEADERS) + len(report.GOALS)
    assert len(report.row_of(case, seconds=0.0)) == len(report.HEADERS)
    assert row[0] == "name"
    assert 5 < float(row[4]) < 500  # ours against ours, scaled
    assert row[-1] == ", ".join([met] * 3)


def test_every_group_of_cases_calls_what_it_names():
    rng = np.random.default_rng(0)
    for case in cases.small_calls(rng):
        for name in {cases.SCIKIT_LEARN, cases.BY_HAND} & set(case.rivals):
            assert case.ours() == pytest.approx(case.rivals[name](), abs=1e-12)


def test_short_calls_are_timed_among_other_work_too():
    short = cases.Case("name", OURS, {cases.SCIKIT_LEARN: OURS, cases.BY_HAND: OURS}, 100)
    row = report.row_of(short, seconds=0.0)
    assert [cell.count(" / ") for cell in row] == [0, 0, 0, 1, 1, 0]
    assert all(float(time) > 0 for cell in row[3:5] for time in cell.split(" / "))


def test_scorers_and_curves_have_rivals():
    for case in cases.curves_and_scorers(np.random.default_rng(0)):
        assert cases.SCIKIT_LEARN in case.rivals
        case.ours()


def test_packages_are_compared_or_named_as_absent(monkeypatch):
    absent = ["torch", "torchmetrics", "torcheval", "xgboost", "lightgbm", "ranx", "pytrec_eval"]
    for name in absent:
        monkeypatch.setitem(sys.modules, name, None)
    rows = peers.rows(seconds=0.0, sizes=(500,), n_queries=20)
    installed = [row for row in rows if "not installed" not in row]
    assert {row[0].split(",")[0] for row in installed} == {"scikit-learn", "numpy", "polars", "DuckDB"}
    assert len(rows) - len(installed) == 6
    assert all(float(row[-1]) < 1e-12 for row in installed)


def test_exact_weighted_ap_is_the_definition():
    positive, weight = np.array([1, 0, 1, 1, 0], dtype=bool), np.array([0.1, 0.7, 0.2, 1.3, 0.4])
    heavy = [Fraction(w) for w in weight]
    tp = [
        sum((w for w, p in zip(heavy[: i + 1], positive, strict=False) if p), Fraction(0)) for i in range(5)
    ]
    terms = [heavy[i] * tp[i] / sum(heavy[: i + 1]) for i in range(5) if positive[i]]
    assert accuracy.exact(positive, weight) == pytest.approx(float(sum(terms) / tp[-1]), rel=1e-15, abs=0)


@pytest.mark.slow  # processes that import scikit-learn
def test_imports_name_what_they_cost():
    rows = imports.rows(repeats=1)
    assert [row[0] for row in rows[1:]] == [*imports.STATEMENTS]
    n_modules = [int(row[4]) for row in rows[1:]]
    assert n_modules == sorted(n_modules)
    assert all("sklearn_ap" in row[5] for row in rows[1:])
    assert all(float(row[1]) > 0 for row in rows)


def test_machine_names_what_matters():
    assert len(machine.lines()) == 3
    assert f"numpy {np.__version__}" in machine.lines()[2]


def test_lines_of_code_leave_docstrings_blanks_and_comments_out():
    source = '"""One.\n\nTwo.\n"""\n\nfrom a import (\n    b,  # why\n)\n\n__all__ = ["f"]\n\n\n'
    source += 'def f():  # f\n    """Three."""\n    # Four.\n    return b\n'
    assert house.size_of(source) == house.Size(code_lines=6, files=1, functions=1)


def test_a_room_that_grows_is_named(tmp_path, monkeypatch):
    limits = {
        "_area": {"budget": 2, "today": 3},
        "_scores, _estimators": {"budget": 2},
        house.REST: {"budget": 1},
    }
    monkeypatch.setattr(house, "budgets", lambda: limits)
    for path, n_lines in {
        "_area/_one.py": 1,
        "_area/_two.py": 2,
        "_scores/_one.py": 2,
        "_rest.py": 1,
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("x = 1\n" * n_lines)
    found = house.sizes(tmp_path)
    assert {room: size.code_lines for room, size in found.items()} == dict(
        zip(limits, (3, 2, 1), strict=True)
    )
    assert house.too_large(found) == []
    (tmp_path / "_estimators.py").write_text("x = 1\n")
    (told,) = house.too_large(house.sizes(tmp_path))
    assert told.startswith("_scores, _estimators has 3 code lines, 1 too many")
    monkeypatch.setattr(house, "too_large", lambda _: [told])
    monkeypatch.setattr(house, "sizes", lambda: found)
    with pytest.raises(SystemExit) as stopped:
        house.main(["--check"])
    assert stopped.value.code == told


def test_rooms_stay_within_their_budgets():
    """The budget of each room, or what it has today, stands in `pyproject.toml`."""
    assert house.too_large(house.sizes()) == []
    for room, limits in house.budgets().items():
        assert limits.get("today", limits["budget"] + 1) > limits["budget"], room


def test_a_walk_counts_files_and_moves_of_the_package_alone():
    y_true, y_score = np.array([0, 1]), np.array([0.1, 0.2])
    assert house.walk_of(lambda: np.sort(y_score)) == (0, 0, 0)
    walk = house.walk_of(lambda: average_precision_score(y_true, y_score))
    assert walk.calls >= walk.moves >= walk.files > 1


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


@pytest.mark.parametrize(("at_least", "met"), [(False, ["yes", "yes", "no"]), (True, ["no", "yes", "yes"])])
def test_a_goal_is_met_at_its_limit(at_least, met):
    """Not by the digits that are printed."""
    rows = [goals.Goal("case", "s", lambda n=n: (n, 2), at_least).row() for n in (1, 2, 2.0001)]
    assert [row[3] for row in rows] == met
    assert rows[0][:3] == ["case", "1 s", ">= 2" if at_least else "<= 2"]


def test_goals_without_their_library_say_so(monkeypatch):
    for name in ("pyarrow", "pyarrow.parquet", "pyarrow.csv"):
        monkeypatch.setitem(sys.modules, name, None)
    rows = goals.rows("files", goals.Sizes())
    assert [row[1:] for row in rows] == [["", "", "pyarrow is not installed"]]


def test_goals_of_one_text_are_measured_alone(monkeypatch, capsys):
    given = []
    monkeypatch.setattr(goals, "_interval", lambda *sizes: given.append(sizes) or (1.7, 1.8))
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--goals", "--only", "rows, distinct"])
    main()
    printed = capsys.readouterr().out
    assert "| interval of 1,000 rows, distinct | 1.7 / AP | <= 1.8 | yes |" in printed
    assert "## Speed" not in printed
    assert given == [(1_000, "distinct", 1.8, 1.0)]


@pytest.mark.slow  # a process that imports scikit-learn
def test_the_sort_of_another_process_has_goals_of_its_own():
    ratio, limit = goals.in_a_process("AVX2", "2e3, 0.1% positive", 2_000, 0.0)
    assert ratio > 0
    assert limit == 20

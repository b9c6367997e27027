"""Each benchmark of speed runs once, on few rows. The times are not tested."""

from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import sklearn_ap
from benchmarks import before, cases, growth, paths, scale
from benchmarks.tables import lines_of
from sklearn_ap._core import ranking


def test_every_group_of_cases_calls_what_it_names():
    # The first cases have 100 to 10,000 rows, and 300 calls each.
    for case in islice(cases.cases(np.random.default_rng(0)), 6):
        calls = zip(case.ours, case.scikit_learn, strict=True)
        for ours, theirs in islice(calls, 3):
            assert ours() == pytest.approx(theirs(), abs=1e-12)
    assert len(case.row(0.0)) == len(cases.HEADERS)


def test_growth_is_measured_of_each_function_of_labels_and_scores(monkeypatch):
    names = {*sklearn_ap.__all__, *sklearn_ap.compatibility.__all__}
    calls = growth.functions()
    others = {name for name in names - calls.keys() if name.islower()}
    of_functions = {"get_scorer", "get_scorer_names", "make_scorer"}
    assert others == of_functions | {"identify_function"}
    monkeypatch.setattr(growth, "SECONDS", 0)
    name, n_kinds, *cells = growth.row("budget_totals", calls["budget_totals"])
    assert (name, n_kinds) == ("budget_totals", "6")
    assert len(cells) == len(growth.HEADERS) - 2


def test_each_path_is_measured_and_its_size_is_restored(monkeypatch):
    monkeypatch.setattr(paths, "SECONDS", 0)
    for size, without, _, kind in lines_of(paths.PATHS):
        places = [one for one in vars(ranking).values() if hasattr(one, size)]
        before = [getattr(one, size) for one in places]
        *_, ratio = paths.row_of(size, without, 20, kind)
        assert float(ratio) > 0
        assert [getattr(one, size) for one in places] == before != []


def test_a_checkout_is_compared_with_the_package():
    # The tests may run where only the installed package is found.
    packages = before.imported_from(Path(sklearn_ap.__file__).parents[1]), sklearn_ap
    for _, *case in lines_of(before.CASES):
        first, second = before.calls_of(packages, (100, *case), seed=0)
        assert first.func.__module__ != second.func.__module__
        assert str(first()) == str(second())


def test_rows_of_a_file_are_measured(tmp_path):
    """The cases run in this process, and not in a process each."""
    pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    path = scale.write_rows(tmp_path, 2_500, 0.1)
    values = [scale.measured(path, way) for way in scale.WAYS]
    for value, seconds, peak in values:
        assert value == pytest.approx(values[0][0], rel=1e-14)
        assert 0.1 < value < 1
        assert seconds >= 0 <= peak

"""Each benchmark runs once, on few rows: it calls what it names, and names a peer that
is absent.

No time is a test.
"""

import sys
from itertools import islice

import numpy as np
import pytest

from benchmarks import cases, peers, scale


def test_every_group_of_cases_calls_what_it_names():
    # 100 rows, and 1,000 of each kind of scores
    for case in islice(cases.cases(np.random.default_rng(0)), 7):
        assert case.ours() == pytest.approx(case.scikit_learn(), abs=1e-12)
    assert len(case.row(0.0)) == len(cases.HEADERS)


def test_packages_are_compared_or_named_as_absent(monkeypatch):
    """Numbers that differ would be an error."""
    for name in ["torch", "torchmetrics", "xgboost", "lightgbm", "ranx", "pytrec_eval"]:
        monkeypatch.setitem(sys.modules, name, None)
    rows = peers.show_peers(0.0, sizes=(500,), n_queries=20)
    installed = [row for row in rows if "not installed" not in row]
    names = {row[0].split(",")[0] for row in installed}
    assert names == {"scikit-learn", "numpy"}
    assert len(rows) - len(installed) == 5


def test_each_case_of_a_file_has_a_score(tmp_path):
    """In this process: each case would be a process of its own."""
    pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    for case in scale.CASES:
        path, few = (
            str(scale.write_rows(tmp_path, n, is_text=case.is_text))
            for n in (2_500, 1_000)
        )
        took = scale.called(case, path, few, 2_500)
        assert not took.peak < 3e7  # NaN but on Linux
        assert 0.02 < took.value < 1  # chance is .01

"""The simulation of plans: it does what the plans do with real rows. No time is a test."""

import numpy as np
import pytest

from benchmarks import plans, scale
from sklearn_ap.distributed._plans._job import Job
from sklearn_ap.distributed._plans._plan import scores_of
from sklearn_ap.distributed._source import tell_nobody
from sources import PartsSource

SMALL, PARTS = 40_000, 4


@pytest.mark.parametrize("limit", [200_000, 40_000, 10_000])
def test_files_are_scanned_as_often_as_the_model_says(tmp_path, limit):
    pytest.importorskip("pyarrow")
    did, seconds = plans.measured(
        scale.written(scale.Case(SMALL, plans.POSITIVE, "float32"), tmp_path), limit
    )
    model = plans.imagined(SMALL, PARTS, limit, elsewhere=False)
    assert len(model) == len(did)
    gathered = sum(one.gathered for one, _ in did)
    assert sum(one.gathered for one in model) == pytest.approx(gathered, rel=0.2)
    assert seconds > 0
    assert plans.seconds_of(model) > 0


@pytest.mark.parametrize("limit", [200_000, 40_000])
def test_clusters_exchange_as_the_model_says(limit):
    rows = scale.row_group(np.random.default_rng(0), scale.Case(SMALL, plans.POSITIVE, "float32"), SMALL)
    source = PartsSource(rows, SMALL // PARTS, statistics=False, exchanges=True)
    source.n_parts = lambda: PARTS
    scores_of(Job(source, plans.ROLES, limit, tell_nobody), plans.QUESTIONS)
    model = plans.imagined(SMALL, PARTS, limit, elsewhere=True)
    assert len(model) == source.scans
    assert bool(source.sent) == (model[-1].kind == "exchange")


def test_messages_stay_small_however_many_rows_there_are():
    kinds = [one.kind for one in plans.imagined(10**11, 10_000, 10**9, elsewhere=True)]
    assert kinds == ["Gathered", "Sums", "exchange"]


def test_command_prints_the_table(capsys, monkeypatch):
    monkeypatch.setattr(plans, "CLUSTERS", plans.CLUSTERS[:3])
    monkeypatch.setattr(plans, "RUNS", ((SMALL, 40_000),))
    plans.main(["--measure", "--check"])
    printed = capsys.readouterr().out
    assert printed.count("## ") == 3
    assert "| 1e+09 |" in printed

"""The main job, as a user starts it."""

import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

import sklearn_ap
from command import run
from metrics import ALL_SCORES, counts_weight
from sklearn_ap._command import _demonstration
from sklearn_ap._family import FAMILY as NUMBERS
from sklearn_ap.compatibility import CONVENTIONS, compare

ROOT = Path(__file__).parent.parent
FAMILY = [one for one in CONVENTIONS.values() if one.source.partition("(")[0] in sklearn_ap.__all__]


def start(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-W", "error", "-m", "sklearn_ap", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def printed() -> str:
    finished = start()
    assert (finished.returncode, finished.stderr) == (0, "")
    return finished.stdout


def test_two_tuned_models_and_their_tables(printed):
    assert printed.count("GridSearchCV by AP@20: ") == 2
    rows = re.findall(r"^(\S.*?) +(\d\.\d{4}) +(\d\.\d{4}) +([+-]\d\.\d{4})$", printed, re.MULTILINE)
    assert len(rows) == 2 * len(FAMILY)
    for name, value, reference, difference in rows:
        assert float(value) - float(reference) == pytest.approx(float(difference), abs=1.1e-4)
        assert name != "average precision" or difference == "+0.0000"


def test_the_parts_below_a_row_add_up_to_its_difference(printed):
    for block in re.findall(r"^\S.* ([+-]\d\.\d{4})\n((?:  .*\n)+)", printed, re.MULTILINE):
        difference, reasons = block
        parts = [float(part) for part in re.findall(r"([+-]\d\.\d{4})$", reasons, re.MULTILINE)]
        assert sum(parts) == pytest.approx(float(difference), abs=3e-4)


def test_every_public_score_is_in_the_table():
    shown = {one.source.partition("(")[0] for one in FAMILY}
    assert shown == {score.__name__ for score in ALL_SCORES}


def test_table_fits_a_terminal(printed):
    assert max(map(len, printed.splitlines())) <= 80


def test_values_are_those_of_the_held_out_scores(printed):
    for task in _demonstration._tasks():
        search, y_true, y_score = _demonstration._held_out_scores(task)
        assert search.best_score_ > task.rare.mean()
        assert "scikit-learn AP" in printed
        assert f"{average_precision_score(y_true, y_score):.4f}" in printed
        assert y_true.mean() == pytest.approx(task.rare.mean(), abs=0.02)


def test_each_definition_prints_a_number_of_its_own():
    """But for what is the same by definition: min(k, R) is one of both, no order of equal scores matters
    where no scores are equal. Ranks of few positives are alike."""
    for task in _demonstration._tasks():
        _, y_true, y_score = _demonstration._held_out_scores(task)
        k = _demonstration.K
        same = {f"AP@{k} over min(k, R)", f"AP@{k} over {'R' if y_true.sum() < k else 'k'}"}
        if np.unique(y_score).size == y_score.size:
            same |= {f"AP@{k}, {ties} ties" for ties in ("expected", "stable", "optimistic", "pessimistic")}
        ranks = {one.name.replace("@k", f"@{k}") for one in NUMBERS if not counts_weight(one.score)}
        names = defaultdict(set)
        for row in compare(y_true, y_score, k=k).rows:
            if row.name not in ranks:
                names[f"{row.value:.4f}"].add(row.name)
        assert [group for group in names.values() if len(group) > 1] == [same], task.title


def test_help_and_version():
    assert "AP@20" in run("--help").out
    assert run("--version").out.strip() == f"sklearn_ap {sklearn_ap.__version__}"
    refused = run("--no-such-option")
    assert refused.code == 2
    assert "unrecognized arguments" in refused.err


def test_the_script_is_the_same_command(capsys):
    """As pip makes it: a file that calls what the distribution declares."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert list(declared) == ["sklearn-ap"]
    command = EntryPoint("sklearn-ap", declared["sklearn-ap"], "console_scripts").load()
    with pytest.raises(SystemExit, match="0"):
        command(["--version"])
    assert capsys.readouterr().out == run("--version").out
    assert start("--help").stdout.startswith("usage: sklearn-ap ")


def test_closed_reader_is_no_error():
    command = f"{sys.executable} -m sklearn_ap | head -n 1"
    finished = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert finished.stdout.startswith("Digits")
    assert finished.stderr == ""

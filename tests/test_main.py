"""The main job, as a user starts it."""

import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from sklearn.metrics import average_precision_score

import sklearn_ap
from command import run
from metrics import ALL_SCORES, counts_weight
from sklearn_ap._command import _demonstration
from sklearn_ap._registry import FAMILY as NUMBERS
from sklearn_ap._registry import score_of
from sklearn_ap.compatibility import CONVENTIONS, compare_conventions

ROOT = Path(__file__).parent.parent
FAMILY = [one for one in CONVENTIONS.values() if one.source.partition("(")[0] in sklearn_ap.__all__]


@pytest.fixture(scope="module")
def printed() -> str:
    command = [sys.executable, "-W", "error", "-m", "sklearn_ap"]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (finished.returncode, finished.stderr) == (0, "")
    return finished.stdout


def test_the_demonstration_prints_the_numbers_of_the_held_out_rows(printed):
    search, y_true, y_score = _demonstration.tuned()
    assert search.best_score_ > y_true.mean()
    ap = average_precision_score(y_true, y_score)
    rows = re.findall(r"^(\S.*?) +(\d\.\d{4}) +([+-]\d\.\d{4})  \S", printed, re.MULTILINE)
    assert [name for name, *_ in rows] == list(_demonstration.NUMBERS)
    assert len(rows) <= 8
    for name, value, difference in rows:
        expected = score_of(_demonstration.NUMBERS[name][0], {})(y_true, y_score)
        assert (value, difference) == (f"{expected:.4f}", f"{expected - ap:+.4f}")
    assert f"mean of five folds, {search.best_score_:.2f}" in " ".join(printed.split())


def test_an_interrupt_while_libraries_are_loaded_leaves_no_traceback():
    """Loading takes most of the time of a short answer."""
    code = """
import sys
class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupted())
from sklearn_ap.__main__ import main
main([])
"""
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (finished.returncode, finished.stdout, finished.stderr) == (
        130,
        "",
        "sklearn_ap: error: interrupted\n",
    )


def test_what_the_demonstration_says_to_type_runs(printed, tmp_path):
    _, y_true, y_score = _demonstration.tuned()
    lines = [f"{int(label)},{score}" for label, score in zip(y_true, y_score, strict=True)]
    (tmp_path / "scores.csv").write_text("\n".join(["label,score", *lines]))
    command = (
        printed.splitlines()[-1]
        .partition("sklearn-ap ")[2]
        .replace("scores.csv", str(tmp_path / "scores.csv"))
    )
    assert run(*command.split()).code == 0


def test_every_public_score_is_in_the_table():
    shown = {one.source.partition("(")[0] for one in FAMILY}
    assert shown == {score.__name__ for score in ALL_SCORES}


def test_table_fits_a_terminal(printed):
    assert max(map(len, printed.splitlines())) <= 80


def test_each_definition_prints_a_number_of_its_own():
    """But for what is the same by definition: min(k, R) is one of both. Ranks of few positives are alike."""
    _, y_true, y_score = _demonstration.tuned()
    k = _demonstration.K
    same = {f"AP@{k} over min(k, R)", f"AP@{k} over {'R' if y_true.sum() < k else 'k'}"}
    ranks = {one.name.replace("@k", f"@{k}") for one in NUMBERS if not counts_weight(one.score)}
    names = defaultdict(set)
    for row in compare_conventions(y_true, y_score, k=k).rows:
        if row.name not in ranks:
            names[f"{row.value:.4f}"].add(row.name)
    assert [group for group in names.values() if len(group) > 1] == [same]


def test_help_and_version():
    assert "AP@20" in run("--help").out
    assert run("--version").out.strip() == f"sklearn_ap {sklearn_ap.__version__}"


def test_the_script_is_the_same_command(capsys):
    """As pip makes it: a file that calls what the distribution declares."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert list(declared) == ["sklearn-ap"]
    command = EntryPoint("sklearn-ap", declared["sklearn-ap"], "console_scripts").load()
    with pytest.raises(SystemExit, match="0"):
        command(["--version"])
    assert capsys.readouterr().out == run("--version").out
    assert run("--help").out.startswith("usage: sklearn-ap ")

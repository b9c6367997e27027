"""The page that says how to add a metric, carried out in a copy of the checkout."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from test_architecture import SPOILERS, each_score_is_announced

import sklearn_ap

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "add_a_metric.md").read_text()
BLOCK = r"^```\{code-block\} \w+\n:caption: '?([\w./]+)(?:, ([^\n']*))?'?\n\n(.*?)^```\n"
STEPS = re.findall(BLOCK, PAGE, re.MULTILINE | re.DOTALL)  # (file, where in it if it is there already, text)
FILES = list(dict.fromkeys(file for file, *_ in STEPS))
NAME = "average_precision_above_precision"


def copy_to(folder: Path) -> Path:
    package = Path(sklearn_ap.__file__).parent  # may be installed, away from the checkout
    # With what Python compiled, but for files that it is writing just now, which take their names later.
    shutil.copytree(package, folder / "sklearn_ap", ignore=shutil.ignore_patterns("*.pyc.*"))
    for name in ("tests", "docs"):
        ignored = shutil.ignore_patterns("_build", "gallery", "golden", "*.pyc.*")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in ("README.md", "CHANGELOG.md", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    return folder


def carry_out(folder: Path, *without: str) -> None:
    for file, where, text in STEPS:
        path = folder / file
        if file in without:
            continue
        lines = path.read_text().splitlines(keepends=True) if where else []
        at = len(lines)
        if where.startswith("after "):
            at = 1 + next(i for i, line in enumerate(lines) if where.removeprefix("after ") in line)
        lines[at:at] = ["\n\n", text] if where == "at the end" else [text]
        path.write_text("".join(lines))


def run(folder: Path, *command: str) -> subprocess.CompletedProcess:
    given = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, *command], cwd=folder, env=given, capture_output=True, text=True, check=False
    )


def run_tests(folder: Path, names: str, selected: str, *options: str) -> subprocess.CompletedProcess:
    files = [f"tests/test_{name}.py" for name in names.split()]
    return run(
        folder, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *files, "-k", selected, *options
    )


# All that finds a score by its declaration: rows beyond memory, scorers, pages and what a number is.
USES = """
import pandas as pd
from sklearn_ap import compatibility, distributed, get_scorer, get_scorer_names, report
labels, scores, name = [1, 0, 0, 1] * 5, range(20, 0, -1), "average_precision_above_precision"
rows = pd.DataFrame({"label": [1, 0, 0, 1], "score": [4.0, 3.0, 2.0, 1.0]})
print(*distributed.scores([f"{name}@0.8", f"{name}@0.2"], rows, memory_limit=1).values())
print(get_scorer(f"{name}@0.8").__name__, f"{name}@0.8" in get_scorer_names())
print("AP above precision 0.8" in report(labels, scores).html)
value = compatibility.score_as("AP above precision 0.8", labels, scores)
found = compatibility.identify(value, labels, scores).groups
print("AP above precision 0.8" in [convention.name for group in found for convention in group.conventions])
print(compatibility.score_as("AP above precision 0.8", rows.label, rows.score))
"""


def test_by_hand_are_at_most_seven_files():
    assert len(FILES) == 6


def test_the_page_adds_a_metric(tmp_path):
    """It takes some seconds: the script runs, and the tests that read the family see a new score."""
    folder = copy_to(tmp_path)
    carry_out(folder)
    written = run(folder, "docs/scripts/records.py")
    assert written.returncode == 0, written.stderr
    assert run(folder, "tests/surface.py").returncode == 0
    names = "above_precision public_api invariances against_oracle"
    found = run_tests(folder, names, "above_precision or sources or surface or Report or identify", "-x")
    assert found.returncode == 0, found.stdout
    uses = run(folder, "-c", USES)
    assert uses.stdout.split() == ["0.5", "0.75", f"{NAME}@0.8", *["True"] * 3, "0.5"], uses.stderr
    assert [broken for rule in SPOILERS for broken in rule(folder / "sklearn_ap")] == []


ALONE = {"sklearn_ap/_registry.py": f"{NAME}_score is not announced: add a row of NUMBERS"}


def test_a_step_that_is_left_out_is_named(tmp_path):
    folder = copy_to(tmp_path)
    carry_out(folder, *ALONE)
    assert any(
        ALONE["sklearn_ap/_registry.py"] in one for one in each_score_is_announced(folder / "sklearn_ap")
    )

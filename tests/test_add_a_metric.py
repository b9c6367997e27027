"""The page that says how to add a metric, carried out in a copy of the checkout."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
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


# One number, in each place that knows a score by its name. Two of three positives are found above 0.8.
USES = f"""
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn_ap import distributed, get_scorer, report
from sklearn_ap.compatibility import identify, score_as
labels, scores, name = [1, 1, 0, 1], [4.0, 3.0, 2.0, 1.0], "{NAME}@0.8"
rows = pd.DataFrame({{"label": labels, "score": scores}})
print(distributed.score(name, rows, memory_limit=1), score_as("AP above precision 0.8", labels, scores))
model = LogisticRegression().fit(rows[["score"]], labels)
print(get_scorer(name), get_scorer(name)(model, rows[["score"]], labels))
print("AP above precision 0.8" in report(labels, scores).html)
found = identify("0.667", labels, scores).groups[0].conventions
print("AP above precision 0.8" in [record.name for record in found])
"""
USED = f"""\
0.6666666666666666 0.6666666666666666
make_scorer({NAME}_score, min_precision=0.8) 0.6666666666666666
True
True
"""


def test_six_files_are_written_by_hand():
    assert len(FILES) == 6


@pytest.fixture(scope="module")
def with_new_score(tmp_path_factory):
    """A copy of the checkout in which the page was carried out, with its scripts."""
    folder = copy_to(tmp_path_factory.mktemp("checkout"))
    carry_out(folder)
    for script in re.findall(r"^\.venv/bin/python (\S+)\n", PAGE, re.MULTILINE):
        written = run(folder, script)
        assert written.returncode == 0, written.stderr
    return folder


def test_tests_of_the_family_read_a_new_score(with_new_score):
    """It takes some seconds."""
    names = "above_precision public_api invariances against_oracle records score_names main"
    selected = "above or surface or sources or hovers or each_definition or names"
    tests = run_tests(with_new_score, names, selected, "-x")
    assert tests.returncode == 0, tests.stdout
    assert [broken for rule in SPOILERS for broken in rule(with_new_score / "sklearn_ap")] == []


def test_a_new_score_is_known_everywhere(with_new_score):
    uses = run(with_new_score, "-c", USES)
    assert uses.stdout == USED, uses.stderr


def test_examples_hold_beside_a_new_score(with_new_score):
    """The new record is among those that `report` and `identify` search."""
    files = [
        "sklearn_ap/_report/_report.py",
        "sklearn_ap/compatibility/_identify.py",
        "sklearn_ap/_scorers.py",
    ]
    options = ("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "--doctest-modules")
    examples = run(with_new_score, *options, *files)
    assert examples.returncode == 0, examples.stdout


ALONE = {"sklearn_ap/_registry.py": f"{NAME}_score is not announced: add a row of NUMBERS"}


def test_a_step_that_is_left_out_is_named(tmp_path):
    folder = copy_to(tmp_path)
    carry_out(folder, *ALONE)
    assert any(
        ALONE["sklearn_ap/_registry.py"] in one for one in each_score_is_announced(folder / "sklearn_ap")
    )

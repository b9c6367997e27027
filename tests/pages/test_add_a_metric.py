"""The page that says how to add a metric, carried out in a copy of the checkout."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sklearn_ap
from tests.project.test_architecture import SPOILERS, each_score_is_announced

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "add_a_metric.md").read_text()
BLOCK = (
    r"^```\{code-block\} \w+\n:caption: '?([\w./]+)(?:, ([^\n']*))?'?\n\n(.*?)^```\n"
)
# (file, where in it if it is there already, text)
STEPS = re.findall(BLOCK, PAGE, re.MULTILINE | re.DOTALL)
FILES = list(dict.fromkeys(file for file, *_ in STEPS))
NAME = "average_precision_above_precision"


def copy_to(folder: Path) -> Path:
    package = Path(
        sklearn_ap.__file__
    ).parent  # may be installed, away from the checkout
    # With what Python compiled, but for files that it is writing just now, which take
    # their names later.
    shutil.copytree(
        package, folder / "sklearn_ap", ignore=shutil.ignore_patterns("*.pyc.*")
    )
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
            at = 1 + next(
                i
                for i, line in enumerate(lines)
                if where.removeprefix("after ") in line
            )
        lines[at:at] = ["\n\n", text] if where == "at the end" else [text]
        path.write_text("".join(lines))


def run(folder: Path, *command: str) -> subprocess.CompletedProcess:
    given = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    options = {"cwd": folder, "env": given, "text": True}
    return subprocess.run(
        [sys.executable, *command], capture_output=True, check=False, **options
    )


# One number, in each place that knows a score by its name. Two of three positives are
# found above 0.8.
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
    """Six files are written by hand."""
    assert len(FILES) == 6
    names = (
        "above_precision public_api invariances against_oracle records score_names main"
    )
    selected = "above or surface or sources or hovers or each_definition or names"
    files = [f"tests/test_{name}.py" for name in names.split()]
    options = ["-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider"]
    tests = run(with_new_score, *options, *files, "-k", selected)
    assert tests.returncode == 0, tests.stdout
    assert [
        broken for rule in SPOILERS for broken in rule(with_new_score / "sklearn_ap")
    ] == []


def test_a_new_score_is_known_everywhere(with_new_score):
    uses = run(with_new_score, "-c", USES)
    assert uses.stdout == USED, uses.stderr


def test_a_step_that_is_left_out_is_named(tmp_path):
    folder = copy_to(tmp_path)
    carry_out(folder, "sklearn_ap/_core/registry.py")
    broken = "\n".join(each_score_is_announced(folder / "sklearn_ap"))
    assert f"{NAME}_score is not announced: add a row of NUMBERS" in broken

"""The recipes of docs/CONTRIBUTING.md, carried out in a copy of the checkout."""

import inspect
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import sklearn_ap
from brief import not_in_brief
from sklearn_ap._core.registry import NUMBERS, SCORES
from tests.project.test_architecture import LAWS, broken

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "CONTRIBUTING.md").read_text()
# The last one stores numbers of intervals, which the recipes do not change.
*SCRIPTS, _ = re.findall(r"^\| `python (\S+\.py)` \|", PAGE, re.MULTILINE)
# The file, the place of the text in it if the file exists, and the text.
BLOCK = r"^```\{code-block\} \w+\n:caption: '?([\w./]+)(?:, (.*?))?'?\n\n(.*?)^```\n"

# What a build of the site writes into docs/, and its scripts, which run too long.
BUILT = ("_build", "auto_examples", "generated", "gallery")


def copy_to(folder):
    # The package may be installed outside of the checkout.
    package = Path(sklearn_ap.__file__).parent
    # Copy compiled files, too, except those that Python is writing at the moment.
    shutil.copytree(
        package, folder / "sklearn_ap", ignore=shutil.ignore_patterns("*.pyc.*")
    )
    for name in ("benchmarks", "docs", "tests"):
        ignored = shutil.ignore_patterns(*BUILT, "golden", "*.pyc.*")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in ("README.md", "CHANGELOG.md", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)


def with_lines_of(source, example):
    """Replace each `...` by the lines of the example up to the line that follows it."""
    lines, at = source.splitlines(), 0
    while "..." in (stripped := [line.strip() for line in lines]):
        here = stripped.index("...")
        at = example.index(lines[here - 1], at) + 1
        stop = example.index(lines[here + 1], at)
        lines[here : here + 1] = example[at:stop]
    return "".join(f"{line}\n" for line in lines)


def recipe_of(heading):
    """Return the text below a heading of the page."""
    parts = re.split(r"^##+ (.*)\n", PAGE, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))[heading]


def carry_out(folder, heading):
    """Write the blocks of a recipe into files, and run the scripts."""
    recipe = recipe_of(heading)
    steps = re.findall(BLOCK, recipe, re.MULTILINE | re.DOTALL)
    assert len(steps) == recipe.count("```{code-block}")
    example = inspect.getsource(sklearn_ap.eleven_point_average_precision_score)
    for file, where, text in steps:
        path = folder / file
        lines = path.read_text().splitlines(keepends=True) if where else []
        shown = [with_lines_of(text, example.splitlines())]
        start = stop = len(lines)
        if where == "at the end":
            shown = ["\n\n", *shown]
        elif where:
            word, text_of_line = where.split(" ", 1)
            start = next(i for i, line in enumerate(lines) if text_of_line in line)
            stop = start + 1
            if word == "after":
                start = stop
        lines[start:stop] = shown
        path.write_text("".join(lines))
    for script in SCRIPTS:
        check(folder, script)


def check(folder, *command):
    """Run a module or a script in the copy. It must succeed."""
    given = {
        **os.environ,
        "HYPOTHESIS_PROFILE": "brief",
        "PYTHONPATH": str(folder),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    options = {"cwd": folder, "env": given, "text": True}
    command = [sys.executable, *command]
    result = subprocess.run(command, capture_output=True, check=False, **options)
    assert result.returncode == 0, result.stdout + result.stderr


def check_style(folder):
    """Run the linter as the page says. It must have nothing left to report."""
    for command in ("check --fix", "format", "check"):
        check(folder, "-m", "ruff", *command.split())


def check_tests(folder, names, words):
    """Run tests of the copy whose names contain these words."""
    files = [f"tests/{name}.py" for name in names.split()]
    options = ["-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-k", words]
    check(folder, "-m", "pytest", *options, *files)


# One number, by each function that finds a score by its name.
USES = """
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn_ap import get_scorer
from sklearn_ap.compatibility import identify, score_as
from sklearn_ap.distributed import RankingState

def test_max_f1_is_found_by_its_name():
    labels, scores = [1, 1, 0, 1], [4.0, 3.0, 2.0, 1.0]
    rows = pd.DataFrame({"label": labels, "score": scores})
    model = LogisticRegression().fit(rows[["score"]], labels)
    assert RankingState().update(labels, scores).score("max_f1") == 6 / 7
    assert score_as("highest F1", labels, scores) == 6 / 7
    assert get_scorer("max_f1")(model, rows[["score"]], labels) == 6 / 7
    found = identify("0.8571", labels, scores)
    assert "highest F1" in [row.name for row in found.rows[: found.search.n_found]]
"""


@not_in_brief
def test_tests_of_the_family_read_a_new_score(tmp_path):
    copy_to(tmp_path)
    carry_out(tmp_path, "Add a metric")
    check_style(tmp_path)
    (tmp_path / "tests" / "core" / "test_uses.py").write_text(USES)
    names = "core/test_reading_rows core/test_uses core/test_invariances"
    names += (
        " core/test_against_oracle project/test_public_api compatibility/test_walks"
    )
    check_tests(tmp_path, names, "max_f1 or table")
    for law in LAWS:
        assert broken(law, tmp_path / "sklearn_ap") == []


def test_every_score_is_announced():
    public = {name for name in sklearn_ap.__all__ if name.endswith("_score")}
    message = "add a row to SCORES in _core/registry.py"
    announced = {number.score.__name__ for number in NUMBERS}
    assert public - {"estimate_score"} == announced, message
    for score in SCORES:
        assert getattr(sklearn_ap, score.__name__) is score

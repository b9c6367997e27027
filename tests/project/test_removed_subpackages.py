"""Each subpackage can be taken away with those that stand on it and with their folders
of tests; what is left passes.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sklearn_ap

ROOT = Path(__file__).parents[2]
PACKAGE = Path(sklearn_ap.__file__).parent  # may be installed elsewhere
# each subpackage above the core, and the others that it imports, as the layers in
# `pyproject.toml` have them
STANDS_ON: dict[str, set[str]] = {
    "compatibility": set(),
    "_uncertainty": set(),
    "_decisions": {"_uncertainty"},
    "_displays": {"_uncertainty"},
    "_rows": set(),
    "distributed": {"_rows", "_uncertainty"},
    "_judgements": {"distributed"},
    "_report": {"_decisions", "_displays", "compatibility"},
    "_command": {"_judgements", "_report", "_rows"},
}
# These read pages and tools of the whole checkout.
OF_CHECKOUT = {"pages", "project"}


def without(subpackage: str) -> set[str]:
    """Return a subpackage, and those that stand on it."""
    gone = {subpackage}
    for other, below in STANDS_ON.items():  # from the ground up
        if gone & below:
            gone.add(other)
    return gone


def without_paragraphs(text: str, gone: set[str]) -> str:
    """Return the text of the package's `__init__` without these subpackages."""
    head, *parts = re.split(r"^# (\w+)\n", text, flags=re.MULTILINE)
    paragraphs = dict(zip(parts[::2], parts[1::2], strict=True))
    return head + "".join(text for name, text in paragraphs.items() if name not in gone)


@pytest.mark.slow
@pytest.mark.parametrize("subpackage", STANDS_ON)
def test_what_is_left_passes_its_tests(subpackage, tmp_path):
    gone = without(subpackage)
    for name in ("sklearn_ap", "tests", "docs", "benchmarks"):
        ignored = shutil.ignore_patterns("__pycache__", "_build")
        folder = PACKAGE if name == "sklearn_ap" else ROOT / name
        shutil.copytree(folder, tmp_path / name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for name in gone:
        shutil.rmtree(tmp_path / "sklearn_ap" / name)
        shutil.rmtree(tmp_path / "tests" / name.lstrip("_"))
    if "_command" in gone:
        (tmp_path / "sklearn_ap" / "__main__.py").unlink()
    init = tmp_path / "sklearn_ap" / "__init__.py"
    init.write_text(without_paragraphs(init.read_text(), gone))
    left = {path.parent.name for path in (tmp_path / "tests").glob("*/test_*.py")}
    folders = [f"tests/{name}" for name in sorted(left - OF_CHECKOUT)]
    assert "tests/core" in folders
    tests = [sys.executable, "-m", "pytest", "-q", "-n", "2", *folders]
    options = {"env": {**os.environ, "PYTHONPATH": str(tmp_path)}, "text": True}
    run = subprocess.run(
        tests, cwd=tmp_path, check=False, capture_output=True, **options
    )
    assert run.returncode == 0, run.stdout[-5000:]


def test_a_file_stands_in_the_folder_of_what_it_asks_for():
    """So that taking a subpackage away takes all tests of it."""
    for folder in ("core", *STANDS_ON):
        allowed = {name for name in STANDS_ON if folder in without(name)}
        for path in (ROOT / "tests" / folder.lstrip("_")).glob("test_*.py"):
            imported = re.findall(r"^from sklearn_ap\.(\w+)", path.read_text(), re.M)
            assert {*imported} & STANDS_ON.keys() <= allowed, path

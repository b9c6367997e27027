"""Each subpackage can be removed, together with the subpackages that import it and with
their folders of tests. The other tests still pass.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import sklearn_ap

ROOT = Path(__file__).parents[2]
# The package may be installed outside of the checkout.
PACKAGE = Path(sklearn_ap.__file__).parent
SUBPACKAGES = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))
# The tests in these folders read pages and tools of the whole checkout.
OF_CHECKOUT = {"pages", "project"}
QUOTED = r'"(\w+)"'


def paragraphs(text):
    """Return the paragraphs of `__init__` by subpackage, and its head under ""."""
    parts = re.split(r"^# (\w+)\n", text, flags=re.MULTILINE)
    return dict(zip(["", *parts[1::2]], parts[::2], strict=True))


@cache
def owners():
    """Return the subpackage of each public name, and of each subpackage itself."""
    parts = paragraphs((PACKAGE / "__init__.py").read_text()).items()
    public = {
        name: owner or "_core"
        for owner, part in parts
        for name in re.findall(QUOTED, part)
    }
    return public | {name: name for name in SUBPACKAGES} | {"__main__": "_command"}


def imported_by(path):
    """Yield the subpackages that a file, or a helper that it imports, uses."""
    depth = len(path.relative_to(PACKAGE).parts) if PACKAGE in path.parents else -1
    for node in ast.walk(ast.parse(path.read_text())):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom):
            of_package = "sklearn_ap." * (node.level == depth) + (node.module or "")
            top, _, module = of_package.partition(".")
            if top == "sklearn_ap":
                below = module.partition(".")[0]
                names = [below or name.name for name in node.names]
            elif (helper := ROOT / "tests" / f"{node.module}.py").exists():
                yield from imported_by(helper)
        elif isinstance(node, ast.Attribute):
            of_package = ast.unparse(node.value) in ("ap", "sklearn_ap")
            names = [node.attr] * of_package
        yield from {owners()[name] for name in names if name in owners()}


@cache
def stands_on(subpackage):
    """Return a subpackage, those that it imports, those that they import, and so on."""
    files = (PACKAGE / subpackage).rglob("*.py")
    below = {name for path in files for name in imported_by(path)} - {subpackage}
    return {subpackage}.union(*map(stands_on, below))


@pytest.mark.slow
@pytest.mark.parametrize(
    "subpackage", [name for name in SUBPACKAGES if name != "_core"]
)
def test_what_is_left_passes_its_tests(subpackage, tmp_path):
    gone = {name for name in SUBPACKAGES if subpackage in stands_on(name)}
    for name in ("sklearn_ap", "tests", "docs", "benchmarks"):
        ignored = shutil.ignore_patterns("__pycache__", "_build")
        folder = PACKAGE if name == "sklearn_ap" else ROOT / name
        shutil.copytree(folder, tmp_path / name, ignore=ignored)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, tmp_path)
    for name in gone:
        shutil.rmtree(tmp_path / "sklearn_ap" / name)
        shutil.rmtree(tmp_path / "tests" / name.lstrip("_"), ignore_errors=True)
    if "_command" in gone:
        (tmp_path / "sklearn_ap" / "__main__.py").unlink()
    init = tmp_path / "sklearn_ap" / "__init__.py"
    parts = paragraphs(init.read_text())
    kept = (f"# {name}\n{parts[name]}" for name in parts if name not in gone)
    init.write_text("".join(kept))
    left = {path.parent.name for path in (tmp_path / "tests").glob("*/test_*.py")}
    folders = [f"tests/{name}" for name in sorted(left - OF_CHECKOUT)]
    assert "tests/core" in folders
    tests = [sys.executable, "-m", "pytest", "-q", "-n", "2", *folders]
    options = {"env": {**os.environ, "PYTHONPATH": str(tmp_path)}, "text": True}
    run = subprocess.run(
        tests, cwd=tmp_path, check=False, capture_output=True, **options
    )
    assert run.returncode == 0, run.stdout[-5000:]


@pytest.mark.parametrize("subpackage", SUBPACKAGES)
def test_a_file_of_tests_uses_only_subpackages_below_its_folder(subpackage):
    """Otherwise, removing a subpackage would leave tests that use it."""
    for path in (ROOT / "tests" / subpackage.lstrip("_")).glob("*.py"):
        assert {*imported_by(path)} <= stands_on(subpackage), path

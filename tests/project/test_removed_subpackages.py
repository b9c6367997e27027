"""Each subpackage can be removed, together with the subpackages that import it and with
their folders of tests. The other tests still pass.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
from functools import cache, partial
from pathlib import Path
from xml.etree import ElementTree

import pytest

import sklearn_ap
from brief import not_in_brief

ROOT = Path(__file__).parents[2]
# The package may be installed outside of the checkout.
PACKAGE = Path(sklearn_ap.__file__).parent
SUBPACKAGES = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))
# The tests in these folders read pages and tools of the whole checkout.
OF_CHECKOUT = {"pages", "project"}
# These tests stop if a page or a paragraph belongs to no subpackage, a word to no
# argument, or a wrong call to no function.
OF_PAGES = (
    "test_contributing",
    "test_each_public_word_is_in_the_table",
    "test_first_calls",
)
QUOTED = r'"(\w+)"'


def paragraphs(text):
    """Return the paragraphs of `__init__` by subpackage, and its head under ""."""
    parts = re.split(r"^# (\w+)\n", text, flags=re.MULTILINE)
    return dict(zip(["", *parts[1::2]], parts[::2], strict=True))


@cache
def owners():
    """Return the subpackage of each public name, and of each subpackage itself."""
    parts = [*paragraphs((PACKAGE / "__init__.py").read_text()).items()]
    # Two subpackages are public, and list names of their own.
    for name in SUBPACKAGES:
        parts.append((name, (PACKAGE / name / "__init__.py").read_text()))
    public = {
        name: owner or "_core"
        for owner, part in parts
        for name in re.findall(QUOTED, part)
    }
    return public | {name: name for name in SUBPACKAGES} | {"__main__": "_command"}


@cache
def imported_by(path):
    """Return the subpackages that a file, or a helper that it imports, uses."""
    return frozenset(_imported_by(path))


def _imported_by(path):
    depth = len(path.relative_to(PACKAGE).parts) if PACKAGE in path.parents else -1
    for node in ast.walk(ast.parse(path.read_text())):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom):
            of_package = "sklearn_ap." * (node.level == depth) + (node.module or "")
            top, _, module = of_package.partition(".")
            if top == "sklearn_ap":
                below = module.partition(".")[0]
                names = [below or name.name for name in node.names]
            # The package has a module `scores`, too, and imports it by its place.
            elif node.level == 0:
                helper = ROOT / "tests" / f"{node.module}.py"
                yield from imported_by(helper) if helper.exists() else ()
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names = [node.attr] * (node.value.id in ("ap", "sklearn_ap"))
        yield from {owners()[name] for name in names if name in owners()}


@cache
def stands_on(subpackage):
    """Return a subpackage, those that it imports, those that they import, and so on."""
    files = (PACKAGE / subpackage).rglob("*.py")
    below = frozenset().union(*map(imported_by, files)) - {subpackage}
    return {subpackage}.union(*map(stands_on, below))


def without(removed, layer):
    """Return the line of a layer without these subpackages, or no line."""
    kept = [name for name in re.findall(r"\w+", layer[0]) if name not in removed]
    return f'    "{" | ".join(kept)}",\n' if kept else ""


def remove(subpackage, folder):
    """Copy the checkout into a folder without a subpackage and those that import it.
    Return the names of these subpackages.
    """
    gone = {name for name in SUBPACKAGES if subpackage in stands_on(name)}
    ignored = shutil.ignore_patterns(
        ".*_cache", ".git", ".nox", "__pycache__", "_build"
    )
    shutil.copytree(ROOT, folder, ignore=ignored, dirs_exist_ok=True)
    shutil.rmtree(folder / "sklearn_ap", ignore_errors=True)
    shutil.copytree(PACKAGE, folder / "sklearn_ap", ignore=ignored)
    for name in gone:
        shutil.rmtree(folder / "sklearn_ap" / name)
        shutil.rmtree(folder / "tests" / name.lstrip("_"), ignore_errors=True)
    if "_command" in gone:
        (folder / "sklearn_ap" / "__main__.py").unlink()
    init = folder / "sklearn_ap" / "__init__.py"
    parts = paragraphs(init.read_text())
    head, *kept = (f"# {name}\n{parts[name]}" for name in parts if name not in gone)
    init.write_text("".join([head.removeprefix("# \n"), *kept]))
    of_command = {"__main__"} if "_command" in gone else set()
    config = folder / "pyproject.toml"
    before, layers = config.read_text().split("[tool.importlinter]")
    removed = partial(without, gone | of_command)
    layers = re.sub(r'^    "[\w |]+",\n', removed, layers, flags=re.MULTILINE)
    # A contract may name subpackages among others, or be about one of them.
    named = f'"sklearn_ap.({"|".join(gone)})'
    layers = re.sub(f'^    {named}",\n', "", layers, flags=re.MULTILINE)
    start = "[[tool.importlinter.contracts]]"
    contracts = [each for each in layers.split(start) if not re.search(named, each)]
    config.write_text(f"{before}[tool.importlinter]{start.join(contracts)}")
    return gone


def failures_in(report):
    """Yield each test that failed, with all that pytest reports about it."""
    for case in ElementTree.parse(report).iter("testcase"):
        texts = [f"{part.get('message', '')} {part.text}" for part in case]
        if {part.tag for part in case} & {"failure", "error"}:
            yield f"{case.get('classname')}.{case.get('name')}", "\n".join(texts)


@pytest.mark.slow
@pytest.mark.parametrize(
    "subpackage", [name for name in SUBPACKAGES if name != "_core"]
)
def test_what_is_left_passes_its_tests(subpackage, tmp_path):
    """Only tests of the whole checkout fail, or cannot be imported, and only if they use
    what was removed, so that their report names it.
    """
    gone = remove(subpackage, tmp_path)
    left = {path.parent.name for path in (tmp_path / "tests").glob("*/test_*.py")}
    assert {"core", *OF_CHECKOUT} <= left
    removed = [name for name, owner in owners().items() if owner in gone]
    is_named = re.compile(rf"(?<![a-z])({'|'.join(removed)})\b").search
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    for command in ("ruff check", "lint-imports"):
        subprocess.run(command.split(), cwd=tmp_path, env=environment, check=True)
    report = tmp_path / "report.xml"
    run = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-n", "2", "--junitxml", report),
            *("-o", "junit_logging=all", *(f"tests/{name}" for name in sorted(left))),
        ],
        cwd=tmp_path,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    # 2 would mean that pytest stopped.
    assert run.returncode in (0, 1), run.stdout[-5000:]
    for test, text in failures_in(report):
        # A file that cannot be imported belongs to no class.
        folder = test.removeprefix(".").split(".")[1]
        is_of_pages = any(name in test for name in OF_PAGES)
        assert folder in OF_CHECKOUT, text
        assert is_named(text) or is_of_pages, f"{test}\n{text}"


@not_in_brief
@pytest.mark.parametrize("subpackage", SUBPACKAGES)
def test_a_file_of_tests_uses_only_subpackages_below_its_folder(subpackage):
    """Otherwise, removing a subpackage would leave tests that use it."""
    for path in (ROOT / "tests" / subpackage.lstrip("_")).glob("*.py"):
        assert imported_by(path) <= stands_on(subpackage), path

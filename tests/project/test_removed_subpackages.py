"""A folder of tests uses no subpackage above its own. So each subpackage can be removed
with its tests, together with the subpackages that import it.
"""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import sklearn_ap

ROOT = Path(__file__).parents[2]
# The package may be installed outside of the checkout.
PACKAGE = Path(sklearn_ap.__file__).parent
SUBPACKAGES = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))
QUOTED = r'"(\w+)"'


@cache
def owners():
    """Return the subpackage of each public name, and of each subpackage itself."""
    text = (PACKAGE / "__init__.py").read_text()
    head, *paragraphs = re.split(r"^# (?=\w+\n)", text, flags=re.MULTILINE)
    owner_of = dict.fromkeys(re.findall(QUOTED, head), "_core")
    for paragraph in paragraphs:
        owner, _, names = paragraph.partition("\n")
        owner_of |= dict.fromkeys(re.findall(QUOTED, names), owner)
    return owner_of | {name: name for name in SUBPACKAGES} | {"__main__": "_command"}


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
            elif (helper := ROOT / "tests" / f"{node.module}.py").exists():
                yield from imported_by(helper)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names = [node.attr] * (node.value.id in ("ap", "sklearn_ap"))
        yield from {owners()[name] for name in names if name in owners()}


@cache
def stands_on(subpackage):
    """Return a subpackage, those that it imports, those that they import, and so on."""
    files = (PACKAGE / subpackage).rglob("*.py")
    below = frozenset().union(*map(imported_by, files)) - {subpackage}
    return {subpackage}.union(*map(stands_on, below))


@pytest.mark.parametrize("subpackage", SUBPACKAGES)
def test_a_file_of_tests_uses_only_subpackages_below_its_folder(subpackage):
    for path in (ROOT / "tests" / subpackage.lstrip("_")).glob("*.py"):
        assert imported_by(path) <= stands_on(subpackage), path

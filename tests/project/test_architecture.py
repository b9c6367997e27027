"""Laws of the package that no tool checks.

import-linter checks which subpackages import which, and ruff checks that functions are
short, and import optional libraries themselves.
"""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import sklearn_ap

PACKAGE = Path(sklearn_ap.__file__).parent
SORTS = ".sort", ".argsort", ".lexsort", "np.partition", ".argpartition"
# Files outside of the ranking that sort. They sort other things than rows by their
# scores, or rows that do not fit into memory. Each sort needs a rule for ties, so such
# files should be few.
MAY_SORT = {
    "_core/reading/options.py": "recall levels",
    "compatibility/_identify.py": "conventions, by their distance from a number",
    "_judgements/lists.py": "ids by their scores, as trec_eval does",
    "_uncertainty/sampling/ranking.py": "rows by their unit, weights of positives",
    "_uncertainty/intervals/differences.py": "contributions of units, by size",
    "_uncertainty/intervals/permutation.py": "units by their rows",
    "compatibility/_input.py": "ids of items",
    "distributed/_entries.py": "rows of parts, to merge them",
    "distributed/_groups.py": "entries with equal scores, weights of positives",
}
ADDS_UP = ".sum", ".cumsum", ".fsum", ".dot", "add.reduce", "add.reduceat"
# Files of areas that add up terms within one step; `Kernel.sum_over_steps` adds up steps.
MAY_ADD_UP = {
    "_core/areas/hits.py": "the ranks at which the first positive can stand",
    "_core/areas/step.py": "the positions of equal scores at a cut",
    "compatibility/_package_areas.py": "positions, slots and levels of packages",
}


def dotted(node):
    """Return a name with its attributes; what it is taken from may be any expression."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return getattr(node, "id", "")


def called(tree, names):
    """Return the functions that code calls, if they end with one of these names."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    texts = (dotted(call.func) for call in calls)
    return [text for text in texts if text.endswith(names)]


# --- the laws: each yields the faults of a file ---------------------------------------


def one_subpackage_sorts(file, tree):
    sorts = called(tree, SORTS)
    if sorts and file not in MAY_SORT and not file.startswith("_core/ranking/"):
        yield f"{file} calls {sorts}: let `_core/ranking` sort, or name it in MAY_SORT"
    if not sorts and file in MAY_SORT:
        yield f"{file} does not sort any more: remove it from MAY_SORT"


def only_sum_over_steps_adds_up(file, tree):
    is_of_areas = file.startswith(("_core/areas/", "_core/scores/"))
    adds = called(tree, ADDS_UP)
    if adds and is_of_areas and file not in MAY_ADD_UP:
        yield (
            f"{file} calls {adds}: let `Kernel.sum_over_steps` add up, or name the file "
            "in MAY_ADD_UP"
        )
    if not adds and file in MAY_ADD_UP:
        yield f"{file} does not add up any more: remove it from MAY_ADD_UP"


def no_private_scikit_learn(file, tree):
    # A name such as `__version__` is public.
    private = r"\bsklearn\b[.\w]*(?:\._| import .*\b_)(?!_)\w+"
    for name in re.findall(private, ast.unparse(tree)):
        yield f"{file} names {name}"


LAWS = one_subpackage_sorts, only_sum_over_steps_adds_up, no_private_scikit_learn


@cache
def trees(package):
    return {
        path.relative_to(package).as_posix(): ast.parse(path.read_text())
        for path in package.rglob("*.py")
    }


def broken(law, package):
    """Return the faults of all files of a package."""
    return [text for file, tree in trees(package).items() for text in law(file, tree)]


@pytest.mark.parametrize("law", LAWS)
def test_law(law):
    assert broken(law, PACKAGE) == []


def test_the_docstring_of_each_subpackage_lists_its_files():
    for init in PACKAGE.rglob("__init__.py"):
        folder = init.parent
        doc = ast.get_docstring(ast.parse(init.read_text())) or ""
        listed = re.findall(r"^- `(\w+)`: \S", doc, re.MULTILINE)
        if folder.name in ("compatibility", "distributed"):
            # Their docstrings also list public names.
            listed = [name for name in listed if name.startswith("_")]
        files = {path.stem for path in folder.glob("*.py")} - {"__init__"}
        folders = {path.parent.name for path in folder.glob("*/__init__.py")}
        if folder != PACKAGE:
            assert sorted(listed) == sorted(files | folders), init

"""Laws that no tool checks, each tried once on a spoiled copy of the package.

Who may import whom is checked by import-linter, and the length of functions by ruff.
"""

import ast
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import sklearn_ap

PACKAGE = Path(sklearn_ap.__file__).parent
TESTS = Path(__file__).parents[1]
DEPENDENCIES = {"numpy", "scipy", "sklearn"}
SORTS = {"sort", "argsort", "lexsort", "partition", "argpartition"}
# Files beside the ranking that sort: what they sort are no rows by their scores, or rows
# that do not fit into memory. They are few, since each sort breaks ties by a rule.
MAY_SORT = {
    "_core/reading/options.py": "recall levels",
    "_judgements/runs.py": "documents of a run, as trec_eval does",
    "_report/answer.py": "equal scores of detections, in their order",
    "_uncertainty/many.py": "p-values",
    "_uncertainty/sample.py": "rows by their query or unit",
    "compatibility/_input.py": "ids of items",
    "distributed/_batches.py": "rows that are sorted already, to merge them",
    "distributed/_positives.py": "rows between the scores of positives",
    "distributed/_streams.py": "weights of positives, rows within groups",
}
ADDS_UP = ".sum", ".cumsum", ".fsum", ".dot", "add.reduce", "add.reduceat"
# Files of areas that add up what is inside one step; `Rankings.total` adds up steps.
MAY_ADD_UP = {
    "_core/areas/hits.py": "the ranks at which the first positive can stand",
    "_core/areas/step.py": "the positions of equal scores at a cut",
    "compatibility/_package_areas.py": "positions, slots and levels of packages",
}


def trees(package: Path) -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(package.rglob("*.py")):
        yield path.relative_to(package).as_posix(), ast.parse(path.read_text())


def imports(tree: ast.Module) -> Iterator[tuple[str, list[str], bool]]:
    """Yield (module, names, whether at the top) of each absolute import."""
    for node in ast.walk(tree):
        at_top = node in tree.body
        if isinstance(node, ast.Import):
            yield from ((alias.name, [], at_top) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or "", [alias.name for alias in node.names], at_top


def methods_called(tree: ast.Module) -> set[str]:
    """Return attributes that are called, but for `partition` of a text by a text."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {
        call.func.attr
        for call in calls
        if isinstance(call.func, ast.Attribute)
        and not (
            call.func.attr == "partition"
            and call.args
            and isinstance(call.args[0], ast.Constant | ast.JoinedStr)
        )
    }


# --- the laws: each yields what breaks it ---------------------------------------------


def one_subpackage_sorts(package: Path) -> Iterator[str]:
    for file, tree in trees(package):
        sorts = methods_called(tree) & SORTS
        if sorts and file not in MAY_SORT and not file.startswith("_core/ranking/"):
            yield f"{file} calls {sorts}: let `_core/ranking` sort, or name it in MAY_SORT"
        if not sorts and file in MAY_SORT:
            yield f"{file} does not sort any more: remove it from MAY_SORT"


def only_total_adds_up(package: Path) -> Iterator[str]:
    for file, tree in trees(package):
        is_of_areas = file.startswith(("_core/areas/", "_core/scores/"))
        calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
        called = {ast.unparse(call.func) for call in calls}
        adds = {one for one in called if one.endswith(ADDS_UP)}
        if adds and is_of_areas and file not in MAY_ADD_UP:
            yield f"{file} calls {adds}: let `Rankings.total` add up"


def no_private_scikit_learn(package: Path) -> Iterator[str]:
    for file, tree in trees(package):
        for module, members, _ in imports(tree):
            path = [*module.split("."), *members]
            if path[0] == "sklearn" and any(part.startswith("_") for part in path):
                yield f"{file} imports {'.'.join(path)}"
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and re.match(
                r"sklearn\.([a-z]+\.)*_", str(node.value)
            ):
                yield f"{file} names {node.value}"


def optional_libraries_are_imported_where_used(package: Path) -> Iterator[str]:
    allowed = DEPENDENCIES | {"sklearn_ap"} | set(sys.stdlib_module_names)
    for file, tree in trees(package):
        for module, _, at_top in imports(tree):
            if at_top and module.split(".")[0] not in allowed:
                yield f"{file} imports {module} at its top"


SPOILERS: dict[Callable[[Path], Iterator[str]], tuple[str, str]] = {
    one_subpackage_sorts: ("_core/scores/at_k.py", "order = np.argsort(TIES)"),
    only_total_adds_up: ("_core/areas/joined.py", "area = np.sum(STEPS)"),
    no_private_scikit_learn: (
        "_core/reading/read.py",
        "from sklearn.utils._param_validation import Interval",
    ),
    optional_libraries_are_imported_where_used: ("_core/curves.py", "import pandas"),
}


@pytest.mark.parametrize("law", SPOILERS, ids=lambda law: law.__name__)
def test_law(law):
    assert list(law(PACKAGE)) == []


@pytest.mark.parametrize("law", SPOILERS, ids=lambda law: law.__name__)
def test_spoiled_copy_breaks_the_law(law, tmp_path):
    ignored = shutil.ignore_patterns("__pycache__")  # where other tests write
    copy = Path(shutil.copytree(PACKAGE, tmp_path / "sklearn_ap", ignore=ignored))
    file, spoiler = SPOILERS[law]
    with (copy / file).open("a") as spoiled:
        spoiled.write(f"\n{spoiler}\n")
    assert list(law(copy))


def test_property_tests_have_one_profile():
    """A deadline fails on a busy machine; `conftest.py` alone says what holds for
    all.
    """
    words = re.compile(r"\b(deadline|suppress_health_check|derandomize)\s*=")
    files = {
        path.name for path in TESTS.rglob("*.py") if words.search(path.read_text())
    }
    assert files <= {"conftest.py"}


def test_each_subpackage_says_what_its_files_do():
    """Its docstring is a list with a line per file, in the order to read them."""
    for init in PACKAGE.rglob("__init__.py"):
        folder = init.parent
        doc = ast.get_docstring(ast.parse(init.read_text())) or ""
        listed = re.findall(r"^- `(\w+)`: \S", doc, re.MULTILINE)
        if folder.relative_to(PACKAGE).parts[:1] in (
            ("compatibility",),
            ("distributed",),
        ):
            # which lists its public names, too
            listed = [name for name in listed if name.startswith("_")]
        files = {path.stem for path in folder.glob("*.py")} - {"__init__", "__main__"}
        folders = {path.parent.name for path in folder.glob("*/__init__.py")}
        if folder != PACKAGE:
            assert sorted(listed) == sorted(files | folders), init

"""Each room above the core can be taken away with those that stand on it; what is left
passes its tests.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.project.test_architecture import PACKAGE, STANDS_ON, room_of

TESTS = Path(__file__).parents[1]
# They read pages and tools of the whole checkout, which a missing room makes wrong.
OF_CHECKOUT = """
add_a_metric architecture benchmarks border clients coco deviations docs ends mutation
names public_api record_pages refusals rehearsal scale_benchmark uncertainty_benchmarks
"""


def rooms_without(room: str) -> set[str]:
    """Return a room, and those that stand on it."""
    gone = {room}
    while (
        more := {other for other, below in STANDS_ON.items() if gone & set(below)}
        - gone
    ):
        gone |= more
    return gone


def without_paragraphs(text: str, rooms: set[str]) -> tuple[str, set[str]]:
    """Return the text of the package's `__init__` without these rooms, and the names
    that went.
    """
    head, *parts = re.split(r"^# (\w+)\n", text, flags=re.MULTILINE)
    paragraphs = dict(zip(parts[::2], parts[1::2], strict=True))
    gone = "".join(paragraphs.pop(room, "") for room in rooms)
    imported = [
        node for node in ast.walk(ast.parse(gone)) if isinstance(node, ast.ImportFrom)
    ]
    return head + "".join(paragraphs.values()), {
        alias.name for node in imported for alias in node.names
    }


def asked_of(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield (module, name) for what a file imports, and for attributes of the
    package.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif (
            isinstance(node, ast.Attribute) and ast.unparse(node.value) == "sklearn_ap"
        ):
            yield "sklearn_ap", node.attr


def files_left(rooms: set[str], names: set[str]) -> list[str]:
    """Return the test files that ask for no room that went, nor do the helpers that
    they import.
    """
    asked = {
        path.stem: list(asked_of(ast.parse(path.read_text())))
        for path in TESTS.glob("*.py")
    }

    def needs(file: str) -> bool:
        for module, name in asked[file]:
            of_package = module.partition(".")[0] == "sklearn_ap"
            room = room_of(module.partition(".")[2] or name)
            if (of_package and (room in rooms or name in names)) or (
                module in asked and needs(module)
            ):
                return True
        return False

    files = (file for file in asked if file.startswith("test_"))
    left_out = {f"test_{name}" for name in OF_CHECKOUT.split()}
    return sorted(
        f"{file}.py" for file in files if file not in left_out and not needs(file)
    )


@pytest.mark.slow
@pytest.mark.parametrize("room", STANDS_ON)
def test_what_is_left_without_a_room_passes_its_tests(room, tmp_path):
    rooms = rooms_without(room)
    for folder in (PACKAGE, TESTS, TESTS.parent / "docs", TESTS.parent / "benchmarks"):
        ignored = shutil.ignore_patterns("__pycache__", "_build")
        shutil.copytree(folder, tmp_path / folder.name, ignore=ignored)
    shutil.copy(TESTS.parent / "pyproject.toml", tmp_path)
    for path in (tmp_path / "sklearn_ap").iterdir():
        if room_of(path.stem) in rooms:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    init = tmp_path / "sklearn_ap" / "__init__.py"
    text, names = without_paragraphs(init.read_text(), rooms)
    init.write_text(text)
    tests = files_left(rooms, names)
    assert len(tests) > 25, tests
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "2",
        "-p",
        "no:cacheprovider",
    ]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command += [f"tests/{test}" for test in tests]
    options = {"cwd": tmp_path, "env": environment, "text": True}
    run = subprocess.run(command, check=False, capture_output=True, **options)
    assert run.returncode == 0, run.stdout[-5000:]
    assert sklearn_ap_of(tmp_path, environment) == str(init)


def sklearn_ap_of(folder: Path, environment: dict[str, str]) -> str:
    """Return which package the tests have imported."""
    command = [sys.executable, "-c", "import sklearn_ap; print(sklearn_ap.__file__)"]
    return subprocess.check_output(
        command, cwd=folder, env=environment, text=True
    ).strip()

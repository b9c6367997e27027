"""How large the rooms of the package are: `python -m benchmarks.house`."""

import argparse
import ast
import io
import sys
import tokenize
import tomllib
from pathlib import Path
from typing import NamedTuple

import sklearn_ap

from .tables import show, table

PACKAGE = Path(sklearn_ap.__file__).parent
PROJECT = Path(__file__).parents[1] / "pyproject.toml"
REST = "the rest"
HEADERS = ("room", "code lines", "budget", "files", "functions")
_NO_CODE = {"COMMENT", "NL", "NEWLINE", "INDENT", "DEDENT", "ENDMARKER"}
_WITH_DOCSTRING = ast.Module, ast.ClassDef, ast.FunctionDef


class Size(NamedTuple):
    """How large a file or a room is."""

    code_lines: int = 0
    files: int = 0
    functions: int = 0


def size_of(source: str) -> Size:
    """Return the size of a file; a line of code holds more than comments and docstrings."""
    code = set[int]()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if tokenize.tok_name[token.type] not in _NO_CODE:
            code |= set(range(token.start[0], token.end[0] + 1))
    n_functions = 0
    for node in ast.walk(ast.parse(source)):
        n_functions += isinstance(node, ast.FunctionDef)
        if isinstance(node, _WITH_DOCSTRING) and ast.get_docstring(node) is not None:
            code -= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return Size(len(code), 1, n_functions)


def budgets() -> dict[str, dict[str, int]]:
    """Return `[tool.house]`: by room, its `budget`, and what it has `today` where that is more."""
    rooms: dict[str, dict[str, int]] = tomllib.loads(PROJECT.read_text())["tool"]["house"]
    return rooms


def sizes(folder: Path = PACKAGE) -> dict[str, Size]:
    """Return the size of each room; files that no room names are the rest."""
    rooms = {name: room for room in budgets() for name in room.split(", ")}
    by_room = dict.fromkeys(budgets(), Size())
    for path in folder.rglob("*.py"):
        room = rooms.get(path.relative_to(folder).parts[0].removesuffix(".py"), REST)
        by_room[room] = Size(*map(sum, zip(by_room[room], size_of(path.read_text()), strict=True)))
    return by_room


def too_large(by_room: dict[str, Size]) -> list[str]:
    """Return a line for each room that exceeds its budget, or what it has today if that is more."""
    limits = {room: max(limits.values()) for room, limits in budgets().items()}
    return [
        f"{room} has {size.code_lines:,} code lines, {size.code_lines - limits[room]:,} too many"
        for room, size in by_room.items()
        if size.code_lines > limits[room]
    ]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.house", description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail where a room exceeds its budget")
    options = parser.parse_args(arguments)
    by_room = sizes()
    if options.check:
        sys.exit("\n".join(too_large(by_room)) or None)
    limits = {room: limits["budget"] for room, limits in budgets().items()}
    every = Size(*map(sum, zip(*by_room.values(), strict=True)))
    limits["all"] = sum(limits.values())
    rows = [
        [room, f"{size.code_lines:,}", f"{limits[room]:,}", f"{size.files:,}", f"{size.functions:,}"]
        for room, size in {**by_room, "all": every}.items()
    ]
    show("Rooms", table(HEADERS, rows))


if __name__ == "__main__":
    main()

"""How large the rooms of the package are: `python -m benchmarks.house`."""

import argparse
import ast
import io
import sys
import tokenize
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import sklearn_ap

from .tables import show, table

PACKAGE = Path(sklearn_ap.__file__).parent
PROJECT = Path(__file__).parents[1] / "pyproject.toml"
CORE, REST = "the core", "the rest"
HEADERS = ("room", "code lines", "at most", "files", "functions")
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


def house() -> dict[str, Any]:
    """Return `[tool.house]`: the files of the core, what each room stands on, and the lines it may have."""
    table: dict[str, Any] = tomllib.loads(PROJECT.read_text())["tool"]["house"]
    return table


def sizes(folder: Path = PACKAGE) -> dict[str, Size]:
    """Return the size of each room; files that no room names are the rest. The core has files of several."""
    rooms = {name: room for room in house()["lines"] for name in room.split(", ")}
    by_room = dict.fromkeys(house()["lines"], Size())
    for path in folder.rglob("*.py"):
        name, size = path.relative_to(folder).parts[0].removesuffix(".py"), size_of(path.read_text())
        for room in [CORE] * (name in house()["core"]) + [rooms.get(name, REST)]:
            by_room[room] = Size(*map(sum, zip(by_room[room], size, strict=True)))
    return by_room


def too_large(by_room: dict[str, Size]) -> list[str]:
    """Return a line for each room that has more lines than it may."""
    return [
        f"{room} has {by_room[room].code_lines:,} code lines, {by_room[room].code_lines - lines:,} too many"
        for room, lines in house()["lines"].items()
        if by_room[room].code_lines > lines
    ]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.house", description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail where a room has more lines than it may")
    options = parser.parse_args(arguments)
    by_room = sizes()
    if options.check:
        sys.exit("\n".join(too_large(by_room)) or None)
    limits = house()["lines"]
    every = Size(*map(sum, zip(*(size for room, size in by_room.items() if room != CORE), strict=True)))
    limits["all"] = sum(limits.values()) - limits[CORE]
    rows = [
        [room, f"{size.code_lines:,}", f"{limits[room]:,}", f"{size.files:,}", f"{size.functions:,}"]
        for room, size in {**by_room, "all": every}.items()
    ]
    show("Rooms", table(HEADERS, rows))


if __name__ == "__main__":
    main()

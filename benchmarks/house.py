"""How large the rooms of the package are: `python -m benchmarks.house`.

The budget is nodes of the syntax tree: the same on every Python and in every format.
Docstrings, contexts and operators do not count.
"""

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
CORE = "the core"
HEADERS = (
    "room",
    "nodes",
    "at most",
    "code lines",
    "tokens per line",
    "files",
    "functions",
)
_NO_CODE = {"COMMENT", "NL", "NEWLINE", "INDENT", "DEDENT", "ENDMARKER"}
_WITH_DOCSTRING = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef
_UNCOUNTED = ast.expr_context, ast.operator, ast.boolop, ast.unaryop, ast.cmpop


class Size(NamedTuple):
    """How large a file or a room is."""

    nodes: int = 0
    code_lines: int = 0
    tokens: int = 0
    files: int = 0
    functions: int = 0


def nodes_of(tree: ast.AST) -> int:
    """Return the number of nodes that count."""
    docstrings = {node for body in _docstrings(tree) for node in ast.walk(body)}
    return sum(
        node not in docstrings and not isinstance(node, _UNCOUNTED)
        for node in ast.walk(tree)
    )


def size_of(source: str) -> Size:
    """Return the size of a file; comments and docstrings are neither lines nor tokens
    of code.
    """
    tree = ast.parse(source)
    documented = {
        line
        for body in _docstrings(tree)
        for line in range(body.lineno, (body.end_lineno or 0) + 1)
    }
    lines, n_tokens = set[int](), 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if (
            tokenize.tok_name[token.type] not in _NO_CODE
            and token.start[0] not in documented
        ):
            lines |= set(range(token.start[0], token.end[0] + 1))
            n_tokens += 1
    n_functions = sum(isinstance(node, ast.FunctionDef) for node in ast.walk(tree))
    return Size(nodes_of(tree), len(lines), n_tokens, 1, n_functions)


def _docstrings(tree: ast.AST) -> list[ast.stmt]:
    """Return the statement of each docstring."""
    documented = (node for node in ast.walk(tree) if isinstance(node, _WITH_DOCSTRING))
    return [node.body[0] for node in documented if ast.get_docstring(node) is not None]


def house() -> dict[str, Any]:
    """Return `[tool.house]`: the core's files, what each room stands on, and its
    limit.
    """
    rooms: dict[str, Any] = tomllib.loads(PROJECT.read_text())["tool"]["house"]
    return rooms


def sizes(folder: Path = PACKAGE) -> dict[str, Size]:
    """Return the size of each room; every file is in one of them."""
    limits = house()["nodes"]
    rooms = {name: room for room in limits for name in room.split(", ")}
    rooms |= dict.fromkeys(house()["core"], CORE)
    by_room = dict.fromkeys(limits, Size())
    for path in folder.rglob("*.py"):
        room = rooms[path.relative_to(folder).parts[0].removesuffix(".py")]
        by_room[room] = _added(by_room[room], size_of(path.read_text()))
    return by_room


def _added(*every: Size) -> Size:
    return Size(*map(sum, zip(*every, strict=True)))


def too_large(by_room: dict[str, Size]) -> list[str]:
    """Return a line for each room that has more nodes than it may."""
    return [
        f"{room} has {by_room[room].nodes:,} nodes, {by_room[room].nodes - nodes:,} too many"
        for room, nodes in house()["nodes"].items()
        if by_room[room].nodes > nodes
    ]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.house", description=__doc__
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="fail where a room has more nodes than it may",
    )
    options = parser.parse_args(arguments)
    by_room = sizes()
    if options.check:
        sys.exit("\n".join(too_large(by_room)) or None)
    limits = house()["nodes"]
    limits["all"] = sum(limits.values())
    rows = [
        [
            room,
            f"{size.nodes:,}",
            f"{limits[room]:,}",
            f"{size.code_lines:,}",
            f"{size.tokens / size.code_lines:.1f}",
            f"{size.files:,}",
            f"{size.functions:,}",
        ]
        for room, size in {**by_room, "all": _added(*by_room.values())}.items()
    ]
    show("Rooms", table(HEADERS, rows))


if __name__ == "__main__":
    main()

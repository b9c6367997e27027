"""How large the rooms of the package are, and how far a call walks: `python -m benchmarks.house`."""

import argparse
import ast
import io
import sys
import tokenize
import tomllib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import numpy as np
import pandas as pd

import sklearn_ap
from sklearn_ap import distributed

from .tables import show, table

PACKAGE = Path(sklearn_ap.__file__).parent
PROJECT = Path(__file__).parents[1] / "pyproject.toml"
REST = "the rest"
HEADERS = ("room", "code lines", "budget", "files", "functions")
_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


class Size(NamedTuple):
    """How large a file or a room is."""

    code_lines: int = 0
    files: int = 0
    functions: int = 0


class Walk(NamedTuple):
    """The functions of the package that one call enters, with generators each time they go on."""

    calls: int
    files: int
    moves: int  # how often a function is entered in another file than what ran before


def size_of(source: str) -> Size:
    """Return the size of a file; a line of code holds more than comments and docstrings."""
    code = set[int]()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE:
            code |= set(range(token.start[0], token.end[0] + 1))
    n_functions = 0
    for node in ast.walk(ast.parse(source)):
        n_functions += isinstance(node, ast.FunctionDef)
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and ast.get_docstring(node) is not None
        ):
            code -= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return Size(len(code), 1, n_functions)


def budgets() -> dict[str, dict[str, int]]:
    """Return `[tool.house]`: by room, its `budget`, and what it has `today` where that is more."""
    rooms: dict[str, dict[str, int]] = tomllib.loads(PROJECT.read_text())["tool"]["house"]
    return rooms


def sizes(folder: Path = PACKAGE) -> dict[str, Size]:
    """Return the size of each room; files that no room names are the rest."""
    rooms = {name: room for room in budgets() for name in room.split(", ")}
    found = dict.fromkeys(budgets(), Size())
    for path in folder.rglob("*.py"):
        room = rooms.get(path.relative_to(folder).parts[0].removesuffix(".py"), REST)
        found[room] = Size(*map(sum, zip(found[room], size_of(path.read_text()), strict=True)))
    return found


def too_large(found: dict[str, Size]) -> list[str]:
    """Return a line for each room that exceeds its budget, or what it has today if that is more."""
    limits = {room: max(limits.values()) for room, limits in budgets().items()}
    return [
        f"{room} has {size.code_lines:,} code lines, {size.code_lines - limits[room]:,} too many"
        for room, size in found.items()
        if size.code_lines > limits[room]
    ]


def walk_of(call: Callable[[], object]) -> Walk:
    """Follow a call, the second time that it is made: what is imported or remembered once is left out."""
    call()
    entered = list[str]()

    def follow(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(str(PACKAGE)):
            entered.append(frame.f_code.co_filename)

    sys.setprofile(follow)
    try:
        call()
    finally:
        sys.setprofile(None)
    moves = sum(file != following for file, following in pairwise(["the caller", *entered])) if entered else 0
    return Walk(len(entered), len(set(entered)), moves)


def walks() -> dict[str, Walk]:
    rng = np.random.default_rng(0)
    y_true, y_score, weights = rng.integers(0, 2, 100), rng.random(100), rng.random(100)
    queries = np.repeat(np.arange(10), 10)
    frame = pd.DataFrame({"label": y_true, "score": y_score})
    score = sklearn_ap.average_precision_score
    return {
        "AP of 100 rows": walk_of(lambda: score(y_true, y_score)),
        "AP with prevalence, weights and queries": walk_of(
            lambda: score(y_true, y_score, prevalence=0.1, sample_weight=weights, query_id=queries)
        ),
        "`distributed.score`": walk_of(lambda: distributed.score("average_precision", frame)),
    }


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.house", description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail where a room exceeds its budget")
    options = parser.parse_args(arguments)
    found = sizes()
    if options.check:
        sys.exit("\n".join(too_large(found)) or None)
    limits = {room: limits["budget"] for room, limits in budgets().items()}
    every = Size(*map(sum, zip(*found.values(), strict=True)))
    rows = [
        [room, f"{size.code_lines:,}", f"{limit:,}", f"{size.files:,}", f"{size.functions:,}"]
        for room, size, limit in (
            *((room, size, limits[room]) for room, size in found.items()),
            ("all", every, sum(limits.values())),
        )
    ]
    show("Rooms", table(HEADERS, rows))
    headers = ("a call", "calls", "files", "moves between files")
    show("Calls", table(headers, [[name, *map(str, walk)] for name, walk in walks().items()]))


if __name__ == "__main__":
    main()

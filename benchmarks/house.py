"""How large the package is, and how far a call walks through it: `python -m benchmarks.house`."""

import ast
import io
import sys
import tokenize
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import sklearn_ap
from sklearn_ap import distributed

PACKAGE = Path(sklearn_ap.__file__).parent
GOALS = {"code lines": 16_500, "all lines": 27_500, "files": 150, "imports and `__all__`": 1_900}


class Walk(NamedTuple):
    """The functions of the package that one call enters, with generators each time they go on."""

    calls: int
    files: int
    moves: int  # how often a function is entered in another file than what ran before


def lines_of(source: str) -> dict[str, int]:
    """Count the lines of a file by kind; a line of code holds more than comments and docstrings."""
    tree = ast.parse(source)
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    blank = {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    }
    code = {line for one in tokens if one.type not in blank for line in range(one.start[0], one.end[0] + 1)}
    wiring = set[int]()
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and ast.get_docstring(node) is not None
        ):
            code -= _span(node.body[0])
        if isinstance(node, ast.Import | ast.ImportFrom) or _is_all(node):
            wiring |= _span(node)
    return {
        "code lines": len(code),
        "all lines": source.count("\n"),
        "files": 1,
        "imports and `__all__`": len(wiring),
    }


def _span(node: Any) -> set[int]:
    return set(range(node.lineno, node.end_lineno + 1))


def _is_all(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and any(
        isinstance(one, ast.Name) and one.id == "__all__" for one in node.targets
    )


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
    moves = sum(one != other for one, other in pairwise(["the caller", *entered])) if entered else 0
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
        "`distributed.average_precision_score(frame)`": walk_of(
            lambda: distributed.average_precision_score(frame)
        ),
    }


def sizes() -> dict[str, int]:
    counted = [lines_of(path.read_text()) for path in PACKAGE.rglob("*.py")]
    return {name: sum(one[name] for one in counted) for name in GOALS}


def main() -> None:
    print("| the package | now | goal |\n|---|---|---|")
    for name, size in sizes().items():
        print(f"| {name} | {size:,} | {GOALS[name]:,} |")
    print("\n| a call | files | calls | moves between files |\n|---|---|---|---|")
    for name, walk in walks().items():
        print(f"| {name} | {walk.files} | {walk.calls} | {walk.moves} |")


if __name__ == "__main__":
    main()

"""`python -m sklearn_ap` inside this process: what it prints, and its exit code."""

import contextlib
import io
import json
from typing import NamedTuple

from sklearn_ap.__main__ import main

COLUMNS = ["--y-true", "label", "--y-score", "score"]


class Finished(NamedTuple):
    code: object
    out: str
    err: str


def run(*arguments) -> Finished:
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(list(map(str, arguments)))
        except SystemExit as left:
            code = left.code
    return Finished(code, out.getvalue(), err.getvalue())


def rows_of(*arguments) -> list[dict]:
    """The rows of the table, from a run that has nothing to say about the file."""
    finished = run(*arguments, "--table", "--format", "json")
    assert (finished.code, finished.err) == (0, "")
    return json.loads(finished.out)["rows"]


def values_of(*arguments) -> dict[str, float | None]:
    return {row["score"]: row["value"] for row in rows_of(*arguments)}


def error_of(*arguments) -> str:
    """The one line of a run that was refused."""
    finished = run(*arguments)
    assert (finished.code, finished.out) == (2, "")
    assert finished.err.startswith("sklearn_ap: error: ")
    assert finished.err.count("\n") == 1
    assert finished.err[:-1].isprintable()
    return finished.err.removeprefix("sklearn_ap: error: ").removesuffix("\n")

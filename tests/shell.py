"""`python -m sklearn_ap` inside this process: what it prints, and its exit code; and the
rows of most of its tests.
"""

import contextlib
import io
import json
from importlib.resources import files
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator

from sklearn_ap.__main__ import main

SCHEMA = json.loads(files("sklearn_ap._report").joinpath("schema.json").read_text())

# Four models, and one of each of three classes.
N = 600
PLACE = np.arange(N)
RNG = np.random.default_rng(0)
LABEL = (RNG.random(N) < 0.2).astype(int)
MODELS = {
    name: (RNG.normal(size=N) + gain * LABEL).round(3)
    for name, gain in {"score": 1, "old": 1.5, "<b>": 2, "none": 0}.items()
}
CLASSES = "cat", "dog", "owl"
ROWS = pd.DataFrame(
    {
        "label": LABEL,
        **MODELS,
        "amount": RNG.integers(1, 9, N) / 2,
        "weight": RNG.integers(0, 4, N),
        "day": PLACE // 30,
        "item": PLACE,
        "negative": 0,
        "class": np.array(CLASSES)[PLACE % 3],
        **{x: RNG.normal(size=N) + (i == PLACE % 3) for i, x in enumerate(CLASSES)},
    }
)


class Finished(NamedTuple):
    code: object
    out: str
    err: str

    @property
    def words(self) -> str:
        """What it prints, in one line."""
        return " ".join(self.out.split())


def run(*arguments) -> Finished:
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(list(map(str, arguments)))
        except SystemExit as left:
            code = left.code
    return Finished(code, out.getvalue(), err.getvalue())


def said(*arguments) -> str:
    """What a run prints that has an answer and no message, in one line."""
    finished = run(*arguments)
    assert not finished.err, finished.err  # whole, where pytest would cut it
    assert finished.code == 0
    return finished.words


def said_where_it_turns(end: float, *line) -> str:
    """What a run prints whose check passes; beyond this end of an interval, the check
    fails, whose option is the last one.
    """
    beyond = 1e-5 if line[-1] == "--fail-below" else -1e-5
    assert run(*line, f"{end + beyond:.7f}").code == 3
    return said(*line, f"{end - beyond:.7f}")


def json_of(*arguments) -> dict:
    """What `--format json` prints, as the schema describes it."""
    finished = run(*arguments, "--format", "json")
    assert finished.code in (0, 3, 4), finished.err
    found = json.loads(finished.out, parse_constant=pytest.fail)  # NaN is no JSON
    Draft202012Validator(SCHEMA).validate(found)
    return found


def rows_of(*arguments) -> list[dict]:
    """The rows of the table, from a run that has nothing to say about the file."""
    finished = run(*arguments, "--table", "--format", "json")
    assert not finished.err, finished.err
    assert finished.code == 0
    return json.loads(finished.out)["rows"]


def values_of(*arguments) -> dict[str, float | None]:
    return {row["score"]: row["value"] for row in rows_of(*arguments)}


def error_of(*arguments, code=2) -> str:
    """The line of a run that was refused, or of a gate without an answer."""
    finished = run(*arguments)
    assert finished.code == code
    assert bool(finished.out) == (code == 4)  # an answer without that of a gate
    *_, line = finished.err.splitlines()
    assert code == 4 or finished.err.count("\n") == 1  # an answer may warn
    assert line.startswith("sklearn_ap: error: ")
    assert line.isprintable()
    return line.removeprefix("sklearn_ap: error: ")

"""The call of our package for a record, with arguments as users write them."""

import json
from inspect import signature
from typing import NamedTuple

import numpy as np

from sklearn_ap._core.reading.options import RANKED_TIES, TIES
from sklearn_ap._core.registry import NUMBERS, Number
from sklearn_ap.compatibility import CONVENTIONS
from sklearn_ap.compatibility._records import Convention, read_file

# How users write common levels.
_LEVELS = (
    "np.arange(0, 1.1, 0.1)",
    "np.linspace(0, 1, 11)",
    "np.linspace(0, 1, 101)",
    "np.arange(1, 41) / 40",
)
# Choices that our functions do not have, and the condition under which they change no
# number.
_CONDITIONS = {
    ("score_dtype", "float32"): "the scores are float32",
    ("transform", "near"): "different scores are more than 1e-8 apart",
    ("transform", "sigmoid"): "all scores lie in [0, 1]",
    ("transform", "above 0"): "all scores are above 0",
}
# The fields that calls depend on. In all other fields, a record with a call has the
# choice of scikit-learn.
_READ = {
    "score_dtype",
    "transform",
    "queries",
    "ties",
    "weights",
    "area",
    "grid",
    "total",
    "cut",
    "normalizer",
    "without_positives",
    "without_negatives",
    "left_out",
}
_UNREAD = {name for names in read_file()["choices"].values() for name in names} - _READ

Arguments = dict[str, str]


class Call(NamedTuple):
    """A function with its arguments. `...` is an input of the caller."""

    function: str
    definition: Arguments
    inputs: Arguments
    conditions: list[str]

    def text(self) -> str:
        """Return the call as users write it."""
        arguments = self.definition | self.inputs
        written = ", ".join(f"{name}={value}" for name, value in arguments.items())
        return f"{self.function}({written})" if written else self.function


def our_call(record: Convention) -> Call | None:
    """Return our call for a record, or None if only `score_as` gives its number."""
    usual = CONVENTIONS["scikit-learn"]
    known = record.transform is None or ("transform", record.transform) in _CONDITIONS
    known = known and record.queries != "mean by rows"
    if not known or any(
        getattr(record, name) != getattr(usual, name) for name in _UNREAD
    ):
        return None
    number = next((one for one in _NUMBERS if _fits(one, record)), None)
    if number is None:
        return None
    return Call(
        number.score.__name__,
        _definition(number, record),
        _inputs(record, number),
        _conditions(record, number),
    )


# Try numbers at fixed levels before numbers at any levels.
_NUMBERS = sorted(NUMBERS, key=lambda one: one.takes("recall_levels"))


def _fits(number: Number, record: Convention) -> bool:
    """Return whether the function of one of our numbers gives the number of a record,
    with the right arguments.
    """
    ours, grid, cut = number.definition, record.grid, record.cut
    if ours.area.name != record.area:
        return False
    if grid is not None and grid.levels_of_scores is None:
        return False
    levels = None if grid is None else grid.levels
    if ours.level is not None:
        return isinstance(levels, tuple) and len(levels) == 1
    if not number.takes("recall_levels") and levels != ours.levels:
        return False
    if cut in (None, "n_positives"):
        # Without a cut, all positives are hits, and the same function divides by both.
        same_divisor = record.normalizer == ours.normalizer or (
            cut,
            record.normalizer,
        ) == (None, "hits")
        return cut == ours.cut and same_divisor
    return number.takes("k") and record.normalizer == ours.normalizer


def _definition(number: Number, record: Convention) -> Arguments:
    """Return the arguments that define the number, without the defaults of the
    function.
    """
    said: Arguments = {}
    if number.takes("recall_levels") and record.grid is not None:
        said["recall_levels"] = _levels(record)
    if number.definition.level is not None:
        said |= dict.fromkeys(number.options, repr(record.grid.levels[0]))
    if number.takes("interpolation") and number.options:
        said["interpolation"] = json.dumps(record.area)
    if number.takes("k") and record.cut is not None:
        said["k"] = "..." if record.cut == "k" else repr(record.cut)
    if "normalizer" in number.options:
        said["normalizer"] = json.dumps(record.normalizer)
    if record.ties in _policies(number)[1:]:
        said["ties"] = json.dumps(record.ties)
    return said


def _policies(number: Number) -> tuple[str, ...]:
    """Return the policies for equal scores of a function, with its default first."""
    if not number.takes("ties"):
        return TIES[:1]
    return TIES if number.definition.area.counts_weight else RANKED_TIES


def _levels(record: Convention) -> str:
    levels = record.grid.levels
    if isinstance(levels, int):
        return str(levels)
    stored = f"CONVENTIONS[{json.dumps(record.name)}].grid.levels"
    same = (
        text for text in _LEVELS if tuple(eval(text, {"np": np}).tolist()) == levels
    )
    return next(same, stored)


def _inputs(record: Convention, number: Number) -> Arguments:
    """Return the arguments for other inputs, and for rankings without positives."""
    given = {"query_id": "..."} if record.queries == "mean" else {}
    takes = signature(number.score).parameters
    ignores_total = "n_positives" not in takes or record.normalizer == "hits"
    if record.total == "stated" and not ignores_total:
        given["n_positives"] = "..."
    answer = record.without_positives
    if "zero_division" not in takes:
        pass  # without positives precision at k is truly 0
    elif record.left_out or answer != answer:
        given["zero_division"] = "np.nan"
    elif answer == 1 or (answer == 0 and record.queries == "mean"):
        given["zero_division"] = repr(float(answer))
    return given


def _conditions(record: Convention, number: Number) -> list[str]:
    """Return the conditions on scores and labels under which our function gives the
    number of the record.
    """
    conditions = [
        text
        for (field, value), text in _CONDITIONS.items()
        if getattr(record, field) == value
    ]
    conditions += _classes(record)
    if record.ties not in _policies(number):
        conditions.append("no positive and negative have equal scores")
    return conditions


def _classes(record: Convention) -> list[str]:
    """Return the classes that a ranking must have: without them our functions give
    another answer.
    """
    mean, answer = record.queries == "mean", record.without_positives
    left_out = record.left_out and mean
    ours = answer in (0, 1) or left_out or (answer != answer and not mean)
    needed = [] if ours else ["a positive"]
    needed += [] if record.without_negatives is None else ["a negative"]
    if needed:
        return [f"{'every query has' if mean else 'there is'} {' and '.join(needed)}"]
    return ["some query has a positive"] if record.left_out and answer == answer else []

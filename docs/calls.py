"""Our call for a record: the function that gives its number, with arguments as users write them."""

import json
from collections.abc import Callable
from inspect import signature
from typing import NamedTuple, get_args

import numpy as np

import sklearn_ap
from sklearn_ap._family import FAMILY
from sklearn_ap._typing import Ties
from sklearn_ap.compatibility import CHOICES, Convention, Grid

# How users write common levels.
_LEVELS = (
    "np.arange(0, 1.1, 0.1)",
    "np.linspace(0, 1, 11)",
    "np.linspace(0, 1, 101)",
    "np.arange(1, 41) / 40",
)
# Our functions do not have these choices, but under the condition named here the choices change nothing.
_CONDITIONS = {
    ("score_dtype", "float32"): "the scores are float32",
    ("transform", "near"): "different scores are more than 1e-8 apart",
    ("transform", "sigmoid"): "all scores lie in [0, 1]",
    ("transform", "above 0"): "all scores are above 0",
}
# Only these fields are read: a record with another than scikit-learn's choice in any other field has no call.
_READ = {
    *("score_dtype", "transform", "queries", "ties", "weights", "area", "grid", "total", "cut", "normalizer"),
    *("without_positives", "without_negatives", "left_out"),
}
_UNREAD = {name for names in CHOICES.values() for name in names} - _READ
_TIES = get_args(Ties)  # of the scores with a cut
_UNTIED = "no positive and negative have equal scores"

Arguments = dict[str, str]


class Call(NamedTuple):
    """A function with its arguments; `...` stands for the caller's own input."""

    function: str
    definition: Arguments
    inputs: Arguments
    conditions: list[str]

    def text(self, *, with_inputs: bool) -> str:
        """Return the call as users write it: with all arguments, or only with those that define a number."""
        arguments = self.definition | self.inputs if with_inputs else self.definition
        written = ", ".join(f"{name}={value}" for name, value in arguments.items())
        return f"{self.function}({written})" if written else self.function


def our_call(record: Convention) -> Call | None:
    """Return our call for a record, or None where `score_as` alone gives its number."""
    usual = Convention(name="scikit-learn")
    known = record.transform is None or ("transform", record.transform) in _CONDITIONS
    known = known and record.queries in ("pooled", "mean")
    if not known or any(getattr(record, name) != getattr(usual, name) for name in _UNREAD):
        return None
    found = _AREAS.get(record.area, _plain)(record)
    if found is None:
        return None
    function, definition = found
    return Call(function, definition, _inputs(record, function), _conditions(record, function))


def _step(record: Convention) -> tuple[str, Arguments] | None:
    if record.grid is not None or record.cut == "n_positives":
        return None
    if record.cut is None:
        whole = record.normalizer in ("n_positives", "hits")
        return ("average_precision_score", {}) if whole else None
    arguments = {"k": _cut(record)}
    if record.normalizer != "min":
        arguments["normalizer"] = f'"{record.normalizer}"'
    if record.ties in _TIES[1:]:
        arguments["ties"] = f'"{record.ties}"'
    return "average_precision_at_k_score", arguments


def _interpolated(record: Convention) -> tuple[str, Arguments] | None:
    grid = record.grid
    if grid is None:
        return "interpolated_average_precision_score", {}
    if grid != Grid(grid.name, grid.levels):  # met or weighed in another way
        return None
    if grid.levels == 11:
        return "eleven_point_average_precision_score", {}
    levels = str(grid.levels)
    if isinstance(grid.levels, tuple):
        stored = f"CONVENTIONS[{json.dumps(record.name)}].grid.levels"
        same = (text for text in _LEVELS if tuple(eval(text, {"np": np}).tolist()) == grid.levels)
        levels = next(same, stored)
    return "interpolated_average_precision_score", {"recall_levels": levels}


def _joined(record: Convention) -> tuple[str, Arguments] | None:
    ours = {"linear": {}, "davis-goadrich": {"interpolation": '"davis-goadrich"'}}
    return ("pr_auc_score", ours[record.area]) if record.grid is None else None


def _hits(record: Convention) -> tuple[str, Arguments] | None:
    if record.cut == "n_positives":
        return "r_precision_score", {}
    function = {"k": "precision_at_k_score", "n_positives": "recall_at_k_score"}.get(record.normalizer)
    return None if function is None or record.cut is None else (function, {"k": _cut(record)})


_AREAS: dict[str, Callable[[Convention], tuple[str, Arguments] | None]] = {
    "step": _step,
    "interpolated": _interpolated,
    "linear": _joined,
    "davis-goadrich": _joined,
    "hits": _hits,
}


def _plain(record: Convention) -> tuple[str, Arguments] | None:
    """Return our function of an area that has no grid, cut or options."""
    ours = (number.score.__name__ for number in FAMILY if number.definition.area.name == record.area)
    function = next(ours, None)
    return None if function is None or record.grid is not None or record.cut is not None else (function, {})


def _cut(record: Convention) -> str:
    return "..." if record.cut == "k" else repr(record.cut)


def _inputs(record: Convention, function: str) -> Arguments:
    """Return the arguments for further inputs and for the answer without positives."""
    given = {"query_id": "..."} if record.queries == "mean" else {}
    takes = signature(getattr(sklearn_ap, function)).parameters
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


def _conditions(record: Convention, function: str) -> list[str]:
    """Return the conditions on scores and labels under which our function gives the number of the record."""
    said = [text for (field, value), text in _CONDITIONS.items() if getattr(record, field) == value]
    taken = _TIES if function == "average_precision_at_k_score" else _TIES[:1]
    return said + _classes(record) + ([] if record.ties in taken else [_UNTIED])


def _classes(record: Convention) -> list[str]:
    """Return the classes that a ranking must have: without them our functions give another answer."""
    mean, answer = record.queries == "mean", record.without_positives
    ours = answer in (0, 1) or (answer != answer and (record.left_out or not mean))
    needed = [] if ours else ["a positive"]
    needed += [] if record.without_negatives is None else ["a negative"]
    if needed:
        return [f"{'every query has' if mean else 'there is'} {' and '.join(needed)}"]
    return ["some query has a positive"] if record.left_out and answer == answer else []

"""The public functions, for tests that hold of all of them."""

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import Any

import sklearn_ap
from sklearn_ap._core.registry import NUMBERS, SCORES

ALL_SCORES = sorted(SCORES, key=lambda score: score.__name__)
# What a score cannot be called without: a level.
LEVELS = {
    score.__name__: {one.name: 0.8}
    for score in ALL_SCORES
    for one in list(signature(score).parameters.values())[2:]
    if one.default is one.empty
}
# A value of each option of a score that is not its default.
EXAMPLES: dict[str, Any] = {
    "interpolation": "davis-goadrich",
    "k": 3,
    "normalizer": "k",
    "precision": 0.3,
    "recall": 0.3,
    "recall_levels": 5,
    "ties": "pessimistic",
}
CURVES = [
    getattr(sklearn_ap, name) for name in sklearn_ap.__all__ if name.endswith("_curve")
]


def options_of(score: Callable[..., Any]) -> list[str]:
    """The keywords of a score's own, which stand before those that scores share."""
    parameters = list(signature(score).parameters)
    return parameters[2 : parameters.index("average")]


def example_of(option: str) -> Any:
    """A value of an option that changes a number."""
    if option not in EXAMPLES:
        raise NotImplementedError(
            f"{option} is a new option: add a value that changes a number to EXAMPLES "
            f'in tests/metrics.py, such as\n    "{option}": 2.0,'
        )
    return EXAMPLES[option]


def calls(k: int) -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """Every number of the package by its name: the function and its arguments, cut at
    `k` if it takes one.
    """
    return {
        one.name: (one.score, one.options | ({"k": k} if one.is_cut else {}))
        for one in NUMBERS
    }


def counts_weight(score: Callable[..., Any]) -> bool:
    """Whether a score takes weights that differ inside a ranking."""
    return {one.score.__name__: one.definition.area.counts_weight for one in NUMBERS}[
        score.__name__
    ]


def at_a_level(score: Callable[..., Any]) -> Callable[..., Any]:
    """A score as it is, or with the level that it needs."""
    if score.__name__ not in LEVELS:
        return score
    bound = partial(score, **LEVELS[score.__name__])
    bound.__name__, bound.__annotations__ = score.__name__, score.__annotations__
    return bound


# Every public score, called with labels and scores alone.
CALLED = [at_a_level(score) for score in ALL_SCORES]
# Those that take weights that differ inside a ranking. A rank counts rows.
WEIGHED = [score for score in CALLED if counts_weight(score)]

"""The public functions, for tests of all of them."""

from functools import partial
from inspect import signature
from typing import Any

import sklearn_ap
from sklearn_ap._core.reading.options import NORMALIZERS, RECALL_NORMALIZERS
from sklearn_ap._core.registry import NUMBERS, SCORES, name_of

ALL_SCORES = sorted(SCORES, key=lambda score: score.__name__)
# The arguments that a score requires.
VALUES = {"k": 10, "interpolation": "linear"}
LEVELS = {
    score.__name__: {one.name: VALUES.get(one.name, 0.8)}
    for score in ALL_SCORES
    for one in list(signature(score).parameters.values())[2:]
    if one.default is one.empty
}
# A value of each keyword that is not its default, and the other arguments that it
# needs.
QUERIES = {"query_id": "query"}
EXAMPLES: dict[str, tuple[Any, dict[str, Any]]] = {
    "average": ("weighted", QUERIES),
    "interpolation": ("davis-goadrich", {}),
    "k": (3, QUERIES),
    # Query 3 has no rows.
    "n_positives": ({0: 30, 1: 40, 2: 5, 3: 6}, QUERIES),
    "normalizer": ("k", {"k": 17}),
    "pos_label": (0, QUERIES),
    "precision": (0.3, {}),
    "prevalence": (0.9, {}),
    "query_id": ("query", {}),
    "recall": (0.3, {}),
    "recall_levels": (5, {}),
    "sample_weight": ("weight", {}),
    "ties": ("pessimistic", {"k": 2, **QUERIES}),
    "zero_division": (1.0, QUERIES),
}
CURVES = [
    getattr(sklearn_ap, name) for name in sklearn_ap.__all__ if name.endswith("_curve")
]


def highest_of(score):
    """Return the highest possible value of a score, with or without bound arguments."""
    areas = {one.score.__name__: one.definition.area for one in NUMBERS}
    return areas[name_of(score)].highest


def options_of(score):
    """Return the keywords of a score that come before those that all scores share."""
    parameters = list(signature(score).parameters)
    return parameters[2 : parameters.index("average")]


def example_of(keyword, score):
    """Return a value of a keyword that changes a number, and other arguments."""
    if keyword == "normalizer" and score is sklearn_ap.recall_at_k_score:
        return "min", {"k": 2}
    if keyword not in EXAMPLES:
        raise NotImplementedError(
            f"{keyword} is a new keyword: add a value that changes a number to EXAMPLES "
            f'in tests/metrics.py, such as\n    "{keyword}": (2.0, {{}}),'
        )
    return EXAMPLES[keyword]


def counts_weight(score):
    """Return whether a score takes weights that differ inside a ranking."""
    return {one.score.__name__: one.definition.area.counts_weight for one in NUMBERS}[
        score.__name__
    ]


def at_a_level(score):
    """Return a score, with the level that it requires, if any."""
    if score.__name__ not in LEVELS:
        return score
    bound = partial(score, **LEVELS[score.__name__])
    bound.__name__, bound.__annotations__ = score.__name__, score.__annotations__
    return bound


# Every public score, so that it can be called with labels and scores only.
CALLED = [at_a_level(score) for score in ALL_SCORES]
# The scores that take weights that differ inside a ranking. Scores of ranks count rows.
WEIGHED = [score for score in CALLED if counts_weight(score)]


def normalizers_of(score):
    """Return the normalizers that a score takes."""
    if score is sklearn_ap.recall_at_k_score:
        return RECALL_NORMALIZERS
    return NORMALIZERS

"""The public functions, for tests of all of them, and what tests pass to them."""

from functools import partial
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

import sklearn_ap
from sklearn_ap._core.reading.options import NORMALIZERS, RECALL_NORMALIZERS, TIES
from sklearn_ap._core.registry import NUMBERS, SCORES, function_name_of

ALL_SCORES = sorted(SCORES, key=lambda score: score.__name__)
# The arguments that a score requires, as its first number in the registry has them.
LEVELS: dict[str, dict[str, Any]] = {}
for number in NUMBERS:
    parameters = signature(number.score).parameters
    required = {
        option: value
        for option, value in number.options.items()
        if parameters[option].default is parameters[option].empty
    }
    if required:
        LEVELS.setdefault(number.score.__name__, required)


class Keyword(NamedTuple):
    """What tests pass as a keyword of a score."""

    # A value that is not the default and changes a number.
    example: Any
    # Values that `problems` draws for an option of the definition.
    drawn: st.SearchStrategy | None
    # Other arguments that the example needs.
    more: dict[str, Any]


def _keyword(example, drawn=None, **more):
    return Keyword(example, drawn, more)


QUERIES = {"query_id": "query"}
AT_A_LEVEL = st.sampled_from(
    [0.0, 0.1, 0.2, 0.1 * 3, 1 / 3, 0.5, 0.1 * 6, 2 / 3, 0.75, 0.8, 1.0]
)
CUTS = st.one_of(
    st.integers(1, 14),
    st.sampled_from([0.05, 0.25, 0.3, 0.5, 0.75, 0.99]),
    st.none(),
)
RECALL_LEVELS = st.one_of(
    st.none(),
    st.sampled_from([2, 3, 5, 6, 7, 11, 41, 101]),
    st.lists(AT_A_LEVEL, min_size=1),
)
KEYWORDS = {
    "interpolation": _keyword(
        "davis-goadrich", st.sampled_from(["linear", "davis-goadrich"])
    ),
    "k": _keyword(3, CUTS, **QUERIES),
    "normalizer": _keyword("k", st.sampled_from(NORMALIZERS), k=17),
    "precision": _keyword(0.3, AT_A_LEVEL),
    "recall": _keyword(0.3, AT_A_LEVEL),
    "recall_levels": _keyword(5, RECALL_LEVELS),
    "ties": _keyword("pessimistic", st.sampled_from(TIES), k=2, **QUERIES),
    # Keywords of all scores, which `problems` draws with the rows. Labels are 1 and 0;
    # `test_invariances` has others.
    "average": _keyword("weighted", **QUERIES),
    # Query 3 has no rows.
    "n_positives": _keyword({0: 30, 1: 40, 2: 5, 3: 6}, **QUERIES),
    "pos_label": _keyword(0, **QUERIES),
    "prevalence": _keyword(0.9),
    "query_id": _keyword("query"),
    "sample_weight": _keyword("weight"),
    "zero_division": _keyword(1.0, **QUERIES),
}
CURVES = [
    getattr(sklearn_ap, name) for name in sklearn_ap.__all__ if name.endswith("_curve")
]


def highest_of(score):
    """Return the highest possible value of a score, with or without bound arguments."""
    areas = {one.score.__name__: one.definition.area for one in NUMBERS}
    return areas[function_name_of(score)].highest


def options_of(score):
    """Return the keywords of a score that come before those that all scores share."""
    parameters = list(signature(score).parameters)
    return parameters[2 : parameters.index("average")]


def example_of(keyword, score):
    """Return a value of a keyword that changes a number, and other arguments."""
    if keyword == "normalizer" and score is sklearn_ap.recall_at_k_score:
        return "min", {"k": 2}
    one = KEYWORDS[keyword]
    return one.example, one.more


# Rows for the examples. There are ties, query 2 has no positives, and the best scores of
# a query belong to negatives.
_RNG = np.random.default_rng(4)
QUERY = np.arange(60) % 3
LABEL = ((_RNG.random(60) < 0.3) & (QUERY < 2)).astype(int)
ROWS = LABEL, (_RNG.integers(0, 9, 60) + 2 * LABEL * (QUERY == 0)) / 8
COLUMNS = {"query_id": QUERY, "sample_weight": _RNG.integers(1, 5, 60) / 2}


def options_for(keyword, score):
    """Return the options of a score that the example of a keyword needs, and the
    example, for ROWS.
    """
    value, more = example_of(keyword, score)
    needed = LEVELS.get(score.__name__, {}) | more
    accepted = needed.keys() & signature(score).parameters
    return (
        {name: COLUMNS.get(name, needed[name]) for name in accepted},
        COLUMNS.get(keyword, value),
    )


def check_keywords(score):
    """Raise NotImplementedError if tests do not know a keyword of a score."""
    missing = {*signature(score).parameters} - {"y_true", "y_score", *KEYWORDS}
    undrawn = {name for name, one in KEYWORDS.items() if one.drawn is None}
    missing |= undrawn.intersection(options_of(score))
    if missing:
        raise NotImplementedError(
            f"{score.__name__} has new keywords: add a row for each of {sorted(missing)} "
            'to KEYWORDS in tests/metrics.py, such as\n    "beta": _keyword(2.0, '
            "st.sampled_from([0.5, 2.0])),"
        )


for score in ALL_SCORES:
    check_keywords(score)
# Each keyword of each score.
CASES = [
    (score, keyword)
    for score in ALL_SCORES
    for keyword in list(signature(score).parameters)[2:]
]


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

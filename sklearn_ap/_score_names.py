"""Scores by name: ``'average_precision@100'`` is a score with its cut, wherever a function is asked for."""

import re
from collections.abc import Mapping
from functools import partial
from inspect import signature
from typing import Any

from ._family import LEVEL, SCORES, K
from ._reading._options import read_k, read_level
from ._typing import ScoreFunction

AT_K, SCORE = "_at_k_score", "_score"  # how the names of public scores end
# Scores at a level, by their names, and the argument that states it, which has no default.
LEVELS = {"precision_at_recall": "recall", "recall_at_precision": "precision"}
SCORERS = {one.__name__.removesuffix(SCORE): one for one in SCORES if not one.__name__.endswith(AT_K)}
SCORERS_AT_LEVEL = {family: SCORERS.pop(family) for family in LEVELS}
# By the name before the cut; a score may also be one of whole rankings, and is then in both tables.
SCORERS_AT_K = {
    one.__name__.removesuffix(AT_K).removesuffix(SCORE): one
    for one in SCORES
    if "k" in signature(one).parameters
}
# int() and float() would also accept 1_0, blanks and the digits of other scripts.
_is_number = re.compile(r"[0-9]+|[0-9]*\.[0-9]+").fullmatch


def score_of(score_func: str | ScoreFunction, params: Mapping[str, Any]) -> ScoreFunction:
    """Return the function that a name stands for, with its cut bound; a function as it is."""
    if not isinstance(score_func, str):
        refuse_no_function(score_func)
        return score_func
    score, stated = named_score("score_func", score_func, params)
    return partial(score, **stated) if stated else score


def refuse_no_function(score_func: object) -> None:
    """Refuse what cannot be called."""
    if not callable(score_func):
        raise TypeError(
            f"score_func must be a function or a name; got {score_func!r}: pass a score such as "
            "average_precision_score, or 'average_precision'."
        )


def named_score(parameter: str, name: str, params: Mapping[str, Any]) -> tuple[ScoreFunction, dict[str, Any]]:
    """Return the function that a name stands for, with its cut or level, which `params` must not repeat."""
    score, stated = _read(parameter, name)
    for one in stated:
        if one in params:
            raise TypeError(
                f"{one} is stated by the name {name!r}; got {one}={params[one]!r} too. Remove {one}."
            )
    return score, stated


def _read(parameter: str, name: str) -> tuple[ScoreFunction, dict[str, Any]]:
    family, *rest = name.split("@") if isinstance(name, str) else [""]
    if not rest and family in SCORERS:
        return SCORERS[family], {}
    try:
        (text,) = rest
        if not _is_number(text):
            raise ValueError(text)
        if family in LEVELS:
            return SCORERS_AT_LEVEL[family], {LEVELS[family]: read_level(LEVELS[family], float(text))}
        return SCORERS_AT_K[family], {"k": read_k(float(text) if "." in text else int(text))}
    except (KeyError, ValueError):
        raise ValueError(
            f"{parameter} must be one of {names()}, where {K} may be any number of rows, or a share of them "
            f"such as 0.05, and {LEVEL} any level from 0 to 1; got {name!r}."
        ) from None


def is_known(name: str) -> bool:
    """Whether a score has this name."""
    try:
        _read("name", name)
    except ValueError:
        return False
    return True


def names() -> list[str]:
    """Return all names in alphabetical order, with an example of each cut and level."""
    at_k = (f"{family}@{K}" for family in SCORERS_AT_K)
    return sorted([*SCORERS, *at_k, *(f"{family}@{LEVEL}" for family in SCORERS_AT_LEVEL)])

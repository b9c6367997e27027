"""The registry: every public score with its definition, and every number of this package by its name.

Scorers, records, pages and tests read these tables, so a row in each makes a score known everywhere. Wherever
a function is expected, its name will do: ``'average_precision@100'`` is a score with its cut.
"""

import re
from collections.abc import Callable, Hashable, Mapping
from difflib import get_close_matches
from functools import cache, partial
from inspect import Parameter, Signature, signature
from typing import Any, NamedTuple

from ._definition import Definition
from ._reading._options import RANKED_TIES, read_k, read_level
from ._scores._at_k import (
    average_precision_at_k,
    average_precision_at_k_score,
    precision_at_k,
    precision_at_k_score,
    r_precision,
    r_precision_score,
    recall_at_k,
    recall_at_k_score,
    reciprocal_rank,
    reciprocal_rank_score,
)
from ._scores._at_level import (
    precision_at_recall,
    precision_at_recall_score,
    recall_at_precision,
    recall_at_precision_score,
)
from ._scores._average_precision import (
    average_precision,
    average_precision_score,
    eleven_point_average_precision,
    eleven_point_average_precision_score,
    interpolated_average_precision,
    interpolated_average_precision_score,
    pr_auc,
    pr_auc_score,
)
from ._typing import ScoreFunction

K = 10  # the cut of functions and scorers if none was given
LEVEL = 0.8  # the recall or precision of records and names of scorers; functions have no default


class Number(NamedTuple):
    """One number: its name in records, the function that computes it, and its definition."""

    name: str
    score: ScoreFunction
    options: dict[str, object]  # the arguments of the function that make it, other than its defaults
    definition: Definition

    @property
    def call(self) -> str:
        """The call as a user writes it, without the data."""
        written = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        return f"{self.score.__name__}({written})" if written else self.score.__name__

    @property
    def is_cut(self) -> bool:
        """Whether it ends at the caller's `k`; a function may also give a number of whole rankings."""
        return self.takes("k") and self.definition.cut is not None

    def takes(self, parameter: str) -> bool:
        """Whether the function has a parameter of this name."""
        return parameter in _signature_of(self.score).parameters


@cache  # `identify` and pages ask again and again, and inspecting a function is slow
def _signature_of(score: ScoreFunction) -> Signature:
    return signature(score)


# Each public score, and the function that makes its definition, from those of its arguments that it takes.
DEFINED_BY: dict[ScoreFunction, Callable[..., Definition]] = {
    average_precision_score: average_precision,
    interpolated_average_precision_score: interpolated_average_precision,
    eleven_point_average_precision_score: eleven_point_average_precision,
    pr_auc_score: pr_auc,
    average_precision_at_k_score: average_precision_at_k,
    precision_at_k_score: precision_at_k,
    recall_at_k_score: recall_at_k,
    r_precision_score: r_precision,
    reciprocal_rank_score: reciprocal_rank,
    precision_at_recall_score: precision_at_recall,
    recall_at_precision_score: recall_at_precision,
}
SCORES = tuple(DEFINED_BY)


def _number(name: str, score: ScoreFunction, **options: object) -> Number:
    return Number(name, score, options, definition_of(score, options))


@cache
def _defaults_of(score: ScoreFunction) -> dict[str, Any]:
    parameters = _signature_of(score).parameters.items()
    defaults = {name: parameter.default for name, parameter in parameters}
    return {name: value for name, value in defaults.items() if value is not Parameter.empty}


def definition_of(score: ScoreFunction, arguments: Mapping[str, Any]) -> Definition:
    """Return what a score that is listed here computes with these arguments, and its defaults."""
    defined_by = DEFINED_BY[_unbound(score)]
    arguments = _defaults_of(_unbound(score)) | dict(arguments)
    return defined_by(**{name: arguments[name] for name in _signature_of(defined_by).parameters})


def name_of(score: ScoreFunction) -> str:
    """Return the name of a score that is listed here, for texts of errors."""
    return _unbound(score).__name__


def _unbound(score: ScoreFunction) -> ScoreFunction:
    while isinstance(score, partial):
        score = score.func
    return score


# A row here makes the tests compare the function with its definition on every layout of the input.
NUMBERS = (
    _number("average precision", average_precision_score),
    _number("interpolated, all recalls", interpolated_average_precision_score),
    _number(f"average precision up to recall {LEVEL}", average_precision_score, max_recall=LEVEL),
    _number(f"interpolated up to recall {LEVEL}", interpolated_average_precision_score, max_recall=LEVEL),
    _number("interpolated, 101 levels", interpolated_average_precision_score, recall_levels=101),
    _number("eleven-point", eleven_point_average_precision_score),
    _number("PR AUC, linear", pr_auc_score),
    _number("PR AUC, Davis-Goadrich", pr_auc_score, interpolation="davis-goadrich"),
    _number("AP@k over min(k, R)", average_precision_at_k_score),
    _number("AP@k over R", average_precision_at_k_score, normalizer="n_positives"),
    _number("AP@k over k", average_precision_at_k_score, normalizer="k"),
    _number("AP@k over hits", average_precision_at_k_score, normalizer="hits"),
    *(_number(f"AP@k, {ties} ties", average_precision_at_k_score, ties=ties) for ties in RANKED_TIES),
    _number("precision@k", precision_at_k_score),
    _number("recall@k", recall_at_k_score),
    _number("R-precision", r_precision_score),
    _number("reciprocal rank", reciprocal_rank_score),
    _number("reciprocal rank@k", reciprocal_rank_score, k=K),
    _number(f"precision at recall {LEVEL}", precision_at_recall_score, recall=LEVEL),
    _number(f"recall at precision {LEVEL}", recall_at_precision_score, precision=LEVEL),
)


def arguments_of(score: ScoreFunction, params: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the keyword arguments of a score, or of a partial of it; None if the call would fail."""
    call: Any = score
    while isinstance(call, partial) and not call.args:
        call, params = call.func, {**call.keywords, **params}
    if not isinstance(call, Hashable) or call not in DEFINED_BY:
        return None
    arguments = _defaults_of(call) | dict(params)
    takes_all = params.keys() <= _signature_of(call).parameters.keys()
    has_all = _signature_of(DEFINED_BY[call]).parameters.keys() <= arguments.keys()
    return arguments if takes_all and has_all else None


AT_K, SCORE = "_at_k_score", "_score"  # how the names of public scores end
SCORERS = {score.__name__.removesuffix(SCORE): score for score in SCORES if not score.__name__.endswith(AT_K)}
# Scores at a level, by their names, and the argument that sets it: the one keyword without a default.
LEVEL_ARGUMENTS = {
    family: argument
    for family, score in SCORERS.items()
    for argument in list(_signature_of(score).parameters)[2:]
    if argument not in _defaults_of(score)
}
SCORERS_AT_LEVEL = {family: SCORERS.pop(family) for family in LEVEL_ARGUMENTS}
# Scores whose names may end in the recall where the area ends, as in `average_precision@max_recall=0.8`.
SCORERS_TO_RECALL = {
    family: SCORERS[family] for family in ("average_precision", "interpolated_average_precision")
}
# By the name before the cut; a score may also be one of whole rankings, and is then in both tables.
SCORERS_AT_K = {
    score.__name__.removesuffix(AT_K).removesuffix(SCORE): score
    for score in SCORES
    if "k" in _signature_of(score).parameters
}
# int() and float() would also accept 1_0, blanks and the digits of other scripts.
_is_number = re.compile(r"[0-9]+|[0-9]*\.[0-9]+").fullmatch


def score_of(score_func: str | ScoreFunction, params: Mapping[str, Any]) -> ScoreFunction:
    """Return the function that a name stands for, with its cut bound; a function as it is."""
    if not isinstance(score_func, str):
        refuse_no_function(score_func)
        return score_func
    score, options = named_score("score_func", score_func, params)
    return partial(score, **options) if options else score


def refuse_no_function(score_func: object) -> None:
    """Refuse what cannot be called."""
    if not callable(score_func):
        raise TypeError(
            f"score_func must be a function or a name; got {score_func!r}: pass a score such as "
            "average_precision_score, or 'average_precision'."
        )


def named_score(parameter: str, name: str, params: Mapping[str, Any]) -> tuple[ScoreFunction, dict[str, Any]]:
    """Return the function that a name stands for, with its cut or level, which `params` must not repeat."""
    score, options = _read_name(parameter, name)
    for argument in options.keys() & params.keys():
        raise TypeError(
            f"{argument} is already specified by the name {name!r}; got {argument}={params[argument]!r} too. "
            f"Remove {argument}."
        )
    return score, options


def _read_name(parameter: str, name: str) -> tuple[ScoreFunction, dict[str, Any]]:
    family, *rest = name.split("@") if isinstance(name, str) else [""]
    if not rest and family in SCORERS:
        return SCORERS[family], {}
    try:
        keyword, is_keyword, text = rest[0].rpartition("=") if len(rest) == 1 else ("", "", "")
        if not _is_number(text) or keyword != "max_recall" * bool(is_keyword):
            raise ValueError(name)
        if is_keyword:
            return SCORERS_TO_RECALL[family], {keyword: read_level(keyword, float(text))}
        if family in LEVEL_ARGUMENTS:
            argument = LEVEL_ARGUMENTS[family]
            return SCORERS_AT_LEVEL[family], {argument: read_level(argument, float(text))}
        return SCORERS_AT_K[family], {"k": read_k(float(text) if "." in text else int(text))}
    except (KeyError, ValueError):
        near = get_close_matches(str(name), names(), n=3)
        hint = f" Near names: {', '.join(map(repr, near))}." if near else ""
        raise ValueError(
            f"{parameter} must be one of {names()}, where {K} may be any number of rows, or a share of them "
            f"such as 0.05, and {LEVEL} any level from 0 to 1; got {name!r}.{hint}"
        ) from None


def is_known(name: str) -> bool:
    """Whether a score has this name."""
    try:
        _read_name("name", name)
    except ValueError:
        return False
    return True


def names() -> list[str]:
    """Return all names in alphabetical order, with an example of each cut and level."""
    at_k = [f"{family}@{K}" for family in SCORERS_AT_K]
    at_level = [f"{family}@{LEVEL}" for family in SCORERS_AT_LEVEL]
    to_recall = [f"{family}@max_recall={LEVEL}" for family in SCORERS_TO_RECALL]
    return sorted([*SCORERS, *at_k, *at_level, *to_recall])

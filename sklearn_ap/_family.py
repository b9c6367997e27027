"""Every number of this package: its name, its public function, and the options that make it.

Scorers, records, pages and tests read this table, so one row here makes a score known everywhere. The
definition of a score is the function beside it that has its name without `_score`.
"""

from collections.abc import Callable, Hashable, Mapping
from functools import cache, partial
from inspect import Parameter, Signature, signature
from typing import Any, NamedTuple

from ._definition import Definition
from ._reading._options import TIES
from ._scores._at_k import precision_at_k_score, r_precision_score, recall_at_k_score
from ._scores._at_level import precision_at_recall_score, recall_at_precision_score
from ._scores._average_precision import (
    average_precision_score,
    eleven_point_average_precision_score,
    interpolated_average_precision_score,
)
from ._scores._average_precision_at_k import average_precision_at_k_score
from ._scores._pr_auc import pr_auc_score
from ._scores._reciprocal_rank import reciprocal_rank_score
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


@cache  # as of signatures
def _definer_of(score: Any) -> Callable[..., Definition]:
    """Return what makes the definition of a score, from those of its arguments that belong to it."""
    name, beside = score.__name__.removesuffix("_score"), score.__globals__
    if name not in beside:
        raise TypeError(
            f"{score.__name__} needs its definition beside it: a function {name} in the same file."
        )
    found: Callable[..., Definition] = beside[name]
    return found


def _number(name: str, score: ScoreFunction, **options: object) -> Number:
    return Number(name, score, options, definition_of(score, _defaults_of(score) | options))


@cache
def _defaults_of(score: ScoreFunction) -> dict[str, Any]:
    parameters = _signature_of(score).parameters.items()
    return {name: one.default for name, one in parameters if one.default is not Parameter.empty}


def definition_of(score: ScoreFunction, arguments: Mapping[str, Any]) -> Definition:
    """Return what a score that is listed here computes with all of its arguments."""
    defined_by = _definer_of(_unbound(score))
    return defined_by(**{name: arguments[name] for name in _signature_of(defined_by).parameters})


def name_of(score: ScoreFunction) -> str:
    """Return the name of a score that is listed here, for texts of errors."""
    return _unbound(score).__name__


def _unbound(score: ScoreFunction) -> ScoreFunction:
    while isinstance(score, partial):
        score = score.func
    return score


# A row here makes the tests compare the function with its definition on every layout of the input.
FAMILY = (
    _number("average precision", average_precision_score),
    _number("interpolated, all recalls", interpolated_average_precision_score),
    _number("interpolated, 101 levels", interpolated_average_precision_score, recall_levels=101),
    _number("eleven-point", eleven_point_average_precision_score),
    _number("PR AUC, linear", pr_auc_score),
    _number("PR AUC, Davis-Goadrich", pr_auc_score, interpolation="davis-goadrich"),
    _number("AP@k over min(k, R)", average_precision_at_k_score),
    _number("AP@k over R", average_precision_at_k_score, normalizer="n_positives"),
    _number("AP@k over k", average_precision_at_k_score, normalizer="k"),
    _number("AP@k over hits", average_precision_at_k_score, normalizer="hits"),
    *(
        _number(f"AP@k, {ties} ties", average_precision_at_k_score, ties=ties)
        for ties in TIES
        if ties != "proportional"
    ),
    _number("precision@k", precision_at_k_score),
    _number("recall@k", recall_at_k_score),
    _number("R-precision", r_precision_score),
    _number("reciprocal rank", reciprocal_rank_score),
    _number("reciprocal rank@k", reciprocal_rank_score, k=K),
    _number(f"precision at recall {LEVEL}", precision_at_recall_score, recall=LEVEL),
    _number(f"recall at precision {LEVEL}", recall_at_precision_score, precision=LEVEL),
)
# The public scores: several numbers may come from one function.
SCORES = tuple(dict.fromkeys(number.score for number in FAMILY))
_LISTED = frozenset(SCORES)


def arguments_of(score: ScoreFunction, params: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return all keyword arguments of a score, its defaults and those that a partial binds among them.

    None if the function is not listed here, takes no argument of such a name, or lacks one: then it is
    called, and says so itself.
    """
    call: Any = score
    while isinstance(call, partial) and not call.args:
        call, params = call.func, {**call.keywords, **params}
    if not isinstance(call, Hashable) or call not in _LISTED:
        return None
    arguments = _defaults_of(call) | dict(params)
    takes_all = params.keys() <= _signature_of(call).parameters.keys()
    has_all = _signature_of(_definer_of(call)).parameters.keys() <= arguments.keys()
    return arguments if takes_all and has_all else None

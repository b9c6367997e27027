"""Every number of this package: its name, its public function, and its definition.

Scorers, records, pages and tests read this table, so one row here makes a score known everywhere.
"""

from collections.abc import Callable, Hashable, Mapping
from functools import cache, partial
from inspect import Parameter, Signature, signature
from typing import Any, NamedTuple

import numpy as np

from ._areas._hits import HITS
from ._areas._interpolated import INTERPOLATED
from ._areas._recall_at_precision import RECALL_AT_PRECISION
from ._areas._reciprocal_rank import RECIPROCAL_RANK
from ._areas._step import STEP
from ._at_k import precision_at_k_score, r_precision_score, recall_at_k_score
from ._at_level import precision_at_recall_score, recall_at_precision_score
from ._average_precision import (
    average_precision_score,
    eleven_point_average_precision_score,
    interpolated_average_precision_score,
)
from ._average_precision_at_k import average_precision_at_k_score
from ._definition import Definition
from ._definitions import (
    ALL_RECALLS,
    ELEVEN_POINTS,
    JOINED,
    R_PRECISION,
    STEP_AP,
    at_k,
    eleven_point,
    interpolated,
    joined,
    precision_at_k,
    precision_at_recall,
    r_precision,
    recall_at_k,
    recall_at_precision,
    reciprocal_rank,
    step,
)
from ._pr_auc import pr_auc_score
from ._reading import TIES
from ._reciprocal_rank import reciprocal_rank_score
from ._typing import ScoreFunction

__all__ = ["FAMILY", "LEVEL", "SCORES", "K", "Number", "arguments_of", "definition_of", "name_of"]

K = 10  # the cut of functions and scorers if none was given
LEVEL = 0.8  # the recall or precision of records and names of scorers; functions have no default


class Number(NamedTuple):
    """One number: its name in records, the function that computes it, and its definition."""

    name: str
    score: ScoreFunction
    definition: Definition

    @property
    def options(self) -> dict[str, object]:
        """The arguments of the function that make this number, where they differ from its defaults."""
        # A function takes only some of these parameters; the definition sets all of them.
        one = self.definition
        said = {
            "recall_levels": one.grid,
            "interpolation": one.area.name,
            "recall": one.level,
            "precision": one.level,
            "k": one.cut,
            "ties": one.ties,
            "normalizer": one.normalizer,
        }
        parameters = _signature_of(self.score).parameters
        return {
            name: value
            for name, value in said.items()
            if name in parameters and value != parameters[name].default
        }

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


# A row here makes the tests compare the function with its definition on every layout of the input.
FAMILY = (
    Number("average precision", average_precision_score, STEP_AP),
    Number("interpolated, all recalls", interpolated_average_precision_score, ALL_RECALLS),
    Number(
        "interpolated, 101 levels",
        interpolated_average_precision_score,
        Definition(INTERPOLATED, grid=101),
    ),
    Number("eleven-point", eleven_point_average_precision_score, ELEVEN_POINTS),
    Number("PR AUC, linear", pr_auc_score, JOINED["linear"]),
    Number("PR AUC, Davis-Goadrich", pr_auc_score, JOINED["davis-goadrich"]),
    Number("AP@k over min(k, R)", average_precision_at_k_score, Definition(STEP, cut=K, normalizer="min")),
    Number("AP@k over R", average_precision_at_k_score, Definition(STEP, cut=K)),
    Number("AP@k over k", average_precision_at_k_score, Definition(STEP, cut=K, normalizer="k")),
    Number("AP@k over hits", average_precision_at_k_score, Definition(STEP, cut=K, normalizer="hits")),
    *(
        Number(
            f"AP@k, {ties} ties",
            average_precision_at_k_score,
            Definition(STEP, cut=K, ties=ties, normalizer="min"),
        )
        for ties in TIES
        if ties != "proportional"
    ),
    Number("precision@k", precision_at_k_score, Definition(HITS, cut=K, normalizer="k")),
    Number("recall@k", recall_at_k_score, Definition(HITS, cut=K)),
    Number("R-precision", r_precision_score, R_PRECISION["proportional"]),
    Number("reciprocal rank", reciprocal_rank_score, Definition(RECIPROCAL_RANK, ties="expected")),
    Number("reciprocal rank@k", reciprocal_rank_score, Definition(RECIPROCAL_RANK, cut=K, ties="expected")),
    Number(
        f"precision at recall {LEVEL}",
        precision_at_recall_score,
        Definition(INTERPOLATED, grid=np.array([LEVEL])),
    ),
    Number(
        f"recall at precision {LEVEL}",
        recall_at_precision_score,
        Definition(RECALL_AT_PRECISION, grid=np.array([LEVEL])),
    ),
)
# The public scores: several numbers may come from one function.
SCORES = tuple(dict.fromkeys(number.score for number in FAMILY))
# What makes the definition of each score, from those of its arguments that belong to it.
_DEFINED_BY: dict[ScoreFunction, Callable[..., Definition]] = {
    average_precision_score: step,
    interpolated_average_precision_score: interpolated,
    eleven_point_average_precision_score: eleven_point,
    pr_auc_score: joined,
    average_precision_at_k_score: at_k,
    precision_at_k_score: precision_at_k,
    recall_at_k_score: recall_at_k,
    r_precision_score: r_precision,
    reciprocal_rank_score: reciprocal_rank,
    precision_at_recall_score: precision_at_recall,
    recall_at_precision_score: recall_at_precision,
}


def arguments_of(score: ScoreFunction, params: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return all keyword arguments of a score, its defaults and those that a partial binds among them.

    None if the function is not listed here, takes no argument of such a name, or lacks one: then it is
    called, and says so itself.
    """
    call: Any = score
    while isinstance(call, partial) and not call.args:
        call, params = call.func, {**call.keywords, **params}
    if not isinstance(call, Hashable) or call not in _DEFINED_BY:
        return None
    arguments = _defaults_of(call) | dict(params)
    takes_all = params.keys() <= _signature_of(call).parameters.keys()
    has_all = _signature_of(_DEFINED_BY[call]).parameters.keys() <= arguments.keys()
    return arguments if takes_all and has_all else None


@cache
def _defaults_of(score: ScoreFunction) -> dict[str, Any]:
    parameters = _signature_of(score).parameters.items()
    return {name: one.default for name, one in parameters if one.default is not Parameter.empty}


def definition_of(score: ScoreFunction, arguments: Mapping[str, Any]) -> Definition:
    """Return what a score that is listed here computes with all of its arguments."""
    defined_by = _DEFINED_BY[_unbound(score)]
    return defined_by(**{name: arguments[name] for name in _signature_of(defined_by).parameters})


def name_of(score: ScoreFunction) -> str:
    """Return the name of a score that is listed here, for texts of errors."""
    return _unbound(score).__name__


def _unbound(score: ScoreFunction) -> ScoreFunction:
    while isinstance(score, partial):
        score = score.func
    return score

"""A score with its checked arguments."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._core.definition import Definition
from .._core.reading.options import short_repr
from .._core.registry import read_arguments
from .._core.scorer_names import package_score
from .._core.typing import PerRanking, ScoreFunction, ZeroDivision

# Arguments that describe the rows. They are not among the arguments of a score, since
# the callers of `resolve_score` read them from the rows or take them separately.
_ROW_ARGUMENTS = {"average", "pos_label", "query_id", "sample_weight"}
_ADVICE = (
    "For a threshold or a curve, pass positive, y_score and sample_weight=counts of "
    "to_arrays() to operating_point or precision_recall_curve."
)


class BoundScore(NamedTuple):
    """A score of this package with its arguments."""

    # The name as it was passed, and that of the function, which warnings show.
    name: str
    caller: str
    definition: Definition
    n_positives: PerRanking
    # The score of a ranking without positives, or "warn".
    zero_division: ZeroDivision


def resolve_score(
    score_func: str | ScoreFunction, params: Mapping[str, Any]
) -> BoundScore:
    """Return a score, which is passed by its name or as a function, with its checked
    arguments.
    """
    call: Any
    call, bound = package_score(score_func, params, _ADVICE)
    for argument in bound.keys() & _ROW_ARGUMENTS:
        raise TypeError(
            f"{argument} is not an argument of a score here, since it belongs to the "
            f"rows; got {short_repr(bound[argument])}."
        )
    definition, inputs, zero_division = read_arguments(call, [], [], bound)
    if definition.tie_order == "stable":
        raise ValueError(
            f"ties={definition.ties!r} requires the order of the rows, which is not "
            "known here, because rows are read or merged in parts; use 'proportional', "
            "'expected', 'optimistic' or 'pessimistic'."
        )
    name: Any = score_func
    if not isinstance(score_func, str):
        name = getattr(score_func, "__name__", repr(score_func))
    return BoundScore(
        name, call.__name__, definition, inputs.n_positives, zero_division
    )

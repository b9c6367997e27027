"""A score together with its checked arguments."""

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

from .._core.definition import Definition
from .._core.ranking.keys import keeps_row_order
from .._core.reading.options import read_zero_division, short_repr
from .._core.registry import SCORES
from .._core.scorer_names import function_of
from .._core.typing import PerRanking, ScoreFunction, ZeroDivision

# Arguments that describe the rows. They are not among the arguments of a score, since
# the callers of `resolve_score` read them from the rows or take them separately.
_ROW_ARGUMENTS = ("average", "pos_label", "query_id", "sample_weight")


class BoundScore(NamedTuple):
    """A score of this package with its arguments."""

    name: str
    # The public function with its arguments.
    function: partial[Any]
    definition: Definition
    n_positives: PerRanking
    zero_division: ZeroDivision

    @property
    def takes_sums(self) -> bool:
        """Whether the score depends only on the sums of weights at each score, so that
        one weighted row may stand for several rows with the same score.

        A cut after a number of rows, a rank and an order of ties need the number of
        rows. R-precision cuts where the weight reaches that of all positives.
        """
        definition = self.definition
        return (
            definition.cut in (None, "n_positives")
            and definition.area.counts_weight
            and definition.ties == "proportional"
        )


def resolve_score(
    score_func: str | ScoreFunction, params: Mapping[str, Any]
) -> BoundScore:
    """Return a score, which is passed by its name or as a function, with its checked
    arguments.
    """
    call: Any
    call, bound = function_of(score_func, params)
    # Compare scores by identity, since a callable may have no hash.
    if not any(call is score for score in SCORES):
        raise ValueError(
            "score_func must be a score of sklearn_ap or the name of one, such as 'average_precision@100'; "
            f"got {score_func!r}."
        )
    for argument in bound.keys() & {*_ROW_ARGUMENTS}:
        raise TypeError(
            f"{argument} is not an argument of a score here, since it belongs to the "
            f"rows; got {short_repr(bound[argument])}."
        )
    definition, rows = call.bind(None, None, **bound)
    if keeps_row_order(definition.tie_order):
        raise ValueError(
            "ties='stable' requires the order of the rows, which is not known here, "
            "because rows are read or merged in parts; use 'proportional', 'expected', "
            "'optimistic' or 'pessimistic'."
        )
    name: Any = score_func
    if not isinstance(score_func, str):
        name = getattr(score_func, "__name__", repr(score_func))
    return BoundScore(
        name,
        partial(call, **bound),
        definition,
        rows.n_positives,
        read_zero_division(rows.zero_division),
    )

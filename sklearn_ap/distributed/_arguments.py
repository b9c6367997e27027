"""A score with its checked arguments, and the rows that it needs from a state."""

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._core.definition import Definition
from .._core.ranking.cut import cut_depth
from .._core.reading.options import ORDERS_OF_ROWS, short_repr
from .._core.reading.per_ranking import read_total, totals_as_counts
from .._core.reading.values import MOST_WEIGHT
from .._core.registry import SCORES, read_arguments
from .._core.scorer_names import function_of
from .._core.typing import AnyArray, PerRanking, ScoreFunction
from ._entries import Entries

# To compute a score, entries are repeated up to this number of rows.
_MOST_ROWS = 2**28
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
            "score_func must be a score of sklearn_ap or the name of one, such as "
            f"'average_precision@100'; got {score_func!r}. For a threshold or a curve, "
            "pass positive, y_score and sample_weight=counts of to_arrays() to "
            "operating_point or precision_recall_curve."
        )
    for argument in bound.keys() & {*_ROW_ARGUMENTS}:
        raise TypeError(
            f"{argument} is not an argument of a score here, since it belongs to the "
            f"rows; got {short_repr(bound[argument])}."
        )
    definition, inputs, _ = read_arguments(call, [], [], bound)
    if definition.tie_order in ORDERS_OF_ROWS:
        raise ValueError(
            f"ties={definition.ties!r} requires the order of the rows, which is not "
            "known here, because rows are read or merged in parts; use 'proportional', "
            "'expected', 'optimistic' or 'pessimistic'."
        )
    name: Any = score_func
    if not isinstance(score_func, str):
        name = getattr(score_func, "__name__", repr(score_func))
    return BoundScore(name, partial(call, **bound), definition, inputs.n_positives)


def arguments_of(entries: Entries, spec: BoundScore) -> dict[str, Any]:
    """Return the arguments of the ordinary function with the score of all rows.

    Raise ValueError if the score needs too many rows in memory.
    """
    if spec.takes_sums:
        return _in_memory(_weighted_by_sums(entries), spec)
    if (entries.weight != 1).any():
        return _in_memory(entries, spec)
    return _up_to_cut(entries, spec)


def _weighted_by_sums(entries: Entries) -> Entries:
    """Return entries of one row each, whose weight is the sum of the weights of all
    rows.
    """
    sums = entries.weight * entries.counts
    # A function accepts no weight above the largest one, so a larger sum is divided
    # among several rows.
    n_rows = np.ceil(sums / MOST_WEIGHT).astype(np.int64)
    return entries._replace(weight=sums / n_rows, counts=n_rows)


def _up_to_cut(entries: Entries, spec: BoundScore) -> dict[str, Any]:
    """Return the arguments of a score without weights, with the rows above its cut and
    those tied at it.
    """
    # The numbers of all negatives and of all positives.
    totals: AnyArray = np.bincount(entries.positive, entries.counts, minlength=2)
    n_rows = totals.sum(keepdims=True)
    depth = int(cut_depth(n_rows, spec.definition.k)[0])
    # The first row of those tied at the cut. Entries are in ascending order.
    n_below = n_rows[0] - depth
    at_cut = entries.counts.cumsum().searchsorted(n_below, side="right")
    first = entries.score.searchsorted(entries.score[at_cut])
    best = entries.take(slice(first, None))
    arguments = _in_memory(best, spec)
    del arguments["sample_weight"]
    if isinstance(spec.definition.cut, float):
        arguments["k"] = depth
    total = read_total(spec.n_positives)
    if total is not None:
        # Raise the error of the function in memory if there are more positives.
        totals_as_counts(total, totals[1:], n_rows=n_rows)
    else:
        # There may be positives below the cut.
        arguments["n_positives"] = totals[1]
    return arguments


def _in_memory(entries: Entries, spec: BoundScore) -> dict[str, Any]:
    """Return labels, scores and weights of the rows of entries."""
    n_rows = entries.counts.sum()
    if n_rows > max(_MOST_ROWS, entries.counts.size):
        raise ValueError(
            f"{spec.name}: requires {n_rows:,} rows in memory; a state can have at "
            f"most {_MOST_ROWS:,} rows above a cut or tied at it, and in all with "
            "weights."
        )
    columns = {
        "y_true": entries.positive,
        "y_score": entries.score,
        "sample_weight": entries.weight,
    }
    return {name: column.repeat(entries.counts) for name, column in columns.items()}

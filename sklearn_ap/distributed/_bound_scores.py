"""A score together with its arguments, and its value for a ranking beyond memory.

`resolve_score` checks the arguments, and `stream_of` returns the ranking of all rows of
a source.
"""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from functools import partial
from inspect import Signature, signature
from typing import Any, NamedTuple

from .._core.definition import Definition
from .._core.evaluate import Averaging
from .._core.ranking.keys import keeps_row_order
from .._core.ranking.rankings import Rankings
from .._core.reading.options import read_zero_division
from .._core.reading.per_ranking import read_total
from .._core.registry import SCORES
from .._core.scorer_names import function_of
from .._core.typing import (
    ArrayLikeOrMapping,
    FloatArray,
    ScoreFunction,
    ZeroDivision,
)
from .._uncertainty.influence import has_slopes
from .._uncertainty.results import UNDEFINED, ScoreEstimate
from .._uncertainty.sample import counted_sample
from .._uncertainty.standard_errors import warned_estimate
from ._batches import Source, best_rows
from ._positives import groups_by_positives
from ._streams import SortedStream
from ._tied_groups import groups_of

# If a cut is at most at this row, and rows have no weights, each part sends only its
# best rows to this process.
_MAX_BEST_ROWS = 2**20
# Arguments that describe the rows. They are not among the arguments of a score, since
# the callers of `resolve_score` read them from the rows or take them separately.
_ROW_ARGUMENTS = (
    "average",
    "pos_label",
    "query_id",
    "sample_weight",
)


class BoundScore(NamedTuple):
    """A score of this package with its arguments."""

    name: str
    # The public function with its arguments.
    function: partial[Any]
    definition: Definition
    n_positives: ArrayLikeOrMapping | None
    zero_division: ZeroDivision

    @property
    def needs_all_groups(self) -> bool:
        """Whether the score of rows with different weights depends on groups that
        contain only negatives. For example, a cut may divide such a group.
        """
        # With the normalizer "k", the divisor may be the weight of all rows, which
        # includes the weight of the worst group.
        return self.definition.cut is not None or self.definition.normalizer == "k"

    def ranking(self, stream: SortedStream) -> Rankings:
        """Return the ranking of a stream, with the arguments of this score: the total
        of positives, the prevalence, and the order of equal scores.
        """
        definition = self.definition
        total = read_total(self.n_positives)
        if stream.weighted:
            definition.check_weights(has_totals=total is not None)
        return stream.ranking(total, definition.prevalence, definition.tie_order)

    def score(self, stream: SortedStream) -> float:
        """Return the score of a ranking. Without positives, the score is
        `zero_division`, or 0 with a warning.
        """
        ranking = self.ranking(stream)
        averaging = Averaging(
            has_positives=ranking.n_positives > 0, weights=None, one_value=True
        )
        return float(self.averaged(averaging, self.definition.compute(ranking)))

    def averaged(self, averaging: Averaging, values: FloatArray) -> float | FloatArray:
        """Return the mean of the values, or all values, as `averaging` specifies.
        Rankings without positives have the value `zero_division`, or 0 and a warning.
        """
        return averaging.average(
            values,
            zero_division=self.zero_division,
            caller=self.function.func.__name__,
            reference=None,
        )

    def estimate(self, stream: SortedStream) -> ScoreEstimate:
        """Return the score with its standard error. Warn as `sklearn_ap.estimate_score`
        does.
        """
        if not has_slopes(self.definition):
            raise ValueError(
                "score_func must be the area of a whole ranking, such as "
                "'average_precision' or 'pr_auc'. The standard error of other scores "
                f"requires the rows: use estimate_score; got {self.name!r}."
            )
        if stream.weighted:
            raise ValueError(
                "sample_weight must be equal in all rows of a state for an estimate."
            )
        if not stream.found_weight.item():
            raise ValueError(UNDEFINED)
        # `counted_sample` needs the rows as they were sampled, and reweights them to the
        # prevalence itself.
        as_sampled = self._replace(definition=replace(self.definition, prevalence=None))
        sample = counted_sample(self.definition, as_sampled.ranking(stream))
        estimate = warned_estimate(sample)
        return estimate._with_score(self.function.func, self.function.keywords)


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
    parameters = signature(call).parameters.items()
    accepted = [taken for name, taken in parameters if name not in _ROW_ARGUMENTS]
    try:
        # The two values stand for `y_true` and `y_score`.
        Signature(accepted).bind(None, None, **bound)
    except TypeError as error:
        raise TypeError(f"{call.__name__}: {error}.") from None
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


def stream_of(source: Source, spec: BoundScore) -> SortedStream:
    """Return the ranking of all rows of a source.

    If there is a cut near the top, only the best rows are sorted, and all others are
    merged. Otherwise, rows are read twice if that is possible, and sorted if it is not.
    """
    weighted = source.roles.sample_weight is not None
    # A cut may divide a tied group of negatives. If rows have weights, this group must
    # be kept.
    keeps_negatives = weighted and spec.needs_all_groups
    cut: Any = spec.definition.cut
    if isinstance(cut, int) and cut <= _MAX_BEST_ROWS and not weighted:
        best_of_parts = source.map_parts(partial(best_rows, n_rows=cut), None)
        with closing(best_of_parts):
            [best] = best_rows(best_of_parts, cut)
        return SortedStream(groups_of([best.distinct()], keeps_negatives=False))
    if source.is_repeatable and not keeps_negatives:
        groups_in_order = groups_by_positives(source)
        if groups_in_order is not None:
            return SortedStream(groups_in_order)
    store = partial(groups_of, keeps_negatives=keeps_negatives)
    with closing(source.map_parts(store, "score")) as sorted_groups:
        return SortedStream(sorted_groups)

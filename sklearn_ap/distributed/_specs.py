"""A score by its name or its function, with checked arguments, for rows beyond memory."""

from collections.abc import Iterable, Mapping
from functools import partial
from inspect import Signature, signature
from typing import Any, NamedTuple

from .._api import Averaging, with_total
from .._definition import Definition
from .._ranking._rankings import Rankings
from .._reading._options import read_zero_division
from .._reading._queries import read_query_weight, read_totals
from .._registry import SCORES, arguments_of, definition_of, score_of
from .._typing import AnyArray, Average, QueryWeight, ScoreFunction, Totals, ZeroDivision
from .._uncertainty._estimates import estimate_of_ranking
from .._uncertainty._influence import has_slopes
from .._uncertainty._results import ScoreEstimate
from ._stream import SortedStream

_FIRST_ROWS = 2**16  # the first positive of nearly every ranking is among them
_ROW_ARGUMENTS = ("average", "pos_label", "query_id", "sample_weight")  # of the functions that read the rows


class ScoreSpec(NamedTuple):
    """A score of this package with its arguments."""

    name: str
    function: ScoreFunction  # with the arguments bound
    definition: Definition
    n_positives: Totals | None
    query_weight: QueryWeight | None
    zero_division: ZeroDivision
    caller: str  # the public function, for its warnings

    @property
    def needs_all_groups(self) -> bool:
        """Whether groups of negatives alone matter where weights differ, as for a cut within one of them."""
        # The weight of all rows, by which "k" may divide, ends with the worst group.
        return self.definition.cut is not None or self.definition.normalizer == "k"

    def n_best(self, *, weighted: bool) -> int | None:
        """Return how many of the best rows decide the score, with the totals of all; None for all rows."""
        definition = self.definition
        counts = definition.normalizer == "min" or definition.tie_order or not definition.area.counts_weight
        if weighted and counts:  # weights of merged rows are means
            return None
        if self.finds_first:
            return _FIRST_ROWS
        return definition.cut if isinstance(definition.cut, int) else None

    @property
    def finds_first(self) -> bool:
        """Whether it only asks how far down the first positive stands."""
        return not self.definition.area.counts_weight and self.definition.cut is None

    def check_query_weight(self, query: AnyArray | None, average: Average) -> None:
        """Refuse weights of queries that are not by query, or where no mean of queries is asked for."""
        if self.query_weight is None:
            return
        if not isinstance(self.query_weight, Mapping):
            raise ValueError(f"query_weight must be a mapping {{query: weight}}; got {self.query_weight!r}.")
        read_query_weight(self.query_weight, query, average)

    def ranking(self, stream: SortedStream) -> Rankings:
        """Return a ranking in the order, with the totals and at the prevalence of the score."""
        self.check_query_weight(None, None)
        ranking, total = stream.ranking(self.definition.tie_order), read_totals(self.n_positives, None)
        if ranking.weighted:
            self.definition.refuse_weights(states_totals=total is not None)
        return stream.at_prevalence(
            with_total(ranking, total, stream.count_weight), self.definition.prevalence
        )

    def score(self, stream: SortedStream) -> float:
        """Return the score of a ranking, and warn if it has no positives."""
        ranking = self.ranking(stream)
        averaging = Averaging(ranking.n_positives > 0, None, one_value=True)
        value = averaging.average(
            self.definition.compute(ranking),
            zero_division=self.zero_division,
            caller=self.caller,
            reference=None,
        )
        return float(value)

    def estimate(self, stream: SortedStream) -> ScoreEstimate:
        """Return the score with its standard error, and warn as `sklearn_ap.estimate_score` does."""
        if not stream.found_weight.item():
            raise ValueError("y_true contains no positive samples; a standard error is undefined.")
        return estimate_of_ranking(self.definition, self.ranking(stream))


def resolve_score(score_func: str | ScoreFunction, params: Mapping[str, Any]) -> ScoreSpec:
    """Return the score of a name or a function of this package, with its arguments checked."""
    call: Any = score_of(score_func, params)
    bound = dict(params)
    # Arguments that are passed here replace those of a partial, as in a call of the partial.
    while isinstance(call, partial) and not call.args:
        call, bound = call.func, {**call.keywords, **bound}
    if not any(call is score for score in SCORES):  # by identity: a callable may have no hash
        raise ValueError(
            "score_func must be a score of sklearn_ap or the name of one, such as 'average_precision@100'; "
            f"got {score_func!r}."
        )
    _check_arguments(call, bound)
    arguments = arguments_of(call, bound)
    assert arguments is not None, call  # the names were checked
    definition = definition_of(call, arguments)
    if definition.ties == "stable":
        raise ValueError(
            "ties='stable' requires the order of rows, which parts do not have; use 'proportional', "
            "'expected', 'optimistic' or 'pessimistic'."
        )
    return ScoreSpec(
        score_func if isinstance(score_func, str) else getattr(score_func, "__name__", repr(score_func)),
        partial(call, **bound),
        definition,
        arguments.get("n_positives"),
        arguments.get("query_weight"),
        read_zero_division(arguments.get("zero_division", 0.0)),
        call.__name__,
    )


def resolve_scores(score_funcs: Iterable[str | ScoreFunction], params: Mapping[str, Any]) -> list[ScoreSpec]:
    """Return several scores, each with the same arguments."""
    if isinstance(score_funcs, str) or not isinstance(score_funcs, Iterable):
        raise TypeError(f"score_funcs must be a list of names or scores; got {score_funcs!r}.")
    return [resolve_score(score_func, params) for score_func in score_funcs]


def resolve_estimate(score_func: str | ScoreFunction, params: Mapping[str, Any]) -> ScoreSpec:
    """Return a score whose standard error follows from the influence of its steps."""
    spec = resolve_score(score_func, params)
    if not has_slopes(spec.definition):
        raise ValueError(
            "score_func must be the area of a whole ranking, such as 'average_precision' or 'pr_auc', since "
            f"other scores have no influences; got {spec.name!r}, which is {spec.definition}."
        )
    return spec


def _check_arguments(score: ScoreFunction, params: Mapping[str, Any]) -> None:
    """Refuse arguments that the score does not take, or that belong to the rows."""
    parameters = [
        parameter for name, parameter in signature(score).parameters.items() if name not in _ROW_ARGUMENTS
    ]
    try:
        Signature(parameters).bind(None, None, **params)
    except TypeError as error:
        raise TypeError(f"{score.__name__}: {error}.") from None

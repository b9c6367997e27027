"""The four steps of every public score: read the arguments, rank the rows, compute the
score of each ranking, and average. Curves stop after the second step.

Binary labels make one ranking, or with `query_id` one ranking per query. Multilabel and
multiclass labels make one ranking per column, with ``average="samples"`` one per row,
and with ``average="micro"`` one of all labels.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, partial, wraps
from inspect import signature
from typing import Any, NamedTuple, Self, cast

import numpy as np

from .areas.step import STEP
from .definition import Definition, define
from .keywords import explain_call
from .ranking.keys import RowOrder, rows_in_order
from .ranking.prevalence import counted_rows, reweighted
from .ranking.rank import rank
from .ranking.rankings import OperatingPoints, Rankings, Rows, positives_of, together
from .reading.ids import grouped
from .reading.options import read_zero_division
from .reading.per_ranking import (
    PassedTotals,
    Queries,
    per_ranking,
    queries_of,
    read_totals,
    totals_as_counts,
)
from .reading.read import CheckedRows, read
from .reading.values import reference_of, to_namespace_of
from .typing import (
    AnyArray,
    Average,
    AveragedScore,
    BoolArray,
    FirstRows,
    FloatArray,
    ForeignArray,
    PassedRows,
    PerRanking,
    Share,
    TieOrder,
    ZeroDivision,
)
from .user_messages import NO_POSITIVES, warn_user

# The arguments of scores that describe rows. All others are options of the definition.
_ABOUT_ROWS = {*PassedRows._fields}
# The default of `rankings_in`, for callers that only need rankings: there is no cut,
# rows with equal scores are one step, and each ranking keeps its own prevalence.
WHOLE = define(STEP)


def scored(definition_of: Callable[..., Definition]) -> AveragedScore:
    """Return the public score whose signature and docstring are those of
    `definition_of`, which returns the definition of the score.

    `definition_of` reads only the arguments of the definition. The arguments about rows
    are read here. The attribute `bind` of the score returns the definition and the
    rows, for functions to which a user passes a score and its arguments.
    """
    shown = signature(definition_of).replace(return_annotation="float | FloatArray")
    rows_of: Any = PassedRows
    # A score that is defined without positives has no argument `zero_division`.
    if "zero_division" not in shown.parameters:
        rows_of = partial(PassedRows, zero_division=0.0)

    @wraps(definition_of)
    def bind(*args: Any, **kwargs: Any) -> tuple[Definition, PassedRows]:
        try:
            definition = definition_of(*args, **kwargs)
        except TypeError as error:
            explain_call(error, definition_of, args, kwargs)
            raise
        about_rows = {name: kwargs[name] for name in kwargs if name in _ABOUT_ROWS}
        return definition, rows_of(*args, **about_rows)

    @wraps(definition_of)
    def score(*args: Any, **kwargs: Any) -> float | FloatArray:
        return score_rows(definition_of.__name__, *bind(*args, **kwargs))

    public: Any = score
    public.bind = bind
    # `help` and type checkers show what the score returns, not its definition.
    public.__signature__ = shown
    returns = {"return": float | FloatArray}
    public.__annotations__ = definition_of.__annotations__ | returns
    return cast(AveragedScore, public)


def score_rows(
    caller: str, definition: Definition, inputs: PassedRows
) -> float | FloatArray:
    """Return the score of the rows. `caller` is the name of the public function, which
    errors and warnings show.
    """
    # Check `zero_division` first, so that a wrong word raises an error before the rows
    # are read.
    zero_division = read_zero_division(inputs.zero_division)
    average = inputs.average
    checked = read(inputs, caller=caller)
    rankings, averaging = rankings_in(
        checked, inputs.n_positives, average=average, definition=definition
    )
    reference = reference_of(inputs.y_score) if average is None else None
    return averaging.average(
        definition.compute(rankings),
        zero_division=zero_division,
        caller=caller,
        reference=reference,
    )


class RankedRows(CheckedRows):
    """Checked rows from which several numbers are computed. They are sorted and ranked
    once, when a number first needs it.
    """

    # All rows as a single ranking; None until a number needs it.
    _ranking: Rankings | None = None

    @classmethod
    def of(cls, rows: CheckedRows) -> Self:
        """Return these rows; unchanged if they are `RankedRows`."""
        return rows if isinstance(rows, cls) else cls(*rows)

    @cached_property
    def order(self) -> RowOrder:
        """The rows, lowest score first, as a single ranking, and their ties."""
        return self.in_order(None)

    def in_order(self, tie_order: TieOrder | None) -> RowOrder:
        """Return the rows with an order of equal scores, and their ties."""
        rows = Rows(self.positive, self.score, None, np.array((0, self.score.size)))
        return rows_in_order(rows, tie_order, self.bounds, with_score=True)

    def with_weight(self, weight: FloatArray | None) -> Self:
        """Return the same rows with other weights, in the same order."""
        if weight is self.weight:
            return self
        rows = self._replace(weight=weight)
        rows.order = self.order
        return rows

    def ranked(self, rows: Rows, k: FirstRows) -> Rankings | None:
        """Return all of these rows as a single ranking with operating points; None if
        there is no ranking yet and the caller needs only the first `k` rows.

        `rows` are these rows, whose weights are counts. They are the same in each call.
        """
        if self._ranking is None and k is None:
            self._ranking = rank(rows, bounds=self.bounds, order=self.order)
        return self._ranking


class Averaging(NamedTuple):
    """Rule that turns the values of the rankings into the result of a score."""

    # Whether each ranking has a positive, found or missed.
    has_positives: BoolArray
    # Weight of each ranking in the mean; None if all rankings have equal weights.
    weights: FloatArray | None
    # Whether the result is the mean of the values. With ``average=None``, the result is
    # all values.
    one_value: bool
    # Whether the rankings are queries, and not columns.
    of_queries: bool = False

    def average(
        self,
        values: FloatArray,
        *,
        zero_division: ZeroDivision,
        caller: str,
        reference: ForeignArray | None,
    ) -> float | FloatArray:
        """Return the mean of the values; with ``average=None``, return all of them as
        an array of the library of `reference`.

        `caller` is the name of the public function. The text of the warning that
        rankings have no positives depends on it.
        """
        # Nearly every call has a single ranking with a positive. Its value is the mean.
        if self.one_value and values.size == 1 and self.has_positives[0]:
            return float(values[0])
        undefined_value = 0.0 if zero_division == "warn" else float(zero_division)
        # As in scikit-learn, there is no warning if every ranking has weight 0.
        if self.one_value and self.weights is not None and not self.weights.any():
            return undefined_value
        if zero_division == "warn" and not self.has_positives.all():
            warn_user(self.without_positives(caller))
        values = np.where(self.has_positives, values, undefined_value)
        if not self.one_value:
            several: FloatArray = to_namespace_of(values, reference)
            return several
        # With zero_division=nan, the mean ignores rankings without a positive.
        is_counted = ~np.isnan(values)
        weights, has_mean = None, is_counted.any()
        if self.weights is not None:
            weights = self.weights[is_counted]
            has_mean = weights.any()
        # There is no mean if all values are NaN, or if all rankings whose value is not
        # NaN have weight 0.
        if not has_mean:
            return float("nan")
        return float(np.average(values[is_counted], weights=weights))

    def without_positives(self, caller: str) -> str:
        """Return the text of the warning that rankings have no positives.

        For average_precision_score without queries, it is the text of scikit-learn,
        which has no word for queries.
        """
        if caller == "average_precision_score" and not self.of_queries:
            return NO_POSITIVES
        n_rankings = self.has_positives.size
        n_without = np.count_nonzero(~self.has_positives)
        if n_rankings == 1:
            return (
                "y_true contains no positives, so the score is 0.0; pass zero_division "
                "to choose it."
            )
        return (
            f"y_true contains no positives in {n_without} of {n_rankings} rankings, "
            "which score 0.0; pass zero_division to choose their score, or NaN to "
            "exclude them from the mean."
        )


def rankings_in(
    checked: CheckedRows,
    n_positives: PerRanking,
    *,
    average: Average,
    definition: Definition = WHOLE,
    with_points: bool = False,
) -> tuple[Rankings, Averaging]:
    """Return the rankings, for `Definition.compute`, and the rule that averages their
    scores.

    The rule for equal scores, the cut and the prevalence are taken from the definition.
    Rows beyond the cut may not be sorted, but the numbers of rows and positives include
    such rows. `with_points` adds operating points at scores that only negatives have,
    which curves need.
    """
    if checked.positive.ndim == 1 and checked.query is None:
        # As in scikit-learn, binary labels make one ranking with any `average`.
        average = "micro"
    passed_totals = read_totals(n_positives)
    rows, named_rankings, ids = _layout(checked, average, passed_totals)
    totals = None
    if passed_totals is not None:
        is_pooled = average == "micro"
        totals = per_ranking(passed_totals, named_rankings, is_pooled=is_pooled)
    rows, count_weight, factor = counted_rows(rows)
    is_weighted = rows.weight is not None or factor is not None
    k = definition.k
    # Without weights and totals, R-precision uses as many rows as there are positives,
    # so other rows need not be sorted.
    if definition.cut == "n_positives" and totals is None and not is_weighted:
        k = positives_of(rows).clip(1.0)
    # Some definitions need equal weights within each ranking. `counted_rows` has just
    # found out whether the weights are equal.
    if is_weighted:
        definition.check_weights(has_totals=totals is not None)
    rankings = None
    if isinstance(checked, RankedRows) and rows.is_single and not definition.tie_order:
        rankings = checked.ranked(rows, k)
    if rankings is None:
        rankings = rank(
            rows,
            tie_order=definition.tie_order,
            k=k,
            bounds=checked.bounds,
            with_points=with_points,
        )
    # For average='weighted', each ranking needs the weight of its positives, found or
    # missed, in the caller's weights.
    positives = rankings.n_positives
    if count_weight is not None and average == "weighted":
        positives = positives * count_weight
    if totals is not None:
        rankings = with_totals(rankings, totals, count_weight, ids)
        # A total of the caller may be a rounding error below the weight of the
        # positives that have rows.
        positives = np.maximum(totals, positives)
    # A prevalence replaces the weight of each class. It sets the weight of the
    # negatives relative to all positives, found or missed, so the totals are set before
    # the prevalence.
    rankings = reweighted(rankings, definition.prevalence, factor)
    averaging = _averaging(rankings, average, positives, checked)
    return rankings, averaging


def _averaging(
    rankings: Rankings,
    average: Average,
    positives: FloatArray,
    checked: CheckedRows,
) -> Averaging:
    """Return the rule that averages the values of the rankings.

    ``"weighted"`` weights each ranking by its positives. With ``"samples"``, each row
    is a ranking, which has the weight of the row.
    """
    weights = None
    if average == "weighted":
        weights = positives
    elif average == "samples":
        weights = checked.weight
    has_positives = rankings.n_positives > 0
    one_value, of_queries = average is not None, checked.query is not None
    # Here, passing arguments by name would take a quarter of a microsecond of a short
    # call.
    return Averaging(has_positives, weights, one_value, of_queries)


def _layout(
    checked: CheckedRows, average: Average, totals: PassedTotals | None
) -> tuple[Rows, Queries | Sequence[Any], AnyArray | None]:
    """Return the rows grouped by ranking; the queries, columns or classes that
    `n_positives` may name; and the ids of the queries that are rankings, or None.

    Rankings without names, such as rows with ``average="samples"``, are numbered.
    """
    rows, ids = _rows_of_rankings(checked, average)
    query, passed = checked.query, checked.passed_query
    keeps_weightless = average is None
    # `n_positives` may name queries without rows. With average=None, queries whose rows
    # all have weight 0 have a value, too. In all other calls, the queries are the ids
    # of the rows.
    if query is not None and (totals or (keeps_weightless and passed is not None)):
        queries = queries_of(
            query, passed, totals, ids=ids, keeps_weightless=keeps_weightless
        )
        if average != "micro":
            # A query without rows is an empty ranking: two of its offsets are equal.
            n_before = np.cumsum(queries.has_rows[queries.is_ranked])
            rows = rows._replace(offsets=rows.offsets[np.append(0, n_before)])
            ids = queries.ids[queries.is_ranked]
        return rows, queries, ids
    if average == "samples":
        return rows, range(len(checked.positive)), ids
    n_columns = checked.positive[0].size
    return rows, checked.columns or range(n_columns), ids


def _rows_of_rankings(
    checked: CheckedRows, average: Average
) -> tuple[Rows, AnyArray | None]:
    """Return the rows grouped by ranking, and the id of each ranking that is a query;
    None if rankings are not queries.
    """
    positive, score, weight = checked.positive, checked.score, checked.weight
    if average == "micro":
        # All labels of a row have the weight of the row.
        if weight is not None and positive.ndim == 2:
            weight = np.broadcast_to(weight[:, np.newaxis], positive.shape)
        return Rows(positive, score, weight, np.array([0, positive.size])), None
    if checked.query is not None:
        ids, offsets, ranking = grouped(checked.query)
        rows = Rows(positive, score, weight, offsets)
        if ranking is not None:
            rows = together(rows, ranking)
        return rows, ids
    if average == "samples":
        # Each row is a ranking. The weight of the row is the weight of the ranking in
        # the mean. Within the ranking, all labels have equal weights.
        weight = None
    else:
        positive, score = positive.T, score.T
        if weight is not None:
            weight = np.broadcast_to(weight, positive.shape)
    n_rankings, n_rows = positive.shape
    return Rows(positive, score, weight, np.arange(n_rankings + 1) * n_rows), None


def with_totals(
    rankings: Rankings,
    totals: FloatArray,
    count_weight: FloatArray | None,
    ids: AnyArray | None = None,
) -> Rankings:
    """Return the rankings with these totals of positives, found or missed.

    Totals are sums of the caller's weights. In each ranking, the caller's weight
    `count_weight` counts as 1; `count_weight` is None without weights. Errors name the
    rankings by their `ids`.
    """
    counted = totals_as_counts(
        totals,
        rankings.n_positives,
        n_rows=rankings.n_rows,
        count_weight=count_weight,
        ids=ids,
    )
    return rankings._replace(n_positives=counted)


def points_in(
    checked: CheckedRows, n_positives: PerRanking, prevalence: Share = None
) -> tuple[Rankings, OperatingPoints]:
    """Return all rows as a single ranking, and its operating points, from which a curve
    is drawn.
    """
    ranking, _ = rankings_in(
        checked,
        n_positives,
        average="micro",
        definition=define(STEP, prevalence=prevalence),
        with_points=True,
    )
    return ranking, ranking.kernel.points()

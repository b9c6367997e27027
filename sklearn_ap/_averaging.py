"""Which rankings the caller's rows hold, and how the values of those rankings become one.

Binary labels are one ranking, or one per query with `query_id`. Multilabel and multiclass labels are one
ranking per column, one per row with ``average="samples"``, and a single one with ``average="micro"``.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._definition import Definition
from ._ranking import (
    BLOCK_ROWS,
    LONE_ROWS,
    Curve,
    FewWeightedKernel,
    Rankings,
    Rows,
    ShortKernel,
    at_prevalence,
    curve_of,
    few_at_prevalence,
    few_of,
    few_weighted_of,
    rank,
    reweighted,
    reweighted_lone,
    together,
)
from ._reading import (
    Asked,
    Checked,
    QueryIds,
    Stated,
    check_named,
    distinct_queries,
    grouped,
    like,
    listed,
    named_queries,
    not_below_found,
    read,
    read_curve,
    read_totals,
    read_zero_division,
    reference_of,
    refuse,
    totals_of_rankings,
)
from ._typing import (
    AnyArray,
    Average,
    BoolArray,
    FloatArray,
    ForeignArray,
    IntArray,
    Label,
    QueryId,
    TieOrder,
    Totals,
    ZeroDivision,
)
from ._warning import NO_POSITIVES, warn_user

__all__ = [
    "Averaging",
    "curve_in",
    "lone_ranking",
    "rankings_in",
    "read_and_rank",
    "score",
    "score_of_checked",
    "score_of_ranking",
]

_TINY = 2.0**-500  # the product of two smaller numbers may underflow
_LIMIT = 2.0**1000  # the most that scaled weights may add up to


class Averaging(NamedTuple):
    """How the values of the rankings become what the caller gets."""

    defined: BoolArray  # whether the ranking has a positive at all
    weights: FloatArray | None  # of each ranking in the mean; None if all count the same
    one_value: bool  # False with average=None

    def of(
        self, values: FloatArray, *, zero_division: ZeroDivision, caller: str, reference: ForeignArray | None
    ) -> float | FloatArray:
        """Return the mean of the values, or all of them with ``average=None``.

        The warning depends on `caller`, the public function. Several values are returned in the namespace
        and on the device of the array `reference`.
        """
        # Nearly every call has one ranking with a positive: its value needs no mean.
        if self.one_value and values.size == 1 and self.defined[0]:
            return float(values[0])
        undefined_value = 0.0 if zero_division == "warn" else float(zero_division)
        # As in scikit-learn, no warning is given if every ranking has weight 0.
        if self.one_value and self.weights is not None and not self.weights.any():
            return undefined_value
        if zero_division == "warn" and not self.defined.all():
            warn_user(self.without_positives(caller))
        values = np.where(self.defined, values, undefined_value)
        if not self.one_value:
            several: FloatArray = like(values, reference)
            return several
        # With zero_division=nan, the mean leaves out rankings without a positive.
        counted = ~np.isnan(values)
        weights = None if self.weights is None else self.weights[counted]
        if not (counted if weights is None else weights).any():
            return float("nan")
        if weights is not None:
            # Products with subnormal weights would be rounded; scaling by a power of two rounds nothing.
            weights = np.ldexp(weights, -np.frexp(weights.max())[1])
        return float(np.average(values[counted], weights=weights))

    def without_positives(self, caller: str) -> str:
        """Return the text of the warning; average_precision_score has scikit-learn's text."""
        if caller == "average_precision_score":
            return NO_POSITIVES
        n_rankings, n_without = self.defined.size, np.count_nonzero(~self.defined)
        if n_rankings == 1:
            return "y_true holds no positive, so the score is 0.0; pass zero_division to choose it."
        return (
            f"y_true holds no positive in {n_without} of {n_rankings} rankings, which score 0.0; pass "
            "zero_division to choose their score, or NaN to leave them out."
        )


class _Layout(NamedTuple):
    """The fields of `Rows`, and names of the rankings; rows with weights stand together."""

    positive: BoolArray
    score: AnyArray
    weight: FloatArray | None
    offsets: IntArray  # where each ranking starts, and where the last one ends
    ranking: AnyArray | None = None
    names: Sequence[QueryId] | None = None  # if each ranking is a query with a stated total


def score(
    definition: Definition,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    caller: str,
    average: Average,
    pos_label: Label,
    sample_weight: ArrayLike | None,
    query_id: ArrayLike | None,
    n_positives: Totals | None = None,
    zero_division: ZeroDivision = 0.0,
) -> float | FloatArray:
    """Return the score of the public function `caller`: read, rank, add up, average.

    All other parameters are those of the public functions.
    """
    # Checked first, so a wrong word is refused before the rows are read.
    without_positives = read_zero_division(zero_division)
    checked = read(
        y_true,
        y_score,
        caller=caller,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        query_id=query_id,
    )
    return score_of_checked(
        definition,
        checked,
        caller=caller,
        average=average,
        n_positives=n_positives,
        zero_division=without_positives,
        reference=reference_of(y_score) if average is None else None,
    )


def score_of_checked(
    definition: Definition,
    checked: Checked,
    *,
    caller: str,
    average: Average,
    n_positives: Totals | None,
    zero_division: ZeroDivision,
    reference: ForeignArray | None = None,
) -> float | FloatArray:
    """Return the score of rows that were read already."""
    if n_positives is None:
        value = _of_few(definition, checked)
        if value is not None:
            return value
    rankings, averaging = rankings_in(
        checked,
        read_totals(n_positives, checked.query),
        average=average,
        definition=definition,
        tie_order=definition.tie_order,
    )
    return averaging.of(
        definition.of(rankings), zero_division=zero_division, caller=caller, reference=reference
    )


def score_of_ranking(
    definition: Definition,
    ranking: Rankings,
    *,
    caller: str,
    n_positives: Totals | None,
    zero_division: ZeroDivision,
    unit: float | None = None,
    at_prevalence: Callable[[Rankings, float | None], Rankings] = at_prevalence,
) -> float:
    """Return the score of a lone ranking that was ranked elsewhere.

    `unit` is the weight of one count: 1 if weights differ, and None if there are none. `at_prevalence`
    brings the ranking to another prevalence; rows that were added up with their weights have their own.
    """
    stated = read_totals(n_positives, None)
    if ranking.weighted:
        _refuse_weights(definition, states_totals=stated is not None)
    if stated is not None:
        totals = totals_of_rankings(stated, n_rankings=1, pooled_columns=1, names=None, query=None)
        found, n_rows, of_one = ranking.n_positives, ranking.n_rows, 1.0 if unit is None else np.array([unit])
        counted = not_below_found(totals, found, n_rows=n_rows, unit=of_one, names=None)
        ranking = ranking._replace(n_positives=counted)
    ranking = at_prevalence(ranking, definition.prevalence)
    averaging = Averaging(ranking.n_positives > 0, None, one_value=True)
    values = definition.of(ranking)
    return float(averaging.of(values, zero_division=zero_division, caller=caller, reference=None))


def _of_few(definition: Definition, checked: Checked) -> float | None:
    """Return the score of a lone, short ranking, or None if it takes the long way.

    The long way comes to the same, and spends half of a short call between its rooms.
    """
    if checked.positive.ndim > 1 or checked.query is not None or definition.tie_order is not None:
        return None
    few = _few_in(checked, definition)
    if few is None or not few.n_found[0]:
        return None
    value = definition.of_few(few)
    if value is not None:
        return value
    return float(definition.of(_ranking_of_few(few, definition, checked))[0])


def _ranking_of_few(few: ShortKernel, definition: Definition, checked: Checked) -> Rankings:
    positive, score = checked.positive, checked.score
    offsets, weighted_rows = np.array((0, score.size)), None
    if isinstance(few, FewWeightedKernel):
        _refuse_weights(definition, states_totals=False)
        weighted_rows = Rows(positive, score, checked.weight, offsets)
    return Rankings(few, offsets, weighted_rows, few.n_found, few.n_found)


def lone_ranking(definition: Definition, checked: Checked) -> Rankings:
    """Rank binary labels as a single ranking, the short way if there is one."""
    few = _few_in(checked, definition)
    if few is not None and few.n_found[0]:
        return _ranking_of_few(few, definition, checked)
    return rankings_in(checked, None, average="micro", definition=definition)[0]


def _few_in(checked: Checked, definition: Definition) -> ShortKernel | None:
    """Sort a lone ranking if it is short, or return None."""
    positive, score, weight = checked.positive, checked.score, checked.weight
    if score.size > (BLOCK_ROWS if definition.k is None else LONE_ROWS - 1):  # longer ones are cut first
        return None
    prevalence = definition.prevalence
    if weight is not None and (least := np.minimum.reduce(weight)) < np.maximum.reduce(weight):
        if prevalence is not None:
            weight = reweighted_lone(positive, weight, prevalence)
            if weight is None or (least := np.minimum.reduce(weight)) == np.maximum.reduce(weight):
                return None
        return few_weighted_of(positive, score, weight) if least >= _TINY else None
    few = few_of(positive, score, checked.bounds)  # equal weights are counts
    return few if few is None or prevalence is None else few_at_prevalence(few, prevalence)


def rankings_in(
    checked: Checked,
    stated: Stated | None,
    *,
    average: Average,
    definition: Definition | None = None,
    tie_order: TieOrder | None = None,
    scaled: bool = True,
) -> tuple[Rankings, Averaging]:
    """Rank what was read, and say how the values of the rankings are averaged.

    The rankings may lack the rows after the cut of the `definition`, because its sum does not need them.
    `tie_order` is that of `rank`; records have other names for more orders. `scaled` lets weights of tiny
    positives be scaled up, and heavy negatives be limited, which no area sees and a curve does.
    """
    if checked.positive.ndim == 1 and checked.query is None:
        average = "micro"  # as in scikit-learn, binary labels are one ranking with any `average`
    layout = _layout(checked, average, stated)
    totals = None if stated is None else _totals(stated, layout, checked, average)
    k, prevalence = (None, None) if definition is None else (definition.k, definition.prevalence)
    # Only now is it known whether weights differ inside a ranking, and some rules depend on that.
    weight, unit, hold_counts = _at_prevalence(layout, prevalence, totals, scaled=scaled)
    if weight is not None:
        _refuse_weights(definition, states_totals=stated is not None)
    rows = Rows(layout.positive, layout.score, weight, layout.offsets, layout.ranking)
    rankings = rank(rows, tie_order=tie_order, k=k, bounds=checked.bounds)
    positives = rankings.n_positives * unit  # in weight
    if totals is not None:
        counted = not_below_found(
            totals, rankings.n_positives, n_rows=rankings.n_rows, unit=unit, names=layout.names
        )
        rankings = rankings.with_n_positives(counted)
        # `totals` may be below the sum of the weights found by its rounding.
        positives = np.maximum(totals, positives)
    rankings = at_prevalence(rankings, prevalence, hold_counts)
    weights = {"samples": checked.weight, "weighted": positives}.get(str(average))
    return rankings, Averaging(rankings.n_positives > 0, weights, average is not None)


def _refuse_weights(definition: Definition | None, *, states_totals: bool) -> None:
    """Refuse weights that differ inside a ranking where they mean nothing."""
    if definition is not None:
        one, cuts = definition, definition.k is not None
        asked = Asked(one.ties, one.normalizer, cuts, weighted=True, states_totals=states_totals)
        refuse(asked._replace(counts_weight=one.area.counts_weight))


def read_and_rank(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    caller: str,
    pos_label: Label | None,
    sample_weight: ArrayLike | None,
    query_id: ArrayLike | None = None,
    n_positives: Totals | None = None,
) -> Curve:
    """Read the input of the public curve `caller`, and rank it as a single ranking."""
    checked = read_curve(
        y_true,
        y_score,
        caller=caller,
        pos_label=pos_label,
        sample_weight=sample_weight,
        query_id=query_id,
    )
    return curve_in(checked, n_positives)


def curve_in(checked: Checked, n_positives: Totals | None = None, *, has_area: bool = False) -> Curve:
    """Rank the checked input of a curve: its points are right, or its area where it `has_area`.

    They differ only beside positives so light that products of their weights underflow.
    """
    stated = read_totals(n_positives, checked.query)
    if isinstance(stated, dict) and checked.query is not None:
        # A curve has one query. The mapping may name others, which do not count here.
        names, _ = distinct_queries(checked.query)
        check_named(names, stated)
        stated = np.array(stated[names[0]], dtype=np.float64)
    ranking, _ = rankings_in(checked, stated, average="micro", scaled=has_area)
    return curve_of(ranking)


def _totals(stated: Stated, layout: _Layout, checked: Checked, average: Average) -> FloatArray:
    """Return the stated number of positives of each ranking, in weight."""
    return totals_of_rankings(
        stated,
        n_rankings=layout.offsets.size - 1,
        pooled_columns=checked.positive[0].size if average == "micro" else None,
        names=layout.names,
        query=checked.query,
    )


def _layout(checked: Checked, average: Average, stated: Stated | None) -> _Layout:
    """Group the rows by ranking; without queries the arrays are views, so nothing is copied here."""
    positive, score, weight = checked.positive, checked.score, checked.weight
    if average == "micro":
        if weight is not None and positive.ndim == 2:
            weight = np.broadcast_to(weight[:, np.newaxis], positive.shape)
        return _Layout(positive, score, weight, np.array([0, positive.size]))
    if checked.query is not None:
        return _layout_of_queries(checked.query, positive, score, weight, stated)
    if average == "samples":
        weight = None  # each row is a ranking here: its weight counts in the mean, not in the ranking
    else:
        positive, score = positive.T, score.T
        weight = None if weight is None else np.broadcast_to(weight, positive.shape)
    n_rankings, n_rows = positive.shape
    return _Layout(positive, score, weight, np.arange(n_rankings + 1) * n_rows)


def _layout_of_queries(
    query: QueryIds, positive: BoolArray, score: AnyArray, weight: FloatArray | None, stated: Stated | None
) -> _Layout:
    """Return the rows with the sorted queries; rows with weights are put together, query after query."""
    ids, offsets, place = grouped(query)
    names = None if stated is None else listed(ids)
    if names is not None and isinstance(stated, dict):
        found, names = names, named_queries(names, stated)
        place_of = {name: place for place, name in enumerate(names)}
        places = np.array([place_of[name] for name in found])
        lengths = np.zeros(len(names), dtype=np.int64)
        lengths[places] = offsets[1:] - offsets[:-1]
        offsets = np.append(0, np.cumsum(lengths))
        place = None if place is None else places[place]
    rows = Rows(positive, score, weight, offsets, place)
    return _Layout(*(rows if weight is None else together(rows)), names)


def _at_prevalence(
    layout: _Layout, prevalence: float | None, totals: FloatArray | None, *, scaled: bool
) -> tuple[FloatArray | None, FloatArray | float, BoolArray | None]:
    """Return weights as `_counts_where_equal` does, where they differ already at the prevalence.

    The last answer is which rankings are not there yet; None means all.
    """
    if prevalence is None or layout.weight is None:
        return *_counts_where_equal(layout, scaled=scaled), None
    rows = Rows(layout.positive, layout.score, layout.weight, layout.offsets)
    weights, hold_counts, of_one = reweighted(rows, prevalence, totals)
    weight, unit = _counts_where_equal(layout._replace(weight=weights))
    return weight, unit * of_one, hold_counts


def _counts_where_equal(
    layout: _Layout, *, scaled: bool = True
) -> tuple[FloatArray | None, FloatArray | float]:
    """Replace weights that are equal inside a ranking by counts, and return what a count weighs there.

    No score depends on the scale of the weights. Counts are exact, while sums of weights such as 0.1 are
    rounded and would miss recall levels. Each ranking is decided alone, so its value never depends on the
    others in the call.
    """
    if layout.weight is None:
        return None, 1.0
    is_lone = layout.offsets.size == 2 and layout.weight.ndim == 1
    if is_lone and _TINY <= np.minimum.reduce(layout.weight) < np.maximum.reduce(layout.weight):
        # As below, in a sixth of the time. A float would say that there are no weights.
        return layout.weight, np.ones(1)
    n_rows = np.diff(layout.offsets)
    unit = np.ones(n_rows.size)
    filled = np.flatnonzero(n_rows)  # reduceat gives an empty ranking the first weight of the next one
    weight = layout.weight.ravel()
    least = np.minimum.reduceat(weight, layout.offsets[filled])
    most = np.maximum.reduceat(weight, layout.offsets[filled])
    equal = least == most
    unit[filled[equal]] = least[equal]
    if equal.all():
        return None, unit
    if scaled and least.min() < _TINY:
        unit[filled[~equal]] = _scale_of_positives(layout, weight, filled)[~equal]
    if not (unit == 1).all():
        # Where a tiny unit scales weights up, they are limited, so that their sum stays finite.
        largest = np.where(unit < _TINY, _LIMIT / weight.size, np.inf)
        with np.errstate(over="ignore"):
            weight = np.minimum(weight / np.repeat(unit, n_rows), np.repeat(largest, n_rows))
    return weight.reshape(layout.positive.shape), unit


def _scale_of_positives(layout: _Layout, weight: FloatArray, filled: IntArray) -> FloatArray:
    """Return the unit of each ranking: 1, or for tiny positives a power of two near the heaviest.

    Products with subnormal numbers would be rounded to a few bits. Dividing by this unit may push a heavy
    negative up to `_LIMIT`. Precision below such a negative is 0 to all digits: the limit changes no score.
    """
    of_positives = np.where(layout.positive.ravel(), weight, 0.0)
    heaviest = np.maximum.reduceat(of_positives, layout.offsets[filled])
    exponent = np.where((heaviest > 0) & (heaviest < _TINY), np.frexp(heaviest)[1], 0)
    return np.asarray(np.ldexp(1.0, exponent))

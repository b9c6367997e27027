"""Which rankings the caller's rows hold, and how the values of those rankings become one.

Binary labels are one ranking, or one per query with `query_id`. Multilabel and multiclass labels are one
ranking per column, one per row with ``average="samples"``, and a single one with ``average="micro"``.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._definition import Definition
from ._ranking import Curve, Rankings, Rows, curve_of, rank, together
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
from ._typing import AnyArray, Average, BoolArray, FloatArray, IntArray, Label, Totals, ZeroDivision
from ._warning import warn_user

__all__ = ["Averaging", "curve_in", "rankings_in", "read_and_rank", "score"]

_TINY = 2.0**-500  # products of two such numbers underflow
_LIMIT = 2.0**1000  # the most that scaled weights may add up to


class Averaging(NamedTuple):
    """How the values of the rankings become what the caller gets."""

    defined: BoolArray  # whether the ranking has a positive at all
    weights: FloatArray | None  # of each ranking in the mean; None where all count the same
    one_value: bool

    def of(
        self, values: FloatArray, *, zero_division: float | str, caller: str, reference: Any
    ) -> float | FloatArray:
        """Return the mean of the values, or all of them where ``average=None``.

        `caller` is the public function, for the warning; several values come in the namespace and on the
        device of the array `reference`.
        """
        if self.one_value and values.size == 1 and self.defined[0]:
            return float(values[0])
        undefined_value = 0.0 if zero_division == "warn" else float(zero_division)
        # As in scikit-learn, no warning is given where every ranking has weight 0.
        if self.one_value and self.weights is not None and not self.weights.any():
            return undefined_value
        if zero_division == "warn" and not self.defined.all():
            warn_user(self._without_positives(caller))
        values = np.where(self.defined, values, undefined_value)
        if not self.one_value:
            several: FloatArray = like(values, reference)
            return several
        counted = ~np.isnan(values)
        weights = None if self.weights is None else self.weights[counted]
        if not (counted if weights is None else weights).any():
            return float("nan")
        if weights is not None:
            # A power of two rounds nothing, and products with subnormal weights would.
            weights = np.ldexp(weights, -np.frexp(weights.max())[1])
        return float(np.average(values[counted], weights=weights))

    def _without_positives(self, caller: str) -> str:
        """Return the text of the warning; the drop-in has scikit-learn's."""
        if caller == "average_precision_score":
            return "No positive class found in y_true, recall is set to one for all thresholds."
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
    offsets: IntArray
    ranking: AnyArray | None = None
    names: list[Any] | None = None  # where a ranking is a query with a stated total


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
    """Return what the public function `caller` was asked for: read, rank, add up, average.

    All other parameters are those of the public functions.
    """
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
    rankings, averaging = rankings_in(
        checked,
        read_totals(n_positives, checked.query),
        average=average,
        ties=definition.ties,
        normalizer=definition.normalizer,
        k=definition.k,
    )
    return averaging.of(
        definition.of(rankings),
        zero_division=without_positives,
        caller=caller,
        reference=reference_of(y_score) if average is None else None,
    )


def rankings_in(
    checked: Checked,
    stated: Stated | None,
    *,
    average: str | None,
    ties: str | None = None,
    normalizer: str | None = None,
    k: int | float | None = None,
) -> tuple[Rankings, Averaging]:
    """Rank what was read.

    Three policies of `ties` are an order of equal scores, and are ranked as such. Only the first `k` rows of
    a ranking will be looked at.
    """
    if checked.positive.ndim == 1 and checked.query is None:
        average = "micro"  # as in scikit-learn, binary labels are one ranking whatever `average` says
    layout = _layout(checked, average, stated)
    weight, unit = _counts_where_equal(layout)
    if weight is not None:
        refuse(Asked(ties, normalizer, k is not None, weighted=True, states_totals=stated is not None))
    order = ties if ties in ("stable", "optimistic", "pessimistic") else None
    rows = Rows(layout.positive, layout.score, weight, layout.offsets, layout.ranking)
    rankings = rank(rows, tie_order=order, k=k, bounds=checked.bounds)
    positives = rankings.n_positives * unit  # in weight
    if stated is not None:
        totals = _totals(stated, layout, checked, average)
        counted = not_below_found(
            totals, rankings.n_positives, n_rows=rankings.n_rows, unit=unit, names=layout.names
        )
        rankings = rankings.with_n_positives(counted)
        positives = np.maximum(totals, positives)
    weights = {"samples": checked.weight, "weighted": positives}.get(str(average))
    return rankings, Averaging(rankings.n_positives > 0, weights, average is not None)


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
    """Read the input of the public curve `caller`, and rank it: a single ranking."""
    checked = read_curve(
        y_true,
        y_score,
        caller=caller,
        pos_label=pos_label,
        sample_weight=sample_weight,
        query_id=query_id,
    )
    return curve_in(checked, n_positives)


def curve_in(checked: Checked, n_positives: Totals | None = None) -> Curve:
    """Rank what was read of a curve."""
    stated = read_totals(n_positives, checked.query)
    if isinstance(stated, dict) and checked.query is not None:
        names, _ = distinct_queries(checked.query)
        check_named(names, stated)
        stated = np.array(stated[names[0]], dtype=np.float64)
    ranking, _ = rankings_in(checked, stated, average="micro")
    return curve_of(ranking)


def _totals(stated: Stated, layout: _Layout, checked: Checked, average: str | None) -> FloatArray:
    """Return the stated number of positives of each ranking, in weight."""
    return totals_of_rankings(
        stated,
        n_rankings=layout.offsets.size - 1,
        pooled_columns=checked.positive[0].size if average == "micro" else None,
        names=layout.names,
        query=checked.query,
    )


def _layout(checked: Checked, average: str | None, stated: Stated | None) -> _Layout:
    positive, score, weight = checked.positive, checked.score, checked.weight
    if average == "micro":
        if weight is not None and positive.ndim == 2:
            weight = np.broadcast_to(weight[:, np.newaxis], positive.shape)
        return _Layout(positive, score, weight, np.array([0, positive.size]))
    if checked.query is not None:
        return _layout_of_queries(checked.query, positive, score, weight, stated)
    if average == "samples":
        weight = None  # it is the weight of each ranking in the mean
    else:
        positive, score = positive.T, score.T
        weight = None if weight is None else np.broadcast_to(weight, positive.shape)
    n_rankings, n_rows = positive.shape
    return _Layout(positive, score, weight, np.arange(n_rankings + 1) * n_rows)


def _layout_of_queries(
    query: QueryIds, positive: BoolArray, score: AnyArray, weight: FloatArray | None, stated: Stated | None
) -> _Layout:
    """Say which rows belong to which query; queries are sorted, and rows are brought together if weighted."""
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


def _counts_where_equal(layout: _Layout) -> tuple[FloatArray | None, FloatArray | float]:
    """Replace weights that are equal inside a ranking by counts, and return what a count weighs there.

    No score depends on the scale of the weights, and counts are exact: sums of tenths would miss recall
    levels. Each ranking is decided alone, so its value never depends on the others in the call.
    """
    if layout.weight is None:
        return None, 1.0
    n_rows = np.diff(layout.offsets)
    unit = np.ones(n_rows.size)
    filled = np.flatnonzero(n_rows)
    weight = layout.weight.ravel()
    least = np.minimum.reduceat(weight, layout.offsets[filled])
    most = np.maximum.reduceat(weight, layout.offsets[filled])
    equal = least == most
    unit[filled[equal]] = least[equal]
    if equal.all():
        return None, unit
    if least.min() < _TINY:
        unit[filled[~equal]] = _scale_of_positives(layout, weight, filled)[~equal]
    if not (unit == 1).all():
        largest = np.where(unit < _TINY, _LIMIT / weight.size, np.inf)
        with np.errstate(over="ignore"):
            weight = np.minimum(weight / np.repeat(unit, n_rows), np.repeat(largest, n_rows))
    return weight.reshape(layout.positive.shape), unit


def _scale_of_positives(layout: _Layout, weight: FloatArray, filled: IntArray) -> FloatArray:
    """Return for each ranking 1, or the power of two that brings tiny positives near 1.

    Products with subnormal numbers would be rounded to a few bits. Negatives that then exceed `_LIMIT`
    leave no precision below them that a score could show.
    """
    of_positives = np.where(layout.positive.ravel(), weight, 0.0)
    heaviest = np.maximum.reduceat(of_positives, layout.offsets[filled])
    exponent = np.where((heaviest > 0) & (heaviest < _TINY), np.frexp(heaviest)[1], 0)
    return np.asarray(np.ldexp(1.0, exponent))

"""The total number of positives of each ranking, which the caller passes as
`n_positives`.

A number, an array or a mapping becomes an array in the order of the rankings. The
values of a mapping or a Series are matched by name to the queries, columns or classes.
Each query of `query_id` needs a total, even if all of its rows have weight 0.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from ..rounding import ROUNDING_PER_ROW
from ..typing import AnyArray, BoolArray, FloatArray, IntArray, PerRanking, QueryId
from .ids import (
    QueryIds,
    appear_in_order,
    as_list,
    grouped,
    names_like,
    numbered_together,
)
from .options import is_finite, short_repr
from .values import any_missing, check_not_masked, on_host

_NUMBER_TYPES = {int, float, np.int64, np.float64}


class PassedTotals(NamedTuple):
    """The totals of positives that the caller passed, as numbers."""

    passed: Any
    # One total for all rankings, of shape (); or one per ranking, in the order of the
    # rankings, or of `names` if there are names.
    numbers: FloatArray
    # Names of the queries, columns or classes that a mapping has totals of.
    names: list[QueryId] | None


def read_totals(n_positives: PerRanking) -> PassedTotals | None:
    """Return checked `n_positives`: one number, one per ranking, or one by name."""
    if n_positives is None:
        return None
    check_not_masked("n_positives", n_positives)
    passed: Any = on_host("n_positives", n_positives)
    if hasattr(passed, "items"):
        names, values = ([*map(itemgetter(i), passed.items())] for i in (0, 1))
        numbers = _numbers(values)
        if any_missing(names):
            raise ValueError(
                f"n_positives must name queries; got {short_repr(passed)}, with a "
                "missing name."
            )
    else:
        objects, names = np.array(passed, dtype=object), None
        numbers = _numbers(objects.ravel().tolist()).reshape(objects.shape)
    with np.errstate(over="ignore"):
        total = numbers.sum()
    if not (numbers >= 0).all() or np.isinf(total):
        raise ValueError(
            "n_positives must contain numbers >= 0 with a finite sum; got "
            f"{short_repr(passed)}."
        )
    return PassedTotals(passed, numbers, names)


def _numbers(values: list[Any]) -> FloatArray:
    """Return objects as float64, with NaN in place of all that are not finite real
    numbers.
    """
    with suppress(OverflowError):
        # These types exclude text and bools.
        if {*map(type, values)} <= _NUMBER_TYPES:
            return np.fromiter(values, np.float64, len(values))
    return np.array([float(value) if is_finite(value) else np.nan for value in values])


def read_total(n_positives: PerRanking) -> FloatArray | None:
    """Return checked `n_positives` of a single ranking, as an array of one total."""
    total = read_totals(n_positives)
    if total is None:
        return None
    return per_ranking(total, range(1), is_pooled=True)


class Queries(NamedTuple):
    """The queries of a call, with and without rows, and the queries that have totals."""

    # The distinct ids, sorted.
    ids: AnyArray
    # Whether each query has rows of weight above 0.
    has_rows: BoolArray
    # Whether each query is a ranking. Means exclude queries whose rows all have weight
    # 0, unless they have a total.
    is_ranked: BoolArray
    # The id of each row that was passed.
    ids_of_rows: QueryIds
    # The places, among the ids, of the names of the totals.
    total_places: AnyArray

    @property
    def names(self) -> list[QueryId]:
        """The ids as Python objects."""
        return as_list(self.ids)

    def values(self, totals: PassedTotals) -> FloatArray:
        """Return the total of each query. Queries without rows may have no total, which
        counts as 0.
        """
        n_values = np.bincount(self.total_places, minlength=self.ids.size)
        for is_wrong, text in (
            (n_values > 1, "must name each query once, but repeats"),
            (self.has_rows & (n_values == 0), "contains no total for query"),
        ):
            if is_wrong.any():
                raise ValueError(
                    f"n_positives {text} {as_list(self.ids[is_wrong])[0]!r} "
                    f"({np.count_nonzero(is_wrong)} such queries)."
                )
        values = np.zeros(self.ids.size)
        values[self.total_places] = totals.numbers
        return values


def queries_of(
    query: QueryIds,
    passed_query: QueryIds | None,
    totals: PassedTotals | None = None,
    *,
    ids: AnyArray | None = None,
    keeps_weightless: bool = False,
) -> Queries:
    """Return the queries that have rows or totals.

    `query` contains the ids of rows of weight above 0, and `passed_query` those of all
    rows, if some have weight 0. `ids` are the distinct ids of `query`, if they are
    known. With `keeps_weightless`, queries whose rows all have weight 0 are rankings,
    too.
    """
    parts = {"rows": grouped(query).ids if ids is None else ids}
    if passed_query is not None:
        parts["passed"] = grouped(passed_query).ids
    if totals is not None and totals.names is not None:
        parts["totals"] = names_like(query.dtype, totals.names, "n_positives")
    elif totals is not None:
        # An array contains one total for each query that was passed.
        keeps_weightless = True
    ids, places = numbered_together([*parts.values()])
    place_of = dict(zip(parts, places, strict=True))
    nowhere = np.zeros(0, dtype=np.int64)
    has_rows, is_passed, has_total = (
        np.bincount(place_of.get(part, nowhere), minlength=ids.size) > 0
        for part in ("rows", "passed", "totals")
    )
    is_ranked = has_rows | has_total
    if keeps_weightless:
        is_ranked |= is_passed
    ids_of_rows = query if passed_query is None else passed_query
    total_places = place_of.get("totals", nowhere)
    return Queries(ids, has_rows, is_ranked, ids_of_rows, total_places)


def per_ranking(
    totals: PassedTotals, of: Queries | Sequence[Any], *, is_pooled: bool = False
) -> FloatArray:
    """Return the total of each ranking, in the order of the rankings.

    `of` contains the queries, or the names of the columns or classes. With `is_pooled`,
    all of them are one ranking, whose total is the sum.
    """
    passed, numbers, names = totals
    is_in_order = True
    if isinstance(of, Queries):
        n_values = of.ids.size
        if names is not None:
            numbers = of.values(totals)
        elif not is_pooled:
            is_in_order = appear_in_order(of.ids_of_rows)
    else:
        n_values = len(of)
        if names is not None:
            value_of = dict(zip(names, numbers.tolist(), strict=True))
            # A single ranking without a name has no key that a mapping could name.
            has_names = of != range(1)
            if has_names and value_of.keys() == {*of} and len(names) == n_values:
                numbers = np.array([value_of[name] for name in of])
            else:
                # The default index of a Series does not name rankings, so its values
                # are taken in their order.
                is_default = names == [*range(n_values)]
                is_in_order = is_default and not isinstance(passed, Mapping)
    is_in_order = is_in_order and numbers.shape == (n_values,)
    if not (is_in_order or (is_pooled and not numbers.ndim)):
        raise ValueError(
            "n_positives must be one number if all rows are one ranking. Otherwise, it "
            f"must be one number per ranking in the order of average=None ({n_values} "
            "here), a mapping {query: total} with query_id (the only way if the ids do "
            "not first appear sorted), or a mapping of all columns or classes; got "
            f"{short_repr(passed)}."
        )
    if is_pooled:
        return np.array([numbers.sum()])
    if isinstance(of, Queries):
        return numbers[of.is_ranked]
    return numbers


def not_below_found(
    totals: FloatArray,
    found_positives: FloatArray,
    *,
    n_rows: FloatArray | IntArray,
    count_weight: FloatArray | None = None,
    ids: AnyArray | None = None,
) -> FloatArray:
    """Return totals as counts. Raise ValueError if a total is below the positives
    found.

    `count_weight` is the caller's weight that counts as 1 in each ranking; None without
    weights. If a total differs from the positives found by rounding only, the positives
    found are returned. Without weights, counts are exact, so a whole total is never
    replaced by another number.
    """
    rounding = ROUNDING_PER_ROW * n_rows * found_positives
    if count_weight is None:
        counts, rounding = totals, np.minimum(rounding, 0.5)
    else:
        # A total divided by a tiny weight may overflow. The largest float64 in its
        # place keeps scores finite.
        with np.errstate(over="ignore"):
            counts = np.minimum(totals / count_weight, np.finfo(np.float64).max)
        # If positives have equal weights, this quotient is a count with a rounding
        # error. Remove the error, so that recall is a quotient of counts.
        whole = np.rint(counts)
        is_whole = abs(counts - whole) <= ROUNDING_PER_ROW * n_rows * whole
        counts = np.where(is_whole, whole, counts)
    short = np.flatnonzero(counts < found_positives - rounding)
    if short.size:
        first = short[0]
        where = f" for ranking {first}" * (totals.size > 1)
        if ids is not None:
            where = f" for {as_list(ids[short])[0]!r}"
        found_weight = found_positives
        if count_weight is not None:
            found_weight = found_positives * count_weight
        raise ValueError(
            "n_positives must not be below the positives in y_true; got "
            f"{_all_digits(totals[first])}{where}, where "
            f"{_all_digits(found_weight[first])} were found."
        )
    return np.where(counts <= found_positives + rounding, found_positives, counts)


def _all_digits(count: float) -> str:
    """Return a count or a weight with all its digits, so that different numbers have
    different texts.
    """
    return repr(float(count)).removesuffix(".0")

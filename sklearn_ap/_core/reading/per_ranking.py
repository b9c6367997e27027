"""The total number of positives of each ranking, which the caller passes as
`n_positives`.

Two rankings are the queries or columns a and b, and positives are in units u and v.
The caller passes the left column. It is read as numbers of positives, each with the
name of its ranking and the name of its unit (`PassedTotals`), and gives the rankings
the totals on the right::

    passed                                         n_positives  names  units  totals
    7                                              7            -      -      7
    [3, 4]                                         3, 4         -      -      3, 4
    {"a": 3, "b": 4}                               3, 4         a b    -      3, 4
    {("a", "u"): 3, ("b", "u"): 1, ("b", "v"): 3}  3, 1, 3      a b b  u u v  3, 4
    {"u": 3, "v": 4}                               3, 4         -      u v    7

- A number is the total of one ranking. Units that are not in queries are those of one
  ranking, too, whose total is their sum. Names are units if the caller passes units.
- An array is in the order of the rankings. It has a total for each query of `query_id`,
  even if all rows of the query have weight 0. A mapping need not name such a query.
- `totals_of_queries` matches names to queries, and adds up the units of each query.
  `totals_of_columns` matches names to columns or classes. Both add up all totals if the
  queries or columns are pooled into one ranking.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import compress
from math import nan
from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np

from ..rounding import ROUNDING_PER_ROW
from ..typing import AnyArray, BoolArray, FloatArray, IntArray, PerRanking, QueryId
from .errors import error_about_low_total, error_about_totals
from .ids import Ids, as_list, names_like, numbered_together
from .options import short_repr
from .values import any_missing, read_on_host


class PassedTotals(NamedTuple):
    """The totals of positives that the caller passed, as numbers."""

    # The argument as it was passed, for errors and for its type.
    passed: Any
    # A single total, of shape (); or several totals, in the order of the rankings or of
    # their names below.
    n_positives: FloatArray
    # The name of the ranking of each total, which is a query, a column or a class: the
    # key of a mapping, or the index of a Series. None for a number or an array, and if
    # all units are in one ranking.
    names: list[QueryId] | None
    # The name of the unit of each total. None if each total is that of a ranking.
    units: list[QueryId] | None = None

    def named(self, names: list[QueryId]) -> "PassedTotals":
        """Return the totals with these names, unless they have names."""
        return self if self.names else self._replace(names=names)

    @property
    def by_name(self) -> dict[Any, float]:
        """The totals above 0 by their names or, without names, by their places."""
        numbers = self.n_positives.ravel().tolist()
        names = self.names or range(len(numbers))
        return {name: n for name, n in zip(names, numbers, strict=True) if n}

    def of_rankings(self, kept: Sequence[bool]) -> Self:
        """Return the totals of these rankings, which have names."""
        numbers = self.n_positives[np.array(kept, dtype=bool)]
        names, units = (
            values and [*compress(values, kept)] for values in (self.names, self.units)
        )
        return self._replace(n_positives=numbers, names=names, units=units)


def read_totals(
    n_positives: PerRanking | PassedTotals,
    query: Ids | None = None,
    *,
    by_unit: bool = False,
) -> PassedTotals | None:
    """Return checked `n_positives`: one number, one per ranking, or one by name. With
    the ids of queries, names may be pairs of a query and a unit. With `by_unit`, names
    are those of the units of a single ranking. Totals that were read before are
    returned.
    """
    if n_positives is None or isinstance(n_positives, PassedTotals):
        return n_positives
    passed: Any = read_on_host("n_positives", n_positives)
    names = units = None
    if hasattr(passed, "items"):
        keys = [key for key, _ in passed.items()]
        if query is not None or by_unit:
            _check_occur_once(keys)
        names, units = _queries_and_units(keys, query)
        numbers = _numbers([value for _, value in passed.items()])
    else:
        objects = np.array(passed, dtype=object)
        numbers = _numbers(objects.ravel().tolist()).reshape(objects.shape)
    with np.errstate(over="ignore"):
        total = numbers.sum()
    # Objects that are not numbers are NaN, and comparisons with NaN are False.
    if not (numbers >= 0).all() or np.isinf(total):
        raise ValueError(
            "n_positives must contain numbers >= 0 with a finite sum; got "
            f"{short_repr(passed)}."
        )
    if any_missing([*(names or []), *(units or [])]):
        raise ValueError(
            "n_positives must have a name for each total; got "
            f"{short_repr(passed)}, with a missing name."
        )
    if by_unit:
        return PassedTotals(passed, numbers, None, names)
    return PassedTotals(passed, numbers, names, units)


def _check_occur_once(keys: list[Any]) -> None:
    """Raise ValueError if a query, a unit or a pair of both has two totals. Only names
    of columns may occur twice.
    """
    repeated = [key for key, n_totals in Counter(keys).items() if n_totals > 1]
    if repeated:
        raise ValueError(
            f"n_positives must have one total per name, but repeats {repeated[0]!r} "
            f"({len(repeated)} such names). Add up its totals first."
        )


def _queries_and_units(
    names: list[Any], query: Ids | None
) -> tuple[list[QueryId], list[QueryId] | None]:
    """Return the query and the unit of each name, if names are pairs of both; otherwise
    the names, and None. Queries may be pairs themselves: then some name is a query.
    """
    are_pairs = {*map(type, names)} == {tuple} and {*map(len, names)} == {2}
    if query is None or not are_pairs:
        return names, None
    if not {*as_list(query.distinct)}.isdisjoint(names):
        return names, None
    return [name for name, _ in names], [unit for _, unit in names]


def _numbers(values: list[Any]) -> FloatArray:
    """Return objects as float64, with NaN for each object that is not a real number. If
    an integer is too large for float64, all are NaN.
    """
    # A check of each type takes less time than one of each value.
    kinds = {*map(type, values)}
    is_number = {kind: kind is not bool and issubclass(kind, Real) for kind in kinds}
    numbers = np.full(len(values), nan)
    with suppress(OverflowError):
        numbers[:] = [float(x) if is_number[type(x)] else nan for x in values]
    return numbers


def total_of(totals: PassedTotals) -> FloatArray:
    """Return the total of a single ranking, as an array."""
    return totals_of_columns(totals, range(1), is_pooled=True)


class Queries(NamedTuple):
    """The queries of a call, with and without rows, and the places of their totals."""

    # The distinct ids, sorted.
    ids: AnyArray
    # Whether each query has rows of weight above 0.
    has_rows: BoolArray
    # The id of each row that was passed.
    ids_of_rows: Ids
    # The place of the name of each total among the ids; empty if totals have no names.
    total_places: AnyArray

    @property
    def names(self) -> list[QueryId]:
        """The ids as Python objects."""
        return as_list(self.ids)

    @property
    def places_with_rows(self) -> IntArray:
        """The place among the ids of each query that has rows. The numbers of the
        queries of rows (`CheckedRows.numbers_of_queries`) count these only.
        """
        return np.flatnonzero(self.has_rows)

    def sums_of(self, totals: PassedTotals) -> FloatArray:
        """Return the total of each query, from totals with names: the sum over its
        units. A query without rows may have no total, and then 0 is returned for it.
        """
        n_totals = np.bincount(self.total_places, minlength=self.ids.size)
        has_no_total = self.has_rows & (n_totals == 0)
        if has_no_total.any():
            raise ValueError(
                "n_positives contains no total for query "
                f"{as_list(self.ids[has_no_total])[0]!r} "
                f"({np.count_nonzero(has_no_total)} such queries)."
            )
        sums = np.zeros(self.ids.size)
        np.add.at(sums, self.total_places, totals.n_positives)
        return sums


def queries_of(
    query: Ids,
    passed_query: Ids | None,
    totals: PassedTotals | None = None,
    *,
    keeps_weightless: bool = False,
) -> Queries:
    """Return the queries that have rows of weight above 0, or a total. Each of them is
    a ranking.

    `query` contains the ids of rows of weight above 0. `passed_query` contains the ids
    of all rows, or is None if no row has weight 0. With `keeps_weightless`, queries
    whose rows all have weight 0 are returned, too.
    """
    ids_of_rows = query if passed_query is None else passed_query
    named = query.distinct[:0]
    if totals is not None and totals.names is not None:
        named = names_like(query.distinct.dtype, totals.names)
    elif totals is not None:
        # An array contains a total for each query that was passed.
        keeps_weightless = True
    kept = ids_of_rows if keeps_weightless else query
    ids, (places_with_rows, _, total_places) = numbered_together(
        [query.distinct, kept.distinct, named]
    )
    has_rows = np.bincount(places_with_rows, minlength=ids.size) > 0
    return Queries(ids, has_rows, ids_of_rows, total_places)


def totals_of_queries(
    totals: PassedTotals, queries: Queries, *, is_pooled: bool
) -> FloatArray:
    """Return the total of each query, in the order of the ids. With `is_pooled`, all
    queries are one ranking, whose total is the sum of their totals.
    """
    numbers: FloatArray | None = totals.n_positives
    if totals.names is not None:
        numbers = queries.sums_of(totals)
    # An array must be in the order of the sorted ids. If the ids first appear in
    # another order in the rows, the caller may have meant that order. A sum does not
    # depend on the order.
    elif not (is_pooled or queries.ids_of_rows.appear_in_order()):
        numbers = None
    return _checked_totals(numbers, queries.ids.size, totals, is_pooled=is_pooled)


def totals_of_columns(
    totals: PassedTotals, columns: Sequence[Any], *, is_pooled: bool = False
) -> FloatArray:
    """Return the total of each column or class, in the order of their names, `columns`.
    With `is_pooled`, all columns are one ranking, whose total is the sum of their
    totals.
    """
    numbers = _by_column(totals, columns)
    return _checked_totals(numbers, len(columns), totals, is_pooled=is_pooled)


def _checked_totals(
    numbers: FloatArray | None,
    n_rankings: int,
    totals: PassedTotals,
    *,
    is_pooled: bool,
) -> FloatArray:
    """Return `numbers`, the totals in the order of the rankings; if the rankings are
    pooled, return the sum. Raise ValueError if the totals have no such order (None), or
    are more or fewer than the rankings.
    """
    # A single number is the total of a pooled ranking.
    if is_pooled and not totals.n_positives.ndim:
        return totals.n_positives.reshape(1)
    if numbers is None or numbers.shape != (n_rankings,):
        raise error_about_totals(totals.passed, n_rankings)
    return np.array([numbers.sum()]) if is_pooled else numbers


def _by_column(totals: PassedTotals, columns: Sequence[Any]) -> FloatArray | None:
    """Return the totals in the order of the columns or classes, or that of a single
    ranking; None if the totals do not have the names of the columns.
    """
    passed, numbers, names, units = totals
    if units is not None:
        # Without queries, all units are in one ranking.
        return np.array([numbers.sum()])
    # The columns of a single ranking without a name are `range(1)`. No key of a mapping
    # could name it, not even 0.
    is_unnamed = columns == range(1)
    # Names in the order of the columns are matched by place, since a name may occur
    # twice.
    if names is None or (names == [*columns] and not is_unnamed):
        return numbers
    total_of = dict(zip(names, numbers.tolist(), strict=True))
    # In another order, a name that occurs twice has no single total.
    occur_once = len(total_of) == len(names) == len(columns)
    if total_of.keys() == {*columns} and occur_once and not is_unnamed:
        return np.array([total_of[name] for name in columns])
    # The default index of a Series does not name columns, so its values are taken in
    # their order.
    is_default_index = names == [*range(len(columns))]
    if is_default_index and not isinstance(passed, Mapping):
        return numbers
    return None


def totals_as_counts(
    totals: FloatArray,
    found_positives: FloatArray,
    *,
    n_summands: FloatArray,
    count_weight: FloatArray | None = None,
    ids: AnyArray | None = None,
) -> FloatArray:
    """Return the total of each ranking as a count. Raise ValueError if a total is below
    the positives found.

    `n_summands` is how many weights a sum over each ranking adds up, each with a
    rounding error. `count_weight` is the caller's weight that counts as 1 in each
    ranking; None without weights. If a total differs from the positives found by
    rounding only, the positives found are returned in its place. Without weights,
    counts are exact, so a whole total is never replaced by another number.
    """
    rounding = ROUNDING_PER_ROW * n_summands * found_positives
    if count_weight is None:
        # Two whole numbers differ by 1 or more, so none is within 0.5 of another one.
        counts, rounding = totals, np.minimum(rounding, 0.5)
    else:
        # A total divided by a tiny weight may overflow. The largest float64 replaces
        # infinity, so that scores are finite.
        with np.errstate(over="ignore"):
            counts = np.minimum(totals / count_weight, np.finfo(np.float64).max)
        # If positives have equal weights, these quotients are counts with rounding
        # errors. Remove the errors, so that recall is a quotient of counts.
        whole = np.rint(counts)
        is_whole = abs(counts - whole) <= ROUNDING_PER_ROW * n_summands * whole
        counts = np.where(is_whole, whole, counts)
    is_low = counts < found_positives - rounding
    if is_low.any():
        # The error shows the weight of the positives, in the weights of the caller.
        found_weight = found_positives
        if count_weight is not None:
            found_weight = found_positives * count_weight
        queries = [] if ids is None else as_list(ids)
        raise error_about_low_total(is_low, totals, found_weight, queries)
    return np.where(counts <= found_positives + rounding, found_positives, counts)

"""The units of the rows of a call: what was drawn.

A unit is a row, a cluster of rows, a query, or a row of a label matrix. `units_of`
returns `Units` or, if rows are pairs, which belong to two units each, `PairUnits`::

    unit_id               the units are      unit_of_row   ids
    None                  rows, or queries   None          None
    all ids different     rows               None          one per row
    some ids are equal    clusters of rows   numbers       one per cluster
    two columns           `PairUnits`, with `Units` of each column

Without `unit_id`, queries are units if the score is a mean over queries, or if their
rows are pooled into one ranking. With queries, or with totals of units, units are
clusters also if all ids are different.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..._core.reading.ids import (
    Ids,
    as_list,
    names_like,
    numbered_together,
)
from ..._core.reading.options import short_repr
from ..._core.reading.per_ranking import PassedTotals
from ..._core.reading.read import CheckedRows
from ..._core.typing import AnyArray, BoolArray, FloatArray, IntArray, QueryId
from .by_unit import sums_of
from .score_call import ScoreCall, scaled


class UnitTotals(NamedTuple):
    """The totals of units, which count their positives, found or missed: one for each
    unit or, with queries, one for each pair of a query and a unit.
    """

    # Number of the unit of each total.
    unit: IntArray
    n_positives: FloatArray


class Units(NamedTuple):
    """The units of the rows of a call, each of which belongs to one unit."""

    # Number of the unit of each row, if units are clusters; else None.
    unit_of_row: IntArray | None = None
    # The id of each unit in `unit_id`, by the number of the unit; None without
    # `unit_id`. In a column of pairs, the ids are the numbers of the units of both
    # columns (`PairUnits`).
    ids: AnyArray | None = None
    # None if `n_positives` has no totals of units.
    totals: UnitTotals | None = None
    # Number of the unit of each query. If a query has several, it is that of its last
    # row or total. None without queries or without `unit_id`.
    unit_of_query: IntArray | None = None
    # Whether a query has several units, so that every sample has the same queries.
    queries_are_fixed: bool = False
    # Of the units of one query, their numbers among all units of the call.
    numbers: IntArray | None = None

    def of_query(
        self, query: QueryId, own_rows: IntArray, own_totals: IntArray
    ) -> "Units":
        """Return the clusters of a query, which has the rows and the totals at these
        places.
        """
        # Clusters have both.
        unit_of_row: Any = self.unit_of_row
        ids: Any = self.ids
        units, totals = unit_of_row[own_rows], self.totals
        if totals is not None:
            units = np.append(units, totals.unit[own_totals])
        numbers, places = np.unique(units, return_inverse=True)
        of_rows, of_totals = np.split(places, [own_rows.size])
        if totals is not None:
            totals = UnitTotals(of_totals, totals.n_positives[own_totals])
        # An error names a cluster as `n_positives` does.
        names = [(query, id_) for id_ in as_list(ids[numbers])]
        ids = np.fromiter(names, object, numbers.size)
        return Units(of_rows, ids=ids, totals=totals, numbers=numbers)

    def missed_by_unit(self, positive: BoolArray) -> FloatArray:
        """Return the number of positives that each cluster missed. `positive` has the
        labels of the rows.
        """
        ids: Any = self.ids
        unit_of_row: Any = self.unit_of_row
        if self.totals is None:
            return np.zeros(ids.size)
        n_positives = sums_of(self.totals.n_positives, self.totals.unit, ids.size)
        found = sums_of(positive.astype(np.float64), unit_of_row, ids.size)
        missed = n_positives - found
        # `_with_totals` removes rounding errors, so these are no reason for an error.
        is_wrong = (missed < 0) | (n_positives != np.rint(n_positives))
        if is_wrong.any():
            i = int(is_wrong.argmax())
            raise ValueError(
                "n_positives of units must be whole numbers, without sample_weight, "
                "that are not below the positives in y_true; got "
                f"{n_positives[i]:g} for {as_list(ids)[i]!r}, where {found[i]:g} were "
                "found."
            )
        return missed


class PairUnits(NamedTuple):
    """The units of rows that are pairs: each row belongs to a unit in each column.

    A unit contributes what it contributes in the first column, plus what it contributes
    in the second one, minus what both count twice: its rows with itself (`pairs`). Each
    of the three is read as if there were nothing else, from clusters whose ids are the
    numbers of units. Then the values of equal ids are added up.

    If pairs have a direction, a cluster of a column contains the rows of one unit. If
    they have none, it contains the rows of the same two units, in either order, and has
    the numbers of its first row, so several clusters may have one id. For example, the
    units a, b and c have the numbers 0, 1 and 2, and 3 is of no unit. Four rows of
    pairs without a direction have these ids::

        row            a b   b a   c c   c a
        columns[0]      0     0     2     2
        columns[1]      1     1     2     0
        with_itself     3     3     2     3

    If both columns draw queries, `with_itself` draws them, too, since what is counted
    twice is the score of a query whose rows are all of one unit with itself. Otherwise,
    queries are fixed there: what is counted twice is the weight of a row in its query.
    """

    # The id of each unit that is in some column, by its number.
    ids: AnyArray
    columns: Sequence[Units]
    # Whether pairs have no direction, so that it has no effect which unit of a row is
    # in the first column. Then the rows of the same two units are one cluster in both
    # columns.
    undirected: bool
    # All pairs as clusters, of which those of a unit with itself have its number as id.
    # The id of the others is of no unit, since it is the number of units, so they are
    # not added up. None if no row is of a unit with itself.
    with_itself: Units | None

    @property
    def queries_are_fixed(self) -> bool:
        """Whether every sample has the same queries. False also if the units of only
        one column contain whole queries, which are drawn with them.
        """
        return all(units.queries_are_fixed for units in self.columns)


def units_of(call: ScoreCall) -> Units | PairUnits:
    """Return the units of the rows of a call."""
    rows, totals = call.rows, call.rows.totals
    if not rows.units:
        if call.unit_totals is not None:
            raise ValueError(
                "n_positives requires unit_id if it has a total for each unit; got "
                f"{short_repr(call.unit_totals.passed)}."
            )
        # Queries that are pooled into one ranking are units.
        if rows.query is not None and not call.is_mean_of_queries:
            return Units(rows.query.place, ids=rows.query.distinct)
        return Units()
    if len(rows.units) == 1:
        return _clusters_of(rows.units[0], call)
    if totals is not None:
        raise error_about_missed_positives(totals.passed)
    return _pairs_of(rows.units, call)


def _clusters_of(ids: Ids, call: ScoreCall) -> Units:
    """Return the units of the rows of a call, whose ids are these."""
    if call.unit_totals is not None:
        return _with_queries(_with_totals(ids, call.unit_totals), call)
    if call.queries is None and ids.distinct.size == ids.place.size:
        return Units(ids=ids.of_rows)
    return _with_queries(Units(ids.place, ids=ids.distinct), call)


def _with_totals(ids: Ids, totals: PassedTotals) -> Units:
    """Return the units that have rows, whose ids are these, or totals."""
    names = names_like(ids.distinct.dtype, totals.units or [])
    every, (unit_of_id, unit_of_total) = numbered_together(
        [ids.distinct, names], "unit_id with the units of n_positives"
    )
    return Units(
        unit_of_id[ids.place],
        ids=every,
        totals=UnitTotals(unit_of_total, totals.n_positives),
    )


def _with_queries(units: Units, call: ScoreCall) -> Units:
    """Return clusters with the unit of each query, if there are queries.

    Queries are fixed if a query contains several units. If each query belongs to one
    unit, queries are drawn with their units.
    """
    queries = call.queries
    if queries is None:
        return units
    # The query and the unit of each row, and then those of each total.
    unit: Any = units.unit_of_row
    query = queries.places_with_rows[call.rows.numbers_of_queries()]
    if units.totals is not None:
        query = np.append(query, queries.total_places)
        unit = np.append(unit, units.totals.unit)
    unit_of_query = np.full(queries.ids.size, -1)
    unit_of_query[query] = unit
    are_fixed = bool((unit != unit_of_query[query]).any())
    is_unknown = unit_of_query < 0
    if is_unknown.any() and not are_fixed:
        raise ValueError(
            "n_positives must have the unit of each query without rows if unit_id is "
            "passed, such as {(query, unit): total}; got "
            f"{short_repr(call.inputs.n_positives)}, without that of the query "
            f"{as_list(queries.ids[is_unknown])[0]!r}."
        )
    return units._replace(unit_of_query=unit_of_query, queries_are_fixed=are_fixed)


def error_about_missing_units(
    n_positives: object, *, has_queries: bool = False
) -> ValueError:
    """Return the error of totals that are not those of units."""
    totals = "{unit: total}, such as objects.groupby('image').size()"
    if has_queries:
        totals = (
            "{(query, unit): total}, such as objects.groupby(['class', 'image']).size()"
        )
    return ValueError(
        "n_positives must have the total of each unit if unit_id is passed, because "
        f"units miss several positives at once; got {short_repr(n_positives)}. Pass "
        f"{totals}."
    )


def error_about_units(n_positives: object, caller: str) -> ValueError:
    """Return the error of totals with units in what takes no totals of units, such as a
    band.
    """
    return ValueError(
        f"n_positives must be omitted if units are passed, because {caller} has no "
        f"interval with both; got {short_repr(n_positives)}. Omit one of both."
    )


def _pairs_of(ids_of_columns: Sequence[Ids], call: ScoreCall) -> PairUnits:
    """Return the units of pairs, from the ids of the rows in each column. An id that is
    in both columns is one unit. If there is one, and no query is passed, pairs have no
    direction.
    """
    every, numbers = numbered_together(
        [ids.distinct for ids in ids_of_columns], "unit_id"
    )
    # In each column, the number of a unit among those of both columns is its id.
    numbered = [
        Ids(number, ids.place)
        for number, ids in zip(numbers, ids_of_columns, strict=True)
    ]
    first, second = (ids.of_rows for ids in numbered)
    undirected = call.queries is None and every.size < sum(map(len, numbers))
    # Rows of the same two units, in either order, are one cluster.
    low, high = np.minimum(first, second), np.maximum(first, second)
    _, row, pair_of_row = np.unique(
        low * every.size + high, return_index=True, return_inverse=True
    )
    if undirected:
        columns = [Units(pair_of_row, ids=unit[row]) for unit in (first, second)]
    else:
        columns = [_clusters_of(ids, call) for ids in numbered]
    with_itself, is_with_itself = None, first == second
    if is_with_itself.any():
        # The number of all other pairs is of no unit.
        unit = np.where(is_with_itself, first, every.size)
        with_itself = _with_queries(Units(pair_of_row, ids=unit[row]), call)
        # What both columns count is that of drawn queries only if both draw them
        # (`PairUnits`).
        are_fixed = any(units.queries_are_fixed for units in columns)
        with_itself = with_itself._replace(queries_are_fixed=are_fixed)
    return PairUnits(every, columns, undirected, with_itself)


def units_of_ranking(rows: CheckedRows) -> Units:
    """Return the units of rows that are a single ranking, for a threshold or a band."""
    if not rows.units:
        return Units()
    if len(rows.units) > 1:
        raise ValueError(
            "unit_id must have one id per row for a threshold or a band; got two "
            "columns, which are accepted by estimate_score and by comparisons."
        )
    ids = rows.units[0]
    if rows.totals is None:
        return Units(ids.place, ids=ids.distinct)
    if rows.totals.units is None:
        raise error_about_missing_units(rows.totals.passed)
    totals: Any = as_counts(rows).totals
    return _with_totals(ids, totals)


def as_counts(rows: CheckedRows) -> CheckedRows:
    """Return the rows as `scaled` does. Raise ValueError if they have different weights
    and totals, since a missed positive has the weight of each row.
    """
    counted, totals = scaled(rows), rows.totals
    if counted.weight is not None and totals is not None:
        raise error_about_missed_positives(totals.passed)
    return counted


def error_about_missed_positives(n_positives: object) -> ValueError:
    """Return the error that the effect of missed positives on a number is unknown."""
    return ValueError(
        "with n_positives, an interval requires equal weights, ties='proportional' or "
        "'expected', a single ranking or a mean over queries and, with unit_id, one "
        "column of it and a k that is not a number of rows, because otherwise the "
        "weight, rank or unit of missed positives is unknown; got "
        f"n_positives={short_repr(n_positives)}."
    )

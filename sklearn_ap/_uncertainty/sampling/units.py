"""The units of the rows of a call: what was drawn.

A unit is a row, a cluster of rows, a query, or a row of a label matrix. If rows are
pairs, each row belongs to two units.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..._core.reading.frames import warn_of_other_order
from ..._core.reading.ids import (
    Ids,
    as_list,
    has_columns,
    names_like,
    numbered_together,
)
from ..._core.reading.options import short_repr
from ..._core.reading.per_ranking import PassedTotals, read_totals
from ..._core.reading.read import CheckedRows
from ..._core.reading.values import on_host
from ..._core.typing import AnyArray, BoolArray, FloatArray, IntArray, PerRanking
from .by_unit import sums_of
from .score_call import ScoreCall


class UnitsOfRanking(NamedTuple):
    """The units of one ranking. The fields are those of `Ranking`."""

    # Number of the unit of each row, among the units of the ranking.
    unit: IntArray
    # Number of each unit of the ranking among all units, and number of all units.
    units: IntArray
    n_units: int
    # Number of missed positives of each of `units`; None if each row is a unit.
    missed: FloatArray | None = None


def as_units(unit: IntArray | None) -> UnitsOfRanking | None:
    """Return the units of a ranking that has rows of all units, from the number of the
    unit of each row; None if each row is a unit.
    """
    if unit is None:
        return None
    n_units = int(unit.max()) + 1
    return UnitsOfRanking(unit, np.arange(n_units), n_units, np.zeros(n_units))


class TotalsOfUnits(NamedTuple):
    """The totals of positives of units, which are those of `n_positives`."""

    # Number of the unit of each total, and its number of positives.
    unit: IntArray
    n_positives: FloatArray
    # The id of each unit that has rows or a total, by its number.
    ids: AnyArray

    def units_of(
        self,
        unit: IntArray,
        positive: BoolArray,
        totals: IntArray | slice = slice(None),
        of_query: str = "",
    ) -> UnitsOfRanking:
        """Return the units of the rows and totals of a ranking, with what each of them
        missed. `unit` and `positive` are those of its rows, and `totals` are the places
        of its totals.
        """
        units, place = np.unique(
            np.append(unit, self.unit[totals]), return_inverse=True
        )
        of_rows, of_totals = np.split(place, [unit.size])
        n_positives = sums_of(self.n_positives[totals], of_totals, units.size)
        found = sums_of(positive.astype(np.float64), of_rows, units.size)
        missed = n_positives - found
        is_wrong = (missed < 0) | (n_positives != np.rint(n_positives))
        if is_wrong.any():
            i = int(is_wrong.argmax())
            raise ValueError(
                "n_positives of units must be whole numbers, without sample_weight, "
                "that are not below the positives in y_true; got "
                f"{n_positives[i]:g} for {as_list(self.ids[units])[i]!r}{of_query}, "
                f"where {found[i]:g} were found."
            )
        return UnitsOfRanking(of_rows, units, self.ids.size, missed)


class Units(NamedTuple):
    """The units of the rows of a call."""

    # Number of the unit of each row. None if each row is a unit; if each query is one,
    # for a mean over queries; and if each row belongs to two (`columns`).
    of_rows: IntArray | None = None
    # Number of queries, if every sample has the same queries; else 0.
    n_fixed_queries: int = 0
    # The id of each unit, by its number; None if the caller passed none. Samples with
    # rows of their own are joined by them.
    ids: AnyArray | None = None
    # None if `n_positives` has no totals of units.
    totals: TotalsOfUnits | None = None
    # The units of both columns if each row belongs to two units; else empty. The ids of
    # a column are numbers of units.
    columns: Sequence["Units"] = ()
    # Whether it has no effect which unit of a row is in the first column. Then rows are
    # the units of each column, and the id of a row is the number of its unit there.
    undirected: bool = False
    # The units of the rows of a unit with itself, which both columns contain. Any other
    # row is a unit of its own, with a number above those of all ids. None without rows
    # of a unit with itself.
    of_one: "Units | None" = None


def read_units(unit_id: ArrayLike | None, call: ScoreCall) -> Units:
    """Return the units of the rows that are not dropped, and whether queries are fixed.

    If `unit_id` has two columns, each row belongs to two units, such as both items of a
    pair.
    """
    if unit_id is None:
        if call.unit_totals is not None:
            raise ValueError(
                "n_positives requires unit_id if it has a total for each unit; got "
                f"{short_repr(call.unit_totals.passed)}."
            )
        return Units()
    warn_of_other_order({"y_true": call.inputs.y_true, "unit_id": unit_id})
    if has_columns(unit_id):
        return _read_pairs(on_host("unit_id", unit_id), call)
    return _units_of(call.checked.read_ids(unit_id, "unit_id"), call)


def _units_of(ids: Ids, call: ScoreCall) -> Units:
    """Return the units of the rows of a call, whose ids are these."""
    unit, every, totals = ids.place, ids.distinct, None
    if call.unit_totals is not None:
        unit, totals = totals_of_units(ids, call.unit_totals, call.scale)
        every = totals.ids
    queries = call.queries
    if queries is None:
        # If each unit has a single row, rows are the units.
        if totals is None and every.size == unit.size:
            return Units(ids=ids.of_rows)
        return Units(unit, ids=every, totals=totals)
    query, of_all = call.checked.numbers_of_queries(), unit
    if totals is not None:
        query = np.append(queries.with_rows[query], queries.total_places)
        of_all = np.append(unit, totals.unit)
    return Units(unit, _n_fixed_queries(query, of_all), every, totals)


def error_without_units(
    n_positives: object, *, has_queries: bool = False, caller: str = ""
) -> ValueError:
    """Return the error of totals that are not those of units. `caller` is what takes no
    totals of units, such as a band.
    """
    totals = "{unit: total}, such as objects.groupby('image').size()"
    if has_queries:
        totals = (
            "{(query, unit): total}, such as objects.groupby(['class', 'image']).size()"
        )
    advice = f"Pass {totals}."
    if caller:
        advice = (
            f"{caller} takes no such totals, so it has no interval here: pass "
            f"{totals}, to estimate_score, or to operating_point with a threshold."
        )
    return ValueError(
        "n_positives must have the total of each unit if unit_id is passed, because "
        f"units miss several positives at once; got {short_repr(n_positives)}. {advice}"
    )


def _read_pairs(unit_id: ArrayLike, call: ScoreCall) -> Units:
    """Return the units of rows that belong to two units each. An id that is in both
    columns is one unit. If there is one, and no query is passed, rows are pairs without
    a direction.
    """
    # Each column of a frame has its own type.
    pairs: Any = unit_id
    n_rows = call.checked.n_passed
    if pairs.shape != (n_rows, 2):
        raise ValueError(
            f"unit_id must have the shape ({n_rows},) or, if each row belongs to two "
            f"units, ({n_rows}, 2); got {pairs.shape}."
        )
    if call.inputs.n_positives is not None:
        raise ValueError(
            "n_positives has no interval if unit_id has two columns, because the units "
            "of missed positives are unknown; got n_positives="
            f"{short_repr(call.inputs.n_positives)}."
        )
    of_columns = [
        call.checked.read_ids(
            # Tables of Arrow have columns, and frames of pandas places.
            pairs.column(i)
            if hasattr(pairs, "column")
            else getattr(pairs, "iloc", pairs)[:, i],
            f"unit_id[:, {i}]",
        )
        for i in range(2)
    ]
    every, numbers = numbered_together([ids.distinct for ids in of_columns], "unit_id")
    # The ids of a column become numbers of the units of both.
    of_columns = [
        Ids(number, ids.place) for number, ids in zip(numbers, of_columns, strict=True)
    ]
    columns = [_units_of(ids, call) for ids in of_columns]
    first, second = (ids.of_rows for ids in of_columns)
    undirected = call.queries is None and every.size < sum(map(len, numbers))
    if undirected:
        rows = np.arange(first.size)
        columns = [Units(rows, ids=column) for column in (first, second)]
    is_one, of_one = first == second, None
    if is_one.any():
        others = every.size + np.arange(first.size)
        number, place = np.unique(np.where(is_one, first, others), return_inverse=True)
        n_fixed = max(units.n_fixed_queries for units in columns)
        of_one = Units(place, n_fixed, number)
    # If one column has units that contain whole queries, queries are drawn.
    n_fixed = min(units.n_fixed_queries for units in columns)
    return Units(None, n_fixed, every, None, columns, undirected, of_one)


def _n_fixed_queries(query: IntArray, unit: IntArray) -> int:
    """Return the number of queries if they are fixed, else 0. `query` and `unit` have
    the numbers of the query and of the unit of each row, or total.

    Queries are fixed if a query contains several units. If each query belongs to one
    unit, queries are drawn with their units.
    """
    # The unit of the last row of each query.
    of_queries = np.zeros(query.max() + 1, dtype=unit.dtype)
    of_queries[query] = unit
    if (unit == of_queries[query]).all():
        return 0
    return int(np.count_nonzero(np.bincount(query)))


def totals_of_units(
    ids: Ids, passed: PassedTotals, scale: float = 1.0
) -> tuple[IntArray, TotalsOfUnits]:
    """Return the number of the unit of each row, among the units that have rows or
    totals, and the totals divided by `scale`. `ids` are those of the units of the rows.
    """
    names = names_like(ids.distinct.dtype, passed.units or [])
    every, (of_ids, of_totals) = numbered_together(
        [ids.distinct, names], "unit_id with the units of n_positives"
    )
    return of_ids[ids.place], TotalsOfUnits(
        of_totals, passed.n_positives / scale, every
    )


def unit_numbers(
    unit_id: ArrayLike | None, rows: CheckedRows, n_positives: PerRanking = None
) -> tuple[IntArray | None, FloatArray | None]:
    """Return two arrays, with an element for each row and then one for each unit that
    missed positives: the number of the unit, in the order of the ids of the units, and
    how many rows or missed positives the element stands for.

    `unit_id` has an id for each row that was passed, and `n_positives` the total of
    each unit. Without totals, the second array is None; without units, both are.
    """
    if unit_id is None:
        return None, None
    if has_columns(unit_id):
        raise ValueError(
            "unit_id must have one id per row for a threshold or a band; got the shape "
            f"{np.shape(unit_id)}. Two columns are accepted by estimate_score and by "
            "comparisons."
        )
    ids = rows.read_ids(unit_id, "unit_id")
    passed = read_totals(n_positives)
    if passed is None:
        return ids.place, None
    if rows.weight is not None:
        raise ValueError(
            "with n_positives and unit_id, sample_weight must be omitted, because the "
            "weight of missed positives is unknown; got "
            f"n_positives={short_repr(n_positives)}."
        )
    if passed.names is None:
        raise error_without_units(n_positives)
    unit, totals = totals_of_units(ids, passed._replace(units=passed.names))
    own: Any = totals.units_of(unit, rows.positive)
    has_missed = own.missed > 0
    copies = np.append(np.ones(unit.size), own.missed[has_missed])
    return np.append(unit, own.units[has_missed]), copies

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
    """The units that have rows or missed positives in one ranking."""

    # Number of the unit of each row, among the units of this ranking.
    unit_of_row: IntArray
    # Number of each unit of this ranking, among all units.
    unit_numbers: IntArray
    # Number of all units.
    n_units: int
    # How many positives each unit of this ranking missed.
    missed_by_unit: FloatArray


def without_missed(unit_of_row: IntArray | None) -> UnitsOfRanking | None:
    """Return the units of a ranking that has rows of all units, and no missed
    positives; None if each row is a unit.
    """
    if unit_of_row is None:
        return None
    n_units = int(unit_of_row.max()) + 1
    numbers = np.arange(n_units)
    return UnitsOfRanking(unit_of_row, numbers, n_units, np.zeros(n_units))


class OwnedPositives(NamedTuple):
    """The positives that units own, found or missed, which are those of `n_positives`:
    a number for each unit or, with queries, for each pair of a query and a unit.
    """

    # The unit of each number of positives.
    unit: IntArray
    n_positives: FloatArray


class Units(NamedTuple):
    """The units of the rows of a call."""

    # Number of the unit of each row. None if each row is a unit; if each query is one,
    # for a mean over queries; and if each row belongs to two (`columns`).
    of_rows: IntArray | None = None
    # The id of each unit, by its number; None if the caller passed none. Samples with
    # rows of their own are joined by them.
    ids: AnyArray | None = None
    # None if `n_positives` has no totals of units.
    owned: OwnedPositives | None = None
    # Number of queries, if every sample has the same queries; else 0.
    n_fixed_queries: int = 0
    # Number of the unit of each query, which is that of its last row or total; None
    # without queries.
    of_queries: IntArray | None = None
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

    def in_ranking(
        self,
        positive: BoolArray,
        rows: IntArray | slice = slice(None),
        places: IntArray | slice = slice(None),
        of_query: str = "",
    ) -> UnitsOfRanking:
        """Return the units of a ranking, with the number of positives that each of them
        missed. `rows` are the places of its rows among all rows, and `positive` are
        their labels; `places` are those of its numbers of owned positives.
        """
        of_all_rows: Any = self.of_rows
        ids: Any = self.ids
        if self.owned is None:
            units, of_rows = np.unique(of_all_rows[rows], return_inverse=True)
            return UnitsOfRanking(of_rows, units, ids.size, np.zeros(units.size))
        of_owned = self.owned.unit[places]
        units, numbers = np.unique(
            np.append(of_all_rows[rows], of_owned), return_inverse=True
        )
        of_rows, of_owned = np.split(numbers, [positive.size])
        n_positives = sums_of(self.owned.n_positives[places], of_owned, units.size)
        found = sums_of(positive.astype(np.float64), of_rows, units.size)
        missed = n_positives - found
        is_wrong = (missed < 0) | (n_positives != np.rint(n_positives))
        if is_wrong.any():
            i = int(is_wrong.argmax())
            raise ValueError(
                "n_positives of units must be whole numbers, without sample_weight, "
                "that are not below the positives in y_true; got "
                f"{n_positives[i]:g} for {as_list(ids[units])[i]!r}{of_query}, where "
                f"{found[i]:g} were found."
            )
        return UnitsOfRanking(of_rows, units, ids.size, missed)


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
    if call.unit_totals is not None:
        return _with_queries(_with_owned(ids, call.unit_totals, call.scale), call)
    # If each unit has a single row, rows are the units.
    if call.queries is None and ids.distinct.size == ids.place.size:
        return Units(ids=ids.of_rows)
    return _with_queries(Units(ids.place, ids.distinct), call)


def _with_owned(ids: Ids, totals: PassedTotals, scale: float = 1.0) -> Units:
    """Return the units that have rows, whose ids are these, or totals. The totals are
    divided by `scale`.
    """
    names = names_like(ids.distinct.dtype, totals.units or [])
    every, (of_ids, of_totals) = numbered_together(
        [ids.distinct, names], "unit_id with the units of n_positives"
    )
    owned = OwnedPositives(of_totals, totals.n_positives / scale)
    return Units(of_ids[ids.place], every, owned)


def _with_queries(units: Units, call: ScoreCall) -> Units:
    """Return the units with their queries, if there are queries.

    Queries are fixed if a query contains several units. If each query belongs to one
    unit, queries are drawn with their units.
    """
    queries, unit = call.queries, units.of_rows
    if queries is None or unit is None:
        return units
    query = queries.with_rows[call.checked.numbers_of_queries()]
    if units.owned is not None:
        query = np.append(query, queries.total_places)
        unit = np.append(unit, units.owned.unit)
    of_queries = np.full(queries.ids.size, -1)
    of_queries[query] = unit
    n_fixed, is_unknown = 0, of_queries < 0
    if (unit != of_queries[query]).any():
        n_fixed = queries.ids.size
    elif is_unknown.any():
        raise ValueError(
            "n_positives must have the unit of each query without rows if unit_id is "
            "passed, such as {(query, unit): total}; got "
            f"{short_repr(call.inputs.n_positives)}, without that of the query "
            f"{as_list(queries.ids[is_unknown])[0]!r}."
        )
    return units._replace(of_queries=of_queries, n_fixed_queries=n_fixed)


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
        of_one = _with_queries(Units(place, number), call)
        of_one = of_one._replace(n_fixed_queries=n_fixed)
    return Units(
        ids=every,
        # If one column has units that contain whole queries, queries are drawn.
        n_fixed_queries=min(units.n_fixed_queries for units in columns),
        columns=columns,
        undirected=undirected,
        of_one=of_one,
    )


def units_of_ranking(
    unit_id: ArrayLike | None, rows: CheckedRows, n_positives: PerRanking = None
) -> UnitsOfRanking | None:
    """Return the units of rows that are a single ranking; None without `unit_id`, which
    has an id for each row that was passed. `n_positives` has the total of each unit;
    without it, no positives are missed.
    """
    if unit_id is None:
        return None
    if has_columns(unit_id):
        raise ValueError(
            "unit_id must have one id per row for a threshold or a band; got the shape "
            f"{np.shape(unit_id)}. Two columns are accepted by estimate_score and by "
            "comparisons."
        )
    ids = rows.read_ids(unit_id, "unit_id")
    passed = read_totals(n_positives)
    if passed is None:
        return without_missed(ids.place)
    if rows.weight is not None:
        raise ValueError(
            "with n_positives and unit_id, sample_weight must be omitted, because the "
            "weight of missed positives is unknown; got "
            f"n_positives={short_repr(n_positives)}."
        )
    if passed.names is None:
        raise error_without_units(n_positives)
    return _with_owned(ids, passed.of_units()).in_ranking(rows.positive)

"""A call of a score of this package, and the units of its rows. Rows are read and
checked once, and ranked only when the score is needed.

A unit is a row, a cluster of rows, a query, or a row of a label matrix.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import frexp
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn import metrics

from ..._core.definition import Definition
from ..._core.evaluate import Averaging, rankings_in
from ..._core.ranking.keys import RowOrder
from ..._core.reading.frames import warn_of_other_order
from ..._core.reading.ids import (
    Ids,
    as_list,
    has_columns,
    names_like,
    numbered_together,
)
from ..._core.reading.options import read_zero_division, short_repr
from ..._core.reading.per_ranking import PassedTotals, Queries, queries_of, read_totals
from ..._core.reading.read import CheckedRows, read
from ..._core.reading.values import on_host
from ..._core.registry import SCORES, name_of, read_arguments
from ..._core.scorer_names import function_of, read_name
from ..._core.scorers import score_named_elsewhere
from ..._core.scores import average_precision_score
from ..._core.typing import (
    AnyArray,
    Average,
    BoolArray,
    FloatArray,
    IntArray,
    PassedRows,
    PerRanking,
    ScoreFunction,
    ZeroDivision,
)
from .by_unit import sums_of

UNDEFINED = "y_true contains no positive samples; a standard error is undefined."


# A frozen class would take longer to create.
@dataclass(eq=False)
class ScoreCall:
    """A call of a score of this package, with its rows."""

    # The name of the score.
    name: str
    definition: Definition
    inputs: PassedRows
    # The score of a ranking without positives, or "warn".
    zero_division: ZeroDivision
    # The rows, with the weights as the caller passed them.
    given: CheckedRows
    # The rows with weights divided by `scale`, so that their squares do not overflow.
    # If all weights are equal, the weight is None.
    checked: CheckedRows
    # How the scores of rankings are averaged; "micro" if there is a single ranking.
    average: Average
    # The divisor of the weights.
    scale: float
    # The numbers of positives that were passed as `n_positives`, not divided by
    # `scale`. Without queries, their names are those of units.
    totals: PassedTotals | None
    # The order of all rows as a single ranking, if they were sorted before.
    order: RowOrder | None = None

    @property
    def is_mean(self) -> bool:
        """Whether the score is a mean over queries, or over the rows of a label matrix.
        False for a mean over columns.
        """
        return self.average == "samples" or (
            self.checked.query is not None and self.average != "micro"
        )

    @property
    def undefined(self) -> float:
        """Score of a ranking without positives."""
        return 0.0 if self.zero_division == "warn" else float(self.zero_division)

    @property
    def by_unit(self) -> PassedTotals | None:
        """The totals, if each is that of a unit; else None."""
        totals = self.totals
        return None if totals is None or totals.units is None else totals

    @cached_property
    def queries(self) -> Queries | None:
        """The queries that have rows or totals; None without queries."""
        rows = self.checked
        if rows.query is None:
            return None
        return queries_of(rows.query, rows.passed_query, self.totals)

    @cached_property
    def prevalence(self) -> float:
        """Share of positives among the rows, in the weights of the caller."""
        rows = self.checked
        return float(np.average(rows.positive, axis=0, weights=rows.weight).mean())

    @cached_property
    def values(self) -> tuple[FloatArray, Averaging]:
        """The score of each ranking, and the rule by which the scores are averaged."""
        rankings, averaging = rankings_in(
            self.given,
            self.totals,
            average=self.average,
            definition=self.definition,
            order=self.order,
        )
        return self.definition.compute(rankings), averaging

    @cached_property
    def score(self) -> float:
        """The score that the public function returns for these rows, with its errors
        and warnings.
        """
        values, averaging = self.values
        score: Any = averaging.average(
            values,
            zero_division=self.zero_division,
            caller=self.name,
            reference=None,
        )
        return float(score)


def read_call(
    score_func: ScoreFunction,
    y_true: ArrayLike,
    y_score: ArrayLike,
    params: Mapping[str, Any],
    caller: str = "estimate_score",
) -> ScoreCall:
    """Return the call of a score of this package, after its rows are read and checked.

    `caller` is the public function that errors name.
    """
    definition, inputs, zero_division = read_arguments(
        score_func, y_true, y_score, params, caller
    )
    read_zero_division(zero_division)
    given = read(inputs, caller=caller)
    average = inputs.average
    is_single = given.positive.ndim == 1 and given.query is None
    if is_single:
        # As in scikit-learn, binary labels are one ranking with any `average`.
        average = "micro"
    if average is None:
        raise ValueError(
            "average must not be None, because the score must be a single number; got "
            "None. Pass one class, column or query at a time, such as "
            "np.asarray(y_true) == label."
        )
    if not given.positive.any():
        raise ValueError(UNDEFINED)
    totals = read_totals(inputs.n_positives, given.query)
    # The default index of a Series of one total is no unit.
    if is_single and totals is not None and totals.names not in (None, [0]):
        totals = totals._replace(units=totals.names)
    checked, scale = _scaled(given)
    name = name_of(score_func)
    return ScoreCall(
        name, definition, inputs, zero_division, given, checked, average, scale, totals
    )


def _scaled(given: CheckedRows) -> tuple[CheckedRows, float]:
    """Return the rows with weights of at most 2, and the divisor of the weights.

    If all weights are equal, rows are counted, and have no weights.
    """
    if given.weight is None:
        return given, 1.0
    scale = float(given.weight.max())
    if given.weight.min() == scale:
        return given._replace(weight=None), scale
    # A division by a power of 2 is exact, so recalls reach the same levels as with the
    # weights of the caller.
    _, exponent = frexp(scale)
    scale = 2.0 ** (exponent - 1)
    return given._replace(weight=given.weight / scale), scale


# --- the score ------------------------------------------------------------------------


def package_score(
    score_func: str | ScoreFunction, params: Mapping[str, Any]
) -> tuple[ScoreFunction, Mapping[str, Any]]:
    """Return a score of this package and its arguments, from its name or function;
    raise ValueError for other functions.
    """
    function: Any
    if isinstance(score_func, str):
        _check_not_convention(score_func)
    function, arguments = function_of(score_func, params)
    # scikit-learn's average precision is that of our function with the same name.
    if function is metrics.average_precision_score:
        function = average_precision_score
    # Compare scores by identity, since a callable may have no hash.
    if not any(function is score for score in SCORES):
        raise ValueError(
            "score_func must be a score of this package, or its name; got "
            f"{name_of(function)}. For any other function f, "
            "scipy.stats.bootstrap((y_true, y_score), f, paired=True) returns an "
            "interval, and scipy.stats.permutation_test a test."
        )
    return function, arguments


def _check_not_convention(name: str) -> None:
    """Raise ValueError if this is the name of a convention, which `get_scorer` takes,
    and not that of a score.
    """
    if read_name(name):
        return
    try:
        score, options = score_named_elsewhere(name, {"k": 1})
    except ValueError:
        return
    advice = f"score_as({name!r}, ...) returns its number, without an interval"
    if "voc" in name.lower():
        advice = (
            "its area is 'interpolated_average_precision', with "
            "recall_levels=np.arange(0, 1.1, 0.1) for VOC 2007"
        )
    elif any(score is each for each in SCORES):
        arguments = [f"{option}={value!r}" for option, value in options.items()]
        advice = f"pass {', '.join([score.__name__, *arguments])}"
    raise ValueError(
        "score_func must be a score of this package, or its name; got the convention "
        f"{name!r}: {advice}."
    )


# --- units ----------------------------------------------------------------------------


class TotalsOfUnits(NamedTuple):
    """The totals of positives of units, which are those of `n_positives`."""

    # Number of the unit of each total.
    unit: IntArray
    number: FloatArray
    # The id of each unit that has rows or a total, by its number.
    ids: AnyArray

    def missed(
        self,
        unit: IntArray,
        positive: BoolArray,
        totals: IntArray | slice = slice(None),
        of_query: str = "",
    ) -> tuple[IntArray, IntArray, FloatArray]:
        """Return the units of the rows and totals of a ranking, the number of the unit
        of each row among them, and the number of missed positives of each of them.
        """
        n_rows, number = unit.size, self.number[totals]
        units, place = np.unique(
            np.append(unit, self.unit[totals]), return_inverse=True
        )
        total = sums_of(number, place[n_rows:], units.size)
        found = sums_of(positive.astype(np.float64), place[:n_rows], units.size)
        is_wrong = (total < found) | (total != np.rint(total))
        if is_wrong.any():
            i = int(is_wrong.argmax())
            raise ValueError(
                "n_positives of units must be whole numbers, without sample_weight, "
                f"that are not below the positives in y_true; got {total[i]:g} for "
                f"{as_list(self.ids[units])[i]!r}{of_query}, where {found[i]:g} were "
                "found."
            )
        return units, place[:n_rows], total - found


class Units(NamedTuple):
    """The units of the rows of a call."""

    # Number of the unit of each row. None if each row is a unit or, for a mean over
    # queries, if each query is a unit.
    of_rows: IntArray | None = None
    # Number of queries, if every sample has the same queries; else 0.
    n_fixed_queries: int = 0
    # The id of each unit, by its number; None if the caller passed none. Samples with
    # rows of their own are joined by them.
    ids: AnyArray | None = None
    # None if `n_positives` has no totals of units.
    totals: TotalsOfUnits | None = None


class UnitsOfPairs(NamedTuple):
    """The units of the rows of a call, if each row belongs to two units."""

    # The ids of the units of both columns.
    ids: AnyArray
    # The units of each column. Their `ids` are numbers of units.
    columns: Sequence[Units]
    # The units of the rows of a unit with itself, which both columns contain. Any other
    # row is a unit of its own, with a number above those of all ids. None without rows
    # of a unit with itself.
    of_one: Units | None = None


def read_units(unit_id: ArrayLike | None, call: ScoreCall) -> Units | UnitsOfPairs:
    """Return the units of the rows that are not dropped, and whether queries are fixed.

    If `unit_id` has two columns, each row belongs to two units, such as both items of a
    pair.
    """
    rows, passed = call.checked, call.by_unit
    if unit_id is None:
        if passed is not None:
            raise ValueError(
                "n_positives requires unit_id if it has a total for each unit; got "
                f"{short_repr(passed.passed)}."
            )
        return Units()
    warn_of_other_order({"y_true": call.inputs.y_true, "unit_id": unit_id})
    if has_columns(unit_id):
        return _read_pairs(on_host("unit_id", unit_id), call)
    ids = rows.read_ids(unit_id, "unit_id")
    unit, every, totals = ids.place, ids.distinct, None
    if passed is not None:
        unit, totals = totals_of_units(ids, passed, call.scale)
        every = totals.ids
    queries = call.queries
    if queries is None:
        # If each unit has a single row, rows are the units.
        if totals is None and every.size == unit.size:
            return Units(ids=ids.of_rows)
        return Units(unit, ids=every, totals=totals)
    query, of_all = rows.numbers_of_queries(), unit
    if totals is not None:
        of_rows = np.flatnonzero(queries.has_rows)[query]
        query = np.append(of_rows, queries.total_places)
        of_all = np.append(unit, totals.unit)
    return Units(unit, _n_fixed_queries(query, of_all), every, totals)


def _read_pairs(unit_id: ArrayLike, call: ScoreCall) -> UnitsOfPairs:
    """Return the units of rows that belong to two units each. An id that is in both
    columns is one unit.
    """
    pairs, n_rows = np.asarray(unit_id), call.checked.n_passed
    if pairs.shape != (n_rows, 2):
        raise ValueError(
            f"unit_id must have the shape ({n_rows},) or, if each row belongs to two "
            f"units, ({n_rows}, 2); got {pairs.shape}."
        )
    if call.inputs.n_positives is not None:
        raise ValueError(
            "n_positives must be omitted if unit_id has two columns, because the units "
            "of missed positives are unknown; got "
            f"{short_repr(call.inputs.n_positives)}."
        )
    of_columns = [
        call.checked.read_ids(column, f"unit_id[:, {i}]")
        for i, column in enumerate(pairs.T)
    ]
    every, numbers = numbered_together([ids.distinct for ids in of_columns], "unit_id")
    columns, query = [], call.checked.query
    for number, ids in zip(numbers, of_columns, strict=True):
        n_fixed = 0 if query is None else _n_fixed_queries(query.place, ids.place)
        columns.append(Units(ids.place, n_fixed, number))
    first, second = (
        number[ids.place] for number, ids in zip(numbers, of_columns, strict=True)
    )
    is_one, of_one = first == second, None
    if is_one.any():
        others = every.size + np.arange(first.size)
        number, place = np.unique(np.where(is_one, first, others), return_inverse=True)
        n_fixed = max(units.n_fixed_queries for units in columns)
        of_one = Units(place, n_fixed, number)
    return UnitsOfPairs(every, columns, of_one)


def _n_fixed_queries(query: IntArray, unit: IntArray) -> int:
    """Return the number of queries if they are fixed, else 0. `query` and `unit` have
    the numbers of the query and of the unit of each row, or total.

    Queries are fixed if units have rows or totals in several queries, or if queries
    contain several units. If each query belongs to one unit, queries are drawn with
    their units.
    """
    # The unit of the last row of each query.
    of_queries = np.zeros(query.max() + 1, dtype=unit.dtype)
    of_queries[query] = unit
    return of_queries.size if (unit != of_queries[query]).any() else 0


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
    return of_ids[ids.place], TotalsOfUnits(of_totals, passed.numbers / scale, every)


def unit_numbers(
    unit_id: ArrayLike | None, rows: CheckedRows, n_positives: PerRanking = None
) -> IntArray | None:
    """Return the number of the unit of each row, in the order of the ids of the units,
    and then of each missed positive. `unit_id` has an id for each row that was passed,
    and `n_positives` the total of each unit; or they are None.
    """
    if unit_id is None:
        return None
    ids = rows.read_ids(unit_id, "unit_id")
    passed = read_totals(n_positives)
    if passed is None:
        return ids.place
    if passed.names is None or rows.weight is not None:
        raise ValueError(
            "n_positives must be a mapping {unit: total}, without sample_weight, if "
            "unit_id is passed, because otherwise the unit or the weight of missed "
            f"positives is unknown; got {short_repr(n_positives)}."
        )
    unit, totals = totals_of_units(ids, passed._replace(units=passed.names))
    units, _, missed = totals.missed(unit, rows.positive)
    return np.append(unit, units.repeat(missed.astype(np.int64)))

"""A call of a score of this package, and the units of its rows. Rows are read and
checked once, and ranked only when the score is needed.

A unit is a row, a cluster of rows, a query, or a row of a label matrix.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from math import frexp
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn import metrics

from ..._core.areas.area import Area
from ..._core.definition import Definition
from ..._core.evaluate import Averaging, rankings_in
from ..._core.ranking.keys import RowOrder
from ..._core.reading.frames import warn_of_other_order
from ..._core.reading.options import read_zero_division
from ..._core.reading.per_ranking import PassedTotals, read_totals
from ..._core.reading.read import CheckedRows, read
from ..._core.registry import SCORES, name_of, parameters_of
from ..._core.scorer_names import function_of, read_name
from ..._core.scorers import score_named_elsewhere
from ..._core.scores import average_precision_score
from ..._core.typing import (
    AnyArray,
    Average,
    AveragedScore,
    FloatArray,
    IntArray,
    PassedRows,
    ScoreFunction,
)

UNDEFINED = "y_true contains no positive samples; a standard error is undefined."


# A frozen class would take longer to create.
@dataclass(eq=False)
class ScoreCall:
    """A call of a score of this package, with its rows."""

    # The name of the score.
    name: str
    definition: Definition
    inputs: PassedRows
    # The rows, with the weights as the caller passed them.
    given: CheckedRows
    # The rows with weights divided by `scale`, so that their squares do not overflow.
    # If all weights are equal, the weight is None.
    checked: CheckedRows
    # How the scores of rankings are averaged; "micro" if there is a single ranking.
    average: Average
    # The divisor of the weights.
    scale: float
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
        zero_division = self.inputs.zero_division
        return 0.0 if zero_division == "warn" else float(zero_division)

    @property
    def totals(self) -> PassedTotals | None:
        """The numbers of positives that were passed as `n_positives`, not divided by
        `scale`.
        """
        return read_totals(self.inputs.n_positives)

    @cached_property
    def values(self) -> tuple[FloatArray, Averaging]:
        """The score of each ranking, and the rule by which the scores are averaged."""
        rankings, averaging = rankings_in(
            self.given,
            self.inputs.n_positives,
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
            zero_division=self.inputs.zero_division,
            caller=self.name,
            reference=None,
        )
        return float(score)


def read_call(
    score_func: AveragedScore,
    y_true: ArrayLike,
    y_score: ArrayLike,
    params: Mapping[str, Any],
    caller: str = "estimate_score",
) -> ScoreCall:
    """Return the call of a score of this package, after its rows are read and checked.

    `caller` is the public function that errors name.
    """
    parameters_of(score_func, params, caller)
    definition, inputs = score_func.bind(y_true, y_score, **params)
    _check_endpoints(score_func.__name__, definition.area)
    read_zero_division(inputs.zero_division)
    given = read(inputs, caller=caller)
    average = inputs.average
    if given.positive.ndim == 1 and given.query is None:
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
    checked, scale = _scaled(given)
    return ScoreCall(
        score_func.__name__, definition, inputs, given, checked, average, scale
    )


def _check_endpoints(name: str, area: Area) -> None:
    """Raise ValueError if the score may leave [0, 1], where all intervals end."""
    if (area.lowest, area.highest) != (0, 1):
        raise ValueError(
            f"{name} has no interval here: intervals end at 0 and 1, and this score has "
            f"values from {area.lowest:g} to {area.highest:g}. scipy.stats.bootstrap("
            "(y_true, y_score), f, paired=True) returns one for any function f."
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


# --- the score --------------------------------------------------------------------------


def package_score(
    score_func: str | ScoreFunction, params: Mapping[str, Any]
) -> tuple[AveragedScore, Mapping[str, Any]]:
    """Return a score of this package and its arguments, from its name or function;
    raise ValueError for other functions.
    """
    function: Any
    if isinstance(score_func, str) and _is_convention(score_func):
        raise ValueError(
            "score_func must be a score of this package, or its name; got the convention "
            f"{score_func!r}, which has no interval. The area of VOC is "
            "'interpolated_average_precision', with "
            "recall_levels=np.arange(0, 1.1, 0.1) for VOC 2007."
        )
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


def _is_convention(name: str) -> bool:
    """Return whether this is the name of a convention, which `get_scorer` takes, and
    not that of a score.
    """
    if read_name(name):
        return False
    with suppress(ValueError):
        score_named_elsewhere(name, {"k": 1})
        return True
    return False


# --- units ------------------------------------------------------------------------------


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


def read_units(unit_id: ArrayLike | None, call: ScoreCall) -> Units:
    """Return the units of the rows that are not dropped, and whether queries are fixed.

    Queries are fixed if units have rows in several queries, or if queries contain
    several units. If each query belongs to one unit, queries are drawn with their
    units.
    """
    if unit_id is None:
        return Units()
    warn_of_other_order({"y_true": call.inputs.y_true, "unit_id": unit_id})
    ids = call.checked.read_ids(unit_id, "unit_id")
    unit = ids.place
    if call.checked.query is None:
        # If each unit has a single row, rows are the units.
        if ids.distinct.size == unit.size:
            return Units(ids=ids.of_rows)
        return Units(unit, ids=ids.distinct)
    query = call.checked.query.place
    # The unit of the last row of each query.
    of_queries = np.zeros(query.max() + 1, dtype=unit.dtype)
    of_queries[query] = unit
    if (unit == of_queries[query]).all():
        return Units(unit, ids=ids.distinct)
    return Units(unit, of_queries.size, ids.distinct)


def unit_numbers(unit_id: ArrayLike | None, rows: CheckedRows) -> IntArray | None:
    """Return the number of the unit of each row, in the order of the ids of the units.
    `unit_id` has an id for each row that was passed, or is None.
    """
    if unit_id is None:
        return None
    return rows.read_ids(unit_id, "unit_id").place

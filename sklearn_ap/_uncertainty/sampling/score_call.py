"""A call of a score of this package. Its rows are read and checked once, and ranked
only when the score is needed.

The totals that are passed as `n_positives` have two uses. `ScoreCall.values` matches
them to the rankings, for the score. For intervals, `units.units_of` matches totals of
units to the units of the rows. `Units.missed_by_unit` counts the positives that units
missed, and `ranking.ranking_of_rows` those that a ranking of single rows missed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from math import frexp
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..._core.definition import Definition
from ..._core.evaluate import Averaging, rankings_in
from ..._core.ranking.keys import RowOrder
from ..._core.ranking.rank import rank
from ..._core.reading.per_ranking import PassedTotals, Queries, queries_of
from ..._core.reading.read import CheckedRows, read
from ..._core.registry import function_name_of, read_arguments
from ..._core.rounding import EQUAL
from ..._core.typing import (
    Average,
    FloatArray,
    PassedRows,
    ScoreFunction,
    ZeroDivision,
)


# A frozen class would take longer to create.
@dataclass(eq=False)
class ScoreCall:
    """A call of a score of this package, with its rows."""

    # The name of the score.
    name: str
    definition: Definition
    # The arguments of the call that have rows or totals, before they are read.
    inputs: PassedRows
    # The score of a ranking without positives, or "warn".
    zero_division: ZeroDivision
    # The rows with the weights of the caller, which the score needs. Their totals are
    # those of rankings, of units or, with queries, of pairs of a query and a unit.
    rows: CheckedRows
    # The rows that contributions need: squares of their weights do not overflow. If all
    # weights are equal, rows and totals are counted, and the weight is None.
    scaled_rows: CheckedRows
    # How the scores of rankings are averaged; "micro" for one column without queries.
    average: Average
    # The order of all rows as a single ranking, if they were sorted before.
    order: RowOrder | None = None

    @property
    def is_mean_of_queries(self) -> bool:
        """Whether the score is a mean over queries, or over the rows of a label matrix.
        False for a mean over columns.
        """
        return self.average == "samples" or (
            self.rows.query is not None and self.average != "micro"
        )

    @property
    def undefined(self) -> float:
        """Score of a ranking without positives."""
        return 0.0 if self.zero_division == "warn" else float(self.zero_division)

    @property
    def unit_totals(self) -> PassedTotals | None:
        """The totals, if each is of a unit, or of a query and a unit; else None."""
        totals = self.scaled_rows.totals
        return None if totals is None or totals.units is None else totals

    @cached_property
    def queries(self) -> Queries | None:
        """The queries that have rows or totals; None without queries."""
        rows = self.rows
        if rows.query is None:
            return None
        return queries_of(rows.query, rows.passed_query, rows.totals)

    @cached_property
    def sample_prevalence(self) -> float:
        """Share of positives in the weight of all rows; of columns, the mean share. The
        prevalence for which the score is computed is `definition.prevalence`.
        """
        rows = self.scaled_rows
        return float(np.average(rows.positive, axis=0, weights=rows.weight).mean())

    @cached_property
    def values(self) -> tuple[FloatArray, Averaging]:
        """The score of each ranking, and the rule by which the scores are averaged."""
        rankings, averaging = rankings_in(
            self.rows,
            average=self.average,
            definition=self.definition,
            ranker=partial(rank, order=self.order),
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
        )
        return float(score)


def read_call(
    score_func: ScoreFunction,
    y_true: ArrayLike,
    y_score: ArrayLike,
    params: Mapping[str, Any],
    *,
    caller: str = "estimate_score",
    unit_id: ArrayLike | None = None,
) -> ScoreCall:
    """Return the call of a score of this package, after its rows are read and checked.

    `caller` is the public function that errors name.
    """
    definition, inputs, zero_division = read_arguments(
        score_func, y_true, y_score, params, caller
    )
    rows = read(inputs._replace(unit_id=unit_id), caller=caller)
    average = inputs.average
    if rows.positive.ndim == 1 and rows.query is None:
        # As in scikit-learn, binary labels are one ranking with any `average`.
        average = "micro"
    if average is None:
        raise ValueError(
            "average must not be None, because the score must be a single number; got "
            "None. Pass one class, column or query at a time, such as "
            "np.asarray(y_true) == label."
        )
    if not rows.positive.any():
        raise ValueError(
            "y_true contains no positive samples; a standard error is undefined."
        )
    return ScoreCall(
        name=function_name_of(score_func),
        definition=definition,
        inputs=inputs,
        zero_division=zero_division,
        rows=rows,
        scaled_rows=scaled(rows),
        average=average,
    )


def scaled(rows: CheckedRows) -> CheckedRows:
    """Return the rows with weights of at most 2.

    If all weights are equal, rows are counted, and have no weights. So are totals: a
    rounding error of a whole number is removed.
    """
    weight, totals = rows.weight, rows.totals
    scale = 1.0 if weight is None else float(weight.max())
    if weight is not None and weight.min() < scale:
        # A division by a power of 2 is exact, so recalls reach the same levels as with
        # the weights of the caller.
        _, exponent = frexp(scale)
        return rows._replace(weight=weight / 2.0 ** (exponent - 1))
    if totals is not None:
        exact = totals.n_positives / scale
        whole = np.rint(exact)
        numbers = np.where(np.isclose(exact, whole, EQUAL, 0.0), whole, exact)
        totals = totals._replace(n_positives=numbers)
    return rows._replace(weight=None, totals=totals)

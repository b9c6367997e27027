"""A call of a score of this package. Its rows are read and checked once, and ranked
only when the score is needed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from math import frexp
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn import metrics

from ..._core.definition import Definition
from ..._core.evaluate import Averaging, rankings_in
from ..._core.ranking.keys import RowOrder
from ..._core.ranking.rank import rank
from ..._core.reading.options import read_zero_division
from ..._core.reading.per_ranking import PassedTotals, Queries, queries_of, read_totals
from ..._core.reading.read import CheckedRows, read
from ..._core.registry import SCORES, name_of, read_arguments
from ..._core.scorer_names import function_of
from ..._core.scores import average_precision_score
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
    inputs: PassedRows
    # The score of a ranking without positives, or "warn".
    zero_division: ZeroDivision
    # The rows, with the weights as the caller passed them.
    given: CheckedRows
    # The rows with weights divided by `scale`, so that their squares do not overflow.
    # If all weights are equal, the weight is None.
    checked: CheckedRows
    # How the scores of rankings are averaged; "micro" for one column without queries.
    average: Average
    # The divisor of the weights.
    scale: float
    # The numbers of positives that were passed as `n_positives`, not divided by
    # `scale`. Those of a single ranking without queries may be those of units.
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
    def unit_totals(self) -> PassedTotals | None:
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
        raise ValueError(
            "y_true contains no positive samples; a standard error is undefined."
        )
    totals = read_totals(inputs.n_positives, given.query)
    # The only name 0 of a Series is its default index, and no unit. A mapping has none.
    has_default = not isinstance(inputs.n_positives, Mapping)
    if is_single and totals and not (has_default and totals.names in (None, [0])):
        totals = totals.of_units()
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

"""A call of a score of this package. Its rows are read and checked once, and ranked
only when the score is needed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import frexp
from typing import Any

from numpy.typing import ArrayLike

from ..._core.areas.area import Area
from ..._core.definition import Definition
from ..._core.evaluate import Averaging, rankings_in
from ..._core.ranking.keys import RowOrder
from ..._core.reading.options import read_zero_division
from ..._core.reading.per_ranking import PassedTotals, read_totals
from ..._core.reading.read import CheckedRows, read
from ..._core.registry import parameters_of
from ..._core.typing import (
    Average,
    AveragedScore,
    FloatArray,
    PassedRows,
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
    # If all weights are equal, there are none.
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

"""A call of one of our scores: its rows are read once, and ranked where they are
needed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import frexp
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike

from .._core.definition import Definition
from .._core.evaluate import Averaging, rankings_in
from .._core.reading.options import read_zero_division
from .._core.reading.per_ranking import PassedTotals, read_totals
from .._core.reading.read import CheckedRows, read
from .._core.registry import arguments_of, definition_of, name_of
from .._core.typing import Average, BoolArray, FloatArray, PassedRows, ScoreFunction
from .results import UNDEFINED

_MOST_GAPS = 1_000  # between positives, which show whether an order is regular
_FEWEST_RUNS = (
    4  # of positives; labels that are sorted, also in a few parts, have fewer
)


@dataclass(eq=False)  # frozen ones take longer to make
class ScoreCall:
    """A call of one of our scores, whose rows were read."""

    name: str  # of the score
    definition: Definition
    inputs: PassedRows
    given: CheckedRows  # with the weights of the caller
    checked: CheckedRows
    average: Average  # "micro" if there is a single ranking
    scale: float  # what the weights were divided by, so that squares stay within range

    @property
    def is_mean(self) -> bool:
        """Whether the score is a mean over queries, or over the rows of a label
        matrix.
        """
        return self.average == "samples" or (
            self.checked.query is not None and self.average != "micro"
        )

    @property
    def undefined(self) -> float:
        """The number of rankings without positives."""
        zero_division = self.inputs.zero_division
        return 0.0 if zero_division == "warn" else float(zero_division)

    def share_of_positives(self, n_missed: float) -> float | None:
        """Return the share of positives; None of columns, and of means with totals."""
        positive, _, _, weight, *_ = self.checked
        has_totals = self.is_mean and self.inputs.n_positives is not None
        if positive.ndim > 1 or has_totals or positive.all():
            return None
        found = positive.size * np.average(positive, weights=weight)
        return float((found + n_missed) / (positive.size + n_missed))

    @property
    def totals(self) -> PassedTotals | None:
        """The positives that were stated, in the weights of the caller."""
        return read_totals(self.inputs.n_positives)

    @cached_property
    def values(self) -> tuple[FloatArray, Averaging]:
        """The number of each ranking, and how these are averaged."""
        rankings, averaging = rankings_in(
            self.given,
            self.inputs.n_positives,
            average=self.average,
            definition=self.definition,
        )
        return self.definition.compute(rankings), averaging

    @cached_property
    def score(self) -> float:
        """The score, with its errors and warnings."""
        values, averaging = self.values
        score: Any = averaging.average(
            values,
            zero_division=self.inputs.zero_division,
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
    """Read the rows of a score of this package, for a public function."""
    arguments = arguments_of(score_func, params)
    if arguments is None:  # an argument is wrong, which the score itself refuses
        score_func(y_true, y_score, **params)
    assert arguments is not None, params
    options = {
        name: arguments[name] for name in PassedRows._fields if name in arguments
    }
    inputs = PassedRows(y_true, y_score, **options)
    read_zero_division(inputs.zero_division)
    name = name_of(score_func)
    checked = given = read(inputs, caller=caller)
    average = inputs.average
    scale = 1.0
    if not checked.positive.any():
        raise ValueError(UNDEFINED)
    if checked.weight is not None:
        scale = float(checked.weight.max())
        weight = None  # equal weights are counts
        if checked.weight.min() < scale:
            # rounds nothing, so recalls reach the same levels
            scale = 2.0 ** (frexp(scale)[1] - 1)
            weight = checked.weight / scale
        checked = checked._replace(weight=weight)
    if checked.positive.ndim == 1 and checked.query is None:
        # as in scikit-learn, binary labels are one ranking with any `average`
        average = "micro"
    if average is None:
        raise ValueError(
            "average must not be None, since the score must be a single number; got None. Pass one class, "
            "column or query at a time, such as np.asarray(y_true) == label."
        )
    definition = definition_of(score_func, arguments)
    return ScoreCall(name, definition, inputs, given, checked, average, scale)


def order_of_labels(positive: BoolArray) -> int | None:
    """Return a checksum of labels in their order, which other labels do not have; None
    if the order is regular, so that other rows may have it, too, such as sorted labels,
    or a positive first in each query of ten rows.
    """
    gaps = np.diff(np.flatnonzero(positive)[: _MOST_GAPS + 1])
    if np.count_nonzero(gaps > 1) < _FEWEST_RUNS - 1:
        return None
    # A sequence with a period contains its first half a second time.
    half = gaps[: gaps.size // 2].tobytes()
    if gaps.tobytes().find(half, gaps.itemsize) >= 0:
        return None
    return crc32(np.packbits(positive).tobytes(), positive.size)

"""What an area is: its sums over steps, its names and its path in a plot."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._ranking import Rankings, Steps
from .._typing import AnyArray, BoolArray, FloatArray, Ties
from ._path import CurvePoints, Path

__all__ = ["Area", "Cut", "FewFunction"]

# The number of a lone ranking of few weighted rows at a prevalence: None if it needs kernels.
FewFunction = Callable[[BoolArray, AnyArray, FloatArray, float | None], float | None]


class Cut(NamedTuple):
    """Where each ranking ends: after `depth` rows, or at the row where the rows weigh `depth`."""

    depth: FloatArray
    in_weight: bool = False

    def share_within(self, steps: Steps) -> FloatArray:
        """Return the share of each tied group that is above the cut."""
        if not self.in_weight:
            return steps.share_within(self.depth)
        within = np.minimum(np.maximum(steps.each(self.depth) - steps.above, 0.0), steps.group_weight)
        return within / steps.group_weight


@dataclass(frozen=True, kw_only=True, eq=False)  # each area is declared once
class Area:
    """One way to add up the steps of rankings, declared once.

    A field that is None means that the area cannot do this, and `Definition` refuses it.
    """

    name: str  # its one spelling, in arguments, records and the text of definitions
    noun: str  # what the number is called, such as AP
    words: str  # what records say of it
    title: str = ""  # what legends call it, if not by its name
    whole: Callable[[Rankings], FloatArray]  # the number of whole rankings
    gain: Callable[[Steps], FloatArray] | None = None  # if `whole` is a sum over positives: what a step adds
    at_grid: Callable[[Rankings, Any], FloatArray] | None = None  # the number at recall levels
    within: Callable[[Rankings, Cut, Ties], FloatArray] | None = None  # the sum up to a cut, not yet divided
    mean_over_hits: Callable[[Rankings, Cut], FloatArray] | None = None  # over all orders of equal scores
    of_few: FewFunction | None = None
    path: Callable[[CurvePoints, Any], Path] | None = None  # of the curve above it, at a grid or without one
    counts_missed: bool = True  # whether it is defined if positives were missed

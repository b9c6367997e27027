"""What an area is: the sums over steps that it has, and how it is called and drawn."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._ranking import Rankings, Steps
from .._typing import FloatArray
from ._path import CurvePoints, Path

__all__ = ["Area", "Cut"]


class Cut(NamedTuple):
    """Where each ranking ends: after so many rows, or where its rows weigh so much."""

    depth: FloatArray
    in_weight: bool = False

    def share_within(self, steps: Steps) -> FloatArray:
        """Return the share of each tied group that lies in front of the cut."""
        if not self.in_weight:
            return steps.share_within(self.depth)
        within = np.minimum(np.maximum(steps.each(self.depth) - steps.above, 0.0), steps.group_weight)
        return within / steps.group_weight


@dataclass(frozen=True, kw_only=True, eq=False)  # each area is declared once
class Area:
    """One way to add up the steps of rankings, declared once.

    A field that is None says what the area cannot do, and `Definition` refuses to ask for it.
    """

    name: str  # its one spelling, in arguments, records and the text of definitions
    noun: str  # what the number is called, such as AP
    words: str  # what records say of it
    title: str = ""  # what legends call it, where that is not the name
    whole: Callable[[Rankings], FloatArray]  # the number of whole rankings
    gain: Callable[[Steps], FloatArray] | None = None  # if `whole` is a sum over positives: what a step adds
    at_grid: Callable[[Rankings, Any], FloatArray] | None = None  # the number read off at recall levels
    within: Callable[[Rankings, Cut, str], FloatArray] | None = None  # the sum up to a cut, not yet divided
    mean_over_hits: Callable[[Rankings, Cut], FloatArray] | None = None  # over all orders of equal scores
    path: Callable[[CurvePoints, Any], Path] | None = None  # of the curve above it, at a grid or without one
    counts_missed: bool = True  # whether it is defined where positives were missed

"""Hits: the positives above a cut, counted without their precision."""

from functools import partial

from .._ranking._rankings import Rankings, share_of_positives
from .._ranking._steps import Steps
from .._typing import FloatArray
from ._area import Area, Cut


def hits_within(rankings: Rankings, cut: Cut, _: str = "proportional") -> FloatArray:
    """Sum of the positives gained at each step by the rows above the cut.

    A tied group at the cut counts in part. The mean over all orders of equal scores is the same number.
    """
    return rankings.total(partial(_hits_gained, cut))


def _hits_gained(cut: Cut, steps: Steps) -> FloatArray:
    return cut.share_within(steps) * steps.gained


def n_found(rankings: Rankings) -> FloatArray:
    """Sum of the positives gained at each step: all positives in the rankings."""
    return rankings.total(_gain)


def _gain(steps: Steps) -> FloatArray:
    return steps.gained


share_found = partial(share_of_positives, _gain)  # of all positives, found or missed

HITS = Area(
    name="hits",
    noun="share",
    words="positives counted, not their precision",
    whole=share_found,
    gain=_gain,
    within=hits_within,
)

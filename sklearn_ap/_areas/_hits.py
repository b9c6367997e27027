"""Hits: the positives above a cut or a precision, counted without their precision."""

from functools import partial

import numpy as np

from .._ranking._rankings import Rankings, share_of_positives
from .._ranking._steps import Reduction, Steps, ratio
from .._typing import FloatArray
from ._area import Area, Cut


def hits_within(rankings: Rankings, cut: Cut, _: str = "proportional") -> FloatArray:
    """Sum of the positives above the cut; a tied group there counts in part, its mean over all orders."""
    return rankings.total(partial(_hits_gained, cut))


def _hits_gained(cut: Cut, steps: Steps) -> FloatArray:
    return cut.share_within(steps) * steps.gained


def found_weight(rankings: Rankings) -> FloatArray:
    """Sum of the positives gained at each step: all positives in the rankings."""
    return rankings.total(_gain)


def _gain(steps: Steps) -> FloatArray:
    return steps.gained


share_found = partial(share_of_positives, _gain)  # of all positives, found or missed

HITS = Area(
    name="hits",
    noun="share",
    description="positives counted, not their precision",
    score_full=share_found,
    step_gain=_gain,
    sum_to_cut=hits_within,
)


def best_recall(rankings: Rankings, level: float) -> FloatArray:
    """Best recall of the steps whose precision reaches a level; 0 if no step does.

    Scores that only negatives have are not steps. Their recall is that of the step above them, and their
    precision is lower, so they are never the best.
    """
    best_tp = rankings.kernel.reduce(Reduction(partial(_tp_at_precision, level), "greatest"))
    return ratio(best_tp, rankings.n_positives)


def _tp_at_precision(level: float, steps: Steps) -> FloatArray:
    return np.where(steps.tp / steps.retrieved >= level, steps.tp, 0.0)


def best_recall_at_levels(rankings: Rankings, levels: FloatArray) -> FloatArray:
    """Mean of the best recall over levels of precision; scores have one level."""
    recalls = [best_recall(rankings, level) for level in levels.tolist()]
    return np.asarray(sum(recalls) / levels.size)


RECALL_AT_PRECISION = Area(
    name="recall at precision",
    noun="recall",
    description="best recall where the precision reaches a level",
    score_full=share_found,
    score_at_levels=best_recall_at_levels,
)

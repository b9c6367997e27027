"""Recall at a precision: the best recall of the thresholds whose precision reaches a level."""

from functools import partial

import numpy as np

from .._ranking._rankings import Rankings
from .._ranking._steps import Steps, Walk, ratio
from .._typing import FloatArray
from ._area import Area
from ._hits import share_found


def best_recall(rankings: Rankings, level: float) -> FloatArray:
    """Best recall of the steps whose precision reaches a level; 0 if no step does.

    Scores that only negatives have are not steps. Their recall is that of the step above them, and their
    precision is lower, so they are never the best.
    """
    most_found = rankings.kernel.walked(Walk(partial(_found_at, level), "greatest"))
    return ratio(most_found, rankings.n_positives)


def _found_at(level: float, steps: Steps) -> FloatArray:
    return np.where(steps.tp / steps.retrieved >= level, steps.tp, 0.0)


def best_recall_at_levels(rankings: Rankings, levels: FloatArray) -> FloatArray:
    """Mean of the best recall over levels of precision; scores have one level."""
    recalls = [best_recall(rankings, level) for level in levels.tolist()]
    return np.asarray(sum(recalls) / levels.size)


RECALL_AT_PRECISION = Area(
    name="recall at precision",
    noun="recall",
    words="best recall where the precision reaches a level",
    whole=share_found,
    at_grid=best_recall_at_levels,
)

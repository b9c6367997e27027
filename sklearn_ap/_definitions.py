"""What each public score computes: its definition, from those of its arguments that belong to it.

Each function here checks its arguments, and has the name of what it defines. Public scores ask by them;
questions about a score, such as how sure it is, find them through `_family.py`.
"""

from numpy.typing import ArrayLike

from ._areas._davis_goadrich import DAVIS_GOADRICH
from ._areas._hits import HITS
from ._areas._interpolated import INTERPOLATED
from ._areas._linear import LINEAR
from ._areas._recall_at_precision import RECALL_AT_PRECISION
from ._areas._reciprocal_rank import RECIPROCAL_RANK
from ._areas._step import STEP
from ._definition import Definition, at_level, at_levels, seen_at, up_to
from ._reading import (
    INTERPOLATIONS,
    NORMALIZERS,
    RANKED_TIES,
    TIES,
    check_option,
    read_k,
    read_level,
    read_prevalence,
    read_recall_levels,
)
from ._typing import Interpolation, Normalizer, RankedTies, Ties

__all__ = [
    "ALL_RECALLS",
    "ELEVEN_POINTS",
    "JOINED",
    "R_PRECISION",
    "STEP_AP",
    "at_k",
    "eleven_point",
    "interpolated",
    "joined",
    "precision_at_k",
    "precision_at_recall",
    "r_precision",
    "recall_at_k",
    "recall_at_precision",
    "reciprocal_rank",
    "step",
]

STEP_AP = Definition(STEP)
ALL_RECALLS = Definition(INTERPOLATED)
ELEVEN_POINTS = Definition(INTERPOLATED, grid=11)
JOINED = {area.name: Definition(area) for area in (LINEAR, DAVIS_GOADRICH)}
R_PRECISION = {ties: Definition(HITS, cut="n_positives", ties=ties) for ties in TIES}


def step(prevalence: float | None) -> Definition:
    """Return the definition of `average_precision_score` with this option."""
    return seen_at(STEP_AP, read_prevalence(prevalence))


def interpolated(recall_levels: int | ArrayLike | None, prevalence: float | None) -> Definition:
    """Return the definition of `interpolated_average_precision_score` with these options."""
    levels, share = read_recall_levels(recall_levels), read_prevalence(prevalence)
    return seen_at(ALL_RECALLS, share) if levels is None else at_levels(INTERPOLATED, levels, share)


def eleven_point(prevalence: float | None) -> Definition:
    """Return the definition of `eleven_point_average_precision_score` with this option."""
    return seen_at(ELEVEN_POINTS, read_prevalence(prevalence))


def joined(interpolation: Interpolation, prevalence: float | None) -> Definition:
    """Return the definition of `pr_auc_score` with these options."""
    check_option("interpolation", interpolation, INTERPOLATIONS)
    return seen_at(JOINED[interpolation], read_prevalence(prevalence))


def at_k(k: int | float | None, ties: Ties, normalizer: Normalizer) -> Definition:
    """Return the definition of `average_precision_at_k_score` with these options."""
    k = read_k(k)
    check_option("ties", ties, TIES)
    check_option("normalizer", normalizer, NORMALIZERS)
    return up_to(k, STEP, ties, normalizer)


def precision_at_k(k: int | float | None, ties: Ties) -> Definition:
    """Return the definition of `precision_at_k_score` with these options."""
    k = read_k(k)
    check_option("ties", ties, TIES)
    return up_to(k, HITS, ties, "k")


def recall_at_k(k: int | float | None, ties: Ties) -> Definition:
    """Return the definition of `recall_at_k_score` with these options."""
    k = read_k(k)
    check_option("ties", ties, TIES)
    return up_to(k, HITS, ties)


def r_precision(ties: Ties) -> Definition:
    """Return the definition of `r_precision_score` with this option."""
    check_option("ties", ties, TIES)
    return R_PRECISION[ties]


def reciprocal_rank(k: int | float | None, ties: RankedTies) -> Definition:
    """Return the definition of `reciprocal_rank_score` with these options."""
    k = read_k(k)
    check_option("ties", ties, RANKED_TIES)
    return up_to(k, RECIPROCAL_RANK, ties)


def precision_at_recall(recall: float, prevalence: float | None) -> Definition:
    """Return the definition of `precision_at_recall_score` with these options."""
    return at_level(INTERPOLATED, read_level("recall", recall), read_prevalence(prevalence))


def recall_at_precision(precision: float) -> Definition:
    """Return the definition of `recall_at_precision_score` with this option."""
    return at_level(RECALL_AT_PRECISION, read_level("precision", precision))

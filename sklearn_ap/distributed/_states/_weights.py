"""Weights of rows that come in parts: how light and how heavy they are, and whether they differ at all."""

import numpy as np

from ..._entrance import score_of_ranking
from ..._ranking import ByClassKernel, Rankings
from ..._typing import AnyArray, FloatArray, TieOrder
from .._question import Question

__all__ = [
    "check_extremes",
    "check_sums",
    "extremes_of",
    "finite",
    "n_counted",
    "one_of_each",
    "order_of",
    "refuse_tiny",
    "score_of_counts",
    "widest",
]

_LIGHTEST = 2.0**-500  # products of lighter weights may underflow
_TOLERANCE = 2.0**-20  # far more than sums of weights are rounded by
_MOST_ROWS = 2**53  # whose counts are exact in floats


def extremes_of(of_positives: FloatArray, of_negatives: FloatArray) -> FloatArray:
    """Return the least and the greatest weight of each class; infinity and 0 without rows."""
    classes = of_positives, of_negatives
    return np.array([(one.min(initial=np.inf), one.max(initial=0.0)) for one in classes])


def widest(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the least and the greatest weights of both, class by class."""
    return np.stack((np.minimum(one[:, 0], other[:, 0]), np.maximum(one[:, 1], other[:, 1])), axis=1)


def one_of_each(extremes: FloatArray) -> tuple[float, float] | None:
    """Return the weight of every positive and of every negative, or None if either class has several."""
    filled = extremes[extremes[:, 1] > 0]
    if (filled[:, 0] < filled[:, 1]).any():
        return None
    of_positives, of_negatives = (one[0] if one[1] else filled[0, 0] for one in extremes.tolist())
    return float(of_positives), float(of_negatives)


def finite(weights: FloatArray) -> FloatArray:
    """Return sums of weights, or raise ValueError if one is infinite."""
    with np.errstate(over="ignore"):
        total = weights.sum()
    if not np.isfinite(total):
        raise ValueError(
            "sample_weight adds up to infinity over all parts; divide it by a constant, which changes no "
            "score."
        )
    return weights


def refuse_tiny(extremes: FloatArray) -> None:
    """Refuse weights that differ if products with the least of them may underflow."""
    least = extremes[:, 0].min()
    if least < _LIGHTEST:
        raise ValueError(
            f"sample_weight must be at least 2**-500 where not all rows are in memory; got {least}. Multiply "
            "weights by a constant, which changes no score."
        )


def check_extremes(extremes: FloatArray, counts: tuple[int, int]) -> None:
    """Refuse extremes that rows of these counts cannot have."""
    for (least, most), count in zip(extremes.tolist(), counts, strict=True):
        fits = 0 < least <= most < np.inf if count else (least, most) == (np.inf, 0.0)
        if not fits:
            raise ValueError("data must hold the least and the greatest weight of each class; got others.")


def check_sums(sums: FloatArray, counts: AnyArray, extremes: FloatArray) -> None:
    """Refuse sums of weights that so many rows of each class, of these extremes, cannot have."""
    filled = counts > 0
    least, most = np.where(np.isfinite(extremes), extremes, 0.0).T[:, :, np.newaxis]
    with np.errstate(over="ignore"):
        low, high = counts * least * (1 - _TOLERANCE), counts * most * (1 + _TOLERANCE)
        total = sums.sum()
    if not np.isfinite(total) or ((sums > 0) != filled).any() or (sums < low).any() or (sums > high).any():
        raise ValueError("data must hold weights between the least and the greatest one; got others.")


def n_counted(counts: AnyArray) -> int:
    """Return the sum of stored counts, or refuse what counts no rows."""
    if counts.dtype != np.int64 or counts.min(initial=0) < 0 or counts.sum(dtype=np.float64) > _MOST_ROWS:
        raise ValueError("data must hold counts of at most 2**53 rows; got others.")
    return int(counts.sum())


def order_of(tie_order: TieOrder | None, each: tuple[float, float] | None) -> TieOrder | None:
    """Return the order of equal scores; rows with weights have none, which is refused later."""
    return tie_order if each is None or each[0] == each[1] else None


def score_of_counts(question: Question, ranking: Rankings, each: tuple[float, float] | None) -> float:
    """Return the score of rows that were counted; `each` is the weight of a row of each class."""
    definition, options = question.definition, question.options
    if each is None or each[0] == each[1]:
        return score_of_ranking(definition, ranking, **options, unit=None if each is None else each[0])
    refuse_tiny(np.transpose((each, each)))
    kernel = ByClassKernel(ranking, *each)
    return score_of_ranking(
        definition, kernel.ranking(), **options, unit=1.0, at_prevalence=kernel.at_prevalence
    )

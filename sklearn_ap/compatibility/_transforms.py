"""What packages do to scores before they compare them: round, squash, and fall back to a few thresholds."""

import numpy as np
from scipy.special import expit

from .._gate import Checked
from .._typing import AnyArray, BoolArray, FloatArray
from ._convention import Convention, Thresholds

_NEAR = 1e-8  # CatBoost's width of a tie


def transformed(checked: Checked, convention: Convention) -> tuple[Checked, BoolArray | None]:
    """Return rows as a record compares them, and which positives no threshold retrieves, where there are any.

    Those are put below all others, as negatives: what stands below the last positive changes no number.
    """
    score = _squashed(checked.score, convention)
    if convention.transform == "above 0":
        checked = checked._replace(positive=checked.positive & (score > 0))
    if convention.thresholds is not None:
        score = _at_thresholds(score, convention.thresholds)
    lost = None
    if convention.thresholds is not None and (out_of_reach := score < 0).any():
        lost = checked.positive & out_of_reach
        checked = checked._replace(positive=checked.positive & ~out_of_reach)
    if score is checked.score:
        return checked, lost
    return checked._replace(score=score, bounds=(score.min(), score.max())), lost


def _squashed(score: AnyArray, convention: Convention) -> AnyArray:
    if convention.score_dtype is not None:
        with np.errstate(over="ignore"):  # beyond the largest number lies infinity, for the packages too
            score = score.astype(convention.score_dtype)
    if convention.transform == "input order":
        return -np.arange(score.size)
    if convention.transform == "sigmoid" and (score.min() < 0 or score.max() > 1):
        return np.asarray(expit(score))
    return _chained(score) if convention.transform == "near" else score


def _chained(score: AnyArray) -> AnyArray:
    """Give neighbours within 1e-8 of each other, and chains of them, the lowest of their scores."""
    distinct, place = np.unique(score.astype(np.float64), return_inverse=True)
    with np.errstate(over="ignore"):
        starts = np.append(True, np.diff(distinct) >= _NEAR)
    return np.asarray(distinct[starts][np.cumsum(starts) - 1][place])


def _at_thresholds(score: AnyArray, thresholds: Thresholds) -> AnyArray:
    """Return the place of the threshold that each score meets, the lowest being 0; -1 meets none."""
    last = thresholds.count - 1
    match thresholds.rule:
        case "merged":
            distinct, place = np.unique(score, return_inverse=True)
            from_best = distinct.size - 1 - place
            merged = from_best // max(distinct.size // thresholds.count, 1)
            return np.asarray(distinct.size - merged)
        case "above":
            scaled = np.float32(last) * np.clip(score, 0, 1).astype(np.float32)
            return np.asarray(np.maximum(np.ceil(scaled) - 1, 0))
        case _:
            return np.asarray(np.searchsorted(_even(thresholds.count), score, side="right") - 1)


def _even(count: int) -> FloatArray:
    """Return even float32 thresholds in [0, 1], as ``torch.linspace`` steps to them from both ends."""
    steps = np.arange(count) * np.float64(np.float32(1 / (count - 1)))
    return np.where(np.arange(count) < count // 2, steps, 1 - steps[::-1]).astype(np.float32)

"""Changes of scores that packages make before they compare them: rounding, a sigmoid, fixed thresholds."""

import numpy as np
from scipy.special import expit

from .._reading._read import Checked
from .._typing import AnyArray, BoolArray
from ._choices import Thresholds, even_thresholds
from ._convention import Convention

_TIE_DISTANCE = 1e-8  # CatBoost takes scores that differ by less as tied


def transformed(checked: Checked, convention: Convention) -> tuple[Checked, BoolArray | None]:
    """Return the rows as a record compares them; positives never retrieved become the last negatives."""
    score = _squashed(checked.score, convention)
    if convention.transform == "above 0":
        checked = checked._replace(positive=checked.positive & (score > 0))
    if convention.thresholds is not None:
        score = _at_thresholds(score, convention.thresholds)
    unretrieved = None
    if convention.thresholds is not None and (out_of_reach := score < 0).any():
        unretrieved = checked.positive & out_of_reach
        checked = checked._replace(positive=checked.positive & ~out_of_reach)  # last, they change no number
    if score is checked.score:  # unchanged scores keep their bounds, and need no new ones
        return checked, unretrieved
    return checked._replace(score=score, bounds=(score.min(), score.max())), unretrieved


def _squashed(score: AnyArray, convention: Convention) -> AnyArray:
    if convention.score_dtype is not None:
        with np.errstate(over="ignore"):  # scores that are too large become infinite, as in the packages
            score = score.astype(convention.score_dtype)
    if convention.transform == "input order":
        return -np.arange(score.size)
    if convention.transform == "sigmoid" and (score.min() < 0 or score.max() > 1):
        wide = score.dtype.kind == "f" and score.dtype.itemsize > 2  # scipy takes int8 for float16
        return np.asarray(expit(score if wide else score.astype(np.float64)))
    return _chained(score) if convention.transform == "near" else score


def _chained(score: AnyArray) -> AnyArray:
    """Give scores that are within 1e-8 of their neighbours, and chains of such scores, the lowest of them."""
    distinct, place = np.unique(score.astype(np.float64), return_inverse=True)
    with np.errstate(over="ignore"):
        # A group starts where the gap to the score below is not near: chains may be longer than the distance.
        starts = np.append(True, np.diff(distinct) >= _TIE_DISTANCE)
    return np.asarray(distinct[starts][np.cumsum(starts) - 1][place])


def _at_thresholds(score: AnyArray, thresholds: Thresholds) -> AnyArray:
    """Return the place of the highest threshold that each score meets, from 0 on; -1 if it meets none."""
    last = thresholds.count - 1
    match thresholds.rule:
        case "merged":
            distinct, place = np.unique(score, return_inverse=True)
            from_best = distinct.size - 1 - place
            # Spark merges neighbours from the best score down, so the last bin may be smaller.
            merged = from_best // max(distinct.size // thresholds.count, 1)
            return np.asarray(distinct.size - merged)
        case "above" | "strictly above":
            # In float32, as the packages compute it: the last bit decides which threshold a score meets.
            scaled = np.float32(last) * np.clip(score, 0, 1).astype(np.float32)
            lowest = 0 if thresholds.rule == "above" else -1
            return np.asarray(np.maximum(np.ceil(scaled) - 1, lowest))
        case _:
            return np.asarray(np.searchsorted(even_thresholds(thresholds.count), score, side="right") - 1)

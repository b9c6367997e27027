"""From influences to a standard error, and to the degrees of freedom of its t distribution."""

from typing import NamedTuple, get_args

import numpy as np
from scipy.special import stdtr

from .._typing import Alternative
from .._warning import warn_user
from ._sample import Influences, Sample

__all__ = [
    "ALTERNATIVES",
    "FEW",
    "Spread",
    "degrees_of_freedom",
    "influences_of",
    "spread_of",
    "t_test",
    "warn_of_few",
]

FEW = 10  # positives, or units that hold one


ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)


class Spread(NamedTuple):
    """The standard error of a number, and its degrees of freedom."""

    standard_error: float
    df: float


def influences_of(sample: Sample) -> Influences:
    """Return what each unit does to the score, or refuse a score that jumps where rows change places."""
    if not sample.has_influences:
        raise ValueError(
            "method='influence' needs a score with influence values: the area of a whole ranking, or a mean "
            "over queries or samples; use method='percentile'."
        )
    return sample.influences()


def spread_of(influences: Influences, n_effective: float) -> Spread:
    """Return the standard error of a number with these influences.

    `n_effective` is the number of units that hold a positive or, of a mean, the number of units.
    """
    second = influences.power(2)
    if influences.of_mean:  # as for any mean: the values spread around their own mean
        if n_effective <= 1:
            return Spread(np.nan, np.nan)
        return Spread(float(np.sqrt(second * n_effective / (n_effective - 1))), n_effective - 1)
    df = degrees_of_freedom(second, influences.power(4), influences.n_units, n_effective)
    return Spread(float(np.sqrt(second)), df)


def degrees_of_freedom(second: float, fourth: float, n_units: float, n_effective: float) -> float:
    """Return the smaller of two degrees of freedom.

    Few positives are one reason for an uncertain standard error. A few units that carry most of the variance,
    such as early negatives, are the other one (Satterthwaite 1946).
    """
    excess = fourth - second**2 / n_units
    of_variance = 2 * second**2 / excess if excess > 0 else np.inf
    return max(min(n_effective - 1, of_variance), np.finfo(float).tiny) if n_effective > 1 else np.nan


def t_test(difference: float, error: float, df: float, alternative: Alternative) -> tuple[float, float]:
    """Return the statistic of a difference with this standard error, and its p-value.

    Without any difference and any error, the statistic is 0 and the p-value 1, whatever is asked.
    """
    if not error:
        if not difference:
            return 0.0, 1.0
        warn_user(
            f"The scores differ by {difference:.4g}, and the standard error is 0: every unit or fold says "
            "the same, so the p-value says nothing about others."
        )
    statistic = difference / error if error else float(np.copysign(np.inf, difference))
    tail = {"two-sided": -abs(statistic), "less": statistic, "greater": -statistic}[alternative]
    return statistic, float(stdtr(df, tail)) * (2 if alternative == "two-sided" else 1)


def warn_of_few(n_effective: float, what: str) -> None:
    """Warn if so few positives say little about others."""
    if n_effective < FEW:
        warn_user(
            f"The sample has only {n_effective:.3g} {what}; below {FEW}, intervals and p-values say little."
        )

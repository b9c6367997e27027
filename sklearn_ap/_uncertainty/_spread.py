"""From influences to a standard error, and to the degrees of freedom of its t distribution."""

from math import sqrt
from typing import NamedTuple, get_args

import numpy as np
from scipy.special import stdtr

from .._public import warn_user
from .._reading._options import check_option, is_finite, short_repr
from .._rounding import rounding_of_sums
from .._typing import TestedAlternative
from ._influence import Influences

_LEAST_T_DF = float(np.finfo(np.float64).tiny)  # no t distribution has 0 degrees of freedom


class Spread(NamedTuple):
    """The standard error of a number, and its degrees of freedom."""

    standard_error: float
    df: float


def rounding_of(n_rows: float, *scores: float) -> float:
    """Return the largest difference that rounding alone makes between two equal scores of `n_rows` rows.

    Each running sum of n weights is off by at most n eps of itself, and a score is made of a few of them.
    What is below this says nothing: neither a difference, nor a standard error, nor a distance from 1.
    """
    return 2 * float(rounding_of_sums(n_rows)) * max(map(abs, scores))


def without_rounding(value: float, rounding: float) -> float:
    """Return the value, or 0 if it is at most a rounding error."""
    return 0.0 if abs(value) <= rounding else value


def spread_of(influences: Influences, n_effective: float, rounding: float) -> Spread:
    """Return the standard error of a number by its influences; `n_effective` units contain a positive."""
    if influences.of_mean and n_effective <= 1:
        return Spread(np.nan, np.nan)
    powers = influences.power(2), influences.power(4)
    error, df = spread_of_moments(powers, influences.n_units, n_effective, rounding, influences.unseen.df)
    if influences.of_mean:  # as for any mean: the values spread around their own mean
        return Spread(error * sqrt(n_effective / (n_effective - 1)), n_effective - 1)
    return Spread(error, df)


def spread_of_moments(
    powers: tuple[float, float],
    n_units: float,
    n_effective: float,
    rounding: float,
    df_of_negatives: float = np.inf,
) -> Spread:
    """Return the standard error of a number whose influences have these sums of squares and fourth powers."""
    second, fourth = powers
    if second <= rounding**2:
        return Spread(0.0, _degrees_of_freedom(0.0, 0.0, n_units, n_effective))
    df = _degrees_of_freedom(second, fourth, n_units, min(n_effective, df_of_negatives + 1))
    return Spread(sqrt(second), df)


def _degrees_of_freedom(second: float, fourth: float, n_units: float, n_effective: float) -> float:
    """Return the degrees of freedom that positives, or few decisive units, leave (Satterthwaite 1946)."""
    excess = fourth - second**2 / n_units
    of_variance = 2 * second**2 / excess if excess > 0 else np.inf
    return max(min(n_effective - 1, of_variance), _LEAST_T_DF) if n_effective > 1 else np.nan


def read_margin(margin: object, alternative: TestedAlternative) -> float:
    """Check which differences are asked about, and the largest one that does not matter."""
    check_option("alternative", alternative, get_args(TestedAlternative))
    if not (is_finite(margin) and margin >= 0):
        raise ValueError(f"margin must be a finite number >= 0, such as 0.02; got {short_repr(margin)}.")
    if margin and alternative == "two-sided":
        raise ValueError(
            "margin needs alternative='greater' (not worse by it; 'less' for losses) or 'equivalence'; got "
            f"margin={margin!r} and alternative='two-sided'."
        )
    if not margin and alternative == "equivalence":
        raise ValueError(
            f"margin must be above 0 for alternative='equivalence'; got {margin!r}. Write the largest "
            "difference that does not matter, such as margin=0.02."
        )
    return float(margin)


def past_margin(difference: float, alternative: TestedAlternative, margin: float) -> float:
    """Return how far a difference is from the end of its hypothesis; for equivalence, from the nearer end."""
    is_upper = alternative == "less" or (alternative == "equivalence" and difference > 0)
    return difference - margin if is_upper else difference + margin


def t_test(
    difference: float,
    error: float,
    df: float,
    alternative: TestedAlternative,
    *,
    margin: float = 0.0,
    excess: tuple[float, float] = (0.0, 0.0),
) -> tuple[float, float]:
    """Return the statistic of a difference with this standard error, and its p-value.

    `excess` is by how much the difference may be too high, for its lower and its upper end. Without any
    difference, error and margin, the statistic is 0 and the p-value 1, whatever is asked. For equivalence,
    they are those of the one-sided test that rejects less.
    """
    if is_unsure(difference, error, margin):
        return float(np.copysign(np.inf, past_margin(difference, alternative, margin))), np.nan
    if not error:
        return 0.0, 1.0
    ends = (difference - excess[0] + margin) / error, (difference - excess[1] - margin) / error
    tails = float(stdtr(df, -ends[0])), float(stdtr(df, ends[1]))
    match alternative:
        case "two-sided":
            side = tails.index(min(tails))
            return ends[side], min(1.0, 2 * tails[side])
        case "equivalence":
            side = tails.index(max(tails))
        case _:
            side = alternative == "less"
    return ends[side], tails[side]


def is_unsure(difference: float, error: float, margin: float = 0.0) -> bool:
    """Whether a difference has the standard error 0, which says nothing about other units; warn if so."""
    unsure = error == 0 and (difference != 0 or margin > 0)  # p = 0 would claim that no unit differs
    if unsure:
        warn_user(
            f"The p-value is NaN: the scores differ by {difference:.4g}, and the standard error is 0, "
            "because every unit or fold says the same."
        )
    return unsure

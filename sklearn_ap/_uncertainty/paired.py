"""The rules of a difference between two scores of the same units.

The rules need the influence of each unit and a few numbers of both scores, and no rows.
Each rule is a function. Its docstring names the source and the measured effect of the
rule. The page *Intervals* describes the measurements.
"""

from collections.abc import Sequence
from math import asin, cbrt, hypot, inf, sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtr

from .._core.rounding import EQUAL
from .._core.typing import FloatArray
from .._shown.numbers import NEXT_TO_0
from .endpoints import Endpoints, Negatives
from .influence import Influences, Spread

# Scores have skewed errors if their mean is below or above these numbers.
_LOW, _HIGH = 0.3, 0.75
# Units have very unequal sizes if their effective number is less than this share of the
# units that contain a positive. The second share is for high scores of weighted rows:
# if their share is .6, tests of contributions reject equal models in up to .093 of
# samples.
_UNEQUAL, _UNEQUAL_OF_HIGH = 0.7, 0.5
# Replaces a standard error of 0, by which nothing can be divided.
_LEAST_ERROR = 1e-300


class PairedScore(NamedTuple):
    """One of two scores of the same units, with the inputs of the rules of their
    difference.
    """

    score: float
    # Influence of each unit. Both scores have the same units in the same order.
    influences: Influences
    # Effective number of units that contain a positive.
    n_positives: float
    # Whether the score is the whole area of a single ranking.
    is_area: bool = False
    # For an area, the share of all positives that is in each unit, and the share of
    # each missed positive.
    share_of_positives: FloatArray | float = 0.0
    share_of_missed: float | FloatArray = 0.0
    # How much the score would fall with one more positive in the last place.
    lost_positive: float = 0.0
    # Whether all rows of the area have the same weight, so that negatives can be heavy
    # only because of the size of their units.
    has_equal_rows: bool = False
    # Number of rows that the score adds up. It limits the rounding error of the score.
    n_rows: int = 0
    # Whether the score is between 0 and 1.
    is_share: bool = False
    # The ids of the units, if the caller passed ids.
    ids: Any = None
    # If the caller passed totals: the total of each ranking, and the unit of each
    # positive that was found, by ranking.
    totals: Any = None
    found: Any = None

    @property
    def negatives(self) -> Negatives:
        """Effect of missing and of heavy negatives on the interval of the score."""
        return self.influences.inputs.negatives

    @property
    def n_with_positives(self) -> float:
        """Number of units that contain a positive, plus the missed positives."""
        n_missed = np.sum(self.influences.n_missed)
        return float(np.count_nonzero(self.share_of_positives) + n_missed)


class TTest(NamedTuple):
    """A test of the hypothesis that two models are equal."""

    statistic: float
    df: float

    @property
    def pvalue(self) -> float:
        """Two-sided p-value: the probability of a statistic at least as far from 0."""
        return float(2 * stdtr(self.df, -abs(self.statistic)))


def has_heavy_negatives(pair: Sequence[PairedScore]) -> bool:
    """Return whether heavy negatives limit the degrees of freedom more than positives."""
    return _df_of_negatives(pair) <= pair[0].n_positives - 1


def _df_of_negatives(pair: Sequence[PairedScore]) -> float:
    """Return the upper limit of the degrees of freedom by heavy negatives: the lower one
    of the limits of both scores. A score of 0 does not depend on negatives.
    """
    return min((each.negatives.df for each in pair if each.score), default=inf)


def spread_of(pair: Sequence[PairedScore], rounding: float) -> Spread:
    """Return the standard error of the difference, and its degrees of freedom.

    If few heavy negatives decide the scores, the sample does not show how much other
    heavy negatives would change the difference. One more of them above all rows would
    lower a score by a share L, and the standard error is multiplied by 1 + L squared.
    Without this factor, equal models at a prevalence are rejected in up to .16 of
    samples; without the limit of the degrees of freedom as well, in up to .40.
    """
    first, second = pair
    of_units = first.influences.less(second.influences)
    spread = of_units.spread(first.n_positives, rounding)
    if not (spread.standard_error and has_heavy_negatives(pair)):
        return spread
    lost = max(each.negatives.loss / each.score for each in pair if each.score)
    df = min(spread.df, _df_of_negatives(pair))
    return Spread(spread.standard_error * (1 + lost**2), df)


def t_test_of(pair: Sequence[PairedScore], spread: Spread, rounding: float) -> TTest:
    """Return the t test of a difference whose standard error is not 0. Areas are
    compared on a scale on which their errors are nearly symmetric.

    There are four cases, in this order:

    - The score has no such scale, or negatives are heavy because of weights or a
      prevalence: the difference over its standard error. If negatives are heavy because
      of large units, the scale is used, since each unit contributes to the difference
      of equal models with either sign.
    - The mean score is below .3: the test of `t_of_units`.
    - Units have unequal sizes: the test of `of_contributions`.
    - Otherwise: the influences on the difference on the scale.
    """
    first, second = pair
    scores = first.score, second.score
    mean = sum(scores) / 2
    n, n_units = first.n_positives, first.n_with_positives
    # The cube root of 0 has no derivative, and the variance below is divided by n - 1.
    has_scale = first.is_area and min(scores) > 0 and n > 1
    is_heavy = has_heavy_negatives(pair) and not first.has_equal_rows
    if not has_scale or is_heavy:
        return TTest((first.score - second.score) / spread.standard_error, spread.df)
    (value, other_value), slopes = symmetric_scale(scores, n)
    difference = value - other_value
    influences = first.influences.less(second.influences, *slopes)
    if mean < _LOW:
        # Influences are distances from the score, which is estimated from the same n
        # values, so their variance is divided by n - 1 in place of n.
        return t_of_units(difference, influences.variance * n / (n - 1), n_units)
    # Both scores have the same units, so the sizes of the first are those of both.
    if n < _largest_unequal_share(first, mean) * n_units:
        return of_contributions(difference, influences, first)
    error, df = influences.spread(n, rounding)
    return TTest(difference / error, df)


def _largest_unequal_share(score: PairedScore, mean: float) -> float:
    """Return the limit below which units have unequal sizes: their effective number is
    less than this share of their number. `mean` is the mean of both scores.
    """
    if mean > _HIGH and not score.has_equal_rows:
        return _UNEQUAL_OF_HIGH
    return _UNEQUAL


def symmetric_scale(
    scores: tuple[float, float], n_positives: float
) -> tuple[Sequence[float], Sequence[float]]:
    """Return two scores on a scale on which their errors are nearly symmetric, and the
    derivative of the scale at each score.

    The scale is the cube root if the mean score is below .3, the score itself up to
    .75, and Anscombe's angle (1948) of a share of positives above .75. With few
    positives, the angle finds 1.4 to 2.7 times as many differences as the scores
    themselves.
    """
    mean = sum(scores) / 2
    if mean < _LOW:
        return [*map(cbrt, scores)], [score ** (-2 / 3) / 3 for score in scores]
    if mean <= _HIGH:
        return scores, (1.0, 1.0)
    # Add half a positive on either side, since the angle of a score of 1 has no
    # derivative. Anscombe adds 3/8.
    shares = [(n_positives * score + 0.5) / (n_positives + 1) for score in scores]
    angles = [asin(sqrt(share)) for share in shares]
    return angles, [0.5 / sqrt(share * (1 - share)) for share in shares]


def t_of_units(difference: float, variance: float, n_units: float) -> TTest:
    """Return the t test with `n_units - 1` degrees of freedom, where `n_units` is the
    number of units that contain a positive.

    If models are equal, each unit contributes to the difference with either sign. A t
    test of such contributions is conservative at .05 even if their sizes are very
    unequal (Bakirov and Székely 2005, as used by Ibragimov and Müller 2010). For low
    scores, it finds 1.9 to 3.4 times as many differences as Satterthwaite's degrees of
    freedom if units are unequal, and as many if they are equal.
    """
    # Rounding may leave a variance of 0 a little below 0.
    error = sqrt(max(variance, 0.0)) or _LEAST_ERROR
    return TTest(difference / error, n_units - 1)


def of_contributions(
    difference: float, influences: Influences, of_positives: PairedScore
) -> TTest:
    """Return the paired t test of the contributions of units of very unequal size to a
    difference.

    An influence is a distance from the difference: the contribution of the unit minus
    its share of the positives times the difference. If models are equal, the expected
    difference is 0, and nothing is subtracted. So the contribution is the influence
    plus this share of the difference. With 32 units of 1, 3 or 30 rows, this test finds
    .33 of the differences in place of .15. A permutation test, which exchanges the two
    models in some units, finds .36.
    """
    contributions = influences._replace(
        of_units=influences.of_units + difference * of_positives.share_of_positives,
        of_missed=influences.of_missed + difference * of_positives.share_of_missed,
    )
    n = of_positives.n_with_positives
    variance = (contributions.variance - difference**2 / n) * n / (n - 1)
    return t_of_units(difference, variance, n)


def errors_with_lost_positives(
    standard_error: float, lost: tuple[float, float]
) -> tuple[float, float]:
    """Return the standard errors below and above a difference.

    One more positive that the first model ranks last would lower the difference, and
    one that the second model ranks last would raise it. A sample in which the better
    model is perfect does not show how much it may lose. The squared loss is the
    variance of a share 1 / (n + 1) of positives of a kind that is missing from the
    sample (Good 1953). Without it, intervals cover the true difference of high scores
    in .78 to .95 of samples.
    """
    below, above = (hypot(standard_error, loss) for loss in lost)
    return below, above


def obeying_test(
    endpoints: Endpoints, difference: float, pvalue: float, risk: float
) -> Endpoints:
    """Return the endpoints of an interval, changed so that the interval excludes 0 if
    and only if the p-value is at most the risk.

    Only the endpoint next to 0 changes. The test has more power than the interval,
    since it assumes equal models. The intervals of Benjamini, Hochberg and Stark (1998)
    also use another test for 0 than for other values. An endpoint of 0 does not exclude
    0.
    """
    low, high = endpoints
    # `risk` is 1 minus the confidence level, which rounds it: 1 - .95 is above .05. A
    # p-value within a rounding error of the risk is at most the risk.
    if pvalue > risk * (1 + EQUAL):
        return min(low, 0.0), max(high, 0.0)
    nearest = NEXT_TO_0 * abs(difference)
    if difference > 0:
        return max(low, nearest), high
    return low, min(high, -nearest)

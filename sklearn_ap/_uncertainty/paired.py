"""The rules of a difference between two scores of the same units.

The rules use the influence of each unit and a few numbers of both scores, and need no
rows. Each rule is a function, and the docstrings report the measured effect of a rule
where there is one. The page *Intervals* describes the measurements.
"""

from collections.abc import Sequence
from math import asin, cbrt, hypot, inf, nan, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from .._core.rounding import EQUAL
from .._core.typing import FloatArray
from .._shown.numbers import NEXT_TO_0
from .endpoints import Endpoints, Negatives
from .influence import Influences, Spread

# The errors of two scores are skewed if the mean of both scores is below the first
# number or above the second number.
_LOW, _HIGH = 0.3, 0.75
# Units have very unequal sizes if their effective number is less than the first share
# of the number of units that contain a positive. The second share is used instead for
# high scores if rows have weights or a prevalence: between the two, at .6, tests of
# contributions reject equal models in up to .093 of samples.
_UNEQUAL, _UNEQUAL_OF_HIGH = 0.7, 0.5
# Replaces a standard error of 0, by which nothing can be divided.
_LEAST_ERROR = 1e-300


class PairedScore(NamedTuple):
    """One of two scores of the same units, with the inputs that the rules of their
    difference need.
    """

    score: float
    # Influence of each unit. Both scores have the same units in the same order.
    influences: Influences
    # Effective number of units that contain a positive.
    n_positives: float
    # Whether the score is the whole area of a single ranking.
    is_area: bool = False
    # For an area: the weight of the positives in each unit, divided by the weight of
    # all positives, found or missed.
    share_of_positives: FloatArray | float = 0.0
    # For an area: the weight of one missed positive, divided by the same weight.
    share_of_missed: float = 0.0
    # The score would fall by this amount if one more positive were ranked last.
    lost_positive: float = 0.0
    # Whether all rows of the area have the same weight, so that negatives can be heavy
    # only because of the size of their units.
    has_equal_rows: bool = False
    # Whether the area is evaluated at several recall levels.
    is_at_levels: bool = False

    @property
    def negatives(self) -> Negatives:
        """Effect of missing and of heavy negatives on the interval of the score."""
        return self.influences.inputs.negatives

    @property
    def n_with_positives(self) -> float:
        """Number of units that contain a positive, plus number of missed positives.
        Unlike `n_positives`, it does not depend on the sizes of the units.
        """
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
    """Return whether heavy negatives limit the degrees of freedom at least as much as
    positives do.
    """
    return _df_of_negatives(pair) <= pair[0].n_positives - 1


def _df_of_negatives(pair: Sequence[PairedScore]) -> float:
    """Return the smaller `Negatives.df` of the two scores; infinite without heavy
    negatives. A score of 0 is skipped, since it does not depend on negatives.
    """
    return min((each.negatives.df for each in pair if each.score), default=inf)


def spread_of(pair: Sequence[PairedScore], rounding: float) -> Spread:
    """Return the standard error of the difference, and its degrees of freedom.

    If most of the variance is due to few heavy negatives, the sample does not show how
    much other heavy negatives would change the difference. One more heavy negative
    above all rows would lower a score by a share L, and the standard error is
    multiplied by 1 + L squared. Without this factor, equal models at a prevalence are
    rejected in up to .16 of samples. Without this factor and without the limit of the
    degrees of freedom, they are rejected in up to .40 of samples.
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
      of large units, the scale is used: if the models are equal, the contribution of a
      unit to the difference may have either sign, whatever its size.
    - The mean score is below .3: the test of `t_of_units`.
    - Units have very unequal sizes: the test of `of_contributions`.
    - Otherwise: a t test of the difference on the scale.
    """
    first, second = pair
    scores = first.score, second.score
    mean = sum(scores) / 2
    # Effective number of units that contain a positive.
    n_effective = first.n_positives
    # The cube root of 0 has no derivative, and a variance below is divided by
    # `n_effective - 1`.
    has_scale = first.is_area and min(scores) > 0 and n_effective > 1
    # At levels, few rows may be most of the variance. The scale takes the number of
    # units for the degrees of freedom, and would reject equal models in .10 of samples.
    has_scale = has_scale and not first.is_at_levels
    is_heavy_by_weight = has_heavy_negatives(pair) and not first.has_equal_rows
    if not has_scale or is_heavy_by_weight:
        return TTest((first.score - second.score) / spread.standard_error, spread.df)
    (value, other_value), slopes = symmetric_scale(scores, n_effective)
    difference = value - other_value
    influences = first.influences.less(second.influences, *slopes)
    if mean < _LOW:
        # Influences are distances from the score, which is estimated from the same
        # positives. So their variance is divided by `n_effective - 1`.
        variance = influences.variance * n_effective / (n_effective - 1)
        return t_of_units(difference, variance, first.n_with_positives)
    # Both scores have the same units, so the sizes of the units are those of `first`.
    # Missed positives have no units, so they do not make units unequal.
    n_found = np.count_nonzero(first.share_of_positives)
    if n_effective < _largest_unequal_share(first, mean) * n_found:
        return of_contributions(difference, influences, first)
    error, df = influences.spread(n_effective, rounding)
    return TTest(difference / (error or _LEAST_ERROR), df)


def _largest_unequal_share(score: PairedScore, mean: float) -> float:
    """Return the share of the number of units that contain a positive, below which
    their effective number shows very unequal sizes. `mean` is the mean of both scores.
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

    If models are equal, the contribution of a unit to the difference may have either
    sign. A t test of such contributions is conservative at .05 even if their sizes are
    very unequal (Bakirov and Székely 2005, as used by Ibragimov and Müller 2010). For
    low scores and units of unequal size, it finds 1.9 to 3.4 times as many differences
    as a t test with Satterthwaite's degrees of freedom. If units have equal sizes, both
    tests find the same number of differences.
    """
    # Rounding may leave a variance of 0 a little below 0.
    error = sqrt(max(variance, 0.0)) or _LEAST_ERROR
    return TTest(difference / error, n_units - 1)


def of_contributions(
    difference: float, influences: Influences, of_positives: PairedScore
) -> TTest:
    """Return the paired t test of the contributions of units of very unequal size to a
    difference.

    The influence of a unit is its contribution, minus the difference times the share of
    the positives that the unit contains. The t test assumes that the models are equal,
    so that the expected difference is 0 and nothing should be subtracted. So the
    contribution is the influence plus this product. With 32 units of 1, 3 or 30 rows,
    the test of contributions finds .33 of the differences, and a test of influences
    .15. A permutation test, which exchanges the two models in some units, finds .36.

    The statistic is NaN if the estimate of the variance is negative: a few units with
    most of the positives, and the negatives of other units, may have contributions
    whose squares add up to less than that of the difference.
    """
    contributions = influences._replace(
        of_units=influences.of_units + difference * of_positives.share_of_positives,
        of_missed=influences.of_missed + difference * of_positives.share_of_missed,
    )
    n = of_positives.n_with_positives
    of_sum = contributions.variance
    variance = (of_sum - difference**2 / n) * n / (n - 1)
    # Rounding alone may make a variance of 0 a little negative.
    if variance < -EQUAL * of_sum:
        return TTest(nan, n - 1)
    return t_of_units(difference, variance, n)


def errors_with_lost_positives(
    standard_error: float, lost: tuple[float, float]
) -> tuple[float, float]:
    """Return the standard errors below and above a difference.

    `lost` has the amount by which each score would fall if the model ranked one more
    positive last. The loss of the first score would lower the difference, and the loss
    of the second score would raise it. A sample in which the better model is perfect
    does not show how much this model may lose.

    The squared loss is added to the squared standard error. It is the variance if a
    share 1 / (n + 1) of the positives is of a kind that is missing from the sample
    (Good 1953). Without the squared loss, intervals cover the true difference of high
    scores in .78 to .95 of samples.
    """
    below, above = (hypot(standard_error, loss) for loss in lost)
    return below, above


def obeying_test(
    endpoints: Endpoints, difference: float, pvalue: float, risk: float
) -> Endpoints:
    """Return the endpoints of an interval, changed so that the interval excludes 0 if
    and only if the p-value is at most the risk.

    Only the endpoint next to 0 changes. An endpoint of exactly 0 does not exclude 0.
    The test has more power than the interval, since it assumes equal models. The
    intervals of Benjamini, Hochberg and Stark (1998) also use one test for the value 0
    and another test for other values.
    """
    low, high = endpoints
    # `risk` is 1 minus the confidence level, so it has a rounding error: 1 - .95 is a
    # bit above .05. A p-value that exceeds the risk only by such an error is at most
    # the risk.
    if pvalue > risk * (1 + EQUAL):
        return min(low, 0.0), max(high, 0.0)
    nearest = NEXT_TO_0 * abs(difference)
    if difference > 0:
        return max(low, nearest), high
    return low, min(high, -nearest)

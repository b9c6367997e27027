"""The endpoints of the interval of a score, and of a difference."""

from math import exp, hypot, inf, isnan, nan, sqrt
from sys import float_info
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from scipy.optimize import minimize_scalar
from scipy.special import betaincinv, ndtr, ndtri, stdtrit

from ..._core.rounding import EQUAL, ROUNDING_PER_ROW
from ..._core.typing import FloatArray
from ..._shown.numbers import NEXT_TO_0
from ..sampling.one_more import Changes

# This file does not postpone the evaluation of annotations, so that `help` shows the
# types of the fields.
if TYPE_CHECKING:
    # An annotation `ConfidenceInterval` is that of floats. Python has such defaults
    # since 3.13.
    import typing_extensions

    FloatOrArray = typing_extensions.TypeVar(
        "FloatOrArray", float, FloatArray, default=float
    )
else:
    FloatOrArray = TypeVar("FloatOrArray", float, FloatArray)
# Below this number of degrees of freedom, an interval contains no information.
_LEAST_DF = 0.01
# A beta distribution whose parameters are both above this number is nearly normal. From
# some 3e10 on, the quantile of scipy 1.13 is NaN.
_NEARLY_NORMAL = 1e10
# An interval of a lower confidence level than this is that of this level: of level 0,
# the quotient of the quantiles t and z would be 0 / 0.
_LEAST_CONFIDENCE_LEVEL = EQUAL
# `farthest_quantile` searches the log of a share of the variance, from 0 down to this
# number.
_LEAST_LOG_SHARE = -40.0
# The step of this log that shows whether the quantile still moves away from the mean.
_STEP_OF_LOG_SHARE = 1e-6
# The error of the log that the search finds.
_ERROR_OF_LOG_SHARE = 1e-9
# The lower and the upper endpoint.
Endpoints = tuple[float, float]


class ConfidenceInterval(NamedTuple, Generic[FloatOrArray]):
    """Lower and upper endpoint of an interval; arrays if the estimate is an array.

    Parameters
    ----------
    low : float or ndarray of shape (n_pairs,)
        Lower endpoint.

    high : float or ndarray of shape (n_pairs,)
        Upper endpoint.

    Examples
    --------
    >>> from sklearn_ap import ConfidenceInterval
    >>> low, high = ConfidenceInterval(low=0.25, high=0.75)
    >>> low, high
    (0.25, 0.75)
    """

    low: FloatOrArray
    high: FloatOrArray


def rounding_of(n_rows: float, *scores: float) -> float:
    """Return the largest difference that rounding alone can make between two equal
    scores of `n_rows` rows.

    Each running sum of n weights has a relative error of at most n eps, and a score
    consists of a few such sums. So a difference between scores, a standard error or a
    distance from 1 below this bound has no meaning.
    """
    return 2 * ROUNDING_PER_ROW * n_rows * max(map(abs, scores))


def beta_quantile(mean: float, variance: float, probability: float) -> float:
    """Return the quantile of the beta distribution with this mean and variance.

    The variance of a beta distribution is below `mean * (1 - mean)`. If `variance` is
    not below this limit, the sample contains no information: the quantile is 1 for a
    probability above one half, and 0 otherwise. A mean of 0 or 1 is its own quantile.
    """
    if not 0 < mean < 1:
        return float(mean >= 1)
    # The sum of both parameters of the distribution.
    size = mean * (1 - mean) / variance - 1 if variance else inf
    if size <= 0:
        return float(probability > 0.5)
    # `betaincinv` is not precise there, and without variance it is not defined.
    if min(mean, 1 - mean) * size > _NEARLY_NORMAL:
        return mean + float(ndtri(probability)) * sqrt(variance)
    quantile = float(betaincinv(mean * size, (1 - mean) * size, probability))
    # In place of a lower quantile, `betaincinv` returns the least normal number.
    if quantile <= float_info.min:
        return 0.0
    return quantile


def farthest_quantile(mean: float, variance: float, probability: float) -> float:
    """Return the quantile that is farthest from the mean, among those of the beta
    distributions with this mean and at most this variance.

    A larger variance means that the sample shows less, so it must not make an interval
    shorter. But a beta distribution with nearly the largest variance has its weight
    close to 0 and close to 1. If less than the probability of the tail is at the end
    that is far from the mean, the quantile is at the other end. So as the variance
    grows, a quantile first moves away from the mean, and then may come back.
    """
    # The direction from the mean to the quantile, and the end of [0, 1] that is there.
    sign, end = -1.0, 0.0
    if probability > 0.5:
        sign, end = 1.0, 1.0

    def quantile_of(log_share: float) -> float:
        return beta_quantile(mean, variance * exp(log_share), probability)

    quantile = quantile_of(0.0)
    # No quantile is beyond the end.
    if quantile == end:
        return quantile
    has_turned = sign * quantile <= sign * quantile_of(-_STEP_OF_LOG_SHARE)
    if not has_turned:
        return quantile
    # Search the log of the share of the variance at which the quantile is farthest.
    turn = minimize_scalar(
        lambda log_share: -sign * quantile_of(log_share),
        bounds=(_LEAST_LOG_SHARE, 0.0),
        method="bounded",
        options={"xatol": _ERROR_OF_LOG_SHARE},
    )
    return -sign * float(turn.fun)


def reach_of(df: float, confidence_level: float) -> float:
    """Return how many standard errors an interval reaches: the quantile t."""
    return float(stdtrit(max(df, _LEAST_DF), _probability_of(confidence_level)))


def _probability_of(confidence_level: float) -> float:
    """Return the probability below the upper endpoint, which is above one half."""
    return 0.5 + max(confidence_level, _LEAST_CONFIDENCE_LEVEL) / 2


def endpoints_of(
    score: float,
    standard_error: float,
    df: float,
    changes: Changes,
    confidence_level: float,
    *,
    share_of_reach: float = 1.0,
) -> Endpoints:
    """Return the endpoints of a score; NaN if its uncertainty is undefined.
    `share_of_reach` is below 1 if the endpoints are fewer standard errors away than the
    confidence level says: if the threshold is already some standard errors away from
    its place in the sample (`places`).

    The upper endpoint of Clopper and Pearson, for k successes among n rows, is a
    quantile of a beta distribution whose mean is that of a sample with one more
    success, (k + 1) / (n + 1). Fay and Feuer (1997) add such an event to a sum of
    weighted counts. Here, each endpoint is the quantile of the beta distribution with
    the mean and the variance of the score in a sample with one more event: with more
    events that lower the score, and with one that raises it.

    The variance is estimated. So it is multiplied by the square of the quantile of the
    t distribution over that of the normal distribution.

    An interval of a higher confidence level contains that of a lower one: the factor of
    the variance grows with the level, and no larger variance brings an endpoint closer.
    """
    # If all changes, and the bias, are at most `EQUAL`, they are errors of rounding.
    if not df > 0 or not (standard_error or max(changes) > EQUAL):
        return nan, nan
    probability = _probability_of(confidence_level)
    deviate = float(ndtri(probability))
    scale = reach_of(df, confidence_level) / deviate
    if share_of_reach < 1:
        probability = float(ndtr(deviate * share_of_reach))
    # A beta distribution has no variance of 1, so larger ones are the same.
    variance = min(scale * standard_error, 1.0) ** 2 if standard_error else 0.0
    lowered = score - changes.lost - changes.alarm - changes.bias
    variance_if_lowered = variance + changes.lost**2 + changes.alarm**2
    low = farthest_quantile(lowered, variance_if_lowered, 1 - probability)
    raised = score + changes.found
    high = farthest_quantile(raised, variance + changes.found**2, probability)
    return min(low, score), max(high, score)


def endpoints_of_difference(
    difference: float,
    standard_error: float,
    df: float,
    *,
    pvalue: float,
    lowering: float,
    raising: float,
    bias: float,
    confidence_level: float,
) -> Endpoints:
    """Return the endpoints of the difference of two scores; NaN if its uncertainty is
    undefined. `df` are the degrees of freedom of the standard error.

    `lowering` is how much one more event would lower the difference, such as a positive
    that the first model ranks last, and `raising` how much one would raise it, such as
    a positive that the second model ranks last. If the better model is perfect in the
    sample, its contributions do not vary, and only such a positive shows how much its
    score may fall. The bias of the difference of two means moves the endpoint on its
    side.

    The endpoints obey the test: 0 lies outside if and only if the p-value is at most 1
    minus the confidence level. Only the endpoint next to 0 changes, and an endpoint of
    exactly 0 does not exclude 0. The intervals of Benjamini, Hochberg and Stark (1998)
    also use one test for the value 0 and another one for other values.
    """
    if isnan(pvalue):
        return nan, nan
    if not (standard_error or lowering or raising):
        # Both models agree on every unit, and in every sample.
        return difference, difference
    reach = reach_of(df, confidence_level)
    below = reach * hypot(standard_error, lowering)
    above = reach * hypot(standard_error, raising)
    low = max(difference - below - max(bias, 0.0), -1.0)
    high = min(difference + above - min(bias, 0.0), 1.0)
    # 1 minus the level has a rounding error: 1 - .95 is a bit above .05.
    if pvalue > (1 - confidence_level) * (1 + EQUAL):
        return min(low, 0.0), max(high, 0.0)
    nearest = NEXT_TO_0 * abs(difference)
    if difference > 0:
        return max(low, nearest), high
    return low, min(high, -nearest)

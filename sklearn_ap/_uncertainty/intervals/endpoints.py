"""The endpoints of the interval of a score, and of a difference."""

from collections.abc import Sequence
from math import hypot, inf, isnan, nan
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from scipy.special import betaincinv, ndtr, ndtri, stdtrit

from ..._core.rounding import EQUAL, NEXT_TO_0, ROUNDING_PER_ROW
from ..._core.typing import FloatArray
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
# An interval of a lower confidence level than this is that of this level: of level 0,
# the quotient of two quantiles would be 0 / 0.
_LEAST_CONFIDENCE_LEVEL = 1e-6
# From some 3e10 rows on, the quantile of a beta distribution of scipy 1.13 is NaN.
_MOST_ROWS = 1e10
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


def reach_of(df: float, confidence_level: float) -> float:
    """Return how many standard errors an interval reaches: the quantile t."""
    return -float(stdtrit(max(df, _LEAST_DF), _tail_of(confidence_level)))


def _tail_of(confidence_level: float) -> float:
    """Return the probability below the lower endpoint."""
    return 0.5 - max(confidence_level, _LEAST_CONFIDENCE_LEVEL) / 2


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

    It is the interval of Clopper and Pearson with an *effective sample size*, as Korn
    and Graubard (1998) compute it for shares in surveys. A share p of n rows has the
    variance p (1 - p) / n. So a score p of variance V is as precise as the share of

        n = p (1 - p) / V

    rows, but of at most `n_events`. For numbers between 0 and 1 whose mean is p have a
    variance of at most p (1 - p), and this worst case is taken: a sample of few events
    may look more precise than it is. The variance is estimated, so n is multiplied by
    the square of a quotient of two quantiles of the t distribution: that of `n_events`
    - 1 degrees of freedom, or of `df` if these are more, divided by that of `df`.

    Heavy negatives are few, and one more of them lowers the score. So the lower
    endpoint has the square of this change in V or, next to a score of 1, what makes n
    the number of such changes from 1 to 0.
    """
    # Rounding may move a score away from 1.
    below_1 = max(1 - score, EQUAL)
    most, alarm = changes.n_events, changes.alarm

    def n_of(variance: float) -> float:
        return min(score * below_1 / variance, most) if variance else most

    # A larger error than 1 shows no more than 1, and its square may overflow.
    variance = min(standard_error, 1.0) ** 2
    n = n_of(variance)
    n_of_low = n_of(variance + alarm * min(alarm, below_1))
    if not df > 0 or n == inf:
        return nan, nan
    of_events = reach_of(max(most - 1, df), confidence_level)
    ratio = (of_events / reach_of(df, confidence_level)) ** 2
    tail = float(ndtr(share_of_reach * ndtri(_tail_of(confidence_level))))
    low, high = 0.0, 1.0
    if score:
        low = _share_quantile(score, n_of_low * ratio, tail)
    if score < 1:
        high = 1 - _share_quantile(1 - score, n * ratio, tail)
    return max(min(low, score) - changes.bias, 0.0), max(high, score)


def _share_quantile(share: float, n: float, tail: float) -> float:
    """Return the lower endpoint of Clopper and Pearson for a share of n rows."""
    hits = share * min(n, _MOST_ROWS)
    return float(betaincinv(hits, hits / share - hits + 1, tail))


def endpoints_of_difference(
    difference: float,
    standard_error: float,
    df: float,
    *,
    lowering: float,
    raising: float,
    bias: float,
    confidence_level: float,
) -> Endpoints:
    """Return the endpoints of the difference of two scores of the same units. `df` are
    the degrees of freedom of the standard error.

    `lowering` is how much one more event would lower the difference, such as a positive
    that the first model ranks last, and `raising` how much one would raise it, such as
    a positive that the second model ranks last. If the better model is perfect in the
    sample, its contributions do not vary, and only such a positive shows how much its
    score may fall. The bias of the difference of two means moves the endpoint on its
    side.
    """
    if not (standard_error or lowering or raising):
        # Both models agree on every unit, and in every sample.
        return difference, difference
    reach = reach_of(df, confidence_level)
    below = reach * hypot(standard_error, lowering)
    above = reach * hypot(standard_error, raising)
    return (
        max(difference - below - max(bias, 0.0), -1.0),
        min(difference + above - min(bias, 0.0), 1.0),
    )


def endpoints_of_independent(
    scores: tuple[float, float], own: Sequence[Endpoints]
) -> Endpoints:
    """Return the endpoints of the difference of two scores of independent samples, from
    those of each score (Zou and Donner 2008).

    The difference is lowest if the first score is low and the second one high. Errors
    of independent samples add up like sides of a right triangle. So the distance of an
    endpoint from the difference is the root of the sum of the squares of the distances
    of these endpoints from their scores. A score that no sample changes has none.
    """
    (below_a, above_a), (below_b, above_b) = (
        [0.0 if isnan(end) else abs(score - end) for end in ends]
        for score, ends in zip(scores, own, strict=True)
    )
    difference = scores[0] - scores[1]
    return difference - hypot(below_a, above_b), difference + hypot(above_a, below_b)


def obeying(
    endpoints: Endpoints, difference: float, pvalue: float, confidence_level: float
) -> Endpoints:
    """Return endpoints that obey the test of a difference: 0 lies outside if and only
    if the p-value is at most 1 minus the confidence level; NaN without a p-value.

    Only the endpoint next to 0 changes, and an endpoint of exactly 0 does not exclude
    0. The intervals of Benjamini, Hochberg and Stark (1998) also use one test for the
    value 0 and another one for other values.
    """
    low, high = endpoints
    if isnan(pvalue):
        return nan, nan
    # If both are the difference, the models agree in every sample.
    if low == high:
        return endpoints
    # 1 minus the level has a rounding error: 1 - .95 is a bit above .05.
    if pvalue > (1 - confidence_level) * (1 + EQUAL):
        return min(low, 0.0), max(high, 0.0)
    nearest = NEXT_TO_0 * abs(difference)
    if difference > 0:
        return max(low, nearest), high
    return low, min(high, -nearest)

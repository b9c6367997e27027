"""p-values and intervals of many comparisons at once, by the joint distribution of their statistics.

Under the hypotheses, each comparison is a sum of influences around 0. If the influences of each unit are
multiplied by a standard normal number, the sums are normal with the covariance of the comparisons. So they
are drawn from it at once, whatever the number of units. p-values count as the normal deviates that have them:
they come from t distributions, each with its own degrees of freedom.
"""

from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.special import ndtr, ndtri

from .._typing import Alternative, FloatArray
from ._results import check_resamples

_EPS = float(np.finfo(np.float64).eps)


class Adjusted(NamedTuple):
    """Adjusted p-values, and the least p-value of each draw, which decides on simultaneous intervals."""

    pvalue: FloatArray
    least: FloatArray


def drawn_sums(influences: FloatArray, n_resamples: int, rng: Generator) -> FloatArray:
    """Return sums of influences (units x comparisons), times normal numbers of the units: a row per draw."""
    covariance = np.einsum("ui,uj->ij", influences, influences)  # not by threads of BLAS, which may differ
    error = np.sqrt(covariance.diagonal())
    scale = np.divide(1, error, out=np.zeros_like(error), where=error > 0)
    # Where comparisons depend on each other, a root exists but for rounding. Eigenvectors would need no such
    # help, but their signs depend on it: two calls with the same seed would differ.
    correlation = covariance * scale * scale[:, np.newaxis]
    correlation[np.diag_indices_from(correlation)] = 1 + 8 * _EPS * error.size
    return np.asarray(rng.normal(size=(n_resamples, error.size)) @ np.linalg.cholesky(correlation).T * error)


def adjusted(pvalue: FloatArray, error: FloatArray, drawn: FloatArray, alternative: Alternative) -> Adjusted:
    """Return p-values that hold for all comparisons at once: the probability that any would be as small.

    Each row of `drawn` holds the differences of a draw under the hypotheses. Comparisons whose p-value is NaN
    are not tested and stay NaN; those with the standard error 0 never reject. The steps are those of Westfall
    and Young (1993): the smallest p-value is held against all comparisons, the next one against the others.
    No p-value is above that of Holm.
    """
    tails = 2 if alternative == "two-sided" else 1
    order = np.argsort(pvalue, kind="stable")
    order = order[: np.count_nonzero(~np.isnan(pvalue))]
    order = order[error[order] > 0]
    each = np.where(error > 0, np.nan, pvalue)
    if not order.size:
        return Adjusted(each, np.ones(len(drawn)))
    drawn = drawn[:, order]
    drawn /= np.sqrt(np.square(drawn).mean(axis=0))
    deviates = {"two-sided": np.abs, "less": np.negative, "greater": np.positive}[alternative](drawn)
    # From the last comparison on, the largest deviate of those that are not rejected yet.
    largest = np.maximum.accumulate(deviates[:, ::-1], axis=1)[:, ::-1]
    reached = np.count_nonzero(largest >= -ndtri(pvalue[order] / tails), axis=0)
    of_draws = np.maximum.accumulate((reached + 1) / (len(drawn) + 1))
    # Draws are random, but these bounds are not; a single comparison is not adjusted.
    of_holm = np.maximum.accumulate(np.arange(order.size, 0, -1) * pvalue[order])
    each[order] = np.clip(of_draws, pvalue[order], np.minimum(of_holm, 1.0))
    return Adjusted(each, np.asarray(tails * ndtr(-largest[:, 0])))


def risk_of_each(risk: float, least: FloatArray, n_comparisons: int) -> float:
    """Return the risk of each interval, so small that all of them hold at once but for `risk`.

    That of Bonferroni is always enough, and a single interval has the whole risk.
    """
    check_resamples(1 - risk, least.size)
    place = int(risk * (least.size + 1) * (1 + 1e-12)) - 1
    return min(max(float(np.partition(least, place)[place]), risk / n_comparisons), risk)

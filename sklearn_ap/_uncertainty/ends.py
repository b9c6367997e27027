"""The ends of an interval, from the facts of a sample, which are numbers.

Each rule stands beside its reason, and reads facts whose defaults turn it off. The page
*Intervals* shows how often such intervals cover.
"""

from collections.abc import Sequence
from math import inf, isnan, log, nan, sqrt
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from scipy.special import betaincinv, expit, logit, stdtrit

from .._core.typing import FloatArray

# in files without postponed annotations, `help` shows what these are
FloatOrArray = TypeVar("FloatOrArray", float, FloatArray)
_FEW_HITS = 5  # or misses, below which simulated percentiles of a share are too narrow
# no t distribution has 0 degrees of freedom
_LEAST_T_DF = float(np.finfo(np.float64).tiny)

Ends = tuple[float, float]  # lower and upper
# Of a ranking: the weight of its positives, how many equal units would contain it, and
# both of negatives.
Classes = tuple[float, float, float, float]


class ConfidenceInterval(NamedTuple, Generic[FloatOrArray]):
    """Lower and upper end of an interval; arrays if the estimate is an array.

    .. versionadded:: 0.1

    Parameters
    ----------
    low : float or ndarray of shape (n_pairs,)
        Lower end.

    high : float or ndarray of shape (n_pairs,)
        Upper end.

    Examples
    --------
    >>> from sklearn_ap import ConfidenceInterval
    >>> low, high = ConfidenceInterval(low=0.25, high=0.75)
    >>> low, high
    (0.25, 0.75)
    """

    low: FloatOrArray
    high: FloatOrArray


class Columns(NamedTuple):
    """Rankings whose mean is the score: the columns of a matrix, or fixed queries."""

    each: tuple[Any, ...]  # facts of each ranking alone
    shares: FloatArray  # in the mean
    correlations: FloatArray  # of their errors


class Facts(NamedTuple):
    """All that the ends of an interval are made of; defaults change nothing."""

    level: float = nan  # of the interval
    score: float = nan
    standard_error: float = nan
    df: float = nan  # of the t distribution
    n_positives: float = nan  # how many equal units would contain them
    n_units: float = nan  # missed positives among them
    # how much higher the score is on average than in the population, if that is known
    bias: float = nan
    second: float = 0.0  # sum of squares of what units do: the squared standard error
    fourth: float = 0.0  # sum of fourth powers
    of_mean: bool = False  # whether the score is a mean over the units
    known_bias: float = 0.0  # of a mean of rankings, in part
    loss: float = 0.0  # what half a negative above all others would take from the score
    outweighed: float = 1.0  # positives that a negative outweighs
    # degrees of freedom that negatives leave, where each stands for several positives
    df_of_negatives: float = inf
    # how far a score at recall levels lies above that at every recall
    moved: float = 0.0
    # At a cut: what the hits are divided by, and how many of the others there are.
    divisor: float = nan
    other: float = nan
    # For the share of an amount: how many positives of equal amount would carry it.
    n_equal_amounts: float = nan
    floor: Any = None  # facts of step AP, which is never above interpolated precision
    # Of a score of 1: its rankings or, of a mean, how many units score 1. Empty if it
    # cannot be less.
    perfect: tuple[Classes, ...] | float = ()
    share: float = nan  # of positives in the sample, if the score is of one
    columns: Columns | None = None  # of a mean of rankings whose shares are fixed
    prevalence: float | None = None  # the share that the score is at

    @property
    def hits(self) -> float:
        """Hits above a cut."""
        return self.score * self.divisor


def _lacks_negatives(facts: Facts) -> bool:
    is_known = facts.known_bias > 0 or not facts.score
    return facts.loss > 0 and facts.df > 0 and facts.n_positives > 1 and not is_known


def _low_of_floor(facts: Facts) -> float:
    return ends_of(facts.floor._replace(level=facts.level))[0]


def _ends_of_few(facts: Facts) -> Ends:
    """Return the ends of Clopper and Pearson: the nearer for both numbers of rows."""
    hits, tail = facts.hits, 0.5 - facts.level / 2
    n = np.array((facts.divisor, max(facts.other, hits)))
    missed = np.maximum(n - hits, 0.0)
    low = np.where(hits, betaincinv(hits, missed + 1, tail), 0.0)
    high = np.where(missed, betaincinv(hits + 1, missed, 1 - tail), 1.0)
    least, most = (n * low).max(), (n * high).min()
    return float(least / facts.divisor), float(most / facts.divisor)


def _least_of_classes(
    risk: float,
    positives: float,
    n_positives: float,
    negatives: float,
    n_negatives: float,
) -> float:
    r"""Return the least average precision of populations where samples are perfect with
    this probability.

    If a share q of the negatives stands above all positives, and a share p of the
    positives below all negatives, a sample is perfect with the probability :math:`(1 -
    q)^N (1 - p)^P`. With the weights A and B of both classes, average precision is then
    :math:`\int_0^{1-p} \frac{A r}{A r + B q} dr + \int_{1-p}^1 \frac{A r}{A r + B} dr`.
    """
    parts = np.linspace(0, 1, 65)[1:] * log(risk)  # of the risk, what negatives take
    above = -negatives * np.expm1(parts / n_negatives)
    kept = np.exp((log(risk) - parts) / n_positives)
    lost = above * np.log1p(positives * kept / above)
    lost += negatives * np.log1p(
        positives * (1 - kept) / (positives * kept + negatives)
    )
    return float(1 - lost.max() / positives)


def df_of(facts: Facts) -> float:
    """Return the degrees of freedom of the t distribution: the lesser of two counts;
    NaN of one positive.
    """
    if facts.n_positives <= 1:
        return nan
    # A score is not more precise than a mean of as many values.
    counts = [facts.n_positives - 1]
    if not isnan(facts.divisor):
        counts.append(max(facts.divisor - 1, 1))
    # Few rows, such as heavy negatives, say little about the variance that they carry
    # (Satterthwaite).
    beyond_equal = facts.fourth - facts.second**2 / facts.n_units
    if beyond_equal > 0 and not facts.of_mean:
        counts.append(2 * facts.second**2 / beyond_equal)
    return max(float(min(counts)), _LEAST_T_DF)


def df_of_ends(facts: Facts) -> float:
    """Return the degrees of freedom of the interval: a high score pays for the same few
    rows by its shift.
    """
    if not _lacks_negatives(facts):
        return facts.df
    most = max(facts.n_positives - 1, facts.df)
    return 1 / (facts.score / most + (1 - facts.score) / facts.df)


def missing(facts: Facts) -> float:
    """Return what the negatives that a sample lacks may take from the score: a part of
    half a row above all others, which Jeffreys adds to a count.
    """
    if not _lacks_negatives(facts):
        return 0.0
    # Where positives limit the degrees of freedom, no negative is missing.
    part = 1 - sqrt(min(facts.df / (facts.n_positives - 1), 1.0))
    # Half of a heavy negative is missing, but for what a positive can match.
    if facts.outweighed > 1:
        part = max(part, 1 - 1 / facts.outweighed)
    return float(facts.loss * part)


def shift_of(facts: Facts) -> float:
    """Return how far below the score the lower end begins."""
    if facts.known_bias > 0:
        # Errors of rankings average out, their bias does not; half of it is known.
        return min(2 * facts.known_bias, facts.score / 2)
    return missing(facts)


def ends_of(facts: Facts) -> Ends:
    """Return the ends of the interval; NaN where the uncertainty is undefined."""
    if facts.n_units < 2 or facts.n_positives <= 1:
        return nan, nan
    if facts.moved:
        # Scores at levels are as unsure as at every recall.
        at_all = facts._replace(score=facts.score - facts.moved, moved=0.0)
        low, high = np.clip(np.add(ends_of(at_all), facts.moved), 0, 1).tolist()
        return low, high
    if facts.perfect:
        return _least_of_perfect(facts), 1.0
    if facts.columns is not None:
        return _of_columns(facts, facts.columns)
    low, high = _of_t(facts)
    if min(facts.hits, facts.divisor - facts.hits) < _FEW_HITS:
        # A t interval of few hits or misses is too short, or undefined.
        least, most = _ends_of_few(facts)
        low, high = np.fmin(low, least).item(), np.fmax(high, most).item()
    if facts.floor is not None:
        # The best precision of a sample is in part noise, which step AP does not have.
        low = min(low, _low_of_floor(facts))
    n_equal = facts.n_equal_amounts
    if n_equal > 0 and not isnan(low):
        # Days say little about an amount that few rows carry.
        least, most = _ends_of_few(facts._replace(divisor=n_equal, other=n_equal))
        low, high = min(low, least), max(high, most)
    return low, high


def _least_of_perfect(facts: Facts) -> float:
    """Return the least score of populations that have such perfect samples, too.

    If a mean of rankings was lower, one of them would be below its own least score.
    """
    risk = 1 - facts.level
    if isinstance(facts.perfect, tuple):
        return min(_least_of_classes(risk, *each) for each in facts.perfect)
    return float(risk ** (1 / facts.perfect))


def _of_t(facts: Facts) -> Ends:
    """Return the t interval on the logit scale."""
    score, error = facts.score, facts.standard_error
    if not (0 < score < 1 and error > 0):
        return nan, nan
    reach = stdtrit(df_of_ends(facts), 0.5 + facts.level / 2) * error
    reach /= score * (1 - score)
    ends = logit(score - shift_of(facts)) - reach, logit(_raised(facts)) + reach
    low, high = expit(ends).tolist()
    return low, high


def _raised(facts: Facts) -> float:
    """Return where the upper end begins.

    Near chance, the population may owe its excess to a positive or two at the top,
    which the sample lacks: one more positive there would raise the score by so much.
    """
    chance, score = facts.prevalence or facts.share, facts.score
    # The share of positives is not that of each ranking of a mean.
    is_cut = not isnan(facts.divisor)
    if facts.of_mean or is_cut or facts.columns is not None or isnan(chance):
        return score
    return score + (1 - score) / facts.n_positives * min(chance / score, 1.0) ** 2


def _of_columns(facts: Facts, columns: Columns) -> Ends:
    """Return the ends of a mean from the ends of its rankings (Zou and Donner).

    A ranking of few positives has long tails, which the t distribution of the mean
    would not have. Errors average out, the bias does not; half of it is known.
    """
    scores = np.array([each.score for each in columns.each])
    ends = [_of_column(each._replace(level=facts.level)) for each in columns.each]

    def reach(distance: FloatArray) -> float:
        distance = distance * columns.shares
        return sqrt(max(float(distance @ columns.correlations @ distance), 0.0))

    low, high = np.array(ends).T
    least = facts.score - reach(scores - low) - 2 * max(facts.known_bias, 0.0)
    most = facts.score + reach(high - scores)
    # Near 1, the logit scale of the mean reaches farther up than those of rankings.
    return max(least, 0.0), max(min(most, 1.0), _of_t(facts)[1])


def _of_column(facts: Facts) -> Ends:
    """Return the ends of one of several rankings; those that leave all open where there
    are none.
    """
    if not facts.n_positives:  # the same score in every sample
        return facts.score, facts.score
    low, high = ends_of(facts)
    if isnan(low + high):
        # a share of 0, or of 1, of as many positives
        least = (1 - facts.level) ** (1 / facts.n_positives)
        low = least if facts.score == 1 else 0.0
        high = 1 - least if facts.score == 0 else 1.0
    return low, high


def mean_of(parts: Sequence[Facts], shares: FloatArray) -> Facts:
    """Return the facts of a mean of rankings."""
    return Facts(
        loss=float(shares.dot([each.loss for each in parts])),
        df_of_negatives=float(sum(each.df_of_negatives for each in parts)),
    )

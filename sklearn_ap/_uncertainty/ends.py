"""The ends of an interval, from the facts of a sample, which are numbers.

Each rule stands beside its reason. The page *Intervals* shows how often such intervals
cover.
"""

from math import inf, isnan, log, nan, sqrt
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from scipy.special import betaincinv, expit, logit, stdtrit

from .._core.rounding import EQUAL
from .._core.typing import FloatArray
from .one_more_event import ends_with_one_more

# in files without postponed annotations, `help` shows what these are
FloatOrArray = TypeVar("FloatOrArray", float, FloatArray)
_FEW_HITS = 5  # or misses, below which simulated percentiles of a share are too narrow
_LEAST = 1e-300  # instead of 0, where a quotient or logarithm must be a number

Ends = tuple[float, float]  # lower and upper


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


class Negatives(NamedTuple):
    """What the negatives of a ranking, or of the rankings of a mean, may do."""

    loss: float = 0.0  # what a negative above all others would take from the score
    outweighed: float = 1.0  # positives that a negative outweighs; at least 1
    # degrees of freedom that they leave, where each stands for several positives
    df: float = inf


class Cut(NamedTuple):
    """What makes a share of hits."""

    divisor: float  # of the hits
    most: float = inf  # rows, or positives, that contain the hits, too
    at_step: float = inf  # positives around a recall, which say how dense they are

    @property
    def n(self) -> float:
        """The fewer of both numbers of rows."""
        return min(self.divisor, self.most)

    def has_few(self, score: float) -> bool:
        """Whether there are few hits or misses."""
        hits = score * self.divisor
        return min(hits, self.n - hits) < _FEW_HITS * (1 - EQUAL)

    def ends(self, score: float, level: float) -> Ends:
        """Return the ends of Clopper and Pearson: of the hits among the fewer of both
        numbers of rows.
        """
        hits, tail = score * self.divisor, 0.5 - level / 2
        n = max(self.n, hits)
        low, high = 0.0, n
        if hits:
            low = n * betaincinv(hits, n - hits + 1, tail)
        if hits < n:
            high = n * betaincinv(hits + 1, n - hits, 1 - tail)
        return float(low / self.divisor), float(high / self.divisor)


class Curve(NamedTuple):
    """The thresholds of a curve, the best first, and a recall that one of them reaches."""

    recall: float
    hits: FloatArray  # at each threshold, as shares of all positives
    misses: FloatArray  # in the same unit
    n_positives: float  # of equal rows
    n_rows: float  # of equal rows, at or above the threshold that reaches the recall

    def ends(self, facts: "Facts", level: float) -> Ends:
        """Return the ends of the precision at this recall.

        Another sample reaches the recall at another threshold, whose recall here has
        the ends of a binomial share; and the rows above it have those of theirs. On the
        scale of log odds, both distances are added in squares (Zou and Donner).
        """
        # with those that were missed
        n, tail = facts.n_positives / self.hits[-1], 0.5 - level / 2
        rows = Cut(self.n_rows * n / self.n_positives)
        least, most = Cut(n).ends(self.recall, level)
        if self.recall**n >= tail:  # all positives may be above its threshold
            most = inf
        recalls = np.array((self.recall, most, least)) * (1 - EQUAL)
        place = self.hits.searchsorted(recalls).clip(max=self.hits.size - 1)
        odds = self.hits[place[0]] / self.misses[place[1:]].clip(_LEAST)
        # half a miss is never known
        start = logit(min(facts.score, 1 / (1 + 0.5 / rows.divisor)))
        ends = np.array(
            (np.log(odds.clip(_LEAST)), logit(rows.ends(facts.score, level)))
        )
        side = np.array((1.0, -1.0))
        # at a prevalence below 1e-150, a share has no ends
        away = np.fmax(side * (start - ends), 0.0)
        low, high = expit(start - side * np.hypot(*away)).tolist()
        return low, high


class FixedRankings(NamedTuple):
    """Rankings with fixed shares in a mean: columns of a matrix, or fixed queries."""

    each: tuple["Facts", ...]
    shares: FloatArray  # in the mean
    shared: float  # the variance of the mean, over that of independent rankings


class ClassWeights(NamedTuple):
    """The weights of both classes of a ranking, and how many equal units would contain
    them.
    """

    positives: float
    n_positives: float
    negatives: float
    n_negatives: float

    def least_score(self, risk: float) -> float:
        r"""Return the least average precision of populations where samples are perfect
        with this probability.

        If a share q of the negatives stands above all positives, and a share p of the
        positives below all negatives, a sample is perfect with the probability :math:`(1
        - q)^N (1 - p)^P`. With the weights A and B of both classes, average precision
        is then :math:`\int_0^{1-p} \frac{A r}{A r + B q} dr + \int_{1-p}^1 \frac{A r}{A
        r + B} dr`.
        """
        positives, negatives = self.positives, self.negatives
        # Of the risk, what negatives take.
        parts = np.linspace(0, 1, 65)[1:] * log(risk)
        above = -negatives * np.expm1(parts / self.n_negatives)
        kept = np.exp((log(risk) - parts) / self.n_positives)
        lost = above * np.log1p(positives * kept / above)
        below = positives * (1 - kept) / (positives * kept + negatives)
        lost += negatives * np.log1p(below)
        return float(1 - lost.max() / positives)


class PerfectMean(NamedTuple):
    """Units that all score 1, and whose mean is the score."""

    n_units: float

    def least_score(self, risk: float) -> float:
        """Return the least score of populations that have such samples, too."""
        return float(risk ** (1 / self.n_units))


class Facts(NamedTuple):
    """All that the ends of an interval are made of; None where rules do not apply."""

    score: float = nan
    standard_error: float = nan
    df: float = nan  # of the standard error
    n_positives: float = nan  # how many equal units would contain them
    n_units: float = nan  # missed positives among them
    is_mean: bool = False  # over the units
    share: float | None = None  # of positives in the sample, if the score is of one
    prevalence: float | None = None  # the share that the score is at
    negatives: Negatives = Negatives()
    cut: Cut | None = None
    known_bias: float | None = None  # of a mean over columns or fixed queries, in part
    columns: FixedRankings | None = None  # if its shares are fixed
    # If the score is 1. If a mean was lower, one of them would be below its own least.
    perfect: tuple[ClassWeights | PerfectMean, ...] = ()
    # of a share at a cut, if units are drawn: one more miss and one more hit, as shares
    events: FloatArray | None = None
    curve: Curve | None = None  # of a precision at a recall
    amounts: Cut | None = None  # of a share of an amount: positives of equal amount
    step: "Facts | None" = None  # of step AP, which bounds interpolated precision


def shift_of(facts: Facts) -> float:
    """Return how far below the score the lower end begins.

    A heavy negative above all others may be missing, but for what a positive can match.
    If only half of it is missing, intervals at a prevalence far below the sample's
    share cover .87 in place of .96.
    """
    if facts.known_bias is not None:
        # Errors of rankings average out, their bias does not; half of it is known.
        return min(max(2 * facts.known_bias, 0.0), facts.score / 2)
    if not facts.negatives.loss:
        return 0.0
    # Where few rows carry the variance, another like them may be missing, of which half
    # counts, as Jeffreys adds to a count. Without it, high scores of negatives with heavy
    # tails are covered in .85 of samples in place of .97.
    part = (1 - sqrt(facts.df / (facts.n_positives - 1))) / 2
    return float(facts.negatives.loss * max(part, 1 - 1 / facts.negatives.outweighed))


def ends_of(facts: Facts, level: float) -> Ends:
    """Return the ends of the interval; NaN where the uncertainty is undefined."""
    if facts.n_units < 2 or facts.n_positives <= 1:
        return nan, nan
    if facts.columns is not None and not facts.perfect:
        return _of_columns(facts, facts.columns, level)
    if facts.curve is not None:
        return facts.curve.ends(facts, level)
    if facts.events is not None:
        variance = facts.standard_error**2
        return ends_with_one_more(facts.score, variance, facts.events, level)
    low, high = _of_t(facts, level)
    if facts.perfect:
        # Populations that have perfect samples have such samples, too.
        least = min(each.least_score(1 - level) for each in facts.perfect)
        low, high = np.fmin((low, high), (least, 1.0)).tolist()
    elif facts.cut is not None and facts.cut.has_few(facts.score):
        # A t interval of few hits or misses is too short, or undefined.
        least, most = facts.cut.ends(facts.score, level)
        low, high = np.fmin(low, least).item(), np.fmax(high, most).item()
    if facts.step is not None:
        # The best precision of a sample is in part noise, which step AP does not have.
        low = min(low, ends_of(facts.step, level)[0])
    if facts.amounts is not None and not isnan(low):
        # Days say little about an amount that few rows carry.
        least, most = facts.amounts.ends(facts.score, level)
        low, high = min(low, least), max(high, most)
    return low, high


def _of_t(facts: Facts, level: float) -> Ends:
    """Return the t interval on the logit scale."""
    score, error = facts.score, facts.standard_error
    if not (0 < score < 1 - EQUAL and error > 0):
        return nan, nan
    reach = stdtrit(facts.df, 0.5 + level / 2) * error
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
    of_one = not facts.is_mean and facts.columns is None
    if chance is None or not of_one or facts.cut is not None:
        return score
    return score + (1 - score) / facts.n_positives * min(chance / score, 1.0) ** 2


def _of_columns(facts: Facts, columns: FixedRankings, level: float) -> Ends:
    """Return the ends of a mean from the ends of its rankings (Zou and Donner).

    A ranking of few positives has long tails, which the t distribution of the mean
    would not have. Errors average out, the bias does not; half of it is known.
    """
    scores = np.array([each.score for each in columns.each])
    low, high = np.array([_of_column(each, level) for each in columns.each]).T

    def reach(distance: FloatArray) -> float:
        return sqrt(columns.shared * np.square(columns.shares * distance).sum())

    bias = max(facts.known_bias or 0.0, 0.0)
    least = facts.score - reach(scores - low) - 2 * bias
    most = facts.score + max(reach(high - scores) - bias, 0.0)
    return max(least, 0.0), min(most, 1.0)


def _of_column(facts: Facts, level: float) -> Ends:
    """Return the ends of one of several rankings; those that leave all open where there
    are none.
    """
    if not facts.n_positives:  # the same score in every sample
        return facts.score, facts.score
    low, high = ends_of(facts, level)
    if isnan(low + high):
        # a share of 0, or of 1, of as many positives
        least = (1 - level) ** (1 / facts.n_positives)
        low = least if facts.score > 1 - EQUAL else 0.0
        high = 1 - least if facts.score < EQUAL else 1.0
    return low, high

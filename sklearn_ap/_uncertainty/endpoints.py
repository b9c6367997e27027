"""The endpoints of a confidence interval, from the numbers that describe a sample.

`endpoints_of` is the place to begin: it applies the rules one after the other, each
next to its reason. The page *Intervals* lists the rules and shows how often such
intervals cover.
"""

from math import inf, isnan, log, nan, sqrt
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from scipy.special import betaincinv, expit, logit, stdtrit

from .._core.rounding import EQUAL
from .._core.typing import FloatArray
from .one_more_event import endpoints_with_one_more

# This file does not postpone the evaluation of annotations, so that `help` shows the
# types of the fields.
FloatOrArray = TypeVar("FloatOrArray", float, FloatArray)
# With fewer successes or failures, intervals of a proportion that are not exact were
# too short in simulations.
_FEW_SUCCESSES = 5
# Replaces 0 in a quotient or a logarithm, so that the result is finite.
_LEAST_ODDS = 1e-300

# The lower and the upper endpoint.
Endpoints = tuple[float, float]


class ConfidenceInterval(NamedTuple, Generic[FloatOrArray]):
    """Lower and upper endpoint of an interval; arrays if the estimate is an array.

    .. versionadded:: 0.1

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


class Negatives(NamedTuple):
    """Effect of missing and of heavy negatives on the interval of a ranking, or of a
    mean over rankings.
    """

    # The score falls by this amount if one more negative is added above all rows.
    loss: float = 0.0
    # Number of positives that a negative outweighs, at least 1. A negative is heavy if
    # it outweighs more than one positive.
    outweighed: float = 1.0
    # Upper limit of the degrees of freedom of a difference between two scores; infinite
    # unless negatives are heavy.
    df: float = inf


class BinomialProportion(NamedTuple):
    """The numbers of a score that is a number of hits over a divisor, such as precision
    or recall.

    The number of hits is at most the number of retrieved rows, and at most the number
    of positives. The divisor is one of these two limits. The number of binomial trials
    is the smaller limit.
    """

    divisor: float
    # The limit (retrieved rows or positives) that is not the divisor; infinite if it
    # does not limit the hits.
    most: float = inf
    # For a precision at a recall: the number of positives near the threshold that
    # reaches this recall. The precision near the threshold is estimated from them.
    at_step: float = inf

    @property
    def n(self) -> float:
        """Number of binomial trials."""
        return min(self.divisor, self.most)

    def has_few(self, score: float) -> bool:
        """Return whether there are fewer than five successes or fewer than five
        failures.
        """
        hits = score * self.divisor
        # Five successes are not few, even if rounding leaves their number a little
        # below 5.
        return min(hits, self.n - hits) < _FEW_SUCCESSES * (1 - EQUAL)

    def endpoints(self, score: float, confidence_level: float) -> Endpoints:
        """Return the exact binomial endpoints of the score (Clopper and Pearson)."""
        hits, tail = score * self.divisor, 0.5 - confidence_level / 2
        # With weights, `n` and `hits` are approximate, so hits may exceed the trials.
        n = max(self.n, hits)
        low, high = 0.0, n
        if hits:
            low = n * betaincinv(hits, n - hits + 1, tail)
        if hits < n:
            high = n * betaincinv(hits + 1, n - hits, 1 - tail)
        return float(low / self.divisor), float(high / self.divisor)


class Curve(NamedTuple):
    """A recall, and the true and false positives at all thresholds, highest first."""

    recall: float
    # Weight of the true positives at each threshold, divided by the weight of all
    # positives.
    tp: FloatArray
    # Weight of the false positives, divided by the same weight. If precision is the
    # best one at each recall or beyond, `fp` is tp * (1 / precision - 1).
    fp: FloatArray
    # Effective number of all positives, which accounts for weights and ignores units.
    n_positives: float
    # Effective number of the rows at or above the threshold that reaches the recall. It
    # ignores units, too.
    n_rows: float

    def endpoints(
        self, precision: float, n_with_positives: float, confidence_level: float
    ) -> Endpoints:
        """Return the endpoints of the precision at this recall.

        Two numbers are uncertain: the threshold at which another sample reaches the
        recall, and the precision at that threshold. Both have binomial endpoints. The
        distances of these endpoints from the estimate are measured on the log odds
        scale, and the root of the sum of their squares is used (Zou and Donner 2008).

        `n_with_positives` is the effective number of units that contain a positive. If
        units have several rows, it is smaller than the number of positives.
        """
        tail = 0.5 - confidence_level / 2
        # The last value of `tp` is the share of the positives that were found. So this
        # division adds the missed positives.
        n = n_with_positives / self.tp[-1]
        # Units reduce the effective number of rows by the same factor as the effective
        # number of positives.
        rows = BinomialProportion(self.n_rows * n / self.n_positives)
        # The threshold at which another sample reaches `self.recall` has a recall
        # between `least` and `most` in this sample.
        least, most = BinomialProportion(n).endpoints(self.recall, confidence_level)
        # With the probability `recall ** n`, all n positives of a sample are above the
        # threshold that reaches `recall` in the population. Unless this probability is
        # small, the threshold may be below all positives of this sample.
        if self.recall**n >= tail:
            most = inf
        # A running sum that is below a recall only by rounding reaches it.
        recalls = np.array((self.recall, most, least)) * (1 - EQUAL)
        places = self.tp.searchsorted(recalls).clip(max=self.tp.size - 1)
        here, at_most, at_least = places
        # The threshold reaches `self.recall` in the population, so its true positives
        # in the population are known. Its false positives there are estimated by those
        # of this sample at the same threshold.
        odds = self.tp[here] / self.fp[[at_most, at_least]].clip(_LEAST_ODDS)
        # A precision of 1 has infinite log odds. With half a false positive among n
        # rows, it is 1 / (1 + 0.5 / n).
        start = logit(min(precision, 1 / (1 + 0.5 / rows.divisor)))
        endpoints = np.array(
            (
                np.log(odds.clip(_LEAST_ODDS)),
                logit(rows.endpoints(precision, confidence_level)),
            )
        )
        side = np.array((1.0, -1.0))
        # At a prevalence below 1e-150, the binomial endpoints are NaN. `fmax` replaces
        # these distances by 0.
        away = np.fmax(side * (start - endpoints), 0.0)
        low, high = expit(start - side * np.hypot(*away)).tolist()
        return low, high


class ScoreAtCut(NamedTuple):
    """Inputs of the rules of a score at a cut or at a recall."""

    proportion: BinomialProportion
    # Weights of one more failure and of one more success, divided by the divisor of the
    # score. None unless the score is a share of rows and units are drawn.
    events: FloatArray | None = None
    # The thresholds of a precision at a recall; None for other scores.
    curve: Curve | None = None


class FixedRankings(NamedTuple):
    """Inputs of the rules of a mean over columns or fixed queries. Every sample contains
    all of these rankings.
    """

    # The part of the bias of the mean that is known, which is about half of the bias.
    known_bias: float
    # The inputs of the interval of each ranking. Empty if the interval of the mean does
    # not use them: if the share of a ranking in the mean depends on its positives, or
    # if the sample is perfect.
    each: tuple["IntervalInputs", ...] = ()
    # Share of each ranking in the mean.
    shares: FloatArray | float = 0.0
    # Variance of the mean, divided by its variance if the rankings were independent.
    shared: float = 1.0

    def endpoints(self, score: float, confidence_level: float) -> Endpoints:
        """Return the endpoints of the mean, computed from the endpoints of its rankings
        (Zou and Donner 2008).

        The interval of a ranking with few positives is long on one side, and the t
        interval of the mean would not be. Random errors of the rankings partly cancel
        in the mean, but their biases do not.
        """
        scores = np.array([each.score for each in self.each])
        endpoints = [endpoints_of_ranking(each, confidence_level) for each in self.each]
        low, high = np.array(endpoints).T

        def reach(distance: FloatArray) -> float:
            return sqrt(self.shared * np.square(self.shares * distance).sum())

        # The known half of the bias is certain, so it is subtracted from the upper
        # endpoint. The whole bias may be twice as large, so twice the known half is
        # subtracted from the lower endpoint.
        bias = max(self.known_bias, 0.0)
        least = score - reach(scores - low) - 2 * bias
        most = score + max(reach(high - scores) - bias, 0.0)
        return max(least, 0.0), min(most, 1.0)


class ClassWeights(NamedTuple):
    """Weight and effective number of units of the positives and of the negatives."""

    positives: float
    n_positives: float
    negatives: float
    n_negatives: float

    def least_score(self, risk: float) -> float:
        r"""Return the lowest average precision of a population whose samples are
        perfect with the probability `risk`.

        In the population, a share q of the negatives is above all positives, and a
        share p of the positives is below all negatives. A sample of N negatives and P
        positives is perfect if it contains no such row. The probability of this is
        :math:`(1 - q)^N (1 - p)^P`. With the weights A of the positives and B of the
        negatives, average precision is :math:`\int_0^{1-p} \frac{A r}{A r + B q} dr +
        \int_{1-p}^1 \frac{A r}{A r + B} dr`.
        """
        positives, negatives = self.positives, self.negatives
        # log(risk) = N log(1 - q) + P log(1 - p). The lowest score is searched among 64
        # ways to divide log(risk) into these two terms: `parts` has the values of the
        # first term, N log(1 - q).
        parts = np.linspace(0, 1, 65)[1:] * log(risk)
        # `above` is B q, and `kept` is 1 - p.
        above = -negatives * np.expm1(parts / self.n_negatives)
        kept = np.exp((log(risk) - parts) / self.n_positives)
        # `lost` is A times 1 minus the score, for each way to divide log(risk): A times
        # the integrals of 1 minus each fraction.
        lost = above * np.log1p(positives * kept / above)
        below = positives * (1 - kept) / (positives * kept + negatives)
        lost += negatives * np.log1p(below)
        return float(1 - lost.max() / positives)


class PerfectMean(NamedTuple):
    """A mean over units that all score 1."""

    n_units: float

    def least_score(self, risk: float) -> float:
        """Return the lowest score of a population whose samples are perfect with the
        probability `risk`.

        In this population, each unit scores 1 or 0. So n units all score 1 with the
        probability score^n.
        """
        return float(risk ** (1 / self.n_units))


class IntervalInputs(NamedTuple):
    """All inputs of an interval: the numbers of the estimate, and the inputs of the
    rules. If an input of a rule has its default value, the rule changes no endpoint.
    """

    score: float = nan
    standard_error: float = nan
    # Degrees of freedom of the standard error.
    df: float = nan
    # Effective number of units that contain a positive; for a mean over units,
    # effective number of units.
    n_positives: float = nan
    # Number of units. If rows are units, missed positives are included.
    n_units: float = nan
    # Whether the score is a mean over the units.
    is_mean: bool = False
    negatives: Negatives = Negatives()
    # The score that random rankings approach as rows increase: the prevalence if the
    # caller passed one, else the share of positives. 0 if no rule needs it.
    chance: float = 0.0
    # None unless the score is one at a cut, or a precision at a recall.
    at_cut: ScoreAtCut | None = None
    # None unless the score is a mean over columns or fixed queries.
    rankings: FixedRankings | None = None
    # The rankings, or the mean over units, from which the lowest score of a population
    # with perfect samples is computed. Empty unless the score is 1 or positives are
    # heavy.
    perfect: tuple[ClassWeights | PerfectMean, ...] = ()
    # For a share of an amount: the binomial proportion with as many trials as the
    # effective number of positives, weighted by their amounts. None for other scores.
    amounts: BinomialProportion | None = None
    # Inputs of the interval of step AP on the same rows, if the score interpolates
    # precision.
    step: "IntervalInputs | None" = None


def shift_of(inputs: IntervalInputs) -> float:
    """Return the amount by which the score is lowered for the lower endpoint.

    A negative with a high score may be missing from the sample. If it outweighs c
    positives, a share 1 - 1 / c of its loss is subtracted, since the variation of the
    positives already accounts for the rest. If only half of the loss were subtracted,
    intervals at a prevalence far below the share of positives in the sample would cover
    .87 in place of .96.
    """
    if inputs.rankings is not None:
        # In a mean over rankings, random errors partly cancel, but biases do not. Only
        # about half of the bias is known, so twice the known part is subtracted. At
        # least half of the score is left, since a score of 0 or less has no logit.
        return min(max(2 * inputs.rankings.known_bias, 0.0), inputs.score / 2)
    if not inputs.negatives.loss:
        return 0.0
    # If most of the variance is due to a few rows, another such row may be missing from
    # the sample. Up to half of the loss by one more such row is subtracted, just as
    # Jeffreys' interval adds one half to a count. Without this part, intervals of high
    # scores cover .85 in place of .97 if the scores of negatives have heavy tails.
    part = (1 - sqrt(inputs.df / (inputs.n_positives - 1))) / 2
    return float(inputs.negatives.loss * max(part, 1 - 1 / inputs.negatives.outweighed))


def endpoints_of(inputs: IntervalInputs, confidence_level: float) -> Endpoints:
    """Return the endpoints of the interval; NaN if the uncertainty is undefined."""
    score, at_cut = inputs.score, inputs.at_cut
    # A single unit or positive does not show how much samples vary.
    if inputs.n_units < 2 or inputs.n_positives <= 1:
        return nan, nan
    if inputs.rankings and inputs.rankings.each:
        return inputs.rankings.endpoints(score, confidence_level)
    if at_cut and at_cut.curve:
        return at_cut.curve.endpoints(score, inputs.n_positives, confidence_level)
    if at_cut and at_cut.events is not None:
        variance = inputs.standard_error**2
        return endpoints_with_one_more(score, variance, at_cut.events, confidence_level)
    # Other scores have a t interval, which the following rules make longer.
    low, high = _of_t(inputs, confidence_level)
    if inputs.perfect:
        # A population that scores less than 1 can also produce a perfect sample.
        # `least` is the smallest of the lowest scores of the rankings: if their mean is
        # below `least`, at least one ranking is below its own lowest score.
        least = min(each.least_score(1 - confidence_level) for each in inputs.perfect)
        low, high = np.fmin((low, high), (least, 1.0)).tolist()
    elif at_cut and at_cut.proportion.has_few(score):
        # With few successes or failures, the t interval is too short, or undefined.
        exact = at_cut.proportion.endpoints(score, confidence_level)
        low, high = farther_out((low, high), exact)
    if inputs.step is not None:
        # The best precision in a sample is partly due to noise, and so is a score that
        # interpolates precision. Step AP is not, so its lower endpoint is a limit.
        low_of_step, _ = endpoints_of(inputs.step, confidence_level)
        low = min(low, low_of_step)
    if inputs.amounts is not None and not isnan(low):
        # The t interval follows from the variation between days. If few rows have most
        # of the amount, this variation underestimates the uncertainty.
        exact = inputs.amounts.endpoints(score, confidence_level)
        low, high = farther_out((low, high), exact)
    return low, high


def farther_out(first: Endpoints, second: Endpoints) -> Endpoints:
    """Return the lower one of both lower endpoints, and the higher one of both upper
    endpoints. NaN is ignored.
    """
    low, high = first
    other_low, other_high = second
    return float(np.fmin(low, other_low)), float(np.fmax(high, other_high))


def _of_t(inputs: IntervalInputs, confidence_level: float) -> Endpoints:
    """Return the endpoints of the t interval on the logit scale."""
    score, standard_error = inputs.score, inputs.standard_error
    # The logit of 0 and of 1 is infinite. A perfect score may be a rounding error below
    # 1, where its logit would only reflect this error.
    if not (0 < score < 1 - EQUAL and standard_error > 0):
        return nan, nan
    reach = stdtrit(inputs.df, 0.5 + confidence_level / 2) * standard_error
    # Dividing by score * (1 - score) turns the standard error of the score into the
    # standard error of its logit.
    reach /= score * (1 - score)
    raised = score
    if inputs.chance:
        # If the score is near chance, the score of the population may be higher only
        # because of one or two positives at the top, which are missing from the sample.
        # One more positive at the top would raise the score by about (1 - score) / P.
        # Because of the square, the effect of this rule falls quickly as scores rise
        # above chance.
        of_one = (1 - score) / inputs.n_positives
        raised += of_one * min(inputs.chance / score, 1.0) ** 2
    endpoints = logit(score - shift_of(inputs)) - reach, logit(raised) + reach
    low, high = expit(endpoints).tolist()
    return low, high


def endpoints_of_ranking(inputs: IntervalInputs, confidence_level: float) -> Endpoints:
    """Return the endpoints of a ranking that is part of a mean; never NaN.

    If the interval is undefined, the endpoints are 0 and 1, except where the ranking
    scores 1 or 0.
    """
    # Without positives, the ranking has the same score in every sample.
    if not inputs.n_positives:
        return inputs.score, inputs.score
    low, high = endpoints_of(inputs, confidence_level)
    if isnan(low + high):
        # If the probability of a success is `least`, all P trials are successes in a
        # share 1 - confidence_level of samples.
        least = (1 - confidence_level) ** (1 / inputs.n_positives)
        # Scores within a rounding error of 1 or 0 are treated as 1 or 0.
        low = least if inputs.score > 1 - EQUAL else 0.0
        high = 1 - least if inputs.score < EQUAL else 1.0
    return low, high

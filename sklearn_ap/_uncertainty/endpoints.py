"""The endpoints of a confidence interval, from the numbers that describe a sample.

`endpoints_of` is the place to begin: it applies the rules one after the other, each
next to its reason. The page *Intervals* lists the rules and shows how often such
intervals cover.
"""

from math import inf, isnan, nan, sqrt
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from scipy.special import betaincinv, expit, logit, ndtri, stdtrit

from .._core.rounding import EQUAL
from .._core.typing import FloatArray
from .one_more_event import beta_quantile, endpoints_with_one_more

# This file does not postpone the evaluation of annotations, so that `help` shows the
# types of the fields.
FloatOrArray = TypeVar("FloatOrArray", float, FloatArray)
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
    """Inputs of the rules of a mean over columns or fixed queries. Every sample
    contains all of these rankings.
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
    # Effective number of positives that are ranked independently. Unlike
    # `n_positives`, it counts several positives of a unit if these are not alike. 0
    # unless the score is the area of a single ranking.
    n_independent: float = 0.0
    # Number of units.
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
    # For a share of an amount: the binomial proportion with as many trials as the
    # effective number of positives, weighted by their amounts. None for other scores.
    amounts: BinomialProportion | None = None
    # Step AP of the same rows, if the score is the area of a single ranking.
    step_ap: float = inf

    @property
    def n_drawn(self) -> float:
        """The number n of positives to which one more is added. At a cut, at most as
        many positives as binomial trials can show a change.
        """
        n = self.n_independent or self.n_positives
        if self.at_cut is None:
            return n
        return max(min(self.at_cut.proportion.n, n), 1.0)

    @property
    def lost_positive(self) -> float:
        """The score would fall by this amount if one more positive were ranked last.

        In an area, the precision at this positive is the share of positives. At a cut,
        the positive is below the cut and adds nothing.
        """
        return max(self.score - self.chance, 0.0) / (self.n_drawn + 1)

    @property
    def found_positive(self) -> float:
        """The score may be too low by this amount, because a positive that ranks first
        is missing from the sample.

        At a cut, this positive is one more success. In an area, it matters only if the
        score is near chance, or below the score of half a positive at the top. Because
        of the square, the effect falls quickly as scores rise.
        """
        n, score = self.n_drawn, self.score
        if self.at_cut is not None:
            most = min(n / self.at_cut.proportion.divisor, 1.0)
            return max(most - score, 0.0) / (n + 1)
        of_half = 0.5 / (n + 1)
        near = min(max(self.chance, of_half) / max(score, _LEAST_ODDS), 1.0)
        return (1 - score) / (n + 1) * near**2


def shift_of(inputs: IntervalInputs) -> float:
    """Return the amount by which the score is lowered for the lower endpoint, besides
    the loss by one more positive.

    A negative with a high score may be missing from the sample. If it outweighs c
    positives, a share 1 - 1 / c of its loss is subtracted, since the variation of the
    positives already accounts for the rest. If only half of the loss were subtracted,
    intervals at a prevalence far below the share of positives in the sample would cover
    too little.
    """
    if inputs.rankings is not None:
        # In a mean over rankings, random errors partly cancel, but biases do not. Only
        # about half of the bias is known, so twice the known part is subtracted. At
        # least half of the score is left.
        return min(max(2 * inputs.rankings.known_bias, 0.0), inputs.score / 2)
    # A perfect sample does not show how much the score varies.
    if not inputs.standard_error:
        return inputs.negatives.loss
    # If most of the variance is due to a few rows, another such row may be missing.
    kept = sqrt(inputs.df / (inputs.n_positives - 1))
    return inputs.negatives.loss * (1 - min(kept, 1 / inputs.negatives.outweighed))


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
    if inputs.n_independent or at_cut or inputs.rankings:
        return _with_one_more_positive(inputs, confidence_level)
    # Means over units, and shares of budgets, have a t interval.
    low, high = _of_t(inputs, confidence_level)
    if inputs.amounts is not None and not isnan(low):
        # The t interval follows from the variation between days. If few rows have most
        # of the amount, this variation underestimates the uncertainty.
        exact = inputs.amounts.endpoints(score, confidence_level)
        low, high = farther_out((low, high), exact)
    return low, high


def _with_one_more_positive(
    inputs: IntervalInputs, confidence_level: float
) -> Endpoints:
    """Return the endpoints of a score, from two samples with one more positive: ranked
    last for the lower endpoint, and first for the upper endpoint.

    As for one more event, each endpoint is a quantile of the beta distribution with the
    mean and the variance of the score in such a sample. The standard error is
    estimated, so it is multiplied by a quantile of the t distribution over that of the
    normal distribution.
    """
    # Above one half even after rounding, since `scale` below is 0 / 0 at one half.
    probability = 0.5 + max(confidence_level, EQUAL) / 2
    score = inputs.score
    # A score of 1 at a cut varies because the cut moves, which only lowers the score.
    # So only half of the variance remains.
    sides = 2 if score > 1 - EQUAL else 1

    def quantile(mean: float, moved: float, df: float, at: float) -> float:
        scale = stdtrit(df, probability) / ndtri(probability)
        variance = (scale * inputs.standard_error) ** 2 / sides + moved**2
        return beta_quantile(mean, variance, at)

    loss, gain = inputs.lost_positive, inputs.found_positive
    # The best precision in a sample is partly due to noise, and so is a score that
    # interpolates precision. Step AP is not.
    mean = max(min(score, inputs.step_ap) - loss - shift_of(inputs), 0.0)
    low = quantile(mean, loss, inputs.df, 1 - probability)
    high = quantile(score + gain, gain, inputs.n_positives - 1, probability)
    return min(low, score), max(high, score)


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
    if inputs.is_mean and score > 1 - EQUAL:
        # In a population whose units score 1 or 0, n units all score 1 with the
        # probability score^n. So this endpoint is the lowest score for which such a
        # sample is not too improbable.
        return (1 - confidence_level) ** (1 / inputs.n_positives), 1.0
    # The logit of 0 and of 1 is infinite. A perfect score may be a rounding error below
    # 1, where its logit would only reflect this error.
    if not (0 < score < 1 - EQUAL and standard_error > 0):
        return nan, nan
    reach = stdtrit(inputs.df, 0.5 + confidence_level / 2) * standard_error
    # Dividing by score * (1 - score) turns the standard error of the score into the
    # standard error of its logit.
    reach /= score * (1 - score)
    low, high = expit((logit(score) - reach, logit(score) + reach)).tolist()
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

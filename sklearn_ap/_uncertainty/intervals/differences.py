"""The difference of two scores, and its test: of the same units, or of independent
samples.

The contribution of a unit to the difference is its contribution to the first score
minus that to the second. Two models on the same rows have the same units in the same
order. Two paired samples first get the units of both (`two_samples.align_units`). Two
independent samples have no units in common, so their variances are added
(`difference_of_independent`).
"""

from __future__ import annotations

from dataclasses import replace
from math import copysign, hypot, inf, nan, sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, stdtr

from ..._core.rounding import EQUAL
from ..._core.typing import FloatArray
from .. import rules
from ..sampling.by_unit import Numbers, error_factor, n_equal, norm_of
from ..sampling.contributions import (
    Contributions,
    RankingMean,
    ScoredRanking,
    contributions_of_units,
)
from ..sampling.sample import Sample
from ..sampling.score import score_of
from .endpoints import rounding_of
from .estimates import estimate_of_sample
from .permutation import can_be_permuted, permutation_pvalue
from .results import ScoreComparison, ScoreEstimate


class ComparedSample(NamedTuple):
    """The sample of one of two scores that are compared, with what only a comparison of
    the same units needs.
    """

    sample: Sample
    # The contributions of the sample that are compared. Unlike `sample.contributions`,
    # they have heavy negatives made lighter (`_lightened`), and those of paired samples
    # have the units of both.
    compared: Contributions
    # Share of each unit in the divisor of the score. A mean over units has its
    # `divisor_weights` here, which its test does not read.
    shares: FloatArray
    # Whether few rows may decide the score: heavy negatives, or those at low recalls.
    few_decide: bool = False


class Outcome(NamedTuple):
    """What a test returns."""

    statistic: float
    df: float
    pvalue: float
    # "signs", "permutation" or "t"; None without a test.
    test: str | None


class _Difference(NamedTuple):
    """The first score minus the second score."""

    scores: tuple[float, float]
    # 0 if rounding alone can make it.
    value: float
    # How large a difference or a standard error can be by rounding alone.
    rounding: float
    # Bias of the first score minus that of the second.
    bias: float
    # The test compares the scores to this power.
    power: float

    @property
    def of_powers(self) -> float:
        """The difference of the powers of the scores."""
        if not self.value:
            return 0.0
        first, second = self.scores
        return float(first**self.power - second**self.power)

    @property
    def slopes(self) -> list[float]:
        """The slope of the power at each score."""
        return [self.power * score ** (self.power - 1) for score in self.scores]


def sample_to_compare(sample: Sample) -> ComparedSample:
    """Return a sample with what only a comparison of the same units needs."""
    contributions, mean = sample.contributions, sample.rankings_mean
    if contributions.is_read_as_mean:
        return ComparedSample(sample, contributions, contributions.divisor_weights)
    # Whether a negative weighs more than a positive, in some ranking.
    is_heavy = any(part.excess for part in mean.parts)
    if is_heavy:
        of_units = mean.per_unit([_lightened(part) for part in mean.parts])
        contributions = replace(contributions, of_units=of_units)
    few_decide = is_heavy or sample.call.definition.levels is not None
    return ComparedSample(sample, contributions, shares_of(mean), few_decide)


def difference_of(first: ComparedSample, second: ComparedSample) -> ScoreComparison:
    """Return the difference of two scores of the same units.

    Differences and standard errors that rounding alone can make are 0.
    """
    contributions_a, contributions_b = first.compared, second.compared
    difference = _difference_between(first.sample, second.sample)
    of_units = contributions_a.of_units - contributions_b.of_units
    error = contributions_a.error_of(of_units, difference.rounding)
    df_of_interval = contributions_a.n_effective - 1
    outcome = _outcome_without_test(difference.value, error, df_of_interval)
    if outcome is None:
        outcome = _run_test(first, second, difference, error)
    lowering = raising = 0.0
    # The interval of a mean over units is that of the paired t test.
    if not contributions_a.is_read_as_mean:
        # A positive that the first model ranks last lowers the difference.
        lowering, raising = contributions_a.changes.lost, contributions_b.changes.lost
        if error:
            df_of_interval = df_of(of_units, contributions_a.copies, df_of_interval)
    return _score_comparison(
        first.sample,
        second.sample,
        difference,
        outcome,
        standard_error=error,
        n_units=contributions_a.n_units,
        _df_of_interval=df_of_interval,
        _lowering=lowering,
        _raising=raising,
    )


def _difference_between(first: Sample, second: Sample) -> _Difference:
    """Return the difference of the scores of two samples."""
    contributions_a, contributions_b = first.contributions, second.contributions
    scores = contributions_a.score, contributions_b.score
    rounding = rounding_of(max(first.n_rows, second.n_rows), *scores)
    value = contributions_a.score - contributions_b.score
    if abs(value) <= rounding:
        value = 0.0
    bias = contributions_a.changes.bias - contributions_b.changes.bias
    power = 1.0
    # A root has an infinite slope at 0, so a score of 0 is compared as it is. So is a
    # mean over drawn units, which has the test of other packages.
    if min(scores) > 0 and not contributions_a.is_read_as_mean:
        power = max(rules.LEAST_POWER, sum(scores) / 2)
    return _Difference(scores, value, rounding, bias, power)


def _score_comparison(
    first: Sample,
    second: Sample,
    difference: _Difference,
    outcome: Outcome,
    **fields: Any,
) -> ScoreComparison:
    """Return the comparison of two samples, with these other `fields`."""
    # A single unit does not show the variation between samples.
    if 1 in (first.contributions.n_units, second.contributions.n_units):
        fields["standard_error"] = nan
    return ScoreComparison(
        difference=difference.value,
        scores=difference.scores,
        **outcome._asdict(),
        n_fixed_queries=first.n_fixed_queries,
        n_units_per_row=first.n_units_per_row,
        prevalences=(first.call.sample_prevalence, second.call.sample_prevalence),
        _bias=difference.bias,
        **fields,
    )


def _outcome_without_test(difference: float, error: float, df: float) -> Outcome | None:
    """Return the outcome if there is no test, because units do not vary, or there is
    only one of them. None if there is a test.
    """
    if not error and difference:
        # If all units have the same difference, their variation is unknown. A p-value
        # of 0 would claim certainty.
        return Outcome(copysign(inf, difference), df, nan, None)
    if not df > 0:
        return Outcome(nan, df, nan, None)
    if not error:
        return Outcome(0.0, df, 1.0, None)
    return None


# --- the test of the same units -------------------------------------------------------


def _run_test(
    first: ComparedSample,
    second: ComparedSample,
    difference: _Difference,
    error: float,
) -> Outcome:
    """Return the outcome of the test of a difference, whose standard error is `error`.

    A mean over units has the paired t test. All other tests compare powers of the
    scores. They count signs (the Notes of `compare_scores` say why), with two
    exceptions, which are t tests: few rows may decide, and the mean score may be low.
    """
    # Both scores have the same units, so their numbers are read from the first one.
    units = first.compared
    if units.is_read_as_mean:
        return _t_test(difference.value, error, units.n_effective - 1)
    # The difference of powers, and the contributions of units to it.
    value, (slope_a, slope_b) = difference.of_powers, difference.slopes
    of_units = slope_a * first.compared.of_units
    of_units -= slope_b * second.compared.of_units
    most_df = units.n_with_positives - 1
    few_decide = first.few_decide or second.few_decide
    if sum(difference.scores) / 2 < rules.LOW_SCORE and not few_decide:
        # Contributions are distances from the estimate, so a degree of freedom is lost.
        factor = error_factor(units.n_effective, df_lost=1)
        return _t_test(value, factor * norm_of(of_units, units.copies), most_df)
    # Each unit gets its share of the difference back: the mean of its shares in both
    # scores. So contributions are distances from 0, and no longer from the difference.
    from_0 = first.shares + second.shares
    from_0 *= rules.ADDED_BACK * value / 2
    from_0 += of_units
    if few_decide:
        # Other samples have other rows there, so the degrees of freedom are few.
        df = df_of(from_0, units.copies, most_df)
        return _t_test(value, norm_of(from_0, units.copies), df)
    return _sign_test(value, from_0, units)


def _sign_test(value: float, of_units: FloatArray, units: Contributions) -> Outcome:
    """Return the outcome of the test that counts signs. `of_units` are contributions to
    the difference, and `units` has the numbers of units.
    """
    scaled = of_units * error_factor(units.n_with_positives, rules.LOST_TO_SIGNS)
    statistic = value / norm_of(scaled, units.copies)
    return Outcome(statistic, inf, share_of_signs(value, scaled, units.copies), "signs")


def _t_test(value: float, error: float, df: float) -> Outcome:
    """Return the outcome of a t test."""
    statistic = value / error
    return Outcome(statistic, df, float(2 * stdtr(df, -abs(statistic))), "t")


def df_of(contributions: FloatArray, copies: Numbers, most: float) -> float:
    r"""Return the degrees of freedom of a sum of squares, at most `most`. `copies` is
    the number of units that each contribution is the sum of.

    If few of n contributions are most of the sum, it is imprecise. So the degrees of
    freedom are :math:`2 / (1 / n' - 1 / n)`, where n' is the effective number of
    squares (Satterthwaite 1946).
    """
    n = float(np.broadcast_to(copies, contributions.shape).sum())
    largest = max(contributions.max(), -contributions.min())
    squares = contributions / (largest or 1.0)
    np.square(squares, out=squares)
    # If m units are alike and add up to v, the square of each is (v / m)**2. So the
    # squares of all m add up to v**2 / m.
    if np.ndim(copies):
        squares /= copies
    n_squares = n_equal(squares, copies)
    # It is 0, but for rounding, if all squares are equal.
    beyond_equal = 1 / n_squares - 1 / n
    return min(most, 2 / beyond_equal) if beyond_equal > 0 else most


def share_of_signs(
    value: float, contributions: FloatArray, copies: Numbers = 1.0
) -> float:
    """Return the probability that contributions with random signs add up to a sum at
    least as far from 0 as the value. `copies` is the number of units that each
    contribution is the sum of.

    All signs of the largest contributions are counted, and the sum of the others is
    normal.
    """
    sizes, error_of_copies = np.abs(contributions), 0.0
    if np.ndim(copies):
        # Only the largest contributions of one unit are counted. So of the units that
        # each contribution is the sum of, no more than these are listed one by one.
        singles = np.minimum(copies, rules.N_COUNTED_SIGNS)
        sizes /= copies
        error_of_copies = norm_of(np.sqrt(copies - singles) * sizes)
        sizes = sizes.repeat(singles.astype(np.int64))
    n_others = max(sizes.size - rules.N_COUNTED_SIGNS, 0)
    if n_others:
        sizes = np.partition(sizes, n_others)
    # How far the sum of the largest contributions, with each choice of signs, is beyond
    # the value. A sum that equals the value is as far from 0.
    beyond = np.array([-abs(value) * (1 - EQUAL)])
    signs = np.array([[-1.0], [1.0]])
    for size in sizes[n_others:]:
        beyond = (beyond + size * signs).ravel()
    error = hypot(norm_of(sizes[:n_others]), error_of_copies)
    # Without others, the error is tiny, and `ndtr` is 0 or 1 for each choice of signs.
    error = error or EQUAL**2 * abs(value) or 1.0
    # A quotient may overflow to infinity, where `ndtr` is 0 or 1, too.
    with np.errstate(over="ignore"):
        return min(2 * float(ndtr(beyond / error).mean()), 1.0)


# --- independent samples --------------------------------------------------------------


class _Variation(NamedTuple):
    """How much the score of one of two independent samples varies."""

    standard_error: float
    # The changes by one more event that lowers the score, and by one that raises it.
    lowered: float
    raised: float
    df: float


def difference_of_independent(first: Sample, second: Sample) -> ScoreComparison:
    """Return the difference of the scores of two independent samples. The Notes of
    `compare_samples` give the reasons.

    If there is no permutation test, there is a t test of powers of the scores. In it,
    the variance of the higher score contains the change by *one more event* that lowers
    it. The degrees of freedom are those of Welch (1947): 1 / df is the sum of the
    squared share of each sample in the variance, divided by the degrees of freedom of
    the sample. The interval follows from those of both scores.

    A mean over drawn units has the test and the interval of Welch itself, unless all
    units of a sample score 1, or 0: then it may lack a unit that does not.
    """
    difference = _difference_between(first, second)
    variation_a, variation_b = (
        _variation_of(each, difference.rounding) for each in (first, second)
    )
    errors = np.array([variation_a.standard_error, variation_b.standard_error])
    dfs = np.array([variation_a.df, variation_b.df])
    # The events that would lower the difference, and those that would raise it.
    lowering = np.array([variation_a.lowered, variation_b.raised])
    raising = np.array([variation_a.raised, variation_b.lowered])
    # Equal scores have no direction, so the larger change of each counts.
    towards_0 = np.maximum(lowering, raising)
    if difference.value:
        towards_0 = lowering if difference.value > 0 else raising
    with_event = np.hypot(errors, towards_0)
    outcome = _outcome_without_test(
        difference.value, with_event.max(), float(dfs.min())
    )
    if outcome is None and can_be_permuted(first, second):
        pvalue = permutation_pvalue(first, second)
        outcome = Outcome(nan, nan, pvalue, "permutation")
    elif outcome is None:
        outcome = _test_of_independent(difference, with_event, dfs)
    estimates: tuple[ScoreEstimate, ...] = ()
    if not first.contributions.is_read_as_mean:
        estimates = estimate_of_sample(first), estimate_of_sample(second)
    return _score_comparison(
        first,
        second,
        difference,
        outcome,
        standard_error=norm_of(errors),
        n_units=first.contributions.n_units + second.contributions.n_units,
        design="independent",
        _lowering=norm_of(lowering),
        _raising=norm_of(raising),
        _estimates=estimates,
    )


def _variation_of(sample: Sample, rounding: float) -> _Variation:
    """Return how much the score of one of two independent samples varies."""
    own = sample.contributions
    error, changes = own.error_of(own.of_units, rounding), own.changes
    if own.is_read_as_mean:
        # Queries are drawn whether or not they contain a positive. There is an event if
        # all of them score 1, or 0.
        lost, is_1 = changes.lost, own.score > 0.5
        return _Variation(error, lost * is_1, lost * (not is_1), own.n_effective - 1)
    # One more heavy negative counts in part.
    power = rules.POWER_OF_HEAVY_ALARM
    part = changes.alarm**power * max(changes.lost, error) ** (1 - power)
    lowered = hypot(changes.lost, min(changes.alarm, part))
    return _Variation(error, lowered, 0.0, own.n_with_positives - 1)


def _test_of_independent(
    difference: _Difference, errors: FloatArray, dfs: FloatArray
) -> Outcome:
    """Return the outcome of the test of two independent samples, whose scores have
    these errors and degrees of freedom.
    """
    value = difference.of_powers
    if value:
        # A bias that makes the difference larger is subtracted.
        value *= 1 - min(max(difference.bias / difference.value, 0.0), 1.0)
    variances = np.square(difference.slopes * errors)
    variance = float(variances.sum())
    df = 1 / float((np.square(variances / variance) / dfs).sum())
    return _t_test(value, sqrt(variance), df)


# --- heavy negatives, and shares ------------------------------------------------------


def _lightened(part: ScoredRanking) -> FloatArray:
    """Return the contribution of each unit, with heavy negatives made lighter.

    If negatives weigh more per row than positives, the derivative by the weight of a
    negative is a poor guide to what a sample without it would score. So it is the
    change per weight if the excess of a negative over a positive is removed. If
    negatives are very heavy, this is the jackknife. With units, the excess of one more
    event is removed, so it does not matter in how many rows a unit is written.
    """
    if not part.excess:
        return part.of_units
    # `part.excess` is that of a row.
    excess_of_event = part.excess * part.negative_event.rows
    lighter, _ = score_of(part.definition, part.ranking.groups, excess_of_event)
    return contributions_of_units(lighter, part.definition, part.ranking)


def _shares(part: ScoredRanking) -> FloatArray:
    """Return the share of each unit in the divisor of the score of a ranking."""
    divisor = part.divisor
    if not divisor.total:
        return np.zeros_like(part.positives)
    shares = part.positives
    if np.ndim(divisor.positive):
        # The divisor is not the weight of the positives.
        shares = contributions_of_units(divisor, part.definition, part.ranking)
    return shares / divisor.total


def shares_of(mean: RankingMean) -> FloatArray:
    """Return the share of each unit in the divisors of the scores of rankings. A
    ranking without positives has no divisor, so the others have all shares.
    """
    of_parts = zip(mean.shares, map(_shares, mean.parts), strict=True)
    shares = mean.summed_by_unit([share * each for share, each in of_parts])
    return shares / (float(shares.sum()) or 1.0)

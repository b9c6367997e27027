"""Two scores by the same units: their difference, and its test.

The contribution of a unit to the difference is its contribution to the first score
minus that to the second. Two models on the same rows have the same units in the same
order. Two paired samples first get the units of both (`two_samples.align_units`). Two
independent samples have no units in common (`difference_of_independent`).
"""

from __future__ import annotations

from dataclasses import replace
from math import copysign, hypot, inf, nan, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, stdtr

from ..._core.rounding import EQUAL
from ..._core.typing import FloatArray
from .. import rules
from ..sampling.by_unit import Numbers, factor_of, n_equal, norm_of
from ..sampling.contributions import Contributions, Mean, ScoredRanking, of_rows_to
from ..sampling.one_more import NO_CHANGES
from ..sampling.sample import Sample
from ..sampling.score import score_of
from .endpoints import rounding_of
from .results import ScoreComparison


class Outcome(NamedTuple):
    """What a test returns."""

    statistic: float
    df: float
    pvalue: float
    # "signs" or "t"; None without a test.
    test: str | None


class Side(NamedTuple):
    """One of two scores that are compared: its sample, with what only a comparison
    needs.
    """

    sample: Sample
    # The contributions of the units, with heavy negatives made lighter (`_lightened`).
    contributions: Contributions
    # Share of each unit in the divisor of the score.
    shares: FloatArray
    # Whether few rows may decide the score: heavy negatives, or those at low recalls.
    few_decide: bool = False


def side_of(sample: Sample) -> Side:
    """Return what a comparison needs of a sample."""
    contributions, mean = sample.contributions, sample.mean
    # The test of a mean over drawn units needs no shares.
    if contributions.is_mean:
        return Side(sample, contributions, contributions.weights)
    is_heavy = mean.has_heavy_negatives
    if is_heavy:
        lightened = mean.contributions([_lightened(part) for part in mean.parts])
        contributions = replace(contributions, of_units=lightened)
    few_decide = is_heavy or sample.call.definition.grid is not None
    return Side(sample, contributions, shares_of(mean), few_decide)


def difference_of(first: Side, second: Side) -> ScoreComparison:
    """Return the difference of two scores of the same units.

    Differences and standard errors that rounding alone can make are 0.
    """
    one, other = first.contributions, second.contributions
    comparison, rounding = _without_test(first.sample, second.sample)
    difference = comparison.difference
    of_units = one.of_units - other.of_units
    error = one.error_of(of_units, rounding)
    df_of_interval = one.n_effective - 1
    outcome = _if_units_are_equal(difference, error, df_of_interval)
    if outcome is None:
        outcome = _run_test(first, second, comparison, error)
    lost = 0.0, 0.0
    # The interval of a mean over units is that of the paired t test.
    if not one.is_mean:
        lost = one.changes.lost, other.changes.lost
        if error:
            df_of_interval = df_of(of_units, one.copies, df_of_interval)
    return replace(
        comparison,
        standard_error=error,
        **outcome._asdict(),
        n_units=one.n_units,
        _df_of_interval=df_of_interval,
        _lost=lost,
    )


def _without_test(first: Sample, second: Sample) -> tuple[ScoreComparison, float]:
    """Return a comparison whose standard error and test are still unknown, and how
    large a difference or an error can be by rounding alone.
    """
    one, other = first.contributions, second.contributions
    scores = one.score, other.score
    rounding = rounding_of(max(first.n_rows, second.n_rows), *scores)
    difference = one.score - other.score
    comparison = ScoreComparison(
        difference=difference if abs(difference) > rounding else 0.0,
        scores=scores,
        standard_error=nan,
        statistic=nan,
        df=nan,
        pvalue=nan,
        n_fixed_queries=first.units.n_fixed_queries,
        n_units_per_row=first.n_units_per_row,
        prevalences=(first.call.prevalence, second.call.prevalence),
        _bias=one.changes.bias - other.changes.bias,
    )
    return comparison, rounding


def _if_units_are_equal(difference: float, error: float, df: float) -> Outcome | None:
    """Return the outcome if units do not vary, or if there is only one of them. None if
    they vary, so that there is a test.
    """
    if not error and difference:
        # If all units have the same difference, their variation is unknown. A p-value
        # of 0 would claim certainty.
        return Outcome(copysign(inf, difference), df, nan, None)
    if not df > 0:
        return Outcome(nan, df, nan, None)
    return None if error else Outcome(0.0, df, 1.0, None)


# --- the test -------------------------------------------------------------------------


def _run_test(
    first: Side, second: Side, comparison: ScoreComparison, error: float
) -> Outcome:
    """Return the outcome of the test of a difference, whose standard error is `error`.

    If both models are equal, they can be exchanged in each unit, so the contribution of
    a unit to the difference may have either sign. The p-value is the share of all such
    signs whose sum is at least as far from 0. It holds for units of any sizes. The
    test compares powers of the scores, whose errors are nearly symmetric: the cube root
    of low scores, and nearly the scores themselves if they are high.

    There are two exceptions, which are t tests: few rows may decide, and the mean score
    may be low. Then the score of few units is far from linear in their weights, and the
    signs reject equal models too often. A mean over units has the paired t test.
    """
    one, other = first.contributions, second.contributions
    copies = one.copies
    if one.is_mean:
        return _t_test(comparison.difference, error, one.n_effective - 1)
    value, slopes = _difference_of_powers(comparison)
    # The contributions of units to the difference of powers.
    of_units = slopes[0] * one.of_units - slopes[1] * other.of_units
    n = one.n_with_positives
    few_decide = first.few_decide or second.few_decide
    if one.score + other.score < 2 * rules.LOW_SCORE and not few_decide:
        # These are distances from the estimate, which lose a degree of freedom.
        spread = factor_of(one.n_effective, df_lost=1) * norm_of(of_units, copies)
        return _t_test(value, spread, n - 1)
    # Contributions are distances from the difference, so they add up to 0: each lacks
    # the share of its unit in the difference. If the models are equal, distances should
    # be from 0, which is then the difference of the population. So each unit gets its
    # share of the difference back: the mean of its shares in both scores.
    of_units += rules.ADDED_BACK * value / 2 * (first.shares + second.shares)
    if few_decide:
        # Other samples have other rows there, so the degrees of freedom are few.
        return _t_test(value, norm_of(of_units, copies), df_of(of_units, copies, n - 1))
    of_units *= factor_of(n, rules.LOST_TO_SIGNS)
    statistic = value / norm_of(of_units, copies)
    return Outcome(statistic, inf, share_of_signs(value, of_units, copies), "signs")


def _t_test(value: float, error: float, df: float) -> Outcome:
    """Return the outcome of a t test."""
    statistic = value / error
    return Outcome(statistic, df, float(2 * stdtr(df, -abs(statistic))), "t")


def _difference_of_powers(
    comparison: ScoreComparison, *, is_mean: bool = False
) -> tuple[float, list[float]]:
    """Return the difference of powers of both scores, and the slope of the power at
    each score. `is_mean` is whether they are means over drawn units.
    """
    power, scores = 1.0, comparison.scores
    # A root has an infinite slope at 0, so a score of 0 is compared as it is. So is a
    # mean over drawn units, which has the test of other packages.
    if min(scores) > 0 and not is_mean:
        power = max(rules.LEAST_POWER, sum(scores) / 2)
    value = 0.0
    # Scores that differ by rounding alone have the difference 0.
    if comparison.difference:
        value = scores[0] ** power - scores[1] ** power
    return value, [power * score ** (power - 1) for score in scores]


def df_of(contributions: FloatArray, copies: Numbers, most: float) -> float:
    r"""Return the degrees of freedom of a sum of squares, at most `most`. `copies` is
    the number of units that each contribution is the sum of.

    If few of n contributions are most of the sum, it is imprecise. So the degrees of
    freedom are :math:`2 / (1 / n' - 1 / n)`, where n' is the effective number of
    squares (Satterthwaite 1946).
    """
    n_units = float(np.broadcast_to(copies, contributions.shape).sum())
    scaled = contributions / (np.abs(contributions).max() or 1.0)
    beyond_equal = 1 / n_equal(np.square(scaled) / copies, copies) - 1 / n_units
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
    sizes, error = np.abs(contributions), 0.0
    if np.ndim(copies):
        # Only the largest ones are counted, so no more equal ones are listed.
        singles = np.minimum(copies, rules.N_COUNTED_SIGNS)
        sizes /= copies
        error = norm_of(np.sqrt(copies - singles) * sizes)
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
    error = hypot(norm_of(sizes[:n_others]), error)
    # Without others, the error is tiny, and `ndtr` is 0 or 1 for each choice of signs.
    error = error or EQUAL**2 * abs(value) or 1.0
    # A quotient may overflow to infinity, where `ndtr` is 0 or 1, too.
    with np.errstate(over="ignore"):
        return min(2 * float(ndtr(beyond / error).mean()), 1.0)


# --- independent samples --------------------------------------------------------------


class Variation(NamedTuple):
    """How much the score of one of two independent samples varies."""

    standard_error: float
    # The changes by one more event that lowers the score, and by one that raises it.
    lowered: float
    raised: float
    df: float


def difference_of_independent(first: Sample, second: Sample) -> ScoreComparison:
    """Return the difference of the scores of two independent samples.

    Their units cannot be exchanged, so there is a t test of powers of the scores. A
    small sample without mistakes does not show how much its score varies. So its
    variance contains the change by *one more event* that would bring the scores closer:
    one that lowers the higher score, or that raises the lower one. With these
    variances, each sample has a t interval, and the interval of the difference follows
    from both (Newcombe 1998; Zou and Donner 2008): the distance of an endpoint is the
    root of the sum of squares of two distances.

    The degrees of freedom are those of Welch (1947): 1 / df is the sum of the squared
    share of each sample in the variance, divided by the degrees of freedom of the
    sample. A mean over drawn units has the test of Welch itself, unless all units of a
    sample score 1, or 0: then it may lack a unit that does not.
    """
    comparison, rounding = _without_test(first, second)
    difference = comparison.difference
    one, other = (_variation_of(each, rounding) for each in (first, second))
    errors = np.array([one.standard_error, other.standard_error])
    dfs = np.array([one.df, other.df])
    # The events that would lower the difference, and those that would raise it.
    lowering = np.array([one.lowered, other.raised])
    raising = np.array([one.raised, other.lowered])
    # Equal scores have no direction, so the larger change of each counts.
    towards_0 = np.maximum(lowering, raising)
    if difference:
        towards_0 = lowering if difference > 0 else raising
    with_event = np.hypot(errors, towards_0)
    outcome = _if_units_are_equal(difference, with_event.max(), float(dfs.min()))
    if outcome is None:
        is_mean = first.contributions.is_mean
        outcome = _test_of_independent(comparison, with_event, dfs, is_mean)
    return replace(
        comparison,
        standard_error=norm_of(errors),
        **outcome._asdict(),
        n_units=first.contributions.n_units + second.contributions.n_units,
        design="independent",
        _lost=(norm_of(lowering), norm_of(raising)),
    )


def _variation_of(sample: Sample, rounding: float) -> Variation:
    """Return how much the score of one of two independent samples varies.

    One more negative that weighs more than a positive may change the score by more than
    all units vary it, so that no difference is found. So its change counts as the
    geometric mean of itself and of the larger one of `lost` and the standard error.
    """
    own = sample.contributions
    error, df = own.error_of(own.of_units, rounding), own.n_with_positives - 1
    changes = own.changes
    if own.is_mean:
        # Queries are drawn whether or not they contain a positive.
        df = own.n_effective - 1
    if own.is_mean and error:
        # A mean over units that vary has the variance of Welch, without an event.
        changes = NO_CHANGES
    alarm = changes.alarm
    if sample.mean.has_heavy_negatives:
        power = rules.POWER_OF_HEAVY_ALARM
        alarm = min(alarm, alarm**power * max(changes.lost, error) ** (1 - power))
    return Variation(error, hypot(changes.lost, alarm), changes.found, df)


def _test_of_independent(
    comparison: ScoreComparison, errors: FloatArray, dfs: FloatArray, is_mean: bool
) -> Outcome:
    """Return the outcome of the test of two independent samples, whose scores have
    these errors and degrees of freedom. `is_mean` is whether the scores are means over
    drawn units.
    """
    value, slopes = _difference_of_powers(comparison, is_mean=is_mean)
    if value:
        # A bias that makes the difference larger is subtracted.
        value *= 1 - min(max(comparison._bias / comparison.difference, 0.0), 1.0)
    variances = np.square(slopes * errors)
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
    ranking, excess = part.ranking, part.excess * part.alarm.rows
    lighter, _ = score_of(part.definition, ranking.groups, excess)
    return ranking.summed_by_unit(*of_rows_to(lighter, part.definition, ranking))


def _shares(part: ScoredRanking) -> FloatArray:
    """Return the share of each unit in the divisor of the score of a ranking."""
    divisor, ranking = part.divisor, part.ranking
    if not divisor.total:
        return np.zeros_like(part.positives)
    shares = part.positives
    if np.ndim(divisor.positive):
        # The divisor is not the weight of the positives.
        shares = ranking.summed_by_unit(*of_rows_to(divisor, part.definition, ranking))
    return shares / divisor.total


def shares_of(mean: Mean) -> FloatArray:
    """Return the share of each unit in the divisors of the scores of rankings. A
    ranking without positives has no divisor, so the others have all shares.
    """
    of_parts = zip(mean.shares, map(_shares, mean.parts), strict=True)
    shares = mean.summed_by_unit([share * each for share, each in of_parts])
    return shares / (float(shares.sum()) or 1.0)

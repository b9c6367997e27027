"""Comparisons of two scores: tests and intervals of their difference, for two models on
the same rows, and for two samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import copysign, hypot, inf, isnan, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import logit, stdtrit
from sklearn.exceptions import UndefinedMetricWarning

from .._core.typing import ScoreFunction
from .._core.user_messages import warn_user
from .calls import read_call
from .endpoints import Endpoints
from .influence import Spread, rounding_of
from .paired import PairedScore, TTest, has_heavy_negatives, spread_of, t_test_of
from .results import MIDDLE, EstimatePair, ScoreComparison, ScoreEstimate
from .sample import Sample
from .shared_units import are_in_order, match_ids, shared_units
from .standard_errors import (
    estimate_of_sample,
    package_score,
    sampled_scores,
    warn_of_few,
    warn_of_samples,
    warn_uncertain,
)

# Warn if the two models give different scores to fewer positives than this. In
# simulations of such samples, intervals covered as little as .53.
_FEW_THAT_DIFFER = 5
# Two shares differ by more than chance if their log odds differ by more than this
# number of standard errors.
_FAR_APART = 1.96
# The smallest probability beyond an endpoint for which the endpoint is computed.
_LEAST_TAIL = 1e-12
# Reasons why two samples are treated as independent.
ROW_NUMBERS = "independent: unit_id counts the rows, so it was not taken for an id"
ORDERED_IDS = (
    "independent: neighbours in the order of the ids are alike, as in sorted rows that "
    "were numbered, so the ids were not used; to compare two models on the same rows, "
    "call compare_scores"
)
NONE_IN_BOTH = "independent: no unit is in both"
SAME_LABELS = "independent, but with the same labels in the same order"
_SAME_ROWS = (
    "Both estimates have the same labels in the same order. If they are of the same "
    "rows, the samples are not independent, and the interval is wrong. To compare two "
    "models on the same rows, call compare_scores. To pair rows by their ids, pass the "
    "ids as unit_id to both calls of estimate_score."
)


def compare_scores(
    score_func: str | ScoreFunction,
    y_true: ArrayLike,
    y_score_a: ArrayLike,
    y_score_b: ArrayLike,
    *,
    unit_id: ArrayLike | None = None,
    **score_func_params: Any,
) -> ScoreComparison:
    """Difference of the scores of two models on the same rows.

    The result has the interval and the p-value of the difference.

    The difference is more precise than the two scores. So the p-value can be below .05
    although the intervals of the two scores overlap.

    .. versionadded:: 0.1

    Parameters
    ----------
    score_func : str or callable
        A score of this package, or its name, such as ``'average_precision@100'``.

    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score_a, y_score_b : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores of the two models, which may have different scales.

    unit_id, **score_func_params : optional
        As for :func:`estimate_score`.

    Returns
    -------
    comparison : ScoreComparison
        With the fields `difference`, `pvalue` and others, and the method
        `confidence_interval`.

    Warns
    -----
    UncertaintyWarning
        If the p-value may be wrong; its `code` names the reason.
    UserWarning
        If the scores are predicted labels. If the p-value is NaN, because all units
        have the same difference and it is not 0, or because there is a single unit or
        positive.

    See Also
    --------
    estimate_score, compare_many

    Notes
    -----
    With `query_id` and a mean over queries, this is the paired t test over queries, as
    ``scipy.stats.ttest_rel`` computes it. Sign and Wilcoxon tests are not available,
    because they test medians [1]_ [2]_.

    The t test of two areas uses a scale on which their errors are nearly symmetric:
    cube roots if the mean of both scores is below .3, and angles [3]_ if it is above
    .75. For low scores, and for units of very unequal size, the degrees of freedom are
    one less than the number of units that contain a positive. If the models are equal,
    the contribution of a unit to the difference may have either sign, and a t test of
    such contributions stays conservative [4]_. "Equal" means that the two models can be
    exchanged.

    If few negatives have the weight of many rows, because of `prevalence`, weights or
    clusters, they limit the degrees of freedom, and the standard error is larger. For
    columns and fixed queries, a second interval of the difference is then computed from
    the intervals of both scores [5]_. The lower of the two lower endpoints and the
    higher of the two upper endpoints are used.

    Each endpoint for a single ranking allows for one more positive that a model ranks
    last, because a sample in which a model is perfect does not show how much the model
    may lose. The interval agrees with the test: a 95 % interval excludes
    0 if and only if the p-value is at most .05, and likewise at other levels [6]_. An
    endpoint that contradicts the test is moved to 0, which does not exclude 0, or to a
    number close to 0. :doc:`/intervals` lists all rules.

    References
    ----------
    .. [1] M. D. Smucker, J. Allan, B. Carterette, "A comparison of statistical
       significance tests for information retrieval evaluation", CIKM 2007.
       :doi:`10.1145/1321440.1321528`
    .. [2] J. Urbano, H. Lima, A. Hanjalic, "Statistical significance testing in
       information retrieval: an empirical analysis of type I, type II and type III
       errors", SIGIR 2019. :doi:`10.1145/3331184.3331259`
    .. [3] F. J. Anscombe, "The transformation of Poisson, binomial and
       negative-binomial data", Biometrika 35, 1948. :doi:`10.1093/biomet/35.3-4.246`
    .. [4] R. Ibragimov, U. K. Müller, "t-statistic based correlation and heterogeneity
       robust inference", Journal of Business & Economic Statistics 28, 2010.
       :doi:`10.1198/jbes.2009.08046`
    .. [5] G. Y. Zou, A. Donner, "Construction of confidence limits about effect
       measures: a general approach", Statistics in Medicine 27, 2008.
       :doi:`10.1002/sim.3095`
    .. [6] Y. Benjamini, Y. Hochberg, P. B. Stark, "Confidence intervals with more power
       to determine the sign", Journal of the American Statistical Association 93, 1998,
       pp. 309-317.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import average_precision_score, compare_scores
    >>> y_true = np.tile([1, 1, 0, 1, 0, 0, 0, 0, 0, 0], 10)
    >>> old = np.linspace(1, 0, 100)
    >>> new = old + 0.2 * y_true
    >>> print(compare_scores(average_precision_score, y_true, new, old))
    0.61 - 0.39 = 0.21, 95 % interval 0.13 to 0.29, p < 0.0001 (two-sided)
    """
    score_func, params = package_score(score_func, score_func_params)
    both = {"y_score_a": y_score_a, "y_score_b": y_score_b}
    read = partial(
        read_call, score_func, y_true, params=params, caller="compare_scores"
    )
    samples = sampled_scores(both, read, unit_id)
    return compared(samples)._with_score(score_func, params)


def compare_estimates(
    estimate_a: ScoreEstimate,
    estimate_b: ScoreEstimate,
) -> ScoreComparison:
    r"""Difference of the scores of two samples.

    The result has the interval and the p-value of the difference.

    Units that are in both samples, such as the customers of two months, are matched by
    their `unit_id`, or by their `query_id` if queries are drawn. Then the difference is
    more precise. Samples without ids, such as samples of two hospitals, are treated as
    independent.

    .. versionadded:: 0.1

    Parameters
    ----------
    estimate_a, estimate_b : ScoreEstimate
        Result of :func:`estimate_score` for each sample, with the same score.

    Returns
    -------
    comparison : ScoreComparison
        The first score minus the second, with an interval and a p-value. Its text
        contains the number of units that are in both samples.

    Warns
    -----
    UncertaintyWarning
        If the shares of positives of both samples differ by more than chance (p < .05).
        Pass the same `prevalence` to both calls of :func:`estimate_score`. If samples
        without ids have the same labels in the same order, so that they seem to contain
        the same rows. Pass their ids as `unit_id`, or call :func:`compare_scores`.

    See Also
    --------
    estimate_score, compare_scores

    Notes
    -----
    *Units in both:* with the influences :math:`a_u` and :math:`b_u` of unit u on the two
    scores, the squared standard error is :math:`\sum_u (a_u - b_u)^2` over the units of
    either sample. A unit that a sample does not contain has the influence 0 there. The
    test and the interval are those of :func:`compare_scores`. If all units are in both
    samples, the numbers are equal, too. Missed positives (`n_positives`) are matched by
    unit if both samples have the same totals: a positive that only one sample finds in a
    unit was missed there by the other sample, and both samples missed the rest.

    If no id is in both samples, ids are matched without blanks, leading zeros, decimals
    of 0 and midnights, such as 00042 and 42.0, unless this makes two ids of a sample
    equal. The text then says that they are spelled differently.

    *Row numbers* are no ids, because any two samples have them in common. Unless both
    samples have the same labels in the same, irregular order, samples are treated as
    independent in two cases: if the ids of one are consecutive numbers in the order of
    its rows, such as ``np.arange(len(y_true))``; and if, in both samples, units that
    follow one another in the order of their ids have similar influences (a correlation
    above .1 and above 3 standard errors), as in sorted rows that were numbered.

    *No unit in both, or no ids:* the interval of the difference follows from the
    intervals of both scores [1]_. With the estimates :math:`T_i` and their intervals
    :math:`l_i` to :math:`u_i`, the lower endpoint is :math:`T_1 - T_2 - \sqrt{(T_1 -
    l_1)^2 + (u_2 - T_2)^2}`, and the upper endpoint likewise. The p-value is 1 minus the
    confidence level at which an endpoint is 0.

    References
    ----------
    .. [1] G. Y. Zou, A. Donner, "Construction of confidence limits about effect
       measures: a general approach", Statistics in Medicine 27, 2008.
       :doi:`10.1002/sim.3095`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import average_precision_score, compare_estimates, estimate_score
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.repeat([1, 0], [50, 950])
    >>> june, july = (
    ...     estimate_score(average_precision_score, y_true, shift * y_true + rng.normal(size=1000))
    ...     for shift in (2.5, 1.5)
    ... )
    >>> print(compare_estimates(july, june))
    0.34 - 0.81 = -0.47, 95 % interval -0.63 to -0.28, p < 0.0001 (two-sided; independent samples)
    """
    _check_estimates(estimate_a, estimate_b)
    _warn_of_shares(estimate_a, estimate_b)
    n_fixed = max(estimate_a.n_fixed_queries, estimate_b.n_fixed_queries)
    pair, n_in_both, matching = _matched(estimate_a, estimate_b)
    if n_in_both:
        return comparison_of(
            pair,
            (estimate_a, estimate_b),
            n_units=pair[0].ids.size,
            n_fixed_queries=n_fixed,
            _n_in_both=n_in_both,
            _matching=matching,
        )
    error = hypot(estimate_a.standard_error, estimate_b.standard_error)
    estimates = EstimatePair(estimate_a, estimate_b)
    difference = estimate_a.score - estimate_b.score
    risks = risks_of(estimates.endpoints, difference)
    return ScoreComparison(
        difference=difference,
        scores=(estimate_a.score, estimate_b.score),
        standard_error=error,
        statistic=difference / error if error else nan,
        df=nan,
        # The two-sided p-value. If a one-sided p-value is NaN, it is NaN, too.
        pvalue=float(np.minimum(1.0, 2 * np.min(risks))),
        n_units=estimate_a.n_units + estimate_b.n_units,
        n_fixed_queries=n_fixed,
        _pair=estimates,
        _n_in_both=n_in_both,
        _matching=matching,
    )


def _check_estimates(estimate_a: ScoreEstimate, estimate_b: ScoreEstimate) -> None:
    """Raise ValueError if two values are not estimates, if only one of them has fixed
    queries, or if their scores or options differ.
    """
    for name, estimate in (("estimate_a", estimate_a), ("estimate_b", estimate_b)):
        if not isinstance(estimate, ScoreEstimate):
            raise ValueError(
                f"{name} must be a ScoreEstimate, as estimate_score returns; got {type(estimate).__name__}."
            )
    n_fixed, n_other_fixed = estimate_a.n_fixed_queries, estimate_b.n_fixed_queries
    if bool(n_fixed) != bool(n_other_fixed):
        raise ValueError(
            "estimate_a and estimate_b must both have fixed queries, or none; got "
            f"{n_fixed} and {n_other_fixed} fixed queries."
        )
    definition, other_definition = estimate_a._definition(), estimate_b._definition()
    # An estimate that the caller has constructed has no definition.
    if definition and other_definition and definition != other_definition:
        raise ValueError(
            "estimate_a and estimate_b must be of the same score and options; got "
            f"{definition} and {other_definition}."
        )


def _matched(
    first: ScoreEstimate, second: ScoreEstimate
) -> tuple[Sequence[PairedScore], int | None, str]:
    """Return two scores over the units of either sample, the number of units that are
    in both samples, and a text about how the samples are related.

    Without units in both samples, the first value is empty. Without ids in both
    samples, or if the ids are only row numbers, the second is None.
    """
    units, other = first._units, second._units
    have_same_labels = first._labels is not None and first._labels == second._labels
    if units is None or other is None:
        if not have_same_labels:
            return (), None, "independent samples"
        warn_uncertain("same_rows", _SAME_ROWS)
        return (), None, SAME_LABELS
    if (first._count_rows or second._count_rows) and not have_same_labels:
        return (), None, ROW_NUMBERS
    ids, places, matching = match_ids(units.ids, other.ids)
    n_in_both = units.ids.size + other.ids.size - ids.size
    if not n_in_both:
        return (), 0, NONE_IN_BOTH
    if not have_same_labels and are_in_order(units) and are_in_order(other):
        return (), None, ORDERED_IDS
    return shared_units(units, other, ids, places), n_in_both, matching


def _warn_of_shares(*estimates: ScoreEstimate) -> None:
    """Warn if two shares of positives differ by more than chance."""
    shares = [each._share for each in estimates if each._share is not None]
    if len(shares) < 2:
        return
    # The intervals of both scores allow for differences of the shares that are due to
    # chance, but not for larger differences.
    if shares_differ(shares, [each.n_positives for each in estimates]):
        share, other_share = shares
        warn_uncertain(
            "shares_of_positives",
            f"The samples have different shares of positives, {100 * share:.3g} % and "
            f"{100 * other_share:.3g} %, and scores depend on this share. To compare the rankings "
            "only, pass the same prevalence to both calls of estimate_score.",
        )


def shares_differ(shares: Sequence[float], n_positives: Sequence[float]) -> bool:
    """Return whether two shares of positives differ by more than chance. They are below
    1, and `n_positives` are the effective numbers of positives.
    """
    # The variance of a difference of log odds is the sum of their variances.
    variance = np.sum(1 / (1 - np.array(shares)) / n_positives)
    return bool(abs(np.diff(logit(shares))[0]) > _FAR_APART * sqrt(variance))


def risks_of(
    endpoints_at: Callable[[float], Endpoints], estimate: float, value: float = 0.0
) -> tuple[float, float]:
    """Return the one-sided p-values of two hypotheses: that a number is at most
    `value`, and that it is at least `value`.

    `estimate` is the estimate of the number. `endpoints_at` returns the endpoints of
    its interval for a given probability beyond each endpoint.
    """
    distance = estimate - value

    def lower_endpoint(tail: float) -> float:
        low, _ = endpoints_at(tail)
        return low - value

    def mirrored_upper_endpoint(tail: float) -> float:
        _, high = endpoints_at(tail)
        return value - high

    below = _tail_of(lower_endpoint, distance)
    above = _tail_of(mirrored_upper_endpoint, -distance)
    # `value` is on one side of the estimate, and `_tail_of` returns one half for the
    # other side. So one p-value is the probability beyond `value`, and the other
    # p-value is 1 minus this probability.
    return below + (0.5 - above), above + (0.5 - below)


def _tail_of(endpoint_at: Callable[[float], float], middle: float) -> float:
    """Return the probability beyond the lower endpoint of the interval whose lower
    endpoint is 0; one half if the lower endpoints of all intervals are below 0.

    `middle` is the estimate, where an interval of width 0 has its endpoints.
    """

    def lower_endpoint(tail: float) -> float:
        low = endpoint_at(tail)
        # At confidence levels near 0, the interval may have no width, and its endpoints
        # are NaN.
        return middle if isnan(low) else low

    # If the 95 % interval is undefined, the p-value is undefined, too.
    if isnan(endpoint_at(0.025)):
        return nan
    if lower_endpoint(MIDDLE) <= 0:
        return 0.5
    if lower_endpoint(_LEAST_TAIL) > 0:
        return _LEAST_TAIL
    return float(brentq(lower_endpoint, _LEAST_TAIL, MIDDLE))


def compared(samples: Sequence[Sample]) -> ScoreComparison:
    """Return the difference of two scores of the same units; warn if its interval or
    p-value may be wrong.
    """
    warn_of_samples(samples)
    _warn_of_few_that_differ(samples)
    return difference_of(samples)


def difference_of(samples: Sequence[Sample]) -> ScoreComparison:
    """Return the difference of two scores of the same units, without warnings."""
    first = samples[0]
    return comparison_of(
        [sample.paired() for sample in samples],
        map(estimate_of_sample, samples),
        n_units=first.n_units,
        n_fixed_queries=first.n_fixed_queries,
    )


def comparison_of(
    pair: Sequence[PairedScore],
    both_estimates: Iterable[ScoreEstimate] = (),
    **others: Any,
) -> ScoreComparison:
    """Return the comparison of two scores of the same units.

    For scores other than the area of a single ranking, if heavy negatives limit the
    degrees of freedom at least as much as positives do, a second interval is computed
    from the intervals of both scores (`EstimatePair`). The lower of the two lower
    endpoints and the higher of the two upper endpoints are used. `others` are further
    fields of the comparison.
    """
    first, second = pair
    scores = first.score, second.score
    rounding = rounding_of(max(first.n_rows, second.n_rows), *scores)
    difference = first.score - second.score
    if abs(difference) <= rounding:
        difference = 0.0
    spread = spread_of(pair, rounding)
    # The estimates of both scores, if the interval of the difference depends on their
    # intervals.
    estimates: EstimatePair | None = None
    if not spread.standard_error and not difference:
        # Both models agree on every unit.
        statistic, df, pvalue = 0.0, spread.df, 1.0
    elif not spread.standard_error:
        # If all units have the same difference, their variation is unknown. A p-value
        # of 0 would claim certainty.
        statistic, df, pvalue = copysign(inf, difference), spread.df, nan
    else:
        if has_heavy_negatives(pair) and not first.is_area:
            estimates = pair_of(both_estimates, pair)
            test = _test_of_estimates(estimates, spread)
        else:
            test = t_test_of(pair, spread, rounding)
        statistic, df, pvalue = *test, test.pvalue
    if isnan(pvalue):
        why = "there is a single unit or positive"
        if not spread.standard_error:
            why = f"every unit has the same difference of {difference:.4g}"
        text = (
            f"The p-value is NaN: {why}, so the variation between samples cannot be estimated. "
            "Add units that contain a positive."
        )
        warn_user(UndefinedMetricWarning(text))
    return ScoreComparison(
        difference=difference,
        scores=scores,
        standard_error=spread.standard_error,
        statistic=statistic,
        df=df,
        pvalue=pvalue,
        _df_of_interval=spread.df,
        _lost_positives=(first.lost_positive, second.lost_positive),
        _pair=estimates,
        _most=1.0,
        **others,
    )


def _test_of_estimates(pair: EstimatePair, spread: Spread) -> TTest:
    """Return the t test whose 95 % interval ends at the same place on the side of 0 as
    the interval that is computed from the intervals of two estimates.

    A mean of columns or fixed queries is far from linear in the weights of heavy
    negatives. The standard error of a difference accounts only for the negatives in the
    sample, but the intervals of both scores also account for missing negatives. Without
    this rule, equal models are rejected in .115 of samples.
    """
    low, high = pair.endpoints(0.025)
    difference = pair.first.score - pair.second.score
    reach = difference - low if difference > 0 else high - difference
    # `fmax` ignores a distance that is NaN.
    error = np.fmax(reach / stdtrit(spread.df, 0.975), spread.standard_error)
    return TTest(float(difference / error), spread.df)


def _warn_of_few_that_differ(samples: Sequence[Sample]) -> None:
    """Warn if the two models give different scores to few positives only. Another
    sample may contain none of these positives, or more of them.
    """
    first, second = (sample.call for sample in samples)
    if first is None or second is None:
        return
    positive = first.checked.positive
    differs = first.checked.score != second.checked.score
    n_that_differ = np.count_nonzero(differs & positive)
    # If no score differs, the models are equal. If the scores of all positives differ,
    # so will the scores of the positives in another sample.
    if differs.any() and n_that_differ < np.count_nonzero(positive):
        noun = "positives whose scores differ"
        warn_of_few(int(n_that_differ), noun, _FEW_THAT_DIFFER)


def pair_of(
    estimates: Iterable[ScoreEstimate],
    units: Sequence[Sample] | Sequence[PairedScore],
) -> EstimatePair:
    """Return two estimates of the same units with the correlation of their errors. It
    is computed from the standard errors of both scores and of their difference.
    """
    first, second = estimates
    error, other_error = first.standard_error, second.standard_error
    correlation = 0.0
    if error and other_error:
        # The variance of the difference is the sum of both variances minus twice the
        # covariance.
        of_difference = units[0].influences.less(units[1].influences).variance
        shared = error**2 + other_error**2 - of_difference
        correlation = shared / (2 * error * other_error)
    return EstimatePair(first, second, correlation)

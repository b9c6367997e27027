"""Comparisons of two models on the same rows: tests and intervals of the difference of
their scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import copysign, inf, isnan, nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit
from sklearn.exceptions import UndefinedMetricWarning

from .._core.reading.read import CheckedRows
from .._core.typing import BoolArray, ScoreFunction
from .._core.user_messages import warn_user
from .calls import read_call
from .influence import Spread, rounding_of
from .paired import TTest, has_heavy_negatives, spread_of, t_test_of
from .results import EstimatePair, ScoreComparison
from .sample import Sample
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
# Warn if more positives than this are compared at recall levels, and if the first
# positive reaches at least this share of the levels. At 800 positives, eleven levels
# find .24 of the differences that step AP finds.
_MANY_POSITIVES = 300
_LARGE_SHARE_AT_FIRST = 0.05


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
    estimate_score : Score with its standard error and interval.
    compare_many : Differences between several models, adjusted for their number.

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

    Scores at several recall levels have the t test of their difference. With more than
    300 positives, eleven levels find few differences: compare step AP, or 101 levels.

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


def compared(samples: Sequence[Sample]) -> ScoreComparison:
    """Return the difference of two scores of the same units; warn if its interval or
    p-value may be wrong.
    """
    warn_of_samples(samples)
    _warn_of_few_that_differ(samples)
    _warn_of_few_levels(samples[0])
    return difference_of(samples)


def difference_of(samples: Sequence[Sample]) -> ScoreComparison:
    """Return the difference of two scores of the same units, without warnings about the
    samples.

    For scores other than the area of a single ranking, if heavy negatives limit the
    degrees of freedom at least as much as positives do, a second interval is computed
    from the intervals of both scores (`EstimatePair`). The lower of the two lower
    endpoints and the higher of the two upper endpoints are used.
    """
    pair = [sample.paired() for sample in samples]
    first, second = pair
    scores = first.score, second.score
    # Both models have the same rows.
    rounding = rounding_of(samples[0].n_rows, *scores)
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
            estimates = _pair_of(samples)
            test = _test_of_estimates(estimates, spread)
        else:
            test = t_test_of(pair, spread, rounding)
        statistic, df, pvalue = *test, test.pvalue
    if isnan(pvalue):
        why = "there is a single unit or positive"
        if not spread.standard_error:
            why = f"every unit has the same difference of {difference:.4g}"
        elif isnan(statistic):
            why = "a few units contain most of the positives"
        text = (
            f"The p-value is NaN: {why}, so the variation between samples cannot be "
            "estimated. Add units that contain a positive."
        )
        warn_user(UndefinedMetricWarning(text))
    lost_positives = first.lost_positive, second.lost_positive
    # A model has the same score as itself in every sample.
    if not _rows_that_differ(samples).any():
        lost_positives = 0.0, 0.0
    return ScoreComparison(
        difference=difference,
        scores=scores,
        standard_error=spread.standard_error,
        statistic=statistic,
        df=df,
        pvalue=pvalue,
        n_units=samples[0].n_units,
        n_fixed_queries=samples[0].n_fixed_queries,
        _df_of_interval=spread.df,
        _lost_positives=lost_positives,
        _pair=estimates,
        _most=1.0,
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


def _rows_of(samples: Sequence[Sample]) -> list[CheckedRows]:
    """Return the rows of each model."""
    return [sample.call.checked for sample in samples if sample.call is not None]


def _rows_that_differ(samples: Sequence[Sample]) -> BoolArray:
    """Return, for each row, whether the two models give it different scores."""
    first, second = _rows_of(samples)
    return np.asarray(first.score != second.score)


def _warn_of_few_that_differ(samples: Sequence[Sample]) -> None:
    """Warn if the two models give different scores to few positives only. Another
    sample may contain none of these positives, or more of them.
    """
    positive = _rows_of(samples)[0].positive
    differs = _rows_that_differ(samples)
    n_that_differ = np.count_nonzero(differs & positive)
    # If no score differs, the models are equal. If the scores of all positives differ,
    # so will the scores of the positives in another sample.
    if differs.any() and n_that_differ < np.count_nonzero(positive):
        noun = "positives whose scores differ"
        warn_of_few(int(n_that_differ), noun, _FEW_THAT_DIFFER)


def _pair_of(samples: Sequence[Sample]) -> EstimatePair:
    """Return two estimates of the same units with the correlation of their errors. It
    is computed from the standard errors of both scores and of their difference.
    """
    first, second = map(estimate_of_sample, samples)
    error, other_error = first.standard_error, second.standard_error
    correlation = 0.0
    if error and other_error:
        # The variance of the difference is the sum of both variances minus twice the
        # covariance.
        influences, other_influences = (sample.influences for sample in samples)
        of_difference = influences.less(other_influences).variance
        shared = error**2 + other_error**2 - of_difference
        correlation = shared / (2 * error * other_error)
    return EstimatePair(first, second, correlation)


def _warn_of_few_levels(sample: Sample) -> None:
    """Warn if two models with many positives are compared at few recall levels."""
    ranked = sample.ranked
    if (
        ranked is not None
        and ranked.share_at_first >= _LARGE_SHARE_AT_FIRST
        and ranked.fewest > _MANY_POSITIVES
    ):
        warn_uncertain(
            "few_levels",
            f"With {ranked.fewest:,.0f} positives, a test at few recall levels finds "
            "few differences: the best precision at level 0 depends on the first few "
            "rows, however many rows there are. Compare average_precision_score, or "
            "101 recall_levels.",
        )

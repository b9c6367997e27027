"""Comparisons of two models on the same rows: tests and intervals of the difference of
their scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import copysign, inf, isnan, nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..._core.advice import advised
from ..._core.typing import BoolArray, ScoreFunction
from ..sampling.contributions import norm_of
from ..sampling.sample import Sample
from .base_of_results import warn_undefined
from .endpoints import df_of, rounding_of, test_of
from .estimates import (
    package_score,
    sampled_scores,
    warn_of_few,
    warn_of_sample,
    warn_uncertain,
)
from .results import ScoreComparison

# Warn if the two models give different scores to fewer positives than this. In
# simulations of such samples, intervals covered as little as .53.
_FEW_THAT_DIFFER = 5
# Warn if more positives than this are compared at recall levels, and if the first
# positive reaches at least this share of the levels. At 800 positives, eleven levels
# find .24 of the differences that step AP finds.
_MANY_POSITIVES = 300
_LARGE_SHARE_AT_FIRST = 0.05


@advised
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

    The test of other scores compares powers of them, whose errors are nearly symmetric:
    the cube roots of low scores, and nearly the scores themselves if they are high. If
    the models are equal, they can be exchanged in each unit, so the contribution of a
    unit to the difference may have either sign. The p-value is the share of all such
    signs whose sum is at least as far from 0 [3]_, and `df` is infinite. "Equal" means
    that the two models can be exchanged.

    If few rows decide, which are negatives that weigh more than positives, or rows at
    the lowest of several recall levels, it is a t test with the degrees of freedom of
    the variance [4]_. With more than 300 positives, eleven levels find few differences:
    compare step AP, or 101 levels. Their interval is for the mean difference of samples
    of this size: the precision of the first few rows does not settle as rows increase.

    The interval is a t interval. Each endpoint for rows that are drawn allows for one
    more positive that a model ranks last, because a sample in which a model is perfect
    does not show how much the model may lose. The interval agrees with the test: a 95 %
    interval excludes 0 if and only if the p-value is at most .05, and likewise at other
    levels [5]_. An endpoint that contradicts the test is moved to 0, which does not
    exclude 0, or to a number close to 0. :doc:`/intervals` has all rules.

    References
    ----------
    .. [1] M. D. Smucker, J. Allan, B. Carterette, "A comparison of statistical
       significance tests for information retrieval evaluation", CIKM 2007.
       :doi:`10.1145/1321440.1321528`
    .. [2] J. Urbano, H. Lima, A. Hanjalic, "Statistical significance testing in
       information retrieval: an empirical analysis of type I, type II and type III
       errors", SIGIR 2019. :doi:`10.1145/3331184.3331259`
    .. [3] R. A. Fisher, "The design of experiments", section 21, Oliver and Boyd, 1935.
    .. [4] F. E. Satterthwaite, "An approximate distribution of estimates of variance
       components", Biometrics Bulletin 2(6), 1946. :doi:`10.2307/3002019`
    .. [5] Y. Benjamini, Y. Hochberg, P. B. Stark, "Confidence intervals with more power
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
    samples = sampled_scores(
        score_func, y_true, both, params, unit_id=unit_id, caller="compare_scores"
    )
    return compared(samples)._with_score(score_func, params)


def compared(samples: Sequence[Sample]) -> ScoreComparison:
    """Return the difference of two scores of the same units; warn if its interval or
    p-value may be wrong.
    """
    first, second = samples
    checked = first.call.checked
    differs = np.asarray(checked.score != second.call.checked.score)
    # Both models have the same rows, and so the same units and positives.
    warn_of_sample(first)
    _warn_of_few_that_differ(differs, checked.positive)
    _warn_of_few_levels(first)
    found = _difference_of(samples)
    if not differs.any():
        # A model has the same score as itself in every sample.
        return replace(found, statistic=0.0, pvalue=1.0, _lost=(0.0, 0.0))
    if isnan(found.pvalue):
        why = "there is a single unit or positive"
        if found.difference and not found.standard_error:
            why = f"every unit has the same difference of {found.difference:.4g}"
        warn_undefined("The p-value is NaN", why)
    return found


def _difference_of(samples: Sequence[Sample]) -> ScoreComparison:
    """Return the difference of two scores of the same units.

    Differences and standard errors that rounding alone can make are 0.
    """
    first, second = pair = [sample.evidence for sample in samples]
    rounding = rounding_of(samples[0].n_rows, first.score, second.score)
    difference = first.score - second.score
    difference = difference if abs(difference) > rounding else 0.0
    apart = first.of_removed - second.of_removed
    error = first.factor * norm_of(apart, first.copies)
    error = error if error > rounding else 0.0
    most = first.n_effective - 1
    statistic, df, pvalue, test = nan, most, nan, None
    if not error and difference:
        # If all units have the same difference, their variation is unknown. A p-value
        # of 0 would claim certainty.
        statistic = copysign(inf, difference)
    elif most > 0 and not error:
        statistic, pvalue = 0.0, 1.0
    elif most > 0:
        statistic, df, pvalue = test_of(pair, difference, error)
        test = "signs" if df == inf else "t"
    lost = 0.0, 0.0
    # A mean over units has the interval of the paired t test.
    if not first.is_mean:
        most = df_of(apart, first.copies, most) if error else most
        lost = first.changes.lost, second.changes.lost
    return ScoreComparison(
        difference=difference,
        scores=(first.score, second.score),
        standard_error=error,
        statistic=statistic,
        df=df,
        test=test,
        pvalue=pvalue,
        n_units=first.n_units,
        n_fixed_queries=samples[0].n_fixed_queries,
        _df_of_interval=most,
        _lost=lost,
        _bias=first.changes.elsewhere - second.changes.elsewhere,
    )


def _warn_of_few_that_differ(differs: BoolArray, positive: BoolArray) -> None:
    """Warn if the two models give different scores to few positives only. Another
    sample may contain none of these positives, or more of them.
    """
    n_that_differ = np.count_nonzero(differs & positive)
    # If no score differs, the models are equal. If the scores of all positives differ,
    # so will the scores of the positives in another sample.
    if differs.any() and n_that_differ < np.count_nonzero(positive):
        noun = "positives whose scores differ"
        warn_of_few(int(n_that_differ), noun, _FEW_THAT_DIFFER)


def _warn_of_few_levels(sample: Sample) -> None:
    """Warn if two models with many positives are compared at few recall levels."""
    is_few = sample.share_at_first >= _LARGE_SHARE_AT_FIRST
    if is_few and sample.fewest > _MANY_POSITIVES:
        warn_uncertain(
            "few_levels",
            f"With {sample.fewest:,.0f} positives, a test at few recall levels finds "
            "few differences: the best precision at level 0 depends on the first few "
            "rows, however many rows there are. Compare average_precision_score, or "
            "101 recall_levels.",
        )

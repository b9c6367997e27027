"""Two estimates from independent samples, such as this month and last month."""

from __future__ import annotations

from math import hypot, isnan, nan

from scipy.optimize import brentq

from .._typing import TestedAlternative
from ._results import ScoreComparison, ScoreEstimate, ends_of_difference
from ._spread import past_margin, read_margin

_LEAST_TAIL, _MIDDLE = 1e-12, 0.5 - 1e-9  # of a distribution


def compare_estimates(
    estimate_a: ScoreEstimate,
    estimate_b: ScoreEstimate,
    *,
    alternative: TestedAlternative = "two-sided",
    margin: float = 0.0,
) -> ScoreComparison:
    r"""Difference of two scores of independent samples, and how sure it is.

    Two months, two hospitals or two test sets have no rows in common. For two models on the same rows,
    :func:`compare_scores` is far more precise.

    .. versionadded:: 0.1

    Parameters
    ----------
    estimate_a, estimate_b : ScoreEstimate
        What :func:`estimate_score` returns for each sample, of the same score.

    alternative, margin : optional
        As for :func:`compare_scores`: ``alternative='greater'`` tests whether the first score is higher.

    Returns
    -------
    comparison : ScoreComparison
        The first score minus the second, with the `method` ``'independent'``.

    Raises
    ------
    ValueError
        If an argument is not an estimate; for a `margin` that `alternative` does not take.

    See Also
    --------
    estimate_score : The interval of one sample.
    compare_scores : Two models on the same rows.

    Notes
    -----
    Both intervals make that of the difference [1]_: with the estimates :math:`T_i` and their intervals
    :math:`l_i` to :math:`u_i`, its lower end is
    :math:`T_1 - T_2 - \sqrt{(T_1 - l_1)^2 + (u_2 - T_2)^2}`, and the upper end likewise. So it takes from
    each interval its scale, its degrees of freedom, and what the sample may lack. The p-value is that of the
    intervals: the level at which an end reaches the hypothesis.

    References
    ----------
    .. [1] G. Y. Zou, A. Donner, "Construction of confidence limits about effect measures: a general
       approach", Statistics in Medicine 27, 2008. :doi:`10.1002/sim.3095`

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
    0.34 - 0.81 = -0.47, 95 % interval -0.61 to -0.28, p < 0.0001 (two-sided, independent)
    """
    margin = read_margin(margin, alternative)
    for name, estimate in (("estimate_a", estimate_a), ("estimate_b", estimate_b)):
        if not isinstance(estimate, ScoreEstimate):
            raise ValueError(
                f"{name} must be a ScoreEstimate, as estimate_score returns; got {type(estimate).__name__}."
            )
    error, difference = (
        hypot(estimate_a.standard_error, estimate_b.standard_error),
        estimate_a.score - estimate_b.score,
    )
    below, above = _risk_below(estimate_a, estimate_b, -margin), _risk_below(estimate_b, estimate_a, -margin)
    pvalues = {"two-sided": min(1.0, 2 * min(below, above)), "less": above, "greater": below}
    pvalues["equivalence"] = nan if isnan(below + above) else max(below, above)
    return ScoreComparison(
        difference=difference,
        scores=(estimate_a.score, estimate_b.score),
        standard_error=error,
        statistic=past_margin(difference, alternative, margin) / error if error else nan,
        df=nan,
        pvalue=nan if isnan(below + above) else pvalues[alternative],
        method="independent",
        alternative=alternative,
        n_units=estimate_a.n_units + estimate_b.n_units,
        margin=margin,
        _estimates=(estimate_a, estimate_b),
    )


def _risk_below(estimate_a: ScoreEstimate, estimate_b: ScoreEstimate, bound: float) -> float:
    """Return the risk of the interval whose lower end is this bound: the p-value of "not above it"."""

    def excess(tail: float) -> float:
        return ends_of_difference(estimate_a, estimate_b, tail)[0] - bound

    def lack(tail: float) -> float:
        return bound - ends_of_difference(estimate_a, estimate_b, tail)[1]

    if isnan(excess(0.025)) or isnan(lack(0.025)):
        return nan
    for distance, is_below in ((excess, False), (lack, True)):
        if distance(_MIDDLE) > 0:
            is_least = distance(_LEAST_TAIL) > 0
            tail = _LEAST_TAIL if is_least else float(brentq(distance, _LEAST_TAIL, _MIDDLE))
            return 1 - tail if is_below else tail
    return 0.5

"""Many models on the same rows: which of all differences are more than chance, and by
how much.

p-values and intervals are right together, by the joint distribution of the statistics
of all comparisons. Under the hypotheses, each comparison is a sum of influences around
0. If the influences of each unit are multiplied by a standard normal number, the sums
are normal with the covariance of the comparisons. So they are drawn from it at once,
whatever the number of units. p-values count as the normal deviates that have them: they
come from t distributions, each with its own degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from math import inf
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri, stdtrit

from .._public import warn_user
from .._reading._options import check_option, short_repr
from .._registry import score_of
from .._rounding import decimals_of, format_pvalue, with_decimals
from .._typing import Alternative, FloatArray, IntArray, ManyMethod, ScoreFunction
from ._comparisons import pair_of_heavy, pvalue_of_pair, t_test
from ._estimates import sampled_scores, warn_of_samples
from ._influence import rounding_of, spread_of
from ._results import (
    ConfidenceInterval,
    EstimatePair,
    Result,
    check_resamples,
    read_confidence_level,
)
from ._sample import Draws, Sample, Source, resampled

if TYPE_CHECKING:
    from pandas import DataFrame

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ManyComparisons(Result):
    """Differences between many models, as :func:`compare_many` returns them.

    .. versionadded:: 0.1

    Parameters
    ----------
    pairs : tuple of pairs of str
        Names of the models of each difference: the first one minus the second one.

    difference : ndarray of shape (n_pairs,)
        The score of the first model minus that of the second one.

    scores : ndarray of shape (2, n_pairs)
        Both scores.

    standard_error : ndarray of shape (n_pairs,)
        Standard error of each difference.

    statistic : ndarray of shape (n_pairs,)
        Difference divided by its standard error.

    df : ndarray of shape (n_pairs,)
        Degrees of freedom of the t distribution of each statistic, which is the test of
        the pair alone.

    pvalue : ndarray of shape (n_pairs,)
        Adjusted p-value of each pair: if those of at most .05 are reported, any of them
        is false in at most .05 of samples. NaN where all units have the same
        difference.

    method : {'influence', 'bootstrap'}
        Where the standard errors come from.

    alternative : {'two-sided', 'less', 'greater'}, default='two-sided'
        Which differences count as far from 0.

    n_units : int, default=0
        Number of units that were sampled: rows, clusters or queries.

    n_dropped : int, default=0
        Bootstrap samples that were left out, because they contained no positive.

    n_fixed_queries : int, default=0
        Number of queries, if these are the same in every sample.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import average_precision_score, compare_many
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.repeat([1, 0], [50, 450])
    >>> scores = {name: y_true * shift + rng.normal(size=500) for name, shift in [("A", 2), ("B", 1)]}
    >>> found = compare_many(average_precision_score, y_true, scores)
    >>> found.pairs, found.difference.round(3)
    ((('A', 'B'),), array([0.32]))
    """

    pairs: tuple[tuple[str, str], ...] = field(repr=False)  # two columns of a frame
    difference: FloatArray
    scores: FloatArray
    standard_error: FloatArray
    statistic: FloatArray
    df: FloatArray
    pvalue: FloatArray
    method: str
    alternative: Alternative = "two-sided"
    n_units: int = 0
    n_dropped: int = 0
    n_fixed_queries: int = 0
    # The least p-value of all comparisons in each draw under the hypotheses.
    _least: FloatArray = field(
        default_factory=lambda: np.zeros(0), repr=False, compare=False
    )
    # The estimates of each comparison that heavy negatives decide, by its place.
    _estimates: Mapping[int, EstimatePair] = field(
        default_factory=dict, repr=False, compare=False
    )
    _most: float = field(
        default=inf, repr=False, compare=False
    )  # 1 for shares, whose differences end there

    def confidence_interval(
        self, confidence_level: float = 0.95
    ) -> ConfidenceInterval[FloatArray]:
        """Return intervals that cover all differences at once in this share of samples.

        An interval that excludes 0 belongs to a difference whose adjusted p-value is at
        most 1 minus the level. The reverse need not be true: p-values are found in
        steps, which find more.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Above 0 and below 1.

        Returns
        -------
        interval : ConfidenceInterval
            With the fields `low` and `high`, arrays in the order of the pairs;
            one-sided alternatives have one infinite end. NaN where the standard error
            is not known.

        Warns
        -----
        UserWarning
            If an end is NaN, with the reason.

        Raises
        ------
        ValueError
            If `confidence_level` is not a share, or needs more draws than there are.
        """
        low, high = interval = self._interval(confidence_level)
        unknown = np.isnan(low) | np.isnan(high)
        if unknown.any():
            why = f"the standard error is {self.standard_error[unknown.argmax()]:.4g}"
            first, second = self.pairs[unknown.argmax()]
            warn_user(
                f"The confidence interval of {first} - {second} is NaN, because {why}."
            )
        return interval

    def _interval(self, confidence_level: float) -> ConfidenceInterval[FloatArray]:
        risk = 1 - read_confidence_level(confidence_level)
        n_tested = max(int(np.count_nonzero(self.standard_error > 0)), 1)
        each = risk_of_each(risk, self._least, n_tested)
        tail = each / 2 if self.alternative == "two-sided" else each
        reach = stdtrit(self.df, 1 - tail) * self.standard_error
        reach[self.standard_error == 0] = np.nan
        low, high = np.clip(
            (self.difference - reach, self.difference + reach), -self._most, self._most
        )
        for place, pair in self._estimates.items():
            low[place], high[place] = pair.ends(tail)
        low[:] = -np.inf if self.alternative == "less" else low
        high[:] = np.inf if self.alternative == "greater" else high
        return ConfidenceInterval(low, high)

    def to_frame(self, confidence_level: float = 0.95) -> DataFrame:
        """Return a pandas DataFrame with one row per pair.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Level of the columns `low` and `high`, which are right for all rows at once.

        Returns
        -------
        frame : pandas.DataFrame
            The two models, the fields, and the simultaneous intervals.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        frame = self._frame(self._interval(confidence_level))
        for place, names in enumerate(zip(*self.pairs, strict=True)):
            frame.insert(place, ("model_a", "model_b")[place], names)
        return frame

    def __str__(self) -> str:
        """Return a line per pair, with simultaneous 95 % intervals where there are
        enough draws.
        """
        names = [f"{first} - {second}" for first, second in self.pairs]
        columns = np.broadcast_arrays(
            self.difference, *self._shown_interval(), self.pvalue
        )
        rows = []
        for name, *numbers, pvalue in zip(names, *columns, strict=True):
            decimals = decimals_of(*numbers, is_difference=True)
            difference, *ends = with_decimals(decimals, *numbers)
            interval = f"  ({' to '.join(ends)})" * (decimals is not None)
            rows.append((name, difference, interval, f"p {format_pvalue(pvalue)}"))
        wide, right, end = (
            max(map(len, column)) for column in list(zip(*rows, strict=True))[:3]
        )
        lines = [
            f"{row[0]:<{wide}}  {row[1]:>{right}}{row[2]:<{end}}  {row[3]}"
            for row in rows
        ]
        what = "simultaneous 95 % intervals and " if ends[0] else ""
        return "\n".join(
            [f"{what}adjusted p-values ({self.alternative}, {self._how})", *lines]
        )

    __repr__ = __str__


def compare_many(
    score_func: str | ScoreFunction,
    y_true: ArrayLike,
    y_score: Mapping[str, ArrayLike],
    *,
    reference: str | None = None,
    alternative: Alternative = "two-sided",
    method: ManyMethod = "auto",
    unit_id: ArrayLike | None = None,
    n_resamples: int = 9999,
    random_state: Source = None,
    **score_func_params: Any,
) -> ManyComparisons:
    """Differences between many models on the same rows.

    Intervals and p-values are right together.

    Of 45 comparisons of ten equal models, two are below .05 on average. Here, p-values
    and intervals allow for all comparisons at once, and for what they share: the rows,
    and the models.

    .. versionadded:: 0.1

    Parameters
    ----------
    score_func : str or callable
        A score of this package by its name, as in :func:`get_scorer`, such as
        ``'average_precision@100'``; the score itself, such as
        :func:`average_precision_score`; or any function of labels and scores.

    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score : mapping of str to array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores of each model, by its name; their scales need not be the same.

    reference : str, default=None
        Name of the model that each other model is compared with. None compares all
        pairs. Fewer comparisons find more.

    alternative : {'two-sided', 'less', 'greater'}, default='two-sided'
        Whether the first model of a pair differs from the second, or scores less, or
        more. One-sided alternatives require a `reference`: without one, the order of
        the models decides which is first.

    method : {'auto', 'influence', 'bootstrap'}, default='auto'
        Where standard errors and covariances come from.

        - ``'influence'``: what each unit does to each difference.
        - ``'bootstrap'``: the differences in bootstrap samples; for standard errors,
          not for percentiles.
        - ``'auto'``: influences where the score has them, as for
          :func:`estimate_score`, else a bootstrap.

    unit_id : optional
        As for :func:`estimate_score`.

    n_resamples : int, default=9999
        Number of draws from the joint distribution of all differences; and of bootstrap
        samples.

    random_state, **score_func_params : optional
        As for :func:`estimate_score`.

    Returns
    -------
    comparisons : ManyComparisons
        With the fields `pairs`, `difference`, `pvalue` and others, and the method
        `confidence_interval`.

    Warns
    -----
    UserWarning
        For what :func:`compare_scores` warns of.

    Raises
    ------
    ValueError
        For what :func:`compare_scores` refuses; if `y_score` does not map the names of
        at least two models to their scores; if `reference` is not one of them.

    See Also
    --------
    compare_scores : Two models. ScoreEstimateDisplay : A picture of the scores, and of
    the differences to a reference.

    Notes
    -----
    Each difference has the standard error and the test of
    ``compare_scores(method='influence')``. The joint distribution is that of multiplier
    draws: influences of each unit times a normal number [3]_. Their largest statistic
    decides on intervals, and p-values are found in steps [1]_ [2]_, so they are never
    above those of Holm. Where few rows decide, :func:`compare_scores` takes percentiles
    by default, and may find a difference that is not found here.

    References
    ----------
    .. [1] P. H. Westfall, S. S. Young, "Resampling-based multiple testing: examples and
       methods for p-value adjustment", Wiley, 1993.
    .. [2] J. P. Romano, M. Wolf, "Exact and approximate stepdown methods for multiple
       hypothesis testing", Journal of the American Statistical Association 100, 2005.
       :doi:`10.1198/016214504000000539`
    .. [3] T. Hothorn, F. Bretz, P. Westfall, "Simultaneous inference in general
       parametric models", Biometrical Journal 50, 2008. :doi:`10.1002/bimj.200810425`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import average_precision_score, compare_many
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.repeat([1, 0], [100, 900])
    >>> noise = rng.normal(size=1000)
    >>> y_score = {
    ...     name: shift * y_true + noise + 0.5 * rng.normal(size=1000)
    ...     for name, shift in [("old", 1.5), ("new", 2.0), ("same", 1.5)]
    ... }
    >>> print(compare_many(average_precision_score, y_true, y_score, random_state=0))
    simultaneous 95 % intervals and adjusted p-values (two-sided, influence)
    old - new   -0.22  (-0.31 to -0.13)  p < 0.0001
    old - same  -0.02  (-0.11 to 0.07)   p = 0.6
    new - same   0.20  (0.12 to 0.28)    p < 0.0001
    """
    check_option("alternative", alternative, get_args(Alternative))
    check_option("method", method, get_args(ManyMethod))
    draws = Draws(n_resamples, random_state)
    names, pairs = _read_pairs(y_score, reference, alternative)
    score_func, params = score_of(score_func, score_func_params), score_func_params
    models = {f"y_score[{name!r}]": scores for name, scores in y_score.items()}
    samples = sampled_scores(score_func, y_true, models, unit_id, **params)
    scores = np.array([sample.score for sample in samples])
    if method == "auto":
        method = "influence" if samples[0].has_influences else "bootstrap"
    warn_of_samples(samples, drawn=method == "bootstrap")
    rounding = rounding_of(samples[0].n_rows, *scores)
    inputs = samples, pairs, rounding
    joint = (
        _joint_by_influence(*inputs)
        if method == "influence"
        else _joint_by_bootstrap(*inputs, draws)
    )
    drawn = drawn_sums(joint.of_units, draws.n_resamples, draws.rng)
    scores, drawn = scores[pairs.T], drawn[:, pairs[:, 0]] - drawn[:, pairs[:, 1]]
    difference = scores[0] - scores[1]
    difference[np.abs(difference) <= rounding] = 0.0
    statistic, pvalue = _tests(difference, joint, alternative)
    pvalue, least = adjusted(pvalue, joint.error, drawn, alternative)
    return ManyComparisons(
        pairs=tuple((names[i], names[j]) for i, j in pairs),
        difference=difference,
        scores=scores,
        standard_error=joint.error,
        statistic=statistic,
        df=joint.df,
        pvalue=pvalue,
        method=method,
        alternative=alternative,
        n_units=samples[0].n_units,
        n_fixed_queries=samples[0].n_fixed_queries,
        n_dropped=joint.n_dropped,
        _least=least,
        _estimates=joint.estimates,
        _most=1.0 if all(sample.is_share for sample in samples) else inf,
    )


class _Joint(NamedTuple):
    """How sure each difference is, and what decides on all of them together."""

    error: FloatArray
    df: FloatArray
    of_units: FloatArray  # what each unit does to each score
    n_dropped: int = 0
    estimates: Mapping[int, EstimatePair] = MappingProxyType(
        {}
    )  # of pairs that heavy negatives decide


def _read_pairs(
    y_score: object, reference: object, alternative: str
) -> tuple[list[str], IntArray]:
    """Return the names of the models, and the places of both models of each
    comparison.
    """
    if reference is None and alternative != "two-sided":
        raise ValueError(
            f"alternative={alternative!r} requires a reference, the second model of each pair; got None."
        )
    if not isinstance(y_score, Mapping) or len(y_score) < 2:
        raise ValueError(
            f"y_score must map the names of at least two models to their scores; got "
            f"{list(y_score) if isinstance(y_score, Mapping) else type(y_score).__name__}."
        )
    names = list(y_score)
    if reference is None:
        return names, np.array(list(combinations(range(len(names)), 2)))
    if not isinstance(reference, Hashable) or reference not in y_score:
        raise ValueError(
            f"reference must be None or one of {short_repr(names)}; got {short_repr(reference)}."
        )
    place = names.index(reference)
    return names, np.array(
        [(other, place) for other in range(len(names)) if other != place]
    )


def _joint_by_influence(
    samples: list[Sample], pairs: IntArray, rounding: float
) -> _Joint:
    """Return what each unit does to each score, and the errors of differences that
    follow.
    """
    models = [sample.influences() for sample in samples]
    spreads = [
        spread_of(models[i].less(models[j]).moments(), samples[i].n_positives, rounding)
        for i, j in pairs
    ]
    error, df = np.array(spreads).T
    heavy = (
        pair_of_heavy([samples[i] for i in pair], of)
        for pair, of in zip(pairs, spreads, strict=True)
    )
    estimates = {place: pair for place, pair in enumerate(heavy) if pair is not None}
    of_units = np.stack([model.of_units for model in models], axis=1)
    # Missed positives of a ranking do the same: a row of the root of their number has
    # the same covariance.
    of_missed = [
        np.atleast_1d(np.sqrt(model.n_missed) * model.of_missed) for model in models
    ]
    return _Joint(
        error,
        df,
        np.vstack([of_units, np.stack(of_missed, axis=1)]),
        estimates=estimates,
    )


def _joint_by_bootstrap(
    samples: list[Sample], pairs: IntArray, rounding: float, draws: Draws
) -> _Joint:
    """Return the same, where bootstrap samples take the place of units."""
    drawn = resampled(samples, draws).T
    defined = drawn[~np.isnan(drawn).any(axis=1)]
    if len(defined) < 2:
        raise ValueError(
            "n_resamples must give at least 2 bootstrap samples with a positive, and be at least 400 for "
            f"intervals of 95 %; got {len(drawn)} ({len(defined)} with a positive)."
        )
    defined = (
        defined - defined[0]
    )  # so that equal draws of a model add up to no rounding error
    of_units = (defined - defined.mean(axis=0)) / np.sqrt(max(len(defined) - 1, 1))
    error = np.sqrt(
        np.square(of_units[:, pairs[:, 0]] - of_units[:, pairs[:, 1]]).sum(axis=0)
    )
    error[error <= rounding] = 0.0
    n_positives = np.array(
        [
            one.n_units if np.isnan(one.n_positives) else one.n_positives
            for one in samples
        ]
    )
    # A standard error from few draws is as unsure as one from few positives.
    df = np.minimum(n_positives[pairs[:, 0]], len(defined)) - 1.0
    return _Joint(error, df, of_units, len(drawn) - len(defined))


def _tests(
    difference: FloatArray, joint: _Joint, alternative: Alternative
) -> FloatArray:
    """Return the statistic and the p-value of each difference; the first one without
    any error warns.
    """
    tested = np.array(
        [np.copysign(np.inf, difference), np.full(difference.size, np.nan)]
    )
    unsure = (joint.error == 0) & (difference != 0)
    for i in {*np.flatnonzero(~unsure).tolist(), int(unsure.argmax())}:
        tested[:, i] = t_test(
            difference.item(i), joint.error.item(i), joint.df.item(i), alternative
        )
    for place, pair in joint.estimates.items():
        tested[1, place] = pvalue_of_pair(pair, alternative)
    return tested


class Adjusted(NamedTuple):
    """Adjusted p-values, and the least p-value of each draw, which decides on
    simultaneous intervals.
    """

    pvalue: FloatArray
    least: FloatArray


def drawn_sums(influences: FloatArray, n_resamples: int, rng: Generator) -> FloatArray:
    """Return sums of influences (units x comparisons), times normal numbers of the
    units: a row per draw.
    """
    covariance = np.einsum(
        "ui,uj->ij", influences, influences
    )  # not by threads of BLAS, which may differ
    error = np.sqrt(covariance.diagonal())
    scale = np.divide(1, error, out=np.zeros_like(error), where=error > 0)
    # Where comparisons depend on each other, a root exists but for rounding.
    # Eigenvectors would need no such help, but their signs depend on it: two calls with
    # the same seed would differ.
    correlation = covariance * scale * scale[:, np.newaxis]
    correlation[np.diag_indices_from(correlation)] = 1 + _EPS * (
        8 * error.size + len(influences)
    )
    return np.asarray(
        rng.normal(size=(n_resamples, error.size))
        @ np.linalg.cholesky(correlation).T
        * error
    )


def adjusted(
    pvalue: FloatArray, error: FloatArray, drawn: FloatArray, alternative: Alternative
) -> Adjusted:
    """Return p-values that are right for all comparisons at once: the probability that
    any would be as small.

    Each row of `drawn` is a draw of all differences under the hypotheses. Comparisons
    whose p-value is NaN are not tested and stay NaN; those with the standard error 0
    never reject. The steps are those of Westfall and Young (1993): the smallest p-value
    is compared with all comparisons, the next one against the others. No p-value is
    above that of Holm.
    """
    tails = 2 if alternative == "two-sided" else 1
    order = np.argsort(pvalue, kind="stable")
    order = order[: np.count_nonzero(~np.isnan(pvalue))]
    order = order[error[order] > 0]
    each = np.where(error > 0, np.nan, pvalue)
    if not order.size:
        return Adjusted(each, np.ones(len(drawn)))
    drawn = drawn[:, order]
    drawn /= np.sqrt(np.square(drawn).mean(axis=0))
    deviates = {"two-sided": np.abs, "less": np.negative, "greater": np.positive}[
        alternative
    ](drawn)
    # From the last comparison on, the largest deviate of those that are not rejected
    # yet.
    largest = np.maximum.accumulate(deviates[:, ::-1], axis=1)[:, ::-1]
    reached = np.count_nonzero(largest >= -ndtri(pvalue[order] / tails), axis=0)
    of_draws = np.maximum.accumulate((reached + 1) / (len(drawn) + 1))
    # Draws are random, but these bounds are not; a single comparison is not adjusted.
    of_holm = np.maximum.accumulate(np.arange(order.size, 0, -1) * pvalue[order])
    each[order] = np.clip(of_draws, pvalue[order], np.minimum(of_holm, 1.0))
    return Adjusted(each, np.asarray(tails * ndtr(-largest[:, 0])))


def risk_of_each(risk: float, least: FloatArray, n_comparisons: int) -> float:
    """Return the risk of each interval, at least Bonferroni's, so that all are right
    but for `risk`.
    """
    check_resamples(1 - risk, least.size)
    place = int(risk * (least.size + 1) * (1 + 1e-12)) - 1
    return min(
        max(float(np.partition(least, place)[place]), risk / n_comparisons), risk
    )

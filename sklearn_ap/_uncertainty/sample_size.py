"""Sizes of samples for an interval or a test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, isnan, log1p, nan, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import chdtri, nctdtr, ndtr, ndtri, stdtrit

from .._core.reading.options import is_finite, is_real, read_prevalence, short_repr
from .._core.typing import FloatArray, IntArray, ScoreFunction
from .ends import Facts, ends_of
from .influence import Influences, rounding_of, spread_of
from .results import Result, read_confidence_level
from .standard_errors import (
    estimate_of_sample,
    influence_values,
    package_score,
    sampled_scores,
)

_LEAST_POSITIVES = 10  # or units that contain one
# degrees of freedom that a sample has too many, since it lacks the rarest rows
# (simulated)
_SEEN = 5.0
_LEAST = 1e-6  # half-width or difference: 1e12 positives
# positives of a sample that a distribution stands for: their own number adds little
# error
_MANY = 1000
_OF_ROWS = ("sample_weight", "query_id", "n_positives")  # arguments that need a pilot


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SampleSize(Result):
    """Size of a sample, as :func:`sample_size` returns it.

    .. versionadded:: 0.1

    Parameters
    ----------
    n_positives : int
        Number of positives.

    n_samples : int
        Number of rows, positives and negatives.

    n_units : int
        Number of units: rows, clusters or queries.

    half_width : float, default=nan
        Half of the length of the interval that was asked for; NaN if a power was.

    difference : float, default=nan
        Difference that a test should find; NaN if a half-width was asked for.

    power : float, default=nan
        How often a test should find it; NaN if a half-width was asked for.

    confidence_level : float, default=0.95
        Of the interval; 1 minus the level of the test.

    n_positives_low : float, default=nan
        Fewest positives that fit the variance of the pilot; in simulations, both ends
        contained the right size in .74 to .99 of pilots. NaN without a pilot.

    n_positives_high : float, default=nan
        Most positives that fit the variance of the pilot.

    Examples
    --------
    >>> from sklearn_ap import SampleSize
    >>> size = SampleSize(n_positives=300, n_samples=6000, n_units=6000, half_width=0.05)
    >>> print(size)
    300 positives among 6,000 rows, for a 95 % interval of half-width 0.05
    """

    n_positives: int
    n_samples: int
    n_units: int
    half_width: float = nan
    difference: float = nan
    power: float = nan
    confidence_level: float = 0.95
    n_positives_low: float = nan
    n_positives_high: float = nan

    def __str__(self) -> str:
        """Return the size, its purpose and its own interval in one line."""
        units = f" in {self.n_units:,} units" if self.n_units != self.n_samples else ""
        what = f"a {100 * self.confidence_level:g} % interval of half-width {self.half_width:g}"
        if self.power > 0:
            level = 1 - self.confidence_level
            what = f"power {self.power:g} at a difference of {self.difference:g} and level {level:.3g}"
        size = f"{self.n_positives:,} positives among {self.n_samples:,} rows{units}, for {what}"
        if isnan(self.n_positives_low):
            return size
        low, high = self.n_positives_low, self.n_positives_high
        return (
            f"{size}; the pilot is compatible with {low:,.0f} to {high:,.0f} positives"
        )


def _at(facts: Facts, times: float, level: float) -> Facts:
    """Return the facts of so many times as many units, for this confidence level."""
    n, df_of_variance = facts.n_positives, facts.df
    if not n:  # of a ranking without positives
        return facts
    df = facts.n_counted * times - 1
    if df_of_variance < facts.n_counted - 1:  # few rows carry the variance
        fixed = min(_SEEN, df_of_variance / 2)
        df = min(df, fixed + (df_of_variance - fixed) * times)
    # Half a negative above n positives costs about log(1 + 2 n) / (2 n).
    more = log1p(2 * n * times) / log1p(2 * n) / times
    columns = facts.columns
    if columns is not None:
        each = tuple(_at(column, times, level) for column in columns.each)
        columns = columns._replace(each=each)
    return facts._replace(
        level=level,
        standard_error=facts.standard_error / sqrt(times),
        second=facts.second / times,
        df=max(df, 0.5),
        n_positives=n * times,
        n_units=n * times,
        known_bias=facts.known_bias / times,
        loss=min(facts.loss * more, facts.score / 2),
        df_of_negatives=facts.df_of_negatives * times,
        columns=columns,
        floor=None,
    )


class _Pilot(NamedTuple):
    """What is known of the score of a pilot, and the size of the pilot."""

    facts: Facts  # the score is NaN where the interval is symmetric
    fewest: float  # equal units that would contain the positives of a column
    n_positives: float
    n_rows: float
    df: float  # of the pilot's variance; NaN if no rows were drawn

    def excess(self, times: float, goal: SampleSize) -> float:
        """Return by how much so many times as many units exceed a power or, without
        one, fall below a half-width.
        """
        facts = _at(self.facts, times, goal.confidence_level)
        reach = float(stdtrit(facts.df, 0.5 + facts.level / 2))
        if goal.power > 0:
            # how often a t test finds what is true: of the noncentral t distribution
            center = goal.difference / facts.standard_error
            within, other_side = nctdtr(facts.df, center, (reach, -reach))
            # Far out, scipy has NaN for what is nearly 0.
            return float(1 - within + np.nan_to_num(other_side) - goal.power)
        if isnan(facts.score):
            return goal.half_width - reach * facts.standard_error
        low, high = ends_of(facts)
        return goal.half_width - (high - low) / 2

    def times(self, goal: SampleSize) -> float:
        """Return how many times as many units reach a half-width or, with a power, find
        a difference.
        """
        times = _LEAST_POSITIVES / self.fewest
        if self.excess(times, goal) >= 0:
            return times
        while self.excess(times, goal) < 0:
            times *= 2
        return float(brentq(self.excess, times / 2, times, (goal,)))


def sample_size(
    score_func: str | ScoreFunction,
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | None = None,
    y_score_b: ArrayLike | None = None,
    *,
    half_width: float | None = None,
    difference: float | None = None,
    power: float = 0.8,
    confidence_level: float = 0.95,
    score: float | None = None,
    prevalence: float | None = None,
    unit_id: ArrayLike | None = None,
    **score_func_params: Any,
) -> SampleSize:
    r"""Compute how many positives, and how many rows, an interval or a comparison needs.

    A pilot shows the spread of a score, which falls as the sample grows. Without a
    pilot, `score` and `prevalence` stand for normal scores of both classes.

    .. versionadded:: 0.1

    Parameters
    ----------
    score_func : str or callable
        A score of this package that adds up whole rankings, such as
        :func:`average_precision_score`, or its name, ``'average_precision'``; with
        `query_id`, any score, such as ``'average_precision@10'``.

    y_true : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
        Labels of the pilot, as for :func:`estimate_score`.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
        Scores of the pilot.

    y_score_b : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
        Scores of a second model on the same rows. The size is then that for the
        difference of both models.

    half_width : float, default=None
        Half of the length of the interval, such as 0.05: the mean over samples, so many
        intervals are longer. Give it or a `difference`.

    difference : float, default=None
        Difference of both models, first minus second, that :func:`compare_scores`
        should find; requires `y_score_b`.

    power : float, default=0.8
        In which share of samples the p-value is at most ``1 - confidence_level``, at
        this `difference`.

    confidence_level : float, default=0.95
        Level of the interval; the test has the level ``1 - confidence_level``.

    score : float, default=None
        Score that is expected, if there is no pilot; above that of random scores, and
        below 1.

    prevalence : float, default=None
        Share of positives that is expected, if there is no pilot.

    unit_id, **score_func_params : optional
        As for :func:`estimate_score`.

    Returns
    -------
    size : SampleSize
        With the fields `n_positives`, `n_samples`, `n_units`, and `n_positives_low` and
        `n_positives_high`.

    Warns
    -----
    UserWarning
        For what `score_func` warns of.

    Raises
    ------
    ValueError
        For what `score_func` refuses; if both or none of a half-width and a difference
        are given, or one that no sample can reach; for a pilot whose standard error is
        0 or unknown; for ``average=None``; for scores of single rankings that are not
        an area, such as precision at `k`; for a `prevalence` or `score` next to a
        pilot.

    See Also
    --------
    estimate_score : The interval of a sample.
    compare_scores : The test of two models.

    Notes
    -----
    Standard errors fall with the square root of the number of units. The interval is
    that of :func:`estimate_score`, with the degrees of freedom that the new sample will
    have. The power is that of the paired t test, by the noncentral t distribution [1]_.
    The sizes are those of the whole new sample; rows of the pilot count if they are
    part of it.

    Add a fifth if four of five intervals should be at most as long as asked. For a test
    with a margin, pass the distance from the expected difference to the nearer end of
    the margin as `difference`, and add a fifth for equivalence.

    Without a pilot, scores of both classes are normal with the same variance, the usual
    assumption of such sizes [2]_. The squared standard error of a pilot is itself
    uncertain: the ends `n_positives_low` and `n_positives_high` take it for chi-squared
    with the degrees of freedom of the pilot [3]_. Pilots of few positives ask for too
    few. No size is below ten positives, or units that contain one.

    The page :doc:`/intervals` shows how often samples of these sizes reach their goals.

    References
    ----------
    .. [1] J. Cohen, "Statistical power analysis for the behavioral sciences", 1988.
    .. [2] N. A. Obuchowski, D. K. McClish, "Sample size determination for diagnostic
       accuracy studies involving binormal ROC curve indices", Statistics in Medicine
       16, 1997.
    .. [3] R. H. Browne, "On the use of a pilot sample for sample size determination",
       Statistics in Medicine 14, 1995. :doi:`10.1002/sim.4780141709`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import average_precision_score, sample_size
    >>> print(sample_size(average_precision_score, score=0.6, prevalence=0.05, half_width=0.05))
    386 positives among 7,715 rows, for a 95 % interval of half-width 0.05
    >>> y_true = np.tile([1, 1, 0, 1, 0, 0, 0, 0, 0, 0], 10)
    >>> y_score = np.linspace(1, 0, 100)
    >>> size = sample_size(average_precision_score, y_true, y_score, half_width=0.05)
    >>> size.n_positives, round(size.n_positives_low), round(size.n_positives_high)
    (308, 168, 736)
    """
    level = read_confidence_level(confidence_level)
    goal = _read_goal(level, half_width, difference, power)
    if difference is not None and y_score_b is None:
        raise ValueError(
            "difference needs y_score and y_score_b of a pilot, two models on the same rows: how alike their "
            "scores are decides the size."
        )
    prevalence = read_prevalence(prevalence)
    score_func, params = package_score(score_func, score_func_params)
    rows = {
        "y_true": y_true,
        "y_score": y_score,
        "y_score_b": y_score_b,
        "unit_id": unit_id,
        **{name: params.get(name) for name in _OF_ROWS},
    }
    rows = {name: values for name, values in rows.items() if values is not None}
    if {"y_true", "y_score"} <= rows.keys() and score is None and prevalence is None:
        pilot = _of_pilot(score_func, rows, params)
    elif score is not None and prevalence is not None and not rows:
        pilot = _without_pilot(score_func, score, prevalence, params)
    else:
        raise ValueError(
            "y_true and y_score of a pilot must be given, or `score` and `prevalence` without a pilot; got "
            f"{[*rows]}, score={score!r} and prevalence={prevalence!r}."
        )
    facts = pilot.facts
    if not (facts.standard_error > 0 and facts.df > 0):
        raise ValueError(
            f"The pilot must say how much units differ; got {facts.n_units:g} units, {pilot.n_positives:g} "
            f"positives and the standard error {facts.standard_error:.3g}. Use a larger one."
        )
    times = pilot.times(goal)
    n_positives = times * pilot.n_positives
    # The pilot's squared standard error is chi-squared, and the size is proportional to
    # it.
    low, high = (
        n_positives * pilot.df / float(chdtri(pilot.df, tail))
        for tail in (0.025, 0.975)
    )
    # Rounding must not add a positive.
    size = replace(
        goal,
        n_positives=ceil(round(n_positives, 6)),
        n_samples=ceil(round(times * pilot.n_rows, 6)),
        n_units=ceil(round(times * facts.n_units, 6)),
        n_positives_low=low,
        n_positives_high=high,
    )
    return size._with_score(score_func, params)


def _read_goal(
    level: float, half_width: Any, difference: Any, power: Any
) -> SampleSize:
    """Return what a sample should do: have a short interval, or find a difference."""
    goals = {"half_width": half_width, "difference": difference}
    given = {name: goal for name, goal in goals.items() if goal is not None}
    if len(given) != 1:
        raise ValueError(
            "half_width or difference must be given, not both; got "
            f"half_width={half_width!r} and difference={difference!r}."
        )
    if not (is_real(power) and 1 - level < power < 1):
        raise ValueError(
            f"power must be above the level, {1 - level:.3g}, and below 1; got {power!r}."
        )
    [(name, goal)] = given.items()
    most = {"half_width": 0.5, "difference": 1}[name]  # of scores from 0 to 1
    if not (is_real(goal) and _LEAST <= goal < most):
        raise ValueError(
            f"{name} must be at least {_LEAST:g} and below {most:g}; got {short_repr(goal)}."
        )
    width_or_difference: dict[str, Any] = {name: float(goal)}
    return SampleSize(
        n_positives=0,
        n_samples=0,
        n_units=0,
        power=nan if difference is None else float(power),
        confidence_level=level,
        **width_or_difference,
    )


def _of_pilot(
    score_func: ScoreFunction, rows: Mapping[str, Any], params: Mapping[str, Any]
) -> _Pilot:
    """Return what a pilot says about larger samples of its own kind."""
    models: dict[str, Any] = {
        name: values for name, values in rows.items() if name.startswith("y_score")
    }
    samples = sampled_scores(
        score_func, rows["y_true"], models, rows.get("unit_id"), **params
    )
    sample = samples[0]
    call = sample.call
    assert call is not None, score_func
    influences = sample.influences
    for other in samples[1:]:
        influences = influences.less(other.influences)
    rounding = rounding_of(sample.n_rows, *(each.score for each in samples))
    spread = spread_of(influences.moments(), sample.n_positives, rounding)
    positive = call.checked.positive
    facts = influences.facts
    if not samples[1:]:
        facts = estimate_of_sample(sample)._known
    facts = facts._replace(
        **spread._asdict(),
        n_positives=sample.n_positives,
        n_units=sample.n_known_units,
    )
    return _Pilot(
        facts,
        fewest=sample.fewest,
        n_positives=int(np.count_nonzero(positive)) + sample.n_missed,
        n_rows=call.kept.size,
        df=min(spread.df, sample.n_positives - 1),
    )


def _without_pilot(
    score_func: ScoreFunction,
    score: float,
    prevalence: float,
    params: Mapping[str, Any],
) -> _Pilot:
    """Return what normal scores of both classes say about samples of `_MANY` positives.

    2,000 positives and 4,001 negatives stand for the distribution, by weights that add
    up to 1. The mean squared influence is then the variance per row.
    """
    score_func = partial(score_func, **{**params, "pos_label": 1})
    # Refuses scores that are not an area.
    influence_values(score_func, [1, 0], [1, 0])
    y_true, y_score, weight = _normal_scores(score_func, score, prevalence)
    of_rows = influence_values(score_func, y_true, y_score, sample_weight=weight)
    n = _MANY / prevalence
    # as many rows as the weights add up to
    moments = Influences(of_rows / n, copies=n * weight).moments()
    reached = score_func(y_true, y_score, sample_weight=weight)
    # What half a row takes from the score, a negative above all others.
    below = score_func(
        np.append(y_true, 0),
        np.append(y_score, np.max(y_score) + 1),
        sample_weight=np.append(weight, 0.5 / n),
    )
    facts = Facts(
        **spread_of(moments, _MANY, rounding_of(y_true.size, 1.0))._asdict(),
        score=score,
        n_positives=_MANY,
        n_units=n,
        loss=float(reached) - float(below),
    )
    return _Pilot(facts, fewest=_MANY, n_positives=_MANY, n_rows=n, df=nan)


def _normal_scores(
    score_func: ScoreFunction, score: float, prevalence: float
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return labels, scores and weights of two normal distributions whose means differ
    so that the score is this one.
    """
    positive = ndtri((np.arange(2000) + 0.5) / 2000)
    # Reaches above all positives at the largest shift.
    negative = np.linspace(-8, 12, 4001)
    half = (negative[1] - negative[0]) / 2
    y_true = np.repeat([1, 0], (positive.size, negative.size))
    of_negatives = (1 - prevalence) * (ndtr(half - negative) - ndtr(-half - negative))
    weight = np.append(np.full(positive.size, prevalence / positive.size), of_negatives)

    def excess(shift: float) -> float:
        y_score = np.append(positive + shift, negative)
        reached = score_func(y_true, y_score, sample_weight=weight)
        return float(reached) - score

    if not (is_finite(score) and excess(0) < 0 < excess(8)):
        raise ValueError(
            f"score must be above that of random scores, and below 1; got {score!r}."
        )
    shift = brentq(excess, 0, 8, xtol=1e-6)
    return y_true, np.append(positive + shift, negative), weight

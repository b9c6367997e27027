"""Estimates of one sample: a score, and the band of a precision-recall curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import nan
from typing import NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike

from ..._core.advice import advised
from ..._core.evaluate import laid_out
from ..._core.ranking.keys import rows_in_order
from ..._core.reading.read import CheckedRows
from ..._core.scorer_names import package_score
from ..._core.typing import (
    FloatArray,
    ScoreFunction,
    ScoreOptions,
)
from .. import rules
from ..sampling.contributions import Contributions
from ..sampling.cuts import rows_of_cut
from ..sampling.levels import groups_at
from ..sampling.one_more import typical_of
from ..sampling.ranking import Ranking, ranking_of_rows
from ..sampling.sample import Sample, sample_of
from ..sampling.score_call import read_call
from ..sampling.sums import vertices_of
from ..sampling.units import (
    as_counts,
    error_about_units,
    units_of,
    units_of_ranking,
)
from .cautions import (
    n_effective_distinct,
    warn_of_few,
    warn_of_first_level,
    warn_of_last_level,
    warn_of_rows,
    warn_of_sample,
)
from .endpoints import rounding_of
from .first_rows import places_of_first_rows
from .places import Place, endpoints_of_places
from .recalls import places_of_recalls
from .results import ScoreEstimate


@advised
def estimate_score(
    score_func: str | ScoreFunction,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    unit_id: ArrayLike | None = None,
    **score_func_params: Unpack[ScoreOptions],
) -> ScoreEstimate:
    r"""Return the score of a sample, with its standard error and interval.

    Parameters
    ----------
    score_func : str or callable
        A score of this package, or its name, such as ``'average_precision@100'``.
        Recall at a precision, Davis-Goadrich areas, the reciprocal rank and success of
        one ranking, or of pairs, and scores at few recall levels have no interval. For
        other functions, use :func:`scipy.stats.bootstrap`.

    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores. The row with the highest score ranks first.

    unit_id : array-like of shape (n_samples,) or (n_samples, 2), default=None
        Unit of each row, if rows were not drawn one by one, such as the patient of an
        image. By default, the units are the rows or, with `query_id`, the queries. With
        both, queries that contain several units are fixed: every sample has the same
        queries, and ``unit_id=np.arange(len(y_true))`` draws their rows. Two columns
        are both units of a pair, such as ``unit_id=np.c_[query, item]``; for one id of
        several parts, pass a list of tuples.

    **score_func_params : additional arguments
        Other arguments of `score_func`, such as ``k=10``, `sample_weight`, `query_id`
        or `average`. Weights are sampling weights, so repeat grouped rows instead, by
        :func:`numpy.repeat`. With `unit_id`, `n_positives` has the total of each unit
        or, with `query_id`, of each pair (query, unit), also of units without rows: a
        mapping, or a Series such as ``objects.groupby(["kind", "image"]).size()``. If
        each query is in one unit, the total of each query is enough.

    Returns
    -------
    estimate : ScoreEstimate
        With the fields `score`, `standard_error` and others, and the method
        `confidence_interval`.

    Warns
    -----
    UncertaintyWarning
        If the interval may cover too little; its `code` names the reason.
    UserWarning
        If the scores are predicted labels.

    See Also
    --------
    compare_scores : Difference of two models, with its interval and test.
    compare_samples : Difference of two samples that have rows of their own.

    Notes
    -----
    If many samples were drawn, about 95 % of their 95 % intervals should contain the
    score of the population; :doc:`/intervals` shows how often they do. The standard
    error V^(1/2) is from influence functions [1]_. The interval is that of Clopper and
    Pearson [2]_ for a share among as many rows as have this error, as Korn and Graubard
    compute it for shares in surveys [3]_. A score T is as precise as the share T of

    .. math:: n_e = \min\left(n, \frac{T (1 - T)}{V}\right)
        \left(\frac{t_{n - 1}}{t_d}\right)^2

    rows. Here, n is the number of positives, or of events if rows of a unit are alike,
    and d is the number of units that contain a positive, minus 1. If negatives weigh
    more than positives, the lower endpoint also has the square of what one more
    negative costs in V.

    References
    ----------
    .. [1] F. R. Hampel, "The influence curve and its role in robust estimation",
       JASA 69, 1974. :doi:`10.1080/01621459.1974.10482962`
    .. [2] C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits
       illustrated in the case of the binomial", Biometrika 26, 1934, pp. 404-413.
       :doi:`10.1093/biomet/26.4.404`
    .. [3] E. L. Korn, B. I. Graubard, "Confidence intervals for proportions with small
       expected number of positive counts estimated from survey data", Survey
       Methodology 24, 1998, pp. 193-201.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import average_precision_score, estimate_score
    >>> y_true = np.tile([1, 1, 0, 1, 0, 0, 0, 0, 0, 0], 10)
    >>> y_score = np.linspace(1, 0, 100)
    >>> print(estimate_score(average_precision_score, y_true, y_score))
    0.39, 95 % interval 0.22 to 0.59
    """
    score_func, params = package_score(score_func, score_func_params)
    call = read_call(score_func, y_true, y_score, params, unit_id=unit_id)
    units = units_of(call)
    sample = sample_of(call, units, each_unit=False)
    warn_of_rows([sample])
    warn_of_sample(sample, n_effective_distinct(sample))
    estimate = estimate_of_sample(sample)
    warn_of_last_level([sample], estimate.standard_error)
    if len(sample.rankings_mean.parts) == 1:
        warn_of_first_level(call, estimate.standard_error)
    return estimate._with_score(score_func, params)


def estimate_of_sample(sample: Sample) -> ScoreEstimate:
    """Return the estimate of the score of a sample."""
    return replace(
        estimate_of(sample.contributions, sample.n_rows),
        n_fixed_queries=sample.n_fixed_queries,
        n_units_per_row=sample.n_units_per_row,
        _places=_places_of(sample),
    )


def _places_of(sample: Sample) -> Sequence[Place]:
    """Return the places of a score; none if it has neither a recall nor first rows, or
    is a mean of several rankings.
    """
    definition, parts = sample.call.definition, sample.rankings_mean.parts
    # If rows belong to two units, the ranking has the units of one column only.
    if len(parts) != 1 or sample.n_units_per_row > 1:
        return ()
    ranking = parts[0].ranking
    if definition.level is not None:
        recalls = np.array([definition.level])
        (places,) = places_of_recalls(ranking, recalls, definition.prevalence)
        return places
    k = rows_of_cut(definition, ranking.positive.size)
    # R-precision has no k, and a score of all rows has no threshold.
    if definition.k is None or k >= ranking.positive.size:
        return ()
    changes = sample.contributions.changes
    return places_of_first_rows(definition, ranking, k, changes)


def estimate_of(contributions: Contributions, n_rows: int) -> ScoreEstimate:
    """Return the estimate of a score of `n_rows` rows, from what units contribute."""
    n_effective = contributions.n_effective
    error = nan
    # A single unit does not show the variation between samples.
    if contributions.n_units > 1:
        rounding = rounding_of(n_rows, contributions.score)
        error = contributions.error_of(contributions.of_units, rounding)
    return ScoreEstimate(
        score=contributions.score,
        standard_error=error,
        df=n_effective - 1 if n_effective > 1 else nan,
        # A whole number is printed without decimals.
        n_effective=int(n_effective) if n_effective.is_integer() else n_effective,
        n_units=contributions.n_units,
        _changes=contributions.changes,
    )


# --- the band of a curve --------------------------------------------------------------


# Number of recall levels at which the band has endpoints.
_N_LEVELS = 101


class Band(NamedTuple):
    """The band of a curve. Displays read it as a tuple, since users may pass one."""

    recall: FloatArray
    # Lower and upper endpoints of precision.
    low: FloatArray
    high: FloatArray
    # The entry of the legend.
    label: str


def band_of_rows(checked: CheckedRows, confidence_level: float) -> Band:
    """Return the pointwise band of a curve; warn if there are few positives, or few
    units that contain a positive.
    """
    ranking = _ranking_of(checked)
    noun = "positives" if ranking.by_rows else "units that contain a positive"
    n_units = np.count_nonzero(ranking.sums_of_units(ranking.found))
    if n_units < 2:
        raise ValueError(
            f"plot_band=True requires at least two {noun}, because a single one does "
            f"not show the variation between samples; got {n_units}. Add some, or omit "
            "plot_band."
        )
    warn_of_few(ranking.n_effective_found, noun, rules.FEWEST_OF_BAND)
    last_recall = float(ranking.found.sum()) / ranking.n_positives
    recalls = np.linspace(0, last_recall, _N_LEVELS)
    best, _ = vertices_of(ranking.groups)
    reached = groups_at(recalls, ranking.groups).clip(max=best.size - 1)
    scores = best[reached].tolist()
    places = places_of_recalls(ranking, recalls)
    df = ranking.n_effective_found - 1
    low, high = np.transpose(
        [
            endpoints_of_places(places_of_recall, score, df, confidence_level)
            for places_of_recall, score in zip(places, scores, strict=True)
        ]
    )
    label = f"{100 * confidence_level:g} % band, pointwise"
    return Band(recall=recalls, low=low, high=high, label=label)


def _ranking_of(checked: CheckedRows) -> Ranking:
    """Return the rows as one ranking, in which a typical positive weighs 1, as a missed
    one does. The points of the curve, which are drawn with the band, raise an error for
    a total below the positives found.
    """
    if checked.units and checked.totals is not None:
        raise error_about_units(checked.totals.passed, "a band")
    units = units_of_ranking(checked)
    rows, totals, _ = laid_out(as_counts(checked), "micro")
    if rows.weight is not None:
        typical = typical_of(rows.weight[rows.positive]) or 1.0
        rows = rows._replace(weight=rows.weight / typical)
    order = rows_in_order(rows, None, checked.bounds)
    return ranking_of_rows(rows, order, units, totals)

"""`estimate_score`, which returns a score with its uncertainty, and warnings about
samples whose intervals or p-values may be wrong.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn import metrics

from ..._core.advice import advised
from ..._core.reading.frames import warn_of_other_order
from ..._core.reading.read import CheckedRows
from ..._core.reading.values import on_host
from ..._core.registry import SCORES, name_of
from ..._core.scorer_names import function_of, read_name
from ..._core.scorers import score_named_elsewhere
from ..._core.scores import average_precision_score
from ..._core.typing import AveragedScore, ScoreFunction
from ..._core.user_messages import warn_user
from ..sampling.contributions import Evidence, Ranking, n_equal
from ..sampling.sample import Sample, Units, counted_sample, sample_of
from ..sampling.score_call import ScoreCall, read_call
from ..sampling.sums import KNOWN_AREAS, sums_of
from .endpoints import rounding_of
from .places import places_of
from .results import ScoreEstimate

# Warn if a sample has fewer positives than this, or fewer units that contain a
# positive.
_FEW = 3
# Warn if the effective number of units that contain a negative is below the first
# number, and if the number of these units is at least their effective number times the
# second number. Then a few clusters contain most negatives, and intervals cover .59 to
# .89.
_FEW_CLUSTERS = 6
_TIMES = 10
# Warn if a band has fewer positives than this, or fewer units that contain a positive.
FEW_DRAWN = 10
# If fewer negatives than this are above the median positive, their mean weight is
# imprecise, and there is no warning.
_FEWEST_AT_TOP = 5
# Warn if the mean weight of the negatives above the median positive is more than this
# number of times the mean weight of all negatives. Then intervals cover .88 to .94.
_TIMES_HEAVIER = 4
# The name of the argument that has the scores of a single model.
_NAME_OF_SCORES = re.compile(r"\by_score\b")


@advised
def estimate_score(
    score_func: str | ScoreFunction,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    unit_id: ArrayLike | None = None,
    **score_func_params: Any,
) -> ScoreEstimate:
    r"""Return the score of a sample, with its standard error and interval.

    The interval estimates the score of the population from which the sample was drawn.

    Parameters
    ----------
    score_func : str or callable
        A score of this package, or its name, such as ``'average_precision@100'``.
        Recall at a precision, Davis-Goadrich areas, the reciprocal rank and success of
        one ranking, and scores at few recall levels have no interval. For other
        functions, use :func:`scipy.stats.bootstrap`.

    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores. The row with the highest score ranks first.

    unit_id : array-like of shape (n_samples,), default=None
        Unit of each row, if rows were not drawn one by one, such as the patient of an
        image. By default, the units are the rows or, with `query_id`, the queries. If
        `query_id` is also passed, queries are fixed (every sample contains the same
        queries) if units have rows in several queries, as images have boxes of several
        classes, or if queries contain several units, as regions contain rows.
        ``unit_id=np.arange(len(y_true))`` draws rows from fixed queries.

    **score_func_params : additional arguments
        Other arguments of `score_func`, such as ``k=10``, `sample_weight`, `query_id`
        or `average`.

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
    chance_average_precision : Mean score of random rankings.

    Notes
    -----
    The standard error is :math:`\sqrt{\sum_u (\sum_{i \in u} w_i D_i)^2}`, where
    :math:`D_i` is the derivative of the score with respect to the weight of row i, and
    u runs over the units [1]_. The endpoints are those of samples with *one more event*
    that this sample may lack, which the score is computed for: a positive that ranks
    last, a negative, and a positive in front of the second half of the score. Each
    endpoint is a quantile of the beta distribution with the mean and the variance of
    the score in such a sample [2]_. The degrees of freedom are the number of positives
    minus 1. With weights or clusters, the effective number of positives is used:
    :math:`(\sum_u p_u)^2 / \sum_u p_u^2`, where :math:`p_u` is the weight of the
    positives in unit u. For means over queries or samples, it is that of the queries.

    *Weights* are sampling weights: their scale has no effect, and a row of weight 2 is
    not two rows. So the interval of rows that were grouped, with their counts as
    `sample_weight`, is wrong: repeat them first (:func:`numpy.repeat`).

    *Units*: an event is the rows of a unit that are ranked alike. If the rows of a unit
    are not alike, the interval is about as wide as that of independent rows.

    *Heavy negatives*: if each negative weighs as much as several positives, because of
    a `prevalence` or weights, few negatives leave the top of the ranking empty. So one
    more negative is nearer to the top. :doc:`/intervals` has all rules, and shows how
    often intervals cover.

    *A recall, or the first k rows*: in each sample, the threshold is at another place.
    So the interval contains those of all places that are likely enough, and both sides
    of a step of the curve.

    *Recall levels*: a row changes the best precision at a level if it is above the
    threshold of this precision, and a positive also changes the threshold at which the
    level is reached. If the first positive reaches more than .12 of the levels, the
    score depends mostly on the first few rows, and there is no interval.

    *Few positives*: with ten positives, 95 % intervals cover nearly 100 %, since one
    more row may change the score by its standard error. The score itself is too high on
    average, because each positive counts in its own precision.

    References
    ----------
    .. [1] F. R. Hampel, "The influence curve and its role in robust estimation",
       Journal of the American Statistical Association 69, 1974.
       :doi:`10.1080/01621459.1974.10482962`
    .. [2] M. P. Fay, E. J. Feuer, "Confidence intervals for directly standardized
       rates", Statistics in Medicine 16, 1997.
       :doi:`10.1002/(SICI)1097-0258(19970415)16:7<791::AID-SIM500>3.0.CO;2-#`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import average_precision_score, estimate_score
    >>> y_true = np.tile([1, 1, 0, 1, 0, 0, 0, 0, 0, 0], 10)
    >>> y_score = np.linspace(1, 0, 100)
    >>> print(estimate_score(average_precision_score, y_true, y_score))
    0.39, 95 % interval 0.23 to 0.57
    """
    score_func, params = package_score(score_func, score_func_params)
    call = read_call(score_func, y_true, y_score, params)
    if unit_id is None and _has_plain_rows(call):
        # The steps of the ranking are sufficient. With 1 % positives, a sort of rows
        # takes 3.5 to 7 times as long from 100,000 rows on; with 30 %, as long.
        sample = counted_sample(call)
    else:
        sample = sample_of(call, _read_units(unit_id, call))
    _warn_of_rows([call])
    warn_of_sample(sample)
    estimate = estimate_of(sample.evidence, sample.n_rows, sample.n_fixed_queries)
    if len(sample.rankings) == 1:
        _warn_of_first_level(call, estimate.standard_error)
        places = places_of(call.definition, *sample.rankings, sample.evidence.changes)
        estimate = replace(estimate, _places=places)
    return estimate._with_score(score_func, params)


def _has_plain_rows(call: ScoreCall) -> bool:
    """Return whether the score is the area of a single ranking without weights, units
    and missed positives.
    """
    rows, definition = call.checked, call.definition
    return (
        rows.positive.ndim == 1
        and rows.weight is None
        and rows.query is None
        and call.inputs.n_positives is None
        and definition.is_whole
        and definition.tie_order is None
        and definition.grid is None
        and definition.area in KNOWN_AREAS
    )


def estimate_of(
    evidence: Evidence, n_rows: int, n_fixed_queries: int = 0
) -> ScoreEstimate:
    """Return the estimate of a score of `n_rows` rows, from what they show."""
    error, n_effective = evidence.standard_error, evidence.n_effective
    return ScoreEstimate(
        score=evidence.score,
        standard_error=error if error > rounding_of(n_rows, evidence.score) else 0.0,
        df=n_effective - 1 if n_effective > 1 else nan,
        # A whole number is printed without decimals.
        n_effective=int(n_effective) if n_effective.is_integer() else n_effective,
        n_units=evidence.n_units,
        n_fixed_queries=n_fixed_queries,
        _changes=evidence.changes,
    )


def package_score(
    score_func: str | ScoreFunction, params: Mapping[str, Any]
) -> tuple[AveragedScore, Mapping[str, Any]]:
    """Return a score of this package and its arguments, from its name or function;
    raise ValueError for other functions.
    """
    function: Any
    if isinstance(score_func, str) and _is_convention(score_func):
        raise ValueError(
            "score_func must be a score of this package, or its name; got the convention "
            f"{score_func!r}, which has no interval. The area of VOC is "
            "'interpolated_average_precision', with "
            "recall_levels=np.arange(0, 1.1, 0.1) for VOC 2007."
        )
    function, arguments = function_of(score_func, params)
    # scikit-learn's average precision is that of our function with the same name.
    if function is metrics.average_precision_score:
        function = average_precision_score
    # Compare scores by identity, since a callable may have no hash.
    if not any(function is score for score in SCORES):
        raise ValueError(
            "score_func must be a score of this package, or its name; got "
            f"{name_of(function)}. For any other function f, "
            "scipy.stats.bootstrap((y_true, y_score), f, paired=True) returns an "
            "interval, and scipy.stats.permutation_test a test."
        )
    return function, arguments


def _is_convention(name: str) -> bool:
    """Return whether this is the name of a convention, which `get_scorer` takes, and
    not that of a score.
    """
    if read_name(name):
        return False
    with suppress(ValueError):
        score_named_elsewhere(name, {"k": 1})
        return True
    return False


def _read_units(unit_id: ArrayLike | None, call: ScoreCall) -> Units:
    """Return the units of the rows that are not dropped, and whether queries are fixed.

    Queries are fixed if units have rows in several queries, or if queries contain
    several units. If each query belongs to one unit, queries are drawn with their
    units.
    """
    if unit_id is None:
        return Units()
    warn_of_other_order({"y_true": call.inputs.y_true, "unit_id": unit_id})
    units = call.checked.read_ids(unit_id, "unit_id")
    unit = units.place
    if call.checked.query is None:
        # If each unit has a single row, rows are the units.
        return Units(unit if len(units.distinct) < unit.size else None)
    query = call.checked.query.place
    # The unit of the last row of each query.
    of_queries = np.zeros(query.max() + 1, dtype=unit.dtype)
    of_queries[query] = unit
    if (unit == of_queries[query]).all():
        return Units(unit)
    return Units(unit, of_queries.size)


def sampled_scores(
    score_func: AveragedScore,
    y_true: ArrayLike,
    models: Mapping[str, ArrayLike],
    params: Mapping[str, Any],
    *,
    unit_id: ArrayLike | None,
    caller: str,
) -> list[Sample]:
    """Return the sample of each model on the same rows.

    `models` has the scores of each model by the name of the argument that contains
    them. If an error is raised, its note shows this name. A warning about the rows is
    given once for all models.
    """
    samples = []
    units: Units | None = None
    for name, y_score in models.items():
        try:
            call = read_call(score_func, y_true, y_score, params, caller)
            # The models have the same rows, and so the same units.
            if units is None:
                units = _read_units(unit_id, call)
            samples.append(sample_of(call, units))
        except ValueError as error:
            # The error names the argument of functions that take one model.
            texts = [str(error), *getattr(error, "__notes__", [])]
            text, *notes = (name.join(_NAME_OF_SCORES.split(each)) for each in texts)
            error.args = (text,)
            error.__notes__ = [*notes, f"The scores are those of {name}."]
            raise
    _warn_of_rows([sample.call for sample in samples])
    return samples


class UncertaintyWarning(UserWarning):
    """Warning that an interval or a p-value may be wrong, because of the sample.

    Parameters
    ----------
    message : str, default=''
        The reason, and what to do.

    code : str, default=''
        Kind of the warning, which is also an attribute.

        - ``'few_positives'``: there are too few positives, units that contain a
          positive, rows at recall level 0, or positives whose scores differ between two
          models.
        - ``'few_levels'``: two models with many positives are compared at few recall
          levels, such as eleven, which finds few differences.
        - ``'missing_negatives'``: a few units contain most negatives. Other negatives
          with high scores may be missing from the sample.
        - ``'dependent_weights'``: negatives with high scores are much heavier than
          others.

    Examples
    --------
    >>> import warnings
    >>> from sklearn_ap import UncertaintyWarning, average_precision_score, estimate_score
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always", UncertaintyWarning)
    ...     estimate = estimate_score(average_precision_score, [1, 0, 1, 0, 0], [5, 4, 3, 2, 1])
    >>> [warning.message.code for warning in caught]
    ['few_positives']
    """

    def __init__(self, message: str = "", code: str = "") -> None:
        super().__init__(message)
        self.code = code


def warn_uncertain(code: str, text: str) -> None:
    """Warn with an `UncertaintyWarning`, at the line of the user that called this
    package.
    """
    warn_user(UncertaintyWarning(text, code))


def warn_of_few(n_effective: float, noun: str, least: float, advice: str = "") -> None:
    """Warn if the effective number of positives, units or rankings is below `least`;
    `noun` names them in the message.
    """
    if n_effective < least:
        warn_uncertain(
            "few_positives",
            f"The sample has too few {noun} ({n_effective:.3g}) to estimate the "
            f"variation between samples. Add more.{advice}",
        )


def warn_of_sample(sample: Sample) -> None:
    """Warn if the units of a sample are too few."""
    definition, rankings = sample.call.definition, sample.rankings
    has_order = definition.tie_order is not None
    is_area = definition.is_whole and not has_order and definition.level is None
    if is_area and len(rankings) == 1 and not rankings[0].by_rows:
        # In simulations, intervals of areas of few units cover as often as they should.
        # So few units are no reason for a warning here.
        _warn_of_clusters(rankings[0])
        return
    advice = ""
    if sample.evidence.is_mean:
        advice = (
            " If these are all there are, such as two sexes, they are fixed and their "
            "rows are drawn: pass unit_id, such as the number of each row."
        )
    warn_of_few(sample.fewest, sample.noun, _FEW, advice)


def _warn_of_first_level(call: ScoreCall, error: float) -> None:
    """Warn if the score of recall levels is imprecise because of the level 0, where the
    precision is the best one of all thresholds.

    This best precision depends on few rows. Its error is estimated by the larger of two
    numbers: its distance from the precision at the next level, and half of its distance
    from 1, since the precision of the best rows of the population is unknown. `error`
    is the standard error of the score.
    """
    n_levels = call.definition.grid
    # If `grid` is not a number, the score has no levels, or the caller chose them.
    if not isinstance(n_levels, int):
        return
    levels = (np.array([level]) for level in (0, 1 / (n_levels - 1)))
    first, second = (
        replace(call, definition=replace(call.definition, grid=level)).score
        for level in levels
    )
    if max(first - second, (1 - first) / 2) > n_levels * error > 0:
        warn_uncertain(
            "few_positives",
            "The score depends mostly on recall level 0: the best precision at any "
            f"threshold is {first:.2g} in this sample. This precision depends on few "
            "rows, and may be very different in the population. Pass more "
            "recall_levels, or recall_levels=None.",
        )


def _warn_of_clusters(ranking: Ranking) -> None:
    """Warn if there are many units, and a few of them contain most negatives. Negatives
    of a unit have similar scores, so the result depends on few independent scores.
    """
    negatives = ~ranking.positive
    of_units = sums_of(ranking.weight[negatives], ranking.unit[negatives])
    n_negatives, n_units = n_equal(of_units), np.count_nonzero(of_units)
    if n_negatives < _FEW_CLUSTERS and n_units >= _TIMES * n_negatives:
        warn_uncertain(
            "missing_negatives",
            f"A few units contain most negatives: the effective number of units is "
            f"{n_negatives:.2g}, of {n_units:,} units. Intervals may be too narrow. "
            "Add units drawn at random.",
        )


def _warn_of_rows(calls: Sequence[ScoreCall]) -> None:
    """Warn if weights depend on scores, or if scores are labels. `calls` are those of
    several models on the same rows, or of one model.
    """
    if any(_weights_depend_on_scores(call.checked) for call in calls):
        warn_uncertain(
            "dependent_weights",
            "sample_weight depends on y_score: negatives with high scores have large "
            "weights, so the score depends mostly on few of them, and its interval may "
            "be too narrow. Draw rows in proportion to their weights, from hundreds of "
            "times as many rows, and omit sample_weight.",
        )
    labels = [call.checked.bounds for call in calls if _scores_are_labels(call)]
    if labels:
        # All models have the same labels. Predicted labels do not make the interval
        # wrong, so their warning is no `UncertaintyWarning`.
        low, high = labels[0]
        warn_user(
            f"Scores are nothing but the labels {low:g} and {high:g}, so the rows form "
            "two groups of equal scores."
        )


def _weights_depend_on_scores(checked: CheckedRows) -> bool:
    """Return whether negatives with high scores have much larger weights than other
    negatives, so that the score depends on few rows.
    """
    positive, score, weight = checked.positive, checked.score, checked.weight
    if weight is None or positive.ndim > 1 or checked.query is not None:
        return False
    top = weight[~positive & (score > np.median(score[positive]))]
    if top.size < _FEWEST_AT_TOP:
        return False
    return bool(top.mean() > _TIMES_HEAVIER * weight[~positive].mean())


def _scores_are_labels(call: ScoreCall) -> bool:
    """Return whether scores are labels, as `cross_val_predict` returns them without a
    `method`.
    """
    checked, labels = call.checked, [*call.checked.bounds]
    if checked.positive.ndim > 1 or not np.isin(checked.score, labels).all():
        return False
    distinct: list[Any] = np.unique(on_host("y_true", call.inputs.y_true)).tolist()
    return distinct == labels

"""Comparisons of two models on the same rows, of two samples, and of many models.

Each pair of many models is compared as two models are. P-values and intervals are both
adjusted by Bonferroni, so they always agree: with m tests, p-values are multiplied by
m, and intervals have the confidence level 1 - risk / m. Holm's method would find up to
.05 more of the true differences. But in .13 of families of tests, some interval that
agrees with its p-values does not contain the true difference.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from math import inf, isnan
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from ..._core.advice import advised
from ..._core.reading.frames import column_names, warn_of_other_order
from ..._core.reading.options import read_flag, short_repr
from ..._core.scorer_names import package_score
from ..._core.typing import ScoreFunction, ScoreOptions
from ..._core.user_messages import collect_warnings
from .. import rules
from ..sampling.sample import NO_RANKINGS, Sample, sample_of
from ..sampling.score_call import read_call
from ..sampling.units import PairUnits, Units, units_of
from .cautions import (
    n_effective_distinct,
    warn_of_few,
    warn_of_heavy_negatives,
    warn_of_last_level,
    warn_of_rows,
    warn_of_sample,
    warn_uncertain,
)
from .differences import (
    ComparedSample,
    difference_of,
    difference_of_independent,
    sample_to_compare,
)
from .results import ManyComparisons, ScoreComparison, warn_undefined
from .two_samples import align_units, check_ids, check_rankings

# Fields of `ScoreComparison` that are collected from all pairs. The field `scores` has
# two numbers per pair, and the other fields have one number.
_FIELDS_PER_PAIR = "difference", "scores", "standard_error", "statistic", "df", "pvalue"
# Fields that are the same for all pairs, since all models have the same rows.
_FIELDS_OF_ALL = "n_units", "n_fixed_queries", "n_units_per_row"
# The name of the argument that has the scores of a single model.
_NAME_OF_SCORES = re.compile(r"\by_score\b")
# The arguments that a sample has for itself. `n_positives` may also be an option of
# both.
_OF_SAMPLES = (
    "y_true",
    "y_score",
    "unit_id",
    "query_id",
    "n_positives",
    "sample_weight",
)


@advised
def compare_scores(
    score_func: str | ScoreFunction,
    y_true: ArrayLike,
    y_score_a: ArrayLike,
    y_score_b: ArrayLike,
    *,
    unit_id: ArrayLike | None = None,
    **score_func_params: Unpack[ScoreOptions],
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
    compare_samples : Difference of two samples that have rows of their own.

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

    If the mean of both scores is below .3, or few rows decide (recall levels, heavy
    negatives), it is a t test [4]_. The interval is a t interval that allows for one
    more positive which a model ranks last. It agrees with the test: a 95 % interval
    excludes 0 if and only if the p-value is at most .05, and likewise at other levels
    [5]_. :doc:`/intervals` has all rules.

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
    0.606 against 0.394, difference 0.21, 95 % interval 0.13 to 0.29, p < 0.0001
    (two-sided; same rows)
    """
    score_func, params = package_score(score_func, score_func_params)
    both = {"y_score_a": y_score_a, "y_score_b": y_score_b}
    first, second = _read_samples(
        score_func, y_true, both, params, unit_id=unit_id, caller="compare_scores"
    )
    return _compare_same_rows(first, second)._with_score(score_func, params)


def _read_samples(
    score_func: ScoreFunction,
    y_true: ArrayLike,
    models: Mapping[str, ArrayLike],
    params: Mapping[str, Any],
    *,
    unit_id: ArrayLike | None,
    caller: str,
    each_unit: bool = True,
) -> list[ComparedSample]:
    """Return the sample of each model on the same rows, for comparisons; warn if an
    interval may be wrong because of these samples.

    `models` has the scores of each model by the name of the argument that contains
    them. If an error is raised, its note shows this name. `each_unit` is that of
    `sample_of`.
    """
    compared: list[ComparedSample] = []
    n_distinct = inf
    units: Units | PairUnits | None = None
    # The index of totals does not name rows.
    by_row = {**models, **params, "unit_id": unit_id, "n_positives": None}
    warn_of_other_order({"y_true": y_true, **by_row})
    for name, y_score in models.items():
        try:
            # A call warns only of orders, and knows no other model.
            with collect_warnings():
                call = read_call(
                    score_func, y_true, y_score, params, caller=caller, unit_id=unit_id
                )
            if units is None:
                units, unit_id = units_of(call), None
                # Ids and totals are read once.
                read = {
                    "query_id": call.rows.passed_query or call.rows.query,
                    "n_positives": call.rows.totals,
                }
                params = {key: read.get(key, params[key]) for key in params}
            sample = sample_of(call, units, each_unit=each_unit)
            n_distinct = min(n_distinct, n_effective_distinct(sample))
            if compared:
                # All models have the same positives in each unit.
                weights = compared[0].compared.divisor_weights
                own = replace(sample.contributions, divisor_weights=weights)
                sample = sample._replace(contributions=own)
            compared.append(sample_to_compare(sample))
        except ValueError as error:
            _name_the_scores(error, name)
            raise
        # The rankings take more than half of the memory, so only the last sample keeps
        # them. A single sample is the last one, too.
        if len(compared) < len(models):
            without_rankings = sample._replace(
                call=replace(sample.call, order=None), rankings_mean=NO_RANKINGS
            )
            compared[-1] = compared[-1]._replace(sample=without_rankings)
        # The names would keep the rankings while those of the next model are made.
        del call, sample
        if np.array_equal(compared[0].shares, compared[-1].shares):
            compared[-1] = compared[-1]._replace(shares=compared[0].shares)
    # All models have the same rows and units, so warnings about units are given once,
    # for the last sample, which has rankings.
    samples = [each.sample for each in compared]
    warn_of_rows(samples)
    warn_of_sample(samples[-1], n_distinct)
    _warn_of_few_levels(samples[-1], n_distinct)
    return compared


def _name_the_scores(error: ValueError, name: str) -> None:
    """Name the scores of the model in an error of a function that takes one model,
    where they are `y_score`.
    """
    texts = [str(error), *getattr(error, "__notes__", [])]
    # The name is no pattern: a function returns it as it is.
    text, *notes = (_NAME_OF_SCORES.sub(lambda _: name, each) for each in texts)
    error.args = (text,)
    error.__notes__ = [*notes, f"The scores are those of {name}."]


def _compare_same_rows(
    first: ComparedSample, second: ComparedSample
) -> ScoreComparison:
    """Return the difference of two scores of the same rows; warn if its interval or
    p-value may be wrong.
    """
    checked = first.sample.call.scaled_rows
    differs = np.asarray(checked.score != second.sample.call.scaled_rows.score)
    comparison = difference_of(first, second)
    if not differs.any():
        # A model has the same score as itself in every sample.
        return replace(
            comparison, statistic=0.0, pvalue=1.0, _lowering=0.0, _raising=0.0
        )
    that_differ = differs & checked.positive
    # If the scores of all positives differ, so will those of the positives in another
    # sample. If few of them differ, another sample may contain none, or more of them.
    if that_differ.sum() < np.count_nonzero(checked.positive):
        n_differ = min(each.sample.n_distinct(that_differ) for each in (first, second))
        warn_of_few(n_differ, "positives whose scores differ", rules.FEWEST_THAT_DIFFER)
    _warn_of_no_pvalue(comparison)
    return comparison


def _warn_of_no_pvalue(comparison: ScoreComparison) -> None:
    """Warn if the p-value is NaN, and why."""
    if isnan(comparison.pvalue):
        what = f"The p-value is NaN for the difference {comparison.difference:.4g}"
        warn_undefined(what, comparison.df)


def _warn_of_few_levels(sample: Sample, n_distinct: float) -> None:
    """Warn if two models with many positives are compared at few recall levels.
    `n_distinct` is the number of distinct positives (`n_effective_distinct`).
    """
    is_large = sample.share_at_first >= rules.LARGE_SHARE_AT_FIRST
    if is_large and n_distinct > rules.MANY_POSITIVES:
        warn_uncertain(
            "few_levels",
            f"With {n_distinct:,.0f} positives, a test at few recall levels finds few "
            "differences: the best precision at level 0 depends on the first few rows, "
            "however many rows there are. Compare average_precision_score, or 101 "
            "recall_levels.",
        )


# --- two samples ----------------------------------------------------------------------


@advised
def compare_samples(
    score_func: str | ScoreFunction,
    first: Mapping[str, Any],
    second: Mapping[str, Any],
    *,
    paired: bool,
    **score_func_params: Unpack[ScoreOptions],
) -> ScoreComparison:
    r"""Difference of the scores of two samples that have rows of their own.

    Such samples are the boxes of two detectors on the same images, the documents of two
    runs on the same topics, or the patients of two hospitals. The result has the
    interval and the p-value of the difference. If both samples have the same rows, such
    as two models on one test set, use :func:`compare_scores`.

    Parameters
    ----------
    score_func : str or callable
        A score of this package, or its name, such as ``'average_precision@100'``.

    first, second : mapping of str to array-like
        Arguments of each sample by name: `y_true` and `y_score`, and optionally
        `unit_id`, `query_id`, `n_positives` and `sample_weight`, as for
        :func:`estimate_score`. The result of :func:`read_lists` is such a mapping.

    paired : bool
        Whether both samples have the same units. If True, units are matched by their
        ids: `unit_id` or, if queries were drawn, `query_id`. 1 and 1.0 are one id. A
        unit may have rows in one of the samples only. If False, the samples are
        independent, whatever their ids. There is no default, because neither is safe.

    **score_func_params : additional arguments
        Options of `score_func`, which both samples share, such as ``k=10`` or
        ``prevalence=0.1``.

    Returns
    -------
    comparison : ScoreComparison
        With the fields `difference`, `pvalue` and others, and the method
        `confidence_interval`. Its `design` is ``'paired'`` or ``'independent'``, and
        its `n_units` are those that are in either sample.

    Raises
    ------
    ValueError
        If an argument is in the wrong place, or the samples have different classes,
        columns or fixed queries, or different numbers of columns of `unit_id`. If
        paired samples have no ids or no common unit, ids of two types, such as 1 and
        "1", or of a type that rounds the others, different drawn queries, a drawn query
        in two units, different units of two columns, or different `n_positives` of
        rankings.

    Warns
    -----
    UncertaintyWarning
        If the p-value may be wrong; its `code` names the reason.
    UserWarning
        If the scores are predicted labels, or if the p-value is NaN.

    See Also
    --------
    compare_scores : Difference of two models on the same rows.
    estimate_score : Score with its standard error and interval.
    read_lists : Read lists of relevant and of retrieved ids.

    Notes
    -----
    The test and the interval of paired samples are those of :func:`compare_scores`. A
    unit u contributes :math:`x_u - x'_u` to the difference, where :math:`x_u` is its
    contribution to the first score and :math:`x'_u` that to the second one. Units
    of which a sample has neither rows nor missed positives contribute 0 to its score.

    *Independent samples* have a permutation test [1]_ [2]_ if one of them has fewer
    than 200 effective positives, or units that contain one, and they have at most
    20,000 rows in total. If both are of one population, each choice of units could have
    been the first sample. So the p-value is the share of 999 random choices whose
    scores differ by at least as much: of 9,999 if fewer than ten do, in at most 2,000
    rows, and of all choices if there are fewer. Both sides of a choice need a positive.
    Units are chosen with all of their rows, weights and missed positives. Scores of two
    samples may have two scales, so rows are compared by their ranks within each sample.
    Powers of the scores are compared, as for :func:`compare_scores`. The choices are
    the same in each call, and the least p-value is 1 / 1,000 or 1 / 10,000 at best.
    `statistic` and `df` are NaN.

    Other independent samples have the t test of Welch [3]_: large ones, units of pairs,
    missed positives whose units are unknown, and samples whose shares of positives
    differ by more than two standard errors. Its degrees of freedom are from the units
    of each sample that contain a positive. A sample without mistakes does not show how
    much its score varies, so the variance of the higher score also contains the change
    by one more positive that ranks last. One more negative that weighs more than a
    positive may change the score by more than all rows vary it. So its change counts as
    the geometric mean of itself and of the larger one of the standard error and the
    change by a positive that ranks last.

    The interval of the difference is made of the intervals of both scores
    (:func:`estimate_score`): the distance of an endpoint is the root of the sum of the
    squares of their distances [4]_. The endpoint next to 0 obeys the test.

    For a mean over drawn queries, the test of paired samples is the paired t test over
    queries, and that of independent samples is Welch's, as
    ``scipy.stats.ttest_ind(equal_var=False)`` computes it, unless all queries of a
    sample score 1, or 0: then its variance is that of one more query, which does not. A
    query without rows scores 0 if `n_positives` names it.

    *Missed positives*, such as objects without a box: with `unit_id`, `n_positives` has
    the total of each unit, as for :func:`estimate_score`.

    *Two prevalences*: the same model has a lower average precision where fewer rows are
    positive. The text of a comparison of independent samples shows both shares of
    positives. To compare how well the model ranks in both, pass a `prevalence` between
    these shares.

    Equal scores of unlike populations are rejected in up to .11, such as if positives
    vary more in one of them. No number of a sample shows this, so there is no warning.
    At a low prevalence, a negative may weigh as much as many positives. Then equal
    models are rejected in about .1, and in more than .3 with a warning.

    References
    ----------
    .. [1] R. A. Fisher, "The design of experiments", section 21, Oliver and Boyd, 1935.
    .. [2] E. J. G. Pitman, "Significance tests which may be applied to samples from any
       populations", Supplement to the Journal of the Royal Statistical Society 4, 1937,
       pp. 119-130. :doi:`10.2307/2984124`
    .. [3] B. L. Welch, "The generalization of 'Student's' problem when several
       different population variances are involved", Biometrika 34, 1947, pp. 28-35.
       :doi:`10.1093/biomet/34.1-2.28`
    .. [4] G. Y. Zou, A. Donner, "Construction of confidence limits about effect
       measures: a general approach", Statistics in Medicine 27, 2008, pp. 1693-1702.
       :doi:`10.1002/sim.3095`

    Examples
    --------
    Two detectors have boxes on the images a to g, which show eight objects:

    >>> from sklearn_ap import compare_samples
    >>> objects = {"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 2}
    >>> new = {
    ...     "y_true": [1, 1, 1, 0, 1, 0, 1, 1],
    ...     "y_score": [8, 7, 6, 5, 4, 3, 2, 1],
    ...     "unit_id": ["a", "b", "c", "a", "d", "e", "f", "g"],
    ...     "n_positives": objects,
    ... }
    >>> old = {
    ...     "y_true": [1, 0, 1, 1, 0],
    ...     "y_score": [8, 6, 5, 3, 2],
    ...     "unit_id": ["a", "c", "d", "b", "g"],
    ...     "n_positives": objects,
    ... }
    >>> found = compare_samples("average_precision", new, old, paired=True)
    >>> print(found)  # doctest: +NORMALIZE_WHITESPACE
    0.658 against 0.302, difference 0.36, 95 % interval -0.50 to 1.00, p = 0.22
    (two-sided; paired, 7 shared units)
    """
    score, params = package_score(score_func, score_func_params)
    paired = read_flag("paired", paired)
    of_samples = {
        "first": _arguments_of("first", first),
        "second": _arguments_of("second", second),
    }
    for name in "unit_id", "query_id", "sample_weight":
        if name in params:
            raise ValueError(
                f"{name} must be in first and in second, because each sample has rows "
                f"of its own; got {name}={short_repr(params[name])} for both."
            )
    if paired:
        check_ids(*of_samples.values())
    compared = []
    for name, rows in of_samples.items():
        y_true, y_score = rows.pop("y_true"), rows.pop("y_score")
        unit_id = rows.pop("unit_id", None)
        compared += _read_samples(
            score,
            y_true,
            {f"{name}['y_score']": y_score},
            {**params, **rows},
            unit_id=unit_id,
            caller="compare_samples",
            # Only paired samples need the value of each unit.
            each_unit=paired,
        )
    samples = [each.sample for each in compared]
    check_rankings(*samples)
    if paired:
        aligned, n_shared = align_units(*compared)
        comparison = difference_of(*aligned)
        comparison = replace(comparison, design="paired", n_shared_units=n_shared)
    else:
        comparison = difference_of_independent(*samples)
        # A choice of a permutation may lack heavy negatives, too.
        if comparison.test == "t":
            warn_of_heavy_negatives(samples)
    warn_of_last_level(samples, comparison.standard_error)
    _warn_of_no_pvalue(comparison)
    return comparison._with_score(score, params)


def _arguments_of(name: str, sample: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of one sample that are not None."""
    rows = {}
    if hasattr(sample, "keys"):
        rows = {key: value for key, value in {**sample}.items() if value is not None}
    others = [key for key in rows if key not in _OF_SAMPLES]
    if others or not {"y_true", "y_score"} <= rows.keys():
        raise ValueError(
            f"{name} must map 'y_true' and 'y_score' to their values, and nothing else "
            f"but {', '.join(_OF_SAMPLES[2:])}; got {short_repr(others or sample)}. "
            "Pass options of the score once, as arguments of compare_samples."
        )
    return rows


# --- many models ----------------------------------------------------------------------


@advised
def compare_many(
    score_func: str | ScoreFunction,
    y_true: ArrayLike,
    y_score: Mapping[str, ArrayLike],
    *,
    reference: str | None = None,
    unit_id: ArrayLike | None = None,
    **score_func_params: Unpack[ScoreOptions],
) -> ManyComparisons:
    r"""Differences between the scores of many models on the same rows.

    The result has the intervals and the p-values of the differences.

    If ten equal models are compared in 45 pairs, two p-values are below .05 on average.
    Here, p-values and intervals are adjusted for the number of comparisons.

    Parameters
    ----------
    score_func : str or callable
        A score of this package, or its name, such as ``'average_precision@100'``.

    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score : mapping of str to array-like, or data frame
        Scores of each model by its name, of shape (n_samples,) or (n_samples,
        n_labels), or a data frame with a named column per model. The models may have
        different scales.

    reference : str, default=None
        Name of the model with which each other model is compared. With None, all pairs
        of models are compared. Fewer comparisons have more power.

    unit_id : optional
        As for :func:`estimate_score`.

    **score_func_params : optional
        As for :func:`estimate_score`.

    Returns
    -------
    comparisons : ManyComparisons
        With the fields `pairs`, `difference`, `pvalue` and others, and the method
        `confidence_interval`.

    See Also
    --------
    compare_scores : Difference of two models, with its interval and test.

    Notes
    -----
    Each difference is that of ``compare_scores``. With m pairs, its p-value is
    multiplied by m (Bonferroni), and its interval has the confidence level :math:`1 -
    \alpha / m`, where :math:`1 - \alpha` is the confidence level of all intervals
    together. An interval excludes 0 if and only if the p-value is at most
    :math:`\alpha`. Intervals that used the correlations of the differences would be 2
    to 4 % shorter. Pairs of models that agree on every unit, or whose p-value is NaN,
    are not tested, so they are not among the m pairs. Holm's method multiplies the i-th
    smallest p-value by m - i + 1 in place of m: for p-values that are below 1 here, his
    are ``np.maximum.accumulate(np.sort(pvalue) * np.arange(m, 0, -1) / m)``.

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
    >>> print(compare_many(average_precision_score, y_true, y_score))
    Differences in average_precision: adjusted for 3 tests by Bonferroni
    (two-sided; same rows)
    models      first  second  difference   95 % interval         p
    old - new   0.465   0.684       -0.22  -0.32 to -0.12  < 0.0001
    old - same  0.465   0.484       -0.02   -0.11 to 0.07      1.00
    new - same  0.684   0.484        0.20    0.12 to 0.28  < 0.0001
    """
    models = read_models("y_score", y_score)
    pairs = _read_pairs([*models], reference)
    score_func, params = package_score(score_func, score_func_params)
    # Errors name these arguments, such as y_score['old'].
    arguments = {f"y_score[{name!r}]": scores for name, scores in models.items()}
    compared = _read_samples(
        score_func, y_true, arguments, params, unit_id=unit_id, caller="compare_many"
    )
    by_name = dict(zip(models, compared, strict=True))
    comparisons = {(a, b): _compare_same_rows(by_name[a], by_name[b]) for a, b in pairs}
    return adjusted_by_bonferroni(comparisons)._with_score(score_func, params)


def read_models(argument: str, models: Any) -> Mapping[str, ArrayLike]:
    """Return the scores of each model by its name, from a mapping or a data frame."""
    names = column_names(models)
    # In a data frame, each column is a model. Columns of one name are an error below.
    if names and len(set(names)) == len(names):
        models = {name: models[name] for name in names}
    if isinstance(models, Mapping):
        return models
    raise ValueError(
        f"{argument} must map the names of models to their scores; got "
        f"{type(models).__name__} {short_repr(models)}."
    )


def _read_pairs(names: list[str], reference: str | None) -> list[tuple[str, str]]:
    """Return the names of the two models of each comparison."""
    if len(names) < 2:
        raise ValueError(f"y_score must map at least two models; got {names}.")
    if reference is None:
        return list(combinations(names, 2))
    if reference not in names:
        raise ValueError(
            f"reference must be None or one of {short_repr(names)}; got "
            f"{short_repr(reference)}."
        )
    return [(name, reference) for name in names if name != reference]


def adjusted_by_bonferroni(
    comparisons: Mapping[tuple[str, str], ScoreComparison],
) -> ManyComparisons:
    """Return all comparisons with p-values and intervals that are adjusted together."""
    of_pairs = tuple(comparisons.values())
    numbers: dict[str, Any] = {
        name: np.array([getattr(each, name) for each in of_pairs])
        for name in _FIELDS_PER_PAIR
    }
    numbers |= {name: getattr(of_pairs[0], name) for name in _FIELDS_OF_ALL}
    many = ManyComparisons(
        pairs=tuple(comparisons),
        **numbers,
        test=tuple(each.test for each in of_pairs),
        _comparisons=of_pairs,
    )
    return replace(many, pvalue=np.minimum(max(many._n_tested, 1) * many.pvalue, 1.0))

"""A score with its uncertainty, from influences; and warnings."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn import metrics

from .._core.evaluate import rankings_in
from .._core.reading.ids import as_list, numbered, read_numbered
from .._core.reading.names import warn_of_other_order
from .._core.reading.options import short_repr
from .._core.reading.read import CheckedRows, rows_kept
from .._core.reading.values import on_host
from .._core.registry import DEFINED_BY, name_of
from .._core.scorer_names import function_of
from .._core.scores.average_precision import average_precision_score
from .._core.typing import AnyArray, IntArray, ScoreFunction
from .._core.user_messages import warn_user
from .._core.words import error_about_word
from .calls import ScoreCall, order_of_labels, read_call
from .copies import text_of_copies
from .ends import FixedRankings
from .influence import RankedCells, has_slopes, n_effective_of, rounding_of
from .results import ScoreEstimate
from .sample import (
    RankedUnits,
    Sample,
    counted_sample,
    ranked_sample,
    sample_of_mean,
)
from .shared_units import count_rows

_FEW = 3  # number of positives, or of units that contain one
# Where a negative outweighs so many positives, and one above all others in each ranking
# would take more than this share of a mean, intervals cover .82 to .86 of samples; where
# it would take .3, they cover .98.
_HEAVY = 2
_MOST_LOST = 0.4
# Where so few equal units would contain all negatives, in place of ten times as many or
# more, a few clusters contain most of them: intervals cover .59 to .89 of samples.
_FEW_CLUSTERS = 6
_TIMES = 10
FEW_DRAWN = 10  # number of positives of a band
# Number of negatives above the median positive: fewer say little about their mean weight.
_FEWEST_AT_TOP = 5
# Where these negatives weigh this many times as much as all, intervals cover .88 to .94
# of samples.
_HEAVIER = 4
_EXCEPTIONS = 0.05  # of units or queries, or one: so few may be due to a wrong id


def estimate_score(
    score_func: str | ScoreFunction,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    unit_id: ArrayLike | None = None,
    **score_func_params: Any,
) -> ScoreEstimate:
    r"""Score of a sample, with its standard error and interval.

    The interval is for the score of the population from which the sample was drawn.

    .. versionadded:: 0.1

    Parameters
    ----------
    score_func : str or callable
        A score of this package, or its name, such as ``'average_precision@100'``.
        Recall at a precision, Davis-Goadrich areas, and the reciprocal rank and success
        of one ranking have no interval; there, and for other functions, use
        :func:`scipy.stats.bootstrap`.

    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores. The row with the highest score ranks first.

    unit_id : array-like of shape (n_samples,), default=None
        Unit of each row, if rows were not drawn one by one: the patient of an image. By
        default, rows or, with `query_id`, queries. Queries are fixed if units have rows
        in several queries, as images have boxes of several classes, or lie inside
        queries, as rows lie in regions: ``unit_id=np.arange(len(y_true))`` draws rows.
        By these ids, or by `query_id` where queries are drawn,
        :func:`compare_estimates` pairs the units of two samples.

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
        If the scores are the two labels, as a classifier predicts them.

    See Also
    --------
    compare_scores, chance_level

    Notes
    -----
    The standard error is :math:`\sqrt{\sum_u (\sum_{i \in u} w_i D_i)^2}`, where
    :math:`D_i` is the derivative of the score with respect to the weight of row i, and
    u runs over the units [1]_. The interval is
    :math:`\operatorname{expit}(\operatorname{logit} T \pm t \, SE / (T (1 - T)))`. Its
    degrees of freedom are one less than the positives (with weights or clusters
    :math:`(\sum_u p_u)^2 / \sum_u p_u^2` of them, where :math:`p_u` is the weight of
    those in unit u), or those of the variance [2]_ if a few rows carry most of it. For
    a mean over queries or samples, SE is that of a mean.

    *Weights* are sampling weights: their scale means nothing, and a row of weight 2 is
    not two rows.

    *What the sample lacks*: if each negative outweighs several positives, by a
    `prevalence`, weights or units, the sample may lack a heavy negative with a high
    score. The lower end is moved down by what such a negative above all others would
    take from the score, but for what a positive can match; where few rows carry the
    variance, by up to half of it. Scores at a cut have the
    ends of Clopper and Pearson [3]_ where these are wider and fewer than five rows are
    hits or misses. A score of 1 has an interval, too. :doc:`/intervals` has all rules,
    and how often intervals cover.

    *Few positives*: with ten positives, 95 % intervals cover about 95 %, but more of
    them lie too high than too low, since the score itself is too high on average
    (`bias`).

    References
    ----------
    .. [1] F. R. Hampel, "The influence curve and its role in robust estimation",
       Journal of the American Statistical Association 69, 1974.
       :doi:`10.1080/01621459.1974.10482962`
    .. [2] F. E. Satterthwaite, "An approximate distribution of estimates of variance
       components", Biometrics Bulletin 2(6), 1946. :doi:`10.2307/3002019`
    .. [3] C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits
       illustrated in the case of the binomial", Biometrika 26, 1934.
       :doi:`10.1093/biomet/26.4.404`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import average_precision_score, estimate_score
    >>> y_true = np.tile([1, 1, 0, 1, 0, 0, 0, 0, 0, 0], 10)
    >>> y_score = np.linspace(1, 0, 100)
    >>> print(estimate_score(average_precision_score, y_true, y_score))
    0.39, 95 % interval 0.24 to 0.58
    """
    score_func, params = package_score(score_func, score_func_params)
    call = read_call(score_func, y_true, y_score, params)
    if unit_id is None and _has_plain_rows(call):
        # The score is a part of one walk, which takes little longer than the score.
        ranking, _ = rankings_in(call.checked, None, average="micro")
        _warn_of_rows(call, None)
        sample = counted_sample(call.definition, ranking)
    else:
        sample = _sample_of(call, unit_id)
    estimate = warned_estimate(sample)
    units, labels, are_numbers = None, None, count_rows(unit_id)
    if sample.ids is not None:
        units = sample.paired()
    if units is None or are_numbers:
        labels = order_of_labels(call.checked.positive)
    if sample.ranked is not None and sample.ranked.is_single:
        _warn_of_first_level(call, estimate.standard_error)
    return estimate._with_score(
        score_func, params, _units=units, _count_rows=are_numbers, _labels=labels
    )


def _has_plain_rows(call: ScoreCall) -> bool:
    """Whether rows of equal weight make the area of a single ranking, with all
    positives among them.
    """
    rows = call.checked
    has_others = call.inputs.n_positives is not None or rows.positive.ndim > 1
    is_plain = rows.weight is None and rows.query is None and not has_others
    return is_plain and has_slopes(call.definition)


def warned_estimate(sample: Sample) -> ScoreEstimate:
    """Return the estimate of a sample, and warn."""
    warn_of_samples([sample])
    return estimate_of_sample(sample)


def estimate_of_sample(sample: Sample) -> ScoreEstimate:
    """Return the estimate of a sample from what each unit does to its score."""
    score, n_positives, ranked = sample.score, sample.n_positives, sample.ranked
    influences, rounding = sample.influences, rounding_of(sample.n_rows, score)
    error, df = influences.spread(n_positives, rounding)
    facts = influences.facts._replace(share=sample.share, prevalence=sample.prevalence)
    if facts.cut is not None:
        # half a hit, or a miss, is never known
        error = max(error, 0.5 / facts.cut.divisor)
    if score >= 1 - rounding or sample.has_heavy_positives:
        facts = facts._replace(perfect=sample.perfect())
    if ranked is not None:
        if ranked.has_slopes and ranked.definition.area.has_vertices:
            by_step = ranked.of_step()
            step = replace(
                sample,
                score=by_step.score,
                ranked=by_step,
                influences=by_step.influences(),
            )
            facts = facts._replace(step=estimate_of_sample(step)._known)
        if not ranked.is_single and not ranked.by_positives:
            facts = facts._replace(columns=_columns_of(ranked, error))
    return ScoreEstimate(
        score=score,
        standard_error=error,
        df=df,
        # a whole number prints as a count
        n_positives=int(n_positives) if n_positives.is_integer() else n_positives,
        n_units=sample.n_units,
        n_fixed_queries=sample.n_fixed_queries,
        bias=influences.bias,
        _facts=facts,
    )


def _columns_of(ranked: RankedUnits, error: float) -> FixedRankings:
    """Return the facts of each ranking of a mean with this standard error."""
    samples = ranked.samples()
    each = tuple(estimate_of_sample(sample)._known for sample in samples)
    variances = [sample.influences.variance for sample in samples]
    of_independent = float(ranked.shares**2 @ variances)
    shared = error**2 / of_independent if error else 1.0
    return FixedRankings(each, ranked.shares, shared)


def package_score(
    score_func: str | ScoreFunction,
    params: Mapping[str, Any],
    caller: str = "estimate_score",
) -> tuple[ScoreFunction, Mapping[str, Any]]:
    """Return the score of this package that a name or a function stands for, and all
    its arguments; refuse other functions.
    """
    function, arguments = function_of(score_func, params)
    if function is metrics.average_precision_score:  # the same number
        function = average_precision_score
    if not isinstance(function, Hashable) or function not in DEFINED_BY:
        raise ValueError(
            "score_func must be a score of this package, or its name; got "
            f"{name_of(function)}. scipy.stats.bootstrap((y_true, y_score), f, paired=True) makes the "
            "interval of any other function f, and scipy.stats.permutation_test a test."
        )
    parameters = [*signature(function).parameters, "unit_id"]
    for word in arguments:
        if word not in parameters:
            raise error_about_word(caller, word, parameters, name_of(function))
    return function, arguments


def _sample_of(call: ScoreCall, unit_id: ArrayLike | None) -> Sample:
    """Return the units of a call that was read."""
    unit, n_fixed, ids = _read_units(unit_id, call)
    _warn_of_rows(call, unit)
    if call.is_mean and not n_fixed:
        return sample_of_mean(call, unit, ids)
    return ranked_sample(call, unit, n_fixed, ids)


def _read_units(
    unit_id: ArrayLike | None, call: ScoreCall
) -> tuple[IntArray | None, int, AnyArray | None]:
    """Return the number of the unit of each row kept, how many queries are fixed while
    units are drawn, and the id of each unit.

    Queries are fixed if units have rows in several of them, or if queries contain
    several units. Queries that lie in units are drawn with these. A wrong id turns one
    into the other, so a few exceptions are named.
    """
    if unit_id is None:
        return None, 0, None
    warn_of_other_order({"y_true": call.inputs.y_true, "unit_id": unit_id})
    n_rows = np.shape(call.inputs.y_score)[0]
    ids = read_numbered(unit_id, n_rows, name="unit_id")
    if call.average != "samples":  # where rows of weight 0 are rankings, too
        ids = ids[rows_kept(call.inputs.sample_weight)]
    names, unit = numbered(ids)
    if call.checked.query is None:
        if len(names) < unit.size:
            return unit, 0, names
        # A unit of one row is that row.
        return None, 0, names[unit]
    query_names, query = numbered(call.checked.query)
    pairs = query.astype(np.int64) * len(names) + unit
    # Without counts, numpy hashes integers, which takes 20 times as long.
    distinct, _ = np.unique(pairs, return_counts=True)
    of_queries, of_units = map(np.bincount, np.divmod(distinct, len(names)))
    if of_queries.max() == 1:
        return unit, 0, names
    for known, counts, shared, noun in (
        (names, of_units, "queries share", "units"),
        (query_names, of_queries, "units share", "queries"),
    ):
        several = as_list(known[counts > 1])
        most = min(max(_EXCEPTIONS * counts.size, 1), counts.size - 1)
        if 0 < len(several) <= most:
            warn_uncertain(
                "fixed_queries",
                f"Several {shared} only {len(several):,} of {counts.size:,} {noun}, "
                f"{short_repr(several)}: queries are fixed and units are drawn. Mend the ids "
                "if these are wrong.",
            )
    return unit, len(query_names), names


def sampled_scores(
    score_func: ScoreFunction,
    y_true: ArrayLike,
    models: Mapping[str, ArrayLike],
    unit_id: ArrayLike | None,
    caller: str = "compare_scores",
    **params: Any,
) -> list[Sample]:
    """Read the score of each model on the same rows for a public function; an error
    names the argument of its scores.
    """
    samples = []
    for name, y_score in models.items():
        try:
            call = read_call(score_func, y_true, y_score, params, caller)
            samples.append(_sample_of(call, unit_id))
        except ValueError as error:
            error.add_note(f"The scores are those of {name}.")
            add_note_of_rows(error)
            raise
    return samples


def add_note_of_rows(error: ValueError) -> None:
    """Let the error of scores of other rows name the comparison that takes them."""
    if "inconsistent numbers of samples" in str(error):
        error.add_note("For two runs of different rows, see compare_by_query.")


class UncertaintyWarning(UserWarning):
    """An interval or a p-value may be wrong, because the sample contains too little.

    .. versionadded:: 0.1

    Parameters
    ----------
    message : str, default=''
        What the sample lacks, and what to do.

    code : str, default=''
        Kind of the warning, also an attribute.

        - ``'few_positives'``: too few positives, or units that contain one, or too few
          at recall level 0; or too few whose scores differ in two models.
        - ``'missing_negatives'``: few negatives decide the score of each column or fixed
          query, by weights or a `prevalence`, or a few units contain most negatives; the
          sample may lack others that score high.
        - ``'dependent_weights'``: heavy negatives have high scores.
        - ``'copies'``: the sample contains the same rows several times, and `unit_id`
          does not say so.
        - ``'fixed_queries'``: queries are fixed because of few ids, which may be wrong.
        - ``'shares_of_positives'``: two estimates are of samples whose shares of
          positives differ by more than chance.
        - ``'same_rows'``: two estimates without ids have the same labels in the same
          order, so their rows seem to be the same.

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
    warn_user(UncertaintyWarning(text, code))


def warn_of_few(n_effective: float, noun: str, least: float) -> None:
    """Warn if there are fewer positives than `least`; the noun says which ones count."""
    if n_effective < least:
        warn_uncertain(
            "few_positives",
            f"The sample has too few {noun}, {n_effective:.3g}, to show how much another "
            "sample would differ: add more.",
        )


def warn_of_samples(samples: Sequence[Sample]) -> None:
    """Warn if the units of one or more models are too few."""
    first, ranked, area = samples[0], samples[0].ranked, samples[0].of_area
    fewest = first.n_positives
    if ranked is not None:
        fewest = ranked.fewest  # of the column, or fixed query, that has the fewest
    if area is not None and area.unit is not None:
        _warn_of_clusters(area)
        return  # simulated intervals of few units cover what they promise
    kind = "query" if first.n_fixed_queries else "column"
    where = f" in one {kind}" if fewest < first.n_positives else ""
    warn_of_few(fewest, first.noun + where, _FEW)
    if len(samples) == 1 and ranked is not None and not ranked.is_single:
        _warn_of_bias(first, kind)


def _warn_of_bias(sample: Sample, kind: str) -> None:
    """Warn if few heavy negatives decide a mean of columns or fixed queries: it is too
    high by more than twice its known bias, which its interval allows for.
    """
    is_heavy = sample.negatives.outweighed >= _HEAVY
    if is_heavy and sample.negatives.loss > _MOST_LOST * sample.score:
        warn_uncertain(
            "missing_negatives",
            f"In some {kind}, few negatives decide the score, since each stands for "
            "many: the mean is too high. Add some that score high.",
        )


def _warn_of_first_level(call: ScoreCall, error: float) -> None:
    """Warn if the first level decides, which is the best precision of all rows.

    Its part of the score is what it is above the next level, or half of what it lacks
    to 1: no sample knows how good the very best rows of the population are.
    """
    n_levels = call.definition.grid
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
            f"Recall level 0 decides the score: the best precision of all is {first:.2g} here, by few rows, "
            "and may be another in the population. Pass more recall_levels, or None.",
        )


def _warn_of_clusters(area: RankedCells) -> None:
    """Warn if a few clusters contain most negatives of many units: the level of the
    scores of each is one draw.
    """
    negative = replace(area, positive=~area.positive)
    n_negatives = n_effective_of([negative])
    assert area.unit is not None, area
    n_units = np.count_nonzero(np.bincount(area.unit[negative.positive]))
    if n_negatives < _FEW_CLUSTERS and n_units >= _TIMES * n_negatives:
        warn_uncertain(
            "missing_negatives",
            f"A few units contain most negatives, which count as {n_negatives:.2g} units of "
            f"{n_units:,}: their scores are luck. Add units, or fewer rows of each.",
        )


def _warn_of_weights(checked: CheckedRows) -> None:
    """Warn where weights depend on scores, so that a few heavy negatives at the top
    decide the score.
    """
    positive, score, _, weight, query, *_ = checked
    if weight is None or positive.ndim > 1 or query is not None:
        return
    top = weight[~positive & (score > np.median(score[positive]))]
    if top.size >= _FEWEST_AT_TOP and top.mean() > _HEAVIER * weight[~positive].mean():
        # The text contains no number, so two models get one warning.
        warn_uncertain(
            "dependent_weights",
            "sample_weight depends on y_score, so that few heavy negatives decide the score: add negatives "
            "with high scores and small weights.",
        )


def _warn_of_rows(call: ScoreCall, unit: IntArray | None) -> None:
    """Warn where weights depend on scores, where the same rows occur several times, and
    where scores are the two labels, as `cross_val_predict` returns them without a
    `method`.
    """
    checked = call.checked
    _warn_of_weights(checked)
    if unit is None and (text := text_of_copies(checked)):
        warn_uncertain("copies", text)
    low, high = checked.bounds
    if checked.positive.ndim > 1 or not np.isin(checked.score, (low, high)).all():
        return
    if np.unique(on_host("y_true", call.inputs.y_true)).tolist() == [low, high]:
        column = int(call.inputs.pos_label == high)
        warn_user(
            f"Scores are nothing but the labels {low:g} and {high:g}: if a classifier predicted them, pass "
            f"its scores instead, such as cross_val_predict(..., method='predict_proba')[:, {column}]."
        )

"""Two models on the same rows, and whether their scores differ by more than chance."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from .._reading._options import check_option
from .._reading._values import gathered, on_host
from .._typing import Alternative, AnyArray, FloatArray, ScoreFunction, UncertaintyMethod
from ._draws import generator_of
from ._estimates import Progress, read_n_resamples, read_progress, watched
from ._results import ScoreComparison
from ._sample import MeanSample, Sample
from ._sampled_score import SampledScore, sampled_score
from ._spread import (
    ALTERNATIVES,
    influences_of,
    is_unsure,
    rounding_of,
    spread_of,
    t_test,
    warn_of_few,
    without_rounding,
)

_METHODS = ("auto", "influence", "percentile", "permutation")
_AT_ONCE = 2**17  # signs in memory at a time


def compare_scores(
    score_func: ScoreFunction,
    y_true: ArrayLike,
    y_score_a: ArrayLike,
    y_score_b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    method: UncertaintyMethod = "auto",
    unit_id: ArrayLike | None = None,
    n_resamples: int = 1999,
    random_state: int | RandomState | Generator | None = None,
    progress: Progress = False,
    **score_func_params: Any,
) -> ScoreComparison:
    """Difference of the scores of two models on the same rows, and how sure it is.

    Rows that are hard for one model are mostly hard for the other one too. The difference is therefore more
    precise than the two scores suggest, and intervals that overlap do not say that models are alike.

    .. versionadded:: 0.1

    Parameters
    ----------
    score_func : callable
        A score of this package, such as :func:`average_precision_score`, or any function of labels and
        scores.

    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        Binary labels, multilabel indicators (dense or sparse) or multiclass labels.

    y_score_a, y_score_b : array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores of the two models; their scales need not be the same.

    alternative : {'two-sided', 'less', 'greater'}, default='two-sided'
        Whether the first model differs from the second, or scores less, or more.

    method : {'auto', 'influence', 'percentile', 'permutation'}, default='auto'
        How the difference is tested.

        - ``'influence'``: a paired t test, in which each unit counts by what it does to the difference. The
          hypothesis is that both models have the same score in the population.
        - ``'percentile'``: how many bootstrap samples lie on the other side of 0.
        - ``'permutation'``: how many permutations differ as much. It swaps the ranks of random rows or, for
          means over queries, the signs of their differences [1]_. The hypothesis is stronger: that both
          models are exchangeable. There is no interval.
        - ``'auto'``: influences where the score has them, else percentiles.

    unit_id : array-like of shape (n_samples,), default=None
        Unit of each row, if rows were not drawn one by one: the patient of an image, the customer of a
        payment. By default, rows are the units or, with `query_id`, the queries.

    n_resamples : int, default=1999
        Number of bootstrap samples, or of permutations.

    random_state : int, RandomState or Generator, default=None
        Seed of the bootstrap samples or permutations.

    progress : bool or callable, default=False
        Whether to show on stderr how many resamples are done. A callable gets their number and the total.

    **score_func_params : additional arguments
        Other arguments of `score_func`, such as ``k=10``, `sample_weight`, `query_id` or `average`.

    Returns
    -------
    comparison : ScoreComparison
        With the fields `difference`, `pvalue` and others, and the method `confidence_interval`.

    Warns
    -----
    UserWarning
        If the sample has fewer than ten positives, or units that hold one; if the scores are nothing but the
        two labels, as a classifier predicts them; if every unit says the same difference, and it is not 0:
        then the p-value is NaN; for what `score_func` warns of.

    Raises
    ------
    ValueError
        For what `score_func` refuses; if there is no positive; for ``average=None``; for a method that the
        score does not have.

    See Also
    --------
    estimate_score : One model, and its interval.
    compare_cv_results : Two models on the folds of a cross-validation.

    Notes
    -----
    With `query_id` and a mean over queries, ``'influence'`` is the paired t test over queries, as
    ``scipy.stats.ttest_rel`` computes it. The sign test and the Wilcoxon test are not offered, since they
    test medians: means can be equal where they reject [1]_ [2]_.

    The smallest p-value of a permutation test is ``1 / (n_resamples + 1)``, and of percentiles twice this.

    References
    ----------
    .. [1] M. D. Smucker, J. Allan, B. Carterette, "A comparison of statistical significance tests for
       information retrieval evaluation", CIKM 2007. :doi:`10.1145/1321440.1321528`
    .. [2] J. Urbano, H. Lima, A. Hanjalic, "Statistical significance testing in information retrieval: an
       empirical analysis of type I, type II and type III errors", SIGIR 2019. :doi:`10.1145/3331184.3331259`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import average_precision_score, compare_scores
    >>> y_true = np.tile([1, 1, 0, 1, 0, 0, 0, 0, 0, 0], 10)
    >>> old = np.linspace(1, 0, 100)
    >>> new = old + 0.2 * y_true
    >>> print(compare_scores(average_precision_score, y_true, new, old))
    0.6062 - 0.394 = 0.2122, p = 1.57e-05 (two-sided, influence)
    """
    check_option("alternative", alternative, ALTERNATIVES)
    check_option("method", method, _METHODS)
    n_resamples, progress = read_n_resamples(n_resamples), read_progress(progress)
    rng = generator_of(random_state)
    held = gathered(
        y_true=y_true, y_score_a=y_score_a, y_score_b=y_score_b, unit_id=unit_id, **score_func_params
    )
    y_true, *both, unit_id = (held.pop(name) for name in ("y_true", "y_score_a", "y_score_b", "unit_id"))
    pair = [sampled_score(score_func, y_true, one, unit_id, **held) for one in both]
    first, second = (one.sample for one in pair)
    warn_of_few(first.fewest, first.noun)
    if method == "auto":
        method = "influence" if first.has_influences else "percentile"
    compared = _compared(pair, method, alternative)
    rounding = rounding_of(first.n_rows, *compared.scores)
    if method == "influence":
        return _paired_t_test(compared, first, second, rounding)
    if method == "percentile":
        parts = _differences(first, second, n_resamples, rng)
        return _by_percentile(compared, _all_watched(parts, n_resamples, progress), rounding)
    if isinstance(first, MeanSample) and isinstance(second, MeanSample):
        parts = _flipped(first.parts() - second.parts(), n_resamples, rng)
    else:
        parts = _Swap(pair, (y_score_a, y_score_b)).differences(n_resamples, rng)
    return _by_permutation(compared, _all_watched(parts, n_resamples, progress), rounding)


def _compared(pair: list[SampledScore], method: str, alternative: Alternative) -> ScoreComparison:
    """Return a comparison whose test is still open."""
    sample, scores = pair[0].sample, (float(pair[0].score), float(pair[1].score))
    return ScoreComparison(
        without_rounding(scores[0] - scores[1], rounding_of(sample.n_rows, *scores)),
        scores,
        standard_error=np.nan,
        statistic=np.nan,
        df=np.nan,
        pvalue=np.nan,
        method=method,
        alternative=alternative,
        n_units=sample.n_units + sample.n_missed,
    )


def _paired_t_test(
    compared: ScoreComparison, first: Sample, second: Sample, rounding: float
) -> ScoreComparison:
    """Test by a paired t test, where each unit counts by what it does to the difference."""
    spread = spread_of(influences_of(first).less(influences_of(second)), first.n_positives, rounding)
    statistic, pvalue = t_test(compared.difference, *spread, compared.alternative)
    return replace(
        compared,
        standard_error=spread.standard_error,
        statistic=statistic,
        df=spread.df,
        pvalue=pvalue,
    )


def _differences(first: Sample, second: Sample, n_resamples: int, rng: Generator) -> Iterator[FloatArray]:
    """Yield the differences of bootstrap samples: both models get the same rows."""
    for counts in first.drawing_units.counts(n_resamples, rng):
        yield first.scores_of_counts(counts) - second.scores_of_counts(counts)


def _by_percentile(compared: ScoreComparison, drawn: FloatArray, rounding: float) -> ScoreComparison:
    """Test by how many bootstrap samples lie on the other side of 0."""
    kept = drawn[~np.isnan(drawn)]
    kept = np.where(np.abs(kept) <= rounding, 0.0, kept)
    error = without_rounding(float(kept.std(ddof=1)), rounding) if kept.size > 1 else np.nan
    below, above = ((np.count_nonzero(side) + 1) / (kept.size + 1) for side in (kept <= 0, kept >= 0))
    pvalues = {"two-sided": min(1.0, 2 * min(below, above)), "less": above, "greater": below}
    unsure = is_unsure(compared.difference, error)
    return replace(
        compared,
        standard_error=error,
        statistic=compared.difference / error if error else np.nan,
        pvalue=np.nan if unsure else float(pvalues[compared.alternative]),
        n_dropped=drawn.size - kept.size,
        bootstrap_distribution=kept,
    )


def _by_permutation(compared: ScoreComparison, null: FloatArray, rounding: float) -> ScoreComparison:
    """Test by how many permutations lie at least as far out; the models as they are count as one of them."""
    observed = compared.difference
    signed = {"two-sided": np.abs(null), "less": -null, "greater": null}[compared.alternative]
    limit = {"two-sided": abs(observed), "less": -observed, "greater": observed}[compared.alternative]
    pvalue = float((np.count_nonzero(signed >= limit - rounding) + 1) / (null.size + 1))
    error = without_rounding(float(null.std(ddof=1)), rounding) if null.size > 1 else np.nan
    return replace(compared, standard_error=error, statistic=observed, pvalue=pvalue, null_distribution=null)


def _flipped(of_units: FloatArray, n_resamples: int, rng: Generator) -> Iterator[FloatArray]:
    """Yield differences with random signs: under the hypothesis, each unit prefers either model.

    `of_units` adds up to the difference. Influences would not do: they are centred, as if the difference
    were 0, and the test would reject too often.
    """
    at_once = max(_AT_ONCE // of_units.size, 1)
    for first in range(0, n_resamples, at_once):
        flips = rng.integers(2, size=(min(at_once, n_resamples - first), of_units.size))
        yield np.asarray(((2 * flips - 1) * of_units).sum(axis=1))


class _Swap:
    """Swaps the ranks that two models give to random units; under the hypothesis, they are exchangeable.

    Ranks within each model replace scores, since the scores of two models need not share a scale.
    """

    def __init__(self, pair: list[SampledScore], given: tuple[ArrayLike, ArrayLike]) -> None:
        self._score = pair[0].score_again
        self._unit = pair[0].unit_of_rows
        self._ranks = tuple(_ranks(one, pair[0].is_pooled) for one in given)
        for one, ranks in zip(pair, self._ranks, strict=True):
            if not np.isclose(self._score(ranks), float(one.score), rtol=1e-9, atol=1e-12):
                raise ValueError(
                    "method='permutation' needs a score_func that depends on the ranks of y_score alone; got "
                    f"{one.score:.6g} of scores, and {self._score(ranks):.6g} of their ranks."
                )

    def differences(self, n_resamples: int, rng: Generator) -> Iterator[FloatArray]:
        """Yield the differences of random permutations."""
        first, second = self._ranks
        n_units = first.shape[0] if self._unit is None else int(self._unit.max()) + 1
        for _ in range(n_resamples):
            swaps = rng.integers(2, size=n_units, dtype=np.int8).astype(bool)
            swaps = swaps if self._unit is None else swaps[self._unit]
            where = swaps.reshape(-1, *[1] * (first.ndim - 1))
            one, other = np.where(where, second, first), np.where(where, first, second)
            yield np.array([self._score(one) - self._score(other)])


def _ranks(scores: ArrayLike, is_pooled: bool) -> AnyArray:
    """Return the rank of each row within its column, or among all; equal scores share their mean rank."""
    values = np.asarray(on_host("y_score", scores))
    return np.asarray(rankdata(values, axis=None if is_pooled else 0).reshape(values.shape))


def _all_watched(parts: Iterator[FloatArray], n_resamples: int, progress: Progress) -> FloatArray:
    return np.concatenate(list(watched(parts, n_resamples, progress)))

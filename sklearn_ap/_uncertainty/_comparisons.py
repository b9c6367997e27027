"""Two models on the same rows, and whether their scores differ by more than chance."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from .._reading._options import check_option
from .._reading._values import gathered, on_host
from .._typing import Alternative, AnyArray, FloatArray, ScoreFunction, UncertaintyMethod
from ._draws import batches, generator_of
from ._estimates import Progress, read_n_resamples, read_progress, watched
from ._results import ScoreComparison
from ._sample import MeanSample, Sample, resampled
from ._sampled_score import SampledScore, refuse_misplaced, sampled_score
from ._spread import (
    ALTERNATIVES,
    Spread,
    influences_of,
    is_unsure,
    rounding_of,
    spread_of,
    t_test,
    warn_of_few_in,
    warn_of_late_pair,
    without_rounding,
)

_METHODS = ("auto", "influence", "percentile", "permutation")
_LEAST_DF = 20
_CARRIED = 0.75  # of the degrees of freedom that positives leave
_MOST_DRAWN = 100_000  # rows, or pairs of cells: two seconds


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
        - ``'auto'``: influences where the score has them, else percentiles. Percentiles too where fewer rows
          than positives carry the variance, so that the t test would have less than 20 degrees of freedom
          and three quarters of those of the positives: there, large differences have large standard errors,
          and the t test hardly finds them. This holds for a single ranking of rows that weigh the same, up
          to 100,000 rows that differ. The result names its `method`.

    unit_id, n_resamples, random_state, progress, **score_func_params : optional
        As for :func:`estimate_score`.

    Returns
    -------
    comparison : ScoreComparison
        With the fields `difference`, `pvalue` and others, and the method `confidence_interval`.

    Warns
    -----
    UserWarning
        If the sample has fewer than ten positives, or units that hold one; if fewer than ten negatives decide
        a score, and each outweighs two positives; if the scores are nothing but the two labels, as a
        classifier predicts them; if all units have the same difference, and it is not 0: then the p-value
        is NaN; for what `score_func` warns of.

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
    With percentiles, an interval excludes 0 if and only if the p-value is at most 1 minus its level.
    `random_state` makes the p-value the same in each call.

    With 20 positives among 20,000 rows, the t test tells scores of .15 and .05 apart in .11 of samples, and
    the default in .42. If two models are equally good, and one finds few positives far ahead where the other
    finds more of them late, percentiles and permutations reject in more than .05 of such samples: .13 and .20
    at an average precision of .1; use ``method='influence'`` there, which rejects in .01.

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
    0.6062 - 0.394 = 0.2122, 95 % interval 0.131 to 0.2933, p = 1.57e-05 (two-sided, influence)
    """
    check_option("alternative", alternative, ALTERNATIVES)
    check_option("method", method, _METHODS)
    n_resamples, progress = read_n_resamples(n_resamples), read_progress(progress)
    rng = generator_of(random_state)
    held = gathered(
        y_true=y_true, y_score_a=y_score_a, y_score_b=y_score_b, unit_id=unit_id, **score_func_params
    )
    y_true, *both, unit_id = (held.pop(name) for name in ("y_true", "y_score_a", "y_score_b", "unit_id"))
    refuse_misplaced("compare_scores", score_func, held)
    pair = [sampled_score(score_func, y_true, one, unit_id, **held) for one in both]
    samples = [one.sample for one in pair]
    first, second = samples
    warn_of_few_in(samples)
    scores = float(pair[0].score), float(pair[1].score)
    rounding = rounding_of(first.n_rows, *scores)
    difference = without_rounding(scores[0] - scores[1], rounding)
    spread = _spread_of_pair(first, second, method, rounding)
    if method == "auto":
        method = "percentile" if spread is None or _is_of_few(first, spread) else "influence"
    if method == "influence":
        assert spread is not None, method
        tested = _by_t_test(difference, spread, alternative)
    elif method == "percentile":
        warn_of_late_pair(first, scores)
        drawn = watched(resampled(samples, n_resamples, rng), n_resamples, progress)
        tested = _by_percentile(difference, np.concatenate(list(drawn)), rounding, alternative)
    else:
        if isinstance(first, MeanSample) and isinstance(second, MeanSample):
            drawn = _flipped(first.parts() - second.parts(), n_resamples, rng)
        else:
            drawn = _swapped(pair, (y_score_a, y_score_b), n_resamples, rng)
        null = np.concatenate(list(watched(drawn, n_resamples, progress)))
        tested = _by_permutation(difference, null, rounding, alternative)
    return ScoreComparison(
        difference, scores, **tested, method=method, alternative=alternative, n_units=first.n_units
    )


def _spread_of_pair(first: Sample, second: Sample, method: str, rounding: float) -> Spread | None:
    """Return how sure the difference of two models is by influences; None if these are not asked for."""
    if method == "influence" or (method == "auto" and first.has_influences):
        influences = influences_of(first, method).less(influences_of(second, method))
        return spread_of(influences, first.n_positives, rounding)
    return None


def _is_of_few(sample: Sample, spread: Spread) -> bool:
    """Whether fewer rows than positives carry the variance, such as the first negatives of a ranking.

    Then a large difference has a large standard error too, and a t test finds it in a third of the samples
    where percentiles do. Where positives themselves are few, percentiles reject too often. They also do so
    where units weigh differently. So many rows that differ would take seconds to draw.
    """
    n_drawn = min(sample.n_rows, (3 * sample.n_positives + 1) ** 2)
    is_drawn = sample.is_plain and sample.heavy_negatives == np.inf and n_drawn <= _MOST_DRAWN
    is_of_few = 0 < spread.df < min(_LEAST_DF, _CARRIED * (sample.n_positives - 1))
    return is_drawn and is_of_few and spread.standard_error > 0 and sample.n_missed == round(sample.n_missed)


def _by_t_test(difference: float, spread: Spread, alternative: Alternative) -> dict[str, Any]:
    """Test by a paired t test, where each unit counts by what it does to the difference."""
    statistic, pvalue = t_test(difference, *spread, alternative)
    return {**spread._asdict(), "statistic": statistic, "pvalue": pvalue}


def _by_percentile(
    difference: float, drawn: FloatArray, rounding: float, alternative: Alternative
) -> dict[str, Any]:
    """Test by how many bootstrap samples lie on the other side of 0."""
    kept = drawn[~np.isnan(drawn)]
    kept = np.where(np.abs(kept) <= rounding, 0.0, kept)
    error = _deviation(kept, rounding)
    below, above = ((np.count_nonzero(side) + 1) / (kept.size + 1) for side in (kept <= 0, kept >= 0))
    pvalues = {"two-sided": min(1.0, 2 * min(below, above)), "less": above, "greater": below}
    return {
        "standard_error": error,
        "statistic": difference / error if error else np.nan,
        "df": np.nan,
        "pvalue": np.nan if is_unsure(difference, error) else float(pvalues[alternative]),
        "n_dropped": drawn.size - kept.size,
        "bootstrap_distribution": kept,
    }


def _by_permutation(
    difference: float, null: FloatArray, rounding: float, alternative: Alternative
) -> dict[str, Any]:
    """Test by how many permutations lie at least as far out; the models as they are count as one of them."""
    far = {"two-sided": np.abs, "less": np.negative, "greater": np.positive}[alternative]
    pvalue = float((np.count_nonzero(far(null) >= far(difference) - rounding) + 1) / (null.size + 1))
    return {
        "standard_error": _deviation(null, rounding),
        "statistic": difference,
        "df": np.nan,
        "pvalue": pvalue,
        "null_distribution": null,
    }


def _deviation(drawn: FloatArray, rounding: float) -> float:
    return without_rounding(float(drawn.std(ddof=1)), rounding) if drawn.size > 1 else np.nan


def _flipped(of_units: FloatArray, n_resamples: int, rng: Generator) -> Iterator[FloatArray]:
    """Yield differences with random signs: under the hypothesis, each unit prefers either model.

    `of_units` adds up to the difference. Influences would not do: they are centred, as if the difference
    were 0, and the test would reject too often.
    """
    for n in batches(n_resamples, of_units.size):
        flips = rng.integers(2, size=(n, of_units.size))
        yield np.asarray(((2 * flips - 1) * of_units).sum(axis=1))


def _swapped(
    pair: list[SampledScore], given: tuple[ArrayLike, ArrayLike], n_resamples: int, rng: Generator
) -> Iterator[FloatArray]:
    """Yield differences where random units swap the ranks that two models give them.

    Under the hypothesis, the models are exchangeable. Ranks within each model replace scores, since the
    scores of two models need not share a scale.
    """
    call = pair[0].call
    first, second = (_ranks(one, pair[0].is_pooled) for one in given)
    for model, ranks in zip(pair, (first, second), strict=True):
        if not np.isclose(call.of(ranks), float(model.score), rtol=1e-9, atol=1e-12):
            raise ValueError(
                "method='permutation' needs a score_func that depends on the ranks of y_score alone; got "
                f"{model.score:.6g} of scores, and {call.of(ranks):.6g} of their ranks."
            )
    n_units = call.n_rows if call.unit is None else int(call.unit.max()) + 1
    for _ in range(n_resamples):
        swaps = rng.integers(2, size=n_units, dtype=np.int8).astype(bool)
        swaps = swaps if call.unit is None else swaps[call.unit]
        where = swaps.reshape(-1, *[1] * (first.ndim - 1))
        one, other = np.where(where, second, first), np.where(where, first, second)
        yield np.array([call.of(one) - call.of(other)])


def _ranks(scores: ArrayLike, is_pooled: bool) -> AnyArray:
    """Return the rank of each row within its column, or among all; equal scores share their mean rank."""
    values = np.asarray(on_host("y_score", scores))
    return np.asarray(rankdata(values, axis=None if is_pooled else 0).reshape(values.shape))

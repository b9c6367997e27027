"""Comparisons of many models on the same rows, adjusted for the number of comparisons.

Each pair of models is compared as by `compare_scores`. P-values and intervals are both
adjusted by Bonferroni, so they always agree: with m tests, p-values are multiplied by
m, and intervals have the confidence level 1 - risk / m. Holm's method would find up to
.05 more of the true differences. But in .13 of families of tests, some interval that
agrees with its p-values does not contain the true difference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..._core.advice import advised
from ..._core.reading.frames import column_names
from ..._core.reading.options import short_repr
from ..._core.typing import FloatArray, ScoreFunction
from ..._shown.texts import printable
from .base_of_results import ResultWithInterval, read_confidence_level, with_interval
from .comparisons import compared
from .endpoints import ConfidenceInterval
from .estimates import package_score, sampled_scores
from .results import ScoreComparison

# Fields of `ScoreComparison` that are collected from all pairs. The field `scores` has
# two numbers per pair, and the other fields have one number.
_FIELDS_PER_PAIR = "difference", "scores", "standard_error", "statistic", "df", "pvalue"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ManyComparisons(ResultWithInterval[FloatArray]):
    """Differences between many models, as returned by :func:`compare_many`.

    Parameters
    ----------
    pairs : tuple of pairs of str
        Names of the models of each difference: the first one minus the second one.

    difference : ndarray of shape (n_pairs,)
        The score of the first model minus the score of the second model.

    scores : ndarray of shape (2, n_pairs)
        Both scores.

    standard_error : ndarray of shape (n_pairs,)
        Standard error of each difference.

    statistic : ndarray of shape (n_pairs,)
        As for :class:`ScoreComparison`.

    df : ndarray of shape (n_pairs,)
        Degrees of freedom of each statistic, without adjustment.

    test : tuple of n_pairs str or None
        As for :class:`ScoreComparison`.

    pvalue : ndarray of shape (n_pairs,)
        Adjusted p-value of each pair. If all pairs with a p-value of at most .05 are
        reported as different, at least one of these reports is wrong in at most .05 of
        samples.

    n_units : int, default=0
        As for :class:`ScoreComparison`.

    n_fixed_queries : int, default=0
        As for :class:`ScoreComparison`.

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

    pairs: tuple[tuple[str, str], ...]
    difference: FloatArray
    scores: FloatArray
    standard_error: FloatArray
    statistic: FloatArray
    df: FloatArray
    test: tuple[str | None, ...]
    pvalue: FloatArray
    n_units: int = 0
    n_fixed_queries: int = 0
    # The comparison of each pair without adjustment, which computes the intervals.
    _comparisons: tuple[ScoreComparison, ...] = ()

    @property
    def _n_tested(self) -> int:
        """Number of tests, at least 1. A pair is not tested if the two models agree on
        every unit, or if its p-value is NaN.
        """
        is_tested = (self.standard_error > 0) & ~np.isnan(self.pvalue)
        return max(int(is_tested.sum()), 1)

    @property
    def _names(self) -> list[str]:
        """The models of each interval, such as "new - old"."""
        return [f"{first} - {second}" for first, second in self.pairs]

    def _interval(self, confidence_level: float) -> ConfidenceInterval[FloatArray]:
        risk = 1 - read_confidence_level(confidence_level)
        of_pair = 1 - risk / self._n_tested
        endpoints = [each._interval(of_pair) for each in self._comparisons]
        return ConfidenceInterval(*np.array(endpoints).T)

    def _in_json(self) -> dict[str, Any]:
        """Return the values, without the statistics where signs were counted."""
        values = super()._in_json()
        values["statistic"] = [
            None if test == "signs" else statistic
            for test, statistic in zip(self.test, self.statistic.tolist(), strict=True)
        ]
        return values

    def __str__(self) -> str:
        """Return a text with one line per pair, with simultaneous 95 % intervals."""
        columns = self.difference, *self._interval(0.95), self.pvalue
        how = "; ".join(filter(None, ("two-sided", self._drawn)))
        tests = "1 test"
        if self._n_tested > 1:
            tests = f"adjusted for {self._n_tested:,} tests by Bonferroni"
        lines = [f"{tests} ({how})"]
        for name, *row, pvalue in zip(self._names, *columns, strict=True):
            lines.append(f"{printable(name)}: {with_interval(*row, pvalue=pvalue)}")
        return "\n".join(lines)


@advised
def compare_many(
    score_func: str | ScoreFunction,
    y_true: ArrayLike,
    y_score: Mapping[str, ArrayLike],
    *,
    reference: str | None = None,
    unit_id: ArrayLike | None = None,
    **score_func_params: Any,
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

    y_score : mapping of str to array-like of shape (n_samples,) or (n_samples, n_labels)
        Scores of each model by its name, or a data frame with one column per model. The
        models may have different scales.

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
    are not tested, so they are not among the m pairs.

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
    adjusted for 3 tests by Bonferroni (two-sided)
    old - new: -0.22, 95 % interval -0.32 to -0.12, p < 0.0001
    old - same: -0.02, 95 % interval -0.11 to 0.07, p = 1
    new - same: 0.20, 95 % interval 0.12 to 0.28, p < 0.0001
    """
    models = y_score
    names = column_names(y_score)
    # In a data frame, each column is a model. If two columns have the same name,
    # `_read_pairs` raises an error.
    if names and len(set(names)) == len(names):
        models = {name: y_score[name] for name in names}
    pairs = _read_pairs(models, reference)
    return compare_pairs(
        score_func,
        y_true,
        models,
        pairs,
        unit_id=unit_id,
        **score_func_params,
    )


def compare_pairs(
    score_func: str | ScoreFunction,
    y_true: ArrayLike,
    models: Mapping[str, ArrayLike],
    pairs: Sequence[tuple[str, str]],
    *,
    unit_id: ArrayLike | None,
    **score_func_params: Any,
) -> ManyComparisons:
    """Return the differences of these pairs of models, first minus second."""
    score_func, params = package_score(score_func, score_func_params)
    # Errors name these arguments, such as y_score['old'].
    arguments = {f"y_score[{name!r}]": scores for name, scores in models.items()}
    of_models = sampled_scores(
        score_func, y_true, arguments, params, unit_id=unit_id, caller="compare_many"
    )
    samples = dict(zip(models, of_models, strict=True))
    comparisons = {pair: compared([samples[name] for name in pair]) for pair in pairs}
    return adjusted_together(comparisons)._with_score(score_func, params)


def _read_pairs(y_score: object, reference: str | None) -> list[tuple[str, str]]:
    """Return the names of the two models of each comparison."""
    if not isinstance(y_score, Mapping) or len(y_score) < 2:
        raise ValueError(
            "y_score must map the names of at least two models to their scores; got "
            f"{type(y_score).__name__} {short_repr(y_score)}."
        )
    names = list(y_score)
    if reference is None:
        return list(combinations(names, 2))
    if reference not in names:
        raise ValueError(
            f"reference must be None or one of {short_repr(names)}; got "
            f"{short_repr(reference)}."
        )
    return [(name, reference) for name in names if name != reference]


def adjusted_together(
    comparisons: Mapping[tuple[str, str], ScoreComparison],
) -> ManyComparisons:
    """Return all comparisons with p-values and intervals that are adjusted together."""
    tests = tuple(comparisons.values())
    columns: dict[str, Any] = {
        name: np.array([getattr(test, name) for test in tests], dtype=float).T
        for name in _FIELDS_PER_PAIR
    }
    many = ManyComparisons(
        pairs=tuple(comparisons),
        **columns,
        test=tuple(test.test for test in tests),
        n_units=tests[0].n_units,
        n_fixed_queries=tests[0].n_fixed_queries,
        _comparisons=tests,
    )
    return replace(many, pvalue=np.minimum(many._n_tested * many.pvalue, 1.0))

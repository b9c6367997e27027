"""The results of `estimate_score` and `compare_scores`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..._shown.numbers import decimals_of, with_decimals
from ..sampling.contributions import NO_CHANGES, Changes
from .base_of_results import ResultWithInterval, read_confidence_level, with_interval
from .endpoints import ConfidenceInterval, endpoints_of_difference
from .places import Place, endpoints_of_places


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ScoreEstimate(ResultWithInterval[float]):
    """Score with its uncertainty, as :func:`estimate_score` returns it.

    Parameters
    ----------
    score : float
        Return value of the score function.

    standard_error : float
        Standard error of the score over samples like this one.

    df : float
        Degrees of freedom of the standard error.

    n_effective : int or float
        Effective number of positives. If there are weights, columns, or units of
        several rows, it is the number of equal positives that would give the same
        precision. For a mean over queries or samples, effective number of units.

    n_units : int
        Number of units that were sampled: rows, clusters or queries. Missed positives
        have no rows, so they are not counted.

    n_fixed_queries : int, default=0
        Number of queries, if every sample has the same queries, such as the classes of
        a detector; else 0.

    Examples
    --------
    >>> from sklearn_ap import ScoreEstimate
    >>> estimate = ScoreEstimate(
    ...     score=0.75, standard_error=0.05, df=19.0, n_effective=20, n_units=100
    ... )
    >>> print(estimate)
    0.75, 95 % interval 0.64 to 0.85
    >>> interval = estimate.confidence_interval(0.9)
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.659, 0.832)
    """

    score: float
    standard_error: float
    df: float
    n_effective: float
    n_units: int
    n_fixed_queries: int = 0
    # How one more event would change the score.
    _changes: Changes = NO_CHANGES
    # Places of the threshold of a recall, or of the first rows, in this sample.
    _places: Sequence[Place] = ()

    def _interval(self, confidence_level: float) -> ConfidenceInterval[float]:
        here = Place(self.score, self.standard_error, self._changes)
        return ConfidenceInterval(
            *endpoints_of_places(
                self._places or [here],
                self.score,
                self.df,
                read_confidence_level(confidence_level),
            )
        )

    def __str__(self) -> str:
        """Return the score and its 95 % interval in one line."""
        drawn = f" ({self._drawn})" if self._drawn else ""
        return with_interval(self.score, *self._interval(0.95)) + drawn


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ScoreComparison(ResultWithInterval[float]):
    """The difference of two scores, as :func:`compare_scores` returns it.

    Parameters
    ----------
    difference : float
        The first score minus the second.

    scores : tuple of two floats
        Both scores.

    standard_error : float
        Standard error of the difference.

    statistic : float
        Difference of powers of the scores divided by its standard error; for a mean
        over queries or samples, that of the scores (:func:`compare_scores`).

    df : float
        Degrees of freedom of the statistic; infinite if the p-value counts signs. The
        interval may have other degrees of freedom.

    test : {'t', 'signs'} or None
        Whether the p-value is that of a t test, or counts signs; None without a test.
        Where signs are counted, JSON has neither the statistic nor `df`.

    pvalue : float
        Probability of a difference at least as far from 0 if both models are equal. NaN
        if all units have the same difference, and it is not 0, or if there is a single
        unit or positive.

    n_units : int, default=0
        Number of units that were sampled: rows, clusters or queries. Missed positives
        are not counted.

    n_fixed_queries : int, default=0
        Number of queries, if every sample has the same queries; else 0.

    Examples
    --------
    >>> from sklearn_ap import ScoreComparison
    >>> comparison = ScoreComparison(
    ...     difference=0.25,
    ...     scores=(0.75, 0.5),
    ...     standard_error=0.1,
    ...     statistic=2.5,
    ...     df=24.0,
    ...     pvalue=0.02,
    ... )
    >>> print(comparison)
    0.75 - 0.50 = 0.25, 95 % interval 0.04 to 0.46, p = 0.02 (two-sided)
    >>> comparison.confidence_interval().low > 0
    True
    """

    difference: float
    scores: tuple[float, float]
    standard_error: float
    statistic: float
    df: float
    test: str | None = "t"
    pvalue: float
    n_units: int = 0
    n_fixed_queries: int = 0
    # Degrees of freedom of the interval; None if they are equal to `df`.
    _df_of_interval: float | None = None
    # The amount by which each score would fall if one more positive were ranked last.
    _lost: tuple[float, float] = (0.0, 0.0)
    # Bias of the difference of two means over columns or fixed queries.
    _bias: float = 0.0

    def _interval(self, confidence_level: float) -> ConfidenceInterval[float]:
        df = self.df if self._df_of_interval is None else self._df_of_interval
        return ConfidenceInterval(
            *endpoints_of_difference(
                self.difference,
                self.standard_error,
                df,
                pvalue=self.pvalue,
                lost=self._lost,
                bias=self._bias,
                confidence_level=read_confidence_level(confidence_level),
            )
        )

    def _in_json(self) -> dict[str, Any]:
        """Return the values, without the statistic where signs were counted."""
        values = super()._in_json()
        # The degrees of freedom are infinite, and so None.
        if self.test == "signs":
            values["statistic"] = None
        return values

    def __str__(self) -> str:
        """Return the difference, its 95 % interval if there is one, and the p-value."""
        low, high = self._interval(0.95)
        decimals = decimals_of(self.difference, low, high, is_difference=True)
        first, second = with_decimals(decimals, *self.scores)
        difference = with_interval(self.difference, low, high, pvalue=self.pvalue)
        notes = ["two-sided", self._drawn]
        if self.pvalue == 1 and not self.standard_error:
            notes.append("the two models agree on every unit")
        return f"{first} - {second} = {difference} ({'; '.join(filter(None, notes))})"

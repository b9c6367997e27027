"""The results of `estimate_score` and `compare_scores`, and base classes that add
intervals, texts, dictionaries and data frames to numbers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from inspect import Signature, signature
from itertools import compress
from math import inf, isnan, nan, sqrt
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Self

import numpy as np
from scipy.special import stdtrit
from sklearn.exceptions import UndefinedMetricWarning

from .._core.reading.options import is_real
from .._core.scorer_names import read_name, scorer_name
from .._core.typing import FloatArray, ScoreFunction
from .._core.user_messages import warn_user
from .._shown.numbers import decimals_of, format_pvalue, interval_texts, with_decimals
from .._shown.tables import SCHEMA_VERSION, data_frame, json_value
from .endpoints import (
    ConfidenceInterval,
    Endpoints,
    FloatOrArray,
    IntervalInputs,
    endpoints_of,
    farther_out,
)
from .paired import errors_with_lost_positives, obeying_test

if TYPE_CHECKING:
    from pandas import DataFrame

UNDEFINED = "y_true contains no positive samples; a standard error is undefined."
_NO_RULES = IntervalInputs()
# Largest probability beyond an endpoint. It is just below one half, since an interval
# at the confidence level 0 has no width.
_MIDDLE = 0.5 - 1e-9
# Arguments of a score that have a value per row. No result keeps them.
_ARGUMENTS_OF_ROWS = {"sample_weight", "query_id"}


class PublicSignature:
    """Signature of a result with its public fields only, as `help` shows it. Private
    fields stay arguments of `__init__`, so that `replace` keeps them.
    """

    def __get__(self, _: object, result: type) -> Signature:
        init = result.__init__  # type: ignore[misc]  # of a class
        parameters = signature(init).parameters.values()
        private = "self", "_"
        return Signature(
            [each for each in parameters if not each.name.startswith(private)]
        )


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """Base of all results: numbers that print as text, and convert to a dictionary or a
    data frame.

    Two results are equal only if they are the same object: the comparison that
    `dataclass` would write fails for arrays, and NaN differs from NaN.
    """

    __signature__: ClassVar[PublicSignature] = PublicSignature()
    # The score and its options, for `to_dict`.
    _score: tuple[ScoreFunction, dict[str, Any]] | None = field(
        default=None, kw_only=True
    )

    def _shown(self) -> dict[str, Any]:
        """Return the values of the public fields and, if the result has an interval,
        its 95 % endpoints. Fields that are declared with `repr=False` are excluded.
        """
        return {
            attribute.name: getattr(self, attribute.name)
            for attribute in fields(self)
            if attribute.repr and not attribute.name.startswith("_")
        }

    def __repr__(self) -> str:
        """Return the class and the text of the result."""
        return f"<{type(self).__name__}: {self}>"

    def _with_score(self, score: ScoreFunction, params: Mapping[str, Any]) -> Self:
        """Return the result with its score and options, for `to_dict`."""
        options = {
            name: value
            for name, value in params.items()
            if name not in _ARGUMENTS_OF_ROWS
            and (name != "n_positives" or is_real(value))
        }
        return replace(self, _score=(score, options))

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as a dictionary that `json.dumps` can write.

        Returns
        -------
        numbers : dict
            The version of the keys (``"schema"``), the class as ``"kind"``, such as
            ``"score_estimate"``, and the fields. If the result is of a score of this
            package, its name is ``"score_name"``, and ``"options"`` contains the
            options that the name does not contain. The endpoints of intervals are `low`
            and `high`, also in the ``"table"`` of an operating point, and their
            ``"confidence_level"`` is 0.95. Arrays are lists. NaN and infinite numbers
            are None, because JSON cannot contain them.
        """
        kind = re.sub("(?<!^)(?=[A-Z])", "_", type(self).__name__).lower()
        numbers: dict[str, Any] = {"schema": SCHEMA_VERSION, "kind": kind}
        if self._score is not None:
            score, options = self._score
            score_name, _ = scorer_name(score, options)
            numbers["score_name"] = score_name
            # A name such as "precision@20" contains an option.
            _, in_name = read_name(score_name) or (None, {})
            numbers["options"] = {
                name: json_value(value)
                for name, value in options.items()
                if name not in in_name
            }
        return numbers | {"confidence_level": 0.95} | self._numbers()

    def _numbers(self) -> dict[str, Any]:
        """Return the part of `to_dict` that the fields and the endpoints make up, with
        values that JSON can contain.
        """
        return {
            name: value._numbers() if isinstance(value, Result) else json_value(value)
            for name, value in self._shown().items()
        }

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame with one row, or with one row per pair of models.

        Returns
        -------
        frame : pandas.DataFrame
            The fields and, if there is a 95 % interval, its endpoints `low` and `high`.
            The two models and the two scores of a comparison have a column each.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        columns = {}
        for name, value in self._shown().items():
            if name == "pairs":
                columns["model_a"], columns["model_b"] = np.transpose(value)
            elif name == "scores":
                columns["score_a"], columns["score_b"] = value
            else:
                columns[name] = value
        # A number that holds for all pairs of models is repeated in each row.
        n_rows = max(map(np.size, columns.values()))
        return data_frame(
            {name: np.broadcast_to(value, n_rows) for name, value in columns.items()}
        )


class ResultWithInterval(Result, Generic[FloatOrArray]):
    """An estimate or a comparison, with its interval at any confidence level."""

    standard_error: float | FloatArray
    n_units: int
    n_fixed_queries: int

    @property
    def _names(self) -> list[str]:
        """The name of each interval, for a warning. Empty if there is one interval."""
        return []

    @property
    def _drawn(self) -> str:
        """The numbers of fixed queries and of units drawn, as text. Empty unless
        queries are fixed.
        """
        if not self.n_fixed_queries:
            return ""
        noun = "query" if self.n_fixed_queries == 1 else "queries"
        return f"{self.n_fixed_queries:,} fixed {noun}, {self.n_units:,} units drawn"

    def confidence_interval(
        self, confidence_level: float = 0.95
    ) -> ConfidenceInterval[FloatOrArray]:
        """Return the interval at a confidence level.

        The interval of a comparison excludes 0 if and only if the p-value is at most 1
        minus the confidence level. An endpoint of exactly 0 does not exclude 0. For
        many comparisons, the confidence level is the share of samples in which *all*
        intervals contain their difference. These intervals agree with the adjusted
        p-values.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Above 0 and below 1.

        Returns
        -------
        interval : ConfidenceInterval
            With the fields `low` and `high`, which are arrays for many comparisons. NaN
            if the uncertainty is undefined for this sample. For a score of 1, `low` is
            the lowest score that this sample does not exclude.

        Raises
        ------
        ValueError
            If `confidence_level` is not above 0 and below 1.

        Warns
        -----
        UndefinedMetricWarning
            If an endpoint is NaN, with the reason.
        """
        low, high = interval = self._interval(confidence_level)
        unknown = np.isnan(np.ravel(low + high))
        if unknown.any():
            # A single interval needs no name.
            pairs = ""
            if unknown.size > 1:
                pairs = f" for {', '.join(compress(self._names, unknown))}"
            why = "there is a single unit or positive"
            if self.n_units > 1 and not np.all(self.standard_error):
                why = "all units have the same influence"
            elif np.isnan(getattr(self, "statistic", 0.0)).any():
                why = "a few units contain most of the positives"
            text = (
                f"The confidence interval is NaN{pairs}: {why}, so the variation "
                "between samples cannot be estimated. Add units that contain a "
                "positive."
            )
            warn_user(UndefinedMetricWarning(text))
        return interval

    def _interval(self, confidence_level: float) -> ConfidenceInterval[FloatOrArray]:
        """Return the interval without a warning if an endpoint is NaN."""
        raise NotImplementedError

    def _shown(self) -> dict[str, Any]:
        return super()._shown() | self._interval(0.95)._asdict()


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ScoreEstimate(ResultWithInterval[float]):
    """Score with its uncertainty, as :func:`estimate_score` returns it.

    .. versionadded:: 0.1

    Parameters
    ----------
    score : float
        Return value of the score function.

    standard_error : float
        Standard error of the score over samples like this one.

    df : float
        Degrees of freedom of the standard error.

    n_positives : int or float
        Effective number of positives. If there are weights, columns, or units of
        several rows, it is the number of equal positives that would give the same
        precision. For a mean over queries or samples, effective number of units.

    n_units : int
        Number of units that were sampled: rows, clusters or queries. Missed positives
        have no rows, so they are not counted.

    bias : float, default=nan
        Expected score of a sample minus the score of the population; NaN if unknown. In
        the interval of a mean over columns or fixed queries, twice the bias is
        subtracted from the lower endpoint, and the bias from the upper endpoint.
        Other intervals are not corrected for the bias.

    n_fixed_queries : int, default=0
        Number of queries, if every sample has the same queries, such as the classes of
        a detector; else 0.

    Examples
    --------
    >>> from sklearn_ap import ScoreEstimate
    >>> estimate = ScoreEstimate(
    ...     score=0.75, standard_error=0.05, df=19.0, n_positives=20, n_units=100
    ... )
    >>> print(estimate)
    0.75, 95 % interval 0.63 to 0.84
    >>> interval = estimate.confidence_interval(0.9)
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.654, 0.826)
    """

    score: float
    standard_error: float
    df: float
    n_positives: float
    n_units: int
    bias: float = np.nan
    n_fixed_queries: int = 0
    # The inputs of the interval that are not public fields.
    _interval_inputs: IntervalInputs = _NO_RULES

    def _interval(self, confidence_level: float) -> ConfidenceInterval[float]:
        # The constructor of a user passes public fields only.
        inputs = self._interval_inputs._replace(
            score=self.score,
            standard_error=self.standard_error,
            df=self.df,
            n_positives=self.n_positives,
            n_units=self.n_units,
        )
        confidence_level = read_confidence_level(confidence_level)
        return ConfidenceInterval(*endpoints_of(inputs, confidence_level))

    def __str__(self) -> str:
        """Return the score and its 95 % interval in one line."""
        drawn = f" ({self._drawn})" if self._drawn else ""
        return with_interval(self.score, *self._interval(0.95)) + drawn


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ScoreComparison(ResultWithInterval[float]):
    """The difference of two scores, as :func:`compare_scores` returns it.

    .. versionadded:: 0.1

    Parameters
    ----------
    difference : float
        The first score minus the second.

    scores : tuple of two floats
        Both scores.

    standard_error : float
        Standard error of the difference.

    statistic : float
        Difference divided by its standard error. For areas below .3 or above .75, it is
        the difference of their cube roots or angles (:func:`compare_scores`).

    df : float
        Degrees of freedom of the statistic. The interval may have other degrees of
        freedom.

    pvalue : float
        Probability of a difference at least as far from 0 if both models are equal. NaN
        if all units have the same difference, and it is not 0; and if a few units
        contain most of the positives, so that the variance cannot be estimated.

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
    pvalue: float
    n_units: int = 0
    n_fixed_queries: int = 0
    # Degrees of freedom of the interval; None if they are equal to `df`.
    _df_of_interval: float | None = None
    # The amount by which each score would fall if one more positive were ranked last.
    _lost_positives: tuple[float, float] = (0.0, 0.0)
    # Two estimates, from whose intervals a second interval of the difference is
    # computed. If one of its endpoints is farther out, this endpoint is used.
    _pair: EstimatePair | None = None
    # Largest difference: 1, as the scores of this package are between 0 and 1.
    _most: float = inf

    def _interval(self, confidence_level: float) -> ConfidenceInterval[float]:
        confidence_level = read_confidence_level(confidence_level)
        if isnan(self.pvalue):
            return ConfidenceInterval(nan, nan)
        tail = min(0.5 - confidence_level / 2, _MIDDLE)
        below, above = errors_with_lost_positives(
            self.standard_error, self._lost_positives
        )
        low = high = nan
        # `below` and `above` are 0 if all units have the same difference. If it is not
        # 0, an interval of width 0 would claim certainty, so the endpoints stay NaN.
        if below and above:
            df = self.df if self._df_of_interval is None else self._df_of_interval
            deviate = float(stdtrit(df, 1 - tail))
            low = self.difference - deviate * below
            high = self.difference + deviate * above
        elif self.pvalue == 1:
            # Both models agree on every unit.
            low = high = self.difference
        if self._pair is not None:
            low, high = farther_out((low, high), self._pair.endpoints(tail))
        if not isnan(low + high):
            risk = 1 - confidence_level
            endpoints = obeying_test((low, high), self.difference, self.pvalue, risk)
            low, high = np.clip(endpoints, -self._most, self._most).tolist()
        return ConfidenceInterval(low, high)

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


def with_interval(
    value: float,
    low: float,
    high: float,
    *,
    pvalue: float | None = None,
) -> str:
    """Return the text of a number with its 95 % interval, unless an endpoint is NaN,
    and with a p-value, if one is passed. A number with a p-value is a difference.
    """
    is_difference = pvalue is not None
    number, *endpoints = interval_texts(value, low, high, is_difference=is_difference)
    text = number
    if not isnan(low + high):
        text += f", 95 % interval {' to '.join(endpoints)}"
    if pvalue is not None:
        text += f", p {format_pvalue(pvalue)}"
    return text


class EstimatePair(NamedTuple):
    """Two estimates, from whose intervals the interval of their difference is computed
    (Zou and Donner 2008).
    """

    first: ScoreEstimate
    second: ScoreEstimate
    # Correlation of the errors of both scores.
    correlation: float

    def endpoints(self, tail: float) -> Endpoints:
        """Return the endpoints of the difference, with the probability `tail` beyond
        each of them.
        """
        confidence_level = 1 - 2 * tail
        first_low, first_high = self.first._interval(confidence_level)
        second_low, second_high = self.second._interval(confidence_level)
        first, second = self.first.score, self.second.score
        difference = first - second
        # The difference is low if the first score is low and the second one is high. So
        # the lower endpoint of one score is combined with the upper endpoint of the
        # other score.
        below = self._distance(first_low - first, second_high - second)
        above = self._distance(first_high - first, second_low - second)
        return difference - below, difference + above

    def _distance(self, of_first: float, of_second: float) -> float:
        """Return the distance of an endpoint from the difference, from the signed
        distances of an endpoint of each score. These have opposite signs, so a positive
        correlation reduces the sum.
        """
        squares = of_first**2 + of_second**2
        squares += 2 * self.correlation * of_first * of_second
        # Rounding may leave a square a little below 0. If it is NaN, `max` returns NaN,
        # since it is the first argument.
        return sqrt(max(squares, 0.0))


def read_confidence_level(confidence_level: object) -> float:
    """Return the confidence level as a float; raise ValueError if it is not valid."""
    if is_real(confidence_level) and 0 < confidence_level < 1:
        return float(confidence_level)
    raise ValueError(
        "confidence_level must be above 0 and below 1, such as 0.95; got "
        f"{confidence_level!r}."
    )

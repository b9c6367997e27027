"""Results: numbers with intervals, texts, dictionaries and data frames."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from math import nan
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from ..._core.reading.options import is_real
from ..._core.scorer_names import find_score, names_of_scorer
from ..._core.typing import FloatArray, ScoreFunction
from ..._core.user_messages import warn_user
from ..._shown.numbers import (
    WithInterval,
    cells_of,
    compared_texts,
    count_of,
    format_pvalue,
    short_share,
)
from ..._shown.tables import (
    SCHEMA_VERSION,
    PublicSignature,
    ShownAsText,
    aligned,
    data_frame,
    json_value,
)
from ..._shown.texts import printable
from ..sampling.one_more import NO_CHANGES, Changes
from .endpoints import (
    ConfidenceInterval,
    FloatOrArray,
    endpoints_of_difference,
    endpoints_of_independent,
    obeying,
)
from .places import Place, endpoints_of_places

if TYPE_CHECKING:
    from pandas import DataFrame

# Fields with a value for each of two models, and the name of one such value.
_OF_TWO = {"pairs": "model", "prevalences": "prevalence", "scores": "score"}
# Arguments of a score that have a value per row. No result keeps them.
_ARGUMENTS_OF_ROWS = {"sample_weight", "query_id"}


@dataclass(frozen=True, eq=False, repr=False)
class Result(ShownAsText):
    """Base of all results: numbers that print as text, and convert to a dictionary or a
    data frame.

    Two results are equal only if they are the same object: the comparison that
    `dataclass` would write fails for arrays, and NaN differs from NaN.
    """

    __signature__: ClassVar[PublicSignature] = PublicSignature()
    # The name of the score, and its options that the name does not contain. Texts,
    # dictionaries and data frames show them. Empty if the score is unknown.
    _score_name: str = field(default="", kw_only=True)
    _options: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    def _numbers(self) -> dict[str, Any]:
        """Return the public fields by name and, if the result has an interval, its 95 %
        endpoints. Fields with a value for each of two models become two numbers. Fields
        that are declared with `repr=False` are excluded.
        """
        numbers: dict[str, Any] = {}
        for each in fields(self):
            if not each.repr or each.name.startswith("_"):
                continue
            value = getattr(self, each.name)
            if each.name in _OF_TWO:
                noun = _OF_TWO[each.name]
                numbers[f"{noun}_a"], numbers[f"{noun}_b"] = np.transpose(value)
            else:
                numbers[each.name] = value
        return numbers

    def _json_values(self) -> dict[str, Any]:
        """Return the numbers as values that JSON can contain."""
        return {
            name: value._json_values()
            if isinstance(value, Result)
            else json_value(value)
            for name, value in self._numbers().items()
        }

    def _title(self) -> str:
        """Return the class and the name of the score."""
        title = super()._title()
        if self._score_name:
            title += f" of {self._score_name}"
        return title

    def _with_score(self, score: ScoreFunction, params: Mapping[str, Any]) -> Self:
        """Return the result with the name of its score and its options."""
        name, _ = names_of_scorer(score, params)
        # A name such as "precision@20" contains an option.
        _, in_name = find_score(name) or (None, {})
        options = {
            option: json_value(value)
            for option, value in params.items()
            if option not in _ARGUMENTS_OF_ROWS | in_name.keys()
            and (option != "n_positives" or is_real(value))
        }
        return replace(self, _score_name=name, _options=options)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as a dictionary that `json.dumps` can write.

        Returns
        -------
        numbers : dict
            The version of the keys (``"schema"``), the class as ``"kind"``, such as
            ``"score_estimate"``, and the fields. If the result is of a score of this
            package, its name is ``"score_name"``, and ``"options"`` contains the
            options that the name does not contain. The endpoints of intervals are `low`
            and `high`, also in the ``"shares"`` of an operating point, and their
            ``"confidence_level"`` is 0.95. Arrays are lists. NaN and infinite numbers
            are None, because JSON cannot contain them. The two models and the two
            scores of a comparison have a key each, as in `to_frame`.
        """
        kind = re.sub("(?<!^)(?=[A-Z])", "_", type(self).__name__).lower()
        numbers: dict[str, Any] = {"schema": SCHEMA_VERSION, "kind": kind}
        if self._score_name:
            numbers["score_name"] = self._score_name
            numbers["options"] = self._options
        return numbers | {"confidence_level": 0.95} | self._json_values()

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame with one row, or with one row per pair of models.

        Returns
        -------
        frame : pandas.DataFrame
            The name of the score as `score_name`, if it is known, the fields and, if
            there is a 95 % interval, its endpoints `low` and `high`. The two models and
            the two scores of a comparison have a column each.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        columns: dict[str, Any] = {}
        if self._score_name:
            columns["score_name"] = self._score_name
        columns |= self._numbers()
        # A number that holds for all pairs of models is repeated in each row.
        n_rows = max(map(np.size, columns.values()))
        return data_frame(
            {name: np.broadcast_to(value, n_rows) for name, value in columns.items()}
        )


class ResultWithInterval(Result, Generic[FloatOrArray]):
    """An estimate or a comparison, with its interval at any confidence level."""

    df: float | FloatArray
    n_units: int
    n_fixed_queries: int
    n_units_per_row: int

    @property
    def _drawn(self) -> str:
        """The numbers of fixed queries and of units drawn, as text. Empty unless
        queries are fixed, or rows belong to two units.
        """
        drawn = count_of(self.n_units, "unit drawn", "units drawn")
        if self.n_units_per_row > 1:
            drawn += ", two per row"
        elif not self.n_fixed_queries:
            return ""
        if self.n_fixed_queries:
            queries = count_of(self.n_fixed_queries, "fixed query", "fixed queries")
            drawn = f"{queries}, {drawn}"
        return drawn

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
        level = read_confidence_level(confidence_level)
        low, high = interval = self._interval(level)
        if np.any(np.isnan(low + high)):
            warn_undefined("The confidence interval is NaN", self.df)
        return interval

    def _interval(self, confidence_level: float) -> ConfidenceInterval[FloatOrArray]:
        """Return the interval without a warning if an endpoint is NaN."""
        raise NotImplementedError

    def _numbers(self) -> dict[str, Any]:
        return super()._numbers() | self._interval(0.95)._asdict()

    def _json_values(self) -> dict[str, Any]:
        """Return the numbers, without the statistic where signs were counted."""
        numbers = super()._json_values()
        # The p-value of counted signs does not follow from the statistic. Their degrees
        # of freedom are None already, since they are infinite.
        if "statistic" in numbers:
            by_signs = np.array(numbers["test"]) == "signs"
            statistic = np.where(by_signs, None, numbers["statistic"])
            numbers["statistic"] = json_value(statistic)
        return numbers


def warn_undefined(what: str, df: float | FloatArray) -> None:
    """Warn that a number is NaN, and why: without degrees of freedom, there is only one
    unit or positive; with them, units do not vary.
    """
    why = "there is a single unit or positive"
    if np.all(np.greater(df, 0)):
        why = "all units have the same influence"
    text = (
        f"{what}: {why}, so the variation between samples cannot be estimated. Add "
        "units that contain a positive."
    )
    warn_user(UndefinedMetricWarning(text))


def read_confidence_level(confidence_level: object) -> float:
    """Return the confidence level as a float; raise ValueError if it is not valid."""
    if is_real(confidence_level) and 0 < confidence_level < 1:
        return float(confidence_level)
    raise ValueError(
        "confidence_level must be above 0 and below 1, such as 0.95; got "
        f"{confidence_level!r}."
    )


# --- one score, or two ----------------------------------------------------------------


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
        Effective number of positives in the rows; missed ones do not count. If there
        are weights, columns, or units of several rows, it is the number of equal
        positives that would give the same precision. For a mean over queries or
        samples, effective number of units.

    n_units : int
        Number of units that were sampled: rows, clusters or queries. Missed positives
        have no rows, so they are not counted.

    n_fixed_queries : int, default=0
        Number of queries, if every sample has the same queries, such as the classes of
        a detector; else 0.

    n_units_per_row : int, default=1
        Number of units that each row belongs to: 2 if `unit_id` has two columns.

    Examples
    --------
    >>> from sklearn_ap import ScoreEstimate
    >>> estimate = ScoreEstimate(
    ...     score=0.75, standard_error=0.05, df=19.0, n_effective=20, n_units=100
    ... )
    >>> print(estimate)
    0.75, 95 % interval 0.63 to 0.85
    >>> interval = estimate.confidence_interval(0.9)
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.649, 0.834)
    """

    score: float
    standard_error: float
    df: float
    n_effective: float
    n_units: int
    n_fixed_queries: int = 0
    n_units_per_row: int = 1
    # How one more event would change the score.
    _changes: Changes = NO_CHANGES
    # Places of the threshold of a recall, or of the first rows, in this sample. Without
    # any, the interval is that of the score itself.
    _places: Sequence[Place] = ()

    def _interval(self, confidence_level: float) -> ConfidenceInterval[float]:
        here = Place(self.score, self.standard_error, self._changes)
        places = self._places or [here]
        return ConfidenceInterval(
            *endpoints_of_places(places, self.score, self.df, confidence_level)
        )

    def __str__(self) -> str:
        """Return the score and its 95 % interval in one line."""
        drawn = f" ({self._drawn})" if self._drawn else ""
        return f"{WithInterval(self.score, *self._interval(0.95))}{drawn}"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ScoreComparison(ResultWithInterval[float]):
    """The difference of two scores.

    :func:`compare_scores` and :func:`compare_samples` return it.

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
        over queries or samples, that of the scores (:func:`compare_scores`). NaN for a
        permutation test.

    df : float
        Degrees of freedom of the statistic; infinite if the p-value counts signs, and
        NaN for a permutation test. The interval may have other degrees of freedom.

    test : {'t', 'signs', 'permutation'} or None
        Whether the p-value is that of a t test, counts signs, or is that of a
        permutation test (:func:`compare_samples`); None without a test. The JSON of
        the other two tests has neither the statistic nor `df`.

    pvalue : float
        Probability of a difference at least as far from 0 if both models are equal. NaN
        if all units have the same difference, and it is not 0, or if there is a single
        unit or positive.

    n_units : int, default=0
        Number of units that were sampled: rows, clusters or queries. Missed positives
        are not counted.

    n_fixed_queries : int, default=0
        Number of queries, if every sample has the same queries; else 0.

    n_units_per_row : int, default=1
        Number of units that each row belongs to: 2 if `unit_id` has two columns.

    design : {'same rows', 'paired', 'independent'}, default='same rows'
        Whether both scores are of the same rows, of two samples whose units were
        matched, or of two independent samples.

    n_shared_units : int or None, default=None
        Number of units that are in both samples, if `design` is ``'paired'``.

    prevalences : tuple of two floats, default=(nan, nan)
        Share of positives among the rows of each score. The same model has a lower
        score where fewer rows are positive.

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
    0.750 against 0.500, difference 0.25, 95 % interval 0.04 to 0.46, p = 0.020
    (two-sided; same rows)
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
    n_units_per_row: int = 1
    design: str = "same rows"
    n_shared_units: int | None = None
    prevalences: tuple[float, float] = (nan, nan)
    # Degrees of freedom of the interval; None if they are equal to `df`.
    _df_of_interval: float | None = None
    # How much one more event would lower the difference, and how much one would raise
    # it.
    _lowering: float = 0.0
    _raising: float = 0.0
    # Bias of the difference of two means over columns or fixed queries.
    _bias: float = 0.0
    # The estimates of independent samples, whose intervals make that of the difference.
    # Empty if it is a t interval.
    _estimates: tuple[ScoreEstimate, ...] = ()

    def _interval(self, confidence_level: float) -> ConfidenceInterval[float]:
        if self._estimates:
            own = [each._interval(confidence_level) for each in self._estimates]
            endpoints = endpoints_of_independent(self.scores, own)
        else:
            df = self.df if self._df_of_interval is None else self._df_of_interval
            endpoints = endpoints_of_difference(
                self.difference,
                self.standard_error,
                df,
                lowering=self._lowering,
                raising=self._raising,
                bias=self._bias,
                confidence_level=confidence_level,
            )
        return ConfidenceInterval(
            *obeying(endpoints, self.difference, self.pvalue, confidence_level)
        )

    @property
    def _design(self) -> str:
        """The design, with what a reader of the difference must know."""
        design = self.design
        if self.n_shared_units is not None:
            shared = count_of(self.n_shared_units, "shared unit", "shared units")
            design += f", {shared}"
        if self.design == "independent":
            shares = " and ".join(map(short_share, self.prevalences))
            design += f", {shares} of rows positive"
        return design

    def __str__(self) -> str:
        """Return both scores, their difference, its 95 % interval if there is one, and
        the p-value.
        """
        interval = self._interval(0.95)
        difference = WithInterval(self.difference, *interval, is_difference=True)
        texts = compared_texts(*self.scores, decimals=difference.decimals)
        notes = ["two-sided", self._design, self._drawn]
        is_equal = self.pvalue == 1 and not self.standard_error
        # Two independent samples may both be perfect, but have no units in common.
        if is_equal and self.design != "independent":
            # They may differ on other units, so the interval may have a width.
            notes.append("the two models agree on every unit of the sample")
        return (
            f"{' against '.join(texts)}, difference {difference}, "
            f"p {format_pvalue(self.pvalue)} ({'; '.join(filter(None, notes))})"
        )


# --- many differences -----------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ManyComparisons(ResultWithInterval[FloatArray]):
    """Differences between many models, as returned by :func:`compare_many`.

    Parameters
    ----------
    pairs : tuple of pairs of str
        Names of the models of each difference: the first one minus the second one.

    difference : ndarray of shape (n_pairs,)
        The score of the first model minus the score of the second model.

    scores : ndarray of shape (n_pairs, 2)
        Both scores of each pair.

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

    n_units_per_row : int, default=1
        As for :class:`ScoreComparison`.

    design : {'same rows'}
        All models have the same rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import average_precision_score, compare_many
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.repeat([1, 0], [50, 450])
    >>> scores = {
    ...     name: y_true * shift + rng.normal(size=500)
    ...     for name, shift in [("A", 2), ("B", 1)]
    ... }
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
    n_units_per_row: int = 1
    design: str = "same rows"
    # The comparison of each pair without adjustment, which computes the intervals.
    _comparisons: tuple[ScoreComparison, ...] = ()

    @property
    def _n_tested(self) -> int:
        """Number of tests. A pair is not tested if the two models agree on every unit,
        or if its p-value is NaN.
        """
        return len(self.test) - self.test.count(None)

    def _interval(self, confidence_level: float) -> ConfidenceInterval[FloatArray]:
        risk = 1 - confidence_level
        level_of_pair = 1 - risk / max(self._n_tested, 1)
        endpoints = [each._interval(level_of_pair) for each in self._comparisons]
        return ConfidenceInterval(*np.array(endpoints).T)

    @property
    def _tests(self) -> str:
        """The number of tests, how they were adjusted, and what was drawn, as text."""
        how = "; ".join(filter(None, ("two-sided", self.design, self._drawn)))
        tests = count_of(self._n_tested, "test", "tests")
        if self._n_tested > 1:
            tests = f"adjusted for {tests} by Bonferroni"
        return f"{tests} ({how})"

    @property
    def _differences(self) -> list[WithInterval]:
        """The difference of each pair, with its simultaneous 95 % interval."""
        rows = zip(self.difference, *self._interval(0.95), strict=True)
        return [WithInterval(*row, is_difference=True) for row in rows]

    @property
    def _decimals(self) -> int:
        """The decimals with which the differences are shown."""
        return max(difference.decimals for difference in self._differences)

    def _cells(self) -> list[list[str]]:
        """Return a header, and for each pair its difference, simultaneous 95 % interval
        and p-value, as texts.
        """
        numbers = cells_of(self._differences)
        pvalues = [
            format_pvalue(pvalue).removeprefix("= ").replace("nan", "-")
            for pvalue in self.pvalue.tolist()
        ]
        rows = [[*row, p] for row, p in zip(numbers, pvalues, strict=True)]
        return [["difference", "95 % interval", "p"], *rows]

    def __str__(self) -> str:
        """Return the name of the score, how many tests were made, and a table with one
        line per pair: both scores, their difference, its interval and the p-value.
        """
        title = "Difference" if len(self.pairs) == 1 else "Differences"
        if self._score_name:
            title += f" in {self._score_name}"
        names = [printable(f"{first} - {second}") for first, second in self.pairs]
        scores = compared_texts(*np.ravel(self.scores), decimals=self._decimals)
        rows = zip(names, scores[::2], scores[1::2], strict=True)
        table = zip([["models", "first", "second"], *rows], self._cells(), strict=True)
        lines = aligned([*row, *cells] for row, cells in table)
        return "\n".join([f"{title}: {self._tests}", *lines])

"""The base classes of all results: they add intervals, texts, dictionaries and data
frames to numbers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from inspect import Signature, signature
from itertools import compress
from math import isnan
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from ..._core.reading.options import is_real
from ..._core.scorer_names import read_name, scorer_name
from ..._core.typing import FloatArray, ScoreFunction
from ..._core.user_messages import warn_user
from ..._shown.numbers import format_pvalue, interval_texts
from ..._shown.tables import SCHEMA_VERSION, ShownAsText, data_frame, json_value
from .endpoints import ConfidenceInterval, FloatOrArray

if TYPE_CHECKING:
    from pandas import DataFrame

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
class Result(ShownAsText):
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
            and `high`, also in the ``"shares"`` of an operating point, and their
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
            for name, value in self._in_json().items()
        }

    def _in_json(self) -> dict[str, Any]:
        """Return the values that `to_dict` has."""
        return self._shown()

    def _columns(self) -> dict[str, Any]:
        """Return the values of `to_frame` by column, before pairs are divided."""
        return self._shown()

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame with one row, or with one row per pair of models.

        Returns
        -------
        frame : pandas.DataFrame
            The name of the score as `score_name`, if it is known, the fields and, if
            there is a 95 % interval, its endpoints `low` and `high`. The two models and
            the two scores of a comparison have a column each. The numbers of a
            threshold that was fixed beforehand have columns such as `recall_low`.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        columns: dict[str, Any] = {}
        if self._score is not None:
            columns["score_name"], _ = scorer_name(*self._score)
        for name, value in self._columns().items():
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
    df: float | FloatArray
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
            if np.all(np.greater(self.df, 0)) and not np.all(self.standard_error):
                why = "all units have the same influence"
            warn_undefined(f"The confidence interval is NaN{pairs}", why)
        return interval

    def _interval(self, confidence_level: float) -> ConfidenceInterval[FloatOrArray]:
        """Return the interval without a warning if an endpoint is NaN."""
        raise NotImplementedError

    def _shown(self) -> dict[str, Any]:
        return super()._shown() | self._interval(0.95)._asdict()


def warn_undefined(what: str, why: str) -> None:
    """Warn that a number is NaN, and why."""
    text = (
        f"{what}: {why}, so the variation between samples cannot be estimated. Add "
        "units that contain a positive."
    )
    warn_user(UndefinedMetricWarning(text))


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


def read_confidence_level(confidence_level: object) -> float:
    """Return the confidence level as a float; raise ValueError if it is not valid."""
    if is_real(confidence_level) and 0 < confidence_level < 1:
        return float(confidence_level)
    raise ValueError(
        "confidence_level must be above 0 and below 1, such as 0.95; got "
        f"{confidence_level!r}."
    )

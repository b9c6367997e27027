"""The numbers of a threshold: their texts, and their intervals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, isinf, isnan, nan
from typing import TYPE_CHECKING, Any, NamedTuple

from .._core.reading.options import check_option, read_beta
from .._shown.numbers import WithInterval, cells_of, count_text, short_share
from .._shown.tables import aligned, json_value
from .._uncertainty import ConfidenceInterval, Result, read_confidence_level
from .conditions import Condition
from .confusion_matrix import FN, FP, OF_ONE_CLASS, SHARES, ConfusionMatrix
from .wording import PLAIN, Basis

if TYPE_CHECKING:
    from pandas import DataFrame


class ConditionNumber(NamedTuple):
    """The number that a condition bounds or optimizes, at the chosen threshold."""

    # As shown in texts, such as "recall", "F2" or "miss_cost".
    name: str
    value: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OperatingPoint(Result):
    """One threshold of a ranking.

    :func:`operating_point` returns it. The threshold retrieves all rows with ``y_score
    >= threshold``. Rows of weight 0 are not counted. The numbers have intervals if the
    threshold was fixed beforehand. If the threshold was chosen on these rows, its
    numbers are too good: those of other rows would mostly be lower.

    Parameters
    ----------
    threshold : float or int
        The lowest score that is retrieved: one of the scores, unless the threshold was
        fixed beforehand.

    precision : float
        Share of positives among the rows retrieved, in weight; NaN if no row is
        retrieved.

    recall : float
        Share of all positives, found or missed, that is retrieved, in weight; also
        called sensitivity.

    specificity : float
        Share of all negatives that is not retrieved, in weight; NaN without negatives.

    negative_predictive_value : float
        Share of negatives among all that is not retrieved, which includes the missed
        positives, in weight; NaN if everything is retrieved.

    n_retrieved : int
        Number of rows retrieved.

    false_alarms : int
        Number of negative rows retrieved. Weights are ignored.

    share_retrieved : float
        Share of all rows that is retrieved; at a `prevalence`, share of the population.

    weight_found : float
        Weight of the positives retrieved; without weights, their number.

    weight_retrieved : float, default=nan
        Weight of the rows retrieved; without weights, their number.

    share_of_weight_retrieved : float, default=nan
        Weight of the rows retrieved, divided by the weight of all rows.

    Notes
    -----
    The intervals are Wilson's [1]_, whose mean coverage is close to the confidence
    level [2]_. If units have several rows, or rows have different weights, it is the
    interval of Clopper and Pearson with the effective sample size of Korn and Graubard
    [3]_ (:func:`estimate_score`). At a `prevalence`, only recall and specificity have
    intervals.

    References
    ----------
    .. [1] E. B. Wilson, "Probable inference, the law of succession, and statistical
       inference", JASA 22, 1927. :doi:`10.1080/01621459.1927.10502953`
    .. [2] L. D. Brown, T. T. Cai, A. DasGupta, "Interval estimation for a binomial
       proportion", Statistical Science 16, 2001. :doi:`10.1214/ss/1009213286`
    .. [3] E. L. Korn, B. I. Graubard, "Confidence intervals for proportions with small
       expected number of positive counts estimated from survey data", Survey
       Methodology 24, 1998, pp. 193-201.

    Examples
    --------
    >>> from sklearn_ap import operating_point
    >>> point = operating_point([1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5], recall=0.5)
    >>> point.threshold, point.precision, point.recall
    (0.6, 0.75, 1.0)
    >>> round(point.f_score(), 3), round(point.f_score(beta=0.5), 3)
    (0.857, 0.789)

    A threshold that was fixed beforehand:

    >>> y_true, y_score = [1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> point = operating_point(y_true, y_score, threshold=0.7)
    >>> low, high = point.confidence_interval(number="recall")
    >>> print(f"{point.recall:.2f}, {low:.2f} to {high:.2f}")
    0.67, 0.21 to 0.94
    """

    threshold: float
    precision: float
    recall: float
    specificity: float
    negative_predictive_value: float
    n_retrieved: int
    false_alarms: int
    share_retrieved: float
    weight_found: float
    weight_retrieved: float = nan
    share_of_weight_retrieved: float = nan
    # The threshold as text, with as few digits as retrieve the same rows; empty if it
    # is infinite, or was fixed beforehand.
    _short_text: str = ""
    _basis: Basis = PLAIN
    # The confusion matrix, with missed positives; None if the threshold was chosen.
    _matrix: ConfusionMatrix | None = None
    # That of the rows, without their weights and without missed positives, of which
    # `share_retrieved` is a share.
    _matrix_of_rows: ConfusionMatrix | None = None
    # None if the condition is `k`, since the sentence shows the number of rows anyway,
    # or if the threshold was fixed beforehand.
    _condition_number: ConditionNumber | None = None

    def __str__(self) -> str:
        """Return a sentence about the rows that the threshold retrieves; for a fixed
        threshold, a table of its six numbers.
        """
        return "\n".join([self._sentence(), *aligned(self._cells())])

    def _cells(self) -> list[list[str]]:
        """Return a header, and each number of a threshold that was fixed beforehand:
        its name, its value and its 95 % interval, as texts. A chosen one has no table.
        """
        if self._matrix is None:
            return []
        words = {name: name.replace("_", " ") for name in SHARES}
        words["f_score"] = "F1"
        # Without a prevalence, the share retrieved is a share of the number of rows.
        # All other numbers are shares of weights.
        if self._basis.prevalence is None:
            words["share_retrieved"] = "share of these rows retrieved"
            if self._basis.has_weights:
                words["share_retrieved"] += ", without weights"
        shares = self._shares()
        numbers = cells_of([WithInterval(**share) for share in shares.values()])
        rows = [
            [words[name], *texts] for name, texts in zip(shares, numbers, strict=True)
        ]
        return [["at this threshold", "value", "95 % interval"], *rows]

    def _json_values(self) -> dict[str, Any]:
        """Return the fields, and the shares with their intervals."""
        return super()._json_values() | {"shares": json_value(self._shares())}

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame with one row.

        Returns
        -------
        frame : pandas.DataFrame
            The fields. For a threshold that was fixed beforehand, also `f_score`, and
            the endpoints of the 95 % interval of each share, such as `recall_low`.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        frame = super().to_frame()
        if self._matrix is not None:
            for name, share in self._shares().items():
                frame[name] = share["value"]
                frame[f"{name}_low"] = share["low"]
                frame[f"{name}_high"] = share["high"]
        return frame

    def f_score(self, beta: float = 1.0) -> float:
        r"""F-beta: the weighted harmonic mean of precision and recall.

        .. math::
            F_\beta = \frac{(1 + \beta^2) P R}{\beta^2 P + R}

        Without missed positives it equals :func:`sklearn.metrics.fbeta_score` of
        ``y_score >= threshold``.

        Parameters
        ----------
        beta : float, default=1.0
            Recall counts `beta` times as much as precision. F-beta is the precision for
            0, and the recall for infinity.

        Returns
        -------
        f_beta : float
            In [0, 1]; 0.0 if precision and recall are 0.
        """
        beta = read_beta(beta)
        square = beta * beta
        # If `square` overflows, it is infinite, and F-beta is then the recall.
        if isinf(square) or not self.recall > 0:
            # Without positives, the recall is NaN.
            return 0.0 if isnan(self.recall) else self.recall
        return (
            (1 + square)
            * self.precision
            * (self.recall / (square * self.precision + self.recall))
        )

    def confidence_interval(
        self, confidence_level: float = 0.95, *, number: str
    ) -> ConfidenceInterval[float]:
        """Confidence interval of a number, if the threshold was fixed beforehand.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Above 0 and below 1.

        number : str
            ``'precision'``, ``'recall'``, ``'specificity'``,
            ``'negative_predictive_value'``, ``'share_retrieved'`` or ``'f_score'``
            (F1).

        Returns
        -------
        interval : ConfidenceInterval
            With the fields `low` and `high`. Both are NaN if the number is NaN, if it
            is the recall of rows without positives, if a single unit has all of the
            weight of several rows, or if missed positives have unknown weights.

        Raises
        ------
        ValueError
            If the threshold was chosen on these rows, if a prevalence was passed and
            the number depends on it, if the number is not one of these names, or if the
            confidence level is not between 0 and 1.
        """
        confidence_level = read_confidence_level(confidence_level)
        check_option("number", number, SHARES)
        matrix = self._matrix_of(number)
        if self._matrix is None:
            raise ValueError(
                f"{number} has no interval, because the threshold was chosen on these "
                f"rows: pass threshold={self.threshold!r} with other rows. For these "
                "rows, estimate_score returns the interval of scores such as "
                "precision_at_recall_score."
            )
        if matrix is None:
            raise ValueError(
                "number must be 'recall' or 'specificity' if a prevalence was passed, "
                f"because other numbers have no interval then; got {number!r}."
            )
        return ConfidenceInterval(*matrix.interval(number, confidence_level))

    def _matrix_of(self, number: str) -> ConfusionMatrix | None:
        """Return the confusion matrix of a number that has an interval; None if it has
        none. At a prevalence, numbers of both classes have none.
        """
        if self._basis.prevalence is not None and number not in OF_ONE_CLASS:
            return None
        return self._matrix_of_rows if number == "share_retrieved" else self._matrix

    def _shares(self) -> dict[str, dict[str, Any]]:
        """Return the "value" of each share, such as the recall, with the endpoints of
        its 95 % interval, "low" and "high"; NaN if it has none. The share that the
        condition bounds is first.
        """
        names = [*SHARES]
        first = self._condition_number
        if first is not None and first.name in SHARES:
            # The second time that this name occurs, its place in the dictionary stays.
            names.insert(0, first.name)
        shares = {}
        for name in names:
            value = self.f_score() if name == "f_score" else getattr(self, name)
            low = high = nan
            matrix = self._matrix_of(name)
            if matrix is not None:
                low, high = matrix.interval(name, 0.95)
            shares[name] = {"value": value, "low": low, "high": high}
        return shares

    def _threshold_text(self) -> str:
        """Return the threshold as text, with as few digits as retrieve the same rows;
        with all digits if it was fixed beforehand.
        """
        return self._short_text or str(self.threshold).removesuffix(".0")

    def _chosen_numbers(self) -> Iterable[str]:
        """Return the numbers of a chosen threshold, as texts: the number that the
        condition bounds or optimizes, and then precision and recall.
        """
        texts = {
            name: f"{name} {_share_text(getattr(self, name))}"
            for name in ("precision", "recall")
        }
        if self._condition_number is not None:
            name, value = self._condition_number
            text = f"{name} {_share_text(value)}"
            # The unit of costs is a false alarm. A sum of costs may be infinite.
            if name in ("false_alarms", "miss_cost"):
                noun = "false alarm" if value == 1 else "false alarms"
                text = f"{count_text(value)} {noun}"
            if name == "miss_cost":
                text = f"a cost of {text}"
            texts = {name: text} | texts
        return texts.values()

    def _sentence(self) -> str:
        """Return the sentence about the rows that the threshold retrieves; for one that
        was fixed beforehand, the line above the table of its numbers.
        """
        scores = f"{self._threshold_text()} or more"
        weight = ""
        if self._basis.has_weights:
            weight = (
                f" (sample_weight {count_text(self.weight_retrieved)}, "
                f"{100 * self.share_of_weight_retrieved:.3g} % of all)"
            )
        rows = f"{self.n_retrieved:,} rows{weight} with scores of {scores} have"
        if self.n_retrieved == 1:
            rows = f"1 row{weight} with a score of {scores} has"
        if isinf(self.threshold) and self._matrix is None:
            rows = (
                "no row is retrieved, since a threshold must be above all scores: it "
                "has"
            )
        if self._matrix is not None:
            return f"{rows} these numbers{self._basis.clause}:"
        *first, last = self._chosen_numbers()
        return f"{rows} {', '.join(first)} and {last}{self._basis.clause}."

    def _number_of(
        self, condition: Condition, matrix: ConfusionMatrix
    ) -> ConditionNumber | None:
        """Return the number that a condition bounds or optimizes, at this threshold.

        Return None for `k` (`_condition_number`).
        """
        name, level = condition
        if name == "k":
            return None
        if name == "miss_cost":
            sums = matrix.at_prevalence(self._basis.prevalence).sums
            return ConditionNumber(name, level * sums[FN] + sums[FP])
        if name == "beta":
            if 0 < level < inf:
                return ConditionNumber(f"F{level:g}", self.f_score(level))
            # F-beta is the precision for a beta of 0, and the recall for infinity.
            name = "recall" if level else "precision"
        return ConditionNumber(name, getattr(self, name))


def _share_text(value: float) -> str:
    """Return the text of a share."""
    return "undefined" if isnan(value) else short_share(value)

"""Operating points: one threshold of a ranking, chosen by one condition.

`CandidatePoints` are all thresholds; a `Condition` says which of them are allowed, and which is the best.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import inf, isinf, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._api import curve_in
from .._public import warn_user
from .._ranking._cut import cut_depth
from .._ranking._prevalence import reweighted
from .._ranking._rankings import OperatingPoints, rows_reaching
from .._reading._options import read_beta, read_k, read_level, read_miss_cost, read_prevalence
from .._reading._queries import read_totals, totals_of_rankings
from .._reading._read import Checked, read
from .._rounding import EQUAL
from .._typing import BoolArray, FloatArray, Input, Label, Totals
from .._uncertainty._results import Result
from ._by_query import BudgetTotals, read_budgets

_NO_THRESHOLD = " No single threshold keeps to each budget, since more rows share the highest score."


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OperatingPoint(Result):
    """One threshold of a ranking, and what it retrieves: all rows with ``y_score >= threshold``.

    :func:`operating_point` returns it. Rows of weight 0 are not counted.

    .. versionadded:: 0.1

    Parameters
    ----------
    threshold : float or int
        A score that occurs; a number of Python, or of `y_score` if Python has no such number. NaN if `k` is a
        budget per query that every threshold exceeds somewhere, since too many rows share the highest score;
        the point then retrieves no rows, and `totals` says what the budgets find.

    precision : float
        Share of positives among the rows retrieved, in weight; NaN without rows.

    recall : float
        Share of all positives, found or missed, that was retrieved, in weight.

    n_retrieved : int
        Number of rows retrieved.

    share_retrieved : float
        The same as a share of all rows, in (0, 1].

    weight_found : float
        Weight of the positives retrieved; without weights, their number.

    totals : BudgetTotals, default=None
        If `k` is a budget per `query_id`: what the `k` first rows of each query find in all. The one
        threshold, which exceeds no budget, retrieves fewer rows.

    Examples
    --------
    >>> from sklearn_ap import operating_point
    >>> point = operating_point([1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5], recall=0.5)
    >>> point.threshold, point.precision, point.recall
    (0.6, 0.75, 1.0)
    >>> round(point.f_score(), 3), round(point.f_score(beta=0.5), 3)
    (0.857, 0.789)
    """

    threshold: float
    precision: float
    recall: float
    n_retrieved: int
    share_retrieved: float
    weight_found: float
    totals: BudgetTotals | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        """Return a sentence: what a budget per query finds in all, or else what the threshold retrieves."""
        if self.totals is not None:
            return str(self.totals) + _NO_THRESHOLD * (self.threshold != self.threshold)
        return point_sentence(str(self.threshold), self.n_retrieved, self.precision, self.recall)

    def f_score(self, beta: float = 1.0) -> float:
        r"""F-beta of the rows retrieved: the weighted harmonic mean of precision and recall.

        .. math::
            F_\beta = \frac{(1 + \beta^2) P R}{\beta^2 P + R}

        Without missed positives it is :func:`sklearn.metrics.fbeta_score` of ``y_score >= threshold``.

        Parameters
        ----------
        beta : float, default=1.0
            Recall counts `beta` times as much as precision; 0 is the precision, infinity is the recall.

        Returns
        -------
        f_beta : float
            In [0, 1]; 0.0 if precision and recall are 0.
        """
        square = read_beta(beta)
        square *= square  # infinity if it overflows
        divisor = square * self.precision + self.recall
        if isinf(square) or not divisor:
            return self.recall
        return (1 + square) * self.precision * (self.recall / divisor)


def point_sentence(threshold: str, n_retrieved: int, precision: float, recall: float) -> str:
    """Return what a threshold retrieves."""
    rows, have = f"{n_retrieved:,} rows with scores", "have"
    if n_retrieved == 1:
        rows, have = "1 row with a score", "has"
    return f"{rows} of {threshold} or more {have} precision {precision:.4g} and recall {recall:.4g}."


def operating_point(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    recall: float | None = None,
    precision: float | None = None,
    k: int | float | None = None,
    beta: float | None = None,
    miss_cost: float | None = None,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    query_id: ArrayLike | None = None,
    n_positives: Totals | None = None,
    prevalence: float | None = None,
    unit_id: ArrayLike | None = None,
) -> OperatingPoint:
    """Threshold that is best at a recall or a precision, within a budget, by F-beta or by the cost of a miss.

    Exactly one of `recall`, `precision`, `k`, `beta` and `miss_cost` is given. The threshold is a score that
    occurs, so ``y_score >= threshold`` and :class:`sklearn.model_selection.FixedThresholdClassifier` retrieve
    exactly the rows that were counted here.

    .. versionadded:: 0.1

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels; any labels if `pos_label` is given.

    y_score : array-like of shape (n_samples,)
        Scores; the highest is retrieved first. Probabilities, decision values or any other numbers.

    recall : float, default=None
        The best precision at this recall or more, in [0, 1].

    precision : float, default=None
        The best recall at this precision or more, in [0, 1].

    k : int or float, default=None
        The most rows that fit into a budget: an int counts rows, a float in (0, 1] is a share of the rows
        (rounded, at least one row). Rows of equal score are retrieved together, so there may be fewer.

    beta : float, default=None
        The best F-beta [1]_, as :func:`sklearn.metrics.fbeta_score` computes it: recall counts `beta` times
        as much as precision. 0 is the best precision, infinity is the best recall.

    miss_cost : float, default=None
        The least cost, where a missed positive costs as much as `miss_cost` false alarms [3]_ [4]_: the
        threshold maximises ``miss_cost * TP - FP``, in weight. With the amount of each fraud as its weight,
        and the cost of a review as that of the others, ``miss_cost=1`` maximises money.

    pos_label : int, float, bool or str, default=None
        Label of the positive class; by default 1, if the labels are in {0, 1} or {-1, 1}.

    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights, not negative. Rows of weight 0 are dropped before anything is ranked or counted. `k`
        still counts rows.

    query_id : array-like of shape (n_samples,), default=None
        Query of each sample, such as its day; only with `k`, which is then the budget of each query: this one
        threshold exceeds it nowhere, and ``point.totals`` says what the first `k` rows of all queries find.
        Where more rows share the highest score than a budget has, the threshold is NaN.

    n_positives : float or mapping, default=None
        Total number of positives, found or missed (with weights, their total weight); with `query_id`, a
        mapping {query: total}. By default, the positives in `y_true`.

    prevalence : float, default=None
        Share of positives where the threshold will be used, as for :func:`average_precision_score`: precision
        and F-beta are those of rows whose negatives have the weight that this share requires.

    unit_id : array-like of shape (n_samples,), default=None
        With `query_id`: what was drawn together, such as the customer of each sample. Intervals of the totals
        take these as independent units; by default the queries.

    Returns
    -------
    point : OperatingPoint
        Among equally good thresholds the one with more recall, then the one with fewer rows. With `query_id`,
        its text is the sentence of the totals.

    Warns
    -----
    UserWarning
        If there is no positive; then precision and recall are 0.0 at all thresholds.

    Raises
    ------
    ValueError
        If no threshold meets the condition: the text names the best that one does. If not exactly one
        condition is given, or a condition is outside its values. For what
        :func:`sklearn.metrics.precision_recall_curve` refuses; for empty input, masked values, negative or
        extreme weights, and `n_positives` below the positives in `y_true`.

    See Also
    --------
    precision_at_recall_score : The precision alone, as a score for queries, columns and scorers.
    recall_at_precision_score : The recall alone.
    sklearn.model_selection.FixedThresholdClassifier : A classifier that uses the threshold.
    sklearn.model_selection.TunedThresholdClassifierCV : Chooses a threshold by cross-validation.

    Notes
    -----
    Precision and recall are compared with a level in float64, so ``point.recall >= recall`` is true of the
    point: a recall of 4/5 reaches 0.8. Sums of weights that are not whole are rounded, and may miss a level
    by the last digits. The end point (recall 0, precision 1) of
    :func:`sklearn.metrics.precision_recall_curve` is not a threshold and takes no part [2]_.

    A threshold that is chosen on some rows is too good for these rows: report precision and recall on others.

    References
    ----------
    .. [1] C. J. van Rijsbergen, "Information Retrieval", 2nd edition, chapter 7, Butterworths, 1979.
    .. [2] `scikit-learn issue 20266 <https://github.com/scikit-learn/scikit-learn/issues/20266>`_
    .. [3] C. Elkan, "The foundations of cost-sensitive learning", IJCAI 2001.
       https://cseweb.ucsd.edu/~elkan/rescale.pdf. pROC weighs the same two costs by ``best.weights``:
       :doi:`10.1186/1471-2105-12-77`
    .. [4] Asked in scikit-learn issues 8614, 16525 and 17976, and in precrec issue 24.

    Examples
    --------
    >>> from sklearn_ap import operating_point
    >>> y_true, y_score = [1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> operating_point(y_true, y_score, recall=0.5).threshold
    0.6
    >>> operating_point(y_true, y_score, precision=0.9).recall
    0.3333333333333333

    A budget of three rows, where three rows share the second score:

    >>> operating_point([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.5], k=3).n_retrieved
    1
    >>> round(operating_point(y_true, y_score, beta=1).f_score(), 3)
    0.857

    A missed positive costs as much as a fifth of a false alarm, or as two:

    >>> operating_point(y_true, y_score, miss_cost=0.2).threshold
    0.9
    >>> operating_point(y_true, y_score, miss_cost=2).threshold
    0.6

    What the first row of each day finds, where each row has an amount:

    >>> day, amount = ["Mon", "Tue", "Mon", "Tue", "Tue"], [100, 20, 50, 30, 10]
    >>> print(operating_point(y_true, y_score, k=1, query_id=day, sample_weight=amount))
    1 row per query over 2 queries finds 1 of 3 positives, 100 of 180 by weight.
    """
    levels = {"recall": recall, "precision": precision, "k": k, "beta": beta, "miss_cost": miss_cost}
    condition = read_condition(query_id, **levels)
    prevalence = read_prevalence(prevalence)
    inputs = Input(y_true, y_score, "macro", pos_label, sample_weight, query_id)
    if query_id is None:
        if unit_id is not None:
            raise ValueError("unit_id requires query_id: without queries there are no totals of a budget.")
        totals, checked = None, read(inputs, caller="operating_point", as_curve=True)
        points = points_of(checked, prevalence, n_positives)
        allowed = condition.allowed(points)
    else:
        checked, totals, beyond = read_budgets(inputs, condition.level, n_positives, unit_id)
        points = points_of(checked, prevalence, None if n_positives is None else totals.positive_weight)
        # A threshold keeps to the budget of a query if it exceeds the best score that the query leaves out.
        allowed = np.all(points.threshold[:, np.newaxis] > beyond, axis=1)
    warn_without_positives(points.n_positives)
    if allowed.any():
        return replace(points.at(points.best(condition.value(points), allowed)), totals=totals)
    if totals is None:
        raise condition.refusal(points)
    nothing: dict[str, Any] = dict.fromkeys(("recall", "share_retrieved", "weight_found"), 0.0)
    return OperatingPoint(threshold=nan, precision=nan, n_retrieved=0, **nothing, totals=totals)


def points_of(checked: Checked, prevalence: float | None, n_positives: Totals | None) -> CandidatePoints:
    """Return all operating points of rows, at a prevalence if one is given."""
    if prevalence is not None:  # negatives get such weights that positives are this share
        weight = np.ones(checked.positive.size) if checked.weight is None else checked.weight
        passed = read_totals(n_positives, None)
        total = None if passed is None else totals_of_rankings(passed, 1, 1)
        weight = reweighted(checked.positive, weight, prevalence, n_positives=total)
        checked = checked._replace(weight=weight)
    curve = curve_in(checked, n_positives)
    return CandidatePoints(curve.points, float(curve.ranking.n_positives[0]), checked.positive.size, checked)


def warn_without_positives(n_positives: float) -> None:
    """Warn if there are no positives to find."""
    if not n_positives:
        warn_user("y_true contains no positives, so precision and recall are 0.0 at every threshold.")


class CandidatePoints:
    """Operating points of a single ranking, lowest threshold first; each array has one element per point."""

    def __init__(
        self,
        points: OperatingPoints,
        n_positives: float,
        n_samples: int,
        checked: Checked | None = None,
        *,
        rows: FloatArray | None = None,
        unit: float = 1.0,  # the weight of a positive that counts 1
    ) -> None:
        self.threshold, self.tp, self.retrieved = points
        self.n_positives, self.n_samples, self.checked = n_positives, n_samples, checked
        self._rows, self._unit = rows, unit
        self.precision = self.tp / self.retrieved
        self.recall = self.tp / n_positives if n_positives else np.zeros(self.tp.size)

    @cached_property
    def rows(self) -> FloatArray:
        """Number of rows at or above each threshold; with weights they are counted by another sort."""
        if self.checked is None or self.checked.weight is None:
            return self.retrieved if self._rows is None else self._rows
        return rows_reaching(self.threshold, self.checked.score)

    def f_score(self, beta: float) -> FloatArray:
        """Return F-beta, divided by 1 + beta^2: quotients of whole counts, so equal ones compare equal."""
        square = beta * beta
        return self.recall if isinf(square) else self.tp / (square * self.n_positives + self.retrieved)

    def best(self, value: FloatArray, allowed: BoolArray) -> int:
        """Return the allowed point of the greatest value; of equal ones, more recall, then fewer rows."""
        places = np.flatnonzero(allowed)  # lowest threshold first
        # At a prevalence and with weights, equal values may differ by their rounding.
        places = places[value[places] >= value[places].max() - EQUAL * abs(value[places].max())]
        places = places[self.tp[places] == self.tp[places].max()]
        return int(places[-1])  # the highest threshold, so the fewest rows

    def at(self, place: int) -> OperatingPoint:
        """Return one of the points; with weights, its rows are counted and added up anew."""
        [threshold] = self.threshold[place : place + 1].tolist()
        # With weights, the sums of the curve do not contain the number of rows.
        if self.checked is not None and self.checked.weight is not None:
            retrieved = self.checked.score >= threshold
            n_retrieved = int(np.count_nonzero(retrieved))
            weight_found = self.checked.weight[retrieved & self.checked.positive].sum()
        else:
            n_retrieved, weight_found = int(self.rows[place]), self.tp[place] * self._unit
        return OperatingPoint(
            threshold=threshold + 0.0 if isinstance(threshold, float) else threshold,  # -0.0 is 0.0
            precision=float(self.precision[place]),
            recall=float(self.recall[place]),
            n_retrieved=n_retrieved,
            share_retrieved=n_retrieved / self.n_samples,
            weight_found=float(weight_found),
        )


class Condition(NamedTuple):
    """A condition on a point: its name, and the level that the point must reach."""

    name: str
    level: float

    def value(self, points: CandidatePoints) -> FloatArray:
        """Return how good each point is."""
        if self.name == "k":
            return points.rows
        if self.name == "beta":
            return points.f_score(self.level)
        if self.name == "miss_cost":  # the cost, which never loses digits as a difference of gains would
            return -(self.level * (points.n_positives - points.tp) + (points.retrieved - points.tp))
        return points.precision if self.name == "recall" else points.recall

    def nearness(self, points: CandidatePoints) -> FloatArray:
        """Return how near each point comes to the condition, unless it is F-beta."""
        if self.name == "k":
            return -points.rows
        return points.recall if self.name == "recall" else points.precision

    def allowed(self, points: CandidatePoints) -> BoolArray:
        """Return which points meet the condition."""
        if self.name == "beta":
            return np.ones(points.tp.size, dtype=bool)
        least = -self._budget(points) if self.name == "k" else self.level
        if self.name == "miss_cost":  # below this precision, to retrieve nothing costs less
            least = (1 - EQUAL) / (1 + self.level)
        return np.asarray(self.nearness(points) >= least)

    def refusal(self, points: CandidatePoints) -> ValueError:
        """Return the error where no point meets the condition, with what comes nearest to it."""
        if self.name != "k":
            nearest = float(self.nearness(points).max())  # repr() of it can be passed as the level
            if self.name == "miss_cost":
                least = 1 / nearest - 1 if nearest else inf
                return ValueError(
                    f"miss_cost must be at least {least!r}, which breaks even at the best precision of all "
                    f"thresholds ({nearest:.4g}); got {self.level!r}: to retrieve nothing costs less."
                )
            of_all = "recall of all rows" if self.name == "recall" else "best precision of all thresholds"
            return ValueError(f"{self.name} must be at most {nearest!r}, the {of_all}; got {self.level!r}.")
        budget = f", which is {self._budget(points):.0f} of {points.n_samples} rows"
        return ValueError(
            f"k must be at least {points.rows[-1]:.0f} rows, which share the highest score and are retrieved "
            f"together; got {self.level!r}{'' if isinstance(self.level, int) else budget}."
        )

    def _budget(self, points: CandidatePoints) -> float:
        return float(cut_depth(np.array([points.n_samples], dtype=np.float64), self.level)[0])


def read_condition(query_id: object = None, **levels: float | None) -> Condition:
    """Read the single condition of a threshold; with queries, it must be a budget `k`."""
    *names, last = levels
    levels = {name: level for name, level in levels.items() if level is not None}
    if len(levels) != 1:
        conditions = ", ".join(f"{name}={level!r}" for name, level in levels.items()) or "none"
        raise ValueError(f"exactly one of {', '.join(names)} and {last} must be given; got {conditions}.")
    [(name, level)] = levels.items()
    readers: dict[str, Callable[[object], Any]] = {
        "k": read_k,
        "beta": read_beta,
        "miss_cost": read_miss_cost,
    }
    condition = Condition(name, readers.get(name, partial(read_level, name))(level))
    if query_id is not None and name != "k":
        raise ValueError(
            "query_id is only valid with k, the budget of each query; got "
            f"{name}={condition.level!r}, which takes all rows as one ranking: leave query_id out."
        )
    return condition

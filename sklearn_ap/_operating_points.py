"""One threshold of a ranking, chosen by one condition: an operating point, and the search for it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import isinf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._averaging import curve_in
from ._ranking import Curve, cut_depth
from ._reading import Checked, read_beta, read_curve, read_k, read_level
from ._typing import BoolArray, FloatArray, Label
from ._warning import warn_user

__all__ = ["OperatingPoint", "operating_point"]


@dataclass(frozen=True, kw_only=True)
class OperatingPoint:
    """One threshold of a ranking, and what it retrieves: all rows with ``y_score >= threshold``.

    :func:`operating_point` returns it. Rows of weight 0 are not counted.

    .. versionadded:: 0.1

    Parameters
    ----------
    threshold : float or int
        A score that occurs; a number of Python, or of `y_score` if Python has no such number.

    precision : float
        Share of positives among the rows retrieved, in weight.

    recall : float
        Share of all positives, found or missed, that was retrieved, in weight.

    n_retrieved : int
        Number of rows retrieved.

    share_retrieved : float
        The same as a share of all rows, in (0, 1].

    weight_found : float
        Weight of the positives retrieved; without weights, their number.

    Examples
    --------
    >>> from sklearn_ap import operating_point
    >>> point = operating_point([1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5], recall=0.5)
    >>> point.threshold, point.precision, point.recall
    (0.6, 0.75, 1.0)
    >>> round(point.f(), 3), round(point.f(beta=0.5), 3)
    (0.857, 0.789)
    """

    threshold: float
    precision: float
    recall: float
    n_retrieved: int
    share_retrieved: float
    weight_found: float

    def f(self, beta: float = 1.0) -> float:
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
        if isinf(square):
            return self.recall
        divisor = square * self.precision + self.recall
        return (1 + square) * self.precision * self.recall / divisor if divisor else 0.0


def operating_point(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    recall: float | None = None,
    precision: float | None = None,
    k: int | float | None = None,
    beta: float | None = None,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    n_positives: float | None = None,
) -> OperatingPoint:
    """Threshold that is best at a recall, at a precision, within a budget of rows, or by F-beta.

    Exactly one of `recall`, `precision`, `k` and `beta` is given. The threshold is a score that occurs, so
    ``y_score >= threshold`` and :class:`sklearn.model_selection.FixedThresholdClassifier` retrieve exactly
    the rows that were counted here.

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

    pos_label : int, float, bool or str, default=None
        Label of the positive class; by default 1, if the labels are in {0, 1} or {-1, 1}.

    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights, not negative. Rows of weight 0 are dropped before anything is ranked or counted. `k`
        still counts rows.

    n_positives : float, default=None
        Total number of positives, found or missed (with weights, their total weight). Objects that were never
        detected and documents that were never retrieved count too. By default, the positives in `y_true`.

    Returns
    -------
    point : OperatingPoint
        Among equally good thresholds the one with more recall, then the one with fewer rows.

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
        overflowing weights, and `n_positives` below the positives in `y_true`.

    See Also
    --------
    precision_at_recall_score : The precision alone, as a score for queries, columns and scorers.
    recall_at_precision_score : The recall alone.
    sklearn.model_selection.FixedThresholdClassifier : A classifier that uses the threshold.
    sklearn.model_selection.TunedThresholdClassifierCV : Chooses a threshold by cross-validation.

    Notes
    -----
    Precision and recall are compared with a level in float64, so ``point.recall >= recall`` is true of the
    point: a recall of 4/5 reaches 0.8. Without missed positives some threshold always reaches a recall of
    1.0, and rows that are all positive have precision 1.0, also with weights. Other sums of weights that are
    not whole are rounded, and may miss a level by the last digits.

    The end point (recall 0, precision 1) of :func:`sklearn.metrics.precision_recall_curve` is not a threshold
    and takes no part [2]_.

    A threshold that is chosen on some rows is too good for these rows. Choose it on validation rows, and
    report precision and recall on others.

    References
    ----------
    .. [1] C. J. van Rijsbergen, "Information Retrieval", 2nd edition, chapter 7, Butterworths, 1979.
    .. [2] `scikit-learn issue 20266 <https://github.com/scikit-learn/scikit-learn/issues/20266>`_

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
    >>> round(operating_point(y_true, y_score, beta=1).f(), 3)
    0.857
    """
    given = {"recall": recall, "precision": precision, "k": k, "beta": beta}
    stated = {name: value for name, value in given.items() if value is not None}
    if len(stated) != 1:
        shown = ", ".join(f"{name}={value!r}" for name, value in stated.items())
        raise ValueError(f"recall, precision, k and beta: pass exactly one of them; got {shown or 'none'}.")
    [(name, value)] = stated.items()
    read_value, place_of = _CONDITIONS[name]
    value = read_value(value)
    checked = read_curve(
        y_true, y_score, caller="operating_point", pos_label=pos_label, sample_weight=sample_weight
    )
    points = _Points(checked, curve_in(checked, n_positives))
    if not points.n_positives:
        warn_user("y_true holds no positive, so precision and recall are 0.0 at every threshold.")
    return points.at(place_of(points, value))


class _Points:
    """The operating points of checked rows, lowest threshold first; each array has one element per point."""

    def __init__(self, checked: Checked, curve: Curve) -> None:
        self._checked = checked
        self._threshold, self.tp, self.retrieved = curve.points
        self.n_positives = float(curve.ranking.n_positives[0])
        self.n_samples = checked.positive.size
        self.precision = self.tp / self.retrieved
        self.recall = self.tp / self.n_positives if self.n_positives else np.zeros(self.tp.size)

    @property
    def rows(self) -> FloatArray:
        """Number of rows at or above each threshold; with weights they are counted by another sort."""
        if self._checked.weight is None:
            return self.retrieved
        return curve_in(self._checked._replace(weight=None)).points.retrieved

    def f(self, beta: float) -> FloatArray:
        """Return F-beta, divided by 1 + beta^2: quotients of whole counts, so equal ones compare equal."""
        square = beta * beta
        if isinf(square):
            return self.recall
        # Scaled by a power of two, which rounds nothing, so that no sum of weights overflows.
        exponent = -np.frexp(max(self.n_positives, self.retrieved[0]))[1]
        tp, retrieved = np.ldexp(self.tp, exponent), np.ldexp(self.retrieved, exponent)
        f: FloatArray = tp / (square * np.ldexp(self.n_positives, exponent) + retrieved)
        return f

    def best(self, value: FloatArray, allowed: BoolArray) -> int:
        """Return the allowed point of the greatest value; of equal ones, more recall, then fewer rows."""
        places = np.flatnonzero(allowed)
        for most in (value, self.tp):
            places = places[most[places] == most[places].max()]
        return int(places[-1])  # the highest threshold

    def at(self, place: int) -> OperatingPoint:
        """Return one of the points, with what its rows weigh."""
        threshold, (positive, score, _, weight, _) = self._threshold[place], self._checked
        retrieved = score >= threshold
        found = retrieved & positive
        n_retrieved = int(np.count_nonzero(retrieved))
        return OperatingPoint(
            threshold=threshold.item() if isinstance(threshold, np.generic) else threshold,
            precision=float(self.precision[place]),
            recall=float(self.recall[place]),
            n_retrieved=n_retrieved,
            share_retrieved=n_retrieved / self.n_samples,
            weight_found=float(np.count_nonzero(found) if weight is None else weight[found].sum()),
        )


def _at_recall(points: _Points, recall: float) -> int:
    """Return the point of the best precision at this recall or more."""
    most = float(points.recall[0])
    if most < recall:
        raise ValueError(f"recall must be at most {most!r}, the recall of all rows; got {recall!r}.")
    return points.best(points.precision, points.recall >= recall)


def _at_precision(points: _Points, precision: float) -> int:
    """Return the point of the best recall at this precision or more."""
    most = float(points.precision.max())
    if most < precision:
        raise ValueError(
            f"precision must be at most {most!r}, the best precision of all thresholds; got {precision!r}."
        )
    return points.best(points.recall, points.precision >= precision)


def _within(points: _Points, k: int | float) -> int:
    """Return the point of the most rows within a budget."""
    rows = points.rows
    budget = float(cut_depth(np.array([points.n_samples], dtype=np.float64), k)[0])
    if rows[-1] > budget:
        share = "" if isinstance(k, int) else f", which is {budget:.0f} of {points.n_samples} rows"
        raise ValueError(
            f"k must be at least {rows[-1]:.0f} rows, which share the highest score and are retrieved "
            f"together; got {k!r}{share}."
        )
    return int(np.argmax(rows <= budget))  # the lowest threshold within the budget


def _best_f(points: _Points, beta: float) -> int:
    """Return the point of the best F-beta."""
    return points.best(points.f(beta), points.retrieved > 0)


# By the name of the condition: its reader, and the place of the point that meets it best.
_CONDITIONS: dict[str, tuple[Callable[[object], Any], Callable[[_Points, Any], int]]] = {
    "recall": (partial(read_level, "recall"), _at_recall),
    "precision": (partial(read_level, "precision"), _at_precision),
    "k": (read_k, _within),
    "beta": (read_beta, _best_f),
}

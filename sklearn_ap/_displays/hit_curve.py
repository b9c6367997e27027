"""The hit curve of a ranking between the perfect and the random one."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from math import isclose
from typing import TYPE_CHECKING, Any, Self, get_args

import numpy as np
from numpy.typing import ArrayLike

from .._core.curves import hits_of_rows
from .._core.ranking.cut import cut_depth
from .._core.reading.options import check_option, read_k
from .._core.reading.read import CheckedRows
from .._core.typing import (
    ArrayLikeOrMapping,
    Estimator,
    Features,
    FloatArray,
    HitsX,
    HitsY,
    Label,
    PassedRows,
    ResponseMethod,
)
from .band import Pair
from .figure import (
    CHANCE_STYLE,
    PERFECT,
    RANDOM,
    Display,
    Style,
    resolve_style,
)
from .rows import DrawnRows

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


# Points of a path in lift stand this share of their rows apart, so that straight lines
# between them are off by 5e-5 at most.
_RATIO = 0.01
_PERFECT_STYLE: Style = {"color": "0.5", "linestyle": "-", "linewidth": 1.0}
_Y_LABELS: dict[HitsY, tuple[str, str]] = {  # without weights and with them
    "recall": ("Share of positives found", "Share of positives found, in weight"),
    "hits": ("Hits per sample, h(t)", "Share of weight hit, h(t)"),
    "weight": ("Number of hits", "Weight of hits"),
    "lift": ("Lift: precision / prevalence", "Lift: recall in weight / share of rows"),
}
_X_LABELS: dict[HitsX, str] = {
    "share": "Share of {} retrieved, t",
    "rows": "Number of {} retrieved, k",
}


class _HitView:
    """A hit curve as numbers of rows, with the units of its axes."""

    def __init__(self, display: HitCurveDisplay) -> None:
        samples, self.h = (
            np.asarray(x, dtype=np.float64)
            for x in (display.share_retrieved, display.hits)
        )
        # Rows that each threshold retrieves: whole numbers, which shares have rounded.
        self.n_rows = np.rint(samples / samples[-1] * display.n_rows)
        # All rows, and the missed positives.
        self.n_samples = float(display.n_rows / samples[-1])
        prevalence = self.prevalence = display.prevalence
        shares, best = display.perfect or (
            (0.0, prevalence, 1.0),
            (0.0, prevalence, prevalence),
        )
        self.best = np.multiply(shares, self.n_samples), np.array(best, np.float64)
        self.total_weight = display.total_weight or self.n_samples
        # Rows per unit of the horizontal axis.
        self.unit = self.n_samples if display.x_axis == "share" else 1.0
        self.y_axis = display.y_axis
        # Whether hits are counted in weight: equal weights other than 1 change nothing
        # else. Not exactly equal, since both are quotients if positives were missed.
        is_equal = isclose(self.total_weight, self.n_samples, rel_tol=1e-9)
        self.in_weight = display.perfect is not None or (
            self.y_axis == "weight" and not is_equal
        )
        self.depth = self.n_samples  # the largest number of rows in the picture
        if (max_k := read_k(display.max_k, "max_k")) is not None:
            n_rows = float(self.n_rows[-1])
            self.depth = min(float(cut_depth(self.n_rows[-1:], max_k)[0]), n_rows)

    def to_y(self, rows: FloatArray, h: FloatArray) -> FloatArray:
        """Return hits among the first `rows` rows in the unit of the vertical axis."""
        if self.y_axis == "hits":
            return h
        if self.y_axis == "weight":
            return h * self.total_weight
        recall = np.zeros_like(h)  # without positives
        if self.prevalence:
            recall = h / self.prevalence
        if self.y_axis == "recall":
            return recall
        return recall / (rows / self.n_samples)

    def path(self, rows: FloatArray, h: FloatArray) -> Pair:
        """Return a piecewise linear path in the units of the axes, up to `depth`."""
        if rows[-1] > self.depth:
            shown = np.append(rows[rows < self.depth], self.depth)
            rows, h = shown, np.interp(shown, rows, h)
        if self.y_axis != "lift":
            return rows / self.unit, self.to_y(rows, h)
        # Hits per row bend between two thresholds, so the path has points there: at
        # whole numbers of rows.
        n_points = int(np.log(rows[-1]) / _RATIO) + 2
        points = np.union1d(rows, np.floor(np.geomspace(1, rows[-1], n_points)))
        y = np.empty_like(points)
        y[1:] = self.to_y(points[1:], np.interp(points[1:], rows, h))
        # Lift after 0 rows would be 0 / 0. The first tied group has the same share of
        # hits in each of its parts, so its lift begins as it goes on.
        y[0] = y[1]
        return points / self.unit, y


def _hit_data(checked: CheckedRows, n_positives: ArrayLikeOrMapping | None) -> Style:
    """Rank the rows with their weights and without; return the arguments of the
    constructor.
    """
    curve, n_rows = hits_of_rows(checked, n_positives), checked.score.size
    weight = np.ones(n_rows) if checked.weight is None else checked.weight
    perfect = None
    # A perfect ranking of weights has the heaviest positives first. Its hits are
    # straight between distinct weights, so one point per weight is enough.
    if curve.weighted:
        negated, counts = np.unique(-weight[checked.positive], return_counts=True)
        shares = np.append(np.cumsum(np.append(0, counts)) / n_rows, 1.0)
        hits = np.cumsum(np.append(0.0, -negated * counts)) / weight.sum()
        perfect = shares, np.append(hits, hits[-1])
    # The weight of all rows, and of the missed positives.
    total_weight = float(weight.sum() / curve.share_retrieved[-1])
    return {
        "share_retrieved": curve.share_retrieved,
        "hits": curve.hits,
        "prevalence": curve.prevalence,
        "n_rows": n_rows,
        "perfect": perfect,
        "total_weight": total_weight,
    }


@dataclass(eq=False, repr=False)
class HitCurveDisplay(Display):
    r"""Hits against samples retrieved, between the perfect and the random ranking.

    The curve shows which share of the positives is found among the fraction `t` of the
    samples that was ranked highest. The hit curve :math:`h(t)` is the same as a share
    of all samples [1]_ (``y_axis='hits'``). With :math:`\pi` the share of positives,
    its perfect curve is :math:`\min(t, \pi)`, and that of a random ranking is
    :math:`\pi t`. Create a display by :meth:`from_estimator` or
    :meth:`from_predictions`: the constructor checks no arrays. For several classes,
    draw the curve of each, ``from_predictions(y_true == label, scores_of_label)``, on
    the same axes.

    .. versionadded:: 0.1

    Parameters
    ----------
    share_retrieved : array-like of shape (n_thresholds + 1,)
        Share of all rows that each threshold detects, rising from 0, as
        :func:`hit_curve` returns it.

    hits : array-like of shape (n_thresholds + 1,)
        Positives among these samples as a share of all samples (with weights, of their
        weight).

    prevalence : float
        Share of positives among all samples: ``hits[-1] + 1 - share_retrieved[-1]``.

    n_rows : int
        Number of rows.

    name : str, default=None
        Name of the curve in the legend; by default "Hit curve".

    pos_label : int, float, bool or str, default=None
        Label of the positive class, which the axis label shows unless it is 1.

    perfect : pair of array-like, default=None
        Shares of rows, and hits, of the perfect ranking of weighted rows, which has the
        heaviest positives first. None stands for equal weights, where it is
        :math:`\min(t, \pi)`.

    total_weight : float, default=None
        Weight of all samples, for ``y_axis='weight'``; by default their number.

    x_axis : {'share', 'rows'}, default='share'
        Unit of the horizontal axis: a share of the rows, or their number; never
        weights.

    y_axis : {'recall', 'hits', 'weight', 'lift'}, default='recall'
        Unit of the vertical axis.

        - ``'recall'``: :math:`h(t) / \pi`, the share of positives that is found
          (:func:`recall_at_k_score`).
        - ``'hits'``: :math:`h(t)`, hits as a share of all samples (with weights, of
          their weight).
        - ``'weight'``: the weight of the positives found, such as money; without
          weights, their number.
        - ``'lift'``: :math:`h(t) / (\pi t)`, how many times more is found than in
          random order.

    max_k : int, float or None, default=None
        Largest number of rows that is shown: an int counts rows, a float in (0, 1] is a
        share of the rows. None shows all.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Axes with the curve, and their figure; of a subfigure, the whole figure.

    line_ : matplotlib Line2D
        The hit curve.

    perfect_line_, random_line_ : matplotlib Line2D or None
        The curves of a perfect and of a random ranking.

    See Also
    --------
    hit_curve : The numbers that are drawn.
    recall_at_k_score : The recall after `k` rows.
    precision_at_k_score : The precision after `k` rows; the lift is this over the
        prevalence.

    Notes
    -----
    Between two thresholds the curve is straight, so it has the recall of
    :func:`recall_at_k_score` with ``ties='proportional'`` after each row.

    A budget counts rows, so `t` is a share of rows, also with weights, as in
    :func:`hit_curve`. Hits are then a share of the total weight, and the perfect
    ranking has the heaviest positives first. The lift bends between two thresholds; its
    line is off by less than 0.01 %.

    With `n_positives`, missed positives are samples that no threshold detects: the
    curve and the line of a random order end before ``t = 1``. The perfect ranking finds
    the missed positives too.

    To mark an operating point on the curve:
    ``display.ax_.plot(point.share_retrieved, point.recall, "o")``, with
    :func:`operating_point`. The example marks a budget of rows.

    References
    ----------
    .. [1] M. Zhu, "Recall, precision and average precision", Working Paper 2004-09,
       Department of Statistics and Actuarial Science, University of Waterloo, 2004.

    Examples
    --------
    >>> from sklearn_ap import HitCurveDisplay, recall_at_k_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.3, 0.2]
    >>> display = HitCurveDisplay.from_predictions(y_true, y_score, x_axis="rows")
    >>> recall = recall_at_k_score(y_true, y_score, k=2)
    >>> marker = display.ax_.plot(2, recall, "o", label=f"2 rows: recall {recall:.2f}")
    """

    share_retrieved: ArrayLike
    hits: ArrayLike
    _: KW_ONLY
    prevalence: float
    n_rows: int
    name: str | None = None
    pos_label: Label | None = None
    perfect: tuple[ArrayLike, ArrayLike] | None = None
    total_weight: float | None = None
    x_axis: HitsX = "share"
    y_axis: HitsY = "recall"
    max_k: int | float | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: Features,  # scikit-learn's name
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        query_id: ArrayLike | None = None,
        n_positives: ArrayLikeOrMapping | None = None,
        response_method: ResponseMethod = "auto",
        pos_label: Label | None = None,
        name: str | None = None,
        x_axis: HitsX = "share",
        y_axis: HitsY = "recall",
        max_k: int | float | None = None,
        ax: Axes | None = None,
        curve_kwargs: Style | None = None,
        plot_perfect: bool = True,
        plot_random: bool = True,
    ) -> Self:
        """Rank the samples by an estimator and draw the hit curve.

        Parameters
        ----------
        estimator : estimator
            Fitted binary classifier or outlier detector, or a pipeline or search that
            ends in one. Outlier detectors score inliers high; with ``pos_label=-1``
            their negated score ranks the outliers.

        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples to rank.

        y : array-like of shape (n_samples,)
            Their labels.

        sample_weight, query_id, n_positives : optional
            As for :meth:`from_predictions`.

        response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
            Method of the estimator that gives the scores; ``'auto'`` is the first of
            these that it has.

        pos_label : int, float, bool or str, default=None
            Label of the positive class; by default 1; required if 1 is not a class of
            the estimator.

        name : str, default=None
            Name of the curve in the legend; by default the class of the estimator.

        x_axis, y_axis, max_k : optional
            Units and limit of the axes; see the class.

        ax, curve_kwargs, plot_perfect, plot_random : optional
            How it is drawn; see :meth:`plot`.

        Returns
        -------
        display : HitCurveDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            For what :func:`hit_curve` refuses; for unknown units of the axes; for
            `max_k` outside its range; for unequal weights together with
            `n_positives`.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn_ap import HitCurveDisplay
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> display = HitCurveDisplay.from_estimator(GaussianNB().fit(X, y), X, y, pos_label=0)
        >>> display.line_.get_label()
        'GaussianNB'
        """
        rows = DrawnRows.from_estimator(
            estimator,
            X,
            y,
            response_method,
            pos_label,
            sample_weight=sample_weight,
            query_id=query_id,
            n_positives=n_positives,
        )
        display = cls._from_rows(
            rows,
            name or type(estimator).__name__,
            x_axis=x_axis,
            y_axis=y_axis,
            max_k=max_k,
        )
        return display.plot(
            ax,
            curve_kwargs=curve_kwargs,
            plot_perfect=plot_perfect,
            plot_random=plot_random,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        query_id: ArrayLike | None = None,
        n_positives: ArrayLikeOrMapping | None = None,
        pos_label: Label | None = None,
        name: str | None = None,
        x_axis: HitsX = "share",
        y_axis: HitsY = "recall",
        max_k: int | float | None = None,
        ax: Axes | None = None,
        curve_kwargs: Style | None = None,
        plot_perfect: bool = True,
        plot_random: bool = True,
    ) -> Self:
        """Draw the hit curve of scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels; any labels if `pos_label` is given.

        y_score : array-like of shape (n_samples,)
            Scores; the highest is retrieved first. Probabilities, decision values or
            any other numbers.

        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights, 0 or from 2**-500 to 2**500; rows of weight 0 are dropped.

        query_id : array-like of shape (n_samples,), default=None
            Query of each sample, the same for all samples, since a curve shows one
            ranking.

        n_positives : float or mapping, default=None
            Total number of positives, found or missed (with weights, their total
            weight). With `query_id`, also a mapping of the query to its total. By
            default, the positives among the samples.

        pos_label : int, float, bool or str, default=None
            Label of the positive class; by default 1, if the labels are in {0, 1} or
            {-1, 1}.

        name, x_axis, y_axis, max_k : optional
            Text of the legend, and units and limit of the axes; see the class.

        ax, curve_kwargs, plot_perfect, plot_random : optional
            How it is drawn; see :meth:`plot`.

        Returns
        -------
        display : HitCurveDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            For what :func:`hit_curve` refuses; for unknown units of the axes; for
            `max_k` outside its range; for unequal weights together with
            `n_positives`.

        Examples
        --------
        Two models on the same axes:

        >>> from sklearn_ap import HitCurveDisplay
        >>> y_true = [1, 0, 1, 0, 0]
        >>> first = HitCurveDisplay.from_predictions(y_true, [5, 4, 3, 2, 1], name="A")
        >>> second = HitCurveDisplay.from_predictions(y_true, [5, 2, 4, 3, 1], name="B", ax=first.ax_)
        >>> [display.line_.get_label() for display in (first, second)]
        ['A', 'B']
        """
        inputs = PassedRows(
            y_true,
            y_score,
            "macro",
            pos_label,
            sample_weight,
            query_id,
            n_positives=n_positives,
        )
        rows = DrawnRows.from_predictions(inputs)
        display = cls._from_rows(rows, name, x_axis=x_axis, y_axis=y_axis, max_k=max_k)
        return display.plot(
            ax,
            curve_kwargs=curve_kwargs,
            plot_perfect=plot_perfect,
            plot_random=plot_random,
        )

    @classmethod
    def _from_rows(cls, rows: DrawnRows, name: str | None, **units: Any) -> Self:
        """Return a display of the rows of a single curve; `plot` has not been called
        yet.
        """
        if rows.classes is not None:
            raise ValueError(
                "y_true must be binary for a hit curve, since the references of "
                f"several classes would hide their curves; got {len(rows.classes)} "
                "classes or labels. Draw the curve of each: from_predictions(y_true == "
                "label, scores_of_label)."
            )
        ((checked, n_positives),) = rows.curves
        return cls(
            **_hit_data(checked, n_positives),
            **units,
            name=name,
            pos_label=rows.pos_label,
        )

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Style | None = None,
        plot_perfect: bool = True,
        plot_random: bool = True,
    ) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; by default new ones, in a new figure. A legend that would
            cover something in each corner stands below them; a figure without a layout
            then gets the layout ``'tight'``.

        name : str, default=None
            Name of the curve in the legend; by default that of the display.

        curve_kwargs : dict, default=None
            Keyword arguments of :meth:`matplotlib.axes.Axes.plot` for the hit curve.

        plot_perfect, plot_random : bool, default=True
            Whether to draw the curves of a perfect and of a random ranking.

        Returns
        -------
        display : HitCurveDisplay
            The display itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If `x_axis`, `y_axis` or `max_k` is outside its values.
        """
        check_option("x_axis", self.x_axis, get_args(HitsX))
        check_option("y_axis", self.y_axis, get_args(HitsY))
        view = _HitView(self)
        name = (self.name if name is None else name) or "Hit curve"
        style = resolve_style(curve_kwargs, label=name)
        self._draw_on(ax)
        self.line_: Line2D = self.ax_.plot(*view.path(view.n_rows, view.h), **style)[0]
        self.perfect_line_: Line2D | None = None
        self.random_line_: Line2D | None = None
        if plot_perfect:
            self.perfect_line_ = self._draw_reference(
                view.path(*view.best), PERFECT, _PERFECT_STYLE
            )
        if plot_random:  # a share of the rows contains the same share of the hits
            path = view.path(view.n_rows[[0, -1]], view.h[[0, -1]])
            # Rounded to 12 digits first: a quotient just below 0.375 would be shown as
            # 0.37, not as 0.38.
            share = round(float(view.h[-1] / (view.n_rows[-1] / view.n_samples)), 12)
            text = f"{RANDOM} (prevalence = {share:.2g})"
            self.random_line_ = self._draw_reference(path, text, CHANCE_STYLE)
        self._show_all(view)
        return self

    def _draw_reference(self, path: Pair, label: str, style: Style) -> Line2D:
        """Draw the perfect or the random ranking below the lines of models, with one
        entry in the legend.
        """
        return self.ax_.plot(*path, **style, label=self._new_entry(label), zorder=1.5)[
            0
        ]

    def _show_all(self, view: _HitView) -> None:
        """Set the labels and limits of the axes, so that all displays on them are
        visible.
        """
        right = max(self.ax_.dataLim.x1, view.depth / view.unit)
        top = self.ax_.dataLim.y1 or 1.0  # without positives, all curves are 0
        counted = "rows" if view.in_weight or self.x_axis == "rows" else "samples"
        if view.n_rows[-1] < view.n_samples:
            counted = "rows and missed positives"
        if self.x_axis == "rows":
            from matplotlib.ticker import MaxNLocator, ScalarFormatter  # noqa: PLC0415  # optional

            whole = MaxNLocator(integer=True, steps=[1, 2, 5, 10], min_n_ticks=1)
            self.ax_.xaxis.set_major_locator(whole)
            # An earlier display may have written names in place of numbers.
            self.ax_.xaxis.set_major_formatter(ScalarFormatter())
        ylabel = _Y_LABELS[self.y_axis][view.in_weight] + self._positive_label()
        self.ax_.set(xlabel=_X_LABELS[self.x_axis].format(counted), ylabel=ylabel)
        self.ax_.set(xlim=(-0.01 * right, 1.01 * right), ylim=(-0.01 * top, 1.05 * top))
        self._finish_axes()

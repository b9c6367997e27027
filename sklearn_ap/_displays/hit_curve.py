"""The hit curve of a ranking between the perfect and the random one."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike

from .._core.curves import hits_of_rows
from .._core.ranking.cut import cut_depth
from .._core.reading.options import check_option, read_k
from .._core.typing import (
    Estimator,
    Features,
    FloatArray,
    Label,
    PassedRows,
    ResponseMethod,
)
from .band import Pair
from .figure import (
    CHANCE_STYLE,
    Display,
    Style,
    hinting,
    import_pyplot,
    resolve_style,
)
from .rows import DrawnRows

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


HitsX = Literal["share", "rows"]  # what the axes of a hit curve count
HitsY = Literal["recall", "hits", "positives", "lift"]
# Points of a path in lift stand this share of their rows apart, so that straight lines
# between them are off by 5e-5 at most.
_RATIO = 0.01
_PERFECT_STYLE: Style = {"color": "0.5", "linestyle": "-", "linewidth": 1.0}
_Y_LABELS: dict[HitsY, str] = {
    "recall": "Share of positives found",
    "hits": "Hits per sample, h(t)",
    "positives": "Number of positives found",
    "lift": "Lift: precision / prevalence",
}
_X_LABELS: dict[HitsX, str] = {
    "share": "Share of samples retrieved, t",
    "rows": "Number of rows retrieved, k",
}


class _HitView:
    """A hit curve as numbers of rows, with the units of its axes."""

    def __init__(self, display: HitCurveDisplay) -> None:
        share = np.asarray(display.share_retrieved, dtype=np.float64)
        self.h = np.asarray(display.hits, dtype=np.float64)
        self.n_rows = float(display.n_rows)
        # Rows that each threshold retrieves: whole numbers, which shares have rounded.
        self.retrieved = np.rint(share * self.n_rows)
        self.prevalence = float(self.h[-1])
        # Rows per unit of the horizontal axis.
        self.unit = self.n_rows if display.x_axis == "share" else 1.0
        self.y_axis = display.y_axis
        # The largest number of rows in the picture.
        depth = cut_depth(self.retrieved[-1:], read_k(display.max_k, "max_k"))
        self.depth = min(float(depth[0]), self.n_rows)

    def to_y(self, rows: FloatArray, h: FloatArray) -> FloatArray:
        """Return hits among the first `rows` rows in the unit of the vertical axis."""
        if self.y_axis == "hits":
            return h
        if self.y_axis == "positives":
            return h * self.n_rows
        recall = np.zeros_like(h)  # without positives
        if self.prevalence:
            recall = h / self.prevalence
        if self.y_axis == "recall":
            return recall
        return recall / (rows / self.n_rows)

    def path(self, rows: FloatArray, h: FloatArray) -> Pair:
        """Return a piecewise linear path in the units of the axes, up to `depth`."""
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


@dataclass(eq=False, repr=False)
class HitCurveDisplay(Display):
    r"""Hits against samples retrieved, between the perfect and the random ranking.

    The hit curve :math:`h(t)` has the positives among the fraction `t` of the samples
    that was ranked highest, as a share of all samples [1]_; :math:`\pi` is the share of
    positives. Create a display by :meth:`from_estimator` or
    :meth:`from_predictions`: the constructor checks no arrays. For several classes,
    draw the curve of each, ``from_predictions(y_true == label, scores_of_label)``, on
    the same axes.

    .. versionadded:: 0.1

    Parameters
    ----------
    share_retrieved : array-like of shape (n_thresholds + 1,)
        Share of all rows at or above each threshold, rising from 0 to 1, as
        :func:`hit_curve` returns it.

    hits : array-like of shape (n_thresholds + 1,)
        Positives among these rows as a share of all rows, rising to the share of
        positives.

    n_rows : int
        Number of rows.

    name : str, default=None
        Name of the curve in the legend; by default "Hit curve".

    pos_label : int, float, bool or str, default=None
        Label of the positive class, which the axis label shows unless it is 1.

    x_axis : {'share', 'rows'}, default='share'
        Unit of the horizontal axis: a share of the rows, or their number.

    y_axis : {'recall', 'hits', 'positives', 'lift'}, default='recall'
        Unit of the vertical axis.

        - ``'recall'``: :math:`h(t) / \pi`, the share of positives that is found
          (:func:`recall_at_k_score`).
        - ``'hits'``: :math:`h(t)`, hits as a share of all rows.
        - ``'positives'``: the number of positives found.
        - ``'lift'``: :math:`h(t) / (\pi t)`, how many times more is found than in
          random order.

    max_k : int, float or None, default=None
        Largest number of rows that is shown, or their share in (0, 1]; None shows all.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Axes with the curve, and their figure.

    line_ : matplotlib Line2D
        The hit curve.

    perfect_line_, random_line_ : matplotlib Line2D or None
        The curves of a perfect and of a random ranking.

    See Also
    --------
    hit_curve, recall_at_k_score, precision_at_k_score

    Notes
    -----
    The curve of weighted rows, or with missed positives, is that of :func:`hit_curve`.

    To mark an operating point: ``display.ax_.plot(point.share_retrieved, point.recall,
    "o")``, with :func:`operating_point`.

    References
    ----------
    .. [1] M. Zhu, "Recall, precision and average precision", Working Paper 2004-09,
       University of Waterloo, 2004.

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
    n_rows: int
    name: str | None = None
    pos_label: Label | None = None
    x_axis: HitsX = "share"
    y_axis: HitsY = "recall"
    max_k: int | float | None = None

    @classmethod
    @hinting
    def from_estimator(
        cls,
        estimator: Estimator,
        X: Features,  # scikit-learn's name
        y: ArrayLike,
        *,
        query_id: ArrayLike | None = None,
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

        query_id : array-like of shape (n_samples,), default=None
            Query of all samples: a curve shows one ranking.

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
            `max_k` outside its range.

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
            query_id=query_id,
        )
        name = name or type(estimator).__name__
        return cls._from_rows(
            rows, name, x_axis=x_axis, y_axis=y_axis, max_k=max_k
        ).plot(
            ax,
            curve_kwargs=curve_kwargs,
            plot_perfect=plot_perfect,
            plot_random=plot_random,
        )

    @classmethod
    @hinting
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        query_id: ArrayLike | None = None,
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
            Scores; the highest is retrieved first.

        query_id : array-like of shape (n_samples,), default=None
            Query of all samples: a curve shows one ranking.

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
            `max_k` outside its range.

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
        inputs = PassedRows(y_true, y_score, "macro", pos_label, query_id=query_id)
        rows = DrawnRows.from_predictions(inputs)
        return cls._from_rows(
            rows, name, x_axis=x_axis, y_axis=y_axis, max_k=max_k
        ).plot(
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
                "classes or labels. Draw the curve of each: from a column of y_true and "
                "of y_score or, of several labels, np.asarray(y_true) == label and the "
                "scores of this label."
            )
        ((checked, _),) = rows.curves
        share_retrieved, hits, _ = hits_of_rows(checked, None)
        return cls(
            share_retrieved,
            hits,
            n_rows=checked.score.size,
            name=name,
            pos_label=rows.pos_label,
            **units,
        )

    @hinting
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
            Axes to draw on; by default new ones, in a new figure.

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
        name = name or self.name or "Hit curve"
        style = resolve_style(curve_kwargs, label=name)
        self._draw_on(ax)
        self.line_: Line2D = self.ax_.plot(*view.path(view.retrieved, view.h), **style)[
            0
        ]
        self.perfect_line_: Line2D | None = None
        self.random_line_: Line2D | None = None
        if plot_perfect:
            rows = view.n_rows * np.array([0.0, view.prevalence, 1.0])
            path = view.path(rows, np.array([0.0, view.prevalence, view.prevalence]))
            self.perfect_line_ = self._draw_reference(
                path, "Perfect ranking", _PERFECT_STYLE
            )
        if plot_random:  # a share of the rows contains the same share of the hits
            path = view.path(view.retrieved[[0, -1]], view.h[[0, -1]])
            text = f"Random ranking (prevalence = {view.prevalence:.2g})"
            self.random_line_ = self._draw_reference(path, text, CHANCE_STYLE)
        self._show_all()
        return self

    def _draw_reference(self, path: Pair, label: str, style: Style) -> Line2D:
        """Draw the perfect or the random ranking below the lines of models, with one
        entry in the legend.
        """
        return self.ax_.plot(*path, **style, label=self._new_entry(label), zorder=1.5)[
            0
        ]

    def _show_all(self) -> None:
        """Set the labels and limits of the axes, so that all displays on them are
        visible.
        """
        right = self.ax_.dataLim.x1
        top = self.ax_.dataLim.y1 or 1.0  # without positives, all curves are 0
        locator = self.ax_.xaxis.get_major_locator()
        # Ticks of a log scale, and those that the caller set, stay as they are.
        if self.x_axis == "rows" and isinstance(locator, import_pyplot().MaxNLocator):
            locator.set_params(integer=True, min_n_ticks=1)
        ylabel = _Y_LABELS[self.y_axis] + self._positive_label()
        self.ax_.set(xlabel=_X_LABELS[self.x_axis], ylabel=ylabel)
        # A log scale has no room for 0, and keeps its lower end.
        left = -0.01 * right if self.ax_.get_xscale() == "linear" else None
        bottom = -0.01 * top if self.ax_.get_yscale() == "linear" else None
        self.ax_.set(xlim=(left, 1.01 * right), ylim=(bottom, 1.05 * top))
        self._add_legend()

"""The display of a hit curve, between the curves of a perfect and a random ranking."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from .._core.curves import hits_of_rows
from .._core.reading.options import read_flag
from .._core.typing import (
    ArrayLikeOrMapping,
    Estimator,
    Features,
    Label,
    PassedRows,
    ResponseMethod,
)
from .figure import Display
from .keywords import with_advice
from .rows import CurveRows, rows_of_estimator
from .styles import Style, chance_style, entry, name_or, resolve_style

# matplotlib is optional, so it is imported for type checkers only.
if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


_PERFECT_STYLE: Style = {"color": "0.5", "linestyle": "-", "linewidth": 1.0}


@dataclass(eq=False, repr=False)
class HitCurveDisplay(Display):
    r"""Share of the positives found against the share of the samples retrieved.

    By default, the curve of a perfect ranking is drawn, too. The fraction `t` of the
    samples that ranks highest contains the share :math:`h(t) / \pi` of the positives,
    where :math:`h(t)` is the hit curve [1]_ and :math:`\pi` the share of positives.
    Create a display by :meth:`from_estimator` or :meth:`from_predictions`; the
    constructor does not check its arrays. For several classes, draw a curve per class
    on the same axes, by ``from_predictions(y_true == label, scores_of_label)``.

    Parameters
    ----------
    share_retrieved : array-like of shape (n_thresholds + 1,)
        Share of all rows at or above each threshold, increasing from 0, as
        :func:`hit_curve` returns it: to 1 or, if positives were missed, to less.

    hits : array-like of shape (n_thresholds + 1,)
        Positives among these rows as a share of all rows, increasing to the share of
        positives that are found.

    name : str, default=None
        Name of the curve in the legend, where `$` begins no formula; by default ``'Hit
        curve'``.

    pos_label : int, float, bool or str, default=None
        Label of the positive class. The axis label shows it.

    prevalence_pos_label : float, default=None
        Share of the samples that are positive rows, after which a perfect ranking finds
        nothing more. By default, it is the last one of `hits`, which is this share
        unless weights differ.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Axes with the curve, and their figure.

    line_ : matplotlib Line2D
        The hit curve.

    perfect_line_, chance_level_ : matplotlib Line2D or None
        The curves of a perfect and of a random ranking, if drawn.

    See Also
    --------
    hit_curve : Hits against rows, at each cut.
    recall_at_k_score : Share of the positives that are among the first k rows.
    precision_at_k_score : Share of positives among the first k rows.

    Notes
    -----
    The curves of a perfect and of a random ranking are those of the rows: they end
    below 1 if positives were missed.

    Lift is the number of positives found, divided by the number that a random order
    finds. Compute it as ``h[1:] / t[1:] / h[-1]``, with ``t, h, _ = hit_curve(y_true,
    y_score)``.

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
    >>> display = HitCurveDisplay.from_predictions(y_true, y_score)
    >>> recall = recall_at_k_score(y_true, y_score, k=2)
    >>> label = f"2 rows: recall {recall:.2f}"
    >>> marker = display.ax_.plot(2 / 5, recall, "o", label=label)
    """

    share_retrieved: ArrayLike
    hits: ArrayLike
    _: KW_ONLY
    name: str | None = None
    pos_label: Label | None = None
    prevalence_pos_label: float | None = None

    @classmethod
    @with_advice
    def from_estimator(
        cls,
        estimator: Estimator,
        X: Features,  # scikit-learn's name
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        n_positives: ArrayLikeOrMapping | None = None,
        response_method: ResponseMethod = "auto",
        pos_label: Label | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Style | None = None,
        plot_perfect: bool = True,
        plot_chance_level: bool = False,
        chance_level_kw: Style | None = None,
    ) -> Self:
        """Rank the samples by an estimator and draw the hit curve.

        Parameters
        ----------
        estimator : estimator
            Fitted binary classifier or outlier detector, or a pipeline or search that
            ends in one. Outlier detectors give high scores to inliers. With
            ``pos_label=-1``, their negated score ranks the outliers first.

        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples to rank.

        y : array-like of shape (n_samples,)
            Labels of the samples.

        sample_weight, n_positives : optional
            As for :func:`hit_curve`.

        response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
            Method of the estimator that returns the scores. ``'auto'`` calls
            `predict_proba`, or `decision_function` if the estimator has no
            `predict_proba`.

        pos_label : int, float, bool or str, default=None
            Label of the positive class. By default, it is the second of the two classes
            of the estimator, as in scikit-learn's displays.

        name : str, default=None
            Name of the curve in the legend; by default the class of the estimator.

        ax, curve_kwargs, plot_perfect, plot_chance_level, chance_level_kw : optional
            Options of the drawing; see :meth:`plot`.

        Returns
        -------
        display : HitCurveDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If labels or scores are not valid, as for :func:`hit_curve`, or if there are
            several classes or labels.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn_ap import HitCurveDisplay
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> model = GaussianNB().fit(X, y)
        >>> display = HitCurveDisplay.from_estimator(model, X, y, pos_label=0)
        >>> display.line_.get_label()
        'GaussianNB'
        """
        rows = rows_of_estimator(
            estimator,
            X,
            y,
            response_method,
            pos_label,
            sample_weight=sample_weight,
            n_positives=n_positives,
        )
        return cls._from_rows(rows, name_or(type(estimator).__name__, name)).plot(
            ax,
            curve_kwargs=curve_kwargs,
            plot_perfect=plot_perfect,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
        )

    @classmethod
    @with_advice
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        n_positives: ArrayLikeOrMapping | None = None,
        pos_label: Label | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Style | None = None,
        plot_perfect: bool = True,
        plot_chance_level: bool = False,
        chance_level_kw: Style | None = None,
    ) -> Self:
        """Draw the hit curve of scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels. Labels may be of any kind if `pos_label` is passed.

        y_score : array-like of shape (n_samples,)
            Scores. The row with the highest score ranks first.

        sample_weight, n_positives : optional
            As for :func:`hit_curve`.

        pos_label : int, float, bool or str, default=None
            Label of the positive class. By default, it is 1, if the labels are in {0,
            1} or {-1, 1}.

        name : str, default=None
            Name of the curve in the legend.

        ax, curve_kwargs, plot_perfect, plot_chance_level, chance_level_kw : optional
            Options of the drawing; see :meth:`plot`.

        Returns
        -------
        display : HitCurveDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If labels or scores are not valid, as for :func:`hit_curve`, or if there are
            several classes or labels.

        Examples
        --------
        Two models on the same axes:

        >>> from sklearn_ap import HitCurveDisplay
        >>> y_true = [1, 0, 1, 0, 0]
        >>> first = HitCurveDisplay.from_predictions(y_true, [5, 4, 3, 2, 1], name="A")
        >>> second = HitCurveDisplay.from_predictions(
        ...     y_true, [5, 2, 4, 3, 1], name="B", ax=first.ax_
        ... )
        >>> [display.line_.get_label() for display in (first, second)]
        ['A', 'B']
        """
        rows = CurveRows.read(
            PassedRows(
                y_true,
                y_score,
                "macro",
                pos_label,
                sample_weight,
                n_positives=n_positives,
            )
        )
        return cls._from_rows(rows, name).plot(
            ax,
            curve_kwargs=curve_kwargs,
            plot_perfect=plot_perfect,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
        )

    @classmethod
    def _from_rows(cls, rows: CurveRows, name: str | None) -> Self:
        """Return a display of the rows of a single curve, which is not drawn yet. Raise
        ValueError for several curves.
        """
        if rows.classes is not None:
            raise ValueError(
                "y_true must be binary for a hit curve, since the references of "
                f"several classes would hide their curves; got {len(rows.classes)} "
                "classes or labels. Draw the curve of each class: pass "
                "np.asarray(y_true) == label, or a column of y_true, and the scores of "
                "this class."
            )
        (checked,) = rows.curves
        share_retrieved, hits, _ = hits_of_rows(checked)
        prevalence_pos_label = None
        # With weights, `hits` are shares of the weight, but the axis counts rows.
        if checked.weight is not None and checked.totals is None:
            prevalence_pos_label = float(np.mean(checked.positive))
        return cls(
            share_retrieved,
            hits,
            name=name,
            pos_label=rows.pos_label,
            prevalence_pos_label=prevalence_pos_label,
        )

    @with_advice
    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Style | None = None,
        plot_perfect: bool = True,
        plot_chance_level: bool = False,
        chance_level_kw: Style | None = None,
    ) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on. By default, new axes are made in a new figure.

        name : str, default=None
            Name of the curve in the legend; by default the name of the display.

        curve_kwargs : dict, default=None
            Keyword arguments of :meth:`matplotlib.axes.Axes.plot` for the hit curve.

        plot_perfect : bool, default=True
            Whether to draw the curve of a perfect ranking.

        plot_chance_level : bool, default=False
            Whether to draw the curve of a random ranking.

        chance_level_kw : dict, default=None
            Arguments of matplotlib's `plot` for the curve of a random ranking.

        Returns
        -------
        display : HitCurveDisplay
            The display itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        share = np.asarray(self.share_retrieved, dtype=np.float64)
        hits = np.asarray(self.hits, dtype=np.float64)
        # A share of weight, which includes missed positives: samples that no threshold
        # retrieves. `prevalence_pos_label` is a share of the rows.
        share_of_positives = hits[-1] + (1 - share[-1])
        # Without positives, recall is 0.
        recall = hits / (share_of_positives or 1.0)
        style = resolve_style(
            curve_kwargs,
            "curve_kwargs",
            label=entry(name_or(name_or("Hit curve", self.name), name)),
        )
        self._draw_on(ax)
        self.line_: Line2D = self._draw_curve(share, recall, style)
        self.perfect_line_: Line2D | None = None
        self.chance_level_: Line2D | None = None
        # All lines begin where no row is retrieved, and end where all rows are.
        recall_of_all_rows = recall[-1]
        if read_flag("plot_perfect", plot_perfect):
            # A perfect ranking has all positive rows first, so its curve rises until
            # the share of these rows, and is flat afterwards.
            end_of_rise = hits[-1]
            if self.prevalence_pos_label is not None:
                end_of_rise = self.prevalence_pos_label
            self.perfect_line_ = self._draw_reference(
                [0.0, end_of_rise, share[-1]],
                [0.0, recall_of_all_rows, recall_of_all_rows],
                "Perfect ranking",
                _PERFECT_STYLE,
            )
        if read_flag("plot_chance_level", plot_chance_level):
            # In random order, a share of the rows contains the same share of the
            # positives.
            self.chance_level_ = self._draw_reference(
                [0.0, share[-1]],
                [0.0, recall_of_all_rows],
                f"Random ranking (prevalence = {share_of_positives:.2g})",
                resolve_style(chance_level_kw, "chance_level_kw", **chance_style()),
            )
        self._label_axes(
            "Share of samples retrieved, t",
            f"Share of positives found{self._positive_label()}",
        )
        self._show_shares()
        self._add_legend()
        self._fit_labels()
        return self

    def _draw_reference(
        self, share: list[float], recall: list[float], label: str, style: Style
    ) -> Line2D:
        """Draw the line of a perfect or a random ranking, below the lines of models. If
        several displays are on the same axes, only the first such line is in the
        legend.
        """
        style = {"zorder": 1.5, "label": label, **style}
        style["label"] = self._new_entry(style["label"])
        # On a logarithmic axis, a straight line from 0 would be drawn as another one.
        places = np.union1d(share, self.share_retrieved)
        [line] = self.ax_.plot(places, np.interp(places, share, recall), **style)
        return line

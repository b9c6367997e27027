"""The hit curve of a ranking between the perfect and the random one, and the hits of a review budget."""

from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from .._averaging import curve_in
from .._curves import hits_in
from .._ranking import cut_depth
from .._reading import Asked, Checked, read_curve, read_k, refuse
from .._typing import Estimator, Features, FloatArray, Label, ResponseMethod, Totals
from ._figure import (
    CHANCE_STYLE,
    MARKERS,
    Style,
    axes_for,
    import_pyplot,
    line_style,
    positive_label,
    rounded,
)
from ._given import Hits, hits_of
from ._predictions import binary_response

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

__all__ = ["HitCurveDisplay"]

_PERFECT_STYLE: Style = {"color": "0.45", "linestyle": "-", "linewidth": 1.0}
_UNITS = ("Hits per sample", "Share of weight hit")  # without weights, with weights
_BOTH_UNITS = "Share of samples or weight hit"  # where both kinds of display share the axes


class _Budget(NamedTuple):
    """The point of the curve where the first `k` rows end, and a text that says what they catch."""

    detected: float
    hits: float
    caught: str


class HitCurveDisplay:
    r"""Hits against samples detected, between the perfect and the random ranking.

    The hit curve :math:`h(t)` counts the positives among the fraction `t` of the samples that was ranked
    highest, as a share of all samples [1]_. With :math:`\pi` the share of positives, the perfect curve is
    :math:`\min(t, \pi)`, which no ranking exceeds, and the curve of a random ranking is :math:`\pi t`. Draw
    several models on the same axes to compare them. Create a display by :meth:`from_estimator` or
    :meth:`from_predictions`.

    .. versionadded:: 0.1

    Parameters
    ----------
    detected : array-like of shape (n_thresholds + 1,)
        Share of all samples that each threshold detects, rising from 0, as :func:`hit_curve` returns it.

    hits : array-like of shape (n_thresholds + 1,)
        Positives among these samples as a share of all samples.

    prevalence : float
        Share of positives among all samples: ``hits[-1] + 1 - detected[-1]``.

    n_rows : int or array-like of shape (n_thresholds + 1,)
        Number of rows. With weights, the number of rows that each threshold detects, rising from 0. The
        horizontal axis is the share of rows, which equals `detected` only without weights.

    name : str, default=None
        Name of the curve in the legend; by default "Hit curve".

    pos_label : int, float, bool or str, default=None
        Label of the positive class, for the axis label.

    perfect : pair of array-like, default=None
        Shares of rows, and hits, of the perfect ranking of weighted rows, which has the heaviest positives
        first. Not needed without weights, where it is :math:`\min(t, \pi)`.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the curve.

    figure_ : matplotlib Figure
        Figure with the axes.

    line_ : matplotlib Line2D
        The hit curve; with a review budget `k`, its label says what the budget catches.

    perfect_line_, random_line_ : matplotlib Line2D or None
        The curves of a perfect and of a random ranking. Displays with the same prevalence share them.

    budget_ : matplotlib Line2D or None
        The line from the horizontal axis up to the marker on the curve at `k`.

    See Also
    --------
    hit_curve : The numbers that are drawn.
    recall_at_k_score : The recall at the marker.

    Notes
    -----
    Between two thresholds the curve is straight: half of the rows with equal scores hold half of their
    positives. The recall at the marker therefore equals :func:`recall_at_k_score` with
    ``ties='proportional'``.

    A budget counts rows, so `t` is a share of rows, also with weights. Hits are then a share of the total
    weight, and the perfect ranking has the heaviest positives first.

    With `n_positives`, missed positives are samples that no threshold detects. The curve then ends before
    ``t = 1``, and so does the line of a random order of the same rows. The perfect ranking finds the missed
    positives too.

    References
    ----------
    .. [1] M. Zhu, "Recall, precision and average precision", Working Paper 2004-09, Department of
       Statistics and Actuarial Science, University of Waterloo, 2004.

    Examples
    --------
    >>> from sklearn_ap import HitCurveDisplay
    >>> display = HitCurveDisplay.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.3, 0.2], k=3)
    >>> display.line_.get_label()
    'Hit curve (k = 3: 2 hits, recall 1.00)'
    """

    ax_: "Axes"
    figure_: "Figure | SubFigure"
    line_: "Line2D"
    perfect_line_: "Line2D | None"
    random_line_: "Line2D | None"
    budget_: "Line2D | None"

    def __init__(
        self,
        detected: ArrayLike,
        hits: ArrayLike,
        *,
        prevalence: float,
        n_rows: ArrayLike,
        name: str | None = None,
        pos_label: Label | None = None,
        perfect: tuple[ArrayLike, ArrayLike] | None = None,
    ) -> None:
        self.detected = detected
        self.hits = hits
        self.prevalence = prevalence
        self.name = name
        self.pos_label = pos_label
        self.n_rows = n_rows
        self.perfect = perfect

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        name: str | None = None,
        k: int | float | None = None,
        curve_kwargs: Style | None = None,
        plot_perfect: bool = True,
        plot_random: bool = True,
    ) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; by default new ones, in a new figure. Empty axes get colours and line styles that
            people with any colour vision can tell apart, also in black and white.

        name : str, default=None
            Name of the curve in the legend; by default that of the display.

        k : int, float or None, default=None
            Review budget to mark: an int counts rows, a float in (0, 1] is a share of the rows (rounded, at
            least one row). 1 means one row, 1.0 means all rows. None marks nothing.

        curve_kwargs : dict, default=None
            Keyword arguments of :meth:`matplotlib.axes.Axes.plot` for the hit curve.

        plot_perfect : bool, default=True
            Whether to draw the curve of a perfect ranking.

        plot_random : bool, default=True
            Whether to draw the curve of a random ranking.

        Returns
        -------
        display : HitCurveDisplay
            The display itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If `k` is outside its range, the arrays are not a hit curve or differ in size, or `perfect` is
            missing although the rows have weights.

        See Also
        --------
        from_predictions : Compute the curve, and draw it.
        """
        curve = hits_of(
            self.detected, self.hits, prevalence=self.prevalence, n_rows=self.n_rows, perfect=self.perfect
        )
        if plot_perfect and curve.perfect is None:
            raise ValueError(
                "perfect must be given where rows have weights, since the shares of rows and hits do not "
                "tell how heavy each positive is; or pass plot_perfect=False."
            )
        budget = None if k is None else _budget(curve, k)
        label = name or self.name or "Hit curve"
        label = label if budget is None else f"{label} ({budget.caught})"
        style = line_style(curve_kwargs, label=label)
        self.ax_, self.figure_ = axes_for(ax)
        (self.line_,) = self.ax_.plot(curve.t, curve.h, **style)
        self.budget_ = None if budget is None else self._mark(budget)
        self.perfect_line_ = self.random_line_ = None
        if plot_perfect and curve.perfect is not None:
            self.perfect_line_ = self._reference(*curve.perfect, "Perfect ranking", _PERFECT_STYLE)
        if plot_random:
            t, h = curve.t[-1], curve.h[-1]
            # Rounded to 12 digits first: a quotient just below 0.375 would be shown as 0.37, not as 0.38.
            label = f"Random ranking (prevalence = {round(h / t, 12):.2g})"
            self.random_line_ = self._reference([0, t], [0, h], label, CHANCE_STYLE)
        self._label_axes(curve)
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: Features,  # scikit-learn's name
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        query_id: ArrayLike | None = None,
        n_positives: Totals | None = None,
        response_method: ResponseMethod = "auto",
        pos_label: Label | None = None,
        name: str | None = None,
        k: int | float | None = None,
        ax: "Axes | None" = None,
        curve_kwargs: Style | None = None,
        plot_perfect: bool = True,
        plot_random: bool = True,
    ) -> Self:
        """Rank the samples by an estimator, and draw the hit curve.

        Parameters
        ----------
        estimator : estimator
            Fitted binary classifier or outlier detector, or a pipeline or search that ends in one. Outlier
            detectors score inliers high; with ``pos_label=-1`` their negated score ranks the outliers.

        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples to rank.

        y : array-like of shape (n_samples,)
            Their labels.

        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights, not negative. Rows of weight 0 are dropped before anything is ranked or counted.

        query_id : array-like of shape (n_samples,), default=None
            Query of each sample, the same for all samples, since a curve shows one ranking. `n_positives` may
            be a mapping from this query to its total.

        n_positives : float or mapping, default=None
            Total number of positives, found or missed (with weights, their total weight). Objects that were
            never detected and documents that were never retrieved count too. With `query_id`, a mapping or
            pandas Series may hold the total of the query. By default, the positives among the samples.

        response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
            Method of the estimator that gives the scores; ``'auto'`` is the first of these that it has.

        pos_label : int, float, bool or str, default=None
            Label of the positive class; by default 1 if the estimator knows that class, else the second of
            its two.

        name : str, default=None
            Name of the curve in the legend; by default the class of the estimator.

        k : int, float or None, default=None
            Review budget to mark: an int counts rows, a float in (0, 1] is a share of the rows (rounded, at
            least one row). 1 means one row, 1.0 means all rows. None marks nothing.

        ax : matplotlib Axes, default=None
            Axes to draw on; by default new ones, in a new figure.

        curve_kwargs : dict, default=None
            Keyword arguments of :meth:`matplotlib.axes.Axes.plot` for the hit curve.

        plot_perfect : bool, default=True
            Whether to draw the curve of a perfect ranking.

        plot_random : bool, default=True
            Whether to draw the curve of a random ranking.

        Returns
        -------
        display : HitCurveDisplay
            The display, drawn.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            For what :func:`hit_curve` refuses; for an estimator of more than two classes; for `k` outside
            its range; for unequal weights together with `n_positives`.

        See Also
        --------
        from_predictions : Draw the curve of scores.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn_ap import HitCurveDisplay
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> display = HitCurveDisplay.from_estimator(GaussianNB().fit(X, y), X, y, pos_label=0, k=0.1)
        >>> display.line_.get_label()
        'GaussianNB (k = 0.1, 57 rows: 57 hits, recall 0.27)'
        """
        import_pyplot()
        response = binary_response(estimator, X, y, response_method=response_method, pos_label=pos_label)
        display = cls._from_scores(
            response.labels,
            response.scores,
            caller="HitCurveDisplay.from_estimator",
            sample_weight=sample_weight,
            query_id=query_id,
            n_positives=n_positives,
            pos_label=response.pos_label,
            name=type(estimator).__name__ if name is None else name,
        )
        display.pos_label = response.positive
        return display.plot(
            ax, k=k, curve_kwargs=curve_kwargs, plot_perfect=plot_perfect, plot_random=plot_random
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        query_id: ArrayLike | None = None,
        n_positives: Totals | None = None,
        pos_label: Label | None = None,
        name: str | None = None,
        k: int | float | None = None,
        ax: "Axes | None" = None,
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
            Scores; the highest is retrieved first. Probabilities, decision values or any other numbers.

        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights, not negative. Rows of weight 0 are dropped before anything is ranked or counted.

        query_id : array-like of shape (n_samples,), default=None
            Query of each sample, the same for all samples, since a curve shows one ranking. `n_positives` may
            be a mapping from this query to its total.

        n_positives : float or mapping, default=None
            Total number of positives, found or missed (with weights, their total weight). Objects that were
            never detected and documents that were never retrieved count too. With `query_id`, a mapping or
            pandas Series may hold the total of the query. By default, the positives among the samples.

        pos_label : int, float, bool or str, default=None
            Label of the positive class; by default 1, if the labels are in {0, 1} or {-1, 1}.

        name : str, default=None
            Name of the curve in the legend; by default "Hit curve".

        k : int, float or None, default=None
            Review budget to mark: an int counts rows, a float in (0, 1] is a share of the rows (rounded, at
            least one row). 1 means one row, 1.0 means all rows. None marks nothing.

        ax : matplotlib Axes, default=None
            Axes to draw on; by default new ones, in a new figure.

        curve_kwargs : dict, default=None
            Keyword arguments of :meth:`matplotlib.axes.Axes.plot` for the hit curve.

        plot_perfect : bool, default=True
            Whether to draw the curve of a perfect ranking.

        plot_random : bool, default=True
            Whether to draw the curve of a random ranking.

        Returns
        -------
        display : HitCurveDisplay
            The display, drawn.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            For what :func:`hit_curve` refuses; for `k` outside its range; for unequal weights together with
            `n_positives`.

        See Also
        --------
        from_estimator : Rank the samples by an estimator first.

        Examples
        --------
        Two models on the same axes:

        >>> from sklearn_ap import HitCurveDisplay
        >>> y_true = [1, 0, 1, 0, 0]
        >>> first = HitCurveDisplay.from_predictions(y_true, [5, 4, 3, 2, 1], name="A", k=2)
        >>> second = HitCurveDisplay.from_predictions(y_true, [5, 2, 4, 3, 1], name="B", k=2, ax=first.ax_)
        >>> [display.line_.get_label() for display in (first, second)]
        ['A (k = 2: 1 hit, recall 0.50)', 'B (k = 2: 2 hits, recall 1.00)']
        """
        import_pyplot()
        display = cls._from_scores(
            y_true,
            y_score,
            caller="HitCurveDisplay.from_predictions",
            sample_weight=sample_weight,
            query_id=query_id,
            n_positives=n_positives,
            pos_label=pos_label,
            name=name,
        )
        return display.plot(
            ax, k=k, curve_kwargs=curve_kwargs, plot_perfect=plot_perfect, plot_random=plot_random
        )

    @classmethod
    def _from_scores(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        caller: str,
        sample_weight: ArrayLike | None,
        query_id: ArrayLike | None,
        n_positives: Totals | None,
        pos_label: Label | None,
        name: str | None,
    ) -> Self:
        """Return a display of one ranking; `plot` has not been called yet."""
        checked = read_curve(
            y_true,
            y_score,
            caller=caller,
            pos_label=pos_label,
            sample_weight=sample_weight,
            query_id=query_id,
        )
        ranked = curve_in(checked, n_positives)
        weighted = ranked.ranking.weighted
        refuse(Asked(weighted=weighted, totals_by_rows=n_positives))
        curve = hits_in(ranked)
        # The same rows without their weights: a budget counts rows, so each threshold needs their number.
        counted = curve_in(checked._replace(weight=None, query=None))
        return cls(
            curve.detected,
            curve.hits,
            prevalence=curve.prevalence,
            n_rows=np.append(0.0, np.flip(counted.points.retrieved)),
            name=name,
            pos_label=1 if pos_label is None else pos_label,
            perfect=_perfect(checked) if weighted else None,
        )

    def _mark(self, budget: _Budget) -> "Line2D":
        colour = self.line_.get_color()
        (marked,) = self.ax_.plot(
            [budget.detected, budget.detected],
            [0, budget.hits],
            color=colour,
            linestyle=":",
            linewidth=1.0,
            marker=MARKERS.get(str(colour), "o"),
            markevery=[1],
            markersize=8,
            markeredgecolor="w",
            zorder=self.line_.get_zorder() + 1,
        )
        return marked

    def _reference(self, t: ArrayLike, h: ArrayLike, label: str, style: Style) -> "Line2D":
        """Return the curve of a perfect or random ranking, drawn now or by an earlier display."""
        points = np.column_stack((t, h))
        for line in self.ax_.lines:
            drawn = np.asarray(line.get_xydata())
            same = line.get_label() == label and drawn.shape == points.shape
            # Not exactly equal: sums of the same weights in another order may differ in the last digits.
            if same and np.allclose(drawn, points, rtol=0, atol=1e-12):
                return line
        # Below the lines of models (zorder 2), so that these stay visible where they coincide.
        (line,) = self.ax_.plot(t, h, **{**style, "label": label, "zorder": 1.5})
        return line

    def _label_axes(self, curve: Hits) -> None:
        """Name the axes for all displays on them: earlier ones may have had other units."""
        top = self.ax_.dataLim.y1 or 1.0  # without positives, all curves are 0
        other = (_UNITS[not curve.weighted], _BOTH_UNITS)
        unit = _BOTH_UNITS if self.ax_.get_ylabel().startswith(other) else _UNITS[curve.weighted]
        counted = "samples" if unit == _UNITS[False] else "rows"
        if curve.t[-1] < 1 or "missed" in self.ax_.get_xlabel():
            counted = "rows and missed positives"
        self.ax_.set(
            xlabel=f"Fraction of {counted} detected, t",
            ylabel=f"{unit}, h(t){positive_label(self.ax_, self.pos_label)}",
            xlim=(-0.01, 1.01),
            ylim=(-0.01 * top, 1.05 * top),
        )
        # The models first, the perfect and the random ranking last, whichever display drew these two.
        entries = list(zip(*self.ax_.get_legend_handles_labels(), strict=True))
        last = (self.perfect_line_, self.random_line_)
        ordered = [e for e in entries if e[0] not in last] + [e for e in entries if e[0] in last]
        if ordered:
            handles, labels = zip(*ordered, strict=True)
            self.ax_.legend(handles, labels, loc="lower right", fontsize="small")


def _budget(curve: Hits, k: int | float) -> _Budget:
    """Return the point of the curve where the first `k` rows end."""
    depth = read_k(k)
    rows = cut_depth(curve.n_rows[-1:], depth)[0]
    t, hits = (float(np.interp(rows, curve.n_rows, values)) for values in (curve.t, curve.h))
    if curve.weighted:  # a sum of weights is not a number of hits, so the share is shown
        caught = f"h = {hits:.3g}"
    else:
        found = np.format_float_positional(round(hits * curve.n_rows[-1] / curve.t[-1], 1), trim="-")
        caught = f"{found} hit" if found == "1" else f"{found} hits"
    # Rounded to 12 digits first, so that 1/8 is shown alike however the division rounded it.
    recall = round(hits / curve.prevalence, 12) if curve.prevalence else 0.0
    budget = f"k = {depth}"
    if isinstance(depth, float):
        budget += f", {rows:.0f} row" if rows == 1 else f", {rows:.0f} rows"
    return _Budget(t, hits, f"{budget}: {caught}, recall {rounded(recall)}")


def _perfect(checked: Checked) -> tuple[FloatArray, FloatArray]:
    """Return the hit curve of the perfect ranking: positives first, the heaviest of them at the top."""
    weight: FloatArray = np.ones(checked.positive.size) if checked.weight is None else checked.weight
    # One point per distinct weight is enough: between two, the curve is straight.
    heaviness, rows = np.unique(-weight[checked.positive], return_counts=True)
    shares = np.append(np.cumsum(np.append(0, rows)) / weight.size, 1.0)
    hits = np.cumsum(np.append(0.0, -heaviness * rows)) / weight.sum()
    return shares, np.append(hits, hits[-1])

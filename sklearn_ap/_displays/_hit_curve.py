"""The hit curve of a ranking, between the perfect and the random one, and what a review budget catches."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from .._averaging import ranking_of
from .._curves import hit_curve
from .._inputs import read_k
from .._ranking import cut_depth
from .._typing import FloatArray, Label
from ._figure import CHANCE_STYLE, MARKERS, axes_for, import_pyplot, line_style, rounded
from ._predictions import binary_response

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

_PERFECT_STYLE: dict[str, Any] = {"color": "0.45", "linestyle": "-", "linewidth": 1.0}


class _Budget(NamedTuple):
    """Where the first `k` rows end, and in words what they catch."""

    detected: float
    hits: float
    caught: str


class HitCurveDisplay:
    r"""Hits against samples detected, between the perfect and the random ranking.

    The hit curve :math:`h(t)` tells how many of all samples are hits among the fraction `t` that was ranked
    highest [1]_. It lies on or below the perfect curve :math:`\min(t, \pi)`, and that of a random ranking is
    :math:`\pi t`, with :math:`\pi` the share of positives. Several models are compared by drawing them on the
    same axes. Create a display by :meth:`from_estimator` or :meth:`from_predictions`.

    .. versionadded:: 0.1

    Parameters
    ----------
    detected : array-like of shape (n_thresholds + 1,)
        Share of all samples that each threshold detects, increasing from 0 to 1, as of :func:`hit_curve`.

    hits : array-like of shape (n_thresholds + 1,)
        Positives among these samples as a share of all samples.

    prevalence : float
        Share of positives among all samples.

    name : str, default=None
        Name of the curve in the legend; by default "Hit curve".

    pos_label : int, float, bool or str, default=None
        Label of the positive class, for the axis label.

    n_rows : array-like of shape (n_thresholds + 1,), default=None
        Number of rows that each threshold detects, increasing from 0. Only a review budget `k` needs it,
        since weights do not tell how many rows there are.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the curve.

    figure_ : matplotlib Figure
        Figure with the axes.

    line_ : matplotlib Line2D
        The hit curve; with a review budget `k`, its label tells what is caught there.

    perfect_line_, random_line_ : matplotlib Line2D or None
        The curves of a perfect and of a random ranking; displays of one prevalence share them.

    budget_ : matplotlib Line2D or None
        From the axis up to the marker on the curve at `k`.

    See Also
    --------
    hit_curve : The numbers that are drawn.
    recall_at_k_score : The recall at the marker.

    Notes
    -----
    Between two thresholds the curve is straight: a share of equal scores holds the same share of their
    positives. The recall at the marker therefore is that of :func:`recall_at_k_score` with
    ``ties='proportional'``.

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
    figure_: "Figure"
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
        name: str | None = None,
        pos_label: Label | None = None,
        n_rows: ArrayLike | None = None,
    ) -> None:
        self.detected = detected
        self.hits = hits
        self.prevalence = prevalence
        self.name = name
        self.pos_label = pos_label
        self.n_rows = n_rows

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        name: str | None = None,
        k: int | float | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        plot_perfect: bool = True,
        plot_random: bool = True,
    ) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; by default new ones, in a new figure. Axes that nothing was drawn on get colours
            and line styles that are told apart by any colour vision, and in black and white.

        name : str, default=None
            Name of the curve in the legend; by default that of the display.

        k : int, float or None, default=None
            Review budget to mark: an int counts rows, a float in (0, 1] is a share of them (rounded, at least
            one; 1 is one row, 1.0 is all of them), None marks nothing.

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
            If `k` is outside its values, or given to a display without `n_rows`; if the arrays differ in
            size.

        See Also
        --------
        from_predictions : Compute the curve, and draw it.
        """
        size = np.size(self.detected)
        for argument in ("detected", "hits", "n_rows"):
            values = getattr(self, argument)
            if np.shape(values) != (size,) and not (argument == "n_rows" and values is None):
                raise ValueError(
                    f"{argument} must be a 1-D array of the size of detected, {size}; got one of shape "
                    f"{np.shape(values)}."
                )
        budget = None if k is None else self._budget(k)
        label = name or self.name or "Hit curve"
        label = label if budget is None else f"{label} ({budget.caught})"
        style = line_style(curve_kwargs, label=label)
        self.ax_, self.figure_ = axes_for(ax)
        (self.line_,) = self.ax_.plot(self.detected, self.hits, **style)
        self.budget_ = None if budget is None else self._mark(budget)
        pi = self.prevalence
        self.perfect_line_ = self.random_line_ = None
        if plot_perfect:
            self.perfect_line_ = self._reference([0, pi, 1], [0, pi, pi], "Perfect ranking", _PERFECT_STYLE)
        if plot_random:
            label = f"Random ranking (prevalence = {pi:.2g})"
            self.random_line_ = self._reference([0, 1], [0, pi], label, CHANCE_STYLE)
        self._label_axes()
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # scikit-learn's name
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        response_method: str = "auto",
        pos_label: Label | None = None,
        name: str | None = None,
        k: int | float | None = None,
        ax: "Axes | None" = None,
        curve_kwargs: Mapping[str, Any] | None = None,
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

        response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
            Method of the estimator that gives the scores; ``'auto'`` is the first of these that it has.

        pos_label : int, float, bool or str, default=None
            Label of the positive class; by default 1 where the estimator knows that class, else the second
            of its two.

        name : str, default=None
            Name of the curve in the legend; by default the class of the estimator.

        k : int, float or None, default=None
            Review budget to mark: an int counts rows, a float in (0, 1] is a share of them (rounded, at least
            one; 1 is one row, 1.0 is all of them), None marks nothing.

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
            As :func:`hit_curve`; for an estimator of more than two classes; for `k` outside its values.

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
        display = cls._of(
            response.labels,
            response.scores,
            sample_weight=sample_weight,
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
        pos_label: Label | None = None,
        name: str | None = None,
        k: int | float | None = None,
        ax: "Axes | None" = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        plot_perfect: bool = True,
        plot_random: bool = True,
    ) -> Self:
        """Draw the hit curve of scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels; any labels where `pos_label` is given.

        y_score : array-like of shape (n_samples,)
            Scores, highest for what is retrieved first: probabilities, decision values or any other numbers.

        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights, not negative. Rows of weight 0 are dropped before anything is ranked or counted.

        pos_label : int, float, bool or str, default=None
            Label of the positive class; by default 1, where labels are in {0, 1} or {-1, 1}.

        name : str, default=None
            Name of the curve in the legend; by default "Hit curve".

        k : int, float or None, default=None
            Review budget to mark: an int counts rows, a float in (0, 1] is a share of them (rounded, at least
            one; 1 is one row, 1.0 is all of them), None marks nothing.

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
            As :func:`hit_curve`; for `k` outside its values.

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
        display = cls._of(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, name=name)
        return display.plot(
            ax, k=k, curve_kwargs=curve_kwargs, plot_perfect=plot_perfect, plot_random=plot_random
        )

    @classmethod
    def _of(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None,
        pos_label: Label | None,
        name: str | None,
    ) -> Self:
        detected, hits, _ = hit_curve(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
        counted = None if sample_weight is None else (np.asarray(sample_weight) != 0).astype(np.float64)
        rows = ranking_of(
            y_true, y_score, caller="hit_curve", pos_label=pos_label, sample_weight=counted
        ).points()
        return cls(
            detected,
            hits,
            prevalence=float(hits[-1]),
            name=name,
            pos_label=1 if pos_label is None else pos_label,
            n_rows=np.append(0.0, np.flip(rows.retrieved)),
        )

    def _budget(self, k: int | float) -> _Budget:
        depth = read_k(k)
        if self.n_rows is None:
            raise ValueError(
                f"k={k!r} needs the number of rows at each threshold: pass n_rows to HitCurveDisplay, or "
                "make it by from_predictions or from_estimator."
            )
        n_rows: FloatArray = np.asarray(self.n_rows, dtype=np.float64)
        rows = cut_depth(n_rows[-1:], depth)[0]
        detected = float(np.interp(rows, n_rows, np.asarray(self.detected)))
        hits = float(np.interp(rows, n_rows, np.asarray(self.hits)))
        if np.allclose(self.detected, n_rows / n_rows[-1], rtol=1e-9, atol=0):
            found = np.format_float_positional(round(hits * n_rows[-1], 1), trim="-")
            caught = f"{found} hit" if found == "1" else f"{found} hits"
        else:  # the scale of weights says nothing
            caught = f"h = {hits:.3g}"
        recall = hits / self.prevalence if self.prevalence else 0.0
        budget = f"k = {depth}"
        if isinstance(depth, float):
            budget += f", {rows:.0f} row" if rows == 1 else f", {rows:.0f} rows"
        return _Budget(detected, hits, f"{budget}: {caught}, recall {rounded(recall)}")

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

    def _reference(self, t: list[float], h: list[float], label: str, style: Mapping[str, Any]) -> "Line2D":
        """Return the curve of a perfect or random ranking, which an earlier display may have drawn."""
        for line in self.ax_.lines:
            if line.get_label() == label and np.array_equal(line.get_xydata(), np.column_stack((t, h))):
                return line
        (line,) = self.ax_.plot(t, h, **{**style, "label": label, "zorder": 1.5})
        return line

    def _label_axes(self) -> None:
        top = self.ax_.dataLim.y1 or 1.0
        positive = "" if self.pos_label is None else f" (Positive label: {self.pos_label})"
        self.ax_.set(
            xlabel="Fraction of samples detected, t",
            ylabel=f"Hits per sample, h(t){positive}",
            xlim=(-0.01, 1.01),
            ylim=(-0.01 * top, 1.05 * top),
        )
        entries = list(zip(*self.ax_.get_legend_handles_labels(), strict=True))
        last = (self.perfect_line_, self.random_line_)
        ordered = [e for e in entries if e[0] not in last] + [e for e in entries if e[0] in last]
        if ordered:
            handles, labels = zip(*ordered, strict=True)
            self.ax_.legend(handles, labels, loc="lower right", fontsize="small")

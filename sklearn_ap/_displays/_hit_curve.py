"""The hit curve of a ranking, between the perfect and the random one, and what a review budget catches."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from .._averaging import ranking_in
from .._curves import hits_in
from .._gate import Checked
from .._inputs import read_curve, read_k
from .._ranking import cut_depth
from .._typing import FloatArray, Label, Totals
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

    The hit curve :math:`h(t)` shows how many of all samples are hits among the fraction `t` that was ranked
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
        Number of rows that each threshold detects, increasing from 0. A review budget `k` needs it, and so do
        weights: the curve is drawn over the share of rows, which `detected` is only without weights.

    perfect : pair of array-like, default=None
        Shares of rows and hits of a perfect ranking, for rows with weights; without them it is known.

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

    A budget buys rows, so `t` is a share of rows, with weights too; hits then are a share of all weight, and
    the perfect ranking has the heaviest positives first. Missed positives, which `n_positives` counts, are
    samples that no threshold detects: the curve ends before them.

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
        shares, counts = self._shares()
        perfect = self._perfect_curve(counts=counts) if plot_perfect else None
        budget = None if k is None else self._budget(k)
        label = name or self.name or "Hit curve"
        label = label if budget is None else f"{label} ({budget.caught})"
        style = line_style(curve_kwargs, label=label)
        self.ax_, self.figure_ = axes_for(ax)
        (self.line_,) = self.ax_.plot(shares, self.hits, **style)
        self.budget_ = None if budget is None else self._mark(budget)
        self.perfect_line_ = self.random_line_ = None
        if perfect is not None:
            self.perfect_line_ = self._reference(*perfect, "Perfect ranking", _PERFECT_STYLE)
        if plot_random:
            label = f"Random ranking (prevalence = {self.prevalence:.2g})"
            self.random_line_ = self._reference([0, 1], [0, self.prevalence], label, CHANCE_STYLE)
        self._label_axes(counts=counts)
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # scikit-learn's name
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        query_id: ArrayLike | None = None,
        n_positives: Totals | None = None,
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

        query_id : array-like of shape (n_samples,), default=None
            Query of each sample, the same for all: a curve is of one ranking. `n_positives` may name it.

        n_positives : float or mapping, default=None
            Total number of positives (with weights, their total weight), found or not. With `query_id`, a
            mapping or pandas Series may hold it. By default, the positives in `y_true`.

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
            As :func:`hit_curve`; for an estimator of more than two classes; for `k` outside its values; for
            weights that differ, with `n_positives`.

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

        query_id : array-like of shape (n_samples,), default=None
            Query of each sample, the same for all: a curve is of one ranking. `n_positives` may name it.

        n_positives : float or mapping, default=None
            Total number of positives (with weights, their total weight), found or not. With `query_id`, a
            mapping or pandas Series may hold it. By default, the positives in `y_true`.

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
            As :func:`hit_curve`; for `k` outside its values; for weights that differ, with `n_positives`.

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
        display = cls._of(
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
    def _of(
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
        """Return a display of one ranking, not drawn yet."""
        checked = read_curve(
            y_true,
            y_score,
            caller=caller,
            pos_label=pos_label,
            sample_weight=sample_weight,
            query_id=query_id,
        )
        ranking = ranking_in(checked, n_positives)
        if ranking.weighted and n_positives is not None:
            raise ValueError(
                "n_positives needs weights that are equal here, since the axis counts rows, and missed "
                f"positives of unknown weights are no number of rows; got {n_positives!r}."
            )
        curve = hits_in(ranking)
        counted = ranking_in(checked._replace(weight=None, query=None))
        return cls(
            curve.detected,
            curve.hits,
            prevalence=curve.prevalence,
            name=name,
            pos_label=1 if pos_label is None else pos_label,
            n_rows=np.append(0.0, np.flip(counted.points().retrieved)),
            perfect=_perfect(checked) if ranking.weighted else None,
        )

    def _shares(self) -> tuple[FloatArray, bool]:
        """Return the share of rows that each threshold detects, and whether these are no weights' shares."""
        detected: FloatArray = np.asarray(self.detected, dtype=np.float64)
        if self.n_rows is None:
            return detected, True
        n_rows: FloatArray = np.asarray(self.n_rows, dtype=np.float64)
        shares = n_rows / n_rows[-1] * detected[-1]  # below 1 where positives were missed
        counts = bool(np.allclose(detected, shares, rtol=1e-9, atol=0))
        return (detected if counts else shares), counts

    def _budget(self, k: int | float) -> _Budget:
        depth = read_k(k)
        if self.n_rows is None:
            raise ValueError(
                f"k={k!r} needs the number of rows at each threshold: pass n_rows to HitCurveDisplay, or "
                "make it by from_predictions or from_estimator."
            )
        shares, counts = self._shares()
        n_rows: FloatArray = np.asarray(self.n_rows, dtype=np.float64)
        rows = cut_depth(n_rows[-1:], depth)[0]
        hits = float(np.interp(rows, n_rows, np.asarray(self.hits)))
        if counts:
            found = np.format_float_positional(round(hits * n_rows[-1] / shares[-1], 1), trim="-")
            caught = f"{found} hit" if found == "1" else f"{found} hits"
        else:  # the scale of weights says nothing
            caught = f"h = {hits:.3g}"
        recall = hits / self.prevalence if self.prevalence else 0.0
        budget = f"k = {depth}"
        if isinstance(depth, float):
            budget += f", {rows:.0f} row" if rows == 1 else f", {rows:.0f} rows"
        place = float(np.interp(rows, n_rows, shares))
        return _Budget(place, hits, f"{budget}: {caught}, recall {rounded(recall)}")

    def _perfect_curve(self, *, counts: bool) -> tuple[ArrayLike, ArrayLike]:
        """Return the curve of a perfect ranking: that of rows without weights, unless it is known."""
        if self.perfect is not None:
            return self.perfect
        if not counts:
            raise ValueError(
                "perfect must be given where rows have weights, since the shares of rows and hits do not "
                "tell how heavy each positive is; or pass plot_perfect=False."
            )
        return [0, self.prevalence, 1], [0, self.prevalence, self.prevalence]

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

    def _reference(self, t: ArrayLike, h: ArrayLike, label: str, style: Mapping[str, Any]) -> "Line2D":
        """Return the curve of a perfect or random ranking, which an earlier display may have drawn."""
        for line in self.ax_.lines:
            if line.get_label() == label and np.array_equal(line.get_xydata(), np.column_stack((t, h))):
                return line
        (line,) = self.ax_.plot(t, h, **{**style, "label": label, "zorder": 1.5})
        return line

    def _label_axes(self, *, counts: bool) -> None:
        top = self.ax_.dataLim.y1 or 1.0
        positive = "" if self.pos_label is None else f" (Positive label: {self.pos_label})"
        self.ax_.set(
            xlabel="Fraction of samples detected, t" if counts else "Fraction of rows detected, t",
            ylabel=f"Hits per sample, h(t){positive}" if counts else f"Share of weight hit, h(t){positive}",
            xlim=(-0.01, 1.01),
            ylim=(-0.01 * top, 1.05 * top),
        )
        entries = list(zip(*self.ax_.get_legend_handles_labels(), strict=True))
        last = (self.perfect_line_, self.random_line_)
        ordered = [e for e in entries if e[0] not in last] + [e for e in entries if e[0] in last]
        if ordered:
            handles, labels = zip(*ordered, strict=True)
            self.ax_.legend(handles, labels, loc="lower right", fontsize="small")


def _perfect(checked: Checked) -> tuple[FloatArray, FloatArray]:
    """Return the hit curve of the ranking that has the positives first, and the heaviest of them first."""
    weight: FloatArray = np.ones(checked.positive.size) if checked.weight is None else checked.weight
    heaviness, rows = np.unique(-weight[checked.positive], return_counts=True)
    shares = np.append(np.cumsum(np.append(0, rows)) / weight.size, 1.0)
    hits = np.cumsum(np.append(0.0, -heaviness * rows)) / weight.sum()
    return shares, np.append(hits, hits[-1])

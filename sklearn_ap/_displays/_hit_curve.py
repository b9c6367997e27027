"""The hit curve of a ranking between the perfect and the random one, and the hits of a review budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike

from .._operating_points import OperatingPoint
from .._reading._options import read_k
from .._typing import Estimator, Features, FloatArray, HitsX, HitsY, Label, ResponseMethod, Totals
from ._bands import GivenBand, Resampling, draw_band, hit_band, read_band
from ._figure import (
    CHANCE_STYLE,
    MARKERS,
    CurveDisplay,
    CurveStyles,
    Style,
    automatic_ticks,
    free_place,
    import_pyplot,
    labels_of,
    mean_and_deviation,
    one_or_all,
    rounded,
    styles_of,
    whole_ticks,
)
from ._hits import Budget, HitView, Perfect, check_view, hit_data, views_of
from ._input import GivenRows, rows_of_estimator, rows_of_folds

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


_PERFECT_STYLE: Style = {"color": "0.45", "linestyle": "-", "linewidth": 1.0}
# Without weights, with weights, and where both kinds of display share the axes.
_Y_LABELS: dict[HitsY, tuple[str, str, str]] = {
    "hits": ("Hits per sample, h(t)", "Share of weight hit, h(t)", "Share of samples or weight hit, h(t)"),
    "recall": ("Recall", "Recall in weight", "Recall of samples or in weight"),
    "weight": ("Number of hits", "Weight of hits", "Number or weight of hits"),
    "lift": ("Lift: precision / prevalence", "Lift: recall in weight / share of rows", "Lift"),
}
_X_LABELS: dict[HitsX, str] = {
    "share": "Fraction of {} detected, t",
    "rows": "Number of {} detected, k",
}
_SAMPLES, _ROWS, _MISSED = "samples", "rows", "rows and missed positives"


@dataclass(eq=False, repr=False)
class HitCurveDisplay(CurveDisplay):
    r"""Hits against samples detected, between the perfect and the random ranking.

    The hit curve :math:`h(t)` counts the positives among the fraction `t` of the samples that was ranked
    highest, as a share of all samples [1]_. With :math:`\pi` the share of positives, the perfect curve is
    :math:`\min(t, \pi)`, which no ranking exceeds, and the curve of a random ranking is :math:`\pi t`. Draw
    several models on the same axes to compare them. Create a display by :meth:`from_estimator`,
    :meth:`from_predictions` or :meth:`from_cv_results`.

    .. versionadded:: 0.1

    Parameters
    ----------
    detected : array-like of shape (n_thresholds + 1,) or list of array-like
        Share of all rows that each threshold detects, rising from 0, as :func:`hit_curve` returns it; a
        list for several curves. Then `hits`, `prevalence` and `n_rows` are lists too.

    hits : array-like of shape (n_thresholds + 1,) or list of array-like
        Positives among these samples as a share of all samples (with weights, of their weight).

    prevalence : float or list of float
        Share of positives among all samples: ``hits[-1] + 1 - detected[-1]``.

    n_rows : int or list of int
        Number of rows.

    name : str or list of str, default=None
        Name of the curve in the legend; by default "Hit curve". A list needs a list of `curve_kwargs`.

    pos_label : int, float, bool or str, default=None
        Label of the positive class, for the axis label.

    perfect : pair of array-like or list of pairs, default=None
        Shares of rows, and hits, of the perfect ranking of weighted rows, which has the heaviest positives
        first. Not needed without weights, where it is :math:`\min(t, \pi)`.

    total_weight : float or list of float, default=None
        Weight of all samples, for ``y_axis='weight'``; by default their number. Needed if rows have weights.

    x_axis : {'share', 'rows'}, default='share'
        What the horizontal axis counts: a share of the rows, or the number of rows. Not weights: a review
        takes as long for a small amount as for a large one.

    y_axis : {'hits', 'recall', 'weight', 'lift'}, default='hits'
        What the vertical axis counts.

        - ``'hits'``: :math:`h(t)`, hits as a share of all samples (with weights, of their weight).
        - ``'recall'``: :math:`h(t) / \pi`, the share of positives that is found (:func:`recall_at_k_score`).
        - ``'weight'``: the weight of the positives found, in the unit of the weights, such as money; without
          weights, their number.
        - ``'lift'``: :math:`h(t) / (\pi t)`, how many times more is found than in random order. Without
          weights, this is :func:`precision_at_k_score` over the prevalence: the enrichment factor.

    max_k : int, float or None, default=None
        Largest number of rows that is shown: an int counts rows, a float in (0, 1] is a share of the rows.
        None shows all.

    band : tuple (x, low, high, confidence_level), default=None
        Ends of a pointwise band in the units of both axes, as `plot_band` of the methods ``from_...``
        computes it; only for one curve.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Axes with the curve, and their figure.

    line_ : matplotlib Line2D or list of Line2D
        The hit curve; with a review budget `k`, its label says what the budget catches.

    perfect_line_, random_line_ : matplotlib Line2D, list of Line2D or None
        The curves of a perfect and of a random ranking. Displays with the same prevalence share them.

    band_ : matplotlib PolyCollection or None
        The band around the curve.

    budget_ : matplotlib Line2D, list of Line2D or None
        The line from the horizontal axis up to the marker on the curve at `k`.

    marks_ : list of matplotlib Line2D
        The operating points that :meth:`mark` has drawn.

    See Also
    --------
    hit_curve : The numbers that are drawn.
    recall_at_k_score : The recall at the marker.
    precision_at_k_score : The precision at the marker; the lift is this over the prevalence.

    Notes
    -----
    Between two thresholds the curve is straight: half of the rows with equal scores hold half of their
    positives. The recall at the marker therefore equals :func:`recall_at_k_score` with
    ``ties='proportional'``.

    A budget counts rows, so `t` is a share of rows, also with weights, as in :func:`hit_curve`. Hits are then
    a share of the total weight, and the perfect ranking has the heaviest positives first. The lift is the
    share of the positive weight that is found, over the share of rows. The perfect and the random ranking are
    in the same units.

    Between two thresholds, the lift bends. Its line has a point at each of the first 50 rows, and then one
    each 2 %, so that it is off by less than 0.01 % between them.

    With `n_positives`, missed positives are samples that no threshold detects. The curve then ends before
    ``t = 1``, and so does the line of a random order of the same rows. The perfect ranking finds the missed
    positives too.

    The band of ``plot_band=True`` holds the percentiles of the hits of bootstrap samples at each depth. It is
    pointwise: it holds the true value at one depth with this confidence, and the whole curve with less. It
    may reach above the perfect ranking of these rows, since other samples have other numbers of positives.
    Where fewer than five of the positives, or of the rows above or below the cut, are hits or misses, a
    bootstrap says too little: the ends are at least the nearest ones of Clopper and Pearson [2]_ for these
    numbers. Without a miss among 20 positives and many rows below, recall may still be 0.83. Folds have no
    band: pool their scores, ``cross_val_predict(..., method="predict_proba")[:, 1]``.

    References
    ----------
    .. [1] M. Zhu, "Recall, precision and average precision", Working Paper 2004-09, Department of
       Statistics and Actuarial Science, University of Waterloo, 2004.
    .. [2] C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of
       the binomial", Biometrika 26, 1934. :doi:`10.1093/biomet/26.4.404`

    Examples
    --------
    >>> from sklearn_ap import HitCurveDisplay
    >>> display = HitCurveDisplay.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.3, 0.2], k=3)
    >>> display.line_.get_label()
    'Hit curve (k = 3: 2 hits, recall 1.00)'
    """

    detected: ArrayLike
    hits: ArrayLike
    _: KW_ONLY
    prevalence: float | Sequence[float]
    n_rows: int | Sequence[int]
    name: str | Sequence[str] | None = None
    pos_label: Label | None = None
    perfect: Perfect | Sequence[Perfect | None] | None = None
    total_weight: float | Sequence[float] | None = None
    x_axis: HitsX = "share"
    y_axis: HitsY = "hits"
    max_k: int | float | None = None
    band: GivenBand | None = None

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
        x_axis: HitsX = "share",
        y_axis: HitsY = "hits",
        max_k: int | float | None = None,
        k: int | float | None = None,
        ax: Axes | None = None,
        curve_kwargs: Style | None = None,
        plot_perfect: bool = True,
        plot_random: bool = True,
        plot_band: bool = False,
        band_kwargs: Style | None = None,
        despine: bool = False,
        confidence_level: float = 0.95,
        unit_id: ArrayLike | None = None,
        n_resamples: int = 1999,
        random_state: int | RandomState | Generator | None = None,
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

        sample_weight, query_id, n_positives : optional
            As for :meth:`from_predictions`.

        response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
            Method of the estimator that gives the scores; ``'auto'`` is the first of these that it has.

        pos_label : int, float, bool or str, default=None
            Label of the positive class; by default 1; required if the estimator knows no class 1.

        name : str, default=None
            Name of the curve in the legend; by default the class of the estimator.

        x_axis, y_axis, max_k : optional
            What the axes show; see the class.

        k, ax, curve_kwargs, plot_perfect, plot_random, plot_band, band_kwargs, despine : optional
            How it is drawn; see :meth:`plot`.

        confidence_level, unit_id, n_resamples, random_state : optional
            As for :meth:`from_predictions`.

        Returns
        -------
        display : HitCurveDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            For what :func:`hit_curve` refuses; for an estimator of more than two classes; for unknown units
            of the axes; for `k` or `max_k` outside its range; for unequal weights together with
            `n_positives`.

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
        check_view(x_axis, y_axis, max_k)
        rows = rows_of_estimator(estimator, X, y, response_method, pos_label)
        rows = rows._replace(sample_weight=sample_weight, query_id=query_id, n_positives=n_positives)
        band = Resampling(confidence_level, n_resamples, random_state, unit_id) if plot_band else None
        shown = type(estimator).__name__ if name is None else name
        display = cls._of_rows([rows], shown, band, x_axis=x_axis, y_axis=y_axis, max_k=max_k)
        return display.plot(
            ax,
            k=k,
            curve_kwargs=curve_kwargs,
            plot_perfect=plot_perfect,
            plot_random=plot_random,
            plot_band=plot_band,
            band_kwargs=band_kwargs,
            despine=despine,
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
        x_axis: HitsX = "share",
        y_axis: HitsY = "hits",
        max_k: int | float | None = None,
        k: int | float | None = None,
        ax: Axes | None = None,
        curve_kwargs: Style | None = None,
        plot_perfect: bool = True,
        plot_random: bool = True,
        plot_band: bool = False,
        band_kwargs: Style | None = None,
        despine: bool = False,
        confidence_level: float = 0.95,
        unit_id: ArrayLike | None = None,
        n_resamples: int = 1999,
        random_state: int | RandomState | Generator | None = None,
    ) -> Self:
        """Draw the hit curve of scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels; any labels if `pos_label` is given.

        y_score : array-like of shape (n_samples,)
            Scores; the highest is retrieved first. Probabilities, decision values or any other numbers.

        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights, 0 or from 2**-500 to 2**500. Rows of weight 0 are dropped before anything is
            ranked or counted.

        query_id : array-like of shape (n_samples,), default=None
            Query of each sample, the same for all samples, since a curve shows one ranking. `n_positives` may
            be a mapping from this query to its total.

        n_positives : float or mapping, default=None
            Total number of positives, found or missed (with weights, their total weight). Objects that were
            never detected and documents that were never retrieved count too. With `query_id`, a mapping or
            pandas Series may hold the total of the query. By default, the positives among the samples.

        pos_label : int, float, bool or str, default=None
            Label of the positive class; by default 1, if the labels are in {0, 1} or {-1, 1}.

        name, x_axis, y_axis, max_k : optional
            What the legend and the axes show; see the class.

        k, ax, curve_kwargs, plot_perfect, plot_random, plot_band, band_kwargs, despine : optional
            How it is drawn; see :meth:`plot`.

        confidence_level : float, default=0.95
            Confidence of the band, above 0 and below 1.

        unit_id : array-like of shape (n_samples,), default=None
            Unit of each row, such as the patient of an image: the bootstrap draws whole units. By default,
            rows are the units.

        n_resamples : int, default=1999
            Number of bootstrap samples of the band, at least 20 / (1 - confidence_level).

        random_state : int, RandomState, Generator or None, default=None
            Seed of the bootstrap samples; an int gives the same band in each call.

        Returns
        -------
        display : HitCurveDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            For what :func:`hit_curve` refuses; for unknown units of the axes; for `k` or `max_k` outside its
            range; for unequal weights together with `n_positives`.

        Examples
        --------
        Two models on the same axes:

        >>> from sklearn_ap import HitCurveDisplay
        >>> y_true = [1, 0, 1, 0, 0]
        >>> first = HitCurveDisplay.from_predictions(y_true, [5, 4, 3, 2, 1], name="A", k=2)
        >>> second = HitCurveDisplay.from_predictions(y_true, [5, 2, 4, 3, 1], name="B", k=2, ax=first.ax_)
        >>> [display.line_.get_label() for display in (first, second)]
        ['A (k = 2: 1 hit, recall 0.50)', 'B (k = 2: 2 hits, recall 1.00)']

        The amount that two reviews catch:

        >>> display = HitCurveDisplay.from_predictions(
        ...     y_true, [5, 2, 4, 3, 1], sample_weight=[800, 20, 150, 90, 40], y_axis="weight", k=2
        ... )
        >>> display.line_.get_label()
        'Hit curve (k = 2: weight 950, recall 1.00)'
        """
        import_pyplot()
        check_view(x_axis, y_axis, max_k)
        rows = GivenRows(y_true, y_score, pos_label, sample_weight, query_id, n_positives).gathered()
        band = Resampling(confidence_level, n_resamples, random_state, unit_id) if plot_band else None
        display = cls._of_rows([rows], name, band, x_axis=x_axis, y_axis=y_axis, max_k=max_k)
        return display.plot(
            ax,
            k=k,
            curve_kwargs=curve_kwargs,
            plot_perfect=plot_perfect,
            plot_random=plot_random,
            plot_band=plot_band,
            band_kwargs=band_kwargs,
            despine=despine,
        )

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Features,  # scikit-learn's name
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        n_positives: ArrayLike | None = None,
        response_method: ResponseMethod = "auto",
        pos_label: Label | None = None,
        name: str | Sequence[str] | None = None,
        x_axis: HitsX = "share",
        y_axis: HitsY = "hits",
        max_k: int | float | None = None,
        k: int | float | None = None,
        ax: Axes | None = None,
        curve_kwargs: CurveStyles = None,
        plot_perfect: bool = True,
        plot_random: bool = True,
        despine: bool = False,
    ) -> Self:
        """Draw one hit curve per fold of a cross-validation.

        Parameters
        ----------
        cv_results : dict
            The result of ``cross_validate(..., return_estimator=True, return_indices=True)``.

        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Input that was cross-validated.

        y : array-like of shape (n_samples,)
            Their labels.

        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights, 0 or from 2**-500 to 2**500. Rows of weight 0 are dropped before anything is
            ranked or counted.

        n_positives : array-like of shape (n_folds,), default=None
            Total number of positives of each fold (with weights, their total weight), found or not. By
            default, the positives in `y`.

        response_method, pos_label : optional
            As for :meth:`from_estimator`.

        name, x_axis, y_axis, max_k : optional
            What the legend and the axes show; see the class.

        k, ax, curve_kwargs, plot_perfect, plot_random, despine : optional
            How the folds are drawn; see :meth:`plot`.

        Returns
        -------
        display : HitCurveDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If `cv_results` lacks the estimators or the indices, or was made with other data; and for what
            :meth:`from_estimator` refuses.

        See Also
        --------
        sklearn.model_selection.cross_validate : Returns `cv_results`.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.model_selection import cross_validate
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn_ap import HitCurveDisplay
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> results = cross_validate(GaussianNB(), X, y, return_estimator=True, return_indices=True)
        >>> display = HitCurveDisplay.from_cv_results(results, X, y, pos_label=0, name="GaussianNB", k=0.1)
        >>> len(display.line_), display.line_[0].get_label()
        (5, 'GaussianNB (k = 0.1: recall 0.26 +/- 0.01)')
        """
        check_view(x_axis, y_axis, max_k)
        folds = rows_of_folds(
            cv_results, X, y, response_method, pos_label, sample_weight=sample_weight, n_positives=n_positives
        )
        display = cls._of_rows(folds, name, x_axis=x_axis, y_axis=y_axis, max_k=max_k)
        return display.plot(
            ax,
            k=k,
            curve_kwargs=curve_kwargs,
            plot_perfect=plot_perfect,
            plot_random=plot_random,
            despine=despine,
        )

    @classmethod
    def _of_rows(
        cls,
        several: list[GivenRows],
        name: str | Sequence[str] | None,
        band: Resampling | None = None,
        **units: Any,
    ) -> Self:
        """Return a display of one or several rankings; `plot` has not been called yet."""
        curves = [hit_data(rows) for rows in several]
        of_each = {argument: one_or_all([one[argument] for one in curves]) for argument in curves[0]}
        display = cls(**of_each, name=name, pos_label=several[-1].positive, **units)
        if band is not None:
            display.band = hit_band(several[0], display._views()[0], band)
        return display

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | Sequence[str] | None = None,
        k: int | float | None = None,
        curve_kwargs: CurveStyles = None,
        plot_perfect: bool = True,
        plot_random: bool = True,
        plot_band: bool = False,
        band_kwargs: Style | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curve, or the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; by default new ones, in a new figure. Empty axes get colours and line styles that
            people with any colour vision can tell apart, also in black and white.

        name : str or list of str, default=None
            Name of the curve in the legend; by default that of the display.

        k : int, float or None, default=None
            Review budget to mark: an int counts rows, a float in (0, 1] is a share of the rows (rounded, at
            least one row). 1 means one row, 1.0 means all rows. None marks nothing.

        curve_kwargs : dict or list of dict, default=None
            Keyword arguments of :meth:`matplotlib.axes.Axes.plot` for the hit curve. With a list, one dict
            per curve, each curve has its own legend entry. Otherwise several curves share one, with the mean
            and the standard deviation of the recall (or the lift) at `k`.

        plot_perfect, plot_random : bool, default=True
            Whether to draw the curves of a perfect and of a random ranking.

        plot_band : bool, default=False
            Whether to draw the band, which a display has from `band` or from ``plot_band=True`` in a method
            ``from_...``.

        band_kwargs : dict, default=None
            Keyword arguments of :meth:`matplotlib.axes.Axes.fill_between` for the band.

        despine : bool, default=False
            Whether to hide the top and right spine.

        Returns
        -------
        display : HitCurveDisplay
            The display itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If `k` is outside its range or beyond `max_k`; if the arrays are not a hit curve or differ in
            size; if `perfect`, or `total_weight` for ``y_axis='weight'``, is missing although the rows have
            weights; if curves on the same axes have other units; if there is no band to draw.
        """
        views = self._views()
        if plot_perfect and any(view.best is None for view in views):
            raise ValueError(
                "perfect must be given where rows have weights, since the shares of rows and hits do not "
                "tell how heavy each positive is; or pass plot_perfect=False."
            )
        band = read_band(self.band, len(views)) if plot_band else None
        k = read_k(k)
        budgets = [] if k is None else [view.budget(k) for view in views]
        ratio = "lift" if self.y_axis == "lift" else "recall"
        labels = labels_of(
            self.name if name is None else name,
            curve_kwargs,
            len(views),
            [one.caught for one in budgets],
            f"k = {k}: {ratio} {mean_and_deviation([one.ratio for one in budgets])}" if budgets else None,
            unnamed="Hit curve",
        )
        styles = styles_of(curve_kwargs, len(views))
        if ax is not None:
            _check_units(ax, self.x_axis, self.y_axis)
        self._draw_on(ax)
        drawn = zip(views, styles, labels, strict=True)
        lines = [
            self.ax_.plot(*view.path(view.n_rows, view.h), **{"label": text, **style})[0]
            for view, style, text in drawn
        ]
        self._take(lines, None if band is None else draw_band(self.ax_, lines[0], band, band_kwargs))
        marked = [self._draw_budget(line, budget) for line, budget in zip(lines, budgets, strict=False)]
        self.budget_: Line2D | list[Line2D] | None = one_or_all(marked) if budgets else None
        self.perfect_line_: Line2D | list[Line2D] | None = self._draw_perfect(views) if plot_perfect else None
        self.random_line_: Line2D | list[Line2D] | None = self._draw_random(views) if plot_random else None
        self._finish_axes(views, despine=despine)
        return self

    def _draw_budget(self, line: Line2D, budget: Budget) -> Line2D:
        """Draw the line from the horizontal axis up to the marker on the curve."""
        colour = line.get_color()
        (marked,) = self.ax_.plot(
            [budget.x, budget.x],
            [0, budget.y],
            color=colour,
            alpha=line.get_alpha(),
            linestyle=":",
            linewidth=1.0,
            marker=MARKERS.get(str(colour), "o"),
            markevery=[1],
            markersize=8,
            markeredgecolor="w",
            zorder=line.get_zorder() + 1,
        )
        return marked

    def _draw_perfect(self, views: list[HitView]) -> Line2D | list[Line2D]:
        paths = [view.path(*view.best) for view in views if view.best is not None]
        return self._draw_references(paths, "Perfect ranking", _PERFECT_STYLE)

    def _draw_random(self, views: list[HitView]) -> Line2D | list[Line2D]:
        shares = [float(view.h[-1] / (view.n_rows[-1] / view.n_samples)) for view in views]
        # Rounded to 12 digits first: a quotient just below 0.375 would be shown as 0.37, not as 0.38.
        of = mean_and_deviation(shares) if len(shares) > 1 else f"{round(shares[0], 12):.2g}"
        # A share of the rows in random order has its share of the hits.
        paths = [view.path(view.n_rows[[0, -1]], view.h[[0, -1]]) for view in views]
        return self._draw_references(paths, f"Random ranking (prevalence = {of})", CHANCE_STYLE)

    def _draw_references(
        self, paths: list[tuple[FloatArray, FloatArray]], label: str, style: Style
    ) -> Line2D | list[Line2D]:
        """Return perfect or random rankings, which share one entry; draw those that are not there yet."""
        drawn: list[Line2D] = []
        for x, y in paths:
            points = np.column_stack((x, y))
            known = [*(line for line in self.ax_.lines if line.get_label() == label), *drawn]
            same = next((line for line in known if _is_same(np.asarray(line.get_xydata()), points)), None)
            if same is None:
                entry = "_nolegend_" if drawn else label
                # Below the lines of models (zorder 2), so that these stay visible where they coincide.
                (same,) = self.ax_.plot(x, y, **{**style, "label": entry, "zorder": 1.5})
            drawn.append(same)
        lines: Line2D | list[Line2D] = one_or_all(drawn)
        return lines

    def _finish_axes(self, views: list[HitView], *, despine: bool) -> None:
        """Name the axes for all displays on them: earlier ones may have had weights or missed positives.

        These may be compared; shares and rows may not (`_check_units`).
        """
        # Of all displays on these axes. Without positives, all curves are 0.
        ends = [float(view.x_of(np.array(view.depth))) for view in views]
        right = max(self.ax_.dataLim.x1, *ends)
        top = self.ax_.dataLim.y1 or 1.0
        plain, weighted, both = _Y_LABELS[self.y_axis]
        here = weighted if views[0].in_weight else plain
        y = both if _without_class(self.ax_.get_ylabel()) in {plain, weighted, both} - {here} else here
        counted = _SAMPLES if y == plain and self.x_axis == "share" else _ROWS
        if any(view.n_rows[-1] < view.n_samples for view in views) or _MISSED in self.ax_.get_xlabel():
            counted = _MISSED
        automatic_ticks(self.ax_)
        self.ax_.set(
            xlabel=_X_LABELS[self.x_axis].format(counted),
            ylabel=f"{y}{self._of_class()}",
            xlim=(-0.01 * right, 1.01 * right),
            ylim=(-0.01 * top, 1.05 * top),
        )
        if self.x_axis == "rows":
            whole_ticks(self.ax_)
        if despine:
            self._remove_spines((0, right), (0, top))
        self._add_legend()

    def _place_of(self, point: OperatingPoint) -> tuple[Line2D, float, float, str]:
        views = self._views()
        place = next((i for i, view in enumerate(views) if view.holds(point)), None)
        if place is None:
            raise ValueError(f"point must lie on a curve of this display, of the same rows; got {point!r}.")
        view = views[place]
        if point.n_retrieved > view.depth:
            raise ValueError(
                f"point must be within max_k={view.max_k!r}, {view.depth:.0f} rows; got {point!r}."
            )
        x, y, _ = view.point_at(point.n_retrieved)
        line = self.line_[place] if isinstance(self.line_, list) else self.line_
        rows = f"{point.n_retrieved} row{'s' * (point.n_retrieved != 1)}"
        return (line, x, y, f"{rows}, recall {rounded(point.recall)}")

    def _add_legend(self) -> None:
        """Add a legend: the models first, the perfect and the random ranking last, whichever drew these."""
        entries = list(zip(*self.ax_.get_legend_handles_labels(), strict=True))
        last = [e for e in entries if e[1] == "Perfect ranking" or e[1].startswith("Random ranking (")]
        ordered = [e for e in entries if e not in last] + last
        if ordered:
            handles, labels = zip(*ordered, strict=True)
            place = free_place(self.ax_, labels)
            self.ax_.legend(handles, labels, loc=place, fontsize="small", framealpha=0.9)

    def _views(self) -> list[HitView]:
        """Check the constructor's arguments, and return each curve in the units of the axes."""
        arguments = ("detected", "hits", "prevalence", "n_rows", "perfect", "total_weight")
        given = {name: getattr(self, name) for name in arguments}
        return views_of(given, x_axis=self.x_axis, y_axis=self.y_axis, max_k=read_k(self.max_k, "max_k"))


def _check_units(ax: Axes, x_axis: HitsX, y_axis: HitsY) -> None:
    """Refuse axes on which an earlier display has counted in other units, as their labels tell."""
    counted = (_SAMPLES, _ROWS, _MISSED)
    of_x = {text.format(one): unit for unit, text in _X_LABELS.items() for one in counted}
    of_y = {text: unit for unit, texts in _Y_LABELS.items() for text in texts}
    drawn_x, drawn_y = of_x.get(ax.get_xlabel()), of_y.get(_without_class(ax.get_ylabel()))
    for name, unit, asked in (("x_axis", drawn_x, x_axis), ("y_axis", drawn_y, y_axis)):
        if unit not in (None, asked):
            raise ValueError(
                f"{name} must be {unit!r}, the unit of the curves that these axes already show; got "
                f"{asked!r}."
            )


def _without_class(label: str) -> str:
    """Return the label of an axis without its part about the positive class."""
    return label.split(" (Positive label", maxsplit=1)[0]


def _is_same(drawn: FloatArray, points: FloatArray) -> bool:
    """Whether two lines are the same; sums of weights in another order may differ in the last digits."""
    return drawn.shape == points.shape and np.allclose(drawn, points, rtol=1e-12, atol=1e-12)

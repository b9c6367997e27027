"""The hit curve of a ranking between the perfect and the random one, and the hits of a review budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .._reading._options import read_k
from .._typing import Estimator, Features, FloatArray, HitsX, HitsY, Label, ResponseMethod, Totals
from ._figure import (
    CHANCE_STYLE,
    MARKERS,
    Display,
    Style,
    add_legend,
    resolve_style,
    rounded,
    unwrap_single,
    whole_ticks,
)
from ._hits import Budget, HitView, Perfect, hit_data, read_view
from ._input import RankedRows, rank_by_estimator

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


_CURVE_FIELDS = ("share_retrieved", "hits", "prevalence", "n_rows", "perfect", "total_weight")
_UNIT_FIELDS = ("x_axis", "y_axis", "max_k")
_PERFECT, _RANDOM = "Perfect ranking", "Random ranking"
_PERFECT_STYLE: Style = {"color": "0.5", "linestyle": "-", "linewidth": 1.0}
_Y_LABELS: dict[HitsY, tuple[str, str]] = {  # without weights and with them
    "hits": ("Hits per sample, h(t)", "Share of weight hit, h(t)"),
    "recall": ("Recall", "Recall in weight"),
    "weight": ("Number of hits", "Weight of hits"),
    "lift": ("Lift: precision / prevalence", "Lift: recall in weight / share of rows"),
}
_X_LABELS: dict[HitsX, str] = {"share": "Fraction of {} retrieved, t", "rows": "Number of {} retrieved, k"}


@dataclass(eq=False, repr=False)
class HitCurveDisplay(Display):
    r"""Hits against samples retrieved, between the perfect and the random ranking.

    The hit curve :math:`h(t)` counts the positives among the fraction `t` of the samples that was ranked
    highest, as a share of all samples [1]_. With :math:`\pi` the share of positives, the perfect curve is
    :math:`\min(t, \pi)`, and the curve of a random ranking is :math:`\pi t`. Create a display by
    :meth:`from_estimator` or :meth:`from_predictions`: the constructor checks no arrays. For several classes,
    `share_retrieved` to `n_rows`, `perfect` and `total_weight` are lists with a value per class.

    .. versionadded:: 0.1

    Parameters
    ----------
    share_retrieved : array-like of shape (n_thresholds + 1,)
        Share of all rows that each threshold detects, rising from 0, as :func:`hit_curve` returns it.

    hits : array-like of shape (n_thresholds + 1,)
        Positives among these samples as a share of all samples (with weights, of their weight).

    prevalence : float
        Share of positives among all samples: ``hits[-1] + 1 - share_retrieved[-1]``.

    n_rows : int
        Number of rows.

    name : str, default=None
        Name of the curve in the legend; by default "Hit curve".

    pos_label : int, float, bool or str, default=None
        Label of the positive class, for the axis label.

    perfect : pair of array-like, default=None
        Shares of rows, and hits, of the perfect ranking of weighted rows, which has the heaviest positives
        first. None stands for equal weights, where it is :math:`\min(t, \pi)`.

    total_weight : float, default=None
        Weight of all samples, for ``y_axis='weight'``; by default their number.

    x_axis : {'share', 'rows'}, default='share'
        Unit of the horizontal axis: a share of the rows, or their number; never weights.

    y_axis : {'hits', 'recall', 'weight', 'lift'}, default='hits'
        Unit of the vertical axis.

        - ``'hits'``: :math:`h(t)`, hits as a share of all samples (with weights, of their weight).
        - ``'recall'``: :math:`h(t) / \pi`, the share of positives that is found (:func:`recall_at_k_score`).
        - ``'weight'``: the weight of the positives found, such as money; without weights, their number.
        - ``'lift'``: :math:`h(t) / (\pi t)`, how many times more is found than in random order.

    max_k : int, float or None, default=None
        Largest number of rows that is shown: an int counts rows, a float in (0, 1] is a share of the rows.
        None shows all.

    classes : list, default=None
        Class or label of each curve, if there are several. The legend then begins with the `name` and, with
        `k`, the macro average of the recall or lift at `k`, and each curve has an entry of its own.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Axes with the curve, and their figure.

    line_ : matplotlib Line2D or list of Line2D
        The hit curve; with a review budget `k`, its label contains the hits of the budget.

    perfect_line_, random_line_ : matplotlib Line2D, list of Line2D or None
        The curves of a perfect and of a random ranking. Curves with the same prevalence share them.

    budget_ : matplotlib Line2D, list of Line2D or None
        The line from the horizontal axis up to the marker on the curve at `k`.

    See Also
    --------
    hit_curve : The numbers that are drawn.
    recall_at_k_score : The recall at the marker.
    precision_at_k_score : The precision at the marker; the lift is this over the prevalence.

    Notes
    -----
    Between two thresholds the curve is straight, so the recall at the marker equals that of
    :func:`recall_at_k_score` with ``ties='proportional'``.

    A budget counts rows, so `t` is a share of rows, also with weights, as in :func:`hit_curve`. Hits are then
    a share of the total weight, and the perfect ranking has the heaviest positives first. The lift bends
    between two thresholds; its line is off by less than 0.01 %.

    With `n_positives`, missed positives are samples that no threshold detects: the curve and the line of a
    random order end before ``t = 1``. The perfect ranking finds the missed positives too.

    To mark an operating point on a curve of recall:
    ``display.ax_.plot(point.share_retrieved, point.recall, "o")``, with :func:`operating_point`.

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

    share_retrieved: ArrayLike
    hits: ArrayLike
    _: KW_ONLY
    prevalence: float | Sequence[float]
    n_rows: int | Sequence[int]
    name: str | None = None
    pos_label: Label | None = None
    perfect: Perfect | Sequence[Perfect | None] | None = None
    total_weight: float | Sequence[float] | None = None
    x_axis: HitsX = "share"
    y_axis: HitsY = "hits"
    max_k: int | float | None = None
    classes: Sequence[Label] | None = None

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
        despine: bool = False,
    ) -> Self:
        """Rank the samples by an estimator and draw the hit curve.

        A classifier of several classes or labels has one curve per class or label that occurs, as for
        :meth:`from_predictions`.

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
            Label of the positive class; by default 1; required if 1 is not a class of the estimator.

        name : str, default=None
            Name of the curve in the legend; by default the class of the estimator.

        x_axis, y_axis, max_k : optional
            Units and limit of the axes; see the class.

        k, ax, curve_kwargs, plot_perfect, plot_random, despine : optional
            How it is drawn; see :meth:`plot`.

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
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn_ap import HitCurveDisplay
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> display = HitCurveDisplay.from_estimator(GaussianNB().fit(X, y), X, y, pos_label=0, k=0.1)
        >>> display.line_.get_label()
        'GaussianNB (k = 0.1, 57 rows: 57 hits, recall 0.27)'
        """
        options: Style = {"sample_weight": sample_weight, "query_id": query_id, "n_positives": n_positives}
        rows = rank_by_estimator(estimator, X, y, response_method, pos_label, **options)
        units: Style = {"x_axis": x_axis, "y_axis": y_axis, "max_k": max_k}
        display = cls._from_rows(rows, type(estimator).__name__ if name is None else name, units)
        looks: Style = {"curve_kwargs": curve_kwargs, "despine": despine}
        return display.plot(ax, k=k, plot_perfect=plot_perfect, plot_random=plot_random, **looks)

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
        despine: bool = False,
    ) -> Self:
        """Draw the hit curve of scores.

        Multiclass labels and multilabel indicators, with one column of scores per class or label, give one
        curve per column. `n_positives` is then one number per curve, and `pos_label` is refused.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
            Binary labels, any labels if `pos_label` is given, multilabel indicators or multiclass labels.

        y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
            Scores; the highest is retrieved first. Probabilities, decision values or any other numbers.

        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights, 0 or from 2**-500 to 2**500; rows of weight 0 are dropped.

        query_id : array-like of shape (n_samples,), default=None
            Query of each sample, the same for all samples, since a curve shows one ranking.

        n_positives : float, array-like or mapping, default=None
            Total number of positives, found or missed (with weights, their total weight), one per class. With
            `query_id`, also a mapping of the query to its total. By default, the positives among the samples.

        pos_label : int, float, bool or str, default=None
            Label of the positive class; by default 1, if the labels are in {0, 1} or {-1, 1}.

        name, x_axis, y_axis, max_k : optional
            Text of the legend, and units and limit of the axes; see the class.

        k, ax, curve_kwargs, plot_perfect, plot_random, despine : optional
            How it is drawn; see :meth:`plot`.

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
        """
        rows = RankedRows(y_true, y_score, pos_label, sample_weight, query_id, n_positives)
        units: Style = {"x_axis": x_axis, "y_axis": y_axis, "max_k": max_k}
        looks: Style = {"curve_kwargs": curve_kwargs, "despine": despine}
        display = cls._from_rows(rows, name, units)
        return display.plot(ax, k=k, plot_perfect=plot_perfect, plot_random=plot_random, **looks)

    @classmethod
    def _from_rows(cls, rows: RankedRows, name: str | None, units: Style) -> Self:
        """Return a display of one ranking, or of one per class; `plot` has not been called yet."""
        rankings = rows.by_class()
        curves = [hit_data(ranking) for ranking in rankings]
        classes = [label for ranking in rankings for label in ranking.classes or ()]
        data: Style = {field: unwrap_single([curve[field] for curve in curves]) for field in _CURVE_FIELDS}
        options: Style = {"pos_label": None if classes else rows.positive, "classes": classes or None}
        return cls(**data, **units, **options, name=name)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        k: int | float | None = None,
        curve_kwargs: Style | None = None,
        plot_perfect: bool = True,
        plot_random: bool = True,
        despine: bool = False,
    ) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; by default new ones, in a new figure.

        name : str, default=None
            Name of the curve in the legend; by default that of the display.

        k : int, float or None, default=None
            Review budget to mark: an int counts rows, a float in (0, 1] is a share of the rows (rounded, at
            least one row). 1 means one row, 1.0 means all rows. None marks nothing.

        curve_kwargs : dict, default=None
            Keyword arguments of :meth:`matplotlib.axes.Axes.plot` for the hit curve.

        plot_perfect, plot_random : bool, default=True
            Whether to draw the curves of a perfect and of a random ranking.

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
            If `x_axis`, `y_axis`, `max_k` or `k` is outside its values; if `k` is beyond `max_k`; if curves
            on the same axes have other units.
        """
        views, k = self._views(), read_k(k)
        budgets = [None if k is None else view.budget(k) for view in views]
        name = (self.name if name is None else name) or "Hit curve"
        names = [name] if self.classes is None else [str(label) for label in self.classes]
        look = resolve_style("line", curve_kwargs)
        if ax is not None:
            self._check_units(ax)
        self._draw_on(ax)
        if self.classes is not None:
            if k is not None:
                macro = np.mean([budget.ratio for budget in budgets if budget is not None])
                name = f"{name} (k = {k}: macro {views[0].ratio_unit} {rounded(macro)})"
            self.ax_.plot([], [], color="none", linestyle="none", label=name)  # takes no colour of the cycle
        named = zip(names, budgets, strict=True)
        texts = [name if budget is None else f"{name} ({budget.text})" for name, budget in named]
        lines: list[Line2D] = [
            self.ax_.plot(*view.path(view.n_rows, view.h), **{"label": text, **look})[0]
            for view, text in zip(views, texts, strict=True)
        ]
        marked = zip(budgets, lines, strict=True)
        marks = [self._draw_budget(budget, line) for budget, line in marked if budget is not None]
        self.line_: Line2D | list[Line2D] = unwrap_single(lines)
        self.budget_: Line2D | list[Line2D] | None = unwrap_single(marks) if marks else None
        self.perfect_line_: Line2D | list[Line2D] | None = None
        self.random_line_: Line2D | list[Line2D] | None = None
        if plot_perfect:
            best = [view.path(*view.best) for view in views]
            self.perfect_line_ = self._draw_references(best, _PERFECT, _PERFECT_STYLE)
        if plot_random:
            # In random order, a share of the rows contains the same share of the hits.
            paths = [view.path(view.n_rows[[0, -1]], view.h[[0, -1]]) for view in views]
            # Rounded to 12 digits first: a quotient just below 0.375 would be shown as 0.37, not as 0.38.
            share = round(float(views[0].h[-1] / (views[0].n_rows[-1] / views[0].n_samples)), 12)
            text = _RANDOM if self.classes is not None else f"{_RANDOM} (prevalence = {share:.2g})"
            self.random_line_ = self._draw_references(paths, text, CHANCE_STYLE)
        self._finish_axes(views, despine=despine)
        return self

    def _views(self) -> list[HitView]:
        """Return the numbers of each curve in the units of the axes."""
        columns: list[Any] = [getattr(self, field) for field in _CURVE_FIELDS]
        if self.classes is None:
            columns = [[column] for column in columns]
        columns = [[None] * len(columns[0]) if column is None else column for column in columns]
        units: Style = {field: getattr(self, field) for field in _UNIT_FIELDS}
        curves = zip(*columns, strict=True)
        return [read_view(**dict(zip(_CURVE_FIELDS, curve, strict=True)), **units) for curve in curves]

    def _check_units(self, ax: Axes) -> None:
        """Refuse axes of an earlier display with other units, which the labels of the axes show."""
        x_label, y_label = ax.get_xlabel(), ax.get_ylabel()
        x = next((unit for unit, text in _X_LABELS.items() if x_label.startswith(text[:10])), self.x_axis)
        y = next((unit for unit, texts in _Y_LABELS.items() if y_label.startswith(texts)), self.y_axis)
        for name, unit in (("x_axis", x), ("y_axis", y)):
            if (value := getattr(self, name)) != unit:
                raise ValueError(f"{name} must be {unit!r}, the unit of these axes; got {value!r}.")

    def _draw_budget(self, budget: Budget, curve: Line2D) -> Line2D:
        """Draw the line from the horizontal axis up to the marker on the curve."""
        colour, alpha, zorder = curve.get_color(), curve.get_alpha(), curve.get_zorder() + 1
        look: Style = {"color": colour, "alpha": alpha, "zorder": zorder, "linestyle": ":", "linewidth": 1.0}
        marker: Style = {"marker": MARKERS.get(str(colour), "o"), "markersize": 8, "markeredgecolor": "w"}
        return self.ax_.plot([budget.x] * 2, [0, budget.y], markevery=[1], **look, **marker)[0]

    def _draw_references(
        self, paths: Sequence[tuple[FloatArray, FloatArray]], label: str, style: Style
    ) -> Line2D | list[Line2D]:
        """Draw perfect or random rankings below the lines of models, unless an earlier display drew them."""
        drawn = []
        for path in paths:
            points, labels = np.column_stack(path), self.ax_.get_legend_handles_labels()[1]
            earlier = [line for line in self.ax_.lines if line.get_color() == style["color"]]
            same = [line for line in earlier if np.array_equal(line.get_xydata(), points)]
            text = "_nolegend_" if label in labels else label
            drawn += same[:1] or self.ax_.plot(*path, **style, label=text, zorder=1.5)
        lines: Line2D | list[Line2D] = unwrap_single(drawn)
        return lines

    def _finish_axes(self, views: Sequence[HitView], *, despine: bool) -> None:
        """Set the labels and limits of the axes, so that all displays on them are visible."""
        view = max(views, key=lambda view: view.n_samples)  # missed positives of a class are on the axis too
        right = max(self.ax_.dataLim.x1, *(float(view.to_x(np.array(view.depth))) for view in views))
        top = self.ax_.dataLim.y1 or 1.0  # without positives, all curves are 0
        counted = "rows" if view.in_weight or self.x_axis == "rows" else "samples"
        if view.n_rows[-1] < view.n_samples:
            counted = "rows and missed positives"
        self.ax_.set(
            xlabel=_X_LABELS[self.x_axis].format(counted),
            ylabel=_Y_LABELS[self.y_axis][view.in_weight] + self._positive_label(),
            xlim=(-0.01 * right, 1.01 * right),
            ylim=(-0.01 * top, 1.05 * top),
        )
        if self.x_axis == "rows":
            whole_ticks(self.ax_)
        if despine:
            self._remove_spines((0, right), (0, top))
        add_legend(self.ax_, "best", last=(_PERFECT, _RANDOM))

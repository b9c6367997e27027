"""One or several hit curves, from arrays to lines on axes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .._operating_points import OperatingPoint
from .._reading import read_k
from .._typing import FloatArray, HitsX, HitsY, Label
from ._bands import GivenBand, Resampling, draw_band, hit_band, read_band
from ._figure import (
    CHANCE_STYLE,
    MARKERS,
    CurveStyles,
    Style,
    automatic_ticks,
    axes_for,
    free_place,
    mean_and_deviation,
    names_of,
    one_or_all,
    positive_label,
    remove_spines,
    rounded,
    shares_entry,
    styles_of,
    whole_ticks,
)
from ._given import GivenRows, Perfect, hits_of_each
from ._hit_view import Budget, HitView, check_view, labels_of_axes, units_of
from ._marks import check_drawn, check_point, draw_mark, label_of

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

__all__ = ["HitCurvePlot"]

_PERFECT_STYLE: Style = {"color": "0.45", "linestyle": "-", "linewidth": 1.0}
_ON_CURVE = 1e-9  # how far an operating point may lie from the curve, in hits per sample


class HitCurvePlot:
    """The drawing of :class:`HitCurveDisplay`, which tells of the arguments and attributes."""

    ax_: "Axes"
    figure_: "Figure | SubFigure"
    line_: "Line2D | list[Line2D]"
    perfect_line_: "Line2D | list[Line2D] | None"
    random_line_: "Line2D | list[Line2D] | None"
    band_: "PolyCollection | None"
    budget_: "Line2D | list[Line2D] | None"
    marks_: "list[Line2D]"

    def __init__(
        self,
        detected: ArrayLike,
        hits: ArrayLike,
        *,
        prevalence: float | Sequence[float],
        n_rows: ArrayLike | Sequence[ArrayLike],
        name: str | Sequence[str] | None = None,
        pos_label: Label | None = None,
        perfect: Perfect | Sequence[Perfect | None] | None = None,
        total_weight: float | Sequence[float] | None = None,
        x_axis: HitsX = "share",
        y_axis: HitsY = "hits",
        max_k: int | float | None = None,
        band: GivenBand | None = None,
    ) -> None:
        self.detected = detected
        self.hits = hits
        self.prevalence = prevalence
        self.name = name
        self.pos_label = pos_label
        self.n_rows = n_rows
        self.perfect = perfect
        self.total_weight = total_weight
        self.x_axis: HitsX = x_axis
        self.y_axis: HitsY = y_axis
        self.max_k = max_k
        self.band = band

    def plot(
        self,
        ax: "Axes | None" = None,
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

        plot_perfect : bool, default=True
            Whether to draw the curve of a perfect ranking.

        plot_random : bool, default=True
            Whether to draw the curve of a random ranking.

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

        See Also
        --------
        from_predictions : Compute the curve, and draw it.
        """
        views = self._views()
        if plot_perfect and any(view.curve.perfect is None for view in views):
            raise ValueError(
                "perfect must be given where rows have weights, since the shares of rows and hits do not "
                "tell how heavy each positive is; or pass plot_perfect=False."
            )
        band = read_band(self.band, len(views)) if plot_band else None
        k = read_k(k)
        budgets = None if k is None else [view.budget(k) for view in views]
        labels = self._labels(self.name if name is None else name, k, budgets, len(views), curve_kwargs)
        styles = styles_of(curve_kwargs, len(views))
        if ax is not None:
            self._check_units(ax)
        self.ax_, self.figure_ = axes_for(ax)
        drawn = zip(views, styles, labels, strict=True)
        lines = [self.ax_.plot(*view.line(), **{"label": text, **style})[0] for view, style, text in drawn]
        self.line_, self.budget_, self.marks_ = one_or_all(lines), None, []
        self.band_ = None if band is None else draw_band(self.ax_, lines[0], band, band_kwargs)
        if budgets is not None:
            marked = zip(lines, budgets, strict=True)
            self.budget_ = one_or_all([self._mark(line, budget) for line, budget in marked])
        self._draw_references(views, plot_perfect, plot_random)
        self._label_axes(views, despine)
        return self

    def mark(self, point: OperatingPoint, *, name: str | None = None, **kwargs: Any) -> Self:
        """Mark an operating point on the curve, with a legend entry.

        Parameters
        ----------
        point : OperatingPoint
            The point, of the same rows as the curve. Points of one display differ in their marker.

        name : str, default=None
            Name for the legend; by default the threshold.

        **kwargs : dict
            Arguments of matplotlib's `plot` for the marker.

        Returns
        -------
        display : HitCurveDisplay
            The display itself, so that calls can be chained.

        Raises
        ------
        ValueError
            If `point` is not an operating point, does not lie on a curve of this display, or lies beyond
            `max_k`; or if the display is not drawn yet.

        See Also
        --------
        plot : Mark a number of rows, `k`.
        """
        check_drawn(self, "mark")
        point = check_point(point)
        views = self._views()
        place = next((i for i, view in enumerate(views) if _lies_on(view, point)), None)
        if place is None:
            raise ValueError(f"point must lie on a curve of this display, of the same rows; got {point!r}.")
        view = views[place]
        if point.n_retrieved > view.depth:
            raise ValueError(
                f"point must be within max_k={self.max_k!r}, {view.depth:.0f} rows; got {point!r}."
            )
        rows = np.array(float(point.n_retrieved))
        x, y = view.x_of(rows), view.y_of(rows, np.array(point.recall * view.curve.prevalence))
        lines = self.line_ if isinstance(self.line_, list) else [self.line_]
        reached = f"{point.n_retrieved} row{'s' * (point.n_retrieved != 1)}, recall {rounded(point.recall)}"
        drawn = draw_mark(
            self.ax_,
            float(x),
            float(y),
            label=label_of(point, name, reached),
            colour=lines[place].get_color(),
            n_before=len(self.marks_),
            given=kwargs,
        )
        self.marks_.append(drawn)
        self._add_legend()
        return self

    def _find_band(self, rows: GivenRows, asked: Resampling, caller: str) -> None:
        """Compute the band of the only curve from its rows."""
        self.band = hit_band(rows, self._views()[0], asked, caller=caller)

    def _views(self) -> list[HitView]:
        """Check the constructor's arguments, and return each curve in the units of the axes."""
        check_view(self.x_axis, self.y_axis, self.max_k)
        curves = hits_of_each(
            self.detected,
            self.hits,
            prevalence=self.prevalence,
            n_rows=self.n_rows,
            perfect=self.perfect,
            total_weight=self.total_weight,
        )
        if self.y_axis == "weight" and any(curve.total_weight is None for curve in curves):
            raise ValueError(
                "total_weight must be given for y_axis='weight' where rows have weights, since shares do not "
                "tell what they are shares of."
            )
        return [HitView(curve, self.x_axis, self.y_axis, read_k(self.max_k, "max_k")) for curve in curves]

    def _labels(
        self,
        name: str | Sequence[str] | None,
        k: int | float | None,
        budgets: list[Budget] | None,
        n_curves: int,
        curve_kwargs: CurveStyles,
    ) -> list[str | None]:
        """Return the legend entry of each curve, with what its budget catches."""
        names = [one or "Hit curve" for one in names_of(name, n_curves, curve_kwargs)]
        shared = shares_entry(n_curves, curve_kwargs)
        labels: list[str | None] = [*names]
        if budgets is not None and shared:
            ratio = "lift" if self.y_axis == "lift" else "recall"
            labels[0] = f"{names[0]} (k = {k}: {ratio} {mean_and_deviation([one.ratio for one in budgets])})"
        elif budgets is not None:
            labels = [f"{one} ({budget.caught})" for one, budget in zip(names, budgets, strict=True)]
        return [labels[0], *[None] * (n_curves - 1)] if shared else labels

    def _check_units(self, ax: "Axes") -> None:
        """Refuse axes on which an earlier display has counted in other units."""
        drawn = units_of(ax.get_xlabel(), _without_class(ax.get_ylabel()))
        for name, unit, asked in zip(("x_axis", "y_axis"), drawn, (self.x_axis, self.y_axis), strict=True):
            if unit not in (None, asked):
                raise ValueError(
                    f"{name} must be {unit!r}, the unit of the curves that these axes already show; got "
                    f"{asked!r}."
                )

    def _mark(self, line: "Line2D", budget: Budget) -> "Line2D":
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

    def _draw_references(self, views: list[HitView], plot_perfect: bool, plot_random: bool) -> None:
        """Draw the perfect and the random ranking of each curve, unless an earlier display has drawn it."""
        self.perfect_line_ = self.random_line_ = None
        perfect = [path for path in (view.perfect() for view in views) if path is not None]
        if plot_perfect:
            self.perfect_line_ = self._references(perfect, "Perfect ranking", _PERFECT_STYLE)
        if plot_random:
            shares = [view.share_found() for view in views]
            # Rounded to 12 digits first: a quotient just below 0.375 would be shown as 0.37, not as 0.38.
            of = mean_and_deviation(shares) if len(shares) > 1 else f"{round(shares[0], 12):.2g}"
            paths = [view.random() for view in views]
            label = f"Random ranking (prevalence = {of})"
            self.random_line_ = self._references(paths, label, CHANCE_STYLE)

    def _references(
        self, paths: list[tuple[FloatArray, FloatArray]], label: str, style: Style
    ) -> "Line2D | list[Line2D]":
        """Return the curves of perfect or random rankings, which share one legend entry."""
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

    def _label_axes(self, views: list[HitView], despine: bool) -> None:
        """Name the axes for all displays on them: earlier ones may have had weights or missed positives."""
        # Of all displays on these axes. Without positives, all curves are 0.
        right = max(self.ax_.dataLim.x1, *(view.width for view in views))
        top = self.ax_.dataLim.y1 or 1.0
        missed = any(view.curve.n_rows[-1] < view.curve.n_samples for view in views)
        before = self.ax_.get_xlabel(), _without_class(self.ax_.get_ylabel())
        x, y = labels_of_axes(views[0], *before, missed)
        automatic_ticks(self.ax_)
        self.ax_.set(
            xlabel=x,
            ylabel=f"{y}{positive_label(self.ax_, self.pos_label)}",
            xlim=(-0.01 * right, 1.01 * right),
            ylim=(-0.01 * top, 1.05 * top),
        )
        if self.x_axis == "rows":
            whole_ticks(self.ax_)
        if despine:
            remove_spines(self.ax_, (0, right), (0, top))
        self._add_legend()

    def _add_legend(self) -> None:
        """Add a legend: the models first, the perfect and the random ranking last, whichever drew these."""
        entries = list(zip(*self.ax_.get_legend_handles_labels(), strict=True))
        last = [e for e in entries if e[1] == "Perfect ranking" or e[1].startswith("Random ranking (")]
        ordered = [e for e in entries if e not in last] + last
        if ordered:
            handles, labels = zip(*ordered, strict=True)
            place = free_place(self.ax_, labels)
            self.ax_.legend(handles, labels, loc=place, fontsize="small", framealpha=0.9)


def _without_class(label: str) -> str:
    """Return the label of an axis without its part about the positive class."""
    return label.split(" (Positive label", maxsplit=1)[0]


def _is_same(drawn: FloatArray, points: FloatArray) -> bool:
    """Whether two lines are the same; sums of weights in another order may differ in the last digits."""
    return drawn.shape == points.shape and np.allclose(drawn, points, rtol=1e-12, atol=1e-12)


def _lies_on(view: HitView, point: OperatingPoint) -> bool:
    curve = view.curve
    at = np.interp(point.n_retrieved, curve.n_rows, curve.h)
    within = 0 < point.n_retrieved <= curve.n_rows[-1]
    return bool(within and abs(at - point.recall * curve.prevalence) <= _ON_CURVE)

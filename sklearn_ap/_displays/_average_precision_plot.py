"""One or several precision-recall curves, from arrays to lines on axes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .._operating_points import OperatingPoint
from .._reading import check_option
from .._typing import DrawnArea, Label
from ._areas import AREAS, paths_of
from ._bands import GivenBand, draw_band, read_band
from ._figure import (
    CurveStyles,
    Style,
    add_legend,
    axes_for,
    draw_chance_levels,
    draw_path,
    label_axes,
    labels_of,
    listed,
    one_each,
    one_or_all,
    remove_spines,
    rounded,
    styles_of,
)
from ._given import points_of, share_each
from ._marks import check_drawn, check_point, draw_iso_f, draw_mark, label_of

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

__all__ = ["AveragePrecisionPlot"]


class AveragePrecisionPlot:
    """The drawing of :class:`AveragePrecisionDisplay`, which tells of the arguments and attributes."""

    line_: "Line2D | list[Line2D]"
    chance_level_: "Line2D | list[Line2D] | None"
    band_: "PolyCollection | None"
    ax_: "Axes"
    figure_: "Figure | SubFigure"
    marks_: "list[Line2D]"
    iso_f_lines_: "list[Line2D]"

    def __init__(
        self,
        precision: ArrayLike,
        recall: ArrayLike,
        *,
        area: DrawnArea = "step",
        average_precision: float | Sequence[float] | None = None,
        name: str | Sequence[str] | None = None,
        pos_label: Label | None = None,
        prevalence_pos_label: float | Sequence[float] | None = None,
        detected: ArrayLike | None = None,
        band: GivenBand | None = None,
    ) -> None:
        self.precision = precision
        self.recall = recall
        self.area = area
        self.average_precision = average_precision
        self.name = name
        self.pos_label = pos_label
        self.prevalence_pos_label = prevalence_pos_label
        self.detected = detected
        self.band = band

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        name: str | Sequence[str] | None = None,
        curve_kwargs: CurveStyles = None,
        plot_chance_level: bool = False,
        chance_level_kw: Style | None = None,
        plot_band: bool = False,
        band_kwargs: Style | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curve, or the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; by default new ones in a new figure. Empty axes get colours and line styles that
            people with any colour vision can tell apart, also in black and white.

        name : str or list of str, default=None
            Name for the legend; by default that of the display.

        curve_kwargs : dict or list of dict, default=None
            Arguments of matplotlib's `plot`. With a list, one dict per curve, each curve has its own legend
            entry. Otherwise several curves share one, with the mean and the standard deviation.

        plot_chance_level : bool, default=False
            Whether to draw the share of positives, the precision of random scores.

        chance_level_kw : dict, default=None
            Arguments of matplotlib's `plot` for the chance level.

        plot_band : bool, default=False
            Whether to draw the band, which a display has from `band` or from ``plot_band=True`` in a method
            ``from_...``.

        band_kwargs : dict, default=None
            Arguments of matplotlib's `fill_between` for the band.

        despine : bool, default=False
            Whether to hide the top and right spine.

        Returns
        -------
        display : AveragePrecisionDisplay
            The display itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If `area` is unknown, the lists differ in length, there are several names but one style,
            `prevalence_pos_label` is missing for the chance level, or there is no band to draw.
        """
        check_option("area", self.area, AREAS)
        curves = points_of(listed(self.precision), listed(self.recall), listed(self.detected))
        prevalences = share_each("prevalence_pos_label", self.prevalence_pos_label, len(curves))
        if plot_chance_level and prevalences is None:
            raise ValueError(
                "prevalence_pos_label must be given to draw the chance level; the methods from_... set it."
            )
        band = read_band(self.band, len(curves)) if plot_band else None
        values = one_each("average_precision", self.average_precision, len(curves))
        shown = self.name if name is None else name
        labels = labels_of(shown, AREAS[self.area].legend, values, curves, curve_kwargs)
        styles = styles_of(curve_kwargs, len(curves))
        paths = paths_of(self.area, curves)
        self.ax_, self.figure_ = axes_for(ax)
        drawn = zip(paths, styles, labels, strict=True)
        lines = [draw_path(self.ax_, path, style, label) for path, style, label in drawn]
        self.line_ = one_or_all(lines)
        self.band_ = None if band is None else draw_band(self.ax_, lines[0], band, band_kwargs)
        # Wider margins for the eleven points: dots at recall 0 and 1 must not be cut at the frame.
        label_axes(self.ax_, self.pos_label, margin=0.02 if self.area == "eleven-point" else 0.01)
        self.chance_level_ = None
        if plot_chance_level and prevalences is not None:
            self.chance_level_ = one_or_all(
                draw_chance_levels(self.ax_, curves, prevalences, chance_level_kw)
            )
        if despine:
            remove_spines(self.ax_)
        self.marks_, self.iso_f_lines_ = [], []
        add_legend(self.ax_, values)
        return self

    def mark(self, point: OperatingPoint, *, name: str | None = None, **kwargs: Any) -> Self:
        """Mark an operating point, with a legend entry.

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
        display : AveragePrecisionDisplay
            The display itself, so that calls can be chained.

        Raises
        ------
        ValueError
            If `point` is not an operating point, or the display is not drawn yet.

        See Also
        --------
        plot_iso_f : Show which points have the same F-beta.
        """
        check_drawn(self, "mark")
        point = check_point(point)
        numbers = f"precision {rounded(point.precision)}, recall {rounded(point.recall)}"
        colour = (self.line_[0] if isinstance(self.line_, list) else self.line_).get_color()
        drawn = draw_mark(
            self.ax_,
            point.recall,
            point.precision,
            label=label_of(point, name, numbers),
            colour=colour,
            n_before=len(self.marks_),
            given=kwargs,
        )
        self.marks_.append(drawn)
        add_legend(self.ax_, self._values())
        return self

    def plot_iso_f(self, levels: Sequence[float] = (0.2, 0.4, 0.6, 0.8), *, beta: float = 1.0) -> Self:
        r"""Draw lines on which all points have the same F-beta, with the value beside each line.

        .. math::
            F_\beta = \frac{(1 + \beta^2) \, p \, r}{\beta^2 p + r}

        F-beta judges one threshold. The lines show which threshold of a curve is the best by F-beta, and what
        average precision, which judges all thresholds, is made of.

        Parameters
        ----------
        levels : array-like of shape (n_lines,), default=(0.2, 0.4, 0.6, 0.8)
            Values of F-beta, between 0 and 1.

        beta : float, default=1.0
            How many times more recall counts than precision, as in :func:`sklearn.metrics.fbeta_score`.

        Returns
        -------
        display : AveragePrecisionDisplay
            The display itself, so that calls can be chained.

        Raises
        ------
        ValueError
            If a level is not between 0 and 1, `beta` is not above 0, or the display is not drawn yet.

        See Also
        --------
        mark : Mark an operating point.
        sklearn.metrics.fbeta_score : F-beta of one threshold.

        Examples
        --------
        >>> from sklearn_ap import AveragePrecisionDisplay
        >>> display = AveragePrecisionDisplay.from_predictions([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6])
        >>> recall, precision = display.plot_iso_f([0.8]).iso_f_lines_[0].get_data()
        >>> (2 * precision * recall / (precision + recall)).round(12)[[0, 100, -1]]
        array([0.8, 0.8, 0.8])
        """
        check_drawn(self, "plot_iso_f")
        self.iso_f_lines_ += draw_iso_f(self.ax_, levels, beta)
        return self

    def _values(self) -> Sequence[float] | None:
        """Return the values in the legend, one per curve, or None."""
        return None if self.average_precision is None else np.atleast_1d(self.average_precision).tolist()

"""Axes, legends and labels of all displays."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from .._core.reading.options import short_repr
from .._core.typing import FloatArray, Label
from .styles import COLOURS, LINE_STYLES, Style, import_pyplot

# matplotlib is optional, so it is imported for type checkers only. At run time, the
# names exist for `get_type_hints`, which reads the fields of displays.
if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.text import Text
else:
    Axes = Figure = Any


# A legend with more entries than this is drawn next to the axes. Inside the axes, it
# would hide the curves.
_MOST_INSIDE = 8
# Largest number of entries in a column of a legend. A column with more entries would be
# higher than the axes.
_MOST_OF_COLUMN = 20
# The label of the vertical axis is at most this share of the height of the figure.
_MOST_OF_HEIGHT = 0.8
# The curves of displays. Their labels contain names, which are not formulas.
_CURVES: WeakSet[Line2D] = WeakSet()
# Figures that displays opened. Several displays may draw on one of them.
_FIGURES: WeakSet[Figure] = WeakSet()
# Sizes of a legend's letters, in points, from the largest to the smallest.
_LEGEND_SIZES = range(10, 3, -1)
# Mean width of a letter, as a share of its size.
_WIDTH_OF_LETTER = 0.6


def show_as_text(*texts: Text) -> None:
    """Show texts with names as they are. In matplotlib, two dollar signs enclose a
    formula, and one that it cannot read is an error.
    """
    for text in texts:
        text.set_parse_math(False)


class Display:
    """Base class of all displays. It chooses the axes and their colours, and writes the
    legend and the label of the positive class.
    """

    pos_label: Label | None
    ax_: Axes
    figure_: Figure

    def _draw_on(self, ax: Axes | None) -> None:
        """Store these axes, or new axes if `ax` is None. Set the colours and line
        styles of empty axes, unless the user has chosen another cycle of colours.
        """
        plt = import_pyplot()
        if ax is None:
            figure, ax = plt.subplots()
            _FIGURES.add(figure)
        if not isinstance(ax, plt.Axes):
            raise ValueError(
                f"ax must be None or one Axes of matplotlib; got {short_repr(ax)}."
            )
        self.ax_ = ax
        # If the axes are in a subfigure, which cannot be saved, the canvas refers to
        # the whole figure.
        self.figure_ = self.ax_.figure.canvas.figure
        # On axes with curves, a new cycle would begin again with a colour that is
        # already used.
        if self.ax_.has_data():
            return
        cycle = plt.rcParams["axes.prop_cycle"]
        if cycle == plt.rcParamsDefault["axes.prop_cycle"]:
            self.ax_.set_prop_cycle(
                color=COLOURS * len(LINE_STYLES), linestyle=LINE_STYLES * len(COLOURS)
            )
        # Once all colours of a cycle are used, they begin again with the next line
        # style. A cycle that has line styles stays as it is.
        elif "linestyle" not in cycle.keys:
            self.ax_.set_prop_cycle(plt.cycler(linestyle=LINE_STYLES) * cycle)

    def _draw_curve(self, x: FloatArray, y: FloatArray, style: Style) -> Line2D:
        """Draw the line of a curve, whose label contains a name."""
        [line] = self.ax_.plot(x, y, **style)
        _CURVES.add(line)
        return line

    def _label_axes(self, xlabel: str, ylabel: str) -> None:
        """Write the labels of the axes, which may contain the positive class."""
        show_as_text(self.ax_.xaxis.label, self.ax_.yaxis.label)
        self.ax_.set(xlabel=xlabel, ylabel=ylabel)

    def _fit_labels(self) -> None:
        """Let the labels of the axes fit into a small figure. A vertical label that is
        too long gets smaller letters. If labels are still cut, a figure that a display
        has opened leaves room for them.
        """
        label = self.ax_.yaxis.label
        length: float = label.get_window_extent().height
        longest = _MOST_OF_HEIGHT * self.figure_.bbox.height
        if length > longest:
            label.set_fontsize(float(label.get_fontsize()) * longest / length)
        if self.figure_ not in _FIGURES:
            return
        bounds = self.ax_.get_tightbbox()
        if bounds is not None and min(bounds.x0, bounds.y0) < 0:
            self.figure_.set_layout_engine("constrained")

    def _show_shares(self) -> None:
        """Let both axes show the shares 0 to 1, with a margin, so that dots at 0 and 1
        are not cut.

        The limits are then -0.01 and 1.01, as in scikit-learn. They are computed, not
        set: if the user makes an axis logarithmic, matplotlib computes them again. It
        would keep a limit below 0 that was set, and hide the curve. As scikit-learn
        does, `CurvePlot.plot` sets these limits afterwards, if its axes are linear.
        """
        # The axes show 0 and 1 even if the curve does not reach both.
        self.ax_.update_datalim([(0, 0), (1, 1)])
        self.ax_.margins(0.01)
        # Compute the limits from the data and the margins, even if other limits were
        # set before.
        self.ax_.autoscale(True)

    def _new_entry(self, text: str) -> str:
        """Return the text as the label of a line; or a label that keeps the line out of
        the legend, if the legend already contains the text.
        """
        _, entries = self.ax_.get_legend_handles_labels()
        if text in entries:
            return "_nolegend_"
        return text

    def _positive_label(self) -> str:
        """Return the text that names the positive class in an axis label.

        It is empty if the class is unknown, or if the axis label of an earlier display
        shows another class.
        """
        positive = ""
        if self.pos_label is not None:
            positive = f" (Positive label: {self.pos_label})"
        before = self.ax_.get_ylabel()
        if not before or before.endswith(positive):
            return positive
        return ""

    def _add_legend(self, title: str | None = None) -> None:
        """Add a legend if a line has an entry. Its entries wrap, and its letters are as
        large as fit into the axes, or next to them.

        A legend with many entries is placed next to the axes, if the layout of the
        figure leaves room for it.
        """
        lines, entries = self.ax_.get_legend_handles_labels()
        if not entries:
            return
        place: dict[str, Any] = {}
        width, height = self.ax_.bbox.size
        is_long = len(entries) > _MOST_INSIDE
        if is_long and self.figure_ in _FIGURES:
            # This layout leaves room for a legend next to the axes.
            self.figure_.set_layout_engine("constrained")
        if is_long and self.figure_.get_layout_engine():
            # Square axes would leave no room for the legend: matplotlib would cut it.
            self.ax_.set_aspect("auto")
            width, height = self.figure_.bbox.width / 2, 0.9 * self.figure_.bbox.height
            place = {
                "loc": "center left",
                "bbox_to_anchor": (1, 0.5),
                "ncols": math.ceil(len(entries) / _MOST_OF_COLUMN),
            }
        for size in _LEGEND_SIZES:
            n_letters = int(width * 72 / self.figure_.dpi / size / _WIDTH_OF_LETTER)
            # A line of the legend takes the room of some letters.
            texts = [textwrap.fill(text, max(n_letters - 6, 8)) for text in entries]
            legend = self.ax_.legend(
                lines,
                texts,
                title=title and textwrap.fill(title, max(n_letters - 2, 8)),
                fontsize=size,
                title_fontsize=size,
                **place,
            )
            named = [
                text
                for line, text in zip(lines, legend.get_texts(), strict=True)
                if line in _CURVES
            ]
            show_as_text(legend.get_title(), *named)
            box = legend.get_window_extent()
            if box.width <= width and box.height <= height:
                return

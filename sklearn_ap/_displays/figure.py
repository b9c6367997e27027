"""Axes, styles and legends of all displays."""

import math
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.typing import Label

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
else:  # for `get_type_hints`, which reads the fields of displays
    Axes = Figure = Any


Style = Mapping[str, Any]  # keyword arguments, each of a type of its own

# Okabe and Ito's colours, which people with any colour vision can distinguish
# (https://jfly.uni-koeln.de/color/).
BLUE = "#0072B2"
COLOURS = (BLUE, "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
# A line style for each colour, so that a print in black and white can be read too.
# With one more than colours, curve 7 is not like curve 1.
LINE_STYLES = (
    "-",
    "--",
    "-.",
    (0, (1, 1)),
    (0, (6, 1, 1, 1, 1, 1)),
    (0, (8, 3)),
    (0, (3, 3, 1, 3)),
)
_MOST_INSIDE = 8  # entries of a legend that leave room for the curves
_MOST_OF_COLUMN = 20  # entries that are as high as the axes
CHANCE_STYLE: Style = {"color": "0.5", "linestyle": (0, (1, 3)), "linewidth": 1.2}


def import_pyplot() -> ModuleType:
    """Return `matplotlib.pyplot`, or raise an error with the command that installs
    it.
    """
    try:
        import matplotlib.pyplot as plt  # optional, and slow to import
    except ImportError as error:
        raise ImportError(
            "sklearn_ap's displays require matplotlib: pip install matplotlib"
        ) from error
    return plt


def resolve_style(style: Style | None, /, **defaults: Any) -> dict[str, Any]:
    """Return the keyword arguments of `Axes.plot`, with their aliases resolved."""
    import_pyplot()
    from matplotlib import cbook, lines

    # Without this, `lw=3` together with the default `linewidth` would be an error.
    return {**defaults, **cbook.normalize_kwargs(dict(style or {}), lines.Line2D)}


def rounded(value: float | np.floating) -> str:
    """Return a value with two decimals or, below 0.1 (rare classes), two significant
    digits.
    """
    # Two decimals show 0.0995 as 0.10, so values from there on count as 0.1.
    if 0 < value < 0.0995:
        return f"{value:.2g}"
    return f"{value:.2f}"


def entry(name: str | None, note: str | None) -> str | None:
    """Return the entry of a legend: a name with a note, or one of both."""
    if name and note:
        return f"{name} ({note})"
    return name or note


class Display:
    """Base class of all displays: axes, their figure and the label of the positive
    class.
    """

    pos_label: Label | None
    ax_: "Axes"
    figure_: "Figure"

    def _draw_on(self, ax: "Axes | None") -> None:
        """Store these axes, or new ones; empty axes get the colours and line styles
        above as their cycle.
        """
        plt = import_pyplot()
        if ax is None:
            # Room for a legend next to the axes
            ax = plt.subplots(layout="constrained")[1]
        self.ax_ = ax
        # The axes of a subfigure have a figure that cannot be saved; its canvas knows
        # the one that can.
        self.figure_ = self.ax_.figure.canvas.figure
        # Only empty axes: a new cycle would start again with a colour that is already
        # drawn.
        if not self.ax_.has_data():
            self.ax_.set_prop_cycle(
                color=COLOURS * len(LINE_STYLES), linestyle=LINE_STYLES * len(COLOURS)
            )

    def _new_entry(self, text: str) -> str:
        """Return a text for the legend, unless an earlier display has an entry of
        it.
        """
        if text in self.ax_.get_legend_handles_labels()[1]:
            return "_nolegend_"
        return text

    def _positive_label(self) -> str:
        """Return the positive class for an axis label, unless it is 1, or another one
        of earlier displays.
        """
        positive = ""
        if self.pos_label not in (None, 1):
            positive = f" (Positive label: {self.pos_label})"
        before = self.ax_.get_ylabel()
        if not before or before.endswith(positive):
            return positive
        return ""

    def _add_legend(self, title: str | None = None) -> None:
        """Add the legend of matplotlib, if there are entries; next to the axes, where
        it would cover the curves.
        """
        n_entries = len(self.ax_.get_legend_handles_labels()[1])
        if n_entries > _MOST_INSIDE:
            self.ax_.legend(
                title=title,
                loc="center left",
                bbox_to_anchor=(1, 0.5),
                ncols=math.ceil(n_entries / _MOST_OF_COLUMN),
            )
        elif n_entries:
            self.ax_.legend(title=title)

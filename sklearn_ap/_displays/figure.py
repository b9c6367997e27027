"""Axes, styles and legends of all displays."""

import math
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.typing import Label

# matplotlib is optional, so it is imported for type checkers only. At run time, the
# names exist for `get_type_hints`, which reads the fields of displays.
if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
else:
    Axes = Figure = Any


# Keyword arguments of matplotlib.
Style = Mapping[str, Any]

# Okabe and Ito's colours, which people with any colour vision can distinguish
# (https://jfly.uni-koeln.de/color/).
BLUE = "#0072B2"
COLOURS = (BLUE, "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
# Curves differ in line style, too, so that a print in black and white can be read.
# There is one more style than colours, so that curve 7 differs from curve 1.
LINE_STYLES = (
    "-",
    "--",
    "-.",
    (0, (1, 1)),
    (0, (6, 1, 1, 1, 1, 1)),
    (0, (8, 3)),
    (0, (3, 3, 1, 3)),
)
# A legend with more entries than this is drawn next to the axes. Inside the axes, it
# would hide the curves.
_MOST_INSIDE = 8
# Largest number of entries in a column of a legend. A column with more entries would be
# higher than the axes.
_MOST_OF_COLUMN = 20
CHANCE_STYLE: Style = {"color": "0.5", "linestyle": (0, (1, 3)), "linewidth": 1.2}


def import_pyplot() -> ModuleType:
    """Return `matplotlib.pyplot`. Raise ImportError with the command that installs it
    if it is missing.
    """
    try:
        # matplotlib is optional, and slow to import.
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "sklearn_ap's displays require matplotlib: pip install matplotlib"
        ) from error
    return plt


def has_default_cycle() -> bool:
    """Return whether matplotlib's default cycle of colours is in use."""
    import_pyplot()
    from matplotlib import rcParams, rcParamsDefault

    return bool(rcParams["axes.prop_cycle"] == rcParamsDefault["axes.prop_cycle"])


def resolve_style(style: Style | None, /, **defaults: Any) -> dict[str, Any]:
    """Return the keyword arguments of `Axes.plot` from the style of the caller and the
    defaults, which the style overrides. All of them have their full names.
    """
    import_pyplot()
    from matplotlib import cbook, lines

    # Replace aliases by full names: matplotlib raises an error for `lw=3` together with
    # the default `linewidth`.
    return {**defaults, **cbook.normalize_kwargs(dict(style or {}), lines.Line2D)}


def rounded(value: float | np.floating) -> str:
    """Return a value with two decimals or, below 0.1 (rare classes), two significant
    digits.
    """
    # From 0.0995 on, a value is rounded to 0.10 or more, so two decimals are two
    # significant digits.
    if 0 < value < 0.0995:
        return f"{value:.2g}"
    return f"{value:.2f}"


def entry(name: str | None, note: str | None) -> str | None:
    """Return the entry of a legend: "name (note)", or only the name or the note if the
    other one is empty.
    """
    if name and note:
        return f"{name} ({note})"
    return name or note


class Display:
    """Base class of all displays. It chooses the axes and their colours, and writes the
    legend and the label of the positive class.
    """

    pos_label: Label | None
    ax_: "Axes"
    figure_: "Figure"

    def _draw_on(self, ax: "Axes | None") -> None:
        """Store these axes, or new axes if `ax` is None. Set the colours and line
        styles of empty axes, unless the user has chosen another cycle of colours.
        """
        plt = import_pyplot()
        if ax is None:
            # The constrained layout leaves room for a legend next to the axes.
            _, ax = plt.subplots(layout="constrained")
        self.ax_ = ax
        # If the axes are in a subfigure, which cannot be saved, the canvas refers to
        # the whole figure.
        self.figure_ = self.ax_.figure.canvas.figure
        # On axes with curves, a new cycle would begin again with a colour that is
        # already used.
        if has_default_cycle() and not self.ax_.has_data():
            self.ax_.set_prop_cycle(
                color=COLOURS * len(LINE_STYLES), linestyle=LINE_STYLES * len(COLOURS)
            )

    def _show_shares(self) -> None:
        """Let both axes show the shares 0 to 1, with a margin, so that dots at 0 and 1
        are not cut.

        The limits are not set to numbers, such as -0.02 and 1.02. If the user makes an
        axis logarithmic, matplotlib computes margins again, but keeps such limits. With
        a limit below 0, it would hide the curve.
        """
        # The axes show 0 and 1 even if the curve does not reach both.
        self.ax_.update_datalim([(0, 0), (1, 1)])
        self.ax_.margins(0.02)
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

        It is empty if the class is 1, or if the axis label of an earlier display shows
        another class.
        """
        positive = ""
        if self.pos_label not in (None, 1):
            positive = f" (Positive label: {self.pos_label})"
        before = self.ax_.get_ylabel()
        if not before or before.endswith(positive):
            return positive
        return ""

    def _add_legend(self, title: str | None = None) -> None:
        """Add a legend if a line has an entry. A legend with many entries is placed
        next to the axes.
        """
        _, entries = self.ax_.get_legend_handles_labels()
        n_entries = len(entries)
        if n_entries > _MOST_INSIDE:
            self.ax_.legend(
                title=title,
                loc="center left",
                bbox_to_anchor=(1, 0.5),
                ncols=math.ceil(n_entries / _MOST_OF_COLUMN),
            )
        elif n_entries:
            self.ax_.legend(title=title)

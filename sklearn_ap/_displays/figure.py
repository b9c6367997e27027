"""Axes, styles and legends of all displays."""

import textwrap
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.typing import Label

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.artist import Artist
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
LINE_STYLES = ("-", "--", "-.", (0, (1, 1)), (0, (6, 1, 1, 1, 1, 1)), (0, (8, 3)))
# Each round of colours moves the line styles on, so that curve 7 is not like curve 1.
_ROUNDS = range(len(LINE_STYLES))
CHANCE_STYLE: Style = {"color": "0.5", "linestyle": (0, (1, 3)), "linewidth": 1.2}
# The first words of legend entries that stand last.
PERFECT, RANDOM, CHANCE = REFERENCES = (
    "Perfect ranking",
    "Random ranking",
    "Chance level",
)
_LETTERS_PER_INCH = 12.0  # of a label
_MAX_LEGEND_ROWS = 6  # of a legend inside the axes


def import_pyplot() -> ModuleType:
    """Return `matplotlib.pyplot`, or raise an error with the command that installs
    it.
    """
    try:
        import matplotlib.pyplot as plt  # noqa: PLC0415  # optional, and slow to import
    except ImportError as error:
        raise ImportError(
            "sklearn_ap's displays require matplotlib: pip install matplotlib"
        ) from error
    return plt


def resolve_style(style: Style | None, /, **defaults: Any) -> dict[str, Any]:
    """Return the keyword arguments of `Axes.plot`, with their aliases resolved."""
    import_pyplot()
    from matplotlib import cbook, lines  # noqa: PLC0415  # optional

    # Without this, `lw=3` together with the default `linewidth` would be an error.
    return {**defaults, **cbook.normalize_kwargs(dict(style or {}), lines.Line2D)}


def rounded(value: float | np.floating, digits: int = 2) -> str:
    """Return a value with `digits` decimals or, below 0.1 (rare classes), significant
    digits.
    """
    # Two decimals show 0.0995 as 0.10, so values from there on count as 0.1.
    if 0 < value < 0.0995:
        return f"{value:.{digits}g}"
    return f"{value:.{digits}f}"


def entry(name: str | None, note: str | None) -> str | None:
    """Return the entry of a legend: a name with a note, or one of both."""
    if name and note:
        return f"{name} ({note})"
    return name or note


def as_lines(text: str, inches: float, **options: Any) -> str:
    """Return a text in lines no wider than this, if its words allow it; broken before a
    parenthesis first.
    """
    width = max(int(inches * _LETTERS_PER_INCH), 1)
    if max(map(len, text.split("\n"))) > width:
        text = text.replace(" (", "\n(")
    lines = [
        textwrap.fill(line, width, break_long_words=False, **options)
        for line in text.split("\n")
    ]
    return "\n".join(lines)


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
            # A constrained layout leaves space for a legend below the axes.
            ax = plt.subplots(layout="constrained")[1]
        self.ax_ = ax
        # The axes of a subfigure have a figure that cannot be saved; its canvas knows
        # the one that can.
        self.figure_ = self.ax_.figure.canvas.figure
        # Only empty axes: a new cycle would start again with a colour that is already
        # drawn.
        if not self.ax_.has_data():
            styles = [
                style for i in _ROUNDS for style in LINE_STYLES[i:] + LINE_STYLES[:i]
            ]
            self.ax_.set_prop_cycle(color=COLOURS * len(_ROUNDS), linestyle=styles)

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
        before = self.ax_.get_ylabel().replace("\n", " ")
        if not before or before.endswith(positive):
            return positive
        return ""

    def _finish_axes(self, title: str | None = None) -> None:
        """Wrap the labels of the axes and add a legend whose last entries are the
        references.
        """
        self._lay_out()
        self.ax_.set_xlabel(
            as_lines(self.ax_.get_xlabel(), self.ax_.bbox.width / self.figure_.dpi)
        )
        handles, texts = self.ax_.get_legend_handles_labels()
        if texts:
            pairs = zip(handles, texts, strict=True)
            entries = sorted(pairs, key=lambda entry: entry[1].startswith(REFERENCES))
            self._draw_legend(title, *map(list, zip(*entries, strict=True)))
        self._lay_out()  # a label in two lines has changed the height
        self.ax_.set_ylabel(
            as_lines(self.ax_.get_ylabel(), self.ax_.bbox.height / self.figure_.dpi)
        )

    def _lay_out(self) -> None:
        """Give the axes their size in the figure, if a label has words to wrap.

        It takes nine tenths of a plot of 1,000 rows.
        """
        layout = self.figure_.get_layout_engine()
        if layout is not None and " " in self.ax_.get_xlabel() + self.ax_.get_ylabel():
            layout.execute(self.figure_)

    def _draw_legend(
        self, title: str | None, handles: list["Artist"], texts: list[str]
    ) -> None:
        """Draw a legend where it covers least of the curves, or below the axes if it
        has many entries.
        """
        width = self.figure_.get_figwidth()
        style: dict[str, Any] = {
            "handles": handles,
            "title": title and as_lines(title, 0.7 * width),
            "fontsize": "small",
            "title_fontsize": "small",
        }
        if len(texts) <= _MAX_LEGEND_ROWS:
            labels = [as_lines(text, 0.7 * width) for text in texts]
            self.ax_.legend(**style, labels=labels, loc="best")
            return
        # Two columns; the end of a text is its number.
        n_letters = max(int(width * _LETTERS_PER_INCH / 2), 20)
        labels = [
            text if len(text) <= n_letters else f"{text[: n_letters - 12]}…{text[-11:]}"
            for text in texts
        ]
        if self.figure_.get_layout_engine() is None:
            self.figure_.set_layout_engine("tight")  # leaves room below the axes
        below = {
            "loc": "upper center",
            "bbox_to_anchor": (0.5, -0.15),
            "fontsize": "x-small",
        }
        self.ax_.legend(**style | below, labels=labels, ncols=2)

"""Axes, styles and legends of all displays."""

from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .._registry import SCORER_NAMES
from .._scorers import make_scorer
from .._typing import Label, ScoreFunction

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


Style = Mapping[str, Any]  # keyword arguments, each of a type of its own
Ends = tuple[float, float]  # of an axis

# Okabe and Ito's colours, which people with any colour vision can distinguish (https://jfly.uni-koeln.de/color/).
BLUE, VERMILION = "#0072B2", "#D55E00"
COLOURS = (BLUE, VERMILION, "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
# A line style for each colour, so that a print in black and white can be read too.
LINE_STYLES = ("-", "--", "-.", (0, (1, 1)), (0, (6, 1, 1, 1, 1, 1)), (0, (8, 3)))
_ROUNDS = range(len(LINE_STYLES))  # each round moves the line styles on, so that curve 7 is not like curve 1
MARKERS: dict[str, str] = dict(zip(COLOURS, "os^Dvp", strict=True))
CHANCE_STYLE: Style = {"color": "0.5", "linestyle": (0, (1, 3)), "linewidth": 1.2}
# Names that capitalising the name of a scorer gets wrong.
_SPELLINGS = {"Pr auc": "PR AUC", "R precision": "R-precision", "<lambda>": "Score"}
_MAX_ENTRIES_INSIDE = 6  # of a legend; a longer one would cover the curves


def import_pyplot() -> ModuleType:
    """Return `matplotlib.pyplot`, or raise an error with the command that installs it."""
    try:
        import matplotlib.pyplot as plt  # noqa: PLC0415  # optional, and slow to import
    except ImportError as error:
        raise ImportError("sklearn_ap's displays require matplotlib: pip install matplotlib") from error
    return plt


def resolve_style(kind: Literal["line", "patch"], style: Style | None, /, **defaults: Any) -> dict[str, Any]:
    """Return the keyword arguments of `Axes.plot` or `Axes.fill_between`, in which aliases are resolved."""
    import_pyplot()
    from matplotlib import cbook, collections, lines  # noqa: PLC0415  # optional

    # Without this, `lw=3` together with the default `linewidth` would be an error.
    artist = lines.Line2D if kind == "line" else collections.PolyCollection
    return {**defaults, **cbook.normalize_kwargs(dict(style or {}), artist)}


def rounded(value: float | np.floating, digits: int = 2) -> str:
    """Return a value with `digits` decimals or, below 0.1 (rare classes), significant digits."""
    # Two decimals show 0.0995 as 0.10, so values from there on count as 0.1.
    return f"{value:.{digits}g}" if 0 < value < 0.0995 else f"{value:.{digits}f}"


def entry(name: str | None, note: str | None) -> str | None:
    """Return the entry of a legend: a name with a note, or one of both."""
    return f"{name} ({note})" if name and note else name or note


def axis_name(score_func: str | ScoreFunction, params: Style) -> str:
    """Return the name of a score for an axis: that of its scorer, as in "Average precision@10"."""
    in_names = {argument for _, argument in SCORER_NAMES.values()}
    cuts = {name: value for name, value in params.items() if name in in_names}
    scorer_name = make_scorer(score_func, **cuts).__name__.replace("_", " ")
    name = scorer_name[:1].upper() + scorer_name[1:]
    return _SPELLINGS.get(name, name)


def within_sentence(name: str) -> str:
    """Return a name with a small letter in front, unless it is an acronym or a symbol."""
    return name[:1].lower() + name[1:] if name[1:2].islower() else name


class Display:
    """Base class of all displays: axes, their figure and the label of the positive class."""

    pos_label: Label | None
    ax_: "Axes"
    figure_: "Figure | SubFigure"

    def _draw_on(self, ax: "Axes | None") -> None:
        """Store these axes, or new ones; empty axes get the colours and line styles above as their cycle."""
        plt = import_pyplot()
        # A constrained layout leaves room for a legend next to the axes.
        self.ax_ = plt.subplots(layout="constrained")[1] if ax is None else ax
        self.figure_ = self.ax_.figure
        # Only empty axes: a new cycle would start again with a colour that is already drawn.
        if not self.ax_.has_data():
            styles = [style for i in _ROUNDS for style in LINE_STYLES[i:] + LINE_STYLES[:i]]
            self.ax_.set_prop_cycle(color=COLOURS * len(_ROUNDS), linestyle=styles)

    def _draw_title_of_classes(self, text: str | None) -> None:
        """Begin the legend with a text, which takes no colour of the cycle."""
        self.ax_.plot([], [], color="none", linestyle="none", label=text)

    def _new_entry(self, text: str) -> str:
        """Return a text for the legend, unless an earlier display has an entry of it."""
        return "_nolegend_" if text in self.ax_.get_legend_handles_labels()[1] else text

    def _positive_label(self) -> str:
        """Return the positive class for an axis label; empty if earlier displays have another one."""
        positive = "" if self.pos_label is None else f" (Positive label: {self.pos_label})"
        before = self.ax_.get_ylabel()
        return positive if not before or before.endswith(positive) else ""

    def _use_whole_ticks(self) -> None:
        """Put the ticks of an axis that counts rows at whole numbers."""
        from matplotlib.ticker import MaxNLocator, ScalarFormatter  # noqa: PLC0415  # optional

        self.ax_.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10], min_n_ticks=1))
        self.ax_.xaxis.set_major_formatter(ScalarFormatter())  # an earlier display may have written names

    def _finish_axes(
        self, loc: str, *, despine: bool, bounds: tuple[Ends, ...] = (), last: tuple[str, ...] = ()
    ) -> None:
        """Add a legend, which entries that begin with one of `last` end; right of the axes if it is long.

        Without the top and right spine, the others run over the values, as in scikit-learn: within `bounds`.
        """
        if despine:
            self.ax_.spines[["top", "right"]].set_visible(False)
            for side, ends in zip(("bottom", "left"), bounds, strict=False):
                self.ax_.spines[side].set_bounds(*ends)
        handles, texts = self.ax_.get_legend_handles_labels()
        entries = sorted(zip(handles, texts, strict=True), key=lambda entry: entry[1].startswith(last))
        if entries:
            is_long = len(entries) > _MAX_ENTRIES_INSIDE
            place: Style = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)} if is_long else {"loc": loc}
            self.ax_.legend(*zip(*entries, strict=True), fontsize="small", framealpha=0.9, **place)

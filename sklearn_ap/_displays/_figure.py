"""Axes, styles and legends of all displays."""

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .._rounding import EQUAL
from .._typing import Label

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.typing import ColorType


Style = Mapping[str, Any]  # keyword arguments, each of a type of its own
CurveStyles = Style | Sequence[Style] | None

# Okabe and Ito's colours, which people with any colour vision can distinguish (https://jfly.uni-koeln.de/color/).
BLUE, VERMILION = "#0072B2", "#D55E00"
COLOURS = (BLUE, VERMILION, "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
# A line style for each colour, so that a print in black and white can be read too.
LINE_STYLES = ("-", "--", "-.", (0, (1, 1)), (0, (6, 1, 1, 1, 1, 1)), (0, (8, 3)))
_ROUNDS = range(len(LINE_STYLES))  # each round moves the line styles on, so that curve 7 is not like curve 1
MARKERS: dict[str, str] = dict(zip(COLOURS, "os^Dvp", strict=True))
CHANCE_STYLE: Style = {"color": "0.5", "linestyle": (0, (1, 3)), "linewidth": 1.2}
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


def whole_ticks(ax: "Axes") -> None:
    """Put the ticks of an axis that counts rows at whole numbers."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415  # optional

    ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10], min_n_ticks=1))


def curve_styles(curve_kwargs: CurveStyles, n_curves: int) -> list[Style]:
    """Return the style of each curve: several curves look alike unless a list of styles is passed."""
    if curve_kwargs is None or isinstance(curve_kwargs, Mapping):
        defaults = {"color": BLUE, "linestyle": "-", "linewidth": 1, "alpha": 0.5} if n_curves > 1 else {}
        return [resolve_style("line", curve_kwargs, **defaults)] * n_curves
    if len(curve_kwargs) != n_curves:
        raise ValueError(
            f"curve_kwargs must be a dict, or a list of {n_curves} dicts, one per curve; got "
            f"{curve_kwargs!r}."
        )
    return [resolve_style("line", style) for style in curve_kwargs]


def lighter(colour: "ColorType", share: float = 0.55) -> str:
    """Return the colour mixed with white."""
    from matplotlib import colors  # noqa: PLC0415  # optional

    red, green, blue = (1 - (1 - part) * (1 - share) for part in colors.to_rgb(colour))
    return colors.to_hex((red, green, blue))


def unwrap_single(values: Sequence[object]) -> Any:
    """Return the only value of a list of length 1, as scikit-learn's displays do for a single curve."""
    return values[0] if len(values) == 1 else values


def rounded(value: float | np.floating, digits: int = 2) -> str:
    """Return a value with `digits` decimals or, below 0.1 (rare classes), significant digits."""
    # Two decimals show 0.0995 as 0.10, so values from there on count as 0.1.
    return f"{value:.{digits}g}" if 0 < value < 0.0995 else f"{value:.{digits}f}"


def mean_and_deviation(values: Sequence[float]) -> str:
    """Return the mean and the standard deviation of several values, to the same precision."""
    mean, deviation = np.mean(values), np.std(values)
    if deviation <= EQUAL * abs(mean):  # the values are equal but for their rounding
        return rounded(mean)
    return f"{rounded(mean)} +/- {rounded(deviation) if mean < 0.0995 else f'{deviation:.2f}'}"


def curve_labels(
    name: str | Sequence[str] | None,
    curve_kwargs: CurveStyles,
    n_curves: int,
    notes: Sequence[str | None],
    common_note: str | None,
) -> list[str | None]:
    """Return the legend entry of each curve; the first of curves that look alike has one for all of them."""
    alike = n_curves > 1 and (curve_kwargs is None or isinstance(curve_kwargs, Mapping))
    n_entries = 1 if alike else n_curves
    names = [name] if name is None or isinstance(name, str) else list(name)
    if len(names) not in (1, n_entries):
        several = "a list together with a list of curve_kwargs" if alike else f"a list of {n_curves}"
        raise ValueError(f"name must be a str or {several}; got {name!r}.")
    names *= n_entries // len(names)
    entries = zip(names, [common_note] if alike else notes or [None] * n_curves, strict=True)
    labels = [f"{text} ({note})" if text and note else text or note for text, note in entries]
    return labels + [None] * (n_curves - n_entries)


def add_legend(ax: "Axes", loc: str, last: tuple[str, ...] = ()) -> None:
    """Add a legend, right of the axes if it is long; entries that begin with one of `last` end it."""
    entries = list(zip(*ax.get_legend_handles_labels(), strict=True))
    if not entries:
        return
    at_end = [entry for entry in entries if entry[1].startswith(last)]
    entries = [entry for entry in entries if entry not in at_end] + at_end
    location: Style = {"loc": loc}
    if len(entries) > _MAX_ENTRIES_INSIDE:
        location = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
    handles, labels = zip(*entries, strict=True)
    ax.legend(handles, labels, fontsize="small", framealpha=0.9, **location)


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

    def _positive_label(self) -> str:
        """Return the positive class for an axis label; empty if earlier displays have another one."""
        positive = "" if self.pos_label is None else f" (Positive label: {self.pos_label})"
        before = self.ax_.get_ylabel()
        return positive if not before or before.endswith(positive) else ""

    def _remove_spines(
        self, x: tuple[float, float] = (0.0, 1.0), y: tuple[float, float] = (0.0, 1.0)
    ) -> None:
        """Hide the top and right spine, and let the others run over the values, as scikit-learn does."""
        self.ax_.spines[["top", "right"]].set_visible(False)
        self.ax_.spines["bottom"].set_bounds(*x)
        self.ax_.spines["left"].set_bounds(*y)

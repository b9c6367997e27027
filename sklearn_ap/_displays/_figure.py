"""What displays share: axes, styles, legends, and operating points that are marked on a curve."""

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import numpy as np

from .._operating_points import OperatingPoint
from .._public import Public
from .._typing import Label

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D
    from matplotlib.typing import ColorType


Style = Mapping[str, Any]  # keyword arguments of matplotlib, each of a type of its own
Corner = Literal["lower right", "center right", "upper right", "upper left", "lower left"]  # of a legend
CurveStyles = Style | Sequence[Style] | None

# Okabe and Ito's colours, which people with any colour vision tell apart (https://jfly.uni-koeln.de/color/).
BLUE, VERMILION, GREEN, PURPLE, SKY, ORANGE = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00"
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, SKY, ORANGE)
# A line style for each colour, so that a print in black and white can be read too.
LINE_STYLES = ("-", "--", "-.", (0, (1, 1)), (0, (6, 1, 1, 1, 1, 1)), (0, (8, 3)))
MARKERS = dict(zip(COLOURS, "os^Dvp", strict=True))
_MARKERS = "oDs^vP*"  # of the first mark of a display, of the second, and so on
CHANCE_STYLE: Style = {"color": "0.4", "linestyle": (0, (1, 3)), "linewidth": 1.2}


def import_pyplot() -> ModuleType:
    """Return `matplotlib.pyplot`, or raise an error that says how to install it."""
    try:
        import matplotlib.pyplot as plt  # noqa: PLC0415  # optional, and slow to import
    except ImportError as error:
        raise ImportError("sklearn_ap's displays need matplotlib: pip install matplotlib") from error
    return plt


def style_of(kind: Literal["line", "patch"], given: Style | None, /, **defaults: Any) -> dict[str, Any]:
    """Return keyword arguments of `Axes.plot` or `Axes.fill_between`: defaults, and the given ones.

    Aliases of the given ones are resolved.
    """
    import_pyplot()
    from matplotlib import cbook, collections, lines  # noqa: PLC0415  # optional

    # Without this, `lw=3` beside the default `linewidth` would be an error.
    artist = lines.Line2D if kind == "line" else collections.PolyCollection
    return {**defaults, **cbook.normalize_kwargs(dict(given or {}), artist)}


def whole_ticks(ax: "Axes") -> None:
    """Put the ticks of an axis that counts rows at whole numbers."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415  # optional

    ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10], min_n_ticks=1))


def automatic_ticks(ax: "Axes") -> None:
    """Let matplotlib place the ticks of the vertical axis again, where `free_place` has fixed them."""
    from matplotlib.ticker import AutoLocator, FixedLocator  # noqa: PLC0415  # optional

    if isinstance(ax.yaxis.get_major_locator(), FixedLocator):
        ax.yaxis.set_major_locator(AutoLocator())


def free_place(ax: "Axes", labels: Sequence[str]) -> Corner:
    """Return a place where a small legend of these entries covers no line; if there is none, make room above.

    matplotlib's ``"best"`` looks at every point of every line, and is slow for long curves.
    """
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    at = np.linspace(0, 1, 101)
    # The size of the legend as a share of the axes: a letter is about 5 points wide, a line 13 points high.
    points = 72 / ax.figure.dpi
    width = min((35 + 5 * max(map(len, labels))) / (ax.bbox.width * points), 1)
    height = min((12 + 13 * len(labels)) / (ax.bbox.height * points), 0.6)
    covered: dict[Corner, int] = dict.fromkeys(get_args(Corner), 0)
    for line in ax.lines:
        x, y = (np.asarray(values, dtype=np.float64) for values in line.get_data())
        level = np.interp(left + at * (right - left), x, y, left=np.nan, right=np.nan)
        level = (level - bottom) / (top - bottom)
        for place in covered:
            vertical, side = place.split()
            beside = at >= 1 - width if side == "right" else at <= width
            middle = {"lower": height / 2, "center": 0.5, "upper": 1 - height / 2}[vertical]
            covered[place] += int((beside & (np.abs(level - middle) <= height / 2)).sum())
    free = min(covered, key=lambda place: covered[place])
    if not covered[free]:
        return free
    # No ticks in this room: a recall of 1.2 does not exist.
    ticks = [tick for tick in ax.get_yticks() if bottom <= tick <= top]
    ax.set_ylim(bottom, bottom + (top - bottom) / (1 - height))
    ax.set_yticks(ticks)
    return "upper left"


def styles_of(curve_kwargs: CurveStyles, n_curves: int) -> list[Style]:
    """Return the style of each curve: several curves look alike unless a list of styles is given."""
    if curve_kwargs is None or isinstance(curve_kwargs, Mapping):
        defaults = {"color": BLUE, "linestyle": "-", "linewidth": 1, "alpha": 0.5} if n_curves > 1 else {}
        return [style_of("line", curve_kwargs, **defaults)] * n_curves
    if len(curve_kwargs) != n_curves:
        raise ValueError(
            f"curve_kwargs must be a dict, or a list with one for each of {n_curves} curves; got "
            f"{curve_kwargs!r}."
        )
    return [style_of("line", one) for one in curve_kwargs]


def lighter(colour: "ColorType", share: float = 0.55) -> str:
    """Return the colour mixed with white."""
    from matplotlib import colors  # noqa: PLC0415  # optional

    red, green, blue = (1 - (1 - part) * (1 - share) for part in colors.to_rgb(colour))
    return colors.to_hex((red, green, blue))


def one_or_all(values: Sequence[object]) -> Any:
    """Return a list of one as its only value, as scikit-learn's displays do for a single curve."""
    return values[0] if len(values) == 1 else values


def rounded(value: float | np.floating, digits: int = 2) -> str:
    """Return a value for a legend with so many decimals or, below 0.1, so many significant digits.

    Rare classes have values such as 0.0031, which two decimals would show as 0.00.
    """
    # 0.0995 and above are shown as 0.10, so below means below this.
    return f"{value:.{digits}g}" if 0 < value < 0.0995 else f"{value:.{digits}f}"


def mean_and_deviation(values: Sequence[float]) -> str:
    """Return the mean and the standard deviation of several values, to the same precision."""
    mean, deviation = np.mean(values), np.std(values)
    return f"{rounded(mean)} +/- {rounded(deviation) if mean < 0.0995 else f'{deviation:.2f}'}"


def labels_of(
    name: str | Sequence[str] | None,
    curve_kwargs: CurveStyles,
    n_curves: int,
    notes: Sequence[str],
    common_note: str | None,
    *,
    unnamed: str | None = None,
) -> Sequence[str | None]:
    """Return the legend entry of each curve; curves that look alike share one, at the first of them."""
    alike = n_curves > 1 and (curve_kwargs is None or isinstance(curve_kwargs, Mapping))
    names = [name] if name is None or isinstance(name, str) else list(name)
    if len(names) != 1 and (alike or len(names) != n_curves):
        several = "a list beside a list of curve_kwargs" if alike else f"a list of {n_curves}"
        raise ValueError(f"name must be a str or {several}; got {name!r}.")
    if unnamed is not None:
        names = [one or unnamed for one in names]
    if alike:
        return [_label(names[0], common_note), *[None] * (n_curves - 1)]
    each = names * n_curves if len(names) == 1 else names
    if not notes:
        return each
    return [_label(one, note) for one, note in zip(each, notes, strict=True)]


def _label(name: str | None, note: str | None) -> str | None:
    if name is None or note is None:
        return note if name is None else name
    return f"{name} ({note})"


def add_legend(ax: "Axes", values: float | Sequence[float] | None) -> None:
    """Add a legend, if there are entries, in the corner where it hides least of the curves."""
    if ax.get_legend_handles_labels()[0]:
        low = values is not None and np.mean(values) < 0.4  # such curves leave the upper right corner free
        ax.legend(loc="upper right" if low else "lower left", framealpha=0.9)


class Display(metaclass=Public):
    """What all displays have."""

    pos_label: Label | None
    ax_: "Axes"
    figure_: "Figure | SubFigure"

    def _draw_on(self, ax: "Axes | None") -> None:
        """Take these axes and their figure, or new ones for None.

        Empty axes get the colours and line styles above as their cycle, so that displays drawn on the same
        axes look different.
        """
        plt = import_pyplot()
        self.ax_ = plt.subplots()[1] if ax is None else ax
        self.figure_ = self.ax_.figure
        # Only empty axes: a new cycle would start again with a colour that is already drawn.
        if not self.ax_.has_data():
            self.ax_.set_prop_cycle(color=COLOURS, linestyle=LINE_STYLES)

    def _of_class(self) -> str:
        """Return the axis label's part about the positive class: nothing if earlier displays differ."""
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


class CurveDisplay(Display):
    """What displays of curves have: operating points that are marked on the curve."""

    line_: "Line2D | list[Line2D]"
    band_: "PolyCollection | None"
    marks_: "list[Line2D]"

    def _take(self, lines: "list[Line2D]", band: "PolyCollection | None") -> None:
        """Keep what is drawn: a line for one curve, and a list of them for several."""
        self.line_, self.band_, self.marks_ = one_or_all(lines), band, []

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
        display : object
            The display itself, so that calls can be chained.

        Raises
        ------
        ValueError
            If `point` is not an operating point, or the display is not drawn yet. A hit curve also refuses a
            point that does not lie on it, or lies beyond `max_k`.

        See Also
        --------
        operating_point : Find a point.
        """
        self._check_drawn("mark")
        if not isinstance(point, OperatingPoint):
            raise ValueError(
                f"point must be an OperatingPoint, as operating_point returns it; got {point!r}."
            )
        line, x, y, text = self._place_of(point)
        defaults = {
            "label": f"{f'Threshold {point.threshold:.4g}' if name is None else name} ({text})",
            # With the line style, so that the next curve has the next colour of the cycle.
            "color": line.get_color(),
            "linestyle": "none",
            # The marks of one display differ in form, those of several displays in colour.
            "marker": _MARKERS[len(self.marks_) % len(_MARKERS)],
            "markersize": 9,
            "markeredgecolor": self.ax_.spines["left"].get_edgecolor(),  # light on dark axes
            "markeredgewidth": 1.2,
            "clip_on": False,  # a point of recall 1 would be cut in half
            "zorder": 5,
        }
        self.marks_ += self.ax_.plot([x], [y], **style_of("line", kwargs, **defaults))
        self._add_legend()
        return self

    def _check_drawn(self, method: str) -> None:
        if not hasattr(self, "ax_"):
            raise ValueError(f"{method} needs a display that is drawn; call plot() first.")

    def _place_of(self, point: OperatingPoint) -> "tuple[Line2D, float, float, str]":
        """Return the line that holds a point, where it lies on the axes, and what the legend says of it."""
        raise NotImplementedError

    def _add_legend(self) -> None:
        raise NotImplementedError

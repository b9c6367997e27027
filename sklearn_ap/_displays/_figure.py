"""What the displays draw with: matplotlib, axes, colours and line styles, legends."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._areas._path import CurvePoints, Path
from .._typing import Label

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

CurveStyles = Mapping[str, Any] | Sequence[Mapping[str, Any]] | None

# Okabe and Ito's colours, which people with any colour vision tell apart (https://jfly.uni-koeln.de/color/).
BLUE, VERMILION, GREEN, PURPLE, SKY, ORANGE = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00"
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, SKY, ORANGE)
# A line style for each colour, so that a print in black and white can be read too.
LINE_STYLES = ("-", "--", "-.", (0, (1, 1)), (0, (6, 1, 1, 1, 1, 1)), (0, (8, 3)))
MARKERS = dict(zip(COLOURS, "os^Dvp", strict=True))
CHANCE_STYLE: dict[str, Any] = {"color": "k", "linestyle": (0, (1, 3)), "linewidth": 1.2}


def import_pyplot() -> Any:
    """Return `matplotlib.pyplot`, or tell how to install it."""
    try:
        import matplotlib.pyplot as plt  # noqa: PLC0415  # optional, and slow to import
    except ImportError as error:
        raise ImportError("sklearn_ap's displays need matplotlib: pip install matplotlib") from error
    return plt


def axes_for(ax: "Axes | None") -> "tuple[Axes, Any]":
    """Return the axes to draw on, new ones for None, and their figure.

    Axes that nothing was drawn on yet get the colours and line styles above as their cycle, so that displays
    drawn on the same axes differ.
    """
    plt = import_pyplot()
    axes = plt.subplots()[1] if ax is None else ax
    if not axes.has_data():
        axes.set_prop_cycle(color=COLOURS, linestyle=LINE_STYLES)
    return axes, axes.figure


def line_style(given: Mapping[str, Any] | None, **defaults: Any) -> dict[str, Any]:
    """Return keyword arguments of `Axes.plot`: the given ones, by any alias, and defaults."""
    import_pyplot()
    from matplotlib import cbook, lines  # noqa: PLC0415  # optional

    return {**defaults, **cbook.normalize_kwargs(dict(given or {}), lines.Line2D)}


def remove_spines(ax: "Axes") -> None:
    """Hide the top and right spine, and let the others run from 0 to 1, as scikit-learn's `despine` does."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("bottom", "left"):
        ax.spines[side].set_bounds(0, 1)


def styles_of(curve_kwargs: CurveStyles, n_curves: int) -> list[dict[str, Any]]:
    """Return the style of each curve: several that were given none, or one for all, look alike."""
    if curve_kwargs is None or isinstance(curve_kwargs, Mapping):
        alike = {"color": BLUE, "linestyle": "-", "linewidth": 1, "alpha": 0.5} if n_curves > 1 else {}
        return [line_style(curve_kwargs, **alike)] * n_curves
    if len(curve_kwargs) != n_curves:
        raise ValueError(
            f"curve_kwargs must be a dict, or a list with one for each of {n_curves} curves; got "
            f"{curve_kwargs!r}."
        )
    return [line_style(one) for one in curve_kwargs]


def draw_chance_levels(
    ax: "Axes", curves: Sequence[CurvePoints], prevalences: Sequence[float], given: Mapping[str, Any] | None
) -> "list[Line2D]":
    """Draw the share of positives up to the recall of each curve; all have one entry in the legend.

    Where positives were missed, random scores too end at the recall of all rows.
    """
    several = len(prevalences) > 1
    ends = [float(curve.recall[0]) for curve in curves]
    areas = [share * end for share, end in zip(prevalences, ends, strict=True)]
    defaults = {**CHANCE_STYLE, "alpha": 0.5} if several else CHANCE_STYLE
    value = mean_and_deviation(areas) if several else rounded(areas[0])
    style = line_style(given, **defaults)
    label = style.pop("label", f"Chance level (AP = {value})")
    known = ax.get_legend_handles_labels()[1]  # an earlier display may have drawn the same
    levels = zip(prevalences, ends, strict=True)
    lines = [ax.plot((0, end), (share, share), **style)[0] for share, end in levels]
    if label not in known:
        lines[0].set_label(label)
    return lines


def draw_path(ax: "Axes", path: Path, given: Mapping[str, Any], label: Any) -> "Line2D":
    """Draw one curve; that of the eleven points is light, with a dot where it is read off."""
    defaults: dict[str, Any] = {"drawstyle": path.drawstyle, "label": label}
    if path.dots:
        defaults.update(markevery=list(path.dots))
    (line,) = ax.plot(path.recall, path.precision, **{**defaults, **given})
    if path.dots:
        colour = line.get_color()
        if "marker" not in given:
            line.set_marker(MARKERS.get(str(colour), "o"))
        if not {"markerfacecolor", "markeredgecolor"} & set(given):
            line.set(markerfacecolor=colour, markeredgecolor=colour)
        line.set_color(lighter(colour))
    return line


def lighter(colour: Any, share: float = 0.55) -> str:
    """Return the colour mixed with white."""
    from matplotlib import colors  # noqa: PLC0415  # optional

    red, green, blue = (1 - (1 - part) * (1 - share) for part in colors.to_rgb(colour))
    return colors.to_hex((red, green, blue))


def positive_label(ax: "Axes", pos_label: Label | None) -> str:
    """Return what the labels of the axes say of the positive class: nothing where displays before differ."""
    positive = "" if pos_label is None else f" (Positive label: {pos_label})"
    before = ax.get_ylabel()
    return positive if not before or before.endswith(positive) else ""


def label_axes(ax: "Axes", pos_label: Label | None, margin: float = 0.01) -> None:
    """Name the axes and set their limits, as scikit-learn's display does.

    Not their aspect: in a square, half the width of a figure is lost, and legends hide the curves.
    """
    positive = positive_label(ax, pos_label)
    limits = (-margin, 1 + margin)
    ax.set(xlabel=f"Recall{positive}", ylabel=f"Precision{positive}", xlim=limits, ylim=limits)


def listed(arrays: Any) -> Any:
    """Return what was given for one or several curves as a list of one or several, None as it is."""
    several = isinstance(arrays, list | tuple) and len(arrays) > 0 and np.ndim(arrays[0]) > 0
    return arrays if several or arrays is None else [arrays]


def one_each(name: str, values: Any, n_curves: int) -> list[float] | None:
    """Return one number a curve, or None."""
    if values is None:
        return None
    numbers = [values] if np.ndim(values) == 0 else list(values)
    if len(numbers) != n_curves:
        raise ValueError(f"{name} must hold a number for each of {n_curves} curves; got {values!r}.")
    return numbers


def one_or_all(values: list[Any]) -> Any:
    """Return what belongs to a single curve itself, as scikit-learn's displays do."""
    return values[0] if len(values) == 1 else values


def rounded(value: Any, digits: int = 2) -> str:
    """Return a value for a legend: so many decimals, or below 0.1, as of rare classes, significant digits."""
    return f"{value:.{digits}g}" if 0 < value < 0.0995 else f"{value:.{digits}f}"


def mean_and_deviation(values: Sequence[float]) -> str:
    """Return the mean of several values and their standard deviation, to the same precision."""
    mean, deviation = np.mean(values), np.std(values)
    return f"{rounded(mean)} +/- {rounded(deviation) if mean < 0.0995 else f'{deviation:.2f}'}"


def labels_of(
    name: str | Sequence[str] | None,
    metric: str,
    values: Sequence[float] | None,
    curves: Sequence[Any],
    curve_kwargs: CurveStyles,
) -> list[str | None]:
    """Return the legend entry of each curve; several that look alike have one between them."""
    n_curves = len(curves)
    names = [name] if name is None or isinstance(name, str) else list(name)
    alike = n_curves > 1 and (curve_kwargs is None or isinstance(curve_kwargs, Mapping))
    if len(names) != 1 and (alike or len(names) != n_curves):
        wanted = (
            "a str, or a list beside a list of curve_kwargs" if alike else f"a str or a list of {n_curves}"
        )
        raise ValueError(f"name must be {wanted}; got {name!r}.")
    if alike:
        spread = None if values is None else mean_and_deviation(values)
        return [_label(names[0], metric, spread), *[None] * (n_curves - 1)]
    shown = [None] * n_curves if values is None else [rounded(value) for value in values]
    names = names * n_curves if len(names) == 1 else names
    return [_label(one, metric, value) for one, value in zip(names, shown, strict=True)]


def _label(name: str | None, metric: str, value: str | None) -> str | None:
    if value is None:
        return name
    return f"{metric} = {value}" if name is None else f"{name} ({metric} = {value})"


def add_legend(ax: "Axes", values: Sequence[float] | None) -> None:
    """Add a legend, if there are entries, where it hides least: the curves of rare classes run low."""
    if ax.get_legend_handles_labels()[0]:
        low = values is not None and np.mean(values) < 0.4
        ax.legend(loc="upper right" if low else "lower left", framealpha=0.9)

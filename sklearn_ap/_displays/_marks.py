"""Operating points on a curve, and lines of equal F-beta."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from .._operating_points import OperatingPoint
from .._reading import is_real
from .._typing import FloatArray
from ._figure import line_style, rounded

if TYPE_CHECKING:  # matplotlib is optional
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.typing import ColorType

__all__ = ["check_drawn", "check_point", "draw_iso_f", "draw_mark", "iso_f_path", "label_of"]

_MARKERS = "oDs^vP*"  # of the first mark of a display, of the second, and so on
_N_POINTS = 200  # of a line of equal F-beta, which bends


def check_drawn(display: object, method: str) -> None:
    """Refuse a display that has no axes yet."""
    if not hasattr(display, "ax_"):
        raise ValueError(f"{method} needs a display that is drawn; call plot() first.")


def check_point(point: object) -> OperatingPoint:
    """Refuse what is no operating point."""
    if not isinstance(point, OperatingPoint):
        raise ValueError(f"point must be an OperatingPoint, as operating_point returns it; got {point!r}.")
    return point


def label_of(point: OperatingPoint, name: str | None, numbers: str) -> str:
    """Return the legend entry of a mark."""
    return f"{f'Threshold {point.threshold:.4g}' if name is None else name} ({numbers})"


def draw_mark(
    ax: "Axes",
    x: float,
    y: float,
    *,
    label: str,
    colour: "ColorType",
    n_before: int,
    given: dict[str, Any],
) -> "Line2D":
    """Draw one marker; the marks of one display differ in form, those of several displays in colour."""
    defaults = {
        "label": label,
        "color": colour,  # with the line style, so that the next curve has the next colour of the cycle
        "linestyle": "none",
        "marker": _MARKERS[n_before % len(_MARKERS)],
        "markersize": 9,
        "markeredgecolor": ax.spines["left"].get_edgecolor(),  # dark on light axes, light on dark ones
        "markeredgewidth": 1.2,
        "clip_on": False,  # a point of recall 1 would be cut in half
        "zorder": 5,
    }
    (line,) = ax.plot([x], [y], **line_style(given, **defaults))
    return line


def iso_f_path(level: float, beta: float) -> tuple[FloatArray, FloatArray]:
    """Return recall and precision along a line of equal F-beta, from precision 1 to recall 1.

    F = (1 + b^2) p r / (b^2 p + r). With the ratio q = p / r this is r = F (b^2 q + 1) / ((1 + b^2) q).
    Points at equal steps of log q are dense at both ends, where the line bends.
    """
    square = beta**2
    least_recall = square * level / (1 + square - level)
    least_precision = level / (1 + square - square * level)
    ratio = np.geomspace(1 / least_recall, least_precision, _N_POINTS)
    recall = level * (square * ratio + 1) / ((1 + square) * ratio)
    return np.minimum(recall, 1.0), np.minimum(ratio * recall, 1.0)


def draw_iso_f(ax: "Axes", levels: Iterable[float], beta: float) -> "list[Line2D]":
    """Draw a line of equal F-beta for each level, below the curves, with its value beside the axes."""
    if not (is_real(beta) and 0 < beta < np.inf):
        raise ValueError(f"beta must be a number above 0; got {beta!r}.")
    asked = list(levels) if isinstance(levels, Iterable) else []
    if not asked or not all(is_real(level) and 0 < level < 1 for level in asked):
        raise ValueError(f"levels must be numbers between 0 and 1; got {levels!r}.")
    lines = []
    for level in asked:
        recall, precision = iso_f_path(float(level), float(beta))
        (line,) = ax.plot(recall, precision, color="0.6", linestyle="-", linewidth=0.8, zorder=1)
        # Beside the frame, where it hides no curve.
        ax.annotate(
            f"F{beta:g} = {rounded(level)}",
            (1.01, precision[-1]),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize="x-small",
            color="0.45",
            annotation_clip=False,
        )
        lines.append(line)
    return lines

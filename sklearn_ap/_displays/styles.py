"""Styles of lines, and names in a legend."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np

from .._core.reading.options import short_repr

# Keyword arguments of matplotlib.
Style = Mapping[str, Any]

# Okabe and Ito's colours, which people with any colour vision can distinguish
# (https://jfly.uni-koeln.de/color/).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
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
# The style of scikit-learn's curves of folds, which all look the same.
FOLDS_STYLE: Style = {"color": "blue", "linestyle": "--", "alpha": 0.5}


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


def resolve_style(
    style: Style | None, argument: str, /, **defaults: Any
) -> dict[str, Any]:
    """Return the keyword arguments of `Axes.plot`, with their full names: the defaults,
    which the style of the caller overrides. `argument` is the name of the style in
    errors.
    """
    if style is not None and not isinstance(style, Mapping):
        raise ValueError(
            f"{argument} must be None or a dictionary of properties of a line; got "
            f"{short_repr(style)}."
        )
    import_pyplot()
    from matplotlib import cbook, lines

    # Replace aliases by full names: matplotlib raises an error for `lw=3` together with
    # the default `linewidth`.
    return {**defaults, **cbook.normalize_kwargs(dict(style or {}), lines.Line2D)}


def chance_style() -> Style:
    """Return the style of scikit-learn's chance level: black or, if the style of the
    user has another colour of text, such as on dark axes, this colour.
    """
    from matplotlib import rcParams

    text = rcParams["text.color"]
    return {"color": "k" if text == "black" else text, "linestyle": "--"}


def name_or(default: str, name: Any) -> str:
    """Return a name for the legend, or the default. Raise ValueError for an array."""
    if np.ndim(name):
        raise ValueError(f"name must be a str; got {short_repr(name)}.")
    return str(name or default)


def entry(name: str | None, note: str | None = None) -> str | None:
    """Return the entry of a legend: "name (note)", only the name or the note if the
    other one is empty, or None if both are.
    """
    # matplotlib omits entries that begin with "_" from a legend.
    if name and name.startswith("_"):
        name = f" {name}"
    if name and note:
        return f"{name} ({note})"
    return name or note or None

"""What users see of the package: the module of a name, warnings at their line, data
frames of results, and tables for notebooks.

Results show themselves in a notebook as a table with a bar per interval, readable
without styles. Colours are those of the text around, so a table follows light and dark.
"""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import takewhile
from math import isfinite
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

import numpy as np

from .rounding import part_of

if TYPE_CHECKING:
    from pandas import DataFrame

# The text is scikit-learn's.
NO_POSITIVES = (
    "No positive class found in y_true, recall is set to one for all thresholds."
)

# The version of the JSON that results and the command write.
SCHEMA_VERSION = 2

_PACKAGE = str(Path(__file__).parents[1]) + os.sep
_BAR_WIDTH = 200  # pixels of a bar
# A name, its number, and the interval of the number.
Bar = tuple[str, float, float, float]


def show_public(*members: Any) -> None:
    """Let functions and classes name the public module that has them, and not a file.

    So help and pickles contain public names alone, and files can move.
    """
    for member in members:
        if isinstance(member, type):
            # The names in its annotations are those of its file.
            hints = get_type_hints(member)
            own = inspect.get_annotations(member)
            member.__annotations__ = {name: hints[name] for name in own}
        if inspect.isroutine(member) or isinstance(member, type):
            member.__module__ = _public_module(member.__module__)


def let_pickles_find(public: Any, *classes: type) -> None:
    """Let pickles name private classes as attributes of a public name."""
    for private in classes:
        name = f"_{private.__name__.lstrip('_')}"
        setattr(public, name, private)
        private.__qualname__ = f"{public.__name__}.{name}"
        private.__module__ = _public_module(private.__module__)


def _public_module(module: str) -> str:
    """Return the part of a module's name that is public."""
    parts = takewhile(lambda part: not part.startswith("_"), module.split("."))
    return ".".join(parts)


def warn_user(message: str | Warning) -> None:
    """Warn at the innermost line outside the package."""
    # Scores, displays and scorers call from different depths, so no fixed `stacklevel`
    # is right.
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)


def renamed(old: str, value: Any, new: str, current: Any, since: str) -> Any:
    """Return the value of a keyword that was renamed in a minor release; the old keyword
    has the default ``"deprecated"``, and works for two more.
    """
    if isinstance(value, str) and value == "deprecated":
        return current
    major, minor = map(int, since.split("."))
    warn_user(
        FutureWarning(
            f"{old} is deprecated since {since} and goes in {major}.{minor + 2}: write "
            f"{new}={value!r}."
        )
    )
    return value


def data_frame(values: Any, columns: list[str] | None = None) -> DataFrame:
    """Return a pandas DataFrame for a method `to_frame`."""
    try:
        from pandas import DataFrame  # noqa: PLC0415  # an extra, imported where it is used
    except ImportError:
        raise ImportError("to_frame needs pandas: pip install pandas") from None
    return DataFrame(values, columns=columns)


class Markup(str):
    """Text of HTML, which a table does not escape."""

    __slots__ = ()


def html_table(
    headers: Sequence[str], lines: Iterable[Sequence[object]], words: int | None = None
) -> str:
    """Return a table; its column of words is marked, and all but `Markup` is
    escaped.
    """
    mark = {words: ' class="words"'}
    head = "".join(
        f'<th scope="col"{mark.get(i, "")}>{escape(name)}</th>'
        for i, name in enumerate(headers)
    )
    cells = (
        (
            f"<td{mark.get(i, '')}>{x if isinstance(x, Markup) else escape(str(x))}</td>"
            for i, x in enumerate(line)
        )
        for line in lines
    )
    rows = "".join(f"<tr>{''.join(line)}</tr>" for line in cells)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def json_value(value: Any) -> Any:
    """Return a number, a text, or a list or a dictionary of them, as JSON has it.

    JSON has neither NaN nor infinity, so these become None.
    """
    if isinstance(value, Mapping):
        return {key: json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return list(map(json_value, value))
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if not isinstance(value, Real):
        return value
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isfinite(value) else None


def result_html(text: str, numbers: Mapping[str, object], bars: Sequence[Bar]) -> str:
    """Return the text of a result, its intervals as bars, and its numbers; those that
    few need are folded.

    A number that has an interval of its own is a tuple of texts: the value, low, high.
    """
    tables: list[list[Sequence[object]]] = [[], []]
    for name, x in numbers.items():
        if x is None:
            continue
        is_folded = name in ("df", "bias", "n_dropped") or x != x  # NaN
        is_folded |= name in ("margin", "n_fixed_queries") and not x
        # Numbers have the digits that they have in sentences.
        cells = (
            x if isinstance(x, tuple) else [part_of(x) if isinstance(x, Real) else x]
        )
        tables[is_folded].append([name, *cells])
    headers = ["", "value", "low", "high"]
    shown, folded = (
        html_table(headers[: max(map(len, lines))], lines) if lines else ""
        for lines in tables
    )
    # A score has the axis 0 to 1; 0 is in the middle of that of a difference.
    reach = max(
        (abs(end) for _, *ends in bars for end in ends if abs(end) <= 1), default=1.0
    )
    axis = (0.0, 1.0) if all(name == "score" for name, *_ in bars) else (-reach, reach)
    drawn = "".join(_bar(*bar, axis=axis) for bar in bars)
    shown += f"<details><summary>more numbers</summary>{folded}</details>" * bool(
        folded
    )
    return f'<pre style="white-space:pre-wrap">{escape(text)}</pre>{drawn}{shown}'


def _bar(
    name: str, value: float, low: float, high: float, *, axis: tuple[float, float]
) -> str:
    """Return an interval on its axis, with a mark at 0; nothing if the interval is
    NaN.
    """
    left, right = axis
    # Infinite ends stop at the ends of the axis.
    ends = (min(max(end, left), right) for end in (value, low, high, 0.0))
    x, x_low, x_high, zero = (
        f"{_BAR_WIDTH * (end - left) / ((right - left) or 1):.1f}" for end in ends
    )
    paths = f'<path d="M{x_low} 7H{x_high}" stroke-width="8" stroke-opacity=".4"/>'
    paths += f'<path d="M0 7H{_BAR_WIDTH}M{zero} 2V12" stroke-opacity=".5"/>'
    paths += f'<path d="M{x} 1V13" stroke-width="3"/>'
    words = f"{low:.4g} to {high:.4g} on an axis from {left:.4g} to {right:.4g}"
    size = f'width="{_BAR_WIDTH}" height="14" stroke="currentColor" role="img" aria-label="{words}"'
    return (
        f"<p>{left:.2g} <svg {size}>{paths}</svg> {right:.2g} {escape(name)}</p>"
        * bool(low <= high)
    )

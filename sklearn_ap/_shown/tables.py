"""Results as texts and data frames, and values for JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from inspect import Signature, signature
from math import isfinite
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pandas import DataFrame

# The version of the JSON that results and the command write.
SCHEMA_VERSION = 1


class PublicSignature:
    """Signature of a result with its public fields only, as `help` shows it. Private
    fields stay arguments of `__init__`, so that `replace` keeps them.
    """

    def __get__(self, _: object, result: type) -> Signature:
        init = result.__init__  # type: ignore[misc]  # of a class
        parameters = signature(init).parameters.values()
        return Signature(
            [each for each in parameters if not each.name.startswith(("self", "_"))]
        )


class ShownAsText:
    """Base of results that print as text."""

    def _title(self) -> str:
        """Return the kind of the result, with which its `repr` begins."""
        return type(self).__name__

    def __repr__(self) -> str:
        """Return the title and the text of the result."""
        text = str(self)
        # Below a table, whose last line may end in "-", ">" has a line of its own.
        end = "\n>" if "\n" in text else ">"
        return f"<{self._title()}: {text}{end}"


def data_frame(values: Any, columns: list[str] | None = None) -> DataFrame:
    """Return a pandas DataFrame for the methods `to_frame` of results. Raise
    ImportError if pandas is not installed.
    """
    try:
        from pandas import DataFrame
    except ImportError:
        raise ImportError("to_frame needs pandas: pip install pandas") from None
    return DataFrame(values, columns=columns)


def aligned(table: Iterable[Sequence[str]], width: int = sys.maxsize) -> Iterator[str]:
    """Yield the lines of a table: names on the left, and numbers on the right. A name
    that leaves no room for the numbers in this width has a line of its own.
    """
    table = [*table]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    first, *widths = widths or [0]
    room = min(first, max(width - sum(widths) - 2 * len(widths), 0))
    for name, *texts in table:
        start = name.ljust(room)
        if len(start) > room:
            start += "\n" + " " * room
        yield "  ".join([start, *map(str.rjust, texts, widths)]).rstrip()


def json_value(value: Any) -> Any:
    """Return a value in types that JSON has: dict, list, str, bool, int, float or None.

    JSON has neither NaN nor infinity, which become None. A result becomes its
    dictionary.
    """
    if hasattr(value, "to_dict"):
        value = value.to_dict()
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {key: json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return list(map(json_value, value))
    # A number that is not an integer may have another type than float, such as
    # `longdouble`, which `tolist` keeps.
    if isinstance(value, Real) and not isinstance(value, Integral):
        value = float(value)
        if not isfinite(value):
            return None
    return value

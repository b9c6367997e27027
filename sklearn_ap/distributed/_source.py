"""What an engine is: columns with types, and a scan that calls a function on every part of the rows.

An adapter (`_arrow`, `_dask`, `_spark`) makes a `Source` of what the caller passed. It knows nothing of
scores, and the plans know nothing of files and clusters.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from .._typing import AnyArray

State = TypeVar("State")
Told = Callable[[int, int | None], object]  # parts that are done, and parts in all, if known

_LONGEST = 100  # characters; an error shows no more of a value


class SourceError(ValueError):
    """Rows cannot be read as asked; the message is one line with the file, the column and the row."""


def shown(value: object) -> str:
    """Return a user's value as short text on one line."""
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:70]}...{text[-27:]}"


class Place(NamedTuple):
    """Where the rows of a part stand, for errors."""

    name: str  # of the file, quoted, or "partition 3"
    first_row: int = 0  # rows of it that stand before the part

    def error(self, column: str, problem: str, row: int | None = None) -> SourceError:
        """Return an error about a column, or about one of its rows; `row` counts from 0 in the part."""
        where = "" if row is None else f", row {self.first_row + row + 1}"
        return SourceError(f"{self.name}: column {shown(column)}{where}: {problem}")


class Part(NamedTuple):
    """Rows that are read at once: one array of numpy per column, without missing values in objects.

    Floats may hold NaN, which the reader of the part refuses. Text is an array of `str` objects, and dates,
    times and durations are those of numpy. `texts` tells where a column of files of text has its first cell
    that is not a number, and shows the cell: this is what makes all of the column text.
    """

    columns: Mapping[str, AnyArray]
    place: Place
    texts: "Mapping[str, tuple[Place, str]]" = MappingProxyType({})


class Source(Protocol):
    """Rows in parts whose order is fixed, wherever they are."""

    name: str  # of all rows, for errors
    reads_again: bool  # whether `scan` may be called twice
    in_process: bool  # whether a scan calls `step` in this process, in any thread, and once per part

    def columns(self) -> Mapping[str, np.dtype[Any] | None]:
        """Return the columns with the types of their arrays; None for a type that no array has."""

    def n_rows(self) -> int | None:
        """Return the number of rows, or None if nothing but a scan that reads values tells it."""

    def extremes(self, column: str) -> tuple[float, float] | None:
        """Return bounds of all values, where statistics tell them without a scan, or None."""

    def scan(
        self,
        columns: Sequence[str],
        step: Callable[[Part], State],
        combine: Callable[[Sequence[State]], State],
        told: Told,
    ) -> State | None:
        """Call `step` on every part with rows, and `combine` results in the order of the parts.

        `step` and `combine` can be pickled, and so can what they return; `combine` is associative. They raise
        nothing: refused rows are a result too. `told` is called after parts are done. None without rows.
        """

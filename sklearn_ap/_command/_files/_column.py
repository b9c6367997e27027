"""A column as its files hold it, and the errors that name them."""

from collections.abc import Collection, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from ..._typing import AnyArray

__all__ = ["CODED", "Coded", "Column", "FileError", "Located", "Role", "listed", "places", "shown"]

# Arguments that columns fill.
Role = Literal["y_true", "y_score", "sample_weight", "query_id", "item_id", "n_positives"]
CODED: tuple[Role, ...] = ("y_true", "query_id", "item_id")  # whose values are told apart, not compared

_LONGEST = 100  # characters; an error shows no more of a value


class FileError(ValueError):
    """The file cannot be read as asked; the message is one line that says why."""


def shown(value: object) -> str:
    """Return a user's value as short text on one line, without characters that control a terminal."""
    text = repr(value)  # escapes them
    return text if len(text) <= _LONGEST else f"{text[:70]}...{text[-27:]}"


def listed(values: Sequence[object], most: int = 5) -> str:
    """Return the first values, each as `shown` returns it."""
    return ", ".join(map(shown, values[:most])) + (", ..." if len(values) > most else "")


class Coded(NamedTuple):
    """The distinct values of a column, in the order of their first rows, and the place of each row's own."""

    distinct: list[Any]
    code: AnyArray  # integers of 4 bytes: half of what a reference to a Python object takes


class Located(NamedTuple):
    """Which file holds which rows."""

    name: str  # of all files, for errors
    paths: Sequence[str]
    ends: Sequence[int]  # number of rows up to the end of each file
    seen: Sequence[tuple[str, int]] | None = None  # where rows are, if only some of all were kept

    @classmethod
    def of(cls, path: str) -> "Located":
        """Return a single file, whose rows need not be counted."""
        return cls(shown(path), [path], [0])

    def place(self, row: int) -> tuple[str, int]:
        """Return the path of a row's file and its place there; rows count from 0."""
        if self.seen is not None:
            return self.seen[row]
        file, first = 0, 0
        while file + 1 < len(self.ends) and row >= self.ends[file]:
            first = self.ends[file]
            file += 1
        return self.paths[file], row - first


class Column(NamedTuple):
    """A column of all files together."""

    located: Located
    name: str
    cells: list[Any] | AnyArray | Coded  # the text or the numbers of the files, unchanged; no cell is null

    @property
    def n_rows(self) -> int:
        """Number of rows of all files."""
        return self.cells.code.size if isinstance(self.cells, Coded) else len(self.cells)

    @property
    def coded(self) -> Coded:
        """The distinct cells and the codes of rows, of a role that tells values apart."""
        assert isinstance(self.cells, Coded), self.name  # as the readers make them
        return self.cells

    def value(self, row: int) -> Any:
        """Return the cell of a row as Python's own object."""
        if isinstance(self.cells, Coded):
            return self.cells.distinct[self.cells.code[row]]
        return self.cells[row] if isinstance(self.cells, list) else self.cells[row].item()

    def error(self, problem: str, *, row: int | None = None) -> FileError:
        """Return an error about the column, or about one of its rows; `row` counts from 0."""
        if row is None:
            return FileError(f"{self.located.name}: column {shown(self.name)}: {problem}")
        path, place = self.located.place(row)
        return FileError(f"{shown(path)}: column {shown(self.name)}, row {place + 1}: {problem}")

    def refuse(self, wrong: Collection[object], problem: str) -> None:
        """Raise for the first cell that is among the wrong ones; it replaces `{}` in `problem`."""
        if not wrong:
            return
        if isinstance(self.cells, Coded):
            bad = [place for place, cell in enumerate(self.cells.distinct) if cell in wrong]
            row = int(np.isin(self.cells.code, bad).argmax())
        else:
            row = next(row for row, cell in enumerate(self.cells) if cell in wrong)
        raise self.error(problem.format(shown(self.value(row))), row=row)


def places(path: str, header: list[str], names: Collection[str]) -> list[int]:
    """Return the place of each name in the header of a file; each must be there exactly once."""
    for name in names:
        if header.count(name) != 1:
            problem = "occurs more than once" if name in header else "is missing"
            raise FileError(
                f"{shown(path)}: column {shown(name)} {problem}; the columns are {listed(header, 10)}"
            )
    return [header.index(name) for name in names]

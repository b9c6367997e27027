"""A column as its file holds it, and how errors name it."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from .._typing import AnyArray

_LONGEST = 100  # characters of a value that a message shows


class FileError(ValueError):
    """The file cannot be read as asked; one line says why."""


def shown(value: object) -> str:
    """Return a user's value as short text on one line, which holds nothing that a terminal would obey."""
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:70]}...{text[-27:]}"


def listed(values: Sequence[Any], most: int = 5) -> str:
    """Return the first values as `shown`."""
    return ", ".join(map(shown, values[:most])) + (", ..." if len(values) > most else "")


class Column(NamedTuple):
    """A column of a file."""

    path: str
    name: str
    cells: list[Any] | AnyArray  # text as it stands there, or the file's own numbers; nothing is null

    @property
    def values(self) -> list[Any]:
        """The cells as Python's own objects."""
        return self.cells if isinstance(self.cells, list) else self.cells.tolist()

    def error(self, problem: str, *, row: int | None = None) -> FileError:
        """Return an error of the column, or of one of its rows, which are counted from 0 here."""
        where = "" if row is None else f", row {row + 1}"
        return FileError(f"{shown(self.path)}: column {shown(self.name)}{where}: {problem}")

    def refuse(self, wrong: Collection[Any], problem: str) -> None:
        """Raise for the first cell that is among the wrong ones, which the problem shows in place of `{}`."""
        if wrong:
            row, cell = next((row, cell) for row, cell in enumerate(self.values) if cell in wrong)
            raise self.error(problem.format(shown(cell)), row=row)


def places(path: str, header: list[str], names: Collection[str]) -> list[int]:
    """Return where these names stand in the header of a file, each once."""
    for name in names:
        if header.count(name) != 1:
            problem = "stands there more than once" if name in header else "is missing"
            raise FileError(
                f"{shown(path)}: column {shown(name)} {problem}; the columns are {listed(header, 10)}"
            )
    return [header.index(name) for name in names]

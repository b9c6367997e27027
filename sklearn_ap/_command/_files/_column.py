"""A column as its file holds it, and the errors that name it."""

from collections.abc import Collection, Sequence
from typing import Any, Literal, NamedTuple

from ..._typing import AnyArray

__all__ = ["Column", "FileError", "Role", "listed", "places", "shown"]

# Arguments that columns fill.
Role = Literal["y_true", "y_score", "sample_weight", "query_id", "item_id", "n_positives"]

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


class Column(NamedTuple):
    """A column of a file."""

    path: str
    name: str
    cells: list[Any] | AnyArray  # the text or the numbers of the file, unchanged; no cell is null

    @property
    def values(self) -> list[Any]:
        """The cells as Python's own objects."""
        return self.cells if isinstance(self.cells, list) else self.cells.tolist()

    def error(self, problem: str, *, row: int | None = None) -> FileError:
        """Return an error about the column, or about one of its rows; `row` counts from 0."""
        where = "" if row is None else f", row {row + 1}"
        return FileError(f"{shown(self.path)}: column {shown(self.name)}{where}: {problem}")

    def refuse(self, wrong: Collection[object], problem: str) -> None:
        """Raise for the first cell that is among the wrong ones; it replaces `{}` in `problem`."""
        if wrong:
            row, cell = next((row, cell) for row, cell in enumerate(self.values) if cell in wrong)
            raise self.error(problem.format(shown(cell)), row=row)


def places(path: str, header: list[str], names: Collection[str]) -> list[int]:
    """Return the place of each name in the header of a file; each must be there exactly once."""
    for name in names:
        if header.count(name) != 1:
            problem = "occurs more than once" if name in header else "is missing"
            raise FileError(
                f"{shown(path)}: column {shown(name)} {problem}; the columns are {listed(header, 10)}"
            )
    return [header.index(name) for name in names]

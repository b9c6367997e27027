"""Read all files of a call as one table: CSV or Parquet, plain or compressed by gzip."""

from collections.abc import Callable, Mapping, Sequence
from typing import BinaryIO, NamedTuple, Protocol

from ._column import Column, FileError, Located, Role, shown
from ._csv import CsvTable, header, lines_in
from ._found import found_paths, partitions_of
from ._open import File
from ._parquet import ParquetTable, column_names, rows_and_groups

__all__ = ["Counted", "Files", "columns", "counted", "found", "read"]

Told = Callable[[int, int | None], object]  # parts that are done, and parts in all


class Files(NamedTuple):
    """The files of a call, which are one data set."""

    name: str  # for errors and first lines
    files: list[File]

    @property
    def noun(self) -> str:
        """How a sentence names them."""
        return "the file" if len(self.files) == 1 else "the files"

    @property
    def paths(self) -> list[str]:
        """The paths, in the order of the rows."""
        return [file.path for file in self.files]


class Counted(NamedTuple):
    """How much the files hold, found without reading values."""

    rows: int  # at least so many as there are
    parts: int  # row groups of Parquet, and files of text
    of_text: bool


class _Table(Protocol):
    """Columns that files are added to, one after the other."""

    n_rows: int

    def add(self, file: BinaryIO, path: str, partitions: Mapping[str, str], done: Callable[[], None]) -> None:
        """Read the columns of a file behind those of earlier ones; `done` is called after each part."""

    def columns(self, located: Located) -> dict[Role, Column]:
        """Return the column of each role, of all files."""


def found(given: Sequence[str]) -> Files:
    """Return the files that paths, globs and directories mean; the path ``-`` is standard input."""
    paths = found_paths(given)
    return Files(shown(paths[0]) if len(paths) == 1 else f"{len(paths)} files", list(map(File, paths)))


def columns(files: Files) -> list[str]:
    """Return the columns of the first file, for an error that lists them."""
    first = files.files[0]
    with first.opened() as content:
        names = column_names(content.file, first.path) if content.is_parquet else header(content.file)
    return [*names, *(name for name in partitions_of(first.path) if name not in names)]


def counted(files: Files) -> Counted:
    """Count rows and parts. What cannot be read counts as nothing here: the reader raises its error."""
    rows, parts, of_text = 0, 0, False
    for file in files.files:
        try:
            with file.opened() as content:
                if content.is_parquet:
                    found_rows, found_parts = rows_and_groups(content.file)
                else:
                    found_rows, found_parts, of_text = lines_in(content.file), 1, True
        except FileError:
            found_rows, found_parts = 0, 1
        rows, parts = rows + found_rows, parts + found_parts
    return Counted(rows, parts, of_text)


def read(files: Files, names: Mapping[Role, str], how_many: Counted, told: Told) -> dict[Role, Column]:
    """Return the column of each role; `names` gives its name in the files."""
    table: _Table | None = None
    ends: list[int] = []
    n_done = 0

    def done() -> None:
        nonlocal n_done
        n_done += 1
        told(n_done, max(how_many.parts, n_done))

    first_is_parquet = False
    for file in files.files:
        with file.opened() as content:
            if table is None:
                table = ParquetTable(names, how_many.rows) if content.is_parquet else CsvTable(names)
                first_is_parquet = content.is_parquet
            if content.is_parquet is not first_is_parquet:
                kinds = ("Parquet", "text") if content.is_parquet else ("text", "Parquet")
                raise FileError(
                    f"{shown(file.path)}: is {kinds[0]}, but {shown(files.paths[0])} is {kinds[1]}; "
                    "pass files of one format"
                )
            table.add(content.file, file.path, partitions_of(file.path), done)
            ends.append(table.n_rows)
    assert table is not None  # there is a file
    if not table.n_rows:
        raise FileError(f"{files.name}: hold{'s' * (len(ends) == 1)} no rows")
    return table.columns(Located(files.name, files.paths, ends))

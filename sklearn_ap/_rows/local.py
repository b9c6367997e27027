"""Rows that this process reads: files, tables and streams, gathered if they fit.

Paths and globs are resolved here, names of columns are those of each file, and every
CSV cell is read as text: no type is guessed from the first rows.
"""

import glob
import os
import re
from collections import Counter
from collections.abc import (
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Set,
)
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np

from .._core.typing import Label
from .._shown.sources import (
    START_BYTES,
    SourceError,
    format_of,
    format_value,
    is_binary,
)
from .arrow import array_of, parquet_columns, read_parquet, refuse_types_of_pandas
from .batches import (
    ADVICE_OF_DUCKDB,
    ADVICE_OF_PANDAS,
    ADVICE_OF_POLARS,
    BATCH_ROWS,
    Batch,
    BatchReader,
    Column,
    Columns,
    DType,
    MissingColumnError,
    Roles,
    columns_of,
    quoted,
)
from .errors import engine_errors
from .json import is_json, json_columns, read_json
from .text import open_bytes, read_text, text_columns

if TYPE_CHECKING:
    import pyarrow

# Folders have this value for rows without one.
_MISSING_FOLDER = "__HIVE_DEFAULT_PARTITION__"
_Reader = Callable[[], Iterator[Columns]]  # of all rows
# Of a file: its inode, its size, and the time of its last change.
Version = tuple[int, int, int]


# --- a source -------------------------------------------------------------------------


@dataclass
class LocalSource:
    """Rows of files, tables and streams."""

    name: str  # of all rows, for errors
    read: _Reader
    roles: Roles
    limit: int  # bytes that rows may take in memory
    advice: str  # what leaves out rows that lack a value; see `refuse_missing`
    is_repeatable: bool = True  # whether another `read` has the same rows
    # The reader of the first pass counts the rows that are left out.
    reader: BatchReader = field(init=False)
    # The rest of this pass, if rows do not fit.
    _unread: Generator[Batch] | None = None
    types: Set[DType] = frozenset()  # of scores
    columns: Sequence[str] = ()  # all names of the first file and its folders

    def gather(self) -> Batch | None:
        """Return all rows, or None if they do not fit; the next pass then continues
        this one.
        """
        self.reader, batches = self.next_pass()
        gathered = list[Batch]()
        n_bytes = 0
        for batch in batches:
            gathered.append(batch)
            n_bytes += batch.nbytes
            if n_bytes > self.limit:
                self.types = {part.score.dtype for part in gathered}
                self._unread = _popped(gathered, batches)
                return None
        return self.reader.with_typed_ids(self.roles.concatenate(gathered, self.name))

    def next_pass(self) -> tuple[BatchReader, Generator[Batch]]:
        """Return the rows of another pass, or the rest of one, with their reader."""
        if self._unread is not None:
            reader, batches = self.reader, self._unread
            self._unread = None
            return reader, batches
        reader = BatchReader(self.roles)
        return reader, self._batches(reader)

    def _batches(self, reader: BatchReader) -> Generator[Batch]:
        """Yield the batches that have rows; refuse rows that lack a value at the end,
        where all are counted.
        """
        for columns in self.read():
            batch = reader.read(columns)
            if batch.score.size:
                yield batch
        reader.refuse_missing(self.name, self.advice)
        reader.refuse_no_rows(self.name)


def _popped(batches: list[Batch], others: Iterable[Batch]) -> Generator[Batch]:
    """Yield batches and drop the references, so that memory is freed batch by batch;
    then yield others.
    """
    while batches:
        yield batches.pop(0)
    yield from others


def open_local(data: Any, roles: Roles, limit: int) -> LocalSource:
    """Return rows that this process can read; refuse data of another kind."""
    paths = [data]
    if isinstance(data, list | tuple):
        paths = [*data]
    if paths and all(isinstance(path, str | os.PathLike) for path in paths):
        return open_paths(paths, roles, limit)
    # By the names of modules, so that no library is imported to look at its type.
    libraries = {base.__module__.split(".")[0] for base in type(data).__mro__}
    if (
        libraries & {"pandas", "polars"}
        and hasattr(data, "__len__")
        and hasattr(data, "columns")
    ):
        types = [*map(str, data.dtypes)]
        if "pandas" in libraries and len(data):  # where lists have the type of objects
            types = [type(value).__name__ for value in data.iloc[0]]
        roles.refuse_unknown("data", data.columns, types)
        with engine_errors("data"):
            import pyarrow

            arrays = {
                name: array_of(data[name], "data", name) for name in roles.columns
            }
            advice = ADVICE_OF_PANDAS
            if "polars" in libraries:
                advice = ADVICE_OF_POLARS
            return _open_arrow(pyarrow.table(arrays), roles, limit, advice)
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "scanner"):
        return _open_arrow(data, roles, limit)
    if hasattr(data, "collect"):
        raise TypeError(
            f"data is a query that was not run, {type(data).__name__}: pass data.collect()."
        )
    raise TypeError(
        "data must be a path, a glob, a folder, a list of them, a DataFrame of Spark, or a table, "
        f"data frame, dataset, relation or stream that Arrow reads; got {type(data).__name__}."
    )


def open_paths(
    paths: Sequence[str | os.PathLike[str]],
    roles: Roles,
    limit: int,
    advice: str = ADVICE_OF_DUCKDB,
    opened: dict[str, Version] | None = None,
) -> LocalSource:
    """Return the rows of files.

    `opened` contains the version of each file that an earlier call with the same paths
    opened, and is filled by the first call. If a file was changed, added or removed in
    between, its rows are other ones, and this raises SourceError.
    """
    named = [file for path in paths for file in _files_of(os.fspath(path))]
    # A file that a folder and a path name, or a link, is one file, at its first place.
    by_target = {os.path.realpath(file): file for file in reversed(named)}
    files = [*by_target.values()][::-1]
    name = format_value(files[0])
    if len(files) > 1:
        name = format_value(os.fspath(paths[0]))
    # Rows may be read twice, and must be the same ones.
    versions = {file: _version(file) for file in files}
    if opened is not None:
        changed = sorted(file for file, _ in opened.items() ^ versions.items())
        if opened and changed:
            raise _changed(changed[0])
        opened.update(versions)
    # All headers are checked before any row.
    try:
        parts = [_reader_of(file, roles) for file in files]
    except MissingColumnError as error:
        if len(paths) == 1:
            raise
        raise SourceError(
            f"{error}; files are read one below the other: join two that have other columns "
            "by their ids first, such as truth.merge(scores, on='id') of pandas"
        ) from None
    columns, readers = zip(*parts, strict=True)

    def read() -> Iterator[Columns]:
        for file, reader in zip(files, readers, strict=True):
            with engine_errors(format_value(file)):
                yield from reader()
                if _version(file) != versions[file]:
                    raise _changed(file)

    return LocalSource(name, read, roles, limit, advice, columns=columns[0])


def _version(path: str) -> Version:
    """Return what changes when a file is written or replaced."""
    with engine_errors(format_value(path)):
        status = os.stat(path)
        return status.st_ino, status.st_size, status.st_mtime_ns


def _changed(path: str) -> SourceError:
    """Return the error about a file whose rows are no longer those that were read."""
    return SourceError(f"{format_value(path)}: changed while it was read")


def _open_arrow(
    data: "pyarrow.Table", roles: Roles, limit: int, advice: str = ADVICE_OF_DUCKDB
) -> LocalSource:
    """Return the rows of a table, a dataset or a stream of Arrow."""
    import pyarrow

    names, from_stream = roles.columns, pyarrow.RecordBatchReader.from_stream
    if type(data).__module__.strip("_").startswith("duckdb"):
        with engine_errors("data"):  # its table may be gone, its connection closed
            roles.refuse_unknown("data", data.columns, data.types)
            # DuckDB takes a.b without quotes for a column of a table.
            data = data.select(*map(quoted, names))
    else:
        schema = getattr(data, "schema", None) or from_stream(data).schema
        roles.refuse_unknown("data", schema.names, schema.types)
        refuse_types_of_pandas(schema, names, "data")

    def read() -> Iterator[Columns]:
        with engine_errors("data"):
            if hasattr(data, "scanner"):  # a dataset
                batches = data.scanner(columns=names).to_reader()
            else:
                batches = from_stream(data)
            for batch in batches:
                for start in range(0, batch.num_rows, BATCH_ROWS):
                    rows = batch.slice(start, BATCH_ROWS)
                    yield columns_of({name: rows[name] for name in names}, "data")

    # A relation may have other rows each time, and a dataset of a stream has them once.
    is_repeatable = isinstance(data, pyarrow.Table) or hasattr(data, "files")
    return LocalSource("data", read, roles, limit, advice, is_repeatable)


# --- files ----------------------------------------------------------------------------


def distinct_labels(source: LocalSource) -> Iterator[list[Label]]:
    """Yield the distinct labels up to the end of each batch that has some."""
    labels: dict[Label, None] = {}
    for column in _label_columns(source, BatchReader(source.roles)):
        labels |= dict.fromkeys(column.typed_labels())
        yield [*labels]


def rows_by_label(source: LocalSource) -> tuple[Counter[Label], set[bool]]:
    """Return the number of rows of each label as files write it, and whether labels are
    text of files, whose numbers have no type.
    """
    rows, are_text = Counter[Label](), set[bool]()
    reader = BatchReader(source.roles)
    for column in _label_columns(source, reader):
        rows += column.rows_by_label()
        are_text.add(column.is_text)
    reader.refuse_missing(source.name, source.advice)
    if not rows:
        reader.refuse_no_rows(source.name)
    return rows, are_text


def _label_columns(source: LocalSource, reader: BatchReader) -> Iterator[Column]:
    """Yield the labels of the complete rows of each batch that has some."""
    for batch in source.read():
        column = reader.complete(batch)[source.roles.y_true]
        if len(column.values):
            yield column


def _files_of(path: str) -> list[str]:
    """Return the files of a path, a glob or a folder, sorted."""
    entries = [path]
    if not os.path.exists(path):
        entries = sorted(glob.glob(path, recursive=True))
    if not entries:
        problem = "no such file or folder"
        # pyarrow reads other file systems, and the shell expands the tilde.
        if "://" in path or path.startswith("~"):
            problem = (
                "is not a path on this machine; pass os.path.expanduser(path), or "
                "pyarrow.dataset.dataset(path, filesystem=...)"
            )
        raise SourceError(f"{format_value(path)}: {problem}")
    files = [file for entry in entries for file in _files_below(entry)]
    if not files:
        raise SourceError(f"{format_value(path)}: contains no files")
    # Also of a single file: a shell expands a pattern before this command sees it.
    innermost = {os.path.dirname(os.path.abspath(file)) for file in files}
    for parent in {each for inner in innermost for each in Path(inner, "rows").parents}:
        _refuse_table_format(parent)
    return files


def _files_below(entry: str) -> Iterator[str]:
    """Yield a file itself, or the files of a folder in order."""
    if not os.path.isdir(entry):
        yield entry
        return
    for folder, folders, names in os.walk(
        entry, onerror=_refuse_folder, followlinks=True
    ):
        # In place: os.walk then skips the folders that are left out, and takes the
        # others in this order.
        for listed in (folders, names):
            listed[:] = sorted(
                name for name in listed if not name.startswith((".", "_"))
            )
        yield from (os.path.join(folder, name) for name in names)
        for name in folders:
            _refuse_circle(Path(folder, name))


def _refuse_circle(folder: Path) -> None:
    """Refuse a link to a folder that contains the link: the walk would not end."""
    if folder.is_symlink() and folder.parent.resolve().is_relative_to(folder.resolve()):
        raise SourceError(
            f"{format_value(str(folder))}: is a link to a folder that contains it; remove it, or "
            "pass a list of files"
        )


def _refuse_table_format(folder: Path) -> None:
    """Refuse a table whose log says which files count: others contain rows that were
    replaced or deleted.
    """
    if (folder / "_delta_log").is_dir():
        table = "Delta Lake"
        read = f"deltalake.DeltaTable({str(folder)!r}).to_pyarrow_dataset()"
    elif any((folder / "metadata").glob("*.metadata.json")):
        table, read = "Iceberg", "table.scan().to_arrow() of pyiceberg"
    else:
        return
    problem = f"is a table of {table}, whose files also contain old versions of rows"
    raise SourceError(f"{format_value(str(folder))}: {problem}; pass {read}")


def _refuse_folder(error: OSError) -> None:
    raise SourceError(f"{format_value(error.filename)}: {error.strerror}") from None


def _reader_of(path: str, roles: Roles) -> tuple[Sequence[str], _Reader]:
    """Return the names of the columns of a file, with those of its folders, and a
    function that reads those of the roles, after its header was checked.
    """
    where = format_value(path)
    # Folders such as day=1 name columns.
    folders = {
        unquote(name): None if value == _MISSING_FOLDER else unquote(value)
        for name, value in re.findall("([^/=]+)=([^/]*)/", Path(path).as_posix())
    }
    in_folders = {
        name: value for name, value in folders.items() if name in roles.columns
    }
    in_file = [name for name in roles.columns if name not in in_folders]
    with engine_errors(where):
        with open_bytes(path) as file:
            start = file.read(START_BYTES)
        if not start:
            raise SourceError(f"{where}: contains no rows: the file is empty")
        if start.startswith(b"PAR1") and is_binary(start):
            header, read = parquet_columns, read_parquet
        elif unreadable := format_of(start):
            raise SourceError(f"{where}: is {unreadable}")
        elif is_json(start):
            header, read = json_columns, read_json
        else:
            header, read = text_columns, read_text
        columns, types = header(path, in_file)
    roles.refuse_unknown(where, [*columns, *folders], types)
    if not in_file:
        raise SourceError(
            f"{where}: a column must be in the file; folders name all of {roles.columns}"
        )
    return (
        [*columns, *folders],
        partial(_with_folders, in_folders, partial(read, path, in_file)),
    )


def _with_folders(
    folder_values: Mapping[str, str | None], read: _Reader
) -> Iterator[Columns]:
    """Yield the columns of a file, and those that its folders name."""
    for columns in read():
        column = next(iter(columns.values()))
        n_rows = len(column.values)
        texts = {
            name: np.full(n_rows, value, dtype=object)
            for name, value in folder_values.items()
        }
        yield {**columns, **columns_of(texts, column.where, is_text=True)}

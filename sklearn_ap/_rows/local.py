"""Files, tables and streams that this process reads, into memory if they fit.

This module finds the files of paths, globs and folders, chooses the reader of each file
by its content, and checks its columns before any row is read.
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
from contextlib import contextmanager
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
from .arrow import array_of, check_types_of_pandas, parquet_columns, read_parquet
from .batches import BATCH_ROWS, Batch, BatchReader, all_rows
from .bytes import open_bytes
from .columns import Column, Columns, columns_of
from .errors import engine_errors
from .exact_scores import DType
from .json import is_json, json_columns, read_json
from .labels import counted_labels, typed_labels
from .missing_values import (
    ADVICE_OF_DUCKDB,
    ADVICE_OF_PANDAS,
    ADVICE_OF_POLARS,
    quoted,
)
from .roles import MissingColumnError, Roles
from .text import read_text, text_columns

if TYPE_CHECKING:
    import pyarrow

# In the name of a folder, such as "day=...", this text stands for a missing value.
_MISSING_FOLDER = "__HIVE_DEFAULT_PARTITION__"
# Function that yields all rows in batches.
_Reader = Callable[[], Iterator[Columns]]
# The inode of a file, its size, and the time of its last change.
Version = tuple[int, int, int]


# --- a source -------------------------------------------------------------------------


@dataclass
class LocalSource:
    """Rows of files, tables and streams, which can be read in one or more passes."""

    # The name of all rows, for errors.
    name: str
    read: Callable[[], Generator[Columns]]
    roles: Roles
    # The rows may take at most this many bytes of memory.
    limit: int
    # Advice for the error about missing values: the line of code, or the option, that
    # drops such rows. `MissingValues.check` fills in the names of columns.
    advice: str
    # Whether another call of `read` yields the same rows.
    is_repeatable: bool = True
    # The reader of the first pass. It has also counted the rows that were dropped.
    reader: BatchReader = field(init=False)
    # The reader and the batches that `next_pass` returns next, if `gather` found that
    # the rows do not fit.
    _unread: tuple[BatchReader, Generator[Batch]] | None = None
    # The types of the scores that `gather` has read, if the rows do not fit.
    types: Set[DType] = frozenset()
    # The names of all columns of the first file and its folders.
    columns: Sequence[str] = ()

    def gather(self) -> Batch | None:
        """Return all rows, or None if they do not fit into memory.

        If they do not fit, the next pass begins with the rows that were read here.
        """
        self.reader, batches = self.next_pass()
        gathered = list[Batch]()
        n_bytes = 0
        for batch in batches:
            gathered.append(batch)
            n_bytes += batch.nbytes
            if n_bytes > self.limit:
                self.types = {part.score.dtype for part in gathered}
                self._unread = self.reader, _freed(gathered, batches)
                return None
        return self.reader.with_typed_ids(all_rows(gathered, self.roles, self.name))

    def next_pass(self) -> tuple[BatchReader, Generator[Batch]]:
        """Start another pass over the rows. Return its reader, and its batches.

        After `gather` has returned None, the first call continues that pass, and yields
        its batches from the beginning.
        """
        unread, self._unread = self._unread, None
        if unread is not None:
            return unread
        reader = BatchReader(self.roles)
        return reader, self._batches(reader)

    def _batches(self, reader: BatchReader) -> Generator[Batch]:
        """Yield the batches that are not empty. After the last batch, raise SourceError
        if there are no rows, or if values are missing and such rows are not dropped.
        """
        read = self.read()
        for columns in read:
            try:
                batch = reader.read(columns)
            except SourceError as error:
                # An error about values is an error of the file that is being read.
                read.throw(error)
            if batch.score.size:
                yield batch
        reader.missing.check(self.name, self.advice)
        reader.check_has_rows(self.name)


def _freed(batches: list[Batch], others: Iterable[Batch]) -> Generator[Batch]:
    """Yield the batches in the list, and then the others. Each batch is removed from
    the list first, so that its memory is freed after use.
    """
    while batches:
        yield batches.pop(0)
    yield from others


def open_local(data: Any, roles: Roles, limit: int) -> LocalSource:
    """Return the source of these data. Raise TypeError if this process cannot read
    them.
    """
    paths = data if isinstance(data, list | tuple) else [data]
    if paths and all(isinstance(path, str | os.PathLike) for path in paths):
        return open_paths(paths, roles, limit)
    # The names of modules show the library of the data without an import.
    libraries = {base.__module__.split(".")[0] for base in type(data).__mro__}
    # Lazy frames of polars have no length, and a Series has no columns. A relation of
    # DuckDB would raise an error here if its connection was closed.
    if (
        libraries & {"pandas", "polars"}
        and hasattr(data, "__len__")
        and hasattr(data, "columns")
    ):
        types = [*map(str, data.dtypes)]
        if "polars" in libraries:
            return _open_frame(data, roles, limit, types, ADVICE_OF_POLARS)
        # Lists and text have the same type in pandas, so the types of the values in the
        # first row are passed.
        if len(data):
            types = [type(value).__name__ for value in data.iloc[0]]
        return _open_frame(data, roles, limit, types, ADVICE_OF_PANDAS)
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


def _open_frame(
    frame: Any, roles: Roles, limit: int, types: Sequence[str], advice: str
) -> LocalSource:
    """Return the rows of a data frame of pandas or polars, with columns of these
    types.
    """
    roles.check_columns("data", frame.columns, types)
    with engine_errors("data"):
        import pyarrow

        arrays = {name: array_of(frame[name], "data", name) for name in roles.columns}
        return _open_arrow(pyarrow.table(arrays), roles, limit, advice)


def open_paths(
    paths: Sequence[str | os.PathLike[str]],
    roles: Roles,
    limit: int,
    advice: str = ADVICE_OF_DUCKDB,
    opened: dict[str, Version] | None = None,
) -> LocalSource:
    """Return the rows of files.

    If `opened` is passed, the first call fills it with the version of each file. A
    later call with the same paths raises SourceError if a file was changed, added or
    removed in the meantime, because the rows are no longer the same.
    """
    targets = _distinct_files(paths)
    files = [*targets]
    name = format_value(files[0])
    if len(files) > 1:
        name = format_value(os.fspath(paths[0]))
    # Some scores read the rows twice, and the rows must be the same both times.
    versions = {file: _version(file) for file in files}
    if opened is not None:
        # Files with another version, and files that only one of the two calls has
        # found.
        changed = sorted(file for file, _ in opened.items() ^ versions.items())
        if opened and changed:
            raise _changed(changed[0])
        opened.update(versions)
    # The headers of all files are checked before any row is read.
    parts = []
    try:
        for file, target in targets.items():
            with _quoting_nothing_of(file, target):
                parts.append(_reader_of(file, roles))
    except MissingColumnError as error:
        if len(paths) == 1:
            raise
        raise SourceError(
            f"{error}; files are read one below the other: if two files have different "
            "columns, join them by their ids first, such as truth.merge(scores, on='id') of "
            "pandas"
        ) from None
    columns, readers = zip(*parts, strict=True)

    def read() -> Generator[Columns]:
        for (file, target), read_file in zip(targets.items(), readers, strict=True):
            with _quoting_nothing_of(file, target), engine_errors(format_value(file)):
                yield from read_file()
            if _version(file) != versions[file]:
                raise _changed(file)

    return LocalSource(name, read, roles, limit, advice, columns=columns[0])


@contextmanager
def _quoting_nothing_of(file: str, target: str | None) -> Iterator[None]:
    """If a file is a link with a target outside of its folder, replace the errors of
    the block by one that quotes none of its lines, since they may be secret.
    """
    try:
        yield
    except SourceError:
        if target is None:
            raise
        raise SourceError(
            f"{format_value(file)}: cannot be read, and is a link to a file outside of "
            f"the folder; to see the reason, pass {format_value(target)}"
        ) from None


def _version(path: str) -> Version:
    """Return numbers of which at least one changes if a file is written or replaced."""
    with engine_errors(format_value(path)):
        status = os.stat(path)
        return status.st_ino, status.st_size, status.st_mtime_ns


def _changed(path: str) -> SourceError:
    """Return the error about a file that has changed since it was opened."""
    return SourceError(f"{format_value(path)}: changed while it was read")


def _open_arrow(
    data: "pyarrow.Table", roles: Roles, limit: int, advice: str = ADVICE_OF_DUCKDB
) -> LocalSource:
    """Return the rows of a table, a dataset or a stream of Arrow."""
    import pyarrow

    names, from_stream = roles.columns, pyarrow.RecordBatchReader.from_stream
    if type(data).__module__.strip("_").startswith("duckdb"):
        # DuckDB raises an error if the connection was closed or the table dropped.
        with engine_errors("data"):
            roles.check_columns("data", data.columns, data.types)
            # Without quotes, DuckDB reads a.b as column b of table a.
            data = data.select(*map(quoted, names))
    else:
        # Tables and datasets have a schema. Other objects that Arrow reads show their
        # columns only in a stream.
        schema = getattr(data, "schema", None) or from_stream(data).schema
        roles.check_columns("data", schema.names, schema.types)
        check_types_of_pandas(schema, names, "data")

    def read() -> Generator[Columns]:
        with engine_errors("data"):
            # Only datasets have the method `scanner`.
            if hasattr(data, "scanner"):
                batches = data.scanner(columns=names).to_reader()
            else:
                batches = from_stream(data)
            for batch in batches:
                for start in range(0, batch.num_rows, BATCH_ROWS):
                    rows = batch.slice(start, BATCH_ROWS)
                    yield columns_of({name: rows[name] for name in names}, "data")

    # A relation may yield other rows each time. A dataset of a stream, which has no
    # files, yields its rows only once.
    is_repeatable = isinstance(data, pyarrow.Table) or hasattr(data, "files")
    return LocalSource("data", read, roles, limit, advice, is_repeatable)


# --- labels ---------------------------------------------------------------------------


def distinct_labels(source: LocalSource) -> Iterator[list[Label]]:
    """Yield the distinct labels so far, after each batch that is not empty."""
    labels: dict[Label, None] = {}
    for column in _label_columns(source, BatchReader(source.roles)):
        labels |= dict.fromkeys(typed_labels(column))
        yield [*labels]


def rows_by_label(source: LocalSource) -> tuple[Counter[Label], set[bool]]:
    """Return the number of rows of each label. Also return whether the labels were read
    as text, as all fields of text files are; both values if files differ.
    """
    rows, are_text = Counter[Label](), set[bool]()
    reader = BatchReader(source.roles)
    for column in _label_columns(source, reader):
        rows += counted_labels(column)
        are_text.add(column.is_text)
    reader.missing.check(source.name, source.advice)
    if not rows:
        reader.check_has_rows(source.name)
    return rows, are_text


def _label_columns(source: LocalSource, reader: BatchReader) -> Iterator[Column]:
    """Yield the labels of the rows without missing values, by batch."""
    for batch in source.read():
        column = reader.missing.complete(batch)[source.roles.y_true]
        if len(column.values):
            yield column


# --- files ----------------------------------------------------------------------------


def _distinct_files(
    paths: Sequence[str | os.PathLike[str]],
) -> dict[str, str | None]:
    """Return the files of paths, globs and folders. The value of a file is the target
    of its link if the target lies outside of the folder, or None.

    If a file is found twice, such as by its path and in a folder, or by a link, it is
    listed once, at its first place.
    """
    by_target = dict[str, tuple[str, str | None]]()
    for passed in paths:
        path = os.fspath(passed)
        folder = os.path.realpath(_fixed_part(path))
        for file in _files_of(path):
            target = os.path.realpath(file)
            is_inside = Path(target).is_relative_to(folder)
            by_target.setdefault(target, (file, None if is_inside else target))
    return dict(by_target.values())


def _fixed_part(path: str) -> str:
    """Return a path itself, or the folder before the first wildcard of a glob."""
    if os.path.exists(path):
        return path
    return os.path.dirname(re.split(r"[*?[]", path)[0]) or os.curdir


def _files_of(path: str) -> list[str]:
    """Return the sorted files of a path, a glob or a folder."""
    entries = [path]
    if not os.path.exists(path):
        entries = sorted(glob.glob(path, recursive=True))
    if not entries:
        problem = "no such file or folder"
        # Other file systems need pyarrow, and only the shell expands a tilde.
        if "://" in path or path.startswith("~"):
            problem = (
                "is not a path on this machine; pass os.path.expanduser(path), or "
                "pyarrow.dataset.dataset(path, filesystem=...)"
            )
        raise SourceError(f"{format_value(path)}: {problem}")
    files = [file for entry in entries for file in _files_below(entry)]
    if not files:
        raise SourceError(f"{format_value(path)}: contains no files")
    # The folders above single files are checked, too, since the shell may have expanded
    # a pattern to the files of a table.
    innermost = {os.path.dirname(os.path.abspath(file)) for file in files}
    # `parents` of a file are its folder and all folders above it.
    for folder in {
        parent for inner in innermost for parent in Path(inner, "rows").parents
    }:
        _check_table_format(folder)
    return files


def _files_below(entry: str) -> Iterator[str]:
    """Yield a file itself, or all files in a folder and the folders below it, sorted."""
    if not os.path.isdir(entry):
        yield entry
        return
    for folder, folders, names in os.walk(
        entry, onerror=_raise_folder_error, followlinks=True
    ):
        # `os.walk` visits the folders that remain in its list, in the order of the
        # list.
        for listed in (folders, names):
            listed[:] = sorted(
                name for name in listed if not name.startswith((".", "_"))
            )
        yield from (os.path.join(folder, name) for name in names)
        for inner in (Path(folder, name) for name in folders):
            # `os.walk` would follow a link to a folder above the link again and again.
            if inner.is_symlink() and Path(folder).resolve().is_relative_to(
                inner.resolve()
            ):
                raise SourceError(
                    f"{format_value(str(inner))}: is a link to a folder that contains "
                    "it; remove it, or pass a list of files"
                )


def _check_table_format(folder: Path) -> None:
    """Raise SourceError for the folder of a table of Delta Lake or Iceberg.

    Some of its files may contain rows that were replaced or deleted. Only the log of
    the table lists the files that are valid.
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


def _raise_folder_error(error: OSError) -> None:
    """Raise SourceError for a folder that cannot be listed."""
    raise SourceError(f"{format_value(error.filename)}: {error.strerror}") from None


def _reader_of(path: str, roles: Roles) -> tuple[Sequence[str], _Reader]:
    """Return the names of the columns of a file and of its folders, and a function that
    reads the columns of the roles. Raise SourceError if one of these columns is
    missing.
    """
    where = format_value(path)
    folders = _columns_of_folders(path)
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
            read_header, read = parquet_columns, read_parquet
        elif unreadable := format_of(start):
            raise SourceError(f"{where}: is {unreadable}")
        elif is_json(start):
            read_header, read = json_columns, read_json
        else:
            read_header, read = text_columns, read_text
        columns, types = read_header(path, in_file)
    roles.check_columns(where, [*columns, *folders], types)
    if not in_file:
        raise SourceError(
            f"{where}: at least one column must be in the file itself; names of folders, "
            f"such as label=1, contain all of {roles.columns}"
        )
    return (
        [*columns, *folders],
        partial(_with_folders, in_folders, partial(read, path, in_file)),
    )


def _columns_of_folders(path: str) -> dict[str, str | None]:
    """Return the columns in the names of the folders of a file. The name of a folder
    such as day=1 is a column with one value.
    """
    pairs = re.findall("([^/=]+)=([^/]*)/", Path(path).as_posix())
    return {
        unquote(name): None if value == _MISSING_FOLDER else unquote(value)
        for name, value in pairs
    }


def _with_folders(
    folder_values: Mapping[str, str | None], read: _Reader
) -> Iterator[Columns]:
    """Yield the columns of a file together with the columns of its folders."""
    for columns in read():
        column = next(iter(columns.values()))
        n_rows = len(column.values)
        texts = {
            name: np.full(n_rows, value, dtype=object)
            for name, value in folder_values.items()
        }
        yield {**columns, **columns_of(texts, column.where, is_text=True)}

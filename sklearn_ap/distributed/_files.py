"""Files, folders, tables and streams as batches of columns.

Paths and globs are resolved here, names of columns are those of each file, and every CSV cell is read as
text: no type is guessed from the first rows.
"""

import csv
import glob
import gzip
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from .._typing import Label
from ._batches import (
    Roles,
    SourceError,
    column_error,
    distinct_labels,
    format_value,
    refuse_unknown_columns,
)
from ._local import Columns, LocalSource, connect, import_duckdb, is_interrupt

_MISSING_FOLDER = "__HIVE_DEFAULT_PARTITION__"  # the value of a folder for rows without one
_BATCH_ROWS = 2**17
_HEADER_BYTES = 2**20
_DELIMITERS = ",;\t"
_MAX_ERROR_CHARACTERS = 300  # characters
_READER_BYTES = 2**28  # for the buffers of a reader, in addition to the rows
# Takes the bytes of all files; the context that it returns has a function of the bytes read so far.
PROGRESS: ContextVar[Callable[[int], Any]] = ContextVar("PROGRESS", default=lambda _: nullcontext(float))


def open_local(data: Any, roles: Roles, limit: int) -> LocalSource | None:
    """Return rows that this process can read; None for data of another kind."""
    # By the names of modules, so that no library is imported to look at its type.
    libraries = {base.__module__.split(".")[0] for base in type(data).__mro__}
    if _are_paths(data):
        return open_paths(data if isinstance(data, list | tuple) else [data], roles, limit)
    if libraries & {"pandas", "polars"} and hasattr(data, "__len__") and hasattr(data, "columns"):
        refuse_unknown_columns("data", list(data.columns), roles.columns)
        return LocalSource("data", partial(_read_frame, data, roles.columns), roles, limit)
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "scanner"):
        return _open_arrow(data, roles, limit)
    return None


def open_paths(paths: Sequence[str | os.PathLike[str]], roles: Roles, limit: int) -> LocalSource:
    """Return the rows of files."""
    return LocalSource(*_read_paths(paths, roles.columns), roles, limit)


def _are_paths(data: object) -> bool:
    if isinstance(data, list | tuple):
        return bool(data) and all(isinstance(path, str | os.PathLike) for path in data)
    return isinstance(data, str | os.PathLike)


def _read_frame(frame: Any, names: Sequence[str]) -> Iterator[Columns]:
    """Yield slices of a data frame of pandas or polars, whose columns are arrays of numpy already."""
    arrays = {name: frame[name].to_numpy() for name in names}
    for first in range(0, len(frame), _BATCH_ROWS):
        rows = slice(first, first + _BATCH_ROWS)
        yield Columns({name: array[rows] for name, array in arrays.items()}, "data")


def _open_arrow(data: Any, roles: Roles, limit: int) -> LocalSource:
    """Return the rows of a table, a dataset or a stream of Arrow."""
    try:
        import pyarrow  # noqa: PLC0415  # an extra, imported where it is used
    except ImportError:
        raise ImportError("pyarrow is missing: pip install pyarrow") from None
    names, from_stream = roles.columns, pyarrow.RecordBatchReader.from_stream
    if type(data).__module__.strip("_").startswith("duckdb"):
        refuse_unknown_columns("data", data.columns, names)
        data = data.project(", ".join('"' + name.replace('"', '""') + '"' for name in names))
    else:
        schema = data.schema if hasattr(data, "schema") else from_stream(data).schema
        refuse_unknown_columns("data", schema.names, names)

    def read() -> Iterator[Columns]:
        is_dataset = hasattr(data, "scanner")
        with _read_errors("data"):
            for batch in data.scanner(columns=names).to_reader() if is_dataset else from_stream(data):
                for first in range(0, batch.num_rows, _BATCH_ROWS):
                    rows = batch.slice(first, _BATCH_ROWS)
                    yield Columns({name: rows.column(name) for name in names}, "data")

    is_stream = isinstance(data, pyarrow.RecordBatchReader)
    return LocalSource("data", read, roles, limit, reads_again=not is_stream)


class File(NamedTuple):
    """A file, with the columns that its folders name (``day=1``)."""

    path: str

    @property
    def folder_columns(self) -> dict[str, str]:
        """The values of the columns that folders name."""
        pairs = (folder.split("=", 1) for folder in Path(self.path).parts[:-1] if "=" in folder)
        return {unquote(name): unquote(value) for name, value in pairs}

    @property
    def name(self) -> str:
        """The path for errors."""
        return format_value(self.path)


def _read_paths(
    paths: Sequence[str | os.PathLike[str]], names: Sequence[str]
) -> tuple[str, Callable[[], Iterator[Columns]]]:
    """Return the name of all files, for errors, and a function that reads some of their columns."""
    found = [file for path in paths for file in files_of(os.fspath(path))]
    # A file that a folder and a path name, or a link, is one file, at its first place.
    files = list({os.path.realpath(file.path): file for file in reversed(found)}.values())[::-1]
    name = files[0].name if len(files) == 1 else format_value(os.fspath(paths[0]))
    versions = [_version_of(file) for file in files]  # rows may be read twice, and must be the same ones
    readers = [_reader_of(file, names) for file in files]  # all headers are checked before any row

    def read() -> Iterator[Columns]:
        n_bytes = 0
        with PROGRESS.get()(sum(size for size, _ in versions)) as show:
            for file, version, reader in zip(files, versions, readers, strict=True):
                with _read_errors(file.name):
                    for columns in reader():
                        show(n_bytes + columns.share * version[0])
                        yield columns
                    if _version_of(file) != version:
                        raise SourceError(f"{file.name}: changed while it was read")
                n_bytes += version[0]

    return name, read


def files_of(path: str) -> list[File]:
    """Return the files of a path, a glob or a folder, sorted."""
    if "\0" in path:
        raise SourceError(f"{format_value(path)}: a path must not contain a null byte")
    entries = [path] if os.path.exists(path) else sorted(glob.glob(path, recursive=True))
    if not entries:
        raise SourceError(f"{format_value(path)}: {_why_missing(path)}")
    files = []
    for entry in entries:
        if not os.path.isdir(entry):
            files.append(File(entry))
            continue
        for folder, folders, names in os.walk(entry, onerror=_refuse_folder, followlinks=True):
            # In place: os.walk then skips the folders that are left out, and takes the others in this order.
            folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
            visible = sorted(name for name in names if not name.startswith((".", "_")))
            files += [File(os.path.join(folder, name)) for name in visible]
    if not files:
        raise SourceError(f"{format_value(path)}: contains no files")
    # Also of a single file: a shell expands a pattern before this command sees it.
    for folder in dict.fromkeys(os.path.dirname(os.path.abspath(file.path)) for file in files):
        _refuse_table_format(folder)
    return files


def _why_missing(path: str) -> str:
    """Return why nothing has this name; other file systems are read by pyarrow, and ``~`` is the shell's."""
    if "://" in path:
        return "is not on this machine; pass pyarrow.dataset.dataset(path, filesystem=...)"
    home = "; pass os.path.expanduser(path)" * path.startswith("~")
    return f"no such file or folder{home}"


def _refuse_table_format(folder: str) -> None:
    """Refuse a table whose log says which files count: others contain rows that were replaced or deleted."""
    table, read, name = "", "", os.path.basename(folder)
    if "=" in name or name == "data":  # folders of partitions, and of Iceberg's rows
        _refuse_table_format(os.path.dirname(folder))
    if os.path.isdir(os.path.join(folder, "_delta_log")):
        table, read = "Delta Lake", f"deltalake.DeltaTable({folder!r}).to_pyarrow_dataset()"
    elif glob.glob(os.path.join(glob.escape(folder), "metadata", "*.metadata.json")):
        table, read = "Iceberg", "table.scan().to_arrow() of pyiceberg"
    if table:
        problem = f"is a table of {table}, whose files also contain old versions of rows"
        raise SourceError(f"{format_value(folder)}: {problem}; pass {read}")


def _refuse_folder(error: OSError) -> None:
    raise SourceError(f"{format_value(error.filename)}: {error.strerror}") from None


def _reader_of(file: File, names: Sequence[str]) -> Callable[[], Iterator[Columns]]:
    """Return a function that reads the columns of a file, after its header was checked."""
    import_duckdb()  # raises if it is missing
    with _read_errors(file.name):
        with open(file.path, "rb") as opened:
            start = opened.read(4)
        if not start:
            raise SourceError(f"{file.name}: contains no rows: the file is empty")
        names_in_file = [name for name in names if name not in file.folder_columns]
        is_gzip = start.startswith(b"\x1f\x8b")
        if is_gzip:
            _check_gzip(file.path, _version_of(file))
        layout = (
            _parquet_columns(file) if start == b"PAR1" else _text_layout(file, names_in_file, is_gzip=is_gzip)
        )
    columns = layout.columns if isinstance(layout, _TextLayout) else layout
    _refuse_folder_columns(file, names, columns)
    refuse_unknown_columns(file.name, [*columns, *file.folder_columns], names)
    if isinstance(layout, _TextLayout):
        return partial(_with_folders, file, names, partial(_read_text, file, layout, names_in_file))
    return partial(_with_folders, file, names, partial(_read_parquet, file, names_in_file))


@lru_cache(maxsize=1024)
def _check_gzip(path: str, _: tuple[int, int]) -> None:
    """Check the sums of a file, once per version: DuckDB would read other rows after a flipped bit."""
    with gzip.open(path, "rb") as opened:
        while opened.read(2**20):
            pass


def _refuse_folder_columns(file: File, names: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse folders that name a column of the file, a missing value, or all columns."""
    for name, value in file.folder_columns.items():
        if name in names and name in columns:
            folder = format_value(f"{name}={value}")
            raise column_error(file.name, name, f"is in the file and in the name of its folder {folder}")
        if name in names and value == _MISSING_FOLDER:
            raise column_error(file.name, name, f"contains missing values, of the folder {_MISSING_FOLDER}")
    if set(names) <= file.folder_columns.keys():
        listed = ", ".join(map(format_value, names))
        raise SourceError(f"{file.name}: a column must be in the file; folders name all of {listed}")


def _with_folders(
    file: File, names: Sequence[str], read: Callable[[], Iterator[Columns]]
) -> Iterator[Columns]:
    """Yield the columns of a file, and those that its folders name."""
    from pyarrow import array  # noqa: PLC0415  # an extra, imported where it is used

    folder_values = {name: file.folder_columns[name] for name in names if name in file.folder_columns}
    for columns in read():
        n_rows = len(next(iter(columns.arrays.values()), ()))
        texts = {name: array([value] * n_rows) for name, value in folder_values.items()}
        yield columns._replace(arrays=columns.arrays | texts, text_columns=columns.text_columns | {*texts})


def _parquet_columns(file: File) -> list[str]:
    from pyarrow import parquet  # noqa: PLC0415  # an extra, imported where it is used

    with parquet.ParquetFile(file.path) as opened:
        return list(opened.schema_arrow.names)


def _read_parquet(file: File, names: Sequence[str]) -> Iterator[Columns]:
    from pyarrow import parquet  # noqa: PLC0415  # an extra, imported where it is used

    # With a buffer, all columns would stay in memory. Sums of pages are only checked if this is asked for.
    options = {"pre_buffer": False, "page_checksum_verification": True}
    with parquet.ParquetFile(file.path, **options) as opened:
        for n_batches, batch in enumerate(opened.iter_batches(_BATCH_ROWS, columns=list(names)), 1):
            share = min(n_batches * _BATCH_ROWS / opened.metadata.num_rows, 1.0)
            yield Columns({name: batch.column(name) for name in names}, file.name, share=share)


class _TextLayout(NamedTuple):
    """How a file of text separates its columns."""

    columns: list[str]
    delimiter: str
    is_gzip: bool


def _text_layout(file: File, names: Sequence[str], *, is_gzip: bool) -> _TextLayout:
    """Return the columns of the header, split by the only delimiter that gives all names."""
    with (gzip.open if is_gzip else open)(file.path, "rb") as opened:
        line = opened.readline(_HEADER_BYTES)
    if line.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SourceError(f"{file.name}: is UTF-16; write it as UTF-8")
    try:
        header = line.decode("utf-8-sig").split("\r", 1)[0].rstrip("\n")
    except UnicodeDecodeError:
        raise SourceError(f"{file.name}: is not a Parquet file, nor text in UTF-8") from None
    layouts = [
        _TextLayout(next(csv.reader([header], delimiter=delimiter), []), delimiter, is_gzip)
        for delimiter in _DELIMITERS
    ]
    fitting = [layout for layout in layouts if set(names) <= set(layout.columns)]
    if len({tuple(layout.columns) for layout in fitting}) > 1:  # the only column has no delimiter
        delimiters = " and with ".join(repr(layout.delimiter) for layout in fitting)
        raise SourceError(
            f"{file.name}: cannot tell the delimiter: the columns are present with {delimiters}"
        )
    return fitting[0] if fitting else max(layouts, key=lambda layout: len(layout.columns))


def _read_text(file: File, layout: _TextLayout, names: Sequence[str]) -> Iterator[Columns]:
    """Yield some columns as text; quotes, line ends and broken rows are DuckDB's to read."""
    types = ", ".join(f"'c{index}': 'VARCHAR'" for index in range(len(layout.columns)))
    selected = ", ".join(f"c{layout.columns.index(name)}" for name in names)
    # DuckDB takes every path for a pattern, and a relative one such as http:/rows.csv for a web address.
    path = glob.escape(os.path.join(os.getcwd(), file.path)).replace("'", "''")
    options = f"delim='{layout.delimiter}', compression='{'gzip' if layout.is_gzip else 'none'}'"
    connection = connect(_READER_BYTES)
    connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
    try:
        query = connection.sql(
            f"SELECT {selected} FROM read_csv('{path}', columns={{{types}}}, {options}, header=true, "
            "auto_detect=false, quote='\"', escape='\"')"
        )
        for batch in query.to_arrow_reader(_BATCH_ROWS):
            arrays = dict(zip(names, batch.columns, strict=True))
            yield Columns(arrays, file.name, frozenset(names), max(connection.query_progress(), 0) / 100)
    finally:
        connection.close()


@contextmanager
def _read_errors(name: str) -> Iterator[None]:
    """Raise errors of readers as one line with the name of the file."""
    try:
        yield
    except (SourceError, ImportError):
        raise
    except (EOFError, zlib.error, csv.Error) as error:  # of a header
        raise SourceError(f"{name}: cannot be read: {error}") from None
    except OSError as error:
        if error.strerror is not None:
            raise SourceError(f"{name}: {error.strerror}") from None
        raise SourceError(f"{name}: cannot be read: {_first_sentence(error)}") from None
    except Exception as error:
        if type(error).__module__.split(".")[0] not in ("_duckdb", "duckdb", "pyarrow"):
            raise
        if is_interrupt(error):
            raise KeyboardInterrupt from None
        raise SourceError(f"{name}: cannot be read: {_first_sentence(error)}") from None


def _first_sentence(error: Exception) -> str:
    """Return the cause of an error without the options of DuckDB, which users of this package cannot set."""
    text = " ".join(str(error).split())
    if "reached an invalid state" in text:
        return "line ends or quotes differ between rows; write all lines with one kind of line end"
    for end in ("Possible fixes", "Possible Solution", "The CSV Parser state", "Detail: Python exception"):
        text = text.split(f" {end}", 1)[0]
    return text.removeprefix("Invalid Input Error: ").removeprefix("IO Error: ")[:_MAX_ERROR_CHARACTERS]


def _version_of(file: File) -> tuple[int, int]:
    """Return the size and the time of the last change."""
    with _read_errors(file.name):
        status = os.stat(file.path)
        return status.st_size, status.st_mtime_ns


def first_labels(paths: Sequence[str], column: str, score_column: str) -> tuple[str, list[Label]]:
    """Return the name of files and their first two distinct labels, or the only label."""
    # Folders may name the labels (label=1), and then the scores are what a file must contain.
    name, read = _read_paths(paths, list(dict.fromkeys([column, score_column])))
    labels: dict[Label, None] = {}
    for columns in read():
        values = columns.arrays[column]
        labels.update(dict.fromkeys(distinct_labels(values, columns.where, column, columns.text_columns)))
        if len(labels) > 1:
            break
    return name, list(labels)[:2]

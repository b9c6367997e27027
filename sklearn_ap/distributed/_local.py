"""Rows that this process reads: files, tables and streams, gathered if they fit, sorted
by DuckDB if not.

Paths and globs are resolved here, names of columns are those of each file, and every
CSV cell is read as text: no type is guessed from the first rows. pyarrow reads files;
DuckDB, which takes more memory and time to start, only sorts, and reads JSON.
"""

import csv
import glob
import gzip
import io
import json
import os
import re
import tempfile
from collections.abc import (
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Set,
)
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote

import numpy as np

from .._typing import Label
from ._batches import (
    Advice,
    Batch,
    BatchReader,
    Columns,
    DType,
    InexactError,
    Item,
    Order,
    PartFunction,
    Roles,
    SourceError,
    advice_of_duckdb,
    advice_of_pandas,
    advice_of_polars,
    cast_exactly,
    column_error,
    columns_of,
    counted_rows,
    format_value,
    is_number,
    score_types,
)

if TYPE_CHECKING:
    import duckdb
    import pyarrow

# DuckDB sorts 1e7 rows within so many bytes, and fails within 16 million
_SORT_BYTES = 64 * 10**6
_ONE_THREAD_BYTES = 128 * 10**6  # each thread of a sort has buffers of its own
_BATCH_ROWS = 2**17
_LAST_CELL = "the last row of this file"  # is added to text; see `_EndedFile`
_MISSING_CELLS = ["", "nan", "NaN"]  # as pandas and numpy write NaN
_HEADER_BYTES = 2**20
_READER_BYTES = 2**28  # for the buffers of DuckDB
_START_BYTES = 256  # tell the format of a file
# After a byte order mark and white space, an object or a list of them, with a key in
# quotes and a colon, or what these bytes have of it: a column may be called {id}.
_is_json = re.compile(
    rb'(?:\xef\xbb\xbf)?\s*\[?\s*\{\s*(?:\Z|"(?:[^"\\]|\\.)*\\?(?:\Z|"\s*(?:\Z|:)))',
    re.DOTALL,
).match
# Text has none of these, and may begin as other formats do: PAR1 is also a column.
_is_binary = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]").search
_KEYED_OBJECTS = 100  # first objects of JSON, whose keys are the columns
# by their first four bytes; what they are, and how to write a file that is read
_OTHER_FORMATS = {
    b"ARRO": "a Feather file; write Parquet: pandas.read_feather(path).to_parquet(...)",
    b"FEA1": "a Feather file; write Parquet: pandas.read_feather(path).to_parquet(...)",
    b"\x93NUM": "an array of numpy; write CSV with a header: pandas.DataFrame(...).to_csv",
    b"PK\x03\x04": "a zip file, such as .npz or .xlsx; write each table as CSV or Parquet: "
    "pandas.DataFrame(...).to_parquet",
}
# errors of columns that Arrow does not take
_NOT_CONVERTED = ArithmeticError, TypeError, ValueError, NotImplementedError
_ENGINES = "_duckdb", "duckdb", "pyarrow", "zlib", "_csv"  # modules of errors
# a class of DuckDB, and a text of Arrow
_INTERRUPTS = {"InterruptException", "Query interrupted"}
_DELIMITERS = ",;\t"
_MAX_ERROR_CHARACTERS = 300
# the value of a folder for rows without one
_MISSING_FOLDER = "__HIVE_DEFAULT_PARTITION__"
_Reader = Callable[[], Iterator[Columns]]  # of all rows


# --- a source -------------------------------------------------------------------------


@dataclass
class LocalSource:
    """Rows of files, tables and streams."""

    name: str  # of all rows, for errors
    read: _Reader
    roles: Roles
    limit: int  # bytes that rows may take in memory
    advice: Advice  # what leaves out rows that lack a value
    reads_again: bool = True  # whether `read` may be called twice
    is_repeatable: bool = True  # whether it then has the same rows
    _reader: BatchReader = field(init=False)  # of the first pass
    # the rest of this pass, if rows do not fit
    _unread: Generator[Batch] | None = None
    _types: Set[DType] = frozenset()  # of scores

    def close(self) -> None:
        """Nothing stays open."""

    @property
    def reader(self) -> BatchReader:
        """The reader of the first pass, which counts the rows that are left out."""
        return self._reader

    def gather(self) -> Batch | None:
        """Return all rows, or None if they do not fit; the next pass then continues
        this one.
        """
        self._reader, batches = self._pass()
        gathered = list[Batch]()
        n_bytes = 0
        for batch in batches:
            gathered.append(batch)
            n_bytes += batch.nbytes
            if n_bytes > self.limit:
                self._types = {part.score.dtype for part in gathered}
                self._unread = _popped(gathered, batches)
                return None
        return self._reader.with_typed_ids(self.roles.concatenate(gathered, self.name))

    def map_parts(
        self, function: PartFunction[Item], order: Order | None
    ) -> Generator[Item]:
        """Call a function on all rows, which are one part, and yield its results."""
        problem = None
        # Scores of other types are read again in the next type that may represent all
        # of them.
        for score_type in score_types(self._types):
            if self._unread is not None:
                reader, batches = self._reader, self._unread
                self._unread = None
            elif self.reads_again:
                reader, batches = self._pass()
            else:
                raise SourceError(
                    f"{self.name}: memory_limit must cover rows that can be read only once; got "
                    f"{self.limit:,} bytes"
                )
            if order != "query":
                batches = counted_rows(batches)
            if order is not None:
                batches = sorted_batches(
                    self.name, batches, order, score_type, self.limit
                )
            try:
                with closing(batches):
                    yield from function(map(reader.with_typed_ids, batches))
                    return
            except InexactError as error:
                problem = error
        raise column_error(self.name, self.roles.y_score, f"contains {problem}")

    def _pass(self) -> tuple[BatchReader, Generator[Batch]]:
        """Return the rows of another pass, with their reader."""
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
        reader.refuse_missing(self.advice)
        reader.refuse_no_rows(self.name)


def _popped(batches: list[Batch], others: Iterable[Batch]) -> Generator[Batch]:
    """Yield batches and drop the references, so that memory is freed batch by batch;
    then yield others.
    """
    while batches:
        yield batches.pop(0)
    yield from others


@dataclass(frozen=True)
class NamedFiles:
    """Files of a command line, and the option that names each column."""

    paths: Sequence[str]
    options: Mapping[str, str]
    drops_missing: bool = False
    advice: str = "--drop-missing"

    def open(self, roles: Roles, limit: int) -> LocalSource:
        """Return some columns of the rows."""
        roles = roles._replace(options=self.options, drops_missing=self.drops_missing)
        return open_paths(self.paths, roles, limit, self.advice)


def open_local(data: Any, roles: Roles, limit: int) -> LocalSource:
    """Return rows that this process can read; refuse data of another kind."""
    if isinstance(data, NamedFiles):
        return data.open(roles, limit)
    paths = data if isinstance(data, list | tuple) else [data]
    if paths and all(isinstance(path, str | os.PathLike) for path in paths):
        return open_paths(paths, roles, limit)
    # By the names of modules, so that no library is imported to look at its type.
    libraries = {base.__module__.split(".")[0] for base in type(data).__mro__}
    if (
        libraries & {"pandas", "polars"}
        and hasattr(data, "__len__")
        and hasattr(data, "columns")
    ):
        roles.refuse_unknown("data", data.columns, data.dtypes)
        with engine_errors("data"):
            import pyarrow  # noqa: PLC0415  # an extra, imported where it is used

            arrays = {
                name: _array_of(data[name], "data", name) for name in roles.columns
            }
            advice = advice_of_polars if "polars" in libraries else advice_of_pandas
            return _open_arrow(pyarrow.table(arrays), roles, limit, advice)
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "scanner"):
        return _open_arrow(data, roles, limit)
    raise TypeError(
        "data must be a path, a glob, a folder, a list of them, a DataFrame of Spark, or a table, "
        f"data frame, dataset, relation or stream that Arrow reads; got {type(data).__name__}. Write "
        "a frame of Dask by frame.to_parquet(folder), and pass the folder; pass a LazyFrame of polars "
        "as frame.collect(), batches of Arrow as "
        "pyarrow.Table.from_batches(batches), a generator of them as "
        "pyarrow.RecordBatchReader.from_batches(schema, generator), and rows of a cursor as "
        "pandas.DataFrame(cursor.fetchall(), columns=[...])."
    )


def open_paths(
    paths: Sequence[str | os.PathLike[str]],
    roles: Roles,
    limit: int,
    advice: Advice | None = None,
) -> LocalSource:
    """Return the rows of files."""
    name, read = _read_paths(paths, roles)
    advice = advice or partial(advice_of_duckdb, name)
    return LocalSource(name, read, roles, limit, advice)


def _array_of(values: Any, where: str, name: str) -> "pyarrow.Array":
    """Return a list, or a column of pandas or polars, as Arrow has it; refuse values of
    several types.
    """
    import pyarrow  # noqa: PLC0415  # an extra, imported where it is used

    try:
        if hasattr(values, "to_arrow"):  # of polars
            return values.to_arrow()
        return pyarrow.array(values)
    except _NOT_CONVERTED as error:
        problem = str(error)
        if {*map(type, values)} == {int}:
            # Arrow does not try this type, and would cut the decimals of floats off.
            with suppress(*_NOT_CONVERTED):
                return pyarrow.array(values, "uint64")
            problem = f"no type of 64 bits has {min(values)} and {max(values)}"
        kind = getattr(values, "dtype", "JSON")
        raise column_error(
            where,
            name,
            f"has type {kind} and cannot be read: {problem}; expected numbers of one type, "
            "text or dates, such as column.astype(float) or .astype(str) of pandas",
        ) from None


def _open_arrow(
    data: "pyarrow.Table", roles: Roles, limit: int, advice: Advice | None = None
) -> LocalSource:
    """Return the rows of a table, a dataset or a stream of Arrow."""
    import pyarrow  # noqa: PLC0415  # an extra, imported where it is used

    names, from_stream = roles.columns, pyarrow.RecordBatchReader.from_stream
    if type(data).__module__.strip("_").startswith("duckdb"):
        with engine_errors("data"):  # its table may be gone, its connection closed
            roles.refuse_unknown("data", data.columns, data.types)
            # quoted, since DuckDB takes a.b for a column of a table
            quoted = ['"' + name.replace('"', '""') + '"' for name in names]
            data = data.select(*quoted)
    else:
        schema = data.schema if hasattr(data, "schema") else from_stream(data).schema
        roles.refuse_unknown("data", schema.names, schema.types)
        _refuse_types_of_pandas(schema, names, "data")

    def read() -> Iterator[Columns]:
        is_dataset = hasattr(data, "scanner")
        with engine_errors("data"):
            for batch in (
                data.scanner(columns=names).to_reader()
                if is_dataset
                else from_stream(data)
            ):
                table = pyarrow.Table.from_batches([batch])
                for rows in table.to_batches(max_chunksize=_BATCH_ROWS):
                    yield columns_of({name: rows[name] for name in names}, "data")

    is_stream = isinstance(data, pyarrow.RecordBatchReader)
    # a relation may have other rows each time, and a dataset of a stream has them once
    is_repeatable = isinstance(data, pyarrow.Table) or hasattr(data, "files")
    advice = advice or partial(advice_of_duckdb, "data")
    return LocalSource("data", read, roles, limit, advice, not is_stream, is_repeatable)


# --- files ----------------------------------------------------------------------------


def _version(path: str) -> tuple[int, int]:
    """Return the size of a file, and the time of its last change."""
    with engine_errors(format_value(path)):
        status = os.stat(path)
        return status.st_size, status.st_mtime_ns


def first_labels(source: LocalSource) -> list[Label]:
    """Return the first two distinct labels, or the only label."""
    labels: dict[Label, None] = {}
    reader = BatchReader(source.roles)
    for batch in source.read():
        columns = reader.complete(batch)
        labels.update(dict.fromkeys(columns[source.roles.y_true].first_labels()))
        if len(labels) > 1:
            break
    return list(labels)[:2]


def distinct_labels(source: LocalSource) -> tuple[set[Label], set[bool]]:
    """Return all labels, and whether they are text of files, whose numbers have no
    type.
    """
    labels, are_text = set[Label](), set[bool]()
    reader = BatchReader(source.roles)
    for batch in source.read():
        column = reader.complete(batch)[source.roles.y_true]
        if len(column.values):
            labels.update(column.distinct_labels())
            are_text.add(column.is_text)
    reader.refuse_missing(source.advice)
    if not labels:
        reader.refuse_no_rows(source.name)
    return labels, are_text


def _read_paths(
    paths: Sequence[str | os.PathLike[str]], roles: Roles
) -> tuple[str, _Reader]:
    """Return the name of all files, for errors, and a function that reads some of their
    columns.
    """
    named = [file for path in paths for file in _files_of(os.fspath(path))]
    # A file that a folder and a path name, or a link, is one file, at its first place.
    files = list({os.path.realpath(file): file for file in reversed(named)}.values())[
        ::-1
    ]
    name = format_value(files[0] if len(files) == 1 else os.fspath(paths[0]))
    # rows may be read twice, and must be the same ones
    versions = [_version(file) for file in files]
    # all headers are checked before any row
    readers = [_reader_of(file, roles) for file in files]

    def read() -> Iterator[Columns]:
        for file, version, reader in zip(files, versions, readers, strict=True):
            where = format_value(file)
            with engine_errors(where):
                yield from reader()
                if _version(file) != version:
                    raise SourceError(f"{where}: changed while it was read")

    return name, read


def _files_of(path: str) -> list[str]:
    """Return the files of a path, a glob or a folder, sorted."""
    entries = (
        [path] if os.path.exists(path) else sorted(glob.glob(path, recursive=True))
    )
    if not entries:
        problem = "no such file or folder"
        # pyarrow reads other file systems, and the tilde is the shell's
        if "://" in path or path.startswith("~"):
            problem = (
                "is not a path on this machine; pass os.path.expanduser(path), or "
                "pyarrow.dataset.dataset(path, filesystem=...)"
            )
        raise SourceError(f"{format_value(path)}: {problem}")
    files = []
    for entry in entries:
        if not os.path.isdir(entry):
            files.append(entry)
            continue
        for folder, folders, names in os.walk(
            entry, onerror=_refuse_folder, followlinks=True
        ):
            # In place: os.walk then skips the folders that are left out, and takes the
            # others in this order.
            for listed in (folders, names):
                listed[:] = sorted(
                    name for name in listed if not name.startswith((".", "_"))
                )
            files += [os.path.join(folder, name) for name in names]
            for name in folders:
                _refuse_circle(Path(folder, name))
    if not files:
        raise SourceError(f"{format_value(path)}: contains no files")
    # Also of a single file: a shell expands a pattern before this command sees it.
    innermost = {os.path.dirname(os.path.abspath(file)) for file in files}
    for parent in {each for inner in innermost for each in Path(inner, "rows").parents}:
        _refuse_table_format(parent)
    return files


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


def _reader_of(path: str, roles: Roles) -> _Reader:
    """Return a function that reads the columns of a file, after its header was
    checked.
    """
    where = format_value(path)
    # of columns that folders name (day=1)
    folders = {
        unquote(name): None if value == _MISSING_FOLDER else unquote(value)
        for name, value in re.findall("([^/=]+)=([^/]*)/", Path(path).as_posix())
    }
    in_folders = {
        name: value for name, value in folders.items() if name in roles.columns
    }
    in_file = [name for name in roles.columns if name not in in_folders]
    with engine_errors(where):
        read = _read_text
        with _open_bytes(path) as file:
            start = file.read(_START_BYTES)
        if not start:
            raise SourceError(f"{where}: contains no rows: the file is empty")
        kind = start[:4] if _is_binary(start) else b""
        if kind in _OTHER_FORMATS:
            raise SourceError(f"{where}: is {_OTHER_FORMATS[kind]}")
        if kind == b"PAR1":
            from pyarrow import parquet  # noqa: PLC0415  # an extra, imported where it is used

            schema = parquet.read_schema(path)
            columns, types = schema.names, schema.types
            read = _read_parquet
        elif _is_json(start):
            columns, types = _json_keys(path)
            read = _read_json
        else:
            columns, delimiter = text_header(path, in_file)
            types = map(_type_of_cell, _first_row(path, delimiter))
    roles.refuse_unknown(where, [*columns, *folders], types)
    if not in_file:
        raise SourceError(
            f"{where}: a column must be in the file; folders name all of {roles.columns}"
        )
    return partial(_with_folders, in_folders, partial(read, path, in_file))


def _open_bytes(path: str) -> gzip.GzipFile | io.BufferedReader:
    """Open a file, also one that is gzipped."""
    with open(path, "rb") as file:
        is_gzip = file.read(2) == b"\x1f\x8b"
    return gzip.open(path) if is_gzip else open(path, "rb")


def _with_folders(
    folder_values: Mapping[str, str | None], read: _Reader
) -> Iterator[Columns]:
    """Yield the columns of a file, and those that its folders name."""
    from pyarrow import array  # noqa: PLC0415  # an extra, imported where it is used

    for columns in read():
        column = next(iter(columns.values()))
        n_rows = len(column.values)
        texts = {
            name: array([value] * n_rows, "string")
            for name, value in folder_values.items()
        }
        yield {**columns, **columns_of(texts, column.where, is_text=True)}


def _read_parquet(path: str, names: Sequence[str]) -> Iterator[Columns]:
    from pyarrow import parquet  # noqa: PLC0415  # an extra, imported where it is used

    # With a buffer, all columns would stay in memory. Sums of pages are only checked if
    # this is asked for.
    options = {"pre_buffer": False, "page_checksum_verification": True}
    with parquet.ParquetFile(path, **options) as opened:
        _refuse_types_of_pandas(opened.schema_arrow, names, format_value(path))
        for batch in opened.iter_batches(_BATCH_ROWS, columns=list(names)):
            arrays = {name: batch.column(name) for name in names}
            yield columns_of(arrays, format_value(path))


def _refuse_types_of_pandas(
    schema: "pyarrow.Schema", names: Sequence[str], where: str
) -> None:
    """Refuse periods and intervals, which are stored as numbers of other meaning."""
    for name in names:
        field = schema.field(name)
        # Arrow has the type once pandas was imported, and else its name.
        words = f"{field.type} {field.metadata}"
        kind = re.search(r"pandas\.(?:period|interval)", words)
        if kind:
            raise column_error(
                where,
                name,
                f"has type {kind[0]}; write it as text: column.astype(str)",
            )


def _json_rows(
    path: str,
    names: Sequence[str],
    records: Literal["true", "false"],
    limit: int = 2**62,
) -> Iterator["pyarrow.RecordBatch"]:
    """Yield some keys of the objects of a file, one per line or in a list, as text of
    JSON; whole objects without `records`.
    """
    # DuckDB goes by the name, and misses a list behind a byte order mark.
    with _open_bytes(path) as file:
        is_gzip = isinstance(file, gzip.GzipFile)
        is_list = b"[" in file.read(_START_BYTES).split(b"{")[0]
    with connect(_READER_BYTES, "") as connection:
        rows = connection.read_json(
            glob.escape(os.path.abspath(path)),  # DuckDB takes every path for a pattern
            columns=dict.fromkeys(names, "JSON"),
            compression="gzip" if is_gzip else "none",
            format="array" if is_list else "auto",
            records=records,
        )
        yield from rows.limit(limit).to_arrow_reader(_BATCH_ROWS)


def _json_keys(path: str) -> tuple[list[str], list[str]]:
    """Return the keys of the first objects, each once, and the types of their
    values.
    """
    batches = _json_rows(path, ["object"], "false", _KEYED_OBJECTS)
    objects = (json.loads(text) for batch in batches for text in batch[0].to_pylist())
    # of what is not an object, the error comes with the rows
    types = {
        key: type(value).__name__
        for each in objects
        if isinstance(each, dict)
        for key, value in each.items()
    }
    return list(types), list(types.values())


def _read_json(path: str, names: Sequence[str]) -> Iterator[Columns]:
    """Yield some columns as numbers, booleans, or text as it is written."""
    where = format_value(path)
    for batch in _json_rows(path, names, "true"):
        arrays = {}
        for name, texts in zip(names, batch.columns, strict=True):
            listed = ",".join(texts.fill_null("null").to_pylist())
            arrays[name] = _array_of(json.loads(f"[{listed}]"), where, name)
        yield columns_of(arrays, where)


def text_header(path: str, names: Sequence[str]) -> tuple[list[str], str]:
    """Return the columns of the header, split by the delimiter that gives all names,
    and this.
    """
    where = format_value(path)
    with _open_bytes(path) as file:
        line = file.readline(_HEADER_BYTES)
    try:
        header = line.decode("utf-8-sig").split("\r", 1)[0].rstrip("\n")
    except UnicodeDecodeError:
        raise SourceError(
            f"{where}: is neither Parquet nor text in UTF-8; write text in UTF-16 or Latin-1 as UTF-8"
        ) from None
    columns = {
        delimiter: next(csv.reader([header], delimiter=delimiter), [])
        for delimiter in _DELIMITERS
    }
    # One that gives all names, or else most cells, which an error then lists.
    delimiter = max(
        columns, key=lambda each: (set(names) <= set(columns[each]), len(columns[each]))
    )
    return columns[delimiter], delimiter


def _first_row(path: str, delimiter: str) -> list[str]:
    """Return the cells of the line after the header."""
    with _open_bytes(path) as file:
        file.readline(_HEADER_BYTES)
        # no longer than a cell may be
        row = file.readline(csv.field_size_limit()).decode("utf-8", "replace")
    return next(csv.reader(row.splitlines()[:1], delimiter=delimiter), [])


def _type_of_cell(text: str) -> str:
    return "float" if is_number(text.strip()) else "text"


def _read_text(path: str, names: Sequence[str]) -> Iterator[Columns]:
    """Yield some columns as text; quotes, line ends and broken rows are Arrow's to
    read.
    """
    import pyarrow  # noqa: PLC0415  # an extra, imported where it is used
    from pyarrow import csv as arrow_csv  # noqa: PLC0415  # the same

    where = format_value(path)
    columns, delimiter = text_header(path, names)
    # Rows may end in a delimiter that the header lacks.
    n_cells = len(columns) + (_first_row(path, delimiter)[len(columns) :] == [""])
    # By position, since names may occur twice.
    every = [f"c{index}" for index in range(n_cells)]
    selected = [every[columns.index(name)] for name in names]
    selected += every[len(columns) :]
    last_row = f"\n{delimiter.join([_LAST_CELL] * n_cells)}\n".encode()
    # Python's gzip compares the sums of a file when its end is read.
    with _open_bytes(path) as file:
        reader = arrow_csv.open_csv(
            pyarrow.PythonFile(_EndedFile(file, last_row), "r"),
            # A name may have two lines. Only one thread knows the numbers of rows.
            arrow_csv.ReadOptions(
                column_names=every, skip_rows_after_names=1, use_threads=False
            ),
            arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(selected, pyarrow.string()),
                include_columns=selected,
                null_values=_MISSING_CELLS,
                strings_can_be_null=True,
            ),
        )
        for batch, following in pairwise(chain(reader, [None])):
            rows = batch
            if following is None:
                # checked before a cell that goes on to the end is read as a number
                if not (batch.num_rows and batch[0][-1].as_py() == _LAST_CELL):
                    raise SourceError(f"{where}: a quote has no end")
                rows = batch[:-1]
            for nameless in rows.columns[len(names) :]:
                if nameless.null_count < rows.num_rows:
                    raise SourceError(f"{where}: has more cells than the header")
            yield columns_of(
                dict(zip(names, rows.columns, strict=False)), where, is_text=True
            )


class _EndedFile:
    """A file of text with one more row.

    Arrow takes all rows behind a quote without an end as one cell, and says nothing:
    then this row is missing, too.
    """

    closed = False

    def __init__(self, file: io.BufferedIOBase, last_row: bytes) -> None:
        self._file, self._last_row = file, last_row

    def read(self, n_bytes: int) -> bytes:
        """Return so many bytes, or what is left."""
        last_row = self._last_row
        content = self._file.read(n_bytes - len(last_row))
        if len(content) == n_bytes - len(last_row):
            return content
        self._last_row = b""
        return content + last_row


# --- DuckDB ---------------------------------------------------------------------------


@contextmanager
def connect(limit: int, folder: str) -> Iterator["duckdb.DuckDBPyConnection"]:
    """Yield a connection to a database in memory, without extensions or variables of
    the caller.
    """
    import duckdb  # noqa: PLC0415  # an extra, imported where it is used

    limit = max(limit, _SORT_BYTES)
    config: dict[str, Any] = {
        "memory_limit": f"{limit}B",
        # a name like a web address asks for an extension
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        # else a missing table is looked for among Python's variables
        "python_enable_replacements": False,
        "temp_directory": folder,
    }
    if limit < _ONE_THREAD_BYTES:
        config["threads"] = 1
    connection = duckdb.connect(":memory:", config=config)
    try:
        # A bar would be printed among the answer.
        connection.execute("SET enable_progress_bar_print = false")
        yield connection
    finally:
        connection.close()


def sorted_batches(
    name: str, batches: Iterator[Batch], order: Order, score_type: DType, limit: int
) -> Generator[Batch]:
    """Yield the rows of all batches in order; DuckDB sorts them, on disk beyond the
    limit.

    Raises
    ------
    InexactError
        If a score is not exact in the type.
    """
    with engine_errors(name):
        import pyarrow  # noqa: PLC0415  # an extra, imported where it is used

    first = next(batches, None)
    if first is None:
        return
    errors: list[BaseException] = []  # of the rows, whose text alone DuckDB keeps

    def to_arrow(
        batch: Batch, schema: "pyarrow.Schema | None" = None
    ) -> "pyarrow.RecordBatch":
        rows = batch._replace(score=cast_exactly(batch.score, score_type)).columns()
        try:
            return pyarrow.RecordBatch.from_pydict(rows, schema=schema)
        except (pyarrow.ArrowException, OverflowError) as error:
            raise SourceError(
                f"{name}: ids of queries cannot be sorted: {error}"
            ) from None

    def converted() -> "Iterator[pyarrow.RecordBatch]":
        try:
            for batch in chain([first], batches):
                yield to_arrow(batch, schema)
        except BaseException as error:
            errors.append(error)
            raise

    schema = to_arrow(first.take(slice(0, 1))).schema
    with tempfile.TemporaryDirectory(
        prefix="sklearn_ap-", ignore_cleanup_errors=True
    ) as folder:
        try:
            with (
                engine_errors(name, "sorted", limit),
                connect(limit, folder) as connection,
            ):
                unsorted = pyarrow.RecordBatchReader.from_batches(schema, converted())
                connection.register("unsorted", unsorted)
                query = connection.sql(f"SELECT * FROM unsorted ORDER BY {order}")
                for batch in query.to_arrow_reader(_BATCH_ROWS):
                    names = batch.schema.names
                    yield Batch(**{name: _values_of(batch[name]) for name in names})
        except (SourceError, KeyboardInterrupt) as error:
            raise next(iter(errors), error) from None


def _values_of(column: "pyarrow.Array") -> Any:
    """Return a column as an array; equal texts are one object, which is faster."""
    if str(column.type) == "string":
        encoded = column.dictionary_encode()
        return np.take(encoded.dictionary, encoded.indices)
    return column.to_numpy(zero_copy_only=False)


@contextmanager
def engine_errors(
    name: str, verb: str = "read", limit: int | None = None
) -> Iterator[None]:
    """Raise errors of readers and of DuckDB as one line with the name of the rows, and
    Ctrl-C as itself.
    """
    try:
        yield
    except (SourceError, InexactError):
        raise
    except ImportError as error:
        raise ImportError(
            f"{error.name} is missing: pip install duckdb pyarrow"
        ) from None
    except Exception as error:
        if isinstance(error, OSError) and error.strerror is not None:
            raise SourceError(f"{name}: {error.strerror}") from None
        module = type(error).__module__.split(".")[0]
        kind = type(error).__name__
        if (
            not isinstance(error, OSError | RuntimeError | EOFError)
            and module not in _ENGINES
        ):
            raise
        # of an error in a caller's stream, it contains the class
        text = " ".join(str(error).split())
        if {kind, text} & _INTERRUPTS or "KeyboardInterrupt" in text:
            raise KeyboardInterrupt from None
        raise SourceError(
            f"{name}: cannot be {verb}: {_cause_in(text, limit)}"
        ) from None


def _cause_in(text: str, limit: int | None) -> str:
    """Return the cause of an error without the options of DuckDB, which users of this
    package cannot set.
    """
    if "max_temp_directory_size" in text or "No space left" in text:
        folder = format_value(tempfile.gettempdir())
        return f"the temporary folder {folder} is full; set TMPDIR to a folder with more space"
    if limit is not None and "out of memory" in text.lower():
        return f"memory_limit is too small to sort the rows; got {limit:,} bytes; DuckDB reports: {text}"
    if text.startswith("straddling object"):
        return "a quote has no end, or a row has more than a million bytes"
    text = re.split(" Detail: Python exception| Try setting ", text)[0]
    return text[:_MAX_ERROR_CHARACTERS] + "; write the file as UTF-8" * (
        "invalid UTF8" in text
    )

"""Files and datasets as sources: every column has one type, which holds the values of all files exactly."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import numpy as np

from ..._typing import AnyArray
from .._source import Part, Place, SourceError, Told, shown
from ._batches import Read, fold, refused, types_of
from ._cells import dtype_of_kinds, first_text, kinds_of
from ._content import Content
from ._convert import cast_exactly, check_one_column_each
from ._fragments import FILTERED, ArrowFile, Typed, misfit
from ._paths import files_of, named_by_directories
from ._text import PIECES, DoubtfulError, Pieces, TextFile, WidenedColumn, nullable

if TYPE_CHECKING:  # pyarrow is optional
    from pyarrow import Schema
    from pyarrow.compute import Expression
    from pyarrow.dataset import Dataset, FileFormat, Fragment


State = TypeVar("State")


class _AnyFile(Protocol):
    """A file of any format."""

    name: str

    @property
    def n_rows(self) -> int | None:
        """Number of rows, if it is known before they are read."""

    @property
    def n_parts(self) -> int | None:
        """Number of parts, if it is known before they are read."""

    def types(self) -> Mapping[str, Typed]:
        """Return the columns with their types."""

    def check(self, names: Sequence[str]) -> None:
        """Refuse columns that are missing, twofold or without an array."""

    def extremes(self, column: str) -> tuple[float, float] | None:
        """Return bounds of a column, if they are known."""

    def reads(self, names: Sequence[str], during: str) -> Iterator[Read]:
        """Yield what reads the parts; `during` says when the file has changed, if it has."""


class Files:
    """Rows of files of one format or several, or of a dataset.

    Parameters
    ----------
    name : str
        What was passed, for errors.
    opening : list of callable
        What opens each file, given what is known about columns of text.
    reads_again : bool
        Whether more than one scan is possible.
    filtered : bool
        Whether the files keep only some of their rows.
    """

    in_process = True

    def __init__(
        self,
        name: str,
        opening: "Sequence[Callable[[_Texts], _AnyFile]]",
        *,
        reads_again: bool = True,
        filtered: bool = False,
        schema: "Schema | None" = None,
    ) -> None:
        self.name, self.reads_again = name, reads_again
        self._opening, self._filtered, self._schema = opening, filtered, schema
        self._texts = _Texts()
        self._n_scans = 0

    @property
    def n_files(self) -> int:
        """Number of files."""
        return len(self._opening)

    @cached_property
    def _files(self) -> list[_AnyFile]:
        return [opened(self._texts) for opened in self._opening]

    def columns(self) -> Mapping[str, np.dtype[Any] | None]:
        """Return the columns with types that hold all files; that of the first file if none does."""
        by_name: dict[str, dict[Typed, None]] = {}  # each type once: there may be thousands of files
        for file in self._files:
            for name, typed in file.types().items():
                by_name.setdefault(name, {})[typed] = None
        if not self._files and self._schema is not None:
            return types_of(self._schema)
        return {name: _common(list(types)) for name, types in by_name.items()}

    def n_rows(self) -> int | None:
        """Return the row count from the footers of files; None for text and filtered rows."""
        if self._filtered:
            return None
        counts = [file.n_rows for file in self._files]
        return None if None in counts else sum(one for one in counts if one is not None)

    def extremes(self, column: str) -> tuple[float, float] | None:
        """Return bounds of all values if statistics of Parquet tell them for every row group."""
        if not all(isinstance(file, ArrowFile) for file in self._files):
            return None  # text has no statistics, and its type may not be known yet
        bounds = [file.extremes(column) for file in self._checked([column])]
        known = [one for one in bounds if one is not None]
        if not known or len(known) < len(bounds):
            return None
        return min(low for low, _ in known), max(high for _, high in known)

    def scan(
        self,
        columns: Sequence[str],
        step: Callable[[Part], State],
        combine: Callable[[Sequence[State]], State],
        told: Told,
    ) -> State | None:
        """Call `step` on every part, and combine the results in the order of the parts.

        Where a column of text needs a wider type than its first rows, the scan starts anew. A scan that ends
        has seen all rows, so the types that it read are those of all later scans.
        """
        names = list(dict.fromkeys(columns))
        if self._n_scans and not self.reads_again:
            raise SourceError(f"{self.name}: its rows can be read only once; pass the table instead")
        self._n_scans += 1
        while True:
            try:
                return self._scanned(names, step, combine, told)
            except WidenedColumn as found:
                self._texts.widen(found)
            except DoubtfulError as error:
                if not self._widen_later(names):
                    raise SourceError(str(error)) from None

    def _scanned(
        self,
        names: Sequence[str],
        step: Callable[[Part], State],
        combine: Callable[[Sequence[State]], State],
        told: Told,
    ) -> State | None:
        files, all_types = self._checked(names), self.columns()
        types, texts = {name: all_types[name] for name in names}, self._texts.first(names)
        for name in names:  # int64 and uint64 have no type in common, but a state orders both
            common = types[name]
            if (
                common is not None
                and common.kind == "f"
                and all(file.types()[name].is_whole for file in files)
            ):
                types[name] = None
        totals = [file.n_parts for file in files]
        total = None if None in totals else sum(one for one in totals if one is not None)
        during = "while it was read" if self._n_scans == 1 else "between two scans"
        reads = (partial(_typed, read, types, texts) for file in files for read in file.reads(names, during))
        return fold(reads, step, combine, told, total)

    def _widen_later(self, names: Sequence[str]) -> bool:
        """Look for later cells that make a column text, whose numbers may have any digits."""
        widened = False
        for file in self._files:
            for read in () if isinstance(file, ArrowFile) else file.reads(names, "while it was read"):
                try:
                    read()
                except WidenedColumn as found:
                    self._texts.widen(found)
                    widened = True
                except SourceError:
                    continue
        return widened

    def _checked(self, names: Sequence[str]) -> list[_AnyFile]:
        """Return the files if each has the columns, in types that agree with the first file."""
        files = self._files
        for file in files:
            file.check(names)
        for name in names:
            first = None
            for file in files:
                typed = file.types()[name]
                first = first or (typed.kind and (typed, file))
                if first and typed.kind and typed.kind != first[0].kind:
                    one, other = shown(typed.name), shown(first[0].name)
                    problem = f"is of type {one}, but of type {other} in {first[1].name}; give them one type"
                    raise DoubtfulError(str(Place(file.name).error(name, problem)))
        return files


def _typed(
    read: Read, types: Mapping[str, np.dtype[Any] | None], texts: Mapping[str, tuple[Place, str]]
) -> Part | None:
    """Return a part in the types of all files."""
    part = read()
    if part is None:
        return None
    return Part(cast_exactly(part.columns, types, part.place), part.place, texts)


class _Texts:
    """What is known about the columns of files of text."""

    def __init__(self) -> None:
        self.kinds: dict[str, int] = {}  # of cells, by column
        self._first: dict[str, tuple[Place, str]] = {}

    def look(self, file: TextFile) -> None:
        """Assume types from the first rows of a file, for columns without type."""
        new = [place for place, name in enumerate(file.header) if not self.kinds.get(name)]
        cells = file.peek() if new else []
        for place in new:
            name = file.header[place]
            self.kinds[name] = kinds_of(cells[place]) if cells else 0
            row, cell = first_text(cells[place]) if cells else (None, "")
            if row is not None:
                self._first.setdefault(name, (Place(file.name, row), shown(cell)))

    def widen(self, found: WidenedColumn) -> None:
        """Give a column a wider type."""
        self.kinds[found.name] = self.kinds.get(found.name, 0) | found.kinds
        if found.first is not None:
            self._first.setdefault(found.name, found.first)

    def first(self, names: Sequence[str]) -> dict[str, tuple[Place, str]]:
        """Return the first cell of each column that is not a number."""
        return {name: self._first[name] for name in names if name in self._first}


class _Options(NamedTuple):
    """How files are read that paths name."""

    filter: "Expression | None"
    names: Sequence[str]  # of all columns that the caller asks for, as far as they are known
    as_text: Sequence[str]  # columns whose cells are compared as they are written
    pieces: Pieces


class _TextRows:
    """A file of text, with the columns that its directories name."""

    n_rows = n_parts = None

    def __init__(self, content: Content, named: Mapping[str, Any], options: _Options, known: _Texts) -> None:
        self.name, self._content, self._known, self._filter = content.name, content, known, options.filter
        self._signature = content.signature()
        self._file = TextFile(content, [one for one in options.names if one not in named], options.pieces)
        self._named = {name: value for name, value in named.items() if name not in self._file.header}
        known.look(self._file)
        for name in options.as_text:
            known.kinds[name] = kinds_of(["text"])

    def types(self) -> Mapping[str, Typed]:
        """Return the columns with their types."""
        types = {}
        for name in self._file.header:
            dtype = dtype_of_kinds(self._known.kinds[name])
            is_text = dtype is not None and dtype.kind == "O"
            kind = None if dtype is None else "text" if is_text else "number"
            types[name] = Typed(dtype or np.dtype(object), kind, "text" if is_text else str(dtype))
        return types | {name: _typed_of(value) for name, value in self._named.items()}

    def check(self, names: Sequence[str]) -> None:
        """Refuse columns that are missing or twofold."""
        check_one_column_each([*self._file.header, *self._named], names, self.name)

    def extremes(self, column: str) -> None:  # of the protocol
        """Return None: text has no statistics."""

    def reads(self, names: Sequence[str], during: str) -> Iterator[Read]:
        """Yield what reads the parts."""
        own = [name for name in names if name in self._file.header]
        asked = own
        if self._filter is not None:  # its columns too; an expression tells them in its text alone
            asked = own + [one for one in self._file.header if one in str(self._filter) and one not in own]
        kinds = dict(self._known.kinds)
        kept = None if self._filter is None else partial(self._kept, asked, kinds)
        with self._watched(during):
            reads = self._file.reads(asked or self._file.header[:1], kinds, len(own), kept)
            for read in reads:
                yield partial(self._read, read, names, during)

    def _read(self, read: Read, names: Sequence[str], during: str) -> Part | None:
        with self._watched(during):
            part = read()
        if part is None:
            return None
        place = part.place if self._filter is None else Place(f"{self.name}{FILTERED}")
        columns = {
            name: part.columns[name] if name in part.columns else _repeated(self._named[name], name, part)
            for name in names
        }
        return Part(columns, place)

    def _kept(self, names: Sequence[str], kinds: Mapping[str, int], cells: Sequence[Any], n: int) -> Any:
        """Return which rows the filter keeps; blank cells are null, as in tables."""
        import pyarrow  # noqa: PLC0415  # a filter is its

        columns = {name: nullable(one, kinds[name], name) for name, one in zip(names, cells, strict=True)}
        columns |= {
            name: pyarrow.array([value] * n) for name, value in self._named.items() if name not in columns
        }
        table = pyarrow.table(columns).append_column("", pyarrow.array(np.arange(n)))
        try:
            return table.filter(self._filter)[""].to_numpy()
        except Exception as error:  # whatever pyarrow raises
            raise DoubtfulError(misfit(self.name, self._filter, error)) from None

    @contextmanager
    def _watched(self, during: str) -> Iterator[None]:
        """Refuse a file that has changed, rather than what then goes wrong."""
        try:
            yield
        except SourceError as error:
            if self._content.signature() == self._signature:
                raise
            raise SourceError(f"{self.name}: changed {during}") from error
        if self._content.signature() != self._signature:
            raise SourceError(f"{self.name}: changed {during}")


def _typed_of(value: int | str | None) -> Typed:
    """Return the type of a column that a directory names."""
    if value is None:
        return Typed(np.dtype(object), None, "null")
    return (
        Typed(np.dtype(np.int64), "number", "int64")
        if isinstance(value, int)
        else Typed(np.dtype(object), "text", "text")
    )


def _repeated(value: int | str | None, name: str, part: Part) -> AnyArray:
    """Return a column that a directory names."""
    if value is None:
        raise part.place.error(name, "no value", 0)
    n_rows = len(next(iter(part.columns.values())))
    return np.full(n_rows, value, dtype=np.int64 if isinstance(value, int) else object)


def _common(types: Sequence[Typed]) -> np.dtype[Any] | None:
    """Return the type of arrays that holds a column of all files; columns without values have any type."""
    dtypes = {one.dtype for one in types if one.kind} or {one.dtype for one in types}
    known = {one for one in dtypes if one is not None}
    if len(known) > 1 and all(one.kind != "O" for one in known):
        if any(one.kind == "f" for one in known) and not all(one.kind == "f" for one in known):
            return np.dtype(np.float64)  # as a state has it: float32 does not hold an int32
        return np.result_type(*known)
    return np.dtype(object) if len(known) > 1 else next(iter(known), None)


def of_paths(
    data: Any,
    filter: "Expression | None",  # as pyarrow calls it
    names: Sequence[str] = (),
    as_text: Sequence[str] = (),
    pieces: Pieces = PIECES,
) -> Files:
    """Return files, directories or patterns as a source."""
    paths = files_of(data)
    options = _Options(filter, names, as_text, pieces)
    opening = [
        partial(_opened_file, path, named, options)
        for path, named in zip(paths, named_by_directories(paths), strict=True)
    ]
    name = shown(paths[0]) if len(paths) == 1 else f"{len(paths)} files"
    return Files(name, opening, filtered=filter is not None)


def _opened_file(path: str, named: Mapping[str, Any], options: _Options, known: _Texts) -> _AnyFile:
    content = Content(path)
    if content.format == "csv":
        return _TextRows(content, named, options, known)
    try:
        from pyarrow import dataset, fs, py_buffer  # noqa: PLC0415  # optional, imported where it is used
    except ImportError:
        kind = {"parquet": "Parquet", "ipc": "Arrow"}[content.format]
        raise ImportError(f"{content.name}: {kind} files need pyarrow: pip install pyarrow") from None
    read_as: FileFormat = dataset.ParquetFileFormat()
    if content.format == "ipc":
        read_as = dataset.IpcFileFormat()
    with refused(content.name):
        where: dict[str, Any] = {"file": os.path.abspath(path), "filesystem": fs.LocalFileSystem()}
        if not content.is_plain:
            with content.opened() as file:
                where = {"file": py_buffer(file.read())}
        own = read_as.make_fragment(**where).physical_schema.names if named else []
        condition = None
        for name, value in named.items():
            if name not in own:  # the file tells more than its directory
                field = dataset.field(name)
                this = field.is_null() if value is None else field == value
                condition = this if condition is None else condition & this
        fragment = read_as.make_fragment(**where, partition_expression=condition)
    part_rows = options.pieces.part_rows
    return ArrowFile(
        content.name, fragment, None, options.filter, signed=content.signature, part_rows=part_rows
    )


def of_dataset(data: "Dataset", filter: "Expression | None") -> Files:  # the same
    """Return a dataset as a source, with the filter that it may have already."""
    from pyarrow import dataset  # noqa: PLC0415  # optional, imported where it is used

    own = getattr(data, "_scan_options", {}).get("filter")
    rows = own if filter is None else filter if own is None else own & filter
    # A filtered dataset refuses to list its fragments; a union lists them, but forgets the filter.
    everything = data if own is None else dataset.UnionDataset(data.schema, [data])
    fragments = list(everything.get_fragments(filter=rows))
    opening = [partial(_of_fragment, fragment, data.schema, rows) for fragment in fragments]
    return Files(
        "the dataset",
        opening,
        reads_again=all(hasattr(one, "path") for one in fragments),
        filtered=rows is not None,
        schema=data.schema,
    )


def _of_fragment(
    fragment: "Fragment",
    schema: "Schema",
    rows: "Expression | None",
    _: _Texts,  # pyarrow reads the CSV of a dataset, with the types and options that the caller gave it
) -> _AnyFile:
    name = shown(fragment.path) if hasattr(fragment, "path") else "the dataset"
    return ArrowFile(name, fragment, schema, rows)

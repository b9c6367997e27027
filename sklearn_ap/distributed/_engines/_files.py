"""Files and datasets as sources: every column has one type, which holds the values of all files exactly."""

from collections.abc import Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property, partial
from itertools import chain
from math import inf
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._typing import AnyArray
from .._numerals import float_problem
from .._source import Combine, Part, Place, Read, Source, SourceError, State, Step, Told, fold, shown
from ._arrow import Typed, common_scale, typed_columns
from ._content import Content
from ._fragments import ArrowFile, arrow_file
from ._paths import files_of, named_by_directories
from ._text import DoubtfulError, FileOptions, KnownCells, Pieces, TextFile, WidenedColumn

if TYPE_CHECKING:  # pyarrow is optional
    from pyarrow.compute import Expression
    from pyarrow.dataset import Dataset


_THREADS = 4  # that open files: they wait for disks, not for one another
_BEGUN_AT_ONCE = 16  # files that a thread opens: handing over a single one costs as much as opening it


class Files(Source):
    """Rows of files of one format or several, or of a dataset."""

    in_process = True

    def __init__(
        self,
        name: str,
        files: Sequence[TextFile | ArrowFile],
        known: KnownCells,
        *,
        reads_again: bool = True,
        filtered: bool = False,
        declared: Mapping[str, Typed] = MappingProxyType({}),  # by a dataset, which may have no files
    ) -> None:
        self.name, self.reads_again, self.n_files = name, reads_again, len(files)
        self._files, self._known, self._filtered, self._declared = files, known, filtered, declared
        self._n_scans = 0

    def columns(self) -> Mapping[str, np.dtype[Any] | None]:
        """Return the columns with types that hold all files; that of the first file if none does."""
        of_files = [file.types for file in self._files] or [self._declared]
        names = dict.fromkeys(chain.from_iterable(of_files))
        return {name: _common({types[name] for types in of_files if name in types}) for name in names}

    def n_rows(self) -> int | None:
        """Return the row count from the footers of files; None for text and filtered rows."""
        return None if self._filtered else _total([file.n_rows for file in self._files])

    def extremes(self, column: str) -> tuple[float, float] | None:
        """Return bounds of all values if statistics of Parquet tell them for every row group."""
        files = [file for file in self._files if isinstance(file, ArrowFile)]
        if len(files) < len(self._files):
            return None  # text has no statistics, and its type may not be known yet
        self._checked([column])
        bounds = [file.extremes(column) for file in files]
        known = [one for one in bounds if one is not None]
        if not known or len(known) < len(bounds):
            return None
        return min(low for low, _ in known), max(high for _, high in known)

    def scale(self, column: str) -> int | None:
        """Return the largest scale of decimals, if all files with values hold some and need integers."""
        types = [types[column] for types in self._checked([column])]
        return common_scale([one.digits for one in types if one.kind is not None])

    def scan(
        self, columns: Sequence[str], step: Step[State], combine: Combine[State], told: Told
    ) -> State | None:
        """Call `step` on every part, and combine the results in the order of the parts.

        Where a column of text needs a wider type than its first rows, the scan starts anew. A scan that ends
        has seen all rows, so the types that it read are those of all later scans.
        """
        if self._n_scans and not self.reads_again:
            raise SourceError(f"{self.name}: its rows can be read only once; pass the table instead")
        self._n_scans += 1
        while True:
            try:
                return self._scanned(columns, step, combine, told)
            except WidenedColumn as found:
                self._known.widen(found)
            except DoubtfulError as error:
                if not self._widen_later(columns):
                    raise SourceError(str(error)) from None

    def _scanned(
        self, names: Sequence[str], step: Step[State], combine: Combine[State], told: Told
    ) -> State | None:
        of_files, types = self._checked(names), dict(self.columns())
        for name in names:  # int64 and uint64 have no type in common, but a state orders both
            own = {getattr(of_file[name].dtype, "kind", "") for of_file in of_files}
            if self.decimals.get(name) or (types[name] == np.float64 and own <= set("biu")):
                types[name] = None
        for file in self._files:
            if isinstance(file, ArrowFile):
                file.decimals = self.decimals
        texts = {name: self._known.first[name] for name in names if name in self._known.first}
        during = "while it was read" if self._n_scans == 1 else "between two scans"
        groups = self._groups
        several = [partial(_read_together, group, names, during) for group in groups]
        reads = (
            partial(_typed, read, types, texts)
            for group, together in zip(groups, several, strict=True)
            for read in (group[0].reads(names, during) if len(group) == 1 else (together,))
        )
        n_parts = _total([1 if len(group) > 1 else group[0].n_parts for group in groups])
        return fold(reads, step, combine, told, n_parts)

    @cached_property
    def _groups(self) -> list[list[Any]]:
        """Neighbours with the same columns, as one part each: a part costs more than a small file."""
        groups: list[list[Any]] = []
        filled = inf
        for file in self._files:
            share = file.share
            if share is not None and filled + share <= 1 and groups[-1][-1].is_like(file):
                groups[-1].append(file)
                filled += share
            else:
                groups.append([file])
                filled = inf if share is None else share
        return groups

    def _widen_later(self, names: Sequence[str]) -> bool:
        """Look for later cells that make a column text, whose numbers may have any digits."""
        widened = False
        for file in self._files:
            for read in file.reads(names, "while it was read") if isinstance(file, TextFile) else ():
                try:
                    read()
                except WidenedColumn as found:
                    self._known.widen(found)
                    widened = True
                except SourceError:
                    continue
        return widened

    def _checked(self, names: Sequence[str]) -> list[Mapping[str, Typed]]:
        """Return the columns of each file, whose types agree with the first file's."""
        for file in self._files:
            file.check(names)
        of_files = [file.types for file in self._files]
        for name in names:
            known = [
                (file, types[name])
                for file, types in zip(self._files, of_files, strict=True)
                if types[name].kind is not None
            ]
            for file, typed in known[1:]:
                first, expected = known[0]
                if typed.kind != expected.kind:
                    of = f"of type {shown(expected.name)} in {first.name}"
                    problem = f"is of type {shown(typed.name)}, but {of}; give them one type"
                    raise DoubtfulError(str(Place(file.name).error(name, problem)))
        return of_files


def _read_together(files: Sequence[Any], names: Sequence[str], during: str) -> Part | None:
    """Return the rows of several files as one part."""
    first, *others = files
    with suppress(SourceError):  # one by one, the files say which of them is the first that is wrong
        part: Part | None = first.read_with(others, names, during)
        if part is not None:
            return part
    of_files = [(file, [read() for read in file.reads(names, during)]) for file in files]
    parts = [part for _, parts in of_files for part in parts if part is not None]
    if not parts:
        return None
    n_rows = [sum(part.columns[names[0]].size for part in parts if part is not None) for _, parts in of_files]
    columns = {name: np.concatenate([part.columns[name] for part in parts]) for name in names}
    return Part(columns, Place.of_files([file.name for file in files], n_rows))


def _total(counts: Sequence[int | None]) -> int | None:
    """Return the sum, or None if not all are known."""
    known = [one for one in counts if one is not None]
    return sum(known) if len(known) == len(counts) else None


def _typed(
    read: Read, types: Mapping[str, np.dtype[Any] | None], texts: Mapping[str, tuple[Place, str]]
) -> Part | None:
    """Return a part in the types of all files, or raise for a number that its type does not hold."""
    part = read()
    if part is None:
        return None
    columns = {name: _cast_exactly(part, name, types[name]) for name in part.columns}
    return Part(columns, part.place, texts)


def _cast_exactly(part: Part, name: str, dtype: np.dtype[Any] | None) -> AnyArray:
    values = part.columns[name]
    if dtype is None or "O" in (dtype.kind, values.dtype.kind) or values.dtype == dtype:
        return values
    cast = values.astype(dtype)
    if values.dtype.kind in "iu" and dtype.kind == "f":
        with np.errstate(invalid="ignore"):  # 2.0**63 is no int64
            wrong = cast.astype(values.dtype) != values
        if wrong.any():
            row = int(np.argmax(wrong))
            value = str(values[row])
            raise part.place.error(name, f"{value} {float_problem(value)}", row)
    return cast


def _common(types: Set[Typed]) -> np.dtype[Any] | None:
    """Return the type of arrays that holds a column of all files; columns without values have any type."""
    dtypes = {one.dtype for one in types if one.kind} or {one.dtype for one in types}
    known = {one for one in dtypes if one is not None}
    kinds = {one.kind for one in known}
    if len(known) <= 1:
        return next(iter(known), None)
    if "O" in kinds:
        return np.dtype(object)
    # As a state has it: float32 does not hold an int32.
    return np.dtype(np.float64) if "f" in kinds and kinds != {"f"} else np.result_type(*known)


def opened(data: Any, rows: "Expression | None", names: Sequence[str]) -> Files:
    """Return paths or a dataset as a source; `names` are columns that will be asked for."""
    if rows is not None:
        try:
            from pyarrow import compute  # noqa: PLC0415  # optional, imported where it is used
        except ImportError:
            raise ImportError("filter needs pyarrow: pip install pyarrow") from None
        if not isinstance(rows, compute.Expression):
            raise TypeError(f"filter must be a pyarrow.compute.Expression; got {shown(rows)}.")
    return _of_dataset(data, rows) if hasattr(data, "get_fragments") else of_paths(data, rows, names)


def of_paths(
    data: Any,
    rows: "Expression | None",
    names: Sequence[str] = (),
    as_text: Sequence[str] = (),  # columns whose cells are compared as they are written
    pieces: Pieces = Pieces(),  # noqa: B008  # it cannot be changed
) -> Files:
    """Return files, directories or patterns as a source, with the rows that a filter keeps."""
    paths = files_of(data)
    options = FileOptions(rows, names, KnownCells(as_text), pieces)
    directories = named_by_directories(paths)
    files: list[TextFile | ArrowFile] = []
    for one, named in zip(_begun(paths, directories, options), directories, strict=True):
        files.append(one if isinstance(one, ArrowFile) else TextFile(one, named, options, files[-1:]))
    name = shown(paths[0]) if len(paths) == 1 else f"{len(paths)} files"
    return Files(name, files, options.known, filtered=rows is not None)


def _begun(
    paths: Sequence[str], directories: Sequence[Mapping[str, int | str | None]], options: FileOptions
) -> Iterator[Content | ArrowFile]:
    """Yield files in their order; several threads read the footers, or the first bytes of text."""

    def begin(path: str, named: Mapping[str, int | str | None]) -> Content | ArrowFile:
        content = Content(path)
        if content.format == "csv":
            return content
        return arrow_file(content, named, options.filter, options.pieces.part_rows)

    def begin_some(start: int) -> list[Content | ArrowFile | Exception]:
        some = slice(start, start + _BEGUN_AT_ONCE)
        return _until_wrong(map(begin, paths[some], directories[some]))

    if len(paths) <= _BEGUN_AT_ONCE:  # in this thread, which can be interrupted while it waits for a pipe
        yield from map(begin, paths, directories)
        return
    pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="sklearn_ap")
    try:
        for begun in pool.map(begin_some, range(0, len(paths), _BEGUN_AT_ONCE)):
            for file in begun:
                if isinstance(file, Exception):
                    raise file
                yield file
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _until_wrong(files: Iterator[Content | ArrowFile]) -> list[Content | ArrowFile | Exception]:
    """Return the files up to the first that cannot be opened, and its error."""
    begun: list[Content | ArrowFile | Exception] = []
    try:
        begun.extend(files)
    except (SourceError, ImportError) as error:
        begun.append(error)
    return begun


def _of_dataset(data: "Dataset", rows: "Expression | None") -> Files:
    """Return a dataset as a source, with the filter that it may have already."""
    from pyarrow import dataset  # noqa: PLC0415  # optional, imported where it is used

    own = getattr(data, "_scan_options", {}).get("filter")
    both = own if rows is None else rows if own is None else own & rows
    # A filtered dataset refuses to list its fragments; a union lists them, but forgets the filter.
    everything = data if own is None else dataset.UnionDataset(data.schema, [data])
    fragments = list(everything.get_fragments(filter=both))
    # pyarrow reads the CSV of a dataset, with the types and options that the caller gave it.
    files = [
        ArrowFile(shown(one.path) if hasattr(one, "path") else "the dataset", one, data.schema, both)
        for one in fragments
    ]
    reads_again = all(hasattr(one, "path") for one in fragments)
    return Files(
        "the dataset",
        files,
        KnownCells(),
        reads_again=reads_again,
        filtered=both is not None,
        declared=typed_columns(data.schema),
    )

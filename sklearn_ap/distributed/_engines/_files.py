"""Files and datasets as sources: each file is read in its own types, its row groups by two threads."""

import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from .._source import Part, Place, SourceError, Told, shown
from ._batches import PART_ROWS, check_columns, in_parts, n_parts, part_of, refused, types_of
from ._convert import dtype_of, kind_of
from ._in_order import Read, fold
from ._paths import files_of, format_of, named_by_directories

if TYPE_CHECKING:  # pyarrow is optional
    from pyarrow import Array, DataType, RecordBatch, Schema, Table
    from pyarrow.compute import Expression
    from pyarrow.dataset import Dataset, FileFormat, Fragment

__all__ = ["Files", "of_dataset", "of_paths"]

State = TypeVar("State")

_LARGEST = 2 * PART_ROWS  # rows of a row group that is read at once
_BLOCK = 2**22  # bytes of CSV that are parsed at once; types are inferred from the first block
_BUFFER = 2**22  # bytes of a large row group that are read at once


class Files:
    """Rows of files of one format or several, or of a dataset.

    Parameters
    ----------
    name : str
        What was passed, for errors.
    fragments : list of (str, pyarrow.dataset.Fragment)
        The files with their names for errors.
    schema : pyarrow.Schema or None
        Types that the caller declared: those of CSV columns and of columns named by directories.
    filter : pyarrow.compute.Expression, optional
        The rows that are kept.
    """

    in_process = True

    def __init__(
        self,
        name: str,
        fragments: "Sequence[tuple[str, Fragment]]",
        schema: "Schema | None" = None,
        filter: "Expression | None" = None,  # as pyarrow calls it
    ) -> None:
        self.name, self._fragments, self._schema, self._filter = name, fragments, schema, filter
        self.reads_again = all(hasattr(fragment, "path") for _, fragment in fragments)
        self._n_scans = 0

    @cached_property
    def _files(self) -> "list[_File]":
        files = [_File(name, fragment, self._schema) for name, fragment in self._fragments]
        if self._filter is not None:
            for file in files:
                file.keep(self._filter)
        return files

    def columns(self) -> Mapping[str, np.dtype[Any] | None]:
        """Return the columns with types that hold all files; that of the first file if none does."""
        by_name: dict[str, dict[DataType, None]] = {}  # each type once: there may be thousands of files
        for file in self._files:
            for field in file.schema:
                by_name.setdefault(field.name, {})[field.type] = None
        if not self._files and self._schema is not None:
            return types_of(self._schema)
        return {name: _common(list(types)) for name, types in by_name.items()}

    def n_rows(self) -> int | None:
        """Return the number of rows from the ends of files, or None for CSV and filtered rows."""
        if self._filter is not None:
            return None
        counts = [file.n_rows for file in self._files]
        return None if None in counts else sum(one for one in counts if one is not None)

    def extremes(self, column: str) -> tuple[float, float] | None:
        """Return bounds of all values if statistics of Parquet tell them for every row group."""
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
        """Call `step` on every part, and combine the results in the order of the parts."""
        names = list(dict.fromkeys(columns))
        files = self._checked(names)
        if self._n_scans and not self.reads_again:
            raise SourceError(f"{self.name}: its rows can be read only once; pass the table instead")
        self._n_scans += 1
        totals = [file.n_parts for file in files]
        total = None if None in totals else sum(one for one in totals if one is not None)
        during = "while it was read" if self._n_scans == 1 else "between two scans"
        reads = (read for file in files for read in file.reads(names, during))
        return fold(reads, step, combine, told, total)

    def _checked(self, names: Sequence[str]) -> "list[_File]":
        """Return the files if each has the columns, in types that agree with the first file."""
        files = self._files
        for file in files:
            file.check(names)
        for name in names:
            first = None
            for file in files:
                kind = kind_of(file.schema.field(name).type)
                first = first or (kind and (kind, file))
                if first and kind and kind != first[0]:
                    one, other = (shown(str(each.schema.field(name).type)) for each in (file, first[1]))
                    raise Place(file.name).error(
                        name, f"is of type {one}, but of type {other} in {first[1].name}; give them one type"
                    )
        return files


class _RowGroups(NamedTuple):
    """Neighbours in a Parquet file that are read at once."""

    ids: list[int]
    first_row: int
    n_rows: int


class _File:
    """A file, or a fragment of a dataset that is in memory, with the columns named by its directories."""

    def __init__(self, name: str, fragment: "Fragment", declared: "Schema | None") -> None:
        self.name, self._fragment = name, fragment
        self._filter: Expression | None = None
        self._signature = self._signed()
        if "NotFound" in self._signature:
            raise SourceError(f"{name}: no such file")
        with self._watched("while it was read"):
            self._named = _named_by(fragment)
            self.schema = _schema_of(fragment, self._named, declared)
            self.is_parquet = hasattr(fragment, "row_groups")
            self.n_rows = self._count()

    def check(self, names: Sequence[str]) -> None:
        """Refuse columns that are missing, twofold or without an array."""
        for name in names:
            if name in self._named and name in self._fragment.physical_schema.names:
                raise Place(self.name).error(
                    name,
                    "is in the file, and named by its directory too; pass the file without the directory",
                )
            is_text = _is_of(self._fragment, "CsvFileFormat") and self.schema.names.count(name) == 1
            if is_text and str(self.schema.field(name).type) == "binary":
                raise Place(self.name).error(name, "holds text that is not UTF-8")
        check_columns(self.schema, names, self.name)

    def keep(self, rows: "Expression") -> None:
        """Keep only some rows in all scans."""
        with refused(self.name):
            try:
                self.schema.empty_table().filter(rows)
            except Exception as error:
                problem = str(error).splitlines()[0]
                raise SourceError(
                    f"{self.name}: filter {shown(str(rows))} does not fit the columns: {problem}"
                ) from None
        self._filter = rows

    def _count(self) -> int | None:
        if self.is_parquet:
            return sum(int(group.num_rows) for group in self._fragment.row_groups)
        return int(self._fragment.count_rows()) if _is_of(self._fragment, "IpcFileFormat") else None

    @property
    def n_parts(self) -> int | None:
        """Number of parts, if it is known before they are read."""
        if not self.is_parquet:
            return None if self._filter is not None else n_parts(self.n_rows)
        sizes = [group.n_rows for group in self._groups()]
        cut = self._filter is None
        return sum(-(-size // PART_ROWS) if cut and size > _LARGEST else 1 for size in sizes)

    def extremes(self, column: str) -> tuple[float, float] | None:
        """Return bounds of a column if statistics of Parquet tell them for every row group."""
        if not self.is_parquet or column in self._named:
            return None
        metadata = self._fragment.metadata
        paths = [metadata.schema.column(place).path for place in range(metadata.num_columns)]
        dtype = types_of(self.schema)[column]
        if paths.count(column) != 1 or dtype is None or dtype.kind not in "biuf" or self._is_odd(column):
            return None
        place, bounds = paths.index(column), []
        for group in self._fragment.row_groups:
            statistics = metadata.row_group(group.id).column(place).statistics
            if group.num_rows and (statistics is None or not statistics.has_min_max):
                return None
            if group.num_rows:
                bounds += [statistics.min, statistics.max]
        if not bounds or not all(map(math.isfinite, bounds)):
            return None
        return _not_above(min(bounds)), 0.0 - _not_above(-max(bounds))

    def _is_odd(self, column: str) -> bool:
        """Whether statistics are not numbers: those of halves are bytes, and those of times are times."""
        of_type = self.schema.field(column).type
        return str(of_type) == "halffloat" or kind_of(of_type) != "number"

    def reads(self, names: Sequence[str], during: str) -> Iterator[Read]:
        """Yield what reads the parts; `during` says when the file has changed, if it has."""
        if not self.is_parquet:
            yield from self._in_batches(names, during)
            return
        for group in self._groups():
            place = self._place(group.first_row)
            if group.n_rows > _LARGEST and self._filter is None:
                yield from self._in_pieces(group, names, during)
            else:
                yield partial(self._read, group, names, place, during)

    def _place(self, first_row: int) -> Place:
        if self._filter is None:
            return Place(self.name, first_row)
        return Place(f"{self.name}, among the rows that the filter keeps", 0)

    def _groups(self) -> list[_RowGroups]:
        """Return the row groups that may hold rows, with small neighbours together."""
        metadata, groups = self._fragment.metadata, self._fragment
        if self._filter is not None:
            groups = groups.subset(filter=self._filter, schema=self.schema)
        sizes = [metadata.row_group(place).num_rows for place in range(metadata.num_row_groups)]
        starts = [0, *np.cumsum(sizes).tolist()]
        found: list[_RowGroups] = []
        for group in groups.row_groups:
            size, last = sizes[group.id], found[-1] if found else None
            if last and last.ids[-1] == group.id - 1 and last.n_rows + size <= PART_ROWS:
                found[-1] = _RowGroups([*last.ids, group.id], last.first_row, last.n_rows + size)
            elif size:
                found.append(_RowGroups([group.id], starts[group.id], size))
        return found

    def _options(self, names: Sequence[str]) -> dict[str, Any]:
        """Return what a scanner of Arrow is told: no threads and hardly any rows ahead."""
        from pyarrow import dataset  # noqa: PLC0415  # optional, imported where it is used

        return {
            "schema": self.schema,
            "columns": {name: dataset.field(name) for name in names},
            "filter": self._filter,
            "use_threads": False,
            "batch_size": _LARGEST,
            "batch_readahead": 1,
            "fragment_readahead": 1,
        }

    def _read(self, group: _RowGroups, names: Sequence[str], place: Place, during: str) -> Part | None:
        with self._watched(during):
            fragment = self._fragment.subset(row_group_ids=group.ids)
            return part_of(fragment.to_table(**self._options(names)), names, place)

    def _in_batches(self, names: Sequence[str], during: str) -> Iterator[Read]:
        """Yield parts of rows that come in a row, as those of CSV do."""
        with self._watched(during):
            batches = self._fragment.to_batches(**self._options(names))
        first_row = 0
        is_csv = _is_of(self._fragment, "CsvFileFormat")
        for table in in_parts(self._guarded(batches, during)):
            rows = _without_empty_text(table) if is_csv else table
            yield partial(part_of, rows, names, self._place(first_row))
            first_row += table.num_rows

    def _in_pieces(self, group: _RowGroups, names: Sequence[str], during: str) -> Iterator[Read]:
        """Yield parts of a large row group, which a scanner of Arrow would hold as a whole."""
        from pyarrow import parquet  # noqa: PLC0415  # optional, imported where it is used

        own = [name for name in names if name not in self._named]
        with self._watched(during):
            content = parquet.ParquetFile(self._fragment.open(), buffer_size=_BUFFER, pre_buffer=False)
            batches = content.iter_batches(PART_ROWS, row_groups=group.ids, columns=own, use_threads=False)
        first_row = group.first_row
        for table in in_parts(self._guarded(batches, during)):
            full = table
            for name in names:
                if name in self._named:
                    full = full.append_column(name, self._repeated(name, full.num_rows))
            yield partial(part_of, full, names, self._place(first_row))
            first_row += table.num_rows

    def _repeated(self, name: str, n_rows: int) -> "Array":
        """Return a column that a directory names."""
        import pyarrow  # noqa: PLC0415  # optional, imported where it is used

        of_type = self.schema.field(name).type
        plain = of_type.value_type if pyarrow.types.is_dictionary(of_type) else of_type
        return pyarrow.repeat(pyarrow.scalar(self._named[name], type=plain), n_rows)

    def _guarded(self, batches: "Iterator[RecordBatch]", during: str) -> "Iterator[RecordBatch]":
        with self._watched(during):
            yield from batches

    @contextmanager
    def _watched(self, during: str) -> Iterator[None]:
        """Refuse a file that has changed since its end was read, rather than what then goes wrong."""
        try:
            with refused(self.name, self._explained):
                yield
        except SourceError as error:
            if self._signed() == self._signature:
                raise
            raise SourceError(f"{self.name}: changed {during}") from error
        if self._signed() != self._signature:
            raise SourceError(f"{self.name}: changed {during}")

    def _explained(self, problem: str) -> str:
        """Say what a line of the reader of CSV means; types come from the first rows, or from the caller."""
        found = re.search(
            r"CSV column #(\d+): (?:Row #(\d+): )?.* error to (\S+): invalid value '(.*)'", problem
        )
        if not found:
            return problem
        column, row, wanted, value = found.groups()
        name = self._fragment.physical_schema.names[int(column)]
        where = f", row {int(row) - 1}" if row else ""
        return (
            f"column {shown(name)}{where}: got {shown(value)}, but the first rows are of type {wanted}; to "
            "say the type, pass a pyarrow.dataset with a schema"
        )

    def _signed(self) -> tuple[object, ...]:
        """Return what changes with the content of a file."""
        files = getattr(self._fragment, "filesystem", None)
        if files is None:
            return ()
        with refused(self.name):
            info = files.get_file_info([self._fragment.path])[0]
            return info.type.name, info.size, info.mtime_ns


def _common(types: "Sequence[DataType]") -> np.dtype[Any] | None:
    """Return the type of arrays that holds a column of all files; columns without values have any type."""
    dtypes = [dtype_of(one) for one in types if kind_of(one)] or [dtype_of(one) for one in types]
    known = {one for one in dtypes if one is not None}
    if len(known) > 1 and all(one.kind != "O" for one in known):
        return np.result_type(*known)
    return np.dtype(object) if len(known) > 1 else next(iter(known), None)


def _named_by(fragment: "Fragment") -> dict[str, Any]:
    """Return the columns that directories name, with their values."""
    from pyarrow import dataset  # noqa: PLC0415  # optional, imported where it is used

    return dict(dataset.get_partition_keys(fragment.partition_expression))


def _schema_of(fragment: "Fragment", named: Mapping[str, Any], declared: "Schema | None") -> "Schema":
    """Return the columns of a file in its own types, and those that its directories name."""
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used

    schema = fragment.physical_schema
    schema.names  # noqa: B018  # raises if a name is not UTF-8
    known = [] if declared is None else declared.names
    if (
        _is_of(fragment, "CsvFileFormat") and declared is not None
    ):  # text has the types that the caller gives it
        fields = [declared.field(one.name) if known.count(one.name) == 1 else one for one in schema]
        schema = pyarrow.schema(fields)
    for name, value in named.items():
        if name not in schema.names:
            of_type = declared.field(name).type if declared is not None and name in known else None
            schema = schema.append(pyarrow.field(name, of_type or pyarrow.scalar(value).type))
    return schema


def _is_of(fragment: "Fragment", file_format: str) -> bool:
    from pyarrow import dataset  # noqa: PLC0415  # optional, imported where it is used

    return isinstance(getattr(fragment, "format", None), getattr(dataset, file_format))


def _without_empty_text(table: "Table") -> "Table":
    """Return rows of a CSV file with no value for empty text, as empty cells of numbers have none."""
    from pyarrow import compute  # noqa: PLC0415  # optional, imported where it is used

    for place, field in enumerate(table.schema):
        if kind_of(field.type) == "text":
            values = table.column(place)
            is_empty = compute.equal(values, "")
            if compute.any(is_empty).as_py():
                table = table.set_column(place, field, compute.if_else(is_empty, None, values))
    return table


def _not_above(value: float) -> float:
    """Return a float that is not above the value, which may be an integer that no float equals."""
    near = float(value) + 0.0  # never -0.0
    return near if near <= value else math.nextafter(near, -math.inf)


def of_paths(data: Any, filter: "Expression | None") -> Files:  # as pyarrow calls it
    """Return files, directories or patterns as a source."""
    from pyarrow import dataset, fs  # noqa: PLC0415  # optional, imported where it is used

    files = files_of(data)
    local = fs.LocalFileSystem()
    fragments = []
    for file, named in zip(files, named_by_directories(files), strict=True):
        where = None
        for name, value in named.items():
            field = dataset.field(name)
            this = field.is_null() if value is None else field == value
            where = this if where is None else where & this
        path, read_as = os.path.abspath(file.path), _format(format_of(file.path))
        made = read_as.make_fragment(path, filesystem=local, partition_expression=where)
        fragments.append((shown(file.path), made))
    name = shown(os.fspath(data)) if isinstance(data, str | os.PathLike) else "the files"
    return Files(name, fragments, filter=filter)


def _format(name: str) -> "FileFormat":
    from pyarrow import csv, dataset  # noqa: PLC0415  # optional, imported where it is used

    if name == "parquet":
        return dataset.ParquetFileFormat()
    if name == "ipc":
        return dataset.IpcFileFormat()
    return dataset.CsvFileFormat(
        parse_options=csv.ParseOptions(newlines_in_values=True),
        read_options=csv.ReadOptions(block_size=_BLOCK, use_threads=False),
    )


def of_dataset(data: "Dataset", filter: "Expression | None") -> Files:  # the same
    """Return a dataset as a source, with the filter that it may have already."""
    from pyarrow import dataset  # noqa: PLC0415  # optional, imported where it is used

    own = getattr(data, "_scan_options", {}).get("filter")
    rows = own if filter is None else filter if own is None else own & filter
    # A filtered dataset refuses to list its fragments; a union lists them, but forgets the filter.
    everything = data if own is None else dataset.UnionDataset(data.schema, [data])
    fragments = [
        (shown(fragment.path) if hasattr(fragment, "path") else "the dataset", fragment)
        for fragment in everything.get_fragments(filter=rows)
    ]
    return Files("the dataset", fragments, data.schema, rows)

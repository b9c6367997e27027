"""Files of Parquet and Arrow, and fragments of datasets: their row groups are read by two threads."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._source import Part, Place, SourceError, shown
from ._batches import PART_ROWS, Read, check_columns, in_parts, n_parts, part_of, refused, types_of
from ._convert import dtype_of, kind_of

if TYPE_CHECKING:  # pyarrow is optional
    from pyarrow import Array, RecordBatch, Schema, Table
    from pyarrow.compute import Expression
    from pyarrow.dataset import Fragment


_BUFFER = 2**22  # bytes of a large row group that are read at once
FILTERED = ", among the rows that the filter keeps"


class Typed(NamedTuple):
    """The type of a column in a file."""

    dtype: np.dtype[Any] | None  # of arrays; None for a type without one
    kind: str | None  # what values must share to be compared exactly; None without values
    name: str

    @property
    def is_whole(self) -> bool:
        """Whether values are integers, or booleans."""
        return self.dtype is not None and self.dtype.kind in "biu"


class _RowGroups(NamedTuple):
    """Neighbours in a Parquet file that are read at once."""

    ids: list[int]
    first_row: int
    n_rows: int


class ArrowFile:
    """A file of Parquet or Arrow, or a fragment of a dataset, with the columns named by its directories."""

    def __init__(
        self,
        name: str,
        fragment: "Fragment",
        declared: "Schema | None",
        rows: "Expression | None",
        *,
        signed: Callable[[], tuple[object, ...]] | None = None,
        part_rows: int = PART_ROWS,
    ) -> None:
        self.name, self._fragment, self._signed_by, self._part_rows = name, fragment, signed, part_rows
        self._filter: Expression | None = None
        self._signature = self._signed()
        if "NotFound" in self._signature:
            raise SourceError(f"{name}: no such file")
        with self._watched("while it was read"):
            self._named = _named_by(fragment)
            self.schema = _schema_of(fragment, self._named, declared)
            self.is_parquet = hasattr(fragment, "row_groups")
            self.n_rows = self._count()
        if rows is not None:
            self._keep(rows)

    def types(self) -> Mapping[str, Typed]:
        """Return the columns with their types."""
        return self._types

    @cached_property
    def _types(self) -> dict[str, Typed]:
        return {one.name: Typed(dtype_of(one.type), kind_of(one.type), str(one.type)) for one in self.schema}

    def check(self, names: Sequence[str]) -> None:
        """Refuse columns that are missing, twofold or without an array."""
        check_columns(self.schema, names, self.name)

    def _keep(self, rows: "Expression") -> None:
        """Keep only some rows in all scans."""
        with refused(self.name):
            try:
                self.schema.empty_table().filter(rows)
            except Exception as error:
                raise SourceError(misfit(self.name, rows, error)) from None
        self._filter = rows

    def _count(self) -> int | None:
        if self.is_parquet:
            return sum(int(group.num_rows) for group in self._fragment.row_groups)
        return int(self._fragment.count_rows()) if _is_of(self._fragment, "IpcFileFormat") else None

    @cached_property
    def _is_verified(self) -> bool:
        """Whether pages are compared with checksums; a dataset may have options of its own."""
        from pyarrow import dataset  # noqa: PLC0415  # optional, imported where it is used

        if not self.is_parquet:
            return False
        own = self._fragment.format.default_fragment_scan_options
        return bool(own == dataset.ParquetFragmentScanOptions())

    @property
    def n_parts(self) -> int | None:
        """Number of parts, if it is known before they are read."""
        if not self.is_parquet:
            return None if self._filter is not None else n_parts(self.n_rows, self._part_rows)
        sizes = [group.n_rows for group in self._groups()]
        cut = self._filter is None
        return sum(-(-size // self._part_rows) if cut and size > 2 * self._part_rows else 1 for size in sizes)

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
            if group.n_rows > 2 * self._part_rows and self._filter is None:
                yield from self._in_pieces(group, names, during)
            else:
                yield partial(self._read, group, names, place, during)

    def _place(self, first_row: int) -> Place:
        if self._filter is None:
            return Place(self.name, first_row)
        return Place(f"{self.name}{FILTERED}")

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
            if last and last.ids[-1] == group.id - 1 and last.n_rows + size <= self._part_rows:
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
            "batch_size": 2 * self._part_rows,
            "batch_readahead": 1,
            "fragment_readahead": 1,
            **({"fragment_scan_options": _verified()} if self._is_verified else {}),
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
        for table in in_parts(self._guarded(batches, during), self._part_rows):
            rows = _without_empty_text(table) if is_csv else table
            yield partial(part_of, rows, names, self._place(first_row))
            first_row += table.num_rows

    def _in_pieces(self, group: _RowGroups, names: Sequence[str], during: str) -> Iterator[Read]:
        """Yield parts of a large row group, which a scanner of Arrow would hold as a whole."""
        from pyarrow import parquet  # noqa: PLC0415  # optional, imported where it is used

        own = [name for name in names if name not in self._named]
        with self._watched(during):
            content = parquet.ParquetFile(
                self._fragment.open(),
                buffer_size=_BUFFER,
                pre_buffer=False,
                page_checksum_verification=True,
            )
            batches = content.iter_batches(
                self._part_rows, row_groups=group.ids, columns=own, use_threads=False
            )
        first_row = group.first_row
        for table in in_parts(self._guarded(batches, during), self._part_rows):
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
            with refused(self.name):
                yield
        except SourceError as error:
            if self._signed() == self._signature:
                raise
            raise SourceError(f"{self.name}: changed {during}") from error
        if self._signed() != self._signature:
            raise SourceError(f"{self.name}: changed {during}")

    def _signed(self) -> tuple[object, ...]:
        """Return what changes with the content of a file."""
        if self._signed_by is not None:
            return self._signed_by()
        files = getattr(self._fragment, "filesystem", None)
        if files is None:
            return ()
        with refused(self.name):
            info = files.get_file_info([self._fragment.path])[0]
            return info.type.name, info.size, info.mtime_ns


def _verified() -> Any:
    """Return options that compare pages of Parquet with their checksums, where they have some."""
    from pyarrow import dataset  # noqa: PLC0415  # optional, imported where it is used

    return dataset.ParquetFragmentScanOptions(page_checksum_verification=True)


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


def misfit(name: str, rows: "Expression", error: Exception) -> str:
    return f"{name}: filter {shown(str(rows))} does not fit the columns: {str(error).splitlines()[0]}"

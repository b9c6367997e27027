"""Files of Parquet and Arrow, and fragments of datasets: their row groups are read by two threads."""

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._source import Part, Place, Read, SourceError
from ._arrow import (
    FILTERED,
    PART_ROWS,
    in_parts,
    misfit,
    n_parts,
    part_of,
    plain_type,
    refuse_unread_columns,
    refused,
    typed_columns,
    typed_of,
)
from ._content import Content, guarded

if TYPE_CHECKING:  # pyarrow is optional
    from pyarrow import RecordBatch, Schema, Table
    from pyarrow.compute import Expression
    from pyarrow.dataset import Fragment, ParquetFileFormat
    from pyarrow.parquet import ParquetFile


_BUFFER = 2**22  # bytes of a large row group that are read at once


class _RowGroups(NamedTuple):
    """Neighbours in a Parquet file that are read at once."""

    ids: list[int]
    first_row: int
    n_rows: int


class ArrowFile:
    """A file of Parquet or Arrow, or a fragment of a dataset, with the columns named by its directories."""

    decimals: Mapping[str, int] = MappingProxyType({})  # of all files, as `Source` has it

    def __init__(
        self,
        name: str,
        fragment: "Fragment",
        declared: "Schema | None",  # what a dataset says of all its fragments
        rows: "Expression | None",
        *,
        signature: Callable[[], tuple[object, ...]] | None = None,
        part_rows: int = PART_ROWS,
    ) -> None:
        from pyarrow import dataset  # noqa: PLC0415  # optional, imported where it is used

        self.name, self._fragment, self._part_rows, self._filter = name, fragment, part_rows, rows
        self._changed = guarded(name, signature or self._signature)
        if "NotFound" in self._signature():
            raise SourceError(f"{name}: no such file")
        with self._watched("while it was read"):
            self._is_parquet = hasattr(fragment, "row_groups")
            self._named = dict(dataset.get_partition_keys(fragment.partition_expression))
            self._schema = _schema_of(fragment, self._named, declared)
            self.n_rows = self._count()
            # A fragment may be of some row groups, and its format may have options.
            self._is_some = self._is_parquet and fragment.num_row_groups < fragment.metadata.num_row_groups
            self._is_plain = self._is_parquet and rows is None and fragment.format == _plain_format()
        self.types = typed_columns(self._schema)
        if rows is not None:
            try:
                self._schema.empty_table().filter(rows)
            except Exception as error:
                raise SourceError(misfit(name, rows, error)) from None

    @property
    def share(self) -> float | None:
        """How much of a part the rows fill, or None if they are no part of one."""
        if self._filter is not None or self.n_rows is None or self._is_some:
            return None
        return self.n_rows / self._part_rows

    def is_like(self, other: object) -> bool:
        """Whether another file has the same columns."""
        return isinstance(other, ArrowFile) and self._schema.equals(other._schema)

    def _signature(self) -> tuple[object, ...]:
        """Return what changes with the content of a file; a dataset may hold none."""
        files = getattr(self._fragment, "filesystem", None)
        if files is None:
            return ()
        with refused(self.name):
            info = files.get_file_info([self._fragment.path])[0]
            return info.type.name, info.size, info.mtime_ns

    @contextmanager
    def _watched(self, during: str) -> Iterator[None]:
        with self._changed(during), refused(self.name):
            yield

    def _count(self) -> int | None:
        if self._is_parquet:
            return sum(int(group.num_rows) for group in self._fragment.row_groups)
        return int(self._fragment.count_rows()) if _is_of(self._fragment, "IpcFileFormat") else None

    def check(self, names: Sequence[str]) -> None:
        """Refuse columns that are missing, twofold or without an array."""
        refuse_unread_columns(self.name, self._schema.names, self.types, names)

    @property
    def n_parts(self) -> int | None:
        """Number of parts, if it is known before they are read."""
        if not self._is_parquet:
            return None if self._filter is not None else n_parts(self.n_rows, self._part_rows)
        return sum(
            -(-group.n_rows // self._part_rows) if self._is_cut(group) else 1 for group in self._groups
        )

    def extremes(self, column: str) -> tuple[float, float] | None:
        """Return bounds of a column if statistics of Parquet tell them for every row group."""
        typed = self.types[column]
        if not self._is_parquet or column in self._named or typed.dtype is None:
            return None
        metadata = self._fragment.metadata
        paths = [metadata.schema.column(place).path for place in range(metadata.num_columns)]
        # Statistics of halves are bytes, and those of times are times.
        if paths.count(column) != 1 or typed.dtype.kind not in "biuf" or "halffloat" in typed.name:
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

    def reads(self, names: Sequence[str], during: str) -> Iterator[Read]:
        """Yield what reads the parts; `during` says when the file has changed, if it has."""
        if not self._is_parquet:
            yield from self._in_parts(self._batches(names), names, 0, during)
            return
        for group in self._groups:
            if self._is_cut(group):
                yield from self._in_parts(self._pieces(group, names), names, group.first_row, during)
            else:
                yield partial(self._read, group, names, during)

    def _place(self, first_row: int) -> Place:
        if self._filter is None:
            return Place(self.name, first_row)
        return Place(f"{self.name}{FILTERED}")

    @cached_property
    def _groups(self) -> list[_RowGroups]:
        """Return the row groups that may hold rows, with small neighbours together."""
        metadata, groups = self._fragment.metadata, self._fragment
        if self._filter is not None:
            groups = groups.subset(filter=self._filter, schema=self._schema)
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

    def _is_cut(self, group: _RowGroups) -> bool:
        """Whether row groups are read in pieces, which a scanner of Arrow would hold as a whole."""
        return group.n_rows > 2 * self._part_rows and self._filter is None

    def _options(self, names: Sequence[str]) -> dict[str, Any]:
        """Return what a scanner of Arrow is told: no threads and hardly any rows ahead."""
        from pyarrow import dataset  # noqa: PLC0415  # optional, imported where it is used

        options = {
            "schema": self._schema,
            "columns": {name: dataset.field(name) for name in names},
            "filter": self._filter,
            "use_threads": False,
            "batch_size": 2 * self._part_rows,
            "batch_readahead": 1,
            "fragment_readahead": 1,
        }
        plain, verified = (
            dataset.ParquetFragmentScanOptions(page_checksum_verification=one) for one in (False, True)
        )
        if self._is_parquet and self._fragment.format.default_fragment_scan_options == plain:
            options["fragment_scan_options"] = verified
        return options

    def _read(self, group: _RowGroups, names: Sequence[str], during: str) -> Part | None:
        with self._watched(during):
            table = self._table(names, group.ids)
            return part_of(table, names, self._place(group.first_row), self.decimals)

    def read_with(self, others: "Sequence[ArrowFile]", names: Sequence[str], during: str) -> Part | None:
        """Return all rows of this file and of others like it as one part."""
        import pyarrow  # noqa: PLC0415  # optional, imported where it is used

        files, tables = [self, *others], []
        for file in files:
            with file._watched(during):
                tables.append(file._table(names))
        place = Place.of_files([file.name for file in files], [table.num_rows for table in tables])
        return part_of(pyarrow.concat_tables(tables), names, place, self.decimals)

    def _table(self, names: Sequence[str], ids: list[int] | None = None) -> "Table":
        """Return the rows of some row groups or of all, by the cheaper reader if both give the same."""
        if self._is_plain:
            reader, own = self._reader(), self._own(names)
            read = reader.read if ids is None else partial(reader.read_row_groups, ids)
            return self._completed(read(columns=own, use_threads=False), names)
        fragment = self._fragment if ids is None else self._fragment.subset(row_group_ids=ids)
        return fragment.to_table(**self._options(names))

    def _in_parts(
        self, batches: "Iterator[RecordBatch]", names: Sequence[str], first_row: int, during: str
    ) -> Iterator[Read]:
        """Yield parts of rows that come one after the other."""
        with self._watched(during):
            for table in in_parts(batches, self._part_rows):
                yield partial(part_of, table, names, self._place(first_row), self.decimals)
                first_row += table.num_rows

    def _batches(self, names: Sequence[str]) -> "Iterator[RecordBatch]":
        is_csv = _is_of(self._fragment, "CsvFileFormat")
        for batch in self._fragment.to_batches(**self._options(names)):
            yield _without_empty_text(batch) if is_csv else batch

    def _pieces(self, group: _RowGroups, names: Sequence[str]) -> "Iterator[RecordBatch]":
        for batch in self._reader(buffer_size=_BUFFER).iter_batches(
            self._part_rows, row_groups=group.ids, columns=self._own(names), use_threads=False
        ):
            yield self._completed(batch, names)

    def _reader(self, **options: Any) -> "ParquetFile":
        from pyarrow import parquet  # noqa: PLC0415  # optional, imported where it is used

        return parquet.ParquetFile(
            self._fragment.open(),
            metadata=self._fragment.metadata,
            pre_buffer=False,
            page_checksum_verification=True,
            **options,
        )

    def _own(self, names: Sequence[str]) -> list[str]:
        return [name for name in names if name not in self._named]

    def _completed(self, rows: Any, names: Sequence[str]) -> Any:
        """Return a table or a batch with the columns that directories name."""
        import pyarrow  # noqa: PLC0415  # optional, imported where it is used

        for name in names:
            if name in self._named:
                value = pyarrow.scalar(self._named[name], plain_type(self._schema.field(name).type))
                rows = rows.append_column(name, pyarrow.repeat(value, rows.num_rows))
        return rows


def _schema_of(fragment: "Fragment", named: Mapping[str, Any], declared: "Schema | None") -> "Schema":
    """Return the columns of a file in its own types, and those that its directories name."""
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used

    schema = fragment.physical_schema
    schema.names  # noqa: B018  # raises if a name is not UTF-8
    known = [] if declared is None else declared.names
    if declared is not None and _is_of(fragment, "CsvFileFormat"):  # it has the types that the caller gives
        fields = [declared.field(one.name) if known.count(one.name) == 1 else one for one in schema]
        schema = pyarrow.schema(fields)
    for name, value in named.items():
        if name not in schema.names:
            of_type = declared.field(name).type if declared is not None and name in known else None
            schema = schema.append(pyarrow.field(name, of_type or pyarrow.scalar(value).type))
    return schema


@lru_cache
def _plain_format() -> "ParquetFileFormat":
    from pyarrow import dataset  # noqa: PLC0415  # optional, imported where it is used

    return dataset.ParquetFileFormat()


def _is_of(fragment: "Fragment", file_format: str) -> bool:
    from pyarrow import dataset  # noqa: PLC0415  # optional, imported where it is used

    return isinstance(getattr(fragment, "format", None), getattr(dataset, file_format))


def _without_empty_text(batch: "RecordBatch") -> "RecordBatch":
    """Return rows of a CSV file with no value for empty text, as empty cells of numbers have none."""
    from pyarrow import compute  # noqa: PLC0415  # optional, imported where it is used

    for place, field in enumerate(batch.schema):
        if typed_of(field.type).kind == "text":
            values = batch.column(place)
            batch = batch.set_column(place, field, compute.if_else(compute.equal(values, ""), None, values))
    return batch


def _not_above(value: float) -> float:
    """Return a float that is not above the value, which may be an integer that no float equals."""
    near = float(value) + 0.0  # never -0.0
    return near if near <= value else math.nextafter(near, -math.inf)


def arrow_file(
    content: Content, named: Mapping[str, int | str | None], rows: "Expression | None", part_rows: int
) -> ArrowFile:
    """Return a file of Parquet or Arrow, with the columns that its directories name."""
    try:
        from pyarrow import dataset, fs, py_buffer  # noqa: PLC0415  # optional, imported where it is used
    except ImportError:
        kind = {"parquet": "Parquet", "ipc": "Arrow"}[content.format]
        raise ImportError(f"{content.name}: {kind} files need pyarrow: pip install pyarrow") from None
    read_as = _plain_format() if content.format == "parquet" else dataset.IpcFileFormat()
    with refused(content.name):
        where: dict[str, Any] = {"file": os.path.abspath(content.path), "filesystem": fs.LocalFileSystem()}
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
    return ArrowFile(content.name, fragment, None, rows, signature=content.signature, part_rows=part_rows)

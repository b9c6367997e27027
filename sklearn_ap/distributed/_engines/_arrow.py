"""Whatever pyarrow reads, as a source: files, datasets, tables, streams, and frames of other libraries."""

import os
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from .._source import Source, SourceError, shown
from ._batches import PART_ROWS, Batches, refused
from ._files import Files, of_dataset, of_paths

if TYPE_CHECKING:  # pyarrow is optional
    from pyarrow import RecordBatch, RecordBatchReader, Table
    from pyarrow.compute import Expression


_CLUSTERS = "dask.", "pyspark."  # their streams would gather all rows here
_INSTALL = "tables are read by pyarrow: pip install pyarrow"


def opened(
    data: Any,
    filter: "Expression | None" = None,  # as pyarrow calls it
    names: Sequence[str] = (),
) -> Source | None:
    """Return a source of rows, or None if `data` is nothing that pyarrow reads.

    Parameters
    ----------
    data : object
        A path, a directory, a pattern, or a list of these; a dataset, a table, a batch or a reader of
        pyarrow; or a frame of another library that gives a stream of Arrow, such as polars, pandas or DuckDB.
    filter : pyarrow.compute.Expression, optional
        The rows of files or of a dataset that are kept.
    names : list of str, optional
        The columns that will be asked for, which tell what separates the cells of text.

    Returns
    -------
    source : Source or None
        The rows in parts. Nothing of a file is read before a method is called.

    Raises
    ------
    ImportError
        If pyarrow is needed and is not installed.
    SourceError
        If there is no file, or if `filter` is given for rows that are not those of files.
    TypeError
        If `filter` is no expression.
    """
    if isinstance(data, Files):
        return data
    is_paths = _is_paths(data)
    if not is_paths and not _is_arrow(data):
        return None
    if is_paths and filter is None:  # text needs no pyarrow
        return of_paths(data, None, names)
    try:
        from pyarrow import compute, dataset  # noqa: PLC0415  # optional, imported where it is used
    except ImportError:
        raise ImportError(_INSTALL) from None
    if filter is not None and not isinstance(filter, compute.Expression):
        raise TypeError(f"filter must be a pyarrow.compute.Expression; got {shown(filter)}.")
    if is_paths:
        return of_paths(data, filter, names)
    if isinstance(data, dataset.Dataset):
        return of_dataset(data, filter)
    if filter is not None:
        raise SourceError(
            f"filter must be None for a {type(data).__name__}, whose rows you can filter before; it is for "
            "files and datasets"
        )
    return _of_batches(data)


def _is_paths(data: object) -> bool:
    if isinstance(data, list | tuple):
        return all(isinstance(one, str | os.PathLike) for one in data)
    return isinstance(data, str | os.PathLike)


def _is_arrow(data: object) -> bool:
    if type(data).__module__.startswith(_CLUSTERS):
        return False
    pyarrow = sys.modules.get("pyarrow.dataset")  # imported already if there is a dataset
    return (
        hasattr(data, "__arrow_c_stream__")
        or hasattr(data, "__arrow_c_array__")
        or _is_lazy(data)
        or (pyarrow is not None and isinstance(data, pyarrow.Dataset))
    )


def _is_lazy(data: object) -> bool:
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(data, polars.LazyFrame)


def _of_batches(data: Any) -> Source:
    """Return a table, a stream, or a frame as a source."""
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used

    if isinstance(data, pyarrow.RecordBatchReader):
        return Batches("the stream", data.schema, lambda _: data, reads_again=False)
    with refused("the data", _told_of_values):
        if _is_lazy(data):
            return _of_lazy(data)
        if isinstance(data, pyarrow.RecordBatch) or not hasattr(data, "__arrow_c_stream__"):
            data = pyarrow.Table.from_batches([pyarrow.record_batch(data)])
        if isinstance(data, pyarrow.Table):
            return Batches("the table", data.schema, partial(_of_table, data), True, data.num_rows)
        if _is_relation(data):
            schema = _stream(data.limit(0)).schema
            return Batches("the relation", schema, partial(_of_relation, data), True)
        if hasattr(data, "__len__") and len(getattr(data, "shape", ())) == 2:
            return Batches(
                "the table", _stream(data[:0]).schema, partial(_stream_of_frame, data), True, len(data)
            )
        reader = _stream(data)  # whatever it is, it may give its rows only once
    return Batches("the stream", reader.schema, lambda _: reader, reads_again=False)


def _told_of_values(problem: str) -> str:
    """Say what is wrong with a single column, such as a series of pandas."""
    return "is values without a name; pass a table" if "non-struct" in problem else problem


def _stream(data: Any) -> "RecordBatchReader":
    import pyarrow  # noqa: PLC0415  # optional, imported where it is used

    return pyarrow.RecordBatchReader.from_stream(data)


def _of_table(data: "Table", names: Sequence[str]) -> "list[RecordBatch]":
    batches: list[RecordBatch] = data.select([data.schema.names.index(name) for name in names]).to_batches()
    return batches


def _stream_of_frame(data: Any, names: Sequence[str]) -> "RecordBatchReader":
    try:
        return _stream(data[list(names)])
    except KeyError:  # names that are not text, such as the numbers of columns in pandas
        return _stream(data)


def _is_relation(data: object) -> bool:
    duckdb = sys.modules.get("duckdb")
    return duckdb is not None and isinstance(data, duckdb.DuckDBPyRelation)


def _of_relation(data: Any, names: Sequence[str]) -> "RecordBatchReader":
    """Run a query of DuckDB again; its length would run it too, so nothing asks for that."""
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    return _stream(data.project(", ".join(quoted)))


def _of_lazy(data: Any) -> Source:
    """Return a query of polars as a source, which runs in each scan."""
    import polars  # noqa: PLC0415  # imported already if there is a query

    schema = _stream(polars.DataFrame(schema=data.collect_schema())).schema
    return Batches("the lazy frame", schema, partial(_collected, data), True)


def _collected(data: Any, names: Sequence[str]) -> "Iterator[RecordBatch]":
    from polars import selectors  # noqa: PLC0415  # imported already if there is a query

    query = data.select(selectors.by_name(*names))
    if not hasattr(query, "collect_batches"):  # polars before 1.34
        yield from _stream(query.collect())
        return
    frames = query.collect_batches(chunk_size=PART_ROWS, maintain_order=True)
    for frame in frames:
        yield from _stream(frame)

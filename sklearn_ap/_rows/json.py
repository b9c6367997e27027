"""Files of JSON: objects, one per line or in a list."""

import glob
import gzip
import json
import os
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from .._shown.sources import format_value
from .arrow import array_of
from .batches import BATCH_ROWS, Columns, columns_of
from .errors import connect
from .text import START_BYTES, open_bytes

if TYPE_CHECKING:
    import pyarrow

_READER_BYTES = 2**28  # for the buffers of DuckDB
# After a byte order mark and white space, an object or a list of them, with a key in
# quotes and a colon, or what these bytes have of it: a column may be called {id}.
is_json = re.compile(
    rb'(?:\xef\xbb\xbf)?\s*\[?\s*\{\s*(?:\Z|"(?:[^"\\]|\\.)*\\?(?:\Z|"\s*(?:\Z|:)))',
    re.DOTALL,
).match
_KEYED_OBJECTS = 100  # first objects, whose keys are the columns


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
    with open_bytes(path) as file:
        is_gzip = isinstance(file, gzip.GzipFile)
        is_list = b"[" in file.read(START_BYTES).split(b"{")[0]
    with connect(_READER_BYTES, "") as connection:
        rows = connection.read_json(
            glob.escape(os.path.abspath(path)),  # DuckDB takes every path for a pattern
            columns=dict.fromkeys(names, "JSON"),
            compression="gzip" if is_gzip else "none",
            format="array" if is_list else "auto",
            records=records,
        )
        yield from rows.limit(limit).to_arrow_reader(BATCH_ROWS)


def json_columns(path: str, _: Sequence[str], /) -> tuple[list[str], list[str]]:
    """Return the keys of the first objects, each once, and the types of their
    values.
    """
    batches = _json_rows(path, ["object"], "false", _KEYED_OBJECTS)
    objects = (json.loads(text) for batch in batches for text in batch[0].to_pylist())
    # The rows raise the error about what is not an object.
    types = {
        key: type(value).__name__
        for each in objects
        if isinstance(each, dict)
        for key, value in each.items()
    }
    return list(types), list(types.values())


def read_json(path: str, names: Sequence[str]) -> Iterator[Columns]:
    """Yield some columns as numbers, booleans, or text as it is written."""
    where = format_value(path)
    for batch in _json_rows(path, names, "true"):
        arrays = {}
        for name, texts in zip(names, batch.columns, strict=True):
            listed = ",".join(texts.fill_null("null").to_pylist())
            arrays[name] = array_of(json.loads(f"[{listed}]"), where, name)
        yield columns_of(arrays, where)

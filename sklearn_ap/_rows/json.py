"""Files of JSON: objects, one per line or in a list, which is read whole."""

import io
import json
import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

from .._shown.sources import SourceError, format_value, object_of
from .arrow import array_of
from .batches import BATCH_ROWS, Columns, columns_of
from .text import open_bytes

# After a byte order mark and white space, an object or a list of them, with a key in
# quotes and a colon, or what these bytes have of it: a column may be called {id}. Other
# lists are refused as such.
is_json = re.compile(
    rb'(?:\xef\xbb\xbf)?\s*(?:\[?\s*\{\s*(?:\Z|"(?:[^"\\]|\\.)*\\?(?:\Z|"\s*(?:\Z|:)))'
    rb"|\[\s*[\[\d.-]+)",
    re.DOTALL,
).match
_has_text = re.compile(r"\S")
_KEYED_OBJECTS = 100  # first objects, whose keys are the columns


def _objects(path: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file, or raise SourceError if it contains other values."""
    # One decoder for all lines: `json.loads` with a hook would make one per line.
    decoder = json.JSONDecoder(object_pairs_hook=partial(object_of, format_value(path)))
    with open_bytes(path) as file, io.TextIOWrapper(file, "utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            if line.isspace():
                continue
            text = line
            # A list, or an object of several lines, is read whole.
            if line.lstrip().startswith("[") or not line.rstrip().endswith("}"):
                text += lines.read()
            try:
                values = [*_values_in(text, decoder)]
            except SourceError:
                raise
            except ValueError as error:  # also about a number of 5,000 digits
                raise _line_error(path, number, f"{error}") from None
            for value in values:
                if not isinstance(value, dict):
                    problem = f"{format_value(value)} is not an object"
                    raise _line_error(path, number, problem)
                yield value


def _values_in(text: str, decoder: json.JSONDecoder) -> Iterator[Any]:
    """Yield the values of JSON in a text, and those of lists one by one."""
    start = 0
    while found := _has_text.search(text, start):
        value, start = decoder.raw_decode(text, found.start())
        yield from value if isinstance(value, list) else [value]


def _line_error(path: str, number: int, problem: str) -> SourceError:
    return SourceError(
        f"{format_value(path)}: line {number:,}: {problem}; write one object per line, or "
        "a list of them, as frame.to_json(path, orient='records') does"
    )


def json_columns(path: str, names: Sequence[str], /) -> tuple[list[str], list[str]]:
    """Return the keys of the first objects, each once, and the types of their values;
    of more objects until there are these names.
    """
    types = dict[str, str]()
    for number, each in enumerate(_objects(path)):
        if number >= _KEYED_OBJECTS and types.keys() >= {*names}:
            break
        types |= {key: type(value).__name__ for key, value in each.items()}
    if types and {*types.values()} <= {"list", "dict"}:
        raise _line_error(path, 1, f"{format_value(next(iter(types)))} is of all rows")
    return list(types), list(types.values())


def read_json(path: str, names: Sequence[str]) -> Iterator[Columns]:
    """Yield some columns as numbers, booleans, or text as it is written."""
    where, objects = format_value(path), _objects(path)
    while rows := [
        [each.get(name) for name in names] for each in islice(objects, BATCH_ROWS)
    ]:
        columns = zip(names, zip(*rows, strict=True), strict=True)
        arrays = {name: array_of(values, where, name) for name, values in columns}
        yield columns_of(arrays, where)

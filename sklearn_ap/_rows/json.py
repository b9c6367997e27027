"""Files of JSON: one object per line, or a list of objects, which is read at once."""

import io
import json
import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

from .._shown.sources import START_BYTES, SourceError, format_value, object_of
from .arrow import array_of
from .batches import BATCH_ROWS
from .bytes import LimitedBytes, open_bytes
from .columns import Columns, columns_of

# Matches the first bytes of a file of JSON: an object, or a list of objects. An object
# must begin with a key in quotes and a colon, if the bytes reach that far, since the
# header of a text file may begin with a column called {id}. Lists of lists or numbers
# match, too, so that `objects_of` raises the error about them.
is_json = re.compile(
    rb'(?:\xef\xbb\xbf)?\s*(?:\[?\s*\{\s*(?:\Z|"(?:[^"\\]|\\.)*\\?(?:\Z|"\s*(?:\Z|:)))'
    rb"|\[\s*[\[\d.-]+)",
    re.DOTALL,
).match
_has_text = re.compile(r"\S")
# The columns of a file are the keys of its first objects. At least this many objects
# are read, if the file has them.
_KEYED_OBJECTS = 100


def first_byte(path: str) -> bytes:
    """Return the first byte of a file after white space and the mark of UTF-8."""
    with open_bytes(path) as file:
        return file.read(START_BYTES).lstrip(b"\xef\xbb\xbf \t\r\n")[:1]


def objects_of(path: str, *, limits_lines: bool = True) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file. Raise SourceError if it contains other values, or,
    if `limits_lines`, an object in a line of more than 16 MB.
    """
    # All lines share a decoder, since `json.loads` with a hook would create one per
    # line.
    decoder = json.JSONDecoder(object_pairs_hook=partial(object_of, format_value(path)))
    # A list of all objects may be one long line.
    limits_lines = limits_lines and first_byte(path) != b"["
    # The type of `TextIOWrapper` asks for methods that it does not call here.
    file: Any
    with (
        LimitedBytes(path, limits_lines=limits_lines) as file,
        io.TextIOWrapper(file, "utf-8-sig") as lines,
    ):
        for number, line in enumerate(lines, 1):
            if line.isspace():
                continue
            text = line
            # A list, or an object of several lines, is read together with the rest of
            # the file.
            if line.lstrip().startswith("[") or not line.rstrip().endswith("}"):
                text += lines.read()
            try:
                values = [*_values_in(text, decoder)]
            except SourceError:
                raise
            except RecursionError:
                problem = "lists or objects are nested too deeply"
                raise _line_error(path, number, problem) from None
            # Python raises ValueError for wrong JSON, and for an integer of 5,000
            # digits.
            except ValueError as error:
                raise _line_error(path, number, f"{error}") from None
            for value in values:
                if not isinstance(value, dict):
                    problem = f"{format_value(value)} is not an object"
                    raise _line_error(path, number, problem)
                yield value


def _values_in(text: str, decoder: json.JSONDecoder) -> Iterator[Any]:
    """Yield the values of JSON in a text, and the items of each list."""
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
    """Return the distinct keys of the first objects, and the types of their values.

    If one of `names` is not among these keys, more objects are read until all names
    were found.
    """
    types = dict[str, str]()
    for number, each in enumerate(objects_of(path)):
        if number >= _KEYED_OBJECTS and types.keys() >= {*names}:
            break
        types |= {key: type(value).__name__ for key, value in each.items()}
    if types and {*types.values()} <= {"list", "dict"}:
        raise _line_error(
            path,
            1,
            f"{format_value(next(iter(types)))} and all other keys contain lists or "
            "objects, not one value per row",
        )
    return list(types), list(types.values())


def read_json(path: str, names: Sequence[str]) -> Iterator[Columns]:
    """Yield the columns with these names in batches. Values are numbers, booleans, or
    text.
    """
    where, objects = format_value(path), objects_of(path)
    while rows := [
        [each.get(name) for name in names] for each in islice(objects, BATCH_ROWS)
    ]:
        columns = zip(names, zip(*rows, strict=True), strict=True)
        arrays = {name: array_of(values, where, name) for name, values in columns}
        yield columns_of(arrays, where)

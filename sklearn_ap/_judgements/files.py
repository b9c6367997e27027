"""Files of judgements and of runs: lines of TREC, tables with a header, JSON and JSON
lines.

`_rows` reads large tables in batches, by the names of columns that the caller passes.
Files of judgements and runs are small, so they are read at once. They may have no
header, or separate fields by white space; their columns have many names; JSON may be
one object ``{query: {document: value}}``; and errors name the line. So only the way to
open a file, and the reader of JSON, are shared with `_rows`.
"""

import csv
import gzip
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._rows.bytes import LimitedBytes, open_bytes
from .._rows.json import first_byte, objects_of
from .._shown.sources import (
    START_BYTES,
    SourceError,
    format_of,
    format_value,
    is_number,
)

# The file and line of a row for errors, and its query, document, and relevance level or
# score.
Row = tuple[str, Any, Any, Any]
# The number of a line, and its fields.
_Line = tuple[int, Sequence[Any]]
# Names of columns in lower case without punctuation. If a table has several of these
# names, the column whose name is listed first contains the ids: in such a table,
# `query` may be the text of a query, and `docid` of PyTerrier a position in its index.
_QUERIES = "queryid qid topicid topic query userid user"
_DOCUMENTS = "docno documentid docid corpusid passageid pid document doc itemid item"

# Advice in errors about values that are lists.
OF_LISTS = "; if each query has a list of ids, call sklearn_ap.read_lists"


class Kind(NamedTuple):
    """The layout of files of judgements, or of files of runs."""

    # What errors call the number of a document: relevance or score.
    value: str
    # The values that are valid, for errors.
    valid_values: str
    # Names of the column of the value, the preferred one first.
    names: str
    # The fields that a line must have, for errors.
    fields: str
    # The positions of query, document and value in a line, by its number of fields.
    places: Mapping[int, Sequence[int]]
    is_run: bool
    # A line is split at white space at most this many times; -1 means no limit.
    most_splits: int


QRELS = Kind(
    value="relevance",
    valid_values="an integer",
    names="level relevance rel label grade score",
    fields="4 fields: query, iteration, document, relevance, or 3: query, document, "
    "relevance",
    places={4: (0, 2, 3), 3: (0, 1, 2)},
    is_run=False,
    most_splits=-1,
)
RUN = Kind(
    value="score",
    valid_values="a finite number",
    names="score",
    fields="6 fields: query, Q0, document, rank, score, name, or 3 below a header: "
    "query, document, score",
    places={6: (0, 2, 4), 3: (0, 1, 2)},
    is_run=True,
    # As in trec_eval, the rest of a line after the name of the run has no effect.
    most_splits=5,
)


def content_of(path: str, kind: Kind) -> Mapping[Any, Any] | Iterator[Row]:
    """Return the content of a file as ``{query: {document: value}}`` or as rows."""
    try:
        with open_bytes(path) as file:
            start = file.read(START_BYTES)
        if unreadable := format_of(start):
            raise SourceError(f"{format_value(path)}: is {unreadable}")
        if first_byte(path) not in (b"{", b"["):
            with LimitedBytes(path) as file:
                text = file.read().decode("utf-8-sig")
            return _rows_of_lines(path, _fields_of_lines(text, kind), kind)
        # ``{query: {document: value}}`` may be one long line.
        objects = [*objects_of(path, limits_lines=False)]
    except (UnicodeDecodeError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise SourceError(
            f"{format_value(path)}: is not text in UTF-8, plain or gzipped: {error}; for "
            "another format, pass a frame, such as pandas.read_parquet(path)"
        ) from None
    except OSError as error:
        raise SourceError(f"{format_value(path)}: {error.strerror}") from None
    if len(objects) == 1 and {*map(type, objects[0].values())} == {dict}:
        return objects[0]
    # Objects need a key for the query, for the document and for the value.
    kind = kind._replace(places={3: kind.places[3]})
    return _rows_of_lines(path, _lines_of_objects(path, objects), kind)


def _fields_of_lines(text: str, kind: Kind) -> Iterator[_Line]:
    """Yield the fields of each line that is not empty and not a comment. Tabs, commas
    or white space separate the fields.
    """
    lines = dict[int, str]()
    # The separators of the header. Below a header, # begins an id, not a comment.
    separators = list[str | None]()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or (not separators and _is_comment(line, kind)):
            continue
        if not lines:
            separators = _separators_of_names(line, kind)
        lines[number] = line
    # If each line has a valid number of fields between tabs, fields may contain spaces.
    n_fields = {line.count("\t") + 1 for line in lines.values()}
    separator = "\t" if n_fields <= kind.places.keys() else None
    # If several separators split the header, the comma is preferred, and then the tab.
    for preferred in (",", "\t"):
        if preferred in separators:
            separator = preferred
            break
    for number, line in lines.items():
        if separator == ",":
            words = next(csv.reader([line], skipinitialspace=True))
        else:
            words = line.split(separator, kind.most_splits)
        yield number, [word.strip() for word in words]


def _is_comment(line: str, kind: Kind) -> bool:
    """Return whether a line is a comment: its first word is #, or it begins with # and
    is neither a header nor a row of a query whose id begins with #.
    """
    words = line.split(None, kind.most_splits)
    if words[0] == "#":
        return True
    if not line.startswith("#"):
        return False
    is_row = any(
        len(row) in kind.places and is_number(row[kind.places[len(row)][2]].strip())
        for row in (line.split("\t"), words)
    )
    return not (is_row or any(_separators_of_names(line, kind)))


def _separators_of_names(line: str, kind: Kind) -> list[str | None]:
    """Return the separators that split a line into names of columns; no separator does
    if the line is not a header. None stands for white space.
    """
    separators = (None, "\t", ",")
    return [sign for sign in separators if places_of(line.split(sign), kind)]


def _lines_of_objects(path: str, objects: list[dict[str, Any]]) -> Iterator[_Line]:
    """Yield the keys of the first object as a header, and then the values of each
    object in the order of these keys.
    """
    if not objects:
        return
    names = [*objects[0]]
    yield 1, names
    for number, values in enumerate(objects, 1):
        if not values.keys() >= {*names}:
            raise SourceError(
                f"{format_value(path)}, line {number}: must be an object with {names}; "
                f"got {format_value(values)}"
            )
        yield number, [values[name] for name in names]


class _Layout(NamedTuple):
    """The layout of the lines of a file, as its first line shows it."""

    # The number of fields that each line must have.
    size: int
    # The positions of query, document and value; None if they are unknown.
    places: Sequence[int] | None
    # Whether the first line is a header.
    has_header: bool


def _layout_of(words: Sequence[Any], kind: Kind) -> _Layout:
    """Return the layout of a file with these fields in its first line."""
    size, places = len(words), places_of(words, kind)
    if places is not None:
        return _Layout(size, places, has_header=True)
    # In a run without a header, a third field that is a whole number may be a rank, as
    # in MS MARCO. A rank is not a score, so such a run is an error.
    has_rank = kind.is_run and size == 3 and words[2].isdecimal()
    if has_rank or size not in kind.places:
        return _Layout(size, None, has_header=False)
    # A header of judgements may have names that `places_of` does not know.
    has_header = not (kind.is_run or is_number(words[-1]))
    return _Layout(size, kind.places[size], has_header=has_header)


def _rows_of_lines(path: str, lines: Iterable[_Line], kind: Kind) -> Iterator[Row]:
    """Yield the rows of lines; the first line may be a header."""
    layout: _Layout | None = None
    for number, words in lines:
        where = f"{format_value(path)}, line {number}"
        is_header = False
        if layout is None:
            layout = _layout_of(words, kind)
            is_header = layout.has_header
        if layout.places is None or len(words) != layout.size:
            # `places` of objects of JSON has a single number of fields.
            advice = OF_LISTS if len(kind.places) == 1 else ""
            raise SourceError(
                f"{where}: must have {kind.fields}; got {len(words)} "
                f"(pass the judgements before the runs); for other columns, pass a "
                f"frame: pandas.read_csv(path)[[query, document, {kind.value}]], or "
                f"read_json(path, lines=True), with the names of these three{advice}"
            )
        if not is_header:
            query, document, value = (words[place] for place in layout.places)
            yield where, str(query), str(document), value


def places_of(names: Sequence[Any], kind: Kind) -> tuple[int, ...] | None:
    """Return the positions of query, document and value by the names of columns, or
    None if a column is missing.
    """
    plain = [re.sub(r"[\W_]", "", str(name).casefold()) for name in names]
    places = list[int]()
    for preferred in (_QUERIES, _DOCUMENTS, kind.names):
        found = [plain.index(word) for word in preferred.split() if word in plain]
        if not found:
            return None
        places.append(found[0])
    return tuple(places)

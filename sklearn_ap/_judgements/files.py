"""Files of judgements and of runs: lines of TREC, tables with a header, JSON and JSON
lines.
"""

import csv
import gzip
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from .._shown.sources import (
    START_BYTES,
    SourceError,
    format_of,
    format_value,
    is_number,
    object_of,
)

# query, document and level or score, after their place, for errors
Row = tuple[str, Any, Any, Any]
_Line = tuple[int, Sequence[Any]]  # its number and its cells
# Names of columns, without signs, the surest first: a query may be a text beside an id,
# and `docid` of PyTerrier is a place in its index.
_QUERIES = "queryid qid topicid topic query userid user"
_DOCUMENTS = "docno documentid docid corpusid passageid pid document doc itemid item"


OF_LISTS = "; lists of ids, one per query, are taken by sklearn_ap.read_lists"


class Kind(NamedTuple):
    """Judgements or runs: what is said of a document, and the lines of their files."""

    value: str  # its name
    rule: str  # what it must be
    names: str  # of its column, the surest first
    line: str
    # Of the cells of a line: the places of query, document and value, by their number.
    cells: Mapping[int, Sequence[int]]
    is_run: bool
    most_splits: int  # of a line at white space


QRELS = Kind(
    "level",
    "an integer",
    "level relevance rel label grade score",
    "4 cells: query, iteration, document, level, or 3: query, document, level",
    {4: (0, 2, 3), 3: (0, 1, 2)},
    is_run=False,
    most_splits=-1,
)
RUN = Kind(
    "score",
    "a finite number",
    "score",
    "6 cells: query, Q0, document, rank, score, name, or 3 below a header: query, "
    "document, score",
    {6: (0, 2, 4), 3: (0, 1, 2)},
    is_run=True,
    most_splits=5,  # trec_eval ignores what follows the name of a run
)


def content_of(path: str, kind: Kind) -> Mapping[Any, Any] | Iterator[Row]:
    """Return the content of a file: ``{query: {document: value}}``, or rows."""
    try:
        content = Path(path).read_bytes()
        if content.startswith(b"\x1f\x8b"):
            content = gzip.decompress(content)
        if unreadable := format_of(content[:START_BYTES]):
            raise SourceError(f"{format_value(path)}: is {unreadable}")
        text = content.decode("utf-8-sig")
    except (UnicodeDecodeError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise SourceError(
            f"{format_value(path)}: is not text in UTF-8, plain or gzipped: {error}; of "
            "another format, pass a frame, such as pandas.read_parquet(path)"
        ) from None
    except OSError as error:
        raise SourceError(f"{format_value(path)}: {error.strerror}") from None
    if not text.lstrip().startswith(("{", "[")):
        return _rows_of_lines(path, _lines_of(text, kind), kind)
    read_json = partial(
        json.loads, object_pairs_hook=partial(object_of, format_value(path))
    )
    try:
        objects = read_json(text)
    except json.JSONDecodeError:
        # A list of JSON lines has the same lines, which errors name.
        lines = (line for line in text.split("\n") if line.strip())
        try:
            objects = read_json("[" + ",\n".join(lines) + "]")
        except json.JSONDecodeError as error:
            where = f"{format_value(path)}, line {error.lineno}"
            raise SourceError(f"{where}: is not JSON: {error.msg}") from None
    if isinstance(objects, dict):
        if all(isinstance(values, dict) for values in objects.values()):
            return objects
        objects = [objects]
    kind = kind._replace(cells={3: kind.cells[3]})
    return _rows_of_lines(path, _lines_of_objects(path, objects), kind)


def _lines_of(text: str, kind: Kind) -> Iterator[_Line]:
    """Yield the cells of lines, which are between tabs, commas or white space."""
    lines = dict[int, str]()
    of_names = list[str | None]()  # of the first line: below it, an id may begin with #
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or (not of_names and _is_comment(line, kind)):
            continue
        if not lines:
            of_names = _separators_of_names(line, kind)
        lines[number] = line
    # Cells between tabs may contain blanks.
    n_cells = {line.count("\t") + 1 for line in lines.values()}
    separator = "\t" if n_cells <= kind.cells.keys() else None
    for delimiter in filter(None, of_names):
        separator = delimiter
    for number, line in lines.items():
        if separator == ",":
            words = next(csv.reader([line], skipinitialspace=True))
        else:
            words = line.split(separator, kind.most_splits)
        yield number, [word.strip() for word in words]


def _is_comment(line: str, kind: Kind) -> bool:
    """Whether a line begins with #, and is neither a row of a query whose id does, nor
    a header.
    """
    words = line.split(None, kind.most_splits)
    if words[0] == "#" or not line.startswith("#"):
        return words[0] == "#"
    is_row = any(
        len(row) in kind.cells and is_number(row[kind.cells[len(row)][2]].strip())
        for row in (line.split("\t"), words)
    )
    return not (is_row or any(_separators_of_names(line, kind)))


def _separators_of_names(line: str, kind: Kind) -> list[str | None]:
    """Return between which signs the cells of a line are names of columns; None is
    white space.
    """
    return [sign for sign in (None, "\t", ",") if places_of(line.split(sign), kind)]


def _lines_of_objects(path: str, objects: list[Any]) -> Iterator[_Line]:
    """Yield the keys of the first object, and the values of all; ids are text, as in
    other files.
    """
    names: Any = None
    if objects and isinstance(objects[0], dict):
        names = list(objects[0])
        yield 1, names
    for number, values in enumerate(objects, 1):
        try:
            yield number, [values[name] for name in names]
        except (KeyError, TypeError):
            raise SourceError(
                f"{format_value(path)}, line {number}: must be an object with "
                f"{names or 'query_id, doc_id and a number'}; got {format_value(values)}"
            ) from None


def _rows_of_lines(path: str, lines: Iterable[_Line], kind: Kind) -> Iterator[Row]:
    """Yield the rows of lines; the first line may be a header."""
    places: Sequence[int] | None = None
    size = 0  # of the first line, and so of all
    for number, words in lines:
        where = f"{format_value(path)}, line {number}"
        is_header = False
        if not size:
            size = len(words)
            places = places_of(words, kind)
            is_header = places is not None
            # Without a name, a whole number may be a rank, as in runs of MS MARCO.
            is_rank = kind.is_run and size == 3 and words[2].isdecimal()
            if places is None and not is_rank:
                places = kind.cells.get(size)
                is_header = not (kind.is_run or is_number(words[-1]))
        if places is None or len(words) != size:
            are_objects = len(kind.cells) == 1
            raise SourceError(
                f"{where}: must have {kind.line}; got {len(words)} "
                f"(the judgements are passed before the runs); of other columns, pass a "
                f"frame: pandas.read_csv(path)[[query, document, {kind.value}]], or "
                "read_json(path, lines=True), with the names of these three"
                f"{OF_LISTS * are_objects}"
            )
        if not is_header:
            query, document, value = (words[place] for place in places)
            yield where, str(query), str(document), value


def places_of(names: Sequence[Any], kind: Kind) -> tuple[int, ...] | None:
    """Return the places of query, document and value by the names of columns; None
    unless all three have one.
    """
    plain = [re.sub(r"[\W_]", "", str(name).casefold()) for name in names]
    places = tuple(
        next((plain.index(word) for word in words.split() if word in plain), -1)
        for words in (_QUERIES, _DOCUMENTS, kind.names)
    )
    return None if -1 in places else places

"""Files of text: cells apart by commas, semicolons or tabs, with a header, in parts of so many rows.

The module `csv` is the rule. Where pyarrow is installed, it cuts blocks of bytes into cells much faster, but
only blocks that both cut alike: all quotes stand around cells, and every row is as wide as the header. From
the first other block on, the rule reads the file; so rows and errors are the same with and without pyarrow.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from itertools import islice
from operator import itemgetter
from threading import Lock
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, NoReturn

import numpy as np

from ..._typing import AnyArray
from .._source import Part, Place, Read, SourceError, refuse_unknown_columns, shown
from ._arrow import FILTERED, Typed, misfit
from ._cells import (
    INTEGER,
    TEXT,
    Cells,
    Distinct,
    Reading,
    Widened,
    distinct_cells,
    dtype_of_kinds,
    first_text,
    is_utf8,
    kinds_of,
    read_cells,
)
from ._content import Content, guarded

if TYPE_CHECKING:  # pyarrow is optional
    from pyarrow.compute import Expression


_CHUNK_ROWS = 2**10  # that are cut at once by the rule: many lists at a time keep the garbage collector busy
_RULE_ROWS = 2**16  # of a part that the rule cuts: its texts take ten times the memory of numbers
_PEEK_ROWS = 200  # that the types of columns are assumed from
_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_BOM = b"\xef\xbb\xbf"
_csv = Lock()  # one limit of all readers of `csv` is set while one reads


class _Start(NamedTuple):
    """Where rows begin that are not read yet."""

    n_bytes: int
    n_lines: int
    n_rows: int


class _Header(NamedTuple):
    """The names of columns and where rows begin, or what is wrong with the header."""

    names: list[str]
    start: _Start
    problem: str = ""


class _Layout(NamedTuple):
    """The header of a file, and what separates cells."""

    header: list[str]
    start: _Start  # of the rows
    delimiter: str
    head: bytes  # all lines up to the rows, if they are short
    names: Sequence[str]  # of columns that were looked for

    def begins(self, head: bytes, names: Sequence[str]) -> bool:
        """Whether a file that begins with these bytes has this layout."""
        return self.head != b"" and head.startswith(self.head) and self.names == names


class _Rows(NamedTuple):
    """Some rows, as the cells of columns."""

    cells: Mapping[str, Cells]
    n_rows: int


class Pieces(NamedTuple):
    """How large the pieces are in which a file is read; no value depends on them, and no error."""

    part_rows: int = 2**20
    block_bytes: int = 2**23  # that pyarrow cuts into cells at once
    small: int = 2**15  # bytes of a file below which pyarrow costs more than it saves


class WidenedColumn(Exception):  # noqa: N818  # it is raised where a type is too narrow, and no error
    """A column needs a wider type, and `first` is the first cell that makes it text."""

    def __init__(self, name: str, kinds: int, first: tuple[Place, str] | None) -> None:
        super().__init__(name)
        self.name, self.kinds, self.first = name, kinds, first


class DoubtfulError(SourceError):
    """An error that holds unless a later row makes a column text, as that of a number of too many digits."""


class KnownCells:
    """What is known about the columns of all files of text."""

    def __init__(self, as_text: Sequence[str] = ()) -> None:
        self.kinds = dict.fromkeys(as_text, TEXT)  # of cells, by column
        self.first: dict[str, tuple[Place, str]] = {}  # cell that is not a number

    def widen(self, found: WidenedColumn) -> None:
        """Give a column a wider type."""
        self.kinds[found.name] = self.kinds.get(found.name, 0) | found.kinds
        if found.first is not None:
            self.first.setdefault(found.name, found.first)


class FileOptions(NamedTuple):
    """How files are read that paths name."""

    filter: "Expression | None"
    names: Sequence[str]  # of all columns that the caller asks for, as far as they are known
    known: KnownCells
    pieces: Pieces


class TextFile:
    """A file of text, with the columns that its directories name."""

    n_rows = n_parts = None

    def __init__(
        self,
        content: Content,
        named: Mapping[str, int | str | None],
        options: FileOptions,
        before: Sequence[object] = (),  # files whose header may be the same
    ) -> None:
        self.name, self._content, self._pieces = content.name, content, options.pieces
        self._known, self._filter = options.known, options.filter
        self._watched = guarded(content.name, content.signature)
        names = [one for one in options.names if one not in named]
        known = [one._layout for one in before if isinstance(one, TextFile)]
        same = [layout for layout in known if layout.begins(content.head, names)]
        self._layout: _Layout = same[0] if same else self._read_layout(names)
        self.header, self._start, self._delimiter, *_ = self._layout
        self._named = {name: value for name, value in named.items() if name not in self.header}
        self._look()

    def _read_layout(self, names: Sequence[str]) -> _Layout:
        """Find the header, and what separates cells."""
        with self._content.opened() as file:
            headers = {one: self._header(file, one) for one in _DELIMITERS}
        delimiter = self._fitting({one: header.names for one, header in headers.items()}, names)
        header, start, problem = headers[delimiter]
        if problem or not header:
            raise SourceError(f"{self.name}: {problem or 'is empty'}")
        if not set(names) <= set(header) and not is_utf8("".join(header)):
            raise SourceError(f"{self.name}: is not UTF-8 text; save it as UTF-8")
        head, starts = self._content.head[: start.n_bytes], {one.start for one in headers.values()}
        is_whole = len(starts) == 1 and len(head) == start.n_bytes and head.endswith(b"\n")
        return _Layout(header, start, delimiter, head if is_whole else b"", names)

    def _header(self, file: BinaryIO, delimiter: str) -> _Header:
        """Return the header as a delimiter splits it."""
        file.seek(0)
        n_bytes = len(_BOM) if file.read(len(_BOM)) == _BOM else 0
        file.seek(n_bytes)
        used: list[str] = []
        problem, header = "", list[str]()
        with _as_text(file) as lines, _cells_of_any_length():
            reader = csv.reader(_noted(lines, used), strict=True, delimiter=delimiter)
            try:
                header = next((row for row in reader if row), [])
            except csv.Error as error:
                problem = f"the header, up to line {reader.line_num}: {error}"
        n_bytes += len("".join(used).encode("utf-8", "surrogateescape"))
        return _Header([name.strip() for name in header], _Start(n_bytes, reader.line_num, 0), problem)

    def _fitting(self, headers: Mapping[str, list[str]], names: Sequence[str]) -> str:
        """Return what separates cells: the character that splits the header into the columns asked for."""
        asked = set(names) & {name for header in headers.values() for name in header}
        fitting = [one for one, header in headers.items() if asked and asked <= set(header)]
        # A header of one column is the same, whatever separates cells.
        if len({tuple(headers[one]) for one in fitting}) > 1 and len(asked) == len(set(names)):
            kinds = " and by ".join(_DELIMITERS[one] for one in fitting)
            raise SourceError(
                f"{self.name}: the header holds {', '.join(map(shown, names))} both split by {kinds}; a file "
                "has one kind of separator, so rename a column"
            )
        if len(fitting) == 1:
            return fitting[0]
        # Errors show what the likeliest character makes of the header: commas, if they cannot split it.
        return max(headers, key=lambda one: len(headers[one])) if headers[","] else ","

    def _look(self) -> None:
        """Assume types from the first rows, for columns without type."""
        if all(self._known.kinds.get(name) for name in self.header):
            return
        cells: Mapping[str, Cells] = {}
        with self._content.opened() as file, suppress(SourceError, StopIteration):  # a scan raises it too
            cells = next(self._by_rule(file, self.header, self._start, _PEEK_ROWS)).cells
        for name, column in cells.items():
            if not self._known.kinds.get(name):
                row, cell = first_text(column)
                first = None if row is None else (Place(self.name, row), shown(cell))
                self._known.widen(WidenedColumn(name, kinds_of(column), first))

    def _kinds(self) -> dict[str, int]:
        """Return the kinds of cells by column."""
        named = {
            name: 0 if value is None else INTEGER if isinstance(value, int) else TEXT
            for name, value in self._named.items()
        }
        return {name: self._known.kinds.get(name, 0) for name in self.header} | named

    @property
    def types(self) -> Mapping[str, Typed]:
        """Columns with their types, as far as they are known."""
        return {name: _typed_of_kinds(kinds) for name, kinds in self._kinds().items()}

    def check(self, names: Sequence[str]) -> None:
        """Refuse columns that are missing or twofold."""
        refuse_unknown_columns(self.name, [*self.header, *self._named], names)

    @property
    def share(self) -> float | None:
        """How much of a part the rows fill, or None if they are no part of one."""
        n_bytes = self._content.n_bytes
        return None if self._filter is not None or n_bytes is None else n_bytes / self._pieces.block_bytes

    def is_like(self, other: object) -> bool:
        """Whether another file has the same columns."""
        return (
            isinstance(other, TextFile)
            and (self.header, self._delimiter) == (other.header, other._delimiter)
            and {k: type(v) for k, v in self._named.items()} == {k: type(v) for k, v in other._named.items()}
        )

    def reads(self, names: Sequence[str], during: str) -> Iterator[Read]:
        """Yield what reads the parts; an error comes behind the parts before it."""
        kinds, asked = self._kinds(), dict.fromkeys(names)
        if self._filter is not None:  # an expression tells its columns in its text alone
            asked |= dict.fromkeys(name for name in kinds if name in str(self._filter))
        own = [name for name in asked if name not in self._named]
        named = [name for name in asked if name in self._named]

        def read(rows: _Rows, place: Place) -> Part | None:
            with self._watched(during):
                if self._filter is not None and rows.n_rows:
                    rows, place = self._kept(rows, kinds), Place(f"{self.name}{FILTERED}")
                return _part(rows, names, kinds, place)

        first_row = 0
        try:
            with self._watched(during):
                for rows in self._rows(own):
                    codes = np.zeros(rows.n_rows, np.intp)
                    repeated = {name: Distinct([self._cell(name)], codes) for name in named}
                    yield partial(
                        read, _Rows({**rows.cells, **repeated}, rows.n_rows), Place(self.name, first_row)
                    )
                    first_row += rows.n_rows
        except SourceError as error:
            yield partial(_raise, error)

    def read_with(self, others: "Sequence[TextFile]", names: Sequence[str], during: str) -> Part | None:
        """Return all rows of this file and of others like it, or None if pyarrow does not cut them as one."""
        files, blocks = [self, *others], list[bytes]()
        for file in files:
            with file._watched(during), file._content.opened() as content:
                content.seek(file._start.n_bytes)
                block = content.read()
            blocks.append(block if block.endswith(b"\n") or not block else block + b"\n")
        whole, n_rows = b"".join(blocks), [block.count(b"\n") for block in blocks]
        # No quote runs on into the next file, and each newline ends a row: so rows are counted by newlines.
        if any(block.count(b'"') % 2 for block in blocks) or whole.count(b"\r") != whole.count(b"\r\n"):
            return None
        own = [name for name in names if name not in self._named]
        rows = self._cut(whole, own) if len(whole) >= self._pieces.small else None
        if rows is None or rows.n_rows != sum(n_rows):
            return None
        full = [(file, n) for file, n in zip(files, n_rows, strict=True) if n]
        codes = np.repeat(np.arange(len(full)), [n for _, n in full])
        named = {
            name: Distinct([file._cell(name) for file, _ in full], codes)
            for name in names
            if name in self._named
        }
        place = Place.of_files([file.name for file in files], n_rows)
        return _part(_Rows({**rows.cells, **named}, rows.n_rows), names, self._kinds(), place)

    def _cell(self, name: str) -> str:
        """Return the value of a column that a directory names; no value is a blank cell."""
        value = self._named[name]
        return "" if value is None else str(value)

    def _kept(self, rows: _Rows, kinds: Mapping[str, int]) -> _Rows:
        """Return the rows that the filter keeps; blank cells are null to it, as in tables."""
        import pyarrow  # noqa: PLC0415  # a filter is its

        cells = {name: distinct_cells(one) for name, one in rows.cells.items()}
        try:
            table = pyarrow.table({name: _nullable(one, kinds[name], name) for name, one in cells.items()})
            table = table.append_column("", pyarrow.array(np.arange(rows.n_rows)))
            chosen = table.filter(self._filter)[""].to_numpy()
        except WidenedColumn:
            raise
        except Exception as error:  # whatever pyarrow raises
            raise DoubtfulError(misfit(self.name, self._filter, error)) from None
        kept = {
            name: [texts[code] for code in codes[chosen].tolist()] for name, (texts, codes) in cells.items()
        }
        return _Rows(kept, len(chosen))

    def _rows(self, names: Sequence[str]) -> Iterator[_Rows]:
        """Yield rows, block by block; those of the rule if pyarrow does not cut a block."""
        start = self._start
        with self._content.opened() as file:
            for rows, start in self._by_arrow(file, names):  # noqa: B007  # the rule goes on from there
                yield rows
            yield from self._by_rule(file, names, start, min(_RULE_ROWS, self._pieces.part_rows))

    def _by_rule(
        self, file: BinaryIO, names: Sequence[str], start: _Start, part_rows: int
    ) -> Iterator[_Rows]:
        """Yield rows as the module `csv` cuts them; an error comes behind the rows before it."""
        file.seek(start.n_bytes)
        cells: dict[str, list[str]] = {name: [] for name in names}
        n_rows = 0
        with _as_text(file) as lines:
            try:
                for chunk in self._chunks(lines, start, min(_CHUNK_ROWS, part_rows)):
                    for name in names:
                        cells[name] += map(itemgetter(self.header.index(name)), chunk)
                    n_rows += len(chunk)
                    if n_rows >= part_rows:
                        yield _Rows(cells, n_rows)
                        cells, n_rows = {name: [] for name in names}, 0
            except SourceError:
                yield _Rows(cells, n_rows)
                raise
        yield _Rows(cells, n_rows)

    def _chunks(self, lines: io.TextIOWrapper, start: _Start, n_rows: int) -> Iterator[list[list[str]]]:
        """Yield lists of rows, of which a blank line is none, or raise for the first row that is odd."""
        # Strict: otherwise an open quote swallows the rest of the file.
        reader = csv.reader(lines, strict=True, delimiter=self._delimiter)
        before, width = start.n_rows, len(self.header)
        held = [[""]] * n_rows
        while len(held) == n_rows:
            held, problem = [], ""
            try:
                with _cells_of_any_length():
                    held.extend(islice(reader, n_rows))
            except csv.Error as error:
                problem = f", up to line {start.n_lines + reader.line_num}: {error}"
            rows = list(filter(None, held))
            if set(map(len, rows)) - {width}:
                odd = next(at for at, row in enumerate(rows) if len(row) != width)
                n = len(rows[odd])
                problem = f" has {n} field{'s' * (n != 1)}, but the header has {width}"
                rows = rows[:odd]
            yield rows
            before += len(rows)
            if problem:
                raise SourceError(f"{self.name}: row {before + 1}{problem}")

    def _by_arrow(self, file: BinaryIO, names: Sequence[str]) -> Iterator[tuple[_Rows, _Start]]:
        """Yield the rows of blocks that pyarrow cuts as the rule does, and where each of them ends."""
        start, rest = self._start, b""
        file.seek(start.n_bytes)
        while True:
            more = file.read(self._pieces.block_bytes)
            block = rest + more
            if not block or (start == self._start and len(block) < self._pieces.small):
                return
            end = _end_of_rows(block) if more else len(block)
            rest, block = block[end:], block[:end]
            rows = self._cut(block, names)
            if rows is None:
                return
            ends = block.count(b"\n")
            if b"\r" in block:
                ends += block.count(b"\r") - block.count(b"\r\n")
            start = _Start(start.n_bytes + len(block), start.n_lines + ends, start.n_rows + rows.n_rows)
            yield rows, start

    def _cut(self, block: bytes, names: Sequence[str]) -> _Rows | None:
        """Return the rows of a block, or None if pyarrow may not cut it as the rule does, or is not there."""
        if not _is_regular(block, self._delimiter.encode()):
            return None
        try:
            from pyarrow import ArrowInvalid, BufferReader, binary  # noqa: PLC0415  # optional
            from pyarrow import csv as arrow  # noqa: PLC0415  # the same
        except ImportError:
            return None
        every = list(
            map(str, range(len(self.header)))
        )  # names of columns that are not asked for may be twofold
        asked = {name: every[self.header.index(name)] for name in names}
        try:
            table = arrow.read_csv(
                BufferReader(block),
                read_options=arrow.ReadOptions(
                    use_threads=False, block_size=len(block) + 1, column_names=every
                ),
                parse_options=arrow.ParseOptions(delimiter=self._delimiter, newlines_in_values=True),
                convert_options=arrow.ConvertOptions(
                    column_types=dict.fromkeys(every, binary()),
                    include_columns=list(asked.values()) or every[:1],
                    null_values=[],
                ),
            )
        except ArrowInvalid:  # the rule tells what is wrong, and where
            return None
        return _Rows({name: table.column(one).chunk(0) for name, one in asked.items()}, table.num_rows)


@lru_cache
def _typed_of_kinds(kinds: int) -> Typed:
    """Return the type of a column with these kinds of cells."""
    dtype = dtype_of_kinds(kinds)
    is_text = dtype is not None and dtype.kind == "O"
    kind = None if dtype is None else "text" if is_text else "number"
    return Typed(dtype or np.dtype(object), kind, "text" if is_text else str(dtype))


def _part(rows: _Rows, names: Sequence[str], kinds: Mapping[str, int], place: Place) -> Part | None:
    """Return rows as arrays, or raise for the first row that is refused."""
    columns, wrong = dict[str, AnyArray](), list[tuple[int, str, Reading]]()
    for name in names if rows.n_rows else ():
        reading = read_cells(rows.cells[name], kinds[name])
        if isinstance(reading, Widened):
            first = None
            if reading.row is not None:
                first = place.at(reading.row), shown(reading.cell)
            raise WidenedColumn(name, reading.kinds, first)
        if reading.row is not None:
            wrong.append((reading.row, name, reading))
        columns[name] = reading.values
    if wrong:
        row, name, reading = min(wrong, key=itemgetter(0))
        error = place.error(name, reading.problem, row)
        raise DoubtfulError(str(error)) if reading.of_digits else error
    return Part(columns, place) if rows.n_rows else None


def _nullable(cells: Distinct, kinds: int, name: str) -> Any:
    """Return cells as an array of Arrow, in which blank ones are null; digits do not matter to a filter."""
    import pyarrow  # noqa: PLC0415  # a filter is its

    is_blank = np.array([not text.strip() for text in cells.texts])
    texts = [text for text in cells.texts if text.strip()]
    reading = read_cells(texts, kinds) if texts else Reading(np.zeros(0))
    if isinstance(reading, Widened):
        raise WidenedColumn(name, reading.kinds, None)
    place = np.cumsum(~is_blank) - 1  # of each text among those that are not blank
    return pyarrow.array(reading.values).take(pyarrow.array(place[cells.codes], mask=is_blank[cells.codes]))


def _raise(error: SourceError) -> NoReturn:
    raise error


def _end_of_rows(block: bytes) -> int:
    """Return where the last whole row ends: behind a newline that has an even number of quotes before it."""
    end, is_inside = len(block), block.count(b'"') % 2 == 1
    while (newline := block.rfind(b"\n", 0, end)) >= 0:
        is_inside ^= block.count(b'"', newline, end) % 2 == 1
        if not is_inside:
            return newline + 1
        end = newline
    return 0


def _is_regular(block: bytes, delimiter: bytes) -> bool:
    """Whether quotes stand around whole cells, or twice inside: every reader cuts such a block alike."""
    inside = rb"[^%b\n\r]" % delimiter
    cell = rb'(?<!%b)"[^"]*+(?:""[^"]*+)*+"(?!%b)' % (inside, inside)
    return b'"' not in block or re.fullmatch(rb'(?:[^"]*+%b)*+[^"]*+' % cell, block) is not None


def _noted(lines: io.TextIOWrapper, used: list[str]) -> Iterator[str]:
    for line in lines:
        used.append(line)
        yield line


@contextmanager
def _as_text(file: BinaryIO) -> Iterator[io.TextIOWrapper]:
    """Let a file be read as text; bytes that are not UTF-8 are kept, and refused where they are asked for."""
    text = io.TextIOWrapper(file, encoding="utf-8", errors="surrogateescape", newline="")
    try:
        yield text
    finally:
        text.detach()  # else the file would be closed with it


@contextmanager
def _cells_of_any_length() -> Iterator[None]:
    """Let cells be of any length: long text may be in a column that is not asked for."""
    with _csv:
        limit = csv.field_size_limit(2**31 - 1)
        try:
            yield
        finally:
            csv.field_size_limit(limit)

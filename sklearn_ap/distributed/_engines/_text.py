"""Files of text: cells apart by commas, semicolons or tabs, with a header, in parts of so many rows.

The module `csv` is the rule. Where pyarrow is installed, it cuts blocks of bytes into cells much faster, but
only blocks that both cut alike: all quotes stand around cells, and every row is as wide as the header. From
the first other block on, the rule reads the file; so rows and errors are the same with and without pyarrow.
"""

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, NoReturn

import numpy as np

from ..._typing import AnyArray
from .._source import Part, Place, SourceError, shown
from ._batches import Read
from ._cells import Cells, Reading, Widened, as_list, is_utf8, read_cells
from ._content import Content

if TYPE_CHECKING:  # pyarrow is optional
    from pyarrow import Array


_BLOCK_BYTES = 2**22  # that are cut into cells at once
_CHUNK_ROWS = 2**10  # that are cut at once by the rule: many lists at a time keep the garbage collector busy
_SMALL = 2**15  # bytes below which a call of pyarrow costs more than it saves
_PEEK_ROWS = 200  # that the types of columns are assumed from
_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_BOM = b"\xef\xbb\xbf"


class _Start(NamedTuple):
    """Where rows begin that are not read yet."""

    n_bytes: int
    n_lines: int
    n_rows: int


class _CellsOfRows(NamedTuple):
    """Some rows, as one list or array of cells per column; or as what was read of these cells."""

    columns: Sequence[Cells | Reading | Widened]
    n_rows: int


Kept = Callable[[Sequence[Cells], int], Any]  # takes the cells of columns, and how many rows there are


class Pieces(NamedTuple):
    """How large the pieces are in which a file is read; no value depends on them, and no error."""

    part_rows: int
    block_bytes: int = _BLOCK_BYTES
    small: int = _SMALL
    by_rule: bool = False  # whether pyarrow is left out


PIECES = Pieces(2**20)


class WidenedColumn(Exception):  # noqa: N818  # it is raised where a type is too narrow, and no error
    """A column needs a wider type, and `first` is the first cell that makes it text."""

    def __init__(self, name: str, kinds: int, first: tuple[Place, str] | None) -> None:
        super().__init__(name)
        self.name, self.kinds, self.first = name, kinds, first


class DoubtfulError(SourceError):
    """An error that holds unless a later row makes a column text, as that of a number of too many digits."""


class TextFile:
    """A file of text; the caller knows the kinds of cells in each column, which depend on all files."""

    def __init__(self, content: Content, names: Sequence[str], pieces: Pieces) -> None:
        self.name, self._content, self._pieces = content.name, content, pieces
        headers: dict[str, tuple[list[str], _Start]] = {}
        errors: dict[str, SourceError] = {}
        with content.opened() as file:
            for delimiter in _DELIMITERS:
                try:
                    headers[delimiter] = self._header(file, delimiter)
                except SourceError as error:
                    errors[delimiter] = error
        self._delimiter = self._fitting({one: header for one, (header, _) in headers.items()}, names)
        if self._delimiter in errors:
            raise errors[self._delimiter]
        self.header, self._start = headers[self._delimiter]
        if not self.header:
            raise SourceError(f"{self.name}: is empty")
        if not set(names) <= set(self.header) and not is_utf8("".join(self.header)):
            raise SourceError(f"{self.name}: is not UTF-8 text")

    def _header(self, file: BinaryIO, delimiter: str) -> tuple[list[str], _Start]:
        """Return the names of the columns, and where the rows begin."""
        file.seek(0)
        n_bytes = len(_BOM) if file.read(len(_BOM)) == _BOM else 0
        file.seek(n_bytes)
        used: list[str] = []
        with _as_text(file) as lines, _cells_of_any_length():
            reader = csv.reader(_noted(lines, used), strict=True, delimiter=delimiter)
            try:
                header = next((row for row in reader if row), [])
            except csv.Error as error:
                raise SourceError(f"{self.name}: the header, up to line {reader.line_num}: {error}") from None
        n_bytes += len("".join(used).encode("utf-8", "surrogateescape"))
        return [name.strip() for name in header], _Start(n_bytes, reader.line_num, 0)

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
        return max(headers, key=lambda one: len(headers[one])) if headers.get(",") else ","

    def peek(self) -> list[list[str]]:
        """Return the cells of the first rows, column by column; none without rows."""
        with self._content.opened() as file:
            for rows in self._by_rule(file, range(len(self.header)), self._start, _PEEK_ROWS):
                if isinstance(rows, _CellsOfRows):
                    return [list(cells) for cells in rows.columns if isinstance(cells, list)]
                break  # an error, which a scan raises too
        return []

    def reads(
        self, columns: Sequence[str], kinds: Mapping[str, int], n_asked: int, kept: Kept | None = None
    ) -> Iterator[Read]:
        """Yield what reads the parts, as columns with these kinds of cells.

        `kept` tells which rows count by the cells of all columns; the first `n_asked` columns are read.
        """
        names, held = columns[:n_asked], list[_CellsOfRows]()
        n_held, first_row = 0, self._start.n_rows
        places = [self.header.index(name) for name in columns]
        known = None if kept or not names else [kinds[name] for name in names]
        for rows in self._rows(places, known):
            if isinstance(rows, SourceError):
                yield partial(self._part, held, names, kinds, first_row)
                yield partial(_raise, rows)
                return
            held.append(_counted_rows(rows, kept) if kept else rows)
            n_held += rows.n_rows
            if n_held >= self._pieces.part_rows:
                yield partial(self._part, held, names, kinds, first_row)
                held, n_held, first_row = [], 0, first_row + n_held
        yield partial(self._part, held, names, kinds, first_row)

    def _part(
        self, held: list[_CellsOfRows], names: Sequence[str], kinds: Mapping[str, int], first_row: int
    ) -> Part | None:
        """Return rows as arrays, or raise for the first row that is refused."""
        if not any(rows.n_rows for rows in held):
            return None
        place, columns = Place(self.name, first_row), dict[str, AnyArray]()
        wrong: list[tuple[int, str, Reading]] = []
        if not names:  # only how many rows there are
            columns[""] = np.zeros(sum(rows.n_rows for rows in held), dtype=bool)
        for number, name in enumerate(names):
            arrays, before = [], 0
            for rows in held:
                reading = _reading(rows.columns[number], kinds[name])
                if isinstance(reading, Widened):
                    row = None if reading.row is None else before + reading.row
                    first = None if row is None else (Place(self.name, first_row + row), shown(reading.cell))
                    raise WidenedColumn(name, reading.kinds, first)
                if reading.row is not None:
                    wrong.append((before + reading.row, name, reading))
                    break
                arrays.append(reading.values)
                before += rows.n_rows
            else:
                columns[name] = arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
        if wrong:
            row, name, reading = min(wrong, key=itemgetter(0))
            error = place.error(name, reading.problem, row)
            raise DoubtfulError(str(error)) if reading.of_digits else error
        return Part(columns, place)

    def _rows(
        self, places: Sequence[int], kinds: Sequence[int] | None
    ) -> "Iterator[_CellsOfRows | SourceError]":
        """Yield rows, block by block, and an error in place of those that cannot be cut into cells."""
        start = self._start
        with self._content.opened() as file:
            for rows, start in self._fast(file, places):  # noqa: B007  # the rule goes on from there
                if rows.n_rows:
                    yield rows
            n_rows = min(_CHUNK_ROWS, self._pieces.part_rows)
            for chunk in self._by_rule(file, places, start, n_rows):
                if (
                    isinstance(chunk, _CellsOfRows) and kinds is not None
                ):  # at once, since text takes much memory
                    read = [_reading(cells, one) for cells, one in zip(chunk.columns, kinds, strict=True)]
                    yield _CellsOfRows(read, chunk.n_rows)
                else:
                    yield chunk

    def _by_rule(
        self, file: BinaryIO, places: Sequence[int], start: _Start, n_rows: int
    ) -> "Iterator[_CellsOfRows | SourceError]":
        """Yield up to so many rows at a time, as the module `csv` cuts them; a blank line is not a row."""
        file.seek(start.n_bytes)
        before, width = start.n_rows, len(self.header)
        with _as_text(file) as lines:
            # Strict: otherwise an open quote swallows the rest of the file.
            reader = csv.reader(lines, strict=True, delimiter=self._delimiter)
            is_last = False
            while not is_last:
                held: list[list[str]] = []
                error = None
                try:
                    with _cells_of_any_length():
                        held.extend(islice(reader, n_rows))
                except csv.Error as found:
                    error = str(found)
                is_last = len(held) < n_rows
                rows, wrong = held, None
                if set(map(len, held)) != {width}:
                    rows = [row for row in held if row]
                    wrong = next((at for at, row in enumerate(rows) if len(row) != width), None)
                good = rows[:wrong]
                if good:
                    yield _CellsOfRows([list(map(itemgetter(place), good)) for place in places], len(good))
                before += len(good)
                if wrong is not None:
                    n = len(rows[wrong])
                    has = f"row {before + 1} has {n} field{'s' * (n != 1)}"
                    yield SourceError(f"{self.name}: {has}, but the header has {width}")
                    return
                if error:
                    line = start.n_lines + reader.line_num
                    yield SourceError(f"{self.name}: row {before + 1}, up to line {line}: {error}")
                    return

    def _fast(self, file: BinaryIO, places: Sequence[int]) -> Iterator[tuple[_CellsOfRows, _Start]]:
        """Yield the rows of blocks that pyarrow cuts as the rule does, and where each of them ends."""
        start, rest = self._start, b""
        file.seek(start.n_bytes)
        while True:
            more = file.read(self._pieces.block_bytes)
            block = rest + more
            is_small = not more and start == self._start and len(block) < self._pieces.small
            if not block or self._pieces.by_rule or is_small:
                return
            end = _end_of_rows(block, self._delimiter.encode(), is_last=not more)
            if end is None or (end == 0 and len(block) > 8 * _BLOCK_BYTES):
                return
            rest, block = block[end:], block[:end]
            cut = self._cut(block, places) if block else _CellsOfRows([], 0)
            if cut is None:
                return
            ends = block.count(b"\n")
            if b"\r" in block:
                ends += block.count(b"\r") - block.count(b"\r\n")
            start = _Start(start.n_bytes + len(block), start.n_lines + ends, start.n_rows + cut.n_rows)
            yield cut, start
            if not more:
                return

    def _cut(self, block: bytes, places: Sequence[int]) -> _CellsOfRows | None:
        """Return the rows of a block, or None if pyarrow refuses it or is not installed."""
        if not block.strip():
            return _CellsOfRows([], 0)
        try:
            from pyarrow import ArrowInvalid, BufferReader, binary  # noqa: PLC0415  # optional
            from pyarrow import csv as arrow  # noqa: PLC0415  # the same
        except ImportError:
            return None
        every = list(map(str, range(len(self.header))))
        asked = [every[place] for place in places]
        try:
            table = arrow.read_csv(
                BufferReader(block),
                read_options=arrow.ReadOptions(
                    use_threads=False, block_size=len(block) + 1, column_names=every
                ),
                parse_options=arrow.ParseOptions(delimiter=self._delimiter, newlines_in_values=True),
                convert_options=arrow.ConvertOptions(
                    column_types=dict.fromkeys(every, binary()), include_columns=asked, null_values=[]
                ),
            )
        except ArrowInvalid:  # the rule tells what is wrong, and where
            return None
        return _CellsOfRows([_one_chunk(table.column(name)) for name in asked], table.num_rows)


def _one_chunk(column: Any) -> "Array":
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _reading(cells: Cells | Reading | Widened, kinds: int) -> Reading | Widened:
    """Return what is read of cells, now or before."""
    if isinstance(cells, Reading | Widened):
        return cells
    try:
        return read_cells(cells, kinds)
    except Widened as widened:
        return widened


def _counted_rows(rows: _CellsOfRows, kept: Kept) -> _CellsOfRows:
    """Return the rows that count, as lists of cells."""
    cells = [one if isinstance(one, list) else as_list(one) for one in rows.columns]
    chosen = kept(cells, rows.n_rows).tolist()
    return _CellsOfRows([[one[row] for row in chosen] for one in cells], len(chosen))


def nullable(cells: list[str], kinds: int, name: str) -> Any:
    """Return cells as an array of Arrow, in which blank ones are null; digits do not matter to a filter."""
    import pyarrow  # noqa: PLC0415  # a filter is its

    rows = [row for row, cell in enumerate(cells) if cell.strip()]
    reading = _reading([cells[row] for row in rows], kinds) if rows else Reading(np.zeros(0))
    if isinstance(reading, Widened):
        raise WidenedColumn(name, reading.kinds, None)
    places = np.full(len(cells), -1)
    places[rows] = np.arange(len(rows))
    return pyarrow.array(reading.values).take(pyarrow.array(places, mask=places < 0))


def _raise(error: SourceError) -> NoReturn:
    raise error


def _end_of_rows(block: bytes, delimiter: bytes, *, is_last: bool) -> int | None:
    """Return where the last whole row of a block ends, or None if its quotes do not all stand around cells.

    Inside a cell in quotes there is an odd number of quotes before a byte, if all cells before were regular:
    each opens where a cell begins and closes where a cell ends, and a quote in between is written twice. Then
    every reader cuts the block alike; of other quotes, each makes something else.
    """
    if b'"' not in block:
        return len(block) if is_last else block.rfind(b"\n") + 1
    data = np.frombuffer(block, np.uint8)
    quotes = np.flatnonzero(data == ord('"'))
    end = len(block)
    if not is_last:
        lines = np.flatnonzero(data == ord("\n"))
        outside = lines[np.searchsorted(quotes, lines) % 2 == 0]
        end = int(outside[-1]) + 1 if outside.size else 0
        quotes = quotes[quotes < end]
    borders = np.isin(np.arange(256), list(delimiter + b"\n\r"))
    is_first = np.diff(quotes, prepend=-2) > 1  # of a run of quotes
    first = np.flatnonzero(is_first)
    length = np.diff(np.append(first, quotes.size))
    at = quotes[first]
    after = at + length
    begins = (at == 0) | borders[data[at - 1]]
    ends = (after == end) | borders[data[np.minimum(after, len(block) - 1)]]
    inside = first % 2 == 1
    opens = ~inside & begins & ((length % 2 == 1) | ends)
    closes = inside & ((length % 2 == 0) | ends)
    return end if (opens | closes).all() and quotes.size % 2 == 0 else None


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
    limit = csv.field_size_limit(2**31 - 1)
    try:
        yield
    finally:
        csv.field_size_limit(limit)

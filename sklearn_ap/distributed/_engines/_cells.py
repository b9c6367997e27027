"""Cells of text as arrays: the type of a column is the narrowest that holds every cell of all files.

A column is of integers (int64 or uint64), of numbers (float64), of booleans (the words true and false), or of
text. Blank cells have no type; they are refused. A reader assumes the type of the rows so far, and `Widened`
tells it that a later row needs another one.

`_by_rule` is the rule, for each distinct cell. `_cast` gives the same numbers from the bytes of Arrow, for
those cells alone that both read alike.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..._typing import AnyArray, IntArray
from .._numerals import EXACT_DIGITS, float_problem, is_integer, is_number, is_plain
from .._source import shown

if TYPE_CHECKING:  # pyarrow is optional
    from pyarrow import Array


# What kinds of cells a column holds, as bits.
INTEGER, _NEGATIVE, _LARGE, _NUMBER, _WORD, TEXT = (1 << bit for bit in range(6))
_WORDS = {"true": True, "false": False}
_INT_BYTES, _FLOAT_BYTES = b"0123456789-", b"0123456789+-.eE"
_EXACT_INTEGERS = 2.0**53  # below it, float64 holds every one
_SAMPLE = 1000  # cells that tell whether a column has few distinct ones
_HEAD = 6  # bytes of a long number, such as -0.000, among which sign, point and first zeros are not digits
_LEADS = np.isin(np.arange(256), list(b"+-.0"))


class Distinct(NamedTuple):
    """Cells as distinct texts, in the order of their first rows, and the number of each row's own."""

    texts: list[str]
    codes: IntArray


Cells = Any  # a list of text, an array of bytes of Arrow, or `Distinct`


class Widened(NamedTuple):
    """Cells that the type of a column does not hold: all their kinds, and the first row that is no number."""

    kinds: int
    row: int | None
    cell: str


class Reading(NamedTuple):
    """The array of some cells, and the first row that is refused, with the end of its error."""

    values: AnyArray
    row: int | None = None
    problem: str = ""
    of_digits: bool = False  # whether the row is refused as a number, and were accepted as text


def dtype_of_kinds(kinds: int) -> np.dtype[Any] | None:
    """Return the type of the array of a column that holds such cells; None without a cell."""
    if kinds == 0:
        return None
    if kinds & TEXT or (kinds & _WORD and kinds != _WORD):
        return np.dtype(object)
    if kinds & _WORD:
        return np.dtype(bool)
    if kinds & _NUMBER or (kinds & _LARGE and kinds & _NEGATIVE):
        return np.dtype(np.float64)
    return np.dtype(np.uint64 if kinds & _LARGE else np.int64)


def kinds_of(cells: Sequence[str]) -> int:
    """Return what kinds of cells there are; blank ones are of no kind."""
    kinds = 0
    for cell in cells:
        if is_integer(cell):
            number = int(cell)
            kinds |= INTEGER if number >= 0 else INTEGER | _NEGATIVE
            if not -(2**63) <= number < 2**63:
                kinds |= _LARGE if 0 <= number < 2**64 else _NUMBER
        elif is_number(cell):
            kinds |= _NUMBER
        elif _word(cell) is not None:
            kinds |= _WORD
        elif cell.strip():
            return kinds | TEXT
    return kinds


def first_text(cells: Sequence[str]) -> tuple[int | None, str]:
    """Return the first row that is neither blank nor a number, and its cell."""
    found = ((row, cell) for row, cell in enumerate(cells) if cell.strip() and not is_number(cell))
    return next(found, (None, ""))


def read_cells(cells: Cells, kinds: int) -> Reading | Widened:
    """Return the array of a column with these kinds of cells, or which kinds it has."""
    dtype = dtype_of_kinds(kinds)
    is_arrow = not isinstance(cells, list | Distinct)
    fast = _cast(cells, dtype) if is_arrow and dtype is not None and dtype.kind in "iuf" else None
    if fast is not None:
        return fast
    if dtype == np.float64 and isinstance(cells, list) and 2 * len(set(cells[:_SAMPLE])) > _SAMPLE:
        texts, codes = Distinct(
            cells, np.arange(len(cells))
        )  # mostly distinct: looking for others costs more
    else:
        texts, codes = distinct_cells(cells)
    found = _by_rule(texts, kinds)
    row = None if found.row is None else int(np.argmax(codes == found.row))
    if isinstance(found, Reading):
        values = found.values[codes] if len(found.values) == len(texts) else found.values
        return found._replace(values=values, row=row)
    return found._replace(row=row)


def distinct_cells(cells: Cells) -> Distinct:
    """Return cells as distinct texts; bytes that are not UTF-8 stand in them as surrogates."""
    if isinstance(cells, Distinct):
        return cells
    if isinstance(cells, list):
        code = {cell: number for number, cell in enumerate(dict.fromkeys(cells))}
        return Distinct(list(code), np.fromiter(map(code.__getitem__, cells), np.intp, len(cells)))
    encoded = cells.dictionary_encode()
    return Distinct(as_list(encoded.dictionary), encoded.indices.to_numpy(zero_copy_only=False))


def as_list(cells: "Array") -> list[str]:
    """Return cells of Arrow as text."""
    return [one.decode("utf-8", "surrogateescape") for one in cells.to_pylist()]


def _by_rule(cells: list[str], kinds: int) -> Reading | Widened:
    """Return distinct cells as an array; where one is blank, only the refusal counts."""
    dtype = dtype_of_kinds(kinds)
    reading = None if dtype is None else _of_type(cells, dtype)
    if reading is not None:
        return reading
    found = kinds | kinds_of(cells)
    if dtype_of_kinds(found) != dtype:
        return Widened(found, *first_text(cells))
    blank = next(number for number, cell in enumerate(cells) if not cell.strip())
    before = _of_type(cells[:blank], dtype or np.dtype(object))
    assert before is not None, cells[:3]  # all others are of the kinds
    return Reading(before.values, blank, "no value") if before.row is None else before


def _of_type(cells: list[str], dtype: np.dtype[Any]) -> Reading | None:
    """Return cells as an array, or None if the type does not hold all of them; blank ones have no type."""
    if dtype.kind == "O":
        return _texts(cells)
    if dtype.kind == "f":
        return _floats(cells)
    if dtype.kind == "b":
        words = [_word(cell) for cell in cells]
        return None if None in words else Reading(np.array(words, dtype=bool))
    if not all(map(is_integer, cells)):
        return None
    numbers, limits = list(map(int, cells)), np.iinfo(dtype)
    if numbers and not (limits.min <= min(numbers) and max(numbers) <= limits.max):
        return None
    return Reading(np.array(numbers, dtype=dtype))


def _texts(cells: list[str]) -> Reading:
    """Return text, and tell the first one that is blank or is not UTF-8."""
    values = np.array(cells, dtype=object)
    row = next((row for row, cell in enumerate(cells) if not cell.strip() or not is_utf8(cell)), None)
    if row is None:
        return Reading(values)
    return Reading(
        values, row, f"{shown(cells[row])} is not UTF-8 text" if cells[row].strip() else "no value"
    )


def _floats(cells: list[str]) -> Reading | None:
    """Return numbers, and tell the first one whose digits float64 does not hold."""
    odd = [cell for cell in cells if not is_plain(cell)]
    if not all(map(is_number, odd)):
        return None
    values = np.fromiter(map(float, cells), np.float64, len(cells))
    for cell in odd:
        if problem := float_problem(cell):
            return Reading(values, cells.index(cell), f"{shown(cell)} {problem}", of_digits=True)
    return Reading(values)


def _word(cell: str) -> bool | None:
    return _WORDS.get(cell.strip(" \t").lower())


def is_utf8(text: str) -> bool:
    """Whether all bytes were decoded; the others stand in the text as surrogates, which do not encode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _cast(cells: "Array", dtype: np.dtype[Any]) -> Reading | None:
    """Return numbers where Arrow reads all cells by the same rule, or None."""
    import pyarrow  # noqa: PLC0415  # imported already if cells are its

    _, offsets, held = cells.buffers()
    if held is None:  # all cells are blank
        return None
    ends = np.frombuffer(offsets, np.int32)[cells.offset : cells.offset + len(cells) + 1]
    data, starts, lengths = np.frombuffer(held, np.uint8), ends[:-1], np.diff(ends)
    own = data[ends[0] : ends[-1]].tobytes()
    if own.translate(None, _FLOAT_BYTES if dtype.kind == "f" else _INT_BYTES):
        return None
    try:
        numbers = cells.view(pyarrow.string()).cast(pyarrow.from_numpy_dtype(dtype))
    except pyarrow.ArrowInvalid:
        return None
    values: AnyArray = numbers.to_numpy(zero_copy_only=False)
    if dtype.kind != "f":
        return Reading(values)
    size, digits = np.abs(values), _digits(data, starts, lengths)
    doubtful = (digits > EXACT_DIGITS) | (size >= _EXACT_INTEGERS)
    doubtful |= (size == 0) & (digits > 4)  # 1e-400 is the shortest that is nearer to 0 than floats
    rows = np.flatnonzero(doubtful)
    taken = cells.take(pyarrow.array(rows)).cast(pyarrow.binary())
    reading = _floats(as_list(taken)) if rows.size else None
    if reading is None or reading.row is None:
        return Reading(values)
    return reading._replace(values=values, row=int(rows[reading.row]))


def _digits(data: AnyArray, starts: AnyArray, lengths: AnyArray) -> AnyArray:
    """Return at least the number of digits of each cell: its bytes without sign, point and first zeros."""
    digits = lengths.copy()
    long = np.flatnonzero(lengths > EXACT_DIGITS)
    is_lead = np.ones(long.size, dtype=bool)
    for place in range(_HEAD):
        byte = data[starts[long] + place]
        is_lead &= _LEADS[byte]
        digits[long] -= is_lead | (byte == ord("."))
        left = digits[long] > EXACT_DIGITS
        long, is_lead = long[left], is_lead[left]
    return digits

"""Cells of text as arrays: the type of a column is the narrowest that holds every cell of all files.

A column is of integers (int64 or uint64), of numbers (float64), of booleans (the words true and false), or of
text. Blank cells have no type; they are refused. A reader assumes the type of the rows so far, and `Widened`
tells it that a later row needs another one.

`_by_rule` is the rule, cell by cell. `_fast` gives the same arrays from the bytes of Arrow, for
those cells alone that both read alike; it leaves all others to the rule.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..._typing import AnyArray, BoolArray
from .._numerals import EXACT_DIGITS, float_problem, is_integer, is_number, is_plain
from .._source import shown

if TYPE_CHECKING:  # pyarrow is optional
    from pyarrow import Array


# What kinds of cells a column holds, as bits.
_INTEGER, _NEGATIVE, _LARGE, _NUMBER, _WORD, _TEXT = (1 << bit for bit in range(6))
_WORDS = {"true": True, "false": False}
_INT_BYTES, _FLOAT_BYTES = b"0123456789-", b"0123456789+-.eE"
_EXACT_INTEGERS = 2.0**53  # below it, float64 holds every one
_SAMPLE = 1000  # cells that tell whether a column has few distinct ones

Cells = Any  # a list of text, or an array of bytes of Arrow


class Widened(Exception):  # noqa: N818  # it is raised where a type is too narrow, and no error
    """Cells that the type of a column does not hold: all their kinds, and the first row that is no number."""

    def __init__(self, kinds: int, row: int | None, cell: str) -> None:
        super().__init__(kinds)
        self.kinds, self.row, self.cell = kinds, row, cell


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
    if kinds & _TEXT or (kinds & _WORD and kinds != _WORD):
        return np.dtype(object)
    if kinds & _WORD:
        return np.dtype(bool)
    if kinds & _NUMBER or (kinds & _LARGE and kinds & _NEGATIVE):
        return np.dtype(np.float64)
    return np.dtype(np.uint64 if kinds & _LARGE else np.int64)


def kinds_of(cells: Sequence[str]) -> int:
    """Return what kinds of cells there are; blank ones are of no kind."""
    kinds = 0
    for cell in set(cells):
        if is_integer(cell):
            number = int(cell)
            kinds |= _INTEGER if number >= 0 else _INTEGER | _NEGATIVE
            if not -(2**63) <= number < 2**63:
                kinds |= _LARGE if 0 <= number < 2**64 else _NUMBER
        elif is_number(cell):
            kinds |= _NUMBER
        elif _word(cell) is not None:
            kinds |= _WORD
        elif cell.strip():
            return kinds | _TEXT
    return kinds


def first_text(cells: Sequence[str]) -> tuple[int | None, str]:
    """Return the first row that is neither blank nor a number, and its cell."""
    found = ((row, cell) for row, cell in enumerate(cells) if cell.strip() and not is_number(cell))
    return next(found, (None, ""))


def read_cells(cells: Cells, kinds: int) -> Reading:
    """Return the array of a column with these kinds of cells, or raise Widened."""
    dtype = dtype_of_kinds(kinds)
    reading = None
    if not isinstance(cells, list):
        reading = None if dtype is None else _fast(cells, dtype)
        cells = cells if reading else as_list(cells)
    if dtype is not None and reading is None:
        reading = _by_rule(cells, dtype)
    return reading or _read_odd(cells, kinds)


def as_list(cells: "Array") -> list[str]:
    """Return cells of Arrow as text, in which bytes that are not UTF-8 stand as surrogates."""
    return [one.decode("utf-8", "surrogateescape") for one in cells.to_pylist()]


def _read_odd(cells: list[str], kinds: int) -> Reading:
    """Raise Widened, or tell the first row without value."""
    blank = next((row for row, cell in enumerate(cells) if not cell.strip()), None)
    found = kinds | kinds_of(cells)
    if dtype_of_kinds(found) != dtype_of_kinds(kinds):
        raise Widened(found, *first_text(cells))
    assert blank is not None, cells[:3]  # all others are of the kinds
    dtype = dtype_of_kinds(kinds) or np.dtype(object)
    before = _by_rule(cells[:blank], dtype)
    assert before is not None, cells[:3]
    return Reading(before.values, blank, "no value") if before.row is None else before


def _by_rule(cells: list[str], dtype: np.dtype[Any]) -> Reading | None:
    """Return cells as an array, or None if the type does not hold all of them; blank ones have no type."""
    if dtype.kind in "iub" or (dtype.kind == "f" and _are_few(cells)):  # each distinct cell is read once
        distinct = list(set(cells))
        values = _floats(distinct) if dtype.kind == "f" else _exact(distinct, dtype)
        if values is None or values.row is not None:
            return values and _floats(cells)
        table = dict(zip(distinct, values.values.tolist(), strict=True))
        return Reading(np.fromiter(map(table.__getitem__, cells), dtype, len(cells)))
    if dtype.kind == "f":
        return _floats(cells)
    same: dict[str, str] = {}
    texts = np.empty(len(cells), dtype=object)
    texts[:] = [same.setdefault(cell, cell) for cell in cells]  # one object per text, not one per row
    return _checked_text(texts)


def _are_few(cells: list[str]) -> bool:
    sample = cells[:_SAMPLE]
    return 2 * len(set(sample)) < len(sample)


def _exact(cells: list[str], dtype: np.dtype[Any]) -> Reading | None:
    """Return integers or booleans."""
    if dtype.kind == "b":
        words = [_word(cell) for cell in cells]
        return None if None in words else Reading(np.array(words, dtype=bool))
    if not all(map(is_integer, cells)):
        return None
    numbers, limits = list(map(int, cells)), np.iinfo(dtype)
    if numbers and not (limits.min <= min(numbers) and max(numbers) <= limits.max):
        return None
    return Reading(np.array(numbers, dtype=dtype))


def _floats(cells: list[str]) -> Reading | None:
    """Return numbers, and tell the first one whose digits float64 does not hold."""
    odd = {cell for cell in cells if not is_plain(cell)}
    if not all(map(is_number, odd)):
        return None
    values = np.fromiter(map(float, cells), np.float64, len(cells))
    problems = {cell: problem for cell in odd if (problem := float_problem(cell))}
    row = next((row for row, cell in enumerate(cells) if cell in problems), None) if problems else None
    if row is None:
        return Reading(values)
    return Reading(values, row, f"{shown(cells[row])} {problems[cells[row]]}", of_digits=True)


def _word(cell: str) -> bool | None:
    return _WORDS.get(cell.strip(" \t").lower())


def _checked_text(values: AnyArray) -> Reading:
    """Tell the first text that is blank or is not UTF-8."""
    wrong = {one for one in set(values.tolist()) if not one.strip() or not is_utf8(one)}
    if not wrong:
        return Reading(values)
    row = next(row for row, one in enumerate(values) if one in wrong)
    return Reading(
        values, row, f"{shown(values[row])} is not UTF-8 text" if values[row].strip() else "no value"
    )


def is_utf8(text: str) -> bool:
    """Whether all bytes were decoded; the others stand in the text as surrogates, which do not encode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def of_numerals(texts: list[str]) -> Reading:
    """Return the floats of numbers that are written as text, as those of a column of decimals."""
    reading = _floats(texts)
    assert reading is not None, texts[:3]
    return reading


def _refuse_lost_digits(values: AnyArray, cells: "Array") -> Reading:
    """Tell the first number whose digits float64 does not hold."""
    rows = np.flatnonzero(_doubtful(values, _digits(cells)))
    reading = _floats(as_list(cells.take(rows))) if rows.size else None
    if reading is None or reading.row is None:
        return Reading(values)
    return reading._replace(values=values, row=int(rows[reading.row]))


def _doubtful(values: AnyArray, digits: AnyArray) -> BoolArray:
    """Return which numbers have to be compared with their digits, of which there are at most so many."""
    size = np.abs(values)
    doubtful: BoolArray = (digits > EXACT_DIGITS) | (size >= _EXACT_INTEGERS)
    doubtful |= (size == 0) & (digits > 4)  # 1e-400 is the shortest that is nearer to 0 than floats
    return doubtful


def _digits(cells: "Array") -> AnyArray:
    """Return at least the number of digits of each cell: its bytes but for a sign, a point and a first 0."""
    data, starts, lengths = _bytes_of(cells)
    digits = lengths.copy()
    long = np.flatnonzero(lengths > EXACT_DIGITS)
    if long.size:
        start = starts[long]
        sign = (data[start] == ord("-")) | (data[start] == ord("+"))
        first = start + sign
        point = (data[first + 1] == ord(".")) | (data[first + 2] == ord("."))
        is_share = data[first] == ord("0")
        digits[long] -= sign.astype(np.int64) + point + is_share
        for place in range(2, 5):  # zeros behind the point of a share; each cell has 18 bytes or more
            is_share &= data[first + place] == ord("0")
            digits[long] -= is_share
    return digits


def _bytes_of(cells: "Array") -> tuple[AnyArray, AnyArray, AnyArray]:
    """Return the bytes of all cells, and where each cell starts and how long it is."""
    _, offsets, data = cells.buffers()
    ends = np.frombuffer(offsets, np.int32)[cells.offset : cells.offset + len(cells) + 1].astype(np.int64)
    held = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
    return held, ends[:-1], np.diff(ends)


def _fast(cells: "Array", dtype: np.dtype[Any]) -> Reading | None:
    """Return cells of Arrow as an array where Arrow reads them by the same rule, or None."""
    import pyarrow  # noqa: PLC0415  # imported already if cells are its

    if dtype.kind == "O":
        return _fast_text(cells)
    if dtype.kind == "b":
        return None
    data, starts, lengths = _bytes_of(cells)
    if not len(cells):
        return Reading(np.zeros(0, dtype))
    own = data[starts[0] : starts[-1] + lengths[-1]].tobytes()
    if own.translate(None, _INT_BYTES if dtype.kind in "iu" else _FLOAT_BYTES):
        return None
    of_type = pyarrow.from_numpy_dtype(dtype)
    try:
        values: AnyArray = cells.view(pyarrow.string()).cast(of_type).to_numpy(zero_copy_only=False)
    except pyarrow.ArrowInvalid:
        return None
    return _refuse_lost_digits(values, cells) if dtype.kind == "f" else Reading(values)


def _fast_text(cells: "Array") -> Reading | None:
    encoded = cells.dictionary_encode()
    try:
        texts = [one.decode() for one in encoded.dictionary.to_pylist()]
    except UnicodeDecodeError:
        return None
    distinct = np.empty(len(texts), dtype=object)
    distinct[:] = texts
    return _checked_text(distinct[encoded.indices.to_numpy(zero_copy_only=False)])

"""What counts as a number in a file and on the command line, and columns of text as exact numbers.

The rule: ASCII digits with an optional sign, point and exponent, and blanks around them. Python itself also
accepts ``1_0``, ``nan`` and the digits of other scripts.
"""

import re
from decimal import Decimal

import numpy as np

from ..._typing import AnyArray
from ._column import Coded, Column

__all__ = ["NUMBER", "exact", "number_of"]

NUMBER = "finite number such as 12, -0.5 or 1e-3"

# An exponent of six digits exceeds every float, and Decimal still accepts it. No float has more than 309
# digits before its point, and int() refuses more than 4,300. Each pattern can match a digit in one way only:
# with two ways, it would take hours to refuse a cell of a million digits.
_is_number = re.compile(
    r"[ \t]*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,6})?[ \t]*"
).fullmatch
_is_integer = re.compile(r"[ \t]*[+-]?[0-9]{1,309}[ \t]*").fullmatch


def number_of(text: str) -> int | Decimal | None:
    """Return the exact number that a text spells, or None if it is not a number."""
    if _is_integer(text):
        return int(text)
    return Decimal(text) if _is_number(text) else None


def exact(column: Column) -> AnyArray:
    """Return the numbers of a text column, with the same order and the same ties as in the file.

    Integers become int64, uint64 or, beyond these, Python objects. Other numbers become float64. Only if two
    different numbers become equal float64, all numbers become objects of type Decimal.
    """
    if isinstance(column.cells, Coded):
        distinct, code = column.cells
        of_distinct: AnyArray = _exact(column, distinct)[code]
        return of_distinct
    return _exact(column, list(column.cells) if isinstance(column.cells, np.ndarray) else column.cells)


def _exact(column: Column, texts: list[str]) -> AnyArray:
    """Return the numbers of texts, which are the cells of the column or the distinct ones."""
    if not all(map(_is_number, texts)):
        column.refuse({text for text in texts if not text.strip()}, "no value")
        column.refuse({text for text in texts if not _is_number(text)}, f"{{}} is not a {NUMBER}")
    rounded = np.fromiter(map(float, texts), np.float64, len(texts))
    if np.isinf(rounded).any():
        column.refuse({texts[row] for row in np.flatnonzero(np.isinf(rounded))}, "{} is beyond every float64")
    if all(map(_is_integer, texts)):
        return _integers(texts)
    distinct = np.unique(rounded).size
    # Fewer floats than texts: either 1.0 and 1.00 are both there, or two numbers became one float. Only this
    # case pays for exact numbers, and only equal floats pay for a set of the texts.
    if distinct < len(texts) and distinct < len(set(texts)):
        decimal = {text: Decimal(text) for text in set(texts)}
        if distinct < len(set(decimal.values())):
            return np.array([decimal[text] for text in texts], dtype=object)
    return rounded


def _integers(texts: list[str]) -> AnyArray:
    numbers = list(map(int, texts))
    for dtype in (np.int64, np.uint64):
        try:
            return np.array(numbers, dtype=dtype)
        except OverflowError:
            continue
    return np.array(numbers, dtype=object)

"""What counts as a number in text, on the command line too, and which numbers float64 does not hold.

The rule: ASCII digits with an optional sign, point and exponent, and blanks around them. Python itself also
accepts ``1_0``, ``nan`` and the digits of other scripts.
"""

import re
from decimal import Decimal

import numpy as np

from .._typing import FloatArray, IntArray

NUMBER = "finite number such as 12, -0.5 or 1e-3"
EXACT_DIGITS = 17  # as many tell all floats of 64 bits apart, so programs print no more of them
UNSCALED = 2**62  # below it, decimals are ranked by their unscaled integers: by all of 18 digits

# An exponent of six digits exceeds every float, and Decimal still accepts it. No float has more than 309
# digits before its point, and int() refuses more than 4,300. Each pattern can match a digit in one way only:
# with two ways, it would take hours to refuse a cell of a million digits.
is_number = re.compile(r"[ \t]*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,6})?[ \t]*").fullmatch
# Numbers that are surely exact: at most 17 digits, integers below 2^53, and exponents far from both ends.
is_plain = re.compile(
    r"[+-]?(?:0?\.0{0,4}[0-9]{1,17}|[0-9]\.[0-9]{0,16}|[0-9]{2}\.[0-9]{0,15}|[0-9]{3,5}\.[0-9]{0,12}|[0-9]{1,15})"
    r"(?:[eE][+-]?[0-9]{1,2})?"
).fullmatch
is_integer = re.compile(r"[ \t]*[+-]?[0-9]{1,309}[ \t]*").fullmatch


def number_of(text: str) -> int | Decimal | None:
    """Return the exact number that a text spells, or None if it is not a number."""
    if is_integer(text):
        return int(text)
    return Decimal(text) if is_number(text) else None


def float_problem(numeral: str) -> str | None:
    """Return what float64 loses of a number, as the end of an error, or None if it loses nothing that counts.

    The digits of a fraction count if there are more than 17 of them, and if the float prints others in their
    place: so all that a program printed of its floats is accepted, however many digits it printed. An integer
    counts as a whole.
    """
    value = float(numeral)
    if value in (float("inf"), -float("inf")):
        return "is beyond every float64"
    mantissa = re.split("[eE]", numeral, maxsplit=1)[0]
    digits = mantissa.strip(" \t+-").replace(".", "").strip("0")  # zeros at both ends say nothing new
    if value == 0 and digits:
        return "is nearer to 0 than every float64"
    if is_integer(numeral):
        is_held = int(numeral) == int(value)
    else:
        printed = f"{abs(value):.{max(len(digits), 1) - 1}e}".partition("e")[0].replace(".", "")
        is_held = len(digits) <= EXACT_DIGITS or printed == digits
    return None if is_held else f"has more digits than float64 holds; write {value!r}, or text if it is an id"


def numbers_of_large(values: FloatArray, scale: int) -> IntArray:
    """Return decimals that are floats as integers in their order, beyond all unscaled integers."""
    steps = np.abs(values).view(np.int64) - np.float64(UNSCALED / 10**scale).view(np.int64)  # of neighbours
    numbers: IntArray = np.where(values < 0, -1, 1) * (steps + UNSCALED)
    return numbers


def decimals_of(numbers: IntArray, scale: int) -> FloatArray:
    """Return the float64 nearest to each decimal that a scan gave as an integer."""
    size, least = np.abs(numbers), np.float64(UNSCALED / 10**scale).view(np.int64)
    values: FloatArray = numbers / 10.0**scale  # rounded once if both are floats, as integers below 2**53 are
    rows = np.flatnonzero((size >= 2**53) | (scale > 22))
    values[rows] = [float(f"{one}e-{scale}") for one in numbers[rows].tolist()]
    rows = np.flatnonzero(size >= UNSCALED)
    values[rows] = np.copysign((size[rows] - UNSCALED + least).view(np.float64), numbers[rows])
    return values

"""The digits of numbers that are shown."""

from decimal import ROUND_FLOOR, Context
from math import ceil, isfinite, isnan, log10
from typing import Any

import numpy as np

from .._core.rounding import EQUAL

SIGNIFICANCE_LEVEL = 0.05  # a difference is called significant up to this p-value
LEAST_PVALUE = 1e-4  # smaller ones have no digits that a reader needs
# An end that excludes 0 and no other number, as a share of the difference.
NEXT_TO_0 = 1e-9
_MIN_DIGITS = 4  # of a threshold; more if fewer would retrieve other rows
MAX_DECIMALS = 6  # of a share; sums are rounded beyond them


def decimals_of(
    value: float, low: float, high: float, *, is_difference: bool = False
) -> int | None:
    """Return the decimals of a value with an interval: its width is five units of the
    last one, or more; None if that takes more than a share has.

    One end may be infinite; None without both. The end of a difference that is nearer
    to 0 keeps a digit, since its sign is what a reader looks for.
    """
    low, high = (0.0 if _side_of_0(value, end) else end for end in (low, high))
    reach = [abs(end - value) for end in (low, high) if isfinite(end)]
    width = sum(reach) * (3 - len(reach))
    if width < 10.0**-MAX_DECIMALS:
        return None
    if is_difference and low * high > 0:
        width = max(min(width, 5 * abs(low), 5 * abs(high)), width / 100)
    # Shares have two decimals at least; scores of other units, such as money, may have
    # none.
    return min(
        max(2 if width <= 2 or abs(value) <= 1 else 0, ceil(log10(5 / width))),
        MAX_DECIMALS,
    )


def with_decimals(decimals: int | None, *values: float) -> list[str]:
    """Return numbers of one line with equal decimals, or with four digits."""
    if decimals is None:
        return [f"{value:.4g}" for value in values]
    # -0.0 becomes 0.0; numpy's numbers would be rounded in another way
    return [f"{round(float(value), decimals) + 0.0:.{decimals}f}" for value in values]


def interval_texts(
    value: float, low: float, high: float, *, is_difference: bool = False
) -> list[str]:
    """Return a value and the ends of its interval with equal decimals; an end of a
    difference that these would round to 0 has a digit that shows its sign, or words if
    a test has put it there.
    """
    row = value, low, high
    texts = with_decimals(decimals_of(*row, is_difference=is_difference), *row)
    if not is_difference:
        return texts
    ends = zip((low, high), texts[1:], strict=True)
    texts[1:] = [_side_of_0(value, end) or with_sign(end, text) for end, text in ends]
    return texts


def _side_of_0(value: float, end: float) -> str:
    """Return on which side of 0 an end lies that excludes 0 and no other number."""
    if not 0 < abs(end) <= 2 * NEXT_TO_0 * abs(value):
        return ""
    return "just above 0" if end > 0 else "just below 0"


def with_sign(value: float, text: str) -> str:
    """Return the text of a number, or its first digit if the text rounds it to 0."""
    if abs(value) <= EQUAL or isnan(value) or float(text):
        return text
    return f"{value:.1g}"


def part_of(*values: Any) -> str:
    """Return a part and the whole with separators of thousands: large ones whole,
    others to four digits.
    """
    return " of ".join(
        f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}" for value in values
    )


def format_pvalue(pvalue: float, level: float = SIGNIFICANCE_LEVEL) -> str:
    """Return a p-value with its sign of equality, or the least that is shown; it has
    two digits, or the fewest more that show on which side of the level it lies.
    """
    least = min(LEAST_PVALUE, level)
    if pvalue < least:
        return f"< {least:g}"
    for digits in range(2, 17):
        text = f"{pvalue:.{digits}g}"
        if np.sign(float(text) - level) == np.sign(pvalue - level):
            return f"= {text}"
    return f"= {float(pvalue)!r}"


def opposite(text: str) -> str:
    """Return a number in digits, with the other sign; 0 has none."""
    if not float(text):
        return text
    return f"-{text}".removeprefix("--")


def short_threshold(threshold: float, next_score: float, dtype: np.dtype[Any]) -> str:
    """Return the shortest decimal, rounded down, that is above the next lower score in
    the type of scores.
    """
    threshold += 0  # -0.0 becomes 0.0; both are equal
    if isinstance(threshold, float):
        for digits in range(_MIN_DIGITS, 17):
            decimal = float(
                Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(
                    repr(threshold)
                )
            )
            # numpy compares it in the type of the scores
            if dtype.type(decimal) > next_score:
                return str(decimal)
    return str(threshold)

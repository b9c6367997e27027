"""The digits with which numbers, intervals and p-values are shown."""

from collections.abc import Sequence
from decimal import ROUND_FLOOR, Context
from math import ceil, floor, isnan, log10
from typing import NamedTuple

import numpy as np

from .._core.rounding import EQUAL, NEXT_TO_0

# A p-value is shown with the digits that tell on which side of this level it is.
_SIGNIFICANCE_LEVEL = 0.05
# Smaller p-values are shown as "< 0.0001": more digits do not help a reader.
LEAST_PVALUE = 1e-4
# A threshold is shown with at least this number of digits, and with more if it would
# otherwise retrieve other rows.
_MIN_DIGITS = 4
# Numbers are shown with at most six decimals, since further digits of a sum may be
# rounding errors.
MAX_DECIMALS = 6
_NEXT_TO_0_TEXT = "0 (excluded)"


class WithInterval(NamedTuple):
    """A number with its interval. All three are shown with one number of decimals: the
    larger one that a rule requires, and at most six. So the width decides how many
    digits a reader can rely on, in a table, too.

    - *Width*: the width of the interval is at least five units of the last decimal.
      Without an interval, the number has four significant digits.
    - *Share*: a share has two decimals or, below 0.1, two significant digits.
      A difference has two decimals.
    - *Sign*: a number of a difference that would be rounded to 0 has one significant
      digit instead, since a reader looks for the sign.
    - *Next to 0*: an endpoint that a test has moved next to 0 is shown in words.

    For example::

        share         0.5      0.48      0.52     0.500, 0.480 to 0.520
        share         0.0512   0.01      0.2      0.051, 0.010 to 0.200
        difference    0.09     0.0031    0.183    0.09, 0.003 to 0.18
        difference    0.5      0.00009   1        0.50, 9e-05 to 1.00
        difference    0.02     2e-11     0.04     0.020, 0 (excluded) to 0.040
    """

    value: float
    low: float
    high: float
    is_difference: bool = False

    @property
    def decimals(self) -> int:
        """The number of decimals."""
        width = self.high - self.low
        # Without an interval, the width is NaN.
        if not width >= 10.0**-MAX_DECIMALS:
            # As many as four significant digits have, without zeros at the end.
            return min(len(f"{self.value:.4g}".partition(".")[2]), MAX_DECIMALS)
        for_width = ceil(log10(5 / width))
        required = 2 if self.is_difference else decimals_of_share(self.value)
        return min(max(required, for_width), MAX_DECIMALS)

    def texts(self, decimals: int) -> list[str]:
        """Return the texts of the number and both endpoints."""
        numbers = self.value, self.low, self.high
        texts = with_decimals(decimals, *numbers)
        if self.is_difference:
            texts = [*map(self._with_sign, numbers, texts)]
        return texts

    def _with_sign(self, number: float, text: str) -> str:
        """Return the text of a number of a difference so that it shows the sign."""
        if self._is_next_to_0(number):
            return _NEXT_TO_0_TEXT
        # A number within a rounding error of 0 has no sign to show.
        if float(text) or abs(number) <= EQUAL:
            return text
        return f"{number:.1g}"

    def _is_next_to_0(self, endpoint: float) -> bool:
        """Return whether a test has moved an endpoint next to 0, by `NEXT_TO_0`."""
        return 0 < abs(endpoint) <= 2 * NEXT_TO_0 * abs(self.value)

    def __str__(self) -> str:
        """Return the number and its 95 % interval, if it has one."""
        text, *endpoints = self.texts(self.decimals)
        if not isnan(self.low + self.high):
            text += f", 95 % interval {' to '.join(endpoints)}"
        return text


def cells_of(rows: Sequence[WithInterval], least: int = 0) -> list[list[str]]:
    """Return the cells of two columns of a table: for each row, the texts of a number
    and of its interval, with "-" in place of NaN. All rows have one number of decimals,
    which is not below `least`.
    """
    decimals = max([least, *(row.decimals for row in rows)])
    cells = []
    for row in rows:
        text, *endpoints = row.texts(decimals)
        if isnan(row.value):
            text = "-"
        interval = " to ".join(endpoints)
        if isnan(row.low):
            interval = "-"
        cells.append([text, interval])
    return cells


def decimals_of_share(*values: float) -> int:
    """Return the number of decimals of shares: two or, with a share below 0.1, as many
    as this share needs for two significant digits.
    """
    # The first significant digit of 0.004 is its decimal 3 = -floor(log10(0.004)).
    needed = [1 - floor(log10(x)) for x in values if x > 0]
    return min(max([2, *needed]), MAX_DECIMALS)


def with_decimals(decimals: int, *values: float) -> list[str]:
    """Return the texts of numbers with this number of decimals."""
    # Adding 0.0 changes -0.0 to 0.0. `float` is necessary, since numpy rounds in
    # another way than Python.
    return [f"{round(float(value), decimals) + 0.0:.{decimals}f}" for value in values]


def share_text(share: float, *deviation: float) -> str:
    """Return a share as text, with its standard deviation if there is one. Both have
    the decimals of the share.
    """
    return " +/- ".join(with_decimals(decimals_of_share(share), share, *deviation))


def compared_texts(*scores: float, decimals: int) -> list[str]:
    """Return the texts of scores whose differences have this number of decimals. The
    scores have one decimal more. Then each printed difference is a rounding of the
    difference of the printed scores: rounding moves each score by at most half a unit
    of its last decimal, and so their difference by at most one such unit.
    """
    return with_decimals(max(decimals + 1, decimals_of_share(*scores)), *scores)


def count_text(count: float) -> str:
    """Return a number from 1000 on without decimals and with separators of thousands,
    and a smaller number with four significant digits.
    """
    return f"{count:,.0f}" if abs(count) >= 1000 else f"{count:.4g}"


def part_of(*values: float) -> str:
    """Return the text "part of whole"."""
    return " of ".join(map(count_text, values))


def short_share(value: float) -> str:
    """Return a share as text, with two significant digits of its distance from 0 or 1,
    whichever is nearer.
    """
    # Very small values, such as the chance level of 1 positive in 20 million rows, have
    # an exponent.
    if 0 < value < 10.0**-MAX_DECIMALS:
        return f"{value:.2g}"
    distance = min(value, 1 - value)
    decimals = 2
    if distance >= 10.0**-MAX_DECIMALS:
        decimals = decimals_of_share(distance)
    return f"{value:.{decimals}f}"


def format_pvalue(pvalue: float) -> str:
    """Return a p-value as text, such as "= 0.031", or "< 0.0001" if it is smaller.

    The text has the decimals of a share, or more if they are necessary to show whether
    the p-value is above or below the significance level.
    """
    if pvalue < LEAST_PVALUE:
        return f"< {LEAST_PVALUE:g}"
    decimals = decimals_of_share(pvalue)
    [text] = texts_apart([pvalue], _SIGNIFICANCE_LEVEL, decimals=decimals)
    return f"= {text}"


def texts_apart(values: Sequence[float], limit: float, *, decimals: int) -> list[str]:
    """Return numbers with this number of decimals, or with more if they are necessary
    to show which numbers are above or below a limit.
    """
    sides = np.sign(np.subtract(values, limit))
    for more in range(decimals, 17):
        texts = with_decimals(more, *values)
        shown = np.sign(np.array(texts, dtype=float) - limit)
        if np.array_equal(shown, sides, equal_nan=True):
            return texts
    return [repr(float(value)) for value in values]


def short_threshold(threshold: float, next_score: float) -> str:
    """Return the text of a threshold, rounded down to the fewest digits (at least four)
    that still retrieve the same rows. For this, the rounded threshold must be above
    `next_score`, the next lower score, in the type of `next_score`.
    """
    # Adding 0 changes -0.0 to 0.0.
    threshold += 0
    if isinstance(threshold, float):
        for digits in range(_MIN_DIGITS, 17):
            context = Context(prec=digits, rounding=ROUND_FLOOR)
            decimal = float(context.create_decimal(repr(threshold)))
            # numpy compares a decimal with a score in the type of the score, in which
            # it may be infinite.
            with np.errstate(over="ignore"):
                if decimal > next_score:
                    threshold = decimal
                    break
    # Whole numbers have no decimal point, since scores may be whole numbers that a file
    # or a model gave the type of floats.
    return str(threshold).removesuffix(".0")


def count_of(count: int, noun: str, plural: str) -> str:
    """Return a number of things in words, such as "3 queries" or "1 query"."""
    return f"{count:,} {noun if count == 1 else plural}"

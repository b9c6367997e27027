"""The numbers of a column, of Arrow or in text, in a type that represents them
exactly.
"""

import re
from contextlib import suppress

import numpy as np

from .._core.reading.fields import what_is
from .._core.reading.values import LEAST_WEIGHT, MOST_WEIGHT
from .._core.typing import AnyArray, BoolArray, FloatArray
from .._shown.sources import format_value, is_number
from .columns import Column

_is_integer_text = re.compile(r"[+-]?[0-9]+").fullmatch
# A character that no finite number in text contains.
_has_others = re.compile(r"[^0-9eE.+-]").search
_is_infinite = re.compile(r"[+-]?(inf|infinity|nan)", re.IGNORECASE).fullmatch


def finite_numbers(column: Column) -> AnyArray:
    """Return the finite numbers of a column. Raise SourceError if there are other
    values.
    """
    if column.is_text:
        return _numbers_of_text(column)
    numbers = column.array(
        f"one number per row, such as frame[{column.name!r}].astype(float), .str[-1] of "
        "lists, or pd.json_normalize(frame.to_dict('records')) of objects"
    )
    if numbers.dtype.kind not in "biuf":
        raise column.error(f"has type {numbers.dtype}; expected numbers")
    check_finite(column, numbers)
    # The engines cannot sort booleans or half floats. The code of a type begins with its
    # byte order, which has no effect.
    code = numbers.dtype.str[1:]
    dtype = {"b1": "i1", "f2": "f4"}.get(code, numbers.dtype)
    # Adding 0 turns -0.0 into 0.0, so that equal scores have equal bits.
    return np.add(numbers, 0, dtype=dtype)


def check_finite(column: Column, numbers: AnyArray) -> None:
    """Raise SourceError if one of these numbers of a column is infinite or NaN, such as
    -nan in text.
    """
    # If a number is not finite, the minimum or the maximum is not finite, either. This
    # test copies no numbers.
    if numbers.size and not (np.isfinite(numbers.min()) and np.isfinite(numbers.max())):
        first = numbers[~np.isfinite(numbers)][0]
        raise column.error(f"contains {first}; numbers must be finite")


def weights_of(column: Column | None) -> FloatArray | None:
    """Return weights or amounts, or None without a column. Raise SourceError if one of
    them is negative, or outside the range that scores in memory accept.
    """
    if column is None:
        return None
    weight: FloatArray = finite_numbers(column).astype(np.float64, copy=False)
    is_within = (weight >= LEAST_WEIGHT) & (weight <= MOST_WEIGHT)
    negative, extreme = weight[weight < 0], weight[~is_within & (weight > 0)]
    if negative.size:
        raise column.error(
            f"contains {negative[0]}, but weights and amounts must not be negative; "
            "drop rows such as refunds, or set their amounts to 0"
        )
    if extreme.size:
        raise column.error(
            f"contains {extreme[0]}, but weights and amounts must be 0 or from 2**-500 "
            "(3e-151) to 2**500 (3e150); multiply all of them by a constant"
        )
    return weight


def _numbers_of_text(column: Column) -> AnyArray:
    """Return numbers in text as float64, or as integers if float64 might round a
    number.

    Raise SourceError for other text, and if no single type represents all numbers
    exactly.
    """
    texts, decimals = column.values, column.decimals
    joined = "".join(texts.tolist())
    # One search of the joined texts is faster than a search of each text.
    has_others = _has_others(joined) is not None
    if has_others:
        texts = np.array([text.strip(" \t") for text in texts], dtype=object)
    if decimals is not None:
        texts = decimals.with_points(texts, joined)
    numbers = _as_float64(texts, checks_each=has_others)
    if numbers is None:
        wrong = next(text for text in texts if not _is_read(text))
        raise column.error(f"{format_value(wrong)} is {what_is(wrong)}")
    if decimals is not None and (problem := decimals.problem()):
        raise column.error(problem)
    check_finite(column, numbers)
    # A float64 of 2**53 may be the rounded integer 2**53 + 1, so numbers from 2**53 on
    # are read as integers if that is possible.
    large = np.abs(numbers) >= 2**53
    if large.any():
        integers = _integers(column, texts, large)
        if integers is not None:
            return integers
    return np.add(numbers, 0.0)


def _as_float64(texts: AnyArray, *, checks_each: bool) -> AnyArray | None:
    """Return texts as float64, or None if one of them is not a number.

    With `checks_each`, texts may contain characters that no finite number contains.
    numpy also reads some of these texts as numbers, such as 1_0.
    """
    if checks_each and not all(map(_is_read, texts)):
        return None
    try:
        return texts.astype(np.float64)
    except ValueError:
        return None


def _is_read(text: str) -> bool:
    """Whether a text is a number, or one of the texts inf and nan, about which
    `check_finite` raises the error.
    """
    return bool(is_number(text) or _is_infinite(text))


def _integers(column: Column, texts: AnyArray, large: BoolArray) -> AnyArray | None:
    """Return the texts as integers of 64 bits, or None if one of them is not such an
    integer, so that the caller must use float64.

    In that case, raise SourceError if float64 would round one of the `large` integers.
    """
    if all(map(_is_integer_text, texts)):
        integers = [*map(int, texts)]
        for dtype in (np.int64, np.uint64):
            # numpy raises this error if the type does not represent an integer.
            with suppress(OverflowError):
                return np.array(integers, dtype)
    for text in texts[large]:
        if _is_integer_text(text) and int(text) != int(float(text)):
            raise column.error(
                f"contains {format_value(text)}, which float64 would round; integers "
                "beyond 2**53 must fit into 64 bits, in a column without fractions"
            )
    return None

"""Scores and weights that are objects, such as decimals and missing values, or of a
type that numpy does not have. They become numbers as numpy reads them.
"""

from math import nan
from typing import Any

import numpy as np

from ..typing import AnyArray
from .errors import RefusedError
from .options import short_repr
from .values import is_missing, read_on_host

# `float` reads these, but they are not numbers.
_NOT_NUMBERS = str, bytes, np.datetime64, np.timedelta64, np.ndarray


def numbers_of(name: str, values: AnyArray) -> AnyArray:
    """Return values as numbers of numpy, with NaN for each missing value. Numbers that
    numpy does not have, such as decimals, become float64, as in a list.

    Raise ValueError if there is text, a date or another value that is not a number.
    """
    # Numpy's kind V is bfloat16 of another library, or a record of named fields.
    if values.dtype.kind == "V":
        values = np.asarray(read_on_host(name, values))
    if values.dtype.kind in "biuf":
        return values
    if values.dtype.kind == "c":
        raise RefusedError(f"{name} must contain real numbers; got {values.dtype}.")
    _check_numbers(name, values)
    numbers = np.array([nan if is_missing(value) else value for value in values.flat])
    if numbers.dtype.kind not in "biuf":
        numbers = numbers.astype(np.float64)
    return numbers.reshape(values.shape)


def _check_numbers(name: str, values: AnyArray) -> None:
    """Raise ValueError if a value is neither a number nor missing. If all of these
    values are text that `float` reads, the error recommends dtype=float; otherwise it
    shows the first other value, which would remain an error.
    """
    # Text of numpy is shown as text of Python.
    if values.dtype.kind in "UST":
        values = values.astype(object)
    texts = []
    for row, of_row in enumerate(values.reshape(len(values), -1)):
        for value in of_row:
            # Numpy warns if `float` reads an array.
            is_number = not isinstance(value, _NOT_NUMBERS) and _is_readable(value)
            if isinstance(value, str | bytes) and _is_readable(value):
                texts.append(value)
            elif not (is_number or is_missing(value)):
                raise ValueError(
                    f"{name} must contain real numbers; got {short_repr(value)} in row "
                    f"{row}."
                )
    if texts:
        raise ValueError(
            f"{name} must contain real numbers; got text such as "
            f"{short_repr(texts[0])}: pass np.asarray({name}, dtype=float)."
        )


def _is_readable(value: Any) -> bool:
    """Return whether `float` reads a value."""
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True

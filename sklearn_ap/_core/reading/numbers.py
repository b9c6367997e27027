"""Labels, scores and weights that are objects: decimals, fractions, integers beyond 64
bits. Each becomes a number of numpy that represents it exactly.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import date, timedelta
from numbers import Integral
from typing import Any

import numpy as np

from ..typing import AnyArray, FloatArray
from .errors import Refused, note_on_values
from .options import short_repr
from .values import is_missing, on_host

_TEXT_OR_DATE = (str, bytes, date, timedelta, np.datetime64, np.timedelta64)
# float64 represents every integer below this number.
_LEAST_ROUNDED = 2.0**53


def unboxed(labels: AnyArray) -> AnyArray:
    """Return labels that are objects as numbers, if Python's numbers are in them;
    otherwise unchanged.
    """
    if labels.dtype == object:
        # Numpy cannot read lists of different lengths.
        with suppress(ValueError):
            plain = np.array(labels.ravel().tolist())
            if plain.dtype.kind in "biuf" and plain.ndim == 1:
                return plain.reshape(labels.shape)
    return labels


def unrounded(values: Sequence[Any], floats: FloatArray) -> AnyArray:
    """Return the numbers of a list as objects if numpy may have rounded an integer
    among them; otherwise return `floats`.
    """
    is_large = np.abs(floats) >= _LEAST_ROUNDED
    # A check of each object takes long, so it is made only if a number is large.
    if np.count_nonzero(is_large):
        objects = np.array(values, dtype=object)
        if any(isinstance(value, Integral) for value in objects[is_large]):
            return objects
    return floats


def numbers_of(name: str, values: AnyArray) -> AnyArray:
    """Return objects, or numbers of a type that numpy does not have, as numbers of
    numpy. Raise an error if there are text, dates or missing values.
    """
    # Numpy's kind V is bfloat16 of another library, or a record of named fields.
    if values.dtype.kind == "V":
        values = np.asarray(on_host(name, values))
    if values.dtype.kind in "biuf":
        return values
    if not values.ndim or values.dtype.kind == "c":
        raise Refused(f"{name} must be an array of real numbers.")
    _check_no_text(name, values)
    if any(map(is_missing, values.flat)):
        raise Refused(f"Input {name} contains NaN.", note_on_values(values))
    # Numpy would convert its own integers to float64 to compare them with floats.
    plain: AnyArray = np.empty(values.size, dtype=object)
    plain[:] = [getattr(value, "item", lambda v=value: v)() for value in values.flat]
    plain = plain.reshape(values.shape)
    if {*map(type, plain.flat)} == {int}:
        for dtype in (np.int64, np.uint64):
            with suppress(OverflowError):
                return plain.astype(dtype)
    return _floats_of(name, plain)


def _floats_of(name: str, objects: AnyArray) -> FloatArray:
    """Return objects as float64. Raise ValueError if different objects become equal."""
    try:
        floats: FloatArray = objects.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} must contain real numbers; {error}.") from None
    # A threshold must not be above the score of its row, since `score >= threshold`
    # would then lose the row.
    floats = np.where(floats > objects, np.nextafter(floats, -np.inf), floats)
    if name != "y_score" or len(set(objects.flat)) == np.unique(floats).size:
        return floats
    raise ValueError(
        f"{name} must contain real numbers; different scores among "
        f"{short_repr(objects.tolist())} are equal as float64: to accept this, pass "
        f"np.asarray({name}, dtype=np.float64)."
    )


def _check_no_text(name: str, values: AnyArray) -> None:
    """Raise ValueError if values are text or dates. The error shows the first one that
    is not a number even if it was text.
    """
    is_object = values.dtype.kind == "O"
    texts = [
        value
        for value in (values if is_object else values.astype(object)).flat
        if not is_object or isinstance(value, _TEXT_OR_DATE)
    ]
    if not texts:
        return
    for row, fields in enumerate(values.reshape(len(values), -1).tolist()):
        for field in fields:
            if not _is_number_as_text(field):
                raise ValueError(
                    f"{name} must contain real numbers; got {short_repr(field)} in row "
                    f"{row}."
                )
    raise ValueError(
        f"{name} must contain real numbers; got text such as {short_repr(texts[0])}: "
        f"pass np.asarray({name}, dtype=float)."
    )


def _is_number_as_text(value: object) -> bool:
    """Return whether a value is a number, or text that `float` reads as a number."""
    try:
        float(value)  # type: ignore[arg-type]  # the error that it raises is the answer
    except (TypeError, ValueError):
        return False
    return True

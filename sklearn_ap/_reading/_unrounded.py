"""Scores as arrays of exactly their values: integers beyond 2**53 are not rounded to float64.

numpy rounds such integers beside floats, in lists and in frames, and scikit-learn's validators round pandas'
nullable and Arrow integers. Rankings see nothing but the order of scores, which no container may change.
"""

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._typing import AnyArray
from ._options import LARGEST


def unrounded(values: ArrayLike) -> ArrayLike:
    """Return scores as an exact array where others would round them, else as they are."""
    if isinstance(values, list | tuple):
        return _of_list(values)
    columns = _columns_of(values)
    return _of_column(values) if columns is None else _of_frame(values, columns)


def unboxed(objects: AnyArray) -> AnyArray:
    """Return an array of objects whose integers and floats are Python's, which compare exactly."""
    flat = [one.item() if isinstance(one, np.generic) else one for one in objects.flat]
    exact = np.empty(len(flat), dtype=object)
    exact[:] = flat
    return exact.reshape(objects.shape)


def _of_list(values: Sequence[Any]) -> ArrayLike:
    try:
        array = np.asarray(values)
    except ValueError:  # ragged
        return values
    if array.dtype.kind != "f" or not _is_beyond(array):
        return values
    objects = np.array(values, dtype=object)
    rounded = any(isinstance(one, Integral) and abs(int(one)) > LARGEST for one in objects.flat)
    return objects if rounded else values


def _of_column(values: Any) -> ArrayLike:
    """Return integers of pandas' extension types as numpy's; missing ones are left to be refused."""
    exact = getattr(getattr(values, "dtype", None), "numpy_dtype", None)
    if exact is None or np.dtype(exact).kind not in "iu" or values.isna().any():
        return values  # type: ignore[no-any-return]
    return np.asarray(values.to_numpy(dtype=exact))


def _of_frame(values: ArrayLike, columns: Sequence[Any]) -> ArrayLike:
    arrays = [np.asarray(_of_column(column)) for column in columns]
    kinds = {array.dtype.kind for array in arrays}
    if not kinds <= {*"biuf"} or not kinds & {*"iu"}:
        return values
    if np.result_type(*arrays).kind == "f":
        if not any(array.dtype.kind in "iu" and _is_beyond(array) for array in arrays):
            return values
        arrays = [array.astype(object) for array in arrays]
    return np.stack(arrays, axis=1)


def _columns_of(values: Any) -> Sequence[Any] | None:
    """Return the columns of a frame of pandas, polars or pyarrow; None for anything else."""
    if getattr(values, "ndim", 2) != 2:
        return None
    if hasattr(values, "iloc"):
        return [values.iloc[:, place] for place in range(values.shape[1])]
    for name in ("get_columns", "itercolumns"):  # polars; pyarrow
        if hasattr(values, name):
            return list(getattr(values, name)())
    return None


def _is_beyond(numbers: AnyArray) -> bool:
    # Equal, too: as a float, 2**53 may have been 2**53 + 1.
    return bool(numbers.size and (numbers.max() >= LARGEST or numbers.min() <= -LARGEST))

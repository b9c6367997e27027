"""The columns of a partition of Dask as arrays of numpy; missing values are refused by row."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np

from ..._typing import AnyArray
from .._source import Place, SourceError

_NUMBERS = "biufc"
_OBJECT = np.dtype(object)


def array_dtype(dtype: Any) -> np.dtype[Any] | None:
    """Return the type of the array that a column of this type becomes; None if there is none."""
    if isinstance(dtype, np.dtype):
        return _OBJECT if dtype.kind == "U" else dtype
    if hasattr(dtype, "categories"):  # they may be known on the workers only
        return _OBJECT if dtype.categories is None else array_dtype(dtype.categories.dtype)
    if _is_dictionary(dtype):
        return array_dtype(_decoded_type(dtype))
    if dtype.type in (str, Decimal, date):
        return _OBJECT
    if dtype.kind == "M" and getattr(dtype, "tz", None) is not None:
        return np.dtype(f"M8[{dtype.unit}]")
    known: np.dtype[Any] = getattr(dtype, "numpy_dtype", _OBJECT)  # pandas' nullable types, and Arrow's
    return known if known.kind != "O" else None


def columns_of_frame(frame: Any, names: Mapping[str, str], place: Place) -> dict[str, AnyArray]:
    """Return columns of a DataFrame of pandas; `names` says what the frame calls each of them."""
    return {name: _array(name, frame[column], place) for name, column in names.items()}


def columns_of_pieces(pieces: Sequence[Any], columns: Sequence[str], place: Place) -> dict[str, AnyArray]:
    """Return Series of pandas and arrays as columns of the same length."""
    lengths = [len(piece) for piece in pieces]
    for column, length in zip(columns, lengths, strict=True):
        if length != lengths[0]:
            raise SourceError(
                f"{place.name}: {column} has {length} rows, but {columns[0]} has {lengths[0]}; all must have "
                "the same rows in each partition."
            )
    return {column: _array(column, piece, place) for column, piece in zip(columns, pieces, strict=True)}


def _array(column: str, values: Any, place: Place) -> AnyArray:
    """Return a Series or an array as an array without missing values in objects."""
    if isinstance(values, np.ma.MaskedArray):
        _refuse_missing(column, np.ma.getmaskarray(values), place)
        values = values.data
    dtype = values.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in _NUMBERS:
        return np.asarray(values)
    wanted = array_dtype(dtype)
    if wanted is None:
        raise place.error(column, f"type {dtype} is not accepted; use numbers, booleans or text")
    import pandas as pd  # noqa: PLC0415  # optional, imported where it is used

    series = pd.Series(values)
    _refuse_missing(column, series.isna().to_numpy(), place)
    if hasattr(dtype, "categories"):
        categories = np.asarray(dtype.categories.to_numpy(dtype=wanted))
        decoded: AnyArray = categories[series.cat.codes.to_numpy()]
        return decoded
    decoded_series = series.astype(_decoded_type(dtype)) if _is_dictionary(dtype) else series
    return np.asarray(decoded_series.to_numpy(dtype=wanted))


def _is_dictionary(dtype: Any) -> bool:
    """Whether this is Arrow's dictionary, in pandas."""
    return hasattr(getattr(dtype, "pyarrow_dtype", None), "index_type")


def _decoded_type(dtype: Any) -> Any:
    import pandas as pd  # noqa: PLC0415  # optional, imported where it is used

    return pd.ArrowDtype(dtype.pyarrow_dtype.value_type)


def _refuse_missing(column: str, missing: AnyArray, place: Place) -> None:
    if missing.any():
        raise place.error(column, "no value", int(np.argmax(missing)))

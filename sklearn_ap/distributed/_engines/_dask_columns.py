"""Columns of Dask: their types, lengths and partitions, and the arrays that a partition becomes."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np

from ..._typing import AnyArray
from .._source import Place, SourceError
from ._arrow import decimal_array, typed_of

_NUMBERS = "biufc"
_OBJECT = np.dtype(object)


def array_dtype(dtype: Any) -> np.dtype[Any] | None:
    """Return the type of the array that a column of this type becomes; None if there is none."""
    plain = _plain_dtype(dtype)
    if isinstance(plain, np.dtype):
        return _OBJECT if plain.kind == "U" else plain
    if plain.type is Decimal:
        return typed_of(plain.pyarrow_dtype).dtype
    if plain.type in (str, date):
        return _OBJECT
    if plain.kind == "M" and getattr(plain, "tz", None) is not None:
        return np.dtype(f"M8[{plain.unit}]")
    known: np.dtype[Any] = getattr(plain, "numpy_dtype", _OBJECT)  # pandas' nullable types, and Arrow's
    return known if known.kind != "O" else None


def _plain_dtype(dtype: Any) -> Any:
    """Return the type of the values of categories, or of Arrow's dictionary."""
    import pandas as pd  # noqa: PLC0415  # optional, imported where it is used

    if isinstance(dtype, pd.CategoricalDtype):  # categories may be known on the workers only
        return _OBJECT if dtype.categories is None else dtype.categories.dtype
    of_arrow: Any = getattr(dtype, "pyarrow_dtype", None)
    return pd.ArrowDtype(of_arrow.value_type) if hasattr(of_arrow, "index_type") else dtype


def digits_of(dtype: Any) -> tuple[int, int] | None:
    """Return the precision and the scale of decimals of Arrow."""
    of_arrow: Any = getattr(_plain_dtype(dtype), "pyarrow_dtype", None)
    return None if of_arrow is None else typed_of(of_arrow).digits


def columns_of_pieces(
    pieces: Sequence[Any], columns: Sequence[str], place: Place, decimals: Mapping[str, int]
) -> dict[str, AnyArray]:
    """Return Series of pandas and arrays as columns of the same length."""
    lengths = [len(piece) for piece in pieces]
    for column, length in zip(columns, lengths, strict=True):
        if length != lengths[0]:
            raise SourceError(
                f"{place.name}: {column} has {length} rows, but {columns[0]} has {lengths[0]}; all must have "
                "the same rows in each partition."
            )
    return {
        column: _array_of_column(column, piece, place, decimals.get(column))
        for column, piece in zip(columns, pieces, strict=True)
    }


def _array_of_column(column: str, values: Any, place: Place, scale: int | None) -> AnyArray:
    """Return a Series or an array as an array without missing values in objects."""
    import pandas as pd  # noqa: PLC0415  # optional, imported where it is used

    missing = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    values = values if missing is None else values.data
    dtype, wanted = values.dtype, array_dtype(values.dtype)
    if wanted is None:
        raise place.error(column, f"type {dtype} is not accepted; use numbers, booleans or text")
    is_number = isinstance(dtype, np.dtype) and dtype.kind in _NUMBERS
    if missing is None and not is_number:
        missing = pd.isna(values)
    if missing is not None and missing.any():
        raise place.error(column, "no value", int(np.argmax(missing)))
    if is_number:
        return np.asarray(values)
    series = pd.Series(values).astype(_plain_dtype(dtype))
    if isinstance(next(iter(values), None), Decimal):
        import pyarrow  # noqa: PLC0415  # optional, imported where it is used

        return decimal_array(pyarrow.table({column: series}).column(0), column, place, scale)
    return np.asarray(series.to_numpy(dtype=wanted))


def is_array(one: Any) -> bool:
    """Whether a collection is a Dask Array."""
    return hasattr(one, "chunks") and hasattr(one, "rechunk")


def aligned(named: Mapping[str, Any]) -> dict[str, Any]:
    """Return collections of as many partitions; arrays of known chunks get those of the first."""
    known = {name: one for name, one in named.items() if is_array(one) and not np.isnan(one.shape[0])}
    for name, one in known.items():
        first = next(iter(known))
        if one.shape != known[first].shape:
            raise ValueError(
                f"{name} must have as many rows as {first}, {len(known[first])}; got an Array of {len(one)}."
            )
    chunks = next((one.chunks for one in known.values()), None)
    aligned = {**named, **{name: one.rechunk(chunks) for name, one in known.items()}}
    first = next(iter(aligned))
    wanted = aligned[first].npartitions
    for name, one in aligned.items():
        if one.npartitions != wanted:
            raise ValueError(
                f"{name} must have as many partitions as {first}, {wanted}; got {one.npartitions}. Take both "
                "from one Dask DataFrame, or Arrays of known chunks (see Array.compute_chunk_sizes)."
            )
    return aligned


def known_length(column: Any) -> int | None:
    """Return the length of a Series or Array where Dask finds it without any task."""
    if is_array(column):
        return None if np.isnan(column.shape[0]) else int(column.shape[0])
    from dask.local import get_sync  # noqa: PLC0415  # optional, imported where it is used

    try:
        length = column.size.optimize(fuse=False)
    except Exception:  # of whatever the series is made of; a scan raises it too, and says what it was
        return None
    # A length that is known is a literal; all others are reductions over partitions. No cluster is asked for
    # it: workers that are paused would never answer.
    known = type(length.expr).__name__ == "Literal"
    return int(length.compute(scheduler=get_sync)) if known else None

"""Results as data frames and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pandas import DataFrame

# The version of the JSON that results and the command write.
SCHEMA_VERSION = 1


def data_frame(values: Any, columns: list[str] | None = None) -> DataFrame:
    """Return a pandas DataFrame for a method `to_frame`."""
    try:
        from pandas import DataFrame
    except ImportError:
        raise ImportError("to_frame needs pandas: pip install pandas") from None
    return DataFrame(values, columns=columns)


def json_value(value: Any) -> Any:
    """Return a number, a text, or a list or a dictionary of them, as JSON has it.

    JSON has neither NaN nor infinity, so these become None.
    """
    if isinstance(value, Mapping):
        return {key: json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return list(map(json_value, value))
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if not isinstance(value, Real):
        return value
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isfinite(value) else None

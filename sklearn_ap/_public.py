"""How the package looks from outside: warnings at the line of the user, and data frames."""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandas import DataFrame

NO_POSITIVES = "No positive class found in y_true, recall is set to one for all thresholds."  # scikit-learn's

_PACKAGE = str(Path(__file__).parent) + os.sep
_FILTERS = RLock()


def warn_user(message: str | Warning) -> None:
    """Warn at the innermost line outside the package."""
    # Scores, displays and scorers call from different depths, so no fixed `stacklevel` is right.
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)


@contextmanager
def quiet_warnings(category: type[Warning] = UserWarning) -> Iterator[list[warnings.WarningMessage]]:
    """Record the warnings of a block instead of showing them.

    The filters belong to the process: without the lock, two threads would restore each other's.
    """
    with _FILTERS, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", category)
        yield caught


def data_frame(values: Any, columns: list[str] | None = None) -> DataFrame:
    """Return a pandas DataFrame for a method `to_frame`."""
    try:
        from pandas import DataFrame  # noqa: PLC0415  # an extra, imported where it is used
    except ImportError:
        raise ImportError("to_frame needs pandas: pip install pandas") from None
    return DataFrame(values, columns=columns)

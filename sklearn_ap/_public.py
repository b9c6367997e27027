"""How the package looks from outside: the module of public names, warnings at the user's line, frames."""

from __future__ import annotations

import inspect
import os
import warnings
from dataclasses import is_dataclass
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, get_type_hints

if TYPE_CHECKING:
    from pandas import DataFrame

NO_POSITIVES = "No positive class found in y_true, recall is set to one for all thresholds."  # scikit-learn's

_PACKAGE = str(Path(__file__).parent) + os.sep


def warn_user(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the innermost line outside the package.

    A fixed `stacklevel` would be wrong, since scores, displays and scorers call from different depths.
    """
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)


def data_frame(values: Any, columns: list[str] | None = None) -> DataFrame:
    """Return a pandas DataFrame for a method `to_frame`."""
    try:
        from pandas import DataFrame  # noqa: PLC0415  # an extra, imported where it is used
    except ImportError:
        raise ImportError("to_frame needs pandas: pip install pandas") from None
    return DataFrame(values, columns=columns)


def publish(*members: object) -> None:
    """Set `__module__` of functions and classes to the package that exports them: what stands above `_`.

    Pickles find a function or a class by its module, so a saved search or record still loads after its class
    has moved to another file. The cost: `inspect.getsource` fails for a class, but not for its methods.
    """
    for member in members:
        # Their module says what the annotations mean, and displays name types of matplotlib.
        if isinstance(member, type) and is_dataclass(member) and not hasattr(member, "plot"):
            member.__annotations__ = get_type_hints(member)
        if isinstance(member, FunctionType | type):
            member.__module__ = member.__module__.split("._")[0]

"""What public functions say: warnings at the line of the user, and other words."""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

_Params = ParamSpec("_Params")
_Result = TypeVar("_Result")

# The text is scikit-learn's.
NO_POSITIVES = (
    "No positive class found in y_true, recall is set to one for all thresholds."
)

# Cached properties and context managers of the package are called by these modules.
_OURS = (
    str(Path(__file__).parents[1]) + os.sep,
    contextlib.__file__,
    functools.__file__,
)


def warn_user(message: str | Warning) -> None:
    """Warn at the innermost line outside the package."""
    # Scores, displays and scorers call from different depths, so no fixed `stacklevel`
    # is right.
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(_OURS):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)


def with_hints(
    hints: Mapping[str, str],
) -> Callable[[Callable[_Params, _Result]], Callable[_Params, _Result]]:
    """Let a function say what to write in place of words that it does not take."""

    def decorate(function: Callable[_Params, _Result]) -> Callable[_Params, _Result]:
        @wraps(function)
        def checked(*args: _Params.args, **kwargs: _Params.kwargs) -> _Result:
            for word in kwargs.keys() & hints.keys():
                raise TypeError(
                    f"{function.__name__} takes no argument {word!r}: write {hints[word]}."
                )
            return function(*args, **kwargs)

        return checked

    return decorate

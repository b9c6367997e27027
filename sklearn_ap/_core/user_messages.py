"""Warnings with the line of the user's call."""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import warnings
from pathlib import Path

# The text of scikit-learn's warning about a ranking without positives.
NO_POSITIVES = (
    "No positive class found in y_true, recall is set to one for all thresholds."
)

# Warnings skip the frames of these files: the package, and the modules of Python that
# call its cached properties and context managers.
_OURS = (
    str(Path(__file__).parents[1]) + os.sep,
    contextlib.__file__,
    functools.__file__,
)


def warn_user(message: str | Warning) -> None:
    """Issue a warning that shows the innermost line outside the package."""
    # Scores, displays and scorers have different numbers of frames above this one, so
    # `stacklevel` cannot be a constant.
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(_OURS):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)

"""Warnings at the line of the user."""

from __future__ import annotations

import inspect
import os
import warnings
from pathlib import Path

# The text is scikit-learn's.
NO_POSITIVES = (
    "No positive class found in y_true, recall is set to one for all thresholds."
)

_PACKAGE = str(Path(__file__).parents[1]) + os.sep


def warn_user(message: str | Warning) -> None:
    """Warn at the innermost line outside the package."""
    # Scores, displays and scorers call from different depths, so no fixed `stacklevel`
    # is right.
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)

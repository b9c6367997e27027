"""Warnings that point to the user's line, however deep in the package they start."""

import inspect
import os
import warnings
from pathlib import Path

NO_POSITIVES = "No positive class found in y_true, recall is set to one for all thresholds."  # scikit-learn's

_PACKAGE = str(Path(__file__).parent) + os.sep


def warn_user(text: str) -> None:
    """Warn at the innermost line outside the package.

    A fixed `stacklevel` would be wrong, since scores, displays and scorers call from different depths.
    """
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, UserWarning, stacklevel=level)

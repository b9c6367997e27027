"""Warnings that point to the user's line, through however many rooms of the package they come."""

import inspect
import os
import warnings
from pathlib import Path

__all__ = ["warn_user"]

_PACKAGE = str(Path(__file__).parent) + os.sep


def warn_user(text: str) -> None:
    """Warn at the innermost line outside of the package that led here."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, UserWarning, stacklevel=level)

"""Names of the package in help and pickles, and warnings at the line of the user."""

from __future__ import annotations

import inspect
import os
import warnings
from itertools import takewhile
from pathlib import Path
from typing import Any, get_type_hints

# The text is scikit-learn's.
NO_POSITIVES = (
    "No positive class found in y_true, recall is set to one for all thresholds."
)

_PACKAGE = str(Path(__file__).parents[1]) + os.sep


def show_public(*members: Any) -> None:
    """Let functions and classes name the public module that has them, and not a file.

    So help and pickles contain public names alone, and files can move.
    """
    for member in members:
        if isinstance(member, type):
            # The names in its annotations are those of its file.
            hints = get_type_hints(member)
            own = inspect.get_annotations(member)
            member.__annotations__ = {name: hints[name] for name in own}
        if inspect.isroutine(member) or isinstance(member, type):
            member.__module__ = _public_module(member.__module__)


def let_pickles_find(public: Any, *classes: type) -> None:
    """Let pickles name private classes as attributes of a public name."""
    for private in classes:
        name = f"_{private.__name__.lstrip('_')}"
        setattr(public, name, private)
        private.__qualname__ = f"{public.__name__}.{name}"
        private.__module__ = _public_module(private.__module__)


def _public_module(module: str) -> str:
    """Return the part of a module's name that is public."""
    parts = takewhile(lambda part: not part.startswith("_"), module.split("."))
    return ".".join(parts)


def warn_user(message: str | Warning) -> None:
    """Warn at the innermost line outside the package."""
    # Scores, displays and scorers call from different depths, so no fixed `stacklevel`
    # is right.
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)

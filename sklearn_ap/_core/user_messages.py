"""Warnings with the line of the user's call."""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import warnings
from collections.abc import Iterator
from contextvars import ContextVar
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

# Warnings by their texts.
_Messages = dict[str, str | Warning]
# The warnings that this thread collects, or None if it issues them.
_collected: ContextVar[_Messages | None] = ContextVar("_collected", default=None)


@contextlib.contextmanager
def collect_warnings() -> Iterator[_Messages]:
    """Collect the warnings of this package, each text once, instead of issuing them.

    `warnings.catch_warnings` would change the filters of all threads, and collect the
    warnings of all threads.
    """
    collected: _Messages = {}
    token = _collected.set(collected)
    try:
        yield collected
    finally:
        _collected.reset(token)


def warn_user(message: str | Warning) -> None:
    """Issue a warning that shows the innermost line outside the package, or add it to
    the warnings that are collected.
    """
    collected = _collected.get()
    if collected is not None:
        collected[str(message)] = message
        return
    # Scores, displays and scorers have different numbers of frames above this one, so
    # `stacklevel` cannot be a constant.
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(_OURS):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)

"""Warnings that the numbers of an answer raise. Each warning is shown once, and names
its model, class or file.
"""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any

from .._core.user_messages import warn_user

_FILTERS = RLock()


@contextmanager
def quiet_warnings() -> Iterator[list[warnings.WarningMessage]]:
    """Record the user warnings of a block instead of showing them.

    All threads share the filters of warnings. The lock keeps one thread from restoring
    the filters that another thread has set.
    """
    with _FILTERS, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield caught


@contextmanager
def warnings_once(name: str = "", known: Sequence[str] = ()) -> Iterator[list[str]]:
    """Raise each warning of a block once, after the block, with `name` before its text.

    Yield a list, which contains the texts of these warnings after the block. A warning
    is dropped if a text in `known` ends with the text of the warning.
    """
    texts: list[str] = []
    with quiet_warnings() as caught:
        yield texts
    for warning in caught:
        message: Any = warning.message
        if any(text.endswith(str(message)) for text in known):
            continue
        if name:
            message.args = (f"{name}: {message}",)
        if str(message) not in texts:
            texts.append(str(message))
            warn_user(message)

"""Warnings of the numbers of an answer: each once, with the name of its model, class or
file.
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

    The filters belong to the process: without the lock, two threads would restore each
    other's.
    """
    with _FILTERS, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield caught


@contextmanager
def warnings_once(name: str = "", known: Sequence[str] = ()) -> Iterator[list[str]]:
    """Give each warning of a block once, after it, with a name before its text, except
    for those whose end is known; yield the list of their texts.
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

"""Warnings that the numbers of an answer raise. Each warning is shown once, and names
its model, class or file.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
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
def warnings_once(
    name: str = "", known: Sequence[Warning] = ()
) -> Iterator[list[Warning]]:
    """Raise each warning of a block once, after the block, with `name` before its text.

    Yield a list, which contains these warnings after the block. A warning is dropped if
    one in `known` has the same text below another name.
    """
    raised: list[Warning] = []
    with quiet_warnings() as caught:
        yield raised
    texts = {str(message).removeprefix(_names_of(message)) for message in known}
    for warning in caught:
        message: Any = warning.message
        text = str(message)
        if text in texts:
            continue
        texts.add(text)
        if name:
            message.names = f"{name}: {_names_of(message)}"
            message.args = (f"{name}: {text}",)
        raised.append(message)
        warn_user(message)


def _names_of(message: Any) -> str:
    """Return the names that `warnings_once` has put before the text of a warning."""
    names: str = getattr(message, "names", "")
    return names


def in_words(message: Any, words: Callable[[str], str]) -> str:
    """Return the text of a warning, translated by `words`. The names before it, which a
    user has chosen, are not translated.
    """
    names = _names_of(message)
    return names + words(str(message).removeprefix(names))

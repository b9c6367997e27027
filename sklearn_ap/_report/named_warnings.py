"""Warnings that the numbers of an answer raise. Each warning is shown once, and names
its model, class or file.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any

from sklearn.exceptions import UndefinedMetricWarning

from .._core.user_messages import warn_user
from .._shown.numbers import count_words, listed, plural
from .._uncertainty.standard_errors import UncertaintyWarning
from .fields import ROW, FirstAnswer

_FILTERS = RLock()
_FEW = "few_positives"
# A warning about several classes or queries names the first two.
_N_NAMED = 2


@contextmanager
def quiet_warnings() -> Iterator[list[warnings.WarningMessage]]:
    """Record the user warnings of a block instead of showing them.

    All threads share the filters of warnings. The lock keeps one thread from restoring
    the filters that another thread has set.
    """
    with _FILTERS, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield caught


def reports_few(raised: Sequence[Warning]) -> bool:
    """Return whether one of the warnings reports too few positives."""
    return any(getattr(message, "code", "") == _FEW for message in raised)


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
            _add_name(message, name)
        raised.append(message)
        warn_user(message)


def _names_of(message: Any) -> str:
    """Return the names that `warnings_once` has put before the text of a warning."""
    names: str = getattr(message, "names", "")
    return names


def _add_name(message: Any, name: str) -> None:
    """Put a name before the text of a warning."""
    message.args = (f"{name}: {message}",)
    message.names = f"{name}: {_names_of(message)}"


def in_words(message: Any, words: Callable[[str], str]) -> str:
    """Return the text of a warning, translated by `words`. The names before it, which a
    user has chosen, are not translated.
    """
    names = _names_of(message)
    return names + words(str(message).removeprefix(names))


def warn_of_parts(noun: str, parts: Sequence[FirstAnswer]) -> None:
    """Raise the warnings of classes or queries: one for all of them per kind.

    The warning of few positives, and that an interval or a p-value is NaN, are one
    kind, since both have the same reason. `noun` is the name of a part.
    """
    by_kind = dict[str, dict[str, tuple[FirstAnswer, Warning]]]()
    for part in parts:
        for message in part._raised:
            kind = getattr(message, "code", "") or str(message)
            if isinstance(message, UndefinedMetricWarning):
                kind = _FEW
            by_kind.setdefault(kind, {}).setdefault(part.name, (part, message))
    for kind, of_kind in by_kind.items():
        if kind == _FEW:
            few = [part for part, _ in of_kind.values()]
            text = _few_sentence(few, count_words(noun, len(parts)))
            raised: Any = UncertaintyWarning(text, _FEW)
            # The sentence contains names of parts, so it is not translated.
            raised.names = text
            warn_user(raised)
            continue
        first, *others = of_kind
        likewise = f", and likewise {listed(others, _N_NAMED)}" if others else ""
        named: Any
        _, named = of_kind[first]
        _add_name(named, f"{noun.capitalize()} {first}{likewise}")
        warn_user(named)


def _few_sentence(few: Sequence[FirstAnswer], of_all: str) -> str:
    """Return the sentence about the classes or queries that have few positives, among
    `of_all`, such as "187 classes".
    """
    what = f"positives (at most {max(part.counts.positives for part in few):,})"
    unit = few[0].counts.unit_name
    if unit != ROW:
        what = f"{plural(unit)} with a positive"
    verb = "has" if len(few) == 1 else "have"
    names = listed([part.name for part in few], _N_NAMED)
    return (
        f"{len(few):,} of {of_all} {verb} too few {what}, so intervals are missing or say "
        f"little: {names}."
    )

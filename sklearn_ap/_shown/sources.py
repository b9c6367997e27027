"""Errors and numbers of text in files, and the text of names as it is shown."""

import re
import unicodedata
from collections import Counter
from html import escape
from typing import Any

import numpy as np

_MAX_VALUE_LENGTH = 100  # characters of a value that an error shows
# Python's own readers of numbers also take 1_0, nan, 0x1F, and the digits of other
# scripts.
is_number = re.compile(
    r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,6})?"
).fullmatch


class SourceError(ValueError):
    """Rows cannot be read; the message names the file, the column and the value.

    .. versionadded:: 0.1

    See Also
    --------
    score

    Examples
    --------
    >>> from sklearn_ap import distributed
    >>> try:
    ...     distributed.score("average_precision", "no_such.parquet")
    ... except distributed.SourceError as error:
    ...     print(error)
    'no_such.parquet': no such file or folder
    """


def object_of(where: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON, or raise SourceError if a key occurs twice: Python's
    reader would keep its last value and drop the others.
    """
    values = dict(pairs)
    if len(values) < len(pairs):
        [(key, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise SourceError(
            f"{where}: key {format_value(key)} occurs twice in one object of JSON; write "
            "each key once"
        )
    return values


def printable(text: str) -> str:
    """Return text without characters that control a terminal or turn its direction,
    which names may have; spaces, and the joiners of emoji, do neither.
    """
    return "".join(
        c
        if c.isprintable() or unicodedata.category(c) == "Zs" or c == "\u200d"
        else c.encode("unicode_escape").decode()
        for c in text
    )


def html_text(text: str) -> str:
    """Return printable text between tags of HTML."""
    return escape(printable(text))


def format_value(value: object) -> str:
    """Return a user's value as short text on one line."""
    if isinstance(value, np.generic):
        value = value.item()
    text = repr(value)
    if len(text) <= _MAX_VALUE_LENGTH:
        return text
    return f"{text[:70]}...{text[-27:]}"

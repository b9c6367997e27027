"""Errors and numbers of text in files, for readers of all kinds."""

import re

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
    score : Raises it; its docstring lists the refused rows.

    Examples
    --------
    >>> from sklearn_ap import distributed
    >>> try:
    ...     distributed.score("average_precision", "no_such.parquet")
    ... except distributed.SourceError as error:
    ...     print(error)
    'no_such.parquet': no such file or folder
    """

    __module__ = "sklearn_ap.distributed"  # where it is public


def format_value(value: object) -> str:
    """Return a user's value as short text on one line."""
    if isinstance(value, np.generic):
        value = value.item()
    text = repr(value)
    if len(text) <= _MAX_VALUE_LENGTH:
        return text
    return f"{text[:70]}...{text[-27:]}"

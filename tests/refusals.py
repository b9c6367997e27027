"""The errors of calls, which are rows in tables of tests."""

import pytest

from doors import text_of

KINDS = AttributeError, ImportError, KeyError, TypeError, UserWarning, ValueError


def error_of(call, names):
    """Return the text of the error of a call with its notes, behind its kind if that is
    not ValueError.
    """
    with pytest.raises(KINDS) as caught:
        eval(call, names)
    text = text_of(caught.value)
    if isinstance(caught.value, ValueError):
        return text
    return f"{type(caught.value).__name__}: {text}"


def assert_raises(call, names, start, words=""):
    """Assert that the error of a call begins with this text, and contains these words,
    at its end if they end with `$`.
    """
    text = error_of(call, names)
    assert text.startswith(start)
    assert words in f"{text}$"

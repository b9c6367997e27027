"""The errors and warnings of calls, which are rows in tables of tests."""

import re
import warnings
from operator import itemgetter

import pytest

KINDS = AttributeError, ImportError, KeyError, TypeError, UserWarning


def each_row(rows):
    """Return a decorator of a test of each row, which is named by its call."""
    return pytest.mark.parametrize("row", rows, ids=itemgetter(0))


def pattern_of(words):
    """Return the pattern of a text with these words, which are between dots."""
    return ".*".join(map(re.escape, words.split(" ... ")))


def assert_raises(names, call, start, words=""):
    """Assert that the error of a call begins with this text, behind its kind if it is
    not only a ValueError, and contains these words, at its end if they end with `$`.
    Return the error and its notes.
    """
    with pytest.raises((ValueError, *KINDS)) as caught:
        eval(call, names)
    parts = [str(caught.value), *getattr(caught.value, "__notes__", [])]
    kinds = [kind.__name__ for kind in KINDS if isinstance(caught.value, kind)]
    text = ": ".join([*kinds, " ".join(parts)]) + "$"
    assert re.match(pattern_of(start), text)
    assert re.search(pattern_of(words), text, re.DOTALL)
    return parts


def warning_of(call, names):
    """Return the text of the only warning of a call, which is at its line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        eval(call, names)
    [one] = caught
    assert one.filename == "<string>"
    return str(one.message)

"""The error about files, the pattern of numbers in text, and safe texts of names."""

import re
import unicodedata
from collections import Counter
from html import escape
from typing import Any

import numpy as np

# Number of bytes at the beginning of a file from which its format is recognized.
START_BYTES = 256
# An error shows at most this number of characters of a value.
_MAX_VALUE_LENGTH = 100
# Numbers in files are matched by this pattern, since `float` also accepts 1_0, nan, and
# the digits of other scripts.
is_number = re.compile(
    r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,6})?"
).fullmatch


class SourceError(ValueError):
    """Rows cannot be read. The message names the file and the cause.

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
    """Return an object of JSON as a dictionary. Raise SourceError if a key occurs
    twice, since Python's reader would silently drop all its values but the last one.
    """
    values = dict(pairs)
    if len(values) < len(pairs):
        [(key, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise SourceError(
            f"{where}: key {format_value(key)} occurs twice in one object of JSON; "
            "write each key once"
        )
    return values


_TABLE = "write its table as CSV or Parquet"
_UNPACK = "unpack it first"
# A pattern of the first bytes of a file: a description of its format, and what to do.
_FORMATS = {
    rb"PK\x03\x04": f"an archive, such as zip, xlsx and npz; {_TABLE}",
    rb"\x93NUMPY": "an array of numpy (npy); write its rows by frame.to_csv(path), or "
    "pass numpy.load(path) to a score in Python",
    rb"\x80[\x02-\x05]": f"a pickle; {_TABLE}",
    rb"ARROW1|FEA1|\xff\xff\xff\xff": "an Arrow or Feather file; pass "
    "pyarrow.dataset.dataset(path, format='feather') in Python, or write Parquet",
    rb"BZh[1-9]1AY": f"packed by bzip2; {_UNPACK}",
    rb"\xfd7zXZ": f"packed by xz; {_UNPACK}",
    rb"\x28\xb5\x2f\xfd": f"packed by zstd; {_UNPACK}",
    rb"7z\xbc\xaf|Rar!": f"an archive; {_UNPACK}",
    rb"SQLite format 3": f"a database of SQLite; {_TABLE}",
    rb".{8}DUCK": f"a database of DuckDB; {_TABLE}",
    rb"\x89HDF": f"a file of HDF5; {_TABLE}",
    rb"\xd0\xcf\x11\xe0": f"a file of older Excel (xls); {_TABLE}",
    rb"Obj\x01|ORC": f"a file of Avro or ORC; {_TABLE}",
    rb"%PDF|\x89PNG|\xff\xd8\xff": f"a document or a picture; {_TABLE}",
    rb"\xff\xfe|\xfe\xff": "text in UTF-16; write it in UTF-8",
}


# Text contains none of these bytes, but it may begin like a binary format: PAR1 can
# also be the name of a column.
is_binary = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]").search


def format_of(start: bytes) -> str:
    """Return a description of a file with these first bytes, and what to do with it;
    empty if it may be text.
    """
    if re.match(rb"\s*<(!doctype html|html[\s>])", start, re.IGNORECASE):
        return "a page of HTML, such as that of a login; download the file itself"
    if not is_binary(start):
        return ""
    known = (
        what for sign, what in _FORMATS.items() if re.match(sign, start, re.DOTALL)
    )
    # A file of an unknown format with control characters may still be text, unless it
    # contains a byte 0.
    other = ""
    if b"\0" in start:
        other = "binary, of an unknown format; write CSV, JSON lines or Parquet"
    return next(known, other)


def printable(text: str) -> str:
    """Return text in which characters that control a terminal, or change the direction
    of writing, are replaced by their escapes.

    Names in files may contain such characters. Spaces and the joiners of emoji are
    kept.
    """
    # Nearly all texts are printable as they are.
    if text.isprintable():
        return text
    return "".join(map(_printable_character, text))


def _printable_character(character: str) -> str:
    """Return a character, or its escape if it is not safe to print."""
    if character.isprintable():
        return character
    # Python calls spaces other than " ", and the joiner of emoji, not printable.
    if unicodedata.category(character) == "Zs" or character == "\u200d":
        return character
    return character.encode("unicode_escape").decode()


def html_text(text: str) -> str:
    """Return printable text that is escaped for HTML."""
    return escape(printable(text))


def format_value(value: object) -> str:
    """Return the `repr` of a user's value, shortened to about 100 characters."""
    if isinstance(value, np.generic):
        value = value.item()
    text = repr(value)
    if len(text) <= _MAX_VALUE_LENGTH:
        return text
    return f"{text[:70]}...{text[-27:]}"

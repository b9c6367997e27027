"""Names and values as texts that are safe in errors, terminals and pages; and the check
of the name of a page.
"""

import os
import re
import unicodedata
from html import escape

# An error shows at most this number of characters of a value.
_MAX_VALUE_LENGTH = 100
# Words of Hebrew, Arabic and other scripts that are written from right to left, with a
# single character between two of them.
_LETTERS = (
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff"
    "\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_RIGHT_TO_LEFT = re.compile(f"{_LETTERS}+(?:.{_LETTERS}+)*")


def printable(text: str) -> str:
    """Return text in which characters that control a terminal, or change the direction
    of writing, are replaced by their escapes.

    Names in files may contain such characters. Spaces and the joiners of emoji are
    kept.
    """
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
    """Return printable text that is escaped for HTML. Words that are written from right
    to left are isolated: otherwise, browsers also turn the numbers after them around.
    """
    return _RIGHT_TO_LEFT.sub(r"<bdi>\g<0></bdi>", escape(printable(text)))


def format_value(value: object) -> str:
    """Return the `repr` of a user's value, shortened to about 100 characters.

    The command calls it in place of `short_repr` of the core, since the help must not
    wait for the import of scikit-learn.
    """
    return shortened(repr(value), _MAX_VALUE_LENGTH)


def shortened(text: str, width: int) -> str:
    """Return a text with dots in place of its middle if it is longer than `width`."""
    if len(text) <= width:
        return text
    half = (width - 3) // 2
    return f"{text[:half]}...{text[-half:]}"


def check_page_name(argument: str, path: str | os.PathLike[str]) -> None:
    """Raise ValueError unless the name of a file is that of a page of HTML."""
    name = os.fspath(path)
    if not name.lower().endswith((".html", ".htm")):
        raise ValueError(
            f"{argument} must end in .html or .htm; got {name!r}. For JSON, pass "
            "--format json, or write json.dumps(report.to_dict())."
        )

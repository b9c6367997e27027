"""The reason why a field of a file, or a value of an array, is not a number, and what
to write in its place. Arrays, frames and files share one table.
"""

import re
from collections.abc import Mapping
from typing import Any

_PLAIN_NUMBER = r"[+-]?[\d.]*\d(?:e[+-]?\d+)?"
# Thousands are marked by one sign, and decimals by another. A space may also be a
# narrow or a no-break space.
_THOUSANDS = (
    r"[+-]?\d{1,3}(?:"
    r"(?:[, '\u00a0\u202f]\d{3})+\.\d*"
    r"|(?:[ '.\u00a0\u202f]\d{3})+,\d*"
    r"|(?:[, '.\u00a0\u202f]\d{3}){2,}"
    r"|(?:[ '\u00a0\u202f]\d{3})+)"
)
_OF_CLASS = "pass one number per row, such as that of the positive class"
_MAPPING = f"a mapping: {_OF_CLASS}"
# A pattern of the text of a field, in lower case: a description of this text, and what
# to write.
_KINDS = {
    r"\[.*\]|\(.*[,;].*\)": f"a list: {_OF_CLASS}",
    r"\{.*\}": _MAPPING,
    rf"[a-z_][\w.]*\(\[?['\"]?{_PLAIN_NUMBER}\b.*\)": "the text of an object: write "
    "float(score) of each",
    rf"\({_PLAIN_NUMBER}\)": "a number in brackets: write it without them, and with a "
    "minus sign if they mark a negative number",
    _THOUSANDS: "a number whose thousands are marked: write it without these marks, "
    "and a point before decimals",
    r".*\d\s*%": "a percentage: write shares without %, such as 0.5269",
    r"[+-]?\d*,\d+(?:e[+-]?\d+)?": "a decimal comma, or one that marks thousands: "
    "write decimals with a point, and thousands without a comma",
    r"true|false|yes|no": "a yes or no: write 1 and 0, or the probability of a yes",
    rf"[<>~\u2264\u2265\u2248]=?\s*{_PLAIN_NUMBER}": "a bound: write the number "
    "without a sign before it",
    rf"{_PLAIN_NUMBER}\s*[^\W\d_]+|[$\u20ac\u00a3]\s*{_PLAIN_NUMBER}": "a number with "
    "a unit: write the number without it",
}
_OTHER = "not a number: write numbers such as 12, -0.5 or 1e-3"


def what_is(field: Any) -> str:
    """Return a description of a field that is not a number, and what to write in its
    place.
    """
    if isinstance(field, Mapping):
        return _MAPPING
    if hasattr(field, "__len__") and not isinstance(field, str):
        return (
            f"a list of {len(field)}: pass one value per row, such as column.str[-1] "
            "of pandas, or a row per value by frame.explode(column)"
        )
    text = str(field).strip().casefold()
    kinds = (what for kind, what in _KINDS.items() if re.fullmatch(kind, text))
    return next(kinds, _OTHER)

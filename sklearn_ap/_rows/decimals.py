"""Decimal commas of a text file whose columns are separated by semicolons or tabs."""

import re

from .._core.typing import AnyArray
from .._shown.sources import format_value

_has_comma = re.compile(
    r"[+-]?(?:[0-9]+,[0-9]*|,[0-9]+)(?:[eE][+-]?[0-9]{1,6})?"
).fullmatch
# 1,234 may be 1.234 or 1234. But 0,123 and 87,5 can only be decimals.
_may_be_thousands = re.compile(r"[+-]?(?!0,)[0-9]{1,3},[0-9]{3}").fullmatch


class Decimals:
    """Reader of the decimal commas of a column. It keeps examples from earlier batches
    of the file.
    """

    def __init__(self) -> None:
        # An example of each kind of number so far: "point", with a point; "comma", with
        # a comma that must be a decimal comma; and "unclear", with a comma that may
        # also separate thousands.
        self._examples = dict[str, str]()

    def with_points(self, texts: AnyArray, joined: str) -> AnyArray:
        """Return text with a point in place of each decimal comma.

        `joined` is the concatenation of all texts. One search in it shows whether any
        text has a point or a comma.
        """
        if "." in joined:
            example = next(text for text in texts if "." in text)
            self._examples.setdefault("point", example)
        if "," not in joined:
            return texts
        texts = texts.copy()
        for row, text in enumerate(texts):
            if _has_comma(text):
                kind = "unclear" if _may_be_thousands(text) else "comma"
                self._examples.setdefault(kind, text)
                texts[row] = text.replace(",", ".")
        return texts

    def problem(self, *, at_end: bool = False) -> str:
        """Return the reason why the numbers of this column cannot be read, or "".

        An unclear comma is an error only at the end of the file. Before the end,
        another number may show that the comma is a decimal comma.
        """
        kinds, examples = {*self._examples}, [*self._examples.values()]
        if "point" in kinds and len(kinds) > 1:
            found = " and ".join(map(format_value, examples))
        elif at_end and kinds == {"unclear"}:
            [text] = examples
            found = (
                f"{format_value(text)}, which may be {text.replace(',', '.')} or "
                f"{text.replace(',', '')}"
            )
        else:
            return ""
        return f"contains {found}: write decimals with a point, and thousands without a comma"

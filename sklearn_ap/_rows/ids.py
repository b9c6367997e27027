"""The ids of queries: in all files text, or in all files numbers or dates."""

import re
from contextlib import suppress

import numpy as np

from .._core.typing import AnyArray
from .._shown.sources import format_value
from .columns import Column

# Text that `str` would also return for the integer: 7, but not 007 or +7.
_is_integer_id = re.compile(r"-?[1-9][0-9]{0,17}|0").fullmatch


class IdReader:
    """Reader of ids. All ids of a source must be text, or all must be numbers or dates.
    An integer in a text file may be text or a number.

    `option` is the option or the argument that names the column, for errors.
    """

    def __init__(self, option: str) -> None:
        self._option = option
        # The types as which all ids so far can be read.
        self._types = {"text", "integers", "others"}
        # The first id with its file, for errors, and whether this id is text. If it is,
        # integers of other files are read as text, too.
        self._first_id = ""
        self._has_text: bool | None = None

    def read(self, column: Column | None) -> AnyArray | None:
        """Return one id per row, or None without a column. Raise SourceError if the
        type of the ids is wrong.
        """
        if column is None:
            return None
        encoded = column.texts()
        if encoded is not None:
            codes, texts = encoded
            # In a text file, 7 may be an integer or text. Such an id is read in the
            # same way as the first id of the source.
            must_be_text = [
                text for text in texts if not (column.is_text and _is_integer_id(text))
            ]
            types = {"text"} if must_be_text else {"text", "integers"}
            self._check_types(types, column, (must_be_text or texts)[0])
            if self._has_text:
                return np.array(texts, dtype=object)[codes]
            # The first id of the source is an integer, so all ids are integers.
            return np.array([*map(int, texts)])[codes]
        ids = column.array()
        # DuckDB treats some different durations as equal.
        if ids.dtype.kind == "m":
            raise column.error(
                f"has type {ids.dtype}; ids must be numbers, text or dates"
            )
        types = {"integers", "others"} if ids.dtype.kind in "iu" else {"others"}
        self._check_types(types, column, ids[0])
        return ids.astype(str).astype(object) if self._has_text else ids

    def _check_types(self, types: set[str], column: Column, first: object) -> None:
        """Raise SourceError if ids of these types, such as numbers, do not match the
        ids so far, such as text.
        """
        shown = format_value(first)
        if self._has_text is None:
            self._has_text = isinstance(first, str)
            self._first_id = f"{shown} in {column.where}"
        self._types &= types
        if not self._types:
            raise column.error(
                f"contains {shown}, but the first id is {self._first_id}; "
                f"{self._option} must be text in all files, or numbers such as 7 (not "
                "007)"
            )

    def typed(self, ids: AnyArray | None) -> AnyArray | None:
        """Return ids as integers, if all ids are integers or text that prints like an
        integer.
        """
        if ids is None or ids.dtype != object or "integers" not in self._types:
            return ids
        # int64 is too small for some unsigned integers.
        with suppress(OverflowError):
            return ids.astype(np.int64)
        return np.array([*map(int, ids)], dtype=object)

"""How much memory the rows need, if all of them are held at once."""

from collections.abc import Collection

from ._files import Counted, Role

__all__ = ["bytes_needed", "in_units"]

# Bytes per row, measured for 2 million rows as the growth of the process: a label and a score of float64
# while all numbers are computed, what other columns add, and what each column of text adds.
_OF_ROW, _OF_TEXT = 55, 40
_OF_COLUMN: dict[Role, int] = {"sample_weight": 30, "query_id": 25, "item_id": 300, "n_positives": 30}


def bytes_needed(how_many: Counted, roles: Collection[Role]) -> int:
    """Return about how much memory all numbers of so many rows take."""
    of_row = _OF_ROW + sum(_OF_COLUMN.get(role, 0) for role in roles)
    return how_many.rows * (of_row + _OF_TEXT * len(roles) * how_many.of_text)


def in_units(size: float) -> str:
    """Return a number of bytes as people write it."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size:.0f} bytes"

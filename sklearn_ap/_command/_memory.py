"""How much memory the rows need, if all of them are held at once."""

from collections.abc import Collection

from ._files import Counted, Role

__all__ = ["bytes_needed", "in_units"]

# Bytes per row, measured for 2 million rows as the growth of the process: a score of float64 and a label
# while all numbers are computed, what each other column adds, and what text adds while it is read.
_OF_ROW, _OF_TEXT = 60, 120
_OF_COLUMN: dict[Role, int] = {"sample_weight": 90, "query_id": 60, "item_id": 60, "n_positives": 20}


def bytes_needed(how_many: Counted, roles: Collection[Role]) -> int:
    """Return about how much memory all numbers of so many rows take."""
    of_row = _OF_ROW + sum(_OF_COLUMN.get(role, 0) for role in roles)
    return how_many.rows * (of_row + _OF_TEXT * how_many.of_text)


def in_units(size: float) -> str:
    """Return a number of bytes as people write it."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size:.0f} bytes"

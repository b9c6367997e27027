"""How much memory the rows need, if all of them are held at once."""

from collections.abc import Collection

# Bytes per row, measured for 2 million rows as the growth of the process: a label and a score of float64
# while all numbers are computed, and what other columns add.
_OF_ROW = 55
_OF_COLUMN = {"sample_weight": 30, "query_id": 25, "item_id": 300, "n_positives": 30}


def bytes_needed(n_rows: int, roles: Collection[str]) -> int:
    """Return about how much memory all numbers of so many rows take."""
    return n_rows * (_OF_ROW + sum(_OF_COLUMN.get(role, 0) for role in roles))


def in_units(size: float) -> str:
    """Return a number of bytes as people write it."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size:.0f} bytes"

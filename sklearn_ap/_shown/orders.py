"""The order in which names are shown."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from math import isnan
from typing import Any

# Dates are sorted by time if one of these formats fits all of them.
_FORMATS_OF_DATES = (
    "%Y-%m-%d",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m",
    "%d.%m.%Y",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%d %b %Y",
    "%b %Y",
    "%B %Y",
)


def order_of(names: Sequence[str]) -> Callable[[str], Any]:
    """Return a key that sorts numbers by value, dates by time, and other names in
    natural order. Numbers with NaN among them are sorted in natural order, too.
    """
    for form in _FORMATS_OF_DATES:
        with suppress(ValueError):
            return {name: datetime.strptime(name, form) for name in names}.__getitem__
    with suppress(ValueError):
        numbers = {name: float(name) for name in names}
        # A comparison with NaN is False, so numbers with NaN could not be sorted.
        if not any(map(isnan, numbers.values())):
            return numbers.__getitem__
    return _natural_order


def _natural_order(name: str) -> list[str | float]:
    """Return a key that sorts q2 before q10, and -2 before -1."""
    # The pattern is one group, so numbers have the odd places of the list.
    parts = re.split(r"(^-?\d+(?:\.\d+)?|\d+)", name)
    return [float(part) if place % 2 else part for place, part in enumerate(parts)]

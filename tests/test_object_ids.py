"""Ids that are Python objects are numbered once, and group rows as plain numbers in the same order do."""

from collections import namedtuple
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sklearn_ap import average_precision_score

Pair = namedtuple("Pair", ["site", "day"])
KINDS: dict[str, Any] = {
    "text": lambda number: f"{number:03}",
    "text of numpy": lambda number: np.str_(f"{number:03}"),
    "bytes": lambda number: f"{number:03}".encode(),
    "integers": lambda number: number * 10**12,
    "floats": lambda number: number / 7,
    "integers and floats": lambda number: number if number % 2 else float(number),
    "fractions": lambda number: Fraction(number, 7),
    "tuples": lambda number: ("site", number),
    "tuples with floats": lambda number: ("site", (number / 7, "day")),
    "named tuples": lambda number: Pair("site", number),
    "tuples of several lengths": lambda number: ("site",) * (number + 1),
}
CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "array": lambda ids: np.fromiter(ids, dtype=object, count=len(ids)),
}
ORDERS = {
    "sorted": np.sort,
    "in any order": lambda number: number,
    "together": lambda number: np.sort(number)[::-1],
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", KINDS)
def test_objects_group_rows_as_numbers_do(kind, order, container):
    rng = np.random.default_rng(0)
    number = ORDERS[order](rng.integers(0, 30, 200))
    positive, score = rng.random(200) < 0.4, rng.random(200).round(1)
    weight = rng.integers(0, 3, 200)  # rows of weight 0 leave, and with them some queries
    weight[number == 7] = 0
    query = CONTAINERS[container]([KINDS[kind](one) for one in number.tolist()])
    totals = dict.fromkeys(range(30), 900)
    for arguments in ({}, {"sample_weight": weight}, {"n_positives": totals}):
        named = dict(arguments)
        if "n_positives" in arguments:
            named["n_positives"] = {KINDS[kind](one): total for one, total in totals.items()}
        expected = average_precision_score(
            positive, score, query_id=number, average=None, zero_division=0.0, **arguments
        )
        found = average_precision_score(
            positive, score, query_id=query, average=None, zero_division=0.0, **named
        )
        assert found.tolist() == expected.tolist()

"""Ids that are Python objects are numbered once, and group rows as plain numbers in the same order do."""

from collections import namedtuple
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sklearn_ap import average_precision_score
from sklearn_ap._reading._queries import ObjectIds, distinct_queries, read_numbered

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


MANY = np.random.default_rng(0).permutation(3000)
# name: an id of a number below 3,000 -> whether an array can hold such ids
IN_A_LIST = {
    "integers": (lambda number: number - 1000, True),
    "integers beyond 64 bits": (lambda number: number + 2**63 - 1, False),
    "truth values among integers": (lambda number: number if number > 1 else bool(number), False),
    "text": (lambda number: f"{number:05}", False),
    "text that ends with zeros": (lambda number: f"{number // 2:05}" + "\0" * (number % 2), False),
    "long text": (lambda number: f"{number:033}", False),
    "few texts": (lambda number: f"{number // 300:05}", False),
}


@pytest.mark.parametrize("name", IN_A_LIST)
def test_lists_become_arrays_that_hold_the_very_same_ids(name):
    named, is_held = IN_A_LIST[name]
    ids = [named(number) for number in MANY.tolist()]
    read = read_numbered(ids, 3000)
    assert isinstance(read, ObjectIds) != is_held
    names, place = distinct_queries(read)
    assert names == sorted(set(ids))
    assert [names[one] for one in place.tolist()] == ids
    assert {type(one) for one in names} == {type(one) for one in ids}

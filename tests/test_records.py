"""The file of records against a schema: its keys and words, and what records take over
from others.
"""

from dataclasses import fields
from typing import get_args, get_type_hints

import numpy as np
import pytest

from sklearn_ap import _registry
from sklearn_ap.compatibility import CONVENTIONS
from sklearn_ap.compatibility._areas import Grid
from sklearn_ap.compatibility._records import (
    FAMILIES,
    RECALL_LEVELS,
    Convention,
    Thresholds,
    read_file,
)

TEMPLATES = read_file()["template"]
RECORDS = {
    name: own
    for family in FAMILIES
    for name, own in read_file().get(family, {}).items()
}
FIELDS = {field.name for field in fields(Convention)} - {"name", "family"} | {"like"}
WORDS = {
    field: words
    for fields in read_file()["choices"].values()
    for field, words in fields.items()
}
TEXTS = ("like", "source", "versions", "peculiarity", "not_reproduced")
NUMBERS = ("without_positives", "without_negatives")


def wrong_with(own: dict) -> list[str]:
    """What is wrong with the fields of a record or of a template."""
    kinds = {
        "left_out": bool,
        "run": bool,
        "grid": dict,
        "thresholds": dict,
    } | dict.fromkeys(TEXTS, str)
    wrong = [f"{key} is no field" for key in own if key not in FIELDS]
    wrong += [
        f"{key} is of another type"
        for key in own
        if not isinstance(own[key], kinds.get(key, object))
    ]
    wrong += [
        f"{key} has no {own[key]!r}"
        for key in own
        if str(own[key]) not in (WORDS.get(key) or str(own[key]))
    ]
    wrong += [
        f"{key} is no answer"
        for key in NUMBERS
        if not isinstance(own.get(key, 0.0), float | str)
    ]
    for key, part in (("grid", Grid), ("thresholds", Thresholds)):
        table, words = (
            own.get(key, {}),
            {name: get_args(hint) for name, hint in get_type_hints(part).items()},
        )
        for name, value in table.items() if isinstance(table, dict) else ():
            if name not in words or (
                isinstance((*words[name], None)[0], str) and value not in words[name]
            ):
                wrong.append(f"{key}.{name} has no {value!r}")
            if (
                name == "levels"
                and isinstance(value, str)
                and value not in RECALL_LEVELS
            ):
                wrong.append(f"levels {value!r} are not in RECALL_LEVELS")
    return wrong


def test_fields_are_those_of_a_record():
    assert {
        name: wrong
        for name, own in (TEMPLATES | RECORDS).items()
        if (wrong := wrong_with(own))
    } == {}


@pytest.mark.parametrize(
    "own",
    [
        {"name": "twice"},
        {"tie": "stable"},
        {"ties": "stabel"},
        {"left_out": 1},
        {"source": 3},
        {"grid": 11},
        {"grid": {"name": "ten", "level": [0.1]}},
        {"grid": {"name": "ten", "levels": "numpy.arange(10)"}},
        {"thresholds": {"counts": 3}},
        {"thresholds": {"count": 3, "rule": "below"}},
        {"without_positives": 0},
    ],
    ids=str,
)
def test_spoiled_fields_are_noticed(own):
    assert wrong_with(own)


def test_every_row_of_levels_is_used_and_named():
    grids = [own["grid"] for own in (TEMPLATES | RECORDS).values() if "grid" in own]
    assert {grid["levels"] for grid in grids if isinstance(grid["levels"], str)} == set(
        RECALL_LEVELS
    )
    assert CONVENTIONS["COCO"].grid.levels == tuple(np.linspace(0, 1, 101))
    assert CONVENTIONS["VOC 2007"].grid.levels == tuple(j * 0.1 for j in range(11))
    level = f"({_registry.LEVEL})"
    assert {CONVENTIONS[name].grid.levels for name in RECORDS if level in name} == {
        (_registry.LEVEL,)
    }


def test_a_record_prints_as_the_caption_of_its_number():
    record = CONVENTIONS["eleven-point"]
    assert str(record).startswith(
        "AP[mean over queries, query weights used, best precision at each recall or beyond"
    )
    assert repr(record) == f"eleven-point: {record}"
    assert (
        str(CONVENTIONS["scikit-learn"])
        == "AP[precision at each threshold, times the recall gained]"
    )

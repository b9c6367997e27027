"""The file of records against a schema: its keys and words, and what records take over from others."""

import tomllib
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from sklearn_ap import _registry, compatibility
from sklearn_ap.compatibility import CONVENTIONS, OPTIONS, Convention, Grid, Thresholds
from sklearn_ap.compatibility._records import GROUPS, RECALL_LEVELS

FILE = Path(compatibility.__file__).with_name("records.toml")
DATA = tomllib.loads(FILE.read_text())
PACKAGES = [group for group in GROUPS if group != "sklearn_ap"]
TEMPLATES = DATA["template"]
RECORDS = {name: own for group in PACKAGES for name, own in DATA[group].items()}
FIELDS = {field.name: field.default for field in fields(Convention)} | {
    "like": "",
    "run": True,
    "versions": None,
}
TEXTS = ("like", "source", "versions", "peculiarity", "not_reproduced")


def wrong_with(own: dict) -> list[str]:
    """What is wrong with the fields of a record or of a template."""
    kinds = {"left_out": bool, "run": bool, "grid": dict, "thresholds": dict} | dict.fromkeys(TEXTS, str)
    wrong = [f"{key} is no field" for key in own if key not in FIELDS or key == "name"]
    wrong += [f"{key} is of another type" for key in own if not isinstance(own[key], kinds.get(key, object))]
    wrong += [f"{key} has no {own[key]!r}" for key in own if own[key] not in OPTIONS.get(key, [own[key]])]
    for key, part in (("grid", Grid), ("thresholds", Thresholds)):
        known = {field.name for field in fields(part)}
        table = own.get(key) if isinstance(own.get(key), dict) else {}
        wrong += [f"{key}.{name} is no field" for name in table if name not in known]
        if isinstance(table.get("levels"), str) and table["levels"] not in RECALL_LEVELS:
            wrong.append(f"levels {table['levels']!r} are not in RECALL_LEVELS")
    return wrong


def test_fields_are_those_of_a_record():
    assert {name: wrong for name, own in (TEMPLATES | RECORDS).items() if (wrong := wrong_with(own))} == {}


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
    ],
    ids=str,
)
def test_spoiled_fields_are_noticed(own):
    assert wrong_with(own)


def test_every_row_of_levels_is_used_and_named():
    grids = [own["grid"] for own in (TEMPLATES | RECORDS).values() if "grid" in own]
    assert {grid["levels"] for grid in grids if isinstance(grid["levels"], str)} == set(RECALL_LEVELS)
    assert CONVENTIONS["COCO"].grid.levels == tuple(np.linspace(0, 1, 101))
    assert CONVENTIONS["VOC 2007"].grid.levels == tuple(j * 0.1 for j in range(11))
    level = f"({_registry.LEVEL})"
    assert {CONVENTIONS[name].grid.levels for name in RECORDS if level in name} == {(_registry.LEVEL,)}

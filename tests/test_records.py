"""The file of records: its words, its levels, and how a record prints."""

import re
from typing import get_args, get_type_hints

import numpy as np
import pytest

from sklearn_ap import _registry
from sklearn_ap.compatibility import CONVENTIONS
from sklearn_ap.compatibility._areas import Grid
from sklearn_ap.compatibility._records import (
    FAMILIES,
    RECALL_LEVELS,
    Thresholds,
    read_file,
    records_in,
    tables_in,
)

WORDS = {
    field: words
    for fields in read_file()["choices"].values()
    for field, words in fields.items()
}
RECORDS = [one for one in CONVENTIONS.values() if one.family != "sklearn_ap"]
FIELDS_OF_GRIDS = {name: get_args(of) for name, of in get_type_hints(Grid).items()}


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_words_of_a_record_are_those_of_its_choices(record):
    """A key that is no field is an error as soon as any record is read."""
    for field, words in WORDS.items():
        assert str(getattr(record, field)) in (words or str(getattr(record, field)))
    rule = record.thresholds and record.thresholds.rule
    assert rule in (None, *get_args(get_type_hints(Thresholds)["rule"]))
    for field in ("met_by", "weights") if record.grid else ():
        assert getattr(record.grid, field) in FIELDS_OF_GRIDS[field]


# Tables with a fault, and the words about it, which name the record.
FAULTS = {
    '[classification."x"]': "'classification', the family of ['x'], must be one of ['skle",
    "[R.x]": "'x' of 'R' requires the key 'source'; got []",
    '[R.x]\ntie = "stable"': "'x' of 'R': key 'tie' must be one of ['like', 'score_dtype',",
    '[R.x]\nname = "y"': "'x' of 'R': key 'name' must be one of ['like', 'score_dtype',",
    '[R.x]\nlike = "kera"': "'x' of 'R': like='kera' must be one of ['y']",
    '[R.x]\nlike = "y"\n[Classification.x]\nlike = "y"': "'x' of 'R' must have a name of its own",
    "[R.x]\nlike = 1": "'x' of 'R': like=1 must be one of ['y']",
    '[template.x]\ntie = "stable"': "'x' of 'template': key 'tie' must be one of",
    '[R]\nx = "x 1"': "'x' of 'R' must be a table of ['like',",
    '[R.x]\nlike = "y"\ngrid = { levels = [0.5] }': "'x' of 'R', grid requires the key 'name'",
    '[R.x]\nlike = "y"\ngrid = { name = "", levels = "11" }': (
        "'x' of 'R', grid: levels='11' must be a list, or one of ['numpy"
    ),
    '[R.x]\nlike = "y"\nthresholds = { counts = 3 }': (
        "'x' of 'R', thresholds: key 'counts' must be one of ['count', 'rule']"
    ),
    '[R.x]\nlike = "y"\nthresholds = 3': (
        "'x' of 'R', thresholds must be a table of ['count', 'rule']; got 3"
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_file_names_its_record(fault):
    text = f'[choices.area]\n[template.y]\nsource = "y 1"\n{fault}'
    message = re.escape(f"records.toml: {FAULTS[fault]}")
    with pytest.raises(ValueError, match=f"^{message}"):
        records_in(tables_in(text))


def test_every_row_of_levels_is_used_and_named():
    tables = [read_file().get(family, {}) for family in ("template", *FAMILIES)]
    levels = [
        own.get("grid", {}).get("levels") for table in tables for own in table.values()
    ]
    written = {text for text in levels if isinstance(text, str)}
    assert written == set(RECALL_LEVELS)
    assert CONVENTIONS["COCO"].grid.levels == tuple(np.linspace(0, 1, 101))
    assert CONVENTIONS["VOC 2007"].grid.levels == tuple(j * 0.1 for j in range(11))
    level = f"({_registry.LEVEL})"
    assert {one.grid.levels for one in RECORDS if level in one.name} == {
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

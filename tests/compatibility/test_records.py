"""The file of records: its words, its levels, and the text of a record."""

from dataclasses import dataclass, fields
from typing import get_args

import numpy as np
import pytest

import sklearn_ap
from scores import FAMILY_S, FAMILY_Y
from sklearn_ap._core import registry
from sklearn_ap._core.areas.step import STEP
from sklearn_ap._core.definition import Definition
from sklearn_ap._core.typing import TiePolicy
from sklearn_ap.compatibility import CONVENTIONS, score_as
from sklearn_ap.compatibility._records import (
    _FIELDS_OF_RECORDS,
    FAMILIES,
    RECALL_LEVELS,
    _record_of,
    read_file,
    records_in,
    tables_in,
)

RECORDS = [one for one in CONVENTIONS.values() if one.family != "sklearn_ap"]


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ('[classification."x"]', r"each table must be one of .*got .*'classification': \['x'\]"),
        ("[R.x]", r"'x' of 'R': KeyError\('source'\)"),
        ('[R.x]\nlike = "kera"', r"'x' of 'R': KeyError\('kera'\)"),
        ('[R]\nx = "x 1"', "'x' of 'R': TypeError.*str"),
        ('[R.x]\nlike = "y"\narea = "setp"', "'x' of 'R': .*did you mean 'step'"),
        ('[R.x]\nlike = "y"\ngrid = { name = "", levels = [2] }', "'x' of 'R': .*levels"),
        ('[R.x]\nlike = "y"\nthresholds = { counts = 3 }', "'x' of 'R': .*'counts'"),
    ],
)  # fmt: skip
def test_a_fault_of_the_file_names_its_record(fault, message):
    text = f'[choices.area]\n[template.y]\nsource = "y 1"\n{fault}'
    with pytest.raises(ValueError, match=f"^records.toml: {message}"):
        records_in(tables_in(text))


@dataclass(frozen=True, eq=False)
class WithBeta(Definition):
    beta: float | None = None


def test_a_record_loses_no_field_of_a_definition():
    """If this test fails, `Convention` needs the new field, too, and `_record_of` and
    `_definition` of `_score_as` must copy it.
    """
    # A record has a prevalence, which no number of this package has by default.
    known = _FIELDS_OF_RECORDS | {"prevalence"}
    assert {field.name for field in fields(Definition)} == known
    number, *_ = registry.NUMBERS
    given = {name: getattr(number.definition, name) for name in known}
    assert _record_of(number._replace(definition=WithBeta(**given))).area == "step"
    for lost in (WithBeta(**given, beta=2.0), Definition(STEP, prevalence=0.5)):
        with pytest.raises(ValueError, match=r"^a record is not defined for scores"):
            _record_of(number._replace(definition=lost))


def test_records_know_every_policy_for_equal_scores():
    of_records = read_file()["choices"]["ties"]["ties"]
    assert {*get_args(TiePolicy)} < {*of_records}


def test_every_row_of_levels_is_used():
    tables = [read_file().get(family, {}) for family in ("template", *FAMILIES)]
    levels = [
        own.get("grid", {}).get("levels") for table in tables for own in table.values()
    ]
    written = {text for text in levels if isinstance(text, str)}
    assert written == set(RECALL_LEVELS)


@pytest.mark.parametrize(
    ("name", "levels"),
    [("COCO", np.linspace(0, 1, 101)), ("VOC 2007", [j * 0.1 for j in range(11)])],
)
def test_levels_are_those_of_the_package_to_the_bit(name, levels):
    assert CONVENTIONS[name].grid.levels == tuple(levels)


@pytest.mark.parametrize("name", CONVENTIONS)
def test_the_call_of_a_record_returns_its_number(name):
    """The ten rows have no equal scores."""
    names = {name: getattr(sklearn_ap, name) for name in sklearn_ap.__all__}
    names |= {"score_as": score_as, "k": 3}
    names |= {"y_true": FAMILY_Y, "y_score": FAMILY_S}
    expected = score_as(name, FAMILY_Y, FAMILY_S, k=3)
    assert eval(CONVENTIONS[name].call, names) == pytest.approx(expected, abs=1e-15)


def test_a_record_prints_as_the_caption_of_its_number():
    record = CONVENTIONS["eleven-point"]
    assert str(record).startswith("AP[mean over queries, best precision at each recall")
    assert repr(record) == f"eleven-point: {record}"

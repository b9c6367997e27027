"""The file of records: its words, its levels, and the text of a record."""

from dataclasses import fields
from typing import get_args

import numpy as np
import pytest

import sklearn_ap
from scores import FAMILY_S, FAMILY_Y, used_by
from sklearn_ap._core.definition import Definition
from sklearn_ap._core.reading.options import read_prevalence
from sklearn_ap._core.typing import TiePolicy
from sklearn_ap.compatibility import CONVENTIONS, score_as
from sklearn_ap.compatibility._package_areas import LevelWeights, MetBy
from sklearn_ap.compatibility._records import (
    FAMILIES,
    RECALL_LEVELS,
    ThresholdRule,
    check_choices,
    read_file,
)


def test_the_file_has_known_tables():
    others = {"choices", "template", "alias", "not_reproduced"}
    others |= {"ranking"}
    tables = {*FAMILIES, *others}
    assert {*read_file()} == tables


@pytest.mark.parametrize("name", CONVENTIONS)
def test_a_record_has_choices_that_are_computed(name):
    record = CONVENTIONS[name]
    check_choices(record)
    read_prevalence(record.prevalence)
    for value in (record.without_positives, record.without_negatives):
        assert value in (None, "error") or isinstance(value, float)
    if record.thresholds is not None:
        assert record.thresholds.rule in get_args(ThresholdRule)
    if record.capped:
        needed = record.area, record.cut, record.normalizer, record.weights
        assert needed == ("step", "k", "n_positives", "ignored")


@pytest.mark.parametrize("name", [one for one in CONVENTIONS if CONVENTIONS[one].grid])
def test_the_levels_of_a_grid_are_sorted_shares(name):
    grid = CONVENTIONS[name].grid
    levels = grid.values
    assert np.array_equal(levels, np.unique(levels))
    assert 0 <= levels[0] <= levels[-1] <= 1
    assert 0 <= grid.floor < 1
    assert grid.met_by in get_args(MetBy)
    # With a single level, there is no trapezoid, and no gap.
    weights = get_args(LevelWeights) if levels.size > 1 else ("equal", "differences")
    assert grid.weights in weights


def test_a_record_loses_no_field_of_a_definition():
    """If this test fails, `Convention` needs the new field, too, and `_convention_of` and
    `_definition` of `_score_as` must copy it.
    """
    # A record has a prevalence, which no number of this package has by default.
    known = {"area", "levels", "cut", "ties", "normalizer", "prevalence"}
    assert {field.name for field in fields(Definition)} == known


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
    expected = score_as(name, FAMILY_Y, FAMILY_S, **used_by(name, k=3))
    assert eval(CONVENTIONS[name].call, names) == pytest.approx(expected, abs=1e-15)


def test_a_record_prints_as_the_caption_of_its_number():
    record = CONVENTIONS["eleven-point"]
    assert str(record).startswith("AP[mean over queries, best precision at each recall")
    assert repr(record) == f"eleven-point: {record}"

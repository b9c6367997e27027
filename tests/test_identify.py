"""`identify`: which conventions print a number."""

from decimal import Decimal

import numpy as np
import pytest

import sklearn_ap
from scores import FAMILY_S, FAMILY_Y, MCCANN_S, MCCANN_Y, TIED_S, TIED_Y
from sklearn_ap.compatibility import (
    CONVENTIONS,
    identify,
    score_as,
)


def names_of(group) -> list[str]:
    return [convention.name for convention in group.conventions]


def test_a_number_of_a_voc_script():
    found = identify("0.7955", MCCANN_Y, MCCANN_S)
    assert names_of(found.groups[0])[:2] == ["VOC 2007", "voc_ap, use_07_metric"]
    assert len(found.groups) == 1
    assert names_of(identify("0.8030", MCCANN_Y, MCCANN_S).groups[0])[0] == "eleven-point"
    assert identify("79.55%", MCCANN_Y, MCCANN_S).groups == found.groups


def test_tied_data_tell_orders_apart():
    y_true, y_score = [0, 1, 1, 0, 0, 0, 1], [9, 5, 5, 5, 5, 5, 1]
    values = {name: score_as(name, y_true, y_score) for name in ("scikit-learn", "VOC 2010", "gluoncv")}
    assert len(set(values.values())) == 3
    for name, value in values.items():
        nearest, *_ = identify(value, y_true, y_score).groups
        assert name in names_of(nearest)
        assert not (set(values) - {name}) & set(names_of(nearest))
        assert nearest.off == pytest.approx(0, abs=1e-12)


def test_tolerance_of_the_digits():
    assert identify("0.69", FAMILY_Y, FAMILY_S).tol == 0.005
    assert identify("7e-1", FAMILY_Y, FAMILY_S).tol == 0.05
    assert identify(Decimal("0.700"), FAMILY_Y, FAMILY_S).tol == 0.0005
    assert identify(np.float32(0.7), FAMILY_Y, FAMILY_S, tol=np.float32(0.5)).tol == 0.5
    assert identify("69.8 %", FAMILY_Y, FAMILY_S).tol == pytest.approx(0.0005)
    assert identify(0.69, FAMILY_Y, FAMILY_S).tol == 1e-6
    assert identify("0.69", FAMILY_Y, FAMILY_S, tol=0.1).tol == 0.1
    values = [group.value for group in identify("0.7", FAMILY_Y, FAMILY_S).groups]
    assert all(0.65 <= value <= 0.75 for value in values)
    offs = [abs(group.off) for group in identify("0.7", FAMILY_Y, FAMILY_S).groups]
    assert offs == sorted(offs)


def test_half_a_unit_is_near_enough_and_more_is_not():
    y_true, y_score = [1, 0, 1, 0], [4, 3, 2, 1]
    assert score_as("R-precision", y_true, y_score) == 0.5
    for asked, found in (("0.5", True), ("0.49", False), ("0.51", False), ("0.505", False), ("1", True)):
        groups = identify(asked, y_true, y_score).groups
        assert any("R-precision" in names_of(group) for group in groups) == found, asked


def test_cuts_are_searched_only_with_k():
    value = score_as("ml_metrics apk", FAMILY_Y, FAMILY_S, k=3)
    assert not any(
        "apk" in name for group in identify(value, FAMILY_Y, FAMILY_S).groups for name in names_of(group)
    )
    assert "ml_metrics apk" in names_of(identify(value, FAMILY_Y, FAMILY_S, k=3).groups[0])
    expected = sklearn_ap.average_precision_at_k_score(TIED_Y, TIED_S, k=3, ties="expected", normalizer="k")
    assert "AP@k over k, expected ties" in names_of(identify(expected, TIED_Y, TIED_S, k=3).groups[0])


def test_groups_are_disjoint_and_hold_every_convention_that_has_a_number():
    found = identify("0.7", FAMILY_Y, FAMILY_S, k=3)
    names = [name for group in (*found.groups, *found.others) for name in names_of(group)]
    assert len(names) == len(set(names))
    assert set(names) >= set(CONVENTIONS)
    assert sorted(group.value for group in (*found.groups, *found.others)) == sorted(
        {group.value for group in (*found.groups, *found.others)}
    )


def test_conventions_without_a_number_are_told():
    found = identify("0.7", TIED_Y, TIED_S)
    names = [name for name, _ in found.without_number]
    assert {"voc_ap", "Ultralytics", "ranx map", "trec_eval map"} <= set(names)
    assert all(why.endswith(".") for _, why in found.without_number)
    assert str(found).splitlines()[-1] == f"{len(names)} more have no number here: see without_number."
    assert "voc_ap" not in found.to_frame().index


def test_an_answer_that_is_no_number_can_be_asked_for():
    (group,) = identify(-1, [0, 0], [2, 1]).groups
    assert names_of(group) == ["COCO", "supervision", "torchmetrics MeanAveragePrecision"]


def test_frame_of_an_identification():
    found = identify("0.7", FAMILY_Y, FAMILY_S)
    frame = found.to_frame()
    assert list(frame.columns) == ["value", "off", "near"]
    assert frame["near"].sum() == sum(len(group.conventions) for group in found.groups)
    assert list(frame["off"].abs()) == sorted(frame["off"].abs())


def test_a_percentage_is_hinted_at():
    text = "Above 1 it may be a percentage: pass '69.8%'"
    assert text in str(identify(69.8, FAMILY_Y, FAMILY_S))
    assert identify("69.8%", FAMILY_Y, FAMILY_S).groups


def test_nothing_near_enough_says_so():
    found = identify(0.123456, FAMILY_Y, FAMILY_S)
    assert found.groups == ()
    assert str(found).startswith("No convention gives 0.123456 within 1e-06.\nThe nearest:\n")
    assert max(map(len, str(found).splitlines())) <= 80

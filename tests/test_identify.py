"""`identify`: which conventions print a number."""

from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest

from scores import FAMILY_S, FAMILY_Y, MCCANN_S, MCCANN_Y, TIED_S, TIED_Y
from sklearn_ap.compatibility import (
    CONVENTIONS,
    NoNumberError,
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


def test_every_convention_stands_once_in_the_group_of_its_number():
    found = identify("0.7", FAMILY_Y, FAMILY_S, k=3, tol=1)
    value_of = {}
    for group in found.groups:
        for name in names_of(group):
            assert name not in value_of
            value_of[name] = group.value
    for name in CONVENTIONS:
        assert value_of[name] == pytest.approx(score_as(name, FAMILY_Y, FAMILY_S, k=3), abs=1e-12)


def test_conventions_of_one_number_stand_in_one_group():
    found = identify("0.7", FAMILY_Y, FAMILY_S, k=3, tol=1)
    values = sorted(group.value for group in found.groups)
    assert len(values) > 5
    assert all(after - before > 1e-9 for before, after in pairwise(values))


def test_conventions_without_a_number_are_told():
    found = identify("0.7", TIED_Y, TIED_S)
    names = [name for name, _ in found.without_number]
    assert {"voc_ap", "Ultralytics", "ranx map", "trec_eval map"} <= set(names)
    assert all(why.endswith(".") for _, why in found.without_number)
    assert "voc_ap" not in [name for group in found.groups for name in names_of(group)]


def test_an_answer_that_is_no_number_can_be_asked_for():
    (group,) = identify(-1, [0, 0], [2, 1]).groups
    assert names_of(group) == ["COCO", "supervision", "torchmetrics MeanAveragePrecision"]


def test_a_percentage_is_hinted_at():
    text = "\nAbove 1 it may be a percentage: pass '69.8%'.\n"
    assert text in str(identify(69.8, FAMILY_Y, FAMILY_S))
    assert identify("69.8%", FAMILY_Y, FAMILY_S).groups


def test_nothing_near_enough_says_so():
    found = identify(0.123456, FAMILY_Y, FAMILY_S)
    assert found.groups == ()
    assert str(found).startswith("No convention gives 0.123456 within 1e-06.\n")
    assert max(map(len, str(found).splitlines())) <= 80


# --- what was not searched -------------------------------------------------------------------------------


def said(value, y_true=FAMILY_Y, y_score=FAMILY_S, **arguments) -> str:
    """The printed text without its line ends."""
    return " ".join(str(identify(value, y_true, y_score, **arguments)).split())


def test_one_line_tells_what_was_not_searched():
    queries = {"query_id": list("aabbccddee")}
    line = "Not searched: cuts at k (no k was given), missed positives (no total was given)."
    assert str(identify("0.7240", FAMILY_Y, FAMILY_S)).splitlines()[-1] == line
    assert str(identify("0.1234", FAMILY_Y, FAMILY_S)).splitlines()[-1] == line
    assert identify("0.724", FAMILY_Y, FAMILY_S, n_positives=5).notes == (
        "Not searched: cuts at k (no k was given).",
    )
    assert identify("0.724", FAMILY_Y, FAMILY_S, k=7).notes == (
        "Cuts are at k = 7. Not searched: missed positives (no total was given).",
    )
    assert identify("0.724", FAMILY_Y, FAMILY_S, k=0.2, n_positives=5).notes == ("Cuts are at k = 0.2.",)
    n_refused = sum(one.queries == "refused" for one in CONVENTIONS.values())
    assert identify("0.5", FAMILY_Y, FAMILY_S, tol=1, **queries).notes == (
        f"{line} Without a number here: {n_refused} (compare_conventions shows why).",
    )


def test_item_ids_are_asked_for_only_where_they_may_matter():
    text = "orders of equal scores by item (no item_id was given)"
    assert text in said(0.8571, TIED_Y, TIED_S)  # in the range of trec_eval map
    assert text not in said(0.1234, TIED_Y, TIED_S)  # out of every range
    assert text not in said(0.8571, TIED_Y, TIED_S, item_id=list("fedcba"))
    assert text not in said(0.123456)


def test_a_float_that_nothing_gives_may_have_been_rounded():
    hint = (
        "The number 0.724 means itself, within 1e-06. If it was rounded, give it as text: '0.724' means its "
    )
    for value in (0.724, np.float64(0.724), np.float32(0.724)):
        assert hint + "digits." in said(value)
    for value in ("0.11", Decimal("0.11")):
        assert "give it as text" not in said(value)
    assert "give it as text" not in said(0.724, tol=1e-9)
    exact = score_as("VOC 2007", FAMILY_Y, FAMILY_S)
    assert "give it as text" not in said(exact)


def test_conventions_without_a_number_are_counted():
    for value in ("0.1234", "0"):
        found = identify(value, [0, 0, 0], [3, 2, 1])
        assert found.notes[-1].endswith(
            f"Without a number here: {len(found.without_number)} (compare_conventions shows why)."
        )


# --- orders of equal scores that are open ----------------------------------------------------------------


def test_a_number_inside_an_open_range_may_be_that_convention():
    found = identify("0.8571", TIED_Y, TIED_S)
    assert found.groups == ()
    assert "No convention gives 0.8571 within 5e-05, whatever the order of equal scores.\nmay be: " in str(
        found
    )
    names = [name for group in found.possible for name in names_of(group)]
    assert {"trec_eval map", "voc_ap", "ranx map"} <= set(names)
    assert len(names) == len(set(names))
    for group in found.possible:
        assert group.low <= 0.8571 <= group.high
        for name in names_of(group):
            with pytest.raises(NoNumberError) as caught:
                score_as(name, TIED_Y, TIED_S)
            assert (caught.value.low, caught.value.high) == pytest.approx((group.low, group.high), abs=1e-9)
    ranges = [(group.low, group.high) for group in found.possible]
    assert len(ranges) == len(set(ranges))


def test_conventions_that_no_order_explains_are_ruled_out():
    found = identify("0.1234", TIED_Y, TIED_S)
    assert found.possible == ()
    assert f"Without a number here: {len(found.without_number)} " in found.notes[-1]
    likely = identify("0.8571", TIED_Y, TIED_S)
    n_possible = sum(len(group.conventions) for group in likely.possible)
    assert f"Without a number here: {len(likely.without_number) - n_possible} " in likely.notes[-1]


def test_ends_of_a_range_are_near_enough_as_numbers_are():
    with pytest.raises(NoNumberError) as caught:
        score_as("voc_ap", TIED_Y, TIED_S)
    for end, way in ((caught.value.low, -1), (caught.value.high, 1)):
        for off, inside in ((0.0009, True), (0.0011, False)):
            found = identify(end + way * off, TIED_Y, TIED_S, tol=0.001)
            assert ("voc_ap" in [name for group in found.possible for name in names_of(group)]) == inside


def test_output_fits_a_terminal():
    for value in ("0.1234", 0.8571, 0.857, "0.7", 69.8, "1e-3"):
        for arguments in ({}, {"k": 2}, {"sample_weight": range(1, 7), "n_positives": 99}):
            lines = str(identify(value, TIED_Y, TIED_S, **arguments)).splitlines()
            assert max(map(len, lines)) <= 80


def test_only_what_exceeds_1_may_be_a_percentage():
    assert "percentage" in str(identify(1.01, FAMILY_Y, FAMILY_S, tol=1e-9))
    assert "percentage" not in str(identify(1.0, FAMILY_Y, FAMILY_S, tol=1e-9))

"""`identify`: which conventions print a number."""

from decimal import Decimal

import numpy as np
import pytest

from scores import FAMILY_S, FAMILY_Y, MCCANN_S, MCCANN_Y, TIED_S, TIED_Y
from sklearn_ap.compatibility import NoNumberError, identify, score_as


def names_of(group) -> list[str]:
    return [convention.name for convention in group.conventions]


def test_a_number_of_a_voc_script():
    found = identify("0.7955", MCCANN_Y, MCCANN_S)
    assert names_of(found.groups[0])[:2] == ["VOC 2007", "voc_ap, use_07_metric"]
    assert len(found.groups) == 1
    assert (
        names_of(identify("0.8030", MCCANN_Y, MCCANN_S).groups[0])[0] == "eleven-point"
    )
    assert identify("79.55%", MCCANN_Y, MCCANN_S).groups == found.groups


def test_tied_data_tell_orders_apart():
    y_true, y_score = [0, 1, 1, 0, 0, 0, 1], [9, 5, 5, 5, 5, 5, 1]
    values = {
        name: score_as(name, y_true, y_score)
        for name in ("scikit-learn", "VOC 2010", "gluoncv")
    }
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
    assert [identify("0.69", FAMILY_Y, FAMILY_S, tol=tol).tol for tol in (0.1, 0)] == [
        0.1,
        0,
    ]
    values = [group.value for group in identify("0.7", FAMILY_Y, FAMILY_S).groups]
    assert all(0.65 <= value <= 0.75 for value in values)
    offs = [abs(group.off) for group in identify("0.7", FAMILY_Y, FAMILY_S).groups]
    assert offs == sorted(offs)


@pytest.mark.parametrize("rounded", ["0.12", "0.13"])
def test_a_number_at_exactly_half_a_unit_is_found(rounded):
    """The float 0.125 is 0.005 from both, and a bit more, as floats subtract them."""
    groups = identify(rounded, [0] * 7 + [1], range(8, 0, -1)).groups
    (exact,) = (group for group in groups if group.value == 0.125)
    assert "scikit-learn" in names_of(exact)


# --- what was not searched ------------------------------------------------------------


def said(value, y_true=FAMILY_Y, y_score=FAMILY_S, **arguments) -> str:
    """The printed text without its line ends."""
    return " ".join(str(identify(value, y_true, y_score, **arguments)).split())


def test_a_float_that_nothing_gives_may_have_been_rounded():
    hint = (
        "The number 0.724 means itself, within 1e-06. If it was rounded, give it as "
        "text: '0.724' means its "
    )
    for value in (0.724, np.float64(0.724), np.float32(0.724)):
        assert hint + "digits." in said(value)
    for value in ("0.11", Decimal("0.11")):
        assert "give it as text" not in said(value)
    assert "give it as text" not in said(0.724, tol=1e-9)
    exact = score_as("VOC 2007", FAMILY_Y, FAMILY_S)
    assert "give it as text" not in said(exact)


# --- orders of equal scores that are open ---------------------------------------------


def test_a_number_inside_an_open_range_may_be_that_convention():
    found = identify("0.8571", TIED_Y, TIED_S)
    assert found.groups == ()
    assert (
        "No convention gives 0.8571 within 5e-05, whatever the order of equal scores.\nmay be: "
        in str(found)
    )
    names = [name for group in found.possible for name in names_of(group)]
    assert {"trec_eval map", "voc_ap", "ranx map"} <= set(names)
    assert len(names) == len(set(names))
    for group in found.possible:
        assert group.low <= 0.8571 <= group.high
        for name in names_of(group):
            with pytest.raises(NoNumberError) as caught:
                score_as(name, TIED_Y, TIED_S)
            assert (caught.value.low, caught.value.high) == pytest.approx(
                (group.low, group.high), abs=1e-9
            )
    ranges = [(group.low, group.high) for group in found.possible]
    assert len(ranges) == len(set(ranges))


def test_conventions_that_no_order_explains_are_ruled_out():
    found = identify("0.1234", TIED_Y, TIED_S)
    assert found.possible == ()
    assert f"Without a number here: {len(found.without_number)} " in found.notes[-1]
    likely = identify("0.8571", TIED_Y, TIED_S)
    n_possible = sum(len(group.conventions) for group in likely.possible)
    assert (
        f"Without a number here: {len(likely.without_number) - n_possible} "
        in likely.notes[-1]
    )

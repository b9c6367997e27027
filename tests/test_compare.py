"""`compare_conventions`: the reasons for a difference, and how a user sees them."""

import pytest

from scores import FAMILY_S, FAMILY_Y, MCCANN_S, MCCANN_Y, TIED_S, TIED_Y
from sklearn_ap.compatibility import (
    CONVENTIONS,
    Convention,
    compare_conventions,
    score_as,
)


def test_reasons_of_a_known_difference():
    (row,) = compare_conventions(MCCANN_Y, MCCANN_S, conventions="VOC 2007").rows
    assert [stop.choice for stop in row.stops] == [
        "queries",
        "ties",
        "weights",
        "area",
        "grid",
        "stated total",
    ]
    (reason,) = row.reasons
    assert (reason.choice, reason.part) == ("grid", pytest.approx(row.difference, abs=1e-12))
    assert row.why == "11 levels, 0:0.1:1 +0.0121"
    assert reason.convention.grid == CONVENTIONS["VOC 2007"].grid
    assert score_as(reason.convention, MCCANN_Y, MCCANN_S) == reason.value


def test_no_number_gets_a_sentence_and_no_parts():
    conventions = ["COCO", "VOC 2010", "CatBoost PRAUC", "XGBoost aucpr"]
    comparison = compare_conventions([0, 0], [2, 1], conventions=conventions)
    for row in comparison.rows:
        assert (row.value, row.difference, row.stops, row.reasons) == (None, None, (), ())
        assert row.why == row.note
        assert row.note.endswith(".")
        assert row.name in row.note
    assert "answers -1, since a ranking lacks positives" in comparison.rows[0].note
    assert "answers nan" in comparison.rows[1].note


def test_a_stop_without_a_number_goes_with_the_next_choice():
    """An order with positives first means nothing while weights are used."""
    one = Convention(name="no weights", ties="optimistic", weights="ignored")
    (row,) = compare_conventions(TIED_Y, TIED_S, sample_weight=[1, 2, 3, 4, 5, 6], conventions=one).rows
    assert [stop.choice for stop in row.stops] == ["ties and weights"]
    assert row.stops[0].words == "positives first among equal scores, sample weights ignored"
    assert row.stops[0].part == pytest.approx(row.difference, abs=1e-15)


def test_frame():
    comparison = compare_conventions(
        FAMILY_Y, FAMILY_S, conventions=["eleven-point", "ml_metrics apk", "COCO"]
    )
    frame = comparison.to_frame()
    assert (frame.dtypes["value"], frame.dtypes["difference"]) == (float, float)
    assert compare_conventions([0, 0], [2, 1], conventions="COCO").to_frame()["value"].isna().all()
    assert list(frame.columns) == ["value", "low", "high", "scikit_learn", "difference", "why"]
    assert list(frame.index) == ["eleven-point", "ml_metrics apk", "COCO"]
    assert frame.loc["COCO", "value"] == score_as("COCO", FAMILY_Y, FAMILY_S)
    assert frame.loc["ml_metrics apk", "why"] == comparison.rows[1].why

"""Records of conventions: what they may hold, and what they say."""

from collections.abc import Iterator
from dataclasses import FrozenInstanceError, fields
from math import nan
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest

import sklearn_ap
from scores import FAMILY_S, FAMILY_Y
from sklearn_ap.compatibility import (
    CHOICES,
    CONVENTIONS,
    OPTIONS,
    Convention,
    Grid,
    Thresholds,
    compare_conventions,
    score_as,
)
from sklearn_ap.compatibility._areas import _nearest_positives
from sklearn_ap.compatibility._choices import even_thresholds
from sklearn_ap.compatibility._records import FAMILY, GROUPS, NOT_REPRODUCED


def test_records_the_issue_asks_for_and_their_words():
    assert len(CONVENTIONS) == sum(map(len, GROUPS.values()))
    for name, one in CONVENTIONS.items():
        assert one.name == name
        assert len(name) <= 41, "or a table of 80 columns grows wider"
        if one not in FAMILY:
            assert one.source
            assert one.peculiarity.endswith(".")
        if one.not_reproduced:
            assert one.not_reproduced.endswith(".")


def test_what_is_not_reproduced_has_its_reason():
    for name, entry in NOT_REPRODUCED.items():
        assert name not in CONVENTIONS
        assert entry["versions"]
        assert entry["reason"].endswith(".")
        near = [name for name in CONVENTIONS if repr(name).strip("\"'") in entry["reason"]]
        assert near, "what a reader can take instead"


def test_defaults_are_scikit_learn_s():
    assert CONVENTIONS["scikit-learn"]._choices == Convention(name="mine")._choices
    assert str(Convention(name="mine")) == "AP[precision at each threshold, times the recall gained]"
    assert list(Convention(name="mine").changes(CONVENTIONS["scikit-learn"])) == []


def test_records_are_frozen_and_every_choice_is_a_field():
    with pytest.raises(FrozenInstanceError):
        CONVENTIONS["COCO"].area = "step"
    choices = [field for names in CHOICES.values() for field in names]
    told = {"name", "versions", "source", "peculiarity", "not_reproduced", "run"}
    assert {field.name for field in fields(Convention)} == set(choices) | told
    assert set(OPTIONS) <= set(choices)
    for name, options in OPTIONS.items():
        assert next(iter(options)) == getattr(Convention(name="default"), name)


@pytest.mark.parametrize("name", [name for name in OPTIONS if name != "area"])
def test_words_of_a_field_are_those_of_its_type(name):
    """A literal type is a list of words for editors: it must be the list that `OPTIONS` explains."""
    assert set(words_of(get_type_hints(Convention)[name])) == set(OPTIONS[name])


def words_of(hint: Any) -> Iterator[str | None]:
    """The words of a literal type, of a union of them, or of None."""
    if hint is type(None):
        yield None
    elif get_origin(hint) is Literal:
        yield from get_args(hint)
    else:
        for part in get_args(hint):
            yield from words_of(part)


@pytest.mark.parametrize(
    ("choices", "text"),
    [
        ({"area": "steps"}, "area must be one of 'step', .*; got 'steps'"),
        ({"ties": None}, "ties must be one of 'proportional'"),
        ({"score_dtype": "float16"}, "score_dtype must be one of None, 'float32'"),
        ({"area": ["step"]}, r"area must be one of .*; got \['step'\]"),
        ({"grid": 11}, "grid must be a Grid or None; got 11"),
        ({"thresholds": 100}, "thresholds must be a Thresholds or None; got 100"),
        ({"cut": 0}, "cut must be None, an integer >= 1 .*; got 0"),
        ({"cut": []}, r"cut must be None, .*; got \[\]"),
        ({"without_positives": True}, "without_positives must be a number or 'error'; got True"),
        ({"without_negatives": float("inf")}, "without_negatives must be a number or 'error'; got inf"),
        ({"without_positives": "nan"}, "without_positives must be a number or 'error'; got 'nan'"),
        ({"without_positives": None}, "without_positives must be a number or 'error'; got None"),
        (
            {"area": "hits", "grid": Grid("two levels", 2)},
            "grid needs area 'step', 'interpolated', 'linear' or 'rec",
        ),
        (
            {"area": "interpolated", "cut": "k"},
            "cut and normalizer need area 'step', 'hits', .* or 'precisions'; got",
        ),
        ({"area": "interpolated", "normalizer": "hits"}, "cut and normalizer need area 'step'"),
        ({"cut": 3, "grid": Grid("two levels", 2)}, "cut and normalizer are not supported with a grid"),
        ({"cut": 3, "thresholds": Thresholds(9)}, "cut and normalizer are not supported with thresholds"),
        (
            {"cut": "n_positives"},
            "cut='n_positives' of area 'step' needs weights .*; got cut='n_positives'.$",
        ),
        (
            {"cut": "n_positives", "area": "hits", "normalizer": "k"},
            "cut='n_positives' needs normalizer 'n_p",
        ),
        (
            {"cut": "n_positives", "area": "hits", "ties": "expected"},
            "ties='expected' is not supported with cut='n_pos",
        ),
        ({"ties": "expected", "area": "linear"}, "ties='expected' needs area 'step', 'hits', 'rec"),
        ({"ties": "expected", "grid": Grid("two levels", 2)}, "ties='expected' is not supported with a grid"),
        ({"area": "davis-goadrich, unit steps"}, "area='davis-goadrich, unit steps' needs weights 'ignored'"),
        ({"one_row": "perfect"}, "one_row needs the mean over queries; got one_row='perfect'"),
        (
            {"area": "linear", "weights": "ignored", "grid": CONVENTIONS["Ultralytics"].grid},
            "grid of area 'linear' needs met_by='recall'",
        ),
        ({"area": "linear", "grid": Grid("two levels", 2)}, "grid of area 'linear' needs weights 'ignored'"),
        ({"grid": Grid("high", 2, floor=0.5)}, "grid with a floor needs area 'linear'"),
        (
            {"area": "recall at precision", "grid": Grid("more", 2, met_by="greater recall")},
            "grid of area 'recall at precision' needs met_by='recall'",
        ),
        ({"area": "precisions"}, "area='precisions' needs weights 'ignored'"),
        (
            {"area": "precisions", "weights": "ignored", "cut": "n_positives"},
            "cut='n_positives' is not supported with area='precisions'",
        ),
        (
            {"area": "precisions", "weights": "ignored", "cut": 3, "normalizer": "k"},
            "normalizer is not supported with area='precisions'",
        ),
        (
            {"area": "reciprocal rank"},
            "area 'reciprocal rank' needs ties other than 'proportional'; got area='reciprocal rank'.$",
        ),
        (
            {"area": "reciprocal rank", "ties": "stable", "normalizer": "k"},
            "normalizer is not supported .*; got",
        ),
        (
            {"area": "reciprocal rank", "ties": "stable", "cut": "n_positives"},
            "cut='n_positives' is not supp",
        ),
        ({"first_point": "none"}, "first_point needs area 'linear'"),
        ({"last_point": "(1, 0)"}, "last_point needs area 'interpolated'"),
        (
            {"weights": "ignored", "grid": CONVENTIONS["KITTI R40"].grid},
            "'nearest positives' needs area 'int",
        ),
        (
            {"area": "interpolated", "grid": CONVENTIONS["KITTI R40"].grid},
            "met_by='nearest positives' needs weights 'ignored'",
        ),
    ],
)
def test_choices_that_do_not_go_together(choices, text):
    with pytest.raises(ValueError, match=text):
        Convention(name="wrong", **choices)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Grid("none", None), "levels must be an integer >= 2, or increasing recall .*; got None"),
        (lambda: Grid("one", 1), "levels must be an integer >= 2, or recall levels; got 1"),
        (lambda: Grid("bool", True), "levels must be an integer >= 2, or recall levels; got True"),
        (lambda: Grid("far", (0.5, 1.5)), r"levels must be .* in \[0, 1\]; got \(0.5, 1.5\)"),
        (lambda: Grid("NaN", (0.5, nan)), "levels must be an integer >= 2, or increasing"),
        (lambda: Grid("falling", (0.5, 0.2)), "levels must be an integer >= 2, or increasing"),
        (lambda: Grid("empty", ()), "levels must be an integer >= 2, or increasing"),
        (lambda: Grid("uneven", (0, 0.1, 1), weights="trapezoid"), "weights='trapezoid' needs even levels"),
        (lambda: Grid("single", (0.5,), weights="trapezoid"), "weights='trapezoid' needs even levels"),
        (
            lambda: Grid("near", (0.5, 0.51), met_by="nearest positives"),
            "met_by='nearest positives' needs levels j/40",
        ),
        (
            lambda: Grid("near", 11, met_by="nearest positives"),
            "met_by='nearest positives' needs levels j/40",
        ),
        (lambda: Grid("met", 11, met_by="precision"), "met_by must be one of 'recall'"),
        (lambda: Grid("heavy", 11, weights="heavy"), "weights must be one of 'equal'"),
        (lambda: Grid("high", 11, floor=1.0), r"floor must be a precision in \[0, 1\); got 1.0"),
        (lambda: Grid("high", 11, floor=True), r"floor must be a precision in \[0, 1\); got True"),
        (lambda: Grid("high", 11, floor=nan), r"floor must be a precision in \[0, 1\); got nan"),
        (lambda: Thresholds(1), "count must be an integer >= 2; got 1"),
        (lambda: Thresholds(True), "count must be an integer >= 2; got True"),
        (lambda: Thresholds(10, rule="below"), "rule must be one of 'at or above'"),
    ],
)
def test_parts_of_a_record_are_checked(make, text):
    with pytest.raises(ValueError, match=text):
        make()


def test_levels_in_any_sequence():
    levels = [0.0, 0.5, 1.0]
    grids = [Grid("three", levels), Grid("three", np.array(levels)), Grid("three", tuple(levels))]
    assert len(set(grids)) == 1
    for grid in grids:
        convention = Convention(name="three", area="interpolated", grid=grid)
        (row,) = compare_conventions(FAMILY_Y, FAMILY_S, conventions=convention).rows
        assert row.value == sklearn_ap.interpolated_average_precision_score(
            FAMILY_Y, FAMILY_S, recall_levels=levels
        )


def test_one_row_is_not_a_share_of_one():
    one, all_rows = Convention(name="one", cut=1), Convention(name="all", cut=1.0)
    rows = compare_conventions(FAMILY_Y, FAMILY_S, conventions=[one, all_rows]).rows
    assert [row.value for row in rows] == [
        score_as(one, FAMILY_Y, FAMILY_S),
        score_as(all_rows, FAMILY_Y, FAMILY_S),
    ]
    assert rows[0].value != rows[1].value
    assert [row.stops[0].words for row in rows] == ["the first row", "the first 100% of the rows"]
    assert list(one.changes(all_rows)) == [("cut", "the first row")]


@pytest.mark.parametrize(
    ("n_found", "of", "nearest"),
    [
        (3, 3, [1, 2, 3]),  # fewer than 41 positives: none is left out
        (41, 41, range(1, 42)),
        (80, 80, [1, *range(2, 81, 2)]),  # the nearest to 1/40, 2/40, ...: every second
        (120, 120, [1, *range(3, 121, 3)]),
        (5, 80, [1, 2, 4, 5]),  # the last one found is taken, wherever it lies
        (4, 120, [1, 3, 4]),
        (9, 68, [1, 2, 3, 5, 7, 8, 9]),  # of the 8th and the 9th, as near to 5/40, the better one
        (0, 7, []),
    ],
)
def test_kitti_takes_the_positives_nearest_to_each_fortieth(n_found, of, nearest):
    """Levels are met by the positives whose recall is nearest to a multiple of 1/40, the last one too."""
    expected = np.zeros(41)
    expected[: len(nearest)] = nearest
    assert _nearest_positives(n_found, of).tolist() == expected.tolist()


def test_kitti_s_perfect_ranking_falls_short_of_1():
    """As the peculiarities of both records say: n positives fill n of 41 places."""
    for n in (1, 7, 40):
        assert score_as("KITTI R40", [1] * n, range(n)) == pytest.approx((n - 1) / 40)
    assert score_as("KITTI R11", [1] * 40, range(40)) == pytest.approx(10 / 11)
    for name in ("KITTI R11", "KITTI R40"):
        assert score_as(name, [1] * 41, range(41)) == 1


def test_a_user_s_own_record_works_the_same():
    ours = Convention(name="ours", score_dtype="float32", area="interpolated", grid=Grid("five levels", 5))
    expected = sklearn_ap.interpolated_average_precision_score(FAMILY_Y, FAMILY_S, recall_levels=5)
    assert score_as(ours, FAMILY_Y, FAMILY_S) == expected
    (row,) = compare_conventions(FAMILY_Y, FAMILY_S, conventions=ours).rows
    assert (row.name, row.value) == ("ours", expected)
    assert str(ours) == "AP[scores rounded to float32, best precision at each recall or beyond, five levels]"
    assert repr(ours) == (
        "Convention(name='ours', score_dtype='float32', area='interpolated', "
        "grid=Grid(name='five levels', met_by='recall', weights='equal', floor=0.0))"
    )
    plain = Convention(name="plain", source="here", run=True)
    assert repr(plain) == "Convention(name='plain')"


@pytest.mark.parametrize("count", [100, 200, 1000])
def test_even_thresholds_are_computed_from_both_ends(count):
    """A float32 step, added up from 0 for the lower half and taken off 1 for the upper half."""
    step = float(np.float32(1 / (count - 1)))
    lower = [np.float32(place * step) for place in range(count // 2)]
    upper = [np.float32(1 - place * step) for place in reversed(range(count - count // 2))]
    assert even_thresholds(count).tolist() == [*lower, *upper]
    assert even_thresholds(count).tolist() != [np.float32(place * step) for place in range(count)]

"""Records of conventions: what they may hold, and what they say."""

from math import nan

import numpy as np
import pytest

import sklearn_ap
from scores import FAMILY_S, FAMILY_Y
from sklearn_ap.compatibility import CONVENTIONS, Convention, Grid, Thresholds, compare_conventions, score_as
from sklearn_ap.compatibility._areas import _nearest_positives
from sklearn_ap.compatibility._choices import even_thresholds

TWO, KITTI = Grid("two levels", 2), CONVENTIONS["KITTI R40"].grid
HITS, PRECISIONS = {"area": "hits", "cut": "n_positives"}, {"area": "precisions", "weights": "ignored"}
RANK = {"area": "reciprocal rank", "ties": "stable"}


@pytest.mark.parametrize(
    ("name", "choices"),
    [
        ("area", {"area": "steps"}),
        ("ties", {"ties": None}),
        ("score_dtype", {"score_dtype": "float16"}),
        ("grid", {"grid": 11}),
        ("thresholds", {"thresholds": 100}),
        ("cut", {"cut": 0}),
        ("without_positives", {"without_positives": "nan"}),
        ("without_negatives", {"without_negatives": float("inf")}),
        ("grid", {"area": "hits", "grid": TWO}),
        ("cut", {"area": "interpolated", "cut": "k"}),
        ("normalizer", {"area": "interpolated", "normalizer": "hits"}),
        ("cut", {"cut": 3, "grid": TWO}),
        ("cut", {"cut": 3, "thresholds": Thresholds(9)}),
        ("cut='n_positives'", {"cut": "n_positives"}),
        ("cut='n_positives'", {**HITS, "normalizer": "k"}),
        ("ties='expected'", {**HITS, "ties": "expected"}),
        ("ties='expected'", {"ties": "expected", "normalizer": "hits", "cut": "k"}),
        ("ties='expected'", {"ties": "expected", "area": "linear"}),
        ("ties='expected'", {"ties": "expected", "grid": TWO}),
        ("area", {"area": "davis-goadrich, unit steps"}),
        ("one_row", {"one_row": "perfect"}),
        ("grid", {"area": "linear", "weights": "ignored", "grid": CONVENTIONS["Ultralytics"].grid}),
        ("grid", {"area": "linear", "grid": TWO}),
        ("grid", {"grid": Grid("high", 2, floor=0.5)}),
        ("grid", {"area": "recall at precision", "grid": Grid("more", 2, met_by="greater recall")}),
        ("area='precisions'", {"area": "precisions"}),
        ("area='precisions'", {**PRECISIONS, "cut": "n_positives"}),
        ("normalizer", {**PRECISIONS, "cut": 3, "normalizer": "k"}),
        ("reciprocal rank", {"area": "reciprocal rank"}),
        ("normalizer", {**RANK, "normalizer": "k"}),
        ("cut='n_positives'", {**RANK, "cut": "n_positives"}),
        ("first_point", {"first_point": "none"}),
        ("last_point", {"last_point": "(1, 0)"}),
        ("nearest positives", {"weights": "ignored", "grid": KITTI}),
        ("nearest positives", {"area": "interpolated", "grid": KITTI}),
    ],
)
def test_choices_that_do_not_go_together(name, choices):
    with pytest.raises(ValueError, match=name):
        Convention(name="wrong", **choices)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Grid("none", None), "levels must be an integer >= 2, or increasing recall .*; got None"),
        (lambda: Grid("one", 1), "levels must be an integer >= 2, or recall levels; got 1"),
        (lambda: Grid("far", (0.5, 1.5)), r"levels must be .* in \[0, 1\]; got \(0.5, 1.5\)"),
        (lambda: Grid("NaN", (0.5, nan)), "levels must be an integer >= 2, or increasing"),
        (lambda: Grid("falling", (0.5, 0.2)), "levels must be an integer >= 2, or increasing"),
        (lambda: Grid("uneven", (0, 0.1, 1), weights="trapezoid"), "weights='trapezoid' needs even levels"),
        (
            lambda: Grid("near", (0.5, 0.51), met_by="nearest positives"),
            "met_by='nearest positives' needs levels j/40",
        ),
        (lambda: Grid("whole", 1.0), "levels must be above 0 and below 1 if they are one recall.*; got 1.0"),
        (lambda: Grid("met", 0.5, met_by="documents"), "levels must be above 0 and below 1 if they are one"),
        (lambda: Grid("met", 11, met_by="precision"), "met_by must be one of 'recall'"),
        (lambda: Grid("heavy", 11, weights="heavy"), "weights must be one of 'equal'"),
        (lambda: Grid("high", 11, floor=1.0), r"floor must be a precision in \[0, 1\); got 1.0"),
        (lambda: Grid("high", 11, floor=True), r"floor must be a precision in \[0, 1\); got True"),
        (lambda: Thresholds(1), "count must be an integer >= 2; got 1"),
        (lambda: Thresholds(10, rule="below"), "rule must be one of 'at or above'"),
    ],
)
def test_parts_of_a_record_are_checked(make, text):
    with pytest.raises(ValueError, match=text):
        make()


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


@pytest.mark.parametrize("record", [name for name, one in CONVENTIONS.items() if one.thresholds is not None])
def test_thresholds_rank_many_rows_as_few(record):
    """As many rows as are sorted by packed scores, whose range is that of the thresholds."""
    rng = np.random.default_rng(0)
    y_true = (rng.random(2_000) < 0.3).astype(int)
    y_score = 3 * (rng.normal(size=2_000) + y_true)
    few = score_as(record, y_true, y_score)
    assert score_as(record, np.tile(y_true, 30), np.tile(y_score, 30)) == pytest.approx(few, rel=1e-9)


@pytest.mark.parametrize(("first_point", "heights"), [("(0, 1)", 2.5), ("(0, p1)", 1.75), ("none", 0.75)])
def test_where_a_curve_begins_counts_at_levels_below_its_first_recall(first_point, heights):
    grid = Grid("sixths", levels=(0.0, 1 / 6, 1.0))
    convention = Convention(name="any", area="linear", grid=grid, first_point=first_point, weights="ignored")
    assert score_as(convention, [1, 0, 1, 1], [3, 3, 2, 1]) == pytest.approx(heights / 3)

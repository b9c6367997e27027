"""Walks from scikit-learn's convention: every stop is right, and the parts add up."""

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import conventions_oracle
import oracle
from conventions_oracle import Data, RefusedError
from scores import FAMILY_S, FAMILY_Y, MCCANN_S, MCCANN_Y, TIED_S, TIED_Y
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

GRIDS = [None, Grid("five levels", 5), *(one.grid for one in CONVENTIONS.values() if one.grid is not None)]
JOINED = [None, Grid("five levels", 5), Grid("floor", 5, floor=0.25), Grid("even", (0.25, 0.5, 1), floor=0.5)]
JOINED += [grid for grid in GRIDS if grid is not None and grid.floor]
GRIDS = [grid for grid in GRIDS if grid is None or not grid.floor]
GRIDS_OF_STEPS = [grid for grid in GRIDS if grid is None or grid.met_by != "nearest positives"]
COUNTED = ("davis-goadrich, unit steps", "linear, fewest retrieved", "precisions")
SCORES = [
    (0.0, 0.25, 0.5, 0.75, 1.0),
    (0.5, 0.5 + 1e-9, 0.5 - 1e-9, 0.5 + 2e-8, 0.5 - 8e-9),
    (-1.0, 0.2, 1.0, 3.0, 40.0),
    (0.1, 0.25, 0.45, 0.7, 1.0),  # no two pairs of them lie equally far apart
]
RULES = [
    Thresholds(5),
    Thresholds(4, rule="above"),
    Thresholds(4, rule="strictly above"),
    Thresholds(2, rule="merged"),
]
THRESHOLDS = [None, None, None, *RULES]
UNCUT = [one for one in THRESHOLDS if one is None or one.rule not in ("at or above", "strictly above")]
CUT = ("step", "hits", "precisions", "reciprocal rank")
ORDERS = [one for one in OPTIONS["ties"] if one != "expected"]
NORMALIZERS = ["n_positives", "min", "k", "hits"]
SCIKIT_LEARN = CONVENTIONS["scikit-learn"]


@st.composite
def problems(draw) -> Data:
    n = draw(st.integers(1, 9))
    tied = rows_of(st.sampled_from(draw(st.sampled_from(SCORES))), n)
    scores = draw(tied | st.permutations([row / 8 for row in range(n)]))
    labels = draw(rows_of(st.integers(0, 1), n))
    weights = draw(st.none() | rows_of(st.sampled_from([0.0, 0.5, 1.0, 3.0]), n).filter(any))
    queries = draw(st.none() | rows_of(st.sampled_from("ab"), n))
    items = draw(st.none() | st.permutations([f"d{row}" for row in range(n)]))
    k = draw(st.integers(1, 6))
    return Data(labels, list(scores), weights, queries, items, draw(totals(n, queries)), k)


def rows_of(values, n):
    return st.lists(values, min_size=n, max_size=n)


@st.composite
def totals(draw, n, queries):
    """Nothing stated, or no fewer positives than there are."""
    if draw(st.booleans()):
        return None
    most = 3 * n  # a weight is at most 3
    if queries is None:
        return draw(st.integers(most, most + 4))
    return {query: draw(st.integers(most, most + 4)) for query in "abc"}


@st.composite
def conventions(draw) -> Convention:
    """A record, or any choices that go together."""
    if draw(st.booleans()):
        return draw(st.sampled_from(list(CONVENTIONS.values())))
    choices = draw(areas())
    choices |= {"normalizer": draw(normalizers(**choices)), "weights": draw(uses_of_weights(**choices))}
    return Convention(
        name="any",
        score_dtype=draw(st.sampled_from([None, "float32"])),
        transform=draw(st.sampled_from([None, None, "sigmoid", "near", "input order", "above 0"])),
        thresholds=draw(st.sampled_from(THRESHOLDS if choices["cut"] is None else UNCUT)),
        ties=draw(policies_for_ties(choices["area"], choices["cut"], choices["grid"])),
        total=draw(st.sampled_from(["found", "stated"])),
        **draw(treatments_of_queries()),
        **choices,
        **draw(answers()),
    )


@st.composite
def areas(draw) -> dict:
    """An area, with a cut or a grid, and the ends of its curve."""
    area = draw(st.sampled_from(list(OPTIONS["area"])))
    cut = draw(cuts(area))
    grids = {"step": GRIDS_OF_STEPS, "interpolated": GRIDS, "linear": JOINED}.get(area, [None])
    return {
        "area": area,
        "cut": cut,
        "grid": draw(st.sampled_from(grids)) if cut is None else None,
        "first_point": draw(st.sampled_from(["(0, 1)", "(0, p1)", "none"])) if area == "linear" else "(0, 1)",
        "last_point": draw(st.sampled_from(["none", "(1, 0)"])) if area == "interpolated" else "none",
    }


def cuts(area):
    if area not in CUT:
        return st.none()
    at_positives = [] if area in ("precisions", "reciprocal rank") else ["n_positives"]
    return st.sampled_from([None, "k", 1, 2, 0.5, 1.0, *at_positives])


def normalizers(area, cut, **_):
    only_all_positives = cut in (None, "n_positives") or area in ("precisions", "reciprocal rank")
    return st.sampled_from(NORMALIZERS[:1] if only_all_positives else NORMALIZERS)


def uses_of_weights(area, cut, grid, **_):
    """Weights are ignored where the area counts positives one by one."""
    counted = area in COUNTED or (area, cut) == ("step", "n_positives")
    if grid is not None:
        counted |= area == "linear" or grid.met_by == "nearest positives"
    return st.just("ignored") if counted else st.sampled_from(["used", "ignored"])


def policies_for_ties(area, cut, grid):
    """The mean over all orders has a formula only for sums over rows."""
    has_formula = area in CUT and grid is None and cut != "n_positives"
    if area == "reciprocal rank":  # which a shared threshold does not give
        return st.sampled_from([*ORDERS[1:], "expected"])
    return st.sampled_from([*ORDERS, "expected"] if has_formula else ORDERS)


@st.composite
def treatments_of_queries(draw) -> dict:
    queries = draw(st.sampled_from(list(OPTIONS["queries"])))
    return {
        "queries": queries,
        "one_row": None if queries in ("pooled", "refused") else draw(st.sampled_from([None, "perfect"])),
    }


def answers():
    """What is said in place of a number."""
    return st.fixed_dictionaries(
        {
            "without_positives": st.sampled_from([0.0, 1.0, float("nan"), -1.0, "error"]),
            "without_negatives": st.sampled_from([None, None, 0.0, "error"]),
            "left_out": st.booleans(),
        }
    )


def exact(convention: Convention, data: Data) -> float | None:
    """The oracle's number; None where there is none, NaN and negative answers included."""
    try:
        number = float(conventions_oracle.value(convention, data))
    except RefusedError:
        return None
    return number if number >= 0 else None


def is_over_hits(convention: Convention) -> bool:
    """Whether it divides precisions by the hits in the cut: its range over all orders is unknown."""
    return (convention.area, convention.normalizer) == ("step", "hits")


def open_range(convention: Convention, data: Data) -> tuple[float | None, float | None]:
    """The least and the greatest of the oracle's numbers, where the order of equal scores decides."""
    if is_over_hits(convention):
        return None, None
    try:
        low, high = map(float, conventions_oracle.extremes(convention, data))
    except RefusedError:
        return None, None
    return (low, high) if low < high else (None, None)


@settings(max_examples=150)
@given(problems(), conventions())
def test_every_stop_is_right_and_the_parts_add_up(data, convention):
    (row,) = compare_conventions(data.labels, data.scores, conventions=[convention], **data.arguments()).rows
    try:
        expected = exact(convention, data)
        values = [exact(stop.convention, data) for stop in row.stops]
    except oracle.AmbiguousError:
        event("levels compared with rounded weights")
        return
    assert row.scikit_learn == pytest.approx(exact(SCIKIT_LEARN, data), abs=1e-12)
    if is_over_hits(convention) and "y_score contains equal scores" in row.note:
        event("an order that happens to change nothing")
        assert (row.stops, row.low, row.high) == ((), None, None)
        return
    if expected is None:
        event("no number")
        assert (row.value, row.stops, row.difference) == (None, (), None)
        assert (row.low, row.high) == pytest.approx(open_range(convention, data), abs=1e-12)
        assert row.note
        return
    event("a number")
    assert row.value == pytest.approx(expected, abs=1e-12)
    assert [stop.value for stop in row.stops] == pytest.approx(values, abs=1e-12)
    check_the_parts(row, convention)


def check_the_parts(row, convention):
    """The parts add up to the difference, and each choice that differs is changed at one stop."""
    assert sum(stop.part for stop in row.stops) == pytest.approx(row.difference, abs=1e-12)
    differing = [choice for choice in CHOICES if not convention._agrees(SCIKIT_LEARN, choice)]
    assert [choice for stop in row.stops for choice in stop.choice.split(" and ")] == differing
    if len(differing) == 1:
        assert row.stops[0].part == row.difference


# --- reasons, and how a user sees them --------------------------------------------------------------------


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

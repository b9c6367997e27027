"""Walks from scikit-learn's convention: every stop is right, and the parts add up."""

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import conventions_oracle
import oracle
from conventions_oracle import Data, RefusedError
from sklearn_ap.compatibility import CHOICES, CONVENTIONS, OPTIONS, Convention, Grid, Thresholds, compare

GRIDS = [None, Grid("five levels", 5), *(one.grid for one in CONVENTIONS.values() if one.grid is not None)]
GRIDS_OF_STEPS = [grid for grid in GRIDS if grid is None or grid.met_by != "nearest positives"]
COUNTED = ("davis-goadrich, unit steps", "linear, fewest retrieved")
SCORES = [
    (0.0, 0.25, 0.5, 0.75, 1.0),
    (0.5, 0.5 + 1e-9, 0.5 - 1e-9, 0.5 + 2e-8, 0.5 - 8e-9),
    (-1.0, 0.2, 1.0, 3.0, 40.0),
]
THRESHOLDS = [None, None, Thresholds(5), Thresholds(4, "above"), Thresholds(2, "merged")]
UNCUT = [one for one in THRESHOLDS if one is None or one.rule != "at or above"]
CUT = ("step", "hits")
ORDERS = ["proportional", "stable", "reversed", "item_id", "optimistic", "pessimistic", "unspecified"]
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
    area = draw(st.sampled_from(list(OPTIONS["area"])))
    cut = draw(st.sampled_from([None, "k", 1, 2, 0.5, 1.0, "n_positives"])) if area in CUT else None
    grids = {"step": GRIDS_OF_STEPS, "interpolated": GRIDS}.get(area, [None])
    grid = draw(st.sampled_from(grids)) if cut is None else None
    counted = area in COUNTED or (grid is not None and grid.met_by == "nearest positives")
    counted |= (area, cut) == ("step", "n_positives")
    expected = area in CUT and grid is None and cut != "n_positives"
    normalizers = NORMALIZERS if cut and cut != "n_positives" else NORMALIZERS[:1]
    return Convention(
        name="any",
        score_dtype=draw(st.sampled_from([None, "float32"])),
        transform=draw(st.sampled_from([None, None, "sigmoid", "near", "input order", "above 0"])),
        thresholds=draw(st.sampled_from(THRESHOLDS if cut is None else UNCUT)),
        queries=draw(st.sampled_from(["pooled", "mean"])),
        ties=draw(st.sampled_from([*ORDERS, "expected"] if expected else ORDERS)),
        weights="ignored" if counted else draw(st.sampled_from(["used", "ignored"])),
        area=area,
        first_point=draw(st.sampled_from(["(0, 1)", "(0, p1)", "none"])) if area == "linear" else "(0, 1)",
        last_point=draw(st.sampled_from(["none", "(1, 0)"])) if area == "interpolated" else "none",
        grid=grid,
        total=draw(st.sampled_from(["found", "stated"])),
        cut=cut,
        normalizer=draw(st.sampled_from(normalizers)),
        without_positives=draw(st.sampled_from([0.0, 1.0, float("nan"), -1.0, "error"])),
        without_negatives=draw(st.sampled_from([None, None, 0.0, "error"])),
        left_out=draw(st.booleans()),
    )


def exact(convention: Convention, data: Data) -> float | None:
    """The oracle's number; None where there is none, NaN and negative answers included."""
    try:
        number = float(conventions_oracle.value(convention, data))
    except RefusedError:
        return None
    return number if number >= 0 else None


def open_range(convention: Convention, data: Data) -> tuple[float | None, float | None]:
    """The least and the greatest of the oracle's numbers, where the order of equal scores decides."""
    try:
        low, high = map(float, conventions_oracle.extremes(convention, data))
    except RefusedError:
        return None, None
    return (low, high) if low < high else (None, None)


@settings(max_examples=1000, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(problems(), conventions())
def test_every_stop_is_right_and_the_parts_add_up(data, convention):
    (row,) = compare(data.labels, data.scores, conventions=[convention], **data.arguments()).rows
    try:
        expected = exact(convention, data)
        values = [exact(stop.convention, data) for stop in row.stops]
    except oracle.AmbiguousError:
        event("levels compared with rounded weights")
        return
    assert row.scikit_learn == pytest.approx(exact(SCIKIT_LEARN, data), abs=1e-12)
    if expected is None:
        event("no number")
        assert (row.value, row.stops, row.difference) == (None, (), None)
        assert (row.low, row.high) == pytest.approx(open_range(convention, data), abs=1e-12)
        assert row.note
        return
    event("a number")
    assert row.value == pytest.approx(expected, abs=1e-12)
    assert [stop.value for stop in row.stops] == pytest.approx(values, abs=1e-12)
    assert sum(stop.part for stop in row.stops) == pytest.approx(row.difference, abs=1e-12)
    differing = [choice for choice in CHOICES if not convention.agrees(SCIKIT_LEARN, choice)]
    assert [choice for stop in row.stops for choice in stop.choice.split(" and ")] == differing
    if len(differing) == 1:
        assert row.stops[0].part == row.difference

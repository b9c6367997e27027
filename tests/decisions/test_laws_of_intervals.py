"""No interval depends on the order of rows, on the scale of weights, or on the number
of equal rows in a unit. Higher levels have longer intervals.
"""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from brief import examples
from sklearn_ap import (
    budget_totals,
    compare_scores,
    estimate_score,
)

# Some calls have few positives, of which they warn.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
LEVELS = 0.5, 0.8, 0.95
AREAS = (
    "average_precision",
    "interpolated_average_precision",
)
# A score at recall levels has no interval if the first positive reaches many levels.
AT_LEVELS = ("eleven_point_average_precision",)
CUTS = (
    "precision@3",
    "recall@3",
    "average_precision@4",
    "r_precision",
    "precision_at_recall@0.5",
)
# Arguments with one value per row.
ROWS = [
    "y_true",
    "y_score",
    "y_score_a",
    "y_score_b",
    "sample_weight",
    "unit_id",
    "query_id",
    "amount",
]


def columns_of(rng, n, n_columns):
    """Labels and scores of two models, which rank some columns perfectly."""
    y_true = (rng.random((n, n_columns)) < rng.choice([0.1, 0.3, 0.6])).astype(int)
    y_true[0] = 1
    perfect = 20 * (rng.random(n_columns) < 0.4)
    models = [
        rng.normal(size=y_true.shape).round(rng.integers(3))
        + (rng.choice([0, 1]) + perfect) * y_true
        for _ in range(2)
    ]
    return [y_true, *models]


def drawn_call(rng, layout, n, names):
    """Draw the name of a call, and arguments for `estimate_score`, `compare_scores` or
    `budget_totals`.
    """
    cut = names is CUTS
    call = {"score_func": rng.choice(names)}
    columns = columns_of(rng, n, 3 if layout == "columns" else 1)
    if layout == "columns":
        call["average"] = str(rng.choice(["macro", "weighted"]))
    else:
        columns = [column[:, 0] for column in columns]
    y_true, first, second = columns
    if layout in {"fixed", "drawn", "crossed", "budgets"}:
        call["query_id"] = query = rng.integers(0, rng.integers(2, 6), n)
        # Some queries are ranked perfectly.
        first = first + 50 * y_true * (query % 2)
    if layout in {"one", "columns", "fixed"}:
        call["unit_id"] = np.arange(n)
    elif layout in {"units", "crossed"}:
        n_units = rng.integers(1, max(n // 2, 2) if layout == "units" else 8)
        call["unit_id"] = rng.integers(0, n_units, n)
    if layout == "budgets":
        call["amount"] = rng.lognormal(0, 2, n)
    elif rng.random() < 0.5:
        call["sample_weight"] = rng.choice([0.1, 0.3, 1.7, 2.2], n)
    if layout != "budgets" and not cut and rng.random() < 0.4:
        call["prevalence"] = float(rng.choice([0.02, 0.3, 0.7]))
    if layout == "budgets" or rng.random() < 0.6:
        return call | {"y_true": y_true, "y_score": first}
    return call | {"y_true": y_true, "y_score_a": first, "y_score_b": second}


def results_of(call):
    """The estimates and comparisons of a call."""
    if "amount" in call:
        rows = {name: call[name] for name in ("y_true", "query_id", "amount")}
        return [budget_totals(**rows, y_score=call["y_score"], k=2).share_of_amount]
    function = compare_scores if "y_score_a" in call else estimate_score
    return [function(**call)]


def numbers_of(call):
    """The endpoints of all intervals by confidence level."""
    results = results_of(call)
    return np.array(
        [[x.confidence_interval(level) for x in results] for level in LEVELS]
    )


def taken(call, rows):
    return {
        name: value[rows] if name in ROWS else value for name, value in call.items()
    }


@pytest.mark.parametrize(
    "layout", ["one", "units", "columns", "fixed", "drawn", "crossed", "budgets"]
)
@examples(8, 12)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(3, 40), cut=st.booleans())
def test_intervals_depend_neither_on_order_nor_on_scale_nor_on_copies(
    layout, seed, n, cut
):
    rng = np.random.default_rng(seed)
    names = CUTS if cut else AREAS
    check_laws(rng, drawn_call(rng, layout, n, names), n, cut)


@pytest.mark.parametrize("layout", ["one", "units", "columns", "fixed", "drawn"])
@examples(4, 5)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(400, 800))
def test_laws_hold_for_intervals_at_levels(layout, seed, n):
    rng = np.random.default_rng(seed)
    call = drawn_call(rng, layout, n, AT_LEVELS)
    try:
        numbers_of(call)
    except ValueError as error:
        # There are few positives, or few units that contain one.
        assume("no interval here" not in str(error))
    check_laws(rng, call, n, cut=False)


def check_laws(rng, call, n, cut):
    """Assert that equal calls have equal intervals, which are longer at higher levels."""
    ends = numbers_of(call)
    others = [taken(call, rng.permutation(n))]
    scaled = "amount" if "amount" in call else "sample_weight"
    weight = call.get(scaled, np.ones(n))
    others += [call | {scaled: factor * weight} for factor in (3.0, 0.1)]
    # At a cut, the interval depends on the number of rows around it. In a difference,
    # heavy negatives are removed row by row.
    is_difference = "y_score_a" in call
    if "unit_id" in call and not cut and not is_difference:
        others.append(taken(call, np.repeat(np.arange(n), 2)))
    for other in others:
        np.testing.assert_allclose(numbers_of(other), ends, rtol=0, atol=1e-9)
    low, high = np.moveaxis(ends, -1, 0)
    assert not (np.diff(low, axis=0) > 1e-12).any()
    assert not (np.diff(high, axis=0) < -1e-12).any()

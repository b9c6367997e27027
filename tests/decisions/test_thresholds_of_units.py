"""With units or weights, the intervals of a threshold are those of a sample with one
more event.
"""

import numpy as np
import pytest

from oracles import uncertainty as oracle
from sklearn_ap import operating_point
from sklearn_ap._core.reading.read import CheckedRows
from sklearn_ap._decisions.confusion_matrix import _event_weights_of_numbers, counts_at
from tables import cells_below

# Places of the cells: below the threshold, then above it; each negatives, then
# positives.
CELLS = {
    "precision": ([3], [2, 3]),
    "recall": ([3], [1, 3]),
    "specificity": ([0], [0, 2]),
    "negative_predictive_value": ([0], [0, 1]),
    "share_retrieved": ([2, 3], [0, 1, 2, 3]),
    "f_score": ([3], [1, 2, 3]),
}


def interval_of_share(point, number):
    """Return the interval of a share of cells, for F1 that of TP / (TP + FP + FN)."""
    low, high = point.confidence_interval(0.9, number=number)
    if number == "f_score":
        return low / (2 - low), high / (2 - high)
    return low, high


@pytest.mark.parametrize(
    ("weighted", "by_units"),
    [(False, True), (True, True), (True, False), ("below", True), ("below", False)],
)
@pytest.mark.parametrize("seed", range(3))
def test_a_threshold_has_the_endpoints_of_an_effective_number(weighted, by_units, seed):
    y_true, y_score, unit, weight = oracle.drawn_units(seed)
    if not weighted:
        weight = np.ones(unit.size)
    if weighted == "below":
        # As if rows were labelled less often there.
        weight = np.where(y_score > 1, 0.1, 1) * weight
    if not by_units:
        unit = np.arange(unit.size)
    point = operating_point(
        y_true, y_score, threshold=1.5, unit_id=unit, sample_weight=weight
    )
    cell = y_true + 2 * (y_score >= 1.5)
    retrieved = y_score >= 1.5

    def event_of(rows, is_hit, weight):
        """One more event of these rows: its weight, or its number of rows."""
        return float(oracle.one_more_event(is_hit[rows], weight[rows], unit[rows]))

    of_classes = ~y_true, y_true
    each_weighs_1 = np.ones(unit.size)
    n_rows = [event_of(rows, retrieved, each_weighs_1) for rows in of_classes] * 2
    of_cells = [event_of(rows, retrieved, weight) for rows in of_classes] * 2
    if weighted:
        missed = oracle.weight_of_missed(y_true, y_score, weight, 1.5)
        of_cells[1] = max(of_cells[1], float(missed) * n_rows[1])
    for number, (hits, whole) in CELLS.items():
        if weighted and number == "share_retrieved":
            # This share counts rows.
            continue
        is_hit, is_whole = np.isin(cell, hits), np.isin(cell, whole)
        events = of_cells
        if number not in ("recall", "specificity"):
            # It has at least as many rows as one more event of the rows of the number,
            # which weigh at least the mean of their class times a typical one of these.
            own = event_of(is_whole, is_hit, each_weighs_1)
            means = [weight[is_whole & rows].mean() for rows in of_classes]
            of_own = (weight / np.where(y_true, *means[::-1]))[is_whole]
            least = np.array(means * 2) * (of_own @ of_own) / of_own.sum()
            of_rows = np.maximum(of_cells / np.array(n_rows), least)
            events = np.maximum(n_rows, own) * of_rows
        total = weight[is_whole].sum()
        share = weight[is_hit].sum() / total
        moved = np.bincount(unit, weight * (is_hit - share * is_whole))
        of_units = np.bincount(unit, weight * is_whole)
        n_equal = oracle.n_equal(of_units)
        error = np.linalg.norm(moved) / total
        failure = max(events[c] for c in whole if c not in hits) / total
        success = max(events[c] for c in hits) / total
        n_events = 1 / (share * failure + (1 - share) * success)
        expected = oracle.endpoints(share, error, n_equal - 1, n_events, 0.9)
        found = interval_of_share(point, number)
        assert found == pytest.approx(expected, rel=1e-9), number


@pytest.mark.filterwarnings("ignore:y_true contains no positives")
@pytest.mark.parametrize(
    "options", ["", "unit", "weight", "unit weight", "unit without positives"]
)
def test_a_row_may_be_written_twice(options):
    """With its unit, and half of its weight."""
    y_true, y_score, unit, weight = oracle.drawn_units(1)
    if options == "unit without positives":
        # The retrieved rows are in two units, which also have other rows.
        y_score, unit = np.array([2, 0, 0, 0, 2, 0]), np.arange(6) // 2
        y_true = np.zeros(6)
    once = {"y_true": y_true, "y_score": y_score}
    once["unit_id"] = unit if "unit" in options else np.arange(unit.size)
    if "weight" in options:
        once["sample_weight"] = weight
    twice = {name: np.tile(values, 2) for name, values in once.items()}
    if "weight" in options:
        twice["sample_weight"] = twice["sample_weight"] / 2
    points = [operating_point(**rows, threshold=1.5) for rows in (once, twice)]
    for number in CELLS:
        found, wanted = (interval_of_share(point, number) for point in points)
        assert found == pytest.approx(wanted, rel=1e-9, nan_ok=True), number


def test_events_of_six_rows():
    lines = cells_below(_event_weights_of_numbers, "cell TN FN FP TP")
    numbers = {name: np.array([*map(float, cells)]) for name, *cells in lines}
    rows = np.append(numbers["rows of u"], numbers["rows of v"]).astype(int)
    cell, unit = np.repeat(np.tile(range(4), 2), rows), np.repeat([0, 1], 3)
    rows = CheckedRows(cell % 2 == 1, cell.astype(float), (0.0, 3.0))
    events = counts_at(rows, cell > 1, unit, has_intervals=True).event_weights
    assert events["recall"] == pytest.approx(numbers["of its class"])
    assert events["precision"] == pytest.approx(numbers["of precision"])

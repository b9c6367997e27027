"""If units have rows in several queries, units are drawn, and the queries are fixed, such
as the classes of a detector.
"""

import tracemalloc

import numpy as np
import pytest

from oracles.uncertainty import drawn, frozen
from sklearn_ap import (
    average_precision_score,
    compare_scores,
    estimate_score,
)

AP = average_precision_score
N, N_CLASSES, N_IMAGES = 360, 4, 45
RNG = np.random.default_rng(53)
CLASS, IMAGE = (frozen(RNG.integers(size, size=N)) for size in (N_CLASSES, N_IMAGES))
Y_TRUE, Y_SCORE = drawn(53, N)
ROWS = {"query_id": CLASS, "unit_id": IMAGE}
# All positives of the last class were missed.
TOTALS = {0: 60, 1: 55, 2: 62, 3: 70, 4: 5}
few = pytest.mark.filterwarnings(
    "ignore:The sample has too few", "ignore:No positive class"
)


# --- the number of fixed queries, and ids that make queries fixed ---------------------


def test_results_show_fixed_queries():
    found = estimate_score(AP, Y_TRUE, Y_SCORE, **ROWS)
    assert str(found).endswith(" (4 fixed queries, 45 units drawn)")
    compared = compare_scores(AP, Y_TRUE, Y_SCORE, -Y_SCORE, **ROWS)
    assert compared.n_fixed_queries == N_CLASSES
    drawn = estimate_score(AP, Y_TRUE, Y_SCORE, query_id=CLASS)
    assert "fixed" not in str(drawn)


def test_a_single_fixed_query_is_a_single_ranking():
    one = estimate_score(AP, Y_TRUE, Y_SCORE, unit_id=IMAGE, query_id=np.zeros(N))
    single = estimate_score(AP, Y_TRUE, Y_SCORE, unit_id=IMAGE)
    assert str(one).endswith("(1 fixed query, 45 units drawn)")
    assert one.confidence_interval() == single.confidence_interval()


QUERY = np.arange(N) // 4
# Each query is in one unit.
USER = QUERY // 3


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")  # few positives
def test_a_query_in_two_units_makes_queries_fixed():
    ids = {"query_id": QUERY, "unit_id": USER, "zero_division": 0.0}
    assert estimate_score(AP, Y_TRUE, Y_SCORE, **ids).n_fixed_queries == 0
    ids["unit_id"] = np.where(np.arange(N) == 0, USER[-1], USER)
    assert estimate_score(AP, Y_TRUE, Y_SCORE, **ids).n_fixed_queries == 90
    # Rows of weight 0 do not connect units with queries.
    ids["sample_weight"] = np.arange(N) > 0
    assert estimate_score(AP, Y_TRUE, Y_SCORE, **ids).n_fixed_queries == 0


@few
@pytest.mark.parametrize("name", ["r_precision", "precision@9", "average_precision@9"])
def test_a_query_without_rows_counts_at_a_cut(name):
    """Its score is 0 in every sample, since all of its positives were missed."""
    found = estimate_score(name, Y_TRUE, Y_SCORE, **ROWS, n_positives=TOTALS)
    low, high = found.confidence_interval()
    assert 0 <= low < found.score < high < 1


@pytest.mark.filterwarnings("ignore:The sample has too few")
def test_units_of_dropped_queries_are_not_counted():
    """The query of unit 6 has no positive, and each query is in one unit."""
    found = estimate_score(
        AP,
        [1, 0, 1, 0, 0, 0, 1, 0],
        [4, 3, 2, 1, 2, 1, 1, 2],
        query_id=[0, 0, 1, 1, 2, 2, 3, 3],
        unit_id=[5, 5, 5, 5, 6, 6, 7, 7],
        zero_division=np.nan,
    )
    assert found.n_units == 2


def peak_of(call):
    """Return the most memory that a call takes at a time, in bytes."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_grows_with_rows_if_queries_are_fixed():
    """Each query has values of its own units only."""

    def peak(n):
        rows = np.arange(n) % 2, np.arange(n) % 7
        options = {"query_id": np.arange(n) // 10, "unit_id": np.arange(n)}
        return peak_of(lambda: estimate_score(AP, *rows, **options))

    assert peak(2400) < 6 * peak(600)


def test_a_query_that_the_mean_excludes_changes_no_interval():
    kept = CLASS < 3
    labels = Y_TRUE * kept
    of_all = estimate_score(AP, labels, Y_SCORE, **ROWS, zero_division=np.nan)
    rows = {name: ids[kept] for name, ids in ROWS.items()}
    others = estimate_score(AP, labels[kept], Y_SCORE[kept], **rows)
    assert of_all.standard_error == pytest.approx(others.standard_error)


def test_the_first_of_missed_positives_reaches_levels_too():
    """The first of 10 positives reaches two of 11 levels, so .14 on average."""
    rows = [1] * 100 + [0] * 103, range(203)
    ids = {"query_id": [1] * 200 + [2] * 3, "unit_id": range(203)}
    with pytest.raises(ValueError, match="reaches 14% of the recall levels"):
        estimate_score(
            "eleven_point_average_precision", *rows, **ids, n_positives={1: 100, 2: 10}
        )

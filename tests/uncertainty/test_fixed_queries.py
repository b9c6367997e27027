"""If units have rows in several queries, units are drawn, and the queries are fixed, such
as the classes of a detector.
"""

import tracemalloc

import numpy as np
import pytest

from brief import each_pair
from oracles.uncertainty import (
    AREAS,
    differences,
    drawn,
    drawn_matrix,
    drawn_weights,
    each_call,
    error_of,
    frozen,
    weighted,
)
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
OTHER = drawn(54, N)[1]
# Each unit is in one query.
INSIDE = IMAGE + 100 * CLASS
ROWS = {"query_id": CLASS, "unit_id": IMAGE}
# All positives of the last class were missed.
TOTALS = {0: 60, 1: 55, 2: 62, 3: 70, 4: 5}
few = pytest.mark.filterwarnings(
    "ignore:The sample has too few", "ignore:No positive class"
)


def slopes_of_units(score, weight, unit=IMAGE):
    """Return the influence of each unit: the slope of the score if all weights of the unit
    are multiplied by the same factor.
    """
    return differences(score, weight, weight * (np.unique(unit)[:, None] == unit))


@each_pair(
    name=[*AREAS],
    weighted=[False, True],
    more=[
        {},
        {"average": "weighted", "zero_division": 0.0},
        {"average": "micro"},
        {"prevalence": 0.1},
    ],
)
def test_error_is_that_of_numerical_slopes(name, weighted, more):
    area = AREAS[name]
    options = {**area.options, **more, "query_id": CLASS}
    weight = drawn_weights(53, N) if weighted else np.ones(N)
    rows = Y_TRUE, Y_SCORE
    # In these cases, a class has no positives.
    if "zero_division" in more:
        rows = Y_TRUE * (CLASS > 0), Y_SCORE
    # Queries are also fixed if each of them contains several units, as regions contain
    # rows.
    unit = IMAGE if more else INSIDE
    found = estimate_score(
        area.score, *rows, unit_id=unit, sample_weight=weight, **options
    )
    of_units = slopes_of_units(
        lambda weight: area.score(*rows, sample_weight=weight, **options), weight, unit
    )
    # The slopes of interpolated precision of counts differ on both sides of a kink.
    rel = 2e-2 if name == "interpolated" and not weighted else 1e-5
    assert found.standard_error == pytest.approx(error_of(of_units), rel=rel)
    assert (found.n_units, found.n_fixed_queries) == (of_units.size, N_CLASSES)


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_each_missed_positive_is_a_unit_of_its_own(average):
    """Also in a comparison of two models on the same units."""
    options = {"query_id": CLASS, "average": average}
    n_missed = np.array(list(TOTALS.values())) - np.bincount(CLASS, Y_TRUE, 5)

    def slopes(y_score):
        def score(weight, n_missed):
            totals = np.bincount(CLASS, weight * Y_TRUE, 5) + n_missed
            options["n_positives"] = dict(enumerate(totals))
            return AP(Y_TRUE, y_score, sample_weight=weight, **options)

        ones = np.ones(N)
        of_units = slopes_of_units(lambda weight: score(weight, n_missed), ones)
        of_missed = differences(lambda n_missed: score(ones, n_missed), n_missed)
        return np.append(of_units, np.repeat(of_missed, n_missed.astype(int)))

    of_units, of_other = slopes(Y_SCORE), slopes(OTHER)
    options |= {"n_positives": TOTALS, "unit_id": IMAGE}
    found = estimate_score(AP, Y_TRUE, Y_SCORE, **options)
    assert found.standard_error == pytest.approx(error_of(of_units), rel=1e-6)
    # A missed object of an image is not a unit.
    assert (found.n_units, found.n_fixed_queries) == (N_IMAGES, len(TOTALS))
    pair = compare_scores(AP, Y_TRUE, Y_SCORE, OTHER, **options)
    error = error_of(of_units - of_other)
    assert pair.standard_error == pytest.approx(error, rel=1e-6)


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
@each_call
@weighted
@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("size", [1, 2])
def test_columns_are_fixed_queries_whose_units_are_rows(
    score, options, weighted, average, size
):
    y_true, y_score = drawn_matrix(1, 30, 1)
    rows = {"unit_id": np.arange(30) // size}
    if weighted:
        rows["sample_weight"] = drawn_weights(1, 30)
    found = estimate_score(score, y_true, y_score, **rows, **options, average=average)
    row, column = np.indices(y_true.shape).reshape(2, -1)
    rows = {name: values[row] for name, values in rows.items()}
    rows |= {"y_true": y_true.ravel(), "y_score": y_score.ravel(), "query_id": column}
    same = estimate_score(score, **rows, **options, average=average).to_dict()
    for name in ("score", "standard_error", "df", "n_effective", "low", "high"):
        assert found.to_dict()[name] == pytest.approx(same[name], rel=1e-12)
    assert found.n_units == same["n_units"]


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

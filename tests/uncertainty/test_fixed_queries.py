"""If units have rows in several queries, units are drawn, and the queries are fixed, such
as the classes of a detector.
"""

import warnings
from contextlib import nullcontext

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
    frozen,
    row_influences,
    sample_of,
    shift,
    warns_of,
    weighted,
)
from sklearn_ap import (
    average_precision_score,
    compare_scores,
    estimate_score,
)
from sklearn_ap._uncertainty.endpoints import endpoints_of_ranking

AP = average_precision_score
N, N_CLASSES, N_IMAGES = 360, 4, 45
RNG = np.random.default_rng(53)
CLASS, IMAGE = (frozen(RNG.integers(size, size=N)) for size in (N_CLASSES, N_IMAGES))
Y_TRUE, Y_SCORE = drawn(53, N)
OTHER = drawn(54, N)[1]
ROWS = {"query_id": CLASS, "unit_id": IMAGE}
# All positives of the last class were missed.
TOTALS = {0: 60, 1: 55, 2: 62, 3: 70, 4: 5}
few = pytest.mark.filterwarnings(
    "ignore:The sample has too few", "ignore:No positive class"
)


def error_of(of_units):
    return np.sqrt(np.square(of_units).sum())


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
    unit=[IMAGE, IMAGE + 100 * CLASS],
)
@pytest.mark.filterwarnings(
    "ignore:In some query, the score depends mostly on few:UserWarning"
)
def test_error_is_that_of_numerical_slopes(name, weighted, more, unit):
    """Queries are also fixed if each of them contains several units, as regions contain
    rows.
    """
    area = AREAS[name]
    options = {**area.options, **more, "query_id": CLASS}
    weight = drawn_weights(53, N) if weighted else np.ones(N)
    rows = Y_TRUE, Y_SCORE
    # In these cases, a class has no positives.
    if "zero_division" in more:
        rows = Y_TRUE * (CLASS > 0), Y_SCORE
    found = estimate_score(
        area.score, *rows, unit_id=unit, sample_weight=weight, **options
    )
    of_units = slopes_of_units(
        lambda weight: area.score(*rows, sample_weight=weight, **options), weight, unit
    )
    # The slopes of interpolated precision of counts differ on both sides of a kink.
    rel = 2e-2 if name.startswith("interpolated") and not weighted else 1e-5
    assert found.standard_error == pytest.approx(error_of(of_units), rel=rel)
    assert (found.n_units, found.n_fixed_queries) == (of_units.size, N_CLASSES)


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_each_missed_positive_is_a_unit_of_its_own(average):
    """Also in a comparison of two models on the same units."""
    options = {"query_id": CLASS, "average": average}
    n_found = np.bincount(CLASS, Y_TRUE, 5)
    n_missed = np.array(list(TOTALS.values())) - n_found
    ones = np.ones(N)

    def slopes(y_score):
        def score(weight, n_missed=n_missed):
            totals = np.bincount(CLASS, weight * Y_TRUE, 5) + n_missed
            inputs = {"sample_weight": weight, "n_positives": dict(enumerate(totals))}
            return AP(Y_TRUE, y_score, **inputs, **options)

        of_missed = differences(lambda n_missed: score(ones, n_missed), n_missed)
        of_missed = np.repeat(of_missed, n_missed.astype(int))
        return np.append(slopes_of_units(score, ones), of_missed)

    options["n_positives"] = TOTALS
    found = estimate_score(AP, Y_TRUE, Y_SCORE, unit_id=IMAGE, **options)
    pair = compare_scores(AP, Y_TRUE, Y_SCORE, OTHER, unit_id=IMAGE, **options)
    assert found.score == AP(Y_TRUE, Y_SCORE, **options)
    del options["n_positives"]
    of_units = slopes(Y_SCORE)
    assert found.standard_error == pytest.approx(error_of(of_units), rel=1e-6)
    error = error_of(of_units - slopes(OTHER))
    assert pair.standard_error == pytest.approx(error, rel=1e-6)
    # A missed object of an image is not a unit.
    assert (found.n_units, found.n_fixed_queries) == (N_IMAGES, len(TOTALS))


# --- the number of fixed queries, and ids that make queries fixed ---------------------


def test_results_show_fixed_queries():
    found, one, single, drawn = (
        estimate_score(AP, Y_TRUE, Y_SCORE, **ids)
        for ids in (
            ROWS,
            {"unit_id": IMAGE, "query_id": np.zeros(N)},
            {"unit_id": IMAGE},
            {"query_id": CLASS},
        )
    )
    assert str(found).endswith(" (4 fixed queries, 45 units drawn)")
    assert str(one).endswith("(1 fixed query, 45 units drawn)")
    assert "fixed" not in str(drawn)
    assert one.confidence_interval() == single.confidence_interval()
    compared = compare_scores(AP, Y_TRUE, Y_SCORE, -Y_SCORE, **ROWS)
    assert compared.n_fixed_queries == N_CLASSES


# Each unit is in one query.
INSIDE = IMAGE + 100 * CLASS
QUERY = np.arange(N) // 4
# Each query is in one unit.
USER = QUERY // 3
FIRST = [np.flatnonzero(kind == CLASS)[0] for kind in range(N_CLASSES)]


def but_for(ids, *pairs):
    """Return ids, some of which are replaced by those of other rows."""
    ids = ids.copy()
    for row, other in pairs:
        ids[row] = ids[other]
    return ids


@pytest.mark.parametrize(
    ("query", "unit", "n_fixed", "message"),
    [
        (CLASS, INSIDE, N_CLASSES, None),
        (
            CLASS,
            but_for(INSIDE, FIRST[1:3]),
            N_CLASSES,
            rf"Few units have rows in several .* \(1 of \d+: \[{INSIDE[FIRST[2]]}\]\)\. ",
        ),
        (QUERY, USER, 0, None),
        (
            QUERY,
            but_for(USER, (0, -1)),
            90,
            r"Few queries contain .* several units \(1 of 90: \[0\]\)\. .* queries are",
        ),
    ],
)
def test_a_wrong_id_is_named(query, unit, n_fixed, message):
    options = {"query_id": query, "zero_division": 0.0}
    with warns_of("fixed_queries", f"^{message}") if message else nullcontext():
        sample = sample_of(AP, Y_TRUE, Y_SCORE, unit, **options)
    assert sample.n_fixed_queries == n_fixed
    # Rows of weight 0 do not connect units with queries.
    options["sample_weight"] = np.arange(N) > 0
    if n_fixed == 90:
        sample = sample_of(AP, Y_TRUE, Y_SCORE, unit, **options)
        assert sample.n_fixed_queries == 0


def test_a_comparison_names_wrong_ids_once():
    unit = but_for(INSIDE, FIRST[1:3])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compare_scores(AP, Y_TRUE, Y_SCORE, -Y_SCORE, unit_id=unit, query_id=CLASS)
    codes = [getattr(each.message, "code", "") for each in caught]
    assert codes.count("fixed_queries") == 1


def mean_of_columns(y_true, y_score, **options):
    """Return the estimate of columns as fixed queries, whose units are the rows of the
    matrix.
    """
    image, kind = np.indices(y_true.shape).reshape(2, -1)
    rows = map(np.ravel, (y_true, y_score))
    return estimate_score(AP, *rows, query_id=kind, unit_id=image, **options)


@few
@each_call
@weighted
@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("size", [1, 2])
def test_columns_are_fixed_queries_whose_units_are_rows(
    score, options, weighted, average, size
):
    y_true, y_score = drawn_matrix(1, 30, 1)
    weight = drawn_weights(1, 30) if weighted else np.ones(30)
    rows = {"sample_weight": weight, "unit_id": np.arange(30) // size}
    options = options | {"average": average}
    found = estimate_score(score, y_true, y_score, **rows, **options)
    row, options["query_id"] = np.indices(y_true.shape).reshape(2, -1)
    rows = {name: values[row] for name, values in rows.items()}
    same = estimate_score(score, y_true.ravel(), y_score.ravel(), **rows, **options)
    numbers, wanted = (
        (
            one.score,
            one.standard_error,
            one.df,
            one.n_positives,
            *one.confidence_interval(),
        )
        for one in (found, same)
    )
    assert numbers == pytest.approx(wanted, rel=1e-12)
    assert found.n_units == same.n_units


@few
def test_endpoints_of_a_mean_follow_from_those_of_its_rankings():
    """They also depend on the correlation of the errors. The t interval of the mean would
    be too short if a ranking has few positives and so a long tail: with 5, 100 and 100
    positives, it covered .889.
    """
    rng = np.random.default_rng(1)
    y_true = (rng.random((200, 3)) < np.array([0.03, 0.2, 0.3])).astype(int)
    y_score = 2 * y_true + rng.normal(size=(200, 1)) + rng.normal(size=(200, 3))
    found = estimate_score(AP, y_true, y_score)
    columns = [*zip(y_true.T, y_score.T, strict=True)]
    estimates = [estimate_score(AP, *rows) for rows in columns]
    influences = np.array([row_influences(AP, *rows) for rows in columns])
    shared = np.square(influences.sum(axis=0)).sum() / np.square(influences).sum()
    for confidence_level in (0.5, 0.95):
        endpoints = np.transpose(
            [x.confidence_interval(confidence_level) for x in estimates]
        )
        reach = endpoints - [x.score for x in estimates]
        below, above = np.sqrt(shared * (reach**2).sum(axis=1)) / 3
        low, high = found.confidence_interval(confidence_level)
        bias = found._interval_inputs.rankings.known_bias
        assert bias > 0
        assert low == pytest.approx(found.score - below - 2 * bias, rel=1e-9)
        assert high == pytest.approx(found.score + above - bias, rel=1e-9)


@few
def test_a_ranking_without_an_interval_leaves_its_part_of_the_mean_open():
    """A ranking has no interval if its score is 0, or if it has one positive."""
    rng = np.random.default_rng(2)
    y_true = (rng.random((20, 4)) < 0.4).astype(int)
    y_true[:, :3] = np.arange(20)[:, np.newaxis] < np.array([0, 1, 20])
    y_score = y_true + rng.normal(size=(20, 4))
    totals = dict(enumerate(y_true.sum(axis=0))) | {0: 4}
    found = mean_of_columns(y_true, y_score, n_positives=totals)
    low, high = found.confidence_interval()
    assert 0 <= low < found.score < high <= 1
    none, one, all_rows, _ = found._interval_inputs.rankings.each
    assert endpoints_of_ranking(none, 0.95) == pytest.approx((0, 1 - 0.05 ** (1 / 4)))
    assert endpoints_of_ranking(one, 0.95) == (0, 1)
    low, high = endpoints_of_ranking(all_rows, 0.95)
    assert 0.8 < low < 0.05 ** (1 / 20)
    assert high == 1


def test_weighted_means_allow_for_the_bias_of_their_columns():
    """Without this rule, 95 % intervals of 20 columns with 30 positives covered .85, and
    there was no warning.
    """
    rng = np.random.default_rng(7)
    y_true = (rng.random((600, 6)) < 0.1).astype(int)
    y_score = rng.normal(size=(600, 6)) + 2 * y_true
    columns = zip(y_true.T, y_score.T, strict=True)
    biases = [estimate_score(AP, *rows).bias for rows in columns]
    estimate = estimate_score(AP, y_true, y_score, average="weighted")
    bias = np.average(biases, weights=y_true.sum(axis=0))
    assert estimate._interval_inputs.rankings.known_bias == pytest.approx(
        bias, rel=1e-9
    )
    assert shift(estimate) >= 2 * bias > 0


def test_means_of_heavy_negatives_warn():
    rng = np.random.default_rng(8)
    y_true = (rng.random((1000, 20)) < 0.03).astype(int)
    y_score = rng.normal(size=(1000, 20)) + 2 * y_true
    with warns_of(
        "missing_negatives", "In some column, the score depends mostly on few"
    ):
        estimate_score(AP, y_true, y_score, prevalence=0.005)


@few
@pytest.mark.parametrize("name", ["r_precision", "precision@9", "average_precision@9"])
def test_a_query_without_rows_counts_at_a_cut(name):
    """Its score is 0 in every sample, since all of its positives were missed."""
    found = estimate_score(name, Y_TRUE, Y_SCORE, **ROWS, n_positives=TOTALS)
    low, high = found.confidence_interval()
    assert 0 <= low < found.score < high < 1
    assert found._interval_inputs.rankings.each[-1].score == 0

"""Units that occur in two samples are matched by their ids."""

import pickle
import warnings

import numpy as np
import pytest

from oracles.uncertainty import warns_of
from sklearn_ap import compare_estimates, compare_scores, estimate_score

AP = "average_precision"
N = 300
RNG = np.random.default_rng(0)
LABEL = (RNG.random(N) < 0.25).astype(int)
MODELS = [LABEL + RNG.normal(size=N) + RNG.normal(size=N) / 2 for _ in range(2)]
IDS = RNG.permutation(N)
QUERY = np.arange(N) // 10
CLASS = np.arange(N) % 3


def estimates(ids, *models, label=LABEL, **options):
    """Return the estimate of each model, whose rows have these ids."""
    return [
        estimate_score(AP, label, model, unit_id=unit, **options)
        for model, unit in zip(models, ids, strict=True)
    ]


@pytest.mark.filterwarnings("ignore:In some query, the score depends mostly on few")
@pytest.mark.parametrize(
    "options",
    [
        {"unit_id": IDS},
        {"unit_id": IDS // 5},
        {"unit_id": IDS.astype(str)},
        # Row numbers are ids if the labels of both samples agree.
        {"unit_id": np.arange(N)},
        {"unit_id": IDS, "prevalence": 0.01},
        {"unit_id": IDS, "sample_weight": IDS % 4},
        {"unit_id": IDS, "name": "average_precision@30"},
        {"unit_id": IDS, "name": "interpolated_average_precision"},
        {"unit_id": IDS, "query_id": CLASS},
        {"unit_id": IDS // 5, "query_id": CLASS, "prevalence": 0.002},
        {"unit_id": IDS, "n_positives": LABEL.sum() + 30},
        {
            "unit_id": IDS // 5,
            "query_id": CLASS,
            "n_positives": dict.fromkeys(range(3), 50.0),
        },
        {"query_id": QUERY, "zero_division": 0},
        {"query_id": QUERY, "unit_id": QUERY // 2, "zero_division": 0},
        {"query_id": QUERY, "n_positives": dict.fromkeys(range(32), 9.0)},
        {"query_id": QUERY, "zero_division": np.nan},
        {"query_id": QUERY, "average": "micro"},
    ],
)
def test_the_same_units_are_compared_as_the_same_rows_are(options):
    options = {**options}
    name = options.pop("name", AP)
    pair = compare_scores(name, LABEL, *MODELS, **options)
    both = [estimate_score(name, LABEL, model, **options) for model in MODELS]
    found = compare_estimates(*pickle.loads(pickle.dumps(both)))
    assert (found.pvalue, found.df) == pytest.approx((pair.pvalue, pair.df), rel=1e-9)
    endpoints = pytest.approx(pair.confidence_interval(), rel=1e-9)
    assert found.confidence_interval() == endpoints
    assert f"paired: {found.n_units} of {found.n_units} units are in both" in str(found)


def test_rows_of_a_label_matrix_are_units():
    rng = np.random.default_rng(1)
    labels = rng.random((80, 3)) < 0.4
    scores = [labels + rng.normal(size=labels.shape) for _ in range(2)]
    for average in "macro", "samples", "micro":
        options = {"unit_id": np.arange(80)[::-1], "average": average}
        pair = compare_scores(AP, labels, *scores, **options, zero_division=0)
        both = [
            estimate_score(AP, labels, x, **options, zero_division=0) for x in scores
        ]
        found = compare_estimates(*both)
        assert found.pvalue == pytest.approx(pair.pvalue, rel=1e-9)


def test_a_unit_that_a_sample_does_not_contain_has_no_influence():
    """The standard error of a mean over queries, half of which are in both samples."""
    rows = [QUERY < 20, QUERY >= 10]
    both = [
        estimate_score(AP, LABEL[x], model[x], query_id=QUERY[x], zero_division=0)
        for x, model in zip(rows, MODELS, strict=True)
    ]
    influences = np.zeros((2, 30))
    for each, one in zip(influences, both, strict=True):
        each[one._units.ids] = one._units.influences.of_units
    error = np.sqrt(np.square(influences[0] - influences[1]).sum() * 20 / 19)
    found = compare_estimates(*both)
    back = compare_estimates(*both[::-1])
    assert found.standard_error == pytest.approx(error)
    assert back.pvalue == pytest.approx(found.pvalue)
    assert "paired: 10 of 30 units are in both" in str(found)


def test_the_fewer_positives_limit_the_degrees_of_freedom():
    few = LABEL.copy()
    few[np.flatnonzero(LABEL)[8:]] = 0
    small, large = (
        estimate_score(AP, label, MODELS[0], unit_id=IDS, prevalence=0.2)
        for label in (few, LABEL)
    )
    for pair in ((small, large), (large, small)):
        assert compare_estimates(*pair)._df_of_interval <= 7


@pytest.mark.parametrize(
    ("first", "second", "n_in_both"),
    [
        (IDS, IDS + N, 0),
        (IDS, IDS + 100, 200),
        (IDS, IDS.astype(str), N),
        (IDS, np.array([f"c{i}" for i in IDS]), 0),
        (IDS.astype(float), IDS, N),
        ([(i, "x") for i in IDS], [(i, "x") for i in IDS // 2 * 2], N // 2),
    ],
)
def test_ids_of_any_type(first, second, n_in_both):
    found = compare_estimates(*estimates([first, second], *MODELS))
    assert found._n_in_both == n_in_both
    assert np.isnan(found.df) == (not n_in_both)


@pytest.mark.parametrize("kind", [int, float, str, object])
@pytest.mark.parametrize("start", [0, 17])
def test_numbers_of_rows_are_ids_only_where_labels_agree(kind, start):
    ids = (np.arange(N) + start).astype(str if kind is str else int).astype(kind)
    same = estimates([ids, ids], *MODELS)
    assert compare_estimates(*same)._n_in_both == N
    [other] = estimates([ids], MODELS[1][::-1], label=LABEL[::-1])
    found = compare_estimates(same[0], other)
    assert found._n_in_both is None
    assert "unit_id counts the rows, so it was not taken for an id" in str(found)
    # Sorted labels of other rows would have the same order.
    order = LABEL.argsort(kind="stable")
    rows = {"label": LABEL[order]}
    ordered = estimates([ids, ids], *(x[order] for x in MODELS), **rows)
    assert compare_estimates(*ordered)._n_in_both is None


def test_estimates_without_ids_are_independent():
    rows = np.arange(N) < 200
    [first] = estimates([IDS], MODELS[0])
    second = estimate_score(AP, LABEL[rows], MODELS[1][rows])
    found = compare_estimates(first, second)
    assert found._n_in_both is None
    assert "independent samples" in str(found)


def test_the_same_labels_in_the_same_order_give_a_warning():
    both = [estimate_score(AP, LABEL, model) for model in MODELS]
    with warns_of("same_rows", "compare_scores"):
        found = compare_estimates(*both)
    assert "same labels in the same order" in str(found)


REGULAR = {
    "sorted": np.sort(LABEL),
    "positives first": np.sort(LABEL)[::-1],
    "sorted in two parts": np.repeat([1, 0, 1, 0], [20, 90, 40, 150]),
    "the first of ten": np.tile([1] + [0] * 9, 30),
    "two of ten": np.tile([1, 0, 0, 1] + [0] * 6, 30),
    "every second": np.tile([1, 0], 150),
}


@pytest.mark.parametrize("order", REGULAR)
def test_regular_orders_of_labels_give_no_warning(order):
    """Other rows may have the same labels in the same order."""
    both = [estimate_score(AP, REGULAR[order], model) for model in MODELS]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare_estimates(*both)


def without(rows, **options):
    """Return the estimates of two models, the second one without some of the rows."""
    kept = ~rows
    first, second = (
        estimate_score(AP, LABEL[x], model[x], unit_id=IDS[x], **options)
        for x, model in zip((slice(None), kept), MODELS, strict=True)
    )
    return first, second


def test_positives_that_one_sample_misses_are_missed_in_their_units():
    """The result is the same as if these positives had the lowest scores."""
    rows = (LABEL == 1) & (MODELS[1] < 0)
    total = LABEL.sum() + 20.0
    first, second = without(rows, n_positives=total)
    found = compare_estimates(first, second)
    # A missed positive has a rank in no sample: its influence is -score / total.
    score = second.score
    error = np.zeros(N)
    error[IDS] = first._units.influences.of_units[np.arange(N)]
    error[IDS[~rows]] -= second._units.influences.of_units
    error[IDS[rows]] += score / total
    missed = (first.score - score) / total
    squares = np.square(error).sum() + 20 * missed**2
    assert found.standard_error == pytest.approx(np.sqrt(squares))
    assert found._n_in_both == N - rows.sum()


def test_missed_positives_are_not_paired_if_the_totals_differ():
    n_found = LABEL.sum()
    first, second = (
        estimate_score(AP, LABEL, model, unit_id=IDS, n_positives=n_found + more)
        for model, more in zip(MODELS, (20.0, 30.0), strict=True)
    )
    found = compare_estimates(first, second)
    influences = [each._units.influences for each in (first, second)]
    error = np.square(influences[0].of_units - influences[1].of_units).sum()
    missed = (each.n_missed @ np.square(each.of_missed) for each in influences)
    assert found.standard_error == pytest.approx(np.sqrt(error + sum(missed)))

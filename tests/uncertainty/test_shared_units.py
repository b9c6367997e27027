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
    # Ids of the other sample may be equal to these numbers.
    [named] = estimates([ids[::-1]], MODELS[1][::-1], label=LABEL[::-1])
    for pair in ((same[0], named), (named, same[0])):
        assert compare_estimates(*pair)._n_in_both is None
    # Sorted labels of other rows would have the same order.
    order = LABEL.argsort(kind="stable")
    rows = {"label": LABEL[order]}
    ordered = estimates([ids, ids], *(x[order] for x in MODELS), **rows)
    assert compare_estimates(*ordered)._n_in_both is None


NUMBERS = {
    "with a gap": np.delete(np.arange(N + 1), 7),
    "falling": np.arange(N)[::-1],
    "tens": 10 * np.arange(N),
    "padded text": np.array([f"row_{i:04d}" for i in range(N)]),
    "text": np.array([f"row_{i}" for i in range(N)]),
    "hexadecimal": np.array([f"{i:x}" for i in range(N)]),
    "dates": np.datetime64("2026-01-01") + np.arange(N),
    "tuples": np.fromiter(((i // 10, str(i % 10)) for i in range(N)), object, N),
    "one number twice": np.arange(N).clip(max=N - 2),
    "three rows each": np.arange(N) // 3,
}


@pytest.mark.parametrize("ids", NUMBERS.values(), ids=NUMBERS)
def test_numbers_of_sorted_rows_are_not_paired(ids):
    """Neighbours in the order of such numbers have similar influences."""
    rng = np.random.default_rng(3)
    both = []
    for _ in range(2):
        label = (rng.random(N) < 0.25).astype(int)
        score = label + rng.normal(size=N)
        best_first = np.lexsort([-score, -label])
        # The order of the rows in the file has no effect.
        mixed = rng.permutation(N)
        rows = {"label": label[best_first][mixed]}
        both += estimates([ids[mixed]], score[best_first][mixed], **rows)
    found = compare_estimates(*both)
    assert found._n_in_both is None
    assert "independent: neighbours in the order of the ids are alike" in str(found)
    # The sample whose numbers are in no order is not numbered after a sort.
    [unsorted] = estimates([ids], MODELS[0])
    assert compare_estimates(both[0], unsorted)._n_in_both > N - 2 - N * 2 / 3


def test_queries_that_are_numbered_from_easy_to_hard_are_not_paired():
    rng = np.random.default_rng(0)
    both = []
    for _ in range(2):
        gain = np.sort(rng.normal(size=(80, 1)), axis=0)
        label = np.arange(20) < np.full((80, 1), 4)
        score = rng.normal(size=label.shape) + (1.5 + gain) * label
        query = np.repeat(np.arange(80), 20)
        both.append(estimate_score(AP, label.ravel(), score.ravel(), query_id=query))
    assert "neighbours" in str(compare_estimates(*both))


@pytest.mark.parametrize("n", [N, 5_000])
def test_ids_of_sorted_rows_are_paired(n):
    """Ids that were assigned before the sort, also those by site."""
    rng = np.random.default_rng(n)
    label = (rng.random(n) < 0.25).astype(int)
    site = np.arange(n) * 20 // n
    common = label + rng.normal(size=n) + 0.5 * rng.normal(size=20)[site]
    for ids in rng.permutation(n), np.char.add("row_", np.arange(n).astype(str)):
        both = []
        for _ in range(2):
            score = common + rng.normal(size=n) / 2
            order = np.lexsort([-score, -label])
            both += estimates([ids[order]], score[order], label=label[order])
        assert compare_estimates(*both)._n_in_both == n


DAYS = np.datetime64("2026-01-31") + IDS


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([f"{i}.0" for i in IDS], IDS),
        ([f"{i}.0" for i in IDS], IDS.astype(str)),
        ([f"{i:05d}" for i in IDS], IDS),
        ([f" {i} " for i in IDS], IDS.astype(str)),
        (DAYS.astype(str), DAYS.astype("M8[ns]")),
        (DAYS.tolist(), DAYS.astype("M8[ns]")),
        (DAYS.astype(str), [f"{day} 00:00:00" for day in DAYS]),
    ],
)
def test_ids_in_two_spellings(first, second):
    both = estimates([first, second], *MODELS)
    found = compare_estimates(*both)
    assert found._n_in_both == N
    assert "paired by ids that are spelled differently: 300 of 300 units" in str(found)
    pair = compare_scores(AP, LABEL, *MODELS, unit_id=IDS)
    assert found.pvalue == pytest.approx(pair.pvalue, rel=1e-9)
    assert compare_estimates(*both[::-1])._n_in_both == N


@pytest.mark.parametrize(
    ("first", "second"),
    [
        # Without their zeros, two ids of the first sample would be equal.
        ([f"{i}.0" for i in IDS[:-1]] + [f"0{IDS[0]}"], IDS),
        ([(i, "x") for i in IDS], IDS.astype(str)),
        ([f"0{i}" for i in IDS], IDS + N),
    ],
)
def test_ids_of_other_units_are_not_matched(first, second):
    found = compare_estimates(*estimates([first, second], *MODELS))
    assert found._n_in_both == 0
    assert "independent: no unit is in both" in str(found)


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

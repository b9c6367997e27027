"""Bootstrap samples: exact counts, and scores that are those of the rows drawn."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import chisquare, multinomial

from metrics import calls, counts_weight
from oracles.uncertainty import (
    AREAS,
    drawn,
    drawn_matrix,
    drawn_weights,
    each_area,
    few,
    tied,
    weighted,
)
from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    estimate_score,
    precision_at_k_score,
)
from sklearn_ap._uncertainty.sample import counts_of_cells, drawn_units
from sklearn_ap._uncertainty.standard_errors import sampled_score

AP = average_precision_score
N = 40


# --- counts ---------------------------------------------------------------------------


@pytest.mark.parametrize("size", [[1, 1, 1], [2, 1, 1], [3, 2], [1] * 3 + [2]], ids=str)
def test_counts_of_small_samples_are_multinomial(size):
    size, draws = np.array(size), 40_000
    n = int(size.sum())
    counts = np.concatenate(
        list(counts_of_cells(size, draws, np.random.default_rng(1), None))
    )
    kinds, often = np.unique(counts, axis=0, return_counts=True)
    expected = draws * multinomial.pmf(kinds, n, size / n)
    assert expected.sum() == pytest.approx(draws)  # every possible sample was drawn
    assert chisquare(often, expected).pvalue > 0.001


# --- scores of counts -----------------------------------------------------------------


def replicates(score, y_true, y_score, times=6, **options):
    """Scores of bootstrap samples, beside the score of the rows that these drew."""
    unit, query, total = (
        options.get(name) for name in ("unit_id", "query_id", "n_positives")
    )
    options.pop("unit_id", None)
    sample = sampled_score(score, y_true, y_score, unit, **options)
    if unit is None:
        unit = np.arange(len(y_true)) if query is None else query
    number = np.unique(unit, return_inverse=True)[1]
    by_row = [
        name for name in ("sample_weight", "query_id") if options.get(name) is not None
    ]
    ones = np.ones(sample.n_units, dtype=int)
    for counts in counts_of_cells(ones, times, np.random.default_rng(0), None):
        scores = sample.scores_of_counts(counts)
        check_rows_that_are_alike(sample, counts, scores)
        for found, each in zip(scores, counts, strict=True):
            often, missed = np.split(each, [number.max() + 1])
            rows = np.repeat(np.arange(len(y_true)), often[number])
            if not y_true[rows].any() and not missed.any():
                assert np.isnan(found)
                continue
            of_rows = {name: options[name][rows] for name in by_row}
            if query is not None and not sample.n_fixed_queries:
                # each copy of a query is a query
                copy = np.concatenate([np.arange(one) for one in often[number]])
                of_rows["query_id"] = query[rows] * 1000 + copy
            if isinstance(total, dict):
                n_missed = [
                    n - y_true[query == kind].sum() for kind, n in total.items()
                ]
                of_missed = np.repeat(list(total), n_missed)
                of_rows["n_positives"] = {
                    kind: y_true[rows][query[rows] == kind].sum()
                    + missed[of_missed == kind].sum()
                    for kind in total
                }
            elif total is not None:
                of_rows["n_positives"] = y_true[rows].sum() + missed.sum()
            yield found, score(y_true[rows], y_score[rows], **(options | of_rows))


def check_rows_that_are_alike(sample, counts, scores):
    """Rows of one kind may be counted together."""
    if sample.ranked is None or not sample.ranked.is_plain:
        return
    _, units, kind = np.unique(
        sample.ranked.kinds, return_index=True, return_inverse=True
    )
    together = np.array([np.bincount(kind, often).astype(int) for often in counts])
    np.testing.assert_array_equal(sample.scores_of_counts(together, units), scores)


def check(*rows, **options):
    pairs = np.array(list(replicates(*rows, **options)))
    assert len(pairs) > 2
    np.testing.assert_allclose(pairs[:, 0], pairs[:, 1], rtol=1e-11, atol=1e-13)


WEIGHTS = {
    "counts": None,
    "any": drawn_weights(0, N),
    "whole": np.random.default_rng(0).integers(1, 4, N).astype(float),
}
NAMED = calls(5) | {
    f"{name}, share": one for name, one in calls(0.3).items() if one != calls(5)[name]
}


TAKES_WEIGHTS = [
    name
    for name, (score, options) in NAMED.items()
    if counts_weight(score) and "ties" not in options
]


@pytest.mark.parametrize(
    ("name", "weights"),
    [
        *((name, "counts") for name in NAMED),
        *product(TAKES_WEIGHTS, ("any", "whole", "per class")),
    ],
)
@tied
def test_every_number_is_that_of_the_rows_drawn(name, digits, weights):
    score, options = NAMED[name]
    for seed in range(3):
        y_true, y_score = drawn(seed, N, 0.3, digits)
        weight = (
            np.where(y_true, 0.7, 0.3) if weights == "per class" else WEIGHTS[weights]
        )
        check(score, y_true, y_score, sample_weight=weight, **options)


@each_area
@tied
@weighted
def test_clusters_and_prevalence_are_those_of_the_rows_drawn(name, digits, weighted):
    area = AREAS[name]
    weight = drawn_weights(1, N) if weighted else None
    rows = drawn(3, N, 0.3, digits)
    for options in ({"unit_id": np.arange(N) % 11}, {"prevalence": 0.1}):
        check(area.score, *rows, sample_weight=weight, **options, **area.options)


@few
@pytest.mark.parametrize("zero_division", [0.0, 1.0, np.nan])
@pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_columns_that_lost_all_positives_count_as_the_score_counts_them(
    weights, average, zero_division
):
    y_true, y_score = drawn_matrix(1, N, 1)
    weight = WEIGHTS[weights]
    options = {
        "average": average,
        "zero_division": zero_division,
        "sample_weight": weight,
    }
    check(AP, y_true * (np.arange(N) < 12)[:, np.newaxis], y_score, **options)


@pytest.mark.parametrize(
    "name",
    ["average precision", "interpolated, all recalls", "AP@k over R", "recall@k"],
)
def test_missed_positives_are_drawn(name):
    score, options = NAMED[name]
    check(score, *drawn(4, N, 0.1), **options, n_positives=9)


# --- rows that are alike, and samples without positives -------------------------------


@pytest.mark.parametrize("n_models", [1, 2])
def test_rows_that_are_alike_for_all_models_are_counted_together(n_models):
    rng = np.random.default_rng(0)
    y_true, models = np.arange(600) % 150 == 0, rng.normal(size=(n_models, 600))
    samples = [sampled_score(AP, y_true, one, None) for one in models]
    size, functions = drawn_units(samples)
    assert (size.sum(), len(functions)) == (600, n_models)
    assert size.size < 60
    assert [of[0] for of in [f(size[np.newaxis]) for f in functions]] == [
        sample.score for sample in samples
    ]


@few
@pytest.mark.parametrize(
    ("score", "options"),
    [(AP, {}), (average_precision_at_k_score, {"k": 20, "ties": "stable"})],
)
def test_samples_without_positives_are_counted(score, options):
    y_true, y_score = np.array([1] + [0] * 19), np.arange(20.0)
    options = {"method": "percentile", "n_resamples": 300, **options}
    found = estimate_score(score, y_true, y_score, random_state=0, **options)
    assert found.n_dropped == pytest.approx(300 * (1 - 1 / 20) ** 20, rel=0.3)
    assert found.bootstrap_distribution.size == 300 - found.n_dropped


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize(
    "score", [AP, precision_at_k_score, average_precision_at_k_score]
)
def test_queries_are_drawn_whole(score, average):
    query = np.arange(N) % 8
    y_true, y_score = drawn(5, N, 0.5, 1)
    y_true = y_true.copy()
    y_true[:8] = (
        # a query without positives would count as 0, and so would a sample of such
        # queries
        1
    )
    for units in ({}, {"unit_id": query // 2}):
        check(score, y_true, y_score, query_id=query, average=average, **units)


@pytest.mark.parametrize("rows_per_unit", [None, 4])
def test_rows_of_weight_0_are_no_units_of_a_cut(rows_per_unit):
    """They are dropped before anything is ranked, so the estimate is that of the other
    rows.
    """
    rng = np.random.default_rng(0)
    y_true = rng.random(80) < 0.4
    weight = rng.lognormal(size=80) * (rng.random(80) < 0.8)
    rows = {
        "y_true": y_true,
        "y_score": rng.normal(size=80) + y_true,
        "sample_weight": weight,
    }
    if rows_per_unit is not None:
        rows["unit_id"] = np.arange(80) // rows_per_unit
    kept = {name: values[weight > 0] for name, values in rows.items()}
    found, expected = (
        estimate_score("average_precision@20", **one, n_resamples=50, random_state=0)
        for one in (rows, kept)
    )
    assert found.to_dict() == expected.to_dict()
    np.testing.assert_array_equal(
        found.bootstrap_distribution, expected.bootstrap_distribution
    )

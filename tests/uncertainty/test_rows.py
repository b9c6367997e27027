"""Rows of inputs, one per line, with the number that is right and where it is from:
slopes of the score by weights and by rows, one more row, all signs, and quantiles of
scipy. A branch of a rule that no row has is not guarded.
"""

import re
import warnings
from functools import partial
from itertools import product
from math import ceil

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta, t
from sklearn.metrics import f1_score, roc_auc_score

import sklearn_ap
from oracles.uncertainty import differences, drawn, drawn_weights, error_of, n_equal
from sklearn_ap import (
    ScoreComparison,
    average_precision_score,
    compare_scores,
    estimate_score,
    expected_by_chance,
)
from sklearn_ap._core.scorer_names import function_of
from sklearn_ap._uncertainty.intervals.differences import df_of, share_of_signs
from sklearn_ap._uncertainty.sampling.sample import sample_of
from sklearn_ap._uncertainty.sampling.score_call import Units, read_call
from sklearn_ap._uncertainty.sampling.sums import _slopes_by_recall

pytestmark = pytest.mark.filterwarnings("ignore")
N = 24
ROWS = {name: drawn(seed, N, 0.4, 1) for seed, name in enumerate(["tied", "other"], 3)}
ROWS["columns"] = tuple(np.stack(pair, 1) for pair in zip(*ROWS.values(), strict=True))
ROWS["one"] = np.arange(N) == 5, ROWS["tied"][1]
ROWS["all"] = np.ones(N, int), ROWS["tied"][1]
# Nearly all rows are tied, so every cut is among equal rows. All groups have the same
# share of positives.
ROWS["block"] = np.arange(60) % 5 < 2, np.repeat([3, 2, 1], [5, 50, 5])
ROWS["sparse"] = np.arange(60) % 5 < 1, ROWS["block"][1]
OPTIONS = {
    "units": {"unit_id": np.arange(N) // 3},
    "halves": {"unit_id": np.arange(N) % 2},
    "queries": {"query_id": np.arange(N) % 2},
    "weights": {"sample_weight": drawn_weights(3, N)},
    "of_block": {"sample_weight": drawn_weights(3, 60)},
}

# --- standard errors: the slopes of the score by the weights of the units -------------

# The rows, the score and its options. A cut after all rows cannot move.
SLOPES = """
tied average_precision
tied average_precision prevalence=0.1
tied average_precision missed=7
tied average_precision missed=6.5
tied average_precision missed=7 prevalence=0.1
tied average_precision units
tied average_precision halves prevalence=0.7
tied average_precision weights
tied average_precision weights units prevalence=0.3
tied average_precision queries average=micro
tied average_precision queries units
tied average_precision queries units average=weighted
tied average_precision queries units prevalence=0.2
tied interpolated_average_precision
tied interpolated_average_precision missed=7 prevalence=0.1
tied interpolated_average_precision weights units
tied pr_auc_linear
tied pr_auc_linear units prevalence=0.1
tied pr_auc_linear weights
tied precision@24
tied precision@24 units
tied precision@99 weights
tied recall@99 missed=4
tied recall@99 weights
tied recall@99 units
tied average_precision@99 normalizer=hits
tied average_precision@99 normalizer=n_positives
tied average_precision@24 normalizer=k
tied r_precision missed=20
block r_precision
block r_precision of_block
block r_precision missed=3
one average_precision
one average_precision missed=2 prevalence=0.1
one pr_auc_linear prevalence=0.9
one interpolated_average_precision units missed=0
all average_precision
all precision@24 units
all r_precision
all r_precision missed=3
columns average_precision
columns average_precision prevalence=0.1
columns average_precision average=weighted
columns average_precision average=micro
columns pr_auc_linear average=weighted
columns average_precision units average=weighted
""".strip().splitlines()


def read_row(line):
    """Return the rows, the score, its options and the number of missed positives."""
    name, score, *words = line.split()
    options = {}
    for word in words:
        key, _, value = word.partition("=")
        number = float(value) if value[:1].isdecimal() else value
        options |= OPTIONS.get(key, {key: number})
    return ROWS[name], score, options, options.pop("missed", 0)


@pytest.mark.parametrize("line", SLOPES)
def test_a_standard_error_is_that_of_slopes(line):
    rows, score, options, missed = read_row(line)
    total = {"n_positives": rows[0].sum() + missed} if missed else {}
    found = estimate_score(score, *rows, **options, **total)
    units, h = options.pop("unit_id", None), 1e-6
    if units is None:
        units = options.get("query_id", np.arange(len(rows[0])))
    start = options.pop("sample_weight", np.ones(len(rows[0])))
    function, params = function_of(score, options)

    def at(weight, more=0.0):
        total = {"n_positives": weight @ rows[0] + missed + more} if missed else {}
        return function(*rows, sample_weight=weight, **params, **total)

    steps = [h * start * (units == unit) for unit in np.unique(units)]
    slopes = [at(start + step) - at(start - step) for step in steps]
    slopes += [at(start, h) - at(start, -h)] * ceil(missed)
    expected = np.linalg.norm(slopes) / (2 * h)
    assert found.standard_error == pytest.approx(expected, rel=1e-4, abs=1e-9)
    assert found.score == pytest.approx(at(start))


# --- cuts: the slopes of the score by the numbers of rows -----------------------------

# The rows, the score, the number of missed positives, and options. A sample takes the same share
# of all rows, found or missed, as the first k; a k that is a share is one of the rows
# with a score. With 1,000 copies of each row, some rows more are a small step.
CUTS = """
block precision@20 0
block recall@20 0
block recall@20 20
block recall@0.25 20
block average_precision@20 0
block average_precision@20 0 normalizer=k
block average_precision@20 0 normalizer=hits
block average_precision@20 0 normalizer=n_positives
block average_precision@20 20 normalizer=n_positives
sparse average_precision@20 20
sparse recall@20 20 normalizer=min
""".strip().splitlines()


@pytest.mark.parametrize("line", CUTS)
def test_a_cut_moves_with_the_rows(line):
    rows, name, missed, *words = line.split()
    options = dict(word.split("=") for word in words)
    (y_true, y_score), missed, copies = ROWS[rows], int(missed), 1000
    function, params = function_of(name, options)
    k = params["k"]
    share = k / (60 + missed) if k > 1 else k

    def at(rows, n_missed):
        options = dict(params)
        if k > 1:
            options["k"] = round(share * (rows.sum() + n_missed))
        if missed:
            options["n_positives"] = rows @ y_true + n_missed
        return function(np.repeat(y_true, rows), np.repeat(y_score, rows), **options)

    def slope(of_row, of_missed):
        step = round(1 / share)
        above, below = (
            at(copies + sign * of_row, copies * missed + sign * of_missed)
            for sign in (step, -step)
        )
        return (above - below) * copies / (2 * step)

    nothing = np.zeros(60, int)
    # Rows of one score and label are alike.
    _, first, sizes = np.unique(2 * y_score + y_true, return_index=1, return_counts=1)
    slopes = [slope(np.arange(60) == row, 0) for row in first]
    total = np.square(slopes) @ sizes + missed * slope(nothing, 1) ** 2
    more = {"n_positives": y_true.sum() + missed} if missed else {}
    found = estimate_score(name, y_true, y_score, **options, **more)
    assert found.standard_error == pytest.approx(np.sqrt(total), rel=1e-4)


# --- one more event: the score with one more row --------------------------------------

# The score, labels best first, positives that were missed, the change, the label of the
# event, the number of rows above it, and the weight of negatives: if it is c, an alarm is
# where 1 / (2 sqrt(c)) of the score is reached. In front of all rows, a gain g of a score
# T above the chance c is a change of g^2 / (g + T - c), if T is above c.
EVENTS = """
precision@5 11111111111111111111 0 lost 0 2 1
average_precision@5 11111111111111111111 0 lost 0 2 1
recall@5 11111111111111111111 0 lost 0 2 1
average_precision 11110000 0 lost 1 8 1
average_precision 11110000 0 alarm 0 1 1
average_precision 11111111111100 0 alarm 0 5 1
average_precision 11111111111100 0 alarm 0 2 4
average_precision 11111111111100 0 alarm 0 1 16
precision@4 11110000 0 alarm 0 1 1
precision@4 00001111 0 found 1 0 1
recall@4 00001111 0 found 1 0 1
average_precision 000000000000000100000000000001 0 front 1 0 1
average_precision 000000000000000100000000000001 7 front 1 0 1
average_precision 000000000000000100000000000001 28 front 1 0 1
average_precision 000000000000000000000000000111 0 front 1 0 1
average_precision 010000000000000000000000000000 1 front 1 0 1
r_precision 000000000000000100000000000001 2 front 1 0 1
""".strip().splitlines()


@pytest.mark.parametrize("line", EVENTS)
def test_a_change_is_that_of_one_more_row(line):
    score, labels, missed, name, *numbers = line.split()
    labels, missed = np.array([*map(int, labels)]), int(missed)
    label, above, weight = map(int, numbers)
    function, params = function_of(score, {})

    def numbers_of(labels):
        rows = {"y_true": labels, "y_score": -np.arange(labels.size)}
        if missed:
            rows["n_positives"] = labels.sum() + missed
        if weight > 1:
            rows["sample_weight"] = np.where(labels, 1, weight)
        return rows

    found = estimate_score(score, **numbers_of(labels))
    more = numbers_of(np.insert(labels, above, label))
    change = abs(function(**more, **params) - found.score)
    if name == "front":
        name, chance = "found", (labels.sum() + missed) / (labels.size + missed)
        change = change**2 / (change + max(found.score - chance, 0))
    assert getattr(found._changes, name) == pytest.approx(change)


def test_a_query_of_missed_positives_may_lack_one_in_front():
    """Its score of 0 becomes 1 / (m + 1). One of the two queries has an event."""
    ids = {"query_id": [0, 0, 1, 1], "unit_id": range(4)}

    def found(missed):
        totals = {"n_positives": {0: 1, 1: missed}}
        rows = [1, 0, 0, 0], range(4)
        return estimate_score(
            "average_precision", *rows, **ids, **totals
        )._changes.found

    more = (1 / 2**2 - 1 / 5**2) / 2**2
    assert found(1) ** 2 - found(4) ** 2 == pytest.approx(more / 2)


# --- endpoints ------------------------------------------------------------------------


def without(n, at=0.975):
    """Return the quantile of the mean of n units of 0, and one of 1."""
    return beta.ppf(at, (n - 1) / (n + 1), n * (n - 1) / (n + 1))


# The score, the first of two rows of each query, or labels of rows, and the endpoints.
INTERVALS = [
    ("precision@1", [0] * 3, 0.95, (0, without(3))),
    ("precision@1", [1] * 3, 0.95, (1 - without(3), 1)),
    ("success@1", [0] * 9, 0.8, (0, without(9, 0.9))),
    ("success@1", [1] * 9, 0.8, (1 - without(9, 0.9), 1)),
    ("success@1", [1], 0.95, (np.nan, np.nan)),
]


@pytest.mark.parametrize(("score", "first", "level", "expected"), INTERVALS)
def test_a_mean_of_equal_queries_may_lack_another_one(score, first, level, expected):
    labels = np.stack((first, np.subtract(1, first)), 1).ravel()
    query = np.arange(labels.size) // 2
    found = estimate_score(score, labels, [2, 1] * len(first), query_id=query)
    endpoints = tuple(found.confidence_interval(level))
    assert endpoints == pytest.approx(expected, nan_ok=True)


# The difference, its error, the p-value, what each score may lose, the bias, and the
# endpoints with three degrees of freedom, whose quantile is q.
DIFFERENCES = """
0 0 1 0 0 0 0 0
.2 .01 .01 0 0 0 .2-.01*q .2+.01*q
.2 .03 .01 .04 0 0 .2-.05*q .2+.03*q
.2 .03 .01 0 .04 0 .2-.03*q .2+.05*q
.2 .01 .01 0 0 .05 .15-.01*q .2+.01*q
.2 .01 .01 0 0 -.05 .2-.01*q .25+.01*q
.2 .01 .06 0 0 0 0 .2+.01*q
-.2 .01 .06 0 0 0 -.2-.01*q 0
-.2 .9 .06 0 0 0 -1 1
.2 .3 .01 0 0 0 2e-10 1
-.2 .3 .01 0 0 0 -1 -2e-10
.2 .9 nan 0 0 0 nan nan
""".strip().splitlines()


@pytest.mark.parametrize("line", DIFFERENCES)
def test_endpoints_of_a_difference(line):
    names = {"q": t.ppf(0.975, 3), "nan": np.nan}
    row = [float(eval(word, names)) for word in line.split()]
    difference, error, pvalue, first, second, bias, *expected = row
    found = ScoreComparison(
        difference=difference,
        scores=(0.5, 0.5),
        standard_error=error,
        statistic=0.0,
        df=3.0,
        pvalue=pvalue,
        _lost=(first, second),
        _bias=bias,
    )
    assert [*found._interval(0.95)] == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(("missed", "n_units"), [(0, 3), (0.5, 4), (2, 5)])
def test_a_part_of_a_missed_positive_is_a_unit(missed, n_units):
    """Precision after two positives and a negative varies by all positives."""
    rows = [1, 0, 1, 1, 0, 0], range(6, 0, -1)
    found = estimate_score("precision_at_recall@0.4", *rows, n_positives=3 + missed)
    places = [each for each in found._places if each.only_high and not each.away]
    error = np.hypot(1 / 3, np.sqrt(n_units) / 3 / (3 + missed)) * 2 / 3
    assert [each.standard_error for each in places] == pytest.approx([error])


# --- tests of a difference ------------------------------------------------------------


@pytest.mark.parametrize("value", [0, 1, -2, 3, 4, 5, 12, 13])
@pytest.mark.parametrize("sizes", [[1] * 3, [4, 3, 2, 1, 1, 1], [1, -1], [0.1] * 8])
def test_the_share_of_signs_is_counted(value, sizes):
    sums = [np.dot(sizes, signs) for signs in product((1, -1), repeat=len(sizes))]
    share = np.mean(np.abs(sums) >= abs(value) - 1e-9)
    assert share_of_signs(value, np.array(sizes, float)) == pytest.approx(share)


# Labels, the weights of the negatives, and the scores of two models.
HEAVY = [
    ([1, 0, 1, 1, 0, 1], [9, 9], [6, 5, 4, 3, 2, 1], [6, 1, 5, 4, 2, 3]),
    ([1, 0, 1, 0, 1, 0, 1], [8, 9, 8], [7, 6, 5, 4, 3, 2, 1], [7, 1, 6, 2, 5, 3, 4]),
    ([1, 0, 1, 1, 0], [5, 50], [5, 4, 3, 2, 1], [5, 1, 4, 3, 2]),
    ([0, 0, 1, 1, 1, 0], [9, 9, 9], [6, 5, 4, 3, 2, 1], [6, 4, 5, 2, 3, 1]),
]


def influences(labels, weight, scores):
    """Return what each row contributes: for a negative, the change without its excess,
    which is what a typical negative weighs above a positive.
    """
    negative = weight[labels == 0]
    excess = negative @ negative / negative.sum() - 1

    def at(step):
        return average_precision_score(labels, scores, sample_weight=weight + step)

    def influence(row):
        step = np.arange(labels.size) == row
        if labels[row]:
            return (at(1e-6 * step) - at(-1e-6 * step)) / 2e-6
        # A negative cannot lose more than its weight.
        removed = min(excess, weight[row])
        return (at(0) - at(-removed * step)) / removed * weight[row]

    return at(0), np.array([influence(row) for row in range(labels.size)])


@pytest.mark.parametrize(("labels", "weights", "first", "second"), HEAVY)
def test_heavy_negatives_contribute_changes_without_their_excess(
    labels, weights, first, second
):
    labels, weight = np.array(labels), np.ones(len(labels))
    weight[labels == 0] = weights
    rows = {"y_score_a": first, "y_score_b": second, "sample_weight": weight}
    found = compare_scores("average_precision", labels, **rows)
    (a, of_a), (b, of_b) = (
        influences(labels, weight, each) for each in (first, second)
    )
    error = np.linalg.norm(of_a - of_b)
    assert found.standard_error == pytest.approx(error, rel=1e-5)
    if a + b < 0.6:
        # The test compares cube roots of low scores.
        value = np.cbrt(a) - np.cbrt(b)
        apart = (a ** (-2 / 3) * of_a - b ** (-2 / 3) * of_b) / 3
        error = np.linalg.norm(apart + value * labels / labels.sum())
        assert found.statistic == pytest.approx(value / error, rel=1e-5)


def influences_on_power(power, labels, y_score, weight):
    """Return what each row contributes to a power of the score."""

    def at(weight):
        return average_precision_score(labels, y_score, sample_weight=weight) ** power

    return differences(at, weight, np.diag(weight))


@pytest.mark.parametrize("weighted", [False, True])
def test_two_low_scores_have_the_t_test_of_their_cube_roots(weighted):
    labels = np.isin(np.arange(20), [6, 11, 19])
    scores = -np.arange(20), -(np.arange(20) + 4) % 20
    weight = np.ones(20)
    if weighted:
        weight[labels] = 1.5, 2, 1.6
    roots = [influences_on_power(1 / 3, labels, each, weight) for each in scores]
    rows = {"y_score_a": scores[0], "y_score_b": scores[1], "sample_weight": weight}
    found = compare_scores("average_precision", labels, **rows)
    n = n_equal(weight[labels])
    error = error_of(roots[0] - roots[1]) * np.sqrt(n / (n - 1))
    value = np.subtract(*map(np.cbrt, found.scores))
    assert (found.test, found.df) == ("t", 2)
    assert found.statistic == pytest.approx(value / error, rel=1e-5)
    assert found.pvalue == pytest.approx(2 * t.sf(abs(value / error), 2), rel=1e-5)


# Contributions, the units of each, and 2 / (1 / k - 1 / n): k of n units are equal.
DFS = [
    ([1, 1, 1, 1], [1, 1, 1, 1], 9),
    ([1, 0, 0, 0], [1, 1, 1, 1], 2 / (1 - 1 / 4)),
    ([1, 0], [2, 6], 2 / (1 / 2 - 1 / 8)),
    ([0, 0], [1, 1], 2 / (1 - 1 / 2)),
]


@pytest.mark.parametrize(("values", "copies", "expected"), DFS)
def test_degrees_of_freedom(values, copies, expected):
    found = df_of(np.array(values, float), np.array(copies, float), 9)
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(("heavy", "test"), [([], "signs"), ([2], "t"), ([3], "t")])
def test_heavy_negatives_of_one_column_decide(heavy, test):
    """Few rows may then decide the mean."""
    labels = np.array([[1, 1], [1, 1], [0, 1], [1, 0], [0, 0], [1, 1], [0, 0]])
    weight = np.ones(7)
    weight[heavy] = 20
    scores = np.stack((np.arange(7), np.arange(7)), 1)
    rows = {"y_score_a": -scores, "y_score_b": scores % 5, "sample_weight": weight}
    found = compare_scores("average_precision", labels, **rows)
    assert found.test == test


def test_negatives_of_large_units_are_not_heavy():
    labels = np.arange(30) < 10
    rows = {"y_score_a": -np.arange(30), "y_score_b": np.arange(30) % 7}
    rows["unit_id"] = np.where(labels, np.arange(30), np.arange(30) // 10)
    assert compare_scores("average_precision", labels, **rows).test == "signs"


@pytest.mark.parametrize("weight", [1, 9])
def test_the_bias_of_a_difference_of_means_is_that_of_both(weight):
    """A mean has also the loss of heavy negatives in each of its queries."""
    labels, row = np.array([1, 0, 1, 1, 0] * 2), np.arange(10)
    rows = {"query_id": row // 5, "unit_id": row}
    rows["sample_weight"] = np.where(labels, 1, weight)
    models = -row, row * 7 % 10
    first, second = (
        estimate_score("average_precision", labels, each, **rows)._changes.elsewhere
        for each in models
    )
    found = compare_scores("average_precision", labels, *models, **rows)
    assert found._bias == pytest.approx(first - second)


def test_the_shares_of_a_mean_are_those_of_its_columns():
    """To equal models, the difference is added back by the shares of the units."""
    labels = np.array([[1, 1], [1, 0], [0, 1], [1, 0], [0, 0], [1, 0], [0, 0]])
    row = np.arange(7)
    models = np.stack((-row, row * 3 % 7), 1), np.stack((row % 5, row * 2 % 7), 1)
    found = compare_scores("average_precision", labels, *models)
    power = np.mean(found.scores)
    first, second = (
        influences_on_power(power, labels, each, np.ones(7)) for each in models
    )
    value = np.subtract(*np.power(found.scores, power))
    shares = (labels / labels.sum(0)).mean(1)
    # Half a degree of freedom of the five units with positives is lost.
    error = error_of(first - second + value * shares) * np.sqrt(5 / 4.5)
    assert found.statistic == pytest.approx(value / error, rel=1e-5)


# --- levels ---------------------------------------------------------------------------


# The number of positives at a level of 1,000, and the fall from there on by one each.
# Two standard errors before 2 of them is before the first one, and beyond is the fifth.
FALLS = [(2, -4 / (2 + 2 * 2**0.5)), (500, -1), (998, -4 / (2 + 2 * 2**0.5))]


@pytest.mark.parametrize(("n_reached", "expected"), FALLS)
def test_a_slope_ends_at_the_first_and_the_last_positive(n_reached, expected):
    rows = np.ones(1000), np.arange(1000)
    call = read_call(average_precision_score, *rows, {})
    groups = sample_of(call, Units()).mean.parts[0].ranking.groups
    slope = _slopes_by_recall(np.array([n_reached / 1000]), groups, -groups.tp)
    assert slope == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("level", [0.0, 0.1, 0.999, 1.0])
def test_equal_rows_have_the_error_of_a_share_at_each_level(level):
    labels = np.arange(1000) % 5 < 2
    rows = {"y_true": labels, "y_score": np.ones(1000), "recall_levels": [level]}
    found = estimate_score("interpolated_average_precision", **rows)
    assert found.standard_error == pytest.approx(np.sqrt(0.24 / 1000), rel=0.01)


# --- chance ---------------------------------------------------------------------------


@pytest.mark.parametrize(("n_positives", "n"), [(1, 4), (3, 3), (16, 23), (14, 24)])
def test_chance_of_tied_rows_is_their_share(n_positives, n):
    found = expected_by_chance(np.arange(n) < n_positives, np.ones(n))
    assert found == n_positives / n


# --- warnings -------------------------------------------------------------------------


def columns(average, *n_positives):
    labels = np.arange(60)[:, np.newaxis] < n_positives
    scores = np.random.default_rng(0).normal(size=labels.shape)
    return labels, scores, {"average": ("macro", "micro", "weighted")[average]}


def clusters(n_units, n_large):
    """Return rows with negatives in units, of which some are large."""
    sizes = np.repeat([10_000, 1], [n_large, n_units - n_large + 20])
    unit = np.repeat(np.arange(sizes.size), sizes)
    return unit >= n_units, -unit, {"unit_id": unit}


def heavy(weight, n_top, best, n_queries=0):
    """Return rows with heavy negatives above the median positive."""
    score = np.r_[np.full(9, 1.0), best, np.linspace(0, 0.9, 40), np.full(n_top, 1.5)]
    weights = np.repeat([1.0, weight], [50, n_top])
    options = {"sample_weight": weights}
    if n_queries:
        options["query_id"] = np.arange(score.size) % n_queries
    return np.arange(score.size) < 10, score, options


# The rows, their numbers, and the kind of the warning.
CODES = """
columns 0 2 30 few_positives
columns 0 3 30 -
columns 2 30 2 few_positives
columns 1 2 3 -
columns 0 2 few_positives
columns 0 3 -
clusters 31 3 missing_negatives
clusters 30 3 -
clusters 900 5 missing_negatives
clusters 900 6 -
heavy 50 5 1 dependent_weights
heavy 50 4 1 -
heavy 50 6 9 dependent_weights
heavy 4 6 1 -
heavy 50 5 1 5 -
""".strip().splitlines()


@pytest.mark.parametrize("line", CODES)
def test_a_warning_begins_at_its_limit(line):
    rows, *numbers, code = line.split()
    labels, scores, options = globals()[rows](*map(int, numbers))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimate_score("average_precision", labels, scores, **options)
    assert [each.message.code for each in caught] == [code][code == "-" :]


# --- errors ---------------------------------------------------------------------------

NAMES = {name: getattr(sklearn_ap, name) for name in sklearn_ap.__all__}
NAMES |= {"f1_score": f1_score, "roc_auc_score": roc_auc_score, "pd": pd}
NAMES |= {"partial": partial, "nan": np.nan, "w": OPTIONS["weights"]["sample_weight"]}
NAMES |= {"y": ROWS["tied"][0], "s": ROWS["tied"][1], "of_three": np.arange(N) % 3}
NAMES |= {
    "columns": ROWS["columns"],
    "of_31": np.arange(31) * 7 % 31,
    "other_31": (np.arange(31) * 9 + 5) % 31,
}
AP, AP_AT_5 = (
    "estimate_score('average_precision', ",
    "estimate_score('average_precision@5', y, s, ",
)
MOST, NO_INTERVAL = (
    "n_positives must be at most 1e+60 above",
    "with n_positives, an interval requires",
)
COMPARE = "compare_scores('average_precision', "
# A call, and its number by hand.
NUMBERS = [
    (f"{AP}[0, 1, 0, 0], [4, 3, 2, 1]).score", 0.5),
    (f"'interval' in str({AP}[0, 1, 0, 0], [4, 3, 2, 1]))", 0),
    (f"{AP}[0, 1] * 3, [2, 1] * 3, query_id=[0, 0, 1, 1, 2, 2]).standard_error", 0),
    # Five rows are five units, whatever the number of missed positives.
    (f"{AP}[1, 0, 1, 1, 0], [5, 4, 3, 2, 1], n_positives=5).n_units", 5),
    (f"{AP}[1, 0, 1, 1, 0], [5, 4, 3, 2, 1], n_positives=5).n_effective", 3),
    # Other samples have one to nine of ten rows above a threshold.
    ("len(estimate_score('precision@5', [1, 0] * 5, range(10))._places)", 9),
    # The first of 9 positives reaches 3 of 25 levels, just as many as it may.
    ("estimate_score('interpolated_average_precision', [1, 0] * 9, range(18), recall_levels=25).n_units", 18),
    # Whole numbers, which print without decimals: seven queries, and seven tied rows.
    (f"str({AP}[1] * 7 + [0] * 7, range(14), query_id=[*range(7)] * 2).n_effective)", "7"),
    (f"str({AP}[1, 0] * 7, [1, 2] + [0] * 12).n_effective)", "7"),
    (f"{COMPARE}[1, 0, 1, 1, 0], [5, 4, 3, 2, 1], [1, 2, 3, 4, 5], n_positives=5).n_units", 5),
    (f"str({AP}[1, 0, 0], [3, 2, 1]).df)", "nan"),
    ("round(expected_by_chance([0, 1, 2], pos_label=2), 9)", round((1 + 1 / 2 + 1 / 3) / 3, 9)),
    (f"{AP}[1, 0, 0, 1], [4, 3, 2, 1], query_id=[0, 0, 1, 1], n_positives={{0: 1, 1: 1}}).to_dict()['options']", {}),
    ("estimate_score('average_precision@5', [0, 0, 0, 0, 0, 1], range(6, 0, -1), normalizer='hits').score", 0),
]  # fmt: skip
# A call without a number, and the words of its warning.
UNDEFINED = [
    (f"{AP}[0, 1, 0, 0], [4, 3, 2, 1]).confidence_interval()", "single unit or"),
    (f"{AP}[0, 1, 0, 0], [4, 3, 2, 1], query_id=[7] * 4).confidence_interval()", "single unit or"),
    (f"{AP}[0, 1] * 3, [2, 1] * 3, query_id=[0, 0, 1, 1, 2, 2]).confidence_interval()", "all units have the same inf"),
    (f"{COMPARE}[1, 0, 0], [0.9, 0.1, 0.2], [0.8, 0.2, 0.1]).confidence_interval()", "single unit or positive"),
    (f"{COMPARE}[1, 0, 0], [0.9, 0.1, 0.2], [0.8, 0.2, 0.1]).pvalue", "single unit or positive"),
    (f"{COMPARE}[1] + [0] * 30, of_31, other_31).pvalue", "single unit"),
    (f"{COMPARE}[1, 1] + [0] * 29, of_31, other_31, unit_id=[0, 0, *range(1, 30)]).pvalue", "single unit"),
    # The first and the last model differ in all queries alike.
    ("compare_many('average_precision', [1, 0] * 3, {'a': [2, 1] * 3, 'b': [2, 1, 1, 2, 1, 2], 'c': [1, 2] * 3}, query_id=[0, 0, 1, 1, 2, 2]).confidence_interval().low[1]", " for a - c: all"),
    # No row has an influence on the first score, whose standard error of 0 was a divisor.
    (f"{COMPARE}[0, 1, 0], [3, 2, 0], [3, 2, 3], prevalence=0.05).pvalue", "single unit"),
]  # fmt: skip
# A call, the beginning of its error, and words of it.
ERRORS = [
    (f"{AP}y, s, unit_id=[1, 2, 3])", "unit_id must", "got shape (3,)"),
    (f"{AP}y, s, prevalence=1e-300)", "prevalence must not make a negative weigh", ""),
    (f"{AP}y, s, n_positives=1e61)", MOST, ""),
    (f"{AP}y, s, n_positives=1e61, unit_id=of_three)", MOST, ""),
    ("estimate_score('recall@5', y, s, n_positives=1e61)", MOST, ""),
    (f"{AP}y, s, n_positives=90, sample_weight=w)", NO_INTERVAL, "90"),
    (f"{AP}y, s, n_positives=90, query_id=of_three, average='micro')", NO_INTERVAL, "90"),
    (f"{AP}*columns, n_positives=[90, 90])", NO_INTERVAL, "90"),
    (f"{AP_AT_5}n_positives=90, ties='stable')", NO_INTERVAL, "90"),
    (
        f"{AP}[[1, 0], [0, 0]], [[1, 2], [3, 4]], average='samples', sample_weight=[0, 1], zero_division=nan)",
        "y_true must contain a positive in a ranking whose weight",
        "got none",
    ),
    (
        f"{AP}y, s, unit_id=[7] * 24, query_id=[7] * 24, n_positives={{7: 60, 9: 1}})",
        "unit_id requires rows of each query that",
        "got {7: 60, 9: 1}",
    ),
    ("estimate_score(roc_auc_score, y, s)", "score_func", "scipy.stats.bootstrap("),
    ("estimate_score(partial(f1_score), y, s)", "score_func", "scipy.stats.bootstrap("),
    ("estimate_score('ranx map@k', y, s)", "score_func must be a score of this package", "the convention 'ranx map@k'"),
    ("estimate_score('pr_auc_davis_goadrich', y, s)", "pr_auc_score has no interval here: ", "query_id"),
    ("estimate_score('recall_at_precision@0.5', y, s)", "recall_at_precision_score has no interval here: ", "query_id"),
    ("estimate_score('reciprocal_rank', y, s)", "reciprocal_rank_score has no interval here: ", "query_id"),
    # The order of two tied rows would decide which of their units has the hit.
    *(
        (f"{AP_AT_5}ties='{ties}', {units})", "ties must", "")
        for ties in ("optimistic", "pessimistic")
        for units in ("unit_id=of_three", "query_id=of_three, average='micro'")
    ),
    *(
        (f"{AP}y, s).confidence_interval({level})", "confidence_level must", f"got {level}")
        for level in ("0", "1", "1.5", "'high'")
    ),
    ("compare_many('average_precision', y, [1, 2])", "y_score must map", "list [1, 2]."),
    ("compare_many('average_precision', y, {'a': s})", "y_score must", "dict {'a': arr"),
    ("compare_many('average_precision', y, pd.DataFrame({'a': s}))", "y_score must", "dict {'a': 0 "),
    ("compare_many('average_precision', y, {'m0': s, 'm1': -s}, reference='b')", "reference must", "['m0', 'm1']; got 'b'"),
    ("expected_by_chance([1, 0, 0], zero_division=0.5)", "zero_division", "got 0.5"),
    ("expected_by_chance([1, nan])", "Input y_true contains NaN", ""),
    (
        "expected_by_chance([1, 0, 0], sample_weight=[1, 2, 2])",
        "sample_weight must be equal",
        "; got weights from 1.0 to 2.0. Score",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("call", "expected"), NUMBERS)
def test_a_call_returns_its_number(call, expected):
    assert eval(call, NAMES) == expected


@pytest.mark.filterwarnings("ignore:The sample has too few")
@pytest.mark.parametrize(("call", "words"), UNDEFINED)
def test_a_call_that_is_undefined_warns(call, words):
    with pytest.warns(UserWarning, match=f"is NaN.*{words}"):
        assert np.isnan(eval(call, NAMES)).all()


@pytest.mark.parametrize(("call", "start", "words"), ERRORS)
def test_a_call_raises_its_error(call, start, words):
    with pytest.raises(ValueError, match=f"^{re.escape(start)}") as caught:
        eval(call, NAMES)
    assert words in str(caught.value)


@pytest.mark.parametrize("ties", ["optimistic", "pessimistic", "stable"])
def test_units_of_one_row_are_rows(ties):
    rows = "average_precision@5", *ROWS["tied"]
    alone, units = (
        estimate_score(*rows, ties=ties, unit_id=unit) for unit in (None, range(N))
    )
    assert units.to_dict() == alone.to_dict()

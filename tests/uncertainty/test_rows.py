"""Rows of inputs, one per line, with the number that is right and where it is from:
slopes of the score by weights and by rows, one more row, all signs, and quantiles of
scipy. A branch of a rule that no row has is not guarded.
"""

import json
import pickle
import warnings
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from math import ceil

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import binom, norm, t
from sklearn import metrics
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import f1_score, roc_auc_score

import sklearn_ap
from few_positives import may_warn_of_few_positives
from oracles.uncertainty import differences, drawn, drawn_weights, error_of, n_equal
from refusals import assert_raises, each_row
from sklearn_ap import (
    ScoreComparison,
    ScoreEstimate,
    average_precision_score,
    compare_samples,
    compare_scores,
    estimate_score,
)
from sklearn_ap import (
    interpolated_average_precision_score as AT_LEVELS,
)
from sklearn_ap._core import registry
from sklearn_ap._core.reading.read import read
from sklearn_ap._core.scorer_names import function_of
from sklearn_ap._core.typing import PassedRows
from sklearn_ap._uncertainty.intervals import first_rows, recalls
from sklearn_ap._uncertainty.intervals.comparisons import adjusted_by_bonferroni
from sklearn_ap._uncertainty.intervals.differences import (
    _lightened,
    df_of,
    sample_to_compare,
    share_of_signs,
)
from sklearn_ap._uncertainty.intervals.endpoints import endpoints_of_independent
from sklearn_ap._uncertainty.intervals.results import Result
from sklearn_ap._uncertainty.sampling import contributions, sample
from sklearn_ap._uncertainty.sampling.levels import (
    _damped_precision,
    _slopes_by_recall,
)
from sklearn_ap._uncertainty.sampling.sample import sample_of
from sklearn_ap._uncertainty.sampling.score import KNOWN_AREAS
from sklearn_ap._uncertainty.sampling.score_call import read_call
from sklearn_ap._uncertainty.sampling.sums import Sum
from sklearn_ap._uncertainty.sampling.units import Units, units_of, units_of_ranking

pytestmark = [
    may_warn_of_few_positives,
    pytest.mark.filterwarnings(
        "ignore:Scores are nothing but the labels:UserWarning",
        "ignore::sklearn.exceptions.UndefinedMetricWarning",
    ),
]
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
tied average_precision queries units average=micro
tied average_precision queries units
tied average_precision queries units average=weighted
tied average_precision queries units prevalence=0.2
tied interpolated_average_precision
tied interpolated_average_precision missed=7 prevalence=0.1
tied interpolated_average_precision weights units
tied pr_auc_linear
tied pr_auc_linear units prevalence=0.1
tied pr_auc_linear weights
block pr_auc_linear
block pr_auc_linear of_block prevalence=0.3
block average_precision of_block
block interpolated_average_precision of_block prevalence=0.7
other interpolated_average_precision weights
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


def test_each_area_with_an_interval_has_a_row_of_slopes():
    names = {line.split()[1].partition("@")[0] for line in SLOPES}
    named = [
        each for each in registry.NUMBERS if each.scorer.partition("@")[0] in names
    ]
    assert {each.definition.area for each in named} == {*KNOWN_AREAS}


# A division by 0 may not change a number, but warns.
@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("line", SLOPES)
def test_a_standard_error_is_that_of_slopes(line):
    rows, score, options, missed = read_row(line)
    total = {"n_positives": rows[0].sum() + missed} if missed else {}
    found = estimate_score(score, *rows, **options, **total)
    units = options.pop("unit_id", None)
    if units is None:
        units = options.get("query_id", np.arange(len(rows[0])))
    names, unit = np.unique(units, return_inverse=True)
    per_row = options.pop("sample_weight", np.ones(len(rows[0])))
    function, params = function_of(score, options)

    def at(weight):
        rows_weight = per_row * weight[unit]
        if missed:
            more = weight[names.size :].sum() - ceil(missed)
            params["n_positives"] = rows_weight @ rows[0] + missed + more
        return function(*rows, sample_weight=rows_weight, **params)

    # Each missed positive is a unit.
    start = np.ones(names.size + ceil(missed))
    expected = error_of(differences(at, start))
    assert found.standard_error == pytest.approx(expected, rel=1e-4, abs=1e-9)
    assert found.score == pytest.approx(at(start))


OF_MEANS = [
    {},
    OPTIONS["weights"],
    OPTIONS["units"],
    OPTIONS["weights"] | OPTIONS["units"],
]


@pytest.mark.parametrize("zero_division", [0.0, 1.0, np.nan])
@pytest.mark.parametrize("options", OF_MEANS)
def test_a_mean_over_rows_has_the_standard_error_of_a_mean(options, zero_division):
    """Rows without positives are not counted if they score NaN."""
    labels, scores = ROWS["columns"]
    options = options | {"average": "samples", "zero_division": zero_division}
    found = estimate_score("average_precision", labels, scores, **options)
    unit = options.pop("unit_id", np.arange(N))
    start = options.pop("sample_weight", np.ones(N))

    def at(weight):
        return average_precision_score(labels, scores, sample_weight=weight, **options)

    is_counted = labels.any(axis=1) | (zero_division >= 0)
    of_units = np.bincount(unit, start * is_counted)
    n = n_equal(of_units)
    slopes = differences(at, start, start * (np.unique(unit)[:, np.newaxis] == unit))
    error = error_of(slopes) * np.sqrt(n / (n - 1))
    expected = at(start), error, n - 1, np.count_nonzero(of_units)
    numbers = found.score, found.standard_error, found.df, found.n_units
    assert numbers == pytest.approx(expected, rel=1e-6)


# --- cuts: the slopes of the score by the numbers of rows -----------------------------

# The rows, the score, the number of missed positives, and options. A sample takes the same share
# of all rows, found or missed, as the first k; a k that is a share is one of the rows
# with a score. With 200 copies of each row, some rows more are a small step. Each unit has
# the same part of a cut of k rows.
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
sparse recall@20 0 units
block average_precision@20 0 units
block recall@0.25 0 units
block precision@20 0 weights
sparse average_precision@20 0 weights
""".strip().splitlines()


@pytest.mark.parametrize("line", CUTS)
def test_a_cut_moves_with_the_rows(line):
    rows, name, missed, *words = line.split()
    (y_true, y_score), missed, copies = ROWS[rows], int(missed), 200
    # Rows of one score and label are alike.
    unit, alike, options = np.arange(60), 2 * y_score + y_true, {}
    if words == ["units"]:
        unit = alike = unit**2 // 360
        options["unit_id"] = unit
    elif words == ["weights"]:
        options["sample_weight"] = 1 + 2 * y_true
    else:
        options = dict(word.split("=") for word in words)
    function, params = function_of(name, options)
    params = {key: value for key, value in params.items() if key != "unit_id"}
    k, n_units = params["k"], unit.max() + 1

    def at(step, part, of_row, of_missed):
        rows, options = copies + step * of_row, dict(params)
        if k > 1:
            options["k"] = round(copies * k + part * step)
        if missed:
            n_missed = copies * missed + step * of_missed
            options["n_positives"] = rows @ y_true + n_missed
        if "sample_weight" in params:
            options["sample_weight"] = np.repeat(params["sample_weight"], rows)
        return function(np.repeat(y_true, rows), np.repeat(y_score, rows), **options)

    def slope(part, of_row, of_missed):
        # With this step, the cut moves by whole rows.
        step = Fraction(part).limit_denominator(99).denominator
        above, below = (at(each, part, of_row, of_missed) for each in (step, -step))
        return (above - below) * copies / (2 * step)

    per_row = k / (60 + missed) if k > 1 else k
    per_unit = per_row * 60 / n_units if k > 1 else k
    _, first, sizes = np.unique(alike, return_index=True, return_counts=True)
    sizes = sizes if alike is not unit else 1
    slopes = [slope(per_unit, unit == unit[row], 0) for row in first]
    total = (np.square(slopes) * sizes).sum()
    total += missed * slope(per_row, np.zeros(60, int), 1) ** 2
    more = {"n_positives": y_true.sum() + missed} if missed else {}
    found = estimate_score(name, y_true, y_score, **options, **more)
    assert found.standard_error == pytest.approx(np.sqrt(total), rel=1e-4)


# The rank of the only positive. The rows near a cut end at the upper endpoint of the
# interval of a Poisson count x by the score test: (x - mean)^2 = z^2 mean, z = 2.
@pytest.mark.parametrize("rank", [1, 2, 10, 17, 18, 19])
def test_a_cut_moves_among_rows_that_are_near(rank):
    reach = max(np.roots([1, -2 * 9 - 2**2, 9**2])) - 9
    inside = np.clip([9 + reach - rank + 1, 9 - reach - rank + 1], 0, 1)
    found = estimate_score("recall@9", np.arange(N) == rank - 1, -np.arange(N))
    moves = binom(N, 9 / N).std()
    expected = -np.diff(inside) / (2 * reach) * moves
    assert found.standard_error == pytest.approx(expected)


@pytest.mark.parametrize("n_missed", [0, 20])
@pytest.mark.parametrize("y_score", [range(60), [0] * 60, ROWS["block"][1]])
def test_a_number_of_rows_above_a_threshold_is_binomial(y_score, n_missed):
    """Also of tied rows, which a threshold does not divide."""
    y_true, n = ROWS["block"][0], 60 + n_missed
    found = estimate_score("recall@9", y_true, y_score, n_positives=24 + n_missed)
    steps = np.diff([place.away for place in found._places])
    assert steps == pytest.approx(1 / binom(n, 9 / n).std())


# --- one more event: the score with one more row --------------------------------------

# The score, labels best first, positives that were missed, the change, the label of the
# event, the number of rows above it, and the weight of negatives: if it is c > 1, an alarm
# is where 1 / (2 sqrt(c)) of the score is reached.
EVENTS = """
precision@5 11111111111111111111 0 lost 0 2 1
average_precision@5 11111111111111111111 0 lost 0 2 1
recall@5 11111111111111111111 0 lost 0 2 1
average_precision 11110000 0 lost 1 8 1
average_precision 11111111111100 0 alarm 0 2 4
average_precision 11111111111100 0 alarm 0 1 16
average_precision@5 1111100000 0 lost 1 10 1
pr_auc_linear 1101001000 0 lost 1 10 1
interpolated_average_precision 1101001000 0 lost 1 10 1
recall@0.2 1101001000 0 lost 1 10 1
r_precision 1101001000 3 lost 1 10 1
average_precision@0.3 1101001000 0 lost 1 10 1
interpolated_average_precision 01 0 lost 1 2 1
precision@4 11110000 0 alarm 0 1 4
""".strip().splitlines()


@pytest.mark.parametrize("line", EVENTS)
def test_a_change_is_that_of_one_more_row(line):
    score, labels, missed, name, label, above, weight = line.split()
    labels, missed = np.array([*map(int, labels)]), int(missed)
    label, above, weight = int(label), int(above), float(weight)
    function, params = function_of(score, {})

    def numbers_of(labels):
        rows = {"y_true": labels, "y_score": -np.arange(labels.size)}
        if missed:
            rows["n_positives"] = labels.sum() + missed
        if weight != 1:
            rows["sample_weight"] = np.where(labels, 1, weight)
        return rows

    found = estimate_score(score, **numbers_of(labels))
    more = numbers_of(np.insert(labels, above, label))
    change = function(**more, **params) - found.score
    # Neither a negative nor a missed positive raises a score.
    assert getattr(found._changes, name) == pytest.approx(max(-change, 0))


# --- endpoints ------------------------------------------------------------------------


def without(n, at=0.975):
    """Return the greatest share of which n units may contain none."""
    return 1 - (1 - at) ** (1 / n)


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
        _lowering=first,
        _raising=second,
        _bias=bias,
    )
    assert [*found._interval(0.95)] == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(("missed", "n_units"), [(0, 3), (0.5, 4), (2, 5)])
def test_a_part_of_a_missed_positive_is_a_unit(missed, n_units):
    """Precision after two positives and a negative varies by all positives."""
    rows = [1, 0, 1, 1, 0, 0], range(6, 0, -1)
    found = estimate_score("precision_at_recall@0.4", *rows, n_positives=3 + missed)
    *_, place = (each for each in found._places if not each.away)
    error = np.hypot(1 / 3, np.sqrt(n_units) / 3 / (3 + missed)) * 2 / 3
    assert place.standard_error == pytest.approx(error)
    # Two positives and a negative are retrieved.
    assert place.changes.n_events == pytest.approx(3)


# --- tests of a difference ------------------------------------------------------------


@pytest.mark.parametrize("value", [0, 1, -2, 3, 4, 5, 12, 13])
@pytest.mark.parametrize("sizes", [[1] * 3, [4, 3, 2, 1, 1, 1], [1, -1], [0.1] * 8])
def test_the_share_of_signs_is_counted(value, sizes):
    sums = [np.dot(sizes, signs) for signs in product((1, -1), repeat=len(sizes))]
    share = np.mean(np.abs(sums) >= abs(value) - 1e-9)
    assert share_of_signs(value, np.array(sizes, float)) == pytest.approx(share)


@pytest.mark.parametrize("n", [8, 9, 20])
def test_the_sum_of_all_but_eight_signs_is_normal(n):
    sizes = np.repeat([0.5, 2.0, 3.0], n)
    sums = [np.dot(sizes[-8:], signs) for signs in product((1, -1), repeat=8)]
    error = np.linalg.norm(sizes[:-8])
    share = 2 * norm.sf(np.subtract(6, sums) / error).mean()
    copies = np.multiply([0.5, -2.0, 3.0], n), np.full(3, n)
    assert share_of_signs(6.0, sizes) == pytest.approx(share)
    assert share_of_signs(6.0, *copies) == pytest.approx(share)


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
    # The interval is of the scores as they are.
    one, other = (influences_on_power(1, labels, each, weight) for each in scores)
    df = 2 / (1 / n_equal((one - other) ** 2) - 1 / 20)
    assert found._df_of_interval == pytest.approx(min(df, n - 1), rel=1e-5)


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


def test_shares_of_positives_vary_together_with_scores():
    """The bias is the sum of their covariances, from slopes by the weights of units."""
    query, unit, n_missed = np.arange(48) % 3 % 2, np.arange(48) // 3, 2
    labels, y_score = np.arange(48) % 5 < 2 - query, np.arange(48) * 11 % 48

    def shares_and_scores(weight):
        """The last two weights are those of missed positives of the first query."""
        of_rows = weight[unit]
        found = np.bincount(query, labels * of_rows)
        positives = np.add(found, (weight[-n_missed:].sum(), 0))
        scores = sklearn_ap.score_by_query(
            "average_precision", labels, y_score, query_id=query, sample_weight=of_rows
        )
        scores = found / positives * [*scores.values()]
        return np.append(positives / positives.sum(), scores)

    slopes = differences(shares_and_scores, np.ones(18))
    covariances = (slopes[:, :2] * slopes[:, 2:]).sum(axis=0)
    totals = pd.DataFrame({0: query, 1: unit, "n": labels}).groupby([0, 1]).n.sum()
    totals = totals.to_dict() | {(0, 16): 1, (0, 17): 1}
    options = {"query_id": query, "n_positives": totals, "average": "weighted"}
    function, params = function_of("average_precision", options)
    call = read_call(function, labels, y_score, params, unit_id=unit)
    found = sample_of(call, units_of(call))
    shares = shares_and_scores(np.ones(18))[:2]
    of_scores = shares @ [part.bias for part in found.rankings_mean.parts]
    bias = found.contributions.changes.bias - of_scores
    assert bias == pytest.approx(covariances.sum(), rel=1e-6)
    assert bias > 0.001


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


# The score, the missed positives, and the share in the divisor of a positive, of a
# negative, and of the missed ones, of three positives and three negatives. A cut of k
# rows is one of a share of all rows, found or missed, so each row has the same part of it.
SHARES = """
average_precision 0 1/3 0 0
average_precision 3 1/6 0 1/2
precision@2 0 1/6 1/6 0
precision@2 3 1/9 1/9 1/3
recall@2 3 1/6 0 1/2
average_precision@2 0 1/6 1/6 0
average_precision@4 0 1/3 0 0
r_precision 0 1/3 0 0
precision_at_recall@0.5 0 1/3 0 0
""".strip().splitlines()


@pytest.mark.parametrize("line", SHARES)
def test_the_share_of_a_unit_in_the_divisor(line):
    name, missed, *expected = line.split()
    function, params = function_of(name, {})
    if int(missed):
        params["n_positives"] = 3 + int(missed)
    call = read_call(function, [1, 0, 1, 1, 0, 0], range(6, 0, -1), params)
    shares = sample_to_compare(sample_of(call, Units())).shares
    wanted = [*map(float, map(Fraction, expected))]
    assert [shares[0], shares[1], shares[6:].sum()] == pytest.approx(wanted)


def test_a_query_without_rows_has_no_share():
    totals = {
        "query_id": [0, 0, 1, 1],
        "n_positives": {(0, 0): 1, (1, 0): 1, (7, 2): 5},
    }
    unit = [0, 1, 0, 1]
    rows = [1, 0, 1, 0], range(4)
    call = read_call(average_precision_score, *rows, totals, unit_id=unit)
    sample = sample_of(call, units_of(call))
    assert sample_to_compare(sample).shares.tolist() == [1, 0, 0]


# --- levels ---------------------------------------------------------------------------


# The number of positives at a level of 1,000, and the fall from there on by one each.
# Two standard errors before 2 of them is before the first one, and beyond is the fifth.
FALLS = [(2, -4 / (2 + 2 * 2**0.5)), (500, -1), (998, -4 / (2 + 2 * 2**0.5))]


@pytest.mark.parametrize(("n_reached", "expected"), FALLS)
def test_a_slope_ends_at_the_first_and_the_last_positive(n_reached, expected):
    rows = np.ones(1000), np.arange(1000)
    call = read_call(average_precision_score, *rows, {})
    groups = sample_of(call, Units()).rankings_mean.parts[0].ranking.groups
    slope = _slopes_by_recall(np.array([n_reached / 1000]), groups, -groups.tp)
    assert slope == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("level", [0.0, 0.1, 0.999, 1.0])
def test_equal_rows_have_the_error_of_a_share_at_each_level(level):
    labels = np.arange(1000) % 5 < 2
    rows = {"y_true": labels, "y_score": np.ones(1000), "recall_levels": [level]}
    found = estimate_score("interpolated_average_precision", **rows)
    assert found.standard_error == pytest.approx(np.sqrt(0.24 / 1000), rel=0.01)


@pytest.mark.parametrize("levels", [[0.0], [0.1], [0.4], [0.56], [0.56, 0.99]])
def test_a_missed_positive_moves_a_level_by_its_recall(levels):
    """By the slope between recalls two standard errors away. Near the last recall, the
    fall of a single level to 0 counts twice. Other levels beyond it never count.
    """
    level = levels[0]
    rows = np.arange(120) % 3 < 2 - (np.arange(120) > 60), -np.arange(120)
    (part,) = sample_of(
        read_call(AT_LEVELS, *rows, {"recall_levels": levels, "n_positives": 100}),
        Units(),
    ).rankings_mean.parts
    n_missed = 100 - rows[0].sum()
    reach = 2 * np.sqrt(level * (1 - level) / 100)
    recalls = max(level - reach, 0), min(level + reach, 1)
    before, beyond, last = (
        AT_LEVELS(*rows, recall_levels=[recall], n_positives=100)
        for recall in (*recalls, 1 - n_missed / 100)
    )
    again = last * (level == 0.56)
    slope = (beyond - before - again) / ((recalls[1] - recalls[0]) or 1)
    expected = n_missed * slope * level / 100 / len(levels)
    assert part.of_units[-1] == pytest.approx(expected)


def part_of(*rows, score_func="average_precision", unit_id=None, **options):
    """Return the only ranking of a sample, and the power of 2 that scales weights."""
    function, options = function_of(score_func, options)
    call = read_call(function, *rows, options, unit_id=unit_id)
    (part,) = sample_of(call, units_of(call)).rankings_mean.parts
    weight = call.scaled_rows.weight
    return part, 1.0 if weight is None else (call.rows.weight / weight)[0]


# The score, labels, scores and units, and the weight of each negative or of all.
HEAVY = [
    ("pr_auc_linear", [1, 0, 1, 0, 0, 1, 0], range(7, 0, -1), range(7), 10),
    ("average_precision", [1, 0, 0, 0, 1, 1, 0, 0, 0, 1], [9, 8, 8, 8, 7, 6, 5, 5, 5, 4], [0, 1, 1, 1, 2, 3, 4, 4, 4, 5], 4),
    # The first negative weighs less than the excess.
    ("average_precision", [1, 0, 1, 1, 0], range(5, 0, -1), range(5), [0, 5, 0, 0, 50]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "y", "scores", "unit", "heavy"), HEAVY)
def test_a_heavy_negative_loses_its_excess_over_a_positive(
    name, y, scores, unit, heavy
):
    y, scores, unit = map(np.array, (y, scores, unit))
    weight = np.where(y, 1.0, heavy)
    rows = {"unit_id": unit, "sample_weight": weight}
    part, scale = part_of(y, scores, score_func=name, **rows)
    found = _lightened(part)
    function, options = function_of(name, {})
    score = partial(function, y, scores, **options)
    for each in np.unique(unit[y == 0]):
        is_lighter = unit == each
        excess = np.minimum(part.excess * scale, weight) * is_lighter
        change = score(sample_weight=weight) - score(sample_weight=weight - excess)
        expected = change * weight[is_lighter].sum() / excess.sum()
        assert found[each] == pytest.approx(expected)


def test_the_heaviest_positives_have_the_most_weight_per_row():
    part, scale = part_of([1, 0, 1], [3, 2, 1], sample_weight=[4, 4, 1])
    weights, rows = np.array([4, 1, 6]) / scale, np.array([1, 1, 3])
    groups = replace(part.ranking.groups, weights_found=weights, rows_found=rows)
    assert groups.weight_of_heaviest(1) * scale == 4


def test_positives_found_and_missed_of_a_unit_are_squared_together():
    totals = {"a": 3, "b": 1, "c": 2}
    part, _ = part_of([1, 0, 1, 1], [4, 3, 2, 1], unit_id=[*"abba"], n_positives=totals)
    sums = recalls._sums_above(part.ranking, part.ranking.found)
    assert sums.squares_of_positives == 3**2 + 1 + 2**2


# Labels best first, of rows of equal weight, the rows of each score, the group of a
# vertex, and its precision if .75 of a row is added. Of the first ten rows and one more of
# half a positive, the row has the share of positives.
VERTICES = [
    ([1] * 3, 1, 0, (1 + 0.75 * 3.5 / 11) / 1.75),
    ([1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 1], 1, 2, (2 + 0.75 * 3.5 / 11) / 3.75),
    ([0] * 10 + [1], 1, 10, (1 + 0.75 * 0.5 / 11) / 11.75),
    ([1] * 8 + [0] * 12, 20, 0, (8 + 0.75 * 4.5 / 11) / 20.75),
]


@pytest.mark.parametrize("weight", [1.0, 3.0])
@pytest.mark.parametrize(("labels", "n", "at", "expected"), VERTICES)
def test_a_vertex_shows_a_part_of_a_row_more(labels, n, at, expected, weight):
    # R-precision joins no groups.
    rows = labels, -(np.arange(len(labels)) // n)
    call = read_call(sklearn_ap.r_precision_score, *rows, {})
    (part,) = sample_of(call, Units()).rankings_mean.parts
    ranking = replace(part.ranking, weight=weight * part.ranking.weight)
    found = _damped_precision(np.array([at]), ranking.groups)
    assert found == pytest.approx(expected)


# --- calls with the same numbers ------------------------------------------------------

# Two calls of `estimate_score` (E) or of `compare_scores` (C).
SAME = """
E(at_k, y, s, k=None, ties='stable') == E(ap, y, untied)
E('recall@9', y, s, ties='stable') == E('recall@9', y, untied)
E('average_precision@9', y, s, ties='stable') == E('average_precision@9', y, untied)
E('average_precision@9', y, s, ties='optimistic') == E('average_precision@9', y, untied + y / 1e6)
E('average_precision@9', y, s, ties='pessimistic') == E('average_precision@9', y, untied - y / 1e6)
E(ap, [1, 0, 1, 1], [4, 3, 2, 1], unit_id=np.array([*'abcdeefg']).reshape(4, 2)) == E(ap, [1, 0, 1, 1], [4, 3, 2, 1], unit_id=np.array([*'abcdzzfg']).reshape(4, 2))
E(ap, y, s, average='samples') == E(ap, y, s)
E(ap, y, s, average='weighted') == E(ap, y, s)
E(ap, y, s, average=None, unit_id=of_three) == E(ap, y, s, unit_id=of_three)
E(ap, y, s, average='samples', unit_id=of_three) == E(ap, y, s, unit_id=of_three)
E(ap, y, y, sample_weight=1.1 * w, unit_id=of_three) == E(ap, y, y, sample_weight=w, unit_id=of_three)
E(ap, y > 0, s.astype('f4'), pos_label=True) == E(ap, y, s)
E(ap, y.astype(str), (10 * s).round().astype(int), pos_label='1') == E(ap, y, s)
E('precision@9', y.astype(object), pd.Series(s, range(5, 29))) == E('precision@9', y, s)
E(ap, y, s, sample_weight=1 + of_three, unit_id=of_three.astype(str)) == E(ap, y, s, sample_weight=1.0 + of_three, unit_id=of_three)
E(ap, y, s, sample_weight=1.5 * w) == E(ap, y, s, sample_weight=w)
E(levels, y, s, recall_levels=25, sample_weight=1.5 * w) == E(levels, y, s, recall_levels=25, sample_weight=w)
E('precision@9', y, s, sample_weight=1.5 * w) == E('precision@9', y, s, sample_weight=w)
E('average_precision@9', y, s, sample_weight=1.5 * w, unit_id=of_three) == E('average_precision@9', y, s, sample_weight=w, unit_id=of_three)
E('precision@20', *six, sample_weight=(3 - 2 * (six[1] > 5) + six[1] % 2) / 10) == E('precision@20', *six, sample_weight=3 - 2 * (six[1] > 5) + six[1] % 2)
E('r_precision', y, s, sample_weight=1.5 * w) == E('r_precision', y, s, sample_weight=w)
E('precision_at_recall@0.6', y, s, sample_weight=1.5 * w) == E('precision_at_recall@0.6', y, s, sample_weight=w)
E(ap, y, s, sample_weight=3 + 0 * w, n_positives=51) == E(ap, y, s, n_positives=17)
E(levels, y, s, sample_weight=3 + 0 * w, n_positives=75, recall_levels=25) == E(levels, y, s, n_positives=25, recall_levels=25)
E(ap, y, y, sample_weight=1 + 98 * (1 - y)) == E(ap, y, y, prevalence=10 / (10 + 99 * 14))
E(ap, [*y, 1], [*s, 9], sample_weight=[1] * 24 + [0]) == E(ap, y, s)
E(ap, [*y, 1], [*s, 9], unit_id=np.c_[[*eight, 9], [*of_three + 20, 9]], sample_weight=[1] * 24 + [0]) == E(ap, y, s, unit_id=np.c_[eight, of_three + 20])
E(ap, [*y, 1], [*s, 9], query_id=[*eight, 8], unit_id=[*eight // 2, 9], sample_weight=[1] * 24 + [0]) == E(ap, y, s, query_id=eight, unit_id=eight // 2)
E(ap, y, s, unit_id=days, n_positives=dict.fromkeys(days.tolist(), 9)) == E(ap, y, s, unit_id=of_three, n_positives=dict.fromkeys(range(3), 9))
E(ap, y, s, n_positives=y.sum()) == E(ap, y, s)
E('recall@9', y, s, n_positives=y.sum()) == E('recall@9', y, s)
E(ap, y, s, query_id=0 * y, unit_id=of_three) == E(ap, y, s, unit_id=of_three)
E(ap, y, s, query_id=of_three, average='micro') == E(ap, y, s, unit_id=of_three)
E(ap, y, s, query_id=y, unit_id=of_three, average='micro') == E(ap, y, s, unit_id=of_three)
E(ap, *columns) == E(ap, *flat, query_id=column, unit_id=row)
E(ap, *columns, average='weighted', prevalence=.1) == E(ap, *flat, query_id=column, unit_id=row, average='weighted', prevalence=.1)
E(ap, *columns, average='micro') == E(ap, *flat, unit_id=row)
E(ap, *columns, average='micro', sample_weight=w) == E(ap, *flat, unit_id=row, sample_weight=w[row])
E(ap, y, s, query_id=of_three, unit_id=eight, sample_weight=3 + 0 * w, n_positives=dict.fromkeys(pairs, 6)) == E(ap, y, s, query_id=of_three, unit_id=eight, n_positives=dict.fromkeys(pairs, 2))
E(ap, [1, 0] * 3, range(6), query_id=[1, 1, 2, 2, 3, 3], unit_id=[6, 6, 7, 7, 8, 8], n_positives={(0, 5): 1, (1, 6): 1, (2, 7): 1, (3, 8): 1}) == E(ap, [1, 0] * 3 + [0], range(7), query_id=[1, 1, 2, 2, 3, 3, 0], unit_id=[6, 6, 7, 7, 8, 8, 5], zero_division=0)
E(ap, y, s, sample_weight=w.astype('f4')) == E(ap, y, s, sample_weight=w.astype('f4').astype(float))
E(ap, *columns, average='micro', unit_id=of_three) == E(ap, *flat, unit_id=of_three[row])
E(ap, *columns, average='samples', zero_division=0) == E(ap, *flat, query_id=row, zero_division=0)
E(ap, *columns, average='samples', zero_division=0, unit_id=of_three) == E(ap, *flat, query_id=row, zero_division=0, unit_id=of_three[row])
E('success@1', *flat, query_id=row) == E('success@1', *flat, query_id=row, zero_division=0)
E(ap, y * (of_three > 0), s, query_id=of_three, unit_id=eight, zero_division=nan) == E(ap, y[of_three > 0], s[of_three > 0], query_id=of_three[of_three > 0], unit_id=eight[of_three > 0])
E(ap, y * (of_three > 1), s, query_id=of_three, unit_id=row[:24], zero_division=nan) == E(ap, y[of_three > 1], s[of_three > 1], query_id=of_three[of_three > 1], unit_id=row[:24][of_three > 1])
E(ap, y[::-1], s[::-1], unit_id=eight[::-1], sample_weight=w[::-1]) == E(ap, y, s, unit_id=eight, sample_weight=w)
E('recall@9', y[::-1], s[::-1], unit_id=7 - eight[::-1]) == E('recall@9', y, s, unit_id=eight)
E(ap, *columns_back, sample_weight=heavy) == E(ap, *columns, sample_weight=heavy)
E(ap, *columns_back, average='weighted', prevalence=.01) == E(ap, *columns, average='weighted', prevalence=.01)
E(ap, y[::-1], s[::-1], query_id=-of_three[::-1], unit_id=eight[::-1]) == E(ap, y, s, query_id=of_three, unit_id=eight)
E(ap, y, s, query_id=-of_three, zero_division=0) == E(ap, y, s, query_id=of_three, zero_division=0)
C(ap, y[::-1], s[::-1], t[::-1], unit_id=eight[::-1]) == C(ap, y, s, t, unit_id=eight)
C(ap, y, s, t, query_id=-of_three, unit_id=7 - eight, prevalence=.01) == C(ap, y, s, t, query_id=of_three, unit_id=eight, prevalence=.01)
C(ap, *columns_back, -columns_back[1], sample_weight=heavy) == C(ap, *columns, -columns[1], sample_weight=heavy)
C(ap, y, s, t, sample_weight=1.5 * w) == C(ap, y, s, t, sample_weight=w)
C(ap, y, s, t, unit_id=range(24)) == C(ap, y, s, t)
C(ap, y, s, t, query_id=0 * y, unit_id=range(24)) == C(ap, y, s, t)
""".strip().splitlines()


def numbers_of(found):
    """Return the numbers of a result, but for the number of fixed queries."""
    numbers = found.to_dict() | {"n_fixed_queries": ""}
    of_result = [each for each in numbers.values() if isinstance(each, int | float)]
    return [*of_result, *getattr(found, "_changes", ())]


@pytest.mark.parametrize("line", SAME)
def test_two_calls_have_the_same_numbers(line):
    found, expected = (numbers_of(eval(call, NAMES)) for call in line.split(" == "))
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)


# Calls with tied rows, weights, missed positives and large units.
ALIKE = """
ap, y, s, prevalence=.1
'pr_auc_linear', y, s
levels, y, s, recall_levels=25, n_positives=20
'precision_at_recall@0.6', y, s, sample_weight=w
'precision@9', *block, sample_weight=of_block
'precision@0.3', y, untied, sample_weight=w
'average_precision@0.5', *block, sample_weight=of_block
'recall@9', *block, n_positives=40
'recall@0.3', y, s, unit_id=of_three
'precision@0.05', *fifty, unit_id=fifty[1]
'average_precision@150', *fifty, unit_id=fifty[1]
""".strip().splitlines()


@pytest.mark.parametrize("call", ALIKE)
def test_fewer_values_only_save_time(call, monkeypatch):
    def numbers():
        found = eval(f"E({call})", NAMES)
        return [*numbers_of(found), *sum(found._places, ())]

    fewer = numbers()
    for module in (contributions, recalls):
        monkeypatch.setattr(module, "join_groups", lambda _, ranking: ranking)
    monkeypatch.setattr(first_rows, "with_two_values", lambda ranking: ranking)
    monkeypatch.setattr(sample, "can_be_counted", lambda _: False)
    assert numbers() == [pytest.approx(each, rel=1e-9, abs=1e-9) for each in fewer]


# --- warnings -------------------------------------------------------------------------


def columns(average, *n_positives):
    labels = np.arange(60)[:, np.newaxis] < n_positives
    scores = np.random.default_rng(0).normal(size=labels.shape)
    return labels, scores, {"average": ("macro", "micro", "weighted")[average]}


def clusters(n_units, n_large, weight=1):
    """Return rows with negatives in units, of which some are large. The first unit may
    be heavy.
    """
    sizes = np.repeat([10_000, 1], [n_large, n_units - n_large + 20])
    unit = np.repeat(np.arange(sizes.size), sizes)
    weights = np.where(unit, 1, weight)
    return unit >= n_units, -unit, {"unit_id": -unit, "sample_weight": weights}


def heavy(weight, n_top, best, n_queries=0):
    """Return rows with heavy negatives above the median positive."""
    score = np.r_[np.full(9, 1.0), best, np.linspace(0, 0.9, 40), np.full(n_top, 1.5)]
    weights = np.repeat([1.0, weight], [50, n_top])
    options = {"sample_weight": weights}
    if n_queries:
        options["query_id"] = np.arange(score.size) % n_queries
    return np.arange(score.size) < 10, score, options


# The rows, their numbers, the kind of the warning, and words of it.
CODES = """
columns 0 2 30 few_positives: positives in column 0 (2) to
columns 0 3 30 -
columns 2 30 2 few_positives
columns 1 2 3 -
columns 0 2 few_positives
columns 0 3 -
clusters 31 3 missing_negatives
clusters 30 3 -
clusters 900 5 missing_negatives
clusters 900 6 -
clusters 900 6 9 missing_negatives: is 2.3, of 900 units
clusters 1900 3 missing_negatives: is 3.4, of 1,900 units
heavy 50 5 1 dependent_weights
heavy 50 4 1 -
heavy 50 6 9 dependent_weights
heavy 4 6 1 -
heavy 50 5 1 5 -
heavy 10 8 1 -
""".strip().splitlines()


@pytest.mark.parametrize("line", CODES)
def test_a_warning_begins_at_its_limit(line):
    line, _, words = line.partition(": ")
    rows, *numbers, code = line.split()
    labels, scores, options = globals()[rows](*map(int, numbers))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimate_score("average_precision", labels, scores, **options)
    assert [each.message.code for each in caught] == [code][code == "-" :]
    assert words in str([each.message for each in caught])


def pair(score, positives, n, **options):
    """Compare two models whose best rows are positive, and whose last ones are."""
    labels = np.less.outer(np.arange(n), positives)
    scores = np.ones(labels.shape).cumsum(axis=0)
    return compare_scores(score, labels, -scores, scores, **options)


def samples(*rows, **options):
    """Compare two samples, of labels, scores and perhaps weights and units each."""
    names = "y_true", "y_score", "sample_weight", "unit_id"
    rows = (dict(zip(names, each, strict=False)) for each in rows)
    return compare_samples("average_precision", *rows, **{"paired": False} | options)


# A call, the kinds of its warnings, and words of the first one. Eleven levels: the fall
# behind level 0 is seen at level .1, and 484 tied rows have the error .25 / 11.
# Each of two fixed queries falls by half of 1, and both by the root of 1/2: .041 * 17 is
# less, and .048 * 18 more.
WARNINGS = """
estimate_score('average_precision', [1, 1, 0], [3, 2, 1], sample_weight=[2, 3, 9]) :: few_positives :: too few positives (1.92) to
estimate_score('average_precision', [0, 1] * 9, range(18), unit_id=[7] * 18) :: few_positives :: too few units that contain a positive (1)
E(ap, [[1, 1], [1, 0], [1, 0]], [[3, 2], [2, 1], [1, 3]]) :: few_positives :: too few positives in column 1 (1) to
E(ap, y * (of_three > 0), s, query_id=row[:24] % 2, unit_id=of_three) :: few_positives :: too few units that contain a positive in query 1 (1.47) to
E('success@1', *flat, query_id=column) :: few_positives :: too few rankings to average (2) to
E(ap, [1, 1, 0], [3, 2, 1]) :: few_positives :: too few positives (2) to
E(ap, [[1, 1], [1, 1], [0, 0]], [[3, 2], [2, 1], [1, 3]]) :: few_positives :: too few positives (2) to
E(levels, y * (of_three > 0), s, unit_id=of_three, recall_levels=[0.5]) :: few_positives :: too few units that contain a positive (1.6) to
estimate_score('precision@5', [1, 1] + [0] * 18, range(20, 0, -1), unit_id=[*range(10)] * 2) :: few_positives :: too few units that contain a positive (2) to
estimate_score('interpolated_average_precision', np.repeat([1, 0, 1], [10, 1000, 100]), -np.arange(1110), recall_levels=11) :: few_positives :: threshold is 1 in
estimate_score('interpolated_average_precision', np.repeat([1, 0, 1], [10, 1000, 90]), -np.arange(1100), recall_levels=11) :: ::
estimate_score('interpolated_average_precision', [1, 0] * 243, [1] * 486, recall_levels=11) :: few_positives :: threshold is 0.5 in
estimate_score('interpolated_average_precision', [1, 0] * 241, [1] * 482, recall_levels=11) :: ::
pair('interpolated_average_precision', 1200, 1209, recall_levels=11) :: few_levels :: With 1,200 positives
pair('interpolated_average_precision', 301, 309, recall_levels=20) :: few_levels :: Compare average_precision_score, or 101
pair('interpolated_average_precision', 301, 309, recall_levels=21) :: ::
pair('interpolated_average_precision', 300, 309, recall_levels=11) :: ::
pair('interpolated_average_precision', 301, 309, recall_levels=11, unit_id=[*range(155), *range(154)]) :: few_levels :: With 301 positives
[compare_scores('interpolated_average_precision', [1] * 400 + [0] * 9, each, -each, unit_id=np.arange(409) // 2, recall_levels=11) for each in [-(np.arange(409) // 2)]] :: ::
pair('interpolated_average_precision', [200, 1200], 1209, recall_levels=11) :: ::
pair('interpolated_average_precision', [1200, 200], 1209, recall_levels=11) :: ::
estimate_score('interpolated_average_precision', [1, 0] * 30, [1] * 60, unit_id=np.arange(60) // 2, recall_levels=11) :: ::
compare_samples('interpolated_average_precision', *[{'y_true': [1] * 301 + [0] * 9, 'y_score': range(310)}] * 2, paired=False, recall_levels=11) :: few_levels few_levels :: With 301
estimate_score('interpolated_average_precision', *found_60, n_positives=100, recall_levels=22) :: few_levels :: reach one of 22 recall levels more
estimate_score('interpolated_average_precision', *found_60, n_positives=100, recall_levels=23) :: ::
estimate_score('interpolated_average_precision', *found_60, n_positives=60, recall_levels=11) :: ::
estimate_score('interpolated_average_precision', *found_60, n_positives=100) :: ::
estimate_score('precision_at_recall@0.6', *found_60, n_positives=100) :: ::
estimate_score('interpolated_average_precision', *found_60, query_id=halves_of_90, unit_id=range(90), n_positives=fifty_each, recall_levels=17) :: few_levels :: reach one of 17
estimate_score('interpolated_average_precision', *found_60, query_id=halves_of_90, unit_id=range(90), n_positives=fifty_each, recall_levels=18) :: ::
estimate_score('interpolated_average_precision', *found_60, query_id=halves_of_90, unit_id=range(90), n_positives=fifty_each | dict.fromkeys([(2, i) for i in range(200, 250)], 1), recall_levels=101) :: ::
compare_samples('interpolated_average_precision', *[{'y_true': found_60[0], 'y_score': found_60[1], 'n_positives': n} for n in (60, 99)], paired=False, recall_levels=11) :: few_levels :: reach one of 11
pair('interpolated_average_precision', 55, 99, n_positives=100, recall_levels=11) :: ::
compare_scores('interpolated_average_precision', [1] * 301 + [0] * 9, range(310, 0, -1), range(310), query_id=[0] * 310, unit_id=range(310), n_positives={(0, i): int(i < 301) for i in range(310)} | {(1, i): 1 for i in range(400, 701)}, recall_levels=11) :: few_levels :: With 301 positives
estimate_score('interpolated_average_precision', np.repeat([[1, 1], [0, 0], [1, 1]], [10, 1000, 100], 0), -np.c_[range(1110), range(1110)], recall_levels=11) :: ::
compare_scores('average_precision', np.repeat([[1, 1], [0, 0]], 40, 0), *(np.c_[each, range(80, 0, -1)] for each in (range(80, 0, -1), [0] * 5 + [*range(75, 0, -1)])), unit_id=np.arange(80) // 2) :: few_positives :: positives whose scores differ (3) to
estimate_score('average_precision', *found_60, n_positives=100) :: ::
estimate_score('average_precision', *found_60, unit_id=thirds_of_90, n_positives=dict.fromkeys(range(20), 5)) :: ::
estimate_score('average_precision', *found_60, query_id=halves_of_90, n_positives={0: 50, 1: 50}) :: few_positives ::
pair('average_precision', 2, 9) :: few_positives :: too few positives (2) to
pair('average_precision', 2, 9, unit_id=range(9)) :: few_positives :: too few positives (2) to
samples(([1, 0, 1], [3, 2, 1]), (y, s)) :: few_positives :: too few positives (2) to
compare_many('average_precision', [1, 0, 1], {'a': [3, 2, 1], 'b': [4, 5, 6], 'c': [9, 7, 8]}) :: few_positives :: too few positives (2) to
samples((y, s), ([1, 0, 1], [3, 2, 1])) :: few_positives :: too few positives (2) to
estimate_score('average_precision', [1, 1, 1, 0], [4, 3, 2, 1]) :: ::
estimate_score('average_precision', [1, 1, 0, 0, 0, 0], range(6), unit_id=[1, 2, 3] * 2) :: few_positives :: too few positives (2) to
estimate_score('average_precision', y, s, query_id=halves) :: few_positives :: samples. Add more. If these are all there are, such as two sexes, they are fixed and their rows are drawn: pass unit_id
estimate_score('average_precision', y, s, query_id=halves, unit_id=range(24)) :: ::
compare_scores('average_precision', [1, 0, 1, 0, 1], [5, 4, 3, 2, 1], [1, 0, 0, 0, 0]) :: None :: nothing but the labels 0 and 1,
estimate_score('average_precision', 2 * y - 1, 1 - 2 * y) :: None :: nothing but the labels -1 and 1,
estimate_score('average_precision', y > 0, y < 1) :: None :: nothing but the labels 0 and 1,
estimate_score('average_precision', 2 - y, y + 1, unit_id=of_three) :: None few_positives :: nothing but the labels 1 and 2,
estimate_score('average_precision', y * 1234567, y[::-1] * 1234567, pos_label=1234567) :: None :: nothing but the labels 0 and 1.23457e+06,
estimate_score('average_precision', [1] * 3 + [0] * 46, [1] * 9 + [0.5] * 40, sample_weight=[1] * 3 + [50] * 6 + [1] * 40) :: ::
estimate_score('average_precision', [1] * 9 + [0] * 46, [1] * 9 + [2] * 6 + [0.5] * 40, sample_weight=[100] * 9 + [50] * 6 + [1] * 40) :: dependent_weights :: negatives with high scores
compare_scores('average_precision', [1] * 9 + [0] * 46, range(55, 0, -1), [1] * 9 + [2] * 6 + [0.5] * 40, sample_weight=[100] * 9 + [50] * 6 + [1] * 40) :: dependent_weights :: negatives with high scores
estimate_score('average_precision', [0, 1, 2] * 8, [0, 1, 1] * 8, pos_label=2) :: ::
estimate_score('average_precision', y, y[::-1] + 0.5) :: ::
estimate_score('average_precision', np.stack((y, 1 - y), 1), np.stack((1 - y, y), 1)) :: ::
estimate_score('average_precision', y * (of_three > 0), s, query_id=of_three, unit_id=range(24)) :: None few_positives :: y_true contains no positives in 1 of 3 rankings, which score 0.0; pass
estimate_score('recall@2', y * (of_three > 0), s, query_id=of_three) :: None :: y_true contains no positives in 1 of 3 rankings, which score 0.0; pass
compare_scores('average_precision', y * (of_three > 0), s, -s, query_id=of_three) :: None None :: y_true contains no positives in 1 of 3 rankings, which score 0.0; pass
estimate_score('average_precision', y, np.append(y[1:], 0.5)) :: ::
compare_scores('average_precision', [1] * 10 + [0] * 10, range(20, 0, -1), [20.5, 19, 18.5, 17, 16.5, 15, 14.5, 13, 12.5, *range(11, 0, -1)], unit_id=[0] * 5 + [1] * 5 + [0, 1] * 5) :: ::
estimate_score('interpolated_average_precision', [0] * 3040 + [1] * 20, range(3060), unit_id=[0, 1, 2] * 1000 + [*range(3, 63)], recall_levels=25) :: missing_negatives :: is 3.1, of 43 units
compare_scores('average_precision', [1] * 40 + [0] * 40, range(80, 0, -1), [0] * 4 + [*range(76, 0, -1)]) :: few_positives :: positives whose scores differ (4) to
compare_scores('average_precision', [1] * 40 + [0] * 40, range(80, 0, -1), [0] * 5 + [*range(75, 0, -1)]) :: ::
compare_scores('average_precision', [1] * 40 + [0] * 40, range(80, 0, -1), [*range(80, 3, -1)] + [99] * 3) :: few_positives :: positives whose scores differ (0) to
compare_scores('average_precision', [1] * 40 + [0] * 40, range(80, 0, -1), [*range(180, 140, -1)] + [*range(40, 0, -1)]) :: ::
compare_scores('average_precision', [1] * 40 + [0] * 40, range(80, 0, -1), [0.1, 0.2, 0.3, 0.4, 0.5, *range(75, 0, -1)], unit_id=[0] * 5 + [*range(1, 76)]) :: ::
compare_scores('average_precision', [1] * 40 + [0] * 40, range(80, 0, -1), [0] * 5 + [*range(75, 0, -1)], unit_id=[0] * 5 + [*range(1, 76)]) :: few_positives :: positives whose scores differ (1) to
compare_scores('average_precision', [1] * 40 + [0] * 40, range(80, 0, -1), [0] * 4 + [*range(76, 40, -1)] + [*range(39, -1, -1)]) :: few_positives :: positives whose scores differ (4) to
compare_scores('average_precision', [1] * 40 + [0] * 40, [0] * 5 + [*range(75, 0, -1)], range(80, 0, -1), unit_id=[0] * 5 + [*range(1, 76)]) :: few_positives :: positives whose scores differ (1) to
compare_scores('average_precision', [1] * 40 + [0] * 40, range(80, 0, -1), range(80, 0, -1)) :: ::
compare_scores('average_precision', [1] * 4 + [0] * 40, [5] * 4 + [*range(40)], [9, 8, 7, 6] + [*range(40)], unit_id=[0, 0, 1, 1, *range(2, 42)]) :: few_positives :: too few positives (2)
compare_scores('average_precision', [1] * 4 + [0] * 40, [9, 8, 7, 6] + [*range(40)], [5] * 4 + [*range(40)], unit_id=[0, 0, 1, 1, *range(2, 42)]) :: few_positives :: too few positives (2)
compare_samples('average_precision', *[{'y_true': [1] * 6 + [0] * 6, 'y_score': each[:12], 'query_id': halves[:12], 'unit_id': range(12)} for each in (s, t)], paired=False) :: ::
samples(([1, 0] * 20, range(40)), ([0, 1] * 5 + [0] * 90, range(100)), prevalence=1 / 6) :: missing_negatives :: as much as 4 of them
samples(([1, 0] * 20, range(40)), ([0, 1] * 5 + [0] * 90, range(100)), prevalence=0.21) :: ::
samples(([1, 0] * 20, range(40)), ([1, 0] * 20, range(40)), prevalence=0.1) :: ::
[compare_scores('average_precision', y, a, a[::-1] + 0.5) for a in [pd.Series(s, map(str, range(24)))]] :: None :: y_score_a and y_score_b have the same values in their indexes
[compare_scores('average_precision', a > a.median(), a, a[::-1] + 0.5) for a in [pd.Series(s, map(str, range(24)))]] :: None :: y_true and y_score_b have the same values in their indexes
[compare_many('average_precision', y, {'y_true': a, 'b': a[::-1] + 0.5}) for a in [pd.Series(s, map(str, range(24)))]] :: None :: y_score['y_true'] and y_score['b'] have the same values in their indexes
[estimate_score('average_precision', a > a.median(), a, unit_id=a[::-1]) for a in [pd.Series(s, map(str, range(24)))]] :: None :: y_true and unit_id have the same values in their indexes
compare_samples('average_precision', *[{'y_true': [1, 0] * 20, 'y_score': range(40), 'n_positives': 40}] * 2, paired=False, prevalence=0.21) :: ::
""".strip().splitlines()


@pytest.mark.parametrize("line", WARNINGS)
def test_a_call_gives_its_warnings(line):
    call, codes, words = line.split(" ::")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        eval(call, NAMES)
    messages = [each.message for each in caught]
    assert [str(getattr(each, "code", None)) for each in messages] == codes.split()
    assert words.strip() in str(messages[:1])


# --- texts and dictionaries -----------------------------------------------------------


def estimate(**changed):
    """Return a score of two rows, whose interval is undefined."""
    numbers = {"score": 0.5, "standard_error": 0.1, "df": np.nan, "n_effective": 2}
    return ScoreEstimate(**numbers | {"n_units": 1000} | changed)


def comparison(**changed):
    """Return a difference of .25, whose interval is that of a normal distribution."""
    numbers = {"difference": 0.25, "scores": (0.75, 0.5), "standard_error": 0.1}
    rest = {"statistic": 2.5, "df": np.inf, "pvalue": 0.01, "n_units": 1000}
    return ScoreComparison(**numbers | rest | changed)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Holder(Result):
    """A result that contains another one."""

    estimate: ScoreEstimate


def many(n, **changed):
    """Return the differences of a model and n others."""
    pairs = [("new", f"old{i}") for i in range(n)]
    return adjusted_by_bonferroni(dict.fromkeys(pairs, comparison(**changed)))


# A result, and its text or part of it. Quantiles are 1.96 (normal), 4.30 (t with two
# degrees of freedom), .295 and .705 (beta with the parameters 12.5 and 13.5, and the reverse).
TEXTS = r"""
estimate(n_fixed_queries=1) :: 0.5 (1 fixed query, 1,000 units drawn)
estimate(n_fixed_queries=2000, n_units=7) :: 0.5 (2,000 fixed queries, 7 units drawn)
repr(estimate(n_fixed_queries=1)) :: <ScoreEstimate: 0.5 (1 fixed query
ScoreEstimate.__signature__ :: n_units_per_row: 'int' = 1)
estimate(n_units_per_row=2) :: 0.5 (1,000 units drawn, two per row)
estimate(n_units_per_row=2, n_fixed_queries=2) :: 0.5 (2 fixed queries, 1,000 units drawn, two per row)
comparison(n_units_per_row=2) :: (two-sided; same rows; 1,000 units drawn, two per row)
UncertaintyWarning('few').code == '' :: True
[round(E(ap, [1, 0, 0, 1, 1, 0], [4, 3, 2, 1, 5, 6], query_id=[*'aabbcc'], sample_weight=[0, 0, 1, 1, 1, 1], n_positives=totals).score, 9) for totals in ([3, 2, 4], {'c': 4, 'b': 2, 'a': 3})] :: [0.125, 0.125]
(lambda found: (found.difference, found.standard_error, found.pvalue))(C(ap, y, y + s / 9, y + t / 9, sample_weight=w)) :: (0.0, 0.0, 1.0)
(lambda low, high: low == -high < 0)(*C(ap, y, y + s / 9, y + t / 9, sample_weight=w).confidence_interval()) :: True
estimate(df=np.inf) :: 0.50, 95 % interval 0.30 to 0.70
estimate().to_dict() :: {'schema': 1, 'kind': 'score_estimate', 'confidence_level': 0.95, 'score': 0.5, 'standard_error': 0.1, 'df': None, 'n_effective': 2, 'n_units': 1000, 'n_fixed_queries': 0, 'n_units_per_row': 1, 'low': None, 'high': None}
estimate(df=np.inf).to_frame()[['low', 'high']].round(3).values.tolist() :: [[0.295, 0.705]]
estimate().to_frame().to_dict('list') :: {'score': [0.5], 'standard_error': [0.1], 'df': [nan], 'n_effective': [2], 'n_units': [1000], 'n_fixed_queries': [0], 'n_units_per_row': [1], 'low': [nan], 'high': [nan]}
comparison() :: 0.750 against 0.500, difference 0.25, 95 % interval 0.05 to 0.45, p = 0.010 (two-sided; same rows)
comparison(_df_of_interval=2) :: interval 0 (excluded) to 0.68, p
comparison(_df_of_interval=2).to_dict()['low'] :: 2.5e-10
comparison(_df_of_interval=2, difference=-0.25) :: interval -0.68 to 0 (excluded), p
comparison(standard_error=0.001, pvalue=0.051) :: interval 0.00 to 0.25, p = 0.051
comparison(difference=0.0899, standard_error=0.0475, pvalue=0.058) :: 0.09, 95 % interval -0.003 to 0.18, p = 0.058
comparison(standard_error=0.126) :: 0.750 against 0.500, difference 0.25, 95 % interval 0.003 to 0.50, p
comparison(difference=-0.25, scores=(0.5, 0.75)) :: 0.500 against 0.750, difference -0.25, 95 % interval -0.45 to -0.05, p
comparison(pvalue=np.nan) :: 0.750 against 0.500, difference 0.25, p = nan (two-sided; same rows)
comparison(pvalue=1.0) :: p = 1.00 (two-sided; same rows)
comparison(standard_error=0.0) :: difference 0.25, 95 % interval 0.25 to 0.25, p = 0.010 (two-sided; same rows)
comparison(standard_error=0.0, pvalue=1.0) :: p = 1.00 (two-sided; same rows; the two models agree on every unit of the sample)
comparison(design='paired', n_shared_units=1) :: (two-sided; paired, 1 shared unit)
comparison(design='paired', n_shared_units=2000, n_fixed_queries=3) :: (two-sided; paired, 2,000 shared units; 3 fixed queries, 1,000 units drawn)
comparison(design='independent', prevalences=(0.25, 0.0625)) :: (two-sided; independent, 0.25 and 0.062 of rows positive)
comparison(pvalue=np.nan, prevalences=(0.25, 0.0625)).to_dict() :: {'schema': 1, 'kind': 'score_comparison', 'confidence_level': 0.95, 'difference': 0.25, 'score_a': 0.75, 'score_b': 0.5, 'standard_error': 0.1, 'statistic': 2.5, 'df': None, 'test': 't', 'pvalue': None, 'n_units': 1000, 'n_fixed_queries': 0, 'n_units_per_row': 1, 'design': 'same rows', 'n_shared_units': None, 'prevalence_a': 0.25, 'prevalence_b': 0.0625, 'low': None, 'high': None}
comparison(test='signs').to_dict()['statistic'] :: None
many(1) :: 1 test (two-sided; same rows)
many(2, pvalue=1.0, test=None) :: Differences: 0 tests (two-sided; same rows)
compare_many('average_precision', y, {'b': s, 'a': s}) :: Difference in average_precision: 0 tests (two-sided
many(2, n_fixed_queries=3) :: adjusted for 2 tests by Bonferroni (two-sided; same rows; 3 fixed queries, 1,000 units drawn)
adjusted_by_bonferroni({('a', str(p)): comparison(pvalue=p, test=test) for p, test in [(0.3, 't'), (np.nan, None), (1.0, None), (0.01, 'signs')]}).pvalue :: [0.6   nan 1.   0.02]
many(2).confidence_interval().low.round(4) :: [0.0259 0.0259]
compare_many('average_precision', y, {'c': s, 'a': -s, 'b': s * s}, reference='a') :: Differences in average_precision: adjusted for 2 tests
[line.split()[:3] for line in str(compare_many('average_precision', y, {'c': s, 'a': -s, 'b': s * s}, reference='a')).splitlines()[2:]] :: [['c', '-', 'a'], ['b', '-', 'a']]
compare_many('average_precision', y, {'c': s, 'a': -s, 'b': s * s}).pairs :: (('c', 'a'), ('c', 'b'), ('a', 'b'))
compare_many('average_precision', y, {'c': s, 'a': -s, 'b': s * s}, reference='a').pairs :: (('c', 'a'), ('b', 'a'))
adjusted_by_bonferroni({('a', 'b'): comparison(), ('a', 'c'): comparison(test='signs')}).test :: ('t', 'signs')
adjusted_by_bonferroni({('a\x1b\u202e', 'b'): comparison()}) :: a\x1b\u202e - b
str(compare_many('average_precision', y, pd.DataFrame({'b': s, 'a': -s}))) == str(compare_many('average_precision', y, {'b': s, 'a': -s})) :: True
str(compare_many('average_precision', y, pa.table({'b': s, 'a': -s}))) == str(compare_many('average_precision', y, {'b': s, 'a': -s})) :: True
many(1200) :: adjusted for 1,200 tests by
[*many(1)._cells()] :: [['difference', '95 % interval', 'p'], ['0.25', '0.05 to 0.45', '0.010']]
[*many(1, standard_error=0.126)._cells()][1] :: ['0.25', '0.003 to 0.50', '0.010']
[*many(1, pvalue=np.nan)._cells()][1] :: ['0.25', '-', '-']
[*many(1, pvalue=1e-9)._cells()][1][2] :: < 0.0001
str(many(1)).splitlines() :: ['Difference: 1 test (two-sided; same rows)', 'models      first  second  difference  95 % interval      p', 'new - old0  0.750   0.500        0.25   0.05 to 0.45  0.010']
many(2) :: Differences: adjusted for 2 tests by Bonferroni (two-sided; same rows)
compare_many('precision@2', [1, 0, 1], {'b': [1, 2, 3], 'a': [3, 2, 1]}) :: Difference in precision@2: 1 test
many(2, pvalue=np.nan).to_dict() :: {'schema': 1, 'kind': 'many_comparisons', 'confidence_level': 0.95, 'model_a': ['new', 'new'], 'model_b': ['old0', 'old1'], 'difference': [0.25, 0.25], 'score_a': [0.75, 0.75], 'score_b': [0.5, 0.5], 'standard_error': [0.1, 0.1], 'statistic': [2.5, 2.5], 'df': [None, None], 'test': ['t', 't'], 'pvalue': [None, None], 'n_units': 1000, 'n_fixed_queries': 0, 'n_units_per_row': 1, 'design': 'same rows', 'low': [None, None], 'high': [None, None]}
many(2).to_frame()[['model_a', 'model_b', 'difference', 'low', 'high']].round(3).values.tolist() :: [['new', 'old0', 0.25, 0.026, 0.474], ['new', 'old1', 0.25, 0.026, 0.474]]
[many(2).to_dict()[name] for name in ('low', 'high')] == [*map(np.ndarray.tolist, many(2).confidence_interval())] :: True
many(1, df=3.0).to_dict()['df'] :: [3.0]
[comparison().to_dict()[name] for name in ('low', 'high')] == [*comparison().confidence_interval()] :: True
[estimate(df=np.inf).to_dict()[name] for name in ('low', 'high')] == [*estimate(df=np.inf).confidence_interval()] :: True
compare_scores('average_precision', y, s, s).test :: None
compare_scores('pr_auc_linear', y, s, -s, prevalence=0.25).to_dict()['options'] :: {'prevalence': 0.25}
many(2, test=None).to_frame()[['model_b', 'test', 'n_units']].values.tolist() :: [['old0', None, 1000], ['old1', None, 1000]]
many(1, test=None).to_dict()['statistic'] :: [2.5]
many(1, test='signs').to_dict()['statistic'] :: [None]
compare_many('precision@2', [1, 0, 1], {'b': [1, 2, 3], 'a': [3, 2, 1]}).to_dict()['score_name'] :: precision@2
[*compare_many('precision@2', [1, 0, 1], {'b': [1, 2, 3], 'a': [3, 2, 1]}, ties='expected').to_frame()][:3] :: ['score_name', 'model_a', 'model_b']
estimate_score('precision@2', [1, 0, 1], [1, 2, 3], ties='expected').to_frame()['score_name'].item() :: precision@2
[*estimate_score('precision@2', [1, 0, 1], [1, 2, 3], ties='expected').to_dict().items()][2:5] :: [('score_name', 'precision@2'), ('options', {'ties': 'expected'}), ('confidence_level', 0.95)]
json.dumps(estimate_score('precision@5', y, s, pos_label=np.True_).to_dict()['options']) :: {"pos_label": true}
[*pickle.loads(pickle.dumps(estimate_score(partial(average_precision_at_k_score, k=10), y, s, ties='expected'))).to_dict().items()][2:4] :: [('score_name', 'average_precision@10'), ('options', {'ties': 'expected'})]
[*estimate_score(pr_auc_score, y, s, interpolation='linear', prevalence=np.float32(0.25)).to_dict().items()][2:4] :: [('score_name', 'pr_auc_linear'), ('options', {'prevalence': 0.25})]
compare_scores('average_precision', [1, 0] * 3, [2, 1] * 3, [2, 1] * 3, query_id=[0, 0, 1, 1, 2, 2]) :: 1.00 against 1.00, difference 0, 95 % interval 0 to 0, p = 1.00 (two-sided; same rows; the two models agree on every unit of the sample)
estimate_score('average_precision', y, s, pos_label=0).to_dict() == estimate_score(partial(metrics.average_precision_score, pos_label=0), y, s).to_dict() :: True
estimate_score('average_precision', [1, 1, 0], [3, 2, 1], sample_weight=[2, 3, 9]).n_effective :: 1.923076923
compare_scores('average_precision', y, s, -s)._lowering == estimate_score('average_precision', y, s)._changes.lost :: True
compare_scores('average_precision', y, s, -s)._raising == estimate_score('average_precision', y, -s)._changes.lost :: True
(lambda u: compare_scores('average_precision', y, u, np.where(u == u[y > 0].max(), -1, u)))(s + np.arange(24) / 999)._df_of_interval < 4 < y.sum() :: True
compare_scores('average_precision', np.arange(24) % 2, -np.arange(24), np.arange(24), prevalence=0.3).df :: 11.0
compare_scores('average_precision', [1, 0, 0], [3, 2, 1], [3, 2, 1]).statistic == 0 :: True
(lambda found: (found.difference, found.pvalue, *found.confidence_interval(0.5)))(C(ap, y, s, s, n_positives=30)) :: (0.0, 1.0, 0.0, 0.0)
(lambda found: (found.difference, found.pvalue, *found.confidence_interval(0.5)))(C(ap, [1, 0, 0, 1], range(4), np.arange(4, dtype='f4'), prevalence=0.01)) :: (0.0, 1.0, 0.0, 0.0)
(lambda found: (found.difference, found.pvalue, *found.confidence_interval(0.5)))(C('precision@3', [1, 0, 0, 1], [2, 2, 1, 3], [2, 2, 1, 3])) :: (0.0, 1.0, 0.0, 0.0)
(lambda found: (found.difference, found.pvalue, *found.confidence_interval(0.5)))(C(ap, y, s, s, unit_id=of_three)) :: (0.0, 1.0, 0.0, 0.0)
(lambda found: (found.difference, found.pvalue, *found.confidence_interval(0.5)))(C(ap, y, s, s, query_id=of_three)) :: (0.0, 1.0, 0.0, 0.0)
(lambda found: (found.difference, found.pvalue, *found.confidence_interval(0.5)))(C(levels, y, s, s, n_positives=30)) :: (0.0, 1.0, 0.0, 0.0)
C(ap, [1] * 20 + [0] * 30, range(50, 0, -1), range(100, 0, -2)) :: 1.000 against 1.000, difference 0.00, 95 % interval -0.06 to 0.06, p = 1.00 (two-sided; same rows; the two models agree on every unit of the sample)
0.3 < E('precision@10', [1] * 10 + [0] * 90, range(100, 0, -1)).confidence_interval().low < 0.7 :: True
0.24 < E('recall@10', [1] * 10 + [0] * 90, range(100, 0, -1)).confidence_interval().low < 0.7 :: True
0.66 < E('recall@30', [1] * 10 + [0] * 90, range(100, 0, -1)).confidence_interval().low < 0.7 :: True
0.2 < E('average_precision@10', [1] * 10 + [0] * 90, range(100, 0, -1)).confidence_interval().low < 0.7 :: True
0.5 < E('average_precision', [1] * 10 + [0] * 90, range(100, 0, -1)).confidence_interval().low < 0.7 :: True
0.5 < E('interpolated_average_precision', [1] * 10 + [0] * 90, range(100, 0, -1)).confidence_interval().low < 0.7 :: True
(lambda found: round(found.standard_error / (1 - found.score) / 2**0.5, 2))(E(ap, [1] * 9999 + [0, 1] + [0] * 9999, range(20_000, 0, -1))) :: 1.0
round(E(ap, [1] * 10, range(10))._changes.lost - 1 / 11, 9) == 0 :: True
[np.allclose(E(name, np.stack((y, y, 0 * y), 1), np.stack((s, s, s), 1), zero_division=undefined)._changes.lost, share * E(name, y, s)._changes.lost) for undefined, share in ((0.0, 2 / 3), (nan, 1)) for name in ('recall@0.3', 'average_precision@9', 'average_precision@20', 'r_precision', 'precision_at_recall@0.6')] :: [True, True, True, True, True, True, True, True, True, True]
[np.allclose(E('average_precision@9', np.stack((y, y), 1), np.stack((s, s), 1), **options)._changes.lost, E('average_precision@9', y, s, **options)._changes.lost) for options in ({'normalizer': 'k'}, {'normalizer': 'hits'}, {'ties': 'stable'}, {'ties': 'optimistic'})] :: [True, True, True, True]
[abs(E(name, np.stack((y, y), 1), np.stack((s, s), 1)).standard_error - E(name, y, s).standard_error) < 1e-12 for name in ('recall@0.3', 'average_precision@9', 'average_precision@20', 'r_precision', 'precision_at_recall@0.6')] :: [True, True, True, True, True]
[0.96 < E(levels, *overlapping, recall_levels=1001, n_positives=n).standard_error / E(levels, *overlapping, n_positives=n).standard_error < 1.02 for n in (60, 66, 90, 150)] :: True, True, True, True
E(levels, np.less.outer(range(600), [60, 60, 60, 5]), np.stack([np.arange(600) * 77 % 601] * 4, 1), recall_levels=14).standard_error > 0 :: True
0.6 < E(ap, [1] * 10, range(10)).confidence_interval().low < 0.7 :: True
[0 <= low < score < high < 1 for score, (low, high) in ((found.score, found.confidence_interval()) for found in (E(name, y, s, query_id=of_three, unit_id=eight, n_positives={**dict.fromkeys(pairs, 9), (3, 0): 5}) for name in ('r_precision', 'precision@0.1', 'average_precision@0.1')))] :: [True, True, True]
min(comparison(pvalue=p, standard_error=0.2).confidence_interval(1 - p).low for p in np.linspace(0.01, 0.3, 60)) > 0 :: True
pair('interpolated_average_precision', 301, 309, recall_levels=21).test :: t
samples((y, s, np.where(y, 1, 9), range(24)), (y, y, y + 1, range(24)), paired=True).test :: t
samples((y, y, y + 1, range(24)), (y, s, np.where(y, 1, 9), range(24)), paired=True).test :: t
samples((y, y, y + 1, range(24)), (y, s, y + 1, range(24)), paired=True).test :: signs
samples((y, y), (y, s)).test :: t
compare_samples('average_precision', pd.DataFrame({'y_true': y, 'y_score': s}), {'y_true': y, 'y_score': s}, paired=False).n_units :: 48
samples(([1, 0, 1, 0], [4, 3, 2, 1], [1, 3, 1, 3]), ([1, 0, 1, 0], [4, 3, 2, 1])) :: independent, 0.25 and 0.50 of rows positive)
compare_samples('average_precision', *[{'y_true': [1, 0, 1, 0], 'y_score': [4, 3, 2, 1], 'unit_id': range(i, i + 4)} for i in (0, 2)], paired=True) :: paired, 2 shared units)
repr(compare_scores('precision@2', [1, 0, 1], [1, 2, 3], [3, 2, 1])) :: <ScoreComparison of precision@2: 0.500 against 0.500, difference 0.00, 95 % interval
estimate_score('average_precision', [1, 0, 1], [1, 2, 3], query_id=[1, 1, 1], sample_weight=[2, 2, 2], zero_division=0.0).to_dict()['options'] :: {'zero_division': 0.0}
""".strip().splitlines()


# A text or a dictionary gives no warning that an interval is undefined.
@pytest.mark.filterwarnings("error::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("line", TEXTS)
def test_a_result_has_its_text(line):
    call, _, text = line.partition(" :: ")
    assert text in str(eval(call, NAMES))


# --- errors ---------------------------------------------------------------------------

# Names of this folder and of those below it, since others may be taken away.
NAMES = {
    name: getattr(sklearn_ap, name)
    for name, module in sklearn_ap._MODULE_OF.items()
    if module.startswith(("._core", "._uncertainty"))
}
NAMES |= {"f1_score": f1_score, "roc_auc_score": roc_auc_score, "pd": pd}
NAMES |= {
    "json": json,
    "metrics": metrics,
    "np": np,
    "pickle": pickle,
}
NAMES |= {"endpoints_of_independent": endpoints_of_independent, "Sum": Sum}
NAMES |= {"permutations": permutations}
NAMES["four"] = np.array(
    [[1, 0, 0, 0], [0, 1, 1, 1], [0, 2, 3, 1], [0.03, 0.1, 0.1, 26.1]]
)
NAMES |= {"partial": partial, "nan": np.nan, "w": OPTIONS["weights"]["sample_weight"]}
NAMES |= {"y": ROWS["tied"][0], "s": ROWS["tied"][1], "of_three": np.arange(N) % 3}
# Their average precision is .5, but for rounding.
LONG = np.random.default_rng(2).random(20_000)
LONG = np.repeat([1, 0], 20_000), np.ones(40_000), np.append(LONG, LONG[::-1])
NAMES |= {
    "columns": ROWS["columns"],
    "pa": pa,
    "halves": np.arange(N) % 2,
    "LONG": LONG,
    "adjusted_by_bonferroni": adjusted_by_bonferroni,
    **{each.__name__: each for each in (estimate, comparison, many, pair, samples)},
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
NAMES |= {
    "E": estimate_score,
    "C": compare_scores,
    "S": compare_samples,
    "t": ROWS["other"][1],
    "columns_back": np.array(ROWS["columns"])[..., ::-1],
    # The negatives of one column are heavy.
    "heavy": 1 + 50 * np.greater(*ROWS["columns"][0].T),
    "ap": average_precision_score,
    "at_k": NAMES["average_precision_at_k_score"],
    "levels": NAMES["interpolated_average_precision_score"],
    "untied": ROWS["tied"][1] - np.arange(N) / 1e9,
    "np": np,
    "block": ROWS["block"],
    "of_block": OPTIONS["of_block"]["sample_weight"],
    "fifty": np.tile([ROWS["block"][0], np.arange(60)], 50),
    "eight": np.arange(N) % 8,
    "days": np.datetime64("2020-01-01") + np.arange(N) % 3,
    # Ten groups of six rows, half of which are positive.
    "six": (np.tile([1, 0, 0, 1, 0, 1], 10), np.repeat(np.arange(10, 0, -1), 6)),
    "found_60": ([1] * 60 + [0] * 30, range(90, 0, -1)),
    "overlapping": (np.arange(70) < 60, np.arange(70) * 29 % 71 - np.arange(70) // 3),
    "halves_of_90": np.arange(90) % 2,
    "thirds_of_90": np.arange(90) // 3,
    # Of two queries, each has 20 missed positives, of units of their own.
    "fifty_each": {(i % 2, i): int(not 60 <= i < 90) for i in range(130)},
    "of_203": {(1 + (i > 99), i): int(i < 100 or i > 202) for i in range(213)},
    "pairs": [*product(range(3), range(8))],
    "flat": [each.ravel() for each in ROWS["columns"]],
    "row": np.repeat(np.arange(N), 2),
    "column": np.tile([0, 1], N),
    "units_of_ranking": units_of_ranking,
    "Holder": Holder,
    # The scores of six queries of two rows, in three units.
    "of_six": [2, 1, 1, 2, 2, 1, 2, 1, 1, 2, 1, 2],
    "of_pairs": {"query_id": np.arange(12) // 2, "unit_id": np.arange(12) // 4},
    "three": lambda **others: read(
        PassedRows([1, 0, 1], [3, 2, 1], **others), caller=""
    ),
}
# A call, and its number by hand.
NUMBERS = [
    # The scores are 0, .5 and 1. With g = .5 / 4, g^3 / (g + .5) = 1/320.
    ("round(E('precision@2', [0, 0, 1, 0, 1, 1], [2, 1] * 3, query_id=[0, 0, 1, 1, 2, 2])._changes.n_events, 9)", 80),
    # Without negatives, a lower recall is no less certain.
    ("E('precision_at_recall@0.1', [1] * 20, range(20)).confidence_interval().low > 0.8", True),
    # A score that no sample changes adds no distance to a difference.
    ("endpoints_of_independent((1.0, 0.5), [(nan, nan), (0.25, 0.75)])", (0.25, 0.75)),
    # Negatives are alike if the same recalls retrieve them: of two units of negatives at
    # the recalls 1, 3 and 2, 2, an event is one row. A negative and half of three positives
    # are retrieved.
    ("[place.changes.n_events for place in E('precision_at_recall@0.5', [1, 0, 1, 0, 0, 1, 0], range(7, 0, -1), unit_id=[0, 1, 2, 3, 3, 4, 1])._places if not place.away][0]", 2.5),
    # A column without positives has no part in a mean that is weighted by positives.
    ("S(ap, *[{'y_true': columns[0] * [1, 0], 'y_score': each} for each in (columns[1], -columns[1])], paired=False, average='weighted').pvalue == S(ap, *[{'y_true': y, 'y_score': each} for each in (s, -s)], paired=False).pvalue", True),
    ("E(ap, *(pd.DataFrame(each, columns=['a', 'b']) for each in columns), average='micro').score - E(ap, *columns, average='micro').score", 0),
    # Units with equal rows in two queries are not alike, so their names have no effect.
    ("len({S(ap, *[{'y_true': each, 'y_score': s, 'query_id': halves, 'unit_id': sign * np.arange(24)} for each in (y, 1 - y)], paired=False).pvalue for sign in (1, -1)})", 1),
    # Few rows decide at low recalls, also if the caller chose the levels.
    ("C(levels, y, s, t, recall_levels=np.linspace(0, 1, 25)).test", "t"),
    # A cut of k rows moves by single rows, also if units have two: by 1 / s, where s^2 is
    # 2 (2 - 4/6)^2 + 4 (4/6)^2.
    ("round(np.diff([place.away for place in E('precision@4', [1, 0] * 6, range(12, 0, -1), unit_id=row[:12])._places])[0], 9)", round(3**0.5 / 4, 9)),
    # Half of six units of two rows are three, and half of seven are four: of eight rows, two
    # are negative.
    ("E('precision@0.5', [1] * 6 + [0] * 6, -(row[:12]), unit_id=row[:12])._changes.lost", 0.25),
    # Half of this sum is .30000000000000004.
    ("Sum(np.array([0.3, 0.1, 0.2])).place_of(0.5)", 0),
    (f"{AP}[0, 1, 0, 0], [4, 3, 2, 1]).score", 0.5),
    (f"'interval' in str({AP}[0, 1, 0, 0], [4, 3, 2, 1]))", 0),
    (f"{AP}[0, 1] * 3, [2, 1] * 3, query_id=[0, 0, 1, 1, 2, 2]).standard_error", 0),
    # A single unit, or query, does not show the variation.
    (f"str({AP}[0, 1] * 9, range(18), unit_id=[7] * 18).standard_error)", "nan"),
    (f"str({AP}[0, 1] * 9, range(18), query_id=[7] * 18).standard_error)", "nan"),
    (f"str({COMPARE}[0, 1] * 9, range(18), [*range(18)][::-1], unit_id=[7] * 18).standard_error)", "nan"),
    ("str(samples(([1, 0, 1, 0], [4, 3, 2, 1]), ([1], [1])).standard_error)", "nan"),
    # At a prevalence, the precision q above four negatives has the standard error
    # q (1 - q) / 2, whatever the number of positives.
    ("(lambda p: round(p.standard_error / (p.score - p.score**2), 9))(E('precision_at_recall@0.6', [1] * 10 + [0] * 90, [1] * 14 + [0] * 86, prevalence=0.3)._places[0])", 0.5),
    # At least the lightest positive is above a threshold, with three negatives before the next.
    ("E('precision_at_recall@0.1', [0, 1, 0, 0, 1], [5, 4, 3, 2, 1], sample_weight=[1, 1, 1, 1, 3])._places[-1].score", 0.25),
    # The first rows may be as good as they are, but no worse for it.
    ("E('precision_at_recall@0.05', [1] * 6 + [0] * 10, range(16, 0, -1)).confidence_interval(0.99).low > 0.2", 1),
    # Three of thirteen equal rows are in the first three rows of every sample.
    ("E('recall@3', [1] * 3 + [0] * 10, [0] * 13).standard_error", 0),
    # A cut of as many rows as positives divides by the positives.
    ("np.isclose(*[E('average_precision@10', y, s, normalizer=each).standard_error for each in ('min', 'n_positives')], 1e-9)", True),
    # A root has no slope at a score of 0, of either model.
    ("C('precision@6', y, y, -y).pvalue - C('precision@6', y, -y, y).pvalue", 0),
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
    (f"{AP}[1, 0, 0, 1], [4, 3, 2, 1], query_id=[0, 0, 1, 1], n_positives={{0: 1, 1: 1}}).to_dict()['options']", {}),
    ("E(ap, y, s, n_positives=np.int64(30)).to_dict()['options']", {"n_positives": 30}),
    ("estimate_score('average_precision@5', [0, 0, 0, 0, 0, 1], range(6, 0, -1), normalizer='hits').score", 0),
    ("estimate_score(recall_at_k_score, y, s, k=None).standard_error", 0),
    # A cut of all rows has no threshold whose place may be another one.
    ("[len(E(f'recall@{k}', [1, 0] * 5, range(10, 0, -1), n_positives=7)._places) > 0 for k in (9, 10)]", [True, False]),
    # Without a cut, 'min' divides by all positives.
    ("E(recall_at_k_score, [1, 0, 1, 0], range(4), k=None, normalizer='min', n_positives=20)._changes.n_events", 20),
    ("str(E(ap, y, s, query_id=0 * y, unit_id=of_three))[-31:]", " (1 fixed query, 3 units drawn)"),
    ("str(E(ap, y, s, query_id=of_three, unit_id=eight))[-33:]", " (3 fixed queries, 8 units drawn)"),
    ("'(' in str(E(ap, y, s, query_id=of_three))", False),
    ("C(ap, y, s, t, query_id=of_three, unit_id=eight).n_fixed_queries", 3),
    ("E(ap, y, s, query_id=of_three, unit_id=eight, average='micro').n_fixed_queries", 3),
    # Each query is in one unit, but for one row, which counts if its weight does.
    ("E(ap, y, s, query_id=row[:24], unit_id=row[:24] // 3).n_fixed_queries", 0),
    ("E(ap, y, s, query_id=row[:24], unit_id=[9, *row[1:24] // 3]).n_fixed_queries", 12),
    ("E(ap, y, s, query_id=row[:24], unit_id=[9, *row[1:24] // 3], sample_weight=range(24)).n_fixed_queries", 0),
    # A query without rows is one of them, and one whose rows weigh 0 is not.
    # Weighted levels are those of the first query.
    ("E(ap, y, s, query_id=of_three, unit_id=eight, n_positives={**{pair: 9 for pair in pairs if pair[0]}, (3, 0): 2}, sample_weight=of_three > 0).n_fixed_queries", 3),
    ("E('eleven_point_average_precision', [1] * 100 + [0] * 103, range(203), query_id=[1] * 200 + [2] * 3, unit_id=range(203), n_positives=of_203, average='weighted').n_fixed_queries", 2),
    # The positive at recall 1 counts itself: 2/3 in place of 1/2.
    ("round(E(levels, np.tile([[1], [0], [1], [0]], 2), np.tile([[4], [3], [2], [1]], 2), recall_levels=[1])._changes.bias, 9)", round(1 / 6, 9)),
    # Of four queries, three score 1, so g = .75 / 5. If all do, another one may not.
    ("E('success@1', [1, 0] * 4, [2, 1] * 3 + [1, 2], query_id=row[:8])._changes[:]", (0, 0, 0, 0.25 * 0.75 / (0.15**3 / 0.4))),
    ("E('success@1', [1, 0] * 4, [2, 1] * 4, query_id=row[:8])._changes[:]", (1 / 5, 0, 0, 4)),
    # The query of unit 6 has no positive, and is not counted.
    ("E(ap, [1, 0, 1, 0, 0, 0, 1, 0], [4, 3, 2, 1, 2, 1, 1, 2], query_id=row[:8], unit_id=[5, 5, 5, 5, 6, 6, 7, 7], zero_division=nan).n_units", 2),
    # A negative may weigh 2^230 positives.
    ("E(ap, [1, 0], [2, 1], prevalence=2.0**-230).score", 1),
    # An event of two rows is one row of a k: of 4 in place of 2 positives, one half is found.
    ("E('average_precision@3', [1, 1, 0, 0], [2, 2, 1, 1], unit_id=[0, 0, 1, 1])._changes.lost", 0.5),
    # A negative that weighs slightly more than a positive counts nearly as one that does not.
    ("round(samples((y, s), (y, t), prevalence=10 / 24 - 1e-9).pvalue - samples((y, s), (y, t), prevalence=10 / 24 + 1e-9).pvalue, 6)", 0),
    # Of two paired samples, each of which has units of its own, either may come first.
    ("(lambda a, b: round(samples(a, b, paired=True).pvalue - samples(b, a, paired=True).pvalue, 9))((y[:16], s[:16], None, range(16)), (y[4:], t[4:], None, range(4, 24)))", 0),
    # Equal models are not tested, so they do not make the intervals of others wider.
    ("np.allclose(np.transpose(compare_many(ap, y, {'a': s, 'b': s.copy(), 'c': t}, reference='a').confidence_interval())[1], C(ap, y, t, s).confidence_interval(0.95))", True),
    # Ids of two types are equal if their values are.
    *(
        (f"samples(*[([1, 0] * 4, range(8), None, ids) for ids in ({ids})], paired=True).n_shared_units", 8)
        for ids in (
            "np.arange(8), np.arange(8) / 1",
            "np.arange(8) / 10, np.longdouble(np.arange(8) / 10)",
            "np.uint64(np.arange(8) + 2**53), np.arange(8) + 2**53",
            "np.array([*'abcdefgh'], 'U3'), np.array([*'abcdefgh'])",
            "[*'abcdefgh'], np.array([*'hgfedcba'])",
        )
    ),
    # Units have ids of their own, whatever those of their queries.
    *(
        (f"compare_samples(ap, *[{{'y_true': [1, 0] * 3, 'y_score': range(6), 'query_id': [i, i, 3, 3, 4 + i, 4 + i], 'unit_id': [8, 8, 8, 8, 9, 9]}} for i in (0, 1)], paired=True, average='{average}').n_shared_units", 2)
        for average in ("macro", "micro")
    ),
    # All rows before the second positive, at recall 0: 2/3 in place of 1/2.
    ("round(E(levels, np.tile([[0], [1], [1], [0]], 2), np.tile([[4], [3], [3], [1]], 2), recall_levels=[0])._changes.bias, 9)", round(1 / 6, 9)),
    # Each of both units has one of the first two rows in every sample.
    ("[each.away for each in E('precision@2', [1, 1, 0, 0], [4, 3, 2, 1], unit_id=[0, 1, 0, 1])._places]", [0]),
    # A sample's own argument comes before that of both.
    ("compare_samples(ap, *[{'y_true': [1, 0], 'y_score': [2, 1], 'n_positives': n} for n in (2, 4)], paired=False, n_positives=9).scores", (0.5, 0.25)),
    # The bias of a single ranking moves no endpoint.
    (f"{AP}[1, 0, 1], [3, 2, 1])._changes.bias", 0),
    (f"round({AP}[1, 0, 0, 0], [2, 1, 2, 1], query_id=[0, 0, 1, 1]).standard_error, 9)", 0.5),
    (f"{COMPARE}[1, 0] * 3, [2, 1] * 3, [2, 1] * 3, query_id=[0, 0, 1, 1, 2, 2]).df", 2),
    (f"{COMPARE}[1, 0] * 3, [2, 1] * 3, [1, 2] * 3, query_id=[0, 0, 1, 1, 2, 2]).df", 2),
    (f"{COMPARE}[1, 0] * 3, [2, 1] * 3, [1, 2] * 3, query_id=[0, 0, 1, 1, 2, 2]).statistic", np.inf),
    (f"{COMPARE}[1, 0] * 3, [1, 2] * 3, [2, 1] * 3, query_id=[0, 0, 1, 1, 2, 2]).statistic", -np.inf),
    # All queries differ by 1, but for the rounding of the larger score.
    ("C('success@1', [1, 0] * 15, [2, 1] * 15, [1, 2] * 15, query_id=np.arange(30) // 2).statistic", np.inf),
    ("C('success@1', [1, 0] * 15, [1, 2] * 15, [2, 1] * 15, query_id=np.arange(30) // 2).statistic", -np.inf),
    # An event of units has more rows than the cut, whose place has the low levels.
    ("estimate_score('average_precision@0.1', [0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1], [0, 1, 7, 9, 11, 5, 3, 4, 2, 8, 10, 6], unit_id=[1, 3, 1, 3, 1, 1, 2, 0, 1, 0, 3, 1]).confidence_interval(0.5)", (0, 0.875)),
    # In the first sample, a single query has positives, and rows of some units only.
    ("S(ap, {'y_true': y * np.equal(of_three, 1), 'y_score': s, 'query_id': of_three, 'unit_id': 10 * of_three + eight}, {'y_true': y[1::3], 'y_score': t[1::3], 'query_id': [1] * 8, 'unit_id': 10 + eight[1::3]}, paired=True, zero_division=nan).n_shared_units", 8),
    # Without any variation, one more event is in one of two columns.
    ("round(E(ap, np.c_[y, y], np.c_[y, y] + 0.5)._changes.lost / E(ap, y, y + 0.5)._changes.lost, 9)", 0.5),
    # At the cut itself, the score of a place is that of the sample.
    ("(lambda one: [round(place.score - one.score, 9) for place in one._places if not place.away])(E('average_precision@5', y, s, sample_weight=w))", [0]),
    # The smaller sample has three positives.
    ("samples(([1, 0] * 12, np.arange(24) * 7 % 24, None, range(24)), ([1, 0] * 3, range(6), None, range(6)), paired=True)._df_of_interval", 2),
    # All queries of the second sample score 1, so the variation is that of the first one.
    ("round(S(ap, {'y_true': [1, 0] * 6, 'y_score': of_six, **of_pairs}, {'y_true': [1, 0, 0, 0] * 2 + [1, 0] * 2, 'y_score': [2, 1] * 6, **of_pairs}, paired=True, zero_division=nan).standard_error / E(ap, [1, 0] * 6, of_six, **of_pairs).standard_error, 9)", 1),
    # A result inside another one has no header of its own.
    ("Holder(estimate=estimate()).to_dict()['estimate']['score'], 'kind' in Holder(estimate=estimate()).to_dict()['estimate']", (0.5, False)),
    # Of the units a and b, two positives and one were missed.
    ("units_of_ranking(three(unit_id=[*'bab'])).unit_of_row.tolist()", [1, 0, 1]),
    ("units_of_ranking(three(unit_id=[*'bab'], n_positives={'a': 2, 'b': 3, 'c': 0})).missed_by_unit(three().positive).tolist()", [2, 1, 0]),
    # A missed positive has the weight 0.1 of a row, and 0.3 / 0.1 is 3 but for rounding.
    ("units_of_ranking(three(unit_id=[*'bab'], n_positives={'a': 0.2, 'b': 0.3}, sample_weight=[0.1] * 3)).missed_by_unit(three().positive).tolist()", [2, 1]),
    # The rounding of many rows is larger than that of two.
    ("samples(([1, 0], [1, 1]), LONG).difference", 0),
    ("samples(LONG, ([1, 0], [1, 1])).difference", 0),
    (f"{COMPARE}[1, 0, 0], [3, 2, 1], [3, 2, 1]).statistic", 0),
    (f"{COMPARE}[1, 0, 0], [3, 2, 1], [3, 2, 1]).pvalue", 1),
    # With eight levels, the first positive reaches too many.
    ("E(levels, np.arange(600) < 200, range(600), recall_levels=9).df > 1", True),
]  # fmt: skip
# A call without a number, and the words of its warning.
UNDEFINED = [
    (f"{AP}[0, 1, 0, 0], [4, 3, 2, 1]).confidence_interval()", ": there is a single unit or"),
    (f"{AP}[0, 1, 0, 0], [4, 3, 2, 1], query_id=[7] * 4).confidence_interval()", ": there is a single unit or"),
    (f"{AP}[0, 1] * 3, [2, 1] * 3, query_id=[0, 0, 1, 1, 2, 2]).confidence_interval()", ": all units have the same inf"),
    # All rows are above the cut, whatever the scale of their weights.
    ("[estimate_score('recall@10', [0, 0, 1, 1], [1, 1, 2, 0], sample_weight=np.array([0.7232731486381966, 0.36799824990129304, 0.8213478159988805, 1.0068397280723933]) * scale).confidence_interval() for scale in (1, 3, 0.1)]", ": all units have the same inf"),
    (f"{COMPARE}[1, 0, 0], [0.9, 0.1, 0.2], [0.8, 0.2, 0.1]).confidence_interval()", ": there is a single unit or positive"),
    (f"{COMPARE}[1, 0, 0], [0.9, 0.1, 0.2], [0.8, 0.2, 0.1]).pvalue", ": there is a single unit or positive"),
    (f"{COMPARE}[1] + [0] * 30, of_31, other_31).pvalue", ": there is a single unit"),
    # By the order of the rows, rounding makes the standard error 5e-16 or 0.
    ("[compare_scores('average_precision@4', *rows[:3], sample_weight=rows[3]).pvalue for rows in map(np.transpose, permutations(four.T))]", ": there is a single unit"),
    ("samples(([1, 0], [2, 1]), ([1, 0], [1, 2])).pvalue", ": there is a single unit"),
    (f"{COMPARE}[0, 0, 1] * 3, [3, 2, 1] * 3, [3, 1, 2] * 3, query_id=[0, 0, 0, 1, 1, 1, 2, 2, 2]).pvalue", ": all units have the same influence, so"),
    (f"{COMPARE}[1, 1] + [0] * 29, of_31, other_31, unit_id=[0, 0, *range(1, 30)]).pvalue", ": there is a single unit"),
    # The first and the last model differ in all queries alike.
    ("compare_many('average_precision', [1, 0] * 3, {'a': [2, 1] * 3, 'b': [2, 1, 1, 2, 1, 2], 'c': [1, 2] * 3}, query_id=[0, 0, 1, 1, 2, 2]).confidence_interval().low[1]", ": all units"),
    # No row has an influence on the first score, whose standard error of 0 was a divisor.
    (f"{COMPARE}[0, 1, 0], [3, 2, 0], [3, 2, 3], prevalence=0.05).pvalue", ": there is a single unit"),
]  # fmt: skip
# A call, the beginning of its error, and words of it.
ERRORS = [
    (f"{AP}y, s, unit_id=[1, 2, 3])", "unit_id must", "got shape (3,)"),
    (f"{AP}y, s, n_positives=1e61)", MOST),
    (f"{AP}y, s, n_positives={{0: 1e61, 1: 9, 2: 9}}, unit_id=of_three)", MOST),
    ("estimate_score('recall@5', y, s, n_positives=1e61)", MOST),
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
        "n_positives must have the unit of each query without rows",
        "got {7: 60, 9: 1}, without that of the query 9.",
    ),
    ("units_of_ranking(three(unit_id=np.ones((3, 2))))", "unit_id must have one id per row for a threshold or a band", "got two columns"),
    ("units_of_ranking(three(unit_id=[0, 1, 1], sample_weight=[1, 2, 1], n_positives={0: 9}))", "with n_positives, an interval requires equal weights", "got n_positives={0: 9}."),
    ("units_of_ranking(three(unit_id=[0, 1, 1], n_positives=3))", "n_positives must have the total of each unit", "got 3. Pass {unit: total}, "),
    *((f"E(ap, 0 * y, s{options})", "y_true contains no positive samples; a standard error") for options in ("", ", n_positives=9", ", query_id=of_three")),
    ("E(ap, *columns, average=None)", "average must not be None", "got None"),
    ("S(ap, {'y_true': columns[0], 'y_score': columns[1]}, {'y_true': y, 'y_score': s}, paired=False)", "first and second must have the same classes, columns or", "got [0, 1] in first and [0] in second."),
    ("E(ap, y, s, kk=1)", "TypeError: estimate_score() got an unexpected keyword argument 'kk'"),
    ("C(ap, y, s, t, kk=1)", "TypeError: compare_scores() got an unexpected keyword argument 'kk'"),
    ("E('unknown', y, s)", "score_func must be one of ['average_precision', ", "'unknown'"),
    # The first of 10 positives reaches two of 11 levels, so .14 on average. Of units with
    # 2, 6 and 2 positives, the first reaches 44 %, so 11 of 25 levels.
    (
        "E('eleven_point_average_precision', [1] * 100 + [0] * 103, range(203), query_id=[1] * 200 + [2] * 3, unit_id=range(203), n_positives=of_203)",
        "eleven_point_average_precision_score has no interval here: the first positive reaches 13.6% of",
        "requires that it reaches at most 12%.",
    ),
    ("E(levels, y, s, recall_levels=25, unit_id=of_three)", "interpolated_average_precision_score has no", "reaches 44.0% of"),
    ("E(ap, [1] * 4, [4, 3, 2, 1], prevalence=0.3)", "y_true must contain negatives at prevalence=0.3, because", "positives only (in ranking 0)"),
    ("E(ap, [[1, 0], [1, 1], [1, 0]], [[1, 2]] * 3, prevalence=0.3)", "y_true must contain negatives at prevalence", "(in ranking 0)"),
    ("C(levels, y, s, t, recall_levels=25, unit_id=of_three)", "interpolated_average_precision_score has no", "reaches 44.0% of"),
    ("E(levels, np.arange(600) < 200, range(600), recall_levels=8)", "interpolated_average_precision_score has no", "reaches 12.5% of"),
    ("E(levels, np.arange(600) < 200, range(600), recall_levels=[0, 0.5])", "interpolated_average_precision_score has no", "reaches 50.0% of"),
    ("E(ap, [1, 0], [2, 1], prevalence=1e-70)", "prevalence must not make a negative weigh 1e+70 positives"),
    ("E(ap, y, s, zero_division=0.5)", "zero_division must be", "got 0.5"),
    ("estimate_score(roc_auc_score, y, s)", "score_func must be a score of this package, or its name; got roc_auc_score. For", "scipy.stats.bootstrap("),
    ("estimate_score(partial(f1_score), y, s)", "score_func", "scipy.stats.bootstrap("),
    ("compare_samples('recall@', {}, {}, paired=False, k=5)", "score_func must be one of", "got 'recall@'"),
    ("E(levels, np.arange(600) < 5, range(600), recall_levels=14)", "interpolated_average_precision_score has no interval here: the first positive reaches 21.4%"),
    ("estimate_score('pr_auc_davis_goadrich', y, s)", "pr_auc_score has no interval here: ", "query_id"),
    ("estimate_score('recall_at_precision@0.5', y, s)", "recall_at_precision_score has no interval here: ", "query_id"),
    ("estimate_score('reciprocal_rank', y, s)", "reciprocal_rank_score has no interval here: ", "query_id"),
    # The order of two tied rows would decide which of their units has the hit.
    *(
        (f"{AP_AT_5}ties='{ties}', {units})", "ties must")
        for ties in ("optimistic", "pessimistic")
        for units in ("unit_id=of_three", "query_id=of_three, average='micro'")
    ),
    *(
        (f"{AP}y, s).confidence_interval({level})", "confidence_level must", f"got {level}")
        for level in ("0", "1", "1.5", "'high'")
    ),
    ("compare_many('average_precision', y, [1, 2])", "y_score must map", "list [1, 2]."),
    ("compare_many('average_precision', y, {'a': s})", "y_score must", "got ['a']."),
    ("compare_many('average_precision', y, pd.DataFrame({'a': s}))", "y_score must", "got ['a']."),
    ("compare_many('average_precision', y, {'m0': s, 'm1': -s}, reference='b')", "reference must", "['m0', 'm1']; got 'b'"),
    ("compare_many('average_precision', y, pd.DataFrame([[1, 2]] * 24, columns=['a', 'a']))", "y_score must map", "got DataFrame"),
    ("compare_samples('average_precision', *[{'y_true': y, 'y_score': s, 'unit_id': None}] * 2, paired=True)", "first and second must have unit_id, ", "['y_true', 'y_score'] in second"),
    *(
        (f"samples(*[([1, 0] * 4, range(8), None, ids) for ids in ({ids})], paired=True)", name, words)
        for ids, name, words in (
            ("np.arange(8) + 2**53, np.arange(8) + 2.0**53", "unit_id must have ids that their type does not round", "got the float64"),
            ("np.arange(8) / 10, np.float32(np.arange(8) / 10)", "the ids of first and second must have floats of one type", "types float32 and float64"),
        )
    ),
    *(
        (f"compare_samples(ap, *[{{'y_true': y, 'y_score': s, 'query_id': np.arange(24) // 3, 'unit_id': ids}} for ids in (np.arange(24) // 6, [*np.arange(21) // 6, 9, 9, 9])], paired=True, average='{average}')", "first and second must have the same unit of query 7 for paired=True", "got 3 in first and 9 in second.")
        for average in ("macro", "micro")
    ),
    ("compare_samples(ap, {'y_true': y, 'y_score': s, 'z': 1, 'k': 2, 'a': 3, 'b': 4}, {}, paired=False)", "first must map", "got ['z', 'k', 'a', 'b']."),
    *(
        (f"compare_samples('average_precision', {{}}, {{}}, paired={value})", "paired must be", f"got {value}")
        for value in (None, 1)
    ),
    *(
        (f"compare_samples(ap, *[{{'y_true': y, 'y_score': s}}] * 2, paired=False, {name}=[7] * 24)", f"{name} must be in first and in second", f"got {name}=[7, 7")
        for name in ("unit_id", "query_id", "sample_weight")
    ),
    ("compare_samples('average_precision', {'y_true': y}, {'y_true': y, 'y_score': s}, paired=False)", "first must map 'y_true' and 'y_score'", "got {'y_true': "),
    *(
        (f"{name}('average_precision', {rows}, k=5)", f"TypeError: {name}() got an unexpected keyword argument 'k'")
        for name, rows in (
            ("estimate_score", "y, s"),
            ("compare_scores", "y, s, s"),
            ("compare_many", "y, {'a': s, 'b': s}"),
            ("compare_samples", "*[{'y_true': y, 'y_score': s}] * 2, paired=False"),
        )
    ),
    # The name of a model is no pattern.
    (f"{COMPARE}[1, 0], [1, nan], [1, 2])", "Input contains NaN.", "y_score_a is not finite in row 1."),
    (f"{COMPARE}[1, 0], [1, 2], [1, nan])", "Input contains NaN.", "pass np.nan_to_num(y_score_b, "),
    (f"{COMPARE}[1, 0], [1, 2], [1])", "Found input variables with inconsistent", "The scores are those of y_score_b."),
    ("compare_many('average_precision', [1, 0], {'c': [1, 2], 'b': [1]})", "Found input variables", "The scores are those of y_score['b']."),
    (r"compare_many('average_precision', [1, 0], {r'\1': [1, nan], 'b': [1, 2]})", "Input contains NaN.", r"y_score['\\1'] is not finite"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "expected"), NUMBERS)
def test_a_call_returns_its_number(call, expected):
    assert eval(call, NAMES) == expected


@pytest.mark.filterwarnings("ignore:The sample has too few")
@pytest.mark.parametrize(("call", "words"), UNDEFINED)
def test_a_call_that_is_undefined_warns(call, words):
    with pytest.warns(UndefinedMetricWarning, match=f"is NaN.*{words}"):
        assert np.isnan(eval(call, NAMES)).all()


@each_row(ERRORS)
def test_a_call_raises_its_error(row):
    assert_raises(NAMES, *row)


@pytest.mark.parametrize("ties", ["optimistic", "pessimistic", "stable"])
def test_units_of_one_row_are_rows(ties):
    rows = "average_precision@5", *ROWS["tied"]
    alone, units = (
        estimate_score(*rows, ties=ties, unit_id=unit) for unit in (None, range(N))
    )
    assert units.to_dict() == alone.to_dict()

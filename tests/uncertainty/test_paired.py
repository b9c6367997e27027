"""The rules of a difference between two scores of the same units, compared with their
definitions; and the agreement of the test and the interval.
"""

from dataclasses import replace
from functools import partial
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t, ttest_1samp
from sklearn.exceptions import UndefinedMetricWarning

from brief import examples, one_in
from oracles.uncertainty import (
    CONFIDENCE_LEVELS,
    assert_test_and_interval_agree,
    drawn_weights,
    few,
    of_influences,
    row_influences,
)
from sklearn_ap import (
    average_precision_score,
    compare_many,
    compare_scores,
)
from sklearn_ap._shown.numbers import NEXT_TO_0, interval_texts
from sklearn_ap._uncertainty.influence import Influences
from sklearn_ap._uncertainty.paired import (
    PairedScore,
    obeying_test,
    of_contributions,
)

AP = average_precision_score


def models(seed, n=300, share=0.2, shifts=(1.5, 1.3), size=1, perfect=0.0):
    """Return labels, scores of two models, and units. The rows of a unit are similar."""
    rng = np.random.default_rng(seed)
    sizes = np.where(rng.random(n // size) < 0.2, 2 * size, 1) if size > 1 else 1
    unit = np.repeat(np.arange(n // size), sizes)
    y_true = (rng.random(n // size) < share)[unit].astype(int)
    y_true[:3] = 1, 0, 1
    common = rng.normal(size=n // size)[unit]
    return (
        y_true,
        *(
            (shift + perfect) * y_true
            + 0.6 * common
            + 0.4 * rng.normal(size=n // size)[unit]
            + 0.6 * rng.normal(size=unit.size)
            for shift in shifts
        ),
        unit,
    )


# --- the interval of confidence level 1 - a excludes 0 if and only if p <= a -----------


def by_rows(rows, **options):
    return compare_scores(AP, *rows[:3], **options)


def by_many(rows):
    third = rows[1] + np.cos(np.arange(rows[0].size))
    scores = {"a": rows[1], "b": rows[2], "c": third, "like a": 2 * rows[1]}
    return compare_many(AP, rows[0], scores)


def by_columns(rows):
    y_true, first, second = (np.resize(x, (100, 3)) for x in rows[:3])
    y_true[:2] = 1, 0, 1
    y_true[2:4] = 0, 1, 0
    return compare_scores(AP, y_true, first, second, average="macro", prevalence=0.02)


KINDS = {
    "rows": by_rows,
    "low": lambda rows: by_rows((rows[0], rows[1] / 4 - rows[0], rows[2] / 4)),
    "high": lambda rows: by_rows([rows[0], *(x + 2 * rows[0] for x in rows[1:3])]),
    "units": lambda rows: by_rows(rows, unit_id=rows[3] // 3),
    "weights": lambda rows: by_rows(rows, sample_weight=drawn_weights(1, rows[0].size)),
    "far below": partial(by_rows, prevalence=0.01),
    "far above": partial(by_rows, prevalence=0.7),
    "queries": lambda rows: by_rows(rows, query_id=rows[3] % 20),
    "fixed queries": lambda rows: by_rows(
        rows, query_id=np.arange(rows[0].size) % 3, unit_id=rows[3]
    ),
    "cut": lambda rows: compare_scores("precision@20", *rows[:3]),
    "recall": lambda rows: compare_scores("precision_at_recall@0.5", *rows[:3]),
    "columns": by_columns,
    "several models": by_many,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
@examples(10, 30)
@given(
    seed=st.integers(0, 10_000), better=st.floats(0, 1.2), size=st.sampled_from([1, 4])
)
def test_zero_lies_outside_an_interval_if_and_only_if_the_test_rejects(
    kind, seed, better, size
):
    found = KINDS[kind](models(seed, 240, shifts=(1.0 + better, 1.0), size=size))
    assert_test_and_interval_agree(found)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "several models"])
@examples(10, 30)
@given(seed=st.integers(0, 10_000))
def test_either_model_may_come_first(kind, seed):
    y_true, first, second, unit = models(seed, 240, size=4)
    found = KINDS[kind]((y_true, first, second, unit))
    # `KINDS["low"]` changes the scores of the first model only.
    if kind == "low":
        found = by_rows((y_true, first / 4, second / 4 - y_true))
        back = by_rows((y_true, second / 4 - y_true, first / 4))
    else:
        back = KINDS[kind]((y_true, second, first, unit))
    assert back.pvalue == pytest.approx(found.pvalue, rel=1e-9, nan_ok=True)
    for confidence_level in CONFIDENCE_LEVELS:
        low, high = back.confidence_interval(confidence_level)
        endpoints = pytest.approx((-high, -low), rel=1e-6, abs=1e-12, nan_ok=True)
        assert found.confidence_interval(confidence_level) == endpoints


def test_the_order_of_models_changes_only_signs():
    y_true, first, second, _ = models(5)
    scores = {"a": first, "b": second, "c": first + second}
    found = compare_many(AP, y_true, scores)
    back = compare_many(AP, y_true, dict(reversed(scores.items())))
    np.testing.assert_allclose(back.pvalue[::-1], found.pvalue)
    low, high = back.confidence_interval()
    np.testing.assert_allclose(found.confidence_interval(), (-high[::-1], -low[::-1]))


@pytest.mark.parametrize(
    ("pvalue", "endpoints", "wanted"),
    [
        # The test rejects.
        (0.04, (-0.1, 0.5), (0.2 * NEXT_TO_0, 0.5)),
        (0.04, (0.1, 0.5), (0.1, 0.5)),
        # A p-value equal to the risk rejects, too.
        (0.05, (-0.1, 0.5), (0.2 * NEXT_TO_0, 0.5)),
        (0.06, (0.1, 0.5), (0.0, 0.5)),
        (0.06, (-0.1, 0.5), (-0.1, 0.5)),
    ],
)
def test_an_interval_obeys_the_test_about_0_and_keeps_its_other_end(
    pvalue, endpoints, wanted
):
    assert obeying_test(endpoints, 0.2, pvalue, 0.05) == wanted
    turned = obeying_test((-endpoints[1], -endpoints[0]), -0.2, pvalue, 0.05)
    assert turned == (-wanted[1], -wanted[0])


def test_an_endpoint_next_to_0_is_described_in_words():
    y_true, first, second, _ = models(1)
    found = replace(compare_scores(AP, y_true, first, second), pvalue=0.05)
    high = 0.38
    text = interval_texts(0.2, 0.2 * NEXT_TO_0, high, is_difference=True)
    assert text == ["0.20", "0 (excluded)", "0.38"]
    text = interval_texts(-0.2, -high, -0.2 * NEXT_TO_0, is_difference=True)
    assert text == ["-0.20", "-0.38", "0 (excluded)"]
    wide = replace(found, difference=0.2, standard_error=0.2)
    assert "interval 0 (excluded) to 0." in str(wide)
    assert wide.to_dict()["low"] == pytest.approx(0.2 * NEXT_TO_0)
    assert "interval 0.00 to 0." in str(
        replace(wide, standard_error=1e-3, pvalue=0.051)
    )


# --- the test --------------------------------------------------------------------------


def slopes_of(y_true, *scores, weight=1.0, unit=None, **options):
    """Return the influence of each unit on both scores, and its share of the positives."""
    unit = np.arange(y_true.size) if unit is None else unit
    if np.ndim(weight):
        options["sample_weight"] = weight
    influences = [
        np.bincount(unit, weight * row_influences(AP, y_true, score, **options))
        for score in scores
    ]
    of_positives = np.bincount(unit, weight * y_true)
    return influences, of_positives / of_positives.sum()


# Half of the rows are single units, and the others are in units of 8.
UNEQUAL = np.where(np.arange(400) % 2, np.arange(400), 400 + np.arange(400) // 16)
UNEQUAL = np.unique(UNEQUAL, return_inverse=True)[1]
WEIGHTED = [
    {},
    {"weight": drawn_weights(4, 400)},
    {"unit": UNEQUAL},
    {"unit": UNEQUAL, "weight": drawn_weights(4, 400)},
]


def result_of(y_true, *scores, weight=None, unit=None):
    options = {} if weight is None else {"sample_weight": weight}
    return compare_scores(AP, y_true, *scores, unit_id=unit, **options)


def check(found, statistic, df):
    assert (found.statistic, found.df) == pytest.approx((statistic, df), rel=1e-9)
    assert found.pvalue == pytest.approx(2 * t.sf(abs(statistic), df), rel=1e-9)


@pytest.mark.parametrize("rows", WEIGHTED)
def test_low_scores_are_compared_as_cube_roots(rows):
    """The degrees of freedom are the number of units that contain a positive, minus 1."""
    y_true, *scores = drawn_pair(7, 0.08, (0.5, 0.9))
    found = result_of(y_true, *scores, **rows)
    assert np.mean(found.scores) < 0.3
    (first, second), of_positives = slopes_of(y_true, *scores, **rows)
    a, b = (1 / (3 * score ** (2 / 3)) for score in found.scores)
    n = 1 / np.square(of_positives).sum()
    variance = np.square(a * first - b * second).sum() * n / (n - 1)
    statistic = np.subtract(*np.cbrt(found.scores)) / np.sqrt(variance)
    check(found, statistic, np.count_nonzero(of_positives) - 1)


def angles_of(scores, of_positives):
    """Return the angles of two scores with half a positive more on either side, and their
    derivatives.
    """
    n = 1 / np.square(of_positives).sum()
    shares = (n * np.array(scores) + 0.5) / (n + 1)
    return np.arcsin(np.sqrt(shares)), 0.5 / np.sqrt(shares * (1 - shares))


@pytest.mark.parametrize("rows", WEIGHTED[:2])
def test_high_scores_are_compared_as_angles(rows):
    """The degrees of freedom are those of the variance (Satterthwaite)."""
    y_true, *scores = drawn_pair(8, 0.1, (3.2, 2.8))
    found = result_of(y_true, *scores, **rows)
    assert np.mean(found.scores) > 0.75
    (first, second), of_positives = slopes_of(y_true, *scores, **rows)
    angles, (a, b) = angles_of(found.scores, of_positives)
    ones, numbers = np.ones(400), np.arange(400)
    error, df, _ = of_influences(a * first - b * second, ones, of_positives, numbers)
    check(found, np.subtract(*angles) / error, df)


# A few units of positives have 20 times the weight of the others.
UNEQUAL_WEIGHTS = np.where(np.arange(400) % 8 == 3, 20.0, 1.0)


@pytest.mark.parametrize(
    ("share", "shifts", "is_high"), [(0.15, (1.2, 0.7), False), (0.1, (3.9, 2.9), True)]
)
def test_very_unequal_units_are_compared_by_their_contributions(share, shifts, is_high):
    """Contributions add up to the difference, and have a paired t test."""
    y_true, *scores = drawn_pair(9, share, shifts)
    weight = np.where(y_true, UNEQUAL_WEIGHTS, 1.0)
    found = result_of(y_true, *scores, weight=weight)
    assert (np.mean(found.scores) > 0.75) == is_high
    (first, second), of_positives = slopes_of(y_true, *scores, weight=weight)
    values, (a, b) = np.array(found.scores), (1.0, 1.0)
    if is_high:
        values, (a, b) = angles_of(found.scores, of_positives)
    difference = np.subtract(*values)
    contributions = a * first - b * second + difference * of_positives
    assert contributions.sum() == pytest.approx(difference, abs=1e-12)
    n = np.count_nonzero(of_positives)
    # The sum is over all units, and n counts only those that contain a positive.
    variance = (np.square(contributions).sum() - difference**2 / n) * n / (n - 1)
    check(found, difference / np.sqrt(variance), n - 1)


def test_each_missed_positive_is_a_unit_with_a_contribution():
    """Five missed positives have the share .02 each. If their contributions are those
    of five more units, the test is the same.
    """
    rng, n_missed, difference = np.random.default_rng(0), 5, 0.3
    share = rng.dirichlet(np.ones(12)) * (1 - 0.02 * n_missed)
    of_units = rng.normal(size=12)
    influences = Influences(of_units, np.array([-0.01]), np.array([n_missed]))
    of_positives = PairedScore(
        0.5, influences, 3.0, share_of_positives=share, share_of_missed=0.02
    )
    found = of_contributions(difference, influences, of_positives)
    more_units = np.append(of_units, [-0.01] * n_missed)
    more = PairedScore(
        0.5,
        Influences(more_units),
        3.0,
        share_of_positives=np.append(share, [0.02] * n_missed),
    )
    wanted = of_contributions(difference, Influences(more_units), more)
    assert found == pytest.approx(wanted, rel=1e-9)
    assert found.df == 16


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_missed_positives_do_not_make_units_unequal(n):
    """Two positives never distinguish two models. If the missed positive made their
    units unequal, some of these p-values would be below .0001.
    """
    y_true = np.arange(n) < 2
    for order in one_in(5, permutations(range(n))):
        found = compare_scores(AP, y_true, -np.arange(n), order, n_positives=3)
        assert found.pvalue > 0.1


@pytest.mark.filterwarnings("ignore:The sample has too few positives")
@pytest.mark.parametrize(
    "call",
    [
        lambda *rows, **options: compare_scores(AP, *rows, **options),
        lambda y_true, first, second, **options: compare_many(
            AP, y_true, {"first": first, "second": second}, **options
        ),
    ],
)
def test_a_negative_variance_is_no_variance(call):
    with pytest.warns(
        UndefinedMetricWarning, match="few units contain most of the pos"
    ):
        found = call([1, 1, 0], [0, 1, 2], [2, 1, 0], sample_weight=[2, 20, 50])
    assert np.all(found.standard_error > 0)
    assert np.isnan([found.pvalue, found.statistic]).all()
    with pytest.warns(
        UndefinedMetricWarning, match="few units contain most of the pos"
    ):
        assert np.isnan(found.confidence_interval()).all()


def test_contributions_of_units_that_all_contain_positives_have_scipys_t_test():
    rng = np.random.default_rng(0)
    contributions = rng.normal(0.3, 1.0, 12) * rng.lognormal(0, 2, 12)
    difference = contributions.sum()
    share = rng.dirichlet(np.ones(12))
    influences = Influences(contributions - difference * share)
    paired = PairedScore(0.5, influences, 3.0, True, share)
    test = of_contributions(difference, influences, paired)
    wanted = ttest_1samp(contributions, 0)
    assert test == pytest.approx((wanted.statistic, 11), rel=1e-9)
    assert test.pvalue == pytest.approx(wanted.pvalue, rel=1e-9)


@pytest.mark.parametrize(
    "options", [{}, {"unit_id": np.arange(400) // 2}, {"prevalence": 0.01}]
)
def test_other_differences_have_the_t_test_of_the_scores(options):
    """These are scores between .3 and .75, and scores with heavy negatives."""
    y_true, *scores = drawn_pair(7, 0.08, (2.2, 1.9))
    found = compare_scores(AP, y_true, *scores, **options)
    check(found, found.difference / found.standard_error, found._df_of_interval)


def drawn_pair(seed, share, shifts, n=400):
    rng = np.random.default_rng(seed)
    y_true = (rng.random(n) < share).astype(int)
    common = rng.normal(size=n)
    return y_true, *(
        shift * y_true + 0.6 * common + 0.8 * rng.normal(size=n) for shift in shifts
    )


# --- the interval ----------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"prevalence": 0.4}])
def test_each_endpoint_allows_for_one_more_positive_that_a_model_ranks_last(options):
    """In large samples, the allowance is the loss of the score if such a positive is
    added: that of the first model below, and that of the second model above.
    """
    y_true, *scores = drawn_pair(3, 0.1, (3.5, 2.0), 2_000)
    found = compare_scores(AP, y_true, *scores, **options)
    weight = np.ones(2_000)
    if options:
        odds = y_true.sum() / (2_000 - y_true.sum()) * 0.6 / 0.4
        weight = np.where(y_true, 1, odds)
    reach = np.subtract(found.confidence_interval(), found.difference)
    errors = np.abs(reach) / t.ppf(0.975, found._df_of_interval)
    lost = np.sqrt(errors**2 - found.standard_error**2)
    for score, loss in zip(scores, lost, strict=True):
        more = np.append(y_true, 1), np.append(score, -99.0)
        lower = AP(*more, sample_weight=np.append(weight, 1.0))
        cost = AP(y_true, score, sample_weight=weight) - lower
        assert loss == pytest.approx(cost, rel=0.01)


@few
@pytest.mark.parametrize(
    ("score", "n"),
    [("precision@20", 20), ("recall@60", 60), ("average_precision@9", 9)],
)
def test_nothing_is_left_of_a_lost_positive_at_a_cut(score, n):
    y_true, *scores = drawn_pair(3, 0.1, (3.5, 2.0))
    found = compare_scores(score, y_true, *scores)
    n = min(n, y_true.sum())
    lost = np.divide(found.scores, n + 1)
    errors = np.hypot(found.standard_error, lost)
    reach = t.ppf(0.975, found._df_of_interval) * errors
    endpoints = found.difference - reach[0], found.difference + reach[1]
    wanted = obeying_test(endpoints, found.difference, found.pvalue, 0.05)
    assert found.confidence_interval() == pytest.approx(np.clip(wanted, -1, 1))


def test_a_mean_over_queries_has_the_interval_of_scipy():
    """Means have no allowance, since one for a query without a result would be too large."""
    y_true, *scores = drawn_pair(3, 0.5, (1.0, 0.5))
    rows = {"query_id": np.arange(400) % 12}
    low, high = compare_scores(AP, y_true, *scores, **rows).confidence_interval()
    first, second = (AP(y_true, score, average=None, **rows) for score in scores)
    wanted = ttest_1samp(first - second, 0).confidence_interval()
    assert (low, high) == pytest.approx((wanted.low, wanted.high))

"""The level of chance: all orders in exact fractions, p-values, and every refusal."""

import dataclasses
import itertools
import math
import tracemalloc
from functools import partial

import numpy as np
import pytest

from oracles import scores as oracle
from orders import patterns, scores_of, values_of
from sizes import sizes as sizes_set
from sklearn_ap import (
    ChanceLevel,
    average_precision_score,
    chance_level,
    estimate_score,
)
from sklearn_ap._core.reading.options import NORMALIZERS
from sklearn_ap._uncertainty.chance import (
    WHOLE,
    CutScore,
    Orders,
    _level_of_cut,
    level_of_ap,
)


def labels_of(n_positives, n):
    return [1] * n_positives + [0] * (n - n_positives)


def moments(values):
    mean = sum(values) / len(values)
    return mean, sum((value - mean) ** 2 for value in values) / len(values)


# --- mean, standard deviation and minimum ---------------------------------------------


@pytest.mark.parametrize("n", range(1, 8))
def test_levels_are_those_of_all_orders(n):
    for sizes, n_positives in itertools.product(patterns(n), range(1, n + 1)):
        values = values_of(sizes, n_positives)
        mean, variance = moments(values)
        chance = chance_level(labels_of(n_positives, n), scores_of(sizes))
        assert chance.mean == pytest.approx(float(mean), rel=1e-14, abs=0)
        assert chance.standard_deviation == pytest.approx(
            math.sqrt(variance), rel=1e-13, abs=0
        ), sizes
        least = float(min(values))
        # no order with ties scores less than the worst one without them
        assert chance.minimum <= least * (1 + 1e-15)
        if len(sizes) == n:
            assert chance.minimum == pytest.approx(least, rel=1e-15, abs=0)
            without_scores = chance_level(labels_of(n_positives, n))
            assert dataclasses.astuple(without_scores) == dataclasses.astuple(chance)


def test_ten_million_rows_in_closed_form():
    n = 10_000_000
    reciprocal = 1 / np.arange(1.0, n + 1)
    # of one positive, whose average precision is one over its rank
    mean = math.fsum(reciprocal) / n
    variance = math.fsum(reciprocal**2) / n - mean**2
    assert level_of_ap(Orders(1, n))[:2] == pytest.approx(
        (mean, math.sqrt(variance)), rel=1e-13, abs=0
    )


# --- other scores ---------------------------------------------------------------------

OTHERS = {
    "precision@3": ({"k": 3}, partial(oracle.precision_at_k, k=3, ties="proportional")),
    "precision@9": ({"k": 9}, partial(oracle.precision_at_k, k=9, ties="expected")),
    "recall@0.3": ({"k": 0.3}, partial(oracle.recall_at_k, k=0.3, ties="expected")),
    "success@2": ({"k": 2}, partial(oracle.success_at_k, k=2, ties="expected")),
    "r_precision": ({}, partial(oracle.r_precision, ties="proportional")),
    **{
        f"average_precision@{k} {normalizer}": (
            {"k": k, "normalizer": normalizer},
            partial(
                oracle.average_precision_at_k,
                k=k,
                ties="proportional",
                normalizer=normalizer,
            ),
        )
        for k in (1, 3, 0.5, 9)
        for normalizer in NORMALIZERS
    },
    **{
        f"average_precision@max_recall={recall}": (
            {"max_recall": recall},
            partial(oracle.step_to_recall, max_recall=recall),
        )
        for recall in (0.1, 0.5, 0.8)
    },
}


@pytest.mark.parametrize("name", OTHERS)
def test_mean_of_other_scores_is_that_of_all_orders(name):
    options, exact = OTHERS[name]
    for n in range(1, 6):
        for sizes, n_positives in itertools.product(patterns(n), range(1, n + 1)):
            mean, _ = moments(values_of(sizes, n_positives, exact))
            chance = chance_level(
                labels_of(n_positives, n),
                scores_of(sizes),
                score_func=name.partition("@")[0],
                **options,
            )
            assert chance.mean == pytest.approx(float(mean), rel=1e-14, abs=1e-15), (
                sizes
            )
            assert chance.score_name == name.split(" ")[0]


def test_average_precision_up_to_full_recall_is_average_precision():
    for sizes in ([1] * 2000, [1, 500, 499, 1000]):
        rows = labels_of(300, 2000), scores_of(sizes)
        assert chance_level(*rows, max_recall=1 - 1e-13).mean == pytest.approx(
            chance_level(*rows).mean, rel=1e-12
        )


def test_only_average_precision_has_a_spread():
    chance = chance_level([1, 0] * 1000, score_func="recall", k=1000)
    words = "chance level of recall@1000 0.5 (1,000 positives of 2,000 rows)"
    assert str(chance) == words
    assert chance.adjust([0, 0.5, 1]).tolist() == [-1, 0, 1]
    assert np.isnan([chance.standard_deviation, chance.minimum]).all()
    for method in (chance.normalize, chance.pvalue):
        with pytest.raises(
            ValueError,
            match=f"^{method.__name__} is only .* average_precision; got that of recall@1000, which",
        ):
            method(0.5)


@pytest.mark.parametrize(
    "options",
    [
        {"k": 3, "max_recall": 0.5},
        {"score_func": "r_precision", "k": 3},
        {"score_func": "recall"},
        {"score_func": "success", "k": 3, "max_recall": 0.5},
    ],
)
def test_options_that_a_score_does_not_take(options):
    with pytest.raises(
        ValueError,
        match=r"^k is required for 'precision', 'recall', 'success', and max_recall is only valid for "
        r"'average_precision' without k, which 'r_precision' does not take; got '.*' with k=.* and max_rec",
    ):
        chance_level([1, 0], **options)
    with pytest.raises(ValueError, match=r"^normalizer must be one of 'min', .*'R'"):
        chance_level([1, 0], k=1, normalizer="R")
    with pytest.raises(
        ValueError, match=r"^score_func must be one of .*'r_precision'; got"
    ):
        chance_level([1, 0], score_func="pr_auc")


# --- the p-value ----------------------------------------------------------------------


WITH_PVALUES = {"average_precision": ({}, oracle.step)} | {
    name: OTHERS[name]
    for name in OTHERS
    if name.startswith(("average_precision@3 ", "r_"))
}


@pytest.mark.parametrize("name", WITH_PVALUES)
def test_pvalue_is_the_share_of_orders(name):
    """By all orders, also of a score that many of them have; and by draws of ranks and
    of counts.
    """
    options, exact = WITH_PVALUES[name]

    def all_orders(sizes, n_positives):
        rows = labels_of(n_positives, sum(sizes)), scores_of(sizes)
        chance = chance_level(*rows, score_func=name.partition("@")[0], **options)
        return chance, np.array(values_of(sizes, n_positives, exact), dtype=float)

    for case in (
        *(([1] * 6, 2), ([2, 1, 3], 3), ([1, 4, 2], 2), ([5], 1)),
        *(([2, 10], 10), ([1] * 17, 2), ([3, 1, 1, 2, 5, 6], 2), ([1] * 7, 5)),
    ):
        chance, values = all_orders(*case)
        for value in set(values):
            share = np.mean(values >= value * (1 - 1e-12))
            assert chance.pvalue(value) == pytest.approx(share, abs=1e-15)
    for case in (([1, 2, 3, 3, 2, 4], 6), ([4, 12], 10)):
        chance, values = all_orders(*case)
        score = np.quantile(values, 0.8)
        share = np.mean(values >= score * (1 - 1e-12))
        with sizes_set({("sklearn_ap._uncertainty.chance", "_COUNTED"): 1}):
            found = chance.pvalue(score, random_state=0)
        error = math.sqrt(share * (1 - share) / 9999)
        assert found == pytest.approx(share, abs=5 * error + 1e-4)


def test_pvalue_is_b_plus_1_over_n_plus_1():
    chance = chance_level(labels_of(10, 1000))
    assert chance.pvalue(1.0, n_resamples=99, random_state=0) == 1 / 100
    assert chance.pvalue(0.0, n_resamples=99, random_state=0) == 1.0
    estimate = estimate_score(
        "average_precision", labels_of(10, 1000), -np.arange(1000)
    )
    assert chance.pvalue(estimate) == 1 / 10000


# --- the normalized score -------------------------------------------------------------


def test_normalized_score_is_0_for_the_worst_order_and_1_for_the_best():
    y_true = np.array([0, 1, 0, 1, 1, 0, 0])
    chance = chance_level(y_true)
    worst = average_precision_score(y_true, np.where(y_true, 0, 10) - np.arange(7) / 10)
    assert chance.normalize(worst) == pytest.approx(0, abs=1e-15)
    assert chance.normalize(1) == 1.0
    assert chance.normalize(chance.mean) == pytest.approx(
        (chance.mean - worst) / (1 - worst)
    )


def test_nothing_to_normalize_among_positives_alone():
    chance = chance_level([1, 1])
    with pytest.warns(UserWarning, match=r"^Every order scores 1, .* is NaN\.$"):
        assert math.isnan(chance.normalize(1.0))
    with pytest.warns(UserWarning, match="all rows are positive"):
        assert np.isnan(chance.normalize([1.0, 1.0])).tolist() == [True, True]
    with pytest.warns(UserWarning, match="the adjusted score is NaN"):
        assert math.isnan(chance.adjust(1.0))


# --- what is read ---------------------------------------------------------------------

PLAIN = chance_level([1, 0, 1, 0, 0])


# --- refusals -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ([0, 0],),
            r"^y_true must contain a positive, the label 1, in each ranking; got 1 of 1 ",
        ),
        (
            ([0, 1], [1, 2], [1, 0]),
            r"^y_true must contain a positive, the label 1, in each ranking; got 1 of 1 ",
        ),
        (
            ([0, 1, 2],),
            r"^y_true must be binary, .*; got multiclass labels\. Pass one column",
        ),
        (
            ([[0, 1], [1, 0]],),
            r"^y_true must be binary, .*; got multilabel-indicator labels\.",
        ),
        (([0.5, 1.5],), r"^y_true must be binary, .*; got continuous labels\."),
        (([1, np.nan],), "y_true contains NaN"),
        (([],), "^y_true is empty"),
        ((["a", "b"],), r"^pos_label=1 is not a valid label"),
        (
            ([1, 0, 0], None, [1, 2, 2]),
            r"^sample_weight must be equal .*; got weights from 1.0 to 2.0\. Score shuffled",
        ),
        (([1, 0], None, [1, -1]), r"^sample_weight must not be negative"),
    ],
)
def test_refused_rows(arguments, said):
    y_true, y_score, sample_weight = (*arguments, None, None)[:3]
    with pytest.raises(ValueError, match=said):
        chance_level(y_true, y_score, sample_weight=sample_weight)


@pytest.mark.parametrize(
    "score",
    [-0.1, 1.1, math.nan, "high", None, [0.5, 2.0], [[0.1], [0.2, 0.3]]],
    ids=str,
)
@pytest.mark.parametrize("ask", [PLAIN.normalize, PLAIN.adjust, PLAIN.pvalue])
def test_refused_scores(ask, score):
    with pytest.raises(
        ValueError,
        match=r"^score must be a value of average_precision, in \[0, 1\]; got ",
    ):
        ask(score)


# --- many rankings at once ------------------------------------------------------------


QUERIES = {  # labels and scores of each query, some of them tied
    "a": ([1, 0, 0, 1, 0], [5, 4, 3, 2, 1]),
    "b": ([1, 0, 0], [1, 1, 0]),
    "c": ([0, 0, 1, 1, 0], [1, 2, 3, 4, 5]),
    "d": ([1, 1], [1, 2]),
    "e": ([1, 0, 0, 0, 1, 1, 0, 0], [4, 4, 4, 3, 3, 2, 1, 1]),
}


def of_queries(part):
    return np.concatenate([of[part] for of in QUERIES.values()])


QUERY_ID = np.repeat(list(QUERIES), [len(of[0]) for of in QUERIES.values()])


@pytest.mark.parametrize("has_scores", [False, True])
def test_each_query_has_the_level_that_it_has_alone(has_scores):
    order = np.random.default_rng(0).permutation(QUERY_ID.size)
    y_true, y_score, query_id = (
        of_queries(0)[order],
        of_queries(1)[order],
        QUERY_ID[order],
    )
    together = chance_level(y_true, y_score if has_scores else None, query_id=query_id)
    alone = [
        chance_level(labels, scores if has_scores else None)
        for labels, scores in QUERIES.values()
    ]
    for name in ("mean", "standard_deviation", "minimum", "n_positives", "n_samples"):
        assert getattr(together, name).tolist() == [
            getattr(one, name) for one in alone
        ], name
    score = average_precision_score(y_true, y_score, query_id=query_id, average=None)
    expected = [
        one.pvalue(of, n_resamples=99, random_state=0)
        for one, of in zip(alone, score.tolist(), strict=True)
    ]
    assert together.pvalue(score, n_resamples=99, random_state=0).tolist() == expected


def test_levels_of_queries_take_a_score_each_and_are_one_line():
    y_true = np.repeat([1, 0, 1, 0], [2, 8, 5, 95])
    chance = chance_level(y_true, query_id=np.repeat([1, 2], [10, 100]))
    assert str(chance) == "chance levels 0.09018 to 0.3715, mean 0.2308 (2 rankings)"
    for ask in (chance.adjust, chance.normalize, chance.pvalue):
        with pytest.raises(
            ValueError,
            match=r"^score must be one score for each of 2 rankings; got shape \(\)\.",
        ):
            ask(0.5)


def test_draws_are_not_held_in_memory():
    y_true = np.repeat([1, 0, 1, 0], [3, 297, 4, 396])
    chance = chance_level(y_true, query_id=np.repeat([1, 2], [300, 400]))
    tracemalloc.start()
    try:
        # as doubles, one null distribution takes 16 MB
        chance.pvalue(chance.mean, n_resamples=2_000_000, random_state=0)
        assert tracemalloc.get_traced_memory()[1] < 12e6
    finally:
        tracemalloc.stop()


def test_queries_without_positives_are_refused():
    with pytest.raises(
        ValueError, match=r"the label 1, in each ranking; got 2 of 3 without one\."
    ):
        chance_level([1, 0, 0, 0], query_id=[1, 1, 2, 3])


# --- draws ----------------------------------------------------------------------------


CUTS = [CutScore(0.25, "hits"), CutScore(100, "hits"), CutScore(0.25, "min")]


@pytest.mark.parametrize(
    ("n_positives", "n", "group", "cuts"),
    [
        (600, 3_000, 1, CUTS),
        (600, 3_000, 40, CUTS),
        (50, 20_000, 7, [WHOLE]),
        (9_000, 20_000, 1, [WHOLE]),
        (9_000, 20_000, 400, [WHOLE]),
    ],
)
def test_levels_of_long_rankings_are_those_of_draws(n_positives, n, group, cuts):
    """The mean over hits leaves out numbers of them that are too rare to count."""
    ends = np.append(np.arange(group, n, group), n)
    orders = Orders(n_positives, n, b"" if group == 1 else ends.tobytes())
    for cut in cuts:
        drawn = orders.scores(400, np.random.default_rng(3), cut)
        mean, deviation, _ = (
            level_of_ap(orders) if cut is WHOLE else _level_of_cut(cut, orders)
        )
        assert abs(drawn.mean() - mean) < 4 * drawn.std() / math.sqrt(drawn.size)
        assert np.isnan(deviation) or drawn.std() == pytest.approx(deviation, rel=0.15)


def test_a_level_that_is_made_by_hand_has_no_ties():
    level = ChanceLevel(
        mean=0.68, standard_deviation=0.2, minimum=0.4, n_positives=2, n_samples=4
    )
    assert level.pvalue(0.9, random_state=0) == pytest.approx(1 / 6)  # of six orders

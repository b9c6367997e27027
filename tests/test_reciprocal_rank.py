"""Reciprocal rank: every order of equal scores, counted out; large tied groups; weights; missed positives."""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, permutations, product

import numpy as np
import pytest

import oracle
from problems import RANKED_TIES, block_rows
from sklearn_ap import get_scorer, precision_at_k_score, reciprocal_rank_score
from sklearn_ap.compatibility import score_as

MOST_ROWS = 6


def compositions(n: int) -> Iterator[list[int]]:
    """The sizes of tied groups, in all ways to divide the rows into groups."""
    for inner in product([False, True], repeat=n - 1):
        ends = [0, *(place for place, ends in enumerate(inner, start=1) if ends), n]
        yield [end - begin for begin, end in pairwise(ends)]


def labellings(sizes: list[int]) -> Iterator[list[int]]:
    """The labels of all rows, for every number of positives in every group."""
    for counts in product(*(range(size + 1) for size in sizes)):
        yield [int(row < r) for size, r in zip(sizes, counts, strict=True) for row in range(size)]


def tied(sizes: list[int]) -> list[int]:
    return [-place for place, size in enumerate(sizes) for _ in range(size)]


def ranks_of_the_first(labels: list[int], scores: list[int], orders: np.ndarray) -> np.ndarray:
    """The rank of the first positive in each order, which says how equal scores stand."""
    keys = np.array(scores) * len(scores) - orders
    in_order = np.array(labels)[np.argsort(-keys, axis=1)]
    return in_order.argmax(axis=1) + 1


@pytest.mark.parametrize("n", range(1, MOST_ROWS + 1))
def test_expected_is_the_mean_over_all_orders_of_the_rows(n):
    """All n! orders of the rows, all ties, all labels, all cuts."""
    orders = np.array(list(permutations(range(n))))
    for sizes in compositions(n):
        scores = tied(sizes)
        for labels in labellings(sizes):
            if not any(labels):
                continue
            ranks = ranks_of_the_first(labels, scores, orders)
            for k in [None, *range(1, n + 1)]:
                expected = np.where(ranks <= (k or n), 1 / ranks, 0.0).mean()
                value = reciprocal_rank_score(labels, scores, k=k)
                assert value == pytest.approx(expected, abs=1e-14), (labels, scores, k)


@pytest.mark.parametrize("ties", RANKED_TIES)
def test_exact_fractions(ties):
    """With rows below the tied group, which do not matter, and rows above it, which do."""
    rng = np.random.default_rng(5)
    for _ in range(200):
        n = int(rng.integers(1, 14))
        labels, scores = rng.random(n) < 0.3, rng.integers(0, 4, n)
        labels[rng.integers(n)] = True
        k = [None, 0.5, int(rng.integers(1, 15))][rng.integers(3)]
        exact = oracle.reciprocal_rank(oracle.ranking(labels, scores.tolist()), k, ties)
        value = reciprocal_rank_score(labels, scores, k=k, ties=ties)
        assert value == pytest.approx(float(exact), abs=1e-15)


def test_published_example_of_three_queries():
    """Ranks 3, 2 and 1 of the right answer: 11/18, the example of many textbooks."""
    labels = [0, 0, 1, 0, 1, 0, 1, 0, 0]
    scores, query = [3, 2, 1] * 3, ["a"] * 3 + ["b"] * 3 + ["c"] * 3
    assert reciprocal_rank_score(labels, scores, query_id=query) == pytest.approx(11 / 18, abs=1e-15)
    assert reciprocal_rank_score(labels, scores, query_id=query, k=2) == pytest.approx(1 / 2, abs=1e-15)
    values = reciprocal_rank_score(labels, scores, query_id=query, average=None)
    assert values.tolist() == [1 / 3, 1 / 2, 1]


# --- large tied groups ----------------------------------------------------------------------------------


def harmonic(first: int, last: int) -> float:
    """1 / first + ... + 1 / last."""
    return math.fsum(1 / i for i in range(first, last + 1))


def one_group(n_above: int, size: int, r: int) -> tuple[np.ndarray, np.ndarray]:
    """Negatives above, and below them a tied group with r positives."""
    labels = np.zeros(n_above + size, dtype=int)
    labels[n_above : n_above + r] = 1
    scores = np.concatenate((np.arange(n_above, 0, -1), np.zeros(size, dtype=int)))
    return labels, scores


@pytest.mark.parametrize("r", [1, 2, 3, 30, 1000, 30_000, 500_000, 999_999, 1_000_000])
def test_a_million_equal_scores(r):
    """The known sum of a group at the top: r / (s - r + 1) times the harmonic numbers from r to s."""
    size = 1_000_000
    value = reciprocal_rank_score(*one_group(0, size, r))
    assert value == pytest.approx(r / (size - r + 1) * harmonic(r, size), rel=1e-13, abs=0)


@pytest.mark.parametrize("k", [None, 1, 501, 600, 40_000, 500_000, 1_000_499])
@pytest.mark.parametrize("n_above", [0, 500])
def test_a_million_equal_scores_below_others_and_cut(n_above, k):
    size = 1_000_000
    within = size if k is None else max(k - n_above, 0)
    places = np.arange(1, min(within, size) + 1)
    one = math.fsum(1 / (n_above + places)) / size
    value = reciprocal_rank_score(*one_group(n_above, size, 1), k=k)
    assert value == pytest.approx(one, rel=1e-13, abs=0)
    two = math.fsum(2 * (size - places) / (n_above + places)) / size / (size - 1)
    value = reciprocal_rank_score(*one_group(n_above, size, 2), k=k)
    assert value == pytest.approx(two, rel=1e-13, abs=0)


@pytest.mark.parametrize("size", [8, 9, 24, 25, 56, 57, 200, 3000])
def test_groups_as_long_as_the_stretches_that_are_looked_at(size):
    for r in {1, 2, 3, size // 2, size - 1, size}:
        value = reciprocal_rank_score(*one_group(0, size, r))
        exact = Fraction(r, size - r + 1) * sum(Fraction(1, i) for i in range(r, size + 1))
        assert value == pytest.approx(float(exact), rel=1e-14, abs=0)


def test_no_chance_underflows():
    """Nor overflows: a caller may have made numpy raise."""
    with np.errstate(all="raise"):
        for size in (60, 900, 33_000, 66_000, 200_000):
            for r in (1, 2, 20, 45, 60, 61, 100, size // 100 + 1, size // 3, size - 40):
                assert 0 < reciprocal_rank_score(*one_group(0, size, r)) <= 1


def test_a_ranking_is_the_same_to_the_bit_in_any_company():
    rng = np.random.default_rng(2)
    lengths = [*rng.integers(1, 40, 300), 5000, 9, 40_000, 3]
    query = np.repeat(np.arange(len(lengths)), lengths)
    labels = rng.random(query.size) < 0.05
    scores = rng.integers(0, 3, query.size)
    values = reciprocal_rank_score(labels, scores, query_id=query, average=None, zero_division=0.0)
    alone = [
        reciprocal_rank_score(labels[query == q], scores[query == q], zero_division=0.0)
        for q in range(len(lengths))
    ]
    assert values.tolist() == alone


@pytest.mark.parametrize("k", [1, 3, 10, 60])
@pytest.mark.parametrize("ties", RANKED_TIES)
def test_a_cut_of_many_rows_that_sorts_few_of_them(k, ties):
    """Rows below the cut are left out before they are sorted, but not those tied with the last row above."""
    rng = np.random.default_rng(k)
    scores = rng.integers(0, 8000, 40_000)
    scores[rng.integers(0, 40_000, 200)] = 9000  # 200 rows are tied at the top
    labels = rng.random(40_000) < 0.02
    value = reciprocal_rank_score(labels, scores, k=k, ties=ties)
    with block_rows(4096):
        assert reciprocal_rank_score(labels, scores, k=k, ties=ties) == value
    top = scores == 9000
    of_top = reciprocal_rank_score(labels[top], scores[top], k=k, ties=ties)
    assert value == pytest.approx(of_top, rel=1e-14, abs=0)


# --- policies -------------------------------------------------------------------------------------------


def test_expected_lies_between_the_orders():
    rng = np.random.default_rng(3)
    for _ in range(100):
        labels, scores = rng.random(30) < 0.2, rng.integers(0, 5, 30)
        labels[0] = True
        for k in (None, 1, 4, 12):
            worst, expected, stable, best = (
                reciprocal_rank_score(labels, scores, k=k, ties=ties)
                for ties in ("pessimistic", "expected", "stable", "optimistic")
            )
            assert worst - 1e-15 <= expected <= best + 1e-15
            assert worst <= stable <= best


def test_a_rank_depends_on_nothing_below_its_group():
    labels, scores = [0, 1, 0, 1, 1], [5, 4, 4, 2, 1]
    assert reciprocal_rank_score(labels, scores) == reciprocal_rank_score([0, 1, 0, 0, 0], scores)


def test_the_first_row_is_precision_there():
    rng = np.random.default_rng(4)
    query = rng.integers(0, 40, 300)
    labels, scores = rng.random(300) < 0.4, rng.integers(0, 3, 300)
    mean = reciprocal_rank_score(labels, scores, k=1, query_id=query, zero_division=0.0)
    assert mean == pytest.approx(precision_at_k_score(labels, scores, k=1, query_id=query), abs=1e-15)


@pytest.mark.parametrize("ties", ["proportional", "threshold", None, 1])
def test_equal_scores_need_a_rank(ties):
    text = f"^ties must be one of 'expected', 'stable', 'optimistic', 'pessimistic'; got {ties!r}.$"
    with pytest.raises(ValueError, match=text):
        reciprocal_rank_score([1, 0], [2, 1], ties=ties)


@pytest.mark.parametrize("k", [0, 1.5, "10", True])
def test_a_cut_is_rows_or_a_share(k):
    with pytest.raises(ValueError, match=r"^k must be None, an integer >= 1"):
        reciprocal_rank_score([1, 0], [2, 1], k=k)


# --- weights --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ties", RANKED_TIES)
def test_weights_inside_a_ranking_are_refused(ties):
    with pytest.raises(ValueError, match=r"^sample_weight must be equal inside each ranking, since a rank"):
        reciprocal_rank_score([0, 1], [2, 1], sample_weight=[1.0, 2.0], ties=ties)


def test_weights_that_differ_between_rankings_change_nothing():
    labels, scores, query = [0, 1, 1, 0], [4, 3, 2, 1], ["a", "a", "b", "b"]
    plain = reciprocal_rank_score(labels, scores, query_id=query)
    assert reciprocal_rank_score(labels, scores, query_id=query, sample_weight=[0.1, 0.1, 7, 7]) == plain
    assert plain == 0.75


def test_rows_of_weight_0_have_no_rank():
    assert reciprocal_rank_score([0, 0, 1], [3, 2, 1], sample_weight=[0, 3.5, 3.5]) == 0.5


def test_weights_of_samples_are_weights_in_the_mean():
    labels, scores = [[1, 0], [0, 1]], [[2, 1], [2, 1]]
    value = reciprocal_rank_score(labels, scores, average="samples", sample_weight=[3.0, 1.0])
    assert value == pytest.approx((3 * 1 + 0.5) / 4, abs=1e-15)


def test_average_weighted_weighs_by_positives():
    labels, scores, query = [0, 1, 1, 1, 1], [5, 4, 3, 2, 1], ["a", "a", "b", "b", "b"]
    value = reciprocal_rank_score(labels, scores, query_id=query, average="weighted")
    assert value == pytest.approx((1 * 0.5 + 3 * 1.0) / 4, abs=1e-15)


# --- missed positives -----------------------------------------------------------------------------------


@pytest.mark.filterwarnings("error")
def test_a_query_whose_positives_were_all_missed_scores_0():
    """Without a total it would be a ranking without positives, which zero_division speaks of."""
    labels, scores, query = [1, 0, 0, 0], [4, 3, 2, 1], ["a", "a", "b", "b"]
    options = {"query_id": query, "zero_division": np.nan}
    assert reciprocal_rank_score(labels, scores, **options) == 1.0
    assert reciprocal_rank_score(labels, scores, n_positives={"a": 1, "b": 2}, **options) == 0.5
    assert reciprocal_rank_score(labels, scores, n_positives={"a": 1, "b": 0}, **options) == 1.0


def test_a_query_without_rows_counts_0():
    value = reciprocal_rank_score([0, 1], [2, 1], query_id=["a", "a"], n_positives={"a": 4, "b": 1})
    assert value == 0.25


def test_positives_missed_beside_one_found_change_nothing():
    assert reciprocal_rank_score([0, 1, 1], [3, 2, 1], n_positives=50) == 0.5


def test_without_positives_the_warning_says_so():
    with pytest.warns(UserWarning, match="y_true contains no positives, so the score is 0.0"):
        assert reciprocal_rank_score([0, 0], [2, 1]) == 0.0


# --- names ----------------------------------------------------------------------------------------------


def test_scorers_of_whole_and_cut_rankings():
    assert repr(get_scorer("reciprocal_rank")) == "make_scorer(reciprocal_rank_score)"
    assert repr(get_scorer("reciprocal_rank@10")) == "make_scorer(reciprocal_rank_score, k=10)"
    assert get_scorer("reciprocal_rank@0.5")._kwargs == {"k": 0.5}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("trec_eval recip_rank", 1 / 3),  # d3 first, then d2, then the positive d1
        ("ir_measures RR", 1 / 3),
        ("ir_measures RR@k", 1.0),  # the other way round
        ("reciprocal rank", 11 / 18),
        ("reciprocal rank@k", 11 / 18),
    ],
)
def test_records_order_equal_scores_by_ids(name, value):
    found = score_as(name, [1, 0, 0], [1, 1, 1], k=3, item_id=["d1", "d2", "d3"])
    assert found == pytest.approx(value, abs=1e-15)


def test_a_record_of_an_open_order_has_the_range_of_all_orders():
    with pytest.raises(ValueError, match=r"between 0.3333 and 1.0000") as refused:
        score_as("ranx mrr", [1, 0, 0], [1, 1, 1])
    assert (refused.value.low, refused.value.high) == (1 / 3, 1.0)

"""Every kernel yields the steps of the definition, on scores that are hard to sort, for
a single ranking and for several.
"""

from functools import partial
from itertools import product
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brief import covering, each_pair, examples
from rankings import HARD_SCORES, exact_steps, hard_scores, ranked_by, steps_of
from sizes import sizes
from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    r_precision_score,
)
from sklearn_ap._core.ranking.kernels import OrderedKernel
from sklearn_ap._core.ranking.keys import keys_of
from sklearn_ap._core.ranking.rank import rank
from sklearn_ap._core.ranking.rankings import Rows
from sklearn_ap._core.ranking.runs import sort_runs
from sklearn_ap._core.ranking.sums import sums_of_few_scores
from sklearn_ap._core.typing import TieOrder

ORDERS = get_args(TieOrder)
PIECE = "sklearn_ap._core.ranking.runs", "PIECE_ROWS"
LONG = "sklearn_ap._core.ranking.runs", "LONG_ROWS"
FEW = "sklearn_ap._core.ranking.sums", "_LEAST_ROWS_OF_FEW_SCORES"
REACH = "sklearn_ap._core.ranking.keys", "_REACH"
BLOCK = 12
# Numbers of rows of the rankings: a single ranking, several of equal lengths, lengths
# around the powers of two to which rankings are padded, and rankings without rows.
LAYOUTS = {
    "single": [5 * BLOCK],
    "single and a row": [5 * BLOCK + 1],
    "equal": [BLOCK] * 5,
    "ragged": [0, 1, 2, 3, 0, 5, 8, 9, 0, 0, 16, 17, 1, 0],
    "one long": [1, 2, 45, 1, 1, 0, 1],
}
LABELS = ("two fifths", "one class per block", "last only", "none")


@each_pair(labels=[*LABELS], name=[*HARD_SCORES], step=[1, -1])
def test_rows_in_order_are_not_sorted(name, labels, step):
    """A row out of order, which five values may not show, is sorted as ever."""
    rows = draw(name, LAYOUTS["single"], 0, labels)._replace(weight=None)
    order = rows.score.argsort(kind="stable")[::step]
    in_order = rows._replace(positive=rows.positive[order], score=rows.score[order])
    expected = exact_steps(in_order)
    assert steps_of(ranked_by("ordered", in_order)) == expected
    bounds = in_order.score.min(), in_order.score.max()
    with sizes({("sklearn_ap._core.ranking.rank", "_LEAST_ORDERED_ROWS"): 5}):
        chosen = rank(in_order, bounds=bounds, with_points=False)
        assert isinstance(chosen.kernel, OrderedKernel)
        assert steps_of(chosen) == expected
        order[[2, 7]] = order[[7, 2]]
        nearly = rows._replace(positive=rows.positive[order], score=rows.score[order])
        found = rank(nearly, bounds=bounds, with_points=False)
    assert steps_of(found) == expected


@given(
    st.lists(st.lists(st.integers(0, 5), max_size=7), min_size=1, max_size=6),
    st.sampled_from([sorted, lambda run: sorted(run, reverse=True), list]),
)
def test_runs_are_sorted_whatever_their_order(runs, order):
    runs = [order(run) for run in runs]
    values = np.array([value for run in runs for value in run], dtype=np.int64)
    with sizes({("sklearn_ap._core.ranking.runs", "_LEAST_IN_ORDER"): 1}):
        sort_runs(values, np.array([*map(len, runs)]), 9)
    assert values.tolist() == [value for run in runs for value in sorted(run)]


def one_ranking(positive, score, weight=None) -> Rows:
    return Rows(positive, score, weight, np.array([0, score.size]))


def draw(name: str, lengths: list[int], seed: int, labels: str = "two fifths") -> Rows:
    """Return rows with whole weights, whose sums are exact."""
    rng = np.random.default_rng(seed)
    size = sum(lengths)
    score, place = hard_scores(rng, size)[name], np.arange(size)
    if labels == "one class per block":
        score = np.sort(score)
    positive = {
        "two fifths": rng.random(size) < 0.4,
        "one class per block": place // BLOCK % 2 == 0,
        "last only": place == size - 1,
        "none": place < 0,
    }[labels]
    weight = rng.integers(1, 6, size).astype(float)
    return Rows(positive, score, weight, np.cumsum([0, *lengths]))


# The orders of ties that each kernel accepts, and whether rows have weights. The other
# orders are not defined for weights.
TAKES = {
    "plain": [(None, False)],
    "keyed": [(None, False)],
    "summed": [(None, True), ("stable", True), *product((None, *ORDERS), [False])],
}


# If a kernel cannot sort some scores, `rank` uses the one that sorts any scores.
CASES = [
    case
    for case in product(TAKES, HARD_SCORES, LAYOUTS, LABELS)
    if case[0] != "plain" or case[2].startswith("single")
]


@examples(60, 150)
@given(st.sampled_from(covering(CASES)))
def test_steps_are_those_of_the_definition(case):
    kernel, name, layout, labels = case
    for seed, (ties, with_weights) in enumerate(TAKES[kernel]):
        rows = draw(name, LAYOUTS[layout], seed, labels)
        if not with_weights:
            rows = rows._replace(weight=None)
        expected = exact_steps(rows, ties)
        for low in ({PIECE: 1}, {PIECE: 7, LONG: 1}, {LONG: 1, FEW: 0}):
            with sizes(low):
                assert steps_of(ranked_by(kernel, rows, ties)) == expected


@pytest.mark.parametrize(
    ("scores", "lowest", "highest"),
    [
        (np.linspace(3, 9, 60), -1e-300, 1e3),
        (np.linspace(-9, 9, 60), -1e300, 1e300),
        (np.arange(60), -(2**40), 2**40),
    ],
)
def test_rows_of_weight_0_change_no_value(scores, lowest, highest):
    """Keys fit all scores, also those of rows that are dropped before they are sorted."""
    labels, weight = np.arange(62) % 3 == 0, [1] * 60 + [0] * 2
    every = np.append(scores, [lowest, highest])
    value = average_precision_score(labels, every, sample_weight=weight)
    assert value == average_precision_score(labels[:60], scores)


def test_a_positive_whose_weight_changes_no_sum_is_not_a_step():
    weight, score = np.exp(-np.arange(60.0)), np.arange(60.0)[::-1]
    steps = steps_of(ranked_by(None, one_ranking(score >= 0, score, weight)))
    assert (np.array(steps["tp"]) > steps["tp_above"]).all()


@examples(30, 100)
@given(
    name=st.sampled_from(HARD_SCORES),
    size=st.sampled_from([1, 2, 3, 60, 255, 5000]),
    share=st.sampled_from([0.0, 0.002, 0.4, 1.0]),
    seed=st.integers(0, 2**32),
)
def test_kernels_have_the_same_steps_and_totals(name, size, share, seed):
    rng = np.random.default_rng(seed)
    rows = one_ranking(rng.random(size) < share, hard_scores(rng, size)[name])
    plain = ranked_by("plain", rows)
    for kernel in ("keyed", "summed", None):
        other = ranked_by(kernel, rows)
        assert steps_of(other) == steps_of(plain), kernel
        for total in ("found_weight", "total_weight", "n_positives", "n_rows"):
            assert getattr(other, total) == getattr(plain, total), (kernel, total)
        for depth in map(np.array, ([1.0], [size / 2], [size], [size + 9.0])):
            # A tied group at the cut counts by its share above the cut.
            assert other.kernel.weight_of_best(depth) == pytest.approx(
                plain.kernel.weight_of_best(depth), rel=1e-14, abs=0
            ), kernel


LENGTHS = {
    "any": [100, 1, 5000, 300, 4095, 4096, 40_000, 17, 2, 2049, 9000],
    # Only queries of equal length are cut in one table.
    "equal": [300] * 70,
    "two": [200, 400] * 35,
}
CUTS = [
    partial(average_precision_at_k_score, k=None),
    partial(average_precision_at_k_score, k=None, ties="stable"),
    partial(average_precision_at_k_score, k=5),
    r_precision_score,
]


@each_pair(
    lengths=[*LENGTHS.values()], weighted=[False, True], digits=[3, 17], score=CUTS
)
def test_queries_have_the_same_value_alone_and_among_others(
    score, digits, weighted, lengths
):
    """A ranking with few positives, as in each second query, is sorted by another
    kernel if it is alone.
    """
    rng = np.random.default_rng(5)
    query = np.repeat(np.arange(len(lengths)), lengths)
    share = np.where(query % 2, 0.4, 0.01)
    columns = {
        "y_true": rng.random(query.size) < share,
        "y_score": rng.random(query.size).round(digits),
    }
    if weighted:
        columns["sample_weight"] = rng.lognormal(0, 3, query.size)
    score = partial(score, zero_division=0.0)
    alone = [
        score(**{name: column[query == one] for name, column in columns.items()})
        for one in range(len(lengths))
    ]
    together = score(**columns, query_id=query, average=None)
    assert together == pytest.approx(alone, abs=1e-15, rel=0)


# --- equal keys -----------------------------------------------------------------------

# With 3,000 rows, the number of the row takes the last 12 bits of its key. So scores
# that differ in their last 11 bits only have equal keys.
N_KEYS = 3_000


def colliding(scores: str, rng: np.random.Generator) -> np.ndarray:
    match scores:
        case "a few":  # forty rows with one key and nine scores
            score = rng.random(N_KEYS)
            score[100:140] = 0.5 + rng.integers(0, 9, 40) * 2.0**-53
        case "most":
            score = 1 + rng.integers(0, 2**14, N_KEYS) * 2.0**-52
        case "long runs":  # a thousand rising scores with one key, three times
            score = 1 - (1000 - np.arange(N_KEYS) % 1000) * 2.0**-53
    return score


@pytest.mark.parametrize("scores", ["a few", "most", "long runs"])
def test_scores_with_equal_keys_are_sorted(scores):
    rng = np.random.default_rng(1)
    score = colliding(scores, rng)
    weight = rng.integers(1, 9, N_KEYS).astype(float)
    rows = one_ranking(rng.random(N_KEYS) < 0.5, score, weight)
    for ties in (None, "stable"):
        expected = exact_steps(rows, ties)
        for reach in (1, 8):
            with sizes({REACH: reach}):
                assert steps_of(ranked_by("summed", rows, ties)) == expected


def with_score(value):
    """Return scores of 0 to 9, and one other score, which a sample may lack."""
    score = np.random.default_rng(0).integers(0, 10, 20_000).astype(float)
    score[1] = value
    return score


@pytest.mark.parametrize(
    ("score", "are_few"),
    [
        (with_score(0), True),
        (with_score(-0.0), True),
        (with_score(0).astype(np.int32) - 5, True),
        (with_score(0) * 1e307, True),
        (with_score(0) > 4, True),
        (with_score(0).astype(np.float16), True),
        (with_score(0.5), False),
        (with_score(0) % 1, False),
        ((with_score(0) - 4.5) * 3e307, False),
        (with_score(0) * 5e-324, False),
        (1 / (1 + 1e-5 * with_score(0)) ** 20 + with_score(0) // 9, False),
        (np.arange(20_000) % 40, False),
        (with_score(0).astype(np.longdouble), False),
    ],
)
def test_few_distinct_scores_have_the_sums_of_any_scores(score, are_few):
    """In every bit: all weights are added in the same order."""
    rng = np.random.default_rng(1)
    rows = one_ranking(rng.random(20_000) < 0.1, score, rng.lognormal(size=20_000))
    few = sums_of_few_scores(rows, (score.min(), score.max()))
    assert (few is not None) == are_few
    found = steps_of(ranked_by("summed", rows))
    for low in ({FEW: 10**9}, {FEW: 10**9, LONG: 10**9}):
        with sizes(low):
            assert steps_of(ranked_by("summed", rows)) == found


# --- keys -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("least", "most", "fits"),
    [
        (0, 2**61 - 1, True),
        (0, 2**61, False),
        (-(2**63), -(2**63) + 2**61 - 1, True),
        (-(2**63), -(2**62), False),
    ],
)
def test_keys_of_integers_are_in_their_order(least, most, fits):
    keys = keys_of(np.array([least, least + 1, most - 1, most]), least, most)
    assert (keys is not None) == fits
    if fits:
        assert (keys.values[1:] > keys.values[:-1]).all()
        assert not (keys.values & 1).any()


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize(
    ("tiny", "n_bytes"),
    [(2.0**-121, 4), (np.nextafter(np.float32(2.0**-121), 0), 8), (1e-45, 8)],
)
def test_float32_has_keys_of_32_bits_unless_their_scale_rounds(tiny, n_bytes, sign):
    """The score 20 is divided by 32, and the smallest normal number of 32 bits is
    2**-126.
    """
    score = np.array([-20, -tiny * sign, 0, tiny * sign, 20], dtype=np.float32)
    keys = keys_of(score, -20.0, 20.0)
    assert keys.values.itemsize == n_bytes
    order = np.argsort(score, kind="stable")
    assert (np.diff(keys.values[order]) > 0).all()
    assert not (keys.values & 1).any()


# The largest score is scaled to a number from 0.5 to 1. `SMALLEST` is then scaled to
# the smallest normal number.
LARGEST, SMALLEST = 1.5 * 2.0**700, 2.0 ** (701 - 1022)


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize(
    ("tiny", "is_exact"),
    [
        ([np.nextafter(SMALLEST, 1), 0.0, -0.0], True),
        ([SMALLEST], True),
        ([np.nextafter(SMALLEST, 0)], False),
        ([np.nextafter(SMALLEST, 0), SMALLEST], False),
        ([5e-324], False),
    ],
)
def test_rounded_products_are_noticed(tiny, is_exact, sign):
    """A product may also be rounded up to the smallest normal number, which may be the
    product of another score.
    """
    score = np.array([*tiny, LARGEST, -LARGEST, 1.0]) * sign
    assert (keys_of(score, -LARGEST, LARGEST) is not None) == is_exact

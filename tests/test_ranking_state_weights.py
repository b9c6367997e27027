"""States that keep sums of weights, up to a cut or in bins: any split and order scores as all rows."""

import copy
import re
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_ranking_state import HELD, LONG, ROWS, splits, state_of, trees, zero
from test_ranking_state_bounded import BOUNDED

import problems
from sklearn_ap import average_precision_at_k_score, average_precision_score, precision_at_k_score
from sklearn_ap._ranking._by_class import sorted_scores
from sklearn_ap.distributed import RankingState

CUT = [one for one in HELD if one.is_cut]
WEIGHTS = {
    "eighths": st.integers(0, 40).map(lambda one: one / 8),
    "far apart": st.floats(1e-6, 1e6),
    "equal": st.just(0.1),
    "with zeros": st.sampled_from([0.0, 1.0, 3.0]),
}


@st.composite
def weighed_rows(draw, size: int):
    """Labels with a positive, scores and weights, at least one of them above 0."""
    y_true = np.array(draw(problems.labels_with_a_positive(size)))
    y_score = np.array(draw(problems.scores(size)))
    kind = draw(st.sampled_from([*WEIGHTS, "by class"]))
    if kind == "by class":
        return y_true, y_score, np.where(y_true == 1, 0.3, 0.7)
    weight = np.array(draw(st.lists(WEIGHTS[kind], min_size=size, max_size=size)))
    weight[np.argmax(y_true == 1)] += 1.0 * (kind != "equal")
    return y_true, y_score, weight


def parts_of(data, rows):
    """States of parts of the rows, without those in which nothing weighs anything."""
    parts = data.draw(splits(rows[0].size))
    return [part for part in parts if rows[2][part].any()]


def compared(state, score, rows, options):
    """Compare a score with that of all rows, or its error with theirs."""
    y_true, y_score, weight = rows
    try:
        expected = score(y_true, y_score, sample_weight=weight, **options)
    except ValueError as error:
        words = re.split(r"[0-9.]+", str(error))[0]  # sums of weights in it may be rounded
        with pytest.raises(ValueError, match=re.escape(words)):
            state.score(score, **options)
        return
    assert state.score(score, **options) == pytest.approx(expected, rel=2e-15, abs=1e-300)


@given(st.data(), st.integers(1, 12), st.integers(1, 6))
def test_best_rows_score_up_to_their_cut(data, size, k):
    rows = data.draw(weighed_rows(size))
    parts = parts_of(data, rows)
    state = data.draw(trees([state_of(*(one[part] for one in rows), k=k) for part in parts]))
    assert (state.n_samples, state.n_positives) == (np.count_nonzero(rows[2]), rows[0][rows[2] > 0].sum())
    for one in CUT:
        score = partial(one.score, **{**one.options, "k": data.draw(st.integers(1, k))})
        compared(state, score, rows, zero(one))
        if one.takes("n_positives"):
            total = float(rows[2][rows[0] == 1].sum())
            compared(state, score, rows, {**zero(one), "n_positives": 1.5 * total})
            compared(state, score, rows, {**zero(one), "n_positives": 0.5 * total})


@pytest.mark.parametrize("options", [{}, {"k": 9}, {"bins": (0, 1, 4)}], ids=["all", "best", "binned"])
@pytest.mark.parametrize("spread", [0, 2, 6])
def test_any_order_and_tree_of_merges_gives_the_same_bits(options, spread):
    """A plain sum of these weights differs in most orders. Storing on the way would round sums."""
    rng = np.random.default_rng(spread)
    parts = [
        (rng.random(4) < 0.5, rng.integers(0, 9, 4) / 8, 0.1 + 10 ** rng.uniform(-spread, spread, 4))
        for _ in range(40)
    ]
    states, found = [state_of(*part, **options) for part in parts], set()
    for _ in range(5):
        left = [states[place] for place in rng.permutation(len(states))]
        while len(left) > 1:  # neighbours are merged, which makes every tree
            place = rng.integers(len(left) - 1)
            left[place : place + 2] = [left[place] + left[place + 1]]
        found.add(left[0].to_bytes())
    assert len(found) == 1
    if "k" in options:
        exact = [state._held.rows._totals.weights.exact().ravel().tolist() for state in states]
        assert left[0]._held.rows._totals.weights.exact().ravel().tolist() == [
            float(sum(map(Fraction, of_class))) for of_class in zip(*exact, strict=True)
        ]


@given(st.data(), st.integers(2, 12))
def test_rows_without_weights_weigh_1(data, size):
    y_true, y_score, weight = data.draw(weighed_rows(size))
    weight[weight == 0] = 2.0
    weight[::2] = 1.0
    every = np.arange(size)
    parts = [every[::2], every[1::2]]
    states = [state_of(y_true[parts[0]], y_score[parts[0]], k=4)]
    states.append(state_of(y_true[parts[1]], y_score[parts[1]], weight[parts[1]], k=4))
    one = data.draw(trees(states))
    for score in (partial(average_precision_at_k_score, k=3), partial(precision_at_k_score, k=4)):
        compared(one, score, (y_true, y_score, weight), {})


@given(st.data(), st.integers(1, 12), st.sampled_from([(0, 1, 3), (-2, 2, 64), (0, 1e-9, 1)]))
def test_bounds_hold(data, size, bins):
    rows = y_true, y_score, weight = data.draw(weighed_rows(size))
    state = data.draw(
        trees([state_of(*(one[part] for one in rows), bins=bins) for part in parts_of(data, rows)])
    )
    assert (state.n_samples, state.n_positives) == (np.count_nonzero(weight), y_true[weight > 0].sum())
    for one in BOUNDED:
        for options in ({}, {"prevalence": 0.3} if one.takes("prevalence") else {}):
            score = partial(one.score, **one.options, **options)
            low, high = state.bounds(score)
            assert 0 <= low <= score(y_true, y_score, sample_weight=weight) <= high <= 1


def test_bounds_hold_where_the_area_is_a_small_difference():
    state = state_of([0, 1], [2.0, 1.0], [1e6, 1.0], bins=(0, 3, 10))
    low, high = state.bounds("pr_auc", interpolation="davis-goadrich")
    with localcontext() as context:
        context.prec = 60
        exact = 1 - Decimal(10) ** 6 * (1 + Decimal(10) ** -6).ln()
        assert low <= exact <= high


@pytest.mark.parametrize("options", [{"k": 100}, {"bins": (0, 5000, 2**16)}], ids=["best", "binned"])
def test_sums_stay_few(options):
    rng = np.random.default_rng(0)
    y_true, y_score = rng.random(LONG) < 0.01, rng.integers(0, 5000, LONG)
    weight = 10 ** rng.uniform(-6, 6, LONG)
    state = RankingState(**options)
    for part in np.array_split(rng.permutation(LONG), 20):
        state.update(y_true[part], y_score[part], sample_weight=weight[part])
    again = RankingState.from_bytes(state.to_bytes())
    rows = y_true, y_score, weight
    if "bins" in options:
        expected = average_precision_score(y_true, y_score, sample_weight=weight)
        assert state.nbytes == 16 * y_true.sum() + 24 * 2**16
        assert state.bounds() == pytest.approx(again.bounds(), rel=1e-15, abs=0)
        low, high = state.bounds()
        assert low <= expected <= high <= low + 0.1
        return
    assert state.nbytes < 100 * 64
    for k in (100, 37, 1):
        for normalizer in ("n_positives", "min", "k", "hits"):
            score = partial(average_precision_at_k_score, k=k, normalizer=normalizer)
            compared(state, score, rows, {})
            assert again.score(score) == pytest.approx(state.score(score), rel=1e-15, abs=0)
        compared(state, partial(precision_at_k_score, k=k), rows, {})
    with pytest.raises(ValueError, match="k must be at most 100"):
        state.score("recall@101")


@pytest.mark.parametrize("n_scores", [1, 3, 50, 300, 10**6])
def test_rows_of_equal_score_stand_by_weight(n_scores):
    """Whatever share of the rows is tied, the order of the parts is forgotten."""
    rng = np.random.default_rng(n_scores)
    score, weight = rng.integers(0, n_scores, 500) - 0.0, rng.integers(1, 9, 500) / 8
    parts = np.array_split(rng.permutation(500), 3)
    found = sorted_scores([score[part] for part in parts], [weight[part] for part in parts])
    order = np.lexsort((weight, score))
    np.testing.assert_array_equal(found, (score[order], weight[order]))


def test_many_updates_lose_no_digits():
    """Ten thousand updates of weight 0.1 beside a heavy row: plain sums would be off by 1e-14 and more."""
    one = RankingState(k=2).update([1, 0], [0.2, 0.9], sample_weight=[1e3, 0.3])
    small = RankingState(k=2).update([1, 0], [0.2, 0.9], sample_weight=[0.1, 0.3])
    for _ in range(10_000):
        one.merge(small)
    expected = 0.1 * 10_000 + 1e3
    assert one._held.rows._totals.weights.exact().ravel() == pytest.approx(
        [expected, 0.3 * 10_001], rel=3e-16, abs=0
    )


@pytest.mark.parametrize("options", [{"k": 3}, {"bins": (0, 1, 8)}], ids=["best", "binned"])
def test_refused_weights_leave_a_state_as_it_was(options):
    state = state_of(*ROWS, [0.5, 1, 2, 1, 3], **options)
    before, same = state.to_bytes(), copy.copy(state)
    for weight, match in (([1, -1], "negative"), ([1, np.nan], "NaN"), ([0, 0], "non-zero")):
        with pytest.raises(ValueError, match=match):
            state.update([0, 1], [0.1, 0.2], sample_weight=weight)
    assert state.to_bytes() == same.to_bytes() == before

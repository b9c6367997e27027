"""States that stay bounded: the best rows up to a cut, and counts in bins between two bounds."""

import pickle
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_ranking_state import HELD, LONG, ROWS, splits, state_of, trees

import problems
from sklearn_ap.distributed import RankingState
from sklearn_ap.distributed._states import _bytes


@given(st.data(), st.integers(1, 12), st.integers(1, 6))
def test_best_rows_score_up_to_their_cut(data, size, k):
    y_true = np.array(data.draw(problems.labels_with_a_positive(size)))
    y_score = np.array(data.draw(problems.scores(size)))
    parts = data.draw(splits(size))
    state = data.draw(trees([state_of(y_true[part], y_score[part], k=k) for part in parts]))
    assert (state.n_samples, state.n_positives) == (size, y_true.sum())
    for one in HELD:
        if one.is_cut:
            score = partial(one.score, **{**one.options, "k": data.draw(st.integers(1, k))})
            assert state.score(score) == pytest.approx(score(y_true, y_score), rel=1e-15, abs=0)
            assert state.bounds(score) == (state.score(score),) * 2


def test_best_rows_stay_few():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.random(LONG) < 0.1, rng.integers(0, 5000, LONG)
    state = RankingState(k=100)
    for part in np.array_split(rng.permutation(LONG), 20):
        state.update(y_true[part], y_score[part])
    assert state.nbytes < 100 * 24
    for name in ("average_precision@100", "precision@37", "recall@0.001"):
        assert state.score(name) == pytest.approx(state_of(y_true, y_score).score(name), rel=1e-15, abs=0)
    for name, match in (("recall@101", "k must be at most 100"), ("average_precision", "must have a cut")):
        with pytest.raises(ValueError, match=match):
            state.score(name)


BOUNDED = [one for one in HELD if one.definition.cut is None and one.definition.ties == "proportional"]


@given(st.data(), st.integers(1, 12), st.sampled_from([(0, 1, 3), (-2, 2, 64), (0, 1e-9, 1)]))
def test_bounds_hold(data, size, bins):
    y_true = np.array(data.draw(problems.labels_with_a_positive(size)))
    y_score = np.array(data.draw(problems.scores(size)))
    parts = data.draw(splits(size))
    state = data.draw(trees([state_of(y_true[part], y_score[part], bins=bins) for part in parts]))
    assert (state.n_samples, state.n_positives) == (size, y_true.sum())
    for one in BOUNDED:
        for options in ({}, {"prevalence": 0.3} if one.takes("prevalence") else {}):
            score = partial(one.score, **one.options, **options)
            low, high = state.bounds(score)
            assert 0 <= low <= score(y_true, y_score) <= high <= 1


def test_bounds_are_close():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.random(LONG) < 0.1, rng.random(LONG)
    low, high = state_of(y_true, y_score, bins=(0, 1, 2**20)).bounds()
    assert low < state_of(y_true, y_score).score() < high < low + 1e-5


def test_bounds_of_scores_that_no_bin_holds_apart():
    large = np.array([2**53 + 1, 2**53], dtype=np.int64)
    assert state_of([0, 1], large, bins=(0, 1, 2)).bounds() == pytest.approx((0.5, 1))
    with pytest.raises(ValueError, match="y_score must be exact"):
        state_of([1, 0], large, bins=(0, 1, 2))


@pytest.mark.parametrize("weight", [None, [0.5, 1, 2, 1, 3]], ids=["counts", "weights"])
@pytest.mark.parametrize("options", [{"k": 3}, {"bins": (0, 1, 8)}], ids=["best", "binned"])
def test_states_of_counts(options, weight):
    state = state_of(*ROWS, weight, **options)
    data = state.to_bytes()
    assert RankingState.from_bytes(data).to_bytes() == data
    assert repr(pickle.loads(pickle.dumps(state))) == repr(state)
    assert repr(RankingState.from_bytes(RankingState(**options).to_bytes())) == repr(RankingState(**options))
    for place in range(len(data)):
        with pytest.raises(ValueError, match=r"^data must"):
            RankingState.from_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
    with pytest.raises(ValueError, match="k and bins must be the same"):
        state.merge(RankingState())
    with pytest.raises(ValueError, match="RankingState is empty"):
        RankingState(**options).bounds()


def test_binned_rows_have_no_score():
    state = state_of(*ROWS, bins=(0, 1, 8))
    with pytest.raises(ValueError, match="must be asked by bounds"):
        state.score()
    with pytest.raises(ValueError, match="must be an area or a level"):
        state.bounds("precision@2")


@pytest.mark.parametrize(
    "options",
    [
        {"k": 0},
        {"k": 0.5},
        {"bins": 8},
        {"bins": (1, 0, 8)},
        {"bins": (0, np.inf, 8)},
        {"bins": (0, 1, 0)},
        {"bins": (0, 1, 2.5)},
        {"bins": (0, np.nan, 2)},
    ],
)
def test_refused_kinds(options):
    with pytest.raises(ValueError, match=r"^(k|bins) must be"):
        RankingState(**options)


def test_a_cut_and_bins_are_two_states():
    with pytest.raises(ValueError, match=r"^k and bins cannot be combined; got k=3, bins=\(0, 1, 8\)\. Keep"):
        RankingState(k=3, bins=(0, 1, 8))


@pytest.mark.parametrize(
    ("options", "arrays"),
    [
        ({"k": 2}, {"score": [0.5], "positives": [1], "negatives": [0]}),
        ({"k": 2}, {"score": [0.5], "positives": [2], "negatives": [0], "totals": [1, 1]}),
        ({"k": 2}, {"score": [0.5], "positives": [1], "negatives": [-1], "totals": [1, 1]}),
        ({"k": 2}, {"score": [0.5, 0.5], "positives": [1, 0], "negatives": [0, 1], "totals": [1, 1]}),
        ({"k": 2}, {"score": [np.nan], "positives": [1], "negatives": [0], "totals": [1, 1]}),
        ({"bins": (0, 1, 2)}, {"positive": [0.5]}),
        ({"bins": (0, 1, 2)}, {"positive": [0.5], "counts": [1]}),
        ({"bins": (0, 1, 2)}, {"positive": [0.5], "counts": [1, -1]}),
        ({"bins": (0, 1, 2)}, {"positive": [np.inf], "counts": [1, 1]}),
    ],
)
def test_counts_that_others_wrote_are_checked(options, arrays):
    header = {"k": None, "bins": None, "pos_label": 1, "negative": 0} | options
    data = _bytes.to_bytes(header, {name: np.array(values) for name, values in arrays.items()})
    with pytest.raises(ValueError, match=r"^data must"):
        RankingState.from_bytes(data)


WEIGHED_BEST = {
    "score": [0.5],
    "positives": [1],
    "negatives": [0],
    "positives weight": [2.0],
    "negatives weight": [0.0],
    "totals": [1, 1],
    "total weights": [2.0, 1.0],
    "extremes": [2.0, 2.0, 1.0, 1.0],
    "heaviest": [2.0],
}
WEIGHED_BINS = {
    "positive": [0.5, 0.6],
    "counts": [0, 1],
    "positive weight": [2.0, 1.0],
    "count weights": [0.0, 3.0],
    "extremes": [1.0, 2.0, 3.0, 3.0],
}


def stored(options, arrays):
    header = {"k": None, "bins": None, "pos_label": 1, "negative": 0} | options
    return _bytes.to_bytes(header, {name: np.array(values) for name, values in arrays.items()})


@pytest.mark.parametrize(
    ("options", "arrays"), [({"k": 1}, WEIGHED_BEST), ({"bins": (0.0, 1.0, 2)}, WEIGHED_BINS)]
)
def test_sums_that_others_wrote_are_read(options, arrays):
    data = stored(options, arrays)
    assert RankingState.from_bytes(data).to_bytes() == data
    for name in arrays:
        with pytest.raises(ValueError, match=r"^data must"):
            RankingState.from_bytes(stored(options, {one: arrays[one] for one in arrays if one != name}))


@pytest.mark.parametrize(
    ("options", "arrays"),
    [
        *(
            ({"k": 1}, WEIGHED_BEST | changed)
            for changed in (
                {"score": [np.inf]},
                {"positives": [2]},
                {"positives": [0]},
                {"negatives": [-1]},
                {"negatives": [0, 0]},
                {"positives weight": [0.0]},
                {"positives weight": [2]},
                {"negatives weight": [1.0]},
                {"negatives weight": [np.nan]},
                {"totals": [1]},
                {"totals": [2, 1]},
                {"totals": [1, 0]},
                {"total weights": [2.0, np.inf]},
                {"total weights": [2.0, -1.0]},
                {"extremes": [0.0, 2.0, 1.0, 1.0]},
                {"extremes": [2.0, 2.0, 3.0, 1.0]},
                {"heaviest": []},
                {"heaviest": [3.0]},
                {"heaviest": [2.0, 1.0]},
            )
        ),
        *(
            ({"bins": (0, 1, 2)}, WEIGHED_BINS | changed)
            for changed in (
                {"positive weight": [1.0]},
                {"positive weight": [1.0, np.nan]},
                {"positive weight": [1.0, 3.0]},
                {"count weights": [0.0, 0.0]},
                {"count weights": [0.0, np.inf]},
                {"count weights": [0, 3]},
                {"counts": [1, 1]},
                {"extremes": [1.0, 2.0]},
                {"extremes": [1.0, 2.0, np.inf, 0.0]},
                {"others": [1.0]},
            )
        ),
    ],
)
def test_sums_that_others_wrote_are_checked(options, arrays):
    with pytest.raises(ValueError, match=r"^data must"):
        RankingState.from_bytes(stored(options, arrays))

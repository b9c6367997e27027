"""States of rows that arrive in parts: for any split, order and tree of merges, a state
has the arrays of all rows. `test_distributed_contract.py` tests all scores of a state.
"""

import copy
import io
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_curve

import problems
from brief import each_pair
from sklearn_ap import (
    average_precision_score,
    precision_at_recall_score,
    recall_at_precision_score,
)
from sklearn_ap.distributed import RankingState

ROWS = [0, 1, 0, 1, 1], [0.3, 0.8, 0.9, 0.7, 0.2]
WEIGHTS = [0.5, 1.0, 2.0, 1.0, 3.0]


def state_of(y_true, y_score, sample_weight=None, **options) -> RankingState:
    return RankingState(**options).update(y_true, y_score, sample_weight=sample_weight)


def counted(y_true, y_score, counts, pos_label=1) -> RankingState:
    """Return the state of rows that a database has counted."""
    y_true = np.asarray(y_true)
    arrays = {"positive": y_true == pos_label, "y_score": y_score, "counts": counts}
    for negative in y_true[y_true != pos_label][:1]:
        arrays["neg_label"] = negative
    return RankingState.from_arrays(arrays | {"pos_label": pos_label})


def content(state: RankingState) -> dict[str, object]:
    """Return the types, shapes and values of the arrays of a state."""
    return {
        name: (array.dtype, array.shape, array.tolist())
        for name, array in state.to_arrays().items()
    }


def through_numpy(state: RankingState) -> RankingState:
    file = io.BytesIO()
    np.savez(file, **state.to_arrays())
    file.seek(0)
    with np.load(file, allow_pickle=False) as arrays:
        return RankingState.from_arrays(arrays)


def through_parquet(state: RankingState) -> RankingState:
    file = io.BytesIO()
    pd.DataFrame(state.to_arrays()).to_parquet(file)
    return RankingState.from_arrays(dict(pd.read_parquet(file)))


JOINS = [
    lambda one, other: one.merge(other),
    lambda one, other: RankingState().merge(iter([one, other])),
    lambda one, other: through_numpy(one).merge(other),
    lambda one, other: pickle.loads(pickle.dumps(one)).merge(copy.copy(other)),
]


@st.composite
def merged(draw, rows):
    """Draw a state of the rows, which are split, and merged from states that are
    updated, stored and copied.
    """
    size = rows[0].size
    order = np.array(draw(st.permutations(range(size))))
    cuts = sorted(draw(st.sets(st.integers(0, size), max_size=5)))
    states = [RankingState()]
    for part in np.split(order, cuts):
        y_true, y_score, weight = (
            None if column is None else column[part] for column in rows
        )
        if not part.size or (weight is not None and not weight.any()):
            continue
        # Update one of the states, or a new one.
        if draw(st.booleans()):
            states.append(RankingState())
        state = draw(st.sampled_from(states))
        # A database may have counted the rows.
        if weight is None and draw(st.booleans()):
            groups = pd.DataFrame({"label": y_true, "score": y_score}).value_counts()
            labels, scores = map(np.array, zip(*groups.index, strict=True))
            state.merge(counted(labels, scores.astype(y_score.dtype), groups))
        else:
            state.update(y_true, y_score, sample_weight=weight)
        if weight is not None:
            # The caller changes its array before the state sorts the rows.
            weight[:] = 9
    while len(states) > 1:
        one, other = (
            states.pop(draw(st.integers(0, len(states) - 1))) for _ in range(2)
        )
        states.append(draw(st.sampled_from(JOINS))(one, other))
    return states[0]


@settings(max_examples=25)
@given(st.data(), st.integers(1, 14), st.sampled_from([None, "any", "equal"]))
def test_any_split_and_order_is_the_state_of_all_rows(data, size, weights):
    y_true = np.array(data.draw(problems.labels_with_a_positive(size)))
    y_score = np.array(data.draw(problems.scores(size)))
    weight = None
    if weights is not None:
        weight = np.full(size, 0.3)
        drawn = data.draw(problems.weights(size, extreme=False))
        if weights == "any" and drawn is not None:
            weight = np.array(drawn, dtype=float)
    # Without positives, scores warn.
    assume(weight is None or weight[y_true].any())
    state = data.draw(merged((y_true, y_score, weight)))
    assert content(state) == content(state_of(y_true, y_score, weight))
    taken = np.ones(size, dtype=bool) if weight is None else weight > 0
    assert (state.n_samples, state.n_positives) == (taken.sum(), y_true[taken].sum())
    expected = average_precision_score(y_true, y_score, sample_weight=weight)
    assert state.score() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("unit", [1, 0.1])
@pytest.mark.parametrize(
    ("name", "score"),
    [("recall", precision_at_recall_score), ("precision", recall_at_precision_score)],
)
def test_levels_that_are_met_in_memory_are_met(name, score, unit):
    """Sums of whole weights are exact. Sums of other weights are rounded, and a level
    counts as reached within this rounding.
    """
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, 40), rng.permutation(40)
    weight = rng.integers(1, 8, 40) * unit
    state = state_of(*rows, weight)
    precision, recall, _ = precision_recall_curve(*rows, sample_weight=weight)
    levels = {"recall": recall, "precision": precision}[name]
    for level in [*levels, *np.nextafter(levels[levels < 1], 1)]:
        expected = score(*rows, sample_weight=weight, **{name: level})
        assert state.score(score, **{name: level}) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda state: state.score(pos_label=0), TypeError, "pos_label"),
        (lambda state: state.score(n_positives=2), ValueError, "n_positives.*2"),
        (lambda _: RankingState().score(), ValueError, "RankingState is empty"),
        (
            lambda state: state.update([], []),
            ValueError,
            "^y_true is empty: ",
        ),
        (lambda _: RankingState(pos_label=None), ValueError, "pos_label.*None"),
        (lambda _: RankingState.from_arrays("text"), TypeError, "arrays.*str"),
        (lambda state: state.merge(3), TypeError, "others must .*int"),
    ],
)
def test_wrong_arguments_raise_an_error(call, error, words):
    with pytest.raises(error, match=words):
        call(state_of(*ROWS))


# Floats round these integers.
LARGE = [0] * 50 + [1], 2**53 + np.arange(51)


@pytest.mark.parametrize(
    ("rows", "more", "words"),
    [
        (ROWS, ([0, 1], [0.5, np.nan]), "NaN"),
        (ROWS, ([0, 2, 1], [0.5, 0.6, 0.7]), "y_true|multiclass|inconsistent"),
        (ROWS, ([2, 1], [0.5, 0.6]), "y_true.*2 after 0"),
        (ROWS, ([[0, 1], [1, 0]], [[0.5, 0.6], [0.7, 0.1]]), "y_true.*2 columns"),
        (LARGE, ([0, 1], [0.5, 1]), "y_score.*float64"),
        (([0, 1], [0.5, 1]), LARGE, "y_score.*float64"),
    ],
)
def test_an_update_or_merge_that_raises_does_not_change_the_state(rows, more, words):
    state = state_of(*rows)
    before = content(state)
    with pytest.raises(ValueError, match=words):
        state.update(*more)
    assert content(state) == before
    try:
        other = state_of(*more)
    except ValueError:
        return
    with pytest.raises(ValueError, match=words.split(".*")[0]):
        state.merge(state_of([rows[0][0]], rows[1][:1]), [other])
    assert content(state) == before


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (np.int64([-(2**53), 2**53]), np.uint64([5, 2**53 - 1])),
        (np.array([Fraction(1, 2), True]), np.uint16([0, 3])),
        (np.longdouble([0.5, 2]), np.int64([2**53, 1])),
    ],
    ids=lambda scores: scores.dtype.name,
)
def test_types_that_one_holds_exactly(first, then):
    values = [*first.tolist(), *then.tolist()]
    # Python compares numbers of different types exactly.
    exact = [sorted(values).index(value) for value in values]
    one, other = state_of([1, 0], first), state_of([0, 1], then)
    both = RankingState().merge(one, other)
    assert content(both) == content(RankingState().merge(other, one))
    assert both.score() == average_precision_score([1, 0, 0, 1], exact)


def test_labels_are_those_of_all_updates():
    texts = state_of(["spam", "ham"], [0.9, 0.8], pos_label="spam")
    texts.merge(through_numpy(state_of(["ham"], [0.95], pos_label="spam")))
    assert texts.score() == 0.5
    with pytest.raises(ValueError, match=r"y_true.*'eggs' after 'ham'"):
        texts.update(["eggs"], [0.9])
    for other in ("ham", True):
        with pytest.raises(ValueError, match="pos_label"):
            texts.merge(RankingState(pos_label=other))
    with pytest.raises(ValueError, match=r"pos_label .* got 1 and True"):
        RankingState().merge(RankingState(pos_label=True))


def test_no_rows_and_a_single_class():
    empty = through_numpy(RankingState(pos_label="spam"))
    assert repr(empty) == "RankingState(n_samples=0, n_positives=0)"
    assert empty.update(["spam"], [1]).score() == 1
    negatives = state_of([0, 0], [0.5, 0.6])
    with pytest.warns(UserWarning, match="No positive class"):
        assert negatives.score() == 0
    assert np.isnan(negatives.score(zero_division=np.nan))
    assert copy.deepcopy(negatives).merge(state_of([1], [0.55])).score() == 0.5


SCORES = {
    "float32": np.float32([0.1, 0.9, 0.5, 0.1, 0.5]),
    "float64": np.array([0.1, 5e-324, -0.0, 0.0, 1e308]),
    "int64": np.array([2**53 + 1, 2**53, -(2**63), 2**53, 5]),
    "uint64": np.uint64([2**64 - 1, 2**64 - 2, 0, 1, 1]),
}
LABELS = {
    "integers": (1, [0, 1, 0, 1, 1]),
    "floats": (0.0, [0.0, 1.0, 0.0, 1.0, 1.0]),
    "booleans": (True, [False, True, False, True, True]),
    "text": ("spam", ["ü", "spam", "ü", "spam", "spam"]),
    "one class": (1, [1] * 5),
}


@each_pair(
    weight=[None, WEIGHTS, [0.1] * 5],
    labels=[*LABELS],
    scores=[*SCORES],
    stored=[through_numpy, through_parquet],
)
def test_stored_arrays_are_the_state(scores, labels, weight, stored):
    pos_label, y_true = LABELS[labels]
    state = state_of(y_true, SCORES[scores], weight, pos_label=pos_label)
    if weight is None:
        counts = [10**9, 1, 0, 1, 2]
        state.merge(counted(y_true, SCORES[scores], counts, pos_label=pos_label))
    same = stored(state)
    assert content(same) == content(state)
    assert same.score() == state.score()
    # Labels keep their types: 1 and True are different labels.
    assert content(same.merge(state)) == content(state.merge(state))


def test_arrays_are_these():
    """The arrays have the documented format, which later versions must read."""
    state = state_of(*ROWS, WEIGHTS).update([1, 1], [0.7, 0.7])
    expected = {
        "positive": [True, False, True, True, False],
        "y_score": [0.2, 0.3, 0.7, 0.8, 0.9],
        "counts": [1, 1, 3, 1, 1],
        "pos_label": 1,
        "neg_label": 0,
        "sample_weight": [3.0, 0.5, 1.0, 1.0, 2.0],
    }
    arrays = state.to_arrays()
    assert {name: array.tolist() for name, array in arrays.items()} == expected
    for array in arrays.values():
        # The arrays are copies, so this does not change the state.
        array[...] = 0
    assert content(RankingState.from_arrays(expected)) == content(state)


def test_batches_without_weight_do_not_change_a_state():
    weightless = {"sample_weight": [0, 0.0]}
    state = state_of(*ROWS).update([0, 1], [9, 8], **weightless)
    arrays = state.to_arrays()
    assert content(state) == content(state_of(*ROWS))
    empty = {"positive": [False, True], "y_score": [9, 8], "pos_label": 1}
    for more in (weightless, {"counts": [0, 0]}):
        assert RankingState.from_arrays(empty | more).n_samples == 0
    once = {name: arrays[name] for name in ("positive", "y_score", "pos_label")}
    assert RankingState.from_arrays(once).n_samples == arrays["y_score"].size
    with pytest.raises(ValueError, match="inconsistent"):
        state.update([0, 1, 1], [9, 8, 7], **weightless)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"y_score": [0.1, np.nan]}, "NaN"),
        ({"positive": [True]}, "inconsistent"),
        ({"positive": [0, 2]}, "pos_label|y_true|multiclass"),
        ({"counts": [1, -1]}, "^counts"),
        ({"counts": [2**53, 2]}, r"^counts.*sum up to 2\*\*53"),
        ({"counts": [1, 0.5]}, "^counts must be a whole number"),
        ({"counts": [1, 2**53 + 2]}, "^counts"),
        ({"counts": [1, np.inf]}, "^(Input )?counts"),
        ({"counts": 3}, "^counts"),
        ({"counts": [[1, 2]]}, "^counts"),
        ({"counts": ["1", "2"]}, "^counts"),
        ({"sample_weight": [1, -1]}, "sample_weight"),
        ({"pos_label": [1, 2]}, r"^pos_label.*\[1, 2\]"),
        ({"neg_label": []}, "^neg_label"),
        ({"neg_label": [None, None]}, r"^neg_label.*\[None\]"),
        ({"neg_label": np.nan}, r"^neg_label.*\[nan\]"),
        ({"neg_label": 1}, "^neg_label must be a label other than pos_label=1"),
        ({"positive": [1, 2]}, "^positive must be True or False.*got 2"),
        ({"y_score": []}, "inconsistent"),
        ({"positive": [], "y_score": []}, "empty"),
        ({"y_score": 0.5}, "y_score"),
        ({"score": [0.1, 0.2], "y_score": None}, r"^arrays must have \['y_score'\]"),
    ],
    ids=str,
)
def test_arrays_that_no_state_returns_raise_an_error(changed, words):
    arrays = {**state_of([0, 1], [0.1, 0.2]).to_arrays(), **changed}
    arrays = {name: array for name, array in arrays.items() if array is not None}
    with pytest.raises(ValueError, match=words):
        RankingState.from_arrays(arrays)


def test_threads_that_update_one_state_lose_no_rows():
    """Without a lock, four threads would lose a third of their rows."""
    state = RankingState()
    rows = np.random.default_rng(0).random((4, 2, 1500)).round(1)
    rows[:, 0] = rows[:, 0] > 0.5

    def update(of_thread):
        for y_true, y_score in zip(*of_thread.reshape(2, 300, 5), strict=True):
            state.update(y_true, y_score)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(update, rows))
    finally:
        sys.setswitchinterval(interval)
    assert content(state) == content(state_of(*np.concatenate(rows, axis=1)))

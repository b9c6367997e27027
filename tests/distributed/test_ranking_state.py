"""States of rows that arrive in parts: for any split, order and tree of merges, a state
has the arrays and the scores of all rows, whether or not it knows the scores of positives.
"""

import copy
import io
import math
import pickle
import sys
import weakref
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_curve, roc_auc_score

import problems
import sklearn_ap
from brief import each_pair, examples
from half_precision import watched
from oracles.scores import AmbiguousError
from sklearn_ap import (
    average_precision_score,
    precision_at_recall_score,
    recall_at_precision_score,
)
from sklearn_ap._core.reading.options import ORDERS_OF_ROWS
from sklearn_ap._core.typing import PassedRows
from sklearn_ap.distributed import RankingState
from sklearn_ap.distributed._arguments import arguments_of, resolve_score
from sklearn_ap.distributed._entries import joined, read_rows

ROWS = [0, 1, 0, 1, 1], [0.3, 0.8, 0.9, 0.7, 0.2]
WEIGHTS = [0.5, 1.0, 2.0, 1.0, 3.0]
AT = [0.2, 0.7, 0.8]
NEEDS_WEIGHTS = "requires the weight of each row"


def state_of(y_true, y_score, sample_weight=None, **options):
    return RankingState(**options).update(y_true, y_score, sample_weight=sample_weight)


def counted(y_true, y_score, counts, pos_label=1):
    """Return the state of rows that a database has counted."""
    y_true = np.asarray(y_true)
    arrays = {"positive": y_true == pos_label, "y_score": y_score, "counts": counts}
    for negative in y_true[y_true != pos_label][:1]:
        arrays["neg_label"] = negative
    return RankingState.from_arrays(arrays | {"pos_label": pos_label})


def content(state):
    """Return the types, shapes and values of the arrays of a state."""
    return {
        name: (array.dtype, array.shape, array.tolist())
        for name, array in state.to_arrays().items()
    }


def through_numpy(state):
    file = io.BytesIO()
    np.savez(file, **state.to_arrays())
    file.seek(0)
    with np.load(file, allow_pickle=False) as arrays:
        return RankingState.from_arrays(arrays)


def through_parquet(state):
    """Return a state of columns that are stored, in another order of their rows."""
    arrays, file = state.to_arrays(), io.BytesIO()
    beside = {name: arrays.pop(name) for name in ["positive_scores"] if name in arrays}
    pd.DataFrame(arrays).sample(frac=1, random_state=0).to_parquet(file)
    return RankingState.from_arrays({**pd.read_parquet(file), **beside})


JOINS = [
    lambda one, other: one.merge(other),
    lambda one, other: other.merge(iter([one])),
    lambda one, other: through_numpy(one).merge(other),
    lambda one, other: pickle.loads(pickle.dumps(one)).merge(copy.copy(other)),
]


# --- laws -----------------------------------------------------------------------------


@st.composite
def merged(draw, rows, at):
    """Draw a state of the rows, which are split, and merged from states that are
    updated, stored and copied.
    """
    size = rows[0].size
    order = np.array(draw(st.permutations(range(size))))
    cuts = sorted(draw(st.sets(st.integers(0, size), max_size=5)))
    states = [RankingState(positive_scores=at)]
    for part in np.split(order, cuts):
        y_true, y_score, weight = (
            None if column is None else column[part] for column in rows
        )
        if not part.size:
            continue
        # Update one of the states, or a new one.
        if draw(st.booleans()):
            states.append(RankingState(positive_scores=at))
        state = draw(st.sampled_from(states))
        # A database may have counted the rows.
        if at is None and weight is None and draw(st.booleans()):
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


@st.composite
def drawn(draw):
    """Draw a problem of one ranking, its rows, and the scores of positives with some
    others, or None.
    """
    problem = draw(problems.vectors(draw(st.booleans()), draw(st.booleans())))
    label, score = np.array(problem.y_true), np.array(problem.y_score)
    weight, at = problem.arguments["sample_weight"], None
    assume(weight is None or any(weight))
    if draw(st.booleans()):
        others = st.sampled_from([-7, 0.25, 0, 2])
        at = [*score[label], *draw(st.lists(others, max_size=2))]
    rows = label, score, weight and np.array(weight, dtype=float)
    return problem, rows, at


@pytest.mark.filterwarnings("ignore:No positive class|y_true contains no:UserWarning")
@pytest.mark.parametrize("name", problems.MEASURES)
@examples(25, 100)
@given(data=st.data())
@problems.infinite_scores
def test_every_score_is_its_definition(name, data):
    measure = data.draw(problems.MEASURES[name])
    assume(measure.options.get("ties") not in ORDERS_OF_ROWS)
    problem, rows, at = data.draw(drawn())
    total = {}
    if problem.arguments.get("n_positives") is not None:
        assume(measure.takes("n_positives"))
        total["n_positives"] = problem.arguments["n_positives"]
    label, _, weight = rows
    state = data.draw(merged((*rows[:2], copy.copy(weight)), at))
    call = partial(state.score, measure.function, **measure.options, **total)
    if measure.takes("zero_division"):
        call = partial(call, zero_division=math.nan)
    takes_sums = resolve_score(measure.function, measure.options).takes_sums
    if at is not None and differ_in_a_class(label, weight) and not takes_sums:
        with pytest.raises(ValueError, match=NEEDS_WEIGHTS):
            call()
        return
    assume(not measure.refuses(problem))
    try:
        expected = problem.expected(measure, math.nan)
    except AmbiguousError:
        reject()
    assert call() == pytest.approx(expected, abs=1e-12, rel=0, nan_ok=True)


def differ_in_a_class(label, weight):
    """Return whether two rows of a class have different weights, not counting 0."""
    if weight is None:
        return False
    of_rows = {*zip(label[weight > 0], weight[weight > 0], strict=True)}
    return len(of_rows) > len({*label[weight > 0]})


@examples(25, 100)
@given(data=st.data())
@problems.infinite_scores
def test_any_split_and_order_is_the_state_of_all_rows(data):
    _, (label, score, weight), at = data.draw(drawn())
    expected = content(state_of(label, score, weight, positive_scores=at))
    taken = np.ones(label.size, dtype=bool) if weight is None else weight > 0
    state = data.draw(merged((label, score, weight), at))
    arrays = content(state)
    if "mean_weight" in expected:
        *_, means = arrays.pop("mean_weight")
        *_, expected_means = expected.pop("mean_weight")
        assert means == pytest.approx(expected_means, rel=1e-14, abs=0)
    assert arrays == expected
    assert (state.n_samples, state.n_positives) == (taken.sum(), label[taken].sum())


@pytest.mark.parametrize("knows_positives", [False, True])
@pytest.mark.parametrize("unit", [1, 0.1])
@pytest.mark.parametrize(
    ("name", "score"),
    [("recall", precision_at_recall_score), ("precision", recall_at_precision_score)],
)
def test_levels_that_are_met_in_memory_are_met(name, score, unit, knows_positives):
    """Sums of whole weights are exact. Sums of other weights are rounded, and a level
    counts as reached within this rounding.
    """
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, 40), rng.permutation(40)
    weight = rng.integers(1, 8, 40) * unit
    at = rows[1][rows[0] == 1] if knows_positives else None
    state = state_of(*rows, weight, positive_scores=at)
    precision, recall, _ = precision_recall_curve(*rows, sample_weight=weight)
    levels = {"recall": recall, "precision": precision}[name]
    for level in [*levels, *np.nextafter(levels[levels < 1], 1)]:
        expected = score(*rows, sample_weight=weight, **{name: level})
        assert state.score(score, **{name: level}) == pytest.approx(expected, rel=1e-12)


SCORES = {
    "float16": np.float16([-1.0, 0.5, -2.0, 0.5, -1.0] * 110),
    "float32": np.float32([0.1, np.nextafter(np.float32(0.1), 1), 0.5, 0.1, 0.5]),
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
    knows_positives=[False, True],
)
def test_stored_arrays_are_the_state(scores, labels, weight, stored, knows_positives):
    score = SCORES[scores]
    pos_label, label = LABELS[labels]
    y_true = np.tile(label, score.size // 5)
    if weight is not None:
        weight = np.tile(weight, score.size // 5)
    at = score[y_true == pos_label] if knows_positives else None
    state = RankingState(pos_label=pos_label, positive_scores=at)
    for half in (slice(0, None, 2), slice(1, None, 2)):
        of_half = None if weight is None else weight[half]
        with watched():
            state.update(y_true[half], score[half], sample_weight=of_half)
    expected = average_precision_score(
        y_true, np.unique(score, return_inverse=True)[1], pos_label=pos_label
    )
    if weight is None:
        assert state.score() == pytest.approx(expected, rel=1e-15)
        assert state.score("precision@1") == stored(state).score("precision@1")
    same = stored(state)
    assert content(same) == content(state)
    assert same.score() == state.score()
    # Labels keep their types: 1 and True are different labels.
    assert content(same.merge(state)) == content(state.merge(state))


# --- sizes ----------------------------------------------------------------------------


def test_a_state_grows_with_the_scores_of_positives_alone():
    rng = np.random.default_rng(0)
    at, weights = rng.random(20), []
    state = RankingState(positive_scores=at)
    for _ in range(50):
        y_true = rng.random(1_000) < 0.1
        y_score = np.where(y_true, rng.choice(at, 1_000), rng.random(1_000))
        weights.append(rng.random(1_000))
        state.update(y_true, y_score, sample_weight=weights[-1])
        assert sum(part.score.size for part in state._contents.parts) <= 41 + 1_000
    arrays = state.to_arrays()
    assert arrays["place"].tolist() == [*range(41)]
    assert arrays["counts"].sum() == state.n_samples == 50_000
    sums = (arrays["mean_weight"] * arrays["counts"]).sum()
    assert sums == pytest.approx(np.sum(weights), rel=1e-13)


def test_small_updates_and_merges_of_many_states_are_linear(monkeypatch):
    """Few parts are looked at, and a row is seldom sorted again."""
    sizes = []

    def counting(parts):
        sizes.append(sum(part.score.size for part in parts))
        return joined(parts)

    monkeypatch.setattr(sklearn_ap.distributed._state, "joined", counting)
    scores = np.random.default_rng(0).random((1_000, 10))
    state, merged = RankingState(), RankingState()
    for score in scores:
        state.update(score > 0.5, score)
        merged = merged.merge(state_of(score > 0.5, score))
        for one in (state, merged):
            assert len(one._contents.parts) <= 12
    assert sum(sizes) < 2 * 10_000 * 12
    assert (
        content(merged)
        == content(state)
        == content(state_of(scores.ravel() > 0.5, scores.ravel()))
    )


def test_a_generator_of_states_is_read_state_by_state():
    n_alive = []

    def states():
        of_states = weakref.WeakSet()
        for _ in range(9):
            state = state_of(*ROWS)
            of_states.add(state)
            yield state
            del state
            n_alive.append(len(of_states))

    assert RankingState().merge(states()).n_samples == 45
    assert max(n_alive) == 0


@pytest.mark.parametrize("at", [None, AT])
def test_sums_of_weights_beyond_the_largest_weight(at):
    """A sum of 8,192 weights of 2**500 is scored as in memory."""
    y_true, y_score = (np.tile(column, 8_192) for column in ROWS)
    weight = np.where(y_score == 0.9, 2.0**500, 2.0**497)
    state = RankingState(positive_scores=at)
    for part in np.split(np.arange(y_true.size), 4):
        state.update(y_true[part], y_score[part], sample_weight=weight[part])
    expected = average_precision_score(y_true, y_score, sample_weight=weight)
    assert through_numpy(state).score() == pytest.approx(expected, rel=1e-14, abs=0)
    assert state_of(
        [1, 0, 0], [0.3, 0.4, 0.4], [1, 2.0**500, 2.0**500]
    ).score() == pytest.approx(2.0**-501, rel=1e-12)


@pytest.mark.parametrize("name", ["average_precision", "reciprocal_rank"])
def test_rows_that_no_memory_has_room_for_are_an_error(name):
    arrays = {"positive": [1, 0], "y_score": [2, 1], "counts": [1, 2**52]}
    arrays |= {"sample_weight": [1, 2.0**500], "pos_label": 1}
    if name == "reciprocal_rank":
        del arrays["sample_weight"]
    with pytest.raises(ValueError, match=f"^{name}: requires .* rows in memory"):
        RankingState.from_arrays(arrays).score(name)


def test_a_mean_weight_of_1_is_a_weight():
    """Two negatives between two positives weigh .5 and 1.5."""
    rows, weight = ([1, 0, 0, 1], [4, 3, 2, 1]), [1, 0.5, 1.5, 1]
    state = state_of(*rows, weight, positive_scores=[1, 4])
    for same in (state, through_numpy(state), pickle.loads(pickle.dumps(state))):
        with pytest.raises(ValueError, match=rf"^precision@2: {NEEDS_WEIGHTS}"):
            same.score("precision@2")
        assert same.score() == 0.75


# --- labels, and states without rows --------------------------------------------------


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


@pytest.mark.parametrize("at", [None, [], [0.55, 1]])
def test_no_rows_and_a_single_class(at):
    empty = through_numpy(RankingState(pos_label="spam", positive_scores=at))
    assert repr(empty) == "RankingState(n_samples=0, n_positives=0)"
    assert content(empty)["counts" if at is None else "place"][0] == np.int64
    with pytest.raises(ValueError, match="RankingState is empty"):
        empty.score()
    negatives = state_of([0, 0], [0.5, 0.6], positive_scores=at)
    with pytest.warns(UserWarning, match="No positive class"):
        assert negatives.score() == 0
    assert np.isnan(through_parquet(negatives).score(zero_division=np.nan))
    if at != []:
        assert empty.update(["spam"], [1]).score() == 1
        assert copy.deepcopy(negatives).update([1], [0.55]).score() == 0.5


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


# --- wrong arguments ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda state: state.score(pos_label=0), TypeError, "pos_label"),
        (lambda state: state.score(n_positives=2), ValueError, "n_positives.*2"),
        (lambda state: state.score(roc_auc_score), ValueError, "^score_func.*roc_auc"),
        (
            lambda state: state.score("precision@2", ties="stable"),
            (ValueError, TypeError),
            "ties",
        ),
        (lambda state: state.update([], []), ValueError, "^y_true is empty: "),
        *(
            (lambda state, w=w: state.update(*ROWS, sample_weight=w), ValueError, words)
            for w, words in ((2.0, "^sample_weight .*; got 2.0"), (1j, "^sample_w.*1j"))
        ),
        *(
            (lambda _, label=label: RankingState(pos_label=label), ValueError, words)
            for label, words in (
                (None, "^pos_label.*None"),
                ({}, "^pos_label must be one .*; got {}"),
                ([[1], [1, 2]], r"^pos_label .*; got \[\[1\], \[1, 2\]\]"),
            )
        ),
        (lambda _: RankingState.from_arrays("text"), TypeError, "arrays.*str"),
        (lambda state: state.merge(3), TypeError, "others must .*int"),
    ],
)
def test_wrong_arguments_raise_an_error(call, error, words):
    with pytest.raises(error, match=words):
        call(state_of(*ROWS))


@pytest.mark.parametrize(
    ("at", "words"),
    [
        ([0.1, math.nan], "NaN"),
        ([0.1, math.inf], "infinity"),
        (["a", "b"], "y_score"),
        ([[0.1, 0.2], [0.3, 0.4]], "inconsistent"),
        (0.5, "y_score|array|shape"),
    ],
)
def test_wrong_scores_of_positives(at, words):
    with pytest.raises((ValueError, TypeError), match=words) as raised:
        RankingState(positive_scores=at)
    assert "positive_scores" in raised.value.__notes__[-1]


# Floats round these integers.
LARGE = [0] * 50 + [1], 2**53 + np.arange(51)


@pytest.mark.parametrize(
    ("rows", "at", "more", "words"),
    [
        (ROWS, None, ([0, 1], [0.5, np.nan]), "NaN"),
        (ROWS, None, ([0, 2, 1], [0.5, 0.6, 0.7]), "y_true|multiclass|inconsistent"),
        (ROWS, None, ([2, 1], [0.5, 0.6]), "y_true.*2 after 0"),
        (ROWS, None, ([[0, 1], [1, 0]], [[0.5, 0.6], [0.7, 0.1]]), "y_true.*2 columns"),
        (LARGE, None, ([0, 1], [0.5, 1]), "y_score.*float64"),
        (([0, 1], [0.5, 1]), None, LARGE, "y_score.*float64"),
        (ROWS, AT, ([1, 0], [0.75, 0.1]), r"^positive_scores must .*y_score=0\.75"),
        (ROWS, AT, ([1, 0], [0.9, 0.1]), r"^positive_scores must .*y_score=0\.9"),
        (ROWS, AT, ([1, 0], np.float32([0.8, 0.1])), "^positive_scores must contain"),
        (ROWS, AT, ([0, 1], [2**53 + 1, 3]), "y_score.*float64"),
        (LARGE, [2**53 + 50], ([0, 1], [0.5, 1.0]), "y_score.*float64"),
    ],
)
def test_an_update_or_merge_that_raises_does_not_change_the_state(
    rows, at, more, words
):
    state = state_of(*rows, positive_scores=at)
    before = content(state)
    with pytest.raises(ValueError, match=words):
        state.update(*more)
    assert content(state) == before
    try:
        other = state_of(*more, positive_scores=at)
    except ValueError:
        return
    first = state_of([rows[0][0]], rows[1][:1], positive_scores=at)
    with pytest.raises(ValueError, match=words.split(".*")[0]):
        state.merge(first, [other])
    assert content(state) == before


@pytest.mark.parametrize("other", [None, AT[:2], [*AT, 5]])
def test_states_of_other_scores_do_not_merge(other):
    state, others = state_of(*ROWS, positive_scores=AT), RankingState()
    if other is not None:
        others = RankingState(positive_scores=other)
    with pytest.raises(ValueError, match=r"^positive_scores must be the same"):
        state.merge(others)
    with pytest.raises(ValueError, match=r"^positive_scores must be the same"):
        others.merge([state])
    assert state.n_samples == 5


def test_positives_come_before_lighter_negatives_of_their_score():
    state = RankingState().update([0, 1], [0.5, 0.5], sample_weight=[1, 2])
    assert state.to_arrays()["positive"].tolist() == [True, False]


def test_arrays_are_these():
    """The arrays have the documented format, which later versions must read."""
    state = state_of(*ROWS, WEIGHTS).update([1] * 3, [0.7] * 3, sample_weight=[1, 5, 1])
    expected = {
        "positive": [True, False, True, True, True, False],
        "y_score": [0.2, 0.3, 0.7, 0.7, 0.8, 0.9],
        "counts": [1, 1, 3, 1, 1, 1],
        "pos_label": 1,
        "neg_label": 0,
        "sample_weight": [3.0, 0.5, 1.0, 5.0, 1.0, 2.0],
    }
    of_cells = {
        "positive": [True, False, True, True, False],
        "place": [1, 2, 3, 5, 6],
        "counts": [2, 1, 1, 1, 1],
        "pos_label": 1,
        "neg_label": 0,
        "mean_weight": [2.0, 0.5, 1.0, 1.0, 2.0],
        "positive_scores": AT,
    }
    cells = state_of(*ROWS, WEIGHTS, positive_scores=AT).update([1], [0.2])
    for one, documented in ((state, expected), (cells, of_cells)):
        arrays = one.to_arrays()
        assert {name: array.tolist() for name, array in arrays.items()} == documented
        for array in arrays.values():
            # The arrays are copies, so this does not change the state.
            array[...] = 0
        assert content(RankingState.from_arrays(documented)) == content(one)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"y_score": [0.1, np.nan]}, "NaN"),
        ({"positive": [True]}, "inconsistent"),
        ({"counts": [1, -1]}, "^counts"),
        ({"counts": [2**53, 2]}, r"^counts.*sum up to 2\*\*53"),
        ({"counts": [1, 0.5]}, "^counts must be a whole number"),
        ({"counts": [1, np.inf]}, "^(Input )?counts"),
        ({"sample_weight": [1, -1]}, "sample_weight"),
        ({"pos_label": [1, 2]}, r"^pos_label.*\[1, 2\]"),
        ({"neg_label": [None, None]}, r"^neg_label.*\[None, None\]"),
        ({"neg_label": 1}, "^neg_label must be a label other than pos_label=1"),
        ({"positive": [1, 2]}, "^positive must be True or False.*got 2"),
        ({"positive": [], "y_score": []}, "empty"),
        ({"score": [0.1, 0.2], "y_score": None}, r"^arrays must have \['y_score'\]"),
        # Spark, polars and SQL name counts and weights so. They would have no effect.
        ({"counts": None, "count": [3, 1]}, r"'counts'.*; got \['count'\]\.$"),
        (
            {"n": [3, 1], "weight": [1, 2]},
            r"'sample_weight', .*; got \['n', 'weight'\]",
        ),
    ],
    ids=str,
)
def test_arrays_that_no_state_returns_raise_an_error(changed, words):
    arrays = {**state_of([0, 1], [0.1, 0.2]).to_arrays(), **changed}
    arrays = {name: array for name, array in arrays.items() if array is not None}
    with pytest.raises(ValueError, match=words):
        RankingState.from_arrays(arrays)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        # Without the scores of positives, the number would be wrong.
        ({"positive_scores": None}, r"^arrays must have \['positive_scores'\]"),
        ({"place": None, "y_score": [0, 1]}, r"^arrays must have \['place'\]"),
        ({"place": [0, 2]}, "^place must be .* odd for positives; got 2"),
        ({"place": [0, 0.5]}, "^place must be a whole number .*got 0.5"),
        ({"place": [-1, 1]}, "^place must be .*got -1"),
        ({"place": [3, 1]}, "^place must be .* from 0 to 2, .*got 3"),
        ({"place": [0, np.nan]}, "NaN"),
        ({"positive_scores": []}, "^place must be .* from 0 to 0"),
        ({"mean_weight": [1, -1]}, "sample_weight"),
    ],
    ids=str,
)
def test_arrays_of_cells_that_no_state_returns_raise_an_error(changed, words):
    arrays = state_of([0, 1], [0.1, 0.2], positive_scores=[0.2]).to_arrays() | changed
    arrays = {name: array for name, array in arrays.items() if array is not None}
    with pytest.raises(ValueError, match=words):
        RankingState.from_arrays(arrays)


# --- threads and processes ------------------------------------------------------------


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


def test_processes_return_states():
    empty = RankingState(positive_scores=AT)
    labels, scores = (np.array_split(column, 2) for column in ROWS)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        states = list(pool.map(RankingState.update, [empty] * 2, labels, scores))
    assert empty.merge(states).score() == average_precision_score(*ROWS)


def test_a_score_with_a_divisor_of_its_own_gets_all_rows():
    """Such a divisor may need the number of rows below the cut."""
    entries, _ = read_rows(PassedRows(*ROWS), caller="test")
    spec = resolve_score("recall@1", {})
    own = replace(spec.definition, normalizer="random hits")
    for k in (1, None):
        spec = spec._replace(definition=replace(own, cut=k))
        assert not spec.takes_sums
        arguments = arguments_of(entries, spec)
        assert sorted(arguments["y_score"]) == sorted(ROWS[1])

"""States of rows that arrive in parts: for any split, order and tree of merges, a state
has the arrays and the scores of all rows.
"""

import copy
import io
import math
import pickle
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from inspect import signature

import numpy as np
import pandas as pd
import polars as pl
import pyarrow
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st
from pyarrow import parquet

import problems
import sklearn_ap
from brief import each_pair, examples
from half_precision import watched
from metrics import ALL_SCORES, options_for
from oracles.scores import AmbiguousError
from sklearn_ap.distributed import RankingState
from sklearn_ap.distributed._entries import count_equal_rows

ROWS = [0, 1, 0, 1, 1], [0.3, 0.8, 0.9, 0.7, 0.2]
WEIGHTS = [0.5, 1.0, 2.0, 1.0, 3.0]


def state_of(y_true, y_score, sample_weight=None, **options):
    return RankingState(**options).update(y_true, y_score, sample_weight=sample_weight)


def content(state):
    """Return the types, shapes and values of the arrays of a state. A label that no row
    has may have the type of another state.
    """
    arrays = state.to_arrays()
    if state.n_positives == state.n_samples:
        del arrays["neg_label"]
    return {
        name: (array.dtype, array.shape, array.tolist())
        for name, array in arrays.items()
    }


def through_numpy(state):
    file = io.BytesIO()
    np.savez(file, **state.to_arrays())
    file.seek(0)
    with np.load(file, allow_pickle=False) as arrays:
        return RankingState.from_arrays(arrays)


# How each library writes the arrays of a state, and reads them.
WRITERS = {
    # in another order of the rows
    "pandas": (
        "pd.DataFrame(arrays).sample(frac=1, random_state=0).to_parquet(file)",
        pd.read_parquet,
    ),
    "polars": ("pl.DataFrame(arrays).write_parquet(file)", pl.read_parquet),
    "pyarrow": ("parquet.write_table(pa.table(arrays), file)", parquet.read_table),
}
NAMES = {"pd": pd, "pl": pl, "pa": pyarrow, "parquet": parquet}


def through_files(writer, path, state):
    """Return the state of the file of a state."""
    write, read = WRITERS[writer]
    file = path / "a.parquet"
    eval(write, NAMES | {"arrays": state.to_arrays(), "file": file})
    return RankingState.from_arrays(read(file))


JOINS = [
    "one.merge(other)",
    "other + one",
    "sum([one, other], start=RankingState())",
    "through_numpy(one).merge(iter([other]))",
    "pickle.loads(pickle.dumps(one)).merge(copy.copy(other))",
]
NAMES |= {"RankingState": RankingState, "through_numpy": through_numpy}
NAMES |= {"pickle": pickle, "copy": copy}


# --- laws -----------------------------------------------------------------------------


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
        # Update one of the states, or a new one.
        if draw(st.booleans()):
            states.append(RankingState())
        state = draw(st.sampled_from(states))
        # A database may have counted the rows.
        if part.size and weight is None and draw(st.booleans()):
            groups = pd.DataFrame({"label": y_true, "score": y_score}).value_counts()
            labels, scores = map(np.array, zip(*groups.index, strict=True))
            arrays = {"positive": labels, "y_score": scores.astype(y_score.dtype)}
            arrays |= {"counts": groups, "pos_label": 1, "neg_label": labels.min()}
            states.append(RankingState.from_arrays(arrays))
        else:
            state.update(y_true, y_score, sample_weight=weight)
        if weight is not None:
            # The caller changes its array before the state sorts the rows.
            weight[:] = 9
    while len(states) > 1:
        one, other = (
            states.pop(draw(st.integers(0, len(states) - 1))) for _ in range(2)
        )
        pair = {"one": one, "other": other}
        states.append(eval(draw(st.sampled_from(JOINS)), NAMES | pair))
    return states[0]


@st.composite
def drawn(draw):
    """Draw a problem of one ranking, and its rows."""
    problem = draw(problems.vectors(draw(st.booleans()), draw(st.booleans())))
    weight = problem.arguments["sample_weight"]
    assume(weight is None or any(weight))
    weight = weight and np.array(weight, dtype=float)
    return problem, (np.array(problem.y_true), np.array(problem.y_score), weight)


@pytest.mark.filterwarnings("ignore:No positive class|y_true contains no:UserWarning")
@pytest.mark.parametrize("name", problems.MEASURES)
@examples(15, 100)
@given(data=st.data())
@problems.infinite_scores
def test_any_split_has_the_state_and_the_scores_of_all_rows(name, data):
    measure = data.draw(problems.MEASURES[name])
    assume(measure.options.get("ties") != "stable")
    problem, (label, score, weight) = data.draw(drawn())
    total = {}
    if problem.arguments.get("n_positives") is not None:
        assume(measure.takes("n_positives"))
        total["n_positives"] = problem.arguments["n_positives"]
    taken = np.ones(label.size, dtype=bool) if weight is None else weight > 0
    of_all = content(state_of(label, score, weight))
    state = data.draw(merged((label, score, weight)))
    assert content(state) == of_all
    assert (state.n_samples, state.n_positives) == (taken.sum(), label[taken].sum())
    call = partial(state.score, measure.function, **measure.options, **total)
    if measure.takes("zero_division"):
        call = partial(call, zero_division=math.nan)
    assume(not measure.refuses(problem))
    try:
        expected = problem.expected(measure, math.nan)
    except AmbiguousError:
        reject()
    assert call() == pytest.approx(expected, abs=1e-12, rel=0, nan_ok=True)


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
    writer=[None, *WRITERS],
)
def test_stored_arrays_are_the_state(tmp_path, scores, labels, weight, writer):
    score = SCORES[scores]
    pos_label, label = LABELS[labels]
    y_true = np.tile(label, score.size // 5)
    if weight is not None:
        weight = np.tile(weight, score.size // 5)
    state = RankingState(pos_label=pos_label)
    for half in (slice(0, None, 2), slice(1, None, 2)):
        of_half = None if weight is None else weight[half]
        with watched():
            state.update(y_true[half], score[half], sample_weight=of_half)
    if writer is None:
        same = through_numpy(state)
    else:
        same = through_files(writer, tmp_path, state)
    assert content(same) == content(state)
    # Labels keep their types: 1 and True are different labels.
    assert content(same.merge(state)) == content(state.merge(state))


# --- sizes ----------------------------------------------------------------------------


def test_small_updates_and_merges_of_many_states_are_linear(monkeypatch):
    """Few parts are looked at, and a row is seldom sorted again."""
    sizes = []

    def counting(parts):
        sizes.append(sum(part.score.size for part in parts))
        return count_equal_rows(parts)

    monkeypatch.setattr(sklearn_ap.distributed._state, "count_equal_rows", counting)
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


# --- arguments ------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:No positive class|y_true contains no:UserWarning")
@pytest.mark.parametrize("score", ALL_SCORES)
def test_a_state_takes_each_keyword_as_the_score_does_or_refuses_it_by_name(score):
    y_score = np.arange(60) * 7 % 23
    keywords = {*signature(score).parameters} - {"y_true", "y_score"}
    for keyword in sorted(keywords):
        params, value = options_for(keyword, score)
        params.pop("query_id", None)
        params[keyword] = 40 if keyword == "n_positives" else value
        for y_true in (y_score % 3 == 0, np.zeros(60)):
            state = state_of(y_true, y_score)
            try:
                found = state.score(score, **params)
            except (TypeError, ValueError) as error:
                assert keyword in str(error)  # noqa: PT017  # either outcome is right
                continue
            assert found == pytest.approx(score(y_true, y_score, **params))


def test_a_state_without_positives_warns_of_a_name_as_of_its_function():
    with pytest.warns(UserWarning, match="^No positive class found in y_true"):
        RankingState().update([0, 0], [2, 1]).score("average_precision")


# --- threads ----------------------------------------------------------------------


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

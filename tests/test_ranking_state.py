"""States of rows that come in parts: any split, order and tree of merges gives the score of all rows."""

import copy
import doctest
import inspect
import pickle
import re
import sys
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import problems
from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    interpolated_average_precision_score,
    operating_point,
    pr_auc_score,
    precision_at_k_score,
    r_precision_score,
    recall_at_precision_score,
)
from sklearn_ap._registry import FAMILY
from sklearn_ap.distributed import RankingState
from sklearn_ap.distributed._states import _bytes, _columns

ROWS = ([0, 1, 0, 1, 1], [0.3, 0.8, 0.9, 0.7, 0.2])
HELD = [one for one in FAMILY if one.definition.ties != "stable"]  # the order of rows is not held
LONG = 70_000  # more rows than two blocks have
KINDS: dict[str, Callable] = {
    "float32": lambda rng, n: rng.random(n, dtype=np.float32),
    "float64": lambda rng, n: rng.random(n),
    "logits": lambda rng, n: 4 * rng.normal(size=n).astype(np.float32),
    "with a gap": lambda rng, n: rng.normal(size=n) * 1e3,
    "subnormal": lambda rng, n: rng.normal(size=n) * np.where(rng.random(n) < 0.5, 5e-324, 1e300),
    "negative": lambda rng, n: -rng.random(n) - 1.5,
    "ties": lambda rng, n: rng.integers(-50, 50, n) / 100,
    "zeros": lambda rng, n: rng.choice([0.0, -0.0, 1e-3], n),
    "integers": lambda rng, n: rng.integers(-(10**6), 10**6, n),
    "large integers": lambda rng, n: rng.integers(-(2**63), 2**63 - 1, n),
    "unsigned": lambda rng, n: rng.integers(0, 2**64, n, dtype=np.uint64),
    "small": lambda rng, n: rng.integers(-100, 100, n).astype(np.int8),
    "half": lambda rng, n: (rng.normal(size=n) * 9).astype(np.float16),
}


def state_of(y_true, y_score, sample_weight=None, **options) -> RankingState:
    return RankingState(**options).update(y_true, y_score, sample_weight=sample_weight)


def family_of(state: RankingState) -> list[float]:
    return [state.score(one.score, **one.options) for one in HELD]


@st.composite
def splits(draw, size: int):
    """Rows in any order, cut into parts."""
    order = draw(st.permutations(range(size)))
    cuts = sorted(draw(st.sets(st.integers(1, size - 1), max_size=4))) if size > 1 else []
    return [list(part) for part in np.split(np.array(order), cuts)]


@st.composite
def trees(draw, states: list[RankingState]):
    """Merge states two by two, in any tree."""
    states = list(states)
    while len(states) > 1:
        one, other = draw(st.permutations(states))[:2]
        states = [state for state in states if state is not one and state is not other]
        how = draw(st.sampled_from(["+", "merge", "stored"]))
        if how == "stored":
            other = RankingState.from_bytes(other.to_bytes())
        states.append(one + other if how == "+" else copy.copy(one).merge(other))
    return states[0]


@given(st.data(), st.integers(1, 12))
def test_any_tree_of_merges_scores_as_all_rows(data, size):
    y_true = np.array(data.draw(problems.labels_with_a_positive(size)))
    y_score = np.array(data.draw(problems.scores(size)))
    parts = data.draw(splits(size))
    states = [state_of(y_true[part], y_score[part]) for part in parts]
    state = data.draw(trees(states))
    expected = [one.score(y_true, y_score, **one.options) for one in HELD]
    assert family_of(state) == expected
    assert state.to_bytes() == state_of(y_true, y_score.astype(float)).to_bytes() or y_score.dtype.kind == "i"
    one_by_one = RankingState()
    for part in parts:
        one_by_one.update(y_true[part].tolist(), y_score[part].tolist())
    assert family_of(one_by_one) == expected


@given(st.data(), st.integers(1, 12))
def test_weights(data, size):
    y_true = np.array(data.draw(problems.labels_with_a_positive(size)))
    y_score = np.array(data.draw(problems.scores(size)))
    weight = np.array(data.draw(problems.weights(size, extreme=False)) or [1] * size, dtype=float)
    parts = [part for part in data.draw(splits(size)) if weight[part].any()]
    state = data.draw(trees([state_of(y_true[part], y_score[part], weight[part]) for part in parts]))
    again = data.draw(trees([state_of(y_true[part], y_score[part], weight[part]) for part in parts[::-1]]))
    assert state.to_bytes() == again.to_bytes()
    for one in HELD:
        score = partial(one.score, **one.options)
        try:
            expected = score(y_true, y_score, sample_weight=weight, **zero(one))
        except ValueError as error:
            with pytest.raises(ValueError, match=re.escape(str(error))):
                state.score(score)
            continue
        got = state.score(score, **zero(one))
        assert got == again.score(score, **zero(one))
        assert got == pytest.approx(expected, rel=1e-14, abs=1e-300)


def zero(one) -> dict[str, float]:
    return {"zero_division": 0.0} if one.takes("zero_division") else {}


@pytest.mark.parametrize("rate", [0.001, 0.3])
@pytest.mark.parametrize("kind", KINDS)
def test_long_rankings_are_the_same_floats(kind, rate):
    rng = np.random.default_rng(len(kind))
    y_true, y_score = rng.random(LONG) < rate, KINDS[kind](rng, LONG)
    state = RankingState()
    for part in np.array_split(rng.permutation(LONG), 5):
        state.update(y_true[part], y_score[part])
    assert (state.n_samples, state.n_positives) == (LONG, y_true.sum())
    stored = RankingState.from_bytes(state.to_bytes())
    for one in HELD:
        expected = one.score(y_true, y_score, **one.options)
        got = state.score(one.score, **one.options)
        assert got == stored.score(one.score, **one.options)
        # The rows after a cut are left out, and which these are depends on the order of rows in memory.
        assert got == (pytest.approx(expected, rel=1e-15, abs=0) if one.is_cut else expected), one.name


@pytest.mark.parametrize("n_rows", [4095, 4096, 32_768, 32_769])
def test_lengths_about_a_block(n_rows):
    rng = np.random.default_rng(n_rows)
    y_true, y_score = rng.random(n_rows) < 0.02, rng.integers(0, n_rows, n_rows)
    state = state_of(y_true, y_score)
    for score in (average_precision_score, r_precision_score, pr_auc_score):
        assert state.score(score) == score(y_true, y_score)
    assert state.score(average_precision_score, prevalence=0.2) == average_precision_score(
        y_true, y_score, prevalence=0.2
    )


def test_a_share_and_a_number_of_rows_are_ranked_apart():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.random(LONG) < 0.1, rng.random(LONG)
    scores = state_of(y_true, y_score).scores(["precision@1", "precision@1.0"])
    assert scores["precision@1"] == precision_at_k_score(y_true, y_score, k=1)
    assert scores["precision@1.0"] == precision_at_k_score(y_true, y_score, k=1.0)


def test_many_small_updates_stay_few_arrays():
    state, alone = RankingState(), np.arange(3000) % 7
    for row in alone:
        state.update([row % 2], [np.float32(row)])
    assert sum(len(parts) for parts in state._held.rows._classes) < 30
    assert state.nbytes == 4 * alone.size
    assert state.score() == average_precision_score(alone % 2, alone)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (np.float32([0.1, 0.2]), np.array([0.1, 0.3])),
        (np.int8([1, 2]), np.float32([1.5, 2.5])),
        (np.int32([2**31 - 1, -5]), np.float32([2**31 - 128, 2**31])),
        (np.int64([-(2**63), 2**63 - 1]), np.uint64([5, 2**63 - 2])),
        (np.uint64([2**64 - 1, 2**64 - 2]), np.int64([0, 2**63 - 1])),
        (np.array([True, False]), np.uint16([1, 0])),
        (np.uint32([2**32 - 1, 0]), np.int8([-1, 1])),
        (np.float16([0.5, 3]), np.float32([0.1, 3])),
        (np.array([Fraction(1, 2), Fraction(1, 4)]), np.array([2, 3], dtype=object)),
        (np.longdouble([0.5, 2]), np.int64([2**53, 1])),
    ],
    ids=lambda scores: scores.dtype.name,
)
def test_types_that_one_holds_exactly(first, then):
    exact = [Fraction(*one.as_integer_ratio()) if hasattr(one, "as_integer_ratio") else one for one in first]
    exact += [Fraction(*one.as_integer_ratio()) for one in then.astype(object).tolist()]
    y_true = [1, 0, 0, 1]
    for state in (
        state_of([1, 0], first).update([0, 1], then),
        state_of([0, 1], then).merge(state_of([1, 0], first)),
    ):
        assert state.score() == average_precision_score(y_true, np.array(exact, dtype=object))


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (np.int64([2**53 + 1, 0]), np.array([0.5, 1])),
        (np.array([0.5, 1]), np.int64([1, 2**63 - 1])),
        (np.int64([-1, 0]), np.uint64([2**63, 1])),
        (np.array([0.5, 1]), np.array([Fraction(1, 3), 1])),
    ],
)
def test_types_that_none_holds_exactly(first, then):
    state = state_of([1, 0], first)
    before = state.to_bytes()
    with pytest.raises(ValueError, match=r"^y_score must be exact in one type .*; got .* would round"):
        state.update([0, 1], then)
    assert state.to_bytes() == before


def test_names_functions_and_parameters():
    y_true, y_score = ROWS
    state = state_of(y_true, y_score)
    names = ["average_precision", "average_precision@2", "recall@0.4", "recall_at_precision@0.5"]
    assert list(state.scores(names)) == names
    assert state.score("average_precision@2") == average_precision_at_k_score(y_true, y_score, k=2)
    assert state.score("average_precision@2", ties="expected", n_positives=7) == (
        average_precision_at_k_score(y_true, y_score, k=2, ties="expected", n_positives=7)
    )
    assert state.score("recall_at_precision@0.5") == recall_at_precision_score(y_true, y_score, precision=0.5)
    assert state.score(partial(interpolated_average_precision_score, recall_levels=5)) == (
        interpolated_average_precision_score(y_true, y_score, recall_levels=5)
    )
    assert state.scores([average_precision_score]) == {"average_precision_score": state.score()}
    assert state.score(n_positives=5.5) == average_precision_score(y_true, y_score, n_positives=5.5)


@pytest.mark.parametrize(
    ("score_func", "params", "error", "match"),
    [
        ("accuracy", {}, ValueError, "score_func must be one of"),
        (operating_point, {}, ValueError, "score_func must be a score"),
        (None, {}, TypeError, "score_func must be a function or a name; got None"),
        (partial(average_precision_score, pos_label=0), {}, TypeError, "pos_label is not supported with a"),
        ("average_precision", {"pos_label": 1}, TypeError, "pos_label is not supported with a state"),
        ("average_precision", {"sample_weight": [1]}, TypeError, "sample_weight is not supported with"),
        ("average_precision", {"k": 3}, TypeError, "average_precision_score takes no argument 'k'; it takes"),
        (recall_at_precision_score, {}, TypeError, "needs precision="),
        ("precision@3", {"ties": "stable"}, ValueError, "ties='stable' needs the order of rows"),
        ("precision@3", {"ties": "any"}, ValueError, "ties must be one of"),
        ("average_precision", {"n_positives": 2}, ValueError, "n_positives must not be below"),
        ("average_precision", {"zero_division": 2}, ValueError, "zero_division must be"),
    ],
)
def test_refused_questions(score_func, params, error, match):
    with pytest.raises(error, match=match):
        state_of(*ROWS).score(score_func, **params)


def test_refused_lists_of_questions():
    with pytest.raises(TypeError, match="score_funcs must be a list"):
        state_of(*ROWS).scores("average_precision")


@pytest.mark.parametrize(
    ("rows", "match"),
    [
        (([0, 1], [0.5, np.nan]), "NaN"),
        (([0, 1], [0.5, np.inf]), "infinity"),
        (([0, 1], [0.5]), "inconsistent numbers of samples"),
        (([], []), "empty"),
        (([0, 2, 1], [0.5, 0.6, 0.7]), "."),
        (([[0, 1], [1, 0]], [[0.5, 0.6], [0.7, 0.1]]), "y_true must be binary.* got 2 columns"),
        (([0, 1], [0.5, 0.6], [1, -1]), "sample_weight must not be negative"),
        (([0, 1], [0.5, 0.6], [1, np.nan]), "sample_weight contains NaN"),
        (([-1, 1], [0.5, 0.6]), r"same two labels in all updates; got -1 after 0"),
        (([1, 1], ["a", "b"]), "y_score"),
        (([0, 1], [0.5, 0.6], [1e308, 1e308]), "sample_weight must be 0 or from"),
    ],
)
def test_refused_rows_leave_a_state_as_it_was(rows, match):
    state = state_of(*ROWS)
    before, (y_true, y_score, *weight) = state.to_bytes(), rows
    with pytest.raises(ValueError, match=match):
        state.update(y_true, y_score, sample_weight=weight[0] if weight else None)
    assert state.to_bytes() == before


def test_labels_are_those_of_all_updates():
    texts = state_of(["spam", "ham"], [0.9, 0.8], pos_label="spam")
    texts += state_of(["ham"], [0.95], pos_label="spam")
    assert RankingState.from_bytes(texts.to_bytes()).score() == 0.5
    with pytest.raises(ValueError, match="pos_label must be the same"):
        texts.merge(RankingState())
    with pytest.raises(ValueError, match="same two labels"):
        texts.update(["eggs"], [0.9])
    with pytest.raises(ValueError, match="pos_label must be"):
        RankingState(pos_label=None)


def test_empty_states_and_single_classes():
    empty = RankingState()
    with pytest.raises(ValueError, match="RankingState is empty"):
        empty.score()
    assert repr(RankingState.from_bytes(empty.to_bytes())) == "RankingState(n_samples=0, n_positives=0)"
    assert (empty + state_of(*ROWS)).score() == average_precision_score(*ROWS)
    with pytest.warns(UserWarning, match="No positive class found"):
        assert state_of([0, 0], [0.5, 0.6]).score() == 0
    assert np.isnan(state_of([0, 0], [0.5, 0.6]).score(zero_division=np.nan))
    assert state_of([1, 1], [0.5, 0.6]).score() == 1


def test_a_class_without_rows_is_merged_after_a_score():
    state = state_of([1, 1], np.array([1, 2]))
    assert state.score() == 1
    state.update([0], np.array([2**63], dtype=np.uint64))
    assert state.score() == pytest.approx(average_precision_score([1, 1, 0], [1, 2, 3]), abs=1e-15)


def test_other_states_stay_as_they_were():
    one, other = state_of(*ROWS), state_of([1, 0], [0.85, 0.1])
    before = other.to_bytes()
    assert one.merge(other) is one
    one.update([1], [0.5])
    assert other.to_bytes() == before
    assert one.n_samples == 8
    twice = state_of(*ROWS)
    assert twice.merge(twice, twice).n_samples == 15
    with pytest.raises(TypeError):
        one + 1


def test_iterables_of_states_are_merged():
    states = [state_of(*ROWS), state_of([1, 0], [0.85, 0.1]), state_of([0], [0.5])]
    expected = RankingState().merge(*states)
    for others in ([states], [iter(states)], [states[0], iter(states[1:])], [(), states], states):
        assert RankingState().merge(*others).to_bytes() == expected.to_bytes()
    assert states[2].merge(states[2] for _ in range(3)).n_samples == 4
    before = expected.to_bytes()
    for others, got in ((3, "int"), (b"data", "int"), ([states[0], "name"], "str"), ([[states[0]]], "list")):
        with pytest.raises(
            TypeError, match=f"others must be RankingState, or an iterable of them; got {got}"
        ):
            expected.merge(states[0], others)
    with pytest.raises(ValueError, match="same two labels"):
        expected.merge([states[0], state_of([-1], [0.5])])
    with pytest.raises(ZeroDivisionError):
        expected.merge(states[1 // zero] for zero in (1, 0))
    assert expected.to_bytes() == before


@pytest.mark.parametrize("options", [{}, {"k": 5}, {"bins": (-1, 1, 8)}], ids=["all", "best", "binned"])
def test_counted_rows_are_rows(options, monkeypatch):
    """Also where one count is cut into several parts."""
    monkeypatch.setattr(_columns, "_MOST_REPEATED", 7)
    y_true, y_score = [0, 1, 1, 0, 1, 0], [0.3, 0.8, -0.5, 0.8, 0.3, 0.9]
    for counts in ([1, 2, 3, 4, 5, 6], [0, 7, 0, 7, 1, 0], [30, 0, 2, 1, 0, 0], [7, 0, 0, 0, 7, 0]):
        counted = RankingState(**options).update(y_true, y_score, counts=np.float64(counts))
        rows = np.repeat(y_true, counts), np.repeat(y_score, counts)
        assert counted.to_bytes() == state_of(*rows, **options).to_bytes()


@pytest.mark.parametrize(
    "counts", [[1, 2], [1, 2, -1, 1, 1], [1, 2, 0.5, 1, 1], [np.inf] * 5, [0] * 5, 3, [[1] * 5], ["1"] * 5]
)
def test_wrong_counts_leave_a_state_as_it_was(counts):
    state = state_of(*ROWS)
    with pytest.raises(ValueError, match=r"^counts must hold a whole number from 0 on for each of 5 rows"):
        state.update(*ROWS, counts=counts)
    with pytest.raises(ValueError, match=r"^counts and sample_weight cannot be combined"):
        state.update(*ROWS, sample_weight=[1] * 5, counts=[1] * 5)
    assert state.n_samples == 5


@pytest.mark.parametrize("weighted", [False, True])
def test_a_generator_of_states_is_folded(weighted):
    """With all states at once, merging took as many times the memory as there are states."""
    rng, options = np.random.default_rng(0), {"bins": (0, 1, 2**16)}
    weight = rng.random(100) if weighted else None
    data = state_of(rng.random(100) < 0.5, rng.random(100), weight, **options).to_bytes()
    tracemalloc.start()
    tracemalloc.clear_traces()  # of a benchmark that was run before in this process
    try:
        state = RankingState(**options).merge(RankingState.from_bytes(data) for _ in range(20))
        assert tracemalloc.get_traced_memory()[1] < 5 * state.nbytes
    finally:
        tracemalloc.stop()
    assert state.n_samples == 2000


def test_rows_are_copies():
    y_true, y_score = map(np.array, ROWS)
    state = state_of(y_true, y_score)
    y_score[:] = 0
    assert state.score() == average_precision_score(*ROWS)


@pytest.mark.parametrize("weight", [None, [0.5, 1, 2, 1, 3]])
def test_bytes_are_checked(weight):
    state = state_of(*ROWS, weight)
    data = state.to_bytes()
    assert data.startswith(b"SKAPRS\x01")
    assert RankingState.from_bytes(bytearray(data)).score() == state.score()
    for place in range(len(data)):
        for change in (1, 0x80, 0xFF):
            spoiled = bytearray(data)
            spoiled[place] ^= change
            with pytest.raises(ValueError, match=r"^data must"):
                RankingState.from_bytes(bytes(spoiled))
        with pytest.raises(ValueError, match=r"^data must"):
            RankingState.from_bytes(data[:place])
    with pytest.raises(ValueError, match=r"^data must"):
        RankingState.from_bytes(data + b"\0")


@pytest.mark.parametrize(
    "arrays",
    [
        {"positive": np.array([0.5])},
        {"positive": np.array([0.5]), "negative": np.array([2.0, 1.0])},
        {"positive": np.array([0.5]), "negative": np.array([np.inf])},
        {"positive": np.array([0.5]), "negative": np.array([1])},
        {"positive": np.array([0.5]), "negative": np.array([1.0]), "negative weight": np.array([-1.0])},
        {"positive": np.array([0.5]), "negative": np.array([1.0]), "negative weight": np.array([1.0, 1.0])},
        {"positive": np.array([0.5]), "negative": np.array([1.0]), "negative weight": np.array([np.inf])},
    ],
)
def test_bytes_that_others_wrote_are_checked(arrays):
    header = {"k": None, "bins": None, "pos_label": 1, "negative": 0}
    with pytest.raises(ValueError, match=r"^data must"):
        RankingState.from_bytes(_bytes.to_bytes(header, arrays))


@pytest.mark.parametrize(
    "header", [{}, {"k": 3}, {"k": None, "bins": None, "pos_label": None, "negative": 0}]
)
def test_headers_that_others_wrote_are_checked(header):
    with pytest.raises(ValueError, match="must"):
        RankingState.from_bytes(_bytes.to_bytes(header, {}))


def test_wrong_types_of_bytes():
    with pytest.raises(TypeError, match="data must be bytes that to_bytes returned; got str"):
        RankingState.from_bytes("SKAPRS")


def test_bytes_are_compressed():
    rng = np.random.default_rng(0)
    state = state_of(rng.random(LONG) < 0.1, rng.random(LONG, dtype=np.float32))
    assert len(state.to_bytes()) < 2 * LONG


@pytest.fixture
def impatient_threads():
    """Threads that take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("impatient_threads")
@pytest.mark.parametrize("options", [{}, {"k": 3}, {"bins": (0, 1, 8)}], ids=["all", "best", "binned"])
def test_threads_lose_no_rows(options):
    state, n_threads, n_updates = RankingState(**options), 4, 100
    other = state_of(*ROWS, **options)

    def add(_: int) -> None:
        for _ in range(n_updates):
            state.update(*ROWS).merge(other, copy.copy(other))

    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(add, range(n_threads)))
    assert (state.n_samples, state.n_positives) == tuple(3 * n_threads * n_updates * n for n in (5, 3))


@pytest.mark.usefixtures("impatient_threads")
def test_states_that_merge_each_other_do_not_wait_for_each_other():
    one, other = state_of(*ROWS), state_of(*ROWS)
    with ThreadPoolExecutor(2) as pool:
        merged = [pool.submit(a.merge, b) for a, b in ((one, other), (other, one))]
        assert {state.result(timeout=600).n_samples for state in merged} <= {10, 15}


def test_pickles_go_through_bytes():
    state = state_of(*ROWS)
    assert state.to_bytes() in pickle.dumps(state)
    assert pickle.loads(pickle.dumps(state)).score() == state.score()
    assert copy.deepcopy(state).score() == state.score()


def test_examples_run_and_sections_are_told():
    found = doctest.DocTestFinder().find(RankingState, "RankingState", module=False, globs={})
    with_examples = {one.name.removeprefix("RankingState.") for one in found if one.examples}
    assert {"RankingState", "score", "scores", "bounds", "to_bytes", "from_bytes"} <= with_examples
    assert all(doctest.DocTestRunner().run(one).failed == 0 for one in found)
    doc = inspect.getdoc(RankingState)
    for section in ("Parameters", "See Also", "Notes", "References", "Examples"):
        assert f"\n{section}\n{'-' * len(section)}\n" in doc

"""States of rows that come in parts: any split, order and tree of merges gives the bytes
of all rows; `test_distributed_contract.py` asks a state for every score.
"""

import base64
import copy
import json
import pickle
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import problems
from sklearn_ap import average_precision_score, estimate_score
from sklearn_ap.distributed import RankingState

ROWS = [0, 1, 0, 1, 1], [0.3, 0.8, 0.9, 0.7, 0.2]
WEIGHTS = [0.5, 1.0, 2.0, 1.0, 3.0]


def state_of(y_true, y_score, sample_weight=None, **options) -> RankingState:
    return RankingState(**options).update(y_true, y_score, sample_weight=sample_weight)


JOINS = [
    lambda one, other: one.merge(other),
    lambda one, other: RankingState().merge(iter([one, other])),
    lambda one, other: RankingState.from_bytes(one.to_bytes()).merge(other),
    lambda one, other: pickle.loads(pickle.dumps(one)).merge(copy.deepcopy(other)),
    lambda one, other: copy.copy(one).merge(other),
]


@st.composite
def merged(draw, rows):
    """States of parts of the rows, updated, stored, copied and merged in any way."""
    size = rows[0].size
    order = np.array(draw(st.permutations(range(size))))
    cuts = sorted(draw(st.sets(st.integers(0, size), max_size=5)))
    parts = [
        part
        for part in np.split(order, cuts)
        if part.size and (rows[2] is None or rows[2][part].any())
    ]
    states = [RankingState()]
    for part in parts:
        columns = [None if column is None else column[part] for column in rows]
        # one that is there, or a new one
        which = draw(st.integers(-1, len(states) - 1))
        if which < 0:
            states.append(RankingState())
        if rows[2] is None and draw(st.booleans()):  # as a database counts them
            pairs, counts = np.unique(columns[:2], axis=1, return_counts=True)
            labels, scores = (
                values.astype(row.dtype)
                for values, row in zip(pairs, rows[:2], strict=True)
            )
            states[which].update(labels, scores, counts=counts)
        else:
            states[which].update(*columns[:2], sample_weight=columns[2])
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
        drawn = (
            data.draw(problems.weights(size, extreme=False))
            if weights == "any"
            else None
        )
        weight = np.array(drawn or [0.3] * size, dtype=float)
    assume(weight is None or weight[y_true].any())  # without positives, scores warn
    state = data.draw(merged((y_true, y_score, weight)))
    whole = state_of(y_true, y_score, weight)
    assert state.to_bytes() == whole.to_bytes()
    taken = np.ones(size, dtype=bool) if weight is None else weight > 0
    assert (state.n_samples, state.n_positives) == (taken.sum(), y_true[taken].sum())
    expected = average_precision_score(y_true, y_score, sample_weight=weight)
    assert state.score() == pytest.approx(expected, rel=1e-12)


def test_a_caller_may_write_to_arrays_that_were_passed():
    rng = np.random.default_rng(0)
    state = RankingState()
    batches = [rng.random((3, 9)).round() for _ in range(4)]
    for batch in batches:
        arrays = batch.copy()
        state.update(*arrays[:2], sample_weight=arrays[2])
        arrays[:] = 1  # rows may wait to be sorted
    whole = state_of(*np.concatenate(batches, axis=1))
    assert state.to_bytes() == whole.to_bytes()


def test_an_estimate_counts_rows_of_equal_weights():
    y_true, y_score = np.arange(40) % 3 == 0, np.arange(40) * 7 % 11
    expected = estimate_score("pr_auc", y_true, y_score, prevalence=0.1)
    estimate = state_of(y_true, y_score, [0.1] * 40).estimate("pr_auc", prevalence=0.1)
    assert estimate.confidence_interval() == pytest.approx(
        expected.confidence_interval(), rel=1e-12
    )


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda state: state.score(pos_label=0), TypeError, "pos_label"),
        (lambda state: state.score(n_positives=2), ValueError, "n_positives.*2"),
        (
            lambda state: state.estimate("recall@3"),
            ValueError,
            "score_func.*'recall@3'",
        ),
        (lambda _: state_of(*ROWS, WEIGHTS).estimate(), ValueError, "sample_weight"),
        (
            lambda _: state_of([0, 0], [1, 2]).estimate(),
            ValueError,
            "y_true.*no positive",
        ),
        (lambda _: RankingState().score(), ValueError, "RankingState is empty"),
        (
            lambda state: state.update([], []),
            ValueError,
            r"^y_true is empty: .*Skip batches without rows: if len\(y_true\): state.update",
        ),
        (lambda _: RankingState(pos_label=None), ValueError, "pos_label.*None"),
        (lambda _: RankingState.from_bytes("text"), TypeError, "data.*str"),
    ],
)
def test_questions_that_are_refused(call, error, words):
    with pytest.raises(error, match=words):
        call(state_of(*ROWS))


LARGE = [0] * 50 + [1], 2**53 + np.arange(51)  # integers that floats round


@pytest.mark.parametrize(
    ("rows", "more", "words"),
    [
        (ROWS, ([0, 1], [0.5, np.nan]), "NaN"),
        (ROWS, ([0, 2, 1], [0.5, 0.6, 0.7]), "y_true|multiclass|inconsistent"),
        (ROWS, ([2, 1], [0.5, 0.6]), "y_true.*2 after 0"),
        (ROWS, (["spam", "ham"], [0.5, 0.6]), "pos_label"),
        (ROWS, ([[0, 1], [1, 0]], [[0.5, 0.6], [0.7, 0.1]]), "y_true.*2 columns"),
        (ROWS, ([0, 1], [0.5, 0.6], [1, -1]), "sample_weight"),
        (LARGE, ([0, 1], [0.5, 1]), "y_score.*0.5"),
        (([0, 1], [0.5, 1]), (LARGE[0], LARGE[1]), "y_score.*float64"),
        (([1], np.int64([-1])), ([0], np.uint64([2**63])), "y_score.*-1 of"),
        (([1], [0.5]), ([0], np.longdouble([1]) / 3), "y_score.*0.3333333333333333333"),
    ],
)
def test_a_refused_update_or_merge_loses_nothing(rows, more, words):
    state = state_of(*rows)
    before = state.to_bytes()
    with pytest.raises(ValueError, match=words):
        state.update(*more[:2], sample_weight=dict(enumerate(more)).get(2))
    assert state.to_bytes() == before
    try:
        other = state_of(*more)
    except ValueError:
        return
    with pytest.raises(ValueError, match=words.split(".*")[0]):
        state.merge(state_of([rows[0][0]], rows[1][:1]), [other])
    assert state.to_bytes() == before


WRONG = [
    [1, 2],
    [1, 2, -1, 1, 1],
    [1, 2, 0.5, 1, 1],
    [np.inf] * 5,
    3,
    [[1] * 5],
    ["1"] * 5,
    [2**53] * 5,
]


@pytest.mark.parametrize("counts", WRONG, ids=str)
def test_wrong_counts_lose_nothing(counts):
    state = state_of(*ROWS)
    with pytest.raises(ValueError, match=r"^counts "):
        state.update(*ROWS, counts=counts)
    with pytest.raises(ValueError, match=r"^counts and sample_weight"):
        state.update(*ROWS, sample_weight=[1] * 5, counts=[1] * 5)
    assert state.to_bytes() == state_of(*ROWS).to_bytes()


def test_counts_of_a_billion_rows():
    counts = [10**9, 0, 3, 1.0, 7]
    state = RankingState().update(*ROWS, counts=counts).update([1], [0.95])
    assert (state.n_samples, state.n_positives) == (10**9 + 12, 9)
    expected = average_precision_score(
        [*ROWS[0], 1], [*ROWS[1], 0.95], sample_weight=[*counts, 1]
    )
    assert RankingState.from_bytes(state.to_bytes()).score() == pytest.approx(
        expected, rel=1e-14
    )


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (np.int32([2**31 - 1, -5]), np.float32([2**31 - 128, 2**31])),
        (np.int64([-(2**63), 2**63 - 1]), np.uint64([5, 2**63 - 2])),
        (np.uint64([2**64 - 1, 2**64 - 2]), np.int64([0, 2**63 - 1])),
        (np.array([True, False]), np.uint16([1, 0])),
        (np.array([Fraction(1, 2), Fraction(1, 4)]), np.array([2, 3], dtype=object)),
        (np.longdouble([0.5, 2]), np.int64([2**53, 1])),
    ],
    ids=lambda scores: scores.dtype.name,
)
def test_types_that_one_holds_exactly(first, then):
    values = [*first.tolist(), *then.tolist()]
    # Python compares its numbers exactly
    exact = [sorted(values).index(value) for value in values]
    one, other = state_of([1, 0], first), state_of([0, 1], then)
    both = RankingState().merge(one, other)
    assert both.to_bytes() == RankingState().merge(other, one).to_bytes()
    assert both.score() == average_precision_score([1, 0, 0, 1], exact)


def test_labels_are_those_of_all_updates():
    texts = state_of(["spam", "ham"], [0.9, 0.8], pos_label="spam")
    texts.merge(state_of(["ham"], [0.95], pos_label="spam"))
    texts = RankingState.from_bytes(texts.to_bytes())
    assert texts.score() == 0.5
    with pytest.raises(ValueError, match=r"y_true.*'eggs' after 'ham'"):
        texts.update(["eggs"], [0.9])
    for other in (1, "ham", True):
        with pytest.raises(ValueError, match="pos_label"):
            texts.merge(RankingState(pos_label=other))


def test_no_rows_and_a_single_class():
    empty = RankingState.from_bytes(RankingState(pos_label="spam").to_bytes())
    assert repr(empty) == "RankingState(n_samples=0, n_positives=0)"
    assert empty.update(["spam"], [1]).score() == 1
    negatives = state_of([0, 0], [0.5, 0.6])
    with pytest.warns(UserWarning, match="No positive class"):
        assert negatives.score() == 0
    assert np.isnan(negatives.score(zero_division=np.nan))
    assert copy.copy(negatives).merge(state_of([1], [0.55])).score() == 0.5


def test_damaged_bytes_are_refused_or_change_nothing():
    data = state_of(*ROWS, WEIGHTS).update([1, 1], [0.7, 0.7]).to_bytes()
    spoiled = []
    for place, byte in enumerate(data):
        before, after = data[:place], data[place + 1 :]
        spoiled += [before, after, before + after]
        spoiled += [before + bytes([byte ^ bit]) + after for bit in (1, 8, 128)]
    for other in spoiled:
        with pytest.raises(ValueError, match=r"^data must"):
            RankingState.from_bytes(other)


def stored(**header) -> bytes:
    """Bytes of a state with another header."""
    content = state_of(*ROWS, WEIGHTS).to_bytes()[:-4]
    begin = 4 + int.from_bytes(content[:4], "big")
    text = json.dumps({**json.loads(content[4:begin]), **header}).encode()
    data = len(text).to_bytes(4, "big") + text + content[begin:]
    return data + zlib.crc32(data).to_bytes(4, "big")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"sklearn_ap 1\n",  # of an older format
        stored(version=2),
        stored(pos_label=None),
        stored(types={"score": "object", "positive": "bool", "weight": "float64"}),
        stored(types={"scores": "float64", "positive": "bool", "weight": "float64"}),
    ],
)
def test_bytes_that_no_state_writes_are_refused(data):
    with pytest.raises(ValueError, match=r"^(data|pos_label) must"):
        RankingState.from_bytes(data)
    assert RankingState.from_bytes(bytearray(stored())).n_samples == 5


STORED = """
eJxjYGDoqFYqSy0qzszPU7JSMNZRUCrIL47PSUxKzQHyDYH8vNT0xJLMslQg1wDILaksSC0GsquVipPzi0CiSmk5+YklZiZKEM2ZUMVKSfn5OSCx8tTM
9IwSNIV58UX55SBzlDLzQEK1tbNmgsBJe2MwuGyfBgbP7CHiL+3PngGBN/aMDIyMDBDA4QChH9hD6A9oNIMDTCWMZkbjw2in8A/HAJcnRaE=
"""


def test_stored_states_are_read_for_ever():
    """A later version that writes other bytes reads these, too."""
    state = RankingState.from_bytes(zlib.decompress(base64.b64decode(STORED)))
    same = state_of(*ROWS, WEIGHTS).update([1, 1], [0.7, 0.7])
    assert state.to_bytes() == same.to_bytes()
    assert state.update([0], [0.1]).n_samples == 8


def test_threads_that_update_one_state_lose_no_rows():
    """Without a lock, four threads lost a third of their rows."""
    state, n_updates = RankingState(), 300
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (4, n_updates, 5)), rng.normal(size=(4, n_updates, 5))

    def update(labels, scores):
        for y_true, y_score in zip(labels, scores, strict=True):
            state.update(y_true, y_score)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(update, *rows))
    finally:
        sys.setswitchinterval(interval)
    assert state.n_samples == 4 * n_updates * 5
    labels, scores = (part.ravel() for part in rows)
    assert state.to_bytes() == RankingState().update(labels, scores).to_bytes()

"""Scores of rows elsewhere against scores in memory and the oracle, where numbers go wrong most easily."""

import math
import os
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import oracle
import problems
from sklearn_ap import average_precision_score, distributed
from sklearn_ap.distributed import RankingState
from sklearn_ap.distributed._engines import _arrow
from sklearn_ap.distributed._plans import _slices
from sklearn_ap.distributed._states import _rows

MANY = int(os.environ.get("PROOFS", "15"))

LIMITS = (1, 60, 10**9)


@pytest.fixture(autouse=True)
def few_bins(monkeypatch):
    """Cut dozens of rows into ranges: ranges need not take less memory than bins."""
    monkeypatch.setattr(_slices, "_LEAST_BINS", 2)


# --- ranges of scores -------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("unit", [5e-324, 1e-310, 1e-305])
def test_scores_so_close_that_the_inverse_of_their_distance_overflows(limit, unit):
    y_true, y_score = np.arange(40) % 3 == 0, np.arange(40) * unit
    rows = pa.table({"label": y_true, "score": y_score})
    value = distributed.average_precision_score(rows, memory_limit=limit)
    assert value == pytest.approx(average_precision_score(y_true, y_score), abs=1e-15)


def test_bins_so_narrow_that_their_inverse_overflows():
    with pytest.raises(ValueError, match=r"^bins must be"):
        RankingState(bins=(0, 5e-324, 4))
    assert RankingState(bins=(0, 1e-300, 4)).update([0, 1], [0.0, 1e-300]).bounds()[1] == 1


@pytest.mark.parametrize("limit", LIMITS)
def test_integers_that_are_equal_only_as_floats(tmp_path, limit):
    """As floats they would be one tied group, whose average precision is 0.5."""
    above, below = tmp_path / "above.parquet", tmp_path / "below.parquet"
    pq.write_table(pa.table({"label": [1] * 5, "score": [2**53 + 1] * 5}), above)
    pq.write_table(pa.table({"label": [0] * 5, "score": [2.0**53] * 5}), below)
    with pytest.raises(ValueError, match=r"9007199254740993 has more digits than float64 holds"):
        distributed.average_precision_score([above, below], memory_limit=limit)


@pytest.mark.parametrize("limit", LIMITS)
def test_large_integers_with_and_without_a_sign(tmp_path, limit):
    one, other = tmp_path / "one.parquet", tmp_path / "other.parquet"
    scores = [2**62 + 1] * 100, [2**62 + 1 + 2 * i for i in range(100)]
    labels = np.arange(200) % 3 == 0
    pq.write_table(pa.table({"label": labels[:100], "score": pa.array(scores[0], pa.int64())}), one)
    pq.write_table(pa.table({"label": labels[100:], "score": pa.array(scores[1], pa.uint64())}), other)
    value = distributed.average_precision_score([one, other], memory_limit=limit)
    assert value == pytest.approx(
        average_precision_score(labels, np.array([*scores[0], *scores[1]])), abs=1e-15
    )


# --- rows of weight 0 -------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 3000, 10**9])
@pytest.mark.parametrize("name", ["average_precision", "precision@3", "average_precision@0.5"])
def test_all_rows_weigh_nothing(tmp_path, limit, name):
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"label": [0, 1] * 20, "score": np.arange(40.0), "w": np.zeros(40)}), path)
    with pytest.raises(ValueError, match=r"rows\.parquet': column 'w': all rows weigh 0$"):
        distributed.scores([name], path, sample_weight="w", memory_limit=limit)


def test_no_scores_are_asked():
    rows = pa.table({"label": [0, 1], "score": [0.1, 0.9], "q": ["a", "a"]})
    assert distributed.scores([], rows) == distributed.scores([], rows, query_id="q") == {}
    assert RankingState().update([0, 1], [0.1, 0.9]).scores([]) == {}


# --- the oracle -------------------------------------------------------------------------------------------

NO_POSITIVE = "ignore:(No positive class found|y_true holds no positive):UserWarning"
LEAST_WEIGHT = 2.0**-500  # beyond memory


def table_of(problem) -> tuple[pa.Table, dict]:
    """Rows as a table, and the names of its columns as arguments."""
    arguments, columns, names = dict(problem.arguments), {}, {}
    for name, values in (("y_true", problem.y_true), ("y_score", problem.y_score)):
        matrix = np.asarray(values)
        if matrix.ndim == 1:
            columns[name], names[name] = matrix, name
        else:
            names[name] = [f"{name}{i}" for i in range(matrix.shape[1])]
            columns |= dict(zip(names[name], matrix.T.copy(), strict=True))
    for name in ("sample_weight", "query_id"):
        if arguments.pop(name, None) is not None:
            columns[name], names[name] = problem.arguments[name], name
    return pa.table(columns), arguments | names


def too_light(problem) -> bool:
    """Whether weights differ that are so small that they are refused beyond memory."""
    weight = [one for one in problem.arguments.get("sample_weight") or [1.0] if one]
    return min(weight) < LEAST_WEIGHT


def far_apart(problem) -> bool:
    """Whether weights differ so much that a prevalence multiplies some of them by more than is held."""
    weight = [one for one in problem.arguments.get("sample_weight") or [1.0] if one]
    return max(weight) / min(weight) > 2.0**390


@pytest.mark.filterwarnings(NO_POSITIVE)
@pytest.mark.parametrize("name", problems.MEASURES)
@settings(max_examples=MANY)
@given(data=st.data())
def test_score_equals_definition_in_any_parts_and_any_memory(monkeypatch, name, data):
    measure, problem = data.draw(problems.calls(name))
    monkeypatch.setattr(_arrow, "PART_ROWS", data.draw(st.integers(1, 5)))
    limit = data.draw(st.sampled_from([1, 300, 10**9]))
    rows, arguments = table_of(problem)
    arguments |= measure.options
    zero_division = 0.0
    if measure.takes_zero_division:
        zero_division = arguments["zero_division"] = data.draw(st.sampled_from([0.0, 1.0, math.nan]))
    score = partial(getattr(distributed, measure.function.__name__), rows, memory_limit=limit, **arguments)
    if measure.options.get("ties") == "stable":
        with pytest.raises(ValueError, match="order of rows"):
            score()
        return
    if measure.refuses(problem):
        with pytest.raises(ValueError, match="weights"):
            score()
        return
    try:
        expected = problem.expected(measure, zero_division)
    except oracle.AmbiguousError:
        reject()
    refused = ["must be at least 2"] * too_light(problem) + ["leave this factor"] * far_apart(problem)
    try:
        value = score()
    except ValueError as error:
        if not any(one in str(error) for one in refused):
            raise
        reject()
    assert value == pytest.approx(expected, abs=1e-12, rel=0, nan_ok=True)
    assert isinstance(value, np.ndarray if isinstance(expected, list) else float)


@pytest.mark.parametrize("limit", [1, 10**9])
def test_positives_that_are_too_light_beside_those_above(monkeypatch, limit):
    monkeypatch.setattr(_arrow, "PART_ROWS", 1)
    y_true, y_score = np.arange(8) % 4 == 3, [0.2, 0.2, 0.2, 0.5, 0.2, 0.2, 0.2, 0.2]
    weight = np.where(np.arange(8) == 3, 1e150, 1.0)
    rows = pa.table({"label": y_true, "score": y_score, "w": weight})
    names = ["average_precision", "pr_auc", "r_precision"]
    params = {"sample_weight": "w", "memory_limit": limit}
    assert distributed.scores(names, rows, **params) == dict.fromkeys(names, 1.0)
    assert distributed.pr_auc_score(rows, interpolation="davis-goadrich", **params) == 1


# --- nothing is lost, modified or left open ---------------------------------------------------------------

RNG = np.random.default_rng(11)
LABELS, SCORES, WEIGHTS = RNG.random(300) < 0.3, RNG.random(300).round(2), RNG.random(300) + 0.5
NAMES = ["average_precision", "pr_auc", "recall@0.1", "average_precision@0.05", "precision@7"]


def read_only(values):
    values = values.copy()
    values.flags.writeable = False
    return values


def files_of_many_types(folder) -> list:
    """The same scores as floats, halves, decimals, integers and bools, with and without statistics."""
    halves = np.repeat([0.0, -0.0, 1.0, 0.5, -2.0], 60)
    floats = [pa.float64(), pa.float32(), pa.float16(), pa.decimal128(9, 3)]
    kinds = [*floats, pa.int8(), pa.uint64(), pa.bool_()]
    files, labels, scores = [], [], []
    for number, kind in enumerate(kinds):
        score = RNG.permutation(halves)[:40]
        score = {pa.int8(): np.trunc(score), pa.uint64(): np.ceil(abs(score))}.get(kind, score)
        score = (score > 0.5).astype(float) if kind == pa.bool_() else score
        column = pa.array([Decimal(str(one)) for one in score], kind) if number == 3 else None
        files.append(folder / f"{number}.parquet")
        labels.append(RNG.random(40) < 0.3)
        rows = {"label": labels[-1], "score": pa.array(score).cast(kind) if column is None else column}
        pq.write_table(pa.table(rows), files[-1], row_group_size=7, write_statistics=number % 2 == 0)
        scores.append(score)
    return [files, np.concatenate(labels), np.concatenate(scores)]


@pytest.mark.parametrize("limit", LIMITS)
def test_files_of_many_types(tmp_path, limit):
    files, y_true, y_score = files_of_many_types(tmp_path)
    value = distributed.average_precision_score(files, memory_limit=limit)
    expected = average_precision_score(y_true, y_score)
    assert abs(value - expected) <= (0 if limit == LIMITS[-1] else 1e-15)
    assert value == distributed.average_precision_score(files, memory_limit=limit)


@pytest.mark.parametrize("limit", [60, 10**9])
def test_rows_of_a_caller_stay_as_they_are(limit):
    pandas = pytest.importorskip("pandas")
    rows = pandas.DataFrame({"label": LABELS.astype(int), "score": SCORES, "w": WEIGHTS})[:100]
    table = pa.table({name: read_only(rows[name].to_numpy()) for name in rows})
    before = rows.copy(deep=True)
    for data in (rows, table):
        for weight in (None, "w"):
            distributed.scores(NAMES, data, sample_weight=weight, memory_limit=limit)
    pandas.testing.assert_frame_equal(rows, before)
    pandas.testing.assert_frame_equal(table.to_pandas(), before)


@pytest.mark.parametrize("limit", LIMITS)
def test_warning_comes_once_and_names_the_caller(limit):
    with pytest.warns(UserWarning, match="No positive class found") as caught:
        distributed.average_precision_score(
            pa.table({"label": [0] * 40, "score": SCORES[:40]}), memory_limit=limit
        )
    assert [one.filename for one in caught] == [__file__]


def test_no_thread_is_left_after_an_interruption(monkeypatch):
    monkeypatch.setattr(_arrow, "PART_ROWS", 5)

    def interrupted(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        distributed.average_precision_score(
            pa.table({"label": LABELS, "score": SCORES}), progress=interrupted
        )
    assert not [one for one in threading.enumerate() if one.name.startswith("sklearn_ap")]


# --- states -----------------------------------------------------------------------------------------------

KINDS = [{}, {"k": 3}, {"bins": (0, 1, 16)}]


def state(rows=slice(None), weight=None, **options) -> RankingState:
    return RankingState(**options).update(
        read_only(LABELS[rows]), read_only(SCORES[rows]), None if weight is None else read_only(weight[rows])
    )


@pytest.mark.parametrize("options", KINDS)
def test_states_are_one_however_they_were_made(options):
    first, second = slice(0, 120), slice(120, None)
    whole = state(**options)
    scored = state(first, **options)
    if "bins" not in options:
        scored.score("precision@3")
    merged = scored.merge(state(second, **options))
    stored = RankingState.from_bytes(state(second, **options).to_bytes())
    updated = stored.update(LABELS[first], SCORES[first])
    pickled = pickle.loads(pickle.dumps(state(first, **options))) + state(second, **options)
    assert {one.to_bytes() for one in (merged, updated, pickled)} == {whole.to_bytes()}


def test_sums_of_states_with_and_without_weights():
    first, second = slice(0, 120), slice(120, None)
    plain, weighed = state(first), state(second, WEIGHTS)
    ones = np.where(np.arange(300) < 120, 1.0, WEIGHTS)
    assert (plain + weighed).to_bytes() == (weighed + plain).to_bytes() == state(weight=ones).to_bytes()


def test_state_merged_with_itself_has_its_rows_twice():
    twice = state()
    twice.merge(twice)
    assert twice.n_samples == 600
    assert twice.score() == average_precision_score(np.tile(LABELS, 2), np.tile(SCORES, 2))


@pytest.mark.parametrize("options", KINDS)
@pytest.mark.parametrize(
    "refused",
    [
        lambda one: one.update([0, 2], [0.1, 0.2]),
        lambda one: one.update([-1, 1], [0.1, 0.2]),
        lambda one: one.update([0, 1], [0.1, np.nan]),
        lambda one: one.update([0, 1], [0.1]),
        lambda one: one.update([1, 1], [0.5, 2**53 + 1]),
        lambda one: one.merge(one, RankingState(pos_label=2)),
        lambda one: one.merge(one, RankingState(k=7)),
        lambda one: one.merge(one, 3),
    ],
)
def test_refused_rows_leave_a_state_as_it_was(options, refused):
    one = state(**options)
    before = one.to_bytes()
    with pytest.raises((TypeError, ValueError)):
        refused(one)
    assert one.to_bytes() == before


def test_interruption_of_a_sort_loses_no_row(monkeypatch):
    one, before = state(), state().to_bytes()

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_rows, "sorted_scores", interrupted)
        with pytest.raises(KeyboardInterrupt):
            one.score()
    assert one.to_bytes() == before


def test_threads_may_score_one_state():
    one, expected = state(weight=WEIGHTS), state(weight=WEIGHTS).scores(NAMES)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: one.scores(NAMES), range(24)))
    assert found == [expected] * 24

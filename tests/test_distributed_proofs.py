"""Scores of rows elsewhere against scores in memory and the oracle, where numbers are most likely to go wrong."""

import math
import os
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

import oracle
import problems
from sklearn_ap import average_precision_score, distributed
from sklearn_ap.distributed import RankingState
from sklearn_ap.distributed._engines import _batches
from sklearn_ap.distributed._plans import _slices

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
    with pytest.raises(ValueError, match=r"got 9007199254740993 of int64, which float64 would round"):
        distributed.average_precision_score([above, below], memory_limit=limit)


@pytest.mark.parametrize("limit", LIMITS)
def test_large_integers_with_and_without_a_sign(tmp_path, limit):
    one, other = tmp_path / "one.parquet", tmp_path / "other.parquet"
    scores = [2**62 + 1] * 100, [2**62 + 1 + 2 * i for i in range(100)]
    labels = np.arange(200) % 3 == 0
    pq.write_table(pa.table({"label": labels[:100], "score": pa.array(scores[0], pa.int64())}), one)
    pq.write_table(pa.table({"label": labels[100:], "score": pa.array(scores[1], pa.uint64())}), other)
    value = distributed.average_precision_score([one, other], memory_limit=limit)
    assert value == pytest.approx(average_precision_score(labels, np.array(sum(scores, []))), abs=1e-15)


# --- rows of weight 0 -------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 3000, 10**9])
@pytest.mark.parametrize("name", ["average_precision", "precision@3", "average_precision@0.5"])
def test_all_rows_weigh_nothing(tmp_path, limit, name):
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"label": [0, 1] * 20, "score": np.arange(40.0), "w": np.zeros(40)}), path)
    with pytest.raises(ValueError, match=r"rows\.parquet': column 'w': all rows weigh 0$"):
        distributed.scores(path, [name], sample_weight="w", memory_limit=limit)


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize(
    "kind", [pa.timestamp("ms"), pa.date32(), pa.time64("us"), pa.duration("s")], ids=str
)
def test_times_are_scores(tmp_path, limit, kind):
    """Statistics of times in Parquet are times of Python."""
    y_true, y_score = np.arange(40) % 3 == 0, np.arange(40) * 7919 % 101
    path = tmp_path / "rows.parquet"
    times = pa.array(y_score, pa.int32() if kind.bit_width == 32 else pa.int64()).cast(kind)
    pq.write_table(pa.table({"label": y_true, "score": times}), path)
    value = distributed.average_precision_score(path, memory_limit=limit)
    assert value == pytest.approx(average_precision_score(y_true, y_score), abs=1e-15)


def test_no_scores_are_asked():
    rows = pa.table({"label": [0, 1], "score": [0.1, 0.9], "q": ["a", "a"]})
    assert distributed.scores(rows, []) == distributed.scores(rows, [], query_id="q") == {}
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
@settings(max_examples=MANY, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_score_equals_definition_in_any_parts_and_any_memory(monkeypatch, name, data):
    measure, problem = data.draw(problems.calls(name))
    monkeypatch.setattr(_batches, "PART_ROWS", data.draw(st.integers(1, 5)))
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
    try:
        value = score()
    except ValueError as error:
        light = "must be at least 2**-500" in str(error) and too_light(problem)
        assert light or ("leave this factor between" in str(error) and far_apart(problem))
        reject()
    assert value == pytest.approx(expected, abs=1e-12, rel=0, nan_ok=True)
    assert isinstance(value, np.ndarray if isinstance(expected, list) else float)


@pytest.mark.parametrize("limit", [1, 10**9])
def test_positives_that_are_too_light_beside_those_above(monkeypatch, limit):
    monkeypatch.setattr(_batches, "PART_ROWS", 1)
    y_true, y_score = np.arange(8) % 4 == 3, [0.2, 0.2, 0.2, 0.5, 0.2, 0.2, 0.2, 0.2]
    weight = np.where(np.arange(8) == 3, 1e300, 1.0)
    rows = pa.table({"label": y_true, "score": y_score, "w": weight})
    names = ["average_precision", "pr_auc", "r_precision"]
    params = {"sample_weight": "w", "memory_limit": limit}
    assert distributed.scores(rows, names, **params) == dict.fromkeys(names, 1.0)
    assert distributed.pr_auc_score(rows, interpolation="davis-goadrich", **params) == 1

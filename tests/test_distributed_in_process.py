"""Rows that are read in this process are written to where they stay: any parts give the score of all rows."""

from threading import Thread

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from sklearn_ap import average_precision_score, distributed
from sklearn_ap._reading._read import recognise
from sklearn_ap.distributed._engines._arrow import PART_ROWS
from sklearn_ap.distributed._plans._job import Filling
from sklearn_ap.distributed._states._rows import AllRows
from sklearn_ap.distributed._states._sums import Bins

DTYPES = ("int8", "uint8", "int32", "uint32", "int64", "uint64", "float32", "float64", "bool")


def checked(y_true, y_score):
    rows = recognise(y_true, y_score, None, average="macro", pos_label=1)
    assert rows is not None
    return rows


def parts_of(dtype, sizes=(300, 1, 500, 199)):
    rng = np.random.default_rng(3)
    labels = [(rng.random(size) < 0.3).astype(np.int8) for size in sizes]
    return [checked(one, (rng.random(one.size) * 100).astype(dtype)) for one in labels]


@pytest.mark.parametrize("dtype", DTYPES)
def test_filled_rows_are_those_of_states_that_are_joined(dtype):
    parts = parts_of(dtype)
    filling = Filling(np.dtype(dtype), 1000)
    threads = [Thread(target=filling, args=(part,)) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rows, joined = filling.rows(), AllRows.of_rows(parts[0])
    for part in parts[1:]:
        joined = joined.joined(AllRows.of_rows(part))
    assert rows is not None
    assert rows.counts == joined.counts == filling.counts
    assert rows.dtype == joined.dtype
    assert rows.nbytes == joined.nbytes
    for one, other in zip(rows.arrays().values(), joined.arrays().values(), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("n_rows", [999, 1001])
def test_other_numbers_of_rows_are_counted(n_rows):
    filling = Filling(np.dtype("float64"), n_rows)
    for part in parts_of("float64"):
        filling(part)
    assert filling.rows() is None
    assert sum(filling.counts) == 1000


@pytest.mark.parametrize(
    ("told", "others", "is_filled"),
    [
        ("float64", "float32", True),
        ("float64", "int32", True),
        ("float64", "int64", False),
        ("float32", "int8", False),
    ],
)
def test_types_that_states_would_not_share_are_left_to_states(told, others, is_filled):
    filling = Filling(np.dtype(told), 2000)
    for part in (*parts_of(told), *parts_of(others)):
        filling(part)
    assert (filling.rows() is not None) == is_filled
    assert sum(filling.counts) == 2000


def test_one_class_alone():
    for label in (0, 1):
        filling = Filling(np.dtype("float32"), 3)
        filling(checked(np.full(3, label), np.array([3, 1, 2], dtype=np.float32)))
        rows = filling.rows()
        assert rows is not None
        assert rows.counts == ((3, 0) if label else (0, 3))
        np.testing.assert_array_equal(rows.in_order()[1 - label].score, [1, 2, 3])


def test_bins_of_more_scores_than_are_looked_at_at_once():
    score = np.random.default_rng(0).random(300_001) * 1.2 - 0.1
    expected = np.clip(np.floor(score * 1000), 0, 999)
    np.testing.assert_array_equal(Bins(0.0, 1.0, 1000).of(score), expected)
    np.testing.assert_array_equal(
        Bins(0.0, 1.0, 1000).of(score[:300_000].reshape(3, -1)).ravel(), expected[:-1]
    )


@pytest.mark.parametrize("rate", [0.002, 0.4])
@pytest.mark.parametrize("limit", [100_000, 2_000_000, 10**9])
def test_files_of_several_types(tmp_path, rate, limit):
    rng, labels, scores = np.random.default_rng(1), [], []
    for i, dtype in enumerate(("float32", "float64", "int32", "int64")):
        labels.append((rng.random(20_000) < rate).astype(np.int8))
        scores.append((rng.random(20_000) * 1000).astype(dtype))
        table = pa.table({"label": labels[i], "score": scores[i]})
        parquet.write_table(table, tmp_path / f"{i}.parquet", row_group_size=3_000)
    expected = average_precision_score(np.concatenate(labels), np.concatenate(scores))
    assert distributed.average_precision_score(tmp_path, memory_limit=limit) == pytest.approx(
        expected, abs=1e-15
    )


@pytest.mark.parametrize("limit", [3_000_000, 10**9])
def test_parts_that_several_threads_add(tmp_path, limit):
    rng = np.random.default_rng(2)
    y_true, y_score = rng.random(3 * PART_ROWS) < 0.4, rng.random(3 * PART_ROWS, dtype=np.float32)
    path = tmp_path / "rows.parquet"
    parquet.write_table(pa.table({"label": y_true, "score": y_score}), path, row_group_size=PART_ROWS // 4)
    values = {distributed.average_precision_score(path, memory_limit=limit) for _ in range(2)}
    assert len(values) == 1
    assert values.pop() == pytest.approx(average_precision_score(y_true, y_score), abs=1e-15)

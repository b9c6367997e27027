"""Means over queries of rows in parts: the values of memory, whatever fits."""

import subprocess
import sys
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics import ALL_SCORES, LEVELS, counts_weight
from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    precision_at_k_score,
    score_by_query,
)
from sklearn_ap._reading._queries import read_numbered
from sklearn_ap.distributed._plans._job import Job
from sklearn_ap.distributed._plans._part import Roles
from sklearn_ap.distributed._plans._queries import buckets_of, by_query, scores_of_queries
from sklearn_ap.distributed._question import question_of
from sklearn_ap.distributed._source import SourceError
from sources import PartsSource

EVERY = [(score, LEVELS.get(score.__name__, {})) for score in ALL_SCORES]
WEIGHTED = [call for call in EVERY if counts_weight(call[0])]
IDS = {
    "integers": lambda number: number - 2,
    "floats": lambda number: np.where(number == 1, -0.0, number / 2 - 0.5),
    "text": lambda number: np.array([f"query {one}" for one in number], dtype=object),
}


def job_of(columns, parts=7, limit=10**9, weight=None, **options) -> Job:
    source = PartsSource(columns, parts, **options)
    return Job(source, Roles("y", "x", weight, "q"), limit, lambda *_: None)


def scored(job, calls, average):
    return scores_of_queries(job, [question_of(*call) for call in calls], average)


def scored_by_query(job, score, **params):
    return by_query(job, [question_of(score, params)])[0]


def drawn(seed, n=150, queries=30, ids="integers"):
    draw = np.random.default_rng(seed)
    q = IDS[ids](draw.integers(0, queries, n))
    return {"y": (draw.random(n) < 0.4).astype(int), "x": np.round(draw.random(n), 1), "q": q}


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32 - 1),
    ids=st.sampled_from(list(IDS)),
    parts=st.integers(5, 200),
    limit=st.sampled_from([1000, 3000, 8000, 10**9]),
    average=st.sampled_from(["macro", "weighted", None]),
    weighted=st.booleans(),
    statistics=st.booleans(),
)
def test_values_are_those_of_memory(seed, ids, parts, limit, average, weighted, statistics):
    rows = drawn(seed, ids=ids)
    weight = np.random.default_rng(seed).integers(0, 3, 150) / 2 if weighted else None
    columns = rows if weight is None else rows | {"w": weight}
    job = job_of(columns, parts, limit, "w" if weighted else None, statistics=statistics)
    calls = [
        (score, params | {"zero_division": 0.0})
        if "zero_division" in score.__kwdefaults__
        else (score, params)
        for score, params in (WEIGHTED if weighted else EVERY)
    ]
    for (score, params), found in zip(calls, scored(job, calls, average), strict=True):
        expected = score(
            rows["y"], rows["x"], query_id=rows["q"], average=average, sample_weight=weight, **params
        )
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15)
    assert (job.source.scans == 1) == (limit == 10**9)


@pytest.mark.parametrize("limit", [2000, 10**9])
@pytest.mark.parametrize("total", [200, "by query"])
def test_totals(limit, total):
    rows = drawn(3)
    names = [*np.unique(rows["q"]).tolist(), 1000, 2000]
    total = dict.fromkeys(names, 150) | {2000: 0} if total == "by query" else total
    calls = [(average_precision_score, {"n_positives": total, "zero_division": 1.0})]
    for average in ("macro", "weighted", "micro", None):
        found = scored(job_of(rows, limit=limit), calls, average)[0]
        expected = average_precision_score(
            rows["y"], rows["x"], query_id=rows["q"], average=average, **calls[0][1]
        )
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize("limit", [2000, 10**9])
def test_lacking_total_is_named_as_in_memory(limit):
    rows = drawn(3)
    stated = dict.fromkeys(range(-2, 10), 150)
    with pytest.raises(ValueError, match="names no total") as expected:
        average_precision_score(rows["y"], rows["x"], query_id=rows["q"], n_positives=stated)
    with pytest.raises(ValueError, match="names no total") as found:
        scored(job_of(rows, limit=limit), [(average_precision_score, {"n_positives": stated})], "macro")
    assert str(found.value) == str(expected.value)


@pytest.mark.parametrize("limit", [2000, 10**9])
def test_one_warning_with_all_queries(limit):
    rows = drawn(4)
    with pytest.warns(UserWarning, match="no positive") as expected:
        average_precision_at_k_score(rows["y"] * (rows["q"] > 9), rows["x"], query_id=rows["q"])
    rows["y"] = rows["y"] * (rows["q"] > 9)
    with pytest.warns(UserWarning, match="no positive") as found:
        scored(job_of(rows, limit=limit), [(average_precision_at_k_score, {})], "macro")
    assert [str(one.message) for one in found] == [str(one.message) for one in expected]


@pytest.mark.parametrize("limit", [2000, 10**9])
@pytest.mark.parametrize("ids", IDS)
def test_by_query(limit, ids):
    rows = drawn(5, ids=ids)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = scored_by_query(job_of(rows, limit=limit), precision_at_k_score, k=2)
        expected = score_by_query(precision_at_k_score, rows["y"], rows["x"], query_id=rows["q"], k=2)
    assert found == pytest.approx(expected, abs=1e-15)
    assert list(found) == list(expected)


@pytest.mark.parametrize("types", [("i4", "i8"), ("i8", "f8"), ("u8", "i8"), ("f4", "f8"), ("i8", "O")])
@pytest.mark.parametrize("limit", [1000, 10**9])
def test_ids_of_other_types_are_the_same_query(types, limit):
    rows = drawn(6, n=80)
    q = rows["q"] + 2
    columns = {name: [rows[name][:40], rows[name][40:]] for name in "yx"}
    columns["q"] = [q[:40].astype(types[0]), q[40:].astype(types[1])]
    found = scored(job_of(columns, limit=limit), [(average_precision_score, {"zero_division": 0.0})], "macro")
    expected = average_precision_score(rows["y"], rows["x"], query_id=q, zero_division=0.0)
    assert found == pytest.approx([expected], abs=1e-15)


def test_large_ids_are_not_rounded():
    columns = {"y": [np.array([1]), np.array([1])], "x": [np.array([0.5]), np.array([0.5])]}
    columns["q"] = [np.array([2**53 + 1]), np.array([2.0**53])]
    assert len(scored_by_query(job_of(columns), average_precision_score)) == 2


def test_far_dates_are_not_rounded():
    # Nanoseconds count 64 bits, up to the year 2262.
    columns = {"y": [np.array([1]), np.array([1])], "x": [np.array([0.5]), np.array([0.5])]}
    columns["q"] = [np.array(["9999-12-31"], "M8[s]"), np.array(["2020-01-01"], "M8[ns]")]
    found = scored_by_query(job_of(columns), average_precision_score)
    assert [str(one)[:10] for one in found] == ["2020-01-01", "9999-12-31"]


@pytest.mark.parametrize("kind", ["M", "m"])
def test_equal_dates_of_any_unit_share_a_bucket(kind):
    """From the year -18,000 to 22,000, which nanoseconds do not hold."""
    weeks = np.arange(-(2**20), 2**20, 2**12 + 1).astype(f"{kind}8[W]")
    expected = buckets_of(weeks, 2**14)
    assert len(set(expected.tolist())) > 500
    for unit in ["D", "h", "6h", "m", "s", "ms", "us"]:
        assert (buckets_of(weeks.astype(f"{kind}8[{unit}]"), 2**14) == expected).all()
    near = np.arange(-(10**4), 10**4, 997).astype(f"{kind}8[W]")
    for unit in ["ns", "100ns"]:
        assert (buckets_of(near.astype(f"{kind}8[{unit}]"), 2**14) == buckets_of(near, 2**14)).all()


def test_buckets_do_not_depend_on_the_process():
    code = (
        "import numpy as np; from sklearn_ap._reading._queries import read_numbered;"
        "from sklearn_ap.distributed._plans._queries import buckets_of;"
        "ids = read_numbered(np.array(['a', 'b', 'c\\u00e4'], dtype=object), 3);"
        "print(buckets_of(ids, 1000).tolist())"
    )
    ids = read_numbered(np.array(["a", "b", "cä"], dtype=object), 3)
    found = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONHASHSEED": "1", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == str(buckets_of(ids, 1000).tolist())  # here, the seed is drawn


@pytest.mark.parametrize(
    ("ids", "row"),
    [(np.array([1.0, np.nan, 2.0]), 2), (np.array(["a", "b", None], dtype=object), 3)],
)
def test_missing_id_is_refused(ids, row):
    columns = {"y": np.array([0, 1, 1]), "x": np.array([0.1, 0.2, 0.3]), "q": ids}
    with pytest.raises(SourceError, match=f"^'rows': column 'q', row {row}: no value$"):
        scored(job_of(columns, 3), [(average_precision_score, {})], "macro")


def test_rows_read_once_must_fit():
    job = job_of(drawn(7), limit=1000, reads_again=False)
    with pytest.raises(SourceError, match=r"memory_limit must be at least 9600 bytes here: .* all 150 rows"):
        scored(job, [(average_precision_score, {})], "macro")


def test_rows_that_change_between_scans_are_refused():
    job = job_of(drawn(8), limit=2000)

    def tell(*_):
        if job.source.scans == 1:
            job.source.parts[-1] = {name: values[:1] for name, values in job.source.parts[-1].items()}
            job.source.parts[3] = {name: values[:1] for name, values in job.source.parts[3].items()}

    # The first scan has read part 3 before it is cut.
    changed = replace(job, told=lambda done, total: tell() if done == total else None)
    with pytest.raises(SourceError, match="changed between two scans"):
        scored(changed, [(average_precision_score, {"zero_division": 0.0})], "macro")


def test_samples_are_refused():
    with pytest.raises(ValueError, match="average='samples' makes every row a ranking"):
        scored(job_of(drawn(9)), [(average_precision_score, {})], "samples")

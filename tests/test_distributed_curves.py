"""Curves and thresholds of rows that come in parts: those of all rows, or exact points of them."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sklearn_ap as ap
from sklearn_ap import distributed
from sklearn_ap._operating_points import read_condition
from sklearn_ap.distributed._plans._curves import hits_of, interpolated_of, point_of
from sklearn_ap.distributed._plans._job import Job
from sklearn_ap.distributed._plans._part import Roles
from sources import PartsSource

pytestmark = pytest.mark.filterwarnings("ignore:.*[Nn]o positive")
LIMITS = [1_000, 4_000, 10**9]
CONDITIONS = [
    {"recall": 0.5},
    {"recall": 1.0},
    {"precision": 0.5},
    {"precision": 0.97},
    {"k": 5},
    {"k": 0.1},
    {"beta": 1},
    {"beta": 0},
    {"beta": float("inf")},
]
KINDS = {
    "float64": lambda rng, n: rng.random(n),
    "float32": lambda rng, n: rng.random(n, dtype=np.float32),
    "ties": lambda rng, n: np.round(rng.normal(size=n), 1),
    "small integers": lambda rng, n: rng.integers(-2, 4, n).astype(np.int8),
    "one outlier": lambda rng, n: np.append(rng.random(n - 1), 1e300),
    "one score": lambda rng, n: np.zeros(n),
}


@st.composite
def rows(draw, least=1, most=400):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(least, most))
    y_true = (rng.random(n) < draw(st.sampled_from([0.02, 0.3, 0.9]))).astype(int)
    return y_true, KINDS[draw(st.sampled_from(sorted(KINDS)))](rng, n), draw(st.integers(n // 4 + 1, n + 1))


def job_of(drawn, limit=10**9) -> Job:
    y_true, y_score, part_rows = drawn
    return Job(PartsSource({"y": y_true, "s": y_score}, part_rows), Roles("y", "s"), limit, lambda *_: None)


def outcome(function, *args, **options):
    try:
        return function(*args, **options)
    except ValueError as error:
        return str(error)


def same(curves, others):
    assert [one.dtype for one in curves] == [one.dtype for one in others]
    return all(np.array_equal(*pair) for pair in zip(curves, others, strict=True))


@settings(max_examples=30)
@given(rows(), st.sampled_from(LIMITS), st.sampled_from([0, 3]))
def test_curves_of_few_points_are_those_in_memory(drawn, limit, missed):
    y_true, y_score, _ = drawn
    total = int(y_true.sum()) + missed if missed else None
    expected = ap.interpolated_precision_recall_curve(y_true, y_score, n_positives=total)
    assert same(interpolated_of(job_of(drawn, limit), total, 10_000), expected)
    expected = ap.hit_curve(y_true, y_score, n_positives=total)
    assert same(hits_of(job_of(drawn, limit), total, 10_000)[:3], expected)


@settings(max_examples=30)
@given(rows(), st.sampled_from(LIMITS[:2]), st.sampled_from([2, 7, 30]))
def test_thinned_curves_hold_exact_points_without_wide_gaps(drawn, limit, max_points):
    y_true, y_score, _ = drawn
    precision, recall, threshold = ap.interpolated_precision_recall_curve(y_true, y_score)
    detected, hits, of_hits = ap.hit_curve(y_true, y_score)
    if y_score.dtype.itemsize * y_score.size <= limit:
        return
    found = interpolated_of(job_of(drawn, limit), None, max_points)
    assert found.threshold.size <= max_points
    place = threshold.searchsorted(found.threshold)
    assert place[0] == 0
    assert place[-1] == threshold.size - 1
    assert same(found, (np.append(precision[place], 1), np.append(recall[place], 0), threshold[place]))
    curve = hits_of(job_of(drawn, limit), None, max_points)
    back = np.append(0, (threshold.size - place)[::-1])
    assert same(curve[:3], (detected[back], hits[back], of_hits[back]))
    widest = 2 / (max_points // 2) + 1e-12
    share = detected[::-1][:-1]
    of_recall = recall[:-1] if y_true.any() else 0 * share
    gaps = np.maximum(-np.diff(share[place]), -np.diff(of_recall[place]))
    assert np.all((gaps <= widest) | (np.diff(place) == 1))


@settings(max_examples=30)
@given(rows(), st.sampled_from(LIMITS), st.sampled_from(CONDITIONS), st.sampled_from([0, 3]))
def test_thresholds_are_those_in_memory(drawn, limit, asked, missed):
    y_true, y_score, _ = drawn
    total = int(y_true.sum()) + missed if missed else None
    expected = outcome(ap.operating_point, y_true, y_score, n_positives=total, **asked)
    assert outcome(point_of, job_of(drawn, limit), read_condition(**asked), total) == expected


def test_a_budget_that_ends_among_many_positives():
    y_true, y_score = np.ones(900, dtype=int), np.append(np.linspace(0, 1, 899), 1e300)
    found = point_of(job_of((y_true, y_score, 300), 1_000), read_condition(k=100), None)
    assert found == ap.operating_point(y_true, y_score, k=100)
    assert found.n_retrieved == 100


def test_few_bins_are_read():
    rng = np.random.default_rng(0)
    y_score = rng.random(200_000)
    y_true = (rng.random(y_score.size) < y_score**3).astype(int)
    source = PartsSource({"y": y_true, "s": y_score}, 50_000)
    job = Job(source, Roles("y", "s"), 200_000, lambda *_: None)
    for asked in CONDITIONS:
        source.scans = 0
        expected = outcome(ap.operating_point, y_true, y_score, **asked)
        assert outcome(point_of, job, read_condition(**asked), None) == expected
        assert source.scans <= 3, asked
    source.scans = 0
    curve = hits_of(job, None, 100)
    assert source.scans == 2
    detected, hits, threshold = ap.hit_curve(y_true, y_score)
    place = np.isin(threshold, curve.threshold)
    assert same(curve[:3], (detected[place], hits[place], threshold[place]))


def test_a_curve_that_takes_more_memory_than_its_rows_is_thinned():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, 5_000), rng.random(5_000)
    found = interpolated_of(job_of((y_true, y_score, 999), 60_000), None, 100)
    beyond = interpolated_of(job_of((y_true, y_score, 999), 30_000), None, 100)
    assert found.threshold.size <= 100
    assert same(found, beyond)
    assert interpolated_of(job_of((y_true, y_score, 999), 10**6), None, 100).threshold.size == 5_000


def test_changed_rows_are_refused():
    class Changing(PartsSource):
        def scan(self, *args):
            if self.scans:
                self.parts = self.parts[:1]
            return super().scan(*args)

    rng = np.random.default_rng(0)
    source = Changing({"y": rng.integers(0, 2, 3_000), "s": rng.random(3_000)}, 1_000)
    job = Job(source, Roles("y", "s"), 2_000, lambda *_: None)
    with pytest.raises(
        ValueError, match=r"^'rows': changed between two scans: a range of scores held \d+ rows"
    ):
        interpolated_of(job, None, 100)


def test_a_source_that_is_read_once():
    source = PartsSource({"y": np.array([0, 1] * 50), "s": np.arange(100.0)}, reads_again=False)
    job = Job(source, Roles("y", "s"), 100, lambda *_: None)
    with pytest.raises(
        ValueError, match=r"memory_limit must be at least 800 bytes here: .* all 100 rows must fit"
    ):
        hits_of(job, None, 10)


@pytest.mark.parametrize("value", [1, 0, 2.5, "all", None, float("nan"), True])
@pytest.mark.parametrize("curve", [distributed.hit_curve, distributed.interpolated_precision_recall_curve])
def test_max_points_is_checked(curve, value):
    with pytest.raises(ValueError, match=r"^max_points must be an integer >= 2; got"):
        curve("nowhere.parquet", max_points=value)


def test_the_public_functions(tmp_path):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    y_true, y_score = rng.integers(0, 2, 500), np.round(rng.random(500), 2).astype(np.float32)
    path = tmp_path / "rows.parquet"
    pd.DataFrame({"label": np.where(y_true, "yes", "no"), "score": y_score}).to_parquet(
        path, row_group_size=99
    )
    for name in ("hit_curve", "interpolated_precision_recall_curve"):
        expected = getattr(ap, name)(y_true, y_score, n_positives=300)
        for limit in (1_000, "auto"):
            found = getattr(distributed, name)(path, pos_label="yes", n_positives=300, memory_limit=limit)
            assert same(found, expected)
    expected = ap.operating_point(y_true, y_score, beta=2, n_positives=300)
    options = {"pos_label": "yes", "n_positives": 300, "memory_limit": "1kB"}
    assert distributed.operating_point(path, beta=2, **options) == expected
    with pytest.raises(ValueError, match=r"^n_positives must not be below"):
        distributed.hit_curve(path, pos_label="yes", n_positives=3)
    with pytest.raises(ValueError, match=r"^recall, precision, k and beta: pass exactly one"):
        distributed.operating_point(path)
    with pytest.raises(TypeError, match=r"^y_score must be the name of a column, such as 'score'; got \['a'"):
        distributed.hit_curve(path, y_score=["a", "b"])


LABELS = {
    "0 and 1": [0, 1, 0, 1, 1],
    "-1 and 1": [-1, -1, 1, 1, -1],
    "0 and -1": [1, 0, -1, 1, 1],
    "three": [0, 0, 1, 2, 1],
    "words": ["b", "b", "a", "b", "b"],
    "one": [3, 3, 3, 3, 3],
    "shares": [0.5, 0.5, 1.0, 0.5, 0.5],
}


@pytest.mark.parametrize("pos_label", [None, 1, 2, "a", "c"])
@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_labels_mean_what_they_mean_in_memory(labels, pos_label):
    y_true, y_score = np.array(labels, dtype=object if isinstance(labels[0], str) else None), np.arange(5.0)
    expected = outcome(ap.hit_curve, labels, y_score, pos_label=pos_label)
    for part_rows in (2, 5):
        source = PartsSource({"label": y_true, "score": y_score}, part_rows)
        found = outcome(distributed.hit_curve, source, pos_label=pos_label)
        if isinstance(expected, str):
            words = (
                "is not a valid label"
                if "valid label" in expected
                else "pos_label is not specified|format is"
            )
            assert re.search(words, found), (expected, found)
        else:
            assert same(found, expected)

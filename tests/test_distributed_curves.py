"""Curves and thresholds of rows that come in parts: those of all rows, or exact points of them."""

import re
from dataclasses import replace
from typing import NamedTuple

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


WEIGHTS = {
    "none": lambda rng, y: None,
    "eighths": lambda rng, y: np.maximum(rng.integers(0, 40, y.size), np.arange(y.size) == 0) / 8,
    "equal": lambda rng, y: np.full(y.size, 0.1),
    "by class": lambda rng, y: np.where(y == 1, 0.3, 0.7),
    "far apart": lambda rng, y: 10 ** rng.uniform(-6, 6, y.size),
}
EXACT = ("none", "eighths")  # whose sums are not rounded


class Drawn(NamedTuple):
    y: np.ndarray
    s: np.ndarray
    w: np.ndarray | None
    q: np.ndarray
    exact: bool
    part_rows: int

    def source(self, **options):
        columns = {name: one for name, one in self._asdict().items() if name in "yswq" and one is not None}
        return PartsSource(columns, self.part_rows, **options)

    def total(self, missed):
        """The positives in weight, and those that were missed; None states nothing."""
        weight = self.y if self.w is None else self.w * self.y
        return None if missed is None else float(weight.sum()) + missed

    def both(self, name, limit, *, queries=False, **options):
        """What a function gives in memory, and of data."""
        named = {"sample_weight": "w", "query_id": "q"}
        values = {"sample_weight": self.w, "query_id": self.q if queries else None}
        columns = {one: named[one] for one, value in values.items() if value is not None}
        found = getattr(distributed, name), self.source(), "y", "s"
        return (
            outcome(getattr(ap, name), self.y, self.s, **values, **options),
            outcome(*found, **columns, memory_limit=limit, **options),
        )


@st.composite
def rows(draw, least=1, most=400, weights=WEIGHTS):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(least, most))
    y_true = (rng.random(n) < draw(st.sampled_from([0.02, 0.3, 0.9]))).astype(int)
    score, kind = KINDS[draw(st.sampled_from(sorted(KINDS)))](rng, n), draw(st.sampled_from(sorted(weights)))
    queries = rng.integers(0, draw(st.sampled_from([1, 5, 60])), n)
    part_rows = draw(st.integers(n // 4 + 1, n + 1))
    return Drawn(y_true, score, WEIGHTS[kind](rng, y_true), queries, kind in EXACT, part_rows)


def job_of(drawn, limit=10**9) -> Job:
    return Job(drawn.source(), Roles("y", "s", None if drawn.w is None else "w"), limit, lambda *_: None)


def outcome(function, *args, **options):
    try:
        return function(*args, **options)
    except ValueError as error:
        return str(error)


def same(curves, others):
    assert [one.dtype for one in curves] == [one.dtype for one in others]
    return all(np.array_equal(*pair) for pair in zip(curves, others, strict=True))


def check_same(found, expected, *, exact):
    """Compare curves, points or errors, to the last bit or but for the rounding of sums."""
    near = {"rtol": 0 if exact else 1e-14, "atol": 0}
    if isinstance(found, str) or isinstance(expected, str):
        number = r"\d+\.\d+(?:e[+-]\d+)?"
        assert re.sub(number, "", found) == re.sub(number, "", expected)
        numbers = [list(map(float, re.findall(number, one))) for one in (found, expected)]
        np.testing.assert_allclose(*numbers, **near)
    elif isinstance(found, ap.OperatingPoint):
        assert type(found.threshold) is type(expected.threshold)
        np.testing.assert_allclose(*(list(vars(one).values()) for one in (found, expected)), **near)
    else:
        assert np.array_equal(found[2], expected[2])
        for one, other in zip(found, expected, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_allclose(one, other, **near)


CURVES = "hit_curve", "interpolated_precision_recall_curve"
STATED = st.sampled_from([None, 0, 3])


@settings(max_examples=40)
@given(rows(), st.sampled_from(CURVES), st.sampled_from(LIMITS), STATED, st.booleans())
def test_curves_of_few_points_are_those_in_memory(drawn, name, limit, missed, queries):
    expected, found = drawn.both(name, limit, n_positives=drawn.total(missed), queries=queries)
    check_same(found, expected, exact=drawn.exact)


@settings(max_examples=30)
@given(rows(weights=EXACT), st.sampled_from(LIMITS[:2]), st.sampled_from([2, 7, 30]))
def test_thinned_curves_hold_exact_points_without_wide_gaps(drawn, limit, max_points):
    y_true, y_score, weight, *_ = drawn
    precision, recall, threshold = ap.interpolated_precision_recall_curve(
        y_true, y_score, sample_weight=weight
    )
    detected, hits, of_hits = ap.hit_curve(y_true, y_score, sample_weight=weight)
    if job_of(drawn).row_bytes * y_score.size <= limit:
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
    of_recall = recall[:-1] if hits.any() else 0 * share
    gaps = np.maximum(-np.diff(share[place]), -np.diff(of_recall[place]))
    assert np.all((gaps <= widest) | (np.diff(place) == 1))


@settings(max_examples=60)
@given(rows(), st.sampled_from(LIMITS), st.sampled_from(CONDITIONS), STATED, st.sampled_from([None, 0.01]))
def test_thresholds_are_those_in_memory(drawn, limit, asked, missed, prevalence):
    options = {"n_positives": drawn.total(missed), "prevalence": prevalence, **asked}
    expected, found = drawn.both("operating_point", limit, **options)
    check_same(found, expected, exact=drawn.exact and prevalence is None)


@settings(max_examples=30)
@given(rows(), st.sampled_from(LIMITS), st.sampled_from([1, 5, 0.1]), STATED, st.sampled_from([None, 0.01]))
def test_budgets_of_queries_are_those_in_memory(drawn, limit, k, missed, prevalence):
    options = {"n_positives": drawn.total(missed), "prevalence": prevalence, "k": k}
    expected, found = drawn.both("operating_point", limit, queries=True, **options)
    check_same(found, expected, exact=drawn.exact and prevalence is None)


def test_a_budget_that_ends_among_many_positives():
    y_true, y_score = np.ones(900, dtype=int), np.append(np.linspace(0, 1, 899), 1e300)
    source = PartsSource({"label": y_true, "score": y_score}, 300)
    found = distributed.operating_point(source, k=100, memory_limit=1_000)
    assert found == ap.operating_point(y_true, y_score, k=100)
    assert found.n_retrieved == 100


@pytest.mark.parametrize("weights", EXACT)
def test_few_bins_are_read(weights):
    rng = np.random.default_rng(0)
    y_score = rng.random(60_000)
    y_true = (rng.random(y_score.size) < y_score**3).astype(int)
    drawn = Drawn(y_true, y_score, WEIGHTS[weights](rng, y_true), y_true, exact=True, part_rows=15_000)
    job = job_of(drawn)
    job, source = replace(job, memory_limit=job.row_bytes * y_score.size // 4), job.source
    for asked in CONDITIONS:
        source.scans = 0
        expected = outcome(ap.operating_point, y_true, y_score, sample_weight=drawn.w, **asked)
        check_same(outcome(point_of, job, read_condition(**asked)), expected, exact=True)
        assert source.scans <= 3, asked
    source.scans = 0
    curve = hits_of(job, None, 100)
    assert source.scans == 2
    detected, hits, threshold = ap.hit_curve(y_true, y_score, sample_weight=drawn.w)
    place = np.isin(threshold, curve.threshold)
    assert place.sum() <= 101
    assert same(curve[:3], (detected[place], hits[place], threshold[place]))


@pytest.mark.parametrize(("limit", "scans"), [(10**9, 1), (20_000, 5)])
def test_scans_of_budgets_of_queries(limit, scans):
    rng = np.random.default_rng(0)
    source = PartsSource(
        {"label": rng.integers(0, 2, 999), "score": rng.random(999), "q": rng.integers(0, 99, 999)}
    )
    distributed.operating_point(source, k=2, query_id="q", memory_limit=limit)
    assert source.scans == scans


def test_a_curve_that_takes_more_memory_than_its_rows_is_thinned():
    rng = np.random.default_rng(0)
    source = PartsSource({"y": rng.integers(0, 2, 5_000), "s": rng.random(5_000)}, 999)
    found, beyond, whole = (
        interpolated_of(Job(source, Roles("y", "s"), limit, lambda *_: None), None, 100)
        for limit in (60_000, 30_000, 10**6)
    )
    assert found.threshold.size <= 100
    assert same(found, beyond)
    assert whole.threshold.size == 5_000


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


def test_queries_of_a_source_that_is_read_once():
    columns = {"label": np.array([0, 1] * 50), "score": np.arange(100.0), "q": np.arange(100) // 50}
    point = distributed.operating_point(PartsSource(columns, reads_again=False), k=3, query_id="q")
    assert point == ap.operating_point(columns["label"], columns["score"], k=3, query_id=columns["q"])
    with pytest.raises(ValueError, match=r"^'rows': query_id takes a scan of its own, and the data can be"):
        distributed.hit_curve(PartsSource(columns, reads_again=False), query_id="q")


def test_the_total_of_a_query_by_its_name():
    columns = {"label": np.array([0, 1, 1]), "score": np.arange(3.0), "q": np.array(["a"] * 3, dtype=object)}
    for name in CURVES:
        expected = getattr(ap, name)(columns["label"], columns["score"], n_positives=4)
        options = {"query_id": "q", "n_positives": {"a": 4, "b": 9}}
        assert same(getattr(distributed, name)(PartsSource(columns), **options), expected)


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

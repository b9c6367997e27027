"""Multilabel and multiclass rows in parts: the values of memory, whatever fits."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_ap import average_precision_at_k_score, average_precision_score, pr_auc_score
from sklearn_ap.distributed._plans._columns import scores_of_columns
from sklearn_ap.distributed._plans._job import Job
from sklearn_ap.distributed._plans._part import ColumnRoles
from sklearn_ap.distributed._question import question_of
from sklearn_ap.distributed._source import SourceError
from sources import PartsSource

AVERAGES = ["macro", "weighted", "micro", "samples", None]
CALLS = [(average_precision_score, {}), (average_precision_at_k_score, {"k": 2}), (pr_auc_score, {})]


def scored(labels, scores, weight=None, *, parts=20, limit=10**9, calls=CALLS, average="macro", **options):
    columns = {f"s{one}": scores[:, one] for one in range(scores.shape[1])}
    given = labels[:, np.newaxis] if labels.ndim == 1 else labels
    columns |= {f"y{one}": given[:, one] for one in range(given.shape[1])}
    if weight is not None:
        columns["w"] = weight
    names = (tuple(name for name in columns if name[0] == kind) for kind in "ys")
    roles = ColumnRoles(*names, None if weight is None else "w")
    job = Job(PartsSource(columns, parts, **options), roles, limit, lambda *_: None)
    return scores_of_columns(job, [question_of(*call) for call in calls], average)


def drawn(seed, kind, n=60, columns=3):
    draw = np.random.default_rng(seed)
    scores = np.round(draw.random((n, columns)), 1)
    if kind == "multilabel":
        return (draw.random((n, columns)) < 0.3).astype(int), scores
    labels = np.append(np.arange(columns), draw.integers(0, columns, n - columns))
    return (labels if kind == "classes" else np.array(list("bca"), dtype=object)[labels]), scores


def in_memory(labels):
    return labels.astype(str) if labels.dtype == object else labels


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(["multilabel", "classes", "text"]),
    parts=st.integers(5, 80),
    limit=st.sampled_from([1000, 5000, 10**9]),
    average=st.sampled_from(AVERAGES),
    weighted=st.booleans(),
    statistics=st.booleans(),
)
def test_values_are_those_of_memory(seed, kind, parts, limit, average, weighted, statistics):
    labels, scores = drawn(seed, kind)
    weight = np.random.default_rng(seed).integers(0, 3, 60) / 2 if weighted else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = scored(
            labels, scores, weight, parts=parts, limit=limit, average=average, statistics=statistics
        )
        expected = [
            score(in_memory(labels), scores, average=average, sample_weight=weight, **params)
            for score, params in CALLS
        ]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-15)


@pytest.mark.parametrize("limit", [1000, 10**9])
@pytest.mark.parametrize("average", ["macro", "weighted", "micro", None])
@pytest.mark.parametrize("total", [60, [60, 61, 62]])
def test_totals(limit, average, total):
    labels, scores = drawn(1, "multilabel")
    labels[:, 1] = 0
    calls = [(average_precision_score, {"n_positives": total})]
    found = scored(labels, scores, limit=limit, calls=calls, average=average)[0]
    expected = average_precision_score(labels, scores, average=average, n_positives=total)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize("limit", [1000, 10**9])
@pytest.mark.parametrize("average", ["macro", "samples"])
def test_one_warning(limit, average):
    labels, scores = drawn(2, "multilabel")
    labels[:, 1] = 0
    with pytest.warns(UserWarning, match="no positive") as expected:
        value = average_precision_at_k_score(labels, scores, k=2, average=average)
    with pytest.warns(UserWarning, match="no positive") as found:
        got = scored(labels, scores, limit=limit, calls=[CALLS[1]], average=average)
    assert got == pytest.approx([value], abs=1e-15)
    assert [str(one.message) for one in found] == [str(one.message) for one in expected]


@pytest.mark.parametrize("zero_division", [0.0, 1.0, np.nan])
def test_samples_without_positives(zero_division):
    labels, scores = drawn(3, "multilabel")
    calls = [(average_precision_score, {"zero_division": zero_division})]
    found = scored(labels, scores, limit=1000, calls=calls, average="samples")
    expected = average_precision_score(labels, scores, average="samples", zero_division=zero_division)
    assert found == pytest.approx([expected], abs=1e-15)


@pytest.mark.parametrize("limit", [1, 10**9])
@pytest.mark.parametrize("average", ["macro", "weighted", None])
def test_unequal_weights_are_refused_where_no_column_has_a_positive(average, limit):
    _, scores = drawn(3, "multilabel")
    calls = [(average_precision_at_k_score, {"k": 2, "ties": "expected", "zero_division": np.nan})]
    none, weight = np.zeros(scores.shape, dtype=int), np.arange(1, 61) / 7
    with pytest.raises(
        ValueError, match=r"^ties='expected' needs weights that are equal inside each ranking"
    ):
        scored(none, scores, weight, limit=limit, calls=calls, average=average)


@pytest.mark.parametrize("limit", [1000, 10**9])
def test_classes_must_be_as_many_as_columns(limit):
    labels, scores = drawn(4, "classes")
    labels[-1] = 7
    with pytest.raises(SourceError, match=r"'y0': y_score must have a column for each of 4 classes.*got 3"):
        scored(labels, scores, limit=limit)


def test_wrong_values_are_refused_with_their_row():
    labels, scores = drawn(5, "multilabel")
    labels[33, 1] = 2
    with pytest.raises(SourceError, match=r"^'rows': column 'y1', row 34: 2 is not 0 or 1$"):
        scored(labels, scores)
    labels[33, 1] = 1
    scores[44, 2] = np.nan
    with pytest.raises(SourceError, match=r"^'rows': column 's2', row 45: no value$"):
        scored(labels, scores)


@pytest.mark.parametrize("limit", [1, 10**9])
@pytest.mark.parametrize("average", AVERAGES)
def test_columns_of_which_no_type_holds_all(average, limit):
    """They were refused if the rows fit, and scored if the rows did not."""
    labels = np.array([[0, 1], [1, 0], [1, 1], [0, 0]])
    large, small = np.array([2**53, 2, 2**53 + 1, 3]), np.array([0.5, 0.25, 0.5, 1.0])
    columns = {"y0": labels[:, 0], "y1": labels[:, 1], "s0": large, "s1": small}
    job = Job(PartsSource(columns, 2), ColumnRoles(("y0", "y1"), ("s0", "s1")), limit, lambda *_: None)

    def found():
        return scores_of_columns(job, [question_of(*CALLS[0])], average)[0]

    if average in ("micro", "samples"):  # which compare a column with another one
        with pytest.raises(
            SourceError, match=r"column 's0': .* got 9007199254740993 of int64, which float64"
        ):
            found()
        return
    alone = [average_precision_score(labels[:, 0], large), average_precision_score(labels[:, 1], small)]
    np.testing.assert_array_equal(found(), alone if average is None else np.mean(alone))


def test_rows_read_once_must_fit():
    with pytest.raises(
        SourceError, match=r"memory_limit must be at least 10080 bytes here: the data can be read only once"
    ):
        scored(*drawn(6, "multilabel"), limit=1000, reads_again=False)


def test_one_scan_if_all_fit():
    labels, scores = drawn(7, "classes")
    assert scored(labels, scores, reads_again=False)[0] == pytest.approx(
        average_precision_score(labels, scores), abs=1e-15
    )

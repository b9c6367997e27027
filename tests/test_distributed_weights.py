"""Weighted rows beyond memory: every split, order and limit gives the number of all rows in memory."""

import re
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    get_scorer,
    get_scorer_names,
    precision_at_k_score,
    r_precision_score,
    recall_at_precision_score,
)
from sklearn_ap.distributed._plans._job import Job
from sklearn_ap.distributed._plans._part import Roles
from sklearn_ap.distributed._plans._plan import scores_of
from sklearn_ap.distributed._question import question_of
from sources import PartsSource

NAMES = [name for name in get_scorer_names() if "reciprocal" not in name]  # a rank has no weights
SHARES = ["average_precision@0.1", "precision@0.3", "recall@0.05", "precision@1.0"]


def name_of(function) -> str:
    """The name of a score and its arguments, the same in every process."""
    if isinstance(function, partial):
        return (
            f"{function.func.__name__}-{'-'.join(f'{name}={one}' for name, one in function.keywords.items())}"
        )
    return str(function)


LIMITS = [1000, 5000, 20_000, 2**40]
ROLES = Roles("y", "score", "weight")
WEIGHTS = {
    "eighths": lambda rng, n, y: rng.integers(0, 40, n) / 8,
    "near 1": lambda rng, n, y: rng.random(n) + 0.1,
    "far apart": lambda rng, n, y: 10 ** rng.uniform(-6, 6, n),
    "light positives": lambda rng, n, y: np.where(y == 1, 1e-6, 1e6) * (1 + rng.random(n)),
    "equal": lambda rng, n, y: np.full(n, 0.1),
    "by class": lambda rng, n, y: np.where(y == 1, 0.3, 0.7),
}
SCORES = {
    "continuous": lambda rng, n: rng.random(n),
    "float32": lambda rng, n: rng.normal(size=n).astype(np.float32),
    "rounded": lambda rng, n: np.round(rng.normal(size=n), 1),
    "few": lambda rng, n: rng.integers(0, 4, n),
    "far apart": lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-300, 300, n),
    "same": lambda rng, n: np.zeros(n),
}


def rows_of(rng, n, rate, scores, weights):
    y = (rng.random(n) < rate).astype(int)
    y[rng.integers(n)] = 1
    score, weight = SCORES[scores](rng, n), WEIGHTS[weights](rng, n, y)
    weight[np.argmax(y == 1)] += 1.0 * (weights == "eighths")  # one positive weighs more than 0
    return y, score, weight


def source_of(rows, part_sizes=97, **options):
    return PartsSource(dict(zip(("y", "score", "weight"), rows, strict=True)), part_sizes, **options)


def scored(source, functions, limit):
    questions = [question_of(function, {}) for function in functions]
    return scores_of(Job(source, ROLES, limit, lambda *_: None), questions)


def in_memory(function, rows):
    if isinstance(function, str):
        scorer = get_scorer(function)
        function = partial(scorer._score_func, **scorer._kwargs)
    return function(rows[0], rows[1], sample_weight=rows[2])


def close(expected):
    """Within the rounding of sums in memory, which `test_ranges_are_exact` shows to be the larger one."""
    return pytest.approx(expected, rel=1e-14, abs=1e-300)


@settings(max_examples=25)  # a call of every score
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 700),
    st.sampled_from([0.005, 0.1, 0.5, 1.0]),
    st.sampled_from(list(SCORES)),
    st.sampled_from(list(WEIGHTS)),
    st.sampled_from(LIMITS),
    st.booleans(),
)
def test_every_score_equals_memory(seed, n, rate, scores, weights, limit, statistics):
    rng = np.random.default_rng(seed)
    rows = rows_of(rng, n, rate, scores, weights)
    sizes, exchanges = int(rng.integers(max(n // 8, 1), n + 1)), seed % 2 == 0
    source = source_of(rows, sizes, statistics=statistics, exchanges=exchanges)
    total = float(rows[2][rows[0] == 1].sum())
    functions = [
        *NAMES,
        *SHARES,
        partial(average_precision_score, prevalence=0.3),
        partial(average_precision_score, n_positives=1.5 * total),
        partial(average_precision_score, n_positives=1.5 * total, prevalence=0.01),
        *(partial(average_precision_at_k_score, k=0.2, normalizer=one) for one in ("k", "hits", "min")),
    ]
    expected = [in_memory(one, rows) for one in functions]
    for got, wanted, function in zip(scored(source, functions, limit), expected, functions, strict=True):
        assert got == close(wanted), function
        assert 0 <= got <= 1 + 1e-15


@pytest.mark.parametrize("limit", [5000, 2**40])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_order_and_split_of_rows_do_not_count(weights, limit):
    rng = np.random.default_rng(len(weights))
    rows = rows_of(rng, 900, 0.2, "rounded", weights)
    first = scored(source_of(rows), NAMES, limit)
    for part_sizes in (900, 130):
        order = rng.permutation(900)
        again = scored(source_of([one[order] for one in rows], part_sizes), NAMES, limit)
        assert again == pytest.approx(first, rel=1e-15, abs=0)


def exact_average_precision(rows, prevalence=None):
    """Step average precision in fractions."""
    y, score, weight = rows
    weights = [Fraction(one) for one in weight.tolist()]
    sums = [
        sum((w for w, one in zip(weights, y, strict=True) if one == label), Fraction()) for label in (0, 1)
    ]
    factor = (
        1 if prevalence is None else sums[1] * (1 - Fraction(prevalence)) / Fraction(prevalence) / sums[0]
    )
    tp = negatives = area = Fraction()
    for row in np.argsort(-score):
        if y[row]:
            tp += weights[row]
            area += weights[row] * tp / (tp + negatives)
        else:
            negatives += weights[row] * factor
    return float(area / sums[1])


@pytest.mark.parametrize("prevalence", [None, 0.3])
@pytest.mark.parametrize("weights", ["eighths", "near 1", "far apart", "light positives", "by class"])
def test_ranges_are_exact(weights, prevalence):
    rng = np.random.default_rng(2)
    y, score, weight = rows_of(rng, 1500, 0.2, "continuous", weights)
    rows = y, score, np.where(weight == 0, 1.0, weight)
    asked = [partial(average_precision_score, prevalence=prevalence)]
    got = scored(source_of(rows), asked, 20_000)
    assert got == pytest.approx([exact_average_precision(rows, prevalence)], rel=5e-16, abs=0)


def test_recall_is_1_at_last():
    """All positives found is exactly all of them, and a precision is never above 1."""
    rng = np.random.default_rng(3)
    for rate in (0.01, 0.3, 1.0):
        for scores in ("continuous", "few"):
            rows = rows_of(rng, 2000, rate, scores, "near 1")
            asked = [partial(recall_at_precision_score, precision=0.001), average_precision_score]
            for limit in LIMITS:
                recall, area = scored(source_of(rows), asked, limit)
                assert recall == 1
                assert area <= 1
                assert rate < 1 or area == 1


def test_thresholds_of_precision_with_exact_sums():
    """Weights that are multiples of 1/8 add up exactly, so no threshold moves."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        rows = rows_of(rng, 400, 0.4, "rounded", "eighths")
        asked = [partial(recall_at_precision_score, precision=one) for one in (0.25, 0.5, 0.75, 1.0)]
        asked.append(r_precision_score)
        expected = [in_memory(one, rows) for one in asked]
        assert scored(source_of(rows), asked, 2000) == pytest.approx(expected, rel=1e-15, abs=0)


@pytest.mark.parametrize("weights", ["far apart", "eighths", "by class", "equal"])
@pytest.mark.parametrize("depth", [1, 50, 599, 900])
def test_heaviest_positives_and_first_rows(depth, weights):
    """Divisors that look at weights beyond the steps, from one scan of the best rows and from ranges."""
    rng = np.random.default_rng(depth)
    rows = rows_of(rng, 600, 0.3, "rounded", weights)
    share = min(depth / 600, 1.0)
    for k in (depth, share):
        asked = [partial(average_precision_at_k_score, k=k, normalizer=one) for one in ("min", "k", "hits")]
        asked.append(partial(precision_at_k_score, k=k))
        for limit in (300, 9000):
            source = source_of(rows)
            got = scored(source, asked, limit)
            assert got == [close(in_memory(one, rows)) for one in asked]
            assert source.scans == 1 or k == share


def test_equal_weights_are_the_same_floats_as_counts():
    rng = np.random.default_rng(5)
    y, score, _ = rows_of(rng, 3000, 0.2, "rounded", "equal")
    for limit in LIMITS:
        weighted = scored(source_of((y, score, np.full(3000, 0.1))), NAMES, limit)
        assert weighted == scored(source_of((y, score, np.full(3000, 7.0))), NAMES, limit)
        expected = [in_memory(one, (y, score, None)) for one in NAMES]
        assert weighted == pytest.approx(expected, rel=1e-15, abs=0)


def test_equal_weights_take_the_memory_of_counts():
    """One weight for each class is known after a scan, and rows then need no weights."""
    rng = np.random.default_rng(6)
    rows = rows_of(rng, 3000, 0.5, "continuous", "by class")
    source = source_of(rows)
    limit = 3000 * 8 * 2  # half of it holds all scores, but not the weights
    (got,) = scored(source, ["average_precision"], limit)
    assert got == close(in_memory("average_precision", rows))
    assert source.scans == 2  # the extremes are known


@pytest.mark.parametrize("scores", ["continuous", "few"])
def test_rare_positives_take_few_scans(scores):
    """Negatives far from all positives are sums; what is left is gathered at once."""
    rng = np.random.default_rng(7)
    rows = rows_of(rng, 20_000, 0.001, scores, "far apart")
    source = source_of(rows, 5000)
    (got,) = scored(source, ["average_precision"], 20_000 * 56 - 1)
    assert got == close(in_memory("average_precision", rows))
    assert source.scans == 2 or scores == "few"


REFUSED = [
    "reciprocal_rank",
    "reciprocal_rank@10",
    partial(average_precision_at_k_score, k=5, ties="expected"),
    partial(average_precision_at_k_score, k=0.5, ties="optimistic"),
    partial(average_precision_at_k_score, k=5, normalizer="min", n_positives=10**9),
    partial(average_precision_at_k_score, k=0.5, normalizer="min", n_positives=10**9),
    partial(average_precision_score, n_positives=1e-9),
    partial(average_precision_score, n_positives=-1),
]


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("function", REFUSED, ids=name_of)
def test_errors_are_those_of_memory(function, limit):
    rng = np.random.default_rng(8)
    y, score, weight = rows_of(rng, 500, 0.3, "rounded", "eighths")
    rows = y, score, weight
    with pytest.raises(ValueError, match=r".") as caught:
        in_memory(function, rows)
    with pytest.raises(ValueError, match=re.escape(str(caught.value))):
        scored(source_of(rows), [function], limit)


@pytest.mark.parametrize("function", REFUSED[:4], ids=name_of)
def test_orders_are_those_of_memory_where_weights_are_equal(function):
    rng = np.random.default_rng(9)
    rows = rows_of(rng, 500, 0.3, "rounded", "equal")
    for limit in LIMITS:
        assert scored(source_of(rows), [function], limit) == [close(in_memory(function, rows))]


def test_rows_of_weight_0_do_not_count():
    rng = np.random.default_rng(10)
    y, score, weight = rows_of(rng, 1000, 0.3, "continuous", "near 1")
    weight[rng.random(1000) < 0.5] = 0.0
    weight[:97] = 0.0  # a whole part
    rows = y, score, weight
    for limit in LIMITS[1:]:
        got = scored(source_of(rows), [*NAMES, *SHARES], limit)
        assert got == [close(in_memory(one, rows)) for one in (*NAMES, *SHARES)]


@pytest.mark.parametrize("limit", LIMITS)
def test_no_positives(limit):
    rng = np.random.default_rng(11)
    rows = np.zeros(500, dtype=int), rng.random(500), rng.random(500) + 1
    source = source_of(rows)
    asked = partial(average_precision_score, zero_division=1.0)
    assert scored(source, [asked], limit) == [1]
    with pytest.warns(UserWarning, match="No positive class found"):
        assert scored(source, ["average_precision"], limit) == [0]


def test_refused_weights():
    rng = np.random.default_rng(12)
    y, score, weight = rows_of(rng, 500, 0.3, "continuous", "near 1")
    for value, match in ((-1.0, "below 0"), (np.nan, "no value"), (np.inf, "is not a finite")):
        wrong = weight.copy()
        wrong[300] = value
        for limit in (1000, 2**40):
            with pytest.raises(ValueError, match=rf"column 'weight', row 301: .*{match}"):
                scored(source_of((y, score, wrong)), ["average_precision"], limit)
    heavy = np.where(np.arange(500) % 100 == 0, 1e308, weight)
    for limit in (1000, 2**40):
        with pytest.raises(ValueError, match="column 'weight': sample_weight must be 0 or from"):
            scored(source_of((y, score, heavy)), ["average_precision"], limit)
    light = np.where(np.arange(500) % 100 == 0, 1e-300, weight)
    with pytest.raises(ValueError, match=r"sample_weight must be "):
        scored(source_of((y, score, light)), ["average_precision"], 1000)


def test_weights_that_change_between_scans():
    rng = np.random.default_rng(13)
    rows = rows_of(rng, 2000, 0.3, "continuous", "near 1")

    class Changing(PartsSource):
        def scan(self, *arguments):
            if self.scans == 1:
                self.parts[0]["weight"] = np.where(np.arange(97) < 50, 0.0, 1.0)
            return super().scan(*arguments)

    source = Changing(dict(zip(("y", "score", "weight"), rows, strict=True)), 97)
    with pytest.raises(ValueError, match="changed between two scans"):
        scored(source, ["average_precision"], 20_000)

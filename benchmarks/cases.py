"""The cases that must be fast, each with its competitors."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator
from sklearn.metrics import average_precision_score as scikit_learn

import sklearn_ap
from sklearn_ap import average_precision_score as step

from .measure import Call

SORT, SCIKIT_LEARN, STEP = "np.sort", "scikit-learn", "our step AP"
# queries or samples of a loop over scikit-learn: all would take minutes, so the time is
# scaled
LOOPED = 1000
SIZE = 1_000_000


@dataclass(frozen=True)
class Case:
    """A call of ours, and the calls that it is compared with."""

    name: str
    ours: Call
    rivals: dict[str, Call]
    samples: int
    looped: float = 1.0  # what the time of a loop over scikit-learn is multiplied by


def binary(
    rng: Generator, size: int, share: float = 0.5
) -> tuple[np.ndarray, np.ndarray]:
    """Labels as integers and scores in [0, 1)."""
    return (rng.random(size) < share).astype(int), rng.random(size)


def against_both(name: str, y_true: Any, y_score: Any, **options: Any) -> Case:
    """A case of step AP against scikit-learn and one sort of the scores."""
    rivals = {
        SCIKIT_LEARN: partial(scikit_learn, y_true, y_score, **options),
        SORT: partial(np.sort, np.asarray(y_score), axis=0),
    }
    return Case(name, partial(step, y_true, y_score, **options), rivals, y_score.size)


def small_calls(rng: Generator) -> Iterator[Case]:
    """Few rows, with weights and without."""
    for size in (100, 1_000, 10_000):
        rows = binary(rng, size)
        weight = rng.random(size) + 0.1
        yield against_both(f"{size:,} samples", *rows)
        yield against_both(f"{size:,} samples, weighted", *rows, sample_weight=weight)


def sorts(rng: Generator) -> Iterator[Case]:
    """A million float64 scores."""
    for share in (0.5, 0.001):
        yield against_both(f"1e6, {share:.1%} positive", *binary(rng, SIZE, share))
    y_true, y_score = binary(rng, SIZE)
    weight = rng.random(SIZE)
    for kind, scores in (
        ("", y_score),
        (", 95 % zeros", y_score * (rng.random(SIZE) > 0.95)),
    ):
        yield against_both(f"1e6, weighted{kind}", y_true, scores, sample_weight=weight)
    y_true = (rng.random((100_000, 20)) < 0.3).astype(int)
    yield against_both("macro over 100,000 x 20", y_true, rng.random((100_000, 20)))


def large_calls(rng: Generator) -> Iterator[Case]:
    """A million samples of every kind, and ten million."""
    y_true, y_score = binary(rng, SIZE)
    words = np.where(y_true == 1, "spam", "ham")
    balanced = np.where(y_true == 1, 3.0, 0.6)
    for kind, labels, scores, options in (
        ("float32", y_true, y_score.astype(np.float32), {}),
        ("101 distinct scores", y_true, y_score.round(2), {}),
        ("string labels", words, y_score, {"pos_label": "spam"}),
        ("weights balance the classes", y_true, y_score, {"sample_weight": balanced}),
    ):
        yield against_both(f"1e6, {kind}", labels, scores, **options)
    yield against_both("1e7, half positive", *binary(rng, 10 * SIZE))


def other_scores(rng: Generator) -> Iterator[Case]:
    """Interpolated precision against our step AP, and a cut against one sort."""
    rows = binary(rng, SIZE)
    interpolated = partial(sklearn_ap.interpolated_average_precision_score, *rows)
    at_10 = partial(sklearn_ap.average_precision_at_k_score, *rows, k=10)
    sort = {SORT: partial(np.sort, rows[1])}
    step_too = {STEP: partial(step, *rows)} | sort
    yield Case("1e6, interpolated", interpolated, step_too, SIZE)
    yield Case("1e6, AP@10", at_10, sort, SIZE)


def matrices(rng: Generator) -> Iterator[Case]:
    """Multilabel indicators."""
    y_score = rng.random((100_000, 20))
    y_true = (rng.random(y_score.shape) < 0.3).astype(int)
    ours = partial(step, y_true, y_score, average="samples")
    first = y_true[:LOOPED], y_score[:LOOPED]
    loop = {SCIKIT_LEARN: partial(scikit_learn, *first, average="samples")}
    looped = 100_000 / LOOPED
    yield Case("samples over 100,000 x 20", ours, loop, y_score.size, looped)


def queries(rng: Generator) -> Iterator[Case]:
    """The mean over thousands of short queries, and over queries that are named by
    text.
    """
    n_queries = 20_000
    length = rng.integers(20, 101, n_queries)
    query = np.repeat(np.arange(length.size), length)
    y_true, y_score = binary(rng, query.size, 0.2)
    sort = {SORT: partial(np.sort, y_score)}
    first = slice(length[:LOOPED].sum())
    rival = {SCIKIT_LEARN: loop(y_true[first], y_score[first], length[:LOOPED])}
    for kind, names, rivals in (
        ("contiguous", query, rival | sort),
        ("interleaved", rng.permutation(query), sort),
    ):
        ours = partial(step, y_true, y_score, zero_division=0.0, query_id=names)
        name = f"MAP of {n_queries:,} queries, {kind}"
        yield Case(name, ours, rivals, query.size, n_queries / LOOPED)
    y_true, y_score = binary(rng, SIZE)
    names = np.array([f"query {i}" for i in np.arange(SIZE) // 10])
    ours = partial(step, y_true, y_score, query_id=names, zero_division=0.0)
    sort = {SORT: partial(np.sort, y_score)}
    yield Case("1e6, queries of ten rows, named by strings", ours, sort, SIZE)


def intervals(rng: Generator) -> Iterator[Case]:
    """What an interval takes next to the score; positives have better scores."""
    for size in (1_000, SIZE):
        for share in (0.01, 0.1, 0.5):
            y_true = (rng.random(size) < share).astype(int)
            y_score = 1 / (1 + np.exp(2 - rng.normal(size=size) - 1.5 * y_true))
            weight = rng.random(size) + 0.1
            for kind, options in (("", {}), (", weighted", {"sample_weight": weight})):
                rows = {"y_true": y_true, "y_score": y_score, **options}
                rivals = {STEP: partial(step, **rows), SORT: partial(np.sort, y_score)}
                name = f"interval of {size:,}, {share:.0%} positive{kind}"
                yield Case(name, partial(_interval, **rows), rivals, size)


def _interval(**rows: Any) -> object:
    return sklearn_ap.estimate_score(step, **rows).confidence_interval()


def loop(y_true: np.ndarray, y_score: np.ndarray, length: np.ndarray) -> Call:
    """The mean of scikit-learn's scores of contiguous queries, one by one."""
    cuts = np.cumsum(length)[:-1]
    queries = list(zip(np.split(y_true, cuts), np.split(y_score, cuts), strict=True))
    return lambda: np.mean([scikit_learn(*arrays) for arrays in queries])


GROUPS = (
    small_calls,
    sorts,
    large_calls,
    other_scores,
    matrices,
    queries,
    intervals,
)

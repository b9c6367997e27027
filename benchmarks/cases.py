"""The cases that must be fast, each with its competitors and goals."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
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
BYTES, WEIGHTED_BYTES = 14, 24  # goals, per sample


@dataclass(frozen=True)
class Case:
    """A call of ours, the calls that it is compared with, and the ratios to reach."""

    name: str
    ours: Call
    rivals: dict[str, Call]
    samples: int
    at_most: dict[str, float] = field(default_factory=dict)  # our time over the rival's
    # the rival's time over ours
    at_least: dict[str, float] = field(default_factory=dict)
    bytes_at_most: float | None = None  # per sample
    looped: float = 1.0  # what the time of a loop over scikit-learn is multiplied by


def binary(
    rng: Generator, size: int, share: float = 0.5
) -> tuple[np.ndarray, np.ndarray]:
    """Labels as integers and scores in [0, 1)."""
    return (rng.random(size) < share).astype(int), rng.random(size)


def against_both(
    name: str,
    y_true: Any,
    y_score: Any,
    options: dict[str, Any] | None = None,
    **goals: Any,
) -> Case:
    """A case of step AP against scikit-learn and one sort of the scores."""
    options = options or {}
    rivals = {
        SCIKIT_LEARN: partial(scikit_learn, y_true, y_score, **options),
        SORT: partial(np.sort, np.asarray(y_score), axis=0),
    }
    return Case(
        name,
        partial(step, y_true, y_score, **options),
        rivals,
        np.size(y_score),
        **goals,
    )


def small_calls(rng: Generator) -> Iterator[Case]:
    """Few rows, with weights and without."""
    for size, goal in (
        (100, {SCIKIT_LEARN: 34}),
        (1_000, {SCIKIT_LEARN: 30}),
        (10_000, {}),
    ):
        rows = binary(rng, size)
        weight = rng.random(size) + 0.1
        yield against_both(f"{size:,} samples", *rows, at_least=goal)
        yield against_both(
            f"{size:,} samples, weighted", *rows, {"sample_weight": weight}
        )


def sorts(rng: Generator) -> Iterator[Case]:
    """A million float64 scores."""
    for share, speedup in {0.5: 17, 0.001: 20}.items():
        yield against_both(
            f"1e6, {share:.1%} positive",
            *binary(rng, SIZE, share),
            at_most={SORT: 1.9} if share == 0.5 else {},
            at_least={SCIKIT_LEARN: speedup},
            bytes_at_most=BYTES,
        )
    y_true, y_score = binary(rng, SIZE)
    weight = {"sample_weight": rng.random(SIZE)}
    for kind, scores, speedup in (
        ("", y_score, 6),
        (", 95 % zeros", y_score * (rng.random(SIZE) > 0.95), 1),
    ):
        goals = {"at_least": {SCIKIT_LEARN: speedup}, "bytes_at_most": WEIGHTED_BYTES}
        yield against_both(f"1e6, weighted{kind}", y_true, scores, weight, **goals)
    y_true = (rng.random((100_000, 20)) < 0.3).astype(int)
    y_score = rng.random((100_000, 20))
    name = "macro over 100,000 x 20"
    yield against_both(
        name, y_true, y_score, at_least={SCIKIT_LEARN: 14}, bytes_at_most=BYTES
    )


def large_calls(rng: Generator) -> Iterator[Case]:
    """A million samples of every kind, and ten million."""
    y_true, y_score = binary(rng, SIZE)
    for kind, labels, scores, options in (
        ("float32", y_true, y_score.astype(np.float32), {}),
        ("101 distinct scores", y_true, y_score.round(2), {}),
        (
            "string labels",
            np.where(y_true == 1, "spam", "ham"),
            y_score,
            {"pos_label": "spam"},
        ),
    ):
        yield against_both(f"1e6, {kind}", labels, scores, options, bytes_at_most=BYTES)
    balanced = {"sample_weight": np.where(y_true == 1, 3.0, 0.6)}
    name = "1e6, weights balance the classes"
    yield against_both(name, y_true, y_score, balanced, bytes_at_most=WEIGHTED_BYTES)
    yield against_both(
        "1e7, half positive", *binary(rng, 10 * SIZE), bytes_at_most=BYTES
    )


def other_scores(rng: Generator) -> Iterator[Case]:
    """Interpolated precision against our step AP, and a cut against one sort."""
    rows = binary(rng, SIZE)
    interpolated = partial(sklearn_ap.interpolated_average_precision_score, *rows)
    at_10 = partial(sklearn_ap.average_precision_at_k_score, *rows, k=10)
    sort = {SORT: partial(np.sort, rows[1])}
    step_too = {STEP: partial(step, *rows)} | sort
    yield Case("1e6, interpolated", interpolated, step_too, SIZE, bytes_at_most=BYTES)
    goals = {"at_most": {SORT: 0.4}, "bytes_at_most": BYTES}
    yield Case("1e6, AP@10", at_10, sort, SIZE, **goals)


def matrices(rng: Generator) -> Iterator[Case]:
    """Multilabel indicators."""
    y_score = rng.random((100_000, 20))
    y_true = (rng.random(y_score.shape) < 0.3).astype(int)
    yield Case(
        "samples over 100,000 x 20",
        partial(step, y_true, y_score, average="samples"),
        {
            SCIKIT_LEARN: partial(
                scikit_learn, y_true[:LOOPED], y_score[:LOOPED], average="samples"
            )
        },
        y_score.size,
        bytes_at_most=BYTES,
        looped=100_000 / LOOPED,
    )


def queries(rng: Generator) -> Iterator[Case]:
    """The mean over thousands of short queries, and over queries that are named by
    text.
    """
    n_queries = 20_000
    length = rng.integers(20, 101, n_queries)
    query = np.repeat(np.arange(length.size), length)
    y_true, y_score = binary(rng, query.size, 0.2)
    sort = partial(np.sort, y_score)
    loop = {SCIKIT_LEARN: _loop(y_true, y_score, length)}
    for kind, names, rivals, goal in (
        ("contiguous", query, loop, 4),
        ("interleaved", rng.permutation(query), {}, 5),
    ):
        yield Case(
            f"MAP of {n_queries:,} queries, {kind}",
            partial(step, y_true, y_score, zero_division=0.0, query_id=names),
            {**rivals, SORT: sort},
            query.size,
            at_most={SORT: goal},
            bytes_at_most=BYTES,
            looped=n_queries / LOOPED,
        )
    y_true, y_score = binary(rng, SIZE)
    names = np.array([f"query {i}" for i in np.arange(SIZE) // 10])
    yield Case(
        "1e6, queries of ten rows, named by strings",
        partial(step, y_true, y_score, query_id=names, zero_division=0.0),
        {SORT: partial(np.sort, y_score)},
        SIZE,
    )


def intervals(rng: Generator) -> Iterator[Case]:
    """What an interval takes next to the score; positives have better scores."""
    for size, goal in ((1_000, 10), (SIZE, 6)):
        for share in (0.01, 0.1, 0.5):
            y_true = (rng.random(size) < share).astype(int)
            y_score = 1 / (1 + np.exp(2 - rng.normal(size=size) - 1.5 * y_true))
            for weights in ({}, {"sample_weight": rng.random(size) + 0.1}):
                rows = {"y_true": y_true, "y_score": y_score, **weights}
                yield Case(
                    f"interval of {size:,}, {share:.0%} positive{', weighted' * len(weights)}",
                    partial(_interval, **rows),
                    {STEP: partial(step, **rows), SORT: partial(np.sort, y_score)},
                    size,
                    at_most={} if weights else {STEP: goal},
                )


def _interval(**rows: Any) -> object:
    return sklearn_ap.estimate_score(step, **rows).confidence_interval()


def _loop(y_true: np.ndarray, y_score: np.ndarray, length: np.ndarray) -> Call:
    """Scikit-learn's score of the first queries, one by one."""
    bounds = np.cumsum(np.append(0, length[:LOOPED]))

    def loop() -> None:
        for begin, stop in pairwise(bounds):
            scikit_learn(y_true[begin:stop], y_score[begin:stop])

    return loop


GROUPS: tuple[Callable[[Generator], Iterator[Case]], ...] = (
    small_calls,
    sorts,
    large_calls,
    other_scores,
    matrices,
    queries,
    intervals,
)

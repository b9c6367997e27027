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

SORT, SCIKIT_LEARN = "np.sort", "scikit-learn"
# queries of a loop over scikit-learn: all would take minutes, so the time is scaled
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
    """Few rows."""
    for size in (100, 1_000, 10_000):
        yield against_both(f"{size:,} samples", *binary(rng, size))


def large_calls(rng: Generator) -> Iterator[Case]:
    """A million samples and more."""
    for share in (0.5, 0.001):
        yield against_both(f"1e6, {share:.1%} positive", *binary(rng, SIZE, share))
    y_true, y_score = binary(rng, SIZE)
    weight = rng.random(SIZE)
    yield against_both("1e6, weighted", y_true, y_score, sample_weight=weight)
    at_10 = partial(sklearn_ap.average_precision_at_k_score, y_true, y_score, k=10)
    yield Case("1e6, AP@10", at_10, {SORT: partial(np.sort, y_score)}, SIZE)
    yield against_both("1e7, half positive", *binary(rng, 10 * SIZE))


def queries(rng: Generator) -> Iterator[Case]:
    """The mean over thousands of short queries."""
    n_queries = 20_000
    length = rng.integers(20, 101, n_queries)
    query = np.repeat(np.arange(length.size), length)
    y_true, y_score = binary(rng, query.size, 0.2)
    first = slice(length[:LOOPED].sum())
    rivals = {
        SCIKIT_LEARN: loop(y_true[first], y_score[first], length[:LOOPED]),
        SORT: partial(np.sort, y_score),
    }
    ours = partial(step, y_true, y_score, zero_division=0.0, query_id=query)
    name = f"MAP of {n_queries:,} queries"
    yield Case(name, ours, rivals, query.size, n_queries / LOOPED)


def loop(y_true: np.ndarray, y_score: np.ndarray, length: np.ndarray) -> Call:
    """The mean of scikit-learn's scores of contiguous queries, one by one."""
    cuts = np.cumsum(length)[:-1]
    queries = list(zip(np.split(y_true, cuts), np.split(y_score, cuts), strict=True))
    return lambda: np.mean([scikit_learn(*arrays) for arrays in queries])


GROUPS = small_calls, large_calls, queries

"""The cases that must be fast, each with its competitors and goals."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.random import Generator
from sklearn.metrics import average_precision_score as scikit_learn
from sklearn.metrics import get_scorer, precision_recall_curve
from sklearn.naive_bayes import GaussianNB

import sklearn_ap
from sklearn_ap import average_precision_score as step

from . import by_hand
from .measure import Call

SORT, SCIKIT_LEARN, STEP, BY_HAND = "np.sort", "scikit-learn", "our step AP", "by hand"
LOOPED = 1000  # queries or samples of a loop over scikit-learn: all would take minutes, so the time is scaled


@dataclass(frozen=True)
class Case:
    """A call of ours, the calls that it is compared with, and the ratios to reach."""

    name: str
    ours: Call
    rivals: dict[str, Call]
    samples: int
    at_most: dict[str, float] = field(default_factory=dict)  # our time over the rival's
    at_least: dict[str, float] = field(default_factory=dict)  # the rival's time over ours
    bytes_at_most: float | None = None  # per sample
    scale: dict[str, float] = field(default_factory=dict)  # factors for the times of rivals


def binary(rng: Generator, size: int, share: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """Labels as integers and scores in [0, 1)."""
    return (rng.random(size) < share).astype(int), rng.random(size)


def against_both(name: str, y_true: Any, y_score: Any, **goals: Any) -> Case:
    """A case of step AP against scikit-learn and one sort of the scores."""
    options = goals.pop("options", {})
    rivals = {
        SCIKIT_LEARN: partial(scikit_learn, y_true, y_score, **options),
        SORT: partial(np.sort, np.asarray(y_score), axis=0),
        **goals.pop("rivals", {}),
    }
    return Case(name, partial(step, y_true, y_score, **options), rivals, np.size(y_score), **goals)


def small_calls(rng: Generator) -> Iterator[Case]:
    """Few rows, with weights and without, then the other scores."""
    for size, speedup in {100: 34, 1_000: 30, 10_000: None}.items():
        y_true, y_score = binary(rng, size)
        yield against_both(
            f"{size:,} samples",
            y_true,
            y_score,
            rivals={BY_HAND: partial(by_hand.average_precision, y_true, y_score)},
            at_least={} if speedup is None else {SCIKIT_LEARN: speedup},
        )
        weight = rng.random(size) + 0.1
        yield against_both(
            f"{size:,} samples, weighted",
            y_true,
            y_score,
            options={"sample_weight": weight},
            rivals={BY_HAND: partial(by_hand.weighted_average_precision, y_true, y_score, weight)},
        )
        yield from _others(f"{size:,} samples", y_true, y_score)


AREAS: dict[str, Callable[..., object]] = {
    "interpolated": sklearn_ap.interpolated_average_precision_score,
    "eleven-point": sklearn_ap.eleven_point_average_precision_score,
    "linear": sklearn_ap.pr_auc_score,
    "Davis-Goadrich": partial(sklearn_ap.pr_auc_score, interpolation="davis-goadrich"),
}


def _others(name: str, y_true: np.ndarray, y_score: np.ndarray) -> Iterator[Case]:
    """The other scores against step AP, and against one sort."""
    rivals = {STEP: partial(step, y_true, y_score), SORT: partial(np.sort, y_score)}
    at_10 = partial(sklearn_ap.average_precision_at_k_score, k=10)
    for kind, score in (AREAS | {"AP@10": at_10}).items():
        ours = partial(score, y_true, y_score)
        yield Case(f"{name}, {kind}", ours, rivals, y_score.size)
    yield _at_a_prevalence(name, y_true, y_score)


def _at_a_prevalence(name: str, y_true: np.ndarray, y_score: np.ndarray) -> Case:
    ours = partial(step, y_true, y_score, prevalence=0.01)
    rivals = {STEP: partial(step, y_true, y_score), SORT: partial(np.sort, y_score)}
    return Case(f"{name}, at a prevalence of 1 %", ours, rivals, y_score.size)


def curves_and_scorers(rng: Generator) -> Iterator[Case]:
    """What scikit-learn has beside its score: the curve, and a scorer's call."""
    for size in (1_000, 1_000_000):
        y_true, y_score = binary(rng, size)
        name = f"{size:,} samples" if size < 10_000 else f"{size:.0e}".replace("+0", "")
        theirs = {
            SCIKIT_LEARN: partial(precision_recall_curve, y_true, y_score),
            SORT: partial(np.sort, y_score),
        }
        curves = {
            "interpolated curve": sklearn_ap.interpolated_precision_recall_curve,
            "hit curve": sklearn_ap.hit_curve,
        }
        for kind, curve in curves.items():
            yield Case(f"{name}, {kind}", partial(curve, y_true, y_score), theirs, size)
    features = rng.normal(size=(1_000, 5))
    y_true = (features[:, 0] + rng.normal(size=1_000) > 1).astype(int)
    model = GaussianNB().fit(features, y_true)
    ours = partial(sklearn_ap.get_scorer("average_precision"), model, features, y_true)
    theirs = {SCIKIT_LEARN: partial(get_scorer("average_precision"), model, features, y_true)}
    yield Case("1,000 samples, scorer of a naive Bayes", ours, theirs, 1_000)


def sorts(rng: Generator, size: int = 1_000_000) -> Iterator[Case]:
    """A million float64 scores."""
    name = f"{size:.0e}".replace("+0", "")
    for share, speedup in {0.95: 14, 0.5: 17, 0.02: 18, 0.01: 18, 0.001: 20}.items():
        yield against_both(
            f"{name}, {share:.1%} positive",
            *binary(rng, size, share),
            at_most={SORT: 1.9} if share == 0.5 else {},
            at_least={SCIKIT_LEARN: speedup},
            bytes_at_most=14,
        )
    for n, ties in ((size // 10, ""), (size, ""), (size // 10, ", ties"), (size, ", ties")):
        y_true, y_score = binary(rng, n)
        yield against_both(
            f"{n:.0e}, weighted{ties}".replace("+0", ""),
            y_true,
            y_score.round(3) if ties else y_score,
            options={"sample_weight": rng.random(n)},
            at_least={SCIKIT_LEARN: 6},
            bytes_at_most=24,
        )
    y_true, y_score = (rng.random((size // 10, 20)) < 0.3).astype(int), rng.random((size // 10, 20))
    yield against_both(
        f"macro over {size // 10:,} x 20", y_true, y_score, at_least={SCIKIT_LEARN: 14}, bytes_at_most=14
    )


def large_calls(rng: Generator) -> Iterator[Case]:
    """A million samples of every kind, and ten million."""
    size = 1_000_000
    yield from sorts(rng)
    y_true, y_score = binary(rng, size)
    kinds = {
        "float32": y_score.astype(np.float32),
        "decision values of both signs": rng.normal(size=size) * 3,
        "101 distinct scores": y_score.round(2),
    }
    for kind, scores in kinds.items():
        yield against_both(f"1e6, {kind}", y_true, scores, bytes_at_most=14)
    yield against_both(
        "1e6, string labels",
        np.where(y_true == 1, "spam", "ham"),
        y_score,
        options={"pos_label": "spam"},
        bytes_at_most=14,
    )
    yield against_both("1e7, half positive", *binary(rng, 10 * size), bytes_at_most=14)


def weighted_calls(rng: Generator) -> Iterator[Case]:
    """Weights of few distinct scores, of classes, and another area."""
    size = 1_000_000
    y_true, y_score = binary(rng, size)
    yield against_both(
        "1e6, weighted, 101 distinct scores",
        y_true,
        y_score.round(2),
        options={"sample_weight": rng.random(size)},
        at_least={SCIKIT_LEARN: 12},
        bytes_at_most=24,
    )
    yield against_both(
        "1e6, weights balance the classes",
        y_true,
        y_score,
        options={"sample_weight": np.where(y_true == 1, 3.0, 0.6)},
        bytes_at_most=24,
    )


def other_scores(rng: Generator) -> Iterator[Case]:
    """The other areas against our step AP, and cuts against one sort."""
    size = 1_000_000
    y_true, y_score = binary(rng, size)
    rivals = {STEP: partial(step, y_true, y_score), SORT: partial(np.sort, y_score)}
    for name, score in AREAS.items():
        ours = partial(score, y_true, y_score)
        yield Case(f"1e6, {name}", ours, rivals, size, bytes_at_most=14)
    yield _at_a_prevalence("1e6", y_true, y_score)
    at_10 = partial(sklearn_ap.average_precision_at_k_score, y_true, y_score, k=10)
    yield Case("1e6, AP@10", at_10, {SORT: rivals[SORT]}, size, at_most={SORT: 0.4}, bytes_at_most=14)
    y_true, y_score = binary(rng, 3 * size)
    alike = (y_score == y_score.max()).astype(float)  # every row is tied with the last one above the cut
    ours = partial(sklearn_ap.average_precision_at_k_score, y_true, alike, k=10)
    sort = {SORT: partial(np.sort, y_score)}
    yield Case("3e6, AP@10, all scores equal but one", ours, sort, 3 * size)


def matrices(rng: Generator) -> Iterator[Case]:
    """Multilabel indicators."""
    signed = rng.normal(size=(100_000, 20)) * 3
    y_true = (rng.random(signed.shape) < 0.3).astype(int)
    for name, given in {
        "": (y_true, np.abs(signed) / 20),
        ", both signs": (y_true, signed),
    }.items():
        few = [array[:LOOPED] for array in given]
        yield Case(
            f"samples over 100,000 x 20{name}",
            partial(step, *given, average="samples"),
            {SCIKIT_LEARN: partial(scikit_learn, *few, average="samples")},
            signed.size,
            bytes_at_most=14,
            scale={SCIKIT_LEARN: 100_000 / LOOPED},
        )


def queries(rng: Generator) -> Iterator[Case]:
    """The mean over queries: thousands of short ones, and ten long ones."""
    for n_queries in (20_000, 100_000):
        length = rng.integers(20, 101, n_queries)
        query = np.repeat(np.arange(length.size), length)
        y_true, y_score = binary(rng, query.size, 0.2)
        for ties, scores in (("", y_score), (", heavy ties", y_score.round(1))):
            map_of = partial(step, y_true, scores, zero_division=0.0)
            sort = partial(np.sort, scores)
            yield Case(
                f"MAP of {n_queries:,} queries, contiguous{ties}",
                partial(map_of, query_id=query),
                {SCIKIT_LEARN: _loop(y_true, scores, length), SORT: sort},
                query.size,
                at_most={SORT: 4},
                bytes_at_most=14,
                scale={SCIKIT_LEARN: length.size / LOOPED},
            )
            yield Case(
                f"MAP of {n_queries:,} queries, interleaved{ties}",
                partial(map_of, query_id=rng.permutation(query)),
                {SORT: sort},
                query.size,
                at_most={SORT: 5},
                bytes_at_most=14,
            )


def _loop(y_true: np.ndarray, y_score: np.ndarray, length: np.ndarray) -> Call:
    """Scikit-learn's score of the first queries, one by one."""
    bounds = np.cumsum(np.append(0, length[:LOOPED]))

    def loop() -> None:
        for begin, stop in pairwise(bounds):
            scikit_learn(y_true[begin:stop], y_score[begin:stop])

    return loop


def named_queries(rng: Generator) -> Iterator[Case]:
    """A million rows whose queries have one row each, and queries of ten rows named by text."""
    size = 1_000_000
    y_true, y_score = binary(rng, size)
    number = np.arange(size) // 10
    names = {
        "of one row": np.arange(size),
        "of ten rows, named by strings": np.array([f"query {i}" for i in number]),
    }
    for kind, query in names.items():
        ours = partial(step, y_true, y_score, query_id=query, zero_division=0.0)
        yield Case(f"1e6, queries {kind}", ours, {SORT: partial(np.sort, y_score)}, size)


Group = Callable[[Generator], Iterator[Case]]
GROUPS: tuple[Group, ...] = (
    small_calls,
    curves_and_scorers,
    large_calls,
    weighted_calls,
    other_scores,
    matrices,
    queries,
    named_queries,
)

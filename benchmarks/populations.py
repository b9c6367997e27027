"""Populations whose scores are known exactly, and samples of them.

A population says how scores of positives and of negatives are distributed, and which
share of rows is positive. Its areas are integrals over the recall: the precision at a
threshold s is

    p(s) = π S₊(s) / (π S₊(s) + (1 − π) S₋(s))

where S is the share of a class at or above s. The integrals are sums over a grid, whose
error is far below the standard errors that they are compared with.
"""

import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import optimize
from scipy.special import ndtr
from scipy.stats import norm

_GRID = (np.arange(20_000) + 0.5) / 20_000  # recalls
Drawn = dict[str, Any]  # arguments of a score, by name
Parts = tuple[tuple[float, Any], ...]  # (share, distribution of scipy.stats)


@dataclass(frozen=True)
class Population:
    """Scores of two classes, each a mixture of distributions.

    `edges` are where scores are cut into groups of equal scores. `retrieved_share` is
    the share of positives that have a score at all: the others count in `n_positives`
    alone.
    """

    prevalence: float
    positives: Parts
    negatives: Parts = field(default_factory=lambda: ((1.0, norm(0, 1)),))
    edges: tuple[float, ...] | None = None
    retrieved_share: float = 1.0

    def draw(self, rng: Generator, n: int) -> Drawn:
        """Return labels and scores of `n` rows, as scores take them."""
        positive = rng.random(n) < self.prevalence
        score = np.empty(n)
        score[positive] = _draw(rng, self.positives, np.count_nonzero(positive))
        score[~positive] = _draw(rng, self.negatives, n - np.count_nonzero(positive))
        if self.edges is not None:
            score = np.searchsorted(self.edges, score, side="right").astype(float)
        drawn = {"y_true": positive.astype(int), "y_score": score}
        if self.retrieved_share == 1:
            return drawn
        retrieved = ~positive | (rng.random(n) < self.retrieved_share)
        drawn = {name: values[retrieved] for name, values in drawn.items()}
        return drawn | {"n_positives": int(positive.sum())}

    def at_or_above(self, threshold: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return which share of all rows is positive, or negative, and has this score
        or a better one.
        """
        if self.edges is not None:
            lower = np.array([-np.inf, *self.edges])
            threshold = lower[np.searchsorted(self.edges, threshold, side="right")]
        tp, fp = (
            sum(share * scores.sf(threshold) for share, scores in parts)
            for parts in (self.positives, self.negatives)
        )
        return self.prevalence * self.retrieved_share * tp, (1 - self.prevalence) * fp

    def precision(self, threshold: np.ndarray) -> np.ndarray:
        tp, fp = self.at_or_above(threshold)
        return tp / (tp + fp)

    @property
    def of_positives(self) -> Any:
        """The distribution of the scores of positives, where it is a single one."""
        ((_, scores),) = self.positives
        return scores

    @cached_property
    def average_precision(self) -> float:
        """The step area, which is also the linear one and that of Davis and
        Goadrich.
        """
        means = (
            share * self.precision(scores.isf(_GRID)).mean()
            for share, scores in self.positives
        )
        return self.retrieved_share * float(sum(means))

    @property
    def envelope(self) -> np.ndarray:
        """Best precision at each recall of the grid or a greater one; positives have
        one distribution.
        """
        return np.maximum.accumulate(self.precision_of_recalls[::-1])[::-1]

    @property
    def precision_of_recalls(self) -> np.ndarray:
        """Precision at each recall of the grid; positives have one distribution."""
        return self.precision(self.of_positives.isf(_GRID))

    def eleven_points(self) -> float:
        return float(np.interp(np.linspace(0, 1, 11), _GRID, self.envelope).mean())

    def at_share(self, share: float) -> float:
        """Return the score that this share of all rows reaches."""
        return optimize.brentq(
            lambda s: sum(self.at_or_above(np.array(s))) - share, -50, 50, xtol=1e-12
        )

    def average_precision_at(self, share: float) -> float:
        """AP@k, where k is this share of all rows, over min(k, positives)."""
        threshold = self.of_positives.isf(_GRID)
        gained = np.where(
            threshold >= self.at_share(share), self.precision(threshold), 0
        ).mean()
        return self.prevalence * float(gained) / min(share, self.prevalence)


def _draw(rng: Generator, parts: Parts, n: int) -> np.ndarray:
    if len(parts) == 1:
        return parts[0][1].rvs(size=n, random_state=rng)
    chosen = rng.choice(len(parts), n, p=[share for share, _ in parts])
    score = np.empty(n)
    for i, (_, scores) in enumerate(parts):
        score[chosen == i] = scores.rvs(
            size=np.count_nonzero(chosen == i), random_state=rng
        )
    return score


def normal(
    prevalence: float, shift: float, spread: float = 1.0, **options: Any
) -> Population:
    """Negatives are standard normal, and positives normal."""
    return Population(prevalence, ((1.0, norm(shift, spread)),), **options)


def shift_for(
    average_precision: float, prevalence: float, spread: float = 1.0
) -> float:
    """Return the mean of normal positives that gives this average precision."""
    threshold = spread * norm.isf(_GRID)
    odds = (1 - prevalence) / prevalence

    def excess(shift: float) -> float:
        return (
            float((_GRID / (_GRID + odds * ndtr(-threshold - shift))).mean())
            - average_precision
        )

    return optimize.brentq(excess, -3, 12, xtol=1e-10)


def to_score(
    average_precision: float, prevalence: float, spread: float = 1.0, **options: Any
) -> Population:
    """A normal population of this average precision, which `edges` and
    `retrieved_share` then change.
    """
    return normal(
        prevalence, shift_for(average_precision, prevalence, spread), spread, **options
    )


def generators(name: str, replications: int) -> Iterator[Generator]:
    """Return one generator per sample, which depends on nothing but the name and the
    number of the sample.
    """
    return (
        np.random.default_rng([zlib.crc32(name.encode()), i])
        for i in range(replications)
    )


def and_warned(call: Callable[[], Any]) -> tuple[Any, bool]:
    """Return what a call returns, and whether it warned of its rows."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        return call(), bool(caught)


def labelled_first(
    rng: Generator, population: Population, n: int, first: int, others: int
) -> Drawn:
    """Of `n` rows, label the first ones and about as many `others`, weighted by one
    over the probability.
    """
    drawn = population.draw(rng, n)
    share = others / (n - first)
    is_first = drawn["y_score"] >= np.partition(drawn["y_score"], -first)[-first]
    labelled = is_first | (rng.random(n) < share)
    drawn["sample_weight"] = np.where(is_first, 1.0, 1 / share)
    return {name: values[labelled] for name, values in drawn.items()}


def draw_queries(rng: Generator, n: int) -> Drawn:
    """Queries of 10 to 40 documents, 1 to 5 of them relevant; some queries are easier
    than others.
    """
    size = rng.integers(10, 41, n)
    query = np.repeat(np.arange(n), size)
    place = np.arange(query.size) - np.repeat(np.cumsum(size) - size, size)
    y_true = (place < rng.integers(1, 6, n)[query]).astype(int)
    shift = rng.normal(1.2, 0.7, n)[query]
    return {
        "y_true": y_true,
        "y_score": shift * y_true + rng.normal(size=query.size),
        "query_id": query,
    }


def clustered(
    rng: Generator,
    population: Population,
    sizes: np.ndarray,
    *,
    effect: float,
    concentration: float,
) -> Drawn:
    """Draw clusters whose rows resemble each other; over all clusters, rows are those
    of the population.

    A cluster has its own share of positives, with a Beta distribution of this
    concentration, and adds one normal number of variance `effect` to its scores, whose
    variance is 1.
    """
    cluster = np.repeat(np.arange(sizes.size), sizes)
    prevalence = population.prevalence
    shares = rng.beta(
        prevalence * concentration, (1 - prevalence) * concentration, sizes.size
    )
    y_true = (rng.random(cluster.size) < shares[cluster]).astype(int)
    common = rng.normal(size=sizes.size)
    own = rng.normal(size=cluster.size)
    noise = np.sqrt(effect) * common[cluster] + np.sqrt(1 - effect) * own
    return {
        "y_true": y_true,
        "y_score": population.of_positives.mean() * y_true + noise,
        "unit_id": cluster,
    }


@dataclass(frozen=True)
class Pair:
    """Two models that score the same rows: their scores have a correlation within each
    class.
    """

    prevalence: float
    shifts: tuple[float, float]
    spreads: tuple[float, float] = (1.0, 1.0)
    correlation: float = 0.7

    def draw(self, rng: Generator, n: int) -> Drawn:
        y_true = (rng.random(n) < self.prevalence).astype(int)
        noise = rng.normal(size=n)
        other = rng.normal(size=n)
        other = self.correlation * noise + np.sqrt(1 - self.correlation**2) * other
        parts = zip(self.shifts, self.spreads, (noise, other), strict=True)
        first, second = (
            np.where(y_true, shift + spread * z, z) for shift, spread, z in parts
        )
        return {"y_true": y_true, "y_score_a": first, "y_score_b": second}

    @property
    def difference(self) -> float:
        models = zip(self.shifts, self.spreads, strict=True)
        first, second = (
            normal(self.prevalence, *model).average_precision for model in models
        )
        return first - second

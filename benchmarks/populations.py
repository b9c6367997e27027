"""Populations whose scores are known exactly, and samples of them.

A population has a distribution of scores for each class, and a share of positives. Its
areas are integrals over the recall: the precision at a
threshold s is

    p(s) = π S₊(s) / (π S₊(s) + (1 − π) S₋(s))

where S is the share of a class at or above s. The integrals are sums over a grid, whose
error is far below the standard errors that they are compared with.
"""

import zlib
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy import optimize, stats
from scipy.stats import norm

_GRID = (np.arange(20_000) + 0.5) / 20_000  # recalls
_FEW = (np.arange(1_000) + 0.5) / 1_000
Drawn = dict[str, Any]  # arguments of a score, by name
# The distribution of the scores of negatives, and how much wider that of positives is.
DISTRIBUTIONS = {
    "normal": (norm, 1.0),
    "logistic": (stats.logistic, 1.0),
    "Laplace": (stats.laplace, 1.0),
    "t3": (partial(stats.t, 3), 1.0),
    "t2": (partial(stats.t, 2), 1.0),
    "gamma": (partial(stats.gamma, 2), 1.0),
    "spread out": (norm, 1.6),
    "narrow": (norm, 0.7),
    "lognormal": (partial(stats.lognorm, 0.7), 1.0),
    "exponential": (stats.expon, 2.0),
}


@dataclass(frozen=True)
class Population:
    """Distributions (of scipy.stats) of the scores of both classes.

    If there are `edges`, all scores between two edges are made equal.
    """

    prevalence: float
    positives: Any
    negatives: Any = norm
    edges: tuple[float, ...] | None = None

    def draw(self, rng, n):
        """Return labels and scores of `n` rows, as scores take them."""
        positive = rng.random(n) < self.prevalence
        score = np.empty(n)
        for scores, rows in ((self.positives, positive), (self.negatives, ~positive)):
            score[rows] = scores.rvs(size=np.count_nonzero(rows), random_state=rng)
        if self.edges is not None:
            score = np.searchsorted(self.edges, score, side="right").astype(float)
        return {"y_true": positive.astype(int), "y_score": score}

    def at_or_above(self, threshold):
        """Return the shares of rows that have at least this score and are positive, or
        negative.
        """
        if self.edges is not None:
            lower = np.array([-np.inf, *self.edges])
            threshold = lower[np.searchsorted(self.edges, threshold, side="right")]
        tp, fp = self.positives.sf(threshold), self.negatives.sf(threshold)
        return self.prevalence * tp, (1 - self.prevalence) * fp

    @property
    def precision_of_recalls(self):
        """Precision at each recall of the grid."""
        tp, fp = self.at_or_above(self.positives.isf(_GRID))
        return tp / (tp + fp)

    @cached_property
    def average_precision(self):
        """The step area, which is also the linear one and that of Davis and
        Goadrich.
        """
        return float(self.precision_of_recalls.mean())

    @property
    def envelope(self):
        """Best precision at each recall of the grid or a greater one."""
        return np.maximum.accumulate(self.precision_of_recalls[::-1])[::-1]

    def eleven_points(self):
        return float(np.interp(np.linspace(0, 1, 11), _GRID, self.envelope).mean())

    def at_share(self, share):
        """Return the score that this share of all rows reaches."""
        return optimize.brentq(
            lambda s: sum(self.at_or_above(s)) - share, -50, 50, xtol=1e-12
        )

    def hits(self, share):
        """Return the share of rows that are positive and in this top share of rows."""
        return float(self.at_or_above(self.at_share(share))[0])

    def average_precision_at(self, share):
        """AP@k, where k is this share of all rows, over min(k, positives)."""
        is_first = self.positives.isf(_GRID) >= self.at_share(share)
        gained = np.where(is_first, self.precision_of_recalls, 0).mean()
        return self.prevalence * float(gained) / min(share, self.prevalence)


def normal(prevalence, shift, spread=1.0):
    """Negatives are standard normal, and positives normal."""
    return Population(prevalence, norm(shift, spread))


def to_score(score, prevalence, shape="normal", spread=1.0):
    """Positives are shifted, so that this is about the average precision; they are
    `spread` times as wide as the shape has them.
    """
    kind, wider = DISTRIBUTIONS[shape]
    spread *= wider
    threshold, odds = kind(0, spread).isf(_FEW), (1 - prevalence) / prevalence

    def excess(shift):
        fp = odds * kind().sf(threshold + shift)
        return float((_FEW / (_FEW + fp)).mean()) - score

    shift = optimize.brentq(excess, -5, 2_000, xtol=1e-10)
    return Population(prevalence, kind(shift, spread), kind())


def expected_positives(n, prevalence):
    """Return the beginning of a name: how many rows are expected to be positive."""
    return f"{n * prevalence:,.0f} of {n:,} rows"


def generators(name, replications, first=0):
    """Return one generator per sample, which only depends on the name and the number of
    the sample.
    """
    return (
        np.random.default_rng([zlib.crc32(name.encode()), i])
        for i in range(first, first + replications)
    )


@dataclass(frozen=True)
class Models:
    """Models that score the same rows: their scores have a correlation within each
    class (a normal copula).
    """

    populations: tuple[Population, ...]
    correlation: float = 0.7

    def draw(self, rng, n):
        """Return labels and the scores of each model, as comparisons take them."""
        positive = rng.random(n) < self.populations[0].prevalence
        shared = rng.normal(size=n)
        drawn = {"y_true": positive.astype(int)}
        for name, population in zip("abcdef", self.populations, strict=False):
            own = np.sqrt(1 - self.correlation**2) * rng.normal(size=n)
            rank = norm.cdf(self.correlation * shared + own)
            scores = population.positives.ppf(rank), population.negatives.ppf(rank)
            drawn[f"y_score_{name}"] = np.where(positive, *scores)
        return drawn

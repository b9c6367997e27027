"""The settings of the tables of coverage: how samples are drawn, the call to measure,
and the value of the population.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.stats import norm

from sklearn_ap import compare_scores, estimate_score

from .populations import (
    Drawn,
    Models,
    expected_positives,
    generators,
    normal,
    to_score,
)
from .tables import lines_of

AREAS = {
    "step": ("average_precision", {}),
    "linear": ("pr_auc_linear", {}),
    "interpolated": ("interpolated_average_precision", {}),
}
CUTS = {
    "precision@k": ("precision@k", {}),
    "recall@k": ("recall@k", {}),
    "AP@k": ("average_precision@k", {}),
    "R-precision": ("r_precision", {}),
    "11 points": ("eleven_point_average_precision", {}),
}
SCORES = AREAS | CUTS


def estimate(score="average_precision", **options):
    """Return a call that estimates a score, or the difference between two models."""

    def ask(drawn):
        function = compare_scores if "y_score_a" in drawn else estimate_score
        return function(score, **drawn, **options)

    return ask


OF_STEP = estimate()


@dataclass(frozen=True)
class Setting:
    """How samples are drawn, the call that estimates a value from each, and the value
    of the population.
    """

    name: str
    draw: Callable[[Generator], Drawn]
    target: Callable[[], float]
    ask: Callable[[Drawn], Any] = OF_STEP

    @cached_property
    def value(self):
        """The value of the population."""
        return self.target()

    def samples(self, replications, first=0):
        """Yield samples with their generators. A sample with fewer than two positives
        is drawn again.
        """
        for rng in generators(self.name, replications, first):
            drawn = self.draw(rng)
            while np.sum(drawn["y_true"]) < 2:
                drawn = self.draw(rng)
            yield rng, drawn


def of_rows(
    name,
    n,
    population,
    kind="step",
    *,
    k=0,
    prevalence=None,
):
    """Return a setting of `n` rows, at the prevalence of the sample or another."""
    whole, (score, options) = population, SCORES[kind]
    if prevalence is not None:
        whole = replace(population, prevalence=prevalence)
        options = {"prevalence": prevalence, **options}
    ask = estimate(score.replace("@k", f"@{k}"), **options)
    target = partial(value_of, whole, kind, k / n)
    return Setting(name, partial(population.draw, n=n), target, ask)


def value_of(population, kind, share):
    """Return the score of a population, where a cut has this share of all rows; most
    areas converge to step AP.
    """
    prevalence = population.prevalence
    values = {
        "interpolated": lambda: float(population.envelope.mean()),
        "precision@k": lambda: population.hits(share) / share,
        "recall@k": lambda: population.hits(share) / prevalence,
        "AP@k": lambda: population.average_precision_at(share),
        "R-precision": lambda: population.hits(prevalence) / prevalence,
        "11 points": population.eleven_points,
    }
    return values.get(kind, lambda: population.average_precision)()


def weighted(name, n, population, sigma, correlation):
    """Return a setting with weights exp(sigma z), where z has this correlation with the
    scores of each class.

    Such weights move the mean of a normal distribution by sigma * correlation * spread.
    """
    mean = population.positives.mean()
    spread = population.positives.std()

    def draw(rng):
        drawn = population.draw(rng, n)
        of_class = (drawn["y_score"] - mean * drawn["y_true"]) / np.where(
            drawn["y_true"], spread, 1
        )
        z = correlation * of_class + np.sqrt(1 - correlation**2) * rng.normal(size=n)
        return drawn | {"sample_weight": np.exp(sigma * z)}

    moved = population
    if correlation:
        mean_moved = mean + sigma * correlation * (spread - 1)
        moved = normal(population.prevalence, mean_moved, spread)
    return Setting(name, draw, lambda: moved.average_precision)


# Rows; the standard deviation of log weights, and how they correlate with scores.
WEIGHTED = """
1000  1    much higher  .9
1000  1.5  higher       .5
1000  1.5  much higher  .9
 500  .5   much higher  .9
"""
# What is asked, the shape of scores, rows, the score, and the prevalence.
LOW = """
step       normal      20000  .05  .001
step       normal      20000  .02  .001
11 points  spread out   2700  .02  .0104
11 points  spread out   2000  .05  .02
11 points  normal       1000  .3   .2
11 points  normal        600  .6   .1
"""
# Rows, the share of positives among them, a prevalence far below it, and a low score.
LOW_AT_A_PREVALENCE = """
 240  .35  .006  .02
 600  .5   .002  .01
1000  .5   .02   .06
2000  .5   .001  .05
"""
# The shape of scores, rows, the share of positives, and the scores of two models.
HIGH = """
logistic  110  .12  .8   .93
t3        150  .1   .82  .94
gamma      90  .25  .84  .94
normal    200  .06  .85  .97
Laplace    70  .2   .8   .95
normal    240  .1   .88  .96
"""


def short(number):
    """Return a number without the zero before the point."""
    return f"{number:g}".removeprefix("0")


def where_intervals_failed():
    """Yield settings in which intervals cover too little, or once did."""
    for n, sigma, how, correlation in lines_of(WEIGHTED):
        name = f"{n // 10} of {n:,} rows, lognormal {short(sigma)}, {how}"
        name += " for high scores"
        yield weighted(name, n, to_score(0.5, 0.1), sigma, correlation)
    for kind, shape, n, score, prevalence in lines_of(LOW):
        name = f"{expected_positives(n, prevalence)}, AP {short(score)}"
        name += ", spread out" * (shape == "spread out")
        name += ", eleven points" * (kind == "11 points")
        yield of_rows(name, n, to_score(score, prevalence, shape), kind)
    for n, share, prevalence, score in lines_of(LOW_AT_A_PREVALENCE):
        population = replace(to_score(score, prevalence), prevalence=share)
        for kind in ("step", "interpolated"):
            name = f"{share:.0%} of {n:,} rows, at {prevalence:g}, AP {score:g}, {kind}"
            yield of_rows(name, n, population, kind, prevalence=prevalence)


def differences_of_high_scores():
    """Yield pairs of models. With few positives, the better model is often perfect in a
    sample.
    """
    for shape, n, share, low, high in lines_of(HIGH):
        both = to_score(high, share, shape), to_score(low, share, shape)
        draw = partial(Models(both, 0.6).draw, n=n)
        rows = f"{n * share:.0f} of {n} rows, {shape}, AP {high:g} and {low:g}"
        for kind in ("step", "precision@k", "recall@k"):
            k = round(n * share) * (2 if kind == "recall@k" else 1)
            score, options = SCORES[kind]
            ask = estimate(score.replace("@k", f"@{k}"), **options)
            first, second = (value_of(x, kind, k / n) for x in both)
            yield Setting(f"{rows}, {kind}", draw, partial(float, first - second), ask)


def in_order_of_time():
    """Yield settings with a row per day, whose label depends on the next 20 days, and
    its score on as many past days.
    """
    for n_days, share in ((500, 0.3), (1_000, 0.2), (2_000, 0.1)):
        population = to_score(0.5, share)
        rows = f"{n_days:,} days, {share:.0%} positive, 20 days ahead"
        for n_in_block in (1, 60):
            yield Setting(
                f"{rows}, blocks of {n_in_block}",
                partial(draw_days, population, n_days, n_in_block),
                partial(value_of, population, "step", share),
            )


def draw_days(population, n_days, n_in_block, rng):
    moving = np.full(20, 20**-0.5)  # a mean, of variance 1
    ahead, noise = (
        np.convolve(moves, moving, "valid")
        for moves in rng.normal(size=(2, n_days + 19))
    )
    y_true = (ahead > norm.isf(population.prevalence)).astype(int)
    y_score = noise + population.positives.mean() * y_true
    unit_id = np.arange(n_days) // n_in_block
    return {"y_true": y_true, "y_score": y_score, "unit_id": unit_id}

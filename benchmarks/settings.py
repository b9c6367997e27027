"""The settings of the coverage tables: what is drawn, what is asked, and the value of
the population.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.stats import norm

from sklearn_ap import compare_scores, estimate_score

from .populations import Drawn, Models, Population, generators, normal, to_score

AREAS = {
    "step": ("average_precision", {}),
    "linear": ("pr_auc", {"interpolation": "linear"}),
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


def estimate(score: Any = "average_precision", **options: Any) -> Callable[..., Any]:
    """Return the question for a score, or for the difference between two models."""

    def ask(drawn: Drawn) -> Any:
        function = compare_scores if "y_score_a" in drawn else estimate_score
        return function(score, **drawn, **options)

    return ask


OF_STEP = estimate()


@dataclass(frozen=True)
class Setting:
    """A way to draw samples, the question that each is asked, and the answer that is
    right.
    """

    name: str
    draw: Callable[[Generator], Drawn]
    target: Callable[[], float]
    ask: Callable[[Drawn], Any] = OF_STEP

    @cached_property
    def value(self) -> float:
        """The right answer, once."""
        return self.target()

    def samples(
        self, replications: int, first: int = 0
    ) -> Iterator[tuple[Generator, Drawn]]:
        """Yield samples, each with its generator; those with fewer than two positives
        are drawn again.
        """
        for rng in generators(self.name, replications, first):
            drawn = self.draw(rng)
            while np.sum(drawn["y_true"]) < 2:
                drawn = self.draw(rng)
            yield rng, drawn


def of_rows(
    name: str,
    n: int,
    population: Population,
    kind: str = "step",
    *,
    k: int = 0,
    prevalence: float | None = None,
) -> Setting:
    """A sample of `n` rows, and a score, at the prevalence of the sample or another."""
    whole, (score, options) = population, SCORES[kind]
    if prevalence is not None:
        whole = replace(population, prevalence=prevalence)
        options = {"prevalence": prevalence, **options}
    ask = estimate(score.replace("@k", f"@{k}"), **options)
    target = partial(value_of, whole, kind, k / n)
    return Setting(name, partial(population.draw, n=n), target, ask)


def value_of(population: Population, kind: str, share: float) -> float:
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


def weighted(
    name: str, n: int, population: Population, sigma: float, correlation: float
) -> Setting:
    """Weights exp(sigma z), where z has this correlation with the score inside each
    class.

    Such weights move the mean of a normal distribution by sigma * correlation * spread.
    """
    mean = population.positives.mean()
    spread = population.positives.std()

    def draw(rng: Generator) -> Drawn:
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


def where_intervals_failed() -> Iterator[Setting]:
    """Where intervals covered less than .93, or still do."""
    for n, sigma, how, correlation in (
        (1_000, "1", "much higher", 0.9),
        (1_000, "1.5", "higher", 0.5),
        (1_000, "1.5", "much higher", 0.9),
        (500, ".5", "much higher", 0.9),
    ):
        name = f"{n // 10} of {n:,} rows, lognormal {sigma}, {how} for high scores"
        yield weighted(name, n, to_score(0.5, 0.1), float(sigma), correlation)
    for kind, name, n, *rows in (
        ("step", "20 of 20,000 rows, AP .05", 20_000, 0.05, 0.001),
        ("step", "20 of 20,000 rows, AP .02", 20_000, 0.02, 0.001),
        (
            "11 points",
            "28 of 2,700 rows, AP .02, spread out, eleven points",
            2_700,
            0.02,
            0.0104,
            "spread out",
        ),
        (
            "11 points",
            "40 of 2,000 rows, AP .05, spread out, eleven points",
            2_000,
            0.05,
            0.02,
            "spread out",
        ),
        ("11 points", "200 of 1,000 rows, AP .3, eleven points", 1_000, 0.3, 0.2),
        ("11 points", "60 of 600 rows, AP .6, eleven points", 600, 0.6, 0.1),
    ):
        yield of_rows(name, n, to_score(*rows), kind)
    # Low scores at a prevalence far below the share of positives in the sample.
    for n, share, prevalence, score in (
        (240, 0.35, 0.006, 0.02),
        (600, 0.5, 0.002, 0.01),
        (1_000, 0.5, 0.02, 0.06),
        (2_000, 0.5, 0.001, 0.05),
    ):
        population = replace(to_score(score, prevalence), prevalence=share)
        for kind in ("step", "interpolated"):
            name = f"{share:.0%} of {n:,} rows, at {prevalence:g}, AP {score:g}, {kind}"
            yield of_rows(name, n, population, kind, prevalence=prevalence)


def differences_of_high_scores() -> Iterator[Setting]:
    """True differences of two models, of which the better one is often perfect in
    samples of few positives.
    """
    for n, share, low, high, shape in (
        (110, 0.12, 0.8, 0.93, "logistic"),
        (150, 0.1, 0.82, 0.94, "t3"),
        (90, 0.25, 0.84, 0.94, "gamma"),
        (200, 0.06, 0.85, 0.97, "normal"),
        (70, 0.2, 0.8, 0.95, "Laplace"),
        (240, 0.1, 0.88, 0.96, "normal"),
    ):
        both = to_score(high, share, shape), to_score(low, share, shape)
        draw = partial(Models(both, 0.6).draw, n=n)
        rows = f"{n * share:.0f} of {n} rows, {shape}, AP {high:g} and {low:g}"
        for kind in ("step", "precision@k", "recall@k"):
            k = round(n * share) * (2 if kind == "recall@k" else 1)
            score, options = SCORES[kind]
            ask = estimate(score.replace("@k", f"@{k}"), **options)
            first, second = (value_of(x, kind, k / n) for x in both)
            yield Setting(f"{rows}, {kind}", draw, partial(float, first - second), ask)


def in_order_of_time() -> Iterator[Setting]:
    """A row per day, whose label looks 20 days ahead; its score remembers as many."""
    for n_days, share in ((500, 0.3), (1_000, 0.2), (2_000, 0.1)):
        population = to_score(0.5, share)
        rows = f"{n_days:,} days, {share:.0%} positive, 20 days ahead"
        for n_in_block in (1, 60):
            yield Setting(
                f"{rows}, blocks of {n_in_block}",
                partial(draw_days, population, n_days, n_in_block),
                partial(value_of, population, "step", share),
            )


def draw_days(
    population: Population, n_days: int, n_in_block: int, rng: Generator
) -> Drawn:
    moving = np.full(20, 20**-0.5)  # a mean, of variance 1
    ahead, noise = (
        np.convolve(moves, moving, "valid")
        for moves in rng.normal(size=(2, n_days + 19))
    )
    y_true = (ahead > norm.isf(population.prevalence)).astype(int)
    y_score = noise + population.positives.mean() * y_true
    unit_id = np.arange(n_days) // n_in_block
    return {"y_true": y_true, "y_score": y_score, "unit_id": unit_id}

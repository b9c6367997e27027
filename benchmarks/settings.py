"""The settings of the coverage tables: what is drawn, what is asked, and the value of
the population.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.stats import norm

import sklearn_ap

from .populations import Drawn, Population, normal, to_score

AREAS = {
    "step": ("average_precision", {}),
    "linear": ("pr_auc", {"interpolation": "linear"}),
    "Davis-Goadrich": ("pr_auc", {"interpolation": "davis-goadrich"}),
    "interpolated": ("interpolated_average_precision", {}),
}
CUTS = {
    "precision@k": "precision",
    "recall@k": "recall",
    "AP@k": "average_precision",
    "R-precision": "r_precision",
    "11 points": "eleven_point_average_precision",
}


def interval(score: Any = "average_precision", **options: Any) -> Callable[..., Any]:
    """Return the question for the ends of the interval of 95 % of a score."""

    def ask(drawn: Drawn) -> tuple[float, float]:
        estimate = sklearn_ap.estimate_score
        if "y_score_a" in drawn:
            estimate = sklearn_ap.compare_scores
        return estimate(score, **drawn, **options).confidence_interval()

    return ask


OF_STEP = interval()


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


def of_area(
    name: str,
    n: int,
    population: Population,
    area: str = "step",
    prevalence: float | None = None,
) -> Setting:
    """A sample of `n` rows, and an area, at the prevalence of the sample or another."""
    whole, (score, options) = population, AREAS[area]
    if prevalence is not None:
        whole = replace(population, prevalence=prevalence)
        options = {"prevalence": prevalence, **options}
    draw, target = partial(population.draw, n=n), partial(value_of, whole, area)
    return Setting(name, draw, target, interval(score, **options))


def value_of(population: Population, area: str) -> float:
    """Return the area of a population; all but one converge to step AP."""
    if area == "interpolated":
        return float(population.envelope.mean())
    return population.average_precision


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


def near_chance(
    n: int, share: float, prevalence: float, score: float, area: str
) -> Setting:
    """A low score at a prevalence far below the share of positives in the sample."""
    population = replace(to_score(score, prevalence), prevalence=share)
    name = f"{share:.0%} of {n:,} rows, at {prevalence:g}, AP {score:g}, {area}"
    return of_area(name, n, population, area, prevalence)


def cut(kind: str, name: str, n: int, population: Population, k: int = 0) -> Setting:
    """A cut ranking or a level."""
    prevalence = population.prevalence

    def hits(share: float) -> float:
        return float(population.at_or_above(np.array(population.at_share(share)))[0])

    target = {
        "precision@k": lambda: hits(k / n) / (k / n),
        "recall@k": lambda: hits(k / n) / prevalence,
        "AP@k": lambda: population.average_precision_at(k / n),
        "R-precision": lambda: hits(prevalence) / prevalence,
        "11 points": population.eleven_points,
    }[kind]
    score = CUTS[kind] + (f"@{k}" if kind.endswith("@k") else "")
    return Setting(name, partial(population.draw, n=n), target, interval(score))


def where_intervals_failed() -> list[Setting]:
    """Where intervals covered less than .93, or still do."""
    tenth = to_score(0.5, 0.1)
    return [
        *(
            weighted(
                f"{n // 10} of {n:,} rows, lognormal {sigma}, {how} for high scores",
                n,
                tenth,
                float(sigma),
                correlation,
            )
            for n, sigma, how, correlation in (
                (1_000, "1", "much higher", 0.9),
                (1_000, "1.5", "higher", 0.5),
                (1_000, "1.5", "much higher", 0.9),
                (500, ".5", "much higher", 0.9),
            )
        ),
        of_area("20 of 20,000 rows, AP .05", 20_000, to_score(0.05, 0.001)),
        of_area("20 of 20,000 rows, AP .02", 20_000, to_score(0.02, 0.001)),
        *(
            cut("11 points", f"{name}, eleven points", n, population)
            for name, n, population in (
                (
                    "28 of 2,700 rows, AP .02, spread out",
                    2_700,
                    to_score(0.02, 0.0104, 1.6),
                ),
                (
                    "40 of 2,000 rows, AP .05, spread out",
                    2_000,
                    to_score(0.05, 0.02, 1.6),
                ),
                ("200 of 1,000 rows, AP .3", 1_000, to_score(0.3, 0.2)),
                ("60 of 600 rows, AP .6", 600, to_score(0.6, 0.1)),
            )
        ),
        *(
            near_chance(*rows, area)
            for rows in (
                (240, 0.35, 0.006, 0.02),
                (600, 0.5, 0.002, 0.01),
                (1_000, 0.5, 0.02, 0.06),
                (2_000, 0.5, 0.001, 0.05),
            )
            for area in ("step", "interpolated")
        ),
    ]


def in_order_of_time(n_days: int, share: float, n_in_block: int) -> Setting:
    """A row per day, whose label looks 20 days ahead; its score remembers as many."""
    population = to_score(0.5, share)
    moving = np.full(20, 20**-0.5)  # a mean, of variance 1

    def draw(rng: Generator) -> Drawn:
        ahead, noise = (
            np.convolve(moves, moving, "valid")
            for moves in rng.normal(size=(2, n_days + 19))
        )
        y_true = (ahead > norm.isf(share)).astype(int)
        y_score = noise + population.positives.mean() * y_true
        unit_id = np.arange(n_days) // n_in_block
        return {"y_true": y_true, "y_score": y_score, "unit_id": unit_id}

    name = (
        f"{n_days:,} days, {share:.0%} positive, 20 days ahead, blocks of {n_in_block}"
    )
    return Setting(name, draw, lambda: population.average_precision)


def chosen_settings() -> dict[str, list[Setting]]:
    """Return the settings that no seed draws."""
    days = ((500, 0.3), (1_000, 0.2), (2_000, 0.1))
    return {
        "Where intervals failed": where_intervals_failed(),
        "Order of time": [
            in_order_of_time(*rows, n_in_block)
            for rows in days
            for n_in_block in (1, 60)
        ],
    }

"""Whether samples of a stated size do what was asked: `python -m benchmarks.coverage
--table sizes`.
"""

import argparse
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.random import Generator

from sklearn_ap import (
    average_precision_score,
    compare_scores,
    estimate_score,
    sample_size,
)

from .populations import (
    SHAPES,
    Drawn,
    Pair,
    Population,
    generators,
    shift_for,
    shifted,
    to_score,
)
from .tables import share, show, table, told

MANY = 200_000  # rows of a pilot that knows nearly all
FEW = 40  # positives of a small pilot
HEADERS = "setting", "positives", "rows", "goal", "obtained", "obtained / goal"
POWER_HEADERS = "setting", "median size", "goal", "obtained"
PILOT_HEADERS = (
    "setting", "positives of pilot", "right size", "5 %", "median", "95 %", "ends contain it"
)  # fmt: skip


@dataclass(frozen=True)
class Setting:
    """How rows are drawn, what is asked, and what is expected instead of a large
    pilot.
    """

    name: str
    population: Population | Pair
    goal: Drawn
    expected: Drawn = field(default_factory=dict)

    def size(self, rng: Generator, n_pilot: int) -> Any:
        """Return the size, from a pilot if nothing is expected."""
        pilot = self.expected or self.population.draw(rng, n_pilot)
        if "y_score_a" in pilot:
            pilot["y_score"] = pilot.pop("y_score_a")
        return sample_size(average_precision_score, **pilot, **self.goal)

    def obtained(self, rng: Generator, n: int) -> float:
        """Return the half-width of a sample, or whether the test rejects."""
        drawn = self.population.draw(rng, n)
        if "power" in self.goal:
            return compare_scores(average_precision_score, **drawn).pvalue <= 0.05
        low, high = estimate_score(
            average_precision_score, **drawn
        ).confidence_interval()
        return (high - low) / 2


of_score = cache(to_score)


def without_pilot() -> list[Setting]:
    """Normal scores, then others; only their score and prevalence are passed."""
    goals = (
        (0.2, 0.05, 0.1), (0.2, 0.05, 0.05), (0.5, 0.05, 0.1), (0.5, 0.05, 0.05), (0.8, 0.05, 0.1),
        (0.8, 0.05, 0.03), (0.95, 0.05, 0.05), (0.95, 0.05, 0.02), (0.5, 0.3, 0.1), (0.5, 0.3, 0.05),
        (0.9, 0.3, 0.03), (0.3, 0.01, 0.1), (0.7, 0.01, 0.08),
    )  # fmt: skip
    settings = [
        (f"AP {share(score)} at {share(at)}", of_score(score, at), score, at, goal)
        for score, at, goal in goals
    ]
    settings += [
        (
            f"{shape}, AP {share(score)} at .050",
            shifted(*SHAPES[shape], 0.05, score),
            score,
            0.05,
            0.05,
        )
        for shape in ("spread out", "narrow", "t2", "lognormal", "exponential")
        for score in (0.5, 0.8, 0.95)
    ]
    return [
        Setting(
            name,
            population,
            {"half_width": goal},
            {"score": score, "prevalence": prevalence},
        )
        for name, population, score, prevalence, goal in settings
    ]


def of_two_models() -> list[Setting]:
    """Two models, from a pilot of very many rows."""
    settings = []
    for prevalence, base, difference, correlation in (
        (0.1, 0.5, 0.1, 0.7), (0.1, 0.5, 0.2, 0.7), (0.05, 0.4, 0.12, 0.8), (0.05, 0.8, 0.1, 0.5),
        (0.3, 0.8, 0.05, 0.7), (0.3, 0.95, 0.03, 0.7), (0.01, 0.3, 0.15, 0.7),
    ):  # fmt: skip
        shifts = (
            shift_for(base + difference, prevalence),
            shift_for(base, prevalence),
        )
        scores = f"{share(base + difference)} against {share(base)}"
        name = f"{scores} at {share(prevalence)}, correlation {correlation}"
        goal = {"difference": difference, "power": 0.8}
        pair = Pair(prevalence, shifts, correlation=correlation)
        settings.append(Setting(name, pair, goal))
    return settings


def row_of(setting: Setting, replications: int) -> list[str]:
    size = setting.size(np.random.default_rng(0), MANY)
    goal = setting.goal.get("power") or setting.goal["half_width"]
    samples = generators(setting.name, replications)
    obtained = float(np.mean([setting.obtained(rng, size.n_units) for rng in samples]))
    numbers = f"{size.n_positives:,}", f"{size.n_samples:,}", share(goal)
    return [setting.name, *numbers, share(obtained), f"{obtained / goal:.2f}"]


def of_small_pilots(setting: Setting, replications: int) -> list[str]:
    """Return how often tests reject in samples whose sizes come from pilots of
    `FEW` positives.
    """
    sizes, rejects = [], []
    n_pilot = round(FEW / setting.population.prevalence)
    for rng in generators(f"{setting.name}, pilots", replications):
        size = setting.size(rng, n_pilot)
        sizes.append(size.n_positives)
        rejects.append(setting.obtained(rng, size.n_units))
    numbers = share(setting.goal["power"]), share(float(np.mean(rejects)))
    return [setting.name, f"{np.median(sizes):,.0f}", *numbers]


def of_pilots(case: tuple[int, float, float], replications: int) -> list[str]:
    """Return what small pilots say, and how often their ends contain the size that is
    right.
    """
    n_positives, score, prevalence = case
    population = of_score(score, prevalence)
    n = round(n_positives / prevalence)
    right = sample_size(
        average_precision_score, score=score, prevalence=prevalence, half_width=0.05
    ).n_positives
    sizes = []
    for rng in generators(f"{n_positives}, {score}, {prevalence}", replications):
        drawn = population.draw(rng, n)
        # which are refused
        while drawn["y_true"].sum() < 2 or average_precision_score(**drawn) == 1:
            drawn = population.draw(rng, n)
        sizes.append(sample_size(average_precision_score, **drawn, half_width=0.05))
    quantiles = np.quantile([size.n_positives for size in sizes], (0.05, 0.5, 0.95))
    contained = [
        size.n_positives_low <= right <= size.n_positives_high for size in sizes
    ]
    counts = (f"{count:,.0f}" for count in (n_positives, right, *quantiles))
    name = f"AP {share(score)} at {share(prevalence)}"
    return [name, *counts, share(float(np.mean(contained)))]


def show_tables(options: argparse.Namespace) -> None:
    replications, models = options.replications or 400, of_two_models()
    pilots = [(n, score, 0.05) for score in (0.5, 0.9) for n in (10, 20, 50, 100)]
    for title, headers, row, cases in (
        ("Half-width without a pilot", HEADERS, row_of, without_pilot()),
        ("Power", HEADERS, row_of, models),
        (f"Power from pilots of {FEW} positives", POWER_HEADERS, of_small_pilots, models),
        ("Pilots of few positives", PILOT_HEADERS, of_pilots, pilots),
    ):  # fmt: skip
        if options.only in title:
            rows = told(row(case, replications) for case in cases)
            show(title, table(headers, rows))
    print(f"{replications:,} samples per setting.")

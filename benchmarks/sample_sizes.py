"""Whether samples of a stated size do what was asked: `python -m benchmarks.coverage
--table sizes`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
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
from .tables import Row, Table, share

MANY = 200_000  # rows of a pilot that knows nearly all
FEW = 40  # positives of a small pilot
HEADERS = "setting", "positives", "rows", "goal", "obtained", "obtained / goal"
POWER_HEADERS = "setting", "median size", "goal", "obtained"
PILOT_HEADERS = "AP, prevalence", "right size", "median", "ends contain it"


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


def without_pilot() -> list[Setting]:
    """Normal scores, then others; only their score and prevalence are passed."""
    goals = [
        (0.2, 0.05, 0.1), (0.2, 0.05, 0.05), (0.5, 0.05, 0.1), (0.5, 0.05, 0.05), (0.8, 0.05, 0.1),
        (0.8, 0.05, 0.03), (0.95, 0.05, 0.05), (0.95, 0.05, 0.02), (0.5, 0.3, 0.1), (0.5, 0.3, 0.05),
        (0.9, 0.3, 0.03), (0.3, 0.01, 0.1), (0.7, 0.01, 0.08),
    ]  # fmt: skip
    shapes = "spread out", "narrow", "t2", "lognormal", "exponential"
    cases = [("normal", *goal) for goal in goals]
    cases += [(shape, ap, 0.05, 0.05) for shape in shapes for ap in (0.5, 0.8, 0.95)]
    return [
        Setting(
            f"{shape}, AP {share(ap)} at {share(at)}".removeprefix("normal, "),
            shifted(*SHAPES[shape], at, ap),
            {"half_width": goal},
            {"score": ap, "prevalence": at},
        )
        for shape, ap, at, goal in cases
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


def rows_of(setting: Setting, replications: int) -> Iterator[Row]:
    size = setting.size(np.random.default_rng(0), MANY)
    goal = setting.goal.get("power") or setting.goal["half_width"]
    samples = generators(setting.name, replications)
    obtained = float(np.mean([setting.obtained(rng, size.n_units) for rng in samples]))
    numbers = f"{size.n_positives:,}", f"{size.n_samples:,}", share(goal)
    yield [setting.name, *numbers, share(obtained), f"{obtained / goal:.2f}"]


def rows_of_small_pilots(setting: Setting, replications: int) -> Iterator[Row]:
    """Yield how often tests reject in samples whose sizes come from pilots of
    `FEW` positives.
    """
    sizes, rejects = [], []
    n_pilot = round(FEW / setting.population.prevalence)
    for rng in generators(f"{setting.name}, pilots", replications):
        size = setting.size(rng, n_pilot)
        sizes.append(size.n_positives)
        rejects.append(setting.obtained(rng, size.n_units))
    numbers = share(setting.goal["power"]), share(float(np.mean(rejects)))
    yield [setting.name, f"{np.median(sizes):,.0f}", *numbers]


def rows_of_pilots(
    n_positives: int, setting: Setting, replications: int
) -> Iterator[Row]:
    """Yield what small pilots say, and how often their ends contain the size that is
    right.
    """
    right = sample_size(average_precision_score, **setting.expected, **setting.goal)
    n = round(n_positives / setting.population.prevalence)
    sizes = []
    for rng in generators(f"{n_positives}, {setting.name}", replications):
        drawn: Drawn = {"y_true": np.zeros(1)}
        # Such pilots are refused.
        while drawn["y_true"].sum() < 2 or average_precision_score(**drawn) == 1:
            drawn = setting.population.draw(rng, n)
        sizes.append(sample_size(average_precision_score, **drawn, **setting.goal))
    contained = [
        size.n_positives_low <= right.n_positives <= size.n_positives_high
        for size in sizes
    ]
    median = np.median([size.n_positives for size in sizes])
    counts = f"{right.n_positives:,}", f"{median:,.0f}"
    yield [setting.name, *counts, share(float(np.mean(contained)))]


def tables(_: int | None) -> list[Table]:
    models = of_two_models()
    few = f"Power from pilots of {FEW} positives"
    goal = {"half_width": 0.05}
    pilots = [
        Setting(
            f"{ap}, 0.05", to_score(ap, 0.05), goal, {"score": ap, "prevalence": 0.05}
        )
        for ap in (0.5, 0.9)
    ]
    return [
        Table("Half-width without a pilot", HEADERS, without_pilot(), rows_of),
        Table("Power", HEADERS, models, rows_of),
        Table(few, POWER_HEADERS, models, rows_of_small_pilots),
        *(
            Table(
                f"Pilots of {n} positives",
                PILOT_HEADERS,
                pilots,
                partial(rows_of_pilots, n),
            )
            for n in (10, 20, 50, 100)
        ),
    ]

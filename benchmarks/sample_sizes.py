"""Whether samples of a stated size do what was asked: `python -m benchmarks.coverage
--table sizes`.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.stats import norm

from sklearn_ap import (
    average_precision_score,
    compare_scores,
    estimate_score,
    pr_auc_score,
    sample_size,
)

from .drawn_settings import SHAPES, shifted
from .populations import (
    Drawn,
    Pair,
    Population,
    clustered,
    draw_queries,
    generators,
    shift_for,
    to_score,
)
from .tables import share, show, table, told

MANY = 200_000  # rows of a pilot that knows nearly all
FEW = 40  # positives of a small pilot
Draw = Callable[[Generator, int], Drawn]


@dataclass(frozen=True)
class Setting:
    """How so many units are drawn, what is asked, and what is expected instead of a
    large pilot.
    """

    name: str
    draw: Draw
    goal: Drawn
    expected: Drawn = field(default_factory=dict)
    score: Callable[..., float] = average_precision_score
    n_pilot: int = MANY  # units

    def size(self) -> Any:
        pilot = (
            {} if self.expected else self.draw(np.random.default_rng(0), self.n_pilot)
        )
        return sample_size(self.score, **renamed(pilot), **self.expected, **self.goal)

    def obtained(self, n_units: int, replications: int) -> float:
        """Return the mean half-width, or the share of samples where the test rejects."""
        return float(
            np.mean(
                [self._of(rng, n_units) for rng in generators(self.name, replications)]
            )
        )

    def _of(self, rng: Generator, n_units: int) -> float:
        drawn = self.draw(rng, n_units)
        if "power" in self.goal:
            return compare_scores(self.score, **drawn).pvalue <= 0.05
        low, high = estimate_score(self.score, **drawn).confidence_interval()
        return (high - low) / 2


def renamed(drawn: Drawn) -> Drawn:
    """Return the rows as `sample_size` takes them, whose first model is `y_score`."""
    return {
        "y_score" if name == "y_score_a" else name: values
        for name, values in drawn.items()
    }


of_score = cache(to_score)


@cache
def of_two(
    prevalence: float, base: float, difference: float, correlation: float
) -> Pair:
    shifts = shift_for(base + difference, prevalence), shift_for(base, prevalence)
    return Pair(prevalence, shifts, correlation=correlation)


def without_pilot() -> list[Setting]:
    """Normal scores of both classes; only their score and prevalence are passed."""
    goals = (
        (0.2, 0.05, 0.1), (0.2, 0.05, 0.05), (0.5, 0.05, 0.1), (0.5, 0.05, 0.05), (0.8, 0.05, 0.1),
        (0.8, 0.05, 0.03), (0.95, 0.05, 0.05), (0.95, 0.05, 0.02), (0.5, 0.3, 0.1), (0.5, 0.3, 0.05),
        (0.9, 0.3, 0.03), (0.3, 0.01, 0.1), (0.7, 0.01, 0.08),
    )  # fmt: skip
    return [
        Setting(
            f"AP {share(score)} at {share(prevalence)}",
            of_score(score, prevalence).draw,
            {"half_width": goal},
            {"score": score, "prevalence": prevalence},
        )
        for score, prevalence, goal in goals
    ]


def of_other_shapes() -> list[Setting]:
    """Scores that are not normal; only their score and prevalence are passed."""
    settings = []
    for shape in ("spread out", "narrow", "t2", "lognormal", "exponential"):
        for score, goal in ((0.5, 0.05), (0.8, 0.05), (0.95, 0.05)):
            draw = shifted(*SHAPES[shape], 0.05, score).draw
            expected = {"score": score, "prevalence": 0.05}
            name = f"{shape}, AP {share(score)} at .050"
            settings.append(Setting(name, draw, {"half_width": goal}, expected))
    return settings


def in_clusters(rng: Generator, n: int) -> Drawn:
    return clustered(
        rng, of_score(0.5, 0.1), rng.integers(1, 10, n), effect=0.4, concentration=3.0
    )


def with_pilot() -> list[Setting]:
    """Other shapes, scores and units, from a pilot of very many rows."""
    mixed = Population(0.05, ((0.6, norm(4, 1)), (0.4, norm(0.3, 1))))
    tied = to_score(0.6, 0.2, edges=(-0.5, 0.5, 1.5, 2.5))
    width = {"half_width": 0.05}
    return [
        Setting(
            "AP .5 at .05, positives spread out", to_score(0.5, 0.05, 2.0).draw, width
        ),
        Setting("easy and hard positives", mixed.draw, width),
        Setting("5 distinct scores", tied.draw, width),
        Setting(
            "linear area .5 at .1", to_score(0.5, 0.1).draw, width, score=pr_auc_score
        ),
        Setting("clusters of 1 to 9 rows", in_clusters, width, n_pilot=20_000),
        Setting("queries", draw_queries, width, n_pilot=20_000),
    ]


PAIRS = (  # prevalence, score, difference, correlation
    (0.1, 0.5, 0.1, 0.7), (0.1, 0.5, 0.2, 0.7), (0.05, 0.4, 0.12, 0.8), (0.05, 0.8, 0.1, 0.5),
    (0.3, 0.8, 0.05, 0.7), (0.3, 0.95, 0.03, 0.7), (0.01, 0.3, 0.15, 0.7),
)  # fmt: skip
PREVALENCES = [pair[0] for pair in PAIRS]


def comparisons() -> list[Setting]:
    """Two models, from a pilot of very many rows."""
    settings = []
    for prevalence, base, difference, correlation in PAIRS:
        scores = f"{share(base + difference)} against {share(base)}"
        name = f"{scores} at {share(prevalence)}, correlation {correlation}"
        draw = of_two(prevalence, base, difference, correlation).draw
        settings += [
            Setting(name, draw, {"difference": difference, "power": power})
            for power in (0.5, 0.8)
        ]
    return settings


def row_of(setting: Setting, replications: int) -> list[str]:
    size = setting.size()
    goal = next(
        setting.goal[name] for name in ("power", "half_width") if name in setting.goal
    )
    obtained = setting.obtained(size.n_units, replications)
    counts = (f"{count:,}" for count in (size.n_positives, size.n_samples))
    return [
        setting.name,
        *counts,
        share(goal),
        share(obtained),
        f"{obtained / goal:.2f}",
    ]


def of_small_pilots(
    setting: Setting, prevalence: float, replications: int
) -> list[str]:
    """Return how often tests reject in samples whose sizes come from pilots of
    `FEW` positives.
    """
    sizes, rejects = [], []
    for rng in generators(f"{setting.name}, pilots", replications):
        pilot = setting.draw(rng, round(FEW / prevalence))
        size = sample_size(setting.score, **renamed(pilot), **setting.goal)
        sizes.append(size.n_positives)
        rejects.append(setting._of(rng, size.n_units))
    numbers = share(setting.goal["power"]), share(float(np.mean(rejects)))
    return [setting.name, f"{np.median(sizes):,.0f}", *numbers]


def of_pilots(
    n_positives: int, score: float, prevalence: float, replications: int
) -> list[str]:
    """Return what small pilots say, and how often their ends contain the size that is
    right.
    """
    population = to_score(score, prevalence)
    n = round(n_positives / prevalence)
    of_population = sample_size(
        average_precision_score, score=score, prevalence=prevalence, half_width=0.05
    )
    sizes = []
    for rng in generators(f"{n_positives}, {score}, {prevalence}", replications):
        drawn = population.draw(rng, n)
        # which are refused
        while drawn["y_true"].sum() < 2 or average_precision_score(**drawn) == 1:
            drawn = population.draw(rng, n)
        sizes.append(sample_size(average_precision_score, **drawn, half_width=0.05))
    quantiles = np.quantile([size.n_positives for size in sizes], (0.05, 0.5, 0.95))
    right = of_population.n_positives
    contained = np.mean(
        [size.n_positives_low <= right <= size.n_positives_high for size in sizes]
    )
    counts = (f"{count:,.0f}" for count in (n_positives, right, *quantiles))
    return [
        f"AP {share(score)} at {share(prevalence)}",
        *counts,
        share(float(contained)),
    ]


POWER_HEADERS = ("setting", "median size", "goal", "obtained")
HEADERS = ("setting", "positives", "rows", "goal", "obtained", "obtained / goal")
PILOT_HEADERS = (
    "setting",
    "positives of pilot",
    "right size",
    "5 %",
    "median",
    "95 %",
    "ends contain it",
)


GROUPS: dict[str, Callable[[], list[Setting]]] = {
    "Half-width without a pilot": without_pilot,
    "Half-width, other shapes": of_other_shapes,
    "Half-width from a large pilot": with_pilot,
    "Power": comparisons,
}


def show_tables(options: argparse.Namespace) -> None:
    replications = options.replications or 400
    for group, settings in GROUPS.items():
        chosen = [
            setting
            for setting in settings()
            if options.only in f"{group}, {setting.name}"
        ]
        if chosen:
            show(
                group,
                table(
                    HEADERS, told(row_of(setting, replications) for setting in chosen)
                ),
            )
    if options.only in "Power from small pilots":
        asked = zip(comparisons()[1::2], PREVALENCES, strict=True)
        rows = told(of_small_pilots(*each, replications) for each in asked)
        show(f"Power from pilots of {FEW} positives", table(POWER_HEADERS, rows))
    if options.only in "Pilots of few positives":
        cases = ((n, score, 0.05) for score in (0.5, 0.9) for n in (10, 20, 50, 100))
        rows = told(of_pilots(*case, replications) for case in cases)
        show("Pilots of few positives", table(PILOT_HEADERS, rows))
    print(f"{replications:,} samples per setting.")

"""How often any of many equal models is called different: `python -m
benchmarks.coverage --table models`.
"""

import argparse
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from sklearn_ap import average_precision_score, compare_many

from .populations import Drawn, generators, shift_for
from .tables import share, show, table, told

LEVEL = 0.05
MODELS = (3, 6, 10)
CORRELATION = 0.7  # of the scores of two models, within each class
HEADERS = ("rows", "models", "pairs", "any of equal models", "a better model")
FOOTNOTE = """
{:,} samples per line. The first share says how often any pair of equal
models is called different, and the other how many of the differences of one better model to the others
are found.
"""


class Setting(NamedTuple):
    """Models whose scores share most of their noise; `gain` is what a better model is
    better by.
    """

    name: str
    prevalence: float
    average_precision: float
    gain: float
    n: int
    units: str = ""  # "unit_id" or "query_id"
    size: int = 1  # rows of a unit
    at: float | None = None  # the prevalence of the population

    def sample(self, rng: Generator, n_models: int, *, better: bool) -> Drawn:
        """Return rows of equal models, or of a first model that is better."""
        gains = np.append(self.gain * better, np.zeros(n_models - 1))
        prevalence = self.prevalence if self.at is None else self.at
        shifts = np.array(
            [_shift_for(self.average_precision + gain, prevalence) for gain in gains]
        )
        unit = np.repeat(np.arange(self.n), self.size)
        uniform = rng.random(self.n * self.size)
        prevalence, shape = self.prevalence, (n_models + 1, unit.size)
        # clusters have shares of positives of their own, and half of all noise
        if self.units == "unit_id":
            prevalence = rng.beta(5 * prevalence, 5 * (1 - prevalence), self.n)[unit]
            of_units = rng.normal(size=(n_models + 1, self.n))[:, unit]
            noise = np.sqrt(0.5) * (of_units + rng.normal(size=shape))
        else:
            noise = rng.normal(size=shape)
        y_true = (uniform < prevalence).astype(int)
        noise = np.sqrt(CORRELATION) * noise[0] + np.sqrt(1 - CORRELATION) * noise[1:]
        y_score = dict(enumerate(shifts[:, np.newaxis] * y_true + noise))
        if self.units == "query_id":
            # after its score is drawn; so that all queries count
            y_true[:: self.size] = 1
        drawn = {"y_true": y_true, "y_score": y_score}
        drawn |= {self.units: unit} if self.units else {}
        return drawn | ({} if self.at is None else {"prevalence": self.at})


_shift_for = cache(shift_for)
SETTINGS = (
    Setting("180 of 600 rows, at .01", 0.3, 0.3, 0.2, 600, at=0.01),
    Setting("84 of 240 rows, at .006", 0.35, 0.05, 0.2, 240, at=0.006),
    Setting("half of 600 rows, at .002", 0.5, 0.02, 0.1, 600, at=0.002),
    Setting("half of 1,000 rows, at .01", 0.5, 0.2, 0.2, 1_000, at=0.01),
    Setting("40 positives of 400", 0.1, 0.5, 0.2, 400),
    Setting("300 positives of 1,000", 0.3, 0.6, 0.08, 1_000),
    Setting("200 clusters of 10, 200 positives", 0.1, 0.5, 0.15, 200, "unit_id", 10),
    Setting("50 queries of 20", 0.1, 0.5, 0.2, 50, "query_id", 20),
    Setting("near 1: 90 positives of 300", 0.3, 0.95, 0.03, 300),
    Setting("few: 20 positives of 200", 0.1, 0.5, 0.25, 200),
    Setting(
        "few: 100 clusters of 10, 100 positives", 0.1, 0.5, 0.2, 100, "unit_id", 10
    ),
)


def row_of(setting: Setting, n_models: int, replications: int) -> list[str]:
    different, larger = [], []
    for rng in generators(f"{setting.name}, {n_models}", replications):
        for better, rejected in ((False, different), (True, larger)):
            models = setting.sample(rng, n_models, better=better)
            found = compare_many(average_precision_score, **models)
            rejected.append(found.pvalue <= LEVEL)
    of_the_better = np.array(larger)[:, : n_models - 1]  # pairs come in order
    shares = np.any(different, axis=1).mean(), of_the_better.mean()
    return [
        setting.name,
        str(n_models),
        str(n_models * (n_models - 1) // 2),
        *map(share, shares),
    ]


def show_tables(options: argparse.Namespace) -> None:
    replications = options.replications or 600
    rows = (
        row_of(setting, n_models, replications)
        for setting in SETTINGS
        if options.only in setting.name
        for n_models in MODELS
    )
    show(f"All pairs of models, tested at {LEVEL:.0%}", table(HEADERS, told(rows)))
    print(FOOTNOTE.strip().format(replications))

"""How often any of many equal models is called different: `python -m benchmarks.many --help`."""

import argparse
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.special import stdtr

from sklearn_ap import ManyComparisons, average_precision_score, compare_many

from . import machine
from .coverage import generators
from .populations import shift_for
from .tables import share, show, table

LEVEL = 0.05
RESAMPLES = 1999
MODELS = (3, 10, 30)
CORRELATION = 0.7  # of the scores of two models, within each class
HEADERS = (
    "rows",
    "models",
    "pairs",
    "any of equal models: unadjusted",
    "Holm",
    "adjusted",
    "a better model: Holm",
    "adjusted",
)
Drawn = dict[str, Any]
_shift_for = cache(shift_for)


@dataclass(frozen=True)
class Setting:
    """Models whose scores share most of their noise; `gain` is what a better model is better by."""

    name: str
    prevalence: float
    average_precision: float
    gain: float
    draw: Callable[[Generator, float, np.ndarray], Drawn]

    def sample(self, rng: Generator, n_models: int, *, better: bool) -> Drawn:
        """Return rows of equal models, or of a first model that is better."""
        gains = np.zeros(n_models)
        gains[0] = self.gain * better
        shifts = [_shift_for(self.average_precision + gain, self.prevalence) for gain in gains]
        return self.draw(rng, self.prevalence, np.array(shifts))


def rows(n: int) -> Callable[[Generator, float, np.ndarray], Drawn]:
    def draw(rng: Generator, prevalence: float, shifts: np.ndarray) -> Drawn:
        y_true = (rng.random(n) < prevalence).astype(int)
        return _scored(y_true, shifts, rng.normal(size=n), rng.normal(size=(shifts.size, n)))

    return draw


def clusters(n: int, size: int) -> Callable[[Generator, float, np.ndarray], Drawn]:
    """Clusters have shares of positives of their own, and half of all noise is that of the cluster."""

    def draw(rng: Generator, prevalence: float, shifts: np.ndarray) -> Drawn:
        unit = np.repeat(np.arange(n), size)
        y_true = (rng.random(unit.size) < rng.beta(5 * prevalence, 5 * (1 - prevalence), n)[unit]).astype(int)
        of_units, noise = rng.normal(size=(shifts.size + 1, n)), rng.normal(size=(shifts.size + 1, unit.size))
        noise = np.sqrt(0.5) * (of_units[:, unit] + noise)
        return _scored(y_true, shifts, noise[0], noise[1:]) | {"unit_id": unit}

    return draw


def queries(n: int, size: int) -> Callable[[Generator, float, np.ndarray], Drawn]:
    """Each query has a positive in front, so that all of them count."""

    def draw(rng: Generator, prevalence: float, shifts: np.ndarray) -> Drawn:
        drawn = rows(n * size)(rng, prevalence, shifts)
        drawn["y_true"][::size] = 1
        return drawn | {"query_id": np.repeat(np.arange(n), size)}

    return draw


def _scored(y_true: np.ndarray, shifts: np.ndarray, common: np.ndarray, own: np.ndarray) -> Drawn:
    noise = np.sqrt(CORRELATION) * common + np.sqrt(1 - CORRELATION) * own
    return {"y_true": y_true, "y_score": dict(enumerate(shifts[:, np.newaxis] * y_true + noise))}


SETTINGS = (
    Setting("40 positives of 400", 0.1, 0.5, 0.2, rows(400)),
    Setting("300 positives of 1,000", 0.3, 0.6, 0.08, rows(1_000)),
    Setting("200 clusters of 10, 200 positives", 0.1, 0.5, 0.15, clusters(200, 10)),
    Setting("50 queries of 20", 0.1, 0.5, 0.2, queries(50, 20)),
    Setting("near 1: 90 positives of 300", 0.3, 0.95, 0.03, rows(300)),
    Setting("few: 20 positives of 200", 0.1, 0.5, 0.25, rows(200)),
    Setting("few: 100 clusters of 10, 100 positives", 0.1, 0.5, 0.2, clusters(100, 10)),
)


def unadjusted(found: ManyComparisons) -> np.ndarray:
    return 2 * stdtr(found.df, -np.abs(found.statistic))


def holm(found: ManyComparisons) -> np.ndarray:
    """Return the adjusted p-values of Holm (1979), which hold whatever the comparisons share."""
    pvalue = unadjusted(found)
    order = np.argsort(pvalue)
    steps = np.maximum.accumulate(np.arange(pvalue.size, 0, -1) * pvalue[order])
    return np.minimum(steps[order.argsort()], 1.0)


def row_of(setting: Setting, n_models: int, replications: int) -> list[str]:
    found = []
    for rng in generators(f"{setting.name}, {n_models}", replications):
        equal, better = (
            compare_many(
                average_precision_score,
                **setting.sample(rng, n_models, better=better),
                n_resamples=RESAMPLES,
                random_state=rng,
            )
            for better in (False, True)
        )
        null = (unadjusted(equal), holm(equal), equal.pvalue)
        # Pairs come in order, so those of the first model are in front.
        power = (holm(better)[: n_models - 1], better.pvalue[: n_models - 1])
        found.append([*((one <= LEVEL).any() for one in null), *((one <= LEVEL).mean() for one in power)])
    n_pairs = n_models * (n_models - 1) // 2
    return [setting.name, str(n_models), str(n_pairs), *map(share, np.mean(found, axis=0))]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.many", description=__doc__)
    parser.add_argument(
        "--replications", type=int, default=600, help="samples per line, a third of 30 models (default: 600)"
    )
    parser.add_argument("--only", default="", help="rows whose name contains this text")
    options = parser.parse_args()
    show("Measured on", "\n".join(machine.lines()))
    lines = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # few positives
        for setting in SETTINGS:
            for n_models in MODELS if options.only in setting.name else ():
                replications = options.replications // (3 if n_models == max(MODELS) else 1)
                lines.append(row_of(setting, n_models, replications))
                print(lines[-1], file=sys.stderr, flush=True)
    show(f"All pairs of models, tested at {LEVEL:.0%}", table(HEADERS, lines))
    print(
        f"{options.replications:,} samples per line, and a third of them for {max(MODELS)} models. The first "
        "three shares say how often any pair of equal models is called different, and the last two how many "
        "of the differences of one better model to the others are found."
    )


if __name__ == "__main__":
    main()

"""What labels of chosen rows are worth, next to labels of random rows.

`python -m benchmarks.coverage --table labels`
"""

import argparse
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from sklearn_ap import average_precision_score, estimate_score, rows_to_label

from .drawn_settings import FAMILIES, SEED, between, shifted
from .populations import Drawn, Population, and_warned, generators
from .tables import share, show, table, told

N_ROWS = 20_000
# How many settings are drawn of each range of shares of positives.
SHARES = {(0.002, 0.1): 24, (0.05, 0.2): 6}
HEADERS = (
    "setting",
    "labels",
    "error² of random labels",
    "width",
    "warn",
    "95 %",
    "silent",
)


class Setting(NamedTuple):
    """A population, and how many of its rows may be labelled."""

    name: str
    population: Population
    n_labels: int


def settings() -> list[list[Setting]]:
    """Draw settings, by shares of positives; no constant of `rows_to_label` was chosen
    by them.
    """
    return [
        [_drawn([SEED, 2 + place, i], shares) for i in range(count)]
        for place, (shares, count) in enumerate(SHARES.items())
    ]


def _drawn(seed: list[int], shares: tuple[float, float]) -> Setting:
    rng = np.random.default_rng(seed)
    family = list(FAMILIES)[seed[-1] % len(FAMILIES)]
    prevalence = between(rng, *shares)
    n_labels = (250, 500, 1_000)[rng.integers(3)]
    score = prevalence + rng.uniform(0.1, 0.9) * (1 - prevalence)
    name = f"{family}, {prevalence:.1%} positive, AP {score:.2f}"
    return Setting(name, shifted(FAMILIES[family], 1.0, prevalence, score), n_labels)


def draw_random(rng: Generator, drawn: Drawn, n_labels: int) -> Drawn:
    rows = rng.choice(N_ROWS, n_labels, replace=False)
    return {name: values[rows] for name, values in drawn.items()}


def draw_chosen(rng: Generator, drawn: Drawn, n_labels: int) -> Drawn:
    rows, sample_weight = rows_to_label(drawn["y_score"], n_labels, rng)
    return {name: values[rows] for name, values in drawn.items()} | {
        "sample_weight": sample_weight
    }


def row_of(setting: Setting, replications: int) -> list[str]:
    value, errors, widths, shares = setting.population.average_precision, [], [], []
    for draw in (draw_random, draw_chosen):
        samples = [
            _asked(setting, draw, rng) for rng in generators(setting.name, replications)
        ]
        scores, low, high, warned = np.array(samples).T
        errors.append(float(np.mean((scores - value) ** 2)))
        widths.append(float(np.nanmean(high - low)))  # NaN with one positive
        covered = (low <= value) & (value <= high)
        silent = (warned == 0)[~np.isnan(low)]
        covered = covered[~np.isnan(low)]
        shares = [covered.mean(), covered[silent].mean() if silent.any() else np.nan]
    error = f"{errors[0] / errors[1]:.1f}"
    width = f"{widths[1] / widths[0]:.2f}"
    return [
        setting.name,
        f"{setting.n_labels:,}",
        error,
        width,
        f"{warned.mean():.0%}",
        *map(share, shares),
    ]


def _asked(
    setting: Setting, draw: object, rng: Generator
) -> tuple[float, float, float, bool]:
    labelled = {"y_true": np.zeros(1)}
    while not labelled["y_true"].any():
        labelled = draw(rng, setting.population.draw(rng, N_ROWS), setting.n_labels)
    estimate, warns = and_warned(
        partial(estimate_score, average_precision_score, **labelled)
    )
    return estimate.score, *estimate.confidence_interval(), warns


def show_tables(options: argparse.Namespace) -> None:
    for of_shares in settings():
        chosen = [setting for setting in of_shares if options.only in setting.name]
        if chosen:
            show_settings(chosen, options.replications or 400)


def show_settings(chosen: list[Setting], replications: int) -> None:
    rows = list(told(row_of(setting, replications) for setting in chosen))
    show(
        f"Rows of rows_to_label, of {N_ROWS:,} rows, next to random rows",
        table(HEADERS, rows),
    )
    gains, widths, covered = (
        np.array([float(row[i]) for row in rows]) for i in (2, 3, 5)
    )
    print(
        f'"Error²" is the squared error of as many random labels, divided by that of the chosen ones: '
        f"{gains.min():.1f} to {gains.max():.1f}, median {np.median(gains):.1f}. "
        f'"Width" is that of the 95 % interval, divided by that of random labels: median '
        f'{np.median(widths):.2f}. The last columns are the intervals of chosen rows: "95 %" is the share '
        f"that covers the score of the population, {share(covered.min())} to {share(covered.max())}. "
        f"{replications:,} samples per setting; samples without a positive are drawn again.\n"
    )

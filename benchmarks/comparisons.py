"""How often a test of two models rejects: `python -m benchmarks.coverage --table
tests`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator

from sklearn_ap import (
    average_precision_score,
    compare_budgets,
    compare_estimates,
    compare_many,
)

from .budgets import draw_days, totals_of
from .populations import (
    Drawn,
    Models,
    Population,
    expected_positives,
    generators,
    to_score,
)
from .settings import OF_STEP, Setting
from .tables import Row, Table, share

LEVEL = 0.05
HEADERS = "models", "reject"
FOOTNOTE = f"""
Shares of samples in which a test rejects at {LEVEL:.0%}.
"""
# Family, rows, share of positives, prevalence, correlation of the models inside each
# class, their score, and a better one.
LOW = (
    ("normal", 20_000, 0.001, None, 0.9, 0.03, 0.065),
    ("normal", 2_000, 0.01, None, 0.8, 0.05, 0.107),
    ("Laplace", 500, 0.02, None, 0.5, 0.05, 0.107),
    ("t3", 10_000, 0.003, None, 0.8, 0.1, 0.208),
    ("gamma", 1_000, 0.03, None, 0.5, 0.15, 0.303),
    ("logistic", 3_000, 0.01, None, 0.7, 0.2, 0.392),
)
HIGH = (
    ("normal", 240, 0.1, None, 0.6, 0.85, 0.95),
    ("Laplace", 150, 0.1, None, 0.6, 0.8, 0.94),
    ("t3", 200, 0.1, None, 0.6, 0.8, 0.93),
    ("gamma", 90, 0.2, None, 0.6, 0.85, 0.96),
    ("logistic", 120, 0.1, None, 0.6, 0.8, 0.94),
    ("normal", 100, 0.3, None, 0.6, 0.9, 0.97),
)
# Sizes of units, their number, the share of them that are ill, the score, and a better
# one.
UNITS = (
    ((1, 3, 30), 40, 0.4, 0.6, 0.8),
    ((2, 2, 2, 2, 50), 50, 0.4, 0.6, 0.8),
    ((1, 12), 60, 0.3, 0.5, 0.7),
    ((5, 15, 45), 90, 0.2, 0.4, 0.6),
    ((1, 1, 20), 60, 0.3, 0.8, 0.92),
    ((1, 1, 30), 120, 0.15, 0.15, 0.3),
)
HEAVY = (
    ("normal", 400, 0.2, 0.01, 0.6, 0.4, 0.6),
    ("Laplace", 600, 0.3, 0.02, 0.6, 0.4, 0.6),
    ("t3", 300, 0.3, 0.03, 0.6, 0.5, 0.7),
    ("gamma", 500, 0.2, 0.02, 0.6, 0.3, 0.5),
    ("logistic", 1_000, 0.4, 0.03, 0.6, 0.6, 0.75),
    ("normal", 1_500, 0.3, 0.005, 0.6, 0.35, 0.55),
)
RARE = (
    ("normal", 2_000, 0.5, 0.001, 0.7, 0.35, 0.55),
    ("normal", 2_000, 0.5, 0.001, 0.7, 0.6, 0.8),
    ("normal", 4_000, 0.5, 0.001, 0.5, 0.4, 0.6),
    ("logistic", 2_000, 0.3, 0.001, 0.7, 0.4, 0.6),
)


def models_at(
    kind: str, row: tuple, scores: tuple[float, ...], ask: Callable[[Drawn], Any]
) -> Setting:
    """Models of these scores, at the prevalence of a row."""
    family, n, sampled, prevalence, correlation, *_ = row
    at, options = sampled, {}
    if prevalence:
        at, options = prevalence, {"prevalence": prevalence}
    drawn_from = [
        replace(to_score(score, at, family), prevalence=sampled) for score in scores
    ]
    models = Models(tuple(drawn_from), correlation)
    name = f"{kind}: {expected_positives(n, sampled)} at {at:g}, {family}, "
    name += f"AP {scores[0]:g} and {scores[1]:g}"
    return Setting(name, lambda rng: models.draw(rng, n) | options, float, ask)


def pairs() -> Iterator[Setting]:
    """Pairs of equal models, and of a model and a better one."""
    kinds = ("low", LOW), ("high", HIGH), ("heavy", HEAVY), ("rare", RARE)
    for kind, rows in kinds:
        for row in rows:
            *_, score, better = row
            yield models_at(kind, row, (score, score), OF_STEP)
            yield models_at(kind, row, (score, better), OF_STEP)


def of_units() -> Iterator[Setting]:
    """Pairs whose units have very different sizes, and alike scores."""
    for sizes, n_units, ill, score, better in UNITS:
        for other in (score, better):
            populations = [to_score(x, 0.8 * ill) for x in (score, other)]
            name = f"units: {n_units} of {', '.join(map(str, sizes))} rows, "
            name += f"AP {score:g} and {other:g}"
            draw = partial(draw_units, populations, sizes, n_units, ill)
            yield Setting(name, draw, float)


def draw_units(
    populations: list[Population],
    sizes: tuple[int, ...],
    n_units: int,
    ill: float,
    rng: Generator,
) -> Drawn:
    """Draw ill and other units. Of the rows of an ill one, .8 are positive."""
    unit = np.repeat(np.arange(n_units), rng.choice(sizes, n_units))
    is_ill = (rng.random(n_units) < ill)[unit]
    positive = is_ill & (rng.random(unit.size) < 0.8)
    shared = rng.normal(size=n_units)[unit]
    drawn: Drawn = {"y_true": positive.astype(int), "unit_id": unit}
    for name, population in zip("ab", populations, strict=True):
        of_units = rng.normal(size=n_units)[unit]
        noise = 0.6 * shared + 0.5 * of_units + 0.62 * rng.normal(size=unit.size)
        shift = population.positives.mean()
        drawn[f"y_score_{name}"] = noise + shift * positive
    return drawn


def six_models() -> Iterator[Setting]:
    """Six equal models at a prevalence."""
    for row in HEAVY:
        yield models_at("six", row, (row[-2],) * 6, many)


def many(drawn: Drawn) -> Any:
    """Compare all pairs of models."""
    models = {key: drawn[key] for key in drawn if key.startswith("y_score_")}
    options = {"prevalence": drawn["prevalence"]}
    return compare_many(average_precision_score, drawn["y_true"], models, **options)


def few_decide() -> Iterator[Setting]:
    """Pairs that few rows decide: the second model draws a share of its scores again,
    from a population of the same score or of a lower one.
    """
    for family, n, prevalence, score, lower, redrawn in (
        ("t2", 300, 0.3, 0.95, 0.95, 0.7),
        ("t2", 400, 0.15, 0.85, 0.85, 0.7),
        ("t3", 400, 0.2, 0.9, 0.9, 0.7),
        ("gamma", 200, 0.3, 0.9, 0.9, 0.7),
        ("normal", 500, 0.3, 0.97, 0.97, 0.7),
        ("t2", 300, 0.3, 0.95, 0.85, 0.7),
        ("t2", 400, 0.15, 0.85, 0.65, 0.7),
        ("gamma", 200, 0.3, 0.9, 0.75, 0.7),
        ("normal", 500, 0.3, 0.97, 0.93, 0.7),
        ("normal", 311, 0.2, 0.8, 0.2, 0.03),
        ("normal", 1_000, 0.1, 0.8, 0.1, 0.03),
    ):
        populations = [to_score(x, prevalence, family) for x in (score, lower)]
        better = "equal" if score == lower else f"redrawn at AP {lower:g}"
        name = f"few: {expected_positives(n, prevalence)}, {family}, AP {score:g}"
        draw = partial(draw_again, populations, n, redrawn)
        yield Setting(f"{name}, {redrawn:.0%} {better}", draw, float)


def draw_again(
    populations: list[Population], n: int, redrawn: float, rng: Generator
) -> Drawn:
    first, other = (population.draw(rng, n) for population in populations)
    y_true, score = first["y_true"], first["y_score"]
    again = score.copy()
    for label in (0, 1):
        rows = np.flatnonzero((y_true == label) & (rng.random(n) < redrawn))
        drawn = other["y_score"][other["y_true"] == label]
        again[rows] = np.resize(
            drawn, rows.size
        )  # more rows than drawn: from the first
    return {"y_true": y_true, "y_score_a": score, "y_score_b": again}


def months() -> Iterator[Setting]:
    """Independent samples of two sizes, whose populations have the same score."""
    for family, sizes, prevalence, score in (
        ("normal", (1_000, 1_000), 0.05, 0.5),
        ("normal", (300, 3_000), 0.1, 0.7),
        ("logistic", (200, 400), 0.15, 0.6),
        ("Laplace", (800, 800), 0.05, 0.6),
        ("t3", (500, 500), 0.1, 0.8),
        ("t2", (400, 4_000), 0.1, 0.6),
        ("gamma", (1_000, 500), 0.05, 0.7),
        ("normal", (150, 150), 0.2, 0.9),
        ("normal", (20_000, 20_000), 0.002, 0.2),
        ("normal", (2_000, 2_000), 0.3, 0.5),
    ):
        population = to_score(score, prevalence, family)
        rows = f"{sizes[0]:,} and {sizes[1]:,} rows, {prevalence:.1%} positive"
        name = f"months: {rows}, {family}, AP {score:g}"
        yield Setting(name, partial(draw_months, population, sizes), float, independent)


def draw_months(
    population: Population, sizes: tuple[int, int], rng: Generator
) -> Drawn:
    return {"months": [population.draw(rng, n) for n in sizes]}


def independent(drawn: Drawn) -> Any:
    return compare_estimates(*map(OF_STEP, drawn["months"]))


def budgets() -> Iterator[Setting]:
    """Equal models that may review some rows of each day; amounts are lognormal."""
    for n_days in (15, 30, 60, 200):
        for sigma in (1.0, 2.0):
            name = f"budgets: {n_days} days, amounts of sigma {sigma:g}"
            amounts = {"share_of_big": 0.0, "big": sigma, "better": 0.0}
            draw = partial(draw_days, n_days=n_days, **amounts)
            yield Setting(name, draw, float, equal_budgets)


def equal_budgets(drawn: Drawn) -> Any:
    return compare_budgets(*totals_of(drawn))


def rows_of(settings: Sequence[Setting], replications: int) -> Iterator[Row]:
    for setting in settings:
        draws = map(setting.draw, generators(setting.name, replications))
        # of several pairs, the one with the least adjusted p-value
        rejected = [np.min(setting.ask(drawn).pvalue) <= LEVEL for drawn in draws]
        yield [setting.name, share(float(np.mean(rejected)))]


def settings() -> dict[str, Sequence[Setting]]:
    groups = (
        few_decide(),
        pairs(),
        of_units(),
        six_models(),
        months(),
        budgets(),
    )
    return {"Tests": [setting for group in groups for setting in group]}


TABLE = Table(settings, rows_of, 1_000, HEADERS, FOOTNOTE)

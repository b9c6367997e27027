"""How often a test of two models rejects: `python -m benchmarks.coverage --table
tests`.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.random import Generator

from sklearn_ap import (
    average_precision_score,
    compare_budgets,
    compare_estimates,
    compare_many,
    compare_scores,
    estimate_score,
)

from .budgets import draw_days, totals_of
from .populations import (
    FAMILIES,
    Drawn,
    Models,
    Population,
    and_warned,
    expected_positives,
    generators,
    shifted,
)
from .settings import Setting
from .tables import Row, Table, share

HEADERS = "models", "warn", "reject", "reject without a warning"
LEVEL = 0.05
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


def paired(drawn: Drawn) -> float:
    return compare_scores(average_precision_score, **drawn).pvalue


def of_scores(family: str, prevalence: float, *scores: float) -> list[Population]:
    return [shifted(FAMILIES[family], 1.0, prevalence, score) for score in scores]


def models_at(
    kind: str, row: tuple, scores: tuple[float, ...], test: Callable[[Drawn], float]
) -> Setting:
    """Models of these scores, at the prevalence of a row."""
    family, n, sampled, prevalence, correlation, *_ = row
    at, options = sampled, {}
    if prevalence:
        at, options = prevalence, {"prevalence": prevalence}
    drawn_from = [
        replace(population, prevalence=sampled)
        for population in of_scores(family, at, *scores)
    ]
    models = Models(tuple(drawn_from), correlation)
    name = f"{kind}: {expected_positives(n, sampled)} at {at:g}, {family}, "
    name += f"AP {scores[0]:g} and {scores[1]:g}"
    return Setting(name, lambda rng: models.draw(rng, n) | options, float, test)


def pairs(kind: str, rows: tuple[tuple, ...]) -> list[Setting]:
    """Pairs of equal models, and of a model and a better one."""
    return [
        models_at(kind, row, (row[-2], other), paired)
        for row in rows
        for other in row[-2:]
    ]


def six_models() -> list[Setting]:
    """Six equal models at a prevalence."""
    return [models_at("six", row, (row[-2],) * 6, many) for row in HEAVY]


def many(drawn: Drawn) -> float:
    """Return the least adjusted p-value of all pairs."""
    models = {key: drawn[key] for key in drawn if key.startswith("y_score_")}
    options = {"prevalence": drawn["prevalence"]}
    found = compare_many(average_precision_score, drawn["y_true"], models, **options)
    return float(found.pvalue.min())


def few_decide() -> list[Setting]:
    """Pairs that few rows decide: the second model draws a share of its scores again,
    from a population of the same score or of a lower one.
    """
    settings = []
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
        populations = of_scores(family, prevalence, score, lower)
        better = "equal" if score == lower else f"redrawn at AP {lower:g}"
        name = f"few: {expected_positives(n, prevalence)}, {family}, AP {score:g}"
        draw = partial(draw_again, populations, n, redrawn)
        settings.append(Setting(f"{name}, {redrawn:.0%} {better}", draw, float, paired))
    return settings


def draw_again(
    populations: list[Population], n: int, redrawn: float, rng: Generator
) -> Drawn:
    first, other = (population.draw(rng, n) for population in populations)
    y_true, score = first["y_true"], first["y_score"]
    again = score.copy()
    for label in (0, 1):
        rows = np.flatnonzero((y_true == label) & (rng.random(n) < redrawn))
        drawn = other["y_score"][other["y_true"] == label]
        again[rows] = (
            rng.choice(drawn, rows.size)
            if rows.size > drawn.size
            else drawn[: rows.size]
        )
    return {"y_true": y_true, "y_score_a": score, "y_score_b": again}


def independent(drawn: Drawn) -> float:
    new, old = (
        estimate_score(average_precision_score, **month) for month in drawn["months"]
    )
    return compare_estimates(new, old).pvalue


def months() -> list[Setting]:
    """Independent samples of two sizes, whose populations have the same score."""
    settings = []
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
        [population] = of_scores(family, prevalence, score)
        rows = f"{sizes[0]:,} and {sizes[1]:,} rows, {prevalence:.1%} positive"
        name = f"months: {rows}, {family}, AP {score:g}"
        draw = partial(draw_months, population, sizes)
        settings.append(Setting(name, draw, float, independent))
    return settings


def draw_months(
    population: Population, sizes: tuple[int, int], rng: Generator
) -> Drawn:
    return {"months": [population.draw(rng, n) for n in sizes]}


def budgets() -> list[Setting]:
    """Equal models that may review some rows of each day; amounts are lognormal."""
    return [
        Setting(
            f"budgets: {n_days} days, amounts of sigma {sigma:g}",
            partial(draw_days, n_days, 0.0, sigma, 0.0),
            float,
            lambda drawn: compare_budgets(*totals_of(drawn)).pvalue,
        )
        for n_days in (15, 30, 60, 200)
        for sigma in (1.0, 2.0)
    ]


def rows_of(setting: Setting, replications: int) -> Iterator[Row]:
    """Yield how often the test rejects, and how often it does so without a warning."""
    warned, rejected = [], []
    for rng in generators(setting.name, replications):
        pvalue, warns = and_warned(partial(setting.ask, setting.draw(rng)))
        rejected.append(pvalue <= LEVEL)
        warned.append(warns)
    silent = np.array(rejected)[~np.array(warned)]
    rejects = share(silent.mean()) if silent.size else ""
    numbers = f"{np.mean(warned):.0%}", share(float(np.mean(rejected))), rejects
    yield [setting.name, *numbers]


def tables(_: int) -> list[Table]:
    """Return a table for each kind of settings."""
    return [
        Table(kind, HEADERS, settings, rows_of)
        for kind, settings in (
            ("few rows decide", few_decide()),
            ("low scores", pairs("low", LOW)),
            ("heavy negatives", pairs("heavy", HEAVY)),
            ("very heavy negatives", pairs("rare", RARE)),
            ("six equal models", six_models()),
            ("independent samples", months()),
            ("budgets of days", budgets()),
        )
    ]

"""How often a test of two models rejects: `python -m benchmarks.coverage --table
tests`.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.stats import norm

from sklearn_ap import (
    average_precision_score,
    budget_totals,
    compare_budgets,
    compare_estimates,
    compare_many,
    compare_scores,
    estimate_score,
)

from .populations import (
    FAMILIES,
    Drawn,
    Pair,
    Population,
    and_warned,
    expected_positives,
    generators,
    shifted,
)
from .tables import Row, Table, share

HEADERS = "models", "warn", "reject", "reject without a warning"
LEVEL = 0.05
ROWS_OF_DAY, REVIEWED = 100, 5
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


class Setting(NamedTuple):
    """Two models on the same rows, or two samples; and the p-value of a sample."""

    name: str
    draw: Callable[[Generator], Drawn]
    test: Callable[[Drawn], float]


def paired(drawn: Drawn) -> float:
    return compare_scores(average_precision_score, **drawn).pvalue


def of_scores(family: str, prevalence: float, *scores: float) -> list[Population]:
    return [shifted(FAMILIES[family], 1.0, prevalence, score) for score in scores]


def pairs(kind: str, rows: tuple[tuple, ...]) -> list[Setting]:
    """Pairs of equal models, and of a model and a better one."""
    settings = []
    for family, n, sampled, prevalence, correlation, score, better in rows:
        at, options = sampled, {}
        if prevalence:
            at, options = prevalence, {"prevalence": prevalence}
        for other in (score, better):
            models = of_scores(family, at, score, other)
            models = [replace(model, prevalence=sampled) for model in models]
            draw = partial(draw_models, models, n, correlation, options)
            name = f"{kind}: {expected_positives(n, sampled)} at {at:g}, {family}, "
            name += f"AP {score:g} and {other:g}"
            settings.append(Setting(name, draw, paired))
    return settings


def draw_models(
    populations: list[Population],
    n: int,
    correlation: float,
    options: Drawn,
    rng: Generator,
) -> Drawn:
    """Two models that rank the rows of each class with this correlation (a normal
    copula).
    """
    positive = rng.random(n) < populations[0].prevalence
    shared = rng.normal(size=n)
    drawn: Drawn = {"y_true": positive.astype(int)}
    for name, population in zip("abcdef", populations, strict=False):
        own = np.sqrt(1 - correlation**2) * rng.normal(size=n)
        rank = norm.cdf(correlation * shared + own)
        drawn[f"y_score_{name}"] = np.where(
            positive, population.positives.ppf(rank), population.negatives.ppf(rank)
        )
    return drawn | options


def many(drawn: Drawn) -> float:
    """Return the least adjusted p-value of all pairs."""
    models = {key: drawn[key] for key in drawn if key.startswith("y_score_")}
    options = {"prevalence": drawn["prevalence"]}
    found = compare_many(average_precision_score, drawn["y_true"], models, **options)
    return float(found.pvalue.min())


def six_models() -> list[Setting]:
    """Six equal models at a prevalence."""
    settings = []
    for family, n, sampled, prevalence, correlation, score, _ in HEAVY:
        [model] = of_scores(family, prevalence, score)
        models = [replace(model, prevalence=sampled)] * 6
        options = {"prevalence": prevalence}
        draw = partial(draw_models, models, n, correlation, options)
        name = f"six: {expected_positives(n, sampled)} at {prevalence:g}, {family}, "
        settings.append(Setting(f"{name}AP {score:g}", draw, many))
    return settings


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
        settings.append(Setting(f"{name}, {redrawn:.0%} {better}", draw, paired))
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
    """Independent samples of two sizes, whose populations have the same or another
    score.
    """
    settings = []
    for family, sizes, prevalence, score, better in (
        ("normal", (1_000, 1_000), 0.05, 0.5, 0.0),
        ("normal", (300, 3_000), 0.1, 0.7, 0.0),
        ("logistic", (200, 400), 0.15, 0.6, 0.0),
        ("Laplace", (800, 800), 0.05, 0.6, 0.0),
        ("t3", (500, 500), 0.1, 0.8, 0.0),
        ("t2", (400, 4_000), 0.1, 0.6, 0.0),
        ("gamma", (1_000, 500), 0.05, 0.7, 0.0),
        ("normal", (150, 150), 0.2, 0.9, 0.0),
        ("normal", (20_000, 20_000), 0.002, 0.2, 0.0),
        ("normal", (2_000, 2_000), 0.3, 0.5, 0.0),
        ("normal", (1_000, 1_000), 0.05, 0.5, 0.2),
        ("normal", (2_000, 2_000), 0.3, 0.5, 0.06),
    ):
        populations = of_scores(family, prevalence, score, score + better)
        rows = f"{sizes[0]:,} and {sizes[1]:,} rows, {prevalence:.1%} positive"
        name = f"months: {rows}, {family}, AP {score:g}" + (
            f" and {score + better:g}" if better else ""
        )
        settings.append(
            Setting(name, partial(draw_months, populations, sizes), independent)
        )
    return settings


def draw_months(
    populations: list[Population], sizes: tuple[int, int], rng: Generator
) -> Drawn:
    return {
        "months": [
            population.draw(rng, n)
            for population, n in zip(populations, sizes, strict=True)
        ]
    }


def budgets() -> list[Setting]:
    """Equal models that may review some rows of each day; amounts are lognormal."""
    pair = Pair(0.03, (2.0, 2.0))
    return [
        Setting(
            f"budgets: {n_days} days, amounts of sigma {sigma:g}",
            partial(draw_days, pair, n_days, sigma),
            of_budgets,
        )
        for n_days in (15, 30, 60, 200)
        for sigma in (1.0, 2.0)
    ]


def draw_days(pair: Pair, n_days: int, sigma: float, rng: Generator) -> Drawn:
    drawn = pair.draw(rng, ROWS_OF_DAY * n_days)
    amount = rng.lognormal(0, sigma, drawn["y_true"].size)
    return drawn | {"amount": amount, "query_id": np.arange(amount.size) // ROWS_OF_DAY}


def of_budgets(drawn: Drawn) -> float:
    options = {name: drawn[name] for name in ("amount", "query_id")}
    models = (drawn[name] for name in ("y_score_a", "y_score_b"))
    totals = [
        budget_totals(drawn["y_true"], y_score, k=REVIEWED, **options)
        for y_score in models
    ]
    return compare_budgets(*totals).pvalue


def rows_of(setting: Setting, replications: int) -> Iterator[Row]:
    """Yield how often the test rejects, and how often it does so without a warning."""
    warned, rejected = [], []
    for rng in generators(setting.name, replications):
        pvalue, warns = and_warned(partial(setting.test, setting.draw(rng)))
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

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
    compare_scores,
    estimate_score,
)

from .drawn_settings import between
from .populations import (
    FAMILIES,
    Drawn,
    Pair,
    Population,
    and_warned,
    expected_positives,
    generators,
    shift_for,
    shifted,
)
from .tables import Row, Table, share

SEED = 27  # of models at another prevalence, unless one is asked for
HEADERS = "models", "test", "warn", "reject", "reject without a warning"
LEVEL = 0.05
ROWS_OF_DAY, REVIEWED = 100, 5
FOOTNOTE = f"""
Shares of samples in which a test rejects at {LEVEL:.0%}.
"""
Test = Callable[[Drawn, Generator], float]


class Setting(NamedTuple):
    """Two models on the same rows, or two samples."""

    name: str
    draw: Callable[[Generator], Drawn]


def paired(drawn: Drawn, _: Generator) -> float:
    return compare_scores(average_precision_score, **drawn).pvalue


PAIRED_TESTS = {"paired t": paired}


def of_pair(name: str, pair: Pair, n: int, options: Drawn) -> Setting:
    return Setting(name, lambda rng: pair.draw(rng, n) | options)


def of_scores(
    family: str, prevalence: float, scores: tuple[float, float]
) -> list[Population]:
    return [shifted(FAMILIES[family], 1.0, prevalence, score) for score in scores]


def low_scores() -> list[Setting]:
    """Pairs of low scores of few positives: of equal models, and of better ones."""
    settings = []
    for family, n, prevalence, score, correlation in (
        ("normal", 20_000, 0.001, 0.03, 0.9),
        ("normal", 2_000, 0.01, 0.05, 0.8),
        ("Laplace", 500, 0.02, 0.05, 0.5),
        ("t3", 10_000, 0.003, 0.1, 0.8),
        ("gamma", 1_000, 0.03, 0.15, 0.5),
        ("logistic", 3_000, 0.01, 0.2, 0.7),
    ):
        for higher in (score, score + 1.2 * score * (1 - score)):
            populations = of_scores(family, prevalence, (score, higher))
            name = f"low: {expected_positives(n, prevalence)}, {family}, AP {score:g}"
            draw = partial(draw_models, populations, n, correlation, {})
            better = "equal" if higher == score else f"and {higher:.2g}"
            settings.append(Setting(f"{name} {better}", draw))
    return settings


def of_heavy_negatives() -> list[Setting]:
    """Pairs of scores of .3 and more at a much lower prevalence."""
    settings = []
    for family, n, sampled, prevalence, score, better in (
        ("normal", 400, 0.2, 0.01, 0.4, 0.2),
        ("Laplace", 600, 0.3, 0.02, 0.4, 0.2),
        ("t3", 300, 0.3, 0.03, 0.5, 0.2),
        ("gamma", 500, 0.2, 0.02, 0.3, 0.2),
        ("logistic", 1_000, 0.4, 0.03, 0.6, 0.15),
        ("normal", 1_500, 0.3, 0.005, 0.35, 0.2),
    ):
        for higher in (score, score + better):
            populations = of_scores(family, prevalence, (score, higher))
            rows = f"{sampled:.0%} of {n:,} rows at {prevalence:g}"
            draw = partial(
                draw_models,
                [replace(x, prevalence=sampled) for x in populations],
                n,
                0.6,
                {"prevalence": prevalence},
            )
            name = f"heavy: {rows}, {family}, AP {score:g}"
            name += " equal" if higher == score else f" and {higher:.2g}"
            settings.append(Setting(name, draw))
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
    for name, population in zip("ab", populations, strict=True):
        own = np.sqrt(1 - correlation**2) * rng.normal(size=n)
        rank = norm.cdf(correlation * shared + own)
        drawn[f"y_score_{name}"] = np.where(
            positive, population.positives.ppf(rank), population.negatives.ppf(rank)
        )
    return drawn | options


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
        populations = of_scores(family, prevalence, (score, lower))
        better = "equal" if score == lower else f"redrawn at AP {lower:g}"
        name = f"few: {expected_positives(n, prevalence)}, {family}, AP {score:g}"
        draw = partial(draw_again, populations, n, redrawn)
        settings.append(Setting(f"{name}, {redrawn:.0%} {better}", draw))
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


def independent(drawn: Drawn, _: Generator) -> float:
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
        populations = of_scores(family, prevalence, (score, score + better))
        rows = f"{sizes[0]:,} and {sizes[1]:,} rows, {prevalence:.1%} positive"
        name = f"months: {rows}, {family}, AP {score:g}" + (
            f" and {score + better:g}" if better else ""
        )
        settings.append(Setting(name, partial(draw_months, populations, sizes)))
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
        )
        for n_days in (15, 30, 60, 200)
        for sigma in (1.0, 2.0)
    ]


def draw_days(pair: Pair, n_days: int, sigma: float, rng: Generator) -> Drawn:
    drawn = pair.draw(rng, ROWS_OF_DAY * n_days)
    amount = rng.lognormal(0, sigma, drawn["y_true"].size)
    return drawn | {"amount": amount, "query_id": np.arange(amount.size) // ROWS_OF_DAY}


def of_budgets(drawn: Drawn, _: Generator) -> float:
    options = {name: drawn[name] for name in ("amount", "query_id")}
    models = (drawn[name] for name in ("y_score_a", "y_score_b"))
    totals = [
        budget_totals(drawn["y_true"], y_score, k=REVIEWED, **options)
        for y_score in models
    ]
    return compare_budgets(*totals).pvalue


def prevalences(seed: int, n_drawn: int = 12) -> list[Setting]:
    """Equal models at another prevalence; all but the first are drawn by the seed."""
    name, equal = "prevalence .001, half of 2,000 rows", Pair(0.5, (3.0, 3.0))
    settings = [of_pair(name, equal, 2_000, {"prevalence": 0.001})]
    for i in range(n_drawn):
        rng = np.random.default_rng([seed, i])
        n = round(between(rng, 300, 4_000))
        share = rng.uniform(0.1, 0.6)
        prevalence = share / between(rng, 4, 400)
        score = rng.uniform(0.05 + prevalence, 0.85)
        spreads = 1.0, rng.uniform(0.7, 1.5) if i % 2 else 1.0
        shifts = tuple(shift_for(score, prevalence, spread) for spread in spreads)
        pair = Pair(share, shifts, spreads, rng.uniform(0.2, 0.95))
        name = f"prevalence {prevalence:.2g}, {share:.0%} of {n:,} rows, AP {score:.2f}"
        name += f", spreads 1 and {spreads[1]:.1f}, correlation {pair.correlation:.2f}"
        settings.append(of_pair(name, pair, n, {"prevalence": prevalence}))
    return settings


def rows_of(
    tests: dict[str, Test], setting: Setting, replications: int
) -> Iterator[Row]:
    """Yield how often each test rejects, and how often it does so without a warning."""
    for name, test in tests.items():
        warned, rejected = [], []
        for rng in generators(setting.name, replications):
            pvalue, warns = and_warned(partial(test, setting.draw(rng), rng))
            rejected.append(pvalue <= LEVEL)
            warned.append(warns)
        silent = np.array(rejected)[~np.array(warned)]
        rejects = share(silent.mean()) if silent.size else ""
        numbers = f"{np.mean(warned):.0%}", share(float(np.mean(rejected))), rejects
        yield [setting.name, name, *numbers]


def tables(seed: int | None) -> list[Table]:
    """Return a table for each kind of settings, with its tests."""
    return [
        Table(kind, HEADERS, settings, partial(rows_of, tests))
        for kind, settings, tests in (
            ("few rows decide", few_decide(), PAIRED_TESTS),
            ("low scores", low_scores(), PAIRED_TESTS),
            ("heavy negatives", of_heavy_negatives(), PAIRED_TESTS),
            ("independent samples", months(), {"compare_estimates": independent}),
            ("budgets of days", budgets(), {"compare_budgets": of_budgets}),
            ("another prevalence", prevalences(seed or SEED), PAIRED_TESTS),
        )
    ]

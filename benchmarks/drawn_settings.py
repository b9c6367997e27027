"""Settings that a seed draws at random: 72 of twelve kinds, and 72 of six families
of shapes.

No constant of the package was tuned by them. Setting i has the kind `i % 12` and draws
all else by `default_rng([seed, i])`: rows, 10 positives or more, average precision, the
shape of scores, and what its kind needs. The average precision is at least a tenth of
the way from the share of positives to 1, and at most .95 of it.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.random import Generator

import sklearn_ap

from .populations import (
    FAMILIES,
    SHAPES,
    Drawn,
    Pair,
    Population,
    expected_positives,
    shift_for,
    shifted,
)
from .settings import (
    AREAS,
    CUTS,
    MACRO,
    Setting,
    at_prevalence,
    cut,
    sampled,
    weighted,
)

PER_KIND = 6  # and per family


def between(rng: Generator, low: float, high: float) -> float:
    """Draw a number whose logarithm is uniform."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def drawn_score(rng: Generator, prevalence: float) -> float:
    return prevalence + rng.uniform(0.1, 0.95) * (1 - prevalence)


def drawn_rows(
    rng: Generator, shapes: tuple[str, ...] = tuple(SHAPES)
) -> tuple[str, int, Population]:
    """Draw a population, and how many of its rows are a sample."""
    n = round(between(rng, 100, 20_000))
    prevalence = between(rng, 10, min(n / 2, 2_000)) / n
    shape = shapes[rng.integers(len(shapes))]
    score = drawn_score(rng, prevalence)
    population = shifted(*SHAPES[shape], prevalence, score)
    return (
        f"{expected_positives(n, prevalence)}, {shape}, AP {score:.2f}",
        n,
        population,
    )


def with_more_negatives(population: Population, factor: float) -> Population:
    odds = population.prevalence / (1 - population.prevalence) / factor
    return replace(population, prevalence=odds / (1 + odds))


def plain(rng: Generator) -> Setting:
    return sampled(*drawn_rows(rng))


def tied(rng: Generator) -> Setting:
    """From 4 to 60 groups of equal scores."""
    name, n, population = drawn_rows(rng)
    groups = round(between(rng, 4, 60))
    ends = population.negatives.ppf(0.05), population.positives.ppf(0.95)
    edges = np.linspace(*ends, groups - 1)
    return sampled(
        f"{name}, {groups} distinct",
        n,
        replace(population, edges=tuple(edges.tolist())),
    )


def with_weights(rng: Generator) -> Setting:
    """Lognormal weights, which go with the scores in half of the settings."""
    sigma = rng.uniform(0.2, 1.0)
    correlation = rng.integers(2) * rng.uniform(-0.8, 0.8)
    if not correlation:
        name, *rows = drawn_rows(rng)
        return weighted(f"{name}, weights {sigma:.2f}", *rows, sigma, 0.0)
    name, *rows = drawn_rows(rng, ("normal", "spread out", "narrow"))
    name = f"{name}, weights {sigma:.2f}, correlation {correlation:.2f}"
    return weighted(name, *rows, sigma, correlation)


def heavy(rng: Generator) -> Setting:
    """Negatives of weight 1.5 to 30, by thinning or by another prevalence."""
    name, n, population = drawn_rows(rng)
    factor = between(rng, 1.5, 30)
    whole = with_more_negatives(population, factor)
    if rng.integers(2):
        return at_prevalence(
            f"{name}, at {whole.prevalence:.2g}", n, population, whole.prevalence
        )

    def draw(generator: Generator) -> Drawn:
        drawn = population.draw(generator, n)
        return drawn | {"sample_weight": np.where(drawn["y_true"], 1, factor)}

    name = f"{name}, one negative in {factor:.1f} kept"
    return Setting(name, draw, lambda: whole.average_precision)


def clustered(rng: Generator) -> Setting:
    """From 20 to 300 clusters, of equal sizes or of geometric ones, whose rows resemble
    each other; over all clusters, rows are those of the population.

    A cluster has its own share of positives, with a Beta distribution, and .4 of the
    variance of scores.
    """
    n = round(between(rng, 20, 300))
    size = between(rng, 3, 40)
    prevalence = between(rng, max(20 / (n * size), 0.02), 0.5)
    score = drawn_score(rng, prevalence)
    population = shifted(*SHAPES["normal"], prevalence, score)
    kind = ("equal", "geometric")[rng.integers(2)]

    def draw(generator: Generator) -> Drawn:
        sizes = np.full(n, round(size))
        if kind == "geometric":
            sizes = generator.geometric(1 / size, n)
        cluster = np.repeat(np.arange(n), sizes)
        shares = generator.beta(3 * prevalence, 3 * (1 - prevalence), n)
        y_true = (generator.random(cluster.size) < shares[cluster]).astype(int)
        common, own = generator.normal(size=n), generator.normal(size=cluster.size)
        noise = np.sqrt(0.4) * common[cluster] + np.sqrt(0.6) * own
        y_score = population.positives.mean() * y_true + noise
        return {"y_true": y_true, "y_score": y_score, "unit_id": cluster}

    name = f"{n} {kind} clusters of {size:.0f} rows, {prevalence:.0%} positive, AP {score:.2f}"
    return Setting(name, draw, lambda: population.average_precision)


def area(rng: Generator) -> Setting:
    name, n, population = drawn_rows(rng)
    kind = list(AREAS)[1 + rng.integers(len(AREAS) - 1)]
    return sampled(f"{name}, {kind}", n, population, kind)


def cut_or_levels(rng: Generator) -> Setting:
    """Scores of a bootstrap; k is from 5 to twice the positives."""
    name, n, population = drawn_rows(rng)
    kind = list(CUTS)[rng.integers(len(CUTS))]
    k = round(between(rng, 5, 2 * population.prevalence * n))
    return cut(kind, f"{name}, {kind.replace('@k', f'@{k}')}", n, population, k)


def labelled(
    name: str,
    n: int,
    population: Population,
    probabilities: Callable[[np.ndarray], np.ndarray],
) -> Setting:
    """Labels drawn by the scores, weighted by one over the probability."""

    def draw(generator: Generator) -> Drawn:
        drawn = population.draw(generator, n)
        share = probabilities(drawn["y_score"])
        has_label = generator.random(n) < share
        rows = drawn | {"sample_weight": 1 / share}
        return {key: values[has_label] for key, values in rows.items()}

    return Setting(name, draw, lambda: population.average_precision)


def labelled_by_score(rng: Generator) -> Setting:
    """Labels for the first rows, fewer or more than positives, and for 50 to 500 of the
    others.
    """
    name, n, population = drawn_rows(rng)
    n = max(n, 2_000)
    first = round(between(rng, 0.3, 3) * population.prevalence * n)
    others = round(between(rng, 50, 500))

    def probabilities(score: np.ndarray) -> np.ndarray:
        is_first = score >= np.partition(score, -first)[-first]
        return np.where(is_first, 1.0, others / (n - first))

    name = f"{name.partition(' rows')[2][2:]}: labels of the first {first:,} of {n:,} rows, and of {others}"
    return labelled(name, n, population, probabilities)


def by_root_of_rank(rng: Generator) -> Setting:
    """Labels drawn by 70 % the root of the rank and 30 % evenly, 100 to 1,000 of
    them.
    """
    name, n, population = drawn_rows(rng)
    n = max(n, 2_000)
    n_labels = between(rng, 100, 1_000)

    def probabilities(score: np.ndarray) -> np.ndarray:
        share = np.empty(n)
        share[np.argsort(-score)] = np.arange(1, n + 1) ** -0.5
        return np.minimum(n_labels * (0.7 * share / share.sum() + 0.3 / n), 1)

    name = f"{name}, {n_labels:.0f} labels by rank"
    return labelled(name, n, population, probabilities)


def at_a_level(rng: Generator) -> Setting:
    """Precision at a recall: of rows, with weights, or at another prevalence."""
    name, n, population = drawn_rows(rng, ("normal", "t2", "exponential"))
    level = rng.uniform(0.3, 0.9)
    sigma = rng.uniform(0.2, 1)
    factor = between(rng, 1.5, 8)
    how = rng.integers(3)
    options, whole = {}, population
    if how == 1:
        whole = with_more_negatives(population, factor)
        options["prevalence"] = whole.prevalence
    precision = float(np.quantile(whole.envelope, 1 - level))  # at this recall
    options["recall"] = level
    name += ("", f", at {whole.prevalence:.2g}", f", weights {sigma:.2f}")[how]
    name += f", at recall {level:.2f}"
    score = sklearn_ap.precision_at_recall_score
    target = partial(float, precision)
    setting = sampled(name, n, population, score=score, target=target, options=options)
    if how < 2:
        return setting

    def draw(generator: Generator) -> Drawn:
        drawn = population.draw(generator, n)
        return drawn | {"sample_weight": generator.lognormal(0, sigma, n)}

    return replace(setting, draw=draw)


def labels(rng: Generator) -> Setting:
    """The mean over 3 to 30 labels, whose scores go together; each has 10 positives or
    more.
    """
    n = round(between(rng, 200, 3_000))
    count = int(rng.integers(3, 31))
    common = rng.uniform(0, 0.8)
    shares = np.array([between(rng, 10 / n, 0.3) for _ in range(count)])
    each = [
        shifted(*SHAPES["normal"], share, drawn_score(rng, share))
        for share in shares.tolist()
    ]
    shifts = [label.positives.mean() for label in each]

    def draw(generator: Generator) -> Drawn:
        y_true = (generator.random((n, count)) < shares).astype(int)
        noise = np.sqrt(common) * generator.normal(size=(n, 1))
        noise = noise + np.sqrt(1 - common) * generator.normal(size=(n, count))
        return {"y_true": y_true, "y_score": noise + shifts * y_true}

    def mean() -> float:
        return float(np.mean([label.average_precision for label in each]))

    name = f"{n:,} rows of {count} labels, correlation {common:.2f}, macro"
    return Setting(name, draw, mean, options=MACRO)


def two_models(rng: Generator) -> Setting:
    """Models that are equally good in half of the settings, and have other shapes in
    half.
    """
    n = round(between(rng, 100, 20_000))
    positives = between(rng, 10, min(n / 2, 2_000))
    first = drawn_score(rng, positives / n)
    second = first if rng.integers(2) else drawn_score(rng, positives / n)
    wide = rng.uniform(0.6, 1.8) if rng.integers(2) else 1.0
    name = f"{positives:,.0f} of {n:,} rows, {first:.2f} - {second:.2f}, spreads 1 and {wide:.1f}"
    spreads, scores = (1.0, wide), (first, second)
    shifts = tuple(map(shift_for, scores, [positives / n] * 2, spreads))
    pair = Pair(positives / n, shifts, spreads, rng.uniform(0.2, 0.95))
    draw, target = partial(pair.draw, n=n), lambda: pair.difference
    return Setting(name, draw, target)


KINDS = (
    plain, tied, with_weights, heavy, clustered, area, cut_or_levels, labels, two_models,
    labelled_by_score, by_root_of_rank, at_a_level,
)  # fmt: skip


def of_kinds(seed: int) -> list[Setting]:
    kinds = KINDS * PER_KIND
    return [kinds[i](np.random.default_rng([seed, i])) for i in range(len(kinds))]


def of_families(seed: int) -> list[Setting]:
    """Draw settings of ordinary tails: 20 to 80 positives, 1 to 40 % of rows, and
    scores of .3 to .95.

    Setting i has the family `i % 6`, and is asked for step AP and for interpolated AP.
    """
    settings = []
    for i in range(PER_KIND * len(FAMILIES)):
        rng = np.random.default_rng([seed, 1, i])
        family = list(FAMILIES)[i % len(FAMILIES)]
        n_positives = between(rng, 20, 80)
        prevalence = between(rng, 0.01, 0.4)
        n = round(n_positives / prevalence)
        score = rng.uniform(max(0.3, prevalence + 0.05), 0.95)
        population = shifted(FAMILIES[family], 1.0, prevalence, score)
        name = f"{n_positives:.0f} of {n:,} rows, {family}, AP {score:.2f}"
        settings += [
            sampled(f"{name}, {kind}", n, population, kind)
            for kind in ("step", "interpolated")
        ]
    return settings


def drawn_settings(seed: int) -> dict[str, list[Setting]]:
    """Return the settings that a seed draws."""
    return {"Families of shapes": of_families(seed), "Drawn at random": of_kinds(seed)}

"""Settings that a seed draws at random: six of each kind of interval, and 72 of six
families of shapes.

No constant of the package was tuned by them. A setting of a kind draws all by
`default_rng([seed, i])`: rows, 10 positives or more, average precision, the shape of
scores, and what its kind needs. The average precision is at least a tenth of the way
from the share of positives to 1, and at most .95 of it.
"""

from functools import partial

import numpy as np

from .populations import expected_positives, to_score
from .settings import AREAS, CUTS, OF_STEP, Setting, estimate, of_rows, weighted

SEED = 53
PER_KIND = 6  # and per family
FAMILIES = "normal", "logistic", "Laplace", "t3", "t2", "gamma"
SHAPES = "normal", "spread out", "narrow", "t2", "lognormal", "exponential"


def between(rng, low, high):
    """Draw a number whose logarithm is uniform."""
    return float(np.exp(rng.uniform(*np.log((low, high)))))


def drawn_score(rng, prevalence):
    return prevalence + rng.uniform(0.1, 0.95) * (1 - prevalence)


def drawn_rows(rng, shapes=SHAPES):
    """Draw a population, and how many of its rows are a sample."""
    n = round(between(rng, 100, 20_000))
    prevalence = between(rng, 10, min(n / 2, 2_000)) / n
    shape = shapes[rng.integers(len(shapes))]
    score = drawn_score(rng, prevalence)
    name = f"{expected_positives(n, prevalence)}, {shape}, AP {score:.2f}"
    return name, n, to_score(score, prevalence, shape)


def rarer(share, factor):
    """Return the share of positives if there were so many times the negatives."""
    odds = share / (1 - share) / factor
    return odds / (1 + odds)


def of_kind(kind, rng):
    """An area, a number of levels, or one at a cut, from 5 to twice the positives."""
    name, n, population = drawn_rows(rng)
    k = round(between(rng, 5, 2 * population.prevalence * n))
    name = f"{name}, {kind.replace('@k', f'@{k}')}"
    return of_rows(name, n, population, kind, k=k)


def with_weights(rng):
    """Lognormal weights, which go with the scores in half of the settings."""
    sigma = rng.uniform(0.2, 1.0)
    correlation = rng.integers(2) * rng.uniform(-0.8, 0.8)
    shapes, more = SHAPES, ""
    if correlation:
        shapes = "normal", "spread out", "narrow"
        more = f", correlation {correlation:.2f}"
    name, *rows = drawn_rows(rng, shapes)
    name = f"{name}, weights {sigma:.2f}{more}"
    return weighted(name, *rows, sigma, correlation)


def at_another_prevalence(rng):
    """Negatives of weight 1.5 to 30."""
    name, n, population = drawn_rows(rng)
    prevalence = rarer(population.prevalence, between(rng, 1.5, 30))
    name = f"{name}, at {prevalence:.2g}"
    return of_rows(name, n, population, prevalence=prevalence)


def clustered(rng, most=1.0):
    """From 20 to 300 clusters, of equal sizes or of geometric ones, whose rows resemble
    each other; over all clusters, rows are those of the population.

    A cluster has its own share of positives, with a Beta distribution. Negatives weigh
    up to `most` times as much, by another prevalence.
    """
    n = round(between(rng, 20, 300))
    size = between(rng, 3, 40)
    share = between(rng, max(20 / (n * size), 0.02), 0.5)
    is_equal = rng.integers(2)
    prevalence = rarer(share, between(rng, 1, most))
    population = to_score(drawn_score(rng, prevalence), prevalence)

    def draw(generator):
        sizes = np.full(n, round(size))
        if not is_equal:
            sizes = generator.geometric(1 / size, n)
        unit = np.repeat(np.arange(n), sizes)
        common, own = generator.normal(size=n), generator.normal(size=unit.size)
        # Scores of a cluster share .4 of their variance.
        noise = np.sqrt(0.4) * common[unit] + np.sqrt(0.6) * own
        shares = generator.beta(3 * share, 3 * (1 - share), n)
        y_true = (generator.random(unit.size) < shares[unit]).astype(int)
        y_score = population.positives.mean() * y_true + noise
        return {"y_true": y_true, "y_score": y_score, "unit_id": unit}

    kind = "equal" if is_equal else "geometric"
    name = f"{n} {kind} clusters of {size:.0f} rows, {share:.0%} positive, "
    name += f"AP {population.average_precision:.2f}"
    ask = OF_STEP
    if most > 1:
        name += f" at {prevalence:.2g}"
        ask = estimate(prevalence=prevalence)
    return Setting(name, draw, lambda: population.average_precision, ask)


def labelled_by_rank(rng):
    """Labels drawn by 70 % the root of the rank and 30 % evenly, about 100 to 1,000 of
    them, weighted by one over the probability, which is at least 1/50.
    """
    name, n, population = drawn_rows(rng)
    n = max(n, 2_000)
    n_labels = between(rng, 100, 1_000)

    def draw(generator):
        drawn = population.draw(generator, n)
        share = np.empty(n)
        share[np.argsort(-drawn["y_score"])] = np.arange(1, n + 1) ** -0.5
        share = n_labels * (0.7 * share / share.sum() + 0.3 / n)
        share = np.clip(share, 1 / 50, 1)
        has_label = generator.random(n) < share
        rows = drawn | {"sample_weight": 1 / share}
        return {key: values[has_label] for key, values in rows.items()}

    name = f"{name}, {n_labels:.0f} labels by rank"
    return Setting(name, draw, lambda: population.average_precision)


KINDS = {
    **{f"Area: {kind}": partial(of_kind, kind) for kind in AREAS},
    "Weights": with_weights,
    "Labels drawn by rank": labelled_by_rank,
    "Another prevalence": at_another_prevalence,
    "Clusters": clustered,
    "Clusters at a prevalence": partial(clustered, most=30.0),
    **{f"Cut: {kind}": partial(of_kind, kind) for kind in CUTS},
}


def of_kinds():
    return {
        name: [
            kind(np.random.default_rng([SEED, PER_KIND * i + j]))
            for j in range(PER_KIND)
        ]
        for i, (name, kind) in enumerate(KINDS.items())
    }


def of_families():
    """Draw settings of ordinary tails: 20 to 80 positives, 1 to 40 % of rows, and
    scores of .3 to .95.

    Setting i has the family `i % 6`, and is asked for step AP and for interpolated AP.
    """
    settings = []
    for i in range(PER_KIND * len(FAMILIES)):
        rng = np.random.default_rng([SEED, 1, i])
        family = FAMILIES[i % len(FAMILIES)]
        n_positives = between(rng, 20, 80)
        prevalence = between(rng, 0.01, 0.4)
        n = round(n_positives / prevalence)
        score = rng.uniform(max(0.3, prevalence + 0.05), 0.95)
        population = to_score(score, prevalence, family)
        name = f"{n_positives:.0f} of {n:,} rows, {family}, AP {score:.2f}"
        settings += [
            of_rows(f"{name}, {kind}", n, population, kind)
            for kind in ("step", "interpolated")
        ]
    return settings
